/* Checkpoints: resumed, stepped, saved and resumed again. */
#include "fuzz.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* The header of src/io/file/checkpoint.c, then path, scene and state. */
typedef struct header {
    char mark[8];
    uint32_t version, path_size;
    uint64_t scene_size, state_size, frame, checksum;
} header;

static uint64_t hash_part(uint64_t hash, const uint8_t *at, uint64_t size) {
    for (; size >= 4; size -= 4, at += 4) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        hash = rn_hash_word(hash, word);
    }
    for (; size > 0; size--, at++) hash = rn_hash_word(hash, *at);
    return hash;
}

/* Sizes that add up to that of the file. */
static void mend_sizes(header *head, uint64_t rest) {
    if (head->path_size > rest) head->path_size = (uint32_t)rest;
    rest -= head->path_size;
    if (head->scene_size > rest) head->scene_size = rest;
    head->state_size = rest - head->scene_size;
}

/* Hardly any change would pass the checksum by chance. Every second input, by its length, keeps the sizes it has. */
static void mend(uint8_t *bytes, size_t size) {
    header head;
    if (size < sizeof head) return;
    memcpy(&head, bytes, sizeof head);
    const uint64_t rest = size - sizeof head;
    if (size % 2 == 0) mend_sizes(&head, rest);
    head.checksum = 0;
    memcpy(bytes, &head, sizeof head);
    if (head.path_size > rest || head.scene_size > rest || head.path_size + head.scene_size > rest) return;
    const uint8_t *part = bytes + sizeof head;
    uint64_t hash = hash_part(RN_HASH_START, bytes, sizeof head);
    hash = hash_part(hash, part, head.path_size);
    hash = hash_part(hash, part + head.path_size, head.scene_size);
    hash = hash_part(hash, part + head.path_size + head.scene_size, rest - head.path_size - head.scene_size);
    head.checksum = hash;
    memcpy(bytes, &head, sizeof head);
}

/* A world as it is now, taken for bytes from elsewhere, passes every check and is the same world. */
static void go_back(rn_world *world) {
    rn_snapshot *saved = NULL, *copy = NULL;
    const rn_hooks hooks = fuzz_hooks();
    if (rn_world_save(world, &saved) == RN_OK) {
        const uint64_t hash = rn_world_hash(world);
        size_t size;
        const void *bytes = rn_snapshot_bytes(saved, &size);
        if (rn_snapshot_create(&hooks, bytes, size, &copy) == RN_OK) {
            const rn_result result = rn_world_restore(world, copy);
            fuzz_require(result == RN_OK || result == RN_MEMORY, "what was saved can be restored");
            fuzz_require(result != RN_OK || rn_world_hash(world) == hash, "and is the same");
        }
    }
    rn_snapshot_destroy(copy);
    rn_snapshot_destroy(saved);
}

static void look(rn_scene *scene) {
    const rn_world *world = rn_scene_world(scene);
    rn_scene_info info = rn_scene_describe(scene);
    fuzz_require(rn_world_audit(world).drift == 0, "volume is exact");
    for (int i = 0; i < info.probe_count; i++)
        if (info.probes[i].is_section) rn_world_read_section(world, info.probes[i].section);
        else rn_world_sample(world, info.probes[i].at);
    info.view.width = 24;
    int height = rn_top_view_height(world, &info.view);
    if (height < 1 || height > 256) return;
    uint8_t *pixels = malloc(3 * 24 * (size_t)height);
    if (pixels) rn_top_view(world, &info.view, pixels);
    free(pixels);
}

/* Substeps without a bound would take any time. */
static bool is_bounded(const uint8_t *bytes, size_t size) {
    static const char words[] = "\"max_substeps\":3.0,";
    for (size_t at = 0; at + sizeof words - 1 <= size; at++)
        if (memcmp(bytes + at, words, sizeof words - 1) == 0) return true;
    return false;
}

static void use(rn_scene *scene, bool bounded) {
    look(scene);
    go_back(rn_scene_world(scene));
    for (int frame = 0; bounded && frame < 2; frame++) {
        rn_result result = rn_scene_step(scene);
        fuzz_require(result == RN_OK || rn_last_error()[0] != 0, "a step that fails says why");
        look(scene);
        if (result != RN_OK) return;
        go_back(rn_scene_world(scene));
    }
}

