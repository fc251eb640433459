/* Vertices where the surface ends at something other than a dry column: at walls, at the edge of the domain and at
   ledges, where the vertex becomes the lip of a falling sheet.

   Interface and order of calls (surface/surface.h): build.c runs rn_extras_count once links are final, and sums the
   counts; vertices.c calls rn_extras_make for each row, after the vertices of its columns are numbered; triangles.c
   then asks rn_extra_vertex_find what a wet column sees in a direction; sheets.c and jets.c ask rn_extra_depth how deep
   the liquid at a lip is.

   Dagenais 2018, 4.3: "we create an extra vertex positioned at the center of column j. This new vertex is linked to
   column i, as well as to its wet neighbor columns that are linked with column i. Its height and normal are then set
   to the average of these". Here the wet columns around a cell that end in the same layer of it are grouped, so that
   columns joined with each other share one vertex. Groups are found twice, to count and to make them, because a row
   must know where its vertices begin. A group falls only if all of its members do. A lip is drawn LIP cells beyond
   the centre of the last column; with contact angles, liquid that is held at a ledge has a lip without a sheet, at
   the height of the ground. Vertices outside the domain are moved back to its edge. */
#include "surface/surface.h"

#include <string.h>

#define LIP 0.75f /* cells that liquid extends over a ledge's last column before it falls */

enum { MOST_MEMBERS = 8 * RN_SURFACE_LAYERS };

typedef struct group {
    uint8_t members[RN_AROUND];
    uint8_t layer; /* of the column at the centre */
    uint8_t first; /* direction of its first member */
    bool falls;
} group;

/* Whether the column of layer l0 in direction d0 from a cell is joined with that of layer l1 in direction d1. Only
   neighbours can be joined. */
static bool are_joined(const rn_links *t, int32_t cell, int d0, int l0, int d1, int l1) {
    static const int8_t ways[3][3] = {{5, 6, 7}, {4, -1, 0}, {3, 2, 1}}; /* by y, x */
    const int dx = rn_around_x[d1] - rn_around_x[d0], dy = rn_around_y[d1] - rn_around_y[d0];
    if (dx < -1 || dx > 1 || dy < -1 || dy > 1) return false;
    const int way = ways[dy + 1][dx + 1];
    return way >= 0 &&
           rn_link_of(t->links[cell + rn_links_step(t, d0) + l0 * t->layer_stride], way) == (RN_LINK_JOIN | l1);
}

/* Whether a column in a direction from the cell belongs to a group: the group has none in this direction, and some
   member is joined with it. */
static bool fits(const rn_links *t, int32_t cell, const group *g, int direction, int layer) {
    if (g->members[direction] != RN_NO_MEMBER) return false;
    for (int d = 0; d < RN_AROUND; d++)
        if (g->members[d] != RN_NO_MEMBER && are_joined(t, cell, d, g->members[d], direction, layer)) return true;
    return false;
}

/* Merges b into a if some of their members are joined, the layer at the centre is the same and no direction has members
   of both; returns whether it did. The result falls only if both groups do. The search starts at east, so columns on
   both sides of it may first form two groups. */
static bool merge(const rn_links *t, int32_t cell, group *a, const group *b) {
    bool joined = false;
    if (a->layer != b->layer) return false;
    for (int d = 0; d < RN_AROUND; d++) {
        if (b->members[d] == RN_NO_MEMBER) continue;
        if (a->members[d] != RN_NO_MEMBER) return false;
        joined |= fits(t, cell, a, d, b->members[d]);
    }
    if (!joined) return false;
    for (int d = 0; d < RN_AROUND; d++)
        if (b->members[d] != RN_NO_MEMBER) a->members[d] = b->members[d];
    a->falls &= b->falls;
    return true;
}

/* Writes the groups of wet columns around a cell that are joined with each other and end there at a wall or fall, in
   the same layer of the cell; returns their number, at most MOST_MEMBERS. A group falls only if all of its members
   do. */
