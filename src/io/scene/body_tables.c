/* Tables of the keys of bodies and joints. */
#include "io/scene/body_values.h"

#define AT(type, member) offsetof(type, member)

static const rn_key copy_keys[] = {
    {"count", RN_KEY_COUNT, AT(rn_copy_values, count), RN_WITHIN(1, 10000), .length = 3, .otherwise = "[1, 1, 1]",
     .meaning = "how many there are along x, y and z"},
    {"step", RN_KEY_NUMBER, AT(rn_copy_values, step), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "from one to the next along x, y and z"},
    {"at", RN_KEY_ROWS, AT(rn_copy_values, at), RN_ANY, .length = 3, .least = 1, .unit = "m",
     .meaning = "instead of a count: [x, y, z] of each, from the \"at\" of the body"},
    {"interval", RN_KEY_NUMBER, AT(rn_copy_values, interval), RN_FROM(0), .otherwise = "0", .unit = "s",
     .meaning = "from the start of one to that of the next, x fastest: they drop one by one"},
};
static const rn_table copy_table = {RN_TABLE("copies", "The same body several times", copy_keys, NULL),
                                    .example = "{\"count\": [3, 1, 4], \"step\": [0.6, 0, 0.55], \"interval\": 0.25}"};

static const char *const motion_names[] = {"dynamic", "scripted", NULL};                /* as rn_body_motion */
static const char *const way_names[] = {"auto", "blocks", "floats", NULL};              /* as rn_body_mode */
static const char *const blocking_names[] = {"auto", "shares", "swept", "cells", NULL}; /* as rn_blocking */
static const char *const joint_names[] = {"ball", "hinge", "slider", "fixed", NULL};    /* as rn_joint_kind */

