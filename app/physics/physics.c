/* What the cases of `runnel validate` share (physics.h): making and filling worlds, random terrains, basins joined by
   tunnels, and bodies that drift. */
#include "physics/physics.h"

#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with status 1 after printing rn_last_error() unless `ok`. */
static void exit_unless(bool ok) {
    if (ok) return;
    fprintf(stderr, "runnel validate: %s\n", rn_last_error());
    exit(1);
}

rn_world *make_world_on(rn_terrain *terrain, const setup *s) {
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.liquid.viscosity = s->viscosity;
    if (s->liquid) def.liquid = *s->liquid;
    def.contact = s->contact;
    if (s->tilt_x != 0.0 || s->tilt_y != 0.0)
        def.gravity =
            (rn_vec3){s->tilt_x, s->tilt_y, -sqrt(GRAVITY * GRAVITY - s->tilt_x * s->tilt_x - s->tilt_y * s->tilt_y)};
    for (int side = 0; s->open && side < 4; side++) def.edges[side] = RN_EDGE_OPEN;
    def.friction = s->friction > 0.0 ? s->friction : 1.0;
    def.manning = s->manning;
    def.chezy = s->chezy;
    def.give_back = s->give_back;
    def.drop_x = s->drop_x;
    def.drop_y = s->drop_y;
    def.max_substeps = s->max_substeps;
    def.model = s->model;
    choose_method(&def, s->passages);
    if (s->courant > 0.0) def.courant = s->courant;
    if (s->packets.count > 0) def.packets = s->packets;
    if (s->threads > 0) def.threads = s->threads;
    if (s->solver_iterations > 0) def.solver_iterations = s->solver_iterations;
    def.hooks = s->hooks;
    if (s->periodic_x) def.edges[RN_SIDE_WEST] = def.edges[RN_SIDE_EAST] = RN_EDGE_PERIODIC;
    if (s->periodic_y) def.edges[RN_SIDE_SOUTH] = def.edges[RN_SIDE_NORTH] = RN_EDGE_PERIODIC;
    if (s->open_west) def.edges[RN_SIDE_WEST] = RN_EDGE_OPEN;
    if (s->open_east) def.edges[RN_SIDE_EAST] = RN_EDGE_OPEN;
    rn_world *world = NULL;
    exit_unless(rn_world_create(&def, &world) == RN_OK);
    rn_terrain_destroy(terrain);
    return world;
}

rn_terrain *make_terrain(int nx, int ny, double cell, double lid, const rn_column *columns, const int32_t *counts) {
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = nx;
    def.cells_y = ny;
    def.cell_size = cell;
    def.lid = lid;
    def.columns = columns;
    def.columns_per_cell = counts;
    rn_terrain *terrain = NULL;
    exit_unless(rn_terrain_create(&def, &terrain) == RN_OK);
    return terrain;
}

rn_world *make_world(const setup *s) {
    int cells = s->nx * s->ny;
    rn_column *columns = calloc((size_t)cells, sizeof *columns);
    int32_t *counts = calloc((size_t)cells, sizeof *counts);
    exit_unless(columns && counts);
    for (int i = 0; i < cells; i++) {
        columns[i] = (rn_column){-INFINITY, s->heights ? s->heights[i] : 0.0, s->lid};
        counts[i] = 1;
    }
    rn_terrain *terrain = make_terrain(s->nx, s->ny, s->cell, s->lid, columns, counts);
    free(columns);
    free(counts);
    return make_world_on(terrain, s);
}

void set_depths(rn_world *world, const double *depths) {
    rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < view.cells_y; y++)
        for (int x = 0; x < view.cells_x; x++) view.data[y * view.row_stride + x] = (float)depths[y * view.cells_x + x];
    rn_world_commit(world);
}

double depth_at(rn_world *world, int x, int y) {
    rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
    return view.data[y * view.row_stride + x];
}

void hold_side(rn_world *world, rn_side side, double level) {
    rn_source_def def = rn_source_default();
    def.kind = RN_SOURCE_LEVEL;
    def.level = level;
    def.along_side = true;
    def.side = side;
    exit_unless(rn_world_add_source(world, &def) >= 0);
}