void fuzz(const uint8_t *bytes, size_t size) {
    uint8_t *mended = malloc(size + 1);
    fuzz_require(mended != NULL, "memory for a copy");
    if (size) memcpy(mended, bytes, size);
    if (size % 16 != 15) mend(mended, size);
    rn_scene *scene = NULL;
    rn_scene_def def = {.checkpoint = fuzz_file(mended, size), .threads = 1, .hooks = fuzz_hooks()};
    rn_result result = rn_scene_open(&def, &scene);
    fuzz_require((result == RN_OK) == (scene != NULL), "a scene or an error");
    if (result == RN_OK) use(scene, is_bounded(mended, size));
    else {
        fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        fuzz_require(!strchr(rn_last_error(), '\n'), "of one line");
    }
    rn_scene_close(scene);
    free(mended);
}

/* ---- Changes that keep a file a checkpoint, for libFuzzer ------------------------------------------------------- */

__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most); /* not there in a replay */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

static unsigned next(unsigned *random, unsigned below) {
    *random = *random * 1664525u + 1013904223u;
    return below ? (*random >> 8) % below : 0;
}

/* Values that code forgets, in a word or two of the state; words copied and exchanged keep depths whole and sums right.
 */
static void change_words(uint8_t *state, size_t size, unsigned *random) {
    static const uint32_t odd[] = {0,           1,           0xffffffff, 0x7fffffff, 0x80000000, 0x7f800000,
                                   0xff800000,  0x7fc00000,  0x7f7fffff, 0x00000001, 0x3f800000, 0xbf800000,
                                   0x7ff00000u, 0x7fefffffu, 0x0000ffff, 2,          3,          16};
    const unsigned words = (unsigned)(size / 4);
    if (words == 0) return;
    for (unsigned changes = 1 + next(random, 3); changes > 0; changes--) {
        /* half of them in the first or the last words, where counts and single values are */
        const unsigned near = words < 80 ? words : 80;
        unsigned at = next(random, words);
        if (next(random, 2)) at = next(random, 2) ? next(random, near) : words - 1 - next(random, near);
        uint8_t *here = state + 4 * at, *there = state + 4 * next(random, words), word[4];
        memcpy(word, here, 4);
        switch (next(random, 5)) {
        case 0: memcpy(here, &odd[next(random, sizeof odd / sizeof odd[0])], 4); break;
        case 1: memcpy(here, there, 4); break;
        case 2:
            memcpy(here, there, 4);
            memcpy(there, word, 4);
            break;
        case 3: here[next(random, 4)] ^= (uint8_t)(1u << next(random, 8)); break;
        default: LLVMFuzzerMutate(here, 4, 4); break;
        }
    }
}

/* One part of the file changes, and the header says so. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    header head;
    unsigned random = seed;
    const unsigned choice = next(&random, 16);
    if (size < sizeof head || choice == 0) return LLVMFuzzerMutate(bytes, size, most);
    memcpy(&head, bytes, sizeof head);
    mend_sizes(&head, size - sizeof head);
    const size_t scene_at = sizeof head + head.path_size, state_at = scene_at + (size_t)head.scene_size;
    const size_t room = most > size ? most - size : 0;
    if (choice < 10) change_words(bytes + state_at, size - state_at, &random);
    else if (choice < 12) size = state_at + LLVMFuzzerMutate(bytes + state_at, size - state_at, most - state_at);
    else if (choice < 13) LLVMFuzzerMutate(bytes, sizeof head, sizeof head);
    else { /* the scene, behind which the state is put again */ uint8_t *state = malloc(size - state_at + 1);
        if (!state) return size;
        memcpy(state, bytes + state_at, size - state_at);
        const size_t scene_size = LLVMFuzzerMutate(bytes + scene_at, state_at - scene_at, state_at - scene_at + room);
        memcpy(bytes + scene_at + scene_size, state, size - state_at);
        size = scene_at + scene_size + (size - state_at);
        head.scene_size = scene_size;
        free(state);
    }
    if (choice < 13) return size;
    memcpy(bytes, &head, sizeof head);
    return size;
}
