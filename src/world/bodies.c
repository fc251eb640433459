/* The list of a world's bodies, and the public functions on it.

   Interface: the functions of include/runnel/bodies.h that add, move, teleport, remove and describe bodies, and
   world/bodies.h for the rest of the world: rn_bodies_hash, rn_bodies_free and rn_bodies_bytes. rn_bodies_archive is
   in world/bodies_archive.c, rn_bodies_effective_level in world/effective.c.

   Order of calls: hosts call these functions between steps. They only store what the next rn_world_step is to do:
   world/pose.c then moves the bodies, world/blocking.c and world/stir.c let them act on the liquid, and
   world/settle.c finds the load that rn_bodies_load returns.

   Bodies are known by numbers that are never used again; a removed body stays in the list without a shape.
   rn_bodies_move sets the pose of a body at the end of the next step; the body sweeps through everything between.
   rn_bodies_teleport puts it somewhere else at once, and so does a move by more than LEAP cells. Poses are checked
   and limited in speed before they are stored, so the code that moves bodies needs no checks. In a world with a 3D
   liquid a body also gets a solid of signed distances (world/body_solid.c). */
#include "world/bodies.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/quat.h"
#include "bodies/shape.h"
#include "world/blocking.h"
#include "world/body_solid.h"
#include "world/effective.h"
#include "world/pose.h"
#include "world/settle.h"

#include <stdio.h>
#include <string.h>

#define LEAP 10.0 /* cells: a body that moves farther in one rn_world_step is teleported */
#define PLAIN_COLOUR                                                                                                   \
    { 0.45, 0.33, 0.2 }

rn_body_def rn_body_default(void) {
    return (rn_body_def){.density = 500.0, .drag = 1.0, .damping = 0.5, .pose.turn.w = 1.0};
}

/* A body's name for messages. */
typedef struct label {
    char text[80];
} label;

/* The name of a body in messages: its number, and the first 50 bytes of its name unless that is NULL or empty. */
static label name_of(size_t number, const char *name) {
    label it;
    if (name && name[0]) snprintf(it.text, sizeof it.text, "body %zu (%.50s)", number, name);
    else snprintf(it.text, sizeof it.text, "body %zu", number);
    return it;
}

/* The body with this number, or NULL, with an error text, if it does not exist or was removed. */
static rn_body *find_body(const rn_world *world, int number) {
    const rn_bodies *all = &world->bodies;
    if (number >= 0 && (size_t)number < all->count && rn_body_at(all, (size_t)number)->shape)
        return rn_body_at(all, (size_t)number);
    rn_fail(RN_INVALID, "there is no body %d; %zu have been added", number, all->count);
    return NULL;
}

/* ---- Checks of definitions ----------------------------------------------------------------------------------- */

/* Returns RN_INVALID, with a message that says `what` the shape is, unless its volume is finite and above 0. */
static rn_result check_volume(const rn_shape *shape, const char *what, const label *name) {
    const double volume = rn_shape_describe(shape).volume;
    if (volume > 0.0 && isfinite(volume)) return RN_OK;
    return rn_fail(RN_INVALID, "%s has a %s of %g m³; it must be above 0", name->text, what, volume);
}

/* Returns RN_INVALID, with a message, unless there is a shape with a volume, and the drawn shape has one unless it is
   NULL. If the shape is NULL and a message is held (rn_error_hold), that message stays. */
static rn_result check_shapes(const rn_body_def *def, const label *name) {
    if (!def->shape) {
        if (!rn_error_held())
            rn_fail(RN_INVALID, "%s has no shape; make one with rn_shape_box or its like", name->text);
        return RN_INVALID;
    }
    const rn_result result = check_volume(def->shape, "shape", name);
    return result == RN_OK && def->drawn ? check_volume(def->drawn, "drawn shape", name) : result;
}

/* Returns RN_INVALID, with a message, unless mass, density, drag, damping, blocking and colour are valid. The density
   does not matter if there is a mass. */
