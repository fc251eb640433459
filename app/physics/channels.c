/* Cases of `runnel validate` about steady flow over rough ground: uniform channels (case_manning), and those of
   MacDonald et al. 1997 as given in Delestre et al. 2013, SWASHES (case_macdonald, case_macdonald_short). The depth
   h(x) is chosen, and the bed follows from

     dz/dx = (q^2/(g h^3) - 1) dh/dx - 2 q r/(g h^2) - Sf,    Sf = n^2 q^2/h^(10/3) or q^2/(C^2 h^3)

   with q the discharge per metre of width and r the rain (m/s), which has no speed along the channel. A source along
   the west edge supplies the discharge. If the outflow is subcritical, a source along the east edge holds the level
   there; otherwise that edge is open. channel_error() runs a channel and compares its depths with h(x). */
#include "physics/physics.h"

#include <math.h>

enum { MOST_CELLS = 1000, PARTS = 10 };

/* A channel with a known steady flow. */
typedef struct channel {
    double (*depth)(const struct channel *c, double x); /* m, the exact depth */
    double discharge;                                   /* m^2/s, at x = 0 */
    double manning, chezy;
    double rain;                       /* m/s */
    double from, length;               /* m: it begins at `from`, 0 or less; 0 to `length` is compared */
    double cell;                       /* m */
    double jump;                       /* m, where the depth jumps; 0: nowhere */
    double until;                      /* s, duration of the run */
    bool fast_end;                     /* the outflow is supercritical */
    double normal;                     /* m, normal depth of a uniform channel */
    double (*roughness)(double share); /* Manning's n at this share of the length; NULL: `manning` everywhere */
    bool region;                       /* roughness is set by regions, not by a map */
} channel;

/* ---- Beds and exact depths --------------------------------------------------------------------------------------- */

/* Returns the number of cells along the channel. */
static int count_cells(const channel *c) { return (int)lround((c->length - c->from) / c->cell); }

/* Returns the discharge per width at x (m²/s), rain included. */
static double flow_at(const channel *c, double x) { return c->discharge + c->rain * fmax(x, 0.0); }

/* Returns Manning's n at x (m from the origin): uneven or the same everywhere. */
static double manning_at(const channel *c, double x) {
    return c->roughness ? c->roughness((x - c->from) / (c->length - c->from)) : c->manning;
}

/* Returns the friction slope Sf at x for depth h (m) and discharge q (m²/s). */
static double friction_slope(const channel *c, double x, double h, double q) {
    const double n = manning_at(c, x), chezy = c->chezy > 0.0 ? q * q / (c->chezy * c->chezy * h * h * h) : 0.0;
    return n * n * q * q / pow(h, 10.0 / 3.0) + chezy;
}

/* Returns how far the bed falls from x to x + d (m), where the depth does not jump. */
static double smooth_fall(const channel *c, double x, double d) {
    const double small = 1e-4 * d, middle = x + 0.5 * d, h = c->depth(c, middle), q = flow_at(c, middle);
    const double slope = (c->depth(c, x + d - small) - c->depth(c, x + small)) / (d - 2.0 * small);
    const double rain = middle > 0.0 ? 2.0 * q * c->rain / (GRAVITY * h * h) : 0.0;
    return d * ((1.0 - q * q / (GRAVITY * h * h * h)) * slope + rain + friction_slope(c, middle, h, q));
}

/* Returns how far the bed falls from x to x + d (m). The depth may jump within; the bed is continuous there. */
static double bed_fall(const channel *c, double x, double d) {
    const double before = c->jump - x, least = 1e-6 * d;
    if (!(before > least && before < d - least)) return smooth_fall(c, x, d);
    return smooth_fall(c, x, before) + smooth_fall(c, c->jump, d - before);
}

/* Computes the mean bed height (0 at the east end) and the mean exact depth of every cell (m), from the exact depth of
   the channel. */
