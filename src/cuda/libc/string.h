/* The functions of <string.h> that the solver uses, for the GPU's program, which has no C library. */
#ifndef RN_CUDA_LIBC_STRING_H
#define RN_CUDA_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);

#endif
