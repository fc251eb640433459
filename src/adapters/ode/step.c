/* A step of the ODE engine: forces, substeps, sleep and lost bodies. */
#include "adapters/ode/rigid.h"

#include "base/quat.h"

#include <math.h>
#include <string.h>

/* A body farther from the centre of the domain than this, in sizes of the domain, is lost. */
static const double farthest = 10;

/* Sets whether a body may sleep: only if it is dry or aground, because a floating one would stop in a slow current.
   Wakes a sleeping body that may not sleep any more, or on which the force of the liquid has changed by more than 1 %
   of the body's weight since the body fell asleep. */
static void watch_sleep(rn_rigid *rigid, rn_ode_body *ode_body, const rn_body_load *load) {
    const rn_ode *ode = &rigid->ode;
    const rn_vec3 change = rn_minus(load->force, ode_body->asleep_load);
    const double weight = ode_body->mass * rn_world_describe(rigid->world).gravity;
    ode_body->may_rest = load->share < 1e-3 || load->aground;
    if (ode->dBodyIsEnabled(ode_body->id)) ode_body->asleep_load = load->force;
    else if (!ode_body->may_rest || rn_dot(change, change) > 1e-4 * weight * weight) {
        ode_body->idle_seconds = 0;
        ode->dBodyEnable(ode_body->id);
    }
}

/* Puts a body to sleep that has hardly moved for half a second, if it may rest; `seconds`: length of the step. ODE can
   do this itself, but does not reveal its progress, which a saved state needs. */
static void fall_asleep(rn_rigid *rigid, rn_ode_body *ode_body, double seconds) {
    const rn_ode *ode = &rigid->ode;
    const rn_pose pose = rn_ode_body_pose(rigid, ode_body);
    const double slow = 0.02 * sqrt(rn_world_describe(rigid->world).gravity * ode_body->radius);
    const double turning = ode_body->radius * ode_body->radius * rn_dot(pose.spin, pose.spin);
    const bool rests = rn_dot(pose.velocity, pose.velocity) < slow * slow && turning < slow * slow;
    ode_body->idle_seconds = rests ? ode_body->idle_seconds + seconds : 0;
    if (!ode_body->may_rest || ode_body->idle_seconds < 0.5) return;
    ode->dBodySetLinearVel(ode_body->id, 0, 0, 0);
    ode->dBodySetAngularVel(ode_body->id, 0, 0, 0);
    ode->dBodyDisable(ode_body->id);
}

/* Sets position and rotation of a body in ODE to what they already are, or to the restored rotation. ODE rounds a
   rotation whenever it is set. Because all are set in every step, a restored body continues exactly as the saved one
   did. */
static void set_pose_again(rn_rigid *rigid, rn_ode_body *ode_body) {
    const rn_ode *ode = &rigid->ode;
    dVector3 at;
    dQuaternion turn;
    memcpy(at, ode->dBodyGetPosition(ode_body->id), 3 * sizeof *at);
    memcpy(turn, ode_body->restored ? ode_body->turn : ode->dBodyGetQuaternion(ode_body->id), 4 * sizeof *turn);
    ode_body->restored = false;
    ode->dBodySetPosition(ode_body->id, at[0], at[1], at[2]);
    ode->dBodySetQuaternion(ode_body->id, turn);
}

/* Sets the forces (N) and torques (N m) on a body for the step of `seconds`: those of the liquid, and those that the
   host has given since the last step, which are then cleared. Those of the liquid are known only for the beginning of
   the step; held constant, they would make bodies bob higher and higher, so half of the last change of buoyancy and
   torque is added (Adams-Bashforth); not of drag, nor of the torque of a liquid that solves for drag itself. Forces
   that are not finite count as 0. Also decides whether the body may sleep, and may wake it. */
