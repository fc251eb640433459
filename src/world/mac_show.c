/* The 3D liquid as columns of its world: depth and mean flow of each, for probes, maps and exports of columns.

   Interface (world/mac.h): rn_world_mac_show brings the columns up to date, and rn_world_mac_measure finds the
   surface and the volume alone.

   Order of calls: rn_world_mac_show is the last call of a step (mac_step.c) and of a fill (mac_fill.c). It ends with
   rn_world_commit, so that solver and ledger of the columns follow. rn_world_mac_measure runs after a state has been
   restored, whose columns are saved with it.

   A cell counts as filled up to where the surface crosses it, as if the surface were level there. Films and spray
   that are thinner than about two cells have a surface that reaches too far; there the number of particles decides. A
   column gets the sum over the cells in its range; all columns of a cell get the mean velocity of its particles, and
   fluxes are then moved to the faces, as the mean of both sides. The volume of the liquid is measured on the way; the
   ledger shows how far it differs from that of the particles. */
#include "base/memory.h"
#include "mac/particles.h"
#include "mac/solids.h"
#include "mac/surface.h"
#include "world/mac.h"

#include <math.h>

/* Whether liquid cell (i, j, k) or one of the 26 around it lies deep in the liquid: only there is the surface resolved.
   Sheets, threads and drops thinner than about two cells have a surface that reaches too far. */
static bool is_resolved(const rn_mac *mac, int i, int j, int k) {
    const int at[3] = {i, j, k};
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = at[a] > 0 ? at[a] - 1 : 0;
        high[a] = at[a] < mac->grid.n[a] - 1 ? at[a] + 1 : at[a];
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++)
                if (rn_mac_is_deep(mac, rn_mac_cell(&mac->grid, x, y, z))) return true;
    return false;
}

/* The height of liquid (cells) between low and high (cells from its floor) in cell (i, j, k): the part below the
   surface where that is resolved, else as much as its particles fill. */
static double height_in(const rn_mac *mac, int i, int j, int k, double low, double high) {
    const int32_t c = rn_mac_cell(&mac->grid, i, j, k), particles = mac->start[c + 1] - mac->start[c];
    const bool within = mac->kind[c] == RN_MAC_LIQUID || mac->distance[c] < 0.5f;
    if (!within && !particles) return 0.0;
    if (!is_resolved(mac, i, j, k)) return rn_min((double)particles / RN_MAC_REST, high - low);
    const double top = 0.5 - (double)mac->distance[c]; /* if the surface were level */
    return within ? rn_clamp(top - low, 0.0, high - low) : 0.0;
}

/* The depth (cells) of liquid in column (i, j) between two heights (cells from the floor of the box), without cells
   that are solid. */
static double depth_of(const rn_mac *mac, int i, int j, double base, double ceil) {
    double sum = 0.0;
    const int first = (int)rn_clamp(floor(base), 0.0, mac->grid.n[2]);
    for (int k = first; k < mac->grid.n[2] && k < ceil; k++)
        if (mac->kind[rn_mac_cell(&mac->grid, i, j, k)] != RN_MAC_SOLID)
            sum += height_in(mac, i, j, k, rn_max(base - k, 0.0), rn_min(ceil - k, 1.0));
    return sum;
}

/* The liquid (cells) in cell (i, j, k), as in height_in, as far as there is room beside solids. */
static double liquid_in(const rn_mac *mac, int i, int j, int k) {
    const int32_t c = rn_mac_cell(&mac->grid, i, j, k);
    const double room = mac->kind[c] == RN_MAC_SOLID ? 0.0 : mac->room ? (double)mac->room[c] : 1.0;
    return is_resolved(mac, i, j, k) ? room * height_in(mac, i, j, k, 0.0, 1.0) : height_in(mac, i, j, k, 0.0, room);
}

