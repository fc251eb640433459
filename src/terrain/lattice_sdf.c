/* A lattice over a signed distance field, in any orientation. */
#include "base/maths.h"
#include "terrain/lattice.h"

#include <string.h>

double rn_box_outside(const rn_box *box, rn_vec3 at, rn_vec3 *normal) {
    const double sides[6] = {box->low.x - at.x,  at.x - box->high.x, box->low.y - at.y,
                             at.y - box->high.y, box->low.z - at.z,  at.z - box->high.z};
    int most = 0;
    for (int i = 1; i < 6; i++)
        if (sides[i] > sides[most]) most = i;
    if (normal) {
        const double sign = most & 1 ? 1 : -1;
        *normal = (rn_vec3){most < 2 ? sign : 0, most == 2 || most == 3 ? sign : 0, most > 3 ? sign : 0};
    }
    return sides[most];
}

/* The lattice as that of a shape, which it must be. */
static const rn_sdf_lattice *as_sdf(const rn_lattice *lattice) { return (const rn_sdf_lattice *)lattice; }

/* From lattice coordinates to metres: `place` of rn_lattice_class (lattice.h). */
static rn_vec3 to_metres(const rn_lattice *lattice, const double at[3]) {
    const rn_sdf_lattice *l = as_sdf(lattice);
    const double s = lattice->spacing;
    const rn_vec3 p = rn_rotate(l->turn, (rn_vec3){s * at[0], s * at[1], s * at[2]});
    return (rn_vec3){l->origin.x + p.x, l->origin.y + p.y, l->origin.z + p.z};
}

/* The shape's field (m) at a point (m), cut off at the box if the lattice is closed. */
static double field_at(const rn_sdf_lattice *l, rn_vec3 at) {
    const double solid = l->shape->type->distance(l->shape, at);
    return l->head.closed ? rn_max(solid, rn_box_outside(&l->head.box, at, NULL)) : solid;
}

/* The field (m) at a node, 0 or less in solid, cut off at the box if the lattice is closed. */
static double node_value(const rn_lattice *lattice, const int node[3]) {
    return field_at(as_sdf(lattice), to_metres(lattice, (double[3]){node[0], node[1], node[2]}));
}

/* Returns false only if all nodes from low to high are on one side. A field changes by no more than the distance, so
   the value at the centre decides for all nodes around it. */
static bool may_cross(const rn_lattice *lattice, const int low[3], const int high[3]) {
    double middle[3], reach = 0;
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * (low[a] + high[a]);
        reach += 0.25 * (high[a] - low[a]) * (high[a] - low[a]);
    }
    return fabs(field_at(as_sdf(lattice), to_metres(lattice, middle))) <= (1.0 + 1e-6) * lattice->spacing * sqrt(reach);
}

/* Where the field crosses 0 on the edge from a node along an axis, as a share of it, kept from its ends; `from` and
   `to` are the values there. Regula falsi with the Illinois rule, as for vertical rays. */
static double edge_crossing(const rn_lattice *lattice, const int node[3], int axis, float from, float to) {
    const rn_sdf_lattice *l = as_sdf(lattice);
    double at[3] = {node[0], node[1], node[2]};
    double a = 0, b = 1, value_a = from, value_b = to, best = 0;
    int stayed = 0;
    for (int i = 0; i < 30; i++) {
        best = rn_clamp(value_a / (value_a - value_b), 0, 1) * (b - a) + a;
        at[axis] = node[axis] + best;
        const double found = field_at(l, to_metres(lattice, at));
        if (fabs(found) <= 1e-7 * lattice->spacing || b - a < 1e-7) break;
        if ((found <= 0) == (value_a <= 0)) {
            a = best;
            value_a = found;
            if (stayed < 0) value_b /= 2;
            stayed = -1;
        } else {
            b = best;
            value_b = found;
            if (stayed > 0) value_a /= 2;
            stayed = 1;
        }
    }
    return rn_lattice_keep(best);
}

/* The unit normal at a crossing, `along` an edge: along the slope of the field, or that of the side of the box; along
   the edge where the slope is 0. */
static rn_vec3 crossing_normal(const rn_lattice *lattice, const int node[3], int axis, double along) {
    const rn_sdf_lattice *l = as_sdf(lattice);
    double at[3] = {node[0], node[1], node[2]};
    at[axis] += along;
    const rn_vec3 p = to_metres(lattice, at);
    const double h = 1e-4 * lattice->spacing;
    const rn_sdf *shape = l->shape;
    rn_vec3 side;
    if (lattice->closed && rn_box_outside(&lattice->box, p, &side) > shape->type->distance(shape, p) + h) return side;
    rn_vec3 g;
    g.x = shape->type->distance(shape, (rn_vec3){p.x + h, p.y, p.z}) -
          shape->type->distance(shape, (rn_vec3){p.x - h, p.y, p.z});
    g.y = shape->type->distance(shape, (rn_vec3){p.x, p.y + h, p.z}) -
          shape->type->distance(shape, (rn_vec3){p.x, p.y - h, p.z});
    g.z = shape->type->distance(shape, (rn_vec3){p.x, p.y, p.z + h}) -
          shape->type->distance(shape, (rn_vec3){p.x, p.y, p.z - h});
    const double length = rn_length3(g.x, g.y, g.z);
    if (length > 0) return (rn_vec3){g.x / length, g.y / length, g.z / length};
    /* on a ridge between equal distances: along the edge, towards its open end */
    const double sign = node_value(lattice, node) <= 0 ? 1 : -1;
    return rn_rotate(l->turn, (rn_vec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0});
}

static const rn_lattice_class sdf_lattice = {node_value, may_cross, to_metres, edge_crossing, crossing_normal};

rn_sdf_lattice rn_sdf_lattice_make(const rn_sdf *shape, const rn_box *box, double spacing, rn_quat turn, bool closed,
                                   int margin) {
    rn_sdf_lattice l = {.head = {.type = &sdf_lattice, .closed = closed, .box = *box, .spacing = spacing}};
    l.shape = shape;
    const rn_placement turned = rn_pose_turned(turn);
    memcpy(l.turn, turned.turn, sizeof l.turn);
    const rn_vec3 middle = {0.5 * (box->low.x + box->high.x), 0.5 * (box->low.y + box->high.y),
                            0.5 * (box->low.z + box->high.z)};
    const double half[3] = {box->high.x - middle.x, box->high.y - middle.y, box->high.z - middle.z};
    double first[3];
    for (int a = 0; a < 3; a++) { /* half the width of the box along this axis of the lattice */
        double reach = 0;
        for (int b = 0; b < 3; b++) reach += fabs(l.turn[b][a]) * half[b];
        const double cells = rn_max(ceil(2 * reach / spacing - 1e-6), 1);
        l.head.nodes[a] = (int)rn_min(cells + 1 + 2 * margin, 1e9);
        l.head.low[a] = margin;
        l.head.high[a] = margin + cells;
        /* an upright lattice begins at the box's corner; a rotated one has no such corner */
        const bool upright = turn.x == 0 && turn.y == 0 && turn.z == 0;
        first[a] = (upright ? -half[a] : -0.5 * cells * spacing) - margin * spacing;
        if (upright) l.head.high[a] = margin + rn_max(2 * half[a] / spacing, RN_LATTICE_LEAST);
    }
    const rn_vec3 p = rn_rotate(turned.turn, (rn_vec3){first[0], first[1], first[2]});
    l.origin = (rn_vec3){middle.x + p.x, middle.y + p.y, middle.z + p.z};
    return l;
}
