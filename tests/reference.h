/* The explicit step once more: one list of columns, one list of pipes, plain scalar loops, nothing shared with
   src/kernels or src/solver. What the library does must equal it to the bit. */
#ifndef RN_TESTS_REFERENCE_H
#define RN_TESTS_REFERENCE_H

#include <math.h>
#include <runnel/runnel.h>
#include <stdlib.h>

typedef struct ref_column {
    int x, y, layer;
    float under, base, ceil, depth;
    float slope[2], e;
    float in[4], out[4], share, kappa;
} ref_column;

typedef struct ref_pipe {
    int a, b, axis;
    float drop, flux, move;
    float height, speed; /* of this substep, before the depths change */
    bool fall;
} ref_pipe;

typedef struct reference {
    ref_column *columns;
    ref_pipe *pipes;
    int column_count, pipe_count;
    float cell, gravity, nu3, quantum, tilt[2], fastest;
    int cells_x, cells_y, layers;
    int *ordinary; /* per slot and axis, the pipe that leads from it to a column of its own layer, or -1; with advection
                      or periodic edges only if it is no fall */
    bool advected, periodic;
    uint64_t step;
} reference;

static inline float ref_sign(float value) { return value < 0.0f ? -1.0f : 1.0f; }

static inline float ref_minmod(float a, float b) {
    if (!(a * b > 0.0f)) return 0.0f;
    return fabsf(a) < fabsf(b) ? a : b;
}

static inline int *ref_ordinary(const reference *r, int layer, int y, int x, int axis) {
    return &r->ordinary[((layer * r->cells_y + y) * r->cells_x + x) * 2 + axis];
}

static inline void ref_find_ordinary(reference *r, const rn_world_info *info, const rn_world_def *def) {
    r->cells_x = info->cells_x, r->cells_y = info->cells_y, r->layers = info->layers;
    r->periodic = def->edges[0] == RN_EDGE_PERIODIC;
    const int count = 2 * r->cells_x * r->cells_y * r->layers;
    r->ordinary = calloc((size_t)count, sizeof *r->ordinary);
    for (int i = 0; i < count; i++) r->ordinary[i] = -1;
    for (int i = 0; i < r->pipe_count; i++) {
        const ref_pipe *p = &r->pipes[i];
        const ref_column *a = &r->columns[p->a];
        const bool hidden = p->fall && (r->advected || r->periodic);
        if (!hidden && a->layer == r->columns[p->b].layer) *ref_ordinary(r, a->layer, a->y, a->x, p->axis) = i;
    }
}

/* Columns of a terrain as a world of that datum and quantum sees them; depths are the world's. Walls all round
   but for periodic edges with their drops. */
