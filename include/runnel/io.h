/* Files: scenes, heightmaps, meshes, volumes, pictures, and exports for other tools. No other part of runnel opens
   files. */
#ifndef RUNNEL_IO_H
#define RUNNEL_IO_H

#include <runnel/render.h>
#include <runnel/skin.h>
#include <runnel/surface.h>
#include <runnel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scene file that has been read, checked and built into a world. */
typedef struct rn_scene rn_scene;

/* A number that a scene defines in "parameters" and uses in its expressions ("=2 * length"). */
enum { RN_LONGEST_PARAMETER = 32, RN_MOST_PARAMETERS = 64 };

typedef struct rn_parameter {
    char name[RN_LONGEST_PARAMETER];
    double value;
} rn_parameter;

typedef struct rn_scene_def {
    const char *path;       /* of a JSON file */
    const char *const *set; /* changes made before checking: "liquid.viscosity=4e-5", "sources.0.rate=1e-6" */
    int set_count;
    const rn_parameter *parameters; /* values that replace those of the scene's parameters */
    int parameter_count;
    const char *geometry; /* a file that replaces the one of the first mesh, volume or heightmap in the scene; relative
                             to the current folder. RN_INVALID: a terrain of quite another size than that one and
                             the domain */
    const char *checkpoint;   /* instead of `path`: a file of rn_scene_save; the run continues from it. `set` still
                             applies; RN_INVALID if parameters or geometry are given too */
    const char *replay_poses; /* a file of poses that moves the bodies, in place of an engine or scripts */
    const char *record_poses; /* a file to write the poses of bodies to, see rn_scene_keep_poses */
    int threads;              /* 0: one per core */
    const char *backend;      /* NULL: that of the scene; otherwise as in rn_world_def */
    bool keep_solid;          /* keeps the solid for rn_scene_solid and rn_scene_terrain */
    rn_hooks hooks;
} rn_scene_def;

/* A measurement that a scene asks for: a point, for rn_world_sample, or a cross-section, for rn_world_read_section. */
typedef struct rn_probe {
    char name[64];
    bool is_section;
    rn_vec3 at;  /* m, the point */
    int section; /* the number of the cross-section */
} rn_probe;

/* Where a scene lies on a map: a point x, y, z of the scene (m) has the coordinates origin[0] + scale[0] * x and
   origin[1] + scale[1] * y of the coordinate system, and the height origin[2] + z (m). */
typedef struct rn_georeference {
    const char *crs;  /* the coordinate system as WKT, or a code such as "EPSG:32613"; NULL: unknown */
    double origin[3]; /* of the scene, in units of the coordinate system; its height in m */
    double scale[2];  /* units of the coordinate system in a metre of the scene, along x and y; 0: the scene lies
                         nowhere */
} rn_georeference;

/* A named camera of a scene. */
typedef struct rn_scene_view {
    char name[64];
    rn_orbit orbit;
} rn_scene_view;

typedef struct rn_scene_info {
    const char *name;  /* the file's name without folder and extension */
    const char *title; /* one line */
    const char *about; /* a paragraph */
    bool ground_moves; /* it has solids that move, deform or sculpt */
    int frames;        /* how many frames to run */
    int frame;         /* how many frames rn_scene_step has run */
    double frame_time; /* s of simulated time per frame */
    double poster;     /* s after the start, when one picture shows the scene best; 0: at its end */
    rn_top_view_def view;
    rn_look look;
    const rn_scene_view *views; /* the scene's own views, the first of which is the initial one; then "orbit", "top" and
                                   "turntable" unless the scene defines them; valid as long as the scene */
    int view_count;             /* at least 3 */
    rn_vec3 low, high;          /* m, corners of the box that views show: the domain and its initial ground */
    const rn_probe *probes;     /* valid as long as the scene */
    int probe_count;
    const rn_parameter *parameters; /* with the values of this scene; valid as long as the scene */
    int parameter_count;
    int lost_bodies;              /* bodies that the engine threw out of the world and stopped */
    rn_georeference georeference; /* from the key "georeference", or the file of the ground; its text is valid as long
                                     as the scene */
} rn_scene_info;

/* Reads a scene and builds its world. On failure *scene is NULL, and rn_last_error() names the file, the line or key,
   what is wrong and what would be right. */
