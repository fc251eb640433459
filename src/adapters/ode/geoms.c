/* Geoms of bodies and of the ground. */
#include "adapters/ode/rigid.h"

#include "base/memory.h"

#include <math.h>

/* Frees a geom of ODE with its mesh and arrays, and zeroes it; all 0 is allowed. */
static void destroy_geom(rn_rigid *rigid, rn_geom *geom) {
    if (geom->id) rigid->ode.dGeomDestroy(geom->id);
    if (geom->mesh) rigid->ode.dGeomTriMeshDataDestroy(geom->mesh);
    rn_free(&rigid->hooks, geom->points);
    rn_free(&rigid->hooks, geom->planes);
    rn_free(&rigid->hooks, geom->polygons);
    *geom = (rn_geom){0};
}

/* Places a geom, which must be attached to a body, relative to that body (m). ODE's order of quaternions is w, x, y,
   z. */
static void place_geom(rn_rigid *rigid, const rn_geom *geom, rn_vec3 at, rn_quat turn) {
    const dQuaternion q = {turn.w, turn.x, turn.y, turn.z};
    rigid->ode.dGeomSetOffsetPosition(geom->id, at.x, at.y, at.z);
    rigid->ode.dGeomSetOffsetQuaternion(geom->id, q);
}

/* The vertices of a part, relative to their centre, and the triangles between them. */
typedef struct piece {
    uint32_t first, vertices, triangles;
    rn_vec3 middle; /* m, in the shape */
} piece;

/* The range of vertices that the triangles of a part use, which no other part does, and their mean position. */
static piece find_piece(const rn_shape_info *info, const rn_shape_part *part) {
    uint32_t low = UINT32_MAX, high = 0;
    double sum[3] = {0, 0, 0};
    for (size_t i = 3 * (size_t)part->first; i < 3 * ((size_t)part->first + part->count); i++) {
        low = info->indices[i] < low ? info->indices[i] : low;
        high = info->indices[i] > high ? info->indices[i] : high;
    }
    const uint32_t count = high - low + 1;
    for (size_t v = low; v <= high; v++)
        for (int k = 0; k < 3; k++) sum[k] += (double)info->positions[3 * v + (size_t)k] / count;
    return (piece){low, count, part->count, {sum[0], sum[1], sum[2]}};
}

/* Copies the vertices of a piece (m), relative to its centre, to geom->points. Returns false if memory runs out. */
static bool copy_points(rn_rigid *rigid, const rn_shape_info *info, const piece *of, rn_geom *geom) {
    const double middle[3] = {of->middle.x, of->middle.y, of->middle.z};
    geom->points = rn_alloc(&rigid->hooks, 3 * (size_t)of->vertices, sizeof *geom->points);
    if (!geom->points) return false;
    for (size_t i = 0; i < 3 * (size_t)of->vertices; i++)
        geom->points[i] = (double)info->positions[3 * (size_t)of->first + i] - middle[i % 3];
    return true;
}

/* The plane a b c d of a triangle, a x + b y + c z = d with a unit normal. Returns false if it has no area; then
   `plane` is not set. */
static bool find_plane(const double *points, const uint32_t *corners, double plane[4]) {
    const double *p = points + 3 * (size_t)corners[0], *q = points + 3 * (size_t)corners[1],
                 *r = points + 3 * (size_t)corners[2];
    const double u[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, v[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0)) return false;
    for (int k = 0; k < 3; k++) plane[k] = n[k] / length;
    plane[3] = plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2];
    return true;
}

/* Creates a convex geom from the triangles of a part, without those that have no area. Returns false if memory runs
   out; the caller destroys what was made, here and in the next three. */
static bool make_hull(rn_rigid *rigid, const rn_shape_info *info, const rn_shape_part *part, const piece *of,
                      rn_geom *geom) {
    geom->planes = rn_alloc(&rigid->hooks, 4 * (size_t)of->triangles, sizeof *geom->planes);
    geom->polygons = rn_alloc(&rigid->hooks, 4 * (size_t)of->triangles, sizeof *geom->polygons);
    if (!copy_points(rigid, info, of, geom) || !geom->planes || !geom->polygons) return false;
    unsigned faces = 0;
    for (size_t t = part->first; t < (size_t)part->first + part->count; t++) {
        uint32_t *polygon = geom->polygons + 4 * (size_t)faces;
        polygon[0] = 3;
        for (size_t k = 0; k < 3; k++) polygon[1 + k] = info->indices[3 * t + k] - of->first;
        faces += find_plane(geom->points, polygon + 1, geom->planes + 4 * (size_t)faces);
    }
    geom->id = rigid->ode.dCreateConvex(rigid->space, geom->planes, faces, geom->points, of->vertices, geom->polygons);
    return geom->id != NULL;
}

/* Makes geom->id of the triangles in geom->mesh, whose arrays must stay. Contacts with convex shapes need to know which
   edges are convex, which is found here. Returns false if memory runs out. */
static bool finish_mesh(rn_rigid *rigid, rn_geom *geom) {
    const rn_ode *ode = &rigid->ode;
    if (!ode->dGeomTriMeshDataPreprocess2(geom->mesh, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL)) return false;
    geom->id = ode->dCreateTriMesh(rigid->space, geom->mesh, NULL, NULL, NULL);
    return geom->id != NULL;
}

