#include "export.h"

#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[] = {"ply", "obj"};

bool export_knows(const char *ending) {
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(ending, endings[i]) == 0) return true;
    complain("runnel run: --export %.60s: meshes are written as ply or obj", ending);
    return false;
}

static bool fail(void) {
    complain("%s", rn_last_error());
    return false;
}

static void free_buffers(exporter *e) {
    rn_mesh *m = &e->mesh;
    void *const all[] = {m->positions, m->normals, m->opacity, m->velocities,  m->ids,
                         m->indices,   e->scratch, e->minimum, e->surface.kept};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    e->mesh = (rn_mesh){0};
    e->scratch = NULL;
    e->minimum = NULL;
    e->surface.kept = NULL;
}

/* Buffers for whatever the liquid will do on this ground. */
static bool make_buffers(exporter *e, const rn_surface_columns *columns) {
    free_buffers(e);
    if (rn_surface_bound(columns, &e->surface, &e->room) != RN_OK) return fail();
    rn_mesh *m = &e->mesh;
    const size_t vertices = e->room.vertices + 1, corners = 3 * (e->room.triangles + 1);
    m->positions = calloc(vertices, 3 * sizeof *m->positions);
    m->normals = calloc(vertices, 3 * sizeof *m->normals);
    m->opacity = calloc(vertices, sizeof *m->opacity);
    m->velocities = calloc(vertices, 3 * sizeof *m->velocities);
    m->ids = calloc(vertices, sizeof *m->ids);
    m->indices = calloc(corners, sizeof *m->indices);
    e->scratch = malloc(e->room.scratch + 8);
    e->surface.kept = calloc(e->room.kept + 1, 1);
    e->minimum = calloc(rn_surface_slots(columns) + 1, sizeof *e->minimum);
    m->vertex_capacity = (uint32_t)e->room.vertices;
    m->triangle_capacity = (uint32_t)e->room.triangles;
    if (m->positions && m->normals && m->opacity && m->velocities && m->ids && m->indices && e->scratch && e->minimum &&
        e->surface.kept)
        return true;
    complain("there is not enough memory for a surface of %zu vertices", e->room.vertices);
    return false;
}

bool export_open(exporter *e, const char *ending, rn_scene *scene, int threads) {
    const rn_world *world = rn_scene_world(scene);
    *e = (exporter){.ending = ending, .surface = rn_surface_default(), .liquid = rn_world_liquid(world)};
    if (!ending) return true;
    const double length = rn_liquid_capillary_length(&e->liquid, rn_world_describe(world).gravity);
    const double shown = rn_scene_describe(scene).view.full_depth; /* as in the pictures, or as it is */
    e->surface.full_depth = (float)(shown > 0 ? shown : rn_liquid_full_depth(&e->liquid));
    e->surface.meniscus_length = (float)length;
    e->surface.contact_angle = (float)e->liquid.contact_angle;
    rn_ground_mesh_def ground = rn_ground_mesh_default();
    ground.world = world;
    ground.shape = rn_scene_solid(scene);
    ground.closed = true;
    ground.sharp = true; /* walls and kerbs keep their edges */
    ground.threads = threads;
    return rn_ground_mesh_create(&ground, &e->ground) == RN_OK || fail();
}

void export_close(exporter *e) {
    free_buffers(e);
    rn_ground_mesh_destroy(e->ground);
    *e = (exporter){0};
}

static bool write_mesh(const exporter *e, const char *folder, const char *name, int frame, const rn_mesh *mesh) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s-%04d.%s", folder, name, frame, e->ending);
    if (length < 0 || length >= (int)sizeof path) {
        complain("--out %.60s...: the name is longer than %zu characters", folder, sizeof path);
        return false;
    }
    return rn_mesh_write(path, mesh) == RN_OK || fail();
}

/* A mesh of the ground whenever there is another; the surface then needs other least heights, and other room. */
static bool follow_ground(exporter *e, const char *folder, int frame, const rn_surface_columns *columns) {
    bool changed = false;
    if (rn_ground_mesh_update(e->ground, NULL, NULL, &changed) != RN_OK) return fail();
    if (e->terrains > 0 && !changed) return true;
    const rn_mesh ground = rn_ground_mesh_read(e->ground);
    if (!write_mesh(e, folder, "terrain", frame, &ground)) return false;
    e->terrains++;
    if (!make_buffers(e, columns)) return false;
    const rn_surface_ground vertices = {ground.positions, ground.normals, ground.vertex_count};
    rn_surface_minimum(columns, &vertices, NULL, e->minimum);
    e->surface.minimum = e->minimum;
    return true;
}

bool export_frame(exporter *e, const char *folder, int frame, const rn_world *world) {
    if (!e->ending) return true;
    const rn_surface_columns columns = rn_surface_columns_of(world);
    if (!follow_ground(e, folder, frame, &columns)) return false;
    e->surface.threads = rn_world_threads(world);
    if (rn_surface_build(&columns, &e->surface, e->scratch, e->room.scratch, &e->mesh) != RN_OK) return fail();
    e->surfaces++;
    return write_mesh(e, folder, "surface", frame, &e->mesh);
}

int export_number(const char *name) {
    const char *digits = NULL;
    if (strncmp(name, "surface-", 8) == 0 || strncmp(name, "terrain-", 8) == 0) digits = name + 8;
    const size_t count = digits ? strspn(digits, "0123456789") : 0;
    if (count < 4 || count > 9 || digits[count] != '.') return -1;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(digits + count + 1, endings[i]) == 0) return atoi(digits);
    return -1;
}
