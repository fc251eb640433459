/* The core for WebAssembly, flat: functions of numbers and addresses that JavaScript calls. web/package/index.js wraps
   them. A function that fails returns 0 or false, and runnel_error has the reason. */
#ifndef RUNNEL_WEB_CORE_H
#define RUNNEL_WEB_CORE_H

#include <runnel/runnel.h>

/* JavaScript calls every function of this header. */
#define WEB_API __attribute__((used, visibility("default")))

typedef struct web_scene web_scene;

/* Starts the threads that all scenes share, `threads` of them with the caller (0: one per core), before anything else;
   further calls do nothing. Returns false if there is no memory. */
WEB_API bool runnel_start(int threads);
/* Returns the message of the last failure. */
WEB_API const char *runnel_error(void);

/* Opens a scene file, `path`, or a checkpoint, in the file system in memory; one of the two is NULL. poses: a file that
   moves the scene's bodies, or NULL. runnel_close closes and frees the scene; NULL is allowed there. */
WEB_API web_scene *runnel_open(const char *path, const char *checkpoint, const char *poses);
WEB_API void runnel_close(web_scene *scene);
/* Returns the title, length, box, views, probes, grid, gravity and liquid of a scene as JSON, valid until the next call
   of this function or of runnel_text; NULL if there is no memory. */
WEB_API const char *runnel_describe(web_scene *scene);
/* Returns the scene as JSON, as it was read and changed since, valid until the next call of this function or of
   runnel_describe; NULL if there is no memory. */
WEB_API const char *runnel_text(web_scene *scene);

/* Runs one frame of the scene. */
WEB_API bool runnel_step(web_scene *scene);
/* Performs an action, "pour X Y Z RADIUS RATE" for example: app/view/action.h lists them. One that fails may have
   changed something (session_act). */
WEB_API bool runnel_act(web_scene *scene, const char *action);
/* Adds a body, a JSON object as in the list "bodies" of a scene. */
WEB_API bool runnel_add_body(web_scene *scene, const char *json);
/* Returns the pose of a body, by its number from 0: position (m), rotation as x y z w, velocity (m/s) and spin (rad/s),
   13 values; valid until the next call. Returns NULL, with a message, if there is no such body. */
WEB_API const double *runnel_body(web_scene *scene, int body);
/* Returns the hash of the state, 16 hexadecimal digits; valid until the next call. */
WEB_API const char *runnel_hash(web_scene *scene);
/* Returns the values that RUNNEL_NUMBERS lists, as doubles; valid until the next call. */
WEB_API const double *runnel_numbers(web_scene *scene);
/* Measures the probes of a scene, two values for each: level (m) and speed (m/s) at a point, or discharge (m^3/s) and
   volume passed (m^3) at a cross-section. Valid until the next call; NULL, without a message, if there is no memory. */
WEB_API const double *runnel_probes(web_scene *scene);

enum { RUNNEL_GROUND, RUNNEL_SURFACE, RUNNEL_BODIES }; /* meshes */

/* Brings the meshes up to date, and makes them in the first call. Returns 0 on failure, 1 if done, 2 if the ground has
   changed too. */
WEB_API int runnel_update(web_scene *scene);
/* Returns a mesh, as of the last runnel_update; it is empty before the first. */
WEB_API const rn_mesh *runnel_mesh(web_scene *scene, int which);
/* Returns the columns that the surface was made from, copied without gaps, or NULL if there is no memory; runnel_update
   must have been called. runnel_columns_values returns the address of the copied values, and sets *count to the size of
   their memory in values, which may be larger than the copy. Both are valid until the next runnel_columns. */
WEB_API const rn_surface_columns *runnel_columns(web_scene *scene);
WEB_API const float *runnel_columns_values(web_scene *scene, size_t *count);
/* Returns the tiles that rest, valid until the next call; rn_resting.rests is NULL if there are none or no memory. */
WEB_API const rn_resting *runnel_resting(web_scene *scene);
WEB_API const rn_liquid *runnel_liquid(web_scene *scene);
/* Returns how pictures look, without the texture, which runnel_texture returns: NULL if there is none, otherwise valid
   as long as the scene. */
WEB_API const rn_look *runnel_look(web_scene *scene);
WEB_API const rn_texture *runnel_texture(web_scene *scene);
/* Returns a view of a field, an rn_field, of the columns, without a copy; the struct is valid until the next call. */
WEB_API const rn_view *runnel_view(web_scene *scene, int field);

/* Writes a checkpoint to a file in memory. Ends pouring, sucking, pushing, dragging and rain first. */
WEB_API bool runnel_save(web_scene *scene, const char *path);
/* Updates the meshes and writes ground, surface and, if there are any, bodies to files of a kind, "ply" or "glb", in a
   folder that exists. */
WEB_API bool runnel_export(web_scene *scene, const char *kind, const char *folder);
/* Writes a scene that pours liquid over a mesh, a volume or a terrain, into a folder, which is made. cells: along the
   longer side; 0: as "runnel inspect". Returns the path of the scene, valid until the next call, or NULL after printing
   the reason. */
WEB_API const char *runnel_scene_of(const char *geometry, const char *folder, int cells);

/* The numbers of runnel_numbers, in order. Volumes in m^3. */
#define RUNNEL_NUMBERS(X)                                                                                              \
    X(frame)                                                                                                           \
    X(time)                                                                                                            \
    X(steps)                                                                                                           \
    X(substeps)                                                                                                        \
    X(dt)                                                                                                              \
    X(fastest)                                                                                                         \
    X(deepest)                                                                                                         \
    X(flooded)                                                                                                         \
    X(bodies)                                                                                                          \
    X(poured)                                                                                                          \
    X(drained)                                                                                                         \
    X(left)                                                                                                            \
    X(displaced)                                                                                                       \
    X(body_offset)                                                                                                     \
    X(refused)                                                                                                         \
    X(present)                                                                                                         \
    X(drift)

#endif
