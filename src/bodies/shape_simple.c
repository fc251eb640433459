/* Boxes, spheres, cylinders and capsules, centred at the origin, with their axis along z.

   Interface (include/runnel/bodies.h): rn_shape_box, rn_shape_sphere, rn_shape_cylinder and rn_shape_capsule. Hosts
   and scenes call them before rn_bodies_add; each returns a measured shape of one part (bodies/shape.c), or NULL with
   an error text.

   - A sphere is an icosahedron whose triangles are split in four, three times: 1280 triangles of nearly equal size.
   - Cylinders and capsules are outlines rotated about the axis, with SIDES = 32 sides.

   The vertices of round shapes lie slightly outside the true surface, so that the volume is exact, and with it the
   draught of a floating body: fit_scale finds the factor on the radius. The part itself keeps the true radius for
   collisions and the 3D liquid. Vertices are computed with sqrt alone, by halving arcs, because sin and cos have
   other last bits on other machines. */
#include "base/error.h"
#include "base/maths.h"
#include "bodies/shape.h"

#define PI 3.14159265358979323846

enum { SIDES = 32, QUARTER = SIDES / 4 };

#define SMALLEST 1e-9 /* m; no body that liquid flows around is smaller */

/* Whether a size (m) of a shape lies from SMALLEST to RN_SHAPE_FARTHEST, or is 0 if that is allowed; if not, sets an
   error text with the names of the shape (`what`) and of the size (`of`). */
static bool check_size(const char *what, const char *of, double value, bool may_be_0) {
    if ((value >= SMALLEST && value <= RN_SHAPE_FARTHEST) || (may_be_0 && value == 0)) return true;
    rn_fail(RN_INVALID, "the %s of a %s is %g m; it must be %sfrom %g to %g m", of, what, value,
            may_be_0 ? "0 or " : "", SMALLEST, RN_SHAPE_FARTHEST);
    return false;
}

rn_shape *rn_shape_box(rn_vec3 size) {
    if (!check_size("box", "size along x", size.x, false) || !check_size("box", "size along y", size.y, false) ||
        !check_size("box", "size along z", size.z, false)) {
        return NULL;
    }
    rn_shape *shape = rn_shape_new(NULL, RN_SHAPE_BOX, size, 8, 12);
    if (!shape) return NULL;
    for (uint32_t v = 0; v < 8; v++) {
        shape->positions[3 * v] = (float)(v & 1 ? size.x / 2 : -size.x / 2);
        shape->positions[3 * v + 1] = (float)(v & 2 ? size.y / 2 : -size.y / 2);
        shape->positions[3 * v + 2] = (float)(v & 4 ? size.z / 2 : -size.z / 2);
    }
    static const uint8_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int s = 0; s < 6; s++) {
        static const int corners[6] = {0, 1, 2, 0, 2, 3};
        for (int i = 0; i < 6; i++) shape->indices[6 * s + i] = sides[s][corners[i]];
    }
    rn_shape_measure(shape);
    return shape;
}

/* The s near 1 that solves a s^3 + b s^2 = volume, by Newton's method: the factor on radii that makes a volume exact.
 */
static double fit_scale(double a, double b, double volume) {
    double s = 1;
    for (int i = 0; i < 20; i++) s -= (a * s * s * s + b * s * s - volume) / (3 * a * s * s + 2 * b * s);
    return s;
}

/* ---- Spheres: an icosahedron whose triangles are split in four, three times ----- */

enum { PARTINGS = 3, BALL_TRIANGLES = 20 << (2 * PARTINGS), BALL_VERTICES = BALL_TRIANGLES / 2 + 2 };

typedef struct ball {
    double at[BALL_VERTICES][3];
    uint32_t (*triangles)[3]; /* BALL_TRIANGLES of them */
    uint32_t vertices, count;
    uint32_t other[BALL_VERTICES][6], middle[BALL_VERTICES][6]; /* of edges from a lower vertex; 0: none */
} ball;

/* Adds a vertex in this direction, of any length but 0, at a distance of 1, and returns its number. */
static uint32_t add_unit(ball *b, double x, double y, double z) {
    const double length = sqrt(x * x + y * y + z * z);
    double *at = b->at[b->vertices];
    at[0] = x / length;
    at[1] = y / length;
    at[2] = z / length;
    return b->vertices++;
}

