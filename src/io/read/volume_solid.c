/* Creates the surface of the solid in a volume, from reduced samples (volume_solid.h). Failures leave the reason, with
   the path, in rn_last_error(). */
#include "io/read/volume_solid.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "io/read/mesh_import.h"
#include "terrain/isosurface.h"

#include <math.h>
#include <string.h>

/* ---- The surface ------------------------------------------------------------------------------------------------- */

/* Adds the surface where the samples are 0 to `surface`, which must be empty, in the file's unit. Returns RN_LIMIT if
   there are too many triangles, or RN_MEMORY if memory runs out. The caller frees the surface, also after a failure. */
static rn_result find_surface(const char *path, const rn_volume_header *head, const float *samples,
                              rn_triangles *surface) {
    rn_samples s = {.values = samples};
    memcpy(s.cells, head->cells, sizeof s.cells);
    memcpy(s.transform, head->transform, sizeof s.transform);
    rn_result result = rn_isosurface(&s, RN_MOST_TRIANGLES, surface);
    if (result == RN_LIMIT)
        return rn_fail(RN_LIMIT, "%s: its surface has more than %d triangles; choose a larger spacing", path,
                       RN_MOST_TRIANGLES);
    return result;
}

/* Returns the volume between a triangle (`corners`: three indices) and the first vertex of the surface, in the file's
   unit cubed; negative if the triangle's outer side faces that vertex. Their sum is the volume that a closed surface
   encloses. */
static double signed_cone_volume(const rn_triangles *surface, const uint32_t *corners) {
    double p[3][3];
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++)
            p[k][i] = (double)surface->positions[3 * (size_t)corners[k] + i] - (double)surface->positions[i];
    return (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
            p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
           6;
}

/* Returns the volume that a closed surface encloses, in the file's unit cubed, or 0 if it is empty. */
static double volume_within(const rn_triangles *surface) {
    double volume = 0;
    for (size_t t = 0; t < surface->triangle_count; t++)
        volume += signed_cone_volume(surface, surface->indices + 3 * t);
    return volume;
}

/* ---- Smoothing of labels ----------------------------------------------------------------------------------------- */

enum { REACH = 4 /* samples */, ROUNDS = 6 };

typedef struct kernel {
    float weights[REACH + 1]; /* from the centre on */
} kernel;

/* Returns the weights of a Gaussian of this standard deviation (samples, more than 0), cut off at REACH, with the sum
   1. */
static kernel gaussian(double width) {
    kernel k;
    double sum = 0;
    for (int i = -REACH; i <= REACH; i++) sum += exp(-0.5 * (i / width) * (i / width));
    for (int i = 0; i <= REACH; i++) k.weights[i] = (float)(exp(-0.5 * (i / width) * (i / width)) / sum);
    return k;
}

/* Smooths `count` samples in place that are `stride` apart; beyond the ends the last sample is repeated. `row` has room
   for them and REACH more on either side. */
static void smooth_row(const kernel *k, float *samples, int count, size_t stride, float *row) {
    for (int i = 0; i < count; i++) row[REACH + i] = samples[(size_t)i * stride];
    for (int i = 0; i < REACH; i++) {
        row[i] = row[REACH];
        row[REACH + count + i] = row[REACH + count - 1];
    }
    for (int i = 0; i < count; i++) {
        const float *at = row + REACH + i;
        float sum = k->weights[0] * at[0];
        for (int j = 1; j <= REACH; j++) sum += k->weights[j] * (at[-j] + at[j]);
        samples[(size_t)i * stride] = sum;
    }
}

/* Smooths all samples in place along each axis, with a Gaussian of this standard deviation (samples, more than 0).
   Returns RN_MEMORY if memory runs out; then nothing has changed. */
