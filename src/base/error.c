/* The error text of a thread, results as text, the log, and misuse of the API. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local struct {
    char text[1024];
    bool held;
} last_error;

const char *rn_last_error(void) { return last_error.text; }

void rn_error_hold(void) { last_error.held = true; }

bool rn_error_held(void) {
    bool held = last_error.held;
    last_error.held = false;
    return held;
}

const char *rn_version(void) {
#define RN_TEXT2(x) #x
#define RN_TEXT(x)  RN_TEXT2(x)
    return RN_TEXT(RN_VERSION_MAJOR) "." RN_TEXT(RN_VERSION_MINOR) "." RN_TEXT(RN_VERSION_PATCH);
}

const char *rn_result_text(rn_result result) {
    switch (result) {
#define RN_RESULT_CASE(name, text)                                                                                     \
    case name: return text;
        RN_RESULTS(RN_RESULT_CASE)
#undef RN_RESULT_CASE
    }
    return "an unknown result";
}

rn_result rn_fail(rn_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error.text, sizeof last_error.text, format, arguments);
    va_end(arguments);
    /* text from files may contain anything; a message is one line, without control characters */
    for (char *c = last_error.text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
    last_error.held = false;
    return result;
}

void rn_log(const rn_hooks *hooks, rn_log_level level, const char *format, ...) {
    if (!hooks || !hooks->log) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hooks->log(hooks->user, level, text);
}

void rn_misuse(const rn_hooks *hooks, const char *rule, const char *file, int line) {
    rn_fail(RN_INVALID, "%s:%d: invalid call: %s", file, line, rule);
    if (!hooks || !hooks->misuse) abort();
    hooks->misuse(hooks->user, rule, file, line);
}
