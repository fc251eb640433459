/* The table of keys, with one small function for each. Interface: view/window/keys.h.

   The static functions are the `run` of view_key. Their second argument is that of the table; functions that ignore it
   have 0 there. */
#include "view/window/keys.h"

#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/scenes.h"
#include "view/window/simulation.h"
#include "view/window/values.h"

#include <ctype.h>
#include <GLFW/glfw3.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Plays, or pauses. */
static void toggle_play(viewer *v, int argument) {
    (void)argument;
    simulation_play(v, !v->playing);
}

/* Pauses and takes one step. */
static void take_step(viewer *v, int argument) {
    (void)argument;
    simulation_step(v);
}

/* Opens the scene again, from its start. */
static void reset_scene(viewer *v, int argument) {
    (void)argument;
    scenes_reset(v);
}

/* Multiplies the speed by 2^doublings: 1 doubles it, -1 halves it. */
static void change_speed(viewer *v, int doublings) { simulation_set_speed(v, v->settings.speed * ldexp(1, doublings)); }

/* Chooses a tool; which: a viewer_tool. */
static void choose_tool(viewer *v, int which) { hand_choose_tool(v, (viewer_tool)which); }

/* Chooses the next body to drop, and the tool "drop". */
static void next_prop(viewer *v, int argument) {
    (void)argument;
    v->prop = (v->prop + 1) % PROP_COUNT;
    hand_choose_tool(v, TOOL_DROP);
}

/* Uses the tool at the mouse as if its left button were held down, until the key is pressed again; only for a moment if
   the tool drops a body or finds nothing to act on. */
static void use_tool(viewer *v, int argument) {
    (void)argument;
    hand_press(v, BUTTON_LEFT, !v->down[BUTTON_LEFT]);
    if (!v->working || v->tool == TOOL_DROP)
        hand_press(v, BUTTON_LEFT, false); /* nothing goes on that a key must end */
}

/* Enlarges the brush by a quarter per step; shrinks it if `steps` is below 0. The radius is kept between 0.1 and 10
   times its default. */
static void resize_brush(viewer *v, int steps) {
    v->settings.radius = fmin(fmax(v->settings.radius * pow(1.25, steps), 0.1), 10);
}

/* Multiplies the pour rate by 1.5 per step; divides if `steps` is below 0. The rate is kept between 0.01 and 100 times
   its default. */
static void change_rate(viewer *v, int steps) {
    v->settings.rate = fmin(fmax(v->settings.rate * pow(1.5, steps), 0.01), 100);
}

/* Doubles the rain, or starts it. */
static void increase_rain(viewer *v, int argument) {
    (void)argument;
    const double most = 3.6e6 * v->default_radius;
    simulation_set_rain(v, v->rain > 0 ? fmin(2 * v->rain, most) : 0.1 * most);
}

/* Ends the rain or, if there is none, starts a rain that suits the scene. */
static void toggle_rain(viewer *v, int argument) {
    (void)argument;
    simulation_set_rain(v, v->rain > 0 ? 0 : 3.6e6 * 0.1 * v->default_radius);
}

/* Tilts gravity by further degrees along x. */
static void tilt_x(viewer *v, int degrees) { simulation_set_tilt(v, v->tilt[0] + degrees, v->tilt[1]); }

/* Tilts gravity by further degrees along y. */
static void tilt_y(viewer *v, int degrees) { simulation_set_tilt(v, v->tilt[0], v->tilt[1] + degrees); }

/* Makes gravity point straight down again. */
static void level_gravity(viewer *v, int argument) {
    (void)argument;
    simulation_set_tilt(v, 0, 0);
}

/* Changes the viscosity by `steps` small steps. */
static void change_viscosity(viewer *v, int steps) { values_step_number(v, NUMBER_VISCOSITY, steps); }
/* Changes the contact angle by `steps` small steps. */
static void change_contact_angle(viewer *v, int steps) { values_step_number(v, NUMBER_CONTACT_ANGLE, steps); }
/* Changes the friction by `steps` small steps. */
static void change_friction(viewer *v, int steps) { values_step_number(v, NUMBER_FRICTION, steps); }
/* Changes the Courant number by `steps` small steps. */
static void change_courant(viewer *v, int steps) { values_step_number(v, NUMBER_COURANT, steps); }

