/* A world's state as bytes: for going back in memory, and for files.

   What is saved is listed once, in the order of the functions called `keep`: one walk measures, writes, checks or
   reads. Numbers are little-endian, as on every machine that runnel runs on. The bytes speak of cells and layers, never
   of slots, so that the layout in memory may change. */
#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "base/memory.h"
#include "solver/pipes.h"
#include "world/blocking.h"
#include "world/effective.h"
#include "world/pose.h"

#include <string.h>

/* Version 1 knows no heads, and only version 3 bodies: worlds without any are saved as version 2. */
enum { VERSION = 3, BODILESS = 2, OLDEST = 1, MARK = 0x4c4e5257 };

struct rn_snapshot {
    rn_hooks hooks;
    size_t size, capacity;
    uint8_t *bytes;
    bool trusted; /* written by this program: only its sizes are checked */
};

typedef enum pass { MEASURE, WRITE, CHECK, READ } pass;

typedef struct archive {
    pass pass;
    uint8_t *bytes;
    size_t size, at;
    int layers; /* of the state */
    uint32_t version;
    bool trusted;    /* values need no check */
    int64_t present; /* quanta in all columns, found while checking, */
    int64_t lent;    /* and those of them that bodies have added */
    bool broken;     /* cut short, or says what cannot be */
} archive;

/* One stretch of memory. While checking it is passed over, unless it is read by `look`. */
static void keep(archive *a, void *data, size_t size) {
    if (a->pass != MEASURE && size > a->size - a->at) a->broken = true;
    if (a->broken) return;
    if (a->pass == WRITE) memcpy(a->bytes + a->at, data, size);
    if (a->pass == READ) memcpy(data, a->bytes + a->at, size);
    a->at += size;
}

/* A value that decides what follows: read also while checking, into a copy. */
static void look(archive *a, void *data, size_t size) {
    if (a->pass != CHECK) {
        keep(a, data, size);
        return;
    }
    if (size > a->size - a->at) a->broken = true;
    if (a->broken) return;
    memcpy(data, a->bytes + a->at, size);
    a->at += size;
}

#define KEEP(value) keep(a, &(value), sizeof(value))
#define LOOK(value) look(a, &(value), sizeof(value))

/* Numbers lie within bounds, whoever wrote them. */
static void keep_within(archive *a, double *value, double low, double high) {
    double copy = *value;
    LOOK(copy);
    if (!(copy >= low && copy <= high)) a->broken = true;
    if (a->pass == READ && !a->broken) *value = copy;
}

static void keep_double(archive *a, double *value) { keep_within(a, value, -1e30, 1e30); }

static void keep_size(archive *a, float *value) {
    double wide = *value;
    keep_within(a, &wide, 0.0, 1e30);
    if (a->pass == READ) *value = (float)wide;
}

static void keep_place(archive *a, rn_vec3 *value) {
    keep_double(a, &value->x);
    keep_double(a, &value->y);
    keep_double(a, &value->z);
}

/* What must be the same in the world that is saved and in the one that is read into. Returns what it was. */
static int64_t same(archive *a, int64_t is) {
    int64_t was = is;
    LOOK(was);
    if (was != is) a->broken = true;
    return was;
}

static void same_double(archive *a, double is) {
    double was = is;
    LOOK(was);
    if (was != is) a->broken = true;
}

/* ---- The state of the solver --------------------------------------------------------------------------------- */

static void keep_rows(archive *a, const rn_grid *g, int layers, float *values) {
    for (int l = 0; l < layers; l++)
        for (int y = 0; y < g->ny; y++) keep(a, values + rn_slot(g, l, y, 0), (size_t)g->nx * sizeof *values);
}

/* A value of one column as the bytes have it; `rows` is where its array begins. */
static float saved(const archive *a, const rn_grid *g, size_t rows, int layer, int y, int x) {
    float value;
    const size_t index = ((size_t)layer * (size_t)g->ny + (size_t)y) * (size_t)g->nx + (size_t)x;
    memcpy(&value, a->bytes + rows + index * sizeof value, sizeof value);
    return value;
}

/* A step squares it, and must stay within floats. No liquid comes near. */
static bool is_flux(float flux) { return fabsf(flux) <= 1e16f; }

static bool is_whole(double value, double quantum) { return value / quantum == rint(value / quantum); }

enum { PLANES = 5, PART_PLANES = 4 }; /* of every column, and of columns that may be partly solid */

static rn_part saved_part(const archive *a, const rn_grid *g, size_t rows, size_t plane, int layer, int y, int x) {
    return (rn_part){saved(a, g, rows + PLANES * plane, layer, y, x),
                     saved(a, g, rows + (PLANES + 1) * plane, layer, y, x),
                     saved(a, g, rows + (PLANES + 2) * plane, layer, y, x)};
}

/* Within its column, and with some of it open. */
static bool check_part(const rn_part *part, double base, double ceil, double quantum) {
    if (part->taken == 0.0f) return true;
    return part->low >= base && part->high <= ceil && part->taken > 0.0f && part->taken < part->high - part->low &&
           is_whole(part->taken, quantum) && is_whole(part->low, quantum) && is_whole(part->high, quantum);
}

