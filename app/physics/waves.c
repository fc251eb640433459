/* Cases of `runnel validate` about inviscid waves: travelling waves (case_wave_speed), a sloshing canal (case_slosh), a
   parabolic canal (case_thacker), flow over a brink (case_overfall), and the bore of a dam break (case_bore). */
#include "physics/physics.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Runs a small wave twice round a periodic canal of depth H (m) with 200 cells of size `cell` (m). Returns the error of
   its speed, from the phase of its first mode, against sqrt(gH) (%). */
static double travelling_error(double H, double cell) {
    enum { N = 200 };
    const double c = sqrt(GRAVITY * H), length = N * cell, a = 1e-3 * H, k = 2.0 * PI / N;
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .lid = 2.0 * H, .periodic_x = true});
    double depth[N];
    const double dt = 0.4 * cell / c;
    rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = 0; i < N; i++) {
        depth[i] = H + a * cos(k * (i + 0.5));
        flux.data[i] = (float)(c * a * cos(k * (i + 1.0) + c * 0.5 * dt * k / cell) * cell); /* half a step behind h */
    }
    set_depths(world, depth);
    double time = 0.0, turned = 0.0, before = 0.0;
    for (int steps = 0; turned < 4.0 * PI && steps < 100000; steps++) {
        rn_world_step(world, dt);
        time += dt;
        double re = 0.0, im = 0.0;
        for (int i = 0; i < N; i++) {
            re += (depth_at(world, i, 0) - H) * cos(k * (i + 0.5));
            im += (depth_at(world, i, 0) - H) * sin(k * (i + 0.5));
        }
        double phase = atan2(im, re), step = phase - before;
        if (step < -PI) step += 2.0 * PI;
        if (step > PI) step -= 2.0 * PI;
        turned += step;
        before = phase;
    }
    rn_world_destroy(world);
    return 100.0 * fabs(turned / (2.0 * PI) * length / time / c - 1.0);
}

/* Small waves on water 0.01, 0.1 and 10 m deep. Theory: speed sqrt(gH). measured[0]: the largest error (%). */
void case_wave_speed(double measured[MOST_MEASURES]) {
    measured[0] = worse(travelling_error(0.01, 5e-4), worse(travelling_error(0.1, 0.02), travelling_error(10.0, 5.0)));
}

/* Runs the first mode of a closed canal for four periods. `amplitude`: its amplitude, as a share of the depth. Sets the
   error of its period against 2L/sqrt(gH) (%; NaN if it does not swing), and the share of its amplitude that is
   left. */
static void run_slosh(double amplitude, double *period_error, double *kept) {
    enum { N = 200, CROSSINGS = 9 };
    const double H = 0.01, length = 0.1, cell = length / N, a = amplitude * H;
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .lid = 2.0 * H});
    double depth[N], crossing[CROSSINGS], time = 0.0, before = 1.0, first = 0.0, last = 0.0;
    for (int i = 0; i < N; i++) depth[i] = H + a * cos(PI * (i + 0.5) / N);
    set_depths(world, depth);
    const double dt = 0.5 * cell / sqrt(GRAVITY * H * 1.5);
    for (int count = 0, steps = 0; count < CROSSINGS; steps++) {
        if (steps > 1000000) crossing[count++] = NAN;
        rn_world_step(world, dt);
        time += dt;
        double mode = 0.0;
        for (int i = 0; i < N; i++) mode += (depth_at(world, i, 0) - H) * cos(PI * (i + 0.5) / N);
        if (count == 0) first = fmax(first, fabs(mode));
        if (count >= CROSSINGS - 2) last = fmax(last, fabs(mode));
        if ((mode > 0.0) != (before > 0.0)) crossing[count++] = time - dt * mode / (mode - before);
        before = mode;
    }
    const double period = (crossing[CROSSINGS - 1] - crossing[0]) / 4.0;
    *period_error = 100.0 * fabs(period / (2.0 * length / sqrt(GRAVITY * H)) - 1.0);
    *kept = last / first;
    rn_world_destroy(world);
}

/* A canal sloshes with amplitudes of 0.1 % and 5 % of the depth. Theory: period 2L/sqrt(gH). measured[0]: the larger
   error of the two periods (%); [1]: the fraction, 0 to 1, of the smaller amplitude that is left after four periods. */
void case_slosh(double measured[MOST_MEASURES]) {
    double steep_error, steep_kept; /* not used: so steep a slosh breaks before its fourth period */
    run_slosh(0.001, &measured[0], &measured[1]);
    run_slosh(0.05, &steep_error, &steep_kept);
    measured[0] = worse(measured[0], steep_error);
}

/* Thacker 1981: water oscillates in a canal with a parabolic bed, and its surface stays straight. Theory: omega =
   sqrt(2 g h0)/a. measured[0]: error of the period (%); [1]: share of the amplitude that is left after three
   periods. */
