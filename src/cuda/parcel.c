/* Parcels: memory, and where things lie in it. Interface: cuda/parcel.h. */
#include "cuda/parcel.h"

#include "cuda/driver.h"

#include <string.h>

void rn_parcel_free(rn_parcel *parcel) {
    if (parcel->job) rn_cuda_free_host(parcel->job);
    if (parcel->place) rn_cuda_free_far(parcel->place);
    if (parcel->has_begun) rn_cuda_free_host((void *)parcel->has_begun);
    *parcel = (rn_parcel){0};
}

bool rn_parcel_fit(rn_parcel *parcel, size_t bytes, char *error, size_t length) {
    error[0] = '\0';
    if (bytes <= parcel->room) return true;
    const size_t room = bytes + bytes / 4; /* lists grow by a few items at a time */
    rn_parcel_free(parcel);
    if (!rn_cuda_has_room(room, error, length)) return false;
    *parcel = (rn_parcel){.job = rn_cuda_alloc_host(room),
                          .place = rn_cuda_alloc_far(room),
                          .room = room,
                          .has_begun = rn_cuda_alloc_host(sizeof(bool))};
    const bool fits = parcel->job && parcel->place && parcel->has_begun;
    if (!fits) rn_parcel_free(parcel);
    return fits;
}

void rn_parcel_clear(rn_parcel *parcel) { parcel->used = 0; }

void *rn_parcel_add(rn_parcel *parcel, const void *item, size_t bytes) {
    char *here = (char *)parcel->job + parcel->used;
    if (item) memcpy(here, item, bytes);
    parcel->used += rn_parcel_room(bytes);
    return here;
}

void *rn_parcel_there(const rn_parcel *parcel, const void *here) {
    return parcel->place + ((const char *)here - (const char *)parcel->job);
}

void *rn_parcel_here(const rn_parcel *parcel, const void *there) {
    return (char *)parcel->job + ((const char *)there - parcel->place);
}
