/* Makes a hierarchy of boxes, and finds the nearest triangle in it (tree.h). */
#include "terrain/tree.h"

#include "base/maths.h"
#include "base/memory.h"

#include <string.h>

enum {
    LEAF = 8,     /* most triangles */
    BINS = 16,    /* positions where a split is tried, minus one */
    STEEPEST = 34 /* levels with the cheapest split; nodes below are halved, at most 27 more levels */
};
_Static_assert(STEEPEST + 28 <= RN_TREE_DEPTH, "walks down a tree have room");

static const rn_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* Extends a box to contain a point. */
static void extend_to_point(rn_box *box, rn_vec3 p) {
    box->low = (rn_vec3){rn_min(box->low.x, p.x), rn_min(box->low.y, p.y), rn_min(box->low.z, p.z)};
    box->high = (rn_vec3){rn_max(box->high.x, p.x), rn_max(box->high.y, p.y), rn_max(box->high.z, p.z)};
}

/* Extends a box to contain another, which may be empty. */
static inline void extend_to_box(rn_box *box, const rn_box *other) {
    const rn_vec3 low = other->low, high = other->high;
    box->low = (rn_vec3){rn_min(box->low.x, low.x), rn_min(box->low.y, low.y), rn_min(box->low.z, low.z)};
    box->high = (rn_vec3){rn_max(box->high.x, high.x), rn_max(box->high.y, high.y), rn_max(box->high.z, high.z)};
}

/* The box around a triangle. */
static rn_box triangle_box(const rn_vec3 t[3]) {
    rn_box box = empty;
    for (int k = 0; k < 3; k++) extend_to_point(&box, t[k]);
    return box;
}

