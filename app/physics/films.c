/* Cases of `runnel validate` about films, viscous or slowed by friction, on planes of any slope (run_plane() runs one
   on an endless plane), about fronts of films (front_errors()), viscous drops on a table (case_huppert_...), and a
   sliding block (case_slide). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* An endless plane, periodic in both directions, with a film of even depth. */
typedef struct plane {
    double slope, degrees;      /* tangent of the slope; direction downhill, from the x axis */
    double depth, cell;         /* m */
    double viscosity, friction; /* m^2/s; omega, 0: none */
    double disturbance;         /* amplitude, as a share of the depth */
    double seconds;             /* simulated */
} plane;

/* The result of a film on a plane. */
typedef struct plane_result {
    double flux; /* m^2/s downhill, mean over the last third of the run */
    double left; /* share of the disturbance that is left, minus the share of its longest wave left in theory */
} plane_result;

/* Returns the difference between the largest and the smallest depth in layer 0 (m). */
static double depth_spread(rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    float least = INFINITY, most = 0.0f;
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) {
            float depth = d.data[y * d.row_stride + x];
            least = depth < least ? depth : least;
            most = depth > most ? depth : most;
        }
    return (double)most - least;
}

/* Returns the mean flux per width (m²/s) along x or y, as `field` says. `cell`: cell size (m). */
static double mean_flux(rn_world *world, rn_field field, double cell) {
    rn_view f = rn_world_view(world, field);
    double sum = 0.0;
    for (int y = 0; y < f.cells_y; y++)
        for (int x = 0; x < f.cells_x; x++) sum += f.data[y * f.row_stride + x];
    return sum / (f.cells_x * f.cells_y) / cell;
}

/* Returns the growth rate (1/s) of roll waves on a viscous film, or 0 if the film has no viscosity or is slower than
   half the speed of its waves, because they decay then. */
static double roll_growth(const plane *p) {
    if (!(p->viscosity > 0.0)) return 0.0;
    const double e = 1.0 + p->slope * p->slope, drag = 3.0 * p->viscosity * e / (p->depth * p->depth);
    const double speed = GRAVITY * p->slope / e / drag, wave = sqrt(GRAVITY * p->depth) / e;
    return fmax(drag * (speed / wave - 0.5), 0.0);
}

/* Returns the share of a small wave along x, as long as the plane (`length`, m), that is left after the run in theory.
   With w = s + i k u, its rate s solves w^2 + D w + k^2 G h + 2 i k D u = 0: D is the drag, G the effect of depth on a
   slope; the term with 2 is how the drag of a viscous film depends on its depth, and is 0 with friction. */
static double left_by_theory(const plane *p, double length) {
    const double S = p->slope, e = 1.0 + S * S, k = 2.0 * PI / length, along = cos(p->degrees * PI / 180.0);
    const bool viscous = p->viscosity > 0.0;
    const double drag = viscous ? 3.0 * p->viscosity * e / (p->depth * p->depth) : -log(p->friction);
    const double speed = GRAVITY * S / e / drag * along, pull = GRAVITY / e * (1.0 - along * along * S * S / e);
    const double real = 0.25 * drag * drag - k * k * pull * p->depth,
                 imaginary = viscous ? 2.0 * k * drag * speed : 0.0;
    const double rate = -0.5 * drag + sqrt(fmax(0.5 * (hypot(real, imaginary) + real), 0.0));
    return exp(rate * p->seconds);
}

/* Sets the flux per width (m²/s) along x and y through all faces, including those at periodic edges, and commits. A
   world one cell wide has only fluxes along x. `cell`: cell size (m). */
static void set_fluxes(rn_world *world, double x, double y, double cell) {
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int j = fx.cells_y > 1 ? -1 : 0; j < fx.cells_y; j++)
        for (int i = -1; i < fx.cells_x; i++) {
            fx.data[j * fx.row_stride + i] = (float)(x * cell);
            if (fx.cells_y > 1) fy.data[j * fy.row_stride + i] = (float)(y * cell);
        }
    rn_world_commit(world);
}