static inline reference ref_create(const rn_terrain *terrain, rn_world *world, const rn_world_def *def) {
    rn_world_info info = rn_world_describe(world);
    rn_terrain_info ground = rn_terrain_describe(terrain);
    rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    const double q = info.quantum, down = -def->gravity.z;
    reference r = {.cell = (float)info.cell_size, .gravity = (float)down, .advected = def->advection};
    r.nu3 = (float)(3.0 * def->liquid.viscosity);
    r.quantum = (float)q;
    r.tilt[0] = (float)(rint(def->gravity.x / down * info.cell_size / q) * q);
    r.tilt[1] = (float)(rint(def->gravity.y / down * info.cell_size / q) * q);
    r.columns = calloc((size_t)ground.columns, sizeof *r.columns);
    r.pipes = calloc((size_t)ground.columns * 24, sizeof *r.pipes);
    int *first = calloc((size_t)(ground.cells_x * ground.cells_y) + 1, sizeof *first);
    for (int y = 0; y < ground.cells_y; y++)
        for (int x = 0; x < ground.cells_x; x++) {
            int count;
            const rn_column *given = rn_terrain_cell(terrain, x, y, &count);
            for (int layer = 0; layer < count; layer++) {
                ref_column *c = &r.columns[r.column_count++];
                c->x = x, c->y = y, c->layer = layer;
                c->kappa = (float)-log(def->friction);
                c->under =
                    isfinite(given[layer].under) ? (float)(rint((given[layer].under - info.datum) / q) * q) : -INFINITY;
                c->base = (float)(rint((given[layer].base - info.datum) / q) * q);
                c->ceil = (float)(rint((given[layer].ceil - info.datum) / q) * q);
                c->depth = depth.data[layer * depth.layer_stride + y * depth.row_stride + x];
            }
            first[y * ground.cells_x + x + 1] = r.column_count;
        }
    for (int y = 0; y < ground.cells_y; y++)
        for (int x = 0; x < ground.cells_x; x++)
            for (int axis = 0; axis < 2; axis++) {
                int nx = x + (axis == 0), ny = y + (axis == 1);
                double drop = 0.0;
                bool outside = nx == ground.cells_x || ny == ground.cells_y;
                if (outside && def->edges[2 * axis] != RN_EDGE_PERIODIC) continue;
                if (outside) drop = rint((axis == 0 ? def->drop_x : def->drop_y) / q) * q;
                nx %= ground.cells_x, ny %= ground.cells_y;
                for (int a = first[y * ground.cells_x + x]; a < first[y * ground.cells_x + x + 1]; a++)
                    for (int b = first[ny * ground.cells_x + nx]; b < first[ny * ground.cells_x + nx + 1]; b++) {
                        float bb = r.columns[b].base - (float)drop, bc = r.columns[b].ceil - (float)drop;
                        if (fmaxf(r.columns[a].base, bb) < fminf(r.columns[a].ceil, bc))
                            r.pipes[r.pipe_count++] = (ref_pipe){.a = a, .b = b, .axis = axis, .drop = (float)drop};
                    }
            }
    free(first);
    double top = 0.0;
    for (int i = 0; i < r.column_count; i++)
        if (r.columns[i].depth > 0.0f) top = fmax(top, r.columns[i].base + r.columns[i].depth);
    bool endless = def->edges[0] == RN_EDGE_PERIODIC && (def->drop_x != 0.0 || def->gravity.x != 0.0);
    double head = top + fabs(r.tilt[0]) * ground.cells_x + fabs(r.tilt[1]) * ground.cells_y;
    r.fastest = endless ? INFINITY : (float)(2.2 * sqrt(r.gravity * head));
    float(*rise)[4] = calloc((size_t)r.column_count, sizeof *rise);
    for (int i = 0; i < r.column_count; i++)
        for (int k = 0; k < 4; k++) rise[i][k] = INFINITY;
    for (int i = 0; i < r.pipe_count; i++) {
        ref_pipe *p = &r.pipes[i];
        float up = r.columns[p->b].base - p->drop - r.columns[p->a].base;
        rise[p->a][2 * p->axis] = fminf(rise[p->a][2 * p->axis], up);
        rise[p->b][2 * p->axis + 1] = fminf(rise[p->b][2 * p->axis + 1], -up);
    }
    for (int i = 0; i < r.pipe_count; i++) {
        ref_pipe *p = &r.pipes[i];
        float up = r.columns[p->b].base - p->drop - r.columns[p->a].base;
        int upper = up < 0.0f ? p->a : p->b, side = 2 * p->axis + (up < 0.0f ? 1 : 0);
        float lower = up < 0.0f ? r.columns[p->b].base - p->drop : r.columns[p->a].base + p->drop;
        float ramp = isfinite(rise[upper][side]) ? fmaxf(rise[upper][side], 0.0f) : 0.0f;
        p->fall = lower < r.columns[upper].under || fabsf(up) > r.cell + 2.0f * ramp;
    }
    free(rise);
    ref_find_ordinary(&r, &info, def);
    return r;
}

static inline void ref_destroy(reference *r) {
    free(r->ordinary);
    free(r->columns);
    free(r->pipes);
}

