/* The surface of the 3D liquid as triangles: marching cubes over the field of mesh_field.c, then for each vertex its
   normal, the thickness of the liquid behind it, and its velocity. */
#include "mac/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernels/streak.h"
#include "mac/mesh_field.h"
#include "mac/particle_sweeps.h"
#include "mac/solids.h"
#include "terrain/isosurface.h"

#include <math.h>
#include <string.h>

enum { LARGE = 1 << 23, MOST_TRIANGLES = 1 << 28, PIECE = 256 };

/* A drop that is drawn: an ellipsoid. */
typedef struct drop {
    float along[3];      /* unit vector: its long axis */
    float wide, lengthy; /* cells, half-axes across and along */
} drop;

struct rn_mac_mesh {
    rn_hooks hooks;
    rn_mac_field field;
    rn_triangles triangles;
    float *normals, *opacity, *velocities;
    uint32_t *ids;
    drop *drops;
    size_t drop_count, drop_capacity;
    size_t room;          /* vertices */
    size_t surface_count; /* number of vertices that do not belong to drops */
};

rn_result rn_mac_mesh_create(const rn_hooks *hooks, rn_mac_mesh **mesh) {
    *mesh = rn_alloc(hooks, 1, sizeof **mesh);
    if (*mesh && hooks) (*mesh)->hooks = *hooks;
    return *mesh ? RN_OK : RN_MEMORY;
}

/* Frees the attributes of vertices, and leaves no room for any. */
static void free_vertices(rn_mac_mesh *mesh) {
    void *const all[] = {mesh->normals, mesh->opacity, mesh->velocities, mesh->ids};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) rn_free(&mesh->hooks, all[i]);
    mesh->normals = mesh->opacity = mesh->velocities = NULL;
    mesh->ids = NULL;
    mesh->room = 0;
}

void rn_mac_mesh_destroy(rn_mac_mesh *mesh) {
    if (!mesh) return;
    const rn_hooks hooks = mesh->hooks;
    free_vertices(mesh);
    rn_free(NULL, mesh->triangles.positions);
    rn_free(NULL, mesh->triangles.indices);
    rn_free(NULL, mesh->drops);
    rn_mac_field_free(&mesh->field, &hooks);
    rn_free(&hooks, mesh);
}

/* Makes room for the attributes of `count` vertices; if it grows, the old ones are lost. All ids are RN_CLOSED_ID.
   Returns false if memory runs out; there is then no room for any. */
static bool make_room(rn_mac_mesh *mesh, size_t count) {
    if (count <= mesh->room) return true;
    free_vertices(mesh);
    const size_t room = count + count / 4;
    mesh->normals = rn_alloc(&mesh->hooks, room, 3 * sizeof *mesh->normals);
    mesh->opacity = rn_alloc(&mesh->hooks, room, sizeof *mesh->opacity);
    mesh->velocities = rn_alloc(&mesh->hooks, room, 3 * sizeof *mesh->velocities);
    mesh->ids = rn_alloc(&mesh->hooks, room, sizeof *mesh->ids);
    if (!mesh->normals || !mesh->opacity || !mesh->velocities || !mesh->ids) return false;
    for (size_t v = 0; v < room; v++) mesh->ids[v] = RN_CLOSED_ID;
    mesh->room = room;
    return true;
}

/* ---- Drops ------------------------------------------------------------------------------------------------------- */

enum { BALL_VERTICES = 42, BALL_TRIANGLES = 80 };

/* An icosahedron whose triangles are cut into four. */
typedef struct ball {
    float at[BALL_VERTICES][3]; /* on a sphere of radius 1 */
    uint8_t corners[BALL_TRIANGLES][3];
} ball;

/* Sets `to` to the unit vector along (x, y, z). */
static void set_unit(float to[3], float x, float y, float z) {
    const float length = sqrtf(x * x + y * y + z * z);
    to[0] = x / length, to[1] = y / length, to[2] = z / length;
}

/* The vertex on the sphere midway between vertices i and k of the ball; added, raising *count, if it does not exist. */
static uint8_t middle_of(ball *b, int *count, uint8_t i, uint8_t k) {
    float at[3];
    set_unit(at, b->at[i][0] + b->at[k][0], b->at[i][1] + b->at[k][1], b->at[i][2] + b->at[k][2]);
    for (int v = 12; v < *count; v++)
        if (fabsf(b->at[v][0] - at[0]) + fabsf(b->at[v][1] - at[1]) + fabsf(b->at[v][2] - at[2]) < 1e-3f)
            return (uint8_t)v;
    for (int a = 0; a < 3; a++) b->at[*count][a] = at[a];
    return (uint8_t)(*count)++;
}

