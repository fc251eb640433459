/* Falling sheets: the triangles that hang from the lips of ledges.

   Interface and order of calls (surface/surface.h): rn_triangles_find has recorded at each lip to which other lips
   sheets lead. Once all triangles of the surface are written, build.c calls rn_sheets_find, which shapes the lips and
   counts them. build.c then chooses how many rows of vertices there is room for, and calls rn_sheets_fill. All of it
   is done by one thread: there are few lips.

   1. Lips with at most one sheet on each side are linked into chains. A chain is cut where one foot lies far below
      the next: one lands on a ledge, the other passes it.
   2. The lips of a chain are smoothed, because they follow the cells. They move by at most SMOOTHED cells, and less
      where a triangle of the surface would turn over.
   3. A sheet leaves its lip with the speed of the liquid and falls freely: x = u t, z = -g t^2/2. It gathers into
      strands, so it is thinner only by the root of how much faster it is. x is bounded, because the solver lets
      liquid fall into the cell beside the ledge.
   4. A free side of a sheet draws in at the speed sqrt(2 T/h), with the surface tension over the density T and the
      thickness h (Taylor 1959, Culick 1960), along the chain. What it sweeps up makes the sheet thicker there. */
#include "surface/vertex.h"

#define SMOOTHED 0.4f  /* cells */
#define CORNER   2e-3f /* square cells, twice the least area of a triangle between lips */
#define LEAN     1.0f  /* cells, bound of the distance that a sheet flies */
#define LEAVING  8.0f  /* cells, the same beyond an open edge of the domain */
#define NARROW   0.8f  /* cells that the side of a sheet draws in at most, if nothing tells the surface tension */
#define GATHERED 0.7f  /* of half the width of a sheet that its side draws in at most */
#define ROUND    2.0f  /* cells from a free side of a sheet within which it is thinner */
#define SWEPT    3.0f  /* times as wide as it has drawn in is the side that is drawn in with it */

enum { PASSES = 8 };    /* of smoothing */
enum { NARROWEST = 2 }; /* cells: falls that are at most so wide are jets, if jets are wanted */

/* ---- Chains ----------------------------------------------------------------------------------------------------- */

/* Whether a sheet hangs from this lip to the next: each has at most one sheet on each side. */
static bool has_sheet(const rn_surface_state *w, const rn_extra_vertex *e) {
    return e->falls && e->leaving == 1 && e->coming <= 1 && w->extras[e->to].coming == 1 &&
           w->extras[e->to].leaving <= 1;
}

/* Loops over extra vertices, from the first: on a GPU all lanes share them, and `meet` is a barrier of all. ALONE: what
   has an order is done by one lane. */