/* Runs a viscous film so fast that roll waves grow from rounding errors. The world already has the plane and its even
   depth. It starts at the exact flux (m²/s) and is followed only until waves have grown by exp(5), at most p->seconds.
   Returns the flux that it tends to, extrapolated with the rate of the drag; `left` is 0, as there is no disturbance.
   The caller destroys the world. */
static plane_result run_fast_plane(rn_world *world, const plane *p, double exact) {
    const double angle = p->degrees * PI / 180.0, e = 1.0 + p->slope * p->slope;
    const double seconds = fmin(p->seconds, 5.0 / roll_growth(p)),
                 drag = 3.0 * p->viscosity * e / (p->depth * p->depth);
    set_fluxes(world, exact * cos(angle), exact * sin(angle), p->cell);
    for (int i = 0; i < 40; i++) rn_world_step(world, seconds / 40.0);
    const double x = mean_flux(world, RN_FIELD_FLUX_X, p->cell),
                 y = p->degrees != 0.0 ? mean_flux(world, RN_FIELD_FLUX_Y, p->cell) : 0.0;
    const double flux = x * cos(angle) + y * sin(angle);
    return (plane_result){.flux = exact + (flux - exact) / (1.0 - exp(-drag * seconds))};
}

/* Returns Nusselt's flux (m²/s) on a plane of slope S (tangent), for a heightfield: the depth d (m) is measured
   vertically. `nu`: viscosity (m²/s), above 0. */
static double nusselt_flux(double S, double d, double nu) {
    double e = 1.0 + S * S;
    return GRAVITY * S * d * d * d / (3.0 * nu * e * e);
}

/* Runs a film on a plane and measures its flux and what is left of its disturbance. A film fast enough for roll waves
   runs without a disturbance (run_fast_plane()), and its `left` is 0. */
static plane_result run_plane(const plane *p) {
    const bool fast = roll_growth(p) > 0.0;
    const bool diagonal = p->degrees != 0.0;
    const int nx = diagonal ? 24 : 64, ny = diagonal ? 24 : 1;
    const double angle = p->degrees * PI / 180.0, sx = p->slope * cos(angle), sy = p->slope * sin(angle);
    double *heights = calloc((size_t)(nx * ny), sizeof *heights), *depths = calloc((size_t)(nx * ny), sizeof *depths);
    const double relief = (sx * nx + sy * ny) * p->cell;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            double wave = sin(2.0 * PI * x / nx) + sin(10.0 * PI * x / nx) + ((y * 7 + x * 13) % 5 - 2) * 0.5;
            heights[y * nx + x] = (sx * (nx - 1 - x) + sy * (ny - 1 - y)) * p->cell;
            depths[y * nx + x] = p->depth * (1.0 + (fast ? 0.0 : p->disturbance) * wave);
        }
    rn_world *world = make_world(&(setup){.nx = nx,
                                          .ny = ny,
                                          .cell = p->cell,
                                          .heights = heights,
                                          .lid = relief + 6.0 * p->depth,
                                          .viscosity = p->viscosity,
                                          .friction = p->friction,
                                          .periodic_x = true,
                                          .periodic_y = diagonal,
                                          .drop_x = sx * nx * p->cell,
                                          .drop_y = diagonal ? sy * ny * p->cell : 0.0});
    set_depths(world, depths);
    const double before = depth_spread(world);
    const int frames = fast ? 0 : 120;
    plane_result result = {0};
    if (fast) result = run_fast_plane(world, p, nusselt_flux(p->slope, p->depth, p->viscosity));
    for (int i = 0; i < frames; i++) {
        rn_world_step(world, p->seconds / frames);
        if (i < frames * 2 / 3) continue;
        double x = mean_flux(world, RN_FIELD_FLUX_X, p->cell),
               y = diagonal ? mean_flux(world, RN_FIELD_FLUX_Y, p->cell) : 0.0;
        result.flux += (x * cos(angle) + y * sin(angle)) / (frames / 3.0);
    }
    const double rounding = 8.0 * rn_world_describe(world).quantum; /* differences of some quanta are rounding */
    if (!fast && before > 0.0)
        result.left = fmax(depth_spread(world) - rounding, 0.0) / before - left_by_theory(p, nx * p->cell);
    free(heights);
    free(depths);
    rn_world_destroy(world);
    return result;
}

