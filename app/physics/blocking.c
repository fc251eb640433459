/* Cases of `runnel validate` about bodies that block liquid: waves that a moving pillar should not make (alias_...), a
   dam of crates (dam_leak, dam_weir), and a lake at rest around bodies (body_lake). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

static const flow_method both[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT};
enum { BOTH = sizeof both / sizeof both[0] };

/* Returns the definition of a body of 2000 kg/m³ at (x, y, z) (m) that blocks liquid, at rest and without a shape. */
static rn_body_def blocker_at(double x, double y, double z) {
    rn_body_def def = rn_body_default();
    def.mode = RN_BODY_BLOCKS;
    def.density = 2000.0;
    def.pose.at = (rn_vec3){x, y, z};
    return def;
}

/* ---- Waves of a moving pillar ----------------------------------------------------------------------------------- */

enum { REACH = 120, BREADTH = 60, SPONGE = 15 };
static const double still_level = 2.0, current = 1.0, pillar = 4.3, pillar_y = 30.3; /* m, m/s, m (radius), m */

/* Damps waves at both ends: within SPONGE cells of an end, depth and flux relax towards the undisturbed current, at a
   rate of at most 1/s. `flow`: its speed (m/s); `seconds`: since the last call. Commits the changes, which add or
   remove liquid. */
static void damp_ends(rn_world *world, double flow, double seconds) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), fx = rn_world_view(world, RN_FIELD_FLUX_X),
            fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < BREADTH; y++)
        for (int x = 0; x < REACH; x++) {
            const double to_end = fmin(x, REACH - 1 - x), share = 1.0 - to_end / SPONGE;
            if (share <= 0.0) continue;
            const double by = seconds * share * share;
            const ptrdiff_t i = y * d.row_stride + x;
            d.data[i] += (float)(by * (still_level - d.data[i]));
            fx.data[i] += (float)(by * (still_level * flow - fx.data[i]));
            fy.data[i] -= (float)by * fy.data[i];
        }
    rn_world_commit(world);
}

/* Returns the largest deviation of the level (m) from still water, outside the sponges and more than a cell away from
   the pillar. `pillar_x`: its middle (m). Returns NaN if a depth is NaN. */
static double highest_wave(const rn_world *world, double pillar_x) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double highest = 0.0;
    for (int y = 0; y < BREADTH; y++)
        for (int x = SPONGE + 5; x < REACH - SPONGE - 5; x++)
            if (hypot(x + 0.5 - pillar_x, y + 0.5 - pillar_y) >= pillar + 1.0)
                highest = worse(highest, fabs(d.data[y * d.row_stride + x] - still_level));
    return highest;
}

/* In still water the pillar moves so slowly that its own dip, 3 v^2/2g beside it, is small. With the current it moves
   relative to no water, and should make no wave. */
double alias_waves(flow_method passages, rn_blocking blocking, double speed) {
    const bool drifts = speed == current;
    const double dt = 0.05, ramp = drifts ? 0.0 : 20.0, wait = 10.0, looked = drifts ? 30.0 : 60.0;
    const double flow = drifts ? current : 0.0;
    rn_world *world = make_world(
        &(setup){.nx = REACH, .ny = BREADTH, .cell = 1.0, .lid = 10.0, .periodic_x = true, .passages = passages});
    rn_body_def def = blocker_at(28.0, pillar_y, 4.0);
    def.blocking = blocking;
    const int body = make_body(world, def, rn_shape_cylinder(pillar, 12.0));
    rn_world_commit(world);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = still_level});
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int y = 0; y < BREADTH; y++)
        for (int x = 0; x < REACH; x++) fx.data[y * fx.row_stride + x] = (float)(still_level * flow);
    rn_world_commit(world);
    double highest = 0.0;
    for (int i = 1; i * dt <= ramp + wait + looked; i++) {
        const double q = drifts ? 1.0 : fmin(i * dt / ramp, 1.0);
        def.pose.velocity.x = speed * q * q * (3.0 - 2.0 * q);
        def.pose.at.x += dt * def.pose.velocity.x;
        rn_bodies_move(world, body, &def.pose);
        rn_world_step(world, dt);
        damp_ends(world, flow, dt);
        if (i * dt > ramp + wait) highest = worse(highest, highest_wave(world, def.pose.at.x));
    }
    if (rn_world_audit(world).drift != 0.0) highest = NAN;
    rn_world_destroy(world);
    return highest;
}

/* A pillar moves through still water at 0.05 m/s. Waves above its own small dip come only from aliasing, as it covers
   and uncovers cells. measured[0]: the highest wave (m). */
void case_alias_slow(double measured[MOST_MEASURES]) {
    measured[0] = alias_waves(FLOW_IMPLICIT, RN_BLOCKING_AUTO, 0.05);
}

