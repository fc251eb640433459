/* machine.h, driver.h and the lanes of base/lanes.h on a CPU, for tests without a GPU: each lane is a thread.
   RUNNEL_EMULATED, for example "3x5x2", sets the number of blocks, the lanes of a rank, and the ranks of a block.
   Results must not depend on them. */
#include "cuda/driver.h"
#include "cuda/machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct emulated_block {
    pthread_barrier_t meet, meet_clock;
    bool any; /* of machine_meet_any */
    char *shared;
} emulated_block;

/* One run of a job. */
typedef struct emulation {
    rn_gpu_job *job;
    int blocks, lanes, ranks;
    emulated_block *all;
} emulation;

/* Which lane a thread is. */
typedef struct emulated_lane {
    const emulation *of;
    int block, lane, rank;
    bool is_clock;
} emulated_lane;

static _Thread_local emulated_lane self;

int rn_lane(void) { return self.lane; }
int rn_lane_count(void) { return self.of->lanes; }
int rn_rank(void) { return self.rank; }
int rn_rank_count(void) { return self.of->ranks; }
void rn_lanes_meet(void) { pthread_barrier_wait(&self.of->all[self.block].meet); }
bool machine_is_clock(void) { return self.is_clock; }
void machine_meet_clock(void) { pthread_barrier_wait(&self.of->all[self.block].meet_clock); }
int machine_block(void) { return self.block; }
int machine_blocks(void) { return self.of->blocks; }
void *machine_shared(size_t from) { return self.of->all[self.block].shared + from; }
void *machine_near(size_t from) { return machine_shared(from); }
void machine_fetch(float *to, const float *from) { memcpy(to, from, 4 * sizeof *to); }
void machine_fetched(void) {}

bool machine_is_own(const void *address) {
    char here;
    return (uintptr_t)address - (uintptr_t)&here < 65536;
}

void machine_pause(void) { sched_yield(); }
void machine_arrive(volatile uint32_t *count) { __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST); }
uint32_t machine_count(const volatile uint32_t *count) { return __atomic_load_n(count, __ATOMIC_SEQ_CST); }
uint32_t machine_arrived(const volatile uint32_t *count) { return __atomic_load_n(count, __ATOMIC_SEQ_CST); }
int machine_add(int *to, int value) { return __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST); }
int machine_swap(int *to, int value) { return __atomic_exchange_n(to, value, __ATOMIC_SEQ_CST); }
void machine_add_64(int64_t *to, int64_t value) { __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST); }
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

