/* Solids that a scene moves by scripts: read from its list "solids", stepped frame by frame. A script with `lasting` is
   a brush, which changes the ground instead of being a solid. Failures leave the reason in rn_last_error(). */
#ifndef RN_IO_SCRIPT_H
#define RN_IO_SCRIPT_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

typedef struct rn_script {
    rn_sdf *shape;             /* can be placed repeatedly; NULL once the world has it */
    int solid;                 /* its number in the world; -1: a brush */
    bool carve, lasting;       /* removes solid; is a brush */
    rn_waypoint *path, *turns; /* NULL: at its origin, not rotated */
    int path_count, turn_count;
    double start, stop; /* s */
    rn_motion *motion;  /* of a mesh; NULL: none */
    float *positions;   /* of its vertices */
    double origin[3];   /* that of the mesh file; its vertices count from there, those of the motion from 0 */
    double speed;
    bool loop;
} rn_script;

/* Copies a checked series of [time, x, y, z] to *waypoints, which the caller frees with rn_free(NULL, ...). `list`
   NULL: nothing changes. Returns RN_MEMORY if memory runs out. */
rn_result rn_waypoints_read(const json_t *list, rn_waypoint **waypoints, int *count);

/* Reads one object of "solids" with its shape, path and motion into *script, whose old content is lost; adds nothing to
   a world. Free it with rn_script_free; after a failure nothing needs to be freed, and rn_last_error() names the
   place. */
rn_result rn_script_read(rn_shape_context *shapes, const json_t *object, const rn_json_path *place, rn_script *script);
/* Frees what the script of a moving solid owns, and empties the script. Frees neither the struct itself nor the solid
   in the world. */
void rn_script_free(rn_script *script);
/* Returns a height (m) below which it will never carve; INFINITY if it carves nothing or reaches down without end. To
   be called before rn_script_begin, which hands the shape over. */
double rn_script_depth(const rn_script *script);
/* Adds the solid to the world, which takes over its shape, also on failure, as it is at time 0 (hidden if its start is
   later); the caller commits it. Does nothing for a brush. */
rn_result rn_script_begin(rn_script *script, rn_world *world);
/* Deforms the solid in a resumed world as it is at that time (s); its pose has been restored with the world. Does
   nothing for a brush. */
rn_result rn_script_resume(rn_script *script, rn_world *world, double time);
/* For a frame from time `from` to `to` (s): shows or hides the solid, deforms it and moves it to its pose at the end of
   the frame. A brush sculpts instead along its way, at 1 to 16 positions, one per cell, but only at times when it is
   present. */
rn_result rn_script_step(rn_script *script, rn_world *world, double from, double to);

#endif
