/* The rigid bodies of a scene: read from its lists, added when their time comes, moved frame by frame. Order of calls:
   read, begin, (resume), then step, rn_world_step and arrive in every frame. Failures leave the reason in
   rn_last_error(); those of the scene file name the place in it. */
#ifndef RN_IO_SCENE_BODIES_H
#define RN_IO_SCENE_BODIES_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <runnel/rigid.h>

typedef struct rn_scene_bodies rn_scene_bodies;

/* Reads and checks the lists "bodies" and "joints" of `values`; adds nothing to a world yet. `scene` is the path of the
   scene's root, whose document must outlive the bodies. *bodies is not NULL even without bodies; NULL after a
   failure. */
rn_result rn_scene_bodies_read(rn_shape_context *shapes, const rn_scene_values *values, const rn_json_path *scene,
                               rn_scene_bodies **bodies);
/* Frees everything, and removes an unfinished file of poses. To be called before the world is destroyed; NULL is
   allowed. */
void rn_scene_bodies_free(rn_scene_bodies *bodies);
/* Whether there are bodies that an engine must move: any that is not scripted, present or still to come. */
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

/* Opens replay and record, starts an engine if one is needed, and adds the bodies that are present at the start, or at
   the frame that the scene resumes from. `stage` is copied; what it points to must outlive the bodies. After a failure
   only rn_scene_bodies_free may follow. */
rn_result rn_scene_bodies_begin(rn_scene_bodies *bodies, const rn_stage *stage);
/* Returns the bytes that a checkpoint of the bodies would need now, besides the state of the world, or 0 if all are
   scripted. */
size_t rn_scene_bodies_bytes(const rn_scene_bodies *bodies);
/* Writes the state of the engine's bodies to `bytes`, which has room for rn_scene_bodies_bytes; zeros if poses are
   replayed. */
void rn_scene_bodies_save(const rn_scene_bodies *bodies, void *bytes);
/* Continues after the state of the world was restored: takes the poses of bodies from the world, restores the engine
   from `bytes`, which rn_scene_bodies_save has written (their number is not checked; without an engine they are not
   read), and logs the poses. */
rn_result rn_scene_bodies_resume(rn_scene_bodies *bodies, const void *bytes);
/* To be called before the world steps frame number `frame` (from 1), from time `from` to `to` (s): moves the present
   bodies to their poses at the end of the frame, from the replay, their scripts or the engine, and logs these. After a
   failure some may have moved. */
rn_result rn_scene_bodies_step(rn_scene_bodies *bodies, int frame, double from, double to);
/* To be called after frame number `frame`: adds the bodies whose start has come by then. Those before the one that
   failed stay. */
rn_result rn_scene_bodies_arrive(rn_scene_bodies *bodies, int frame);
/* Adds one more body to the world at once, after frame number `frame`, whatever its "start": `object`, which is element
   number `entry` of the document's "bodies". A scripted body begins where its script is at its "start". Starts an
   engine if the body needs one. Also returns RN_INVALID if the object has copies, or if poses are recorded or replayed.
   After a failure no body has changed; an engine may have been started. */
rn_result rn_scene_bodies_add(rn_scene_bodies *bodies, rn_shape_context *shapes, const json_t *object, size_t entry,
                              int frame);
/* Applies a force (N) and a torque (N m) to the body with this number in the world, throughout the next frame. Returns
   RN_INVALID if no engine runs, or the body is not in it. */
rn_result rn_scene_bodies_push(rn_scene_bodies *bodies, int body, rn_vec3 force, rn_vec3 torque);
/* Sets the gravity (m/s^2) of the engine; does nothing if there is none. */
rn_result rn_scene_bodies_set_gravity(rn_scene_bodies *bodies, rn_vec3 gravity);
/* Returns the number of present bodies that the engine has thrown out of the world; 0 without an engine. */
int rn_scene_bodies_lost(const rn_scene_bodies *bodies);
/* Finishes the file of recorded poses, of which no more are written; does nothing if none is being written. Returns
   RN_FILE on failure; then no file is left. */
rn_result rn_scene_bodies_keep(rn_scene_bodies *bodies);

#endif
