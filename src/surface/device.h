/* A device that builds surfaces: what it does for surface/build.c. A solver on a backend has one
   (rn_solver_class.device). */
#ifndef RN_SURFACE_DEVICE_H
#define RN_SURFACE_DEVICE_H

#include "surface/surface.h"

typedef struct rn_device_calls {
    void *(*alloc)(rn_device *device, size_t bytes); /* NULL, with a message, if it cannot */
    void (*free)(rn_device *device, void *memory);
    rn_result (*copy)(rn_device *device, void *to, const void *from, size_t bytes);
    /* Whether all of this memory is from `alloc`. */
    bool (*owns)(const rn_device *device, const void *memory, size_t bytes);
    /* Runs rn_surface_passes with a state whose arrays the device sees, and sets its results. Returns false if the
       device fails, and logs why; the mesh is undefined then. */
    bool (*surface)(rn_device *device, const rn_surface_state *state, rn_surface_end *end, rn_surface_counts *counts);
    /* Logs that surfaces are built on the CPU, unless this reason was given before. */
    void (*tell)(rn_device *device, const char *reason);
} rn_device_calls;

struct rn_device {
    const rn_device_calls *calls;
};

#endif
