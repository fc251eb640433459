/* Every function of src/kernels, called with rows of inputs: C, C++ and CUDA compile this file, and
   tests/test_kernels.c compares what they computed. tests/test_kernels.sh sees to it that no function is left out. */
#include "kernel_values.h"

#include "kernels/contact.h"
#include "kernels/drag.h"
#include "kernels/duct.h"
#include "kernels/face.h"
#include "kernels/gates.h"
#include "kernels/meniscus.h"
#include "kernels/packet.h"
#include "kernels/partial.h"
#include "kernels/pipe.h"
#include "kernels/streak.h"

/* What a row has: in[k] are its inputs. */
#define A     in[0]
#define B     in[1]
#define H     in[6]
#define DH    in[7]
#define E     in[8]
#define D     in[9]
#define M     in[10]
#define F     in[11]
#define GT    in[12]
#define KAPPA in[13]
#define LEAN  in[14]
#define SHARE in[15]
#define LEVEL in[16]

RN_INLINE rn_wide split(const rn_step_params *params, const rn_wide in[], bool gain) {
    rn_wide kept, gained;
    rn_duct_split(params, H, E, D, &kept, &gained);
    return gain ? gained : kept;
}

RN_INLINE rn_wide paper(const rn_step_params *params, const rn_wide in[], bool gain) {
    rn_wide kept, gained;
    rn_duct_paper(params, H, &kept, &gained);
    return gain ? gained : kept;
}

RN_INLINE rn_flow quantised(const rn_step_params *params, const rn_wide in[]) {
    rn_flow flow;
    flow.f = F;
    flow.speed = rn_splat(0.0f);
    rn_pipe_quantise(params, H > 0.0f, DH, LEAN, &flow);
    return flow;
}

/* ---- Faces ----------------------------------------------------------------------------------------------------- */

RN_INLINE rn_face_kind every_kind(const rn_step_params *params) {
    rn_face_kind kind;
    kind.sloped = kind.restricted = kind.falls = kind.tilted = true;
    kind.calm = false;
    kind.contact = params->contact;
    return kind;
}

RN_INLINE rn_differences steps_of(const rn_wide in[], int first) {
    rn_differences steps;
    steps.bed_back = in[first], steps.bed_ahead = in[first + 1];
    steps.level_back = in[first + 2], steps.level_ahead = in[first + 3];
    steps.back = in[first] > -1.0f, steps.ahead = in[first + 1] < 1.0f;
    return steps;
}

RN_INLINE rn_wide slope_part(const rn_step_params *params, const rn_wide in[], int which) {
    const rn_differences x = steps_of(in, 7);
    if (which == 3) {
        const rn_face_kind tilted = {false, false, false, true, false, false};
        const rn_differences d = rn_column_differences(in[0], in[1], in[3], in[4], in[7], in[8], 0.01f, tilted);
        return (d.bed_back + d.bed_ahead) + (d.level_back - d.level_ahead);
    }
    return which == 0 ? rn_bed_slope(&x) : which == 1 ? rn_level_slope(&x) : rn_bed_bend(params, &x);
}

RN_INLINE rn_slopes slopes_of(const rn_step_params *params, const rn_wide in[]) {
    const rn_differences x = steps_of(in, 7), y = steps_of(in, 11);
    if (RN_LANES == 1) return rn_column_slopes(params, rn_positive(in[1]), &x, &y);
    const rn_slope_parts parts = rn_column_parts(params, &x, &y); /* the same in two steps */
    return rn_slopes_at(params, rn_positive(in[1]), &parts);
}

