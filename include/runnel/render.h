/* Pictures. */
#ifndef RUNNEL_RENDER_H
#define RUNNEL_RENDER_H

#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A view straight down: shaded ground, liquid coloured by its depth and optics, a scale bar, the time. */
typedef struct rn_top_view_def {
    int width;         /* pixels, 0: 800; the height follows from the domain, see rn_top_view_height */
    rn_vec3 ground;    /* colour of dry ground, linear 0..1; all 0: warm grey */
    double full_depth; /* m, the depth at which the colour is deepest; 0: chosen from the liquid there is */
    bool plain;        /* no scale bar, no time */
    bool tiles;        /* with the tiles of the adaptive packets solver: squares of two by two of their cells */
    int threads;       /* 0: one per core; the picture is the same for any number */
} rn_top_view_def;

RN_API int rn_top_view_height(const rn_world *world, const rn_top_view_def *def);
/* pixels: width*height*3 bytes, sRGB, rows from the top (north) down. */
RN_API rn_result rn_top_view(const rn_world *world, const rn_top_view_def *def, uint8_t *pixels);

/* ---- The eye ---------------------------------------------------------------------------------------- */

typedef struct rn_camera {
    rn_vec3 eye, target; /* m */
    rn_vec3 up;          /* all 0: z, or y for a view straight down */
    double angle;        /* degrees, from the lower to the upper edge of the picture; 0: parallel rays */
    double span;         /* m, from the lower to the upper edge, of parallel rays */
} rn_camera;

/* A camera on a circle around a box, which it sees whole: what a scene calls a view. */
typedef struct rn_orbit {
    double azimuth;   /* degrees: 0 looks north (+y) from the south, 90 looks west from the east */
    double elevation; /* degrees above the horizon; 0: along it, 90: straight down */
    double angle;     /* degrees, of the picture's height; 0: 32; below 0: parallel rays */
    double zoom;      /* 1, or 0: all of the box; 2: half of it */
    bool aimed;       /* at `target`; otherwise the box is in the middle of the picture */
    rn_vec3 target;   /* m */
    double turn;      /* degrees of azimuth a second, for a turntable */
} rn_orbit;

/* From the side and above: azimuth 30, elevation 35. */
RN_API rn_orbit rn_orbit_default(void);

/* low, high (m): the corners of the box. aspect: width of the picture through its height. time (s): of turning. */
RN_API rn_camera rn_camera_orbit(const rn_orbit *orbit, rn_vec3 low, rn_vec3 high, double aspect, double time);

/* ---- What it sees ------------------------------------------------------------------------------------- */

/* Colours that explain, in place of what the eye would see. */
typedef enum rn_overlay {
    RN_OVERLAY_NONE,
    RN_OVERLAY_DEPTH,    /* of the liquid */
    RN_OVERLAY_SPEED,    /* of its surface */
    RN_OVERLAY_LAYERS,   /* which of the columns of a cell it is in */
    RN_OVERLAY_FLOODED,  /* columns that are full to their ceilings, through the solid above them */
    RN_OVERLAY_LINKS,    /* the edges of the mesh */
    RN_OVERLAY_DISTANCE, /* from the nearest boundary, that the meniscus is made of */
} rn_overlay;

/* Zero means default. */
typedef struct rn_look {
    rn_vec3 ground;    /* colour of dry ground, linear 0..1; all 0: warm grey */
    double gloss;      /* of dry ground, 0 (chalk, the default) to 1 (glazed) */
    double full_depth; /* m, that the surface was built with, as in rn_top_view_def; 0: the liquid as it is, whose
                          surface was built with rn_liquid_full_depth */
    double exposure;   /* stops; default 0 */
    double time;       /* s, that ripples and foam outdoors have drifted for */
    rn_overlay overlay;
    bool outdoors;   /* under a sky with a sun; otherwise in a studio with soft lamps */
    bool no_shadows; /* neither shadows nor ambient occlusion */
    bool no_cap;     /* menisci turn away from the eye as they like, and go black (Dagenais 2018, Fig. 15) */
    bool no_wetness; /* ground that liquid has left is as if it had never been there */
} rn_look;

/* ---- The renderer --------------------------------------------------------------------------------------- */

/* OpenGL 3.3, OpenGL ES 3.0 or WebGL 2. One thread uses it, the one that made it. */
typedef struct rn_renderer rn_renderer;

typedef struct rn_renderer_def {
    int width, height; /* pixels; default 1280 by 720 */
    int samples;       /* per pixel, along each side; default 1, with edges smoothed */
    bool es;           /* without a window: OpenGL ES 3.0 rather than OpenGL 3.3 */
    bool hosted;       /* the GL that is current on this thread is used, and drawn into its framebuffer, as in a window;
                          otherwise one of its own, that needs no display */
} rn_renderer_def;

RN_API rn_renderer_def rn_renderer_default(void);

/* Fails with RN_DEVICE and one sentence where there is no GL: then there is rn_top_view. With RN_DRIVER where there is
   one that cannot do this, with RN_LIMIT where the picture is too large for it. */
RN_API rn_result rn_renderer_create(const rn_renderer_def *def, rn_renderer **renderer);
RN_API void rn_renderer_destroy(rn_renderer *renderer);
/* Other sizes of the picture (pixels), as a window has when it is resized. What was set to be drawn stays. If it fails,
   the renderer can only be destroyed. */
RN_API rn_result rn_renderer_resize(rn_renderer *renderer, int width, int height);
/* What GL calls itself. */
RN_API const char *rn_renderer_device(const rn_renderer *renderer);

/* Copies what is to be drawn: the ground whenever it has changed, the liquid in every frame. A mesh with menisci is
   shaded with their view-dependent cap. columns: for overlays and for wet ground, which dries in 3600 calls; may be
   NULL.
 */
RN_API rn_result rn_renderer_set_ground(rn_renderer *renderer, const rn_mesh *ground);
RN_API rn_result rn_renderer_set_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid,
                                        const rn_surface_columns *columns);
/* And in every frame all bodies where they are, as of rn_skin_bodies: with normals, and colours unless they are grey.
   They are lit as painted things, cast shadows, are seen through the liquid and mirrored by it. After the ground, which
   shades them. No vertices: none are drawn any more. */
RN_API rn_result rn_renderer_set_bodies(rn_renderer *renderer, const rn_mesh *bodies);

/* pixels: width*height*3 bytes, sRGB, rows from the top; NULL: what is drawn stays where it is. */
RN_API rn_result rn_renderer_draw(rn_renderer *renderer, const rn_camera *camera, const rn_look *look, uint8_t *pixels);

#ifdef __cplusplus
}
#endif

#endif
