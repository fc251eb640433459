/* Pictures of a world: a CPU view from above, and a GL renderer. */
#ifndef RUNNEL_RENDER_H
#define RUNNEL_RENDER_H

#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A picture that is laid over the ground from above, with north at its top. Where it is opaque it replaces the colour
   of the ground; where it is transparent the ground shows its own. */
typedef struct rn_texture {
    const uint8_t *pixels; /* width*height*4 bytes: red, green, blue (sRGB), opacity; rows from the north; NULL: none */
    int width, height;
    rn_vec3 low, high; /* m, corners of the rectangle that it covers; z does not count */
} rn_texture;

/* The name of a material in scenes, such as "wood"; NULL for other numbers. */
RN_API const char *rn_solid_material_name(int material);

/* A view straight down: shaded ground, liquid coloured by its depth and optics, a scale bar and the time. */
typedef struct rn_top_view_def {
    int width;                  /* pixels, 0: 800; for the height see rn_top_view_height */
    rn_vec3 ground;             /* colour of dry ground, linear 0..1; all 0: that of its material, warm grey if plain */
    rn_solid_material material; /* of the ground: only for its colour */
    const rn_texture *texture;  /* over the ground; NULL: none */
    double full_depth;          /* m, depth of the deepest colour; 0: chosen from the liquid present */
    bool plain;                 /* no scale bar, no time */
    bool tiles;  /* also draws the tiles of the adaptive packets solver, as squares of two by two of their cells */
    int threads; /* 0: one per core; the picture is the same for any number */
} rn_top_view_def;

/* The height of the picture in pixels: its width times the aspect of the domain, 1 to 16384. */
RN_API int rn_top_view_height(const rn_world *world, const rn_top_view_def *def);
/* Draws the view into `pixels`: width*height*3 bytes, sRGB, rows from the top (north) down. Returns RN_INVALID if the
   width is not from 16 to 16384. On failure the pixels are not complete. */
RN_API rn_result rn_top_view(const rn_world *world, const rn_top_view_def *def, uint8_t *pixels);

/* ---- Cameras ---------------------------------------------------------------------------------------- */

typedef struct rn_camera {
    rn_vec3 eye, target; /* m */
    rn_vec3 up;          /* all 0: z, or y for a view straight down */
    double angle;        /* degrees, vertical field of view; 0: parallel projection */
    double span;         /* m, height of the view in a parallel projection */
} rn_camera;

/* A camera on a circle around a box, placed so that the whole box is in view. Scenes call this a view. */
typedef struct rn_orbit {
    double azimuth;   /* degrees: 0 looks north (+y) from the south, 90 looks west from the east */
    double elevation; /* degrees above the horizon; 0: along it, 90: straight down */
    double angle;     /* degrees, vertical field of view; 0: 32; below 0: parallel projection */
    double zoom;      /* 1 or 0: the whole box; 2: half of it */
    bool aimed;       /* looks at `target`; otherwise at the middle of the box */
    rn_vec3 target;   /* m */
    double turn;      /* degrees of azimuth per second, for a turntable */
} rn_orbit;

/* From the side and above: azimuth 30, elevation 35. */
RN_API rn_orbit rn_orbit_default(void);

/* Where an orbit puts its camera, all of whose members are set, for a picture of the box from low to high (m). Angles
   above 150 degrees count as 150. The whole box is in view, with a small margin, unless the orbit zooms in or is aimed
   elsewhere. aspect: width divided by height of the picture. time (s): turns the orbit by orbit->turn * time. */
RN_API rn_camera rn_camera_orbit(const rn_orbit *orbit, rn_vec3 low, rn_vec3 high, double aspect, double time);

/* ---- Looks -------------------------------------------------------------------------------------------- */

/* False colours that show a quantity in place of the natural look. */
typedef enum rn_overlay {
    RN_OVERLAY_NONE,
    RN_OVERLAY_DEPTH,    /* depth of the liquid */
    RN_OVERLAY_SPEED,    /* speed of its surface */
    RN_OVERLAY_LAYERS,   /* the layer of its column */
    RN_OVERLAY_FLOODED,  /* columns that are full to their ceilings, seen through the solid above them */
    RN_OVERLAY_LINKS,    /* the edges of the mesh */
    RN_OVERLAY_DISTANCE, /* distance from the nearest boundary, which shapes the meniscus */
} rn_overlay;