/* The columns of a cell must be in order, of whole quanta, and hold what they say. */
static bool check_cell(archive *a, const rn_state *s, size_t rows, size_t plane, int layers, bool parted, int x,
                       int y) {
    const double q = s->quantum;
    double lowest = -2.0 * (double)s->cell;
    bool more = true;
    for (int l = 0; l < layers; l++) {
        const double base = saved(a, &s->grid, rows, l, y, x), ceil = saved(a, &s->grid, rows + plane, l, y, x),
                     depth = saved(a, &s->grid, rows + 2 * plane, l, y, x);
        if (base == (double)RN_NO_COLUMN) {
            if (ceil != (double)RN_NO_COLUMN || depth != 0.0) return false;
            more = false;
            continue;
        }
        const bool sink = l == 0 && base == -2.0 * (double)s->cell;
        if (!more || !(base >= (sink ? lowest : rn_max(lowest, 0.0)) && ceil > base && ceil <= (double)s->lid))
            return false;
        if (!is_whole(base, q) || !is_whole(ceil, q) || !is_whole(depth, q)) return false;
        const rn_part part = parted ? saved_part(a, &s->grid, rows, plane, l, y, x) : (rn_part){0};
        const float felt = parted ? saved(a, &s->grid, rows + (PLANES + 3) * plane, l, y, x) : 0.0f;
        if (!check_part(&part, base, ceil, q) || !(felt >= RN_NEW && felt <= 1e9f)) return false;
        if (!(depth >= 0.0 && depth <= (sink ? 0.0 : ceil - base - (double)part.taken))) return false;
        a->present += (int64_t)(depth / q);
        lowest = ceil;
    }
    return true;
}

static bool check_columns(archive *a, const rn_state *s, size_t rows, int layers, bool parted) {
    const rn_grid *g = &s->grid;
    const size_t plane = (size_t)layers * (size_t)g->ny * (size_t)g->nx * sizeof(float);
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++)
            if (!check_cell(a, s, rows, plane, layers, parted, x, y)) return false;
    for (int l = 0; l < layers; l++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++)
                if (!is_flux(saved(a, g, rows + 3 * plane, l, y, x)) ||
                    !is_flux(saved(a, g, rows + 4 * plane, l, y, x)))
                    return false;
    return true;
}

/* Gives the world the columns that the bytes have, changing only what differs. */
static rn_result take_columns(const archive *a, rn_world *world, size_t rows, int layers, bool parted) {
    const rn_state *s = &world->state;
    const rn_grid *g = &s->grid;
    const size_t plane = (size_t)layers * (size_t)g->ny * (size_t)g->nx * sizeof(float);
    rn_reshaping *r = &world->solids.reshaping;
    rn_reshape_begin(r);
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            rn_gap gaps[RN_MOST_LAYERS] = {0};
            int count = 0;
            for (; count < layers; count++) {
                gaps[count].base = saved(a, g, rows, count, y, x);
                gaps[count].ceil = saved(a, g, rows + plane, count, y, x);
                if (gaps[count].base >= RN_NO_COLUMN) break;
                if (parted) gaps[count].part = saved_part(a, g, rows, plane, count, y, x);
            }
            rn_result result = rn_reshape_add(r, s, x, y, gaps, count);
            if (result != RN_OK) return result;
        }
    rn_result result = rn_reshape_apply(r, &world->state, world->pool);
    if (result == RN_OK) rn_solids_count(world);
    return result;
}

static bool same_rows(const archive *a, const rn_grid *g, int layers, size_t rows, const float *values) {
    for (int l = 0; l < g->layers; l++)
        for (int y = 0; y < g->ny; y++) {
            const float *row = values + rn_slot(g, l, y, 0);
            for (int x = 0; l >= layers && x < g->nx; x++)
                if (row[x] < RN_NO_COLUMN) return false;
            const size_t at = ((size_t)l * (size_t)g->ny + (size_t)y) * (size_t)g->nx * sizeof *row;
            if (l < layers && memcmp(row, a->bytes + rows + at, (size_t)g->nx * sizeof *row) != 0) return false;
        }
    return true;
}

static void keep_bounded_rows(archive *a, const rn_state *s, int layers, float *values, float least, float most) {
    const rn_grid *g = &s->grid;
    const size_t rows = a->at;
    keep_rows(a, g, layers, values);
    for (int l = 0; a->pass == CHECK && !a->trusted && l < layers && !a->broken; l++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                const float value = saved(a, g, rows, l, y, x);
                if (!(value >= least && value <= most)) a->broken = true;
            }
}

/* Loose pipes as the bytes have them: arrays of `count`, which speak of slots of the grid they were saved from. */
typedef struct saved_pipes {
    int32_t stride, layer_stride, first; /* of that grid */
    int32_t count;
    size_t from, to, axes, fluxes; /* where each array begins */
    size_t parts[4];               /* of what bodies shut, */
    bool parted;                   /* if there are bodies */
} saved_pipes;

/* What bodies shut of loose pipes. */
static void part_arrays(const rn_state *s, float *arrays[4]) {
    float *const all[] = {s->loose_low, s->loose_high, s->loose_shut, s->loose_speed};
    memcpy(arrays, all, sizeof all);
}

