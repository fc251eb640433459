/* Liquid that was stirred comes to rest exactly, whatever the friction and however long the calls. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

static const double call_lengths[] = {3e-3, 1.0 / 60.0, 0.1, 1.5}; /* s; the first is about one substep */
static const double frictions[] = {1.0, 0.9, 0.5, 0.05};           /* omega; 1: none is lost */
enum { KINDS = 4 };

/* Waves fall with exp(-kappa t/2), and from a millimetre to a quantum takes a factor of exp(13). Without friction a
   step has only its viscosity or its own losses, and as long as the weakest friction here. */
static double time_to_rest(double friction) {
    return friction < 1.0 ? fmin(30.0 - 30.0 / log(friction), 300.0) : 300.0;
}

static size_t columns_of(const rn_world *world) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    return (size_t)d.layers * (size_t)d.cells_x * (size_t)d.cells_y;
}

/* Faces that flow, and columns whose depth is not what `before` says, which is then brought up to date. Liquid that
   goes from one layer to another shows in the depths only. */
static double count_moves(const rn_world *world, float *before) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), fx = rn_world_view(world, RN_FIELD_FLUX_X),
            fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    double moves = 0.0;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++, before++) {
                const ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                moves += (d.data[i] != *before) + (fx.data[i] != 0.0f) + (fy.data[i] != 0.0f);
                *before = d.data[i];
            }
    return moves;
}

/* Runs for so many seconds, then counts what flows or has changed during 20 more calls: the most of any call. */
static double moves_after(rn_world *world, double seconds, double call) {
    float *before = calloc(columns_of(world), sizeof *before);
    if (!before) abort();
    for (double time = 0.0; time < seconds; time += call) rn_world_step(world, call);
    count_moves(world, before);
    double moves = 0.0;
    for (int i = 0; i < 20; i++) {
        rn_world_step(world, call);
        moves = worse(moves, count_moves(world, before));
    }
    free(before);
    return moves;
}

/* A rough basin. Viscous water covers all of its ground, about 4 mm deep: a film on an island would still drain after
   hours. There 3 nu / h^2 is 0.2/s, so that water comes to rest without friction, too. Without viscosity the basin has
   islands. */
static double basin_moves(uint32_t seed, double friction, double viscosity, double call) {
    enum { N = 24 };
    const double cell = 2e-3, level = viscosity > 0.0 ? 9e-3 : 6e-3;
    double heights[N * N], depths[N * N];
    uint32_t random = seed;
    for (int i = 0; i < N * N; i++) {
        const int x = i % N, y = i / N;
        heights[i] = 2e-3 * random_unit(&random) + 2.5e-3 * (1.0 + sin(0.4 * x) * cos(0.5 * y));
        depths[i] = fmax(level + 1e-3 * cos(0.2 * x) * sin(0.3 * y) - heights[i], 0.0);
    }
    rn_world *world = make_world(&(setup){
        .nx = N, .ny = N, .cell = cell, .heights = heights, .lid = 0.03, .friction = friction, .viscosity = viscosity});
    set_depths(world, depths);
    const double moves = moves_after(world, time_to_rest(friction), call);
    rn_world_destroy(world);
    return moves;
}

/* Each friction meets two call lengths, one of them with viscosity. */
void case_settle_basins(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int i = 0; i < 2 * KINDS; i++)
        measured[0] += basin_moves(3u + (uint32_t)i, frictions[i % KINDS], i < KINDS ? 1e-6 : 0.0,
                                   call_lengths[(i + i / KINDS) % KINDS]);
}

/* Stacks of up to five layers, half of the columns filled to a random share of their height. No viscosity, for the
   films on ledges would drain for hours. */
static double stack_moves(uint32_t seed, double cell, double friction, double call) {
    enum { N = 12 };
    rn_world *world = make_world_on(random_stacks(N, 5, cell, seed, STACKS_PLAIN), &(setup){.friction = friction});
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            c = rn_world_view(world, RN_FIELD_CEIL);
    uint32_t random = 77u * seed;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                const ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                if (b.data[i] >= RN_NO_COLUMN) continue;
                const double share = fmax(2.0 * random_unit(&random) - 1.0, 0.0);
                d.data[i] = (float)(share * fmin(c.data[i] - b.data[i], 6e-3));
            }
    rn_world_commit(world);
    const double moves = moves_after(world, time_to_rest(friction), call);
    rn_world_destroy(world);
    return moves;
}

/* Cells of 4 mm, where many steps are falls, and of 2 cm, where few are. */
void case_settle_stacks(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int i = 0; i < 2 * KINDS; i++)
        measured[0] += stack_moves(1u + (uint32_t)i, (i + i / KINDS) % 2 ? 2e-2 : 4e-3, frictions[i % KINDS],
                                   call_lengths[(i + i / KINDS) % KINDS]);
}
