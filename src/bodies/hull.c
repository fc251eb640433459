/* Convex hulls of points, as shapes of bodies.

   Interface: rn_shape_hull (include/runnel/bodies.h). Scenes call it when they read a body (io/scene/body_shape.c);
   hosts call it before rn_bodies_add. The result is a shape like any other (bodies/shape.c), measured and owned by
   the caller.

   The algorithm is quickhull (Barber, Dobkin and Huhdanpaa 1996):
   1. Four points far apart make the first tetrahedron, and every other point is assigned to a facet that it lies
      outside of.
   2. For a facet with points outside, the farthest one is added: all facets visible from it are removed, and the
      edges of that region are joined with it.
   3. Points of removed facets are assigned to the new ones; a point inside all of them is dropped.

   It works on integers: points are rounded to the nearest of 2^20 steps across their extent, a millionth of it.
   Differences of 20 bits have triple products that fit into 64 bits, so all signs are exact, and flat sides and
   duplicate points need no extra care. The shape has the points as given, not the rounded ones. */
#include "base/error.h"
#include "base/maths.h"
#include "bodies/shape.h"

/* Differences of 20 bits give a triple product of at most 62.6 bits. */
#define STEPS 1048576.0

enum { NONE = -1 };

typedef struct grid_point {
    int64_t x, y, z;
} grid_point;

typedef struct facet {
    int corner[3];    /* counter-clockwise seen from outside */
    int neighbour[3]; /* across the edge from a corner to the next */
    int outside;      /* the first of the points outside it, or NONE */
    bool gone;
} facet;

typedef struct hull {
    const rn_hooks *hooks;
    grid_point *points;
    int *following; /* for each point: the next one outside the same facet */
    int *edge_at;   /* for each point: the new facet whose outer edge begins there */
    facet *facets;
    size_t count, capacity;
    int *seen; /* facets visible from a point, which are removed */
    size_t seen_count, seen_capacity;
    int first_new;
} hull;

static facet *facet_at(const hull *h, int i) { return h->facets + i; }

static grid_point minus(grid_point a, grid_point b) { return (grid_point){a.x - b.x, a.y - b.y, a.z - b.z}; }

