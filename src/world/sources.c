/* Liquid that comes and goes with time: sources, drains, and what leaves over open edges. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "solver/pipes.h"
#include "world/world.h"

enum { SAMPLES = 8 }; /* per side of a cell, to find its share of a disk */

rn_source_def rn_source_default(void) { return (rn_source_def){0}; }

int32_t rn_world_column_below(const rn_world *world, int x, int y, double z) {
    const rn_state *s = &world->state;
    int32_t found = -1;
    for (int layer = 0; layer < s->grid.layers; layer++) {
        int32_t slot = rn_slot(&s->grid, layer, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        if (s->base[slot] < 0.0f) continue; /* a sink */
        if (found < 0 || s->base[slot] + world->datum <= z) found = slot;
    }
    return found;
}

static double disk_share(const rn_world *world, const rn_source_def *def, int x, int y) {
    const rn_terrain_info *g = &world->ground;
    int inside = 0;
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++) {
            double dx = g->origin_x + (x + (i + 0.5) / SAMPLES) * g->cell_size - def->at.x;
            double dy = g->origin_y + (y + (j + 0.5) / SAMPLES) * g->cell_size - def->at.y;
            inside += dx * dx + dy * dy <= def->radius * def->radius;
        }
    return inside;
}

int rn_world_spans(const rn_world *world, const rn_sdf *shape, int x, int y, rn_interval *spans) {
    const rn_terrain_info *g = &world->ground;
    double mx = g->origin_x + (x + 0.5) * g->cell_size, my = g->origin_y + (y + 0.5) * g->cell_size;
    int count =
        rn_sdf_intervals(shape, mx, my, world->datum - g->cell_size, g->lid, 0.02 * g->cell_size, spans, RN_MOST_SPANS);
    return count < RN_MOST_SPANS ? count : RN_MOST_SPANS;
}

typedef struct target {
    int32_t slot;
    double weight;
} target;

/* A disk smaller than a cell, or none: all goes to the cell that its middle lies in. */
static bool is_point(const rn_world *world, const rn_source_def *def) {
    return !def->shape && def->radius < 0.5 * world->ground.cell_size;
}

static target find_target(const rn_world *world, const rn_source_def *def, int x, int y) {
    target found = {-1, 1.0};
    double z = def->at.z;
    if (def->shape) {
        rn_interval spans[RN_MOST_SPANS];
        int count = rn_world_spans(world, def->shape, x, y, spans);
        if (count == 0) return found;
        z = spans[count - 1].high;
    } else if (!is_point(world, def)) found.weight = disk_share(world, def, x, y);
    if (found.weight > 0.0) found.slot = rn_world_column_below(world, x, y, z);
    return found;
}

typedef struct cell_range {
    int x0, y0, x1, y1;
} cell_range;

static int cell_at(double along, int cells) { return (int)rn_clamp(floor(along), 0.0, cells - 1.0); }

static cell_range reach(const rn_world *world, const rn_source_def *def) {
    const rn_terrain_info *g = &world->ground;
    if (def->shape) return (cell_range){0, 0, g->cells_x, g->cells_y};
    double x = (def->at.x - g->origin_x) / g->cell_size, y = (def->at.y - g->origin_y) / g->cell_size;
    double r = is_point(world, def) ? 0.0 : def->radius / g->cell_size;
    return (cell_range){cell_at(x - r, g->cells_x), cell_at(y - r, g->cells_y), cell_at(x + r, g->cells_x) + 1,
                        cell_at(y + r, g->cells_y) + 1};
}

