/* ODE beside a world. The library is opened when an engine is made, see base/late_library.h. */
#ifndef RN_ADAPTERS_ODE_RIGID_H
#define RN_ADAPTERS_ODE_RIGID_H

#include "base/late_library.h"
#include "terrain/sdf.h"

#include <math.h>
#include <ode/ode.h>
#include <runnel/mesh.h>
#include <runnel/rigid.h>

/* X(name): all functions of ODE that are used. */
#define RN_ODE_CALLS(X)                                                                                                \
    X(dInitODE2)                                                                                                       \
    X(dCloseODE)                                                                                                       \
    X(dAllocateODEDataForThread)                                                                                       \
    X(dRandSetSeed)                                                                                                    \
    X(dWorldCreate)                                                                                                    \
    X(dWorldDestroy)                                                                                                   \
    X(dWorldSetGravity)                                                                                                \
    X(dWorldSetERP)                                                                                                    \
    X(dWorldSetCFM)                                                                                                    \
    X(dWorldQuickStep)                                                                                                 \
    X(dWorldSetQuickStepNumIterations)                                                                                 \
    X(dWorldSetContactMaxCorrectingVel)                                                                                \
    X(dWorldSetContactSurfaceLayer)                                                                                    \
    X(dBodyCreate)                                                                                                     \
    X(dBodyDestroy)                                                                                                    \
    X(dBodySetData)                                                                                                    \
    X(dBodyGetData)                                                                                                    \
    X(dBodySetPosition)                                                                                                \
    X(dBodySetQuaternion)                                                                                              \
    X(dBodySetLinearVel)                                                                                               \
    X(dBodySetAngularVel)                                                                                              \
    X(dBodyGetPosition)                                                                                                \
    X(dBodyGetQuaternion)                                                                                              \
    X(dBodyGetLinearVel)                                                                                               \
    X(dBodyGetAngularVel)                                                                                              \
    X(dBodySetMass)                                                                                                    \
    X(dBodyAddForce)                                                                                                   \
    X(dBodyAddTorque)                                                                                                  \
    X(dBodySetKinematic)                                                                                               \
    X(dBodyEnable)                                                                                                     \
    X(dBodyDisable)                                                                                                    \
    X(dBodyIsEnabled)                                                                                                  \
    X(dMassSetParameters)                                                                                              \
    X(dSweepAndPruneSpaceCreate)                                                                                       \
    X(dSpaceDestroy)                                                                                                   \
    X(dSpaceCollide)                                                                                                   \
    X(dCollide)                                                                                                        \
    X(dGeomDestroy)                                                                                                    \
    X(dGeomSetBody)                                                                                                    \
    X(dGeomGetBody)                                                                                                    \
    X(dGeomSetData)                                                                                                    \
    X(dGeomGetData)                                                                                                    \
    X(dGeomSetOffsetPosition)                                                                                          \
    X(dGeomSetOffsetQuaternion)                                                                                        \
    X(dCreateBox)                                                                                                      \
    X(dCreateSphere)                                                                                                   \
    X(dCreateCapsule)                                                                                                  \
    X(dCreateCylinder)                                                                                                 \
    X(dCreateConvex)                                                                                                   \
    X(dCreatePlane)                                                                                                    \
    X(dCreateTriMesh)                                                                                                  \
    X(dGeomTriMeshDataCreate)                                                                                          \
    X(dGeomTriMeshDataDestroy)                                                                                         \
    X(dGeomTriMeshDataBuildSingle)                                                                                     \
    X(dGeomTriMeshDataBuildDouble)                                                                                     \
    X(dGeomTriMeshDataPreprocess2)                                                                                     \
    X(dJointGroupCreate)                                                                                               \
    X(dJointGroupDestroy)                                                                                              \
    X(dJointGroupEmpty)                                                                                                \
    X(dJointCreateContact)                                                                                             \
    X(dJointCreateBall)                                                                                                \
    X(dJointCreateHinge)                                                                                               \
    X(dJointCreateSlider)                                                                                              \
    X(dJointCreateFixed)                                                                                               \
    X(dJointAttach)                                                                                                    \
    X(dJointSetBallAnchor)                                                                                             \
    X(dJointSetHingeAnchor)                                                                                            \
    X(dJointSetHingeAxis)                                                                                              \
    X(dJointSetHingeParam)                                                                                             \
    X(dJointSetSliderAxis)                                                                                             \
    X(dJointSetSliderParam)                                                                                            \
    X(dJointSetFixed)                                                                                                  \
    X(dJointDestroy)                                                                                                   \
    X(dBodyGetNumJoints)                                                                                               \
    X(dBodyGetJoint)                                                                                                   \
    X(dAreConnectedExcluding)

