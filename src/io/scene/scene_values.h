/* The values of a scene file, filled in by the tables of scene_tables.c. */
#ifndef RN_IO_SCENE_VALUES_H
#define RN_IO_SCENE_VALUES_H

#include "io/scene/table.h"

#include <runnel/io.h>

typedef struct rn_grid_values {
    int cells[2];
    double cell;
    double origin[2];
    double bottom, lid;
} rn_grid_values;

typedef struct rn_liquid_values {
    const char *name;
    const char *on;   /* the ground whose angles it has; NULL: its own */
    rn_liquid liquid; /* initially the named one */
    double colour[3]; /* linear; used only if it is given */
} rn_liquid_values;

typedef struct rn_view_values {
    int width;
    double ground[3], backdrop[3];
    const char *texture; /* a file; NULL: none */
    double gloss;
    double full_depth;
    double choppiness;
    double exposure;
    double glass_above;  /* infinite: no glass */
    int material, floor; /* rn_solid_material */
    const json_t *coats;
    bool outdoors, tight;
    bool plain, tiles;
} rn_view_values;

typedef struct rn_coat_values {
    const json_t *in;
    int material; /* rn_solid_material */
    double colour[3];
} rn_coat_values;

typedef struct rn_eye_values {
    const char *name;
    double azimuth, elevation, angle, zoom;
    double target[3];
    double turn;
} rn_eye_values;

typedef struct rn_packets_values {
    int count;
    double smoothing, courant;
    int trace; /* rn_trace */
    int levels;
    double tolerance, fine[4];
} rn_packets_values;

typedef struct rn_georeference_values {
    const char *crs; /* NULL: not given */
    double origin[3], scale[2];
} rn_georeference_values;

/* Values of "backend". */
enum { RN_SCENE_CPU, RN_SCENE_CUDA, RN_SCENE_AUTO };

/* "passages": "implicit", from before the implicit solver was a separate one. */
enum { RN_OLD_IMPLICIT = RN_PASSAGES_NONE + 1 };

typedef struct rn_scene_values {
    const char *schema, *title, *about;
    const json_t *parameters;
    rn_grid_values grid;
    const json_t *solid;
    rn_liquid_values liquid;
    double gravity[3];
    double friction, manning, chezy;
    int model;
    int contact; /* rn_contact */
    bool advection;
    const char *solver;
    int backend;  /* RN_SCENE_CPU, RN_SCENE_CUDA or RN_SCENE_AUTO */
    int passages; /* rn_passages, or RN_OLD_IMPLICIT */
    double courant;
    rn_packets_values packets;
    double give_back, stir;
    int solver_iterations;
    int edges[4]; /* rn_edge by rn_side */
    double drop[2];
    int max_substeps;
    double memory; /* GB */
    const json_t *solids, *bodies, *joints, *roughness, *wetting, *fills, *sources, *drains, *rain, *losses, *forces,
        *probes, *views;
    int frames;
    double frame_time, poster;
    rn_view_values view;
    rn_georeference_values georeference;
} rn_scene_values;

/* A file of numbers, one for each place of the ground. */
typedef struct rn_raster_values {
    const char *file; /* NULL: none */
    double low, high, spacing, origin[2], crop[4], nodata;
    bool fit;
} rn_raster_values;

typedef struct rn_rough_values {
    const json_t *in;
    double friction, manning, chezy;
    rn_raster_values raster;
    int values; /* of the raster, rn_friction_law */
} rn_rough_values;

typedef struct rn_wetting_values {
    const json_t *in;
    double contact_angle, receding_angle;
    rn_raster_values raster;
} rn_wetting_values;

typedef struct rn_fill_values {
    double level, depth;
    const json_t *shape, *in;
} rn_fill_values;

typedef struct rn_source_values {
    double at[3], radius;
    const json_t *path, *shape;
    int edge; /* rn_side; -1: not given */
    const json_t *rate, *level, *head;
    double resistance, velocity[3], start, stop;
} rn_source_values;

typedef struct rn_solid_values {
    const json_t *shape, *path, *turns;
    bool carve, lasting;
    bool animation, loop;
    const char *cache;
    double fps, speed;
    double start, stop;
} rn_solid_values;

typedef struct rn_area_values {
    int kind; /* 0: evaporation, 1: infiltration */
    const json_t *rate, *map, *in;
    double start, stop;
} rn_area_values;

typedef struct rn_force_values {
    double at[2], radius, push[2], swirl, stress[2], start, stop;
} rn_force_values;

typedef struct rn_probe_values {
    const char *name;
    double at[3], from[2], to[2];
} rn_probe_values;

extern const rn_table rn_scene_table, rn_grid_table, rn_georeference_table, rn_liquid_table, rn_edges_table,
    rn_packets_table, rn_view_table, rn_coat_table, rn_eye_table, rn_fill_table, rn_solid_table, rn_rough_table,
    rn_wetting_table, rn_source_table, rn_drain_table, rn_rain_table, rn_loss_table, rn_force_table, rn_probe_table;

#endif