static int find_groups(const rn_surface_state *w, int y, int x, group *groups) {
    const rn_links *t = &w->t;
    const int32_t cell = rn_links_slot(t, 0, y, x);
    int count = 0;
    for (int d = 0; d < RN_AROUND; d++) {
        const int cx = x + rn_around_x[d], cy = y + rn_around_y[d];
        if (cx < 0 || cy < 0 || cx >= t->nx || cy >= t->ny) continue;
        if (!rn_links_in(rn_links_row(t, w->pouring, 0, cy), cx)) continue;
        RN_EACH_LAYER (l, t->wet_layers[cy + 1]) {
            const int32_t slot = cell + rn_links_step(t, d) + l * t->layer_stride;
            if (!rn_links_in(rn_links_row(t, t->wet, l, cy), cx)) continue;
            const uint8_t link = rn_link_of(t->links[slot], (d + 4) & 7), layer = link & RN_LINK_LAYER;
            if (!(link & RN_LINK_WALL)) continue;
            const bool falls = (link & RN_LINK_KIND) == RN_LINK_FALL;
            group *into = NULL;
            for (int g = count - 1; g >= 0 && !into; g--)
                if (groups[g].layer == layer && fits(t, cell, &groups[g], d, l)) into = &groups[g];
            if (!into) {
                into = &groups[count++];
                *into = (group){.layer = layer, .first = (uint8_t)d, .falls = true};
                for (int k = 0; k < RN_AROUND; k++) into->members[k] = RN_NO_MEMBER;
            }
            into->members[d] = (uint8_t)l;
            into->falls &= falls;
        }
    }
    for (int g = count - 1; g > 0; g--)
        for (int h = 0; h < g; h++)
            if (merge(t, cell, &groups[h], &groups[g])) {
                groups[g] = groups[--count];
                break;
            }
    return count;
}

/* Marks the cells of a row where some wet column of this row, or of the two beside it, ends at a wall or fall. */
static void mark_ends(const rn_surface_state *w, int y, int worker) {
    static const uint64_t towards[3] = {UINT64_C(0x0000000080808000), UINT64_C(0x0000008000000080),
                                        UINT64_C(0x8080800000000000)}; /* from the row below, this one, the one above */
    const rn_links *t = &w->t;
    uint64_t *ends = rn_surface_state_row(w, w->ends, 0, y);
    RN_ALONE memset(ends, 0, (size_t)t->words * sizeof *ends);
    for (int r = y < 1 ? 0 : y - 1; r <= y + 1 && r < t->ny; r++)
        RN_EACH_WORD (i, t->words, worker)
            RN_EACH_BIT (bit, rn_links_row(t, w->pouring, 0, r)[i]) {
                const int x = 64 * i + bit - 1;
                RN_EACH_LAYER (l, t->wet_layers[r + 1]) {
                    if (!(rn_links_row(t, t->wet, l, r)[i] >> bit & 1)) continue;
                    for (uint64_t ways = t->links[rn_links_slot(t, l, r, x)] & towards[r - y + 1]; ways;) {
                        const int to = x + rn_around_x[rn_take_join(&ways)] + 1;
                        rn_put_bits(&ends[to >> 6], UINT64_C(1) << (to & 63));
                    }
                }
            }
}

void rn_extras_mark(void *work, int begin, int end, int worker) {
    for (int y = begin - 1; y < end - 1; y++) mark_ends(work, y, worker);
}

/* Whether a cell lies outside the domain. */
static bool is_outside(const rn_surface_state *w, int y, int x) {
    return x < 0 || y < 0 || x >= w->t.nx || y >= w->t.ny;
}

/* Whether extra vertices of a cell are drawn: always within the domain; outside unless no_edges is set. */
static bool is_wanted(const rn_surface_state *w, int y, int x) { return !w->def->no_edges || !is_outside(w, y, x); }

