/* Draws labels over a finished picture (labels.h): plates with text in a stroke font (font.h), a scale bar, a colour
   scale, and the lines of tiles. */
#include "render/labels.h"

#include "render/font.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct point {
    double x, y;
} point;

enum { ARC_PIECES = 16, SMALLEST_PICTURE = 160 };

static const uint8_t ink[3] = {36, 38, 44}, plate[3] = {255, 255, 255};
static const double plate_opacity = 0.74, stroke_width = 0.135 /* of the height of a digit */;

/* Mixes a colour (RGB) into a pixel, if it is in the picture; opacity is clamped to 0..1. */
static void blend_pixel(const rn_picture *picture, int x, int y, const uint8_t *colour, double opacity) {
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || opacity <= 0) return;
    if (opacity > 1) opacity = 1;
    uint8_t *pixel = picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    for (int i = 0; i < 3; i++) pixel[i] = (uint8_t)(pixel[i] + opacity * (colour[i] - pixel[i]) + 0.5);
}

/* Draws a rectangle (pixels from the top left) with corners of this radius (pixels) and smooth edges, as far as it is
   in the picture. With a radius of half its height it is a line with round ends. */
static void draw_plate(const rn_picture *picture, double left, double top, double right, double bottom, double radius,
                       const uint8_t *colour, double opacity) {
    double cx = 0.5 * (left + right), cy = 0.5 * (top + bottom);
    double hx = 0.5 * (right - left) - radius, hy = 0.5 * (bottom - top) - radius;
    for (int y = (int)top - 1; y <= (int)bottom + 1; y++) {
        for (int x = (int)left - 1; x <= (int)right + 1; x++) {
            double dx = fabs(x + 0.5 - cx) - hx, dy = fabs(y + 0.5 - cy) - hy;
            double outside = hypot(fmax(dx, 0), fmax(dy, 0)) + fmin(fmax(dx, dy), 0) - radius;
            blend_pixel(picture, x, y, colour, opacity * fmin(fmax(0.5 - outside, 0), 1));
        }
    }
}

