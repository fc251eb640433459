/* Everything that differs between POSIX and Windows, so that no other file needs to know, and small functions on paths
   and texts. */
#ifndef RN_BASE_PLATFORM_H
#define RN_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lets the compiler check printf formats; on Windows these are the standard ones too (__USE_MINGW_ANSI_STDIO). */
#if defined(_WIN32) && defined(__GNUC__)
#define RN_PRINTF(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#elif defined(__GNUC__)
#define RN_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define RN_PRINTF(format_at, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The number of cores that threads may run on, at least 1. */
int rn_cores(void);
/* A monotonic clock (s), from an arbitrary start. */
double rn_clock(void);
/* Sleeps for `seconds`, 0 or more; less if a signal arrives. */
void rn_sleep(double seconds);
/* The memory of this machine (bytes), 0 if unknown. */
double rn_memory_total(void);
/* Allocates `size` bytes, not cleared; `size` must be a multiple of `alignment`, a power of two. Returns NULL, without
   an error text, if memory runs out. Free with rn_aligned_free. */
void *rn_aligned_alloc(size_t alignment, size_t size);
void rn_aligned_free(void *memory); /* NULL is allowed */

/* Renames a file to `to`, replacing any existing file atomically: others see the old file or the new one. On failure
   returns false, and errno says why. */
bool rn_rename_over(const char *from, const char *to);
/* Creates a folder, but not those above it; also true if it exists already. On failure returns false, and errno says
   why. */
bool rn_make_folder(const char *path);
/* Truncates a file to its first `length` bytes, or extends it with zeros. On failure returns false, and errno says
   why. */
bool rn_truncate(const char *path, int64_t length);
/* Sets *size to the size of a file (bytes), or to -1 for a folder or a device. On failure returns false, and errno says
   why. */
bool rn_file_size(const char *path, int64_t *size);
/* Writes the absolute path of an existing file to `full`, of `size` bytes. On failure returns false, with `full`
   unchanged, and errno says why. */
bool rn_path_from_root(const char *path, char *full, size_t size);
/* The process id. */
long rn_process_number(void);
/* Writes the path of the running program, with '/' between folders, to `path`, of `size` bytes. Returns false if the
   path is not known or, on Windows, does not fit; elsewhere a path that does not fit is cut. */
bool rn_program_path(char *path, size_t size);

/* A copy of the first `length` bytes of a text, which has as many, with a 0 at its end; free it with free(). Returns
   NULL, without an error text, if memory runs out. */
char *rn_text_copy(const char *text, size_t length);

/* Whether c separates folders: '/', on Windows also '\'. */
bool rn_is_separator(char c);
/* The last name in a path, as a pointer into it: the whole path if it has no folder, "" if it ends with a separator. */
const char *rn_path_name(const char *path);
/* Whether a path is absolute. */
bool rn_path_is_absolute(const char *path);

#ifdef __cplusplus
}
#endif

#endif
