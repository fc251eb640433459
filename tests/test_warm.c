/* A warm step allocates nothing: memory is refused, and nobody asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <runnel/runnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker hands the library's own calls to these (--wrap), worlds get them as hooks. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

static bool warm;
static int asked;

static bool refuses(void) {
    if (!warm) return false;
    asked++;
    return true;
}

void *__wrap_malloc(size_t size) { return refuses() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return refuses() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return refuses() ? NULL : __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refuses() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    return refuses() ? 12 : __real_posix_memalign(memory, alignment, size);
}

static void *hook_alloc(void *user, size_t size) {
    (void)user;
    return refuses() ? NULL : __real_aligned_alloc(64, size);
}
static void hook_free(void *user, void *memory) {
    (void)user;
    if (warm) asked++;
    free(memory);
}

#if defined(__SANITIZE_THREAD__) /* each frame takes long, and it is not about threads */
enum { COLD = 2, WARM = 5 };
#else
enum { COLD = 2, WARM = 100 };
#endif

typedef struct story {
    const char *scene, *set[3];
    bool floods;
} story;

/* How it ends: after a few frames with memory, then some without any. */
static void tell(const story *s) {
    char path[256];
    snprintf(path, sizeof path, "scenes/%s.json", s->scene);
    int count = 0;
    while (count < 3 && s->set[count]) count++;
    rn_scene_def def = {.path = path, .set = s->set, .set_count = count, .threads = 2};
    def.hooks = (rn_hooks){.alloc = hook_alloc, .free = hook_free};
    rn_scene *scene = NULL;
    if (rn_scene_open(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    for (int i = 0; i < COLD; i++) assert_int_equal(rn_scene_step(scene), RN_OK);
    asked = 0;
    warm = true;
    rn_result result = RN_OK;
    int done = 0;
    while (done < (s->floods ? WARM : WARM / 4) && result == RN_OK && asked == 0) done++, result = rn_scene_step(scene);
    warm = false;
    if (asked || result != RN_OK)
        fail_msg("%s %s asks for memory in frame %d", s->scene, s->set[0] ? s->set[0] : "", COLD + done);
    const rn_world_stats stats = rn_world_get_stats(rn_scene_world(scene));
    if (s->floods && WARM == 100 && stats.flooded == 0)
        fail_msg("%s %s is not flooded", s->scene, s->set[0] ? s->set[0] : "");
    rn_scene_close(scene);
}

/* Solids that move and brushes that cut change the terrain, and are left out. */
static const story stories[] = {
    {"spill", {0}, true},
    {"three-layers", {0}, false},
    {"passages", {0}, true},
    {"bend", {0}, true},
    {"siphon-not", {0}, true},
    {"suction", {0}, false},
    {"three-layers", {"solver=implicit"}, false},
    {"passages", {"solver=implicit", "grid.cells=[50, 50]", "grid.cell=0.002"}, true},
    {"u-tube", {"solver=implicit"}, true},
    {"passages", {"passages=unified"}, true},
    {"passages", {"passages=axis"}, true},
    {"passages", {"model=paper"}, true},
    {"three-layers", {"rain=[{\"rate\": 1e-4}]", "edges.east=open"}, false},
};

static void warm_steps_ask_for_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stories / sizeof stories[0]; i++) tell(&stories[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(warm_steps_ask_for_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