/* The distance from p to the nearest point of the segment from a to b, which may be a point. */
static double segment_distance(point p, point a, point b) {
    double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    double t = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/* The point (font units) of an arc where piece `piece` of ARC_PIECES begins; where the arc ends if `piece` is
   ARC_PIECES. */
static point on_arc(const rn_stroke *stroke, int piece) {
    double angle = (stroke->from + (stroke->to - stroke->from) * piece / (double)ARC_PIECES) * 3.14159265358979 / 180;
    return (point){stroke->x + stroke->rx * cos(angle), stroke->y + stroke->ry * sin(angle)};
}

/* The distance (font units) from p to the middle of the nearest stroke of a glyph; 1e9 if it has none, like a space. */
static double glyph_distance(const rn_glyph *glyph, point p) {
    double nearest = 1e9;
    for (int i = 0; i < RN_MOST_STROKES && glyph->strokes[i].rx != 0; i++) {
        const rn_stroke *stroke = &glyph->strokes[i];
        if (stroke->rx < 0) {
            point a = {stroke->x, stroke->y}, b = {stroke->from, stroke->to};
            nearest = fmin(nearest, segment_distance(p, a, b));
            continue;
        }
        for (int k = 0; k < ARC_PIECES; k++)
            nearest = fmin(nearest, segment_distance(p, on_arc(stroke, k), on_arc(stroke, k + 1)));
    }
    return nearest;
}

/* The glyph of a letter; NULL: not in the font. */
static const rn_glyph *find_glyph(char letter) {
    for (size_t i = 0; i < sizeof rn_font / sizeof rn_font[0]; i++)
        if (rn_font[i].letter == letter) return &rn_font[i];
    return NULL;
}

static const double letter_gap = 15; /* font units */

/* The width of a text (pixels), not empty, whose digits are `size` pixels high. Letters that are not in the font have
   none. */
static double text_width(const char *text, double size) {
    double width = -letter_gap;
    for (; *text; text++) {
        const rn_glyph *glyph = find_glyph(*text);
        width += glyph ? glyph->width + letter_gap : 0;
    }
    return width * size / 100;
}

/* Draws a text in ink, from `left` on at `baseline` (pixels from the top left); `size` (pixels) is the height of a
   digit. Letters that are not in the font are skipped, parts outside the picture left out. */
static void draw_text(const rn_picture *picture, const char *text, double left, double baseline, double size) {
    double unit = size / 100, half = 0.5 * stroke_width * size;
    for (; *text; text++) {
        const rn_glyph *glyph = find_glyph(*text);
        if (!glyph) continue;
        for (int y = (int)(baseline - 1.1 * size); y <= (int)(baseline + 0.4 * size); y++) {
            for (int x = (int)left - 2; x <= (int)(left + glyph->width * unit) + 2; x++) {
                point p = {(x + 0.5 - left) / unit, (baseline - y - 0.5) / unit};
                blend_pixel(picture, x, y, ink, half - glyph_distance(glyph, p) * unit + 0.5);
            }
        }
        left += (glyph->width + letter_gap) * unit;
    }
}

/* The unit (pixels) in which all sizes of labels are given: 1 for a picture 800 pixels wide, in proportion to the
   width, from 0.75 to 4. */
static double label_unit(const rn_picture *picture) { return fmin(fmax(picture->width / 800.0, 0.75), 4); }

/* Writes a length to `text` of `size` bytes, in a unit from um to km that suits it: rounded to whole units, or to three
   digits in um. */
static void write_length(double metres, char *text, size_t size) {
    if (metres >= 999.5) snprintf(text, size, "%.0f km", metres / 1e3);
    else if (metres >= 0.9995) snprintf(text, size, "%.0f m", metres);
    else if (metres >= 0.009995) snprintf(text, size, "%.0f cm", metres * 1e2);
    else if (metres >= 0.0009995) snprintf(text, size, "%.0f mm", metres * 1e3);
    else snprintf(text, size, "%.3g um", metres * 1e6);
}

void rn_label_scale(const rn_picture *picture, double metres_per_pixel) {
    if (picture->width < SMALLEST_PICTURE || picture->height < SMALLEST_PICTURE / 2) return;
    double u = label_unit(picture), longest = 0.22 * picture->width * metres_per_pixel;
    double power = pow(10, floor(log10(longest))), metres = power;
    if (5 * power <= longest) metres = 5 * power;
    else if (2 * power <= longest) metres = 2 * power;
    char text[32];
    write_length(metres, text, sizeof text);
    double size = 12 * u, bar = metres / metres_per_pixel, label = text_width(text, size);
    double left = 14 * u, bottom = picture->height - 14 * u, top = bottom - 27 * u, middle = 0.5 * (top + bottom);
    double right = left + 12 * u + bar + 9 * u + label + 12 * u;
    draw_plate(picture, left, top, right, bottom, 7 * u, plate, plate_opacity);
    double start = left + 12 * u, half = 1.1 * u;
    draw_plate(picture, start, middle - half, start + bar, middle + half, 0, ink, 1);
    draw_plate(picture, start, middle - 5 * u, start + 2 * half, middle + 5 * u, 0, ink, 1);
    draw_plate(picture, start + bar - 2 * half, middle - 5 * u, start + bar, middle + 5 * u, 0, ink, 1);
    draw_text(picture, text, start + bar + 9 * u, middle + 0.5 * size, size);
}

void rn_label_time(const rn_picture *picture, double seconds) {
    if (picture->width < SMALLEST_PICTURE || picture->height < SMALLEST_PICTURE / 2) return;
    char text[32];
    snprintf(text, sizeof text, seconds < 1000 ? "%.2f s" : "%.0f s", fmin(seconds, 1e12));
    double u = label_unit(picture), size = 12 * u;
    double right = picture->width - 14 * u, bottom = picture->height - 14 * u, top = bottom - 27 * u;
    double left = right - text_width(text, size) - 24 * u;
    draw_plate(picture, left, top, right, bottom, 7 * u, plate, plate_opacity);
    draw_text(picture, text, left + 12 * u, 0.5 * (top + bottom) + 0.5 * size, size);
}

/* The sRGB byte of a linear value from 0 to 1; others are not clamped. */
static uint8_t srgb_byte(double linear) {
    return (uint8_t)(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055) + 0.5);
}

