/* runnel run: steps a scene frame by frame and writes pictures, a film, exported files, CSV tables, checkpoints and a
   summary. Entry point: command_run(), at the end of the file.
   Order of calls: run_with() reads the options and opens the scene or checkpoint; run_scene() decides how many frames
   to run and opens the outputs; run_frames() is the loop; print_all() reports the result. Ctrl-C sets `stop_asked`,
   which the loop checks before every frame. */
#include "base/platform.h"
#include "common/commands.h"
#include "common/console.h"
#include "common/library.h"
#include "common/notices.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/text.h"
#include "output/export.h"
#include "output/output.h"
#include "output/pictures.h"
#include "output/printed.h"

#include <inttypes.h>
#include <math.h>
#include <runnel/runnel.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = /* --help prints this, then export_help() and more_help */
    "runnel run [SCENE|FILE] [options]: runs a scene and writes pictures and numbers.\n"
    "\n"
    "SCENE is a name that \"runnel scenes\" lists (default: spill). FILE is a JSON file of your own.\n"
    "\n"
    "  --frames N        run N frames instead of the number in the scene\n"
    "  --seconds T       run T simulated seconds\n"
    "  --poster          run until the scene's \"poster\" time, and draw only that picture\n"
    "  --set KEY=VALUE   change a value of the scene; may be given more than once:\n"
    "                      --set liquid=honey --set sources.0.rate=2e-6 --set 'gravity=[1, 0, -9.7]'\n"
    "                      or a parameter of the scene, as \"runnel scenes\" lists them: --set length=0.08\n"
    "  --geometry FILE   use FILE for the first mesh, volume or heightmap of the scene\n"
    "  --out DIR         folder for all results (default: out/SCENE)\n"
    "  --view NAME       camera: a view of the scene (default: its first), or\n"
    "                      orbit      from above and to the side\n"
    "                      top        straight down\n"
    "                      turntable  moving slowly around the scene\n"
    "                      map        straight down, with a scale bar; needs no OpenGL\n"
    "  --size WxH        size of pictures in pixels (default: 1280x720; for a map, the width in the scene)\n"
    "  --overlay NAME    colour the liquid by depth, speed, layers, flooded, links or distance\n"
    "  --video FILE      also make a film, with ffmpeg; FILE ends in .mp4, .webm, .webp or .gif\n"
    "  --fps N           frames per second of the film, or \"real\" for real time (default: real time from 10 to 60, "
    "else\n"
    "                      25 for longer frames, and 60 for shorter ones)\n"
    "  --every N         write only every Nth frame\n"
    "  --no-frames       write no pictures except the last, and the film if asked for\n"
    "  --no-render       draw nothing at all\n";

static const char more_help[] =
    "  --checkpoint N    write checkpoint.rnl after every Nth frame and after the last\n"
    "  --resume FILE     continue from a checkpoint, bit for bit, instead of starting SCENE from the beginning;\n"
    "                      --frames and --seconds count from the start of the scene; DIR is the folder of FILE\n"
    "  --record-poses FILE   record the pose of every body in every frame\n"
    "  --replay-poses FILE   move bodies as recorded instead of simulating them: the liquid then has the same bits\n"
    "                      on every machine\n"
    "  --threads N       number of threads (default: 0, one per core); the result is the same for any number\n"
    "  --backend NAME    cpu, cuda (an NVIDIA GPU) or auto, instead of the scene's; the result is the same\n"
    "  --hash            print a hash of the final state\n"
    "  --json            print the summary as JSON on stdout, and nothing else\n"
    "  --quiet           print neither progress nor summary, only warnings and errors\n"
    "\n"
    "Results in DIR: frame-0001.png and so on, last.png, ledger.csv (poured, drained and present volume of every "
    "frame),\n"
    "summary.json, and probes.csv if the scene has probes. With --export also the files of docs/exports.md, such as\n"
    "surface-0001.ply, and terrain-0000.ply; terrain-NNNN.ply follows where the terrain changes in frame NNNN.\n"
    "\n"
    "Ctrl-C finishes the current frame, keeps everything, writes checkpoint.rnl to continue from, and exits with\n"
    "status 130.\n";

