#include "bodies/raster.h"

#include "base/maths.h"
#include "bodies/emit.h"
#include "bodies/shape.h"
#include "bodies/turn.h"

#define THIRD (1.0 / 3.0)

void rn_raster_place(const rn_shape *shape, rn_vec3 at, rn_quat turn, double *positions) {
    double rows[3][3];
    rn_turn_rows(turn, rows);
    const float *from = shape->positions;
    for (uint32_t v = 0; v < shape->info.vertex_count; v++, from += 3, positions += 3) {
        const rn_vec3 p = rn_turn_point(rows, (rn_vec3){(double)from[0], (double)from[1], (double)from[2]});
        positions[0] = p.x + at.x;
        positions[1] = p.y + at.y;
        positions[2] = p.z + at.z;
    }
}

/* ---- Small triangles: over at most two cells each way, they need no corners but sums ----

   What is done to one would be little but for branches that no processor foresees. So they are looked at many at a
   time and then done kind by kind. */

/* Twice the area, positive if it looks down, and that times height. */
typedef struct amount {
    double area, moment;
} amount;

/* How a line parts a triangle: one corner, p, is alone on its side; t and u are where the edges to q and r cross. */
typedef struct split {
    const double *p, *q, *r;
    double t, u;
    int side; /* of p, or of all: 1 is past the line */
} split;

/* False: all corners are on one side, and t and u mean nothing. */
static inline bool find_split(double v[3][3], int axis, double line, split *s) {
    static const uint8_t alone[8] = {0, 0, 1, 2, 2, 1, 0, 0}, following[3] = {1, 2, 0};
    const int past = (v[0][axis] >= line) | (v[1][axis] >= line) << 1 | (v[2][axis] >= line) << 2;
    const int p = alone[past];
    s->side = past >> p & 1;
    s->p = v[p];
    s->q = v[following[p]];
    s->r = v[following[following[p]]];
    const double to_q = s->q[axis] - s->p[axis], to_r = s->r[axis] - s->p[axis];
    const double share = (line - s->p[axis]) / (to_q * to_r);
    s->t = share * to_r;
    s->u = share * to_q;
    return (past != 0) & (past != 7);
}

/* Adds a triangle of twice that area to what is before a line across an axis, and what is past it. */
static inline void share_out(double v[3][3], double twice, int axis, double line, amount to[2]) {
    split s;
    const bool parted = find_split(v, axis, line, &s);
    const double t = parted ? s.t : 1, u = parted ? s.u : 1, z = s.p[2];
    const double moment = twice * (v[0][2] + v[1][2] + v[2][2]) * THIRD, area = twice * t * u;
    const double part = area * (z + (t * (s.q[2] - z) + u * (s.r[2] - z)) * THIRD);
    amount *of = to + s.side, *rest = to + !s.side;
    of->area += area;
    of->moment += part;
    rest->area += twice - area;
    rest->moment += moment - part;
}

/* What a line cuts off a triangle is a triangle, and what it leaves is two. */
typedef struct parts {
    double v[3][3][3], twice[3];
    int side[3];
} parts;

static void part_triangle(double v[3][3], double twice, int axis, double line, parts *to) {
    split s;
    const bool parted = find_split(v, axis, line, &s);
    const double t = parted ? s.t : 1, u = parted ? s.u : 1;
    for (int k = 0; k < 3; k++) {
        const double p = s.p[k], q = s.q[k], r = s.r[k], m = p + t * (q - p), n = p + u * (r - p);
        to->v[0][0][k] = p;
        to->v[0][1][k] = to->v[1][0][k] = to->v[2][0][k] = m;
        to->v[0][2][k] = to->v[2][2][k] = n;
        to->v[1][1][k] = q;
        to->v[1][2][k] = to->v[2][1][k] = r;
    }
    to->twice[0] = twice * t * u;
    to->twice[1] = twice * (1 - t);
    to->twice[2] = twice * t * (1 - u);
    to->side[0] = s.side;
    to->side[1] = to->side[2] = !s.side;
}

/* Among two rows of two cells each. */
static void share_out_rows(double v[3][3], double twice, double line_x, double line_y, amount to[4]) {
    parts p;
    part_triangle(v, twice, 1, line_y, &p);
    for (int i = 0; i < 3; i++) share_out(p.v[i], p.twice[i], 0, line_x, to + 2 * p.side[i]);
}

enum { TOGETHER = 128 };

/* The first eight in this order: 1 more for two cells along x, 2 more for two along y, 4 more for two slices. */
typedef enum kind {
    ONE,
    ACROSS,
    ALONG,
    FOUR, /* or three of them */
    UPRIGHT,
    UPRIGHT_ACROSS,
    UPRIGHT_ALONG,
    UPRIGHT_FOUR,
    WIDE,    /* none of these */
    NOTHING, /* off the grid, or without area from above */
    KINDS,
} kind;