/* Restarts the scene with the next option of a choice; which: a value_choice. */
static void next_choice(viewer *v, int which) {
    int count;
    const int now = values_choice(v, (value_choice)which, &count);
    values_choose(v, (value_choice)which, (now + 1) % count);
}

/* Changes to the liquid after the current one in runnel's list; after the last one, to the first. */
static void next_liquid(viewer *v, int argument) {
    (void)argument;
    int i = 0;
    while (rn_liquid_at(i) && strcmp(rn_liquid_at(i)->name, v->liquid.name) != 0) i++;
    const rn_liquid *next = rn_liquid_at(i) && rn_liquid_at(i + 1) ? rn_liquid_at(i + 1) : rn_liquid_at(0);
    char text[64];
    snprintf(text, sizeof text, "liquid=%s", next->name);
    simulation_set(v, text);
}

/* Shows the next colour overlay; after the last one, none. */
static void next_overlay(viewer *v, int argument) {
    (void)argument;
    v->overlay = (rn_overlay)((v->overlay + 1) % (RN_OVERLAY_DISTANCE + 1));
}

/* Shows or hides one kind of mark; bit: a viewer_marks. */
static void toggle_mark(viewer *v, int bit) { v->marks ^= (unsigned)bit; }

/* Shows the view that is `by` further in the scene's list of views. */
static void next_view(viewer *v, int by) { camera_look(v, v->view + by); }

/* Turns the camera around the scene, as a mouse move by `pixels` along x does. */
static void turn_camera(viewer *v, int pixels) { camera_turn(v, pixels, 0); }
/* Tips the camera up or down, as a mouse move by `pixels` along y does. */
static void tip_camera(viewer *v, int pixels) { camera_turn(v, 0, pixels); }
/* Moves the scene by `pixels` along x. */
static void pan_x(viewer *v, int pixels) { camera_pan(v, pixels, 0); }
/* Moves the scene by `pixels` along y. */
static void pan_y(viewer *v, int pixels) { camera_pan(v, 0, pixels); }

/* Zooms, as `clicks` of the wheel do; above 0: closer. */
static void zoom_camera(viewer *v, int clicks) { camera_zoom(v, clicks); }

/* Shows the scene's first view. */
static void first_view(viewer *v, int argument) {
    (void)argument;
    camera_look(v, 0);
}

/* Shows or hides the panel. */
static void toggle_panel(viewer *v, int argument) {
    (void)argument;
    v->settings.panel = !v->settings.panel;
}

/* Opens a page, or closes it if it is open; which: a viewer_page. A tool in use ends, so that it does not go on behind
   the page. Without a scene there is always a page: that of all scenes in place of none. */
static void toggle_page(viewer *v, int which) {
    v->page = v->page == (viewer_page)which ? PAGE_NONE : (viewer_page)which;
    if (v->page == PAGE_NONE && !v->live && !scenes_is_loading(v)) v->page = PAGE_SCENES;
    if (v->page != PAGE_NONE) hand_release(v);
    v->entry = v->entries = 0;
    v->page_scroll = 0;
    v->entry_entered = false;
    if (v->page == PAGE_FILES) recents_list(&v->files);
}

/* Scrolls the panel by `lines`, down if above 0. */
static void scroll_panel(viewer *v, int lines) { v->panel_scroll += lines; }

/* Saves a file in the current folder; kind: a viewer_file. */
static void save_file(viewer *v, int kind) { files_save(v, (viewer_file)kind, NULL); }

/* Starts a film in the current folder, or ends the one that runs. */
static void toggle_film(viewer *v, int argument) {
    (void)argument;
    if (v->record.writer) files_end_film(v);
    else files_start_film(v, NULL);
}

/* Chooses the next format for films. */
static void next_film_format(viewer *v, int argument) {
    (void)argument;
    v->film_format = (v->film_format + 1) % FILM_FORMATS;
    viewer_tell(v, false, "Films will be saved as .%s files", film_formats[v->film_format]);
}

/* Saves a picture of the scene in the current folder. */
static void save_picture(viewer *v, int argument) {
    (void)argument;
    files_save_picture(v, NULL);
}

