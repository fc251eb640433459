/* Finds which bodies in a 3D liquid rest on solid. Interface: rn_world_mac_ground_bodies (world/mac.h).

   world/mac_step.c calls it at the end of every step, when bodies are at their last poses and their loads are known.
   Hosts read the result as `aground` of the load.

   Between a body and solid below it, the distances to both add up to the gap, also inside either of them if both are
   flat there. So the smallest sum over the nodes of the grid around the body is the gap, or a little more where the
   body is round. The gap counts only where distances to the solid grow upwards: a pier beside a body does not carry
   it. */
#include "bodies/shape.h"
#include "world/mac.h"

#include <math.h>

#define NEAR  1.0 /* cells, from the surface of a body to nodes that are tried */
#define TOUCH 0.1 /* cells, gap of a body that rests on solid */

/* The nodes from *first to *last along an axis that lie within `reach` (m) of `centre` (m). */
static void range(double centre, double reach, double cell, int nodes, int *first, int *last) {
    *first = (int)rn_clamp(ceil((centre - reach) / cell), 0.0, nodes);
    *last = (int)rn_clamp(floor((centre + reach) / cell), -1.0, nodes - 1.0);
}

/* Whether the solid beside a node (m) lies below it rather than beside or above it. */
static bool is_solid_below(const rn_world *world, rn_vec3 at, double cell) {
    const rn_vec3 above = {at.x, at.y, at.z + cell}, below = {at.x, at.y, at.z - cell};
    return rn_world_mac_still_distance(world, above) - rn_world_mac_still_distance(world, below) > cell;
}

/* Whether a body rests on solid: solid at its side, such as a pier, does not carry it. */
static bool is_aground(const rn_world *world, size_t number) {
    const rn_world_mac *m = world->mac;
    const rn_vec3 c = rn_minus(m->actors[number].centre, m->low);
    const double cell = m->def.cell_size, near = NEAR * cell,
                 reach = rn_body_at(&world->bodies, number)->shape->info.radius + near;
    int first[3], last[3];
    range(c.x, reach, cell, m->nodes[0], &first[0], &last[0]);
    range(c.y, reach, cell, m->nodes[1], &first[1], &last[1]);
    range(c.z, reach, cell, m->nodes[2], &first[2], &last[2]);
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int i = first[0]; i <= last[0]; i++) {
                const rn_vec3 at = {cell * i, cell * j, cell * k};
                const double still = rn_world_mac_still_distance(world, at);
                if (fabs(still) > near) continue;
                const double body = rn_world_mac_one_distance(world, number, at);
                if (fabs(body) <= near && still + body < TOUCH * cell && is_solid_below(world, at, cell)) return true;
            }
    return false;
}

void rn_world_mac_ground_bodies(rn_world *world) {
    for (size_t i = 0; i < world->mac->actor_count; i++) {
        rn_body *body = rn_body_at(&world->bodies, i);
        if (body->shape) body->aground = body->load.aground = is_aground(world, i);
    }
}
