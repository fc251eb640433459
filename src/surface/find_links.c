/* Finds the wet columns, and the neighbours that each is joined with (Dagenais 2018, section 4.1).

   Interface and order of calls (surface/surface.h): these are the first four passes of a build, each over all rows
   before the next (build.c). rn_links_scan finds wet columns as bits; rn_links_gather copies base, ceiling and level
   of columns near liquid into arrays; rn_links_find links every wet column in eight directions, with a column, a wall
   or a fall; rn_links_close links dry columns with the wet ones that lead to them. All later passes read these links
   (surface/links.h).

   Two columns are linked if the level of each lies within the range of the other. Where the level lies in solid or
   meets a flooded passage there is a wall; where the other level is below the range there is a fall. The range of a
   column reaches down to the ceiling of the one below, so that the ranges of a cell leave no gaps.

   Most columns have one layer and wet neighbours all around: these are found from the bits alone, 64 columns at a
   time. Next come columns joined with their own layer all around, found without branches; only the rest looks at each
   direction. Only the scan visits the whole grid; the other passes work in and beside wet cells. */
#include "surface/surface.h"

#include <string.h>

#define FULL 8.0f /* quanta of room up to which a column counts as flooded, as in the solver (kernels/pipe.h) */

/* ---- Wet columns -------------------------------------------------------------------------------------------- */

/* Whether a column with this base, ceiling and depth is wet: it has liquid, and room below the ceiling or open sky
   above. full: m of room up to which it is flooded. */
static inline int is_open_water(float base, float roof, float depth, float lid, float full) {
    return (depth > 0.0f) & (base >= 0.0f) & (base < RN_NO_COLUMN) & ((roof >= lid) | (roof - base - depth > full));
}

/* Bits of the wet columns among `count` (at most 64) from x on, bit 0 for x. */
static uint64_t scan_run(const rn_surface_columns *c, int l, int y, int x, int count) {
    const float *restrict base = &c->base.data[l * c->base.layer_stride + y * c->base.row_stride + x];
    const float *restrict ceil = &c->ceil.data[l * c->ceil.layer_stride + y * c->ceil.row_stride + x];
    const float *restrict depth = &c->depth.data[l * c->depth.layer_stride + y * c->depth.row_stride + x];
    const float lid = c->lid > 0.0f ? c->lid : INFINITY, full = FULL * c->quantum;
    uint64_t wet;
#if !defined(RN_GPU)
    int any = 0;
    for (int i = 0; i < count; i++) any |= depth[i] > 0.0f;
    if (!any) return 0;
#endif
    RN_BITS_WHERE(wet, i, count, is_open_water(base[i], ceil[i], depth[i], lid, full));
    return wet;
}

/* Writes the wet columns of a row as bits, and the set of layers that have some. */
static void scan_row(const rn_surface_state *w, int y, int worker) {
    const rn_links *t = &w->t;
    RN_ALONE t->wet_layers[y + 1] = 0;
    for (int l = 0; l < t->layers; l++) {
        uint64_t *wet = rn_surface_state_row(w, t->wet, l, y);
        RN_EACH_WORD (i, t->words, worker) {
            const int x0 = i == 0 ? 0 : 64 * i - 1, x1 = 64 * i + 63 < t->nx ? 64 * i + 63 : t->nx;
            const uint64_t found = scan_run(w->columns, l, y, x0, x1 - x0) << (i == 0);
            RN_ONE_LANE {
                wet[i] = found;
                if (found) rn_put_bits(&t->wet_layers[y + 1], UINT64_C(1) << l);
            }
        }
    }
}

void rn_links_scan(void *work, int begin, int end, int worker) {
    for (int y = begin; y < end; y++) scan_row(work, y, worker);
}

/* ---- Columns near liquid ------------------------------------------------------------------------------------- */