/* Step 0: slopes of the bed that films feel. */
static inline void ref_slopes(reference *r) {
    float(*side)[4] = calloc((size_t)r->column_count, sizeof *side);
    bool(*has)[4] = calloc((size_t)r->column_count, sizeof *has);
    for (int i = 0; i < r->pipe_count; i++) {
        const ref_pipe *p = &r->pipes[i];
        if (p->fall) continue;
        const ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
        float db = a->base - (b->base - p->drop), dh = db + (a->depth - b->depth) + r->tilt[p->axis];
        float w = ref_sign(db) * fminf(fabsf(db), 3.0f * fabsf(dh));
        float *after = &side[p->a][2 * p->axis + 1], *before = &side[p->b][2 * p->axis];
        *after = has[p->a][2 * p->axis + 1] ? ref_minmod(*after, w) : w;
        *before = has[p->b][2 * p->axis] ? ref_minmod(*before, w) : w;
        has[p->a][2 * p->axis + 1] = has[p->b][2 * p->axis] = true;
    }
    for (int i = 0; i < r->column_count; i++) {
        ref_column *c = &r->columns[i];
        for (int axis = 0; axis < 2; axis++) {
            float w = side[i][2 * axis], e = side[i][2 * axis + 1], mean = 0.5f * (w + e), slope;
            if (!has[i][2 * axis]) slope = e;
            else if (!has[i][2 * axis + 1]) slope = w;
            else if (!(w * e > 0.0f)) slope = 0.0f;
            else slope = ref_sign(mean) * fminf(2.0f * fminf(fabsf(w), fabsf(e)), fabsf(mean));
            c->slope[axis] = slope;
        }
        float per = 1.0f / r->cell, gx = c->slope[0] * per, gy = c->slope[1] * per;
        c->e = 1.0f + (gx * gx + gy * gy);
    }
    free(side);
    free(has);
}

/* Step 1: what a pipe's cross-section is high. */
static inline float ref_height(const reference *r, const ref_pipe *p) {
    const ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
    float bi = a->base, bj = b->base - p->drop;
    float top = fminf(fmaxf(bi + a->depth, bj + b->depth), fminf(a->ceil, b->ceil - p->drop));
    float up = fmaxf(top - fmaxf(bi, bj), 0.0f), mean = fminf(0.5f * (a->depth + b->depth), up);
    return p->fall ? up : mean + fminf(up - mean, 0.5f * fabsf(bi - bj));
}

