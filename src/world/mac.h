/* A world whose liquid is the 3D liquid of src/mac.

   The world keeps the clock, the ground, solids, sources and the ledger. Its columns only mirror the liquid: after
   every step they get its depth and mean flow, for gauges, maps and files. The box of the 3D liquid is the domain
   from the lowest ground up to the lid, in cubic cells of the world's cell size. */
#ifndef RN_WORLD_MAC_H
#define RN_WORLD_MAC_H

#include "mac/mac.h"
#include "world/world.h"

#define RN_MAC_NAME "mac" /* the name of this solver in scenes */

/* An earlier pose of a solid of the world. */
typedef struct rn_solid_pose {
    rn_vec3 at; /* m */
    rn_quat turn;
    bool hidden;
    uint64_t bends;
    rn_placement now, before; /* rotations in this step */
} rn_solid_pose;

typedef struct rn_world_mac {
    rn_mac *mac;
    rn_mac_def def;
    rn_vec3 low;     /* m, lower corner of the box */
    int nodes[3];    /* corners of cells along x, y and z */
    double *ground;  /* m, distance from each node to the terrain's solid; NULL: the floor of the box */
    bool has_solid;  /* the 3D liquid has been given a solid */
    bool moving;     /* that solid had a velocity in the last step; rotating solids count as still */
    int *sources;    /* numbers of the world's sources in the 3D liquid */
    rn_vec3 *speeds; /* m/s, of jets; all 0: straight down, as fast as the rate requires */
    size_t source_count, source_room, speed_room;
    rn_solid_pose *solids; /* poses in the last step */
    size_t solid_count, solid_room;
    double measured; /* m^3 within the surface */
    double memory;   /* bytes, most that it may use */
} rn_world_mac;

/* Makes the 3D liquid of a world whose columns exist already, empty, with ground and solids. RN_INVALID: the edges do
   not suit it; RN_LIMIT: it needs more memory than allowed. On failure the caller destroys the world. */
rn_result rn_world_mac_create(rn_world *world, const rn_world_def *def);
/* Frees the 3D liquid of a world, if it has one; world->mac is then NULL. */
void rn_world_mac_free(rn_world *world);
/* The memory (bytes) of the 3D liquid: grid, particles and distances to the ground; 0 if there is none. */
size_t rn_world_mac_bytes(const rn_world *world);

/* Gravity and viscosity of this definition from now on. RN_MEMORY, with nothing changed: the first viscosity above 0
   needs more memory. */
rn_result rn_world_mac_retune(rn_world *world, const rn_world_def *def);
/* Advances the 3D liquid by `seconds`, with solids and sources, and updates clock, statistics and columns. */
rn_result rn_world_mac_step(rn_world *world, double seconds);
/* Adds the particles of a fill, whose numbers were checked, at rest, and updates the columns; nothing if it lies
   outside the box. RN_LIMIT, before any are added: they would take too much memory. */
rn_result rn_world_mac_fill(rn_world *world, const rn_fill_def *fill);
/* RN_INVALID, with a message, if a 3D liquid cannot have such a source: it has disks that pour or drain a rate. */
rn_result rn_world_mac_check_source(const rn_source_def *def);
/* Adds a source of the world, which was checked, to the 3D liquid, with a rate of 0 until the next step. Call it once
   per source, in order. RN_INVALID: its place or path leaves the height of the box. */
rn_result rn_world_mac_add_source(rn_world *world, const rn_source *source, const rn_source_def *def);
/* Saves, checks, restores or hashes the 3D liquid, by the pass of the archive; restoring needs the world's solids and
   sources to be restored already. Invalid sizes set a->broken. */
rn_result rn_world_mac_archive(rn_world *world, rn_archive *a);

/* RN_LIMIT, with a message, if the grid and this many particles in all need more memory than allowed. */
rn_result rn_world_mac_check_memory(const rn_world_mac *m, double particles);
/* Gives the 3D liquid ground and solids at their current poses, and stores these. With `seconds` above 0, solid that
   has moved since the last call did so within that time, and gets that velocity. Does nothing if nothing moves. */
rn_result rn_world_mac_place_solids(rn_world *world, double seconds);
/* Gives the 3D liquid ground and solids of a state that is being restored, at rest; moving: the solid had a velocity in
   the last step before the state was saved. */
rn_result rn_world_mac_restore_solids(rn_world *world, bool moving);
/* Sets place, velocity and mean rate of its sources over the next `seconds`. RN_LIMIT if the particles, with those that
   they will add, would need more memory than allowed. */
rn_result rn_world_mac_set_sources(rn_world *world, double seconds);
/* Copies depth and flow of the 3D liquid to the world's columns, measures its volume (m^3) and finds the largest depth
   for the statistics. Fails like rn_world_commit, which it calls. */
rn_result rn_world_mac_show(rn_world *world);

#endif
