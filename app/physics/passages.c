/* Cases of `runnel validate` about flow through passages, columns that are full to their ceilings: U-tubes, bends,
   crossings, chambers, vaults and slots, and that they lose no volume. Most worlds are drawn as a `plan` (physics.h).
   Explicit (FLOW_UNIFIED_LONG) and implicit steps are tested. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

static const flow_method best[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT};
enum { BEST = sizeof best / sizeof best[0] };

/* ---- Oscillations ----------------------------------------------------------------------------------------- */

/* Returns the error (%) of the period of a U-tube with a tunnel of `length` cells. It starts in its slowest mode, and
   only that mode is watched, so that its zero crossings over two periods are clean. Returns NaN if it took more than 5
   s. */
static double swing_error(flow_method method, int length) {
    enum { CROSSINGS = 5 };
    const plan p = utube_plan(length);
    const double theta = utube_wave(length), high = 0.5e-3;
    rn_world *world = plan_world(&p, &(setup){.passages = method});
    plan_fill(world, &p, (double[]){UTUBE_LEVEL, UTUBE_LEVEL});
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double shape[UTUBE_BASIN];
    for (int i = 0; i < UTUBE_BASIN; i++) {
        shape[i] = cos(theta * (i + 0.5));
        d.data[i] = (float)(UTUBE_LEVEL + high * shape[i]);
        d.data[p.nx - 1 - i] = (float)(UTUBE_LEVEL - high * shape[i]);
    }
    rn_world_commit(world);
    double crossing[CROSSINGS], time = 0.0, before = 1.0;
    for (int count = 0; count < CROSSINGS;) {
        const double dt = step_within_limit(world);
        time += dt;
        if (time > 5.0) crossing[count++] = NAN;
        double swing = 0.0;
        for (int i = 0; i < UTUBE_BASIN; i++) swing += shape[i] * ((double)d.data[i] - d.data[p.nx - 1 - i]);
        if (count < CROSSINGS && (swing > 0.0) != (before > 0.0))
            crossing[count++] = time - dt * swing / (swing - before);
        before = swing;
    }
    rn_world_destroy(world);
    return percent((crossing[CROSSINGS - 1] - crossing[0]) / 2.0, 2.0 * acos(-1.0) / utube_frequency(length));
}

/* Two basins oscillate through a full tunnel. Theory: utube_frequency(). measured[0], [1], [2]: error of the period
   with tunnels of 5, 20 and 80 cells (%). */
void case_utube(double measured[MOST_MEASURES]) {
    for (int k = 0; k < 3; k++) {
        measured[k] = 0.0;
        for (int m = 0; m < BEST; m++) measured[k] = worse(measured[k], swing_error(best[m], (int[]){5, 20, 80}[k]));
    }
}

/* A difference of levels decays with friction; in theory to 0. measured[0]: the largest difference left after 8 s, in %
   of the first. */
void case_utube_level(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int m = 0; m < BEST; m++)
        for (int k = 0; k < 3; k++) {
            const plan p = utube_plan((int[]){5, 20, 80}[k]);
            const double first = 4e-3;
            rn_world *world = plan_world(&p, &(setup){.passages = best[m], .viscosity = 1e-6, .friction = 0.01});
            plan_fill(world, &p, (double[]){UTUBE_LEVEL + 0.5 * first, UTUBE_LEVEL - 0.5 * first});
            for (int i = 0; i < 480; i++) rn_world_step(world, 1.0 / 60.0);
            const double left = plan_level(world, &p, 'A') - plan_level(world, &p, 'B');
            measured[0] = worse(measured[0], 100.0 * fabs(left) / first);
            rn_world_destroy(world);
        }
}

/* ---- Corners, branches, chambers ----------------------------------------------------------------------------- */

/* Returns how far (%) the time at which the levels of basins a and b first meet with explicit steps is from that with
   implicit steps, which at so short a substep are exact except for the grid, and both share the grid. `levels`: the
   initial levels of all basins (m). */
