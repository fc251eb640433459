/* Rigid bodies for JavaScript (runnel/rigid.h): any engine that the host has set as Module.rigid moves the bodies of a
   world. In each step the engine gets the forces of the liquid and gives back poses; web/site/rapier-engine.js is one.
   Without an engine none can be made, and a message says so. Unlike with ODE, most arguments are not checked, no
   warning tells of a lost body, and nothing but poses is saved.

   An engine need not have joints or sleep: then a joint fails with a message, and no body sleeps. A body that sleeps is
   neither given forces nor moved in the world. It falls asleep as with ODE: after half a second in which it hardly
   moved, if it is dry or aground. It wakes if the force of the liquid changes, the host pushes it, gravity or the
   ground changes, or the engine lets something touch it. */
#include "adapters/joint.h"
#include "base/error.h"
#include "base/memory.h"

#include <emscripten.h>
#include <math.h>
#include <runnel/mesh.h>
#include <runnel/rigid.h>

enum {
    MOST_BODIES = 1024,
    POSE = 13,
    PART = 13
}; /* POSE: at, turn, velocity, spin; PART: kind, size, at, turn, range */

typedef struct rigid_body {
    bool there, driven, lost;
    bool loaded;                        /* last_... are known */
    bool pushed;                        /* by the host, for the next step */
    bool may_rest;                      /* dry or aground: it may sleep */
    bool slept;                         /* was asleep after the last step */
    double weight;                      /* N, in gravity of the world's strength */
    double slow;                        /* m/s, below which it hardly moves */
    double radius;                      /* m */
    double idle_seconds;                /* for which it has hardly moved */
    rn_vec3 asleep_load;                /* N, of the liquid when it fell asleep */
    rn_vec3 force, torque;              /* of the host, for the next step (N, N m) */
    rn_vec3 last_buoyancy, last_torque; /* of the liquid, one step ago */
    rn_pose to;                         /* of a driven body */
} rigid_body;

struct rn_rigid {
    rn_world *world;
    rn_ground_mesh *ground;
    rigid_body bodies[MOST_BODIES];
};

/* clang-format off */
EM_JS(int, rigid_ready, (void), { return Module["rigid"] ? 1 : 0; })
EM_JS(void, rigid_create, (rn_rigid *rigid, const double *def), { Module["rigid"].create(rigid, def); })
EM_JS(void, rigid_destroy, (rn_rigid *rigid), { Module["rigid"].destroy(rigid); })
EM_JS(void, rigid_ground, (rn_rigid *rigid, const float *positions, uint32_t vertices, const uint32_t *indices,
                           uint32_t triangles), { Module["rigid"].ground(rigid, positions, vertices, indices, triangles); })
EM_JS(void, rigid_add, (rn_rigid *rigid, int body, const double *def, const double *parts, int count,
                        const float *positions, const uint32_t *indices),
      { Module["rigid"].add(rigid, body, def, parts, count, positions, indices); })
EM_JS(void, rigid_remove, (rn_rigid *rigid, int body), { Module["rigid"].remove(rigid, body); })
EM_JS(void, rigid_put, (rn_rigid *rigid, int body, const double *pose), { Module["rigid"].put(rigid, body, pose); })
EM_JS(void, rigid_force, (rn_rigid *rigid, int body, const double *force), { Module["rigid"].force(rigid, body, force); })
EM_JS(void, rigid_gravity, (rn_rigid *rigid, double x, double y, double z), { Module["rigid"].gravity(rigid, x, y, z); })
EM_JS(void, rigid_step, (rn_rigid *rigid, double seconds), { Module["rigid"].step(rigid, seconds); })
EM_JS(void, rigid_pose, (rn_rigid *rigid, int body, double *pose), { Module["rigid"].pose(rigid, body, pose); })
EM_JS(int, rigid_joint, (rn_rigid *rigid, int kind, int body, int to, const double *def),
      { return Module["rigid"].joint ? Module["rigid"].joint(rigid, kind, body, to, def) : -1; })
