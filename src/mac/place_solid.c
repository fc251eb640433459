/* Solids from functions of the host: distances at the corners of cells, and velocities at faces. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "mac/density.h"
#include "mac/gauges.h"
#include "mac/particles.h"
#include "mac/pressure.h"
#include "mac/solids.h"
#include "mac/transfer.h"

#include <string.h>

#define NEAR 2.0f /* cells: distance from the surface of a solid within which faces need its velocity */

typedef struct placing {
    rn_mac *mac;
    rn_mac_distance distance;
    rn_mac_velocity velocity;
    void *user;
} placing;

/* The arrays that only a box with a solid has. Those that the box does not have yet are new; the others are NULL. */
typedef struct solid_arrays {
    float *room, *room_seen, *nodes, *solid[3];
} solid_arrays;

/* The number of corners of cells. */
static size_t node_count(const rn_mac *mac) {
    return ((size_t)mac->grid.n[0] + 1) * ((size_t)mac->grid.n[1] + 1) * ((size_t)mac->grid.n[2] + 1);
}

/* Allocates *to, zeroed, unless the box `has` such an array. Returns false if memory runs out. */
static bool allocate(const rn_mac *mac, const float *has, float **to, size_t count) {
    return has || (*to = rn_alloc(&mac->hooks, count, sizeof **to));
}

/* Allocates the arrays that the box lacks; velocities only if the solid moves. Returns false if memory runs out;
   release() then frees what there is. */
static bool allocate_solid(const rn_mac *mac, bool moves, solid_arrays *made) {
    const size_t cells = (size_t)mac->grid.cells;
    bool fine = allocate(mac, mac->room, &made->room, cells) && allocate(mac, mac->room_seen, &made->room_seen, cells);
    fine = fine && allocate(mac, mac->nodes, &made->nodes, node_count(mac));
    for (int a = 0; a < 3 && moves; a++) fine = fine && allocate(mac, mac->solid[a], &made->solid[a], cells);
    return fine;
}

/* Frees new arrays. */
static void release(const rn_mac *mac, solid_arrays *made) {
    rn_free(&mac->hooks, made->room);
    rn_free(&mac->hooks, made->room_seen);
    rn_free(&mac->hooks, made->nodes);
    for (int a = 0; a < 3; a++) rn_free(&mac->hooks, made->solid[a]);
}

/* Gives new arrays to the box. */
static void take_arrays(rn_mac *mac, const solid_arrays *made) {
    if (made->room) mac->room = made->room;
    if (made->room_seen) mac->room_seen = made->room_seen;
    if (made->nodes) mac->nodes = made->nodes;
    for (int a = 0; a < 3; a++)
        if (made->solid[a]) mac->solid[a] = made->solid[a];
}

/* Sets the solid at rest: frees its velocities. */
static void forget_velocity(rn_mac *mac) {
    for (int a = 0; a < 3; a++) {
        rn_free(&mac->hooks, mac->solid[a]);
        mac->solid[a] = NULL;
    }
}

/* A task over layers of corners: finds their distances (cells) with the host's function, limited to -1000 and 1000. */
static void measure_layers(void *context, int begin, int end, int worker) {
    (void)worker;
    const placing *p = context;
    const int *n = p->mac->grid.n;
    const double cell = p->mac->def.cell_size;
    float *node = p->mac->nodes + (size_t)begin * ((size_t)n[0] + 1) * ((size_t)n[1] + 1);
    for (int k = begin; k < end; k++)
        for (int j = 0; j <= n[1]; j++)
            for (int i = 0; i <= n[0]; i++)
                *node++ =
                    (float)rn_clamp(p->distance(p->user, (rn_vec3){cell * i, cell * j, cell * k}) / cell, -1e3, 1e3);
}

/* Finds distances at all corners. Fails if one is NaN. */
static rn_result measure_distances(placing *p) {
    const int *n = p->mac->grid.n;
    const double cell = p->mac->def.cell_size;
    rn_parallel_for(p->mac->pool, n[2] + 1, measure_layers, p);
    const float *node = p->mac->nodes;
    for (int k = 0; k <= n[2]; k++)
        for (int j = 0; j <= n[1]; j++)
            for (int i = 0; i <= n[0]; i++)
                if (isnan(*node++))
                    return rn_fail(RN_INVALID, "the solid's distance at (%g, %g, %g) m is not a number", cell * i,
                                   cell * j, cell * k);
    return RN_OK;
}

/* The middle (m) of the lower face a of cell (i, j, k). */
static rn_vec3 face_middle(const rn_mac *mac, int a, int i, int j, int k) {
    const double cell = mac->def.cell_size;
    return (rn_vec3){cell * (i + (a == 0 ? 0.0 : 0.5)), cell * (j + (a == 1 ? 0.0 : 0.5)),
                     cell * (k + (a == 2 ? 0.0 : 0.5))};
}

