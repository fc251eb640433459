/* Draws charts as SVG (chart.h). chart_write() draws both axes with their grid lines, then the title and labels, then
   each series and the legend. */
#include "figures/chart.h"

#include <math.h>
#include <string.h>

enum { LEFT = 78, RIGHT = 22, TOP = 52, BOTTOM = 60, LINE = 21 };

/* Maps the values of an axis to pixels. */
typedef struct scale {
    const chart_axis *axis;
    double start, end; /* pixels of the low and the high end */
} scale;

/* Returns the pixel position of a value along the axis; values beyond its ends lie outside. On a logarithmic axis the
   value must be above 0. */
static double pixel_of(const scale *s, double value) {
    const chart_axis *a = s->axis;
    const double low = a->log ? log10(a->low) : a->low, high = a->log ? log10(a->high) : a->high;
    return s->start + ((a->log ? log10(value) : value) - low) / (high - low) * (s->end - s->start);
}

void chart_begin(FILE *file) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            CHART_WIDTH, CHART_HEIGHT, CHART_WIDTH, CHART_HEIGHT, CHART_WIDTH, CHART_HEIGHT);
}

void chart_end(FILE *file) { fputs("</svg>\n", file); }

void chart_say(FILE *file, const chart_text *how, const char *text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\"", how->x, how->y,
            how->size, how->anchor ? how->anchor : "middle", how->colour ? how->colour : CHART_INK);
    if (how->bold) fputs(" font-weight=\"bold\"", file);
    if (how->turn != 0) fprintf(file, " transform=\"rotate(%g %.1f %.1f)\"", how->turn, how->x, how->y);
    fputc('>', file);
    for (; *text; text++) {
        if (*text == '&') fputs("&amp;", file);
        else if (*text == '<') fputs("&lt;", file);
        else fputc(*text, file);
    }
    fputs("</text>\n", file);
}

/* Draws a straight line between two points; coordinates and `width` in pixels. */
static void draw_line(FILE *file, double x0, double y0, double x1, double y1, const char *colour, double width) {
    fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%g\"/>\n", x0, y0, x1, y1, colour,
            width);
}

/* Draws the mark of a data point at pixel (x, y). Draws nothing for CHART_NONE. */
static void draw_mark(FILE *file, double x, double y, const char *colour, chart_mark mark) {
    if (mark == CHART_CIRCLE) fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.2\" fill=\"%s\"/>\n", x, y, colour);
    if (mark == CHART_SQUARE)
        fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7.6\" height=\"7.6\" fill=\"%s\"/>\n", x - 3.8, y - 3.8,
                colour);
    if (mark == CHART_DIAMOND)
        fprintf(file, "<path d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\" fill=\"white\" stroke=\"%s\" stroke-width=\"1.8\"/>\n", x,
                y - 6, colour);
}

/* Draws a grid line at a value of axis `s`, across the length of `other`, and labels it if `named`. `upright`: the line
   is vertical, so `s` is the x axis. */
static void draw_tick(FILE *file, const scale *s, const scale *other, bool upright, double value, bool named) {
    const double where = pixel_of(s, value), width = named ? 1 : 0.5;
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    if (upright) draw_line(file, where, other->start, where, other->end, CHART_GRID, width);
    else draw_line(file, other->start, where, other->end, where, CHART_GRID, width);
    if (!named) return;
    chart_text how = {.x = where, .y = other->start + 18, .size = 12, .colour = CHART_PALE};
    if (!upright)
        how = (chart_text){.x = other->start - 8, .y = where + 4, .size = 12, .anchor = "end", .colour = CHART_PALE};
    chart_say(file, &how, text);
}

/* Draws grid lines at 1 to 9 times each power of ten within the axis, and labels those at 1 times, on a short axis (2.2
   powers) also 2 and 5 times. `other`, `upright`: as in draw_tick(). */
static void draw_log_ticks(FILE *file, const scale *s, const scale *other, bool upright) {
    const double low = log10(s->axis->low), high = log10(s->axis->high);
    for (int power = (int)floor(low); power <= (int)ceil(high); power++)
        for (int digit = 1; digit < 10; digit++) {
            const double value = digit * pow(10, power), where = log10(value);
            const bool named = digit == 1 || ((digit == 2 || digit == 5) && high - low < 2.2);
            if (where > low - 1e-9 && where < high + 1e-9) draw_tick(file, s, other, upright, value, named);
        }
}

/* Draws and labels grid lines at multiples of 1, 2 or 5 times a power of ten, about five in all. `other`, `upright`: as
   in draw_tick(). */
