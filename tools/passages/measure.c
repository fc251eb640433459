/* Numbers for docs/passages.md: every method, measured by running the library, beside theory.
   Prints CSV: plot,series,x,y */
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>

static const struct {
    flow_method method;
    const char *name;
} methods[] = {
    {FLOW_UNIFIED_LONG, "unified-long"}, {FLOW_IMPLICIT, "implicit"}, {FLOW_UNIFIED, "unified"}, {FLOW_AXIS, "axis"}};

/* The level of basin A against time, 100 points. */
static void levels(const char *plot, const char *series, const plan *p, const setup *s, double until) {
    rn_world *world = plan_world(p, s);
    plan_fill(world, p, (double[]){UTUBE_LEVEL + 2e-3, UTUBE_LEVEL - 2e-3});
    for (double time = 0.0, next = 0.0; time < until; time += step_within_limit(world)) {
        if (time < next) continue;
        printf("%s,%s,%.9g,%.9g\n", plot, series, time, plan_level(world, p, 'A'));
        next += until / 100.0;
    }
    rn_world_destroy(world);
}

/* Theory: the slowest swing of small amplitude. */
static void utube(void) {
    const int length = 40;
    const plan p = utube_plan(length);
    const double omega = utube_frequency(length), until = 3.0 * acos(-1.0) / omega;
    for (int i = 0; i <= 100; i++) {
        const double time = until * i / 100.0;
        printf("utube,theory,%.9g,%.9g\n", time, UTUBE_LEVEL + 2e-3 * cos(omega * time));
    }
    for (int m = 0; m < 4; m++) levels("utube", methods[m].name, &p, &(setup){.passages = methods[m].method}, until);
}

/* No formula has a bend: the implicit step at a sixth of its usual substep stands for theory. */
static void bend(void) {
    const plan p = bend_plan();
    const double until = 0.9;
    levels("bend", "converged", &p, &(setup){.passages = FLOW_IMPLICIT, .courant = 0.5}, until);
    for (int m = 0; m < 4; m++) levels("bend", methods[m].name, &p, &(setup){.passages = methods[m].method}, until);
}

int main(void) {
    printf("plot,series,x,y\n");
    utube();
    bend();
    return 0;
}
