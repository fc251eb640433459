/* The simulation of the current scene: sends it actions and settings, and controls its time. */
#ifndef VIEW_SIMULATION_H
#define VIEW_SIMULATION_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sends a command to the simulation and counts it in v->sent. Returns false if no scene is open, or the queue is full
   (with a notice). */
bool simulation_send(viewer *v, rn_live_command command, const void *data, size_t size);
/* Sends an action; while the simulation is slow, it may be held back until there is room, and replaced by a later one
   of its kind. A release drops the pour, suck, push and drag that are held back. Failures appear as notices. */
void simulation_act(viewer *v, const action *what);
/* Sends what was held back, and asks the simulation for all changes that it has accepted: they are in v->accepted once
   v->frame->commands is at least v->answered, or v->accepted_lost is true then. Returns false, with a notice, if the
   queue is full. */
bool simulation_ask_accepted(viewer *v);
/* Sends the actions that were held back, while there is room. */
void simulation_send_waiting(viewer *v);

void simulation_play(viewer *v, bool playing);      /* plays or pauses; with a script, only sets v->playing */
void simulation_step(viewer *v);                    /* pauses, then takes one step; with a script, asks it for one */
void simulation_set_speed(viewer *v, double speed); /* simulated seconds per real second, limited to 1/64 to 64 */

/* Changes a value of the running scene, "KEY=VALUE", and shows it on the panel at once. Shows a notice and does nothing
   else if the text is too long; if the simulation refuses the value, a notice says so later, and the panel shows the
   old value again (simulation_show_accepted). A restart with another choice keeps a value that was accepted
   (scenes_restart_with). */
void simulation_set(viewer *v, const char *change);
/* Shows the values on the panel that the simulation has accepted, once it has run all commands. Call it in every frame.
 */
void simulation_show_accepted(viewer *v);
/* Starts, changes or, with 0 or less, ends rain on the whole scene, and sets v->rain. Shows a notice instead if the
   solver has no rain. */
void simulation_set_rain(viewer *v, double mm_per_hour);
/* Sets how far gravity is tilted from straight down along x and y, at most 45 degrees each; its strength stays. Sets
   v->tilt and v->gravity. */
void simulation_set_tilt(viewer *v, double x_degrees, double y_degrees);

#ifdef __cplusplus
}
#endif

#endif
