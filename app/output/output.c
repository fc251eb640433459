/* The output folder of a run (output.h): tables, checkpoints, summary.json, and the names of pictures. output_open()
   makes the folder and removes what an earlier run left there; output_row() after every frame; output_checkpoint() and
   output_summary() when due; output_close() at the end. */
#include "output/output.h"

#include "base/platform.h"
#include "common/folders.h"
#include "common/options.h"
#include "common/text.h"
#include "io/file/whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = OUTPUT_LONGEST };

/* Writes the path of a file in the output folder into `path`, which has room for LONGEST bytes. */
static void path_in(const output *o, const char *name, char *path) {
    snprintf(path, LONGEST, "%s/%s", o->folder, name);
}

/* Returns the number in a name such as frame-0012.png, or 0 if it is not the name of a frame. */
static int frame_number(const char *name) {
    const char *digits = name + strlen("frame-");
    if (strncmp(name, "frame-", strlen("frame-")) != 0) return 0;
    size_t count = strspn(digits, "0123456789");
    return count >= 4 && count <= 9 && strcmp(digits + count, ".png") == 0 ? atoi(digits) : 0;
}

/* Returns true if a file in the folder, written by an earlier run, should be removed: last.png and parts of files, left
   when a run was killed, always; frames and exports after frame `kept`; the summary, probes and checkpoint if `kept` is
   0. ledger.csv stays, for rows_open(). */
static bool is_leftover(const char *file, int kept) {
    static const char *const names[] = {"summary.json", "probes.csv", "checkpoint.rnl"};
    char name[64];
    size_t length = strlen(file);
    const bool part = rn_whole_file_is_part(file, &length);
    if (snprintf(name, sizeof name, "%.*s", (int)length, file) >= (int)sizeof name) return false;
    if (strcmp(name, "last.png") == 0) return true;
    if (frame_number(name) > 0) return part || frame_number(name) > kept;
    if (rn_export_file_frame(name) >= 0) return part || kept == 0 || rn_export_file_frame(name) > kept;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return part || kept == 0;
    return false;
}

/* Removes the files of an earlier run, which would look like results of this one, except the frames up to `kept` of a
   run that this one continues (0: none). A folder without ledger.csv is not ours and is left alone. Failures are
   ignored. */
static void remove_old_files(const output *o, int kept) {
    char path[LONGEST];
    path_in(o, "ledger.csv", path);
    FILE *ledger = fopen(path, "rb");
    if (!ledger) return;
    fclose(ledger);
    DIR *entries = opendir(o->folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!is_leftover(entry->d_name, kept)) continue;
        path_in(o, entry->d_name, path);
        remove(path);
    }
    closedir(entries);
}

/* Opens ledger.csv and, if the scene has probes, probes.csv, and writes headings where they are new. Rows of frames up
   to `kept` remain. Returns false after printing an error. */
static bool open_tables(output *o, int kept) {
    char path[LONGEST];
    path_in(o, "ledger.csv", path);
    if (!rows_open(&o->ledger, path, kept)) return false;
    if (!o->ledger.resumed) {
        rows_print(&o->ledger, "frame,time_s,substeps,dt_s,poured_m3,drained_m3,left_m3,displaced_m3,refused_m3,"
                               "present_m3,drift_m3,deepest_m,fastest_m_s,body_offset_m3");
        if (!rows_end(&o->ledger)) return false;
    }
    if (o->probe_count == 0) return true;
    path_in(o, "probes.csv", path);
    if (!rows_open(&o->probes, path, kept)) return false;
    return o->probes.resumed || probes_header(&o->probes, o->probe_list, o->probe_count);
}

bool output_open(output *o, const char *folder, const rn_scene_info *scene, int kept) {
    *o = (output){.probe_list = scene->probes, .probe_count = scene->probe_count};
    if (snprintf(o->folder, sizeof o->folder, "%s", folder) >= (int)sizeof o->folder || !*folder) {
        complain("--out \"%.60s\": this is not a valid name for a folder", folder);
        return false;
    }
    if (!make_folders(o->folder)) return false;
    remove_old_files(o, kept);
    return open_tables(o, kept);
}

void output_close(output *o) {
    rows_close(&o->ledger);
    rows_close(&o->probes);
    *o = (output){0};
}