/* The cells of a row with a wet column in any layer, as bits of one word; 0 for words outside the row. */
static uint64_t wet_cells(const rn_links *t, int y, int word) {
    uint64_t cells = 0;
    if (word < 0 || word >= t->words) return 0;
    RN_EACH_LAYER (l, t->wet_layers[y + 1]) cells |= rn_links_row(t, t->wet, l, y)[word];
    return cells;
}

/* Copies `count` columns of layer l from x on into the arrays per slot, finds their kinds and drawn heights, sets
   `fill` (1 if wet) and `reach` (1), and clears their links. Also sets w->row_stacked if any has a roof or another
   column below. */
static void gather_run(const rn_surface_state *w, int l, int y, int x, int count) {
    const rn_links *t = &w->t;
    const rn_surface_columns *c = w->columns;
    const int32_t slot = rn_links_slot(t, l, y, x);
    const float *restrict base = &c->base.data[l * c->base.layer_stride + y * c->base.row_stride + x];
    const float *restrict ceil = &c->ceil.data[l * c->ceil.layer_stride + y * c->ceil.row_stride + x];
    const float *restrict depth = &c->depth.data[l * c->depth.layer_stride + y * c->depth.row_stride + x];
    const float *restrict below = ceil - (l > 0 ? c->ceil.layer_stride : 0);
    const float lid = c->lid > 0.0f ? c->lid : INFINITY, full = FULL * c->quantum, least = w->least;
    float *restrict to_base = t->base + slot, *restrict level = t->level + slot, *restrict z = w->z + slot;
    float *restrict low = t->low + slot, *restrict high = t->high + slot;
    float *restrict fill = w->fill + slot, *restrict reach = w->reach + slot;
    uint8_t *restrict kind = t->kind + slot;
    const float most_low = l > 0 ? INFINITY : -INFINITY; /* the lowest column has nothing below */
    const int upper = l > 0;
    int stacked = 0;
    memset(t->links + slot, 0, (size_t)count * sizeof *t->links);
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float b = base[i], roof = ceil[i], under = below[i],
                    d = rn_smaller(rn_larger(depth[i], 0.0f), RN_NO_COLUMN);
        const float h = b + d, top = b + least;
        const int here = (b >= 0.0f) & (b < RN_NO_COLUMN), open = roof >= lid, some = d > 0.0f;
        const int wet = some & (open | (roof - b - d > full));
        kind[i] = (uint8_t)(here * (RN_SURFACE_DRY + some + wet));
        stacked |= here & (upper | !open);
        to_base[i] = b;
        level[i] = h;
        z[i] = rn_larger(h, top);
        low[i] = rn_smaller(under, most_low);
        high[i] = open ? INFINITY : roof;
        fill[i] = (float)wet;
        reach[i] = 1.0f;
    }
    if (stacked) w->row_stacked[y + 1] = 1;
}

/* Sets level and drawn height of a column from its effective level, if given and within its open range, and its
   smallest drawn depth. Does nothing if it is not wet. */
static void adjust_column(const rn_surface_state *w, int l, int y, int x) {
    const rn_links *t = &w->t;
    const rn_surface_columns *c = w->columns;
    const int32_t slot = rn_links_slot(t, l, y, x);
    if (t->kind[slot] != RN_SURFACE_WET) return;
    const float drawn = c->effective.data ? rn_field_at(&c->effective, l, y, x) : 0.0f;
    if (drawn > t->base[slot] && drawn < t->high[slot] && drawn < RN_NO_COLUMN) t->level[slot] = drawn;
    /* "any non-zero liquid height is forced to be above a computed minimum height" (Dagenais 2018, 4.4) */
    const float level = t->level[slot], least = t->base[slot] + rn_least_depth(w, l, y, x);
    w->z[slot] = level > least ? level : least;
}

/* Whether any of `count` slots of a layer, from x on in row y, has a column. */
static bool has_columns(const rn_surface_columns *c, int l, int y, int x, int count) {
    const float *base = &c->base.data[l * c->base.layer_stride + y * c->base.row_stride + x];
    int any = 0;
    for (int i = 0; i < count; i++) any |= (base[i] >= 0.0f) & (base[i] < RN_NO_COLUMN);
    return any;
}

