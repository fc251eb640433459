/* Updates and draws the frames of the window. Interface: view/window/viewer.h. */
#include "view/window/viewer.h"

#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/runner.h"
#include "view/window/scenes.h"
#include "view/window/simulation.h"
#include "view/window/sleeps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void viewer_start(viewer *v, const viewer_settings *settings) {
    *v = (viewer){.settings = *settings, .playing = true, .body = -1, .view = -1};
    v->orbit = rn_orbit_default();
}

void viewer_end(viewer *v) {
    files_end_film(v);
    rn_renderer_destroy(v->renderer);
    rn_live_destroy(v->live); /* after the saves that it was asked for */
    files_write_record(v, v->current);
    if (v->current) session_close(v->current);
    free(v->current);
    loader_finish(&v->loading);
    inputs_free(&v->opened_log);
    texts_free(&v->restart);
    texts_free(&v->accepted);
    texts_free(&v->aside);
    files_finish(v);
}

/* Adds the samples of all steps since the last call to the plots. */
static void add_to_history(viewer *v) {
    sample next;
    while (v->current->samples && samples_read(v->current->samples, &next)) {
        double values[HISTORY_LINES] = {next.volume,      v->frame->speed,     next.substeps,
                                        1000 * next.step, 1000 * next.surface, 1000 * v->drawing};
        for (int i = 0; i < HISTORY_PROBES; i++) values[HISTORY_LEVEL + i] = next.levels[i];
        history_add(&v->plots, next.time, values);
    }
}

void viewer_update(viewer *v) {
    scenes_update(v);
    files_update(v);
    if (!v->live) return;
    const double before = rn_clock(); /* nothing until v->waited waits for the simulation */
    const uint64_t slept = thread_sleeps();
    v->frame = rn_live_latest(v->live);
    simulation_send_waiting(v);
    simulation_show_accepted(v);
    hand_update(v);
    add_to_history(v);
    v->waited += rn_clock() - before;
    v->blocked += thread_sleeps() - slept;
    v->exchanges++;
    camera_aim(v);
    const char *error = v->frame->error;
    if (strncmp(error, "--set ", 6) == 0) error += 6; /* there is no such option in a window */
    if (v->frame->errors != v->errors) viewer_tell(v, true, "%s", error);
    v->errors = v->frame->errors;
}

/* Passes the ground, liquid and bodies of the newest frame to the renderer, if it does not have them. Returns the
   result of the renderer, with a reason in rn_last_error(); after a failure too, v->ground and v->drawn count them as
   passed. */
static rn_result upload_frame(viewer *v) {
    const rn_live_frame *f = v->frame;
    rn_result result = RN_OK;
    if (f->ground_number != v->ground) result = rn_renderer_set_ground(v->renderer, &f->ground);
    v->ground = f->ground_number;
    if (f->number != v->drawn && result == RN_OK)
        result = rn_renderer_set_liquid(v->renderer, &f->surface, &v->liquid, &f->columns);
    if (f->number != v->drawn && result == RN_OK) result = rn_renderer_set_bodies(v->renderer, &f->bodies);
    v->drawn = f->number;
    return result;
}

rn_result viewer_draw(viewer *v) {
    if (v->record.width != v->width || v->record.height != v->height) files_end_film(v); /* the window was resized */
    if (!v->live || v->width < 1 || v->height < 1) return RN_OK;
    rn_result result = rn_renderer_resize(v->renderer, v->width, v->height);
    if (result == RN_OK) result = upload_frame(v);
    if (result != RN_OK) return result;
    camera_aim(v);
    rn_look look = v->info.look;
    look.overlay = v->overlay;
    look.time = v->frame->stats.time;
    return rn_renderer_draw(v->renderer, &v->camera, &look, NULL);
}

void viewer_take_pictures(viewer *v) {
    if (!v->live || v->width < 1 || v->height < 1) return;
    const bool due = files_is_picture_due(v);
    uint8_t *pixels = due ? film_room(&v->record) : NULL;
    if (due && !(pixels && v->grab(v->window, pixels))) files_end_film(v); /* which says why */
    else if (due) {
        film_give(&v->record);
        files_next_picture(v);
    }
    files_take_picture(v);
}

void viewer_status(const viewer *v, char *text, size_t size) {
    static const char *const bounds[RN_BOUNDS] = {"the frame", "waves", "the flow's speed", "drag", "sources"};
    if (!v->live) {
        snprintf(text, size, "no scene");
        return;
    }
    const rn_live_frame *f = v->frame;
    const rn_world_stats *s = &f->stats;
    char depth[64] = "";
    if (s->bound_depth > 0) snprintf(depth, sizeof depth, " at a depth of %.3g\xc2\xa0m", s->bound_depth);
    char pace[64] = "paused";
    if (v->playing && v->scripted) snprintf(pace, sizeof pace, "scripted");
    else if (v->playing) snprintf(pace, sizeof pace, "%.2f \xc3\x97 real time", f->speed);
    snprintf(text, size, "%.2f\xc2\xa0s  \xc2\xb7  %s  \xc2\xb7  %d substep%s of %.3g\xc2\xa0ms, bound by %s%s",
             s->time, pace, s->substeps, s->substeps == 1 ? "" : "s", 1000 * s->dt,
             bounds[s->bound < RN_BOUNDS ? s->bound : 0], depth);
}
