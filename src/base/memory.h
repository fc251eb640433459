/* Memory through the host's hooks: zeroed, aligned to 64 bytes, with overflow checks. */
#ifndef RN_BASE_MEMORY_H
#define RN_BASE_MEMORY_H

#include <runnel/base.h>

/* Allocates count*size zeroed bytes. Returns NULL, with an error text that has the size, if memory runs out. Zero bytes
   give a valid pointer. */
void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size);
/* Frees memory of rn_alloc with the same hooks; NULL is allowed. hooks NULL, in all functions here: libc. */
void rn_free(const rn_hooks *hooks, void *memory);

/* rn_renew, rn_grow and rn_reserve: `array` is the address of a pointer to elements of any type, each of `size` bytes,
   NULL at first; *capacity is how many fit, 0 at first. All return false, with an error text, if memory runs out. What
   they allocate is zeroed. */

/* Makes room for `count` elements, and for half as many more if it has to allocate; then the old elements are lost. If
   memory runs out, the array is NULL and the capacity 0. */
bool rn_renew(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size);
/* Makes room for one more element after the first `count`, at most *capacity, which are kept; doubles the capacity,
   from 64, if it has to allocate. If memory runs out, the array is unchanged. */
bool rn_grow(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size);
/* Makes room for `count` elements, exactly as many if it has to allocate, and keeps the first `kept`. If memory runs
   out, the array is unchanged. */
bool rn_reserve(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t kept, size_t size);

#endif
