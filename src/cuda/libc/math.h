/* What the solver uses of <math.h>, for the GPU: all of it is exact in IEEE 754, and compilers know it by name. */
#ifndef RN_CUDA_LIBC_MATH_H
#define RN_CUDA_LIBC_MATH_H

#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x)    __builtin_isnan(x)

double sqrt(double x), fabs(double x), floor(double x), ceil(double x), rint(double x);
double fmax(double a, double b), fmin(double a, double b);
float sqrtf(float x), fabsf(float x), fmaxf(float a, float b), fminf(float a, float b);

#endif
