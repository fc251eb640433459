/* This is one long file on purpose: all passes over joints share how they look at columns and sides.

   A joint is a face between layers, into a hole or over an open edge, or an ordinary face of a column that has such
   faces (docs/model.md, "Layers"). A side of a column is all its faces towards one neighbouring cell.

     list      joints with liquid at an end, and their columns
     look      sums, shares and steps of sides
     forces    on joints, as rn_face_force has them
     carries   transport, along the joint to second order, across it to first
     crossings transfers; in an implicit substep only the depths that cross

   Sums go side by side and in the order of joints, so that results depend neither on threads nor on mirroring. */
#include "solver/joints.h"

#include "kernels/face.h"
#include "solver/drag.h"

enum { WEST, EAST, SOUTH, NORTH };

static const rn_face_kind any_kind = {.sloped = true, .gated = true, .falls = true, .tilted = true};

/* ---- The list --------------------------------------------------------------------------------------------------- */

/* A column without loose pipes has one face on each side, which is all of it. */
static void add_joint(rn_state *s, rn_joint joint) {
    joint.share_l = joint.share_r = 1.0f;
    s->graph.joint_ends[2 * s->graph.joint_count] = joint.l,
                            s->graph.joint_ends[2 * s->graph.joint_count + 1] = joint.r;
    s->graph.joints[s->graph.joint_count++] = joint;
}

/* The column that a slot past a periodic edge is a copy of, or the slot itself. */
static int32_t original(const rn_state *s, int32_t slot) {
    const rn_columns *c = &s->columns;
    if (!c->periodic_x && !c->periodic_y) return slot;
    rn_spot at = rn_slot_place(&c->grid, slot);
    if (c->periodic_x) at.x = (at.x + c->grid.nx * RN_RIM) % c->grid.nx;
    if (c->periodic_y) at.y = (at.y + c->grid.ny * RN_RIM) % c->grid.ny;
    return rn_slot(&c->grid, at.layer, at.y, at.x);
}

/* Ordinary pipes of a column with loose pipes; those between two such columns belong to the first. */
static void add_ordinary(rn_state *s, const rn_special *special) {
    const int32_t c = special->slot;
    for (int axis = 0; axis < 2 && !special->sink; axis++) {
        const int32_t d = axis == 0 ? 1 : s->columns.grid.stride, l = original(s, c - d), r = original(s, c + d);
        const uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
        rn_joint joint = {.l = l, .r = c, .pipe = l, .axis = (uint8_t)axis};
        if (l != c - d) joint.drop = s->columns.drop[axis];
        if (pipes[l] && !s->graph.special_of[l]) add_joint(s, joint);
        joint = (rn_joint){.l = c, .r = r, .pipe = c, .axis = (uint8_t)axis};
        if (r != c + d) joint.drop = s->columns.drop[axis];
        if (pipes[c]) add_joint(s, joint);
    }
}

static rn_special *special_at(const rn_state *s, int32_t slot) {
    return s->graph.special_of[slot] ? &s->graph.specials[s->graph.special_of[slot] - 1] : NULL;
}

static rn_sides *sides_at(const rn_state *s, int32_t slot) { return &s->graph.sides[s->graph.special_of[slot] - 1]; }

static void link_end(rn_state *s, int32_t slot, int32_t link) {
    rn_special *special = special_at(s, slot);
    if (special) s->graph.joint_links[special->joint_end++] = link;
}

/* The side of its column that a link means. */
static int side_of(int32_t link) { return link % 4 ^ 1; }

static rn_joint *joint_of(const rn_state *s, int32_t link) { return &s->graph.joints[link / 4]; }

static void count_sides(rn_state *s, int32_t i) {
    rn_sides *sides = &s->graph.sides[i];
    const rn_special *special = &s->graph.specials[i];
    *sides = (rn_sides){.only = {-1, -1, -1, -1}};
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const int k = side_of(s->graph.joint_links[n]);
        sides->only[k] = sides->count[k]++ ? -1 : s->graph.joint_links[n] / 4;
    }
}

void rn_joints_build(rn_state *s) {
    rn_graph *g = &s->graph;
    g->joint_count = s->schedule.joint_count = 0;
    for (int32_t i = 0; i < g->loose; i++)
        add_joint(s, (rn_joint){.l = g->loose_a[i],
                                .r = g->loose_b[i],
                                .pipe = i,
                                .drop = g->loose_drop[i],
                                .axis = g->loose_axis[i],
                                .loose = true});
    for (int32_t i = 0; i < g->special_count; i++) {
        add_ordinary(s, &g->specials[i]);
        g->specials[i].joints = g->specials[i].joint_end = 0;
    }
    for (int32_t i = 0; i < g->joint_count; i++) {
        if (special_at(s, g->joints[i].l)) special_at(s, g->joints[i].l)->joint_end++;
        if (special_at(s, g->joints[i].r)) special_at(s, g->joints[i].r)->joint_end++;
    }
    int32_t begin = 0;
    for (int32_t i = 0; i < g->special_count; i++) {
        rn_special *special = &g->specials[i];
        special->joints = begin;
        begin += special->joint_end;
        special->joint_end = special->joints;
    }
    for (int32_t i = 0; i < g->joint_count; i++) {
        link_end(s, g->joints[i].l, 4 * i + 2 * g->joints[i].axis);
        link_end(s, g->joints[i].r, 4 * i + 2 * g->joints[i].axis + 1);
    }
    for (int32_t i = 0; i < g->special_count; i++) count_sides(s, i);
}