static int32_t int_at(const archive *a, size_t array, int32_t i) {
    int32_t value;
    memcpy(&value, a->bytes + array + (size_t)i * sizeof value, sizeof value);
    return value;
}

/* The slot that another grid's slot is in this one; -1 if there is none. */
static int32_t slot_from(const saved_pipes *p, const rn_grid *g, int32_t slot) {
    const rn_grid then = {.stride = p->stride, .layer_stride = p->layer_stride, .first = p->first};
    if (slot < 0) return -1;
    const rn_spot at = rn_slot_place(&then, slot);
    if (at.x < -1 || at.y < -1 || at.x > g->nx || at.y > g->ny || at.layer >= g->layers) return -1;
    return rn_slot(g, at.layer, at.y, at.x);
}

/* Falls in one layer were loose before version 0.2. */
static void take_fall(const archive *a, rn_state *s, const saved_pipes *p, int32_t i, int32_t from, int32_t to) {
    const bool along_x = a->bytes[p->axes + (size_t)i] == 0;
    const uint8_t *pipes = along_x ? s->pipe_x : s->pipe_y;
    if (from < 0 || to != from + (along_x ? 1 : s->grid.stride) || pipes[from] != RN_PIPE_FALL) return;
    memcpy(&(along_x ? s->flux_x : s->flux_y)[from], a->bytes + p->fluxes + (size_t)i * sizeof(float), sizeof(float));
}

/* What the bytes have of one loose pipe. */
static void take_pipe(const archive *a, rn_state *s, const saved_pipes *p, int32_t i, int32_t k) {
    const size_t at = (size_t)i * sizeof(float);
    float *arrays[4];
    part_arrays(s, arrays);
    memcpy(&s->loose_flux[k], a->bytes + p->fluxes + at, sizeof(float));
    for (int n = 0; p->parted && n < 4; n++) memcpy(&arrays[n][k], a->bytes + p->parts[n] + at, sizeof(float));
}

static void take_flux(const archive *a, rn_state *s, const saved_pipes *p, int32_t i) {
    const int32_t from = slot_from(p, &s->grid, int_at(a, p->from, i)),
                  to = slot_from(p, &s->grid, int_at(a, p->to, i));
    const rn_special *special = from >= 0 ? rn_special_of(s, from) : NULL;
    for (int32_t n = special ? special->begin : 0; special && n < special->end; n++) {
        const int32_t k = s->links[n] / 2;
        if (s->loose_a[k] == from && s->loose_b[k] == to && s->loose_axis[k] == a->bytes[p->axes + (size_t)i])
            take_pipe(a, s, p, i, k);
    }
    take_fall(a, s, p, i, from, to);
}

static bool same_pipes(const archive *a, const rn_state *s, const saved_pipes *p) {
    const size_t ints = (size_t)s->loose * sizeof(int32_t);
    return p->count == s->loose && p->stride == s->grid.stride && p->layer_stride == s->grid.layer_stride &&
           p->first == s->grid.first && memcmp(a->bytes + p->from, s->loose_a, ints) == 0 &&
           memcmp(a->bytes + p->to, s->loose_b, ints) == 0 &&
           memcmp(a->bytes + p->axes, s->loose_axis, (size_t)s->loose) == 0;
}

static void take_fluxes(const archive *a, rn_state *s, const saved_pipes *p) {
    if (same_pipes(a, s, p)) {
        for (int32_t i = 0; i < p->count; i++) take_pipe(a, s, p, i, i);
        return;
    }
    memset(s->loose_flux, 0, (size_t)s->loose * sizeof *s->loose_flux);
    for (int32_t i = 0; i < p->count; i++) take_flux(a, s, p, i);
}

/* Levels are NAN where it is dry: `gaps`. */
static void check_floats(archive *a, size_t from, size_t count, float most, bool gaps) {
    for (size_t i = 0; i < count && !a->broken; i++) {
        float value;
        memcpy(&value, a->bytes + from + i * sizeof value, sizeof value);
        if (!(fabsf(value) <= most) && !(gaps && isnan(value))) a->broken = true;
    }
}

static void check_fluxes(archive *a, const saved_pipes *p) {
    for (int32_t i = 0; i < p->count && !a->trusted && !a->broken; i++) {
        float flux;
        memcpy(&flux, a->bytes + p->fluxes + (size_t)i * sizeof flux, sizeof flux);
        if (!is_flux(flux)) a->broken = true;
    }
    const float most[] = {1e9f, 1e9f, 1.0f, 1e9f};
    for (int n = 0; p->parted && n < 4 && !a->trusted; n++)
        check_floats(a, p->parts[n], (size_t)p->count, most[n], false);
}

/* An array that is only passed over while reading: take_fluxes looks at all of them together. */
static size_t keep_array(archive *a, void *data, size_t size) {
    const size_t at = a->at;
    if (a->pass == MEASURE || a->pass == WRITE) keep(a, data, size);
    else if (size > a->size - a->at) a->broken = true;
    else a->at += size;
    return at;
}

