/* Performs, logs and replays actions on a scene. Interface: view/session.h. session_act performs an action through one
   function per tool, then logs it. The tools keep the numbers of the sources and forces that they have added to the
   world, until they are released. Failures leave the reason in rn_last_error(). */
#include "view/session.h"

#include "base/error.h"
#include "base/platform.h"
#include "view/props.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double stiffness = 80.0, damping = 14.0; /* 1/s^2 and 1/s, of the spring that drags a body */

static const session_stream no_stream = {.source = -1};

rn_result session_open(session *s, const session_def *def) {
    *s = (session){
        .pour = no_stream, .suck = no_stream, .rain = -1, .force = -1, .held = -1, .friction = NAN, .courant = NAN};
    const rn_scene_def scene = {.path = def->path,
                                .checkpoint = def->checkpoint,
                                .set = def->set,
                                .set_count = def->set_count,
                                .replay_poses = def->replay_poses,
                                .threads = def->threads,
                                .backend = def->backend,
                                .keep_solid = true,
                                .hooks = def->hooks};
    const rn_result result = rn_scene_open(&scene, &s->scene);
    if (result != RN_OK) return result;
    s->world = rn_scene_world(s->scene);
    s->log.from_checkpoint = def->checkpoint != NULL;
    if (!rn_path_from_root(def->checkpoint ? def->checkpoint : def->path, s->log.scene, sizeof s->log.scene))
        snprintf(s->log.scene, sizeof s->log.scene, "%s", def->checkpoint ? def->checkpoint : def->path);
    for (int i = 0; i < def->set_count; i++)
        if (!inputs_add_set(&s->log, def->set[i])) return rn_fail(RN_MEMORY, "there is not enough memory");
    return RN_OK;
}

void session_close(session *s) {
    if (s->scene) rn_scene_close(s->scene);
    inputs_free(&s->log);
    inputs_free(&s->replay);
    texts_free(&s->accepted);
    free(s->samples);
    *s = (session){0};
}

const char *session_courant_key(const char *solver) {
    if (strcmp(solver, "packets") == 0) return "packets.courant=";
    return strcmp(solver, "implicit") == 0 ? "courant=" : NULL;
}

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

/* Removes a source from the world and sets its number, *source, to -1, also on failure. Does nothing if it is -1
   already. */
static rn_result end_source(session *s, int *source) {
    const rn_result result = *source >= 0 ? rn_world_remove_source(s->world, *source) : RN_OK;
    *source = -1;
    return result;
}

/* Pours (RN_SOURCE_RATE) or drains (RN_SOURCE_DRAIN) from now on. n: x, y, z, radius (m) and rate (m^3/s). An existing
   source moves there; it is replaced if its radius or rate differs. If a new source cannot be added, there is none; a
   source that cannot be moved stays. */
static rn_result pour_or_suck(session *s, session_stream *stream, rn_source_kind kind, const double *n) {
    const rn_vec3 at = {n[0], n[1], n[2]};
    if (stream->source >= 0 && stream->radius == n[3] && stream->rate == n[4])
        return rn_world_move_source(s->world, stream->source, at);
    rn_source_def def = rn_source_default();
    def.kind = kind;
    def.at = at;
    def.radius = n[3];
    def.rate = n[4];
    end_source(s, &stream->source);
    *stream = (session_stream){rn_world_add_source(s->world, &def), n[3], n[4]};
    return stream->source < 0 ? RN_INVALID : RN_OK;
}

/* Sets the rain (m/s); 0 ends it. */
static rn_result set_rain(session *s, double rate) {
    if (s->rain >= 0 && rate > 0) return rn_world_set_rate(s->world, s->rain, rate);
    const rn_result result = end_source(s, &s->rain);
    if (result != RN_OK || rate <= 0) return result;
    rn_source_def def = rn_source_default();
    def.kind = RN_SOURCE_RAIN;
    def.rate = rate;
    s->rain = rn_world_add_source(s->world, &def);
    return s->rain < 0 ? RN_INVALID : RN_OK;
}

/* Adds or moves the force of the tool "push". n: x, y, radius (m), acceleration along x and y (m/s^2). */
static rn_result push_liquid(session *s, const double *n) {
    rn_force_def def = rn_force_default();
    def.at = (rn_vec3){n[0], n[1], 0};
    def.radius = n[2];
    def.push[0] = n[3], def.push[1] = n[4];
    if (s->force >= 0) return rn_world_set_force(s->world, s->force, &def);
    s->force = rn_world_add_force(s->world, &def);
    return s->force < 0 ? RN_INVALID : RN_OK;
}

/* Returns RN_INVALID, with a message that there is no such body. */
static rn_result fail_unknown_prop(const char *name) {
    char names[64];
    prop_names(names, sizeof names);
    return rn_fail(RN_INVALID, "there is no body \"%.40s\" to drop; there are %s", name, names);
}

/* Adds the body that the action names to the scene. */
static rn_result drop_body(session *s, const action *what) {
    char json[PROP_TEXT];
    const rn_vec3 at = {what->numbers[0], what->numbers[1], what->numbers[2]};
    if (!prop_write(what->text, at, what->numbers[3], json, sizeof json)) return fail_unknown_prop(what->text);
    return rn_scene_add_body(s->scene, json);
}

/* Holds a body and drags it from now on, in place of one that was held. n: its number, then x, y, z (m) of where to.
   Returns RN_INVALID, and changes nothing, if there is no such body. */
static rn_result hold_body(session *s, const double *n) {
    const int body = (int)n[0];
    if (!rn_bodies_has(s->world, body)) return rn_fail(RN_INVALID, "there is no body %d to drag", body);
    s->held = body;
    s->to = (rn_vec3){n[1], n[2], n[3]};
    return RN_OK;
}

