/* Heads of surface tension and contact angles: the order of the passes, and their division among threads.

   Interface: rn_contact_find (solver/contact.h) fills `contact`, the head of every column, and `hold`, the head
   difference that the edge of the liquid withstands there, and advances the wetness of the ground. rn_contact_foot
   (solver/solver.h) gives the depth of the foot of an edge, and is 0 where contact has no effect.

   Order of calls: rn_momentum_step calls rn_contact_find in every substep with dynamic contact, before tiles are
   kicked; depths and the transfers of the last substep must be known, also beyond periodic edges. rn_contact_foot is
   called when a world is created and when its settings change.

   Algorithm: kernels/contact.h has the energy of which heads are the derivative, and docs/contact.md derives it.
   find_rows finds heads; diffuse_rows and filter_rows, in turn, smooth them in params->filter - 1 passes, so that
   capillary waves of a few cells allow longer substeps (rn_contact_roots has the polynomial); and finish_rows subtracts
   the levels again. Rows without liquid in or beside them only dry. A row reads values of the rows beside it and writes
   only its own, so threads may divide the rows in any way. */
#include "solver/contact.h"

#include "base/maths.h"
#include "solver/contact_sweeps.h"
#include "solver/solver.h"

#include <math.h>

#define CONTACT_COARSEST 0.02 /* m: in larger cells no edge of a liquid is seen, and contact angles do nothing */
#define CONTACT_LEAST    0.1  /* degrees: at smaller angles liquid wets all */
#define CONTACT_FOOT     2.0  /* the depth (cells) of the foot over tan(theta/2); less, and edges stick to cells */
/* No foot is deeper than both of these. Deeper, and small drops with large angles are too flat: */
#define CONTACT_CELLS   1.8 /* cells */
#define CONTACT_LENGTHS 0.3 /* capillary lengths */
#define FILTER_DAMPED   0.2 /* less, and some drops do not come to rest; more, and substeps must be shorter */
#define CONTACT_SHALLOW 0.8 /* of a puddle's depth: no foot is deeper */

double rn_contact_foot(const rn_world_def *world, double cell) {
    const double G = world->liquid.surface_tension / world->liquid.density, angle = world->liquid.contact_angle;
    if (world->contact != RN_CONTACT_DYNAMIC || world->model != RN_MODEL_PHYSICAL || cell >= CONTACT_COARSEST)
        return 0.0;
    if (!(G > 0.0) || !(angle > CONTACT_LEAST)) return 0.0;
    double sine, cosine; /* of half the angle */
    rn_sin_cos(0.5 * (angle * (3.14159265358979323846 / 180.0)), &sine, &cosine);
    const double length = sqrt(G / (double)(float)-world->gravity.z), puddle = 2.0 * length * sine;
    const double deepest = rn_max(CONTACT_CELLS * cell, CONTACT_LENGTHS * length);
    const double foot = rn_min(CONTACT_FOOT * cell * sine / rn_max(cosine, 1e-6), deepest);
    return rn_min(foot, CONTACT_SHALLOW * puddle);
}

/* The filter, and one pair of its roots. degree: n below, 3 or 5; pair: 1 to n/2.

   Capillary waves of a few cells would need short substeps. So heads are filtered before they push: by a polynomial
   s(L) of the operator L by which liquid moves, heads h -> -div(H grad h), scaled, with s(0) = 1. With

       L s(L) = c (1 - Tn(w - L (w + 1)/8) / Tn(w)),  0 <= L <= 8,  w = 1 + FILTER_DAMPED/n^2,

   Tn Chebyshev's polynomial, L s(L) is nowhere above about 8/n^2: substeps may be up to n times as long. With w = 1,
   L s(L) would be 0 for some L > 0: nothing would drive waves of that length, and drops would stay out of round or
   wander. As w is more, L s(L) is at least 0.09 of its maximum for all but the longest waves. Its roots are complex:
   L = 8 (w - cosh(m + 2 pi i k/n)) / (w + 1) with cosh m = w, k from 1 to n - 1. Those of k and n - k are a pair.

   Whole heads are filtered, including levels. They are even where liquid rests, so the filter neither moves liquid at
   rest nor amplifies its oscillations. If contact heads alone were filtered, L, which changes with the depths, would do
   work. */
