/* Triangles of any size, also those that reach beyond the grid.

   Interface: rn_raster_wide (bodies/emit.h). rn_raster_cells (raster.c) calls it for every triangle that is too large
   for a lot of raster_small.c or lies partly off the grid; corners are in cells along x and y, and in m along z.

   A triangle is cut into rows of cells, and rows into cells only where slices need it:
   - A gentle triangle rises by at most RN_SLICE of a cell in each cell. Its piece in a row gives one change per cell
     (emit_gentle): the share is the area below its edges between two lines across x, the height that of the plane at
     the centre of this area.
   - A steep one is cut into single cells, and each piece into slices of height (emit_steep). The area of a slice is
     measured as seen from the side, where slices end at lines across z, and scaled to that seen from above.
   Both sum up areas edge by edge (sum_outline), which needs no polygons for cells or slices. Crossings of edges and
   planes are computed from the same end for both neighbours, so that pieces fit without gaps. Shares below 1e-14 are
   rounding and are left out. */
#include "base/maths.h"
#include "bodies/emit.h"

/* A triangle cut by two lines along each axis has up to seven corners. */
enum { MOST_CORNERS = 8 };
/* Cells that are summed up together. */
enum { MOST_BINS = RN_MOST_SLICES };

#define NOTHING 1e-14 /* a share that is only rounding */

typedef struct piece {
    double at[MOST_CORNERS][3]; /* x and y in cells, z in m */
    int count;
} piece;

/* A triangle to be cut. */
typedef struct facet {
    const rn_emitter *emitter;
    const rn_raster_grid *grid;
    double low, high; /* m */
    piece whole;
    bool gentle;          /* it needs no slices */
    double along, across; /* m per cell, its slope along x and y */
    int level;            /* if steep: the axis along which it rises less */
    double scale;         /* ratio of its area seen from above to that seen along the other axis */
} facet;

/* ---- Cutting ---- */

/* Appends a corner to a piece, which must have room. */
static inline void add_corner(piece *p, const double *at) {
    double *to = p->at[p->count++];
    for (int k = 0; k < 3; k++) to[k] = at[k];
}

/* Adds the point where the line between two corners, on different sides, crosses a plane across an axis to both pieces:
   the same from either end, so that neighbours fit. */
static inline void add_crossing(piece *below, piece *above, const double *p, const double *q, int axis, double plane) {
    const double *low = p[axis] < q[axis] ? p : q, *high = low == p ? q : p;
    const double share = (plane - low[axis]) / (high[axis] - low[axis]);
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = low[k] + share * (high[k] - low[k]);
    at[axis] = plane;
    add_corner(below, at);
    add_corner(above, at);
}

/* Splits a convex piece into the parts below and above a plane across an axis; corners on the plane belong to both. A
   part with fewer than 3 corners is empty. */
static inline void split_piece(const piece *whole, int axis, double plane, piece *below, piece *above) {
    below->count = above->count = 0;
    const double *p = whole->at[whole->count - 1];
    for (int i = 0; i < whole->count; i++) {
        const double *q = whole->at[i];
        if ((p[axis] < plane && q[axis] > plane) || (p[axis] > plane && q[axis] < plane)) {
            add_crossing(below, above, p, q, axis, plane);
        }
        if (q[axis] <= plane) add_corner(below, q);
        if (q[axis] >= plane) add_corner(above, q);
        p = q;
    }
}

/* Finds the lowest and highest coordinate of a piece, not empty, along an axis (0: x, 1: y, 2: z). */
static inline void find_extent(const piece *p, int axis, double *low, double *high) {
    *low = *high = p->at[0][axis];
    for (int i = 1; i < p->count; i++) {
        *low = rn_min(*low, p->at[i][axis]);
        *high = rn_max(*high, p->at[i][axis]);
    }
}

/* The rest of a piece while strips are cut off it, across one axis. */
typedef struct strips {
    int axis, next, last; /* cells along it */
    double end;           /* of the piece */
    const piece *rest;
    piece strip, spare[2];
} strips;

