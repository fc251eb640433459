/* Cases of `runnel validate` about places that liquid must not reach: up a cliff higher than its energy allows
   (case_climb), and through a shell thinner than a cell (case_shell). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ---- Cliffs ------------------------------------------------------------------------------------------------------ */

/* A stream that runs against a cliff, with or without a trench in front of it. */
typedef struct onrush {
    double cell, depth, speed; /* m, m, m/s */
    double over;               /* height of the cliff, as a multiple of highest_rise() */
    int trench;                /* width of the trench (cells); 0: none */
} onrush;

/* Returns how high (m) a stream can rise at a wall: its energy head h + u^2/2g or, if more, the depth d behind the bore
   that the wall reflects, u^2 = g (d - h)^2 (d + h) / (2 h d). */
static double highest_rise(double depth, double speed) {
    double low = depth, high = 100.0 * depth;
    for (int i = 0; i < 100; i++) {
        const double d = 0.5 * (low + high);
        if (GRAVITY * (d - depth) * (d - depth) * (d + depth) / (2.0 * depth * d) < speed * speed) low = d;
        else high = d;
    }
    return fmax(depth + speed * speed / (2.0 * GRAVITY), low);
}

/* Runs a stream against a cliff and returns the largest volume (m³) on top of the cliff, over twice the time in which
   the stream, up to 150 cells long, arrives. Returns NaN if a depth is NaN. */
static double climbed_volume(const onrush *o) {
    enum { N = 200, CLIFF = 150 };
    const double most_high = highest_rise(o->depth, o->speed), bed = o->trench ? 2.0 * most_high : 0.0;
    double heights[N], depths[N] = {0};
    for (int i = 0; i < N; i++) {
        heights[i] = i >= CLIFF ? bed + o->over * most_high : i >= CLIFF - o->trench ? 0.0 : bed;
        if (i < CLIFF - o->trench) depths[i] = o->depth;
    }
    rn_world *world = make_world(
        &(setup){.nx = N, .ny = 1, .cell = o->cell, .heights = heights, .lid = bed + 3.0 * o->over * most_high});
    rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = 0; i < CLIFF - o->trench - 1; i++) flux.data[i] = (float)(o->speed * o->depth * o->cell);
    set_depths(world, depths);
    const double seconds = 2.0 * CLIFF * o->cell / o->speed;
    double most = 0.0;
    for (int i = 0; i < 400; i++) {
        rn_world_step(world, seconds / 400.0);
        double above = 0.0;
        for (int x = CLIFF; x < N; x++) above += depth_at(world, x, 0);
        most = worse(most, above * o->cell * o->cell);
    }
    rn_world_destroy(world);
    return most;
}

/* Returns how high a stream of this depth (m) and speed (m/s) runs up a ramp of this slope (tangent): the highest
   ground with more than a thousandth of its depth, divided by (u + 2 sqrt(gh))^2/2g, the energy head of its dry tip.
   The horizontal speed is the cosine of the speed along the ramp, so a stream that kept the former at the foot of the
   ramp would gain energy. `cell`: cell size (m). */
static double run_up_height(double cell, double depth, double speed, double slope) {
    enum { N = 400, FOOT = 150 };
    const double tip = speed + 2.0 * sqrt(GRAVITY * depth), most_high = tip * tip / (2.0 * GRAVITY);
    double heights[N], depths[N] = {0}, highest = 0.0;
    for (int i = 0; i < N; i++) {
        heights[i] = fmin(fmax((i - FOOT + 1) * slope * cell, 0.0), 4.0 * most_high);
        if (i < FOOT) depths[i] = depth;
    }
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .heights = heights, .lid = 6.0 * most_high});
    rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = 0; i < FOOT - 1; i++) flux.data[i] = (float)(speed * depth * cell);
    set_depths(world, depths);
    const double seconds = 2.0 * FOOT * cell / speed;
    for (int i = 0; i < 400; i++) {
        rn_world_step(world, seconds / 400.0);
        for (int x = FOOT; x < N; x++)
            if (depth_at(world, x, 0) > 1e-3 * depth) highest = worse(highest, heights[x] / most_high);
    }
    rn_world_destroy(world);
    return highest;
}

/* Streams with Froude numbers of 1 to 4 run against cliffs that are higher than they can reach, some lower than a cell
   (steps) and some higher (falls), and up ramps of 27 to 63 degrees. measured[0]: volume on top of the cliffs (m³), in
   theory 0; [1]: the highest run-up, in energy heads of the tip, in theory at most 1. */
