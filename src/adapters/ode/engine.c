/* The ODE engine beside a world: creation, bodies, joints and saved states. */
#include "adapters/ode/rigid.h"

#include "adapters/joint.h"
#include "base/memory.h"
#include "base/quat.h"

#include <math.h>
#include <string.h>

/* ---- Creation ---------------------------------------- */

/* Opens ODE, which stays open, and finds all its functions. Returns RN_UNSUPPORTED, with a message, if it is missing,
   or of another version. */
static rn_result open_library(rn_ode *calls) {
    void *library = dlopen(RN_ODE_LIBRARY, RTLD_NOW | RTLD_LOCAL); /* never closed: bodies may outlive one engine */
    if (!library) return rn_fail(RN_UNSUPPORTED, "bodies cannot be simulated without ODE: %s", dlerror());
    bool all = true;
    RN_ODE_CALLS(RN_LATE_FIND)
    return all ? RN_OK
               : rn_fail(RN_UNSUPPORTED,
                         "bodies cannot be simulated: %s is not the version of ODE that runnel was built for",
                         RN_ODE_LIBRARY);
}

/* Creates an endless vertical plane for each side of the domain that is not open. Returns false if memory runs out. */
static bool build_walls(rn_rigid *rigid) {
    const rn_world_info info = rn_world_describe(rigid->world);
    const double low[2] = {info.origin_x, info.origin_y};
    const double size[2] = {info.cells_x * info.cell_size, info.cells_y * info.cell_size};
    for (int side = 0; side < 4; side++) {
        const int axis = side / 2;
        const double sign = side % 2 ? -1 : 1;
        if (rigid->def.open[side]) continue;
        const dGeomID wall = rigid->ode.dCreatePlane(rigid->space, axis == 0 ? sign : 0, axis == 1 ? sign : 0, 0,
                                                     sign * (low[axis] + (side % 2 ? size[axis] : 0)));
        if (!wall) return false;
        rigid->ode.dGeomSetData(wall, rn_geom_number(-1, 1 + side));
    }
    return true;
}

/* The definition with its defaults: a gravity of all 0 becomes the world's strength, straight down. */
static rn_rigid_def complete_definition(const rn_world *world, const rn_rigid_def *given) {
    rn_rigid_def def = *given;
    if (def.gravity.x == 0 && def.gravity.y == 0 && def.gravity.z == 0)
        def.gravity.z = -rn_world_describe(world).gravity;
    return def;
}

/* Creates ODE's world with gravity, walls and ground. Returns RN_MEMORY if memory runs out, or the result of
   rn_ground_geom_update; rn_rigid_destroy then frees what was made. */
static rn_result start_engine(rn_rigid *rigid) {
    const rn_ode *ode = &rigid->ode;
    if (!ode->dInitODE2(0)) return rn_fail(RN_MEMORY, "there is not enough memory for ODE");
    if (ode->dAllocateODEDataForThread((unsigned)dAllocateMaskAll)) rigid->engine = ode->dWorldCreate();
    if (rigid->engine) rigid->space = ode->dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ);
    if (rigid->space) rigid->contacts = ode->dJointGroupCreate(0);
    if (!rigid->contacts) {
        if (!rigid->engine) ode->dCloseODE();
        return rn_fail(RN_MEMORY, "there is not enough memory for ODE");
    }
    const rn_vec3 g = rigid->def.gravity;
    ode->dWorldSetGravity(rigid->engine, g.x, g.y, g.z);
    ode->dWorldSetERP(rigid->engine, 0.2);
    ode->dWorldSetQuickStepNumIterations(rigid->engine, rigid->def.iterations);
    return build_walls(rigid) ? rn_ground_geom_update(rigid) : rn_fail(RN_MEMORY, "there is not enough memory for ODE");
}

rn_result rn_rigid_create(rn_world *world, const rn_rigid_def *def, rn_rigid **out) {
    if (!RN_REQUIRE(def ? &def->hooks : NULL, world && def && out)) return RN_INVALID;
    *out = NULL;
    const rn_rigid_def whole = complete_definition(world, def);
    if (!(whole.substep > 0 && whole.friction >= 0 && whole.bounce >= 0 && whole.iterations > 0))
        return rn_fail(RN_INVALID,
                       "substep %g s, %d iterations, friction %g and bounce %g: the first two must be above 0, the "
                       "others 0 or more",
                       whole.substep, whole.iterations, whole.friction, whole.bounce);
    rn_rigid *rigid = rn_alloc(&def->hooks, 1, sizeof *rigid);
    if (!rigid) return RN_MEMORY;
    rigid->hooks = def->hooks;
    rigid->world = world;
    rigid->solved_drag = strcmp(rn_world_describe(world).solver, "mac") == 0;
    rigid->def = whole;
    rn_result result = open_library(&rigid->ode);
    if (result == RN_OK) result = start_engine(rigid);
    if (result == RN_OK) *out = rigid;
    else rn_rigid_destroy(rigid);
    return result;
}

