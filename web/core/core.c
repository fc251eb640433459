/* Scenes for JavaScript (core.h): opening, stepping, actions and measurements. The session of `runnel view` does the
   work, so an action means the same in the window and in the page. */
#include "scene.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "inspect/inspect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* Threads of a page start only between events, so one pool serves all scenes. */
static rn_pool *pool;

/* rn_hooks.task_start: runs a task at once. Returns NULL: it is done. */
static void *run_task(void *user, rn_task task, int count, int least, void *context) {
    (void)user, (void)least;
    rn_parallel_for(pool, count, task, context);
    return NULL;
}

/* rn_hooks.task_wait: there is never anything to wait for. */
static void wait_for_task(void *user, void *started) { (void)user, (void)started; }

rn_hooks web_hooks(void) {
    return (rn_hooks){.workers = rn_pool_size(pool), .task_start = run_task, .task_wait = wait_for_task};
}

bool runnel_start(int threads) {
    if (!pool) pool = rn_pool_create(NULL, threads);
    return pool != NULL;
}

const char *runnel_error(void) { return rn_last_error(); }

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

web_scene *runnel_open(const char *path, const char *checkpoint, const char *poses) {
    web_scene *s = calloc(1, sizeof *s);
    if (!s) {
        rn_fail(RN_MEMORY, "there is not enough memory for a scene");
        return NULL;
    }
    const session_def def = {.path = path, .checkpoint = checkpoint, .replay_poses = poses, .hooks = web_hooks()};
    if (session_open(&s->session, &def) == RN_OK) return s;
    session_close(&s->session);
    free(s);
    return NULL;
}

void runnel_close(web_scene *s) {
    if (!s) return;
    rn_columns_copy_free(&s->columns, NULL);
    rn_skin_destroy(s->skin);
    session_close(&s->session);
    rn_scene_text_free(s->text);
    free(s->probes);
    rn_free(NULL, s->rests);
    free(s);
}

/* ---- Running ------------------------------------------------------------------------------------------------------
 */

bool runnel_step(web_scene *s) { return session_step(&s->session) == RN_OK; }

bool runnel_act(web_scene *s, const char *text) {
    action what;
    char error[256];
    if (action_read(text, &what, error, sizeof error)) return session_act(&s->session, &what) == RN_OK;
    rn_fail(RN_INVALID, "%s", error);
    return false;
}

bool runnel_add_body(web_scene *s, const char *json) { return rn_scene_add_body(s->session.scene, json) == RN_OK; }

const double *runnel_body(web_scene *s, int body) {
    static double found[13];
    if (body < 0 || body >= rn_bodies_count(s->session.world) || !rn_bodies_has(s->session.world, body)) {
        rn_fail(RN_INVALID, "there is no body %d", body);
        return NULL;
    }
    const rn_pose p = rn_bodies_describe(s->session.world, body).pose;
    const double all[13] = {p.at.x,       p.at.y,       p.at.z,       p.turn.x, p.turn.y, p.turn.z, p.turn.w,
                            p.velocity.x, p.velocity.y, p.velocity.z, p.spin.x, p.spin.y, p.spin.z};
    memcpy(found, all, sizeof found);
    return found;
}

/* ---- Measurements -------------------------------------------------------------------------------------------------
 */

const char *runnel_hash(web_scene *s) {
    snprintf(s->hash, sizeof s->hash, "%016" PRIx64, rn_world_hash(s->session.world));
    return s->hash;
}

const double *runnel_numbers(web_scene *s) {
    const rn_world_stats stats = rn_world_get_stats(s->session.world);
    const rn_audit audit = rn_world_audit(s->session.world);
    const web_numbers numbers = {
        .frame = rn_scene_describe(s->session.scene).frame,
        .time = stats.time,
        .steps = (double)stats.steps,
        .substeps = stats.substeps,
        .dt = stats.dt,
        .fastest = stats.fastest,
        .deepest = stats.deepest,
        .flooded = (double)stats.flooded,
        .bodies = rn_bodies_count(s->session.world),
        .poured = audit.poured,
        .drained = audit.drained,
        .left = audit.left,
        .displaced = audit.displaced,
        .body_offset = audit.body_offset,
        .refused = audit.refused,
        .present = audit.present,
        .drift = audit.drift,
    };
    s->numbers = numbers;
    return &s->numbers.frame;
}

const double *runnel_probes(web_scene *s) {
    const rn_scene_info info = rn_scene_describe(s->session.scene);
    if (!s->probes) s->probes = calloc((size_t)info.probe_count + 1, 2 * sizeof *s->probes);
    for (int i = 0; i < info.probe_count && s->probes; i++) {
        const rn_probe *probe = &info.probes[i];
        double *to = s->probes + 2 * i;
        if (probe->is_section) {
            const rn_section section = rn_world_read_section(s->session.world, probe->section);
            to[0] = section.discharge, to[1] = section.volume;
        } else {
            const rn_sample sample = rn_world_sample(s->session.world, probe->at);
            to[0] = sample.level, to[1] = hypot(sample.velocity_x, sample.velocity_y);
        }
    }
    return s->probes;
}

const rn_resting *runnel_resting(web_scene *s) {
    s->resting = rn_world_resting(s->session.world, NULL, 0);
    /* The number of layers may have grown since the last call. */
    const size_t count = (size_t)s->resting.tiles_x * (size_t)s->resting.tiles_y * (size_t)s->resting.layers;
    if (count > 0 && rn_renew(NULL, &s->rests, &s->rests_room, count, 1))
        s->resting = rn_world_resting(s->session.world, s->rests, count);
    return &s->resting;
}

const rn_view *runnel_view(web_scene *s, int field) {
    s->view = rn_world_view(s->session.world, (rn_field)field);
    return &s->view;
}

const rn_liquid *runnel_liquid(web_scene *s) {
    s->liquid = rn_world_liquid(s->session.world);
    return &s->liquid;
}

const rn_look *runnel_look(web_scene *s) {
    s->look = rn_scene_describe(s->session.scene).look;
    s->look.texture = NULL;
    return &s->look;
}

const rn_texture *runnel_texture(web_scene *s) { return rn_scene_describe(s->session.scene).look.texture; }

/* ---- Scenes of meshes and terrains ---------------------------------------------------------------------------------
 */

const char *runnel_scene_of(const char *geometry, const char *folder, int cells) {
    static inspection of;
    const inspect_options options = {.path = geometry, .out = folder, .cells = cells, .iso = NAN, .replace = true};
    of = inspect_start(&options);
    return inspect_make_scene(&of) ? of.scene : NULL;
}
