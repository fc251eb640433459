/* runnel compare: runs a scene over columns and as a 3D liquid, measures how they differ in every frame, and writes a
   film, a table and a page. Entry point: command_compare(). run_comparison() does the work: open_scenes(),
   open_table(), open_pictures(), run_frames(), write_page(). Ctrl-C ends the run after the current frame; the results
   so far are kept. */
#include "common/commands.h"
#include "common/console.h"
#include "common/folders.h"
#include "common/library.h"
#include "common/notices.h"
#include "common/options.h"
#include "common/progress.h"
#include "compare/compare.h"
#include "output/output.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "runnel compare SCENE [options]: runs a scene with columns and as a 3D liquid, and shows where they differ.\n"
    "\n"
    "SCENE is a name from \"runnel scenes\", or a JSON file. Its solver, or \"explicit\" if that is \"mac\", is "
    "compared\n"
    "with \"mac\". docs/mac.md says what a 3D liquid cannot have.\n"
    "\n"
    "  --frames N        run N frames instead of the number in the scene\n"
    "  --seconds T       run T simulated seconds\n"
    "  --set KEY=VALUE   change a value of the scene, for both\n"
    "  --set-columns KEY=VALUE   change a value for the columns only, such as liquid.viscosity=0.05\n"
    "  --out DIR         folder for all results (default: out/compare-SCENE)\n"
    "  --wet D           columns count as wet from a depth of D metres on (default: half a cell)\n"
    "  --view NAME       a view of the scene (default: its first)\n"
    "  --every N         film every Nth frame (default: 1)\n"
    "  --no-render       draw no pictures and no film\n"
    "  --threads N       number of threads (default: 0, one per core); numbers are the same for any number\n"
    "\n"
    "Results in DIR: index.html, film.mp4 (by ffmpeg), last.png and differences.csv: depths, fronts and outlines of "
    "both\n"
    "in every frame.\n";

/* The command-line options. */
typedef struct settings {
    const char *scene, *out, *view;
    int frames, every, threads;
    double seconds, wet;
    bool no_render;
    option_texts set, set_columns;
} settings;

enum { WIDTH = 800, HEIGHT = 600 };

static volatile sig_atomic_t stop_asked;

/* Handles SIGINT (Ctrl-C): the run ends after the current frame. */
static void ask_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

/* The state of a comparison. */
typedef struct run {
    const settings *s;
    rn_scene *scenes[BOTH];
    rn_world *worlds[BOTH];
    char folder[3072];
    rows table;
    panels panels;
    writer writer;
    difference *frames;   /* of every frame done */
    int asked, done;      /* frames */
    double seconds[BOTH]; /* wall time of all steps */
} run;

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

/* Opens the scene with the --set options, those of --set-columns if `more` is set, and, unless `solver` is NULL, with
   that further option, such as "solver=mac". Returns false after printing an error. */
static bool open_scene(const settings *s, const char *path, bool more, const char *solver, rn_scene **scene) {
    const int columns = more ? s->set_columns.count : 0, given = s->set.count;
    const char **set = calloc((size_t)(given + columns) + 1, sizeof *set);
    notices said = {0};
    if (!set) return complain("there is not enough memory") == EXIT_FINE;
    for (int i = 0; i < given; i++) set[i] = s->set.texts[i];
    for (int i = 0; i < columns; i++) set[given + i] = s->set_columns.texts[i];
    if (solver) set[given + columns] = solver;
    rn_scene_def def = {.path = path, .set = set, .set_count = given + columns + (solver != NULL)};
    def.threads = s->threads;
    def.hooks = notices_hooks(&said);
    def.keep_solid = !s->no_render;
    const rn_result result = rn_scene_open(&def, scene);
    notices_close(&said);
    free(set);
    if (result != RN_OK) complain("%s", rn_last_error());
    return result == RN_OK;
}