static rn_result check_values(const rn_body_def *def, const label *name) {
    const double most = 1e30;
    if (def->mass != 0.0 && !(def->mass > 0.0 && def->mass <= most))
        return rn_fail(RN_INVALID, "%s has a mass of %g; it must be above 0 (kg), or 0 to use the density", name->text,
                       def->mass);
    if (def->mass == 0.0 && !(def->density > 0.0 && def->density <= most))
        return rn_fail(RN_INVALID, "%s has a density of %g; it must be above 0 (kg/m³)", name->text, def->density);
    if (!(def->drag >= 0.0 && def->drag <= most))
        return rn_fail(RN_INVALID, "%s has a drag of %g; it must be 0 or more", name->text, def->drag);
    if (!(def->damping >= 0.0 && def->damping <= most))
        return rn_fail(RN_INVALID, "%s has a damping of %g; it must be 0 or more (1/s)", name->text, def->damping);
    if (def->blocking < RN_BLOCKING_AUTO || def->blocking > RN_BLOCKING_CELLS)
        return rn_fail(RN_INVALID, "%s has blocking %d; it must be one of rn_blocking", name->text, (int)def->blocking);
    const rn_vec3 c = def->colour;
    if (!(c.x >= 0.0 && c.y >= 0.0 && c.z >= 0.0 && rn_within(c, 1.0)))
        return rn_fail(RN_INVALID, "%s has the colour (%g, %g, %g); red, green and blue must be from 0 to 1",
                       name->text, c.x, c.y, c.z);
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless the mode is valid and the world's solver supports it. Only RN_BODY_BLOCKS
   needs support, which a 3D liquid always gives. */
static rn_result check_mode(const rn_world *world, rn_body_mode mode, const label *name) {
    if (mode == RN_BODY_BLOCKS && !world->mac) return rn_world_needs(world, RN_CAN_PARTIAL, "bodies that block");
    if (mode >= RN_BODY_AUTO && mode <= RN_BODY_FLOATS) return RN_OK;
    return rn_fail(RN_INVALID, "%s has mode %d; it must be one of rn_body_mode", name->text, (int)mode);
}

/* Returns RN_INVALID, with a message, unless a pose is finite and its coordinates are within RN_FARTHEST. Rotations of
   any length pass. */
static rn_result check_pose(const rn_pose *pose, const label *name) {
    const rn_vec3 at = pose->at, v = pose->velocity, s = pose->spin;
    const rn_quat q = pose->turn;
    if (!rn_within(at, RN_FARTHEST))
        return rn_fail(RN_INVALID, "%s has the position (%g, %g, %g) m; each coordinate must be from -%g to %g",
                       name->text, at.x, at.y, at.z, RN_FARTHEST, RN_FARTHEST);
    if (!isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) || !isfinite(q.w))
        return rn_fail(RN_INVALID, "%s has the rotation (%g, %g, %g, %g); all four numbers must be finite", name->text,
                       q.x, q.y, q.z, q.w);
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
        return rn_fail(RN_INVALID, "%s has the velocity (%g, %g, %g); it must be finite (m/s)", name->text, v.x, v.y,
                       v.z);
    if (!isfinite(s.x) || !isfinite(s.y) || !isfinite(s.z))
        return rn_fail(RN_INVALID, "%s has the angular velocity (%g, %g, %g); it must be finite (rad/s)", name->text,
                       s.x, s.y, s.z);
    return RN_OK;
}

/* Clamps a velocity or spin to RN_FASTEST (m/s, rad/s) along each axis. Returns true if that changed it. */
static bool slow_down(rn_vec3 *v) {
    const rn_vec3 was = *v;
    v->x = rn_clamp(v->x, -RN_FASTEST, RN_FASTEST);
    v->y = rn_clamp(v->y, -RN_FASTEST, RN_FASTEST);
    v->z = rn_clamp(v->z, -RN_FASTEST, RN_FASTEST);
    return v->x != was.x || v->y != was.y || v->z != was.z;
}

/* The pose that is stored for a checked one: rotation of unit length, no faster than RN_FASTEST along each axis; a body
   that is too fast is logged once. Does not change the pose of the body. */
static rn_pose limited_pose(const rn_world *world, rn_body *body, const rn_pose *asked, const label *name) {
    rn_pose pose = *asked;
    pose.turn = rn_quat_unit(pose.turn);
    const bool fast = slow_down(&pose.velocity), spins = slow_down(&pose.spin);
    if ((fast || spins) && !body->told_fast) {
        body->told_fast = true;
        rn_log(&world->hooks, RN_LOG_WARNING, "%s is too fast: its speed counts as %g m/s or rad/s", name->text,
               RN_FASTEST);
    }
    return pose;
}

/* ---- Adding, moving, removing ---------------------------------------------------------------------------------- */

/* The number of cells of the grid. */
static size_t cell_count(const rn_world *world) {
    return (size_t)world->columns->grid.nx * (size_t)world->columns->grid.ny;
}

/* Makes room for one more body, and, for the first one, the per-cell arrays of a world with bodies. Returns RN_MEMORY,
   with a message, if memory runs out; then the list is unchanged. */
static rn_result make_room(rn_world *world) {
    rn_bodies *all = &world->bodies;
    if (!all->stirred) all->stirred = rn_alloc(&world->hooks, cell_count(world), sizeof *all->stirred);
    if (!all->stirred) return RN_MEMORY;
    const rn_result result = rn_effective_fit(world, 1);
    if (result != RN_OK) return result;
    return rn_grow(&world->hooks, &all->list, &all->capacity, all->count, sizeof(rn_body)) ? RN_OK : RN_MEMORY;
}

