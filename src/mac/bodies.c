/* Rigid bodies in the pressure solve (after Batty, Bertails & Bridson 2007).

   J takes the velocity and spin of a body to the divergence of cells: of each face, the part that the body closes,
   times the speed of the body there. The impulse of pressure on the body is then J^T p times the volume of a cell, p
   in units of velocity. A host moves the body, with a force that it expected. If the impulse differs from the
   expected one, the body will be faster or slower by M^-1 (impulse - expected), and this difference is part of the
   equations for p: A p + J M^-1 J^T p = b. Without that term, a light body would be thrown back and forth by the
   inertia of the liquid around it. If the mass is finite but something else, such as a contact,
   holds the body, the equations still let it give way, and its force comes right over the next steps, as the host
   learns of it and expects it.

   Bodies are few and their cells are few, so one thread adds everything up, in a fixed order. */
#include "mac/bodies.h"

#include "base/maths.h"
#include "base/memory.h"
#include "mac/drag.h"
#include "mac/six.h"

#include <math.h>
#include <string.h>

typedef rn_mac_six six;

/* Inverts a symmetric matrix. The result is 0 unless the determinant is positive, as it is for all but degenerate
   bodies and those that are not turned. */
static void invert(const double m[3][3], double inverse[3][3]) {
    double minor[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            minor[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    const double whole = m[0][0] * minor[0][0] + m[0][1] * minor[0][1] + m[0][2] * minor[0][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse[i][j] = whole > 0.0 ? minor[j][i] / whole : 0.0;
}

/* ---- Cells of bodies --------------------------------------------------------------------------------------------- */

typedef struct collecting {
    rn_mac *mac;
    rn_mac_body_cells *to;
    int number;
    rn_mac_owner owner;
    void *user;
} collecting;

/* Adds a face across axis a to the faces of a body. arm_b, arm_d: the position (m) of the face relative to the body's
   centre of mass, along the next axis and the one after it. Returns false if memory runs out. */
static bool add_closed(const collecting *c, int32_t face, int a, double arm_b, double arm_d) {
    rn_mac_body_cells *to = c->to;
    if (!rn_grow(&c->mac->hooks, &to->faces, &to->face_room, to->face_count, sizeof *to->faces)) return false;
    to->faces[to->face_count++] = (rn_mac_body_face){.face = face, .axis = a, .arm = {(float)arm_d, (float)-arm_b}};
    return true;
}

/* Adds the lower (side -1) or upper (+1) face along axis a of the cell with indices `at` to the row of J, if a solid
   closes part of the face and `owner` says that its middle belongs to this body. In a viscous liquid such a lower face
   also joins the faces of the body if rn_mac_is_stuck. Faces in sides of the box, except periodic ends, are skipped.
   Returns false if memory runs out. */
static bool add_face(const collecting *c, const int at[3], int a, int side, rn_mac_body_cell *row) {
    const rn_mac *mac = c->mac;
    const int face = at[a] + (side > 0);
    if ((face == 0 || face == mac->grid.n[a]) && !(a == 0 && mac->def.periodic_x)) return true; /* a side of the box */
    const int32_t index = rn_mac_cell(&mac->grid, at[0], at[1], at[2]) + (side > 0 ? mac->grid.step[a] : 0);
    const double closed = 1.0 - (double)mac->open[a][index];
    if (!(closed > 0.0)) return true;
    double p[3];
    for (int b = 0; b < 3; b++) p[b] = mac->def.cell_size * (b == a ? (double)face : (double)at[b] + 0.5);
    if (c->owner(c->user, (rn_vec3){p[0], p[1], p[2]}) != c->number) return true;
    const rn_vec3 o = c->to->body.centre;
    const double arm[3] = {p[0] - o.x, p[1] - o.y, p[2] - o.z}, share = side * closed;
    const int b = (a + 1) % 3, d = (a + 2) % 3; /* (spin x arm)_a = spin_b arm_d - spin_d arm_b */
    row->j[a] += (float)share;
    row->j[3 + b] += (float)(share * arm[d]);
    row->j[3 + d] -= (float)(share * arm[b]);
    return side > 0 || !mac->viscous || !rn_mac_is_stuck(mac, a, index) || add_closed(c, index, a, arm[b], arm[d]);
}

/* Adds a cell to the list of a body if the motion of the body changes the divergence of the cell: if it is cut, not
   wholly inside. Lower faces of a cell inside still join the faces of the body (add_face). Returns false if memory runs
   out. */
static bool add_cell(const collecting *c, const int at[3]) {
    rn_mac_body_cell row = {.cell = rn_mac_cell(&c->mac->grid, at[0], at[1], at[2])};
    for (int a = 0; a < 3; a++)
        if (!add_face(c, at, a, -1, &row) || !add_face(c, at, a, 1, &row)) return false;
    bool any = false;
    for (int i = 0; i < 6; i++) any |= row.j[i] != 0.0f;
    if (!any) return true;
    if (!rn_grow(&c->mac->hooks, &c->to->cells, &c->to->room, c->to->count, sizeof row)) return false;
    c->to->cells[c->to->count++] = row;
    return true;
}

/* The cells from *first to *last along an axis of n cells that overlap low to high (m). If none does, *last is
   below *first. Does not wrap around periodic ends. */
static void range(const rn_mac *mac, int n, double low, double high, int *first, int *last) {
    *first = (int)rn_clamp(floor(low / mac->def.cell_size), 0.0, (double)n);
    *last = (int)rn_clamp(floor(high / mac->def.cell_size), -1.0, (double)n - 1.0);
}

/* Replaces the lists of a body: the cells that it cuts and, in a viscous liquid, its faces. Looks only between the
   body's corners `low` and `high`. Returns false if memory runs out; the lists are then incomplete. */
static bool collect(const collecting *c) {
    const rn_mac_body *body = &c->to->body;
    const int *n = c->mac->grid.n;
    int first[3], last[3], at[3];
    range(c->mac, n[0], body->low.x, body->high.x, &first[0], &last[0]);
    range(c->mac, n[1], body->low.y, body->high.y, &first[1], &last[1]);
    range(c->mac, n[2], body->low.z, body->high.z, &first[2], &last[2]);
    c->to->count = c->to->face_count = 0;
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
                if (!add_cell(c, at)) return false;
    return true;
}

rn_result rn_mac_set_bodies(rn_mac *mac, const rn_mac_body *bodies, int count, rn_mac_owner owner, void *user) {
    rn_mac_bodies *all = &mac->bodies;
    all->count = 0;
    for (int i = 0; i < count; i++) {
        if (!rn_grow(&mac->hooks, &all->list, &all->room, (size_t)i, sizeof *all->list)) return RN_MEMORY;
        if (i == all->made) all->list[all->made++] = (rn_mac_body_cells){.count = 0};
        rn_mac_body_cells *to = &all->list[i];
        to->body = bodies[i];
        invert(bodies[i].inertia, to->inverse);
        if (!collect(&(collecting){mac, to, i, owner, user})) return RN_MEMORY;
        all->count = i + 1;
    }
    return RN_OK;
}

rn_mac_body rn_mac_body_at(const rn_mac *mac, int body) { return mac->bodies.list[body].body; }

void rn_mac_bodies_free(rn_mac *mac) {
    for (int i = 0; i < mac->bodies.made; i++) {
        rn_free(&mac->hooks, mac->bodies.list[i].cells);
        rn_free(&mac->hooks, mac->bodies.list[i].faces);
    }
    rn_free(&mac->hooks, mac->bodies.list);
    mac->bodies = (rn_mac_bodies){0};
}

/* ---- The solve --------------------------------------------------------------------------------------------------- */

/* The impulse on a body, divided by the density of the liquid: three linear components (m^4/s), then three angular
   ones (m^5/s). p: of each cell, pressure times dt, divided by density and cell size (m/s). */
static six impulse_of(const rn_mac *mac, const rn_mac_body_cells *b, const float *p) {
    const double cell = mac->def.cell_size, volume = cell * cell * cell;
    six sum = {{0}};
    for (size_t n = 0; n < b->count; n++)
        for (int i = 0; i < 6; i++) sum.of[i] += (double)b->cells[n].j[i] * (double)p[b->cells[n].cell];
    for (int i = 0; i < 6; i++) sum.of[i] *= volume;
    return sum;
}

/* Adds `sign` times the divergence (m/s per cell) by motion v of a body to `to`, in cells of the body that are unknowns
   of level 0. */
static void diverge(const rn_mac *mac, const rn_mac_body_cells *b, const six *v, double sign, float *to) {
    for (size_t n = 0; n < b->count; n++) {
        const int32_t c = b->cells[n].cell;
        double sum = 0.0;
        for (int i = 0; i < 6; i++) sum += (double)b->cells[n].j[i] * v->of[i];
        if (mac->level[0].diagonal[c] != 0.0f) to[c] += (float)(sign * sum);
    }
}

/* The impulse in `seconds` of the force that the host expected. */
static six expected(const rn_mac_body *body, double seconds) {
    return rn_mac_six_of(body->force, body->torque, seconds);
}

void rn_mac_bodies_drive(rn_mac *mac, double seconds) {
    for (int i = 0; i < mac->bodies.count; i++) {
        const rn_mac_body_cells *b = &mac->bodies.list[i];
        const six known = expected(&b->body, seconds), less = rn_mac_body_respond(b, &known);
        six v = rn_mac_six_of(b->body.velocity, b->body.spin, 1.0);
        for (int k = 0; k < 6; k++) v.of[k] -= less.of[k];
        diverge(mac, b, &v, -1.0, mac->level[0].b);
    }
}

double rn_mac_bodies_apply(const rn_mac *mac, const float *x, float *image) {
    const double cell = mac->def.cell_size;
    double work = 0.0;
    for (int i = 0; i < mac->bodies.count; i++) {
        const rn_mac_body_cells *b = &mac->bodies.list[i];
        const six impulse = impulse_of(mac, b, x), v = rn_mac_body_respond(b, &impulse);
        diverge(mac, b, &v, 1.0, image);
        for (int k = 0; k < 6; k++) work += impulse.of[k] * v.of[k] / (cell * cell * cell);
    }
    return work;
}

void rn_mac_bodies_push(rn_mac *mac, double seconds) {
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        const six impulse = impulse_of(mac, b, mac->pressure), known = expected(&b->body, seconds);
        six more;
        for (int k = 0; k < 6; k++) more.of[k] = impulse.of[k] - known.of[k];
        const six faster = rn_mac_body_respond(b, &more);
        b->body.pushed += seconds;
        rn_mac_add3(&b->body.impulse, impulse.of);
        rn_mac_add3(&b->body.twist, impulse.of + 3);
        rn_mac_add3(&b->body.velocity, faster.of);
        rn_mac_add3(&b->body.spin, faster.of + 3);
    }
}
