/* What the sources of the GPU's program name of <stdio.h>; nothing of it is called on a GPU. */
#ifndef RN_CUDA_LIBC_STDIO_H
#define RN_CUDA_LIBC_STDIO_H

#include <stddef.h>

int snprintf(char *to, size_t size, const char *format, ...);

#endif