double random_unit(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* Returns the state of the random numbers of cell (x, y); with STACKS_SYMMETRIC, mirror images of a cell share it. */
static uint32_t cell_seed(int cells, int x, int y, uint32_t seed, stack_kind kind) {
    if (kind == STACKS_SYMMETRIC) {
        if (x > cells - 1 - x) x = cells - 1 - x;
        if (y > cells - 1 - y) y = cells - 1 - y;
        if (x < y) {
            int swap = x;
            x = y;
            y = swap;
        }
    }
    uint32_t state = seed * 2654435769u + (uint32_t)(y * cells + x) * 40503u;
    for (int i = 0; i < 4; i++) random_unit(&state);
    return state;
}

rn_terrain *random_stacks(int cells, int most, double cell, uint32_t seed, stack_kind kind) {
    const double lid = 0.045;
    rn_column *columns = calloc((size_t)(cells * cells * most), sizeof *columns);
    int32_t *counts = calloc((size_t)(cells * cells), sizeof *counts);
    exit_unless(columns && counts);
    int found = 0;
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++) {
            uint32_t state = cell_seed(cells, x, y, seed, kind);
            int count = 1 + (int)(random_unit(&state) * most);
            double z = 0.006 * random_unit(&state), under = -INFINITY;
            double odd = kind == STACKS_RAGGED ? random_unit(&state) : 1.0;
            if (odd < 0.06) count = 0;                      /* a hole */
            else if (odd < 0.14) count = 1, z = lid - 1e-8; /* a wall */
            else if (odd < 0.2) under = z - 0.002;          /* a solid over nothing */
            for (int layer = 0; layer < count; layer++) {
                double ceil = z + 0.0008 + 0.005 * random_unit(&state);
                columns[found++] = (rn_column){under, z, layer == count - 1 ? lid : ceil};
                under = ceil;
                z = ceil + 0.0005 + 0.002 * random_unit(&state);
            }
            counts[y * cells + x] = count;
        }
    rn_terrain *terrain = make_terrain(cells, cells, cell, lid, columns, counts);
    free(columns);
    free(counts);
    return terrain;
}

double broken_columns(const rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            c = rn_world_view(world, RN_FIELD_CEIL);
    const double quantum = rn_world_describe(world).quantum;
    double broken = 0.0;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++) {
                ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                if (b.data[i] >= RN_NO_COLUMN) continue;
                double depth = d.data[i], count = depth / quantum;
                broken += !(depth >= 0.0 && depth <= (double)c.data[i] - b.data[i]) || count != rint(count);
            }
    return broken;
}

double percent(double measured, double theory) { return 100.0 * fabs(measured / theory - 1.0); }

/* The arguments of side_by_side(). */
typedef struct many {
    void (*work)(void *context, int i);
    void *context;
} many;

/* A task: calls the work of `context`, a many, for `begin` to `end` - 1. */
static void run_range(void *context, int begin, int end, int worker) {
    const many *m = context;
    (void)worker;
    for (int i = begin; i < end; i++) m->work(m->context, i);
}

void side_by_side(int count, void (*work)(void *context, int i), void *context) {
    rn_pool *pool = rn_pool_create(NULL, 0);
    exit_unless(pool != NULL);
    rn_parallel_for(pool, count, run_range, &(many){work, context});
    rn_pool_destroy(pool);
}

void skip_case(double measured[MOST_MEASURES]) {
    for (int i = 0; i < MOST_MEASURES; i++) measured[i] = -INFINITY;
}

bool was_skipped(double measure) { return measure == -INFINITY; }

double worse(double a, double b) { return a >= b || isnan(a) ? a : b; }

/* ---- Basins joined by tunnels ----------------------------------------------------------------------------- */

plan plan_solid(int nx, int ny) {
    plan p = {.nx = nx, .ny = ny, .tunnel = UTUBE_TUNNEL, .chamber = 1.6 * UTUBE_TUNNEL};
    exit_unless(nx * ny <= MOST_PLAN);
    plan_draw(&p, 0, 0, nx, ny, '#');
    return p;
}

