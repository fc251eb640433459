/* Sorts the edges of a shell; rn_shell_wind finds its parts, and gives neighbours a consistent orientation. */
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/shell.h"

/* Sorts all slots by a stable counting sort, in the order of `from` (NULL: by number), into `to` by the higher
   (`greater`) or the lower end of their edges; `starts`: room for a number per point and one more. Two of them, by the
   higher and then by the lower end, make equal edges adjacent in linear time. */
static void sort_by_end(const rn_shell *shell, bool greater, const uint32_t *from, uint32_t *to, uint32_t *starts) {
    const size_t count = 3 * shell->face_count;
    for (size_t p = 0; p <= shell->point_count; p++) starts[p] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            const uint32_t slot = from ? from[i] : (uint32_t)i;
            const uint32_t a = rn_slot_from(shell, slot), b = rn_slot_to(shell, slot);
            const uint32_t key = (a > b) == greater ? a : b;
            if (pass == 0) starts[key + 1]++;
            else to[starts[key]++] = slot;
        }
        for (size_t p = 0; pass == 0 && p < shell->point_count; p++) starts[p + 1] += starts[p];
    }
}

uint32_t *rn_edges_sorted(const rn_shell *shell) {
    const size_t count = 3 * shell->face_count;
    uint32_t *sorted = rn_alloc(&shell->hooks, count, sizeof *sorted);
    uint32_t *half = rn_alloc(&shell->hooks, count, sizeof *half);
    uint32_t *starts = rn_alloc(&shell->hooks, shell->point_count + 1, sizeof *starts);
    const bool good = sorted && half && starts;
    if (good) {
        sort_by_end(shell, true, NULL, half, starts);
        sort_by_end(shell, false, half, sorted, starts);
    } else {
        rn_free(&shell->hooks, sorted);
    }
    rn_free(&shell->hooks, half);
    rn_free(&shell->hooks, starts);
    return good ? sorted : NULL;
}

size_t rn_edge_end(const rn_shell *shell, const uint32_t *slots, size_t begin) {
    const size_t count = 3 * shell->face_count;
    const uint32_t a = rn_slot_from(shell, slots[begin]), b = rn_slot_to(shell, slots[begin]);
    size_t end = begin + 1;
    for (; end < count; end++) {
        const uint32_t c = rn_slot_from(shell, slots[end]), d = rn_slot_to(shell, slots[end]);
        if (!((a == c && b == d) || (a == d && b == c))) break;
    }
    return end;
}

/* A union-find structure that also stores, for each member, whether it faces against its set's first. */
typedef struct unions {
    uint32_t *parent;
    uint8_t *turned; /* relative to the parent */
    uint8_t *torn;   /* for a root: its members cannot agree */
} unions;

/* Creates `count` sets of one member each. Returns false, with a message, if memory runs out; the caller frees what was
   allocated with unions_free, also then. */
static bool unions_make(const rn_hooks *hooks, size_t count, unions *u) {
    u->parent = rn_alloc(hooks, count, sizeof *u->parent);
    u->turned = rn_alloc(hooks, count, sizeof *u->turned);
    u->torn = rn_alloc(hooks, count, sizeof *u->torn);
    if (!u->parent || !u->turned || !u->torn) return false;
    for (size_t i = 0; i < count; i++) u->parent[i] = (uint32_t)i;
    return true;
}

/* Frees the lists, not the struct itself; NULL lists are allowed. */
static void unions_free(const rn_hooks *hooks, unions *u) {
    rn_free(hooks, u->parent);
    rn_free(hooks, u->turned);
    rn_free(hooks, u->torn);
}

/* The root of i; *turned: 1 if i is turned relative to it. Shortens the path. */
static uint32_t root_of(unions *u, uint32_t i, uint8_t *turned) {
    uint8_t sum = 0;
    while (u->parent[i] != i) {
        const uint32_t above = u->parent[i];
        u->turned[i] ^= u->turned[above]; /* 0 for a root */
        u->parent[i] = u->parent[above];
        sum ^= u->turned[i];
        i = u->parent[i];
    }
    *turned = sum;
    return i;
}

/* Joins the sets of i and k; turned 1: the two face opposite ways. If they are in one set already and contradict it,
   that set is marked as torn. The root with the lower number stays, so that the result does not depend on the order. */