bool output_row(output *o, int frame, const rn_world *world) {
    rn_world_stats stats = rn_world_get_stats(world);
    rn_audit audit = rn_world_audit(world);
    rows_print(&o->ledger, "%d,%.9g,%d,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%.9g,%.17g", frame,
               stats.time, stats.substeps, stats.dt, audit.poured, audit.drained, audit.left, audit.displaced,
               audit.refused, audit.present, audit.drift, stats.deepest, stats.fastest, audit.body_offset);
    if (!rows_end(&o->ledger)) return false;
    return o->probe_count == 0 || probes_row(&o->probes, o->probe_list, o->probe_count, frame, world);
}

void output_picture_path(const output *o, int frame, char path[LONGEST]) {
    char name[32];
    if (frame) snprintf(name, sizeof name, "frame-%04d.png", frame);
    else snprintf(name, sizeof name, "last.png");
    path_in(o, name, path);
}

bool output_checkpoint(output *o, rn_scene *scene) {
    char path[LONGEST];
    path_in(o, "checkpoint.rnl", path);
    o->checkpoint = rn_scene_save(scene, path) == RN_OK;
    if (o->checkpoint) return true;
    complain("%s", rn_last_error());
    return false;
}

/* Prints the members of the "volume" object (m³), separated by commas. */
static void print_volume(FILE *file, const rn_world *world) {
    rn_audit audit = rn_world_audit(world);
    const struct {
        const char *name;
        double value;
    } parts[] = {{"poured_m3", audit.poured},
                 {"drained_m3", audit.drained},
                 {"left_m3", audit.left},
                 {"displaced_m3", audit.displaced},
                 {"body_offset_m3", audit.body_offset},
                 {"refused_m3", audit.refused},
                 {"present_m3", audit.present},
                 {"drift_m3", audit.drift}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        fprintf(file, "%s\"%s\": ", i ? ", " : "", parts[i].name);
        print_json_number(file, parts[i].value);
    }
}

/* Prints a line "key": number, of the summary; null for a number that is not finite. */
static void print_number(FILE *file, const char *key, double number) {
    fprintf(file, "  \"%s\": ", key);
    print_json_number(file, number);
    fputs(",\n", file);
}

/* Prints a line "key": "text", of the summary. */
static void print_text(FILE *file, const char *key, const char *text) {
    fprintf(file, "  \"%s\": ", key);
    print_json_text(file, text);
    fputs(",\n", file);
}

/* Prints "key": "path of the file `name` in the folder", followed by `joint`. */
static void print_file(FILE *file, const output *o, const char *key, const char *name, const char *joint) {
    char path[LONGEST];
    path_in(o, name, path);
    fprintf(file, "\"%s\": ", key);
    print_json_text(file, path);
    fputs(joint, file);
}

/* Prints the "pictures" member of the summary, followed by a comma; pictures were drawn, so their view is not NULL. */
static void print_pictures(FILE *file, const run_summary *run) {
    const picture_report *r = &run->pictures;
    fprintf(file, "  \"pictures\": {\"view\": ");
    print_json_text(file, r->view);
    fprintf(file, ", \"width\": %d, \"height\": %d, \"drawn\": %d, \"fine\": %s, \"device\": ", r->width, r->height,
            r->frames, r->fine ? "true" : "false");
    if (r->device) print_json_text(file, r->device);
    else fputs("null", file);
    const struct {
        const char *name;
        double value;
    } times[] = {{"drawing_s", r->drawing}, {"writing_s", r->writing}, {"waiting_s", r->waiting}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        fprintf(file, ", \"%s\": ", times[i].name);
        print_json_number(file, times[i].value);
    }
    if (r->film) {
        fprintf(file, ", \"film_pace\": ");
        print_json_number(file, run->film_pace);
    }
    fprintf(file, "},\n");
}

/* Prints the "exports" member of the summary, followed by a comma. */
static void print_exports(FILE *file, const export_report *r) {
    fprintf(file, "  \"exports\": {\"kinds\": [");
    for (int i = 0, told = 0; rn_export_kind_at(i); i++) {
        if (!(r->kinds >> i & 1)) continue;
        if (told++) fputs(", ", file);
        print_json_text(file, rn_export_kind_at(i)->name);
    }
    fprintf(file, "], \"frames\": %d, \"making_s\": ", r->frames);
    print_json_number(file, r->making);
    fprintf(file, ", \"waiting_s\": ");
    print_json_number(file, r->waiting);
    fprintf(file, ", \"writing_s\": ");
    print_json_number(file, r->writing);
    fprintf(file, "},\n");
}