#if defined(RN_GPU)
#define EACH_EXTRA(i, count)                                                                                           \
    for (uint32_t i = rn_surface_own(), i##_step = rn_surface_all(); i < (count); i += i##_step)
#define ALONE if (rn_surface_own() == 0)
static void meet(void) { rn_surface_meet(); }
static bool begin_alone(uint32_t items) { return rn_surface_begin_alone(items); }
static void end_alone(void) { rn_surface_end_alone(); }
#else
#define EACH_EXTRA(i, count) for (uint32_t i = 0; i < (count); i++)
#define ALONE
static void meet(void) {}
static bool begin_alone(uint32_t items) { return (void)items, true; }
static void end_alone(void) {}
#endif

/* Whether a lip belongs to a sheet. */
static bool is_lip(const rn_extra_vertex *e) { return e->ahead || e->behind; }

/* The number of extra vertices that may be lips of sheets. */
static uint32_t extras_of(const rn_surface_state *w) {
    return w->def->no_sheets ? 0 : rn_extras_before(w, w->t.ny + 1);
}

/* The height (m above the datum) of the floor on which a closed mesh of the ground stands (world/ground_mesh.c). */
static float floor_below(const rn_surface_state *w) {
    const float longer = (float)(w->t.nx > w->t.ny ? w->t.nx : w->t.ny);
    return -w->t.cell * rn_larger(2.0f, 0.03f * longer);
}

/* The height (m above the datum) of what is below a lip: the surface of the column that its first member falls into,
   the floor outside the domain, or 0 over a hole. */
static float height_below(const rn_surface_state *w, const rn_extra_vertex *e) {
    const rn_links *t = &w->t;
    int first = 0;
    while (e->members[first] == RN_NO_MEMBER) first++;
    const int32_t from = e->cell + rn_links_step(t, first) + e->members[first] * t->layer_stride;
    const int into = rn_link_of(t->links[from], (first + 4) & 7) & RN_LINK_LAYER;
    if (into == RN_LINK_NOWHERE) return e->leaves ? floor_below(w) : 0.0f;
    const int y = e->cell / t->stride - 1, x = e->cell % t->stride - 1; /* outside the domain: as inside */
    const int32_t slot = rn_links_slot(t, into,
                                       y < 0        ? 0
                                       : y >= t->ny ? t->ny - 1
                                                    : y,
                                       x < 0        ? 0
                                       : x >= t->nx ? t->nx - 1
                                                    : x);
    return rn_is_wet(w, slot) ? w->z[slot] : t->level[slot];
}

/* Whether the feet of two lips are at such different heights that no sheet spans them. */
static bool is_cut(const rn_surface_state *w, const rn_extra_vertex *a, const rn_extra_vertex *b) {
    const float apart = fabsf(a->foot - b->foot), least = fminf(a->at[2] - a->foot, b->at[2] - b->foot);
    return apart > fmaxf(2.0f * w->t.cell, 0.35f * least);
}

/* Finds the feet of all lips of falls, and links the lips of sheets with each other, except where the sheet is cut. */
static void link_lips(const rn_surface_state *w) {
    const uint32_t extras = extras_of(w);
    EACH_EXTRA (i, extras) {
        rn_extra_vertex *e = &w->extras[i];
        if (e->falls) e->foot = fminf(height_below(w, e), e->at[2] - 0.02f * w->t.cell);
    }
    meet();
    EACH_EXTRA (i, extras) {
        rn_extra_vertex *e = &w->extras[i], *to = &w->extras[e->to];
        if (!has_sheet(w, e) || is_cut(w, e, to)) continue;
        e->ahead = to;
        to->behind = e;
    }
    meet();
}

#if defined(RN_GPU)

bool rn_sheets_any(const rn_surface_state *w) {
    const uint32_t extras = extras_of(w);
    if (!extras) return false;
    EACH_EXTRA (i, extras) w->ranks[i] = w->extras[i].falls;
    meet();
    return rn_surface_sum(w, w->ranks, (int)extras) > 0;
}

/* Numbers all lips of sheets, or those with a sheet towards the next, in w->ranks. Returns how many there are. */
static uint32_t rank_lips(const rn_surface_state *w, bool ahead) {
    const uint32_t extras = extras_of(w);
    meet();
    EACH_EXTRA (i, extras) w->ranks[i] = ahead ? w->extras[i].ahead != NULL : is_lip(&w->extras[i]);
    meet();
    return (uint32_t)rn_surface_sum(w, w->ranks, (int)extras);
}

#endif

/* ---- Shape ------------------------------------------------------------------------------------------------------ */

/* Sets e->next to the position of a lip midway between its own and the mean of its neighbours', at most SMOOTHED cells
   away, along x and y, from where the lip was placed, and at a height between those that it and its neighbours had at
   first; at the ends of a chain, to its own. */
static void smooth_lip(const rn_surface_state *w, rn_extra_vertex *e) {
    const float *own = w->mesh->positions + 3 * (size_t)e->vertex;
    memcpy(e->next, own, sizeof e->next);
    if (!e->ahead || !e->behind) return;
    const float *before = w->mesh->positions + 3 * (size_t)e->behind->vertex;
    const float *after = w->mesh->positions + 3 * (size_t)e->ahead->vertex;
    for (int k = 0; k < 3; k++) e->next[k] = 0.5f * own[k] + 0.25f * (before[k] + after[k]);
    const float datum = w->columns->datum, a = e->behind->at[2], b = e->at[2], c = e->ahead->at[2];
    e->next[2] = rn_larger(e->next[2], rn_smaller(a, rn_smaller(b, c)) + datum);
    e->next[2] = rn_smaller(e->next[2], rn_larger(a, rn_larger(b, c)) + datum);
    const float placed[2] = {e->at[0] + w->columns->origin_x, e->at[1] + w->columns->origin_y};
    const float x = e->next[0] - placed[0], y = e->next[1] - placed[1], far = sqrtf(x * x + y * y);
    const float share = far > SMOOTHED * w->t.cell ? SMOOTHED * w->t.cell / far : 1.0f;
    e->next[0] = placed[0] + share * x;
    e->next[1] = placed[1] + share * y;
}

/* Moves a lip outwards so far that the triangle of the surface between it and the lips beside it, if there is one,
   keeps an area of CORNER / 2 square cells. */
static void keep_corner(const rn_surface_state *w, const rn_extra_vertex *e) {
    if (!e->corner || !e->ahead || !e->behind) return;
    float *own = w->mesh->positions + 3 * (size_t)e->vertex;
    const float *a = w->mesh->positions + 3 * (size_t)e->behind->vertex;
    const float *c = w->mesh->positions + 3 * (size_t)e->ahead->vertex;
    const float x = c[0] - a[0], y = c[1] - a[1], square = x * x + y * y;
    const float area = (own[0] - a[0]) * y - (own[1] - a[1]) * x, least = CORNER * w->t.cell * w->t.cell;
    if (area >= least || !(square > 0.0f)) return;
    own[0] += (least - area) / square * y;
    own[1] -= (least - area) / square * x;
}

#if defined(RN_GPU)

/* Whether a triangle of the surface must be mended. */
static bool is_flat(const rn_surface_state *w, uint32_t triangle) {
    const uint32_t *corners = w->mesh->indices + 3 * (size_t)triangle;
    const float *at = w->mesh->positions;
    return rn_area_above(at + 3 * (size_t)corners[0], at + 3 * (size_t)corners[1], at + 3 * (size_t)corners[2]) <
           rn_least_area(w);
}

#endif

/* The extra vertex numbered `vertex` of cell row y if it is a lip, else NULL. */
static rn_extra_vertex *lip_in_row(const rn_surface_state *w, int y, uint32_t vertex) {
    const uint32_t first = rn_extras_before(w, y), count = rn_extras_before(w, y + 1) - first;
    if (!count || vertex < w->extras[first].vertex || vertex - w->extras[first].vertex >= count) return NULL;
    rn_extra_vertex *e = &w->extras[first + (vertex - w->extras[first].vertex)];
    return is_lip(e) ? e : NULL;
}

/* Moves a lip back by a share of its way from where it was placed. Returns false if it is there already. */
static bool pull_back(const rn_surface_state *w, const rn_extra_vertex *e, float share) {
    float *own = w->mesh->positions + 3 * (size_t)e->vertex;
    const float x = e->at[0] + w->columns->origin_x, y = e->at[1] + w->columns->origin_y;
    if (own[0] == x && own[1] == y) return false;
    own[0] = share < 1.0f ? own[0] + share * (x - own[0]) : x;
    own[1] = share < 1.0f ? own[1] + share * (y - own[1]) : y;
    return true;
}

/* Pulls back the lips of triangles between rows y and y + 1 of cells that smoothing has turned over or flattened.
   Returns true if a lip was moved. */
static bool mend_row(const rn_surface_state *w, int y, float share) {
    bool mended = false;
    for (uint32_t i = w->row_found[(y + 1) * w->parts]; i < w->row_found[(y + 2) * w->parts]; i++) {
        const uint32_t *corners = w->mesh->indices + 3 * (size_t)i;
        const float *at = w->mesh->positions;
        if (rn_area_above(at + 3 * (size_t)corners[0], at + 3 * (size_t)corners[1], at + 3 * (size_t)corners[2]) >=
            rn_least_area(w))
            continue;
        for (int k = 0; k < 6; k++) {
            const rn_extra_vertex *e = lip_in_row(w, y + k / 3, corners[k % 3]);
            if (e) mended |= pull_back(w, e, share);
        }
    }
    return mended;
}

/* Whether some triangle of the surface has to be mended; on a GPU lanes look for such, elsewhere the answer is true. */
static bool must_mend(const rn_surface_state *w) {
#if defined(RN_GPU)
    const uint32_t triangles = w->row_found[(size_t)(w->t.ny + 1) * (size_t)w->parts];
    EACH_EXTRA (i, triangles)
        if (is_flat(w, i)) rn_surface_note(w->round);
    meet();
    return rn_surface_next_round((rn_surface_state *)w);
#else
    (void)w;
    return true;
#endif
}

/* Undoes the smoothing of lips where it has turned over triangles of the surface: first by halves, then all of it. */
static void mend_surface(const rn_surface_state *w) {
    bool mended = true;
    for (int pass = 0; mended; pass++) {
        mended = false;
        for (int y = -1; y < w->t.ny; y++)
            if (rn_extras_before(w, y + 2) > rn_extras_before(w, y)) mended |= mend_row(w, y, pass < 3 ? 0.5f : 1.0f);
    }
}

/* Smooths the lips of all chains in PASSES passes, each from the positions before it; then moves lips outwards again
   where corners of the surface have become too small (keep_corner). */
static void smooth_lips(const rn_surface_state *w) {
    const uint32_t extras = extras_of(w);
    for (int pass = 0; pass < PASSES; pass++) {
        EACH_EXTRA (i, extras)
            if (is_lip(&w->extras[i])) smooth_lip(w, &w->extras[i]);
        meet();
        EACH_EXTRA (i, extras) {
            const rn_extra_vertex *e = &w->extras[i];
            if (is_lip(e)) memcpy(w->mesh->positions + 3 * (size_t)e->vertex, e->next, sizeof e->next);
        }
        meet();
    }
    ALONE {
        for (int pass = 0; pass < 3; pass++)
            for (uint32_t i = 0; i < extras; i++) keep_corner(w, &w->extras[i]);
    }
    meet();
}

/* Sets the direction away from the ledge: across the chain, which has the surface on its left; if the lips beside
   coincide, away from the members. */
static void face_out(const rn_surface_state *w, rn_extra_vertex *e) {
    const float *from = w->mesh->positions + 3 * (size_t)(e->behind ? e->behind : e)->vertex;
    const float *to = w->mesh->positions + 3 * (size_t)(e->ahead ? e->ahead : e)->vertex;
    float x = to[1] - from[1], y = from[0] - to[0];
    if (x * x + y * y < 1e-4f * w->t.cell * w->t.cell)
        for (int d = 0; d < RN_AROUND; d++) {
            if (e->members[d] == RN_NO_MEMBER) continue;
            x -= (float)rn_around_x[d] * w->t.cell;
            y -= (float)rn_around_y[d] * w->t.cell;
        }
    const float size = sqrtf(x * x + y * y);
    e->out[0] = size > 0.0f ? x / size : 1.0f;
    e->out[1] = size > 0.0f ? y / size : 0.0f;
}

/* Whether the sheet does not end at this lip, but the domain does. */
static bool is_at_edge(const rn_surface_state *w, const rn_extra_vertex *e) {
    if (e->leaves) return false;
    const int y = e->cell / w->t.stride - 1, x = e->cell % w->t.stride - 1;
    return x < 0 || y < 0 || x >= w->t.nx || y >= w->t.ny;
}

/* The distance (m) of two lips, seen from above. */
static float apart(const rn_surface_state *w, const rn_extra_vertex *a, const rn_extra_vertex *b) {
    const float *from = w->mesh->positions + 3 * (size_t)a->vertex, *to = w->mesh->positions + 3 * (size_t)b->vertex;
    const float x = to[0] - from[0], y = to[1] - from[1];
    return sqrtf(x * x + y * y);
}

/* ---- Jets ------------------------------------------------------------------------------------------------------- */

/* Bends the normal at the lip, if the mesh has normals, outwards, so that the surface seems to turn round the brink. */
static void round_brink(const rn_surface_state *w, const rn_extra_vertex *e) {
    if (!w->mesh->normals) return;
    float *n = w->mesh->normals + 3 * (size_t)e->vertex;
    n[0] += 0.7f * e->out[0];
    n[1] += 0.7f * e->out[1];
    const float size = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3 && size > 0.0f; k++) n[k] /= size;
}

