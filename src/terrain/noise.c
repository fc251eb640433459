/* Rolling ground from gradient noise. Only + - * / sqrt and floor: the same bits on every machine. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"

enum { MOST_OCTAVES = 8, DIRECTIONS = 16 };

/* Noise of unit gradients, faded by the quintic s(t) = 6t^5 - 15t^4 + 10t^3, is the sum over the four corners i of
   w_i (g_i . d_i). It is largest in the middle of a lattice cell, sqrt(1/2). Its slope along a unit vector e is at most
   sum_i |w_i e + (e . grad w_i) d_i|, whose largest value, 4 sqrt(0.21875^2 + 0.46875^2), is also in the middle. */
static const double steepest = 2.06912;
static const double to_unit = 1.4142135623730951;

typedef struct noise {
    rn_sdf node;
    int octaves;
    double stretch; /* sqrt(1 + G^2), G the steepest slope possible */
    struct {
        double height;    /* m, the largest */
        double frequency; /* 1/m */
        double offset_x, offset_y;
        uint32_t seed;
    } octave[MOST_OCTAVES];
} noise;

static uint32_t mix(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

static double fade(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

/* The lattice repeats after 2^32 cells. */
static uint32_t lattice(double whole) {
    double wrapped = whole - 4294967296.0 * floor(whole / 4294967296.0);
    return wrapped >= 0 && wrapped < 4294967296.0 ? (uint32_t)wrapped : 0;
}

/* The gradient of a lattice point times the way from it. */
static double corner(uint32_t seed, uint32_t column, uint32_t row, double x, double y) {
    static const double direction[DIRECTIONS][2] = {
        {1, 0},
        {0.92387953251128674, 0.38268343236508977},
        {0.70710678118654752, 0.70710678118654752},
        {0.38268343236508977, 0.92387953251128674},
        {0, 1},
        {-0.38268343236508977, 0.92387953251128674},
        {-0.70710678118654752, 0.70710678118654752},
        {-0.92387953251128674, 0.38268343236508977},
        {-1, 0},
        {-0.92387953251128674, -0.38268343236508977},
        {-0.70710678118654752, -0.70710678118654752},
        {-0.38268343236508977, -0.92387953251128674},
        {0, -1},
        {0.38268343236508977, -0.92387953251128674},
        {0.70710678118654752, -0.70710678118654752},
        {0.92387953251128674, -0.38268343236508977},
    };
    const double *g = direction[mix(mix(column ^ seed) + row) % DIRECTIONS];
    return g[0] * x + g[1] * y;
}

static double octave_height(uint32_t seed, double x, double y) {
    double whole_x = floor(x), whole_y = floor(y), u = x - whole_x, v = y - whole_y;
    uint32_t column = lattice(whole_x), row = lattice(whole_y);
    double a = corner(seed, column, row, u, v), b = corner(seed, column + 1, row, u - 1, v);
    double c = corner(seed, column, row + 1, u, v - 1), d = corner(seed, column + 1, row + 1, u - 1, v - 1);
    double s = fade(u), t = fade(v);
    double low = a + s * (b - a), high = c + s * (d - c);
    return to_unit * (low + t * (high - low));
}

static double noise_rise(const rn_sdf *self, rn_vec3 at) {
    const noise *shape = (const noise *)self;
    double height = 0;
    for (int i = 0; i < shape->octaves; i++) {
        double x = at.x * shape->octave[i].frequency + shape->octave[i].offset_x;
        double y = at.y * shape->octave[i].frequency + shape->octave[i].offset_y;
        height += shape->octave[i].height * octave_height(shape->octave[i].seed, x, y);
    }
    return at.z - height;
}

static double noise_distance(const rn_sdf *self, rn_vec3 at) {
    return noise_rise(self, at) / ((const noise *)self)->stretch;
}

rn_sdf *rn_sdf_noise(double amplitude, double wavelength, int octaves, uint32_t seed) {
    static const rn_sdf_class type = {noise_distance, noise_rise, rn_sdf_leaf_heights, NULL};
    if (!(amplitude >= 0 && amplitude <= RN_SDF_REACH)) {
        rn_shape_fail(RN_INVALID, "the amplitude of the noise is %g m; it must lie between 0 and %g m", amplitude,
                      RN_SDF_REACH);
        return NULL;
    }
    if (!rn_sdf_check_size(wavelength, "wavelength of the noise")) return NULL;
    if (octaves < 1 || octaves > MOST_OCTAVES) {
        rn_shape_fail(RN_INVALID, "the noise has %d octaves; it must have 1 to %d", octaves, MOST_OCTAVES);
        return NULL;
    }
    noise *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->octaves = octaves;
    double share = 1, total = 0, slope = 0;
    for (int i = 0; i < octaves; i++, share /= 2) total += share;
    share = 1;
    for (int i = 0; i < octaves; i++, share /= 2) {
        uint32_t own = mix(seed + 0x9e3779b9u * (uint32_t)(i + 1));
        shape->octave[i].height = amplitude * share / total;
        shape->octave[i].frequency = 1 / (wavelength * share);
        shape->octave[i].seed = own;
        /* Without offsets every octave would be 0 at the lattice points of the first. */
        shape->octave[i].offset_x = mix(own + 1) / 4294967296.0;
        shape->octave[i].offset_y = mix(own + 2) / 4294967296.0;
        slope += shape->octave[i].height * to_unit * steepest * shape->octave[i].frequency;
    }
    shape->stretch = sqrt(1 + slope * slope);
    rn_sdf_set_slab(&shape->node, (rn_vec3){0, 0, 1}, -amplitude, amplitude, shape->stretch);
    return &shape->node;
}
