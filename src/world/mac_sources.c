/* Sources and drains of a world, handed to its 3D liquid. Interface: world/mac.h.

   rn_world_mac_check_source and rn_world_mac_add_source are called when a source is added (world/sources.c), and
   rn_world_mac_set_sources before the liquid advances, in every part of a step (mac_step.c). Only disks with a rate
   are possible. In each part every source gets its place in the middle of that time, its velocity and its mean rate.
   A source without a velocity becomes a jet straight down, at its rate divided by its area. What sources will add is
   checked against the limit of memory first. m->sources maps the number of a source in the world to that in mac/. */
#include "base/error.h"
#include "base/memory.h"
#include "mac/state.h"
#include "world/mac.h"

#include <math.h>

#define PI      3.14159265358979323846
#define MOST    1e9 /* m^3/s, most that a drain can take */
#define FASTEST 1e4 /* m/s, of jets, as in mac/sources.c */

rn_result rn_world_mac_check_source(const rn_source_def *def) {
    if (def->kind != RN_SOURCE_RATE && def->kind != RN_SOURCE_DRAIN)
        return rn_fail(RN_INVALID, "the 3D liquid has sources and drains of a rate only: no level, head, rain or loss");
    if (def->shape || def->along_side)
        return rn_fail(RN_INVALID,
                       "sources and drains of the 3D liquid are round: give \"at\" or \"path\", and \"radius\"");
    const rn_vec3 v = def->velocity;
    if (fabs(v.x) <= FASTEST && fabs(v.y) <= FASTEST && fabs(v.z) <= FASTEST) return RN_OK;
    return rn_fail(RN_INVALID, "the source's velocity is (%g, %g, %g); it must be at most %g m/s along each axis", v.x,
                   v.y, v.z, FASTEST);
}

/* The radius (m) of a source, at least half a cell. */
static double radius_of(const rn_world_mac *m, const rn_source *source) {
    return rn_max(source->radius, 0.5 * m->def.cell_size);
}

/* The place (m) of a source at a time (s), relative to the corner of the box. */
static rn_vec3 position_of(const rn_world_mac *m, const rn_source *source, double time) {
    const rn_vec3 at = source->path ? rn_path_at(source->path, source->path_count, time) : source->at;
    return (rn_vec3){at.x - m->low.x, at.y - m->low.y, at.z - m->low.z};
}

/* The mean rate (m^3/s) of a source over the next `seconds`, below 0 for a drain; 0 if it was removed or is not active
   then. A drain of infinite rate takes all that comes. */
static double rate_of(const rn_source *source, double now, double seconds) {
    const double from = rn_max(now, source->start);
    const double to = source->stop != 0.0 ? rn_min(now + seconds, source->stop) : now + seconds;
    if (source->removed || to <= from) return 0.0;
    const double rate = isfinite(source->value.highest) ? rn_series_integral(&source->value, from, to) / seconds : MOST;
    return source->kind == RN_SOURCE_RATE ? rate : -rn_min(rate, MOST);
}

/* The velocity (m/s) of a source: as given, or if that is 0 straight down, at the rate divided by its area. */
static rn_vec3 velocity_of(const rn_world_mac *m, const rn_source *source, rn_vec3 given, double rate) {
    if (given.x != 0.0 || given.y != 0.0 || given.z != 0.0 || source->kind == RN_SOURCE_DRAIN) return given;
    const double r = radius_of(m, source);
    return (rn_vec3){0.0, 0.0, -rn_min(rate / (PI * r * r), FASTEST)};
}

/* Returns RN_INVALID unless a height (m) lies in the box. */
static rn_result check_height(const rn_world_mac *m, double z) {
    const double top = m->low.z + m->def.cell_size * m->def.cells_z;
    if (z >= m->low.z && z <= top) return RN_OK;
    return rn_fail(RN_INVALID, "the source is at z %g m; the box of the 3D liquid reaches from %g to %g m: see \"lid\"",
                   z, m->low.z, top);
}

rn_result rn_world_mac_add_source(rn_world *world, const rn_source *source, const rn_source_def *def) {
    rn_world_mac *m = world->mac;
    const rn_hooks *hooks = &world->hooks;
    if (!rn_grow(hooks, &m->sources, &m->source_room, m->source_count, sizeof *m->sources) ||
        !rn_grow(hooks, &m->speeds, &m->speed_room, m->source_count, sizeof *m->speeds))
        return RN_MEMORY;
    const rn_mac_source_def made = {.position = position_of(m, source, world->stats.time),
                                    .radius = radius_of(m, source),
                                    .rate = 0.0,
                                    .velocity = def->velocity};
    rn_result result = check_height(m, source->path ? source->path[0].at.z : source->at.z);
    for (int i = 1; i < source->path_count && result == RN_OK; i++) result = check_height(m, source->path[i].at.z);
    if (result == RN_OK) result = rn_mac_add_source(m->mac, &made, &m->sources[m->source_count]);
    if (result == RN_OK) m->speeds[m->source_count++] = def->velocity;
    return result;
}

rn_result rn_world_mac_set_sources(rn_world *world, double seconds) {
    rn_world_mac *m = world->mac;
    rn_result result = RN_OK;
    double due = 0.0; /* m^3 */
    for (size_t i = 0; i < m->source_count && i < world->sources.count && result == RN_OK; i++) {
        const rn_source *source = &world->sources.list[i];
        const double now = world->stats.time, rate = rate_of(source, now, seconds);
        due += rn_max(rate * seconds, 0.0);
        result = rn_mac_set_source_rate(m->mac, m->sources[i], rate);
        if (result == RN_OK)
            result = rn_mac_move_source(m->mac, m->sources[i], position_of(m, source, now + 0.5 * seconds),
                                        velocity_of(m, source, m->speeds[i], rate));
    }
    const double particle = m->def.cell_size * m->def.cell_size * m->def.cell_size / RN_MAC_REST;
    const double particles = (double)rn_mac_particle_count(m->mac) + due / particle;
    return result == RN_OK ? rn_world_mac_check_memory(m, particles) : result;
}
