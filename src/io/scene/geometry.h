/* Another file in place of the one that a scene names. */
#ifndef RN_IO_GEOMETRY_H
#define RN_IO_GEOMETRY_H

#include "io/scene/document.h"

/* Gives the first mesh, volume or heightmap that has a "file" another one; `path` counts from the current folder, and
   is stored whole, so that a checkpoint finds it from anywhere. */
rn_result rn_geometry_replace(rn_document *document, const char *path);

#endif
