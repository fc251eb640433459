/* The ledger: where all liquid came from and went. Interface: rn_world_audit, rn_world_volume and rn_world_commit
   (include/runnel/world.h).

   Hosts call these between steps. rn_world_audit compares the liquid poured with the liquid present, drained and
   lost. In columns both sides are integers, so a drift other than 0 is a bug. In a 3D liquid particles are counted,
   and the drift is the difference to the volume within the surface. rn_world_commit takes over depths that a host has
   written into views: it corrects them (world/deposit.c), enters the difference as poured or drained, notifies the
   solver and applies pending changes of solid. world/mac_show.c uses the same way for the columns that mirror a 3D
   liquid. */
#include "world/apply.h"
#include "world/deposit.h"
#include "world/mac.h"

#include <runnel/surface.h>

/* The quanta of depth in `rows` rows of columns, of which the first has its depths (m) here. */
static int64_t quanta_of_rows(const rn_world *world, const float *depth, int rows) {
    const rn_grid *g = &world->columns->grid;
    const float per_quantum = (float)(1.0 / world->quantum);
    int64_t sum = 0;
    for (int row = 0; row < rows; row++, depth += g->stride)
        for (int x = 0; x < g->nx; x++) sum += (int64_t)(depth[x] * per_quantum);
    return sum;
}

/* The same where a device has the depths: copies them, so that their pages need not move. */
static int64_t quanta_on(rn_device *device, const rn_world *world, const float *depth, int rows) {
    enum { COPY = 3 << 15 }; /* bytes: more than a row of 16,384 columns */
    float copy[COPY / sizeof(float)];
    const int stride = world->columns->grid.stride;
    const int most = (int)(sizeof copy / sizeof *copy) / stride; /* rows at once; 0: not even one */
    if (most == 0) return quanta_of_rows(world, depth, rows);
    int64_t sum = 0;
    for (int row = 0; row < rows;) {
        const int count = rows - row < most ? rows - row : most;
        const size_t bytes = ((size_t)(count - 1) * (size_t)stride + (size_t)world->columns->grid.nx) * sizeof *copy;
        if (rn_device_copy(device, copy, depth, bytes) != RN_OK) return sum + quanta_of_rows(world, depth, rows - row);
        sum += quanta_of_rows(world, copy, count);
        depth += (size_t)count * (size_t)stride;
        row += count;
    }
    return sum;
}

/* The quanta of depth in all columns now, summed over cells and layers. */
static int64_t quanta_present(const rn_world *world) {
    const rn_columns *s = world->columns;
    rn_device *device = rn_world_device(world);
    int64_t sum = 0;
    for (int layer = 0; layer < s->grid.layers; layer++) {
        const float *depth = s->depth + rn_slot(&s->grid, layer, 0, 0);
        sum += device ? quanta_on(device, world, depth, s->grid.ny) : quanta_of_rows(world, depth, s->grid.ny);
    }
    return sum;
}

/* The audit of a 3D liquid: `present` is measured within the surface, everything else is counted in particles. The
   drift shows how well the surface preserves volume. All volumes in m^3. */
static rn_audit mac_audit(const rn_world *world) {
    const rn_mac_ledger book = rn_mac_audit(world->mac->mac);
    return (rn_audit){.poured = book.poured,
                      .drained = book.drained,
                      .left = book.left,
                      .refused = book.blocked,
                      .present = world->mac->measured,
                      .drift = world->mac->measured - book.present};
}

rn_audit rn_world_audit(const rn_world *world) {
    if (world->mac) return mac_audit(world);
    const rn_ledger *book = &world->ledger;
    double unit = world->quantum * world->ground.cell_size * world->ground.cell_size;
    int64_t now = quanta_present(world);
    return (rn_audit){
        .poured = (double)book->poured * unit,
        .drained = (double)book->drained * unit,
        .left = (double)book->left * unit,
        .displaced = (double)book->displaced * unit,
        .body_offset = (double)book->body_offset * unit,
        .refused = (double)book->refused * unit,
        .present = (double)now * unit,
        .drift = (double)(now - rn_ledger_sum(book)) * unit,
    };
}

double rn_world_volume(const rn_world *world) { return rn_world_audit(world).present; }

rn_result rn_world_commit(rn_world *world) {
    rn_deposit_mend(world);
    rn_ledger *book = &world->ledger;
    int64_t change = quanta_present(world) - rn_ledger_sum(book);
    if (change > 0) book->poured += change;
    else book->drained -= change;
    rn_deposit_unknown(world, true);
    return rn_solids_apply(world);
}
