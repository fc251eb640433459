/* rn_shell_wrap: a closed shell around triangles that do not join: six plates that almost form a box, a scan in
   patches, a triangle soup. It lies where the winding number is one half, which is on the triangles, and spans the gaps
   between them like a film. */
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/mesher.h"
#include "terrain/winding.h"

#include <string.h>

bool rn_winding_misses(const rn_winding *w, const rn_crossings *c, const rn_box *box) {
    enum { ALONG = 24 };
    const double share = 0.05;
    int solid = 0, missed = 0;
    for (int z = 0; z < ALONG; z++)
        for (int y = 0; y < ALONG; y++)
            for (int x = 0; x < ALONG; x++) {
                const rn_vec3 at = {box->low.x + (x + 0.5) / ALONG * (box->high.x - box->low.x),
                                    box->low.y + (y + 0.5) / ALONG * (box->high.y - box->low.y),
                                    box->low.z + (z + 0.5) / ALONG * (box->high.z - box->low.z)};
                if (!(rn_winding_at(w, at) > 0.5)) continue;
                solid++;
                missed += !rn_crossings_solid(c, at);
            }
    return missed > share * solid;
}

/* The lattice begins at the corner of the box, so that floats are precise enough wherever the mesh lies. */
typedef struct winding_lattice {
    rn_lattice head;
    const rn_winding *winding;
    rn_vec3 corner; /* m, of node (0, 0, 0) */
} winding_lattice;

/* From lattice coordinates to metres from the lattice's corner, not from the origin. */
static rn_vec3 to_metres(const rn_lattice *lattice, const double at[3]) {
    const double s = lattice->spacing;
    return (rn_vec3){s * at[0], s * at[1], s * at[2]};
}

/* 1/2 minus the winding number at a position in lattice coordinates: 0 or less in solid. */
static double value_at(const rn_lattice *lattice, const double at[3]) {
    const winding_lattice *l = (const winding_lattice *)lattice;
    const rn_vec3 p = to_metres(lattice, at);
    return 0.5 - rn_winding_at(l->winding, (rn_vec3){l->corner.x + p.x, l->corner.y + p.y, l->corner.z + p.z});
}

/* 1/2 minus the winding number at a node, 0 or less in solid; 0.5, open, on the faces of the lattice. */
static double node_value(const rn_lattice *lattice, const int node[3]) {
    for (int a = 0; a < 3; a++)
        if (node[a] <= 0 || node[a] >= lattice->nodes[a] - 1) return 0.5;
    return value_at(lattice, (double[3]){node[0], node[1], node[2]});
}

/* Returns false only if the centre and all corners are clearly on one side and far from triangles. Winding numbers are
   harmonic off the triangles and change slowly there, so everything between is on the same side. */