static void unite_sets(unions *u, uint32_t i, uint32_t k, uint8_t turned) {
    uint8_t turned_i, turned_k;
    uint32_t a = root_of(u, i, &turned_i), b = root_of(u, k, &turned_k);
    turned = (uint8_t)(turned ^ turned_i ^ turned_k);
    if (a == b) {
        u->torn[a] |= turned;
        return;
    }
    if (a > b) {
        const uint32_t kept = a;
        a = b;
        b = kept;
    }
    u->parent[b] = a;
    u->turned[b] = turned;
    u->torn[a] |= u->torn[b];
}

/* Finds the parts, connected by common points, and numbers them in the order of their first faces; points without faces
   get UINT32_MAX. Adds points and faces to the Euler characteristic in the report. Returns RN_MEMORY, with a message,
   if memory runs out. */
static rn_result find_parts(rn_shell *shell, rn_mesh_report *report) {
    unions u;
    const bool good = unions_make(&shell->hooks, shell->point_count, &u);
    shell->parts = rn_alloc(&shell->hooks, shell->point_count, sizeof *shell->parts);
    if (good && shell->parts) {
        uint8_t turned;
        for (size_t f = 0; f < shell->face_count; f++)
            for (int k = 1; k < 3; k++) unite_sets(&u, shell->faces[f][0], shell->faces[f][k], 0);
        for (size_t p = 0; p < shell->point_count; p++) shell->parts[p] = UINT32_MAX;
        for (size_t f = 0; f < shell->face_count; f++) {
            const uint32_t root = root_of(&u, shell->faces[f][0], &turned);
            if (shell->parts[root] == UINT32_MAX) shell->parts[root] = (uint32_t)shell->part_count++;
            for (int k = 0; k < 3; k++) shell->parts[shell->faces[f][k]] = shell->parts[root];
        }
        report->parts = (int64_t)shell->part_count;
        for (size_t p = 0; p < shell->point_count; p++) report->euler += shell->parts[p] != UINT32_MAX;
        report->euler += (int64_t)shell->face_count;
    }
    unions_free(&shell->hooks, &u);
    return good && shell->parts ? RN_OK : RN_MEMORY;
}

/* Joins faces that share an edge of just two faces. Counts in the report open edges (one face) and branching ones
   (three or more), and subtracts all edges from the Euler characteristic. */
static void unite_neighbours(const rn_shell *shell, const uint32_t *slots, unions *u, rn_mesh_report *report) {
    for (size_t i = 0, end; i < 3 * shell->face_count; i = end) {
        end = rn_edge_end(shell, slots, i);
        report->euler--;
        report->open_edges += end - i == 1;
        report->branching_edges += end - i > 2;
        if (end - i != 2) continue;
        const bool same_way = rn_slot_from(shell, slots[i]) == rn_slot_from(shell, slots[i + 1]);
        unite_sets(u, slots[i] / 3, slots[i + 1] / 3, same_way);
    }
}

/* In each patch of faces that are joined by edges of two, flips the faces of the orientation with less area, and counts
   them. Patches that cannot agree stay as they are. Also adds up the area. `areas`: two per face, 0 at first. */
static void turn_minorities(rn_shell *shell, unions *u, double (*areas)[2], rn_mesh_report *report) {
    uint8_t turned;
    for (size_t f = 0; f < shell->face_count; f++) {
        const uint32_t root = root_of(u, (uint32_t)f, &turned);
        const double area = 0.5 * rn_length(rn_face_normal(shell, f));
        areas[root][turned] += area;
        report->area += area;
    }
    for (size_t f = 0; f < shell->face_count; f++) {
        const uint32_t root = root_of(u, (uint32_t)f, &turned);
        const uint8_t minority = areas[root][0] >= areas[root][1];
        if (u->torn[root] || turned != minority) continue;
        rn_face_turn(shell->faces[f]);
        report->flipped++;
    }
}

rn_result rn_shell_wind(rn_shell *shell, rn_mesh_report *report) {
    rn_result result = find_parts(shell, report);
    if (result != RN_OK) return result;
    unions u;
    const bool good = unions_make(&shell->hooks, shell->face_count, &u);
    double(*areas)[2] = rn_alloc(&shell->hooks, shell->face_count, sizeof *areas);
    uint32_t *slots = rn_edges_sorted(shell);
    if (good && areas && slots) {
        unite_neighbours(shell, slots, &u, report);
        turn_minorities(shell, &u, areas, report);
    } else {
        result = RN_MEMORY;
    }
    unions_free(&shell->hooks, &u);
    rn_free(&shell->hooks, areas);
    rn_free(&shell->hooks, slots);
    return result;
}
