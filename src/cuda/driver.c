/* The GPU through the C interface of the CUDA driver. Interface: cuda/driver.h.

   The driver's library is opened at run time, and its functions and numbers are declared here as NVIDIA documents them,
   so no header of NVIDIA's is needed to build. */
#include "cuda/driver.h"
#include "cuda/plain_piece.h"
#include "cuda/surface_job.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef int CUresult;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

enum {
    MEMORY_ATTACH_GLOBAL = 1,
    ATTRIBUTE_PROCESSORS = 16,
    ATTRIBUTE_SHARED_BYTES = 97, /* of a block, at most */
    FUNCTION_SHARED_BYTES = 8,
    LIMIT_STACK = 0,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
};

/* The functions of the driver that are used: X(name, parameters) */
#define CALLS(X)                                                                                                       \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDeviceGet, (int *device, int number))                                                                          \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                                   \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, int device))                                                     \
    X(cuCtxSetCurrent, (CUcontext context))                                                                            \
    X(cuCtxSetLimit, (int limit, size_t value))                                                                        \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuModuleLoadDataEx, (CUmodule * module, const void *image, unsigned count, const int *options, void **values))   \
    X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                                 \
    X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int threads, size_t shared))     \
    X(cuMemGetInfo_v2, (size_t * left, size_t * all))                                                                  \
    X(cuMemAllocManaged, (uint64_t * address, size_t size, unsigned flags))                                            \
    X(cuMemAlloc_v2, (uint64_t * address, size_t size))                                                                \
    X(cuMemFree_v2, (uint64_t address))                                                                                \
    X(cuMemcpy, (uint64_t to, uint64_t from, size_t size))                                                             \
    X(cuMemcpyAsync, (uint64_t to, uint64_t from, size_t size, void *stream))                                          \
    X(cuMemHostAlloc, (void **memory, size_t size, unsigned flags))                                                    \
    X(cuMemFreeHost, (void *memory))                                                                                   \
    X(cuLaunchCooperativeKernel, (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,             \
                                  unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters))         \
    X(cuGetErrorString, (CUresult error, const char **text))

/* The driver's functions, and the GPU in use. */
static struct {
#define MEMBER(name, parameters) CUresult(*name) parameters;
    CALLS(MEMBER)
#undef MEMBER
    CUcontext context;
    int processors;  /* of the GPU */
    char error[256]; /* why the GPU cannot be used; "": it can */
} cuda;

enum { STACK_BYTES = 32 * 1024 };

/* The GPU's programs as PTX. The driver compiles them for the GPU of the machine and caches the result. */
__asm__(
    ".section .rodata\n.global rn_cuda_general\n.hidden rn_cuda_general\nrn_cuda_general:\n.incbin \"" RN_CUDA_PTX
    "general.ptx\"\n.byte 0\n.global rn_cuda_implicit\n.hidden rn_cuda_implicit\nrn_cuda_implicit:\n.incbin "
    "\"" RN_CUDA_PTX
    "implicit.ptx\"\n.byte 0\n.global rn_cuda_plain\n.hidden rn_cuda_plain\nrn_cuda_plain:\n.incbin \"" RN_CUDA_PTX
    "plain.ptx\"\n.byte 0\n.global rn_cuda_acting\n.hidden rn_cuda_acting\nrn_cuda_acting:\n.incbin \"" RN_CUDA_PTX
    "acting.ptx\"\n.byte 0\n.global rn_cuda_linked\n.hidden rn_cuda_linked\nrn_cuda_linked:\n.incbin \"" RN_CUDA_PTX
    "linked.ptx\"\n.byte 0\n.global rn_cuda_surface\n.hidden rn_cuda_surface\nrn_cuda_surface:\n.incbin \"" RN_CUDA_PTX
    "surface.ptx\"\n.byte 0\n.text\n");
extern const char rn_cuda_general[], rn_cuda_implicit[], rn_cuda_plain[], rn_cuda_acting[], rn_cuda_linked[],
    rn_cuda_surface[];

/* A kernel of a program, and how it is launched. */
typedef struct program {
    const char *ptx, *name;
    unsigned lanes, ranks; /* threads of a block along x and y; in plain worlds the first rank has the clock */
    int shared;            /* bytes of memory that they share */
    int most;              /* blocks on a multiprocessor at once */
    CUfunction kernel;     /* NULL: not loaded yet */
    int blocks;            /* that run at once */
} program;

