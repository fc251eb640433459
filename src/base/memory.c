/* Allocation through the hooks of a host (memory.h). */
#include "base/memory.h"

#include "base/error.h"
#include "base/platform.h"

#include <string.h>

enum { ALIGNMENT = 64 };

void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size) {
    void *memory = NULL;
    if (size == 0 || count <= (SIZE_MAX / 2 - ALIGNMENT) / size) {
        size_t bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        memory = hooks && hooks->alloc ? hooks->alloc(hooks->user, bytes) : rn_aligned_alloc(ALIGNMENT, bytes);
        if (memory) return memset(memory, 0, bytes);
    }
    rn_fail(RN_MEMORY, "out of memory: %zu times %zu bytes were requested", count, size);
    return NULL;
}

void rn_free(const rn_hooks *hooks, void *memory) {
    if (!memory) return;
    if (hooks && hooks->free) hooks->free(hooks->user, memory);
    else rn_aligned_free(memory);
}

bool rn_renew(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size) {
    void *data;
    memcpy(&data, array, sizeof data);
    if (data && count <= *capacity) return true;
    rn_free(hooks, data);
    data = rn_alloc(hooks, count + count / 2 + 1, size);
    memcpy(array, &data, sizeof data);
    *capacity = data ? count + count / 2 + 1 : 0;
    return data != NULL;
}

bool rn_grow(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return true;
    void *data;
    memcpy(&data, array, sizeof data);
    size_t more = *capacity ? *capacity * 2 : 64;
    void *grown = rn_alloc(hooks, more, size);
    if (!grown) return false;
    if (data) memcpy(grown, data, count * size);
    rn_free(hooks, data);
    memcpy(array, &grown, sizeof grown);
    *capacity = more;
    return true;
}

bool rn_reserve(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t kept, size_t size) {
    if (count <= *capacity) return true;
    void *data, *more = rn_alloc(hooks, count, size);
    if (!more) return false;
    memcpy(&data, array, sizeof data);
    if (kept) memcpy(more, data, kept * size);
    rn_free(hooks, data);
    memcpy(array, &more, sizeof more);
    *capacity = count;
    return true;
}
