/* Minimum heights (Dagenais 2018, 4.4): the depth with which a column must be drawn so that no vertex of the
   terrain's mesh sticks out of the surface, even where the liquid is thin.

   Interface: rn_surface_minimum (include/runnel/surface.h) for all columns or those of an area; rn_minimum_of
   (surface/surface.h), for one vertex of the terrain. world/skin.c calls rn_surface_minimum when the ground or the
   columns drawn have changed, after the mesh of the ground has been remade; rn_surface_build reads the result
   (rn_least_depth).

   The paper requires the bilinear surface over the four columns around a vertex to be above it. But two triangles are
   drawn, whose diagonal may run either way. Here the triangle around the vertex must be above it in both cases: two
   problems of three columns (Eq. 6 and 7, by Lagrange's multiplier), of which the larger result counts for each
   column. Vertices that would need a column more than a cell deep are discarded: otherwise films at the foot of a
   wall would be drawn up to its top. So are vertices that face down. Vertices only raise results, so their order does
   not matter. */
#include "surface/surface.h"

#define CLEARANCE 1e-3 /* cells: epsilon of Eq. 6 */
#define HEAVY     1e10 /* weight of a column that is already above the vertex, Eq. 7 */

enum { CORNERS = 4 };

typedef struct corner {
    size_t slot; /* index in the dense array */
    double base; /* m */
    double high; /* m, least height found for it */
} corner;

static float at(const rn_surface_field *f, int layer, int y, int x) { return rn_field_at(f, layer, y, x); }

/* Sets slot and base of `k` to the column of a cell whose range (from the ceiling of the one below to its own) contains
   a height (m above the datum), or to its highest column if the height is above all. Returns false if the cell has no
   column. */
static bool find_corner(const rn_surface_columns *c, int y, int x, double height, corner *k) {
    for (int l = 0; l < c->layers; l++) {
        const float base = at(&c->base, l, y, x);
        if (!(base >= 0.0f && base < RN_NO_COLUMN)) return false;
        const bool last = l + 1 == c->layers || !(at(&c->base, l + 1, y, x) < RN_NO_COLUMN);
        if (!last && height >= (double)at(&c->ceil, l, y, x)) continue;
        k->slot = ((size_t)l * (size_t)c->cells_y + (size_t)y) * (size_t)c->cells_x + (size_t)x;
        k->base = base;
        return true;
    }
    return false;
}

/* Eq. 6 for three columns with interpolation weights c: minimise sum(w l^2) so that sum(c (b + l)) = h + epsilon, and
   no l below `least`. Lagrange's multiplier gives l_k = lambda c_k / w_k, lambda = missing / sum(c^2 / w); a column
   below `least` gets `least`, and the others share the remaining deficit. Only raises k->high; does nothing if `least`
   (m) in all three is enough. */
static void solve(const double share[3], corner *const k[3], double height, double least, double cell) {
    double missing = height, weight[3], local[3];
    bool held[3] = {false, false, false};
    for (int i = 0; i < 3; i++) {
        const double rise = height - k[i]->base;
        weight[i] = rise > cell / HEAVY ? cell / rise : HEAVY; /* Eq. 7 */
        missing -= share[i] * (k[i]->base + least);
    }
    if (missing <= 0.0) return;
    for (int round = 0; round < 3; round++) {
        double sum = 0.0, left = height;
        bool again = false;
        for (int i = 0; i < 3; i++) {
            left -= share[i] * (k[i]->base + (held[i] ? least : 0.0));
            if (!held[i]) sum += share[i] * share[i] / weight[i];
        }
        if (!(sum > 0.0)) return;
        for (int i = 0; i < 3; i++) {
            local[i] = held[i] ? least : left / sum * share[i] / weight[i];
            if (!held[i] && local[i] < least) held[i] = again = true;
        }
        if (!again) break;
    }
    for (int i = 0; i < 3; i++)
        if (k[i]->base + local[i] > k[i]->high) k[i]->high = k[i]->base + local[i];
}

/* Raises the corners until both triangulations of the quad pass above `height`. Corners run counter-clockwise from
   the south-west; u and v (0 to 1) are the vertex's position between them. */
static void solve_triangles(double u, double v, corner k[CORNERS], double height, double least, double cell) {
    if (u >= v) solve((const double[3]){1.0 - u, u - v, v}, (corner *[3]){&k[0], &k[1], &k[2]}, height, least, cell);
    else solve((const double[3]){1.0 - v, u, v - u}, (corner *[3]){&k[0], &k[2], &k[3]}, height, least, cell);
    if (u + v <= 1.0)
        solve((const double[3]){1.0 - u - v, u, v}, (corner *[3]){&k[0], &k[1], &k[3]}, height, least, cell);
    else
        solve((const double[3]){1.0 - v, u + v - 1.0, 1.0 - u}, (corner *[3]){&k[1], &k[2], &k[3]}, height, least,
              cell);
}

