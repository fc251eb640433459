/* Saves, checks, restores and hashes the arrays of columns, by the pass of the archive.

   Interface: the last part of solver/archive.h. rn_columns_archive handles bases, ceilings, depths, fluxes and
   partial solids, rn_columns_archive_friction friction and contact angles; rn_columns_hash_row and
   rn_columns_hash_parts add one row to the hash.

   Order of calls: solver/pipes_archive.c and solver/packets_archive.c begin their section with rn_columns_archive,
   which sets a->layers for all that follows, and call rn_columns_archive_friction once they know that state and
   world have the same kinds of friction.

   Algorithm: arrays are written in the order of RN_COLUMN_ARRAYS, row by row without the rim. A state may have other
   columns than the world it is restored to, because solids have moved: the differences are then first passed to the
   solver as a batch of changes, and the arrays are read into the new columns. Checks: bases and ceilings are whole
   quanta in order, depths are whole quanta within their columns, and partial solids lie within theirs. Hashes name
   rows by the slots of the first layout (row_name), so that hashes of old files stay valid when the padding changes. */
#include "base/hash.h"
#include "base/maths.h"
#include "solver/archive.h"
#include "solver/reshaping.h"

#include <math.h>
#include <string.h>

/* ---- Checks -------------------------------------------------------------------------------------------------- */

/* The index of each array, in the order of the list; and the first array that exists only with partial solids. */
enum {
#define NUMBER(type, name, extent, role) AT_##name,
    RN_COLUMN_ARRAYS(NUMBER)
#undef NUMBER
        ARRAYS = AT_kappa, /* friction is saved separately */
    PLAIN_ARRAYS = AT_solid_low,
};

/* The saved arrays of columns. */
typedef struct planes {
    const rn_archive *a;
    const rn_grid *g;
    size_t rows;  /* offset where they begin */
    size_t plane; /* bytes of one layer */
    bool partial;
} planes;

/* A saved value; `array` is an AT_... number. The caller ensures that the bytes hold all arrays. */
static float saved_value(const planes *p, int array, int layer, int y, int x) {
    const size_t index = ((size_t)layer * (size_t)p->g->ny + (size_t)y) * (size_t)p->g->nx + (size_t)x;
    return rn_archive_float_at(p->a, p->rows + (size_t)array * p->plane, index);
}

/* The saved partial solid of a column; only if p->partial. */
static rn_partial_solid saved_part(const planes *p, int layer, int y, int x) {
    return (rn_partial_solid){saved_value(p, AT_solid_low, layer, y, x), saved_value(p, AT_solid_high, layer, y, x),
                              saved_value(p, AT_solid_depth, layer, y, x)};
}

/* Whether a flux (m^3/s) is small enough to be squared in a step without leaving the range of floats. Real liquid is
   far below. */
static bool is_flux(float flux) { return fabsf(flux) <= 1e16f; }

/* Whether a partial solid lies within its column (base to ceil, m) and leaves part of it open, in whole quanta (m). One
   of depth 0 is always valid. */
static bool is_valid_part(const rn_partial_solid *part, double base, double ceil, double quantum) {
    if (part->depth == 0.0f) return true;
    return part->low >= base && part->high <= ceil && part->depth > 0.0f && part->depth < part->high - part->low &&
           rn_is_whole(part->depth, quantum) && rn_is_whole(part->low, quantum) && rn_is_whole(part->high, quantum);
}

/* Whether the saved columns of a cell lie one above the other below the lid, in whole quanta, have valid partial
   solids, hold no more than they have room for, and sinks nothing. Adds their liquid (quanta) to a->present. */
static bool is_valid_cell(const planes *p, const rn_columns *c, rn_archive *a, int x, int y) {
    const double q = c->quantum;
    double lowest = -2.0 * (double)c->cell;
    bool more = true;
    for (int l = 0; l < a->layers; l++) {
        const double base = saved_value(p, AT_base, l, y, x), ceil = saved_value(p, AT_ceil, l, y, x),
                     depth = saved_value(p, AT_depth, l, y, x);
        if (base == (double)RN_NO_COLUMN) {
            if (ceil != (double)RN_NO_COLUMN || depth != 0.0) return false;
            more = false;
            continue;
        }
        const bool sink = l == 0 && base == -2.0 * (double)c->cell;
        if (!more || !(base >= (sink ? lowest : rn_max(lowest, 0.0)) && ceil > base && ceil <= (double)c->lid))
            return false;
        if (!rn_is_whole(base, q) || !rn_is_whole(ceil, q) || !rn_is_whole(depth, q)) return false;
        const rn_partial_solid part = p->partial ? saved_part(p, l, y, x) : (rn_partial_solid){0};
        const float level_before = p->partial ? saved_value(p, AT_pre_move_level, l, y, x) : 0.0f;
        if (!is_valid_part(&part, base, ceil, q) || !(level_before >= RN_NEW && level_before <= 1e9f)) return false;
        if (!(depth >= 0.0 && depth <= (sink ? 0.0 : ceil - base - (double)part.depth))) return false;
        a->present += (int64_t)(depth / q);
        lowest = ceil;
    }
    return true;
}

