/* Checkpoints: a scene on disk goes on bit for bit, a file that is not what was written is refused with a sentence, and
   no file is ever torn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#include <inttypes.h>
#include <runnel/runnel.h>

#ifndef _WIN32
#include <signal.h>
#include <sys/resource.h>
#endif

static int set_up(void **state) {
    (void)state;
    return make_folder("checkpoint");
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

static rn_scene *open_scene(const char *path, const char *const *set, int set_count, int threads) {
    rn_scene *scene = NULL;
    rn_scene_def def = {.path = path, .set = set, .set_count = set_count, .threads = threads};
    if (rn_scene_open(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static rn_scene *resume(const char *path, int threads) {
    rn_scene *scene = NULL;
    rn_scene_def def = {.checkpoint = path, .threads = threads};
    if (rn_scene_open(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static void step_to(rn_scene *scene, int frame) {
    while (rn_scene_describe(scene).frame < frame)
        if (rn_scene_step(scene) != RN_OK) fail_msg("%s", rn_last_error());
}

static void save_as(rn_scene *scene, const char *path) {
    if (rn_scene_save(scene, path) != RN_OK) fail_msg("%s", rn_last_error());
}

/* To the last bit, and in all that is told of a scene. */
static void assert_same(rn_scene *one, rn_scene *other) {
    const rn_world *a = rn_scene_world(one), *b = rn_scene_world(other);
    assert_true(rn_world_hash(a) == rn_world_hash(b));
    const rn_audit books[2] = {rn_world_audit(a), rn_world_audit(b)};
    assert_memory_equal(&books[0], &books[1], sizeof books[0]);
    assert_true(books[0].drift == 0.0);
    const rn_world_stats s = rn_world_get_stats(a), t = rn_world_get_stats(b);
    assert_true(s.time == t.time && s.asked == t.asked && s.steps == t.steps && s.substeps == t.substeps);
    assert_true(s.dt == t.dt && s.fastest == t.fastest && s.deepest == t.deepest);
    const rn_scene_info i = rn_scene_describe(one), k = rn_scene_describe(other);
    assert_string_equal(i.name, k.name);
    assert_string_equal(i.title, k.title);
    assert_string_equal(i.about, k.about);
    assert_int_equal(i.frame, k.frame);
    assert_int_equal(i.frames, k.frames);
    assert_true(i.frame_time == k.frame_time);
    assert_int_equal(i.probe_count, k.probe_count);
    for (int p = 0; p < i.probe_count; p++) {
        if (!i.probes[p].is_section) continue;
        const rn_section x = rn_world_read_section(a, i.probes[p].section),
                         y = rn_world_read_section(b, k.probes[p].section);
        assert_true(x.volume == y.volume && x.discharge == y.discharge && x.area == y.area);
    }
}

/* ---- Going on ------------------------------------------------------------------------------------------------ */

static void scenes_go_on_bit_for_bit(void **state) {
    (void)state;
    static const struct {
        const char *path, *set[3];
        int at, end; /* frames, around something that happens */
    } runs[] = {
        {"scenes/bowl.json", {"liquid=honey", "sources.0.rate=1.23e-6"}, 6, 10},
        {"scenes/hydrograph.json", {"sources.0.rate=30", "frame_time=0.5"}, 8, 14},
        {"scenes/rising-gate.json", {NULL}, 14, 20},
        {"scenes/spill.json", {NULL}, 4, 8},
        {"scenes/incline.json", {"liquid.viscosity=0.1", "friction=0.333"}, 5, 9},
        {"scenes/rising-gate.json", {"frame_time=0.0321"}, 14, 20},
        {"scenes/sculpt.json", {NULL}, 12, 20},
        {"scenes/spill.json", {"max_substeps=4"}, 4, 8},
        {"scenes/suction.json", {"drains.0.start=0.1", "drains.0.path.0.0=0.05"}, 5, 12},
        {"scenes/three-layers.json", {"gravity=[0.7, 0, -9.7]", "model=paper"}, 9, 18},
        {"tests/checkpoints/v1.json", {"sources.2.head=0.0417"}, 10, 24},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        int changes = 0;
        while (changes < 3 && runs[i].set[changes]) changes++;
        rn_scene *scene = open_scene(runs[i].path, runs[i].set, changes, 1);
        step_to(scene, runs[i].at);
        char first[512], second[512];
        snprintf(first, sizeof first, "%s", in_folder("first.rnl"));
        snprintf(second, sizeof second, "%s", in_folder("second.rnl"));
        save_as(scene, first);
        rn_scene *copy = resume(first, 3);
        assert_same(scene, copy);
        step_to(copy, runs[i].at + 2);
        save_as(copy, second); /* of one that has gone on itself */
        step_to(copy, runs[i].end);
        step_to(scene, runs[i].end); /* saving has changed nothing */
        assert_same(scene, copy);
        rn_scene_close(copy);
        copy = resume(second, 1);
        step_to(copy, runs[i].end);
        assert_same(scene, copy);
        rn_scene_close(copy);
        rn_scene_close(scene);
    }
}