/* Our data of the body of this number, any number; NULL: not in the engine. */
static rn_ode_body *ode_body_at(const rn_rigid *rigid, int body) {
    return body >= 0 && (size_t)body < rigid->count ? rigid->ode_bodies[body] : NULL;
}

/* Removes a body with its joints and geoms from ODE, and frees our data of it, which may be incomplete. Its entry in
   rigid->ode_bodies stays. */
static void free_ode_body(rn_rigid *rigid, rn_ode_body *ode_body) {
    const rn_ode *ode = &rigid->ode;
    while (ode_body->id && ode->dBodyGetNumJoints(ode_body->id) > 0)
        ode->dJointDestroy(ode->dBodyGetJoint(ode_body->id, 0));
    rn_geoms_destroy(rigid, ode_body);
    if (ode_body->id) ode->dBodyDestroy(ode_body->id);
    rn_free(&rigid->hooks, ode_body);
}

void rn_rigid_destroy(rn_rigid *rigid) {
    if (!rigid) return;
    const rn_hooks hooks = rigid->hooks;
    for (size_t i = 0; i < rigid->count; i++)
        if (rigid->ode_bodies[i]) free_ode_body(rigid, rigid->ode_bodies[i]);
    rn_ground_geom_destroy(rigid);
    if (rigid->contacts) rigid->ode.dJointGroupDestroy(rigid->contacts);
    if (rigid->space) rigid->ode.dSpaceDestroy(rigid->space); /* including the walls */
    if (rigid->engine) {
        rigid->ode.dWorldDestroy(rigid->engine);
        rigid->ode.dCloseODE();
    }
    rn_free(&hooks, rigid->ode_bodies);
    rn_free(&hooks, rigid->pairs);
    rn_free(&hooks, rigid);
}

rn_result rn_rigid_set_gravity(rn_rigid *rigid, rn_vec3 gravity) {
    const rn_ode *ode = &rigid->ode;
    if (!(fabs(gravity.x) <= 1e4 && fabs(gravity.y) <= 1e4 && fabs(gravity.z) <= 1e4))
        return rn_fail(RN_INVALID, "gravity is (%g, %g, %g); each component must be from -10000 to 10000 (m/s²)",
                       gravity.x, gravity.y, gravity.z);
    rigid->def.gravity = gravity;
    ode->dWorldSetGravity(rigid->engine, gravity.x, gravity.y, gravity.z);
    for (size_t i = 0; i < rigid->count; i++) {
        const rn_ode_body *body = rigid->ode_bodies[i];
        if (body && !body->driven && !body->lost) ode->dBodyEnable(body->id);
    }
    return RN_OK;
}

/* ---- Bodies ---- */

/* The centre of mass (m) of a body at a pose of its shape's origin: ODE moves the former. */
static rn_vec3 centre_at(const rn_ode_body *ode_body, const rn_pose *pose) {
    double rows[3][3];
    rn_quat_rows(pose->turn, rows);
    const rn_vec3 arm = rn_rows_rotate(rows, ode_body->centre);
    return (rn_vec3){pose->at.x + arm.x, pose->at.y + arm.y, pose->at.z + arm.z};
}

void rn_ode_body_put(rn_rigid *rigid, const rn_ode_body *ode_body, const rn_pose *pose) {
    const rn_ode *ode = &rigid->ode;
    const rn_vec3 at = centre_at(ode_body, pose);
    const rn_quat turn = rn_quat_unit(pose->turn);
    const dQuaternion q = {turn.w, turn.x, turn.y, turn.z};
    ode->dBodySetPosition(ode_body->id, at.x, at.y, at.z);
    ode->dBodySetQuaternion(ode_body->id, q);
    ode->dBodySetLinearVel(ode_body->id, pose->velocity.x, pose->velocity.y, pose->velocity.z);
    ode->dBodySetAngularVel(ode_body->id, pose->spin.x, pose->spin.y, pose->spin.z);
}

/* ODE's three numbers as a vector. */
static rn_vec3 to_vector(const dReal *v) { return (rn_vec3){v[0], v[1], v[2]}; }