static double crossing_error(const plan *p, const double *levels, char a, char b) {
    double time[2];
    for (int k = 0; k < 2; k++) {
        rn_world *world = plan_world(p, &(setup){.passages = k ? FLOW_IMPLICIT : FLOW_UNIFIED_LONG, .courant = 0.5});
        plan_fill(world, p, levels);
        time[k] = first_crossing(world, p, a, b, 2.0);
        rn_world_destroy(world);
    }
    return percent(time[0], time[1]);
}

/* The levels of two basins meet through a tunnel with one corner. measured[0]: difference of the time at which they
   first meet from that with implicit steps (%). */
void case_bend(double measured[MOST_MEASURES]) {
    const plan p = bend_plan();
    measured[0] = crossing_error(&p, (double[]){22e-3, 18e-3}, 'A', 'B');
}

/* Four basins around a crossing, with arms of different lengths, so that they do not reach the mean level at the same
   time. measured[0]: the largest difference of the time at which two levels first meet from that with implicit steps
   (%). */
void case_cross(double measured[MOST_MEASURES]) {
    plan p = plan_solid(48, 40);
    plan_draw(&p, 0, 14, 10, 10, 'A');
    plan_draw(&p, 38, 14, 10, 10, 'B');
    plan_draw(&p, 15, 0, 10, 10, 'C');
    plan_draw(&p, 15, 30, 10, 10, 'D');
    plan_draw(&p, 10, 17, 28, 4, '.');
    plan_draw(&p, 18, 10, 4, 20, '.');
    const double levels[] = {23e-3, 18e-3, 17e-3, 20e-3};
    measured[0] = worse(crossing_error(&p, levels, 'A', 'B'), crossing_error(&p, levels, 'D', 'C'));
}

/* The levels of two basins meet through a tunnel with a wide, higher chamber and a blind arm. measured[0]: difference
   of the time at which they first meet from that with implicit steps (%). */
void case_chamber(double measured[MOST_MEASURES]) {
    plan p = plan_solid(54, 28);
    plan_draw(&p, 0, 8, 12, 12, 'A');
    plan_draw(&p, 12, 12, 30, 4, '.');
    plan_draw(&p, 19, 6, 16, 16, ':');
    plan_draw(&p, 25, 22, 4, 6, '.');
    plan_draw(&p, 42, 8, 12, 12, 'B');
    measured[0] = crossing_error(&p, (double[]){22e-3, 18e-3}, 'A', 'B');
}

/* ---- A vault that floods and drains ---------------------------------------------------------------------------- */

/* Returns the largest second difference of the level within the two basins (m). `depth`: the depths (m) of the `nx`
   cells of a row; `basin`: cells in each basin, at both ends. */
static double level_curvature(const float *depth, int basin, int nx) {
    double most = 0.0;
    for (int i = 1; i < nx - 1; i++) {
        if (i >= basin - 1 && i <= nx - basin) continue;
        most = worse(most, fabs((double)depth[i - 1] - 2.0 * (double)depth[i] + (double)depth[i + 1]));
    }
    return most;
}

/* Columns under a half-sine ceiling are flooded one by one and drained again; this must cause no ripples outside.
   measured[0]: the largest second difference of the level in the basins (m); NaN if the vault did not flood and drain
   twice. */
void case_vault(double measured[MOST_MEASURES]) {
    enum { BASIN = 14, LENGTH = 30, NX = 2 * BASIN + LENGTH };
    const double cell = 1e-3, lid = 30e-3, start = 1e-3, rate = 1.12e-7, filling = 4.0;
    rn_column columns[NX];
    int32_t counts[NX];
    for (int i = 0; i < NX; i++) {
        const double along = (i - BASIN + 0.5) / LENGTH;
        columns[i] =
            (rn_column){-INFINITY, 0.0, along > 0.0 && along < 1.0 ? 3e-3 + 5e-3 * sin(acos(-1.0) * along) : lid};
        counts[i] = 1;
    }
    rn_world *world = make_world_on(make_terrain(NX, 1, cell, lid, columns, counts),
                                    &(setup){.viscosity = 1e-6, .friction = 0.5, .passages = FLOW_IMPLICIT});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = start});
    rn_sdf *basin = rn_sdf_box((rn_vec3){2.0 * BASIN * cell, 1.0, 1.0});
    for (int k = 0; k < 4; k++) { /* fill, drain, fill, drain, spread over one basin */
        rn_source_def def = rn_source_default();
        def.kind = k % 2 ? RN_SOURCE_DRAIN : RN_SOURCE_RATE;
        def.shape = basin;
        def.rate = rate;
        def.start = k * filling;
        def.stop = (k + 1) * filling;
        rn_world_add_source(world, &def);
    }
    rn_sdf_destroy(basin);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), c = rn_world_view(world, RN_FIELD_CEIL);
    const ptrdiff_t crown = NX / 2;
    int floods = 0;
    bool full = false;
    measured[0] = 0.0;
    for (double time = 0.0; time < 4.0 * filling;) {
        time += step_within_limit(world);
        measured[0] = worse(measured[0], level_curvature(d.data, BASIN, NX));
        const double room = (double)c.data[crown] - d.data[crown];
        if (!full && room < 1e-6) full = true, floods++;
        if (room > 1e-3) full = false;
    }
    if (floods != 2 || full) measured[0] = NAN; /* it did not flood and drain as planned */
    rn_world_destroy(world);
}

