/* Makes films with ffmpeg (video.h): video_open() starts ffmpeg, video_frame() writes a raw frame to it, and
   video_close() waits for it and gives the file its name. */
#include "output/video.h"

#include "base/platform.h"
#include "common/options.h"
#include "common/text.h"
#include "io/file/number.h"
#include "io/file/whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A common palette of a GIF needs all frames in ffmpeg's memory. Above this size (bytes) each frame has its own. */
#define MOST_FOR_ONE_PALETTE 1e9

/* Frames per second of a film. */
#define SLOWEST 0.001
#define FASTEST 1000.0

enum { MOST_ARGUMENTS = 48, FASTEST_GIF = 30 };

/* Converts sRGB frames to the colour space that players expect. Odd sizes lose a row or column, because colours are
   stored for pairs of pixels. */
#define EVEN    "crop=trunc(iw/2)*2:trunc(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
#define COLOURS "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"

static const char *const mp4[] = {"-vf", EVEN,    "-c:v",      "libx264",    "-preset", "veryfast", "-crf",
                                  "18",  COLOURS, "-movflags", "+faststart", "-f",      "mp4",      NULL};
static const char *const webm[] = {"-vf",     EVEN, "-c:v",      "libvpx-vp9", "-crf",      "24",
                                   "-b:v",    "0",  "-deadline", "good",       "-cpu-used", "5",
                                   "-row-mt", "1",  COLOURS,     "-f",         "webm",      NULL};
/* The encoder converts colours itself, as players of this format expect. */
static const char *const webp[] = {"-pix_fmt", "bgra", "-c:v", "libwebp_anim", "-quality", "70",
                                   "-loop",    "0",    "-f",   "webp",         NULL};

static const struct kind {
    const char *ending;
    const char *const *arguments; /* NULL: a GIF, see gif_filter() */
} kinds[] = {{"mp4", mp4}, {"webm", webm}, {"webp", webp}, {"gif", NULL}};

/* Returns the kind of film by its file extension, in upper or lower case, or NULL if unknown. */
static const struct kind *kind_of(const char *path) {
    const char *name = rn_path_name(path), *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcasecmp(dot + 1, kinds[i].ending) == 0) return &kinds[i];
    return NULL;
}

bool video_knows(const char *command, const char *path) {
    const size_t most = sizeof((video *)0)->path - 1;
    if (!kind_of(path))
        complain("runnel %s: --video %.60s: give it a name that ends in .mp4, .webm, .webp or .gif", command, path);
    else if (strlen(path) > most)
        complain("runnel %s: --video %.60s…: this name is longer than %zu bytes", command, path, most);
    else return true;
    return false;
}

void video_name_from(const char *path, int frame, char *name, size_t size) {
    const char *dot = strrchr(path, '.');
    snprintf(name, size, "%.*s-from-%d%s", (int)(dot - path), path, frame, dot);
}

double video_rate(double step) { return step > 0.1 ? 25 : step < 1.0 / 60 ? 60 : 1 / step; }

bool video_understand_rate(const char *command, const char *text, double *rate) {
    *rate = !text ? 0 : strcmp(text, "real") == 0 ? -1 : NAN;
    if (!isnan(*rate)) return true;
    if (rn_number_parse(text, strlen(text), rate) && *rate >= SLOWEST && *rate <= FASTEST) return true;
    complain("runnel %s: --fps is \"%.60s\"; it must be a number of frames per second, from %g to %g, or real", command,
             text, SLOWEST, FASTEST);
    return false;
}

double video_rate_asked(double asked, double step) {
    return asked > 0 ? asked : asked < 0 ? 1 / step : video_rate(step);
}

bool video_can_play(const char *command, double rate, double frame_time, int every) {
    if (rate >= SLOWEST && rate <= FASTEST) return true;
    complain("runnel %s: --fps real: with frames of %g s and --every %d it would be %.3g frames per second; it must be "
             "from %g to %g: give another --every, or --fps N",
             command, frame_time, every, rate, SLOWEST, FASTEST);
    return false;
}

/* The command line of ffmpeg. */
typedef struct arguments {
    const char *list[MOST_ARGUMENTS + 1];
    int count;
} arguments;

/* Appends arguments from a list that ends with NULL; those beyond MOST_ARGUMENTS are dropped. The texts are not
   copied. */
static void add_arguments(arguments *a, const char *const *more) {
    for (int i = 0; more[i] && a->count < MOST_ARGUMENTS; i++) a->list[a->count++] = more[i];
}

/* Writes ffmpeg's filter for a GIF. The rate is at most FASTEST_GIF, because players show frames for whole hundredths
   of a second, and much too long if it is less than two. All frames share a palette unless that would need too much
   memory. */
static void gif_filter(const video_def *def, char *text, size_t size) {
    const double rate = fmin(def->rate, FASTEST_GIF);
    const bool one = 4.0 * def->width * def->height * def->frames * rate / def->rate < MOST_FOR_ONE_PALETTE;
    snprintf(text, size,
             "fps=%.6g,split[frames][colours];[colours]palettegen=stats_mode=%s[palette];"
             "[frames][palette]paletteuse=dither=bayer:bayer_scale=4%s",
             rate, one ? "diff" : "single", one ? ":diff_mode=rectangle" : ":new=1");
}

