/* The rigid bodies of a scene: read from its lists, brought in when their time comes, moved frame by frame. */
#ifndef RN_IO_SCENE_BODIES_H
#define RN_IO_SCENE_BODIES_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <runnel/rigid.h>

typedef struct rn_scene_bodies rn_scene_bodies;

/* Checks the lists. `scene` is the place of the scene's root. */
rn_result rn_scene_bodies_read(rn_shape_context *shapes, const rn_scene_values *values, const rn_json_path *scene,
                               rn_scene_bodies **bodies);
void rn_scene_bodies_free(rn_scene_bodies *bodies); /* before its world; NULL is allowed */
/* Whether there are bodies that an engine must move. */
bool rn_scene_bodies_move(const rn_scene_bodies *bodies);

/* Where bodies move in a scene; poses are read from `replay` in place of an engine and of scripts, and written to
   `record`, unless NULL. */
typedef struct rn_stage {
    rn_world *world;
    const rn_sdf *solid; /* of its terrain; must outlive the bodies */
    const rn_scene_values *values;
    const char *replay, *record;
    int frame; /* that the scene goes on from; 0: from the start */
} rn_stage;

/* Brings in those that are there from the start, or at the frame that the scene goes on from. */
rn_result rn_scene_bodies_begin(rn_scene_bodies *bodies, const rn_stage *stage);
/* Bytes that a checkpoint made now would hold of them, besides the state of the world. */
size_t rn_scene_bodies_bytes(const rn_scene_bodies *bodies);
void rn_scene_bodies_save(const rn_scene_bodies *bodies, void *bytes);
/* After a state was restored: they go on from where they are now. */
rn_result rn_scene_bodies_resume(rn_scene_bodies *bodies, const void *bytes);
/* Before the world makes frame number `frame` (from 1), which ends at `to` (s): where they will be then. */
rn_result rn_scene_bodies_step(rn_scene_bodies *bodies, int frame, double from, double to);
/* After it: those whose time has come. */
rn_result rn_scene_bodies_arrive(rn_scene_bodies *bodies, int frame);
/* Brings in one more body, number `entry` of the list, after frame number `frame`; an engine is started if it needs
   one. If it fails, nothing has changed. */
rn_result rn_scene_bodies_add(rn_scene_bodies *bodies, rn_shape_context *shapes, const json_t *object, size_t entry,
                              int frame);
/* A force (N) and a torque (N m) on a body of the world, throughout the next frame. */
rn_result rn_scene_bodies_push(rn_scene_bodies *bodies, int body, rn_vec3 force, rn_vec3 torque);
/* Another gravity (m/s^2) for the engine, if there is one. */
rn_result rn_scene_bodies_set_gravity(rn_scene_bodies *bodies, rn_vec3 gravity);
/* How many the engine has thrown out of the world. */
int rn_scene_bodies_lost(const rn_scene_bodies *bodies);
/* Finishes the file of poses. */
rn_result rn_scene_bodies_keep(rn_scene_bodies *bodies);

#endif