static rn_result smooth_samples(const int cells[3], double width, float *samples) {
    const kernel k = gaussian(width);
    const size_t strides[3] = {1, (size_t)cells[0], (size_t)cells[0] * (size_t)cells[1]};
    int longest = cells[0] > cells[1] ? cells[0] : cells[1];
    if (cells[2] > longest) longest = cells[2];
    float *row = rn_alloc(NULL, (size_t)longest + 2 * REACH, sizeof *row);
    if (!row) return RN_MEMORY;
    for (int axis = 0; axis < 3; axis++) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int j = 0; j < cells[v]; j++)
            for (int i = 0; i < cells[u]; i++)
                smooth_row(&k, samples + strides[u] * (size_t)i + strides[v] * (size_t)j, cells[axis], strides[axis],
                           row);
    }
    rn_free(NULL, row);
    return RN_OK;
}

/* Adds a number to all samples. */
static void shift_samples(const rn_volume_header *head, double by, float *samples) {
    const size_t count = (size_t)head->cells[0] * (size_t)head->cells[1] * (size_t)head->cells[2];
    for (size_t i = 0; i < count; i++) samples[i] += (float)by;
}

/* Turns the labelled share of each sample (0 to 1) into a field, 0.5 minus the share, that is solid where 0 or less.
   Returns the labelled volume, in the file's unit cubed. */
static double labels_to_field(const rn_volume_header *head, float *samples) {
    const size_t count = (size_t)head->cells[0] * (size_t)head->cells[1] * (size_t)head->cells[2];
    double labelled = 0;
    for (size_t i = 0; i < count; i++) {
        labelled += (double)samples[i];
        samples[i] = 0.5f - samples[i];
    }
    return labelled * fabs(rn_determinant(head->transform));
}

/* Finds the surface of labels, into `surface`, which must be empty, after smoothing by `width` (samples; 0: none).
   Smoothing shrinks small or thin parts and fills narrow gaps, so the level of a smoothed surface is shifted, in up to
   6 secant steps and by at most 0.4, to enclose the labelled volume to 0.1 %. Overwrites the samples. On failure
   returns RN_MEMORY or the result of find_surface. */
static rn_result find_labelled_surface(const char *path, const rn_volume_header *head, double width, float *samples,
                                       rn_triangles *surface) {
    const double wanted = labels_to_field(head, samples);
    rn_result result = width > 0 ? smooth_samples(head->cells, width, samples) : RN_OK;
    if (result == RN_OK) result = find_surface(path, head, samples, surface);
    double level = 0, wrong = volume_within(surface) - wanted, step = wrong > 0 ? 0.03 : -0.03;
    for (int round = 0; round < ROUNDS && result == RN_OK && width > 0 && fabs(wrong) > 1e-3 * wanted; round++) {
        step = rn_clamp(level + step, -0.4, 0.4) - level;
        level += step;
        shift_samples(head, step, samples);
        surface->vertex_count = surface->triangle_count = 0;
        result = find_surface(path, head, samples, surface);
        const double now = volume_within(surface) - wanted;
        step *= now != wrong ? now / (wrong - now) : 1;
        wrong = now;
    }
    return result;
}

/* ---- Dropping small parts ---------------------------------------------------------------------------------------- */

/* Returns the vertex that represents the part of vertex v in the union-find forest `parents`, whose paths it
   shortens. */
static uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

/* Finds the volume of each connected part (file's unit cubed), added at its representative vertex; negative for
   cavities. Fills `parents`; `volumes` must be 0 at first. Both have an entry per vertex. */
static void measure_parts(const rn_triangles *surface, uint32_t *parents, double *volumes) {
    for (uint32_t v = 0; v < surface->vertex_count; v++) parents[v] = v;
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *corners = surface->indices + 3 * t;
        const uint32_t root = root_of(parents, corners[0]);
        parents[root_of(parents, corners[1])] = root;
        parents[root_of(parents, corners[2])] = root;
    }
    for (size_t t = 0; t < surface->triangle_count; t++)
        volumes[root_of(parents, surface->indices[3 * t])] += signed_cone_volume(surface, surface->indices + 3 * t);
}

/* Removes parts and cavities whose volume is smaller than `least` from the surface, and keeps the order of the rest.
   `parents` and `volumes` are those of measure_parts; `places`, the new index of each vertex, has room for every
   vertex. */
