/* Runs a script line by line. Interface: view/window/script.h.

   Each line is split into words, and words[0] selects an entry of `commands`: how many words it takes, and a function
   do_... that runs it. After every command the script waits until the simulation has done everything that was sent to
   it, and runs one frame of the interface (respond). Only "wait", "play" and the key for a single step take steps. An
   error prints a message and ends the script (script_stop); `over` is then set. What the simulation refuses only shows
   a notice. */
#include "view/window/script.h"

#include "base/platform.h"
#include "base/words.h"
#include "common/commands.h"
#include "common/options.h"
#include "render/camera.h"
#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/keys.h"
#include "view/window/pick.h"
#include "view/window/scenes.h"
#include "view/window/script_values.h"
#include "view/window/simulation.h"
#include "view/window/viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 8192 };

static const double longest_wait = 3600; /* s, for a step or a scene, before a script gives up */

/* ---- In step with the simulation --------------------------------------------------------------------------------- */

/* Returns whether no scene is being opened, the simulation has run all commands sent to it, and all files are
   complete. */
static bool is_settled(const viewer *v) {
    return !scenes_is_loading(v) && !v->unwritten && (!v->live || v->frame->commands >= v->sent);
}

/* Updates the viewer until is_settled, or until the user quits. Returns false if that took too long; then the script is
   stopped with a message. */
static bool wait_until_settled(script *s) {
    const double give_up = rn_clock() + longest_wait;
    viewer_update(s->v);
    while (!is_settled(s->v) && !s->v->quit) {
        if (rn_clock() > give_up)
            return script_stop(s, EXIT_FAILED_CHECK, "nothing has happened for %g s", longest_wait);
        rn_sleep(2e-4);
        viewer_update(s->v);
    }
    return true;
}

/* Takes one step of the scene, which must be open, and waits for it. Returns false if that took too long; then the
   script is stopped with a message. */
static bool take_step(script *s) {
    viewer *v = s->v;
    const uint64_t before = v->frame->steps;
    const double give_up = rn_clock() + longest_wait;
    rn_live_advance(v->live);
    for (viewer_update(v); v->frame->steps == before; viewer_update(v)) {
        if (rn_clock() > give_up)
            return script_stop(s, EXIT_FAILED_CHECK, "a step takes longer than %g s", longest_wait);
        rn_sleep(1e-4);
    }
    return true;
}

/* Takes one step and waits for it, if a scene is open and plays. Returns false if that took too long; then the script
   is stopped with a message. */
static bool step_if_playing(script *s) { return !s->v->live || !s->v->playing || take_step(s); }

/* Runs one frame of the interface, drawn only for a film, so that it reacts to input, and waits until all is settled
   before and after. Then takes the steps that were asked for by keys. */
static void respond(script *s) {
    wait_until_settled(s);
    s->window->frame(s->window->window, s->v->record.writer != NULL);
    wait_until_settled(s);
    for (; s->v->steps_asked > 0 && !s->over; s->v->steps_asked--) take_step(s);
}

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

/* Each function do_... runs the command of its name with the words of the line. What it returns is not used; after an
   error `over` is set. */

enum { MOST_FRAMES = 1000000 };

/* wait FRAMES, or wait SECONDSs: runs that many frames, each with one step if the scene plays. Only the last is
   drawn, unless a film is being made. */
static bool do_wait(script *s) {
    char *end = NULL;
    const char *word = s->words[1];
    double frames = strtod(word, &end);
    const bool seconds = end != word && strcmp(end, "s") == 0;
    if (seconds && !(s->v->live && s->v->info.frame_time > 0))
        return script_stop(s, EXIT_FAILED_CHECK, "no scene is open to take steps");
    if (seconds) frames = ceil(frames / s->v->info.frame_time - 1e-6);
    else if (end == word || *end) return script_stop(s, EXIT_BAD_INPUT, "write \"wait FRAMES\" or \"wait SECONDSs\"");
    if (!(frames >= 0 && frames <= MOST_FRAMES))
        return script_stop(s, EXIT_BAD_INPUT, "a script waits for at most %d frames at a time", MOST_FRAMES);
    for (double i = 0; i < frames && !s->over && !s->v->quit; i++) {
        step_if_playing(s);
        s->window->frame(s->window->window, i + 1 >= frames || s->v->record.writer);
    }
    return true;
}

/* play SECONDS [STEPS]: lets the scene play for this long in real time, as it does for a user, unless it is paused; a
   slow machine plays on until it has taken this many steps. Waits until it is paused again. */
