/* Cases of `runnel validate` about steady flow in a canal without friction: over a bump (case_bump) and down a chute
   (case_chute). The bump is that of Delestre et al. 2013 (SWASHES): 25 m long, bed max(0, 0.2 - 0.05 (x - 10)^2). A
   source along the west edge supplies the discharge q per metre of width; if the outflow is subcritical, a source along
   the east edge holds the level. */
#include "physics/physics.h"

#include <math.h>

enum { CELLS = 250, PARTS = 20 };

static const double length = 25.0, crest_at = 10.0, crest = 0.2; /* m */

/* Returns the height of the bed at x (m): level at 0 with the bump. */
static double bed_height(double x) { return fmax(0.0, crest - 0.05 * (x - crest_at) * (x - crest_at)); }

/* A steady flow over the bump. */
typedef struct stream {
    double discharge; /* m^2/s */
    double level;     /* m, initially, and held downstream unless the edge is open */
    bool crosses;     /* it becomes supercritical at the crest */
    bool open;        /* it leaves supercritical, over an open edge */
    double until;     /* s, duration of the run */
} stream;

/* Bernoulli: returns the depth h (m) at which h + q^2/(2 g h^2) = energy (m), below the critical depth if `fast`, else
   above. `q`: discharge per width (m²/s). An energy too low for any depth gives the critical depth. */
static double depth_of(double energy, double q, bool fast) {
    const double critical = cbrt(q * q / GRAVITY);
    double low = fast ? 1e-6 : critical, high = fast ? critical : energy + 1.0;
    for (int i = 0; i < 100; i++) {
        const double h = 0.5 * (low + high);
        if ((h + q * q / (2.0 * GRAVITY * h * h) > energy) == fast) low = h;
        else high = h;
    }
    return 0.5 * (low + high);
}

/* Returns what a hydraulic jump conserves at depth h (m): momentum flux plus pressure per metre of width, divided by
   rho g (m²). `q`: discharge per width (m²/s). */
static double jump_momentum(double h, double q) { return q * q / (GRAVITY * h) + 0.5 * h * h; }

/* The exact solution. */
typedef struct profile {
    double energy;     /* m, energy head upstream of the jump */
    double energy_end; /* m, downstream of the jump */
    double jump;       /* m, position of the jump; INFINITY: there is none */
} profile;

/* Returns the exact solution for the flow `s`: energies from Bernoulli's equation, and the jump where jump_momentum()
   is equal on both sides. */
static profile solve_profile(const stream *s) {
    const double q = s->discharge, end = s->level + q * q / (2.0 * GRAVITY * s->level * s->level);
    const double critical = crest + 1.5 * cbrt(q * q / GRAVITY);
    profile p = {s->crosses ? critical : end, end, INFINITY};
    if (!s->crosses || s->open) return p;
    double low = crest_at, high = crest_at + 2.0; /* the jump stands on the lee side */
    for (int i = 0; i < 100; i++) {
        const double x = 0.5 * (low + high);
        if (jump_momentum(depth_of(p.energy - bed_height(x), q, true), q) >
            jump_momentum(depth_of(end - bed_height(x), q, false), q))
            low = x;
        else high = x;
    }
    p.jump = 0.5 * (low + high);
    return p;
}

/* Returns the exact depth at x (m), on either side of the jump. `p`: the exact solution of `s`. */
static double exact_depth(const stream *s, const profile *p, double x) {
    if (x > p->jump) return depth_of(p->energy_end - bed_height(x), s->discharge, false);
    return depth_of(p->energy - bed_height(x), s->discharge, s->crosses && x > crest_at);
}

/* Runs the flow from still water at s->level until s->until and returns the world, which the caller destroys. */
static rn_world *run_stream(const stream *s) {
    const double cell = length / CELLS;
    double heights[CELLS], depth[CELLS];
    for (int i = 0; i < CELLS; i++) {
        heights[i] = 0.0;
        for (int k = 0; k < PARTS; k++) heights[i] += bed_height((i + (k + 0.5) / PARTS) * cell) / PARTS;
        depth[i] = s->level - heights[i];
    }
    rn_world *world =
        make_world(&(setup){.nx = CELLS, .ny = 1, .cell = cell, .heights = heights, .lid = 4.0, .open_east = s->open});
    set_depths(world, depth);
    rn_source_def inflow = rn_source_default();
    inflow.along_side = true;
    inflow.side = RN_SIDE_WEST;
    inflow.rate = s->discharge * cell;
    rn_world_add_source(world, &inflow);
    if (!s->open) hold_side(world, RN_SIDE_EAST, s->level);
    rn_world_step(world, s->until);
    return world;
}

