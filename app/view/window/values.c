/* The values of the scene that the panel shows and changes. Interface: view/window/values.h. */
#include "view/window/values.h"

#include "view/window/scenes.h"
#include "view/window/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ---- */

static const value_range ranges[NUMBERS] = {
    [NUMBER_VISCOSITY] = {"Viscosity", 1e-7, 1e-1, true, "%.1e m\xc2\xb2/s"},
    [NUMBER_CONTACT_ANGLE] = {"Contact angle", 1, 170, false, "%.0f\xc2\xb0"},
    [NUMBER_FRICTION] = {"Friction", 0.01, 1, false, "keeps %.2f/s"},
    [NUMBER_COURANT] = {"Courant", 0.1, 20, false, "%.2f"},
};

/* Returns whether the current scene runs with the solver of this name. */
static bool is_solver(const viewer *v, const char *name) { return strcmp(v->solver, name) == 0; }

value_range values_range(const viewer *v, value_number number) {
    value_range range = ranges[number];
    if (number == NUMBER_COURANT && is_solver(v, "packets")) range.high = 1;
    return range;
}

bool values_has(const viewer *v, value_number number) {
    switch (number) {
    case NUMBER_CONTACT_ANGLE:
    case NUMBER_FRICTION: return !is_solver(v, "mac");
    case NUMBER_COURANT: return is_solver(v, "packets") || is_solver(v, "implicit");
    case NUMBER_VISCOSITY:
    case NUMBERS: break;
    }
    return true;
}

/* Returns where the viewer keeps a number. */
static const double *find_number(const viewer *v, value_number number) {
    switch (number) {
    case NUMBER_CONTACT_ANGLE: return &v->contact_angle;
    case NUMBER_FRICTION: return &v->friction;
    case NUMBER_COURANT: return &v->courant;
    case NUMBER_VISCOSITY:
    case NUMBERS: break;
    }
    return &v->viscosity;
}

double values_number(const viewer *v, value_number number) { return *find_number(v, number); }

void values_set_number(viewer *v, value_number number, double value) {
    static const char *const keys[NUMBERS] = {"liquid.viscosity", "liquid.contact_angle", "friction", "courant"};
    const bool packets = number == NUMBER_COURANT && is_solver(v, "packets");
    char change[ACTION_TEXT];
    if (!v->live || number >= NUMBERS || !values_has(v, number)) return;
    snprintf(change, sizeof change, "%s%s=%.9g", packets ? "packets." : "", keys[number], value);
    simulation_set(v, change);
}

void values_step_number(viewer *v, value_number number, int steps) {
    const value_range r = values_range(v, number);
    const double now = values_number(v, number);
    if (v->live && !values_has(v, number)) {
        viewer_tell(v, true, "%s: the solver \"%s\" does not use it", r.name, v->solver);
        return;
    }
    const double next = r.logarithmic ? fmax(now, r.low) * pow(1.5, steps) : now + 0.025 * steps * (r.high - r.low);
    values_set_number(v, number, fmin(fmax(next, r.low), r.high));
}

/* ---- Choices ---- */

const value_list value_lists[CHOICES] = {
    [CHOICE_SOLVER] = {"Solver", "solver", {"explicit", "implicit", "packets", "mac"}},
    [CHOICE_MODEL] = {"Model", "model", {"physical", "paper"}},
    [CHOICE_PASSAGES] = {"Passages", "passages", {"default", "unified-long", "unified", "axis", "none"}},
    [CHOICE_CONTACT] = {"Contact", "contact", {"static", "dynamic"}},
};

int values_choice(const viewer *v, value_choice choice, int *count) {
    const char *const now[CHOICES] = {v->solver, v->model, v->passages, v->contact};
    int found = -1;
    for (*count = 0; *count < VALUES_MOST && value_lists[choice].options[*count]; ++*count)
        if (strcmp(value_lists[choice].options[*count], now[choice]) == 0) found = *count;
    return found;
}

bool values_has_choice(const viewer *v, value_choice choice) {
    return !is_solver(v, "mac") || (choice != CHOICE_MODEL && choice != CHOICE_PASSAGES);
}

const char *values_why_fixed(const viewer *v) {
    return v->from_checkpoint ? "a checkpoint goes on only as it began; to choose these, open its scene" : NULL;
}

void values_choose(viewer *v, value_choice choice, int option) {
    char change[64];
    if (!v->live) return;
    if (!values_has_choice(v, choice)) {
        viewer_tell(v, true, "%s: the solver \"%s\" does not use it", value_lists[choice].name, v->solver);
        return;
    }
    if (values_why_fixed(v)) {
        viewer_tell(v, true, "%s: %s", value_lists[choice].name, values_why_fixed(v));
        return;
    }
    snprintf(change, sizeof change, "%s=%s", value_lists[choice].key, value_lists[choice].options[option]);
    scenes_restart_with(v, change);
}