static bool do_play(script *s) {
    viewer *v = s->v;
    const double until = rn_clock() + script_number_in(s, 1, 0, 3600), give_up = until + longest_wait;
    const double steps = s->count > 2 ? script_number_in(s, 2, 0, 1e9) : 0;
    if (s->over) return true;
    const uint64_t least = v->live && v->playing ? v->frame->steps + (uint64_t)steps : 0;
    v->scripted = false;
    if (v->live) rn_live_pause(v->live, !v->playing);
    while ((rn_clock() < until || (v->live && v->frame->steps < least && rn_clock() < give_up)) && !v->quit)
        s->window->frame(s->window->window, true);
    viewer_status(v, s->played, sizeof s->played);
    v->scripted = true;
    if (v->live) rn_live_pause(v->live, true);
    while (v->live && !v->frame->paused && !v->quit) s->window->frame(s->window->window, true);
    return true;
}

/* move X Y: moves the mouse (units of the window). */
static bool do_move(script *s) {
    const double x = script_number_in(s, 1, -1e6, 1e6), y = script_number_in(s, 2, -1e6, 1e6);
    if (!s->over) s->window->move(s->window->window, x, y);
    return true;
}

/* Sets *middle to the mean (m) of a body's vertices. Returns false, without a message, if there is no body of this
   number. */
static bool middle_of(const viewer *v, int body, rn_vec3 *middle) {
    const rn_mesh *m = &v->frame->bodies;
    double count = 0;
    *middle = (rn_vec3){0, 0, 0};
    for (uint32_t i = 0; i < m->vertex_count && m->ids; i++) {
        const float *p = m->positions + 3 * (size_t)i;
        if (m->ids[i] != (uint32_t)body) continue;
        *middle = rn_sum(*middle, (rn_vec3){(double)p[0], (double)p[1], (double)p[2]});
        count++;
    }
    *middle = rn_times(*middle, 1 / fmax(count, 1));
    return count > 0;
}

/* point X Y Z, or point body NUMBER: moves the mouse to where a point of the scene (m) or a body appears. */
static bool do_point(script *s) {
    const bool body = strcmp(s->words[1], "body") == 0;
    rn_vec3 at;
    double pixel[2];
    if (body) {
        const int which = (int)script_number_in(s, 2, 0, 1e9);
        if (!s->over && !(s->v->live && middle_of(s->v, which, &at)))
            return script_stop(s, EXIT_FAILED_CHECK, "there is no body %d", which);
    } else at = (rn_vec3){script_number(s, 1), script_number(s, 2), script_number(s, 3)};
    if (s->over) return true;
    s->window->frame(s->window->window, false); /* the camera of now */
    if (!pick_pixel(&s->v->camera, at, s->v->width, s->v->height, pixel))
        return script_stop(s, EXIT_FAILED_CHECK, "this point is behind the camera");
    s->window->move(s->window->window, pixel[0] / s->v->pixels, pixel[1] / s->v->pixels);
    return true;
}

/* Presses or releases the mouse button that words[1] names. */
static bool press_or_release(script *s, bool down) {
    static const char *const names[BUTTONS] = {"left", "right", "middle"};
    for (int i = 0; i < BUTTONS; i++)
        if (strcmp(names[i], s->words[1]) == 0)
            return s->window->press(s->window->window, (viewer_button)i, down), true;
    return script_stop(s, EXIT_BAD_INPUT, "write \"%s left\", \"%s right\" or \"%s middle\"", s->words[0], s->words[0],
                       s->words[0]);
}

/* press left|right|middle: presses a mouse button. */
static bool do_press(script *s) { return press_or_release(s, true); }

/* release left|right|middle: releases a mouse button. */
static bool do_release(script *s) { return press_or_release(s, false); }

/* scroll CLICKS: turns the mouse wheel. */
static bool do_scroll(script *s) {
    const double clicks = script_number_in(s, 1, -1000, 1000);
    if (!s->over) s->window->scroll(s->window->window, clicks);
    return true;
}

/* key NAME: presses a key by the name that the help page shows. */
static bool do_key(script *s) {
    const view_key *key = keys_find(s->words[1]);
    if (!key) return script_stop(s, EXIT_BAD_INPUT, "there is no key \"%.40s\"; press ? in the window", s->words[1]);
    keys_run(s->v, key);
    return true;
}

