/* Checks of the 3D liquid's core, src/mac: Gates' conditions, free fall, divergence, Poiseuille flow, a spinning ball,
   the front of a dam break, and the volume of a splash. Each function case_mac_... fills in its measures; the table in
   app/validate.c names them and their limits. */
#include "kernels/gates.h"
#include "mac/mac.h"
#include "physics/gates_listing.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with status 1 after printing rn_last_error() unless `ok`. */
static void exit_unless(bool ok) {
    if (ok) return;
    fprintf(stderr, "runnel validate: %s\n", rn_last_error());
    exit(1);
}

static const rn_vec3 origin = {0.0, 0.0, 0.0};

/* Returns a 3D liquid by this definition; exits if that fails. The caller destroys it. */
static rn_mac *make_mac(const rn_mac_def *def) {
    rn_mac *mac = NULL;
    exit_unless(rn_mac_create(def, &mac) == RN_OK);
    return mac;
}

/* Returns the definition of a cube of n cells and 1 m along each axis, without liquid. */
static rn_mac_def cube_def(int n) {
    rn_mac_def def = rn_mac_default();
    def.cells_x = def.cells_y = def.cells_z = n;
    def.cell_size = 1.0 / n;
    return def;
}

/* ---- Gates 2001 -------------------------------------------------------------------------------------------------- */

enum { CASES = 64, STATES = 1000 };
static const double dt = 0.5; /* s; a power of two, so that force times dt is exact */

/* A cell with random speeds, sides and body force: in float for the rules of kernels/gates.h, in double for the
   listing. */
typedef struct state {
    float face[6], spacing[3], gain[3];   /* m/s; m; m/s, body force times dt */
    double listed[6], sides[3], force[3]; /* m/s; m; m/s^2 */
    uint8_t empty[6];                     /* the neighbours at -x, +x, -y, +y, -z, +z that are empty */
} state;

/* Returns the next number of a fixed random sequence, from `low` up to but not including `high`, and advances
   `seed`. */
static double random_number(uint32_t *seed, double low, double high) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

/* Returns a random cell whose empty neighbours are the six bits of `flag`, the highest for -x; `even`: with equal
   sides. Advances `seed`. */
static state make_state(uint32_t *seed, unsigned flag, bool even) {
    state s;
    for (int i = 0; i < 6; i++) {
        s.listed[i] = (double)(s.face[i] = (float)random_number(seed, -2.0, 2.0));
        s.empty[i] = flag >> (5 - i) & 1u;
    }
    for (int a = 0; a < 3; a++) {
        s.spacing[a] = a && even ? s.spacing[0] : (float)random_number(seed, 0.3, 3.0);
        s.sides[a] = (double)s.spacing[a];
        s.force[a] = (double)(float)random_number(seed, -9.0, 9.0);
        s.gain[a] = (float)(s.force[a] * dt);
    }
    return s;
}

/* Returns an upper bound (m/s) of the terms in this cell's formulas, from its face velocities and forces; differences
 * are measured relative to it. */
static double largest_term(const state *s) {
    double sum = 0.0, longest = 0.0;
    for (int a = 0; a < 3; a++) {
        sum += (fabs(s->listed[2 * a]) + fabs(s->listed[2 * a + 1]) + 2.0 * fabs(s->force[a] * dt)) / s->sides[a];
        longest = fmax(longest, s->sides[a]);
    }
    return sum * longest;
}

/* Returns the largest difference between the rules and the listing over 1000 random cells of each case, relative to
   largest_term(); `even`: counts cubic cells only. */
static double furthest_from_listing(bool even) {
    uint32_t seed = 1;
    double worst = 0.0;
    for (unsigned flag = 0; flag < CASES; flag++)
        for (int i = 0; i < STATES; i++) {
            state s = make_state(&seed, flag, even);
            const double scale = largest_term(&s);
            gates_listing(flag, s.listed, s.sides, s.force, dt);
            rn_gates(s.face, s.empty, s.spacing, s.gain);
            for (int f = 0; f < 6; f++) worst = fmax(worst, fabs((double)s.face[f] - s.listed[f]) / scale);
        }
    return worst;
}

