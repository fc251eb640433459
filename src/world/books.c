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

/* The quanta of depth in all columns now, summed over cells and layers. */
static int64_t quanta_present(const rn_world *world) {
    const rn_columns *s = world->columns;
    const float per_quantum = (float)(1.0 / world->quantum);
    int64_t sum = 0;
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int y = 0; y < s->grid.ny; y++) {
            const float *depth = s->depth + rn_slot(&s->grid, layer, y, 0);
            for (int x = 0; x < s->grid.nx; x++) sum += (int64_t)(depth[x] * per_quantum);
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