/* A checkpoint of the first moment is one of a scene that has not begun. */
static void frame_0_is_a_checkpoint_too(void **state) {
    (void)state;
    rn_scene *scene = open_scene("tests/checkpoints/v1.json", NULL, 0, 1);
    save_as(scene, in_folder("start.rnl"));
    rn_scene *copy = resume(in_folder("start.rnl"), 1);
    assert_int_equal(rn_scene_describe(copy).frame, 0);
    step_to(copy, 3);
    step_to(scene, 3);
    assert_same(scene, copy);
    rn_scene_close(copy);
    rn_scene_close(scene);
}

/* A file of every version that was ever published, see tests/checkpoints/make. The first number names the state in the
   file: it changes only with rn_world_hash itself. The second changes with tests/golden.txt, when a step is meant to.
 */
static void every_version_is_read_for_ever(void **state) {
    (void)state;
    static const struct {
        const char *path;
        uint64_t there, ten_frames_on;
    } files[] = {
        {"tests/checkpoints/v1.rnl", 0x3d36cc5593d416f8, 0xda4f1cc5e549708f},
        {"tests/checkpoints/v1-heads.rnl", 0x0ffed17d268a2170, 0x2fb6e9e3afeaa9ef},
        {"tests/checkpoints/v1-turns.rnl", 0x14fcc85952077738, 0x820bdb51352f3c31},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rn_scene *scene = resume(files[i].path, 1);
        assert_int_equal(rn_scene_describe(scene).frame, 9);
        const uint64_t there = rn_world_hash(rn_scene_world(scene));
        if (there != files[i].there) fail_msg("%s: hash %016" PRIx64, files[i].path, there);
        step_to(scene, 19);
        const uint64_t later = rn_world_hash(rn_scene_world(scene));
        if (later != files[i].ten_frames_on) fail_msg("%s: hash %016" PRIx64 " ten frames on", files[i].path, later);
        assert_true(rn_world_audit(rn_scene_world(scene)).drift == 0.0);
        rn_scene_close(scene);
    }
}

/* ---- Files that are not what was written ------------------------------------------------------------------------- */

/* The header's fields, as every version has begun so far. */
enum { VERSION_AT = 8, PATH_SIZE_AT = 12, SCENE_SIZE_AT = 16, STATE_SIZE_AT = 24, FRAME_AT = 32, CHECKSUM_AT = 40 };
enum { HEADER_SIZE = 48 };

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes read_bytes(const char *path) {
    bytes b = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(b.data);
    assert_non_null(file);
    b.size = fread(b.data, 1, 1 << 20, file);
    fclose(file);
    assert_true(b.size > HEADER_SIZE && b.size < 1 << 20);
    return b;
}