/* Prepares to cut a piece, which must outlive *s, into strips along an axis (0: x, 1: y, 2: z) of n cells; what lies
   before cell 0 is cut off. *s must not be copied: it points into itself. Returns false if the piece lies outside all n
   cells. */
static bool begin_strips(const piece *p, int axis, int n, strips *s) {
    double low;
    find_extent(p, axis, &low, &s->end);
    if (!(s->end > 0) || !(low < n)) return false;
    s->axis = axis;
    s->next = low > 0 ? (int)low : 0;
    s->last = s->end < n ? (int)s->end : n - 1;
    s->rest = p;
    if (low < s->next) {
        split_piece(p, axis, s->next, &s->strip, &s->spare[0]);
        s->rest = &s->spare[0];
    }
    return true;
}

/* Cuts off and returns the next strip, at most `wide` cells wide, valid until the next call. Returns NULL if there is
   none left. It may have fewer than 3 corners. What lies beyond the last cell is left out. */
static const piece *cut_strip(strips *s, int wide) {
    if (s->next > s->last || s->rest->count < 3) return NULL;
    s->next = wide <= s->last - s->next ? s->next + wide : s->last + 1;
    if (s->end <= s->next) {
        s->next = s->last + 1;
        return s->rest;
    }
    piece *above = &s->spare[s->rest == &s->spare[0]];
    split_piece(s->rest, s->axis, s->next, &s->strip, above);
    s->rest = above;
    return &s->strip;
}

/* ---- Summing up ---- */

/* Between two evenly spaced lines across u: the area between an outline and v = 0, and the same times its mean u and
   v. */
typedef struct amount {
    double area, u, v;
} amount;

typedef struct bins {
    double begin, size, per_size;
    int count;
    amount *list;
} bins;

/* Adds the area between v = 0 and a straight line of an outline, from (low, first) to (high, last) in u and v, low <
   high, times `sign`, to the bins that it crosses; what lies outside them goes to the first or last. */
static inline void add_line(const bins *b, double low, double first, double high, double last, double sign) {
    const double slope = (last - first) / (high - low), at = (low - b->begin) * b->per_size;
    double u = low, v = first;
    for (int i = at > 0 ? (int)at : 0;; i++) {
        const double line = b->begin + (i + 1) * b->size;
        const bool ends = i + 1 >= b->count || high <= line;
        const double to = ends ? high : line, then = ends ? last : first + (line - low) * slope;
        const double length = (to - u) * sign;
        amount *a = &b->list[i < b->count ? i : b->count - 1];
        a->area += length * 0.5 * (v + then);
        a->u += length * (u * (2 * v + then) + to * (v + 2 * then)) * (1.0 / 6);
        a->v += length * (v * v + v * then + then * then) * (1.0 / 6);
        if (ends) return;
        u = to;
        v = then;
    }
}

/* Sets the bins to the area of a piece in each of them, and the same times its mean u and v; u, v: axes, counted from
   the point `from`. The sign follows from the winding. */
static inline void sum_outline(const bins *b, const piece *p, int u, int v, const double *from) {
    for (int i = 0; i < b->count; i++) b->list[i] = (amount){0, 0, 0};
    double u0 = p->at[p->count - 1][u] - from[u], v0 = p->at[p->count - 1][v] - from[v];
    for (int i = 0; i < p->count; i++) {
        const double u1 = p->at[i][u] - from[u], v1 = p->at[i][v] - from[v];
        if (u0 < u1) add_line(b, u0, v0, u1, v1, 1);
        else if (u1 < u0) add_line(b, u1, v1, u0, v0, -1);
        u0 = u1;
        v0 = v1;
    }
}

/* Adds a change of the solid share, for which there must be room, unless it is only rounding; its height (m) is clamped
   to the triangle. */
static inline void put_change(const facet *f, int cell, double height, double share) {
    if (fabs(share) <= NOTHING) return;
    rn_share_changes *to = f->emitter->steps;
    to->list[to->count++] = (rn_share_change){cell, (float)rn_clamp(height, f->low, f->high), (float)share};
}

