/* The functions of <stdlib.h> that the solver uses, for the GPU's program, which has no C library. */
#ifndef RN_CUDA_LIBC_STDLIB_H
#define RN_CUDA_LIBC_STDLIB_H

#include <stddef.h>

void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
int abs(int value);

#endif
