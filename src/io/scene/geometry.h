/* Replaces the geometry file that a scene names by another one. */
#ifndef RN_IO_GEOMETRY_H
#define RN_IO_GEOMETRY_H

#include "io/scene/document.h"

/* Replaces the file of the first mesh, volume or heightmap that has a "file", in the document only. `path` is relative
   to the current folder, and stored as an absolute path, so that a checkpoint finds it from anywhere. The document
   keeps its own copy of the path, and *file_name points there. `replaced`: room for the file that was named before; ""
   if its name is too long. Returns RN_INVALID if there is no such shape or `path` is not UTF-8, RN_FILE if there is no
   such file, or RN_MEMORY if memory runs out. The reason is in rn_last_error(). */
rn_result rn_geometry_replace(rn_document *document, const char *path, const char **file_name, char *replaced,
                              size_t size);

#endif
