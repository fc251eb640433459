/* rn_top_view: the view straight down, drawn on the CPU. It takes the relief of the world (relief.h), resamples its
   planes to pixels, first along x (widen_rows), then line by line along y (paint_lines), shades each line, and adds
   labels. */
#include "base/error.h"
#include "base/memory.h"
#include "render/drape.h"
#include "render/labels.h"
#include "render/materials.h"
#include "render/optics.h"
#include "render/overhead.h"
#include "render/relief.h"
#include "render/resample.h"
#include "world/body_mesh.h"
#include "world/drawn.h"

#include <math.h>
#include <runnel/render.h>
#include <string.h>

enum {
    DEFAULT_WIDTH = 800,
    LEAST_WIDTH = 16,
    MOST_WIDTH = 16384,
    MOST_HEIGHT = 16384,
    SRGB_STEPS = 4096,
    BRIGHTEST = 4
};

/* A warm sun and a cool sky, whose sum shows flat open ground in its own colour. */
static const float sun_light[3] = {0.69f, 0.635f, 0.56f}, sky_light[3] = {0.35f, 0.385f, 0.43f};
static const float lamp_light[3] = {1.06f, 1.0f, 0.92f};

/* The fields of a picture, resampled one line at a time, and values computed from them. */
enum { GROUND, DEPTH, MIDDLE, CLIFF, HOLE, COLOUR, STAIN, EAST, NORTH, FILM_X, FILM_Y, SUN, SKY, FIELDS };
enum { BODY_SAMPLES = 3 };   /* along the side of a pixel */
enum { SLOPED = DEPTH + 1 }; /* for these fields the slopes per pixel are needed too */
enum { SIDED = COLOUR };     /* from here on, and for the depth, each side of a cliff has its own value */
enum {
    GROUND_NORTH = FIELDS,
    DEPTH_NORTH,
    GROUND_EAST,
    DEPTH_EAST,
    EDGE, /* 0..1: how near the upper edge of a cliff is */
    SLOPE_X,
    SLOPE_Y,
    GROUND_SUN,
    GROUND_SKY,
    COVER,
    FILM_SUN,
    FILM_SKY,
    RED,
    GREEN,
    BLUE,
    SHARE, /* share of a second side in its pixel */
    LINES,
};

typedef struct canvas {
    int width, height;
    rn_relief relief;
    rn_taps *taps;       /* one per column of pixels */
    float *rows[FIELDS]; /* relief.ny rows of `width` */
    float *scratch;      /* LINES lines of 2*width for each worker */
    int *second;         /* `width` for each worker */
    float ground[3];
    rn_drape drape;
    double west, north, pixel[2]; /* m, corner of the picture, and size of a pixel */
    float steepening;             /* exaggeration of relief, so that even gentle ground can be read */
    float per_pixel;              /* cells */
    float metres;                 /* m per pixel */
    float bevel;                  /* pixels: width over which the upper edge of a cliff is rounded */
    float thin;                   /* m: a film of this depth has half the gloss of a pool */
    rn_optics optics;
    uint8_t srgb[BRIGHTEST * SRGB_STEPS + 1];
    uint8_t *pixels;
    rn_drawn columns;
    rn_body_mesh bodies;
    rn_overhead overhead; /* of bodies, with BODY_SAMPLES along the side of a pixel */
} canvas;

/* One line of the picture, made by one worker: a spot for each pixel, then a second one for each pixel divided by
   the edge of a cliff. */
typedef struct stripe {
    const canvas *canvas;
    float *lines[LINES]; /* of `width`*2 */
    int *second;         /* the pixels of the spots from `width` on */
    int spots;
} stripe;

/* The width (pixels) of the picture, with its default; not checked. */
static int picture_width(const rn_top_view_def *def) { return def->width ? def->width : DEFAULT_WIDTH; }

