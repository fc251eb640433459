/* The surface of the liquid: what must hold of its mesh on random stacks of columns and on every shipped scene. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/threads.h"
#include "kernels/meniscus.h"
#include "sanitized.h"
#include "surface/links.h"
#include "surface_meshes.h"

#include <math.h>
#include <runnel/runnel.h>
#include <stdlib.h>

#define STACKS ((uint64_t)(getenv("RUNNEL_LONG") ? 3000 : SANITIZED ? 100 : 600))
#define FRAMES (getenv("RUNNEL_LONG") ? 4 : 2)

#define CELL 1e-3f

/* The linker hands every call here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static int allocations;

void *__wrap_malloc(size_t size) { return allocations++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return allocations++, __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return allocations++, __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return allocations++, __real_aligned_alloc(alignment, size);
}

static void build(const rn_surface_columns *columns, const rn_surface_def *def, buffers *b) {
    if (rn_surface_build(columns, def, b->scratch, b->bytes, &b->mesh) != RN_OK) fail_msg("%s", rn_last_error());
}

/* ---- Random stacks --------------------------------------------------------------------------------------------- */

static bool is_wet_and_free(const stack *s, size_t k) {
    if (!(s->depth[k] > 0.0f)) return false;
    return s->ceil[k] >= s->columns.lid || s->ceil[k] - s->base[k] - s->depth[k] > 8.0f * s->columns.quantum;
}

/* Which vertices triangles use. */
static bool *vertices_used(const rn_mesh *m) {
    bool *used = calloc((size_t)m->vertex_count + 1, sizeof *used);
    assert_non_null(used);
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) used[m->indices[i]] = true;
    return used;
}

static void every_wet_column_is_covered(const stack *s, const rn_mesh *m) {
    bool *used = vertices_used(m);
    const size_t slots = rn_surface_slots(&s->columns);
    bool *covered = calloc(slots, sizeof *covered);
    assert_non_null(covered);
    for (size_t v = 0; v < m->vertex_count; v++)
        if (m->ids[v] < slots && used[v]) covered[m->ids[v]] = true;
    for (size_t k = 0; k < slots; k++)
        if (is_wet_and_free(s, k) != covered[k] && (is_wet_and_free(s, k) || s->depth[k] > 0.0f))
            fail_msg("column %zu is %s", k, covered[k] ? "flooded, but drawn" : "wet, but not covered");
    free(covered);
    free(used);
}

/* 4.1, straight from the paper. */
static bool are_linked(const stack *s, int l, int y, int x, int m, int v, int u) {
    const size_t a = stack_slot(s, l, y, x), b = stack_slot(s, m, v, u);
    const float ha = s->base[a] + s->depth[a], hb = s->base[b] + s->depth[b];
    const float low_a = l ? s->ceil[stack_slot(s, l - 1, y, x)] : -INFINITY;
    const float low_b = m ? s->ceil[stack_slot(s, m - 1, v, u)] : -INFINITY;
    return low_b < ha && ha < s->ceil[b] && low_a < hb && hb < s->ceil[a];
}

static int find_edge(const mesh_edge *edges, size_t count, uint32_t a, uint32_t b) {
    const mesh_edge key = {a < b ? a : b, a < b ? b : a, 0, 0};
    const mesh_edge *found = bsearch(&key, edges, count, sizeof key, order_edges);
    return found ? found->forth + found->back : 0;
}

/* Wet columns side by side that are linked share an edge, so that there is no gap of any width between them, and the
   surface goes on beyond that edge on both sides. Returns how many edges it does not. */
static int linked_columns_share_edges(const stack *s, const rn_mesh *m) {
    const int nx = s->columns.cells_x, ny = s->columns.cells_y, layers = s->columns.layers;
    const size_t slots = rn_surface_slots(&s->columns);
    uint32_t *vertex = malloc(slots * sizeof *vertex);
    assert_non_null(vertex);
    size_t count;
    int open = 0;
    mesh_edge *edges = mesh_edges(m, &count);
    for (uint32_t i = 0; i < m->vertex_count; i++)
        if (m->ids[i] < slots) vertex[m->ids[i]] = i;
    for (int i = 0; i < 2 * nx * ny; i++) {
        const int x = i % nx, y = i / nx % ny, u = x + (i < nx * ny), v = y + (i >= nx * ny);
        if (u >= nx || v >= ny) continue;
        for (int l = 0; l < layers; l++)
            for (int k = 0; k < layers; k++) {
                const size_t a = stack_slot(s, l, y, x), b = stack_slot(s, k, v, u);
                if (!is_wet_and_free(s, a) || !is_wet_and_free(s, b) || !are_linked(s, l, y, x, k, v, u)) continue;
                const int shared = find_edge(edges, count, vertex[a], vertex[b]);
                if (!shared) fail_msg("linked columns %zu and %zu share no edge", a, b);
                open += shared == 1;
            }
    }
    free(edges);
    free(vertex);
    return open;
}

