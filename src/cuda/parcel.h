/* What a world sends to the GPU before its substeps, and fetches after them, in one piece: the job, then the solver's
   own struct, the list of what to keep, and the copy of the world. Memory that host and GPU both see would do, too, but
   its pages would move to the GPU and back in every frame.

   A parcel has the same size on both sides. Its pointers are addresses on the GPU. */
#ifndef RN_CUDA_PARCEL_H
#define RN_CUDA_PARCEL_H

#include "cuda/job.h"

typedef struct rn_parcel {
    rn_gpu_job *job; /* its begin here; NULL: there is none yet */
    char *place;     /* its begin on the GPU */
    size_t room;     /* bytes on both sides */
    size_t used;
    volatile bool *has_begun; /* for rn_gpu_job; memory of the host */
} rn_parcel;

/* The room that an item of so many bytes takes: items are aligned to 64 bytes. */
static inline size_t rn_parcel_room(size_t bytes) { return (bytes + 63) / 64 * 64; }
/* Makes room for so many bytes; what a parcel had is lost if it must grow. Returns false if memory runs out. Then there
   is no parcel, and `error`, of `length` bytes, says how much memory there is, or is "". */
bool rn_parcel_fit(rn_parcel *parcel, size_t bytes, char *error, size_t length);
void rn_parcel_free(rn_parcel *parcel);
/* Empties a parcel. */
void rn_parcel_clear(rn_parcel *parcel);
/* Adds an item of so many bytes, for which there is room: a copy of `item`, or, if that is NULL, whatever the caller
   writes there. Returns its address here. */
void *rn_parcel_add(rn_parcel *parcel, const void *item, size_t bytes);
/* The address on the GPU of what has this address here, and the other way round. */
void *rn_parcel_there(const rn_parcel *parcel, const void *here);
void *rn_parcel_here(const rn_parcel *parcel, const void *there);

#endif