/* ---- Sides ------------------------------------------------------------------------------------------------------ */

static float joint_value(const rn_joint *joint, const float *x, const float *y, const float *loose) {
    return (joint->loose ? loose : joint->axis == 0 ? x : y)[joint->pipe];
}

static float joint_move(const rn_state *s, const rn_joint *joint) {
    return joint_value(joint, s->graph.move_x, s->graph.move_y, s->graph.loose_move);
}
static float joint_speed(const rn_state *s, const rn_joint *joint) {
    return joint_value(joint, s->graph.speed_x, s->graph.speed_y, s->graph.loose_speed);
}
static float joint_next(const rn_state *s, const rn_joint *joint) {
    return joint_value(joint, s->graph.next_x, s->graph.next_y, s->graph.loose_next);
}
static float joint_half(const rn_state *s, const rn_joint *joint) {
    (void)s;
    return joint->half;
}
static uint8_t joint_kind(const rn_state *s, const rn_joint *joint) {
    return (joint->loose ? s->graph.loose_kind : joint->axis == 0 ? s->graph.pipe_x : s->graph.pipe_y)[joint->pipe];
}

/* What an array of ordinary faces has on a side of a column without loose pipes. */
static float plain_side(const rn_state *s, int32_t c, int k, const float *x, const float *y) {
    switch (k) {
    case WEST: return x[c - 1];
    case EAST: return x[c];
    case SOUTH: return y[c - s->columns.grid.stride];
    default: return y[c];
    }
}

static float side_move(const rn_state *s, int32_t c, int k) {
    return s->graph.special_of[c] ? sides_at(s, c)->move[k] : plain_side(s, c, k, s->graph.move_x, s->graph.move_y);
}
static float side_speed(const rn_state *s, int32_t c, int k) {
    return s->graph.special_of[c] ? sides_at(s, c)->speed[k] : plain_side(s, c, k, s->graph.speed_x, s->graph.speed_y);
}
static float side_half(const rn_state *s, int32_t c, int k) {
    return s->graph.special_of[c] ? sides_at(s, c)->half[k] : plain_side(s, c, k, s->graph.half_x, s->graph.half_y);
}
static float side_next(const rn_state *s, int32_t c, int k) {
    return s->graph.special_of[c] ? sides_at(s, c)->next[k] : plain_side(s, c, k, s->graph.next_x, s->graph.next_y);
}

static int32_t other_end(const rn_joint *joint, int32_t slot) { return joint->l == slot ? joint->r : joint->l; }

static rn_ends ends_of(const rn_state *s, const rn_joint *joint) {
    return rn_state_ends(s, joint->l, joint->r, joint->drop);
}

/* The share of one of several faces of a side: by what moves through it, by its height where nothing moves. */
static void find_shares(rn_state *s, const rn_special *special, rn_sides *sides) {
    float heights[4] = {0};
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const int32_t link = s->graph.joint_links[n];
        const int k = side_of(link);
        rn_joint *joint = joint_of(s, link);
        float *share = link % 2 ? &joint->share_r : &joint->share_l;
        *share = 1.0f;
        if (sides->count[k] < 2) continue;
        if (sides->through[k] > 0.0f) {
            *share = fabsf(joint_move(s, joint)) / sides->through[k];
            continue;
        }
        const rn_ends ends = ends_of(s, joint);
        *share = rn_pipe_height(&ends)[0];
        heights[k] += *share;
    }
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const int32_t link = s->graph.joint_links[n];
        const int k = side_of(link);
        float *share = link % 2 ? &joint_of(s, link)->share_r : &joint_of(s, link)->share_l;
        if (sides->count[k] > 1 && !(sides->through[k] > 0.0f)) *share = heights[k] > 0.0f ? *share / heights[k] : 0.0f;
    }
}

/* ---- Steps of the bed and of the surface ------------------------------------------------------------------------ */

/* On each side of a column; of several faces the gentlest. */
typedef struct side_steps {
    float bed[4], level[4];
    bool plain[4];
} side_steps;

