/* runnel figures: makes the figures of the papers, and a Markdown page with all of them. Entry point:
   command_figures(). It chooses figures from the table in table.c; make_all() draws each as PNG (draw.c) or SVG
   (charts.c, choppy.c, packets.c); write_page() lists everything in the folder. Ctrl-C keeps the figures that are
   finished. */
#include "figures/figures.h"

#include "base/words.h"
#include "common/commands.h"
#include "common/console.h"
#include "common/countdown.h"
#include "common/folders.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/text.h"
#include "io/file/whole_file.h"
#include "output/output.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "runnel figures [options]: makes the figures of the papers, and a page about them.\n"
    "\n"
    "  runnel figures                              all of them, into out/figures, within a minute or two\n"
    "  runnel figures --only boundary              one, within seconds\n"
    "  runnel figures --only cap,meniscus --size 1920\n"
    "\n"
    "  --out DIR        where to write (default: out/figures): NAME.png or NAME.svg of each figure, and README.md,\n"
    "                     which says of all figures in DIR what they show, what to look at, and how they are made\n"
    "  --only NAME,...  make only these; may be given more than once. \"--list\" prints the names\n"
    "  --list           print names, figure numbers in the papers, and titles\n"
    "  --size N         width of a row of panels in pixels (default: 1280)\n"
    "  --quick          small pictures of early frames, as a quick check\n"
    "  --threads N      number of threads (default: 0, one per core); pictures are the same for any number\n"
    "  --json           {\"figures\": [{\"name\", \"number\", \"title\", \"file\", \"seconds\", \"error\"}], "
    "\"folder\", \"interrupted\"}\n"
    "\n"
    "Pictures need OpenGL, or Mesa's software renderer; charts do not. Ctrl-C keeps what is finished.\n";

enum { MOST_FIGURES = 64, FULL_WIDTH = 1280, QUICK_WIDTH = 320, LONGEST_PATH = 4096, MOST_NAMES = 64, LINE = 118 };

/* The command-line options. */
typedef struct settings {
    const char *out;
    int width, threads;
    bool quick, json, list;
    bool wanted[MOST_FIGURES];
} settings;

/* The result of making a figure. */
typedef struct outcome {
    bool tried, made;
    double seconds;
    char error[512];
} outcome;

static volatile sig_atomic_t stop_asked;

/* Handles SIGINT (Ctrl-C): the panels being drawn are given up, a chart is finished, and no further figure is made. */
static void ask_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

/* Returns true after Ctrl-C, as figure_row.stopped. */
static bool stopped(void) { return stop_asked != 0; }

/* Returns the file extension of a figure. */
static const char *ending_of(const figure *f) { return f->chart ? "svg" : "png"; }

/* Writes the path of the file of a figure, cut off if too long. */
static void path_of(const settings *s, const figure *f, char path[LONGEST_PATH]) {
    snprintf(path, LONGEST_PATH, "%s/%s.%s", s->out, f->name, ending_of(f));
}

/* Returns true if the path is an existing file, not a folder. */
static bool exists(const char *path) {
    struct stat file;
    return stat(path, &file) == 0 && !S_ISDIR(file.st_mode);
}

/* ---- The page ---------------------------------------------------------------------------------------------- */

/* Prints a paragraph, wrapped at LINE bytes, and a line break. Longer words are not split. */
static void print_wrapped(FILE *file, const char *text) {
    size_t column = 0;
    for (;;) {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > LINE) column = 0, fputc('\n', file);
        else if (column > 0) column++, fputc(' ', file);
        fwrite(text, 1, length, file);
        column += length;
        if (!text[length]) break;
        text += length + 1;
    }
    fputc('\n', file);
}

/* Prints the section of the page about one figure: title, picture, panels, text, and the command that makes it. */
static void print_section(FILE *file, const settings *s, const figure *f) {
    fprintf(file, "\n## %s (%s)\n\n![%s](%s.%s)\n\n", f->title, f->number, f->title, f->name, ending_of(f));
    for (int i = 0; i < f->panel_count; i++) {
        const char *joint = i == 0 ? "Left to right: " : i + 1 < f->panel_count ? ", " : " and ";
        fprintf(file, "%s**%s**", joint, f->panels[i].label);
    }
    if (f->panel_count) fputs(".\n\n", file);
    print_wrapped(file, f->look);
    fprintf(file, "\n    build/runnel figures --only %s --out %s\n", f->name, s->out);
}

/* Writes README.md about all figures whose files are in the folder, whether made now or earlier. On failure
   rn_last_error() says why. */