/* A pillar moves through still water at 0.2 m/s; waves come only from aliasing. measured[0]: the highest wave (m). */
void case_alias_fast(double measured[MOST_MEASURES]) {
    measured[0] = alias_waves(FLOW_IMPLICIT, RN_BLOCKING_AUTO, 0.2);
}

/* A pillar drifts with a current of 1 m/s; in theory there is no wave at all. measured[0]: the highest wave (m). */
void case_alias_drift(double measured[MOST_MEASURES]) {
    measured[0] = alias_waves(FLOW_IMPLICIT, RN_BLOCKING_AUTO, current);
}

/* ---- A dam of crates --------------------------------------------------------------------------------------------- */

enum { CHANNEL = 60, BREAST = 13, CRATES = 10 };
static const double crate = 1.3, dam_x = 20.37;              /* m, side of a crate; x of the upstream face of the dam */
static const double crest = 2 * 1.3, foot = 20.37 + 2 * 1.3; /* m, height of the dam; x of its downstream face */

/* Builds the dam, 2.6 m high, across the channel: two rows of touching crates, two high. Crates of the second row cover
   the gaps of the first, and its ends are inside the walls. Nothing is aligned with the cells. Commits the bodies. */
static void stack_crates(rn_world *world) {
    for (int row = 0; row < 2; row++)
        for (int high = 0; high < 2; high++)
            for (int i = 0; i < CRATES + row; i++)
                make_body(
                    world,
                    blocker_at(dam_x + crate * (row + 0.5), crate * (i + (row ? 0.0 : 0.5)), crate * (high + 0.5)),
                    rn_shape_box((rn_vec3){crate, crate, crate}));
    rn_world_commit(world);
}

/* Creates a channel of 60 m x 13 m with the dam, filled to `level` (m) upstream of it and dry downstream. `s`: other
   settings; its size, cells and lid are replaced. The caller destroys the world. */
static rn_world *dammed_channel(const setup *s, double level) {
    setup full = *s;
    full.nx = CHANNEL;
    full.ny = BREAST;
    full.cell = 1.0;
    full.lid = 8.0;
    rn_world *world = make_world(&full);
    stack_crates(world);
    rn_sdf *upstream = rn_sdf_box((rn_vec3){2.0 * ceil(dam_x), 4.0 * BREAST, 40.0});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level, .shape = upstream});
    rn_sdf_destroy(upstream);
    return world;
}

/* Water with waves stands behind the dam, below its crest, with explicit and with implicit steps; in theory none
   passes. measured[0]: the largest volume that has passed the dam at any time, or the drift of the total volume if that
   is larger (m³). */
void case_dam_leak(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int m = 0; m < BOTH; m++) {
        rn_world *world = dammed_channel(&(setup){.passages = both[m]}, crest - 0.2);
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
        for (int y = 0; y < BREAST; y++)
            for (int x = 0; x < 20; x++) d.data[y * d.row_stride + x] += (float)(0.05 * cos(0.3 * x + 0.5 * y));
        rn_world_commit(world);
        const int behind = rn_world_add_section(world, ceil(foot), BREAST, ceil(foot), 0.0);
        for (int i = 0; i < 1200; i++) {
            rn_world_step(world, 0.05);
            measured[0] = worse(measured[0], fabs(rn_world_read_section(world, behind).volume));
        }
        measured[0] = worse(measured[0], fabs(rn_world_audit(world).drift));
        rn_world_destroy(world);
    }
}

/* Runs the channel for 80 s and then measures for 20 s. Returns the discharge per width over the dam (m²/s). `head`:
   level held upstream above the crest (m). `measured_head`: receives the mean level there, above the crest (m). */
static double weir_discharge(flow_method passages, double head, double *measured_head) {
    enum { STEPS = 400 };
    rn_world *world = dammed_channel(&(setup){.passages = passages, .open_east = true}, crest + head);
    hold_side(world, RN_SIDE_WEST, crest + head);
    const int behind = rn_world_add_section(world, ceil(foot), BREAST, ceil(foot), 0.0);
    const double dt = 0.05;
    for (int i = 0; i < 4 * STEPS; i++) rn_world_step(world, dt);
    const double before = rn_world_read_section(world, behind).volume;
    *measured_head = 0.0;
    for (int i = 0; i < STEPS; i++) {
        rn_world_step(world, dt);
        *measured_head += (rn_world_sample_layer(world, 10.5, 6.5, 0).level - crest) / STEPS;
    }
    const double q = (rn_world_read_section(world, behind).volume - before) / (STEPS * dt * BREAST);
    rn_world_destroy(world);
    return q;
}

/* Water flows over the dam, as over a broad-crested weir: critical flow on the crest, q = (2/3)^1.5 sqrt(g) h^1.5.
   measured[0]: the largest error of the discharge for heads of 0.4, 0.7 and 1 m (%). */
