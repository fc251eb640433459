/* Energy in a closed basin with bodies: nothing but their release puts any in. */
#include "body_worlds.h"
#include "pipe_worlds.h"

#include <math.h>

enum { CELLS = 24, MOST = 6 };
static const double cell = 0.25, level = 1.5; /* m */

/* A basin without friction, and bodies that move as liquid and weight say. */
typedef struct basin {
    rn_world *world;
    adrift bodies[MOST];
    rn_vec3 size; /* m, of each body, if they are boxes */
    int count;
    bool blocks;
} basin;

static basin make_basin(flow_method passages, rn_body_mode way) {
    rn_world *world = make_world(&(setup){.nx = CELLS, .ny = CELLS, .cell = cell, .lid = 8.0, .passages = passages});
    fill_to(world, level);
    return (basin){.world = world, .blocks = way == RN_BODY_BLOCKS};
}

static void launch(basin *b, rn_body_def def, rn_shape *shape) {
    def.mode = b->blocks ? RN_BODY_BLOCKS : RN_BODY_FLOATS;
    b->bodies[b->count++] = set_adrift(b->world, make_body(b->world, def, shape));
}

/* ---- Liquid ---------------------------------------------------------------------------------------------------- */

/* The mean over its area of a column's height times depth, up the column (m^2): bodies take their share of it. */
static double lifted(const rn_state *s, int32_t slot) {
    const double base = s->columns.base[slot], top = rn_column_level(&s->columns, slot),
                 all = 0.5 * (top * top - base * base);
    if (!rn_column_is_partial(&s->columns, slot)) return all;
    const rn_partial_solid part = rn_column_partial(&s->columns, slot);
    const double low = part.low, high = fmin(top, part.high);
    return high > low ? all - 0.5 * (high * high - low * low) * part.depth / ((double)part.high - low) : all;
}

/* What moved through a pipe in the last substep has this much (J s^2 / kg m^2): fluxes may stand for more than could
   move where liquid is shut in. */
static double through(const rn_world *world, int32_t a, int32_t b, double open, double moved) {
    const double high = rn_state_height(state_of(world), a, b, 0.0f) * open;
    const double flux = moved * cell * cell / rn_world_get_stats(world).dt; /* m^3/s */
    return high > 1e-3 ? 0.5 * flux * flux / high : 0.0;
}

/* J, above the floor. */
static double liquid_potential(const rn_world *world) {
    const rn_state *s = state_of(world);
    double sum = 0.0;
    for (int l = 0; l < s->columns.grid.layers; l++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const int32_t c = rn_slot(&s->columns.grid, l, y, x);
                if (s->columns.base[c] < RN_NO_COLUMN) sum += lifted(s, c) * cell * cell;
            }
    return rn_world_liquid(world).density * GRAVITY * sum;
}

static double liquid_kinetic(const rn_world *world) {
    const rn_state *s = state_of(world);
    double sum = 0.0;
    for (int l = 0; l < s->columns.grid.layers; l++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const int32_t c = rn_slot(&s->columns.grid, l, y, x);
                if (s->graph.pipe_x[c]) sum += through(world, c, c + 1, 1.0, s->graph.transfer_x[c]);
                if (s->graph.pipe_y[c])
                    sum += through(world, c, c + s->columns.grid.stride, 1.0, s->graph.transfer_y[c]);
            }
    for (int i = 0; i < s->graph.irregular_count; i++)
        sum += through(world, s->graph.irregular_a[i], s->graph.irregular_b[i], rn_irregular_open(s, i),
                       s->graph.irregular_transfer[i]);
    return rn_world_liquid(world).density * sum;
}

/* ---- Bodies ---------------------------------------------------------------------------------------------------- */

static double body_kinetic(const adrift *it) {
    const rn_quat q = it->pose.turn, back = {-q.x, -q.y, -q.z, q.w};
    const rn_vec3 v = it->pose.velocity, w = turned_by(back, it->pose.spin);
    return 0.5 * it->mass * (v.x * v.x + v.y * v.y + v.z * v.z) +
           0.5 * (it->inertia[0] * w.x * w.x + it->inertia[1] * w.y * w.y + it->inertia[2] * w.z * w.z);
}

/* m^4: how far a box lifts the liquid that it displaces, up to a surface. */
static double displaced(const adrift *it, rn_vec3 size, double surface) {
    enum { FINE = 12 };
    double sum = 0.0;
    for (int i = 0; i < FINE * FINE * FINE; i++) {
        const rn_vec3 at = {size.x * ((i % FINE + 0.5) / FINE - 0.5), size.y * ((i / FINE % FINE + 0.5) / FINE - 0.5),
                            size.z * ((i / FINE / FINE + 0.5) / FINE - 0.5)};
        sum += fmax(surface - (it->pose.at.z + turned_by(it->pose.turn, at).z), 0.0);
    }
    return sum * size.x * size.y * size.z / (FINE * FINE * FINE);
}

