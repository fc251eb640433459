/* machine.h on a CPU, for tests without a GPU: a lane is a thread. */
#include "cuda/emulate.h"
#include "cuda/job.h"
#include "cuda/machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef struct emulated_block {
    pthread_barrier_t meet;
    char *shared;
} emulated_block;

typedef struct emulation {
    rn_gpu_job *job;
    int blocks, lanes;
    emulated_block *all;
} emulation;

typedef struct emulated_lane {
    const emulation *of;
    int block, lane;
} emulated_lane;

static _Thread_local emulated_lane self;

int rn_lane(void) { return self.lane; }
int rn_lane_count(void) { return self.of->lanes; }
void rn_lanes_meet(void) { pthread_barrier_wait(&self.of->all[self.block].meet); }
int machine_block(void) { return self.block; }
int machine_blocks(void) { return self.of->blocks; }
void *machine_shared(size_t from) { return self.of->all[self.block].shared + from; }

bool machine_is_own(const void *address) {
    char here;
    return (uintptr_t)address - (uintptr_t)&here < 65536;
}

void machine_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void machine_pause(void) { sched_yield(); }
int machine_add(int *to, int value) { return __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST); }
void machine_or(int *to, int bits) { __atomic_fetch_or(to, bits, __ATOMIC_SEQ_CST); }

void machine_max(int *to, int value) {
    int old = __atomic_load_n(to, __ATOMIC_SEQ_CST);
    while (value > old && !__atomic_compare_exchange_n(to, &old, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

void machine_min(int *to, int value) {
    int old = __atomic_load_n(to, __ATOMIC_SEQ_CST);
    while (value < old && !__atomic_compare_exchange_n(to, &old, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

void machine_max_64(uint64_t *to, uint64_t value) {
    uint64_t old = __atomic_load_n(to, __ATOMIC_SEQ_CST);
    while (value > old && !__atomic_compare_exchange_n(to, &old, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

static void *run_lane(void *context) {
    self = *(const emulated_lane *)context;
    rn_gpu_run(self.of->job);
    return NULL;
}

void rn_gpu_emulate(rn_gpu_job *job, int blocks, int lanes) {
    emulation all = {job, blocks, lanes, calloc((size_t)blocks, sizeof *all.all)};
    const int count = blocks * lanes;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    emulated_lane *selves = calloc((size_t)count, sizeof *selves);
    for (int i = 0; i < blocks; i++) {
        pthread_barrier_init(&all.all[i].meet, NULL, (unsigned)lanes);
        all.all[i].shared = calloc(1, 72 * 1024);
    }
    for (int i = 0; i < count; i++) {
        selves[i] = (emulated_lane){&all, i / lanes, i % lanes};
        pthread_create(&threads[i], NULL, run_lane, &selves[i]);
    }
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < blocks; i++) {
        pthread_barrier_destroy(&all.all[i].meet);
        free(all.all[i].shared);
    }
    free(all.all), free(threads), free(selves);
}
