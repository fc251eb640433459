/* Opens and closes scenes in threads. Interface: view/window/loader.h.

   One thread at a time opens a scene; it sets `opened` as its last act. Each scene that is closed has a thread of its
   own in the list `retired`. */
#include "view/window/loader.h"

#include "common/options.h"
#include "view/open.h"
#include "view/window/runner.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ---- */

static atomic_bool opened; /* set by the opening thread at its end; there is only one such thread at a time */

/* Opens the session of the scene or checkpoint that was found, with the changes of the replay or of the loader. Returns
   the result of session_open, with a reason in rn_last_error(). */
static rn_result open_scene(loader *l, const opening *found, session *s) {
    const texts *set = l->replay ? &l->replay->set : &l->set;
    session_def def = {
        .set = (const char *const *)set->list, .set_count = set->count, .threads = l->threads, .backend = l->backend};
    *(found->is_checkpoint ? &def.checkpoint : &def.path) = found->path;
    return session_open(s, &def);
}

/* Sets *found to what to open: the scene of the replay, or what l->what names. On failure returns false, and l->error
   says why (complain_into). */
static bool find_what(loader *l, opening *found) {
    if (!l->replay) return opening_find(l->what, found);
    *found = (opening){.is_checkpoint = l->replay->from_checkpoint};
    snprintf(found->path, sizeof found->path, "%s", l->replay->scene);
    return true;
}

/* Opens a scene and starts its simulation, as the function of a thread; argument: the loader. Sets l->result and
   l->live, or l->result NULL and l->error. Sets `opened` at the end. Returns NULL. */
static void *run_opening(void *argument) {
    loader *l = argument;
    session *s = calloc(1, sizeof *s);
    opening *found = malloc(sizeof *found);
    complain_into(l->error, sizeof l->error);
    snprintf(l->error, sizeof l->error, "there is not enough memory");
    bool fine = s && found && find_what(l, found);
    if (fine) {
        rn_result result = open_scene(l, found, s);
        if (result == RN_OK && l->replay) session_replay(s, l->replay);
        if (result == RN_OK) result = runner_start(s, l->threads, &l->live);
        if (result != RN_OK) snprintf(l->error, sizeof l->error, "%s", rn_last_error());
        fine = result == RN_OK;
    }
    complain_into(NULL, 0);
    if (s && !fine) session_close(s);
    if (!fine) free(s);
    free(found);
    l->result = fine ? s : NULL;
    atomic_store(&opened, true);
    return NULL;
}

bool loader_begin(loader *l) {
    l->wanted = false;
    l->result = NULL;
    atomic_store(&opened, false);
    l->running = pthread_create(&l->thread, NULL, run_opening, l) == 0;
    return l->running;
}

bool loader_is_done(loader *l) {
    if (!l->running || !atomic_load(&opened)) return false;
    pthread_join(l->thread, NULL);
    l->running = false;
    return true;
}

/* ---- Closing ---- */

/* A scene that a thread is closing. */
typedef struct retired {
    pthread_t thread;
    rn_live *live;
    session *session;
    atomic_bool done; /* set by the thread as its last act */
    struct retired *next;
} retired;

/* Closes a scene, as the function of a thread; argument: its `retired`. Returns NULL. */
static void *run_closing(void *argument) {
    retired *r = argument;
    rn_live_destroy(r->live);
    session_close(r->session);
    free(r->session);
    atomic_store(&r->done, true);
    return NULL;
}

/* Joins the threads that have closed their scenes; all: waits for the others too. */
static void join_closed(loader *l, bool all) {
    for (retired **at = &l->retired; *at;) {
        retired *r = *at;
        if (!all && !atomic_load(&r->done)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        pthread_join(r->thread, NULL);
        free(r);
    }
}

void loader_retire(loader *l, rn_live *live, session *s) {
    retired *r = calloc(1, sizeof *r);
    if (!r) return; /* it runs on until the program ends */
    *r = (retired){.live = live, .session = s, .next = l->retired};
    if (pthread_create(&r->thread, NULL, run_closing, r) == 0) {
        l->retired = r;
        return;
    }
    run_closing(r);
    free(r);
}

void loader_join(loader *l) { join_closed(l, false); }

void loader_finish(loader *l) {
    if (l->running) {
        pthread_join(l->thread, NULL);
        l->running = false;
        if (l->result) {
            rn_live_destroy(l->live);
            session_close(l->result);
        }
        free(l->result);
    }
    join_closed(l, true);
    texts_free(&l->set);
    texts_free(&l->aside);
}
