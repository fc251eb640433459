/* Numbers for docs/paper.md: both models, measured by running the library, and what theory says.
   Prints CSV: plot,series,x,y */
#include "kernels/face.h"
#include "physics/physics.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static const char *const model_name[] = {[RN_MODEL_PHYSICAL] = "physical", [RN_MODEL_PAPER] = "paper"};

static void print(const char *plot, const char *series, double x, double y) {
    printf("%s,%s,%.9g,%.9g\n", plot, series, x, y);
}

/* The first mode of a closed canal: its period is 2L/c. */
static double wave_speed(rn_model model, double cell, double H) {
    enum { N = 100 };
    const double c = sqrt(GRAVITY * (model == RN_MODEL_PAPER ? cell : H)), dt = 0.1 * cell / c;
    double depth[N], crossing[3], before = 1.0;
    for (int i = 0; i < N; i++) depth[i] = H * (1.0 + 1e-3 * cos(PI * (i + 0.5) / N));
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .lid = 2.0 * H, .model = model});
    set_depths(world, depth);
    for (int step = 1, count = 0; count < 3; step++) {
        rn_world_step(world, dt);
        double mode = 0.0;
        for (int i = 0; i < N; i++) mode += (depth_at(world, i, 0) - H) * cos(PI * (i + 0.5) / N);
        if ((mode > 0.0) != (before > 0.0)) crossing[count++] = step * dt - dt * mode / (mode - before);
        before = mode;
    }
    rn_world_destroy(world);
    return 2.0 * N * cell / (crossing[2] - crossing[0]);
}

static void waves(void) {
    const double cell = 0.01;
    for (int i = 0; i <= 12; i++) {
        double H = 0.001 * pow(200.0, i / 12.0);
        print("waves", "theory", H, sqrt(GRAVITY * H));
        print("waves", "physical", H, wave_speed(RN_MODEL_PHYSICAL, cell, H));
        print("waves", "paper", H, wave_speed(RN_MODEL_PAPER, cell, H));
    }
}

/* Down an endless plane, once gravity and viscosity balance. */
static double film_speed(rn_model model, double cell, double S, double H, double nu) {
    enum { N = 40 };
    double heights[N], depth[N];
    for (int i = 0; i < N; i++) {
        heights[i] = S * cell * (N - 1 - i);
        depth[i] = H;
    }
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = 1,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = S * cell * N + 0.01,
                                          .viscosity = nu,
                                          .periodic_x = true,
                                          .drop_x = S * cell * N,
                                          .model = model});
    set_depths(world, depth);
    for (double t = 0.0; t < 6.0 * H * H / nu + 0.01; t += 1e-4) rn_world_step(world, 1e-4);
    double speed = rn_world_view(world, RN_FIELD_FLUX_X).data[5] / (cell * H);
    rn_world_destroy(world);
    return speed;
}

static void films(void) {
    const double S = 0.05, nu = 4e-5, cell = 1e-3;
    for (int i = 0; i <= 10; i++) {
        double H = 1e-4 * pow(40.0, i / 10.0);
        print("films", "theory", H, GRAVITY * S * H * H / (3.0 * nu * (1.0 + S * S) * (1.0 + S * S)));
        print("films", "physical", H, film_speed(RN_MODEL_PHYSICAL, cell, S, H, nu));
        print("films", "paper", H, film_speed(RN_MODEL_PAPER, cell, S, H, nu));
    }
}

/* What one pipe between level columns keeps of its flux in a step of 3 ms, over Fig. 3's ranges of depth and
   viscosity. */
