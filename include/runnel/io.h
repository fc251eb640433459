/* Files: scenes, heightmaps, pictures, and runs for other tools. The only part of runnel that opens any. */
#ifndef RUNNEL_IO_H
#define RUNNEL_IO_H

#include <runnel/render.h>
#include <runnel/surface.h>
#include <runnel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scene file read, checked, and built into a world. */
typedef struct rn_scene rn_scene;

/* A number that a scene names in "parameters", and that its expressions ("=2 * length") use. */
enum { RN_LONGEST_PARAMETER = 32, RN_MOST_PARAMETERS = 64 };

typedef struct rn_parameter {
    char name[RN_LONGEST_PARAMETER];
    double value;
} rn_parameter;

typedef struct rn_scene_def {
    const char *path;       /* of a JSON file */
    const char *const *set; /* changes made before checking: "liquid.viscosity=4e-5", "sources.0.rate=1e-6" */
    int set_count;
    const rn_parameter *parameters; /* other values for parameters that the scene has */
    int parameter_count;
    const char *checkpoint; /* instead of these: a file of rn_scene_save, whose scene goes on from where it was */
    int threads;            /* 0: one per core */
    bool keep_solid;        /* for rn_scene_solid */
    rn_hooks hooks;
} rn_scene_def;

/* What a scene wants measured: a point, for rn_world_at, or a cross-section, for rn_world_section_read. */
typedef struct rn_probe {
    char name[64];
    bool is_section;
    rn_vec3 at;  /* m, of a point */
    int section; /* of a cross-section */
} rn_probe;

/* Where a scene may be looked at from. */
typedef struct rn_scene_view {
    char name[64];
    rn_orbit orbit;
} rn_scene_view;

typedef struct rn_scene_info {
    const char *name;  /* the file's name without folder and ending */
    const char *title; /* one line */
    const char *about; /* a paragraph */
    int frames;        /* how many to run */
    int frame;         /* how many have been run, by rn_scene_step */
    double frame_time; /* s of simulated time per frame */
    rn_top_view_def view;
    rn_look look;
    const rn_scene_view *views; /* its own, of which the first is the one to begin with, then "orbit", "top" and
                                   "turntable", unless it has its own of that name; as long as the scene */
    int view_count;             /* at least 3 */
    rn_vec3 low, high;          /* m, corners of the box that views look at: the domain, with its ground at the start */
    const rn_probe *probes;     /* as long as the scene */
    int probe_count;
    const rn_parameter *parameters; /* as they are in this scene, as long as it */
    int parameter_count;
} rn_scene_info;

/* A failure names the file and the line or key, what was wrong and what would be right. */
RN_API rn_result rn_scene_open(const rn_scene_def *def, rn_scene **scene);
RN_API void rn_scene_close(rn_scene *scene);
RN_API rn_scene_info rn_scene_describe(const rn_scene *scene);
/* Owned by the scene. */
RN_API rn_world *rn_scene_world(rn_scene *scene);
/* The solid that its terrain was made of, for rn_ground_mesh_def; NULL unless rn_scene_def.keep_solid. Owned by the
   scene. */
RN_API const rn_sdf *rn_scene_solid(const rn_scene *scene);
/* A frame: moves the solids that the scene scripts, then steps its world by frame_time. */
RN_API rn_result rn_scene_step(rn_scene *scene);
/* Writes a checkpoint: the scene as it was read and changed, and the state of its world. It needs no other file but
   those that the scene names. Written under a temporary name and renamed. */
RN_API rn_result rn_scene_save(rn_scene *scene, const char *path);
/* Title and text alone, without building anything; copied into the caller's buffers. */
RN_API rn_result rn_scene_peek(const char *path, char *title, size_t title_size, char *about, size_t about_size);
/* Its parameters in the same way; *count may be 0. */
RN_API rn_result rn_scene_peek_parameters(const char *path, rn_parameter parameters[RN_MOST_PARAMETERS], int *count);

/* The scene format, made from the very tables that scenes are read by: a JSON Schema (draft 2020-12) for editors, and a
   Markdown page for people. Free the text with rn_scene_text_free. */
RN_API rn_result rn_scene_schema(char **text);
RN_API rn_result rn_scene_reference(char **text);
RN_API void rn_scene_text_free(char *text);

/* An 8 or 16 bit grey PNG as heights: black is `low`, white is `high` (m). Row 0 of the result is the
   picture's lowest row (south). Free the heights with rn_heightmap_free. */
typedef struct rn_heightmap {
    float *heights; /* m, row by row, x fastest */
    int width, height;
} rn_heightmap;

RN_API rn_result rn_heightmap_load(const char *path, double low, double high, rn_heightmap *map);
RN_API void rn_heightmap_free(rn_heightmap *map);