/* What falls over the lips of a chain, or of a part of it. */
typedef struct overflow {
    int cells;
    float flow;     /* m^3/s */
    float momentum; /* m^4/s^2, flow times speed */
} overflow;

/* Adds what falls over a lip: the speed is at least half of the wave speed, as in fill_lip. With contact angles, a
   brink may hold liquid back or let it through drop by drop: then it is no more than twice the speed of the liquid
   behind it. */
static void add_lip(const rn_surface_state *w, const rn_extra_vertex *e, overflow *sum) {
    const rn_links *t = &w->t;
    const float *u = w->mesh->velocities ? w->mesh->velocities + 3 * (size_t)e->vertex : NULL;
    const float gravity = w->columns->gravity > 0.0f ? w->columns->gravity : 9.81f;
    for (int d = 0; d < RN_AROUND; d += 2) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        const int32_t slot = e->cell + rn_links_step(t, d) + e->members[d] * t->layer_stride;
        const float depth = t->level[slot] - t->base[slot];
        const float away = u ? -(u[0] * (float)rn_around_x[d] + u[1] * (float)rn_around_y[d]) : 0.0f;
        const float wave = 0.5f * sqrtf(gravity * depth), held = u ? 2.0f * sqrtf(u[0] * u[0] + u[1] * u[1]) : 0.0f;
        const float speed = rn_larger(away, u && w->per_foot > 0.0f ? rn_smaller(wave, held) : wave);
        sum->cells++;
        sum->flow += speed * depth * t->cell;
        sum->momentum += speed * speed * depth * t->cell;
    }
}

