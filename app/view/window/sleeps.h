/* How often a thread has slept. */
#ifndef VIEW_SLEEPS_H
#define VIEW_SLEEPS_H

#include <stdint.h>

/* Returns how often the calling thread has given up the processor to wait for something; not how often it was
   interrupted because others needed the processor. Always 0 on systems that do not count this (Linux does). */
uint64_t thread_sleeps(void);

#endif