/* Returns the largest divergence (1/s) that the rules leave in 1000 random cells with these empty neighbours (`flag`:
   as in make_state()). */
static double divergence_left(unsigned flag) {
    uint32_t seed = flag;
    double worst = 0.0;
    for (int i = 0; i < STATES; i++) {
        state s = make_state(&seed, flag, false);
        rn_gates(s.face, s.empty, s.spacing, s.gain);
        double sum = 0.0;
        for (int a = 0; a < 3; a++) sum += ((double)s.face[2 * a + 1] - (double)s.face[2 * a]) / s.sides[a];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* The rules of kernels/gates.h against Gates' listing. measured[0], [1]: the largest relative difference for cubic
   cells and for others; [2]: how many of the 63 cases with empty neighbours leave no divergence. */
void case_mac_gates(double measured[MOST_MEASURES]) {
    measured[0] = furthest_from_listing(true);
    measured[1] = furthest_from_listing(false);
    measured[2] = 0.0;
    for (unsigned flag = 1; flag < CASES; flag++) measured[2] += divergence_left(flag) < 2e-5;
}

/* ---- Motion ------------------------------------------------------------------------------------------------------ */

typedef struct ball {
    rn_vec3 centre;
    double radius; /* m */
} ball;

/* Returns the distance (m) from a point to the surface of a ball, below 0 inside. `user`: the ball. */
static double ball_distance(void *user, rn_vec3 at) {
    const ball *b = user;
    const double x = at.x - b->centre.x, y = at.y - b->centre.y, z = at.z - b->centre.z;
    return sqrt(x * x + y * y + z * z) - b->radius;
}

/* Adds a ball of liquid at rest. Exits on failure. */
static void fill_ball(rn_mac *mac, ball b) {
    const double r = b.radius;
    const rn_vec3 low = {b.centre.x - r, b.centre.y - r, b.centre.z - r};
    const rn_vec3 high = {b.centre.x + r, b.centre.y + r, b.centre.z + r};
    exit_unless(rn_mac_add_liquid(mac, low, high, ball_distance, &b, origin) == RN_OK);
}

/* Writes means over all particles: height (m) and speed along x (m/s); 0 without particles. */
static void find_means(const rn_mac *mac, double *height, double *speed) {
    const int64_t count = rn_mac_particle_count(mac);
    *height = *speed = 0.0;
    for (int64_t n = 0; n < count; n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        *height += p.position.z / (double)count;
        *speed += p.velocity.x / (double)count;
    }
}

/* A ball falls through air for 0.4 s. Theory: g t^2 / 2. measured[0]: the error of its fall (%). */
void case_mac_free_fall(double measured[MOST_MEASURES]) {
    rn_mac_def def = cube_def(16);
    def.cells_z = 32;
    def.density_time = -1.0; /* moves particles by some thousandths of a cell */
    rn_mac *mac = make_mac(&def);
    double before, now, speed;
    fill_ball(mac, (ball){.centre = {0.5, 0.5, 1.6}, .radius = 0.2});
    find_means(mac, &before, &speed);
    for (int frame = 0; frame < 12; frame++) exit_unless(rn_mac_step(mac, 1.0 / 30.0, NULL) == RN_OK);
    find_means(mac, &now, &speed);
    const double t = rn_mac_time(mac);
    measured[0] = 100.0 * fabs((before - now) / (0.5 * 9.81 * t * t) - 1.0);
    rn_mac_destroy(mac);
}

/* A dam break in 32^3 cells for one second. measured[0]: the largest divergence after a projection, relative to that
   before. */
void case_mac_divergence(double measured[MOST_MEASURES]) {
    const rn_mac_def def = cube_def(32);
    rn_mac *mac = make_mac(&def);
    exit_unless(rn_mac_add_liquid(mac, origin, (rn_vec3){0.4, 1.0, 5.0 / 12.0}, NULL, NULL, origin) == RN_OK);
    measured[0] = 0.0;
    for (int frame = 0; frame < 30; frame++) {
        rn_mac_report report;
        exit_unless(rn_mac_step(mac, 1.0 / 30.0, &report) == RN_OK);
        measured[0] = fmax(measured[0], report.divergence);
    }
    rn_mac_destroy(mac);
}

/* Flow between two plates 16 cells apart, for 2 s from rest. Theory: mean speed g H^2 / (12 nu). measured[0]: the error
   of the mean speed (%). */
void case_mac_poiseuille(double measured[MOST_MEASURES]) {
    const double high = 0.016, g = 0.1, nu = 1e-4;
    rn_mac_def def = rn_mac_default();
    def.cells_x = 8, def.cells_y = 4, def.cells_z = 16;
    def.cell_size = 1e-3;
    def.viscosity = nu;
    def.gravity = (rn_vec3){g, 0.0, 0.0};
    def.periodic_x = true;
    def.no_slip = RN_MAC_Z_LOW | RN_MAC_Z_HIGH;
    rn_mac *mac = make_mac(&def);
    exit_unless(rn_mac_add_liquid(mac, origin, (rn_vec3){1.0, 1.0, high}, NULL, NULL, origin) == RN_OK);
    for (int frame = 0; frame < 20; frame++) exit_unless(rn_mac_step(mac, 0.1, NULL) == RN_OK);
    double height, speed;
    find_means(mac, &height, &speed);
    measured[0] = 100.0 * fabs(speed / (g * high * high / (12.0 * nu)) - 1.0);
    rn_mac_destroy(mac);
}

/* Returns the angular momentum of all particles, per mass of one (m^2/s), about the vertical axis through the middle of
   a box of 1 m, including the rotation of each particle's own volume. `cell`: the cell size (m). */
static double angular_momentum(const rn_mac *mac, double cell) {
    double sum = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        sum += (p.position.x - 0.5) * p.velocity.y - (p.position.y - 0.5) * p.velocity.x;
        sum += (p.gradient[1].x - p.gradient[0].y) * cell * cell / 6.0;
    }
    return sum;
}

/* A ball of viscosity 0.4 m^2/s spins for half a second without gravity. Theory: it keeps all its angular momentum.
   measured[0]: the share that is left. */
void case_mac_spin(double measured[MOST_MEASURES]) {
    rn_mac_def def = cube_def(32);
    def.gravity = origin;
    def.viscosity = 0.4;
    rn_mac *mac = make_mac(&def);
    const rn_vec3 middle = {0.5, 0.5, 0.5};
    fill_ball(mac, (ball){.centre = middle, .radius = 0.25});
    exit_unless(rn_mac_spin(mac, middle, (rn_vec3){0.0, 0.0, 2.0}) == RN_OK);
    const double before = angular_momentum(mac, def.cell_size);
    for (int frame = 0; frame < 30; frame++) exit_unless(rn_mac_step(mac, 1.0 / 60.0, NULL) == RN_OK);
    measured[0] = angular_momentum(mac, def.cell_size) / before;
    rn_mac_destroy(mac);
}

/* ---- Martin & Moyce 1952 ----------------------------------------------------------------------------------------- */

/* The measurements: T = t sqrt(2 g / a) and Z = front / a, for a column of width a and height 2 a. */
static const double seen[][2] = {{0.41, 1.11}, {0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89},
                                 {1.83, 2.11}, {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00},
                                 {2.65, 3.22}, {2.83, 3.44}, {2.97, 3.67}, {3.11, 3.89}, {3.33, 4.11}};
enum { SEEN = sizeof seen / sizeof *seen, FRAMES = 200 };

/* Returns the position (m) along x of the front: that of the second particle from it, so that a single drop does not
   count. 0 with fewer than two particles. */
static double front_position(const rn_mac *mac) {
    double first = 0.0, second = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const double x = rn_mac_particle_at(mac, n).position.x;
        if (x > first) second = first, first = x;
        else if (x > second) second = x;
    }
    return second;
}