static void keep_loose(archive *a, rn_state *s) {
    const rn_grid *g = &s->grid;
    saved_pipes p = {.stride = g->stride, .layer_stride = g->layer_stride, .first = g->first, .count = s->loose};
    float *parts[4];
    part_arrays(s, parts);
    p.parted = a->version > BODILESS;
    LOOK(p.stride);
    LOOK(p.layer_stride);
    LOOK(p.first);
    LOOK(p.count);
    if (p.count < 0 || p.stride < 1 || p.first < p.stride || p.layer_stride < p.first) a->broken = true;
    if (a->broken) return;
    const size_t count = (size_t)p.count;
    p.from = keep_array(a, s->loose_a, count * sizeof *s->loose_a);
    p.to = keep_array(a, s->loose_b, count * sizeof *s->loose_b);
    p.axes = keep_array(a, s->loose_axis, count * sizeof *s->loose_axis);
    p.fluxes = keep_array(a, s->loose_flux, count * sizeof *s->loose_flux);
    for (int n = 0; p.parted && n < 4; n++) p.parts[n] = keep_array(a, parts[n], count * sizeof *parts[n]);
    if (a->broken) return;
    if (a->pass == CHECK) check_fluxes(a, &p);
    if (a->pass == READ) take_fluxes(a, s, &p);
}

/* Heads of flooded columns, none before version 2. */
static void keep_heads(archive *a, rn_state *s, int layers) {
    const int32_t kept = a->version < 2 ? 0 : layers * s->grid.layer_stride; /* slots that are read below */
    if (a->pass == READ && s->headed) memset(s->head + kept, 0, (size_t)(s->grid.slots - kept) * sizeof *s->head);
    if (a->version < 2) return;
    same(a, s->headed);
    const size_t rows = a->at;
    if (s->headed && !a->broken) keep_bounded_rows(a, s, layers, s->head, RN_HEAD_PRESSED, 1e6f);
    for (int l = 0; a->pass == CHECK && s->headed && !a->trusted && !a->broken && l < layers; l++)
        for (int y = 0; y < s->grid.ny; y++)
            for (int x = 0; x < s->grid.nx; x++) {
                const float head = saved(a, &s->grid, rows, l, y, x);
                if (head < 0.0f && head != RN_HEAD_GONE && head != RN_HEAD_PRESSED) a->broken = true;
            }
}

static rn_result keep_state(archive *a, rn_world *world) {
    rn_state *s = &world->state;
    int32_t layers = s->grid.layers;
    same(a, s->grid.nx);
    same(a, s->grid.ny);
    same_double(a, world->ground.cell_size);
    same_double(a, world->datum);
    same_double(a, world->ground.lid);
    same_double(a, world->quantum);
    LOOK(layers);
    if (layers < 1 || layers > RN_MOST_LAYERS) a->broken = true;
    if (a->broken) return RN_OK;
    a->layers = layers;
    uint8_t parted = s->parted;
    if (a->version > BODILESS) LOOK(parted);
    else if (a->pass >= CHECK) parted = 0;
    const size_t plane = (size_t)layers * (size_t)s->grid.ny * (size_t)s->grid.nx * sizeof(float);
    const size_t rows = a->at, planes = (parted ? PLANES + PART_PLANES : PLANES) * plane;
    if (a->pass >= CHECK && planes > a->size - a->at) a->broken = true;
    if (a->pass == CHECK) {
        if (!a->broken && !a->trusted && !check_columns(a, s, rows, layers, parted)) a->broken = true;
        a->at += a->broken ? 0 : planes;
    } else {
        if (a->pass == READ) {
            rn_result result = rn_sources_make_room(world, layers);
            if (result == RN_OK) result = rn_graph_grow(s, layers);
            if (result == RN_OK && parted) result = rn_graph_part(s);
            if (result == RN_OK && !(!s->parted && same_rows(a, &s->grid, layers, rows, s->base) &&
                                     same_rows(a, &s->grid, layers, rows + plane, s->ceil)))
                result = take_columns(a, world, rows, layers, parted);
            if (result != RN_OK) return result;
            rn_blocking_shut(world);
            if (s->parted) memset(s->solid_felt, 0, (size_t)s->grid.slots * sizeof *s->solid_felt);
            for (int l = layers; l < s->grid.layers; l++)
                for (int y = 0; y < s->grid.ny; y++)
                    memset(s->depth + rn_slot(&s->grid, l, y, 0), 0, (size_t)s->grid.nx * sizeof *s->depth);
        }
        keep_rows(a, &s->grid, layers, s->base);
        keep_rows(a, &s->grid, layers, s->ceil);
        keep_rows(a, &s->grid, layers, s->depth);
        keep_rows(a, &s->grid, layers, s->flux_x);
        keep_rows(a, &s->grid, layers, s->flux_y);
        if (parted) {
            keep_rows(a, &s->grid, layers, s->solid_low);
            keep_rows(a, &s->grid, layers, s->solid_high);
            keep_rows(a, &s->grid, layers, s->solid_taken);
            keep_rows(a, &s->grid, layers, s->solid_felt); /* solid may have moved since the last substep */
        }
    }
    keep_loose(a, s);
    KEEP(s->step);
    same(a, s->rough);
    keep_heads(a, s, layers);
    if (s->rough) keep_bounded_rows(a, s, layers, s->kappa, 0.0f, 1e30f);
    return RN_OK;
}

/* ---- The rest of the world ------------------------------------------------------------------------------------- */

