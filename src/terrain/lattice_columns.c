/* A lattice over columns. Solid between the centres of columns is not known, and is assumed to change in the
   simplest way: floors that differ are joined by a ramp, and so are ceilings; where there is neither, as at the edge
   of a slab, the surface is vertical and midway. */
#include "base/maths.h"
#include "terrain/lattice.h"

/* The lattice as that of columns, which it must be. */
static const rn_column_lattice *as_columns(const rn_lattice *lattice) { return (const rn_column_lattice *)lattice; }

/* From a lattice coordinate to metres along x or y: first the rim of the grid, then centres of cells, then the other
   rim. A margin lies half a cell outside. */
static double place_along(double at, int margin, int cells, double cell, double origin) {
    at -= margin;
    const double inner = at < 1 ? 0.5 * at : at > cells ? cells - 0.5 + 0.5 * (at - cells) : at - 0.5;
    return origin + inner * cell;
}

/* From lattice coordinates to metres: `place` of rn_lattice_class (lattice.h). */
static rn_vec3 to_metres(const rn_lattice *lattice, const double at[3]) {
    const rn_column_lattice *l = as_columns(lattice);
    return (rn_vec3){place_along(at[0], l->margin, l->cells_x, l->cell, l->origin_x),
                     place_along(at[1], l->margin, l->cells_y, l->cell, l->origin_y), l->bottom + at[2] * l->cell};
}

/* The height (m) of nodes with this index along z. */
static double height_of(const rn_column_lattice *l, int node_z) { return l->bottom + node_z * l->cell; }

