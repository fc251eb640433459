/* Faces of the momentum-carrying step that the rows of one layer do not explain, and what lies around them. A
   connection is a face between layers, into a hole or over an open edge, or an ordinary face of a column that has such
   faces (docs/model.md, "Layers"). A side of a column is all its faces towards one neighbouring cell; a side with
   several faces is a split. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTION_LINKS_H
#define RN_SOLVER_CONNECTION_LINKS_H

#include "solver/state.h"

enum { RN_WEST, RN_EAST, RN_SOUTH, RN_NORTH };

/* Makes room for the connections of `irregular` irregular pipes. On failure `connections` may hold some arrays, to be
 * freed. */
rn_result rn_connections_reserve(const rn_hooks *hooks, size_t irregular, rn_connections *connections);
void rn_connections_free(const rn_hooks *hooks, rn_connections *connections);
/* The most connections that `irregular` irregular pipes can make: each has two ends, with up to four ordinary pipes. */
static inline size_t rn_connections_most(size_t irregular) { return 9 * irregular; }

/* Makes the list of connections, after the irregular pipes have been stored. There is room for it. */
void rn_connections_build(rn_state *s);
/* Finds what lies around a connection, unless it is known. */
void rn_connection_link(const rn_state *s, rn_connection *connection);
/* Finds what lies beyond the sides of a junction, unless it is known. */
void rn_sides_link(const rn_state *s, int32_t junction);

/* Side k of a column. */
rn_face_ref rn_side_ref(const rn_state *s, int32_t c, int k);

/* Where the values of the connection's own face are kept. */
static inline rn_face_ref rn_connection_ref(const rn_connection *connection) {
    const uint32_t kind = connection->irregular ? RN_FACE_IRREGULAR : connection->axis == 0 ? RN_FACE_X : RN_FACE_Y;
    return 4 * (uint32_t)connection->pipe + kind;
}

/* Of a link, 4 * connection + 2 * axis + (1 if the column is its r): the side of its column, and the connection. */
static inline int rn_link_side(int32_t link) { return link % 4 ^ 1; }
static inline rn_connection *rn_link_connection(const rn_state *s, int32_t link) {
    return &s->connections.faces[link / 4];
}
/* The connection's share of that side of the link's column. */
static inline float *rn_link_share(const rn_state *s, int32_t link) {
    rn_connection *connection = rn_link_connection(s, link);
    return link % 2 ? &connection->share_r : &connection->share_l;
}

/* The slot at the other end. */
static inline int32_t rn_connection_other(const rn_connection *connection, int32_t slot) {
    return connection->l == slot ? connection->r : connection->l;
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