static rn_result write_page(const settings *s) {
    char path[LONGEST_PATH], picture[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/README.md", s->out);
    rn_whole_file page;
    const rn_result result = rn_whole_file_open(&page, path);
    if (result != RN_OK) return result;
    fprintf(
        page.stream,
        "# Figures\n\n"
        "The comparisons that Dagenais et al. 2018 (*Extended virtual pipes for the stable and real-time "
        "simulation of\n"
        "small-scale shallow water*), Kellomäki 2014 (*Rigid body interaction for large-scale real-time water\n"
        "simulation*) and Lee & O'Sullivan 2007 (*A fast and compact solver for the shallow water equations*) show,\n"
        "made by runnel. Every file here, this page too, is written by one command:\n\n"
        "    build/runnel figures --out %s\n",
        s->out);
    for (int i = 0; i < figure_count; i++) {
        path_of(s, &figures[i], picture);
        if (exists(picture)) print_section(page.stream, s, &figures[i]);
    }
    return rn_whole_file_keep(&page);
}

/* ---- Making them ------------------------------------------------------------------------------------------- */

/* Writes the chart of a figure, whose f->chart must not be NULL, as an SVG file. `quick`: with fewer measurements.
   Prints nothing; on failure rn_last_error() says why, and an older file at the path is left alone. */
static rn_result write_chart(const figure *f, const char *path, bool quick) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    result = f->chart(file.stream, quick);
    if (result == RN_OK) return rn_whole_file_keep(&file);
    rn_whole_file_drop(&file);
    return result;
}

/* Makes one figure and fills in its outcome; `tried` stays false after Ctrl-C. Returns what it failed with, whose
   reason is in o->error; a missing scene is also printed. */
static rn_result make_figure(const settings *s, const figure *f, outcome *o) {
    char path[LONGEST_PATH];
    path_of(s, f, path);
    const figure_row row = {.of = f, .width = s->width, .threads = s->threads, .quick = s->quick, .stopped = stopped};
    const double before = clock_now();
    const rn_result result = f->chart ? write_chart(f, path, s->quick) : figure_draw(&row, path);
    o->tried = result != RN_INTERRUPTED;
    o->made = result == RN_OK;
    o->seconds = clock_now() - before;
    if (!o->made) snprintf(o->error, sizeof o->error, "%s", rn_last_error());
    return result;
}

/* Returns how long the wanted figures from `first` on should take on a small machine (s), a tenth of it with --quick;
   with `one`, only figure `first`, or 0 if that is not wanted. */
static double expected_seconds(const settings *s, int first, bool one) {
    double sum = 0;
    for (int i = first; i < (one ? first + 1 : figure_count); i++) sum += s->wanted[i] ? figures[i].seconds : 0;
    return s->quick ? sum / 10 : sum;
}

/* Shows on the terminal which figure `i` is being made and the remaining time. `start`: clock at the start (s);
   `before`: expected duration of the figures so far (s), which scales the estimate. */
static void show_countdown(const settings *s, int i, double start, double before) {
    const double slowness = before > 1 ? (clock_now() - start) / before : 1;
    char text[96];
    snprintf(text, sizeof text, "%s: %s", figures[i].number, figures[i].title);
    countdown_show(text, slowness * expected_seconds(s, i, true), slowness * expected_seconds(s, i + 1, false));
}

/* Prints a line about a figure if it has been made, else nothing. */
static void print_outcome(const settings *s, const figure *f, const outcome *o) {
    char path[LONGEST_PATH];
    path_of(s, f, path);
    if (o->made) printf("%-12s %-15s %5.1f s  %s\n", f->name, f->number, o->seconds, path);
    fflush(stdout);
}

/* Makes all wanted figures until Ctrl-C, fills in their outcomes, and returns the exit status. A figure that fails is
   reported, and the next one made; without OpenGL an error is printed once, and only charts are made. */
static int make_all(const settings *s, outcome outcomes[MOST_FIGURES]) {
    int status = EXIT_FINE;
    bool no_device = false;
    const double start = clock_now();
    double before = 0;
    countdown_start();
    for (int i = 0; i < figure_count && !stop_asked; i++) {
        const figure *f = &figures[i];
        outcome *o = &outcomes[i];
        if (!s->wanted[i] || (no_device && !f->chart)) continue;
        show_countdown(s, i, start, before);
        const rn_result result = make_figure(s, f, o);
        countdown_hide();
        before += expected_seconds(s, i, true);
        if (o->made && !s->json) print_outcome(s, f, o);
        if (result == RN_DEVICE) {
            no_device = true;
            complain("OpenGL is not available, so only charts were made: %s", o->error);
        } else if (result != RN_OK && result != RN_INTERRUPTED) {
            complain("runnel figures: %s: %s", f->name, o->error);
        }
        if (result != RN_OK) status = EXIT_BAD_INPUT;
    }
    countdown_stop();
    return stop_asked ? EXIT_INTERRUPTED : status;
}