RN_INLINE rn_face face_of(const rn_wide in[]) {
    rn_face f;
    f.zl = in[0], f.hl = rn_positive(in[1]), f.zr = in[3], f.hr = rn_positive(in[4]);
    f.u = F, f.behind = GT, f.ahead = LEAN;
    f.h_behind = rn_positive(in[5]), f.h_ahead = rn_positive(H);
    f.el = rn_splat(1.0f) + rn_size(E), f.er = rn_splat(1.0f) + rn_size(D);
    f.bed_l = in[18], f.bed_r = in[19], f.part_l = in[20], f.part_r = in[21];
    f.kappa = rn_size(KAPPA), f.manning = rn_splat(0.01f), f.chezy = rn_splat(0.004f);
    f.gap = rn_size(in[22]), f.room_l = in[23], f.room_r = in[22];
    f.open = DH > -0.5f, f.fall = E > 0.0f, f.duct = D > 0.9f;
    f.contact = in[19], f.hold = rn_size(in[20]);
    f.advancing = rn_size(E), f.receding = 0.5f * f.advancing, f.brink_sine = rn_size(D);
    return f;
}

RN_INLINE rn_wide drag_height(const rn_step_params *params, const rn_wide in[]) {
    const rn_face f = face_of(in);
    return rn_drag_height(params, &f, rn_positive(H));
}

RN_INLINE rn_force force_of(const rn_step_params *params, const rn_wide in[]) {
    const rn_face f = face_of(in);
    return rn_face_force(params, &f, rn_splat(0.001f), every_kind(params));
}

RN_INLINE rn_wide fall_head(const rn_step_params *params, const rn_wide in[], bool speed) {
    const rn_face f = face_of(in);
    rn_wide step = DH, most = rn_splat(1.0f);
    rn_fall_head(params, &f, rn_greater(f.zl, f.zr), rn_splat(0.0f), &step, &most);
    return speed ? most : step;
}

RN_INLINE rn_wide brink_holds(const rn_step_params *params, const rn_wide in[]) {
    const rn_face f = face_of(in);
    return rn_select(rn_brink_holds(params, &f, every_kind(params)), rn_splat(1.0f), rn_splat(0.0f));
}

RN_INLINE rn_transport transport_of(const rn_step_params *params, const rn_wide in[]) {
    rn_transport t;
    t.west = in[18], t.east = in[19], t.south = in[20], t.north = in[21];
    t.u_west = rn_carried(in[7], in[8], in[9], in[10], t.west, rn_splat(0.25f));
    t.u_east = rn_carried(in[8], in[9], in[10], in[11], t.east, rn_splat(0.5f));
    t.u_south = rn_carried_across(params, in[7], in[8], in[9], in[10], t.south, rn_splat(0.1f), in[1], in[4]);
    t.u_north = rn_carried_across(params, in[8], in[9], in[10], in[11], t.north, rn_splat(0.2f), in[4], in[1]);
    return t;
}

RN_INLINE rn_wide transported(const rn_step_params *params, const rn_wide in[], int which) {
    const rn_transport t = transport_of(params, in);
    const rn_momentum_flux sum = rn_transported(&t, F);
    return which == 0 ? sum.gain : which == 1 ? sum.came : sum.gone;
}

RN_INLINE rn_wide next_speed(const rn_step_params *params, const rn_wide in[]) {
    const rn_face f = face_of(in);
    const rn_force force = force_of(params, in);
    const rn_transport t = transport_of(params, in);
    const rn_wide mean = 0.5f * (f.hl + f.hr);
    rn_momentum_flux sum;
    sum.gain = transported(params, in, 0), sum.came = transported(params, in, 1), sum.gone = transported(params, in, 2);
    return rn_face_speed(params, &sum, &force, rn_face_mass(params, &f, &t, mean, f.hl, f.hr, every_kind(params)), mean,
                         every_kind(params));
}

