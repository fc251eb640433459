/* Solids that a scene moves: read from its list, stepped frame by frame. */
#ifndef RN_IO_SCRIPT_H
#define RN_IO_SCRIPT_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

typedef struct rn_script {
    rn_sdf *shape; /* can be placed repeatedly; NULL once the world has it */
    int solid;     /* its number in the world; -1: a brush */
    bool carve, lasting;
    rn_waypoint *path, *turns; /* NULL: at its origin, not rotated */
    int path_count, turn_count;
    double start, stop; /* s */
    rn_motion *motion;  /* of a mesh; NULL: none */
    float *positions;   /* of its vertices */
    double speed;
    bool loop;
} rn_script;

/* A checked series of three values, or NULL, as waypoints; free them with rn_free(NULL, ...). */
rn_result rn_waypoints_read(const json_t *list, rn_waypoint **waypoints, int *count);

/* Reads one object of "solids". On failure nothing needs to be freed. */
rn_result rn_script_read(rn_shape_context *shapes, const json_t *object, const rn_json_path *place, rn_script *script);
void rn_script_free(rn_script *script);
/* The lowest height (m) that it will ever carve; INFINITY if it carves nothing or has no lower bound. */
double rn_script_depth(const rn_script *script);
/* Adds the solid to the world, as it is at the start. */
rn_result rn_script_begin(rn_script *script, rn_world *world);
/* Deforms the solid in a resumed world as it is at that time (s). */
rn_result rn_script_resume(rn_script *script, rn_world *world, double time);
/* Moves the solid to its pose at the end of a frame, from time `from` to `to` (s). */
rn_result rn_script_step(rn_script *script, rn_world *world, double from, double to);

#endif
