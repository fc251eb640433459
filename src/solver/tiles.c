/* Decides which tiles take part in a substep, and which of their rows and blocks.

   A tile is RN_TILE_X by RN_TILE_Y columns of one layer. It stores its shape (traits such as bumpy, restricted,
   falls, junctions; rn_tile_refresh finds them again after columns have changed) and its liquid (deepest,
   shallowest, wet rows and blocks; written by the pass that changes depths).

   Interface, in the order of a substep (solver/momentum.c and solver/pipes.c call it): rn_tile_refresh, where the
   shape has changed; rn_tile_rests, whether the tile can be skipped; rn_tile_active, the rows and blocks whose faces
   may carry something; rn_tile_reached, those whose depths may change; rn_tile_curbed and rn_tile_may_run_dry, where
   limits must be looked for. rn_tile_touch, rn_tiles_touch_row and rn_tiles_touch_all wake tiles after liquid was
   changed from outside, rn_tiles_reshape and rn_tiles_reshape_row after columns were.

   Algorithm: a tile rests if all is dry in and around it, or if its pipes carried nothing twice in a row and nothing
   moved around it, so that the next substep would give the same bits (docs/model.md, "Rest"). Rows and blocks are
   bits of 32-bit words. Neighbours matter, because liquid crosses into the next row: with_previous() and
   with_following() also set the bits beside those of a tile, from the nearest bit of the next tile too. Whoever
   changes liquid or columns between substeps must wake the tiles concerned. */
#include "solver/tiles.h"

rn_tile_place rn_tile_at(const rn_grid *grid, int32_t tile) {
    const int across = rn_tiles_x(grid), along = rn_tiles_y(grid);
    return (rn_tile_place){tile / (along * across), tile / across % along, tile % across};
}

/* The index nearest to `value` from 0 to count - 1. */
static int clamp_index(int value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : value; }

rn_tile *rn_tile_of(const rn_state *s, int32_t slot) {
    const rn_grid *g = &s->columns.grid;
    const rn_spot at = rn_slot_place(g, slot);
    const int x = clamp_index(at.x, g->nx) / RN_TILE_X, y = clamp_index(at.y, g->ny) / RN_TILE_Y;
    return &s->schedule.tiles[(at.layer * rn_tiles_y(g) + y) * rn_tiles_x(g) + x];
}

#define ALL_LINES 0xffffffffu
static const rn_tile_mask everywhere = {ALL_LINES, ALL_LINES};

rn_patch rn_run_patch(const rn_state *s, int32_t tile, int count) {
    const rn_grid *g = &s->columns.grid;
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
    if (patch->east && end >= patch->columns - 1) end = patch->columns; /* the last column's slope includes the edge */
    patch->narrow = end - begin < patch->columns;
    patch->block = begin / RN_TILE_BLOCK;
    patch->first += begin;
    patch->west = patch->west && begin == 0;
    patch->east = patch->east && end == patch->columns;
    patch->columns = end - begin;
}

/* The tile dx tiles further along x and dy along y, in the same layer, or NULL beyond the edges, also periodic ones.
   `at`: the place of `tile`. */
static const rn_tile *tile_beside(const rn_state *s, int32_t tile, const rn_tile_place *at, int dx, int dy) {
    const int across = rn_tiles_x(&s->columns.grid), x = at->x + dx, y = at->y + dy;
    if (x < 0 || y < 0 || x >= across || y >= rn_tiles_y(&s->columns.grid)) return NULL;
    return &s->schedule.tiles[tile + dy * across + dx];
}

/* The bits for the range from `from` to `to`, both included, cut to `count` columns or rows from `first` on, `by` of
   them per bit. They must overlap. */
static uint32_t bits_between(int from, int to, int first, int count, int by) {
    const int low = from > first ? from - first : 0, high = to < first + count ? to - first : count - 1;
    return ALL_LINES >> (31 - high / by) & ALL_LINES << low / by;
}

/* ---- Shape -------------------------------------------------------------------------------------------------- */

/* Traits of a block's columns in one row, of the columns on both sides of it, and of their pipes. */
enum {
    SOME,      /* there are columns */
    BUMPY,     /* beds differ, or irregular pipes end */
    GAPS,      /* some neighbours have no ordinary pipe, or a fall */
    ROOFED,    /* some ceilings are lower than the lid */
    GATES,     /* in the tile: some adjacent open ranges have no pipe */
    FALLS,     /* in the tile: some pipes are falls */
    JUNCTIONS, /* in the tile: irregular pipes end */
};