RN_INLINE rn_wide crossed(const rn_step_params *params, const rn_wide in[], int which) {
    rn_crossing f;
    rn_wide speed, transfer;
    f.zl = in[0], f.hl = rn_positive(in[1]), f.zr = in[3], f.hr = rn_positive(in[4]), f.u = F;
    f.rise_l = in[9], f.rise_r = in[10];
    f.step_behind = in[7], f.step_ahead = in[8], f.fall_l = in[18], f.fall_r = in[19];
    f.plain_behind = E > 0.0f, f.plain_ahead = D > 0.0f, f.gap = rn_size(in[22]);
    f.open = DH > -0.5f, f.fall = GT > 0.0f;
    const rn_wide step = (f.zr + f.hr) - (f.zl + f.hl), depth = rn_crossing_depth(params, &f, step, every_kind(params));
    rn_crossing_transfer(params, &f, depth, step, every_kind(params), &speed, &transfer);
    return which == 0 ? depth : which == 1 ? speed : transfer;
}

/* ---- Contact --------------------------------------------------------------------------------------------------- */

RN_INLINE rn_wide capillary(const rn_step_params *params, const rn_wide in[]) {
    rn_corner slopes[4], pulls[4];
    for (int k = 0; k < 4; k++) {
        slopes[k].below = in[k], slopes[k].above = in[k + 4], slopes[k].left = in[k + 7], slopes[k].right = in[k + 11];
        pulls[k] = rn_corner_pull(&slopes[k]);
    }
    return rn_capillary_head(params, &pulls[0], &pulls[1], &pulls[2], &pulls[3]);
}

/* ---- Packets --------------------------------------------------------------------------------------------------- */

RN_INLINE rn_packet_params packet_law_of(const rn_step_params *params, bool paper) {
    rn_packet_params p;
    p.lambda = params->lambda, p.push = 0.5f * params->gravity_kick, p.dt = params->dt, p.nu3 = params->nu3,
    p.cell = params->cell;
    p.spill = paper ? 0.0f : 0.0119f, p.lead = paper ? 0.0125f : 0.0f, p.scale = paper ? 2.0f / 1.05f : 2.0f;
    p.share = 0.25f, p.reach = paper ? 0.9875f : 1.0f, p.slip = paper ? 0.0f : -1.0f, p.glide = paper ? 0.0f : 1.0f;
    p.quantum = params->quantum, p.per_quantum = params->per_quantum, p.dither = params->dither,
    p.dry = 16.0f * params->quantum;
    p.still = 1e-12f, p.tilt_x = 0.001f, p.tilt_y = 0.0f, p.most = 1e3f;
    p.midpoint = params->implicit, p.paper = paper, p.turbulent = true;
    return p;
}

/* Within what a step could ask: numbers from -1 to 1. */
RN_INLINE rn_wide tame(rn_wide value) { return rn_lesser(rn_greater(value, rn_splat(-1.0f)), rn_splat(1.0f)); }

RN_INLINE rn_packet_cells packet_cells_of(const rn_wide in[], bool plain) {
    rn_packet_cells c;
    for (int k = 0; k < RN_AROUND; k++) {
        c.z[k] = plain ? rn_splat(0.5f) : rn_size(tame(in[(k + 2) % KERNEL_INPUTS]));
        c.h[k] = rn_size(tame(in[(3 * k + 1) % KERNEL_INPUTS]));
        if (plain) c.h[k] = c.h[k] + 0.001f;
        c.u[k] = 5.0f * tame(in[(5 * k + 7) % KERNEL_INPUTS]), c.v[k] = 5.0f * tame(in[(7 * k + 8) % KERNEL_INPUTS]);
    }
    return c;
}

/* All that a cell sends, folded into one number. */
RN_INLINE rn_wide packets_sent(const rn_step_params *params, const rn_wide in[], bool paper, bool plain, bool near) {
    const rn_packet_params p = packet_law_of(params, paper);
    rn_packet_cells c = packet_cells_of(in, plain);
    rn_packet_kind kind;
    rn_packet_sums to;
    kind.paper = paper, kind.plain = plain, kind.near = near;
    const rn_mask far = rn_packet_send(&p, &c, near ? 2 : 3, kind, &to);
    rn_packet_round(&p, c.h[RN_STAYS], &to);
    rn_wide sum = rn_keep(far, rn_splat(1.0f));
    for (int k = 0; k < RN_AROUND; k++)
        sum = 1.25f * sum + (to.m[k] + (rn_packet_speed(&p, to.m[k], to.mu[k]) + to.mv[k]));
    return sum;
}