void plan_draw(plan *p, int x, int y, int wide, int high, char letter) {
    for (int j = y; j < y + high; j++)
        for (int i = x; i < x + wide; i++) p->letters[j * p->nx + i] = letter;
}

rn_world *plan_world(const plan *p, const setup *s) {
    const double cell = s->cell > 0.0 ? s->cell : UTUBE_CELL, lid = s->lid > 0.0 ? s->lid : 30e-3;
    rn_column columns[MOST_PLAN];
    int32_t counts[MOST_PLAN];
    for (int i = 0; i < p->nx * p->ny; i++) {
        const char letter = p->letters[i];
        columns[i] = (rn_column){-INFINITY, letter == '#' ? lid - 1e-3 : 0.0,
                                 letter == '.'   ? p->tunnel
                                 : letter == ':' ? p->chamber
                                                 : lid};
        counts[i] = 1;
    }
    return make_world_on(make_terrain(p->nx, p->ny, cell, lid, columns, counts), s);
}

/* Returns true if a letter of a plan stands for a basin, 'A' to 'H'. */
static bool is_basin(char letter) { return letter >= 'A' && letter < 'A' + MOST_BASINS; }

void plan_fill(rn_world *world, const plan *p, const double *levels) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), c = rn_world_view(world, RN_FIELD_CEIL);
    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++) {
            const char letter = p->letters[y * p->nx + x];
            const ptrdiff_t i = y * d.row_stride + x;
            d.data[i] = letter == '#' ? 0.0f : is_basin(letter) ? (float)levels[letter - 'A'] : c.data[i];
        }
    rn_world_commit(world);
}

double plan_level(const rn_world *world, const plan *p, char basin) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < p->nx * p->ny; i++) {
        if (p->letters[i] != basin) continue;
        sum += d.data[i / p->nx * d.row_stride + i % p->nx];
        count++;
    }
    return sum / count;
}

plan utube_plan(int length) {
    plan p = plan_solid(2 * UTUBE_BASIN + length, 1);
    plan_draw(&p, 0, 0, UTUBE_BASIN, 1, 'A');
    plan_draw(&p, UTUBE_BASIN, 0, length, 1, '.');
    plan_draw(&p, UTUBE_BASIN + length, 0, UTUBE_BASIN, 1, 'B');
    return p;
}

/* Solves for small oscillations of a chain of columns. In basins of depth H, the levels cos(theta (i + 1/2)), counted
   from the outer wall, oscillate with omega = 2 sqrt(gH)/dx sin(theta/2). The last columns of the two basins have
   opposite levels, h_n and -h_n, and their difference drives the L + 1 pipes of height c between them. They take the
   flux that another column, n + 1, of the basin would take: H (h_n - h_(n+1)) = c 2 h_n/(L + 1). Finds theta by
   bisection. */
double utube_wave(int length) {
    double low = 0.0, high = 3.14159265358979 / (2 * UTUBE_BASIN);
    for (int i = 0; i < 60; i++) {
        const double theta = 0.5 * (low + high), last = cos(theta * (UTUBE_BASIN - 0.5));
        const double taken = UTUBE_LEVEL * (last - cos(theta * (UTUBE_BASIN + 0.5)));
        if (taken < 2.0 * UTUBE_TUNNEL * last / (length + 1)) low = theta;
        else high = theta;
    }
    return low;
}

double utube_frequency(int length) {
    return 2.0 * sqrt(GRAVITY * UTUBE_LEVEL) / UTUBE_CELL * sin(0.5 * utube_wave(length));
}

plan bend_plan(void) {
    plan p = plan_solid(36, 40);
    plan_draw(&p, 0, 0, 12, 12, 'A');
    plan_draw(&p, 12, 4, 20, 4, '.');
    plan_draw(&p, 28, 8, 4, 20, '.');
    plan_draw(&p, 24, 28, 12, 12, 'B');
    return p;
}

double step_within_limit(rn_world *world) {
    const double dt = fmin(0.9 * rn_world_get_stats(world).limit, 1.0 / 60.0);
    exit_unless(rn_world_step(world, dt) == RN_OK);
    return dt;
}