/* Steps 1 to 6 for one pipe. */
static inline void ref_pipe_step(const reference *r, ref_pipe *p, float dt, float dither) {
    const ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
    const float g = r->gravity, dx = r->cell, q = r->quantum;
    float bi = a->base, bj = b->base - p->drop, di = a->depth, dj = b->depth, hi = bi + di, hj = bj + dj;
    float floor = fmaxf(bi, bj), H = ref_height(r, p), f = p->flux, dh = hi - hj + r->tilt[p->axis];
    const bool carries = r->advected && !p->fall && a->layer == b->layer;
    p->flux = p->move = 0.0f;
    p->height = H;
    if (H < 1e-6f) return;
    const ref_column *upper = dh > 0.0f ? a : b;
    float e = dh > 0.0f ? a->e : dh < 0.0f ? b->e : fminf(a->e, b->e);
    float kappa = 0.5f * (a->kappa + b->kappa), D = kappa * (H * H) + r->nu3 * e, H3 = H * H * H, m = 1.0f, v;
    if (p->fall) {
        float ledge = fmaxf(hi, floor) - fmaxf(hj, floor) + r->tilt[p->axis];
        dh = ledge != 0.0f ? ref_sign(ledge) * fminf(fabsf(dh), fabsf(ledge) + fabsf(upper->slope[p->axis])) : 0.0f;
    } else {
        float gt = upper->slope[1 - p->axis] + r->tilt[1 - p->axis], g2 = gt * gt, h2 = dh * dh;
        float phi = g2 < 3.0f * h2 ? 1.0f + g2 / h2 : g2 > 0.0f ? 4.0f : 1.0f;
        if (D > 0.0f && 10.89f * e * (phi * (f * f)) > g * (dx * dx) * H3) {
            float X = e * fabsf(f) * D, Y = g * fabsf(dh) * H3, ratio = fminf(X, Y) / fmaxf(X, Y);
            float c = 1.1f * ((r->advected ? 0.0f : 1.0f) + 2.0f * r->nu3 * e / D);
            m = (c * c) * e * (phi * (f * f)) * (ratio * ratio) / (g * (dx * dx) * H3);
            m = fminf(fmaxf(m, 1.0f), 1e6f);
            float pace = dt / dx, B = 4.0f * g * (pace * pace) * H / e - dt * D / (H * H);
            if (m * B > 1.28f) m = fmaxf(1.0f, 1.28f / B);
        }
    }
    float N = e * f + m * (dt * g * H * dh), R = N / (e * (H * H + m * (dt * kappa * (H * H) + dt * r->nu3 * e)));
    float U = H * R, speed = fabsf(U) * (1.0f / dx);
    if (!p->fall && !carries && speed > r->fastest) U = U * (r->fastest / speed);
    if (!((U > 0.0f ? di : dj) > 0.0f)) { /* a dry column gives nothing */
        p->flux = p->move = 0.0f;
        return;
    }
    p->flux = U * H;
    if (p->fall) {
        float most = (r->advected ? 0.9f : 0.54f) * dx * H * sqrtf(g * H);
        if (fabsf(p->flux) > most) p->flux = ref_sign(p->flux) * most;
        v = p->flux * (dt / (dx * dx));
    } else {
        float most = carries ? fminf(H, 2.0f * fmaxf(fmaxf(di, dj) - H, 0.0f)) : H;
        float sigma = fminf(fmaxf(ref_minmod(dh, di - dj), -most), most);
        v = U * (H + 0.5f * (U > 0.0f ? sigma : -sigma)) * (dt / (dx * dx));
    }
    bool sleeps = fabsf(dh) <= 4.0f * q && fabsf(v) <= 4.0f * q;
    float t = fminf(truncf(fabsf(v) * (1.0f / q) + (sleeps ? 0.0f : dither)), 2097152.0f) * q;
    p->move = v < 0.0f ? -t : t;
    if (sleeps) p->flux = p->move * (dx * dx / dt) + 0.0f;
}

/* Gross inflow and outflow of every column, side by side: (W + E) + (S + N). */
static inline void ref_sums(reference *r) {
    for (int i = 0; i < r->column_count; i++)
        for (int k = 0; k < 4; k++) r->columns[i].in[k] = r->columns[i].out[k] = 0.0f;
    for (int i = 0; i < r->pipe_count; i++) {
        const ref_pipe *p = &r->pipes[i];
        ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
        int ahead = 2 * p->axis, behind = ahead + 1;
        if (p->move > 0.0f) a->out[ahead] += p->move, b->in[behind] += p->move;
        else a->in[ahead] -= p->move, b->out[behind] -= p->move;
    }
}

static inline void ref_limit(reference *r, bool in) {
    ref_sums(r);
    for (int i = 0; i < r->column_count; i++) {
        ref_column *c = &r->columns[i];
        const float *s = in ? c->in : c->out;
        float sum = (s[0] + s[1]) + (s[2] + s[3]), room = in ? (c->ceil - c->base) - c->depth : c->depth;
        c->share = sum > room ? room / sum * (1.0f - 0x1p-21f) : 1.0f;
        if (in ? room <= 8.0f * r->quantum : room <= 0.0f) c->share = 0.0f;
    }
    for (int i = 0; i < r->pipe_count; i++) {
        ref_pipe *p = &r->pipes[i];
        float share = r->columns[(p->flux > 0.0f) == in ? p->b : p->a].share;
        if (share >= 1.0f) continue;
        p->move = truncf(p->move * share * (1.0f / r->quantum)) * r->quantum;
        p->flux = share > 0.0f ? p->flux * share : 0.0f;
    }
}

