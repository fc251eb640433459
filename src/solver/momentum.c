/* The passes of one momentum-carrying substep, in order:

     look      which joints are wet; sums over the sides of their columns
     kick      tile by tile: slopes, forces and transport, from speeds to next speeds
     joints    the same for faces between layers and at their columns
     cross     tile by tile: transfers, and the speeds that are kept
     joints    the same
     move      passages, limits and depths (solver/pipes.c)

   Each pass reads only what passes before it have written, so tiles may be shared among threads in any way. */
#include "solver/momentum.h"

#include "solver/face_sweeps.h"
#include "solver/joints.h"
#include "solver/pipes.h"
#include "solver/tiles.h"

typedef struct tile_pass {
    substep *step;
    const rn_face_sweeps *sweeps;
    bool retimed; /* tiles came to rest under another law */
} tile_pass;

/* Whether loops that know of no ceiling may do columns of these bases and depths (m): there is room beneath the lid for
   twice the depth, which is the most that crosses a face, and none is full. */
static bool is_far_from_lid(const rn_state *s, float highest, float deepest) {
    const float height = s->columns.lid - highest;
    return height >= 2.0f * deepest && height - deepest > RN_FULL * s->columns.quantum;
}

/* What the faces of a tile have to reckon with: loops look a few columns beyond it. */
static rn_face_kind kind_of(const rn_state *s, const rn_law *law, int32_t index) {
    const rn_grid *g = &s->columns.grid;
    const int across = rn_tiles_x(g), along = rn_tiles_y(g);
    const rn_tile_place at = rn_tile_at(g, index);
    rn_face_kind kind = {.tilted = law->tilt[0] != 0.0f || law->tilt[1] != 0.0f};
    float highest = 0.0f, deepest = 0.0f;
    for (int y = at.y - 1; y <= at.y + 1; y++)
        for (int x = at.x - 1; x <= at.x + 1; x++) {
            const bool outside = x < 0 || y < 0 || x >= across || y >= along;
            const rn_tile *tile = outside ? NULL : &s->schedule.tiles[index + (y - at.y) * across + (x - at.x)];
            kind.gated = kind.gated || outside || tile->gaps || tile->gated || tile->special;
            kind.falls = kind.falls || (tile && tile->falls);
            kind.sloped = kind.sloped || (tile && tile->bumpy);
            if (tile) raise(&highest, tile->highest), raise(&deepest, tile->deepest);
        }
    kind.gated = kind.gated || !is_far_from_lid(s, highest, deepest);
    kind.sloped = kind.sloped || s->columns.periodic_x || s->columns.periodic_y;
    return kind;
}

/* The part of a tile whose faces may carry something, or did a substep ago: elsewhere all speeds and transfers are 0.
 */
static rn_patch active_patch(rn_state *s, int32_t index, rn_where area) {
    rn_patch patch = rn_tile_patch(s, index);
    rn_patch_narrow(&patch, area.blocks);
    int first = 0, end = patch.rows;
    while (first + 1 < end && !(area.lines >> first & 1u)) first++;
    while (end - 1 > first && !(area.lines >> (end - 1) & 1u)) end--;
    patch.first += first * s->columns.grid.stride;
    patch.rows = end - first;
    return patch;
}

/* Faces that may carry something now, and those that did. */
static rn_where find_area(rn_state *s, int32_t index, rn_where was) {
    const rn_where some = s->schedule.tiles[index].columns, now = rn_tile_active(s, index);
    return (rn_where){(now.lines | was.lines) & some.lines, (now.blocks | was.blocks) & some.blocks};
}

static void kick_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    rn_state *s = pass->step->s;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        rn_tile *tile = &s->schedule.tiles[i];
        tile->limited[0] = tile->limited[1] = 0;
        tile->listed = false;
        tile->awake = !rn_tile_rests(pass->step, i, pass->retimed);
        if (!tile->awake) continue;
        const rn_patch patch = active_patch(s, i, find_area(s, i, tile->active));
        pass->sweeps->kick(pass->step, &patch, kind_of(s, pass->step->law, i));
    }
}

static void cross_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    rn_state *s = pass->step->s;
    rn_peak *peak = &s->schedule.peaks[worker];
    for (int32_t i = begin; i < end; i++) {
        rn_tile *tile = &s->schedule.tiles[i];
        tile->transfer = 0.0f;
        if (!tile->awake) {
            if (tile->height > 0.0f) raise_pace(peak, sqrtf(pass->step->law->waves * tile->height), tile->height, 0.0f);
            continue;
        }
        const rn_patch patch = active_patch(s, i, find_area(s, i, tile->active));
        tile->active = rn_tile_active(s, i);
        rn_faced found;
        pass->sweeps->cross(pass->step, &patch, kind_of(s, pass->step->law, i), &found);
        tile->flows = found.flows;
        tile->transfer = found.transfer;
        raise_pace(peak, found.signal, found.signal_depth, found.signal_speed);
        raise(&peak->speed, found.speed);
        raise(&peak->height, found.deepest);
    }
}

static void refresh(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; i++) rn_tile_refresh(context, i);
}

