/* Packets that travel beyond the next cell, traced one by one.

   Interface: rn_packets_far (solver/packets_self.h). take_substep of solver/packets.c calls it after all rows were
   gathered and before the kick, if the fastest liquid is fast enough. send_packets has marked the cells concerned in
   `far` and sent nothing from them. The adaptive solver never needs it: its substeps are short enough.

   Algorithm: the distance of packets is not limited by the method (section 3.3 of Lee & O'Sullivan 2007). A packet
   moves in steps of at most half a cell, along x and then along y, bounces off ground that is not below its surface,
   and stays where it leaves the world over an open edge. It is deposited in whole quanta in the cells that it
   covers. Such packets are few, and they are processed in the order of their cells, so the number of threads does
   not matter. No packet travels more than MOST_CELLS cells in a substep. */
#include "solver/packets_self.h"

#include <string.h>

enum { MOST_CELLS = 64 }; /* most cells that a packet travels in a substep */

/* A travelling packet. */
typedef struct packet {
    rn_packets *solver;
    const rn_packet_pass *pass;
    float level;   /* m, surface of the cell it comes from */
    float u, v;    /* m/s */
    double x, y;   /* cells */
    double dx, dy; /* cells, still to travel */
    int64_t quanta;
} packet;

/* The largest integer not above `at`. */
static int floor_of(double at) {
    const int whole = (int)at;
    return whole > at ? whole - 1 : whole;
}

/* Whether the ground of a cell is at or above the packet's surface; walls always are. */
static bool is_blocked(const packet *p, int x, int y) {
    return p->solver->ground[rn_slot(&p->solver->columns.grid, 0, y, x)] >= p->level;
}

/* Counts the liquid (quanta) that passes sides on the way from one cell to another: along x first. Does nothing unless
   transfers are counted. */
static void pass_sides(const packet *p, int x, int y, int to_x, int to_y, int64_t quanta) {
    const rn_grid *g = &p->solver->columns.grid;
    const float moved = (float)quanta * p->pass->params->quantum;
    if (!p->pass->transfer_x) return;
    for (; x < to_x; x++) p->pass->transfer_x[rn_slot(g, 0, y, x)] += moved;
    for (; x > to_x; x--) p->pass->transfer_x[rn_slot(g, 0, y, x - 1)] -= moved;
    for (; y < to_y; y++) p->pass->transfer_y[rn_slot(g, 0, y, x)] += moved;
    for (; y > to_y; y--) p->pass->transfer_y[rn_slot(g, 0, y - 1, x)] -= moved;
}

/* Whether the packet's centre is in the world. */
static bool is_inside(const packet *p) {
    const rn_grid *g = &p->solver->columns.grid;
    return p->x >= 0.0 && p->y >= 0.0 && p->x < g->nx && p->y < g->ny;
}

/* Moves a packet that has left over a periodic edge back through the opposite one. Returns true if its centre is in the
   world. */
static bool wrap_packet(packet *p) {
    const rn_columns *c = &p->solver->columns;
    if (c->periodic_x) p->x += p->x < 0.0 ? c->grid.nx : p->x >= c->grid.nx ? -c->grid.nx : 0;
    if (c->periodic_y) p->y += p->y < 0.0 ? c->grid.ny : p->y >= c->grid.ny ? -c->grid.ny : 0;
    return is_inside(p);
}

/* Moves the packet by at most half a cell along x; a wall reverses its travel and speed instead. */
static void step_x(packet *p, double by) {
    const int x = floor_of(p->x), y = floor_of(p->y), to = floor_of(p->x + by);
    if (to != x && is_blocked(p, to, y)) {
        p->dx = -p->dx, p->u = -p->u;
        return;
    }
    pass_sides(p, x, y, to, y, p->quanta);
    p->x += by;
}

/* Moves the packet by at most half a cell along y; a wall reverses its travel and speed instead. */
static void step_y(packet *p, double by) {
    const int x = floor_of(p->x), y = floor_of(p->y), to = floor_of(p->y + by);
    if (to != y && is_blocked(p, x, to)) {
        p->dy = -p->dy, p->v = -p->v;
        return;
    }
    pass_sides(p, x, y, x, to, p->quanta);
    p->y += by;
}

/* Moves the packet by (dx, dy) in steps of at most half a cell, until it arrives or leaves the world over an open edge,
   where it stays. */
static void move_packet(packet *p) {
    const double far = fabs(p->dx) > fabs(p->dy) ? fabs(p->dx) : fabs(p->dy);
    const int steps = 1 + (int)(2.0 * far);
    p->dx /= steps, p->dy /= steps;
    for (int i = 0; i < steps; i++) {
        step_x(p, p->dx);
        if (!wrap_packet(p)) return;
        step_y(p, p->dy);
        if (!wrap_packet(p)) return;
    }
}

/* Adds quanta of the packet to cell (x, y) of h1, and the packet's velocity to u1 and v1: as the mean by mass, or in
   the paper's model as a sum, with the packet's velocity times params->share and `covered`, the share of its area in
   this cell. Does nothing for 0 quanta. */