static rn_result check_source(const rn_world *world, const rn_source_def *def) {
    const rn_terrain_info *g = &world->ground;
    const char *what = def->drain ? "drain" : "source";
    if (!(def->rate >= 0.0 && (def->drain || def->rate <= 1e12)))
        return rn_fail(RN_INVALID, "the %s's rate is %g; it must be 0 or more (m³/s)", what, def->rate);
    if (!(def->radius >= 0.0 && def->radius <= 1e9))
        return rn_fail(RN_INVALID, "the %s's radius is %g; it must be 0 or more (m)", what, def->radius);
    if (!isfinite(def->start) || !isfinite(def->stop) || (def->stop != 0.0 && def->stop < def->start))
        return rn_fail(RN_INVALID, "the %s runs from %g to %g; stop must be 0 (never) or later than start (s)", what,
                       def->start, def->stop);
    if (def->shape) return RN_OK;
    double x1 = g->origin_x + g->cells_x * g->cell_size, y1 = g->origin_y + g->cells_y * g->cell_size;
    if (!(def->at.x >= g->origin_x && def->at.x <= x1 && def->at.y >= g->origin_y && def->at.y <= y1 &&
          isfinite(def->at.z)))
        return rn_fail(RN_INVALID,
                       "the %s is at (%g, %g, %g), outside the domain; x must be from %g to %g and y from %g to %g (m)",
                       what, def->at.x, def->at.y, def->at.z, g->origin_x, x1, g->origin_y, y1);
    return RN_OK;
}

/* Fills in the columns of a source, or only counts them while it has no arrays. */
static int32_t collect(const rn_world *world, const rn_source_def *def, rn_source *source) {
    const cell_range range = reach(world, def);
    int32_t count = 0;
    for (int y = range.y0; y < range.y1; y++)
        for (int x = range.x0; x < range.x1; x++) {
            target found = find_target(world, def, x, y);
            if (found.slot < 0) continue;
            if (source->slots) {
                source->slots[count] = found.slot;
                source->weights[count] = found.weight;
            }
            count++;
        }
    return count;
}

static void free_source(const rn_hooks *hooks, rn_source *source) {
    rn_free(hooks, source->slots);
    rn_free(hooks, source->weights);
    rn_free(hooks, source->pending);
}

void rn_sources_free(rn_world *world) {
    for (size_t i = 0; i < world->source_count; i++) free_source(&world->hooks, &world->sources[i]);
    rn_free(&world->hooks, world->sources);
}

int rn_world_source(rn_world *world, const rn_source_def *def) {
    if (check_source(world, def) != RN_OK) return -1;
    rn_source source = {.rate = def->rate, .start = def->start, .stop = def->stop, .drain = def->drain};
    source.count = collect(world, def, &source);
    if (source.count == 0) {
        rn_fail(RN_INVALID, "the %s covers no column; place it over the terrain", def->drain ? "drain" : "source");
        return -1;
    }
    source.slots = rn_alloc(&world->hooks, (size_t)source.count, sizeof *source.slots);
    source.weights = rn_alloc(&world->hooks, (size_t)source.count, sizeof *source.weights);
    source.pending = rn_alloc(&world->hooks, (size_t)source.count, sizeof *source.pending);
    void *grown = world->sources;
    if (!source.slots || !source.weights || !source.pending ||
        !rn_grow(&world->hooks, &grown, &world->source_capacity, world->source_count, sizeof source)) {
        free_source(&world->hooks, &source);
        return -1;
    }
    world->sources = grown;
    collect(world, def, &source);
    double sum = 0.0;
    for (int32_t i = 0; i < source.count; i++) sum += source.weights[i];
    for (int32_t i = 0; i < source.count; i++) source.weights[i] /= sum;
    world->sources[world->source_count] = source;
    return (int)world->source_count++;
}

int rn_world_pour(rn_world *world, rn_vec3 at, double radius, double rate) {
    rn_source_def def = {.at = at, .radius = radius, .rate = rate, .start = world->stats.time};
    return rn_world_source(world, &def);
}

int rn_world_drain(rn_world *world, rn_vec3 at, double radius, double rate) {
    rn_source_def def = {.at = at, .radius = radius, .rate = rate, .start = world->stats.time, .drain = true};
    return rn_world_source(world, &def);
}

