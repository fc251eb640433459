/* Averages the texture over the ground (drape.h). */
#include "render/drape.h"

#include <math.h>

rn_drape rn_drape_of(const rn_texture *texture) {
    rn_drape drape = {.texture = texture && texture->pixels ? texture : NULL};
    for (int i = 0; i < 256; i++) {
        const double encoded = i / 255.0;
        drape.linear[i] = (float)(encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4));
    }
    return drape;
}

/* Widens a range of pixels around its middle to one pixel, if it is less. */
static void widen(double *from, double *to) {
    const double short_of = 0.5 * fmax(1 - (*to - *from), 0);
    *from -= short_of;
    *to += short_of;
}

/* The number of a pixel, moved inside 0 to count - 1. */
static int inside(double at, int count) { return (int)fmin(fmax(at, 0), count - 1); }

void rn_drape_over(const rn_drape *drape, const double low[2], const double high[2], float colour[3]) {
    const rn_texture *t = drape->texture;
    if (!t) return;
    const double across = t->width / (t->high.x - t->low.x), along = t->height / (t->high.y - t->low.y);
    double left = (low[0] - t->low.x) * across, right = (high[0] - t->low.x) * across;
    double top = (t->high.y - high[1]) * along, bottom = (t->high.y - low[1]) * along;
    double sum[4] = {0, 0, 0, 0}, area = 0;
    widen(&left, &right);
    widen(&top, &bottom);
    for (double y = floor(top); y < bottom; y++)
        for (double x = floor(left); x < right; x++) {
            const double share = (fmin(x + 1, right) - fmax(x, left)) * (fmin(y + 1, bottom) - fmax(y, top));
            const uint8_t *p =
                t->pixels + 4 * ((size_t)inside(y, t->height) * (size_t)t->width + (size_t)inside(x, t->width));
            for (int i = 0; i < 3; i++) sum[i] += share * p[3] * (double)drape->linear[p[i]];
            sum[3] += share * p[3];
            area += share;
        }
    const double opaque = sum[3] / (255 * area);
    for (int i = 0; i < 3 && sum[3] > 0; i++) colour[i] += (float)(opaque * (sum[i] / sum[3] - (double)colour[i]));
}
