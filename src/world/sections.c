/* Cross-sections: the liquid that passes a line across the grid.

   Interface: rn_world_add_section, read, has and remove (include/runnel/world.h) for hosts; rn_gauges_begin, step,
   any, free and archive (world/gauges.h) for the world.

   Order of calls: rn_gauges_begin at the beginning of a frame stores the totals, so that the mean flow over the frame
   can be read after it. After every substep rn_gauges_step adds the quanta that the solver has moved through each
   face (world/frame.c). A 3D liquid counts the particles that pass instead (world/mac_gauges.c).

   rn_world_add_section traces the line along the sides of cells, from corner to corner, always along the side nearer
   to it; the walk is the same in both directions, so that a reversed line has exactly the opposite flow. The totals
   are integers and therefore exact. The staircase of sides is longer than the line: rn_world_read_section counts each
   side with its length along the line when it sums up the wet cross-section (m^2). A removed section stays in the
   list without faces, because snapshots count sections. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "mac/state.h"
#include "world/mac.h"
#include "world/world.h"

#include <stdlib.h>

/* A walk along the sides of cells from corner to corner, one side at a time, always along the one nearer to the
   line. */
typedef struct walk {
    int x, y;       /* corner: 0 to the number of cells */
    int dx, dy;     /* of the whole line; dx is 0 or more, so that the walk is the same in both directions */
    int by_x, by_y; /* sides walked so far */
} walk;

/* Walks along the next side and returns its face, with the sign that makes flow to the left of the walk positive. Call
   it dx + |dy| times. Across a periodic edge, the face belongs to the cell on the other side of the grid. */
static rn_gauge_face next_face(const rn_columns *s, walk *w) {
    const int64_t x_ahead = (2 * (int64_t)w->by_x + 1) * abs(w->dy), y_ahead = (2 * (int64_t)w->by_y + 1) * w->dx;
    const bool along_x = w->by_x < w->dx && (w->by_y == abs(w->dy) || x_ahead <= y_ahead), down = w->dy < 0;
    int low_x = along_x ? w->x : w->x - 1, low_y = along_x || down ? w->y - 1 : w->y;
    if (low_x < 0 && s->periodic_x) low_x += s->grid.nx;
    if (low_y < 0 && s->periodic_y) low_y += s->grid.ny;
    rn_gauge_face face = {
        .slot = rn_slot(&s->grid, 0, low_y, low_x), .axis = along_x, .sign = along_x || down ? 1 : -1};
    w->by_x += along_x;
    w->by_y += !along_x;
    w->x += along_x;
    w->y += along_x ? 0 : down ? -1 : 1;
    return face;
}

/* Writes the corner of cells nearest to x, y (m), each index 0 to the number of cells. Returns false, without a message
   and without setting `corner`, if the point is outside the domain by more than rounding. */
static bool nearest_corner(const rn_world *world, double x, double y, int corner[2]) {
    const rn_terrain_info *g = &world->ground;
    double u = (x - g->origin_x) / g->cell_size, v = (y - g->origin_y) / g->cell_size;
    const double slack = 1e-6; /* of a cell: allows a line to end on the edge despite rounding */
    if (!(u >= -slack && u <= g->cells_x + slack && v >= -slack && v <= g->cells_y + slack)) return false;
    corner[0] = (int)rn_clamp(rint(u), 0.0, g->cells_x);
    corner[1] = (int)rn_clamp(rint(v), 0.0, g->cells_y);
    return true;
}

/* Sets the faces along the staircase between two different corners, whose flow to the left of from -> to counts as
   positive, and the length (m) and direction of the line. The caller frees the faces. Returns RN_MEMORY, with a
   message, if memory runs out. */
static rn_result trace_line(const rn_world *world, int from[2], int to[2], rn_gauge *gauge) {
    const int dx = to[0] - from[0], dy = to[1] - from[1];
    const bool back = dx < 0 || (dx == 0 && dy < 0);
    const int *start = back ? to : from;
    walk w = {.x = start[0], .y = start[1], .dx = back ? -dx : dx, .dy = back ? -dy : dy};
    gauge->count = abs(dx) + abs(dy);
    gauge->faces = rn_alloc(&world->hooks, (size_t)gauge->count, sizeof *gauge->faces);
    if (!gauge->faces) return RN_MEMORY;
    for (int32_t i = 0; i < gauge->count; i++) {
        gauge->faces[i] = next_face(world->columns, &w);
        if (back) gauge->faces[i].sign = (int8_t)-gauge->faces[i].sign;
    }
    const double length = sqrt((double)dx * dx + (double)dy * dy);
    gauge->along[0] = abs(dx) / length;
    gauge->along[1] = abs(dy) / length;
    gauge->length = length * world->ground.cell_size;
    return RN_OK;
}

