/* Triangles of any size, cut at the edges of cells and into slices. */
#include "base/maths.h"
#include "bodies/emit.h"

/* A triangle cut by up to two lines along each axis and two heights has up to nine corners. */
enum { MOST_CORNERS = 10 };

typedef struct piece {
    double at[MOST_CORNERS][3]; /* x and y in cells, z in m */
    int count;
} piece;

static void add_corner(piece *p, const double *at) {
    double *to = p->at[p->count++];
    for (int k = 0; k < 3; k++) to[k] = at[k];
}

/* Where the line between two corners passes a plane: the same from either end, so that neighbours fit. */
static void add_crossing(piece *below, piece *above, const double *p, const double *q, int axis, double plane) {
    const double *low = p[axis] < q[axis] ? p : q, *high = low == p ? q : p;
    const double share = (plane - low[axis]) / (high[axis] - low[axis]);
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = low[k] + share * (high[k] - low[k]);
    at[axis] = plane;
    add_corner(below, at);
    add_corner(above, at);
}

/* Parts a convex piece in what is below a plane across an axis and what is above. */
static void part(const piece *whole, int axis, double plane, piece *below, piece *above) {
    below->count = above->count = 0;
    for (int i = 0; i < whole->count; i++) {
        const double *p = whole->at[i], *q = whole->at[i + 1 < whole->count ? i + 1 : 0];
        if (p[axis] <= plane) add_corner(below, p);
        if (p[axis] >= plane) add_corner(above, p);
        if ((p[axis] < plane && q[axis] > plane) || (p[axis] > plane && q[axis] < plane)) {
            add_crossing(below, above, p, q, axis, plane);
        }
    }
}

static void range(const piece *p, int axis, double *low, double *high) {
    *low = *high = p->at[0][axis];
    for (int i = 1; i < p->count; i++) {
        *low = rn_min(*low, p->at[i][axis]);
        *high = rn_max(*high, p->at[i][axis]);
    }
}

/* What share of a cell a piece covers, positive if it looks down, and at which height on average. */
static double cover(const piece *p, double *height) {
    double area = 0, moment = 0;
    const double *a = p->at[0];
    for (int i = 1; i + 1 < p->count; i++) {
        const double *b = p->at[i], *c = p->at[i + 1];
        const double twice = (c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1]);
        area += twice / 2;
        moment += twice / 6 * ((b[2] - a[2]) + (c[2] - a[2]));
    }
    *height = area != 0 ? a[2] + moment / area : a[2];
    return area;
}

static bool emit_piece(const rn_emitter *e, int cell, const piece *p) {
    double height;
    const double share = cover(p, &height);
    return share == 0 || rn_emit(e, cell, height, share);
}

/* A piece that lies in one cell. */
static bool emit_sliced(const rn_emitter *e, const rn_raster_grid *grid, int cell, const piece *p) {
    if (p->count < 3) return true;
    double low, high, height;
    range(p, 2, &low, &high);
    const int slices = rn_slices(grid, high - low, cover(p, &height));
    piece rest[2], slice;
    rest[0] = *p;
    for (int i = 1; i < slices; i++) {
        part(&rest[~i & 1], 2, low + (high - low) * i / slices, &slice, &rest[i & 1]);
        if (slice.count >= 3 && !emit_piece(e, cell, &slice)) return false;
        if (rest[i & 1].count < 3) return true;
    }
    return emit_piece(e, cell, &rest[~slices & 1]);
}

/* Which cells something reaches from low to high along an axis of n cells; false: none. */
static bool reach(double low, double high, int n, int *first, int *last) {
    if (!(high > 0) || !(low < n)) return false;
    *first = low > 0 ? (int)low : 0;
    *last = high < n ? (int)high : n - 1;
    return true;
}

/* A piece of one row of cells. */
static bool emit_row(const rn_emitter *e, const rn_raster_grid *grid, int y, const piece *row) {
    double low, high;
    int first, last;
    range(row, 0, &low, &high);
    if (!reach(low, high, grid->nx, &first, &last)) return true;
    piece rest[2], cell;
    rest[0] = *row;
    int now = 0;
    if (low < first) part(row, 0, first, &cell, &rest[0]);
    for (int x = first; x <= last && rest[now].count >= 3; x++, now ^= 1) {
        part(&rest[now], 0, x + 1, &cell, &rest[now ^ 1]);
        if (!emit_sliced(e, grid, y * grid->nx + x, &cell)) return false;
    }
    return true;
}

bool rn_raster_wide(const rn_emitter *e, const rn_raster_grid *grid, double corner[3][3]) {
    piece rest[2] = {{.count = 0}, {.count = 0}}, row;
    for (int c = 0; c < 3; c++) add_corner(&rest[0], corner[c]);
    double low, high;
    int first, last, now = 0;
    range(&rest[0], 1, &low, &high);
    if (!reach(low, high, grid->ny, &first, &last)) return true;
    if (low < first) {
        part(&rest[0], 1, first, &row, &rest[1]);
        now = 1;
    }
    for (int y = first; y <= last && rest[now].count >= 3; y++, now ^= 1) {
        part(&rest[now], 1, y + 1, &row, &rest[now ^ 1]);
        if (row.count >= 3 && !emit_row(e, grid, y, &row)) return false;
    }
    return true;
}