int rn_top_view_height(const rn_world *world, const rn_top_view_def *def) {
    rn_world_info info = rn_world_describe(world);
    double height = rint((double)picture_width(def) * info.cells_y / info.cells_x);
    return height < 1 ? 1 : height > MOST_HEIGHT ? MOST_HEIGHT : (int)height;
}

/* Fills the table of sRGB bytes for linear light: entry i, from 0 to BRIGHTEST * SRGB_STEPS, is for i / SRGB_STEPS.
   Light above 0.75 is compressed, so that nothing is cut off at 1. */
static void fill_srgb(uint8_t *table) {
    for (int i = 0; i <= BRIGHTEST * SRGB_STEPS; i++) {
        double linear = (double)i / SRGB_STEPS;
        const double knee = 0.75; /* brighter values are compressed into the rest */
        if (linear > knee) linear = knee + (1 - knee) * (1 - exp(-(linear - knee) / (1 - knee)));
        double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
        table[i] = (uint8_t)(255 * encoded + 0.5);
    }
}

/* A factor on slopes of the ground, 1 to 6, that makes their mean about a fifth. Walls and level ground do not count; 1
   if there is nothing else. */
static float choose_steepening(const rn_relief *relief) {
    double sum = 0, count = 0;
    for (int y = 0; y + 1 < relief->ny; y++) {
        for (int x = 0; x + 1 < relief->nx; x++) {
            const float *g = relief->ground + (size_t)y * (size_t)relief->nx + x;
            double slope = (double)hypotf(g[1] - g[0], g[relief->nx] - g[0]) / relief->cell;
            if (slope > 0.6 || slope < 1e-4) continue;
            sum += slope;
            count++;
        }
    }
    return count > 0 ? (float)fmin(fmax(0.2 * count / sum, 1), 6) : 1;
}

/* x clamped to 0..1. */
static float clamp_unit(float x) { return fminf(fmaxf(x, 0), 1); }

/* Sets the slopes of a line of `width` values, at least 2, per pixel: central differences, one sided at the ends. */
static void slope_along_line(const float *line, int width, float *slope) {
    for (int x = 1; x + 1 < width; x++) slope[x] = 0.5f * (line[x + 1] - line[x - 1]);
    slope[0] = line[1] - line[0];
    slope[width - 1] = line[width - 1] - line[width - 2];
}

/* Writes the values of one side of a cliff near a pixel to a spot: means over the surrounding cells whose ground is
   above (`high`) or not above `middle` (m), weighted by the taps along x (`across`) and y (`along`). Sets the fields
   from COLOUR on, DEPTH and its slopes. Returns false if that side has no cells; then the spot is unchanged. */
static bool sample_side(const stripe *s, const rn_taps *across, const rn_taps *along, float middle, bool high,
                        int spot) {
    const canvas *c = s->canvas;
    const rn_relief *r = &c->relief;
    const float *const planes[] = {r->colour, r->stain, r->east, r->north, r->film_x, r->film_y, r->sun, r->sky};
    float sum[FIELDS - SIDED] = {0}, depth = 0, fall_x = 0, fall_y = 0, slopes_x = 0, slopes_y = 0, weight = 0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
            size_t at = (size_t)along->cell[j] * (size_t)r->nx + (size_t)across->cell[i];
            if ((r->raw[at] > middle) != high) continue;
            float share = across->share[i] * along->share[j];
            float slope_x = across->slope[i] * along->share[j], slope_y = across->share[i] * along->slope[j];
            for (int k = 0; k < FIELDS - SIDED; k++) sum[k] += share * planes[k][at];
            depth += share * r->depth[at];
            fall_x += slope_x * r->depth[at];
            fall_y += slope_y * r->depth[at];
            slopes_x += slope_x;
            slopes_y += slope_y;
            weight += share;
        }
    }
    if (weight < 1e-4f) return false;
    float per_weight = 1 / weight;
    for (int k = 0; k < FIELDS - SIDED; k++) s->lines[SIDED + k][spot] = sum[k] * per_weight;
    depth *= per_weight;
    s->lines[DEPTH][spot] = depth;
    s->lines[DEPTH_EAST][spot] = (fall_x - depth * slopes_x) * per_weight * c->per_pixel;
    s->lines[DEPTH_NORTH][spot] = (fall_y - depth * slopes_y) * per_weight * c->per_pixel;
    return true;
}

