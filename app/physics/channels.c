/* Steady flow over rough ground: uniform channels, and those of MacDonald et al. 1997 as given in Delestre et al. 2013
   (SWASHES). Their depth h(x) is chosen and the bed follows from

     dz/dx = (q^2/(g h^3) - 1) dh/dx - 2 q r/(g h^2) - Sf,    Sf = n^2 q^2/h^(10/3) or q^2/(C^2 h^3)

   with q the discharge per metre of width and r the rain (m/s), which falls without any speed along the channel. A
   source along the west edge gives the discharge. A source along the east edge holds the level where the flow leaves
   slower than its waves; else that edge is open. */
#include "physics/physics.h"

#include <math.h>

enum { MOST_CELLS = 1000, PARTS = 10 };

typedef struct channel {
    double (*depth)(const struct channel *c, double x); /* m */
    double discharge;                                   /* m^2/s, at x = 0 */
    double manning, chezy;
    double rain;         /* m/s */
    double from, length; /* m: it begins there, at 0 or less, and what is compared lies from 0 to `length` */
    double cell;         /* m */
    double jump;         /* m, where the depth jumps; 0: nowhere */
    double until;        /* s */
    bool fast_end;       /* it leaves faster than its waves */
    double normal;       /* m, depth of uniform channels */
    double (*roughness)(double share); /* Manning's n at this share of the length, in place of `manning` */
    bool region;                       /* it is set by regions, not by a map */
} channel;

/* ---- Beds and exact depths --------------------------------------------------------------------------------------- */

static int cells_of(const channel *c) { return (int)lround((c->length - c->from) / c->cell); }

static double flow_at(const channel *c, double x) { return c->discharge + c->rain * fmax(x, 0.0); }

static double manning_at(const channel *c, double x) {
    return c->roughness ? c->roughness((x - c->from) / (c->length - c->from)) : c->manning;
}

static double friction_slope(const channel *c, double x, double h, double q) {
    const double n = manning_at(c, x), chezy = c->chezy > 0.0 ? q * q / (c->chezy * c->chezy * h * h * h) : 0.0;
    return n * n * q * q / pow(h, 10.0 / 3.0) + chezy;
}

/* How far the bed falls from x to x + d, if the depth does not jump within. */
static double smooth_fall(const channel *c, double x, double d) {
    const double small = 1e-4 * d, middle = x + 0.5 * d, h = c->depth(c, middle), q = flow_at(c, middle);
    const double slope = (c->depth(c, x + d - small) - c->depth(c, x + small)) / (d - 2.0 * small);
    const double rain = middle > 0.0 ? 2.0 * q * c->rain / (GRAVITY * h * h) : 0.0;
    return d * ((1.0 - q * q / (GRAVITY * h * h * h)) * slope + rain + friction_slope(c, middle, h, q));
}

/* The bed itself goes on through a jump. */
static double fall(const channel *c, double x, double d) {
    const double before = c->jump - x, least = 1e-6 * d;
    if (!(before > least && before < d - least)) return smooth_fall(c, x, d);
    return smooth_fall(c, x, before) + smooth_fall(c, c->jump, d - before);
}

