/* Reads the system's count of waits of a thread. Interface: view/window/sleeps.h. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "view/window/sleeps.h"

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

uint64_t thread_sleeps(void) {
#if !defined(_WIN32) && defined(RUSAGE_THREAD)
    struct rusage used;
    if (getrusage(RUSAGE_THREAD, &used) == 0) return (uint64_t)used.ru_nvcsw;
#endif
    return 0;
}
