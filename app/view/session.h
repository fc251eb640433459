/* A scene, the tools that work on it, and the log of what they did. Belongs to the thread of the simulation while that
   runs. */
#ifndef VIEW_SESSION_H
#define VIEW_SESSION_H

#include "view/inputs.h"

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source that follows the cursor. */
typedef struct session_stream {
    int source; /* -1: none */
    double radius, rate;
} session_stream;

typedef struct session {
    rn_scene *scene;
    rn_world *world;
    uint64_t steps;
    double spent; /* s, that the last step took */
    session_stream pour, suck;
    int rain, force; /* numbers in the world; -1: none */
    int held;        /* the body that is dragged; -1: none */
    rn_vec3 to;      /* m, where to */
    inputs log;
    inputs replay; /* what is to be done again */
    size_t next;   /* of the replay */
} session;

typedef struct session_def {
    const char *path; /* a JSON file */
    const char *checkpoint;
    const char *const *set;
    int set_count;
    int threads;
} session_def;

/* Fails as rn_scene_open does. */
rn_result session_open(session *s, const session_def *def);
void session_close(session *s);

/* Takes over a log that was read, to be done again from now on. The session must be at step 0. */
void session_replay(session *s, inputs *log);
/* Does what is due of the replay, then takes one step of the scene. */
rn_result session_step(session *s);
/* Does an action now, and logs it. */
rn_result session_act(session *s, const action *what);
/* Ends what tools hold, so that the state can be saved without them. */
rn_result session_release(session *s);

/* Each writes a file. */
rn_result session_save_inputs(session *s, const char *path);
rn_result session_save_checkpoint(session *s, const char *path);

#ifdef __cplusplus
}
#endif

#endif