RN_API rn_result rn_scene_open(const rn_scene_def *def, rn_scene **scene);
/* Frees the scene and its world. NULL is allowed. */
RN_API void rn_scene_close(rn_scene *scene);
/* Name, length, views and probes of a scene, and how far it has run. */
RN_API rn_scene_info rn_scene_describe(const rn_scene *scene);
/* The scene's world, owned by the scene. */
RN_API rn_world *rn_scene_world(rn_scene *scene);
/* The solid that the terrain was made of, for rn_ground_mesh_def. NULL unless rn_scene_def.keep_solid is set or the
   scene's bodies fall on the solid. Owned by the scene. */
RN_API const rn_sdf *rn_scene_solid(const rn_scene *scene);
/* Returns a definition of how the world is drawn: rn_skin_default with the solid, full depth and choppiness of the
   scene. Its pointers are valid as long as the scene. */
RN_API rn_skin_def rn_scene_skin(rn_scene *scene);
/* The terrain that the world was made of, for rn_terrain_survey. NULL unless rn_scene_def.keep_solid is set or the
   scene's bodies fall on the solid. Owned by the scene. */
RN_API const rn_terrain *rn_scene_terrain(const rn_scene *scene);
/* Runs one frame: moves scripted solids and bodies, steps the world by frame_time, then adds the bodies whose start has
   come. On failure solids and bodies may have moved. */
RN_API rn_result rn_scene_step(rn_scene *scene);
/* Changes a value while the scene runs, as rn_scene_def.set does before it starts: "gravity=[1, 0, -9.7]",
   "friction=0.9", "liquid.viscosity=4e-5", "liquid=honey", "courant=5". Only gravity, liquid, friction, courant,
   packets.courant and max_substeps can; see the setters of world.h. Checkpoints hold the change. If it fails, nothing
   has changed. */
RN_API rn_result rn_scene_set(rn_scene *scene, const char *change);
/* Brings in one more body, now: a JSON object as in the list "bodies" of a scene, whose "start" does not matter. An
   engine is started if the body needs one. Checkpoints hold the body. Returns RN_FORMAT if `json` is not a JSON object.
   Returns RN_INVALID if a value is invalid, the object has copies, poses are recorded or replayed, or the scene has
   neither been opened with keep_solid nor has dynamic bodies. On failure there is no such body. */
RN_API rn_result rn_scene_add_body(rn_scene *scene, const char *json);
/* Applies a force (N) at the centre of mass of a dynamic body and a torque (N m), throughout the next rn_scene_step.
   `body`: its number in the world. Returns RN_INVALID if the scene has no engine, or the body is not in it. */
RN_API rn_result rn_scene_push_body(rn_scene *scene, int body, rn_vec3 force, rn_vec3 torque);
/* Sets *text to the scene as JSON, as it was read and has been changed since. Free the text with rn_scene_text_free. On
   failure *text is NULL. */
RN_API rn_result rn_scene_text(const rn_scene *scene, char **text);
/* The path of the JSON file that the scene was read from; for a scene that continues from a checkpoint, that of the
   original file. Valid as long as the scene. */
RN_API const char *rn_scene_path(const rn_scene *scene);
/* Finishes the file of rn_scene_def.record_poses; without this call, closing the scene leaves no such file. Later
   frames are not recorded. Does nothing if none is being written. Returns RN_FILE on failure; then an earlier file
   stays as it was. Replayed with replay_poses, the file gives the same liquid, to the bit, on any machine.
   docs/bodies.md describes the format. */
RN_API rn_result rn_scene_keep_poses(rn_scene *scene);
/* Writes a checkpoint: the scene as it was read and changed, and the state of its world. To continue, it needs no other
   files than those that the scene names. Written under a temporary name and renamed, so that a failure leaves an
   earlier file as it was. */
RN_API rn_result rn_scene_save(rn_scene *scene, const char *path);
/* Reads only title and description of a scene file, into the caller's buffers, cut to their sizes (bytes; 0: not
   wanted); "" if the scene has none. Builds nothing. On failure the buffers are unchanged. */
