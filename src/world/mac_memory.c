/* The memory limit of a 3D liquid. Interface: rn_world_mac_check_memory (world/mac.h).

   It is called when the liquid is made, before each fill, and before each step with the particles that sources will
   add, so that a liquid that is too large is refused before anything has changed. The estimate is the grid, whose
   size is known, plus a fixed number of bytes per particle. */
#include "base/error.h"
#include "world/mac.h"

/* Returns RN_LIMIT if the grid with this many particles needs more memory than allowed. */
rn_result rn_world_mac_check_memory(const rn_world_mac *m, double particles) {
    const double grid = (double)rn_mac_grid_bytes(&m->def), one = (double)rn_mac_particle_bytes(&m->def);
    const double all = grid + particles * one;
    if (all <= m->memory) return RN_OK;
    return rn_fail(RN_LIMIT,
                   "the 3D liquid needs %.3g GB: %.3g GB for %d x %d x %d cells, and %.0f bytes for each of %.3g "
                   "particles; \"memory\" allows %.3g GB: enlarge the cells, or lower the lid",
                   1e-9 * all, 1e-9 * grid, m->def.cells_x, m->def.cells_y, m->def.cells_z, one, particles,
                   1e-9 * m->memory);
}
