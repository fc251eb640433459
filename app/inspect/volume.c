/* Inspects a volume file (a scan, a map of labels or a level set): its samples, and which values are probably solid.
   Entry point: inspect_volume(), which chooses the iso value, extracts the surface and passes it to
   inspect_triangles(). */
#include "inspect/inspect.h"

#include "common/options.h"
#include "common/text.h"
#include "io/read/volume_import.h"

#include <inttypes.h>
#include <math.h>

/* The greatest label: segmentations seldom have more, while the values of scans, if they are whole numbers, go
   higher. */
enum { MOST_LABELS = 64 };

bool inspect_is_volume(const char *path) { return rn_volume_is_named(path); }

/* Returns true if the values look like labels: whole numbers, none below 0, the greatest from 1 to MOST_LABELS, and not
   a level set. */
static bool looks_like_labels(const rn_volume_info *v) {
    return v->whole && !v->level_set && v->least >= 0 && v->most >= 1 && v->most <= MOST_LABELS;
}

/* Returns true if the values look like CT in Hounsfield units: only air (-1000) is so low, and bone begins near 300. */
static bool looks_like_ct(const rn_volume_info *v) { return v->least < -500 && v->most > 300; }

/* Sets i->iso and i->iso_why: --iso, else 0 for a level set, NAN (all labels) for labels, 300 for CT, otherwise the
   middle of the values. Adds a warning if it is a guess. */
static void choose_iso(inspection *i) {
    const rn_volume_info *v = &i->volume;
    const char *why;
    if (!isnan(i->options->iso)) i->iso = i->options->iso, why = "as --iso says";
    else if (v->level_set) i->iso = 0, why = "a level set is 0 at the surface";
    else if (looks_like_labels(v)) i->iso = NAN, why = "a guess: these look like labels, and all are used";
    else if (looks_like_ct(v)) i->iso = 300, why = "a guess: this looks like CT, where bone starts at this value";
    else i->iso = 0.5 * (v->least + v->most), why = "a guess: the middle of the values";
    snprintf(i->iso_why, sizeof i->iso_why, "%s", why);
    if (isnan(i->iso)) inspect_warn(i, "the solid part is %s; change \"labels\" in the scene, or give --iso", why);
    else if (isnan(i->options->iso) && !v->level_set)
        inspect_warn(i, "values from %.6g up were taken as solid, %s; --iso changes it", i->iso, why);
}

/* Returns how many labels are taken as solid, counted from 1, or 0 if the iso value decides (i->iso is not NAN). */
static int label_count(const inspection *i) { return isnan(i->iso) ? (int)i->volume.most : 0; }

bool inspect_volume(inspection *i) {
    int32_t labels[MOST_LABELS];
    rn_volume_def def = rn_volume_default();
    rn_mesh_file file;
    if (rn_volume_inspect(i->options->path, &i->volume) != RN_OK) {
        complain("%s", rn_last_error());
        return false;
    }
    choose_iso(i);
    def.iso = i->iso;
    def.labels = labels;
    def.label_count = label_count(i);
    for (int k = 0; k < def.label_count; k++) labels[k] = k + 1;
    if (rn_volume_read(i->options->path, &def, &file, &i->volume) != RN_OK) {
        complain("%s", rn_last_error());
        return false;
    }
    char line[INSPECT_TEXT];
    for (int k = 0; rn_volume_info_line(&i->volume, k, line, sizeof line); k++) inspect_warn(i, "%s", line);
    const bool fine = inspect_triangles(i, &file);
    rn_mesh_file_free(&file);
    return fine;
}

void inspect_print_volume(const inspection *i) {
    const rn_volume_info *v = &i->volume;
    printf("samples  %d x %d x %d, %.4g x %.4g x %.4g apart in the file's unit\n", v->cells[0], v->cells[1],
           v->cells[2], v->spacing[0], v->spacing[1], v->spacing[2]);
    printf("lies     %s\n", v->level_set  ? "as its grid says"
                            : v->oriented ? "as the file says: x to the right, y to the front, z to the head"
                                          : "unknown: its axes are taken as x, y and z");
    printf("values   %.6g to %.6g%s; ", v->least, v->most, v->level_set ? ", distances" : "");
    if (isnan(i->iso)) printf("solid are 1 to %.6g (%s)\n", v->most, i->iso_why);
    else printf("solid is %.6g and %s (%s)\n", i->iso, v->level_set ? "less" : "more", i->iso_why);
}

void inspect_json_volume(FILE *file, const inspection *i) {
    const rn_volume_info *v = &i->volume;
    fprintf(file, "  \"volume\": {\"samples\": [%d, %d, %d], \"spacing\": [", v->cells[0], v->cells[1], v->cells[2]);
    for (int axis = 0; axis < 3; axis++) {
        if (axis) fputs(", ", file);
        print_json_number(file, v->spacing[axis]);
    }
    fprintf(file, "], \"oriented\": %s, \"level_set\": %s, \"labels\": %s, \"volumes\": %" PRId64 ", ",
            v->oriented ? "true" : "false", v->level_set ? "true" : "false", looks_like_labels(v) ? "true" : "false",
            v->volumes);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"least", v->least}, {"most", v->most}, {"non_finite", (double)v->non_finite}, {"iso", i->iso}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        fprintf(file, "\"%s\": ", numbers[k].name);
        print_json_number(file, numbers[k].value);
        fputs(", ", file);
    }
    fputs("\"iso_why\": ", file);
    print_json_text(file, i->iso_why);
    fputs("},\n", file);
}

void inspect_print_volume_shape(FILE *file, const inspection *i) {
    fputs("{\"type\": \"volume\", \"file\": ", file);
    print_json_text(file, i->path);
    if (!isnan(i->iso)) fprintf(file, ", \"iso\": %.9g", i->iso);
    else {
        fputs(", \"labels\": [", file);
        for (int k = 1; k <= label_count(i); k++) fprintf(file, "%s%d", k > 1 ? ", " : "", k);
        fputc(']', file);
    }
    fprintf(file, ", \"unit\": \"%s\", \"up\": \"%s\", \"centred\": true}", i->unit, i->up);
}
