/* machine.h and the lanes of base/lanes.h on an NVIDIA GPU, by the built-in functions of clang for PTX; and functions
   that the compiler expects by name. */
#include "cuda/machine.h"

/* The shared memory of the block; its size is set at launch. */
extern __attribute__((address_space(3), aligned(16))) char shared[];

int rn_lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }
int rn_lane_count(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
#if defined(RN_PLAIN) /* the first warp has the clock */
int rn_rank(void) { return __nvvm_read_ptx_sreg_tid_y() - 1; }
int rn_rank_count(void) { return __nvvm_read_ptx_sreg_ntid_y() - 1; }
void rn_lanes_meet(void) { __nvvm_barrier_sync_cnt(1, (unsigned)(rn_lane_count() * rn_rank_count())); }
bool machine_is_clock(void) { return __nvvm_read_ptx_sreg_tid_y() == 0; }
void machine_meet_clock(void) { __nvvm_barrier_sync(0); }
#else
int rn_rank(void) { return __nvvm_read_ptx_sreg_tid_y(); }
int rn_rank_count(void) { return __nvvm_read_ptx_sreg_ntid_y(); }
void rn_lanes_meet(void) { __nvvm_barrier_sync(0); }
#endif
int machine_block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
int machine_blocks(void) { return __nvvm_read_ptx_sreg_nctaid_x(); }
void *machine_shared(size_t from) { return (char *)shared + from; }
RN_SHARED void *machine_near(size_t from) { return shared + from; }
void machine_fetch(RN_SHARED float *to, const float *from) {
    __asm__ volatile(
        "{ .reg .u64 global; cvta.to.global.u64 global, %1; cp.async.cg.shared.global [%0], [global], 16; }" ::"l"(to),
        "l"(from)
        : "memory");
}
void machine_fetched(void) { __asm__ volatile("cp.async.wait_all;" ::: "memory"); }
bool machine_is_own(const void *address) { return __nvvm_isspacep_local(address); }
void machine_pause(void) {}
void machine_arrive(volatile uint32_t *count) {
    __asm__ volatile("fence.acq_rel.gpu; red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(count) : "memory");
}
uint32_t machine_count(const volatile uint32_t *count) {
    uint32_t value;
    __asm__ volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(count) : "memory");
    return value;
}
uint32_t machine_arrived(const volatile uint32_t *count) {
    uint32_t value;
    __asm__ volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(count) : "memory");
    return value;
}
int machine_add(int *to, int value) { return __nvvm_atom_add_gen_i(to, value); }
int machine_swap(int *to, int value) { return __nvvm_atom_xchg_gen_i(to, value); }
void machine_or(int *to, int bits) { __nvvm_atom_or_gen_i(to, bits); }
void machine_max(int *to, int value) { __nvvm_atom_max_gen_i(to, value); }
void machine_min(int *to, int value) { __nvvm_atom_min_gen_i(to, value); }
void machine_add_64(int64_t *to, int64_t value) { __nvvm_atom_add_gen_ll((long long *)to, value); }
int64_t machine_min_64(int64_t *to, int64_t value) { return __nvvm_atom_min_gen_ll((long long *)to, value); }
void machine_max_64(uint64_t *to, uint64_t value) { __nvvm_atom_max_gen_ull((unsigned long long *)to, value); }

/* A group is a warp; ranks of plain worlds are warps. */
int machine_group_lane(void) { return __nvvm_read_ptx_sreg_laneid(); }
int machine_group_size(void) { return 32; }
#if defined(RN_PLAIN)
int machine_group_max(int value) { return __nvvm_redux_sync_max(value, -1); }
#else
/* The threads of this warp, as bits: the last warp of a block has fewer. */
static int own_warp(void) {
    const int left = rn_lanes_all() - rn_lanes_own() / 32 * 32;
    return left < 32 ? (1 << left) - 1 : -1;
}
int machine_group_max(int value) { return __nvvm_redux_sync_max(value, own_warp()); }
bool machine_meet_any(bool value) { return __nvvm_bar0_or(value); }

/* In each round a thread adds the sum of as many threads before it as it has in its own. */
int64_t machine_group_before(int64_t value, int64_t *all) {
    const int warp = own_warp(), lane = machine_group_lane();
    uint64_t sum = (uint64_t)value;
    for (int apart = 1; apart < 32; apart *= 2) {
        const uint32_t low = (uint32_t)__nvvm_shfl_sync_up_i32((unsigned)warp, (int)(uint32_t)sum, apart, 0);
        const uint32_t high = (uint32_t)__nvvm_shfl_sync_up_i32((unsigned)warp, (int)(uint32_t)(sum >> 32), apart, 0);
        if (lane >= apart) sum += (uint64_t)high << 32 | low;
    }
    const int last = 31 - __builtin_clz((unsigned)warp);
    const uint32_t low = (uint32_t)__nvvm_shfl_sync_idx_i32((unsigned)warp, (int)(uint32_t)sum, last, 31);
    const uint32_t high = (uint32_t)__nvvm_shfl_sync_idx_i32((unsigned)warp, (int)(uint32_t)(sum >> 32), last, 31);
    *all = (int64_t)((uint64_t)high << 32 | low);
    return (int64_t)(sum - (uint64_t)value);
}
#endif

