/* rn_world_fill (include/runnel/world.h) adds liquid at once: it gives every column the depth that the fill asks for,
   up to a level, by a depth or within a shape, as far as the column has room.

   Hosts and scenes call it between steps, mostly before the first one. A 3D liquid has its own fill
   (world/mac_fill.c). Columns that are deeper already stay as they are, so fills may overlap. Depths are rounded to
   quanta; the ledger counts them as poured, and as refused what a ceiling keeps out. The solver is notified once at
   the end, because a fill may change any column. A shape is sampled along the vertical line through the centre of
   each cell (rn_world_spans). */
#include "base/error.h"
#include "base/maths.h"
#include "world/deposit.h"
#include "world/limits.h"
#include "world/mac.h"

typedef struct column {
    int32_t slot;
    double base, ceil; /* m */
    bool highest;
} column;

/* The total length (m) of the parts of `count` ranges that lie between low and high (m). */
static double overlap_length(const rn_interval *spans, int count, double low, double high) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += rn_max(rn_min(spans[i].high, high) - rn_max(spans[i].low, low), 0.0);
    return sum;
}

/* How high (m above its base) liquid should stand in a column; 0 or less: none. spans: the ranges of the shape over
   this cell. A fill by depth acts on the highest column of a cell only; one by level or depth with a shape only on
   columns that the shape meets. */
static double wanted_depth(const rn_fill_def *fill, const column *c, const rn_interval *spans, int count) {
    if (fill->kind == RN_FILL_SHAPE) return overlap_length(spans, count, c->base, c->ceil);
    if (fill->shape && overlap_length(spans, count, c->base, c->ceil) <= 0.0) return 0.0;
    if (fill->kind == RN_FILL_LEVEL) return rn_min(fill->value, c->ceil) - c->base;
    return c->highest ? fill->value : 0.0;
}

/* The depth (m) that fills a column up to `stand` (m above its base, may be negative): less where a part of it is
   solid. */
static double depth_below_stand(const rn_columns *s, int32_t slot, double stand) {
    if (!rn_column_is_partial(s, slot)) return stand;
    const rn_partial_solid part = rn_column_partial(s, slot);
    return rn_partial_depth(&part, s->base[slot], s->base[slot] + (float)stand);
}

/* Raises a column to a depth (m, rounded to quanta), as far as there is room; a column that is deeper stays as it is.
   Counts what was poured and refused in the ledger; the solver is not notified. */
static void fill_column(rn_world *world, const column *c, double depth) {
    rn_columns *s = world->columns;
    double missing = rint((depth - s->depth[c->slot]) / world->quantum);
    if (!(missing >= 1.0)) return;
    int64_t taken = rn_deposit(world, c->slot, missing, RN_BY_FILL);
    world->ledger.poured += taken;
    rn_refuse(&world->ledger.refused, missing - (double)taken);
}

rn_result rn_world_fill(rn_world *world, const rn_fill_def *fill) {
    const rn_grid *g = &world->columns->grid;
    if (fill->kind == RN_FILL_SHAPE && !fill->shape) return rn_fail(RN_INVALID, "a fill by shape has no shape");
    if (!rn_within(fill->value, RN_LIMIT_LEVEL))
        return rn_fail(RN_INVALID, "the fill's level or depth is %g; it must be finite (m)", fill->value);
    if (fill->kind == RN_FILL_DEPTH && fill->value < 0.0)
        return rn_fail(RN_INVALID, "the fill's depth is %g; it must be 0 or more (m)", fill->value);
    if (world->mac) return rn_world_mac_fill(world, fill);
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            rn_interval spans[RN_MOST_SPANS];
            int count = fill->shape ? rn_world_spans(world, fill->shape, x, y, spans) : 0;
            for (int layer = 0; layer < g->layers; layer++) {
                int32_t slot = rn_slot(g, layer, y, x), above = slot + g->layer_stride;
                float base = world->columns->base[slot];
                if (base >= RN_NO_COLUMN) break;
                if (base < 0.0f) continue; /* a sink */
                bool highest = layer + 1 == g->layers || world->columns->base[above] >= RN_NO_COLUMN;
                column c = {slot, base + world->datum, world->columns->ceil[slot] + world->datum, highest};
                fill_column(world, &c, depth_below_stand(world->columns, slot, wanted_depth(fill, &c, spans, count)));
            }
        }
    rn_deposit_unknown(world, false);
    return RN_OK;
}
