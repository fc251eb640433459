/* Memory through the host's hooks, zeroed, aligned to 64 bytes, with overflow checked. */
#ifndef RN_BASE_MEMORY_H
#define RN_BASE_MEMORY_H

#include <runnel/base.h>

/* count*size zeroed bytes, or NULL with an error text that says how much was asked. Zero bytes give a valid pointer. */
void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size);
void rn_free(const rn_hooks *hooks, void *memory);

/* Room for so many elements, and for some more if it has to be made; what was there is not kept. False when out of
   memory. */
bool rn_renew(const rn_hooks *hooks, void **data, size_t *capacity, size_t count, size_t size);
/* A growing array: makes room for one more element, false when out of memory. */
bool rn_grow(const rn_hooks *hooks, void **data, size_t *capacity, size_t count, size_t size);

#endif