/* The number of the vertex midway between two neighbours, on the unit sphere, made on first use. */
static uint32_t middle_of(ball *b, uint32_t p, uint32_t q) {
    const uint32_t low = p < q ? p : q, high = p < q ? q : p;
    int slot = 0;
    while (b->middle[low][slot] && b->other[low][slot] != high) slot++;
    if (!b->middle[low][slot]) {
        const double *u = b->at[low], *v = b->at[high];
        b->other[low][slot] = high;
        b->middle[low][slot] = add_unit(b, u[0] + v[0], u[1] + v[1], u[2] + v[2]);
    }
    return b->middle[low][slot];
}

/* The triple product: six times the volume of a tetrahedron with the origin. */
static double triple_product(const double *p, const double *q, const double *r) {
    return p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
}

/* Whether two vertices of the icosahedron, as unit vectors, are neighbours. */
static bool share_edge(const double *p, const double *q) {
    /* neighbours are 63 degrees apart, others at least 116 */
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] > 0.1;
}

/* Adds the 12 vertices and 20 triangles, facing outwards, that a ball, empty before, starts with. */
static void make_icosahedron(ball *b) {
    const double golden = (1 + sqrt(5.0)) / 2;
    for (int axis = 0; axis < 3; axis++) {
        for (int sign = 0; sign < 4; sign++) {
            double p[3] = {0, 0, 0};
            p[(axis + 1) % 3] = sign & 1 ? 1 : -1;
            p[(axis + 2) % 3] = sign & 2 ? golden : -golden;
            add_unit(b, p[0], p[1], p[2]);
        }
    }
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t j = i + 1; j < 12; j++) {
            for (uint32_t k = j + 1; k < 12; k++) {
                const double *p = b->at[i], *q = b->at[j], *r = b->at[k];
                if (!share_edge(p, q) || !share_edge(q, r) || !share_edge(r, p)) continue;
                const bool outward = triple_product(p, q, r) > 0;
                uint32_t *t = b->triangles[b->count++];
                t[0] = i;
                t[1] = outward ? j : k;
                t[2] = outward ? k : j;
            }
        }
    }
}

/* Splits every triangle of a ball into four at the middles of its edges. */
static void split_triangles(ball *b) {
    for (size_t v = 0; v < BALL_VERTICES; v++) {
        for (int slot = 0; slot < 6; slot++) b->middle[v][slot] = 0;
    }
    const uint32_t count = b->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *t = b->triangles[i];
        const uint32_t corner[3] = {t[0], t[1], t[2]};
        uint32_t m[3];
        for (int k = 0; k < 3; k++) m[k] = middle_of(b, corner[k], corner[(k + 1) % 3]);
        for (int k = 0; k < 3; k++) {
            uint32_t *to = b->triangles[b->count++];
            to[0] = corner[k];
            to[1] = m[k];
            to[2] = m[(k + 2) % 3];
        }
        for (int k = 0; k < 3; k++) t[k] = m[k];
    }
}

rn_shape *rn_shape_sphere(double radius) {
    if (!check_size("sphere", "radius", radius, false)) return NULL;
    rn_shape *shape = rn_shape_new(NULL, RN_SHAPE_SPHERE, (rn_vec3){radius, 0, 0}, BALL_VERTICES, BALL_TRIANGLES);
    ball *b = rn_alloc(NULL, 1, sizeof *b);
    if (!shape || !b) {
        rn_free(NULL, b);
        rn_shape_destroy(shape);
        return NULL;
    }
    b->triangles = (uint32_t(*)[3])shape->indices;
    make_icosahedron(b);
    for (int i = 0; i < PARTINGS; i++) split_triangles(b);
    double volume = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const uint32_t *t = b->triangles[i];
        volume += triple_product(b->at[t[0]], b->at[t[1]], b->at[t[2]]) / 6;
    }
    const double scale = radius * fit_scale(volume, 0, 4.0 / 3.0 * PI);
    for (size_t v = 0; v < BALL_VERTICES; v++) {
        for (size_t k = 0; k < 3; k++) shape->positions[3 * v + k] = (float)(scale * b->at[v][k]);
    }
    rn_free(NULL, b);
    rn_shape_measure(shape);
    return shape;
}

/* ---- Capsules and cylinders: an outline rotated about the z axis ---- */

enum { MOST_RINGS = 2 * QUARTER };

/* Rings from bottom to top, between two points on the axis. */
typedef struct lathe {
    double radius[MOST_RINGS], z[MOST_RINGS]; /* m */
    double bottom, top;                       /* m */
    int rings;
} lathe;

/* Sets the unit vectors (x, y) to the corners of a polygon of SIDES sides, counter-clockwise from +x, by halving
   quarters of a circle. */
