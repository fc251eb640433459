/* The field of the drawn surface.

   At each node, the distance is found from the mean offset of the particles around it (Zhu & Bridson 2005), with the
   solver's table: flat surfaces are in the right place. Where particles are fewer than in deep liquid, they form a
   sheet or a thread, whose middle is where the offset is 0; it gets a thickness that the lattice can show, so that it
   has no holes. Particles that have hardly any others around them are drops, which mesh.c draws: the field leaves them
   out. Walls and solids are not surface: their effect on the offset is removed. Two passes of (1 2 1) / 4 along each
   axis follow, with less weight on sheets, which they would swallow. */
#include "mac/mesh_field.h"

#include "base/memory.h"
#include "mac/particle_sweeps.h"
#include "mac/solids.h"

#include <math.h>

enum { CELL_MIXED, CELL_DEEP, CELL_FAR, PASSES = 2, PIECE = 256 };

#define ROUND         0.05f   /* cells by which the surface is moved out: the mean offset shrinks round shapes */
#define DEEP          (-1.0f) /* cells, value deep in the liquid */
#define FEW           2.5f    /* weight below which particles are a sheet or a thread; 17.2 deep in the liquid */
#define ENOUGH        5.0f    /* weight above which they are not */
#define HALF          0.45f   /* cells, half the thickness of a sheet before smoothing */
#define FILM          0.55f   /* the same for a film on a solid */
#define NEAR_SOLID    1.0f    /* cells from a solid at which a sheet counts as a film on it */
#define SLACK         0.6f    /* cells by which particles of a film are uneven along it */
#define SMOOTHED      0.25f   /* share of smoothing of a sheet */
#define FILM_SMOOTHED 0.7f    /* of a film */
#define ALONE         1.6f    /* weight at a particle, including its own, below which it is a drop */
#define SURELY        1.4f    /* factor on the effect of walls on offsets, because particles are never even */
#define OVERLAP       0.35f   /* cells that the liquid is drawn into solids */
#define FAR_VALUE     1.0f
#define RIM_VALUE     1e3f /* the surface ends right at the walls */
#define FAR_AWAY      1e9f /* cells, the x coordinate of particles that the field leaves out */

static float clamp(float value, float low, float high) { return value < low ? low : value > high ? high : value; }

/* ---- Particles near a point -------------------------------------------------------------------------------------- */

/* Sets *to to the particles of cells `low` to `high` of a row, whose cell i = 0 is `row`, moved by `shift` (cells).
   Returns the number of ranges: 1, or 0 if there are no particles. */
static int add_range(const rn_mac *mac, int32_t row, int low, int high, float shift, rn_mac_range *to) {
    *to = (rn_mac_range){.begin = mac->start[row + low], .end = mac->start[row + high + 1], .shift = shift};
    return to->begin < to->end;
}

int rn_mac_ranges_near(const rn_mac *mac, const float at[3], rn_mac_range ranges[32]) {
    const int *n = mac->grid.n;
    int low[3], high[3], count = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = (int)floorf(at[a] - RN_MAC_RADIUS);
        high[a] = (int)ceilf(at[a] + RN_MAC_RADIUS) - 1;
        if (a == 0 && mac->def.periodic_x) continue;
        low[a] = low[a] < 0 ? 0 : low[a];
        high[a] = high[a] > n[a] - 1 ? n[a] - 1 : high[a];
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            const int32_t row = rn_mac_cell(&mac->grid, 0, j, k);
            const int first = low[0] < 0 ? 0 : low[0], last = high[0] > n[0] - 1 ? n[0] - 1 : high[0];
            count += add_range(mac, row, first, last, 0.0f, &ranges[count]);
            if (low[0] < 0) count += add_range(mac, row, low[0] + n[0], n[0] - 1, (float)-n[0], &ranges[count]);
            if (high[0] > n[0] - 1) count += add_range(mac, row, 0, high[0] - n[0], (float)n[0], &ranges[count]);
        }
    return count;
}

/* The approximate share of the kernel's weight, 0.15 to 1, that a wall at this distance (cells, negative inside)
   leaves. */