static void keep_ledger(archive *a, rn_ledger *book) {
    rn_ledger now = *book;
    LOOK(now.poured);
    LOOK(now.drained);
    LOOK(now.left);
    LOOK(now.displaced);
    now.lent = a->pass >= CHECK ? 0 : now.lent;
    if (a->version > BODILESS) LOOK(now.lent);
    keep_double(a, &now.refused);
    if (a->pass == CHECK && !a->trusted &&
        (uint64_t)a->present != (uint64_t)now.poured - (uint64_t)now.drained - (uint64_t)now.left -
                                    (uint64_t)now.displaced + (uint64_t)now.lent)
        a->broken = true;
    if (a->pass == CHECK && a->lent != now.lent) a->broken = true;
    if (a->pass == READ) *book = now;
}

static void keep_clock(archive *a, rn_world *world) {
    rn_world_stats *stats = &world->stats;
    int32_t substeps = stats->substeps;
    keep_double(a, &stats->time);
    keep_double(a, &stats->asked);
    KEEP(stats->steps);
    if (a->version >= 2) KEEP(world->flood.failures);
    KEEP(substeps);
    if (a->pass == READ) stats->substeps = substeps;
    keep_double(a, &stats->dt);
    keep_double(a, &stats->fastest);
    keep_double(a, &stats->deepest);
    keep_double(a, &world->frame_start);
}

/* What the next step size follows from. */
static void keep_pace(archive *a, rn_world *world) {
    rn_peak *peak = &world->peak;
    float *const values[] = {&peak->height, &peak->wave, &peak->speed, &peak->fast_speed, &peak->deepest,
                             &peak->top,    &peak->pace, &world->top,  &world->added,     &world->law.wave_dt};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) keep_size(a, values[i]);
    int32_t flags = world->touched | world->slowed << 1;
    LOOK(flags);
    if (a->pass != READ) return;
    world->touched = flags & 1;
    world->slowed = flags >> 1 & 1;
}

/* A column as cell and layer. */
static void keep_slot(archive *a, const rn_grid *g, int32_t *slot) {
    const rn_spot at = rn_slot_place(g, *slot);
    int32_t cell = at.y * g->nx + at.x, layer = at.layer;
    LOOK(cell);
    LOOK(layer);
    if (cell < 0 || cell >= g->nx * g->ny || layer < 0 || layer >= RN_MOST_LAYERS) a->broken = true;
    if (a->pass == READ && layer >= g->layers) layer = g->layers - 1;
    if (a->pass == READ && !a->broken) *slot = rn_slot(g, layer, cell / g->nx, cell % g->nx);
}

static void keep_value(archive *a, rn_world *world, const rn_source *source, rn_series *value) {
    int32_t knots = value->count;
    double constant = value->constant; /* a drain that takes all there is has an infinite rate */
    LOOK(constant);
    LOOK(knots);
    if (knots == 0 && !rn_source_can_have(source->kind, constant)) a->broken = true;
    if (a->pass == READ && !a->broken) value->constant = constant;
    if (knots != 0 && knots != value->count) a->broken = true;
    if (a->pass != READ || knots == value->count) return;
    rn_series_free(&world->hooks, value); /* the host has set a rate since */
    value->highest = value->constant;
}

static void keep_source(archive *a, rn_world *world, rn_source *source) {
    const rn_grid *g = &world->state.grid;
    const int32_t room = source->path ? rn_place_room(world, source->radius) : source->count;
    same(a, source->kind);
    same(a, source->path_count);
    keep_value(a, world, source, &source->value);
    int32_t count = source->count;
    LOOK(count);
    if (count < 0 || count > room) a->broken = true;
    if (a->pass == READ && !a->broken) source->count = count;
    for (int32_t i = 0; i < count && !a->broken; i++) {
        keep_slot(a, g, &source->slots[i]);
        keep_within(a, &source->weights[i], 0.0, 1.0);
        keep_within(a, &source->pending[i], 0.0, 1e9);
    }
    double lowest = isfinite(source->lowest) ? source->lowest : 1e30;
    keep_within(a, &source->heaviest, 0.0, 1.0);
    keep_double(a, &lowest);
    if (a->pass == READ) source->lowest = lowest >= 1e30 ? INFINITY : lowest;
    keep_place(a, &source->at);
    keep_within(a, &source->carried, 0.0, 1e18);
    keep_within(a, &source->owed, 0.0, 1.0);
    keep_within(a, &source->given, 0.0, 1e18);
    same(a, source->shares != NULL);
}

static void keep_sources(archive *a, rn_world *world, int layers) {
    int64_t count = (int64_t)world->source_count;
    LOOK(count);
    if (count < 0 || count > (int64_t)world->source_count) a->broken = true;
    for (int64_t i = 0; i < count && !a->broken; i++) {
        keep_source(a, world, &world->sources[i]);
        if (world->sources[i].shares) keep_bounded_rows(a, &world->state, layers, world->sources[i].shares, 0.0f, 1.0f);
    }
    if (a->pass == READ) rn_sources_keep(world, (size_t)count);
}