/* Creates a geom of the triangles of a part, which need not be convex. Returns false if memory runs out. */
static bool make_mesh(rn_rigid *rigid, const rn_shape_info *info, const rn_shape_part *part, const piece *of,
                      rn_geom *geom) {
    const rn_ode *ode = &rigid->ode;
    geom->polygons = rn_alloc(&rigid->hooks, 3 * (size_t)of->triangles, sizeof *geom->polygons);
    if (!copy_points(rigid, info, of, geom) || !geom->polygons) return false;
    for (size_t i = 0; i < 3 * (size_t)of->triangles; i++)
        geom->polygons[i] = info->indices[3 * (size_t)part->first + i] - of->first;
    geom->mesh = ode->dGeomTriMeshDataCreate();
    if (!geom->mesh) return false;
    ode->dGeomTriMeshDataBuildDouble(geom->mesh, geom->points, 3 * sizeof(double), (int)of->vertices, geom->polygons,
                                     3 * (int)of->triangles, 3 * sizeof(uint32_t));
    return finish_mesh(rigid, geom);
}

/* Creates the geom of one part of a body, attached to it and placed relative to its centre of mass. Returns false if
   memory runs out. */
static bool make_geom(rn_rigid *rigid, rn_ode_body *ode_body, const rn_shape_info *info, const rn_shape_part *part,
                      rn_geom *geom) {
    const rn_ode *ode = &rigid->ode;
    const rn_vec3 size = part->size;
    rn_vec3 at = part->at;
    rn_quat turn = part->turn;
    switch (part->kind) {
    case RN_SHAPE_BOX: geom->id = ode->dCreateBox(rigid->space, size.x, size.y, size.z); break;
    case RN_SHAPE_SPHERE: geom->id = ode->dCreateSphere(rigid->space, size.x); break;
    case RN_SHAPE_CAPSULE: geom->id = ode->dCreateCapsule(rigid->space, size.x, size.z); break;
    case RN_SHAPE_CYLINDER: geom->id = ode->dCreateCylinder(rigid->space, size.x, size.z); break;
    case RN_SHAPE_HULL:
    case RN_SHAPE_MESH: {
        const piece of = find_piece(info, part);
        const bool made = part->kind == RN_SHAPE_HULL ? make_hull(rigid, info, part, &of, geom)
                                                      : make_mesh(rigid, info, part, &of, geom);
        if (!made) return false;
        at = of.middle;
        turn = (rn_quat){0, 0, 0, 1};
    }
    }
    if (!geom->id) return false;
    ode->dGeomSetBody(geom->id, ode_body->id);
    place_geom(rigid, geom, (rn_vec3){at.x - ode_body->centre.x, at.y - ode_body->centre.y, at.z - ode_body->centre.z},
               turn);
    return true;
}

rn_result rn_geoms_create(rn_rigid *rigid, rn_ode_body *ode_body, const rn_shape *shape) {
    const rn_shape_info info = rn_shape_describe(shape);
    ode_body->geoms = rn_alloc(&rigid->hooks, (size_t)info.part_count, sizeof *ode_body->geoms);
    if (!ode_body->geoms) return RN_MEMORY;
    ode_body->geom_count = info.part_count;
    for (int i = 0; i < info.part_count; i++)
        if (make_geom(rigid, ode_body, &info, &info.parts[i], &ode_body->geoms[i]))
            rigid->ode.dGeomSetData(ode_body->geoms[i].id, rn_geom_number(ode_body->body, i));
        else return rn_fail(RN_MEMORY, "there is not enough memory for the shape of a body");
    return RN_OK;
}

void rn_geoms_destroy(rn_rigid *rigid, rn_ode_body *ode_body) {
    for (int i = 0; i < ode_body->geom_count; i++) destroy_geom(rigid, &ode_body->geoms[i]);
    rn_free(&rigid->hooks, ode_body->geoms);
    ode_body->geoms = NULL;
    ode_body->geom_count = 0;
}

/* Creates the mesh of the ground, rigid->ground, or updates it. Sets *changed to whether the mesh is new or has
   changed. */
static rn_result find_ground(rn_rigid *rigid, bool *changed) {
    if (rigid->ground) return rn_ground_mesh_update(rigid->ground, NULL, NULL, changed);
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.world = rigid->world;
    def.shape = rigid->def.solid;
    def.hooks = rigid->hooks;
    *changed = true;
    return rn_ground_mesh_create(&def, &rigid->ground);
}

/* Wakes all bodies that are not lost: the ground under them may have gone. */
static void wake_all(rn_rigid *rigid) {
    for (size_t i = 0; i < rigid->count; i++)
        if (rigid->ode_bodies[i] && !rigid->ode_bodies[i]->lost) rigid->ode.dBodyEnable(rigid->ode_bodies[i]->id);
}

rn_result rn_ground_geom_update(rn_rigid *rigid) {
    const rn_ode *ode = &rigid->ode;
    bool changed = false;
    const rn_result result = find_ground(rigid, &changed);
    if (result != RN_OK || !changed) return result;
    rn_geom *geom = &rigid->ground_geom;
    const rn_mesh mesh = rn_ground_mesh_read(rigid->ground);
    destroy_geom(rigid, geom);
    wake_all(rigid);
    if (mesh.triangle_count == 0) return RN_OK;
    geom->mesh = ode->dGeomTriMeshDataCreate();
    if (geom->mesh) {
        ode->dGeomTriMeshDataBuildSingle(geom->mesh, mesh.positions, 3 * sizeof(float), (int)mesh.vertex_count,
                                         mesh.indices, 3 * (int)mesh.triangle_count, 3 * sizeof(uint32_t));
    }
    return geom->mesh && finish_mesh(rigid, geom)
               ? RN_OK
               : rn_fail(RN_MEMORY, "there is not enough memory for the ground that bodies fall on");
}

void rn_ground_geom_destroy(rn_rigid *rigid) {
    destroy_geom(rigid, &rigid->ground_geom);
    rn_ground_mesh_destroy(rigid->ground);
    rigid->ground = NULL;
}