static void add_face(const substep *step, side_steps *steps, int k, int32_t l, int32_t r, float drop) {
    const rn_columns *c = &step->s->columns;
    const float bed = (c->base[r] - drop) - c->base[l];
    const float level = bed + (rn_column_stand(c, r) - rn_column_stand(c, l)) - step->law->tilt[k / 2];
    const bool more = steps->plain[k];
    steps->bed[k] = more ? rn_minmod(rn_splat(steps->bed[k]), rn_splat(bed))[0] : bed;
    steps->level[k] = more ? rn_minmod(rn_splat(steps->level[k]), rn_splat(level))[0] : level;
    steps->plain[k] = true;
}

static void find_steps(const substep *step, const rn_special *special, rn_sides *sides) {
    const rn_state *s = step->s;
    side_steps steps = {0};
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const int32_t link = s->graph.joint_links[n];
        const rn_joint *joint = joint_of(s, link);
        if (joint_kind(s, joint) & RN_PIPE_PLAIN)
            add_face(step, &steps, side_of(link), joint->l, joint->r, joint->drop);
    }
    memcpy(sides->bed, steps.bed, sizeof steps.bed);
    memcpy(sides->level, steps.level, sizeof steps.level);
    memcpy(sides->plain, steps.plain, sizeof steps.plain);
}

static side_steps steps_at(const substep *step, int32_t c) {
    const rn_state *s = step->s;
    side_steps steps = {0};
    if (s->graph.special_of[c]) {
        const rn_sides *sides = sides_at(s, c);
        memcpy(steps.bed, sides->bed, sizeof steps.bed);
        memcpy(steps.level, sides->level, sizeof steps.level);
        memcpy(steps.plain, sides->plain, sizeof steps.plain);
        return steps;
    }
    const int32_t up = s->columns.grid.stride;
    const int32_t from[4] = {c - 1, c, c - up, c}, to[4] = {c, c + 1, c, c + up};
    for (int k = 0; k < 4; k++)
        if ((k < 2 ? s->graph.pipe_x : s->graph.pipe_y)[from[k]] & RN_PIPE_PLAIN)
            add_face(step, &steps, k, from[k], to[k], 0.0f);
    return steps;
}

static float share_of(const rn_joint *joint, int32_t link) { return link % 2 ? joint->share_r : joint->share_l; }

/* The mean speed (m/s) of each side of a column, weighted by the shares of its faces. */
static void sum_side(const rn_state *s, const rn_special *special,
                     float (*speed_of)(const rn_state *, const rn_joint *), float mean[4]) {
    for (int k = 0; k < 4; k++) mean[k] = 0.0f;
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const int32_t link = s->graph.joint_links[n];
        const rn_joint *joint = joint_of(s, link);
        mean[side_of(link)] += share_of(joint, link) * speed_of(s, joint);
    }
}

static void look_at_sides(const substep *step, int32_t busy) {
    rn_state *s = step->s;
    const rn_special *special = &s->graph.specials[busy];
    rn_sides *sides = &s->graph.sides[busy];
    for (int k = 0; k < 4; k++) sides->move[k] = sides->through[k] = 0.0f;
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const int k = side_of(s->graph.joint_links[n]);
        const float t = joint_move(s, joint_of(s, s->graph.joint_links[n]));
        sides->move[k] += t, sides->through[k] += fabsf(t);
    }
    find_shares(s, special, sides);
    find_steps(step, special, sides);
    sum_side(s, special, joint_speed, sides->speed);
}

static void sum_halves(void *context, int begin, int end, int worker) {
    const rn_state *s = ((const substep *)context)->s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int32_t busy = s->schedule.busy[i];
        sum_side(s, &s->graph.specials[busy], joint_half, s->graph.sides[busy].half);
    }
}

enum { GROUP = 64 }; /* columns, about as much work as a tile */

static int32_t group_end(const rn_state *s, int end) {
    return end * GROUP < s->schedule.busy_count ? end * GROUP : s->schedule.busy_count;
}

void rn_joints_look(const substep *step, int begin, int end) {
    const rn_state *s = step->s;
    for (int32_t i = begin * GROUP; i < group_end(s, end); i++) look_at_sides(step, s->schedule.busy[i]);
}

void rn_joints_sum(const substep *step, int begin, int end) {
    const rn_state *s = step->s;
    for (int32_t i = begin * GROUP; i < group_end(s, end); i++) {
        const int32_t busy = s->schedule.busy[i];
        sum_side(s, &s->graph.specials[busy], joint_next, s->graph.sides[busy].next);
    }
}

static void list_column(rn_state *s, int32_t slot) {
    const int32_t i = s->graph.special_of[slot] - 1;
    if (i < 0 || s->graph.specials[i].listed) return;
    s->graph.specials[i].listed = true;
    s->schedule.busy[s->schedule.busy_count++] = i;
}

