/* rn_shell_close: closes holes. The boundary of a shell consists of loops, and every loop is filled with triangles:
   ears are cut off it, the one with the shortest cut first, until nothing is left. This sews up cracks, and gives a
   level hole a level lid, which is exactly where the winding number of the open shell is one half. */
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/shell.h"

#include <string.h>

/* An edge that a filling must have, in the direction that it has there. */
typedef struct arc {
    uint32_t from, to;
} arc;

typedef struct loops {
    uint32_t *points; /* loop after loop */
    size_t *ends;     /* end of each loop in `points` */
    size_t count;
} loops;

/* The arcs that begin at each point: those of point p start at first[p], and left[p] of them are unused. */
typedef struct boundary {
    arc *arcs;
    size_t count;
    uint32_t *first, *left;
} boundary;

/* How much more often an edge, the slots from `begin` to `end` - 1, is passed in the direction of its first slot than
   in the other; 0: it is no boundary. */
static int net_direction(const rn_shell *shell, const uint32_t *slots, size_t begin, size_t end) {
    const uint32_t from = rn_slot_from(shell, slots[begin]);
    int net = 0;
    for (size_t i = begin; i < end; i++) net += rn_slot_from(shell, slots[i]) == from ? 1 : -1;
    return net;
}

/* Lists the arcs that fillings must have, in two passes: without `write` it counts those of each point and sums up
   b->first, with `write` it stores them. Sets b->count. */
static void list_arcs(const rn_shell *shell, const uint32_t *slots, boundary *b, bool write) {
    b->count = 0;
    for (size_t i = 0, end; i < 3 * shell->face_count; i = end) {
        end = rn_edge_end(shell, slots, i);
        const int net = net_direction(shell, slots, i, end);
        const uint32_t from = rn_slot_from(shell, slots[i]), to = rn_slot_to(shell, slots[i]);
        const arc against = net > 0 ? (arc){to, from} : (arc){from, to};
        for (int n = 0; n < (net > 0 ? net : -net); n++, b->count++) {
            if (write) b->arcs[b->first[against.from] + b->left[against.from]++] = against;
            else b->first[against.from + 1]++;
        }
    }
    for (size_t p = 0; !write && p < shell->point_count; p++) b->first[p + 1] += b->first[p];
}

/* Finds all arcs of the shell's boundary, none if it is closed. Returns RN_MEMORY, with a message, if memory runs out.
   The caller frees the lists of `b`, also then. */
static rn_result find_boundary(const rn_shell *shell, boundary *b) {
    uint32_t *slots = rn_edges_sorted(shell);
    b->first = rn_alloc(&shell->hooks, shell->point_count + 1, sizeof *b->first);
    b->left = rn_alloc(&shell->hooks, shell->point_count, sizeof *b->left);
    if (slots && b->first && b->left) {
        list_arcs(shell, slots, b, false);
        b->arcs = rn_alloc(&shell->hooks, b->count, sizeof *b->arcs);
        if (b->arcs) list_arcs(shell, slots, b, true);
    }
    rn_free(&shell->hooks, slots);
    return b->arcs ? RN_OK : RN_MEMORY;
}

/* Takes an unused arc that leaves `at`, to which the walk came from `before`, and returns the end of that arc. There
   must be one. Of several it takes the one that turns back most, because that one runs along the other side of a
   crack. */
static uint32_t take_arc(const rn_shell *shell, boundary *b, uint32_t before, uint32_t at) {
    enum { MOST = 32 }; /* most arcs that are compared; with more at one point, the order is not worth the time */
    arc *list = b->arcs + b->first[at];
    const uint32_t left = b->left[at];
    uint32_t best = left - 1;
    double best_turn = -INFINITY;
    const rn_vec3 back = rn_minus(shell->points[before], shell->points[at]);
    for (uint32_t i = 0; left > 1 && i < left && i < MOST; i++) {
        const rn_vec3 on = rn_minus(shell->points[list[i].to], shell->points[at]);
        const double turn = rn_dot(back, on) / rn_length(on);
        if (!(turn > best_turn)) continue;
        best_turn = turn;
        best = i;
    }
    const uint32_t to = list[best].to;
    list[best] = list[left - 1];
    b->left[at]--;
    return to;
}

