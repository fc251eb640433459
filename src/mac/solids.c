/* Solids, as distances at the corners of cells.

   A face's open fraction is the part of its area where the distance is positive (Batty, Bertails & Bridson 2007).
   Only open parts of faces carry flow, so solids have smooth boundaries instead of steps. */
#include "mac/solids.h"

#include <math.h>

/* ---- Fractions --------------------------------------------------------------------------------------------------- */

/* The share (0 to 1) of a triangle's area where a linear function with these values at its corners is positive. */
static float positive_part(float a, float b, float c) {
    const int above = (a > 0.0f) + (b > 0.0f) + (c > 0.0f);
    if (above == 0 || above == 3) return above == 3 ? 1.0f : 0.0f;
    if (above == 2) return 1.0f - positive_part(-a, -b, -c);
    if (a > 0.0f) return a / (a - b) * (a / (a - c));
    return positive_part(b, c, a);
}

/* Uses four triangles around the centre. */
float rn_mac_open_part(float a, float b, float c, float d) {
    const float middle = 0.25f * (a + b + c + d);
    return 0.25f * (positive_part(middle, a, b) + positive_part(middle, b, c) + positive_part(middle, c, d) +
                    positive_part(middle, d, a));
}

/* Whether the face with this index along axis a lies in a side of the box that is a wall. */
static bool is_wall(const rn_mac *mac, int a, int face) {
    if (a == 0 && mac->def.periodic_x) return false;
    return (face == 0 && !rn_mac_is_open(mac, a, false)) || (face == mac->grid.n[a] && !rn_mac_is_open(mac, a, true));
}

/* A function for each face of the box, including walls. */
typedef float (*fraction_of)(const rn_mac *mac, int a, int i, int j, int k);

typedef struct cutting {
    rn_mac *mac;
    fraction_of fraction;
} cutting;

/* A task over layers of faces: sets their open fractions; 0 at walls. */
static void set_layers(void *context, int begin, int end, int worker) {
    (void)worker;
    const cutting *c = context;
    rn_mac *mac = c->mac;
    const int *n = mac->grid.n;
    for (int a = 0; a < 3; a++)
        for (int k = begin; k < end && k < n[2] + (a == 2); k++)
            for (int j = 0; j < n[1] + (a == 1); j++)
                for (int i = 0; i < n[0] + (a == 0); i++) {
                    const bool wall = is_wall(mac, a, a == 0 ? i : a == 1 ? j : k);
                    mac->open[a][rn_mac_cell(&mac->grid, i, j, k)] = wall ? 0.0f : c->fraction(mac, a, i, j, k);
                }
}

/* Sets the open fractions of all faces of the box. */
static void set_fractions(rn_mac *mac, fraction_of fraction) {
    cutting c = {mac, fraction};
    rn_parallel_for(mac->pool, mac->grid.n[2] + 1, set_layers, &c);
}

/* A fraction_of for a box without a solid: every face is open. */
static float all_open(const rn_mac *mac, int a, int i, int j, int k) {
    (void)mac, (void)a, (void)i, (void)j, (void)k;
    return 1.0f;
}

void rn_mac_open_box(rn_mac *mac) { set_fractions(mac, all_open); }

/* Distance (cells) to the solid at corner (i, j, k). */
static float node(const rn_mac *mac, int i, int j, int k) {
    const size_t wide = (size_t)mac->grid.n[0] + 1, deep = (size_t)mac->grid.n[1] + 1;
    return mac->nodes[(size_t)i + wide * ((size_t)j + deep * (size_t)k)];
}

/* The open fraction of the lower face of cell (i, j, k) along axis a. */
static float cut_face(const rn_mac *mac, int a, int i, int j, int k) {
    const float low = node(mac, i, j, k);
    if (a == 0)
        return rn_mac_open_part(low, node(mac, i, j + 1, k), node(mac, i, j + 1, k + 1), node(mac, i, j, k + 1));
    if (a == 1)
        return rn_mac_open_part(low, node(mac, i + 1, j, k), node(mac, i + 1, j, k + 1), node(mac, i, j, k + 1));
    return rn_mac_open_part(low, node(mac, i + 1, j, k), node(mac, i + 1, j + 1, k), node(mac, i, j + 1, k));
}

/* Gives the faces at both periodic ends the same open fraction: they are the same faces. Copies the open fractions of
   cells to those beyond the ends. */