void rn_extras_count(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    group groups[MOST_MEMBERS];
    for (int y = begin - 1; y < end - 1; y++) {
        uint32_t *extras = &w->row_extras[rn_part(w, y, worker)], found = 0;
        RN_ALONE *extras = 0;
        RN_ALONE mark_ends(w, y, worker);
        RN_EACH_WORD (i, w->t.words, worker)
            RN_EACH_BIT (bit, rn_surface_state_row(w, w->ends, 0, y)[i]) {
                const int x = 64 * i + bit - 1;
                if (is_wanted(w, y, x)) found += (uint32_t)find_groups(w, y, x, groups);
            }
        if (!found) continue;
        rn_put_count(extras, found);
        rn_put_count(&w->row_vertices[y + 1], found);
    }
}

/* Moves an extra vertex outside the domain, along the edge of the domain and in height, to mirror the vertex of the
   cell inside, if that belongs to a dry column at the edge of the liquid. */
static void mirror(const rn_surface_state *w, int y, int x, const group *g, rn_extra_vertex *e) {
    const rn_links *t = &w->t;
    const int cx = x < 0 ? 0 : x >= t->nx ? t->nx - 1 : x, cy = y < 0 ? 0 : y >= t->ny ? t->ny - 1 : y;
    for (int d = 0; d < RN_AROUND; d++) {
        if (g->members[d] == RN_NO_MEMBER || e->cell + rn_links_step(t, d) == rn_links_slot(t, 0, cy, cx)) continue;
        const int mx = x + rn_around_x[d], my = y + rn_around_y[d], l = g->members[d];
        for (int k = 0; k < RN_AROUND; k++) {
            if (mx + rn_around_x[k] != cx || my + rn_around_y[k] != cy) continue;
            const int32_t from = rn_links_slot(t, l, my, mx), other = rn_links_joined(t, from, l, k);
            if (other < 0 || rn_is_wet(w, other)) continue;
            float at[4];
            rn_fronts_place(w, other, rn_link_of(t->links[from], k) & RN_LINK_LAYER, at);
            if (cx == x) e->at[0] += at[0];
            if (cy == y) e->at[1] += at[1];
            e->at[2] = at[2];
            return;
        }
    }
}

/* Whether contact angles hold all members of a group on their ledge: nothing has arrived below. Returns false without
   contact angles, outside the domain, and if the group does not fall. */
static bool is_held(const rn_surface_state *w, int y, int x, int32_t cell, const group *g) {
    const rn_links *t = &w->t;
    if (!(w->per_foot > 0.0f) || !g->falls || x < 0 || y < 0 || x >= t->nx || y >= t->ny) return false;
    for (int d = 0; d < RN_AROUND; d++) {
        if (g->members[d] == RN_NO_MEMBER) continue;
        const int32_t from = cell + rn_links_step(t, d) + g->members[d] * t->layer_stride;
        const int into = rn_link_of(t->links[from], (d + 4) & 7) & RN_LINK_LAYER;
        if (into == RN_LINK_NOWHERE || rn_is_wet(w, cell + into * t->layer_stride)) return false;
    }
    return true;
}

/* Sets the position of an extra vertex: the centre of the cell, clamped to the domain, and for a fall nearer to the
   ledge; its height is the mean of its members, or of their ground if contact angles hold the liquid there. Outside the
   domain, `mirror` may move it. e->cell, e->held and e->leaves must be set. */