static void keep_gauges(archive *a, rn_world *world) {
    same(a, (int64_t)world->gauge_count);
    for (size_t i = 0; i < world->gauge_count && !a->broken; i++) {
        KEEP(world->gauges[i].passed);
        KEEP(world->gauges[i].before);
    }
}

/* ---- Solids ------------------------------------------------------------------------------------------------------ */

static void keep_solid(archive *a, const rn_world *world, rn_solid *solid) {
    int32_t flags = (solid->shape != NULL) | solid->hidden << 1;
    rn_cells *drawn = &solid->drawn, cells = *drawn;
    rn_vec3 at = solid->at, turn = solid->turn;
    LOOK(flags);
    keep_place(a, &at);
    keep_place(a, &turn);
    int32_t corners[] = {cells.x0, cells.y0, cells.x1, cells.y1};
    LOOK(corners);
    if (corners[0] < 0 || corners[1] < 0 || corners[2] > world->state.grid.nx || corners[3] > world->state.grid.ny)
        a->broken = true;
    if ((flags & 1) && !solid->shape) a->broken = true; /* it has been taken away since, and its shape with it */
    if (a->pass != READ || a->broken) return;
    if (!(flags & 1)) {
        rn_sdf_destroy(solid->shape);
        *solid = (rn_solid){0};
        return;
    }
    rn_sdf_place(solid->shape, at, turn);
    solid->hidden = flags >> 1 & 1;
    solid->at = at;
    solid->turn = turn;
    solid->drawn = (rn_cells){corners[0], corners[1], corners[2], corners[3]};
    solid->moved = false;
}

/* Ranges in order within each cell, the unused places at the end empty. */
static void check_ground(archive *a, const rn_world *world, size_t gaps, size_t cells, size_t layers) {
    const double sink = -2.0 * (double)world->state.cell;
    for (size_t c = 0; c < cells && !a->broken; c++) {
        double lowest = 0.0;
        bool more = true;
        for (size_t l = 0; l < layers; l++) {
            rn_range gap;
            memcpy(&gap, a->bytes + gaps + (c * layers + l) * sizeof gap, sizeof gap);
            if (gap.base == 0.0f && gap.ceil == 0.0f) {
                more = false;
                continue;
            }
            const bool low = l == 0 && gap.base == sink;
            if (!more || !(gap.base >= (low ? sink : lowest) && gap.ceil > gap.base && gap.ceil <= world->state.lid))
                a->broken = true;
            if (!is_whole(gap.base, world->quantum) || !is_whole(gap.ceil, world->quantum)) a->broken = true;
            lowest = gap.ceil;
        }
    }
}

static rn_result keep_solids(archive *a, rn_world *world) {
    rn_solids *all = &world->solids;
    int32_t layers = all->ground ? all->layers : 0;
    int64_t count = (int64_t)all->count;
    LOOK(layers);
    LOOK(count);
    if (layers < 0 || layers > RN_MOST_LAYERS || count < 0 || count > (int64_t)all->count) a->broken = true;
    if (a->broken) return RN_OK;
    rn_result result = a->pass == READ ? rn_solids_keep(world, layers, (size_t)count) : RN_OK;
    if (result != RN_OK) return result;
    const size_t cells = (size_t)world->state.grid.nx * (size_t)world->state.grid.ny, gaps = a->at;
    const size_t bytes = cells * (size_t)layers * sizeof *all->ground;
    if (a->pass == READ && layers > 0 && memcmp(all->ground, a->bytes + a->at, bytes) != 0) all->altered = true;
    if (layers > 0) keep(a, all->ground, bytes);
    if (a->pass == CHECK && !a->broken && !a->trusted) check_ground(a, world, gaps, cells, (size_t)layers);
    for (int64_t i = 0; i < count && !a->broken; i++) keep_solid(a, world, (rn_solid *)all->list + i);
    return RN_OK;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static void keep_pose(archive *a, rn_pose *pose) {
    LOOK(*pose); /* thirteen doubles */
    if (!rn_pose_kept(pose)) a->broken = true;
}

static void keep_load(archive *a, rn_body_load *load) {
    rn_vec3 *const parts[] = {&load->force, &load->torque, &load->buoyancy, &load->drag, &load->flow};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        double *const along[] = {&parts[i]->x, &parts[i]->y, &parts[i]->z};
        for (int k = 0; k < 3; k++) keep_within(a, along[k], -1e300, 1e300); /* damping may be absurd */
    }
    keep_double(a, &load->submerged);
    keep_double(a, &load->share);
}

static void keep_body(archive *a, rn_world *world, size_t number) {
    rn_body *body = rn_body_at(&world->bodies, number), copy = *body;
    int32_t flags =
        (body->shape != NULL) | body->blocks << 1 | body->aground << 2 | body->told_far << 3 | body->told_fast << 4;
    int32_t way = (int32_t)copy.way, still = copy.still;
    LOOK(flags);
    LOOK(way);
    LOOK(still);
    if ((flags & 1) && !body->shape) a->broken = true; /* it has been taken away since, and its shape with it */
    if (way < RN_BODY_AUTO || way > RN_BODY_FLOATS || still < 0) a->broken = true;
    if (flags & 1) same_double(a, body->mass);
    keep_pose(a, &copy.to);
    keep_pose(a, &copy.now);
    keep_load(a, &copy.load);
    if (a->pass != READ || a->broken) return;
    if (!(flags & 1)) {
        if (body->shape) rn_bodies_remove(world, (int)number);
        return;
    }
    copy.blocks = copy.load.blocks = flags >> 1 & 1;
    copy.aground = copy.load.aground = flags >> 2 & 1;
    copy.told_far = flags >> 3 & 1;
    copy.told_fast = flags >> 4 & 1;
    copy.way = (rn_body_way)way;
    copy.still = still;
    copy.from = copy.now;
    copy.moved = copy.placed = true;
    *body = copy;
}

