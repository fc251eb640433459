/* The rigid bodies of a scene: read from its lists, added when their time comes, moved frame by frame. */
#ifndef RN_IO_SCENE_BODIES_H
#define RN_IO_SCENE_BODIES_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <runnel/rigid.h>

typedef struct rn_scene_bodies rn_scene_bodies;

/* Reads and checks the lists. `scene` is the path of the scene's root. */
rn_result rn_scene_bodies_read(rn_shape_context *shapes, const rn_scene_values *values, const rn_json_path *scene,
                               rn_scene_bodies **bodies);
void rn_scene_bodies_free(rn_scene_bodies *bodies); /* before its world; NULL is allowed */
/* Whether there are bodies that an engine must move. */
bool rn_scene_bodies_move(const rn_scene_bodies *bodies);

/* The world in which bodies move. Unless NULL, poses are read from `replay` in place of an engine and scripts, and
   written to `record`. */
typedef struct rn_stage {
    rn_world *world;
    const rn_sdf *solid; /* of its terrain; must outlive the bodies */
    const rn_scene_values *values;
    const char *replay, *record;
    int frame; /* frame that the scene resumes from; 0: from the start */
} rn_stage;

/* Adds the bodies that are present at the start, or at the frame that the scene resumes from. */
rn_result rn_scene_bodies_begin(rn_scene_bodies *bodies, const rn_stage *stage);
/* The bytes that a checkpoint of the bodies would need now, besides the state of the world. */
size_t rn_scene_bodies_bytes(const rn_scene_bodies *bodies);
/* Writes those bytes. */
void rn_scene_bodies_save(const rn_scene_bodies *bodies, void *bytes);
/* Continues after a state was restored: bodies start from their present poses. */
rn_result rn_scene_bodies_resume(rn_scene_bodies *bodies, const void *bytes);
/* Before the world makes frame number `frame` (from 1), from time `from` to `to` (s): sets where bodies will be at
   its end. */
rn_result rn_scene_bodies_step(rn_scene_bodies *bodies, int frame, double from, double to);
/* After the frame: adds the bodies that start now. */
rn_result rn_scene_bodies_arrive(rn_scene_bodies *bodies, int frame);
/* Brings in one more body, number `entry` of the list, after frame number `frame`; an engine is started if it needs
   one. If it fails, nothing has changed. */
rn_result rn_scene_bodies_add(rn_scene_bodies *bodies, rn_shape_context *shapes, const json_t *object, size_t entry,
                              int frame);
/* A force (N) and a torque (N m) on a body of the world, throughout the next frame. */
rn_result rn_scene_bodies_push(rn_scene_bodies *bodies, int body, rn_vec3 force, rn_vec3 torque);
/* Another gravity (m/s^2) for the engine, if there is one. */
rn_result rn_scene_bodies_set_gravity(rn_scene_bodies *bodies, rn_vec3 gravity);
/* The number of bodies that the engine has thrown out of the world. */
int rn_scene_bodies_lost(const rn_scene_bodies *bodies);
/* Finishes the file of poses. */
rn_result rn_scene_bodies_keep(rn_scene_bodies *bodies);

#endif
