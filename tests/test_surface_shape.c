/* Where the surface is: fronts, shores, walls under overhangs, ledges, and terrain that must not stick out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface/surface.h"
#include "surface_meshes.h"

#include <math.h>
#include <runnel/runnel.h>

static void build(const rn_surface_columns *columns, const rn_surface_def *def, buffers *b) {
    if (rn_surface_build(columns, def, b->scratch, b->bytes, &b->mesh) != RN_OK) fail_msg("%s", rn_last_error());
    const char *fault = mesh_fault(&b->mesh, columns->cell_size);
    if (fault) fail_msg("%s", fault);
}

/* ---- Fronts ----------------------------------------------------------------------------------------------------- */

typedef enum profile { STEP, WEDGE, BLUNT, TRICKLE, PROFILES } profile;

/* The mean depth between x and x + 1 of a front at `front`. */
static double front_depth(profile kind, double x, double front) {
    const double p = fmax(0.0, front - x), q = fmax(0.0, front - x - 1.0);
    double sum = 0.0;
    switch (kind) {
    case STEP: return fmin(p, 1.0);
    case WEDGE: return 0.05 * 0.5 * (p * p - q * q);
    case BLUNT: return 0.225 * (pow(p, 4.0 / 3.0) - pow(q, 4.0 / 3.0)); /* Huppert 1982: (x_N - x)^(1/3) */
    default: /* a step with a trickle ahead of it, down to a millionth */
        for (int i = 0; i < 20; i++) sum += 0.05 / (1.0 + exp((x + (i + 0.5) / 20.0 - front) / 0.175));
        return floor(sum * 1e6) / 1e6;
    }
}

static double farthest(const rn_mesh *m, double along) {
    double edge = 0.0;
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) {
        const float *p = &m->positions[3 * m->indices[i]];
        if (fabs((double)p[1] - along) < 0.6) edge = fmax(edge, p[0]);
    }
    return edge;
}

static double mesh_volume(const rn_mesh *m, double floor_height) {
    double volume = 0.0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        double n[3], height = -3.0 * floor_height;
        triangle_normal(m, t, n);
        for (int k = 0; k < 3; k++) height += m->positions[3 * m->indices[3 * t + (size_t)k] + 2];
        volume += 0.5 * n[2] * height / 3.0;
    }
    return volume;
}

typedef struct advance {
    double mean, largest; /* cells per frame */
    double lost;          /* share of the volume, at worst */
} advance;

static advance follow(profile kind, const rn_surface_def *def) {
    enum { NX = 60, NY = 9 };
    stack s = stack_make(NX, NY, 1, 1.0f, 100.0f);
    for (int i = 0; i < NX * NY; i++) s.base[i] = 1.0f, s.ceil[i] = 100.0f;
    buffers b = buffers_make(&s.columns, def);
    advance a = {0};
    double before = 0.0, first = 0.0;
    int frames = 0;
    for (double front = 10.0; front < 40.0; front += 0.13) {
        double volume = 0.0;
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                volume += s.depth[stack_slot(&s, 0, y, x)] = (float)front_depth(kind, x, front);
        build(&s.columns, def, &b);
        const double edge = farthest(&b.mesh, 0.5 * NY);
        a.lost = fmax(a.lost, fabs(mesh_volume(&b.mesh, 1.0) / volume - 1.0));
        if (frames++) a.largest = fmax(a.largest, fabs(edge - before));
        else first = edge;
        before = edge;
    }
    a.mean = (before - first) / (frames - 1);
    buffers_free(&b);
    stack_free(&s);
    return a;
}

static void a_front_moves_smoothly_and_keeps_its_volume(void **state) {
    (void)state;
    for (profile kind = STEP; kind < PROFILES; kind++) {
        const advance a = follow(kind, &(rn_surface_def){.least_depth = -1.0f});
        if (!(fabs(a.mean - 0.13) < 0.004 && a.largest <= 1.5 * a.mean && a.lost < 0.01))
            fail_msg("front %d: %g on average, %g at most, %g of the volume lost", (int)kind, a.mean, a.largest,
                     a.lost);
        const advance jumps = follow(kind, &(rn_surface_def){.least_depth = -1.0f, .whole_cells = true});
        assert_true(jumps.largest > 5.0 * jumps.mean);
    }
}

