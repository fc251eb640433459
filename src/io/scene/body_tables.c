/* Tables of the keys of bodies and joints. */
#include "io/scene/body_values.h"

#define AT(type, member) offsetof(type, member)

static const rn_key copy_keys[] = {
    {"count", RN_KEY_COUNT, AT(rn_copy_values, count), RN_WITHIN(1, 10000), .length = 3, .otherwise = "[1, 1, 1]",
     .meaning = "number of copies along x, y and z"},
    {"step", RN_KEY_NUMBER, AT(rn_copy_values, step), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "distance between copies along x, y and z"},
    {"at", RN_KEY_ROWS, AT(rn_copy_values, at), RN_ANY, .length = 3, .least = 1, .unit = "m",
     .meaning = "instead of count: [x, y, z] of each copy, relative to the \"at\" of the body"},
    {"interval", RN_KEY_NUMBER, AT(rn_copy_values, interval), RN_FROM(0), .otherwise = "0", .unit = "s",
     .meaning = "time from the appearance of one copy to the next, x fastest: they drop one by one"},
};
static const rn_table copy_table = {RN_TABLE("copies", "The same body several times", copy_keys, NULL),
                                    .example = "{\"count\": [3, 1, 4], \"step\": [0.6, 0, 0.55], \"interval\": 0.25}"};

static const char *const motion_names[] = {"dynamic", "scripted", NULL};                /* as rn_body_motion */
static const char *const way_names[] = {"auto", "blocks", "floats", NULL};              /* as rn_body_mode */
static const char *const blocking_names[] = {"auto", "shares", "swept", "cells", NULL}; /* as rn_blocking */
static const char *const joint_names[] = {"ball", "hinge", "slider", "fixed", NULL};    /* as rn_joint_kind */

static const rn_key body_keys[] = {
    {"name", RN_KEY_TEXT, AT(rn_body_values, name), .otherwise = "",
     .meaning = "its name in joints and logs; copies get -1, -2 and so on appended"},
    {"shape", RN_KEY_FORM, AT(rn_body_values, shape), .required = true, .meaning = "its shape, around its own origin"},
    {"drawn", RN_KEY_FORM, AT(rn_body_values, drawn),
     .meaning = "the shape that pictures and exports show instead; liquid and bodies touch \"shape\""},
    {"density", RN_KEY_NUMBER, AT(rn_body_values, density), RN_ABOVE(0), .otherwise = "500", .unit = "kg/m³",
     .meaning = "mean density; dry wood has 500"},
    {"mass", RN_KEY_NUMBER, AT(rn_body_values, mass), RN_ABOVE(0), .unit = "kg", .meaning = "instead of a density"},
    {"at", RN_KEY_NUMBER, AT(rn_body_values, at), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "position of its origin at the start"},
    {"turn", RN_KEY_NUMBER, AT(rn_body_values, turn), RN_WITHIN(-3600, 3600), .length = 3, .otherwise = "[0, 0, 0]",
     .unit = "degrees", .meaning = "rotation at the start about the x, then the y, then the z axis"},
    {"velocity", RN_KEY_NUMBER, AT(rn_body_values, velocity), RN_WITHIN(-1000, 1000), .length = 3,
     .otherwise = "[0, 0, 0]", .unit = "m/s", .meaning = "of its centre of mass at the start"},
    {"spin", RN_KEY_NUMBER, AT(rn_body_values, spin), RN_WITHIN(-1000, 1000), .length = 3, .otherwise = "[0, 0, 0]",
     .unit = "rad/s", .meaning = "at the start, about x, y and z"},
    {"motion", RN_KEY_CHOICE, AT(rn_body_values, motion), .otherwise = "dynamic", .choices = motion_names,
     .meaning = "dynamic: weight, liquid, other bodies and the ground move it; scripted: \"path\" and \"turns\" do"},
    {"path", RN_KEY_SERIES, AT(rn_body_values, path), RN_ANY, .length = 3, .unit = "s, m",
     .meaning = "scripted: the path of its origin, instead of \"at\": waypoints joined by straight lines; it waits at "
                "the first and stays at the last"},
    {"turns", RN_KEY_SERIES, AT(rn_body_values, turns), RN_WITHIN(-1e6, 1e6), .length = 3, .unit = "s, degrees",
     .meaning = "scripted: rotations over time about its own x, then y, then z axis, instead of \"turn\""},
    {"start", RN_KEY_NUMBER, AT(rn_body_values, start), RN_FROM(0), .otherwise = "0", .unit = "s",
     .meaning = "when it appears"},
    {"way", RN_KEY_CHOICE, AT(rn_body_values, way), .otherwise = "auto", .choices = way_names,
     .meaning = "auto: floats if it is lighter than the liquid, blocks otherwise and where it has run aground"},
    {"blocking", RN_KEY_CHOICE, AT(rn_body_values, blocking), .otherwise = "auto", .choices = blocking_names,
     .meaning = "how it blocks while it moves, docs/bodies.md"},
    {"drag", RN_KEY_NUMBER, AT(rn_body_values, drag), RN_WITHIN(0, 1000), .otherwise = "1",
     .meaning = "factor on the drag of the liquid"},
    {"damping", RN_KEY_NUMBER, AT(rn_body_values, damping), RN_WITHIN(0, 1000), .otherwise = "0.5", .unit = "1/s",
     .meaning = "damping of its motion through the liquid while submerged"},
    {"friction", RN_KEY_NUMBER, AT(rn_body_values, friction), RN_WITHIN(0, 100), .otherwise = "0.6",
     .meaning = "friction coefficient against what it touches"},
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
     .meaning = "ball: rotates freely about a point; hinge: rotates about a line; slider: slides along a line; fixed: "
                "does not move"},
    {"body", RN_KEY_TEXT, AT(rn_joint_values, body), .required = true, .meaning = "name of the body that it holds"},
    {"to", RN_KEY_TEXT, AT(rn_joint_values, to), .otherwise = "",
     .meaning = "name of the body that it is attached to; empty: the ground"},
    {"at", RN_KEY_NUMBER, AT(rn_joint_values, at), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "ball or hinge: its position at the start"},
    {"axis", RN_KEY_NUMBER, AT(rn_joint_values, axis), RN_ANY, .length = 3, .otherwise = "[0, 0, 1]",
     .meaning = "hinge or slider: the direction of its line, of any length but 0"},
    {"limits", RN_KEY_NUMBER, AT(rn_joint_values, limits), RN_ANY, .length = 2, .unit = "degrees, m",
     .meaning = "hinge or slider: how far it may move backward and forward from its position at the start"},
};
const rn_table rn_joint_table = {
    RN_TABLE("joint", "What holds a dynamic body to another, or to the ground", joint_keys, NULL),
    .example =
        "{\"type\": \"hinge\", \"body\": \"gate\", \"at\": [4, 0, 1], \"axis\": [0, 1, 0], \"limits\": [-90, 0]}"};
