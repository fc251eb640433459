/* Boxes of 3D liquid for tests. */
#ifndef RN_TESTS_MAC_WORLDS_H
#define RN_TESTS_MAC_WORLDS_H

#include "base/platform.h"
#include "mac/mac.h"

#include <math.h>

static const rn_vec3 at_rest = {0.0, 0.0, 0.0};

static inline rn_mac *make_mac(const rn_mac_def *def) {
    rn_mac *mac = NULL;
    if (rn_mac_create(def, &mac) != RN_OK) fail_msg("%s", rn_last_error());
    return mac;
}

static inline void fill(rn_mac *mac, rn_vec3 low, rn_vec3 high, rn_mac_distance distance, void *user) {
    if (rn_mac_add_liquid(mac, low, high, distance, user, at_rest) != RN_OK) fail_msg("%s", rn_last_error());
}

static inline rn_mac_report advance(rn_mac *mac, double seconds) {
    rn_mac_report report = {0};
    if (rn_mac_step(mac, seconds, &report) != RN_OK) fail_msg("%s", rn_last_error());
    return report;
}

/* A cube of n cells and 1 m along each axis. */
static inline rn_mac_def cube(int n) {
    rn_mac_def def = rn_mac_default();
    def.cells_x = def.cells_y = def.cells_z = n;
    def.cell_size = 1.0 / n;
    def.threads = 2;
    return def;
}

static inline void *alloc_limited(void *user, size_t bytes) {
    return bytes > *(size_t *)user ? NULL : rn_aligned_alloc(64, bytes);
}

static inline void free_limited(void *user, void *memory) {
    (void)user;
    rn_aligned_free(memory);
}

/* Hooks that refuse to allocate more than *most bytes at once. */
static inline rn_hooks limited(size_t *most) {
    return (rn_hooks){.alloc = alloc_limited, .free = free_limited, .user = most};
}

typedef struct mac_ball {
    rn_vec3 centre;
    double radius; /* m */
} mac_ball;

static inline double ball_distance(void *user, rn_vec3 at) {
    const mac_ball *b = user;
    const double x = at.x - b->centre.x, y = at.y - b->centre.y, z = at.z - b->centre.z;
    return sqrt(x * x + y * y + z * z) - b->radius;
}

static inline void fill_ball(rn_mac *mac, mac_ball b) {
    const double r = b.radius;
    fill(mac, (rn_vec3){b.centre.x - r, b.centre.y - r, b.centre.z - r},
         (rn_vec3){b.centre.x + r, b.centre.y + r, b.centre.z + r}, ball_distance, &b);
}

/* Means over particles. */
typedef struct mac_mean {
    rn_vec3 position, velocity;
} mac_mean;

static inline mac_mean mean_of(const rn_mac *mac) {
    mac_mean sum = {0};
    const int64_t count = rn_mac_particle_count(mac);
    for (int64_t n = 0; n < count; n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        sum.position.x += p.position.x / (double)count, sum.velocity.x += p.velocity.x / (double)count;
        sum.position.y += p.position.y / (double)count, sum.velocity.y += p.velocity.y / (double)count;
        sum.position.z += p.position.z / (double)count, sum.velocity.z += p.velocity.z / (double)count;
    }
    return sum;
}

#endif
