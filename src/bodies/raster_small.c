/* Triangles about as small as a cell, one in each lane.

   Interface (bodies/raster_small.h): rn_lot_add, inline there, puts a triangle into its lot, and rn_lot_put adds the
   changes of a lot to the list and empties it. rn_raster_cells (raster.c) calls rn_lot_put when a lot has RN_LOT
   triangles, and for all lots at the end.

   Such a triangle lies in at most 2 x 2 cells and two slices of height. Three lines divide it into up to eight parts,
   and each part becomes one change of the solid share. The number of a lot says which of the three lines its
   triangles need, so a lot runs without branches. Parts are not polygons but sums: area, and area times mean height.
   A line cuts one corner off a triangle, at the shares t and u of its two edges, so the part cut off has the share t
   u of the area, and the rest follows by subtraction. Only a part that is divided again needs corners.

   Floats suffice because coordinates are relative to the first cell of a triangle. Results are always written for
   four triangles at a time, whatever the number of lanes, so that sums have the same bits on every machine. */
#include "bodies/raster_small.h"

#include "base/wide.h"

#define THIRD (1.0f / 3.0f)

/* Triangles side by side, one in each lane: x, y and z of their corners, and twice their areas. */
typedef struct triangles {
    rn_wide v[3][3], twice;
} triangles;

/* Twice the area seen from above, positive if it faces down, and that times its mean height (m). */
typedef struct amount {
    rn_wide area, moment;
} amount;

/* How a line across an axis splits a triangle: corner p is alone on its side; t and u are where the edges to q and r
   cross the line, clamped to their ends if all corners are on one side. */
typedef struct split {
    rn_wide p[3], q[3], r[3], t, u;
    rn_mask past; /* p is beyond the line, or all corners are */
} split;

/* In each lane: if_one, else if_two, else otherwise, by the masks. */
RN_INLINE rn_wide pick_lanes(rn_mask one, rn_mask two, rn_wide if_one, rn_wide if_two, rn_wide otherwise) {
    return rn_select(one, if_one, rn_select(two, if_two, otherwise));
}

/* Finds how a line across an axis (0: x, 1: y, 2: z) splits each triangle; a corner on the line counts as beyond it. */
RN_INLINE split find_split(const triangles *of, int axis, rn_wide line) {
    const rn_mask past[3] = {of->v[0][axis] >= line, of->v[1][axis] >= line, of->v[2][axis] >= line};
    const rn_mask one = (past[1] ^ past[0]) & (past[1] ^ past[2]), two = (past[2] ^ past[0]) & (past[2] ^ past[1]);
    const rn_mask parted = (past[0] ^ past[1]) | (past[0] ^ past[2]);
    split s = {.past = (one & past[1]) | (~one & ((two & past[2]) | (~two & past[0])))};
    for (int k = 0; k < 3; k++) {
        s.p[k] = pick_lanes(one, two, of->v[1][k], of->v[2][k], of->v[0][k]);
        s.q[k] = pick_lanes(one, two, of->v[2][k], of->v[0][k], of->v[1][k]);
        s.r[k] = pick_lanes(one, two, of->v[0][k], of->v[1][k], of->v[2][k]);
    }
    const rn_wide to_q = s.q[axis] - s.p[axis], to_r = s.r[axis] - s.p[axis];
    const rn_wide share = (line - s.p[axis]) / (to_q * to_r);
    s.t = rn_select(parted, share * to_r, rn_splat(1.0f));
    s.u = rn_select(parted, share * to_q, rn_splat(1.0f));
    return s;
}

/* Sets to[0] and to[1] to the amounts of each triangle before and beyond a line across an axis. */
RN_INLINE void halve_amounts(const triangles *of, int axis, rn_wide line, amount to[2]) {
    const split s = find_split(of, axis, line);
    const rn_wide z = s.p[2], area = of->twice * s.t * s.u;
    const rn_wide moment = of->twice * (of->v[0][2] + of->v[1][2] + of->v[2][2]) * THIRD;
    const rn_wide part = area * (z + (s.t * (s.q[2] - z) + s.u * (s.r[2] - z)) * THIRD);
    to[0].area = rn_select(s.past, of->twice - area, area);
    to[0].moment = rn_select(s.past, moment - part, part);
    to[1].area = rn_select(s.past, area, of->twice - area);
    to[1].moment = rn_select(s.past, part, moment - part);
}