/* Whether a vertex is discarded. "we discard terrain vertices that create a height higher than a cell size above the
   highest base height of the quad"; also vertices for which a column would be drawn more than a cell deep, because
   films at the foot of a wall would be drawn up to its top. */
static bool is_bump(const corner k[CORNERS], double cell) {
    double highest = k[0].base;
    for (int i = 1; i < CORNERS; i++) highest = k[i].base > highest ? k[i].base : highest;
    for (int i = 0; i < CORNERS; i++)
        if (k[i].high > highest + cell || k[i].high > k[i].base + cell) return true;
    return false;
}

typedef struct place {
    int x, y;    /* south-west cell of the quad */
    double u, v; /* position within it, 0 to 1 */
} place;

/* The quad of four columns around a vertex, clamped beyond the centres of the outermost cells: the surface is level
   there. */
static place find_place(const rn_surface_columns *c, const float *vertex) {
    const double cell = c->cell_size;
    double x = ((double)vertex[0] - c->origin_x) / cell - 0.5, y = ((double)vertex[1] - c->origin_y) / cell - 0.5;
    x = fmin(fmax(x, 0.0), c->cells_x - 1.0);
    y = fmin(fmax(y, 0.0), c->cells_y - 1.0);
    place p = {.x = (int)fmin(x, fmax(c->cells_x - 2.0, 0.0)), .y = (int)fmin(y, fmax(c->cells_y - 2.0, 0.0))};
    p.u = x - p.x;
    p.v = y - p.y;
    return p;
}

bool rn_minimum_of(const rn_surface_columns *c, const float *vertex, const float *normal, size_t slots[4],
                   float high[4]) {
    const double cell = c->cell_size, least = 0.05 * cell;
    if (normal && normal[2] < 0.0f) return false;
    const place p = find_place(c, vertex);
    const double height = (double)vertex[2] - c->datum + CLEARANCE * cell;
    corner k[CORNERS] = {0};
    for (int i = 0; i < CORNERS; i++) {
        const int x = p.x + (i == 1 || i == 2), y = p.y + (i >= 2);
        const int last_x = c->cells_x - 1, last_y = c->cells_y - 1;
        if (!find_corner(c, y < last_y ? y : last_y, x < last_x ? x : last_x, (double)vertex[2] - c->datum, &k[i]))
            return false;
        k[i].high = k[i].base + least;
    }
    solve_triangles(p.u, p.v, k, height, least, cell);
    if (is_bump(k, cell)) return false;
    for (int i = 0; i < CORNERS; i++) {
        slots[i] = k[i].slot;
        high[i] = (float)(k[i].high - k[i].base);
    }
    return true;
}

void rn_surface_minimum(const rn_surface_columns *c, const rn_surface_ground *ground, const rn_surface_area *area,
                        float *minimum) {
    const rn_surface_area all = {0, 0, c->cells_x, c->cells_y};
    rn_surface_area a = area ? *area : all; /* and the cells around, whose quads include a cell of it */
    a.x0 = a.x0 > 0 ? a.x0 - 1 : 0;
    a.y0 = a.y0 > 0 ? a.y0 - 1 : 0;
    a.x1 = a.x1 < c->cells_x ? a.x1 + 1 : c->cells_x;
    a.y1 = a.y1 < c->cells_y ? a.y1 + 1 : c->cells_y;
    for (int l = 0; l < c->layers; l++)
        for (int y = a.y0; y < a.y1; y++)
            for (int x = a.x0; x < a.x1; x++)
                minimum[((size_t)l * (size_t)c->cells_y + (size_t)y) * (size_t)c->cells_x + (size_t)x] =
                    0.05f * c->cell_size;
    for (size_t i = 0; i < ground->count; i++) {
        const float *vertex = &ground->positions[3 * i];
        const place p = find_place(c, vertex);
        size_t slots[CORNERS];
        float high[CORNERS];
        if (p.x + 1 < a.x0 || p.y + 1 < a.y0 || p.x >= a.x1 || p.y >= a.y1) continue;
        if (!rn_minimum_of(c, vertex, ground->normals ? &ground->normals[3 * i] : NULL, slots, high)) continue;
        for (int k = 0; k < CORNERS; k++) minimum[slots[k]] = fmaxf(minimum[slots[k]], high[k]);
    }
}
