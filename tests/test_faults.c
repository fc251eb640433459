/* Memory that runs out: every allocation fails in turn, alone and with all that follow, in everything a program does
   with a scene. Never a crash or a leak; always a result, and a sentence that speaks of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/platform.h"
#include "scratch.h"

#include <jansson.h>
#include <runnel/runnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker hands the library's own calls to these (--wrap), jansson is told of them, worlds get them as hooks. What
   libspng and zlib allocate fails in test_faults.sh. */
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static struct {
    bool on, for_good;
    long before_failure; /* allocations still to be granted */
    long failed, held;
} memory_left;

static bool refuses(void) {
    if (!memory_left.on) return false;
    if (memory_left.before_failure-- > 0) return false;
    if (memory_left.before_failure < -1 && !memory_left.for_good) return false;
    memory_left.failed++;
    return true;
}

static void *counted(void *memory) {
    memory_left.held += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size) { return refuses() ? NULL : counted(__real_malloc(size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refuses() ? NULL : counted(__real_aligned_alloc(alignment, size));
}
void *__wrap_realloc(void *memory, size_t size) {
    if (refuses()) return NULL;
    if (!memory) return counted(__real_malloc(size));
    return __real_realloc(memory, size);
}
void __wrap_free(void *memory) {
    memory_left.held -= memory != NULL;
    __real_free(memory);
}

static void *hook_alloc(void *user, size_t size) {
    (void)user;
    return __wrap_aligned_alloc(64, size);
}
static void hook_free(void *user, void *memory) {
    (void)user;
    __wrap_free(memory);
}

static const char scene_text[] =
    "{\"title\": \"Faults\", \"grid\": {\"cells\": [12, 9], \"cell\": 0.01, \"bottom\": -0.2, \"lid\": 0.5},\n"
    "\"solid\": {\"type\": \"union\", \"blend\": 0.01, \"of\": [{\"type\": \"heightmap\", \"file\": \"map.png\", "
    "\"high\": 0.02},\n"
    "{\"type\": \"heightmap\", \"heights\": [[0, 0.01], [0.02, 0.01]]},\n"
    "{\"type\": \"grid\", \"cells\": [2, 2, 2], \"spacing\": 1, \"origin\": [0, 0, -0.49], \"values\": [-1, -1, "
    "-1, -1, 1, 1, 1, 1]},\n"
    "{\"type\": \"subtract\", \"of\": [{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1], \"at\": [0.05, 0.04, 0.1], "
    "\"turn\": [0, 0, 30], \"scale\": 0.5},\n"
    "{\"type\": \"sphere\", \"radius\": 0.02, \"at\": [0.05, 0.04, 0.1]}]}]},\n"
    "\"liquid\": {\"name\": \"milk\", \"viscosity\": 1e-5}, \"edges\": {\"west\": \"open\"},\n"
    "\"fills\": [{\"level\": 0.03}, {\"shape\": {\"type\": \"sphere\", \"radius\": 0.02, \"at\": [0.03, 0.03, 0.05]}, "
    "\"in\": {\"type\": \"plane\", \"at\": [0, 0, 0.1]}}],\n"
    "\"sources\": [{\"at\": [0.05, 0.04, 0.2], \"radius\": 0.02, \"rate\": 1e-5}],\n"
    "\"drains\": [{\"shape\": {\"type\": \"box\", \"size\": [0.02, 0.02, 1]}}]}\n";

static char scene_path[512], map_path[512], picture_path[512], checkpoint_path[512], later_path[512];

static int set_up(void **state) {
    (void)state;
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    if (make_folder("faults") != 0) return -1;
    snprintf(scene_path, sizeof scene_path, "%s", in_folder("scene.json"));
    snprintf(map_path, sizeof map_path, "%s", in_folder("map.png"));
    snprintf(picture_path, sizeof picture_path, "%s", in_folder("picture.png"));
    snprintf(checkpoint_path, sizeof checkpoint_path, "%s", in_folder("checkpoint.rnl"));
    snprintf(later_path, sizeof later_path, "%s", in_folder("later.rnl"));
    FILE *file = fopen(scene_path, "wb");
    uint8_t pixels[3 * 8 * 6];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i / 3 * 5);
    bool written = file && fputs(scene_text, file) >= 0;
    written = file && fclose(file) == 0 && written;
    return written && rn_png_write(map_path, pixels, 8, 6) == RN_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

/* jansson does not tell a text it has no memory for from one it cannot parse. */
static bool is_jansson(const char *sentence) {
    return strstr(sentence, "this is not valid JSON") || strncmp(sentence, "--set ", 6) == 0;
}

/* What a call gave: false ends the story, and then the sentence must say that memory ran out. */
static bool went_well(rn_result result) {
    if (result == RN_OK) return true;
    assert_true(memory_left.failed > 0);
    if (!strstr(rn_last_error(), "memory") && !is_jansson(rn_last_error()))
        fail_msg("%s: %s", rn_result_text(result), rn_last_error());
    return false;
}

static bool change_the_ground(rn_world *world) {
    rn_view base = rn_world_view(world, RN_FIELD_BASE);
    base.data[0] += 0.01f;
    return went_well(rn_world_commit(world));
}

static bool use_world(rn_scene *scene) {
    static uint8_t pixels[3 * 64 * 64];
    rn_world *world = rn_scene_world(scene);
    rn_top_view_def view = rn_scene_describe(scene).view;
    view.width = 64;
    return went_well(rn_world_step(world, 0.01)) &&
           went_well(rn_world_pour(world, (rn_vec3){0.03, 0.03, 0.3}, 0.02, 1e-6) >= 0 ? RN_OK : RN_MEMORY) &&
           went_well(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.001})) &&
           went_well(rn_world_step(world, 0.01)) && change_the_ground(world) && went_well(rn_world_step(world, 0.01)) &&
           went_well(rn_top_view(world, &view, pixels)) && went_well(rn_png_write(picture_path, pixels, 64, 48));
}

