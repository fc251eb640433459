/* A world whose liquid is the 3D liquid of src/mac.

   The world keeps the clock, the ground, solids, sources and the ledger. Its columns only mirror the liquid: after
   every step they get its depth and mean flow, for gauges, maps and files. The box of the 3D liquid is the domain
   from the lowest ground up to the lid, in cubic cells of the world's cell size. */
#ifndef RN_WORLD_MAC_H
#define RN_WORLD_MAC_H

#include "mac/mac.h"
#include "world/world.h"

#define RN_MAC_NAME "mac" /* the name of this solver in scenes */

/* The pose that a solid of the world had in the last step. */
typedef struct rn_solid_pose {
    rn_vec3 at; /* m */
    rn_quat turn;
    bool hidden;
    uint64_t bends;
    rn_placement now, before; /* rotations in this step */
} rn_solid_pose;

/* A body of the world in the 3D liquid. */
typedef struct rn_mac_actor {
    bool there;
    rn_pose pose;             /* where the liquid has it */
    rn_vec3 at;               /* m, position of its shape before this part of a step */
    rn_placement now, before; /* rotations, now and before this part */
    rn_vec3 centre;           /* m, of mass */
    rn_vec3 velocity, spin;   /* as in rn_mac_body, in this step */
    rn_vec3 impulse, twist, drag_impulse, drag_twist;
    double pushed, dragged;
    rn_vec3 drag_torque; /* N m, the part of the last load's torque that is drag */
    bool held;           /* it stays where it is, whatever the load */
} rn_mac_actor;

typedef struct rn_world_mac {
    rn_mac *mac;
    rn_mac_def def;
    rn_vec3 low;     /* m, lower corner of the box */
    int nodes[3];    /* corners of cells along x, y and z */
    double *ground;  /* m, distance from each node to the terrain's solid; NULL: the floor of the box */
    bool has_solid;  /* the 3D liquid has been given a solid */
    bool moving;     /* that solid had a velocity in the last step */
    bool changed;    /* a state was restored that was saved between a change of solids or bodies and the next step */
    int *sources;    /* numbers of the world's sources in the 3D liquid */
    rn_vec3 *speeds; /* m/s, of jets; all 0: straight down, as fast as the rate requires */
    size_t source_count, source_room, speed_room;
    rn_solid_pose *solids; /* poses in the last step */
    size_t solid_count, solid_room;
    rn_mac_actor *actors; /* bodies of the world, by their numbers */
    size_t actor_count, actor_room;
    rn_mac_body *bodies; /* those that have not been removed, for the liquid */
    int *numbers;        /* of each body of the world among them; -1: removed */
    size_t body_room, number_room;
    double measured; /* m^3 within the surface */
    double memory;   /* bytes, most that it may use */
} rn_world_mac;

/* Creates the 3D liquid of a world whose columns exist already, empty, with ground and solids. Returns RN_INVALID if
   edges or terrain do not suit it, RN_LIMIT if it needs more memory or cells than allowed, or RN_MEMORY if memory runs
   out, each with a message; the caller then destroys the world. */
rn_result rn_world_mac_create(rn_world *world, const rn_world_def *def);
/* Frees the 3D liquid of a world, if it has one; world->mac is then NULL. */
void rn_world_mac_free(rn_world *world);
/* The memory (bytes) of the 3D liquid: grid, particles and distances to the ground; 0 if there is none. */
size_t rn_world_mac_bytes(const rn_world *world);

/* Takes over gravity, viscosity and surface tension of this definition. Returns RN_INVALID if the liquid was made
   without surface tension and cannot get it now, or RN_MEMORY if the first viscosity above 0 needs more memory than
   there is; both with a message and nothing changed. */
rn_result rn_world_mac_retune(rn_world *world, const rn_world_def *def);
/* Advances the 3D liquid by `seconds`, with solids, bodies and sources, and updates clock, statistics, loads,
   cross-sections and columns. On failure, with a message, parts of the step may have been taken. */
rn_result rn_world_mac_step(rn_world *world, double seconds);
/* Adds the particles of a fill, whose numbers were checked, at rest, in cells without liquid, and updates the columns;
   adds nothing if it lies outside the box, otherwise places solids and bodies first. Returns RN_LIMIT, with a message
   and none added, if they alone would take too much memory. Other failures have a message, too. */
rn_result rn_world_mac_fill(rn_world *world, const rn_fill_def *fill);
/* Returns RN_INVALID, with a message, if a 3D liquid cannot have such a source: it has disks that pour or drain a rate,
   with a velocity of at most 1e4 m/s along each axis. */
rn_result rn_world_mac_check_source(const rn_source_def *def);
/* Adds a source of the world, which was checked, to the 3D liquid, with a rate of 0 until the next step. Call it once
   per source, in order. Returns RN_INVALID (its place or path leaves the height of the box) or RN_MEMORY, with a
   message and without adding it. */
rn_result rn_world_mac_add_source(rn_world *world, const rn_source *source, const rn_source_def *def);
/* Measures, writes, checks, reads or hashes the 3D liquid, as a->pass says; reading needs the world's solids and
   sources to be restored already. Invalid sizes set a->broken and return RN_OK; other failures have a message. */
rn_result rn_world_mac_archive(rn_world *world, rn_archive *a);

