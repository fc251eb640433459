/* Files: scenes, heightmaps, meshes, volumes, pictures, and runs for other tools. The only part of runnel that opens
 * any. */
#ifndef RUNNEL_IO_H
#define RUNNEL_IO_H

#include <runnel/render.h>
#include <runnel/skin.h>
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
    const char *geometry;   /* a file in place of that of the first mesh, volume or heightmap in the scene that has one;
                               counts from the current folder */
    const char *checkpoint; /* instead of these: a file of rn_scene_save, whose scene goes on from where it was */
    const char *replay_poses; /* a file of poses that moves the bodies, in place of an engine and of scripts */
    const char *record_poses; /* a file to write their poses to, see rn_scene_keep_poses */
    int threads;              /* 0: one per core */
    bool keep_solid;          /* for rn_scene_solid and rn_scene_terrain */
    rn_hooks hooks;
} rn_scene_def;

/* What a scene wants measured: a point, for rn_world_sample, or a cross-section, for rn_world_read_section. */
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
    int lost_bodies; /* that the engine has thrown out of the world, and stopped */
} rn_scene_info;

/* A failure names the file and the line or key, what was wrong and what would be right. */
RN_API rn_result rn_scene_open(const rn_scene_def *def, rn_scene **scene);
RN_API void rn_scene_close(rn_scene *scene);
RN_API rn_scene_info rn_scene_describe(const rn_scene *scene);
/* Owned by the scene. */
RN_API rn_world *rn_scene_world(rn_scene *scene);
/* The solid that its terrain was made of, for rn_ground_mesh_def; NULL unless rn_scene_def.keep_solid, or bodies fall
   on it. Owned by the scene. */
RN_API const rn_sdf *rn_scene_solid(const rn_scene *scene);
/* How its world is drawn: rn_skin_default with the solid, the full depth and the choppiness of the scene. Valid as long
   as the scene. */
RN_API rn_skin_def rn_scene_skin(rn_scene *scene);
/* The columns that its world was made of, for rn_terrain_survey; otherwise as rn_scene_solid. */
RN_API const rn_terrain *rn_scene_terrain(const rn_scene *scene);
/* A frame: moves the solids that the scene scripts and its bodies, then steps its world by frame_time. */
RN_API rn_result rn_scene_step(rn_scene *scene);
/* Changes a value while the scene runs, as rn_scene_def.set does before it starts: "gravity=[1, 0, -9.7]",
   "friction=0.9", "liquid.viscosity=4e-5", "liquid=honey", "courant=5". Only gravity, liquid, friction, courant,
   packets.courant and max_substeps can; see the setters of world.h. Checkpoints hold the change. If it fails, nothing
   has changed. */
RN_API rn_result rn_scene_set(rn_scene *scene, const char *change);
/* Brings in one more body: a JSON object as in the list "bodies" of a scene, with any "start". An engine is started if
   the body needs one. The scene must have been opened with keep_solid. Checkpoints hold the body. */
RN_API rn_result rn_scene_add_body(rn_scene *scene, const char *json);
/* A force (N) at the centre of mass of a dynamic body and a torque (N m), throughout the next rn_scene_step. `body`:
   its number in the world. */
RN_API rn_result rn_scene_push_body(rn_scene *scene, int body, rn_vec3 force, rn_vec3 torque);
/* The scene as JSON, as it was read and has been changed since. Free the text with rn_scene_text_free. */
RN_API rn_result rn_scene_text(const rn_scene *scene, char **text);
/* The file that it was read from, also where it goes on from a checkpoint. As long as the scene. */
RN_API const char *rn_scene_path(const rn_scene *scene);
/* Finishes the file of rn_scene_def.record_poses, which a scene that is closed without this does not leave. With it as
   replay_poses the same liquid flows, to the bit, on any machine. docs/bodies.md has what is in it. */
RN_API rn_result rn_scene_keep_poses(rn_scene *scene);
/* Writes a checkpoint: the scene as it was read and changed, and the state of its world. It needs no other file but
   those that the scene names. Written under a temporary name and renamed. */
RN_API rn_result rn_scene_save(rn_scene *scene, const char *path);
/* Title and text alone, without building anything; copied into the caller's buffers. */
RN_API rn_result rn_scene_preview(const char *path, char *title, size_t title_size, char *about, size_t about_size);
/* Its parameters in the same way; *count may be 0. */
RN_API rn_result rn_scene_preview_parameters(const char *path, rn_parameter parameters[RN_MOST_PARAMETERS], int *count);

/* The scene format, made from the very tables that scenes are read by: a JSON Schema (draft 2020-12) for editors, and a
   Markdown page for people. Free the text with rn_scene_text_free. */
