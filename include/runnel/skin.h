/* A world as triangles, frame by frame: its ground, its bodies and the surface of its liquid, for a renderer or for
   files. */
#ifndef RUNNEL_SKIN_H
#define RUNNEL_SKIN_H

#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the meshes of a world up to date. It owns everything that rn_surface_build needs (buffers, minimum heights,
   data kept between builds) and renews it where solid has changed. */
typedef struct rn_skin rn_skin;

/* A part of the ground that has a coat of its own. */
typedef struct rn_paint {
    const rn_sdf
        *in;  /* a region (m), which must outlive the skin; NULL: all solids of the world (rn_world_add_solid) */
    int coat; /* from 1 to RN_MOST_COATS: of rn_look.coats, from its first */
} rn_paint;

typedef struct rn_skin_def {
    const rn_world *world;  /* must outlive the skin */
    const rn_sdf *shape;    /* the solid that its terrain was made of, as in rn_ground_mesh_def; may be NULL */
    rn_surface_def surface; /* its minimum, kept, threads and jets are ignored: the skin supplies them */
    bool menisci;           /* also fills rn_mesh.menisci, for a renderer that shades them */
    bool no_least_heights;  /* thin films are drawn as thin as they are: ground may stick out (Dagenais 2018, Fig. 10,
                               left) */
    const rn_paint *paints; /* parts of the ground, the last of which counts where they overlap; NULL: none. Must
                               outlive the skin */
    int paint_count;
    bool sharp, closed; /* as in rn_ground_mesh_def; default true */
    double spacing;     /* m, of the ground's lattice; default 0: a cell */
    int threads;        /* for the ground: default 1; 0: one per core. The surface uses the threads of the world */
    rn_hooks hooks;
} rn_skin_def;

/* Defaults for this world: full depth, contact angle and width of menisci are those of its liquid now. */
RN_API rn_skin_def rn_skin_default(const rn_world *world);

/* Creates a skin, with the mesh of the ground; call rn_skin_update before reading its meshes. On failure *skin is
   NULL. */
RN_API rn_result rn_skin_create(const rn_skin_def *def, rn_skin **skin);
/* NULL is allowed. */
RN_API void rn_skin_destroy(rn_skin *skin);

/* Brings the meshes up to date with the world, which must not step meanwhile. Sets *ground_changed (may be NULL) to
   true the first time and whenever the ground has changed since the last success, and leaves it alone on failure. Can
   be retried after a failure; until then meshes may be old, empty or incomplete. */
RN_API rn_result rn_skin_update(rn_skin *skin, bool *ground_changed);

/* Takes full depth, contact angle and the size of menisci from the liquid that the world has now, as rn_skin_default
   does: for a liquid that has changed since the skin was made. */
RN_API void rn_skin_follow_liquid(rn_skin *skin);

/* The mesh of the ground; with paints, ids has the coat of each vertex, 0 for none. Valid until the next update. */
RN_API rn_mesh rn_skin_ground(const rn_skin *skin);
/* The mesh of the liquid's surface: of its columns, or of a 3D liquid. Valid until the next update. */
RN_API rn_mesh rn_skin_surface(const rn_skin *skin);
/* The mesh of all bodies in place, with hard edges: positions, normals, colours, and the body's number in ids. No
   vertices if there are no bodies. Valid until the next update. */
RN_API rn_mesh rn_skin_bodies(const rn_skin *skin);
/* The columns that the surface was made from: those of the world, but as if no body stood in them (rn_world_view
   shows them with bodies). Valid until the next update. */
RN_API rn_surface_columns rn_skin_columns(const rn_skin *skin);

#ifdef __cplusplus
}
#endif

#endif
