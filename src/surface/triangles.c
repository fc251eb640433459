/* Turns quads of neighbouring cells into triangles (Dagenais 2018, 4.2): groups of four columns that are joined with
   each other give two triangles, then groups of three give one.

   Interface and order of calls (surface/surface.h, build.c): rn_triangles_expect estimates the triangles of each row
   while vertices are counted; after rn_vertices_close, rn_triangles_find writes them at the places that the estimates
   leave, counts them and records falling sheets; rn_triangles_close_up closes the gaps. Only if an estimate was too
   small or exceeds the mesh are all triangles written again, by rn_triangles_fill.

   A wet column determines the other three corners of a quad: the column it is joined with there, or else an extra
   vertex. A group is a set of corners on which all its wet columns agree. The diagonal of four joins the two higher
   corners, or at the edge two that are both wet or both dry. Where many layers meet in a point columns may not agree,
   and the rest is covered edge by edge.

   There are three ways through a row, with the same result: runs of quads inside the liquid (do_plain) only choose
   diagonals, without branches; quads whose layers are simple edges (do_edge) need no search; do_quad does any quad.
   Triangles that are too thin, turned over, or between dry columns only are left out. */
#include "surface/vertex.h"

#include <string.h>

enum { CORNERS = 4, MOST_SEEDS = 4 * RN_SURFACE_LAYERS, MOST_TRIANGLES = 2 * MOST_SEEDS };

/* Corners run counter-clockwise from the south-west. */
static const int8_t corner_x[CORNERS] = {0, 1, 1, 0}, corner_y[CORNERS] = {0, 0, 1, 1};
static const int8_t corner_way[CORNERS][CORNERS] = {{-1, 0, 1, 2}, {4, -1, 2, 3}, {5, 6, -1, 4}, {6, 7, 0, -1}};

/* A corner: a column's slot, or -2 - an extra vertex's number. */
typedef int32_t node;
enum { NOTHING = -1 };

/* A wet column at a corner of the quad, and what it sees at all four. */
typedef struct seed {
    node view[CORNERS]; /* by corner of the quad, whichever the column's own is; NOTHING: nothing there */
    int8_t corner;      /* its own */
    bool used;          /* belongs to a group of four */
} seed;

typedef struct triangle {
    node nodes[3];
    int8_t corners[3];
} triangle;

typedef struct quad {
    const rn_surface_state *w;
    int y, x;
    int seeds, triangles;
    seed seed[MOST_SEEDS];
    triangle triangle[MOST_TRIANGLES];
} quad;

static bool is_wet_node(const rn_surface_state *w, node n) { return n >= 0 && rn_is_wet(w, n); }

/* The extra vertex of a node, or NULL for a column or nothing. */
static const rn_extra_vertex *extra_of(const rn_surface_state *w, node n) {
    return n < NOTHING ? &w->extras[-2 - n] : NULL;
}

/* Whether a cell lies outside the domain. */
static bool is_outside(const rn_surface_state *w, int y, int x) {
    return x < 0 || y < 0 || x >= w->t.nx || y >= w->t.ny;
}

/* What a wet column sees in a direction: the column that it is joined with, its extra vertex there, or NOTHING (if it
   is not joined, with raw boundaries, or outside the domain with no_edges). */
static node look(const rn_surface_state *w, int32_t slot, int layer, int direction) {
    const uint8_t link = rn_link_of(w->t.links[slot], direction);
    if ((link & RN_LINK_KIND) == RN_LINK_JOIN) return rn_links_joined(&w->t, slot, layer, direction);
    if (w->def->raw_boundaries) return NOTHING;
    const rn_extra_vertex *e = rn_extra_vertex_find(w, slot, layer, direction);
    return e ? (node)(-2 - (e - w->extras)) : NOTHING;
}

/* Creates a seed of every wet column, in any layer, at the corners of a quad: what it sees at the four corners. Without
   edges it sees nothing outside the domain. Empties the quad's list of triangles. */