static float room_by_wall(float distance) { return clamp(0.5f + 0.55f * distance, 0.15f, 1.0f); }

typedef struct finding {
    rn_mac_field *field;
    const rn_mac *mac;
    const rn_mac_particle_sweeps *sweeps;
    rn_mac_particles kept; /* those of the liquid, with drops far away */
} finding;

/* ---- Drops ------------------------------------------------------------------------------------------------------- */

/* Whether particle n has so few others around it that it is a separate drop. Allows for the room that a solid takes,
   but not for walls of the box: lone particles beside walls would not be drawn then. */
static bool is_drop(const finding *f, int32_t n) {
    const rn_mac_particles *p = &f->mac->particles;
    const float at[3] = {p->value[RN_MAC_AT][n], p->value[RN_MAC_AT + 1][n], p->value[RN_MAC_AT + 2][n]};
    rn_mac_range ranges[32];
    float sums[4], slope[3];
    f->sweeps->weigh(p, at, ranges, rn_mac_ranges_near(f->mac, at, ranges), sums);
    const float room = f->mac->nodes ? room_by_wall(rn_mac_solid_distance(f->mac, at, slope)) : 1.0f;
    return sums[0] / room < ALONE;
}

/* A task over pieces of PIECE particles: finds which are drops, and the x coordinates that the field uses. */
static void find_drops(void *context, int begin, int end, int worker) {
    (void)worker;
    const finding *f = context;
    const rn_mac_particles *p = &f->mac->particles;
    for (int32_t n = begin * PIECE; n < end * PIECE && n < p->count; n++) {
        const bool drop = is_drop(f, n);
        f->field->is_drop[n] = drop;
        f->field->x[n] = drop ? FAR_AWAY : p->value[RN_MAC_AT][n];
    }
}

/* ---- Kinds of cells ---------------------------------------------------------------------------------------------- */

/* The kind of cell i of a row: CELL_FAR if none of the 27 cells around has particles, CELL_DEEP if all in the box have,
   otherwise CELL_MIXED. Solid cells count as empty. */
static uint8_t kind_of(const rn_mac *mac, const rn_mac_row *row, int i) {
    const int nx = mac->grid.n[0];
    int full = 0, held = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                const int j = row->j + dj, k = row->k + dk;
                int x = i + di;
                if (mac->def.periodic_x) x = x < 0 ? nx - 1 : x == nx ? 0 : x;
                const bool inside = x >= 0 && x < nx && j >= 0 && j < mac->grid.n[1] && k >= 0 && k < mac->grid.n[2];
                const int32_t c = rn_mac_cell(&mac->grid, x, j, k);
                const bool holds = inside && mac->start[c] != mac->start[c + 1];
                held += holds;
                full += holds || !inside;
            }
    return held == 0 ? CELL_FAR : full == 27 ? CELL_DEEP : CELL_MIXED;
}

/* A task over rows: the kinds of all cells in the box. */
static void find_cells(void *context, int begin, int end, int worker) {
    (void)worker;
    const finding *f = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&f->mac->grid, r);
        for (int i = 0; row.inside && i < f->mac->grid.n[0]; i++)
            f->field->cells[row.at + i] = kind_of(f->mac, &row, i);
    }
}

/* ---- Values of nodes --------------------------------------------------------------------------------------------- */

/* The approximate mean offset (cells) away from a wall at this distance (cells), in liquid that fills the rest of
   the kernel. */
static float offset_by_wall(float distance) {
    if (distance >= RN_MAC_RADIUS) return 0.0f;
    if (distance < 0.0f) return 0.369f - 0.75f * distance;
    const float share = 1.0f - distance / RN_MAC_RADIUS;
    return 0.369f * share * share;
}

/* The part of an offset away from a wall (cells) that the wall at this distance (cells) does not explain; 0 if the wall
   explains all of it. An offset towards the wall, below 0, is kept. */
static float without_wall(float offset, float distance) {
    const float rest = offset - SURELY * offset_by_wall(distance);
    return offset < 0.0f ? offset : rest > 0.0f ? rest : 0.0f;
}