/* Nothing moves at columns and joints that are not listed. */
static void forget_lists(rn_state *s) {
    for (int32_t i = 0; i < s->schedule.busy_count; i++) {
        rn_sides *sides = &s->graph.sides[s->schedule.busy[i]];
        s->graph.specials[s->schedule.busy[i]].listed = false;
        for (int k = 0; k < 4; k++) sides->move[k] = sides->speed[k] = sides->half[k] = sides->next[k] = 0.0f;
    }
    for (int32_t i = 0; i < s->schedule.joint_count; i++) s->graph.joints[s->schedule.wet_joints[i]].half = 0.0f;
    s->schedule.joint_count = s->schedule.busy_count = 0;
}

int rn_joints_list(rn_state *s) {
    rn_graph *g = &s->graph;
    forget_lists(s);
    const float *const depth = s->columns.depth;
    for (int32_t i = 0; i < g->joint_count; i++) { /* loose ones come first */
        const int32_t l = g->joint_ends[2 * i], r = g->joint_ends[2 * i + 1];
        if (depth[l] > 0.0f || depth[r] > 0.0f) {
            s->schedule.wet_joints[s->schedule.joint_count++] = i;
            list_column(s, l);
            list_column(s, r);
        } else if (i < g->loose) {
            g->loose_speed[i] = g->loose_next[i] = g->loose_move[i] = 0.0f;
        }
    }
    return (s->schedule.busy_count + GROUP - 1) / GROUP;
}

/* ---- Slopes ----------------------------------------------------------------------------------------------------- */

static void gather_steps(const substep *step, int32_t c, int lane, rn_steps *x, rn_steps *y) {
    const side_steps steps = steps_at(step, c);
    for (int axis = 0; axis < 2; axis++) {
        rn_steps *to = axis == 0 ? x : y;
        to->bed_back[lane] = steps.bed[2 * axis], to->bed_ahead[lane] = steps.bed[2 * axis + 1];
        to->level_back[lane] = steps.level[2 * axis], to->level_ahead[lane] = steps.level[2 * axis + 1];
        to->back[lane] = steps.plain[2 * axis] ? -1 : 0, to->ahead[lane] = steps.plain[2 * axis + 1] ? -1 : 0;
    }
}

/* ---- Forces -------------------------------------------------------------------------------------------------------
 */

/* Joints, gathered RN_LANES at a time; lanes past the last repeat it. */
typedef struct batch {
    rn_joint *joints[RN_LANES];
    int count;
} batch;

static batch batch_at(const rn_state *s, int number) {
    batch b;
    const int first = number * RN_LANES;
    b.count = s->schedule.joint_count - first < RN_LANES ? s->schedule.joint_count - first : RN_LANES;
    for (int lane = 0; lane < RN_LANES; lane++)
        b.joints[lane] = &s->graph.joints[s->schedule.wet_joints[first + (lane < b.count ? lane : b.count - 1)]];
    return b;
}

static int batch_count(const rn_state *s) { return (s->schedule.joint_count + RN_LANES - 1) / RN_LANES; }

/* A sink; or a column under a ceiling, which is part of a passage once it is full, and goes on at its speed. */
static bool takes_any(const rn_state *s, int32_t slot) {
    const rn_special *special = special_at(s, slot);
    return (special && special->sink) || (s->graph.headed && s->columns.ceil[slot] < s->columns.lid);
}

/* Depth of the column beyond one side of a column; 0 where there are none or several. */
static float depth_beyond(const rn_state *s, int32_t c, int k) {
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride;
    if (!s->graph.special_of[c]) return s->columns.depth[k % 2 ? c + d : c - d];
    const int32_t only = sides_at(s, c)->only[k];
    return only < 0 ? 0.0f : s->columns.depth[other_end(&s->graph.joints[only], c)];
}

/* What a substep asks for again and again. */
static void look_at_joint(const rn_state *s, rn_joint *joint) {
    const rn_columns *c = &s->columns;
    const int back = 2 * joint->axis, ahead = back + 1;
    joint->zl = c->base[joint->l], joint->zr = c->base[joint->r] - joint->drop;
    joint->hl = rn_column_stand(c, joint->l), joint->hr = rn_column_stand(c, joint->r);
    joint->gap = fminf(c->ceil[joint->l], c->ceil[joint->r] - joint->drop) - fmaxf(joint->zl, joint->zr);
    joint->behind = side_speed(s, joint->l, back), joint->ahead = side_speed(s, joint->r, ahead);
}

static void gather_face(const rn_joint *joint, int lane, rn_face *f) {
    f->zl[lane] = joint->zl, f->hl[lane] = joint->hl, f->zr[lane] = joint->zr, f->hr[lane] = joint->hr;
    f->gap[lane] = joint->gap;
    f->behind[lane] = joint->behind, f->ahead[lane] = joint->ahead;
}

