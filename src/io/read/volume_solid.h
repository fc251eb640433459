/* Samples of a volume become the surface of a solid. */
#ifndef RN_IO_VOLUME_SOLID_H
#define RN_IO_VOLUME_SOLID_H

#include "io/read/volume_import.h"

/* `samples` are those that belong to the header, and are changed. */
rn_result rn_volume_solid(const char *path, const rn_volume_def *def, const rn_volume_header *head, float *samples,
                          rn_mesh_file *mesh);

#endif
