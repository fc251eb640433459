/* The loops of the packets solver over rows of cells, compiled once for each instruction set (base/dispatch.h). All
   give the same bits.

   Interface: the table rn_packet_sweeps (solver/packet_sweeps.h). solver/packets.c calls it for whole rows,
   solver/packets_tiled.c for runs of cells of one level, in this order:
   - send (send_packets): every cell sends its liquid off in packets (rn_packet_send). Arrivals are summed by
     direction, so that different threads can process rows;
   - gather (gather_arrivals): adds the sums of three rows, always in the same order, and divides momentum by depth;
   - count (count_row), only for gauges: the liquid that passed the sides of a row;
   - kick (kick_row): pressure, sideways gravity and drag. All rows must have been gathered, and packets that travel
     far must have been deposited (rn_packets_far).

   Algorithm: kernels/packet.h has the maths of one cell. A simpler form of it serves level ground under liquid. The
   loops for 2, 3 and 4 packets along each axis, for packets that travel at most half a cell and for the paper's
   model are made by a macro from one body, so that their inner loops have constant bounds. The last vector of a row
   may overlap the one before instead of reading past the end, because values there may be undefined between tiles. */
#include "solver/packet_sweeps.h"

#include <string.h>

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

/* One field (0 depth, 1 and 2 momentum) of a row's sums in one direction, RN_TO_... or RN_STAYS: [x] for cell x. */
RN_INLINE float *sum_row(float *sums, int way, int field, int32_t stride) {
    return sums + (way * RN_PACKET_FIELDS + field) * stride + RN_PAD;
}

/* One field (0 depth, 1 and 2 momentum) of a row's sums in one direction, [x] for cell x, to be read only. */
RN_INLINE const float *sum_row_of(const float *sums, int way, int field, int32_t stride) {
    return sums + (way * RN_PACKET_FIELDS + field) * stride + RN_PAD;
}

/* Values of RN_LANES cells from `slot` on, and of the cells around each. */
RN_INLINE void load_around(const float *values, int32_t slot, int32_t stride, rn_wide around[RN_AROUND]) {
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) around[k] = rn_load(values + slot + (k / 3 - 1) * stride + k % 3 - 1);
}

/* Whether all nine cells have liquid, in every lane. */
RN_INLINE bool all_wet(const rn_wide h[RN_AROUND]) {
    rn_wide least = h[0];
    RN_UNROLL
    for (int k = 1; k < RN_AROUND; k++) least = rn_lesser(least, h[k]);
    return rn_least(least) > 0.0f;
}

/* The x where the vector after the one at `x` begins, in a row from `begin` to `end` - 1. The last vector of a row
   overlaps the one before instead of passing `end`, beyond which values may be undefined, unless the row is shorter
   than a vector. Cells that are computed twice get the same bits. */
RN_INLINE int next_cells(int x, int begin, int end) {
    const int next = x + RN_LANES, last = end - RN_LANES;
    return next >= end || next <= last || last < begin ? next : last;
}

/* Sets the sums of cells with far packets (`far`) to 0: solver/packets_far.c sends these. */
RN_INLINE void clear_far(rn_mask far, rn_packet_sums *sums) {
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) {
        sums->m[k] = rn_keep(~far, sums->m[k]);
        sums->mu[k] = rn_keep(~far, sums->mu[k]);
        sums->mv[k] = rn_keep(~far, sums->mv[k]);
    }
}

/* Writes the sums of RN_LANES cells from `x` on to the rows of the nine directions. */
RN_INLINE void store_sums(const rn_packet_sums *from, int x, int32_t stride, float *sums) {
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) {
        rn_store(sum_row(sums, k, 0, stride) + x, from->m[k]);
        rn_store(sum_row(sums, k, 1, stride) + x, from->mu[k]);
        rn_store(sum_row(sums, k, 2, stride) + x, from->mv[k]);
    }
}

/* Sends the packets of a row and of one cell beyond either end: writes their sums, rounded to quanta. Cells with
   packets that travel far send nothing here. `own`: sets p->far of the row's cells to whether they are such cells; not
   with `near`, because then there are none. */