/* The parts of that, one by one. */
RN_INLINE rn_wide packet_part(const rn_step_params *params, const rn_wide in[], int which) {
    const rn_packet_params p = packet_law_of(params, false);
    rn_packet_cells c = packet_cells_of(in, false);
    rn_packet_sums to;
    rn_wide pass[RN_AROUND], dx, dy, a[3], b[3];
    for (int k = 0; k < RN_AROUND; k++) to.m[k] = to.mu[k] = to.mv[k] = rn_splat(0.25f);
    rn_packet_walls(&p, &c, pass);
    const rn_packet_slopes s = rn_packet_lean(&c, false);
    rn_packet_trace(&p, &c, 0.25f, -0.25f, &dx, &dy);
    rn_packet_overlap(&p, 0, 2, dx, dy, false, a);
    rn_packet_overlap(&p, 1, 2, dy, dx, false, b);
    if (which == 0) return rn_packet_slope(s.hx, s.uy) + rn_packet_rise(&c, RN_TO_E, false);
    if (which == 1) return rn_packet_fixed(c.u, 0.25f, -0.5f) + rn_packet_between(c.v, tame(in[9]), tame(in[10]));
    if (which == 2) return rn_packet_edge(&p, &c, c.u, 0.5f, 0.25f) + dx * dy;
    if (which == 3) rn_packet_add(&to, c.h[0], c.u[0], c.v[0], c.h[1], a, b, rn_packet_skips(0, 2, true), 0);
    if (which == 4) rn_packet_bounce(&p, pass, &to);
    if (which == 5) rn_packet_spill(&p, &c, RN_TO_W, s.hx, s.ux, s.vx, false, &to);
    if (which == 6) return rn_packet_rigid(&p, &c, 2, &to) + to.mu[RN_TO_E];
    if (which == 7) return rn_packet_stretched(&p, &c, &s, 3, false, &to) + to.mv[RN_TO_NE];
    if (which == 8) return rn_packet_head(&p, c.z[0], c.h[0], c.z[1], c.h[1]);
    if (which == 9) return rn_packet_kick(&p, c.u[0], c.v[0], 0.001f) * rn_packet_kept(&p, c.h[0], rn_size(c.u[1]));
    if (which == 10) return rn_packet_above(c.z[0], c.h[0], c.z[1]);
    if (which == 11) return rn_keep(rn_packet_meets(c.z[0], c.h[0], c.z[1], c.h[1]), c.z[0]);
    return (to.m[RN_STAYS] + to.mu[RN_STAYS]) + (to.mv[RN_TO_W] + to.m[RN_TO_SW]);
}

