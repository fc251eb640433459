/* Scene files: read, built, stepped once and painted. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void use(rn_scene *scene) {
    rn_world *world = rn_scene_world(scene);
    rn_scene_info info = rn_scene_describe(scene);
    rn_result result = rn_scene_step(scene);
    fuzz_require(result == RN_OK || rn_last_error()[0] != 0, "a step that fails says why");
    fuzz_require(rn_world_audit(world).drift == 0, "volume is exact");
    info.view.width = 24;
    int height = rn_top_view_height(world, &info.view);
    if (height < 1 || height > 256) return;
    uint8_t *pixels = malloc(3 * 24 * (size_t)height);
    if (pixels) rn_top_view(world, &info.view, pixels);
    free(pixels);
}

/* Every second input, by its length, keeps its own grid and substeps, and is only opened. */
void fuzz(const uint8_t *bytes, size_t size) {
    static const char *const bounds[] = {"grid.cells=[10, 7]", "max_substeps=3"};
    bool bounded = size % 2 == 0;
    rn_scene *scene = NULL;
    rn_scene_def def = {.path = fuzz_file(bytes, size),
                        .set = bounds,
                        .set_count = bounded ? 2 : 0,
                        .threads = 1,
                        .hooks = fuzz_hooks()};
    rn_result result = rn_scene_open(&def, &scene);
    fuzz_require((result == RN_OK) == (scene != NULL), "a scene or an error");
    if (result != RN_OK) {
        fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        fuzz_require(!strchr(rn_last_error(), '\n'), "of one line");
        return;
    }
    if (bounded) use(scene);
    rn_scene_close(scene);
}