/* Cuts triangles along a line across an axis: to[0] is the corner cut off, to[1] and to[2] lie on the other side; those
   that the line misses are wholly in to[0], the others without area. Returns in which lanes to[0] is beyond it. */
RN_INLINE rn_mask part_triangles(const triangles *of, int axis, rn_wide line, triangles to[3]) {
    const split s = find_split(of, axis, line);
    for (int k = 0; k < 3; k++) {
        const rn_wide m = s.p[k] + s.t * (s.q[k] - s.p[k]), n = s.p[k] + s.u * (s.r[k] - s.p[k]);
        to[0].v[0][k] = s.p[k];
        to[0].v[1][k] = to[1].v[0][k] = to[2].v[0][k] = m;
        to[0].v[2][k] = to[2].v[2][k] = n;
        to[1].v[1][k] = s.q[k];
        to[1].v[2][k] = to[2].v[1][k] = s.r[k];
    }
    to[0].twice = of->twice * s.t * s.u;
    to[1].twice = of->twice * (1.0f - s.t);
    to[2].twice = of->twice * s.t * (1.0f - s.u);
    return s.past;
}

/* Adds `count` amounts to others, only in the lanes of a mask. */
RN_INLINE void add_kept(rn_mask here, const amount *from, int count, amount *to) {
    for (int i = 0; i < count; i++) {
        to[i].area += rn_keep(here, from[i].area);
        to[i].moment += rn_keep(here, from[i].moment);
    }
}

/* Sets `to` to the amounts of the four parts on both sides of two lines across different axes; the first line chooses
   between 0, 1 and 2, 3. */
RN_INLINE void quarter_amounts(const triangles *of, const int axis[2], const rn_wide line[2], amount to[4]) {
    triangles parts[3];
    const rn_mask past = part_triangles(of, axis[0], line[0], parts);
    for (int i = 0; i < 4; i++) to[i] = (amount){{0}, {0}};
    for (int i = 0; i < 3; i++) {
        amount halves[2];
        const rn_mask here = i == 0 ? past : ~past;
        halve_amounts(&parts[i], axis[1], line[1], halves);
        add_kept(~here, halves, 2, to);
        add_kept(here, halves, 2, to + 2);
    }
}

/* Sets `to` to the amounts of the eight parts on both sides of three lines, across x, y and z: the index is 4 beyond
   the line across z, plus 2 beyond the one across y, plus 1 beyond the one across x. */
static void divide_in_eight(const triangles *of, const rn_wide line[3], amount to[8]) {
    static const int axis[2] = {1, 0};
    const rn_wide others[2] = {line[1], line[0]};
    triangles parts[3];
    const rn_mask past = part_triangles(of, 2, line[2], parts);
    for (int i = 0; i < 8; i++) to[i] = (amount){{0}, {0}};
    for (int i = 0; i < 3; i++) {
        amount quarters[4];
        const rn_mask here = i == 0 ? past : ~past;
        quarter_amounts(&parts[i], axis, others, quarters);
        add_kept(~here, quarters, 4, to);
        add_kept(here, quarters, 4, to + 4);
    }
}

/* Sets `to` to the amounts of a lot's triangles in each of their cells and slices, in the order of slices, rows and
   cells; as many as the lot has parts. number: the number of the lot; middle: the height (m above their base) between
   two slices. */