/* Sets v->error to why ffmpeg could not be started, from errno. Always returns false. */
static bool fail_start(video *v) {
    if (errno == ENOENT)
        snprintf(v->error, sizeof v->error, "--video %.200s: ffmpeg was not found; install it (apt-get install ffmpeg)",
                 v->path);
    else snprintf(v->error, sizeof v->error, "--video %.200s: ffmpeg cannot be started: %s", v->path, strerror(errno));
    return false;
}

/* Removes unfinished films of this name, left by runs that were killed. Failures are ignored. */
static void remove_parts(const char *path) {
    const char *name = rn_path_name(path);
    char folder[4096], part[sizeof folder + 300];
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    DIR *entries = opendir(*folder ? folder : ".");
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        size_t length;
        if (!rn_whole_file_is_part(entry->d_name, &length)) continue;
        if (length != strlen(name) || strncmp(entry->d_name, name, length) != 0) continue;
        snprintf(part, sizeof part, "%s%s", folder, entry->d_name);
        remove(part);
    }
    closedir(entries);
}

/* Checks that the film can be written, which ffmpeg would only report at the first frame, by making an empty
   v->temporary. Returns false with v->error set. */
static bool can_write(video *v) {
    FILE *file = fopen(v->temporary, "wb");
    if (file) {
        fclose(file);
        return true;
    }
    snprintf(v->error, sizeof v->error, "--video %.200s: cannot be written: %s", v->path, strerror(errno));
    return false;
}

bool video_open(video *v, const video_def *def) {
    *v = (video){.bytes = 3 * (size_t)def->width * (size_t)def->height};
    const struct kind *kind = kind_of(def->path);
    char size[32], rate[32], to[sizeof v->temporary + 8], filter[256];
    snprintf(v->path, sizeof v->path, "%s", def->path);
    snprintf(v->temporary, sizeof v->temporary, "%s.%ld.part", def->path, rn_process_number());
    snprintf(to, sizeof to, "file:%s", v->temporary);
    snprintf(size, sizeof size, "%dx%d", def->width, def->height);
    snprintf(rate, sizeof rate, "%.8g", def->rate);
    /* -xerror: fail if the disk is full */
    const char *const input[] = {"ffmpeg",   "-nostdin",      "-loglevel", "error",       "-xerror", "-y",         "-f",
                                 "rawvideo", "-pixel_format", "rgb24",     "-video_size", size,      "-framerate", rate,
                                 "-i",       "pipe:0",        "-an",       NULL};
    const char *const gif[] = {"-filter_complex", filter, "-loop", "0", "-f", "gif", NULL};
    const char *const output[] = {to, NULL};
    arguments all = {.count = 0};
    add_arguments(&all, input);
    gif_filter(def, filter, sizeof filter);
    add_arguments(&all, kind->arguments ? kind->arguments : gif);
    add_arguments(&all, output);
    remove_parts(v->path);
    if (!can_write(v)) return false;
    v->ffmpeg = child_start(all.list);
    if (v->ffmpeg) return true;
    const int reason = errno;
    remove(v->temporary);
    errno = reason;
    return fail_start(v);
}

/* Closes the input of ffmpeg, which must be running, waits until it ends, and sets v->ffmpeg to NULL. Returns its exit
   status, or -1 if a signal ended it. `said`: receives the last line that ffmpeg wrote, without a final full stop; ""
   if unknown. */
static int finish_ffmpeg(video *v, char *said, size_t size) {
    const int status = child_finish(v->ffmpeg, said, size);
    v->ffmpeg = NULL;
    const size_t length = strlen(said);
    if (length && said[length - 1] == '.') said[length - 1] = 0;
    return status;
}

/* Ends ffmpeg after a failed write, removes the unfinished film and sets v->error, with ffmpeg's own message if it has
   one. Always returns false. */
static bool give_up(video *v) {
    char said[400];
    const int status = finish_ffmpeg(v, said, sizeof said);
    remove(v->temporary);
    snprintf(v->error, sizeof v->error, "--video %.200s: ffmpeg %s after %d frame%s%s%s", v->path,
             status < 0 ? "was killed" : "gave up", v->frames, plural(v->frames), *said ? ": " : "", said);
    return false;
}

bool video_frame(video *v, const uint8_t *rgb) {
    if (!v->ffmpeg) return false;
    if (!child_write(v->ffmpeg, rgb, v->bytes)) return give_up(v);
    v->frames++;
    return true;
}

bool video_close(video *v, bool keep) {
    if (!v->ffmpeg) return *v->error == 0;
    char said[400];
    const int status = finish_ffmpeg(v, said, sizeof said);
    if (keep && status == 0 && v->frames > 0 && rn_rename_over(v->temporary, v->path)) return true;
    const int reason = errno;
    remove(v->temporary);
    if (!keep) return true;
    char why[500];
    if (v->frames == 0) snprintf(why, sizeof why, "no frame was drawn for it");
    else if (status < 0) snprintf(why, sizeof why, "ffmpeg was killed before it had finished");
    else if (status > 0) snprintf(why, sizeof why, "ffmpeg gave up: %s", said);
    else snprintf(why, sizeof why, "cannot be written: %s", strerror(reason));
    snprintf(v->error, sizeof v->error, "--video %.200s: %s", v->path, why);
    return false;
}
