/* Contacts between bodies, ground and walls. */
#include "adapters/ode/rigid.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A body on fine ground touches dozens of triangles; a few contacts that are far apart hold it as well as all. */
enum { MOST_FOUND = 64, MOST_KEPT = 8 };

/* The square of the distance between two contacts (m^2). */
static double distance2(const dContactGeom *a, const dContactGeom *b) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a->pos[k] - b->pos[k]) * (a->pos[k] - b->pos[k]);
    return sum;
}

/* Moves the contacts to keep, of at most MOST_FOUND, to the front and returns their number, at most MOST_KEPT: first
   the deepest, then repeatedly the one farthest from those before it. Up to MOST_KEPT stay as they are. */
static int choose_contacts(dContactGeom *found, int count) {
    if (count <= MOST_KEPT) return count;
    double reach[MOST_FOUND];
    for (int i = 0; i < count; i++) reach[i] = INFINITY;
    for (int kept = 0; kept < MOST_KEPT; kept++) {
        int best = kept;
        for (int i = kept + 1; i < count; i++)
            if (kept ? reach[i] > reach[best] : found[i].depth > found[best].depth) best = i;
        const dContactGeom chosen = found[best];
        found[best] = found[kept];
        reach[best] = reach[kept];
        found[kept] = chosen;
        for (int i = kept + 1; i < count; i++) reach[i] = fmin(reach[i], distance2(&found[i], &chosen));
    }
    return MOST_KEPT;
}

/* Our data of a body of ODE, or NULL for NULL, which is the ground or a wall. */
static rn_ode_body *ode_body_of(const rn_ode *ode, dBodyID body) { return body ? ode->dBodyGetData(body) : NULL; }

/* Whether a body moves by itself and is awake; false for NULL. */
static bool moves(const rn_ode *ode, const rn_ode_body *ode_body) {
    return ode_body && !ode_body->driven && !ode_body->lost && ode->dBodyIsEnabled(ode_body->id);
}

/* Whether a driven body is moving in this step and the other is not driven; false if one is NULL. Whether they touch is
   not checked. ODE wakes sleeping bodies only for bodies that move by themselves. */
static bool drives_into(const rn_ode_body *ode_body, const rn_ode_body *other) {
    return ode_body && other && ode_body->driven && !other->driven &&
           memcmp(&ode_body->from, &ode_body->to, sizeof ode_body->from) != 0;
}

/* Whether a body was stopped because it left the world; false for NULL. */
static bool is_lost(const rn_ode_body *ode_body) { return ode_body && ode_body->lost; }

/* Creates the contact joints of two geoms that may touch, and wakes a body that a driven one pushes. Does nothing if
   neither moves, one is lost, or a joint connects them. Friction is the geometric mean, bounce the larger one; slow
   contacts do not bounce. */
static void make_contacts(rn_rigid *rigid, dGeomID one, dGeomID other) {
    const rn_ode *ode = &rigid->ode;
    const dBodyID a = ode->dGeomGetBody(one), b = ode->dGeomGetBody(other);
    const rn_ode_body *first = ode_body_of(ode, a), *second = ode_body_of(ode, b);
    const bool active =
        moves(ode, first) || moves(ode, second) || drives_into(first, second) || drives_into(second, first);
    if (!active || is_lost(first) || is_lost(second)) return;
    if (a && b && ode->dAreConnectedExcluding(a, b, dJointTypeContact)) return;
    dContactGeom found[MOST_FOUND];
    const int count = choose_contacts(found, ode->dCollide(one, other, MOST_FOUND, found, sizeof *found));
    if (count > 0 && drives_into(first, second)) ode->dBodyEnable(b);
    if (count > 0 && drives_into(second, first)) ode->dBodyEnable(a);
    const double friction =
        (first ? first->friction : rigid->def.friction) * (second ? second->friction : rigid->def.friction);
    const double radius = fmin(first ? first->radius : INFINITY, second ? second->radius : INFINITY);
    dContact contact = {.surface = {.mode = dContactBounce | dContactApprox1,
                                    .mu = sqrt(friction),
                                    .bounce = fmax(first ? first->bounce : rigid->def.bounce,
                                                   second ? second->bounce : rigid->def.bounce),
                                    .bounce_vel = 0.5 * sqrt(rn_world_describe(rigid->world).gravity * radius)}};
    for (int i = 0; i < count; i++) {
        contact.geom = found[i];
        const dJointID joint = ode->dJointCreateContact(rigid->engine, rigid->contacts, &contact);
        ode->dJointAttach(joint, a, b);
    }
}

/* Called by ODE for two geoms that may touch: adds them to the pairs, the lower number first. Sets
   rigid->short_of_memory if memory runs out. */
static void note(void *context, dGeomID one, dGeomID other) {
    rn_rigid *rigid = context;
    const uintptr_t a = (uintptr_t)rigid->ode.dGeomGetData(one), b = (uintptr_t)rigid->ode.dGeomGetData(other);
    if (!rn_grow(&rigid->hooks, &rigid->pairs, &rigid->pair_capacity, rigid->pair_count, sizeof *rigid->pairs))
        rigid->short_of_memory = true;
    else rigid->pairs[rigid->pair_count++] = a < b ? (rn_pair){a, b, one, other} : (rn_pair){b, a, other, one};
}

/* Compares pairs by their lower number, then by the higher one, for qsort. */
static int compare(const void *a, const void *b) {
    const rn_pair *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    return p->high < q->high ? -1 : p->high > q->high;
}

/* Pairs are sorted, because the order in which ODE finds them depends on their history, and an engine that resumes
   from a saved state would diverge. */
rn_result rn_contacts_find(rn_rigid *rigid) {
    rigid->pair_count = 0;
    rigid->short_of_memory = false;
    rigid->ode.dSpaceCollide(rigid->space, rigid, note);
    if (rigid->short_of_memory) return RN_MEMORY;
    if (rigid->pair_count) qsort(rigid->pairs, rigid->pair_count, sizeof *rigid->pairs, compare);
    for (size_t i = 0; i < rigid->pair_count; i++) make_contacts(rigid, rigid->pairs[i].one, rigid->pairs[i].other);
    return RN_OK;
}
