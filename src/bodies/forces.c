#include "bodies/forces.h"

#include "base/maths.h"
#include "terrain/shell.h"

/* ---- The liquid around a body -------------------------------------------------------------------------------- */

static rn_water *water_at(const rn_waters *w, int x, int y) { return &w->cells[(size_t)y * (size_t)w->nx + (size_t)x]; }

/* Two cells along one side, and how much of the second. */
typedef struct pair {
    int low, high;
    double share;
} pair;

static pair cells_beside(double at, double origin, double cell, int first, int count) {
    const double u = rn_clamp((at - origin) / cell - 0.5 - first, 0.0, count - 1.0);
    const int low = (int)u;
    return (pair){low, low + 1 < count ? low + 1 : low, u - low};
}

static double mix(double a, double b, double share) { return a + share * (b - a); }

double rn_waters_level(const rn_waters *w, double x, double y) {
    const pair i = cells_beside(x, w->grid.origin_x, w->grid.cell, w->x0, w->nx);
    const pair j = cells_beside(y, w->grid.origin_y, w->grid.cell, w->y0, w->ny);
    return mix(mix(water_at(w, i.low, j.low)->level, water_at(w, i.high, j.low)->level, i.share),
               mix(water_at(w, i.low, j.high)->level, water_at(w, i.high, j.high)->level, i.share), j.share);
}

