/* The table of keys, with one small function for each. Interface: view/window/keys.h.

   The static functions are the `run` of view_key. Their argument is that of the table; functions that ignore it have 0
   there. */
#include "view/window/keys.h"

#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/scenes.h"
#include "view/window/simulation.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Plays, or pauses. */
static void play(viewer *v, int argument) {
    (void)argument;
    simulation_play(v, !v->playing);
}

/* Pauses and takes one step. */
static void step(viewer *v, int argument) {
    (void)argument;
    simulation_step(v);
}

/* Opens the scene again, from its start. */
static void reset(viewer *v, int argument) {
    (void)argument;
    scenes_reset(v);
}

/* Multiplies the speed by 2^halvings: 1 doubles it, -1 halves it. */
static void speed(viewer *v, int halvings) { simulation_set_speed(v, v->settings.speed * ldexp(1, halvings)); }

/* Chooses a tool; which: a viewer_tool. */
static void tool(viewer *v, int which) { hand_choose_tool(v, (viewer_tool)which); }

/* Chooses the next body to drop, and the tool "drop". */
static void prop(viewer *v, int argument) {
    (void)argument;
    v->prop = (v->prop + 1) % PROP_COUNT;
    hand_choose_tool(v, TOOL_DROP);
}

/* Enlarges the brush by a quarter per step; shrinks it if `steps` is below 0. */
static void size(viewer *v, int steps) {
    v->settings.radius = fmin(fmax(v->settings.radius * pow(1.25, steps), 0.1), 10);
}

/* Multiplies the pour rate by 1.5 per step; divides if `steps` is below 0. */
static void rate(viewer *v, int steps) { v->settings.rate = fmin(fmax(v->settings.rate * pow(1.5, steps), 0.01), 100); }

/* Ends the rain or, if there is none, starts a rain that suits the scene. */
static void rain(viewer *v, int argument) {
    (void)argument;
    simulation_set_rain(v, v->rain > 0 ? 0 : 3.6e6 * 0.1 * v->default_radius);
}

/* Tilts gravity by further degrees along x. */
static void tilt_x(viewer *v, int degrees) { simulation_set_tilt(v, v->tilt[0] + degrees, v->tilt[1]); }

/* Tilts gravity by further degrees along y. */
static void tilt_y(viewer *v, int degrees) { simulation_set_tilt(v, v->tilt[0], v->tilt[1] + degrees); }

/* Gravity straight down again. */
static void level(viewer *v, int argument) {
    (void)argument;
    simulation_set_tilt(v, 0, 0);
}

/* Changes to the liquid after the current one in runnel's list; after the last one, to the first. */
static void liquid(viewer *v, int argument) {
    (void)argument;
    int i = 0;
    while (rn_liquid_at(i) && strcmp(rn_liquid_at(i)->name, v->liquid.name) != 0) i++;
    const rn_liquid *next = rn_liquid_at(i) && rn_liquid_at(i + 1) ? rn_liquid_at(i + 1) : rn_liquid_at(0);
    char text[64];
    snprintf(text, sizeof text, "liquid=%s", next->name);
    simulation_set(v, text);
}

/* Shows the next colour overlay; after the last one, none. */
static void overlay(viewer *v, int argument) {
    (void)argument;
    v->overlay = (rn_overlay)((v->overlay + 1) % (RN_OVERLAY_DISTANCE + 1));
}

/* Shows or hides one kind of mark; bit: a viewer_marks. */
static void mark(viewer *v, int bit) { v->marks ^= (unsigned)bit; }

/* Moves on by `by` in the scene's list of views. */
static void view(viewer *v, int by) { camera_look(v, v->view + by); }

static void zoom(viewer *v, int clicks) { camera_zoom(v, clicks); }

/* Shows the scene's first view. */
static void home(viewer *v, int argument) {
    (void)argument;
    camera_look(v, 0);
}

/* Shows or hides the panel. */
static void panel(viewer *v, int argument) {
    (void)argument;
    v->settings.panel = !v->settings.panel;
}

/* Opens or closes the choice of scenes. */
static void choose(viewer *v, int argument) {
    (void)argument;
    v->choosing = !v->choosing;
    v->helping = false;
}

/* Opens or closes the page of keys. */
static void help(viewer *v, int argument) {
    (void)argument;
    v->helping = !v->helping;
    v->choosing = false;
}

/* Saves a file in the current folder; kind: a viewer_file. */
static void save(viewer *v, int kind) { files_save(v, (viewer_file)kind, NULL); }

/* Starts a film in the current folder, or ends the one that runs. */
static void film_it(viewer *v, int argument) {
    (void)argument;
    if (v->record.writer) files_end_film(v);
    else files_start_film(v, NULL);
}

/* Saves a picture of the scene in the current folder. */
static void picture(viewer *v, int argument) {
    (void)argument;
    files_save_picture(v, NULL);
}

/* Closes open pages and chooses the tool "look". */
static void escape(viewer *v, int argument) {
    (void)argument;
    v->choosing = v->helping = false;
    hand_choose_tool(v, TOOL_LOOK);
}