rn_pose rn_ode_body_pose(const rn_rigid *rigid, const rn_ode_body *ode_body) {
    const rn_ode *ode = &rigid->ode;
    const dReal *q = ode->dBodyGetQuaternion(ode_body->id);
    const rn_vec3 centre = to_vector(ode->dBodyGetPosition(ode_body->id));
    rn_pose pose = {.turn = {q[1], q[2], q[3], q[0]},
                    .velocity = to_vector(ode->dBodyGetLinearVel(ode_body->id)),
                    .spin = to_vector(ode->dBodyGetAngularVel(ode_body->id))};
    const rn_vec3 arm = centre_at(ode_body, &pose);
    pose.at = (rn_vec3){centre.x - arm.x, centre.y - arm.y, centre.z - arm.z};
    return pose;
}

/* Sets how deep contacts may be (m) and how fast they push apart (m/s), from the smallest body, of which there must be
   one. */
static void set_contacts(rn_rigid *rigid) {
    double least = INFINITY;
    for (size_t i = 0; i < rigid->count; i++)
        if (rigid->ode_bodies[i]) least = fmin(least, rigid->ode_bodies[i]->radius);
    rigid->ode.dWorldSetContactSurfaceLayer(rigid->engine, 0.002 * least);
    rigid->ode.dWorldSetContactMaxCorrectingVel(rigid->engine, sqrt(rn_world_describe(rigid->world).gravity * least));
}

/* Whether ODE accepts mass and inertia of a body and its size (radius, m). It ends the program for impossible ones,
   such as shapes that are almost flat. */
static bool is_possible(const rn_body_info *info, double radius) {
    const double(*i)[3] = info->inertia, unit = info->mass * radius * radius;
    const double minor = i[0][0] * i[1][1] - i[0][1] * i[1][0];
    const double whole = i[0][0] * (i[1][1] * i[2][2] - i[1][2] * i[2][1]) -
                         i[0][1] * (i[1][0] * i[2][2] - i[1][2] * i[2][0]) +
                         i[0][2] * (i[1][0] * i[2][1] - i[1][1] * i[2][0]);
    return info->mass > 1e-12 && info->mass < 1e18 && radius > 1e-6 && radius < 1e9 && i[0][0] > 1e-9 * unit &&
           minor > 1e-18 * unit * unit && whole > 1e-27 * unit * unit * unit;
}

/* Creates a body in ODE, kinematic if it is driven: mass, pose and geoms. `ode_body` has everything else. The caller
   frees it, also after a failure. */
static rn_result make_ode_body(rn_rigid *rigid, rn_ode_body *ode_body, const rn_body_info *info) {
    const rn_ode *ode = &rigid->ode;
    ode_body->id = ode->dBodyCreate(rigid->engine);
    if (!ode_body->id) return rn_fail(RN_MEMORY, "there is not enough memory for a body");
    ode->dBodySetData(ode_body->id, ode_body);
    if (ode_body->driven) ode->dBodySetKinematic(ode_body->id);
    else {
        const double(*i)[3] = info->inertia;
        dMass mass;
        ode->dMassSetParameters(&mass, info->mass, 0, 0, 0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]);
        ode->dBodySetMass(ode_body->id, &mass);
    }
    rn_ode_body_put(rigid, ode_body, &info->pose);
    return rn_geoms_create(rigid, ode_body, info->shape);
}

/* Makes room for the body with this number, 0 or more; new entries are NULL. Returns false if memory runs out. */
static bool make_room(rn_rigid *rigid, int body) {
    while (rigid->count <= (size_t)body) {
        if (!rn_grow(&rigid->hooks, &rigid->ode_bodies, &rigid->capacity, rigid->count, sizeof *rigid->ode_bodies))
            return false;
        rigid->ode_bodies[rigid->count++] = NULL;
    }
    return true;
}

