/* The table of known liquids, and lengths and colours computed from their properties.

   Interface: include/runnel/liquid.h, in the order of this file. rn_liquid_find, rn_liquid_at and rn_liquid_on look
   liquids and pairs of liquid and ground up; rn_liquid_capillary_length and rn_liquid_full_depth compute lengths (m);
   rn_liquid_set_colour gives a liquid the optics of a wanted colour. They need no world, and may be called at any
   time.

   Scenes (io/scene/scene.c) look up the liquid before the world is made; world/skin.c and the renderer read the
   lengths.

   Optics follow Kubelka and Munk: absorption K and scattering S of diffuse light determine how much light passes a
   layer and how much a deep layer reflects, K/S = (1 - R)^2 / 2R. The full depth is the one at which only 5 % of the
   contrast of the ground is left after light has passed in and out; it is found by bisection of the logarithm of the
   depth. A colour is inverted to K/S, and both coefficients are then scaled to the wanted full depth. Where the
   numbers come from is said in docs/contact.md and beside the table. */
#include "base/error.h"
#include "base/maths.h"
#include "base/words.h"
#include <runnel/liquid.h>

#include <stdio.h>
#include <string.h>

/* name, viscosity, density, surface tension, contact angle, refraction, absorption, reduced scattering, full depth,
   receding angle, drying time. Receding angles and drying times are estimates (docs/contact.md).
   Optics of milk after Jensen, coffee after Narasimhan, blood oxygenated at a haematocrit of 45 %. */
static const rn_liquid liquids[] = {
    {"water", 1.01e-6, 998.2, 0.0728, 14.0, 1.33, {0.34, 0.057, 0.009}, {0.0, 0.0, 0.0}, 0, 5.0, 120.0},
    {"blood", 3.15e-6, 1064.0, 0.056, 80.0, 1.38, {460.0, 23860.0, 31840.0}, {1563.0, 2559.0, 4286.0}, 0, 45.0, 60.0},
    {"milk", 1.9e-6, 1030.0, 0.045, 40.0, 1.33, {1.1, 2.4, 14.0}, {2550.0, 3210.0, 3770.0}, 0, 15.0, 120.0},
    {"coffee", 1.1e-6, 1000.0, 0.05, 40.0, 1.33, {720.0, 986.0, 1327.0}, {109.0, 127.0, 154.0}, 0, 10.0, 120.0},
    {"espresso", 1.5e-6, 1000.0, 0.05, 40.0, 1.33, {4798.0, 6575.0, 8849.0}, {724.0, 846.0, 1025.0}, 0, 10.0, 120.0},
    {"oil", 8.9e-5, 911.0, 0.033, 20.0, 1.47, {2.0, 4.0, 60.0}, {0.0, 0.0, 0.0}, 0, 8.0, 1e+06},
    {"glycerol", 7.4e-4, 1261.0, 0.063, 20.0, 1.47, {0.4, 0.1, 0.1}, {0.0, 0.0, 0.0}, 0, 10.0, 1e+06},
    {"honey", 4e-3, 1420.0, 0.055, 40.0, 1.494, {15.0, 60.0, 400.0}, {0.0, 0.0, 0.0}, 0, 20.0, 1e+06},
    {"paint", 3e-3, 1200.0, 0.035, 30.0, 1.5, {400.0, 60.0, 20.0}, {9000.0, 9000.0, 9000.0}, 0, 5.0, 600.0},
    {"mercury", 1.13e-7, 13546.0, 0.487, 135.0, 0.0, {1e7, 1e7, 1e7}, {3e7, 3e7, 3e7}, 0, 120.0, 0.0},
};

enum { LIQUIDS = sizeof liquids / sizeof liquids[0] };

const rn_liquid *rn_liquid_at(int index) { return index >= 0 && index < LIQUIDS ? &liquids[index] : NULL; }

