/* A stroke font for labels: digits, a point and the letters of metric units, sharp at any size. Units: hundredths of
   the height of a digit, from the baseline up. */
#ifndef RN_RENDER_FONT_H
#define RN_RENDER_FONT_H

/* An arc of an ellipse (degrees, counter-clockwise from +x), or a line if rx is -1. */
typedef struct rn_stroke {
    short x, y, rx, ry, from, to; /* a line goes from (x, y) to (from, to) */
} rn_stroke;

enum { RN_MOST_STROKES = 5 };

typedef struct rn_glyph {
    char letter; /* 'u' is the Greek mu of micrometres */
    short width;
    rn_stroke strokes[RN_MOST_STROKES]; /* ends with a stroke whose rx is 0 */
} rn_glyph;

#define RN_LINE(x0, y0, x1, y1) x0, y0, -1, 0, x1, y1

static const rn_glyph rn_font[] = {
    {'0', 60, {{30, 50, 25, 48, 0, 360}}},
    {'1', 60, {{RN_LINE(14, 80, 34, 98)}, {RN_LINE(34, 98, 34, 2)}}},
    {'2', 60, {{30, 70, 24, 28, 165, -36}, {RN_LINE(49, 54, 5, 2)}, {RN_LINE(5, 2, 56, 2)}}},
    {'3', 60, {{28, 75, 22, 23, 150, -90}, {28, 27, 26, 25, 90, -150}}},
    {'4', 60, {{RN_LINE(44, 98, 4, 28)}, {RN_LINE(4, 28, 58, 28)}, {RN_LINE(44, 98, 44, 2)}}},
    {'5', 60, {{RN_LINE(51, 98, 13, 98)}, {RN_LINE(13, 98, 10, 57)}, {28, 33, 27, 31, 130, -150}}},
    {'6', 60, {{30, 31, 25, 29, 0, 360}, {55, 31, 50, 67, 180, 103}}},
    {'7', 60, {{RN_LINE(5, 98, 55, 98)}, {RN_LINE(55, 98, 22, 2)}}},
    {'8', 60, {{30, 75, 21, 23, 0, 360}, {30, 27, 26, 25, 0, 360}}},
    {'9', 60, {{30, 69, 25, 29, 0, 360}, {5, 69, 50, 67, 0, -77}}},
    {'.', 22, {{RN_LINE(11, 4, 11, 6)}}},
    {'/', 44, {{RN_LINE(4, -12, 40, 104)}}},
    {' ', 34, {{0, 0, 0, 0, 0, 0}}},
    {'c', 56, {{30, 34, 25, 32, 45, 315}}},
    {'k', 52, {{RN_LINE(6, 98, 6, 2)}, {RN_LINE(44, 66, 6, 28)}, {RN_LINE(20, 42, 48, 2)}}},
    {'m',
     84,
     {{RN_LINE(6, 66, 6, 2)},
      {24, 46, 18, 20, 180, 0},
      {RN_LINE(42, 46, 42, 2)},
      {60, 46, 18, 20, 180, 0},
      {RN_LINE(78, 46, 78, 2)}}},
    {'s', 48, {{25, 50, 18, 16, 30, 270}, {25, 18, 20, 16, 90, -150}}},
    {'u', 54, {{RN_LINE(6, 66, 6, -26)}, {26, 24, 20, 22, 180, 360}, {RN_LINE(46, 66, 46, 2)}}},
};

#undef RN_LINE

#endif
