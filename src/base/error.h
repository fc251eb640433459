/* The only way to fail: a result code and a message for the user. */
#ifndef RN_BASE_ERROR_H
#define RN_BASE_ERROR_H

#include "base/platform.h"

#include <runnel/base.h>

/* Stores the message for rn_last_error of this thread, cut at 1023 bytes and without control characters, and returns
   `result`. */
RN_PRINTF(2, 3) rn_result rn_fail(rn_result result, const char *format, ...);

/* Passes a line, cut at 511 bytes, to the log of a host; does nothing without hooks or log. */
RN_PRINTF(3, 4) void rn_log(const rn_hooks *hooks, rn_log_level level, const char *format, ...);

#if defined(RN_GPU) /* no text there */
static inline rn_result rn_only_result(rn_result result, size_t unused) { return (void)unused, result; }
#define rn_fail(result, ...)                                                                                           \
    rn_only_result(result, sizeof((rn_fail)(result, __VA_ARGS__))) /* arguments count as used */
#define rn_log(...) ((void)sizeof((rn_log)(__VA_ARGS__), 0))
#endif

/* For functions that return NULL: marks the message of this thread as not yet reported, so that a caller that is given
   the NULL keeps it. Any other failure removes the mark. */
void rn_error_hold(void);
/* Whether the message of this thread was marked by rn_error_hold; removes the mark. */
bool rn_error_held(void);

/* Sets the error text, and calls the misuse hook, after which it returns, or aborts without one; hooks may be NULL. */
void rn_misuse(const rn_hooks *hooks, const char *rule, const char *file, int line);

/* A rule that only a programmer can break. The value is true if the rule holds; otherwise rn_misuse is called, and the
   value is false if that returns. */
#define RN_REQUIRE(hooks, rule) ((rule) || (rn_misuse((hooks), #rule, __FILE__, __LINE__), false))

#endif
