/* Cases of `runnel validate` about bodies in liquid, against Archimedes and the theory of small oscillations: draught,
   displacement, heave, roll, drift with a river; and that splashing bodies lose no volume. Most bodies move with
   drift_on(). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI   3.14159265358979323846
#define STEP 0.01 /* s */

/* Creates a world and fills it to `level` (m). The caller destroys it. */
static rn_world *make_filled(const setup *s, double level) {
    rn_world *world = make_world(s);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level});
    return world;
}

/* Returns the definition of a body of this mode and density (kg/m³) at (x, y, z) (m), with the other values at their
   defaults and without a shape. */
static rn_body_def body_at(rn_body_mode way, double density, double x, double y, double z) {
    rn_body_def def = rn_body_default();
    def.mode = way;
    def.density = density;
    def.pose.at = (rn_vec3){x, y, z};
    return def;
}

/* ---- Where bodies come to rest ----------------------------------------------------------------------------------- */

/* Floats a raft for 25 s and returns the error (%) of its draught; its density is `share` of the liquid's. A raft,
   because a cube would float tilted. Bodies that block run with implicit steps. */
static double draught_error(rn_body_mode way, double share) {
    const double high = 0.5, x = 3.1, y = 2.9;
    const flow_method passages = way == RN_BODY_BLOCKS ? FLOW_IMPLICIT : FLOW_DEFAULT;
    rn_world *world =
        make_filled(&(setup){.nx = 24, .ny = 24, .cell = 0.25, .lid = 8.0, .friction = 0.5, .passages = passages}, 2.0);
    const rn_body_def def = body_at(way, share * rn_world_liquid(world).density, x, y, 2.2);
    adrift raft = set_adrift(world, make_body(world, def, rn_shape_box((rn_vec3){1.2, 1.0, high})));
    for (int i = 0; i < 2500; i++) drift_on(world, &raft, 1, STEP);
    const double level = rn_bodies_effective_level(world, raft.pose.at.x, raft.pose.at.y);
    rn_world_destroy(world);
    return percent(level - (raft.pose.at.z - 0.5 * high), share * high);
}

/* Rafts of 0.1 to 0.95 of the liquid's density float; by Archimedes, the draught is that share of the height.
   measured[0]: the largest error of the draught (%), with bodies that float and, for shares of 0.5 and 0.95 alone,
   bodies that block. */
void case_body_draught(double measured[MOST_MEASURES]) {
    const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.95};
    measured[0] = 0.0;
    for (int i = 0; i < 5; i++) measured[0] = worse(measured[0], draught_error(RN_BODY_FLOATS, shares[i]));
    for (int i = 2; i < 5; i += 2) measured[0] = worse(measured[0], draught_error(RN_BODY_BLOCKS, shares[i]));
}

/* Returns the error (%) of the mean rise of the level along a wall, 30 s after a body was added on the bottom; in
   theory, its volume over the area. Takes ownership of the shape. */
static double displacement_error(flow_method passages, rn_body_def def, rn_shape *shape) {
    enum { CELLS = 24 };
    const double cell = 0.25, level = 2.0;
    rn_world *world = make_filled(
        &(setup){.nx = CELLS, .ny = CELLS, .cell = cell, .lid = 8.0, .friction = 0.001, .passages = passages}, level);
    const double volume = rn_shape_describe(shape).volume;
    make_body(world, def, shape);
    for (int i = 0; i < 1500; i++) rn_world_step(world, 2.0 * STEP);
    double sum = 0.0;
    for (int i = 0; i < CELLS; i++) sum += rn_world_sample_layer(world, (i + 0.5) * cell, 0.5 * cell, 0).level - level;
    rn_world_destroy(world);
    return percent(sum / CELLS, volume / (CELLS * CELLS * cell * cell));
}

/* A sphere or a tilted box lies on the bottom and raises the level by its volume. measured[0]: error with implicit
   steps (%); [1]: with explicit steps (%), which treat cells that are seven eighths solid as all solid, so that bodies
   seem a little larger. */
void case_body_displacement(double measured[MOST_MEASURES]) {
    for (int k = 0; k < 2; k++) {
        const flow_method passages = k ? FLOW_UNIFIED_LONG : FLOW_IMPLICIT;
        rn_body_def def = body_at(RN_BODY_AUTO, 2000.0, 3.07, 2.91, 0.6);
        measured[k] = displacement_error(passages, def, rn_shape_sphere(0.6));
        def.pose.turn = turn_about((rn_vec3){1.0, 0.4, 0.7}, 0.6);
        measured[k] = worse(measured[k], displacement_error(passages, def, rn_shape_box((rn_vec3){1.1, 0.7, 0.5})));
    }
}