/* The number of the cell that a node along x or y lies over; the nearest one for nodes of the rim and beyond. */
static int cell_along(int node, int margin, int cells) {
    const int cell = node - margin - 1;
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

typedef struct stack {
    rn_interval open[RN_MOST_OPEN];
    int count;
} stack;

/* Reads the open ranges of the cell under a node, whose z does not matter. */
static void read_stack(const rn_column_lattice *l, const int node[3], stack *at) {
    at->count = l->open(l->source, cell_along(node[0], l->margin, l->cells_x),
                        cell_along(node[1], l->margin, l->cells_y), at->open);
}

/* The vertical distance (m) from the height z (m) to the nearest floor or ceiling of a stack, at most `most`, negative
   in solid. */
static double stack_clearance(const stack *at, double z, double most) {
    double nearest = most;
    for (int i = 0; i < at->count; i++) {
        const rn_interval open = at->open[i];
        if (z > open.low && z < open.high) return rn_min(rn_min(z - open.low, open.high - z), most);
        nearest = rn_min(nearest, z <= open.low ? open.low - z : z - open.high);
    }
    return -nearest;
}

/* How far (m) a node is outside of the lattice's box, as rn_box_outside: negative inside. */
static double outside_box(const rn_column_lattice *l, const int node[3]) {
    return rn_box_outside(&l->head.box, to_metres(&l->head, (double[3]){node[0], node[1], node[2]}), NULL);
}

/* The vertical distance (m) from a node to the nearest floor or ceiling of its column, negative in solid, at most 4
   cells either way. The box is ignored. */
static double clearance_at_node(const rn_column_lattice *l, const int node[3]) {
    stack at;
    read_stack(l, node, &at);
    return stack_clearance(&at, height_of(l, node[2]), 4 * l->cell);
}

/* The vertical distance (m) from a node to the nearest floor or ceiling of its column, at most 4 cells, negative in
   solid. If the lattice is closed, at least the distance to the box from outside it, so that nothing there is solid. */
static double node_value(const rn_lattice *lattice, const int node[3]) {
    const rn_column_lattice *l = as_columns(lattice);
    const double bare = clearance_at_node(l, node);
    return lattice->closed ? rn_max(bare, outside_box(l, node)) : bare;
}

/* Returns false only if the columns under these nodes are all solid, or all open, from the lowest to the highest node;
   outside the box of a closed lattice everything is open. */
static bool may_cross(const rn_lattice *lattice, const int low[3], const int high[3]) {
    const rn_column_lattice *l = as_columns(lattice);
    const double bottom = height_of(l, low[2]), top = height_of(l, high[2]);
    bool any_solid = false, any_open = false;
    for (int y = low[1]; y <= high[1]; y++)
        for (int x = low[0]; x <= high[0]; x++) {
            stack at;
            read_stack(l, (int[3]){x, y, 0}, &at);
            bool whole = false;
            for (int i = 0; i < at.count; i++) {
                if (at.open[i].low >= top || at.open[i].high <= bottom) continue;
                if (at.open[i].low >= bottom || at.open[i].high <= top) return true;
                whole = true;
            }
            any_open |= whole;
            any_solid |= !whole;
            /* everything outside a box is open */
            if (lattice->closed && !whole &&
                (outside_box(l, (int[3]){x, y, low[2]}) > 0 || outside_box(l, (int[3]){x, y, high[2]}) > 0))
                any_open = true;
            if (any_open && any_solid) return true;
        }
    return false;
}

/* The solid range (m) of a stack that contains z, which must be in solid; infinite where there is no end. */
static rn_interval solid_at(const stack *at, double z) {
    rn_interval solid = {-INFINITY, INFINITY};
    for (int i = 0; i < at->count; i++) {
        if (at->open[i].low >= z) {
            solid.high = at->open[i].low;
            break;
        }
        solid.low = at->open[i].high;
    }
    return solid;
}

/* The open range (m) of a stack that contains z; all heights if none does. */
static rn_interval open_at(const stack *at, double z) {
    for (int i = 0; i < at->count; i++)
        if (z > at->open[i].low && z < at->open[i].high) return at->open[i];
    return (rn_interval){-INFINITY, INFINITY};
}

/* Where the surface passes from an open column, with this open range, to a solid one, with this solid range (m), at the
   height z (m), as a share of the way: on the ramp between floors or between ceilings, otherwise midway. */
static double cross_sideways(rn_interval open, rn_interval solid, double z) {
    double along = -1;
    if (isfinite(open.low) && isfinite(solid.high) && solid.low <= open.low)
        along = (z - open.low) / (solid.high - open.low);
    if (isfinite(open.high) && isfinite(solid.low) && solid.high >= open.high)
        along = rn_max(along, (open.high - z) / (open.high - solid.low));
    return along < 0 ? 0.5 : along;
}

/* Where the first floor (from solid) or ceiling of a stack lies between z and z + height (m), as a share of the height;
   0.5 if there is none. */
static double cross_upwards(const stack *at, double z, double height, bool from_solid) {
    for (int i = 0; i < at->count; i++) {
        const double surface = from_solid ? at->open[i].low : at->open[i].high;
        if (surface >= z && surface <= z + height) return (surface - z) / height;
    }
    return 0.5;
}

/* Where the surface crosses the edge from a node along an axis, as a share of it, kept from its ends: a ramp, a floor
   or ceiling, or the side of the box. from: the value at the node; `to` is not used. */
static double edge_crossing(const rn_lattice *lattice, const int node[3], int axis, float from, float to) {
    const rn_column_lattice *l = as_columns(lattice);
    int next[3] = {node[0], node[1], node[2]};
    next[axis]++;
    const bool solid_from = clearance_at_node(l, node) <= 0, solid_to = clearance_at_node(l, next) <= 0;
    if (solid_from == solid_to) { /* at the box */
        const double a = outside_box(l, node), b = outside_box(l, next);
        return rn_lattice_keep(a == b ? 0.5 : a / (a - b));
    }
    (void)to;
    stack here, there;
    const double z = height_of(l, node[2]);
    read_stack(l, node, &here);
    if (axis == 2) return rn_lattice_keep(cross_upwards(&here, z, l->cell, from <= 0.0f));
    read_stack(l, next, &there);
    const double along = solid_from ? 1 - cross_sideways(open_at(&there, z), solid_at(&here, z), z)
                                    : cross_sideways(open_at(&here, z), solid_at(&there, z), z);
    return rn_lattice_keep(along);
}

/* The slope of the clearance at a node, from central differences, one-sided at the ends of the lattice. */
static rn_vec3 clearance_slope(const rn_column_lattice *l, const int node[3]) {
    double slope[3];
    for (int a = 0; a < 3; a++) {
        int low[3] = {node[0], node[1], node[2]}, high[3] = {node[0], node[1], node[2]};
        if (low[a] > 0) low[a]--;
        if (high[a] < l->head.nodes[a] - 1) high[a]++;
        const rn_vec3 from = to_metres(&l->head, (double[3]){low[0], low[1], low[2]});
        const rn_vec3 to = to_metres(&l->head, (double[3]){high[0], high[1], high[2]});
        const double way = (to.x - from.x) + (to.y - from.y) + (to.z - from.z);
        slope[a] = (clearance_at_node(l, high) - clearance_at_node(l, low)) / way;
    }
    return (rn_vec3){slope[0], slope[1], slope[2]};
}

/* The unit normal at a crossing, `along` an edge: along the slope of the clearance, or that of the side of the box;
   along the edge where the slope is 0. */
static rn_vec3 crossing_normal(const rn_lattice *lattice, const int node[3], int axis, double along) {
    const rn_column_lattice *l = as_columns(lattice);
    int next[3] = {node[0], node[1], node[2]};
    next[axis]++;
    const bool solid_from = clearance_at_node(l, node) <= 0, solid_to = clearance_at_node(l, next) <= 0;
    if (solid_from == solid_to) {
        const int *out = outside_box(l, node) > 0 ? node : next;
        rn_vec3 side;
        rn_box_outside(&lattice->box, to_metres(lattice, (double[3]){out[0], out[1], out[2]}), &side);
        return side;
    }
    const rn_vec3 a = clearance_slope(l, node), b = clearance_slope(l, next);
    rn_vec3 n = {a.x + along * (b.x - a.x), a.y + along * (b.y - a.y), a.z + along * (b.z - a.z)};
    const double length = rn_length3(n.x, n.y, n.z);
    if (length > 1e-9) return (rn_vec3){n.x / length, n.y / length, n.z / length};
    const double sign = solid_from ? 1 : -1;
    return (rn_vec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
}

static const rn_lattice_class column_lattice = {node_value, may_cross, to_metres, edge_crossing, crossing_normal};

rn_column_lattice rn_column_lattice_make(const void *source, rn_open_ranges open, int cells_x, int cells_y, double cell,
                                         double origin_x, double origin_y, double bottom, double top, bool closed,
                                         int margin) {
    rn_column_lattice l = {.head = {.type = &column_lattice, .closed = closed, .spacing = cell}};
    l.source = source;
    l.open = open;
    l.cells_x = cells_x;
    l.cells_y = cells_y;
    l.cell = cell;
    l.origin_x = origin_x;
    l.origin_y = origin_y;
    l.margin = margin;
    l.bottom = bottom - margin * cell;
    const double rows = rn_min(rn_max(ceil((top - bottom) / cell - 1e-6), 1), 1e9);
    const int cells[3] = {cells_x + 1, cells_y + 1, (int)rows};
    for (int a = 0; a < 3; a++) {
        l.head.nodes[a] = cells[a] + 1 + 2 * margin;
        l.head.low[a] = margin;
        l.head.high[a] = margin + cells[a];
    }
    l.head.high[2] = margin + rn_max((top - bottom) / cell, RN_LATTICE_LEAST);
    l.head.box = (rn_box){{origin_x, origin_y, bottom}, {origin_x + cells_x * cell, origin_y + cells_y * cell, top}};
    return l;
}