/* Makes cliffs sharp instead of slopes as wide as a cell. A pixel near a cliff gets values from its own side only. A
   pixel that the edge crosses also gets a second spot, with the values of the other side and its SHARE of the pixel.
   `along` has the weights of this line along y. Needs GROUND_EAST and GROUND_NORTH; sets EDGE, s->second and
   s->spots. */
static void split_cliffs(stripe *s, const rn_taps *along) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    const float *wall_x = line[GROUND_EAST], *wall_y = line[GROUND_NORTH];
    s->spots = c->width;
    for (int x = 0; x < c->width; x++) {
        line[EDGE][x] = 0;
        if (line[CLIFF][x] < 0.3f) continue;
        float middle = line[MIDDLE][x], above = line[GROUND][x] - middle;
        float away = above / (sqrtf(wall_x[x] * wall_x[x] + wall_y[x] * wall_y[x]) + 1e-12f); /* pixels */
        bool high = above > 0;
        if (!sample_side(s, &c->taps[x], along, middle, high, x)) continue;
        line[EDGE][x] = high ? fmaxf(1 - away / c->bevel, 0) : 0;
        if (fabsf(away) >= 0.5f) continue;
        int spot = s->spots;
        if (!sample_side(s, &c->taps[x], along, middle, !high, spot)) continue;
        line[GROUND_EAST][spot] = wall_x[x];
        line[GROUND_NORTH][spot] = wall_y[x];
        line[HOLE][spot] = line[HOLE][x];
        line[EDGE][spot] = high ? 0 : 1;
        line[SHARE][spot] = 0.5f - fabsf(away);
        s->second[spot - c->width] = x;
        s->spots++;
    }
}

/* Writes the slopes along x and y by which the ground of all spots is lit: exaggerated, limited, and with the upper
   edges of cliffs rounded. */
static void find_ground_slope(const stripe *s, float *restrict out_x, float *restrict out_y) {
    float *const *line = s->lines;
    const float *east = line[EAST], *north = line[NORTH], *edge = line[EDGE];
    const float *wall_x = line[GROUND_EAST], *wall_y = line[GROUND_NORTH];
    const float steepening = s->canvas->steepening;
    for (int x = 0; x < s->spots; x++) {
        float sx = steepening * east[x], sy = steepening * north[x];
        float limit = 1 / sqrtf(1 + (sx * sx + sy * sy) * 0.4f); /* walls would dominate everything else */
        float bevel = 0.6f * edge[x] / (sqrtf(wall_x[x] * wall_x[x] + wall_y[x] * wall_y[x]) + 1e-12f);
        out_x[x] = sx * limit + bevel * wall_x[x];
        out_y[x] = sy * limit + bevel * wall_y[x];
    }
}

/* Writes the wet share of each spot (0 to 1) to `cover`, and turns film_x and film_y from the slope of the liquid to
   that by which it is lit. Surface tension rounds the edge over about a cell, unless a thin film continues beyond it.
 */
static void shape_film(const stripe *s, float *restrict film_x, float *restrict film_y, float *restrict cover) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    const float *depth = line[DEPTH], *fall_x = line[DEPTH_EAST], *fall_y = line[DEPTH_NORTH];
    const float *stain = line[STAIN];
    const float per_film = 2.5f / ((float)c->relief.thinnest + 1e-12f);
    const float k = fminf(c->steepening, 1.5f), per_edge = c->per_pixel / 1.5f;
    for (int x = 0; x < s->spots; x++) {
        float per_steep = 1 / (sqrtf(fall_x[x] * fall_x[x] + fall_y[x] * fall_y[x]) + 1e-12f);
        float inside = depth[x] * per_steep; /* pixels from the outline */
        float to_edge = clamp_unit(1 - inside * per_edge) * clamp_unit(1 - stain[x] * per_film);
        float bulge = 0.6f * to_edge * to_edge * per_steep;
        float sx = k * film_x[x], sy = k * film_y[x];
        float limit = 1 / sqrtf(1 + (sx * sx + sy * sy) * 1.2f);
        cover[x] = clamp_unit(inside + 0.5f);
        film_x[x] = sx * limit + bulge * fall_x[x];
        film_y[x] = sy * limit + bulge * fall_y[x];
    }
}