static void join_fractions(rn_mac *mac) {
    for (int r = 0; r < mac->grid.rows; r++) {
        const int32_t at = rn_mac_row_of(&mac->grid, r).at, end = at + mac->grid.n[0];
        mac->open[0][end] = mac->open[0][at];
        mac->room[at - 1] = mac->room[end - 1];
        mac->room[end] = mac->room[at];
    }
}

static float clamp(float value, float low, float high) { return value < low ? low : value > high ? high : value; }

bool rn_mac_is_far(const rn_mac *mac, int i, int j, int k, float distance) {
    const float here = node(mac, i, j, k), least = distance + 1.75f; /* more than the diagonal of a cell */
    return here > least || here < -least;
}

/* A task over layers of cells: finds their open fractions, from the distance of their centre. */
static void find_rooms(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int k = begin; k < end; k++)
        for (int j = 0; j < mac->grid.n[1]; j++)
            for (int i = 0; i < mac->grid.n[0]; i++) {
                const float centre[3] = {(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
                float slope[3];
                const float distance =
                    rn_mac_is_far(mac, i, j, k, 0.5f) ? node(mac, i, j, k) : rn_mac_solid_distance(mac, centre, slope);
                mac->room[rn_mac_cell(&mac->grid, i, j, k)] = clamp(0.5f + distance, 0.0f, 1.0f);
            }
}

void rn_mac_cut_cells(rn_mac *mac) {
    set_fractions(mac, cut_face);
    rn_parallel_for(mac->pool, mac->grid.n[2], find_rooms, mac);
    if (mac->def.periodic_x) join_fractions(mac);
}

/* Whether a cell of the rim lies beside an open side of the box. */
static bool is_beyond_open_side(const rn_mac *mac, const int at[3]) {
    for (int a = 0; a < 3; a++)
        if ((at[a] < 0 && rn_mac_is_open(mac, a, false)) || (at[a] >= mac->grid.n[a] && rn_mac_is_open(mac, a, true)))
            return true;
    return false;
}

bool rn_mac_is_closed(const rn_mac *mac, const rn_mac_row *row, int i) {
    if (!row->inside || i < 0 || i >= mac->grid.n[0])
        return !is_beyond_open_side(mac, (const int[3]){i, row->j, row->k});
    if (!mac->nodes) return false;
    const int32_t c = row->at + i;
    for (int a = 0; a < 3; a++)
        if (mac->open[a][c] > 0.0f || mac->open[a][c + mac->grid.step[a]] > 0.0f) return false;
    return true;
}

float rn_mac_solid_distance(const rn_mac *mac, const float at[3], float slope[3]) {
    int lo[3];
    float t[3], f[8];
    for (int a = 0; a < 3; a++) {
        const int last = mac->grid.n[a] - 1;
        lo[a] = (int)clamp(at[a], 0.0f, (float)last);
        t[a] = clamp(at[a], 0.0f, (float)last + 1.0f) - (float)lo[a];
    }
    for (int c = 0; c < 8; c++) f[c] = node(mac, lo[0] + (c & 1), lo[1] + (c >> 1 & 1), lo[2] + (c >> 2));
    const float x0 = f[1] - f[0], x1 = f[3] - f[2], x2 = f[5] - f[4], x3 = f[7] - f[6];
    const float v0 = f[0] + t[0] * x0, v1 = f[2] + t[0] * x1, v2 = f[4] + t[0] * x2, v3 = f[6] + t[0] * x3;
    const float w0 = v0 + t[1] * (v1 - v0), w1 = v2 + t[1] * (v3 - v2);
    const float s0 = x0 + t[1] * (x1 - x0), s1 = x2 + t[1] * (x3 - x2);
    slope[0] = s0 + t[2] * (s1 - s0);
    slope[1] = (v1 - v0) + t[2] * ((v3 - v2) - (v1 - v0));
    slope[2] = w1 - w0;
    return w0 + t[2] * (w1 - w0);
}

/* ---- Walls ------------------------------------------------------------------------------------------------------- */

/* Sets the speed to 0, and known. */
static void close_face(rn_mac *mac, int a, int32_t c) {
    mac->velocity[a][c] = 0.0f;
    mac->known[a][c] = RN_MAC_KNOWN;
}

/* Copies speed and `known` of a face of component a. */
static void copy_face(rn_mac *mac, int a, int32_t to, int32_t from) {
    mac->velocity[a][to] = mac->velocity[a][from];
    mac->known[a][to] = mac->known[a][from];
}

/* Closes the faces at those ends of the row along x that are walls; `at`: cell i = 0 of the row. If x is periodic,
   copies faces of all components across the ends instead. */
static void close_ends(rn_mac *mac, int32_t at) {
    const int32_t end = at + mac->grid.n[0];
    if (!mac->def.periodic_x) {
        if (is_wall(mac, 0, 0)) close_face(mac, 0, at);
        if (is_wall(mac, 0, mac->grid.n[0])) close_face(mac, 0, end);
        return;
    }
    for (int a = 0; a < 3; a++) {
        copy_face(mac, a, end, at);
        copy_face(mac, a, at - 1, end - 1);
    }
}

/* A task over rows: closes the faces in walls, and copies faces across periodic ends, if the row is active. */
static void close_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const int *n = mac->grid.n;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        if (row.last < row.first) continue;
        const bool in_y = row.j >= 0 && row.j < n[1], in_z = row.k >= 0 && row.k < n[2];
        for (int32_t c = row.at + row.first; c <= row.at + row.last; c++) {
            if (in_z && is_wall(mac, 1, row.j)) close_face(mac, 1, c);
            if (in_y && is_wall(mac, 2, row.k)) close_face(mac, 2, c);
        }
        if (row.inside || mac->def.periodic_x) close_ends(mac, row.at);
    }
}

