/* A session: an open scene, the tools that act on it, and the log of their actions. While a simulation thread runs
   (rn_live), only that thread may use the session.

   Order of calls: session_open; session_replay if a log is to be replayed; session_act and session_step as often as
   needed; session_save_...; session_close, also after session_open failed. Functions that return rn_result leave the
   reason of a failure in rn_last_error(); nothing is printed. */
#ifndef VIEW_SESSION_H
#define VIEW_SESSION_H

#include "view/inputs.h"

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source or drain that follows the cursor. */
typedef struct session_stream {
    int source;          /* its number in the world; -1: none */
    double radius, rate; /* m; m^3/s */
} session_stream;

typedef struct session {
    rn_scene *scene;
    rn_world *world;
    uint64_t steps; /* taken so far */
    double spent;   /* s, real time of the last step */
    session_stream pour, suck;
    int rain, force;          /* numbers of the source and of the force in the world; -1: none */
    int held;                 /* the body that is dragged; -1: none */
    rn_vec3 to;               /* m, where it is dragged to */
    inputs log;               /* of this session */
    inputs replay;            /* a log to replay; empty: none */
    size_t next;              /* the first action of the replay that is not done yet */
    texts accepted;           /* changes "KEY=VALUE" that were accepted while the scene ran, one per key */
    double rain_rate;         /* m/s, as accepted; 0: none */
    double friction, courant; /* as last accepted while the scene ran; NAN: those that it was opened with */
    double ended;             /* s, clock at the end of the last step */
    struct samples *samples;  /* one for each step, for plots; NULL: none. session_close frees it */
} session;

typedef struct session_def {
    const char *path;       /* a JSON file; NULL: open `checkpoint` */
    const char *checkpoint; /* a checkpoint; NULL: open `path` */
    const char *const *set; /* changes: "KEY=VALUE" */
    int set_count;
    const char *replay_poses; /* a file of poses that moves the bodies, as in rn_scene_def; NULL: an engine does */
    int threads;              /* 0: one per core */
    const char *backend;      /* NULL: that of the scene */
    rn_hooks hooks;
} session_def;

/* Opens a scene and starts an empty log. Returns the result of rn_scene_open, or RN_MEMORY. Call session_close also
   after a failure. */
rn_result session_open(session *s, const session_def *def);
/* Closes the scene, frees the logs and empties the session. */
void session_close(session *s);

/* Returns the beginning of a change of the Courant number, "KEY=", for this solver, or NULL if it has none. */
const char *session_courant_key(const char *solver);

/* Takes over a log that was read, which is then empty, to replay it with the following steps, and performs the actions
   before the first step. The session must be at step 0. Actions that fail are passed over, as when they were
   recorded. */
void session_replay(session *s, inputs *log);
/* Pulls the dragged body, if any, takes one step of the scene (rn_scene_step, whose result it returns), sets `spent`
   and raises `steps`, also on failure. Then performs and logs the actions of the replay that come after the step. */
rn_result session_step(session *s);
/* Performs an action now and logs it, also if it fails: it may have changed something. Returns RN_INVALID if the action
   is not possible, RN_MEMORY if it could not be logged or noted, or the result of the world or scene that it acts on.
 */
rn_result session_act(session *s, const action *what);
/* Ends pouring, sucking, pushing, dragging and rain, where they are in use, as logged actions, so that the state can be
   saved without them. Returns the result of session_act; rain goes on if ending the others failed. */
rn_result session_release(session *s);

/* Writes the input log to a file, with the steps taken and the hash of the state now. */
rn_result session_save_inputs(session *s, const char *path);
/* Calls session_release, then writes a checkpoint to a file. */
rn_result session_save_checkpoint(session *s, const char *path);

#ifdef __cplusplus
}
#endif

#endif
