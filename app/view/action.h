/* What a hand can do to a running scene. Actions are plain values, so that they can be logged and done again. */
#ifndef VIEW_ACTION_H
#define VIEW_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ACTION_NUMBERS = 6, ACTION_TEXT = 128 };

/* The one list: X(kind, name, how many numbers, whether a text follows, what they are). SI units. */
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

typedef struct action {
    action_kind kind;
    double numbers[ACTION_NUMBERS];
    char text[ACTION_TEXT];
} action;

/* Writes "pour 0.1 0.2 0.3 0.01 1e-05", without an end of line. Numbers are written to the last bit. */
void action_print(FILE *file, const action *a);
/* Reads such a text. False: `error` has a sentence. */
bool action_read(const char *text, action *a, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