/* Writes the light from the sun and from the sky that surfaces with these slopes receive at all spots, both 1 on flat
   open ground. The stripe's lines SUN and SKY have the visible shares. Hidden spots still get some of both, because
   their surroundings reflect light into them; slopes that face away from the sun get none from it. */
static void find_light(const stripe *s, const float *slope_x, const float *slope_y, float *sun, float *sky) {
    float *const *line = s->lines;
    for (int x = 0; x < s->spots; x++) {
        float scale = 1 / sqrtf(1 + slope_x[x] * slope_x[x] + slope_y[x] * slope_y[x]);
        float facing = RN_SUN_TAN - slope_x[x] * RN_SUN_X - slope_y[x] * RN_SUN_Y;
        sun[x] = fmaxf(facing, 0) * scale * (1 / RN_SUN_TAN) * (0.2f + 0.8f * line[SUN][x]);
        sky[x] = (0.4f + 0.6f * line[SKY][x]) * (0.4f + 0.6f * scale);
    }
}

/* The light of a large soft lamp, high in the north-west, from the direction (x, y, z), a unit vector: about 1 in its
   middle, less in a glow around it, 0 elsewhere and from below. */
static float lamp_brightness(float x, float y, float z) {
    float across = 0.707f * x + 0.707f * y, up = -0.672f * x + 0.672f * y - 0.311f * z;
    float away = across * across + up * up;
    if (z < 0) return 0;
    float core = fmaxf(1 - away / (0.16f * 0.16f), 0), glow = fmaxf(1 - away / (0.5f * 0.5f), 0);
    return core * core * (3 - 2 * core) + 0.08f * glow * glow * glow;
}

/* The light that the liquid at a spot in pixel (x, y) mirrors: a pale ceiling and the lamp, times the mirrored share.
   The eye is above the centre of the picture, at a finite distance, so that a still pool has a sheen too. */
static float mirrored_light(const stripe *s, int spot, int x, int y) {
    const canvas *c = s->canvas;
    float slope_x = s->lines[FILM_X][spot], slope_y = s->lines[FILM_Y][spot];
    float vx = (0.5f * (float)c->width - (float)x) / (float)c->width;
    float vy = ((float)y - 0.5f * (float)c->height) / (float)c->width, vz = 1.1f;
    float v = 1 / sqrtf(vx * vx + vy * vy + vz * vz), n = 1 / sqrtf(1 + slope_x * slope_x + slope_y * slope_y);
    float nx = -slope_x * n, ny = -slope_y * n;
    float facing = fmaxf((vx * nx + vy * ny + vz * n) * v, 0), away = 1 - facing, away2 = away * away;
    float rx = 2 * facing * nx - vx * v, ry = 2 * facing * ny - vy * v, rz = 2 * facing * n - vz * v;
    float mirror = c->optics.mirror + (1 - c->optics.mirror) * away2 * away2 * away;
    float ceiling = 0.22f + 0.5f * fmaxf(-0.6f * rx + 0.6f * ry, 0);
    float gain = c->optics.metal ? 1.0f : 6.5f;
    return mirror * (ceiling + gain * lamp_brightness(rx, ry, rz));
}

/* Component i (0 to 2) of the colour of a layer over ground of this colour; all are linear. An opaque layer is lit by
   `light`; the clearer it is, the more the light on the ground, ground_light, counts instead. The surface reflects a
   part of the outgoing light back (Saunderson 1942), which is why wet things look darker. */