static bool may_cross(const rn_lattice *lattice, const int low[3], const int high[3]) {
    const winding_lattice *l = (const winding_lattice *)lattice;
    const double some_way = 1.5, well = 0.2;
    const double middle[3] = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
    const rn_vec3 p = to_metres(lattice, middle);
    const double distance =
        rn_tree_distance(&l->winding->tree, (rn_vec3){l->corner.x + p.x, l->corner.y + p.y, l->corner.z + p.z});
    const double reach = rn_length3(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2;
    const double first = value_at(lattice, middle);
    bool crosses = distance <= some_way * reach * lattice->spacing || fabs(first) < well;
    for (int corner = 0; corner < 8 && !crosses; corner++) {
        const double at[3] = {corner & 1 ? high[0] : low[0], corner >> 1 & 1 ? high[1] : low[1],
                              corner >> 2 ? high[2] : low[2]};
        const double here = value_at(lattice, at);
        crosses = (here <= 0) != (first <= 0) || fabs(here) < well;
    }
    return crosses;
}

/* Where the surface crosses the edge from a node along an axis, as a share of it, kept from its ends: bisects the edge,
   because the winding number jumps across a triangle. from: the value at the node. */
static double edge_crossing(const rn_lattice *lattice, const int node[3], int axis, float from, float to) {
    (void)to;
    double at[3] = {node[0], node[1], node[2]}, low = 0, high = 1;
    for (int i = 0; i < 5; i++) { /* to a thirtieth of an edge: nothing finer is known of the gaps */
        const double half = 0.5 * (low + high);
        at[axis] = node[axis] + half;
        if ((value_at(lattice, at) <= 0) == (from <= 0)) low = half;
        else high = half;
    }
    return rn_lattice_keep(0.5 * (low + high));
}

/* Always up. The result is never used: a wrapped shell needs no normals. */
static rn_vec3 crossing_normal(const rn_lattice *lattice, const int node[3], int axis, double along) {
    (void)lattice, (void)node, (void)axis, (void)along;
    return (rn_vec3){0, 0, 1};
}

/* Replaces the shell by a copy of a mesh with positions relative to `corner` (m); its box is extended, its size stays.
   Returns RN_MEMORY, with a message, if memory runs out; the shell is then empty. */
static rn_result replace_by_mesh(rn_shell *shell, const rn_mesh *mesh, rn_vec3 corner) {
    const rn_hooks hooks = shell->hooks;
    const rn_box box = shell->box;
    const double size = shell->size;
    rn_shell_free(shell);
    *shell = (rn_shell){.hooks = hooks, .box = box, .size = size};
    shell->points = rn_alloc(&hooks, mesh->vertex_count, sizeof *shell->points);
    shell->faces = rn_alloc(&hooks, mesh->triangle_count, sizeof *shell->faces);
    if (!shell->points || !shell->faces) return RN_MEMORY;
    shell->point_count = mesh->vertex_count;
    shell->face_count = shell->own = mesh->triangle_count;
    for (size_t i = 0; i < shell->point_count; i++) {
        const float *p = mesh->positions + 3 * i;
        shell->points[i] = (rn_vec3){corner.x + (double)p[0], corner.y + (double)p[1], corner.z + (double)p[2]};
        shell->box.low =
            (rn_vec3){rn_min(shell->box.low.x, shell->points[i].x), rn_min(shell->box.low.y, shell->points[i].y),
                      rn_min(shell->box.low.z, shell->points[i].z)};
        shell->box.high =
            (rn_vec3){rn_max(shell->box.high.x, shell->points[i].x), rn_max(shell->box.high.y, shell->points[i].y),
                      rn_max(shell->box.high.z, shell->points[i].z)};
    }
    memcpy(shell->faces, mesh->indices, shell->face_count * sizeof *shell->faces);
    return RN_OK;
}

/* The volume (m^3) of a closed shell, negative if it is inside out. */
static double shell_volume(const rn_shell *shell) {
    double volume = 0;
    for (size_t f = 0; f < shell->face_count; f++) {
        rn_vec3 at[3];
        rn_face_corners_at(shell, f, at);
        volume += rn_dot(rn_minus(at[0], shell->box.low), rn_corners_normal(at)) / 6;
    }
    return volume;
}

rn_result rn_shell_wrap(rn_shell *shell, const rn_winding *w, double spacing, int threads, rn_mesh_report *report) {
    static const rn_lattice_class type = {node_value, may_cross, to_metres, edge_crossing, crossing_normal};
    enum { MARGIN = 2 };
    const rn_box *box = &shell->box;
    const double sides[3] = {box->high.x - box->low.x, box->high.y - box->low.y, box->high.z - box->low.z};
    winding_lattice l = {.head = {.type = &type, .spacing = spacing}, .winding = w};
    l.corner = (rn_vec3){box->low.x - MARGIN * spacing, box->low.y - MARGIN * spacing, box->low.z - MARGIN * spacing};
    for (int a = 0; a < 3; a++) {
        l.head.nodes[a] = (int)rn_min(ceil(sides[a] / spacing) + 1 + 2 * MARGIN, 1e9);
        l.head.high[a] = l.head.nodes[a] - 1;
    }
    rn_mesher mesher;
    rn_result result = rn_mesher_open(&mesher, &l.head, false, threads, &shell->hooks);
    if (result == RN_OK) result = rn_mesher_make(&mesher);
    if (result == RN_OK) result = replace_by_mesh(shell, &mesher.mesh, l.corner);
    rn_mesher_free(&mesher);
    /* blocks beside a skipped one may have been left open, and nothing else relies on the estimate */
    rn_rim none = {0};
    rn_mesh_report unread = {0};
    if (result == RN_OK) result = rn_shell_close(shell, RN_CLOSE_ALL, &unread, &none);
    rn_free(&shell->hooks, none.arcs);
    report->wrapped = spacing;
    report->inside_out = w->sign < 0 ? report->parts : 0;
    report->volume = result == RN_OK ? shell_volume(shell) : 0;
    return result;
}