/* The cells of a word that are wet in a row or in one of the two beside it. */
static uint64_t wet_beside(const rn_links *t, int y, int word) {
    return wet_cells(t, y - 1, word) | wet_cells(t, y, word) | wet_cells(t, y + 1, word);
}

/* Finds the cells of a row in or beside wet ones (t->near), and gathers all their columns, with effective levels and
   smallest drawn depths; sets w->row_stacked. */
static void gather_row(const rn_surface_state *w, int y, int worker) {
    const rn_links *t = &w->t;
    uint64_t *near = rn_surface_state_row(w, t->near, 0, y);
    RN_ALONE w->row_stacked[y + 1] = 0;
    RN_EACH_WORD (i, t->words, worker) {
        const uint64_t here = wet_beside(t, y, i), before = wet_beside(t, y, i - 1), after = wet_beside(t, y, i + 1);
        uint64_t cells = here | here << 1 | here >> 1 | before >> 63 | after << 63;
        if (i == 0) cells &= ~UINT64_C(1);
        if (64 * i > t->nx) cells = 0;
        else if (64 * i + 63 > t->nx) cells &= (UINT64_C(2) << (t->nx - 64 * i)) - 1;
        RN_ONE_LANE near[i] = cells;
        RN_EACH_RUN (bit, count, cells) {
            const int x = 64 * i + bit - 1;
            for (int l = 0; l < t->layers; l++) {
                if (l > 0 && !has_columns(w->columns, l, y, x, count)) { /* nothing else is read of missing columns */
                    memset(t->kind + rn_links_slot(t, l, y, x), RN_SURFACE_ABSENT, (size_t)count);
                    continue;
                }
                gather_run(w, l, y, x, count);
                for (int k = 0; k < count && (w->def->minimum || w->columns->effective.data); k++)
                    adjust_column(w, l, y, x + k);
            }
        }
    }
}

void rn_links_gather(void *work, int begin, int end, int worker) {
    for (int y = begin; y < end; y++) gather_row(work, y, worker);
}

/* ---- Links --------------------------------------------------------------------------------------------------- */

/* The layer of a cell whose column's range contains a height; the highest one if the height is above all;
   RN_LINK_NOWHERE if the cell has no column. `layer` is where to look first. */
static int find_holder(const rn_links *t, int32_t cell, int layer, float height) {
    const int32_t guess = cell + layer * t->layer_stride;
    if (t->kind[guess] != RN_SURFACE_ABSENT && t->low[guess] <= height && height < t->high[guess]) return layer;
    int found = RN_LINK_NOWHERE;
    for (int l = 0; l < t->layers; l++) {
        const int32_t slot = cell + l * t->layer_stride;
        if (t->kind[slot] == RN_SURFACE_ABSENT) break;
        found = l;
        if (height < t->high[slot]) break;
    }
    return found;
}

/* Whether a height (m) lies in the range of a column. */
static bool holds(const rn_links *t, int32_t slot, float height) {
    return t->low[slot] <= height && height < t->high[slot];
}

/* The byte of a wet column's link towards the cell whose lowest slot is `cell`. "columns are linked if their respective
   liquid heights fit between each other's minimum and maximum heights" (Dagenais 2018, 4.1); the lower end is included,
   so that adjacent ranges cover every height. Towards a cell without columns the liquid falls; towards a flooded column
   there is a wall. */
static uint8_t wet_link(const rn_links *t, int32_t slot, int layer, int32_t cell) {
    const int there = find_holder(t, cell, layer, t->level[slot]);
    if (there == RN_LINK_NOWHERE) return RN_LINK_FALL | RN_LINK_NOWHERE;
    const int32_t other = cell + there * t->layer_stride;
    if (t->kind[other] == RN_SURFACE_FLOODED || !holds(t, other, t->level[slot]))
        return (uint8_t)(RN_LINK_WALL | there);
    if (holds(t, slot, t->level[other])) return (uint8_t)(RN_LINK_JOIN | there);
    return (uint8_t)((t->level[other] < t->low[slot] ? RN_LINK_FALL : RN_LINK_WALL) | there);
}

