/* Pictures read from files, and how much two of them differ to the eye. */
#ifndef PICTURES_H
#define PICTURES_H

#include <math.h>
#include <spng.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* sRGB, rows from the top; NULL if it cannot be read or is of another size. */
static inline uint8_t *picture_read(const char *path, int width, int height) {
    const size_t bytes = (size_t)width * (size_t)height * 3;
    uint8_t *pixels = malloc(bytes);
    FILE *file = fopen(path, "rb");
    spng_ctx *png = spng_ctx_new(0);
    struct spng_ihdr header;
    bool good = pixels && file && png && spng_set_png_file(png, file) == 0 && spng_get_ihdr(png, &header) == 0 &&
                header.width == (uint32_t)width && header.height == (uint32_t)height &&
                spng_decode_image(png, pixels, bytes, SPNG_FMT_RGB8, 0) == 0;
    spng_ctx_free(png);
    if (file) fclose(file);
    if (good) return pixels;
    free(pixels);
    return NULL;
}

static inline double light_of(uint8_t byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* 0 to 1, linear. */
static inline double brightness(const uint8_t *p) {
    return 0.2126 * light_of(p[0]) + 0.7152 * light_of(p[1]) + 0.0722 * light_of(p[2]);
}

/* CIE L*a*b* of the mean light of 4 by 4 pixels: finer than that, machines may round differently. */
static inline void block_lab(const uint8_t *pixels, int width, int x, int y, double lab[3]) {
    double rgb[3] = {0, 0, 0}, f[3];
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 3; c++) rgb[c] += light_of(pixels[3 * ((y + i / 4) * width + x + i % 4) + c]) / 16;
    const double xyz[3] = {(0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505,
                           0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2],
                           (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089};
    for (int i = 0; i < 3; i++) f[i] = xyz[i] > 0.008856 ? cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116;
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

typedef struct difference {
    double mean, worst; /* CIE 1976 colour difference; about 2.3 can just be seen */
} difference;

static inline difference picture_difference(const uint8_t *a, const uint8_t *b, int width, int height) {
    difference d = {0, 0};
    int count = 0;
    for (int y = 0; y + 4 <= height; y += 4)
        for (int x = 0; x + 4 <= width; x += 4, count++) {
            double p[3], q[3];
            block_lab(a, width, x, y, p);
            block_lab(b, width, x, y, q);
            const double e =
                sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
            d.mean += e;
            d.worst = e > d.worst ? e : d.worst;
        }
    d.mean /= count > 0 ? count : 1;
    return d;
}

#endif
