/* Limits of time are for an idle machine: make nightly sets RUNNEL_TIMED, and nothing else does. */
#ifndef TIMED_H
#define TIMED_H

#include <stdlib.h>

#define ASSERT_QUICK(seconds, most) assert_true(!getenv("RUNNEL_TIMED") || (seconds) < (most))

#endif