/* Walks along arcs until all are used, and stores the loops in `l`, which has room for all; a walk that reaches a point
   for the second time has closed a loop. `path` has room for all arcs, `place` for all points. */
static void walk_loops(const rn_shell *shell, boundary *b, uint32_t *path, uint32_t *place, loops *l) {
    size_t written = 0;
    for (size_t p = 0; p < shell->point_count; p++) place[p] = UINT32_MAX;
    for (size_t start = 0; start < shell->point_count; start++)
        while (b->left[start] > 0) {
            size_t length = 0;
            uint32_t at = (uint32_t)start, before = at;
            for (;;) {
                if (place[at] != UINT32_MAX) {
                    const size_t begin = place[at];
                    for (size_t i = begin; i < length; i++) {
                        l->points[written++] = path[i];
                        place[path[i]] = UINT32_MAX;
                    }
                    l->ends[l->count++] = written;
                    length = begin;
                    before = length > 0 ? path[length - 1] : at;
                }
                if (b->left[at] == 0) break;
                place[at] = (uint32_t)length;
                path[length++] = at;
                const uint32_t to = take_arc(shell, b, before, at);
                before = at;
                at = to;
            }
        }
}

/* Sorts the arcs of a boundary into loops, which uses the arcs up. Returns RN_MEMORY, with a message, if memory runs
   out. The caller frees the loops, also then. */
static rn_result find_loops(const rn_shell *shell, boundary *b, loops *l) {
    l->points = rn_alloc(&shell->hooks, b->count, sizeof *l->points);
    l->ends = rn_alloc(&shell->hooks, b->count / 3 + 1, sizeof *l->ends);
    uint32_t *path = rn_alloc(&shell->hooks, b->count, sizeof *path);
    uint32_t *place = rn_alloc(&shell->hooks, shell->point_count, sizeof *place);
    const bool good = l->points && l->ends && path && place;
    if (good) walk_loops(shell, b, path, place, l);
    rn_free(&shell->hooks, path);
    rn_free(&shell->hooks, place);
    return good ? RN_OK : RN_MEMORY;
}

/* A corner that could be cut off a loop, in a heap with the lowest cost on top. */
typedef struct ear {
    double cost;
    uint32_t corner, version; /* stale unless the version is that of the corner */
} ear;

typedef struct filling {
    rn_shell *shell;
    uint32_t *points; /* of the loop's corners */
    uint32_t *next, *before, *versions;
    ear *heap; /* room for three times the corners */
    size_t heap_count;
    rn_vec3 normal; /* of the loop, as long as twice its area (m^2); zero for a crack */
} filling;

/* Whether ear a comes before b in the heap: the cheaper one, or of equal ones that of the lower corner. */
static bool is_sooner(const ear *a, const ear *b) {
    return a->cost != b->cost ? a->cost < b->cost : a->corner < b->corner;
}

/* Adds an ear to the heap, which must have room. */
static void push_ear(filling *f, ear new_ear) {
    size_t i = f->heap_count++;
    for (; i > 0 && is_sooner(&new_ear, &f->heap[(i - 1) / 2]); i = (i - 1) / 2) f->heap[i] = f->heap[(i - 1) / 2];
    f->heap[i] = new_ear;
}

/* Removes the ear with the lowest cost from the heap, which must not be empty, and returns it. */
static ear pop_ear(filling *f) {
    const ear top = f->heap[0], last = f->heap[--f->heap_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < f->heap_count; i = child) {
        if (child + 1 < f->heap_count && is_sooner(&f->heap[child + 1], &f->heap[child])) child++;
        if (!is_sooner(&f->heap[child], &last)) break;
        f->heap[i] = f->heap[child];
    }
    f->heap[i] = last;
    return top;
}