/* The number of jets that a chain falls as; 0: it falls as a sheet. Narrow chains are one jet. Wide ones fall as a
   sheet if their momentum opens it against surface tension (Weber number above 1); otherwise liquid gathers into jets
   as far apart as drops under a ceiling (Rayleigh and Taylor: 2 pi sqrt(2) capillary lengths). */
static int count_jets(const rn_surface_state *w, const overflow *o) {
    const float gravity = w->columns->gravity > 0.0f ? w->columns->gravity : 9.81f, wide = (float)o->cells * w->t.cell;
    if (o->cells <= NARROWEST) return 1;
    if (!(o->momentum < w->def->jets->tension * wide)) return 0;
    return 1 + (int)rn_smaller(wide / (8.9f * sqrtf(w->def->jets->tension / gravity)), (float)o->cells);
}

/* Lowers a lip without a sheet to the ground of the columns beside it, where the liquid ends, and turns its normal
   outwards. */
static void lower_lip(const rn_surface_state *w, rn_extra_vertex *e) {
    const rn_links *t = &w->t;
    float sum = 0.0f;
    int count = 0;
    for (int d = 0; d < RN_AROUND; d++) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        sum += t->base[e->cell + rn_links_step(t, d) + e->members[d] * t->layer_stride];
        count++;
    }
    face_out(w, e);
    round_brink(w, e);
    w->mesh->positions[3 * (size_t)e->vertex + 2] = sum / (float)count + w->columns->datum;
    if (w->mesh->opacity) w->mesh->opacity[e->vertex] = 0.0f;
}

