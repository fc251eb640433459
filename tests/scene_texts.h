/* Scenes of a few lines, opened from a folder of the test, and the sentence when they are refused. */
#ifndef SCENE_TEXTS_H
#define SCENE_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#include <runnel/runnel.h>

static inline void write_file(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline int set_up(void **state) {
    (void)state;
    return make_folder("io");
}

static inline int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

static const char good[] = "{\n"
                           "  \"grid\": {\"cells\": [8, 6], \"cell\": 0.01},\n"
                           "  \"solid\": {\"type\": \"plane\"},\n"
                           "  \"liquid\": \"blood\",\n"
                           "  \"frames\": 7\n"
                           "}\n";

static inline rn_result open_text(const char *text, const char *const *set, int set_count, rn_scene **scene) {
    write_file("scene.json", text, strlen(text));
    rn_scene_def def = {.path = in_folder("scene.json"), .set = set, .set_count = set_count, .threads = 1};
    return rn_scene_open(&def, scene);
}

/* The sentence, without the folder in front of the file's name. */
static inline const char *sentence(void) {
    const char *text = rn_last_error();
    size_t length = strlen(folder);
    return strncmp(text, folder, length) == 0 ? text + length + 1 : text;
}

static const char with_parameters[] =
    "{\n"
    "  \"title\": \"=this is text\",\n"
    "  \"parameters\": {\"length\": 0.07, \"wide_1\": 3},\n"
    "  \"grid\": {\"cells\": [\"=length / 0.001\", \"=(wide_1 + 1) * 2\"], \"cell\": 0.001},\n"
    "  \"solid\": {\"type\": \"heightmap\", \"heights\": [[0, \"=-length / 7\"]]},\n"
    "  \"fills\": [{\"level\": \"=--length - 0.075\"}],\n"
    "  \"sources\": [{\"at\": [\"=length / 2\", 0.004, 1], \"rate\": \"=2e-6 * wide_1\"},\n"
    "              {\"path\": [[0, \"=length / 2\", 0.004, 1]], \"rate\": [[0, 0], [\"=wide_1\", 1e-6]]}],\n"
    "  \"frames\": \"=wide_1\"\n"
    "}\n";

#endif
