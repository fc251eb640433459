/* Where the scene of an inspected mesh pours its liquid: above the highest point that is well within the domain, and
   above the middle, or the largest triangle of a ground that has nothing in its middle. Entry point:
   inspect_choose_pours(). */
#include "inspect/inspect.h"

#include <math.h>

/* Half a disk of liquid that would fall beside the domain is of no use: centres stay this many cells from its edges. */
enum { MARGIN = 4 };

typedef struct search {
    double low[2], high[2]; /* m, where centres may lie */
    double least_plan;      /* m^2; smaller triangles of ground may have no column below them */
    rn_vec3 highest;        /* the highest point there; z -INFINITY: none */
    rn_vec3 broadest;       /* centre of the triangle with the largest plan */
    double plan;            /* m^2, of that */
    double middle[2];
    bool covered; /* a triangle lies above or below the middle */
} search;

/* Twice the area of the plan of a triangle; negative if it turns clockwise. */
static double plan_of(rn_vec3 a, rn_vec3 b, rn_vec3 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/* Returns whether a triangle covers a point, seen from above; points on its edges count. */
static bool covers(const rn_vec3 at[3], rn_vec3 point) {
    const double a = plan_of(at[0], at[1], point), b = plan_of(at[1], at[2], point), c = plan_of(at[2], at[0], point);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* Makes a point (m) the highest one so far, if it is higher and lies well within the domain. */
static void consider(search *s, rn_vec3 at) {
    const bool within = at.x >= s->low[0] && at.x <= s->high[0] && at.y >= s->low[1] && at.y <= s->high[1];
    if (within && at.z > s->highest.z) s->highest = at;
}

/* Updates the highest point, the broadest triangle and `covered` by a triangle with these corners (m). Ignores one
   whose plan is too small. */
static void add_triangle(search *s, const rn_vec3 at[3]) {
    const rn_vec3 centre = {(at[0].x + at[1].x + at[2].x) / 3, (at[0].y + at[1].y + at[2].y) / 3,
                            (at[0].z + at[1].z + at[2].z) / 3};
    const double plan = 0.5 * fabs(plan_of(at[0], at[1], at[2]));
    if (plan < s->least_plan) return;
    for (int k = 0; k < 3; k++) /* near the corner, where the triangle has some width */
        consider(s, (rn_vec3){0.9 * at[k].x + 0.1 * centre.x, 0.9 * at[k].y + 0.1 * centre.y,
                              0.9 * at[k].z + 0.1 * centre.z});
    if (plan > s->plan) {
        s->plan = plan;
        s->broadest = centre;
    }
    s->covered = s->covered || covers(at, (rn_vec3){s->middle[0], s->middle[1], 0});
}

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

void inspect_choose_pours(inspection *i, const rn_mesh_file *file, double rows[3][4]) {
    const bool ground = i->mesh.meaning == RN_MESH_GROUND; /* anything else stands on a plane */
    search s = {.highest = {0, 0, -INFINITY}, .least_plan = ground ? i->cell * i->cell : 0};
    for (int axis = 0; axis < 2; axis++) {
        const double length = i->cells[axis] * i->cell, margin = fmin(MARGIN * i->cell, 0.25 * length);
        s.low[axis] = margin;
        s.high[axis] = length - margin;
        s.middle[axis] = 0.5 * length;
    }
    for (size_t t = 0; t < file->triangle_count; t++) {
        rn_vec3 at[3];
        if (inspect_triangle(file, t, rows, at)) add_triangle(&s, at);
    }
    const rn_vec3 broadest = {clamp(s.broadest.x, s.low[0], s.high[0]), clamp(s.broadest.y, s.low[1], s.high[1]), 0};
    const rn_vec3 middle = {s.middle[0], s.middle[1], 0};
    i->pours[0] = isfinite(s.highest.z) ? s.highest : ground ? broadest : middle;
    i->pours[1] = ground && !s.covered ? broadest : middle;
}
