/* Surfaces that the GPU builds are those of the CPU, byte for byte: here by the GPU's own program, run on threads
   (src/cuda/machine_threads.c), for several numbers of blocks, lanes and ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_meshes.h"

#include <runnel/runnel.h>
#include <stdlib.h>
#include <string.h>

static char heard[512]; /* the last message of the world whose device is used */

static void hear(void *user, rn_log_level level, const char *text) {
    (void)user, (void)level;
    strncpy(heard, text, sizeof heard - 1);
}

/* A world on the GPU, only for its device. `shape`: blocks, lanes and ranks. */
static rn_world *world_on(const char *shape) {
    rn_terrain_def ground = rn_terrain_default();
    rn_terrain *terrain = NULL;
    rn_world *world = NULL;
    setenv("RUNNEL_EMULATED", shape, 1);
    ground.cells_x = ground.cells_y = 8;
    ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.backend = "cuda";
    def.hooks.log = hear;
    if (rn_world_create(&def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(terrain);
    assert_non_null(rn_world_device(world));
    return world;
}

/* Copies a field of columns to memory of the device, without gaps, and makes it point there. */
static void move_field(rn_device *device, const rn_surface_columns *c, rn_surface_field *field) {
    const size_t row = (size_t)c->cells_x;
    if (!field->data) return;
    float *to = rn_device_alloc(device, rn_surface_slots(c) * sizeof *to);
    assert_non_null(to);
    for (int layer = 0; layer < c->layers; layer++)
        for (int y = 0; y < c->cells_y; y++)
            memcpy(to + ((size_t)layer * (size_t)c->cells_y + (size_t)y) * row,
                   field->data + layer * field->layer_stride + y * field->row_stride, row * sizeof *to);
    *field = (rn_surface_field){to, c->cells_x, (ptrdiff_t)row * c->cells_y};
}

enum { ARRAYS = 7 };

/* Arrays of a mesh in an order, and bytes of their elements. */
static void list_arrays(rn_mesh *m, void **arrays[ARRAYS], size_t sizes[ARRAYS]) {
    void **const all[ARRAYS] = {(void **)&m->positions,  (void **)&m->normals, (void **)&m->opacity,
                                (void **)&m->velocities, (void **)&m->menisci, (void **)&m->ids,
                                (void **)&m->indices};
    static const size_t bytes[ARRAYS] = {12, 12, 4, 12, 16, 4, 12};
    memcpy(arrays, all, sizeof all);
    memcpy(sizes, bytes, sizeof bytes);
}

/* Fails unless two meshes are the same to the bit; those of `there` are fetched. */
static void assert_same(rn_device *device, rn_mesh *here, rn_mesh *there, const char *what) {
    void **a[ARRAYS], **b[ARRAYS];
    size_t sizes[ARRAYS];
    if (here->vertex_count != there->vertex_count || here->triangle_count != there->triangle_count)
        fail_msg("%s: %u vertices and %u triangles, not %u and %u", what, there->vertex_count, there->triangle_count,
                 here->vertex_count, here->triangle_count);
    list_arrays(here, a, sizes), list_arrays(there, b, sizes);
    for (int i = 0; i < ARRAYS; i++) {
        const size_t bytes = sizes[i] * (i == ARRAYS - 1 ? here->triangle_count : here->vertex_count);
        if (!*a[i] || !bytes) continue;
        char *fetched = malloc(bytes);
        assert_non_null(fetched);
        assert_int_equal(rn_device_copy(device, fetched, *b[i], bytes), RN_OK);
        for (size_t k = 0; k < bytes; k++)
            if (fetched[k] != ((char *)*a[i])[k])
                fail_msg("%s: array %d differs from element %zu on", what, i, k / sizes[i]);
        free(fetched);
    }
}

/* What is built of columns on both sides. */
typedef struct pair {
    rn_device *device;
    rn_surface_columns columns;         /* in memory of the device, which the CPU reads, too */
    rn_surface_def here_def, there_def; /* the second has the device */
    rn_mesh here, there;
    void *scratch[2];
    rn_surface_room room[2];
} pair;

static pair make_pair(rn_device *device, const rn_surface_columns *columns, const rn_surface_def *def, bool shaded) {
    pair p = {.device = device, .columns = *columns, .here_def = *def, .there_def = *def};
    void **a[ARRAYS], **b[ARRAYS];
    size_t sizes[ARRAYS];
    rn_surface_field *const fields[] = {&p.columns.base,   &p.columns.ceil,   &p.columns.depth,
                                        &p.columns.flux_x, &p.columns.flux_y, &p.columns.effective};
    for (int i = 0; i < 6; i++) move_field(device, &p.columns, fields[i]);
    p.there_def.device = device;
    assert_int_equal(rn_surface_bound(&p.columns, &p.here_def, &p.room[0]), RN_OK);
    assert_int_equal(rn_surface_bound(&p.columns, &p.there_def, &p.room[1]), RN_OK);
    assert_int_equal(p.room[0].vertices, p.room[1].vertices);
    p.scratch[0] = malloc(p.room[0].scratch);
    p.scratch[1] = rn_device_alloc(device, p.room[1].scratch);
    assert_true(p.scratch[0] && p.scratch[1]);
    memset(p.scratch[0], 0x5a, p.room[0].scratch);
    memset(p.scratch[1], 0xa5, p.room[1].scratch);
    list_arrays(&p.here, a, sizes), list_arrays(&p.there, b, sizes);
    for (int i = 0; i < ARRAYS; i++) {
        const size_t bytes = sizes[i] * (i == ARRAYS - 1 ? p.room[0].triangles : p.room[0].vertices);
        if (i == 4 && !shaded) continue;
        *a[i] = malloc(bytes + 1);
        *b[i] = rn_device_alloc(device, bytes + 1);
        assert_true(*a[i] && *b[i]);
    }
    p.here.vertex_capacity = p.there.vertex_capacity = (uint32_t)p.room[0].vertices;
    p.here.triangle_capacity = p.there.triangle_capacity = (uint32_t)p.room[0].triangles;
    return p;
}

static void free_pair(pair *p) {
    void **a[ARRAYS], **b[ARRAYS];
    size_t sizes[ARRAYS];
    const rn_surface_field *const fields[] = {&p->columns.base,   &p->columns.ceil,   &p->columns.depth,
                                              &p->columns.flux_x, &p->columns.flux_y, &p->columns.effective};
    list_arrays(&p->here, a, sizes), list_arrays(&p->there, b, sizes);
    for (int i = 0; i < 6; i++) rn_device_free(p->device, (void *)fields[i]->data);
    for (int i = 0; i < ARRAYS; i++) free(*a[i]), rn_device_free(p->device, *b[i]);
    free(p->scratch[0]), rn_device_free(p->device, p->scratch[1]);
}

static rn_result build_here(pair *p) {
    return rn_surface_build(&p->columns, &p->here_def, p->scratch[0], p->room[0].scratch, &p->here);
}
static rn_result build_there(pair *p) {
    return rn_surface_build(&p->columns, &p->there_def, p->scratch[1], p->room[1].scratch, &p->there);
}

/* Builds a surface on both sides, and fails unless they are the same. `cpu`: what the GPU's message must say if it
   builds nothing; NULL: it builds it. */
static void same_surface(rn_device *device, const rn_surface_columns *columns, const rn_surface_def *def, bool shaded,
                         const char *cpu, const char *what) {
    pair p = make_pair(device, columns, def, shaded);
    heard[0] = '\0';
    if (build_here(&p) != RN_OK || build_there(&p) != RN_OK) fail_msg("%s: %s", what, rn_last_error());
    if (cpu ? !strstr(heard, cpu) : heard[0] != '\0') fail_msg("%s: the message is \"%s\"", what, heard);
    assert_same(device, &p.here, &p.there, what);
    free_pair(&p);
}

static const rn_surface_def ways[] = {
    {0},
    {.meniscus_length = 2.7e-3f, .contact_angle = 30.0f},
    {.whole_cells = true, .no_sheets = true},
    {.no_edges = true, .meniscus_length = 4e-3f, .contact_angle = 70.0f, .meniscus_rise = true},
    {.raw_boundaries = true, .meniscus_length = 2e-3f},
    {.no_sheets = true, .least_depth = -1.0f},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Stacks without any order: small ones, some that are one cell wide, and some of several words. */
static void random_stacks_with(const char *shape, int count) {
    rn_world *world = world_on(shape);
    for (int i = 0; i < count; i++) {
        const int nx = i % 5 == 0   ? 1 + i % 3
                       : i % 7 == 1 ? 120 + i
                                    : 5 + i % 23,
                  ny = i % 4 == 0 ? 1 + i % 2 : 3 + i % 11;
        char what[64];
        stack s = random_stack_of((uint64_t)i * 7919 + 1, nx, ny, 1 + i % 5);
        snprintf(what, sizeof what, "stack %d on %s", i, shape);
        if (i % 3 == 0) s.columns.contact_foot = 1e-3f;
        if (i % 2 == 0) s.columns.open_sides = (uint32_t)i / 2 & 15u;
        same_surface(rn_world_device(world), &s.columns, &ways[i % WAYS], i % 4 == 3, NULL, what);
        stack_free(&s);
    }
    rn_world_destroy(world);
}

static void random_stacks_have_the_bits_of_the_cpu(void **state) {
    (void)state;
    random_stacks_with("3x5x2", 60);
    random_stacks_with("1x2x1", 40);
    random_stacks_with("2x1x3", 40);
}

/* Liquid of scenes, after some frames. */
static void scenes_have_the_bits_of_the_cpu(void **state) {
    static const char *const scenes[] = {"vertebra", "three-layers", "passages", "incline", "spill",
                                         "drops",    "cross",        "puddle",   "bowl"};
    rn_world *world = world_on("2x8x2");
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char path[64];
        rn_scene *scene = NULL;
        snprintf(path, sizeof path, "scenes/%s.json", scenes[i]);
        if (rn_scene_open(&(rn_scene_def){.path = path}, &scene) != RN_OK) fail_msg("%s", rn_last_error());
        for (int k = 0; k < 20; k++) assert_int_equal(rn_world_step(rn_scene_world(scene), 1.0 / 60.0), RN_OK);
        const rn_surface_columns columns = rn_surface_columns_of(rn_scene_world(scene));
        same_surface(rn_world_device(world), &columns, &ways[1], false, NULL, scenes[i]);
        rn_scene_close(scene);
    }
    rn_world_destroy(world);
}

static void there_may_be_no_liquid(void **state) {
    rn_world *world = world_on("3x5x2");
    (void)state;
    stack s = random_stack(3, 2);
    memset(s.depth, 0, rn_surface_slots(&s.columns) * sizeof *s.depth);
    for (int i = 0; i < WAYS; i++) same_surface(rn_world_device(world), &s.columns, &ways[i], false, NULL, "dry");
    stack_free(&s);
    rn_world_destroy(world);
}

/* With less and less room, both sides refuse the same, with the same message, and draw sheets as coarsely. */
static void too_little_room_is_refused(void **state) {
    rn_world *world = world_on("3x5x2");
    (void)state;
    stack s = random_stack(7, 3);
    const rn_surface_def def = {0};
    pair p = make_pair(rn_world_device(world), &s.columns, &def, false);
    assert_int_equal(build_here(&p), RN_OK);
    const uint32_t vertices = p.here.vertex_count, triangles = p.here.triangle_count;
    int refused = 0, drawn = 0;
    for (uint32_t less = 0; less < vertices; less += 1 + less / 8) {
        char text[512] = "";
        p.here.vertex_capacity = p.there.vertex_capacity = vertices - less;
        p.here.triangle_capacity = p.there.triangle_capacity = triangles - less % 7;
        const rn_result result = build_here(&p);
        if (result != RN_OK) strncpy(text, rn_last_error(), sizeof text - 1);
        assert_int_equal(build_there(&p), result);
        refused += result != RN_OK, drawn += result == RN_OK;
        if (result == RN_OK) assert_same(p.device, &p.here, &p.there, "with little room");
        if (result != RN_OK && strstr(text, "triangles")) assert_string_equal(rn_last_error(), text);
        assert_int_equal(p.here.vertex_count, p.there.vertex_count);
    }
    assert_true(refused > 2 && drawn > 2);
    p.room[1].scratch = 1000;
    assert_int_equal(build_there(&p), RN_LIMIT);
    free_pair(&p);
    stack_free(&s);
    rn_world_destroy(world);
}

/* A world without a GPU has no device, and without a device nothing is done; memory that the GPU does not see is no
   scratch. */
static void wrong_memory_is_refused(void **state) {
    (void)state;
    char here[8] = "", there[8] = "";
    assert_null(rn_device_alloc(NULL, 8));
    assert_non_null(strstr(rn_last_error(), "rn_world_device"));
    rn_device_free(NULL, here);
    assert_int_equal(rn_device_copy(NULL, here, there, 8), RN_INVALID);
    rn_world *world = world_on("3x5x2");
    rn_device *device = rn_world_device(world);
    assert_int_equal(rn_device_copy(device, NULL, there, 8), RN_INVALID);
    assert_int_equal(rn_device_copy(device, here, NULL, 8), RN_INVALID);
    assert_int_equal(rn_device_copy(device, NULL, NULL, 0), RN_OK);
    stack s = random_stack(7, 3);
    const rn_surface_def def = {0};
    pair p = make_pair(device, &s.columns, &def, false);
    void *const good = p.scratch[1], *const bad = malloc(p.room[1].scratch);
    assert_non_null(bad);
    p.scratch[1] = bad;
    assert_int_equal(build_there(&p), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "rn_device_alloc"));
    p.scratch[1] = good;
    p.room[1].scratch += 64; /* more than there is */
    assert_int_equal(build_there(&p), RN_INVALID);
    p.room[1].scratch -= 64;
    assert_int_equal(build_there(&p), RN_OK);
    free(bad);
    free_pair(&p);
    stack_free(&s);
    rn_world_destroy(world);
}

/* Once a world has lost the GPU it has no device any more, and one taken before copies what the host sees. */
static void a_lost_gpu_has_no_device(void **state) {
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip();
    rn_world *world = world_on("3x5x2");
    rn_device *device = rn_world_device(world);
    char *memory = rn_device_alloc(device, 8), here[8] = "kept";
    assert_non_null(memory);
    setenv("RUNNEL_EMULATED_FAULT", "it is out", 1);
    assert_int_equal(rn_world_step(world, 0.01), RN_OK);
    unsetenv("RUNNEL_EMULATED_FAULT");
    assert_null(rn_world_device(world));
    assert_int_equal(rn_device_copy(device, memory, here, 8), RN_OK);
    assert_string_equal(memory, "kept");
    rn_device_free(device, memory);
    rn_world_destroy(world);
}

/* What the GPU does not have is built on the CPU, wholly, and the message says why. */
static void what_is_missing_is_built_on_the_cpu(void **state) {
    const rn_surface_pour pour = {.at = {4e-3f, 4e-3f, 60e-3f}, .radius = 1e-3f, .rate = 2e-6f};
    const rn_surface_jets falls = {.tension = 7e-5f, .viscosity = 1e-6f, .time = 1.0};
    rn_surface_jets pours = falls;
    const rn_surface_def choppy = {.choppiness = 1e-3f};
    (void)state;
    pours.pours = &pour, pours.pour_count = 1;
    stack s = random_stack(7, 3), many = random_stack(5, 9);
    rn_world *world = world_on("3x5x2");
    rn_device *device = rn_world_device(world);
    same_surface(device, &s.columns, &choppy, false, "choppy", "choppy");
    same_surface(device, &s.columns, &(rn_surface_def){.jets = &pours}, false, "jets of pours", "pours");
    same_surface(device, &s.columns, &(rn_surface_def){.jets = &falls}, false, "jets or drops", "falls");
    same_surface(device, &s.columns, &(rn_surface_def){.jets = &falls, .no_sheets = true}, false, NULL, "no falls");
    same_surface(device, &many.columns, &(rn_surface_def){0}, true, "more than 8 layers", "many layers");
    rn_world_destroy(world);
    world = world_on("3x5x2");
    setenv("RUNNEL_EMULATED_FAULT", "it is out", 1);
    if (!getenv("RUNNEL_ON_GPU"))
        same_surface(rn_world_device(world), &s.columns, &(rn_surface_def){0}, false, "the GPU has failed", "a fault");
    unsetenv("RUNNEL_EMULATED_FAULT");
    rn_world_destroy(world);
    stack_free(&s), stack_free(&many);
}

/* The device of a world builds its own liquid, in its own memory. */
static void a_world_has_its_surface_built(void **state) {
    (void)state;
    rn_world *world = world_on("3x5x2");
    const rn_fill_def fill = {.kind = RN_FILL_DEPTH, .value = 0.05};
    assert_int_equal(rn_world_fill(world, &fill), RN_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rn_world_step(world, 0.01), RN_OK);
        const rn_surface_columns columns = rn_surface_columns_of(world);
        same_surface(rn_world_device(world), &columns, &ways[0], false, NULL, "a world");
    }
    rn_world_destroy(world);
}

int main(void) {
#if defined(EMULATED)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_stacks_have_the_bits_of_the_cpu),
        cmocka_unit_test(scenes_have_the_bits_of_the_cpu),
        cmocka_unit_test(there_may_be_no_liquid),
        cmocka_unit_test(too_little_room_is_refused),
        cmocka_unit_test(wrong_memory_is_refused),
        cmocka_unit_test(a_lost_gpu_has_no_device),
        cmocka_unit_test(what_is_missing_is_built_on_the_cpu),
        cmocka_unit_test(a_world_has_its_surface_built),
    };
    const char *real = getenv("RUNNEL_ON_GPU"), *filter = getenv("RUNNEL_TEST_FILTER");
    if (filter) cmocka_set_test_filter(filter);
    setenv("RUNNEL_CUDA_LIBRARY", real ? real : EMULATED, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)random_stacks_have_the_bits_of_the_cpu, (void)scenes_have_the_bits_of_the_cpu, (void)there_may_be_no_liquid,
        (void)too_little_room_is_refused, (void)wrong_memory_is_refused, (void)a_lost_gpu_has_no_device,
        (void)what_is_missing_is_built_on_the_cpu, (void)a_world_has_its_surface_built;
    return 0; /* the program is not built here */
#endif
}