static void find_seeds(quad *q) {
    const rn_surface_state *w = q->w;
    const rn_links *t = &w->t;
    q->seeds = q->triangles = 0;
    for (int8_t a = 0; a < CORNERS; a++) {
        const int x = q->x + corner_x[a], y = q->y + corner_y[a];
        if (x < 0 || y < 0 || x >= t->nx || y >= t->ny) continue;
        RN_EACH_LAYER (l, t->wet_layers[y + 1]) {
            if (!rn_links_in(rn_links_row(t, t->wet, l, y), x)) continue;
            seed *s = &q->seed[q->seeds++];
            const int32_t slot = rn_links_slot(t, l, y, x);
            s->corner = a;
            s->used = false;
            for (int b = 0; b < CORNERS; b++) {
                const bool missing = w->def->no_edges && is_outside(w, q->y + corner_y[b], q->x + corner_x[b]);
                s->view[b] = b == a ? slot : missing ? NOTHING : look(w, slot, l, corner_way[a][b]);
            }
        }
    }
}

/* The seed of the wet column n at a corner, or NULL if there is none. */
static seed *seed_of(quad *q, node n, int corner) {
    for (int i = 0; i < q->seeds; i++)
        if (q->seed[i].corner == corner && q->seed[i].view[corner] == n) return &q->seed[i];
    return NULL;
}

/* Whether all wet columns at these corners of a seed's view see the same there and are not used yet; its own corner is
   one of them. Returns false if it sees nothing at one of them. */
static bool agrees(quad *q, const seed *s, const int8_t *corners, int count) {
    for (int i = 0; i < count; i++) {
        const node n = s->view[corners[i]];
        if (n == NOTHING) return false;
        if (!is_wet_node(q->w, n)) continue;
        const seed *other = seed_of(q, n, corners[i]);
        if (!other || other->used) return false;
        for (int k = 0; k < count; k++)
            if (other->view[corners[k]] != s->view[corners[k]]) return false;
    }
    return true;
}

/* ---- Triangles ------------------------------------------------------------------------------------------------ */

/* The number of a node's vertex in the mesh. */
static uint32_t vertex_of(const rn_surface_state *w, node n) {
    const rn_extra_vertex *e = extra_of(w, n);
    return e ? e->vertex : w->index[n];
}

/* The position (m) of a node's vertex, which must be written already. */
static const float *place_of(const rn_surface_state *w, node n) {
    return &w->mesh->positions[3 * (size_t)vertex_of(w, n)];
}

/* Returns false if a triangle would overlap another one of this quad, or share a side of the quad with one: together
   with the neighbouring quad, that side would have three triangles. */
static bool is_new(const quad *q, const triangle *t) {
    for (int i = 0; i < q->triangles; i++) {
        const triangle *o = &q->triangle[i];
        int common = 0, sum = 0;
        bool diagonal = true;
        int8_t shared[3];
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++)
                if (t->nodes[k] == o->nodes[m]) shared[common++] = t->corners[k];
        if (common == 3) return false;
        if (common < 2) continue;
        diagonal = ((shared[0] - shared[1]) & 1) == 0;
        for (int k = 0; k < 3; k++) sum += t->corners[k] - o->corners[k];
        if (!diagonal || sum == 0) return false;
    }
    return true;
}

/* Whether all three nodes are dry columns where the liquid ends: there is no liquid between them. */
static bool is_empty(const rn_surface_state *w, node a, node b, node c) {
    return a >= 0 && b >= 0 && c >= 0 && rn_fronts_ends(w, a) && rn_fronts_ends(w, b) && rn_fronts_ends(w, c);
}

/* Adds a triangle to the quad unless it is empty, too thin, turned over or not new, or the list is full. Returns true
   if it was added. */
