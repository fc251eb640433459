/* Sorts changes of solid shares, and turns them into ranges of solid.

   Interface (bodies/shares.h): rn_share_changes_sort and rn_share_changes_ranges. world/blocking.c sorts the changes
   of each body after rasterising it, and those of several bodies in one cell together; then it asks for the ranges of
   each cell.

   rn_share_changes_sort orders by cell, then by height. Short lists are sorted by insertion. Longer ones get a rough
   bucket sort by height and cell that suits one body, and insertion after it; where this does not suit, a radix sort.
   All are stable, so they give the same order, and sums of floats in that order have the same bits.

   rn_share_changes_ranges sums up the changes of a cell from the bottom to the top. Where a thin body is steep, its
   upper side may begin below its lower one, which would give a share below 0: that solid is taken from what follows,
   so that the volume is right. Ranges of nearly the same share are merged and keep their volume; if there are too
   many, the two neighbours whose merging displaces least are merged. */
#include "bodies/shares.h"

#include "base/maths.h"

#include <string.h>

/* ---- Sorting by cell, then height. Every method is stable, so that all give the same order ----------------- */

enum { FEW = 32, LEVELS = 512, MOST_CELLS = 4096 };
enum { DIGIT = 256, DIGITS = 8 };

/* A number that grows with the cell, and with the height within a cell, also if it is negative. */
static uint64_t sort_key(const rn_share_change *s) {
    uint32_t bits;
    memcpy(&bits, &s->height, sizeof bits);
    bits ^= bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31;
    return (uint64_t)(uint32_t)s->cell << 32 | bits;
}

/* Sorts by insertion, stably, if that takes at most about `moves` moves. Otherwise returns false, with the list partly
   sorted and equal changes still in order. */
static bool insertion_sort(rn_share_change *list, size_t count, size_t moves) {
    uint64_t last = 0; /* largest so far */
    for (size_t i = 0; i < count; i++) {
        const uint64_t order = sort_key(&list[i]);
        if (last <= order) {
            last = order;
            continue;
        }
        const rn_share_change s = list[i];
        size_t to = i;
        do {
            list[to] = list[to - 1];
            to--;
        } while (to > 0 && sort_key(&list[to - 1]) > order);
        list[to] = s;
        if (i - to > moves) return false;
        moves -= i - to;
    }
    return true;
}

/* Turns `count` counts into the positions at which their items begin, from 0. */
static void counts_to_begins(uint32_t *many, size_t count) {
    uint32_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t here = many[i];
        many[i] = begin;
        begin += here;
    }
}

/* Sorts the changes, at least one, of one body, which has few cells and heights spread over them: roughly by height,
   then by cell, then the rest by insertion. `scratch` has as much room. Returns false if the list is not sorted yet;
   equal changes are still in order. */
static bool bucket_sort(rn_share_change *list, size_t count, rn_share_change *scratch) {
    int32_t first = list[0].cell, last = first;
    float low = list[0].height, high = low;
    for (size_t i = 1; i < count; i++) {
        first = list[i].cell < first ? list[i].cell : first;
        last = list[i].cell > last ? list[i].cell : last;
        low = RN_LESSER(low, list[i].height);
        high = RN_GREATER(high, list[i].height);
    }
    const int64_t cells = (int64_t)last - first + 1;
    const float span = high - low;
    if (cells > MOST_CELLS || !(span < INFINITY)) return false;
    const float scale = span > 0 ? (float)(LEVELS - 1) / span : 0;
    if (!(scale < INFINITY)) return false;
    uint32_t by_level[LEVELS] = {0}, by_cell[MOST_CELLS];
    memset(by_cell, 0, (size_t)cells * sizeof *by_cell);
    for (size_t i = 0; i < count; i++) {
        by_level[(int)((list[i].height - low) * scale)]++;
        by_cell[list[i].cell - first]++;
    }
    counts_to_begins(by_level, LEVELS);
    counts_to_begins(by_cell, (size_t)cells);
    for (size_t i = 0; i < count; i++) scratch[by_level[(int)((list[i].height - low) * scale)]++] = list[i];
    for (size_t i = 0; i < count; i++) list[by_cell[scratch[i].cell - first]++] = scratch[i];
    return insertion_sort(list, count, 4 * count);
}