/* A film runs down an incline: the solver's own front, frame by frame. */
static void a_film_advances_smoothly(void **state) {
    (void)state;
    enum { NX = 160, NY = 5 };
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = NX;
    ground.cells_y = NY;
    ground.cell_size = 1e-3;
    ground.solid = rn_sdf_plane((rn_vec3){0.0, 0.0, 0.05}, (rn_vec3){0.2, 0.0, 1.0});
    ground.lid = 0.1;
    ground.bottom = -0.01;
    rn_terrain *terrain = NULL;
    rn_world *world = NULL;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.liquid.viscosity = 2e-5;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    rn_source_def source = rn_source_default();
    source.along_side = true;
    source.side = RN_SIDE_WEST;
    source.rate = 1.6e-7;
    assert_true(rn_world_add_source(world, &source) >= 0);
    const rn_surface_columns columns = rn_surface_columns_of(world);
    const rn_surface_def draw = rn_surface_default();
    buffers b = buffers_make(&columns, &draw);
    double before = 0.0, first = 0.0, largest = 0.0, least = 1.0;
    int frames = 0;
    for (int i = 0; i < 2000 && before < 0.12; i++) {
        assert_int_equal(rn_world_step(world, 1.0 / 120.0), RN_OK);
        build(&columns, &draw, &b);
        double edge = 0.0;
        for (size_t k = 0; k < 3 * (size_t)b.mesh.triangle_count; k++)
            edge = fmax(edge, b.mesh.positions[3 * b.mesh.indices[k]]);
        if (edge > 0.05 && before > 0.05) {
            largest = fmax(largest, edge - before);
            least = fmin(least, edge - before);
            if (!frames++) first = before;
        }
        before = edge;
    }
    const double mean = (before - first) / frames;
    if (!(frames > 20 && largest <= 1.5 * mean && least > 0.0))
        fail_msg("%d frames, %g cells on average, from %g to %g", frames, mean * 1e3, least * 1e3, largest * 1e3);
    buffers_free(&b);
    rn_world_destroy(world);
}

/* ---- Shores and walls -------------------------------------------------------------------------------------------- */

static const float *vertex_with(const rn_mesh *m, size_t id) {
    for (uint32_t i = 0; i < m->vertex_count; i++)
        if (m->ids[i] == id) return &m->positions[3 * i];
    return NULL;
}

/* Fig. 9: the surface of a bowl goes on level into the dry columns around it. */
static void a_shore_is_level(void **state) {
    (void)state;
    enum { N = 20 };
    stack s = stack_make(N, N, 1, 1.0f, 100.0f);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const float rx = (float)x - 9.3f, ry = (float)y - 9.8f, base = 0.15f * (rx * rx + ry * ry);
            s.base[stack_slot(&s, 0, y, x)] = base;
            s.ceil[stack_slot(&s, 0, y, x)] = 100.0f;
            s.depth[stack_slot(&s, 0, y, x)] = base < 6.0f ? 6.0f - base : 0.0f;
        }
    const rn_surface_def ways[3] = {
        {.least_depth = -1.0f}, {.least_depth = -1.0f, .whole_cells = true}, {.raw_boundaries = true}};
    for (int way = 0; way < 3; way++) {
        buffers b = buffers_make(&s.columns, &ways[way]);
        build(&s.columns, &ways[way], &b);
        float highest = 0.0f;
        for (uint32_t i = 0; i < b.mesh.vertex_count; i++) {
            const float z = b.mesh.positions[3 * i + 2];
            highest = fmaxf(highest, z);
            if (way == 2) continue;
            assert_true(fabsf(z - 6.0f) < 1e-5f);
            assert_true(b.mesh.normals[3 * i + 2] > 0.9999f);
        }
        if (way == 2) assert_true(highest > 6.5f);
        buffers_free(&b);
    }
    stack_free(&s);
}

