/* A world with a 3D liquid: creation, step, change of settings and archive.

   Interface (world/mac.h): rn_world_mac_create, free, bytes, retune, step and archive, called by create.c,
   settings.c, frame.c and snapshot.c in place of, or in addition to, what they do for columns.

   Order of calls in rn_world_mac_step: rn_solids_apply brings the columns up to date with moved solids; then, in each
   part, bodies move, solids are placed (mac_solids.c, mac_bodies.c), sources are set (mac_sources.c), and the liquid
   advances (mac/step.c). After the last part come the loads on bodies, whether they are aground, the gauges, and the
   columns of the world (mac_show.c). Clock, ledger and archive are those of the world.

   The box of the liquid is the domain, from the datum to the lid, rounded up to whole cells. The terrain must be made
   of a solid, whose distances are sampled at the nodes once; level ground at the datum is the floor of the box and
   needs none. A viscosity below LEAST_VISCOSITY sqrt(g dx) dx is less than what the grid itself has, and is left out.
   In the archive, poses of solids are saved only if solids have changed since the last step, and torques of viscosity
   only if there are any. */
#include "world/mac.h"

#include "base/error.h"
#include "base/memory.h"
#include "mac/state.h"
#include "mac/viscosity.h"
#include "terrain/terrain.h"
#include "world/apply.h"
#include "world/pose.h"

#include <math.h>

/* Viscosity below this share of sqrt(g dx) dx is less than that of the grid. */
#define LEAST_VISCOSITY 1e-2
#define MEMORY          8e9 /* bytes, default */

/* ---- Creation ---------------------------------------------------------------------------------------------------- */

/* Returns RN_INVALID, with a message, if the definition has edges or a drop that a 3D liquid does not support. */
static rn_result check_edges(const rn_world_def *def) {
    for (int side = RN_SIDE_SOUTH; side <= RN_SIDE_NORTH; side++)
        if (def->edges[side] == RN_EDGE_PERIODIC)
            return rn_fail(RN_INVALID, "the 3D liquid can be periodic along x only; make the edges along y walls");
    if (def->drop_x != 0.0) return rn_fail(RN_INVALID, "the 3D liquid has no drop_x; tilt gravity instead");
    return RN_OK;
}

/* The open edges, as bits for rn_mac_def.open. */
static unsigned open_sides(const rn_world_def *def) {
    unsigned open = 0;
    for (int side = 0; side < 4; side++)
        if (def->edges[side] == RN_EDGE_OPEN) open |= 1u << side; /* rn_side has the order of the bits of RN_MAC_... */
    return open;
}

/* The viscosity (m^2/s) of the 3D liquid in cells of this size (m); 0 if it is too small to matter on such a grid. */
static double viscosity_for(const rn_world_def *def, double cell) {
    const double g = (double)(float)-def->gravity.z, nu = def->liquid.viscosity;
    return nu > LEAST_VISCOSITY * sqrt(g * cell) * cell ? nu : 0.0;
}

/* The surface tension (m^3/s^2, over the density) of the 3D liquid: none unless contact is dynamic. */
static double tension_for(const rn_world_def *def) {
    return def->contact == RN_CONTACT_DYNAMIC ? def->liquid.surface_tension / def->liquid.density : 0.0;
}

/* The definition of the 3D liquid that fills the world's domain, up to the lid rounded up to whole cells. Liquid sticks
   to the floor and to solids, and slips along walls. */
static rn_mac_def definition(const rn_world *world, const rn_world_def *def) {
    const double cell = world->ground.cell_size;
    rn_mac_def mac = rn_mac_default();
    mac.cells_x = world->ground.cells_x;
    mac.cells_y = world->ground.cells_y;
    mac.cells_z = (int)rn_min(ceil((world->ground.lid - world->datum) / cell - 1e-6), 1e6);
    mac.cell_size = cell;
    mac.gravity = def->gravity;
    mac.viscosity = viscosity_for(def, cell);
    mac.surface_tension = tension_for(def);
    mac.no_slip = RN_MAC_Z_LOW | RN_MAC_SOLIDS;
    mac.open = open_sides(def);
    mac.periodic_x = def->edges[RN_SIDE_WEST] == RN_EDGE_PERIODIC;
    mac.threads = def->threads;
    return mac;
}

typedef struct sampling {
    const rn_world_mac *m;
    const rn_sdf *solid;
} sampling;

/* A task over layers of nodes: writes their distances to the ground. */
static void sample_layers(void *context, int begin, int end, int worker) {
    (void)worker;
    const sampling *s = context;
    const rn_world_mac *m = s->m;
    const double cell = m->def.cell_size;
    for (int k = begin; k < end; k++)
        for (int j = 0; j < m->nodes[1]; j++)
            for (int i = 0; i < m->nodes[0]; i++) {
                const rn_vec3 at = {m->low.x + cell * i, m->low.y + cell * j, m->low.z + cell * k};
                m->ground[(size_t)i + (size_t)m->nodes[0] * ((size_t)j + (size_t)m->nodes[1] * (size_t)k)] =
                    s->solid->type->distance(s->solid, at);
            }
}