/* In an implicit substep a fall with liquid above its brink on both sides is like any other face. */
static bool is_drowned(const substep *step, const rn_joint *joint) {
    const float sill = fmaxf(joint->zl, joint->zr);
    return step->law->implicit && fminf(joint->zl + joint->hl, joint->zr + joint->hr) > sill;
}

static void gather_more(const substep *step, const rn_joint *joint, int lane, rn_face *f, rn_drag *drag) {
    const rn_state *s = step->s;
    const rn_columns *c = &s->columns;
    const int back = 2 * joint->axis, ahead = back + 1;
    const uint8_t kind = joint_kind(s, joint);
    f->room_l[lane] = rn_column_room(c, joint->l), f->room_r[lane] = rn_column_room(c, joint->r);
    if (takes_any(s, joint->l)) f->room_l[lane] = INFINITY;
    if (takes_any(s, joint->r)) f->room_r[lane] = INFINITY;
    f->u[lane] = joint_speed(s, joint);
    f->h_behind[lane] = depth_beyond(s, joint->l, back), f->h_ahead[lane] = depth_beyond(s, joint->r, ahead);
    rn_drag_gather(c, lane, joint->l, joint->r, drag);
    f->open[lane] = kind & RN_PIPE_DUCT ? 0 : -1;
    f->fall[lane] = kind & RN_PIPE_FALL && !is_drowned(step, joint) ? -1 : 0;
    f->duct[lane] = kind & RN_PIPE_DUCT ? -1 : 0;
}

static void give_gain(const rn_state *s, rn_joint *joint, float gain) {
    joint->gain = gain;
    if (!joint->loose) (joint->axis == 0 ? s->graph.gain_x : s->graph.gain_y)[joint->pipe] = gain;
}

static void force_batch(const substep *step, const batch *b) {
    rn_face f;
    rn_drag drag = rn_drag_even(step->law);
    rn_steps steps[2][2]; /* of l and r, along x and y */
    rn_wide tilt;
    rn_mask along_y;
    for (int lane = 0; lane < RN_LANES; lane++) {
        const rn_joint *joint = b->joints[lane];
        if (lane < b->count) look_at_joint(step->s, b->joints[lane]);
        gather_face(joint, lane, &f);
        gather_more(step, joint, lane, &f, &drag);
        gather_steps(step, joint->l, lane, &steps[0][0], &steps[0][1]);
        gather_steps(step, joint->r, lane, &steps[1][0], &steps[1][1]);
        tilt[lane] = step->law->tilt[joint->axis];
        along_y[lane] = joint->axis == 0 ? 0 : -1;
    }
    const rn_wide deepest = rn_greater(f.hl, f.hr);
    const rn_slopes l = rn_column_slopes(step->law, deepest, &steps[0][0], &steps[0][1]);
    const rn_slopes r = rn_column_slopes(step->law, deepest, &steps[1][0], &steps[1][1]);
    f.el = l.e, f.er = r.e;
    f.bed_l = rn_select(along_y, l.bed_y, l.bed_x), f.bed_r = rn_select(along_y, r.bed_y, r.bed_x);
    f.part_l = rn_select(along_y, l.part_x, l.part_y), f.part_r = rn_select(along_y, r.part_x, r.part_y);
    f.kappa = drag.kappa, f.manning = drag.manning, f.chezy = drag.chezy;
    const rn_force out = rn_face_force(step->law, &f, tilt, any_kind);
    for (int lane = 0; lane < b->count; lane++) {
        rn_joint *joint = b->joints[lane];
        joint->half = out.half[lane], joint->pushed = out.pushed[lane], joint->kept = out.kept[lane];
        joint->lo = out.lo[lane], joint->hi = out.hi[lane], joint->along = out.along[lane];
        if (step->law->implicit) give_gain(step->s, joint, out.gain[lane]);
        if (!joint->loose)
            (joint->axis == 0 ? step->s->graph.half_x : step->s->graph.half_y)[joint->pipe] = joint->half;
    }
}

static void forces(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; i++) {
        const batch b = batch_at(((const substep *)context)->s, i);
        force_batch(context, &b);
    }
}

/* ---- Transport ----------------------------------------------------------------------------------------------------
 */

/* The half speed behind the only face of a side; that of the side itself if it has several, which leaves no slope. */
static float half_beyond(const rn_state *s, int32_t c, int k) {
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride;
    if (!s->graph.special_of[c]) return side_half(s, original(s, k % 2 ? c + d : c - d), k);
    const rn_sides *sides = sides_at(s, c);
    if (sides->count[k] == 0) return 0.0f;
    if (sides->only[k] < 0) return sides->half[k];
    return side_half(s, other_end(&s->graph.joints[sides->only[k]], c), k);
}

