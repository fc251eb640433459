/* Small meshes, and the files that tests make of them. */
#ifndef MESH_FILES_H
#define MESH_FILES_H

#include "scratch.h"

#include <runnel/io.h>

/* A brick from the origin to (1, 2, 3), seen counter-clockwise from outside. */
enum { BRICK_VERTICES = 8, BRICK_TRIANGLES = 12 };
static const float brick_positions[3 * BRICK_VERTICES] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0,
                                                          0, 0, 3, 1, 0, 3, 0, 2, 3, 1, 2, 3};
static const uint32_t brick_indices[3 * BRICK_TRIANGLES] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                                            2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

/* Above 0 if triangles are seen counter-clockwise from outside. */
static inline double signed_volume(const rn_mesh_file *mesh) {
    double volume = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i += 3) {
        const float *a = mesh->positions + 3 * (size_t)mesh->indices[i],
                    *b = mesh->positions + 3 * (size_t)mesh->indices[i + 1],
                    *c = mesh->positions + 3 * (size_t)mesh->indices[i + 2];
        volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    return volume;
}

static inline void write_bytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(in_folder(name), "wb");
    if (!file || fwrite(bytes, 1, size, file) != size) abort();
    fclose(file);
}

static inline void write_text(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

static inline const float *brick_corner(size_t index) { return brick_positions + 3 * (size_t)brick_indices[index]; }

/* All but the last `less` triangles. */
static inline void write_stl_text(const char *name, int less) {
    FILE *file = fopen(in_folder(name), "wb");
    if (!file) abort();
    fprintf(file, "solid brick\n");
    for (size_t i = 0; i < 3 * (size_t)(BRICK_TRIANGLES - less); i++) {
        const float *v = brick_corner(i);
        if (i % 3 == 0) fprintf(file, "facet normal 0 0 0\nouter loop\n");
        fprintf(file, "vertex %g %g %g\n", (double)v[0], (double)v[1], (double)v[2]);
        if (i % 3 == 2) fprintf(file, "endloop\nendfacet\n");
    }
    fprintf(file, "endsolid brick\n");
    fclose(file);
}

enum { STL_BYTES = 84 + 50 * BRICK_TRIANGLES };

static inline void write_stl_binary(const char *name, size_t bytes) {
    static uint8_t all[STL_BYTES];
    const uint32_t count = BRICK_TRIANGLES;
    memcpy(all + 80, &count, 4);
    for (size_t i = 0; i < BRICK_TRIANGLES; i++)
        for (size_t corner = 0; corner < 3; corner++)
            memcpy(all + 84 + 50 * i + 12 + 12 * corner, brick_corner(3 * i + corner), 12);
    write_bytes(name, all, bytes);
}

/* The brick as glTF's binary form, with the given list of nodes, of which the first is the root. */
static inline void write_glb(const char *name, const char *nodes) {
    const uint32_t places = sizeof brick_positions, bytes = places + sizeof brick_indices;
    const size_t room = strlen(nodes) + 1024;
    char *json = malloc(room);
    if (!json) abort();
    int length = snprintf(json, room,
                          "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], "
                          "\"nodes\": %s, \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "
                          "\"indices\": 1}]}], \"buffers\": [{\"byteLength\": %u}], \"bufferViews\": ["
                          "{\"buffer\": 0, \"byteLength\": %u}, {\"buffer\": 0, \"byteOffset\": %u, \"byteLength\": "
                          "%u}], \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": %d, \"type\": "
                          "\"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 2, 3]}, {\"bufferView\": 1, \"componentType\": "
                          "5125, \"count\": %d, \"type\": \"SCALAR\"}]}",
                          nodes, bytes, places, places, bytes - places, BRICK_VERTICES, 3 * BRICK_TRIANGLES);
    while (length % 4) json[length++] = ' ';
    const uint32_t head[] = {0x46546c67, 2, 12 + 8 + (uint32_t)length + 8 + bytes, (uint32_t)length, 0x4e4f534a},
                   tail[] = {bytes, 0x004e4942};
    FILE *file = fopen(in_folder(name), "wb");
    if (!file) abort();
    fwrite(head, sizeof head, 1, file);
    fwrite(json, 1, (size_t)length, file);
    fwrite(tail, sizeof tail, 1, file);
    fwrite(brick_positions, sizeof brick_positions, 1, file);
    fwrite(brick_indices, sizeof brick_indices, 1, file);
    fclose(file);
    free(json);
}

#endif