static float layer_colour(const rn_layer *layer, int i, float ground, float ground_light, float light) {
    float through = layer->through[i], self = layer->self[i];
    float below = (self + through * ground) / (1 - self * ground);
    float out = (1 - layer->inside) * below / (1 - layer->inside * below);
    return out * (light + through * (ground_light - light));
}

/* Writes the linear colour of dry ground in pixel (x, y), y from the top: that of the texture, if there is one. */
static void find_ground(const canvas *c, int x, int y, float colour[3]) {
    const double low[2] = {c->west + c->pixel[0] * x, c->north - c->pixel[1] * (y + 1)};
    const double high[2] = {low[0] + c->pixel[0], low[1] + c->pixel[1]};
    memcpy(colour, c->ground, sizeof c->ground);
    rn_drape_over(&c->drape, low, high, colour);
}

/* Writes the linear colour of a spot in pixel (x, y), y from the top, to RED, GREEN and BLUE: ground, stain (none of
   metal), liquid, holes. Light, film and cover of the spot must be known. */
static void shade_spot(const stripe *s, int spot, int x, int y) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    float colour[3], light[3], ground[3];
    find_ground(c, x, y, ground);
    for (int i = 0; i < 3; i++) {
        light[i] = sun_light[i] * line[GROUND_SUN][spot] + sky_light[i] * line[GROUND_SKY][spot];
        colour[i] = ground[i] * light[i];
    }
    if (line[STAIN][spot] > 0 && !c->optics.metal) {
        const rn_layer *stain = rn_optics_layer(&c->optics, sqrtf(line[STAIN][spot]));
        for (int i = 0; i < 3; i++) colour[i] = layer_colour(stain, i, ground[i], light[i], light[i]);
    }
    float cover = line[COVER][spot];
    if (cover > 0) {
        float depth = fmaxf(line[COLOUR][spot], 0), body = depth / (depth + c->thin);
        const rn_layer *layer = rn_optics_layer(&c->optics, sqrtf(depth));
        float glint = mirrored_light(s, spot, x, y) * (0.3f + 0.7f * line[SUN][spot]);
        if (c->optics.metal) cover *= body * body;
        else glint *= body * body;
        for (int i = 0; i < 3; i++) {
            float above = sun_light[i] * line[FILM_SUN][spot] + sky_light[i] * line[FILM_SKY][spot];
            float wet = c->optics.metal ? 0.02f : layer_colour(layer, i, ground[i], light[i], above);
            colour[i] += cover * (wet + glint * lamp_light[i] - colour[i]);
        }
    }
    float dark = line[HOLE][spot] > 0 ? rn_smooth_step(0.42f, 0.58f, line[HOLE][spot]) : 0;
    for (int i = 0; i < 3; i++) line[RED + i][spot] = colour[i] + dark * (0.012f - colour[i]);
}

/* Writes the linear colour of one sample of c->overhead, which has a triangle, seen through the liquid above it; liquid
   metal does not hide it. x: the pixel of the sample, whose share of the sun counts. */