/* Everything, up to the first failure. */
static bool use_scene(void) {
    static const char *const set[] = {"friction=0.4", "view.width=100", "fills.0.level=0.02"};
    rn_scene_def def = {.path = scene_path,
                        .set = set,
                        .set_count = 3,
                        .threads = 1, /* the same order of allocations every time */
                        .hooks = {.alloc = hook_alloc, .free = hook_free}};
    rn_scene *scene = NULL;
    rn_result opened = rn_scene_open(&def, &scene);
    assert_true((opened == RN_OK) == (scene != NULL));
    if (!went_well(opened)) return false;
    bool fine = use_world(scene);
    if (fine) assert_true(rn_world_audit(rn_scene_world(scene)).drift == 0.0);
    rn_scene_close(scene);
    char title[32], about[32];
    if (!fine || !went_well(rn_scene_preview(scene_path, title, sizeof title, about, sizeof about))) return false;
    for (int docs = 0; docs < 2; docs++) {
        char *text = NULL;
        if (!went_well(docs ? rn_scene_reference(&text) : rn_scene_schema(&text))) return false;
        rn_scene_text_free(text);
    }
    rn_heightmap map;
    if (!went_well(rn_heightmap_load(map_path, 0, 1, &map))) return false;
    rn_heightmap_free(&map);
    return true;
}

/* A scene that has everything, some way on: where solids and brushes have changed what a new one begins with. */
static rn_scene *under_way;

static rn_result resume(rn_scene **scene) {
    rn_scene_def def = {.checkpoint = checkpoint_path, .threads = 1, .hooks = {.alloc = hook_alloc, .free = hook_free}};
    return rn_scene_open(&def, scene);
}

static uint64_t hash_file(const char *path) {
    static uint32_t words[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(words, 1, sizeof words, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof words);
    uint64_t hash = rn_hash_long(RN_HASH_START, size);
    for (size_t i = 0; i < size / 4; i++) hash = rn_hash_word(hash, words[i]);
    return hash;
}

/* Saves, resumes, goes on and saves again: each of them fails, or does what it should. */
static bool save_and_go_on(void) {
    if (!went_well(rn_scene_save(under_way, checkpoint_path))) return false;
    rn_scene *scene = NULL;
    rn_result opened = resume(&scene);
    assert_true((opened == RN_OK) == (scene != NULL));
    if (!went_well(opened)) return false;
    assert_true(rn_world_hash(rn_scene_world(scene)) == rn_world_hash(rn_scene_world(under_way)));
    bool fine = went_well(rn_scene_step(scene)) && went_well(rn_scene_save(scene, later_path));
    if (fine) assert_true(rn_world_audit(rn_scene_world(scene)).drift == 0.0);
    rn_scene_close(scene);
    return fine;
}

static void every_allocation_fails(bool for_good, bool (*do_all)(void), long least) {
    const long held = memory_left.held, stride = getenv("RUNNEL_LONG") ? 1 : 3;
    long sites = 0, tried = 0, told = 0;
    for (;; sites += stride, tried++) {
        memory_left.on = true;
        memory_left.for_good = for_good;
        memory_left.before_failure = sites;
        memory_left.failed = 0;
        bool fine = do_all();
        memory_left.on = false;
        if (memory_left.held != held) fail_msg("allocation %ld fails: %ld leak", sites, memory_left.held - held);
        assert_int_equal(count_files("part", false), 0);
        told += !fine;
        if (memory_left.failed == 0) break;
    }
    print_message("%ld of %ld allocations fail, %ld failures told, %ld did without\n", tried, sites, told,
                  tried - told);
    assert_true(sites > least && told > tried / 2);
}

static void one_allocation_fails(void **state) {
    (void)state;
    every_allocation_fails(false, use_scene, 300);
}

static void memory_is_gone_for_good(void **state) {
    (void)state;
    every_allocation_fails(true, use_scene, 300);
}

static void checkpoints_without_memory(void **state) {
    (void)state;
    rn_scene_def def = {
        .path = "tests/checkpoints/v1.json", .threads = 1, .hooks = {.alloc = hook_alloc, .free = hook_free}};
    assert_int_equal(rn_scene_open(&def, &under_way), RN_OK);
    for (int frame = 0; frame < 8; frame++) assert_int_equal(rn_scene_step(under_way), RN_OK);
    assert_int_equal(rn_scene_save(under_way, checkpoint_path), RN_OK);
    const uint64_t hash = hash_file(checkpoint_path);
    for (int for_good = 0; for_good < 2; for_good++) {
        every_allocation_fails(for_good, save_and_go_on, 200);
        assert_true(hash_file(checkpoint_path) == hash);
    }
    rn_scene_close(under_way);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_allocation_fails),
                                       cmocka_unit_test(memory_is_gone_for_good),
                                       cmocka_unit_test(checkpoints_without_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