void case_climb(double measured[MOST_MEASURES]) {
    const onrush all[] = {{0.1, 0.1, 1.0, 1.1, 0},   {0.1, 0.1, 2.0, 1.1, 0},  {0.1, 0.1, 4.0, 1.1, 0},
                          {1.0, 0.1, 2.0, 1.1, 0},   {1.0, 0.1, 4.0, 1.1, 0},  {5e-4, 1e-3, 0.3, 1.1, 0},
                          {0.1, 0.1, 2.0, 2.0, 0},   {0.02, 0.1, 3.0, 1.5, 0}, {0.1, 0.1, 2.0, 1.1, 5},
                          {0.02, 0.1, 3.0, 1.1, 20}, {1e-3, 1e-3, 0.3, 1.1, 3}};
    measured[0] = measured[1] = 0.0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) measured[0] += climbed_volume(&all[i]);
    for (int i = 0; i < 6; i++)
        measured[1] = worse(measured[1], run_up_height(0.02, 0.1, i % 2 ? 4.0 : 2.0, (double[]){0.5, 1.0, 2.0}[i / 2]));
}

/* ---- Shells ------------------------------------------------------------------------------------------------------ */

static const double shell_cell = 5e-4, shell_film = 1e-3, shell_viscosity = 4e-6; /* m, m, m^2/s */

/* Returns the viscosity (m²/s) at which the film on this slope (tangent) has a Froude number of 0.4. Above 1/2 roll
   waves would grow, on planes without shells too, and the film would not be as even as Nusselt's. */
static double calming_viscosity(double slope) {
    return GRAVITY * slope * shell_film * shell_film / (3.0 * (1.0 + slope * slope)) /
           (0.4 * sqrt(GRAVITY * shell_film));
}

/* Creates a dry world of nx x ny cells from a solid, which it takes over. `s`: settings; a viscosity of 0 becomes that
   of this case. Aborts on failure; the caller destroys the world. */
static rn_world *shell_world(rn_sdf *solid, int nx, int ny, double lid, setup s) {
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = nx;
    def.cells_y = ny;
    def.cell_size = shell_cell;
    def.solid = solid;
    def.bottom = -0.01;
    def.lid = lid;
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) abort();
    if (s.viscosity == 0.0) s.viscosity = shell_viscosity;
    return make_world_on(terrain, &s);
}

/* An endless incline of three shells over solid ground. thickness: that of a shell, measured vertically, as a share of
   its rise per cell. degrees: slope; azimuth: its direction. */
typedef struct shells {
    double degrees, azimuth, thickness;
} shells;

/* Returns the solid below the incline that has the height z (m) at the origin. The caller, or the shape that it joins,
   owns it. */
static rn_sdf *solid_below(const shells *s, double z) {
    const double slope = tan(s->degrees * PI / 180.0), a = s->azimuth * PI / 180.0;
    return rn_sdf_plane((rn_vec3){0.0, 0.0, z}, (rn_vec3){slope * cos(a), slope * sin(a), 1.0});
}

/* Returns the sum of the depths of all columns in a layer (m). */
static double depth_of_layer(const rn_world *world, int layer) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0;
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) sum += d.data[layer * d.layer_stride + y * d.row_stride + x];
    return sum;
}

/* Returns the sum of all fluxes in a layer (m³/s), along x or y as `field` says. */
static double flux_of_layer(const rn_world *world, rn_field field, int layer) {
    const rn_view f = rn_world_view(world, field);
    double sum = 0.0;
    for (int y = 0; y < f.cells_y; y++)
        for (int x = 0; x < f.cells_x; x++) sum += f.data[layer * f.layer_stride + y * f.row_stride + x];
    return sum;
}

/* Runs a film, 1 mm deep and of this viscosity (m²/s), on the uppermost shell for ten time constants. Raises *lost to
   the share (%) that is elsewhere then and, unless NULL, *off to the error of its speed against Nusselt's (%). Aborts
   if the world does not have a layer on each shell. */
