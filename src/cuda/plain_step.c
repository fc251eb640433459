/* The passes of a substep of a plain world (cuda/plain_step.h). Each works on pieces of tiles, and blocks take the
   pieces in turn:

     kick    decides which tiles rest, and finds the next speeds of the others
     cross   transfers and kept speeds, and the extremes that limit the next substep
     move    makes the transfers; counts how long tiles have rested
     mend    only if a column gave more than it had, or got more than it has room for: as in solver/pipes.c

   In linked worlds there are passes over connections, junctions and contact heads between these (cuda/linked_step.h);
   a bar: blocks meet.

     stop, contact | kick, look | forces | (halves |) carries | cross, sum | crossings | check | move | (mend |) fill |

   Blocks meet between the passes. A tile's values before a substep and after it are kept apart, so that blocks may look
   at tiles around their own in any order. Sweeps and kernels are those of the CPU. */
#include "cuda/plain_step.h"

#include "cuda/linked_step.h"
#include "cuda/machine.h"
#include "solver/momentum.h"
#include "solver/tiles.h"

enum { ACROSS = RN_PLAIN_ACROSS, PARTS = RN_PLAIN_PARTS };
enum { AWAKE = 1, SLOPED = 2, RESTRICTED = 4, FALLS = 8, TILTED = 16 }; /* in rn_plain.pieces */
enum { UNDER = 1, OVER = 2 };
enum { REACH_BACK = 3, REACH_AHEAD = 4 }; /* columns around a piece that a kick reads, below and above it */

/* The number of pieces of all tiles of a grid. */
static int piece_count(const rn_grid *grid) { return rn_tile_count(grid) * PARTS; }

/* The number of this thread in its block, and of threads in a block. */
static int own_thread(void) { return rn_rank() * rn_lane_count() + rn_lane(); }
static int thread_count(void) { return rn_rank_count() * rn_lane_count(); }

/* Raises a shared float to `value`; both must be 0 or more. All lanes of a group must call it together. */
static void raise_together(float *to, float value) {
    const int most = machine_group_max(rn_float_bits(value));
    if (most == rn_float_bits(value) && most > 0) machine_max((int *)to, most);
}

/* Sets *patch to piece number `item`, of this tile. Returns false if a tile at the edge of the grid is too small to
   have this piece. */
static bool piece_at(const rn_plain_tile *t, const rn_grid *g, int item, rn_patch *patch) {
    const int x = item % PARTS % ACROSS * RN_PIECE_X, y = item % PARTS / ACROSS * RN_PIECE_Y;
    if (x >= t->columns || y >= t->rows) return false;
    *patch = (rn_patch){.first = t->first + y * g->stride + x, .lines = UINT32_MAX};
    patch->columns = t->columns - x < RN_PIECE_X ? t->columns - x : RN_PIECE_X;
    patch->rows = t->rows - y < RN_PIECE_Y ? t->rows - y : RN_PIECE_Y;
    return true;
}

/* Whether a piece reads columns beyond the edges of the grid. */
static bool is_near_edge(const rn_plain_tile *t, const rn_grid *g, int item, const rn_patch *patch) {
    const int x = t->x * RN_TILE_X + item % PARTS % ACROSS * RN_PIECE_X;
    const int y = t->y * RN_TILE_Y + item % PARTS / ACROSS * RN_PIECE_Y;
    return x < REACH_BACK || y < REACH_BACK || x + patch->columns + REACH_AHEAD > g->nx ||
           y + patch->rows + REACH_AHEAD > g->ny;
}

/* The tile dx tiles further along x and dy along y, in the same layer, or NULL beyond the edges. */
static const rn_plain_tile *tile_near(const rn_plain_tile *t, const rn_grid *g, int dx, int dy) {
    const int across = rn_tiles_x(g), x = t->x + dx, y = t->y + dy;
    return x < 0 || y < 0 || x >= across || y >= rn_tiles_y(g) ? NULL : t + dy * across + dx;
}

/* ---- Kick -------------------------------------------------------------------------------------------------------- */

/* What is around a tile, itself included. */
typedef struct surroundings {
    float deepest; /* m, in its layer */
    bool moves;    /* something has moved, in any layer */
} surroundings;