/* A copy of a name, which the caller frees through the world's hooks, or NULL, with a message, if memory runs out. */
static char *copy_name(const rn_world *world, const char *name) {
    const size_t size = strlen(name) + 1;
    char *copy = rn_alloc(&world->hooks, size, 1);
    if (copy) memcpy(copy, name, size);
    return copy;
}

/* Frees everything that a body owns, but not the body itself, and marks it as removed: no shape, all else 0, moved. */
static void release_body(const rn_world *world, rn_body *body) {
    rn_shape_destroy(body->shape);
    rn_shape_destroy(body->drawn);
    rn_sdf_destroy(body->solid);
    rn_free(&world->hooks, body->name);
    rn_free(NULL, body->steps.list);
    rn_free(NULL, body->cells);
    *body = (rn_body){.moved = true};
}

/* Places a body at a checked pose at once; it does not sweep through the space between. */
static void place_at(rn_body *body, const rn_pose *pose) {
    body->from = body->to = body->now = *pose;
    body->moved = body->placed = true;
}

/* Sets everything that follows from a checked definition and the shape that the body has already: mass, density,
   colour, whether it blocks, and its pose. */
static void define_body(rn_world *world, rn_body *body, const rn_body_def *def, const label *name) {
    const double volume = rn_shape_describe(body->shape).volume;
    const rn_vec3 c = def->colour;
    body->mass = def->mass > 0.0 ? def->mass : def->density * volume;
    body->density = body->mass / volume;
    body->drag = def->drag;
    body->damping = def->damping;
    body->mode = def->mode;
    body->blocking = def->blocking;
    body->colour = c.x == 0.0 && c.y == 0.0 && c.z == 0.0 ? (rn_vec3)PLAIN_COLOUR : c;
    body->blocks = rn_body_blocks(world, body);
    const rn_pose pose = limited_pose(world, body, &def->pose, name);
    place_at(body, &pose);
}

/* In a world with a 3D liquid, logs a warning for a body less than two cells thick, which the liquid hardly feels. */
static void warn_of_thin(const rn_world *world, const rn_shape *shape, const label *name) {
    const rn_vec3 low = shape->info.low, high = shape->info.high;
    const double thin = rn_min(rn_min(high.x - low.x, high.y - low.y), high.z - low.z) / world->ground.cell_size;
    if (world->mac && thin < 2.0)
        rn_log(&world->hooks, RN_LOG_WARNING,
               "%s is only %.2g cells thick; the 3D liquid hardly feels bodies of less than two", name->text, thin);
}

int rn_bodies_add(rn_world *world, const rn_body_def *def) {
    rn_bodies *all = &world->bodies;
    const label name = name_of(all->count, def->name);
    if (check_shapes(def, &name) != RN_OK || check_values(def, &name) != RN_OK ||
        check_mode(world, def->mode, &name) != RN_OK || check_pose(&def->pose, &name) != RN_OK ||
        make_room(world) != RN_OK)
        return -1;
    rn_body body = {.shape = rn_shape_copy(def->shape, &world->hooks)};
    if (body.shape && def->name) body.name = copy_name(world, def->name);
    if (body.shape && def->drawn) body.drawn = rn_shape_copy(def->drawn, &world->hooks);
    if (body.shape && world->mac) body.solid = rn_body_solid(body.shape);
    if (!body.shape || (def->name && !body.name) || (def->drawn && !body.drawn) || (world->mac && !body.solid)) {
        release_body(world, &body);
        return -1;
    }
    define_body(world, &body, def, &name);
    warn_of_thin(world, body.shape, &name);
    *rn_body_at(all, all->count) = body;
    return (int)all->count++;
}

rn_result rn_bodies_teleport(rn_world *world, int number, const rn_pose *pose) {
    rn_body *body = find_body(world, number);
    if (!body) return RN_INVALID;
    const label name = name_of((size_t)number, body->name);
    const rn_result result = check_pose(pose, &name);
    if (result != RN_OK) return result;
    const rn_pose settled = limited_pose(world, body, pose, &name);
    place_at(body, &settled);
    return RN_OK;
}

rn_result rn_bodies_move(rn_world *world, int number, const rn_pose *pose) {
    rn_body *body = find_body(world, number);
    if (!body) return RN_INVALID;
    const label name = name_of((size_t)number, body->name);
    const rn_result result = check_pose(pose, &name);
    if (result != RN_OK) return result;
    const double leap = rn_distance(pose->at, body->now.at) / world->ground.cell_size;
    if (leap > LEAP) {
        if (!body->told_far)
            rn_log(&world->hooks, RN_LOG_WARNING,
                   "%s jumped by %.3g cells: it is placed there and pushes no liquid on the way", name.text, leap);
        body->told_far = true;
        return rn_bodies_teleport(world, number, pose);
    }
    body->from = body->now;
    body->to = limited_pose(world, body, pose, &name);
    return RN_OK;
}

