/* Charts as SVG: lines and marks between two axes, with a legend. chart_write() draws a whole chart. For other drawings
   in the same style, call chart_begin(), then write SVG and chart_say(), then chart_end(). */
#ifndef CHART_H
#define CHART_H

#include <stdbool.h>
#include <stdio.h>

#define CHART_BLUE   "#0b62a8"
#define CHART_ORANGE "#d1590a"
#define CHART_GREY   "#555555"
#define CHART_INK    "#222222"
#define CHART_PALE   "#666666"
#define CHART_GRID   "#e4e4e4"

enum { CHART_WIDTH = 640, CHART_HEIGHT = 420 }; /* pixels */

typedef struct chart_axis {
    const char *label; /* with its unit */
    double low, high;
    bool log;
    const double *marks; /* values to label; NULL: round ones */
    int mark_count;
} chart_axis;

typedef enum chart_mark { CHART_NONE, CHART_CIRCLE, CHART_SQUARE, CHART_DIAMOND } chart_mark;

typedef struct chart_series {
    const char *name, *colour;
    chart_mark mark;
    bool dashed, no_line;
    const double *x, *y; /* on a logarithmic y axis, points with y <= 0 are skipped */
    int count;
} chart_series;

typedef struct chart {
    const char *title;
    chart_axis x, y;
    const chart_series *series;
    int series_count;
    bool legend_right; /* in the lower right corner instead of the lower left one */
} chart;

/* Writes the whole chart as an SVG of CHART_WIDTH x CHART_HEIGHT pixels. An axis must have low < high, and low > 0 if
   logarithmic. Errors of writing are left to the caller, who checks the file; so in all functions below. */
void chart_write(FILE *file, const chart *c);

/* How a text is drawn. x, y, size: pixels; turn: degrees; anchor: "start", "middle" (default) or "end". */
typedef struct chart_text {
    double x, y, size, turn;
    const char *anchor, *colour;
    bool bold;
} chart_text;

/* Writes the opening tag, size, font and white background. */
void chart_begin(FILE *file);
/* Draws a line of text at how->x, how->y (the baseline); & and < are escaped. `how`: zeroed fields have defaults,
   except the size. */
void chart_say(FILE *file, const chart_text *how, const char *text);
/* Writes the closing tag. The caller closes the file. */
void chart_end(FILE *file);

#endif
