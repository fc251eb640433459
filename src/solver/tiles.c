#include "solver/tiles.h"

rn_tile_place rn_tile_at(const rn_grid *grid, int32_t tile) {
    const int across = rn_tiles_x(grid), along = rn_tiles_y(grid);
    return (rn_tile_place){tile / (along * across), tile / across % along, tile % across};
}

static int clamped(int value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : value; }

rn_tile *rn_tile_of(const rn_state *s, int32_t slot) {
    const rn_grid *g = &s->grid;
    const rn_spot at = rn_slot_place(g, slot);
    const int x = clamped(at.x, g->nx) / RN_TILE_X, y = clamped(at.y, g->ny) / RN_TILE_Y;
    return &s->tiles[(at.layer * rn_tiles_y(g) + y) * rn_tiles_x(g) + x];
}

#define ALL_LINES 0xffffffffu
static const rn_where everywhere = {ALL_LINES, ALL_LINES};
enum { BLOCKS = RN_TILE_X / RN_TILE_BLOCK };

rn_patch rn_run_patch(const rn_state *s, int32_t tile, int count) {
    const rn_grid *g = &s->grid;
    const rn_tile_place at = rn_tile_at(g, tile);
    const int x = at.x * RN_TILE_X, y = at.y * RN_TILE_Y, columns = g->nx - x, rows = g->ny - y;
    return (rn_patch){.first = rn_slot(g, at.layer, y, x),
                      .columns = columns < count * RN_TILE_X ? columns : count * RN_TILE_X,
                      .rows = rows < RN_TILE_Y ? rows : RN_TILE_Y,
                      .west = x == 0,
                      .east = columns <= count * RN_TILE_X,
                      .south = y == 0,
                      .north = rows <= RN_TILE_Y,
                      .lines = ALL_LINES};
}

rn_patch rn_tile_patch(const rn_state *s, int32_t tile) { return rn_run_patch(s, tile, 1); }

void rn_patch_narrow(rn_patch *patch, uint32_t blocks) {
    int begin = 0, end = patch->columns;
    while (begin + RN_TILE_BLOCK < end && !(blocks >> begin / RN_TILE_BLOCK & 1u)) begin += RN_TILE_BLOCK;
    while (end - RN_TILE_BLOCK > begin && !(blocks >> (end - 1) / RN_TILE_BLOCK & 1u))
        end = (end - 1) / RN_TILE_BLOCK * RN_TILE_BLOCK;
    if (patch->east && end >= patch->columns - 1) end = patch->columns; /* the last column's slope knows the edge */
    patch->narrow = end - begin < patch->columns;
    patch->block = begin / RN_TILE_BLOCK;
    patch->first += begin;
    patch->west = patch->west && begin == 0;
    patch->east = patch->east && end == patch->columns;
    patch->columns = end - begin;
}

/* The tile so many further on, or NULL past the edges. */
static const rn_tile *beside(const rn_state *s, int32_t tile, const rn_tile_place *at, int dx, int dy) {
    const int across = rn_tiles_x(&s->grid), x = at->x + dx, y = at->y + dy;
    if (x < 0 || y < 0 || x >= across || y >= rn_tiles_y(&s->grid)) return NULL;
    return &s->tiles[tile + dy * across + dx];
}

/* ---- Shape -------------------------------------------------------------------------------------------------- */

/* What slopes and fluxes of a tile's pipes depend on. Numbers rather than truths, so that nothing branches. */
typedef struct glimpse {
    unsigned gaps, bumpy, gated, falls, special;
    float highest, headroom;
} glimpse;

