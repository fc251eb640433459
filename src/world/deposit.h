/* The only functions that add liquid to columns or remove it between substeps: for sources, rain and losses, fills,
   floating bodies, and values that hosts write into views. Depths stay whole quanta within their columns, and the
   solver is notified. */
#ifndef RN_WORLD_DEPOSIT_H
#define RN_WORLD_DEPOSIT_H

#include "world/world.h"

typedef enum rn_deposit_by {
    RN_BY_SOURCE, /* of rn_deposit_apart: depth added counts in columns->gained, as liquid at rest */
    RN_BY_LEVEL,  /* of rn_deposit_apart: new liquid has the speed of the stream, because a held level stands for a
                     larger body of liquid */
    RN_BY_BODY,   /* of rn_deposit: notifies the solver of the column and the depth added, if any */
    RN_BY_FILL,   /* of rn_deposit: notifies nobody; call rn_deposit_unknown once at the end */
} rn_deposit_by;

/* Adds whole quanta to a column, or removes them if negative, as far as there is room or liquid; returns how many,
   negative if removed. A hole accepts any number, and the ledger counts them as left. The caller counts all quanta
   poured or drained in the ledger. */
int64_t rn_deposit(rn_world *world, int32_t slot, double quanta, rn_deposit_by by);

/* For many columns: changes one like rn_deposit, by a source or level, but neither the ledger nor the solver learn of
   it before rn_deposit_tell, which counts it even if nothing changed. Threads may call it at the same time for
   different columns. */
rn_deposited rn_deposit_apart(rn_world *world, int32_t slot, double quanta, rn_deposit_by by);
/* Notifies the solver of `count` columns that rn_deposit_apart has changed, and enters in the ledger what fell into
   holes. */
void rn_deposit_tell(rn_world *world, const int32_t *slots, const rn_deposited *done, int32_t count);

/* Rain or losses over the whole world. */
typedef struct rn_area_flux {
    const float *shares;  /* by slot; NULL: 1 everywhere */
    double before, after; /* whole quanta due at a share of 1, in total before and after this substep */
    float least_ceil;     /* m, acts only on columns whose ceiling is at least this high */
    bool takes;           /* removes liquid instead of adding it */
    bool under_roofs;     /* also acts on columns that are not open to the sky; determines least_ceil */
} rn_area_flux;

/* Applies rain or loss to all columns, as far as they have room or liquid, and notifies the solver of changed rows;
   updates the ledger, which counts as refused only rain. Rain also counts in columns->gained. Needs the parts of
   world->sources. */
void rn_deposit_shower(rn_world *world, const rn_area_flux *shower);

/* Notifies the solver that depths may have changed anywhere, and with `fluxes` also fluxes; does not touch the ledger.
 */
void rn_deposit_unknown(rn_world *world, bool fluxes);
/* Corrects depths and fluxes that hosts may have written: depths become whole quanta within their columns, NaN 0;
   fluxes are limited to what the height of the world could carry, and 0 if not finite. Does not notify the solver or
   update the ledger. */
void rn_deposit_mend(rn_world *world);

#endif