RN_API rn_result rn_scene_schema(char **text);
RN_API rn_result rn_scene_reference(char **text);
RN_API void rn_scene_text_free(char *text);

/* Heights in a grid. */
typedef struct rn_heightmap {
    float *heights; /* m, row by row, x fastest; row 0 is the southernmost */
    int width, height;
    double spacing_x, spacing_y; /* m, between heights; 0: the file does not say */
    double west, south;          /* outer corner of the map in the file's own coordinates; 0 if it has none */
    char reference[64];          /* of those coordinates: "EPSG:32613", or their name; "" if the file does not say */
    int64_t missing;             /* heights that the file did not have, and that were made up */
} rn_heightmap;

/* An 8 or 16 bit grey PNG as heights: black is `low`, white is `high` (m). Row 0 of the result is the
   picture's lowest row (south). Free the heights with rn_heightmap_free. */
RN_API rn_result rn_heightmap_load(const char *path, double low, double high, rn_heightmap *map);
RN_API void rn_heightmap_free(rn_heightmap *map);

/* What stands where a file has no heights. */
typedef enum rn_missing {
    RN_MISSING_AROUND,  /* what the ground around it suggests, smoothly */
    RN_MISSING_LOWEST,  /* the lowest height there is */
    RN_MISSING_HIGHEST, /* the highest: a wall */
    RN_MISSING_NAN,     /* nothing: such heights are NAN */
} rn_missing;

typedef struct rn_heightmap_def {
    const char *path;
    double low, high;   /* m, of black and white in a PNG; default 0 and 1 */
    double grey_level;  /* m, of one grey level of a PNG above `low`, in place of `high`; 0: that is not known */
    double spacing;     /* m, between the file's heights, in place of what it says; 0: as it says */
    double crop[4];     /* m, west, south, east and north end of what is read, from the south-west corner; pixels that
                           it cuts are kept; all 0: everything */
    double resample;    /* m, between heights of the result: averages where that is coarser than the file, straight
                           lines where it is finer; 0: as they are */
    double nodata;      /* height that means that there is none, besides what the file says; NAN: no such */
    rn_missing missing; /* default RN_MISSING_AROUND */
    int64_t most;       /* heights; of a larger map averages are taken; default 2^24 */
    rn_hooks hooks;     /* log is told what was assumed and made up; heights do not come from alloc */
} rn_heightmap_def;

RN_API rn_heightmap_def rn_heightmap_default(void);
/* A PNG as above, or a digital elevation model: GeoTIFF, ESRI ASCII, SRTM (.hgt) and others that GDAL reads. That is
   done in a process of its own, within 10 s of processor time and 1 GiB. Pixel sizes in degrees become metres at the
   map's middle latitude. Fails with RN_UNSUPPORTED where there is no GDAL. docs/terrains.md has more. */
RN_API rn_result rn_heightmap_read(const rn_heightmap_def *def, rn_heightmap *map);

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
   file cannot take the program down, nor more than 10 s of processor time and 1 GiB. Polygons are cut into triangles;
   points and lines are left out. Fails with RN_UNSUPPORTED in a build without assimp. Free with rn_mesh_file_free. */
RN_API rn_result rn_mesh_read(const char *path, rn_mesh_file *mesh);
RN_API void rn_mesh_file_free(rn_mesh_file *mesh);

/* How the vertices of a mesh move: a point cache (.pc2) of frames, or the first animation of a mesh file, whose nodes
   are moved, turned and scaled between keys (glTF's LINEAR and STEP). Bones, morph targets and splines are refused. */
typedef struct rn_motion rn_motion;

/* Point caches count in frames; 0 of them in a second: 24. They are held whole, 512 MiB at most. What holds for
   rn_mesh_read holds for mesh files here too; the vertices are those that it gives, in its order. */
RN_API rn_result rn_motion_read(const char *path, double frames_per_second, rn_motion **motion);
RN_API void rn_motion_free(rn_motion *motion);
RN_API uint32_t rn_motion_vertex_count(const rn_motion *motion);
RN_API double rn_motion_duration(const rn_motion *motion); /* s, from the start, at 0, to the last frame or key */
/* Writes x y z of every vertex, in the file's unit, for rn_world_deform_solid. Before the start and after the end it
   stands still, or it begins anew: what is to loop ends as it began. Not from several threads at once. */
RN_API void rn_motion_sample(rn_motion *motion, double time, bool loop, float *positions);