/* In a stretch of a row that goes on beyond the tile; pipes past edges are none. */
static void look_around(const rn_state *s, int32_t first, int count, bool last_x, bool last_y, glimpse *found) {
    const int32_t up = s->grid.stride;
    const float *const base = s->base + first;
    const uint8_t *const pipe_x = s->pipe_x + first, *const pipe_y = s->pipe_y + first;
    unsigned gaps_x = 0, gaps_y = 0, bumpy = 0;
    for (int i = 0; i < count - last_x; i++) gaps_x |= !(pipe_x[i] & RN_PIPE_PLAIN);
    for (int i = 0; i < count; i++) gaps_y |= !(pipe_y[i] & RN_PIPE_PLAIN);
    for (int i = 0; i < count; i++) bumpy |= (pipe_x[i] != 0) & (base[i] != base[i + 1]);
    for (int i = 0; i < count; i++) bumpy |= (pipe_y[i] != 0) & (base[i] != base[i + up]);
    for (int i = 0; i < count; i++) bumpy |= s->special_of[first + i] != 0;
    found->gaps |= gaps_x | (last_y ? 0 : gaps_y);
    found->bumpy |= bumpy;
    found->gated |= row_has_roofs(s, first, count);
}

static void look_within(const rn_state *s, int32_t first, int count, glimpse *found) {
    const float *const base = s->base + first, *const ceil = s->ceil + first, lid = s->lid;
    const uint8_t *const pipe_x = s->pipe_x + first, *const pipe_y = s->pipe_y + first;
    unsigned falls = 0, special = 0;
    float highest = found->highest, headroom = found->headroom;
    for (int i = 0; i < count; i++) falls |= (pipe_x[i] | pipe_y[i]) & RN_PIPE_FALL;
    for (int i = 0; i < count; i++) special |= s->special_of[first + i] != 0;
    for (int i = 0; i < count; i++) highest = fmaxf(highest, base[i] < RN_NO_COLUMN ? base[i] : 0.0f);
    for (int i = 0; i < count; i++) {
        const bool roofed = (base[i] < RN_NO_COLUMN) & (ceil[i] != lid);
        headroom = fminf(headroom, roofed ? ceil[i] - base[i] : INFINITY);
    }
    found->highest = highest;
    found->headroom = headroom;
    found->gated |=
        row_has_gaps(s, first, count, 1, s->pipe_x) || row_has_gaps(s, first, count, s->grid.stride, s->pipe_y);
    found->falls |= falls;
    found->special |= special;
}

void rn_tile_refresh(rn_state *s, int32_t index) {
    if (!s->tiles[index].stale) return;
    const rn_patch patch = rn_tile_patch(s, index);
    const int before = patch.west ? 0 : 1, beyond = patch.east ? 0 : 1;
    rn_tile *tile = &s->tiles[index];
    glimpse found = {.headroom = INFINITY};
    for (int y = patch.south ? 0 : -1; y <= patch.rows - patch.north; y++) {
        const int32_t first = patch.first + y * s->grid.stride;
        look_around(s, first - before, before + patch.columns + beyond, patch.east, patch.north && y == patch.rows - 1,
                    &found);
        if (y >= 0 && y < patch.rows) look_within(s, first, patch.columns, &found);
    }
    const bool periodic = s->periodic_x || s->periodic_y; /* columns go on past edges, pipes do not */
    tile->stale = false;
    tile->bumpy = found.bumpy;
    tile->special = found.special;
    tile->gaps = found.gaps || periodic;
    tile->gated = found.gated || periodic;
    tile->falls = found.falls;
    tile->highest = found.highest;
    tile->headroom = found.headroom;
}

/* Loose pipes may have emptied a column since the depths were looked at. */
static float shallowest(const rn_tile *tile) { return !tile ? INFINITY : tile->special ? 0.0f : tile->shallowest; }

rn_kind rn_tile_kind(const rn_state *s, int32_t index) {
    const rn_tile *tile = &s->tiles[index];
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    const float beyond = fminf(shallowest(beside(s, index, &at, 1, 0)), shallowest(beside(s, index, &at, 0, 1)));
    const float least = s->periodic_x || s->periodic_y ? 0.0f : fminf(shallowest(tile), beyond);
    return (rn_kind){.sloped = tile->bumpy,
                     .gaps = tile->gaps,
                     .falls = tile->falls,
                     .gated = tile->gated,
                     .dry = !(least > 0.0f),
                     .calm = tile->not_calm_for == 0 && !s->restless,
                     .shallowest = least};
}

/* ---- Rest ---------------------------------------------------------------------------------------------------- */

