/* Cases of `runnel validate` about drops, puddles and films with surface tension and dynamic contact angles
   (docs/contact.md). Drops on level ground are compared with the equation of Young and Laplace. Many drops run in
   parallel with side_by_side(). */
#include "physics/plates.h"

#include <math.h>
#include <stdlib.h>

static const drop drops[] = {
    {.cell = 0.25e-3, 0.05e-6, 30, 15, 1e-5, 2},  {.cell = 0.25e-3, 0.05e-6, 60, 40, 1e-5, 2},
    {.cell = 0.25e-3, 0.05e-6, 110, 80, 1e-5, 2}, {.cell = 0.5e-3, 0.05e-6, 30, 15, 1e-5, 2},
    {.cell = 0.5e-3, 0.05e-6, 60, 40, 1e-5, 2},   {.cell = 0.5e-3, 0.05e-6, 90, 60, 1e-5, 2},
    {.cell = 0.5e-3, 0.05e-6, 110, 80, 1e-5, 2},  {.cell = 0.5e-3, 0.2e-6, 30, 15, 1e-5, 2},
    {.cell = 0.5e-3, 0.2e-6, 60, 40, 1e-5, 2},    {.cell = 0.5e-3, 0.2e-6, 90, 60, 1e-5, 2},
    {.cell = 0.5e-3, 0.2e-6, 110, 80, 1e-5, 2},   {.cell = 0.5e-3, 1e-6, 60, 40, 1e-5, 3},
    {.cell = 1e-3, 1e-6, 30, 15, 1e-5, 3},        {.cell = 1e-3, 1e-6, 60, 40, 1e-5, 3},
    {.cell = 1e-3, 1e-6, 90, 60, 1e-5, 3},        {.cell = 1e-3, 1e-6, 110, 80, 1e-5, 3},
    {.cell = 1e-3, 5e-6, 60, 40, 1e-5, 4},        {.cell = 1e-3, 5e-6, 110, 80, 1e-5, 4},
};
enum { DROPS = sizeof drops / sizeof drops[0] };

/* Settles drop `i` of `drops` and stores its result in entry `i` of the array `context`. Called in parallel. */
static void settle_one(void *context, int i) { ((drop_result *)context)[i] = settle_drop(&drops[i]); }

/* Drops and puddles of 0.05 to 5 ml settle. Theory (Young and Laplace): their heights are between those for the
   receding and the advancing angle, and they are round. measured[0]: height outside that range (%); [1]: radius along
   the axes against that along diagonals (%); [2]: by how much the smallest radius is below the largest (%). */
void case_drop_height(double measured[MOST_MEASURES]) {
    drop_result found[DROPS];
    measured[0] = measured[1] = measured[2] = 0.0;
    side_by_side(DROPS, settle_one, found);
    for (int i = 0; i < DROPS; i++) {
        measured[0] = worse(measured[0], height_error(&drops[i], found[i].height));
        measured[1] = worse(measured[1], 100.0 * fabs(found[i].uneven - 1.0));
        measured[2] = worse(measured[2], 100.0 * (1.0 - found[i].ragged));
    }
}

/* Drops of water, which has little viscosity, must come to rest exactly. measured[0]: the latest time at which one
   rests (s). */
void case_drop_water(double measured[MOST_MEASURES]) {
    static const drop water[] = {{.cell = 0.5e-3, 0.05e-6, 60, 40, 1e-6, 20},
                                 {.cell = 0.5e-3, 0.2e-6, 30, 15, 1e-6, 20},
                                 {.cell = 0.5e-3, 0.2e-6, 60, 40, 1e-6, 20},
                                 {.cell = 0.25e-3, 0.05e-6, 60, 40, 1e-6, 10}};
    measured[0] = 0.0;
    for (size_t i = 0; i < sizeof water / sizeof water[0]; i++)
        measured[0] = worse(measured[0], settle_drop(&water[i]).rests);
}

