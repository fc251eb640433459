/* Memory through the host's hooks, zeroed, aligned to 64 bytes, with overflow checked. */
#ifndef RN_BASE_MEMORY_H
#define RN_BASE_MEMORY_H

#include <runnel/base.h>

/* count*size zeroed bytes, or NULL with an error text that says how much was asked. Zero bytes give a valid pointer. */
void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size);
void rn_free(const rn_hooks *hooks, void *memory);

/* `array` is the address of a pointer to elements of any type, each of `size` bytes. Both return false when out of
   memory. */

/* Makes room for `count` elements, and for some more if it has to allocate. The old elements are not kept. */
bool rn_renew(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size);
/* Makes room for one more element after the first `count`, which are kept. */
bool rn_grow(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size);

#endif
