/* Faces of the momentum-carrying step that the rows of one layer do not explain, and what lies around them. A joint is
   a face between layers, into a hole or over an open edge, or an ordinary face of a column that has such faces
   (docs/model.md, "Layers"). A side of a column is all its faces towards one neighbouring cell; a side with several
   faces is a fork. Private to the solver's own files. */
#ifndef RN_SOLVER_JOINT_LINKS_H
#define RN_SOLVER_JOINT_LINKS_H

#include "solver/state.h"

enum { RN_WEST, RN_EAST, RN_SOUTH, RN_NORTH };

/* Makes room for the joints of so many irregular pipes. On failure `joints` may hold some arrays, to be freed. */
rn_result rn_joints_reserve(const rn_hooks *hooks, size_t irregular, rn_joints *joints);
void rn_joints_free(const rn_hooks *hooks, rn_joints *joints);
/* The most joints that so many irregular pipes can make: each has two ends, with up to four ordinary pipes. */
static inline size_t rn_joints_most(size_t irregular) { return 9 * irregular; }

/* Makes the list of joints, after the irregular pipes have been stored. There is room for it. */
void rn_joints_build(rn_state *s);
/* Finds what lies around a joint, or around the sides of a junction, unless it is known. */
void rn_joint_link(const rn_state *s, rn_joint *joint);
void rn_sides_link(const rn_state *s, int32_t junction);

/* Side k of a column. */
rn_face_ref rn_side_ref(const rn_state *s, int32_t c, int k);

/* Of a link, 4 * joint + 2 * axis + (1 if the column is its r): the side of its column, and the joint. */
static inline int rn_link_side(int32_t link) { return link % 4 ^ 1; }
static inline rn_joint *rn_link_joint(const rn_state *s, int32_t link) { return &s->joints.faces[link / 4]; }
static inline float *rn_link_share(const rn_state *s, int32_t link) {
    rn_joint *joint = rn_link_joint(s, link);
    return link % 2 ? &joint->share_r : &joint->share_l;
}

static inline int32_t rn_joint_other(const rn_joint *joint, int32_t slot) {
    return joint->l == slot ? joint->r : joint->l;
}

/* The column that a slot past a periodic edge is a copy of, or the slot itself. */
static inline int32_t rn_slot_original(const rn_columns *c, int32_t slot) {
    if (!c->periodic_x && !c->periodic_y) return slot;
    rn_spot at = rn_slot_place(&c->grid, slot);
    if (c->periodic_x) at.x = (at.x + c->grid.nx * RN_RIM) % c->grid.nx;
    if (c->periodic_y) at.y = (at.y + c->grid.ny * RN_RIM) % c->grid.ny;
    return rn_slot(&c->grid, at.layer, at.y, at.x);
}

#endif
