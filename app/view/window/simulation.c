/* Sends commands to the thread of the simulation. Interface: view/window/simulation.h.

   run_action runs on that thread, with the session as its data; everything else runs on the window's. Commands are
   counted in `sent`, so that the window knows from a frame's `commands` which of them are done. */
#include "view/window/simulation.h"

#include "base/error.h"
#include "view/window/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295769;

/* ---- The thread of the simulation -------------------------------------------------------------------------------- */

/* The data that rn_live passes to run_action. */
typedef struct sent_action {
    session *session;
    action what;
} sent_action;

/* The data that rn_live passes to copy_accepted. */
typedef struct sent_question {
    const session *session;
    texts *accepted; /* where to */
    bool *lost;      /* set if memory runs out */
} sent_question;

/* Performs and logs an action, as a command of rn_live on the simulation's thread. data: a sent_action. Returns the
   result of session_act, with a reason in rn_last_error(). */
static rn_result run_action(rn_world *world, void *data) {
    (void)world;
    sent_action *sent = data;
    return session_act(sent->session, &sent->what);
}

/* Copies the changes that the session has accepted, as a command of rn_live on the simulation's thread; none if memory
   runs out. data: a sent_question. */
static rn_result copy_accepted(rn_world *world, void *data) {
    (void)world;
    const sent_question *sent = data;
    const texts *from = &sent->session->accepted;
    for (int i = 0; i < from->count; i++)
        if (!texts_add(sent->accepted, from->list[i])) {
            texts_free(sent->accepted);
            *sent->lost = true;
            return rn_fail(RN_MEMORY, "there is not enough memory");
        }
    return RN_OK;
}

/* ---- The window's thread ----------------------------------------------------------------------------------------- */

bool simulation_send(viewer *v, rn_live_command command, const void *data, size_t size) {
    if (!v->live) return false;
    if (rn_live_send(v->live, command, data, size) != RN_OK) {
        viewer_tell(v, true, "%s", rn_last_error());
        return false;
    }
    v->sent++;
    return true;
}

/* Returns whether the simulation is so slow that commands pile up; always false with a script, which waits for it. */
static bool is_crowded(const viewer *v) { return !v->scripted && v->frame && v->sent - v->frame->commands > 8; }

/* Returns whether an action may be held back, because a later one of its kind replaces it. A setting may wait only if
   none of another key waits. */
static bool may_wait(const viewer *v, const action *what) {
    const action *other = &v->waiting[ACTION_SET];
    switch (what->kind) {
    case ACTION_POUR:
    case ACTION_SUCK:
    case ACTION_PUSH:
    case ACTION_DRAG:
    case ACTION_RAIN: return true;
    case ACTION_SET:
        return !v->waits[ACTION_SET] || strncmp(other->text, what->text, strcspn(what->text, "=") + 1) == 0;
    case ACTION_RELEASE:
    case ACTION_DROP:
    case ACTION_DIG:
    case ACTION_RAISE:
    case ACTION_KINDS: break;
    }
    return false;
}

void simulation_act(viewer *v, const action *what) {
    if (what->kind == ACTION_RELEASE)
        v->waits[ACTION_POUR] = v->waits[ACTION_SUCK] = v->waits[ACTION_PUSH] = v->waits[ACTION_DRAG] = false;
    if (is_crowded(v) && may_wait(v, what)) {
        v->waiting[what->kind] = *what;
        v->waits[what->kind] = true;
        return;
    }
    if (what->kind == ACTION_SET && v->waits[ACTION_SET]) { /* an earlier setting must not overtake this one */
        const sent_action earlier = {v->current, v->waiting[ACTION_SET]};
        v->waits[ACTION_SET] = false;
        simulation_send(v, run_action, &earlier, sizeof earlier);
    }
    const sent_action sent = {v->current, *what};
    simulation_send(v, run_action, &sent, sizeof sent);
}

bool simulation_ask_accepted(viewer *v) {
    for (int i = 0; i < ACTION_KINDS; i++) {
        const sent_action late = {v->current, v->waiting[i]};
        if (v->waits[i] && !simulation_send(v, run_action, &late, sizeof late)) return false;
        v->waits[i] = false;
    }
    texts_free(&v->accepted);
    v->accepted_lost = false;
    const sent_question question = {v->current, &v->accepted, &v->accepted_lost};
    if (!simulation_send(v, copy_accepted, &question, sizeof question)) return false;
    v->answered = v->sent;
    return true;
}

void simulation_send_waiting(viewer *v) {
    for (int i = 0; i < ACTION_KINDS && !is_crowded(v); i++) {
        if (!v->waits[i]) continue;
        v->waits[i] = false;
        simulation_act(v, &v->waiting[i]);
    }
}