/* Triangles side by side, so that a loop over them needs no branches. */
typedef struct batch {
    double x[3][TOGETHER], y[3][TOGETHER], z[3][TOGETHER]; /* their corners: cells, cells, m */
    double left[TOGETHER], right[TOGETHER], front[TOGETHER], back[TOGETHER], low[TOGETHER], high[TOGETHER];
    double twice[TOGETHER]; /* their areas */
    uint8_t of[KINDS][TOGETHER];
    int count[KINDS];
} batch;

/* A triangle from a batch, and where it begins. */
typedef struct small {
    double v[3][3]; /* x and y in cells, z in m */
    double twice, low, high;
    int x, y, cell;
} small;

static void bound(double corner[3][TOGETHER], double *low, double *high) {
    for (int i = 0; i < TOGETHER; i++) {
        const double a = corner[0][i], b = corner[1][i], c = corner[2][i];
        low[i] = rn_least3(a, b, c);
        high[i] = rn_most3(a, b, c);
    }
}

static void measure(batch *b) {
    bound(b->x, b->left, b->right);
    bound(b->y, b->front, b->back);
    bound(b->z, b->low, b->high);
    for (int i = 0; i < TOGETHER; i++) {
        b->twice[i] = (b->x[2][i] - b->x[0][i]) * (b->y[1][i] - b->y[0][i]) -
                      (b->x[1][i] - b->x[0][i]) * (b->y[2][i] - b->y[0][i]);
    }
}

static kind kind_of(const rn_raster_grid *grid, const batch *b, uint32_t i) {
    const double left = b->left[i], right = b->right[i], front = b->front[i], back = b->back[i];
    const double nx = grid->nx, ny = grid->ny, slice = RN_SLICE * grid->cell, rise = b->high[i] - b->low[i];
    if (!((b->twice[i] != 0) & (right > 0) & (left < nx) & (back > 0) & (front < ny))) return NOTHING;
    if (!((left >= 0) & (front >= 0) & (right <= nx) & (back <= ny))) return WIDE;
    const int x = (int)left, y = (int)front;
    if ((right > x + 2) | (back > y + 2) | (rise > 2 * slice)) return WIDE;
    return (kind)((right > x + 1) | (back > y + 1) << 1 | (rise > slice) << 2);
}

static void corners_of(const batch *b, int i, double v[3][3]) {
    for (int c = 0; c < 3; c++) {
        v[c][0] = b->x[c][i];
        v[c][1] = b->y[c][i];
        v[c][2] = b->z[c][i];
    }
}

static inline small take(const batch *b, int nx, kind k, int number) {
    const int i = b->of[k][number], x = (int)b->left[i], y = (int)b->front[i];
    small s = {.twice = b->twice[i], .low = b->low[i], .high = b->high[i], .x = x, .y = y, .cell = y * nx + x};
    corners_of(b, i, s.v);
    return s;
}

/* One more step if it covers anything. */
static inline void put(rn_steps *steps, const small *s, int cell, const amount *a) {
    if (a->area == 0) return;
    const double height = rn_clamp(a->moment / a->area, s->low, s->high);
    steps->list[steps->count++] = (rn_step_up){cell, (float)height, (float)(a->area / 2)};
}

static void put_four(rn_steps *steps, int nx, const small *s, const amount sums[4]) {
    put(steps, s, s->cell, &sums[0]);
    put(steps, s, s->cell + 1, &sums[1]);
    put(steps, s, s->cell + nx, &sums[2]);
    put(steps, s, s->cell + nx + 1, &sums[3]);
}

/* In two cells, or two slices of one: what a line cuts off, and the rest, whose step is in a cell further on by `next`
   if it is past the line. */
static inline void put_halves(rn_steps *steps, small *s, int axis, double line, int next) {
    split at;
    find_split(s->v, axis, line, &at);
    const double z = at.p[2], part = at.t * at.u, mean = (s->v[0][2] + s->v[1][2] + s->v[2][2]) * THIRD;
    const double height = z + (at.t * (at.q[2] - z) + at.u * (at.r[2] - z)) * THIRD;
    const double rest = (mean - part * height) / (1 - part), other = part < 1 ? rn_clamp(rest, s->low, s->high) : z;
    rn_step_up *to = steps->list + steps->count;
    to[0] = (rn_step_up){s->cell + at.side * next, (float)height, (float)(s->twice * part / 2)};
    to[1] = (rn_step_up){s->cell + !at.side * next, (float)other, (float)(s->twice * (1 - part) / 2)};
    /* Without asking whether both cover anything: the next triangle would have to wait for the answer. */
    steps->count += 2;
}

