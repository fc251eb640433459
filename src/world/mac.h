/* A world whose liquid is the 3D liquid of src/mac.

   The world keeps the clock, the ground, solids, sources and the books. Its columns are only a picture of the liquid:
   after every step they get its depth and its mean flow, for gauges, maps and files. The box of the 3D liquid is the
   domain from the lowest ground up to the lid, in cubic cells of the world's cell size. */
#ifndef RN_WORLD_MAC_H
#define RN_WORLD_MAC_H

#include "mac/mac.h"
#include "world/world.h"

#define RN_MAC_NAME "mac" /* what scenes call this solver */

/* How a solid of the world stood. */
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
    double *ground;  /* m, from each corner of a cell to the terrain's solid; NULL: the floor of the box */
    bool has_solid;  /* the 3D liquid knows a solid */
    bool moving;     /* and it had a velocity in the last step; solids that turn count as still */
    int *sources;    /* numbers of the world's sources in the 3D liquid */
    rn_vec3 *speeds; /* m/s, of jets; all 0: straight down, as fast as the rate asks */
    size_t source_count, source_room, speed_room;
    rn_solid_pose *solids; /* as they were in the last step */
    size_t solid_count, solid_room;
    double measured; /* m^3 within the surface */
    double memory;   /* bytes, the most that it may take */
} rn_world_mac;

/* Makes the 3D liquid of a world that has its columns already. */
rn_result rn_world_mac_create(rn_world *world, const rn_world_def *def);
void rn_world_mac_free(rn_world *world);
size_t rn_world_mac_bytes(const rn_world *world);

/* Gravity and viscosity of this definition from now on. */
rn_result rn_world_mac_retune(rn_world *world, const rn_world_def *def);
rn_result rn_world_mac_step(rn_world *world, double seconds);
rn_result rn_world_mac_fill(rn_world *world, const rn_fill_def *fill);
/* Whether such a source is possible; then adds one that the world has made. */
rn_result rn_world_mac_check_source(const rn_source_def *def);
rn_result rn_world_mac_add_source(rn_world *world, const rn_source *source, const rn_source_def *def);
rn_result rn_world_mac_archive(rn_world *world, rn_archive *a);

/* RN_LIMIT, with a sentence, if the grid and this many particles take more memory than allowed. */
rn_result rn_world_mac_check_memory(const rn_world_mac *m, double particles);
/* Gives the 3D liquid the solid as it is now, moving if `seconds` is above 0. */
rn_result rn_world_mac_place_solids(rn_world *world, double seconds);
/* The solid as it stands in a state that is being restored; moving: the last step before that moved it. */
rn_result rn_world_mac_restore_solids(rn_world *world, bool moving);
/* Gives its sources their place, velocity and mean rate over the next seconds. Fails if the particles that are due
   would take more memory than there may be. */
rn_result rn_world_mac_set_sources(rn_world *world, double seconds);
/* Gives the world's columns depth and flow of the 3D liquid, and measures its volume. */
rn_result rn_world_mac_show(rn_world *world);

#endif