EM_JS(void, rigid_sleep, (rn_rigid *rigid, int body), { if (Module["rigid"].sleep) Module["rigid"].sleep(rigid, body); })
EM_JS(void, rigid_wake, (rn_rigid *rigid, int body), { if (Module["rigid"].wake) Module["rigid"].wake(rigid, body); })
EM_JS(int, rigid_sleeps, (const rn_rigid *rigid, int body),
      { return Module["rigid"].sleeps && Module["rigid"].sleeps(rigid, body) ? 1 : 0; })
/* clang-format on */

/* Returns the body of a number, or NULL, with a message, if it is not in the engine. */
static rigid_body *find_body(rn_rigid *rigid, int body) {
    if (body >= 0 && body < MOST_BODIES && rigid->bodies[body].there) return &rigid->bodies[body];
    rn_fail(RN_INVALID, "body %d is not in the engine", body);
    return NULL;
}

/* Writes a pose as POSE numbers: at, turn, velocity, spin. A turn of all 0 becomes no rotation. */
static void pose_to_numbers(const rn_pose *pose, double to[POSE]) {
    const double all[POSE] = {pose->at.x,   pose->at.y,   pose->at.z,       pose->turn.x,     pose->turn.y,
                              pose->turn.z, pose->turn.w, pose->velocity.x, pose->velocity.y, pose->velocity.z,
                              pose->spin.x, pose->spin.y, pose->spin.z};
    for (int i = 0; i < POSE; i++) to[i] = all[i];
    if (to[3] == 0 && to[4] == 0 && to[5] == 0 && to[6] == 0) to[6] = 1;
}

/* Returns the pose of POSE numbers, as pose_to_numbers writes them. */
static rn_pose pose_of_numbers(const double n[POSE]) {
    return (rn_pose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}, {n[10], n[11], n[12]}};
}

/* ---- The engine ----------------------------------------------------------------------------------------------------
 */

/* Wakes a body of the engine that is neither driven nor lost. */
static void wake_body(rn_rigid *rigid, int body) {
    rigid_body *b = &rigid->bodies[body];
    if (!b->there || b->driven || b->lost) return;
    b->idle_seconds = 0;
    rigid_wake(rigid, body);
}

/* Wakes all bodies. */
static void wake_all(rn_rigid *rigid) {
    for (int i = 0; i < MOST_BODIES; i++) wake_body(rigid, i);
}

/* Hands the ground of the world, as of the last rn_ground_mesh_update, to the engine. */
static void send_ground(rn_rigid *rigid) {
    const rn_mesh mesh = rn_ground_mesh_read(rigid->ground);
    rigid_ground(rigid, mesh.positions, mesh.vertex_count, mesh.indices, mesh.triangle_count);
}

rn_result rn_rigid_create(rn_world *world, const rn_rigid_def *def, rn_rigid **out) {
    *out = NULL;
    if (!rigid_ready())
        return rn_fail(RN_UNSUPPORTED, "bodies cannot be simulated before an engine is loaded: Module.rigid");
    rn_rigid *rigid = rn_alloc(&def->hooks, 1, sizeof *rigid);
    if (!rigid) return RN_MEMORY;
    rigid->world = world;
    rn_ground_mesh_def ground = rn_ground_mesh_default();
    ground.world = world;
    ground.shape = def->solid;
    ground.threads = 1;
    const rn_result result = rn_ground_mesh_create(&ground, &rigid->ground);
    if (result != RN_OK) {
        rn_free(&def->hooks, rigid);
        return result;
    }
    const rn_world_info info = rn_world_describe(world);
    const bool down = def->gravity.x == 0 && def->gravity.y == 0 && def->gravity.z == 0;
    const double all[] = {def->gravity.x,
                          def->gravity.y,
                          down ? -fabs(info.gravity) : def->gravity.z,
                          def->substep > 0 ? def->substep : 0.005,
                          def->friction,
                          def->bounce,
                          info.origin_x,
                          info.origin_y,
                          info.datum,
                          info.cells_x * info.cell_size,
                          info.cells_y * info.cell_size,
                          info.lid,
                          def->open[0],
                          def->open[1],
                          def->open[2],
                          def->open[3]};
    rigid_create(rigid, all);
    send_ground(rigid);
    *out = rigid;
    return RN_OK;
}