#define WIDE_VALUES(VALUE)                                                                                             \
    VALUE(rn_clamped(A, rn_splat(-0.5f), rn_splat(0.5f)))                                                              \
    VALUE(slope_part(params, in, 0))                                                                                   \
    VALUE(slope_part(params, in, 1))                                                                                   \
    VALUE(slope_part(params, in, 2))                                                                                   \
    VALUE(slope_part(params, in, 3))                                                                                   \
    VALUE(drag_height(params, in))                                                                                     \
    VALUE(slopes_of(params, in).e)                                                                                     \
    VALUE(slopes_of(params, in).bed_x)                                                                                 \
    VALUE(slopes_of(params, in).part_y)                                                                                \
    VALUE(rn_wedge(rn_size(DH), rn_splat(1.0f) + rn_size(E)))                                                          \
    VALUE(fall_head(params, in, false))                                                                                \
    VALUE(fall_head(params, in, true))                                                                                 \
    VALUE(brink_holds(params, in))                                                                                     \
    VALUE(force_of(params, in).half)                                                                                   \
    VALUE(force_of(params, in).pushed)                                                                                 \
    VALUE(force_of(params, in).kept)                                                                                   \
    VALUE(force_of(params, in).lo)                                                                                     \
    VALUE(rn_keep(rn_splat(params->implicit ? 1.0f : 0.0f) > 0.0f, force_of(params, in).gain))                         \
    VALUE(transported(params, in, 0))                                                                                  \
    VALUE(transported(params, in, 2))                                                                                  \
    VALUE(next_speed(params, in))                                                                                      \
    VALUE(crossed(params, in, 0))                                                                                      \
    VALUE(crossed(params, in, 1))                                                                                      \
    VALUE(crossed(params, in, 2))                                                                                      \
    VALUE(rn_brink_depth(DH, rn_size(F)))                                                                              \
    VALUE(rn_carried_depth(F, A, B))                                                                                   \
    VALUE(rn_half_fall(params, rn_size(H), DH, F))                                                                     \
    VALUE(rn_column_signal(params, rn_positive(B), rn_splat(1.0f) + rn_size(E), DH, rn_size(F), rn_size(GT)))          \
    VALUE(capillary(params, in))                                                                                       \
    VALUE(rn_filter_height(params, rn_size(A), rn_size(B)))                                                            \
    VALUE(rn_wetting_head(params, rn_size(A)))                                                                         \
    VALUE(rn_keep(rn_is_past_foot(params, rn_size(A), rn_splat(1.0f) + rn_size(E)), rn_splat(1.0f)))                   \
    VALUE(rn_wet_ground(params, rn_size(SHARE), B, rn_size(A)))                                                        \
    VALUE(rn_face_hold(rn_size(A), rn_size(B)))                                                                        \
    VALUE(rn_yielded(F, rn_size(GT)))                                                                                  \
    VALUE(rn_minmod(DH, F))                                                                                            \
    VALUE(rn_bed_half_slope_between(DH, F))                                                                            \
    VALUE(rn_bed_half_slope(DH, F, H > 0.0f, LEAN > 0.0f))                                                             \
    VALUE(rn_pipe_room(&ends))                                                                                         \
    VALUE(rn_pipe_height_below(&ends, H))                                                                              \
    VALUE(rn_pipe_height(&ends))                                                                                       \
    VALUE(split(params, in, false))                                                                                    \
    VALUE(split(params, in, true))                                                                                     \
    VALUE(quantised(params, in).t)                                                                                     \
    VALUE(quantised(params, in).f)                                                                                     \
    VALUE(rn_pipe_paper(params, &ends, DH, F).f)                                                                       \
    VALUE(rn_pipe_paper(params, &ends, DH, F).t)                                                                       \
    VALUE(rn_pipe_paper(params, &ends, DH, F).speed)                                                                   \
    VALUE(rn_share_in(params, in[18], H))                                                                              \
    VALUE(rn_share_out(in[18], H))                                                                                     \
    VALUE(rn_limit_transfer(params, F, SHARE))                                                                         \
    VALUE(rn_limit_flux(F, SHARE))                                                                                     \
    VALUE(rn_duct_drag(params, KAPPA, H, E))                                                                           \
    VALUE(rn_duct_slope(params, &ends))                                                                                \
    VALUE(rn_duct_height(&ends))                                                                                       \
    VALUE(rn_duct_portal(params, &ends, LEVEL, F).level)                                                               \
    VALUE(rn_duct_portal(params, &ends, LEVEL, F).loss)                                                                \
    VALUE(paper(params, in, false))                                                                                    \
    VALUE(paper(params, in, true))                                                                                     \
    VALUE(rn_inverse_cube_root(rn_size(H)))                                                                            \
    VALUE(rn_drag_rate(KAPPA, in[16], in[17], rn_size(F), H))                                                          \
    VALUE(packets_sent(params, in, false, false, false))                                                               \
    VALUE(packets_sent(params, in, false, true, true))                                                                 \
    VALUE(packets_sent(params, in, true, false, false))                                                                \
    VALUE(packet_part(params, in, 0))                                                                                  \
    VALUE(packet_part(params, in, 1))                                                                                  \
    VALUE(packet_part(params, in, 2))                                                                                  \
    VALUE(packet_part(params, in, 3))                                                                                  \
    VALUE(packet_part(params, in, 4))                                                                                  \
    VALUE(packet_part(params, in, 5))                                                                                  \
    VALUE(packet_part(params, in, 6))                                                                                  \
    VALUE(packet_part(params, in, 7))                                                                                  \
    VALUE(packet_part(params, in, 8))                                                                                  \
    VALUE(packet_part(params, in, 9))                                                                                  \
    VALUE(packet_part(params, in, 10))                                                                                 \
    VALUE(packet_part(params, in, 11))

