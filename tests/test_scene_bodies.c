/* Scenes with bodies whose memory runs out, and logs of poses that come back as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file/poses.h"
#include "purse.h"
#include "scratch.h"

#include <runnel/runnel.h>

static const char text[] =
    "{\"grid\": {\"cells\": [12, 10], \"cell\": 0.1}, \"solid\": {\"type\": \"plane\"}, \"fills\": [{\"level\": 0.3}],"
    " \"bodies\": ["
    "  {\"shape\": {\"type\": \"parts\", \"of\": [{\"type\": \"box\", \"size\": [0.3, 0.2, 0.2]},"
    "   {\"type\": \"sphere\", \"radius\": 0.1, \"at\": [0, 0, 0.2]}]},"
    "   \"drawn\": {\"type\": \"capsule\", \"radius\": 0.1, \"length\": 0.3},"
    "   \"name\": \"boat\", \"at\": [0.6, 0.5, 0.5]},"
    "  {\"shape\": {\"type\": \"hull\", \"points\": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0.1, 0.1, 0.2]]},"
    "   \"motion\": \"scripted\", \"path\": [[0, 0.2, 0.2, 0.1], [1, 0.9, 0.2, 0.1]], \"turns\": [[0, 0, 0, 0], [1, 0, "
    "0, 90]]}],"
    " \"joints\": [{\"type\": \"ball\", \"body\": \"boat\", \"at\": [0.6, 0.5, 0.9]}]}";

static void write_scene(void) {
    FILE *file = fopen(in_folder("bodies.json"), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    write_scene();
    char path[512], log[512];
    snprintf(path, sizeof path, "%s", in_folder("bodies.json"));
    snprintf(log, sizeof log, "%s", in_folder("log.txt"));
    bool whole = false;
    for (int blocks = 0; blocks < 5000 && !whole; blocks++) {
        purse p = {.left = blocks};
        rn_scene *scene = NULL;
        const rn_scene_def def = {.path = path,
                                  .record_poses = log,
                                  .threads = 1,
                                  .hooks = {.user = &p, .alloc = purse_spend, .free = purse_give_back}};
        rn_result result = rn_scene_open(&def, &scene);
        if (result == RN_UNSUPPORTED) skip();
        assert_true((result == RN_OK) == (scene != NULL));
        if (result == RN_OK) result = rn_scene_step(scene);
        if (result == RN_OK) result = rn_scene_keep_poses(scene);
        whole = result == RN_OK;
        if (!whole && !strstr(rn_last_error(), "memory")) fail_msg("after %d blocks: %s", blocks, rn_last_error());
        rn_scene_close(scene);
        assert_int_equal(p.held, 0);
    }
    assert_true(whole);
    assert_int_equal(count_files(".part", false), 0);
}

static void test_poses_come_back(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("poses.txt"));
    const rn_pose poses[2] = {{{0.1, -1e-300, 1e8}, {0.6, 0, 0, 0.8}, {1.0 / 3, -0.0, 2}, {1e-17, 5, 6}},
                              {{7, 8, 9}, {0, 0, 0, 1}, {0, 0, -9.81}, {0, 0, 0}}};
    rn_pose_log *log = NULL;
    rn_poses *back = NULL;
    rn_pose found;
    assert_int_equal(rn_pose_log_create(path, NULL, 2, 1.0 / 60, &log), RN_OK);
    for (int i = 0; i < 6; i++) rn_pose_log_add(log, i / 2, i % 2, &poses[i % 2]);
    assert_int_equal(rn_pose_log_keep(log), RN_OK);
    assert_int_equal(rn_poses_read(path, NULL, &back), RN_OK);
    assert_int_equal(rn_poses_bodies(back), 2);
    assert_true(rn_poses_frame_time(back) == 1.0 / 60);
    rn_poses_skip(back, 0);
    for (int i = 2; i < 6; i++) {
        assert_int_equal(rn_poses_next(back, i / 2, i % 2, &found), RN_OK);
        assert_memory_equal(&found, &poses[i % 2], sizeof found);
    }
    assert_int_equal(rn_poses_next(back, 3, 0, &found), RN_INVALID);
    rn_poses_free(back);
    assert_int_equal(rn_pose_log_create(path, NULL, 1, 1, &log), RN_OK);
    rn_pose_log_drop(log); /* leaves what was there */
    assert_int_equal(rn_poses_read(path, NULL, &back), RN_OK);
    rn_poses_free(back);
}

static int begin(void **state) {
    (void)state;
    return make_folder("scene-bodies");
}

static int end(void **state) {
    (void)state;
    return take_folder_away();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_runs_out), cmocka_unit_test(test_poses_come_back)};
    return cmocka_run_group_tests(tests, begin, end);
}
