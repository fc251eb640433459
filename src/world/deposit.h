/* The one place where liquid comes to columns or leaves them between substeps: sources, rain and losses, fills, bodies
   that float, and what hosts write into views. Depths stay whole quanta within their columns, and the solver is told.
 */
#ifndef RN_WORLD_DEPOSIT_H
#define RN_WORLD_DEPOSIT_H

#include "world/world.h"

typedef enum rn_deposit_by {
    RN_BY_SOURCE, /* tells the solver of the column even if nothing changed; rn_sources_step returns what was added */
    RN_BY_LEVEL,  /* the same, of liquid that comes with the speed of the stream: a held level is part of wider water */
    RN_BY_BODY,   /* tells it of the column and of what was added, if anything was */
    RN_BY_FILL,   /* tells it nothing: call rn_deposit_unknown once at the end */
} rn_deposit_by;

/* Adds whole quanta to a column, or takes them away where negative, as far as there is room or liquid; returns how
   many. A hole takes all, and the ledger books that as left; the caller books everything else. */
int64_t rn_deposit(rn_world *world, int32_t slot, double quanta, rn_deposit_by by);

/* Rain or losses over the whole world. */
typedef struct rn_area_flux {
    const float *shares;  /* by slot; NULL: 1 */
    double before, after; /* whole quanta of a share of 1, so far */
    float least_ceil;     /* m, only columns with at least this ceiling */
    bool takes;           /* rather than gives */
    bool under_roofs;     /* not only what is open to the sky; decides least_ceil */
} rn_area_flux;

/* Rain or loss on all columns; what each row got or lost goes into `rows`, by layer and row. */
void rn_deposit_shower(rn_world *world, const rn_area_flux *shower, rn_area_row *rows);

/* Tells the solver that depths may have changed anywhere; fluxes: and those too. */
void rn_deposit_unknown(rn_world *world, bool fluxes);
/* Corrects depths and fluxes that hosts have written to values that columns can have. */
void rn_deposit_mend(rn_world *world);

#endif