/* 8 bit sRGB, rows from the top. Written under a temporary name and renamed. */
RN_API rn_result rn_png_write(const char *path, const uint8_t *rgb, int width, int height);
/* The same in as few bytes as PNG can, for pictures that are kept: many times as slow. */
RN_API rn_result rn_png_write_small(const char *path, const uint8_t *rgb, int width, int height);

/* A mesh as a file, of the kind that the end of its name tells: .ply (binary: positions and, as far as there are such,
   normals, colours, opacity, velocities and ids), .obj (text: positions and normals), .glb (binary glTF, y up:
   positions, normals, opacity, velocities) or .vtp (VTK XML, binary: all). z is up but in .glb, metres. Written under a
   temporary name and renamed. */
RN_API rn_result rn_mesh_write(const char *path, const rn_mesh *mesh);

/* ---- Runs for other tools -------------------------------------------------------------------------------------

   One call for each frame, and any number of kinds of files besides each other. docs/exports.md has what is in them
   and what opens them. */

/* What a kind of file is made of. */
typedef enum rn_export_needs {
    RN_EXPORT_MESHES = 1,  /* rn_export_frame.surface and ground */
    RN_EXPORT_COLUMNS = 2, /* rn_export_frame.columns */
    RN_EXPORT_WATCH = 4,   /* rn_export_watch after every step, also of frames that are not written */
} rn_export_needs;

typedef struct rn_export_kind {
    const char *name;    /* "ply" */
    const char *about;   /* a few words */
    const char *files;   /* what is written, separated by spaces; # is the number of a frame, of four digits or more: of
                            each, or of the first where one file holds them all */
    unsigned needs;      /* of rn_export_needs */
    bool turns;          /* takes rn_export_def.unit and y_up; others have what their format says, or metres, z up */
    const char *without; /* the library that this build lacks for it; NULL: it can be written */
} rn_export_kind;

/* The kinds, in order; NULL past the last. */
RN_API const rn_export_kind *rn_export_kind_at(int index);
/* Adds "ply,usda" to a set of kinds, bit by bit as of rn_export_kind_at. RN_INVALID: there is no such, or none in this
   build. */
RN_API rn_result rn_export_choose(const char *names, uint32_t *kinds);
/* All that these kinds need, of rn_export_needs. */
RN_API unsigned rn_export_needed(uint32_t kinds);
/* The number of a frame that an export gives a file of this name, without folder: 0 if it gives none, -1 if it writes
   no such file. */
RN_API int rn_export_file_frame(const char *name);

/* Zero means default. */
typedef struct rn_export_def {
    const char *folder; /* must be there */
    uint32_t kinds;     /* of rn_export_choose */
    const char *title;  /* one line; may be NULL */
    int first_frame;    /* what files of many frames are called by */
    double frame_time;  /* s, from one frame number to the next; default 1/24 */

    /* For materials. */
    rn_liquid liquid;
    double full_depth; /* m, of rn_surface_def; default that of the liquid */
    rn_vec3 ground;    /* colour of the ground, linear 0..1; all 0: warm grey */
    double gloss;      /* of the ground, 0 to 1 */

    /* For meshes whose kind turns. */
    double unit; /* m; default 1; 0.001: they are in millimetres */
    bool y_up;   /* default z */

    /* For columns. */
    double cell_size, origin_x, origin_y; /* m, of rn_world_info, finer than columns tell them; default those */
    double wet_depth;                     /* m: liquid has arrived where it is deeper; default 0 */
    const char *crs;                      /* WKT of what coordinates count in; NULL: nowhere */

    rn_hooks hooks;
} rn_export_def;

/* What is not needed may be NULL. */
typedef struct rn_export_frame {
    int number;  /* larger than that of the frame before */
    double time; /* s, later than that of the frame before */
    const rn_mesh *surface;
    const rn_mesh *ground; /* NULL: as in the frame before; required in the first */
    const rn_surface_columns *columns;
} rn_export_frame;

typedef struct rn_export rn_export;

RN_API rn_result rn_export_open(const rn_export_def *def, rn_export **export_);
/* Writes a frame. If it fails, what was written before is left, and closing finishes it. */
RN_API rn_result rn_export_add(rn_export *export_, const rn_export_frame *frame);
/* Takes note of how deep the liquid is, for maxima. May be called while another thread is in rn_export_add. */
RN_API rn_result rn_export_watch(rn_export *export_, double time, const rn_surface_columns *columns);
/* Finishes files of many frames, and frees the export whether that succeeds or not. */
RN_API rn_result rn_export_close(rn_export *export_);

#ifdef __cplusplus
}
#endif

#endif