/* Prints the outcomes of all figures that were tried as JSON, with the folder. */
static void print_json(const settings *s, const outcome outcomes[MOST_FIGURES]) {
    bool first = true;
    char path[LONGEST_PATH];
    printf("{\"figures\": [");
    for (int i = 0; i < figure_count; i++) {
        const figure *f = &figures[i];
        const outcome *o = &outcomes[i];
        if (!o->tried) continue;
        path_of(s, f, path);
        printf("%s\n  {\"name\": \"%s\", \"number\": \"%s\", \"title\": ", first ? "" : ",", f->name, f->number);
        print_json_text(stdout, f->title);
        printf(", \"file\": ");
        if (o->made) print_json_text(stdout, path);
        else printf("null");
        printf(", \"seconds\": %.3f, \"error\": ", o->seconds);
        if (o->made) printf("null}");
        else print_json_text(stdout, o->error), putchar('}');
        first = false;
    }
    printf("\n], \"folder\": ");
    print_json_text(stdout, s->out);
    printf(", \"interrupted\": %s}\n", stop_asked ? "true" : "false");
}

/* ---- Options ------------------------------------------------------------------------------------------------ */

/* Marks the figure whose name is the first `length` bytes of `name` as wanted. Returns false after printing an error
   that lists all names if there is none. */
static bool want_figure(settings *s, const char *name, size_t length) {
    for (int i = 0; i < figure_count; i++)
        if (strlen(figures[i].name) == length && strncmp(figures[i].name, name, length) == 0)
            return s->wanted[i] = true;
    char names[512];
    size_t used = 0;
    for (int i = 0; i < figure_count && used < sizeof names; i++) {
        const char *joint = i == 0 ? "" : i + 1 < figure_count ? ", " : " and ";
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", joint, figures[i].name);
    }
    complain("runnel figures: there is no figure \"%.*s\"; there are %s", (int)(length < 60 ? length : 60), name,
             names);
    return false;
}

/* Marks the figures that --only names, separated by commas, or all figures if it was not given. Returns false after
   printing an error. */
static bool choose_figures(settings *s, const option_texts *only) {
    for (int i = 0; i < figure_count; i++) s->wanted[i] = only->count == 0;
    for (int k = 0; k < only->count; k++)
        for (const char *name = only->texts[k];; name++) {
            const size_t length = strcspn(name, ",");
            if (!want_figure(s, name, length)) return false;
            name += length;
            if (!*name) break;
        }
    return true;
}

/* Prints the names, numbers and titles of all figures. Returns the exit status. */
static int list_figures(void) {
    for (int i = 0; i < figure_count; i++)
        printf("%-12s %-15s %s\n", figures[i].name, figures[i].number, figures[i].title);
    return EXIT_FINE;
}

/* `runnel figures`: reads the options, makes the figures and the page, and returns the exit status; that of bad input
   if any figure failed. The default width depends on --quick. */
int command_figures(int argc, char **argv) {
    settings s = {.out = "out/figures"};
    outcome outcomes[MOST_FIGURES] = {0};
    const char *names[MOST_NAMES];
    option_texts only = {names, 0};
    const option options[] = {
        {"--out", OPTION_FOLDER, &s.out, 0, 0},        {"--only", OPTION_NAMES, &only, 0, 0},
        {"--size", OPTION_COUNT, &s.width, 160, 8192}, {"--threads", OPTION_COUNT, &s.threads, 0, 1024},
        {"--quick", OPTION_FLAG, &s.quick, 0, 0},      {"--json", OPTION_FLAG, &s.json, 0, 0},
        {"--list", OPTION_FLAG, &s.list, 0, 0}};
    if (argc > MOST_NAMES) return complain("runnel figures: too many arguments; at most %d are allowed", MOST_NAMES);
    switch (options_read("figures", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    if (s.list) return list_figures();
    if (!choose_figures(&s, &only)) return EXIT_BAD_INPUT;
    if (s.width == 0) s.width = s.quick ? QUICK_WIDTH : FULL_WIDTH;
    if (!make_folders(s.out)) return EXIT_BAD_INPUT;
    console_catch_interrupt(ask_stop, true);
    int status = make_all(&s, outcomes);
    if (write_page(&s) != RN_OK) status = complain("%s", rn_last_error());
    else if (!s.json) printf("page         %s/README.md\n", s.out);
    if (s.json) print_json(&s, outcomes);
    return status;
}