static void draw_even_ticks(FILE *file, const scale *s, const scale *other, bool upright) {
    const double span = s->axis->high - s->axis->low, power = pow(10, floor(log10(span / 4)));
    const double step = power * (span / power >= 20 ? 5 : span / power >= 10 ? 2 : 1);
    for (double i = ceil(s->axis->low / step); i * step <= s->axis->high + 1e-9 * step; i++)
        draw_tick(file, s, other, upright, i * step, true);
}

/* Draws the grid lines and labels of axis `s`, across the length of `other`: at the marks of `s`, or at round values if
   `s` has no marks. `upright`: the grid lines are vertical, because `s` is the x axis. */
static void draw_axis(FILE *file, const scale *s, const scale *other, bool upright) {
    const chart_axis *a = s->axis;
    for (int i = 0; i < a->mark_count; i++) draw_tick(file, s, other, upright, a->marks[i], true);
    if (a->mark_count == 0 && a->log) draw_log_ticks(file, s, other, upright);
    if (a->mark_count == 0 && !a->log) draw_even_ticks(file, s, other, upright);
}

/* Draws the line, unless no_line, and the marks of a series. Points that a logarithmic y axis cannot show are left
   out. */
static void draw_series(FILE *file, const chart_series *series, const scale *x, const scale *y) {
    bool begun = false;
    if (!series->no_line) fputs("<path d=\"", file);
    for (int i = 0; i < series->count && !series->no_line; i++) {
        if (y->axis->log && !(series->y[i] > 0)) continue;
        fprintf(file, "%c%.1f %.1f", begun ? 'L' : 'M', pixel_of(x, series->x[i]), pixel_of(y, series->y[i]));
        begun = true;
    }
    if (!series->no_line)
        fprintf(file, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s/>\n",
                series->colour, series->dashed ? "1.6" : "2", series->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (int i = 0; i < series->count; i++)
        if (!y->axis->log || series->y[i] > 0)
            draw_mark(file, pixel_of(x, series->x[i]), pixel_of(y, series->y[i]), series->colour, series->mark);
}

/* Returns the number of UTF-8 characters, not bytes; the text must be valid. */
static int count_letters(const char *text) {
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* Draws the legend over the chart, a line for each series, sized for the longest name, in the lower left or right
   corner (c->legend_right). */
static void draw_legend(FILE *file, const chart *c) {
    int longest = 0;
    for (int i = 0; i < c->series_count; i++)
        if (count_letters(c->series[i].name) > longest) longest = count_letters(c->series[i].name);
    const double width = 52 + 6.9 * longest, height = LINE * c->series_count + 12;
    const double left = c->legend_right ? CHART_WIDTH - RIGHT - 12 - width : LEFT + 12;
    const double top = CHART_HEIGHT - BOTTOM - 12 - height;
    fprintf(file,
            "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"4\" fill=\"white\" stroke=\"%s\"/>\n",
            left, top, width, height, CHART_GRID);
    for (int i = 0; i < c->series_count; i++) {
        const chart_series *s = &c->series[i];
        const double y = top + 18 + LINE * i, x = left + 10;
        if (!s->no_line)
            fprintf(file, "<path d=\"M%.1f %.1fh28\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x, y, s->colour,
                    s->dashed ? " stroke-dasharray=\"6 4\"" : "");
        draw_mark(file, x + 14, y, s->colour, s->mark);
        chart_say(file, &(chart_text){.x = x + 36, .y = y + 4.5, .size = 12.5, .anchor = "start"}, s->name);
    }
}

void chart_write(FILE *file, const chart *c) {
    const scale x = {&c->x, LEFT, CHART_WIDTH - RIGHT}, y = {&c->y, CHART_HEIGHT - BOTTOM, TOP};
    chart_begin(file);
    draw_axis(file, &x, &y, true);
    draw_axis(file, &y, &x, false);
    draw_line(file, x.start, y.start, x.start, y.end, CHART_PALE, 1);
    draw_line(file, x.start, y.start, x.end, y.start, CHART_PALE, 1);
    chart_say(file, &(chart_text){.x = LEFT, .y = 28, .size = 16, .anchor = "start", .bold = true}, c->title);
    chart_say(file, &(chart_text){.x = (x.start + x.end) / 2, .y = CHART_HEIGHT - 16, .size = 13}, c->x.label);
    chart_say(file, &(chart_text){.x = 20, .y = (y.start + y.end) / 2, .size = 13, .turn = -90}, c->y.label);
    for (int i = 0; i < c->series_count; i++) draw_series(file, &c->series[i], &x, &y);
    draw_legend(file, c);
    chart_end(file);
}
