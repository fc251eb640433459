/* Everything that a renderer draws of a world: ground, surface of the liquid, and bodies, kept from frame to frame.

   Interface (include/runnel/skin.h): rn_skin_default, create and destroy; rn_skin_update once per frame; then
   rn_skin_ground, surface, bodies and columns, whose results are valid until the next update. rn_skin_follow_liquid
   after the world has got another liquid.

   Order of calls in rn_skin_update:
   - rn_ground_mesh_update remakes the parts of the ground that have changed;
   - rn_drawn_update (world/drawn.c) gives the columns to draw, without bodies;
   - minimum heights (rn_surface_minimum) and buffers follow where columns have changed;
   - rn_body_mesh_update moves the triangles of bodies;
   - rn_surface_build fills the mesh of the surface, or rn_mac_mesh_build that of a 3D liquid.

   Buffers only grow, so that a frame allocates nothing while solids stay in place. If preparing them fails, `ready`
   stays false, and the next update tries again. `told` remembers whether the caller has heard of a changed ground, so
   that an update that fails after the ground has changed does not hide the change. */
#include "base/error.h"
#include "base/memory.h"
#include "world/body_mesh.h"
#include "world/drawn.h"
#include "world/mac.h"

#include "mac/mesh.h"
#include "world/solids.h"

#include <math.h>
#include <runnel/skin.h>
#include <string.h>

struct rn_skin {
    rn_skin_def def;
    rn_ground_mesh *ground;
    rn_mesh mesh;
    rn_surface_room room; /* current capacity */
    float *minimum;       /* m, least depths to draw */
    size_t minimum_room;  /* bytes of `minimum` */
    void *scratch;
    rn_drawn drawn;
    rn_body_mesh bodies;
    uint32_t *coats;        /* of the vertices of the ground; NULL: no paints */
    size_t coats_room;      /* bytes */
    rn_surface_jets jets;   /* what surface.jets points to */
    rn_surface_pour *pours; /* what jets.pours points to, */
    int pour_room;          /* and the number of pours that there is room for */
    rn_mac_mesh *deep;      /* the surface of a 3D liquid, in place of `mesh` */
    bool ready;             /* buffers match the current ground */
    bool told;              /* the caller knows of this ground */
};

/* Sets the full depth, the length of menisci and the contact angle of a surface from the world's liquid. */
static void set_from_liquid(const rn_world *world, rn_surface_def *surface) {
    const rn_liquid liquid = rn_world_liquid(world);
    const double full = rn_liquid_full_depth(&liquid);
    surface->full_depth = full < 1e6 ? (float)full : 1.0f; /* 1 m for perfectly clear liquids, as in the renderer */
    surface->meniscus_length = (float)rn_liquid_capillary_length(&liquid, rn_world_describe(world).gravity);
    surface->contact_angle = (float)liquid.contact_angle;
}

rn_skin_def rn_skin_default(const rn_world *world) {
    rn_skin_def def = {.world = world, .surface = rn_surface_default(), .sharp = true, .closed = true, .threads = 1};
    if (RN_REQUIRE(NULL, world != NULL)) set_from_liquid(world, &def.surface);
    return def;
}

/* Whether the paints are there, and their coats are among those of a look. */
static bool paints_are_valid(const rn_skin_def *def) {
    if (def->paint_count < 0 || (def->paint_count > 0 && !def->paints)) return false;
    for (int i = 0; i < def->paint_count; i++)
        if (def->paints[i].coat < 1 || def->paints[i].coat > RN_MOST_COATS) return false;
    return true;
}

