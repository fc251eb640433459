#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { LARGEST_ALLOCATION = 1 << 14 };

const char *fuzz_file(const uint8_t *bytes, size_t size) {
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    fuzz_require(file >= 0 && ftruncate(file, 0) == 0, "a file in memory");
    fuzz_require(pwrite(file, bytes, size, 0) == (ssize_t)size, "its bytes");
    return path;
}

const char *fuzz_named_file(const uint8_t *bytes, size_t size, const char *ending) {
    static char path[256];
    const char *place = getenv("TMPDIR"), *target = fuzz_file(bytes, size);
    snprintf(path, sizeof path, "%s/runnel-fuzz-%ld.%s", place ? place : "/tmp", rn_process_number(), ending);
    fuzz_require(symlink(target, path) == 0, "a link to the file in memory");
    return path;
}

static void *limited_alloc(void *user, size_t size) {
    (void)user;
    return size > LARGEST_ALLOCATION ? NULL : rn_aligned_alloc(64, size);
}

static void limited_free(void *user, void *memory) {
    (void)user;
    rn_aligned_free(memory);
}

rn_hooks fuzz_hooks(void) { return (rn_hooks){.alloc = limited_alloc, .free = limited_free}; }

void fuzz_require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "does not hold: %s (%s)\n", what, rn_last_error());
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz(bytes, size);
    return 0;
}
