/* The input common to all readers of shapes. */
#ifndef RN_IO_SHAPE_CONTEXT_H
#define RN_IO_SHAPE_CONTEXT_H

#include "io/scene/document.h"

#include <runnel/io.h>
#include <runnel/terrain.h>

/* What readers of shapes need to know about the scene. */
typedef struct rn_shape_context {
    double origin[2], size[2];    /* m, of the domain, over which heightmaps are stretched */
    const rn_hooks *hooks;        /* for the memory of meshes and for log messages of files; NULL: none */
    int threads;                  /* that meshes may use; 0: one per core */
    int shapes;                   /* number read so far: hostile files are stopped at a limit */
    double mesh_origin[3];        /* of the last mesh that was read (rn_mesh_file) */
    bool is_ground;               /* the shape being read is the ground, whose files say where the scene lies */
    rn_georeference georeference; /* of the first file of the ground that has one */
    double rise;                  /* the factor by which its heights were multiplied on their way into the scene */
    char *crs;                    /* its text; the caller frees it with rn_free(NULL, …) */
    const char *geometry;         /* a file that replaces one of the scene; NULL: none */
    char replaced[4096];          /* the one that it replaces */
    rn_mesh_report mesh;          /* on the last mesh of the ground */
    rn_result failure;            /* of the shape being read, if it fails */
} rn_shape_context;

/* The pose of a shape: m, degrees, factors. Scaled and stretched, then rotated, then moved. */
typedef struct rn_shape_pose {
    double at[3], turn[3], scale, stretch[3];
} rn_shape_pose;

#endif
