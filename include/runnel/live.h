/* A world that runs on its own thread, for programs that draw or take input meanwhile. Commands go in, meshes come
   out, and no call in the host's frame waits for the simulation: docs/live.md. */
#ifndef RUNNEL_LIVE_H
#define RUNNEL_LIVE_H

#include <runnel/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_live rn_live;

/* Steps the world by `seconds` of simulated time; called on the simulation thread. A failure is shown in
   rn_live_frame.error, and the simulation continues. */
typedef rn_result (*rn_live_step)(void *user, rn_world *world, double seconds);

enum { RN_LIVE_VALUES = 32 }; /* numbers that a host may measure in every frame */

/* Measures the world for a frame, on the thread of the simulation: rn_live_frame.values. */
typedef void (*rn_live_measure)(void *user, const rn_world *world, double values[RN_LIVE_VALUES]);

typedef struct rn_live_def {
    rn_world *world;         /* only the simulation thread may use it until rn_live_destroy returns; not destroyed */
    rn_skin_def skin;        /* how it is drawn */
    double frame_time;       /* s, simulated time of a step; default 1/60 */
    double speed;            /* simulated seconds per second, 0.001 to 1000; default 1 */
    bool paused;             /* starts paused */
    rn_live_step step;       /* in place of rn_world_step, for a scene or an engine; may be NULL */
    rn_live_measure measure; /* what rn_live_frame.values holds; may be NULL */
    void *user;              /* passed to `step` and `measure` */
    rn_hooks hooks;
} rn_live_def;

/* A definition with all defaults for this world. */
RN_API rn_live_def rn_live_default(rn_world *world);

/* Creates the skin, which draws the surface, and starts the thread. When this returns, rn_live_latest has a first
   frame: the world as it is. On failure *live is NULL, and the world may be used again. */
RN_API rn_result rn_live_create(const rn_live_def *def, rn_live **live);
/* Stops after the current step, runs the commands that were sent before, and joins the thread. NULL is allowed. */
RN_API void rn_live_destroy(rn_live *live);

/* ---- Commands -------------------------------------------------------------------------------------------------- */

enum { RN_LIVE_DATA = 256 }; /* bytes that a command may carry */

/* Runs on the simulation thread, between two steps. It may do anything to the world except destroy it. A failure is
   shown in rn_live_frame.error, and the simulation continues. */
typedef rn_result (*rn_live_command)(rn_world *world, void *data);

/* Queues a command with a copy of its data, `size` bytes, which may be 0 with data NULL. Commands run in order before
   the next step, also while paused. Call this from one thread only. Returns RN_LIMIT if the queue is full; try again in
   a later frame. Returns RN_INVALID if `command` is NULL or there are more than RN_LIVE_DATA bytes. */
RN_API rn_result rn_live_send(rn_live *live, rn_live_command command, const void *data, size_t size);

/* Pauses or resumes after the current step. Commands still run while paused. */
RN_API void rn_live_pause(rn_live *live, bool paused);
/* Takes one step while paused, after the commands sent before; no effect while it runs. Several calls before that step
   count once. */
RN_API void rn_live_advance(rn_live *live);
/* Sets the simulated seconds per second, 0.001 to 1000. Returns RN_INVALID outside this range. */
RN_API rn_result rn_live_set_speed(rn_live *live, double speed);
/* Plays until rn_live_frame.steps is `steps`, then waits until the limit is raised. A host that must see every frame,
   to make a film for example, raises it after each. UINT64_MAX, the default: no limit. rn_live_advance ignores it. */
RN_API void rn_live_set_limit(rn_live *live, uint64_t steps);

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

/* The world after a step, or after commands while paused. */
typedef struct rn_live_frame {
    uint64_t number;        /* counts frames, from 1 */
    uint64_t ground_number; /* increases whenever the ground has changed */
    uint64_t steps;         /* taken so far */
    uint64_t commands;      /* run so far */
    rn_mesh ground, surface, bodies;
    rn_surface_columns columns; /* the columns that the surface was made from, for overlays and wet ground */
    rn_resting resting;         /* the tiles that the solver skipped in the last substep */
    rn_world_stats stats;
    rn_audit audit;
    double seconds; /* s that the last step took, including its meshes */
    double speed;   /* simulated seconds per second, measured recently; lower than set on a slow machine */
    bool paused;
    rn_result result;              /* of the last failed step, command or mesh; RN_OK: no failure yet */
    char error[256];               /* message of that failure */
    uint64_t errors;               /* failures so far */
    double values[RN_LIVE_VALUES]; /* of rn_live_def.measure; 0 without */
} rn_live_frame;

/* The newest frame, possibly the same as before; never NULL. Valid until the next call. Call this from one thread
   only. */
RN_API const rn_live_frame *rn_live_latest(rn_live *live);

#ifdef __cplusplus
}
#endif

#endif
