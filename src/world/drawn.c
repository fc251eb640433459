/* The columns from which the surface is drawn.

   Interface (world/drawn.h): rn_drawn_update and rn_drawn_free; rn_drawn_join, the work on one cell, is public for
   tests.

   Order of calls: world/skin.c calls rn_drawn_update once per frame, after the mesh of the ground and before
   rn_surface_build; render/topview.c calls it for its pictures. It first lets the solver update the arrays that hosts
   see (sync). The columns it leaves are valid as long as the views of the world.

   A blocking body cuts columns into pieces. If these were drawn, the liquid around the body would end in steps at the
   edges of cells. rn_drawn_update therefore joins the pieces, and gives the joined column the level of the liquid
   around the body: levels are continued under bodies, ring by ring, starting from open liquid. The renderer then
   draws the body itself over a surface without dents (Kellomaki 2014, 3.6 and Fig. 6). Thin films on top of a body
   are not drawn, and the dry hold of a boat becomes solid. Cells that are not near bodies are copied; without
   blocking bodies nothing is copied at all. The effective surface (world/effective.c) serves only for ranges below
   the highest one of a cell: it includes liquid on top of bodies, which would be drawn as hills. */
#include "world/drawn.h"

#include "base/maths.h"
#include "base/memory.h"
#include "world/pose.h"
#include "world/solids.h"
#include "world/world.h"

#include <string.h>

/* ---- One cell ---------------------------------------------------------------------------------------------------- */

/* Consecutive columns of an open range that are separated by bodies and drawn as one. */
typedef struct run {
    int first, end;
    bool bottomless; /* a body stands on the ground */
    bool sealed;     /* liquid reaches the body above the run, or the run has no columns */
    bool capped;     /* that body rises out of the liquid, and has liquid on top */
} run;

static bool is_wet(const rn_drawn_column *c) { return c->level > c->base; }

/* Whether liquid reaches the ceiling of a column, with at most cell->film of air between. Narrow gaps between bodies,
   or between parts of one, therefore count as full even if they are dry. */
static bool is_full(const rn_drawn_cell *cell, const rn_drawn_column *c) { return c->ceil - c->level <= cell->film; }

/* Whether the liquid on top of an emerging body is too shallow to draw: at most cell->shallow, or at most cell->puddle
   if the body's top is not below the highest liquid around. Films and puddles lie in scattered cells and would hang
   down the body's sides as slivers; liquid that flows over the body is drawn. */
static bool is_shallow(const rn_drawn_cell *cell, const rn_drawn_column *c) {
    const float depth = c->level - c->base;
    return depth <= cell->shallow || (depth <= cell->puddle && !(c->base < cell->highest));
}

/* Finds the run that begins with column `first`; it ends before column `end` at the latest. Each further column lies
   above a body that liquid reaches from below. The run has no columns if a body fills the range. whole: the range
   without bodies, from the base of this run up. lowest: this is the lowest run of the range. */
static run find_run(const rn_drawn_cell *cell, const rn_drawn_column *whole, int first, int end, bool lowest) {
    run r = {.first = first, .end = first};
    r.bottomless = lowest && (first == end || cell->columns[first].base > whole->base);
    r.sealed = r.bottomless;
    while (r.end < end && (r.end == first || r.sealed)) {
        const rn_drawn_column *next = &cell->columns[r.end];
        r.capped = r.sealed && is_wet(next) && !(whole->level > next->base);
        if (r.capped) break;
        r.sealed = is_full(cell, next);
        r.end++;
    }
    return r;
}

/* The level (m above the datum) of a run that contains a body: that of its highest liquid if this is open to the
   air, otherwise the effective level; if this is dry, the highest liquid of the run; if that is dry too, the base. */
static float joined_level(const rn_drawn_cell *cell, const run *r, const rn_drawn_column *whole) {
    const rn_drawn_column *top = r->end > r->first ? &cell->columns[r->end - 1] : NULL;
    if (top && is_wet(top) && !r->sealed) return top->level;
    if (whole->level > whole->base) return whole->level;
    for (int i = r->end - 1; i >= r->first; i--)
        if (is_wet(&cell->columns[i])) return cell->columns[i].level;
    return whole->base;
}

/* The single column that a run is drawn as, with the sum of its fluxes; whole: the range without bodies. A dry hold
   below the level around becomes solid, up to cell->wall above that level. */