/* Creates the icosahedron, divides its triangles, and moves all vertices to the sphere. */
static void make_ball(ball *b) {
    static const uint8_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const float t = 1.618034f;
    const float corners[12][3] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                                  {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    int count = 12;
    for (int v = 0; v < 12; v++) set_unit(b->at[v], corners[v][0], corners[v][1], corners[v][2]);
    for (int f = 0; f < 20; f++) {
        const uint8_t *c = faces[f];
        const uint8_t ab = middle_of(b, &count, c[0], c[1]), bc = middle_of(b, &count, c[1], c[2]);
        const uint8_t ca = middle_of(b, &count, c[2], c[0]);
        const uint8_t cut[4][3] = {{c[0], ab, ca}, {c[1], bc, ab}, {c[2], ca, bc}, {ab, bc, ca}};
        memcpy(b->corners[4 * f], cut, sizeof cut);
    }
}

#define DROP 0.31f /* cells, radius of a sphere with the volume of a particle */
#define FLAT 0.35f /* height of a drop that lies on a solid or on the floor of the box, by that of a ball */

/* Sets `normal` to that of the nearest solid, or of the floor of the box, and returns how much a drop at a position
   (cells) lies on it: 0 in the air, 1 if it has landed. */
static float landed(const rn_mac *mac, const float at[3], float normal[3]) {
    float slope[3] = {0.0f, 0.0f, 1.0f}, other[3], far = at[2];
    const float solid = mac->nodes ? rn_mac_solid_distance(mac, at, other) : far;
    if (solid < far) {
        far = solid;
        memcpy(slope, other, sizeof slope);
    }
    const float size = sqrtf(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
    for (int a = 0; a < 3; a++) normal[a] = size > 0.0f ? slope[a] / size : (float)(a == 2);
    const float near = (0.9f - far) / 0.5f;
    return near < 0.0f ? 0.0f : near > 1.0f ? 1.0f : near;
}

/* The particle n as a drop. Sizes differ: they follow from the horizontal velocity, which does not change in flight. A
 * drop in the air is longer along its motion; one that lies on something is flat. */
static drop drop_of(const rn_mac *mac, int32_t n, const float at[3]) {
    const rn_mac_particles *p = &mac->particles;
    float v[3], normal[3], squares = 0.0f;
    for (int a = 0; a < 3; a++) v[a] = p->value[RN_MAC_SPEED + a][n], squares += v[a] * v[a];
    const float speed = sqrtf(squares), cell = (float)mac->def.cell_size, lies = landed(mac, at, normal);
    const float differs = sinf((v[0] + 1.7f * v[1]) * 40.0f / sqrtf(9.81f * cell) + 0.7f);
    const float radius = DROP * cbrtf(1.1f + 0.36f * differs * (1.0f - lies));
    const float streak = 1.0f + rn_drop_streak(speed, radius * cell), longer = streak + lies * (FLAT - streak);
    drop d = {.wide = radius / sqrtf(longer), .lengthy = radius * longer};
    for (int a = 0; a < 3; a++)
        d.along[a] = lies * normal[a] + (speed > 0.0f ? (1.0f - lies) * v[a] / speed : (float)(a == 2) * 1e-3f);
    set_unit(d.along, d.along[0], d.along[1], d.along[2] + 1e-6f);
    return d;
}

/* Sets `to` to the vector v, given for a sphere, with its part along the axis of a drop multiplied by `along` and the
   rest by `across`. */
static void stretch(const drop *d, const float v[3], float across, float along, float to[3]) {
    const float part = v[0] * d->along[0] + v[1] * d->along[1] + v[2] * d->along[2];
    for (int a = 0; a < 3; a++) to[a] = across * v[a] + (along - across) * part * d->along[a];
}

/* Adds the triangles of a drop, the ball `b` stretched, at a position (cells). Returns false if memory runs out; a part
   of the drop may then remain. */
static bool add_drop(rn_mac_mesh *mesh, const ball *b, const drop *d, const float at[3]) {
    rn_triangles *to = &mesh->triangles;
    const uint32_t first = (uint32_t)to->vertex_count;
    if (!rn_grow(NULL, &mesh->drops, &mesh->drop_capacity, mesh->drop_count, sizeof *mesh->drops)) return false;
    mesh->drops[mesh->drop_count++] = *d;
    for (int v = 0; v < BALL_VERTICES; v++) {
        if (!rn_grow(NULL, &to->positions, &to->vertex_capacity, to->vertex_count, 3 * sizeof *to->positions))
            return false;
        float *out = to->positions + 3 * to->vertex_count++;
        stretch(d, b->at[v], d->wide, d->lengthy, out);
        for (int a = 0; a < 3; a++) out[a] += at[a];
    }
    for (int t = 0; t < BALL_TRIANGLES; t++) {
        if (!rn_grow(NULL, &to->indices, &to->triangle_capacity, to->triangle_count, 3 * sizeof *to->indices))
            return false;
        uint32_t *out = to->indices + 3 * to->triangle_count++;
        for (int k = 0; k < 3; k++) out[k] = first + b->corners[t][k];
    }
    return true;
}

/* Adds particles that are separate drops (cells), after the surface, which must be complete. Sets
   surface_count to the vertices of the surface. Returns RN_MEMORY if memory runs out, and RN_LIMIT if
   there are more than MOST_TRIANGLES. */
static rn_result add_drops(rn_mac_mesh *mesh, const rn_mac *mac) {
    const rn_mac_particles *p = &mac->particles;
    mesh->surface_count = mesh->triangles.vertex_count;
    mesh->drop_count = 0;
    ball b;
    make_ball(&b);
    for (int32_t n = 0; n < p->count; n++) {
        const float at[3] = {p->value[RN_MAC_AT][n], p->value[RN_MAC_AT + 1][n], p->value[RN_MAC_AT + 2][n]};
        if (!mesh->field.is_drop[n]) continue;
        if (mesh->triangles.triangle_count > MOST_TRIANGLES - BALL_TRIANGLES)
            return rn_fail(RN_LIMIT, "the surface of the 3D liquid and its drops have more than %d triangles",
                           MOST_TRIANGLES);
        const drop d = drop_of(mac, n, at);
        if (!add_drop(mesh, &b, &d, at)) return RN_MEMORY;
    }
    return RN_OK;
}

/* ---- Vertices ---------------------------------------------------------------------------------------------------- */

typedef struct finishing {
    rn_mac_mesh *mesh;
    const rn_mac *mac;
    const rn_mac_mesh_def *def;
    ball ball;
} finishing;

/* The unit normal at a vertex (cells), outwards; beyond a side of the box, that of the side. Points up where the field
   is flat. */
static void find_normal(const finishing *f, const float at[3], float normal[3]) {
    const rn_mac_field *field = &f->mesh->field;
    const float near = 0.75f; /* cells: the distribution of particles is uneven over half a cell */
    float squares = 0.0f;
    for (int a = 0; a < 3; a++) {
        const float high = (float)f->mac->grid.n[a];
        if (at[a] < 0.0f || at[a] > high) {
            for (int b = 0; b < 3; b++) normal[b] = 0.0f;
            normal[a] = at[a] < 0.0f ? -1.0f : 1.0f;
            return;
        }
        float ahead[3] = {at[0], at[1], at[2]}, back[3] = {at[0], at[1], at[2]};
        ahead[a] += near;
        back[a] -= near;
        normal[a] = rn_mac_field_at(field, ahead) - rn_mac_field_at(field, back);
        squares += normal[a] * normal[a];
    }
    const float length = sqrtf(squares);
    for (int a = 0; a < 3; a++) normal[a] = length > 0.0f ? normal[a] / length : (float)(a == 2);
}

/* The thickness (cells) of the liquid behind a vertex, against its normal, up to air or the side of the box; at most
   `most`. */
static float find_thickness(const finishing *f, const float at[3], const float normal[3], float most) {
    const rn_mac_field *field = &f->mesh->field;
    const float step = 1.0f / (float)field->fine;
    float before = 0.0f;
    for (float way = step; way < most; way += step) {
        float place[3];
        for (int a = 0; a < 3; a++) {
            place[a] = at[a] - way * normal[a];
            if (place[a] < 0.0f || place[a] > (float)f->mac->grid.n[a]) return way;
        }
        const float value = rn_mac_field_at(field, place);
        if (value > 0.0f) return way - step * value / (value - before);
        before = value;
    }
    return most;
}

/* The mean velocity (m/s) of the particles within RN_MAC_RADIUS of a position (cells), near ones weighted more; 0 if
   there are none. */
static void find_velocity(const rn_mac *mac, const float at[3], float velocity[3]) {
    const rn_mac_particles *p = &mac->particles;
    rn_mac_range ranges[32];
    const int count = rn_mac_ranges_near(mac, at, ranges);
    float weight = 0.0f, sums[3] = {0.0f, 0.0f, 0.0f};
    for (int r = 0; r < count; r++)
        for (int32_t n = ranges[r].begin; n < ranges[r].end; n++) {
            const float x = p->value[RN_MAC_AT][n] + ranges[r].shift - at[0], y = p->value[RN_MAC_AT + 1][n] - at[1];
            const float z = p->value[RN_MAC_AT + 2][n] - at[2];
            const float s = 1.0f - (x * x + y * y + z * z) / (RN_MAC_RADIUS * RN_MAC_RADIUS);
            if (!(s > 0.0f)) continue;
            weight += s * s * s;
            for (int a = 0; a < 3; a++) sums[a] += s * s * s * p->value[RN_MAC_SPEED + a][n];
        }
    for (int a = 0; a < 3; a++) velocity[a] = weight > 0.0f ? sums[a] / weight : 0.0f;
}

/* Finds normal, opacity (thickness divided by full_depth, at most 1) and velocity of vertex v. Drops are as thick as
   they are wide. Converts the position of the vertex from cells to metres, and adds the origin. */
static void finish_vertex(const finishing *f, size_t v) {
    rn_mac_mesh *mesh = f->mesh;
    float *at = mesh->triangles.positions + 3 * v, *normal = mesh->normals + 3 * v;
    const double full = f->def->full_depth / f->mac->def.cell_size;
    const float most = full < 1e4 ? (float)full : 1e4f;
    float thick;
    if (v < mesh->surface_count) {
        find_normal(f, at, normal);
        thick = find_thickness(f, at, normal, most);
    } else {
        const size_t place = v - mesh->surface_count;
        const drop *d = &mesh->drops[place / BALL_VERTICES];
        float n[3];
        stretch(d, f->ball.at[place % BALL_VERTICES], 1.0f / d->wide, 1.0f / d->lengthy, n);
        set_unit(normal, n[0], n[1], n[2]);
        thick = 2.0f * d->wide;
    }
    mesh->opacity[v] = thick < most ? thick / most : 1.0f;
    find_velocity(f->mac, at, mesh->velocities + 3 * v);
    const double origin[3] = {f->def->origin.x, f->def->origin.y, f->def->origin.z};
    for (int a = 0; a < 3; a++) at[a] = (float)(origin[a] + f->mac->def.cell_size * (double)at[a]);
}

/* A task over pieces of PIECE vertices: finish_vertex for each. */
static void finish_vertices(void *context, int begin, int end, int worker) {
    (void)worker;
    const finishing *f = context;
    const size_t count = f->mesh->triangles.vertex_count, last = (size_t)end * PIECE;
    for (size_t v = (size_t)begin * PIECE; v < last && v < count; v++) finish_vertex(f, v);
}

/* ---- Everything together ----------------------------------------------------------------------------------------- */

rn_result rn_mac_mesh_build(rn_mac_mesh *mesh, const rn_mac *mac, const rn_mac_mesh_def *def) {
    const int fine = def->fine > 0 ? def->fine : mac->grid.cells < LARGE ? 2 : 1;
    mesh->triangles.vertex_count = mesh->triangles.triangle_count = 0;
    rn_result result = rn_mac_field_find(&mesh->field, mac, fine, &mesh->hooks);
    if (result != RN_OK) return result;
    const double step = 1.0 / fine;
    const rn_mac_field *field = &mesh->field;
    const rn_samples samples = {
        .values = field->value,
        .cells = {field->nodes[0], field->nodes[1], field->nodes[2]},
        .transform = {{step, 0.0, 0.0, -step}, {0.0, step, 0.0, -step}, {0.0, 0.0, step, -step}}};
    result = rn_isosurface(&samples, MOST_TRIANGLES, &mesh->triangles);
    if (result == RN_OK) result = add_drops(mesh, mac);
    if (result == RN_OK && !make_room(mesh, mesh->triangles.vertex_count)) result = RN_MEMORY;
    if (result != RN_OK) {
        mesh->triangles.vertex_count = mesh->triangles.triangle_count = 0;
        return result;
    }
    finishing f = {.mesh = mesh, .mac = mac, .def = def};
    make_ball(&f.ball);
    const size_t pieces = (mesh->triangles.vertex_count + PIECE - 1) / PIECE;
    rn_parallel_for(mac->pool, (int)pieces, finish_vertices, &f);
    return RN_OK;
}

rn_mesh rn_mac_mesh_read(const rn_mac_mesh *mesh) {
    const rn_triangles *t = &mesh->triangles;
    return (rn_mesh){.positions = t->positions,
                     .normals = mesh->normals,
                     .opacity = mesh->opacity,
                     .velocities = mesh->velocities,
                     .ids = mesh->ids,
                     .indices = t->indices,
                     .vertex_count = (uint32_t)t->vertex_count,
                     .triangle_count = (uint32_t)t->triangle_count,
                     .vertex_capacity = (uint32_t)t->vertex_count,
                     .triangle_capacity = (uint32_t)t->triangle_count};
}

size_t rn_mac_mesh_bytes(const rn_mac_mesh *mesh) {
    const size_t node = 2 * sizeof(float) + 1, vertex = 8 * sizeof(float);
    return mesh->field.node_room * node + mesh->field.cell_room + mesh->room * vertex + mesh->field.drop_room +
           mesh->field.x_room * sizeof(float) + mesh->triangles.vertex_capacity * 3 * sizeof(float) +
           mesh->triangles.triangle_capacity * 3 * sizeof(uint32_t);
}
