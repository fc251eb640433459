/* A world as triangles, frame by frame: its ground, its bodies and the surface of its liquid, for a renderer or for
   files. */
#ifndef RUNNEL_SKIN_H
#define RUNNEL_SKIN_H

#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Follows a world. Owns what rn_surface_build needs - buffers, least heights, what is kept between builds - and makes
   it anew where solid has come or gone. */
typedef struct rn_skin rn_skin;

typedef struct rn_skin_def {
    const rn_world *world;  /* which must outlive the skin */
    const rn_sdf *shape;    /* the solid that its terrain was made of, as in rn_ground_mesh_def; may be NULL */
    rn_surface_def surface; /* without minimum, kept and threads: those are the skin's own */
    bool menisci;           /* rn_mesh.menisci too, for a renderer that shades them */
    bool no_least_heights; /* thin films are as thin as they are: ground may stick out (Dagenais 2018, Fig. 10, left) */
    bool sharp, closed;    /* as in rn_ground_mesh_def; default both */
    double spacing;        /* m, of the ground, as there; default 0: a cell */
    int threads;           /* for the ground: default 1; 0: one per core. The surface takes those of the world */
    rn_hooks hooks;
} rn_skin_def;

/* For this world: its liquid is opaque at its full depth, and bends at solid as its contact angle tells. */
RN_API rn_skin_def rn_skin_default(const rn_world *world);

RN_API rn_result rn_skin_create(const rn_skin_def *def, rn_skin **skin);
RN_API void rn_skin_destroy(rn_skin *skin);

/* The world as it is now. *ground_changed may be NULL; true the first time, and whenever the ground is another. May be
   tried again if it fails. */
RN_API rn_result rn_skin_update(rn_skin *skin, bool *ground_changed);

/* Valid until the next update. */
RN_API rn_mesh rn_skin_ground(const rn_skin *skin);
RN_API rn_mesh rn_skin_surface(const rn_skin *skin);
/* All bodies where they are, their edges parted: positions, normals, colours, and in ids which body it is. No vertices:
   there are none. */
RN_API rn_mesh rn_skin_bodies(const rn_skin *skin);
/* What the surface was made of: the columns of the world, but as if no body stood in them. Views of the world have
   those with bodies. */
RN_API rn_surface_columns rn_skin_columns(const rn_skin *skin);

#ifdef __cplusplus
}
#endif

#endif
