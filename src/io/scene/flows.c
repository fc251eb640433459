/* Reads sources, drains, rain, losses and probes, and adds them to the world (flows.h). Failures leave the reason and
   the place in rn_last_error(). */
#include "io/scene/flows.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/scene/map.h"

#include <stdio.h>
#include <string.h>

/* Shape and arrays that a definition refers to, owned here until the world has copied them. */
typedef struct owned {
    rn_sdf *shape;
    rn_series_point *series;
    rn_waypoint *path;
    rn_heightmap map;
} owned;

/* Frees the members, not the struct itself. */
static void free_owned(owned *l) {
    rn_sdf_destroy(l->shape);
    rn_free(NULL, l->series);
    rn_free(NULL, l->path);
    rn_heightmap_free(&l->map);
}

/* Returns number `index` of a list; 0 if there is none. */
static double number_at(const json_t *list, size_t index) { return json_number_value(json_array_get(list, index)); }

/* Reads a value that its table has checked: stores a number in *constant, or a list of [time (s), value] as the series
   of the definition, which `l` owns. Does nothing if the value is NULL. Returns RN_MEMORY if memory runs out. */
static rn_result read_series(const json_t *value, double *constant, owned *l, rn_source_def *def) {
    if (!json_is_array(value)) {
        if (value) *constant = json_number_value(value);
        return RN_OK;
    }
    const size_t count = json_array_size(value);
    l->series = rn_alloc(NULL, count, sizeof *l->series);
    if (!l->series) return RN_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(value, i);
        l->series[i] = (rn_series_point){number_at(pair, 0), number_at(pair, 1)};
    }
    def->series = l->series;
    def->series_count = (int)count;
    return RN_OK;
}

/* Reads the shape `value` under `key`, which `l` then owns, as the shape of the definition; NULL: none. */
static rn_result read_shape(const rn_flows *flows, const json_t *value, const rn_json_path *place, const char *key,
                            owned *l, rn_source_def *def) {
    rn_json_path at = {place->document, place, key, 0};
    rn_result result = value ? rn_shape_read(flows->shapes, value, &at, &l->shape) : RN_OK;
    def->shape = l->shape;
    return result;
}

/* Returns RN_INVALID unless x and y (m) lie in the domain or on its border. */
static rn_result check_inside(const rn_flows *flows, const rn_json_path *place, double x, double y) {
    const double *from = flows->shapes->origin, *size = flows->shapes->size;
    if (x >= from[0] && x <= from[0] + size[0] && y >= from[1] && y <= from[1] + size[1]) return RN_OK;
    return rn_document_fail(place, RN_INVALID,
                            "lies at x %.10g, y %.10g, outside the domain; x must be from %.10g to %.10g and y from "
                            "%.10g to %.10g (m)",
                            x, y, from[0], from[0] + size[0], from[1], from[1] + size[1]);
}

/* Reads the waypoints of a source as the path of the definition, which `l` owns; NULL: none. Returns RN_INVALID if one
   lies outside the domain, or RN_MEMORY if memory runs out. */
static rn_result read_path(const rn_flows *flows, const json_t *list, const rn_json_path *place, owned *l,
                           rn_source_def *def) {
    const size_t count = json_array_size(list);
    if (!list) return RN_OK;
    rn_json_path at = {place->document, place, "path", 0};
    l->path = rn_alloc(NULL, count, sizeof *l->path);
    if (!l->path) return RN_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(list, i);
        rn_json_path point_at = {place->document, &at, NULL, i};
        l->path[i] =
            (rn_waypoint){number_at(point, 0), {number_at(point, 1), number_at(point, 2), number_at(point, 3)}};
        rn_result result = check_inside(flows, &point_at, l->path[i].at.x, l->path[i].at.y);
        if (result != RN_OK) return result;
    }
    def->path = l->path;
    def->path_count = (int)count;
    return RN_OK;
}

/* Reads a map of factors as the map of the definition, which `l` owns: a picture, black 0 and white 1, or rows. Does
   nothing if the value is NULL. */
static rn_result read_map(const json_t *value, const rn_json_path *place, owned *l, rn_source_def *def) {
    if (!value) return RN_OK;
    rn_json_path at = {place->document, place, "map", 0};
    rn_result result = json_is_string(value) ? rn_map_load(json_string_value(value), &at, 0.0, 1.0, &l->map)
                                             : rn_map_rows(value, &at, &l->map);
    def->map = l->map.heights;
    def->map_x = l->map.width;
    def->map_y = l->map.height;
    return result;
}

rn_result rn_flows_times(const rn_json_path *place, double start, double stop) {
    if (stop == 0 || stop > start) return RN_OK;
    rn_json_path at = {place->document, place, "stop", 0};
    return rn_document_fail(&at, RN_INVALID, "is %.10g; it must be more than \"start\", %.10g (s)", stop, start);
}

/* Adds a source to the world, which copies everything that the definition refers to. Returns RN_INVALID if the world
   refuses it. */
static rn_result add_to_world(const rn_flows *flows, const rn_json_path *place, const rn_source_def *def) {
    return rn_world_add_source(flows->world, def) < 0 ? rn_document_pass(place, RN_INVALID) : RN_OK;
}

/* Fills in position, shape, path, times, velocity, and rate, level or head of a source or drain; not its kind. A disk
   must lie in the domain. What the definition refers to belongs to `l`, also after a failure. */