/* What a volume is: samples in a lattice, as scanners and level sets have them. */
typedef struct rn_volume_info {
    char format[64];
    int cells[3];           /* samples along each axis */
    double spacing[3];      /* between them, in the file's unit */
    double transform[3][4]; /* rows that take the indices x y z 1 of a sample to the file's unit: x to the patient's
                               right, y to the front, z to the head, where the file says how it lies */
    double unit;            /* m, what 1 stands for; 0: the format does not say */
    rn_up up;
    double least, most; /* of its finite values */
    int64_t non_finite; /* samples that are not finite; they count as empty */
    int64_t volumes;    /* that the file has one after the other, of which the first is taken */
    bool oriented;      /* false: it does not say how it lies, and its axes are taken for x, y and z */
    bool whole;         /* all values are whole numbers: it may be a map of labels */
    bool level_set;     /* distances, negative inside */
    int factors[3]; /* samples that were averaged along each axis; 1 unless it is large, or a spacing is asked for */
} rn_volume_info;

/* Notes about what was read as sentences, one by one: false past the last. */
RN_API bool rn_volume_info_line(const rn_volume_info *info, int index, char *text, size_t size);

/* NIfTI (.nii, .nii.gz, .hdr with .img), NRRD (.nrrd, .nhdr) and NanoVDB (.nvdb), each read in a process of its own,
   like meshes; RN_UNSUPPORTED in a build without the library for it. */
RN_API rn_result rn_volume_inspect(const char *path, rn_volume_info *info);

/* What is solid in a volume. Give an iso-value or labels; a level set needs neither. */
typedef struct rn_volume_def {
    double iso; /* the value of the surface, NaN: none; of a level set, m or whatever its unit is, default 0 */
    bool below; /* solid is below the iso-value rather than above; a level set is always so */
    const int32_t *labels; /* values that are solid, in place of an iso-value */
    int label_count;
    double smoothing; /* of labels: width of a Gaussian, in samples; default 0.8; 0: their steps are kept */
    double unit;      /* m, that 1 in the file stands for; default 0: what the format says, else 1 */
    double spacing;   /* m, to which samples are averaged; default 0: none are, unless there are more than 64 million */
    double least_part; /* m^3; smaller islands, and cavities within the solid, are left out; default 0 */
} rn_volume_def;

RN_API rn_volume_def rn_volume_default(void);

/* The surface of the solid as triangles, closed, for rn_sdf_mesh. It ends half a spacing beyond the outermost samples.
   Free with rn_mesh_file_free. `info` may be NULL. */
RN_API rn_result rn_volume_read(const char *path, const rn_volume_def *def, rn_mesh_file *mesh, rn_volume_info *info);

/* 8 bit sRGB, rows from the top. Written under a temporary name and renamed. */
RN_API rn_result rn_png_write(const char *path, const uint8_t *rgb, int width, int height);
/* The same in as few bytes as PNG can, for pictures that are kept: many times as slow. */
RN_API rn_result rn_png_write_small(const char *path, const uint8_t *rgb, int width, int height);

/* A mesh as a file, of the kind that the end of its name tells: .ply (binary: positions and, as far as there are such,
   normals, colours, opacity, velocities and ids), .obj (text: positions and normals), .glb (binary glTF, y up:
   positions, normals, colours, opacity, velocities) or .vtp (VTK XML, binary: all). z is up but in .glb, metres.
   Written under a temporary name and renamed. */
RN_API rn_result rn_mesh_write(const char *path, const rn_mesh *mesh);

/* ---- Runs for other tools -------------------------------------------------------------------------------------

   One call for each frame, and any number of kinds of files besides each other. docs/exports.md has what is in them
   and what opens them. */

/* What a kind of file is made of. */
typedef enum rn_export_needs {
    RN_EXPORT_MESHES = 1,  /* rn_export_frame.surface, ground and bodies */
    RN_EXPORT_COLUMNS = 2, /* rn_export_frame.columns */
    RN_EXPORT_WATCH = 4,   /* rn_export_add_columns after every step, also of frames that are not written */
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
    const rn_mesh *bodies; /* all of them where they are, as of rn_skin_bodies; NULL: there are none, nor have been */
    const rn_surface_columns *columns;
} rn_export_frame;

typedef struct rn_export rn_export;

RN_API rn_result rn_export_open(const rn_export_def *def, rn_export **export_);
/* Writes a frame. If it fails, what was written before is left, and closing finishes it. */
RN_API rn_result rn_export_add(rn_export *export_, const rn_export_frame *frame);
/* Takes note of how deep the liquid is, for maxima. May be called while another thread is in rn_export_add. */
RN_API rn_result rn_export_add_columns(rn_export *export_, double time, const rn_surface_columns *columns);
/* Finishes files of many frames, and frees the export whether that succeeds or not. */
RN_API rn_result rn_export_close(rn_export *export_);

#ifdef __cplusplus
}
#endif

#endif
