/* The renderer for the page's worker that draws: functions of numbers and addresses that web/site/picture-worker.js
   calls. The page makes the WebGL context and makes it current first. */
#include "render/draft.h"
#include "view/window/marks.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* web/site/marks.js reads these structs by their layout. */
_Static_assert(sizeof(marks_arrow) == 16 && sizeof(marks_patch) == 36 && offsetof(marks_list, arrow_count) == 12 &&
                   sizeof(rn_resting) == 24,
               "the sizes in web/site/marks.js");

#define WEB_API __attribute__((used, visibility("default")))

WEB_API rn_renderer *picture_create(int width, int height);
WEB_API void picture_destroy(rn_renderer *renderer);
WEB_API const char *picture_error(void);
WEB_API bool picture_resize(rn_renderer *renderer, int width, int height);
WEB_API void picture_texture(const rn_texture *texture);
WEB_API bool picture_ground(rn_renderer *renderer, const rn_mesh *ground);
WEB_API bool picture_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid,
                            rn_surface_columns *columns, ptrdiff_t moved);
WEB_API bool picture_bodies(rn_renderer *renderer, const rn_mesh *bodies);
WEB_API rn_camera *picture_camera(const double *orbit, const double *box, double aspect, double time);
WEB_API bool picture_draw(rn_renderer *renderer, rn_look *look, int overlay, double time);
WEB_API const marks_list *picture_marks(const rn_mesh *bodies, const rn_resting *resting, const double *box,
                                        const double *picture, int which);
WEB_API bool picture_draft(rn_renderer *renderer, const rn_look *look);
WEB_API const double *picture_pick(const rn_mesh *bodies, double x, double y, double width, double height);

static rn_camera camera;
static rn_surface_columns columns_now;
static marks_list found_marks;
static const rn_texture *over_ground;

/* Creates a renderer of width x height pixels that draws into the current WebGL context. Returns NULL on failure; then,
   and when another function here returns false, picture_error has the reason. */
rn_renderer *picture_create(int width, int height) {
    rn_renderer_def def = rn_renderer_default();
    def.width = width;
    def.height = height;
    def.hosted = true;
    rn_renderer *renderer = NULL;
    rn_renderer_create(&def, &renderer);
    return renderer;
}

/* Frees a renderer, also one whose WebGL context was lost. The columns that picture_pick uses go with its frame. */
void picture_destroy(rn_renderer *renderer) {
    columns_now = (rn_surface_columns){0};
    rn_renderer_destroy(renderer);
}

/* Returns the message of the last failure. */
const char *picture_error(void) { return rn_last_error(); }

/* Resizes the picture (pixels). */
bool picture_resize(rn_renderer *renderer, int width, int height) {
    return rn_renderer_resize(renderer, width, height) == RN_OK;
}

/* Sets the texture that picture_draw lays over the ground, NULL for none; call it before picture_ground. It must stay
   until the next call. */
void picture_texture(const rn_texture *texture) { over_ground = texture; }

/* Passes the mesh of the ground to the renderer. */
bool picture_ground(rn_renderer *renderer, const rn_mesh *ground) {
    return rn_renderer_set_ground(renderer, ground) == RN_OK;
}

/* Shifts a field of columns that were copied from another memory by `moved` bytes. */
static void move_field(rn_surface_field *field, ptrdiff_t moved) {
    if (field->data) field->data = (const float *)(const void *)((const char *)field->data + moved);
}

/* Passes the liquid to the renderer. columns: copied from the memory of the simulation; its fields are shifted by
   `moved` bytes to where their values are here, so a struct is used only once. The values must stay until the next
   call, for picture_pick. */
bool picture_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid, rn_surface_columns *columns,
                    ptrdiff_t moved) {
    rn_surface_field *const fields[] = {&columns->base,   &columns->ceil,   &columns->depth,
                                        &columns->flux_x, &columns->flux_y, &columns->effective};
    for (int i = 0; i < 6; i++) move_field(fields[i], moved);
    columns_now = *columns;
    return rn_renderer_set_liquid(renderer, surface, liquid, &columns_now) == RN_OK;
}

/* Passes the mesh of the bodies to the renderer. */
bool picture_bodies(rn_renderer *renderer, const rn_mesh *bodies) {
    return rn_renderer_set_bodies(renderer, bodies) == RN_OK;
}

/* Sets the camera that picture_draw and picture_pick use, and returns it. orbit: azimuth, elevation, angle, zoom, 1 if
   it is aimed, target x y z, turn. box: low x y z, high x y z (m). aspect: width over height; time: s. */
rn_camera *picture_camera(const double *orbit, const double *box, double aspect, double time) {
    const rn_orbit o = {.azimuth = orbit[0],
                        .elevation = orbit[1],
                        .angle = orbit[2],
                        .zoom = orbit[3],
                        .aimed = orbit[4] > 0,
                        .target = {orbit[5], orbit[6], orbit[7]},
                        .turn = orbit[8]};
    camera = rn_camera_orbit(&o, (rn_vec3){box[0], box[1], box[2]}, (rn_vec3){box[3], box[4], box[5]}, aspect, time);
    return &camera;
}

/* Draws what was passed, seen by the camera of the last picture_camera, into the WebGL context. Sets overlay (an
   rn_overlay) and time (s) of `look`. */
bool picture_draw(rn_renderer *renderer, rn_look *look, int overlay, double time) {
    look->overlay = (rn_overlay)overlay;
    look->time = time;
    look->texture = over_ground;
    return rn_renderer_draw(renderer, &camera, look, NULL) == RN_OK;
}

/* Like picture_draw, at once and simply (render/draft.h), without overlays. */
bool picture_draft(rn_renderer *renderer, const rn_look *look) {
    return rn_renderer_draw_draft(renderer, &camera, look) == RN_OK;
}

/* Follows the ray through a pixel, with the last camera and columns. Returns x y z (m) where it meets ground or liquid,
   NAN if it meets neither; the number of the first body on it, or -1; and how far that is (m; INFINITY without one).
   Valid until the next call. Returns NULL if it meets nothing. */
const double *picture_pick(const rn_mesh *bodies, double x, double y, double width, double height) {
    static double found[5];
    const pick_ray ray = pick_ray_at(&camera, x, y, width, height);
    rn_vec3 hit = {NAN, NAN, NAN};
    const bool met = columns_now.cells_x > 0 && pick_surface(&columns_now, &ray, &hit);
    double far = 0;
    const int body = pick_body(bodies, &ray, &far);
    if (!met && body < 0) return NULL;
    found[0] = hit.x, found[1] = hit.y, found[2] = hit.z, found[3] = body, found[4] = far;
    return found;
}

/* Finds the marks on the last frame, as the last camera sees it; the struct is valid until the next call. which: 1:
   arrows, 2: tiles at rest, 3: both. box: low x y z, high x y z of the scene (m). picture: its width and height
   (pixels), the pixels between arrows, and the highest speed of the liquid (m/s). */
const marks_list *picture_marks(const rn_mesh *bodies, const rn_resting *resting, const double *box,
                                const double *picture, int which) {
    const marks_source of = {.camera = &camera,
                             .columns = &columns_now,
                             .bodies = bodies,
                             .resting = resting,
                             .low = {box[0], box[1], box[2]},
                             .high = {box[3], box[4], box[5]},
                             .width = picture[0],
                             .height = picture[1],
                             .apart = picture[2],
                             .fastest = picture[3]};
    found_marks.arrow_count = found_marks.patch_count = 0;
    if (which & 1) marks_find_arrows(&found_marks, &of);
    if (which & 2) marks_find_resting(&found_marks, &of);
    return &found_marks;
}
