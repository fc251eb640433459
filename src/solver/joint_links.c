/* Building is cheap, because it happens whenever a column has changed its shape. What lies around a joint is only found
   when liquid comes to it: most joints are dry. */
#include "solver/joint_links.h"

#include "base/memory.h"

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

void rn_joints_free(const rn_hooks *hooks, rn_joints *joints) {
#define FREE(type, name, length) rn_free(hooks, joints->name);
    RN_JOINT_ARRAYS(FREE)
#undef FREE
}

rn_result rn_joints_reserve(const rn_hooks *hooks, size_t irregular, rn_joints *all) {
    const size_t joints = rn_joints_most(irregular), columns = 2 * irregular;
    bool fine = true;
    *all = (rn_joints){0};
#define ALLOCATE(type, name, length)                                                                                   \
    all->name = rn_alloc(hooks, (length) + 1, sizeof *all->name);                                                      \
    fine = fine && all->name;
    RN_JOINT_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return fine ? RN_OK : RN_MEMORY;
}

/* ---- The list --------------------------------------------------------------------------------------------------- */

/* A column without irregular pipes has one face on each side, which is all of it. */
static void add_joint(rn_state *s, rn_joint joint) {
    rn_joints *j = &s->joints;
    joint.share_l = joint.share_r = 1.0f;
    j->ends[2 * j->count] = joint.l, j->ends[2 * j->count + 1] = joint.r;
    j->faces[j->count++] = joint;
}

/* Ordinary pipes of a column with irregular pipes; those between two such columns belong to the first. */
static void add_ordinary(rn_state *s, const rn_junction *junction) {
    const rn_columns *columns = &s->columns;
    const int32_t c = junction->slot;
    for (int axis = 0; axis < 2 && !junction->sink; axis++) {
        const int32_t d = axis == 0 ? 1 : columns->grid.stride;
        const int32_t l = rn_slot_original(columns, c - d), r = rn_slot_original(columns, c + d);
        const uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
        rn_joint joint = {.l = l, .r = c, .pipe = l, .axis = (uint8_t)axis};
        if (l != c - d) joint.drop = columns->drop[axis];
        if (pipes[l] && !s->graph.junction_of[l]) add_joint(s, joint);
        joint = (rn_joint){.l = c, .r = r, .pipe = c, .axis = (uint8_t)axis};
        if (r != c + d) joint.drop = columns->drop[axis];
        if (pipes[c]) add_joint(s, joint);
    }
}

static rn_junction *junction_at(const rn_state *s, int32_t slot) {
    return s->graph.junction_of[slot] ? &s->graph.junctions[s->graph.junction_of[slot] - 1] : NULL;
}

static void link_end(rn_state *s, int32_t slot, int32_t link) {
    rn_junction *junction = junction_at(s, slot);
    if (junction) s->joints.links[junction->joint_end++] = link;
}

/* The joints of side k of a junction, as a fork; there is room, because each has an irregular pipe of its own. */
static int32_t add_fork(rn_state *s, const rn_junction *junction, int k, int32_t *end) {
    rn_joints *j = &s->joints;
    rn_fork *fork = &j->forks[j->fork_count];
    *fork = (rn_fork){.begin = *end};
    for (int32_t n = junction->joints; n < junction->joint_end; n++)
        if (rn_link_side(j->links[n]) == k) j->fork_links[(*end)++] = j->links[n];
    fork->end = *end;
    j->fork_move[j->fork_count] = j->fork_speed[j->fork_count] = j->fork_next[j->fork_count] = 0.0f;
    return j->fork_count++;
}

static void count_sides(rn_state *s, int32_t i, int32_t *fork_links) {
    rn_sides *sides = &s->joints.sides[i];
    rn_junction *junction = &s->graph.junctions[i];
    *sides = (rn_sides){.only = {-1, -1, -1, -1}, .beyond = {-1, -1, -1, -1}};
    for (int32_t n = junction->joints; n < junction->joint_end; n++) {
        const int k = rn_link_side(s->joints.links[n]);
        sides->only[k] = sides->count[k]++ ? -1 : s->joints.links[n] / 4;
    }
    junction->forks = s->joints.fork_count;
    for (int k = 0; k < 4; k++)
        if (sides->count[k] > 1) sides->fork[k] = add_fork(s, junction, k, fork_links);
    junction->fork_end = s->joints.fork_count;
}

/* How many joints each junction has, and where they stand. */
static void link_ends(rn_state *s) {
    rn_graph *g = &s->graph;
    const rn_joints *j = &s->joints;
    for (int32_t i = 0; i < 2 * j->count; i++)
        if (junction_at(s, j->ends[i])) junction_at(s, j->ends[i])->joint_end++;
    int32_t begin = 0;
    for (int32_t i = 0; i < g->junction_count; i++) {
        rn_junction *junction = &g->junctions[i];
        junction->joints = begin;
        begin += junction->joint_end;
        junction->joint_end = junction->joints;
    }
    for (int32_t i = 0; i < j->count; i++) {
        link_end(s, j->faces[i].l, 4 * i + 2 * j->faces[i].axis);
        link_end(s, j->faces[i].r, 4 * i + 2 * j->faces[i].axis + 1);
    }
}