void simulation_play(viewer *v, bool playing) {
    v->playing = playing;
    if (v->live && !v->scripted) rn_live_pause(v->live, !playing);
}

void simulation_step(viewer *v) {
    simulation_play(v, false);
    if (v->live && v->scripted) v->steps_asked++; /* the script takes it, and waits for it */
    else if (v->live) rn_live_advance(v->live);
}

void simulation_set_speed(viewer *v, double speed) {
    v->settings.speed = fmin(fmax(speed, 1.0 / 64), 64.0);
    if (v->live) rn_live_set_speed(v->live, v->settings.speed);
}

/* Sets the values that the panel shows after the change "KEY=VALUE", and v->liquid after "liquid=NAME". Other keys, and
   values that are not understood, change nothing. */
static void show_change(viewer *v, const char *change) {
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"liquid.viscosity=", &v->viscosity},
                   {"liquid.contact_angle=", &v->contact_angle},
                   {"friction=", &v->friction},
                   {session_courant_key(v->solver), &v->courant}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const size_t length = numbers[i].key ? strlen(numbers[i].key) : 0;
        char *end;
        if (!length || strncmp(change, numbers[i].key, length) != 0) continue;
        const double value = strtod(change + length, &end);
        if (*end == 0 && isfinite(value)) *numbers[i].value = value;
    }
    if (strncmp(change, "liquid=", 7) == 0 && rn_liquid_find(change + 7, &v->liquid)) {
        v->viscosity = v->liquid.viscosity;
        v->contact_angle = v->liquid.contact_angle;
    }
}

void simulation_set(viewer *v, const char *change) {
    action what = {.kind = ACTION_SET};
    if (snprintf(what.text, sizeof what.text, "%s", change) >= (int)sizeof what.text) {
        viewer_tell(v, true, "%.40s...: a change can have at most %d bytes", change, ACTION_TEXT - 1);
        return;
    }
    simulation_act(v, &what);
    show_change(v, change);
}

void simulation_show_accepted(viewer *v) {
    const double *values = v->frame->values;
    bool waits = v->frame->commands < v->sent;
    for (int i = 0; i < ACTION_KINDS; i++) waits = waits || v->waits[i];
    if (waits) return;
    const rn_liquid *liquid = values[VALUE_LIQUID] >= 0 ? rn_liquid_at((int)values[VALUE_LIQUID]) : NULL;
    if (liquid && strcmp(liquid->name, v->liquid.name) != 0) v->liquid = *liquid;
    v->viscosity = v->liquid.viscosity = values[VALUE_VISCOSITY];
    v->contact_angle = v->liquid.contact_angle = values[VALUE_CONTACT_ANGLE];
    v->friction = isnan(values[VALUE_FRICTION]) ? v->opened_friction : values[VALUE_FRICTION];
    v->courant = isnan(values[VALUE_COURANT]) ? v->opened_courant : values[VALUE_COURANT];
    v->rain = 3.6e6 * values[VALUE_RAIN];
    for (int i = 0; i < 3; i++) v->gravity[i] = values[VALUE_GRAVITY + i];
    for (int i = 0; i < 2; i++) {
        const double tilt = atan2(v->gravity[i], -v->gravity[2]) / degree;
        if (fabs(tilt - v->tilt[i]) > 1e-6) v->tilt[i] = tilt;
    }
}

void simulation_set_rain(viewer *v, double mm_per_hour) {
    if (strcmp(v->solver, "mac") == 0) {
        if (mm_per_hour > 0) viewer_tell(v, true, "the solver \"mac\" has no rain");
        return;
    }
    v->rain = fmax(mm_per_hour, 0);
    const action what = {.kind = ACTION_RAIN, .numbers = {v->rain / 3.6e6}};
    simulation_act(v, &what);
}

void simulation_set_tilt(viewer *v, double x_degrees, double y_degrees) {
    const double strength =
        sqrt(v->gravity[0] * v->gravity[0] + v->gravity[1] * v->gravity[1] + v->gravity[2] * v->gravity[2]);
    v->tilt[0] = fmin(fmax(x_degrees, -45), 45), v->tilt[1] = fmin(fmax(y_degrees, -45), 45);
    const double x = tan(v->tilt[0] * degree), y = tan(v->tilt[1] * degree), down = strength / sqrt(1 + x * x + y * y);
    v->gravity[0] = x * down, v->gravity[1] = y * down, v->gravity[2] = -down;
    char text[ACTION_TEXT];
    snprintf(text, sizeof text, "gravity=[%.9g, %.9g, %.9g]", v->gravity[0], v->gravity[1], v->gravity[2]);
    simulation_set(v, text);
}