static void lay_bed(const channel *c, double *heights, double *depths) {
    const double part = c->cell / PARTS;
    double z = 0.0;
    for (int i = count_cells(c) - 1; i >= 0; i--) {
        heights[i] = depths[i] = 0.0;
        for (int k = PARTS - 1; k >= 0; k--) {
            const double x = c->from + (i * PARTS + k) * part, drop = bed_fall(c, x, part);
            heights[i] += (z + 0.5 * drop) / PARTS;
            depths[i] += c->depth(c, x + 0.5 * part) / PARTS;
            z += drop;
        }
    }
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

/* Sets the uneven roughness of the channel, c->roughness, by a map or, if c->region, by two regions. */
static void set_uneven_roughness(rn_world *world, const channel *c) {
    const int cells = count_cells(c);
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
    for (int i = 0; i < 2; i++) { /* the whole channel, then its upstream half */
        def.value = c->roughness(i ? 0.0 : 1.0);
        rn_sdf *box = rn_sdf_box((rn_vec3){c->length, 2.0 * c->cell, 1e3});
        if (i) def.region = box;
        rn_world_set_roughness(world, &def);
        rn_sdf_destroy(box);
    }
}

/* Creates the channel with its exact depths at rest and runs it until c->until. Returns the world, which the caller
   destroys. */
static rn_world *run_channel(const channel *c, const double *heights, const double *depths) {
    const int cells = count_cells(c);
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
    if (c->roughness) set_uneven_roughness(world, c);
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

/* Runs the channel. Returns the L1 error of the depth between two shares of the length, 0 to 1, in % of the exact
   volume there. */
static double channel_error(const channel *c, double begin, double end) {
    double heights[MOST_CELLS], depths[MOST_CELLS];
    lay_bed(c, heights, depths);
    rn_world *world = run_channel(c, heights, depths);
    double error = 0.0, volume = 0.0;
    for (int i = 0; i < count_cells(c); i++) {
        const double x = c->from + (i + 0.5) * c->cell;
        if (x < begin * c->length || x > end * c->length) continue;
        error += fabs(depth_at(world, i, 0) - depths[i]);
        volume += depths[i];
    }
    rn_world_destroy(world);
    return 100.0 * error / volume;
}

/* ---- Uniform flow ------------------------------------------------------------------------------------------------ */

/* Returns the exact depth of a uniform channel (m), which is the same everywhere. */
static double uniform_depth(const channel *c, double x) {
    (void)x;
    return c->normal;
}

/* Returns a channel of 2 km in which liquid of this depth (m) flows uniformly down this slope, to be run for three
   times its passage. n: Manning (s/m^(1/3)), or C: Chezy (m^(1/2)/s); the other is 0. */
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

/* Returns Manning's n at this share of the length: varies smoothly. */
static double smooth_roughness(double share) { return 0.035 + 0.015 * sin(6.0 * share); }
/* Returns Manning's n at this share of the length: one value in each half. */
static double two_roughnesses(double share) { return share < 0.5 ? 0.03 : 0.05; }

/* Nine uniform channels with Manning's n, nine with Chezy's C, and two with uneven roughness. */
enum { SLOPES = 3, NUMBERS = 3, KINDS = SLOPES * NUMBERS, UNIFORM = 2 * KINDS + 2 };

/* Runs channel `i` of these and stores the L1 error of its depth (%) in entry `i` of the array `context`. Called in
   parallel. */
static void run_uniform(void *context, int i) {
    static const double slopes[SLOPES] = {5e-4, 3e-3, 2e-2}, numbers[NUMBERS] = {0.015, 0.035, 0.1};
    const double slope = slopes[i % KINDS / NUMBERS], n = numbers[i % NUMBERS];
    channel c = uniform_channel(slope, 1.0, i < KINDS ? n : 0.0, i < KINDS ? 0.0 : 1.0 / n);
    if (i >= 2 * KINDS) {
        c = uniform_channel(1e-3, 1.0, 0.035, 0.0);
        c.region = i == 2 * KINDS;
        c.roughness = c.region ? two_roughnesses : smooth_roughness;
    }
    /* Uniform flow needs some length to reach its speed. */
    ((double *)context)[i] = channel_error(&c, c.roughness ? 0.1 : 0.7, 0.9);
}

/* Uniform flow down slopes of 0.0005 to 0.02: the depth must be the normal depth of Manning's or Chezy's law. L1 errors
   of the depth (%): measured[0]: the largest with Manning's n; [1]: with Chezy's C; [2]: n set by regions; [3]: n set
   by a map. */
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

/* Returns the critical depth (m) for 2 m²/s, in which the depths below are expressed. */
static double critical_depth(void) { return cbrt(4.0 / GRAVITY); }

/* Returns the exact depth at x (m): subcritical flow throughout. */
static double slow_depth(const channel *c, double x) {
    (void)c;
    const double s = x / 1000.0 - 0.5;
    return critical_depth() * (1.0 + 0.5 * exp(-16.0 * s * s));
}

/* Returns the depth at x < 0 (m), where the flow must become supercritical: from 1.5 critical depths at the inlet,
   c->from, down to `to` at x = 0. */
static double lead_in(const channel *c, double x, double to) {
    const double critical = cbrt(c->discharge * c->discharge / GRAVITY), share = x / c->from;
    return to + (1.5 * critical - to) * share * share * (3.0 - 2.0 * share);
}

/* Returns the exact depth at x (m): supercritical flow, after a lead-in upstream of x = 0. */
static double fast_depth(const channel *c, double x) {
    const double s = fmax(x, 0.0) / 1000.0 - 0.5, h = critical_depth() * (1.0 - 0.2 * exp(-36.0 * s * s));
    return x < 0.0 ? lead_in(c, x, h) : h;
}

/* Returns the exact depth at x (m): from subcritical to supercritical flow at 500 m. */
static double crossing_depth(const channel *c, double x) {
    (void)c;
    const double s = x / 1000.0 - 0.5;
    return critical_depth() * (s <= 0.0 ? 1.0 - tanh(3.0 * s) / 3.0 : 1.0 - tanh(6.0 * s) / 6.0);
}

/* Returns the exact depth at x (m): from supercritical to subcritical flow, with a hydraulic jump at c->jump. */
static double jumping_depth(const channel *c, double x) {
    const double s = x / 1000.0 - 0.5;
    if (x > c->jump)
        return critical_depth() * (1.0 - 0.348427 * exp(-20.0 * s) + 0.552264 * exp(-40.0 * s) -
                                   0.55558 * exp(-60.0 * s) + 0.8 * exp(s - 0.5));
    const double h = critical_depth() * (0.9 - exp(-fmax(x, 0.0) / 250.0) / 6.0);
    return x < 0.0 ? lead_in(c, x, h) : h;
}

/* Returns the exact depth at x (m): subcritical, supercritical, and subcritical again after a jump, within 100 m. */
static double short_depth(const channel *c, double x) {
    const double s = x / 100.0 - 2.0 / 3.0;
    if (x <= c->jump) return critical_depth() * (4.0 / 3.0 - x / 100.0) - 9.0 * x / 1000.0 * s;
    return critical_depth() * (0.674202 * s * s * s * s + 0.674202 * s * s * s - 21.7112 * s * s + 14.492 * s + 1.4305);
}

/* Steady flow in MacDonald's channels of 1 km, against the exact depths. L1 errors of the depth (%): measured[0]:
   subcritical; [1]: supercritical; [2]: transcritical; [3]: with a hydraulic jump. */
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

/* Steady flow against exact depths. L1 errors of the depth (%): measured[0]: MacDonald's short channel of 100 m with a
   jump; [1]: the subcritical channel of 1 km with rain. */
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