static void place(const rn_surface_state *w, int y, int x, const group *g, rn_extra_vertex *e) {
    const rn_links *t = &w->t;
    float sum = 0.0f, dx = 0.0f, dy = 0.0f;
    int count = 0;
    for (int d = 0; d < RN_AROUND; d++) {
        if (g->members[d] == RN_NO_MEMBER) continue;
        sum += (e->held ? t->base : w->z)[e->cell + rn_links_step(t, d) + g->members[d] * t->layer_stride];
        dx += (float)rn_around_x[d];
        dy += (float)rn_around_y[d];
        count++;
    }
    const float back = g->falls ? (1.0f - LIP) / (float)count : 0.0f;
    const float at_x = (float)x + 0.5f + back * dx, at_y = (float)y + 0.5f + back * dy;
    const uint32_t open = e->leaves ? t->open_sides : 0; /* at a corner, one of the two edges may be closed */
    const float over_x =
        open & 1u << (x < 0 ? RN_SIDE_WEST : RN_SIDE_EAST) ? LIP - 0.5f : 0.0f; /* cells beyond the domain */
    const float over_y = open & 1u << (y < 0 ? RN_SIDE_SOUTH : RN_SIDE_NORTH) ? LIP - 0.5f : 0.0f;
    e->at[0] = t->cell * fminf(fmaxf(at_x, -over_x), (float)t->nx + over_x);
    e->at[1] = t->cell * fminf(fmaxf(at_y, -over_y), (float)t->ny + over_y);
    e->at[2] = sum / (float)count;
    if (!g->falls && (x < 0 || y < 0 || x >= t->nx || y >= t->ny)) mirror(w, y, x, g, e);
}

/* Makes the extra vertex of a group of cell x, y. */
static void make_extra(const rn_surface_state *w, int y, int x, const group *g, uint32_t vertex, rn_extra_vertex *e) {
    e->cell = rn_links_slot(&w->t, 0, y, x);
    e->falls = g->falls;
    e->vertex = vertex;
    e->to = e->leaving = e->coming = e->corner = 0;
    e->ahead = e->behind = NULL;
    e->chain = NULL;
    e->strand = 0;
    for (int d = 0; d < RN_AROUND; d++) e->members[d] = g->members[d];
    e->leaves = e->falls && g->layer == RN_LINK_NOWHERE && is_outside(w, y, x);
    e->held = is_held(w, y, x, e->cell, g);
    place(w, y, x, g, e);
}

void rn_extras_make(const rn_surface_state *w, int y, int worker, uint32_t vertex) {
    group groups[MOST_MEMBERS];
    const uint32_t first = rn_extras_before(w, y);
    uint32_t next = w->row_extras[rn_part(w, y, worker)];
    RN_EACH_WORD (i, w->t.words, worker)
        RN_EACH_PLACE (bit, rn_surface_state_row(w, w->ends, 0, y)[i], has) {
            const int x = 64 * i + bit - 1;
            const int count = has && is_wanted(w, y, x) ? find_groups(w, y, x, groups) : 0;
            uint32_t all;
            const uint32_t at = next + rn_count_before((uint32_t)count, &all);
            if (has) w->first[rn_links_slot(&w->t, 0, y, x)] = (int32_t)at;
            for (uint32_t g = 0; g < (uint32_t)count; g++)
                make_extra(w, y, x, &groups[g], vertex + at + g - first, &w->extras[at + g]);
            next += all;
        }
}

const rn_extra_vertex *rn_extra_vertex_find(const rn_surface_state *w, int32_t slot, int layer, int direction) {
    const int32_t cell = slot - layer * w->t.layer_stride + rn_links_step(&w->t, direction);
    const rn_extra_vertex *e = &w->extras[w->first[cell]], *end = &w->extras[rn_extras_before(w, w->t.ny + 1)];
    for (; e < end && e->cell == cell; e++)
        if (e->members[(direction + 4) & 7] == layer) return e;
    return NULL;
}

float rn_extra_depth(const rn_surface_state *w, const rn_extra_vertex *e) {
    const rn_links *t = &w->t;
    float deepest[2] = {0.0f, 0.0f}; /* straight across, and across a corner */
    for (int d = 0; d < RN_AROUND; d++) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        const int32_t slot = e->cell + rn_links_step(t, d) + e->members[d] * t->layer_stride;
        deepest[d & 1] = rn_larger(deepest[d & 1], t->level[slot] - t->base[slot]);
    }
    return deepest[0] > 0.0f ? deepest[0] : deepest[1];
}