/* Sorts any list, not empty, by radix, byte by byte; `scratch` has as much room. */
static void radix_sort(rn_share_change *list, size_t count, rn_share_change *scratch) {
    uint32_t many[DIGITS][DIGIT] = {{0}};
    for (size_t i = 0; i < count; i++) {
        const uint64_t order = sort_key(&list[i]);
        for (int d = 0; d < DIGITS; d++) many[d][order >> 8 * d & 255]++;
    }
    rn_share_change *from = list, *to = scratch;
    for (int d = 0; d < DIGITS; d++) {
        if (many[d][sort_key(&from[0]) >> 8 * d & 255] == count) continue;
        counts_to_begins(many[d], DIGIT);
        for (size_t i = 0; i < count; i++) to[many[d][sort_key(&from[i]) >> 8 * d & 255]++] = from[i];
        rn_share_change *other = from;
        from = to;
        to = other;
    }
    if (from != list) memcpy(list, from, count * sizeof *from);
}

void rn_share_changes_sort(rn_share_changes *steps, rn_share_change *scratch) {
    const size_t count = steps->count;
    if (count <= FEW ? insertion_sort(steps->list, count, SIZE_MAX) : bucket_sort(steps->list, count, scratch)) return;
    radix_sort(steps->list, count, scratch);
}

/* ---- Ranges ---- */

/* The solid in a range: its height times its share (m of full cell). */
static double range_volume(const rn_solid_range *s) { return ((double)s->high - (double)s->low) * (double)s->share; }

/* Merges two ranges, a below b, and the gap between them into one, with the same volume, as far as a share of 1 allows.
 */
static rn_solid_range join_ranges(const rn_solid_range *a, const rn_solid_range *b) {
    const double volume = range_volume(a) + range_volume(b);
    const double share = volume / ((double)b->high - (double)a->low);
    return (rn_solid_range){a->low, b->high, (float)rn_min(share, 1)};
}

/* How much solid (m of full cell) is added or removed at some height if two ranges, a below b, are merged. */
static double displaced_by_joining(const rn_solid_range *a, const rn_solid_range *b) {
    const double share = (double)join_ranges(a, b).share;
    return fabs((double)a->share - share) * ((double)a->high - (double)a->low) +
           fabs((double)b->share - share) * ((double)b->high - (double)b->low) +
           share * ((double)b->low - (double)a->high);
}

/* The index of the first of the two neighbouring ranges whose merging displaces least, or -1 if there are fewer than
   two. */
static int cheapest_join(const rn_solid_range *list, int count) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i + 1 < count; i++) {
        const double cost = displaced_by_joining(&list[i], &list[i + 1]);
        if (cost >= least) continue;
        least = cost;
        best = i;
    }
    return best;
}

/* Adds a range above `count` others, merged with the last one if they touch and their shares differ by less than
   `alike`; if there are `most` already, at least 1, merges the two neighbours where this displaces least, the new one
   included. Returns the new count. */
static int add_range(rn_solid_range *list, int count, int most, float alike, const rn_solid_range *next) {
    rn_solid_range *last = count > 0 ? &list[count - 1] : NULL;
    bool join = last && last->high == next->low && fabsf(last->share - next->share) < alike;
    if (last && !join && count == most) {
        const int i = cheapest_join(list, count);
        join = i < 0 || displaced_by_joining(last, next) <= displaced_by_joining(&list[i], &list[i + 1]);
        if (!join) {
            list[i] = join_ranges(&list[i], &list[i + 1]);
            memmove(list + i + 1, list + i + 2, (size_t)(count - i - 2) * sizeof *list);
            count--;
        }
    }
    if (join) *last = join_ranges(last, next);
    else list[count++] = *next;
    return count;
}

int rn_share_changes_ranges(const rn_share_change *steps, size_t count, float least, float alike,
                            rn_solid_range *ranges, int most) {
    int found = 0;
    double total = 0, owed = 0;
    for (size_t i = 0; i + 1 < count && most > 0; i++) {
        total += (double)steps[i].share;
        const double thickness = (double)steps[i + 1].height - (double)steps[i].height;
        if (!(thickness > 0)) continue;
        /* Where a thin body is steep, its upper side can begin below its lower one. The missing solid is taken from
           what follows, so that the volume is right. */
        const double left = total + owed / thickness;
        owed = rn_min(left, 0) * thickness;
        const double share = rn_clamp(left, 0, 1);
        if (!(share > 0) || share < (double)least) continue;
        const rn_solid_range next = {steps[i].height, steps[i + 1].height, (float)share};
        found = add_range(ranges, found, most, alike, &next);
    }
    return found;
}