rn_result rn_skin_create(const rn_skin_def *def, rn_skin **skin) {
    if (!RN_REQUIRE(NULL, def != NULL) || !RN_REQUIRE(&def->hooks, def->world && skin)) return RN_INVALID;
    if (!RN_REQUIRE(&def->hooks, paints_are_valid(def))) return RN_INVALID;
    *skin = NULL;
    rn_skin *made = rn_alloc(&def->hooks, 1, sizeof *made);
    if (!made) return RN_MEMORY;
    made->def = *def;
    made->def.surface.kept = NULL;
    if (def->no_least_heights) made->def.surface.least_depth = -1;
    rn_ground_mesh_def ground = rn_ground_mesh_default();
    ground.world = def->world;
    ground.shape = def->shape;
    ground.sharp = def->sharp;
    ground.closed = def->closed;
    ground.spacing = def->spacing;
    ground.threads = def->threads;
    ground.hooks = def->hooks;
    rn_result result = rn_ground_mesh_create(&ground, &made->ground);
    if (result == RN_OK && def->world->mac) result = rn_mac_mesh_create(&def->hooks, &made->deep);
    if (result == RN_OK) *skin = made;
    else rn_skin_destroy(made);
    return result;
}

/* Frees the arrays of the mesh of the surface and sets everything in it to 0. */
static void free_mesh(rn_skin *skin) {
    rn_mesh *m = &skin->mesh;
    void *const all[] = {m->positions, m->normals, m->opacity, m->velocities, m->menisci, m->ids, m->indices};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) rn_free(&skin->def.hooks, all[i]);
    *m = (rn_mesh){0};
}

void rn_skin_destroy(rn_skin *skin) {
    if (!skin) return;
    const rn_hooks hooks = skin->def.hooks;
    free_mesh(skin);
    rn_free(&hooks, skin->scratch);
    rn_free(&hooks, skin->minimum);
    rn_free(&hooks, skin->coats);
    rn_free(&hooks, skin->pours);
    rn_free(&hooks, skin->def.surface.kept);
    rn_drawn_free(&skin->drawn, &hooks);
    rn_body_mesh_free(&skin->bodies, &hooks);
    rn_ground_mesh_destroy(skin->ground);
    rn_mac_mesh_destroy(skin->deep);
    rn_free(&hooks, skin);
}

/* Replaces the mesh of the surface by an empty one with this much room, with menisci if the definition asks for them.
   Returns false, with a message, if memory runs out; then there is no mesh. */
static bool make_mesh(rn_skin *skin, size_t vertices, size_t triangles) {
    const rn_hooks *hooks = &skin->def.hooks;
    rn_mesh *m = &skin->mesh;
    free_mesh(skin);
    m->positions = rn_alloc(hooks, vertices, 3 * sizeof *m->positions);
    m->normals = rn_alloc(hooks, vertices, 3 * sizeof *m->normals);
    m->opacity = rn_alloc(hooks, vertices, sizeof *m->opacity);
    m->velocities = rn_alloc(hooks, vertices, 3 * sizeof *m->velocities);
    m->ids = rn_alloc(hooks, vertices, sizeof *m->ids);
    m->indices = rn_alloc(hooks, triangles, 3 * sizeof *m->indices);
    if (skin->def.menisci) m->menisci = rn_alloc(hooks, vertices, 4 * sizeof *m->menisci);
    if (!m->positions || !m->normals || !m->opacity || !m->velocities || !m->ids || !m->indices ||
        (skin->def.menisci && !m->menisci)) {
        free_mesh(skin);
        return false;
    }
    m->vertex_capacity = (uint32_t)vertices;
    m->triangle_capacity = (uint32_t)triangles;
    return true;
}

/* Makes sure that *memory, of *has bytes, has at least `wanted`; where it must grow, the old content is lost and the
   new zeroed. Returns false, with a message, if memory runs out; then *memory is NULL. */
static bool ensure_bytes(const rn_hooks *hooks, void **memory, size_t *has, size_t wanted) {
    if (*memory && *has >= wanted) return true;
    rn_free(hooks, *memory);
    *memory = rn_alloc(hooks, wanted, 1);
    *has = *memory ? wanted : 0;
    return *memory != NULL;
}

/* Updates the pours and the time of the jets; where there are more pours than ever before, buffers are no longer ready.
   Returns false, with a message, if memory runs out; then there are no pours. */