/* The traits, as bits, of a row from column `begin` to `end` - 1 of its tile, whose column 0 is in slot `first`;
   columns 0 to `columns` - 1 are in the tile. Pipes beyond edges do not count: at column last_x along x, and with
   last_y along y. */
static int find_traits(const rn_state *s, int32_t first, int begin, int end, int columns, int last_x, bool last_y) {
    const int32_t up = s->columns.grid.stride;
    rn_mask some_all = {0}, bumpy = {0}, gaps = {0}, roofed = {0}, gates = {0}, falls = {0}, junction_all = {0};
    for (int i = begin; i < end; i += RN_LANES) {
        const int32_t c = first + i;
        const rn_mask at = rn_lane_numbers() + i, looked = at < end, within = (at >= 0) & (at < columns);
        const rn_mask kind_x = rn_load_bytes(s->graph.pipe_x + c), kind_y = rn_load_bytes(s->graph.pipe_y + c);
        const rn_wide base = rn_load(s->columns.base + c), base_x = rn_load(s->columns.base + c + 1),
                      base_y = rn_load(s->columns.base + c + up);
        const rn_wide ceil = rn_load(s->columns.ceil + c), ceil_x = rn_load(s->columns.ceil + c + 1),
                      ceil_y = rn_load(s->columns.ceil + c + up);
        const rn_mask none_x = kind_x == 0, none_y = kind_y == 0, open = within & (base < ceil);
        const rn_mask some = base < RN_NO_COLUMN, some_x = some | (base_x < RN_NO_COLUMN),
                      some_y = some | (base_y < RN_NO_COLUMN);
        rn_mask junction;
        memcpy(&junction, s->graph.junction_of + c, sizeof junction);
        junction = looked & (junction != 0);
        some_all |= looked & some;
        bumpy |= junction | (looked & ((~none_x & (base != base_x)) | (~none_y & (base != base_y))));
        gaps |= looked & (at != last_x) & some_x & ((kind_x & RN_PIPE_PLAIN) == 0);
        if (!last_y) gaps |= looked & some_y & ((kind_y & RN_PIPE_PLAIN) == 0);
        roofed |= looked & some & (ceil != s->columns.lid);
        gates |= open & ((none_x & (base < ceil_x) & (base_x < ceil) & (base_x < ceil_x)) |
                         (none_y & (base < ceil_y) & (base_y < ceil) & (base_y < ceil_y)));
        falls |= within & (((kind_x | kind_y) & RN_PIPE_FALL) != 0);
        junction_all |= within & junction;
    }
    return rn_any(some_all) << SOME | rn_any(bumpy) << BUMPY | rn_any(gaps) << GAPS | rn_any(roofed) << ROOFED |
           rn_any(gates) << GATES | rn_any(falls) << FALLS | rn_any(junction_all) << JUNCTIONS;
}

/* Writes the traits of the marked blocks of row `y` of a tile, which may be one before the first or after the last;
   other blocks keep theirs. */
static void find_line_traits(const rn_state *s, const rn_patch *patch, int y, uint32_t blocks, uint8_t *traits) {
    const int least = patch->west ? 0 : -1, most = patch->columns + !patch->east;
    const int columns = y >= 0 && y < patch->rows ? patch->columns : 0;
    const int last_x = patch->east ? patch->columns - 1 : most;
    const bool last_y = patch->north && y == patch->rows - 1;
    for (int k = 0; k * RN_TILE_BLOCK < patch->columns; k++) {
        if (!(blocks >> k & 1u)) continue;
        const int begin = k * RN_TILE_BLOCK - 1, end = begin + RN_TILE_BLOCK + 2;
        traits[k] = (uint8_t)find_traits(s, patch->first + y * s->columns.grid.stride, begin > least ? begin : least,
                                         end < most ? end : most, columns, last_x, last_y);
    }
}

/* Sets the highest base (m) and the smallest headroom (m, INFINITY without ceilings) of a tile. Lanes past the last
   column are padding, without columns. */
static void measure_heights(const rn_state *s, const rn_patch *patch, rn_tile *tile) {
    rn_wide highest = {0}, headroom = rn_splat(INFINITY);
    for (int y = 0; y < patch->rows; y++)
        for (int32_t c = patch->first + y * s->columns.grid.stride, end = c + patch->columns;
             c < end && tile->columns.lines >> y & 1u; c += RN_LANES) {
            const rn_wide base = rn_load(s->columns.base + c), ceil = rn_load(s->columns.ceil + c);
            const rn_mask column = base < RN_NO_COLUMN;
            highest = rn_greater(rn_keep(column, base), highest);
            headroom =
                rn_lesser(rn_select(column & (ceil != s->columns.lid), ceil - base, rn_splat(INFINITY)), headroom);
        }
    tile->highest = rn_greatest(highest);
    tile->headroom = rn_least(headroom);
}