/* The command-line options. */
typedef struct settings {
    const char *scene, *geometry, *out, *resume, *record, *replay, *fps;
    int frames, every, threads, checkpoint;
    const char *backend; /* NULL: that of the scene */
    double seconds;
    double rate; /* from `fps`; see video_understand_rate() */
    bool poster, no_frames, no_render, hash, json, quiet;
    picture_options pictures;
    export_options exports;
    option_texts set;
} settings;

static volatile sig_atomic_t stop_asked;

/* Handles SIGINT (Ctrl-C) and SIGTERM: the run ends after the current frame. */
static void ask_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

/* Returns true if simulated time lags behind the requested time, because "max_substeps" limits the substeps. */
static bool run_is_slow(const rn_world_stats *stats) { return stats->asked - stats->time > 1e-9 * stats->asked; }

/* Everything that the frame loop writes to. */
typedef struct outlets {
    output out;
    exporter exports;
    pictures pictures;
    bool told; /* the reason why the run ends early has been printed */
} outlets;

/* Records that the reason for the failure has been printed, so that closing the pictures prints none. Always returns
   false, for use in a return statement. */
static bool mark_told(outlets *to) {
    to->told = true;
    return false;
}

/* Writes checkpoint.rnl once all pictures and exports queued so far are on disk. Returns false if anything failed; the
   reason has been printed, unless pictures failed, in which case pictures_close() prints it. */
static bool write_checkpoint(outlets *to, rn_scene *scene) {
    if (!pictures_settle(&to->pictures)) return false; /* a resumed run would not draw them again */
    if (!export_settle(&to->exports)) return mark_told(to);
    return output_checkpoint(&to->out, scene) || mark_told(to);
}

/* Writes everything that is due after frame run->frames: the CSV row, a picture, which out.frames counts if it becomes
   a PNG, exports, and a checkpoint every --checkpoint frames and after the last frame with --checkpoint or --resume.
   Returns false on failure; the reason has been printed, unless pictures failed, in which case pictures_close() prints
   it. */
static bool write_frame(outlets *to, const settings *s, rn_scene *scene, const run_summary *run) {
    const int frame = run->frames;
    const bool shown = frame % s->every == 0, filmed = pictures_are_filmed(&to->pictures);
    char path[OUTPUT_LONGEST];
    output_picture_path(&to->out, frame, path);
    if (!output_row(&to->out, frame, rn_scene_world(scene))) return mark_told(to);
    if (shown && !s->no_render && (filmed || !s->no_frames)) {
        if (!pictures_frame(&to->pictures, frame, s->no_frames ? NULL : path, filmed)) return false;
        to->out.frames += !s->no_frames;
    }
    if (!export_frame(&to->exports, frame)) return mark_told(to);
    const bool last = frame == run->frames_asked && (s->checkpoint || s->resume);
    return !(last || (s->checkpoint && frame % s->checkpoint == 0)) || write_checkpoint(to, scene);
}

/* If the film has failed, prints the reason, once; the run continues without it. `frames`: pictures are kept, and the
   message says where. */
static void tell_news(outlets *to, const settings *s, const progress *bar, bool frames) {
    const char *news = s->pictures.video ? pictures_news(&to->pictures) : NULL;
    if (!news) return;
    progress_clear(bar);
    if (frames) complain("%s; the frames are kept as pictures in %s", news, to->out.folder);
    else complain("%s", news);
}

/* Draws last.png, waits until all pictures and the film are written, and fills run->pictures. Does nothing with
   --no-render. Returns false on failure of a picture; a film that failed is only reported. */
static bool finish_pictures(outlets *to, const settings *s, const progress *bar, run_summary *run) {
    if (s->no_render) return true;
    char path[OUTPUT_LONGEST];
    output_picture_path(&to->out, 0, path);
    const bool drawn = pictures_last(&to->pictures, run->frames, path), closed = pictures_close(&to->pictures, false);
    tell_news(to, s, bar, to->out.frames > 0);
    run->pictures = pictures_report(&to->pictures);
    return drawn && closed;
}

/* Runs the frame loop until all frames asked for are done or Ctrl-C, after which it also writes a checkpoint; then
   finishes pictures, exports and summary.json. Updates the counts, times and reports in `run`. Warns once each of slow
   time, unsolved substeps and lost bodies. Returns false if a step failed or a file could not be written; the reason
   has been printed, unless pictures failed, in which case pictures_close() prints it. */