/* ---- Oscillations ------------------------------------------------------------------------------------------------ */

static const double raft_side = 2.0, raft_high = 0.8, raft_draught = 0.4; /* m */

/* Releases a floating raft from a displaced pose and returns its period (s): the time between two turning points of the
   same kind. The first turning point after the start counts as the beginning. `start`: height above the level (m, at.z)
   and rotation; `rolls`: watch the roll about x, else the heave. Returns NaN if there are fewer than three turning
   points in 10 s. */
static double swing_period(rn_pose start, bool rolls) {
    rn_world *world = make_filled(&(setup){.nx = 64, .ny = 64, .cell = 0.25, .lid = 8.0}, 2.0);
    rn_body_def def = body_at(RN_BODY_FLOATS, 0.5 * rn_world_liquid(world).density, 8.03, 7.96, 2.0);
    def.drag = def.damping = 0.0;
    def.pose.at.z += start.at.z;
    def.pose.turn = start.turn;
    adrift raft = set_adrift(world, make_body(world, def, rn_shape_box((rn_vec3){raft_side, raft_side, raft_high})));
    double turned[3] = {NAN, NAN, NAN}, before = 0.0;
    for (int i = 1, count = 0; i < 1000 && count < 3; i++) {
        drift_on(world, &raft, 1, STEP);
        const double speed = rolls ? raft.pose.spin.x : raft.pose.velocity.z;
        if (i > 5 && (speed > 0.0) != (before > 0.0)) turned[count++] = (i - speed / (speed - before)) * STEP;
        before = speed;
    }
    rn_world_destroy(world);
    return turned[2] - turned[0];
}

/* A raft bobs up and down without drag. Theory: 2 pi sqrt(m / (rho g A)) = 2 pi sqrt(draught / g). measured[0]: error
   of the period (%). */
void case_body_heave(double measured[MOST_MEASURES]) {
    const rn_pose start = {.at.z = 0.03, .turn.w = 1.0};
    measured[0] = percent(swing_period(start, false), 2.0 * PI * sqrt(raft_draught / GRAVITY));
}

/* A raft rolls without drag. Theory: period 2 pi sqrt(I / (m g GM)); the metacentre is above the centre of buoyancy by
   the second moment of the waterline over the volume. measured[0]: error of the period (%). */
void case_body_roll(double measured[MOST_MEASURES]) {
    const rn_pose start = {.turn = turn_about((rn_vec3){1.0, 0.0, 0.0}, 0.05)};
    const double side2 = raft_side * raft_side, inertia = (side2 + raft_high * raft_high) / 12.0; /* of 1 kg */
    const double metacentre = 0.5 * raft_draught + side2 / (12.0 * raft_draught) - 0.5 * raft_high;
    measured[0] = percent(swing_period(start, true), 2.0 * PI * sqrt(inertia / (GRAVITY * metacentre)));
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

/* A log floats across a river of 1 m/s without bed friction, and should reach its speed. measured[0]: error of its mean
   speed from 15 s to 25 s (%). */
void case_body_drag(double measured[MOST_MEASURES]) {
    enum { NX = 64, NY = 16 };
    const double cell = 0.5, depth = 1.5, speed = 1.0;
    rn_world *world = make_filled(&(setup){.nx = NX, .ny = NY, .cell = cell, .lid = 8.0, .periodic_x = true}, depth);
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int y = 0; y < NY; y++)
        for (int x = -1; x < NX; x++) fx.data[y * fx.row_stride + x] = (float)(speed * cell * depth);
    rn_world_commit(world);
    rn_body_def def = body_at(RN_BODY_AUTO, 600.0, 3.0, 4.1, depth);
    def.pose.turn = turn_about((rn_vec3){1.0, 0.0, 0.0}, 0.5 * PI);
    adrift log = set_adrift(world, make_body(world, def, rn_shape_capsule(0.25, 2.0)));
    double mean = 0.0;
    for (int i = 0; i < 2500; i++) {
        if (log.pose.at.x > (NX - 8) * cell) { /* move it back: bodies do not cross periodic edges */
            log.pose.at.x -= (NX - 16) * cell;
            rn_bodies_teleport(world, log.body, &log.pose);
        }
        drift_on(world, &log, 1, STEP);
        if (i >= 1500) mean += log.pose.velocity.x / 1000.0;
    }
    measured[0] = percent(mean, speed);
    rn_world_destroy(world);
}

/* ---- Volume ------------------------------------------------------------------------------------------------------ */

enum { SPLASHERS = 200, POND = 32 };

/* Creates a box, cylinder or capsule of random kind and size, 0.4 m to 1.8 m long, and advances `random`. The caller,
   or make_body(), destroys it. */