RN_API rn_result rn_scene_preview(const char *path, char *title, size_t title_size, char *about, size_t about_size);
/* Reads only the parameters of a scene file, *count of them; 0 if it has none, if one is not a plain number or its name
   is too long, and on failure. */
RN_API rn_result rn_scene_preview_parameters(const char *path, rn_parameter parameters[RN_MOST_PARAMETERS], int *count);

/* Sets *text to the scene format as a JSON Schema (draft 2020-12), generated from the tables that scenes are read with.
   Free the text with rn_scene_text_free. Returns RN_MEMORY if memory runs out; then *text is NULL. */
RN_API rn_result rn_scene_schema(char **text);
/* Sets *text to the scene format as a Markdown page, generated from the tables that scenes are read with. Free the text
   with rn_scene_text_free. Returns RN_MEMORY if memory runs out; then *text is NULL. */
RN_API rn_result rn_scene_reference(char **text);
/* Frees the text of rn_scene_text, rn_scene_schema or rn_scene_reference. NULL is allowed. */
RN_API void rn_scene_text_free(char *text);

/* A grid of heights. */
typedef struct rn_heightmap {
    float *heights; /* m, row by row, x fastest; row 0 is the southernmost */
    int width, height;
    double spacing_x, spacing_y; /* m, between heights; 0: the file does not say */
    double west, south;          /* outer corner of the map in the coordinates of the file; 0 if it has none */
    double units_x, units_y;     /* of the coordinates of the file in a metre; 0 if it has none */
    char reference[64]; /* coordinate system of the file: "EPSG:32613", or a name; "" if the file does not say */
    char *crs;          /* the same as WKT, freed with the heights; NULL if the file does not say */
    int64_t missing;    /* heights that were missing in the file and have been filled in */
} rn_heightmap;

/* Reads an 8 or 16 bit grey PNG as heights: black is `low`, white is `high` (m). A coloured picture counts by its
   brightness. Row 0 of the result is the lowest row of the picture (south); its spacing is 0, unknown. Free the heights
   with rn_heightmap_free. Returns RN_INVALID if `low` or `high` is not finite. On failure *map is all 0. */
RN_API rn_result rn_heightmap_load(const char *path, double low, double high, rn_heightmap *map);
/* Frees the heights and zeroes the struct. */
RN_API void rn_heightmap_free(rn_heightmap *map);

/* Reads a PNG picture of at most 8192 by 8192 pixels as the pixels of a texture; set low and high afterwards. Free it
   with rn_texture_free. On failure *texture is all 0. */
RN_API rn_result rn_texture_load(const char *path, rn_texture *texture);
/* Frees the pixels of a texture that rn_texture_load has read, and zeroes the struct. */
RN_API void rn_texture_free(rn_texture *texture);

/* What to put where a file has no height. */
typedef enum rn_missing {
    RN_MISSING_AROUND,  /* a smooth continuation of the ground around */
    RN_MISSING_LOWEST,  /* the lowest height of the map */
    RN_MISSING_HIGHEST, /* the highest height of the map: a wall */
    RN_MISSING_NAN,     /* NAN */
} rn_missing;

typedef struct rn_heightmap_def {
    const char *path;
    double low, high;  /* m, heights of black and white in a PNG; default 0 and 1 */
    double grey_level; /* m per grey level of a PNG above `low`, in place of `high`; 0: use `high` */
    double spacing;    /* m between the file's heights, in place of its own value; 0: as in the file */
    double crop[4];  /* m from the south-west corner: west, south, east and north end of the part to read; pixels on the
                        border are kept; all 0: everything */
    double resample; /* m between heights of the result: averaged if coarser than the file, interpolated linearly if
                        finer; 0: as in the file */
    double nodata;   /* a height that means "missing", besides the file's own; NAN: none */
    rn_missing missing; /* default RN_MISSING_AROUND */
    int64_t most;       /* most heights of the result; a larger map is averaged; default 2^24 */
    rn_hooks hooks; /* the log gets a line on each assumption and on filled heights; the heights themselves do not come
                       from alloc */
} rn_heightmap_def;

