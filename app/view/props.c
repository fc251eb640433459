/* Writes a box, a duck, a log or a car as JSON. Interface: view/props.h.

   Each body of the list PROPS has a function write_... here. Bodies are 1 long in these functions and are scaled
   when they are written. */
#include "view/props.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* JSON that is written piece by piece. */
typedef struct text {
    char *at;    /* where the next piece goes */
    size_t room; /* bytes left there; 0: it did not fit */
    double size; /* m, length of the body */
} text;

/* Appends formatted text, cut off if there is no room (t->room is then 0). */
static void add_text(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(t->at, t->room, format, arguments);
    va_end(arguments);
    const size_t used = length < 0 ? 0 : (size_t)length < t->room ? (size_t)length : t->room;
    t->at += used;
    t->room -= used;
}

/* Appends the key "colour"; nothing if `colour` is NULL. */
static void add_colour(text *t, const double colour[3]) {
    if (colour) add_text(t, ", \"colour\": [%g, %g, %g]", colour[0], colour[1], colour[2]);
}

/* Appends a part: the convex hull of `count` points of three coordinates each, for a body 1 long; colour NULL: that of
   the body. */
static void add_hull(text *t, const double *points, int count, const double colour[3]) {
    add_text(t, "{\"type\": \"hull\", \"points\": [");
    for (int i = 0; i < count; i++)
        add_text(t, "%s[%.9g, %.9g, %.9g]", i ? ", " : "", t->size * points[3 * i], t->size * points[3 * i + 1],
                 t->size * points[3 * i + 2]);
    add_text(t, "]");
    add_colour(t, colour);
    add_text(t, "}");
}

/* Appends a wheel as a further part of a car, with its axle along y at (x, y). */
static void add_wheel(text *t, double x, double y) {
    add_text(
        t,
        ", {\"type\": \"cylinder\", \"radius\": %.9g, \"length\": %.9g, \"turn\": [90, 0, 0], \"at\": [%.9g, %.9g, "
        "%.9g], "
        "\"colour\": [0.015, 0.015, 0.016]}",
        0.11 * t->size, 0.08 * t->size, x * t->size, y * t->size, 0.11 * t->size);
}

/* Appends the value of "shape" and further keys of a box, such as its density (kg/m^3). */
static void write_box(text *t) {
    add_text(t, "{\"type\": \"box\", \"size\": [%.9g, %.9g, %.9g]}, \"density\": 400", t->size, t->size, t->size);
}

/* Appends the value of "shape" and further keys of a log, such as its density (kg/m^3). */
static void write_log(text *t) {
    add_text(t,
             "{\"type\": \"capsule\", \"radius\": %.9g, \"length\": %.9g, \"turn\": [0, 90, 0]}, \"density\": 550, "
             "\"colour\": [0.27, 0.15, 0.065]",
             0.12 * t->size, 0.76 * t->size);
}

/* Appends the value of "shape" and further keys of a duck, such as its density (kg/m^3). */
static void write_duck(text *t) {
    static const double belly[] = {0.45,  0,     0.18, 0.3,   0.28, 0.2,  0.3,   -0.28, 0.2,  0,     0.36, 0.22,
                                   0,     -0.36, 0.22, -0.3,  0.28, 0.24, -0.3,  -0.28, 0.24, -0.55, 0.08, 0.5,
                                   -0.55, -0.08, 0.5,  0.36,  0,    0.04, 0.24,  0.2,   0.03, 0.24,  -0.2, 0.03,
                                   -0.26, 0.2,   0.03, -0.26, -0.2, 0.03, -0.42, 0,     0.12, 0.2,   0.2,  0.36,
                                   0.2,   -0.2,  0.36, -0.2,  0.2,  0.38, -0.2,  -0.2,  0.38};
    static const double beak[] = {0.42, 0.09, 0.6,  0.42, -0.09, 0.6,  0.42, 0, 0.68,
                                  0.6,  0.05, 0.58, 0.6,  -0.05, 0.58, 0.42, 0, 0.55};
    static const double orange[] = {0.8, 0.16, 0.01};
    add_text(t, "{\"type\": \"parts\", \"of\": [");
    add_hull(t, belly, (int)(sizeof belly / sizeof *belly / 3), NULL);
    add_text(t, ", {\"type\": \"sphere\", \"radius\": %.9g, \"at\": [%.9g, 0, %.9g]}, ", 0.19 * t->size, 0.27 * t->size,
             0.62 * t->size);
    add_hull(t, beak, (int)(sizeof beak / sizeof *beak / 3), orange);
    add_text(t, "]}, \"density\": 330, \"colour\": [0.95, 0.55, 0.01]");
}

/* Appends the value of "shape" and further keys of a car, such as its density (kg/m^3). */
static void write_car(text *t) {
    static const double body[] = {-0.5, -0.2,  0.1,  -0.5, 0.2,  0.1,  0.5,  -0.2,  0.1,  0.5,  0.2,  0.1,
                                  0.5,  -0.19, 0.22, 0.5,  0.19, 0.22, -0.5, -0.19, 0.26, -0.5, 0.19, 0.26};
    static const double cabin[] = {-0.38, -0.18, 0.24, -0.38, 0.18, 0.24, 0.24, -0.18, 0.23, 0.24, 0.18, 0.23,
                                   -0.28, -0.15, 0.42, -0.28, 0.15, 0.42, 0.06, -0.15, 0.42, 0.06, 0.15, 0.42};
    static const double glass[] = {0.02, 0.028, 0.035};
    add_text(t, "{\"type\": \"parts\", \"of\": [");
    add_hull(t, body, 8, NULL);
    add_text(t, ", ");
    add_hull(t, cabin, 8, glass);
    add_wheel(t, 0.3, 0.2);
    add_wheel(t, 0.3, -0.2);
    add_wheel(t, -0.3, 0.2);
    add_wheel(t, -0.3, -0.2);
    add_text(t, "]}, \"density\": 900, \"friction\": 1, \"colour\": [0.5, 0.02, 0.015]");
}

/* ---- The list ---- */

const struct prop prop_list[PROP_COUNT] = {
#define PROP_ENTRY(name, title) {#name, title},
    PROPS(PROP_ENTRY)
#undef PROP_ENTRY
};

static void (*const writers[PROP_COUNT])(text *) = {
#define PROP_WRITER(name, title) write_##name,
    PROPS(PROP_WRITER)
#undef PROP_WRITER
};

int prop_find(const char *name) {
    int i = PROP_COUNT - 1;
    while (i >= 0 && strcmp(prop_list[i].name, name) != 0) i--;
    return i;
}

void prop_names(char *names, size_t size) {
    text t = {.at = names, .room = size};
    for (int i = 0; i < PROP_COUNT; i++)
        add_text(&t, "%s%s", i == 0 ? "" : i + 1 < PROP_COUNT ? ", " : " and ", prop_list[i].name);
}

bool prop_write(const char *name, rn_vec3 at, double size, char *json, size_t room) {
    const int number = prop_find(name);
    text t = {json, room, size};
    if (number < 0) return false;
    add_text(&t, "{\"shape\": ");
    writers[number](&t);
    add_text(&t, ", \"at\": [%.17g, %.17g, %.17g]}", at.x, at.y, at.z);
    return t.room > 0;
}