rn_result rn_rigid_add_body(rn_rigid *rigid, int body, const rn_rigid_body *how) {
    if (!RN_REQUIRE(rigid ? &rigid->hooks : NULL, rigid && how)) return RN_INVALID;
    const rn_body_info info = rn_bodies_describe(rigid->world, body);
    if (!info.there) return rn_fail(RN_INVALID, "there is no body %d to add to the engine", body);
    if (ode_body_at(rigid, body)) return rn_fail(RN_INVALID, "body %d has been added to the engine already", body);
    if (!(how->friction >= 0 && how->bounce >= 0))
        return rn_fail(RN_INVALID, "friction %g and bounce %g: they must be 0 or more", how->friction, how->bounce);
    const double radius = rn_shape_describe(info.shape).radius;
    if (!is_possible(&info, radius))
        return rn_fail(RN_INVALID,
                       "body %d, of %g kg and up to %g m from its middle, is too thin, too small or too large for the "
                       "engine to rotate",
                       body, info.mass, radius);
    if (!make_room(rigid, body)) return RN_MEMORY;
    rn_ode_body *ode_body = rn_alloc(&rigid->hooks, 1, sizeof *ode_body);
    if (!ode_body) return RN_MEMORY;
    *ode_body = (rn_ode_body){.body = body,
                              .driven = how->driven,
                              .friction = how->friction,
                              .bounce = how->bounce,
                              .mass = info.mass,
                              .radius = radius,
                              .centre = info.centre,
                              .from = info.pose,
                              .to = info.pose};
    const rn_result result = make_ode_body(rigid, ode_body, &info);
    if (result != RN_OK) {
        free_ode_body(rigid, ode_body);
        return result;
    }
    rigid->ode_bodies[body] = ode_body;
    set_contacts(rigid);
    return RN_OK;
}

/* Like ode_body_at, with an error text if it is NULL. */
static rn_ode_body *find_ode_body(const rn_rigid *rigid, int body) {
    rn_ode_body *ode_body = ode_body_at(rigid, body);
    if (!ode_body) rn_fail(RN_INVALID, "body %d has not been added to this engine", body);
    return ode_body;
}

rn_result rn_rigid_remove_body(rn_rigid *rigid, int body) {
    rn_ode_body *ode_body = find_ode_body(rigid, body);
    if (!ode_body) return RN_INVALID;
    free_ode_body(rigid, ode_body);
    rigid->ode_bodies[body] = NULL;
    return RN_OK;
}

rn_result rn_rigid_move_body(rn_rigid *rigid, int body, const rn_pose *pose) {
    rn_ode_body *ode_body = find_ode_body(rigid, body);
    if (!ode_body) return RN_INVALID;
    if (!ode_body->driven) return rn_fail(RN_INVALID, "body %d is not driven; it moves by itself", body);
    const rn_result result = rn_bodies_move(rigid->world, body, pose);
    if (result == RN_OK) ode_body->to = *pose;
    return result;
}

rn_result rn_rigid_apply_force(rn_rigid *rigid, int body, rn_vec3 force, rn_vec3 torque) {
    rn_ode_body *ode_body = find_ode_body(rigid, body);
    if (!ode_body) return RN_INVALID;
    if (!rn_is_finite(force) || !rn_is_finite(torque))
        return rn_fail(RN_INVALID, "the force on body %d is not a finite number", body);
    if (ode_body->driven || ode_body->lost) return RN_OK; /* forces do not move it, now or later */
    ode_body->pushed_force = rn_plus(ode_body->pushed_force, force, 1);
    ode_body->pushed_torque = rn_plus(ode_body->pushed_torque, torque, 1);
    rigid->ode.dBodyEnable(ode_body->id);
    return RN_OK;
}

/* ---- Joints ---- */

rn_result rn_rigid_add_joint(rn_rigid *rigid, const rn_joint_def *def) {
    if (!RN_REQUIRE(rigid ? &rigid->hooks : NULL, rigid && def)) return RN_INVALID;
    const rn_ode *ode = &rigid->ode;
    rn_result result = rn_joint_check(def);
    if (result != RN_OK) return result;
    const rn_ode_body *body = find_ode_body(rigid, def->body), *to = def->to < 0 ? NULL : find_ode_body(rigid, def->to);
    if (!body || (def->to >= 0 && !to)) return RN_INVALID;
    dJointID joint = NULL;
    switch (def->kind) {
    case RN_JOINT_BALL: joint = ode->dJointCreateBall(rigid->engine, NULL); break;
    case RN_JOINT_HINGE: joint = ode->dJointCreateHinge(rigid->engine, NULL); break;
    case RN_JOINT_SLIDER: joint = ode->dJointCreateSlider(rigid->engine, NULL); break;
    case RN_JOINT_FIXED: joint = ode->dJointCreateFixed(rigid->engine, NULL); break;
    }
    if (!joint) return rn_fail(RN_MEMORY, "there is not enough memory for a joint");
    ode->dJointAttach(joint, body->id, to ? to->id : NULL);
    switch (def->kind) {
    case RN_JOINT_BALL: ode->dJointSetBallAnchor(joint, def->at.x, def->at.y, def->at.z); break;
    case RN_JOINT_HINGE:
        ode->dJointSetHingeAnchor(joint, def->at.x, def->at.y, def->at.z);
        ode->dJointSetHingeAxis(joint, def->axis.x, def->axis.y, def->axis.z);
        if (!def->limited) break;
        ode->dJointSetHingeParam(joint, dParamLoStop, def->low);
        ode->dJointSetHingeParam(joint, dParamHiStop, def->high);
        break;
    case RN_JOINT_SLIDER:
        ode->dJointSetSliderAxis(joint, def->axis.x, def->axis.y, def->axis.z);
        if (!def->limited) break;
        ode->dJointSetSliderParam(joint, dParamLoStop, def->low);
        ode->dJointSetSliderParam(joint, dParamHiStop, def->high);
        break;
    case RN_JOINT_FIXED: ode->dJointSetFixed(joint); break;
    }
    return RN_OK;
}