/* The flow (m^3/s) that the first `count` of all jets of a chain have together: not quite equal shares, always the same
   ones for the same cell. */
static float flow_of_first(const overflow *all, int count, int jets, int32_t cell) {
    if (count <= 0 || count >= jets) return count <= 0 ? 0.0f : all->flow;
    const uint32_t random = ((uint32_t)cell * 747796405u + (uint32_t)count * 2891336453u) >> 22;
    return ((float)count + 0.5f * ((float)random / 1024.0f - 0.5f)) * all->flow / (float)jets;
}

/* Takes a chain apart that begins with this lip and falls as so many jets: marks the lips in the middle of their parts,
   and lowers all lips. */
static void part_chain(const rn_surface_state *w, rn_extra_vertex *first, const overflow *all, int jets) {
    overflow part = {0};
    float passed = 0.0f;
    int made = 0;
    rn_extra_vertex *middle = NULL;
    for (rn_extra_vertex *e = first, *next; e; e = next) {
        const float begin = flow_of_first(all, made, jets, first->cell);
        const float end = flow_of_first(all, made + 1, jets, first->cell);
        const int cells = part.cells;
        next = e->ahead;
        e->ahead = e->behind = NULL;
        passed -= part.flow;
        add_lip(w, e, &part);
        passed += part.flow;
        if (part.cells > cells && !middle && passed >= 0.5f * (begin + end)) middle = e;
        if (middle && (!next || passed >= end)) {
            middle->strand = part.cells;
            middle->flow = part.flow;
            part = (overflow){0};
            middle = NULL;
            made++;
        }
        lower_lip(w, e);
    }
}

