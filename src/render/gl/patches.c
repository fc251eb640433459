/* Marks patches of a picture (patches.h). */
#include "render/gl/patches.h"

#include <math.h>
#include <string.h>

const rn_extent rn_extent_empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
const float rn_rect_none[4] = {1, 1, -1, -1};

void rn_extent_include(rn_extent *box, const float point[3]) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = fminf(box->low[k], point[k]);
        box->high[k] = fmaxf(box->high[k], point[k]);
    }
}

void rn_rect_include(const rn_matrix *to_clip, rn_vec3 p, float rect[4]) {
    const float *m = to_clip->m, at[3] = {(float)p.x, (float)p.y, (float)p.z};
    float clip[4];
    for (int i = 0; i < 4; i++) clip[i] = m[i] * at[0] + m[4 + i] * at[1] + m[8 + i] * at[2] + m[12 + i];
    for (int i = 0; i < 2; i++) {
        rect[i] = fminf(rect[i], clip[3] > 1e-6f ? fmaxf(clip[i] / clip[3], -1) : -1);
        rect[i + 2] = fmaxf(rect[i + 2], clip[3] > 1e-6f ? fminf(clip[i] / clip[3], 1) : 1);
    }
}

void rn_rect_include_extent(const rn_matrix *to_clip, const rn_extent *box, rn_vec3 by, float rect[4]) {
    for (int i = 0; i < 8 && box->low[0] <= box->high[0]; i++) {
        const rn_vec3 corner = {(double)(i & 1 ? box->high : box->low)[0], (double)(i & 2 ? box->high : box->low)[1],
                                (double)(i & 4 ? box->high : box->low)[2]};
        rn_rect_include(to_clip, rn_sum(corner, by), rect);
    }
}

/* The patch of a place (-1 to 1), of `count` along an axis. */
static int patch_at(float place, int count) {
    const int patch = (int)floorf((0.5f * place + 0.5f) * (float)count);
    return patch < 0 ? 0 : patch >= count ? count - 1 : patch;
}

void rn_patches_mark(rn_patches *patches, const float rect[4], float margin) {
    if (rect[0] > rect[2] || rect[1] > rect[3]) return;
    const int left = patch_at(rect[0] - margin, RN_PATCHES_X), right = patch_at(rect[2] + margin, RN_PATCHES_X);
    const int top = patch_at(rect[3] + margin, RN_PATCHES_Y);
    for (int y = patch_at(rect[1] - margin, RN_PATCHES_Y); y <= top; y++)
        memset(patches->marked[y] + left, true, (size_t)(right - left + 1));
}

void rn_patches_add(rn_patches *patches, const rn_patches *from) {
    for (int y = 0; y < RN_PATCHES_Y; y++)
        for (int x = 0; x < RN_PATCHES_X; x++) patches->marked[y][x] |= from->marked[y][x];
}

bool rn_patches_next(const rn_patches *patches, int *at, float rect[4]) {
    const int count = RN_PATCHES_X * RN_PATCHES_Y;
    while (*at < count && !patches->marked[*at / RN_PATCHES_X][*at % RN_PATCHES_X]) ++*at;
    if (*at >= count) return false;
    const int y = *at / RN_PATCHES_X, first = *at % RN_PATCHES_X;
    int x = first;
    while (x < RN_PATCHES_X && patches->marked[y][x]) x++;
    *at = y * RN_PATCHES_X + x;
    rect[0] = 2 * (float)first / RN_PATCHES_X - 1;
    rect[1] = 2 * (float)y / RN_PATCHES_Y - 1;
    rect[2] = 2 * (float)x / RN_PATCHES_X - 1;
    rect[3] = 2 * (float)(y + 1) / RN_PATCHES_Y - 1;
    return true;
}
