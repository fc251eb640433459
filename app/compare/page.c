/* Writes the HTML page of a comparison: the film, a table of the last frame, and charts over time. Entry point:
   page_write(). The page needs no file except the film. */
#include "common/options.h"
#include "compare/compare.h"
#include "io/file/whole_file.h"

#include <math.h>

enum { WIDE = 560, HIGH = 180, MARGIN = 46 };

/* A function that returns the value of a curve in a frame. */
typedef double (*curve)(const difference *d);

/* These seven return the values of curves in a frame. The first three compare both liquids (compare.h). area: the whole
   wet area (m²) of one of them; east: how far it reaches towards +x (m). */
static double height_of(const difference *d) { return d->height; }
static double front_of(const difference *d) { return d->front; }
static double shared_of(const difference *d) { return d->shared; }
static double area_of_columns(const difference *d) { return d->of[SHALLOW].area; }
static double area_of_3d(const difference *d) { return d->of[DEEP].area; }
static double east_of_columns(const difference *d) { return d->of[SHALLOW].high[0]; }
static double east_of_3d(const difference *d) { return d->of[DEEP].high[0]; }

typedef struct chart {
    const char *title, *unit;
    curve curves[BOTH]; /* one per liquid; if the second is NULL, the first compares both liquids */
} chart;

static const chart charts[] = {
    {"Difference of depths, root mean square", "m", {height_of, NULL}},
    {"Largest difference of the four fronts", "m", {front_of, NULL}},
    {"Outline: area wet in both over area wet in either", "", {shared_of, NULL}},
    {"Front towards +x", "m", {east_of_columns, east_of_3d}},
    {"Wet area", "m²", {area_of_columns, area_of_3d}},
};

/* Prints text with <, & and " escaped for HTML. */
static void print_escaped(FILE *file, const char *text) {
    for (; *text; text++) {
        if (*text == '<') fputs("&lt;", file);
        else if (*text == '&') fputs("&amp;", file);
        else if (*text == '"') fputs("&quot;", file);
        else fputc(*text, file);
    }
}

/* Prints one curve as an SVG polyline over the time of all frames. `most`: the value at the top of the chart, above 0;
   the bottom is 0. `colour`: as SVG writes it. */
static void print_curve(FILE *file, const comparison *c, curve of, double most, const char *colour) {
    const double last = c->frames[c->count - 1].time;
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (int i = 0; i < c->count; i++)
        fprintf(file, "%.1f,%.1f ", MARGIN + WIDE * c->frames[i].time / last,
                8 + HIGH * (1 - of(&c->frames[i]) / most));
    fputs("\"/>\n", file);
}

/* Prints a chart with its axes from 0 to the largest value of its curves. */
static void print_chart(FILE *file, const comparison *c, const chart *of) {
    static const char *const colours[BOTH] = {"#2a6fb0", "#c2571a"};
    double most = 1e-12;
    for (int k = 0; k < BOTH; k++)
        for (int i = 0; i < c->count && of->curves[k]; i++) most = fmax(most, of->curves[k](&c->frames[i]));
    fprintf(file, "<figure><figcaption>%s</figcaption>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\">\n", of->title,
            WIDE + 2 * MARGIN, HIGH + 36, WIDE + 2 * MARGIN);
    fprintf(file, "<path d=\"M%d 8V%dH%d\" fill=\"none\" stroke=\"#888\"/>\n", MARGIN, HIGH + 8, MARGIN + WIDE);
    fprintf(file, "<text x=\"4\" y=\"18\">%.3g %s</text><text x=\"4\" y=\"%d\">0</text>", most, of->unit, HIGH + 8);
    fprintf(file, "<text x=\"%d\" y=\"%d\">%.3g s</text>\n", WIDE, HIGH + 28, c->frames[c->count - 1].time);
    for (int k = 0; k < BOTH; k++)
        if (of->curves[k]) print_curve(file, c, of->curves[k], most, of->curves[1] ? colours[k] : "#444");
    fputs("</svg></figure>\n", file);
}

/* Prints the HTML table of both liquids in the last frame, and the wall times. */
static void print_table(FILE *file, const comparison *c) {
    const difference *last = &c->frames[c->count - 1];
    fprintf(file, "<table><tr><th>at %.3g s</th><th>%s</th><th>%s</th></tr>\n", last->time, c->solvers[SHALLOW],
            c->solvers[DEEP]);
    const struct {
        const char *name;
        double values[BOTH];
    } rows[] = {
        {"west front (m)", {last->of[0].low[0], last->of[1].low[0]}},
        {"east front (m)", {last->of[0].high[0], last->of[1].high[0]}},
        {"south front (m)", {last->of[0].low[1], last->of[1].low[1]}},
        {"north front (m)", {last->of[0].high[1], last->of[1].high[1]}},
        {"wet area (m²)", {last->of[0].area, last->of[1].area}},
        {"deepest (m)", {last->of[0].deepest, last->of[1].deepest}},
        {"volume in columns (m³)", {last->of[0].volume, last->of[1].volume}},
        {"time of steps (s)", {c->seconds[0], c->seconds[1]}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(file, "<tr><td>%s</td><td>%.4g</td><td>%.4g</td></tr>\n", rows[i].name, rows[i].values[0],
                rows[i].values[1]);
    fputs("</table>\n", file);
}

/* Prints the whole page as HTML. */
static void print_page(FILE *file, const comparison *c) {
    fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>", file);
    print_escaped(file, c->name);
    fputs(": columns and 3D</title>\n<style>body{font:16px/1.5 sans-serif;max-width:1300px;margin:2em auto;padding:0 "
          "1em}video,img{width:100%}td,th{padding:2px 14px;text-align:right}td:first-child{text-align:left}text{font:"
          "12px sans-serif}figure{margin:1em 0}.a{color:#2a6fb0}.b{color:#c2571a}</style>\n<h1>",
          file);
    print_escaped(file, c->title);
    fprintf(file,
            "</h1>\n<p>Left, <span class=\"a\">blue</span>: columns, solver %s. Right, <span "
            "class=\"b\">orange</span>: the 3D liquid.</p>\n",
            c->solvers[SHALLOW]);
    if (c->film) {
        fputs("<video controls loop src=\"", file);
        print_escaped(file, c->film);
        fputs("\"></video>\n", file);
    }
    print_table(file, c);
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) print_chart(file, c, &charts[i]);
    fputs("<p>All numbers are in differences.csv. This page was made by <code>runnel compare ", file);
    print_escaped(file, c->file);
    fputs("</code>.</p>\n</html>\n", file);
}

bool page_write(const char *folder, const comparison *c) {
    char path[4096];
    snprintf(path, sizeof path, "%s/index.html", folder);
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result == RN_OK) {
        print_page(file.stream, c);
        result = rn_whole_file_keep(&file);
    }
    if (result != RN_OK) complain("%s", rn_last_error());
    return result == RN_OK;
}
