/* Functions that differ between POSIX and Windows (platform.h). */
#include "base/platform.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#include <malloc.h>
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

double rn_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void rn_sleep(double seconds) {
    const double whole = floor(seconds);
    const struct timespec span = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (seconds - whole))};
    nanosleep(&span, NULL);
}

#ifdef _WIN32

int rn_cores(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (int)info.dwNumberOfProcessors : 1;
}

double rn_memory_total(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (double)status.ullTotalPhys : 0.0;
}

void *rn_aligned_alloc(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
void rn_aligned_free(void *memory) { _aligned_free(memory); }

bool rn_rename_over(const char *from, const char *to) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING)) return true;
    errno = GetLastError() == ERROR_PATH_NOT_FOUND || GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EACCES;
    return false;
}

/* 0, or -1 with errno. */
static int make_folder(const char *path) { return _mkdir(path); }

bool rn_truncate(const char *path, int64_t length) {
    FILE *file = fopen(path, "r+b");
    if (!file) return false;
    bool cut = _chsize_s(_fileno(file), length) == 0;
    fclose(file);
    return cut;
}

/* An absolute path, to be freed with free(), or NULL on failure. */
static char *full_path(const char *path) { return _fullpath(NULL, path, 0); }

long rn_process_number(void) { return (long)GetCurrentProcessId(); }

bool rn_program_path(char *path, size_t size) {
    DWORD length = GetModuleFileNameA(NULL, path, (DWORD)size);
    if (length == 0 || length >= size) return false;
    for (char *c = path; *c; c++)
        if (*c == '\\') *c = '/';
    return true;
}

bool rn_is_separator(char c) { return c == '/' || c == '\\'; }

bool rn_path_is_absolute(const char *path) { return rn_is_separator(path[0]) || (path[0] && path[1] == ':'); }

#else

int rn_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

double rn_memory_total(void) {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return 0.0;
#endif
}

enum { PAGE = 4096, LARGE = 16 << 20 }; /* bytes */

/* Large blocks ask for large pages, because each page needs a lookup and the rows of a large grid lie on different
   pages. */
void *rn_aligned_alloc(size_t alignment, size_t size) {
    char *memory = aligned_alloc(alignment, size);
#ifdef MADV_HUGEPAGE
    const size_t skip = PAGE - (size_t)memory % PAGE;
    if (memory && size >= LARGE) madvise(memory + skip, (size - skip) / PAGE * PAGE, MADV_HUGEPAGE); /* only a hint */
#endif
    return memory;
}

void rn_aligned_free(void *memory) { free(memory); }

bool rn_rename_over(const char *from, const char *to) { return rename(from, to) == 0; }

/* Creates a folder; returns 0, or -1 with errno. The umask limits who may use the folder. */
static int make_folder(const char *path) { return mkdir(path, 0777); }

bool rn_truncate(const char *path, int64_t length) { return truncate(path, (off_t)length) == 0; }

/* An absolute path, to be freed with free(), or NULL on failure. */
static char *full_path(const char *path) { return realpath(path, NULL); }

long rn_process_number(void) { return (long)getpid(); }

bool rn_program_path(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return true;
}

bool rn_is_separator(char c) { return c == '/'; }

bool rn_path_is_absolute(const char *path) { return path[0] == '/'; }

#endif

bool rn_make_folder(const char *path) {
    struct stat there;
    if (make_folder(path) == 0) return true;
    int reason = errno;
    if (stat(path, &there) == 0) {
        if (S_ISDIR(there.st_mode)) return true;
        reason = ENOTDIR;
    }
    errno = reason;
    return false;
}

bool rn_file_size(const char *path, int64_t *size) {
    struct stat there;
    if (stat(path, &there) != 0) return false;
    *size = S_ISREG(there.st_mode) ? (int64_t)there.st_size : -1;
    return true;
}

bool rn_path_from_root(const char *path, char *full, size_t size) {
    char *all = full_path(path);
    if (!all) return false;
    const bool fits = strlen(all) < size;
    if (fits) strcpy(full, all);
    else errno = ENAMETOOLONG;
    free(all);
    return fits;
}

char *rn_text_copy(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

const char *rn_path_name(const char *path) {
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (rn_is_separator(*c)) name = c + 1;
    return name;
}