/* Pushes the ear at a corner (its index in the loop), which makes older ones of it stale. Its cost is the square of the
   cut's length (m^2); ears that face against the loop come last. */
static void weigh_ear(filling *f, uint32_t corner) {
    const rn_vec3 *points = f->shell->points;
    const rn_vec3 at[3] = {points[f->points[f->before[corner]]], points[f->points[corner]],
                           points[f->points[f->next[corner]]]};
    const rn_vec3 cut = rn_minus(at[2], at[0]);
    const double size = f->shell->size, cost = rn_dot(cut, cut);
    const bool against = rn_dot(rn_corners_normal(at), f->normal) < 0;
    push_ear(f, (ear){against ? cost + 16 * size * size : cost, corner, ++f->versions[corner]});
}

/* Sets the normal of the loop of `count` corners in f->points; 0 if it encloses hardly any area. */
static void find_normal(filling *f, size_t count) {
    const rn_vec3 *points = f->shell->points, origin = points[f->points[0]];
    rn_vec3 sum = {0, 0, 0};
    double round = 0;
    for (size_t i = 0; i < count; i++) {
        const rn_vec3 a = points[f->points[i]], b = points[f->points[(i + 1) % count]];
        const rn_vec3 part = rn_cross(rn_minus(a, origin), rn_minus(b, origin));
        sum = (rn_vec3){sum.x + part.x, sum.y + part.y, sum.z + part.z};
        round += rn_length(rn_minus(b, a));
    }
    /* a circle has 1 / (2 pi) of the square; a loop with much less area has no definite side */
    f->normal = rn_length(sum) > 1e-3 * round * round ? sum : (rn_vec3){0, 0, 0};
}

/* Fills the loop of `count` corners in f->points with count - 2 triangles, for which the shell must have room. */
static void fill_loop(filling *f, size_t count) {
    rn_shell *shell = f->shell;
    f->heap_count = 0;
    find_normal(f, count);
    for (size_t i = 0; i < count; i++) {
        f->next[i] = (uint32_t)((i + 1) % count);
        f->before[i] = (uint32_t)((i + count - 1) % count);
        f->versions[i] = 0;
    }
    for (size_t i = 0; i < count; i++) weigh_ear(f, (uint32_t)i);
    for (size_t left = count; left > 2;) {
        const ear top = pop_ear(f);
        if (top.version != f->versions[top.corner]) continue;
        const uint32_t before = f->before[top.corner], next = f->next[top.corner];
        uint32_t *face = shell->faces[shell->face_count++];
        face[0] = f->points[before];
        face[1] = f->points[top.corner];
        face[2] = f->points[next];
        f->next[before] = next;
        f->before[next] = before;
        f->versions[top.corner]++;
        left--;
        weigh_ear(f, before);
        weigh_ear(f, next);
    }
}

/* Makes room for `more` faces after those of the shell. Returns false, with a message and nothing changed, if memory
   runs out. */
static bool grow_faces(rn_shell *shell, size_t more) {
    uint32_t(*faces)[3] = rn_alloc(&shell->hooks, shell->face_count + more, sizeof *faces);
    if (!faces) return false;
    memcpy(faces, shell->faces, shell->face_count * sizeof *faces);
    rn_free(&shell->hooks, shell->faces);
    shell->faces = faces;
    return true;
}

/* The length (m) of a closed loop of `count` points. */
static double loop_length(const rn_shell *shell, const uint32_t *points, size_t count) {
    double length = 0;
    for (size_t i = 0; i < count; i++)
        length += rn_length(rn_minus(shell->points[points[(i + 1) % count]], shell->points[points[i]]));
    return length;
}