static void there_are_no_cracks(void **state) {
    (void)state;
    int open = 0, alone = 0;
    for (uint64_t seed = 0; seed < STACKS / 3; seed++) {
        stack s = seed % 2 ? random_stack(seed, 4) : random_ground(seed);
        const rn_surface_def def = {.whole_cells = true};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        const int found = linked_columns_share_edges(&s, &b.mesh);
        if (seed % 2) alone += found;
        else open += found;
        buffers_free(&b);
        stack_free(&s);
    }
    assert_int_equal(open, 0);
    assert_true((uint64_t)alone < STACKS / 6); /* of tens of thousands: where four layers meet in a point */
}

static const rn_surface_def ways[] = {
    {0},
    {.whole_cells = true},
    {.no_edges = true},
    {.no_sheets = true},
    {.whole_cells = true, .choppiness = 0.1f},
    {.choppiness = 1e-3f},
    {.raw_boundaries = true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void meshes_of_random_stacks_are_sound(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < STACKS; seed++) {
        stack s = random_stack(seed, 1 + (int)(seed % 4));
        const rn_surface_def *def = &ways[seed % WAYS];
        buffers b = buffers_make(&s.columns, def);
        build(&s.columns, def, &b);
        const char *fault = mesh_fault(&b.mesh, CELL);
        if (fault) fail_msg("stack %llu: %s", (unsigned long long)seed, fault);
        assert_true(buffers_whole(&b));
        if (def->whole_cells) every_wet_column_is_covered(&s, &b.mesh);
        buffers_free(&b);
        stack_free(&s);
    }
}

static void ids_are_single(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        stack s = random_stack(seed, 4);
        const rn_surface_def def = rn_surface_default();
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        for (uint32_t i = 0; i < b.mesh.vertex_count; i++)
            for (uint32_t k = 0; k < i; k++) assert_true(b.mesh.ids[i] != b.mesh.ids[k]);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* The number of vertices with the coarsest sheets, which is what the mesh then has. */
static uint32_t least_vertices(const stack *s, const rn_surface_def *def, buffers *b) {
    do b->mesh.vertex_capacity = b->mesh.vertex_count - 1;
    while (rn_surface_build(&s->columns, def, b->scratch, b->bytes, &b->mesh) == RN_OK);
    b->mesh.vertex_capacity++;
    build(&s->columns, def, b);
    return b->mesh.vertex_count;
}

static void too_small_buffers_are_refused(void **state) {
    (void)state;
    stack s = random_stack(7, 3);
    const rn_surface_def def = rn_surface_default();
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    const uint32_t vertices = least_vertices(&s, &def, &b), triangles = b.mesh.triangle_count;
    b.mesh.vertex_capacity = vertices - 1;
    assert_int_equal(rn_surface_build(&s.columns, &def, b.scratch, b.bytes, &b.mesh), RN_LIMIT);
    assert_int_equal(b.mesh.triangle_count, 0);
    b.mesh.vertex_capacity = vertices;
    b.mesh.triangle_capacity = triangles - 1;
    assert_int_equal(rn_surface_build(&s.columns, &def, b.scratch, b.bytes, &b.mesh), RN_LIMIT);
    b.mesh.triangle_capacity = triangles;
    build(&s.columns, &def, &b);
    assert_int_equal(rn_surface_build(&s.columns, &def, b.scratch, 1000, &b.mesh), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "rn_surface_bound"));
    s.columns.layers = 64;
    rn_surface_room room;
    assert_int_equal(rn_surface_bound(&s.columns, &def, &room), RN_LIMIT);
    s.columns.layers = 0;
    assert_int_equal(rn_surface_bound(&s.columns, &def, &room), RN_INVALID);
    buffers_free(&b);
    stack_free(&s);
}

static bool same_mesh(const rn_mesh *a, const rn_mesh *b) {
    const size_t v = a->vertex_count;
    return v == b->vertex_count && a->triangle_count == b->triangle_count &&
           !memcmp(a->positions, b->positions, 12 * v) && !memcmp(a->normals, b->normals, 12 * v) &&
           !memcmp(a->velocities, b->velocities, 12 * v) && !memcmp(a->opacity, b->opacity, 4 * v) &&
           !memcmp(a->ids, b->ids, 4 * v) && !memcmp(a->indices, b->indices, 12 * (size_t)a->triangle_count);
}

static void threads_make_no_difference(void **state) {
    (void)state;
    const int crews[] = {2, 3, 8};
    for (int c = 0; c < 3; c++) {
        rn_pool *pool = rn_pool_create(NULL, crews[c]);
        assert_non_null(pool);
        for (uint64_t seed = 0; seed < 60; seed++) {
            stack s = random_stack(seed, 3);
            rn_surface_def def = ways[seed % WAYS];
            buffers a = buffers_make(&s.columns, &def), b = buffers_make(&s.columns, &def);
            build(&s.columns, &def, &a);
            def.threads = pool;
            for (int again = 0; again < 3; again++) {
                build(&s.columns, &def, &b);
                assert_true(same_mesh(&a.mesh, &b.mesh));
            }
            buffers_free(&a);
            buffers_free(&b);
            stack_free(&s);
        }
        rn_pool_destroy(pool);
    }
}

static void what_scratch_held_does_not_matter(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        stack s = random_stack(seed, 4);
        const rn_surface_def *def = &ways[seed % WAYS];
        buffers a = buffers_make(&s.columns, def), b = buffers_make(&s.columns, def);
        uint64_t r = seed;
        build(&s.columns, def, &a);
        for (size_t i = 0; i < b.bytes / 4; i++) ((uint32_t *)b.scratch)[i] = next_random(&r) * 2 + (uint32_t)i % 2;
        build(&s.columns, def, &b);
        assert_true(same_mesh(&a.mesh, &b.mesh));
        memset(b.scratch, 3, b.bytes);
        build(&s.columns, def, &b);
        assert_true(same_mesh(&a.mesh, &b.mesh));
        buffers_free(&a);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* What a shader is given to bend normals is what bends them here; at the edge of the liquid psi is whole. */
static void shaders_can_bend_as_well(void **state) {
    (void)state;
    int bent = 0, edges = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        stack s = random_stack(seed, 3);
        rn_surface_def def = ways[0];
        def.meniscus_length = 4 * CELL;
        def.contact_angle = seed % 2 ? 30.0f : 130.0f;
        def.whole_cells = true; /* all that is wet is drawn as such */
        buffers a = buffers_make(&s.columns, &def), b = buffers_make(&s.columns, &def);
        b.mesh.menisci = malloc(16 * (size_t)b.mesh.vertex_capacity + 16);
        build(&s.columns, &def, &a);
        build(&s.columns, &def, &b);
        assert_int_equal(a.mesh.vertex_count, b.mesh.vertex_count);
        for (uint32_t i = 0; i < a.mesh.vertex_count; i++) {
            const float *m = &b.mesh.menisci[4 * i], *n = &b.mesh.normals[3 * i], *to = &a.mesh.normals[3 * i];
            const uint32_t columns = (uint32_t)rn_surface_slots(&s.columns);
            assert_true(m[3] >= 0.0f && m[3] <= 1.0f && fabsf(m[2]) < 1.6f);
            if (m[3] == 0.0f) continue;
            assert_float_equal(m[0] * m[0] + m[1] * m[1], 1.0f, 1e-5f);
            const rn_normal tilted = rn_meniscus_tilt(rn_normal_of(n[0], n[1], n[2]), m[0], m[1], m[2] * m[3]);
            const bool wet = b.mesh.ids[i] < columns && s.depth[b.mesh.ids[i]] > 0.0f;
            if (wet) {
                assert_memory_equal(&tilted, to, sizeof tilted);
                bent++;
            } else {
                edges++;
            }
        }
        free(b.mesh.menisci);
        buffers_free(&a);
        buffers_free(&b);
        stack_free(&s);
    }
    assert_true(bent > 1000 && edges > 1000);
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

static const char *const scenes[] = {"aquarium",   "bend",    "bowl",         "branches",    "cross",  "culvert",
                                     "hydrograph", "incline", "passages",     "rising-gate", "sculpt", "siphon-not",
                                     "spill",      "suction", "three-layers", "u-tube"};

static void meshes_of_scenes_are_sound(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "scenes/%s.json", scenes[i]);
        rn_scene *scene = NULL;
        if (rn_scene_open(&(rn_scene_def){.path = path, .threads = 1}, &scene) != RN_OK)
            fail_msg("%s", rn_last_error());
        for (int frame = 0; frame < FRAMES; frame++) {
            for (int k = 0; k < 5; k++) assert_int_equal(rn_scene_step(scene), RN_OK);
            const rn_surface_columns columns = rn_surface_columns_of(rn_scene_world(scene));
            const rn_surface_def *def = &ways[frame % 2];
            buffers b = buffers_make(&columns, def);
            const int before = allocations;
            build(&columns, def, &b);
            assert_int_equal(allocations, before);
            const char *fault = mesh_fault(&b.mesh, columns.cell_size);
            if (fault) fail_msg("%s, frame %d: %s", scenes[i], 5 * frame + 5, fault);
            assert_true(buffers_whole(&b));
            buffers_free(&b);
        }
        rn_scene_close(scene);
    }
}

