/* Reads mesh files in a separate process, after checking what assimp would not. */
#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/words.h"
#include "io/read/mesh_import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t largest_file = (int64_t)512 << 20; /* bytes */

enum { LOOK = 1 << 16, STL_HEADER = 84, STL_TRIANGLE = 50 }; /* bytes */

/* The start of a file, to find out its kind. */
typedef struct start {
    char bytes[LOOK + 1]; /* ends with 0 */
    size_t count;
    int64_t size; /* of the whole file */
} start;

/* Reads the first 64 KiB of a file into `s`. Fails if it is empty, larger than 512 MiB, or not a file. */
static rn_result look_at(const char *path, start *s) {
    if (!rn_file_size(path, &s->size)) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (s->size < 0) return rn_fail(RN_FILE, "%s: is not a file", path);
    if (s->size == 0) return rn_fail(RN_FORMAT, "%s: is empty", path);
    if (s->size > largest_file)
        return rn_fail(RN_LIMIT, "%s: has %.0f MiB; a mesh may have at most %.0f", path, (double)s->size / (1 << 20),
                       (double)largest_file / (1 << 20));
    FILE *file = fopen(path, "rb");
    if (!file) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    s->count = fread(s->bytes, 1, LOOK, file);
    s->bytes[s->count] = 0;
    fclose(file);
    return RN_OK;
}

/* Whether a file begins with these characters. */
static bool begins(const start *s, const char *word) { return strncmp(s->bytes, word, strlen(word)) == 0; }

/* Whether a file is a binary STL: its size is just that of the triangles in its header. Its first bytes do not tell,
   because it may begin like a text file. */
static bool is_binary_stl(const start *s) {
    if (s->count < STL_HEADER) return false;
    uint32_t triangles = 0;
    for (int i = 3; i >= 0; i--) triangles = triangles << 8 | (uint8_t)s->bytes[STL_HEADER - 4 + i];
    return s->size == STL_HEADER + (int64_t)triangles * STL_TRIANGLE;
}

/* The kind of a file by its bytes: "ply", "glb" or "stl"; NULL: not known, as for .obj and .gltf. */
static const char *kind_within(const start *s) {
    if (begins(s, "ply\n") || begins(s, "ply\r")) return "ply";
    if (begins(s, "glTF")) return "glb";
    if (is_binary_stl(s) || (begins(s, "solid ") && strstr(s->bytes, "facet"))) return "stl";
    return NULL;
}

/* Fails if a PLY has no triangles, or if its header does not end within the first 64 KiB: assimp would search for that
   end forever. */
static rn_result check_ply(const char *path, const start *s) {
    if (!strstr(s->bytes, "end_header")) return rn_fail(RN_FORMAT, "%s: its header does not end", path);
    if (strstr(s->bytes, "element face") || strstr(s->bytes, "element tristrips")) return RN_OK;
    return rn_fail(RN_FORMAT, "%s: holds points, but no triangles", path);
}

/* Fails if a file is of another kind than its extension says (assimp chooses its reader by the extension, and its
   messages about other bytes are no help), is UTF-16, or is a PLY that check_ply refuses. Files of unknown kind
   pass. */
static rn_result check_kind(const char *path, const start *s) {
    static const char *const known[] = {".obj", ".stl", ".ply", ".glb", ".gltf"};
    const char *within = kind_within(s);
    for (size_t i = 0; i < sizeof known / sizeof *known && within; i++)
        if (rn_ends_with(path, known[i]) && strcmp(known[i] + 1, within) != 0)
            return rn_fail(RN_FORMAT, "%s: its contents are %s but its name says %s; rename it", path, within,
                           known[i] + 1);
    if (s->count > 2 && (memcmp(s->bytes, "\xfe\xff", 2) == 0 || memcmp(s->bytes, "\xff\xfe", 2) == 0))
        return rn_fail(RN_FORMAT, "%s: is text in UTF-16; save it as UTF-8 or ASCII", path);
    if (within && strcmp(within, "ply") == 0) return check_ply(path, s);
    return RN_OK;
}

/* Fails unless the header of a reply of `size` bytes is valid and promises exactly these. Does not check positions and
   indices. */
static rn_result check_header(const char *path, const rn_mesh_header *head, size_t size) {
    const uint64_t least = sizeof *head + 12 * ((uint64_t)head->vertex_count + head->triangle_count);
    const bool sound = head->triangle_count > 0 && head->triangle_count <= RN_MOST_TRIANGLES && size == least &&
                       memchr(head->format, 0, sizeof head->format) && isfinite(head->unit) && head->unit >= 0 &&
                       head->up >= RN_UP_UNKNOWN && head->up <= RN_UP_MINUS_Z;
    return sound ? RN_OK : rn_fail(RN_FORMAT, "%s: the mesh reader failed on it", path);
}

rn_result rn_mesh_take(const char *path, rn_reply *reply, rn_mesh_file *mesh) {
    rn_mesh_header head = {0};
    if (reply->size >= sizeof head) memcpy(&head, reply->bytes, sizeof head);
    rn_result result = check_header(path, &head, reply->size);
    if (result != RN_OK) {
        rn_free(NULL, reply->bytes);
        return result;
    }
    const float *positions = (const float *)((const char *)reply->bytes + sizeof head);
    *mesh = (rn_mesh_file){.positions = positions,
                           .indices = (const uint32_t *)(positions + 3 * (size_t)head.vertex_count),
                           .vertex_count = head.vertex_count,
                           .triangle_count = head.triangle_count,
                           .parts = head.parts,
                           .unit = head.unit,
                           .up = (rn_up)head.up,
                           .memory = reply->bytes};
    memcpy(mesh->format, head.format, sizeof mesh->format);
    return RN_OK;
}

/* The work of the reader's process; its context is the path. */
static rn_result import(void *path, rn_reply *reply) { return rn_mesh_import(path, reply); }

rn_result rn_mesh_read_within(const char *path, double seconds, rn_mesh_file *mesh) {
    if (!RN_REQUIRE(NULL, path != NULL && mesh != NULL)) return RN_INVALID;
    *mesh = (rn_mesh_file){0};
    start s;
    rn_result result = look_at(path, &s);
    if (result == RN_OK) result = check_kind(path, &s);
    if (result != RN_OK) return result;
    const rn_apart_limits limits = {.path = path, .kind = "meshes", .seconds = seconds};
    rn_reply reply;
    result = rn_apart(import, (void *)path, &limits, &reply);
    return result == RN_OK ? rn_mesh_take(path, &reply, mesh) : result;
}

rn_result rn_mesh_read(const char *path, rn_mesh_file *mesh) { return rn_mesh_read_within(path, 0, mesh); }

void rn_mesh_file_free(rn_mesh_file *mesh) {
    rn_free(NULL, mesh->memory);
    *mesh = (rn_mesh_file){0};
}