static const rn_key body_keys[] = {
    {"name", RN_KEY_TEXT, AT(rn_body_values, name), .otherwise = "",
     .meaning = "what joints and logs call it; of copies with -1, -2 and so on behind it"},
    {"shape", RN_KEY_FORM, AT(rn_body_values, shape), .required = true, .meaning = "what it is, around its own origin"},
    {"density", RN_KEY_NUMBER, AT(rn_body_values, density), RN_ABOVE(0), .otherwise = "500", .unit = "kg/m³",
     .meaning = "of all of it; 500 is dry wood"},
    {"mass", RN_KEY_NUMBER, AT(rn_body_values, mass), RN_ABOVE(0), .unit = "kg", .meaning = "instead of a density"},
    {"at", RN_KEY_NUMBER, AT(rn_body_values, at), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "where its origin is at the start"},
    {"turn", RN_KEY_NUMBER, AT(rn_body_values, turn), RN_WITHIN(-3600, 3600), .length = 3, .otherwise = "[0, 0, 0]",
     .unit = "degrees", .meaning = "turn at the start about the x, then the y, then the z axis"},
    {"velocity", RN_KEY_NUMBER, AT(rn_body_values, velocity), RN_WITHIN(-1000, 1000), .length = 3,
     .otherwise = "[0, 0, 0]", .unit = "m/s", .meaning = "of its centre of mass at the start"},
    {"spin", RN_KEY_NUMBER, AT(rn_body_values, spin), RN_WITHIN(-1000, 1000), .length = 3, .otherwise = "[0, 0, 0]",
     .unit = "rad/s", .meaning = "at the start, about x, y and z"},
    {"motion", RN_KEY_CHOICE, AT(rn_body_values, motion), .otherwise = "dynamic", .choices = motion_names,
     .meaning = "dynamic: weight, liquid, other bodies and the ground move it; scripted: \"path\" and \"turns\" do"},
    {"path", RN_KEY_SERIES, AT(rn_body_values, path), RN_ANY, .length = 3, .unit = "s, m",
     .meaning = "scripted: where its origin goes, in place of \"at\": waypoints, straight in between, the first and "
                "the last held"},
    {"turns", RN_KEY_SERIES, AT(rn_body_values, turns), RN_WITHIN(-1e6, 1e6), .length = 3, .unit = "s, degrees",
     .meaning = "scripted: turns about its own x, then y, then z axis, in place of \"turn\""},
    {"start", RN_KEY_NUMBER, AT(rn_body_values, start), RN_FROM(0), .otherwise = "0", .unit = "s",
     .meaning = "when it appears"},
    {"way", RN_KEY_CHOICE, AT(rn_body_values, way), .otherwise = "auto", .choices = way_names,
     .meaning = "auto: floats if it is lighter than the liquid, blocks otherwise and where it has run aground"},
    {"blocking", RN_KEY_CHOICE, AT(rn_body_values, blocking), .otherwise = "auto", .choices = blocking_names,
     .meaning = "how it blocks while it moves, docs/bodies.md"},
    {"drag", RN_KEY_NUMBER, AT(rn_body_values, drag), RN_WITHIN(0, 1000), .otherwise = "1",
     .meaning = "factor on the drag of the liquid"},
    {"damping", RN_KEY_NUMBER, AT(rn_body_values, damping), RN_WITHIN(0, 1000), .otherwise = "0.5", .unit = "1/s",
     .meaning = "of its motion through the liquid, while submerged"},
    {"friction", RN_KEY_NUMBER, AT(rn_body_values, friction), RN_WITHIN(0, 100), .otherwise = "0.6",
     .meaning = "coefficient against what it touches"},
    {"bounce", RN_KEY_NUMBER, AT(rn_body_values, bounce), RN_WITHIN(0, 1), .otherwise = "0.1",
     .meaning = "share of its speed that it keeps when it hits something"},
    {"colour", RN_KEY_NUMBER, AT(rn_body_values, colour), RN_WITHIN(0, 1), .length = 3, .otherwise = "[0, 0, 0]",
     .meaning = "linear red, green, blue; all 0: wood"},
    {"copies", RN_KEY_OBJECT, AT(rn_body_values, copies), .table = &copy_table, .meaning = "the same several times"},
};
const rn_table rn_body_table = {
    RN_TABLE("body", "A rigid body that blocks liquid or floats on it", body_keys, NULL),
    .example = "{\"name\": \"crate\", \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.5, 0.5]}, \"density\": 400, "
               "\"at\": [2, 3, 1.5]}"};

static const rn_key joint_keys[] = {
    {"type", RN_KEY_CHOICE, AT(rn_joint_values, type), .required = true, .choices = joint_names,
     .meaning = "ball: turns any way about a point; hinge: about a line; slider: slides along one; fixed: not at all"},
    {"body", RN_KEY_TEXT, AT(rn_joint_values, body), .required = true, .meaning = "name of the body that it holds"},
    {"to", RN_KEY_TEXT, AT(rn_joint_values, to), .otherwise = "",
     .meaning = "name of the body that it holds it to; empty: the ground"},
    {"at", RN_KEY_NUMBER, AT(rn_joint_values, at), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "of a ball or a hinge: where it is at the start"},
    {"axis", RN_KEY_NUMBER, AT(rn_joint_values, axis), RN_ANY, .length = 3, .otherwise = "[0, 0, 1]",
     .meaning = "of a hinge or a slider: its line, of any length but 0"},
    {"limits", RN_KEY_NUMBER, AT(rn_joint_values, limits), RN_ANY, .length = 2, .unit = "degrees, m",
     .meaning = "of a hinge or a slider: how far it goes back and on from where it is at the start"},
};
const rn_table rn_joint_table = {
    RN_TABLE("joint", "What holds a dynamic body to another, or to the ground", joint_keys, NULL),
    .example =
        "{\"type\": \"hinge\", \"body\": \"gate\", \"at\": [4, 0, 1], \"axis\": [0, 1, 0], \"limits\": [-90, 0]}"};
