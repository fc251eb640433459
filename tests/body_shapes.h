/* Shapes for tests of bodies, and random places for them. */
#ifndef BODY_SHAPES_H
#define BODY_SHAPES_H

#include "terrain_shapes.h"

#include <runnel/bodies.h>

static inline rn_quat random_turn(void) {
    rn_quat q;
    do {
        q = (rn_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)};
    } while (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w > 1);
    return q;
}

enum { TORUS_ROUND = 40, TORUS_TUBE = 20, TORUS_VERTICES = TORUS_ROUND * TORUS_TUBE };

/* A ring about the z axis: `wide` to the middle of a tube of radius `thick` (m). */
static inline rn_shape *make_torus(double wide, double thick) {
    static float at[3 * TORUS_VERTICES];
    static uint32_t index[6 * TORUS_VERTICES];
    for (int i = 0; i < TORUS_VERTICES; i++) {
        const double u = 2 * pi * (i / TORUS_TUBE) / TORUS_ROUND, v = 2 * pi * (i % TORUS_TUBE) / TORUS_TUBE;
        at[3 * i] = (float)((wide + thick * cos(v)) * cos(u));
        at[3 * i + 1] = (float)((wide + thick * cos(v)) * sin(u));
        at[3 * i + 2] = (float)(thick * sin(v));
        const int right = (i / TORUS_TUBE + 1) % TORUS_ROUND * TORUS_TUBE;
        const int here = i / TORUS_TUBE * TORUS_TUBE, up = (i % TORUS_TUBE + 1) % TORUS_TUBE;
        const int quad[6] = {i, right + i % TORUS_TUBE, right + up, i, right + up, here + up};
        for (int k = 0; k < 6; k++) index[6 * i + k] = (uint32_t)quad[k];
    }
    return rn_shape_mesh(at, TORUS_VERTICES, index, 2 * TORUS_VERTICES, NULL);
}

/* An arch over x from -1 to 1 m: 2 m high, 1 m deep, with an opening of 1 by 1 m. */
static inline rn_shape *make_arch(void) {
    static const float outline[8][2] = {{-1, 0}, {-0.5f, 0}, {-0.5f, 1}, {0.5f, 1}, {0.5f, 0}, {1, 0}, {1, 2}, {-1, 2}};
    static const uint32_t front[6][3] = {{0, 1, 2}, {0, 2, 7}, {7, 2, 3}, {7, 3, 6}, {6, 3, 4}, {6, 4, 5}};
    float at[16 * 3];
    uint32_t index[28 * 3], *to = index;
    for (uint32_t i = 0; i < 16; i++) {
        at[3 * i] = outline[i % 8][0];
        at[3 * i + 1] = i < 8 ? -0.5f : 0.5f;
        at[3 * i + 2] = outline[i % 8][1];
    }
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t next = (i + 1) % 8, quad[6] = {i, i + 8, next + 8, i, next + 8, next};
        for (int k = 0; k < 6; k++) *to++ = quad[k];
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) *to++ = front[i][k];
        for (int k = 0; k < 3; k++) *to++ = front[i][2 - k] + 8;
    }
    return rn_shape_mesh(at, 16, index, 28, NULL);
}

/* The hull of random points in a flattened ball of 1 m, the same every time. */
static inline rn_shape *make_rock(void) {
    float at[3 * 200];
    const uint64_t before = random_state;
    random_state = 7;
    for (int i = 0; i < 200; i++) {
        double p[3], length;
        do {
            for (int k = 0; k < 3; k++) p[k] = random_in(-1, 1);
            length = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        } while (length > 1);
        for (int k = 0; k < 3; k++) at[3 * i + k] = (float)(p[k] * (k == 2 ? 0.7 : 1));
    }
    random_state = before;
    return rn_shape_hull(at, 200);
}

/* A box on four wheels, one ball on top. */
static inline rn_shape *make_truck(void) {
    rn_shape *truck = rn_shape_box((rn_vec3){2.5, 1.2, 0.6});
    rn_shape *wheel = rn_shape_cylinder(0.3, 0.2), *ball = rn_shape_sphere(0.3);
    const rn_quat upright = {sqrt(0.5), 0, 0, sqrt(0.5)};
    for (int i = 0; truck && i < 4; i++) {
        const rn_vec3 at = {i & 1 ? 0.8 : -0.8, i & 2 ? 0.75 : -0.75, -0.3};
        if (rn_shape_add(truck, wheel, at, upright) != RN_OK) abort();
    }
    if (rn_shape_add(truck, ball, (rn_vec3){0, 0, 0.65}, (rn_quat){0, 0, 0, 0}) != RN_OK) abort();
    rn_shape_destroy(wheel);
    rn_shape_destroy(ball);
    return truck;
}

#endif
