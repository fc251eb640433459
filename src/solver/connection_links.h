/* Faces of the momentum-carrying step that the loops over rows of one layer do not cover, and their neighbours. A
   connection is a face between layers, into a hole or over an open edge, or an ordinary face of a column that has
   such faces (docs/model.md, "Layers"). A side of a column is all its faces towards one neighbouring cell; a side
   with several faces is a split side. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTION_LINKS_H
#define RN_SOLVER_CONNECTION_LINKS_H

#include "solver/state.h"

enum { RN_WEST, RN_EAST, RN_SOUTH, RN_NORTH };

/* Sets *connections to new arrays with room for the connections of `irregular` irregular pipes; old arrays are not
   freed. Returns RN_MEMORY, with a message, if memory runs out; the caller frees `connections`. */
rn_result rn_connections_reserve(const rn_hooks *hooks, size_t irregular, rn_connections *connections);
/* Frees all arrays, not `connections` itself. */
void rn_connections_free(const rn_hooks *hooks, rn_connections *connections);
/* The largest number of connections that `irregular` irregular pipes can cause: each has two ends, with up to four
   ordinary pipes. */
static inline size_t rn_connections_most(size_t irregular) { return 9 * irregular; }

/* Creates the list of connections and the sides of junctions; call it after the irregular pipes have been stored. There
   must be room (rn_connections_most). Neighbours are not found yet, and which connections are wet is not known until
   rn_connections_list. */
void rn_connections_build(rn_state *s);
/* Finds the faces and columns around a connection, unless they are known: behind, ahead and across. */
void rn_connection_link(const rn_state *s, rn_connection *connection);
/* Finds faces, columns and bed steps on the sides of a junction, given by its index, unless they are known. Steps of
   split sides and of surfaces are found in every substep instead. */
void rn_sides_link(const rn_state *s, int32_t junction);

/* The reference to side k (RN_WEST...) of column c. A column that is no junction has the ordinary face there, whether
   or not that has a pipe; a junction without a face there has RN_FACE_NONE, whose values are 0. */
rn_face_ref rn_side_ref(const rn_state *s, int32_t c, int k);

/* The reference to the connection's own face. */
static inline rn_face_ref rn_connection_ref(const rn_connection *connection) {
    const uint32_t kind = connection->irregular ? RN_FACE_IRREGULAR : connection->axis == 0 ? RN_FACE_X : RN_FACE_Y;
    return 4 * (uint32_t)connection->pipe + kind;
}

/* The side of its column that a link belongs to. A link is 4 * connection + 2 * axis + (1 if the column is its r). */
static inline int rn_link_side(int32_t link) { return link % 4 ^ 1; }
/* The connection of a link. */
static inline rn_connection *rn_link_connection(const rn_state *s, int32_t link) {
    return &s->connections.faces[link / 4];
}
/* Where the connection's share (0 to 1) of the side that the link belongs to is stored; 1 unless the side is split. */
static inline float *rn_link_share(const rn_state *s, int32_t link) {
    rn_connection *connection = rn_link_connection(s, link);
    return link % 2 ? &connection->share_r : &connection->share_l;
}

/* The slot at the other end of a connection than `slot`, which is one of its ends. */
static inline int32_t rn_connection_other(const rn_connection *connection, int32_t slot) {
    return connection->l == slot ? connection->r : connection->l;
}

/* The column of which a slot of the rim beyond a periodic edge is a copy; any other slot itself. */
static inline int32_t rn_slot_original(const rn_columns *c, int32_t slot) {
    if (!c->periodic_x && !c->periodic_y) return slot;
    rn_spot at = rn_slot_place(&c->grid, slot);
    if (c->periodic_x) at.x = (at.x + c->grid.nx * RN_RIM) % c->grid.nx;
    if (c->periodic_y) at.y = (at.y + c->grid.ny * RN_RIM) % c->grid.ny;
    return rn_slot(&c->grid, at.layer, at.y, at.x);
}

#endif