/* Sets open[] for the longest loop of each part, and clears it for loops found longest before; all must be false at
   first. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result mark_longest_loops(const rn_shell *shell, const loops *l, bool *open) {
    double *longest = rn_alloc(&shell->hooks, shell->part_count, sizeof *longest);
    size_t *which = rn_alloc(&shell->hooks, shell->part_count, sizeof *which);
    const bool good = longest && which;
    for (size_t i = 0, begin = 0; good && i < l->count; begin = l->ends[i++]) {
        const uint32_t part = shell->parts[l->points[begin]];
        const double length = loop_length(shell, l->points + begin, l->ends[i] - begin);
        if (!(length > longest[part])) continue;
        if (longest[part] > 0) open[which[part]] = false;
        longest[part] = length;
        which[part] = i;
        open[i] = true;
    }
    rn_free(&shell->hooks, longest);
    rn_free(&shell->hooks, which);
    return good ? RN_OK : RN_MEMORY;
}

/* Fills all loops that do not stay open; `corners` is the sum of the corners of all loops, at least 1. Returns
   RN_MEMORY, with a message, if memory runs out; then nothing is filled. */
static rn_result fill_loops(rn_shell *shell, const loops *l, size_t corners, const bool *open) {
    filling f = {.shell = shell};
    f.next = rn_alloc(&shell->hooks, corners, sizeof *f.next);
    f.before = rn_alloc(&shell->hooks, corners, sizeof *f.before);
    f.versions = rn_alloc(&shell->hooks, corners, sizeof *f.versions);
    f.heap = rn_alloc(&shell->hooks, 3 * corners, sizeof *f.heap);
    const bool good = f.next && f.before && f.versions && f.heap && grow_faces(shell, corners);
    for (size_t i = 0, begin = 0; good && i < l->count; begin = l->ends[i++]) {
        f.points = l->points + begin;
        if (!open[i]) fill_loop(&f, l->ends[i] - begin);
    }
    void *const scratch[] = {f.next, f.before, f.versions, f.heap};
    for (int i = 0; i < 4; i++) rn_free(&shell->hooks, scratch[i]);
    return good ? RN_OK : RN_MEMORY;
}

/* Lists the edges of the loops that stay open, in the direction of their own faces, which is opposite to that of a
   filling. The caller frees rim->arcs. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result list_rim(const rn_shell *shell, const loops *l, size_t corners, const bool *open, rn_rim *rim) {
    rim->arcs = rn_alloc(&shell->hooks, corners, sizeof *rim->arcs);
    if (!rim->arcs) return RN_MEMORY;
    for (size_t i = 0, begin = 0; i < l->count; begin = l->ends[i++]) {
        const size_t count = l->ends[i] - begin;
        for (size_t k = 0; open[i] && k < count; k++, rim->count++) {
            rim->arcs[rim->count][0] = l->points[begin + (k + 1) % count];
            rim->arcs[rim->count][1] = l->points[begin + k];
        }
    }
    return RN_OK;
}

rn_result rn_shell_close(rn_shell *shell, rn_closing which, rn_mesh_report *report, rn_rim *rim) {
    boundary b = {0};
    loops l = {0};
    bool *open = NULL;
    rn_result result = find_boundary(shell, &b);
    if (result == RN_OK) result = find_loops(shell, &b, &l);
    if (result == RN_OK) {
        report->holes = (int64_t)l.count;
        open = rn_alloc(&shell->hooks, l.count, sizeof *open);
        if (!open) result = RN_MEMORY;
    }
    for (size_t i = 0; result == RN_OK && i < l.count; i++) open[i] = which == RN_CLOSE_NONE;
    if (result == RN_OK && which == RN_CLOSE_INNER) result = mark_longest_loops(shell, &l, open);
    if (result == RN_OK && b.count > 0) result = fill_loops(shell, &l, b.count, open);
    if (result == RN_OK) result = list_rim(shell, &l, b.count, open, rim);
    void *const scratch[] = {b.arcs, b.first, b.left, l.points, l.ends, open};
    for (int i = 0; i < 6; i++) rn_free(&shell->hooks, scratch[i]);
    return result;
}