/* Returns how long (s) a viscous film needs to reach its speed and a disturbance to travel several cells. */
static double settling_time(const plane *p) {
    double e = 1.0 + p->slope * p->slope, flux = nusselt_flux(p->slope, p->depth, p->viscosity);
    return fmax(30.0 * p->depth * p->depth / (3.0 * p->viscosity * e), 20.0 * p->cell * p->depth / (3.0 * flux));
}

/* Viscous films on slopes of 0.05 to 0.8. Theory (Nusselt): flux g S d^3 / (3 nu (1 + S^2)^2). measured[0]: the largest
   error of the flux (%). */
void case_nusselt(double measured[MOST_MEASURES]) {
    const double slopes[] = {0.05, 0.2, 0.8}, depths[] = {1e-4, 3e-4, 1e-3}, viscosities[] = {4e-6, 1e-6};
    measured[0] = 0.0;
    for (int i = 0; i < 18; i++) {
        plane p = {.slope = slopes[i / 3 % 3], .depth = depths[i % 3], .cell = 5e-4, .viscosity = viscosities[i / 9]};
        p.seconds = settling_time(&p);
        double flux = run_plane(&p).flux;
        measured[0] = worse(measured[0], 100.0 * fabs(flux / nusselt_flux(p.slope, p.depth, p.viscosity) - 1.0));
    }
}

/* Flows slowed by friction alone, on slopes of 0.01 to 0.25. Theory: u = g S / (kappa (1 + S^2)). measured[0]: the
   largest error of the speed (%). */
void case_friction(double measured[MOST_MEASURES]) {
    const double slopes[] = {0.01, 0.05, 0.1, 0.25}, omega = 0.5, depth = 0.05;
    measured[0] = 0.0;
    for (int i = 0; i < 4; i++) {
        const double S = slopes[i], kappa = -log(omega), speed = GRAVITY * S / (kappa * (1.0 + S * S));
        plane p = {.slope = S, .depth = depth, .cell = 0.05, .friction = omega, .seconds = 16.0 / kappa};
        measured[0] = worse(measured[0], 100.0 * fabs(run_plane(&p).flux / (speed * depth) - 1.0));
    }
}

/* Viscous films on slopes of 0.05 to 10, in three directions, against Nusselt's flux, g S d^3 / (3 nu (1 + S^2)^2).
   measured[0]: the largest error of the flux (%); [1]: the largest share of a small disturbance that is left, beyond
   theory. */
void case_film_steep(double measured[MOST_MEASURES]) {
    const double slopes[] = {0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0}, directions[] = {0.0, 20.0, 45.0};
    const double depths[] = {5e-5, 1e-4, 3e-4, 1e-3}, viscosities[] = {1e-6, 4e-6, 1e-4};
    measured[0] = measured[1] = 0.0;
    for (int direction = 0; direction < 3; direction++)
        for (int s = 0; s < 8; s++)
            for (int d = 0; d < 4; d++)
                for (int v = 0; v < 3; v++) {
                    if ((s + d + v + direction) % 3 != 0)
                        continue; /* every slope meets every depth and liquid over the three directions */
                    plane p = {.slope = slopes[s],
                               .degrees = directions[direction],
                               .depth = depths[d],
                               .cell = 5e-4,
                               .viscosity = viscosities[v],
                               .disturbance = 1e-3};
                    p.seconds = settling_time(&p);
                    plane_result r = run_plane(&p);
                    measured[0] =
                        worse(measured[0], 100.0 * fabs(r.flux / nusselt_flux(p.slope, p.depth, p.viscosity) - 1.0));
                    measured[1] = worse(measured[1], r.left);
                }
}

/* Films of Froude numbers from 0.01 to 10 and friction flows of up to 4.8 must keep their speed, and disturbances must
   decay. measured[0]: the largest error of the flux (%); [1]: the largest share of a disturbance that is left, beyond
   theory. */