/* One looks through the thin edge of a puddle, and into the side of a front that stands upright. A film that ends on a
   steep wall (steep 2) is no such front. */
static void upright_fronts_are_not_clear(void **state) {
    (void)state;
    enum { NX = 12, NY = 5 };
    for (int steep = 0; steep < 3; steep++) {
        stack s = stack_make(NX, NY, 1, 1.0f, 100.0f);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                const size_t at = stack_slot(&s, 0, y, x);
                s.base[at] = steep == 2 ? 6.0f * (float)(NX - x) : 0.0f;
                s.ceil[at] = 100.0f;
                s.depth[at] = x < 6 ? (steep == 1 ? 9.0f : 0.3f) : 0.0f;
            }
        const rn_surface_def def = {.full_depth = 9.0f};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        for (uint32_t i = 0; i < b.mesh.vertex_count; i++)
            if (b.mesh.ids[i] == stack_slot(&s, 0, 2, 6)) assert_float_equal(b.mesh.opacity[i], steep == 1, 1e-6);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* How far (m) the highest end of a mesh is below ground that rises by 0.5 along x, from 0 at x = 0.5. */
static double hidden_below(const rn_mesh *m) {
    double end = 0.0, hidden = 0.0;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const double x = (double)m->positions[3 * i], ground = 0.5 * (x - 0.5);
        if (x >= end) hidden = ground - (double)m->positions[3 * i + 2];
        end = fmax(end, x);
    }
    return hidden;
}

/* A film that clings to a slope above still liquid, thinner and thinner up to where it ends: as that comes down from
   cell to cell, so does the edge that is drawn, which is not below the ground. */
static void a_film_on_a_bank_ends_where_it_has_thinned_out(void **state) {
    (void)state;
    enum { NX = 30, NY = 5 };
    const double thinning = 0.03;
    double before = 1e9, worst = 0.0, hidden = 0.0;
    for (double end = 25.0; end > 15.0; end -= 0.1) {
        stack s = stack_make(NX, NY, 1, 1.0f, 100.0f);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                const size_t at = stack_slot(&s, 0, y, x);
                const double base = 0.5 * x, film = fmax(thinning * (end - (x + 0.5)), 0.0);
                s.base[at] = (float)base;
                s.ceil[at] = 100.0f;
                s.depth[at] = (float)fmax(film, 3.0 - base);
            }
        const rn_surface_def def = {.least_depth = -1.0f};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        const double edge = farthest(&b.mesh, 2.5);
        assert_true(edge <= before + 1e-5);
        worst = fmax(worst, fabs(edge - end));
        hidden = fmax(hidden, hidden_below(&b.mesh));
        before = edge;
        buffers_free(&b);
        stack_free(&s);
    }
    print_message("the edge of a film on a bank is within %.3f cells of where it ends, and %.3f below the ground\n",
                  worst, hidden);
    assert_true(worst <= 0.1);
    assert_true(hidden <= 0.05); /* 0.5 if it went on level */
}

/* 4.3: below an overhang the surface meets a wall that no column joins it with, and goes on to the middle of its cell.
 */
static void walls_under_overhangs_get_vertices(void **state) {
    (void)state;
    enum { NX = 8, NY = 5 };
    stack s = stack_make(NX, NY, 2, 1.0f, 100.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
            const bool wall = x >= 5;
            s.base[low] = wall ? 12.0f : 1.0f; /* solid up to above the roof */
            s.ceil[low] = wall ? 100.0f : 10.0f;
            s.depth[low] = wall ? 0.0f : 3.0f + 0.1f * (float)x;
            if (wall) continue;
            s.base[high] = 11.0f;
            s.ceil[high] = 100.0f;
        }
    const rn_surface_def def = rn_surface_default();
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    int found = 0;
    for (uint32_t i = 0; i < b.mesh.vertex_count; i++) {
        const float *p = &b.mesh.positions[3 * i];
        if (p[0] != 5.5f) continue;
        assert_true(b.mesh.ids[i] >= rn_surface_slots(&s.columns));
        assert_true(fabsf(p[2] - 4.4f) < 1e-5f); /* as the columns beside it */
        found++;
    }
    assert_int_equal(found, NY + 2);
    assert_true(farthest(&b.mesh, 2.5) == 5.5);
    buffers_free(&b);
    stack_free(&s);
}