/* Nothing is wet here or beside it in this layer. */
static bool is_dry_around(const rn_state *s, int32_t index, const rn_tile_place *at) {
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const rn_tile *tile = beside(s, index, at, dx, dy);
            if (tile && tile->deepest > 0.0f) return false;
        }
    return true;
}

/* Nothing has moved here or beside it. Loose pipes join layers, so all of them count. */
static bool is_calm_around(const rn_state *s, const rn_tile_place *at) {
    const int per_layer = rn_tiles_x(&s->grid) * rn_tiles_y(&s->grid);
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int32_t index = layer * per_layer + at->y * rn_tiles_x(&s->grid) + at->x;
                const rn_tile *tile = beside(s, index, at, dx, dy);
                if (tile && tile->rest == 0) return false;
            }
    return true;
}

bool rn_tile_rests(const substep *step, int32_t index, bool retimed) {
    rn_state *s = step->s;
    rn_tile *tile = &s->tiles[index];
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    if (tile->rest == 0 || s->periodic_x || s->periodic_y || s->restless) return false;
    if (is_dry_around(s, index, &at)) {
        tile->looked = false;
        tile->height = 0.0f;
        return true;
    }
    if (tile->rest < 2 || s->advected || !is_calm_around(s, &at)) return false;
    if (!tile->looked) {
        const rn_patch patch = rn_tile_patch(s, index);
        tile->level = step->sweeps->is_level(step, &patch, &tile->height);
        tile->looked = true;
    }
    return tile->level || !retimed;
}

bool rn_tile_is_reached(const rn_state *s, int32_t index) {
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    const rn_tile *west = beside(s, index, &at, -1, 0), *south = beside(s, index, &at, 0, -1);
    return s->tiles[index].awake || (west && west->awake) || (south && south->awake);
}

static uint32_t before(uint32_t bits, const uint32_t *next, int count) {
    return bits | bits >> 1 | (next ? (*next & 1u) << (count - 1) : 0u);
}

static uint32_t after(uint32_t bits, const uint32_t *last, int count) {
    return bits | bits << 1 | (last ? *last >> (count - 1) : 0u);
}

rn_where rn_tile_active(const rn_state *s, int32_t index) {
    if (s->advected || s->periodic_x || s->periodic_y || s->restless) return everywhere;
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    const rn_tile *east = beside(s, index, &at, 1, 0), *north = beside(s, index, &at, 0, 1);
    const rn_where wet = s->tiles[index].wet;
    return (rn_where){before(wet.lines, north ? &north->wet.lines : NULL, RN_TILE_Y) | (east ? east->wet.lines : 0u),
                      before(wet.blocks, east ? &east->wet.blocks : NULL, BLOCKS) | (north ? north->wet.blocks : 0u)};
}

rn_where rn_tile_reached(const rn_state *s, int32_t index) {
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    const rn_tile *west = beside(s, index, &at, -1, 0), *south = beside(s, index, &at, 0, -1), *tile = &s->tiles[index];
    const rn_where none = {0}, own = tile->awake ? tile->active : none;
    const rn_where below = south && south->awake ? south->active : none,
                   left = west && west->awake ? west->active : none;
    return (rn_where){tile->wet.lines | after(own.lines, &below.lines, RN_TILE_Y) | left.lines,
                      tile->wet.blocks | after(own.blocks, &left.blocks, BLOCKS) | below.blocks};
}

/* Limits on a column change its pipes, and so the columns around. */
uint32_t rn_tile_curbed(const rn_state *s, int32_t index, bool in) {
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    uint32_t rows[3] = {0}; /* below, here, above */
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const rn_tile *tile = beside(s, index, &at, dx, dy);
            if (tile) rows[dy + 1] |= tile->limited[in];
        }
    return rows[1] | rows[1] << 1 | rows[1] >> 1 | rows[0] >> (RN_TILE_Y - 1) | (rows[2] & 1u) << (RN_TILE_Y - 1);
}