static bool add_triangle(quad *q, const triangle *t) {
    const rn_surface_state *w = q->w;
    if (is_empty(w, t->nodes[0], t->nodes[1], t->nodes[2])) return false;
    const float *at[3] = {place_of(w, t->nodes[0]), place_of(w, t->nodes[1]), place_of(w, t->nodes[2])};
    if (rn_area_above(at[0], at[1], at[2]) < rn_least_area(w) || !is_new(q, t) || q->triangles == MOST_TRIANGLES)
        return false;
    q->triangle[q->triangles++] = *t;
    return true;
}

/* Adds a triangle to the quad's list, unless add_triangle() refuses it. a, b, c: three corners of the quad (0 to 3),
   counter-clockwise; the seed says which node is at each. */
static void add_corners(quad *q, const seed *s, int a, int b, int c) {
    const triangle t = {.nodes = {s->view[a], s->view[b], s->view[c]}, .corners = {(int8_t)a, (int8_t)b, (int8_t)c}};
    add_triangle(q, &t);
}

/* Whether a quad is cut from corner 0 to 2 instead of from 1 to 3. "the triangle configuration that allows the ends
   of the diagonal edge to be both inside or both outside the boundary is prioritized" (4.3), otherwise the diagonal
   with the higher ends (4.2; Chentanez and Müller 2010); the other one where moved vertices would turn a triangle
   over. */
static bool prefers_first(const rn_surface_state *w, const float *at[CORNERS], unsigned wet, const float area[2][2]) {
    if (wet != 15) {
        const float first = fminf(area[0][0], area[0][1]), second = fminf(area[1][0], area[1][1]);
        if (first < rn_least_area(w) || second < rn_least_area(w)) return first > second;
        const bool joins = ((wet ^ wet >> 2) & 1) == 0, joins_other = ((wet >> 1 ^ wet >> 3) & 1) == 0;
        if (joins != joins_other) return joins;
    }
    return at[0][2] + at[2][2] >= at[1][2] + at[3][2];
}

/* Adds the two triangles of a group of four, unless add_triangle() refuses them, and marks the seeds of its wet columns
   as used. */
static void add_four(quad *q, seed *s) {
    const float *at[CORNERS];
    unsigned wet = 0;
    for (int k = 0; k < CORNERS; k++) {
        at[k] = place_of(q->w, s->view[k]);
        wet |= (unsigned)is_wet_node(q->w, s->view[k]) << k;
    }
    const float area[2][2] = {{rn_area_above(at[0], at[1], at[2]), rn_area_above(at[0], at[2], at[3])},
                              {rn_area_above(at[1], at[2], at[3]), rn_area_above(at[1], at[3], at[0])}};
    const bool first = prefers_first(q->w, at, wet, area);
    add_corners(q, s, first ? 0 : 1, first ? 1 : 2, first ? 2 : 3);
    add_corners(q, s, first ? 0 : 1, first ? 2 : 3, first ? 3 : 0);
    for (int b = 0; b < CORNERS; b++) {
        seed *other = is_wet_node(q->w, s->view[b]) ? seed_of(q, s->view[b], b) : NULL;
        if (other) other->used = true;
    }
}

/* Whether some triangle of the quad has both nodes, which may be the same. */
static bool is_covered(const quad *q, node n, node m) {
    for (int i = 0; i < q->triangles; i++) {
        const node *t = q->triangle[i].nodes;
        if ((t[0] == n || t[1] == n || t[2] == n) && (t[0] == m || t[1] == m || t[2] == m)) return true;
    }
    return false;
}

/* Adds a triangle over the edge from a wet column to what it sees at corner b beside it, with a third corner that one
   of the two sees; nothing if add_triangle() refuses all four. */