/* Edges with one triangle, not along the domain's edge. */
static int open_edges(const rn_mesh *m, float nx, float ny) {
    size_t count;
    int open = 0;
    mesh_edge *edges = mesh_edges(m, &count);
    for (size_t i = 0; i < count; i++) {
        const float *p = &m->positions[3 * edges[i].low], *q = &m->positions[3 * edges[i].high];
        const bool rim = (p[0] == 0.0f && q[0] == 0.0f) || (p[0] == nx && q[0] == nx) ||
                         (p[1] == 0.0f && q[1] == 0.0f) || (p[1] == ny && q[1] == ny);
        open += !rim && edges[i].forth + edges[i].back == 1;
    }
    free(edges);
    return open;
}

/* Borgeat et al. 2011, as Dagenais 2018 has it: the terrain's own mesh, each vertex lifted by the liquid of the nearest
   column. Its levels are not connected where an overhang ends. Returns its open edges at the surface. */
static int borgeat_seams(const stack *s, float level) {
    const rn_surface_columns *c = &s->columns;
    int seams = 0;
    for (int l = 0; l < c->layers; l++)
        for (int y = 0; y + 1 < c->cells_y; y++)
            for (int x = 0; x + 1 < c->cells_x; x++) {
                const size_t a = stack_slot(s, l, y, x), b = stack_slot(s, l, y, x + 1);
                const bool has_a = s->base[a] < RN_NO_COLUMN, has_b = s->base[b] < RN_NO_COLUMN;
                const float za = s->base[a] + s->depth[a], zb = s->base[b] + s->depth[b];
                if (has_a != has_b) seams += fabsf((has_a ? za : zb) - level) < 1e-3f;    /* the mesh ends */
                else if (has_a && fabsf(za - zb) > 0.5f) seams += fmaxf(za, zb) >= level; /* or is torn down */
            }
    return seams;
}

/* Figs. 5 and 21. */
static void submerged_overhangs_leave_no_seams(void **state) {
    (void)state;
    enum { N = 16 };
    stack s = stack_make(N, N, 2, 1.0f, 100.0f);
    const float level = 8.0f;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
            const bool slab = x >= 4 && x < 10 && y >= 5;
            s.base[low] = 1.0f;
            s.ceil[low] = slab ? 5.0f : 100.0f;
            s.depth[low] = (slab ? 5.0f : level) - 1.0f;
            if (!slab) continue;
            s.base[high] = 6.0f;
            s.ceil[high] = 100.0f;
            s.depth[high] = level - 6.0f;
        }
    const rn_surface_def def = rn_surface_default();
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    assert_int_equal(open_edges(&b.mesh, N, N), 0);
    for (uint32_t i = 0; i < b.mesh.vertex_count; i++) assert_true(b.mesh.positions[3 * i + 2] == level);
    assert_true(borgeat_seams(&s, level) > 10);
    buffers_free(&b);
    stack_free(&s);
}

/* Fig. 7: as the liquid rises past a slab, columns beside it are joined first with the one below, then with the one
   above; nothing moves more than the level does. */
