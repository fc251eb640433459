/* Rows passages-... of `runnel bench`: the cost of liquid that fills columns to their ceiling. substep_ratio() compares
   the time of a substep with and without passages; implicit_ratio() and bench_passages_break_even() compare a simulated
   second with implicit and explicit steps; bench_passages_iterations() counts the iterations of the implicit solver. */
#include "bench/bench.h"
#include "common/progress.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Scenes ------------------------------------------------------------------------------------------------ */

/* Three floors of 100 x 100 cells. On the lowest, a wall surrounds a basin in the middle; four tunnels lead through
   the wall to the area around it. */
#define TUNNEL_CEILING 0.005 /* m */
#define DECK           0.02  /* m, underside of the first deck */

/* Returns how far a cell is from the middle along one axis (cells). */
static double from_middle(int cells, int at) { return fabs(at + 0.5 - 0.5 * cells); }

/* Writes the columns of cell (x, y) of the scene with tunnels, from below, and returns their number: 2 where the wall
   is solid, else 3. */
static int tunnels_stack(int cells, int x, int y, rn_column *columns) {
    const double dx = from_middle(cells, x), dy = from_middle(cells, y), away = fmax(dx, dy);
    const bool wall = away > 20 && away < 30, tunnel = wall && fmin(dx, dy) < 4;
    const rn_column ground = {-INFINITY, 0.0, tunnel ? TUNNEL_CEILING : DECK};
    const rn_column first = {wall && !tunnel ? -INFINITY : ground.ceil, 0.021, 0.03};
    int count = 0;
    if (!wall || tunnel) columns[count++] = ground;
    columns[count++] = first;
    columns[count++] = (rn_column){first.ceil, 0.031, 0.04};
    return count;
}

/* Returns a factor from 1 at x = 0 (west) to -1 at x = `cells` (east). The liquid on every floor sloshes, so that no
   solver can skip rows at rest. */
static double slosh(int cells, int x) { return cos(3.14159265358979 * (x + 0.5) / cells); }

/* Returns the level of the liquid on a deck, or on the ground of the low tunnels: about 2 mm above the base (m). */
static double deck_level(int cells, int x, const rn_column *column) {
    return column->base + 0.002 + 0.0003 * slosh(cells, x);
}

/* Returns the level (m) that fills the tunnels: about 15 mm in the basin and 10 mm outside, so that they flow. On decks
   it is deck_level(). */
static double flooded_level(int cells, int x, int y, const rn_column *column) {
    if (column->base > 0.0) return deck_level(cells, x, column);
    const bool basin = fmax(from_middle(cells, x), from_middle(cells, y)) < 20;
    return (basin ? 0.015 : 0.01) + 0.0005 * slosh(cells, x);
}

/* Returns a level (m) far below the ceilings of the tunnels, about 2 mm above the base everywhere. `y` is not
   needed. */
static double low_level(int cells, int x, int y, const rn_column *column) {
    (void)y;
    return deck_level(cells, x, column);
}

static const bench_scene flooded_tunnels = {100, 5e-4, 0.04, 4e-6, 0.5, tunnels_stack, flooded_level};
static const bench_scene low_tunnels = {100, 5e-4, 0.04, 4e-6, 0.5, tunnels_stack, low_level};

/* Writes the one column of a cell of the deep basin, 200 m x 200 m with 20 m of water; a slab over its middle 60 m x 60
   m dips 5 m into the water. Returns 1. */
static int deep_stack(int cells, int x, int y, rn_column *columns) {
    const bool roofed = fmax(from_middle(cells, x), from_middle(cells, y)) < 30;
    columns[0] = (rn_column){-INFINITY, 0.0, roofed ? 15.0 : 30.0};
    return 1;
}

/* Returns the level of still water in the deep basin (m); it is the same everywhere. */
static double deep_level(int cells, int x, int y, const rn_column *column) {
    (void)cells, (void)x, (void)y, (void)column;
    return 20.0;
}

static const bench_scene deep_basin = {200, 1.0, 30.0, 1e-6, 0.999, deep_stack, deep_level};

/* Returns the stream function of one eddy (m^3/s) at corner (x, y) of the cells of 1 m: at most 0.1 m/s fast in 20 m of
   water. The flux through a face is the difference between its two corners, so that no level changes at first. */
static double eddy_stream(int cells, int x, int y) {
    const double pi = 3.14159265358979, scale = 0.1 * 20.0 * cells / pi;
    return scale * sin(pi * x / cells) * sin(pi * y / cells);
}