/* Returns the L1 error of the depth against the exact solution, in % of the exact volume. */
static double stream_error(rn_world *world, const stream *s) {
    const double cell = length / CELLS;
    const profile p = solve_profile(s);
    double error = 0.0, volume = 0.0;
    for (int i = 0; i < CELLS; i++) {
        double exact = 0.0;
        for (int k = 0; k < PARTS; k++) exact += exact_depth(s, &p, (i + (k + 0.5) / PARTS) * cell) / PARTS;
        error += fabs(depth_at(world, i, 0) - exact);
        volume += exact;
    }
    return 100.0 * error / volume;
}

/* Returns the error (%) of the mean depth of the last 5 m, without the held cell, against the level that is held. */
static double level_error(rn_world *world, const stream *s) {
    enum { FROM = CELLS - CELLS / 5, TO = CELLS - 1 };
    double sum = 0.0;
    for (int i = FROM; i < TO; i++) sum += depth_at(world, i, 0);
    return percent(sum / (TO - FROM), s->level);
}

/* Steady flow over the bump, against Bernoulli's equation. L1 errors of the depth (%): measured[0]: subcritical; [1]:
   transcritical, out over an open edge; [2]: with a hydraulic jump behind the crest; [3]: error of the depth before the
   east edge against the level held there (%). */
void case_bump(double measured[MOST_MEASURES]) {
    static const stream streams[] = {
        {.discharge = 4.42, .level = 2.0, .until = 200.0},
        {.discharge = 1.53, .level = 0.66, .crosses = true, .open = true, .until = 200.0},
        {.discharge = 0.18, .level = 0.33, .crosses = true, .until = 400.0},
    };
    measured[3] = 0.0;
    for (int k = 0; k < 3; k++) {
        rn_world *world = run_stream(&streams[k]);
        measured[k] = stream_error(world, &streams[k]);
        if (!streams[k].open) measured[3] = worse(measured[3], level_error(world, &streams[k]));
        rn_world_destroy(world);
    }
}

/* Runs a thin stream without drag down a chute of slope S (tangent) for 20 s. Theory: u du/dx = gS/(1 + S^2), so that
   the speed depends only on the distance. Returns the error of the speed that it has after 1.2 m more (%). */
static double chute_error(double S) {
    enum { N = 200, FROM = 60, TO = 180 };
    const double cell = 0.01, rate = 1e-3 * cell;
    double heights[N];
    for (int i = 0; i < N; i++) heights[i] = S * cell * (N - 1 - i);
    rn_world *world = make_world(&(setup){
        .nx = N,
        .ny = 1,
        .cell = cell,
        .heights = heights,
        .lid = S * cell * N + 0.2,
        .open_east = true,
    });
    rn_world_pour(world, (rn_vec3){0.5 * cell, 0.5 * cell, S * cell * N}, 0.0, rate);
    rn_world_step(world, 20.0);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    double from = f.data[FROM] / (0.5 * cell * (d.data[FROM] + d.data[FROM + 1])),
           to = f.data[TO] / (0.5 * cell * (d.data[TO] + d.data[TO + 1]));
    rn_world_destroy(world);
    return 100.0 * fabs(to / sqrt(from * from + 2.0 * GRAVITY * S * (TO - FROM) * cell / (1.0 + S * S)) - 1.0);
}

/* A thin stream runs down chutes of slope 0.1, 0.5 and 3 without drag. Theory: u du/dx = gS/(1 + S^2). measured[0]: the
   largest error of the speed (%). */
void case_chute(double measured[MOST_MEASURES]) {
    measured[0] = worse(chute_error(0.1), worse(chute_error(0.5), chute_error(3.0)));
}