/* Turns bits of rows with a trait, beginning with the row below the tile, into bits of the tile's rows that it
   affects: those rows and the ones beside them. */
static uint32_t beside_lines(uint32_t rows) { return rows | rows >> 1 | rows >> 2; }

/* Derives the traits of the tile's rows from those of blocks. If edges are periodic, all rows count as having gaps and
   as restricted. */
static void sum_up_traits(const rn_state *s, rn_tile *tile) {
    const bool periodic = s->columns.periodic_x || s->columns.periodic_y; /* pipes do not continue */
    uint32_t all[8] = {0};                                                /* one per trait */
    tile->columns = (rn_tile_mask){0};
    for (int k = 0; k < RN_TILE_BLOCKS; k++) {
        uint32_t of[8] = {0};
        for (int y = 0; y < RN_TILE_Y + 2; y++)
            for (int trait = 0; trait < 8; trait++) of[trait] |= ((uint32_t)tile->traits[y][k] >> trait & 1u) << y;
        for (int trait = 0; trait < 8; trait++) all[trait] |= of[trait] = beside_lines(of[trait]);
        tile->columns.lines |= of[SOME];
        tile->columns.blocks |= (uint32_t)(of[SOME] != 0) << k;
    }
    tile->bumpy = all[BUMPY];
    tile->gaps = periodic ? ALL_LINES : all[GAPS];
    tile->restricted = periodic ? ALL_LINES : all[ROOFED] | all[GATES];
    tile->falls = all[FALLS];
    tile->junction = all[JUNCTIONS];
}

/* Sets transfers of row y to 0 in marked blocks where columns have vanished: no pass visits these. */
static void clear_vanished_transfers(rn_state *s, const rn_patch *patch, int y, uint32_t blocks,
                                     const uint8_t *traits) {
    for (int k = 0; k * RN_TILE_BLOCK < patch->columns; k++) {
        if (!(blocks >> k & 1u) || traits[k] >> SOME & 1) continue;
        const int begin = k * RN_TILE_BLOCK, rest = patch->columns - begin;
        const int32_t first = patch->first + y * s->columns.grid.stride + begin;
        const size_t bytes = (size_t)(rest < RN_TILE_BLOCK ? rest : RN_TILE_BLOCK) * sizeof(float);
        memset(s->graph.transfer_x + first, 0, bytes);
        memset(s->graph.transfer_y + first, 0, bytes);
    }
}

void rn_tile_refresh(rn_state *s, int32_t index) {
    rn_tile *tile = &s->schedule.tiles[index];
    const rn_tile_mask stale = tile->stale;
    if (!stale.lines) return;
    const rn_patch patch = rn_tile_patch(s, index);
    for (int y = patch.south ? 0 : -1; y <= patch.rows - patch.north; y++) {
        if (!(stale.lines >> (y + 1) & 1u)) continue;
        find_line_traits(s, &patch, y, stale.blocks, tile->traits[y + 1]);
        if (y >= 0 && y < patch.rows) clear_vanished_transfers(s, &patch, y, stale.blocks, tile->traits[y + 1]);
    }
    sum_up_traits(s, tile);
    measure_heights(s, &patch, tile);
    tile->stale = (rn_tile_mask){0};
}

/* ---- Rest ---------------------------------------------------------------------------------------------------- */

/* Whether nothing is wet in a tile and the eight around it, in this layer. */
static bool is_dry_around(const rn_state *s, int32_t index, const rn_tile_place *at) {
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const rn_tile *tile = tile_beside(s, index, at, dx, dy);
            if (tile && tile->deepest > 0.0f) return false;
        }
    return true;
}

/* Whether nothing has moved in the tile at this place and the eight around it for a substep. All layers count, because
   irregular pipes join layers. */
static bool is_calm_around(const rn_state *s, const rn_tile_place *at) {
    const int per_layer = rn_tiles_x(&s->columns.grid) * rn_tiles_y(&s->columns.grid);
    for (int layer = 0; layer < s->columns.grid.layers; layer++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int32_t index = layer * per_layer + at->y * rn_tiles_x(&s->columns.grid) + at->x;
                const rn_tile *tile = tile_beside(s, index, at, dx, dy);
                if (tile && tile->rest == 0) return false;
            }
    return true;
}