/* Those of worlds with sources follow the others; linked worlds have the same whether they have sources or not. */
enum {
    GENERAL,
    IMPLICIT,
    PLAIN_LARGE,
    PLAIN_SMALL,
    ACTING_LARGE,
    ACTING_SMALL,
    LINKED_LARGE,
    LINKED_SMALL,
    PROGRAMS,
    SURFACE = PROGRAMS
};
enum { MOST_BLOCKS = 8 };
static program programs[PROGRAMS + 1] = {
    {rn_cuda_general, "rn_gpu_kernel", RN_GPU_LANES, RN_GPU_RANKS, RN_GPU_SHARED, 1, NULL, 0},
    {rn_cuda_implicit, "rn_gpu_kernel", RN_GPU_LANES, RN_GPU_RANKS, RN_GPU_SHARED, 1, NULL, 0},
    {rn_cuda_plain, "rn_plain_large", 32, 9, RN_PLAIN_SHARED, MOST_BLOCKS, NULL, 0},
    {rn_cuda_plain, "rn_plain_small", 32, 17, RN_PLAIN_SHARED, MOST_BLOCKS, NULL, 0},
    {rn_cuda_acting, "rn_plain_large", 32, 9, RN_PLAIN_SHARED, MOST_BLOCKS, NULL, 0},
    {rn_cuda_acting, "rn_plain_small", 32, 17, RN_PLAIN_SHARED, MOST_BLOCKS, NULL, 0},
    {rn_cuda_linked, "rn_plain_large", 32, 9, RN_LINKED_SHARED, MOST_BLOCKS, NULL, 0},
    {rn_cuda_linked, "rn_plain_small", 32, 17, RN_LINKED_SHARED, MOST_BLOCKS, NULL, 0},
    {rn_cuda_surface, "rn_surface_kernel", RN_SURFACE_LANES, RN_SURFACE_RANKS, RN_SURFACE_SHARED, 2, NULL, 0},
};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* of programs */

/* Returns whether a call of the driver succeeded. If not, stores a message with the name of the call, `what`, in
   cuda.error. */
static bool went_well(CUresult result, const char *what) {
    const char *text = NULL;
    if (result == 0) return true;
    cuda.cuGetErrorString(result, &text);
    snprintf(cuda.error, sizeof cuda.error, "the GPU cannot be used: %s: %s (%d)", what, text ? text : "unknown error",
             result);
    return false;
}

/* Calls a function of the driver; false if it fails. */
#define CALL(name, ...) went_well(cuda.name(__VA_ARGS__), #name)

/* Opens the driver's library, which stays open, and finds its functions. On failure returns false, and cuda.error says
   what is missing. */
static bool find_calls(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
    const char *missing = NULL;
    if (!library) {
        snprintf(cuda.error, sizeof cuda.error, "there is no NVIDIA driver on this machine: %s", dlerror());
        return false;
    }
#define FIND(name, parameters)                                                                                         \
    symbol = dlsym(library, #name);                                                                                    \
    memcpy(&cuda.name, &symbol, sizeof symbol); /* ISO C has no cast for this */                                       \
    if (!symbol) missing = #name;
    CALLS(FIND)
#undef FIND
    if (missing) snprintf(cuda.error, sizeof cuda.error, "the NVIDIA driver is too old: it has no %s", missing);
    return !missing;
}

/* Has the driver compile and load a program. Returns false on failure; then cuda.error says why, in the words of the
   driver's compiler. */
static bool load_module(CUmodule *module, const char *ptx) {
    const int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    char log[512] = "";
    void *values[] = {log, (void *)sizeof log};
    if (CALL(cuModuleLoadDataEx, module, ptx, 2, options, values)) return true;
    const size_t length = strlen(cuda.error);
    if (log[0]) snprintf(cuda.error + length, sizeof cuda.error - length, ": %.*s", (int)strcspn(log, "\n"), log);
    return false;
}

/* Loads p->kernel, and sets p->blocks to how many of its blocks run at once. Returns false on failure; then cuda.error
   says why. */
static bool load(program *p) {
    CUmodule module;
    CUfunction kernel;
    int per = 0;
    if (!load_module(&module, p->ptx) || !CALL(cuModuleGetFunction, &kernel, module, p->name) ||
        !CALL(cuFuncSetAttribute, kernel, FUNCTION_SHARED_BYTES, p->shared) ||
        !CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, &per, kernel, (int)(p->lanes * p->ranks), (size_t)p->shared))
        return false;
    p->blocks = cuda.processors * (per < p->most ? per : p->most);
    if (p->blocks > 0) p->kernel = kernel;
    else
        snprintf(cuda.error, sizeof cuda.error,
                 "the GPU cannot be used: a block needs more resources than a multiprocessor has");
    return p->blocks > 0;
}