/* Finds it. Each group of lanes does so for itself; all its lanes call it. */
static surroundings look_around(const rn_plain_block *b, const rn_grid *g, const rn_plain_tile *t) {
    const int now = b->count & 1, per_layer = rn_tiles_x(g) * rn_tiles_y(g);
    surroundings found = {0};
    for (int i = machine_group_lane(); i < 9 * g->layers; i += machine_group_size()) {
        const int layer = i / 9;
        const rn_plain_tile *near = tile_near(t, g, i % 3 - 1, i / 3 % 3 - 1);
        if (!near) continue;
        const rn_plain_rest *at = &near[(layer - t->layer) * per_layer].at[now];
        if (at->rest == 0) found.moves = true;
        if (layer == t->layer && at->deepest > found.deepest) found.deepest = at->deepest;
    }
    const int deepest = machine_group_max(rn_float_bits(found.deepest));
    memcpy(&found.deepest, &deepest, sizeof deepest);
    found.moves = machine_group_max(found.moves);
    return found;
}

/* Finds whether a tile at rest would stay at rest however long a substep is (at->level), and the greatest height of
   liquid at its faces (at->height, m). Sets at->looked. All lanes of the block must call it together. */
static void look_at_levels(const substep *step, rn_plain_block *b, int32_t tile, rn_plain_rest *at) {
    const rn_patch patch = rn_tile_patch(step->s, tile);
    float height = 0.0f;
    rn_lanes_meet();
    if (own_thread() == 0) b->uneven = 0, b->height = 0.0f;
    rn_lanes_meet();
    if (!RN_ISA(rn_sweeps).is_level(step, &patch, &height)) machine_or(&b->uneven, 1);
    machine_max((int *)&b->height, rn_float_bits(height));
    rn_lanes_meet();
    at->level = !b->uneven;
    at->height = b->height;
    at->looked = true;
}

/* Whether a tile rests in this substep, as rn_tile_rests finds it; *at: what is known of it then. All lanes call it. */
static bool tile_rests(const rn_plain_tile *t, rn_plain_block *b, const substep *step, int32_t tile,
                       const surroundings *around, rn_plain_rest *at) {
    *at = t->at[b->count & 1];
    if (!t->any) {
        at->height = 0.0f;
        return true;
    }
    if (at->rest == 0 || step->s->schedule.skip_nothing) return false;
    if (!(around->deepest > 0.0f)) {
        at->looked = false;
        at->height = 0.0f;
        return true;
    }
    if (at->rest < 2 || around->moves || step->params->contact) return false;
    if (!at->looked) look_at_levels(step, b, tile, at);
    return at->level || !b->retimed;
}

/* The cases of a piece as bits, of which AWAKE is always set. */
static int pack_kind(rn_face_kind kind) {
    return AWAKE | (kind.sloped ? SLOPED : 0) | (kind.restricted ? RESTRICTED : 0) | (kind.falls ? FALLS : 0) |
           (kind.tilted ? TILTED : 0);
}
/* The cases that these bits stand for: the reverse of pack_kind. */
static rn_face_kind unpack_kind(int bits) {
    return (rn_face_kind){
        .sloped = bits & SLOPED, .restricted = bits & RESTRICTED, .falls = bits & FALLS, .tilted = bits & TILTED};
}

/* Begins a substep for a tile: stores whether it is awake, sets t->at[next] to *at, and clears what the passes will
   find. */
static void begin_tile(rn_plain_tile *t, const rn_plain_rest *at, bool awake, int next) {
    t->awake = awake;
    t->flows = false;
    t->limited = 0;
    t->at[next] = *at;
    t->at[next].deepest = 0.0f;
}

/* Decides which tiles rest, and kicks the pieces of this block whose tiles do not. Sets plain->pieces and, for its
   tiles, begins the substep; clears plain->limited for the next substep. */