static void check_stirred(archive *a, size_t from, size_t count) {
    for (size_t i = 0; i < count; i++) a->lent += int_at(a, from, (int32_t)i);
}

/* What cells have of bodies: levels and flow under them, and what they have added. */
static rn_result keep_waters(archive *a, rn_world *world) {
    rn_bodies *all = &world->bodies;
    const size_t cells = (size_t)world->state.grid.nx * (size_t)world->state.grid.ny;
    int32_t planes = all->planes;
    LOOK(planes);
    if (planes < 1 || planes > RN_MOST_LAYERS) a->broken = true;
    if (a->broken) return RN_OK;
    const rn_result result = a->pass == READ ? rn_effective_fit(world, planes) : RN_OK;
    if (result != RN_OK) return result;
    const size_t count = (size_t)planes * cells, levels = a->at, flow = levels + count * sizeof(float),
                 stirred = flow + 2 * count * sizeof(float);
    keep(a, all->effective, count * sizeof *all->effective);
    keep(a, all->flow, 2 * count * sizeof *all->flow);
    keep(a, all->stirred, cells * sizeof *all->stirred);
    if (a->pass == CHECK && !a->broken) {
        check_floats(a, levels, count, 1e9f, true);
        check_floats(a, flow, 2 * count, 1e9f, false);
        check_stirred(a, stirred, cells);
    }
    if (a->pass != READ) return RN_OK;
    all->stirred_in = (rn_cells){0, 0, world->state.grid.nx, world->state.grid.ny};
    all->restored = true;
    for (size_t i = count; i < (size_t)all->planes * cells; i++) all->effective[i] = NAN; /* none were kept */
    return RN_OK;
}

static void check_held(archive *a, const rn_world *world, const rn_held *held) {
    const bool inside =
        held->x >= 0 && held->y >= 0 && held->x < world->ground.cells_x && held->y < world->ground.cells_y;
    const bool sound =
        held->gap.base < held->gap.ceil && held->gap.ceil <= world->state.lid && fabsf(held->level) < 1e9f;
    const int64_t most = (int64_t)1 << 52; /* quanta, more than any world holds: sums must not overflow */
    if (!inside || !sound || held->gap.base < -2.0f * world->state.cell || held->quanta <= 0 || held->quanta > most ||
        a->lent < -most)
        a->broken = true;
    else a->lent -= held->quanta;
}

/* What has been seen of bodies that block. */
static rn_result keep_blocking(archive *a, rn_world *world) {
    uint64_t size = rn_blocking_pack(world, NULL);
    LOOK(size);
    if (a->pass >= CHECK && size > a->size - a->at) a->broken = true;
    if (a->broken) return RN_OK;
    rn_result result = RN_OK;
    if (a->pass == WRITE) rn_blocking_pack(world, a->bytes + a->at);
    if (a->pass == CHECK && !rn_blocking_check(world, a->bytes + a->at, (size_t)size)) a->broken = true;
    if (a->pass == READ) result = rn_blocking_unpack(world, a->bytes + a->at, (size_t)size);
    a->at += (size_t)size;
    return result;
}

/* Liquid that bodies have pushed away and not given back yet. */
static rn_result keep_held(archive *a, rn_world *world) {
    rn_reshaping *r = &world->solids.reshaping;
    int64_t count = (int64_t)r->held_count;
    LOOK(count);
    if (a->pass >= CHECK && (count < 0 || (uint64_t)count > (a->size - a->at) / sizeof(rn_held))) a->broken = true;
    if (a->broken) return RN_OK;
    if (a->pass == READ) r->held_count = 0;
    for (int64_t i = 0; i < count; i++) {
        rn_held held = {0};
        if (a->pass == WRITE) held = *rn_held_at(r, (size_t)i);
        LOOK(held);
        if (a->pass == CHECK) check_held(a, world, &held);
        if (a->pass != READ) continue;
        if (!rn_grow(&world->hooks, &r->held, &r->held_capacity, r->held_count, sizeof held)) return RN_MEMORY;
        *rn_held_at(r, r->held_count++) = held;
    }
    return RN_OK;
}

/* Before the columns. */
static rn_result keep_bodies(archive *a, rn_world *world) {
    int64_t count = (int64_t)world->bodies.count;
    if (a->version > BODILESS) LOOK(count);
    else if (a->pass >= CHECK) count = 0;
    if (a->broken) return RN_OK;
    if (count != (int64_t)world->bodies.count)
        return rn_fail(RN_INVALID, "the state has %lld bodies and this world %zu; add the same ones first",
                       (long long)count, world->bodies.count);
    if (count == 0) return RN_OK;
    for (size_t i = 0; i < world->bodies.count && !a->broken; i++) keep_body(a, world, i);
    rn_result result = a->broken ? RN_OK : keep_waters(a, world);
    if (result == RN_OK && !a->broken) result = keep_held(a, world);
    return result == RN_OK && !a->broken ? keep_blocking(a, world) : result;
}