static rn_result read_source(const rn_flows *flows, const rn_source_values *values, const rn_json_path *place, owned *l,
                             rn_source_def *def) {
    rn_json_path at = {place->document, place, "at", 0};
    bool disk = !values->path && !values->shape && values->edge < 0;
    rn_result result = disk ? check_inside(flows, &at, values->at[0], values->at[1]) : RN_OK;
    if (result == RN_OK) result = read_shape(flows, values->shape, place, "shape", l, def);
    if (result == RN_OK) result = read_path(flows, values->path, place, l, def);
    if (result != RN_OK) return result;
    def->at = (rn_vec3){values->at[0], values->at[1], values->at[2]};
    def->radius = values->radius;
    def->along_side = values->edge >= 0;
    def->side = (rn_side)(values->edge < 0 ? 0 : values->edge);
    def->resistance = values->resistance;
    def->velocity = (rn_vec3){values->velocity[0], values->velocity[1], values->velocity[2]};
    def->start = values->start;
    def->stop = values->stop;
    if (values->level || values->head)
        return read_series(values->level ? values->level : values->head, &def->level, l, def);
    return read_series(values->rate, &def->rate, l, def);
}

/* Reads one element of "sources" or, if `drain`, of "drains", and adds it to the world. A drain without a rate takes
   everything. */
static rn_result add_source_or_drain(const rn_flows *flows, const json_t *object, const rn_json_path *place,
                                     bool drain) {
    rn_source_values values = {.edge = -1};
    rn_result result = rn_table_read(drain ? &rn_drain_table : &rn_source_table, object, place, &values);
    if (result == RN_OK) result = rn_flows_times(place, values.start, values.stop);
    if (result != RN_OK) return result;
    rn_source_def def = rn_source_default();
    owned l = {0};
    if (drain) {
        def.kind = RN_SOURCE_DRAIN;
        def.rate = INFINITY;
    } else if (values.level) def.kind = RN_SOURCE_LEVEL;
    else if (values.head) def.kind = RN_SOURCE_HEAD;
    result = read_source(flows, &values, place, &l, &def);
    if (result == RN_OK) result = add_to_world(flows, place, &def);
    free_owned(&l);
    return result;
}

rn_result rn_flows_source(const rn_flows *flows, const json_t *object, const rn_json_path *place) {
    return add_source_or_drain(flows, object, place, false);
}

rn_result rn_flows_drain(const rn_flows *flows, const json_t *object, const rn_json_path *place) {
    return add_source_or_drain(flows, object, place, true);
}

/* Reads one element of "losses" or, if `rain`, of "rain", and adds it to the world. */
static rn_result add_rain_or_loss(const rn_flows *flows, const json_t *object, const rn_json_path *place, bool rain) {
    rn_area_values values = {0};
    rn_result result = rn_table_read(rain ? &rn_rain_table : &rn_loss_table, object, place, &values);
    if (result == RN_OK) result = rn_flows_times(place, values.start, values.stop);
    if (result != RN_OK) return result;
    rn_source_def def = rn_source_default();
    owned l = {0};
    def.kind = rain ? RN_SOURCE_RAIN : (rn_source_kind)(RN_SOURCE_EVAPORATION + values.kind);
    def.start = values.start;
    def.stop = values.stop;
    result = read_series(values.rate, &def.rate, &l, &def);
    if (result == RN_OK) result = read_shape(flows, values.in, place, "in", &l, &def);
    if (result == RN_OK) result = read_map(values.map, place, &l, &def);
    if (result == RN_OK) result = add_to_world(flows, place, &def);
    free_owned(&l);
    return result;
}

rn_result rn_flows_rain(const rn_flows *flows, const json_t *object, const rn_json_path *place) {
    return add_rain_or_loss(flows, object, place, true);
}

rn_result rn_flows_loss(const rn_flows *flows, const json_t *object, const rn_json_path *place) {
    return add_rain_or_loss(flows, object, place, false);
}

/* Sets probe->name; to "p" and its number, from 1, if `name` is empty. Returns RN_LIMIT if it is too long, or
   RN_INVALID if one of the `count` earlier probes has it. */
static rn_result name_probe(const char *name, const rn_json_path *place, const rn_probe *earlier, int count,
                            rn_probe *probe) {
    rn_json_path at = {place->document, place, "name", 0};
    if (strlen(name) >= sizeof probe->name)
        return rn_document_fail(&at, RN_LIMIT, "is longer than the %zu bytes that a name may have",
                                sizeof probe->name - 1);
    if (*name) snprintf(probe->name, sizeof probe->name, "%s", name);
    else snprintf(probe->name, sizeof probe->name, "p%d", count + 1);
    for (int i = 0; i < count; i++)
        if (strcmp(earlier[i].name, probe->name) == 0)
            return rn_document_fail(&at, RN_INVALID, "names \"probes.%d\" too; give each probe a name of its own", i);
    return RN_OK;
}

rn_result rn_flows_probe(const rn_flows *flows, const json_t *object, const rn_json_path *place,
                         const rn_probe *earlier, int count, rn_probe *probe) {
    rn_probe_values values = {0};
    rn_result result = rn_table_read(&rn_probe_table, object, place, &values);
    *probe = (rn_probe){.is_section = json_object_get(object, "from") != NULL, .section = -1};
    if (result == RN_OK) result = name_probe(values.name, place, earlier, count, probe);
    if (result != RN_OK) return result;
    rn_json_path at = {place->document, place, "at", 0};
    probe->at = (rn_vec3){values.at[0], values.at[1], values.at[2]};
    if (!probe->is_section) return check_inside(flows, &at, probe->at.x, probe->at.y);
    probe->section = rn_world_add_section(flows->world, values.from[0], values.from[1], values.to[0], values.to[1]);
    return probe->section < 0 ? rn_document_pass(place, RN_INVALID) : RN_OK;
}
