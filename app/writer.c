#include "writer.h"

#include "options.h"
#include "progress.h"

#include <assert.h>
#include <runnel/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int start_thread(pthread_t *thread, void *(*body)(void *), void *argument) {
#ifdef _WIN32
    return pthread_create(thread, NULL, body, argument);
#else
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
#endif
}

/* Without the lock: nobody else touches a slot that has been given. */
static bool write_slot(writer *w, const writer_slot *slot) {
    const double before = clock_now();
    const bool fine = !*slot->path || rn_png_write(slot->path, slot->pixels, w->width, w->height) == RN_OK;
    if (slot->in_film) video_frame(&w->film, slot->pixels);
    w->busy += clock_now() - before;
    return fine;
}

static void *write_pictures(void *argument) {
    writer *w = argument;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->done == w->given && !w->ending) pthread_cond_wait(&w->changed, &w->lock);
        if (w->done == w->given) break;
        const bool skip = w->failed;
        pthread_mutex_unlock(&w->lock);
        const bool fine = skip || write_slot(w, &w->slots[w->done % WRITER_DEEP]);
        pthread_mutex_lock(&w->lock);
        w->film_failed = *w->film.error != 0;
        if (!fine && !w->failed) {
            w->failed = true;
            snprintf(w->error, sizeof w->error, "%s", rn_last_error());
        }
        w->done++;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

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
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->running = start_thread(&w->thread, write_pictures, w) == 0;
    if (w->running) return true;
    complain("there is no thread to be had that writes pictures");
    video_close(&w->film, false);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free_slots(w);
    return false;
}

bool writer_close(writer *w, bool keep_film) {
    if (!w->running) return true;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->running = false;
    const double before = clock_now();
    w->film_failed = !video_close(&w->film, keep_film && !w->failed);
    w->busy += clock_now() - before;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free_slots(w);
    return !w->failed;
}

uint8_t *writer_room(writer *w) {
    pthread_mutex_lock(&w->lock);
    while (w->given - w->done == WRITER_DEEP && !w->failed) pthread_cond_wait(&w->changed, &w->lock);
    uint8_t *room = w->failed ? NULL : w->slots[w->given % WRITER_DEEP].pixels;
    pthread_mutex_unlock(&w->lock);
    return room;
}

void writer_give(writer *w, const char *path, bool in_film) {
    pthread_mutex_lock(&w->lock);
    writer_slot *slot = &w->slots[w->given++ % WRITER_DEEP];
    snprintf(slot->path, sizeof slot->path, "%s", path ? path : "");
    slot->in_film = in_film;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void writer_again(writer *w, const char *path) {
    uint8_t *room = writer_room(w);
    assert(w->given > 0);
    if (!room) return;
    memcpy(room, w->slots[(w->given - 1) % WRITER_DEEP].pixels, 3 * (size_t)w->width * (size_t)w->height);
    writer_give(w, path, false);
}

bool writer_settle(writer *w) {
    pthread_mutex_lock(&w->lock);
    while (w->done != w->given) pthread_cond_wait(&w->changed, &w->lock);
    const bool fine = !w->failed;
    pthread_mutex_unlock(&w->lock);
    return fine;
}

bool writer_has_failed(writer *w) {
    pthread_mutex_lock(&w->lock);
    const bool failed = w->failed;
    pthread_mutex_unlock(&w->lock);
    return failed;
}

const char *writer_film_error(writer *w) {
    if (!w->running) return w->film_failed ? w->film.error : NULL;
    pthread_mutex_lock(&w->lock);
    const bool failed = w->film_failed;
    pthread_mutex_unlock(&w->lock);
    return failed ? w->film.error : NULL; /* which nobody changes any more */
}
