/* Qualifiers of header functions that both C and CUDA compile: host and device functions for nvcc, plain functions
   otherwise. */
#ifndef RN_BASE_INLINE_H
#define RN_BASE_INLINE_H

#if defined(__CUDACC__)
#define RN_HOST_DEVICE   __host__ __device__
#define RN_ALWAYS_INLINE __forceinline__
#else
#define RN_HOST_DEVICE
#define RN_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

/* Always inlined: maths on wide floats. */
#define RN_INLINE static RN_HOST_DEVICE RN_ALWAYS_INLINE

/* Inlined at the compiler's discretion: maths on single floats. */
#define RN_SCALAR static inline RN_HOST_DEVICE

/* Put before a short loop whose count is known after inlining: unrolls it, so that the arrays it indexes can stay in
   registers. Sanitizer builds define it as nothing: compilers take minutes over their checks in unrolled code. */
#if defined(RN_UNROLL)
#elif defined(__CUDACC__) || defined(__clang__)
#define RN_UNROLL _Pragma("unroll")
#else
#define RN_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