static void film_on_shells(const shells *s, double viscosity, double *lost, double *off) {
    enum { SHELLS = 3 };
    const int nx = s->azimuth == 0.0 ? 48 : 20, ny = s->azimuth == 0.0 ? 1 : nx;
    const double slope = tan(s->degrees * PI / 180.0), a = s->azimuth * PI / 180.0, e = 1.0 + slope * slope;
    const double rise = slope * shell_cell, thick = s->thickness * rise, room = 4.0 * rise + 5.0 * shell_film;
    const double drop_x = rise * cos(a) * nx, drop_y = ny > 1 ? rise * sin(a) * ny : 0.0, foot = drop_x + drop_y;
    rn_sdf *solid = solid_below(s, foot);
    for (int i = 1; i <= SHELLS; i++)
        solid = rn_sdf_union(
            solid, rn_sdf_subtract(solid_below(s, foot + i * room), solid_below(s, foot + i * room - thick), 0.0), 0.0);
    rn_world *world = shell_world(
        solid, nx, ny, foot + (SHELLS + 1) * room,
        (setup){.viscosity = viscosity, .periodic_x = true, .periodic_y = ny > 1, .drop_x = drop_x, .drop_y = drop_y});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = shell_film});
    const double tau = shell_film * shell_film / (3.0 * viscosity * e), speed = GRAVITY * slope / e * tau;
    const double before = depth_of_layer(world, SHELLS);
    if (rn_world_describe(world).layers != SHELLS + 1 || !(before > 0.0)) abort();
    for (int i = 0; i < 100; i++) rn_world_step(world, 0.1 * tau);
    const double x = flux_of_layer(world, RN_FIELD_FLUX_X, SHELLS),
                 y = ny > 1 ? flux_of_layer(world, RN_FIELD_FLUX_Y, SHELLS) : 0.0;
    *lost = worse(*lost, 100.0 * (1.0 - depth_of_layer(world, SHELLS) / before));
    if (off) *off = worse(*off, percent(hypot(x, y) / (before * shell_cell), speed));
    rn_world_destroy(world);
}

/* Runs a film around the top of a tent, a thin cone of 60 degrees, for 0.1 s. `thickness`: the thickness of the tent,
   measured vertically, as a share of its rise per cell. Returns the share (%) that is inside, before the film reaches
   the ground. Aborts if the world does not have two layers. */
static double lost_into_tent(double thickness) {
    enum { N = 72 };
    const double slope = sqrt(3.0), radius = 16e-3, middle = 0.5 * N * shell_cell, high = slope * radius,
                 thick = thickness * slope * shell_cell;
    const rn_vec3 at = {middle + 1e-4, middle - 7e-5, 0.5 * high}, within = {at.x, at.y, 0.5 * high - thick};
    rn_sdf *tent = rn_sdf_subtract(rn_sdf_move(rn_sdf_cone(radius, 0.0, high), at),
                                   rn_sdf_move(rn_sdf_cone(radius, 0.0, high), within), 0.0);
    rn_sdf *ground = rn_sdf_plane((rn_vec3){0}, (rn_vec3){0.0, 0.0, 1.0});
    rn_world *world = shell_world(rn_sdf_union(ground, tent, 0.0), N, N, high + 0.01, (setup){0});
    rn_sdf *top = rn_sdf_move(rn_sdf_cylinder(0.4 * radius, 4.0 * high), at);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = shell_film, .shape = top});
    rn_sdf_destroy(top);
    for (int i = 0; i < 20; i++) rn_world_step(world, 5e-3);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE);
    if (d.layers != 2) abort();
    double inside = 0.0, outside = 0.0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const ptrdiff_t i = y * d.row_stride + x, above = i + d.layer_stride;
            if (b.data[above] >= RN_NO_COLUMN) outside += d.data[i];
            else inside += d.data[i], outside += d.data[above];
        }
    rn_world_destroy(world);
    return 100.0 * inside / (inside + outside);
}

/* Films on steep shells thinner than their rise per cell must not leak. measured[0]: the largest share lost (%); [1]:
   the largest error of the speed of the film against Nusselt's (%). */
void case_shell(double measured[MOST_MEASURES]) {
    const shells all[] = {{45.0, 0.0, 0.6}, {60.0, 0.0, 0.6},  {60.0, 0.0, 0.3},
                          {75.0, 0.0, 0.6}, {60.0, 30.0, 0.6}, {60.0, 45.0, 0.3}};
    measured[0] = measured[1] = 0.0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        film_on_shells(&all[i], shell_viscosity, &measured[0], NULL);
        film_on_shells(&all[i], calming_viscosity(tan(all[i].degrees * PI / 180.0)), &measured[0], &measured[1]);
    }
    measured[0] = worse(measured[0], worse(lost_into_tent(0.6), lost_into_tent(0.3)));
}