/* The coordinate of p along an axis (0 to 2). */
static double coordinate(rn_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

/* Three times the centroid of a triangle (m), which serves as well for comparisons. */
static rn_vec3 centroid_times_three(const rn_vec3 t[3]) {
    return (rn_vec3){t[0].x + t[1].x + t[2].x, t[0].y + t[1].y + t[2].y, t[0].z + t[1].z + t[2].z};
}

/* Half the surface (m^2) of a box; 0 if it is empty. */
static double half_area(const rn_box *box) {
    const double x = box->high.x - box->low.x, y = box->high.y - box->low.y, z = box->high.z - box->low.z;
    return x >= 0 ? x * y + y * z + z * x : 0;
}

/* Triangles with their centroids in bins below `bin` of an axis go to the first child. */
typedef struct split {
    int axis, bin;
    double low, per; /* of the bins */
} split;

/* The number of the bin of a triangle, by its centroid, along the axis of a split, 0 to BINS - 1. */
static int bin_of(const split *s, const rn_vec3 t[3]) {
    return (int)rn_clamp((coordinate(centroid_times_three(t), s->axis) - s->low) * s->per, 0, BINS - 1);
}

/* Triangles sorted by their centroids along one axis. */
typedef struct bins {
    split first; /* of the splits between them */
    rn_box boxes[BINS];
    size_t counts[BINS];
} bins;

/* Sorts `count` triangles into bins along each of the three axes: sets the boxes and counts of all bins. */
static void fill_bins(rn_vec3 (*const triangles)[3], size_t count, bins all[3]) {
    rn_box middles = empty;
    for (size_t i = 0; i < count; i++) extend_to_point(&middles, centroid_times_three(triangles[i]));
    for (int axis = 0; axis < 3; axis++) {
        const double low = coordinate(middles.low, axis), wide = coordinate(middles.high, axis) - low;
        const double per = BINS / wide; /* infinite if all are in one place, or nearly so */
        all[axis].first = (split){axis, 1, low, isfinite(per) ? per : 0};
        for (int b = 0; b < BINS; b++) {
            all[axis].boxes[b] = empty;
            all[axis].counts[b] = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const rn_box box = triangle_box(triangles[i]);
        for (int axis = 0; axis < 3; axis++) {
            const int b = bin_of(&all[axis].first, triangles[i]);
            extend_to_box(&all[axis].boxes[b], &box);
            all[axis].counts[b]++;
        }
    }
}

/* Replaces the best split so far, and its cost, by one between these bins if it costs less and leaves neither side
   empty. */
static void try_splits(const bins *of, split *best, double *best_cost) {
    double right[BINS]; /* area times number of triangles from a bin on */
    rn_box box = empty;
    size_t count = 0;
    for (int b = BINS - 1; b > 0; b--) {
        extend_to_box(&box, &of->boxes[b]);
        count += of->counts[b];
        right[b] = count > 0 ? half_area(&box) * (double)count : INFINITY;
    }
    box = empty;
    count = 0;
    split s = of->first;
    for (; s.bin < BINS; s.bin++) {
        extend_to_box(&box, &of->boxes[s.bin - 1]);
        count += of->counts[s.bin - 1];
        const double cost = half_area(&box) * (double)count + right[s.bin];
        if (count == 0 || !(cost < *best_cost)) continue;
        *best_cost = cost;
        *best = s;
    }
}

/* The split with the lowest sum of area times triangles (MacDonald & Booth 1990); its bin is 0 if there is none, as
   when all centroids are equal. */
static split cheapest_split(rn_vec3 (*const triangles)[3], size_t count) {
    bins all[3];
    split best = {0};
    double best_cost = INFINITY;
    fill_bins(triangles, count, all);
    for (int axis = 0; axis < 3; axis++) try_splits(&all[axis], &best, &best_cost);
    return best;
}

/* Moves the triangles of the first child, by the cheapest split, with their sources, to the front and returns their
   number. Nodes that are deep or have no split are halved in their present order. */
static size_t part_triangles(rn_vec3 (*triangles)[3], uint32_t *sources, size_t count, int depth) {
    const split s = depth < STEEPEST ? cheapest_split(triangles, count) : (split){0};
    if (s.bin == 0) return count / 2;
    size_t low = 0, high = count;
    while (low < high) {
        if (bin_of(&s, triangles[low]) < s.bin) {
            low++;
            continue;
        }
        high--;
        for (int k = 0; k < 3; k++) {
            const rn_vec3 kept = triangles[low][k];
            triangles[low][k] = triangles[high][k];
            triangles[high][k] = kept;
        }
        const uint32_t source = sources[low];
        sources[low] = sources[high];
        sources[high] = source;
    }
    return low;
}

/* Creates the nodes of the tree, for which there is room, from its triangles, which it sorts with their sources. */
static void grow_tree(rn_tree *tree) {
    struct {
        uint32_t node;
        int depth;
    } stack[RN_TREE_DEPTH] = {{0, 0}};
    tree->nodes[0] = (rn_tree_node){.first = 0, .count = (uint32_t)tree->count};
    tree->node_count = 1;
    for (int waiting = 1; waiting > 0;) {
        const int depth = stack[--waiting].depth;
        rn_tree_node *node = &tree->nodes[stack[waiting].node];
        node->box = empty;
        for (uint32_t i = 0; i < node->count; i++) {
            const rn_box box = triangle_box(tree->triangles[node->first + i]);
            extend_to_box(&node->box, &box);
        }
        if (node->count <= LEAF) continue;
        const uint32_t first = node->first, count = node->count, child = (uint32_t)tree->node_count;
        const uint32_t lower = (uint32_t)part_triangles(tree->triangles + first, tree->sources + first, count, depth);
        tree->nodes[child] = (rn_tree_node){.first = first, .count = lower};
        tree->nodes[child + 1] = (rn_tree_node){.first = first + lower, .count = count - lower};
        node->first = child;
        node->count = 0;
        tree->node_count += 2;
        /* the larger one is pushed first: the smaller is done, and off the stack, before it */
        const uint32_t large = lower > count - lower ? child : child + 1;
        stack[waiting].node = large;
        stack[waiting++].depth = depth + 1;
        stack[waiting].node = large == child ? child + 1 : child;
        stack[waiting++].depth = depth + 1;
    }
}

rn_result rn_tree_make(const rn_hooks *hooks, rn_vec3 (*triangles)[3], uint32_t *sources, size_t count, rn_tree *tree) {
    *tree = (rn_tree){.hooks = *hooks, .triangles = triangles, .sources = sources, .count = count};
    tree->nodes = rn_alloc(hooks, 2 * count, sizeof *tree->nodes);
    if (!tree->nodes) return RN_MEMORY;
    grow_tree(tree);
    /* leaves are rarely as small as they could be */
    rn_tree_node *trimmed = rn_alloc(hooks, tree->node_count, sizeof *trimmed);
    if (!trimmed) return RN_MEMORY;
    memcpy(trimmed, tree->nodes, tree->node_count * sizeof *trimmed);
    rn_free(hooks, tree->nodes);
    tree->nodes = trimmed;
    return RN_OK;
}

/* Goes from the last node to the first: children come after their parents. */
void rn_tree_refit(rn_tree *tree) {
    for (size_t n = tree->node_count; n > 0; n--) {
        rn_tree_node *node = &tree->nodes[n - 1];
        node->box = empty;
        for (uint32_t i = 0; i < 3 * node->count; i++)
            extend_to_point(&node->box, tree->triangles[node->first + i / 3][i % 3]);
        for (uint32_t i = 0; node->count == 0 && i < 2; i++)
            extend_to_box(&node->box, &tree->nodes[node->first + i].box);
    }
}

void rn_tree_free(rn_tree *tree) {
    rn_free(&tree->hooks, tree->triangles);
    rn_free(&tree->hooks, tree->sources);
    rn_free(&tree->hooks, tree->nodes);
    *tree = (rn_tree){.hooks = tree->hooks};
}

/* The point a + t along_it. */
static rn_vec3 point_along(rn_vec3 a, rn_vec3 along_it, double t) {
    return (rn_vec3){a.x + t * along_it.x, a.y + t * along_it.y, a.z + t * along_it.z};
}

/* The square of the distance (m^2) from p to a triangle, which may be a segment with its second end twice, by the
   region of its plane below p (Ericson 2005, 5.1.5). */
static double triangle_square(const rn_vec3 t[3], rn_vec3 p) {
    const rn_vec3 ab = rn_minus(t[1], t[0]), ac = rn_minus(t[2], t[0]), bc = rn_minus(t[2], t[1]);
    const rn_vec3 ap = rn_minus(p, t[0]), bp = rn_minus(p, t[1]), cp = rn_minus(p, t[2]);
    const double d1 = rn_dot(ab, ap), d2 = rn_dot(ac, ap), d3 = rn_dot(ab, bp), d4 = rn_dot(ac, bp);
    const double d5 = rn_dot(ab, cp), d6 = rn_dot(ac, cp);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    rn_vec3 nearest;
    if (d1 <= 0 && d2 <= 0) nearest = t[0];
    else if (d3 >= 0 && d4 <= d3) nearest = t[1];
    else if (vc <= 0 && d1 >= 0 && d3 <= 0) nearest = point_along(t[0], ab, d1 / (d1 - d3));
    else if (d6 >= 0 && d5 <= d6) nearest = t[2];
    else if (vb <= 0 && d2 >= 0 && d6 <= 0) nearest = point_along(t[0], ac, d2 / (d2 - d6));
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) nearest = point_along(t[1], bc, (d4 - d3) / (d4 - d3 + d5 - d6));
    else nearest = point_along(point_along(t[0], ab, vb / (va + vb + vc)), ac, vc / (va + vb + vc));
    const rn_vec3 off = rn_minus(p, nearest);
    return rn_dot(off, off);
}

/* The square of the distance (m^2) from p to a box, 0 inside. */
static double box_square(const rn_box *box, rn_vec3 p) {
    const double x = rn_max(rn_max(box->low.x - p.x, p.x - box->high.x), 0);
    const double y = rn_max(rn_max(box->low.y - p.y, p.y - box->high.y), 0);
    const double z = rn_max(rn_max(box->low.z - p.z, p.z - box->high.z), 0);
    return x * x + y * y + z * z;
}

double rn_tree_distance(const rn_tree *tree, rn_vec3 at) {
    struct {
        uint32_t node;
        double square;
    } stack[RN_TREE_DEPTH];
    double best = INFINITY;
    int waiting = 0;
    stack[waiting].node = 0;
    stack[waiting++].square = 0;
    while (waiting > 0) {
        const rn_tree_node *node = &tree->nodes[stack[--waiting].node];
        if (stack[waiting].square >= best) continue;
        for (uint32_t i = 0; i < node->count; i++)
            best = rn_min(best, triangle_square(tree->triangles[node->first + i], at));
        if (node->count > 0) continue;
        const double first = box_square(&tree->nodes[node->first].box, at);
        const double second = box_square(&tree->nodes[node->first + 1].box, at);
        const uint32_t far = first < second;
        stack[waiting].node = node->first + far;
        stack[waiting++].square = rn_max(first, second);
        stack[waiting].node = node->first + !far;
        stack[waiting++].square = rn_min(first, second);
    }
    return sqrt(best);
}
