/* The functions of <math.h> that the solver uses, for the GPU's program, which has no C library. All are exact in IEEE
   754, and the compiler has them built in. */
#ifndef RN_CUDA_LIBC_MATH_H
#define RN_CUDA_LIBC_MATH_H

#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x)    __builtin_isnan(x)
#define isinf(x)    __builtin_isinf(x)

double sqrt(double x), fabs(double x), floor(double x), ceil(double x), rint(double x);
double fmax(double a, double b), fmin(double a, double b);
float sqrtf(float x), fabsf(float x), ceilf(float x), fmaxf(float a, float b), fminf(float a, float b);

#endif
