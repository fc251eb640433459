/* What the functions of src/kernels give for lists of inputs, as each body of base/wide.h computes it. */
#ifndef KERNEL_VALUES_H
#define KERNEL_VALUES_H

#include <stdbool.h>

enum { KERNEL_INPUTS = 24, KERNEL_ROWS = 2048 }; /* rows: whole vectors of any body */

/* A switch of rn_step_params that changes which lines of a kernel run. */
typedef struct kernel_case {
    float cell, dt, nu3, fastest;
    bool implicit, contact;
} kernel_case;

/* inputs[k * KERNEL_ROWS + row] to outputs[v * KERNEL_ROWS + row]; returns how many values there are, at most
 * KERNEL_VALUES_MOST. */
enum { KERNEL_VALUES_MOST = 100 };
typedef int kernel_values(const kernel_case *how, const float *inputs, float *outputs);

#ifdef __cplusplus
extern "C" {
#endif
kernel_values kernel_values_natural, kernel_values_plain, kernel_values_one; /* C; C with one lane; C++ */
const char *kernel_value_name(int v);                                        /* the call that gave it */
#ifdef __cplusplus
}
#endif

#endif