static rn_shape *random_shape(uint32_t *random) {
    const double size = 0.4 + 0.8 * random_unit(random);
    switch ((int)(4.0 * random_unit(random))) {
    case 0: return rn_shape_box((rn_vec3){size, 0.8 * size, 0.6 * size});
    case 1: return rn_shape_cylinder(0.4 * size, size);
    case 2: return rn_shape_capsule(0.3 * size, 0.5 * size);
    default: return rn_shape_box((rn_vec3){0.5 * size, size, 1.5 * size});
    }
}

/* Returns a random pose within the pond, up to 2 m high, at rest, and advances `random`. */
static rn_pose random_pose(uint32_t *random) {
    const double wide = 0.5 * POND;
    rn_pose pose = {.at = {wide * random_unit(random), wide * random_unit(random), 2.0 * random_unit(random)}};
    pose.turn = (rn_quat){random_unit(random) - 0.5, random_unit(random) - 0.5, random_unit(random) - 0.5,
                          random_unit(random) - 0.5};
    return pose;
}

/* Adds a random body, advances `random`, and returns the body's number. */
static int add_splasher(rn_world *world, uint32_t *random) {
    rn_body_def def = rn_body_default();
    const double kind = random_unit(random);
    def.mode = kind < 0.4 ? RN_BODY_FLOATS : kind < 0.8 ? RN_BODY_BLOCKS : RN_BODY_AUTO;
    def.density = 300.0 + 1500.0 * random_unit(random);
    def.pose = random_pose(random);
    return make_body(world, def, random_shape(random));
}

/* Moves a body a little; or, 2 times in 100 each, teleports it, or replaces it by another, whose number goes into
   `body`. Advances `random`. */
static void disturb_body(rn_world *world, int *body, uint32_t *random) {
    const double what = random_unit(random);
    rn_pose pose = rn_bodies_describe(world, *body).pose;
    if (what < 0.02) {
        rn_bodies_remove(world, *body);
        *body = add_splasher(world, random);
    } else if (what < 0.04) {
        pose = random_pose(random);
        rn_bodies_teleport(world, *body, &pose);
    } else {
        pose.at.x += 0.1 * (random_unit(random) - 0.5);
        pose.at.y += 0.1 * (random_unit(random) - 0.5);
        pose.at.z += 0.1 * (random_unit(random) - 0.5);
        pose.turn.x += 0.1 * (random_unit(random) - 0.5);
        pose.velocity.z = random_unit(random) - 0.5;
        rn_bodies_move(world, *body, &pose);
    }
}

/* Creates a pond and disturbs random bodies in it until it has taken `steps` substeps, a few bodies at a time, so that
   others rest. Raises measured[0] to the largest drift (m³; NaN after a failure), and adds broken columns to
   measured[1]. */
static void splash_about(flow_method passages, uint64_t steps, double measured[MOST_MEASURES]) {
    enum { AT_ONCE = 8, SUBSTEPS = 100 };
    rn_world *world = make_filled(&(setup){.nx = POND,
                                           .ny = POND,
                                           .cell = 0.5,
                                           .lid = 4.0,
                                           .friction = 0.5,
                                           .max_substeps = SUBSTEPS,
                                           .passages = passages},
                                  1.0);
    uint32_t random = 7;
    int bodies[SPLASHERS];
    for (int i = 0; i < SPLASHERS; i++) bodies[i] = add_splasher(world, &random);
    for (uint64_t call = 1; rn_world_get_stats(world).steps < steps && call < steps; call++) {
        for (int i = 0; i < AT_ONCE; i++)
            disturb_body(world, &bodies[(int)(SPLASHERS * random_unit(&random))], &random);
        if (rn_world_step(world, 20.0) != RN_OK) measured[0] = NAN; /* 20 s: more than max_substeps can simulate */
        measured[0] = worse(measured[0], fabs(rn_world_audit(world).drift));
        measured[1] += broken_columns(world);
    }
    if (rn_world_get_stats(world).steps < steps) measured[0] = NAN;
    rn_world_destroy(world);
}

/* 200 random bodies splash about in a pond, with explicit and implicit steps; in theory no volume is lost. measured[0]:
   largest drift of the volume (m³); [1]: columns out of bounds. RUNNEL_LONG runs eight times as long. */
void case_body_volume(double measured[MOST_MEASURES]) {
    const uint64_t part = getenv("RUNNEL_LONG") ? 1 : 8;
    measured[0] = measured[1] = 0.0;
    splash_about(FLOW_UNIFIED_LONG, 90000 / part, measured);
    splash_about(FLOW_IMPLICIT, 10000 / part, measured);
}