void rn_rigid_destroy(rn_rigid *rigid) {
    if (!rigid) return;
    rigid_destroy(rigid);
    rn_ground_mesh_destroy(rigid->ground);
    rn_free(NULL, rigid);
}

rn_result rn_rigid_set_gravity(rn_rigid *rigid, rn_vec3 gravity) {
    rigid_gravity(rigid, gravity.x, gravity.y, gravity.z);
    wake_all(rigid);
    return RN_OK;
}

/* ---- Bodies --------------------------------------------------------------------------------------------------------
 */

/* Writes a part of a shape for the engine: kind, size (3), position (3), rotation (4), and its range of triangles
   (first and count). */
static void describe_part(const rn_shape_part *part, double to[PART]) {
    const double all[PART] = {part->kind,   part->size.x, part->size.y, part->size.z, part->at.x,
                              part->at.y,   part->at.z,   part->turn.x, part->turn.y, part->turn.z,
                              part->turn.w, part->first,  part->count};
    for (int i = 0; i < PART; i++) to[i] = all[i];
}

rn_result rn_rigid_add_body(rn_rigid *rigid, int body, const rn_rigid_body *how) {
    const rn_body_info info = rn_bodies_describe(rigid->world, body);
    if (!info.there || body >= MOST_BODIES)
        return rn_fail(RN_INVALID, "there is no body %d that an engine could move; at most %d can", body, MOST_BODIES);
    const rn_shape_info shape = rn_shape_describe(info.shape);
    double *parts = rn_alloc(NULL, (size_t)shape.part_count, PART * sizeof *parts);
    if (!parts) return RN_MEMORY;
    for (int i = 0; i < shape.part_count; i++) describe_part(&shape.parts[i], parts + PART * i);
    double def[5 + POSE] = {how->driven, how->friction, how->bounce, info.mass / info.volume, shape.radius};
    pose_to_numbers(&info.pose, def + 5);
    const double gravity = fabs(rn_world_describe(rigid->world).gravity);
    rigid->bodies[body] = (rigid_body){.there = true,
                                       .driven = how->driven,
                                       .to = info.pose,
                                       .radius = shape.radius,
                                       .slow = 0.02 * sqrt(gravity * shape.radius),
                                       .weight = info.mass * gravity};
    rigid_add(rigid, body, def, parts, shape.part_count, shape.positions, shape.indices);
    rn_free(NULL, parts);
    return RN_OK;
}

rn_result rn_rigid_move_body(rn_rigid *rigid, int body, const rn_pose *pose) {
    rigid_body *b = find_body(rigid, body);
    if (!b) return RN_INVALID;
    b->to = *pose;
    return RN_OK;
}

rn_result rn_rigid_apply_force(rn_rigid *rigid, int body, rn_vec3 force, rn_vec3 torque) {
    rigid_body *b = find_body(rigid, body);
    if (!b) return RN_INVALID;
    b->force = (rn_vec3){b->force.x + force.x, b->force.y + force.y, b->force.z + force.z};
    b->torque = (rn_vec3){b->torque.x + torque.x, b->torque.y + torque.y, b->torque.z + torque.z};
    b->pushed = true;
    return RN_OK;
}

rn_result rn_rigid_remove_body(rn_rigid *rigid, int body) {
    rigid_body *b = find_body(rigid, body);
    if (!b) return RN_INVALID;
    rigid_remove(rigid, body);
    *b = (rigid_body){.there = false};
    return RN_OK;
}

rn_result rn_rigid_add_joint(rn_rigid *rigid, const rn_joint_def *def) {
    const rn_result result = rn_joint_check(def);
    if (result != RN_OK) return result;
    if (!find_body(rigid, def->body) || (def->to >= 0 && !find_body(rigid, def->to))) return RN_INVALID;
    const double all[] = {def->at.x,   def->at.y,    def->at.z, def->axis.x, def->axis.y,
                          def->axis.z, def->limited, def->low,  def->high};
    const int made = rigid_joint(rigid, (int)def->kind, def->body, def->to, all);
    if (made < 0) return rn_fail(RN_UNSUPPORTED, "the engine of this page has no joints");
    return made > 0 ? RN_OK
                    : rn_fail(RN_UNSUPPORTED,
                              "the engine cannot join bodies %d and %d, which other joints hold already and which have "
                              "turned since; make all joints at once",
                              def->body, def->to);
}