/* Means over cells of the bed, 0 at the east end, and of the depth (m). */
static void lay(const channel *c, double *heights, double *depths) {
    const double part = c->cell / PARTS;
    double z = 0.0;
    for (int i = cells_of(c) - 1; i >= 0; i--) {
        heights[i] = depths[i] = 0.0;
        for (int k = PARTS - 1; k >= 0; k--) {
            const double x = c->from + (i * PARTS + k) * part, drop = fall(c, x, part);
            heights[i] += (z + 0.5 * drop) / PARTS;
            depths[i] += c->depth(c, x + 0.5 * part) / PARTS;
            z += drop;
        }
    }
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

static void roughen(rn_world *world, const channel *c) {
    const int cells = cells_of(c);
    rn_roughness_def def = rn_roughness_default();
    def.law = RN_FRICTION_MANNING;
    if (!c->region) {
        float map[MOST_CELLS];
        for (int i = 0; i < cells; i++) map[i] = (float)manning_at(c, c->from + (i + 0.5) * c->cell);
        def.map = map;
        def.map_x = cells;
        def.map_y = 1;
        rn_world_set_roughness(world, &def);
        return;
    }
    for (int i = 0; i < 2; i++) { /* the whole, and then its upper half */
        def.value = c->roughness(i ? 0.0 : 1.0);
        rn_sdf *box = rn_sdf_box((rn_vec3){c->length, 2.0 * c->cell, 1e3});
        if (i) def.region = box;
        rn_world_set_roughness(world, &def);
        rn_sdf_destroy(box);
    }
}

static rn_world *run_channel(const channel *c, const double *heights, const double *depths) {
    const int cells = cells_of(c);
    double most = 0.0;
    for (int i = 0; i < cells; i++) most = fmax(most, heights[i] + depths[i]);
    rn_world *world = make_world(&(setup){.nx = cells,
                                          .ny = 1,
                                          .cell = c->cell,
                                          .heights = heights,
                                          .lid = most + 4.0,
                                          .manning = c->roughness ? 0.0 : c->manning,
                                          .chezy = c->chezy,
                                          .open_east = c->fast_end});
    if (c->roughness) roughen(world, c);
    set_depths(world, depths);
    rn_source_def inflow = rn_source_default();
    inflow.along_side = true;
    inflow.side = RN_SIDE_WEST;
    inflow.rate = c->discharge * c->cell;
    rn_world_add_source(world, &inflow);
    if (c->rain > 0.0) {
        rn_source_def rain = rn_source_default();
        rain.kind = RN_SOURCE_RAIN;
        rain.rate = c->rain;
        rn_world_add_source(world, &rain);
    }
    if (!c->fast_end) hold_side(world, RN_SIDE_EAST, heights[cells - 1] + depths[cells - 1]);
    rn_world_step(world, c->until);
    return world;
}

/* Sum of the differences from the exact depths between two shares of the length, in % of the sum of those. */
static double channel_error(const channel *c, double begin, double end) {
    double heights[MOST_CELLS], depths[MOST_CELLS];
    lay(c, heights, depths);
    rn_world *world = run_channel(c, heights, depths);
    double error = 0.0, volume = 0.0;
    for (int i = 0; i < cells_of(c); i++) {
        const double x = c->from + (i + 0.5) * c->cell;
        if (x < begin * c->length || x > end * c->length) continue;
        error += fabs(depth_at(world, i, 0) - depths[i]);
        volume += depths[i];
    }
    rn_world_destroy(world);
    return 100.0 * error / volume;
}

/* ---- Uniform flow ------------------------------------------------------------------------------------------------ */

static double uniform_depth(const channel *c, double x) {
    (void)x;
    return c->normal;
}

/* A channel in which liquid of this depth flows uniformly down this slope. */
static channel uniform_channel(double slope, double depth, double n, double C) {
    const double u = n > 0.0 ? pow(depth, 2.0 / 3.0) * sqrt(slope) / n : C * sqrt(depth * slope);
    return (channel){.depth = uniform_depth,
                     .discharge = u * depth,
                     .manning = n,
                     .chezy = C,
                     .length = 2000.0,
                     .cell = 5.0,
                     .until = 6000.0 / u,
                     .fast_end = u * u > GRAVITY * depth,
                     .normal = depth};
}

static double smooth_roughness(double share) { return 0.035 + 0.015 * sin(6.0 * share); }
static double two_roughnesses(double share) { return share < 0.5 ? 0.03 : 0.05; }

/* Uniform channels of nine kinds with Manning's n and nine with Chezy's C, and two of uneven roughness. */
enum { SLOPES = 3, NUMBERS = 3, KINDS = SLOPES * NUMBERS, UNIFORM = 2 * KINDS + 2 };

static void run_uniform(void *context, int i) {
    static const double slopes[SLOPES] = {5e-4, 3e-3, 2e-2}, numbers[NUMBERS] = {0.015, 0.035, 0.1};
    const double slope = slopes[i % KINDS / NUMBERS], n = numbers[i % NUMBERS];
    channel c = uniform_channel(slope, 1.0, i < KINDS ? n : 0.0, i < KINDS ? 0.0 : 1.0 / n);
    if (i >= 2 * KINDS) {
        c = uniform_channel(1e-3, 1.0, 0.035, 0.0);
        c.region = i == 2 * KINDS;
        c.roughness = c.region ? two_roughnesses : smooth_roughness;
    }
    /* A fast stream needs some way to gain its speed. */
    ((double *)context)[i] = channel_error(&c, c.roughness ? 0.1 : 0.7, 0.9);
}

void case_manning(double measured[MOST_MEASURES]) {
    double errors[UNIFORM];
    side_by_side(UNIFORM, run_uniform, errors);
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < KINDS; i++) {
        measured[0] = worse(measured[0], errors[i]);
        measured[1] = worse(measured[1], errors[KINDS + i]);
    }
    measured[2] = errors[2 * KINDS];
    measured[3] = errors[2 * KINDS + 1];
}