static void links_change_without_jumps(void **state) {
    (void)state;
    enum { NX = 12, NY = 6, SLOTS = NX * NY * 2, IDS = SLOTS + (1 + RN_SHEET_ROWS) * 8 * 2 * (NX + 2) * (NY + 2) };
    static float before[IDS], after[IDS];
    stack s = stack_make(NX, NY, 2, 1.0f, 100.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
            s.base[low] = 1.0f;
            s.ceil[low] = x >= 6 ? 5.0f : 100.0f;
            if (x < 6) continue;
            s.base[high] = 6.0f;
            s.ceil[high] = 100.0f;
        }
    const rn_surface_def def = {.least_depth = -1.0f};
    buffers b = buffers_make(&s.columns, &def);
    const float rise = 0.03f;
    for (int i = 0; i < IDS; i++) before[i] = NAN;
    for (float level = 3.0f; level < 9.0f; level += rise) {
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
                s.depth[low] = fminf(level, s.ceil[low]) - 1.0f;
                if (x >= 6) s.depth[high] = fmaxf(level - 6.0f, 0.0f);
            }
        build(&s.columns, &def, &b);
        for (int i = 0; i < IDS; i++) after[i] = NAN;
        for (uint32_t i = 0; i < b.mesh.vertex_count; i++) {
            const float z = b.mesh.positions[3 * i + 2], old = before[b.mesh.ids[i]];
            assert_true(b.mesh.ids[i] < IDS);
            after[b.mesh.ids[i]] = z;
            if (fabsf(z - old) > 1.01f * rise)
                fail_msg("%g: vertex %u from %g to %g", (double)level, b.mesh.ids[i], (double)old, (double)z);
            assert_true(z <= level + 1e-5f);
        }
        memcpy(before, after, sizeof before);
    }
    buffers_free(&b);
    stack_free(&s);
}

/* ---- Ledges -------------------------------------------------------------------------------------------------------
 */

static void sheets_fall_from_ledges(void **state) {
    (void)state;
    enum { NX = 12, NY = 7 };
    stack s = stack_make(NX, NY, 2, 1.0f, 100.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
            s.base[low] = 1.0f;
            s.ceil[low] = x < 6 ? 5.0f : 100.0f;
            s.depth[low] = 1.5f;
            if (x >= 6) continue;
            s.base[high] = 6.0f;
            s.ceil[high] = 100.0f;
            s.depth[high] = 0.5f;
        }
    for (int off = 0; off < 2; off++) {
        const rn_surface_def def = {.no_sheets = off};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        int sheets = 0;
        float lowest = 100.0f, highest = 0.0f;
        for (size_t t = 0; t < b.mesh.triangle_count; t++) {
            double n[3];
            triangle_normal(&b.mesh, t, n);
            if (n[2] > 1e-2) continue;
            sheets++;
            assert_true(n[0] > 0.01); /* outwards */
            for (int k = 0; k < 3; k++) {
                const uint32_t v = b.mesh.indices[3 * t + (size_t)k];
                const float z = b.mesh.positions[3 * v + 2];
                lowest = fminf(lowest, z);
                highest = fmaxf(highest, z);
                if (z > 3.0f) continue; /* the foot, four metres below the lip */
                const float speed = sqrtf(2.0f * 9.81f * 4.0f), start = sqrtf(0.25f * 9.81f * 0.5f);
                assert_float_equal(b.mesh.velocities[3 * v + 2], -speed, 1e-4);
                assert_float_equal(b.mesh.opacity[v] * 2.0f, 0.5f * sqrtf(start / hypotf(start, speed)), 1e-5);
                assert_int_equal(rn_surface_sheet_row(&s.columns, b.mesh.ids[v]), RN_SHEET_ROWS);
            }
        }
        assert_int_equal(sheets, off ? 0 : 2 * RN_SHEET_ROWS * (NY + 1)); /* to the domain's edge */
        if (!off) assert_true(fabsf(lowest - 2.5f) < 1e-5f && fabsf(highest - 6.5f) < 1e-5f);
        const float *lip = vertex_with(&b.mesh, stack_slot(&s, 1, 3, 5));
        assert_non_null(lip);
        assert_true(lip[2] == 6.5f);
        buffers_free(&b);
    }
    stack_free(&s);
}

