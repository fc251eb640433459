/* Code that is compiled once per instruction set. A file of hot loops ends with one table of functions named
   RN_ISA(rn_...); the build compiles it for the machine's baseline and, with RN_AVX2_TOO, once more for AVX2. All
   give the same bits, so the choice only affects speed. */
#ifndef RN_BASE_DISPATCH_H
#define RN_BASE_DISPATCH_H

#include "base/wide.h"

/* RN_ISA_TABLES(const rn_sweeps, rn_sweeps); declares the tables, and *RN_ISA_CHOSEN(rn_sweeps) is the one for this
   processor. Only files that are compiled once may choose. */
#if defined(RN_GPU) /* the lanes of a block: src/cuda/device.c hands each call of the plain table to all of them */
#define RN_ISA_TABLES(type, name) extern type RN_ISA(name), name##_gpu
#define RN_ISA_CHOSEN(name)       (&name##_gpu)
#elif defined(RN_AVX2_TOO)
#define RN_ISA_TABLES(type, name) extern type RN_ISA(name), name##_avx2
#define RN_ISA_CHOSEN(name)       (__builtin_cpu_supports("avx2") ? &name##_avx2 : &RN_ISA(name))
#else
#define RN_ISA_TABLES(type, name) extern type RN_ISA(name)
#define RN_ISA_CHOSEN(name)       (&RN_ISA(name))
#endif

#endif
