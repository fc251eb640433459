/* Lists the connections, and finds the neighbours of each: the faces behind and ahead of it, and those across.

   Interface: solver/connection_links.h. rn_connections_reserve and rn_connections_free own the memory,
   rn_connections_build makes the list, rn_connection_link and rn_sides_link find neighbours, and rn_side_ref names
   the face or split side on one side of a column.

   Order of calls: solver/graph.c reserves the arrays and calls rn_connections_build whenever irregular pipes were
   stored and momentum is carried. solver/connection_sweeps.c links a connection, or the sides of a junction, when
   liquid first reaches it, because most connections stay dry.

   Algorithm: irregular pipes come first in the list, so connection i is irregular pipe i; then come the ordinary
   pipes of junctions. A pipe between two junctions is listed once, by the western or southern one. A reference to a
   face (rn_face_ref) names the array that holds its values, and the index there: an ordinary face along x or y, an
   irregular pipe, or a split side, which stands for all faces of a side that has several. Split side 0 stands for no
   face; its values stay 0. Slots beyond a periodic edge are replaced by the columns that they copy, because copies
   are no junctions. */
#include "solver/connection_links.h"

#include "base/memory.h"

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

void rn_connections_free(const rn_hooks *hooks, rn_connections *connections) {
#define FREE(type, name, length) rn_free(hooks, connections->name);
    RN_CONNECTION_ARRAYS(FREE)
#undef FREE
}

rn_result rn_connections_reserve(const rn_hooks *hooks, size_t irregular, rn_connections *all) {
    const size_t connections = rn_connections_most(irregular), columns = 2 * irregular;
    bool fine = true;
    *all = (rn_connections){0};
#define ALLOCATE(type, name, length)                                                                                   \
    all->name = rn_alloc(hooks, (length) + 1, sizeof *all->name);                                                      \
    fine = fine && all->name;
    RN_CONNECTION_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return fine ? RN_OK : RN_MEMORY;
}

/* ---- The list --------------------------------------------------------------------------------------------------- */

/* Appends a connection; the caller has made room. Its shares start at 1; those of split sides are found in every
   substep. */
static void add_connection(rn_state *s, rn_connection connection) {
    rn_connections *j = &s->connections;
    connection.share_l = connection.share_r = 1.0f;
    j->ends[2 * j->count] = connection.l, j->ends[2 * j->count + 1] = connection.r;
    j->faces[j->count++] = connection;
}

/* Appends the ordinary pipes of a junction; one between two junctions belongs to the western or southern of them. A
   sink has none. */
static void add_ordinary(rn_state *s, const rn_junction *junction) {
    const rn_columns *columns = &s->columns;
    const int32_t c = junction->slot;
    for (int axis = 0; axis < 2 && !junction->sink; axis++) {
        const int32_t d = axis == 0 ? 1 : columns->grid.stride;
        const int32_t l = rn_slot_original(columns, c - d), r = rn_slot_original(columns, c + d);
        const uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
        rn_connection connection = {.l = l, .r = c, .pipe = l, .axis = (uint8_t)axis};
        if (l != c - d) connection.drop = columns->drop[axis];
        if (pipes[l] && !s->graph.junction_of[l]) add_connection(s, connection);
        connection = (rn_connection){.l = c, .r = r, .pipe = c, .axis = (uint8_t)axis};
        if (r != c + d) connection.drop = columns->drop[axis];
        if (pipes[c]) add_connection(s, connection);
    }
}

/* The junction of a column, or NULL if it is not one. */
static rn_junction *junction_at(const rn_state *s, int32_t slot) {
    return s->graph.junction_of[slot] ? &s->graph.junctions[s->graph.junction_of[slot] - 1] : NULL;
}

/* Adds a link to the connections of the column in a slot; does nothing if it is not a junction. */
static void link_end(rn_state *s, int32_t slot, int32_t link) {
    rn_junction *junction = junction_at(s, slot);
    if (junction) s->connections.links[junction->connection_end++] = link;
}

/* Makes side k of a junction a split side of all its links there, which are written from *end on; moves *end past them.
   Returns the number of the split side. There is room, because each split side has an irregular pipe. */
