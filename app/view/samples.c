/* A ring with one writer and one reader. Interface: view/samples.h. `written` and `taken` count all samples; each
   thread writes only one of the two. */
#include "view/samples.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { ROOM = 4096 };

struct samples {
    sample ring[ROOM];
    atomic_uint written, taken;
};

samples *samples_create(void) { return calloc(1, sizeof(samples)); }

void samples_free(samples *s) { free(s); }

void samples_write(samples *s, const sample *next) {
    const unsigned written = atomic_load_explicit(&s->written, memory_order_relaxed);
    if (written - atomic_load_explicit(&s->taken, memory_order_acquire) == ROOM) return;
    s->ring[written % ROOM] = *next;
    atomic_store_explicit(&s->written, written + 1, memory_order_release);
}

bool samples_read(samples *s, sample *next) {
    const unsigned taken = atomic_load_explicit(&s->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&s->written, memory_order_acquire)) return false;
    *next = s->ring[taken % ROOM];
    atomic_store_explicit(&s->taken, taken + 1, memory_order_release);
    return true;
}
