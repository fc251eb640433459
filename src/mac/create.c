/* Definition and memory of the 3D liquid. */
#include "mac/mac.h"

#include "base/error.h"
#include "base/memory.h"
#include "mac/bodies.h"
#include "mac/gauges.h"
#include "mac/multigrid.h"
#include "mac/particles.h"
#include "mac/solids.h"
#include "mac/state.h"
#include "mac/surface.h"
#include "mac/viscosity.h"

#include <math.h>

rn_mac_def rn_mac_default(void) { return (rn_mac_def){.gravity = {0.0, 0.0, -9.81}}; }

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* `value`, or `otherwise` if it is 0, which means that it was not given. */
static double or_default(double value, double otherwise) { return value != 0.0 ? value : otherwise; }

/* The definition with all defaults filled in, except gravity_courant: its default follows the viscosity, which may
   change (step.c). */
static rn_mac_def with_defaults(const rn_mac_def *def) {
    rn_mac_def all = *def;
    all.flip_share = or_default(def->flip_share, 0.97);
    all.courant = or_default(def->courant, def->transfer == RN_MAC_MARKERS ? 0.5 : 3.0);
    all.tolerance = or_default(def->tolerance, 1e-5);
    all.density_time = or_default(def->density_time, 0.1);
    return all;
}

/* Returns RN_INVALID, with a message that has the name and the unit, unless the value is from `least` to `most`. NaN
   is invalid. */
static rn_result check_value(const char *name, double value, double least, double most, const char *unit) {
    if (value >= least && value <= most) return RN_OK;
    return rn_fail(RN_INVALID, "\"%s\" is %g; it must be from %g to %g%s", name, value, least, most, unit);
}

/* Returns RN_INVALID, with a message, unless each axis has 1 to RN_MAC_LONGEST cells, and a periodic x a multiple of
   8. */
