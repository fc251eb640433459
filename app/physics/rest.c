/* Cases of `runnel validate`: stirred liquid must come to rest exactly, whatever the friction and the length of the
   calls (case_settle_basins, case_settle_stacks). moves_after() runs a world and counts what still moves. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

static const double call_lengths[] = {3e-3, 1.0 / 60.0, 0.1, 1.5}; /* s; the first is about one substep */
static const double frictions[] = {1.0, 0.9, 0.5, 0.05};           /* omega; 1: no friction */
enum { KINDS = 4 };

/* Returns how long (s) waves take to come to rest with this friction (omega). They decay with exp(-kappa t/2), and from
   a millimetre to a quantum is a factor of exp(13). Without friction, only viscosity and the losses of the step act;
   then the longest time, 300 s, is allowed. */
static double time_to_rest(double friction) {
    return friction < 1.0 ? fmin(30.0 - 30.0 / log(friction), 300.0) : 300.0;
}

/* Returns the number of columns in all layers, including missing ones. */
static size_t count_columns(const rn_world *world) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    return (size_t)d.layers * (size_t)d.cells_x * (size_t)d.cells_y;
}

/* Returns the number of faces that flow plus the number of columns whose depth differs from `before`, which is updated.
   Liquid that moves between layers shows only in the depths. */
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

/* Runs the world for this time (s), in calls of length `call` (s), then returns the largest number of moves
   (count_moves()) in any of 20 further calls. Aborts if memory is lacking. */
static double moves_after(rn_world *world, double seconds, double call) {
    float *before = calloc(count_columns(world), sizeof *before);
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

/* Returns the moves that are left in a rough basin after its time to rest. Viscous water covers all of its ground,
   about 4 mm deep, because a film on an island would drain for hours; there 3 nu / h^2 is 0.2/s, which brings water to
   rest without friction too. Without viscosity (m²/s) the basin has islands. `call`: length of a call (s). */
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

/* Eight rough basins, with each friction combined with two lengths of calls, one of them with viscosity. measured[0]:
   faces that flow and columns that change, summed over the basins. */
void case_settle_basins(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int i = 0; i < 2 * KINDS; i++)
        measured[0] += basin_moves(3u + (uint32_t)i, frictions[i % KINDS], i < KINDS ? 1e-6 : 0.0,
                                   call_lengths[(i + i / KINDS) % KINDS]);
}

/* Returns the moves that are left after its time to rest in stacks of up to five layers, with half of the columns
   filled to a random share of their height, at most 6 mm. There is no viscosity, because films on ledges would drain
   for hours. `cell` (m); `call`: length of a call (s). */
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

/* Eight random stacks, with cells of 4 mm, where many steps are falls, and of 2 cm, where few are. measured[0]: faces
   that flow and columns that change, summed over the stacks. */
void case_settle_stacks(double measured[MOST_MEASURES]) {
    measured[0] = 0.0;
    for (int i = 0; i < 2 * KINDS; i++)
        measured[0] += stack_moves(1u + (uint32_t)i, (i + i / KINDS) % 2 ? 2e-2 : 4e-3, frictions[i % KINDS],
                                   call_lengths[(i + i / KINDS) % KINDS]);
}
