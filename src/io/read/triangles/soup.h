/* Triangles while a file is being read. The readers of this folder fill an rn_soup from the bytes of a file:

       rn_stl_read, rn_obj_read, rn_off_read, rn_ply_read

   Coordinates stay doubles until the whole file is known. rn_soup_reply then subtracts an origin, if the mesh lies so
   far from 0 that floats would round it, and makes the reply of mesh_import.h. Failures
   leave the reason, with the path, in rn_last_error(). */
#ifndef RN_IO_SOUP_H
#define RN_IO_SOUP_H

#include "base/platform.h"
#include "io/file/input.h"
#include "io/read/mesh_import.h"

typedef struct rn_soup {
    const char *path;  /* for messages */
    double *positions; /* x y z of each vertex */
    uint32_t *indices; /* three per triangle */
    uint32_t *corners; /* of the polygon being read */
    size_t vertex_count, triangle_count, corner_count;
    size_t vertex_capacity, triangle_capacity, corner_capacity;
    uint32_t parts;
    const char *format;
    char warning[RN_MESH_WARNING]; /* what is odd about the file; "": nothing */
} rn_soup;

/* Adds a vertex. Returns RN_LIMIT if there are too many, or RN_MEMORY if memory runs out. */
rn_result rn_soup_vertex(rn_soup *soup, const double at[3]);
/* Adds a triangle between three vertices; those that do not exist become UINT32_MAX. Returns RN_LIMIT if there are too
   many triangles, or RN_MEMORY if memory runs out. */
rn_result rn_soup_triangle(rn_soup *soup, uint32_t a, uint32_t b, uint32_t c);
/* Adds a corner to the polygon being read, soup->corners. Its vertex must exist by the time the polygon ends. Returns
   RN_MEMORY if memory runs out. */
rn_result rn_soup_corner(rn_soup *soup, uint32_t vertex);
/* Cuts the polygon being read into triangles, adds these, and empties the polygon, also after a failure. The triangles
   are ears, or a fan if the polygon is convex, has more than 1000 corners, or has one that is not finite. A polygon
   with fewer than three corners is dropped. On failure returns the result of rn_soup_triangle. */
rn_result rn_soup_polygon(rn_soup *soup);
/* Stores a remark about what is odd about a file in soup->warning. Only the first remark is kept. */
RN_PRINTF(2, 3) void rn_soup_warn(rn_soup *soup, const char *format, ...);
/* Returns RN_FORMAT, with the message "PATH:LINE: …" in rn_last_error(). */
RN_PRINTF(3, 4) rn_result rn_soup_refuse(const rn_soup *soup, int line, const char *format, ...);
/* Creates the reply, whose bytes the caller frees with rn_free(NULL, …). Returns RN_FORMAT if there are no triangles,
   or RN_MEMORY if memory runs out. */
rn_result rn_soup_reply(const rn_soup *soup, rn_reply *reply);
/* Frees the arrays and empties the soup; not the struct itself. */
void rn_soup_free(rn_soup *soup);

/* Each reads one format into a soup that is 0 but for its path. On failure returns RN_UNSUPPORTED, RN_LIMIT, RN_MEMORY,
   or RN_FORMAT if the file is damaged. The reason is in rn_last_error(), and the soup holds what was read so far; free
   it in any case. */
rn_result rn_stl_read(const rn_file_bytes *file, rn_soup *soup);
rn_result rn_obj_read(const rn_file_bytes *file, rn_soup *soup);
rn_result rn_off_read(const rn_file_bytes *file, rn_soup *soup);
rn_result rn_ply_read(const rn_file_bytes *file, rn_soup *soup);

/* Whether a file is an STL by its bytes; sets *binary to which kind, false if it is none. A binary one may begin like a
   text. `bytes` may be only the beginning of the file, followed by a 0; `size` is that of the whole file. */
bool rn_stl_is(const char *bytes, size_t count, int64_t size, bool *binary);

#endif