/* ---- Slots ------------------------------------------------------------------------------------------------- */

/* Adds a source that holds the level (m) of the cells between x = `from` and `to` (m), across the first 5 cm of y. */
static void hold_level(rn_world *world, double from, double to, double level) {
    rn_sdf *basin = rn_sdf_move(rn_sdf_box((rn_vec3){to - from, 0.1, 1.0}), (rn_vec3){0.5 * (from + to), 0.0, 0.0});
    rn_source_def def = rn_source_default();
    def.kind = RN_SOURCE_LEVEL;
    def.shape = basin;
    def.level = level;
    rn_world_add_source(world, &def);
    rn_sdf_destroy(basin);
}

/* Returns the steady discharge per width (m²/s), from 0.25 s to 0.5 s, through a full slot between two basins whose
   levels are held. height, length: those of the slot (m, cells); viscosity in m²/s; head: the difference of the levels
   (m). */
static double slot_discharge(flow_method method, double height, int length, double viscosity, double head) {
    plan p = utube_plan(length);
    p.tunnel = height;
    const double high = UTUBE_LEVEL + 0.5 * head, low = UTUBE_LEVEL - 0.5 * head, cell = UTUBE_CELL;
    rn_world *world = plan_world(&p, &(setup){.passages = method, .viscosity = viscosity});
    plan_fill(world, &p, (double[]){high, low});
    hold_level(world, 0.0, UTUBE_BASIN * cell, high);
    hold_level(world, (UTUBE_BASIN + length) * cell, p.nx * cell, low);
    double passed[2] = {0.0, 0.0};
    const double time = 0.25;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 25; i++) rn_world_step(world, time / 25.0);
        rn_audit audit = rn_world_audit(world);
        passed[k] = 0.5 * (audit.poured + audit.drained);
    }
    rn_world_destroy(world);
    return (passed[1] - passed[0]) / (time * cell);
}

/* Returns Poiseuille's discharge per width between plates (m²/s): the mean speed is g H^2/12nu times the slope of the
   head. height, length, head in m; viscosity in m²/s. */
static double poiseuille(double height, double length, double viscosity, double head) {
    return GRAVITY * height * height * height * head / (12.0 * viscosity * length);
}

/* Viscous flow through a full slot, so long that half a cell at each mouth does not matter. measured[0]: the largest
   error of the discharge against Poiseuille's (%). */
void case_culvert(double measured[MOST_MEASURES]) {
    const double height = 5e-3, viscosity = 1e-3, head = 2e-3;
    const int length = 100;
    measured[0] = 0.0;
    for (int m = 0; m < BEST; m++)
        measured[0] = worse(measured[0], percent(slot_discharge(best[m], height, length, viscosity, head),
                                                 poiseuille(height, length * UTUBE_CELL, viscosity, head)));
}

/* Viscous flow through slots 3 to 8 mm high; the discharge must grow with the cube of the height. measured[0]: the
   largest error (%). */