#if !defined(RN_GPU) /* runs have one column there */

/* Of a run of wet columns, at most 64, those joined with all eight neighbours of the same layer. Bit 0 stands for the
   column at `slot`. Has no branches, because most columns are joined so. *wet: of these, those whose neighbours are all
   wet. */
static uint64_t joins_all(const rn_links *t, int32_t slot, int count, uint64_t *wet) {
    const int32_t up = t->stride;
    const float *restrict level = t->level + slot, *restrict low = t->low + slot, *restrict high = t->high + slot;
    const uint8_t *restrict kind = t->kind + slot;
    uint8_t all[64] = {0}, inside[64] = {0};
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float h = level[i], from = low[i], to = high[i];
#define JOINS(n) ((low[n] <= h) & (h < high[n]) & (from <= level[n]) & (level[n] < to))
        const int sides = JOINS(i + 1) & JOINS(i - 1) & JOINS(i + up) & JOINS(i - up);
        const int corners = JOINS(i + up + 1) & JOINS(i + up - 1) & JOINS(i - up + 1) & JOINS(i - up - 1);
#undef JOINS
        all[i] = (uint8_t)(sides & corners);
    }
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const uint8_t sides = kind[i + 1] & kind[i - 1] & kind[i + up] & kind[i - up];
        const uint8_t corners = kind[i + up + 1] & kind[i + up - 1] & kind[i - up + 1] & kind[i - up - 1];
        const uint8_t kinds = sides & corners;
        all[i] = (uint8_t)(all[i] & kinds); /* dry and wet are odd */
        inside[i] = (uint8_t)(all[i] & kinds >> 1);
    }
    *wet = rn_pack_bytes(inside);
    return rn_pack_bytes(all);
}

#endif

/* Whether the wet column at `slot` is joined with all eight neighbours of the same layer, and in *wet whether these are
   all wet: 0 or 1. It must not be at the domain's edge. */
static uint64_t joins_around(const rn_links *t, int32_t slot, uint64_t *wet) {
    const float level = t->level[slot], low = t->low[slot], high = t->high[slot];
    int all = 1, kinds = RN_SURFACE_WET;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t n = slot + rn_links_step(t, d);
        all &= (t->low[n] <= level) & (level < t->high[n]) & (low <= t->level[n]) & (t->level[n] < high) & t->kind[n];
        kinds &= t->kind[n];
    }
    *wet = (uint64_t)(all & (kinds == RN_SURFACE_WET));
    return (uint64_t)all;
}

/* Of the wet columns `set` in word i of row y of layer l, those joined with the same layer all around; *wet: those
   among them with wet neighbours only. Bit b of a word is column 64 i + b - 1. Columns at the domain's edge have 0 in
   both results. */
static uint64_t joined_all_around(const rn_links *t, int l, int y, int i, uint64_t set, uint64_t *wet) {
    uint64_t joined = 0;
    *wet = 0;
    if (y == 0 || y == t->ny - 1) return 0;
    if (i == 0) set &= ~UINT64_C(2);
    if (t->nx >> 6 == i) set &= (UINT64_C(1) << (t->nx & 63)) - 1; /* clang 14 rotates a single 0 wrong on GPUs */
    RN_EACH_RUN (bit, count, set) {
        const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
        uint64_t inside;
#if !defined(RN_GPU)
        if (count >= 6) {
            joined |= joins_all(t, slot, count, &inside) << bit;
            *wet |= inside << bit;
            continue;
        }
#endif
        for (int k = 0; k < count; k++) {
            joined |= joins_around(t, slot + k, &inside) << (bit + k);
            *wet |= inside << (bit + k);
        }
    }
    *wet = rn_bits_of_all(*wet);
    return rn_bits_of_all(joined);
}

