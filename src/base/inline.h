/* How functions in headers are declared that both C and CUDA compile: a host and a device function for nvcc, plain
   functions for everyone else. */
#ifndef RN_BASE_INLINE_H
#define RN_BASE_INLINE_H

#if defined(__CUDACC__)
#define RN_HOST_DEVICE   __host__ __device__
#define RN_ALWAYS_INLINE __forceinline__
#else
#define RN_HOST_DEVICE
#define RN_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

/* Inlined wherever it is called: a step's maths on wide floats. */
#define RN_INLINE static RN_HOST_DEVICE RN_ALWAYS_INLINE

/* Inlined where the compiler finds it worth it: maths on single floats. */
#define RN_SCALAR static inline RN_HOST_DEVICE

/* Before a short loop whose count is known where it is inlined: it becomes straight code, and what it indexes can stay
   in registers. Builds with sanitizers define it as nothing: compilers take minutes over their checks in straight code.
 */
#if defined(RN_UNROLL)
#elif defined(__CUDACC__) || defined(__clang__)
#define RN_UNROLL _Pragma("unroll")
#else
#define RN_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