bool rn_tile_rests(const substep *step, int32_t index, bool retimed) {
    rn_state *s = step->s;
    rn_tile *tile = &s->schedule.tiles[index];
    if (tile->columns.lines == 0) {
        tile->height = 0.0f;
        return true;
    }
    if (tile->rest == 0 || s->columns.periodic_x || s->columns.periodic_y || s->schedule.skip_nothing) return false;
    const rn_tile_place at = rn_tile_at(&s->columns.grid, index);
    if (is_dry_around(s, index, &at)) {
        tile->looked = false;
        tile->height = 0.0f;
        return true;
    }
    if (tile->rest < 2 || !is_calm_around(s, &at) || step->params->contact) return false;
    if (!tile->looked) {
        const rn_patch patch = rn_tile_patch(s, index);
        tile->level = step->sweeps->is_level(step, &patch, &tile->height);
        tile->looked = true;
    }
    return tile->level || !retimed;
}

bool rn_tile_is_reached(const rn_state *s, int32_t index) {
    const rn_tile *tile = &s->schedule.tiles[index];
    if (tile->awake || tile->columns.lines == 0) return tile->awake;
    const rn_tile_place at = rn_tile_at(&s->columns.grid, index);
    const rn_tile *west = tile_beside(s, index, &at, -1, 0), *south = tile_beside(s, index, &at, 0, -1);
    return (west && west->awake) || (south && south->awake);
}

/* The bits and those before them; `next`: bits of the tile after this one, NULL beyond the edge; `count`: bits per
   tile. */
static uint32_t with_previous(uint32_t bits, const uint32_t *next, int count) {
    return bits | bits >> 1 | (next ? (*next & 1u) << (count - 1) : 0u);
}

/* The bits and those after them; `last`: bits of the tile before this one; `count`: bits per tile. */
static uint32_t with_following(uint32_t bits, const uint32_t *last, int count) {
    return bits | bits << 1 | (last ? *last >> (count - 1) : 0u);
}

rn_tile_mask rn_tile_active(const rn_state *s, int32_t index) {
    if (s->columns.periodic_x || s->columns.periodic_y || s->schedule.skip_nothing) return everywhere;
    const rn_tile_place at = rn_tile_at(&s->columns.grid, index);
    const rn_tile *east = tile_beside(s, index, &at, 1, 0), *north = tile_beside(s, index, &at, 0, 1);
    const rn_tile_mask wet = s->schedule.tiles[index].wet;
    return (rn_tile_mask){
        with_previous(wet.lines, north ? &north->wet.lines : NULL, RN_TILE_Y) | (east ? east->wet.lines : 0u),
        with_previous(wet.blocks, east ? &east->wet.blocks : NULL, RN_TILE_BLOCKS) | (north ? north->wet.blocks : 0u)};
}

rn_tile_mask rn_tile_reached(const rn_state *s, int32_t index) {
    const rn_tile_place at = rn_tile_at(&s->columns.grid, index);
    const rn_tile *west = tile_beside(s, index, &at, -1, 0), *south = tile_beside(s, index, &at, 0, -1),
                  *tile = &s->schedule.tiles[index];
    const rn_tile_mask none = {0}, own = tile->awake ? tile->active : none;
    const rn_tile_mask below = south && south->awake ? south->active : none,
                       left = west && west->awake ? west->active : none;
    const uint32_t lines = tile->wet.lines | with_following(own.lines, &below.lines, RN_TILE_Y) | left.lines;
    const uint32_t blocks = tile->wet.blocks | with_following(own.blocks, &left.blocks, RN_TILE_BLOCKS) | below.blocks;
    return (rn_tile_mask){lines & tile->columns.lines, blocks & tile->columns.blocks};
}

/* Limits on a column change its pipes, and through them the columns around. */
uint32_t rn_tile_curbed(const rn_state *s, int32_t index, bool in) {
    const rn_tile_place at = rn_tile_at(&s->columns.grid, index);
    uint32_t rows[3] = {0}; /* below, here, above */
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const rn_tile *tile = tile_beside(s, index, &at, dx, dy);
            if (tile) rows[dy + 1] |= tile->limited[in];
        }
    return rows[1] | rows[1] << 1 | rows[1] >> 1 | rows[0] >> (RN_TILE_Y - 1) | (rows[2] & 1u) << (RN_TILE_Y - 1);
}

float rn_tile_inflow(const rn_state *s, int32_t index) {
    const rn_tile_place at = rn_tile_at(&s->columns.grid, index);
    const rn_tile *west = tile_beside(s, index, &at, -1, 0), *south = tile_beside(s, index, &at, 0, -1);
    const float own = s->schedule.tiles[index].transfer; /* of all four sides, inside the tile */
    return 2.0f * own + fmaxf(own, west ? west->transfer : 0.0f) + fmaxf(own, south ? south->transfer : 0.0f);
}