/* Whether the ground is only the floor of the box: level, at the datum, without roofs and holes. */
static bool is_floor(const rn_world *world) {
    return world->ground.lowest == world->ground.highest && world->ground.layers == 1 && world->ground.holes == 0 &&
           world->datum == world->ground.lowest;
}

/* Stores the distance (m) from each node to the terrain, unless the ground is the floor of the box. On failure returns
   RN_INVALID (the terrain has no solid, or its solid fills the box) or RN_MEMORY, with a message. */
static rn_result sample_ground(rn_world *world, const rn_terrain *terrain) {
    rn_world_mac *m = world->mac;
    if (is_floor(world)) return RN_OK;
    if (!terrain->solid)
        return rn_fail(RN_INVALID, "the 3D liquid needs a terrain that is made of a solid rather than of columns");
    const size_t count = (size_t)m->nodes[0] * (size_t)m->nodes[1] * (size_t)m->nodes[2];
    m->ground = rn_alloc(&world->hooks, count, sizeof *m->ground);
    if (!m->ground) return RN_MEMORY;
    sampling s = {m, terrain->solid};
    rn_parallel_for(world->pool, m->nodes[2], sample_layers, &s);
    for (size_t n = 0; n < count; n++)
        if (m->ground[n] > 0.0) return RN_OK;
    return rn_fail(RN_INVALID, "the solid fills the whole box of the 3D liquid, from %g to %g m: raise the lid",
                   m->low.z, m->low.z + m->def.cell_size * m->def.cells_z);
}

rn_result rn_world_mac_create(rn_world *world, const rn_world_def *def) {
    rn_result result = check_edges(def);
    if (result != RN_OK) return result;
    rn_world_mac *m = world->mac = rn_alloc(&world->hooks, 1, sizeof *m);
    if (!m) return RN_MEMORY;
    m->def = definition(world, def);
    m->def.hooks = &world->hooks;
    m->low = (rn_vec3){world->ground.origin_x, world->ground.origin_y, world->datum};
    m->nodes[0] = m->def.cells_x + 1, m->nodes[1] = m->def.cells_y + 1, m->nodes[2] = m->def.cells_z + 1;
    m->memory = def->memory > 0.0 ? def->memory : MEMORY;
    const bool fits =
        m->def.cells_x <= RN_MAC_LONGEST && m->def.cells_y <= RN_MAC_LONGEST && m->def.cells_z <= RN_MAC_LONGEST;
    result = fits ? rn_world_mac_check_memory(m, 0.0) : RN_OK; /* otherwise rn_mac_create says what is wrong */
    if (result == RN_OK) result = rn_mac_create(&m->def, &m->mac);
    if (result == RN_OK) result = sample_ground(world, def->terrain);
    return result == RN_OK ? rn_world_mac_place_solids(world, 0.0, 0.0) : result;
}

void rn_world_mac_free(rn_world *world) {
    rn_world_mac *m = world->mac;
    if (!m) return;
    rn_mac_destroy(m->mac);
    void *const all[] = {m->ground, m->sources, m->speeds, m->solids, m->actors, m->bodies, m->numbers, m};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) rn_free(&world->hooks, all[i]);
    world->mac = NULL;
}

size_t rn_world_mac_bytes(const rn_world *world) {
    const rn_world_mac *m = world->mac;
    if (!m) return 0;
    const size_t nodes = (size_t)m->nodes[0] * (size_t)m->nodes[1] * (size_t)m->nodes[2];
    return rn_mac_grid_bytes(&m->def) + (size_t)rn_mac_particle_count(m->mac) * rn_mac_particle_bytes(&m->def) +
           (m->ground ? nodes * sizeof *m->ground : 0);
}

rn_result rn_world_mac_retune(rn_world *world, const rn_world_def *def) {
    rn_world_mac *m = world->mac;
    const double viscosity = viscosity_for(def, world->ground.cell_size), before = m->mac->def.viscosity;
    const double tension = tension_for(def);
    if (tension > 0.0 && !m->mac->curvature)
        return rn_fail(RN_INVALID, "the 3D liquid was made without surface tension, and cannot get one of %g N/m now",
                       def->liquid.surface_tension);
    if (viscosity > 0.0 && !m->mac->viscous) {
        m->mac->def.viscosity = viscosity;
        if (!rn_mac_viscosity_create(m->mac)) {
            rn_mac_viscosity_free(m->mac);
            m->mac->viscous = NULL;
            m->mac->def.viscosity = before;
            return RN_MEMORY;
        }
    } else if (viscosity == 0.0) {
        rn_mac_viscosity_free(m->mac);
        m->mac->viscous = NULL;
    }
    m->def.viscosity = m->mac->def.viscosity = viscosity;
    m->def.gravity = m->mac->def.gravity = def->gravity;
    m->def.surface_tension = m->mac->def.surface_tension = tension;
    return RN_OK;
}

/* ---- A step ------------------------------------------------------------------------------------------------------ */