typedef struct rn_ode {
    RN_ODE_CALLS(RN_LATE_MEMBER)
} rn_ode;

/* A part of a body in ODE, which keeps pointers to the arrays. */
typedef struct rn_geom {
    dGeomID id;
    dTriMeshDataID mesh;
    double *points, *planes;
    uint32_t *polygons;
} rn_geom;

typedef struct rn_ode_body {
    int body; /* its number in the world */
    dBodyID id;
    rn_geom *geoms;
    int geom_count;
    bool driven, lost;
    double friction, bounce;
    double mass, radius;                 /* kg, m */
    rn_vec3 centre;                      /* m, centre of mass from the shape's origin, before the pose is applied */
    rn_pose from, to;                    /* in this step; `to` only for a driven body */
    rn_vec3 pushed_force, pushed_torque; /* by the host */
    rn_vec3 force, torque, drag, flow;   /* in this step: N, N m, N and m/s */
    double slip; /* speed of the liquid relative to the body when the drag was found, times the drag */
    rn_vec3 buoyancy, load_torque; /* N, N m, before the last rn_world_step */
    double seconds;                /* s, its length */
    bool loaded;                   /* there has been one */
    rn_vec3 asleep_load;           /* N, of the liquid when the body fell asleep */
    double idle_seconds;           /* s, for which it has hardly moved */
    bool may_rest;
    bool restored; /* restored since the last step, with this rotation */
    dQuaternion turn;
} rn_ode_body;

/* Two geoms that may touch, by their numbers. */
typedef struct rn_pair {
    uintptr_t low, high;
    dGeomID one, other;
} rn_pair;

struct rn_rigid {
    rn_hooks hooks;
    rn_ode ode;
    rn_world *world;
    rn_rigid_def def;
    dWorldID engine;
    dSpaceID space;
    dJointGroupID contacts;
    rn_ground_mesh *ground;
    rn_geom ground_geom;
    rn_ode_body **ode_bodies; /* by the number of the body; NULL: not in the engine */
    size_t count, capacity;
    rn_pair *pairs;
    size_t pair_count, pair_capacity;
    bool short_of_memory; /* for pairs */
    bool warned;
    bool solved_drag; /* the liquid solves for drag and motion of bodies together, and assumes that all of it acts */
};

/* The number of a geom, in the form of ODE's pointer to data, which does not depend on when it was made. The ground has
   0; body -1, part 1 + side: a wall. A body may have 65536 parts. */
static inline void *rn_geom_number(int body, int part) {
    return (void *)(((uintptr_t)body + 1) << 16 | (uintptr_t)part);
}

/* a + times b. */
static inline rn_vec3 rn_plus(rn_vec3 a, rn_vec3 b, double times) {
    return (rn_vec3){a.x + times * b.x, a.y + times * b.y, a.z + times * b.z};
}

static inline bool rn_is_finite(rn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* Creates the geoms of a body's shape, one per part, around its centre of mass (adapters/ode/geoms.c); the body exists
   in ODE already. Returns RN_MEMORY if memory runs out; rn_geoms_destroy frees what was made. */
rn_result rn_geoms_create(rn_rigid *rigid, rn_ode_body *ode_body, const rn_shape *shape);
/* Destroys all geoms of a body; the body itself stays. */
void rn_geoms_destroy(rn_rigid *rigid, rn_ode_body *ode_body);
/* Creates the geom of the ground, or makes it again and wakes all bodies if the ground has changed. On failure bodies
   may have no ground. */
rn_result rn_ground_geom_update(rn_rigid *rigid);
/* Destroys geom and mesh of the ground, if there are any. */
void rn_ground_geom_destroy(rn_rigid *rigid);

/* Sets position, rotation and velocities of a body in ODE; `pose` is that of the shape's origin, as in the world. */
void rn_ode_body_put(rn_rigid *rigid, const rn_ode_body *ode_body, const rn_pose *pose);
/* The pose of a body in ODE, of the shape's origin, as in the world. */
rn_pose rn_ode_body_pose(const rn_rigid *rigid, const rn_ode_body *ode_body);

/* Creates contact joints in rigid->contacts for everything that touches now (adapters/ode/contacts.c). Returns
   RN_MEMORY if memory runs out; then there are no contact joints. */
rn_result rn_contacts_find(rn_rigid *rigid);

#endif