/* ---- A step --------------------------------------------------------------------------------------------------------
 */

/* Returns a force that is known only for the beginning of a step, plus half of its last change (Adams-Bashforth);
   known: there is a `before`. */
static double ahead(double now, double before, bool known) { return known ? now + 0.5 * (now - before) : now; }

/* Decides whether a body may sleep: only if it is dry or aground, because a floating one would stop in a slow current.
   Wakes a sleeping body that may not sleep any more, that the host has pushed, or on which the force of the liquid has
   changed by more than 1 % of its weight since it fell asleep. Returns whether it sleeps. */
static bool watch_sleep(rn_rigid *rigid, int body, const rn_body_load *load) {
    rigid_body *b = &rigid->bodies[body];
    const bool sleeps = rigid_sleeps(rigid, body);
    b->may_rest = load->share < 1e-3 || load->aground;
    if (!sleeps) {
        b->asleep_load = load->force;
        return false;
    }
    const double x = load->force.x - b->asleep_load.x, y = load->force.y - b->asleep_load.y,
                 z = load->force.z - b->asleep_load.z;
    if (b->may_rest && !b->pushed && x * x + y * y + z * z <= 1e-4 * b->weight * b->weight) return true;
    wake_body(rigid, body);
    return false;
}

/* Passes the forces of the liquid and of the host on a body that does not sleep to the engine; those of the liquid
   count as 0 if any of them is not finite. Keeps the buoyancy and torque of the liquid for the next step, and clears
   the forces of the host. */
static void send_force(rn_rigid *rigid, int body) {
    rigid_body *b = &rigid->bodies[body];
    rn_body_load load = rn_bodies_load(rigid->world, body);
    if (!isfinite(load.force.x + load.force.y + load.force.z + load.torque.x + load.torque.y + load.torque.z))
        load = (rn_body_load){.share = 0};
    if (watch_sleep(rigid, body, &load)) return;
    const bool known = b->loaded;
    const double all[6] = {load.drag.x + ahead(load.buoyancy.x, b->last_buoyancy.x, known) + b->force.x,
                           load.drag.y + ahead(load.buoyancy.y, b->last_buoyancy.y, known) + b->force.y,
                           load.drag.z + ahead(load.buoyancy.z, b->last_buoyancy.z, known) + b->force.z,
                           ahead(load.torque.x, b->last_torque.x, known) + b->torque.x,
                           ahead(load.torque.y, b->last_torque.y, known) + b->torque.y,
                           ahead(load.torque.z, b->last_torque.z, known) + b->torque.z};
    b->last_buoyancy = load.buoyancy;
    b->last_torque = load.torque;
    b->loaded = true;
    b->force = b->torque = (rn_vec3){0};
    b->pushed = false;
    rigid_force(rigid, body, all);
}

/* Hands a driven body's next pose, or the forces on a free one, to the engine. A body that the world no longer has is
   dropped; one that is lost or not in the engine is left alone. */
static void prepare_body(rn_rigid *rigid, int body) {
    double pose[POSE];
    if (!rigid->bodies[body].there || rigid->bodies[body].lost) return;
    if (!rn_bodies_has(rigid->world, body)) {
        rn_rigid_remove_body(rigid, body);
        return;
    }
    if (!rigid->bodies[body].driven) {
        send_force(rigid, body);
        return;
    }
    pose_to_numbers(&rigid->bodies[body].to, pose);
    rigid_put(rigid, body, pose);
}

/* Returns whether a position is not finite, or farther from the domain's lowest corner than ten times its length plus
   width. */
static bool is_far(const rn_rigid *rigid, const rn_pose *pose) {
    const rn_world_info info = rn_world_describe(rigid->world);
    const double size = 10 * info.cell_size * (info.cells_x + info.cells_y);
    const double x = pose->at.x - info.origin_x, y = pose->at.y - info.origin_y, z = pose->at.z - info.datum;
    return !(x * x + y * y + z * z < size * size);
}