static void find_amounts(const triangles *of, int number, rn_wide middle, amount to[8]) {
    const rn_wide next = rn_splat(1.0f), line[3] = {next, next, middle};
    if (number == 0) {
        to[0] = (amount){of->twice, of->twice * (of->v[0][2] + of->v[1][2] + of->v[2][2]) * THIRD};
    } else if (number == 1) {
        halve_amounts(of, 0, next, to);
    } else if (number == 2) {
        halve_amounts(of, 1, next, to);
    } else if (number == 4) {
        halve_amounts(of, 2, middle, to);
    } else if (number == 3) {
        quarter_amounts(of, (const int[]){1, 0}, line, to);
    } else if (number == 5) {
        quarter_amounts(of, (const int[]){2, 0}, (const rn_wide[]){middle, next}, to);
    } else if (number == 6) {
        quarter_amounts(of, (const int[]){2, 1}, (const rn_wide[]){middle, next}, to);
    } else {
        divide_in_eight(of, line, to);
    }
}

/* The result of a lot: heights (m) and shares of every part of every triangle. */
typedef struct outcome {
    float height[8][RN_LOT], share[8][RN_LOT];
} outcome;

/* Stores the results of one part for RN_LANES triangles, from triangle `first` of the lot on: the mean height of the
   part (m), clamped to the triangle, and its share of the cell's area, positive if it faces down. */
static void store_part(const rn_triangle_batch *lot, int first, const amount *of, float *height, float *share) {
    const rn_wide above = rn_lesser(rn_positive(of->moment / of->area), rn_load(lot->rise + first));
    rn_store(height + first, rn_load(lot->base + first) + above);
    rn_store(share + first, of->area * 0.5f);
}

/* Adds the changes of all parts with a share to `steps`, always four triangles at a time, part by part, whatever the
   number of lanes. There must be room for all parts and one more. further[k]: offset from the first cell to that of
   part k. */
static void add_changes(rn_share_changes *steps, const rn_triangle_batch *lot, const outcome *o, int parts,
                        const int *further) {
    enum { FOUR = 4 };
    for (int first = 0; first < lot->count; first += FOUR) {
        const int end = first + FOUR < lot->count ? first + FOUR : lot->count;
        for (int k = 0; k < parts; k++)
            for (int i = first; i < end; i++) {
                steps->list[steps->count] =
                    (rn_share_change){lot->cell[i] + further[k], o->height[k][i], o->share[k][i]};
                steps->count += o->share[k][i] != 0.0f;
            }
    }
}

/* Fills the lanes past the last triangle, up to a multiple of RN_LANES, with triangles without area. */
static void fill_last_lanes(rn_triangle_batch *lot) {
    for (int i = lot->count; i % RN_LANES != 0; i++) {
        for (int k = 0; k < 9; k++) lot->at[k / 3][k % 3][i] = 0.0f;
        lot->twice[i] = lot->rise[i] = lot->base[i] = 0.0f;
    }
}

bool rn_lot_put(const rn_emitter *e, int nx, rn_triangle_batch *lot, int number) {
    const int parts = 1 << ((number & 1) + (number >> 1 & 1) + (number >> 2));
    const int across = number & 1, along = number & 2 ? nx : 0;
    if (!rn_emit_room(e, (size_t)(parts * lot->count) + 1)) return false;
    int further[8]; /* offsets from the first cell */
    for (int k = 0; k < parts; k++) further[k] = (k & across) + (k >> across & 1) * along;
    outcome o;
    fill_last_lanes(lot);
    for (int first = 0; first < lot->count; first += RN_LANES) {
        triangles of;
        amount sums[8] = {{{0}, {0}}}; /* gcc for Windows does not see that everything read was written */
        for (int i = 0; i < 9; i++) of.v[i / 3][i % 3] = rn_load(lot->at[i / 3][i % 3] + first);
        of.twice = rn_load(lot->twice + first);
        find_amounts(&of, number, rn_load(lot->rise + first) * 0.5f, sums);
        for (int k = 0; k < parts; k++) store_part(lot, first, &sums[k], o.height[k], o.share[k]);
    }
    add_changes(e->steps, lot, &o, parts, further);
    lot->count = 0;
    return true;
}