bool rn_liquid_find(const char *name, rn_liquid *liquid) {
    char names[256] = "";
    const char *nearest = NULL;
    for (int i = 0; i < LIQUIDS; i++) {
        if (strcmp(liquids[i].name, name) == 0) {
            *liquid = liquids[i];
            return true;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.23s", i ? ", " : "", liquids[i].name);
        rn_word_nearer(name, liquids[i].name, &nearest);
    }
    if (nearest) rn_fail(RN_INVALID, "there is no liquid \"%.40s\"; did you mean \"%s\"?", name, nearest);
    else rn_fail(RN_INVALID, "there is no liquid \"%.40s\"; the liquids are %s", name, names);
    return false;
}

/* Contact angles (degrees) of liquids on grounds: advancing, receding. docs/contact.md says where they come from. */
typedef struct contact_pair {
    const char *liquid, *ground;
    double advancing, receding;
} contact_pair;

static const contact_pair pairs[] = {
    {"water", "glass", 45.0, 15.0},     {"water", "clean glass", 14.0, 5.0}, {"water", "plastic", 78.0, 52.0},
    {"water", "wax", 110.0, 92.0},      {"water", "wood", 65.0, 20.0},       {"blood", "bone", 80.0, 45.0},
    {"blood", "glass", 60.0, 25.0},     {"blood", "steel", 75.0, 35.0},      {"milk", "wood", 60.0, 20.0},
    {"milk", "glass", 40.0, 15.0},      {"coffee", "wood", 60.0, 20.0},      {"coffee", "plastic", 65.0, 35.0},
    {"espresso", "wood", 60.0, 20.0},   {"oil", "steel", 20.0, 8.0},         {"honey", "wood", 70.0, 40.0},
    {"honey", "glass", 55.0, 30.0},     {"paint", "wood", 40.0, 5.0},        {"paint", "plastic", 55.0, 25.0},
    {"mercury", "glass", 140.0, 128.0},
};
static const char *const grounds[] = {"glass", "clean glass", "plastic", "wax", "wood", "bone", "steel"};
enum { PAIRS = sizeof pairs / sizeof pairs[0], GROUNDS = sizeof grounds / sizeof grounds[0] };

const char *rn_liquid_ground_at(int index) { return index >= 0 && index < GROUNDS ? grounds[index] : NULL; }

/* Adds a word to a list in words, separated by commas; `room` is the size of its buffer, beyond which it is cut. */
static void list_word(char *list, size_t room, const char *word) {
    const size_t used = strlen(list);
    snprintf(list + used, room - used, "%s%s", used ? ", " : "", word);
}

/* Sets the message for a liquid whose angles on a known ground are not known; it lists grounds where they are. */
static void report_unknown_pair(const char *ground, const char *liquid) {
    char known[160] = "";
    for (int i = 0; i < PAIRS; i++)
        if (strcmp(pairs[i].liquid, liquid) == 0) list_word(known, sizeof known, pairs[i].ground);
    rn_fail(RN_INVALID, "the contact angles of %.23s on %s are not known; %s%s; give contact_angle and receding_angle",
            liquid, ground, known[0] ? "known are those on " : "none of it are", known);
}

bool rn_liquid_on(const char *ground, rn_liquid *liquid) {
    char names[160] = "";
    const char *nearest = NULL;
    bool is_ground = false;
    for (int i = 0; i < PAIRS; i++)
        if (strcmp(pairs[i].ground, ground) == 0 && strcmp(pairs[i].liquid, liquid->name) == 0) {
            liquid->contact_angle = pairs[i].advancing;
            liquid->receding_angle = pairs[i].receding;
            return true;
        }
    for (int i = 0; i < GROUNDS; i++) {
        is_ground |= strcmp(grounds[i], ground) == 0;
        list_word(names, sizeof names, grounds[i]);
        rn_word_nearer(ground, grounds[i], &nearest);
    }
    if (is_ground) report_unknown_pair(ground, liquid->name);
    else if (nearest) rn_fail(RN_INVALID, "there is no ground \"%.40s\"; did you mean \"%s\"?", ground, nearest);
    else rn_fail(RN_INVALID, "there is no ground \"%.40s\"; there are %s", ground, names);
    return false;
}

rn_liquid rn_liquid_water(void) { return liquids[0]; }
rn_liquid rn_liquid_blood(void) { return liquids[1]; }

double rn_liquid_capillary_length(const rn_liquid *liquid, double gravity) {
    const double weight = liquid->density * fabs(gravity);
    return weight > 0 ? sqrt(liquid->surface_tension / weight) : INFINITY;
}

/* The share (0 to 1) of light that passes a layer of `depth` (m) once; coefficients in 1/m. Kubelka and Munk: b/(a
   sinh(bSd) + b cosh(bSd)), a = 1 + K/S, b = sqrt(a^2 - 1), with K twice the absorption for diffuse light and once for
   a beam. */
static double transmitted_share(double absorption, double scattering, double depth) {
    const double both = absorption + scattering;
    if (!(both > 0)) return 1;
    const double K = absorption * (1 + scattering / both), S = 0.75 * scattering;
    const double bS = sqrt(K * (K + 2 * S)), aS = K + S; /* both multiplied by S, which may be 0 */
    if (!(bS > 1e-9 * aS)) return 1 / (1 + S * depth);
    const double once = rn_decay(bS * depth), twice = once * once;
    return 2 * bS * once / (aS * (1 - twice) + bS * (1 + twice));
}

double rn_liquid_full_depth(const rn_liquid *liquid) {
    if (liquid->full_depth > 0) return liquid->full_depth;
    const double weights[3] = {0.2126, 0.7152, 0.0722}; /* of red, green and blue in perceived brightness */
    double low = 1e-9, high = 1e9;
    for (int i = 0; i < 100; i++) {
        const double depth = sqrt(low * high);
        double contrast = 0;
        for (int c = 0; c < 3; c++) {
            const double once = transmitted_share(liquid->absorption[c], liquid->scattering[c], depth);
            contrast += weights[c] * once * once; /* in and out again */
        }
        if (contrast > 0.05) low = depth;
        else high = depth;
    }
    return high < 1e9 ? high : INFINITY;
}

/* The absorption, as a multiple of the scattering, of a liquid that reflects the share R of light where it is deep.
   Kubelka and Munk: K/S = (1 - R)^2 / 2R. With the K and S of transmitted_share this is 4/3 x (x + 2)/(x + 1). */
static double absorption_for(double reflected) {
    const double R = rn_clamp(reflected, 0.002, 0.998), p = 0.375 * (1 - R) * (1 - R) / R;
    return 0.5 * (p - 2 + sqrt((p - 2) * (p - 2) + 4 * p));
}

void rn_liquid_set_colour(rn_liquid *liquid, const double colour[3], double full_depth) {
    rn_liquid unit = {0};
    for (int c = 0; c < 3; c++) {
        unit.scattering[c] = 1;
        unit.absorption[c] = absorption_for(colour[c]);
    }
    const double scale = rn_liquid_full_depth(&unit) / full_depth; /* depths go with the inverse of both coefficients */
    for (int c = 0; c < 3; c++) {
        liquid->scattering[c] = scale * unit.scattering[c];
        liquid->absorption[c] = scale * unit.absorption[c];
    }
    liquid->full_depth = full_depth;
}
