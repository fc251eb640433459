/* Actions: what a user does to a running scene with a tool. An action is a plain value, so it can be logged and
   replayed. action_print writes an action as a line of text, and action_read reads such a line. The session performs
   actions (view/session.h). */
#ifndef VIEW_ACTION_H
#define VIEW_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ACTION_NUMBERS = 6, ACTION_TEXT = 128 };

/* All actions, in one list: X(kind, name, number of numbers, whether a text follows, help). The help names the
   arguments. All numbers are in SI units: RATE is in m^3/s, of rain in m/s; AX and AY are in m/s^2. */
#define ACTIONS(X)                                                                                                     \
    X(ACTION_POUR, "pour", 5, false, "X Y Z RADIUS RATE")                                                              \
    X(ACTION_SUCK, "suck", 5, false, "X Y Z RADIUS RATE")                                                              \
    X(ACTION_RAIN, "rain", 1, false, "RATE")                                                                           \
    X(ACTION_PUSH, "push", 5, false, "X Y RADIUS AX AY")                                                               \
    X(ACTION_RELEASE, "release", 0, false, "")                                                                         \
    X(ACTION_DROP, "drop", 4, true, "X Y Z SIZE box|duck|log|car")                                                     \
    X(ACTION_DRAG, "drag", 4, false, "BODY X Y Z")                                                                     \
    X(ACTION_DIG, "dig", 4, false, "X Y Z RADIUS")                                                                     \
    X(ACTION_RAISE, "raise", 4, false, "X Y Z RADIUS")                                                                 \
    X(ACTION_SET, "set", 0, true, "KEY=VALUE")

typedef enum action_kind {
#define ACTION_ENUM(kind, name, numbers, text, help) kind,
    ACTIONS(ACTION_ENUM)
#undef ACTION_ENUM
        ACTION_KINDS
} action_kind;

/* An action. Only as many numbers are used as ACTIONS gives for its kind; `text` is empty unless the kind has one. */
typedef struct action {
    action_kind kind;
    double numbers[ACTION_NUMBERS];
    char text[ACTION_TEXT];
} action;

/* Writes an action as text, like "pour 0.1 0.2 0.3 0.01 1e-05", without a line break. Numbers keep all their bits. */
void action_print(FILE *file, const action *a);
/* Reads an action from a text as action_print writes it. On failure returns false, and `error` (of `size` bytes) has a
   message; `a` may have changed. Prints nothing. */
bool action_read(const char *text, action *a, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