static rn_result check_cells(const rn_mac_def *def) {
    const int n[3] = {def->cells_x, def->cells_y, def->cells_z};
    for (int a = 0; a < 3; a++)
        if (n[a] < 1 || n[a] > RN_MAC_LONGEST)
            return rn_fail(RN_INVALID, "\"cells\" has %d along %c; it must be from 1 to %d", n[a], "xyz"[a],
                           RN_MAC_LONGEST);
    if (def->periodic_x && def->cells_x % 8 != 0)
        return rn_fail(RN_INVALID, "\"cells\" has %d along x; a periodic box needs a multiple of 8", def->cells_x);
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless transfer, surface and the bits of `no_slip` and `open` are valid and go
   together with each other, with surface tension and with periodic_x. */
static rn_result check_choices(const rn_mac_def *def) {
    if (def->transfer < RN_MAC_APIC || def->transfer > RN_MAC_MARKERS)
        return rn_fail(RN_INVALID, "\"transfer\" is %d; it must be from %d (APIC) to %d (markers)", (int)def->transfer,
                       RN_MAC_APIC, RN_MAC_MARKERS);
    if (def->surface < RN_MAC_GHOST_FLUID || def->surface > RN_MAC_GATES)
        return rn_fail(RN_INVALID, "\"surface\" is %d; it must be %d (ghost fluid) or %d (Gates)", (int)def->surface,
                       RN_MAC_GHOST_FLUID, RN_MAC_GATES);
    if (def->surface == RN_MAC_GATES && def->surface_tension > 0.0)
        return rn_fail(RN_INVALID, "\"surface_tension\" is %g, but Gates' surface has none; it needs ghost fluid",
                       def->surface_tension);
    if (def->no_slip > (RN_MAC_ALL_WALLS | RN_MAC_SOLIDS))
        return rn_fail(RN_INVALID, "\"no_slip\" is %u; it is a sum of sides and solids, from 0 to %d", def->no_slip,
                       RN_MAC_ALL_WALLS | RN_MAC_SOLIDS);
    if (def->open > RN_MAC_ALL_WALLS)
        return rn_fail(RN_INVALID, "\"open\" is %u; it is a sum of sides, from 0 to %d", def->open, RN_MAC_ALL_WALLS);
    if (def->no_slip & def->open)
        return rn_fail(RN_INVALID, "\"no_slip\" and \"open\" share the sides %u; liquid cannot stick to an open side",
                       def->no_slip & def->open);
    if (def->periodic_x && (def->open & (RN_MAC_X_LOW | RN_MAC_X_HIGH)))
        return rn_fail(RN_INVALID, "\"open\" has a side of x, but x is periodic; open sides of y or z only");
    return RN_OK;
}

/* On failure returns RN_INVALID, with a message that names the first invalid value. All defaults must be filled in. */
static rn_result check_def(const rn_mac_def *def) {
    const struct {
        const char *name;
        double value, least, most;
        const char *unit;
    } values[] = {
        {"cell_size", def->cell_size, 1e-6, 1e4, " m"},
        {"gravity", fabs(def->gravity.x) + fabs(def->gravity.y) + fabs(def->gravity.z), 0.0, 1e4, " m/s^2"},
        {"viscosity", def->viscosity, 0.0, 1e3, " m^2/s"},
        {"surface_tension", def->surface_tension, 0.0, 1e6, " m^3/s^2"},
        {"flip_share", def->flip_share, 0.0, 1.0, ""},
        {"courant", def->courant, 0.1, def->transfer == RN_MAC_MARKERS ? 0.5 : 10.0, " cells"},
        {"gravity_courant", or_default(def->gravity_courant, 0.3), 1e-3, 10.0, ""},
        {"tolerance", def->tolerance, 1e-7, 0.1, ""},
        {"density_time", def->density_time, -1e6, 1e6, " s"},
        {"threads", def->threads, 0, 1024, ""},
    };
    rn_result result = check_cells(def);
    if (result == RN_OK) result = check_choices(def);
    for (size_t i = 0; i < sizeof values / sizeof *values && result == RN_OK; i++)
        result = check_value(values[i].name, values[i].value, values[i].least, values[i].most, values[i].unit);
    return result;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Arrays over cells and rows of cells. X(pointer, count, type of an element, condition): NULL unless the condition
   holds. */
#define CELL_ARRAYS(X)                                                                                                 \
    X(start, cells + 1, int32_t, true)                                                                                 \
    X(kind, cells, uint8_t, true)                                                                                      \
    X(known[0], cells, uint8_t, true)                                                                                  \
    X(known[1], cells, uint8_t, true)                                                                                  \
    X(known[2], cells, uint8_t, true)                                                                                  \
    X(known_to[0], cells, uint8_t, true)                                                                               \
    X(known_to[1], cells, uint8_t, true)                                                                               \
    X(known_to[2], cells, uint8_t, true)                                                                               \
    X(velocity[0], cells, float, true)                                                                                 \
    X(velocity[1], cells, float, true)                                                                                 \
    X(velocity[2], cells, float, true)                                                                                 \
    X(before[0], cells, float, before)                                                                                 \
    X(before[1], cells, float, before)                                                                                 \
    X(before[2], cells, float, before)                                                                                 \
    X(distance, cells, float, true)                                                                                    \
    X(curvature, cells, float, tension)                                                                                \
    X(filled, cells, float, tension)                                                                                   \
    X(open[0], cells, float, true)                                                                                     \
    X(open[1], cells, float, true)                                                                                     \
    X(open[2], cells, float, true)                                                                                     \
    X(has_surface, rows, bool, true)                                                                                   \
    X(idle, rows, bool, true)                                                                                          \
    X(built, rows, bool, true)                                                                                         \
    X(first, rows, int32_t, true)                                                                                      \
    X(last, rows, int32_t, true)                                                                                       \
    X(narrow_first, rows, int32_t, true)                                                                               \
    X(narrow_last, rows, int32_t, true)                                                                                \
    X(scratch, 6 * cells, float, true)                                                                                 \
    X(particles.tally, RN_MAC_SORT_CHUNKS *(rows + 1), int32_t, true)

/* Bytes of all arrays over cells and rows, including those of the solvers, for a definition with valid cells. */
static uint64_t grid_bytes(const rn_mac_def *def) {
    const rn_mac_grid g = rn_mac_grid_of(def->cells_x, def->cells_y, def->cells_z);
    const uint64_t cells = (uint64_t)g.cells, rows = (uint64_t)g.rows;
    const bool before = def->transfer != RN_MAC_APIC, tension = def->surface_tension > 0.0;
    uint64_t bytes = rn_mac_multigrid_bytes(&g, def->periodic_x);
    if (def->viscosity > 0.0) bytes += rn_mac_viscosity_bytes(&g);
#define ADD(pointer, count, type, condition) bytes += (condition) ? (count) * sizeof(type) : 0;
    CELL_ARRAYS(ADD)
#undef ADD
    return bytes;
}

size_t rn_mac_grid_bytes(const rn_mac_def *def) {
    const uint64_t bytes = check_cells(def) == RN_OK ? grid_bytes(def) : UINT64_MAX;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* Allocates all arrays over cells and rows, and the solvers of pressure and viscosity. Returns false if memory runs
   out; rn_mac_destroy frees what there is. */
static bool allocate(rn_mac *mac) {
    const size_t cells = (size_t)mac->grid.cells, rows = (size_t)mac->grid.rows;
    const bool before = mac->def.transfer != RN_MAC_APIC, tension = mac->def.surface_tension > 0.0;
#define ALLOCATE(pointer, count, type, condition)                                                                      \
    if ((condition) && !(mac->pointer = rn_alloc(&mac->hooks, count, sizeof(type)))) return false;
    CELL_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return rn_mac_multigrid_create(mac) && rn_mac_viscosity_create(mac);
}

void rn_mac_destroy(rn_mac *mac) {
    if (!mac) return;
    const rn_hooks hooks = mac->hooks;
    rn_pool_destroy(mac->pool);
    rn_mac_multigrid_free(mac);
    rn_mac_viscosity_free(mac);
#define RELEASE(pointer, count, type, condition) rn_free(&hooks, mac->pointer);
    CELL_ARRAYS(RELEASE)
#undef RELEASE
    rn_mac_particles_free(mac);
    rn_free(&hooks, mac->nodes);
    rn_free(&hooks, mac->room);
    rn_free(&hooks, mac->room_seen);
    for (int a = 0; a < 3; a++) rn_free(&hooks, mac->solid[a]);
    rn_free(&hooks, mac->sources.all);
    rn_mac_bodies_free(mac);
    rn_mac_gauges_free(mac);
    rn_free(&hooks, mac);
}

/* Creates threads, memory and tables of a zeroed liquid whose definition, hooks, grid, cell size and number of values
   are set; opens the box. Returns RN_INVALID if hooks are incomplete, and RN_MEMORY if memory runs out; the caller then
   destroys the liquid. */
static rn_result fill_new(rn_mac *mac) {
    mac->pool = rn_pool_create(&mac->hooks, mac->def.threads);
    if (!mac->pool) return rn_pool_refusal(&mac->hooks);
    if (!allocate(mac)) return RN_MEMORY;
    rn_mac_open_box(mac);
    rn_mac_make_table(mac);
    return rn_mac_particles_reserve(mac, 1);
}

rn_result rn_mac_create(const rn_mac_def *def, rn_mac **mac) {
    const rn_mac_def all = with_defaults(def);
    *mac = NULL;
    const rn_result fine = check_def(&all);
    if (fine != RN_OK) return fine;
    rn_mac *made = rn_alloc(all.hooks, 1, sizeof *made);
    if (!made) return RN_MEMORY;
    made->def = all;
    if (all.hooks) made->hooks = *all.hooks;
    made->def.hooks = NULL;
    made->grid = rn_mac_grid_of(all.cells_x, all.cells_y, all.cells_z);
    made->cell = (float)all.cell_size;
    made->particles.values = rn_mac_values_of(&all);
    const rn_result result = fill_new(made);
    if (result == RN_OK) *mac = made;
    else rn_mac_destroy(made);
    if (result != RN_MEMORY) return result;
    return rn_fail(RN_MEMORY,
                   "a 3D liquid of %d x %d x %d cells needs %.3g GB of memory for its grid, which is not there",
                   all.cells_x, all.cells_y, all.cells_z, 1e-9 * (double)grid_bytes(&all));
}