static void kick_pieces(rn_plain *plain, rn_plain_block *b, const substep *step, const rn_piece_step *near) {
    const rn_state *s = step->s;
    const int count = piece_count(&s->columns.grid), next = (b->count + 1) & 1;
    for (int item = machine_block(); item < count; item += machine_blocks()) {
        const int32_t tile = item / PARTS;
        rn_plain_tile *t = &plain->tiles[tile];
        rn_plain_rest at;
        rn_patch patch;
        if (!piece_at(t, &s->columns.grid, item, &patch)) continue;
        if (rn_is_linked(plain)) rn_links_watch(plain, step, &patch, t->headroom, t->at[b->count & 1].deepest);
        const surroundings around = look_around(b, &s->columns.grid, t);
        const bool awake = !tile_rests(t, b, step, tile, &around, &at);
        rn_face_kind kind = t->kind;
        kind.restricted = kind.restricted || is_near_edge(t, &s->columns.grid, item, &patch) ||
                          !rn_is_far_from_lid(s, t->highest, around.deepest);
        if (own_thread() == 0) plain->pieces[item] = (uint8_t)(awake ? pack_kind(kind) : 0);
        if (own_thread() == 0 && item % PARTS == 0) begin_tile(t, &at, awake, next);
        if (awake) rn_piece_kick(near, &patch, kind);
    }
    if (machine_block() == 0 && own_thread() == 0) plain->limited[(b->count + 1) % 3] = 0;
}

/* ---- Cross ------------------------------------------------------------------------------------------------------- */

/* A signal and its column's depth as one integer: the larger integer is the faster signal or, of equally fast ones, the
   deeper. Both floats must be 0 or more. */
static uint64_t signal_key(float signal, float depth) {
    return (uint64_t)(uint32_t)rn_float_bits(signal) << 32 | (uint32_t)rn_float_bits(depth);
}

/* Sets speed, depth and signal of b->all to the largest of all lanes of the block. All lanes call it. */
static void gather_lanes(rn_plain_block *b, const rn_face_maxima *own) {
    const uint64_t key = signal_key(own->signal, own->signal_depth);
    rn_lanes_meet();
    if (own_thread() == 0) b->all = (rn_face_maxima){0}, b->signal = 0;
    rn_lanes_meet();
    raise_together(&b->all.speed, own->speed);
    raise_together(&b->all.deepest, own->deepest);
    if (machine_group_max(rn_float_bits(own->signal)) == rn_float_bits(own->signal)) machine_max_64(&b->signal, key);
    rn_lanes_meet();
    if (key == b->signal) {
        b->all.signal = own->signal, b->all.signal_depth = own->signal_depth;
        machine_max((int *)&b->all.signal_speed, rn_float_bits(own->signal_speed));
    }
    rn_lanes_meet();
}

/* Stores the block's maxima, b->all, in plain->found for all blocks to read. */
static void leave_found(rn_plain *plain, const rn_plain_block *b) {
    const int next = (b->count + 1) & 1;
    if (own_thread() == 0) plain->found[next * machine_blocks() + machine_block()] = b->all;
}

/* Finds transfers and kept speeds of the pieces of this block that are awake, and the block's maxima, b->all, which it
   stores unless those of connections are still missing. Tiles at rest count with their waves. */
static void cross_pieces(rn_plain *plain, rn_plain_block *b, const substep *step, const rn_piece_step *near) {
    const rn_state *s = step->s;
    const int count = piece_count(&s->columns.grid), next = (b->count + 1) & 1;
    rn_face_maxima own = {0}, found;
    for (int item = machine_block(); item < count; item += machine_blocks()) {
        rn_plain_tile *t = &plain->tiles[item / PARTS];
        rn_patch patch;
        if (!piece_at(t, &s->columns.grid, item, &patch)) continue;
        const int kind = plain->pieces[item];
        if (kind) {
            rn_piece_cross(near, &patch, unpack_kind(kind), &found);
            if (found.flows) t->flows = true;
            rn_raise_maxima(&own, &found);
        } else if (item % PARTS == 0 && own_thread() == 0 && t->at[next].height > 0.0f) {
            const float height = t->at[next].height;
            const rn_face_maxima waves = {.signal = sqrtf(step->params->wave_factor * height), .signal_depth = height};
            rn_raise_maxima(&own, &waves);
        }
    }
    gather_lanes(b, &own);
    if (!rn_is_linked(plain)) leave_found(plain, b);
}