static bool run_frames(rn_scene *scene, const settings *s, outlets *to, run_summary *run) {
    rn_world *world = rn_scene_world(scene);
    rn_scene_info info = rn_scene_describe(scene);
    progress bar = progress_start(info.name, run->frames, run->frames_asked);
    bar.quiet = s->quiet;
    bool slow = false, failed = false, lost = false;
    while (run->frames < run->frames_asked && !stop_asked) {
        double before = clock_now();
        rn_result result = rn_scene_step(scene);
        run->steps += clock_now() - before;
        if (result != RN_OK) {
            progress_clear(&bar);
            complain("%s: frame %d: %s", run->file, run->frames + 1, rn_last_error());
            return mark_told(to);
        }
        int frame = ++run->frames;
        rn_world_stats stats = rn_world_get_stats(world);
        bounds_note(&run->bounds, &stats);
        if (!slow && run_is_slow(&stats)) {
            slow = true;
            progress_clear(&bar);
            fprintf(
                stderr,
                "%s: time runs slower from frame %d on: stability needs more substeps than \"max_substeps\" allows\n",
                info.name, frame);
        }
        if (!failed && stats.fallbacks > 0) {
            failed = true;
            progress_clear(&bar);
            fprintf(stderr,
                    "%s: in frame %d the solve for the heads of full columns did not converge (residual %g m); such "
                    "substeps are done explicitly, as far as possible, and no liquid is lost; more "
                    "\"solver_iterations\", a smaller \"courant\" or \"solver\": \"explicit\" may help\n",
                    info.name, frame, stats.residual);
        }
        if (!lost && rn_scene_describe(scene).lost_bodies > 0) {
            lost = true;
            progress_clear(&bar);
            fprintf(
                stderr,
                "%s: in frame %d a body flew out of the world; such bodies are put back where they were and stopped\n",
                info.name, frame);
        }
        tell_news(to, s, &bar, !s->no_frames);
        if (!write_frame(to, s, scene, run)) {
            progress_clear(&bar);
            return false;
        }
        progress_show(&bar, frame, stats.time);
    }
    progress_clear(&bar);
    run->interrupted = run->frames < run->frames_asked;
    if (run->interrupted && !write_checkpoint(to, scene)) return false;
    if (!export_finish(&to->exports, run->frames)) return mark_told(to);
    run->exports = to->exports.report;
    if (!finish_pictures(to, s, &bar, run)) return false;
    run->wall = clock_now() - bar.start;
    return output_summary(&to->out, run, world);
}

/* Warns on stderr, even with --json, if liquid was refused for lack of room or if there was never any liquid. */
static void warn_of_volume(const run_summary *run, const rn_world *world) {
    rn_audit audit = rn_world_audit(world);
    if (audit.refused > 0) {
        volume_unit unit = volume_unit_for(audit.refused);
        fprintf(stderr,
                "%s: %.4g %s of liquid could not enter, because there was no room under a ceiling or the lid, %.4g m "
                "(\"grid.lid\")\n",
                run->scene, audit.refused * unit.per_m3, unit.name, rn_world_describe(world).lid);
    }
    if (audit.poured <= 0 && audit.present <= 0)
        fprintf(stderr,
                "%s: nothing was poured or filled, so nothing flowed; look at \"sources\", \"rain\" and \"fills\"\n",
                run->scene);
}

/* Prints the command that continues an interrupted run with the options that shape its results (not --hash, --json,
   --quiet or --record-poses). The film of the rest gets another file name, so that the film made so far is kept.
   `frames`: the number of frames in the scene file. */
static void print_way_on(const run_summary *run, const output *out, const settings *s, int frames) {
    char checkpoint[OUTPUT_LONGEST], film[4200];
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.rnl", out->folder);
    fputs("go on    runnel run", stdout);
    print_option("--resume", checkpoint);
    if (run->frames_asked != frames) printf(" --frames %d", run->frames_asked);
    print_option("--view", s->pictures.view);
    print_option("--size", s->pictures.size);
    print_option("--overlay", s->pictures.overlay);
    print_option("--fps", s->fps);
    if (s->pictures.video) {
        video_name_from(s->pictures.video, run->frames, film, sizeof film);
        print_option("--video", film);
    }
    if (s->every > 1) printf(" --every %d", s->every);
    if (s->no_frames) fputs(" --no-frames", stdout);
    if (s->no_render) fputs(" --no-render", stdout);
    export_print_options(&s->exports);
    if (s->checkpoint) printf(" --checkpoint %d", s->checkpoint);
    print_option("--replay-poses", s->replay);
    if (s->threads) printf(" --threads %d", s->threads);
    if (s->backend) printf(" --backend %s", s->backend);
    putchar('\n');
}