void case_thacker(double measured[MOST_MEASURES]) {
    enum { N = 200, CROSSINGS = 7 };
    const double length = 1.6, a = 0.5, h0 = 0.05, eta = 0.05 * a, cell = length / N,
                 omega = sqrt(2.0 * GRAVITY * h0) / a;
    double heights[N], depth[N], crossing[CROSSINGS], amplitude[CROSSINGS];
    for (int i = 0; i < N; i++) {
        double x = (i + 0.5) * cell - 0.5 * length;
        heights[i] = h0 * x * x / (a * a);
        depth[i] = fmax(h0 + h0 * eta / (a * a) * (2.0 * x - eta) - heights[i], 0.0);
    }
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .heights = heights, .lid = 0.2});
    set_depths(world, depth);
    const double dt = 0.2 * cell / sqrt(GRAVITY * h0 * 1.6);
    double time = 0.0, before = 1.0, most = 0.0;
    for (int count = 0, steps = 0; count < CROSSINGS; steps++) {
        if (steps > 1000000) crossing[count++] = NAN;
        rn_world_step(world, dt);
        time += dt;
        double moment = 0.0, mass = 0.0;
        for (int i = 0; i < N; i++) {
            moment += depth_at(world, i, 0) * ((i + 0.5) * cell - 0.5 * length);
            mass += depth_at(world, i, 0);
        }
        double centre = moment / mass;
        most = fmax(most, fabs(centre));
        if ((centre > 0.0) != (before > 0.0)) {
            crossing[count] = time - dt * centre / (centre - before);
            amplitude[count++] = most;
            most = 0.0;
        }
        before = centre;
    }
    measured[0] = 100.0 * fabs((crossing[6] - crossing[0]) / 3.0 / (2.0 * PI / omega) - 1.0);
    measured[1] = amplitude[6] / eta;
    rn_world_destroy(world);
}

/* Creates a dry row: a platform of `length` cells at height `drop` (m), a slab with space below (its columns are in
   layer 1) or a solid cliff, next to `ground` cells of lower ground, at most 256 columns in all. `cell` (m). The caller
   destroys the world. */
static rn_world *make_platform(bool slab, double drop, double cell, int length, int ground) {
    enum { MOST = 256 };
    rn_column columns[MOST];
    int32_t counts[MOST];
    int found = 0;
    const double lid = 1.6 * drop + 0.4;
    for (int i = 0; i < length + ground; i++) {
        counts[i] = i < length && slab ? 2 : 1;
        if (i >= length) columns[found++] = (rn_column){-INFINITY, 0.0, lid};
        else if (slab) {
            columns[found++] = (rn_column){-INFINITY, 0.0, 0.8 * drop};
            columns[found++] = (rn_column){0.8 * drop, drop, lid};
        } else columns[found++] = (rn_column){-INFINITY, drop, lid};
    }
    return make_world_on(make_terrain(length + ground, 1, cell, lid, columns, counts), &(setup){.friction = 1.0});
}

/* Ritter: a dam removed at a brink gives a discharge of 8/27 sqrt(g) h0^1.5 per metre of width, while still water
   remains behind. Runs one and returns the absolute error of the discharge (%). slab: the brink is the edge of a slab
   with space below, instead of a solid cliff. drop_cells: height of the brink above the lower ground (cells of 5
   cm). */
static double overfall_error(bool slab, double drop_cells) {
    enum { LENGTH = 60, GROUND = 30 };
    const double cell = 0.05, h0 = 0.1;
    rn_world *world = make_platform(slab, drop_cells * cell, cell, LENGTH, GROUND);
    rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
    float *top = view.data + (slab ? view.layer_stride : 0);
    for (int i = 0; i < LENGTH; i++) top[i] = (float)h0;
    rn_world_commit(world);
    const double until = 0.5 * LENGTH * cell / sqrt(GRAVITY * h0);
    double volume[2];
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 100; i++) rn_world_step(world, until / 200.0);
        volume[half] = 0.0;
        for (int i = 0; i < LENGTH; i++) volume[half] += top[i] * cell;
    }
    rn_world_destroy(world);
    double discharge = (volume[0] - volume[1]) / (0.5 * until);
    return 100.0 * fabs(discharge / (8.0 / 27.0 * sqrt(GRAVITY) * pow(h0, 1.5)) - 1.0);
}

/* Water flows over brinks of slabs and cliffs, 1.5 to 100 cells high. Theory (Ritter): 8/27 sqrt(g) h0^1.5.
   measured[0]: the largest error of the discharge (%). */
void case_overfall(double measured[MOST_MEASURES]) {
    const double drops[] = {1.5, 3.0, 10.0, 100.0};
    measured[0] = 0.0;
    for (int i = 0; i < 4; i++)
        measured[0] = worse(measured[0], worse(overfall_error(true, drops[i]), overfall_error(false, drops[i])));
}

/* Dam breaks onto water of 0.1, 0.3 and 0.5 of the depth; no zigzag from cell to cell may follow the bore. measured[0]:
   the largest rms of the zigzag, in % of the depth behind the dam. */
void case_bore(double measured[MOST_MEASURES]) {
    enum { N = 400 };
    const double cell = 0.01, high = 0.1;
    measured[0] = 0.0;
    for (int k = 0; k < 3; k++) {
        const double low = high * (double[]){0.1, 0.3, 0.5}[k];
        rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .lid = 0.2});
        double depth[N], sum = 0.0;
        for (int i = 0; i < N; i++) depth[i] = i < N / 2 ? high : low;
        set_depths(world, depth);
        for (int i = 0; i < 120; i++) rn_world_step(world, 0.01);
        int count = 0;
        for (int i = 1; i < N - 1; i++) {
            double zigzag =
                0.25 * (depth_at(world, i + 1, 0) - 2.0 * depth_at(world, i, 0) + depth_at(world, i - 1, 0));
            if (fabs(depth_at(world, i, 0) - low) < 0.01 * high || fabs(depth_at(world, i, 0) - high) < 0.01 * high)
                continue;
            sum += zigzag * zigzag;
            count++;
        }
        measured[0] = worse(measured[0], 100.0 * sqrt(sum / (count ? count : 1)) / high);
        rn_world_destroy(world);
    }
}