/* Sets the fluxes of the eddy that the stream function describes in the lowest layer of a square world, and commits
   them. Returns the same world; exits on failure. */
static rn_world *start_eddy(rn_world *world) {
    const rn_view along_x = rn_world_view(world, RN_FIELD_FLUX_X), along_y = rn_world_view(world, RN_FIELD_FLUX_Y);
    const int n = along_x.cells_x;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const ptrdiff_t at = y * along_x.row_stride + x;
            const double here = eddy_stream(n, x + 1, y + 1);
            if (x + 1 < n) along_x.data[at] = (float)(here - eddy_stream(n, x + 1, y));
            if (y + 1 < n) along_y.data[at] = (float)(eddy_stream(n, x, y + 1) - here);
        }
    bench_must(rn_world_commit(world));
    return world;
}

/* Multiplies the depths of the lowest layer by 1.01 in the west to 0.99 in the east, and commits them. Returns the same
   world; exits on failure. */
static rn_world *tilt_surface(rn_world *world) {
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < depth.cells_y; y++)
        for (int x = 0; x < depth.cells_x; x++)
            depth.data[y * depth.row_stride + x] *= 1.0f + 0.01f * (float)slosh(depth.cells_x, x);
    bench_must(rn_world_commit(world));
    return world;
}

/* Writes the one column of a cell: the western half lies under a slab at 8 cm, which slab_level() reaches; the eastern
   half is open up to 20 cm. Returns 1. */
static int slab_stack(int cells, int x, int y, rn_column *columns) {
    (void)y;
    columns[0] = (rn_column){-INFINITY, 0.0, 2 * x < cells ? 0.08 : 0.2};
    return 1;
}

/* Returns a level of about 10 cm that is tilted from south to north and choppy, with waves of every length (m). */
static double slab_level(int cells, int x, int y, const rn_column *column) {
    (void)column;
    uint32_t random = (uint32_t)(y * cells + x) * 2654435761u + 1u;
    return 0.1 + 0.004 * slosh(cells, y) + 0.004 * random_unit(&random);
}

/* ---- Races -------------------------------------------------------------------------------------------------- */

/* Worlds that differ in how they are stepped. Every run starts again from the same state, in which liquid flows
   already, so that all runs of a world do the same work. */
typedef struct race {
    rn_world *worlds[MOST_VARIANTS];
    rn_snapshot *starts[MOST_VARIANTS];
    double limits[MOST_VARIANTS];       /* s, longest stable substep in that state */
    int substeps;                       /* in a run, and the time of a substep is measured; or 0, and: */
    double seconds;                     /* simulated in a run; the time of a simulated second is measured */
    double steps[MOST_VARIANTS];        /* substeps in each timed substep (1) or simulated second */
    rn_world_stats last[MOST_VARIANTS]; /* after a run; `fallbacks` counts that run only */
} race;

/* Adds a world to the race as `variant`; end_race() destroys it. It is first stepped by `warm` (s), and that state is
   where its runs start, with its longest stable substep in r->limits. Exits on failure. */
static void add_to_race(race *r, int variant, rn_world *world, double warm) {
    bench_must(rn_world_step(world, warm));
    r->worlds[variant] = world;
    r->limits[variant] = rn_world_get_stats(world).limit;
    bench_must(rn_world_save(world, &r->starts[variant]));
}

/* Runs world `variant` from its start. Returns the duration of a substep, or of a simulated second where r->substeps is
   0 (s). Writes r->steps and r->last of the variant. */
static double time_race(void *context, int variant) {
    race *r = context;
    rn_world *world = r->worlds[variant];
    bench_must(rn_world_restore(world, r->starts[variant]));
    bench_must(rn_world_step(world, r->limits[variant])); /* work that is only due after a restore is not timed */
    const rn_world_stats before = rn_world_get_stats(world);
    const double start = clock_now();
    bench_must(rn_world_step(world, r->substeps ? r->substeps * before.limit : r->seconds));
    const double taken = clock_now() - start;
    rn_world_stats *after = &r->last[variant];
    *after = rn_world_get_stats(world);
    after->fallbacks -= before.fallbacks;
    const double steps = (double)(after->steps - before.steps), parts = r->substeps ? steps : r->seconds;
    r->steps[variant] = steps / parts;
    return taken / parts;
}

