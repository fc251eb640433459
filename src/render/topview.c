#include "base/error.h"
#include "base/memory.h"
#include "render/labels.h"
#include "render/optics.h"
#include "render/relief.h"
#include "render/resample.h"

#include <math.h>
#include <runnel/render.h>

enum { DEFAULT_WIDTH = 800, LEAST_WIDTH = 16, MOST_WIDTH = 16384, MOST_HEIGHT = 16384, SRGB_STEPS = 4096 };

/* Light: a warm sun and a cool sky, so bright together that flat open ground has its own colour. */
static const float sun_light[3] = {0.69f, 0.635f, 0.56f}, sky_light[3] = {0.35f, 0.385f, 0.43f};
static const float lamp_light[3] = {1.06f, 1.0f, 0.92f};
static const float warm_grey[3] = {0.58f, 0.54f, 0.48f};

/* The fields that a picture is made of, resampled one line at a time, and what is worked out from them. */
enum { GROUND, LEVEL, DEPTH, COLOUR, STAIN, EAST, NORTH, MIDDLE, STEP, HOLE, SUN, SKY, FIELDS };
enum { SLOPED = DEPTH + 1 }; /* of the first three the slopes are needed too, per pixel */
enum {
    GROUND_NORTH = FIELDS,
    LEVEL_NORTH,
    DEPTH_NORTH,
    GROUND_EAST,
    LEVEL_EAST,
    DEPTH_EAST,
    SLOPE_X,
    SLOPE_Y,
    CLIFF,
    GROUND_SUN,
    GROUND_SKY,
    COVER,
    FILM_X,
    FILM_Y,
    FILM_SUN,
    FILM_SKY,
    LINES,
};

typedef struct canvas {
    int width, height;
    rn_relief relief;
    rn_taps *taps;       /* one per column of pixels */
    float *rows[FIELDS]; /* relief.ny rows of `width` */
    float *scratch;      /* LINES lines of `width` for each worker */
    float ground[3];
    float steepening; /* relief is exaggerated so far that even gentle ground can be read */
    float per_pixel;  /* cells */
    float metres;     /* of a pixel */
    float bevel;      /* pixels: half the width of the edge of a cliff */
    rn_optics optics;
    uint8_t srgb[SRGB_STEPS + 1];
    uint8_t *pixels;
} canvas;

/* One line of the picture, as one worker makes it. */
typedef struct stripe {
    const canvas *canvas;
    float *lines[LINES]; /* of `width` */
} stripe;

static int picture_width(const rn_top_view_def *def) { return def->width ? def->width : DEFAULT_WIDTH; }

int rn_top_view_height(const rn_world *world, const rn_top_view_def *def) {
    rn_world_info info = rn_world_describe(world);
    double height = rint((double)picture_width(def) * info.cells_y / info.cells_x);
    return height < 1 ? 1 : height > MOST_HEIGHT ? MOST_HEIGHT : (int)height;
}