/* Prints the summary for people: frames, times, volumes, the files written, and after Ctrl-C the command to
   continue. */
static void print_result(const run_summary *run, const outlets *to, const settings *s, rn_scene *scene) {
    const output *out = &to->out;
    const rn_world *world = rn_scene_world(scene);
    rn_world_stats stats = rn_world_get_stats(world);
    const int frames = run->frames - run->frames_before;
    printf("%s: %d frame%s", run->scene, frames, plural(frames));
    if (run->frames_before) printf(", after %d before", run->frames_before);
    printf("%s, %.2f s", run->interrupted ? " (interrupted)" : "", stats.time - run->from);
    if (run_is_slow(&stats)) printf(" of %.2f s asked", stats.asked - run->from);
    printf(" simulated in %.2f s", run->steps);
    const double simulated = stats.time - run->from, factor = run->steps > 0 ? simulated / run->steps : 0;
    if (factor > 0) printf(factor < 1 ? " (%.2g x real time)" : " (%.1f x real time)", factor);
    printf(", %.2f s with pictures and files, %" PRIu64 " substep%s\n", run->wall, stats.steps,
           plural((int64_t)stats.steps));
    bounds_print(&run->bounds, &stats, simulated);
    bounds_print_slow(&run->bounds, &stats, simulated, factor, rn_world_describe(world).cell_size);
    const bool drew_much = run->wall > 1.2 * run->steps;
    if (factor > 0 && factor < 1 && drew_much && !s->no_render)
        printf("         drawing shares the cores: --no-render shows the speed without pictures\n");
    print_volume(world);
    if (stats.flooded > 0)
        printf("full     %" PRId64 " column%s to the ceiling, in %d passage%s\n", stats.flooded, plural(stats.flooded),
               stats.passages, plural(stats.passages));
    if (stats.fallbacks > 0)
        printf("unsolved %" PRIu64 " substep%s, in which the solve for the heads of full columns did not converge\n",
               stats.fallbacks, plural((int64_t)stats.fallbacks));
    print_pictures(&run->pictures, out, run->film_pace);
    print_exports(&run->exports, out);
    printf("numbers  %s/summary.json, %s/ledger.csv", out->folder, out->folder);
    if (out->probes.file) printf(", %s/probes.csv", out->folder);
    putchar('\n');
    if (run->interrupted) print_way_on(run, out, s, rn_scene_describe(scene).frames);
}

/* Writes the folder for results: --out, else the folder of the resumed checkpoint, else out/SCENE; cut off if too
   long. */
static void choose_folder(const settings *s, const char *scene, char *folder, size_t size) {
    const int beside = s->resume ? (int)(rn_path_name(s->resume) - s->resume) : 0;
    if (s->out) snprintf(folder, size, "%s", s->out);
    else if (s->resume) snprintf(folder, size, "%.*s", beside > 1 ? beside - 1 : 1, beside > 0 ? s->resume : ".");
    else snprintf(folder, size, "out/%s", scene);
}

/* Checks the rate of the film, sets run->film_pace, and opens the output folder, the exporter and, unless --no-render,
   the pictures. Returns false after an error, printed here or by pictures_close(); the caller closes what is open. */
static bool open_outlets(outlets *to, const settings *s, rn_scene *scene, const rn_scene_view *view, run_summary *run) {
    const rn_scene_info info = rn_scene_describe(scene);
    const bool only_last = s->no_frames && !s->pictures.video;
    const int drawn = (run->frames_asked - run->frames + s->every - 1) / s->every;
    const double step = info.frame_time * s->every, rate = video_rate_asked(s->rate, step);
    if (!video_can_play("run", rate, info.frame_time, s->every)) return false;
    const pictures_def def = {.command = "run",
                              .scene = scene,
                              .options = &s->pictures,
                              .view = view,
                              .frames = only_last ? 1 : drawn,
                              .rate = rate,
                              .pace = 1 / (s->every * rate),
                              .threads = s->threads};
    run->film_pace = info.frame_time * s->every * rate;
    char folder[4096];
    choose_folder(s, info.name, folder, sizeof folder);
    return output_open(&to->out, folder, &info, info.frame) &&
           export_open(&to->exports, &s->exports, scene, to->out.folder, s->every, s->threads) &&
           (s->no_render || pictures_open(&to->pictures, &def));
}

