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
    s->t = (line - s->p[axis]) / (s->q[axis] - s->p[axis]);
    s->u = (line - s->p[axis]) / (s->r[axis] - s->p[axis]);
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

/* So many are looked at together, and give at most so many steps each without rn_emit. */
enum { TOGETHER = 128, MOST_EACH = 8 };

typedef enum kind {
    ONE,     /* in one cell */
    ACROSS,  /* in two along x */
    ALONG,   /* in two along y */
    FOUR,    /* in two by two, or three of them */
    STEEP,   /* the same, or fewer, but in two slices */
    WIDE,    /* none of these */
    NOTHING, /* off the grid, or upright */
    KINDS,
} kind;

typedef struct small {
    double v[3][3]; /* x and y in cells, z in m */
    double twice;   /* its area */
    double low, high;
    int x, y; /* its first cell */
} small;

typedef struct batch {
    small list[TOGETHER];
    uint8_t of[KINDS][TOGETHER];
    int count[KINDS];
} batch;

static kind look_at(const rn_raster_grid *grid, small *s) {
    double(*v)[3] = s->v;
    s->twice = (v[2][0] - v[0][0]) * (v[1][1] - v[0][1]) - (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]);
    const double left = rn_least3(v[0][0], v[1][0], v[2][0]), right = rn_most3(v[0][0], v[1][0], v[2][0]);
    const double front = rn_least3(v[0][1], v[1][1], v[2][1]), back = rn_most3(v[0][1], v[1][1], v[2][1]);
    s->low = rn_least3(v[0][2], v[1][2], v[2][2]);
    s->high = rn_most3(v[0][2], v[1][2], v[2][2]);
    if (!((s->twice != 0) & (right > 0) & (left < grid->nx) & (back > 0) & (front < grid->ny))) return NOTHING;
    if (!((left >= 0) & (front >= 0) & (right <= grid->nx) & (back <= grid->ny))) return WIDE;
    s->x = (int)left;
    s->y = (int)front;
    const double slice = RN_SLICE * grid->cell, rise = s->high - s->low;
    if ((right > s->x + 2) | (back > s->y + 2) | (rise > 2 * slice)) return WIDE;
    const int reach = (right > s->x + 1) + 2 * (back > s->y + 1);
    return rise > slice ? STEEP : (kind)reach;
}

/* One more step if it covers anything. */
static inline void put(rn_steps *steps, const small *s, int cell, const amount *a) {
    const double height = rn_clamp(a->moment / a->area, s->low, s->high);
    steps->list[steps->count] = (rn_step_up){cell, (float)height, (float)(a->area / 2)};
    steps->count += a->area != 0;
}

static void put_four(rn_steps *steps, int nx, const small *s, const amount sums[4]) {
    const int cell = s->y * nx + s->x;
    put(steps, s, cell, &sums[0]);
    put(steps, s, cell + 1, &sums[1]);
    put(steps, s, cell + nx, &sums[2]);
    put(steps, s, cell + nx + 1, &sums[3]);
}

static void put_small(rn_steps *steps, int nx, batch *b) {
    for (int i = 0; i < b->count[ONE]; i++) {
        const small *s = &b->list[b->of[ONE][i]];
        const double height = (s->v[0][2] + s->v[1][2] + s->v[2][2]) * THIRD;
        steps->list[steps->count++] = (rn_step_up){s->y * nx + s->x, (float)height, (float)(s->twice / 2)};
    }
    for (int axis = 0; axis < 2; axis++) {
        const kind k = axis == 0 ? ACROSS : ALONG;
        for (int i = 0; i < b->count[k]; i++) {
            small *s = &b->list[b->of[k][i]];
            const int cell = s->y * nx + s->x;
            amount sums[2] = {{0, 0}, {0, 0}};
            share_out(s->v, s->twice, axis, (axis == 0 ? s->x : s->y) + 1, sums);
            put(steps, s, cell, &sums[0]);
            put(steps, s, cell + (axis == 0 ? 1 : nx), &sums[1]);
        }
    }
    for (int i = 0; i < b->count[FOUR]; i++) {
        small *s = &b->list[b->of[FOUR][i]];
        amount sums[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
        share_out_rows(s->v, s->twice, s->x + 1, s->y + 1, sums);
        put_four(steps, nx, s, sums);
    }
    for (int i = 0; i < b->count[STEEP]; i++) {
        small *s = &b->list[b->of[STEEP][i]];
        amount sums[2][4] = {{{0, 0}}, {{0, 0}}};
        parts p;
        part_triangle(s->v, s->twice, 2, (s->low + s->high) / 2, &p);
        for (int k = 0; k < 3; k++) share_out_rows(p.v[k], p.twice[k], s->x + 1, s->y + 1, sums[p.side[k]]);
        for (int k = 0; k < 2; k++) put_four(steps, nx, s, sums[k]);
    }
}

bool rn_raster_cells(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, const rn_hooks *hooks,
                     rn_steps *steps) {
    const rn_emitter e = {hooks, steps};
    const double per_cell = 1 / grid->cell;
    const uint32_t *triangle = shape->indices;
    for (uint32_t left = shape->info.triangle_count, now; left > 0; left -= now) {
        now = left < TOGETHER ? left : TOGETHER;
        if (!rn_emit_room(&e, now * MOST_EACH)) return false;
        batch b;
        for (int k = 0; k < KINDS; k++) b.count[k] = 0;
        for (uint32_t i = 0; i < now; i++, triangle += 3) {
            rn_corners(grid, per_cell, positions, triangle, b.list[i].v);
            const kind k = look_at(grid, &b.list[i]);
            b.of[k][b.count[k]++] = (uint8_t)i;
        }
        put_small(steps, grid->nx, &b);
        for (int i = 0; i < b.count[WIDE]; i++) {
            if (!rn_raster_wide(&e, grid, b.list[b.of[WIDE][i]].v)) return false;
        }
    }
    return true;
}