RN_INLINE void send_row(const rn_packet_pass *p, int32_t row, bool own, float *sums, const int count, const bool paper,
                        const bool near) {
    for (int x = -1; x <= p->nx; x = next_cells(x, -1, p->nx + 1)) {
        const int32_t slot = row + x;
        rn_packet_sums to;
        rn_packet_cells c;
        load_around(p->h, slot, p->stride, c.h);
        rn_mask far = c.h[0] != c.h[0];
        if (!(rn_greatest(c.h[RN_STAYS]) > 0.0f)) {
            RN_UNROLL
            for (int k = 0; k < RN_AROUND; k++) to.m[k] = to.mu[k] = to.mv[k] = rn_splat(0.0f);
        } else {
            load_around(p->u, slot, p->stride, c.u);
            load_around(p->v, slot, p->stride, c.v);
            if (rn_all(rn_load_bytes(p->plain + slot) != 0) && all_wet(c.h))
                far = rn_packet_send(p->params, &c, count, (rn_packet_kind){paper, true, near}, &to);
            else {
                load_around(p->z, slot, p->stride, c.z);
                far = rn_packet_send(p->params, &c, count, (rn_packet_kind){paper, false, near}, &to);
            }
            rn_packet_round(p->params, c.h[RN_STAYS], &to);
            if (!near && rn_any(far)) clear_far(far, &to);
        }
        store_sums(&to, x, p->stride, sums);
        for (int lane = 0; !near && own && lane < RN_LANES && x + lane < p->nx; lane++)
            if (x + lane >= 0) p->far[slot + lane] = far[lane] != 0;
    }
}

#define SEND(name, count, paper, near)                                                                                 \
    static void name(const rn_packet_pass *p, int32_t row, bool own, float *sums) {                                    \
        send_row(p, row, own, sums, count, paper, near);                                                               \
    }
SEND(send_2, 2, false, false)
SEND(send_3, 3, false, false)
SEND(send_4, 4, false, false)
SEND(near_2, 2, false, true)
SEND(near_3, 3, false, true)
SEND(near_4, 4, false, true)
SEND(paper_2, 2, true, false)
SEND(paper_3, 3, true, false)
SEND(paper_4, 4, true, false)
#undef SEND

/* Sends the packets of a row: send_row, with the loops for this model, number of packets and length of travel. */
static void send_packets(const rn_packet_pass *p, int32_t row, bool own, float *sums) {
    static void (*const ways[3][3])(const rn_packet_pass *, int32_t, bool, float *) = {
        {send_2, send_3, send_4}, {near_2, near_3, near_4}, {paper_2, paper_3, paper_4}};
    ways[p->params->paper ? 2 : p->near][p->count - 2](p, row, own, sums);
}

/* ---- Gathering --------------------------------------------------------------------------------------------------- */

/* The arrivals of one field (0 depth, 1 and 2 momentum) in RN_LANES cells from x on, added pair by pair, from the sums
   of the rows before, here and after. */
RN_INLINE rn_wide sum_arrivals(const float *before, const float *here, const float *after, int field, int x,
                               int32_t stride) {
#define FROM(rows, way, dx) rn_load(sum_row_of(rows, way, field, stride) + x - (dx))
    const rn_wide along_x = FROM(here, RN_TO_E, 1) + FROM(here, RN_TO_W, -1);
    const rn_wide along_y = FROM(before, RN_TO_N, 0) + FROM(after, RN_TO_S, 0);
    const rn_wide from_south = FROM(before, RN_TO_NE, 1) + FROM(before, RN_TO_NW, -1);
    const rn_wide from_north = FROM(after, RN_TO_SE, 1) + FROM(after, RN_TO_SW, -1);
    return (FROM(here, RN_STAYS, 0) + (along_x + along_y)) + (from_south + from_north);
#undef FROM
}

/* Stores the first `lanes` lanes of a vector, at most all. */
RN_INLINE void store_some(float *to, rn_wide value, int lanes) {
    if (lanes >= RN_LANES) {
        rn_store(to, value);
        return;
    }
    float some[RN_LANES];
    rn_store(some, value);
    memcpy(to, some, (size_t)lanes * sizeof *to);
}

/* Writes depths and velocities of a row and its margin to h1, u1 and v1, from the sums of the rows before, here and
   after. */
static void gather_arrivals(const rn_packet_pass *p, int32_t row, const float *before, const float *here,
                            const float *after) {
    const int end = p->nx + p->margin;
    for (int x = -p->margin; x < end; x += RN_LANES) {
        const rn_wide h = sum_arrivals(before, here, after, 0, x, p->stride);
        const rn_wide mu = sum_arrivals(before, here, after, 1, x, p->stride);
        const rn_wide mv = sum_arrivals(before, here, after, 2, x, p->stride);
        store_some(p->h1 + row + x, h, end - x);
        store_some(p->u1 + row + x, rn_packet_speed(p->params, h, mu), end - x);
        store_some(p->v1 + row + x, rn_packet_speed(p->params, h, mv), end - x);
    }
}

/* Writes the liquid (m, towards +x and +y) that passed the sides of a row at +x and +y, from the sums of this row and
   the next, for gauges. Liquid to a diagonal cell goes along x first. */