/* Takes the chain that begins with this lip apart if it falls as jets. */
static void make_strands(const rn_surface_state *w, rn_extra_vertex *first) {
    overflow all = {0};
    for (const rn_extra_vertex *e = first; e; e = e->ahead) add_lip(w, e, &all);
    const int jets = count_jets(w, &all);
    if (jets) part_chain(w, first, &all, jets);
}

/* Marks the starts of jets, if jets are wanted: in chains, and at lips of falls that belong to no chain. Rings have no
   beginning and stay sheets. */
static void find_strands(const rn_surface_state *w) {
    const uint32_t extras = w->def->jets ? extras_of(w) : 0;
    for (uint32_t i = 0; i < extras; i++)
        w->extras[i].first = w->extras[i].falls && !w->extras[i].held && !w->extras[i].behind;
    for (uint32_t i = 0; i < extras; i++)
        if (w->extras[i].first) make_strands(w, &w->extras[i]);
}

/* Measures the chain that begins with this lip. */
static void measure_chain(const rn_surface_state *w, rn_extra_vertex *first) {
    overflow sum = {0};
    rn_extra_vertex *last = first;
    first->along = 0.0f;
    for (rn_extra_vertex *e = first; e; last = e, e = e->ahead) {
        e->chain = first;
        if (e->behind) e->along = e->behind->along + apart(w, e->behind, e);
        add_lip(w, e, &sum);
    }
    const rn_extra_vertex *ends[2] = {first, last};
    for (int k = 0; k < 2; k++) first->free[k] = !is_at_edge(w, ends[k]);
    first->length = last->along;
    first->start = sum.flow > 0.0f ? sum.momentum / sum.flow : 0.0f;
    first->flow_along = sum.flow / ((float)(sum.cells > 0 ? sum.cells : 1) * w->t.cell);
}

void rn_sheets_find(const rn_surface_state *w, uint32_t *lips, uint32_t *strips) {
    const uint32_t extras = extras_of(w);
    *lips = *strips = 0;
    if (!extras) return;
    link_lips(w);
#if defined(RN_GPU)
    *lips = rank_lips(w, false);
    *strips = rank_lips(w, true);
    if (!*lips) return;
#endif
    if (begin_alone(extras)) smooth_lips(w);
    end_alone();
    if (must_mend(w)) {
        ALONE mend_surface(w);
    }
    meet();
    RN_ALONE find_strands(w);
    EACH_EXTRA (i, extras) {
        rn_extra_vertex *e = &w->extras[i];
        if (!is_lip(e)) continue;
        face_out(w, e);
        RN_ALONE {
            (*lips)++;
            *strips += e->ahead ? 1 : 0;
        }
    }
    EACH_EXTRA (i, extras)
        if (w->extras[i].ahead && !w->extras[i].behind) measure_chain(w, &w->extras[i]);
    meet();
}

/* ---- Free sides ------------------------------------------------------------------------------------------------- */

/* How far (m) the free sides of a chain draw in within a time (s) of falling: the integral of sqrt(2 T/h) with a
   thickness h = q/v and a speed v = u + g t, times g t/v, because liquid is drawn to fall and hardly to fly. It is less
   the closer the sides come to the middle. */
static float drawn_in(const rn_surface_state *w, const rn_extra_vertex *chain, float time) {
    const float gravity = w->columns->gravity > 0.0f ? w->columns->gravity : 9.81f;
    const float most = GATHERED * 0.5f * chain->length, u = chain->start, v = u + gravity * time;
    if (!(chain->flow_along > 0.0f) || !(most > 0.0f)) return 0.0f;
    if (!w->def->jets) return rn_smaller(NARROW * w->t.cell * rn_smaller(time, 1.0f), most);
    const float pull = sqrtf(2.0f * w->def->jets->tension / chain->flow_along);
    const float falls = (v * sqrtf(v) - u * sqrtf(u)) / 1.5f - 2.0f * u * (sqrtf(v) - sqrtf(u));
    const float way = rn_larger(pull * falls / gravity, 0.0f);
    return way * most / (way + most);
}

/* The share of the full thickness at a lip: the free sides of a sheet are thin, and round. */
static float roundness(const rn_surface_state *w, const rn_extra_vertex *e) {
    const rn_extra_vertex *c = e->chain;
    if (!c) return 1.0f;
    const float left = c->free[0] ? e->along : INFINITY, right = c->free[1] ? c->length - e->along : INFINITY;
    const float side = rn_smaller(1.0f, rn_smaller(left, right) / (ROUND * w->t.cell));
    return 0.2f + 0.8f * side * (2.0f - side);
}