static const drop puddles[] = {
    {.cell = 0.5e-3, 0.2e-6, 90, 60, 1e-6, 10},   {.cell = 0.5e-3, 0.2e-6, 110, 80, 1e-6, 10},
    {.cell = 0.5e-3, 0.05e-6, 110, 80, 1e-6, 10}, {.cell = 1e-3, 0.2e-6, 60, 40, 1e-6, 10},
    {.cell = 1e-3, 1e-6, 60, 40, 1e-6, 10},       {.cell = 1e-3, 5e-6, 60, 40, 1e-6, 10}};
enum { PUDDLES = sizeof puddles / sizeof puddles[0] };

/* Settles drop `i` of `puddles` and stores its result in entry `i` of the array `context`. Called in parallel. */
static void settle_puddle(void *context, int i) { ((drop_result *)context)[i] = settle_drop(&puddles[i]); }

/* Larger and steeper drops of water. measured[0]: how many of six still move after 10 s. */
void case_drop_puddles(double measured[MOST_MEASURES]) {
    drop_result found[PUDDLES];
    side_by_side(PUDDLES, settle_puddle, found);
    measured[0] = 0.0;
    for (int i = 0; i < PUDDLES; i++) measured[0] += found[i].rests == INFINITY;
}

/* A drop stays on a slope while rho g V sin <= k w gamma (cos receding - cos advancing), with k = 1 in theory.
   measured[0]: the largest |k - 1|; [1]: how far the steepest slope depends on its direction (%). */
void case_drop_retention(double measured[MOST_MEASURES]) {
    enum { KINDS = 5, DIRECTIONS = 4, ALL = KINDS * DIRECTIONS };
    static const drop kinds[KINDS] = {{.cell = 0.25e-3, 0.05e-6, 70, 40, 1e-5, 0},
                                      {.cell = 0.5e-3, 0.05e-6, 70, 40, 1e-5, 0},
                                      {.cell = 0.5e-3, 0.05e-6, 90, 60, 1e-5, 0},
                                      {.cell = 0.5e-3, 0.1e-6, 60, 30, 1e-5, 0},
                                      {.cell = 1e-3, 0.2e-6, 70, 40, 1e-5, 0}};
    static const double directions[DIRECTIONS] = {0, 15, 30, 45};
    incline cases[ALL];
    for (int i = 0; i < ALL; i++)
        cases[i] = (incline){.drop = kinds[i / DIRECTIONS], .azimuth = directions[i % DIRECTIONS] * DEGREE};
    side_by_side(ALL, find_steepest, cases);
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < ALL; i++) {
        measured[0] = worse(measured[0], fabs(cases[i].k - 1.0));
        measured[1] = worse(measured[1], fabs(percent(cases[i].degrees, cases[i / DIRECTIONS * DIRECTIONS].degrees)));
    }
}

/* ---- Wet ground, films, and where contact must change nothing ---------------------------------------------------- */

/* Empties the plate, places a drop near its upper edge and returns how long (s) its centre of mass takes for 10 mm
   downhill, along +x; at most 5 s. The ground keeps its wetness. */
static double run_down(rn_world *world, int cells, double cell) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++)
            d.data[y * d.row_stride + x] =
                hypot((x + 0.5) * cell - 0.008, (y + 0.5 - 0.5 * cells) * cell) < 0.004 ? 1.5e-3f : 0.0f;
    rn_world_commit(world);
    double time = 0.0;
    while (time < 5.0 && look_across(world, cell, 0.0).middle < 0.018)
        rn_world_step(world, FRAME / 4.0), time += FRAME / 4.0;
    return time;
}

/* A drop runs down a plate of 30 degrees, and then another over the wet trail of the first. measured[0]: time on the
   wet trail over time on dry ground; it should be less than 1. */