/* Liquid that falls into a round hole: the sheet is a ring without a gap, and its lips do not follow the cells. */
static void lips_of_a_round_hole_are_round(void **state) {
    (void)state;
    enum { SIDE = 40 };
    const float middle = 0.5f * SIDE + 0.23f, radius = 11.3f;
    stack s = stack_make(SIDE, SIDE, 2, 1.0f, 100.0f);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
            const bool hole = hypotf((float)x + 0.5f - middle, (float)y + 0.5f - middle) < radius;
            s.base[low] = 1.0f;
            s.ceil[low] = hole ? 100.0f : 5.0f;
            s.depth[low] = 0.5f;
            if (hole) continue;
            s.base[high] = 6.0f;
            s.ceil[high] = 100.0f;
            s.depth[high] = 0.5f;
        }
    const rn_surface_def def = rn_surface_default();
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    int lips = 0, triangles = 0;
    float nearest = INFINITY, farthest = 0.0f, least = 1.0f;
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        if (rn_surface_sheet_row(&s.columns, b.mesh.ids[v]) != 1) continue;
        const float *at = &b.mesh.positions[3 * v], *n = &b.mesh.normals[3 * v];
        const float x = at[0] - middle, y = at[1] - middle, far = hypotf(x, y);
        lips++;
        nearest = fminf(nearest, far);
        farthest = fmaxf(farthest, far);
        least = fminf(least, -(n[0] * x + n[1] * y) / far);
    }
    for (size_t i = 0; i < 3 * (size_t)b.mesh.triangle_count; i += 3) /* whose last corner is in the first row */
        triangles += rn_surface_sheet_row(&s.columns, b.mesh.ids[b.mesh.indices[i + 2]]) == 1;
    print_message("%d lips, %.2f cells apart, normals within %.0f degrees\n", lips, (double)(farthest - nearest),
                  (double)(acosf(least) * 57.3f));
    assert_true(lips > 50);
    assert_int_equal(triangles, 2 * lips); /* as many strips as lips */
    assert_true(farthest - nearest < 0.7f);
    assert_true(least > 0.95f);
    buffers_free(&b);
    stack_free(&s);
}

/* ---- What vertices carry --------------------------------------------------------------------------------------------
 */

/* A tilted sheet of water that moves as a whole. */
static stack moving_stack(void) {
    stack s = stack_make(12, 10, 1, 0.5f, 100.0f);
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 12; x++) {
            const size_t k = stack_slot(&s, 0, y, x);
            s.base[k] = 1.0f + 0.1f * (float)x;
            s.ceil[k] = 100.0f;
            s.depth[k] = 0.75f;
            s.flux_x[k] = 0.3f * 0.75f * 0.5f;  /* 0.3 m/s */
            s.flux_y[k] = -0.2f * 0.75f * 0.5f; /* -0.2 m/s */
        }
    return s;
}

static void vertices_carry_motion_opacity_and_normals(void **state) {
    (void)state;
    stack s = moving_stack();
    const rn_surface_def def = {.full_depth = 1.5f};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    const uint32_t id = (uint32_t)stack_slot(&s, 0, 4, 6);
    const float *at = vertex_with(&b.mesh, id);
    assert_non_null(at);
    const size_t i = (size_t)(at - b.mesh.positions) / 3;
    assert_true(fabsf(b.mesh.velocities[3 * i] - 0.3f) < 1e-6f);
    assert_true(fabsf(b.mesh.velocities[3 * i + 1] + 0.2f) < 1e-6f);
    assert_true(fabsf(b.mesh.velocities[3 * i + 2]) < 1e-6f); /* as much comes as goes */
    assert_true(fabsf(b.mesh.opacity[i] - 0.5f) < 1e-6f);
    const float *n = &b.mesh.normals[3 * i];
    assert_true(fabsf(n[0] / n[2] + 0.2f) < 1e-5f && n[1] == 0.0f);
    assert_true(fabsf(at[0] - 3.25f) < 1e-6f && fabsf(at[1] - 2.25f) < 1e-6f);
    buffers_free(&b);
    stack_free(&s);
}