/* Returns true if the scene is solved as a 3D liquid. */
static bool is_deep(rn_scene *scene) { return strcmp(rn_world_describe(rn_scene_world(scene)).solver, "mac") == 0; }

/* Opens the scene with its own solver and with the other kind, "explicit" or "mac", and puts each in its slot, SHALLOW
   or DEEP, of r->scenes; r->worlds are their worlds. --set-columns applies to SHALLOW alone. Returns false after
   printing an error; what is open then is closed by the caller. */
static bool open_scenes(run *r, const char *path) {
    rn_scene *first;
    if (!open_scene(r->s, path, false, NULL, &first)) return false;
    const bool deep = is_deep(first);
    if (deep) r->scenes[DEEP] = first;
    else rn_scene_close(first);
    if (!open_scene(r->s, path, true, deep ? "solver=explicit" : NULL, &r->scenes[SHALLOW])) return false;
    if (!deep && !open_scene(r->s, path, false, "solver=mac", &r->scenes[DEEP])) return false;
    for (int i = 0; i < BOTH; i++) r->worlds[i] = rn_scene_world(r->scenes[i]);
    return true;
}

/* ---- Output ------------------------------------------------------------------------------------------------------ */

/* Writes the path of a file in the output folder, cut off if too long. */
static void path_in(const run *r, const char *name, char path[4096]) { snprintf(path, 4096, "%s/%s", r->folder, name); }

/* Creates differences.csv and writes its heading. Returns false after printing an error. */
static bool open_table(run *r) {
    static const char *const names[] = {"west_m", "east_m", "south_m", "north_m", "area_m2", "volume_m3", "deepest_m"};
    char path[4096];
    path_in(r, "differences.csv", path);
    if (!rows_open(&r->table, path, 0)) return false;
    rows_print(&r->table, "frame,time_s,height_rms_m,front_m,outline_shared");
    for (int i = 0; i < BOTH; i++)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            rows_print(&r->table, ",%s_%s", i == SHALLOW ? "columns" : "3d", names[k]);
    return rows_end(&r->table);
}

/* Adds the latest frame, number r->done, to differences.csv. Returns false after printing an error. */
static bool write_row(run *r, const difference *d) {
    rows_print(&r->table, "%d,%.9g,%.6g,%.6g,%.6g", r->done, d->time, d->height, d->front, d->shared);
    for (int i = 0; i < BOTH; i++) {
        const outline *o = &d->of[i];
        rows_print(&r->table, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.9g,%.6g", o->low[0], o->high[0], o->low[1], o->high[1],
                   o->area, o->volume, o->deepest);
    }
    return rows_end(&r->table);
}

/* Finds the view, sets up r->panels, and opens its renderers and the film. Returns false after printing an error; the
   caller closes what is open. */
static bool open_pictures(run *r) {
    const rn_scene_info info = rn_scene_describe(r->scenes[DEEP]);
    const picture_options wanted = {.view = r->s->view};
    const double rate = video_rate(info.frame_time * r->s->every);
    char path[4096];
    path_in(r, "film.mp4", path);
    r->panels = (panels){.scenes = {r->scenes[SHALLOW], r->scenes[DEEP]},
                         .width = WIDTH,
                         .height = HEIGHT,
                         .pace = 1 / (r->s->every * rate)};
    if (!pictures_find_view("compare", &info, &wanted, &r->panels.view)) return false;
    if (pictures_is_map(&r->panels.view))
        return complain("runnel compare: maps cannot be compared; choose another --view") == EXIT_FINE;
    const video_def film = {
        .path = path, .width = 2 * WIDTH, .height = HEIGHT, .rate = rate, .frames = r->asked / r->s->every + 1};
    if (panels_open(&r->panels, r->s->threads) != RN_OK) return complain("%s", rn_last_error()) == EXIT_FINE;
    return writer_open(&r->writer, &film);
}