/* The cases of Gates 2001 in turn: a free face of each. */
RN_SCALAR float gates_face(int row, const float in[], int which) {
    float face[6];
    uint8_t empty[6];
    const float spacing[3] = {1.0f, 0.5f, 3.0f}, gain[3] = {in[6], in[7], in[8]};
    for (int i = 0; i < 6; i++) {
        face[i] = in[i];
        empty[i] = (uint8_t)(row >> i & 1);
    }
    rn_gates(face, empty, spacing, gain);
    return face[which];
}

/* A flux that a double could not count in 64 bits never comes to rn_duct_quanta: RN_MOST bounds it, unless it is lost.
 */
#define SCALAR_VALUES(VALUE)                                                                                           \
    VALUE(rn_most_at_once(params))                                                                                     \
    VALUE(rn_white_dither((uint64_t)row * 77777))                                                                      \
    VALUE(rn_dither((uint64_t)row * 77777))                                                                            \
    VALUE((float)rn_duct_quanta(params, F == F ? F : 0.0f, LEAN > 0.0f))                                               \
    VALUE(rn_partial_height(&part, A, B))                                                                              \
    VALUE(rn_partial_slope(&part, A, B))                                                                               \
    VALUE(rn_partial_depth(&part, A, LEVEL))                                                                           \
    VALUE(rn_partial_open(A, B, part.low, part.high, SHARE))                                                           \
    VALUE(rn_angle_of(DH, F))                                                                                          \
    VALUE(rn_sine_of(DH))                                                                                              \
    VALUE(rn_cosine_of(DH))                                                                                            \
    VALUE(rn_facing(normal, view))                                                                                     \
    VALUE(rn_drop_streak(H, SHARE))                                                                                    \
    VALUE(rn_meniscus_tilt(normal, GT, F, DH).x)                                                                       \
    VALUE(rn_meniscus_tilt(normal, GT, F, DH).y)                                                                       \
    VALUE(rn_meniscus_tilt(normal, GT, F, DH).z)                                                                       \
    VALUE(rn_meniscus_cap(normal, GT, F, DH, view))                                                                    \
    VALUE(rn_meniscus_shade(normal, GT, F, DH, SHARE, view).x)                                                         \
    VALUE(rn_meniscus_shade(normal, GT, F, DH, SHARE, view).z)                                                         \
    VALUE(gates_face(row, in, 0))                                                                                      \
    VALUE(gates_face(row, in, 5))