/* Removes the effect of the sides of the box from an offset (cells). Open sides count as walls, periodic ends do not.
   Returns the share of the kernel that they leave. */
static float ignore_walls(const rn_mac *mac, const float at[3], float offset[3]) {
    float room = 1.0f;
    for (int a = mac->def.periodic_x ? 1 : 0; a < 3; a++) {
        const float low = at[a], high = (float)mac->grid.n[a] - at[a];
        offset[a] = without_wall(offset[a], low);
        offset[a] = -without_wall(-offset[a], high);
        room *= room_by_wall(low) * room_by_wall(high);
    }
    return room;
}

/* Removes the effect of a solid at this distance (cells), with this slope of the distance, from an offset. Returns the
   share of the kernel that the solid leaves. */
static float ignore_solid(float distance, const float slope[3], float offset[3]) {
    const float length = sqrtf(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]) + 1e-9f;
    const float away = (offset[0] * slope[0] + offset[1] * slope[1] + offset[2] * slope[2]) / length;
    const float less = away - without_wall(away, distance);
    for (int a = 0; a < 3; a++) offset[a] -= less * slope[a] / length;
    return room_by_wall(distance);
}

/* The distance (cells) to a flat surface whose particles have this mean offset (cells). */
static float look_up(const rn_mac *mac, float offset) {
    const float place = offset * (RN_MAC_TABLE / RN_MAC_RADIUS);
    if (!(place < RN_MAC_TABLE)) return mac->table[RN_MAC_TABLE];
    const int t = (int)place;
    return mac->table[t] + (place - (float)t) * (mac->table[t + 1] - mac->table[t]);
}

/* The distance (cells) from the middle of a sheet whose particles have this mean offset (cells). Along a film on a
   solid, SLACK of the offset is ignored: it comes from gaps between particles. `solid`, `slope`: distance (cells) to
   the solid, at least RN_MAC_RADIUS if there is none, and the slope of this distance. */
static float sheet_distance(const float offset[3], float solid, const float slope[3]) {
    const float squares = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    if (solid >= NEAR_SOLID) return sqrtf(squares);
    const float steep = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] + 1e-9f;
    const float away = offset[0] * slope[0] + offset[1] * slope[1] + offset[2] * slope[2];
    const float across = away * away / steep, along = sqrtf(squares > across ? squares - across : 0.0f) - SLACK;
    return sqrtf(across + (along > 0.0f ? along * along : 0.0f));
}

/* The field (cells, negative in liquid) at a point (cells), before smoothing. Sets *share to the share of smoothing, 0
   to 255. Without particles nearby, or more than a cell inside a solid, the value is FAR_VALUE and *share stays. */
static float value_at(const finding *f, const float at[3], uint8_t *share) {
    const rn_mac *mac = f->mac;
    float sums[4], slope[3], room = 1.0f, solid = RN_MAC_RADIUS;
    rn_mac_range ranges[32];
    if (mac->nodes) solid = rn_mac_solid_distance(mac, at, slope);
    const int count = solid < -1.0f ? 0 : rn_mac_ranges_near(mac, at, ranges);
    if (count) f->sweeps->weigh(&f->kept, at, ranges, count, sums);
    if (!count || !(sums[0] > 1e-6f)) return FAR_VALUE;
    float *offset = sums + 1;
    for (int a = 0; a < 3; a++) offset[a] /= sums[0];
    if (solid < RN_MAC_RADIUS) room = ignore_solid(solid, slope, offset);
    room *= ignore_walls(mac, at, offset);
    const float length = sqrtf(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
    const float dense = clamp((sums[0] / room - FEW) / (ENOUGH - FEW), 0.0f, 1.0f);
    const bool film = solid < NEAR_SOLID;
    const float least = film ? FILM_SMOOTHED : SMOOTHED;
    *share = (uint8_t)(255.0f * (least + dense * (1.0f - least)));
    const float mean = look_up(mac, length) - ROUND, half = film ? FILM : HALF;
    const float sheet = sheet_distance(offset, solid, slope) - half;
    const float value = mean < 0.0f || sheet < 0.0f ? dense * mean + (1.0f - dense) * sheet : mean;
    return value > -solid - OVERLAP ? value : -solid - OVERLAP;
}

/* The kind of all cells that a node touches if they agree, otherwise CELL_MIXED. The node must not be in the rim. */
static uint8_t kind_around(const finding *f, const int node[3]) {
    const int *n = f->mac->grid.n, fine = f->field->fine;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (node[a] - 1) / fine - (node[a] % fine == 1 % fine);
        high[a] = (node[a] - 1) / fine;
        low[a] = low[a] < 0 ? 0 : low[a];
        high[a] = high[a] > n[a] - 1 ? n[a] - 1 : high[a];
    }
    uint8_t kind = f->field->cells[rn_mac_cell(&f->mac->grid, high[0], high[1], high[2])];
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++)
                if (f->field->cells[rn_mac_cell(&f->mac->grid, i, j, k)] != kind) kind = CELL_MIXED;
    return kind;
}

