/* Solid shares of faces between cells, and of vertical lines through the centres of cells.

   Interface (bodies/raster.h): rn_raster_faces and rn_raster_middles. world/blocking.c calls both with vertices from
   rn_raster_place: the first for solvers with RN_CAN_SWEEP, at several poses of a step with a weight each, the second
   in place of rn_raster_cells for bodies that cover cells wholly or not at all (RN_BLOCKING_CELLS). The changes that
   they add are not sorted.

   A vertical plane cuts a triangle in a line. rn_raster_faces cuts with the planes between cells: the space above the
   line is solid or open, depending on the side that the triangle faces, over the width of the line. Lines that rise
   much in a face are cut into slices of height, as in cells (bodies/emit.h). rn_raster_middles cuts with the planes
   through the centres of rows, and takes the height of the line at each centre.

   A corner on a plane counts as beyond it, and a crossed edge is always taken from the same end, so that two
   triangles with a common edge never leave a gap or count twice. */
#include "base/maths.h"
#include "bodies/emit.h"
#include "bodies/raster.h"
#include "bodies/shape.h"

/* The line in which a plane cuts a triangle, along the other axis (cells) and up (m). Solid lies above lines of
   positive length. */
typedef struct line {
    double along[2], z[2];
} line;

/* Finds the line in which the plane at `plane` (cells) across an axis (0: x, 1: y) cuts a triangle. Returns false if it
   does not. A corner on the plane counts as beyond it. A crossed edge is always taken from its end before the plane, so
   that both triangles of the edge get the same crossing. */
static bool cut_triangle(double corner[3][3], int axis, double plane, line *l) {
    int ends = 0;
    for (int c = 0; c < 3; c++) {
        const double *p = corner[c], *q = corner[c < 2 ? c + 1 : 0];
        const bool enters = p[axis] < plane && q[axis] >= plane, leaves = p[axis] >= plane && q[axis] < plane;
        if (!enters && !leaves) continue;
        const double *low = enters ? p : q, *high = enters ? q : p;
        const double share = (plane - low[axis]) / (high[axis] - low[axis]);
        /* Seen from above, a triangle that faces up is entered at lower y than it is left along x, and vice versa. */
        const int end = enters == (axis == 0) ? 1 : 0;
        l->along[end] = low[1 - axis] + share * (high[1 - axis] - low[1 - axis]);
        l->z[end] = low[2] + share * (high[2] - low[2]);
        ends++;
    }
    return ends == 2;
}

/* The number of the first plane beyond `low` (cells), of `count` planes at first, first + 1 and so on; `count` if there
   is none. */
static int next_plane(double low, double first, int count) {
    if (low < first) return 0;
    if (low >= first + count) return count;
    int i = (int)(low - first);
    while (i < count && first + i <= low) i++;
    return i;
}

typedef struct faces {
    rn_emitter emitter;
    const rn_raster_grid *grid;
    double weight;
    int axis, count; /* number of cells across the planes */
    int along;       /* cells along them */
} faces;

/* Adds the changes of a part of a line, from one share of its length (0 to 1) to another, in face `i` along plane `p`,
   in as many slices of height as it needs. Returns false, with a message, if memory runs out. */
static bool emit_line_part(const faces *f, const line *l, double from, double to, int p, int i) {
    const double length = l->along[1] - l->along[0], rise = l->z[1] - l->z[0];
    const double share = (to - from) * length * f->weight;
    const int cell = f->axis == 0 ? i * f->grid->nx + p : p * f->grid->nx + i;
    const int slices = rn_slices(f->grid, fabs(rise * (to - from)), share);
    for (int s = 0; s < slices; s++) {
        const double height = l->z[0] + rise * (from + (to - from) * (s + 0.5) / slices);
        if (!rn_emit(&f->emitter, cell, height, share / slices)) return false;
    }
    return true;
}

/* Adds the changes of a line in plane `p`, split where faces end; parts beyond the grid are left out. Returns false,
   with a message, if memory runs out. */
static bool emit_line(const faces *f, const line *l, int p) {
    const double begin = rn_min(l->along[0], l->along[1]), end = rn_max(l->along[0], l->along[1]);
    if (!(end > 0) || !(begin < f->along) || !(begin < end)) return true;
    const int first = begin > 0 ? (int)begin : 0, last = end < f->along ? (int)end : f->along - 1;
    const double scale = 1 / (l->along[1] - l->along[0]);
    for (int i = first; i <= last; i++) {
        double from = (rn_max(begin, i) - l->along[0]) * scale, to = (rn_min(end, i + 1) - l->along[0]) * scale;
        if (from > to) {
            const double other = from;
            from = to;
            to = other;
        }
        if (to > from && !emit_line_part(f, l, from, to, p, i)) return false;
    }
    return true;
}

bool rn_raster_faces(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, int axis,
                     double weight, const rn_hooks *hooks, rn_share_changes *steps) {
    const faces f = {.emitter = {hooks, steps},
                     .grid = grid,
                     .weight = weight,
                     .axis = axis,
                     .count = axis == 0 ? grid->nx : grid->ny,
                     .along = axis == 0 ? grid->ny : grid->nx};
    const double per_cell = 1 / grid->cell;
    const uint32_t *triangle = shape->indices;
    for (uint32_t t = 0; t < shape->info.triangle_count; t++, triangle += 3) {
        double at[3][3];
        for (int c = 0; c < 3; c++) rn_find_corner(grid, per_cell, positions, triangle[c], at[c]);
        const double low = rn_least3(at[0][axis], at[1][axis], at[2][axis]);
        const double high = rn_most3(at[0][axis], at[1][axis], at[2][axis]);
        for (int p = next_plane(low, 1, f.count); p < f.count && p + 1 <= high; p++) {
            line l;
            if (cut_triangle(at, axis, p + 1, &l) && !emit_line(&f, &l, p)) return false;
        }
    }
    return true;
}

bool rn_raster_middles(const rn_raster_grid *grid, const rn_shape *shape, const double *positions,
                       const rn_hooks *hooks, rn_share_changes *steps) {
    const rn_emitter e = {hooks, steps};
    const double per_cell = 1 / grid->cell;
    const uint32_t *triangle = shape->indices;
    for (uint32_t t = 0; t < shape->info.triangle_count; t++, triangle += 3) {
        double at[3][3];
        for (int c = 0; c < 3; c++) rn_find_corner(grid, per_cell, positions, triangle[c], at[c]);
        const double low = rn_least3(at[0][1], at[1][1], at[2][1]), high = rn_most3(at[0][1], at[1][1], at[2][1]);
        for (int y = next_plane(low, 0.5, grid->ny); y < grid->ny && y + 0.5 <= high; y++) {
            line l;
            if (!cut_triangle(at, 1, y + 0.5, &l)) continue;
            const double length = l.along[1] - l.along[0], begin = rn_min(l.along[0], l.along[1]);
            const double end = rn_max(l.along[0], l.along[1]);
            /* centres from `begin` on and before `end`: a centre on a shared edge counts once */
            int x = begin <= 0.5 ? 0 : begin > grid->nx ? grid->nx : (int)(begin - 0.5);
            while (x < grid->nx && x + 0.5 < begin) x++;
            for (; x < grid->nx && x + 0.5 < end; x++) {
                const double height = l.z[0] + (l.z[1] - l.z[0]) * (x + 0.5 - l.along[0]) / length;
                if (!rn_emit(&e, y * grid->nx + x, height, length > 0 ? 1 : -1)) return false;
            }
        }
    }
    return true;
}
