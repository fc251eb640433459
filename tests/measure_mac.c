/* Figures of the 3D liquid, for docs/mac.md:

   - measure_mac dam CELLS FRAMES THREADS [GRAVITY]: a dam break in a box of 1 m: time, iterations, volume; GRAVITY is
     gravity_courant, 0 for the default;
   - measure_mac swing CELLS AMPLITUDE: the period of a basin 1 m long and 0.5 m deep, against theory; amplitude in m;
   - measure_mac film CELLS: the speed of Nusselt's film, CELLS deep;
   - measure_mac rim VISCOSITY FRAMES: depths of columns against their particles in scenes/fig18.json (m^2/s). */
#include "mac/mac.h"
#include "mac/state.h"
#include "world/mac.h"

#include <runnel/runnel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(void) {
    fprintf(stderr, "measure_mac: %s\n", rn_last_error());
    return 1;
}

/* ---- A dam break ------------------------------------------------------------------------------------------------- */

static void print_memory(const rn_mac_def *def, const rn_mac *mac) {
    const double cells = (double)def->cells_x * def->cells_y * def->cells_z;
    printf("%lld particles, %.1f bytes a cell, %zu a particle\n", (long long)rn_mac_particle_count(mac),
           (double)rn_mac_grid_bytes(def) / cells, rn_mac_particle_bytes(def));
}

/* Whether there is no air within three cells of cell (i, j, k) in any direction. */
static bool is_far_from_air(const rn_mac *mac, int i, int j, int k) {
    enum { BAND = 3 };
    const int at[3] = {i, j, k};
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = at[a] > BAND ? at[a] - BAND : 0;
        high[a] = at[a] + BAND < mac->grid.n[a] ? at[a] + BAND : mac->grid.n[a] - 1;
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++)
                if (mac->kind[rn_mac_cell(&mac->grid, x, y, z)] == RN_MAC_AIR) return false;
    return true;
}

/* The share of particles that a narrow band of three cells would not need. */
static double deep_share(const rn_mac *mac) {
    double deep = 0.0;
    for (int k = 0; k < mac->grid.n[2]; k++)
        for (int j = 0; j < mac->grid.n[1]; j++)
            for (int i = 0; i < mac->grid.n[0]; i++) {
                const int32_t c = rn_mac_cell(&mac->grid, i, j, k);
                if (is_far_from_air(mac, i, j, k)) deep += mac->start[c + 1] - mac->start[c];
            }
    return deep / (double)rn_mac_particle_count(mac);
}

