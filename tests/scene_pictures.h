/* A scene with all that is drawn of it: for tests of pictures, and for looking at them. */
#ifndef SCENE_PICTURES_H
#define SCENE_PICTURES_H

#include <runnel/runnel.h>
#include <stdlib.h>

typedef struct drawn {
    rn_scene *scene;
    rn_ground_mesh *ground;
    rn_surface_def surface;
    rn_mesh mesh;
    rn_surface_room room;
    float *minimum;
    void *scratch;
    rn_surface_jets jets;
    rn_surface_pour pours[16];
} drawn;

static inline void drawn_free_buffers(drawn *d) {
    rn_mesh *m = &d->mesh;
    void *const all[] = {m->positions, m->normals, m->opacity, m->velocities, m->menisci,
                         m->ids,       m->indices, d->scratch, d->minimum,    d->surface.kept};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    *m = (rn_mesh){0};
    d->scratch = d->surface.kept = NULL;
    d->minimum = NULL;
}

static inline void drawn_close(drawn *d) {
    drawn_free_buffers(d);
    rn_ground_mesh_destroy(d->ground);
    rn_scene_close(d->scene);
}

static inline void drawn_make_buffers(drawn *d, const rn_surface_columns *columns) {
    drawn_free_buffers(d);
    if (rn_surface_bound(columns, &d->surface, &d->room) != RN_OK) abort();
    rn_mesh *m = &d->mesh;
    const size_t vertices = d->room.vertices + 1;
    m->positions = calloc(vertices, 12);
    m->normals = calloc(vertices, 12);
    m->opacity = calloc(vertices, 4);
    m->velocities = calloc(vertices, 12);
    m->menisci = calloc(vertices, 16);
    m->ids = calloc(vertices, 4);
    m->indices = calloc(d->room.triangles + 1, 12);
    d->scratch = malloc(d->room.scratch + 8);
    d->surface.kept = calloc(d->room.kept + 1, 1);
    d->minimum = calloc(rn_surface_slots(columns) + 1, 4);
    m->vertex_capacity = (uint32_t)d->room.vertices;
    m->triangle_capacity = (uint32_t)d->room.triangles;
}

/* False: rn_last_error says why. */
static inline bool drawn_open(drawn *d, const char *path, const char *const *set, int set_count, double full_depth) {
    *d = (drawn){.surface = rn_surface_default()};
    const rn_scene_def def = {.path = path, .set = set, .set_count = set_count, .keep_solid = true};
    if (rn_scene_open(&def, &d->scene) != RN_OK) return false;
    const rn_world *world = rn_scene_world(d->scene);
    const rn_liquid liquid = rn_world_liquid(world);
    d->surface.full_depth = (float)(full_depth > 0 ? full_depth : rn_liquid_full_depth(&liquid));
    d->surface.meniscus_length = (float)rn_liquid_capillary_length(&liquid, rn_world_describe(world).gravity);
    d->surface.contact_angle = (float)liquid.contact_angle;
    rn_ground_mesh_def ground = rn_ground_mesh_default();
    ground.world = world;
    ground.shape = rn_scene_solid(d->scene);
    ground.closed = ground.sharp = true;
    return rn_ground_mesh_create(&ground, &d->ground) == RN_OK;
}

/* Gives a renderer the ground if it has changed, or is wanted anew, and the liquid as it is now. */
static inline bool drawn_give(drawn *d, rn_renderer *renderer, bool anew) {
    const rn_world *world = rn_scene_world(d->scene);
    const rn_surface_columns columns = rn_surface_columns_of(world);
    const rn_liquid liquid = rn_world_liquid(world);
    bool changed = false;
    int pours = rn_world_pours(world, d->pours, 16);
    d->jets = (rn_surface_jets){.pours = d->pours,
                                .pour_count = pours < 16 ? pours : 16,
                                .time = rn_world_get_stats(world).time,
                                .tension = (float)(liquid.surface_tension / liquid.density),
                                .viscosity = (float)liquid.viscosity};
    d->surface.jets = &d->jets;
    if (rn_ground_mesh_update(d->ground, NULL, NULL, &changed) != RN_OK) return false;
    const rn_mesh ground = rn_ground_mesh_read(d->ground);
    if (changed || anew || !d->minimum) {
        drawn_make_buffers(d, &columns);
        const rn_surface_ground vertices = {ground.positions, ground.normals, ground.vertex_count};
        rn_surface_minimum(&columns, &vertices, NULL, d->minimum);
        d->surface.minimum = d->minimum;
        if (rn_renderer_set_ground(renderer, &ground) != RN_OK) return false;
    }
    d->surface.threads = rn_world_threads(world);
    if (rn_surface_build(&columns, &d->surface, d->scratch, d->room.scratch, &d->mesh) != RN_OK) return false;
    return rn_renderer_set_liquid(renderer, &d->mesh, &liquid, &columns) == RN_OK;
}

/* Corners of the ground's box (m). */
static inline void drawn_box(const drawn *d, rn_vec3 *low, rn_vec3 *high) {
    const rn_mesh m = rn_ground_mesh_read(d->ground);
    *low = (rn_vec3){1e9, 1e9, 1e9};
    *high = (rn_vec3){-1e9, -1e9, -1e9};
    for (size_t v = 0; v < m.vertex_count; v++) {
        const double p[3] = {(double)m.positions[3 * v], (double)m.positions[3 * v + 1],
                             (double)m.positions[3 * v + 2]};
        low->x = p[0] < low->x ? p[0] : low->x;
        low->y = p[1] < low->y ? p[1] : low->y;
        low->z = p[2] < low->z ? p[2] : low->z;
        high->x = p[0] > high->x ? p[0] : high->x;
        high->y = p[1] > high->y ? p[1] : high->y;
        high->z = p[2] > high->z ? p[2] : high->z;
    }
}

#endif