static bool update_jets(rn_skin *skin) {
    const rn_world *world = skin->def.world;
    const rn_liquid liquid = rn_world_liquid(world);
    const int count = rn_world_pours(world, NULL, 0);
    skin->def.surface.jets = &skin->jets;
    skin->jets = (rn_surface_jets){.time = rn_world_get_stats(world).time,
                                   .tension = (float)(liquid.surface_tension / liquid.density),
                                   .viscosity = (float)liquid.viscosity};
    if (count > skin->pour_room) {
        rn_free(&skin->def.hooks, skin->pours);
        skin->pours = rn_alloc(&skin->def.hooks, (size_t)count, sizeof *skin->pours);
        skin->pour_room = skin->pours ? count : 0;
        skin->ready = false;
        if (!skin->pours) return false;
    }
    rn_world_pours(world, skin->pours, count);
    skin->jets.pours = skin->pours;
    skin->jets.pour_count = count;
    return true;
}

/* Creates buffers for any depths in these columns, and clears the data kept between builds. Moving solid needs a little
   more or less in every frame, so buffers that are large enough stay. On failure returns the code of rn_surface_bound,
   with a message and nothing changed, or RN_MEMORY, after which some buffers may be missing. */
static rn_result make_room(rn_skin *skin, const rn_surface_columns *columns) {
    const rn_hooks *hooks = &skin->def.hooks;
    rn_surface_room room;
    const int pours = skin->jets.pour_count;
    skin->jets.pour_count = skin->pour_room; /* those that are switched off may come back */
    const rn_result result = rn_surface_bound(columns, &skin->def.surface, &room);
    skin->jets.pour_count = pours;
    if (result != RN_OK) return result;
    const size_t had = skin->room.kept;
    void *minimum = skin->minimum;
    if (!ensure_bytes(hooks, &skin->scratch, &skin->room.scratch, room.scratch)) return RN_MEMORY;
    if (!ensure_bytes(hooks, &skin->def.surface.kept, &skin->room.kept, room.kept)) return RN_MEMORY;
    if (had >= room.kept) memset(skin->def.surface.kept, 0, skin->room.kept);
    const bool fine =
        ensure_bytes(hooks, &minimum, &skin->minimum_room, rn_surface_slots(columns) * sizeof *skin->minimum);
    skin->minimum = minimum;
    if (!fine) return RN_MEMORY;
    const rn_mesh *m = &skin->mesh;
    if (m->positions && m->vertex_capacity >= room.vertices && m->triangle_capacity >= room.triangles) return RN_OK;
    return make_mesh(skin, room.vertices, room.triangles) ? RN_OK : RN_MEMORY;
}

/* Creates buffers for the drawn columns, and the minimum heights of those that have changed: those in `area`, or all if
   NULL. skin->ready is set on success only. On failure returns a code, with a message. */
static rn_result prepare_buffers(rn_skin *skin, const rn_surface_area *area) {
    const rn_surface_columns *columns = &skin->drawn.columns;
    const rn_result result = make_room(skin, columns);
    if (result != RN_OK) return result;
    const rn_mesh ground = rn_ground_mesh_read(skin->ground);
    const rn_surface_ground vertices = {ground.positions, ground.normals, ground.vertex_count};
    rn_surface_minimum(columns, &vertices, area, skin->minimum);
    skin->ready = true;
    return RN_OK;
}

/* Builds skin->mesh from the drawn columns, with the threads of the world. The buffers must be ready. On failure
   returns the code and message of rn_surface_build. */
static rn_result build_shallow(rn_skin *skin) {
    rn_surface_def *surface = &skin->def.surface;
    surface->minimum = skin->def.no_least_heights ? NULL : skin->minimum;
    surface->threads = rn_world_threads(skin->def.world);
    return rn_surface_build(&skin->drawn.columns, surface, skin->scratch, skin->room.scratch, &skin->mesh);
}

/* Builds skin->deep, the surface of a 3D liquid, which the world must have. On failure returns the code and message of
   rn_mac_mesh_build. */
static rn_result build_deep(rn_skin *skin) {
    const struct rn_world_mac *m = skin->def.world->mac;
    const rn_mac_mesh_def def = {.origin = m->low, .full_depth = (double)skin->def.surface.full_depth};
    return rn_mac_mesh_build(skin->deep, m->mac, &def);
}

