/* The one way to fail: a result code and a sentence for the user. */
#ifndef RN_BASE_ERROR_H
#define RN_BASE_ERROR_H

#include "base/platform.h"

#include <runnel/base.h>

/* Stores the sentence for rn_last_error and returns `result`. */
RN_PRINTF(2, 3) rn_result rn_fail(rn_result result, const char *format, ...);

RN_PRINTF(3, 4) void rn_log(const rn_hooks *hooks, rn_log_level level, const char *format, ...);

#if defined(RN_GPU) /* no text there */
#define rn_fail(result, ...) (result)
#define rn_log(...)          ((void)0)
#endif

/* For functions that return NULL: marks the sentence as still to be told. rn_error_held says whether there is such a
   one, once; any other failure unmarks it. */
void rn_error_hold(void);
bool rn_error_held(void);

void rn_misuse(const rn_hooks *hooks, const char *rule, const char *file, int line);

/* A rule that only a programmer can break. True if it was kept. */
#define RN_REQUIRE(hooks, rule) ((rule) || (rn_misuse((hooks), #rule, __FILE__, __LINE__), false))

#endif