bool rn_tile_may_run_dry(const rn_state *s, int32_t index) {
    const rn_tile *tile = &s->schedule.tiles[index];
    if (tile->junction) return true; /* irregular pipes may have emptied a column since the depths were found */
    return !(rn_tile_inflow(s, index) < tile->shallowest);
}

/* Wakes a tile; its smallest depth is then not known. Its wet places stay. */
static void wake_tile(rn_tile *tile) {
    tile->rest = 0;
    tile->looked = false;
    tile->shallowest = 0.0f;
}

rn_tile_mask rn_tile_spot(const rn_state *s, int32_t slot) {
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    return (rn_tile_mask){1u << clamp_index(at.y, s->columns.grid.ny) % RN_TILE_Y,
                          1u << clamp_index(at.x, s->columns.grid.nx) % RN_TILE_X / RN_TILE_BLOCK};
}

void rn_tile_touch(rn_tile *tile, rn_tile_mask spot, float depth) {
    wake_tile(tile);
    rn_short_set(&tile->wet.lines, spot.lines);
    rn_short_set(&tile->wet.blocks, spot.blocks);
    rn_short_raise(&tile->deepest, depth);
}

void rn_tiles_touch_row(rn_state *s, int layer, int y) {
    const rn_grid *g = &s->columns.grid;
    for (int x = 0; x < g->nx; x += RN_TILE_X) {
        rn_tile *tile = rn_tile_of(s, rn_slot(g, layer, y, x));
        wake_tile(tile);
        tile->wet = tile->active = everywhere; /* until they are found */
        tile->deepest = INFINITY;
    }
}

void rn_tiles_touch_all(rn_state *s) {
    for (int32_t i = 0; i < rn_tile_count(&s->columns.grid); i++) {
        wake_tile(&s->schedule.tiles[i]);
        s->schedule.tiles[i].wet = s->schedule.tiles[i].active = everywhere;
        s->schedule.tiles[i].deepest = INFINITY;
    }
}

/* A change can affect the pipes of these cells, of two cells before them and of one after, and the junctions at
   these pipes: tiles that read any of them, one row or column beyond themselves, are marked. */
void rn_tiles_reshape(rn_state *s, int from, int to, int y) {
    enum { BEFORE = 4, AFTER = 3 };
    const rn_grid *g = &s->columns.grid;
    const int x0 = clamp_index(from - BEFORE, g->nx), x1 = clamp_index(to + AFTER, g->nx);
    const int y0 = clamp_index(y - BEFORE, g->ny), y1 = clamp_index(y + AFTER, g->ny);
    for (int l = 0; l < g->layers; l++) {
        float deepest = 0.0f;
        for (int x = from; x <= to; x++) raise(&deepest, s->columns.depth[rn_slot(g, l, y, x)]);
        for (int ty = y0 / RN_TILE_Y; ty <= y1 / RN_TILE_Y; ty++)
            for (int tx = x0 / RN_TILE_X; tx <= x1 / RN_TILE_X; tx++) {
                rn_tile *tile = &s->schedule.tiles[(l * rn_tiles_y(g) + ty) * rn_tiles_x(g) + tx];
                const uint32_t lines = bits_between(y0, y1, ty * RN_TILE_Y, RN_TILE_Y, 1);
                const uint32_t blocks = bits_between(x0, x1, tx * RN_TILE_X, RN_TILE_X, RN_TILE_BLOCK);
                wake_tile(tile);
                tile->stale.lines |= bits_between(y - BEFORE, y + AFTER, ty * RN_TILE_Y - 1, RN_TILE_Y + 2, 1);
                tile->stale.blocks |= blocks;
                tile->wet.lines |= lines, tile->wet.blocks |= blocks;
                tile->active.lines |= lines, tile->active.blocks |= blocks;
                raise(&tile->deepest, deepest);
            }
    }
    s->schedule.stale = true;
}

void rn_tiles_reshape_row(rn_state *s, int layer, int y) {
    for (int near = y - 1; near <= y + 1; near++) {
        if (near < 0 || near >= s->columns.grid.ny) continue;
        rn_tiles_touch_row(s, layer, near);
        for (int x = 0; x < s->columns.grid.nx; x += RN_TILE_X)
            rn_tile_of(s, rn_slot(&s->columns.grid, layer, near, x))->stale = everywhere;
        s->schedule.stale = true;
    }
}