/* Opens the first GPU, and loads a short program to see whether the driver takes it. On failure cuda.error has a
   message; what was opened stays open. Called once. */
static void open_device(void) {
    int device, shared = 0;
    if (!find_calls() || !CALL(cuInit, 0) || !CALL(cuDeviceGet, &device, 0) ||
        !CALL(cuDeviceGetAttribute, &cuda.processors, ATTRIBUTE_PROCESSORS, device) ||
        !CALL(cuDeviceGetAttribute, &shared, ATTRIBUTE_SHARED_BYTES, device))
        return;
    if (shared < RN_GPU_SHARED) {
        snprintf(cuda.error, sizeof cuda.error,
                 "the GPU cannot be used: its blocks share at most %d KiB of memory, and %d KiB are needed",
                 shared / 1024, RN_GPU_SHARED / 1024);
        return;
    }
    if (!CALL(cuDevicePrimaryCtxRetain, &cuda.context, device) || !CALL(cuCtxSetCurrent, cuda.context) ||
        !CALL(cuCtxSetLimit, LIMIT_STACK, STACK_BYTES))
        return;
    load(&programs[PLAIN_LARGE]);
}

bool rn_cuda_open(char *error, size_t size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_device);
    snprintf(error, size, "%s", cuda.error);
    return cuda.error[0] == '\0';
}

int rn_cuda_blocks(void) { return cuda.processors; }
int rn_cuda_plain_blocks(void) { return cuda.processors * MOST_BLOCKS; }

bool rn_cuda_has_room(size_t size, char *error, size_t length) {
    size_t left = 0, all = 0;
    cuda.cuCtxSetCurrent(cuda.context);
    if (cuda.cuMemGetInfo_v2(&left, &all) != 0 || size <= left) return true;
    snprintf(error, length, "the GPU has %.0f MB of free memory, and this world needs %.0f MB more",
             (double)left * 1e-6, (double)size * 1e-6);
    return false;
}

void *rn_cuda_alloc(size_t size) {
    uint64_t address = 0;
    cuda.cuCtxSetCurrent(cuda.context);
    return cuda.cuMemAllocManaged(&address, size, MEMORY_ATTACH_GLOBAL) == 0 ? (void *)(uintptr_t)address : NULL;
}

void *rn_cuda_alloc_far(size_t size) {
    uint64_t address = 0;
    cuda.cuCtxSetCurrent(cuda.context);
    return cuda.cuMemAlloc_v2(&address, size) == 0 ? (void *)(uintptr_t)address : NULL;
}

void rn_cuda_free(void *memory) {
    cuda.cuCtxSetCurrent(cuda.context);
    cuda.cuMemFree_v2((uint64_t)(uintptr_t)memory);
}

void rn_cuda_free_far(void *memory) { rn_cuda_free(memory); }

/* The program with this number, loaded now if no job has needed it before; NULL on failure, and cuda.error says why. */
static const program *loaded(int number) {
    pthread_mutex_lock(&loading);
    const bool fine = programs[number].kernel || load(&programs[number]);
    pthread_mutex_unlock(&loading);
    return fine ? &programs[number] : NULL;
}

bool rn_cuda_copy(void *to, const void *from, size_t size, char *error, size_t length) {
    const bool fine =
        CALL(cuCtxSetCurrent, cuda.context) && CALL(cuMemcpy, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size);
    if (!fine) snprintf(error, length, "%s", cuda.error);
    return fine;
}

void *rn_cuda_alloc_host(size_t size) {
    void *memory = NULL;
    cuda.cuCtxSetCurrent(cuda.context);
    if (cuda.cuMemHostAlloc(&memory, size, 0) != 0) return NULL;
    return memset(memory, 0, size);
}

void rn_cuda_free_host(void *memory) {
    cuda.cuCtxSetCurrent(cuda.context);
    cuda.cuMemFreeHost(memory);
}

/* The number of the program for a job. A plain world without sources has one of its own. A world that runs alone, and
   has at most as many pieces as there are multiprocessors, gets larger blocks. */