/* Rows that end with a word of cells, and nothing of the caller's behind the last: only a sanitizer sees a step too
 * far. */
static void nothing_is_read_past_the_last_cell(void **state) {
    (void)state;
    for (int nx = 61; nx <= 193; nx++) {
        stack s = stack_make(nx, 3, 1, CELL, 0.05f);
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < nx; x++) {
                s.base[stack_slot(&s, 0, y, x)] = 0.0f;
                s.ceil[stack_slot(&s, 0, y, x)] = 0.05f;
                s.depth[stack_slot(&s, 0, y, x)] = 0.002f;
            }
        const rn_surface_def def = {.meniscus_length = 2.8e-3f, .contact_angle = 30.0f};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        assert_true(b.mesh.triangle_count > 0);
        assert_true(buffers_whole(&b));
        buffers_free(&b);
        stack_free(&s);
    }
}

static void bad_columns_are_refused(void **state) {
    (void)state;
    const rn_surface_def def = {0};
    rn_surface_room room;
    for (int kind = 0; kind < 4; kind++) {
        stack s = stack_make(3, 3, 2, CELL, 0.05f);
        for (int l = 0; l < 2; l++)
            for (int i = 0; i < 9; i++) {
                const size_t slot = stack_slot(&s, l, i / 3, i % 3);
                s.base[slot] = l ? 0.02f : 0.0f;
                s.ceil[slot] = l ? 0.05f : 0.015f;
            }
        assert_int_equal(rn_surface_bound(&s.columns, &def, &room), RN_OK);
        const size_t low = stack_slot(&s, 0, 1, 2), high = stack_slot(&s, 1, 1, 2);
        if (kind == 0) s.ceil[low] = NAN;
        if (kind == 1) s.ceil[high] = 0.01f;
        if (kind == 2) s.base[high] = 0.01f;
        if (kind == 3) s.ceil[low] = -1.0f;
        assert_int_equal(rn_surface_bound(&s.columns, &def, &room), RN_INVALID);
        if (!strstr(rn_last_error(), "x 2, y 1 in layer")) fail_msg("%s", rn_last_error());
        stack_free(&s);
    }
    stack s = stack_make(2, 2, 1, CELL, 0.05f);
    const rn_surface_def odd[] = {{.full_depth = NAN}, {.least_depth = INFINITY}, {.contact_angle = -INFINITY}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        assert_int_equal(rn_surface_bound(&s.columns, &odd[i], &room), RN_INVALID);
    rn_mesh mesh = {0};
    assert_int_equal(rn_surface_build(&s.columns, NULL, NULL, 0, &mesh), RN_INVALID);
    assert_int_equal(rn_surface_build(NULL, &def, NULL, 0, &mesh), RN_INVALID);
    stack_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_of_random_stacks_are_sound),
        cmocka_unit_test(there_are_no_cracks),
        cmocka_unit_test(ids_are_single),
        cmocka_unit_test(too_small_buffers_are_refused),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(what_scratch_held_does_not_matter),
        cmocka_unit_test(shaders_can_bend_as_well),
        cmocka_unit_test(meshes_of_scenes_are_sound),
        cmocka_unit_test(nothing_is_read_past_the_last_cell),
        cmocka_unit_test(bad_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
