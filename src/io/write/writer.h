/* The interface between an export and the writers of its kinds of files, and the data that they write. Failures leave
   the reason in rn_last_error(). */
#ifndef RN_IO_WRITER_H
#define RN_IO_WRITER_H

#include "io/file/out.h"

#include <runnel/io.h>

/* ---- Data to write --------------------------------------------------------------------------------------------- */

typedef struct rn_material {
    const char *name;
    float colour[3]; /* linear 0..1 */
    float roughness, metal;
    float refraction; /* index of refraction */
    bool clear;       /* transparent where vertices are not opaque */
    bool tinted;      /* vertices have colours; its own is then white */
} rn_material;

/* Returns the material of a liquid that is opaque at full_depth (m; 0: that of the liquid, 0.01 if it never is), seen
   over light ground. */
rn_material rn_material_liquid(const rn_liquid *liquid, double full_depth);
/* Returns the material of ground; colour: linear, as rn_ground_colour takes it; gloss: 0 to 1, of which at most 0.95
   counts. */
rn_material rn_material_ground(rn_vec3 colour, double gloss);
/* Returns the material of bodies, white because their vertices have colours. */
rn_material rn_material_bodies(void);

/* How a mesh is written to a separate file. */
typedef struct rn_mesh_style {
    const rn_material *material; /* NULL: none */
    rn_axes axes;
    double time; /* s; below 0: none */
    rn_georeference georeference;
} rn_mesh_style;

/* Prints a line that begins with `word` and says how to get from the x, y, z of a file with these axes to a map;
   nothing if that is not known. */
void rn_print_origin(FILE *stream, const char *word, const rn_mesh_style *style);

/* Checks that a file could hold a mesh. Returns RN_INVALID if the mesh lacks positions or indices, or an index is that
   of no vertex; or RN_LIMIT if the mesh has too many vertices. The message begins with `path`. */
rn_result rn_mesh_check(const char *path, const rn_mesh *mesh);
/* Sets low and high to the corners of the box around a mesh's vertices, in the unit and axes of a file; both unchanged
   if there are none. */
void rn_mesh_box(const rn_mesh *mesh, const rn_axes *axes, float low[3], float high[3]);

/* The position of columns, in the coordinate system of the run if it has one, else in m. */
typedef struct rn_export_place {
    int cells_x, cells_y, layers;
    double step_x, step_y;     /* the size of a cell */
    double origin_x, origin_y; /* the outer corner of the south-west cell */
} rn_export_place;

/* Sets *wkt to a copy of the coordinate system: as GDAL's WKT, or as it is if there is no GDAL. Sets *wkt to NULL if
   crs is NULL, or if GDAL does not know the system, which is logged as a warning. Free it with rn_free and these hooks.
   Returns RN_MEMORY if memory runs out. */
rn_result rn_export_wkt(const char *crs, const rn_hooks *hooks, char **wkt);
/* A number or a text of a coordinate system, as the conventions for climate and forecast (CF) name it. */
typedef struct rn_cf_value {
    const char *name;
    double numbers[2];
    int count; /* of numbers; 0: it is a text */
    const char *text;
} rn_cf_value;

enum { RN_CF_VALUES = 12 };
/* Fills `values` with what CF has for a system in WKT 1, with the name of its projection first, and returns the number
   of values, or 0 if the text is in another form, a number is missing, or CF cannot describe the system. */
int rn_export_cf(const char *wkt, rn_cf_value values[RN_CF_VALUES]);

/* Writes the unit of the coordinates of a projected system, in WKT or NULL, as a unit name of the CF conventions ("m",
   "foot") or, if CF has no name for it, as a multiple of the metre ("0.9144 m"); "m" if `crs` does not give the
   unit. */
void rn_export_unit(const char *crs, char *unit, size_t size);
/* Whether coordinates are longitudes and latitudes: as the coordinate system says, or by their scale without one.
   Returns false if the run has no place on a map. */
bool rn_export_is_globe(const rn_georeference *georeference);