/* Closes the page that is open; without one, chooses the tool "look". */
static void close_pages(viewer *v, int argument) {
    (void)argument;
    if (v->page == PAGE_NONE) hand_choose_tool(v, TOOL_LOOK);
    else if (v->live || v->page != PAGE_SCENES) toggle_page(v, (int)v->page);
}

/* Asks the window to close. */
static void quit_viewer(viewer *v, int argument) {
    (void)argument;
    v->quit = true;
}

#define TIME    "Time"
#define TOOLSET "Tools"
#define WORLD   "Liquid and gravity"
#define SOLVER  "Solver"
#define VIEW    "View"
#define FILES   "Files"

#define TOOL_KEY(which, name, title, digit, help)                                                                      \
    {#digit, GLFW_KEY_0 + (digit), KEY_ALONE, TOOLSET, help, choose_tool, which, false},

/* Keys with `repeats`, the last column, act again while they are held down. */
const view_key view_keys[] = {
    {"space", GLFW_KEY_SPACE, KEY_ALONE, TIME, "play or pause", toggle_play, 0, false},
    {".", GLFW_KEY_PERIOD, KEY_ALONE, TIME, "one step", take_step, 0, true},
    {"R", GLFW_KEY_R, KEY_ALONE, TIME, "back to the start", reset_scene, 0, false},
    {"-", GLFW_KEY_MINUS, KEY_ALONE, TIME, "slower or faster", change_speed, -1, true},
    {"+", GLFW_KEY_EQUAL, KEY_ALONE, TIME, NULL, change_speed, 1, true},
    TOOL_LIST(TOOL_KEY) //
    {"B", GLFW_KEY_B, KEY_ALONE, TOOLSET, "next body to drop", next_prop, 0, false},
    {"[", GLFW_KEY_LEFT_BRACKET, KEY_ALONE, TOOLSET, "smaller or larger brush", resize_brush, -1, true},
    {"]", GLFW_KEY_RIGHT_BRACKET, KEY_ALONE, TOOLSET, NULL, resize_brush, 1, true},
    {",", GLFW_KEY_COMMA, KEY_ALONE, TOOLSET, "pour less or more", change_rate, -1, true},
    {";", GLFW_KEY_SEMICOLON, KEY_ALONE, TOOLSET, NULL, change_rate, 1, true},
    {"enter", GLFW_KEY_ENTER, KEY_ALONE, TOOLSET, "start or stop the tool", use_tool, 0, false},
    {"W", GLFW_KEY_W, KEY_ALONE, WORLD, "rain on or off", toggle_rain, 0, false},
    {"shift+W", GLFW_KEY_W, KEY_SHIFT, WORLD, "more rain", increase_rain, 0, true},
    {"L", GLFW_KEY_L, KEY_ALONE, WORLD, "next liquid", next_liquid, 0, false},
    {"Z", GLFW_KEY_Z, KEY_ALONE, WORLD, "less or more viscous", change_viscosity, -1, true},
    {"X", GLFW_KEY_X, KEY_ALONE, WORLD, NULL, change_viscosity, 1, true},
    {"D", GLFW_KEY_D, KEY_ALONE, WORLD, "contact angle", change_contact_angle, -1, true},
    {"F", GLFW_KEY_F, KEY_ALONE, WORLD, NULL, change_contact_angle, 1, true},
    {"G", GLFW_KEY_G, KEY_ALONE, WORLD, "more or less friction", change_friction, -1, true},
    {"H", GLFW_KEY_H, KEY_ALONE, WORLD, NULL, change_friction, 1, true},
    {"left", GLFW_KEY_LEFT, KEY_ALONE, WORLD, "tilt along x", tilt_x, -2, true},
    {"right", GLFW_KEY_RIGHT, KEY_ALONE, WORLD, NULL, tilt_x, 2, true},
    {"down", GLFW_KEY_DOWN, KEY_ALONE, WORLD, "tilt along y", tilt_y, -2, true},
    {"up", GLFW_KEY_UP, KEY_ALONE, WORLD, NULL, tilt_y, 2, true},
    {"0", GLFW_KEY_0, KEY_ALONE, WORLD, "gravity straight down", level_gravity, 0, false},
    {"J", GLFW_KEY_J, KEY_ALONE, SOLVER, "Courant number", change_courant, -1, true},
    {"K", GLFW_KEY_K, KEY_ALONE, SOLVER, NULL, change_courant, 1, true},
    {"shift+S", GLFW_KEY_S, KEY_SHIFT, SOLVER, "next solver (restarts)", next_choice, CHOICE_SOLVER, false},
    {"shift+M", GLFW_KEY_M, KEY_SHIFT, SOLVER, "next model (restarts)", next_choice, CHOICE_MODEL, false},
    {"shift+N", GLFW_KEY_N, KEY_SHIFT, SOLVER, "next passages (restarts)", next_choice, CHOICE_PASSAGES, false},
    {"shift+E", GLFW_KEY_E, KEY_SHIFT, SOLVER, "next contact (restarts)", next_choice, CHOICE_CONTACT, false},
    {"V", GLFW_KEY_V, KEY_ALONE, VIEW, "next or first view", next_view, 1, false},
    {"home", GLFW_KEY_HOME, KEY_ALONE, VIEW, NULL, first_view, 0, false},
    {"pageup", GLFW_KEY_PAGE_UP, KEY_ALONE, VIEW, "zoom", zoom_camera, 2, true},
    {"pagedown", GLFW_KEY_PAGE_DOWN, KEY_ALONE, VIEW, NULL, zoom_camera, -2, true},
    {"shift+left", GLFW_KEY_LEFT, KEY_SHIFT, VIEW, "turn (up and down too)", turn_camera, 20, true},
    {"shift+right", GLFW_KEY_RIGHT, KEY_SHIFT, VIEW, NULL, turn_camera, -20, true},
    {"shift+up", GLFW_KEY_UP, KEY_SHIFT, VIEW, NULL, tip_camera, 20, true},
    {"shift+down", GLFW_KEY_DOWN, KEY_SHIFT, VIEW, NULL, tip_camera, -20, true},
    {"ctrl+left", GLFW_KEY_LEFT, KEY_CONTROL, VIEW, "pan (up and down too)", pan_x, 20, true},
    {"ctrl+right", GLFW_KEY_RIGHT, KEY_CONTROL, VIEW, NULL, pan_x, -20, true},
    {"ctrl+up", GLFW_KEY_UP, KEY_CONTROL, VIEW, NULL, pan_y, 20, true},
    {"ctrl+down", GLFW_KEY_DOWN, KEY_CONTROL, VIEW, NULL, pan_y, -20, true},
    {"O", GLFW_KEY_O, KEY_ALONE, VIEW, "next colour overlay", next_overlay, 0, false},
    {"A", GLFW_KEY_A, KEY_ALONE, VIEW, "flow arrows", toggle_mark, MARKS_ARROWS, false},
    {"T", GLFW_KEY_T, KEY_ALONE, VIEW, "tiles at rest", toggle_mark, MARKS_REST, false},
    {"P", GLFW_KEY_P, KEY_ALONE, VIEW, "probes", toggle_mark, MARKS_PROBES, false},
    {"tab", GLFW_KEY_TAB, KEY_ALONE, VIEW, "show or hide the panel", toggle_panel, 0, false},
    {"ctrl+pageup", GLFW_KEY_PAGE_UP, KEY_CONTROL, VIEW, "scroll the panel", scroll_panel, -12, true},
    {"ctrl+pagedown", GLFW_KEY_PAGE_DOWN, KEY_CONTROL, VIEW, NULL, scroll_panel, 12, true},
    {"C", GLFW_KEY_C, KEY_ALONE, FILES, "choose a scene", toggle_page, PAGE_SCENES, false},
    {"ctrl+O", GLFW_KEY_O, KEY_CONTROL, FILES, "open a saved file", toggle_page, PAGE_FILES, false},
    {"F5", GLFW_KEY_F5, KEY_ALONE, FILES, "save a checkpoint", save_file, FILE_CHECKPOINT, false},
    {"F6", GLFW_KEY_F6, KEY_ALONE, FILES, "save the input log", save_file, FILE_INPUTS, false},
    {"F7", GLFW_KEY_F7, KEY_ALONE, FILES, "save as a scene", save_file, FILE_SCENE, false},
    {"F8", GLFW_KEY_F8, KEY_ALONE, FILES, "start or end a film", toggle_film, 0, false},
    {"F9", GLFW_KEY_F9, KEY_ALONE, FILES, "films as mp4, gif or webm", next_film_format, 0, false},
    {"F12", GLFW_KEY_F12, KEY_ALONE, FILES, "save a picture", save_picture, 0, false},
    {"?", GLFW_KEY_SLASH, KEY_SHIFT, FILES, "these keys", toggle_page, PAGE_KEYS, false},
    {"F1", GLFW_KEY_F1, KEY_ALONE, FILES, NULL, toggle_page, PAGE_KEYS, false},
    {"escape", GLFW_KEY_ESCAPE, KEY_ALONE, FILES, "close pages; look", close_pages, 0, false},
    {"Q", GLFW_KEY_Q, KEY_ALONE, FILES, "quit", quit_viewer, 0, false},
    {"ctrl+W", GLFW_KEY_W, KEY_CONTROL, FILES, NULL, quit_viewer, 0, false},
    {"ctrl+Q", GLFW_KEY_Q, KEY_CONTROL, FILES, NULL, quit_viewer, 0, false},
};
const int view_key_count = (int)(sizeof view_keys / sizeof view_keys[0]);

/* Moves the selection of the page by some entries; it stops at the first and the last. On the page of keys, scrolls. */
static void move_selection(viewer *v, int by) {
    const int last = v->entries > 0 ? v->entries - 1 : 0, next = v->entry + by;
    v->entry = next < 0 ? 0 : next > last ? last : next;
    v->entry_moved = true;
    if (v->page == PAGE_KEYS) v->page_scroll += by;
}

/* Does what a key does on the page that is open. Returns false if it does nothing there. */
static bool run_on_page(viewer *v, const view_key *key) {
    const int row = v->page != PAGE_KEYS && v->entry_columns > 0 ? v->entry_columns : 1;
    switch (key->code) {
    case GLFW_KEY_LEFT: move_selection(v, -1); break;
    case GLFW_KEY_RIGHT: move_selection(v, 1); break;
    case GLFW_KEY_UP: move_selection(v, -row); break;
    case GLFW_KEY_DOWN: move_selection(v, row); break;
    case GLFW_KEY_PAGE_UP: move_selection(v, -3 * row); break;
    case GLFW_KEY_PAGE_DOWN: move_selection(v, 3 * row); break;
    case GLFW_KEY_HOME: move_selection(v, -v->entry); break;
    case GLFW_KEY_ENTER: v->entry_entered = true; break;
    default: return false;
    }
    return true;
}

void keys_run(viewer *v, const view_key *key) {
    if (v->page != PAGE_NONE && run_on_page(v, key)) return;
    if (v->page == PAGE_NONE || strcmp(key->group, FILES) == 0) key->run(v, key->argument);
}

/* Runs a key that was found, unless it is held down and does not repeat, or was not found (NULL). Returns whether it
   has run. */
static bool run_found(viewer *v, const view_key *key, bool again) {
    if (!key || (again && !key->repeats)) return false;
    keys_run(v, key);
    return true;
}

bool keys_press(viewer *v, int code, key_modifier with, bool again) {
    const view_key *found = NULL;
    for (int i = 0; i < view_key_count; i++) {
        const bool plain = view_keys[i].with == KEY_ALONE && with == KEY_SHIFT && !found; /* capital letters, + */
        if (view_keys[i].code == code && (view_keys[i].with == with || plain)) found = &view_keys[i];
    }
    return run_found(v, found, again);
}

bool keys_type(viewer *v, unsigned character, bool shift, bool again) {
    if (character > 0x7f) return false;
    const char letter = (char)toupper((int)character);
    char name[] = {letter == '=' ? '+' : letter, 0}, shifted[16];
    snprintf(shifted, sizeof shifted, "shift+%s", name);
    const view_key *found = shift && isalpha((unsigned char)letter) ? keys_find(shifted) : NULL;
    return run_found(v, found ? found : keys_find(name), again);
}

const view_key *keys_find(const char *name) {
    for (int i = 0; i < view_key_count; i++)
        if (strcmp(view_keys[i].name, name) == 0) return &view_keys[i];
    return NULL;
}