static void coefficient(void) {
    const double dt = 3e-3, viscosities[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    for (int k = 0; k < 6; k++) {
        char series[32];
        snprintf(series, sizeof series, "%g", viscosities[k]);
        for (int i = 0; i <= 100; i++) {
            const double H = 5e-5 * pow(100.0, i / 100.0);
            rn_step_params params = {.cell = 0.01f,
                                     .dt = (float)dt,
                                     .gravity = 9.81f,
                                     .nu3 = (float)(3.0 * viscosities[k]),
                                     .quantum = 1e-12f,
                                     .per_quantum = 1e12f,
                                     .friction_factor = 1.0f,
                                     .kick_dt = (float)dt,
                                     .most_speed = 1.0f};
            rn_wide h = rn_splat((float)H), none = rn_splat(0.0f), f = rn_splat(1e-3f);
            rn_ends level = {none, h, rn_splat(1.0f), none, h, rn_splat(1.0f)};
            print("coefficient", series, H, rn_pipe_paper(&params, &level, none, f).f[0] / 1e-3);
            const rn_face face = {.hl = h, .hr = h, .u = f};
            const rn_force force = rn_face_force(&params, &face, none, (rn_face_kind){0});
            if (i % 10 == 0) print("coefficient", "physical", H, (force.pushed * force.kept)[0] / 1e-3);
        }
    }
}

/* The largest substep that the library takes, on the same 10 cm with more and more cells. */
static void stable_steps(void) {
    const double side = 0.1, H = 0.01;
    for (int cells = 25; cells <= 400; cells *= 2)
        for (int model = 0; model < 2; model++) {
            double cell = side / cells;
            rn_world *world =
                make_world(&(setup){.nx = cells, .ny = cells, .cell = cell, .lid = 0.05, .model = (rn_model)model});
            rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = H});
            rn_world_step(world, 1e-6);
            print("steps", model_name[model], cells, rn_world_get_stats(world).limit);
            print("steps", model == RN_MODEL_PAPER ? "paper bound" : "physical bound", cells,
                  sqrt(model == RN_MODEL_PAPER ? cell / (2.0 * GRAVITY) : cell * cell / (2.0 * GRAVITY * H)));
            rn_world_destroy(world);
        }
}

/* ---- The papers' limits, on random stacks of columns, against runnel's ---- */

/* Eq. 1 and 5, as metres of the column's depth. */
static void push(reference *r, float dt, float kept) {
    for (int i = 0; i < r->pipe_count; i++) {
        ref_pipe *p = &r->pipes[i];
        const ref_column *a = &r->columns[p->a], *b = &r->columns[p->b];
        float dh = (a->base + a->depth) - (b->base + b->depth);
        float f = kept * p->flux + dt * r->gravity * r->cell * dh, H = f > 0.0f ? a->depth : b->depth;
        float top = fminf(fmaxf(a->base + a->depth, b->base + b->depth), fminf(a->ceil, b->ceil));
        p->flux = top > fmaxf(a->base, b->base) && H > 0.0f ? f * (H * H / (H * H + dt * r->nu3)) : 0.0f;
        p->move = p->flux * dt / (r->cell * r->cell);
    }
}

static float sum_of(const float *s) { return (s[0] + s[1]) + (s[2] + s[3]); }

static void scale(reference *r, bool in) {
    for (int i = 0; i < r->pipe_count; i++) {
        ref_pipe *p = &r->pipes[i];
        float share = r->columns[(p->flux > 0.0f) == in ? p->b : p->a].share;
        p->move *= share;
        p->flux *= share;
    }
}

/* Outflow after Mei et al. 2007: K = min(1, depth/outflow). Then inflow after Kellomaki 2014, section 3.5: with the
   overlap that the net flow would leave, K = (inflow - overlap)/inflow. */
static void limit_as_printed(reference *r) {
    ref_sums(r);
    for (int i = 0; i < r->column_count; i++) {
        float out = sum_of(r->columns[i].out), depth = fmaxf(r->columns[i].depth, 0.0f);
        r->columns[i].share = out > depth ? depth / out : 1.0f;
    }
    scale(r, false);
    ref_sums(r);
    for (int i = 0; i < r->column_count; i++) {
        ref_column *c = &r->columns[i];
        float in = sum_of(c->in), overlap = c->depth + in - sum_of(c->out) - (c->ceil - c->base);
        c->share = in > 0.0f && overlap > 0.0f ? fmaxf(in - overlap, 0.0f) / in : 1.0f;
    }
    scale(r, true);
}