void rn_momentum_step(rn_state *s, const rn_law *law, rn_flood *flood, rn_pool *pool, rn_peak *peak) {
    substep step = {s, law, RN_BODY_CHOSEN(rn_sweeps)};
    tile_pass pass = {&step, RN_BODY_CHOSEN(rn_face_sweeps), rn_pipes_retimed(law, &s->schedule.last_law)};
    const int32_t tiles = rn_tile_count(&s->columns.grid);
    s->schedule.last_law = *law;
    if (s->schedule.stale) rn_parallel_for(pool, tiles, refresh, s);
    s->schedule.stale = false;
    rn_passages_hold(flood, s, law);
    rn_joints_look(&step, pool);
    rn_parallel_for(pool, tiles, kick_tiles, &pass);
    rn_joints_kick(&step, pool);
    mirror_faces(s, s->graph.next_x, s->graph.next_y);
    rn_parallel_for(pool, tiles, cross_tiles, &pass);
    rn_joints_cross(&step, pool);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.move_x, s->graph.move_y);
    rn_pipes_move(&step, flood, pool);
    rn_passages_end(flood, s, law);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.move_x, s->graph.move_y);
    rn_pipes_end(&step, pool, peak);
}

/* ---- For the implicit step ---------------------------------------------------------------------------------------- */

static void predict_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        if (!pass->step->s->schedule.tiles[i].columns.lines) continue;
        const rn_patch patch = rn_tile_patch(pass->step->s, i);
        pass->sweeps->kick(pass->step, &patch, kind_of(pass->step->s, pass->step->law, i));
    }
}

static void width_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        if (!pass->step->s->schedule.tiles[i].columns.lines) continue;
        const rn_patch patch = rn_tile_patch(pass->step->s, i);
        pass->sweeps->widths(pass->step, &patch);
    }
}

void rn_momentum_predict(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    tile_pass pass = {step, RN_BODY_CHOSEN(rn_face_sweeps), false};
    const int32_t tiles = rn_tile_count(&s->columns.grid);
    if (s->schedule.stale) rn_parallel_for(pool, tiles, refresh, s);
    s->schedule.stale = false;
    rn_joints_look(step, pool);
    rn_parallel_for(pool, tiles, predict_tiles, &pass);
    rn_joints_kick(step, pool);
    rn_parallel_for(pool, tiles, width_tiles, &pass);
    rn_joints_cross(step, pool);
}

/* ---- Looking without moving ----------------------------------------------------------------------------------- */

void rn_momentum_measure(rn_state *s, const rn_law *law, rn_peak *peak) {
    const rn_grid *g = &s->columns.grid;
    *peak = (rn_peak){0};
    rn_tiles_touch_all(s);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.move_x, s->graph.move_y);
    mirror_rows(s, s->columns.depth);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++) {
            rn_row *row = rn_row_at(s, layer, y);
            row->wet = false;
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                const float depth = s->columns.depth[c];
                if (!(depth > 0.0f)) continue;
                row->wet = true;
                raise(&peak->top, rn_column_level(&s->columns, c));
                raise(&peak->deepest, depth);
                if (depth <= law->felt) continue;
                const float a = fmaxf(fabsf(s->graph.speed_x[c]), fabsf(s->graph.speed_x[c - 1]));
                const float b = fmaxf(fabsf(s->graph.speed_y[c]), fabsf(s->graph.speed_y[c - g->stride]));
                raise(&peak->height, depth);
                raise(&peak->speed, fmaxf(a, b));
                raise(&peak->drift, a + b);
                raise_pace(peak, sqrtf(law->waves * depth) + 2.0f * (a + b), depth, a + b);
            }
        }
    mirror_wet(s);
}

/* ---- Fluxes for hosts ----------------------------------------------------------------------------------------- */

/* The flux (m^3/s) from column a to b, which counts `drop` lower, at this speed. */
static float shown(const rn_state *s, int32_t a, int32_t b, float drop, float speed) {
    return speed == 0.0f ? 0.0f : speed * (s->columns.width * rn_state_height(s, a, b, drop));
}

static void take_face(const rn_state *s, int32_t a, int32_t b, float flux, float *speed) {
    if (flux == shown(s, a, b, 0.0f, *speed)) return;
    const float height = rn_state_height(s, a, b, 0.0f);
    *speed = height >= RN_CLOSED ? flux / (s->columns.width * height) : 0.0f;
}

void rn_momentum_show(rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    mirror_rows(s, s->columns.depth);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                s->columns.flux_x[c] = s->graph.pipe_x[c] ? shown(s, c, c + 1, 0.0f, s->graph.speed_x[c]) : 0.0f;
                s->columns.flux_y[c] =
                    s->graph.pipe_y[c] ? shown(s, c, c + g->stride, 0.0f, s->graph.speed_y[c]) : 0.0f;
            }
    for (int32_t i = 0; i < s->graph.loose; i++)
        s->graph.loose_flux[i] =
            shown(s, s->graph.loose_a[i], s->graph.loose_b[i], s->graph.loose_drop[i], s->graph.loose_speed[i]);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
}

void rn_momentum_take(rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    mirror_rows(s, s->columns.depth);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                if (s->graph.pipe_x[c]) take_face(s, c, c + 1, s->columns.flux_x[c], &s->graph.speed_x[c]);
                if (s->graph.pipe_y[c]) take_face(s, c, c + g->stride, s->columns.flux_y[c], &s->graph.speed_y[c]);
            }
}
