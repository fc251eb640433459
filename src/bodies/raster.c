/* rn_raster_cells turns the triangles of a shape into changes of the solid share of cells with height;
   rn_raster_place puts the vertices of a shape into the world. Interface: bodies/raster.h.

   world/blocking.c and world/settle.c place the vertices first and then rasterise them, bodies in parallel. Seen from
   above, every triangle covers some area of each cell it lies over. A triangle that faces down begins solid there and
   one that faces up ends it: it adds or removes that share of the cell's area, at its mean height in the cell. The
   sum of all these changes up to some height is the solid share at that height (bodies/shares.h). Small triangles are
   collected in lots and processed one per lane (raster_small.c), large ones one by one (raster_wide.c). */
#include "bodies/raster.h"

#include "base/maths.h"
#include "base/quat.h"
#include "bodies/emit.h"
#include "bodies/raster_small.h"
#include "bodies/shape.h"

void rn_raster_place(const rn_shape *shape, rn_vec3 at, rn_quat turn, double *positions) {
    double rows[3][3];
    rn_quat_rows(turn, rows);
    const float *from = shape->positions;
    for (uint32_t v = 0; v < shape->info.vertex_count; v++, from += 3, positions += 3) {
        const rn_vec3 p = rn_rows_rotate(rows, (rn_vec3){(double)from[0], (double)from[1], (double)from[2]});
        positions[0] = p.x + at.x;
        positions[1] = p.y + at.y;
        positions[2] = p.z + at.z;
    }
}

/* ---- Triangles one after the other; small ones wait until there are enough of their kind ------- */

bool rn_raster_cells(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, const rn_hooks *hooks,
                     rn_share_changes *steps) {
    const rn_emitter e = {hooks, steps};
    const double per_cell = 1 / grid->cell;
    const uint32_t count = shape->info.triangle_count, *triangle = shape->indices;
    rn_triangle_batch lots[RN_LOTS];
    for (int k = 0; k < RN_LOTS; k++) lots[k].count = 0;
    for (uint32_t t = 0; t < count; t++, triangle += 3) {
        double corner[3][3];
        for (int c = 0; c < 3; c++) rn_find_corner(grid, per_cell, positions, triangle[c], corner[c]);
        const int lot = rn_lot_add(grid, corner, lots);
        if (lot == RN_WIDE && !rn_raster_wide(&e, grid, corner)) return false;
        if (lot >= 0 && lots[lot].count == RN_LOT && !rn_lot_put(&e, grid->nx, &lots[lot], lot)) return false;
    }
    for (int k = 0; k < RN_LOTS; k++)
        if (lots[k].count > 0 && !rn_lot_put(&e, grid->nx, &lots[k], k)) return false;
    return true;
}