/* Advances bodies, liquid and clock by part number `part` (from 0) of `parts` of a step of `seconds`. Adds to the
   report. On failure returns a code, with a message; then the clock is unchanged, but bodies have moved. */
static rn_result step_part(rn_world *world, int part, int parts, double seconds, rn_mac_report *report) {
    rn_world_mac *m = world->mac;
    const double length = seconds / parts;
    rn_mac_report own = {0};
    rn_bodies_advance(world, (part + 1.0) / parts);
    rn_result result = rn_world_mac_place_solids(world, seconds, length);
    if (result == RN_OK) result = rn_world_mac_set_sources(world, length);
    if (result == RN_OK) result = rn_mac_step(m->mac, length, &own);
    if (result != RN_OK) return result;
    rn_world_mac_take_bodies(world);
    world->stats.time += length;
    report->substeps += own.substeps;
    if (own.most_iterations > report->most_iterations) report->most_iterations = own.most_iterations;
    return RN_OK;
}

rn_result rn_world_mac_step(rn_world *world, double seconds) {
    rn_world_mac *m = world->mac;
    rn_world_stats *stats = &world->stats;
    rn_mac_report report = {0};
    const int parts = rn_world_mac_parts(world);
    rn_world_mac_begin_loads(world);
    rn_gauges_begin(world);
    rn_result result = rn_solids_apply(world);
    for (int part = 0; part < parts && result == RN_OK; part++)
        result = step_part(world, part, parts, seconds, &report);
    if (result != RN_OK) return result;
    rn_world_mac_keep_poses(world);
    rn_world_mac_load_bodies(world);
    rn_world_mac_ground_bodies(world);
    rn_world_mac_read_gauges(world);
    stats->asked += seconds;
    stats->steps += (uint64_t)report.substeps;
    stats->substeps = report.substeps;
    stats->dt = report.substeps > 0 ? seconds / report.substeps : seconds;
    stats->limit = stats->dt;
    stats->iterations = report.most_iterations;
    stats->fastest = rn_mac_fastest(m->mac);
    stats->bounded[report.substeps > 1 ? RN_BOUND_SPEED : RN_BOUND_CALL] += (uint64_t)report.substeps;
    return rn_world_mac_show(world);
}

/* ---- Archive ----------------------------------------------------------------------------------------------------- */

/* Flags of a saved 3D liquid. CHANGED: the poses follow that solids had in the last step. DRAGGED: then the torques of
   viscosity on bodies. */
enum { MOVING = 1, CHANGED = 2, DRAGGED = 4 };

/* Whether viscosity turned a body in the last step. */
static bool has_drag_torque(const rn_world *world) {
    for (size_t i = 0; i < world->mac->actor_count; i++) {
        const rn_vec3 t = world->mac->actors[i].drag_torque;
        if (t.x != 0.0 || t.y != 0.0 || t.z != 0.0) return true;
    }
    return false;
}

/* The flags with which the 3D liquid of a world is saved now. */
static int32_t flags_of(const rn_world *world) {
    const rn_world_mac *m = world->mac;
    return (m->moving ? MOVING : 0) | (rn_world_mac_has_changed(world) ? CHANGED : 0) |
           (has_drag_torque(world) ? DRAGGED : 0);
}

rn_result rn_world_mac_archive(rn_world *world, rn_archive *a) {
    rn_mac *mac = world->mac->mac;
    if (a->pass == RN_HASH) {
        const uint64_t hash = rn_mac_hash(mac);
        a->hash = (a->hash ^ hash) * 0x100000001b3u;
        return RN_OK;
    }
    uint64_t size = rn_archive_is_reading(a) ? 0 : rn_mac_saved_size(mac);
    int32_t flags = rn_archive_is_reading(a) ? 0 : flags_of(world);
    RN_ARCHIVE_VALUE(a, size);
    RN_ARCHIVE_VALUE(a, flags);
    if (flags & ~(MOVING | CHANGED | DRAGGED)) a->broken = true;
    rn_result result = RN_OK;
    if (a->pass == RN_READ && !a->broken) result = rn_world_mac_restore_solids(world, flags & MOVING);
    if (flags & CHANGED && result == RN_OK && !a->broken) rn_world_mac_archive_poses(world, a);
    if (flags & DRAGGED && result == RN_OK && !a->broken) rn_world_mac_archive_torques(world, a);
    if (rn_archive_is_reading(a) && size > a->size - a->at) a->broken = true;
    if (a->broken) return result;
    if (a->pass == RN_WRITE) rn_mac_save(mac, a->bytes + a->at);
    if (a->pass == RN_CHECK) result = rn_mac_check_saved(mac, a->bytes + a->at, (size_t)size);
    if (a->pass == RN_READ && result == RN_OK) result = rn_mac_restore(mac, a->bytes + a->at, (size_t)size);
    if (a->pass == RN_READ && world->mac->source_count > world->sources.count)
        world->mac->source_count = world->sources.count;
    a->at += (size_t)size;
    return result;
}
