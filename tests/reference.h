/* The paper's step once more: one list of columns, one list of pipes, plain scalar loops, nothing shared with
   src/kernels or src/solver. What the library does with RN_MODEL_PAPER must equal it to the bit. */
#ifndef RN_TESTS_REFERENCE_H
#define RN_TESTS_REFERENCE_H

#include <math.h>
#include <runnel/runnel.h>
#include <stdlib.h>

typedef struct ref_column {
    int x, y, layer;
    float under, base, ceil, depth;
    float in[4], out[4], share;
} ref_column;

typedef struct ref_pipe {
    int a, b, axis;
    float drop, flux, move;
} ref_pipe;

typedef struct reference {
    ref_column *columns;
    ref_pipe *pipes;
    int column_count, pipe_count;
    float cell, gravity, nu3, quantum, tilt[2];
    double kappa; /* 1/s */
    int cells_x, cells_y, layers;
    int *ordinary; /* per slot and axis, the pipe that leads from it to a column of its own layer, or -1 */
    uint64_t step;
} reference;

static inline float ref_sign(float value) { return value < 0.0f ? -1.0f : 1.0f; }

static inline int *ref_ordinary(const reference *r, int layer, int y, int x, int axis) {
    return &r->ordinary[((layer * r->cells_y + y) * r->cells_x + x) * 2 + axis];
}

static inline void ref_find_ordinary(reference *r, const rn_world_info *info) {
    r->cells_x = info->cells_x, r->cells_y = info->cells_y, r->layers = info->layers;
    const int count = 2 * r->cells_x * r->cells_y * r->layers;
    r->ordinary = calloc((size_t)count, sizeof *r->ordinary);
    for (int i = 0; i < count; i++) r->ordinary[i] = -1;
    for (int i = 0; i < r->pipe_count; i++) {
        const ref_pipe *p = &r->pipes[i];
        const ref_column *a = &r->columns[p->a];
        if (a->layer == r->columns[p->b].layer) *ref_ordinary(r, a->layer, a->y, a->x, p->axis) = i;
    }
}

/* Columns of a terrain as a world of that datum and quantum sees them; depths are the world's. Walls all round
   but for periodic edges with their drops. */
static inline reference ref_create(const rn_terrain *terrain, rn_world *world, const rn_world_def *def) {
    rn_world_info info = rn_world_describe(world);
    rn_terrain_info ground = rn_terrain_describe(terrain);
    rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    const double q = info.quantum, down = -def->gravity.z;
    reference r = {.cell = (float)info.cell_size, .gravity = (float)down, .kappa = (float)-log(def->friction)};
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
    ref_find_ordinary(&r, &info);
    return r;
}

static inline void ref_destroy(reference *r) {
    free(r->ordinary);
    free(r->columns);
    free(r->pipes);
}

/* Dagenais et al. 2018, Eq. 1 and 5. */
static inline void ref_pipe_step(const reference *r, ref_pipe *p, float dt, float kept, float dither) {
    const ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
    const float dx = r->cell, q = r->quantum, bi = a->base, bj = b->base - p->drop;
    const float hi = bi + a->depth, hj = bj + b->depth, dh = hi - hj + r->tilt[p->axis];
    const float top = fminf(fmaxf(hi, hj), fminf(a->ceil, b->ceil - p->drop)), room = top - fmaxf(bi, bj);
    const float f = kept * p->flux + dt * r->gravity * dx * dh, H = f > 0.0f ? a->depth : b->depth;
    p->flux = p->move = 0.0f;
    if (!(room > 0.0f && H > 0.0f)) return;
    p->flux = f * (H * H / (H * H + dt * r->nu3));
    const float v = p->flux * (dt / (dx * dx));
    const bool sleeps = fabsf(dh) <= 4.0f * q && fabsf(v) <= 4.0f * q;
    const float t = fminf(truncf(fabsf(v) * (1.0f / q) + (sleeps ? 0.0f : dither)), 2097152.0f) * q;
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

static inline void ref_step(reference *r, float dt) {
    const float dither = (float)(((uint32_t)r->step * 2654435769u) >> 8) * 0x1p-24f;
    const float kept = (float)exp(-r->kappa * dt);
    for (int i = 0; i < r->pipe_count; i++) ref_pipe_step(r, &r->pipes[i], dt, kept, dither);
    ref_limit(r, true);
    ref_limit(r, false);
    for (int i = 0; i < r->pipe_count; i++) {
        const ref_pipe *p = &r->pipes[i];
        r->columns[p->a].depth -= p->move;
        r->columns[p->b].depth += p->move;
    }
    r->step++;
}

#endif