/* Whether all saved columns and fluxes are valid. Adds their liquid (quanta) to a->present. */
static bool are_valid_columns(const planes *p, const rn_columns *c, rn_archive *a) {
    for (int y = 0; y < p->g->ny; y++)
        for (int x = 0; x < p->g->nx; x++)
            if (!is_valid_cell(p, c, a, x, y)) return false;
    for (int l = 0; l < a->layers; l++)
        for (int y = 0; y < p->g->ny; y++)
            for (int x = 0; x < p->g->nx; x++)
                if (!is_flux(saved_value(p, AT_flux_x, l, y, x)) || !is_flux(saved_value(p, AT_flux_y, l, y, x)))
                    return false;
    return true;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Lists in a->batch the changes that turn the world's columns into the saved ones: rn_reshape_add skips cells that do
   not differ. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result list_changes(const planes *p, const rn_columns *c, const rn_archive *a) {
    for (int y = 0; y < p->g->ny; y++)
        for (int x = 0; x < p->g->nx; x++) {
            rn_column_shape gaps[RN_MOST_LAYERS] = {0};
            int count = 0;
            for (; count < a->layers; count++) {
                gaps[count].base = saved_value(p, AT_base, count, y, x);
                gaps[count].ceil = saved_value(p, AT_ceil, count, y, x);
                if (gaps[count].base >= RN_NO_COLUMN) break;
                if (p->partial) gaps[count].part = saved_part(p, count, y, x);
            }
            const rn_result result = rn_reshape_add(a->batch, c, x, y, gaps, count);
            if (result != RN_OK) return result;
        }
    return RN_OK;
}

/* Whether the saved rows of an array in `layers` layers equal those of the world, whose higher layers must be empty.
   The world must have at least these layers. */
static bool same_rows(const planes *p, int array, int layers, const float *values) {
    for (int l = 0; l < p->g->layers; l++)
        for (int y = 0; y < p->g->ny; y++) {
            const float *row = values + rn_slot(p->g, l, y, 0);
            const size_t bytes = (size_t)p->g->nx * sizeof *row;
            for (int x = 0; l >= layers && x < p->g->nx; x++)
                if (row[x] < RN_NO_COLUMN) return false;
            const size_t at = p->rows + (size_t)array * p->plane + ((size_t)l * (size_t)p->g->ny + (size_t)y) * bytes;
            if (l < layers && memcmp(row, p->a->bytes + at, bytes) != 0) return false;
        }
    return true;
}

/* Whether the world already has the saved columns, which is the usual case. Returns false whenever either may have
   partial solids. */
static bool are_same(const planes *p, const rn_columns *c, int layers) {
    return layers <= c->grid.layers && !c->partial && !p->partial && same_rows(p, AT_base, layers, c->base) &&
           same_rows(p, AT_ceil, layers, c->ceil);
}

/* Gives the world the saved columns through the solver's `shape`. Their liquid is read later; layers above the saved
   ones become dry, and pre_move_level becomes 0 everywhere. On failure returns the code and message of `shape`, or
   RN_MEMORY. */
static rn_result make_columns(const planes *p, rn_columns *c, rn_archive *a, rn_archive_shape shape, void *self) {
    rn_reshape_begin(a->batch);
    rn_result result = are_same(p, c, a->layers) ? RN_OK : list_changes(p, c, a);
    if (result == RN_OK) result = shape(self, a, p->partial);
    if (result != RN_OK) return result;
    if (c->partial) memset(c->pre_move_level, 0, (size_t)c->grid.slots * sizeof *c->pre_move_level);
    for (int l = a->layers; l < c->grid.layers; l++)
        for (int y = 0; y < c->grid.ny; y++)
            memset(c->depth + rn_slot(&c->grid, l, y, 0), 0, (size_t)c->grid.nx * sizeof *c->depth);
    return RN_OK;
}

rn_result rn_columns_archive(rn_columns *c, rn_archive *a, rn_archive_shape shape, void *self) {
    int32_t layers = c->grid.layers;
    RN_ARCHIVE_VALUE(a, layers);
    if (layers < 1 || layers > RN_MOST_LAYERS) a->broken = true;
    if (a->broken) return RN_OK;
    a->layers = layers;
    uint8_t partial = c->partial;
    if (a->version >= RN_ARCHIVE_BODIES) RN_ARCHIVE_VALUE(a, partial);
    else if (rn_archive_is_reading(a)) partial = 0;
    const planes p = {.a = a,
                      .g = &c->grid,
                      .rows = a->at,
                      .plane = (size_t)layers * (size_t)c->grid.ny * (size_t)c->grid.nx * sizeof(float),
                      .partial = partial};
    const size_t bytes = (size_t)(partial ? ARRAYS : PLAIN_ARRAYS) * p.plane;
    if (rn_archive_is_reading(a) && bytes > a->size - a->at) a->broken = true;
    if (a->broken) return RN_OK;
    if (a->pass == RN_CHECK) {
        if (!a->trusted && !are_valid_columns(&p, c, a)) a->broken = true;
        a->at += a->broken ? 0 : bytes;
        return RN_OK;
    }
    const rn_result result = a->pass == RN_READ ? make_columns(&p, c, a, shape, self) : RN_OK;
    if (result != RN_OK) return result;
#define KEEP(type, name, extent, role)                                                                                 \
    if (AT_##name < PLAIN_ARRAYS || (AT_##name < ARRAYS && partial)) rn_archive_rows(a, &c->grid, c->name);
    RN_COLUMN_ARRAYS(KEEP)
#undef KEEP
    return RN_OK;
}

void rn_columns_archive_friction(rn_columns *c, rn_archive *a) {
    if (c->rough) rn_archive_bounded_rows(a, &c->grid, c->kappa, 0.0f, 1e30f);
    if (c->laws) rn_archive_bounded_rows(a, &c->grid, c->manning, 0.0f, 1e30f);
    if (c->laws) rn_archive_bounded_rows(a, &c->grid, c->chezy, 0.0f, 1e30f);
    if (c->angles) rn_archive_bounded_rows(a, &c->grid, c->advancing, 0.0f, 2.0f);
    if (c->angles) rn_archive_bounded_rows(a, &c->grid, c->receding, 0.0f, 2.0f);
    if (a->pass == RN_READ) rn_columns_roughen_rim(c);
}

enum { EXTENT_SLOTS, EXTENT_PARTS, EXTENT_ROUGH, EXTENT_LAWS, EXTENT_ANGLES };
enum { ROLE_STATE, ROLE_SHAPE, ROLE_SETTLING };

/* ---- Hashing ---------------------------------------------------------------------------------------------------- */

/* Whether a row, given by its first slot, has any column or sink. */
static bool has_columns(const rn_columns *c, int32_t row) {
    for (int x = 0; x < c->grid.nx; x++)
        if (c->base[row + x] < RN_NO_COLUMN) return true;
    return false;
}

/* The number that stands for a row in the hash: that of the first hashes, whatever the padding is now. Hashes of old
   files depend on it. */
static uint64_t row_name(const rn_grid *g, int layer, int y) {
    enum { PAD = 16 };
    const int64_t stride = ((int64_t)g->nx + 2 * PAD + 1) / PAD * PAD + PAD;
    return (uint64_t)(PAD + stride * ((int64_t)layer * (g->ny + 2) + y + 1));
}

uint64_t rn_columns_hash_row(const rn_columns *c, rn_archive *a, int layer, int y) {
    const int32_t row = rn_slot(&c->grid, layer, y, 0);
    if (!has_columns(c, row)) return 0;
    const uint64_t name = row_name(&c->grid, layer, y);
    a->hash = rn_hash_long(a->hash, name);
#define HASH(type, name, extent, role)                                                                                 \
    if (EXTENT_##extent == EXTENT_SLOTS && ROLE_##role != ROLE_SETTLING)                                               \
        a->hash = rn_hash_floats(a->hash, c->name + row, (size_t)c->grid.nx);
    RN_COLUMN_ARRAYS(HASH)
#undef HASH
    return name;
}

void rn_columns_hash_parts(const rn_columns *c, rn_archive *a, int layer, int y, uint64_t name) {
    const int32_t row = rn_slot(&c->grid, layer, y, 0);
    for (int x = 0; c->partial && x < c->grid.nx; x++) {
        if (!(c->solid_depth[row + x] > 0.0f)) continue;
        a->hash = rn_hash_long(a->hash, name + (uint64_t)x);
#define HASH(type, name, extent, role)                                                                                 \
    if (EXTENT_##extent == EXTENT_PARTS && ROLE_##role != ROLE_SETTLING)                                               \
        a->hash = rn_hash_floats(a->hash, c->name + row + x, 1);
        RN_COLUMN_ARRAYS(HASH)
#undef HASH
    }
}