/* What liquid that crosses into one half of a joint's stretch, and out of it, does to its speed. */
typedef struct crossflow {
    float gain, came, gone;
} crossflow;

/* Through one face of a side: Q (m) is positive towards +x or +y, `from` the column at its other end. */
static void add_cross(const rn_state *s, crossflow *sum, float Q, bool outer, int32_t from, int like, float u,
                      float half) {
    const float out = outer ? Q : -Q; /* outwards */
    if (out < 0.0f) {
        sum->gain += out * (side_half(s, from, like) - u);
        sum->came -= out;
    } else {
        sum->gain += out * (half - u);
        sum->gone += out;
    }
}

/* Through side k of column c, which is one half of a joint. */
static crossflow cross_side(const rn_state *s, const rn_joint *joint, int32_t c, int k, int like, float weight,
                            float u) {
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride;
    crossflow sum = {0};
    if (!s->graph.special_of[c]) {
        const float Q = weight * side_move(s, c, k);
        if (Q != 0.0f) add_cross(s, &sum, Q, k % 2, original(s, k % 2 ? c + d : c - d), like, u, joint->half);
        return sum;
    }
    const rn_sides *sides = sides_at(s, c);
    if (sides->through[k] == 0.0f) return sum;
    if (sides->only[k] >= 0) {
        const rn_joint *only = &s->graph.joints[sides->only[k]];
        add_cross(s, &sum, weight * joint_move(s, only), k % 2, other_end(only, c), like, u, joint->half);
        return sum;
    }
    const rn_special *special = special_at(s, c);
    for (int32_t n = special->joints; n < special->joint_end; n++) {
        const rn_joint *other = joint_of(s, s->graph.joint_links[n]);
        if (side_of(s->graph.joint_links[n]) != k) continue;
        add_cross(s, &sum, weight * joint_move(s, other), k % 2, other_end(other, c), like, u, joint->half);
    }
    return sum;
}

/* Sums go side by side, so that mirror images have the same bits. */
static crossflow both(crossflow a, crossflow b) {
    return (crossflow){a.gain + b.gain, a.came + b.came, a.gone + b.gone};
}

/* One half of a joint, column c, and the two sides of it across. First order: a column's liquid has the speed of its
   side that is like the joint. */
static crossflow cross_half(const rn_state *s, const rn_joint *joint, int32_t c, int like, float share, float u) {
    const int k = 2 * (1 - joint->axis);
    return both(cross_side(s, joint, c, k, like, 0.5f * share, u),
                cross_side(s, joint, c, k + 1, like, 0.5f * share, u));
}

static void carry_batch(const substep *step, const batch *b) {
    rn_state *s = step->s;
    const rn_law *law = step->law;
    rn_face f;
    rn_force force;
    rn_transport t = {0};
    rn_traffic across;
    rn_wide before, west, own, east, beyond, c_west, c_east, left, right, mean;
    for (int lane = 0; lane < RN_LANES; lane++) {
        const rn_joint *joint = b->joints[lane];
        const int back = 2 * joint->axis, ahead = back + 1;
        const float T = joint_move(s, joint), wl = joint->share_l, wr = joint->share_r;
        gather_face(joint, lane, &f);
        f.u[lane] = joint_speed(s, joint);
        t.west[lane] = 0.5f * (wl * side_move(s, joint->l, back) + T);
        t.east[lane] = 0.5f * (T + wr * side_move(s, joint->r, ahead));
        west[lane] = side_half(s, joint->l, back), own[lane] = joint->half, east[lane] = side_half(s, joint->r, ahead);
        before[lane] = half_beyond(s, joint->l, back), beyond[lane] = half_beyond(s, joint->r, ahead);
        c_west[lane] = law->drift * fabsf(f.behind[lane] + f.u[lane]);
        c_east[lane] = law->drift * fabsf(f.u[lane] + f.ahead[lane]);
        const float dl = s->columns.depth[joint->l], dr = s->columns.depth[joint->r];
        left[lane] = wl * dl, right[lane] = wr * dr, mean[lane] = 0.5f * (dl + dr);
        force.pushed[lane] = joint->pushed, force.kept[lane] = joint->kept;
        force.lo[lane] = joint->lo, force.hi[lane] = joint->hi;
        force.along[lane] = joint->along;
        const crossflow sum = both(cross_half(s, joint, joint->l, ahead, wl, joint->along),
                                   cross_half(s, joint, joint->r, back, wr, joint->along));
        across.gain[lane] = sum.gain, across.came[lane] = sum.came, across.gone[lane] = sum.gone;
    }
    t.u_west = rn_carried(before, west, own, east, t.west, c_west);
    t.u_east = rn_carried(west, own, east, beyond, t.east, c_east);
    rn_traffic sum = rn_transported(&t, force.along);
    sum.gain += across.gain, sum.came += across.came, sum.gone += across.gone;
    const rn_wide next = rn_face_speed(law, &sum, &force, rn_face_mass(law, &f, &t, mean, left, right, any_kind), mean);
    for (int lane = 0; lane < b->count; lane++) {
        const rn_joint *joint = b->joints[lane];
        (joint->loose       ? s->graph.loose_next
         : joint->axis == 0 ? s->graph.next_x
                            : s->graph.next_y)[joint->pipe] = next[lane];
    }
}

