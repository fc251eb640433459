/* The device of a world on the GPU: what builds its surfaces there (surface/device.h). */
#ifndef RN_CUDA_SURFACE_H
#define RN_CUDA_SURFACE_H

#include "solver/backend.h"

/* Creates a device, which logs through these hooks. Returns NULL, with a message, if memory runs out. */
struct rn_device *rn_gpu_device_create(const rn_backend_host *host, const rn_hooks *hooks);
/* NULL is allowed. */
void rn_gpu_device_destroy(struct rn_device *device);

#endif