static rn_drawn_column join_run(const rn_drawn_cell *cell, const rn_drawn_column *whole, const run *r) {
    const rn_drawn_column *top = r->end > r->first ? &cell->columns[r->end - 1] : NULL;
    rn_drawn_column c = {.base = whole->base, .ceil = whole->ceil};
    for (int i = r->first; i < r->end; i++) {
        c.flux_x += cell->columns[i].flux_x;
        c.flux_y += cell->columns[i].flux_y;
    }
    if (r->capped) c.ceil = cell->columns[r->end].base;
    else if (top && !r->sealed) c.ceil = top->ceil;
    const bool alone = !r->bottomless && !r->capped && r->end - r->first == 1;
    const bool with_body = !alone || (r->sealed && top->ceil < whole->ceil);
    c.level = with_body ? joined_level(cell, r, whole) : top->level;
    /* Dry below the level of the liquid around: the hold of a boat, in which no liquid may be drawn. */
    if (with_body && top && !is_wet(top) && !r->sealed && top->base < c.level)
        c.base = c.level = fminf(c.level + cell->wall, c.ceil);
    return c;
}

/* Writes the drawn columns of open range `range`, which contains the cell's columns `first` to `end` - 1, possibly
   none; returns their number, at least 1 but for a sink without a column. A sink stays as it is. Shallow liquid on
   bodies is left out. */
static int join_range(const rn_drawn_cell *cell, int range, int first, int end, rn_drawn_column *drawn) {
    rn_drawn_column whole = {
        .base = cell->open[range].base, .ceil = cell->open[range].ceil, .level = cell->effective[range]};
    int made = 0;
    if (whole.base < 0.0f) {
        while (first < end) drawn[made++] = cell->columns[first++];
        return made;
    }
    do {
        if (made) whole.base = cell->columns[first].base;
        const run r = find_run(cell, &whole, first, end, made == 0);
        drawn[made] = join_run(cell, &whole, &r);
        if (made > 0 && is_shallow(cell, &drawn[made])) drawn[made].level = drawn[made].base;
        made++;
        first = r.end;
        if (r.capped && is_shallow(cell, &cell->columns[first])) break;
    } while (first < end);
    return made;
}

int rn_drawn_join(const rn_drawn_cell *cell, rn_drawn_column *drawn) {
    int made = 0, next = 0;
    for (int i = 0; i < cell->open_count; i++) {
        int end = next;
        while (end < cell->count && cell->columns[end].base < cell->open[i].ceil) end++;
        made += join_range(cell, i, next, end, drawn + made);
        next = end;
    }
    return made;
}

/* ---- All cells --------------------------------------------------------------------------------------------------- */

enum { FIELDS = 5, SHAPES = 2 }; /* the first SHAPES of the fields say where columns begin and end */

/* The number of cells of the grid. */
static size_t cells_of(const rn_world *world) {
    return (size_t)world->columns->grid.nx * (size_t)world->columns->grid.ny;
}

/* The address of a field (0 to FIELDS - 1: base, ceiling, depth and fluxes) of a drawn column in d->values. */
static float *value_at(const rn_drawn *d, const rn_world *world, int field, int layer, int y, int x) {
    const size_t cells = cells_of(world), row = (size_t)world->columns->grid.nx;
    return d->values + ((size_t)field * (size_t)d->layers + (size_t)layer) * cells + (size_t)y * row + (size_t)x;
}

/* The world's array of a field (0 to FIELDS - 1: base, ceiling, depth and fluxes), by slot. */
static const float *state_values(const rn_columns *s, int field) {
    const float *const fields[FIELDS] = {s->base, s->ceil, s->depth, s->flux_x, s->flux_y};
    return fields[field];
}

/* Thickness (m) of air below a body that counts as none: half a cell, at least RN_FULL quanta. */
static float air_film(const rn_columns *s) { return fmaxf(RN_FULL * s->quantum, 0.5f * s->cell); }

void rn_drawn_free(rn_drawn *drawn, const rn_hooks *hooks) {
    rn_free(hooks, drawn->values);
    rn_free(hooks, drawn->near);
    rn_free(hooks, drawn->around);
    rn_free(hooks, drawn->under);
    rn_free(hooks, drawn->news);
    rn_free(hooks, drawn->rows);
    *drawn = (rn_drawn){.values = NULL};
}

/* Makes room for all drawn columns if the number of layers has changed, or on the first call; *fresh: the arrays are
   new and all 0. Returns RN_MEMORY, with a message, if memory runs out; then everything is freed. */