/* Columns as dense arrays: layer by layer, rows from the south, x fastest. NaN where there is no column. */
typedef struct rn_export_grid {
    rn_export_place place;
    size_t slots, room;          /* values of an array; capacity */
    float *depth, *base, *level; /* m */
    float *velocity;             /* m/s, twice as long: all of x, then all of y */
} rn_export_grid;

/* Copies columns into the arrays of the grid (0 at first), which grow as needed, and sets its place. Returns RN_MEMORY
   if memory runs out; the grid is then empty, and must still be freed. */
rn_result rn_export_grid_fill(rn_export_grid *grid, const rn_export_def *def, const rn_surface_columns *columns);
/* Frees the arrays, which these hooks allocated, and empties the grid; not the struct itself. */
void rn_export_grid_free(rn_export_grid *grid, const rn_hooks *hooks);

/* The largest depth of columns so far, and the arrival time of liquid (s; NaN: never). */
typedef struct rn_export_maxima {
    rn_export_place place;
    float *deepest, *arrival; /* in the layout of a grid */
} rn_export_maxima;

/* Updates the maxima (0 at first) with columns at a time (s): the greatest depth, and as arrival the first time at
   which the depth exceeds def->wet_depth (m). Adds new layers; the number of cells must not change. Returns RN_MEMORY
   if memory runs out; then nothing has changed. */
rn_result rn_export_maxima_add(rn_export_maxima *maxima, const rn_export_def *def, double time,
                               const rn_surface_columns *columns);
/* Frees the arrays, which these hooks allocated, and empties the maxima; not the struct itself. */
void rn_export_maxima_free(rn_export_maxima *maxima, const rn_hooks *hooks);

/* ---- Writers --------------------------------------------------------------------------------------------------- */

/* Data shared by all writers of an export. */
typedef struct rn_export_job {
    rn_export_def def; /* its coordinate system is `crs` */
    char *crs;         /* WKT, or a code; NULL: none */
    rn_material liquid, ground, bodies;
    rn_axes axes;            /* for kinds that have `turns` set */
    rn_export_maxima maxima; /* as far as they were recorded */
} rn_export_job;

/* A frame, with its columns as dense arrays. */
typedef struct rn_export_moment {
    rn_export_frame frame;
    const rn_export_grid *grid; /* NULL: not needed */
} rn_export_moment;

enum { RN_EXPORT_PATH = 4096 };
/* Creates the path FOLDER/NAME-0012.ENDING, with the frame in at least four digits. Returns RN_FILE if it is too
   long. */
rn_result rn_export_path(const rn_export_job *job, const char *name, int frame, const char *ending,
                         char path[RN_EXPORT_PATH]);

/* Whether a file of all frames, last written with `written` of them, should be written again now that there are
   `count`. With a share of 1 this is whenever their number has doubled, so all writing costs no more than twice the
   last one. A killed process thus leaves a complete file with at least half of the frames. */
static inline bool rn_export_is_due(int count, int written, int share) { return count > written + written / share; }

/* The functions of a kind; NULL: nothing to do. `state` belongs to the kind; every successful open is followed by a
   close. */
typedef struct rn_export_writer {
    rn_export_kind kind;
    bool y_up;                         /* what programs expect of this kind, unless the export says otherwise */
    const char *mesh_ending;           /* "ply": every frame has meshes in separate files, which write_mesh writes */
    bool (*fits)(const rn_mesh *mesh); /* into the 4 GiB of a file of this kind; NULL: any size */
    void (*write_mesh)(FILE *stream, const rn_mesh *mesh, const rn_mesh_style *style);
    rn_result (*open)(const rn_export_job *job, void **state);
    rn_result (*add)(const rn_export_job *job, void *state, const rn_export_moment *moment);
    rn_result (*close)(const rn_export_job *job, void *state);
} rn_export_writer;

extern const rn_export_writer rn_writer_ply, rn_writer_obj, rn_writer_glb, rn_writer_gltf, rn_writer_usda,
    rn_writer_vtp, rn_writer_vti, rn_writer_npy, rn_writer_nc, rn_writer_tif;

#endif