static int32_t add_split_side(rn_state *s, const rn_junction *junction, int k, int32_t *end) {
    rn_connections *j = &s->connections;
    rn_split_side *split = &j->split_sides[j->split_count];
    *split = (rn_split_side){.begin = *end};
    for (int32_t n = junction->connections; n < junction->connection_end; n++)
        if (rn_link_side(j->links[n]) == k) j->split_links[(*end)++] = j->links[n];
    split->end = *end;
    j->split_transfer[j->split_count] = j->split_speed[j->split_count] = j->split_next[j->split_count] =
        j->split_half[j->split_count] = 0.0f;
    return j->split_count++;
}

/* Finds the faces on each side of junction i, and makes a split side where there are several. *split_links: end of the
   links of split sides so far. */
static void build_sides(rn_state *s, int32_t i, int32_t *split_links) {
    rn_sides *sides = &s->connections.sides[i];
    rn_junction *junction = &s->graph.junctions[i];
    *sides = (rn_sides){.only = {-1, -1, -1, -1}, .beyond = {-1, -1, -1, -1}};
    for (int32_t n = junction->connections; n < junction->connection_end; n++) {
        const int k = rn_link_side(s->connections.links[n]);
        sides->only[k] = sides->count[k]++ ? -1 : s->connections.links[n] / 4;
    }
    junction->split_sides = s->connections.split_count;
    for (int k = 0; k < 4; k++)
        if (sides->count[k] > 1) sides->split[k] = add_split_side(s, junction, k, split_links);
    junction->split_end = s->connections.split_count;
}

/* Lists the links of each junction in `links`, junction by junction. connection_end of all junctions must be 0. */
static void link_ends(rn_state *s) {
    rn_graph *g = &s->graph;
    const rn_connections *j = &s->connections;
    for (int32_t i = 0; i < 2 * j->count; i++)
        if (junction_at(s, j->ends[i])) junction_at(s, j->ends[i])->connection_end++;
    int32_t begin = 0;
    for (int32_t i = 0; i < g->junction_count; i++) {
        rn_junction *junction = &g->junctions[i];
        junction->connections = begin;
        begin += junction->connection_end;
        junction->connection_end = junction->connections;
    }
    for (int32_t i = 0; i < j->count; i++) {
        link_end(s, j->faces[i].l, 4 * i + 2 * j->faces[i].axis);
        link_end(s, j->faces[i].r, 4 * i + 2 * j->faces[i].axis + 1);
    }
}

void rn_connections_build(rn_state *s) {
    rn_graph *g = &s->graph;
    rn_connections *j = &s->connections;
    j->count = j->wet_count = 0;
    j->listings = 0;
    for (int32_t i = 0; i < g->irregular_count; i++)
        add_connection(s, (rn_connection){.l = g->irregular_a[i],
                                          .r = g->irregular_b[i],
                                          .pipe = i,
                                          .drop = g->irregular_drop[i],
                                          .axis = g->irregular_axis[i],
                                          .irregular = true});
    for (int32_t i = 0; i < g->junction_count; i++) {
        add_ordinary(s, &g->junctions[i]);
        g->junctions[i].connections = g->junctions[i].connection_end = 0;
    }
    link_ends(s);
    j->split_count = 1;
    int32_t split_links = 0;
    for (int32_t i = 0; i < g->junction_count; i++) build_sides(s, i, &split_links);
}

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

/* The reference to an element of one of the RN_FACE_... arrays. */
static rn_face_ref ref_to(uint32_t place, unsigned array) { return 4 * place + array; }

/* The sides of a column, which must be a junction. */
static rn_sides *sides_at(const rn_state *s, int32_t slot) {
    return &s->connections.sides[s->graph.junction_of[slot] - 1];
}

/* The slot beside `c` in its layer, on side k: RN_WEST, RN_EAST, RN_SOUTH or RN_NORTH. It may lie in the rim. */
static int32_t slot_beside(const rn_state *s, int32_t c, int k) {
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride;
    return k % 2 ? c + d : c - d;
}

rn_face_ref rn_side_ref(const rn_state *s, int32_t c, int k) {
    if (!s->graph.junction_of[c])
        return ref_to((uint32_t)(k % 2 ? c : slot_beside(s, c, k)), k < 2 ? RN_FACE_X : RN_FACE_Y);
    const rn_sides *sides = sides_at(s, c);
    if (sides->only[k] >= 0) return rn_connection_ref(&s->connections.faces[sides->only[k]]);
    return ref_to((uint32_t)sides->split[k], RN_FACE_SPLIT);
}

