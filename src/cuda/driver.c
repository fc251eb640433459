/* The CUDA driver's C interface, as far as it is used here. Its names and numbers are those of NVIDIA's documentation;
   no header of theirs is needed to build. */
#include "cuda/driver.h"

#include "base/error.h"
#include "base/late_library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CUresult;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

enum {
    MEMORY_ATTACH_GLOBAL = 1,
    ATTRIBUTE_PROCESSORS = 16,
    ATTRIBUTE_COOPERATIVE = 95,
    ATTRIBUTE_CONCURRENT_MANAGED = 89,
    FUNCTION_SHARED_BYTES = 8,
    LIMIT_STACK = 0,
};

/* X(name, parameters) */
#define CALLS(X)                                                                                                       \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDeviceGet, (int *device, int number))                                                                          \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                                   \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, int device))                                                     \
    X(cuCtxSetCurrent, (CUcontext context))                                                                            \
    X(cuCtxSetLimit, (int limit, size_t value))                                                                        \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuModuleLoadData, (CUmodule * module, const void *image))                                                        \
    X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                                 \
    X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int threads, size_t shared))     \
    X(cuMemAllocManaged, (uint64_t * address, size_t size, unsigned flags))                                            \
    X(cuMemFree_v2, (uint64_t address))                                                                                \
    X(cuLaunchCooperativeKernel, (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,             \
                                  unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters))         \
    X(cuGetErrorString, (CUresult error, const char **text))

static struct {
#define MEMBER(name, parameters) CUresult(*name) parameters;
    CALLS(MEMBER)
#undef MEMBER
    CUcontext context;
    CUfunction kernel;
    int blocks;
    rn_result result;
} cuda;

enum { SHARED_BYTES = 72 * 1024, STACK_BYTES = 32 * 1024 };

/* Turns an error of the driver into a failure. */
static rn_result check(CUresult error, const char *what) {
    const char *text = "unknown error";
    if (error == 0) return RN_OK;
    if (cuda.cuGetErrorString) cuda.cuGetErrorString(error, &text);
    return rn_fail(RN_INVALID, "the GPU cannot be used: %s: %s (%d)", what, text ? text : "unknown error", error);
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const rn_result tried = check(cuda.call, #call);                                                               \
        if (tried != RN_OK) return tried;                                                                              \
    } while (0)

static rn_result load_calls(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return rn_fail(RN_INVALID, "there is no NVIDIA driver on this machine (%s)", dlerror());
#define FIND(name, parameters)                                                                                         \
    if (!rn_late_find(library, #name, &cuda.name, sizeof cuda.name))                                                   \
        return rn_fail(RN_INVALID, "the NVIDIA driver is too old: it has no %s", #name);
    CALLS(FIND)
#undef FIND
    return RN_OK;
}

static char *read_program(void) {
    const char *path = getenv("RUNNEL_PTX");
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    fclose(file);
    return text;
}

static rn_result open_device(void) {
    int device, processors = 0, per = 0;
    CUmodule module;
    const rn_result loaded = load_calls();
    if (loaded != RN_OK) return loaded;
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDeviceGetAttribute(&processors, ATTRIBUTE_PROCESSORS, device));
    TRY(cuDevicePrimaryCtxRetain(&cuda.context, device));
    TRY(cuCtxSetCurrent(cuda.context));
    TRY(cuCtxSetLimit(LIMIT_STACK, STACK_BYTES));
    char *program = read_program();
    if (!program) return rn_fail(RN_FILE, "the program for the GPU is missing");
    const rn_result result = check(cuda.cuModuleLoadData(&module, program), "cuModuleLoadData");
    free(program);
    if (result != RN_OK) return result;
    TRY(cuModuleGetFunction(&cuda.kernel, module, "rn_gpu_kernel"));
    TRY(cuFuncSetAttribute(cuda.kernel, FUNCTION_SHARED_BYTES, SHARED_BYTES));
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per, cuda.kernel, RN_GPU_LANES, SHARED_BYTES));
    cuda.blocks = processors * per;
    return RN_OK;
}

static void open_once(void) { cuda.result = open_device(); }

static void (*emulate)(rn_gpu_job *, int, int);
rn_result rn_cuda_open(void) {
    if (getenv("RUNNEL_EMULATE")) { /* EMULATE */
        void *lib = dlopen(getenv("RUNNEL_EMULATE"), RTLD_NOW);
        if (!lib) return rn_fail(RN_FILE, "%s", dlerror());
        rn_late_find(lib, "rn_gpu_emulate", &emulate, sizeof emulate);
        cuda.blocks = 3;
        return RN_OK;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    if (cuda.result != RN_OK) return cuda.result;
    return check(cuda.cuCtxSetCurrent(cuda.context), "cuCtxSetCurrent");
}

int rn_cuda_blocks(void) { return cuda.blocks; }

void *rn_cuda_alloc(size_t size) {
    uint64_t address = 0;
    if (emulate) return aligned_alloc(64, (size + 63) / 64 * 64);
    return cuda.cuMemAllocManaged(&address, size, MEMORY_ATTACH_GLOBAL) == 0 ? (void *)(uintptr_t)address : NULL;
}

void rn_cuda_free(void *memory) {
    if (emulate) {
        free(memory);
        return;
    }
    cuda.cuMemFree_v2((uint64_t)(uintptr_t)memory);
}

rn_result rn_cuda_run(rn_gpu_job *job) {
    void *parameters[] = {&job};
    if (emulate) {
        emulate(job, 3, 5);
        return RN_OK;
    }
    TRY(cuCtxSetCurrent(cuda.context));
    TRY(cuLaunchCooperativeKernel(cuda.kernel, (unsigned)cuda.blocks, 1, 1, RN_GPU_LANES, 1, 1, SHARED_BYTES, NULL,
                                  parameters));
    TRY(cuCtxSynchronize());
    return RN_OK;
}