/* The field (cells) at a node, before smoothing. Sets *share to the share of smoothing, 0 to 255. In the rim the value
   is RIM_VALUE and *share stays. */
static float node_value(const finding *f, const int node[3], uint8_t *share) {
    const rn_mac_field *field = f->field;
    float at[3];
    for (int a = 0; a < 3; a++) {
        if (node[a] == 0 || node[a] == field->nodes[a] - 1) return RIM_VALUE;
        at[a] = (float)(node[a] - 1) / (float)field->fine;
    }
    const uint8_t kind = kind_around(f, node);
    *share = 255;
    if (kind == CELL_FAR) return FAR_VALUE;
    if (kind == CELL_DEEP && !f->mac->nodes) return DEEP;
    return value_at(f, at, share);
}

/* A task over layers of nodes along z: finds `raw` and `share` of their nodes. */
static void find_layers(void *context, int begin, int end, int worker) {
    (void)worker;
    const finding *f = context;
    const rn_mac_field *field = f->field;
    for (int k = begin; k < end; k++) {
        size_t n = (size_t)k * (size_t)field->nodes[1] * (size_t)field->nodes[0];
        for (int j = 0; j < field->nodes[1]; j++)
            for (int i = 0; i < field->nodes[0]; i++, n++)
                field->raw[n] = node_value(f, (const int[3]){i, j, k}, &field->share[n]);
    }
}

/* ---- Smoothing --------------------------------------------------------------------------------------------------- */

/* The mean of `raw` over a node and its 26 neighbours, weighted (1 2 1) along each axis. n: the index of the node,
   which must not be in the rim. Nodes of the rim repeat those inside. */
static float mean_around(const rn_mac_field *field, size_t n, const int node[3]) {
    const ptrdiff_t step[3] = {1, field->nodes[0], (ptrdiff_t)field->nodes[0] * field->nodes[1]};
    ptrdiff_t back[3], on[3];
    for (int a = 0; a < 3; a++) {
        back[a] = node[a] == 1 ? 0 : -step[a];
        on[a] = node[a] == field->nodes[a] - 2 ? 0 : step[a];
    }
    const float *v = field->raw + n;
    float sum = 0.0f;
    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++) {
            const float *row = v + (k < 0 ? back[2] : k > 0 ? on[2] : 0) + (j < 0 ? back[1] : j > 0 ? on[1] : 0);
            sum += (float)((2 - k * k) * (2 - j * j)) * (row[back[0]] + 2.0f * row[0] + row[on[0]]);
        }
    return sum / 64.0f;
}

/* A task over layers of nodes along z: one pass of smoothing, from `raw` to `value`, by the `share` of each node. The
   rim stays. */
static void smooth_layers(void *context, int begin, int end, int worker) {
    (void)worker;
    const rn_mac_field *field = ((const finding *)context)->field;
    for (int k = begin; k < end; k++) {
        size_t n = (size_t)k * (size_t)field->nodes[1] * (size_t)field->nodes[0];
        for (int j = 0; j < field->nodes[1]; j++)
            for (int i = 0; i < field->nodes[0]; i++, n++) {
                const float raw = field->raw[n], share = (float)field->share[n] / 255.0f;
                const bool plain = raw == RIM_VALUE || share == 0.0f;
                field->value[n] = plain ? raw : raw + share * (mean_around(field, n, (const int[3]){i, j, k}) - raw);
            }
    }
}

