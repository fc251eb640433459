/* A world that runs on a thread of its own, for programs that draw or listen while it does. Commands go in, meshes come
   out, and no call of the host's frame ever waits for the simulation: docs/live.md. */
#ifndef RUNNEL_LIVE_H
#define RUNNEL_LIVE_H

#include <runnel/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_live rn_live;

/* Does one step of so many seconds, on the thread of the simulation. */
typedef rn_result (*rn_live_step)(void *user, rn_world *world, double seconds);

enum { RN_LIVE_VALUES = 32 }; /* numbers that a host may measure in every frame */

/* Measures the world for a frame, on the thread of the simulation: rn_live_frame.values. */
typedef void (*rn_live_measure)(void *user, const rn_world *world, double values[RN_LIVE_VALUES]);

typedef struct rn_live_def {
    rn_world *world;         /* used by the simulation alone until rn_live_destroy returns; not destroyed */
    rn_skin_def skin;        /* how it is drawn */
    double frame_time;       /* s, simulated in a step; default 1/60 */
    double speed;            /* simulated seconds in a second, 0.001 to 1000; default 1 */
    bool paused;             /* begins without stepping */
    rn_live_step step;       /* in place of rn_world_step, for a scene or an engine; may be NULL */
    rn_live_measure measure; /* what rn_live_frame.values holds; may be NULL */
    void *user;              /* for `step` and `measure` */
    rn_hooks hooks;
} rn_live_def;

RN_API rn_live_def rn_live_default(rn_world *world);

/* Starts the thread. The first frame, the world as it is, is there when this returns. */
RN_API rn_result rn_live_create(const rn_live_def *def, rn_live **live);
/* Ends after the step that is under way, and joins the thread. Commands that have not run yet are dropped. NULL is
   allowed. */
RN_API void rn_live_destroy(rn_live *live);

/* ---- In -------------------------------------------------------------------------------------------------------- */

enum { RN_LIVE_DATA = 256 }; /* bytes that a command may carry */

/* Runs on the thread of the simulation, between two steps. It may do anything to the world but destroy it. A failure is
   shown in rn_live_frame.error, and the simulation goes on. */
typedef rn_result (*rn_live_command)(rn_world *world, void *data);

/* Queues a command with a copy of its data, to run before the next step, in order. Also runs while paused. RN_LIMIT:
   the queue is full, try again in a later frame. */
RN_API rn_result rn_live_send(rn_live *live, rn_live_command command, const void *data, size_t size);

RN_API void rn_live_pause(rn_live *live, bool paused);
/* One step while paused, after all commands that were sent before. A second call before the step has begun asks for no
   other. */
RN_API void rn_live_advance(rn_live *live);
/* Simulated seconds in a second, 0.001 to 1000. */
RN_API rn_result rn_live_set_speed(rn_live *live, double speed);

/* ---- Out ------------------------------------------------------------------------------------------------------- */

/* The world after a step, or after commands while paused. */
typedef struct rn_live_frame {
    uint64_t number;        /* rises by 1 from frame to frame, from 1 */
    uint64_t ground_number; /* rises whenever the ground is another */
    uint64_t steps;         /* taken so far */
    uint64_t commands;      /* run so far */
    rn_mesh ground, surface, bodies;
    rn_surface_columns columns; /* what the surface was made of, for overlays and wet ground */
    rn_world_stats stats;
    rn_audit audit;
    double seconds; /* s, that the step before this one took, with its meshes */
    double speed;   /* simulated seconds in a second, as of late: below the asked one on a slow machine */
    bool paused;
    rn_result result;              /* of the last failure of a step, a command or a mesh, RN_OK: none yet */
    char error[256];               /* its sentence */
    uint64_t errors;               /* failures so far */
    double values[RN_LIVE_VALUES]; /* of rn_live_def.measure; 0 without */
} rn_live_frame;

/* The newest frame. Valid until the next call; call it from one thread only. */
RN_API const rn_live_frame *rn_live_latest(rn_live *live);

#ifdef __cplusplus
}
#endif

#endif