static void choppiness_moves_vertices_to_crests(void **state) {
    (void)state;
    stack s = moving_stack();
    const float moved[2] = {0.04f, 0.64f}; /* slope 0.2 times 0.2 m; at most 0.32 of the 2 m to the edge */
    for (int i = 0; i < 2; i++) {
        const rn_surface_def def = {.choppiness = i ? 100.0f : 0.2f};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        const float *at = vertex_with(&b.mesh, stack_slot(&s, 0, 4, 6));
        assert_true(fabsf(at[0] - 3.25f - moved[i]) < 1e-5f);
        buffers_free(&b);
    }
    stack_free(&s);
}

/* A body pushes the surface down; what is drawn is where it would be. */
static void effective_levels_are_drawn(void **state) {
    (void)state;
    stack s = moving_stack();
    float effective[12 * 10] = {0};
    effective[stack_slot(&s, 0, 4, 6)] = 3.5f;
    s.columns.effective = (rn_surface_field){effective, 12, 120};
    const rn_surface_def def = {.whole_cells = true};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    assert_true(vertex_with(&b.mesh, stack_slot(&s, 0, 4, 6))[2] == 3.5f);
    assert_true(vertex_with(&b.mesh, stack_slot(&s, 0, 4, 7))[2] == 1.7f + 0.75f);
    buffers_free(&b);
    stack_free(&s);
}

/* ---- Least heights --------------------------------------------------------------------------------------------------
 */

static float bumpy(float x, float y, uint32_t kind) {
    const float steep = kind % 2 ? 1.5f : 0.4f;
    return 3.0f + steep * sinf(1.3f * x + 0.2f * y) + 0.3f * cosf(2.9f * y) + (kind % 3 == 2 && x > 8.0f ? 4.0f : 0.0f);
}

/* Height of the surface over a place, over triangles of wet columns only; NAN: none. */
static double height_at(const rn_mesh *m, const stack *s, double x, double y) {
    double highest = NAN;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *i = &m->indices[3 * t];
        const float *a = &m->positions[3 * i[0]], *b = &m->positions[3 * i[1]], *c = &m->positions[3 * i[2]];
        if (fabs((double)a[0] - x) > 2.0 || fabs((double)a[1] - y) > 2.0) continue;
        bool wet = true;
        for (int k = 0; k < 3; k++)
            wet &= m->ids[i[k]] < rn_surface_slots(&s->columns) && s->depth[m->ids[i[k]]] > 0.0f;
        const double area =
            ((double)b[0] - a[0]) * ((double)c[1] - a[1]) - ((double)c[0] - a[0]) * ((double)b[1] - a[1]);
        const double u = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area;
        const double v = ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / area, w = 1.0 - u - v;
        if (!wet || area <= 0.0 || u < -1e-9 || v < -1e-9 || w < -1e-9) continue;
        const double z = u * a[2] + v * b[2] + w * c[2];
        if (!(highest > z)) highest = z;
    }
    return highest;
}

enum { BUMPS = 20, SPOTS = 600 };

static stack bumpy_stack(uint32_t kind, uint64_t *r) {
    stack s = stack_make(BUMPS, BUMPS, 1, 1.0f, 100.0f);
    for (int y = 0; y < BUMPS; y++)
        for (int x = 0; x < BUMPS; x++) {
            const size_t k = stack_slot(&s, 0, y, x);
            s.base[k] = bumpy((float)x + 0.5f, (float)y + 0.5f, kind);
            s.ceil[k] = 100.0f;
            s.depth[k] = kind % 4 == 3 && next_random(r) % 8 == 0 ? 0.0f : 0.3f * next_unit(r) * next_unit(r);
        }
    return s;
}

