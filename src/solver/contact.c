/* Heads of surface tension and contact angles, row by row. A row reads depths of the rows beside it and writes only
   its own heads, holds and wet ground, so threads may divide the rows in any way. */
#include "solver/contact.h"

#include "solver/contact_sweeps.h"

/* The filter. Capillary waves of a few cells would need short substeps. Therefore heads are filtered before they
   act: by a polynomial s(L), s(0) = 1, of the operator L by which liquid moves, heads h -> div(H grad h). Such a
   filter leaves a drop at rest unchanged, and creates no energy. With

       L s(L) = (4/25) (1 - T5(1 - L/4)),  0 <= L <= 8,

   T5 being Chebyshev's polynomial, L s(L) is at most 8/25: substeps may be up to five times as long. Its roots,
   twice each, are 4 (1 - cos(2 pi/5)) and 4 (1 - cos(4 pi/5)). */
enum { PASSES = 4 };
static const float parts[PASSES] = {1.0f / 7.236068f, 1.0f / 2.763932f, 1.0f / 7.236068f, 1.0f / 2.763932f};

typedef struct contact_pass {
    substep step;
    const rn_contact_sweeps *sweeps;
    float part; /* weight of this pass of the filter */
} contact_pass;

/* Whether a row or one beside it may be wet. */
static bool is_near_liquid(const rn_state *s, row_ref at) {
    for (int y = at.y - 1; y <= at.y + 1; y++)
        if (rn_row_at(s, at.layer, y)->wet) return true;
    return false;
}

/* A task over rows: finds heads and holds near liquid; elsewhere only dries wet ground. */
static void find_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        const int32_t row = rn_slot(&s->columns.grid, at.layer, at.y, 0);
        if (is_near_liquid(s, at)) pass->sweeps->heads(&pass->step, row);
        else if (pass->step.params->drying > 0.0f) pass->sweeps->dry(&pass->step, row);
    }
}

/* A task over rows: one pass of the filter. */
static void filter_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        if (is_near_liquid(s, at))
            pass->sweeps->filter(&pass->step, rn_slot(&s->columns.grid, at.layer, at.y, 0), pass->part);
    }
}

static void swap_heads(rn_graph *g) {
    float *const next = g->contact_next;
    g->contact_next = g->contact;
    g->contact = next;
}

void rn_contact_find(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    contact_pass pass = {.step = *step, .sweeps = RN_ISA_CHOSEN(rn_contact_sweeps)};
    rn_parallel_for(pool, row_count(s), find_rows, &pass);
    mirror_rows(s, s->graph.contact);
    mirror_rows(s, s->graph.hold);
    for (int k = 0; k < PASSES; k++) {
        pass.part = parts[k];
        rn_parallel_for(pool, row_count(s), filter_rows, &pass);
        swap_heads(&s->graph);
        mirror_rows(s, s->graph.contact);
    }
}