void case_passage_height(double measured[MOST_MEASURES]) {
    const double heights[] = {3e-3, 5e-3, 8e-3}, viscosity = 4e-3, head = 2e-3;
    measured[0] = 0.0;
    for (int m = 0; m < BEST; m++) {
        double q[3];
        for (int k = 0; k < 3; k++) q[k] = slot_discharge(best[m], heights[k], 20, viscosity, head);
        for (int k = 0; k < 3; k += 2)
            measured[0] = worse(measured[0], percent(q[k] / q[1], pow(heights[k] / heights[1], 3.0)));
    }
}

/* Each further cell of a slot must add the same resistance, that of Poiseuille's flow. Differences between lengths are
   taken, so that the mouths cancel. measured[0]: the largest error (%). */
void case_passage_length(double measured[MOST_MEASURES]) {
    const int lengths[] = {10, 20, 40};
    const double height = 5e-3, viscosity = 4e-3, head = 2e-3;
    measured[0] = 0.0;
    for (int m = 0; m < BEST; m++) {
        double resistance[3];
        for (int k = 0; k < 3; k++) resistance[k] = head / slot_discharge(best[m], height, lengths[k], viscosity, head);
        for (int k = 0; k < 2; k++) {
            const double length = (lengths[k + 1] - lengths[k]) * UTUBE_CELL;
            measured[0] = worse(measured[0], percent(resistance[k + 1] - resistance[k],
                                                     head / poiseuille(height, length, viscosity, head)));
        }
    }
}

/* A full culvert ends in the air. Theory: the head above the top of the opening, less friction and viscous losses along
   its length, becomes u^2/2g. measured[0]: the largest error of the speed for three depths (%). */
void case_culvert_jet(double measured[MOST_MEASURES]) {
    enum { POND = 10, LENGTH = 30, PIT = 10, ROW = POND + LENGTH + PIT };
    const double cell = 1e-3, height = 5e-3, floor = 20e-3, viscosity = 1e-6, friction = 0.5, lid = 60e-3;
    const double depths[] = {8e-3, 12e-3, 20e-3};
    measured[0] = 0.0;
    for (int k = 0; k < 3; k++) {
        rn_column columns[ROW];
        int32_t counts[ROW];
        for (int i = 0; i < ROW; i++) {
            const bool culvert = i >= POND && i < POND + LENGTH;
            columns[i] = (rn_column){-INFINITY, i < POND + LENGTH ? floor : 0.0, culvert ? floor + height : lid};
            counts[i] = 1;
        }
        rn_world *world = make_world_on(make_terrain(ROW, 1, cell, lid, columns, counts),
                                        &(setup){.viscosity = viscosity, .friction = friction, .open_east = true});
        rn_source_def level = rn_source_default();
        level.kind = RN_SOURCE_LEVEL;
        level.level = floor + depths[k];
        level.along_side = true;
        rn_world_add_source(world, &level);
        rn_world_step(world, 3.0);
        const double before = rn_world_audit(world).left, time = 1.0;
        rn_world_step(world, time);
        const double speed = (rn_world_audit(world).left - before) / (time * cell * height);
        const double slowed = (-log(friction) + 12.0 * viscosity / (height * height)) * (LENGTH + 1) * cell;
        const double head = GRAVITY * (depths[k] - height);
        measured[0] = worse(measured[0], percent(speed, sqrt(slowed * slowed + 2.0 * head) - slowed));
        rn_world_destroy(world);
    }
}

/* ---- Volume ---------------------------------------------------------------------------------------------------- */

/* Returns how many columns have become full, or are no longer full, since `flooded` was last updated, and updates it.
   `flooded` has one element for each layer and cell, also where there is no column. Full: within 64 quanta of the
   ceiling. */
static int count_toggled(const rn_world *world, bool *flooded) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            c = rn_world_view(world, RN_FIELD_CEIL);
    const double most = 64.0 * rn_world_describe(world).quantum;
    int count = 0;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++, flooded++) {
                const ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                if (b.data[i] >= RN_NO_COLUMN) continue;
                const bool now = (double)c.data[i] - b.data[i] - d.data[i] <= most;
                count += now != *flooded;
                *flooded = now;
            }
    return count;
}

/* Floods and drains random stacks repeatedly, with fluxes set at random, until `steps` substeps are done. Model,
   viscosity, edges and ground depend on the seed. Raises *drift to the largest drift (m³; NaN if it took too few
   substeps), and adds columns out of bounds to *broken. Returns how often columns became full or not full. */