static void carries(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; i++) {
        const batch b = batch_at(((const substep *)context)->s, i);
        carry_batch(context, &b);
    }
}

void rn_joints_kick(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    rn_parallel_for(pool, batch_count(s), forces, step);
    if (s->graph.half_x) mirror_faces(s, s->graph.half_x, s->graph.half_y);
    rn_parallel_for(pool, s->schedule.busy_count, sum_halves, step);
    rn_parallel_for(pool, batch_count(s), carries, step);
}

/* ---- Transfers ------------------------------------------------------------------------------------------------------
 */

/* The depth (m^2/s) that leaves a column over side k, towards +x or +y: of several faces it counts as this column's. */
static float carried_over(const rn_state *s, int32_t c, int k, float h) {
    const float speed = side_next(s, c, k), *depth = s->columns.depth;
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride;
    if ((k % 2 != 0) == (speed > 0.0f)) return speed * h;
    if (!s->graph.special_of[c]) return speed * depth[k % 2 ? c + d : c - d];
    const int32_t only = sides_at(s, c)->only[k];
    return speed * (only < 0 ? h : depth[other_end(&s->graph.joints[only], c)]);
}

/* As rn_half_fall, for faces along an axis. */
static float fall_at(const substep *step, int32_t c, int axis) {
    const rn_state *s = step->s;
    const float h = s->columns.depth[c];
    const float spread = side_next(s, c, 2 * axis + 1) - side_next(s, c, 2 * axis);
    const float left = carried_over(s, c, 2 * (1 - axis) + 1, h) - carried_over(s, c, 2 * (1 - axis), h);
    return rn_half_fall(step->law, rn_splat(h), rn_splat(spread), rn_splat(left))[0];
}

/* The step of the surface over the only face of a side. None: whether liquid is of first order there, because there are
   several. */
static bool step_beyond(const substep *step, int32_t c, int k, float *step_there, bool *several) {
    const rn_state *s = step->s;
    const float tilt = step->law->tilt[k / 2];
    if (s->graph.special_of[c]) {
        const rn_sides *sides = sides_at(s, c);
        *step_there = sides->level[k] + tilt;
        *several = sides->count[k] > 1;
        return sides->plain[k];
    }
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride, l = k % 2 ? c : c - d;
    *step_there = rn_column_level(&s->columns, l + d) - rn_column_level(&s->columns, l);
    *several = false;
    return (k < 2 ? s->graph.pipe_x : s->graph.pipe_y)[l] & RN_PIPE_PLAIN;
}

static float open_column(const rn_columns *c, int32_t slot) {
    if (!rn_column_is_parted(c, slot)) return 1.0f;
    const rn_part part = rn_column_part(c, slot);
    return rn_part_slope(&part, c->base[slot], c->depth[slot]);
}

/* The speed that the levels before an implicit substep would give a face. */
static float predicted(const substep *step, const rn_joint *joint, const rn_face *f, int lane) {
    const float step_here = (f->zr[lane] + f->hr[lane]) - (f->zl[lane] + f->hl[lane]) - step->law->tilt[joint->axis];
    const float cap = step->law->cap;
    return fminf(cap, fmaxf(-cap, joint_next(step->s, joint) - joint->gain * step_here));
}

/* Over a brink liquid goes no faster than it came, or critically (rn_fall_head), also where it is drowned: then its
   level adds less speed. */
static void slow_drowned(const substep *step, rn_joint *joint) {
    const rn_law *law = step->law;
    if (!(joint_kind(step->s, joint) & RN_PIPE_FALL) || !is_drowned(step, joint)) return;
    const float step_here = (joint->zr + joint->hr) - (joint->zl + joint->hl) - law->tilt[joint->axis];
    const float next = joint_next(step->s, joint), speed = next - joint->gain * step_here;
    const bool forward = speed >= 0.0f, down = forward == (joint->zl > joint->zr);
    const float up = forward ? joint->hl : joint->hr, came = fabsf(forward ? joint->behind : joint->ahead);
    const float most = fmaxf(came, sqrtf(law->gravity * up)), own = forward ? next : -next;
    if (!down || fabsf(speed) <= most || (step_here > 0.0f) == forward) return;
    give_gain(step->s, joint, fmaxf(most - own, 0.0f) / fabsf(step_here));
}