static void no_terrain_sticks_out(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < 8; kind++) {
        uint64_t r = kind + 1;
        stack s = bumpy_stack(kind, &r);
        float spots[3 * SPOTS], minimum[BUMPS * BUMPS];
        for (int i = 0; i < SPOTS; i++) {
            float *p = &spots[3 * i];
            p[0] = next_unit(&r) * BUMPS;
            p[1] = next_unit(&r) * BUMPS;
            p[2] = bumpy(p[0], p[1], kind) + 0.1f * (next_unit(&r) - 0.5f);
        }
        rn_surface_minimum(&s.columns, &(rn_surface_ground){.positions = spots, .count = SPOTS}, NULL, minimum);
        int above[2] = {0, 0}, skipped = 0;
        for (int on = 0; on < 2; on++) {
            const rn_surface_def def = {.minimum = on ? minimum : NULL, .whole_cells = true};
            buffers b = buffers_make(&s.columns, &def);
            build(&s.columns, &def, &b);
            for (int i = 0; i < SPOTS; i++) {
                size_t slots[4];
                float high[4];
                if (!rn_minimum_of(&s.columns, &spots[3 * i], NULL, slots, high)) {
                    skipped += on;
                    continue;
                }
                const double z = height_at(&b.mesh, &s, spots[3 * i], spots[3 * i + 1]);
                above[on] += z < (double)spots[3 * i + 2];
            }
            buffers_free(&b);
        }
        if (!(above[0] > 0 && above[1] == 0 && skipped < SPOTS / 4))
            fail_msg("ground %u: %d vertices above without, %d with least heights; %d skipped", kind, above[0],
                     above[1], skipped);
        stack_free(&s);
    }
}

/* Only where the terrain has changed. */
static void least_heights_are_renewed_in_part(void **state) {
    (void)state;
    uint64_t r = 5;
    stack s = bumpy_stack(1, &r);
    float spots[3 * SPOTS], part[BUMPS * BUMPS], whole[BUMPS * BUMPS];
    const rn_surface_ground ground = {.positions = spots, .count = SPOTS};
    for (int i = 0; i < SPOTS; i++) {
        float *p = &spots[3 * i];
        p[0] = next_unit(&r) * BUMPS;
        p[1] = next_unit(&r) * BUMPS;
        p[2] = bumpy(p[0], p[1], 1) + 0.2f * next_unit(&r);
    }
    rn_surface_minimum(&s.columns, &ground, NULL, part);
    for (int i = 0; i < SPOTS; i++)
        if (spots[3 * i] > 6.0f && spots[3 * i] < 10.0f && spots[3 * i + 1] > 3.0f && spots[3 * i + 1] < 9.0f)
            spots[3 * i + 2] += i % 2 ? 0.3f : -0.3f;
    for (int y = 3; y < 9; y++)
        for (int x = 6; x < 10; x++) s.base[stack_slot(&s, 0, y, x)] += 0.1f;
    rn_surface_minimum(&s.columns, &ground, NULL, whole);
    assert_true(memcmp(part, whole, sizeof part) != 0);
    rn_surface_minimum(&s.columns, &ground, &(rn_surface_area){6, 3, 10, 9}, part);
    assert_memory_equal(part, whole, sizeof part);
    stack_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_front_moves_smoothly_and_keeps_its_volume),
        cmocka_unit_test(a_film_advances_smoothly),
        cmocka_unit_test(a_shore_is_level),
        cmocka_unit_test(upright_fronts_are_not_clear),
        cmocka_unit_test(a_film_on_a_bank_ends_where_it_has_thinned_out),
        cmocka_unit_test(walls_under_overhangs_get_vertices),
        cmocka_unit_test(submerged_overhangs_leave_no_seams),
        cmocka_unit_test(links_change_without_jumps),
        cmocka_unit_test(sheets_fall_from_ledges),
        cmocka_unit_test(lips_of_a_round_hole_are_round),
        cmocka_unit_test(vertices_carry_motion_opacity_and_normals),
        cmocka_unit_test(choppiness_moves_vertices_to_crests),
        cmocka_unit_test(effective_levels_are_drawn),
        cmocka_unit_test(no_terrain_sticks_out),
        cmocka_unit_test(least_heights_are_renewed_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
