/* Libraries that are opened on first use: some need a hundred others, which a program that never uses them should
   not load. */
#ifndef RN_BASE_LATE_LIBRARY_H
#define RN_BASE_LATE_LIBRARY_H

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

/* Looks up a function of an open library and stores it at `call`, a function pointer of `size` bytes. Returns false,
   without a message and with the pointer NULL, if the library does not have it. */
static inline bool rn_late_find(void *library, const char *name, void *call, size_t size) {
    void *found = dlsym(library, name);
    memcpy(call, &found, size); /* ISO C has no cast for this */
    return found != NULL;
}

/* For lists of functions, X(name), in a struct whose members have their names. */
#define RN_LATE_MEMBER(name) __typeof__(name) *name;
#define RN_LATE_FIND(name)   all = all && rn_late_find(library, #name, &calls->name, sizeof calls->name);

/* Opens the library `file`, and returns its handle. On failure returns NULL, with an error text that says that `path`,
   the file to write, needs the library. Never closed: such libraries keep their own threads and exit handlers. */
static inline void *rn_late_open(const char *file, const char *path) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) rn_fail(RN_FILE, "%s: cannot be written without %s: %s", path, file, dlerror());
    return library;
}

#endif