/* The wet cells of a row and of the rows beside it, one cell more on either side of a word. */
typedef struct wet_rows {
    uint64_t before[3], here[3], after[3]; /* by row: below, here, above */
} wet_rows;

/* The wet cells around word i of row y, in any layer; rows and words outside the domain have none. */
static wet_rows wet_rows_at(const rn_links *t, int y, int i) {
    wet_rows r;
    for (int k = 0; k < 3; k++) {
        r.here[k] = wet_cells(t, y + k - 1, i);
        r.before[k] = r.here[k] << 1 | wet_cells(t, y + k - 1, i - 1) >> 63;
        r.after[k] = r.here[k] >> 1 | wet_cells(t, y + k - 1, i + 1) << 63;
    }
    return r;
}

/* The cells of a word, as bits, that are wet with all eight neighbours. Where no columns are stacked or roofed, all
   neighbours are joined, so these columns are inside the liquid. */
static uint64_t wet_all_around(const wet_rows *r) {
    return r->before[0] & r->here[0] & r->after[0] & r->before[1] & r->here[1] & r->after[1] & r->before[2] &
           r->here[2] & r->after[2];
}

static int clamp(int value, int most) { return value < 0 ? 0 : value > most ? most : value; }

/* Whether the cell nx, ny lies beyond an open edge of the domain. */
static bool is_beyond_open(const rn_links *t, int ny, int nx) {
    const uint32_t beyond = (uint32_t)(nx < 0) << RN_SIDE_WEST | (uint32_t)(nx >= t->nx) << RN_SIDE_EAST |
                            (uint32_t)(ny < 0) << RN_SIDE_SOUTH | (uint32_t)(ny >= t->ny) << RN_SIDE_NORTH;
    return beyond & t->open_sides;
}

/* The link of a wet column at x, y to the cell nx, ny outside the domain: a fall over an open edge, otherwise a wall;
   but liquid that goes over a ledge along the edge of the domain goes over it there too. */
static uint8_t outside_link(const rn_links *t, int32_t slot, int layer, int y, int x, int ny, int nx) {
    const int cx = clamp(nx, t->nx - 1), cy = clamp(ny, t->ny - 1);
    if (is_beyond_open(t, ny, nx)) return RN_LINK_FALL | RN_LINK_NOWHERE;
    if (cx == x && cy == y) return RN_LINK_WALL | RN_LINK_NOWHERE;
    const uint8_t link = wet_link(t, slot, layer, rn_links_slot(t, 0, cy, cx));
    return (link & RN_LINK_KIND) == RN_LINK_FALL ? link : RN_LINK_WALL | RN_LINK_NOWHERE;
}

/* The link word of a wet column: its links in all eight directions. */
static uint64_t find_wet_links(const rn_links *t, int32_t slot, int layer, int y, int x) {
    const int32_t cell = slot - layer * t->layer_stride;
    uint64_t links = 0;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int nx = x + rn_around_x[d], ny = y + rn_around_y[d];
        const bool outside = nx < 0 || ny < 0 || nx >= t->nx || ny >= t->ny;
        const uint8_t link =
            outside ? outside_link(t, slot, layer, y, x, ny, nx) : wet_link(t, slot, layer, cell + rn_links_step(t, d));
        links |= (uint64_t)link << (8 * d);
    }
    return links;
}

/* Whether some byte is a wall or a fall, which have the highest bit set. */
static bool has_extras(uint64_t links) { return links & UINT64_C(0x8080808080808080); }

/* Links the wet columns of a row, marks those inside the liquid and (unless boundaries are raw) the cells with some at
   walls or falls, and sets `used` to the wet columns. */
