/* What the writers of an export are given, and what they must do. */
#ifndef RN_IO_WRITER_H
#define RN_IO_WRITER_H

#include "io/file/out.h"

#include <runnel/io.h>

/* ---- What is written ------------------------------------------------------------------------------------------- */

typedef struct rn_material {
    const char *name;
    float colour[3]; /* linear 0..1 */
    float roughness, metal;
    float refraction; /* index of refraction */
    bool clear;       /* seen through where vertices are not opaque */
    bool tinted;      /* vertices have colours; its own is white then */
} rn_material;

rn_material rn_material_liquid(const rn_liquid *liquid, double full_depth);
rn_material rn_material_ground(rn_vec3 colour, double gloss);
/* Of bodies, which have colours of their own. */
rn_material rn_material_bodies(void);

/* How a mesh stands in a file of its own. */
typedef struct rn_mesh_style {
    const rn_material *material; /* NULL: none */
    rn_axes axes;
    double time; /* s; below 0: none */
} rn_mesh_style;

/* Refuses meshes that no file could hold, with a sentence that begins with `path`. */
rn_result rn_mesh_check(const char *path, const rn_mesh *mesh);
/* Corners of the box around its vertices, which there must be. */
void rn_mesh_box(const rn_mesh *mesh, const rn_axes *axes, float low[3], float high[3]);

/* Where columns are. */
typedef struct rn_export_place {
    int cells_x, cells_y, layers;
    double cell_size, origin_x, origin_y; /* m */
} rn_export_place;

/* Columns as dense arrays: layer by layer, rows from the south, x fastest. NaN where there is no column. */
typedef struct rn_export_grid {
    rn_export_place place;
    size_t slots, room;          /* values of an array; how many there is memory for */
    float *depth, *base, *level; /* m */
    float *velocity;             /* m/s, twice as long: all of x, then all of y */
} rn_export_grid;

rn_result rn_export_grid_fill(rn_export_grid *grid, const rn_export_def *def, const rn_surface_columns *columns);
void rn_export_grid_free(rn_export_grid *grid, const rn_hooks *hooks);

/* The deepest that columns have been, and when liquid came (s; NaN: never). */
typedef struct rn_export_maxima {
    rn_export_place place;
    float *deepest, *arrival; /* laid out as a grid's */
} rn_export_maxima;

rn_result rn_export_maxima_add(rn_export_maxima *maxima, const rn_export_def *def, double time,
                               const rn_surface_columns *columns);
void rn_export_maxima_free(rn_export_maxima *maxima, const rn_hooks *hooks);

/* ---- Writers --------------------------------------------------------------------------------------------------- */

/* What all writers of an export share. */
typedef struct rn_export_job {
    rn_export_def def;
    rn_material liquid, ground, bodies;
    rn_axes axes;            /* for kinds that turn */
    rn_export_maxima maxima; /* as far as they have been watched */
} rn_export_job;

typedef struct rn_export_moment {
    rn_export_frame frame;
    const rn_export_grid *grid; /* NULL: not needed */
} rn_export_moment;

enum { RN_EXPORT_PATH = 4096 };
/* FOLDER/NAME-0012.ENDING */
rn_result rn_export_path(const rn_export_job *job, const char *name, int frame, const char *ending,
                         char path[RN_EXPORT_PATH]);

/* Whether a file of all frames, last written when there were `written`, is to be written again now that there are
   `count`. With a share of 1 that is whenever their number has doubled, so all writing costs no more than twice the
   last. What a killed process leaves is then whole, with half of the frames or more. */
static inline bool rn_export_is_due(int count, int written, int share) { return count > written + written / share; }

/* What a kind does; NULL: nothing. `state` is its own; a close always follows an open that went well. */
typedef struct rn_export_writer {
    rn_export_kind kind;
    const char *mesh_ending; /* "ply": every frame has meshes in files of their own, which write_mesh writes */
    bool (*fits)(const rn_mesh *mesh); /* into the 4 GiB that a file of this kind holds; NULL: it holds any */
    void (*write_mesh)(FILE *stream, const rn_mesh *mesh, const rn_mesh_style *style);
    rn_result (*open)(const rn_export_job *job, void **state);
    rn_result (*add)(const rn_export_job *job, void *state, const rn_export_moment *moment);
    rn_result (*close)(const rn_export_job *job, void *state);
} rn_export_writer;

extern const rn_export_writer rn_writer_ply, rn_writer_obj, rn_writer_glb, rn_writer_gltf, rn_writer_usda,
    rn_writer_vtp, rn_writer_vti, rn_writer_npy, rn_writer_nc, rn_writer_tif;

#endif
