/* The forces of liquid on a body: pressure and drag on its triangles.

   Interface (bodies/forces.h): rn_force_buoyancy and rn_force_drag. Both take a window of the liquid around the body,
   as it would be without the body, and the current vertices of the body. rn_waters_* read and prepare such a window.

   Order of calls, all from world/settle.c and world/effective.c for one body at a time: rn_waters_join gives dry
   cells a level, rn_waters_sink adds how much of the body is in each cell, then come buoyancy and, once the window
   has flows, drag. Threads may do this for different bodies at once.

   Triangles are cut at the level of the liquid, and those with edges much longer than a cell are halved to follow the
   surface.
   - Buoyancy: pressure is linear over a triangle, so its integral is exact. Sideways, liquid presses only on the part
     above the ground, because the walls of cells that the liquid meets are no higher.
   - Drag (Kellomaki 2014, section 4): 1/2 C rho A |dv| dv over the area facing the flow, plus a damping of the motion
     through the liquid. Front and back of the body both count, with half of their area each, so that the sum is the
     area of the body's shadow whatever the cell size. mean_drag solves for the mean force over the step by backward
     Euler, including the mass of the liquid: a light body is not thrown back, however long the step. */
#include "bodies/forces.h"

#include "base/maths.h"
#include "terrain/shell.h"

/* ---- The liquid around a body -------------------------------------------------------------------------------- */

/* The cell of a window at x, y, counted from its corner, which must be within it. */
static rn_cell_liquid *water_at(const rn_liquid_window *w, int x, int y) {
    return &w->cells[(size_t)y * (size_t)w->nx + (size_t)x];
}

/* Two cells along an axis, and the weight of the second. */
typedef struct pair {
    int low, high;
    double share;
} pair;

/* The two cells of a window whose centres lie on both sides of a position (m) along an axis, counted from its corner
   and clamped to its `count` cells. origin, cell: m, of the grid; first: the window's first cell in the grid. */
static pair cells_beside(double at, double origin, double cell, int first, int count) {
    const double u = rn_clamp((at - origin) / cell - 0.5 - first, 0.0, count - 1.0);
    const int low = (int)u;
    return (pair){low, low + 1 < count ? low + 1 : low, u - low};
}

/* Interpolates from a (share 0) to b (share 1). */
static double interpolate(double a, double b, double share) { return a + share * (b - a); }

double rn_waters_level(const rn_liquid_window *w, double x, double y) {
    const pair i = cells_beside(x, w->grid.origin_x, w->grid.cell, w->x0, w->nx);
    const pair j = cells_beside(y, w->grid.origin_y, w->grid.cell, w->y0, w->ny);
    return interpolate(interpolate(water_at(w, i.low, j.low)->level, water_at(w, i.high, j.low)->level, i.share),
                       interpolate(water_at(w, i.low, j.high)->level, water_at(w, i.high, j.high)->level, i.share),
                       j.share);
}

void rn_waters_join(rn_liquid_window *w) {
    for (int y = 0; y < w->ny; y++)
        for (int x = 0; x < w->nx; x++) {
            rn_cell_liquid *dry = water_at(w, x, y);
            if (dry->wet) continue;
            double sum = 0.0;
            int count = 0;
            for (int n = 0; n < 9; n++) {
                const int nx = x + n % 3 - 1, ny = y + n / 3 - 1;
                if (nx < 0 || ny < 0 || nx >= w->nx || ny >= w->ny || !water_at(w, nx, ny)->wet) continue;
                sum += water_at(w, nx, ny)->level;
                count++;
            }
            dry->level = count > 0 && sum / count < dry->ground ? sum / count : dry->ground;
        }
}

void rn_waters_sink(rn_liquid_window *w, const rn_share_changes *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const rn_share_change *step = &steps->list[i];
        const int x = step->cell % w->grid.nx - w->x0, y = step->cell / w->grid.nx - w->y0;
        if (x < 0 || y < 0 || x >= w->nx || y >= w->ny) continue;
        rn_cell_liquid *water = water_at(w, x, y);
        /* solid from here up to the level; the step that ends it further up subtracts the rest again */
        const double height = step->height, below = water->wet ? rn_max(water->level - height, 0.0) : 0.0;
        water->lowest = rn_min(water->lowest, height);
        water->submerged += step->share * below;
        water->moment += step->share * below * 0.5 * (water->level + height);
    }
}

/* ---- Pressure ---------------------------------------------------------------------------------------------------- */