static void add_liquid(const packet *p, int x, int y, int64_t quanta, double covered) {
    const rn_packet_params *params = p->pass->params;
    const int32_t slot = rn_slot(&p->solver->columns.grid, 0, y, x);
    const float mass = (float)quanta * params->quantum, all = p->pass->h1[slot] + mass;
    if (quanta <= 0) return;
    if (params->paper) {
        const float share = params->share * (float)covered;
        p->pass->u1[slot] += share * p->u, p->pass->v1[slot] += share * p->v;
    } else {
        p->pass->u1[slot] = (p->pass->u1[slot] * p->pass->h1[slot] + mass * p->u) / all + 0.0f;
        p->pass->v1[slot] = (p->pass->v1[slot] * p->pass->h1[slot] + mass * p->v) / all + 0.0f;
    }
    p->pass->h1[slot] = all;
}

/* Deposits the packet in the cells that it covers, in proportion to area: its own cell, and at most one more along each
   axis. Liquid for a blocked cell stays in the packet's own cell, and so does all of a packet beyond an open edge. */
static void deposit_packet(packet *p) {
    const double half = 0.5 / p->pass->params->scale;
    const int x = floor_of(p->x), y = floor_of(p->y), west = floor_of(p->x - half), east = floor_of(p->x + half);
    const int south = floor_of(p->y - half), north = floor_of(p->y + half);
    const int beside = west < x ? west : east, above = south < y ? south : north;
    const double over_x = west < x ? x - (p->x - half) : p->x + half - (x + 1);
    const double over_y = south < y ? y - (p->y - half) : p->y + half - (y + 1);
    const double a = beside != x ? over_x / (2.0 * half) : 0.0, b = above != y ? over_y / (2.0 * half) : 0.0;
    const double shares[3] = {a * (1.0 - b), (1.0 - a) * b, a * b};
    const int at[3][2] = {{beside, y}, {x, above}, {beside, above}};
    int64_t left = p->quanta;
    double covered = 1.0;
    for (int k = 0; k < 3 && is_inside(p); k++) {
        const int64_t some = (int64_t)(shares[k] * (double)p->quanta);
        packet part = *p;
        part.x = at[k][0] + 0.5, part.y = at[k][1] + 0.5;
        if (some <= 0 || is_blocked(p, at[k][0], at[k][1])) continue;
        pass_sides(p, x, y, at[k][0], at[k][1], some);
        wrap_packet(&part);
        add_liquid(p, floor_of(part.x), floor_of(part.y), some, shares[k]);
        left -= some;
        covered -= shares[k];
    }
    add_liquid(p, x, y, left, covered);
}

/* Loads a cell and those around it, the same in all lanes. */
static void load_cells(const rn_packet_pass *pass, int32_t slot, rn_packet_cells *c) {
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int32_t from = slot + j * pass->stride + i;
            const int k = 3 * (j + 1) + i + 1;
            c->z[k] = rn_splat(pass->z[from]), c->h[k] = rn_splat(pass->h[from]);
            c->u[k] = rn_splat(pass->u[from]), c->v[k] = rn_splat(pass->v[from]);
        }
}

/* A travel distance (cells), limited to MOST_CELLS in either direction. */
static double limited_travel(float move_packet) {
    const double far = (double)move_packet;
    return far > MOST_CELLS ? MOST_CELLS : far < -MOST_CELLS ? -MOST_CELLS : far;
}

/* Sends all packets of cell (x, y), one after the other, and deposits them in h1, u1 and v1. */
static void send_cell(rn_packets *solver, const rn_packet_pass *pass, int x, int y) {
    const int32_t slot = rn_slot(&solver->columns.grid, 0, y, x);
    const int n = pass->count;
    rn_packet_cells c;
    rn_wide open[RN_AROUND], dx, dy;
    load_cells(pass, slot, &c);
    rn_packet_walls(pass->params, &c, open);
    const int64_t all = (int64_t)((double)pass->h[slot] / (double)pass->params->quantum);
    for (int k = 0; k < n * n; k++) {
        const float at_x = ((float)(k % n) + 0.5f) / (float)n - 0.5f, at_y = ((float)(k / n) + 0.5f) / (float)n - 0.5f;
        rn_packet_trace(pass->params, &c, at_x, at_y, &dx, &dy);
        packet p = {.solver = solver,
                    .pass = pass,
                    .level = pass->z[slot] + pass->h[slot],
                    .u = pass->u[slot],
                    .v = pass->v[slot],
                    .x = x + 0.5 + (double)at_x,
                    .y = y + 0.5 + (double)at_y,
                    .dx = limited_travel(dx[0]),
                    .dy = limited_travel(dy[0]),
                    .quanta = all / (n * n) + (k < all % (n * n))};
        move_packet(&p);
        deposit_packet(&p);
    }
}

void rn_packets_far(rn_packets *solver, const rn_packet_pass *pass) {
    const rn_grid *g = &solver->columns.grid;
    for (int y = 0; y < g->ny; y++) {
        const uint8_t *row = pass->far + rn_slot(g, 0, y, 0);
        for (int x = 0; x < g->nx; x++)
            if (row[x]) send_cell(solver, pass, x, y);
    }
}
