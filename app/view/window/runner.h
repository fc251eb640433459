/* Starts the simulation of a session on a thread of its own (rn_live). */
#ifndef VIEW_RUNNER_H
#define VIEW_RUNNER_H

#include "view/session.h"
#include "view/window/history.h"

#include <runnel/live.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Indices in rn_live_frame.values: real time of the step (s), then levels (m) at the first HISTORY_PROBES probes that
   are points, not sections. */
enum { VALUE_SPENT, VALUE_PROBES };

/* Creates the meshes of the first frame, which may take seconds, and starts the thread, paused. threads: the number for
   these meshes; 0: one per core. Returns the result of rn_live_create, with a reason in rn_last_error(); *live is owned
   by the caller, the session must outlive it. */
rn_result runner_start(session *s, int threads, rn_live **live);

#ifdef __cplusplus
}
#endif

#endif