/* Writes a length in um, mm or m, or with `per` "/s" (otherwise "") a speed, with three digits, to `text` of `size`
   bytes. */
static void write_amount(double metres, const char *per, char *text, size_t size) {
    if (metres >= 0.9995) snprintf(text, size, "%.3g m%s", metres, per);
    else if (metres >= 0.0009995) snprintf(text, size, "%.3g mm%s", metres * 1e3, per);
    else snprintf(text, size, "%.3g um%s", metres * 1e6, per);
}

void rn_label_ramp(const rn_picture *picture, const float (*colours)[3], int count, double most, bool per_second) {
    if (picture->width < SMALLEST_PICTURE || picture->height < SMALLEST_PICTURE / 2) return;
    char text[32];
    write_amount(most, per_second ? "/s" : "", text, sizeof text);
    const double u = label_unit(picture), size = 12 * u, bar = 130 * u, zero = text_width("0", size);
    const double left = 14 * u, bottom = picture->height - 14 * u, top = bottom - 27 * u, middle = 0.5 * (top + bottom);
    const double start = left + 12 * u + zero + 9 * u, end = start + bar + 9 * u;
    draw_plate(picture, left, top, end + text_width(text, size) + 12 * u, bottom, 7 * u, plate, plate_opacity);
    draw_text(picture, "0", left + 12 * u, middle + 0.5 * size, size);
    for (int x = (int)start; x < (int)(start + bar); x++) {
        const double place = (x - (int)start) / bar * (count - 1);
        const int step = (int)place < count - 1 ? (int)place : count - 2;
        uint8_t colour[3];
        for (int i = 0; i < 3; i++) {
            const double from = (double)colours[step][i], to = (double)colours[step + 1][i];
            colour[i] = srgb_byte(from + (place - step) * (to - from));
        }
        for (int y = (int)(middle - 6 * u); y < (int)(middle + 6 * u); y++) blend_pixel(picture, x, y, colour, 1);
    }
    draw_text(picture, text, end, middle + 0.5 * size, size);
}

/* Draws a line of one pixel from `from` up to, not including, `to` (pixels): upright at x = at, otherwise level at
   y = at. Parts outside the picture are left out. */
static void draw_line(const rn_picture *picture, bool upright, double at, double from, double to, double opacity) {
    const int pixel = (int)at;
    for (int i = (int)from; i < (int)to; i++) {
        if (upright) blend_pixel(picture, pixel, i, ink, opacity);
        else blend_pixel(picture, i, pixel, ink, opacity);
    }
}

void rn_label_tiles(const rn_picture *picture, const rn_tiles *tiles, int cells_x, int cells_y) {
    const double px = (double)picture->width / cells_x, py = (double)picture->height / cells_y;
    for (int n = 0; n < tiles->tiles_x * tiles->tiles_y; n++) {
        const int x0 = n % tiles->tiles_x * RN_PACKETS_TILE, y0 = n / tiles->tiles_x * RN_PACKETS_TILE;
        const int level = tiles->levels[n] == RN_TILE_IDLE ? RN_PACKETS_LEVELS + 1 : tiles->levels[n];
        const double left = x0 * px, right = (x0 + RN_PACKETS_TILE) * px;
        const double bottom = picture->height - y0 * py, top = bottom - RN_PACKETS_TILE * py;
        for (int k = 0; k < RN_PACKETS_TILE; k += 2 << level) {
            const double opacity = k == 0 ? 0.45 : 0.22;
            draw_line(picture, true, left + k * px, top, bottom, opacity);
            draw_line(picture, false, top + k * py, left, right, opacity);
        }
    }
}