/* Copies `count` numbers to `to`, which has room. Returns the position after them. */
static double *append(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

void rn_rigid_follow(rn_rigid *rigid) {
    for (size_t i = 0; i < rigid->count; i++) {
        rn_ode_body *ode_body = rigid->ode_bodies[i];
        const rn_body_info info = rn_bodies_describe(rigid->world, (int)i);
        if (!ode_body || !info.there) continue;
        ode_body->from = ode_body->to = info.pose;
        ode_body->loaded = ode_body->lost = ode_body->restored = false;
        rn_ode_body_put(rigid, ode_body, &info.pose);
        rigid->ode.dBodyEnable(ode_body->id);
    }
}

void rn_rigid_save(const rn_rigid *rigid, int body, double state[RN_RIGID_STATE]) {
    const rn_ode_body *ode_body = ode_body_at(rigid, body);
    memset(state, 0, RN_RIGID_STATE * sizeof *state);
    if (!ode_body || ode_body->driven) return;
    const rn_ode *ode = &rigid->ode;
    const rn_vec3 *vectors[] = {&ode_body->buoyancy, &ode_body->load_torque, &ode_body->asleep_load};
    const double rest[] = {ode_body->seconds, ode_body->loaded, ode_body->idle_seconds, ode_body->lost,
                           ode->dBodyIsEnabled(ode_body->id)};
    double *to = state;
    *to++ = 1;
    to = append(to, ode->dBodyGetPosition(ode_body->id), 3);
    to = append(to, ode_body->restored ? ode_body->turn : ode->dBodyGetQuaternion(ode_body->id), 4);
    to = append(to, ode->dBodyGetLinearVel(ode_body->id), 3);
    to = append(to, ode->dBodyGetAngularVel(ode_body->id), 3);
    for (int i = 0; i < 3; i++) to = append(to, &vectors[i]->x, 3);
    append(to, rest, 5);
}

rn_result rn_rigid_restore(rn_rigid *rigid, int body, const double state[RN_RIGID_STATE]) {
    rn_ode_body *ode_body = ode_body_at(rigid, body);
    if (!ode_body || ode_body->driven || state[0] == 0) return RN_OK;
    for (int i = 0; i < RN_RIGID_STATE; i++)
        if (!(fabs(state[i]) < 1e15)) return rn_fail(RN_FORMAT, "the state of body %d in the engine is damaged", body);
    const rn_ode *ode = &rigid->ode;
    const double *p = state + 1, *q = state + 4, *v = state + 8, *w = state + 11, *rest = state + 23;
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.5))
        return rn_fail(RN_FORMAT, "the state of body %d in the engine is damaged", body);
    ode->dBodySetPosition(ode_body->id, p[0], p[1], p[2]);
    append(ode_body->turn, q, 4);
    ode_body->restored = true;
    ode->dBodySetLinearVel(ode_body->id, v[0], v[1], v[2]);
    ode->dBodySetAngularVel(ode_body->id, w[0], w[1], w[2]);
    ode_body->buoyancy = to_vector(state + 14);
    ode_body->load_torque = to_vector(state + 17);
    ode_body->asleep_load = to_vector(state + 20);
    ode_body->loaded = rest[1] != 0 && rest[0] > 0;
    ode_body->seconds = rest[0];
    ode_body->idle_seconds = rest[2];
    ode_body->lost = rest[3] != 0;
    if (rest[4] == 0) ode->dBodyDisable(ode_body->id);
    return RN_OK;
}

bool rn_rigid_is_lost(const rn_rigid *rigid, int body) {
    const rn_ode_body *ode_body = ode_body_at(rigid, body);
    return ode_body && ode_body->lost;
}

bool rn_rigid_is_asleep(const rn_rigid *rigid, int body) {
    const rn_ode_body *ode_body = ode_body_at(rigid, body);
    return ode_body && !ode_body->driven && !rigid->ode.dBodyIsEnabled(ode_body->id);
}