/* Draws both scenes into the film in every r->s->every-th frame and in the last one, which is also written to last.png;
   after Ctrl-C, the current frame is the last. Does nothing with --no-render. Returns false after printing an error. */
static bool draw_frame(run *r) {
    const bool last = r->done == r->asked || stop_asked;
    char path[4096];
    if (r->s->no_render || (r->done % r->s->every != 0 && !last)) return true;
    uint8_t *picture = writer_room(&r->writer);
    if (!picture) return complain("%s", r->writer.queue.error) == EXIT_FINE;
    if (panels_draw(&r->panels, r->done, picture) != RN_OK) return complain("%s", rn_last_error()) == EXIT_FINE;
    path_in(r, "last.png", path);
    writer_give(&r->writer, last ? path : NULL, true);
    return true;
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

/* Steps both scenes by a frame and adds the wall time of each to r->seconds. Returns false after printing an error. */
static bool step_both(run *r) {
    for (int i = 0; i < BOTH; i++) {
        const double before = clock_now();
        const rn_result result = rn_scene_step(r->scenes[i]);
        r->seconds[i] += clock_now() - before;
        if (result != RN_OK) return complain("frame %d: %s", r->done + 1, rn_last_error()) == EXIT_FINE;
    }
    return true;
}

/* Runs frames until r->asked are done or Ctrl-C: steps, measures, writes a row, draws. Fills r->frames and counts in
   r->done. Depths of --wet or, by default, half a cell count as wet. Returns false after printing an error. */
static bool run_frames(run *r) {
    const rn_scene_info info = rn_scene_describe(r->scenes[DEEP]);
    const double wet = r->s->wet > 0 ? r->s->wet : 0.5 * rn_world_describe(r->worlds[DEEP]).cell_size;
    progress bar = progress_start(info.name, 0, r->asked);
    bool fine = true;
    while (fine && r->done < r->asked && !stop_asked) {
        fine = step_both(r);
        if (!fine) break;
        r->frames[r->done] = compare_worlds(r->worlds, wet);
        const difference *d = &r->frames[r->done++];
        fine = write_row(r, d) && draw_frame(r);
        progress_show(&bar, r->done, d->time);
    }
    progress_clear(&bar);
    return fine;
}

/* Prints the differences in the last frame and the wall times. At least one frame must be done. */
static void print_result(const run *r) {
    const difference *d = &r->frames[r->done - 1];
    const double cell = rn_world_describe(r->worlds[DEEP]).cell_size;
    printf("after %.3g s: depths differ by %.3g m (%.2g cells) root mean square, fronts by %.3g m, %.1f %% of the "
           "outline is shared\n",
           d->time, d->height, d->height / cell, d->front, 100 * d->shared);
    printf("steps    %.2f s with columns, %.2f s in 3D\n", r->seconds[SHALLOW], r->seconds[DEEP]);
    printf("page     %s/index.html, differences.csv\n", r->folder);
}

/* Closes the film and, if any frame is done, writes the page. A film that failed is reported but is not an error.
   `path`: the scene file, which the page names. Returns false after printing an error. */
static bool write_page(run *r, const char *path) {
    const rn_scene_info info = rn_scene_describe(r->scenes[DEEP]);
    const char *no_film = NULL;
    if (!r->s->no_render) {
        const bool written = writer_close(&r->writer, true);
        no_film = *r->writer.film.error ? r->writer.film.error : NULL;
        if (!written) return complain("%s", r->writer.queue.error) == EXIT_FINE;
        if (no_film) fprintf(stderr, "%s\n", no_film);
    }
    const comparison c = {.name = info.name,
                          .title = info.title,
                          .file = path,
                          .film = r->s->no_render || no_film ? NULL : "film.mp4",
                          .solvers = {rn_world_describe(r->worlds[SHALLOW]).solver, "mac"},
                          .seconds = {r->seconds[SHALLOW], r->seconds[DEEP]},
                          .frames = r->frames,
                          .count = r->done};
    return r->done == 0 || page_write(r->folder, &c);
}

/* Runs the whole comparison of the scene file `path`: chooses frames and folder, opens, runs, finishes and prints.
   Returns false after printing an error; the caller frees everything. */
static bool run_comparison(run *r, const char *path) {
    if (!open_scenes(r, path)) return false;
    const rn_scene_info info = rn_scene_describe(r->scenes[DEEP]);
    r->asked = r->s->frames ? r->s->frames : info.frames;
    if (r->s->seconds > 0) r->asked = (int)fmax(1, fmin(1e6, ceil(r->s->seconds / info.frame_time - 1e-6)));
    if (r->s->out) snprintf(r->folder, sizeof r->folder, "%s", r->s->out);
    else snprintf(r->folder, sizeof r->folder, "out/compare-%s", info.name);
    r->frames = calloc((size_t)r->asked, sizeof *r->frames);
    if (!r->frames) return complain("there is not enough memory") == EXIT_FINE;
    if (!make_folders(r->folder) || !open_table(r) || (!r->s->no_render && !open_pictures(r))) return false;
    console_catch_interrupt(ask_stop, true);
    if (!run_frames(r) || !write_page(r, path)) return false;
    if (r->done) print_result(r);
    return true;
}

/* Checks the options, runs the comparison, frees everything, and returns the exit status, after printing an error if it
   is EXIT_BAD_INPUT. */
static int compare_with(const settings *s) {
    char path[4096];
    if (!s->scene) return complain("runnel compare: which scene? \"runnel scenes\" lists them");
    if (s->frames && s->seconds > 0) return complain("runnel compare: give --frames or --seconds, not both");
    if (!library_find("compare", s->scene, path, sizeof path)) return EXIT_BAD_INPUT;
    run r = {.s = s};
    const bool fine = run_comparison(&r, path);
    writer_close(&r.writer, false);
    panels_close(&r.panels);
    rows_close(&r.table);
    free(r.frames);
    for (int i = 0; i < BOTH; i++) rn_scene_close(r.scenes[i]);
    return !fine ? EXIT_BAD_INPUT : r.done < r.asked ? EXIT_INTERRUPTED : EXIT_FINE;
}

/* `runnel compare`: reads the options, runs the comparison, and returns the exit status; EXIT_INTERRUPTED after Ctrl-C,
   with the results so far kept. */
int command_compare(int argc, char **argv) {
    const char **texts = calloc(2 * (size_t)argc + 2, sizeof *texts);
    if (!texts) return complain("there is not enough memory");
    settings s = {.every = 1, .set.texts = texts, .set_columns.texts = texts + argc + 1};
    const option options[] = {
        {"SCENE", OPTION_BARE, &s.scene, 0, 0},
        {"--frames", OPTION_COUNT, &s.frames, 1, 1e6},
        {"--seconds", OPTION_NUMBER, &s.seconds, 1e-9, 1e9},
        {"--set", OPTION_TEXTS, &s.set, 0, 0},
        {"--set-columns", OPTION_TEXTS, &s.set_columns, 0, 0},
        {"--out", OPTION_FOLDER, &s.out, 0, 0},
        {"--wet", OPTION_NUMBER, &s.wet, 1e-9, 1e6},
        {"--view", OPTION_TEXT, &s.view, 0, 0},
        {"--every", OPTION_COUNT, &s.every, 1, 1e6},
        {"--no-render", OPTION_FLAG, &s.no_render, 0, 0},
        {"--threads", OPTION_COUNT, &s.threads, 0, 1024},
    };
    int status = EXIT_BAD_INPUT;
    switch (options_read("compare", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: break;
    case OPTIONS_HELP:
        fputs(help, stdout);
        status = EXIT_FINE;
        break;
    case OPTIONS_READ: status = compare_with(&s); break;
    }
    free(texts);
    return status;
}
