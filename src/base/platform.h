/* What differs between POSIX and Windows, so that no other file has to know. */
#ifndef RN_BASE_PLATFORM_H
#define RN_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the compiler to check printf's formats, which are the standard's on Windows too (__USE_MINGW_ANSI_STDIO). */
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

/* Cores that threads may run on, at least 1. */
int rn_cores(void);
/* A clock that only goes forward (s). */
double rn_clock(void);
void rn_sleep(double seconds);
/* Bytes of memory in this machine, 0 if unknown. */
double rn_memory_total(void);
/* `size` is a multiple of `alignment`; give the memory to rn_aligned_free. */
void *rn_aligned_alloc(size_t alignment, size_t size);
void rn_aligned_free(void *memory);

/* Takes the place of a file called `to`, at once: others see the old file or the new one. False: errno says why. */
bool rn_rename_over(const char *from, const char *to);
/* Also true if the folder is there already. False: errno says why. */
bool rn_make_folder(const char *path);
/* Cuts a file to its first `length` bytes. */
bool rn_truncate(const char *path, int64_t length);
/* Bytes of a file; -1 if it is a folder or a device. False: errno says why. */
bool rn_file_size(const char *path, int64_t *size);
/* The path from a root to a file that is there. False: errno says why. */
bool rn_path_from_root(const char *path, char *full, size_t size);
/* Tells this process from others that run now. */
long rn_process_number(void);
/* Where the running program lies, with '/' between folders. */
bool rn_program_path(char *path, size_t size);

/* The first `length` bytes of a text, to be given to free(); NULL if there is no memory. */
char *rn_text_copy(const char *text, size_t length);

/* Windows takes '/' and '\' between folders. */
bool rn_is_separator(char c);
/* The last name in a path: all of it where there is no folder. */
const char *rn_path_name(const char *path);
/* Whether the path counts from a root rather than from a folder. */
bool rn_path_is_absolute(const char *path);

#ifdef __cplusplus
}
#endif

#endif
