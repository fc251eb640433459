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

typedef struct gpu_device {
    rn_device device;
    const rn_backend_host *host;
    rn_hooks hooks;
    rn_surface_meeting *meeting;
    rn_surface_result *result;
    const char *told[MOST_REASONS]; /* why surfaces were built on the CPU */
    bool lost;                      /* the GPU has failed */
} gpu_device;

/* rn_device_calls.alloc: memory that host and GPU see. Logs it if there is too little. */
static void *alloc(rn_device *device, size_t bytes) {
    const gpu_device *d = (gpu_device *)device;
    char error[256];
    if (rn_cuda_has_room(bytes, error, sizeof error)) return rn_cuda_alloc(bytes ? bytes : 1);
    d->host->log(&d->hooks, RN_LOG_WARNING, error);
    return NULL;
}

static void free_memory(rn_device *device, void *memory) {
    (void)device;
    rn_cuda_free(memory);
}

static rn_result copy(rn_device *device, void *to, const void *from, size_t bytes) {
    const gpu_device *d = (gpu_device *)device;
    char error[256] = "";
    return rn_cuda_copy(to, from, bytes, error, sizeof error) ? RN_OK : d->host->fail(RN_INVALID, error);
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
    .alloc = alloc, .free = free_memory, .copy = copy, .surface = surface, .tell = tell};

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
    host->free(&hooks, d);
}
