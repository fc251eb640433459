/* Sources, drains, levels and heads: liquid that comes and goes with time. How rain and losses act is in
   world/area.c.

   Interface: rn_world_add_source, pour, drain, set_rate, set_level, move_source, remove_source and has_source
   (include/runnel/world.h) for hosts; world/sources.h for the world. Order of calls:
   - rn_sources_rise and rn_sources_stay limit the solver's next substep, through the callbacks of world/frame.c;
   - after every substep rn_sources_step applies each source for the part of the substep in which it was active;
   - rn_sources_follow replaces columns by their successors when solids change them (world/apply.c).

   `kinds` is a table with one line per kind: the meaning of its value, its action in a substep, and how far it can
   raise the liquid. To add a kind, add its number to rn_source_kind, its line here and its name in scenes.

   Volumes are counted in quanta; a remainder below one quantum is kept for the next substep, column by column, so
   that nothing is lost to rounding. When a source moves, the remainders go to its new columns; their sum is found in
   integers, so it does not depend on the order of columns. A head fills the deficit d by d / (1 + R A / (w t)), with
   the resistance R, the area A of a cell, the weight w and the time t: it cannot overshoot, and R = 0 is safe. */
#include "world/sources.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "world/area.h"
#include "world/deposit.h"
#include "world/footprint.h"
#include "world/limits.h"
#include "world/mac.h"

#include <stdio.h>

enum { MOST_STOPS = 64 }; /* most substeps for the way between two waypoints, however fast */

rn_source_def rn_source_default(void) { return (rn_source_def){0}; }

/* ---- Kinds ---------------------------------------------------------------------------------------------- */

/* The time in which a source is active; empty if to <= from. */
typedef struct window {
    double from, to;
} window;

/* The properties of a kind of source. */
typedef struct rn_source_type {
    const char *name;   /* for messages */
    bool area;          /* acts on the whole world instead of a place; its value is depth per second */
    bool holds;         /* its value is a level or head instead of a rate */
    bool exact;         /* holds that level exactly, also by removing liquid */
    bool takes;         /* over the whole world: removes liquid */
    bool under_roofs;   /* also acts on columns that are not open to the sky */
    double least, most; /* limits of its value */
    /* Applies the source to the columns; *added grows by the largest depth (m) that a column has got. */
    void (*act)(rn_world *world, rn_source *source, window when, float *added);
    /* How far above `height` (m) it can raise the liquid of a column (m); NULL: not at all. */
    double (*rise)(const rn_world *world, const rn_source *source, window when, double height);
} rn_source_type;

static void pour_rate(rn_world *world, rn_source *source, window when, float *added);
static void drain_rate(rn_world *world, rn_source *source, window when, float *added);
static void hold_level(rn_world *world, rn_source *source, window when, float *added);
static void act_on_area(rn_world *world, rn_source *source, window when, float *added);
static double rise_by_rate(const rn_world *world, const rn_source *source, window when, double height);
static double rise_to_head(const rn_world *world, const rn_source *source, window when, double height);
static double rise_by_rain(const rn_world *world, const rn_source *source, window when, double height);

#define BETWEEN(low, high) .least = (low), .most = (high)
#define LIMITS(...)        BETWEEN(__VA_ARGS__)
#define RATE               LIMITS(RN_LIMIT_RATE)
#define LEVEL              .holds = true, LIMITS(RN_LIMIT_LEVEL)

