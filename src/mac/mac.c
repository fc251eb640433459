/* The 3D liquid: its memory, what goes in and what can be read. mac/step.c has its motion. */
#include "mac/mac.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mac/multigrid.h"
#include "mac/particles.h"
#include "mac/solids.h"
#include "mac/state.h"
#include "mac/step.h"
#include "mac/surface.h"
#include "mac/viscosity.h"

#include <math.h>
#include <string.h>

rn_mac_def rn_mac_default(void) { return (rn_mac_def){.gravity = {0.0, 0.0, -9.81}}; }

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static double or_default(double value, double otherwise) { return value != 0.0 ? value : otherwise; }

static rn_mac_def with_defaults(const rn_mac_def *def) {
    rn_mac_def all = *def;
    all.flip_share = or_default(def->flip_share, 0.97);
    all.courant = or_default(def->courant, 3.0);
    all.gravity_courant = or_default(def->gravity_courant, 0.2);
    all.tolerance = or_default(def->tolerance, 1e-5);
    all.density_time = or_default(def->density_time, 0.1);
    return all;
}

static rn_result check_value(const char *name, double value, double least, double most, const char *unit) {
    if (value >= least && value <= most) return RN_OK;
    return rn_fail(RN_INVALID, "\"%s\" is %g; it must be from %g to %g%s", name, value, least, most, unit);
}

static rn_result check_cells(const rn_mac_def *def) {
    const int n[3] = {def->cells_x, def->cells_y, def->cells_z};
    for (int a = 0; a < 3; a++)
        if (n[a] < 1 || n[a] > RN_MAC_LONGEST)
            return rn_fail(RN_INVALID, "\"cells\" has %d along %c; it must be from 1 to %d", n[a], "xyz"[a],
                           RN_MAC_LONGEST);
    if (def->periodic_x && def->cells_x % 8 != 0)
        return rn_fail(RN_INVALID, "\"cells\" has %d along x; a periodic box needs a multiple of 8", def->cells_x);
    return RN_OK;
}