/* Prints the warnings, the summary as JSON with --json, else as text unless --quiet, and the hash if --hash was given
   (with --json on stderr). */
static void print_all(const outlets *to, const settings *s, rn_scene *scene, const run_summary *run) {
    const rn_world *world = rn_scene_world(scene);
    warn_of_volume(run, world);
    if (s->json) print_summary(stdout, run, &to->out, world);
    else if (!s->quiet) print_result(run, to, s, scene);
    if (s->hash) fprintf(s->json ? stderr : stdout, "hash %016" PRIx64 "\n", rn_world_hash(world));
}

/* Decides how many frames to run, opens the outputs, runs an open scene to the end and reports the result. `path` is
   the scene file or checkpoint, for messages. Returns the exit status, EXIT_BAD_INPUT also if only the film failed. The
   caller closes the scene. */
static int run_scene(rn_scene *scene, const char *path, const settings *s) {
    rn_scene_info info = rn_scene_describe(scene);
    run_summary run = {.scene = info.name,
                       .file = path,
                       .title = info.title,
                       .set = s->set.texts,
                       .set_count = s->set.count,
                       .frames = info.frame,
                       .frames_before = info.frame,
                       .frames_asked = info.frames,
                       .from = rn_world_get_stats(rn_scene_world(scene)).time,
                       .georeference = info.georeference};
    if (s->frames) run.frames_asked = s->frames;
    if (s->poster && info.poster > 0) run.frames_asked = (int)fmax(1.0, fmin(info.poster / info.frame_time + 0.5, 1e9));
    if (s->seconds > 0) {
        double frames = ceil(s->seconds / info.frame_time - 1e-6);
        if (frames > 1e9) return complain("runnel run: --seconds %g is more than 10^9 frames", s->seconds);
        run.frames_asked = frames < 1 ? 1 : (int)frames;
        const double seconds = run.frames_asked * info.frame_time;
        if (fabs(seconds - s->seconds) > 1e-6 * seconds)
            fprintf(stderr, "%s: --seconds %g becomes %g: %d frame%s of %g s\n", info.name, s->seconds, seconds,
                    run.frames_asked, plural(run.frames_asked), info.frame_time);
    }
    if (run.frames > 0 && run.frames >= run.frames_asked)
        return complain("%s: has %d frame%s already; give --frames or --seconds for more", s->resume, run.frames,
                        plural(run.frames));
    rn_scene_view view;
    if (!s->no_render && !pictures_find_view("run", &info, &s->pictures, &view)) return EXIT_BAD_INPUT;
    if (s->pictures.video && run.frames_asked / s->every == run.frames / s->every)
        return complain("runnel run: --every %d leaves no frame for --video; give a smaller number", s->every);
    outlets to = {.told = false};
    console_catch_interrupt(ask_stop, true);
    const bool fine = open_outlets(&to, s, scene, &view, &run) && run_frames(scene, s, &to, &run);
    const bool closed = pictures_close(&to.pictures, to.told);
    const bool filmed = !s->pictures.video || pictures_are_filmed(&to.pictures);
    if (fine && closed) print_all(&to, s, scene, &run);
    export_close(&to.exports);
    output_close(&to.out);
    if (!fine || !closed) return EXIT_BAD_INPUT;
    return run.interrupted ? EXIT_INTERRUPTED : filmed ? EXIT_FINE : EXIT_BAD_INPUT;
}

/* Reads the options into `s`, checks them, opens the scene or checkpoint, runs it, keeps recorded poses unless the run
   failed, and returns the exit status. s->every and the lists of texts are set up by the caller. */