typedef struct tally {
    long overfull, pipes, unlike;
    double worst, lost, held; /* m, and column metres that would have to be cut off, out of all */
} tally;

static reference random_world(uint32_t seed) {
    rn_terrain *terrain = random_stacks(16, 3, 1e-3, seed, STACKS_PLAIN);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.liquid.viscosity = 4e-6;
    rn_world *world = NULL;
    if (rn_world_create(&def, &world) != RN_OK) exit(1);
    reference r = ref_create(terrain, world, &def);
    rn_world_destroy(world);
    rn_terrain_destroy(terrain);
    for (int i = 0; i < r.column_count; i++) {
        ref_column *c = &r.columns[i];
        double room = fmin(c->ceil - c->base, 0.008), share = random_unit(&seed);
        c->depth = (float)(share < 0.3 ? 0.0 : share > 0.85 ? room : room * random_unit(&seed));
    }
    return r;
}

static void count_overfull(reference *r, tally *t) {
    for (int i = 0; i < r->column_count; i++) {
        ref_column *c = &r->columns[i];
        double over = c->depth - (c->ceil - c->base);
        t->held += c->depth;
        if (over <= 1e-7) continue;
        t->overfull++;
        t->worst = fmax(t->worst, over);
        t->lost += over;
        c->depth = c->ceil - c->base; /* "only water equal to the free portion is allowed" */
    }
}

/* How many pipes runnel's limits treat otherwise than the printed ones, in the same state. */
static void compare_limits(const reference *r, tally *t) {
    reference ours = *r;
    ours.columns = malloc((size_t)r->column_count * sizeof *ours.columns);
    ours.pipes = malloc((size_t)r->pipe_count * sizeof *ours.pipes);
    if (!ours.columns || !ours.pipes) exit(1);
    memcpy(ours.columns, r->columns, (size_t)r->column_count * sizeof *ours.columns);
    memcpy(ours.pipes, r->pipes, (size_t)r->pipe_count * sizeof *ours.pipes);
    reference theirs = ours;
    theirs.pipes = malloc((size_t)r->pipe_count * sizeof *ours.pipes);
    if (!theirs.pipes) exit(1);
    memcpy(theirs.pipes, r->pipes, (size_t)r->pipe_count * sizeof *ours.pipes);
    limit_as_printed(&theirs);
    ref_limit(&ours, true);
    ref_limit(&ours, false);
    for (int i = 0; i < r->pipe_count; i++) {
        float a = ours.pipes[i].move, b = theirs.pipes[i].move;
        if (r->pipes[i].move == 0.0f) continue;
        t->pipes++;
        t->unlike += fabsf(a - b) > 4.0f * r->quantum + 1e-3f * fabsf(b);
    }
    free(ours.columns);
    free(ours.pipes);
    free(theirs.pipes);
}

static void limits(void) {
    tally t = {0};
    int overfull_graphs = 0;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        reference r = random_world(seed);
        long before = t.overfull;
        for (int step = 0; step < 100; step++) {
            push(&r, 5e-3f, (float)pow(0.5, 5e-3));
            compare_limits(&r, &t);
            limit_as_printed(&r);
            for (int i = 0; i < r.pipe_count; i++) {
                r.columns[r.pipes[i].a].depth -= r.pipes[i].move;
                r.columns[r.pipes[i].b].depth += r.pipes[i].move;
            }
            count_overfull(&r, &t);
        }
        overfull_graphs += t.overfull > before;
        ref_destroy(&r);
    }
    print("limits", "graphs that overfill (%)", 0, 100.0 * overfull_graphs / 200.0);
    print("limits", "worst overfill (mm)", 0, 1e3 * t.worst);
    print("limits", "volume above ceilings per step (%)", 0, 100.0 * t.lost / t.held);
    print("limits", "pipes limited alike (%)", 0, 100.0 - 100.0 * (double)t.unlike / (double)t.pipes);
}

int main(void) {
    printf("plot,series,x,y\n");
    waves();
    films();
    coefficient();
    stable_steps();
    limits();
    return 0;
}