/* A corner of a triangle: position from the centre of mass (m), and depth below the level, or height above the
   ground (m). */
typedef struct corner {
    rn_vec3 at;
    double below;
} corner;

/* A walk over the submerged part of a body's surface. */
typedef struct walk {
    const rn_liquid_window *window;
    rn_vec3 centre;
    double outside; /* m, how far outside the surface the level is taken */
    double longest; /* m: longer edges are halved to follow the level */
    rn_vec3 out;    /* unit normal of the current triangle */
    void (*visit)(void *context, const corner *a, const corner *b,
                  const corner *c); /* called for each submerged triangle */
    void *context;
} walk;

static rn_vec3 sum_of(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static rn_vec3 scaled(rn_vec3 a, double by) { return (rn_vec3){a.x * by, a.y * by, a.z * by}; }

/* Adds force and torque of the pressure on a submerged triangle, for a weight of 1 N/m^3: with `sideways` the
   horizontal part, otherwise the vertical part. `below` of the corners is their depth (m), 0 or more. Pressure is
   linear over a triangle, so these integrals are exact. */
static void add_pressure(rn_push *sum, const corner *a, const corner *b, const corner *c, bool sideways) {
    rn_vec3 area = scaled(rn_cross(rn_minus(b->at, a->at), rn_minus(c->at, a->at)), 0.5);
    if (sideways) area.z = 0.0;
    else area.x = area.y = 0.0;
    const double total = a->below + b->below + c->below;
    rn_vec3 lever = scaled(sum_of(sum_of(a->at, b->at), c->at), total);
    lever = sum_of(sum_of(sum_of(lever, scaled(a->at, a->below)), scaled(b->at, b->below)), scaled(c->at, c->below));
    sum->force = sum_of(sum->force, scaled(area, -total / 3.0));
    sum->torque = sum_of(sum->torque, scaled(rn_cross(lever, area), -1.0 / 12.0));
}

/* Where the edge between a submerged (below > 0) and another corner (below <= 0) crosses the level. */
static corner surface_crossing(const corner *wet, const corner *dry) {
    const double share = wet->below / (wet->below - dry->below);
    return (corner){sum_of(wet->at, scaled(rn_minus(dry->at, wet->at), share)), 0.0};
}

/* Visits the submerged part of a triangle of which only corner a is submerged, or all but a: one triangle or two, wound
   like the whole. */
static void visit_partly(const walk *w, const corner *a, const corner *b, const corner *c) {
    if (a->below > 0.0) {
        const corner ab = surface_crossing(a, b), ac = surface_crossing(a, c);
        w->visit(w->context, a, &ab, &ac);
        return;
    }
    const corner ab = surface_crossing(b, a), ac = surface_crossing(c, a);
    w->visit(w->context, &ab, b, c);
    w->visit(w->context, &ab, c, &ac);
}

/* Visits the part of a triangle where `below` is above 0; nothing if it is nowhere. Only `visit` and `context` of the
   walk count. */
static void visit_below(const walk *w, const corner *a, const corner *b, const corner *c) {
    const bool wet_a = a->below > 0.0, wet_b = b->below > 0.0, wet_c = c->below > 0.0;
    if (wet_a && wet_b && wet_c) w->visit(w->context, a, b, c);
    else if (wet_b != wet_a && wet_c != wet_a) visit_partly(w, a, b, c);
    else if (wet_a != wet_b && wet_c != wet_b) visit_partly(w, b, c, a);
    else if (wet_a != wet_c && wet_b != wet_c) visit_partly(w, c, a, b);
}

/* A corner at a position (m from the centre of mass), with its depth (m) below the level, negative above it. The level
   is that w->outside (m) away, along the normal of the current triangle. */
static corner corner_at(const walk *w, rn_vec3 at) {
    const double x = w->centre.x + at.x + w->outside * w->out.x, y = w->centre.y + at.y + w->outside * w->out.y;
    return (corner){at, rn_waters_level(w->window, x, y) - (w->centre.z + at.z)};
}

/* The square of an edge's length seen from above (m^2). */
static double edge_square(const corner *a, const corner *b) {
    const double dx = b->at.x - a->at.x, dy = b->at.y - a->at.y;
    return dx * dx + dy * dy;
}

static void visit_halves(const walk *w, const corner *a, const corner *b, const corner *c, int halvings);

/* Visits the submerged part of a triangle, halved at most `halvings` times until no edge, seen from above, is longer
   than w->longest. */
static void visit_finely(const walk *w, const corner *a, const corner *b, const corner *c, int halvings) {
    const double ab = edge_square(a, b), bc = edge_square(b, c), ca = edge_square(c, a), most = w->longest * w->longest;
    if (halvings == 0 || (ab <= most && bc <= most && ca <= most)) visit_below(w, a, b, c);
    else if (ab >= bc && ab >= ca) visit_halves(w, a, b, c, halvings - 1);
    else if (bc >= ca) visit_halves(w, b, c, a, halvings - 1);
    else visit_halves(w, c, a, b, halvings - 1);
}

/* Visits the two halves of a triangle, cut at the middle of its edge from a to b. */
static void visit_halves(const walk *w, const corner *a, const corner *b, const corner *c, int halvings) {
    const corner middle = corner_at(w, scaled(sum_of(a->at, b->at), 0.5));
    visit_finely(w, a, &middle, c, halvings);
    visit_finely(w, &middle, b, c, halvings);
}

/* The highest level (m) in a window; -INFINITY if it has no cells. */
static double highest_level(const rn_liquid_window *w) {
    double top = -INFINITY;
    for (int i = 0; i < w->nx * w->ny; i++) top = rn_max(top, w->cells[i].level);
    return top;
}

/* Visits the submerged part of a body with its vertices at `positions` (m). Sets `longest` and `out` of the walk.
   Triangles above all liquid or without area are skipped. */
static void walk_below(walk *w, const rn_shape_info *shape, const double *positions) {
    enum { FINEST = 12 }; /* most halvings of a triangle */
    const double top = highest_level(w->window) - w->centre.z;
    w->longest = rn_max(2.0 * w->window->grid.cell, shape->radius / 8.0);
    for (uint32_t i = 0; i < shape->triangle_count; i++) {
        corner t[3];
        rn_vec3 at[3];
        for (int k = 0; k < 3; k++) {
            const double *from = positions + 3 * (size_t)shape->indices[3 * (size_t)i + (size_t)k];
            at[k] = (rn_vec3){from[0] - w->centre.x, from[1] - w->centre.y, from[2] - w->centre.z};
        }
        if (at[0].z > top && at[1].z > top && at[2].z > top) continue;
        const rn_vec3 normal = rn_corners_normal(at);
        const double length = rn_length(normal);
        if (!(length > 0.0)) continue;
        w->out = scaled(normal, 1.0 / length);
        for (int k = 0; k < 3; k++) t[k] = corner_at(w, at[k]);
        visit_finely(w, &t[0], &t[1], &t[2], FINEST);
    }
}

/* The cell of the window that a point of the body is in, or the nearest one if it is outside; `lever` (m) is from the
   centre of mass, `centre` (m). */
static const rn_cell_liquid *water_at_point(const rn_liquid_window *w, rn_vec3 centre, rn_vec3 lever) {
    const double i = floor((centre.x + lever.x - w->grid.origin_x) / w->grid.cell) - w->x0;
    const double j = floor((centre.y + lever.y - w->grid.origin_y) / w->grid.cell) - w->y0;
    return water_at(w, (int)rn_clamp(i, 0.0, w->nx - 1.0), (int)rn_clamp(j, 0.0, w->ny - 1.0));
}

/* A copy of a corner whose `below` is its height above the ground (m), negative below it: visit_below then visits the
   part of a triangle above the ground. */
static corner above_ground(const rn_liquid_window *w, rn_vec3 centre, const corner *of) {
    return (corner){of->at, centre.z + of->at.z - water_at_point(w, centre, of->at)->ground};
}

/* The pressure on a body, and the walk that finds it. */
typedef struct pressure {
    rn_push sum;
    const walk *over;
} pressure;

/* Adds the horizontal pressure on a submerged triangle above the ground to the pressure in `context`. `below` of the
   corners is not used: their depths are found again. */
static void press_sideways(void *context, const corner *a, const corner *b, const corner *c) {
    pressure *p = context;
    corner t[3] = {corner_at(p->over, a->at), corner_at(p->over, b->at), corner_at(p->over, c->at)};
    for (int k = 0; k < 3; k++) t[k].below = rn_max(t[k].below, 0.0);
    add_pressure(&p->sum, &t[0], &t[1], &t[2], true);
}

/* Adds all pressure on a submerged triangle to the pressure in `context`. Sideways, only its part above the ground
   counts, because the walls of cells that the liquid meets are no higher. */
static void press_submerged(void *context, const corner *a, const corner *b, const corner *c) {
    pressure *p = context;
    const rn_liquid_window *w = p->over->window;
    const rn_vec3 centre = p->over->centre;
    const corner t[3] = {above_ground(w, centre, a), above_ground(w, centre, b), above_ground(w, centre, c)};
    add_pressure(&p->sum, a, b, c, false);
    if (t[0].below >= 0.0 && t[1].below >= 0.0 && t[2].below >= 0.0) add_pressure(&p->sum, a, b, c, true);
    else visit_below(&(walk){.visit = press_sideways, .context = context}, &t[0], &t[1], &t[2]);
}

rn_push rn_force_buoyancy(const rn_liquid_window *w, const rn_shape_info *shape, const double *positions,
                          rn_vec3 centre, double outside, double weight) {
    pressure p = {0};
    walk over = {.window = w, .centre = centre, .outside = outside, .visit = press_submerged, .context = &p};
    p.over = &over;
    walk_below(&over, shape, positions);
    return (rn_push){scaled(p.sum.force, weight), scaled(p.sum.torque, weight)};
}

#define PLATE 3.0 /* then bottom and surface together count as twice the area of the bottom */

/* ---- Drag -------------------------------------------------------------------------------------------------------- */

/* Resistance to translation (kg/s) and rotation (kg m^2/s), and the resulting force if nothing yields. */
typedef struct resistance {
    double moving, turning[3][3];
    rn_vec3 lever; /* kg m/s: coupling of translation and rotation by resistance off the centre */
    rn_push push;
    const rn_liquid_window *window;
    const rn_mover *mover;
    double density; /* kg/m^3 */
} resistance;

/* Adds a resistance of `by` (kg/s, may be negative) at a point of the body, `lever` (m) from its centre, and the force
   it causes. `past` (m/s) is the velocity of the liquid relative to that point. */
static void add_resistance(resistance *r, rn_vec3 lever, rn_vec3 past, double by) {
    const rn_vec3 force = scaled(past, by);
    const double square = rn_dot(lever, lever), at[3] = {lever.x, lever.y, lever.z};
    r->moving += by;
    r->lever = sum_of(r->lever, scaled(lever, by));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r->turning[i][j] += by * ((i == j ? square : 0.0) - at[i] * at[j]);
    r->push.force = sum_of(r->push.force, force);
    r->push.torque = sum_of(r->push.torque, rn_cross(lever, force));
}

/* The velocity (m/s) of the liquid relative to a point of the body, `lever` (m) from its centre; dry cells count as
   liquid at rest. */
static rn_vec3 flow_past(const resistance *r, rn_vec3 lever) {
    const rn_mover *m = r->mover;
    const rn_cell_liquid *water = water_at_point(r->window, m->centre, lever);
    const rn_vec3 flow = water->wet ? (rn_vec3){water->flow[0], water->flow[1], 0.0} : (rn_vec3){0};
    return rn_minus(flow, sum_of(m->velocity, rn_cross(m->spin, lever)));
}

/* Adds the drag on a submerged triangle above the ground: 1/2 C rho A |dv| dv (Kellomaki 2014, section 4). Half of
   the triangle's area across the flow counts: front and back together have the area of the shadow of the submerged
   part, whatever the cell size. The liquid's surface closes the submerged part. Its share above a triangle is minus
   the triangle's own area seen from above: stacked triangles cancel, except where they end at the surface. */
static void resist_triangle(void *context, const corner *a, const corner *b, const corner *c) {
    resistance *r = context;
    const double by = 0.25 * r->mover->drag * r->density;
    const rn_vec3 area = scaled(rn_cross(rn_minus(b->at, a->at), rn_minus(c->at, a->at)), 0.5);
    const rn_vec3 lever = scaled(sum_of(sum_of(a->at, b->at), c->at), 1.0 / 3.0), past = flow_past(r, lever);
    add_resistance(r, lever, past, by * fabs(rn_dot(area, past)));
    add_resistance(r, (rn_vec3){lever.x, lever.y, 0.0}, (rn_vec3){0.0, 0.0, past.z},
                   -PLATE * by * area.z * fabs(past.z));
}

/* Adds the drag on the part of a submerged triangle that is above the ground to the resistance in `context`. */
static void resist_submerged(void *context, const corner *a, const corner *b, const corner *c) {
    const resistance *r = context;
    const rn_vec3 centre = r->mover->centre;
    const corner t[3] = {above_ground(r->window, centre, a), above_ground(r->window, centre, b),
                         above_ground(r->window, centre, c)};
    visit_below(&(walk){.visit = resist_triangle, .context = context}, &t[0], &t[1], &t[2]);
}

/* The mean velocity (m/s) of the liquid that the body is submerged in, weighted by its submerged depth in each cell; 0
   if none. *mass: mass (kg) of the liquid in these cells, of this density (kg/m^3). */
static rn_vec3 mean_flow(const rn_liquid_window *w, double density, double *mass) {
    rn_vec3 sum = {0};
    double submerged = 0.0, depth = 0.0;
    for (int i = 0; i < w->nx * w->ny; i++) {
        const rn_cell_liquid *water = &w->cells[i];
        if (!water->wet || !(water->submerged > 0.0)) continue;
        sum = sum_of(sum, scaled((rn_vec3){water->flow[0], water->flow[1], 0.0}, water->submerged));
        submerged += water->submerged;
        depth += water->level - water->ground;
    }
    *mass = density * depth * w->grid.cell * w->grid.cell;
    return submerged > 0.0 ? scaled(sum, 1.0 / submerged) : (rn_vec3){0};
}

/* Adds damping at `rate` (1/s), which slows the motion of the body relative to the flow (m/s), and its rotation. */
static void add_damping(resistance *r, const rn_mover *m, rn_vec3 flow, double rate) {
    const rn_vec3 turning = rn_rotate(m->inertia, m->spin);
    r->moving += rate * m->mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r->turning[i][j] += rate * m->inertia[i][j];
    r->push.force = sum_of(r->push.force, scaled(rn_minus(flow, m->velocity), rate * m->mass));
    r->push.torque = rn_minus(r->push.torque, scaled(turning, rate));
}

/* The x that solves a x = b, by Cramer's rule; 0 unless the determinant is above 0. */
static rn_vec3 solve_3x3(double a[3][3], rn_vec3 b) {
    const rn_vec3 x = {a[0][0], a[1][0], a[2][0]}, y = {a[0][1], a[1][1], a[2][1]}, z = {a[0][2], a[1][2], a[2][2]};
    const double d = rn_dot(x, rn_cross(y, z));
    if (!(d > 0.0)) return (rn_vec3){0};
    return (rn_vec3){rn_dot(b, rn_cross(y, z)) / d, rn_dot(x, rn_cross(b, z)) / d, rn_dot(x, rn_cross(y, b)) / d};
}

/* The mean force and torque on the body over the step of `seconds`, while body and liquid (mass `liquid` in kg, above
   0) push each other: m dv/dt = F - R dv - dw x b and I dw/dt = T - R' dw - b x dv by backward Euler, with dv and dw
   the changes of the body's velocity and spin and b the lever. The motion of the liquid counts as if the body were
   lighter. */
static rn_push mean_drag(const resistance *r, const rn_mover *m, double liquid, double seconds) {
    const rn_vec3 b = r->lever;
    const double lighter = m->mass / (1.0 + m->mass / liquid), part = 1.0 / (lighter + seconds * r->moving),
                 share = seconds * part;
    const double square = rn_dot(b, b), at[3] = {b.x, b.y, b.z};
    double stiff[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stiff[i][j] =
                m->inertia[i][j] + seconds * (r->turning[i][j] - share * ((i == j ? square : 0.0) - at[i] * at[j]));
    const rn_vec3 spin = solve_3x3(stiff, rn_minus(r->push.torque, scaled(rn_cross(b, r->push.force), share)));
    const rn_vec3 force = sum_of(r->push.force, scaled(rn_cross(b, spin), seconds));
    return (rn_push){scaled(force, lighter * part), rn_rotate(m->inertia, spin)};
}

rn_push rn_force_drag(const rn_liquid_window *w, const rn_shape_info *shape, const double *positions, const rn_mover *m,
                      double density, double seconds, rn_vec3 *flow, double *dragged) {
    double liquid;
    *dragged = 0.0;
    resistance r = {.window = w, .mover = m, .density = density};
    *flow = mean_flow(w, density, &liquid);
    if (!(liquid > 0.0)) return (rn_push){0};
    walk over = {.window = w, .centre = m->centre, .visit = resist_submerged, .context = &r};
    walk_below(&over, shape, positions);
    *dragged = r.moving;
    add_damping(&r, m, *flow, m->damping);
    *dragged = r.moving > 0.0 ? *dragged / r.moving : 0.0;
    return mean_drag(&r, m, liquid, seconds);
}