/* Destroys the worlds of the race and the snapshots of their starts. Variants must be filled from 0 without gaps. */
static void end_race(race *r) {
    for (int v = 0; v < MOST_VARIANTS && r->worlds[v]; v++) {
        rn_snapshot_destroy(r->starts[v]);
        rn_world_destroy(r->worlds[v]);
    }
}

/* Returns a text that says how many columns were full, written to `text`; or a constant that says that none was, in
   which case the row measured something else. */
static const char *describe_flooding(const rn_world_stats *stats, char text[64]) {
    if (stats->flooded == 0) return "nothing is flooded";
    snprintf(text, 64, "%lld columns flooded in %d passage%s", (long long)stats->flooded, stats->passages,
             stats->passages == 1 ? "" : "s");
    return text;
}

/* ---- Substeps ------------------------------------------------------------------------------------------------ */

/* Creates a world for a race; the caller destroys it. Exits on failure. */
typedef rn_world *(*maker)(flow_method passages, int threads);

/* Compares a substep with passages with one without: `substeps` in a run. Memory placement alone makes equal worlds
   differ by a few percent, so there are several heats, each with new worlds made in another order. `floods`: the note
   says what is flooded even if nothing is. */
static bench_result substep_ratio(maker make, int substeps, int threads, bool floods) {
    enum { HEATS = 4, ROUNDS = MOST_ROUNDS / HEATS };
    static const flow_method passages[2] = {FLOW_UNIFIED_LONG, FLOW_NONE};
    timing t[2] = {{.rounds = 0}};
    bench_result result = {0};
    rn_world_stats last = {0};
    for (int heat = 0; heat < HEATS; heat++) {
        race r = {.substeps = substeps};
        for (int k = 0; k < 2; k++) {
            const int v = (k + heat) % 2;
            add_to_race(&r, v, make(passages[v], threads), 0.05);
        }
        bench_interleave(2, ROUNDS, time_race, &r, t);
        result = bench_ratio(r.worlds[0], &t[0], &t[1], 1);
        last = r.last[0];
        end_race(&r);
    }
    char text[64];
    const bool say = floods || last.flooded > 0;
    snprintf(result.note, sizeof result.note, "%.0f us against %.0f%s%s", timing_median(&t[0]) * 1e6,
             timing_median(&t[1]) * 1e6, say ? "; " : "", say ? describe_flooding(&last, text) : "");
    return result;
}

/* Creates the tunnels with none of them full. Exits on failure; the caller destroys the world. */
static rn_world *make_low(flow_method passages, int threads) { return bench_world(&low_tunnels, passages, 0, threads); }

/* Creates the tunnels with all of them full. Exits on failure; the caller destroys the world. */
static rn_world *make_flooded(flow_method passages, int threads) {
    return bench_world(&flooded_tunnels, passages, 0, threads);
}

/* Creates 512 x 512 cells of 1 cm of sloshing water under the open sky. Exits on failure; the caller destroys the
   world. */
static rn_world *make_open(flow_method passages, int threads) {
    return tilt_surface(bench_rolling(512, 0.01, 1.0, passages, threads));
}

/* Measures row passages-idle: a substep with tunnels, none of them full, against one without passages. */
bench_result bench_passages_idle(int threads) { return substep_ratio(make_low, 8, threads, false); }
/* Measures row passages-open: a substep of open water with passages allowed, against one without passages. */
bench_result bench_passages_open(int threads) { return substep_ratio(make_open, 2, threads, false); }
/* Measures row passages-step: a substep with full tunnels, against one without passages. */
bench_result bench_passages_step(int threads) { return substep_ratio(make_flooded, 8, threads, true); }

/* ---- Simulated seconds ------------------------------------------------------------------------------------------ */

/* Compares world 0 (implicit) with world 1 (explicit), then ends the race, which destroys both. The note gives
   substeps, iterations, and substeps that did not converge, if any. */
static bench_result implicit_ratio(race *r, int rounds) {
    timing t[2] = {{.rounds = 0}};
    char text[64], fell[64] = "";
    bench_interleave(2, rounds, time_race, r, t);
    bench_result result = bench_ratio(r->worlds[0], &t[0], &t[1], r->steps[0]);
    const unsigned long long fallbacks = r->last[0].fallbacks;
    if (fallbacks) snprintf(fell, sizeof fell, "; %llu substeps did not converge", fallbacks);
    snprintf(result.note, sizeof result.note, "%.4g substeps a second against %.4g, up to %d iterations; %s%s",
             r->steps[0], r->steps[1], r->last[0].iterations, describe_flooding(&r->last[0], text), fell);
    end_race(r);
    return result;
}