/* A rank of the program of surfaces is two warps, with a barrier of its own. Each warp passes what it has found to the
   other. */
static void meet_in_rank(void) { __asm__ volatile("barrier.sync %0, 64;" ::"r"(rn_rank() + 1) : "memory"); }
static uint64_t *passed_in_rank(void) {
    return (uint64_t *)machine_shared(8 * RN_SURFACE_JOB_WORDS + 512) + 2 * rn_rank();
}

uint64_t rn_bits_of_all(uint64_t bits) {
    uint64_t *passed = passed_in_rank();
    const uint32_t low = (uint32_t)__nvvm_redux_sync_or((int)bits, -1);
    const uint32_t high = (uint32_t)__nvvm_redux_sync_or((int)(bits >> 32), -1);
    if (rn_lane() % 32 == 0) passed[rn_lane() / 32] = (uint64_t)high << 32 | low;
    meet_in_rank();
    const uint64_t all = passed[0] | passed[1];
    meet_in_rank(); /* both have read it */
    return all;
}
uint32_t rn_count_before(uint32_t count, uint32_t *all) {
    uint64_t *passed = passed_in_rank();
    const int lane = rn_lane() % 32;
    uint32_t sum = count;
    for (int step = 1; step < 32; step *= 2) {
        const uint32_t before = (uint32_t)__nvvm_shfl_sync_up_i32(-1, (int)sum, step, 0);
        if (lane >= step) sum += before;
    }
    if (lane == 31) passed[rn_lane() / 32] = sum;
    meet_in_rank();
    const uint32_t first = (uint32_t)passed[0];
    *all = first + (uint32_t)passed[1];
    meet_in_rank();
    return (rn_lane() < 32 ? 0 : first) + sum - count;
}
void rn_put_bits(uint64_t *to, uint64_t bits) { __nvvm_atom_or_gen_ll((long long *)to, (long long)bits); }
void rn_put_count(uint32_t *to, uint32_t count) { __nvvm_atom_add_gen_i((int *)to, (int)count); }

/* ---- Functions that the compiler calls by name ------------------------------------------------------------------- */

/* Atomic access of C11, which clang does not generate for PTX, and memcmp. The argument `order` is ignored. */

uint32_t machine_fetch_or_4(volatile void *to, uint32_t bits, int order) __asm__("__atomic_fetch_or_4");
void machine_store_1(volatile void *to, uint8_t value, int order) __asm__("__atomic_store_1");
uint32_t machine_load_4(const volatile void *from, int order) __asm__("__atomic_load_4");
void machine_store_4(volatile void *to, uint32_t value, int order) __asm__("__atomic_store_4");
uint32_t machine_fetch_add_4(volatile void *to, uint32_t value, int order) __asm__("__atomic_fetch_add_4");
bool machine_exchange_4(volatile void *to, void *expected, uint32_t value, int success,
                        int failure) __asm__("__atomic_compare_exchange_4");
int machine_compare(const void *a, const void *b, size_t size) __asm__("memcmp");

/* Sets bits of a 32-bit number and returns the value before. */
uint32_t machine_fetch_or_4(volatile void *to, uint32_t bits, int order) {
    (void)order;
    return (uint32_t)__nvvm_atom_or_gen_i((int *)to, (int)bits);
}

/* Stores a byte. */
void machine_store_1(volatile void *to, uint8_t value, int order) {
    (void)order;
    *(volatile uint8_t *)to = value;
}

/* Stores a 32-bit number. */
void machine_store_4(volatile void *to, uint32_t value, int order) {
    (void)order;
    *(volatile uint32_t *)to = value;
}

/* Adds to a 32-bit number and returns the value before. */
uint32_t machine_fetch_add_4(volatile void *to, uint32_t value, int order) {
    (void)order;
    return (uint32_t)__nvvm_atom_add_gen_i((int *)to, (int)value);
}

/* Returns a 32-bit number. */
uint32_t machine_load_4(const volatile void *from, int order) {
    (void)order;
    return *(const volatile uint32_t *)from;
}

/* Stores `value` if *to equals *expected. Returns whether it did; *expected becomes the value before. */
bool machine_exchange_4(volatile void *to, void *expected, uint32_t value, int success, int failure) {
    const int old = *(int *)expected, was = __nvvm_atom_cas_gen_i((int *)to, old, (int)value);
    (void)success, (void)failure;
    *(int *)expected = was;
    return was == old;
}

/* memcmp(): -1, 0 or 1. */
int machine_compare(const void *a, const void *b, size_t size) {
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < size; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}