RN_SCALAR rn_step_params law_of(const kernel_case *how) {
    rn_step_params params;
    params.cell = how->cell;
    params.dt = how->dt;
    params.gravity = 9.81f;
    params.kappa = 0.3f;
    params.manning = 0.01f;
    params.chezy = 0.004f;
    params.nu3 = how->nu3;
    params.quantum = 0x1p-24f;
    params.per_quantum = 0x1p24f;
    params.dither = 0.375f;
    params.tilt[0] = params.tilt[1] = 0.0f;
    params.thin_depth = 1e-4f;
    params.fastest = how->fastest;
    params.implicit = how->implicit;
    params.jet_share = how->implicit ? 1.0f : 0.5f;
    params.paper = false;
    params.friction_factor = 0.999f;
    params.momentum = params.turbulent = true;
    params.last_dt = params.kick_dt = how->dt;
    params.kick_ratio = 1.0f;
    params.half_last_per_cell = 0.5f * how->dt / how->cell;
    params.lambda = how->dt / how->cell;
    params.gravity_kick = 9.81f * how->dt / how->cell;
    params.most_speed = RN_CAP * how->cell / how->dt;
    params.per_cell = 1.0f / how->cell;
    params.half_per_g = 0.5f / 9.81f;
    params.viscous = 1e-3f;
    params.wave_factor = 19.62f;
    params.contact = how->contact;
    params.tension = 7.3e-6f, params.per_foot = 1700.0f, params.per_deepest = 300.0f;
    params.advancing = 0.5f, params.receding = 0.2f, params.drying = 0.01f;
    params.awake = 1e-5f, params.clings = 3e-5f;
    params.capillary = 2.7e-3f, params.brink_sine = 0.866f;
    return params;
}

/* The rows that one vector holds. */
RN_SCALAR void wide_row(const rn_step_params *params, const float *inputs, int row, float *out) {
    rn_wide in[KERNEL_INPUTS];
    for (int k = 0; k < KERNEL_INPUTS; k++) in[k] = rn_load(inputs + k * KERNEL_ROWS + row);
    rn_ends ends;
    ends.bi = in[0];
    ends.di = in[1];
    ends.ci = in[2];
    ends.bj = in[3];
    ends.dj = in[4];
    ends.cj = in[5];
#define VALUE(call)                                                                                                    \
    rn_store(out + row, call);                                                                                         \
    out += KERNEL_ROWS;
    WIDE_VALUES(VALUE)
#undef VALUE
}

RN_SCALAR void scalar_row(const rn_step_params *params, const float *inputs, int row, float *out) {
    float in[KERNEL_INPUTS];
    for (int k = 0; k < KERNEL_INPUTS; k++) in[k] = inputs[k * KERNEL_ROWS + row];
    rn_partial_solid part;
    part.low = in[22];
    part.high = in[22] + in[23];
    part.depth = in[23] * SHARE;
    const rn_normal normal = rn_normal_of(in[18], in[19], in[20]), view = rn_normal_of(in[7], in[8], in[9]);
#define VALUE(call)                                                                                                    \
    out[row] = call;                                                                                                   \
    out += KERNEL_ROWS;
    SCALAR_VALUES(VALUE)
#undef VALUE
}

#define ONE(call) +1
enum { WIDES = 0 WIDE_VALUES(ONE), SCALARS = 0 SCALAR_VALUES(ONE) };
#undef ONE

#if defined(__CUDACC__)
__global__ void kernel_values_device(kernel_case how, const float *inputs, float *outputs) {
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= KERNEL_ROWS) return;
    const rn_step_params params = law_of(&how);
    wide_row(&params, inputs, row, outputs);
    scalar_row(&params, inputs, row, outputs + WIDES * KERNEL_ROWS);
}
#endif

#if defined(KERNEL_VALUES)
int KERNEL_VALUES(const kernel_case *how, const float *inputs, float *outputs) {
    const rn_step_params params = law_of(how);
    for (int row = 0; row < KERNEL_ROWS; row += RN_LANES) wide_row(&params, inputs, row, outputs);
    for (int row = 0; row < KERNEL_ROWS; row++) scalar_row(&params, inputs, row, outputs + WIDES * KERNEL_ROWS);
    return WIDES + SCALARS;
}
#endif

#if defined(KERNEL_NAMES)
const char *kernel_value_name(int v) {
#define TEXT(call) #call,
    static const char *const names[] = {WIDE_VALUES(TEXT) SCALAR_VALUES(TEXT)};
    return names[v];
}
#endif