rn_result rn_world_set_rate(rn_world *world, int source, double rate) {
    if (source < 0 || (size_t)source >= world->source_count)
        return rn_fail(RN_INVALID, "there is no source %d; the world has %zu", source, world->source_count);
    bool drain = world->sources[source].drain;
    if (!(rate >= 0.0 && (drain || rate <= 1e12)))
        return rn_fail(RN_INVALID, "the rate is %g; it must be 0 or more (m³/s)", rate);
    world->sources[source].rate = rate;
    return RN_OK;
}

/* How long a source runs within the substep that ends now. */
static double active_time(const rn_source *source, double begin, double end) {
    double from = rn_max(begin, source->start), to = source->stop != 0.0 ? rn_min(end, source->stop) : end;
    return rn_max(to - from, 0.0);
}

static void pour(rn_world *world, rn_source *source, double quanta) {
    double most = 0.0;
    for (int32_t i = 0; i < source->count; i++) {
        source->pending[i] += quanta * source->weights[i];
        double whole = floor(source->pending[i]);
        if (whole < 1.0) continue;
        source->pending[i] -= whole;
        int64_t taken = rn_world_add(world, source->slots[i], whole);
        world->ledger.poured += taken;
        world->ledger.refused += whole - (double)taken;
        most = rn_max(most, (double)taken);
    }
    world->added += (float)(most * world->quantum);
}

double rn_sources_rise(const rn_world *world, double within, double *next) {
    double rise = 0.0, area = world->ground.cell_size * world->ground.cell_size;
    *next = INFINITY;
    for (size_t i = 0; i < world->source_count; i++) {
        const rn_source *source = &world->sources[i];
        const double now = world->stats.time;
        if (source->drain || (source->stop != 0.0 && source->stop <= now)) continue;
        if (source->start > now) *next = rn_min(*next, source->start - now);
        if (source->start > now + within) continue;
        double most = 0.0;
        for (int32_t k = 0; k < source->count; k++) most = rn_max(most, source->weights[k]);
        rise += source->rate * most / area;
    }
    return rise;
}

static void drain(rn_world *world, rn_source *source, double quanta) {
    rn_state *s = &world->state;
    for (int32_t i = 0; i < source->count; i++) {
        float *depth = &s->depth[source->slots[i]];
        double there = *depth / world->quantum, wanted = there;
        if (isfinite(quanta)) {
            source->pending[i] += quanta * source->weights[i];
            wanted = rn_min(floor(source->pending[i]), there);
            source->pending[i] = rn_min(source->pending[i] - wanted, 1.0); /* a dry drain does not save up */
        }
        *depth = (float)((there - wanted) * world->quantum);
        world->ledger.drained += (int64_t)wanted;
    }
}

void rn_sources_step(rn_world *world, double dt) {
    rn_state *s = &world->state;
    for (int32_t i = 0; i < s->sink_count; i++) {
        float *depth = &s->depth[s->sinks[i]];
        world->ledger.left += (int64_t)(*depth / world->quantum);
        *depth = 0.0f;
    }
    world->added = 0.0f;
    double unit = world->quantum * world->ground.cell_size * world->ground.cell_size;
    for (size_t i = 0; i < world->source_count; i++) {
        rn_source *source = &world->sources[i];
        double time = active_time(source, world->stats.time, world->stats.time + dt);
        if (!(time > 0.0 && source->rate > 0.0)) continue;
        double quanta = source->rate * time / unit;
        if (source->drain) drain(world, source, quanta);
        else pour(world, source, quanta);
    }
    for (size_t i = 0; i < world->source_count; i++)
        for (int32_t k = 0; k < world->sources[i].count; k++) {
            int32_t slot = world->sources[i].slots[k];
            rn_pipes_changed(s, slot);
            world->top = (float)rn_max(world->top, (double)s->base[slot] + s->depth[slot]);
            world->peak.deepest = s->depth[slot] > world->peak.deepest ? s->depth[slot] : world->peak.deepest;
        }
}