static int flood_and_drain(flow_method method, uint32_t seed, uint64_t steps, double *drift, double *broken) {
    enum { PLACES = 4, PHASE = 80, SUBSTEPS = 5, CELLS = 7, MOST_LAYERS = 3 };
    const double cell = 1e-3, length = CELLS * cell, rate = 5e-7;
    const bool by_paper = method == FLOW_UNIFIED || method == FLOW_AXIS;
    const setup s = {.viscosity = seed % 3 ? 4e-6 : 0.0,
                     .friction = 0.5,
                     .max_substeps = SUBSTEPS,
                     .model = by_paper && seed % 2 ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL,
                     .passages = method,
                     .periodic_x = seed % 4 == 1,
                     .periodic_y = seed % 4 >= 2,
                     .open_west = seed % 4 == 2,
                     .open_east = seed % 4 == 2,
                     .drop_y = seed % 4 == 3 ? 1e-3 : 0.0};
    rn_world *world =
        make_world_on(random_stacks(CELLS, MOST_LAYERS, cell, seed, seed % 4 ? STACKS_PLAIN : STACKS_RAGGED), &s);
    uint32_t random = seed * 77u;
    int pour[PLACES], drain[PLACES];
    for (int i = 0; i < PLACES; i++) {
        const rn_vec3 in = {length * random_unit(&random), length * random_unit(&random), 0.03 * random_unit(&random)};
        const rn_vec3 out = {length * random_unit(&random), length * random_unit(&random), 0.01 * random_unit(&random)};
        pour[i] = rn_world_pour(world, in, 2.0 * cell, 0.0);
        drain[i] = rn_world_drain(world, out, 2.0 * cell, 0.0);
    }
    bool flooded[CELLS * CELLS * MOST_LAYERS] = {false};
    int toggles = 0;
    for (uint64_t call = 0; rn_world_get_stats(world).steps < steps && call < steps; call++) {
        if (call % PHASE == 0)
            for (int i = 0; i < PLACES; i++) {
                const bool in = call / PHASE % 2 == 0;
                rn_world_set_rate(world, pour[i], in ? rate : 0.0);
                rn_world_set_rate(world, drain[i], in ? 0.0 : rate);
            }
        rn_world_step(world, SUBSTEPS * 4e-3); /* more than SUBSTEPS can simulate: time runs slower */
        *drift = worse(*drift, fabs(rn_world_audit(world).drift));
        *broken += broken_columns(world);
        if (call % 10 == 0) toggles += count_toggled(world, flooded);
        if (call % 23 != 0) continue;
        rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X);
        for (int i = 0; i < 5; i++) {
            const int x = (int)(random_unit(&random) * (CELLS - 1)), y = (int)(random_unit(&random) * CELLS);
            fx.data[y * fx.row_stride + x] =
                (float)((2.0 * random_unit(&random) - 1.0) * 1e-4 * pow(10.0, -6.0 * random_unit(&random)));
        }
        rn_world_commit(world);
    }
    if (rn_world_get_stats(world).steps < steps) *drift = NAN;
    rn_world_destroy(world);
    return toggles;
}

/* Volume must be exact while passages flood and drain, with four methods. measured[0]: the largest drift (m³; NaN if
   columns became full or not full less than 200 times with a method); [1]: columns out of bounds, summed over
   all runs. */
void case_passage_volume(double measured[MOST_MEASURES]) {
    static const struct {
        flow_method method;
        uint32_t seeds;
        uint64_t steps;
    } runs[] = {{FLOW_UNIFIED_LONG, 8, 12500}, {FLOW_IMPLICIT, 4, 2500}, {FLOW_UNIFIED, 4, 2500}, {FLOW_AXIS, 4, 2500}};
    measured[0] = measured[1] = 0.0;
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        int toggles = 0;
        for (uint32_t seed = 1; seed <= runs[k].seeds; seed++)
            toggles += flood_and_drain(runs[k].method, seed, runs[k].steps, &measured[0], &measured[1]);
        if (toggles < 200) measured[0] = NAN; /* too little flooded and drained */
    }
}
