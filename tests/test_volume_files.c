/* Volumes that are refused, wherever they are cut or wrong, and volumes in scenes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAS_NANOVDB
#include "level_set.h"
#endif
#include "volume_balls.h"

/* ---- Tests: refusals ---- */

static void test_refusals(void **state) {
    (void)state;
    const lattice l = slanted(), flat = {{30, 30, 1}, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    lattice folded = l, endless = l;
    nifti_form form = plain;
    rn_volume_def def = at_iso(300);
    write_nifti("ball", &l, &plain, ball);
    def.iso = 5000;
    check_refused("ball.nii", &def, RN_INVALID, "nothing of it lies above the iso-value 5000; values go from -");
    def.iso = -5000;
    check_refused("ball.nii", &def, RN_INVALID, "all of it lies above the iso-value -5000; values go from -");
    def.iso = NAN;
    check_refused("ball.nii", &def, RN_INVALID, "needs an iso-value or labels to tell what is solid; values go from -");
    def.labels = (const int32_t[]){3, 4};
    def.label_count = 2;
    check_refused("ball.nii", &def, RN_INVALID, "no sample has the label 3 or 4; values go from -");
    def.iso = 300;
    check_refused("ball.nii", &def, RN_INVALID, "give an iso-value or labels, not both");
    def = at_iso(300);
    write_nifti("empty", &l, &plain, nothing);
    check_refused("empty.nii", &def, RN_FORMAT, "samples is finite");
    write_nifti("level", &l, &plain, level);
    check_refused("level.nii", &def, RN_INVALID, "values go from 7 to 7");
    form.kind = NIFTI_RGB;
    write_nifti("rgb", &l, &form, level);
    check_refused("rgb.nii", &def, RN_FORMAT, "holds colours");
    write_nifti("flat", &flat, &plain, level);
    check_refused("flat.nii", &def, RN_FORMAT, "has 30 x 30 x 1 samples");
    for (int i = 0; i < 3; i++) folded.rows[i][1] = folded.rows[i][0];
    write_nifti("folded", &folded, &plain, level);
    check_refused("folded.nii", &def, RN_FORMAT, "its axes lie in one plane");
    endless.rows[1][1] = INFINITY;
    write_nifti("endless", &endless, &plain, level);
    check_refused("endless.nii", &def, RN_FORMAT, "apart along y");
    form = (nifti_form){.kind = NIFTI_FLOAT, .qform = true, .spacing = {1, 0, 1}};
    write_nifti("close", &l, &form, ball);
    check_refused("close.nii", &def, RN_FORMAT, "samples are 0 apart along y");
    check_refused("none.nii", &def, RN_FILE, "cannot be read");
    check_refused("ball.dcm", &def, RN_FORMAT, "is not a known kind of volume");
}

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "wb");
    fputs(text, file);
    fclose(file);
}