int64_t machine_min_64(int64_t *to, int64_t value) {
    int64_t old = __atomic_load_n(to, __ATOMIC_SEQ_CST);
    while (value < old && !__atomic_compare_exchange_n(to, &old, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
}

int machine_group_lane(void) { return 0; }
int machine_group_size(void) { return 1; }
int machine_group_max(int value) { return value; }
int64_t machine_group_before(int64_t value, int64_t *all) {
    *all = value;
    return 0;
}

bool machine_meet_any(bool value) {
    emulated_block *block = &self.of->all[self.block];
    if (value) __atomic_store_n(&block->any, true, __ATOMIC_SEQ_CST);
    rn_lanes_meet();
    const bool any = __atomic_load_n(&block->any, __ATOMIC_SEQ_CST);
    rn_lanes_meet(); /* all have read it */
    if (self.lane == 0 && self.rank == 0) __atomic_store_n(&block->any, false, __ATOMIC_SEQ_CST);
    rn_lanes_meet();
    return any;
}

/* The thread of a lane; context: its emulated_lane, which is copied. Runs the program and returns NULL. */
static void *run_lane(void *context) {
    self = *(const emulated_lane *)context;
    (self.of->job->is_plain ? rn_plain_run : rn_gpu_run)(self.of->job);
    return NULL;
}

static int block_count = 3, lane_count = 5, rank_count = 2;

bool rn_cuda_open(char *error, size_t size) {
    const char *text = getenv("RUNNEL_EMULATED");
    if (size) error[0] = '\0';
    if (text && sscanf(text, "%dx%dx%d", &block_count, &lane_count, &rank_count) != 3)
        snprintf(error, size, "RUNNEL_EMULATED is \"%s\"; it must be BLOCKSxLANESxRANKS, such as 3x5x2", text);
    return error[0] == '\0';
}

int rn_cuda_blocks(void) { return block_count; }
int rn_cuda_plain_blocks(void) { return block_count; }

static size_t used; /* bytes of rn_cuda_alloc */

bool rn_cuda_has_room(size_t size, char *error, size_t length) {
    const char *most = getenv("RUNNEL_EMULATED_MEMORY"); /* bytes */
    const double left = most ? atof(most) - (double)__atomic_load_n(&used, __ATOMIC_SEQ_CST) : 0.0;
    if (!most || (double)size <= left) return true;
    snprintf(error, length, "the GPU has %.0f MB of free memory, and this world needs %.0f MB more",
             left > 0.0 ? left * 1e-6 : 0.0, (double)size * 1e-6);
    return false;
}

/* Memory of the GPU begins after that of malloc(), so that free() of it fails here too, as on a GPU. Its size is stored
   before it. */
enum { AFTER = 64 };
void *rn_cuda_alloc(size_t size) {
    char *memory = aligned_alloc(64, AFTER + (size + 63) / 64 * 64);
    if (!memory) return NULL;
    memcpy(memory, &size, sizeof size);
    __atomic_fetch_add(&used, size, __ATOMIC_SEQ_CST);
    return memory + AFTER;
}
void rn_cuda_free(void *memory) {
    size_t size;
    if (!memory) return;
    memcpy(&size, (char *)memory - AFTER, sizeof size);
    __atomic_fetch_sub(&used, size, __ATOMIC_SEQ_CST);
    free((char *)memory - AFTER);
}

/* Runs the job with one thread per lane, and succeeds unless a fault is asked for. Aborts if memory or threads run out,
   because tests need no error there. */
static bool run_one(rn_gpu_job *job, char *error, size_t size) {
    emulation all = {job, block_count, lane_count, rank_count, calloc((size_t)block_count, sizeof *all.all)};
    const int lanes = lane_count * rank_count, per_block = lanes + job->is_plain, count = block_count * per_block;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    emulated_lane *selves = calloc((size_t)count, sizeof *selves);
    if (!all.all || !threads || !selves) abort();
    for (int i = 0; i < block_count; i++) {
        pthread_barrier_init(&all.all[i].meet, NULL, (unsigned)lanes);
        pthread_barrier_init(&all.all[i].meet_clock, NULL, (unsigned)per_block);
        all.all[i].shared = aligned_alloc(64, RN_GPU_SHARED);
        if (!all.all[i].shared) abort();
    }
    for (int i = 0; i < count; i++) {
        const int n = i % per_block; /* the last of a plain world's block is its clock */
        selves[i] = (emulated_lane){&all, i / per_block, n % lane_count, n / lane_count, n == lanes};
        if (pthread_create(&threads[i], NULL, run_lane, &selves[i])) abort();
    }
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < block_count; i++) {
        pthread_barrier_destroy(&all.all[i].meet);
        pthread_barrier_destroy(&all.all[i].meet_clock);
        free(all.all[i].shared);
    }
    free(all.all), free(threads), free(selves);
    if (size) error[0] = '\0';
    const char *fault = getenv("RUNNEL_EMULATED_FAULT"); /* set: a run fails when its substeps are done, */
    if (!job->is_plain && getenv("RUNNEL_EMULATED_SHORT")) fault = "only short programs may run"; /* or this one does */
    if (fault) snprintf(error, size, "the GPU cannot be used: %s", fault);
    return !fault;
}

bool rn_cuda_must_load(rn_gpu_job *const *jobs, int count) {
    (void)jobs, (void)count;
    return getenv("RUNNEL_EMULATED_LOAD") != NULL;
}

/* Runs the jobs one after the other: they share nothing. */
bool rn_cuda_run(rn_gpu_job *const *jobs, int count, char *error, size_t size) {
    for (int i = 0; i < count; i++)
        if (!run_one(jobs[i], error, size)) return false;
    return true;
}