/* A definition with all defaults; only the path is missing. */
RN_API rn_heightmap_def rn_heightmap_default(void);
/* Reads a grey PNG, as rn_heightmap_load does, or a digital elevation model: GeoTIFF, ESRI ASCII, SRTM (.hgt) and
   whatever else GDAL reads. GDAL runs in a separate process, limited to 10 s of processor time and 1 GiB. Pixel sizes
   in degrees become metres at the map's middle latitude. Lone spikes of 500 m or more in an elevation model count as
   missing. Returns RN_FORMAT if all heights are missing. Free the heights with rn_heightmap_free. On failure *map is
   all 0. Returns RN_UNSUPPORTED if the file needs GDAL and this build has none. docs/terrains.md has more. */
RN_API rn_result rn_heightmap_read(const rn_heightmap_def *def, rn_heightmap *map);

/* Which axis of a file points up. */
typedef enum rn_up { RN_UP_UNKNOWN, RN_UP_X, RN_UP_MINUS_X, RN_UP_Y, RN_UP_MINUS_Y, RN_UP_Z, RN_UP_MINUS_Z } rn_up;

enum { RN_MESH_WARNING = 160 }; /* bytes of a remark about a mesh file */

/* The triangles of a file as they are: nothing is merged, mended or dropped. Indices may be out of range and
   coordinates may not be finite; rn_sdf_mesh accepts both. */
typedef struct rn_mesh_file {
    const float *positions;  /* x y z of each vertex, after the transforms of its nodes, less `origin`; in the file's
                                unit */
    const uint32_t *indices; /* three per triangle */
    uint32_t vertex_count, triangle_count;
    uint32_t parts;   /* meshes of the file, each counted as often as it is placed */
    double unit;      /* m per unit of the file; 0: the format does not say */
    rn_up up;         /* as the format defines it */
    double origin[3]; /* whole numbers, in the file's unit: a point near a mesh that lies far from 0, such as one in the
                         coordinates of a survey, whose shape floats would round; else 0 */
    char format[64];
    char warning[RN_MESH_WARNING]; /* what is odd about the file: "ends without …"; "": nothing */
    void *memory;                  /* owns the arrays */
} rn_mesh_file;

/* Reads OBJ, STL, PLY and OFF, and glTF and whatever else assimp reads. Where fork exists it runs in a separate
   process, limited to 10 s of processor time and 1 GiB, so that a damaged file cannot crash the program. Polygons are
   cut into triangles; points and lines are dropped. Returns RN_UNSUPPORTED if the file needs assimp and this build has
   none. Free with rn_mesh_file_free. On failure *mesh is all 0. */
RN_API rn_result rn_mesh_read(const char *path, rn_mesh_file *mesh);
/* Frees the arrays and zeroes the struct. */
RN_API void rn_mesh_file_free(rn_mesh_file *mesh);

/* How the vertices of a mesh move: the frames of a point cache (.pc2), or the first animation of a mesh file, whose
   nodes move, rotate and scale between keys (glTF's LINEAR and STEP). Bones, morph targets and splines are refused. */
typedef struct rn_motion rn_motion;

/* Reads a motion. `frames_per_second` is for point caches, 0: 24, RN_INVALID if it is negative or above 1e6; they are
   loaded whole, 512 MiB at most. Mesh files are read with the limits of rn_mesh_read, and their vertices are in the
   same order as there. Free with rn_motion_free. On failure *motion is NULL. */
RN_API rn_result rn_motion_read(const char *path, double frames_per_second, rn_motion **motion);
/* NULL is allowed. */
RN_API void rn_motion_free(rn_motion *motion);
RN_API uint32_t rn_motion_vertex_count(const rn_motion *motion);
RN_API double rn_motion_duration(const rn_motion *motion); /* s, from the start at 0 to the last frame or key */
/* Writes x y z of every vertex at a time (s), in the file's unit, for rn_world_deform_solid. Outside 0 to the duration
   the motion repeats if `loop` is set; otherwise the first or last frame is held. A motion that loops should end as it
   begins. Sample a motion from one thread at a time. */
RN_API void rn_motion_sample(rn_motion *motion, double time, bool loop, float *positions);

