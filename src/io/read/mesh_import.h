/* Triangles from a file, by a library that may crash on it: see mesh.c, which keeps it apart. */
#ifndef RN_IO_MESH_IMPORT_H
#define RN_IO_MESH_IMPORT_H

#include "io/file/apart.h"

#include <runnel/io.h>

/* A reply: this, then the positions, then the indices. */
typedef struct rn_mesh_header {
    uint32_t vertex_count, triangle_count, parts;
    int32_t up; /* rn_up */
    double unit;
    char format[64];
} rn_mesh_header;

enum { RN_MOST_TRIANGLES = 1 << 23 }; /* of a file; three times as many vertices */

/* Fills `reply` with the file's triangles, in this process. */
rn_result rn_mesh_import(const char *path, rn_reply *reply);

/* rn_mesh_read, with another limit of time; 0: the default. */
rn_result rn_mesh_read_within(const char *path, double seconds, rn_mesh_file *mesh);

/* What rn_mesh_read does with a reply: takes it over and checks it. */
rn_result rn_mesh_take(const char *path, rn_reply *reply, rn_mesh_file *mesh);

#endif
