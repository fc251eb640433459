/* A mesh of triangles on its way to a solid: merged and cleaned (mend.c), wound (wind.c), closed (holes.c) and
   turned outwards (outward.c).

   Every set of wound triangles has a boundary that consists of loops: an edge counts as many times as it is passed
   more often one way than the other, and at every corner as many of these begin as end. Closing every loop gives a
   set without boundary, whatever else is wrong with it, and with such a set every point has an integer winding
   number. */
#ifndef RN_TERRAIN_SHELL_H
#define RN_TERRAIN_SHELL_H

#include "terrain/sdf.h"

#define RN_NO_FACE UINT32_MAX

/* A transform that takes x y z 1 to metres. */
typedef struct rn_rows {
    double m[3][4];
} rn_rows;

typedef struct rn_shell {
    rn_hooks hooks;
    rn_vec3 *points; /* m */
    size_t point_count;
    uint32_t *vertices;   /* for each point the first of the host's vertices there */
    uint32_t (*faces)[3]; /* counter-clockwise seen from outside */
    size_t face_count;
    size_t own;      /* number of given faces; those from here on close holes */
    uint32_t *parts; /* for each point the number of its part, from 0 */
    size_t part_count;
    rn_box box;
    double size; /* m, the longest side of the box */
} rn_shell;

/* The edges that were left open, in the direction of their own faces. */
typedef struct rn_rim {
    uint32_t (*arcs)[2];
    size_t count;
} rn_rim;

typedef enum rn_closing { RN_CLOSE_NONE, RN_CLOSE_INNER, RN_CLOSE_ALL } rn_closing;

/* rn_shell_mend, wind, close, turn_out and turn_up record what they find in the report. On failure they return
   RN_MEMORY, with a message; rn_shell_mend also returns RN_INVALID or RN_LIMIT if the definition is invalid or nothing
   is left. Call rn_shell_free also then. rn_shell_mend makes the points and faces of a shell, which is empty but for
   its hooks; triangles and vertices that cannot be used are left out. */
rn_result rn_shell_mend(rn_shell *shell, const rn_mesh_solid_def *def, rn_mesh_report *report);
/* Numbers the parts: faces that common points connect. Then makes the winding consistent within each patch, that is
   among faces that are connected by edges of exactly two faces, by flipping those with less area together; patches that
   cannot be consistent stay as they are. Reports parts, open and branching edges, flipped faces, area and Euler
   characteristic. Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_shell_wind(rn_shell *shell, rn_mesh_report *report);
/* Closes the holes by triangles across, which are appended to the faces. NONE only finds them, INNER leaves the longest
   loop of each part open. `rim` (0 at first) gets the edges that stay open, and the caller frees rim->arcs, also after
   a failure. Sets report->holes. Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_shell_close(rn_shell *shell, rn_closing which, rn_mesh_report *report, rn_rim *rim);
/* Flips parts of a closed shell so that the solid is inside of each part that no other surrounds, along with what it
   surrounds. Adds to inside_out, buried and volume of the report. Returns RN_MEMORY, with a message, if memory runs
   out. */
rn_result rn_shell_turn_out(rn_shell *shell, rn_mesh_report *report);
/* Flips the parts of ground that face down more than up. Adds to inside_out of the report, and sets its volume to 0.
   Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_shell_turn_up(rn_shell *shell, rn_mesh_report *report);
/* Frees the lists, and empties the shell but for its hooks; not the struct itself. */
void rn_shell_free(rn_shell *shell);

/* The transform of a definition, from its vertices to m: all 0 stands for the identity. */
rn_rows rn_mesh_transform(const rn_mesh_solid_def *def);

/* Returns all slots 3 f + k, each the edge of face f that begins at its corner k, sorted so that slots of the same
   edge, in either direction, are adjacent; the caller frees them with the shell's hooks. Returns NULL, with a message,
   if memory runs out. */
uint32_t *rn_edges_sorted(const rn_shell *shell);
/* One past the last of the slots of the same edge, in either direction, that begin at index `begin` of `slots`. */
size_t rn_edge_end(const rn_shell *shell, const uint32_t *slots, size_t begin);

/* The point where the edge of a slot begins. */
static inline uint32_t rn_slot_from(const rn_shell *shell, uint32_t slot) { return shell->faces[slot / 3][slot % 3]; }
/* The point where the edge of a slot ends. */
static inline uint32_t rn_slot_to(const rn_shell *shell, uint32_t slot) {
    return shell->faces[slot / 3][(slot % 3 + 1) % 3];
}

/* The position (m) of a vertex, x y z in the host's unit, after a transform. */
static inline rn_vec3 rn_vertex_place(const rn_rows *rows, const float *vertex) {
    const double x = (double)vertex[0], y = (double)vertex[1], z = (double)vertex[2];
    return (rn_vec3){rows->m[0][0] * x + rows->m[0][1] * y + rows->m[0][2] * z + rows->m[0][3],
                     rows->m[1][0] * x + rows->m[1][1] * y + rows->m[1][2] * z + rows->m[1][3],
                     rows->m[2][0] * x + rows->m[2][1] * y + rows->m[2][2] * z + rows->m[2][3]};
}

/* Flips a face by swapping its second and third corner. */
static inline void rn_face_turn(uint32_t face[3]) {
    const uint32_t kept = face[1];
    face[1] = face[2];
    face[2] = kept;
}

/* The cross product. */
static inline rn_vec3 rn_cross(rn_vec3 a, rn_vec3 b) {
    return (rn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double rn_length(rn_vec3 a) { return rn_length3(a.x, a.y, a.z); }

/* The normal of a triangle, as long as twice its area (m^2), towards the side from which it is counter-clockwise. */
static inline rn_vec3 rn_corners_normal(const rn_vec3 at[3]) {
    return rn_cross(rn_minus(at[1], at[0]), rn_minus(at[2], at[0]));
}

/* Writes the positions (m) of a face's three corners, in its order. */
static inline void rn_face_corners_at(const rn_shell *shell, size_t face, rn_vec3 at[3]) {
    for (int k = 0; k < 3; k++) at[k] = shell->points[shell->faces[face][k]];
}

/* The outward normal of a face, as long as twice its area (m^2). */
static inline rn_vec3 rn_face_normal(const rn_shell *shell, size_t face) {
    rn_vec3 at[3];
    rn_face_corners_at(shell, face, at);
    return rn_corners_normal(at);
}

/* Whether a triangle has no area beyond rounding: its height is below 10^-15 of its longest side. */
static inline bool rn_is_flat(const rn_vec3 at[3]) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        const rn_vec3 edge = rn_minus(at[(k + 1) % 3], at[k]);
        longest = longest > rn_dot(edge, edge) ? longest : rn_dot(edge, edge);
    }
    return !(rn_length(rn_corners_normal(at)) > 1e-15 * longest);
}

#endif
