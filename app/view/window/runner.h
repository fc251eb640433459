/* Starts the simulation of a session on a thread of its own (rn_live). */
#ifndef VIEW_RUNNER_H
#define VIEW_RUNNER_H

#include "view/session.h"
#include "view/window/history.h"

#include <runnel/live.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Indices in rn_live_frame.values: what the simulation has accepted, in SI units and degrees. */
enum {
    VALUE_LIQUID, /* its number in runnel's list; -1: none of them */
    VALUE_VISCOSITY,
    VALUE_CONTACT_ANGLE,
    VALUE_FRICTION, /* NAN, as VALUE_COURANT: the one that the scene was opened with */
    VALUE_COURANT,
    VALUE_GRAVITY, /* x; y and z follow */
    VALUE_RAIN = VALUE_GRAVITY + 3,
};

/* Creates the meshes of the first frame, which may take seconds, and starts the thread, paused. Gives the session room
   for its samples. threads: the number for these meshes; 0: one per core. Returns the result of rn_live_create, with a
   reason in rn_last_error(); *live is owned by the caller, the session must outlive it. */
rn_result runner_start(session *s, int threads, rn_live **live);

#ifdef __cplusplus
}
#endif

#endif