/* Measures row passages-implicit: a simulated second of full tunnels, implicit at 3 times the explicit substep, against
   explicit. */
bench_result bench_passages_implicit(int threads) {
    race r = {.seconds = 1.0};
    add_to_race(&r, 0, bench_world(&flooded_tunnels, FLOW_IMPLICIT, 3, threads), 0.05);
    add_to_race(&r, 1, bench_world(&flooded_tunnels, FLOW_UNIFIED_LONG, 0, threads), 0.05);
    return implicit_ratio(&r, 5);
}

/* Creates the deep basin with an eddy, steps it by 4 s, and adds it to the race. `courant`: multiple of the explicit
   substep; 0: the default of the method. */
static void join_deep(race *r, int variant, flow_method passages, double courant, int threads) {
    add_to_race(r, variant, start_eddy(bench_world(&deep_basin, passages, courant, threads)), 4.0);
}

/* Measures row passages-deep: a simulated second of deep, slow water, implicit at 10 times the explicit substep,
   against explicit. */
bench_result bench_passages_deep(int threads) {
    race r = {.seconds = 16.0};
    join_deep(&r, 0, FLOW_IMPLICIT, 10, threads);
    join_deep(&r, 1, FLOW_UNIFIED_LONG, 0, threads);
    return implicit_ratio(&r, 5);
}

/* Measures row passages-break-even: finds the smallest of six multiples of the explicit substep at which implicit steps
   are faster; NAN if none is. */
bench_result bench_passages_break_even(int threads) {
    static const double courants[] = {1, 2, 3, 5, 10, 20};
    enum { COURANTS = sizeof courants / sizeof courants[0] };
    race r = {.seconds = 16.0};
    for (int i = 0; i < COURANTS; i++) join_deep(&r, i, FLOW_IMPLICIT, courants[i], threads);
    join_deep(&r, COURANTS, FLOW_UNIFIED_LONG, 0, threads);
    timing t[COURANTS + 1] = {{.rounds = 0}};
    bench_interleave(COURANTS + 1, 3, time_race, &r, t);

    bench_result result = {.median = NAN, .best = NAN, .seconds = NAN, .substeps = NAN, .bytes = NAN};
    result.columns = rn_world_describe(r.worlds[0]).columns;
    size_t used = 0;
    for (int i = 0; i < COURANTS; i++) {
        const bench_result ratio = bench_ratio(r.worlds[i], &t[i], &t[COURANTS], r.steps[i]);
        if (ratio.median < 1.0 && isnan(result.median)) result.median = courants[i];
        if (ratio.best < 1.0 && isnan(result.best)) result.best = courants[i];
        used += (size_t)snprintf(result.note + used, sizeof result.note - used, "%.2f x at %g, ", ratio.median,
                                 courants[i]);
    }
    char text[64];
    snprintf(result.note + used, sizeof result.note - used, "%s%s", isnan(result.median) ? "never faster; " : "",
             describe_flooding(&r.last[0], text));
    end_race(&r);
    return result;
}

/* ---- Iterations -------------------------------------------------------------------------------------------------- */

/* Measures row passages-iterations: finds the largest number of iterations of a solve in 4 substeps each of grids of
   three sizes. Both `median` and `best` are that number; nothing is timed. */
bench_result bench_passages_iterations(int threads) {
    static const int sizes[] = {64, 256, 1024};
    bench_result result = {.seconds = NAN, .substeps = NAN, .bytes = NAN};
    rn_world_stats stats = {0};
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        const bench_scene scene = {sizes[i], 0.01, 0.2, 1e-6, 0.5, slab_stack, slab_level};
        rn_world *world = bench_world(&scene, FLOW_IMPLICIT, 3, threads);
        int most = 0;
        bench_must(rn_world_step(world, 1e-4));
        for (int k = 0; k < 4; k++) {
            bench_must(rn_world_step(world, rn_world_get_stats(world).limit));
            stats = rn_world_get_stats(world);
            if (stats.iterations > most) most = stats.iterations;
        }
        result.median = result.best = fmax(result.median, most);
        result.columns = rn_world_describe(world).columns;
        used += (size_t)snprintf(result.note + used, sizeof result.note - used, "%d at %d x %d, ", most, sizes[i],
                                 sizes[i]);
        rn_world_destroy(world);
    }
    char text[64];
    snprintf(result.note + used, sizeof result.note - used, "%s", describe_flooding(&stats, text));
    return result;
}