int rn_world_add_section(rn_world *world, double from_x, double from_y, double to_x, double to_y) {
    const rn_terrain_info *g = &world->ground;
    int from[2], to[2];
    if (!nearest_corner(world, from_x, from_y, from) || !nearest_corner(world, to_x, to_y, to)) {
        rn_fail(RN_INVALID,
                "the section runs from (%g, %g) to (%g, %g), outside the domain; x must be from %g to %g and y from %g "
                "to %g (m)",
                from_x, from_y, to_x, to_y, g->origin_x, g->origin_x + g->cells_x * g->cell_size, g->origin_y,
                g->origin_y + g->cells_y * g->cell_size);
        return -1;
    }
    if (from[0] == to[0] && from[1] == to[1]) {
        rn_fail(RN_INVALID, "the section from (%g, %g) to (%g, %g) is shorter than a cell, %g m", from_x, from_y, to_x,
                to_y, g->cell_size);
        return -1;
    }
    rn_gauge gauge = {0};
    rn_gauges *all = &world->gauges;
    if (trace_line(world, from, to, &gauge) != RN_OK ||
        (world->mac && rn_world_mac_add_gauge(world, &gauge) != RN_OK) ||
        !rn_grow(&world->hooks, &all->list, &all->capacity, all->count, sizeof gauge)) {
        rn_free(&world->hooks, gauge.faces);
        return -1;
    }
    all->list[all->count] = gauge;
    return (int)all->count++;
}

/* The flow through a face in the last substep, summed over all layers: quanta towards larger x or y, and the height (m)
   of the open cross-section. */
static rn_face_flow flow_through(const rn_world *world, const rn_gauge_face *face) {
    if (world->mac) return (rn_face_flow){.height = rn_world_mac_face_height(world, face)};
    return world->solver->face_flow(world->self, face->slot, face->axis);
}

void rn_gauges_begin(rn_world *world) {
    world->frame_start = world->stats.time;
    for (size_t i = 0; i < world->gauges.count; i++) world->gauges.list[i].before = world->gauges.list[i].passed;
}

/* A section whose flow is to be counted. */
typedef struct counting {
    const rn_world *world;
    rn_gauge *gauge;
} counting;

/* A task over faces of a section: counts the quanta that have passed them in the last substep. */
static void count_faces(void *context, int begin, int end, int worker) {
    const counting *c = context;
    int64_t passed = 0;
    (void)worker;
    for (int32_t k = begin; k < end; k++) {
        const rn_gauge_face *face = &c->gauge->faces[k];
        passed += face->sign * flow_through(c->world, face).moved;
    }
    rn_short_add(&c->gauge->passed, passed);
}

void rn_gauges_step(rn_world *world) {
    for (size_t i = 0; i < world->gauges.count; i++) {
        counting c = {world, &world->gauges.list[i]};
        rn_short_for(world->pool, c.gauge->count, count_faces, &c);
    }
}

bool rn_gauges_any(const rn_world *world) {
    for (size_t i = 0; i < world->gauges.count; i++)
        if (world->gauges.list[i].count > 0) return true;
    return false;
}

void rn_gauges_free(rn_world *world) {
    for (size_t i = 0; i < world->gauges.count; i++) rn_free(&world->hooks, world->gauges.list[i].faces);
    rn_free(&world->hooks, world->gauges.list);
}

bool rn_world_has_section(const rn_world *world, int section) {
    return section >= 0 && (size_t)section < world->gauges.count && world->gauges.list[section].count > 0;
}

/* Snapshots count sections, so an empty entry stays. */
rn_result rn_world_remove_section(rn_world *world, int section) {
    if (!rn_world_has_section(world, section))
        return rn_fail(RN_INVALID, "there is no section %d; %zu have been added", section, world->gauges.count);
    rn_gauge *gauge = &world->gauges.list[section];
    if (world->mac) rn_mac_remove_gauge(world->mac->mac, gauge->deep);
    rn_free(&world->hooks, gauge->faces);
    gauge->faces = NULL;
    gauge->count = 0;
    return RN_OK;
}

rn_section rn_world_read_section(const rn_world *world, int section) {
    if (!rn_world_has_section(world, section)) return (rn_section){0};
    const rn_gauge *gauge = &world->gauges.list[section];
    const double cell = world->ground.cell_size,
                 unit = (world->mac ? cell / RN_MAC_REST : world->quantum) * cell * cell;
    const double time = world->stats.time - world->frame_start;
    rn_section read = {.volume = (double)gauge->passed * unit, .length = gauge->length};
    if (time > 0.0) read.discharge = (double)(gauge->passed - gauge->before) * unit / time;
    for (int32_t k = 0; k < gauge->count; k++) {
        const rn_gauge_face *face = &gauge->faces[k];
        /* the staircase is longer than the line: each side counts with its length along the line */
        read.area += flow_through(world, face).height * cell * gauge->along[1 - face->axis];
    }
    return read;
}

void rn_gauges_archive(rn_world *world, rn_archive *a) {
    if (a->pass == RN_HASH) return;
    rn_archive_same(a, (int64_t)world->gauges.count);
    for (size_t i = 0; i < world->gauges.count && !a->broken; i++) {
        RN_ARCHIVE_DATA(a, world->gauges.list[i].passed);
        RN_ARCHIVE_DATA(a, world->gauges.list[i].before);
    }
}
