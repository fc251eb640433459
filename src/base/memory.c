#include "base/memory.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#else
#include <unistd.h>
#endif

enum { ALIGNMENT = 64 };

static void *libc_alloc(size_t size) {
#ifdef _WIN32
    return _aligned_malloc(size, ALIGNMENT);
#else
    return aligned_alloc(ALIGNMENT, size);
#endif
}

void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size) {
    void *memory = NULL;
    if (size == 0 || count <= (SIZE_MAX / 2 - ALIGNMENT) / size) {
        size_t bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        memory = hooks && hooks->alloc ? hooks->alloc(hooks->user, bytes) : libc_alloc(bytes);
        if (memory) return memset(memory, 0, bytes);
    }
    rn_fail(RN_MEMORY, "out of memory: %zu times %zu bytes were asked for", count, size);
    return NULL;
}

void rn_free(const rn_hooks *hooks, void *memory) {
    if (!memory) return;
    if (hooks && hooks->free) {
        hooks->free(hooks->user, memory);
        return;
    }
#ifdef _WIN32
    _aligned_free(memory);
#else
    free(memory);
#endif
}

bool rn_grow(const rn_hooks *hooks, void **data, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return true;
    size_t more = *capacity ? *capacity * 2 : 64;
    void *grown = rn_alloc(hooks, more, size);
    if (!grown) return false;
    if (*data) memcpy(grown, *data, count * size);
    rn_free(hooks, *data);
    *data = grown;
    *capacity = more;
    return true;
}

double rn_memory_total(void) {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return 0.0;
#endif
}