double first_crossing(rn_world *world, const plan *p, char a, char b, double until) {
    double time = 0.0, before = plan_level(world, p, a) - plan_level(world, p, b);
    while (time < until) {
        const double dt = step_within_limit(world), after = plan_level(world, p, a) - plan_level(world, p, b);
        time += dt;
        if ((after > 0.0) != (before > 0.0)) return time - dt * after / (after - before);
        before = after;
    }
    return NAN;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

int make_body(rn_world *world, rn_body_def def, rn_shape *shape) {
    exit_unless(shape != NULL);
    def.shape = shape;
    const int body = rn_bodies_add(world, &def);
    exit_unless(body >= 0);
    rn_shape_destroy(shape);
    return body;
}

rn_vec3 turned_by(rn_quat q, rn_vec3 v) {
    const rn_vec3 t = {2.0 * (q.y * v.z - q.z * v.y), 2.0 * (q.z * v.x - q.x * v.z), 2.0 * (q.x * v.y - q.y * v.x)};
    return (rn_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                     v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

rn_quat turn_about(rn_vec3 axis, double angle) {
    const double by = sin(0.5 * angle) / sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    return (rn_quat){by * axis.x, by * axis.y, by * axis.z, cos(0.5 * angle)};
}

adrift set_adrift(const rn_world *world, int body) {
    const rn_body_info info = rn_bodies_describe(world, body);
    return (adrift){body, info.mass, {info.inertia[0][0], info.inertia[1][1], info.inertia[2][2]}, info.pose};
}

/* Returns the rotation q, normalised, after turning with angular velocity `spin` (rad/s, in the world's axes) for this
   time (s), by one Euler step. */
static rn_quat rotate_by_spin(rn_quat q, rn_vec3 spin, double seconds) {
    const double x = 0.5 * seconds * spin.x, y = 0.5 * seconds * spin.y, z = 0.5 * seconds * spin.z;
    const rn_quat r = {q.x + x * q.w + y * q.z - z * q.y, q.y + y * q.w + z * q.x - x * q.z,
                       q.z + z * q.w + x * q.y - y * q.x, q.w - x * q.x - y * q.y - z * q.z};
    const double by = 1.0 / sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    return (rn_quat){by * r.x, by * r.y, by * r.z, by * r.w};
}

/* Changes the angular velocity of `it` by a torque (N m, in the world's axes) for this time (s): Euler's equations in
   the body's own axes. */
static void apply_torque(adrift *it, rn_vec3 torque, double seconds) {
    const rn_quat q = it->pose.turn, back = {-q.x, -q.y, -q.z, q.w};
    const double *i = it->inertia;
    const rn_vec3 t = turned_by(back, torque), w = turned_by(back, it->pose.spin);
    const rn_vec3 spin = {w.x + seconds * (t.x - (i[2] - i[1]) * w.y * w.z) / i[0],
                          w.y + seconds * (t.y - (i[0] - i[2]) * w.z * w.x) / i[1],
                          w.z + seconds * (t.z - (i[1] - i[0]) * w.x * w.y) / i[2]};
    it->pose.spin = turned_by(q, spin);
}

void drift_on(rn_world *world, adrift *bodies, int count, double seconds) {
    for (int k = 0; k < count; k++) {
        adrift *it = &bodies[k];
        const rn_body_load load = rn_bodies_load(world, it->body);
        rn_vec3 *v = &it->pose.velocity, *at = &it->pose.at;
        const double by = seconds / it->mass;
        *v =
            (rn_vec3){v->x + by * load.force.x, v->y + by * load.force.y, v->z + by * load.force.z - seconds * GRAVITY};
        *at = (rn_vec3){at->x + seconds * v->x, at->y + seconds * v->y, at->z + seconds * v->z};
        apply_torque(it, load.torque, seconds);
        it->pose.turn = rotate_by_spin(it->pose.turn, it->pose.spin, seconds);
        exit_unless(rn_bodies_move(world, it->body, &it->pose) == RN_OK);
    }
    exit_unless(rn_world_step(world, seconds) == RN_OK);
}