void case_film_carried(double measured[MOST_MEASURES]) {
    const double slopes[] = {0.05, 0.5, 3.0}, depths[] = {1e-4, 3e-4, 1e-3}, omega = 0.5, kappa = -log(omega);
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < 18; i++) {
        plane p = {.slope = slopes[i % 3], .degrees = i < 9 ? 0.0 : 45.0, .depth = depths[i / 3 % 3], .cell = 5e-4};
        p.viscosity = i % 2 ? 4e-6 : 1e-6;
        p.disturbance = 1e-3;
        p.seconds = settling_time(&p);
        plane_result r = run_plane(&p);
        measured[0] = worse(measured[0], 100.0 * fabs(r.flux / nusselt_flux(p.slope, p.depth, p.viscosity) - 1.0));
        measured[1] = worse(measured[1], r.left);
    }
    for (int i = 0; i < 6; i++) {
        const double S = slopes[i / 2] / 12.0, speed = GRAVITY * S / (kappa * (1.0 + S * S)), depth = 0.05;
        plane p = {.slope = S, .degrees = i % 2 ? 45.0 : 0.0, .depth = depth, .cell = 0.05, .friction = omega};
        p.disturbance = 1e-3;
        p.seconds = 16.0 / kappa;
        plane_result r = run_plane(&p);
        measured[0] = worse(measured[0], 100.0 * fabs(r.flux / (speed * depth) - 1.0));
        measured[1] = worse(measured[1], r.left);
    }
}

/* A film of 20 um flows down 1 degree in a world 0.1 m high, at the small steps that deep water would need: a transfer
   is a thousandth of a quantum. Theory: Nusselt's flux. measured[0]: error of the volume that crosses the middle of the
   plane (%). */
void case_thin_film(double measured[MOST_MEASURES]) {
    enum { N = 100 };
    const double S = tan(PI / 180.0), H = 20e-6, cell = 5e-4, nu = 1e-5, dt = 0.8 * cell / sqrt(2.0 * GRAVITY * 0.1);
    const double flux = nusselt_flux(S, H, nu), until = 3.0 * cell * H / flux;
    double heights[N], depth[N], passed[2] = {0};
    for (int i = 0; i < N; i++) {
        heights[i] = S * cell * (N - 1 - i);
        depth[i] = H;
    }
    rn_world *world = make_world(
        &(setup){.nx = N, .ny = 1, .cell = cell, .heights = heights, .lid = 0.1, .viscosity = nu, .open_east = true});
    set_depths(world, depth);
    const double quarter = ceil(0.25 * until / dt);
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < quarter * (part ? 3 : 1); i++) rn_world_step(world, dt);
        passed[part] = rn_world_audit(world).left / cell;
        for (int i = N / 2; i < N; i++) passed[part] += depth_at(world, i, 0) * cell;
    }
    measured[0] = 100.0 * fabs((passed[1] - passed[0]) / (3.0 * quarter * dt) / flux - 1.0);
    rn_world_destroy(world);
}

/* Returns how far (cells) a front lies beyond the middle of the last wet cell, where d^3 falls linearly to 0. inner,
   outer: depths of the last two wet cells (m). 0 if the depth does not fall. */
static double front_between(double inner, double outer) {
    double a = inner * inner * inner, b = outer * outer * outer;
    return a > b ? b / (a - b) : 0.0;
}

/* Half of a viscous ridge spreads from a wall on a table. Theory (Huppert 1982): the front grows with t^1/5.
   measured[0]: the largest error of the front after 500 s and 2000 s (%); [1]: L1 error of the profile (%). */