static void put_few(rn_steps *steps, int nx, const batch *b) {
    for (int n = 0; n < b->count[ONE]; n++) {
        const int i = b->of[ONE][n], cell = (int)b->front[i] * nx + (int)b->left[i];
        const double mean = (b->z[0][i] + b->z[1][i] + b->z[2][i]) * THIRD;
        steps->list[steps->count++] = (rn_step_up){cell, (float)mean, (float)(b->twice[i] / 2)};
    }
    for (int n = 0; n < b->count[ACROSS]; n++) {
        small s = take(b, nx, ACROSS, n);
        put_halves(steps, &s, 0, s.x + 1, 1);
    }
    for (int n = 0; n < b->count[ALONG]; n++) {
        small s = take(b, nx, ALONG, n);
        put_halves(steps, &s, 1, s.y + 1, nx);
    }
    for (int n = 0; n < b->count[UPRIGHT]; n++) {
        small s = take(b, nx, UPRIGHT, n);
        put_halves(steps, &s, 2, (s.low + s.high) / 2, 0);
    }
}

/* In up to four, and in two slices of each. */
static void put_many(rn_steps *steps, int nx, const batch *b) {
    for (int n = 0; n < b->count[FOUR]; n++) {
        small s = take(b, nx, FOUR, n);
        amount sums[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
        share_out_rows(s.v, s.twice, s.x + 1, s.y + 1, sums);
        put_four(steps, nx, &s, sums);
    }
    for (int n = 0; n < b->count[UPRIGHT_FOUR]; n++) {
        small s = take(b, nx, UPRIGHT_FOUR, n);
        amount sums[2][4] = {{{0, 0}}, {{0, 0}}};
        parts p;
        part_triangle(s.v, s.twice, 2, (s.low + s.high) / 2, &p);
        for (int k = 0; k < 3; k++) share_out_rows(p.v[k], p.twice[k], s.x + 1, s.y + 1, sums[p.side[k]]);
        for (int k = 0; k < 2; k++) put_four(steps, nx, &s, sums[k]);
    }
}

/* In two cells along an axis, and two slices of each. */
static void put_sliced(rn_steps *steps, int nx, const batch *b, int axis) {
    const kind k = axis == 0 ? UPRIGHT_ACROSS : UPRIGHT_ALONG;
    for (int n = 0; n < b->count[k]; n++) {
        small s = take(b, nx, k, n);
        amount sums[2][2] = {{{0, 0}}, {{0, 0}}};
        parts p;
        part_triangle(s.v, s.twice, 2, (s.low + s.high) / 2, &p);
        for (int i = 0; i < 3; i++) {
            share_out(p.v[i], p.twice[i], axis, (axis == 0 ? s.x : s.y) + 1, sums[p.side[i]]);
        }
        for (int i = 0; i < 4; i++) put(steps, &s, s.cell + (i & 1) * (axis == 0 ? 1 : nx), &sums[i / 2][i & 1]);
    }
}

/* Steps that all but wide ones give at most. */
static size_t room_for(const batch *b) {
    static const int most[KINDS] = {1, 2, 2, 4, 2, 4, 4, 8};
    int room = 0;
    for (int k = 0; k < KINDS; k++) room += most[k] * b->count[k];
    return (size_t)room;
}

bool rn_raster_cells(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, const rn_hooks *hooks,
                     rn_steps *steps) {
    const rn_emitter e = {hooks, steps};
    const double per_cell = 1 / grid->cell;
    const uint32_t *corner = shape->indices;
    batch b = {.count = {0}};
    for (uint32_t left = shape->info.triangle_count, now; left > 0; left -= now) {
        now = left < TOGETHER ? left : TOGETHER;
        for (uint32_t i = 0; i < now; i++) {
            for (int c = 0; c < 3; c++) {
                const double *at = positions + 3 * (size_t)*corner++;
                b.x[c][i] = (at[0] - grid->origin_x) * per_cell;
                b.y[c][i] = (at[1] - grid->origin_y) * per_cell;
                b.z[c][i] = at[2];
            }
        }
        measure(&b);
        for (int k = 0; k < KINDS; k++) b.count[k] = 0;
        for (uint32_t i = 0; i < now; i++) {
            const kind k = kind_of(grid, &b, i);
            b.of[k][b.count[k]++] = (uint8_t)i;
        }
        if (!rn_emit_room(&e, room_for(&b))) return false;
        put_few(steps, grid->nx, &b);
        put_many(steps, grid->nx, &b);
        for (int axis = 0; axis < 2; axis++) put_sliced(steps, grid->nx, &b, axis);
        for (int n = 0; n < b.count[WIDE]; n++) {
            double v[3][3];
            corners_of(&b, b.of[WIDE][n], v);
            if (!rn_raster_wide(&e, grid, v)) return false;
        }
    }
    return true;
}