/* Finds transfers and kept speeds of connections, and stores the block's maxima with those of its pieces, b->all. */
static void cross_links(rn_plain *plain, rn_plain_block *b, const substep *step) {
    rn_extremes most = {0};
    rn_face_maxima own = b->all;
    rn_links_pass(step, RN_CROSSINGS, &most);
    const rn_face_maxima found = {.signal = most.signal_speed,
                                  .signal_depth = most.signal_depth,
                                  .signal_speed = most.signal_flow,
                                  .speed = most.speed};
    rn_raise_maxima(&own, &found);
    gather_lanes(b, &own);
    leave_found(plain, b);
}

/* Sets b->all to the maxima of all blocks. All lanes call it, after the blocks have met. */
static void gather_blocks(const rn_plain *plain, rn_plain_block *b) {
    const int next = (b->count + 1) & 1;
    const rn_face_maxima *found = plain->found + next * machine_blocks();
    rn_face_maxima own = {0};
    for (int i = own_thread(); i < machine_blocks(); i += thread_count()) rn_raise_maxima(&own, &found[i]);
    gather_lanes(b, &own);
}

/* ---- Move -------------------------------------------------------------------------------------------------------- */

/* Makes the transfers of a piece, and raises the greatest depth of its tile after the substep. Returns UNDER, OVER or
   both if a column of this thread gave more than it had or got more than it has room for, otherwise 0. All lanes call
   it. */
static int move_piece(rn_plain_tile *t, const substep *step, const rn_patch *patch, int next) {
    rn_moved found = {0};
    RN_ISA(rn_sweeps).move(step, patch, &found);
    raise_together(&t->at[next].deepest, found.deepest);
    return (found.under ? UNDER : 0) | (found.over ? OVER : 0);
}

/* After the speeds of a tile are known: if it is awake, counts for how many substeps nothing has flowed, up to 2.
   Starts again from 0 if the tile was touched from outside, and clears `touched`. */
static void settle_tile(rn_plain_tile *t, int next) {
    rn_plain_rest *at = &t->at[next];
    if (t->awake) at->rest = t->flows ? 0 : at->rest < 2 ? at->rest + 1 : 2;
    if (t->touched) at->rest = 0;
    if (at->rest == 0 || t->awake) at->looked = false;
    t->touched = false;
}

/* Makes the transfers of all pieces of this block whose tile, or the tile west or south of it, is awake; sets `limited`
   where they are too large. Counts how long tiles have rested. */
static void move_pieces(rn_plain *plain, rn_plain_block *b, const substep *step) {
    const rn_state *s = step->s;
    const rn_grid *g = &s->columns.grid;
    const int count = piece_count(g), next = (b->count + 1) & 1;
    for (int item = machine_block(); item < count; item += machine_blocks()) {
        rn_plain_tile *t = &plain->tiles[item / PARTS];
        const rn_plain_tile *west = tile_near(t, g, -1, 0), *south = tile_near(t, g, 0, -1);
        rn_patch patch;
        if (!piece_at(t, g, item, &patch)) continue;
        if (t->any && (t->awake || (west && west->awake) || (south && south->awake))) {
            const int limited = move_piece(t, step, &patch, next);
            if (limited) machine_or(&t->limited, limited), machine_or(&plain->limited[b->count % 3], limited);
        } else if (item % PARTS == 0 && own_thread() == 0) {
            t->at[next].deepest = t->any ? t->at[!next].deepest : 0.0f;
        }
        if (item % PARTS == 0 && own_thread() == 0) settle_tile(t, next);
    }
}

/* ---- Mend -------------------------------------------------------------------------------------------------------- */

typedef enum mending { TAKE_BACK, SHARE, LIMIT, MOVE_AGAIN } mending;

/* Whether transfers of a tile, or of one around it, must be limited. */
static bool is_near_limited(const rn_plain_tile *t, const rn_grid *g) {
    int limited = 0;
    for (int i = 0; i < 9; i++) {
        const rn_plain_tile *near = tile_near(t, g, i % 3 - 1, i / 3 - 1);
        limited |= near ? near->limited : 0;
    }
    return limited;
}

