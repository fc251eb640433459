/* Gradient noise: rolling ground, and bumps in space. Uses only + - * / sqrt and floor: the same bits on every
   machine. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"
#include "terrain/noise.h"

enum { DIRECTIONS = 16, SPACE_DIRECTIONS = 12 };

/* Noise of unit gradients, faded by the quintic s(t) = 6t^5 - 15t^4 + 10t^3, is the sum over the four corners i of
   w_i (g_i . d_i). It is largest, sqrt(1/2), at the centre of a lattice cell. Its slope along a unit vector e is at
   most sum_i |w_i e + (e . grad w_i) d_i|, whose largest value, 4 sqrt(0.21875^2 + 0.46875^2), is also at the
   centre. */
static const double steepest = 2.06912;
static const double to_unit = 1.4142135623730951;

typedef struct noise {
    rn_sdf node;
    int octaves;
    double stretch; /* sqrt(1 + G^2), G the largest possible slope */
    struct {
        double height;    /* m, the largest */
        double frequency; /* 1/m */
        double offset_x, offset_y;
        uint32_t seed;
    } octave[RN_NOISE_OCTAVES];
} noise;

/* Hashes h to 32 bits. */
static uint32_t hash_word(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

/* The quintic s(t) above, for t from 0 to 1. */
static double fade(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

/* The index of a lattice point with this integer coordinate; it repeats after 2^32 cells. 0 if the coordinate is not
   finite. */
static uint32_t lattice_index(double whole) {
    double wrapped = whole - 4294967296.0 * floor(whole / 4294967296.0);
    return wrapped >= 0 && wrapped < 4294967296.0 ? (uint32_t)wrapped : 0;
}

/* The random unit gradient of the lattice point (column, row), dotted with the vector (x, y), in cells, from it. */
static double corner_gradient(uint32_t seed, uint32_t column, uint32_t row, double x, double y) {
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
    const double *g = direction[hash_word(hash_word(column ^ seed) + row) % DIRECTIONS];
    return g[0] * x + g[1] * y;
}

/* Noise of one octave at a position (x, y) in cells of its lattice, -1 to 1. */
static double octave_height(uint32_t seed, double x, double y) {
    double whole_x = floor(x), whole_y = floor(y), u = x - whole_x, v = y - whole_y;
    uint32_t column = lattice_index(whole_x), row = lattice_index(whole_y);
    double a = corner_gradient(seed, column, row, u, v), b = corner_gradient(seed, column + 1, row, u - 1, v);
    double c = corner_gradient(seed, column, row + 1, u, v - 1),
           d = corner_gradient(seed, column + 1, row + 1, u - 1, v - 1);
    double s = fade(u), t = fade(v);
    double low = a + s * (b - a), high = c + s * (d - c);
    return to_unit * (low + t * (high - low));
}

/* The height (m) of a point above the ground below it, negative in solid. */
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

/* The rise (m) divided by the largest possible stretch, which is no more than the distance. */
static double noise_distance(const rn_sdf *self, rn_vec3 at) {
    return noise_rise(self, at) / ((const noise *)self)->stretch;
}

/* Returns false, with an error text, unless the number of octaves is 1 to RN_NOISE_OCTAVES. */
static bool check_octaves(int octaves) {
    if (octaves >= 1 && octaves <= RN_NOISE_OCTAVES) return true;
    rn_shape_fail(RN_INVALID, "the noise has %d octaves; it must have 1 to %d", octaves, RN_NOISE_OCTAVES);
    return false;
}

rn_sdf *rn_sdf_noise(double amplitude, double wavelength, int octaves, uint32_t seed) {
    static const rn_sdf_class type = {noise_distance, noise_rise, rn_sdf_leaf_heights, NULL};
    if (!(amplitude >= 0 && amplitude <= RN_SDF_REACH)) {
        rn_shape_fail(RN_INVALID, "the amplitude of the noise is %g m; it must lie between 0 and %g m", amplitude,
                      RN_SDF_REACH);
        return NULL;
    }
    if (!rn_sdf_check_size(wavelength, "wavelength of the noise")) return NULL;
    if (!check_octaves(octaves)) return NULL;
    noise *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->octaves = octaves;
    double share = 1, total = 0, slope = 0;
    for (int i = 0; i < octaves; i++, share /= 2) total += share;
    share = 1;
    for (int i = 0; i < octaves; i++, share /= 2) {
        uint32_t own = hash_word(seed + 0x9e3779b9u * (uint32_t)(i + 1));
        shape->octave[i].height = amplitude * share / total;
        shape->octave[i].frequency = 1 / (wavelength * share);
        shape->octave[i].seed = own;
        /* without offsets every octave would be 0 at the lattice points of the first */
        shape->octave[i].offset_x = hash_word(own + 1) / 4294967296.0;
        shape->octave[i].offset_y = hash_word(own + 2) / 4294967296.0;
        slope += shape->octave[i].height * to_unit * steepest * shape->octave[i].frequency;
    }
    shape->stretch = sqrt(1 + slope * slope);
    rn_sdf_set_slab(&shape->node, (rn_vec3){0, 0, 1}, -amplitude, amplitude, shape->stretch);
    return &shape->node;
}

/* ---- In space ---------------------------------------------------------------------------------------------------- */

/* As in the plane, with eight corners: largest at the centre, sqrt(3/4), and steepest there along an axis, 8
   sqrt(0.109375^2 + 2 * 0.234375^2). */
static const double space_steepest = 2.79230;
static const double space_to_unit = 1.1547005383792517;

/* The gradient of a lattice point with this hash, a unit vector towards the middle of one of a cube's edges, dotted
   with the vector (x, y, z), in cells, from it. */
static double space_corner(uint32_t hash, double x, double y, double z) {
    const uint32_t edge = hash_word(hash) % SPACE_DIRECTIONS;
    const double a = edge < 4 ? x : edge < 8 ? y : z, b = edge < 4 ? y : edge < 8 ? z : x;
    return 0.70710678118654752 * ((edge & 1 ? -a : a) + (edge & 2 ? -b : b));
}

/* Noise of one octave in space, at a position in cells of its lattice, -1 to 1. */
static double space_octave(uint32_t seed, double x, double y, double z) {
    const double whole_x = floor(x), whole_y = floor(y), whole_z = floor(z);
    const double u = x - whole_x, v = y - whole_y, w = z - whole_z, s = fade(u), t = fade(v);
    const uint32_t column = lattice_index(whole_x), row = lattice_index(whole_y), level = lattice_index(whole_z);
    double plane[2];
    for (uint32_t k = 0; k < 2; k++) {
        double line[2];
        for (uint32_t j = 0; j < 2; j++) {
            const uint32_t start = hash_word(hash_word((level + k) ^ seed) + row + j);
            const double a = space_corner(start + column, u, v - j, w - k);
            const double b = space_corner(start + column + 1, u - 1, v - j, w - k);
            line[j] = a + s * (b - a);
        }
        plane[k] = line[0] + t * (line[1] - line[0]);
    }
    return space_to_unit * (plane[0] + fade(w) * (plane[1] - plane[0]));
}

bool rn_noise_set(rn_noise *grain, double wavelength, int octaves, uint32_t seed) {
    if (!check_octaves(octaves)) return false;
    *grain = (rn_noise){.octaves = octaves};
    const double total = 2 - ldexp(1, 1 - octaves);
    for (int i = 0; i < octaves; i++) {
        const double share = ldexp(1, -i);
        const uint32_t own = hash_word(seed + 0x9e3779b9u * (uint32_t)(i + 1));
        grain->octave[i].height = share / total;
        grain->octave[i].frequency = 1 / (wavelength * share);
        grain->octave[i].seed = own;
        grain->octave[i].offset = hash_word(own + 1) / 4294967296.0;
        grain->slope += grain->octave[i].height * space_to_unit * space_steepest * grain->octave[i].frequency;
    }
    return true;
}

double rn_noise_at(const rn_noise *grain, rn_vec3 at) {
    double sum = 0;
    for (int i = 0; i < grain->octaves; i++) {
        const double frequency = grain->octave[i].frequency, offset = grain->octave[i].offset;
        sum += grain->octave[i].height * space_octave(grain->octave[i].seed, at.x * frequency + offset,
                                                      at.y * frequency + offset, at.z * frequency + offset);
    }
    return sum;
}
