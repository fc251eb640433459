/* Small maths functions that give the same bits everywhere. The only libm functions used are sqrt, floor and rint,
   which IEEE 754 defines exactly. */
#ifndef RN_BASE_MATHS_H
#define RN_BASE_MATHS_H

#include <math.h>

/* If an argument is NaN, rn_min and rn_max return b; rn_clamp returns an x of NaN. */
static inline double rn_min(double a, double b) { return a < b ? a : b; }
static inline double rn_max(double a, double b) { return a > b ? a : b; }
static inline double rn_clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* The determinant of the first three columns of a transform: negative if it mirrors. */
static inline double rn_determinant(const double m[3][4]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* ln(x) for x in (0, 1]: doubles x into [2/3, 4/3), then uses the series of atanh. Does not return for x <= 0. */
static inline double rn_log_unit(double x) {
    int halvings = 0;
    while (x < 2.0 / 3.0) {
        x *= 2.0;
        halvings++;
    }
    double z = (x - 1.0) / (x + 1.0), z2 = z * z, term = z, sum = 0.0;
    for (int n = 1; n < 40; n += 2) {
        sum += term / n;
        term *= z2;
    }
    return 2.0 * sum - halvings * 0.693147180559945309417;
}

/* e^-x for x >= 0: the series of e^(-x/2^k), squared k times; 0 above 700. */
static inline double rn_decay(double x) {
    if (x > 700.0) return 0.0;
    int squarings = 0;
    while (x > 0.5) {
        x *= 0.5;
        squarings++;
    }
    double sum = 1.0, term = 1.0;
    for (int n = 1; n < 20; n++) {
        term *= -x / n;
        sum += term;
    }
    while (squarings-- > 0) sum *= sum;
    return sum;
}

/* Sets *sine and *cosine to sin(x) and cos(x) for x from 0 to pi (rad): their series. */
static inline void rn_sin_cos(double x, double *sine, double *cosine) {
    double term = 1.0;
    *sine = *cosine = 0.0;
    for (int n = 0; n < 32; n += 2) {
        *cosine += term;
        term *= x / (n + 1);
        *sine += term;
        term *= -x / (n + 2);
    }
}

/* The cube root of x: Newton's method, from above; 0 for x <= 0 and NaN. */
static inline double rn_cube_root(double x) {
    if (!(x > 0.0)) return 0.0;
    double root = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 400; i++) {
        const double next = (2.0 * root + x / (root * root)) / 3.0;
        if (next >= root) break;
        root = next;
    }
    return root;
}

#endif
