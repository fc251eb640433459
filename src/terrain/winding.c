/* Winding numbers of triangles, from the far fields of a tree's nodes and near triangles one by one (winding.h). */
#include "terrain/winding.h"

#include "base/maths.h"
#include "base/memory.h"

static const double full_angle = 12.566370614359172954; /* 4 pi */

/* Nodes farther away than this many radii are taken as a whole. */
static const double far_off = 2;

static rn_vec3 plus(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static rn_vec3 times(rn_vec3 a, double f) { return (rn_vec3){a.x * f, a.y * f, a.z * f}; }
/* The centroid of a triangle (m). */
static rn_vec3 centroid(const rn_vec3 t[3]) { return times(plus(plus(t[0], t[1]), t[2]), 1.0 / 3); }

/* Adds the outer product of `off` (m) and the area vector `area` (m^2) to the spread of moments. */
static void add_spread(rn_moments *m, rn_vec3 off, rn_vec3 area) {
    const double o[3] = {off.x, off.y, off.z}, a[3] = {area.x, area.y, area.z};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m->spread[i][k] += o[i] * a[k];
}

/* Sets the moments of a node, 0 at first, from its triangles `first` to `end` - 1, which must have some area. */
static void measure_node(rn_winding *w, size_t node, uint32_t first, uint32_t end) {
    rn_moments *m = &w->moments[node];
    double areas = 0;
    for (uint32_t i = first; i < end; i++) {
        const double area = rn_length(rn_corners_normal(w->tree.triangles[i]));
        m->middle = plus(m->middle, times(centroid(w->tree.triangles[i]), area));
        areas += area;
    }
    m->middle = times(m->middle, 1 / areas);
    for (uint32_t i = first; i < end; i++) {
        const rn_vec3 *t = w->tree.triangles[i], area = times(rn_corners_normal(t), 0.5);
        m->dipole = plus(m->dipole, area);
        add_spread(m, rn_minus(centroid(t), m->middle), area);
        for (int k = 0; k < 3; k++) m->radius = rn_max(m->radius, rn_length(rn_minus(t[k], m->middle)));
    }
}

/* Sets the moments of all nodes. The triangles under a node range from those of its first leaf to those of its last. */
static void measure_all(rn_winding *w) {
    for (size_t n = 0; n < w->tree.node_count; n++) {
        const rn_tree_node *low = &w->tree.nodes[n], *high = low;
        while (low->count == 0) low = &w->tree.nodes[low->first];
        while (high->count == 0) high = &w->tree.nodes[high->first + 1];
        measure_node(w, n, low->first, high->first + high->count);
    }
}

/* 1 or -1: the factor with which the triangles, relative to their common centre, enclose a positive volume. */
static double right_sign(const rn_winding *w) {
    const rn_moments *all = &w->moments[0];
    return all->spread[0][0] + all->spread[1][1] + all->spread[2][2] < 0 ? -1 : 1;
}

rn_result rn_winding_make(const rn_shell *shell, rn_winding *w) {
    *w = (rn_winding){.tree.hooks = shell->hooks};
    rn_vec3(*triangles)[3] = rn_alloc(&shell->hooks, shell->own, sizeof *triangles);
    uint32_t *sources = rn_alloc(&shell->hooks, shell->own, sizeof *sources);
    if (!triangles || !sources) {
        rn_free(&shell->hooks, triangles);
        rn_free(&shell->hooks, sources);
        return RN_MEMORY;
    }
    for (size_t f = 0; f < shell->own; f++) rn_face_corners_at(shell, f, triangles[f]);
    rn_result result = rn_tree_make(&shell->hooks, triangles, sources, shell->own, &w->tree);
    if (result == RN_OK) w->moments = rn_alloc(&shell->hooks, w->tree.node_count, sizeof *w->moments);
    if (result == RN_OK && !w->moments) result = RN_MEMORY;
    if (result != RN_OK) return result;
    measure_all(w);
    w->sign = right_sign(w);
    return RN_OK;
}

void rn_winding_free(rn_winding *w) {
    rn_free(&w->tree.hooks, w->moments);
    rn_tree_free(&w->tree);
    w->moments = NULL;
}

/* A sum of angles, stored as a product of complex numbers and a count of full turns: needs a single arc tangent per
   sum, which would otherwise take most of the time. The product has any length within a wide range. */
typedef struct angles {
    double x, y;
    int rounds;
} angles;

/* Adds the angle (-pi to pi) of the complex number x + i y to a sum; adds nothing if the number is 0. */
static void add_angle(angles *sum, double x, double y) {
    const double size = fabs(x) + fabs(y);
    if (!(size > 0)) return;
    double next_x = sum->x * x - sum->y * y, next_y = sum->x * y + sum->y * x;
    if (sum->y >= 0 && y >= 0 && next_y < 0) sum->rounds++;
    if (sum->y < 0 && y < 0 && next_y >= 0) sum->rounds--;
    const double length = fabs(next_x) + fabs(next_y);
    if (length > 1e100 || length < 1e-100) {
        next_x /= length;
        next_y /= length;
    }
    sum->x = next_x;
    sum->y = next_y;
}

/* Adds half the solid angle of a triangle seen from `at` (m) to a sum (Van Oosterom & Strackee 1983). */
static void add_triangle(angles *sum, const rn_vec3 t[3], rn_vec3 at) {
    const rn_vec3 a = rn_minus(t[0], at), b = rn_minus(t[1], at), c = rn_minus(t[2], at);
    const double la = rn_length(a), lb = rn_length(b), lc = rn_length(c);
    const double over = rn_dot(a, rn_cross(b, c));
    const double under = la * lb * lc + rn_dot(a, b) * lc + rn_dot(b, c) * la + rn_dot(c, a) * lb;
    add_angle(sum, under, over);
}

/* The solid angle of a whole node, to second order; r, of this length (m), leads from the viewer to its centre. This is
   r.d / r^3 and its gradient times the spread; r is normalised first, because high powers of lengths overflow. */
static double angle_from_afar(const rn_moments *m, rn_vec3 r, double length) {
    const double inverse = 1 / length;
    const rn_vec3 u = times(r, inverse);
    const double v[3] = {u.x, u.y, u.z};
    double across = 0, trace = 0;
    for (int i = 0; i < 3; i++) {
        trace += m->spread[i][i];
        for (int k = 0; k < 3; k++) across += v[i] * v[k] * m->spread[i][k];
    }
    return inverse * inverse * (rn_dot(u, m->dipole) + inverse * (trace - 3 * across));
}

double rn_winding_at(const rn_winding *w, rn_vec3 at) {
    uint32_t stack[RN_TREE_DEPTH] = {0};
    double sum = 0;
    angles nearby = {1, 0, 0};
    for (int waiting = 1; waiting > 0;) {
        const uint32_t n = stack[--waiting];
        const rn_tree_node *node = &w->tree.nodes[n];
        const rn_moments *m = &w->moments[n];
        const rn_vec3 r = rn_minus(m->middle, at);
        const double square = rn_dot(r, r);
        if (square > far_off * far_off * m->radius * m->radius) {
            sum += angle_from_afar(m, r, sqrt(square));
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) add_triangle(&nearby, w->tree.triangles[node->first + i], at);
        if (node->count > 0) continue;
        stack[waiting++] = node->first;
        stack[waiting++] = node->first + 1;
    }
    sum += 2 * atan2(nearby.y, nearby.x) + nearby.rounds * full_angle;
    return w->sign * sum / full_angle;
}
