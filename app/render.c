/* runnel render: draws the state in a checkpoint as one picture, as several pictures on a circle around the scene, or
   as a film of that circle. Entry point: command_render(), which reads the options and opens the checkpoint;
   render_scene() opens the pictures, draws and reports. */
#include "common/commands.h"
#include "common/console.h"
#include "common/notices.h"
#include "common/options.h"
#include "common/text.h"
#include "output/pictures.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "runnel render CHECKPOINT [options]: draws the state in a checkpoint.\n"
    "\n"
    "CHECKPOINT is a checkpoint.rnl, written by \"runnel run --checkpoint\" or by an interrupted run.\n"
    "\n"
    "  --view NAME       camera: a view of the scene (default: its first), or orbit, top, turntable, map\n"
    "  --size WxH        size in pixels (default: 1280x720; for a map, the width in the scene)\n"
    "  --overlay NAME    colour the liquid by depth, speed, layers, flooded, links or distance\n"
    "  --out FILE        file to write (default: picture.png beside the checkpoint)\n"
    "  --turntable N     N pictures on a circle around the scene, FILE-0001.png and so on\n"
    "  --video FILE      a film of that circle instead, with ffmpeg; FILE ends in .mp4, .webm, .webp or .gif (default "
    "N: "
    "240)\n"
    "  --threads N       number of threads (default: 0, one per core)\n";

enum { FILM_FRAMES = 240, FILM_RATE = 30 };

/* The command-line options. `around`: the number of pictures on the circle; 0: one picture from the chosen view. */
typedef struct settings {
    const char *checkpoint, *out;
    picture_options pictures;
    int around, threads;
} settings;

static volatile sig_atomic_t stop_asked;

/* Handles SIGINT (Ctrl-C): no further picture is drawn. */
static void ask_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

/* Writes the output path: --out, or picture.png beside the checkpoint; cut off if too long. */
static void choose_file(const settings *s, char *path, size_t size) {
    const int folder = (int)(rn_path_name(s->checkpoint) - s->checkpoint);
    if (s->out) snprintf(path, size, "%s", s->out);
    else snprintf(path, size, "%.*spicture.png", folder, s->checkpoint);
}

/* Inserts a number before the extension of a file name, or at the end if it has none: "a/b.png" and 3 give
   "a/b-0003.png". */
static void number_file(const char *path, int number, char *numbered, size_t size) {
    const char *name = rn_path_name(path), *dot = strrchr(name, '.');
    const int length = dot && dot != name ? (int)(dot - path) : (int)strlen(path);
    snprintf(numbered, size, "%.*s-%04d%s", length, path, number, path + length);
}

/* Draws the single picture, or all pictures around the scene until Ctrl-C. `frame`: the number of the frame in the
   checkpoint; `path`: the picture file, which is numbered for several. Returns false on failure, also of the film, and
   prints nothing: pictures_close() prints the reason, writer_film_error() returns that of the film. */
static bool draw_pictures(pictures *p, const settings *s, int frame, const char *path) {
    if (!s->around) return pictures_frame(p, frame, path, false);
    char numbered[4096];
    for (int i = 0; i < s->around && !stop_asked; i++) {
        number_file(path, i + 1, numbered, sizeof numbered);
        const char *to = s->pictures.video ? NULL : numbered;
        if (!pictures_turned(p, frame, 360.0 * i / s->around, to, s->pictures.video != NULL)) return false;
        if (pictures_news(p)) return false;
    }
    return true;
}

/* Prints which files were written, their size in pixels, the view and the graphics device, if one drew them. */
static void print_result(const picture_report *r, const settings *s, const char *path) {
    char first[4096];
    number_file(path, 1, first, sizeof first);
    if (r->film) printf("video    %s, %d frame%s", r->film, r->frames, plural(r->frames));
    else if (s->around) printf("pictures %s (%d of them)", first, r->frames);
    else printf("picture  %s", path);
    printf(", %d x %d, view %s", r->width, r->height, r->view);
    if (r->device) printf(", drawn by %s", r->device);
    putchar('\n');
}

/* Draws the opened checkpoint as the options ask, and prints the result or an error. Returns the exit status. The
   caller closes the scene. */
static int render_scene(rn_scene *scene, const settings *s) {
    pictures p;
    rn_scene_view view;
    const rn_scene_info info = rn_scene_describe(scene);
    if (!pictures_find_view("render", &info, &s->pictures, &view)) return EXIT_BAD_INPUT;
    if (s->around && pictures_is_map(&view))
        return complain(
            "runnel render: a map cannot turn; leave out --turntable and --video, or choose another --view");
    const pictures_def def = {.command = "render",
                              .scene = scene,
                              .options = &s->pictures,
                              .view = &view,
                              .around = s->around > 0,
                              .rate = FILM_RATE,
                              .pace = 1 / video_rate(info.frame_time),
                              .frames = s->around ? s->around : 1,
                              .threads = s->threads};
    char path[4096];
    choose_file(s, path, sizeof path);
    console_catch_interrupt(ask_stop, true);
    bool fine = pictures_open(&p, &def);
    if (fine) fine = draw_pictures(&p, s, info.frame, path);
    if (!pictures_close(&p, false)) fine = false;
    const char *no_film = s->pictures.video ? writer_film_error(&p.writer) : NULL;
    if (no_film) return complain("%s", no_film);
    if (!fine) return EXIT_BAD_INPUT;
    const picture_report report = pictures_report(&p);
    print_result(&report, s, path);
    return stop_asked ? EXIT_INTERRUPTED : EXIT_FINE;
}

/* Runs `runnel render`: reads and checks the options, opens the checkpoint, draws it and returns the exit status. A
   film has FILM_FRAMES frames unless --turntable says otherwise. --help prints the help instead. */
int command_render(int argc, char **argv) {
    settings s = {0};
    const option options[] = {
        {"CHECKPOINT", OPTION_BARE, &s.checkpoint, 0, 0},
        PICTURE_OPTIONS(&s.pictures),
        {"--out", OPTION_FILE, &s.out, 0, 0},
        {"--turntable", OPTION_COUNT, &s.around, 1, 100000},
        {"--threads", OPTION_COUNT, &s.threads, 0, 1024},
    };
    switch (options_read("render", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    if (!pictures_understand("render", &s.pictures)) return EXIT_BAD_INPUT;
    if (!s.checkpoint)
        return complain("runnel render: give a checkpoint.rnl, as \"runnel run SCENE --checkpoint 100\" writes it");
    if (s.pictures.video && s.out) return complain("runnel render: give --out or --video, not both");
    if (s.pictures.video && !s.around) s.around = FILM_FRAMES;
    notices said = {0};
    const rn_scene_def def = {
        .checkpoint = s.checkpoint, .threads = s.threads, .keep_solid = true, .hooks = notices_hooks(&said)};
    rn_scene *scene;
    const rn_result result = rn_scene_open(&def, &scene);
    notices_close(&said);
    if (result != RN_OK) return complain("%s", rn_last_error());
    const int status = render_scene(scene, &s);
    rn_scene_close(scene);
    return status;
}