static void find_forces(rn_rigid *rigid, rn_ode_body *ode_body, double seconds) {
    rn_body_load load = rn_bodies_load(rigid->world, ode_body->body);
    if (!rn_is_finite(load.force) || !rn_is_finite(load.torque)) load = (rn_body_load){.share = 0};
    watch_sleep(rigid, ode_body, &load);
    const double ahead = ode_body->loaded ? 0.5 * seconds / ode_body->seconds : 0;
    ode_body->force = rn_plus(load.buoyancy, rn_minus(load.buoyancy, ode_body->buoyancy), ahead);
    const double ahead_of_torque = rigid->solved_drag ? 0 : ahead; /* its drag would ring */
    ode_body->torque = rn_plus(load.torque, rn_minus(load.torque, ode_body->load_torque), ahead_of_torque);
    ode_body->force = rn_plus(ode_body->force, ode_body->pushed_force, 1);
    ode_body->torque = rn_plus(ode_body->torque, ode_body->pushed_torque, 1);
    ode_body->drag = load.drag;
    ode_body->flow = load.flow;
    const double *v = rigid->ode.dBodyGetLinearVel(ode_body->id);
    const double slip = rn_dot(rn_minus(load.flow, (rn_vec3){v[0], v[1], v[2]}), load.drag);
    ode_body->slip = rigid->solved_drag ? 0 : slip; /* 0: drag does not fade */
    ode_body->buoyancy = load.buoyancy;
    ode_body->load_torque = load.torque;
    ode_body->seconds = seconds;
    ode_body->loaded = true;
    ode_body->pushed_force = ode_body->pushed_torque = (rn_vec3){0, 0, 0};
}

/* Passes the forces on a body to ODE for a substep; does nothing if it is asleep. Drag fades as the body takes up the
   motion of the liquid, and never overshoots that motion; but all of the drag acts if ode_body->slip is not above 0. */
static void apply_forces(rn_rigid *rigid, const rn_ode_body *ode_body) {
    const rn_ode *ode = &rigid->ode;
    if (!ode->dBodyIsEnabled(ode_body->id)) return;
    const double *v = ode->dBodyGetLinearVel(ode_body->id);
    const double slip = rn_dot(rn_minus(ode_body->flow, (rn_vec3){v[0], v[1], v[2]}), ode_body->drag);
    const double share = ode_body->slip > 0 ? fmin(fmax(slip / ode_body->slip, 0), 1) : 1;
    const rn_vec3 force = rn_plus(ode_body->force, ode_body->drag, share);
    ode->dBodyAddForce(ode_body->id, force.x, force.y, force.z);
    ode->dBodyAddTorque(ode_body->id, ode_body->torque.x, ode_body->torque.y, ode_body->torque.z);
}

/* Puts a driven body at its pose after this share (0 to 1) of the step, with the velocities of its end. */
static void drive_body(rn_rigid *rigid, const rn_ode_body *ode_body, double share) {
    const rn_quat a = rn_quat_unit(ode_body->from.turn), b = rn_quat_unit(ode_body->to.turn);
    const double sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -share : share, rest = 1 - share;
    rn_pose pose = ode_body->to;
    pose.at = rn_plus(ode_body->from.at, rn_minus(ode_body->to.at, ode_body->from.at), share);
    pose.turn =
        (rn_quat){rest * a.x + sign * b.x, rest * a.y + sign * b.y, rest * a.z + sign * b.z, rest * a.w + sign * b.w};
    rn_ode_body_put(rigid, ode_body, &pose);
}

/* Takes a substep of ODE, of `seconds`, that begins after this share (0 to 1) of the step. Returns RN_MEMORY if memory
   runs out; then the substep was taken without contacts. */
static rn_result take_substep(rn_rigid *rigid, double share, double seconds) {
    const rn_ode *ode = &rigid->ode;
    for (size_t i = 0; i < rigid->count; i++) {
        const rn_ode_body *ode_body = rigid->ode_bodies[i];
        if (!ode_body || ode_body->lost) continue;
        if (ode_body->driven) drive_body(rigid, ode_body, share);
        else apply_forces(rigid, ode_body);
    }
    const rn_result result = rn_contacts_find(rigid);
    ode->dRandSetSeed(1); /* the solver uses a random order of contacts: the same in every run */
    ode->dWorldQuickStep(rigid->engine, seconds);
    ode->dJointGroupEmpty(rigid->contacts);
    return result;
}