static void find_row(const rn_surface_state *w, int y, int worker) {
    const rn_links *t = &w->t;
    const uint64_t *near = rn_links_row(t, t->near, 0, y);
    const bool stacked = w->row_stacked[y] | w->row_stacked[y + 1] | w->row_stacked[y + 2];
    uint64_t *pouring = rn_surface_state_row(w, w->pouring, 0, y);
    RN_EACH_WORD (i, t->words, worker) {
        uint64_t walled = 0;
        wet_rows rows = {{0}, {0}, {0}};
        if (near[i]) rows = wet_rows_at(t, y, i);
        const uint64_t all_around = stacked ? 0 : wet_all_around(&rows);
        for (int l = 0; l < t->layers; l++) {
            const uint64_t wet = rn_links_row(t, t->wet, l, y)[i];
            uint64_t *interior_word = rn_surface_state_row(w, t->interior, l, y) + i;
            RN_ONE_LANE {
                *interior_word = 0;
                rn_surface_state_row(w, w->used, l, y)[i] = wet;
            }
            if (!wet) continue;
            const uint64_t same = UINT64_C(0x0101010101010101) * (uint64_t)(RN_LINK_JOIN | l);
            const uint64_t plain = wet & all_around;
            uint64_t interior;
            const uint64_t joined = plain | joined_all_around(t, l, y, i, wet & ~plain, &interior);
            interior |= plain;
            RN_EACH_BIT (bit, joined) t->links[rn_links_slot(t, l, y, 64 * i + bit - 1)] = same;
            RN_EACH_BIT (bit, wet & ~joined) {
                const int x = 64 * i + bit - 1;
                const int32_t slot = rn_links_slot(t, l, y, x);
                t->links[slot] = find_wet_links(t, slot, l, y, x);
                if (has_extras(t->links[slot])) walled |= UINT64_C(1) << bit;
            }
            RN_ONE_LANE *interior_word = interior;
        }
        walled = rn_bits_of_all(walled);
        RN_ONE_LANE pouring[i] = w->def->raw_boundaries ? 0 : walled;
    }
}

void rn_links_find(void *work, int begin, int end, int worker) {
    for (int y = begin; y < end; y++) find_row(work, y, worker);
}

/* Links dry columns of row y with the wet columns of `row` (y - 1 to y + 1) that are joined with them, and marks these
   dry columns as used. Only columns of row y are changed. */
static void join_dry(const rn_surface_state *w, int y, int row, int worker) {
    static const int8_t ways[3][3] = {
        {1, 2, 3}, {0, 4, -1}, {5, 6, 7}}; /* from the row below, this one, the one above */
    const int8_t *way = ways[row - y + 1];
    const rn_links *t = &w->t;
    RN_EACH_LAYER (l, t->wet_layers[row + 1])
        RN_EACH_WORD (i, t->words, worker)
            RN_EACH_BIT (bit, rn_links_row(t, t->wet, l, row)[i] & ~rn_links_row(t, t->interior, l, row)[i]) {
                const int x = 64 * i + bit - 1;
                const int32_t slot = rn_links_slot(t, l, row, x);
                for (int k = 0; k < 3 && way[k] >= 0; k++) {
                    const int d = way[k];
                    const int32_t other = rn_links_joined(t, slot, l, d);
                    if (other < 0 || t->kind[other] != RN_SURFACE_DRY) continue;
                    const int there = rn_link_of(t->links[slot], d) & RN_LINK_LAYER, cx = x + rn_around_x[d] + 1;
                    rn_put_bits(&t->links[other], (uint64_t)(RN_LINK_JOIN | l) << (8 * ((d + 4) & 7)));
                    rn_put_bits(&rn_surface_state_row(w, w->used, there, y)[cx >> 6], UINT64_C(1) << (cx & 63));
                    rn_put_bits(&w->used_layers[y + 1], UINT64_C(1) << there);
                }
            }
}

void rn_links_close(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) {
        RN_ALONE w->used_layers[y + 1] = 0;
        RN_ONE_LANE rn_put_bits(&w->used_layers[y + 1], w->t.wet_layers[y + 1]);
        for (int row = y - 1; row <= y + 1; row++)
            if (row >= 0 && row < w->t.ny) join_dry(w, y, row, worker);
    }
}