/* Returns the root mean square of the relative differences between the fronts Z at FRAMES times T and the measurements,
   whose times are shifted by `offset`; times outside are extrapolated or, below 0, taken as 0. */
static double front_difference(const double *T, const double *Z, double offset) {
    double sum = 0.0;
    for (int n = 0; n < SEEN; n++) {
        const double at = fmax(seen[n][0] + offset, 0.0);
        int i = 1;
        while (i < FRAMES - 1 && T[i] < at) i++;
        const double front = Z[i - 1] + (Z[i] - Z[i - 1]) * (at - T[i - 1]) / (T[i] - T[i - 1]);
        sum += pow(front / seen[n][1] - 1.0, 2.0) / SEEN;
    }
    return sqrt(sum);
}

/* The front of a column that collapses, sixteen cells wide, against Martin & Moyce. The offset allows for the moment at
   which the column was released. measured[0]: the difference (%) with the best offset within 0.35; [1]: that offset,
   without its sign; [2]: the difference without an offset (%). */
void case_mac_front(double measured[MOST_MEASURES]) {
    enum { CELLS = 16 };
    const double a = 0.05715;
    rn_mac_def def = rn_mac_default();
    def.cells_x = 5 * CELLS, def.cells_y = CELLS / 2, def.cells_z = 5 * CELLS / 2;
    def.cell_size = a / CELLS;
    rn_mac *mac = make_mac(&def);
    exit_unless(rn_mac_add_liquid(mac, origin, (rn_vec3){a, 1.0, 2.0 * a}, NULL, NULL, origin) == RN_OK);
    double T[FRAMES] = {0.0}, Z[FRAMES] = {1.0};
    for (int i = 1; i < FRAMES; i++) {
        exit_unless(rn_mac_step(mac, 1.0 / 800.0, NULL) == RN_OK);
        T[i] = rn_mac_time(mac) * sqrt(2.0 * 9.81 / a);
        Z[i] = front_position(mac) / a;
    }
    rn_mac_destroy(mac);
    double best = 0.0;
    for (int n = -35; n <= 35; n++)
        if (front_difference(T, Z, 0.01 * n) < front_difference(T, Z, best)) best = 0.01 * n;
    measured[0] = 100.0 * front_difference(T, Z, best);
    measured[1] = fabs(best);
    measured[2] = 100.0 * front_difference(T, Z, 0.0);
}