/* Puts a body to sleep that has hardly moved for half a second, if it may rest; `seconds`: length of the step, after
   which it has this pose. Its velocity becomes 0. */
static void fall_asleep(rn_rigid *rigid, int body, rn_pose *pose, double seconds) {
    rigid_body *b = &rigid->bodies[body];
    const rn_vec3 v = pose->velocity, w = pose->spin;
    const double turning = b->radius * b->radius * (w.x * w.x + w.y * w.y + w.z * w.z), most = b->slow * b->slow;
    const bool rests = v.x * v.x + v.y * v.y + v.z * v.z < most && turning < most;
    b->idle_seconds = rests ? b->idle_seconds + seconds : 0;
    if (!b->may_rest || b->idle_seconds < 0.5) return;
    pose->velocity = pose->spin = (rn_vec3){0};
    rigid_sleep(rigid, body);
}

/* Moves a body of the world to where the engine has it or, if it is driven, to where the host wants it, `seconds` after
   the last time. Marks a body that is far away as lost, and leaves it where it is; does nothing for one that is lost,
   asleep since the last step, or not in the engine. */
static rn_result take_pose(rn_rigid *rigid, int body, double seconds) {
    rigid_body *b = &rigid->bodies[body];
    double numbers[POSE];
    if (!b->there || b->lost) return RN_OK;
    const bool slept = b->slept;
    b->slept = !b->driven && rigid_sleeps(rigid, body);
    if (slept && b->slept) return RN_OK;
    if (slept) b->idle_seconds = 0; /* something has woken it: half a second passes before it sleeps again */
    rigid_pose(rigid, body, numbers);
    rn_pose pose = b->driven ? b->to : pose_of_numbers(numbers);
    if (!b->driven) fall_asleep(rigid, body, &pose, seconds);
    b->lost = is_far(rigid, &pose);
    return b->lost ? RN_OK : rn_bodies_move(rigid->world, body, &pose);
}

rn_result rn_rigid_step(rn_rigid *rigid, double seconds) {
    bool changed = false;
    rn_result result = rn_ground_mesh_update(rigid->ground, NULL, NULL, &changed);
    if (changed) {
        send_ground(rigid);
        wake_all(rigid);
    }
    const int count = rn_bodies_count(rigid->world) < MOST_BODIES ? rn_bodies_count(rigid->world) : MOST_BODIES;
    for (int i = 0; i < count; i++) prepare_body(rigid, i);
    rigid_step(rigid, seconds);
    for (int i = 0; i < count && result == RN_OK; i++) result = take_pose(rigid, i, seconds);
    return result;
}

void rn_rigid_follow(rn_rigid *rigid) {
    double numbers[POSE];
    for (int i = 0; i < MOST_BODIES; i++) {
        if (!rigid->bodies[i].there) continue;
        const rn_pose pose = rn_bodies_describe(rigid->world, i).pose;
        pose_to_numbers(&pose, numbers);
        rigid->bodies[i].lost = rigid->bodies[i].loaded = false;
        rigid->bodies[i].to = pose;
        rigid_put(rigid, i, numbers);
        wake_body(rigid, i);
    }
}

/* The engine's own state cannot be saved: a restored run continues from the poses. */
void rn_rigid_save(const rn_rigid *rigid, int body, double state[RN_RIGID_STATE]) {
    (void)rigid, (void)body;
    for (int i = 0; i < RN_RIGID_STATE; i++) state[i] = 0;
}

rn_result rn_rigid_restore(rn_rigid *rigid, int body, const double state[RN_RIGID_STATE]) {
    (void)rigid, (void)body, (void)state;
    return RN_OK;
}

bool rn_rigid_is_lost(const rn_rigid *rigid, int body) {
    return body >= 0 && body < MOST_BODIES && rigid->bodies[body].lost;
}

bool rn_rigid_is_asleep(const rn_rigid *rigid, int body) {
    const bool free = body >= 0 && body < MOST_BODIES && rigid->bodies[body].there && !rigid->bodies[body].driven;
    return free && rigid_sleeps(rigid, body);
}
