/* Libraries that are opened when they are used: some need a hundred others, which a program that never touches
   their files should not wait for. */
#ifndef RN_BASE_LATE_LIBRARY_H
#define RN_BASE_LATE_LIBRARY_H

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

/* Looks up a function and stores it at `call`, a pointer to a function of `size` bytes; false: the library has none. */
static inline bool rn_late_find(void *library, const char *name, void *call, size_t size) {
    void *found = dlsym(library, name);
    memcpy(call, &found, size); /* ISO C has no cast for this */
    return found != NULL;
}

/* For lists of calls, X(name), in a struct whose members have their names. */
#define RN_LATE_MEMBER(name) __typeof__(name) *name;
#define RN_LATE_FIND(name)   all = all && rn_late_find(library, #name, &calls->name, sizeof calls->name);

/* Opens a library; NULL after a sentence that says why `path` cannot be written. Never closed: such libraries keep
   threads and exits of their own. */
static inline void *rn_late_open(const char *file, const char *path) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) rn_fail(RN_FILE, "%s: cannot be written without %s: %s", path, file, dlerror());
    return library;
}

#endif