static const rn_source_type kinds[] = {
    [RN_SOURCE_RATE] = {"source", RATE, .act = pour_rate, .rise = rise_by_rate},
    [RN_SOURCE_LEVEL] = {"level", LEVEL, .exact = true, .act = hold_level, .rise = rise_to_head},
    [RN_SOURCE_HEAD] = {"head", LEVEL, .act = hold_level, .rise = rise_to_head},
    [RN_SOURCE_DRAIN] = {"drain", .most = INFINITY, .act = drain_rate},
    [RN_SOURCE_RAIN] = {"rain", RATE, .area = true, .act = act_on_area, .rise = rise_by_rain},
    [RN_SOURCE_EVAPORATION] = {"evaporation", RATE, .area = true, .takes = true, .act = act_on_area},
    [RN_SOURCE_INFILTRATION] = {"infiltration", RATE, .area = true, .takes = true, .under_roofs = true,
                                .act = act_on_area},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The line of the table of kinds for a source. */
static const rn_source_type *type_of(const rn_source *source) { return &kinds[source->kind]; }

/* ---- Checks of definitions ------------------------------------------------------------------------------ */

bool rn_source_is_area(rn_source_kind kind) { return kinds[kind].area; }

bool rn_source_can_have(rn_source_kind kind, double value) {
    return rn_within(value, kinds[kind].least, kinds[kind].most);
}

/* Returns RN_INVALID, with a message, unless the value is allowed for this kind of source; `what` is the name of the
   value in the message, such as "the drain's rate". */
static rn_result check_value(rn_source_kind kind, double value, const char *what) {
    if (rn_source_can_have(kind, value)) return RN_OK;
    if (kinds[kind].holds) return rn_fail(RN_INVALID, "%s is %g; it must be finite (m)", what, value);
    return rn_fail(RN_INVALID, "%s is %g; it must be 0 or more (%s)", what, value, kinds[kind].area ? "m/s" : "m³/s");
}

/* Returns RN_INVALID, with a message, unless the time (s) of a point is within 1e9 and after the previous one,
   `before`, which does not count for index 0. what: the kind of source; point: "point" of a series, or "waypoint" of a
   path. */
static rn_result check_time(const char *what, const char *point, int index, double time, double before) {
    if (!(fabs(time) <= 1e9))
        return rn_fail(RN_INVALID, "the %s: %s %d of its %s comes at %g s; times must be finite", what, point, index,
                       *point == 'p' ? "series" : "path", time);
    if (index > 0 && time <= before)
        return rn_fail(RN_INVALID,
                       "the %s: %s %d of its %s comes at %g s, not after the %g s of the one before; put them in order",
                       what, point, index, *point == 'p' ? "series" : "path", time, before);
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless the constant value of a source is allowed, or else number, order and
   values of the points of its series; these must be finite, even for drains. */
static rn_result check_series(const rn_source_def *def) {
    char what[96];
    if (!def->series) {
        snprintf(what, sizeof what, "the %s's %s", kinds[def->kind].name, kinds[def->kind].holds ? "level" : "rate");
        return check_value(def->kind, kinds[def->kind].holds ? def->level : def->rate, what);
    }
    if (def->series_count < 1 || def->series_count > RN_MOST_POINTS)
        return rn_fail(RN_INVALID, "the %s: its series has %d points; it must have from 1 to %d", kinds[def->kind].name,
                       def->series_count, RN_MOST_POINTS);
    for (int i = 0; i < def->series_count; i++) {
        const rn_series_point *point = &def->series[i];
        rn_result result = check_time(kinds[def->kind].name, "point", i, point->time, i > 0 ? point[-1].time : 0.0);
        if (result != RN_OK) return result;
        snprintf(what, sizeof what, "the %s: point %d of its series", kinds[def->kind].name, i);
        result = check_value(isinf(point->value) ? RN_SOURCE_RATE : def->kind, point->value, what);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Returns RN_INVALID, with a message that begins with `what`, unless a position (m) lies over the domain, edges
   included, at any finite height. */
static rn_result check_inside(const rn_world *world, rn_vec3 at, const char *what) {
    const rn_terrain_info *g = &world->ground;
    double x1 = g->origin_x + g->cells_x * g->cell_size, y1 = g->origin_y + g->cells_y * g->cell_size;
    if (at.x >= g->origin_x && at.x <= x1 && at.y >= g->origin_y && at.y <= y1 && isfinite(at.z)) return RN_OK;
    return rn_fail(RN_INVALID,
                   "%s is at (%g, %g, %g), outside the domain; x must be from %g to %g and y from %g to %g (m)", what,
                   at.x, at.y, at.z, g->origin_x, x1, g->origin_y, y1);
}

/* Returns RN_INVALID, with a message, unless the path has 1 to RN_MOST_POINTS waypoints, in order of time and over the
   domain. */
static rn_result check_path(const rn_world *world, const rn_source_def *def) {
    if (def->path_count < 1 || def->path_count > RN_MOST_POINTS)
        return rn_fail(RN_INVALID, "the %s: its path has %d waypoints; it must have from 1 to %d",
                       kinds[def->kind].name, def->path_count, RN_MOST_POINTS);
    for (int i = 0; i < def->path_count; i++) {
        const rn_waypoint *point = &def->path[i];
        char what[96];
        snprintf(what, sizeof what, "the %s: waypoint %d of its path", kinds[def->kind].name, i);
        rn_result result = check_time(kinds[def->kind].name, "waypoint", i, point->time, i > 0 ? point[-1].time : 0.0);
        if (result == RN_OK) result = check_inside(world, point->at, what);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless the map of an area source has a size and all its shares are from 0 to
   1. */
static rn_result check_map(const rn_source_def *def) {
    if (def->map_x < 1 || def->map_y < 1)
        return rn_fail(RN_INVALID, "the %s's map is %d by %d; it must hold at least one share", kinds[def->kind].name,
                       def->map_x, def->map_y);
    for (size_t i = 0; i < (size_t)def->map_x * (size_t)def->map_y; i++)
        if (!(def->map[i] >= 0.0f && def->map[i] <= 1.0f))
            return rn_fail(RN_INVALID, "the %s's map holds %g; shares must be from 0 to 1", kinds[def->kind].name,
                           (double)def->map[i]);
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless the place where a source acts is valid: for rain and losses the map, if
   any; otherwise the first that is given of a shape, a side, a path and a disk. Whether it covers a column is found
   later. */
static rn_result check_place(const rn_world *world, const rn_source_def *def) {
    if (kinds[def->kind].area) return def->map ? check_map(def) : RN_OK;
    if (def->shape) return RN_OK;
    if (def->along_side) {
        if (def->side >= RN_SIDE_WEST && def->side <= RN_SIDE_NORTH) return RN_OK;
        return rn_fail(RN_INVALID, "the %s's side is %d; it must be an rn_side", kinds[def->kind].name, (int)def->side);
    }
    if (!rn_within(def->radius, RN_LIMIT_RADIUS))
        return rn_fail(RN_INVALID, "the %s's radius is %g; it must be 0 or more (m)", kinds[def->kind].name,
                       def->radius);
    if (def->path) return check_path(world, def);
    char what[32];
    snprintf(what, sizeof what, "the %s", kinds[def->kind].name);
    return check_inside(world, def->at, what);
}

/* Returns RN_INVALID, with a message, unless kind, value, resistance, times and place of a source are valid. */
static rn_result check_source(const rn_world *world, const rn_source_def *def) {
    if ((int)def->kind < 0 || (int)def->kind >= KINDS)
        return rn_fail(RN_INVALID, "the source's kind is %d; it must be an rn_source_kind", (int)def->kind);
    rn_result result = check_series(def);
    if (result != RN_OK) return result;
    if (!rn_within(def->resistance, RN_LIMIT_RESISTANCE))
        return rn_fail(RN_INVALID, "the %s's resistance is %g; it must be 0 or more (s/m²)", kinds[def->kind].name,
                       def->resistance);
    if (!isfinite(def->start) || !isfinite(def->stop) || (def->stop != 0.0 && def->stop < def->start))
        return rn_fail(RN_INVALID, "the %s runs from %g to %g; stop must be 0 (never) or later than start (s)",
                       kinds[def->kind].name, def->start, def->stop);
    return check_place(world, def);
}

/* ---- Adding and removing --------------------------------------------------------------------------------- */

/* Frees the columns of a source, which then covers none. `room` stays, because a saved state may have these columns. */
static void free_footprint(const rn_hooks *hooks, rn_source *source) {
    rn_free(hooks, source->slots);
    rn_free(hooks, source->weights);
    rn_free(hooks, source->pending);
    rn_free(hooks, source->done);
    source->slots = NULL;
    source->weights = source->pending = NULL;
    source->done = NULL;
    source->count = 0;
}

/* Frees everything that a source owns, but not the source itself; the pointers to its path and shares are not cleared.
 */
static void free_source(const rn_hooks *hooks, rn_source *source) {
    rn_series_free(hooks, &source->value);
    free_footprint(hooks, source);
    rn_free(hooks, source->path);
    rn_free(hooks, source->shares);
}

bool rn_sources_any(const rn_world *world) {
    for (size_t i = 0; i < world->sources.count; i++)
        if (!world->sources.list[i].removed) return true;
    return false;
}

void rn_sources_free(rn_world *world) {
    for (size_t i = 0; i < world->sources.count; i++) free_source(&world->hooks, &world->sources.list[i]);
    rn_free(&world->hooks, world->sources.list);
    rn_free(&world->hooks, world->sources.parts);
}

void rn_sources_keep(rn_world *world, size_t count) {
    while (world->sources.count > count) free_source(&world->hooks, &world->sources.list[--world->sources.count]);
}

/* Copies the path of a definition, and sets the position (m) to that at the present time. Returns RN_MEMORY, with a
   message, if memory runs out; then the source has no path. */
static rn_result copy_path(const rn_world *world, const rn_source_def *def, rn_source *source) {
    source->path = rn_alloc(&world->hooks, (size_t)def->path_count, sizeof *source->path);
    if (!source->path) return RN_MEMORY;
    for (int i = 0; i < def->path_count; i++) source->path[i] = def->path[i];
    source->path_count = def->path_count;
    source->at = rn_path_at(source->path, source->path_count, world->stats.time);
    return RN_OK;
}

/* Sets up where a source acts: copies its path, allocates the arrays of its columns, for a disk with room for any
   position, and fills them. On failure returns RN_INVALID (it covers no column, and has no path on which it could reach
   one) or RN_MEMORY, with a message; the caller frees `source`. */
static rn_result create_footprint(const rn_world *world, const rn_source_def *def, rn_source *source) {
    rn_source_def here = *def;
    source->disk = !def->shape && !def->along_side;
    source->radius = source->disk ? def->radius : 0.0;
    if (source->disk && def->path && copy_path(world, def, source) != RN_OK) return RN_MEMORY;
    source->spout = def->at;
    if (source->path) here.at = source->at;
    else if (world->mac) source->at = def->at;
    source->room = source->disk ? rn_footprint_room(world, def->radius) : rn_footprint_count(world, def);
    const size_t room = (size_t)source->room;
    if (room == 0 || (!source->path && rn_footprint_count(world, def) == 0))
        return rn_fail(RN_INVALID, "the %s covers no column; place it over the terrain", kinds[def->kind].name);
    source->slots = rn_alloc(&world->hooks, room, sizeof *source->slots);
    source->weights = rn_alloc(&world->hooks, room, sizeof *source->weights);
    source->pending = rn_alloc(&world->hooks, room, sizeof *source->pending);
    source->done = rn_alloc(&world->hooks, room, sizeof *source->done);
    if (!source->slots || !source->weights || !source->pending || !source->done) return RN_MEMORY;
    rn_footprint_fill(world, &here, source);
    return RN_OK;
}

/* Sets *source, with any content before, from a checked definition; a level, unlike a head, gets no resistance. On
   failure returns RN_INVALID or RN_MEMORY, with a message; the caller then frees what *source owns. */
static rn_result create_source(rn_world *world, const rn_source_def *def, rn_source *source) {
    *source = (rn_source){.kind = def->kind, .resistance = def->resistance, .start = def->start, .stop = def->stop};
    if (kinds[def->kind].exact) source->resistance = 0.0;
    double constant = kinds[def->kind].holds ? def->level : def->rate;
    rn_result result = rn_series_create(&world->hooks, constant, def->series, def->series_count, &source->value);
    if (result != RN_OK) return result;
    return kinds[def->kind].area ? rn_area_create(world, def, source) : create_footprint(world, def, source);
}

int rn_world_add_source(rn_world *world, const rn_source_def *def) {
    if (check_source(world, def) != RN_OK) return -1;
    if (world->mac && rn_world_mac_check_source(def) != RN_OK) return -1;
    rn_source source;
    rn_sources *all = &world->sources;
    if (create_source(world, def, &source) != RN_OK ||
        !rn_grow(&world->hooks, &all->list, &all->capacity, all->count, sizeof source) ||
        (world->mac && rn_world_mac_add_source(world, &source, def) != RN_OK)) {
        free_source(&world->hooks, &source);
        return -1;
    }
    all->list[all->count] = source;
    return (int)all->count++;
}

int rn_world_pour(rn_world *world, rn_vec3 at, double radius, double rate) {
    rn_source_def def = {.at = at, .radius = radius, .rate = rate, .start = world->stats.time};
    return rn_world_add_source(world, &def);
}

int rn_world_drain(rn_world *world, rn_vec3 at, double radius, double rate) {
    rn_source_def def = {.kind = RN_SOURCE_DRAIN, .at = at, .radius = radius, .rate = rate, .start = world->stats.time};
    return rn_world_add_source(world, &def);
}

bool rn_world_has_source(const rn_world *world, int source) {
    return source >= 0 && (size_t)source < world->sources.count && !world->sources.list[source].removed;
}

/* The source with this number, or NULL, with an error text, if it does not exist or was removed. */
static rn_source *find_source(const rn_world *world, int source) {
    if (rn_world_has_source(world, source)) return &world->sources.list[source];
    rn_fail(RN_INVALID, "there is no source %d; %zu have been added", source, world->sources.count);
    return NULL;
}

/* Sets a constant rate (m^3/s, or m/s over the whole world), or with `level` a constant level or head (m), in place of
   any series. Returns RN_INVALID, with a message and nothing changed, if there is no such source, if a rate is given
   for a source with a level or the reverse, or if the value is not allowed. */
static rn_result set_value(rn_world *world, int source, double value, bool level) {
    rn_source *found = find_source(world, source);
    if (!found) return RN_INVALID;
    const char *what = level ? "level" : "rate";
    if (type_of(found)->holds != level)
        return rn_fail(RN_INVALID, "source %d has no %s; its kind is %s", source, what, type_of(found)->name);
    char the[16];
    snprintf(the, sizeof the, "the %s", what);
    rn_result result = check_value(found->kind, value, the);
    if (result != RN_OK) return result;
    rn_series_free(&world->hooks, &found->value);
    return rn_series_create(&world->hooks, value, NULL, 0, &found->value);
}

rn_result rn_world_set_rate(rn_world *world, int source, double rate) { return set_value(world, source, rate, false); }

rn_result rn_world_set_level(rn_world *world, int source, double level) {
    return set_value(world, source, level, true);
}

/* ---- A substep --------------------------------------------------------------------------------------------- */

/* The part of the time from begin to end (s) in which a source is active, by its start and stop (0: never stops);
   empty once it is removed. */
static window active_window(const rn_source *source, double begin, double end) {
    if (source->removed) return (window){begin, begin};
    return (window){rn_max(begin, source->start), source->stop != 0.0 ? rn_min(end, source->stop) : end};
}

/* The volume (quanta of depth on one cell, not rounded) of a rate in a window, over all columns of the source together;
   INFINITY for an infinite rate. */
static double quanta_in_window(const rn_world *world, const rn_source *source, window when) {
    const double unit = world->quantum * world->ground.cell_size * world->ground.cell_size;
    return rn_series_integral(&source->value, when.from, when.to) / unit;
}

/* What a source does to its columns in a substep; the tasks below apply it to some of them, each on its own. */
typedef struct action {
    rn_world *world;
    rn_source *source; /* of the world's list */
    double quanta;     /* a rate, over all columns together: 0 or more, also INFINITY */
    double head;       /* m, a level or head */
    double seconds;    /* of the window */
} action;

/* A task over columns of a source: pours its rate, in whole quanta; remainders stay pending. */
static void pour_columns(void *context, int begin, int end, int worker) {
    const action *a = context;
    const rn_source *source = a->source;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        source->pending[i] += a->quanta * source->weights[i];
        const double whole = rn_max(floor(source->pending[i]), 0.0);
        source->pending[i] -= whole;
        source->done[i] = rn_deposit_apart(a->world, source->slots[i], whole, RN_BY_SOURCE);
    }
}

/* A task over columns of a drain: removes its rate, in whole quanta, as far as they have liquid; remainders of at most
   a quantum stay pending. An infinite rate removes everything. */
static void drain_columns(void *context, int begin, int end, int worker) {
    const action *a = context;
    const rn_source *source = a->source;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        if (!isfinite(a->quanta)) {
            source->done[i] = rn_deposit_apart(a->world, source->slots[i], -INFINITY, RN_BY_SOURCE);
            continue;
        }
        source->pending[i] += a->quanta * source->weights[i];
        source->done[i] = rn_deposit_apart(a->world, source->slots[i], -floor(source->pending[i]), RN_BY_SOURCE);
        /* a dry drain does not accumulate a debt */
        source->pending[i] = rn_min(source->pending[i] + (double)source->done[i].quanta, 1.0);
    }
}

/* The share (0 to 1) of a column's deficit to the head that is filled within `seconds`, above 0, with this resistance
   (s/m^2), if the column has this weight of the source. It uses the level at the end, so that (head - level) /
   resistance cannot overshoot, and a resistance of 0 is safe. */
static double share_filled(const rn_world *world, double resistance, double weight, double seconds) {
    return 1.0 / (1.0 + resistance * world->ground.cell_size * world->ground.cell_size / (weight * seconds));
}

/* The whole quanta due now from the deficit of the source's column i to the head. A level fills all of it, and the
   result is negative if it is to be lowered; a head fills a share, and the remainder stays pending. */
static double quanta_due(const action *a, int32_t i) {
    const rn_source *source = a->source;
    const rn_columns *c = a->world->columns;
    const int32_t slot = source->slots[i];
    const double level = (double)c->base[slot] + rn_column_height(c, slot);
    const double lack = (a->head - a->world->datum - level) / a->world->quantum;
    if (type_of(source)->exact) return rint(lack);
    source->pending[i] +=
        rn_max(lack, 0.0) * share_filled(a->world, source->resistance, source->weights[i], a->seconds);
    const double whole = floor(source->pending[i]);
    source->pending[i] -= whole;
    return whole;
}

/* A task over columns of a level or head: fills the deficit; only a level also removes an excess. Holes are skipped. */
static void level_columns(void *context, int begin, int end, int worker) {
    const action *a = context;
    const rn_source *source = a->source;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        const float base = a->world->columns->base[source->slots[i]];
        if (base < 0.0f) { /* a hole has no level */
            source->done[i] = (rn_deposited){.base = base, .skipped = true};
            continue;
        }
        const double whole = quanta_due(a, i);
        const bool streams = type_of(source)->exact && !(whole < 0.0);
        source->done[i] = rn_deposit_apart(a->world, source->slots[i], whole, streams ? RN_BY_LEVEL : RN_BY_SOURCE);
    }
}

/* A task over columns that have changed: adds to the sums of their source, and notifies the solver. */
static void settle_columns(void *context, int begin, int end, int worker) {
    const action *a = context;
    rn_source *source = a->source;
    rn_source_sums own = {0};
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        const rn_deposited done = source->done[i];
        *(done.quanta > 0 ? &own.poured : &own.drained) += done.quanta;
        own.most = fmaxf(own.most, (float)((double)done.quanta * a->world->quantum));
        if (done.asked - (double)done.quanta >= 1.0) own.refuses = 1;
    }
    rn_short_add(&source->sums.poured, own.poured);
    rn_short_add(&source->sums.drained, own.drained);
    rn_short_raise(&source->sums.most, own.most);
    rn_short_set(&source->sums.refuses, own.refuses);
    rn_deposit_tell(a->world, source->slots + begin, source->done + begin, end - begin);
}

/* After a task over all columns of a source: updates ledger and solver. Counts as refused what did not fit, if
   `refuses`. *added as in rn_source_type. */
static void settle(action *a, bool refuses, float *added) {
    rn_world *world = a->world;
    rn_source *source = a->source;
    source->sums = (rn_source_sums){0};
    rn_short_for(world->pool, source->count, settle_columns, a);
    world->ledger.poured += source->sums.poured;
    world->ledger.drained -= source->sums.drained;
    *added += source->sums.most;
    for (int32_t i = 0; refuses && source->sums.refuses && i < source->count; i++)
        rn_refuse(&world->ledger.refused, source->done[i].asked - (double)source->done[i].quanta);
}

/* Pours a source's rate into its columns; what does not fit is refused. Updates the ledger. *added as in
   rn_source_type. */
static void pour_rate(rn_world *world, rn_source *source, window when, float *added) {
    action a = {.world = world, .source = source, .quanta = quanta_in_window(world, source, when)};
    if (!(a.quanta > 0.0)) return;
    rn_short_for(world->pool, source->count, pour_columns, &a);
    settle(&a, true, added);
}

/* Removes a drain's rate from its columns. Never changes *added. */
static void drain_rate(rn_world *world, rn_source *source, window when, float *added) {
    action a = {.world = world, .source = source, .quanta = quanta_in_window(world, source, when)};
    if (!(a.quanta > 0.0)) return;
    rn_short_for(world->pool, source->count, drain_columns, &a);
    settle(&a, false, added);
}

/* Applies a level or head: fills the deficit to its value at the end of the window. Liquid kept out by a ceiling was
   never due, so none is refused. Updates the ledger. *added as in rn_source_type. */
static void hold_level(rn_world *world, rn_source *source, window when, float *added) {
    action a = {.world = world, .source = source, .seconds = when.to - when.from};
    a.head = rn_series_at(&source->value, when.to);
    rn_short_for(world->pool, source->count, level_columns, &a);
    settle(&a, false, added);
}

/* Applies rain or a loss to all columns, for rn_source_type; see rn_area_step. */
static void act_on_area(rn_world *world, rn_source *source, window when, float *added) {
    const rn_area_flux kind = {.takes = type_of(source)->takes, .under_roofs = type_of(source)->under_roofs};
    rn_area_step(world, source, &kind, when.from, when.to, added);
}

/* Sums of owed quanta are integers in units of 2^-24 quantum, hence independent of the order. No column is owed more
   than about a quantum. */
#define OWED_UNIT 0x1p24
#define OWED_MOST 4096.0 /* quanta, so that no sum overflows */

/* Quanta, clamped to 0..most, in units of 1/OWED_UNIT quantum, rounded. */
static int64_t owed_units(double quanta, double most) { return (int64_t)rint(rn_clamp(quanta, 0.0, most) * OWED_UNIT); }

/* Moves a disk to a position (m); the quanta that it owes are distributed over its new columns by weight, or kept in
   `carried` where there are none. */
static void move_disk(const rn_world *world, rn_source *source, rn_vec3 at) {
    int64_t units = owed_units(source->carried, 0x1p38);
    for (int32_t i = 0; i < source->count; i++) units += owed_units(source->pending[i], OWED_MOST);
    const double owed = (double)units / OWED_UNIT;
    source->at = source->spout = at;
    rn_footprint_fill(world, &(rn_source_def){.at = at, .radius = source->radius}, source);
    for (int32_t i = 0; i < source->count; i++) source->pending[i] = owed * source->weights[i];
    source->carried = source->count > 0 ? 0.0 : owed;
}

/* Moves a source, which must have a path, to its position at a time (s); does nothing if it is there already. */
static void follow_path(const rn_world *world, rn_source *source, double time) {
    const rn_vec3 at = rn_path_at(source->path, source->path_count, time);
    if (at.x != source->at.x || at.y != source->at.y || at.z != source->at.z) move_disk(world, source, at);
}

rn_result rn_world_move_source(rn_world *world, int number, rn_vec3 at) {
    rn_source *source = find_source(world, number);
    if (!source) return RN_INVALID;
    if (source->path)
        return rn_fail(RN_INVALID, "source %d follows its own path; add it without one to move it", number);
    if (!source->disk)
        return rn_fail(RN_INVALID, "source %d is not a disk; only a source with a centre and a radius can be moved",
                       number);
    const rn_result result = check_inside(world, at, "the source's new place");
    if (result == RN_OK) move_disk(world, source, at);
    return result;
}

rn_result rn_world_remove_source(rn_world *world, int number) {
    rn_source *source = find_source(world, number);
    if (!source) return RN_INVALID;
    source->removed = true;
    free_footprint(&world->hooks, source);
    return RN_OK;
}

float rn_sources_step(rn_world *world, double dt) {
    float added = 0.0f;
    for (size_t i = 0; i < world->sources.count; i++) {
        rn_source *source = &world->sources.list[i];
        const window when = active_window(source, world->stats.time, world->stats.time + dt);
        if (!(when.to > when.from)) continue;
        if (source->path) follow_path(world, source, when.to);
        type_of(source)->act(world, source, when, &added);
    }
    return added;
}

size_t rn_sources_bytes(const rn_world *world) {
    const rn_grid *g = &world->columns->grid;
    const size_t parts = (size_t)g->layers * (size_t)g->ny * (size_t)rn_area_parts(g->nx);
    size_t bytes = world->sources.parts ? parts * sizeof *world->sources.parts : 0;
    for (size_t i = 0; i < world->sources.count; i++) {
        const rn_source *s = &world->sources.list[i];
        if (s->slots)
            bytes += (size_t)s->room * (sizeof *s->slots + sizeof *s->weights + sizeof *s->pending + sizeof *s->done);
        bytes += (size_t)s->value.count * sizeof *s->value.knots + (size_t)s->path_count * sizeof *s->path;
        if (s->shares) bytes += (size_t)g->slots * sizeof *s->shares;
    }
    return bytes;
}

/* ---- When columns change ------------------------------------------------------------------------------------- */

/* Replaces each column of a source by its successor in a batch of changes; where it has none, by the highest column of
   its cell, or layer 0 of a cell without columns. Updates the lowest base. */
static void follow_columns(rn_world *world, rn_source *source, const rn_reshaping *r) {
    const rn_grid *g = &world->columns->grid;
    source->lowest = INFINITY;
    for (int32_t k = 0; k < source->count; k++) {
        int32_t *slot = &source->slots[k];
        const rn_spot at = rn_slot_place(g, *slot);
        const rn_change *change = rn_change_of(r, at.x, at.y);
        if (change) {
            int heir = at.layer < change->was_count ? rn_change_successor(r, change, at.layer) : -1;
            if (heir < 0) heir = change->is_count > 0 ? change->is_count - 1 : 0;
            *slot = rn_slot(g, heir, at.y, at.x);
        }
        source->lowest = rn_min(source->lowest, (double)world->columns->base[*slot]);
    }
}

void rn_sources_follow(rn_world *world, const rn_reshaping *r) {
    for (size_t i = 0; i < world->sources.count; i++) {
        rn_source *source = &world->sources.list[i];
        follow_columns(world, source, r);
        for (size_t k = 0; source->shares && k < r->change_count; k++)
            rn_change_pass_on(r, &world->columns->grid, &r->changes[k], source->shares);
    }
}

/* ---- Limits for the next substep ---------------------------------------------------------------------------- */

/* The depth (m) that rain adds to a column with a share of 1 in a window, whatever its height. */
static double rise_by_rain(const rn_world *world, const rn_source *source, window when, double height) {
    (void)world, (void)height;
    return rn_series_integral(&source->value, when.from, when.to);
}

/* The depth (m) that a source of a rate adds in a window to the column with the largest weight, whatever its height. */
static double rise_by_rate(const rn_world *world, const rn_source *source, window when, double height) {
    const double area = world->ground.cell_size * world->ground.cell_size;
    (void)height;
    return rn_series_integral(&source->value, when.from, when.to) * source->heaviest / area;
}

/* How far (m) above `height` (m above the base) a level or head can raise the liquid of its lowest column in a window;
   0 if it covers none. */
static double rise_to_head(const rn_world *world, const rn_source *source, window when, double height) {
    if (source->count == 0) return 0.0;
    const double head = rn_series_peak(&source->value, when.from, when.to) - world->datum - source->lowest;
    return rn_max(head - height, 0.0) * share_filled(world, source->resistance, source->heaviest, when.to - when.from);
}

double rn_sources_rise(const rn_world *world, double height, double within) {
    const double now = world->stats.time;
    double rise = 0.0;
    for (size_t i = 0; i < world->sources.count; i++) {
        const rn_source *source = &world->sources.list[i];
        const window when = active_window(source, now, now + within);
        if (when.to > when.from && type_of(source)->rise) rise += type_of(source)->rise(world, source, when, height);
    }
    return rise;
}

double rn_sources_stay(const rn_world *world) {
    double stay = INFINITY;
    for (size_t i = 0; i < world->sources.count; i++) {
        const rn_source *source = &world->sources.list[i];
        const double now = world->stats.time;
        if (source->removed || !source->path || now < source->start || (source->stop != 0.0 && now >= source->stop))
            continue;
        double stretch, speed = rn_path_speed(source->path, source->path_count, now, &stretch);
        if (!(speed > 0.0)) continue;
        double reach = rn_max(world->ground.cell_size, source->radius);
        stay = rn_min(stay, rn_max(reach / speed, stretch / MOST_STOPS));
    }
    return stay;
}