static void shade_body(const stripe *s, int x, size_t sample_x, size_t sample_y, float colour[3]) {
    const canvas *c = s->canvas;
    const rn_relief *r = &c->relief;
    const rn_overhead *o = &c->overhead;
    const rn_mesh *m = &c->bodies.mesh;
    const size_t at = sample_y * (size_t)o->width + sample_x, t = o->triangle[at];
    float shares[3] = {1, 0, 0}, n[3] = {0, 0, 0};
    rn_overhead_shares(m, t, o->left + ((double)sample_x + 0.5) * o->step,
                       o->below + ((double)sample_y + 0.5) * o->step, shares);
    for (size_t corner = 0; corner < 3; corner++)
        for (size_t i = 0; i < 3; i++) n[i] += shares[corner] * m->normals[3 * (size_t)m->indices[3 * t + corner] + i];
    const float facing = fmaxf(n[0] * RN_SUN_X + n[1] * RN_SUN_Y + n[2] * RN_SUN_TAN, 0) * (1 / RN_SUN_TAN);
    const float sun = facing * (0.2f + 0.8f * s->lines[SUN][x]), sky = 0.4f + 0.6f * fmaxf(n[2], 0);
    const size_t cell_x = sample_x * (size_t)r->nx / (size_t)o->width,
                 cell_y = sample_y * (size_t)r->ny / (size_t)o->height;
    const size_t cell = cell_y * (size_t)r->nx + cell_x;
    const float under = r->depth[cell] > 0 ? r->level[cell] - (o->top[at] - c->columns.columns.datum) : 0;
    const rn_layer *layer = under > 0 && !c->optics.metal ? rn_optics_layer(&c->optics, sqrtf(under)) : NULL;
    for (int i = 0; i < 3; i++) {
        const float light = sun_light[i] * sun + sky_light[i] * sky,
                    own = m->colours[3 * (size_t)m->indices[3 * t] + (size_t)i];
        colour[i] = layer ? layer_colour(layer, i, own, light, light) : own * light;
    }
}

/* Mixes bodies into the colours of a line of the picture, by the share of samples that they cover; y counts from the
   north. */
static void shade_bodies(const stripe *s, int y) {
    const canvas *c = s->canvas;
    const rn_overhead *o = &c->overhead;
    const size_t first = (size_t)(c->height - 1 - y) * BODY_SAMPLES;
    for (int x = 0; x < c->width; x++) {
        float sum[3] = {0, 0, 0}, hits = 0;
        for (size_t i = 0; i < BODY_SAMPLES * BODY_SAMPLES; i++) {
            const size_t sx = (size_t)x * BODY_SAMPLES + i % BODY_SAMPLES, sy = first + i / BODY_SAMPLES;
            if (o->triangle[sy * (size_t)o->width + sx] == RN_NO_TRIANGLE) continue;
            float colour[3];
            shade_body(s, x, sx, sy, colour);
            for (int k = 0; k < 3; k++) sum[k] += colour[k];
            hits++;
        }
        for (int k = 0; k < 3 && hits > 0; k++)
            s->lines[RED + k][x] += (sum[k] - hits * s->lines[RED + k][x]) / (BODY_SAMPLES * BODY_SAMPLES);
    }
}

/* Makes line y of the picture, from the top, from the fields that were resampled for it and their slopes along y, and
   writes its sRGB bytes. `along`: the taps of the line along y. */
static void shade_line(stripe *s, const rn_taps *along, int y, uint8_t *pixels) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    int width = c->width;
    for (int field = 0; field < SLOPED; field++) slope_along_line(line[field], width, line[GROUND_EAST + field]);
    split_cliffs(s, along);
    find_ground_slope(s, line[SLOPE_X], line[SLOPE_Y]);
    find_light(s, line[SLOPE_X], line[SLOPE_Y], line[GROUND_SUN], line[GROUND_SKY]);
    if (c->relief.typical > 0) {
        shape_film(s, line[FILM_X], line[FILM_Y], line[COVER]);
        find_light(s, line[FILM_X], line[FILM_Y], line[FILM_SUN], line[FILM_SKY]);
    }
    for (int spot = 0; spot < s->spots; spot++) shade_spot(s, spot, spot < width ? spot : s->second[spot - width], y);
    for (int spot = width; spot < s->spots; spot++) {
        int x = s->second[spot - width];
        for (int i = RED; i <= BLUE; i++) line[i][x] += line[SHARE][spot] * (line[i][spot] - line[i][x]);
    }
    if (c->overhead.top) shade_bodies(s, y);
    for (int x = 0; x < width; x++)
        for (int i = 0; i < 3; i++)
            pixels[3 * x + i] = c->srgb[(int)(fminf(fmaxf(line[RED + i][x], 0), BRIGHTEST) * SRGB_STEPS + 0.5f)];
}

