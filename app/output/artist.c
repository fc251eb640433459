/* Draws pictures in a thread of its own, which owns the renderer (artist.h). artist_open() starts the thread and waits
   until it has a renderer; artist_room() and artist_give() queue a sketch; the thread draws each sketch and passes the
   picture to the writer; artist_close() waits for the rest. */
#include "output/artist.h"

#include "common/progress.h"

#include <stdio.h>

/* Draws a sketch and passes the picture to the writer; a sketch with `again` only repeats the last picture. Returns
   false on failure of drawing; rn_last_error() says why. A failed writer reports its error itself. */
static bool draw_sketch(artist *a, rn_renderer *renderer, const sketch *s) {
    writer *w = a->def.writer;
    if (s->again) {
        writer_again(w, s->path);
        return true;
    }
    uint8_t *pixels = writer_room(w);
    if (!pixels) return true; /* the writer has failed and reports the error itself */
    const double before = clock_now();
    rn_result result = s->has_ground ? rn_renderer_set_ground(renderer, &s->ground.mesh) : RN_OK;
    if (result == RN_OK)
        result = rn_renderer_set_liquid(renderer, &s->surface.mesh, &a->def.liquid, &s->columns.columns);
    if (result == RN_OK) result = rn_renderer_set_bodies(renderer, &s->bodies.mesh);
    rn_look look = a->def.look;
    look.time = s->time;
    if (result == RN_OK) result = rn_renderer_draw(renderer, &s->camera, &look, pixels);
    a->busy += clock_now() - before;
    if (result == RN_OK) writer_give(w, *s->path ? s->path : NULL, s->in_film);
    return result == RN_OK;
}

/* Creates the renderer in the thread that will use it, and sets a->device, or a->no_gl if there is no OpenGL. Takes the
   first entry of the queue, which artist_open() adds for this. Returns NULL on failure, and a->queue.error says why, or
   if the queue ends before. */
static rn_renderer *make_renderer(artist *a) {
    rn_renderer_def def = rn_renderer_default();
    rn_renderer *renderer = NULL;
    if (queue_next(&a->queue) < 0) return NULL;
    def.width = a->def.width;
    def.height = a->def.height;
    if (a->def.samples) def.samples = a->def.samples;
    rn_result result = rn_renderer_create(&def, &renderer);
    if (result != RN_OK && result != RN_DEVICE && def.samples > 1) { /* too large a picture for so many samples */
        def.samples = a->def.samples = 1;
        result = rn_renderer_create(&def, &renderer);
    }
    a->no_gl = result == RN_DEVICE;
    if (renderer) snprintf(a->device, sizeof a->device, "%s", rn_renderer_device(renderer));
    queue_done(&a->queue, renderer ? NULL : rn_last_error());
    return renderer;
}

/* Creates the renderer, draws sketches until the queue ends, and destroys the renderer, as the function of the thread
   of artist `argument`. */
static void *draw_sketches(void *argument) {
    artist *a = argument;
    rn_renderer *renderer = make_renderer(a);
    for (int slot; renderer && (slot = queue_next(&a->queue)) >= 0;)
        queue_done(&a->queue, draw_sketch(a, renderer, &a->sketches[slot]) ? NULL : rn_last_error());
    rn_renderer_destroy(renderer);
    return NULL;
}

bool artist_open(artist *a, const artist_def *def) {
    *a = (artist){.def = *def};
    if (!queue_open(&a->queue, ARTIST_DEEP, draw_sketches, a)) {
        snprintf(a->queue.error, sizeof a->queue.error, "no thread could be started to draw");
        return false;
    }
    queue_give(&a->queue);
    return queue_settle(&a->queue) || artist_close(a);
}

bool artist_close(artist *a) {
    queue_close(&a->queue);
    for (int i = 0; i < ARTIST_DEEP; i++) {
        sketch *s = &a->sketches[i];
        rn_mesh_copy_free(&s->ground, NULL);
        rn_mesh_copy_free(&s->surface, NULL);
        rn_mesh_copy_free(&s->bodies, NULL);
        rn_columns_copy_free(&s->columns, NULL);
        *s = (sketch){0};
    }
    return !a->queue.failed;
}

sketch *artist_room(artist *a) {
    const int slot = queue_room(&a->queue);
    if (slot < 0) return NULL;
    sketch *room = &a->sketches[slot];
    room->again = room->has_ground = false;
    return room;
}

void artist_give(artist *a) { queue_give(&a->queue); }