/* ---- MacDonald's channels ---------------------------------------------------------------------------------------- */

static double unit(void) { return cbrt(4.0 / GRAVITY); } /* m, critical depth of 2 m^2/s */

static double slow_depth(const channel *c, double x) {
    (void)c;
    const double s = x / 1000.0 - 0.5;
    return unit() * (1.0 + 0.5 * exp(-16.0 * s * s));
}

/* The depth (m) upstream of x = 0, for flow that must be faster than its waves there: from 1.5 critical depths at the
 * inlet down to `to`. */
static double lead_in(const channel *c, double x, double to) {
    const double critical = cbrt(c->discharge * c->discharge / GRAVITY), share = x / c->from;
    return to + (1.5 * critical - to) * share * share * (3.0 - 2.0 * share);
}

static double fast_depth(const channel *c, double x) {
    const double s = fmax(x, 0.0) / 1000.0 - 0.5, h = unit() * (1.0 - 0.2 * exp(-36.0 * s * s));
    return x < 0.0 ? lead_in(c, x, h) : h;
}

static double crossing_depth(const channel *c, double x) {
    (void)c;
    const double s = x / 1000.0 - 0.5;
    return unit() * (s <= 0.0 ? 1.0 - tanh(3.0 * s) / 3.0 : 1.0 - tanh(6.0 * s) / 6.0);
}

static double jumping_depth(const channel *c, double x) {
    const double s = x / 1000.0 - 0.5;
    if (x > c->jump)
        return unit() * (1.0 - 0.348427 * exp(-20.0 * s) + 0.552264 * exp(-40.0 * s) - 0.55558 * exp(-60.0 * s) +
                         0.8 * exp(s - 0.5));
    const double h = unit() * (0.9 - exp(-fmax(x, 0.0) / 250.0) / 6.0);
    return x < 0.0 ? lead_in(c, x, h) : h;
}

static double short_depth(const channel *c, double x) {
    const double s = x / 100.0 - 2.0 / 3.0;
    if (x <= c->jump) return unit() * (4.0 / 3.0 - x / 100.0) - 9.0 * x / 1000.0 * s;
    return unit() * (0.674202 * s * s * s * s + 0.674202 * s * s * s - 21.7112 * s * s + 14.492 * s + 1.4305);
}

void case_macdonald(double measured[MOST_MEASURES]) {
    const channel channels[] = {
        {.depth = slow_depth, .discharge = 2.0, .manning = 0.033},
        {.depth = fast_depth, .discharge = 2.5, .manning = 0.04, .from = -200.0, .fast_end = true},
        {.depth = crossing_depth, .discharge = 2.0, .manning = 0.0218, .fast_end = true},
        {.depth = jumping_depth, .discharge = 2.0, .manning = 0.0218, .from = -200.0, .jump = 500.0},
    };
    for (int k = 0; k < 4; k++) {
        channel c = channels[k];
        c.length = 1000.0;
        c.cell = 2.0;
        c.until = 4000.0;
        measured[k] = channel_error(&c, 0.0, 1.0);
    }
}

void case_macdonald_short(double measured[MOST_MEASURES]) {
    const channel jump = {.depth = short_depth,
                          .discharge = 2.0,
                          .manning = 0.0328,
                          .length = 100.0,
                          .cell = 0.25,
                          .jump = 200.0 / 3.0,
                          .until = 600.0},
                  rain = {.depth = slow_depth,
                          .discharge = 1.0,
                          .manning = 0.033,
                          .rain = 1e-3,
                          .length = 1000.0,
                          .cell = 2.0,
                          .until = 4000.0};
    measured[0] = channel_error(&jump, 0.0, 1.0);
    measured[1] = channel_error(&rain, 0.0, 1.0);
}