/* tool NAME: chooses a tool. */
static bool do_tool(script *s) {
    char names[128] = "";
    for (int i = 0; i < TOOLS; i++) {
        if (strcmp(viewer_tool_names[i], s->words[1]) == 0) return hand_choose_tool(s->v, (viewer_tool)i), true;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i == 0          ? ""
                 : i + 1 < TOOLS ? ", "
                                 : " and ",
                 viewer_tool_names[i]);
    }
    return script_stop(s, EXIT_BAD_INPUT, "there is no tool \"%.40s\"; there are %s", s->words[1], names);
}

/* Chooses the body that the tool drops by its name, words[2]. Returns false if there is none of this name; then the
   script is stopped with a message. */
static bool set_prop(script *s) {
    char names[64];
    const int prop = prop_find(s->words[2]);
    prop_names(names, sizeof names);
    if (prop < 0) return script_stop(s, EXIT_BAD_INPUT, "there is no body \"%.40s\"; there are %s", s->words[2], names);
    s->v->prop = prop;
    return true;
}

/* Asks the simulation to change a value of the scene: words[1] is its key, words[2] the value. If the simulation
   refuses, a notice appears and the script goes on. Returns false if key and value are too long; then the script is
   stopped with a message. */
static bool set_value(script *s) {
    char change[ACTION_TEXT];
    if (snprintf(change, sizeof change, "%s=%s", s->words[1], s->words[2]) >= (int)sizeof change)
        return script_stop(s, EXIT_BAD_INPUT, "the key and its value have more than %d bytes", ACTION_TEXT - 2);
    simulation_set(s->v, change);
    return true;
}

/* set NAME VALUE, or set tilt X [Y]: changes a setting of the window or, if NAME is none of them, a value of the
   scene. */
static bool do_set(script *s) {
    viewer *v = s->v;
    const char *name = s->words[1];
    const bool tilt = strcmp(name, "tilt") == 0;
    if (s->count > 3 && !tilt) return script_stop(s, EXIT_BAD_INPUT, "write \"set %.40s VALUE\", without spaces", name);
    if (tilt) {
        const double x = script_number_in(s, 2, -45, 45), y = s->count > 3 ? script_number_in(s, 3, -45, 45) : 0;
        if (!s->over) simulation_set_tilt(v, x, y);
    } else if (strcmp(name, "radius") == 0) v->settings.radius = script_number_in(s, 2, 1e-9, 1e9) / v->default_radius;
    else if (strcmp(name, "rate") == 0) v->settings.rate = script_number_in(s, 2, 1e-30, 1e9) / v->default_rate;
    else if (strcmp(name, "speed") == 0) simulation_set_speed(v, script_number_in(s, 2, 1.0 / 64, 64));
    else if (strcmp(name, "rain") == 0) simulation_set_rain(v, script_number_in(s, 2, 0, 1e12));
    else if (strcmp(name, "body") == 0) set_prop(s);
    else if (strcmp(name, "overlay") == 0) v->overlay = (rn_overlay)script_number_in(s, 2, 0, RN_OVERLAY_DISTANCE);
    else if (strcmp(name, "marks") == 0) v->marks = (unsigned)script_number_in(s, 2, 0, MARKS_ALL);
    else if (strcmp(name, "view") == 0) camera_look(v, (int)script_number_in(s, 2, -1000, 1000));
    else set_value(s);
    return true;
}

/* screenshot FILE: draws a frame and saves the whole window as PNG. */
static bool do_screenshot(script *s) {
    s->window->frame(s->window->window, true);
    if (!s->window->picture(s->window->window, s->words[1])) script_stop(s, EXIT_BAD_INPUT, "%s", rn_last_error());
    return true;
}

/* open SCENE|FILE [KEY=VALUE ...]: opens a scene with these changes. */
static bool do_open(script *s) {
    scenes_open_with(s->v, s->words[1], (const char *const *)s->words + 2, s->count - 2);
    return true;
}

/* restart [KEY=VALUE]: opens the scene again from its start, with a changed value if one is given. */
static bool do_restart(script *s) {
    if (s->count < 2) scenes_reset(s->v);
    else scenes_restart_with(s->v, s->words[1]);
    return true;
}

/* drop FILE: drops a file on the window. */
static bool do_drop(script *s) {
    s->window->drop(s->window->window, s->words[1]);
    return true;
}