static void count_row(const rn_packet_pass *p, int32_t row, const float *here, const float *after) {
#define FROM(rows, way, x) sum_row_of(rows, way, 0, p->stride)[x]
    for (int x = -1; x < p->nx; x++) {
        const float east = FROM(here, RN_TO_E, x) + FROM(here, RN_TO_NE, x) + FROM(here, RN_TO_SE, x);
        const float west = FROM(here, RN_TO_W, x + 1) + FROM(here, RN_TO_NW, x + 1) + FROM(here, RN_TO_SW, x + 1);
        p->transfer_x[row + x] = east - west;
        if (x < 0) continue;
        const float north = FROM(here, RN_TO_N, x) + FROM(here, RN_TO_NE, x - 1) + FROM(here, RN_TO_NW, x + 1);
        const float south = FROM(after, RN_TO_S, x) + FROM(after, RN_TO_SE, x - 1) + FROM(after, RN_TO_SW, x + 1);
        p->transfer_y[row + x] = north - south;
    }
#undef FROM
}

/* ---- Pressure and drag ------------------------------------------------------------------------------------------- */

/* The values of a field from `slot` on, or `all` in every lane if the field is NULL. */
RN_INLINE rn_wide load_or_splat(const float *values, int32_t slot, float all) {
    return values ? rn_load(values + slot) : rn_splat(all);
}

/* Sets *u, *v to the velocities (m/s) of cells from slot `c` on after pressure, sideways gravity and drag. Reads the
   state in the middle of the substep; nothing is stored. */
RN_INLINE void kick_cells(const rn_packet_pass *p, int32_t c, rn_wide *u, rn_wide *v) {
    const rn_packet_params *params = p->params;
    const rn_wide h = rn_load(p->h1 + c);
    *u = rn_load(p->u1 + c), *v = rn_load(p->v1 + c);
    rn_wide fall_x, fall_y;
    const int32_t n = p->stride;
    const rn_wide e = rn_load(p->h1 + c + 1), w = rn_load(p->h1 + c - 1), no = rn_load(p->h1 + c + n),
                  so = rn_load(p->h1 + c - n);
    const rn_wide least = rn_lesser(rn_lesser(rn_lesser(e, w), rn_lesser(no, so)), h);
    if (rn_all(rn_load_bytes(p->plain + c) != 0) && rn_least(least) > 0.0f) {
        fall_x = (e - h) - (w - h), fall_y = (no - h) - (so - h);
    } else {
        const rn_wide z = rn_load(p->z + c);
        fall_x = rn_packet_head(params, z, h, rn_load(p->z + c + 1), e) -
                 rn_packet_head(params, z, h, rn_load(p->z + c - 1), w);
        fall_y = rn_packet_head(params, z, h, rn_load(p->z + c + n), no) -
                 rn_packet_head(params, z, h, rn_load(p->z + c - n), so);
    }
    *u = rn_packet_kick(params, *u, fall_x, params->tilt_x);
    *v = rn_packet_kick(params, *v, fall_y, params->tilt_y);
    rn_wide rate = load_or_splat(p->columns->kappa, c, p->kappa);
    if (params->turbulent) {
        const rn_wide speed = rn_root(*u * *u + *v * *v);
        rate = rn_drag_rate(rate, load_or_splat(p->columns->manning, c, p->manning),
                            load_or_splat(p->columns->chezy, c, p->chezy), speed, h);
    }
    const rn_wide kept = rn_packet_kept(params, h, rate);
    *u = *u * kept + 0.0f;
    *v = *v * kept + 0.0f;
}

/* Kicks the row whose first cell has the index `row`: writes its new speeds to u and v, copies h1 to h, and raises the
   extremes to those of its cells where these are larger. */
static void kick_row(const rn_packet_pass *p, int32_t row, rn_packet_peaks *extremes) {
    rn_wide deepest = rn_splat(0.0f), fastest = deepest, highest = deepest;
    for (int x = 0; x < p->nx; x = next_cells(x, 0, p->nx)) {
        rn_wide u, v, h = rn_load(p->h1 + row + x);
        kick_cells(p, row + x, &u, &v);
        const int lanes = p->nx - x;
        if (lanes < RN_LANES) { /* past the end of the row */
            const rn_mask inside = rn_lane_numbers() < lanes;
            h = rn_keep(inside, h), u = rn_keep(inside, u), v = rn_keep(inside, v);
        }
        deepest = rn_greater(deepest, h);
        highest = rn_greater(highest, rn_keep(h > 0.0f, rn_load(p->z + row + x) + h));
        fastest = rn_greater(fastest, rn_greater(rn_size(u), rn_size(v)));
        store_some(p->h + row + x, h, lanes);
        store_some(p->u + row + x, u, lanes);
        store_some(p->v + row + x, v, lanes);
    }
    extremes->deepest = fmaxf(extremes->deepest, rn_greatest(deepest));
    extremes->fastest = fmaxf(extremes->fastest, rn_greatest(fastest));
    extremes->highest = fmaxf(extremes->highest, rn_greatest(highest));
}

const rn_packet_sweeps RN_ISA(rn_packet_sweeps) = {send_packets, gather_arrivals, count_row, kick_row};
