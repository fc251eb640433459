/* Opens and closes scenes in threads of their own, so that the window never waits for them. */
#ifndef VIEW_LOADER_H
#define VIEW_LOADER_H

#include "view/session.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LOADER_TEXT = 512, LOADER_SET = 32 };

typedef struct loader {
    bool wanted;           /* as soon as what is shown rests */
    bool running;          /* a thread opens it */
    char what[INPUT_PATH]; /* a scene or a file */
    char set[LOADER_SET][LOADER_TEXT];
    int set_count;
    int threads;     /* 0: one per core */
    inputs *replay;  /* opens what it names instead, and does it again; may be NULL */
    session *result; /* once it is done; NULL: it failed */
    char error[LOADER_TEXT];
    pthread_t thread;
    struct retired *retired; /* scenes that are being closed */
} loader;

/* Begins to open what is wanted. False: there is no thread to be had. */
bool loader_begin(loader *l);
/* Whether it is there, or has failed: `result`, or `error`. True once. */
bool loader_is_done(loader *l);
/* Closes a scene and its simulation; takes both over. */
void loader_retire(loader *l, rn_live *live, session *s);
/* Waits for all that is being opened or closed. */
void loader_finish(loader *l);

#ifdef __cplusplus
}
#endif

#endif