static rn_result check_def(const rn_mac_def *def) {
    const struct {
        const char *name;
        double value, least, most;
        const char *unit;
    } values[] = {
        {"cell_size", def->cell_size, 1e-6, 1e4, " m"},
        {"gravity", fabs(def->gravity.x) + fabs(def->gravity.y) + fabs(def->gravity.z), 0.0, 1e4, " m/s^2"},
        {"viscosity", def->viscosity, 0.0, 1e3, " m^2/s"},
        {"flip_share", def->flip_share, 0.0, 1.0, ""},
        {"courant", def->courant, 0.1, 10.0, " cells"},
        {"gravity_courant", def->gravity_courant, 1e-3, 10.0, ""},
        {"tolerance", def->tolerance, 1e-7, 0.1, ""},
        {"density_time", def->density_time, -1e6, 1e6, " s"},
    };
    rn_result result = check_cells(def);
    for (size_t i = 0; i < sizeof values / sizeof *values && result == RN_OK; i++)
        result = check_value(values[i].name, values[i].value, values[i].least, values[i].most, values[i].unit);
    return result;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Arrays over cells. X(pointer, count, bytes of an element, condition) */
#define CELL_ARRAYS(X)                                                                                                 \
    X(start, cells + 1, int32_t, true)                                                                                 \
    X(kind, cells, uint8_t, true)                                                                                      \
    X(known[0], cells, uint8_t, true)                                                                                  \
    X(known[1], cells, uint8_t, true)                                                                                  \
    X(known[2], cells, uint8_t, true)                                                                                  \
    X(known_to[0], cells, uint8_t, true)                                                                               \
    X(known_to[1], cells, uint8_t, true)                                                                               \
    X(known_to[2], cells, uint8_t, true)                                                                               \
    X(velocity[0], cells, float, true)                                                                                 \
    X(velocity[1], cells, float, true)                                                                                 \
    X(velocity[2], cells, float, true)                                                                                 \
    X(before[0], cells, float, flip)                                                                                   \
    X(before[1], cells, float, flip)                                                                                   \
    X(before[2], cells, float, flip)                                                                                   \
    X(distance, cells, float, true)                                                                                    \
    X(open[0], cells, float, true)                                                                                     \
    X(open[1], cells, float, true)                                                                                     \
    X(open[2], cells, float, true)                                                                                     \
    X(has_surface, rows, bool, true)                                                                                   \
    X(first, rows, int32_t, true)                                                                                      \
    X(last, rows, int32_t, true)                                                                                       \
    X(narrow_first, rows, int32_t, true)                                                                               \
    X(narrow_last, rows, int32_t, true)                                                                                \
    X(scratch, 6 * cells, float, true)                                                                                 \
    X(particles.tally, RN_MAC_SORT_CHUNKS *rows, int32_t, true)

size_t rn_mac_grid_bytes(const rn_mac_def *def) {
    const rn_mac_grid g = rn_mac_grid_of(def->cells_x, def->cells_y, def->cells_z);
    const size_t cells = (size_t)g.cells, rows = (size_t)g.rows;
    const bool flip = def->transfer == RN_MAC_FLIP;
    size_t bytes = rn_mac_multigrid_bytes(&g, def->periodic_x);
    if (def->viscosity > 0.0) bytes += rn_mac_viscosity_bytes(&g);
#define ADD(pointer, count, type, condition) bytes += (condition) ? (count) * sizeof(type) : 0;
    CELL_ARRAYS(ADD)
#undef ADD
    return bytes;
}

static int values_of(const rn_mac_def *def) {
    return def->transfer == RN_MAC_APIC ? RN_MAC_VALUES : RN_MAC_VALUES_PLAIN;
}

size_t rn_mac_particle_bytes(const rn_mac_def *def) {
    return ((size_t)values_of(def) + 1) * sizeof(float) + 2 * sizeof(uint32_t);
}

static bool allocate(rn_mac *mac) {
    const size_t cells = (size_t)mac->grid.cells, rows = (size_t)mac->grid.rows;
    const bool flip = mac->def.transfer == RN_MAC_FLIP;
#define ALLOCATE(pointer, count, type, condition)                                                                      \
    if ((condition) && !(mac->pointer = rn_alloc(&mac->hooks, count, sizeof(type)))) return false;
    CELL_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return rn_mac_multigrid_create(mac) && rn_mac_viscosity_create(mac);
}

void rn_mac_destroy(rn_mac *mac) {
    if (!mac) return;
    const rn_hooks hooks = mac->hooks;
    rn_pool_destroy(mac->pool);
    rn_mac_multigrid_free(mac);
    rn_mac_viscosity_free(mac);
#define RELEASE(pointer, count, type, condition) rn_free(&hooks, mac->pointer);
    CELL_ARRAYS(RELEASE)
#undef RELEASE
    rn_mac_particles_free(mac);
    rn_free(&hooks, mac->nodes);
    rn_free(&hooks, mac->room);
    rn_free(&hooks, mac);
}

static rn_result fill_new(rn_mac *mac) {
    mac->pool = rn_pool_create(&mac->hooks, mac->def.threads);
    if (!mac->pool || !allocate(mac)) return RN_MEMORY;
    rn_mac_open_box(mac);
    rn_mac_make_table(mac);
    return rn_mac_particles_reserve(mac, 1);
}

rn_result rn_mac_create(const rn_mac_def *def, rn_mac **mac) {
    const rn_mac_def all = with_defaults(def);
    *mac = NULL;
    const rn_result fine = check_def(&all);
    if (fine != RN_OK) return fine;
    rn_mac *made = rn_alloc(all.hooks, 1, sizeof *made);
    if (!made) return RN_MEMORY;
    made->def = all;
    if (all.hooks) made->hooks = *all.hooks;
    made->def.hooks = NULL;
    made->grid = rn_mac_grid_of(all.cells_x, all.cells_y, all.cells_z);
    made->cell = (float)all.cell_size;
    made->particles.values = values_of(&all);
    const rn_result result = fill_new(made);
    if (result == RN_OK) *mac = made;
    else rn_mac_destroy(made);
    return result;
}

/* ---- What goes in ------------------------------------------------------------------------------------------------ */

rn_result rn_mac_set_solid(rn_mac *mac, rn_mac_distance distance, void *user) {
    const size_t nx = (size_t)mac->grid.n[0] + 1, ny = (size_t)mac->grid.n[1] + 1, nz = (size_t)mac->grid.n[2] + 1;
    if (!mac->nodes && !(mac->nodes = rn_alloc(&mac->hooks, nx * ny * nz, sizeof(float)))) return RN_MEMORY;
    if (!mac->room && !(mac->room = rn_alloc(&mac->hooks, (size_t)mac->grid.cells, sizeof(float)))) return RN_MEMORY;
    const double cell = mac->def.cell_size;
    for (size_t k = 0; k < nz; k++)
        for (size_t j = 0; j < ny; j++)
            for (size_t i = 0; i < nx; i++) {
                const rn_vec3 at = {cell * (double)i, cell * (double)j, cell * (double)k};
                mac->nodes[i + nx * (j + ny * k)] = (float)(distance(user, at) / cell);
            }
    rn_mac_cut_cells(mac);
    return RN_OK;
}

/* ---- Seeding ----------------------------------------------------------------------------------------------------- */

/* A number from 0 to 1 for each site of the lattice. */
static float noise(uint32_t site, uint32_t axis) {
    uint32_t x = site * 3u + axis + 1u;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return (float)(x >> 8) / 16777216.0f;
}

/* Thresholds from 0 to 1 that are evenly spread among sites close to each other: the sequence of Roberts 2018. */
static double threshold(int i, int j, int k) {
    const double sum = 0.5 + 0.8191725133961645 * i + 0.6710436067037893 * j + 0.5497004779019703 * k;
    return sum - floor(sum);
}

/* A box of liquid. Each half of a cell along each axis is a site of one particle, a little off its middle. At the
   surface of the shape, sites are filled in part: of those, as many get a particle as fill the shape, in their filled
   part. */
typedef struct filling {
    rn_mac *mac;
    double low[3], high[3]; /* cells */
    rn_mac_distance distance;
    void *user;
    float velocity[3];
} filling;

#define JITTER 0.15f /* cells, width */
#define SITE   0.5   /* cells */

/* Cells, from a place to the surface of what is to be filled, negative inside. */
static double distance_to(const filling *f, const double at[3]) {
    const rn_mac *mac = f->mac;
    const double cell = mac->def.cell_size;
    double distance = -1e30;
    for (int a = 0; a < 3; a++) distance = fmax(distance, fmax(f->low[a] - at[a], at[a] - f->high[a]));
    if (f->distance)
        distance = fmax(distance, f->distance(f->user, (rn_vec3){cell * at[0], cell * at[1], cell * at[2]}) / cell);
    if (mac->nodes) {
        const float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
        float slope[3];
        distance = fmax(distance, -(double)rn_mac_solid_distance(mac, place, slope));
    }
    return distance;
}

/* Moves a place by so many cells away from the surface, into the liquid. */
static void move_inwards(const filling *f, double at[3], double way) {
    const double near = 0.05;
    double slope[3], length = 1e-30;
    for (int a = 0; a < 3; a++) {
        double ahead[3] = {at[0], at[1], at[2]}, back[3] = {at[0], at[1], at[2]};
        ahead[a] += near;
        back[a] -= near;
        slope[a] = distance_to(f, ahead) - distance_to(f, back);
        length += slope[a] * slope[a];
    }
    for (int a = 0; a < 3; a++) at[a] -= way * slope[a] / sqrt(length);
}

/* Whether a site gets a particle, and where. */
static bool seed_site(const filling *f, const int site[3], double at[3]) {
    const uint32_t number = (uint32_t)site[0] + 2048u * ((uint32_t)site[1] + 2048u * (uint32_t)site[2]);
    for (int a = 0; a < 3; a++) at[a] = SITE * (site[a] + 0.5);
    const double filled = 0.5 - distance_to(f, at) / SITE;
    if (!(filled > threshold(site[0], site[1], site[2]))) return false;
    for (int a = 0; a < 3; a++) at[a] += (double)(JITTER * (noise(number, (uint32_t)a) - 0.5f));
    if (filled < 1.0) move_inwards(f, at, 0.5 * SITE * (1.0 - filled));
    for (int a = 0; a < 3; a++) at[a] = fmin(fmax(at[a], 0.01), f->mac->grid.n[a] - 0.01);
    return true;
}

/* Adds a row of particles, or only counts them. */
static int32_t fill_row(const filling *f, int j, int k, bool add) {
    rn_mac_particles *p = &f->mac->particles;
    int32_t count = 0;
    for (int i = (int)(f->low[0] / SITE); i < 2 * f->mac->grid.n[0] && i < f->high[0] / SITE; i++) {
        double at[3];
        if (!seed_site(f, (const int[3]){i, j, k}, at)) continue;
        for (int a = 0; add && a < 3; a++) {
            p->value[RN_MAC_AT + a][p->count + count] = (float)at[a];
            p->value[RN_MAC_SPEED + a][p->count + count] = f->velocity[a];
            for (int v = RN_MAC_AFFINE + 3 * a; v < p->values && v < RN_MAC_AFFINE + 3 * a + 3; v++)
                p->value[v][p->count + count] = 0.0f;
        }
        count++;
    }
    return count;
}

static int64_t fill_box(const filling *f, bool add) {
    const int *n = f->mac->grid.n;
    int64_t total = 0;
    for (int k = (int)(f->low[2] / SITE); k < 2 * n[2] && k < f->high[2] / SITE; k++)
        for (int j = (int)(f->low[1] / SITE); j < 2 * n[1] && j < f->high[1] / SITE; j++) {
            const int32_t count = fill_row(f, j, k, add);
            if (add) f->mac->particles.count += count;
            total += count;
        }
    return total;
}

rn_result rn_mac_add_liquid(rn_mac *mac, rn_vec3 low, rn_vec3 high, rn_mac_distance distance, void *user,
                            rn_vec3 velocity) {
    const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    filling f = {.mac = mac, .distance = distance, .user = user};
    f.velocity[0] = (float)velocity.x, f.velocity[1] = (float)velocity.y, f.velocity[2] = (float)velocity.z;
    for (int a = 0; a < 3; a++) {
        if (!(isfinite(from[a]) && isfinite(to[a]) && fabsf(f.velocity[a]) < 1e6f))
            return rn_fail(RN_INVALID, "liquid from %g to %g m at %g m/s along %c: these must be finite numbers",
                           from[a], to[a], (double)f.velocity[a], "xyz"[a]);
        f.low[a] = fmin(fmax(from[a] / mac->def.cell_size, 0.0), mac->grid.n[a]);
        f.high[a] = fmin(fmax(to[a] / mac->def.cell_size, 0.0), mac->grid.n[a]);
    }
    const int64_t count = fill_box(&f, false);
    if (count > INT32_MAX)
        return rn_fail(RN_LIMIT, "the liquid would have %lld particles; at most %d are possible", (long long)count,
                       INT32_MAX);
    const rn_result result = rn_mac_particles_reserve(mac, (int32_t)count);
    if (result != RN_OK) return result;
    fill_box(&f, true);
    rn_mac_particles_sort(mac);
    return RN_OK;
}

void rn_mac_spin(rn_mac *mac, rn_vec3 centre, rn_vec3 omega) {
    rn_mac_particles *p = &mac->particles;
    const double cell = mac->def.cell_size;
    /* Rows of the gradient of omega x r. */
    const double turn[3][3] = {{0.0, -omega.z, omega.y}, {omega.z, 0.0, -omega.x}, {-omega.y, omega.x, 0.0}};
    for (int32_t n = 0; n < p->count; n++) {
        const double r[3] = {cell * (double)p->value[RN_MAC_AT][n] - centre.x,
                             cell * (double)p->value[RN_MAC_AT + 1][n] - centre.y,
                             cell * (double)p->value[RN_MAC_AT + 2][n] - centre.z};
        for (int a = 0; a < 3; a++) {
            p->value[RN_MAC_SPEED + a][n] += (float)(turn[a][0] * r[0] + turn[a][1] * r[1] + turn[a][2] * r[2]);
            for (int b = 0; b < 3 && p->values == RN_MAC_VALUES; b++)
                p->value[RN_MAC_AFFINE + 3 * a + b][n] += (float)(turn[a][b] * cell);
        }
    }
}

/* ---- What can be read -------------------------------------------------------------------------------------------- */

double rn_mac_time(const rn_mac *mac) { return mac->time; }
int64_t rn_mac_particle_count(const rn_mac *mac) { return mac->particles.count; }

static rn_vec3 three(const rn_mac_particles *p, int value, int64_t n, double scale) {
    return (rn_vec3){scale * (double)p->value[value][n], scale * (double)p->value[value + 1][n],
                     scale * (double)p->value[value + 2][n]};
}

rn_mac_particle rn_mac_particle_at(const rn_mac *mac, int64_t n) {
    const rn_mac_particles *p = &mac->particles;
    const double cell = mac->def.cell_size;
    rn_mac_particle one = {.position = three(p, RN_MAC_AT, n, cell), .velocity = three(p, RN_MAC_SPEED, n, 1.0)};
    for (int a = 0; a < 3 && p->values == RN_MAC_VALUES; a++)
        one.gradient[a] = three(p, RN_MAC_AFFINE + 3 * a, n, 1.0 / cell);
    return one;
}

static double cell_volume(const rn_mac *mac) { return mac->def.cell_size * mac->def.cell_size * mac->def.cell_size; }

double rn_mac_volume(const rn_mac *mac) { return cell_volume(mac) * mac->particles.count / RN_MAC_REST; }

double rn_mac_filled_volume(const rn_mac *mac) {
    double cells = 0.0;
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int32_t c = row.at; row.inside && c < row.at + mac->grid.n[0]; c++)
            if (rn_mac_is_wet(mac->kind[c])) cells += mac->room ? (double)mac->room[c] : 1.0;
    }
    return cells * cell_volume(mac);
}

double rn_mac_fastest(const rn_mac *mac) {
    double most = 0.0;
    for (int32_t n = 0; n < mac->particles.count; n++) {
        const rn_vec3 v = three(&mac->particles, RN_MAC_SPEED, n, 1.0);
        most = fmax(most, v.x * v.x + v.y * v.y + v.z * v.z);
    }
    return sqrt(most);
}

uint64_t rn_mac_hash(const rn_mac *mac) {
    uint64_t hash = rn_hash_double(RN_HASH_START, mac->time);
    for (int v = 0; v < mac->particles.values; v++)
        hash = rn_hash_floats(hash, mac->particles.value[v], (size_t)mac->particles.count);
    return hash;
}