/* Zero means default. */
typedef struct rn_look {
    rn_vec3 ground;    /* colour of dry ground, linear 0..1; all 0: that of its material, warm grey if plain */
    rn_vec3 backdrop;  /* linear colour of the floor; all 0: light grey, outdoors land like the ground */
    double gloss;      /* of dry ground, 0 (chalk, the default) to 1 (glazed) */
    double full_depth; /* m, that the surface was built with, as in rn_top_view_def; 0: rn_liquid_full_depth was used */
    double glass_above; /* m, only with `glass`: solid below is opaque; default 0 */
    double exposure;    /* stops; default 0 */
    double time;        /* s, for ripples, foam, falling sheets, and ground that dries */
    rn_overlay overlay;
    rn_solid_material material;   /* of the ground; others than plain have their own gloss, and outdoors no grass */
    rn_coat coats[RN_MOST_COATS]; /* of parts of the ground, see rn_paint */
    rn_solid_material
        floor;       /* of the floor around it, in the studio; its colour is that of the material, unless plain */
    bool outdoors;   /* lit by sky and sun; otherwise by soft studio lamps */
    bool no_shadows; /* neither shadows nor ambient occlusion */
    bool no_cap; /* no view-dependent cap: menisci that face away from the eye turn black (Dagenais 2018, Fig. 15) */
    bool no_wetness; /* ground that liquid has wetted looks dry, as glass does */
    bool glass;      /* solid above `glass_above` is clear, and the liquid inside it is seen; with overlays in false
                        colours, all solid is opaque */
    const rn_texture *texture; /* over ground that is not steep; NULL: none. A renderer copies it when it first draws
                                  with it, and again after rn_renderer_set_ground */
} rn_look;

/* ---- The renderer --------------------------------------------------------------------------------------- */

/* Draws with OpenGL 3.3, OpenGL ES 3.0 or WebGL 2. Only the thread that created it may use it. */
typedef struct rn_renderer rn_renderer;

typedef struct rn_renderer_def {
    int width, height; /* pixels; default 1280 by 720 */
    int samples;       /* per pixel, along each axis; default 1, with edges smoothed */
    bool es;           /* without a window: OpenGL ES 3.0 instead of OpenGL 3.3 */
    bool hosted; /* draws with the GL context current on this thread, into its framebuffer, as in a window; otherwise
                    the renderer makes its own context, which needs no display */
} rn_renderer_def;

/* A definition with all defaults. */
RN_API rn_renderer_def rn_renderer_default(void);

/* Creates a renderer. Returns RN_DEVICE if there is no GL; rn_top_view still works. Returns RN_DRIVER if this GL lacks
   something needed. Returns RN_LIMIT if the picture is too large for it. Returns RN_INVALID unless sides are from 1 to
   16384 pixels and samples from 1 to 8. On failure *renderer is NULL. */
RN_API rn_result rn_renderer_create(const rn_renderer_def *def, rn_renderer **renderer);
/* NULL is allowed. */
RN_API void rn_renderer_destroy(rn_renderer *renderer);
/* Sets the size of the picture (pixels), as a window has when it is resized. Ground, liquid and bodies stay. Returns
   RN_INVALID, with nothing changed, if a side is not from 1 to 16384. If it fails otherwise, the renderer can only be
   destroyed. */
RN_API rn_result rn_renderer_resize(rn_renderer *renderer, int width, int height);
/* The name that GL reports for its device, and its version. Valid as long as the renderer. */
RN_API const char *rn_renderer_device(const rn_renderer *renderer);

/* Copies the ground to be drawn, with normals, and with colours if it has some; call it whenever the ground has
   changed. Returns RN_INVALID if it has no normals. On failure there may be no ground. */
RN_API rn_result rn_renderer_set_ground(rn_renderer *renderer, const rn_mesh *ground);
/* Copies the liquid to be drawn, with normals; call it for every frame. A mesh with menisci is shaded with their
   view-dependent cap. columns: those that the mesh was made from, for overlays and wet ground, which dries within a
   minute of rn_look.time, or within 3600 calls if that has always been 0, and for foam, which fades by half in 1.2 s or
   72 calls; may be NULL. Returns RN_INVALID if the mesh has vertices without normals. On failure there may be no
   liquid. */
RN_API rn_result rn_renderer_set_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid,
                                        const rn_surface_columns *columns);
/* Copies the bodies to be drawn, all in place, from rn_skin_bodies, with normals, and with colours unless they are to
   be grey; call it for every frame, after rn_renderer_set_ground, whose ground shades them. A mesh without triangles
   removes them. Returns RN_INVALID if the mesh has vertices without normals. After other failures none are drawn. */
RN_API rn_result rn_renderer_set_bodies(rn_renderer *renderer, const rn_mesh *bodies);

/* Draws a picture. look NULL: all defaults. pixels: width*height*3 bytes, sRGB, rows from the top; overlays of depth
   and speed then have a scale of colours. If pixels is NULL, the picture stays in GL. Leaves the state of GL changed,
   except that the framebuffer of a host is bound again. Returns RN_MEMORY if memory runs out, or RN_DRIVER if GL failed
   or its context was lost. */
RN_API rn_result rn_renderer_draw(rn_renderer *renderer, const rn_camera *camera, const rn_look *look, uint8_t *pixels);

#ifdef __cplusplus
}
#endif

#endif