/* The way (m) along the chain of liquid from a lip after a time (s); *gathered: as rn_sheets_gather returns it. */
static float way_after(const rn_surface_state *w, const rn_extra_vertex *e, float time, float *gathered) {
    const float in = drawn_in(w, e->chain, time), side = rn_smaller(SWEPT * in, 0.5f * e->chain->length);
    const float before = e->along, after = e->chain->length - e->along;
    *gathered = 1.0f;
    if (!(side > 0.0f)) return before;
    const bool first = before < side && e->chain->free[0], last = after < side && e->chain->free[1];
    if (first || last) *gathered = side / (side - in);
    return before + (first ? in * (1.0f - before / side) : 0.0f) - (last ? in * (1.0f - after / side) : 0.0f);
}

float rn_sheets_gather(const rn_surface_state *w, const rn_extra_vertex *e, float time, float at[3], float out[2]) {
    float gathered = 1.0f;
    const float way = e->chain ? way_after(w, e, time, &gathered) : 0.0f;
    const rn_extra_vertex *a = e;
    while (e->chain && a->behind && way < a->along) a = a->behind;
    while (e->chain && a->ahead && a->ahead->ahead && way > a->ahead->along) a = a->ahead;
    const rn_extra_vertex *b = e->chain && a->ahead ? a->ahead : a;
    const float far = b->along - a->along;
    const float share = e->chain && far > 0.0f ? rn_larger(rn_smaller((way - a->along) / far, 1.0f), 0.0f) : 0.0f;
    const float *from = w->mesh->positions + 3 * (size_t)a->vertex, *to = w->mesh->positions + 3 * (size_t)b->vertex;
    at[0] = from[0] + share * (to[0] - from[0]) - w->columns->origin_x;
    at[1] = from[1] + share * (to[1] - from[1]) - w->columns->origin_y;
    at[2] = a->foot + share * (b->foot - a->foot);
    for (int k = 0; k < 2; k++) out[k] = a->out[k] + share * (b->out[k] - a->out[k]);
    const float size = sqrtf(out[0] * out[0] + out[1] * out[1]);
    for (int k = 0; k < 2; k++) out[k] = size > 0.0f ? out[k] / size : e->out[k];
    return gathered;
}

/* ---- Vertices and triangles ------------------------------------------------------------------------------------- */

/* The lip's own vertex, as written, with its position from the grid's corner and the datum; values that the mesh has no
   array for are 0. */
static rn_vertex lip_vertex(const rn_surface_state *w, const rn_extra_vertex *e) {
    const rn_mesh *m = w->mesh;
    const float *at = m->positions + 3 * (size_t)e->vertex;
    rn_vertex v = {.at = {at[0] - w->columns->origin_x, at[1] - w->columns->origin_y, at[2] - w->columns->datum}};
    if (m->normals) memcpy(v.normal, m->normals + 3 * (size_t)e->vertex, sizeof v.normal);
    if (m->velocities) memcpy(v.velocity, m->velocities + 3 * (size_t)e->vertex, sizeof v.velocity);
    if (m->opacity) v.opacity = m->opacity[e->vertex];
    if (m->ids) v.id = m->ids[e->vertex];
    return v;
}

float rn_sheets_whole(const rn_surface_state *w, const rn_extra_vertex *e) {
    const float mean = e->chain && e->chain->start > 0.0f ? e->chain->flow_along / e->chain->start : 0.0f;
    return 40.0f * rn_larger(rn_extra_depth(w, e), mean) + 6.0f * w->t.cell;
}

/* The height (m above the datum) on which liquid from a lip lands. */
static float landing(const rn_surface_state *w, const rn_extra_vertex *e, float gravity) {
    float at[3], out[2];
    rn_sheets_gather(w, e, sqrtf(2.0f * rn_larger(e->at[2] - e->foot, 0.0f) / gravity), at, out);
    return at[2];
}

/* Writes the vertices below a lip, from e->below on, and bends the lip's own normal. For the thinning of the sheet, the
   speed at the lip is at least half of the wave speed: fluxes within layers do not include all flow over a lip. */
