/* Starts the simulation of a session. Interface: view/window/runner.h. step_session and measure_session run on its
   thread. */
#include "view/window/runner.h"

/* Takes one step of the session, with the replay, as rn_live_def.step. user: the session. Returns the result of
   session_step, with a reason in rn_last_error(). */
static rn_result step_session(void *user, rn_world *world, double seconds) {
    (void)world, (void)seconds;
    return session_step(user);
}

/* Sets values[] to the real time of the step (s) and the levels (m) at the first HISTORY_PROBES probes that are points,
   as rn_live_def.measure; further values stay. user: the session. */
static void measure_session(void *user, const rn_world *world, double values[RN_LIVE_VALUES]) {
    const session *s = user;
    const rn_scene_info info = rn_scene_describe(s->scene);
    int count = 0;
    values[VALUE_SPENT] = s->spent;
    for (int i = 0; i < info.probe_count && count < HISTORY_PROBES; i++)
        if (!info.probes[i].is_section)
            values[VALUE_PROBES + count++] = rn_world_sample(world, info.probes[i].at).level;
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
    return rn_live_create(&def, live);
}
