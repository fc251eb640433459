/* Meshes as PLY and OBJ files. */
#include "base/error.h"
#include "io/whole_file.h"

#include <math.h>
#include <runnel/io.h>
#include <string.h>

static bool ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

static rn_result check(const char *path, const rn_mesh *mesh) {
    if (mesh->vertex_count > 0 && !mesh->positions)
        return rn_fail(RN_INVALID, "%s: the mesh has %u vertices but no positions", path, (unsigned)mesh->vertex_count);
    if (mesh->triangle_count > 0 && !mesh->indices)
        return rn_fail(RN_INVALID, "%s: the mesh has %u triangles but no indices", path,
                       (unsigned)mesh->triangle_count);
    if (mesh->vertex_count > INT32_MAX) /* readers take indices for signed */
        return rn_fail(RN_LIMIT, "%s: the mesh has %u vertices; a file can hold %d", path, (unsigned)mesh->vertex_count,
                       (int)INT32_MAX);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        if (mesh->indices[i] >= mesh->vertex_count)
            return rn_fail(RN_INVALID, "%s: triangle %zu has a corner %u; the mesh has %u vertices, counted from 0",
                           path, i / 3, (unsigned)mesh->indices[i], (unsigned)mesh->vertex_count);
    return RN_OK;
}

/* ---- PLY ------------------------------------------------------------------------------------------------------- */

/* Bytes on their way to a file. */
typedef struct out {
    FILE *stream;
    size_t used;
    unsigned char bytes[1 << 15];
} out;

static void flush(out *to) {
    fwrite(to->bytes, 1, to->used, to->stream); /* rn_whole_file_keep asks whether that went well */
    to->used = 0;
}

static void put_byte(out *to, unsigned byte) {
    if (to->used == sizeof to->bytes) flush(to);
    to->bytes[to->used++] = (unsigned char)byte;
}

static void put_word(out *to, uint32_t word) {
    for (int i = 0; i < 4; i++) put_byte(to, word >> (8 * i) & 0xff);
}

static void put_floats(out *to, const float *values, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_word(to, bits);
    }
}

/* Viewers expect bytes on the curve of sRGB. */
static unsigned srgb_byte(float linear) {
    const float c = fminf(fmaxf(linear, 0.0f), 1.0f);
    return (unsigned)lrintf(255.0f * (c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f));
}

static void write_ply(FILE *stream, const rn_mesh *mesh) {
    fprintf(stream,
            "ply\nformat binary_little_endian 1.0\ncomment runnel %s; metres, z up\nelement vertex %u\n"
            "property float x\nproperty float y\nproperty float z\n",
            rn_version(), (unsigned)mesh->vertex_count);
    if (mesh->normals) fputs("property float nx\nproperty float ny\nproperty float nz\n", stream);
    if (mesh->colours) fputs("property uchar red\nproperty uchar green\nproperty uchar blue\n", stream);
    if (mesh->opacity) fputs("property float opacity\n", stream);
    if (mesh->velocities) fputs("property float vx\nproperty float vy\nproperty float vz\n", stream);
    if (mesh->ids) fputs("property uint id\n", stream);
    fprintf(stream, "element face %u\nproperty list uchar int vertex_indices\nend_header\n",
            (unsigned)mesh->triangle_count);
    out to = {.stream = stream};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        put_floats(&to, mesh->positions + 3 * v, 3);
        if (mesh->normals) put_floats(&to, mesh->normals + 3 * v, 3);
        for (int c = 0; mesh->colours && c < 3; c++) put_byte(&to, srgb_byte(mesh->colours[3 * v + (size_t)c]));
        if (mesh->opacity) put_floats(&to, mesh->opacity + v, 1);
        if (mesh->velocities) put_floats(&to, mesh->velocities + 3 * v, 3);
        if (mesh->ids) put_word(&to, mesh->ids[v]);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        put_byte(&to, 3);
        for (int k = 0; k < 3; k++) put_word(&to, mesh->indices[3 * t + (size_t)k]);
    }
    flush(&to);
}

/* ---- OBJ ------------------------------------------------------------------------------------------------------- */

/* With a point, whatever the host's locale has. Nine digits are a float to the bit. */
static void print_vector(FILE *stream, const char *word, const float *v) {
    char line[96];
    snprintf(line, sizeof line, "%s %.9g %.9g %.9g\n", word, (double)v[0], (double)v[1], (double)v[2]);
    for (char *c = line; *c; c++)
        if (*c == ',') *c = '.';
    fputs(line, stream);
}

static void write_obj(FILE *stream, const rn_mesh *mesh) {
    fprintf(stream, "# runnel %s; metres, z up; %u vertices, %u triangles\n", rn_version(),
            (unsigned)mesh->vertex_count, (unsigned)mesh->triangle_count);
    for (size_t v = 0; v < mesh->vertex_count; v++) print_vector(stream, "v", mesh->positions + 3 * v);
    for (size_t v = 0; mesh->normals && v < mesh->vertex_count; v++) print_vector(stream, "vn", mesh->normals + 3 * v);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const unsigned a = mesh->indices[3 * t] + 1, b = mesh->indices[3 * t + 1] + 1, c = mesh->indices[3 * t + 2] + 1;
        if (mesh->normals) fprintf(stream, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
        else fprintf(stream, "f %u %u %u\n", a, b, c);
    }
}

rn_result rn_mesh_write(const char *path, const rn_mesh *mesh) {
    if (!RN_REQUIRE(NULL, path != NULL && mesh != NULL)) return RN_INVALID;
    const bool ply = ends_with(path, ".ply"), obj = ends_with(path, ".obj");
    if (!ply && !obj)
        return rn_fail(RN_INVALID, "%s: meshes are written as .ply or .obj; give the file a name that ends so", path);
    rn_result result = check(path, mesh);
    if (result != RN_OK) return result;
    rn_whole_file file;
    result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    if (ply) write_ply(file.stream, mesh);
    else write_obj(file.stream, mesh);
    return rn_whole_file_keep(&file);
}
