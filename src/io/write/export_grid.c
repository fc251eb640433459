/* Columns in the form of export files (writer.h): dense, absolute heights, NaN where there are none; and their
   maxima. */
#include "base/memory.h"
#include "io/write/writer.h"
#include "surface/velocity.h"

#include <math.h>
#include <string.h>

/* Returns the value of a field in the column at (x, y) of a layer. */
static float field_at(const rn_surface_field *field, int layer, int y, int x) {
    return field->data[layer * field->layer_stride + y * field->row_stride + x];
}

/* Whether there is a column with this base (m above the datum). A base below 0 is a hole that liquid falls into, and
   RN_NO_COLUMN or more is none. */
static bool is_column(float base) { return base >= 0 && base < RN_NO_COLUMN; }

/* Makes room for `slots` columns; if it grows, the old ones are lost. Returns false, with an error text, if memory runs
   out; then the grid has no room. */
static bool make_room(rn_export_grid *grid, const rn_hooks *hooks, size_t slots) {
    if (slots <= grid->room) return true;
    rn_export_grid_free(grid, hooks);
    grid->depth = rn_alloc(hooks, slots, sizeof *grid->depth);
    grid->base = rn_alloc(hooks, slots, sizeof *grid->base);
    grid->level = rn_alloc(hooks, slots, sizeof *grid->level);
    grid->velocity = rn_alloc(hooks, 2 * slots, sizeof *grid->velocity);
    grid->room = grid->depth && grid->base && grid->level && grid->velocity ? slots : 0;
    return grid->room > 0;
}

void rn_export_grid_free(rn_export_grid *grid, const rn_hooks *hooks) {
    rn_free(hooks, grid->depth);
    rn_free(hooks, grid->base);
    rn_free(hooks, grid->level);
    rn_free(hooks, grid->velocity);
    *grid = (rn_export_grid){0};
}

/* Copies one column of `c` into its slot, with base and level as heights in the world (m, c->datum included); all NAN
   if there is none. A dry column has the velocity 0. grid->slots must be set. */
static void fill_slot(rn_export_grid *grid, const rn_surface_columns *c, int layer, int y, int x) {
    const size_t slot = ((size_t)layer * (size_t)c->cells_y + (size_t)y) * (size_t)c->cells_x + (size_t)x;
    const float base = field_at(&c->base, layer, y, x), depth = field_at(&c->depth, layer, y, x);
    float velocity[3] = {NAN, NAN, NAN};
    const bool there = is_column(base);
    if (there && depth > 0)
        rn_column_velocity(c, 0.5f / c->cell_size, 1.0f / (c->cell_size * c->cell_size), layer, y, x, velocity);
    else if (there) memset(velocity, 0, sizeof velocity);
    grid->depth[slot] = there ? depth : NAN;
    grid->base[slot] = there ? (float)((double)base + (double)c->datum) : NAN;
    grid->level[slot] = there ? (float)((double)base + (double)depth + (double)c->datum) : NAN;
    grid->velocity[slot] = velocity[0];
    grid->velocity[grid->slots + slot] = velocity[1];
}

/* Returns the position of the columns: from the definition, which is exact, if it has a cell size, or else from the
   columns. The position is in the coordinates of the definition's georeference, if it has one, otherwise in m. */
static rn_export_place place_of(const rn_export_def *def, const rn_surface_columns *c) {
    const rn_georeference *map = &def->georeference;
    const bool told = def->cell_size > 0, mapped = map->scale[0] > 0;
    const double cell = told ? def->cell_size : (double)c->cell_size;
    const double scale[2] = {mapped ? map->scale[0] : 1, mapped ? map->scale[1] : 1};
    return (rn_export_place){
        .cells_x = c->cells_x,
        .cells_y = c->cells_y,
        .layers = c->layers,
        .step_x = scale[0] * cell,
        .step_y = scale[1] * cell,
        .origin_x = (mapped ? map->origin[0] : 0) + scale[0] * (told ? def->origin_x : (double)c->origin_x),
        .origin_y = (mapped ? map->origin[1] : 0) + scale[1] * (told ? def->origin_y : (double)c->origin_y)};
}

rn_result rn_export_grid_fill(rn_export_grid *grid, const rn_export_def *def, const rn_surface_columns *c) {
    if (!make_room(grid, &def->hooks, rn_surface_slots(c))) return RN_MEMORY;
    grid->place = place_of(def, c);
    grid->slots = rn_surface_slots(c);
    for (int layer = 0; layer < c->layers; layer++)
        for (int y = 0; y < c->cells_y; y++)
            for (int x = 0; x < c->cells_x; x++) fill_slot(grid, c, layer, y, x);
    return RN_OK;
}

/* ---- Maxima ---------------------------------------------------------------------------------------------------- */

/* Makes room for as many layers as `place` has, more than before (they may appear while solid moves); the values of the
   others stay, new ones are NAN. Returns false, with an error text and nothing changed, if memory runs out. */
static bool add_layers(rn_export_maxima *m, const rn_hooks *hooks, const rn_export_place *place) {
    const size_t layer = (size_t)place->cells_x * (size_t)place->cells_y;
    const size_t before = layer * (size_t)m->place.layers, after = layer * (size_t)place->layers;
    float *deepest = rn_alloc(hooks, after, sizeof *deepest), *arrival = rn_alloc(hooks, after, sizeof *arrival);
    if (!deepest || !arrival) {
        rn_free(hooks, deepest);
        rn_free(hooks, arrival);
        return false;
    }
    if (before > 0) memcpy(deepest, m->deepest, before * sizeof *deepest);
    if (before > 0) memcpy(arrival, m->arrival, before * sizeof *arrival);
    for (size_t i = before; i < after; i++) deepest[i] = arrival[i] = NAN;
    rn_free(hooks, m->deepest);
    rn_free(hooks, m->arrival);
    m->deepest = deepest;
    m->arrival = arrival;
    m->place = *place;
    return true;
}

rn_result rn_export_maxima_add(rn_export_maxima *m, const rn_export_def *def, double time,
                               const rn_surface_columns *c) {
    const rn_export_place place = place_of(def, c);
    if (c->layers > m->place.layers && !add_layers(m, &def->hooks, &place)) return RN_MEMORY;
    size_t slot = 0;
    for (int layer = 0; layer < c->layers; layer++)
        for (int y = 0; y < c->cells_y; y++)
            for (int x = 0; x < c->cells_x; x++, slot++) {
                const float depth = field_at(&c->depth, layer, y, x);
                if (!is_column(field_at(&c->base, layer, y, x))) continue;
                if (!(depth <= m->deepest[slot])) m->deepest[slot] = depth; /* also if there was none */
                if ((double)depth > def->wet_depth && isnan(m->arrival[slot])) m->arrival[slot] = (float)time;
            }
    return RN_OK;
}

void rn_export_maxima_free(rn_export_maxima *m, const rn_hooks *hooks) {
    rn_free(hooks, m->deepest);
    rn_free(hooks, m->arrival);
    *m = (rn_export_maxima){0};
}
