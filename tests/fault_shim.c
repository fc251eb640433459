/* Preloaded into the command: makes one call fail, or kills the program at one.
       FAULT=memory:N    the Nth allocation fails;  FAULT=memory-from:N    so do all after it
       FAULT=kill:N      kill -9 at the Nth call that opens, writes, closes, renames, cuts or removes a file; what is
                         written in pieces (fwrite) has then reached the disk by half
   The number of such calls so far is left in the file $FAULT_COUNT when the program ends by itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static enum { UNKNOWN, NONE, MEMORY, MEMORY_FROM, KILL } mode;
static long wanted;
static atomic_long count;

/* The first call may come before constructors have run, and must not allocate. */
static void look_up(void) {
    static const char *const names[] = {"memory:", "memory-from:", "kill:"};
    const char *text = getenv("FAULT");
    mode = NONE;
    for (int i = 0; text && i < 3; i++) {
        if (strncmp(text, names[i], strlen(names[i])) != 0) continue;
        mode = MEMORY + i;
        wanted = strtol(text + strlen(names[i]), NULL, 10);
    }
}

static bool no_memory(void) {
    if (mode == UNKNOWN) look_up();
    if (mode != MEMORY && mode != MEMORY_FROM) return false;
    long now = atomic_fetch_add(&count, 1) + 1;
    if (mode == MEMORY ? now != wanted : now < wanted) return false;
    errno = ENOMEM;
    return true;
}

static bool last_call(void) {
    if (mode == UNKNOWN) look_up();
    return mode == KILL && atomic_fetch_add(&count, 1) + 1 == wanted;
}

static void die_if(bool last) {
    if (last) kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("FAULT_COUNT");
    if (mode == UNKNOWN) look_up();
    long total = atomic_load(&count);
    mode = NONE;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", total);
    fclose(file);
}

void *malloc(size_t size) { return no_memory() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return no_memory() ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return no_memory() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return no_memory() ? NULL : __libc_memalign(alignment, size); }

#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

FILE *fopen(const char *restrict path, const char *restrict how) {
    die_if(last_call());
    return REAL(fopen)(path, how);
}

size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict file) {
    if (last_call()) {
        REAL(fwrite)(from, 1, size * n / 2, file);
        REAL(fflush)(file);
        die_if(true);
    }
    return REAL(fwrite)(from, size, n, file);
}

int fprintf(FILE *restrict file, const char *restrict format, ...) {
    die_if(last_call());
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(file, format, arguments);
    va_end(arguments);
    return written;
}

int fflush(FILE *file) {
    die_if(last_call());
    int result = REAL(fflush)(file);
    die_if(last_call());
    return result;
}

int fclose(FILE *file) {
    bool last = last_call();
    if (last) REAL(fflush)(file);
    die_if(last);
    return REAL(fclose)(file);
}

int rename(const char *from, const char *to) {
    die_if(last_call());
    int result = REAL(rename)(from, to);
    die_if(last_call());
    return result;
}

int truncate(const char *path, off_t length) {
    die_if(last_call());
    return REAL(truncate)(path, length);
}

int remove(const char *path) {
    die_if(last_call());
    return REAL(remove)(path);
}
