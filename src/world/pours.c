/* What drawing asks of a world beyond its columns: open edges, and pours, which are disks that pour a rate from a
   spout. */
#include "world/sources.h"

#include <runnel/surface.h>

/* Whether a source pours from a spout at this time (s). */
static bool is_pouring(const rn_source *source, double time) {
    return source->kind == RN_SOURCE_RATE && source->disk && !source->removed && time >= source->start &&
           (source->stop == 0.0 || time < source->stop);
}

int rn_world_pours(const rn_world *world, rn_surface_pour *pours, int room) {
    int count = 0;
    for (size_t i = 0; !world->mac && i < world->sources.count; i++) {
        const rn_source *source = &world->sources.list[i];
        if (!is_pouring(source, world->stats.time)) continue;
        const bool moved = source->path || source->at.x != 0.0 || source->at.y != 0.0 || source->at.z != 0.0;
        const rn_vec3 at = moved ? source->at : source->spout;
        if (count < room)
            pours[count] = (rn_surface_pour){.at = {(float)at.x, (float)at.y, (float)at.z},
                                             .radius = (float)source->radius,
                                             .rate = (float)rn_series_at(&source->value, world->stats.time)};
        count++;
    }
    return count;
}

uint32_t rn_world_open_sides(const rn_world *world) {
    uint32_t open = 0;
    for (int side = 0; side < 4; side++) open |= (uint32_t)(world->def.edges[side] == RN_EDGE_OPEN) << side;
    return open;
}