static double kinetic_energy(const basin *b) {
    double sum = liquid_kinetic(b->world);
    for (int i = 0; i < b->count; i++) sum += body_kinetic(&b->bodies[i]);
    return sum;
}

/* J. Liquid flows through bodies that float, so what they displace is not seen in it, and what they lend is no liquid
   of its own: of those it is what a lake around them would have, and of the liquid what it has above a level one. */
static double energy(const basin *b) {
    const double density = rn_world_liquid(b->world).density, area = CELLS * CELLS * cell * cell;
    const double mean = b->blocks ? 0.0 : rn_world_volume(b->world) / area;
    double sum = kinetic_energy(b) + liquid_potential(b->world) - 0.5 * density * GRAVITY * area * mean * mean;
    for (int i = 0; i < b->count; i++) {
        const adrift *it = &b->bodies[i];
        sum += it->mass * GRAVITY * (it->pose.at.z - mean);
        if (!b->blocks) sum += density * GRAVITY * displaced(it, b->size, mean);
    }
    return sum;
}

/* ---- Released off balance ---------------------------------------------------------------------------------------- */

enum { WINDOWS = 8, WINDOW = 100 };

/* Three boxes: askew above the surface, on edge in it, held under. Shares are of all that they lose in the end: the
   most that there ever is above what there was at first, and the most that one second has above the one before. */
static void release(flow_method passages, rn_body_mode way, double above, double gain) {
    basin b = make_basin(passages, way);
    b.size = (rn_vec3){1.2, 1.0, 0.5};
    for (int i = 0; i < 3; i++) {
        rn_body_def def = rn_body_default();
        def.density = 400.0 + 100.0 * i;
        def.pose.at = (rn_vec3){1.33 + 1.7 * i, 1.6 + 1.4 * (i % 2), 2.0 - 0.5 * i};
        def.pose.turn = turn_about((rn_vec3){1.0, 0.3, 0.2}, 0.5 + i);
        launch(&b, def, rn_shape_box(b.size));
    }
    drift_on(b.world, b.bodies, b.count, STEP); /* the first one puts them into the liquid */
    const double first = energy(&b);
    double windows[WINDOWS] = {0.0}, highest = first;
    for (int i = 0; i < WINDOWS * WINDOW; i++) {
        drift_on(b.world, b.bodies, b.count, STEP);
        const double now = energy(&b);
        highest = fmax(highest, now);
        windows[i / WINDOW] += now / WINDOW;
    }
    const double lost = first - windows[WINDOWS - 1];
    if (!(highest - first <= above * lost)) fail_msg("%g J more than at first, of %g J", highest - first, lost);
    for (int i = 1; i < WINDOWS; i++)
        if (!(windows[i] - windows[i - 1] <= gain * lost))
            fail_msg("second %d: %g J more, of %g J", i, windows[i] - windows[i - 1], lost);
    assert_true(rn_world_audit(b.world).drift == 0.0);
    rn_world_destroy(b.world);
}

static void floaters_lose_energy(void **state) {
    (void)state;
    release(FLOW_UNIFIED_LONG, RN_BODY_FLOATS, 0.01, 0.0);
    release(FLOW_IMPLICIT, RN_BODY_FLOATS, 0.01, 0.0);
}

static void blockers_lose_energy(void **state) {
    (void)state;
    release(FLOW_IMPLICIT, RN_BODY_BLOCKS, 0.01, 0.0);
    release(FLOW_UNIFIED_LONG, RN_BODY_BLOCKS, 0.01, 0.1); /* it bobs on its own waves */
}

/* No friction but that between bodies and liquid: swings may die away slowly, but never grow. */
static void floating_bodies_feed_nothing(void **state) {
    (void)state;
    enum { LONG = 6, STEPS = 1000 };
    basin b = make_basin(FLOW_DEFAULT, RN_BODY_FLOATS);
    for (int i = 0; i < MOST; i++) {
        rn_body_def def = rn_body_default();
        def.density = 300.0 + 100.0 * i;
        def.pose.at = (rn_vec3){1.2 + 1.7 * (i % 3), 1.6 + 2.5 * (i / 3), 1.8};
        launch(&b, def, rn_shape_sphere(0.4));
    }
    double windows[LONG] = {0.0};
    for (int i = 0; i < LONG * STEPS; i++) {
        drift_on(b.world, b.bodies, b.count, STEP);
        windows[i / STEPS] += kinetic_energy(&b) / STEPS;
    }
    for (int i = 1; i < LONG; i++)
        if (!(windows[i] < windows[i - 1])) fail_msg("%d0 s: %g J after %g J", i, windows[i], windows[i - 1]);
    assert_true(windows[LONG - 1] < 0.5 * windows[0]);
    rn_world_destroy(b.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floaters_lose_energy),
        cmocka_unit_test(blockers_lose_energy),
        cmocka_unit_test(floating_bodies_feed_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