/* Whether a pose is not finite, or is farther from the middle of the domain than `farthest` times the domain's size. */
static bool is_lost(const rn_rigid *rigid, const rn_pose *pose) {
    const rn_world_info info = rn_world_describe(rigid->world);
    const double length = info.cells_x * info.cell_size, width = info.cells_y * info.cell_size;
    const double size = length + width + (info.lid - info.datum);
    const rn_vec3 middle = {info.origin_x + 0.5 * length, info.origin_y + 0.5 * width, info.datum};
    const rn_vec3 off = rn_minus(pose->at, middle);
    return !(rn_dot(off, off) < farthest * farthest * size * size) || !rn_is_finite(pose->velocity) ||
           !rn_is_finite(pose->spin) || !isfinite(pose->turn.x + pose->turn.y + pose->turn.z + pose->turn.w);
}

/* Marks bodies that have become lost and stops them where they were before the step; logs the first. Done after every
   substep, because ODE ends the program for numbers that are not finite. */
static void catch_lost(rn_rigid *rigid) {
    for (size_t i = 0; i < rigid->count; i++) {
        rn_ode_body *ode_body = rigid->ode_bodies[i];
        if (!ode_body || ode_body->driven || ode_body->lost) continue;
        const rn_pose now = rn_ode_body_pose(rigid, ode_body);
        if (!is_lost(rigid, &now)) continue;
        ode_body->lost = true;
        ode_body->from.velocity = ode_body->from.spin = (rn_vec3){0, 0, 0};
        rn_ode_body_put(rigid, ode_body, &ode_body->from);
        rigid->ode.dBodyDisable(ode_body->id);
        if (rigid->warned) continue;
        rigid->warned = true;
        rn_log(&rigid->hooks, RN_LOG_WARNING,
               "body %d flew out of the world and was put back and stopped; shorter substeps may help", ode_body->body);
    }
}

/* Before the step of `seconds`: stores the poses of free bodies and finds the forces on them; drops bodies that the
   world no longer has. Driven and lost ones stay as they are. */
static void begin_step(rn_rigid *rigid, double seconds) {
    for (size_t i = 0; i < rigid->count; i++) {
        rn_ode_body *ode_body = rigid->ode_bodies[i];
        if (!ode_body) continue;
        if (!rn_bodies_describe(rigid->world, (int)i).there) {
            rn_rigid_remove_body(rigid, (int)i);
            continue;
        }
        if (ode_body->driven || ode_body->lost) continue;
        set_pose_again(rigid, ode_body);
        ode_body->from = rn_ode_body_pose(rigid, ode_body);
        find_forces(rigid, ode_body, seconds);
    }
}

/* After the step of `seconds`: puts free bodies at rest to sleep, and passes the poses of free and lost bodies to the
   world. Leaves out those that were asleep already, which have not moved. Driven bodies are put to the end of their
   motion in ODE only: in the world the host has moved them. Stops at the first body that the world refuses, with its
   result. */
static rn_result end_step(rn_rigid *rigid, double seconds) {
    rn_result result = RN_OK;
    for (size_t i = 0; i < rigid->count && result == RN_OK; i++) {
        rn_ode_body *ode_body = rigid->ode_bodies[i];
        if (!ode_body) continue;
        if (ode_body->driven) {
            rn_ode_body_put(rigid, ode_body, &ode_body->to);
            ode_body->from = ode_body->to;
            continue;
        }
        if (!rigid->ode.dBodyIsEnabled(ode_body->id) && !ode_body->lost) continue;
        if (!ode_body->lost) fall_asleep(rigid, ode_body, seconds);
        const rn_pose pose = rn_ode_body_pose(rigid, ode_body);
        result = rn_bodies_move(rigid->world, (int)i, &pose);
    }
    return result;
}

rn_result rn_rigid_step(rn_rigid *rigid, double seconds) {
    if (!RN_REQUIRE(rigid ? &rigid->hooks : NULL, rigid && seconds > 0 && isfinite(seconds))) return RN_INVALID;
    if (!rigid->ode.dAllocateODEDataForThread((unsigned)dAllocateMaskAll))
        return rn_fail(RN_MEMORY, "there is not enough memory for ODE");
    rn_result result = rn_ground_geom_update(rigid);
    if (result != RN_OK) return result;
    begin_step(rigid, seconds);
    const double parts = fmax(ceil(seconds / rigid->def.substep - 1e-9), 1);
    for (double i = 0; i < parts && result == RN_OK; i++) {
        result = take_substep(rigid, i / parts, seconds / parts);
        catch_lost(rigid);
    }
    return result == RN_OK ? end_step(rigid, seconds) : result;
}