static void fill_lip(const rn_surface_state *w, const rn_extra_vertex *e, int rows) {
    const rn_vertex lip = lip_vertex(w, e);
    const float gravity = w->columns->gravity > 0.0f ? w->columns->gravity : 9.81f;
    const float most = (e->leaves ? LEAVING : LEAN) * w->t.cell;
    const float drop = fmaxf(lip.at[2] - landing(w, e, gravity), 0.02f * w->t.cell),
                time = sqrtf(2.0f * drop / gravity);
    const float away = fmaxf(lip.velocity[0] * e->out[0] + lip.velocity[1] * e->out[1], 0.0f);
    const float whole = w->def->jets ? rn_sheets_whole(w, e) : INFINITY;
    const float square = fmaxf(lip.velocity[0] * lip.velocity[0] + lip.velocity[1] * lip.velocity[1],
                               0.25f * gravity * lip.opacity / w->per_full_depth);
    const float full = lip.opacity * roundness(w, e);
    for (int row = 1; row <= rows; row++) {
        const float part = (float)row / (float)rows, t = part * time, down = gravity * t;
        const float slowed = 1.0f / (1.0f + away * t / most), far = away * t * slowed, u = away * slowed * slowed;
        const float size = sqrtf(down * down + u * u);
        const float left =
            rn_larger(rn_smaller(2.0f - drop * part * part / whole, 1.0f), 0.0f); /* drops are the rest */
        float at[3], out[2];
        const float gathered = rn_sheets_gather(w, e, t, at, out);
        const rn_vertex v = {
            .at = {at[0] + far * out[0], at[1] + far * out[1], lip.at[2] - drop * part * part},
            .normal = {out[0] * down / size, out[1] * down / size, u / size},
            .velocity = {u * out[0], u * out[1], -down},
            .opacity = rn_smaller(full * gathered * left * sqrtf(sqrtf(square / (square + down * down))), 1.0f),
            .id = lip.id + (uint32_t)row,
        };
        rn_vertex_put(w, e->below + (uint32_t)row - 1, &v);
    }
    round_brink(w, e);
}

/* The vertex of a lip in this row of its sheet; 0: the lip itself. */
static uint32_t in_row(const rn_extra_vertex *e, int row) { return row ? e->below + (uint32_t)row - 1 : e->vertex; }

/* Writes the triangles between a lip and the next, from triangle `at` on. */
static void fill_strip(const rn_surface_state *w, const rn_extra_vertex *e, int rows, uint32_t at) {
    uint32_t *to = w->mesh->indices + 3 * (size_t)at;
    for (int row = 0; row < rows; row++, to += 6) {
        const uint32_t a = in_row(e, row), b = in_row(e->ahead, row), c = in_row(e, row + 1);
        const uint32_t corners[6] = {b, a, c, b, c, in_row(e->ahead, row + 1)};
        memcpy(to, corners, sizeof corners);
    }
}

#if defined(RN_GPU)

void rn_sheets_fill(const rn_surface_state *w, int rows, uint32_t vertex, uint32_t triangle) {
    const uint32_t extras = extras_of(w);
    rank_lips(w, false);
    EACH_EXTRA (i, extras) w->extras[i].below = vertex + w->ranks[i] * (uint32_t)rows;
    EACH_EXTRA (i, extras)
        if (is_lip(&w->extras[i])) fill_lip(w, &w->extras[i], rows);
    rank_lips(w, true);
    EACH_EXTRA (i, extras)
        if (w->extras[i].ahead) fill_strip(w, &w->extras[i], rows, triangle + 2 * w->ranks[i] * (uint32_t)rows);
}

#else

void rn_sheets_fill(const rn_surface_state *w, int rows, uint32_t vertex, uint32_t triangle) {
    const uint32_t extras = extras_of(w);
    for (uint32_t i = 0; i < extras; i++) {
        rn_extra_vertex *e = &w->extras[i];
        if (!is_lip(e)) continue;
        e->below = vertex;
        vertex += (uint32_t)rows;
        fill_lip(w, e, rows);
    }
    for (uint32_t i = 0; i < extras; i++) {
        if (!w->extras[i].ahead) continue;
        fill_strip(w, &w->extras[i], rows, triangle);
        triangle += 2 * (uint32_t)rows;
    }
}

#endif