void case_huppert_planar(double measured[MOST_MEASURES]) {
    enum { N = 200 };
    const double cell = 0.1 / N, nu = 1e-3, start = 2e-3;
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .lid = 3e-3, .viscosity = nu});
    double depth[N] = {0}, time = 0.0;
    for (int i = 0; i < N / 10; i++) depth[i] = start;
    set_depths(world, depth);
    const double area = rn_world_volume(world) / cell;
    measured[0] = measured[1] = 0.0;
    for (int look = 0; look < 2; look++) {
        const double until = look == 0 ? 500.0 : 2000.0;
        rn_world_step(world, until - time);
        time = until;
        const double tip = 1.411 * pow(GRAVITY * area * area * area / (3.0 * nu), 0.2) * pow(time, 0.2);
        double error = 0.0;
        int last = N - 1;
        while (last > 1 && depth_at(world, last, 0) < 1e-3 * depth_at(world, 0, 0)) last--;
        double front = (last + 0.5 + front_between(depth_at(world, last - 1, 0), depth_at(world, last, 0))) * cell;
        for (int i = 0; i < N; i++) {
            double y = (i + 0.5) * cell / tip, h = 0.0;
            if (y < 1.0)
                h = cbrt(0.3) * pow(1.411, 2.0 / 3.0) * pow(3.0 * nu * area * area / GRAVITY, 0.2) * pow(time, -0.2) *
                    cbrt(1.0 - y * y);
            error += fabs(depth_at(world, i, 0) - h) * cell;
        }
        measured[0] = worse(measured[0], 100.0 * fabs(front / tip - 1.0));
        measured[1] = worse(measured[1], 100.0 * error / area);
    }
    rn_world_destroy(world);
}

/* A quarter of a viscous drop spreads on a table, with walls along the lines of symmetry. Theory (Huppert 1982): t^1/8.
   measured[0]: the largest error of the front along the axis and the diagonal, after 8 s and 30 s (%); [1]: L1 error of
   the profile (%). */
void case_huppert_radial(double measured[MOST_MEASURES]) {
    enum { N = 200 };
    const double cell = 0.1 / N, nu = 1e-3, start = 8e-3;
    rn_world *world = make_world(&(setup){.nx = N, .ny = N, .cell = cell, .lid = 9e-3, .viscosity = nu});
    double *depth = calloc(N * N, sizeof *depth), time = 0.0;
    for (int i = 0; i < N * N; i++) depth[i] = hypot(i % N + 0.5, i / N + 0.5) < N / 6 ? start : 0.0;
    set_depths(world, depth);
    const double volume = 4.0 * rn_world_volume(world);
    measured[0] = measured[1] = 0.0;
    for (int look = 0; look < 2; look++) {
        const double until = look == 0 ? 8.0 : 30.0;
        rn_world_step(world, until - time);
        time = until;
        const double tip = 0.894 * pow(GRAVITY * volume * volume * volume / (3.0 * nu), 0.125) * pow(time, 0.125);
        const double middle = 4.0 * volume / (3.0 * PI * tip * tip);
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            int last = N - 1;
            while (last > 1 && depth_at(world, last, diagonal * last) < 1e-3 * depth_at(world, 0, 0)) last--;
            double inner = depth_at(world, last - 1, diagonal * (last - 1)),
                   outer = depth_at(world, last, diagonal * last);
            double along = (last + 0.5 + front_between(inner, outer)) * cell;
            double front = diagonal ? along * sqrt(2.0) : hypot(along, 0.5 * cell);
            measured[0] = worse(measured[0], 100.0 * fabs(front / tip - 1.0));
        }
        double error = 0.0;
        for (int i = 0; i < N * N; i++) {
            double r = hypot(i % N + 0.5, i / N + 0.5) * cell / tip, h = r < 1.0 ? middle * cbrt(1.0 - r * r) : 0.0;
            error += 4.0 * fabs(depth_at(world, i % N, i / N) - h) * cell * cell;
        }
        measured[1] = worse(measured[1], 100.0 * error / volume);
    }
    free(depth);
    rn_world_destroy(world);
}

/* Runs the front of a film 0.5 mm deep (H) down a dry plane of slope S (tangent). Theory: a travelling wave with x(h) =
   (h - H/2 ln((H+h)/(H-h)))/S from the tip. Sets the error of the place where the front is H/2 deep, for the volume
   that has come (cells; NaN if that would not fill 400 cells), the error of its speed (%), and by how much the depth
   exceeds H at most (share of H; 0 if nowhere). */
