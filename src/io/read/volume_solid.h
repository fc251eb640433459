/* Turns samples of a volume into the surface of a solid. */
#ifndef RN_IO_VOLUME_SOLID_H
#define RN_IO_VOLUME_SOLID_H

#include "io/read/volume_import.h"

/* Creates the mesh of the solid's surface, in the file's unit; free it with rn_mesh_file_free. `samples` follow the
   header and are overwritten. Smooths labels, and drops parts below def->least_part (m^3). Returns RN_INVALID if
   nothing is left, RN_LIMIT if there are too many triangles, or RN_MEMORY if memory runs out. The reason is in
   rn_last_error(), and `mesh` is then unchanged. */
rn_result rn_volume_solid(const char *path, const rn_volume_def *def, const rn_volume_header *head, float *samples,
                          rn_mesh_file *mesh);

#endif