static int run_dam(rn_mac *mac, int frames) {
    const double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    double low = 1.0, high = 1.0, filled = 0.0, last = 0.0, substeps = 0.0;
    int iterations = 0, density_iterations = 0;
    for (int frame = 0; frame < frames; frame++) {
        rn_mac_report report;
        if (rn_mac_step(mac, 1.0 / 30.0, &report) != RN_OK) return fail();
        const double density = rn_mac_density(mac);
        low = fmin(low, density);
        high = fmax(high, density);
        last = rn_mac_filled_volume(mac) / rn_mac_volume(mac);
        filled += last / frames;
        substeps += (double)report.substeps / frames;
        iterations = report.most_iterations > iterations ? report.most_iterations : iterations;
        density_iterations =
            report.most_density_iterations > density_iterations ? report.most_density_iterations : density_iterations;
    }
    printf("%.3f s a frame, %.3f s of processor time, %.1f substeps, at most %d iterations (density %d)\n",
           (seconds_of(CLOCK_MONOTONIC) - wall) / frames, (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / frames,
           substeps, iterations, density_iterations);
    printf("density %.4f to %.4f, volume within the surface %.4f on average, %.4f in the end\n", low, high, filled,
           last);
    printf("%.3f of the particles are more than three cells from air in the end; hash %016llx\n", deep_share(mac),
           (unsigned long long)rn_mac_hash(mac));
    return 0;
}

static int measure_dam(int cells, int frames, int threads, double gravity_courant) {
    rn_mac_def def = rn_mac_default();
    def.gravity_courant = gravity_courant;
    def.cells_x = def.cells_y = def.cells_z = cells;
    def.cell_size = 1.0 / cells;
    def.threads = threads;
    rn_mac *mac = NULL;
    const rn_vec3 low = {0.0, 0.0, 0.0}, high = {0.4, 1.0, 5.0 / 12.0};
    if (rn_mac_create(&def, &mac) != RN_OK) return fail();
    if (rn_mac_add_liquid(mac, low, high, NULL, NULL, low) != RN_OK) return fail();
    print_memory(&def, mac);
    const int result = run_dam(mac, frames);
    rn_mac_destroy(mac);
    return result;
}

/* ---- Waves and films --------------------------------------------------------------------------------------------- */

static rn_vec3 mean_of(const rn_mac *mac, bool speed) {
    rn_vec3 sum = {0.0, 0.0, 0.0};
    const int64_t count = rn_mac_particle_count(mac);
    for (int64_t n = 0; n < count; n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        const rn_vec3 *value = speed ? &p.velocity : &p.position;
        sum.x += value->x / (double)count;
        sum.z += value->z / (double)count;
    }
    return sum;
}

static const double pi = 3.14159265358979323846, depth = 0.5;

static double below_wave(void *user, rn_vec3 at) { return at.z - depth - *(double *)user * cos(pi * at.x); }

static int measure_swing(int cells, double amplitude) {
    rn_mac_def def = rn_mac_default();
    def.cells_x = def.cells_z = cells;
    def.cells_y = 4;
    def.cell_size = 1.0 / cells;
    rn_mac *mac = NULL;
    const rn_vec3 low = {0.0, 0.0, 0.0}, high = {1.0, 1.0, 0.95};
    if (rn_mac_create(&def, &mac) != RN_OK) return fail();
    if (rn_mac_add_liquid(mac, low, high, below_wave, &amplitude, low) != RN_OK) return fail();
    double first = 0.0, last = 0.0, before = 0.0;
    int crossings = 0;
    for (int frame = 0; frame < 240; frame++) {
        if (rn_mac_step(mac, 1.0 / 60.0, NULL) != RN_OK) return fail();
        const double x = mean_of(mac, false).x - 0.5;
        if (frame && x * before < 0.0) {
            last = rn_mac_time(mac) - 1.0 / 60.0 * x / (x - before);
            if (!crossings++) first = last;
        }
        before = x;
    }
    const double period = 2.0 * (last - first) / (crossings - 1),
                 theory = 2.0 * pi / sqrt(9.81 * pi * tanh(pi * depth));
    printf("swing: period %.4f s, theory %.4f s (%+.2f %%)\n", period, theory, 100.0 * (period / theory - 1.0));
    rn_mac_destroy(mac);
    return 0;
}

static int measure_film(int cells) {
    const double g = 0.1, high = 1e-3 * cells;
    rn_mac_def def = rn_mac_default();
    def.cells_x = 8;
    def.cells_y = 4;
    def.cells_z = cells + 8;
    def.cell_size = 1e-3;
    def.viscosity = 1e-4;
    def.gravity = (rn_vec3){0.5 * g, 0.0, -sqrt(0.75) * g};
    def.periodic_x = true;
    def.no_slip = RN_MAC_Z_LOW;
    rn_mac *mac = NULL;
    const rn_vec3 low = {0.0, 0.0, 0.0};
    if (rn_mac_create(&def, &mac) != RN_OK) return fail();
    if (rn_mac_add_liquid(mac, low, (rn_vec3){1.0, 1.0, high}, NULL, NULL, low) != RN_OK) return fail();
    if (rn_mac_step(mac, 5.0 * high * high / def.viscosity, NULL) != RN_OK) return fail();
    const double theory = 0.5 * g * high * high / (3.0 * def.viscosity), speed = mean_of(mac, true).x;
    printf("film: %.5f m/s, theory %.5f m/s (%+.2f %%)\n", speed, theory, 100.0 * (speed / theory - 1.0));
    rn_mac_destroy(mac);
    return 0;
}

/* ---- Thin films -------------------------------------------------------------------------------------------------- */

/* Columns and their liquid (cells), by depth and by particles. */
typedef struct part {
    double columns, depth, particles;
} part;

/* The particles of a column, in cells of liquid. */
static double particles_in(const rn_mac *mac, int x, int y) {
    double count = 0.0;
    for (int k = 0; k < mac->grid.n[2]; k++) {
        const int32_t c = rn_mac_cell(&mac->grid, x, y, k);
        count += mac->start[c + 1] - mac->start[c];
    }
    return count / RN_MAC_REST;
}

/* Whether a column and its eight neighbours are deeper than a cell. */
static bool is_inner(const rn_view *depths, float cell, int x, int y) {
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (!(depths->data[(y + j) * depths->row_stride + x + i] > cell)) return false;
    return true;
}

static int measure_rim(const char *viscosity, int frames) {
    char change[64];
    snprintf(change, sizeof change, "liquid.viscosity=%.40s", viscosity);
    const char *const set[1] = {change};
    const rn_scene_def def = {.path = "scenes/fig18.json", .set = set, .set_count = 1};
    rn_scene *scene = NULL;
    if (rn_scene_open(&def, &scene) != RN_OK) return fail();
    for (int i = 0; i < frames; i++)
        if (rn_scene_step(scene) != RN_OK) return fail();
    rn_world *world = rn_scene_world(scene);
    const rn_mac *mac = world->mac->mac;
    const rn_view depths = rn_world_view(world, RN_FIELD_DEPTH);
    part parts[2] = {{0}}; /* the rim, and the rest */
    for (int y = 1; y < depths.cells_y - 1; y++)
        for (int x = 1; x < depths.cells_x - 1; x++) {
            const double here = (double)depths.data[y * depths.row_stride + x] / (double)mac->cell,
                         particles = particles_in(mac, x, y);
            part *to = &parts[is_inner(&depths, mac->cell, x, y)];
            to->columns += here > 0.0 || particles > 0.0;
            to->depth += here;
            to->particles += particles;
        }
    for (int i = 0; i < 2; i++)
        printf("%s: %.0f columns with %.0f cells of liquid; their depths are %.3f of that\n", i ? "inside" : "rim",
               parts[i].columns, parts[i].particles, parts[i].depth / parts[i].particles);
    const rn_audit audit = rn_world_audit(world);
    printf("all depths %.4f, ledger %.4f of the particles; density deep in the liquid %.4f\n",
           (parts[0].depth + parts[1].depth) / (parts[0].particles + parts[1].particles),
           audit.present / rn_mac_volume(mac), rn_mac_density(mac));
    rn_scene_close(scene);
    return 0;
}

int main(int count, char **words) {
    if ((count == 5 || count == 6) && strcmp(words[1], "dam") == 0)
        return measure_dam(atoi(words[2]), atoi(words[3]), atoi(words[4]), count == 6 ? atof(words[5]) : 0.0);
    if (count == 4 && strcmp(words[1], "swing") == 0) return measure_swing(atoi(words[2]), atof(words[3]));
    if (count == 3 && strcmp(words[1], "film") == 0) return measure_film(atoi(words[2]));
    if (count == 4 && strcmp(words[1], "rim") == 0) return measure_rim(words[2], atoi(words[3]));
    fprintf(
        stderr,
        "measure_mac dam CELLS FRAMES THREADS [GRAVITY], swing CELLS AMPLITUDE, film CELLS or rim VISCOSITY FRAMES\n");
    return 2;
}