/* What a volume file holds: samples on a lattice, from a scanner or a level set. */
typedef struct rn_volume_info {
    char format[64];
    int cells[3];           /* samples along each axis */
    double spacing[3];      /* between samples, in the file's unit */
    double transform[3][4]; /* rows that take the indices x y z 1 of a sample to the file's unit; if the file has an
                               orientation: x to the patient's right, y to the front, z to the head */
    double unit;            /* m per unit of the file; 0: the format does not say */
    rn_up up;
    double least, most; /* of the finite values */
    int64_t non_finite; /* samples that are not finite; they count as empty */
    int64_t volumes;    /* how many volumes the file holds; only the first is read */
    bool oriented;      /* false: the file has no orientation, and its axes are taken as x, y and z */
    bool whole;         /* all values are whole numbers: perhaps a map of labels */
    bool level_set;     /* distances, negative inside */
    int factors[3];     /* samples averaged along each axis; 1 unless the volume is large or a spacing was asked for */
} rn_volume_info;

/* Writes remark `index`, from 0, about a volume into `text`, cut to `size` bytes. Returns false past the last one. */
RN_API bool rn_volume_info_line(const rn_volume_info *info, int index, char *text, size_t size);

/* Reads what is in a NIfTI (.nii, .nii.gz, .hdr with .img), NRRD (.nrrd, .nhdr) or NanoVDB (.nvdb) file. Each is read
   in a separate process, like meshes, but limited to 60 s of processor time and 3 GiB. Returns RN_UNSUPPORTED in a
   build without its library. On failure *info is all 0. */
RN_API rn_result rn_volume_inspect(const char *path, rn_volume_info *info);

/* Which part of a volume is solid: give an iso-value or labels; a level set needs neither. */
typedef struct rn_volume_def {
    double iso;            /* value at the surface; NaN: none; for a level set a distance in its unit, default 0 */
    bool below;            /* solid is below the iso-value instead of above; always so for a level set */
    const int32_t *labels; /* values that are solid, in place of an iso-value */
    int label_count;
    double smoothing;  /* for labels: width of a Gaussian, in samples; default 0.8; 0: steps stay */
    double unit;       /* m per unit of the file; default 0: as the format says, else 1 */
    double spacing;    /* m, samples are averaged to this spacing; default 0: no averaging unless there are more than 64
                          million samples */
    double least_part; /* m^3; islands and enclosed cavities smaller than this are dropped; default 0 */
} rn_volume_def;

/* A definition with all defaults. */
RN_API rn_volume_def rn_volume_default(void);

/* Reads a volume and finds the surface of its solid: closed triangles, for rn_sdf_mesh. The surface ends half a spacing
   beyond the outermost samples. Free with rn_mesh_file_free. `info` may be NULL. On failure *mesh is all 0, and *info
   too unless the file could be read. Returns RN_INVALID if the definition is invalid or nothing is solid. */
RN_API rn_result rn_volume_read(const char *path, const rn_volume_def *def, rn_mesh_file *mesh, rn_volume_info *info);

/* Writes a PNG of 8 bit sRGB: width*height*3 bytes, rows from the top. Written under a temporary name and renamed, so
   that a failure leaves an earlier file as it was. */
RN_API rn_result rn_png_write(const char *path, const uint8_t *rgb, int width, int height);
/* Writes a PNG like rn_png_write, but as small as possible, for pictures that are kept; many times slower. */
RN_API rn_result rn_png_write_small(const char *path, const uint8_t *rgb, int width, int height);

/* Writes a mesh; the format follows from the file extension: .ply (binary: positions and, if present, normals, colours,
   opacity, velocities and ids), .obj (text: positions, colours and normals), .glb (binary glTF, y up: positions,
   normals, colours, opacity, velocities) or .vtp (VTK XML, binary: everything). In metres, z up except in .glb. Written
   under a temporary name and renamed. Returns RN_INVALID for any other extension or an invalid mesh, or RN_LIMIT if a
   .glb would have 4 GiB or more. */
RN_API rn_result rn_mesh_write(const char *path, const rn_mesh *mesh);

/* ---- Runs for other tools -------------------------------------------------------------------------------------

   One call per frame writes any number of kinds of files. docs/exports.md says what they hold and which programs
   open them. */

/* What the caller must supply for a kind of file. */
typedef enum rn_export_needs {
    RN_EXPORT_MESHES = 1,  /* rn_export_frame.surface, ground and bodies */
    RN_EXPORT_COLUMNS = 2, /* rn_export_frame.columns */
    RN_EXPORT_WATCH = 4,   /* call rn_export_add_columns after every step, also for frames that are not written */
} rn_export_needs;

