/* Memory that runs out: hooks that give so many blocks and no more, and know how many are held. */
#ifndef TESTS_PURSE_H
#define TESTS_PURSE_H

#include "base/platform.h"

typedef struct purse {
    int left, held;
} purse;

static inline void *purse_spend(void *user, size_t size) {
    purse *p = user;
    if (p->left-- <= 0) return NULL;
    p->held++;
    return rn_aligned_alloc(64, size);
}

static inline void purse_give_back(void *user, void *memory) {
    ((purse *)user)->held--;
    rn_aligned_free(memory);
}

#endif
