/* Triangles from a file, read by a library that may crash: mesh.c runs it in a separate process. Failures leave the
   reason, with the path, in rn_last_error(). */
#ifndef RN_IO_MESH_IMPORT_H
#define RN_IO_MESH_IMPORT_H

#include "io/file/apart.h"

#include <runnel/io.h>

/* A reply: this header, then the positions, then the indices. */
typedef struct rn_mesh_header {
    uint32_t vertex_count, triangle_count, parts;
    int32_t up; /* rn_up */
    double unit;
    double origin[3]; /* added to positions, they are those of the file */
    char format[64];
    char warning[RN_MESH_WARNING];
} rn_mesh_header;

enum { RN_MOST_TRIANGLES = 1 << 23 }; /* of a file; three times as many vertices */

/* Reads any kind of mesh file like rn_mesh_read, but in this process and into a reply. The caller frees reply->bytes
   with rn_free(NULL, …), also after a failure. */
rn_result rn_mesh_read_here(const char *path, rn_reply *reply);

/* Reads the triangles of a file with assimp, in this process, into `reply` (an rn_mesh_header and arrays). Positions
   keep the unit and the axes of the file; positions and indices are not checked. The caller frees reply->bytes with
   rn_free(NULL, …), also after a failure. */
rn_result rn_mesh_import(const char *path, rn_reply *reply);

/* Like rn_mesh_read, with another limit on processor time (s); 0: the default of 10 s. */
rn_result rn_mesh_read_within(const char *path, double seconds, rn_mesh_file *mesh);

/* Takes over and checks a reply, for rn_mesh_read: on success its bytes belong to `mesh`, after a failure (RN_FORMAT)
   they are freed and `mesh` is unchanged. Positions and indices are not checked. */
rn_result rn_mesh_take(const char *path, rn_reply *reply, rn_mesh_file *mesh);

#endif
