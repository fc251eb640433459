/* Heads of surface tension and contact angles: the order of the passes, and their division among threads.

   Interface: rn_contact_find (solver/contact.h) fills `contact`, the head of every column, and `hold`, the head
   difference that the edge of the liquid withstands there, and advances the wetness of the ground. rn_contact_foot
   (solver/solver.h) gives the depth of the foot of an edge, and is 0 where contact has no effect.

   Order of calls: rn_momentum_step calls rn_contact_find in every substep with dynamic contact, before tiles are
   kicked; depths and the transfers of the last substep must be known, also beyond periodic edges. rn_contact_foot is
   called when a world is created and when its settings change.

   Algorithm: kernels/contact.h has the energy of which heads are the derivative, and docs/contact.md derives it.
   find_rows finds heads, filter_rows smooths them in params->filter - 1 passes so that capillary waves of a few
   cells allow longer substeps (weigh_pass has the polynomial), and finish_rows subtracts the levels again. Rows
   without liquid in or beside them only dry. A row reads values of the rows beside it and writes only its own, so
   threads may divide the rows in any way. */
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

/* The filter, and the weights of one of its passes. degree: n below, 3, 5 or 7; pass: 1 to degree - 1.

   Capillary waves of a few cells would need short substeps. So heads are filtered before they push: by a polynomial
   s(L) of the operator L by which liquid moves, heads h -> -div(H grad h), scaled, with s(0) = 1. With

       L s(L) = (1 - Tn(w - v L) / 2) / b,  0 <= L <= 8,  v = (w + 1) / 8,

   Tn Chebyshev's polynomial, w where Tn is 2, b so that s(0) = 1, L s(L) is nowhere above 9.2/n^2: substeps may be
   almost n times as long. And it is nowhere (but near L = 0) below a third of that. With w = 1 it would be 0 at some
   wavelengths. No force would act on those: drops would stop in wrong shapes, or never. Only degree 3 has w = 1: the
   one wavelength is that of the grid, and steep drops are rounder.

   Besides 0, Tn(w - v L) = 2 has pairs of complex roots, R and its conjugate. Two passes apply the factor
   (1 - L/R)(1 - L/R*) = (1 - A L)^2 + (B L)^2, with 1/R = A + iB:

       h1 = h - A L h,   h2 = h1 - (A + B^2/A) L h1 + (B/A)^2 (h - h1).

   Pairs of large roots come first, so that no intermediate result grows large.

   Whole heads are filtered, including levels. They are even where liquid rests, so the filter neither moves liquid at
   rest nor amplifies its oscillations. If contact heads alone were filtered, L, which changes with the depths, would do
   work. */
static void weigh_pass(int degree, int pass, float *part, float *back) {
    static const double ends[] = {1.0, 1.0348885641917318, 1.0177499990081829}; /* w for degrees 3, 5 and 7 */
    const double w = ends[(degree - 3) / 2], v = 0.125 * (w + 1.0);
    const int k = (degree + 1) / 2 - (pass + 1) / 2;
    double sine, cosine;
    rn_sin_cos(2.0 * 3.14159265358979323846 * k / degree, &sine, &cosine);
    const double real = w * (1.0 - cosine) / v, other = sqrt(w * w - 1.0) * sine / v;
    const double size = real * real + other * other, A = real / size, B = other / size;
    const bool first = pass % 2 == 1;
    *part = (float)(first ? A : A + B * B / A);
    *back = (float)(first ? 0.0 : (B / A) * (B / A));
}

typedef struct contact_pass {
    substep step;
    const rn_contact_sweeps *sweeps;
    float part, back; /* weights of this pass of the filter */
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

/* A task over rows: one pass of the filter, near liquid. */
static void filter_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        if (is_near_liquid(s, at))
            pass->sweeps->filter(&pass->step, rn_slot(&s->columns.grid, at.layer, at.y, 0), pass->part, pass->back);
    }
}

/* A task over rows: contact heads near liquid. */
static void finish_rows(void *context, int begin, int end, int worker) {
    const contact_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref at = row_at(s, i);
        if (is_near_liquid(s, at)) pass->sweeps->finish(&pass->step, rn_slot(&s->columns.grid, at.layer, at.y, 0));
    }
}

/* Makes the result of a filter pass, total_next, the input of the next pass. */
static void swap_totals(rn_graph *g) {
    float *const next = g->total_next;
    g->total_next = g->total;
    g->total = next;
}

void rn_contact_find(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    const int degree = step->params->filter;
    contact_pass pass = {.step = *step, .sweeps = RN_ISA_CHOSEN(rn_contact_sweeps)};
    rn_parallel_for(pool, row_count(s), find_rows, &pass);
    mirror_rows(s, s->graph.hold);
    mirror_rows(s, s->graph.share_x);
    mirror_rows(s, s->graph.share_y);
    for (int k = 1; k < degree; k++) {
        weigh_pass(degree, k, &pass.part, &pass.back);
        mirror_rows(s, s->graph.total);
        rn_parallel_for(pool, row_count(s), filter_rows, &pass);
        swap_totals(&s->graph);
    }
    rn_parallel_for(pool, row_count(s), finish_rows, &pass);
    mirror_rows(s, s->graph.contact);
}