rn_filter_pair rn_contact_roots(int degree, int pair) {
    const double w = 1.0 + FILTER_DAMPED / (degree * degree), sine_of_m = sqrt(w * w - 1.0), scale = (w + 1.0) / 8.0;
    double sine, cosine;
    rn_sin_cos(2.0 * 3.14159265358979323846 * pair / degree, &sine, &cosine);
    const double real = w * (1.0 - cosine), imaginary = sine_of_m * sine;
    const double square = real * real + imaginary * imaginary;
    return (rn_filter_pair){(float)(2.0 * scale * real / square), (float)(scale * scale / square)};
}

typedef struct contact_pass {
    substep step;
    const rn_contact_sweeps *sweeps;
    rn_filter_pair pair; /* roots of this pass of the filter */
} contact_pass;

/* Whether a row or one beside it may be wet. */
static bool is_near_liquid(const rn_state *s, row_ref at) {
    for (int y = at.y - 1; y <= at.y + 1; y++)
        if (rn_row_at(s, at.layer, y)->wet) return true;
    return false;
}

/* How many rows from number `i` on, up to `end`, are in one layer and alike: all near liquid, or none. *near: which. */
static int like_rows(const rn_state *s, int i, int end, bool *near) {
    const row_ref first = row_at(s, i);
    int count = 1;
    *near = is_near_liquid(s, first);
    while (i + count < end && first.y + count < s->columns.grid.ny &&
           is_near_liquid(s, (row_ref){first.layer, first.y + count}) == *near)
        count++;
    return count;
}

/* A task over rows: finds heads and holds near liquid; elsewhere only dries wet ground. */
static void find_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    const rn_grid *g = &s->columns.grid;
    (void)worker;
    for (int i = begin, count; i < end; i += count) {
        bool near;
        count = like_rows(s, i, end, &near);
        const int32_t first = rn_slot(g, row_at(s, i).layer, row_at(s, i).y, 0);
        if (near) pass->sweeps->heads(&pass->step, first, g->nx, count);
        for (int y = 0; y < count && !near && pass->step.params->drying > 0.0f; y++)
            pass->sweeps->dry(&pass->step, first + y * g->stride, g->nx);
    }
}

/* A task over rows: how fast heads even out, near liquid. */
static void diffuse_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        if (is_near_liquid(s, at))
            pass->sweeps->diffuse(&pass->step, rn_slot(&s->columns.grid, at.layer, at.y, 0), s->columns.grid.nx);
    }
}

/* A task over rows: a pair of roots of the filter, near liquid. */
static void filter_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        if (is_near_liquid(s, at))
            pass->sweeps->filter(&pass->step, rn_slot(&s->columns.grid, at.layer, at.y, 0), s->columns.grid.nx,
                                 &pass->pair);
    }
}

/* A task over rows: contact heads near liquid. */
static void finish_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        if (is_near_liquid(s, at))
            pass->sweeps->finish(&pass->step, rn_slot(&s->columns.grid, at.layer, at.y, 0), s->columns.grid.nx);
    }
}

void rn_contact_find(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    const int degree = step->params->filter;
    contact_pass pass = {.step = *step, .sweeps = RN_ISA_CHOSEN(rn_contact_sweeps)};
    rn_parallel_for(pool, row_count(s), find_rows, &pass);
    mirror_rows(s, s->graph.hold);
    mirror_rows(s, s->graph.share_x);
    mirror_rows(s, s->graph.share_y);
    for (int k = 1; k <= degree / 2; k++) {
        pass.pair = rn_contact_roots(degree, k);
        mirror_rows(s, s->graph.total);
        rn_parallel_for(pool, row_count(s), diffuse_rows, &pass);
        mirror_rows(s, s->graph.total_next);
        rn_parallel_for(pool, row_count(s), filter_rows, &pass);
    }
    rn_parallel_for(pool, row_count(s), finish_rows, &pass);
    mirror_rows(s, s->graph.contact);
}