static rn_result make_room(rn_drawn *d, const rn_world *world, const rn_hooks *hooks, bool *fresh) {
    /* A range that a body fills has no column, but is drawn. */
    const int layers = world->columns->grid.layers + world->solids.layers - 1;
    *fresh = !d->values || layers != d->layers;
    if (!*fresh) return RN_OK;
    rn_drawn_free(d, hooks);
    d->layers = layers;
    d->values = rn_alloc(hooks, FIELDS * (size_t)layers * cells_of(world), sizeof *d->values);
    d->near = rn_alloc(hooks, cells_of(world), sizeof *d->near);
    d->around = rn_alloc(hooks, cells_of(world), sizeof *d->around);
    d->under = rn_alloc(hooks, cells_of(world), sizeof *d->under);
    d->news = rn_alloc(hooks, cells_of(world), sizeof *d->news);
    d->rows = rn_alloc(hooks, (size_t)world->columns->grid.ny, sizeof *d->rows);
    if (d->values && d->near && d->around && d->under && d->news && d->rows) return RN_OK;
    rn_drawn_free(d, hooks);
    return RN_MEMORY;
}

/* Marks the cells at a body's current pose, and two more on every side, in d->near. */
static void mark_near_body(const rn_drawn *d, const rn_world *world, const rn_body *body) {
    const rn_cells cells = rn_body_cells(world, body, &body->now, 2);
    for (int y = cells.y0; y < cells.y1; y++)
        memset(d->near + (size_t)y * (size_t)world->columns->grid.nx + (size_t)cells.x0, 1,
               (size_t)(cells.x1 - cells.x0));
}

/* Extends the changed cells of a row, at first none, by those from `first` to `end` - 1. */
static void widen_changed(rn_drawn_row *row, int first, int end) {
    if (row->end <= row->first) *row = (rn_drawn_row){first, end};
    if (first < row->first) row->first = first;
    if (end > row->end) row->end = end;
}

/* Whether a body takes more than a quarter of the column at its surface: a little liquid stands high there and would
   be drawn as a spike. */
static bool is_narrow(const rn_columns *s, int32_t slot) {
    return rn_column_is_partial(s, slot) && s->solid_depth[slot] > 0.25f * (s->solid_high[slot] - s->solid_low[slot]) &&
           rn_column_level(s, slot) > s->solid_low[slot];
}

/* Finds the level (m above the datum) of the liquid in the highest open range of a cell; NAN if the range is dry or a
   hole, or the cell is solid. Returns false, with no meaning in *level, if a body hides it: the body stands on the
   ground or fills the range, takes much of the column, or has liquid below it with at most `film` (m) of air
   between. */