/* The distance (m) from a paint to a point; INFINITY if it is of solids and there are none now. */
static double paint_distance(const rn_world *world, const rn_paint *paint, rn_vec3 at) {
    if (paint->in) return rn_sdf_distance(paint->in, at);
    double distance = INFINITY;
    for (size_t i = 0; i < world->solids.count; i++) {
        const rn_solid *solid = (const rn_solid *)world->solids.list + i;
        if (solid->shape && !solid->hidden && !solid->carve)
            distance = fmin(distance, rn_sdf_distance(solid->shape, at));
    }
    return distance;
}

/* Finds the coat of each vertex of the ground: vertices less than a third of a cell away from a paint have its coat.
   Returns false, with a message, if memory runs out. */
static bool paint_ground(rn_skin *skin) {
    const rn_skin_def *def = &skin->def;
    if (!def->paint_count) return true;
    const rn_mesh ground = rn_ground_mesh_read(skin->ground);
    const double near = 0.33 * def->world->ground.cell_size;
    if (!ensure_bytes(&def->hooks, (void **)&skin->coats, &skin->coats_room,
                      ((size_t)ground.vertex_count + 1) * sizeof *skin->coats))
        return false;
    for (size_t v = 0; v < ground.vertex_count; v++) {
        const float *p = ground.positions + 3 * v;
        const rn_vec3 at = {(double)p[0], (double)p[1], (double)p[2]};
        skin->coats[v] = 0;
        for (int i = 0; i < def->paint_count; i++)
            if (paint_distance(def->world, &def->paints[i], at) < near) skin->coats[v] = (uint32_t)def->paints[i].coat;
    }
    return true;
}

rn_result rn_skin_update(rn_skin *skin, bool *ground_changed) {
    if (!RN_REQUIRE(NULL, skin != NULL)) return RN_INVALID;
    const rn_world *world = skin->def.world;
    bool changed = false;
    rn_surface_area area;
    rn_result result = rn_ground_mesh_update(skin->ground, NULL, NULL, &changed);
    if (result != RN_OK || changed) skin->ready = skin->told = false;
    if (result == RN_OK && !skin->told && !paint_ground(skin)) result = RN_MEMORY;
    if (result == RN_OK) result = rn_drawn_update(&skin->drawn, world, &skin->def.hooks, &area);
    if (result == RN_OK && !update_jets(skin)) result = RN_MEMORY;
    if (skin->deep) skin->ready = true;
    if (result == RN_OK && !skin->ready) result = prepare_buffers(skin, NULL);
    else if (result == RN_OK && !skin->deep && area.x1 > area.x0) {
        skin->ready = false; /* until it has succeeded */
        result = prepare_buffers(skin, &area);
    }
    if (result == RN_OK) result = rn_body_mesh_update(&skin->bodies, world, &skin->def.hooks);
    if (result != RN_OK) return result;
    result = skin->deep ? build_deep(skin) : build_shallow(skin);
    if (result != RN_OK) return result;
    if (ground_changed) *ground_changed = !skin->told;
    skin->told = true;
    return RN_OK;
}

void rn_skin_follow_liquid(rn_skin *skin) {
    if (!RN_REQUIRE(NULL, skin != NULL)) return;
    set_from_liquid(skin->def.world, &skin->def.surface);
    skin->ready = false; /* nothing that was kept is used again */
}

rn_mesh rn_skin_ground(const rn_skin *skin) {
    if (!RN_REQUIRE(NULL, skin != NULL)) return (rn_mesh){0};
    rn_mesh ground = rn_ground_mesh_read(skin->ground);
    ground.ids = skin->coats;
    return ground;
}

rn_mesh rn_skin_surface(const rn_skin *skin) {
    if (!RN_REQUIRE(NULL, skin != NULL)) return (rn_mesh){0};
    return skin->deep ? rn_mac_mesh_read(skin->deep) : skin->mesh;
}

rn_mesh rn_skin_bodies(const rn_skin *skin) {
    return RN_REQUIRE(NULL, skin != NULL) ? skin->bodies.mesh : (rn_mesh){0};
}

rn_surface_columns rn_skin_columns(const rn_skin *skin) {
    return RN_REQUIRE(NULL, skin != NULL) ? skin->drawn.columns : (rn_surface_columns){0};
}
