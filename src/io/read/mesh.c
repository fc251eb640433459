/* Reads mesh files in a separate process: STL, OBJ, OFF and PLY with the readers of triangles/, others with assimp.
   assimp's own readers of these four refuse or misread too many valid files, and round coordinates to floats. Failures
   leave the reason, with the path, in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/words.h"
#include "io/read/companion.h"
#include "io/read/mesh_import.h"
#include "io/read/triangles/soup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t largest_file = (int64_t)512 << 20; /* bytes */

enum { LOOK = 1 << 16 }; /* bytes */

/* The start of a file, to find out its kind. */
typedef struct start {
    char bytes[LOOK + 1]; /* ends with 0 */
    size_t count;
    int64_t size; /* of the whole file */
} start;

/* Reads the first 64 KiB of a file into `s`. Returns RN_FILE if it cannot be read, or is not a file; RN_FORMAT if it is
   empty; or RN_LIMIT if it has more than 512 MiB. */
static rn_result read_start(const char *path, start *s) {
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

/* ---- Kinds of files ---- */

/* A format that is read here rather than by assimp. */
typedef struct own_format {
    const char *ending;
    rn_result (*read)(const rn_file_bytes *file, rn_soup *soup);
} own_format;

static const own_format own_formats[] = {
    {".stl", rn_stl_read}, {".obj", rn_obj_read}, {".off", rn_off_read}, {".ply", rn_ply_read}};

/* Whether a file begins with `word`, after any byte-order mark and white space. */
static bool begins_with(const start *s, const char *word) {
    const char *text = s->bytes;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    text += strspn(text, " \t\r\n");
    return strncmp(text, word, strlen(word)) == 0;
}

/* Returns the kind of a file by its bytes, as an extension (".stl"); NULL: not known. */
static const char *kind_by_bytes(const start *s) {
    bool binary;
    if (begins_with(s, "ply\n") || begins_with(s, "ply\r")) return ".ply";
    if (begins_with(s, "glTF")) return ".glb";
    if (rn_stl_is(s->bytes, s->count, s->size, &binary)) return ".stl";
    static const char *const off[] = {"OFF", "COFF", "NOFF", "CNOFF", "4OFF", "STOFF"};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (begins_with(s, off[i])) return ".off";
    return NULL;
}

/* Returns RN_FORMAT if a file is of another kind than its extension says, which the wrong reader would read; if it is
   text in UTF-16; or if it is one that rn_companion_check refuses. */
static rn_result check_kind(const char *path, const start *s) {
    static const char *const known[] = {".obj", ".stl", ".ply", ".glb", ".gltf", ".off"};
    const char *within = kind_by_bytes(s);
    for (size_t i = 0; i < sizeof known / sizeof *known && within; i++)
        if (rn_ends_with(path, known[i]) && strcmp(known[i], within) != 0)
            return rn_fail(RN_FORMAT, "%s: its contents are %s but its name says %s; rename it", path, within + 1,
                           known[i] + 1);
    if (s->count > 2 && (memcmp(s->bytes, "\xfe\xff", 2) == 0 || memcmp(s->bytes, "\xff\xfe", 2) == 0))
        return rn_fail(RN_FORMAT, "%s: is text in UTF-16; save it as UTF-8 or ASCII", path);
    const rn_result result = rn_companion_check(path);
    return result == RN_OK ? rn_companion_check_start(path, s->bytes, s->count) : result;
}

/* Returns the format of a file that is read here, by its bytes or else by its name, or NULL if assimp must read it. */
static const own_format *find_format(const char *path, const start *s) {
    const char *within = kind_by_bytes(s);
    for (size_t i = 0; i < sizeof own_formats / sizeof *own_formats; i++)
        if (within ? strcmp(within, own_formats[i].ending) == 0 : rn_ends_with(path, own_formats[i].ending))
            return &own_formats[i];
    return NULL;
}

/* ---- Replies ---- */

/* Returns RN_FORMAT unless the header is valid for a reply of `size` bytes; a misled reader may have written
   anything. */
static rn_result check_header(const char *path, const rn_mesh_header *head, size_t size) {
    const uint64_t least = sizeof *head + 12 * ((uint64_t)head->vertex_count + head->triangle_count);
    const bool sound = head->triangle_count > 0 && head->triangle_count <= RN_MOST_TRIANGLES && size == least &&
                       memchr(head->format, 0, sizeof head->format) && memchr(head->warning, 0, sizeof head->warning) &&
                       isfinite(head->origin[0]) && isfinite(head->origin[1]) && isfinite(head->origin[2]) &&
                       isfinite(head->unit) && head->unit >= 0 && head->up >= RN_UP_UNKNOWN &&
                       head->up <= RN_UP_MINUS_Z;
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
    memcpy(mesh->origin, head.origin, sizeof mesh->origin);
    memcpy(mesh->format, head.format, sizeof mesh->format);
    memcpy(mesh->warning, head.warning, sizeof mesh->warning);
    return RN_OK;
}

/* Reads a file with the reader of its format, in this process, into the reply, whose bytes the caller frees. On failure
   returns RN_FILE, RN_FORMAT, RN_LIMIT, RN_UNSUPPORTED or RN_MEMORY. */
static rn_result read_own(const char *path, const own_format *format, rn_reply *reply) {
    rn_file_bytes file = {0};
    rn_soup soup = {.path = path};
    rn_result result = rn_input_load(path, largest_file, "a mesh", &file);
    if (result == RN_OK) result = format->read(&file, &soup);
    if (result == RN_OK) result = rn_soup_reply(&soup, reply);
    if (result == RN_MEMORY) rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    rn_soup_free(&soup);
    rn_input_free(&file);
    return result;
}

/* What the reader's process is to read, and how; format NULL: by assimp. */
typedef struct job {
    const char *path;
    const own_format *format;
} job;

/* Reads a file into the reply, as an rn_apart_work, in the reader's process; `context` is a job. */
static rn_result import(void *context, rn_reply *reply) {
    const job *j = context;
    return j->format ? read_own(j->path, j->format, reply) : rn_mesh_import(j->path, reply);
}

rn_result rn_mesh_read_here(const char *path, rn_reply *reply) {
    start s;
    rn_result result = read_start(path, &s);
    if (result == RN_OK) result = check_kind(path, &s);
    return result == RN_OK ? import(&(job){path, find_format(path, &s)}, reply) : result;
}

rn_result rn_mesh_read_within(const char *path, double seconds, rn_mesh_file *mesh) {
    if (!RN_REQUIRE(NULL, path != NULL && mesh != NULL)) return RN_INVALID;
    *mesh = (rn_mesh_file){0};
    start s;
    rn_result result = read_start(path, &s);
    if (result == RN_OK) result = check_kind(path, &s);
    if (result != RN_OK) return result;
    const rn_apart_limits limits = {.path = path, .kind = "meshes", .seconds = seconds};
    rn_reply reply;
    result = rn_apart(import, &(job){path, find_format(path, &s)}, &limits, &reply);
    return result == RN_OK ? rn_mesh_take(path, &reply, mesh) : result;
}

rn_result rn_mesh_read(const char *path, rn_mesh_file *mesh) { return rn_mesh_read_within(path, 0, mesh); }

void rn_mesh_file_free(rn_mesh_file *mesh) {
    rn_free(NULL, mesh->memory);
    *mesh = (rn_mesh_file){0};
}