/* The cross product. */
static grid_point cross(grid_point a, grid_point b) {
    return (grid_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The dot product; with a cross product it still fits into 64 bits. */
static int64_t dot(grid_point a, grid_point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Above 0 if a point lies outside the plane through three others, 0 on it, exactly: six times the volume (steps^3)
   between them. Points are given by their numbers. */
static int64_t height_over(const hull *h, const int corner[3], int point) {
    const grid_point a = h->points[corner[0]];
    const grid_point normal = cross(minus(h->points[corner[1]], a), minus(h->points[corner[2]], a));
    return dot(normal, minus(h->points[point], a));
}

/* Adds a facet with these corners, counter-clockwise seen from outside, without neighbours, and returns its number, or
   NONE, with a message, if memory runs out. Pointers to facets become invalid. */
static int add_facet(hull *h, int a, int b, int c) {
    if (!rn_grow(h->hooks, &h->facets, &h->capacity, h->count, sizeof(facet))) return NONE;
    *facet_at(h, (int)h->count) = (facet){.corner = {a, b, c}, .neighbour = {NONE, NONE, NONE}, .outside = NONE};
    return (int)h->count++;
}

/* Marks facet i as removed and adds it to h->seen. Returns false, with a message, if memory runs out. */
static bool add_seen(hull *h, int i) {
    if (!rn_grow(h->hooks, &h->seen, &h->seen_capacity, h->seen_count, sizeof *h->seen)) return false;
    h->seen[h->seen_count++] = i;
    facet_at(h, i)->gone = true;
    return true;
}

/* Assigns a point to the first facet from `first` on that it lies outside of; a point inside all of them is dropped. */
static void assign_point(hull *h, int point, int first) {
    for (int i = first; i < (int)h->count; i++) {
        facet *f = facet_at(h, i);
        if (f->gone || height_over(h, f->corner, point) <= 0) continue;
        h->following[point] = f->outside;
        f->outside = point;
        return;
    }
}

/* The number of the farthest of the points outside a facet, which must have some. */
static int farthest_outside(const hull *h, const facet *f) {
    int best = f->outside;
    int64_t most = 0;
    for (int p = f->outside; p != NONE; p = h->following[p]) {
        const int64_t height = height_over(h, f->corner, p);
        if (height > most) {
            most = height;
            best = p;
        }
    }
    return best;
}

/* Removes all facets visible from a point, starting with facet_index, lists them in h->seen, and adds a new facet to
   the point at every edge of that region, from h->first_new on. New facets know only the neighbour beyond that edge.
   Returns false, with a message, if memory runs out. */
static bool replace_visible(hull *h, int point, int facet_index) {
    h->seen_count = 0;
    h->first_new = (int)h->count;
    if (!add_seen(h, facet_index)) return false;
    for (size_t s = 0; s < h->seen_count; s++) {
        for (int k = 0; k < 3; k++) {
            const facet f = *facet_at(h, h->seen[s]);
            const int other = f.neighbour[k], from = f.corner[k], to = f.corner[(k + 1) % 3];
            if (facet_at(h, other)->gone) continue;
            if (height_over(h, facet_at(h, other)->corner, point) > 0) {
                if (!add_seen(h, other)) return false;
                continue;
            }
            const int fresh = add_facet(h, from, to, point);
            if (fresh == NONE) return false;
            facet_at(h, fresh)->neighbour[0] = other;
            for (int j = 0; j < 3; j++) {
                if (facet_at(h, other)->corner[j] == to) facet_at(h, other)->neighbour[j] = fresh;
            }
            h->edge_at[from] = fresh;
        }
    }
    return true;
}

/* Extends the hull to a point outside a facet, and assigns the points outside removed facets to new ones. Returns
   false, with a message, if memory runs out. */
static bool extend_hull(hull *h, int point, int facet_index) {
    if (!replace_visible(h, point, facet_index)) return false;
    for (int i = h->first_new; i < (int)h->count; i++) {
        const int next = h->edge_at[facet_at(h, i)->corner[1]];
        facet_at(h, i)->neighbour[1] = next;
        facet_at(h, next)->neighbour[2] = i;
    }
    for (size_t s = 0; s < h->seen_count; s++) {
        for (int p = facet_at(h, h->seen[s])->outside, following; p != NONE; p = following) {
            following = h->following[p];
            if (p != point) assign_point(h, p, h->first_new);
        }
    }
    return true;
}

/* ---- The beginning: a tetrahedron of points far apart ---- */

/* The square of a vector's length, which may not fit into 64 bits. */
static double length_square(grid_point a) {
    return (double)a.x * (double)a.x + (double)a.y * (double)a.y + (double)a.z * (double)a.z;
}

/* The point, of `count`, farthest from the first known point, from the line through two, or from the plane through
   three, depending on known_count; NONE if all points lie there. */
static int far_point(const hull *h, int count, const int known[3], int known_count) {
    int best = NONE;
    double most = 0;
    for (int p = 0; p < count; p++) {
        const grid_point a = h->points[known[0]], from = minus(h->points[p], a);
        double distance = 0;
        if (known_count == 1) distance = length_square(from);
        else if (known_count == 2) distance = length_square(cross(minus(h->points[known[1]], a), from));
        else distance = fabs((double)height_over(h, known, p));
        if (distance > most) {
            most = distance;
            best = p;
        }
    }
    return best;
}

/* Creates the first tetrahedron, and assigns all `count` points to its facets. On failure returns RN_INVALID (all lie
   in one plane) or RN_MEMORY, with a message. */
static rn_result make_tetrahedron(hull *h, int count) {
    static const char *const places[3] = {"in one place", "on one line", "in one plane"};
    int known[4] = {0, 0, 0, 0};
    for (int k = 1; k < 4; k++) {
        known[k] = far_point(h, count, known, k);
        if (known[k] != NONE) continue;
        return rn_fail(RN_INVALID, "the %d points of a hull are all %s; they must enclose a volume", count,
                       places[k - 1]);
    }
    if (height_over(h, known, known[3]) > 0) {
        const int other = known[1];
        known[1] = known[2];
        known[2] = other;
    }
    static const int sides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int past[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int s = 0; s < 4; s++) {
        const int f = add_facet(h, known[sides[s][0]], known[sides[s][1]], known[sides[s][2]]);
        if (f == NONE) return RN_MEMORY;
        for (int k = 0; k < 3; k++) facet_at(h, f)->neighbour[k] = past[s][k];
    }
    for (int p = 0; p < count; p++) assign_point(h, p, 0);
    return RN_OK;
}

/* Sets h->points to all points (x y z in m), rounded to the nearest of STEPS steps across their largest extent. */
static void round_points(hull *h, const float *positions, size_t count) {
    double low[3], extent = 0;
    for (size_t k = 0; k < 3; k++) {
        double high = low[k] = (double)positions[k];
        for (size_t i = 0; i < count; i++) {
            low[k] = rn_min(low[k], (double)positions[3 * i + k]);
            high = rn_max(high, (double)positions[3 * i + k]);
        }
        extent = rn_max(extent, high - low[k]);
    }
    for (size_t i = 0; i < count; i++) {
        int64_t at[3];
        for (size_t k = 0; k < 3; k++) {
            at[k] = extent > 0 ? (int64_t)rint(((double)positions[3 * i + k] - low[k]) / extent * STEPS) : 0;
        }
        h->points[i] = (grid_point){at[0], at[1], at[2]};
    }
}

/* Creates the shape of the remaining facets and the points (m) that they use, numbered in order of first use; the
   caller owns it. Returns NULL, with a message, if memory runs out. Overwrites h->edge_at. */
static rn_shape *make_shape(hull *h, const float *positions, size_t count) {
    size_t facets = 0, vertices = 0;
    for (size_t p = 0; p < count; p++) h->edge_at[p] = NONE;
    for (size_t i = 0; i < h->count; i++) {
        const facet *f = facet_at(h, (int)i);
        if (f->gone) continue;
        facets++;
        for (int k = 0; k < 3; k++) {
            if (h->edge_at[f->corner[k]] == NONE) h->edge_at[f->corner[k]] = (int)vertices++;
        }
    }
    rn_shape *shape = rn_shape_new(h->hooks, RN_SHAPE_HULL, (rn_vec3){0, 0, 0}, vertices, facets);
    if (!shape) return NULL;
    uint32_t *to = shape->indices;
    for (size_t i = 0; i < h->count; i++) {
        const facet *f = facet_at(h, (int)i);
        for (int k = 0; !f->gone && k < 3; k++) *to++ = (uint32_t)h->edge_at[f->corner[k]];
    }
    for (size_t p = 0; p < count; p++) {
        for (int k = 0; h->edge_at[p] != NONE && k < 3; k++) {
            shape->positions[3 * h->edge_at[p] + k] = positions[3 * p + (size_t)k];
        }
    }
    rn_shape_measure(shape);
    return shape;
}

/* Creates the hull of `count` points (x y z in m) as a shape. On failure returns NULL, with an error text. The caller
   has allocated points, following and edge_at of h for `count` points (NULL: allocation failed), and frees everything
   in h. */
static rn_shape *make_hull(hull *h, const float *positions, size_t count) {
    if (!h->points || !h->following || !h->edge_at) return NULL;
    round_points(h, positions, count);
    if (make_tetrahedron(h, (int)count) != RN_OK) return NULL;
    for (size_t i = 0; i < h->count; i++) {
        const facet *f = facet_at(h, (int)i);
        if (!f->gone && f->outside != NONE && !extend_hull(h, farthest_outside(h, f), (int)i)) return NULL;
    }
    return make_shape(h, positions, count);
}

rn_shape *rn_shape_hull(const float *positions, size_t count) {
    if (!RN_REQUIRE(NULL, positions || count == 0)) return NULL;
    if (count < 4 || count > INT32_MAX / 8) {
        rn_fail(RN_INVALID, "a hull has %zu points; it must have from 4 to %d", count, INT32_MAX / 8);
        return NULL;
    }
    for (size_t i = 0; i < 3 * count; i++) {
        if (fabs((double)positions[i]) <= RN_SHAPE_FARTHEST) continue;
        rn_fail(RN_INVALID, "point %zu of a hull has a coordinate that is not finite or is beyond %g m", i / 3,
                RN_SHAPE_FARTHEST);
        return NULL;
    }
    hull h = {.points = rn_alloc(NULL, count, sizeof *h.points),
              .following = rn_alloc(NULL, count, sizeof *h.following),
              .edge_at = rn_alloc(NULL, count, sizeof *h.edge_at)};
    rn_shape *shape = make_hull(&h, positions, count);
    rn_free(NULL, h.points);
    rn_free(NULL, h.following);
    rn_free(NULL, h.edge_at);
    rn_free(NULL, h.facets);
    rn_free(NULL, h.seen);
    return shape;
}