static void give_widths(const rn_state *s, const batch *b, rn_wide width) {
    for (int lane = 0; lane < b->count; lane++) {
        rn_joint *joint = b->joints[lane];
        joint->width = width[lane];
        if (!joint->loose) (joint->axis == 0 ? s->graph.width_x : s->graph.width_y)[joint->pipe] = width[lane];
    }
}

static void cross_batch(const substep *step, const batch *b, rn_peak *peak, rn_wide *fastest) {
    rn_state *s = step->s;
    const rn_law *law = step->law;
    rn_face face;
    rn_crossing f;
    rn_wide open, tilt, felt;
    rn_mask flat;
    for (int lane = 0; lane < RN_LANES; lane++) {
        const rn_joint *joint = b->joints[lane];
        const int back = 2 * joint->axis, ahead = back + 1;
        bool several_l, several_r;
        float behind, beyond;
        const uint8_t kind = joint_kind(s, joint);
        gather_face(joint, lane, &face);
        f.open[lane] = kind & RN_PIPE_DUCT ? 0 : -1;
        f.fall[lane] = kind & RN_PIPE_FALL && !is_drowned(step, joint) ? -1 : 0;
        f.u[lane] = joint_next(s, joint);
        if (law->implicit) {
            if (lane < b->count) slow_drowned(step, b->joints[lane]);
            f.u[lane] = predicted(step, joint, &face, lane);
        }
        f.plain_behind[lane] = step_beyond(step, joint->l, back, &behind, &several_l) ? -1 : 0;
        f.plain_ahead[lane] = step_beyond(step, joint->r, ahead, &beyond, &several_r) ? -1 : 0;
        f.step_behind[lane] = behind, f.step_ahead[lane] = beyond;
        /* no ramp leads up to a fall, drowned or not; of other steps it is not known */
        f.rise_l[lane] = f.rise_r[lane] = kind & RN_PIPE_FALL ? 0.0f : INFINITY;
        f.fall_l[lane] = law->implicit ? 0.0f : fall_at(step, joint->l, joint->axis);
        f.fall_r[lane] = law->implicit ? 0.0f : fall_at(step, joint->r, joint->axis);
        flat[lane] = (f.u[lane] >= 0.0f ? several_l : several_r) ? -1 : 0;
        tilt[lane] = law->tilt[joint->axis];
        felt[lane] = fminf(open_column(&s->columns, joint->l), open_column(&s->columns, joint->r));
        open[lane] = 1.0f;
        if (s->columns.parted && joint->loose) open[lane] = rn_loose_open(s, joint->pipe);
    }
    f.zl = face.zl, f.hl = face.hl, f.zr = face.zr, f.hr = face.hr, f.gap = face.gap;
    const rn_wide here = (f.zr + f.hr) - (f.zl + f.hl), up = rn_select(f.u >= 0.0f, f.hl, f.hr);
    rn_wide hf = rn_crossing_depth(law, &f, here, any_kind), kept, t;
    hf = rn_select(flat & ~f.fall, rn_lesser(up, f.gap), hf);
    if (law->implicit) {
        give_widths(s, b, hf * open);
        return;
    }
    rn_crossing_transfer(law, &f, hf * open, felt * (here - tilt), any_kind, &kept, &t);
    const rn_wide h = rn_greater(f.hl, f.hr), a = rn_size(f.u);
    /* waves in a column that is partly solid are 1/sqrt(felt) times as fast; with more room than that levels do not
     * ring */
    const rn_wide fast = rn_column_signal(law, h, rn_splat(1.0f), (rn_wide){0}, a, (rn_wide){0}) / felt;
    const rn_wide signal = rn_keep(f.open & (f.u != 0.0f), fast);
    for (int lane = 0; lane < b->count; lane++)
        raise_pace(peak, signal[lane], h[lane] / felt[lane], a[lane] / sqrtf(felt[lane]));
    *fastest = rn_greater(rn_keep(h > law->felt, a), *fastest);
    for (int lane = 0; lane < b->count; lane++) {
        const rn_joint *joint = b->joints[lane];
        (joint->loose       ? s->graph.loose_speed
         : joint->axis == 0 ? s->graph.speed_x
                            : s->graph.speed_y)[joint->pipe] = kept[lane];
        (joint->loose       ? s->graph.loose_move
         : joint->axis == 0 ? s->graph.move_x
                            : s->graph.move_y)[joint->pipe] = t[lane];
    }
}

static void crossings(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_wide speed = {0};
    rn_peak *peak = &step->s->schedule.peaks[worker];
    for (int i = begin; i < end; i++) {
        const batch b = batch_at(step->s, i);
        cross_batch(step, &b, peak, &speed);
    }
    raise(&peak->speed, rn_greatest(speed));
}

void rn_joints_cross(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    rn_parallel_for(pool, batch_count(s), crossings, step);
}