void rn_mac_close_walls(rn_mac *mac) { rn_mac_each_row(mac, close_rows); }

/* ---- Sliding ----------------------------------------------------------------------------------------------------- */

/* Mean of component b over the four faces around a face of component a. */
static float mean_around(const rn_mac *mac, const float *v, int a, int b, int32_t c) {
    const int32_t back = mac->grid.step[a], ahead = mac->grid.step[b];
    return 0.25f * ((v[c] + v[c + ahead]) + (v[c - back] + v[c - back + ahead]));
}

/* The speed of the solid (m/s) at a face, for liquid that sticks to it. */
static float stuck(const rn_mac *mac, int a, int32_t c) { return mac->solid[a] ? mac->solid[a][c] : 0.0f; }

/* The speed (m/s) of lower face a of cell i in a row, without the part that points into or out of the solid, relative
   to the velocity of the solid. */
static float slid(const rn_mac *mac, int a, const rn_mac_row *row, int i) {
    const int32_t c = row->at + i;
    float at[3] = {(float)i + 0.5f, (float)row->j + 0.5f, (float)row->k + 0.5f}, slope[3], velocity[3];
    at[a] -= 0.5f;
    (void)rn_mac_solid_distance(mac, at, slope);
    for (int b = 0; b < 3; b++) {
        velocity[b] = b == a ? mac->velocity[a][c] : mean_around(mac, mac->velocity[b], a, b, c);
        if (mac->solid[b]) velocity[b] -= b == a ? mac->solid[a][c] : mean_around(mac, mac->solid[b], a, b, c);
    }
    const float length = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] + 1e-9f;
    const float across = velocity[0] * slope[0] + velocity[1] * slope[1] + velocity[2] * slope[2];
    return mac->velocity[a][c] - across * slope[a] / length;
}

/* Whether a face is known and lies in the solid, but not in a wall of the box. */
static bool is_buried(const rn_mac *mac, int a, const rn_mac_row *row, int i) {
    const int face = a == 0 ? i : a == 1 ? row->j : row->k;
    return mac->open[a][row->at + i] == 0.0f && !is_wall(mac, a, face) && mac->known[a][row->at + i];
}

/* A task over rows: writes new speeds of buried faces to scratch, because they depend on the old ones around: those of
   the solid if a viscous liquid sticks to solids, otherwise slid(). */
static void slide_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const bool sticks = mac->viscous && mac->def.no_slip & RN_MAC_SOLIDS;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int i = row.first; i <= row.last; i++)
            for (int a = 0; a < 3; a++)
                if (is_buried(mac, a, &row, i))
                    mac->scratch[(size_t)a * (size_t)mac->grid.cells + (size_t)(row.at + i)] =
                        sticks ? stuck(mac, a, row.at + i) : slid(mac, a, &row, i);
    }
}

/* A task over rows: takes over the speeds that slide_rows wrote to scratch. */
static void take_slid_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int i = row.first; i <= row.last; i++)
            for (int a = 0; a < 3; a++)
                if (is_buried(mac, a, &row, i))
                    mac->velocity[a][row.at + i] =
                        mac->scratch[(size_t)a * (size_t)mac->grid.cells + (size_t)(row.at + i)];
    }
}

void rn_mac_slide_along(rn_mac *mac) {
    rn_mac_each_row(mac, slide_rows);
    rn_mac_each_row(mac, take_slid_rows);
}