/* Does one pass, `what`, over the pieces of tiles whose transfers must be limited, or that have such a tile beside
   them. `in`: whether SHARE and LIMIT are about inflows, not outflows. All blocks wait for each other at its end. */
static void mend_pieces(rn_plain *plain, rn_plain_block *b, const substep *step, mending what, bool in) {
    const rn_state *s = step->s;
    const rn_sweeps *sweeps = &RN_ISA(rn_sweeps);
    const int count = piece_count(&s->columns.grid), next = (b->count + 1) & 1;
    for (int item = machine_block(); item < count; item += machine_blocks()) {
        rn_plain_tile *t = &plain->tiles[item / PARTS];
        rn_patch patch;
        if (!piece_at(t, &s->columns.grid, item, &patch) || !is_near_limited(t, &s->columns.grid)) continue;
        if (what == SHARE) sweeps->shares(step, &patch, in);
        if (what == LIMIT) sweeps->limits(step, &patch, in);
        if (what == LIMIT && in && rn_is_linked(plain)) rn_links_press(plain, step, &patch);
        if (what == TAKE_BACK) {
            sweeps->undo(step, &patch);
            if (item % PARTS == 0 && own_thread() == 0) t->at[next].deepest = 0.0f;
        }
        if (what == MOVE_AGAIN) {
            sweeps->free_shares(step, &patch);
            move_piece(t, step, &patch, next);
        }
    }
    rn_all_meet();
}

/* Takes transfers back in and around tiles whose columns ran dry or over, limits inflows, then outflows, as `limited`
   (OVER, UNDER) asks, and makes the transfers again. All lanes of all blocks call it. */
static void mend(rn_plain *plain, rn_plain_block *b, const substep *step, int limited) {
    mend_pieces(plain, b, step, TAKE_BACK, false);
    for (int in = 1; in >= 0; in--) {
        if (!(limited & (in ? OVER : UNDER))) continue;
        mend_pieces(plain, b, step, SHARE, in);
        if (rn_is_linked(plain)) {
            rn_links_shares(step, in);
            rn_all_meet();
            rn_links_limits(step, in);
        }
        mend_pieces(plain, b, step, LIMIT, in);
    }
    if (rn_is_linked(plain)) rn_links_free_shares(step);
    mend_pieces(plain, b, step, MOVE_AGAIN, false);
}

/* In linked worlds, before pieces are kicked: stops dry connections, and finds contact heads. Also sets b->full, for
   all blocks alike: no block sets plain->full before all have met again. */
static void begin_links(const rn_plain *plain, rn_plain_block *b, const substep *step) {
    if (own_thread() == 0) b->full = plain->full;
    rn_links_stop(step);
    rn_links_contact(step);
    rn_all_meet();
}

/* In linked worlds, with and after the kick of pieces: next speeds of connections. */
static void kick_links(const substep *step) {
    rn_links_pass(step, RN_LOOK, NULL);
    rn_all_meet();
    rn_links_pass(step, RN_FORCES, NULL);
    rn_all_meet();
    if (step->s->connections.split_count > 1) {
        rn_links_pass(step, RN_HALVES, NULL);
        rn_all_meet();
    }
    rn_links_pass(step, RN_CARRIES, NULL);
}

void rn_plain_find(rn_plain *plain, rn_plain_block *b, const substep *step, const rn_piece_step *near) {
    const bool linked = rn_is_linked(plain);
    if (linked) begin_links(plain, b, step);
    kick_pieces(plain, b, step, near);
    if (linked) kick_links(step);
    rn_all_meet();
    cross_pieces(plain, b, step, near);
    if (linked) {
        rn_links_pass(step, RN_SUM, NULL);
        rn_all_meet();
        cross_links(plain, b, step);
    }
    rn_all_meet();
    gather_blocks(plain, b);
}