/* Swaps two arrays. */
static void swap(float **a, float **b) {
    float *const other = *a;
    *a = *b;
    *b = other;
}

/* ---- Everything together ----------------------------------------------------------------------------------------- */

void rn_mac_field_free(rn_mac_field *field, const rn_hooks *hooks) {
    rn_free(hooks, field->value);
    rn_free(hooks, field->raw);
    rn_free(hooks, field->share);
    rn_free(hooks, field->cells);
    rn_free(hooks, field->is_drop);
    rn_free(hooks, field->x);
    *field = (rn_mac_field){.value = NULL};
}

/* Makes room for this many nodes, cells and particles; what grows loses its old values. Returns false if memory runs
   out; there is then no room for any. */
static bool make_room(rn_mac_field *field, size_t nodes, size_t cells, size_t particles, const rn_hooks *hooks) {
    if (field->node_room < nodes || field->cell_room < cells) {
        rn_mac_field_free(field, hooks);
        field->value = rn_alloc(hooks, nodes, sizeof *field->value);
        field->raw = rn_alloc(hooks, nodes, sizeof *field->raw);
        field->share = rn_alloc(hooks, nodes, sizeof *field->share);
        field->cells = rn_alloc(hooks, cells, sizeof *field->cells);
        if (!field->value || !field->raw || !field->share || !field->cells) return false;
        field->node_room = nodes;
        field->cell_room = cells;
    }
    return rn_renew(hooks, &field->is_drop, &field->drop_room, particles, sizeof *field->is_drop) &&
           rn_renew(hooks, &field->x, &field->x_room, particles, sizeof *field->x);
}

rn_result rn_mac_field_find(rn_mac_field *field, const rn_mac *mac, int fine, const rn_hooks *hooks) {
    size_t nodes = 1;
    int counts[3];
    for (int a = 0; a < 3; a++) nodes *= (size_t)(counts[a] = fine * mac->grid.n[a] + 3);
    const int32_t count = mac->particles.count;
    if (!make_room(field, nodes, (size_t)mac->grid.cells, (size_t)count + RN_MAC_GROUP, hooks)) return RN_MEMORY;
    field->fine = fine;
    for (int a = 0; a < 3; a++) field->nodes[a] = counts[a];
    finding f = {.field = field, .mac = mac, .sweeps = RN_ISA_CHOSEN(rn_mac_particle_sweeps), .kept = mac->particles};
    f.kept.value[RN_MAC_AT] = field->x;
    rn_parallel_for(mac->pool, (count + PIECE - 1) / PIECE, find_drops, &f);
    rn_parallel_for(mac->pool, mac->grid.rows, find_cells, &f);
    rn_parallel_for(mac->pool, field->nodes[2], find_layers, &f);
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass > 0) swap(&field->value, &field->raw);
        rn_parallel_for(mac->pool, field->nodes[2], smooth_layers, &f);
    }
    return RN_OK;
}

float rn_mac_field_at(const rn_mac_field *field, const float at[3]) {
    size_t n = 0, step = 1, steps[3];
    float t[3];
    for (int a = 0; a < 3; a++) {
        const int last = field->nodes[a] - 3; /* of the box */
        const float place = clamp(at[a] * (float)field->fine, 0.0f, (float)last);
        int i = (int)place;
        if (i == last) i--;
        t[a] = place - (float)i;
        n += step * (size_t)(i + 1);
        steps[a] = step;
        step *= (size_t)field->nodes[a];
    }
    const float *v = field->value + n;
    float plane[2];
    for (size_t k = 0; k < 2; k++) {
        const float *w = v + k * steps[2];
        const float near = w[0] + t[0] * (w[1] - w[0]);
        const float far = w[steps[1]] + t[0] * (w[steps[1] + 1] - w[steps[1]]);
        plane[k] = near + t[1] * (far - near);
    }
    return plane[0] + t[2] * (plane[1] - plane[0]);
}
