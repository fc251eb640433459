/* Rigid bodies in the viscosity solve.

   J takes the velocity and spin of a body to the speeds of the faces that it closes. Stresses around these faces push
   them with a force f, so the body gets the impulse J^T f. As in the pressure solve (mac/bodies.c), the host has moved
   the body by a drag that it expected, and only the difference accelerates the body: M (x - x_before) = J^T f -
   expected, where x is what the body has in addition to the velocity of the solid. These six equations per body are
   solved together with those of the faces. Without that, a body would be thrown back and forth by a drag that changes
   its velocity in less than a substep.

   Everything is divided by the volume of a cell, as in the equations of faces. */
#include "mac/drag.h"

#include "mac/six.h"

#include <math.h>

/* The volume of a cell (m^3). */
static double cell_volume(const rn_mac *mac) { return mac->def.cell_size * mac->def.cell_size * mac->def.cell_size; }

/* The speed (m/s) of a face by motion v of its body. */
static float speed_of(const rn_mac_body_face *f, const rn_mac_six *v) {
    return (float)(v->of[f->axis] + (double)f->arm[0] * v->of[3 + (f->axis + 1) % 3] +
                   (double)f->arm[1] * v->of[3 + (f->axis + 2) % 3]);
}

/* J^T f: the impulse of the stresses on a body, over the volume of a cell. */
static rn_mac_six pull_on(const rn_mac *mac, const rn_mac_body_cells *b, float *const stress[6]) {
    rn_mac_six sum = {{0}};
    for (size_t n = 0; n < b->face_count; n++) {
        const rn_mac_body_face *f = &b->faces[n];
        const double force = (double)rn_mac_stress_force(&mac->grid, stress, f->axis, f->face);
        sum.of[f->axis] += force;
        sum.of[3 + (f->axis + 1) % 3] += (double)f->arm[0] * force;
        sum.of[3 + (f->axis + 2) % 3] += (double)f->arm[1] * force;
    }
    return sum;
}

/* The momentum of a motion of a body, divided by the volume of a cell; 0 if the body is held. */
static rn_mac_six momentum_of(const rn_mac *mac, const rn_mac_body_cells *b, const rn_mac_six *v) {
    rn_mac_six sum = {{0}};
    if (isinf(b->body.mass)) return sum;
    for (int i = 0; i < 3; i++) {
        sum.of[i] = b->body.mass * v->of[i] / cell_volume(mac);
        for (int j = 0; j < 3; j++) sum.of[3 + i] += b->body.inertia[i][j] * v->of[3 + j] / cell_volume(mac);
    }
    return sum;
}

/* The preconditioner: the motion that impulse r, divided by the volume of a cell, gives to a body without liquid. */
static rn_mac_six motion_by(const rn_mac *mac, const rn_mac_body_cells *b, const rn_mac_six *r) {
    rn_mac_six v = rn_mac_body_respond(b, r);
    for (int i = 0; i < 6; i++) v.of[i] *= cell_volume(mac);
    return v;
}

void rn_mac_drag_begin(rn_mac *mac, float *const x[3]) {
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        b->x = rn_mac_six_of(b->body.velocity, b->body.spin, 1.0);
        for (size_t n = 0; n < b->face_count; n++)
            x[b->faces[n].axis][b->faces[n].face] += speed_of(&b->faces[n], &b->x);
    }
}

double rn_mac_drag_start(rn_mac *mac, float *const stress[6], double dt) {
    double left = 0.0;
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        const rn_mac_six pull = pull_on(mac, b, stress),
                         known = rn_mac_six_of(b->body.drag, b->body.drag_torque, dt / cell_volume(mac));
        for (int k = 0; k < 6; k++) b->r.of[k] = pull.of[k] - known.of[k];
        b->direction = motion_by(mac, b, &b->r);
        left += rn_mac_six_dot(&b->r, &b->direction);
    }
    return left;
}

void rn_mac_drag_aim(rn_mac *mac, float *const direction[3]) {
    for (int i = 0; i < mac->bodies.count; i++) {
        const rn_mac_body_cells *b = &mac->bodies.list[i];
        for (size_t n = 0; n < b->face_count; n++)
            direction[b->faces[n].axis][b->faces[n].face] = speed_of(&b->faces[n], &b->direction);
    }
}

double rn_mac_drag_apply(rn_mac *mac, float *const stress[6]) {
    double work = 0.0;
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        const rn_mac_six pull = pull_on(mac, b, stress);
        b->image = momentum_of(mac, b, &b->direction);
        for (int k = 0; k < 6; k++) b->image.of[k] -= pull.of[k];
        work += rn_mac_six_dot(&b->direction, &b->image);
    }
    return work;
}

double rn_mac_drag_advance(rn_mac *mac, double scale) {
    double left = 0.0;
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        for (int k = 0; k < 6; k++) {
            b->x.of[k] += scale * b->direction.of[k];
            b->r.of[k] -= scale * b->image.of[k];
        }
        const rn_mac_six motion = motion_by(mac, b, &b->r);
        left += rn_mac_six_dot(&b->r, &motion);
    }
    return left;
}

void rn_mac_drag_turn(rn_mac *mac, double scale) {
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        const rn_mac_six motion = motion_by(mac, b, &b->r);
        for (int k = 0; k < 6; k++) b->direction.of[k] = motion.of[k] + scale * b->direction.of[k];
    }
}

void rn_mac_drag_end(rn_mac *mac, float *const stress[6], double dt) {
    for (int i = 0; i < mac->bodies.count; i++) {
        rn_mac_body_cells *b = &mac->bodies.list[i];
        rn_mac_six pull = pull_on(mac, b, stress);
        for (int k = 0; k < 6; k++) pull.of[k] *= cell_volume(mac);
        rn_mac_add3(&b->body.drag_impulse, pull.of);
        rn_mac_add3(&b->body.drag_twist, pull.of + 3);
        b->body.dragged += dt;
        b->body.velocity = (rn_vec3){b->x.of[0], b->x.of[1], b->x.of[2]};
        b->body.spin = (rn_vec3){b->x.of[3], b->x.of[4], b->x.of[5]};
    }
}