static int program_for(const rn_gpu_job *job, bool alone) {
    if (!job->is_plain) return job->implicit ? IMPLICIT : GENERAL;
    const int large = job->plain.linked ? LINKED_LARGE : job->acts ? ACTING_LARGE : PLAIN_LARGE;
    return alone && job->pieces <= cuda.processors ? large + 1 : large;
}

bool rn_cuda_must_load(rn_gpu_job *const *jobs, int count) {
    bool missing = false;
    pthread_mutex_lock(&loading);
    for (int i = 0; i < count && !missing; i++) missing = !programs[program_for(jobs[i], count == 1)].kernel;
    pthread_mutex_unlock(&loading);
    return missing;
}

/* Copies the parcel of a job to the GPU, or back, without waiting for the end. Copies and programs run in the order of
   these calls. Returns false on failure; then cuda.error says why. */
static bool send(rn_gpu_job *job) {
    return CALL(cuMemcpyAsync, (uint64_t)(uintptr_t)job->place, (uint64_t)(uintptr_t)job, job->bytes, NULL);
}
static bool fetch(rn_gpu_job *job) {
    return CALL(cuMemcpyAsync, (uint64_t)(uintptr_t)job, (uint64_t)(uintptr_t)job->place, job->bytes, NULL);
}

/* Runs jobs with this program, at most as many as it has blocks, without waiting for their end. Returns false on
   failure; then cuda.error says why. */
static bool launch(const program *p, rn_gpu_job *const *jobs, int count) {
    rn_gpu_jobs copy = {{NULL}};
    void *parameters[] = {&copy};
    int pieces = 1;
    for (int i = 0; i < count; i++) {
        copy.at[i] = jobs[i]->place;
        if (jobs[i]->pieces > pieces) pieces = jobs[i]->pieces;
    }
    const int share = p->blocks / count;
    const int blocks = jobs[0]->is_plain && pieces < share ? pieces : share; /* more would only wait */
    return CALL(cuLaunchCooperativeKernel, p->kernel, (unsigned)blocks, (unsigned)count, 1, p->lanes, p->ranks, 1,
                (unsigned)p->shared, NULL, parameters);
}

/* Runs all jobs that have this program, as launch does. Returns false on failure; then cuda.error says why. */
static bool run_all(int number, rn_gpu_job *const *jobs, int count) {
    rn_gpu_job *some[RN_MOST_WORLDS];
    int found = 0;
    const program *p = NULL;
    for (int i = 0; i <= count; i++) {
        if (i < count && program_for(jobs[i], count == 1) == number) {
            if (!p) p = loaded(number);
            if (!p) return false;
            some[found++] = jobs[i];
        }
        const bool full = found == RN_MOST_WORLDS || (p && found == p->blocks);
        if (found > 0 && (full || i == count)) {
            if (!launch(p, some, found)) return false;
            found = 0;
        }
    }
    return true;
}

bool rn_cuda_run(rn_gpu_job *const *jobs, int count, char *error, size_t size) {
    bool fine = CALL(cuCtxSetCurrent, cuda.context);
    for (int i = 0; i < count && fine; i++) fine = send(jobs[i]);
    for (int number = 0; number < PROGRAMS && fine; number++) fine = run_all(number, jobs, count);
    for (int i = 0; i < count && fine; i++) fine = fetch(jobs[i]);
    if (fine) fine = CALL(cuCtxSynchronize);
    else cuda.cuCtxSynchronize(); /* nothing may run any more */
    snprintf(error, size, "%s", fine ? "" : cuda.error);
    return fine;
}

bool rn_cuda_build(const rn_gpu_words *job, int items, char *error, size_t size) {
    rn_gpu_words copy = *job;
    void *parameters[] = {&copy};
    const bool ready = CALL(cuCtxSetCurrent, cuda.context);
    const program *p = ready ? loaded(SURFACE) : NULL;
    const int most = (items + RN_SURFACE_RANKS - 1) / RN_SURFACE_RANKS; /* more would only wait */
    const bool fine = p &&
                      CALL(cuLaunchCooperativeKernel, p->kernel, (unsigned)(most < p->blocks ? most : p->blocks), 1, 1,
                           p->lanes, p->ranks, 1, (unsigned)p->shared, NULL, parameters) &&
                      CALL(cuCtxSynchronize);
    if (!fine) snprintf(error, size, "%s", cuda.error);
    return fine;
}