void rn_plain_move(rn_plain *plain, rn_plain_block *b, const substep *step) {
    if (rn_is_linked(plain)) {
        rn_links_check(plain, b, step);
        rn_all_meet();
    }
    move_pieces(plain, b, step);
    rn_all_meet();
    const int limited = plain->limited[b->count % 3];
    if (limited) mend(plain, b, step, limited);
    if (rn_is_linked(plain)) {
        rn_links_fill(plain, b, step);
        rn_all_meet();
    }
    rn_lanes_meet();
    if (own_thread() == 0) b->count++;
    rn_lanes_meet();
}

/* ---- Begin and end ----------------------------------------------------------------------------------------------- */

/* The first tile or pipe of this thread, and how far it is to the next. */
static int first_item(void) { return machine_block() * thread_count() + own_thread(); }
static int item_step(void) { return machine_blocks() * thread_count(); }

/* Sets t->kind and t->highest from the shapes of a tile and of the eight around it. Needs the shapes of all tiles. */
static void find_kind(const substep *step, int32_t tile, rn_plain_tile *t) {
    const rn_state *s = step->s;
    const rn_tile_place at = rn_tile_at(&s->columns.grid, tile);
    const int across = rn_tiles_x(&s->columns.grid), along = rn_tiles_y(&s->columns.grid);
    t->kind = (rn_face_kind){.tilted = step->params->tilt[0] != 0.0f || step->params->tilt[1] != 0.0f};
    t->highest = 0.0f;
    for (int i = 0; i < 9; i++) {
        const int x = at.x + i % 3 - 1, y = at.y + i / 3 - 1;
        if (x < 0 || y < 0 || x >= across || y >= along) continue;
        const rn_tile *near = &s->schedule.tiles[tile + (y - at.y) * across + x - at.x];
        t->kind.restricted = t->kind.restricted || near->gaps || near->restricted || near->junction;
        t->kind.falls = t->kind.falls || near->falls;
        t->kind.sloped = t->kind.sloped || near->bumpy;
        raise(&t->highest, near->highest);
    }
}

/* Makes a tile of the solver's ready to show that it is touched from outside during the job: rn_tile_touch clears its
   rest, and raises its depth. */
static void await_touch(rn_tile *tile) {
    tile->rest = 2;
    tile->deepest = 0.0f;
}

void rn_plain_begin(rn_plain *plain, rn_plain_block *b, const substep *step) {
    rn_state *s = step->s;
    const int32_t count = rn_tile_count(&s->columns.grid);
    if (own_thread() == 0) *b = (rn_plain_block){0};
    if (machine_block() == 0 && own_thread() == 0) memset(plain->limited, 0, sizeof plain->limited);
    if (rn_is_linked(plain)) rn_links_begin(plain, step);
    for (int32_t i = first_item(); s->schedule.stale && i < count; i += item_step()) rn_tile_refresh(s, i);
    rn_all_meet();
    for (int32_t i = first_item(); i < count; i += item_step()) {
        const rn_tile *from = &s->schedule.tiles[i];
        rn_plain_tile *t = &plain->tiles[i];
        const rn_tile_place at = rn_tile_at(&s->columns.grid, i);
        const rn_patch patch = rn_tile_patch(s, i);
        t->x = at.x, t->y = at.y, t->layer = at.layer;
        t->first = patch.first, t->columns = patch.columns, t->rows = patch.rows;
        find_kind(step, i, t);
        t->any = from->columns.lines;
        t->headroom = from->headroom;
        t->touched = from->touched;
        t->at[0] = (rn_plain_rest){from->deepest, from->height, from->rest, from->looked, from->level};
    }
    rn_all_meet();
    for (int32_t i = first_item(); i < count; i += item_step()) await_touch(&s->schedule.tiles[i]);
}

void rn_plain_wake(rn_plain *plain, rn_plain_block *b, const substep *step) {
    const rn_state *s = step->s;
    const int32_t count = rn_tile_count(&s->columns.grid);
    for (int32_t i = first_item(); i < count; i += item_step()) {
        rn_tile *from = &s->schedule.tiles[i];
        rn_plain_tile *t = &plain->tiles[i];
        rn_plain_rest *at = &t->at[b->count & 1];
        t->moved = at->deepest;
        if (from->rest != 0) continue;
        at->rest = 0;
        at->looked = false;
        raise(&at->deepest, from->deepest);
        await_touch(from);
    }
    if (own_thread() == 0) b->woken = true;
}