/* ---- Snapshots ----------------------------------------------------------------------------------------------- */

static rn_result keep_world(archive *a, rn_world *world) {
    uint32_t head[2] = {MARK, world->bodies.count > 0 ? VERSION : BODILESS};
    LOOK(head);
    a->version = head[1];
    if (!a->broken && head[0] != MARK) return rn_fail(RN_INVALID, "these bytes are no state of a world");
    if (!a->broken && (head[1] < OLDEST || head[1] > VERSION))
        return rn_fail(RN_INVALID, "the state is of version %u of the format; this runnel reads versions %d to %d",
                       (unsigned)head[1], OLDEST, VERSION);
    rn_result result = keep_solids(a, world);
    if (result == RN_OK && !a->broken) result = keep_bodies(a, world);
    if (result == RN_OK && !a->broken) result = keep_state(a, world);
    if (result != RN_OK || a->broken) return result;
    keep_ledger(a, &world->ledger);
    keep_clock(a, world);
    keep_pace(a, world);
    keep_sources(a, world, a->layers);
    keep_gauges(a, world);
    if (a->pass >= CHECK && a->at != a->size) a->broken = true;
    return RN_OK;
}

static void wake_rows(rn_state *s) {
    for (int l = 0; l < s->grid.layers; l++)
        for (int y = -1; y <= s->grid.ny; y++) {
            rn_row_at(s, l, y)->still = false;
            if (y >= 0 && y < s->grid.ny) rn_pipes_row_changed(s, l, y);
        }
    if (s->rough) rn_graph_roughen_rim(s);
}

rn_result rn_world_save(rn_world *world, rn_snapshot **out) {
    rn_result result = rn_solids_apply(world);
    if (result != RN_OK) return result;
    archive a = {.pass = MEASURE};
    keep_world(&a, world);
    if (a.broken) return rn_fail(RN_INVALID, "the world has values that a state cannot hold; they must be below 1e30");
    rn_snapshot *snapshot = *out;
    if (!snapshot) {
        snapshot = rn_alloc(&world->hooks, 1, sizeof *snapshot);
        if (!snapshot) return RN_MEMORY;
        snapshot->hooks = world->hooks;
        *out = snapshot;
    }
    if (snapshot->capacity < a.at) {
        rn_free(&snapshot->hooks, snapshot->bytes);
        snapshot->capacity = snapshot->size = 0;
        snapshot->bytes = rn_alloc(&snapshot->hooks, a.at, 1);
        if (!snapshot->bytes) return RN_MEMORY;
        snapshot->capacity = a.at;
    }
    snapshot->size = a.at;
    snapshot->trusted = true;
    a = (archive){.pass = WRITE, .bytes = snapshot->bytes, .size = snapshot->size};
    return keep_world(&a, world);
}

static rn_result refuse(const rn_snapshot *snapshot) {
    return rn_fail(RN_INVALID,
                   "the state (%zu bytes) does not fit this world: it is of another grid, other sources or solids, or "
                   "damaged",
                   snapshot->size);
}

rn_result rn_world_restore(rn_world *world, const rn_snapshot *snapshot) {
    if (!RN_REQUIRE(&world->hooks, snapshot && snapshot->bytes)) return RN_INVALID;
    archive a = {.pass = CHECK, .bytes = snapshot->bytes, .size = snapshot->size, .trusted = snapshot->trusted};
    rn_result result = keep_world(&a, world);
    if (result != RN_OK) return result;
    if (a.broken) return refuse(snapshot);
    a = (archive){.pass = READ, .bytes = snapshot->bytes, .size = snapshot->size};
    result = keep_world(&a, world);
    if (result != RN_OK) return result;
    wake_rows(&world->state);
    rn_flood_restored(&world->flood, &world->state);
    return RN_OK;
}

void rn_snapshot_destroy(rn_snapshot *snapshot) {
    if (!snapshot) return;
    rn_hooks hooks = snapshot->hooks;
    rn_free(&hooks, snapshot->bytes);
    rn_free(&hooks, snapshot);
}

const void *rn_snapshot_bytes(const rn_snapshot *snapshot, size_t *size) {
    *size = snapshot->size;
    return snapshot->bytes;
}

rn_result rn_snapshot_create(const rn_hooks *hooks, const void *bytes, size_t size, rn_snapshot **out) {
    *out = NULL;
    rn_snapshot *snapshot = rn_alloc(hooks, 1, sizeof *snapshot);
    if (!snapshot) return RN_MEMORY;
    if (hooks) snapshot->hooks = *hooks;
    snapshot->bytes = rn_alloc(hooks, size, 1);
    if (!snapshot->bytes) {
        rn_free(hooks, snapshot);
        return RN_MEMORY;
    }
    if (size) memcpy(snapshot->bytes, bytes, size);
    snapshot->size = snapshot->capacity = size;
    *out = snapshot;
    return RN_OK;
}