static void front_errors(double S, double *cells, double *speed_error, double *overshoot) {
    enum { N = 500, FED = 40 };
    const double H = 5e-4, cell = 5e-4, nu = 2e-5, e = 1.0 + S * S;
    const double speed = GRAVITY * S * H * H / (3.0 * nu * e * e);
    double heights[N], depth[N];
    for (int i = 0; i < N; i++) {
        heights[i] = S * cell * (N - 1 - i);
        depth[i] = i < 50 ? H : 0.0;
    }
    rn_world *world = make_world(
        &(setup){.nx = N, .ny = 1, .cell = cell, .heights = heights, .lid = S * cell * N + 2e-3, .viscosity = nu});
    set_depths(world, depth);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double time = 0.0, from_time = 0.0, from = 0.0, length = 0.0;
    *overshoot = 0.0;
    for (int calls = 0; length < 400.0 && calls < 10000; calls++) {
        for (int i = 0; i < FED; i++) d.data[i] = (float)H;
        rn_world_commit(world);
        rn_world_step(world, 0.2 * cell / speed);
        time = rn_world_get_stats(world).time;
        length = 0.0;
        for (int i = 0; i < N; i++) length += d.data[i] / H;
        if (length > 200.0 && from_time == 0.0) {
            from_time = time;
            from = length;
        }
        for (int i = 60; i < 490; i++) *overshoot = worse(*overshoot, d.data[i] / H - 1.0);
    }
    int i = N - 1;
    while (i > 0 && d.data[i] < 0.5 * H) i--;
    double half = (i + 0.5 + (d.data[i] - 0.5 * H) / (d.data[i] - d.data[i + 1])) * cell;
    double tip = length * cell + 0.1931 * H / S, exact = tip - 0.0493 * H / S;
    *cells = length < 400.0 ? NAN : fabs(half - exact) / cell;
    *speed_error = 100.0 * fabs((length - from) * cell / (time - from_time) / speed - 1.0);
    rn_world_destroy(world);
}

/* Fronts of films on slopes of 0.05 to 10 against the exact travelling wave. measured[0]: the largest error of the
   position (cells); [1]: that of the speed (%); [2]: the largest overshoot of the depth (%). */
void case_film_front(double measured[MOST_MEASURES]) {
    const double slopes[] = {0.05, 0.1, 0.3, 0.8, 1.6, 3.0, 5.0, 10.0};
    measured[0] = measured[1] = measured[2] = 0.0;
    for (int i = 0; i < 8; i++) {
        double cells, speed_error, overshoot;
        front_errors(slopes[i], &cells, &speed_error, &overshoot);
        measured[0] = worse(measured[0], cells);
        measured[1] = worse(measured[1], speed_error);
        measured[2] = worse(measured[2], 100.0 * overshoot);
    }
}

/* A block of liquid slides down slopes of 1 to 10 without friction. Theory: the speed at mid-block is g sin cos t.
   measured[0]: the largest error of the speed (%). */
void case_slide(double measured[MOST_MEASURES]) {
    enum { N = 400 };
    const double slopes[] = {1.0, 3.0, 10.0}, depths[] = {2e-3, 5e-3, 2e-2}, cell = 5e-4;
    measured[0] = 0.0;
    for (int k = 0; k < 3; k++) {
        const double S = slopes[k], pull = GRAVITY * S / (1.0 + S * S), until = 0.25 * sqrt(2.0 * 0.02 / pull);
        double heights[N], depth[N] = {0};
        for (int i = 0; i < N; i++) {
            heights[i] = S * cell * (N - 1 - i);
            if (i >= 100 && i < 200) depth[i] = depths[k];
        }
        rn_world *world =
            make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .heights = heights, .lid = S * cell * N + 0.05});
        set_depths(world, depth);
        for (int i = 0; i < 200; i++) rn_world_step(world, until / 200.0); /* speeds lag by half a call */
        double flux = rn_world_view(world, RN_FIELD_FLUX_X).data[150];
        double speed = flux / (cell * 0.5 * (depth_at(world, 150, 0) + depth_at(world, 151, 0)));
        measured[0] = worse(measured[0], 100.0 * fabs(speed / (pull * until) - 1.0));
        rn_world_destroy(world);
    }
}