/* The speed of the solid (m/s) along a at the lower face a of cell (i, j, k); 0 far from its surface. */
static double measure_velocity(const placing *p, int a, int i, int j, int k) {
    float at[3] = {(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, slope[3];
    at[a] -= 0.5f;
    const float distance = rn_mac_solid_distance(p->mac, at, slope);
    if (!(distance > -NEAR && distance < NEAR)) return 0.0;
    const rn_vec3 v = p->velocity(p->user, face_middle(p->mac, a, i, j, k));
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

/* Copies the solid's velocity across the ends of a periodic row whose cell i = 0 is `at`. */
static void join_ends(rn_mac *mac, int32_t at) {
    for (int a = 0; a < 3; a++) {
        mac->solid[a][at + mac->grid.n[0]] = mac->solid[a][at];
        mac->solid[a][at - 1] = mac->solid[a][at + mac->grid.n[0] - 1];
    }
}

/* Whether lower face a of cell (i, j, k) lies in a side of the box. */
static bool is_side(const rn_mac *mac, int a, int i, int j, int k) {
    return (a == 0 ? i : a == 1 ? j : k) == 0 && !(a == 0 && mac->def.periodic_x);
}

/* A task over layers of cells: finds velocities of the solid at their lower faces, and at the periodic ends. Leaves
   faces in sides of the box, also open ones, at 0. */
static void find_velocities(void *context, int begin, int end, int worker) {
    (void)worker;
    const placing *p = context;
    rn_mac *mac = p->mac;
    const rn_mac_grid *g = &mac->grid;
    for (int k = begin; k < end; k++)
        for (int j = 0; j < g->n[1]; j++) {
            for (int i = 0; i < g->n[0]; i++)
                for (int a = 0; a < 3; a++)
                    if (!is_side(mac, a, i, j, k))
                        mac->solid[a][rn_mac_cell(g, i, j, k)] =
                            rn_mac_is_far(mac, i, j, k, NEAR) ? 0.0f : (float)measure_velocity(p, a, i, j, k);
            if (mac->def.periodic_x) join_ends(mac, rn_mac_cell(g, 0, j, k));
        }
}

/* Finds velocities of the solid at all faces inside the box. Fails if one is NaN, or 1e6 m/s or more. Needs `nodes`. */
static rn_result measure_velocities(placing *p) {
    const rn_mac *mac = p->mac;
    const int *n = mac->grid.n;
    rn_parallel_for(mac->pool, n[2], find_velocities, p);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    const double found = (double)mac->solid[a][rn_mac_cell(&mac->grid, i, j, k)];
                    const rn_vec3 at = face_middle(mac, a, i, j, k);
                    if (!(fabs(found) < 1e6))
                        return rn_fail(RN_INVALID,
                                       "the solid's velocity at (%g, %g, %g) m is %g m/s along %c; it must be below "
                                       "1e6 m/s",
                                       at.x, at.y, at.z, found, "xyz"[a]);
                }
    return RN_OK;
}

/* Part n, from 0 to 5, of scratch, which no one needs between steps: a float for each cell. */
static float *scratch(const rn_mac *mac, int n) { return mac->scratch + (size_t)n * (size_t)mac->grid.cells; }

/* Finds distances and, if the solid moves, velocities in scratch: part 0, and 1 to 3. The box keeps its own. Fails if a
   value is invalid. */
static rn_result measure(placing *p) {
    rn_mac *mac = p->mac;
    float *const nodes = mac->nodes, *const solid[3] = {mac->solid[0], mac->solid[1], mac->solid[2]};
    mac->nodes = scratch(mac, 0);
    for (int a = 0; a < 3 && p->velocity; a++) {
        mac->solid[a] = scratch(mac, 1 + a);
        memset(mac->solid[a], 0, (size_t)mac->grid.cells * sizeof(float)); /* also of idle rows */
    }
    rn_result result = measure_distances(p);
    if (result == RN_OK && p->velocity) result = measure_velocities(p);
    mac->nodes = nodes;
    for (int a = 0; a < 3; a++) mac->solid[a] = solid[a];
    return result;
}

/* Finds everything that follows from the solid: distances, velocities, open fractions. If a distance or velocity is
   invalid, returns RN_INVALID; if memory runs out, RN_MEMORY. Then nothing changes but scratch. */
static rn_result place_solid(placing *p) {
    rn_mac *mac = p->mac;
    solid_arrays made = {.room = NULL};
    const bool fits = allocate_solid(mac, p->velocity != NULL, &made);
    const rn_result result = fits ? measure(p) : RN_MEMORY;
    if (result != RN_OK) {
        release(mac, &made);
        return result;
    }
    take_arrays(mac, &made);
    memcpy(mac->nodes, scratch(mac, 0), node_count(mac) * sizeof(float));
    for (int a = 0; a < 3 && p->velocity; a++)
        memcpy(mac->solid[a], scratch(mac, 1 + a), (size_t)mac->grid.cells * sizeof(float));
    if (!p->velocity) forget_velocity(mac);
    rn_mac_cut_cells(mac);
    rn_mac_see_rooms(mac);
    rn_mac_find_parts(mac);
    return RN_OK;
}

rn_result rn_mac_set_solid(rn_mac *mac, rn_mac_distance distance, void *user) {
    return place_solid(&(placing){.mac = mac, .distance = distance, .user = user});
}

rn_result rn_mac_move_solid(rn_mac *mac, rn_mac_distance distance, rn_mac_velocity velocity, void *user) {
    const rn_result result =
        place_solid(&(placing){.mac = mac, .distance = distance, .velocity = velocity, .user = user});
    if (result != RN_OK) return result;
    rn_mac_push_out(mac);
    rn_mac_count_gauges(mac);
    rn_mac_particles_sort(mac);
    return RN_OK;
}
