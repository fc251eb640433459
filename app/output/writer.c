/* Writes pictures to PNG files and into a film, in a thread of its own (writer.h). writer_open() starts the thread;
   writer_room() and writer_give() queue a picture; writer_close() waits for the rest. */
#include "output/writer.h"

#include "common/options.h"
#include "common/progress.h"

#include <assert.h>
#include <runnel/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes one picture. Only this thread uses a slot while it is queued. Returns false if the PNG failed; rn_last_error()
   says why. A failed film is noted in w->film.error. */
static bool write_slot(writer *w, const writer_slot *slot) {
    const double before = clock_now();
    const bool fine = !*slot->path || rn_png_write(slot->path, slot->pixels, w->width, w->height) == RN_OK;
    if (slot->in_film) video_frame(&w->film, slot->pixels);
    w->busy += clock_now() - before;
    return fine;
}

/* Writes queued pictures until the queue ends, as the function of the thread of writer `argument`. */
static void *write_pictures(void *argument) {
    writer *w = argument;
    for (int slot; (slot = queue_next(&w->queue)) >= 0;) {
        const bool fine = write_slot(w, &w->slots[slot]);
        pthread_mutex_lock(&w->queue.lock);
        w->film_failed = *w->film.error != 0;
        pthread_mutex_unlock(&w->queue.lock);
        queue_done(&w->queue, fine ? NULL : rn_last_error());
    }
    return NULL;
}

/* Frees the pixels of all slots. */
static void free_slots(writer *w) {
    for (int i = 0; i < WRITER_DEEP; i++) free(w->slots[i].pixels);
}

bool writer_open(writer *w, const video_def *film) {
    *w = (writer){.width = film->width, .height = film->height};
    bool fine = true;
    for (int i = 0; i < WRITER_DEEP; i++) {
        w->slots[i].pixels = malloc(3 * (size_t)w->width * (size_t)w->height);
        fine = fine && w->slots[i].pixels;
    }
    if (!fine) {
        complain("there is not enough memory for pictures of %d by %d pixels", w->width, w->height);
        free_slots(w);
        return false;
    }
    if (film->path) w->film_failed = !video_open(&w->film, film);
    if (queue_open(&w->queue, WRITER_DEEP, write_pictures, w)) return true;
    complain("no thread could be started to write pictures");
    video_close(&w->film, false);
    free_slots(w);
    return false;
}

bool writer_close(writer *w, bool keep_film) {
    if (!w->queue.running) return true;
    queue_close(&w->queue);
    const bool fine = !w->queue.failed;
    const double before = clock_now();
    w->film_failed = !video_close(&w->film, keep_film && fine);
    w->busy += clock_now() - before;
    free_slots(w);
    return fine;
}

uint8_t *writer_room(writer *w) {
    const int slot = queue_room(&w->queue);
    return slot < 0 ? NULL : w->slots[slot].pixels;
}

/* Returns the slot of the picture that is given next. Only the producer changes that number, so no lock is needed. */
static writer_slot *next_slot(writer *w) { return &w->slots[w->queue.given % WRITER_DEEP]; }

void writer_give(writer *w, const char *path, bool in_film) {
    writer_slot *slot = next_slot(w);
    snprintf(slot->path, sizeof slot->path, "%s", path ? path : "");
    slot->in_film = in_film;
    queue_give(&w->queue);
}

void writer_again(writer *w, const char *path) {
    assert(w->queue.given > 0);
    const uint8_t *before = w->slots[(w->queue.given - 1) % WRITER_DEEP].pixels;
    uint8_t *room = writer_room(w);
    if (!room) return;
    memcpy(room, before, 3 * (size_t)w->width * (size_t)w->height);
    writer_give(w, path, false);
}

const char *writer_film_error(writer *w) {
    if (!w->queue.running) return w->film_failed ? w->film.error : NULL;
    pthread_mutex_lock(&w->queue.lock);
    const bool failed = w->film_failed;
    pthread_mutex_unlock(&w->queue.lock);
    return failed ? w->film.error : NULL; /* does not change after a failure */
}