rn_result rn_bodies_remove(rn_world *world, int number) {
    rn_body *body = find_body(world, number);
    if (!body) return RN_INVALID;
    release_body(world, body);
    return RN_OK;
}

rn_result rn_bodies_set_mode(rn_world *world, int number, rn_body_mode mode) {
    rn_body *body = find_body(world, number);
    if (!body) return RN_INVALID;
    const label name = name_of((size_t)number, body->name);
    const rn_result result = check_mode(world, mode, &name);
    if (result != RN_OK) return result;
    const bool blocked = body->blocks;
    body->mode = mode;
    body->blocks = rn_body_blocks(world, body);
    body->aground = false; /* until determined again */
    body->switch_steps = 0;
    body->moved |= body->blocks != blocked;
    return RN_OK;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

int rn_bodies_count(const rn_world *world) { return (int)world->bodies.count; }

/* The body with this number, or NULL, without an error text, if it does not exist or was removed. */
static const rn_body *look_up_body(const rn_world *world, int number) {
    const rn_bodies *all = &world->bodies;
    if (number < 0 || (size_t)number >= all->count) return NULL;
    const rn_body *body = rn_body_at(all, (size_t)number);
    return body->shape ? body : NULL;
}

rn_body_load rn_bodies_load(const rn_world *world, int number) {
    const rn_body *body = look_up_body(world, number);
    return body ? body->load : (rn_body_load){0};
}

bool rn_bodies_has(const rn_world *world, int number) { return look_up_body(world, number) != NULL; }

rn_body_info rn_bodies_describe(const rn_world *world, int number) {
    const rn_body *body = look_up_body(world, number);
    if (!body) return (rn_body_info){.name = ""};
    const rn_shape_info shape = rn_shape_describe(body->shape);
    rn_body_info info = {
        .there = true,
        .mass = body->mass,
        .volume = shape.volume,
        .centre = shape.centre,
        .pose = body->to,
        .mode = body->mode,
        .blocking = body->blocking,
        .colour = body->colour,
        .name = body->name ? body->name : "",
        .shape = body->shape,
        .drawn = body->drawn ? body->drawn : body->shape,
    };
    for (int i = 0; i < 9; i++) info.inertia[i / 3][i % 3] = shape.inertia[i / 3][i % 3] * body->density;
    return info;
}

uint64_t rn_bodies_hash(const rn_world *world, uint64_t hash) {
    const rn_bodies *all = &world->bodies;
    const rn_cells in = all->stirred_in;
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            const size_t cell = (size_t)y * (size_t)world->columns->grid.nx + (size_t)x;
            if (all->stirred[cell] == 0) continue;
            hash = rn_hash_long(rn_hash_long(hash, cell), (uint64_t)(int64_t)all->stirred[cell]);
        }
    return hash;
}

void rn_bodies_free(rn_world *world) {
    rn_bodies *all = &world->bodies;
    rn_blocking_free(world);
    for (size_t i = 0; i < all->count; i++) release_body(world, rn_body_at(all, i));
    rn_body_scratches_free(world);
    void *const blocks[] = {all->list, all->effective, all->flow, all->stirred, all->floating, all->busy};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) rn_free(&world->hooks, blocks[i]);
}

size_t rn_bodies_bytes(const rn_world *world) {
    const rn_bodies *all = &world->bodies;
    const size_t cells = cell_count(world);
    size_t bytes = all->capacity * sizeof(rn_body) + rn_blocking_bytes(world);
    bytes += (size_t)all->planes * cells * 3 * sizeof(float) + (all->stirred ? cells * sizeof *all->stirred : 0);
    for (size_t i = 0; i < all->count; i++) {
        const rn_body *body = rn_body_at(all, i);
        bytes += body->steps.capacity * sizeof(rn_share_change) + body->cell_capacity * sizeof(rn_body_cell);
    }
    for (int i = 0; i < all->scratch_count; i++) {
        const rn_body_scratch *scratch = &all->scratches[i];
        bytes += sizeof *scratch + scratch->position_capacity * sizeof(double) +
                 scratch->window_capacity * sizeof(rn_cell_liquid);
    }
    const size_t words = ((size_t)world->columns->grid.nx + 63) / 64 * (size_t)world->columns->grid.ny;
    return bytes + (all->floating ? cells * sizeof *all->floating : 0) + (all->busy ? words * sizeof *all->busy : 0);
}