float rn_tile_inflow(const rn_state *s, int32_t index) {
    const rn_tile_place at = rn_tile_at(&s->grid, index);
    const rn_tile *west = beside(s, index, &at, -1, 0), *south = beside(s, index, &at, 0, -1);
    const float own = s->tiles[index].transfer; /* of all four, inside the tile */
    return 2.0f * own + fmaxf(own, west ? west->transfer : 0.0f) + fmaxf(own, south ? south->transfer : 0.0f);
}

bool rn_tile_may_run_dry(const rn_state *s, int32_t index) {
    return !(rn_tile_inflow(s, index) < shallowest(&s->tiles[index]));
}

static void touch(rn_tile *tile) {
    tile->rest = 0;
    tile->looked = false;
    tile->shallowest = 0.0f;
}

rn_where rn_tile_spot(const rn_state *s, int32_t slot) {
    const rn_spot at = rn_slot_place(&s->grid, slot);
    return (rn_where){1u << clamped(at.y, s->grid.ny) % RN_TILE_Y,
                      1u << clamped(at.x, s->grid.nx) % RN_TILE_X / RN_TILE_BLOCK};
}

void rn_tile_touch(rn_tile *tile, rn_where spot, float depth) {
    touch(tile);
    tile->wet.lines |= spot.lines;
    tile->wet.blocks |= spot.blocks;
    raise(&tile->deepest, depth);
}

void rn_tiles_touch_row(rn_state *s, int layer, int y) {
    const rn_grid *g = &s->grid;
    for (int x = 0; x < g->nx; x += RN_TILE_X) {
        rn_tile *tile = rn_tile_of(s, rn_slot(g, layer, y, x));
        touch(tile);
        tile->wet = tile->active = everywhere; /* until they are known */
        tile->deepest = INFINITY;
    }
}

void rn_tiles_touch_all(rn_state *s) {
    for (int32_t i = 0; i < rn_tile_count(&s->grid); i++) {
        touch(&s->tiles[i]);
        s->tiles[i].wet = s->tiles[i].active = everywhere;
        s->tiles[i].deepest = INFINITY;
    }
}

/* As many bits from `from` to `to` as lie within `count` from `first` on, `by` to each. */
static uint32_t bits_between(int from, int to, int first, int count, int by) {
    uint32_t bits = 0;
    for (int i = from > first ? from : first; i <= to && i < first + count; i++) bits |= 1u << (i - first) / by;
    return bits;
}

void rn_tiles_reshape(rn_state *s, int from, int to, int y) {
    enum { BEFORE = 2, AFTER = 3 }; /* cells: what tiles look at beyond themselves, and the other end of a pipe */
    const rn_grid *g = &s->grid;
    const int x0 = clamped(from - BEFORE, g->nx), x1 = clamped(to + AFTER, g->nx);
    const int y0 = clamped(y - BEFORE, g->ny), y1 = clamped(y + AFTER, g->ny);
    for (int l = 0; l < g->layers; l++)
        for (int ty = y0 / RN_TILE_Y; ty <= y1 / RN_TILE_Y; ty++)
            for (int tx = x0 / RN_TILE_X; tx <= x1 / RN_TILE_X; tx++) {
                rn_tile *tile = &s->tiles[(l * rn_tiles_y(g) + ty) * rn_tiles_x(g) + tx];
                const uint32_t lines = bits_between(y0, y1, ty * RN_TILE_Y, RN_TILE_Y, 1);
                const uint32_t blocks = bits_between(x0, x1, tx * RN_TILE_X, RN_TILE_X, RN_TILE_BLOCK);
                touch(tile);
                tile->wet.lines |= lines, tile->wet.blocks |= blocks;
                tile->active.lines |= lines, tile->active.blocks |= blocks;
                tile->deepest = INFINITY; /* until it is known */
                tile->stale = true;
            }
    s->stale = true;
}

void rn_tiles_reshape_row(rn_state *s, int layer, int y) {
    for (int near = y - 1; near <= y + 1; near++) {
        if (near < 0 || near >= s->grid.ny) continue;
        rn_tiles_touch_row(s, layer, near);
        for (int x = 0; x < s->grid.nx; x += RN_TILE_X) rn_tile_of(s, rn_slot(&s->grid, layer, near, x))->stale = true;
        s->stale = true;
    }
}