static void cover_edge(quad *q, const seed *s, int b) {
    const seed *other = is_wet_node(q->w, s->view[b]) ? seed_of(q, s->view[b], b) : NULL;
    for (int i = 0; i < 4; i++) {
        const int c = i % 2 ? (2 * s->corner - b) & 3 : (s->corner + 2) & 3;
        const seed *from = i < 2 ? s : other;
        if (!from || from->view[c] == NOTHING) continue;
        node at[CORNERS] = {NOTHING, NOTHING, NOTHING, NOTHING};
        triangle t;
        int count = 0;
        at[s->corner] = s->view[s->corner];
        at[b] = s->view[b];
        at[c] = from->view[c];
        for (int8_t k = 0; k < CORNERS; k++) {
            if (at[k] == NOTHING) continue;
            t.nodes[count] = at[k];
            t.corners[count++] = k;
        }
        if (add_triangle(q, &t)) return;
    }
}

/* Adds the triangles of a quad, whose seeds find_seeds has found: groups of four, then of three, then the uncovered
   rest. */
static void find_groups(quad *q) {
    static const int8_t four[CORNERS] = {0, 1, 2, 3};
    for (int i = 0; i < q->seeds; i++)
        if (!q->seed[i].used && agrees(q, &q->seed[i], four, CORNERS)) add_four(q, &q->seed[i]);
    for (int i = 0; i < q->seeds; i++) {
        const seed *s = &q->seed[i];
        if (s->used) continue;
        /* First the two that share the diagonal through this corner: together they cover the quad. */
        for (int k = 0; k < 3; k++) {
            const int without = (s->corner + (k == 0 ? 3 : k == 1 ? 1 : 2)) & 3;
            const int8_t three[3] = {(int8_t)((without + 1) & 3), (int8_t)((without + 2) & 3),
                                     (int8_t)((without + 3) & 3)};
            if (agrees(q, s, three, 3)) add_corners(q, s, three[0], three[1], three[2]);
        }
    }
    /* Where many layers meet in a point, the columns around a wet one may not agree: it is covered anyway, and so is
       what it is joined with. */
    for (int i = 0; i < q->seeds; i++) {
        const seed *s = &q->seed[i];
        for (int k = 1; k < CORNERS && !s->used; k += 2) {
            const int b = (s->corner + k) & 3;
            const node own = s->view[s->corner], beside = s->view[b];
            const bool missing = is_wet_node(q->w, beside) ? !is_covered(q, own, beside) : !is_covered(q, own, own);
            if (beside != NOTHING && missing) cover_edge(q, s, b);
        }
    }
}

/* ---- Sheets ---------------------------------------------------------------------------------------------------- */

/* The extra vertex of a node if liquid falls from it; otherwise NULL. */
static const rn_extra_vertex *lip_of(const rn_surface_state *w, node n) {
    const rn_extra_vertex *e = extra_of(w, n);
    return e && e->falls && !e->held ? e : NULL;
}

/* Whether the surface continues to the right of the edge from corner `from` to corner `to`, both extra vertices:
   across a diagonal in another triangle of this quad, otherwise in a wet column that is joined with both. */
static bool has_surface_beyond(const quad *q, const triangle *t, int from, int to) {
    const rn_links *l = &q->w->t;
    const rn_extra_vertex *a = extra_of(q->w, t->nodes[from]), *b = extra_of(q->w, t->nodes[to]);
    const int step = (t->corners[to] - t->corners[from]) & 3;
    if (step == 2) { /* a diagonal: the other side is in this quad */
        for (int i = 0; i < q->triangles; i++) {
            int common = 0;
            if (&q->triangle[i] == t) continue;
            for (int k = 0; k < 3; k++)
                common += q->triangle[i].nodes[k] == t->nodes[from] || q->triangle[i].nodes[k] == t->nodes[to];
            if (common == 2) return true;
        }
        return false;
    }
    for (int d = 0; d < RN_AROUND; d++) {
        if (a->members[d] == RN_NO_MEMBER) continue;
        const int32_t cell = a->cell + rn_links_step(l, d);
        const int side_x = rn_around_x[d], side_y = rn_around_y[d];
        const int ex = corner_x[t->corners[to]] - corner_x[t->corners[from]];
        const int ey = corner_y[t->corners[to]] - corner_y[t->corners[from]];
        if (ex * side_y - ey * side_x >= 0) continue; /* corners run with the surface on their left */
        for (int k = 0; k < RN_AROUND; k++)
            if (b->members[k] == a->members[d] && b->cell + rn_links_step(l, k) == cell) return true;
    }
    return false;
}

