#include "output.h"

#include "options.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 4096 };

static void path_in(const output *o, const char *name, char *path) {
    snprintf(path, LONGEST, "%s/%s", o->folder, name);
}

static bool make_folders(const char *folder) {
    char path[LONGEST];
    snprintf(path, sizeof path, "%s", folder);
    for (char *c = path + 1;; c++) {
        if (*c != '/' && *c != 0) continue;
        char end = *c;
        *c = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            complain("%s: this folder cannot be made: %s", folder, strerror(errno));
            return false;
        }
        if (end == 0) return true;
        *c = end;
    }
}

static bool is_frame(const char *name) {
    const char *digits = name + strlen("frame-");
    if (strncmp(name, "frame-", strlen("frame-")) != 0) return false;
    size_t count = strspn(digits, "0123456789");
    return count >= 4 && strcmp(digits + count, ".png") == 0;
}

/* Frames and a summary of an earlier run would be taken for this one's. Only a folder with a ledger is ours. */
static void take_away_old(const output *o) {
    char path[LONGEST];
    path_in(o, "ledger.csv", path);
    DIR *entries = access(path, F_OK) == 0 ? opendir(o->folder) : NULL;
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!is_frame(entry->d_name) && strcmp(entry->d_name, "summary.json") != 0 &&
            strcmp(entry->d_name, "last.png") != 0 && strcmp(entry->d_name, "probes.csv") != 0)
            continue;
        path_in(o, entry->d_name, path);
        remove(path);
    }
    closedir(entries);
}

bool output_open(output *o, const char *folder, const rn_world *world, const rn_scene_info *scene) {
    *o = (output){.width = scene->view.width, .height = rn_top_view_height(world, &scene->view)};
    if (snprintf(o->folder, sizeof o->folder, "%s", folder) >= (int)sizeof o->folder || !*folder) {
        complain("--out \"%.60s\": this is no name for a folder", folder);
        return false;
    }
    if (!make_folders(o->folder)) return false;
    take_away_old(o);
    char path[LONGEST];
    path_in(o, "ledger.csv", path);
    o->ledger = fopen(path, "w");
    if (!o->ledger) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    setvbuf(o->ledger, NULL, _IOLBF, 0); /* whole rows, readable while the run goes on */
    fprintf(o->ledger, "frame,time_s,substeps,dt_s,poured_m3,drained_m3,left_m3,displaced_m3,refused_m3,present_m3,"
                       "drift_m3,deepest_m,fastest_m_s\n");
    path_in(o, "probes.csv", path);
    if (scene->probe_count > 0 && !probes_open(&o->probes, path, scene->probes, scene->probe_count)) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    o->pixels = malloc(3 * (size_t)o->width * (size_t)o->height);
    if (!o->pixels) complain("there is not enough memory for pictures of %d by %d pixels", o->width, o->height);
    return o->pixels != NULL;
}

void output_close(output *o) {
    if (o->ledger) fclose(o->ledger);
    probes_close(&o->probes);
    free(o->pixels);
    *o = (output){0};
}

bool output_row(output *o, int frame, const rn_world *world) {
    rn_world_stats stats = rn_world_progress(world);
    rn_audit audit = rn_world_audit(world);
    int written = fprintf(o->ledger, "%d,%.9g,%d,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%.9g\n", frame,
                          stats.time, stats.substeps, stats.dt, audit.poured, audit.drained, audit.left,
                          audit.displaced, audit.refused, audit.present, audit.drift, stats.deepest, stats.fastest);
    const char *name = "ledger.csv";
    if (written > 0 && !ferror(o->ledger)) {
        if (!o->probes.file || probes_row(&o->probes, frame, world)) return true;
        name = "probes.csv";
    }
    complain("%s/%s: cannot be written: %s", o->folder, name, strerror(errno));
    return false;
}

bool output_picture(output *o, int frame, const rn_world *world, const rn_top_view_def *view) {
    char path[LONGEST], name[32];
    if (frame) snprintf(name, sizeof name, "frame-%04d.png", frame);
    else snprintf(name, sizeof name, "last.png");
    path_in(o, name, path);
    if (rn_top_view(world, view, o->pixels) != RN_OK || rn_png_write(path, o->pixels, o->width, o->height) != RN_OK) {
        complain("%s", rn_last_error());
        return false;
    }
    o->pictures += frame > 0;
    return true;
}

static void print_volume(FILE *file, const rn_world *world) {
    rn_audit audit = rn_world_audit(world);
    const struct {
        const char *name;
        double value;
    } rows[] = {{"poured_m3", audit.poured},       {"drained_m3", audit.drained}, {"left_m3", audit.left},
                {"displaced_m3", audit.displaced}, {"refused_m3", audit.refused}, {"present_m3", audit.present},
                {"drift_m3", audit.drift}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fprintf(file, "%s\"%s\": ", i ? ", " : "", rows[i].name);
        print_json_number(file, rows[i].value);
    }
}

static void print_number(FILE *file, const char *key, double number) {
    fprintf(file, "  \"%s\": ", key);
    print_json_number(file, number);
    fputs(",\n", file);
}

static void print_text(FILE *file, const char *key, const char *text) {
    fprintf(file, "  \"%s\": ", key);
    print_json_text(file, text);
    fputs(",\n", file);
}

static void print_file(FILE *file, const output *o, const char *key, const char *name, const char *joint) {
    char path[LONGEST];
    path_in(o, name, path);
    fprintf(file, "\"%s\": ", key);
    print_json_text(file, path);
    fputs(joint, file);
}

void print_summary(FILE *file, const run_summary *run, const output *o, const rn_world *world) {
    rn_world_stats stats = rn_world_progress(world);
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
    fprintf(file, "},\n  \"frames\": %d,\n  \"frames_asked\": %d,\n  \"interrupted\": %s,\n", run->frames,
            run->frames_asked, run->interrupted ? "true" : "false");
    print_number(file, "simulated_s", stats.time);
    print_number(file, "asked_s", stats.asked);
    print_number(file, "wall_s", run->wall);
    print_number(file, "stepping_s", run->steps);
    print_number(file, "real_time_factor", run->steps > 0 ? stats.time / run->steps : 0);
    fprintf(file, "  \"substeps\": %" PRIu64 ",\n  \"volume\": {", stats.steps);
    print_volume(file, world);
    fprintf(file, "},\n  \"hash\": \"%016" PRIx64 "\",\n  \"files\": {", rn_world_hash(world));
    print_file(file, o, "picture", "last.png", ", ");
    print_file(file, o, "ledger", "ledger.csv", ", ");
    if (o->probes.file) print_file(file, o, "probes", "probes.csv", ", ");
    print_file(file, o, "summary", "summary.json", ", ");
    fprintf(file, "\"frames\": %d}\n}\n", o->pictures);
}

bool output_summary(const output *o, const run_summary *run, const rn_world *world) {
    char path[LONGEST], temporary[LONGEST], name[64];
    path_in(o, "summary.json", path);
    snprintf(name, sizeof name, "summary.json.%ld.part", (long)getpid());
    path_in(o, name, temporary);
    FILE *file = fopen(temporary, "w");
    bool fine = file != NULL;
    if (fine) {
        print_summary(file, run, o, world);
        fine = !ferror(file);
        fine = fclose(file) == 0 && fine;
        fine = fine && rename(temporary, path) == 0;
        if (!fine) remove(temporary);
    }
    if (!fine) complain("%s: cannot be written: %s", path, strerror(errno));
    return fine;
}