/* A task over lines of the picture: resamples all fields along y and shades the line. Lines run from the north down,
   rows of cells from the south up. */
static void paint_lines(void *context, int begin, int end, int worker) {
    const canvas *c = context;
    size_t width = (size_t)c->width;
    stripe s = {.canvas = c, .second = c->second + (size_t)worker * width};
    for (size_t i = 0; i < LINES; i++) s.lines[i] = c->scratch + ((size_t)worker * LINES + i) * 2 * width;
    for (int y = begin; y < end; y++) {
        rn_taps taps = rn_taps_at(c->height - 1 - y, c->height, c->relief.ny), scaled = taps;
        for (int field = 0; field < FIELDS; field++)
            rn_resample_line(c->rows[field], taps.cell, taps.share, c->width, s.lines[field]);
        for (int k = 0; k < 4; k++) scaled.slope[k] *= c->per_pixel;
        for (int field = 0; field < SLOPED; field++)
            rn_resample_line(c->rows[field], taps.cell, scaled.slope, c->width, s.lines[GROUND_NORTH + field]);
        shade_line(&s, &taps, y, c->pixels + 3 * (size_t)y * width);
    }
}

/* A task over rows of cells: resamples all fields along x, to one value for each pixel, into c->rows. */
static void widen_rows(void *context, int begin, int end, int worker) {
    const canvas *c = context;
    const rn_relief *r = &c->relief;
    const float *planes[FIELDS] = {r->ground, r->depth, r->middle, r->cliff,  r->hole, r->colour, r->stain,
                                   r->east,   r->north, r->film_x, r->film_y, r->sun,  r->sky};
    (void)worker;
    for (int y = begin; y < end; y++)
        for (int field = 0; field < FIELDS; field++)
            rn_resample_row(planes[field] + (size_t)y * (size_t)r->nx, c->taps, c->width,
                            c->rows[field] + (size_t)y * (size_t)c->width);
}

/* Sets c->columns, as they would be without bodies, c->bodies, and c->overhead, the bodies seen from above, unless
   there are none. On failure returns a code, with a message; the caller frees what there is. */
static rn_result take_bodies(canvas *c, const rn_world *world) {
    const rn_world_info info = rn_world_describe(world);
    rn_surface_area changed;
    rn_result result = rn_drawn_update(&c->columns, world, NULL, &changed);
    if (result == RN_OK) result = rn_body_mesh_update(&c->bodies, world, NULL);
    if (result != RN_OK || c->bodies.mesh.triangle_count == 0) return result;
    c->overhead = (rn_overhead){.width = c->width * BODY_SAMPLES,
                                .height = c->height * BODY_SAMPLES,
                                .left = info.origin_x,
                                .below = info.origin_y,
                                .step = info.cell_size * info.cells_x / (c->width * BODY_SAMPLES)};
    return rn_overhead_take(&c->bodies.mesh, &c->overhead);
}

/* Takes and lights the visible surface, allocates memory, and chooses all parameters of the picture, whose size is set.
   On failure returns a code, with a message; the caller frees what there is. */