/* Where triangles are written: from `at` to `end`; beyond that they are only counted. */
typedef struct output {
    uint32_t *indices;
    uint32_t at, end;
    bool first; /* they are found for the first time: sheets are recorded */
} output;

/* Writes a triangle if there is room, and counts it in any case. */
static inline void emit(output *out, uint32_t a, uint32_t b, uint32_t c) {
    if (out->at < out->end) {
        uint32_t *to = out->indices + 3 * (size_t)out->at;
        to[0] = a;
        to[1] = b;
        to[2] = c;
    }
    out->at++;
}

/* Records at the lips of a quad the sheets that hang between them; only when triangles are found for the first time,
   and unless sheets are off. Rows may find sheets of the same lip at the same time; their number does not depend on the
   order, and only lips with at most one sheet on each side are drawn (sheets.c). */
static void note_sheets(const quad *q, const output *out) {
    const rn_surface_state *w = q->w;
    for (int i = 0; i < q->triangles && out->first && !w->def->no_sheets; i++) {
        const triangle *t = &q->triangle[i];
        bool hangs[3];
        for (int k = 0; k < 3; k++) {
            const node from = t->nodes[k], to = t->nodes[(k + 1) % 3];
            hangs[k] = lip_of(w, from) && lip_of(w, to) && !has_surface_beyond(q, t, k, (k + 1) % 3);
            if (!hangs[k]) continue;
            rn_extra_vertex *a = &w->extras[-2 - from], *b = &w->extras[-2 - to];
            __atomic_store_n(&a->to, (uint32_t)(b - w->extras), __ATOMIC_RELAXED);
            __atomic_fetch_add(&a->leaving, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&b->coming, 1, __ATOMIC_RELAXED);
        }
        for (int k = 0; k < 3; k++)
            if (hangs[k] && hangs[(k + 1) % 3])
                __atomic_store_n(&w->extras[-2 - t->nodes[(k + 1) % 3]].corner, 1, __ATOMIC_RELAXED);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* Finds and writes the triangles of any quad, for any number of layers, and records its sheets; q->w, y and x must be
   set. */
static void do_quad(quad *q, output *out) {
    find_seeds(q);
    find_groups(q);
    for (int i = 0; i < q->triangles; i++) {
        const triangle *t = &q->triangle[i];
        emit(out, vertex_of(q->w, t->nodes[0]), vertex_of(q->w, t->nodes[1]), vertex_of(q->w, t->nodes[2]));
    }
    note_sheets(q, out);
}

/* A quad with a single group of four and nothing else. */
typedef struct edge {
    node nodes[CORNERS];
    unsigned wet; /* corners, as bits */
    bool falls;   /* some node is the lip of a falling sheet */
} edge;

/* Sets the nodes to the corners in one layer. Returns true if all wet ones among them are joined with that layer at all
   corners. */
static bool find_plain_edge(const rn_links *t, int32_t slot, int layer, edge *e) {
    static const uint64_t sides[CORNERS] = {UINT64_C(0xffffff), UINT64_C(0xffffff0000), UINT64_C(0xffffff00000000),
                                            UINT64_C(0xffff0000000000ff)}; /* of links: corner_way as masks */
    const uint64_t same = UINT64_C(0x0101010101010101) * (uint64_t)(RN_LINK_JOIN | layer);
    uint64_t other = 0;
    e->nodes[0] = slot;
    e->nodes[1] = slot + 1;
    e->nodes[2] = slot + t->stride + 1;
    e->nodes[3] = slot + t->stride;
    for (int b = 0; b < CORNERS; b++) other |= e->wet >> b & 1 ? (t->links[e->nodes[b]] ^ same) & sides[b] : 0;
    return other == 0;
}

/* Finds the nodes of a quad whose wet columns of one layer (e->wet) see something at every corner, see no other wet
   column, and agree: most of the liquid's edge. Sets e->falls. Returns false if the quad is not that simple. */
static bool find_edge(const rn_surface_state *w, int32_t slot, int layer, edge *e) {
    e->falls = false;
    if (find_plain_edge(&w->t, slot, layer, e)) return true;
    const node own[CORNERS] = {e->nodes[0], e->nodes[1], e->nodes[2], e->nodes[3]};
    const int a = __builtin_ctz(e->wet);
    for (int b = 0; b < CORNERS; b++) {
        const node n = e->nodes[b] = b == a ? own[a] : look(w, own[a], layer, corner_way[a][b]);
        if (n == NOTHING || (n != own[b] && is_wet_node(w, n))) return false;
        e->falls |= lip_of(w, n) != NULL;
    }
    for (int b = a + 1; b < CORNERS; b++) {
        if (!(e->wet >> b & 1)) continue;
        for (int c = 0; c < CORNERS; c++)
            if ((c == b ? own[b] : look(w, own[b], layer, corner_way[b][c])) != e->nodes[c]) return false;
    }
    return true;
}

/* Writes the two triangles of a simple edge, except those that are empty or too thin, and records its sheets.
   Overwrites q->triangle. */
static void do_edge(quad *q, const edge *e, output *out) {
    const rn_surface_state *w = q->w;
    uint32_t v[CORNERS];
    const float *at[CORNERS];
    for (int k = 0; k < CORNERS; k++) {
        v[k] = vertex_of(w, e->nodes[k]);
        at[k] = &w->mesh->positions[3 * (size_t)v[k]];
    }
    const float area[2][2] = {{rn_area_above(at[0], at[1], at[2]), rn_area_above(at[0], at[2], at[3])},
                              {rn_area_above(at[1], at[2], at[3]), rn_area_above(at[1], at[3], at[0])}};
    const int8_t first = prefers_first(w, at, e->wet, area) ? 0 : 1;
    q->triangles = 0;
    for (int8_t k = 1; k < 3; k++) {
        const int8_t second = (int8_t)(first + k), third = (int8_t)((first + k + 1) & 3);
        if (area[first][k - 1] < rn_least_area(w)) continue;
        if (e->wet != 15 && is_empty(w, e->nodes[first], e->nodes[second], e->nodes[third])) continue;
        emit(out, v[first], v[second], v[third]);
        if (e->falls)
            q->triangle[q->triangles++] = (triangle){.nodes = {e->nodes[first], e->nodes[second], e->nodes[third]},
                                                     .corners = {first, second, third}};
    }
    note_sheets(q, out);
}

/* Writes a run of `count` quads from `slot` on whose columns are all of one layer and inside the liquid, as triangle
   `at` and those after it: only the diagonals must be chosen, and vertices are consecutive. Writes nothing without room
   for all of them. */
static void do_plain(const rn_surface_state *w, int32_t slot, int count, uint32_t at, const output *out) {
    const float *restrict low = w->z + slot, *restrict high = low + w->t.stride;
    const uint32_t below = w->index[slot], above = w->index[slot + w->t.stride];
    uint32_t *restrict to = out->indices + 3 * (size_t)at;
    if (at + 2 * (uint32_t)count > out->end) return;
    /* If the other diagonal is higher, every corner moves to the next, counter-clockwise. */
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const uint32_t a = below + (uint32_t)i, d = above + (uint32_t)i,
                       turn = low[i] + high[i + 1] < low[i + 1] + high[i];
        const uint32_t from = a + turn, across = d + 1 - turn, third = a + 1, fourth = d, wide = d + 1 - third;
        to[6 * i] = from;
        to[6 * i + 1] = third + turn * wide;
        to[6 * i + 2] = across;
        to[6 * i + 3] = from;
        to[6 * i + 4] = across;
        to[6 * i + 5] = fourth - turn * (d - a);
    }
}

/* Word i of a row shifted by one cell: bit x says whether cell x + 1 is in the set. */
static uint64_t shifted(const uint64_t *row, int words, int i) {
    return row[i] >> 1 | (i + 1 < words ? row[i + 1] << 63 : 0);
}

/* The corners of the quad at `bit` of word i whose columns in a layer are in a set, as bits. */
static unsigned corners_in(const rn_links *t, const uint64_t *set, int layer, int y, int i, int bit) {
    const uint64_t *a = rn_links_row(t, set, layer, y), *b = rn_links_row(t, set, layer, y + 1);
    const uint64_t low = bit < 63 ? a[i] >> bit : a[i] >> 63 | (i + 1 < t->words ? a[i + 1] << 1 : 0);
    const uint64_t high = bit < 63 ? b[i] >> bit : b[i] >> 63 | (i + 1 < t->words ? b[i + 1] << 1 : 0);
    return (unsigned)(low & 3) | (unsigned)(high & 2) << 1 | (unsigned)(high & 1) << 3;
}

/* Whether two groups have the same node at some corner. */
static bool share_nodes(const node *a, const node *b) {
    return (a[0] == b[0]) | (a[1] == b[1]) | (a[2] == b[2]) | (a[3] == b[3]);
}

/* Writes the triangles of a quad with some wet corner: `bit` in word i of the row. Layers without common nodes are
   done one by one; otherwise do_quad does all. */
static void do_any(quad *q, int i, int bit, output *out) {
    enum { MOST = 8 };
    const rn_surface_state *w = q->w;
    const rn_links *t = &w->t;
    edge edges[MOST];
    int count = 0;
    q->x = 64 * i + bit - 1;
    const bool cut = w->def->no_edges && (is_outside(w, q->y, q->x) || is_outside(w, q->y + 1, q->x + 1));
    RN_EACH_LAYER (l, t->wet_layers[q->y + 1] | t->wet_layers[q->y + 2]) {
        const unsigned wet = corners_in(t, t->wet, l, q->y, i, bit);
        if (!wet) continue;
        bool simple = count < MOST && !cut;
        if (simple) {
            edges[count].wet = wet;
            simple = find_edge(w, rn_links_slot(t, l, q->y, q->x), l, &edges[count]);
        }
        for (int k = 0; k < count && simple; k++) simple = !share_nodes(edges[k].nodes, edges[count].nodes);
        if (!simple) {
            do_quad(q, out);
            return;
        }
        count++;
    }
    for (int k = 0; k < count; k++) do_edge(q, &edges[k], out);
}

/* The quads of word i with at least one wet corner in this layer, as bits; *plain: those whose corners are all inside
   the liquid. */
static uint64_t some_wet(const rn_links *t, int layer, int y, int i, uint64_t *plain) {
    const uint64_t *a = rn_links_row(t, t->wet, layer, y), *b = rn_links_row(t, t->wet, layer, y + 1);
    const uint64_t *c = rn_links_row(t, t->interior, layer, y), *d = rn_links_row(t, t->interior, layer, y + 1);
    *plain = c[i] & d[i] & shifted(c, t->words, i) & shifted(d, t->words, i);
    return a[i] | b[i] | shifted(a, t->words, i) | shifted(b, t->words, i);
}

/* Writes the triangles of the quads at the set bits of word i, and moves out->at by their number. On a GPU lanes share
   the quads: they find the numbers of triangles first, and write them when triangles are found again. */
static void do_slow(quad *q, int i, uint64_t slow, output *out) {
#if defined(RN_GPU)
    RN_EACH_PLACE (bit, slow, has) {
        uint16_t *count = &q->w->quads[(q->y + 1) * q->w->t.stride + 64 * i + bit];
        uint32_t all;
        output own = *out;
        if (out->first) {
            own.at = own.end = 0;
            if (has) do_any(q, i, bit, &own);
            if (has) *count = (uint16_t)own.at;
            rn_count_before(own.at, &all);
        } else {
            own.at += rn_count_before(has ? *count : 0, &all);
            if (has && *count) do_any(q, i, bit, &own);
        }
        out->at += all;
    }
#else
    RN_EACH_BIT (bit, slow) do_any(q, i, bit, out);
#endif
}

/* Writes the triangles of the quads between rows y and y + 1 of cells, from -1 on, and moves out->at by their
   number. */
static void do_row(const rn_surface_state *w, int y, int worker, output *out) {
    const rn_links *t = &w->t;
    quad q;
    q.w = w;
    q.y = y;
    RN_EACH_WORD (i, t->words, worker) {
        uint64_t slow = 0, plain;
        RN_EACH_LAYER (l, t->wet_layers[y + 1] | t->wet_layers[y + 2]) {
            const uint64_t wet = some_wet(t, l, y, i, &plain);
            slow |= wet & ~plain;
        }
        RN_EACH_LAYER (l, t->wet_layers[y + 1] | t->wet_layers[y + 2]) {
            plain = ~slow & rn_links_row(t, t->wet, l, y)[i];
            RN_EACH_RUN (bit, count, plain) {
                const uint32_t before = 2 * (uint32_t)__builtin_popcountll(plain & ((UINT64_C(1) << bit) - 1));
                do_plain(w, rn_links_slot(t, l, y, 64 * i + bit - 1), count, out->at + before, out);
            }
            out->at += 2 * (uint32_t)__builtin_popcountll(plain);
        }
        do_slow(&q, i, slow, out);
    }
}

/* Estimates the triangles of rows: two for a layer of a quad, and more at walls and falls. */
void rn_triangles_expect(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    uint64_t plain;
    (void)worker;
    for (int y = begin - 1; y < end - 1; y++) {
        const uint64_t *a = rn_links_row(t, w->pouring, 0, y), *b = rn_links_row(t, w->pouring, 0, y + 1);
        uint32_t count = 0;
        for (int i = 0; i < t->words; i++) {
            const uint64_t walled = a[i] | b[i] | shifted(a, t->words, i) | shifted(b, t->words, i);
            count += 2 * (uint32_t)__builtin_popcountll(walled);
            RN_EACH_LAYER (l, t->wet_layers[y + 1] | t->wet_layers[y + 2])
                count += 2 * (uint32_t)__builtin_popcountll(some_wet(t, l, y, i, &plain));
        }
        w->row_triangles[y + 1] = count;
    }
}

void rn_triangles_find(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    for (int y = begin - 1; y < end - 1; y++) {
        output out = {.indices = w->mesh->indices, .first = true};
        RN_ALONE {
            out.at = w->row_triangles[y + 1];
            if (w->row_triangles[w->t.ny + 1] <= w->mesh->triangle_capacity) out.end = w->row_triangles[y + 2];
        }
        const uint32_t from = out.at;
        do_row(w, y, worker, &out);
        RN_ONE_LANE w->row_found[rn_part(w, y, worker)] = out.at - from;
    }
}

void rn_triangles_fill(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    for (int y = begin - 1; y < end - 1; y++) {
        output out = {
            .indices = w->mesh->indices, .at = w->row_found[rn_part(w, y, worker)], .end = w->mesh->triangle_capacity};
        do_row(w, y, worker, &out);
    }
}

bool rn_triangles_close_up(const rn_surface_state *w) {
    const int rows = w->t.ny + 1;
    if (w->row_triangles[rows] > w->mesh->triangle_capacity) return false;
    for (int i = 0; i < rows; i++)
        if (w->row_found[i] > w->row_triangles[i + 1] - w->row_triangles[i]) return false;
    size_t at = 0;
    for (int i = 0; i < rows; i++) {
        const size_t size = 3 * sizeof(uint32_t);
        memmove(w->mesh->indices + 3 * at, w->mesh->indices + 3 * (size_t)w->row_triangles[i], w->row_found[i] * size);
        at += w->row_found[i];
    }
    return true;
}
