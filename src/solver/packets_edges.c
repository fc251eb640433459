/* Copies arrays of the packets solver across periodic edges.

   Interface: rn_packets_mirror (solver/packets_self.h), for the grid of any level. It runs before a pass reads cells
   beyond an edge: depths and velocities before packets are sent, depths again before the kick, and both while ghosts
   are filled. Rows are extended along x first; whole rows, their extensions included, are then copied along y, which
   fills the corners. */
#include "solver/packets_self.h"

#include <string.h>

void rn_packets_mirror(const rn_columns *c, const rn_grid *g, float *values) {
    for (int y = 0; c->periodic_x && y < g->ny; y++) {
        float *row = values + rn_slot(g, 0, y, 0);
        for (int k = 0; k < g->rim; k++) {
            row[-1 - k] = row[g->nx - 1 - k % g->nx];
            row[g->nx + k] = row[k % g->nx];
        }
    }
    const size_t bytes = (size_t)(g->nx + 2 * g->rim) * sizeof *values;
    for (int k = 0; c->periodic_y && k < g->rim; k++) {
        memcpy(values + rn_slot(g, 0, -1 - k, -g->rim), values + rn_slot(g, 0, g->ny - 1 - k % g->ny, -g->rim), bytes);
        memcpy(values + rn_slot(g, 0, g->ny + k, -g->rim), values + rn_slot(g, 0, k % g->ny, -g->rim), bytes);
    }
}