static rn_result prepare_canvas(canvas *c, const rn_world *world, const rn_top_view_def *def, rn_pool *pool) {
    rn_world_info info = rn_world_describe(world);
    const rn_surface_columns *columns = &c->columns.columns;
    rn_result result = take_bodies(c, world);
    if (result == RN_OK) result = rn_relief_take(world, columns, c->width, c->height, pool, &c->relief);
    if (result == RN_OK) result = rn_relief_light(&c->relief, columns, &c->bodies.mesh, pool);
    if (result != RN_OK) return result;
    size_t width = (size_t)c->width, rows = (size_t)c->relief.ny, workers = (size_t)rn_pool_size(pool);
    c->taps = rn_alloc(NULL, width, sizeof *c->taps);
    c->rows[0] = rn_alloc(NULL, (rows * FIELDS + 2 * workers * LINES) * width, sizeof(float));
    c->second = rn_alloc(NULL, workers * width, sizeof *c->second);
    if (!c->taps || !c->rows[0] || !c->second) return RN_MEMORY;
    for (size_t field = 1; field < FIELDS; field++) c->rows[field] = c->rows[0] + field * rows * width;
    c->scratch = c->rows[0] + FIELDS * rows * width;
    for (int x = 0; x < c->width; x++) c->taps[x] = rn_taps_at(x, c->width, c->relief.nx);

    const rn_vec3 ground = rn_material_colour(def->material, def->ground);
    c->ground[0] = (float)ground.x;
    c->ground[1] = (float)ground.y;
    c->ground[2] = (float)ground.z;
    c->per_pixel = (float)c->relief.nx / (float)c->width;
    c->metres = (float)(info.cell_size * info.cells_x / c->width);
    c->west = info.origin_x;
    c->north = info.origin_y + info.cell_size * info.cells_y;
    c->pixel[0] = info.cell_size * info.cells_x / c->width;
    c->pixel[1] = info.cell_size * info.cells_y / c->height;
    c->drape = rn_drape_of(def->texture);
    c->bevel = fmaxf(1.0f, (float)c->width / 400);
    c->steepening = choose_steepening(&c->relief);
    const rn_liquid liquid = rn_world_liquid(world);
    double full_depth = def->full_depth > 0 ? def->full_depth : fmax(2 * c->relief.typical, 1e-6);
    c->thin = (float)fmax(0.06 * full_depth, c->relief.thinnest);
    rn_optics_prepare(&liquid, full_depth, c->relief.deepest, &c->optics);
    fill_srgb(c->srgb);
    return RN_OK;
}

/* Draws the picture, and tiles and labels if the definition asks for them, into c->pixels, with threads of its own. On
   failure returns a code, with a message, and the pixels are not complete. */
static rn_result draw_picture(canvas *c, const rn_world *world, const rn_top_view_def *def) {
    rn_pool *pool = rn_pool_create(NULL, def->threads);
    if (!pool) return RN_MEMORY;
    rn_result result = prepare_canvas(c, world, def, pool);
    if (result == RN_OK) {
        rn_parallel_for(pool, c->relief.ny, widen_rows, c);
        rn_parallel_for(pool, c->height, paint_lines, c);
    }
    rn_pool_destroy(pool);
    rn_picture picture = {c->pixels, c->width, c->height};
    const rn_tiles tiles = rn_world_tiles(world);
    if (result == RN_OK && def->tiles && tiles.levels) rn_label_tiles(&picture, &tiles, c->relief.nx, c->relief.ny);
    if (result != RN_OK || def->plain) return result;
    rn_label_scale(&picture, c->metres);
    rn_label_time(&picture, rn_world_get_stats(world).time);
    return RN_OK;
}

rn_result rn_top_view(const rn_world *world, const rn_top_view_def *def, uint8_t *pixels) {
    int width = picture_width(def);
    if (width < LEAST_WIDTH || width > MOST_WIDTH)
        return rn_fail(RN_INVALID, "a picture %d pixels wide was asked for; it must be from %d to %d", width,
                       LEAST_WIDTH, MOST_WIDTH);
    canvas *c = rn_alloc(NULL, 1, sizeof *c);
    if (!c) return RN_MEMORY;
    c->width = width;
    c->height = rn_top_view_height(world, def);
    c->pixels = pixels;
    rn_result result = draw_picture(c, world, def);
    rn_free(NULL, c->rows[0]);
    rn_free(NULL, c->taps);
    rn_free(NULL, c->second);
    rn_relief_free(&c->relief);
    rn_overhead_free(&c->overhead);
    rn_body_mesh_free(&c->bodies, NULL);
    rn_drawn_free(&c->columns, NULL);
    rn_free(NULL, c);
    return result;
}