void rn_waters_join(rn_waters *w) {
    for (int y = 0; y < w->ny; y++)
        for (int x = 0; x < w->nx; x++) {
            rn_water *dry = water_at(w, x, y);
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

void rn_waters_sink(rn_waters *w, const rn_steps *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const rn_step_up *step = &steps->list[i];
        const int x = step->cell % w->grid.nx - w->x0, y = step->cell / w->grid.nx - w->y0;
        if (x < 0 || y < 0 || x >= w->nx || y >= w->ny) continue;
        rn_water *water = water_at(w, x, y);
        /* Solid from here up to the level; what ends it further up takes the rest away again. */
        const double height = step->height, below = water->wet ? rn_max(water->level - height, 0.0) : 0.0;
        water->lowest = rn_min(water->lowest, height);
        water->sunk += step->share * below;
        water->moment += step->share * below * 0.5 * (water->level + height);
    }
}

/* ---- Pressure ---------------------------------------------------------------------------------------------------- */

/* A corner of a triangle: from the centre of mass (m), and how far below the level (m). */
typedef struct corner {
    rn_vec3 at;
    double below;
} corner;

typedef struct pressing {
    const rn_waters *waters;
    rn_vec3 centre;
    double outside; /* m, how far out from the surface the level counts */
    double longest; /* m, an edge; longer ones are halved to follow the level */
    rn_vec3 out;    /* of unit length, of the triangle in hand */
    rn_push *sum;   /* for a weight of 1 N/m^3 */
} pressing;

static rn_vec3 plus(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static rn_vec3 times(rn_vec3 a, double by) { return (rn_vec3){a.x * by, a.y * by, a.z * by}; }

/* A triangle that is submerged as a whole. Pressure is linear over it, so these integrals are exact. */
static void press(const corner *a, const corner *b, const corner *c, rn_push *sum) {
    const rn_vec3 area = times(rn_cross(rn_minus(b->at, a->at), rn_minus(c->at, a->at)), 0.5);
    const double total = a->below + b->below + c->below;
    rn_vec3 lever = times(plus(plus(a->at, b->at), c->at), total);
    lever = plus(plus(plus(lever, times(a->at, a->below)), times(b->at, b->below)), times(c->at, c->below));
    sum->force = plus(sum->force, times(area, -total / 3.0));
    sum->torque = plus(sum->torque, times(rn_cross(lever, area), -1.0 / 12.0));
}

static corner at_surface(const corner *wet, const corner *dry) {
    const double share = wet->below / (wet->below - dry->below);
    return (corner){plus(wet->at, times(rn_minus(dry->at, wet->at), share)), 0.0};
}

/* Presses on a triangle of which only the first corner is submerged, or only that is not. */
static void press_partly(const corner *a, const corner *b, const corner *c, rn_push *sum) {
    if (a->below > 0.0) {
        const corner ab = at_surface(a, b), ac = at_surface(a, c);
        press(a, &ab, &ac, sum);
        return;
    }
    const corner ab = at_surface(b, a), ac = at_surface(c, a);
    press(&ab, b, c, sum);
    press(&ab, c, &ac, sum);
}

/* Presses on what of a triangle is submerged. */
static void press_below(const corner *a, const corner *b, const corner *c, rn_push *sum) {
    const bool wet_a = a->below > 0.0, wet_b = b->below > 0.0, wet_c = c->below > 0.0;
    if (wet_a && wet_b && wet_c) press(a, b, c, sum);
    else if (wet_b != wet_a && wet_c != wet_a) press_partly(a, b, c, sum);
    else if (wet_a != wet_b && wet_c != wet_b) press_partly(b, c, a, sum);
    else if (wet_a != wet_c && wet_b != wet_c) press_partly(c, a, b, sum);
}

static corner corner_at(const pressing *p, rn_vec3 at) {
    const double x = p->centre.x + at.x + p->outside * p->out.x, y = p->centre.y + at.y + p->outside * p->out.y;
    return (corner){at, rn_waters_level(p->waters, x, y) - (p->centre.z + at.z)};
}

/* Square of an edge's length from above (m^2). */
static double edge(const corner *a, const corner *b) {
    const double dx = b->at.x - a->at.x, dy = b->at.y - a->at.y;
    return dx * dx + dy * dy;
}

static void press_halves(const pressing *p, const corner *a, const corner *b, const corner *c, int halvings);

static void press_finely(const pressing *p, const corner *a, const corner *b, const corner *c, int halvings) {
    const double ab = edge(a, b), bc = edge(b, c), ca = edge(c, a), most = p->longest * p->longest;
    if (halvings == 0 || (ab <= most && bc <= most && ca <= most)) press_below(a, b, c, p->sum);
    else if (ab >= bc && ab >= ca) press_halves(p, a, b, c, halvings - 1);
    else if (bc >= ca) press_halves(p, b, c, a, halvings - 1);
    else press_halves(p, c, a, b, halvings - 1);
}

/* On both sides of the middle of its first edge. */
static void press_halves(const pressing *p, const corner *a, const corner *b, const corner *c, int halvings) {
    const corner middle = corner_at(p, times(plus(a->at, b->at), 0.5));
    press_finely(p, a, &middle, c, halvings);
    press_finely(p, &middle, b, c, halvings);
}

static double highest_level(const rn_waters *w) {
    double top = -INFINITY;
    for (int i = 0; i < w->nx * w->ny; i++) top = rn_max(top, w->cells[i].level);
    return top;
}

rn_push rn_force_buoyancy(const rn_waters *w, const rn_shape_info *shape, const double *positions, rn_vec3 centre,
                          double outside, double weight) {
    enum { FINEST = 12 }; /* halvings of a triangle */
    rn_push sum = {0};
    pressing p = {.waters = w, .centre = centre, .outside = outside, .sum = &sum};
    const double top = highest_level(w) - centre.z;
    p.longest = rn_max(2.0 * w->grid.cell, shape->radius / 8.0);
    for (uint32_t i = 0; i < shape->triangle_count; i++) {
        corner t[3];
        rn_vec3 at[3];
        for (int k = 0; k < 3; k++) {
            const double *from = positions + 3 * (size_t)shape->indices[3 * (size_t)i + (size_t)k];
            at[k] = (rn_vec3){from[0] - centre.x, from[1] - centre.y, from[2] - centre.z};
        }
        if (at[0].z > top && at[1].z > top && at[2].z > top) continue;
        const rn_vec3 normal = rn_corners_normal(at);
        const double length = rn_length(normal);
        if (!(length > 0.0)) continue;
        p.out = times(normal, 1.0 / length);
        for (int k = 0; k < 3; k++) t[k] = corner_at(&p, at[k]);
        press_finely(&p, &t[0], &t[1], &t[2], FINEST);
    }
    return (rn_push){times(sum.force, weight), times(sum.torque, weight)};
}

/* ---- Drag -------------------------------------------------------------------------------------------------------- */

/* Resistance to moving (kg/s) and to turning (kg m^2/s), and what it comes to if nothing gives way. */
typedef struct resistance {
    double moving, turning[3][3];
    rn_push push;
    rn_vec3 flow; /* m/s, times sunk */
    double sunk;  /* m */
} resistance;

static void resist(resistance *r, rn_vec3 lever, rn_vec3 past, double by) {
    const rn_vec3 force = times(past, by);
    const double square = rn_dot(lever, lever), at[3] = {lever.x, lever.y, lever.z};
    r->moving += by;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r->turning[i][j] += by * ((i == j ? square : 0.0) - at[i] * at[j]);
    r->push.force = plus(r->push.force, force);
    r->push.torque = plus(r->push.torque, rn_cross(lever, force));
}

/* Kellomaki 2014, section 4: 1/2 C rho u l |dv| dv in every cell, at the middle of what is submerged there. */
static void resist_cell(resistance *r, const rn_waters *w, const rn_mover *m, int x, int y, double density) {
    const rn_water *water = water_at(w, x, y);
    const double cell = w->grid.cell;
    if (!water->wet || !(water->sunk > 0.0)) return;
    const rn_vec3 lever = {w->grid.origin_x + (w->x0 + x + 0.5) * cell - m->centre.x,
                           w->grid.origin_y + (w->y0 + y + 0.5) * cell - m->centre.y,
                           water->moment / water->sunk - m->centre.z};
    const rn_vec3 flow = {water->flow[0], water->flow[1], 0.0};
    const rn_vec3 past = rn_minus(flow, plus(m->velocity, rn_cross(m->spin, lever)));
    resist(r, lever, past, 0.5 * m->drag * density * water->sunk * cell * rn_length(past));
    r->flow = plus(r->flow, times(flow, water->sunk));
    r->sunk += water->sunk;
}

/* Damping slows the body as a whole: all of its parts give way alike. */
static void damp(resistance *r, const rn_mover *m, rn_vec3 flow, double rate) {
    const rn_vec3 turning = rn_rotate(m->inertia, m->spin);
    r->moving += rate * m->mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r->turning[i][j] += rate * m->inertia[i][j];
    r->push.force = plus(r->push.force, times(rn_minus(flow, m->velocity), rate * m->mass));
    r->push.torque = rn_minus(r->push.torque, times(turning, rate));
}

/* x of a x = b, by Cramer's rule; 0 if there is none. */
static rn_vec3 solve(double a[3][3], rn_vec3 b) {
    const rn_vec3 x = {a[0][0], a[1][0], a[2][0]}, y = {a[0][1], a[1][1], a[2][1]}, z = {a[0][2], a[1][2], a[2][2]};
    const double d = rn_dot(x, rn_cross(y, z));
    if (!(d > 0.0)) return (rn_vec3){0};
    return (rn_vec3){rn_dot(b, rn_cross(y, z)) / d, rn_dot(x, rn_cross(b, z)) / d, rn_dot(x, rn_cross(y, b)) / d};
}

/* The body gives way while it is pushed: m dv/dt = F - R dv, its end of the step taken for the whole of it. */
static rn_push give_way(const resistance *r, const rn_mover *m, double seconds) {
    double stiff[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) stiff[i][j] = m->inertia[i][j] + seconds * r->turning[i][j];
    return (rn_push){times(r->push.force, m->mass / (m->mass + seconds * r->moving)),
                     rn_rotate(m->inertia, solve(stiff, r->push.torque))};
}

rn_push rn_force_drag(const rn_waters *w, const rn_mover *m, double density, double seconds, rn_vec3 *flow) {
    resistance r = {0};
    for (int y = 0; y < w->ny; y++)
        for (int x = 0; x < w->nx; x++) resist_cell(&r, w, m, x, y, density);
    *flow = r.sunk > 0.0 ? times(r.flow, 1.0 / r.sunk) : (rn_vec3){0};
    if (!(r.sunk > 0.0)) return (rn_push){0};
    damp(&r, m, *flow, m->damping);
    return give_way(&r, m, seconds);
}