static const char *write_bytes(const void *data, size_t size) {
    const char *path = in_folder("changed.rnl");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static bytes a_checkpoint(void) {
    rn_scene *scene = open_scene("tests/checkpoints/v1.json", NULL, 0, 1);
    step_to(scene, 4);
    save_as(scene, in_folder("good.rnl"));
    rn_scene_close(scene);
    return read_bytes(in_folder("good.rnl"));
}

/* One line that begins with the file's name and holds `expected`. */
static void refuse_file(const char *path, rn_result result, const char *expected) {
    rn_scene *scene = NULL;
    rn_scene_def def = {.checkpoint = path, .threads = 1};
    assert_int_equal(rn_scene_open(&def, &scene), result);
    assert_null(scene);
    const char *said = rn_last_error();
    if (strncmp(said, path, strlen(path)) != 0 || strncmp(said + strlen(path), ": ", 2) != 0 || strchr(said, '\n'))
        fail_msg("the file is not named, or in more than a line: %s", said);
    if (!strstr(said, expected)) fail_msg("expected \"%s\" in \"%s\"", expected, said);
}

static void refuse(const void *data, size_t size, const char *expected) {
    refuse_file(write_bytes(data, size), RN_FORMAT, expected);
}

static void cut_files_are_refused(void **state) {
    (void)state;
    bytes whole = a_checkpoint();
    for (size_t cut = 0; cut < whole.size; cut += cut < 64 || cut > whole.size - 64 ? 1 : 97)
        refuse(whole.data, cut, cut < 8 ? "is not a runnel checkpoint" : "is cut short");
    uint8_t *longer = malloc(whole.size + 1);
    assert_non_null(longer);
    memcpy(longer, whole.data, whole.size);
    longer[whole.size] = 0;
    refuse(longer, whole.size + 1, "is too long");
    free(longer);
    free(whole.data);
}

/* What to expect of a header with this byte changed. */
static const char *said_of_header(size_t at) {
    if (at < VERSION_AT) return "is not a runnel checkpoint";
    if (at < PATH_SIZE_AT) return "of the checkpoint format; this runnel reads version";
    if (at >= CHECKSUM_AT) return "is damaged: its checksum is wrong";
    return ": is "; /* a size or a frame: impossible, too long, too short, or the checksum finds it */
}

static void changed_files_are_refused(void **state) {
    (void)state;
    bytes whole = a_checkpoint();
    for (size_t at = 0; at < whole.size; at += at < HEADER_SIZE ? 1 : 61)
        for (int bit = 0; bit < 8; bit += at < HEADER_SIZE ? 1 : 3) {
            whole.data[at] ^= (uint8_t)(1 << bit);
            refuse(whole.data, whole.size, at < HEADER_SIZE ? said_of_header(at) : "is damaged: its checksum is wrong");
            whole.data[at] ^= (uint8_t)(1 << bit);
        }
    const struct {
        size_t at, size;
        const char *said;
    } fields[] = {
        {VERSION_AT, 4, "has version 4294967295 of the checkpoint format; this runnel reads version 1"},
        {PATH_SIZE_AT, 4, "impossible sizes"},
        {SCENE_SIZE_AT, 8, "impossible sizes"},
        {STATE_SIZE_AT, 8, "impossible sizes"},
        {FRAME_AT, 8, "impossible sizes"},
        {CHECKSUM_AT, 8, "its checksum is wrong"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint8_t was[8];
        memcpy(was, whole.data + fields[i].at, fields[i].size);
        memset(whole.data + fields[i].at, 0xff, fields[i].size);
        refuse(whole.data, whole.size, fields[i].said);
        memset(whole.data + fields[i].at, 0, fields[i].size);
        refuse(whole.data, whole.size, fields[i].at == VERSION_AT ? ": has version 0" : ": is ");
        memcpy(whole.data + fields[i].at, was, fields[i].size);
    }
    rn_scene_close(resume(write_bytes(whole.data, whole.size), 1)); /* all of it has been put back */
    free(whole.data);
}

static void other_files_are_refused(void **state) {
    (void)state;
    refuse("", 0, "is not a runnel checkpoint");
    refuse("runnel\n\n of text mode", 20, "is not a runnel checkpoint");
    refuse("{\"title\": \"a scene\"}\n", 21, "is not a runnel checkpoint");
    refuse_file("scenes/spill.json", RN_FORMAT, "is not a runnel checkpoint");
    refuse_file(in_folder("missing.rnl"), RN_FILE, "cannot be read: No such file or directory");
    assert_true(rn_make_folder(in_folder("folder.rnl")));
    refuse_file(in_folder("folder.rnl"), RN_FILE, "is not a file");
    assert_int_equal(rmdir(in_folder("folder.rnl")), 0);
}

/* A sentence is one line, also of a file whose scene has an odd name. */
static void names_stay_on_their_line(void **state) {
    (void)state;
#ifndef _WIN32
    char odd[512];
    snprintf(odd, sizeof odd, "%s", in_folder("two\nlines\033[31m.rnl"));
    rn_scene *scene = NULL;
    assert_int_equal(rn_scene_open(&(rn_scene_def){.checkpoint = odd}, &scene), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "/two lines [31m.rnl: cannot be read: "));
#endif
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static void assert_unchanged(const char *path, bytes was) {
    bytes is = read_bytes(path);
    assert_int_equal(is.size, was.size);
    assert_memory_equal(is.data, was.data, is.size);
    free(is.data);
}

static void a_failed_save_leaves_the_earlier_one(void **state) {
    (void)state;
    bytes whole = a_checkpoint();
    rn_scene *scene = open_scene("tests/checkpoints/v1.json", NULL, 0, 1);
    char good[512];
    snprintf(good, sizeof good, "%s", in_folder("good.rnl"));
    assert_int_equal(rn_scene_save(scene, in_folder("no-such-folder/checkpoint.rnl")), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "no-such-folder/checkpoint.rnl: cannot be written: "));
    assert_true(rn_make_folder(in_folder("folder.rnl")));
    assert_int_equal(rn_scene_save(scene, in_folder("folder.rnl")), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "folder.rnl: cannot be written: "));
    assert_int_equal(rmdir(in_folder("folder.rnl")), 0);
#ifndef _WIN32
    /* a disk that is full after so many bytes */
    struct rlimit was, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    for (rlim_t room = 0; room < whole.size; room += 1 + whole.size / 19) {
        small = (struct rlimit){room, was.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        rn_result result = rn_scene_save(scene, good);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        assert_int_equal(result, RN_FILE);
        assert_non_null(strstr(rn_last_error(), "good.rnl: cannot be written: File too large"));
        assert_unchanged(good, whole);
    }
#endif
    assert_int_equal(count_files("part", false), 0);
    assert_unchanged(good, whole);
    save_as(scene, good); /* and a good one takes its place */
    rn_scene *copy = resume(good, 1);
    assert_int_equal(rn_scene_describe(copy).frame, 0);
    rn_scene_close(copy);
    rn_scene_close(scene);
    free(whole.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_go_on_bit_for_bit),       cmocka_unit_test(frame_0_is_a_checkpoint_too),
        cmocka_unit_test(every_version_is_read_for_ever), cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(changed_files_are_refused),      cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(names_stay_on_their_line),       cmocka_unit_test(a_failed_save_leaves_the_earlier_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
