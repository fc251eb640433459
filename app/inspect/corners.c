/* Vertices of an inspected mesh at their places in the scene, in double precision. */
#include "inspect/inspect.h"

#include <math.h>

bool inspect_vertex(const rn_mesh_file *file, size_t vertex, double rows[3][4], double to[3]) {
    if (vertex >= file->vertex_count) return false;
    const float *from = file->positions + 3 * vertex;
    for (int row = 0; row < 3; row++) {
        const double *r = rows[row];
        to[row] = r[0] * (double)from[0] + r[1] * (double)from[1] + r[2] * (double)from[2] + r[3];
    }
    return fabs(to[0]) < 1e12 && fabs(to[1]) < 1e12 && fabs(to[2]) < 1e12;
}

bool inspect_triangle(const rn_mesh_file *file, size_t triangle, double rows[3][4], rn_vec3 at[3]) {
    for (int k = 0; k < 3; k++) {
        double to[3];
        if (!inspect_vertex(file, file->indices[3 * triangle + (size_t)k], rows, to)) return false;
        at[k] = (rn_vec3){to[0], to[1], to[2]};
    }
    return true;
}