/* The ordinary pipe so many cells further on; NULL past walls or where there is none. */
static inline const ref_pipe *ref_pipe_at(const reference *r, int layer, int y, int x, int axis) {
    if (r->periodic) x = (x + r->cells_x) % r->cells_x, y = (y + r->cells_y) % r->cells_y;
    if (x < 0 || y < 0 || x >= r->cells_x || y >= r->cells_y) return NULL;
    int found = *ref_ordinary(r, layer, y, x, axis);
    return found < 0 ? NULL : &r->pipes[found];
}

static inline float ref_move(const ref_pipe *p) { return p ? p->move : 0.0f; }
static inline float ref_speed(const ref_pipe *p) { return p ? p->speed : 0.0f; }

/* Step 9: Stelling and Duinmeijer's upwind advection of the speed through one pipe. */
static inline void ref_advect(const reference *r, ref_pipe *p) {
    const ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
    const int l = a->layer, x = a->x, y = a->y, axis = p->axis, ax = axis == 0, ay = axis == 1;
    const ref_pipe *behind = ref_pipe_at(r, l, y - ay, x - ax, axis), *ahead = ref_pipe_at(r, l, y + ay, x + ax, axis);
    const ref_pipe *right = ref_pipe_at(r, l, y - ax, x - ay, axis), *left = ref_pipe_at(r, l, y + ax, x + ay, axis);
    float from_right = ref_move(ref_pipe_at(r, l, y - ax, x - ay, 1 - axis)) +
                       ref_move(ref_pipe_at(r, l, y - ax + ay, x - ay + ax, 1 - axis));
    float to_left = ref_move(ref_pipe_at(r, l, y, x, 1 - axis)) + ref_move(ref_pipe_at(r, l, y + ay, x + ax, 1 - axis));
    float in[4] = {fmaxf(ref_move(behind) + p->move, 0.0f), fmaxf(-(p->move + ref_move(ahead)), 0.0f),
                   fmaxf(from_right, 0.0f), fmaxf(-to_left, 0.0f)};
    float u = p->speed, H = ref_height(r, p);
    float along = in[0] * (ref_speed(behind) - u) + in[1] * (ref_speed(ahead) - u);
    float across = in[2] * (ref_speed(right) - u) + in[3] * (ref_speed(left) - u);
    p->flux = H < 1e-6f ? 0.0f : r->cell * H * (u + (along + across) / (a->depth + b->depth)) + 0.0f;
}

static inline bool ref_is_ordinary(const reference *r, int i) {
    const ref_column *a = &r->columns[r->pipes[i].a];
    return *ref_ordinary(r, a->layer, a->y, a->x, r->pipes[i].axis) == i;
}

static inline void ref_step(reference *r, float dt) {
    float dither = (float)(((uint32_t)r->step * 2654435769u) >> 8) * 0x1p-24f;
    ref_slopes(r);
    for (int i = 0; i < r->pipe_count; i++) ref_pipe_step(r, &r->pipes[i], dt, dither);
    ref_limit(r, true);
    ref_limit(r, false);
    for (int i = 0; i < r->pipe_count; i++) {
        ref_pipe *p = &r->pipes[i];
        r->columns[p->a].depth -= p->move;
        r->columns[p->b].depth += p->move;
        p->speed = p->height < 1e-6f ? 0.0f : p->flux / (r->cell * p->height);
    }
    for (int i = 0; r->advected && i < r->pipe_count; i++)
        if (ref_is_ordinary(r, i)) ref_advect(r, &r->pipes[i]);
    r->step++;
}

#endif