void case_dam_weir(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int m = 0; m < BOTH; m++)
        for (int k = 0; k < 3; k++) {
            double head;
            const double q = weir_discharge(both[m], (double[]){0.4, 0.7, 1.0}[k], &head);
            measured[0] = worse(measured[0], percent(q, pow(2.0 / 3.0, 1.5) * sqrt(GRAVITY) * pow(head, 1.5)));
        }
}

/* ---- A lake at rest ---------------------------------------------------------------------------------------------- */

enum { LAKE = 40 };
static const double lake_cell = 0.5, lake_level = 1.2; /* m */

/* Creates an irregular tetrahedron, about 1.7 m long. The caller, or make_body(), destroys it. */
static rn_shape *make_wedge(void) {
    const float corners[] = {-0.8f, -0.6f, -0.5f, 0.9f, -0.5f, -0.4f, 0.1f, 0.9f, -0.5f, 0.0f, 0.1f, 0.9f};
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    return rn_shape_mesh(corners, 4, faces, 4, NULL);
}

/* Adds 12 tilted bodies that block: some submerged, some emerging, some above others. The caller commits. */
static void add_tilted_bodies(rn_world *world) {
    for (int i = 0; i < 12; i++) {
        rn_body_def def = blocker_at(3.13 + 4.1 * (i % 4), 4.21 + 5.3 * (i / 4 % 3), (double[]){0.4, 0.9, 1.4}[i % 3]);
        if (i >= 9) def.pose.at.x -= 3.4 + 0.3 * i, def.pose.at.z += 0.8;
        def.pose.turn = turn_about((rn_vec3){0.3, 1.0, 0.2 * i}, 0.37 * i);
        make_body(world, def,
                  i % 4 == 0   ? rn_shape_sphere(0.7)
                  : i % 4 == 3 ? make_wedge()
                               : rn_shape_box((rn_vec3){1.7, 1.3, 0.6 + 0.1 * i}));
    }
}

/* Returns the number of columns, in all layers, whose depth differs from `depths`, plus the number of faces through
   which liquid flows. Copies the present depths into `depths`. */
static double count_changes(const rn_world *world, float *depths) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), fx = rn_world_view(world, RN_FIELD_FLUX_X),
            fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    double count = 0.0;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < LAKE; y++)
            for (int x = 0; x < LAKE; x++, depths++) {
                const ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                count += (d.data[i] != *depths) + (fx.data[i] != 0.0f) + (fy.data[i] != 0.0f);
                *depths = d.data[i];
            }
    return count;
}

/* Returns the largest difference between the levels of wet columns and that in a corner, in quanta of depth. Columns
   whose ceiling is less than 0.1 m above that level do not count. */
static double level_spread(const rn_world *world) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    const double quantum = rn_world_describe(world).quantum, level = rn_world_sample_layer(world, 0.25, 0.25, 0).level;
    double most = 0.0;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < LAKE; y++)
            for (int x = 0; x < LAKE; x++) {
                const rn_sample at = rn_world_sample_layer(world, (x + 0.5) * lake_cell, (y + 0.5) * lake_cell, l);
                if (!at.found || at.layer != l || !(at.level > at.base) || at.ceil < level + 0.1) continue;
                const double depth = d.data[l * d.layer_stride + y * d.row_stride + x];
                most = worse(most, fabs(at.level - level) / quantum * depth / (at.level - at.base));
            }
    return most;
}

/* A lake around fixed bodies should come to rest exactly. measured[0]: columns that change and pipes that flow, summed
   over 100 steps after 2000, with explicit and implicit steps (NaN if a cell has more than 6 layers); [1]: spread of
   the levels in the explicit step (quanta). */
void case_body_lake(double measured[MOST_MEASURES]) {
    enum { MOST_LAYERS = 6 };
    measured[0] = measured[1] = 0.0;
    for (int m = 0; m < BOTH; m++) {
        rn_world *world = make_world(
            &(setup){.nx = LAKE, .ny = LAKE, .cell = lake_cell, .lid = 6.0, .friction = 0.05, .passages = both[m]});
        add_tilted_bodies(world);
        rn_world_commit(world);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = lake_level});
        for (int i = 0; i < 2000; i++) rn_world_step(world, 0.04);
        float depths[MOST_LAYERS * LAKE * LAKE];
        if (rn_world_describe(world).layers > MOST_LAYERS) measured[0] = NAN;
        else count_changes(world, depths);
        for (int i = 0; i < 100 && !isnan(measured[0]); i++) {
            rn_world_step(world, 0.04);
            measured[0] += count_changes(world, depths);
        }
        /* The implicit step comes to rest on slopes of a few quanta a cell, with or without bodies. */
        if (both[m] != FLOW_IMPLICIT) measured[1] = level_spread(world);
        rn_world_destroy(world);
    }
}