static void keep_large(rn_triangles *surface, double least, uint32_t *parents, const double *volumes,
                       uint32_t *places) {
    size_t vertices = 0, triangles = 0;
    for (uint32_t v = 0; v < surface->vertex_count; v++) {
        if (fabs(volumes[root_of(parents, v)]) < least) continue;
        memmove(surface->positions + 3 * vertices, surface->positions + 3 * (size_t)v, 3 * sizeof *surface->positions);
        places[v] = (uint32_t)vertices++;
    }
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *corners = surface->indices + 3 * t;
        if (fabs(volumes[root_of(parents, corners[0])]) < least) continue;
        for (size_t k = 0; k < 3; k++) surface->indices[3 * triangles + k] = places[corners[k]];
        triangles++;
    }
    surface->vertex_count = vertices;
    surface->triangle_count = triangles;
}

/* Drops parts and cavities smaller than `least`, in the file's unit cubed; cubic_metre: that unit in m^3, for messages.
   Returns RN_INVALID if nothing would be left, or RN_MEMORY if memory runs out. The surface is then unchanged. */
static rn_result drop_small(const char *path, double least, double cubic_metre, rn_triangles *surface) {
    uint32_t *parents = rn_alloc(NULL, surface->vertex_count, sizeof *parents);
    uint32_t *places = rn_alloc(NULL, surface->vertex_count, sizeof *places);
    double *volumes = rn_alloc(NULL, surface->vertex_count, sizeof *volumes), most = 0;
    rn_result result = parents && places && volumes ? RN_OK : RN_MEMORY;
    if (result == RN_OK) {
        measure_parts(surface, parents, volumes);
        for (size_t v = 0; v < surface->vertex_count; v++) most = fmax(most, volumes[v]);
        if (most < least)
            result = rn_fail(RN_INVALID, "%s: its largest part has %g m^3, less than the %g that parts must have", path,
                             most * cubic_metre, least * cubic_metre);
        else keep_large(surface, least, parents, volumes, places);
    }
    rn_free(NULL, parents);
    rn_free(NULL, places);
    rn_free(NULL, volumes);
    return result;
}

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

/* Copies the surface into a mesh file of one part, which the caller frees with rn_mesh_file_free; it keeps the file's
   unit and up axis. Returns RN_MEMORY if memory runs out. */
static rn_result copy_to_mesh(const rn_volume_info *info, const rn_triangles *surface, rn_mesh_file *mesh) {
    const size_t corners = 3 * surface->vertex_count, ends = 3 * surface->triangle_count;
    float *positions = rn_alloc(NULL, corners + ends, sizeof *positions);
    if (!positions) return RN_MEMORY;
    uint32_t *indices = (uint32_t *)(positions + corners);
    memcpy(positions, surface->positions, corners * sizeof *positions);
    memcpy(indices, surface->indices, ends * sizeof *indices);
    *mesh = (rn_mesh_file){.positions = positions,
                           .indices = indices,
                           .vertex_count = (uint32_t)surface->vertex_count,
                           .triangle_count = (uint32_t)surface->triangle_count,
                           .parts = 1,
                           .unit = info->unit,
                           .up = info->up,
                           .memory = positions};
    memcpy(mesh->format, info->format, sizeof mesh->format);
    return RN_OK;
}

rn_result rn_volume_solid(const char *path, const rn_volume_def *def, const rn_volume_header *head, float *samples,
                          rn_mesh_file *mesh) {
    const double unit = def->unit > 0 ? def->unit : head->info.unit > 0 ? head->info.unit : 1;
    rn_triangles surface = {0};
    rn_result result = head->mask ? find_labelled_surface(path, head, def->smoothing, samples, &surface)
                                  : find_surface(path, head, samples, &surface);
    if (result == RN_OK && surface.triangle_count == 0)
        result = rn_fail(RN_INVALID, "%s: nothing solid is left of it after averaging and smoothing", path);
    if (result == RN_OK && def->least_part > 0)
        result = drop_small(path, def->least_part / (unit * unit * unit), unit * unit * unit, &surface);
    if (result == RN_OK) result = copy_to_mesh(&head->info, &surface, mesh);
    rn_free(NULL, surface.positions);
    rn_free(NULL, surface.indices);
    return result;
}