/* Adds the changes of a piece of row y, at most MOST_BINS cells wide, that rises little in each of its cells: one per
   cell. Returns false, with a message, if memory runs out. */
static bool emit_gentle(const facet *f, const piece *p, int y) {
    double low, high;
    find_extent(p, 0, &low, &high);
    const int nx = f->grid->nx, x = low < nx ? (int)low : nx - 1, last = high < nx ? (int)high : nx - 1;
    const double *from = f->whole.at[0], origin[3] = {x, y, 0};
    const double base = from[2] + f->along * (x - from[0]) + f->across * (y - from[1]);
    amount list[MOST_BINS];
    const bins b = {0, 1, 1, last - x + 1, list};
    if (!rn_emit_room(f->emitter, (size_t)b.count)) return false;
    sum_outline(&b, p, 0, 1, origin);
    for (int i = 0; i < b.count; i++) {
        const amount *a = &list[i];
        put_change(f, y * nx + x + i, base + (f->along * a->u + f->across * a->v) / a->area, a->area);
    }
    return true;
}

/* Adds the changes of a piece of a steep triangle in one cell, in as many slices as it needs; nothing if it does not
   rise. Returns false, with a message, if memory runs out. */
static bool emit_steep(const facet *f, const piece *p, int cell) {
    const double *from = p->at[0];
    double low, high;
    find_extent(p, 2, &low, &high);
    amount list[MOST_BINS];
    if (!(high > low)) return true;
    const int slices = rn_slices(f->grid, high - low, 1);
    const bins b = {low - from[2], (high - low) / slices, slices / (high - low), slices, list};
    if (!rn_emit_room(f->emitter, (size_t)slices)) return false;
    sum_outline(&b, p, 2, f->level, from);
    for (int i = 0; i < slices; i++) put_change(f, cell, from[2] + list[i].u / list[i].area, list[i].area * f->scale);
    return true;
}

/* ---- Everything together ----------------------------- */

/* Finds the normal of a triangle, not of unit length; z is negative if it faces down. */
static void find_normal(double v[3][3], double normal[3]) {
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = (v[1][i] - v[0][i]) * (v[2][j] - v[0][j]) - (v[1][j] - v[0][j]) * (v[2][i] - v[0][i]);
    }
}

/* Prepares a triangle for cutting: sets all of a facet but emitter and grid, which must be set: its corners, bounds in
   height (m), and how it rises. */
static void set_up_facet(double corner[3][3], facet *f) {
    double n[3];
    find_normal(corner, n);
    f->whole.count = 0;
    for (int c = 0; c < 3; c++) add_corner(&f->whole, corner[c]);
    find_extent(&f->whole, 2, &f->low, &f->high);
    const double most = RN_SLICE * f->grid->cell, up = fabs(n[2]);
    f->gentle = fabs(n[0]) + fabs(n[1]) <= most * up || f->high - f->low <= most || up <= RN_SLICE_WORTH;
    if (f->gentle) {
        f->along = -n[0] / n[2];
        f->across = -n[1] / n[2];
    } else {
        f->level = fabs(n[1]) >= fabs(n[0]) ? 0 : 1;
        f->scale = f->level == 0 ? n[2] / n[1] : -n[2] / n[0];
    }
}

bool rn_raster_wide(const rn_emitter *e, const rn_raster_grid *grid, double corner[3][3]) {
    facet f;
    f.emitter = e;
    f.grid = grid;
    set_up_facet(corner, &f);
    strips rows, cells;
    if (!begin_strips(&f.whole, 1, grid->ny, &rows)) return true;
    for (int y = rows.next; y <= rows.last; y++) {
        const piece *row = cut_strip(&rows, 1), *p;
        if (!row) break;
        if (row->count < 3 || !begin_strips(row, 0, grid->nx, &cells)) continue;
        for (int x = cells.next; (p = cut_strip(&cells, f.gentle ? MOST_BINS - 1 : 1)); x++) {
            if (p->count >= 3 && !(f.gentle ? emit_gentle(&f, p, y) : emit_steep(&f, p, y * grid->nx + x)))
                return false;
        }
    }
    return true;
}