/* Prints the "georeference" member of the summary, followed by a comma; nothing if the scene has no georeference (a
   scale of 0). */
static void print_georeference(FILE *file, const rn_georeference *g) {
    if (!(g->scale[0] > 0)) return;
    fputs("  \"georeference\": {\"crs\": ", file);
    if (g->crs) print_json_text(file, g->crs);
    else fputs("null", file);
    for (int i = 0; i < 5; i++) {
        fputs(i == 0 ? ", \"origin\": [" : i == 3 ? "], \"scale\": [" : ", ", file);
        print_json_number(file, i < 3 ? g->origin[i] : g->scale[i - 3]);
    }
    fputs("]},\n", file);
}

void print_summary(FILE *file, const run_summary *run, const output *o, const rn_world *world) {
    rn_world_stats stats = rn_world_get_stats(world);
    rn_world_info info = rn_world_describe(world);
    fprintf(file, "{\n");
    print_text(file, "runnel", rn_version());
    print_text(file, "scene", run->scene);
    print_text(file, "title", run->title);
    print_text(file, "file", run->file);
    fprintf(file, "  \"set\": [");
    for (int i = 0; i < run->set_count; i++) {
        if (i) fputs(", ", file);
        print_json_text(file, run->set[i]);
    }
    fprintf(file, "],\n  \"grid\": {\"cells_x\": %d, \"cells_y\": %d, \"layers\": %d, \"columns\": %" PRId64 ", ",
            info.cells_x, info.cells_y, info.layers, info.columns);
    fprintf(file, "\"cell_m\": ");
    print_json_number(file, info.cell_size);
    fprintf(file, "},\n");
    print_georeference(file, &run->georeference);
    fprintf(file, "  \"frames\": %d,\n  \"frames_asked\": %d,\n  \"interrupted\": %s,\n", run->frames,
            run->frames_asked, run->interrupted ? "true" : "false");
    print_number(file, "simulated_s", stats.time);
    print_number(file, "asked_s", stats.asked);
    print_number(file, "wall_s", run->wall);
    print_number(file, "stepping_s", run->steps);
    print_number(file, "real_time_factor", run->steps > 0 ? (stats.time - run->from) / run->steps : 0);
    fprintf(file, "  \"substeps\": %" PRIu64 ",\n", stats.steps);
    bounds_print_json(file, &run->bounds, &stats, stats.time - run->from);
    if (run->pictures.view) print_pictures(file, run);
    if (run->exports.kinds) print_exports(file, &run->exports);
    fprintf(file, "  \"passages\": {\"count\": %d, \"columns\": %" PRId64 ", \"fallbacks\": %" PRIu64 "},\n",
            stats.passages, stats.flooded, stats.fallbacks);
    fprintf(file, "  \"volume\": {");
    print_volume(file, world);
    fprintf(file, "},\n  \"hash\": \"%016" PRIx64 "\",\n  \"files\": {", rn_world_hash(world));
    if (run->pictures.view) print_file(file, o, "picture", "last.png", ", ");
    if (run->pictures.film) {
        fprintf(file, "\"video\": ");
        print_json_text(file, run->pictures.film);
        fputs(", ", file);
    }
    print_file(file, o, "ledger", "ledger.csv", ", ");
    if (o->probes.file) print_file(file, o, "probes", "probes.csv", ", ");
    if (o->checkpoint) print_file(file, o, "checkpoint", "checkpoint.rnl", ", ");
    print_file(file, o, "summary", "summary.json", ", ");
    fprintf(file, "\"frames\": %d}\n}\n", o->frames);
}

bool output_summary(const output *o, const run_summary *run, const rn_world *world) {
    char path[LONGEST];
    path_in(o, "summary.json", path);
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result == RN_OK) {
        print_summary(file.stream, run, o, world);
        result = rn_whole_file_keep(&file);
    }
    if (result != RN_OK) complain("%s", rn_last_error());
    return result == RN_OK;
}