static bool find_open_level(const rn_world *world, int y, int x, float film, float *level) {
    const rn_columns *s = world->columns;
    rn_column_range open[RN_MOST_LAYERS];
    const int count = rn_solids_gaps(world, x, y, open);
    *level = NAN;
    if (count == 0 || open[count - 1].base < 0.0f) return true;
    for (int l = 0; l < s->grid.layers; l++) {
        const int32_t slot = rn_slot(&s->grid, l, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        if (s->base[slot] < open[count - 1].base) continue;
        if (s->base[slot] > open[count - 1].base || is_narrow(s, slot)) return false;
        if (s->depth[slot] > 0.0f) *level = rn_column_level(s, slot);
        return s->ceil[slot] >= open[count - 1].ceil || !(s->ceil[slot] - *level <= film);
    }
    return false;
}

/* The mean level and the highest one (m above the datum) of the four cells beside a cell. Only cells near bodies whose
   level is known count; both are NAN if there are none. */
static rn_drawn_around look_around(const rn_drawn *d, const rn_grid *grid, int32_t cell) {
    const int x = cell % grid->nx, y = cell / grid->nx;
    const bool inside[4] = {x > 0, x + 1 < grid->nx, y > 0, y + 1 < grid->ny};
    const int32_t beside[4] = {cell - 1, cell + 1, cell - grid->nx, cell + grid->nx};
    float sum = 0.0f, count = 0.0f, highest = NAN;
    for (int i = 0; i < 4; i++) {
        if (!inside[i] || !d->near[beside[i]] || isnan(d->around[beside[i]].level)) continue;
        sum += d->around[beside[i]].level;
        count += 1.0f;
        highest = fmaxf(highest, d->around[beside[i]].highest);
    }
    return (rn_drawn_around){count > 0.0f ? sum / count : NAN, highest};
}

/* Sets d->around of all cells near bodies: continues the level of the liquid under bodies, ring by ring, starting from
   open liquid. Cells that it does not reach keep NAN. The world's effective surface does not serve here: it includes
   liquid on top of bodies, which would be drawn as hills around them. */
static void continue_levels(const rn_drawn *d, const rn_world *world) {
    const rn_grid *grid = &world->columns->grid;
    const float film = air_film(world->columns);
    size_t count = 0, left;
    for (int y = 0; y < grid->ny; y++)
        for (int x = 0; x < grid->nx; x++) {
            const size_t cell = (size_t)y * (size_t)grid->nx + (size_t)x;
            float level;
            if (!d->near[cell]) continue;
            if (!find_open_level(world, y, x, film, &level)) {
                level = NAN;
                d->under[count++] = (int32_t)cell;
            }
            d->around[cell] = (rn_drawn_around){level, level};
        }
    do {
        left = 0;
        for (size_t i = 0; i < count; i++) d->news[i] = look_around(d, grid, d->under[i]);
        for (size_t i = 0; i < count; i++)
            if (isnan(d->news[i].level)) d->under[left++] = d->under[i];
            else d->around[d->under[i]] = d->news[i];
        const bool stuck = left == count;
        count = stuck ? 0 : left;
    } while (count > 0);
}

/* Writes the level (m above the datum) of each of a cell's `count` open ranges as if there were no bodies, lowest range
   first. The highest range has the level continued from around bodies; the others have the world's effective surface,
   whose planes are stored from the highest range down. NAN: dry or not known. */
static void find_effective(const rn_drawn *d, const rn_world *world, int y, int x, int count, float *effective) {
    const rn_bodies *all = &world->bodies;
    const size_t cell = (size_t)y * (size_t)world->columns->grid.nx + (size_t)x;
    for (int i = 0; i < count; i++) {
        const int plane = count - 1 - i;
        effective[i] = plane < all->planes ? all->effective[(size_t)plane * cells_of(world) + cell] : NAN;
    }
    if (count > 0) effective[count - 1] = d->around[cell].level;
}

/* Writes the drawn columns of a cell near bodies to d->values, empty ones in the remaining layers; widens the changed
   cells of its row if a base or ceiling differs from before. */
static void put_cell(const rn_drawn *d, const rn_world *world, int y, int x) {
    const rn_columns *s = world->columns;
    rn_column_range open[RN_MOST_LAYERS];
    rn_drawn_column columns[RN_MOST_LAYERS], drawn[2 * RN_MOST_LAYERS];
    float effective[RN_MOST_LAYERS];
    rn_drawn_cell cell = {.open = open, .columns = columns, .effective = effective};
    cell.open_count = rn_solids_gaps(world, x, y, open);
    find_effective(d, world, y, x, cell.open_count, effective);
    const rn_drawn_around around = d->around[(size_t)y * (size_t)s->grid.nx + (size_t)x];
    for (int l = 0; l < s->grid.layers; l++) {
        const int32_t slot = rn_slot(&s->grid, l, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        const float level = is_narrow(s, slot) ? fmaxf(around.level, s->base[slot]) : rn_column_level(s, slot);
        columns[cell.count++] =
            (rn_drawn_column){s->base[slot], s->ceil[slot], level, s->flux_x[slot], s->flux_y[slot]};
    }
    cell.film = air_film(s);
    cell.shallow = 0.5f * s->cell;
    cell.puddle = 2.0f * s->cell;
    cell.highest = around.highest;
    cell.wall = s->cell;
    const int made = rn_drawn_join(&cell, drawn);
    for (int l = 0; l < d->layers; l++) {
        const rn_drawn_column c = l < made ? drawn[l] : (rn_drawn_column){.base = RN_NO_COLUMN, .ceil = RN_NO_COLUMN};
        const float values[FIELDS] = {c.base, c.ceil, l < made ? c.level - c.base : 0.0f, c.flux_x, c.flux_y};
        for (int field = 0; field < FIELDS; field++) {
            float *to = value_at(d, world, field, l, y, x);
            if (field < SHAPES && *to != values[field]) widen_changed(&d->rows[y], x, x + 1);
            *to = values[field];
        }
    }
}

/* Copies the columns of `count` cells of a row from x on, which have no body, to d->values; widens the changed cells of
   the row by all of them if a base or ceiling differs from before. */
static void copy_cells(const rn_drawn *d, const rn_world *world, int y, int x, int count) {
    const rn_columns *s = world->columns;
    const size_t bytes = (size_t)count * sizeof(float);
    for (int l = 0; l < s->grid.layers; l++)
        for (int field = 0; field < FIELDS; field++) {
            const float *from = state_values(s, field) + rn_slot(&s->grid, l, y, x);
            float *to = value_at(d, world, field, l, y, x);
            if (field < SHAPES && memcmp(from, to, bytes) != 0) widen_changed(&d->rows[y], x, x + count);
            memcpy(to, from, bytes);
        }
}

typedef struct putting {
    const rn_drawn *drawn;
    const rn_world *world;
} putting;

/* A task over rows: writes their drawn columns, and to d->rows the range of cells whose base or ceiling has changed. */
static void put_rows(void *context, int begin, int end, int worker) {
    const putting *p = context;
    const rn_drawn *d = p->drawn;
    const int nx = p->world->columns->grid.nx;
    (void)worker;
    for (int y = begin; y < end; y++) {
        const uint8_t *near = d->near + (size_t)y * (size_t)nx;
        d->rows[y] = (rn_drawn_row){0, 0};
        for (int x = 0, run_end; x < nx; x = run_end) {
            for (run_end = x + 1; run_end < nx && near[run_end] == near[x];) run_end++;
            if (!near[x]) copy_cells(d, p->world, y, x, run_end - x);
            for (int i = x; near[x] && i < run_end; i++) put_cell(d, p->world, y, i);
        }
    }
}

/* Writes RN_NO_COLUMN as base and ceiling of the layers that no column has, but that joined ranges may need. */
static void empty_layers(const rn_drawn *d, const rn_world *world) {
    const size_t cells = cells_of(world);
    for (int l = world->columns->grid.layers; l < d->layers; l++)
        for (int field = 0; field < SHAPES; field++) {
            float *to = value_at(d, world, field, l, 0, 0);
            for (size_t i = 0; i < cells; i++) to[i] = RN_NO_COLUMN;
        }
}

/* The arrays d->values as input for rn_surface_build; sizes and units are those of the world. */
static rn_surface_columns drawn_columns(const rn_drawn *d, const rn_world *world) {
    rn_surface_columns c = rn_surface_columns_of(world);
    rn_surface_field *const fields[FIELDS] = {&c.base, &c.ceil, &c.depth, &c.flux_x, &c.flux_y};
    const ptrdiff_t row = c.cells_x;
    for (int i = 0; i < FIELDS; i++)
        *fields[i] = (rn_surface_field){value_at(d, world, i, 0, 0, 0), row, row * c.cells_y};
    c.layers = d->layers;
    return c;
}

/* Clears d->near and marks the cells near blocking bodies, if the array exists. Returns false if there are no such
   bodies, or columns are not made from stored ground. */
static bool mark_near_bodies(const rn_drawn *d, const rn_world *world) {
    bool any = false;
    if (d->near) memset(d->near, 0, cells_of(world));
    for (size_t i = 0; i < world->bodies.count; i++) {
        const rn_body *body = rn_body_at(&world->bodies, i);
        if (!body->shape || !body->blocks) continue;
        if (d->near) mark_near_body(d, world, body);
        any = true;
    }
    return any && world->solids.ground;
}

rn_result rn_drawn_update(rn_drawn *drawn, const rn_world *world, const rn_hooks *hooks, rn_surface_area *changed) {
    const rn_result synced = world->solver->sync(world->self);
    if (synced != RN_OK) return synced;
    const rn_surface_area all = {0, 0, world->columns->grid.nx, world->columns->grid.ny};
    bool fresh;
    *changed = (rn_surface_area){0};
    if (!mark_near_bodies(drawn, world)) {
        if (drawn->values) *changed = all;
        rn_drawn_free(drawn, hooks);
        drawn->columns = rn_surface_columns_of(world);
        return RN_OK;
    }
    const rn_result result = make_room(drawn, world, hooks, &fresh);
    if (result != RN_OK) return result;
    if (fresh) mark_near_bodies(drawn, world);
    if (fresh) empty_layers(drawn, world);
    continue_levels(drawn, world);
    putting p = {drawn, world};
    rn_parallel_for(world->pool, world->columns->grid.ny, put_rows, &p);
    drawn->columns = drawn_columns(drawn, world);
    for (int y = 0; y < all.y1; y++) {
        const rn_drawn_row row = drawn->rows[y];
        if (row.end <= row.first) continue;
        if (changed->x1 <= changed->x0) *changed = (rn_surface_area){row.first, y, row.end, y + 1};
        if (row.first < changed->x0) changed->x0 = row.first;
        if (row.end > changed->x1) changed->x1 = row.end;
        changed->y1 = y + 1;
    }
    if (fresh) *changed = all;
    return RN_OK;
}