static void quit(viewer *v, int argument) {
    (void)argument;
    v->quit = true;
}

#define TIME    "Time"
#define TOOLSET "Tools"
#define WORLD   "Liquid and gravity"
#define VIEW    "View"
#define FILES   "Files"

#define TOOL_KEY(which, name, title, digit, help)                                                                      \
    {#digit, GLFW_KEY_0 + digit, false, TOOLSET, help, tool, which, false},

/* Keys with `repeats` act again while they are held down. */
const view_key view_keys[] = {
    {"space", GLFW_KEY_SPACE, false, TIME, "play or pause", play, 0, false},
    {".", GLFW_KEY_PERIOD, false, TIME, "one step", step, 0, true},
    {"R", GLFW_KEY_R, false, TIME, "back to the start", reset, 0, false},
    {"+", GLFW_KEY_EQUAL, false, TIME, "twice as fast", speed, 1, true},
    {"-", GLFW_KEY_MINUS, false, TIME, "half as fast", speed, -1, true},
    TOOL_LIST(TOOL_KEY){"B", GLFW_KEY_B, false, TOOLSET, "next body to drop", prop, 0, false},
    {"[", GLFW_KEY_LEFT_BRACKET, false, TOOLSET, "smaller brush", size, -1, true},
    {"]", GLFW_KEY_RIGHT_BRACKET, false, TOOLSET, "larger brush", size, 1, true},
    {",", GLFW_KEY_COMMA, false, TOOLSET, "pour less", rate, -1, true},
    {";", GLFW_KEY_SEMICOLON, false, TOOLSET, "pour more", rate, 1, true},
    {"W", GLFW_KEY_W, false, WORLD, "rain on or off", rain, 0, false},
    {"L", GLFW_KEY_L, false, WORLD, "next liquid", liquid, 0, false},
    {"left", GLFW_KEY_LEFT, false, WORLD, "tilt gravity to -x", tilt_x, -2, true},
    {"right", GLFW_KEY_RIGHT, false, WORLD, "tilt gravity to +x", tilt_x, 2, true},
    {"down", GLFW_KEY_DOWN, false, WORLD, "tilt gravity to -y", tilt_y, -2, true},
    {"up", GLFW_KEY_UP, false, WORLD, "tilt gravity to +y", tilt_y, 2, true},
    {"0", GLFW_KEY_0, false, WORLD, "gravity straight down", level, 0, false},
    {"V", GLFW_KEY_V, false, VIEW, "next view", view, 1, false},
    {"home", GLFW_KEY_HOME, false, VIEW, "first view", home, 0, false},
    {"pageup", GLFW_KEY_PAGE_UP, false, VIEW, "zoom in", zoom, 2, true},
    {"pagedown", GLFW_KEY_PAGE_DOWN, false, VIEW, "zoom out", zoom, -2, true},
    {"O", GLFW_KEY_O, false, VIEW, "next overlay", overlay, 0, false},
    {"A", GLFW_KEY_A, false, VIEW, "arrows of the flow", mark, MARKS_ARROWS, false},
    {"T", GLFW_KEY_T, false, VIEW, "tiles at rest", mark, MARKS_REST, false},
    {"P", GLFW_KEY_P, false, VIEW, "probes", mark, MARKS_PROBES, false},
    {"tab", GLFW_KEY_TAB, false, VIEW, "show or hide the panel", panel, 0, false},
    {"C", GLFW_KEY_C, false, FILES, "choose a scene", choose, 0, false},
    {"F5", GLFW_KEY_F5, false, FILES, "save a checkpoint", save, FILE_CHECKPOINT, false},
    {"F6", GLFW_KEY_F6, false, FILES, "save the input log", save, FILE_INPUTS, false},
    {"F7", GLFW_KEY_F7, false, FILES, "save as a scene", save, FILE_SCENE, false},
    {"F8", GLFW_KEY_F8, false, FILES, "start or end a film", film_it, 0, false},
    {"F12", GLFW_KEY_F12, false, FILES, "save a picture", picture, 0, false},
    {"?", GLFW_KEY_SLASH, true, FILES, "these keys", help, 0, false},
    {"F1", GLFW_KEY_F1, false, FILES, "these keys", help, 0, false},
    {"escape", GLFW_KEY_ESCAPE, false, FILES, "close what is open", escape, 0, false},
    {"Q", GLFW_KEY_Q, false, FILES, "quit", quit, 0, false},
};
const int view_key_count = (int)(sizeof view_keys / sizeof view_keys[0]);

bool keys_press(viewer *v, int code, bool shift, bool again) {
    for (int i = 0; i < view_key_count; i++) {
        if (view_keys[i].code != code || (view_keys[i].shift && !shift) || (again && !view_keys[i].repeats)) continue;
        view_keys[i].run(v, view_keys[i].argument);
        return true;
    }
    return false;
}

const view_key *keys_find(const char *name) {
    for (int i = 0; i < view_key_count; i++)
        if (strcmp(view_keys[i].name, name) == 0) return &view_keys[i];
    return NULL;
}