static float smooth(float low, float high, float x) {
    float t = fminf(fmaxf((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

static void fill_srgb(uint8_t *table) {
    for (int i = 0; i <= SRGB_STEPS; i++) {
        double linear = (double)i / SRGB_STEPS;
        double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
        table[i] = (uint8_t)(255 * encoded + 0.5);
    }
}

/* A factor on slopes that makes the middling one about a fifth, within reason. Walls do not count. */
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

static float clamp_unit(float x) { return fminf(fmaxf(x, 0), 1); }

static void slope_along_line(const float *line, int width, float *slope) {
    for (int x = 1; x + 1 < width; x++) slope[x] = 0.5f * (line[x + 1] - line[x - 1]);
    slope[0] = line[1] - line[0];
    slope[width - 1] = line[width - 1] - line[width - 2];
}

/* The slope by which ground is lit. A cliff is a jump between two surfaces and not a steep band as wide as a cell,
   so each surface keeps its own slope up to the edge, and the edge itself is a thin bevel. */
static void find_ground_slope(const stripe *s, float *restrict out_x, float *restrict out_y,
                              float *restrict out_cliff) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    const float *ground = line[GROUND], *middle = line[MIDDLE], *step = line[STEP];
    const float *east = line[EAST], *north = line[NORTH];
    const float *wall_x = line[GROUND_EAST], *wall_y = line[GROUND_NORTH];
    const float steepening = c->steepening, per_bevel = 1 / c->bevel, per_cell = (float)(1 / c->relief.cell);
    const int width = c->width;
    for (int x = 0; x < width; x++) {
        float sx = steepening * east[x], sy = steepening * north[x];
        float limit = 1 / sqrtf(1 + (sx * sx + sy * sy) * 0.4f); /* walls would swamp everything else */
        float per_steep = 1 / (sqrtf(wall_x[x] * wall_x[x] + wall_y[x] * wall_y[x]) + 1e-12f);
        float away = fabsf(ground[x] - middle[x]) * per_steep; /* pixels from the middle of the wall */
        float cliff = clamp_unit(step[x] * per_cell - 1.3f);
        float bevel = cliff * fmaxf(1 - away * per_bevel, 0) * per_steep;
        out_cliff[x] = cliff;
        out_x[x] = sx * limit + bevel * wall_x[x];
        out_y[x] = sy * limit + bevel * wall_y[x];
    }
}

/* How much of a pixel is wet, and the slope of the liquid there. Surface tension rounds the edge over about a cell. */
static void find_film(const stripe *s, float *restrict out_x, float *restrict out_y, float *restrict cover) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    const float *depth = line[DEPTH], *fall_x = line[DEPTH_EAST], *fall_y = line[DEPTH_NORTH], *cliff = line[CLIFF];
    const float *level_x = line[LEVEL_EAST], *level_y = line[LEVEL_NORTH];
    const float k = fminf(c->steepening, 2.5f) / c->metres, per_edge = c->per_pixel / 1.2f;
    const int width = c->width;
    for (int x = 0; x < width; x++) {
        float per_steep = 1 / (sqrtf(fall_x[x] * fall_x[x] + fall_y[x] * fall_y[x]) + 1e-12f);
        float inside = depth[x] * per_steep; /* pixels from the outline */
        float to_edge = clamp_unit(1 - inside * per_edge), bulge = 0.7f * to_edge * to_edge * per_steep;
        float flat = k * (1 - cliff[x]), sx = flat * level_x[x], sy = flat * level_y[x];
        float limit = 1 / sqrtf(1 + (sx * sx + sy * sy) * 1.2f);
        cover[x] = clamp_unit(inside + 0.5f);
        out_x[x] = sx * limit + bulge * fall_x[x];
        out_y[x] = sy * limit + bulge * fall_y[x];
    }
}

/* Light on a surface of the given slopes: both together are 1 where it is flat and open. */
static void find_light(const stripe *s, const float *slope_x, const float *slope_y, float *sun, float *sky) {
    float *const *line = s->lines;
    for (int x = 0; x < s->canvas->width; x++) {
        float scale = 1 / sqrtf(1 + slope_x[x] * slope_x[x] + slope_y[x] * slope_y[x]);
        float facing = RN_SUN_TAN - slope_x[x] * RN_SUN_X - slope_y[x] * RN_SUN_Y;
        sun[x] = fmaxf(facing, 0) * scale * (1 / RN_SUN_TAN) * line[SUN][x];
        sky[x] = line[SKY][x] * (0.4f + 0.6f * scale);
    }
}

/* Light through a window with four panes, high in the north-west, from direction r. */
static float window_light(float x, float y, float z) {
    float across = 0.707f * x + 0.707f * y, up = -0.672f * x + 0.672f * y - 0.311f * z;
    float side = fabsf(across), height = fabsf(up);
    if (side > 0.09f || height > 0.12f || z < 0) return 0;
    float frame = smooth(0.002f, 0.010f, side) * smooth(0.002f, 0.010f, height);
    return smooth(0.09f, 0.07f, side) * smooth(0.12f, 0.10f, height) * (0.35f + 0.65f * frame);
}

/* What the surface mirrors: a pale ceiling and the window. The eye is above the middle of the picture and not
   infinitely far, so that a still pool has a sheen too. */
static float mirrored_light(const stripe *s, int x, int y) {
    const canvas *c = s->canvas;
    float slope_x = s->lines[FILM_X][x], slope_y = s->lines[FILM_Y][x];
    float vx = (0.5f * (float)c->width - (float)x) / (float)c->width;
    float vy = ((float)y - 0.5f * (float)c->height) / (float)c->width, vz = 1.1f;
    float v = 1 / sqrtf(vx * vx + vy * vy + vz * vz), n = 1 / sqrtf(1 + slope_x * slope_x + slope_y * slope_y);
    float nx = -slope_x * n, ny = -slope_y * n;
    float facing = fmaxf((vx * nx + vy * ny + vz * n) * v, 0), away = 1 - facing, away2 = away * away;
    float rx = 2 * facing * nx - vx * v, ry = 2 * facing * ny - vy * v, rz = 2 * facing * n - vz * v;
    float mirror = c->optics.mirror + (1 - c->optics.mirror) * away2 * away2 * away;
    float ceiling = 0.35f + 0.55f * fmaxf(-0.6f * rx + 0.6f * ry, 0);
    return mirror * (ceiling + 9.0f * window_light(rx, ry, rz));
}

/* The colour of a layer over the ground, lit from above if it is opaque, from below where it is clear. */
static float layer_colour(const rn_layer *layer, int i, float ground, float ground_light, float light) {
    float through = layer->through[i], self = layer->self[i];
    return (self + through * ground) / (1 - self * ground) * (light + through * (ground_light - light));
}

static void shade_pixel(const stripe *s, int x, int y, uint8_t *pixel) {
    const canvas *c = s->canvas;
    float *const *line = s->lines;
    float colour[3], light[3];
    for (int i = 0; i < 3; i++) {
        light[i] = sun_light[i] * line[GROUND_SUN][x] + sky_light[i] * line[GROUND_SKY][x];
        colour[i] = c->ground[i] * light[i];
    }
    if (line[STAIN][x] > 0) {
        const rn_layer *stain = rn_optics_layer(&c->optics, sqrtf(0.4f * line[STAIN][x]));
        for (int i = 0; i < 3; i++) colour[i] = layer_colour(stain, i, c->ground[i], light[i], light[i]);
    }
    float cover = line[COVER][x];
    if (cover > 0) {
        const rn_layer *layer = rn_optics_layer(&c->optics, sqrtf(fmaxf(line[COLOUR][x], 0)));
        float glint = mirrored_light(s, x, y) * (0.25f + 0.75f * line[SUN][x]);
        for (int i = 0; i < 3; i++) {
            float above = sun_light[i] * line[FILM_SUN][x] + sky_light[i] * line[FILM_SKY][x];
            float wet = c->optics.metal ? 0.02f : layer_colour(layer, i, c->ground[i], light[i], above);
            colour[i] += cover * (wet + glint * lamp_light[i] - colour[i]);
        }
    }
    float dark = line[HOLE][x] > 0 ? smooth(0.42f, 0.58f, line[HOLE][x]) : 0;
    for (int i = 0; i < 3; i++) {
        float shown = clamp_unit(colour[i] + dark * (0.012f - colour[i]));
        pixel[i] = c->srgb[(int)(shown * SRGB_STEPS + 0.5f)];
    }
}

static void shade_line(const stripe *s, int y, uint8_t *pixels) {
    float *const *line = s->lines;
    int width = s->canvas->width;
    for (int field = 0; field < SLOPED; field++) slope_along_line(line[field], width, line[GROUND_EAST + field]);
    find_ground_slope(s, line[SLOPE_X], line[SLOPE_Y], line[CLIFF]);
    find_light(s, line[SLOPE_X], line[SLOPE_Y], line[GROUND_SUN], line[GROUND_SKY]);
    if (s->canvas->relief.typical > 0) {
        find_film(s, line[FILM_X], line[FILM_Y], line[COVER]);
        find_light(s, line[FILM_X], line[FILM_Y], line[FILM_SUN], line[FILM_SKY]);
    }
    for (int x = 0; x < width; x++) shade_pixel(s, x, y, pixels + 3 * x);
}

/* Lines run from the north down, rows of cells from the south up. */
static void paint(void *context, int begin, int end, int worker) {
    const canvas *c = context;
    stripe s = {.canvas = c};
    for (size_t i = 0; i < LINES; i++) s.lines[i] = c->scratch + ((size_t)worker * LINES + i) * (size_t)c->width;
    for (int y = begin; y < end; y++) {
        rn_taps taps = rn_taps_at(c->height - 1 - y, c->height, c->relief.ny);
        for (int field = 0; field < FIELDS; field++)
            rn_resample_line(c->rows[field], taps.cell, taps.share, c->width, s.lines[field]);
        for (int k = 0; k < 4; k++) taps.slope[k] *= c->per_pixel;
        for (int field = 0; field < SLOPED; field++)
            rn_resample_line(c->rows[field], taps.cell, taps.slope, c->width, s.lines[GROUND_NORTH + field]);
        shade_line(&s, y, c->pixels + 3 * (size_t)y * (size_t)c->width);
    }
}

static void widen_rows(void *context, int begin, int end, int worker) {
    const canvas *c = context;
    const rn_relief *r = &c->relief;
    const float *planes[FIELDS] = {r->ground, r->level,  r->depth, r->colour, r->stain, r->east,
                                   r->north,  r->middle, r->step,  r->hole,   r->sun,   r->sky};
    (void)worker;
    for (int y = begin; y < end; y++)
        for (int field = 0; field < FIELDS; field++)
            rn_resample_row(planes[field] + (size_t)y * (size_t)r->nx, c->taps, c->width,
                            c->rows[field] + (size_t)y * (size_t)c->width);
}

static rn_result prepare(canvas *c, const rn_world *world, const rn_top_view_def *def, rn_pool *pool) {
    rn_world_info info = rn_world_describe(world);
    rn_result result = rn_relief_take(world, c->width, c->height, pool, &c->relief);
    if (result != RN_OK) return result;
    size_t width = (size_t)c->width, rows = (size_t)c->relief.ny, workers = (size_t)rn_pool_size(pool);
    c->taps = rn_alloc(NULL, width, sizeof *c->taps);
    c->rows[0] = rn_alloc(NULL, (rows * FIELDS + workers * LINES) * width, sizeof(float));
    if (!c->taps || !c->rows[0]) return RN_MEMORY;
    for (size_t field = 1; field < FIELDS; field++) c->rows[field] = c->rows[0] + field * rows * width;
    c->scratch = c->rows[0] + FIELDS * rows * width;
    for (int x = 0; x < c->width; x++) c->taps[x] = rn_taps_at(x, c->width, c->relief.nx);

    const double given[3] = {def->ground.x, def->ground.y, def->ground.z};
    bool own = given[0] > 0 || given[1] > 0 || given[2] > 0;
    for (int i = 0; i < 3; i++) c->ground[i] = own ? (float)given[i] : warm_grey[i];
    c->per_pixel = (float)c->relief.nx / (float)c->width;
    c->metres = (float)(info.cell_size * info.cells_x / c->width);
    c->bevel = fmaxf(1.0f, (float)c->width / 400);
    c->steepening = choose_steepening(&c->relief);
    const rn_liquid liquid = rn_world_liquid(world);
    double full_depth = def->full_depth > 0 ? def->full_depth : fmax(2 * c->relief.typical, 1e-6);
    rn_optics_prepare(&liquid, full_depth, c->relief.deepest, &c->optics);
    fill_srgb(c->srgb);
    return RN_OK;
}

static rn_result draw(canvas *c, const rn_world *world, const rn_top_view_def *def) {
    rn_pool *pool = rn_pool_create(NULL, def->threads);
    if (!pool) return RN_MEMORY;
    rn_result result = prepare(c, world, def, pool);
    if (result == RN_OK) {
        rn_parallel_for(pool, c->relief.ny, widen_rows, c);
        rn_parallel_for(pool, c->height, paint, c);
    }
    rn_pool_destroy(pool);
    if (result != RN_OK || def->plain) return result;
    rn_picture picture = {c->pixels, c->width, c->height};
    rn_label_scale(&picture, c->metres);
    rn_label_time(&picture, rn_world_progress(world).time);
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
    rn_result result = draw(c, world, def);
    rn_free(NULL, c->rows[0]);
    rn_free(NULL, c->taps);
    rn_relief_free(&c->relief);
    rn_free(NULL, c);
    return result;
}