/* Mean horizontal velocity (m/s) of the particles in a column of cells; 0 if there are none. */
static void flow_of(const rn_mac *mac, int i, int j, float flow[2]) {
    const rn_mac_particles *p = &mac->particles;
    double sums[2] = {0.0, 0.0}, count = 0.0;
    for (int k = 0; k < mac->grid.n[2]; k++) {
        const int32_t c = rn_mac_cell(&mac->grid, i, j, k);
        for (int32_t n = mac->start[c]; n < mac->start[c + 1]; n++) {
            sums[0] += (double)p->value[RN_MAC_SPEED][n];
            sums[1] += (double)p->value[RN_MAC_SPEED + 1][n];
            count += 1.0;
        }
    }
    for (int a = 0; a < 2; a++) flow[a] = count > 0.0 ? (float)(sums[a] / count) : 0.0f;
}

/* The volume of the liquid (m^3). Liquid that is pressed together has less of it than its particles, and liquid with
   air between them more. */
static double measure(const rn_mac *mac) {
    double cells = 0.0;
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int i = row.first; i <= row.last; i++) cells += liquid_in(mac, i, row.j, row.k);
    }
    return cells * mac->def.cell_size * mac->def.cell_size * mac->def.cell_size;
}

typedef struct showing {
    rn_world *world;
    rn_view base, ceil, depth, flux[2];
} showing;

/* Where a view stores the value of a column. */
static float *place(const rn_view *view, int layer, int y, int x) {
    return view->data + layer * view->layer_stride + y * view->row_stride + x;
}

/* A task over rows: sets depth and flux of their columns. All columns of a cell get the mean flow of the whole cell. */
static void show_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const showing *s = context;
    const rn_mac *mac = s->world->mac->mac;
    const double cell = mac->def.cell_size;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->depth.cells_x; x++) {
            float flow[2];
            flow_of(mac, x, y, flow);
            for (int layer = 0; layer < s->depth.layers; layer++) {
                const double base = (double)*place(&s->base, layer, y, x), ceil = (double)*place(&s->ceil, layer, y, x);
                if (base >= (double)RN_NO_COLUMN) break;
                const double depth = base < 0.0 ? 0.0 : cell * depth_of(mac, x, y, base / cell, ceil / cell);
                *place(&s->depth, layer, y, x) = (float)depth;
                for (int a = 0; a < 2; a++) *place(&s->flux[a], layer, y, x) = flow[a] * (float)(depth * cell);
            }
        }
}

/* Turns fluxes of columns into those of the faces towards +x (axis 0) or +y (1): the mean of both columns, 0 at the
   edge of the domain. */
static void move_to_faces(const rn_view *flux, int axis) {
    for (int layer = 0; layer < flux->layers; layer++)
        for (int y = 0; y < flux->cells_y; y++)
            for (int x = 0; x < flux->cells_x; x++) {
                float *here = place(flux, layer, y, x);
                const bool last = axis == 0 ? x + 1 == flux->cells_x : y + 1 == flux->cells_y;
                const float next = last ? 0.0f : *place(flux, layer, y + axis, x + 1 - axis);
                *here = last ? 0.0f : 0.5f * (*here + next);
            }
}

void rn_world_mac_measure(rn_world *world) {
    rn_mac *mac = world->mac->mac;
    rn_mac_find_rows(mac, (int)ceil(mac->def.courant) + 2); /* as in a substep */
    rn_mac_find_surface(mac);
    world->mac->measured = measure(mac);
}

rn_result rn_world_mac_show(rn_world *world) {
    rn_world_mac_measure(world);
    showing s = {.world = world,
                 .base = rn_world_view(world, RN_FIELD_BASE),
                 .ceil = rn_world_view(world, RN_FIELD_CEIL),
                 .depth = rn_world_view(world, RN_FIELD_DEPTH),
                 .flux = {rn_world_view(world, RN_FIELD_FLUX_X), rn_world_view(world, RN_FIELD_FLUX_Y)}};
    rn_parallel_for(world->pool, s.depth.cells_y, show_rows, &s);
    for (int a = 0; a < 2; a++) move_to_faces(&s.flux[a], a);
    world->stats.deepest = 0.0;
    for (int layer = 0; layer < s.depth.layers; layer++)
        for (int y = 0; y < s.depth.cells_y; y++)
            for (int x = 0; x < s.depth.cells_x; x++)
                world->stats.deepest = rn_max(world->stats.deepest, (double)*place(&s.depth, layer, y, x));
    return rn_world_commit(world);
}
