/* Backends: solvers that do not run on the CPU, in libraries of their own. librunnel-cuda.so has those for NVIDIA GPUs
   (src/cuda). A library is opened when a world first needs it (rn_backend_find), so programs start without it and run
   on machines that do not have it. */
#ifndef RN_SOLVER_BACKEND_H
#define RN_SOLVER_BACKEND_H

#include "solver/pipe_self.h"

/* What a backend uses of this library. It does not link to it, so this library may be static or shared. */
typedef struct rn_backend_host {
    int version; /* RN_BACKEND_VERSION */
    size_t size; /* bytes of an rn_pipe_solver: both must have been built from the same sources */
    const rn_solver_class *explicit_solver, *implicit_solver;
    rn_result (*fail)(rn_result result, const char *text); /* leaves the text for rn_last_error */
    void (*log)(const rn_hooks *hooks, rn_log_level level, const char *text);
    void *(*alloc)(const rn_hooks *hooks, size_t count, size_t size);
    void (*free)(const rn_hooks *hooks, void *memory);
    /* Allocates memory for all that may be flooded, and for implicit substeps. *enough: substeps will not ask for more,
       until columns change. Returns RN_MEMORY, with a message, if memory runs out. */
    rn_result (*prepare)(rn_pipe_solver *solver, bool *enough);
} rn_backend_host;

enum { RN_BACKEND_VERSION = 5 };

/* The only symbol of a backend, named RN_BACKEND_ENTRY: returns its class for the solver of this name, or NULL with a
   message in rn_last_error. */
typedef const rn_solver_class *(*rn_backend_entry)(const rn_backend_host *host, const char *solver);
#define RN_BACKEND_ENTRY "rn_backend_solver"

/* Sets *found to the class of a solver on a backend ("cuda"), which stays valid until the program ends. Returns
   RN_INVALID, with a message, if the backend's library or the machine's driver is missing, or if the backend does not
   have this solver: *found may then be NULL. The caller checks the name of the backend: any name opens the same
   library. */
rn_result rn_backend_find(const char *solver, const char *backend, const rn_solver_class **found);

#endif