typedef struct rn_export_kind {
    const char *name;  /* "ply" */
    const char *about; /* a few words */
    const char *files; /* file names, separated by spaces; # stands for the frame number, of four digits or more: of
                          each frame, or of the first one if a single file holds all */
    unsigned needs;    /* bits of rn_export_needs */
    bool turns; /* uses rn_export_def.unit and up; other kinds have the unit and axis of their format, or metres and z
                   up */
    const char *without; /* the library that this build lacks for it; NULL: the kind can be written */
} rn_export_kind;

/* The kinds in order from 0, as static data, also those that this build cannot write, or NULL past the last. */
RN_API const rn_export_kind *rn_export_kind_at(int index);
/* Adds the kinds named in a list such as "ply,usda" to the set *kinds: bit i is kind i of rn_export_kind_at. Returns
   RN_INVALID if a kind does not exist, or does not exist in this build; kinds named before that one have been added. */
RN_API rn_result rn_export_choose(const char *names, uint32_t *kinds);
/* All bits of rn_export_needs that these kinds have. */
RN_API unsigned rn_export_needed(uint32_t kinds);
/* The frame number in the name of an exported file (without folder): 0 if its name has none, -1 if no kind writes
   such a file. */
RN_API int rn_export_file_frame(const char *name);

/* Zero means default. */
typedef struct rn_export_def {
    const char *folder; /* must exist */
    uint32_t kinds;     /* of rn_export_choose */
    const char *title;  /* one line; may be NULL */
    int first_frame;    /* the number in the names of files that hold all frames */
    double frame_time;  /* s between consecutive frame numbers; default 1/24 */

    /* For materials. */
    rn_liquid liquid;
    double full_depth; /* m, as in rn_surface_def; default that of the liquid */
    rn_vec3 ground;    /* colour of the ground, linear 0..1; all 0: warm grey */
    double gloss;      /* of the ground, 0 to 1 */

    /* For meshes of kinds that have `turns` set. */
    double unit; /* m; default 1; 0.001: coordinates are in millimetres */
    rn_up up;    /* RN_UP_Y or RN_UP_Z; default: as programs expect, y in obj, z in others */

    /* For columns. */
    double cell_size, origin_x,
        origin_y;     /* m, as in rn_world_info, more precise than those of the columns; default those of the columns */
    double wet_depth; /* m: liquid counts as arrived where it is deeper than this; default 0 */

    rn_georeference georeference; /* where the run lies on a map; default: nowhere */

    rn_hooks hooks;
} rn_export_def;

/* Meshes and columns that no chosen kind needs may be NULL. */
typedef struct rn_export_frame {
    int number;  /* larger than that of the frame before */
    double time; /* s, later than that of the frame before */
    const rn_mesh *surface;
    const rn_mesh *ground; /* NULL: unchanged since the last frame; required in the first */
    const rn_mesh *bodies; /* all bodies in place, from rn_skin_bodies; NULL: there have never been any */
    const rn_surface_columns *columns;
} rn_export_frame;

typedef struct rn_export rn_export;

/* Begins an export, and copies the definition and its coordinate system; its folder and title must stay valid until
   rn_export_close. Returns RN_INVALID if unit, up or georeference has a value that it cannot have, such as a scale
   below 0. On failure *export_ is NULL. */
RN_API rn_result rn_export_open(const rn_export_def *def, rn_export **export_);
/* Writes a frame. On failure earlier frames remain, and rn_export_close still finishes the files. */
RN_API rn_result rn_export_add(rn_export *export_, const rn_export_frame *frame);
/* Records depths at a time (s) for maxima and arrival times; does nothing unless a kind has RN_EXPORT_WATCH. May be
   called while another thread is in rn_export_add. */
RN_API rn_result rn_export_add_columns(rn_export *export_, double time, const rn_surface_columns *columns);
/* Finishes files that hold many frames, and frees the export, also on failure; the first failure is returned. NULL is
   allowed. */
RN_API rn_result rn_export_close(rn_export *export_);

#ifdef __cplusplus
}
#endif

#endif
