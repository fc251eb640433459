/* machine.h, driver.h and the lanes of base/lanes.h on a CPU, for tests without a GPU: each lane is a thread.
   RUNNEL_EMULATED, for example "3x5x2", sets the number of blocks, the lanes of a rank, and the ranks of a block.
   Results must not depend on them. */
#include "cuda/driver.h"
#include "cuda/machine.h"
#include "cuda/surface_job.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#if !defined(_WIN32)
#include <sys/mman.h>
#endif

enum { MOST_LANES = 64, MOST_RANKS = 64 };

/* What the lanes of a rank pass to each other. */
typedef struct emulated_rank {
    pthread_barrier_t meet;
    uint64_t passed[MOST_LANES];
} emulated_rank;

typedef struct emulated_block {
    pthread_barrier_t meet, meet_clock;
    bool any; /* of machine_meet_any */
    emulated_rank *ranks;
    char *shared;
} emulated_block;

/* One run of a job, or of a program that finds its job in the memory of blocks. */
typedef struct emulation {
    rn_gpu_job *job;
    void (*program)(void);
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

/* Passes a word to all lanes of the rank, and returns what they have passed, valid until the next such call. */
static const uint64_t *pass_on(uint64_t word) {
    emulated_rank *rank = &self.of->all[self.block].ranks[self.rank];
    pthread_barrier_wait(&rank->meet);
    rank->passed[self.lane] = word;
    pthread_barrier_wait(&rank->meet);
    return rank->passed;
}

uint64_t rn_bits_of_all(uint64_t bits) {
    const uint64_t *passed = pass_on(bits);
    for (int i = 0; i < self.of->lanes; i++) bits |= passed[i];
    return bits;
}

uint32_t rn_count_before(uint32_t count, uint32_t *all) {
    const uint64_t *passed = pass_on(count);
    uint32_t before = 0;
    *all = 0;
    for (int i = 0; i < self.of->lanes; i++) {
        *all += (uint32_t)passed[i];
        before += i < self.lane ? (uint32_t)passed[i] : 0;
    }
    return before;
}

void rn_put_bits(uint64_t *to, uint64_t bits) { __atomic_fetch_or(to, bits, __ATOMIC_SEQ_CST); }
void rn_put_count(uint32_t *to, uint32_t count) { __atomic_fetch_add(to, count, __ATOMIC_SEQ_CST); }

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
    if (self.of->program) self.of->program();
    else (self.of->job->is_plain ? rn_plain_run : rn_gpu_run)(self.of->job);
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

#if defined(_WIN32)
void *rn_cuda_alloc_far(size_t size) { return rn_cuda_alloc(size); }
void rn_cuda_free_far(void *memory) { rn_cuda_free(memory); }
static void let_host_see(void *memory, size_t size, bool sees) { (void)memory, (void)size, (void)sees; }
#else
/* Memory that only the GPU sees: the host can neither read nor write it outside rn_cuda_run. Its size is stored before
   it, on pages of their own. */
enum { PAGE = 65536 };
static void let_host_see(void *memory, size_t size, bool sees) {
    mprotect(memory, size, sees ? PROT_READ | PROT_WRITE : PROT_NONE);
}
void *rn_cuda_alloc_far(size_t size) {
    char *memory = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    memcpy(memory, &size, sizeof size);
    let_host_see(memory + PAGE, size, false);
    __atomic_fetch_add(&used, size, __ATOMIC_SEQ_CST);
    return memory + PAGE;
}
void rn_cuda_free_far(void *memory) {
    size_t size;
    memcpy(&size, (char *)memory - PAGE, sizeof size);
    __atomic_fetch_sub(&used, size, __ATOMIC_SEQ_CST);
    munmap((char *)memory - PAGE, PAGE + size);
}
#endif

/* Makes the blocks of a run, whose memory is cleared. Aborts if memory runs out, because tests need no error there. */
static void make_blocks(emulation *all, int clocks) {
    all->all = calloc((size_t)all->blocks, sizeof *all->all);
    if (!all->all || all->lanes > MOST_LANES || all->ranks > MOST_RANKS) abort();
    for (int i = 0; i < all->blocks; i++) {
        emulated_block *block = &all->all[i];
        pthread_barrier_init(&block->meet, NULL, (unsigned)(all->lanes * all->ranks));
        pthread_barrier_init(&block->meet_clock, NULL, (unsigned)(all->lanes * all->ranks + clocks));
        block->shared = aligned_alloc(64, RN_GPU_SHARED);
        block->ranks = calloc((size_t)all->ranks, sizeof *block->ranks);
        if (!block->shared || !block->ranks) abort();
        for (int r = 0; r < all->ranks; r++) pthread_barrier_init(&block->ranks[r].meet, NULL, (unsigned)all->lanes);
    }
}

/* Runs one thread per lane, and `clocks` more in each block, then frees the blocks. */
static void run_blocks(emulation *all, int clocks) {
    const int lanes = all->lanes * all->ranks, per_block = lanes + clocks, count = all->blocks * per_block;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    emulated_lane *selves = calloc((size_t)count, sizeof *selves);
    if (!threads || !selves) abort();
    for (int i = 0; i < count; i++) {
        const int n = i % per_block; /* the last of a plain world's block is its clock */
        selves[i] = (emulated_lane){all, i / per_block, n % all->lanes, n / all->lanes, n == lanes};
        if (pthread_create(&threads[i], NULL, run_lane, &selves[i])) abort();
    }
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < all->blocks; i++) {
        emulated_block *block = &all->all[i];
        for (int r = 0; r < all->ranks; r++) pthread_barrier_destroy(&block->ranks[r].meet);
        pthread_barrier_destroy(&block->meet);
        pthread_barrier_destroy(&block->meet_clock);
        free(block->ranks), free(block->shared);
    }
    free(all->all), free(threads), free(selves);
}

/* Runs the job with one thread per lane, and succeeds unless a fault is asked for. */
static bool run_one(rn_gpu_job *job, char *error, size_t size) {
    emulation all = {.job = job, .blocks = block_count, .lanes = lane_count, .ranks = rank_count};
    make_blocks(&all, job->is_plain);
    run_blocks(&all, job->is_plain);
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

bool rn_cuda_build(const rn_gpu_words *job, int items, char *error, size_t size) {
    emulation all = {.program = rn_surface_run, .blocks = block_count, .lanes = lane_count, .ranks = rank_count};
    (void)items;
    make_blocks(&all, 0);
    for (int i = 0; i < block_count; i++) memcpy(all.all[i].shared, job, sizeof *job);
    run_blocks(&all, 0);
    const char *fault = getenv("RUNNEL_EMULATED_FAULT");
    if (fault) snprintf(error, size, "the GPU cannot be used: %s", fault);
    return !fault;
}

bool rn_cuda_copy(void *to, const void *from, size_t size, char *error, size_t length) {
    (void)error, (void)length;
    memcpy(to, from, size);
    return true;
}

void *rn_cuda_alloc_host(size_t size) { return calloc(1, size); }
void rn_cuda_free_host(void *memory) { free(memory); }

/* Runs the jobs one after the other: they share nothing. */
bool rn_cuda_run(rn_gpu_job *const *jobs, int count, char *error, size_t size) {
    for (int i = 0; i < count; i++) {
        void *place = jobs[i]->place;
        const size_t bytes = jobs[i]->bytes;
        let_host_see(place, bytes, true);
        memcpy(place, jobs[i], bytes);
        const bool fine = run_one(place, error, size);
        if (fine) memcpy(jobs[i], place, bytes);
        let_host_see(place, bytes, false);
        if (!fine) return false;
    }
    return true;
}