void rn_joints_build(rn_state *s) {
    rn_graph *g = &s->graph;
    rn_joints *j = &s->joints;
    j->count = j->wet_count = 0;
    j->listings = 0;
    for (int32_t i = 0; i < g->irregular_count; i++)
        add_joint(s, (rn_joint){.l = g->irregular_a[i],
                                .r = g->irregular_b[i],
                                .pipe = i,
                                .drop = g->irregular_drop[i],
                                .axis = g->irregular_axis[i],
                                .irregular = true});
    for (int32_t i = 0; i < g->junction_count; i++) {
        add_ordinary(s, &g->junctions[i]);
        g->junctions[i].joints = g->junctions[i].joint_end = 0;
    }
    link_ends(s);
    j->fork_count = 1;
    int32_t fork_links = 0;
    for (int32_t i = 0; i < g->junction_count; i++) count_sides(s, i, &fork_links);
}

/* ---- What lies around -------------------------------------------------------------------------------------------- */

static rn_face_ref ref_to(uint32_t place, unsigned array) { return 4 * place + array; }

static rn_face_ref joint_ref(const rn_joint *joint) {
    return ref_to((uint32_t)joint->pipe, joint->irregular   ? RN_FACE_IRREGULAR
                                         : joint->axis == 0 ? RN_FACE_X
                                                            : RN_FACE_Y);
}

static rn_sides *sides_at(const rn_state *s, int32_t slot) { return &s->joints.sides[s->graph.junction_of[slot] - 1]; }

static int32_t beside(const rn_state *s, int32_t c, int k) {
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride;
    return k % 2 ? c + d : c - d;
}

rn_face_ref rn_side_ref(const rn_state *s, int32_t c, int k) {
    if (!s->graph.junction_of[c]) return ref_to((uint32_t)(k % 2 ? c : beside(s, c, k)), k < 2 ? RN_FACE_X : RN_FACE_Y);
    const rn_sides *sides = sides_at(s, c);
    if (sides->only[k] >= 0) return joint_ref(&s->joints.faces[sides->only[k]]);
    return ref_to((uint32_t)sides->fork[k], RN_FACE_FORK);
}

/* The column beyond side k; -1 where there are none or several. */
static int32_t column_beyond(const rn_state *s, int32_t c, int k) {
    if (!s->graph.junction_of[c]) return beside(s, c, k);
    const int32_t only = sides_at(s, c)->only[k];
    return only < 0 ? -1 : rn_joint_other(&s->joints.faces[only], c);
}

/* The side behind side k, on the same axis; side k itself if it has several faces, which leaves no slope. */
static rn_face_ref ref_beyond(const rn_state *s, int32_t c, int k) {
    const int32_t beyond = column_beyond(s, c, k);
    return beyond < 0 ? rn_side_ref(s, c, k) : rn_side_ref(s, rn_slot_original(&s->columns, beyond), k);
}

/* A sink; or a column under a ceiling, which is part of a passage once it is full, and goes on at its speed. */
static bool takes_any(const rn_state *s, int32_t slot) {
    const rn_junction *junction = junction_at(s, slot);
    return (junction && junction->sink) || (s->graph.headed && s->columns.ceil[slot] < s->columns.lid);
}

/* Side k across a joint, of its column c; `like` is the side of columns beyond that is like the joint. */
static void link_across(const rn_state *s, rn_joint *joint, int i, int32_t c, int k, int like) {
    const int32_t beyond = column_beyond(s, c, k);
    joint->across[i] = rn_side_ref(s, c, k);
    joint->like[i] = beyond < 0 ? RN_FACE_NONE : rn_side_ref(s, rn_slot_original(&s->columns, beyond), like);
    if ((joint->across[i] & 3) == RN_FACE_FORK && joint->across[i] != RN_FACE_NONE) joint->split |= (uint8_t)(1u << i);
}

void rn_joint_link(const rn_state *s, rn_joint *joint) {
    if (joint->linked) return;
    const int32_t l = joint->l, r = joint->r;
    const int back = 2 * joint->axis, ahead = back + 1, across = 2 * (1 - joint->axis);
    joint->own = joint_ref(joint);
    joint->back = rn_side_ref(s, l, back), joint->ahead = rn_side_ref(s, r, ahead);
    joint->before = ref_beyond(s, l, back), joint->beyond = ref_beyond(s, r, ahead);
    joint->behind_slot = column_beyond(s, l, back), joint->past_slot = column_beyond(s, r, ahead);
    joint->sides_l = s->graph.junction_of[l] - 1, joint->sides_r = s->graph.junction_of[r] - 1;
    joint->takes_l = takes_any(s, l), joint->takes_r = takes_any(s, r);
    joint->split = 0;
    for (int i = 0; i < 2; i++) {
        link_across(s, joint, i, l, across + i, ahead);
        link_across(s, joint, 2 + i, r, across + i, back);
    }
    joint->linked = true;
}

static uint8_t joint_kind(const rn_state *s, const rn_joint *joint) {
    return (joint->irregular   ? s->graph.irregular_kind
            : joint->axis == 0 ? s->graph.pipe_x
                               : s->graph.pipe_y)[joint->pipe];
}

void rn_sides_link(const rn_state *s, int32_t junction) {
    rn_sides *sides = &s->joints.sides[junction];
    const int32_t c = s->graph.junctions[junction].slot;
    if (sides->linked) return;
    for (int k = 0; k < 4; k++) {
        sides->faces[k] = rn_side_ref(s, c, k);
        sides->beyond[k] = column_beyond(s, c, k);
        sides->plain[k] = 0;
        sides->bed[k] = sides->level[k] = 0.0f;
        if (sides->only[k] < 0) continue;
        const rn_joint *joint = &s->joints.faces[sides->only[k]];
        if (!(joint_kind(s, joint) & RN_PIPE_PLAIN)) continue;
        sides->bed[k] = (s->columns.base[joint->r] - joint->drop) - s->columns.base[joint->l];
        sides->plain[k] = -1;
    }
    sides->linked = true;
}
