/* Memory through the host's hooks: zeroed, aligned to 64 bytes, with overflow checks. */
#ifndef RN_BASE_MEMORY_H
#define RN_BASE_MEMORY_H

#include <runnel/base.h>

/* count*size zeroed bytes; NULL without memory, with an error text that has the size. Zero bytes give a valid
   pointer. */
void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size);
void rn_free(const rn_hooks *hooks, void *memory);

/* In the next three functions `array` is the address of a pointer to elements of any type, each of `size` bytes. All
   return false without memory. */

/* Makes room for `count` elements, and for some more if it has to allocate. The old elements are lost. */
bool rn_renew(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size);
/* Makes room for one more element after the first `count`, which are kept. */
bool rn_grow(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size);
/* Makes room for exactly `count` elements, and keeps the first `kept`. */
bool rn_reserve(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t kept, size_t size);

#endif