/* Returns RN_LIMIT, with a message, if the grid and this many particles in all need more memory than allowed. */
rn_result rn_world_mac_check_memory(const rn_world_mac *m, double particles);
/* Gives the 3D liquid the current solids and bodies; finds distances again only if one of them has moved in this call
   or in the last. They count as moving if `seconds`, the length of the step in which solids have moved, is above 0;
   `part` (s) is the part of the step in which bodies have moved. On failure there is a message. */
rn_result rn_world_mac_place_solids(rn_world *world, double seconds, double part);
/* Stores the current poses of all solids as those of the last step: call it at the end of a step. */
void rn_world_mac_keep_poses(rn_world *world);

/* Adds a cross-section to the 3D liquid, and sets gauge->deep to its number there. On failure there is a message. */
rn_result rn_world_mac_add_gauge(rn_world *world, rn_gauge *gauge);
/* Adds the particles that have passed since the last call to gauge->passed of all cross-sections. */
void rn_world_mac_read_gauges(rn_world *world);
/* The height (m) of liquid at a face of a cross-section: the mean of the depths in the two cells beside it. */
double rn_world_mac_face_height(const rn_world *world, const rn_gauge_face *face);

/* The number of parts into which the next step is divided: 1 to 32, so that bodies move at most half a cell in each,
   unless they are too fast. */
int rn_world_mac_parts(const rn_world *world);
/* Copies the poses of all bodies of the world to m->actors, which gets new ones for new bodies; *moved becomes true if
   one has changed, otherwise it stays. Clears `placed` of the bodies. Returns RN_MEMORY, with a message, if memory runs
   out. */
rn_result rn_world_mac_place_bodies(rn_world *world, bool *moved);
/* The distance (m) from a point to the nearest body, whose number is *nearest; INFINITY and -1: there is none. More
   than four cells away it is only a lower bound. */
double rn_world_mac_body_distance(const rn_world *world, rn_vec3 p, int *nearest);
/* The velocity (m/s) of a body at a point, from its movement in this part of a step, which is `seconds` long. */
rn_vec3 rn_world_mac_body_velocity(const rn_world *world, int body, rn_vec3 p, double seconds);
/* The number of the body to which the solid at a point belongs, which is relative to the corner of the box; -1: none.
 */
typedef int (*rn_mac_nearest)(const rn_world *world, rn_vec3 at);
/* Passes all bodies to the 3D liquid, whose solid must be in place, and sets m->bodies and m->numbers. `nearest` says
   which body a point of the solid belongs to. On failure there is a message. */
rn_result rn_world_mac_hand_bodies(rn_world *world, rn_mac_nearest nearest);
/* Copies impulses and velocities of bodies from the 3D liquid to m->actors after a part of a step. */
void rn_world_mac_take_bodies(rn_world *world);
/* Before a step: sets the sums that each actor keeps for its body (impulses and velocities of this step) to 0, because
   a failed step may have left some. Finds the bodies that the host keeps in place, taken to be those that have not
   moved since the last step. */
void rn_world_mac_begin_loads(rn_world *world);
/* Sets the loads of all bodies after a step, clears the sums of their actors, and makes their current poses the
   beginning of the next step. A body that no pressure acted on keeps its load, unless all liquid is gone: then it is
   0. */
void rn_world_mac_load_bodies(rn_world *world);
/* Finds the bodies that rest on the ground, on a solid or on the floor of the box, for their loads. */
void rn_world_mac_ground_bodies(rn_world *world);
/* The distance (m) from a point, relative to the corner of the box, to a body where it is now; more than four cells
   away it is only a lower bound. */
double rn_world_mac_one_distance(const rn_world *world, size_t body, rn_vec3 at);
/* The distance (m) from a point, relative to the corner of the box, to the floor of the box, the ground and solids. */
double rn_world_mac_still_distance(const rn_world *world, rn_vec3 at);
/* Saves, checks or restores the part of the loads of bodies that rn_body_load does not have. */
void rn_world_mac_archive_torques(rn_world *world, rn_archive *a);
/* Gives the 3D liquid the solid of a state that is being restored; moving: it moved in the last step before that state
   was saved. Sets the drag torques of bodies to 0 and restores their marks `placed`. On failure there is a message. */
rn_result rn_world_mac_restore_solids(rn_world *world, bool moving);
/* Whether solids have moved, bent, appeared or disappeared, or bodies were removed, since the last step; also true if
   the state was restored from one that was saved in that condition. */
bool rn_world_mac_has_changed(const rn_world *world);
/* Saves, checks or restores where the liquid has solids; only for states in which that has changed. Restoring needs the
   world's solids and those of the liquid to be restored already, and sets m->changed. */
void rn_world_mac_archive_poses(rn_world *world, rn_archive *a);
/* Sets place (halfway through), velocity and mean rate of its sources over the next `seconds`. Returns RN_LIMIT, with a
   message, if the particles, with those that the sources will add, would need more memory than allowed; the sources are
   set nevertheless. */
rn_result rn_world_mac_set_sources(rn_world *world, double seconds);
/* Finds the surface and measures the volume (m^3). A state that was restored has its columns already. */
void rn_world_mac_measure(rn_world *world);
/* Copies depth and flow of the 3D liquid to the world's columns, measures its volume (m^3) and finds the largest depth
   for the statistics. Fails with a message if rn_world_commit does, which it calls. */
rn_result rn_world_mac_show(rn_world *world);

#endif
