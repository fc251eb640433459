/* Opens and closes scenes in threads of their own, so that the window never waits for them. One scene is opened at a
   time.

   The viewer fills in `what`, `set` or `replay` and sets `wanted`. When the current scene is paused, it calls
   loader_begin, and then loader_is_done in every frame. loader_finish comes last. */
#ifndef VIEW_LOADER_H
#define VIEW_LOADER_H

#include "view/session.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LOADER_TEXT = 512 };

typedef struct loader {
    bool wanted;             /* to be opened as soon as the current scene is paused */
    bool running;            /* a thread is opening it */
    char what[INPUT_PATH];   /* the name of a scene, or a file */
    texts set;               /* changes of the scene: "KEY=VALUE" */
    texts aside;             /* those that its solver does not take, kept for another one */
    int threads;             /* of the simulation; 0: one per core */
    const char *backend;     /* of the simulation; NULL: that of the scene */
    inputs *replay;          /* a log whose scene is opened instead, and which is replayed; may be NULL */
    session *result;         /* the opened scene, once done; NULL: opening failed */
    rn_live *live;           /* its simulation, paused */
    char error[LOADER_TEXT]; /* message if it failed */
    pthread_t thread;
    struct retired *retired; /* scenes that are being closed */
} loader;

/* Starts the thread that opens what is wanted, and clears `wanted` and `result`. Returns false, without a message, if
   no thread could be started. */
bool loader_begin(loader *l);
/* Returns true once, when opening has ended: `result` is the session and `live` its simulation, or `result` is NULL and
   `error` has a message. */
bool loader_is_done(loader *l);
/* Takes over a simulation and its session, and closes both in a thread, or before it returns if none can be started; if
   memory runs out, they run until the program ends. */
void loader_retire(loader *l, rn_live *live, session *s);
/* Joins the threads that have closed their scenes. Call it in every frame. */
void loader_join(loader *l);
/* Waits until everything that is being opened or closed is done, and closes what was opened. */
void loader_finish(loader *l);

#ifdef __cplusplus
}
#endif

#endif