/* save checkpoint|input|scene FILE: saves the session as a file of this kind. */
static bool do_save(script *s) {
    static const char *const kinds[] = {"checkpoint", "input", "scene"};
    for (int i = 0; i < 3; i++)
        if (strcmp(kinds[i], s->words[1]) == 0) return files_save(s->v, (viewer_file)i, s->words[2]), true;
    return script_stop(s, EXIT_BAD_INPUT, "write \"save checkpoint FILE\", \"save input FILE\" or \"save scene FILE\"");
}

/* film FILE starts a film; film end ends it. */
static bool do_film(script *s) {
    const bool runs = s->v->record.writer, ends = strcmp(s->words[1], "end") == 0;
    if (runs != ends)
        return script_stop(s, EXIT_FAILED_CHECK, runs ? "a film is being made already" : "no film is being made");
    if (ends) files_end_film(s->v);
    else files_start_film(s->v, s->words[1]);
    return true;
}

/* resize WIDTH HEIGHT: resizes the window. */
static bool do_resize(script *s) {
    const double width = script_number_in(s, 1, 100, 16384), height = script_number_in(s, 2, 100, 16384);
    if (!s->over) s->window->resize(s->window->window, (int)width, (int)height);
    return true;
}

/* quit: ends the script. */
static bool do_quit(script *s) {
    s->over = true;
    return true;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static const struct command {
    const char *name;
    bool (*run)(script *s);
    int least, most;   /* words after the name */
    const char *usage; /* these words */
} commands[] = {
    {"wait", do_wait, 1, 1, "FRAMES|SECONDSs"},
    {"play", do_play, 1, 2, "SECONDS [STEPS]"},
    {"move", do_move, 2, 2, "X Y"},
    {"point", do_point, 2, 3, "X Y Z|body NUMBER"},
    {"press", do_press, 1, 1, "left|right|middle"},
    {"release", do_release, 1, 1, "left|right|middle"},
    {"scroll", do_scroll, 1, 1, "CLICKS"},
    {"key", do_key, 1, 1, "NAME"},
    {"tool", do_tool, 1, 1, "NAME"},
    {"set", do_set, 2, 3, "NAME VALUE"},
    {"screenshot", do_screenshot, 1, 1, "FILE"},
    {"open", do_open, 1, SCRIPT_WORDS, "SCENE|FILE [KEY=VALUE ...]"},
    {"restart", do_restart, 0, 1, "[KEY=VALUE]"},
    {"drop", do_drop, 1, 1, "FILE"},
    {"save", do_save, 2, 2, "checkpoint|input|scene FILE"},
    {"film", do_film, 1, 1, "FILE|end"},
    {"resize", do_resize, 2, 2, "WIDTH HEIGHT"},
    {"expect", script_expect, 2, 9, "NAME <|>|near VALUE"},
    {"keep", script_keep, 1, 3, "NAME"},
    {"print", script_print, 1, 3, "NAME"},
    {"quit", do_quit, 0, 0, ""},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Runs the command that words[0] names, then lets the interface respond. */
static void run_line(script *s) {
    const char *nearest = NULL;
    for (int i = 0; i < COMMANDS; i++) {
        rn_word_nearer(s->words[0], commands[i].name, &nearest);
        if (strcmp(commands[i].name, s->words[0]) != 0) continue;
        if (s->count - 1 < commands[i].least || s->count - 1 > commands[i].most)
            script_stop(s, EXIT_BAD_INPUT, "write \"%s%s%s\"", commands[i].name, *commands[i].usage ? " " : "",
                        commands[i].usage);
        else commands[i].run(s);
        if (!s->over && !s->v->quit) respond(s);
        return;
    }
    if (nearest)
        script_stop(s, EXIT_BAD_INPUT, "there is no command \"%.40s\"; did you mean \"%s\"?", s->words[0], nearest);
    else script_stop(s, EXIT_BAD_INPUT, "there is no command \"%.40s\"; docs/view.md lists them", s->words[0]);
}

int script_run(viewer *v, const script_window *window, const char *path) {
    script s = {.v = v, .window = window, .path = path};
    FILE *file = fopen(path, "r");
    if (!file) return complain("%s: cannot be read: %s", path, strerror(errno));
    char line[LONGEST_LINE];
    respond(&s);
    while (!s.over && !v->quit && fgets(line, sizeof line, file)) {
        s.line++;
        if (!strchr(line, '\n') && !feof(file))
            script_stop(&s, EXIT_BAD_INPUT, "the line has more than %d bytes", LONGEST_LINE - 2);
        else if (script_split(&s, line) && s.count) run_line(&s);
    }
    fclose(file);
    return s.status;
}
