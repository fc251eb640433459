/* The host's side of surfaces on the GPU: memory, and jobs for the program of cuda/surface_program.c.

   Interface: cuda/surface.h. A job lies in the parameters of its launch, and its result in memory of the host that the
   GPU writes to, so that no page of shared memory moves between host and GPU in a frame. */
#include "cuda/surface.h"

#include "cuda/driver.h"
#include "cuda/surface_job.h"
#include "surface/device.h"

#include <stdio.h>
#include <string.h>

enum { MOST_REASONS = 8 };

/* Memory of rn_device_alloc. */
typedef struct block {
    char *at;
    size_t bytes;
} block;

typedef struct gpu_device {
    rn_device device;
    const rn_backend_host *host;
    rn_hooks hooks;
    rn_surface_meeting *meeting;
    rn_surface_result *result;
    const char *told[MOST_REASONS]; /* why surfaces were built on the CPU */
    block *blocks;
    int block_count, block_room;
    bool lost; /* the GPU has failed */
} gpu_device;

/* Makes room in the list for one more block. Returns false, with a message, if memory runs out. */
static bool fit_blocks(gpu_device *d) {
    if (d->block_count < d->block_room) return true;
    const int room = 2 * d->block_room + 16;
    block *more = d->host->alloc(&d->hooks, (size_t)room, sizeof *more);
    if (!more) return false;
    if (d->blocks) memcpy(more, d->blocks, (size_t)d->block_count * sizeof *more);
    d->host->free(&d->hooks, d->blocks);
    d->blocks = more;
    d->block_room = room;
    return true;
}

/* rn_device_calls.alloc: memory that host and GPU see. */
static void *alloc(rn_device *device, size_t bytes) {
    gpu_device *d = (gpu_device *)device;
    char error[256] = "the GPU has failed, so there is no memory of it";
    void *memory = NULL;
    if (!d->lost && !fit_blocks(d)) return NULL;
    if (!d->lost && rn_cuda_has_room(bytes, error, sizeof error)) {
        memory = rn_cuda_alloc(bytes ? bytes : 1);
        snprintf(error, sizeof error, "the GPU's driver has no %zu bytes of memory", bytes);
    }
    if (memory) d->blocks[d->block_count++] = (block){memory, bytes};
    else d->host->fail(RN_MEMORY, error);
    return memory;
}

static void free_memory(rn_device *device, void *memory) {
    gpu_device *d = (gpu_device *)device;
    for (int i = 0; i < d->block_count; i++) {
        if (d->blocks[i].at != memory) continue;
        d->blocks[i] = d->blocks[--d->block_count];
        rn_cuda_free(memory);
        return;
    }
}

static bool owns(const rn_device *device, const void *memory, size_t bytes) {
    const gpu_device *d = (const gpu_device *)device;
    const uintptr_t at = (uintptr_t)memory;
    for (int i = 0; i < d->block_count; i++) {
        const uintptr_t first = (uintptr_t)d->blocks[i].at;
        if (at >= first && at - first <= d->blocks[i].bytes && bytes <= d->blocks[i].bytes - (at - first)) return true;
    }
    return false;
}

/* rn_device_calls.copy. Once the GPU has failed, only memory that the host sees can be copied: blocks of the device,
   and the host's own on the other side of them. */
static rn_result copy(rn_device *device, void *to, const void *from, size_t bytes) {
    gpu_device *d = (gpu_device *)device;
    char error[256] = "the GPU has failed, and with it memory that only it sees";
    if (!d->lost && rn_cuda_copy(to, from, bytes, error, sizeof error)) return RN_OK;
    if (!owns(device, to, bytes) && !owns(device, from, bytes)) return d->host->fail(RN_DRIVER, error);
    memcpy(to, from, bytes);
    return RN_OK;
}

/* rn_device_calls.surface: runs a job. After a failure every other one fails at once. */
static bool surface(rn_device *device, const rn_surface_state *state, rn_surface_end *end, rn_surface_counts *counts) {
    gpu_device *d = (gpu_device *)device;
    rn_gpu_words words = {{0}};
    char error[256] = "";
    if (d->lost) return false;
    rn_surface_job job = {.state = *state,
                          .columns = *state->columns,
                          .def = *state->def,
                          .mesh = *state->mesh,
                          .meeting = d->meeting,
                          .result = d->result};
    if (state->meniscus) job.meniscus = *state->meniscus;
    memcpy(&words, &job, sizeof job);
    if (!rn_cuda_build(&words, state->t.ny * state->t.words, error, sizeof error)) {
        d->lost = true;
        d->host->log(&d->hooks, RN_LOG_WARNING, error);
        return false;
    }
    *end = d->result->end;
    *counts = d->result->counts;
    return true;
}

static void tell(rn_device *device, const char *reason) {
    gpu_device *d = (gpu_device *)device;
    char text[256];
    int i = 0;
    while (i < MOST_REASONS && d->told[i] && strcmp(d->told[i], reason) != 0) i++;
    if (i == MOST_REASONS || d->told[i]) return;
    d->told[i] = reason;
    snprintf(text, sizeof text, "the surface is built on the CPU: %s", reason);
    d->host->log(&d->hooks, RN_LOG_WARNING, text);
}

static const rn_device_calls calls = {
    .alloc = alloc, .free = free_memory, .copy = copy, .owns = owns, .surface = surface, .tell = tell};

rn_device *rn_gpu_device_create(const rn_backend_host *host, const rn_hooks *hooks) {
    gpu_device *d = host->alloc(hooks, 1, sizeof *d);
    if (!d) return NULL;
    *d = (gpu_device){.device = {&calls}, .host = host, .hooks = *hooks};
    d->meeting = rn_cuda_alloc(sizeof *d->meeting);
    d->result = rn_cuda_alloc_host(sizeof *d->result);
    if (d->meeting && d->result) {
        memset(d->meeting, 0, sizeof *d->meeting);
        return &d->device;
    }
    host->fail(RN_MEMORY, "the GPU has too little memory to build surfaces");
    rn_gpu_device_destroy(&d->device);
    return NULL;
}

void rn_gpu_device_destroy(rn_device *device) {
    gpu_device *d = (gpu_device *)device;
    if (!d) return;
    const rn_hooks hooks = d->hooks;
    const rn_backend_host *host = d->host;
    if (d->meeting) rn_cuda_free(d->meeting);
    if (d->result) rn_cuda_free_host(d->result);
    host->free(&hooks, d->blocks);
    host->free(&hooks, d);
}
