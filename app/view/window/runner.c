/* Starts the simulation of a session. Interface: view/window/runner.h. step_session and measure_session run on its
   thread. */
#include "view/window/runner.h"

#include "base/platform.h"
#include "view/samples.h"

#include <string.h>

/* Takes one step of the session, with the replay, as rn_live_def.step. user: the session. Returns the result of
   session_step, with a reason in rn_last_error(). */
static rn_result step_session(void *user, rn_world *world, double seconds) {
    (void)world, (void)seconds;
    return session_step(user);
}

/* Writes the sample of the step that was just taken, for the plots. Its meshes are complete. */
static void write_sample(session *s, const rn_world *world) {
    const rn_scene_info info = rn_scene_describe(s->scene);
    const rn_world_stats stats = rn_world_get_stats(world);
    sample next = {.time = stats.time,
                   .volume = rn_world_volume(world),
                   .step = s->spent,
                   .surface = rn_clock() - s->ended,
                   .substeps = stats.substeps};
    int count = 0;
    for (int i = 0; i < info.probe_count && count < SAMPLE_PROBES; i++)
        if (!info.probes[i].is_section) next.levels[count++] = rn_world_sample(world, info.probes[i].at).level;
    samples_write(s->samples, &next);
}

/* Returns the number of a liquid in runnel's list, or -1 if it is not there. */
static int number_of_liquid(const rn_liquid *liquid) {
    for (int i = 0; rn_liquid_at(i); i++)
        if (strcmp(rn_liquid_at(i)->name, liquid->name) == 0) return i;
    return -1;
}

/* Sets values[] as VALUE_... say, and writes a sample if there was a step, as rn_live_def.measure. user: the
   session. */
static void measure_session(void *user, const rn_world *world, double values[RN_LIVE_VALUES]) {
    session *s = user;
    const rn_liquid liquid = rn_world_liquid(world);
    const rn_vec3 gravity = rn_world_gravity(world);
    values[VALUE_LIQUID] = number_of_liquid(&liquid);
    values[VALUE_VISCOSITY] = liquid.viscosity;
    values[VALUE_CONTACT_ANGLE] = liquid.contact_angle;
    values[VALUE_FRICTION] = s->friction;
    values[VALUE_COURANT] = s->courant;
    values[VALUE_GRAVITY] = gravity.x, values[VALUE_GRAVITY + 1] = gravity.y, values[VALUE_GRAVITY + 2] = gravity.z;
    values[VALUE_RAIN] = s->rain_rate;
    if (s->ended > 0 && s->samples) write_sample(s, world);
    s->ended = 0;
}

rn_result runner_start(session *s, int threads, rn_live **live) {
    rn_live_def def = rn_live_default(s->world);
    def.skin = rn_scene_skin(s->scene);
    def.skin.menisci = true;
    def.skin.threads = threads;
    def.frame_time = rn_scene_describe(s->scene).frame_time;
    def.paused = true;
    def.step = step_session;
    def.measure = measure_session;
    def.user = s;
    s->samples = samples_create(); /* without it there are no plots */
    return rn_live_create(&def, live);
}