void case_drop_trail(double measured[MOST_MEASURES]) {
    enum { CELLS = 80 };
    const rn_liquid liquid = plate_liquid(60.0, 30.0, 1e-5);
    rn_world *world = make_plate(CELLS, 0.5e-3, &liquid, 30.0 * DEGREE, 0.0);
    const double dry = run_down(world, CELLS, 0.5e-3), wet = run_down(world, CELLS, 0.5e-3);
    rn_world_destroy(world);
    measured[0] = wet / dry;
}

/* A film of 0.3 mm on a plate that it does not wet must break up. measured[0]: share of the plate that is still covered
   after 3 s; [1]: volume lost or gained (m³). */
void case_film_breakup(double measured[MOST_MEASURES]) {
    enum { CELLS = 100 };
    const rn_liquid liquid = plate_liquid(100.0, 80.0, 1e-6);
    rn_world *world = make_plate(CELLS, 0.5e-3, &liquid, 0.0, 0.0);
    double *depth = calloc(CELLS * CELLS, sizeof *depth);
    if (!depth) abort();
    uint32_t seed = 7;
    for (int i = 0; i < CELLS * CELLS; i++) depth[i] = 0.3e-3 * (0.95 + 0.1 * random_unit(&seed));
    set_depths(world, depth);
    free(depth);
    const double volume = rn_world_volume(world);
    for (int frame = 0; frame < 180; frame++) rn_world_step(world, FRAME);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    int covered = 0;
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) covered += d.data[y * d.row_stride + x] > 0.1e-3f;
    measured[0] = (double)covered / (CELLS * CELLS);
    measured[1] = fabs(rn_world_volume(world) - volume);
    rn_world_destroy(world);
}

/* Returns how far (cells of 4 mm) honey has spread after 1 s, in a case where gravity dominates. */
static double spread_of_honey(rn_contact contact) {
    enum { CELLS = 100 };
    const double cell = 4e-3;
    rn_liquid liquid = plate_liquid(40.0, 20.0, 1e-2);
    rn_world *world =
        make_world(&(setup){.nx = CELLS, .ny = CELLS, .cell = cell, .lid = 0.2, .liquid = &liquid, .contact = contact});
    place_drop(world, CELLS, &(drop){.cell = cell, .volume = 1.6e-3}, 0.08);
    for (int frame = 0; frame < 60; frame++) rn_world_step(world, FRAME);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    const double height = depth_between(&d, 0.5 * CELLS, 0.5 * CELLS),
                 radius = drop_reach(&d, 0.5 * CELLS, 0.5 * CELLS, 0.0, height);
    rn_world_destroy(world);
    return radius;
}

/* Runs water on a shore with cells of 1 m for 1 s and returns the hash of its state. */
static uint64_t shore_hash(rn_contact contact) {
    enum { N = 60 };
    double heights[N * 4], depth[N * 4];
    for (int i = 0; i < N * 4; i++)
        heights[i] = 0.1 * (i % N), depth[i] = fmax(3.0 - heights[i], 0.0) + (i % N < 10 ? 0.5 : 0.0);
    const rn_liquid liquid = plate_liquid(60.0, 40.0, 1e-6);
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = 4,
                                          .cell = 1.0,
                                          .heights = heights,
                                          .lid = 20.0,
                                          .friction = 0.5,
                                          .liquid = &liquid,
                                          .contact = contact});
    set_depths(world, depth);
    for (int frame = 0; frame < 60; frame++) rn_world_step(world, FRAME);
    const uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

/* Dynamic contact angles must hardly matter where gravity dominates. measured[0]: change of the spread of honey (%);
   [1]: 1 if a shore with cells of 1 m differs in any bit, else 0. */
void case_contact_off(double measured[MOST_MEASURES]) {
    measured[0] = fabs(percent(spread_of_honey(RN_CONTACT_DYNAMIC), spread_of_honey(RN_CONTACT_STATIC)));
    measured[1] = shore_hash(RN_CONTACT_DYNAMIC) == shore_hash(RN_CONTACT_STATIC) ? 0.0 : 1.0;
}
