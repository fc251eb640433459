/* Values of the scene that the user changes: numbers, which take effect at once, and choices, which restart the scene.
   The panel and the keys follow these tables. */
#ifndef VIEW_VALUES_H
#define VIEW_VALUES_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum value_number {
    NUMBER_VISCOSITY,
    NUMBER_CONTACT_ANGLE,
    NUMBER_FRICTION,
    NUMBER_COURANT,
    NUMBERS
} value_number;

typedef struct value_range {
    const char *name; /* on the panel */
    double low, high;
    bool logarithmic;   /* steps multiply the number */
    const char *format; /* of the number, with its unit */
} value_range;

/* Returns the name and the limits of a number for the current solver. */
value_range values_range(const viewer *v, value_number number);
/* Returns whether the current solver has this number. */
bool values_has(const viewer *v, value_number number);
/* Returns a number as the panel shows it. */
double values_number(const viewer *v, value_number number);
/* Changes a number of the running scene; does nothing if there is no scene, or if its solver does not have the number.
   The limits are not applied. */
void values_set_number(viewer *v, value_number number, double value);
/* Increases a number by this many small steps within its limits; decreases it if `steps` is below 0. Shows a notice
   instead if the solver does not have the number. */
void values_step_number(viewer *v, value_number number, int steps);

typedef enum value_choice { CHOICE_SOLVER, CHOICE_MODEL, CHOICE_PASSAGES, CHOICE_CONTACT, CHOICES } value_choice;

enum { VALUES_MOST = 5 };

typedef struct value_list {
    const char *name;                 /* on the panel */
    const char *key;                  /* of the scene */
    const char *options[VALUES_MOST]; /* values of the key; NULL after the last */
} value_list;

extern const value_list value_lists[CHOICES];

/* Returns the index of the current option of a choice, and sets *count to how many there are. Returns -1 if it is not
   in the list. */
int values_choice(const viewer *v, value_choice choice, int *count);
/* Returns whether the current solver has this choice. */
bool values_has_choice(const viewer *v, value_choice choice);
/* Returns why the choices cannot be changed now, or NULL if they can. */
const char *values_why_fixed(const viewer *v);
/* Restarts the scene with an option. Shows a notice instead if the solver does not have the choice, or it is fixed. */
void values_choose(viewer *v, value_choice choice, int option);

#ifdef __cplusplus
}
#endif

#endif