static int run_with(settings *s, int argc, char **argv) {
    const option options[] = {
        {"SCENE", OPTION_BARE, &s->scene, 0, 0},
        {"--frames", OPTION_COUNT, &s->frames, 1, 1e9},
        {"--seconds", OPTION_NUMBER, &s->seconds, 1e-9, 1e9},
        {"--poster", OPTION_FLAG, &s->poster, 0, 0},
        {"--out", OPTION_FOLDER, &s->out, 0, 0},
        {"--set", OPTION_TEXTS, &s->set, 0, 0},
        {"--geometry", OPTION_FILE, &s->geometry, 0, 0},
        {"--threads", OPTION_COUNT, &s->threads, 0, 1024},
        {"--backend", OPTION_BACKEND, &s->backend, 0, 0},
        {"--every", OPTION_COUNT, &s->every, 1, 1e9},
        {"--checkpoint", OPTION_COUNT, &s->checkpoint, 1, 1e9},
        {"--resume", OPTION_FILE, &s->resume, 0, 0},
        {"--record-poses", OPTION_FILE, &s->record, 0, 0},
        {"--replay-poses", OPTION_FILE, &s->replay, 0, 0},
        PICTURE_OPTIONS(&s->pictures),
        {"--fps", OPTION_TEXT, &s->fps, 0, 0},
        {"--no-frames", OPTION_FLAG, &s->no_frames, 0, 0},
        {"--no-render", OPTION_FLAG, &s->no_render, 0, 0},
        EXPORT_OPTIONS(&s->exports),
        {"--hash", OPTION_FLAG, &s->hash, 0, 0},
        {"--json", OPTION_FLAG, &s->json, 0, 0},
        {"--quiet", OPTION_FLAG, &s->quiet, 0, 0},
    };
    switch (options_read("run", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP:
        fputs(help, stdout);
        export_help(stdout);
        fputs(more_help, stdout);
        return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    if (!export_understand(&s->exports)) return EXIT_BAD_INPUT;
    if (!pictures_understand("run", &s->pictures)) return EXIT_BAD_INPUT;
    if (!video_understand_rate("run", s->fps, &s->rate)) return EXIT_BAD_INPUT;
    if (s->fps && !s->pictures.video) return complain("runnel run: --fps is for films; give --video FILE too");
    const picture_options *p = &s->pictures;
    const char *drawn = p->video     ? "--video"
                        : p->view    ? "--view"
                        : p->overlay ? "--overlay"
                        : p->size    ? "--size"
                                     : NULL;
    if (s->no_render && drawn) return complain("runnel run: --no-render draws nothing; leave out %s", drawn);
    if ((s->frames > 0) + (s->seconds > 0) + s->poster > 1)
        return complain("runnel run: give only one of --frames, --seconds and --poster");
    s->no_frames |= s->poster;
    if (s->resume && (s->scene || s->set.count || s->geometry))
        return complain("runnel run: --resume continues the scene unchanged; leave out %s", s->scene ? s->scene
                                                                                            : s->set.count
                                                                                                ? "--set"
                                                                                                : "--geometry");
    char path[4096];
    if (!s->resume && !library_find("run", s->scene ? s->scene : "spill", path, sizeof path)) return EXIT_BAD_INPUT;
    rn_scene_def def = {.path = path, .set = s->set.texts, .set_count = s->set.count, .threads = s->threads};
    def.backend = s->backend;
    notices said = {0};
    def.hooks = notices_hooks(&said);
    def.geometry = s->geometry;
    def.checkpoint = s->resume;
    def.record_poses = s->record;
    def.replay_poses = s->replay;
    def.keep_solid = s->exports.chosen || !s->no_render;
    rn_scene *scene;
    rn_result result = rn_scene_open(&def, &scene);
    notices_keep(&said, "on the CPU"); /* a backend finds out only in a frame what its GPU cannot do */
    if (result != RN_OK) {
        notices_close(&said);
        return complain("%s", rn_last_error());
    }
    int status = run_scene(scene, s->resume ? s->resume : path, s);
    if (status != EXIT_BAD_INPUT && rn_scene_keep_poses(scene) != RN_OK) status = complain("%s", rn_last_error());
    rn_scene_close(scene);
    notices_close(&said);
    return status;
}

/* `runnel run`: allocates room for the lists of options, runs, and returns the exit status. */
int command_run(int argc, char **argv) {
    const char **texts = calloc(2 * (size_t)argc + 1, sizeof *texts); /* room for both lists of options */
    if (!texts) return complain("there is not enough memory");
    settings s = {.every = 1, .set.texts = texts, .exports.kinds.texts = texts + argc};
    int status = run_with(&s, argc, argv);
    free(texts);
    return status;
}