/* ---- Splash ------------------------------------------------------------------------------------------------------ */

/* Creates a world with the tank, the post and the dam of the scene `splash`. Exits on failure; the caller destroys
   it. */
static rn_world *make_splash(void) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = 96;
    ground.cells_y = 48;
    ground.cell_size = 0.0125;
    ground.bottom = -0.05;
    ground.lid = 0.6;
    rn_sdf *post = rn_sdf_move(rn_sdf_box((rn_vec3){0.1, 0.12, 0.4}), (rn_vec3){0.75, 0.3, 0.15});
    ground.solid = rn_sdf_union(rn_sdf_plane(origin, (rn_vec3){0.0, 0.0, 1.0}), post, 0.0);
    rn_terrain *terrain = NULL;
    exit_unless(rn_terrain_create(&ground, &terrain) == RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.solver = "mac";
    rn_world *world = NULL;
    exit_unless(rn_world_create(&def, &world) == RN_OK);
    rn_terrain_destroy(terrain);
    rn_sdf *dam = rn_sdf_move(rn_sdf_box((rn_vec3){0.36, 0.6, 0.36}), (rn_vec3){0.18, 0.3, 0.18});
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = dam};
    exit_unless(dam && rn_world_fill(world, &fill) == RN_OK);
    rn_sdf_destroy(dam);
    return world;
}

/* A splash for two seconds or, with RUNNEL_LONG, ten. Differences between the measured volume and that of the particles
   (%): measured[0]: the largest; [1]: its mean over the last fifth of the time. */
void case_mac_splash(double measured[MOST_MEASURES]) {
    const int frames = getenv("RUNNEL_LONG") ? 600 : 120;
    rn_world *world = make_splash();
    double worst = 0.0, last = 0.0;
    for (int frame = 1; frame <= frames; frame++) {
        exit_unless(rn_world_step(world, 1.0 / 60.0) == RN_OK);
        const rn_audit audit = rn_world_audit(world);
        worst = fmax(worst, fabs(audit.drift / audit.poured));
        if (5 * frame > 4 * frames) last += 5.0 * audit.drift / audit.poured / frames;
    }
    measured[0] = 100.0 * worst;
    measured[1] = 100.0 * fabs(last);
    rn_world_destroy(world);
}
