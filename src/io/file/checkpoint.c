/* Writes and reads checkpoint files: a header, the scene's path, the scene and the state, with a checksum. Failures
   leave the reason, with the file's path, in rn_last_error(). */
#include "io/file/checkpoint.h"

#include "base/error.h"
#include "base/hash.h"
#include "io/file/input.h"
#include "io/file/whole_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file: this header, then the scene's path, the scene and the state. Little-endian. A published version stays
   readable forever: tests/checkpoints has a file of each. A scene of 16 MiB, the largest possible, becomes five
   times larger if it is full of numbers like 0.1, which are written with 17 digits. */
enum { VERSION = 1, LONGEST_PATH = 4096, LARGEST_SCENE = 128 << 20 };

typedef struct header {
    char mark[8]; /* has a line end that text tools would change */
    uint32_t version;
    uint32_t path_size;
    uint64_t scene_size, state_size;
    uint64_t frame;
    uint64_t checksum; /* of the whole file, with this field as 0 */
} header;

static const char mark[8] = {'r', 'u', 'n', 'n', 'e', 'l', '\r', '\n'};

/* Returns `hash` after adding `size` bytes: whole words of 32 bits, then the last 0 to 3 bytes one by one. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    for (; size >= 4; size -= 4, at += 4) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        hash = rn_hash_word(hash, word);
    }
    for (; size > 0; size--, at++) hash = rn_hash_word(hash, *at);
    return hash;
}

/* Returns the checksum of a whole file with this header, whose own checksum counts as 0, and these parts. c->scene_path
   must have at least head.path_size bytes. */
static uint64_t checksum_of(header head, const rn_checkpoint *c) {
    head.checksum = 0;
    uint64_t hash = hash_bytes(RN_HASH_START, &head, sizeof head);
    hash = hash_bytes(hash, c->scene_path, head.path_size);
    hash = hash_bytes(hash, c->scene, c->scene_size);
    return hash_bytes(hash, c->state, c->state_size);
}

rn_result rn_checkpoint_write(const char *path, const rn_checkpoint *c) {
    header head = {.version = VERSION,
                   .path_size = (uint32_t)strlen(c->scene_path),
                   .scene_size = c->scene_size,
                   .state_size = c->state_size,
                   .frame = (uint64_t)c->frame};
    memcpy(head.mark, mark, sizeof mark);
    head.checksum = checksum_of(head, c);
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    fwrite(&head, sizeof head, 1, file.stream);
    fwrite(c->scene_path, 1, head.path_size, file.stream);
    fwrite(c->scene, 1, c->scene_size, file.stream);
    fwrite(c->state, 1, c->state_size, file.stream);
    return rn_whole_file_keep(&file);
}

void rn_checkpoint_free(rn_checkpoint *c) {
    free(c->scene_path);
    free(c->scene);
    free(c->state);
    *c = (rn_checkpoint){0};
}

/* Reads the next `size` bytes and appends a zero. If fewer can be read, the zero follows those, and the rest is
   undefined: the caller notices by the checksum. The caller frees them with free(). Returns NULL, without an error
   text, if memory runs out. */
static void *read_part(FILE *file, size_t size) {
    char *bytes = malloc(size + 1);
    if (!bytes) return NULL;
    bytes[fread(bytes, 1, size, file)] = 0;
    return bytes;
}

/* Fails with RN_FORMAT and a message if the header, of which `got` bytes were read, is not of this version or does not
   fit a file of `size` bytes. Does not check the checksum. `path` is for messages. */
static rn_result check_header(const char *path, const header *head, size_t got, int64_t size) {
    if (got < sizeof head->mark || memcmp(head->mark, mark, sizeof mark) != 0)
        return rn_fail(RN_FORMAT, "%s: is not a runnel checkpoint", path);
    if (got < sizeof *head) return rn_fail(RN_FORMAT, "%s: is cut short: it has only %zu bytes", path, got);
    if (head->version != VERSION)
        return rn_fail(RN_FORMAT, "%s: has version %u of the checkpoint format; this runnel reads version %d", path,
                       (unsigned)head->version, VERSION);
    if (head->path_size > LONGEST_PATH || head->scene_size > LARGEST_SCENE || head->state_size > INT64_MAX / 2 ||
        head->frame > INT_MAX)
        return rn_fail(RN_FORMAT, "%s: is damaged: it contains impossible sizes", path);
    const uint64_t whole = sizeof *head + head->path_size + head->scene_size + head->state_size;
    if (whole != (uint64_t)size)
        return rn_fail(RN_FORMAT, "%s: is %s: it has %lld bytes of %llu", path,
                       whole > (uint64_t)size ? "cut short" : "too long", (long long)size, (unsigned long long)whole);
    return RN_OK;
}

/* Reads a whole checkpoint into `c`, which must be 0, and checks sizes and checksum. On failure returns RN_FILE,
   RN_MEMORY or RN_FORMAT. The caller frees `c`, also after a failure, and closes the file. */
static rn_result read_parts(const char *path, FILE *file, rn_checkpoint *c) {
    header head = {0};
    const int64_t size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size >= 0) rewind(file);
    const size_t got = size >= 0 ? fread(&head, 1, sizeof head, file) : 0;
    if (size < 0 || ferror(file)) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    rn_result result = check_header(path, &head, got, size);
    if (result != RN_OK) return result;
    c->scene_size = (size_t)head.scene_size;
    c->state_size = (size_t)head.state_size;
    c->frame = (int)head.frame;
    c->scene_path = read_part(file, head.path_size);
    c->scene = read_part(file, c->scene_size);
    c->state = read_part(file, c->state_size);
    if (!c->scene_path || !c->scene || !c->state)
        return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    if (ferror(file)) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (checksum_of(head, c) != head.checksum || strlen(c->scene_path) != head.path_size)
        return rn_fail(RN_FORMAT, "%s: is damaged: its checksum is wrong", path);
    return RN_OK;
}

rn_result rn_checkpoint_read(const char *path, rn_checkpoint *c) {
    *c = (rn_checkpoint){0};
    FILE *file;
    rn_result result = rn_input_open(path, &file);
    if (result != RN_OK) return result;
    result = read_parts(path, file, c);
    fclose(file);
    return result;
}
