/* The kernels as C++ compiles them. */
#include "kernel_values.c"