/* The first row of this thread's group of threads, and how far it is to the next. */
static int first_row(void) { return own_thread() / machine_group_size() * machine_blocks() + machine_block(); }
static int row_step(void) { return thread_count() / machine_group_size() * machine_blocks(); }

void rn_plain_dilute(const substep *step) {
    const rn_state *s = step->s;
    for (int r = first_row(); r < row_count(s); r += row_step())
        rn_dilute_row(s, r, machine_group_lane(), machine_group_size());
    for (int32_t i = first_item(); i < s->graph.irregular_count; i += item_step()) rn_dilute_pipe(s, i);
}

void rn_plain_forget(const substep *step) {
    const rn_state *s = step->s;
    for (int r = first_row(); r < row_count(s); r += row_step()) {
        const row_ref p = row_at(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        if (!machine_group_max(row->poured)) continue;
        float *const gained = s->graph.gained + rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int x = machine_group_lane(); x < s->columns.grid.nx; x += machine_group_size()) gained[x] = 0.0f;
        if (machine_group_lane() == 0) row->poured = false;
    }
}

/* Leaves a tile as it is after the last substep, for substeps that are taken in another way, and for the host. */
static void put_back(const rn_plain_tile *t, const rn_plain_rest *at, rn_tile *to) {
    const rn_tile_mask all = {UINT32_MAX, UINT32_MAX};
    to->deepest = at->deepest, to->height = at->height, to->shallowest = 0.0f;
    to->rest = (uint8_t)at->rest, to->looked = at->looked, to->level = at->level;
    to->awake = t->awake, to->flows = t->flows, to->touched = false, to->listed = false;
    to->limited[0] = to->limited[1] = 0;
    to->active = all;
    to->wet = t->any ? all : (rn_tile_mask){0};
}

/* Without a substep: undoes await_touch. */
static void keep_tile(const rn_plain_tile *t, rn_tile *to) {
    to->rest = (uint8_t)t->at[0].rest;
    to->deepest = t->at[0].deepest;
}

/* Marks all rows of a row of tiles as wet if one of its tiles is, otherwise as dry, like settle_bands of
   solver/pipes.c; clears their zero_flux. band: number of the row of tiles, over all layers. */
static void mark_rows(const rn_plain *plain, rn_state *s, int band, int now) {
    const rn_grid *g = &s->columns.grid;
    const int across = rn_tiles_x(g), along = rn_tiles_y(g), first = band % along * RN_TILE_Y;
    bool wet = false;
    for (int i = band * across; i < (band + 1) * across; i++) wet = wet || plain->tiles[i].at[now].deepest > 0.0f;
    for (int y = first; y < first + RN_TILE_Y && y < g->ny; y++) {
        rn_row_at(s, band / along, y)->wet = wet;
        rn_row_at(s, band / along, y)->zero_flux = false;
    }
}

void rn_plain_end(rn_plain *plain, rn_plain_block *b, const substep *step) {
    rn_state *s = step->s;
    const int now = b->count & 1;
    const int32_t count = rn_tile_count(&s->columns.grid);
    float deepest = 0.0f;
    if (b->count == 0) {
        for (int32_t i = first_item(); i < count; i += item_step()) keep_tile(&plain->tiles[i], &s->schedule.tiles[i]);
        return;
    }
    for (int32_t i = first_item(); i < count; i += item_step())
        put_back(&plain->tiles[i], &plain->tiles[i].at[now], &s->schedule.tiles[i]);
    for (int32_t i = first_item(); i < count / rn_tiles_x(&s->columns.grid); i += item_step())
        mark_rows(plain, s, i, now);
    for (int32_t i = own_thread(); i < count; i += thread_count())
        raise(&deepest, b->woken ? plain->tiles[i].moved : plain->tiles[i].at[now].deepest);
    if (own_thread() == 0) b->deepest = 0.0f;
    rn_lanes_meet();
    machine_max((int *)&b->deepest, rn_float_bits(deepest));
    rn_lanes_meet();
}