/* The slot beyond side k of column c; -1 if c is a junction with no face there, or with several. */
static int32_t column_beyond(const rn_state *s, int32_t c, int k) {
    if (!s->graph.junction_of[c]) return slot_beside(s, c, k);
    const int32_t only = sides_at(s, c)->only[k];
    return only < 0 ? -1 : rn_connection_other(&s->connections.faces[only], c);
}

/* The next side beyond side k on the same axis; side k itself if it has no face or several, which makes the slope 0. */
static rn_face_ref ref_beyond(const rn_state *s, int32_t c, int k) {
    const int32_t beyond = column_beyond(s, c, k);
    return beyond < 0 ? rn_side_ref(s, c, k) : rn_side_ref(s, rn_slot_original(&s->columns, beyond), k);
}

/* Whether a column accepts any inflow: a sink, or with heads a column under a ceiling, which becomes part of a passage
   once full. */
static bool takes_any(const rn_state *s, int32_t slot) {
    const rn_junction *junction = junction_at(s, slot);
    return (junction && junction->sink) || (s->graph.headed && s->columns.ceil[slot] < s->columns.lid);
}

/* Finds side k of column `c`, an end of a connection, as the connection's side `i` of four across it; `like` is the
   side of the columns beyond that corresponds to the connection. Marks split sides in connection->split. */
static void link_across(const rn_state *s, rn_connection *connection, int i, int32_t c, int k, int like) {
    const int32_t beyond = column_beyond(s, c, k);
    connection->across[i] = rn_side_ref(s, c, k);
    connection->like[i] = beyond < 0 ? RN_FACE_NONE : rn_side_ref(s, rn_slot_original(&s->columns, beyond), like);
    if ((connection->across[i] & 3) == RN_FACE_SPLIT && connection->across[i] != RN_FACE_NONE)
        connection->split |= (uint8_t)(1u << i);
}

void rn_connection_link(const rn_state *s, rn_connection *connection) {
    if (connection->linked) return;
    const int32_t l = connection->l, r = connection->r;
    const int back = 2 * connection->axis, ahead = back + 1, across = 2 * (1 - connection->axis);
    connection->own = rn_connection_ref(connection);
    connection->back = rn_side_ref(s, l, back), connection->ahead = rn_side_ref(s, r, ahead);
    connection->before = ref_beyond(s, l, back), connection->beyond = ref_beyond(s, r, ahead);
    connection->behind_slot = column_beyond(s, l, back), connection->past_slot = column_beyond(s, r, ahead);
    connection->sides_l = s->graph.junction_of[l] - 1, connection->sides_r = s->graph.junction_of[r] - 1;
    connection->takes_l = takes_any(s, l), connection->takes_r = takes_any(s, r);
    connection->split = 0;
    for (int i = 0; i < 2; i++) {
        link_across(s, connection, i, l, across + i, ahead);
        link_across(s, connection, 2 + i, r, across + i, back);
    }
    connection->linked = true;
}

/* The RN_PIPE_... bits of the connection's pipe, irregular or ordinary. */
static uint8_t connection_kind(const rn_state *s, const rn_connection *connection) {
    return (connection->irregular   ? s->graph.irregular_kind
            : connection->axis == 0 ? s->graph.pipe_x
                                    : s->graph.pipe_y)[connection->pipe];
}

void rn_sides_link(const rn_state *s, int32_t junction) {
    rn_sides *sides = &s->connections.sides[junction];
    const int32_t c = s->graph.junctions[junction].slot;
    if (sides->linked) return;
    for (int k = 0; k < 4; k++) {
        sides->faces[k] = rn_side_ref(s, c, k);
        sides->beyond[k] = column_beyond(s, c, k);
        sides->plain[k] = 0;
        sides->bed[k] = sides->level[k] = 0.0f;
        if (sides->only[k] < 0) continue;
        const rn_connection *connection = &s->connections.faces[sides->only[k]];
        if (!(connection_kind(s, connection) & RN_PIPE_PLAIN)) continue;
        sides->bed[k] = (s->columns.base[connection->r] - connection->drop) - s->columns.base[connection->l];
        sides->plain[k] = -1;
    }
    sides->linked = true;
}
