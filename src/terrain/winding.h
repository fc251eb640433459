/* Winding numbers of triangles that need not join (Barill et al. 2018), and the shell that wraps them. */
#ifndef RN_TERRAIN_WINDING_H
#define RN_TERRAIN_WINDING_H

#include "terrain/crossings.h"
#include "terrain/tree.h"

/* The far field of a node of the tree. */
typedef struct rn_moments {
    rn_vec3 middle;      /* m, weighted by area */
    double radius;       /* m, around `middle`, of all triangles */
    rn_vec3 dipole;      /* m^2, sum of area vectors */
    double spread[3][3]; /* m^3, sum of (centroid - middle) times area vector */
} rn_moments;

typedef struct rn_winding {
    rn_tree tree;
    rn_moments *moments; /* of each node */
    double sign;         /* -1: wound inside out */
} rn_winding;

/* Prepares winding numbers of the given faces of a shell, without those that close holes; copies them. Returns
   RN_MEMORY, with a message, if memory runs out; the winding must still be freed. */
rn_result rn_winding_make(const rn_shell *shell, rn_winding *winding);
/* Frees tree and moments; not the struct itself. */
void rn_winding_free(rn_winding *winding);

/* The winding number at a point (m): 1 within a closed mesh, 0 outside, approximately that if there are gaps. The sign
   is chosen so that the mesh as a whole is not inside out. */
double rn_winding_at(const rn_winding *winding, rn_vec3 at);

/* Whether the crossings miss more than a twentieth of what winding numbers (above one half) say is solid, at 24^3
   points of the box: closing the holes has then made another shape. */
bool rn_winding_misses(const rn_winding *winding, const rn_crossings *crossings, const rn_box *box);

/* Replaces the shell by the closed surface where winding numbers cross one half, on a lattice of this spacing (m). The
   new shell has neither parts nor links to vertices of the host. threads: 0 for one per core. Sets wrapped, volume and
   inside_out of the report, the last to report->parts if the mesh as a whole is inside out, otherwise to 0. On failure
   returns RN_MEMORY or RN_LIMIT, with a message; then the shell may be empty, and the volume is 0. */
rn_result rn_shell_wrap(rn_shell *shell, const rn_winding *winding, double spacing, int threads,
                        rn_mesh_report *report);

#endif
