/* Poses of bodies during a step.

   Interface: world/pose.h. rn_bodies_parts and rn_bodies_advance are the step; rn_pose_between, rn_pose_same and
   rn_pose_kept work on single poses; rn_body_cells is the rectangle of cells that a body can touch, rn_body_reach how
   far a point of a body can move in this step (m), and rn_body_blocks whether a body blocks by its mode and density.

   Order of calls: a host sets the pose of a body at the end of the step, `to` (world/bodies.c). world/frame.c asks
   rn_bodies_parts into how many parts the step must be split, and calls rn_bodies_advance at the beginning of each
   part. A 3D liquid has its own number of parts (world/mac_bodies.c). At the end of the step `now` becomes `from`.

   The step is split so that no blocking body moves more than a quarter of a cell in a part, unless that needs more
   than MOST_PARTS: columns stay the same within a part. Floating bodies do not count. Positions are interpolated
   linearly, rotations linearly along the shorter way around and then normalised, which is accurate enough for the
   small angles of a step. Poses are compared bit for bit, so a body that a host sets to its own pose has not moved. */
#include "world/pose.h"

#include "base/maths.h"
#include "base/quat.h"
#include "bodies/shape.h"

#include <string.h>

#define PART       0.25 /* of a cell: how far a body may move while columns stay the same */
#define MOST_PARTS 64

bool rn_body_blocks(const rn_world *world, const rn_body *body) {
    if (world->mac) return false; /* the 3D liquid treats bodies as solid, but its columns do not know them */
    if (body->mode != RN_BODY_AUTO) return body->mode == RN_BODY_BLOCKS;
    if (!rn_world_can(world, RN_CAN_PARTIAL)) return false;
    return body->density >= world->liquid.density;
}

/* The dot product; of two unit rotations, the cosine of half the angle between them. */
static double dot4(rn_quat a, rn_quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

double rn_body_reach(const rn_body *body) {
    const rn_quat a = body->now.turn, b = body->to.turn;
    const double sign = dot4(a, b) < 0.0 ? -1.0 : 1.0;
    const rn_quat d = {b.x - sign * a.x, b.y - sign * a.y, b.z - sign * a.z, b.w - sign * a.w};
    const rn_shape_info shape = rn_shape_describe(body->shape);
    const double radius = shape.radius + rn_length3(shape.centre.x, shape.centre.y, shape.centre.z);
    return rn_distance(body->now.at, body->to.at) + 2.0 * radius * sqrt(dot4(d, d));
}

int rn_bodies_parts(const rn_world *world) {
    const rn_bodies *all = &world->bodies;
    double most = 0.0;
    for (size_t i = 0; i < all->count; i++) {
        const rn_body *body = rn_body_at(all, i);
        if (body->shape && body->blocks) most = rn_max(most, rn_body_reach(body));
    }
    return (int)rn_clamp(ceil(most / (PART * world->ground.cell_size)), 1.0, MOST_PARTS);
}

/* The point at a share (0 to 1) of the way from a to b. */
static rn_vec3 point_between(rn_vec3 a, rn_vec3 b, double share) {
    return (rn_vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
}

/* The unit rotation at a share (0 to 1) of the way from a to b, interpolated linearly, along the shorter way around: q
   and -q are the same rotation. */
static rn_quat turn_between(rn_quat a, rn_quat b, double share) {
    const double sign = dot4(a, b) < 0.0 ? -1.0 : 1.0, keep = sign * (1.0 - share);
    return rn_quat_unit((rn_quat){keep * a.x + share * b.x, keep * a.y + share * b.y, keep * a.z + share * b.z,
                                  keep * a.w + share * b.w});
}

rn_pose rn_pose_between(const rn_pose *from, const rn_pose *to, double share) {
    if (share >= 1.0) return *to;
    return (rn_pose){point_between(from->at, to->at, share), turn_between(from->turn, to->turn, share), to->velocity,
                     to->spin};
}

bool rn_pose_kept(const rn_pose *pose) {
    const rn_quat q = pose->turn;
    const double unit = 1.0 + 1e-14; /* rotations of unit length, except for rounding, are left unchanged */
    return rn_within(pose->at, RN_FARTHEST) && rn_within(pose->velocity, RN_FASTEST) &&
           rn_within(pose->spin, RN_FASTEST) && rn_within((rn_vec3){q.x, q.y, q.z}, unit) && fabs(q.w) <= unit;
}

bool rn_pose_same(const rn_pose *a, const rn_pose *b) {
    return memcmp(&a->at, &b->at, sizeof a->at) == 0 && memcmp(&a->turn, &b->turn, sizeof a->turn) == 0;
}

void rn_bodies_advance(rn_world *world, double share) {
    world->bodies.advanced = true;
    rn_bodies *all = &world->bodies;
    for (size_t i = 0; i < all->count; i++) {
        rn_body *body = rn_body_at(all, i);
        if (!body->shape) continue;
        const rn_pose next = rn_pose_between(&body->from, &body->to, share);
        body->moved |= !rn_pose_same(&next, &body->now);
        body->now = next;
    }
}

/* Finds the cells along an axis, from *first up to, not including, *end, that overlap low to high (m from the origin),
   and `around` more on both sides, clamped to the `cells` cells there are; at least one, the nearest. */
static void find_cells_around(double low, double high, double cell, int cells, int around, int *first, int *end) {
    *first = (int)rn_clamp(floor(low / cell) - around, 0.0, cells - 1.0);
    *end = (int)rn_clamp(floor(high / cell) + 1.0 + around, *first + 1.0, cells);
}

rn_cells rn_body_cells(const rn_world *world, const rn_body *body, const rn_pose *pose, int around) {
    const rn_terrain_info *g = &world->ground;
    double rows[3][3];
    rn_quat_rows(pose->turn, rows);
    const rn_vec3 low = body->shape->info.low, high = body->shape->info.high;
    const rn_vec3 half = {0.5 * (high.x - low.x), 0.5 * (high.y - low.y), 0.5 * (high.z - low.z)};
    const rn_vec3 middle = rn_rows_rotate(rows, (rn_vec3){low.x + half.x, low.y + half.y, low.z + half.z});
    const double wide = fabs(rows[0][0]) * half.x + fabs(rows[0][1]) * half.y + fabs(rows[0][2]) * half.z;
    const double deep = fabs(rows[1][0]) * half.x + fabs(rows[1][1]) * half.y + fabs(rows[1][2]) * half.z;
    const double x = pose->at.x + middle.x - g->origin_x, y = pose->at.y + middle.y - g->origin_y;
    rn_cells cells;
    find_cells_around(x - wide, x + wide, g->cell_size, g->cells_x, around, &cells.x0, &cells.x1);
    find_cells_around(y - deep, y + deep, g->cell_size, g->cells_y, around, &cells.y0, &cells.y1);
    return cells;
}
