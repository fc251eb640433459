/* Files: scenes, heightmaps, meshes and pictures. The only part of runnel that opens any. */
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
    const char *geometry;   /* a file in place of that of the first mesh or heightmap in the scene that has one; counts
                               from the current folder */
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

typedef enum rn_up { RN_UP_UNKNOWN, RN_UP_X, RN_UP_MINUS_X, RN_UP_Y, RN_UP_MINUS_Y, RN_UP_Z, RN_UP_MINUS_Z } rn_up;

/* The triangles of a file, as they are there: nothing is joined, mended or left out, so that an index may name a vertex
   that is not there, and a coordinate need not be finite. rn_sdf_mesh takes them so. */
typedef struct rn_mesh_file {
    const float *positions;  /* x y z of each vertex, where its node puts it; in the file's unit */
    const uint32_t *indices; /* three per triangle */
    uint32_t vertex_count, triangle_count;
    uint32_t parts; /* meshes of the file, counted as often as they are placed */
    double unit;    /* m, what 1 stands for by the format; 0: the format does not say */
    rn_up up;       /* by the format */
    char format[64];
    void *memory; /* that holds the arrays */
} rn_mesh_file;

/* OBJ, STL, PLY, glTF and whatever else assimp reads. It is read in a process of its own where there is fork: a damaged
   file cannot take the program down, nor more than 10 s and 1 GiB. Polygons are cut into triangles; points and lines
   are left out. Fails with RN_UNSUPPORTED in a build without assimp. Free with rn_mesh_file_free. */
RN_API rn_result rn_mesh_read(const char *path, rn_mesh_file *mesh);
RN_API void rn_mesh_file_free(rn_mesh_file *mesh);

/* How the vertices of a mesh move: a point cache (.pc2) of frames, or the first animation of a mesh file, whose nodes
   are moved, turned and scaled between keys (glTF's LINEAR and STEP). Bones, morph targets and splines are refused. */
typedef struct rn_motion rn_motion;

/* Point caches count in frames; 0 of them in a second: 24. They are held whole, 512 MiB at most. What holds for
   rn_mesh_read holds for mesh files here too; the vertices are those that it gives, in its order. */
RN_API rn_result rn_motion_read(const char *path, double frames_per_second, rn_motion **motion);
RN_API void rn_motion_free(rn_motion *motion);
RN_API uint32_t rn_motion_vertices(const rn_motion *motion);
RN_API double rn_motion_duration(const rn_motion *motion); /* s, from the start, at 0, to the last frame or key */
/* Writes x y z of every vertex, in the file's unit, for rn_world_deform_solid. Before the start and after the end it
   stands still, or it begins anew: what is to loop ends as it began. Not from several threads at once. */
RN_API void rn_motion_at(rn_motion *motion, double time, bool loop, float *positions);

/* 8 bit sRGB, rows from the top. Written under a temporary name and renamed. */
RN_API rn_result rn_png_write(const char *path, const uint8_t *rgb, int width, int height);
/* The same in as few bytes as PNG can, for pictures that are kept: many times as slow. */
RN_API rn_result rn_png_write_small(const char *path, const uint8_t *rgb, int width, int height);

/* A mesh as a file, of the kind that the end of its name tells: .ply (binary, little-endian: positions and, as far as
   there are such, normals, colours, opacity, velocities and ids) or .obj (text: positions and normals). z is up,
   metres. Written under a temporary name and renamed. */
RN_API rn_result rn_mesh_write(const char *path, const rn_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