static void test_hostile_headers(void **state) {
    (void)state;
    const rn_volume_def def = at_iso(300);
    const lattice huge = {{32000, 32000, 4}, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    writer w = {fopen(in_folder("huge.nii"), "wb"), false};
    put_nifti_header(&w, &huge, &plain);
    put_zeros(&w, 4096);
    fclose(w.file);
    check_refused("huge.nii", &def, RN_LIMIT, "has 32000 x 32000 x 4 samples of 4 bytes");
#define START "NRRD0004\ntype: float\nencoding: raw\nendian: little\n"
    write_text("huge.nrrd", START "dimension: 3\nsizes: 65536 32768 2\n\n");
    check_refused("huge.nrrd", &def, RN_LIMIT, "has 65536 x 32768 x 2 samples");
    write_text("flat.nrrd", START "dimension: 2\nsizes: 4 4\n\n");
    check_refused("flat.nrrd", &def, RN_FORMAT, "has 2 axes in space; a volume has 3");
    write_text("rgb.nrrd", START "dimension: 4\nsizes: 3 4 4 4\nkinds: RGB-color domain domain domain\n\n");
    check_refused("rgb.nrrd", &def, RN_FORMAT, "holds colours or vectors");
    write_text("elsewhere.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: ../../../etc/passwd\n");
    check_refused("elsewhere.nhdr", &def, RN_FORMAT, "its samples are in another folder, ../../../etc/passwd");
    write_text("list.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: LIST\nfine.raw\n/etc/passwd\n");
    check_refused("list.nhdr", &def, RN_FORMAT, "its samples are in another folder, /etc/passwd");
    write_text("gap.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: LIST\n\n/etc/passwd\n");
    check_refused("gap.nhdr", &def, RN_FORMAT, "its samples are in another folder, /etc/passwd");
    write_text("case.nhdr", START "dimension: 3\nsizes: 4 4 4\nData File: /etc/passwd\n");
    check_refused("case.nhdr", &def, RN_FORMAT, "its samples are in another folder, /etc/passwd");
    write_text("returns.nhdr", START "dimension: 3\rsizes: 4 4 4\rdata file: /etc/passwd\r");
    check_refused("returns.nhdr", &def, RN_FORMAT, "its samples are in another folder, /etc/passwd");
    write_text("missing.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: missing.raw\n");
    check_refused("missing.nhdr", &def, RN_FORMAT, "cannot be read as NRRD");
    write_text("words.nrrd", "What is this?\n");
    check_refused("words.nrrd", &def, RN_FORMAT, "does not begin with NRRD000");
    write_text("words.nvdb", "What is this? More than 16 bytes of no use.\n");
    check_refused("words.nvdb", &def, RN_FORMAT, "does not begin like a NanoVDB file");
    write_text("words.nii", "What is this?\n");
    check_refused("words.nii", &def, RN_FORMAT, "not a NIfTI volume");
}

/* Refused in a sentence, wherever it is cut. */
static void check_cuts(const char *name, const rn_volume_def *def) {
    const char *ending = strchr(name, '.');
    char cut[64];
    snprintf(cut, sizeof cut, "cut%s", ending);
    int64_t size;
    assert_true(rn_file_size(in_folder(name), &size));
    unsigned char *bytes = malloc((size_t)size);
    FILE *file = fopen(in_folder(name), "rb");
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    for (int part = 0; part <= 16; part++) {
        file = fopen(in_folder(cut), "wb");
        fwrite(bytes, 1, (size_t)(size * part / 16), file);
        fclose(file);
        rn_mesh_file mesh;
        rn_result result = read_surface(cut, def, &mesh, NULL);
        if (result != (part < 16 ? RN_FORMAT : RN_OK) || (part < 16 && !strstr(rn_last_error(), cut)))
            fail_msg("%s, %d/16 of it: %d, %s", name, part, (int)result, rn_last_error());
        rn_mesh_file_free(&mesh);
    }
    free(bytes);
}

static bool run_gzip(const char *name) {
    char command[1024];
    snprintf(command, sizeof command, "gzip -kf '%s'", in_folder(name));
    return system(command) == 0;
}

static void test_cut_off(void **state) {
    (void)state;
    const lattice l = slanted();
    const rn_volume_def iso = at_iso(300);
    write_nifti("whole", &l, &plain, ball);
    check_cuts("whole.nii", &iso);
    if (run_gzip("whole.nii")) check_cuts("whole.nii.gz", &iso);
    write_nrrd("whole.nrrd", NULL, &l, "spacings: 1 1 1\n", false, ball);
    check_cuts("whole.nrrd", &iso);
#ifdef HAS_NANOVDB
    const float centre[3] = {0, 0, 0};
    const rn_volume_def def = rn_volume_default();
    for (int zipped = 0; zipped < 2; zipped++) {
        assert_int_equal(write_level_set(in_folder("whole.nvdb"), 3, centre, 0.5, zipped, false), 0);
        check_cuts("whole.nvdb", &def);
    }
#endif
}

/* ---- Tests: in scenes ---- */

typedef struct notes {
    char text[1024];
} notes;

static void take_note(void *user, rn_log_level level_of, const char *text) {
    notes *n = user;
    (void)level_of;
    strncat(n->text, text, sizeof n->text - strlen(n->text) - 1);
}

static rn_result open_scene(const char *keys, notes *said, rn_scene **scene) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"grid\": {\"cells\": [40, 40], \"cell\": 0.001, \"bottom\": -0.01, \"lid\": 0.1},\n"
             " \"solid\": {\"type\": \"union\", \"of\": [{\"type\": \"plane\"}, {\"type\": \"volume\", %s}]}}\n",
             keys);
    write_text("scene.json", text);
    const rn_scene_def def = {
        .path = in_folder("scene.json"), .threads = 1, .keep_solid = true, .hooks = {.user = said, .log = take_note}};
    rn_result result = rn_scene_open(&def, scene);
    if (result == RN_UNSUPPORTED) skip();
    return result;
}

static void test_scene(void **state) {
    (void)state;
    const lattice l = slanted();
    notes said = {""};
    rn_scene *scene = NULL;
    write_nifti("ball", &l, &plain, ball);
    if (open_scene("\"file\": \"ball.nii\", \"iso\": 300, \"centred\": true, \"at\": [0, 0, 0.02]", &said, &scene) !=
        RN_OK)
        fail_msg("%s", rn_last_error());
    assert_string_equal(said.text, "");
    const rn_sdf *solid = rn_scene_solid(scene); /* of a ball with a radius of 12 mm, 20 mm up */
    const double heights[] = {0.022, 0.032, 0.042, 0.05}, distances[] = {-0.002, -0.012, -0.002, 0.006};
    for (int i = 0; i < 4; i++)
        check_near(rn_sdf_distance(solid, (rn_vec3){0.02, 0.02, heights[i]}), distances[i], 5e-5);
    rn_scene_close(scene);
}

static void test_scene_refusals(void **state) {
    (void)state;
    const lattice l = slanted();
    nifti_form form = plain;
    form.volumes = 2;
    write_nifti("ball", &l, &form, ball);
    static const struct {
        const char *keys, *words;
    } cases[] = {
        {"\"file\": \"ball.nii\"", "needs either \"iso\" or \"labels\""},
        {"\"file\": \"ball.nii\", \"iso\": 300, \"labels\": [3]", "needs either \"iso\" or \"labels\""},
        {"\"file\": \"ball.nii\", \"iso\": 3000", "ball.nii: nothing of it lies above the iso-value 3000; values go"},
        {"\"file\": \"ball.nii\", \"labels\": [3.5]", "labels are whole numbers"},
        {"\"file\": \"none.nii\", \"iso\": 300", "cannot be read"},
    };
    rn_scene *scene = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        notes said = {""};
        rn_result result = open_scene(cases[i].keys, &said, &scene);
        if (result == RN_OK || !strstr(rn_last_error(), cases[i].words) || !strstr(rn_last_error(), "scene.json"))
            fail_msg("%s: %s", cases[i].keys, rn_last_error());
    }
    notes said = {""};
    if (open_scene("\"file\": \"ball.nii\", \"iso\": 300", &said, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    assert_non_null(strstr(said.text, "ball.nii: holds 2 volumes, of which the first is taken"));
    rn_scene_close(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_refusals), TEST(test_hostile_headers), TEST(test_cut_off),
        TEST(test_scene),    TEST(test_scene_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
