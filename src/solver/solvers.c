/* The list of all solvers.

   Interface (solver/solver.h): rn_solver_at goes through the list, and rn_solver_find finds a solver by name and
   backend; the first is the default. Worlds, scenes, documents and tests/test_solvers.c use this list.
   rn_solver_find looks for the backend "cuda" in a library of its own (solver/backend.c), whose solvers are not in
   this list.

   To add a solver, write its rn_solver_class and list it here. */
#include "base/error.h"
#include "solver/backend.h"
#include "solver/packets.h"
#include "solver/pipe_solver.h"

#include <stdio.h>
#include <string.h>

/* The first is the default. */
static const rn_solver_class *const solvers[] = {&rn_solver_explicit, &rn_solver_implicit, &rn_solver_packets};

enum { COUNT = sizeof solvers / sizeof solvers[0] };

const rn_solver_class *rn_solver_at(int number) { return number >= 0 && number < COUNT ? solvers[number] : NULL; }

/* Writes the list of solvers, as in: "explicit" (cpu), "implicit" (cpu). Cut off if `size` does not suffice. */
static void list_solvers(char *text, size_t size) {
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < COUNT && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s\"%s\" (%s)", i ? ", " : "", solvers[i]->name,
                               solvers[i]->backend);
}

bool rn_solver_has_gpu(const char *name) {
    return strcmp(name, rn_solver_explicit.name) == 0 || strcmp(name, rn_solver_implicit.name) == 0;
}

rn_result rn_solver_find(const char *name, const char *backend, const rn_solver_class **found) {
    if (!name) name = solvers[0]->name;
    if (!backend) backend = solvers[0]->backend;
    for (int i = 0; i < COUNT; i++)
        if (strcmp(solvers[i]->name, name) == 0 && strcmp(solvers[i]->backend, backend) == 0) {
            *found = solvers[i];
            return RN_OK;
        }
    if (strcmp(backend, "cuda") == 0) return rn_backend_find(name, backend, found);
    char all[512];
    list_solvers(all, sizeof all);
    return rn_fail(RN_INVALID, "there is no solver \"%s\" for the backend \"%s\"; there are %s", name, backend, all);
}