/* Removes ground in a ball (carve), or adds it. n: x, y, z and radius (m). */
static rn_result sculpt_ground(session *s, const double *n, bool carve) {
    rn_sdf *brush = rn_sdf_move(rn_sdf_sphere(n[3]), (rn_vec3){n[0], n[1], n[2]});
    const rn_result result = brush ? rn_world_sculpt(s->world, brush, carve) : RN_INVALID;
    rn_sdf_destroy(brush);
    return result;
}

/* Ends the tools in use: pour, suck, push and drag. Rain continues. After a failure, which is returned, the sources and
   forces not removed yet stay in the world; push and drag end for the session all the same. */
static rn_result end_tools(session *s) {
    rn_result result = end_source(s, &s->pour.source);
    if (result == RN_OK) result = end_source(s, &s->suck.source);
    if (result == RN_OK && s->force >= 0) result = rn_world_remove_force(s->world, s->force);
    s->force = s->held = -1;
    return result;
}

/* Performs an action without logging it. Returns the result of one of the functions above or of rn_scene_set. */
static rn_result perform_action(session *s, const action *what) {
    const double *n = what->numbers;
    switch (what->kind) {
    case ACTION_POUR: return pour_or_suck(s, &s->pour, RN_SOURCE_RATE, n);
    case ACTION_SUCK: return pour_or_suck(s, &s->suck, RN_SOURCE_DRAIN, n);
    case ACTION_RAIN: return set_rain(s, n[0]);
    case ACTION_PUSH: return push_liquid(s, n);
    case ACTION_RELEASE: return end_tools(s);
    case ACTION_DROP: return drop_body(s, what);
    case ACTION_DRAG: return hold_body(s, n);
    case ACTION_DIG: return sculpt_ground(s, n, true);
    case ACTION_RAISE: return sculpt_ground(s, n, false);
    case ACTION_SET: return rn_scene_set(s->scene, what->text);
    case ACTION_KINDS: break;
    }
    return rn_fail(RN_INVALID, "there is no action %d", (int)what->kind);
}

/* Notes a rain or a setting that was accepted. Returns false, without a message, if memory runs out. */
static bool note_accepted(session *s, const action *what) {
    const char *text = what->text;
    const char *value = strchr(text, '=');
    if (what->kind == ACTION_RAIN) s->rain_rate = fmax(what->numbers[0], 0);
    if (what->kind != ACTION_SET || !value) return true;
    if (strncmp(text, "friction=", 9) == 0) s->friction = strtod(value + 1, NULL);
    const char *courant = session_courant_key(rn_world_describe(s->world).solver);
    if (courant && strncmp(text, courant, strlen(courant)) == 0) s->courant = strtod(value + 1, NULL);
    return texts_set(&s->accepted, text);
}

/* Actions that fail are logged too: they may have changed something, such as part of the ground, or ended a pour. */
rn_result session_act(session *s, const action *what) {
    const rn_result result = perform_action(s, what);
    const bool noted = result != RN_OK || note_accepted(s, what);
    if (!inputs_add(&s->log, s->steps, what) || !noted) return rn_fail(RN_MEMORY, "there is not enough memory");
    return result;
}

rn_result session_release(session *s) {
    const action release = {.kind = ACTION_RELEASE}, dry = {.kind = ACTION_RAIN};
    const bool holds = s->pour.source >= 0 || s->suck.source >= 0 || s->force >= 0 || s->held >= 0;
    const rn_result result = holds ? session_act(s, &release) : RN_OK;
    return result == RN_OK && s->rain >= 0 ? session_act(s, &dry) : result;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* Pulls the dragged body, if there is one, towards s->to during the next step: a damped spring, and a force that
   balances its weight. */
static void pull_held_body(session *s) {
    if (s->held < 0 || !rn_bodies_has(s->world, s->held)) return;
    const rn_body_info body = rn_bodies_describe(s->world, s->held);
    const rn_vec3 at = body.pose.at, v = body.pose.velocity, g = rn_world_gravity(s->world);
    const rn_vec3 force = {body.mass * (stiffness * (s->to.x - at.x) - damping * v.x - g.x),
                           body.mass * (stiffness * (s->to.y - at.y) - damping * v.y - g.y),
                           body.mass * (stiffness * (s->to.z - at.z) - damping * v.z - g.z)};
    rn_scene_push_body(s->scene, s->held, force, (rn_vec3){0, 0, 0});
}

/* Performs and logs the actions of the replay that come before the next step. Failures are ignored. */
static void perform_due_actions(session *s) {
    for (; s->next < s->replay.count && s->replay.list[s->next].step <= s->steps; s->next++)
        session_act(s, &s->replay.list[s->next].what); /* an action that failed when it was recorded fails again */
}

void session_replay(session *s, inputs *log) {
    s->replay = *log;
    *log = (inputs){0};
    s->next = 0;
    perform_due_actions(s);
}

rn_result session_step(session *s) {
    const double before = rn_clock();
    pull_held_body(s);
    const rn_result result = rn_scene_step(s->scene);
    s->ended = rn_clock();
    s->spent = s->ended - before;
    s->steps++;
    perform_due_actions(s);
    return result;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

rn_result session_save_inputs(session *s, const char *path) {
    char error[512];
    s->log.steps = s->steps;
    s->log.hash = rn_world_hash(s->world);
    return inputs_write(&s->log, path, error, sizeof error) ? RN_OK : rn_fail(RN_FILE, "%s", error);
}

rn_result session_save_checkpoint(session *s, const char *path) {
    const rn_result result = session_release(s);
    return result == RN_OK ? rn_scene_save(s->scene, path) : result;
}