static void make_circle(double circle[SIDES][2]) {
    static const double quarters[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int q = 0; q < 4; q++) {
        for (int k = 0; k < 2; k++) circle[q * QUARTER][k] = quarters[q][k];
    }
    for (int step = QUARTER; step > 1; step /= 2) {
        for (int i = 0; i < SIDES; i += step) {
            const double *from = circle[i], *to = circle[(i + step) % SIDES];
            const double x = from[0] + to[0], y = from[1] + to[1], length = sqrt(x * x + y * y);
            circle[i + step / 2][0] = x / length;
            circle[i + step / 2][1] = y / length;
        }
    }
}

/* Writes a position (m) as three floats. */
static void put_position(float *to, double x, double y, double z) {
    to[0] = (float)x;
    to[1] = (float)y;
    to[2] = (float)z;
}

/* Creates the shape of a lathe's rings, joined by quads and closed at both ends towards the points on the axis, and
   measures it; the caller owns it. kind, size: those of its part. Returns NULL, with a message, if memory runs out. */
static rn_shape *turn_lathe(const lathe *l, double circle[SIDES][2], rn_shape_kind kind, rn_vec3 size) {
    const uint32_t rings = (uint32_t)l->rings, bottom = rings * SIDES, top = bottom + 1;
    rn_shape *shape = rn_shape_new(NULL, kind, size, top + 1, 2 * rings * SIDES);
    if (!shape) return NULL;
    for (uint32_t v = 0; v < bottom; v++) {
        const double r = l->radius[v / SIDES], *side = circle[v % SIDES];
        put_position(shape->positions + 3 * v, r * side[0], r * side[1], l->z[v / SIDES]);
    }
    put_position(shape->positions + 3 * bottom, 0, 0, l->bottom);
    put_position(shape->positions + 3 * top, 0, 0, l->top);
    uint32_t *to = shape->indices;
    for (uint32_t k = 0; k < SIDES; k++) {
        const uint32_t next = (k + 1) % SIDES, last = bottom - SIDES;
        const uint32_t ends[6] = {bottom, next, k, top, last + k, last + next};
        for (int i = 0; i < 6; i++) *to++ = ends[i];
        for (uint32_t ring = 0; ring + 1 < rings; ring++) {
            const uint32_t a = ring * SIDES + k, b = ring * SIDES + next;
            const uint32_t quad[6] = {a, b, b + SIDES, a, b + SIDES, a + SIDES};
            for (int i = 0; i < 6; i++) *to++ = quad[i];
        }
    }
    rn_shape_measure(shape);
    return shape;
}

/* The area of the polygon whose corners are on a circle of radius 1. */
static double polygon_area(double circle[SIDES][2]) { return SIDES / 2 * circle[1][1]; }

rn_shape *rn_shape_cylinder(double radius, double length) {
    if (!check_size("cylinder", "radius", radius, false) || !check_size("cylinder", "length", length, false))
        return NULL;
    double circle[SIDES][2];
    make_circle(circle);
    const double r = radius * sqrt(PI / polygon_area(circle)), half = length / 2;
    const lathe l = {.radius = {r, r}, .z = {-half, half}, .bottom = -half, .top = half, .rings = 2};
    return turn_lathe(&l, circle, RN_SHAPE_CYLINDER, (rn_vec3){radius, 0, length});
}

rn_shape *rn_shape_capsule(double radius, double length) {
    if (!check_size("capsule", "radius", radius, false) || !check_size("capsule", "length", length, true)) return NULL;
    double circle[SIDES][2];
    make_circle(circle);
    double ends = 0; /* volume of both ends for radius 1: rings are joined by frustums */
    for (int i = 0; i < QUARTER; i++) {
        const double r = circle[i][0], next = circle[i + 1][0], rise = circle[i + 1][1] - circle[i][1];
        ends += 2 * polygon_area(circle) * rise * (r * r + r * next + next * next) / 3;
    }
    const double along = length / radius;
    const double r = radius * fit_scale(ends, polygon_area(circle) * along, 4.0 / 3.0 * PI + PI * along);
    lathe l = {.bottom = -length / 2 - r, .top = length / 2 + r};
    for (int i = 1; i < 2 * QUARTER; i++) {
        const bool upper = i > QUARTER;
        const double *at = circle[upper ? i - QUARTER : QUARTER - i];
        l.radius[l.rings] = r * at[0];
        l.z[l.rings++] = upper ? length / 2 + r * at[1] : -length / 2 - r * at[1];
        if (i == QUARTER && length > 0) {
            l.radius[l.rings] = r;
            l.z[l.rings++] = length / 2;
        }
    }
    return turn_lathe(&l, circle, RN_SHAPE_CAPSULE, (rn_vec3){radius, 0, length});
}
