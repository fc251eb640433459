/* The drawn surface of the 3D liquid: closed, smooth, where the liquid is, and the same for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac/mesh.h"
#include "mac_worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_near(double value, double expected, double apart) {
    if (!(fabs(value - expected) <= apart)) fail_msg("%g is not within %g of %g", value, apart, expected);
}

static rn_mac *make(int threads) {
    rn_mac_def def = cube(24);
    def.cell_size = 0.5;
    def.threads = threads;
    return make_mac(&def);
}

static rn_mac_mesh *mesh_of(const rn_mac *mac) {
    rn_mac_mesh *mesh = NULL;
    const rn_mac_mesh_def def = {.origin = {1.0, 2.0, 3.0}, .full_depth = 2.0};
    assert_int_equal(rn_mac_mesh_create(NULL, &mesh), RN_OK);
    assert_int_equal(rn_mac_mesh_build(mesh, mac, &def), RN_OK);
    return mesh;
}

static double volume_of(const rn_mesh *m) {
    double sum = 0.0;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const float *a = m->positions + 3 * m->indices[3 * t], *b = m->positions + 3 * m->indices[3 * t + 1];
        const float *c = m->positions + 3 * m->indices[3 * t + 2];
        const double p[3] = {(double)a[0], (double)a[1], (double)a[2]},
                     q[3] = {(double)b[0], (double)b[1], (double)b[2]},
                     r[3] = {(double)c[0], (double)c[1], (double)c[2]};
        sum += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
               p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    return sum / 6.0;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every edge is passed once each way. */
static void assert_closed(const rn_mesh *m) {
    uint64_t *edges = malloc(3 * (size_t)m->triangle_count * sizeof *edges),
             *back = malloc(3 * (size_t)m->triangle_count * sizeof *back);
    for (size_t t = 0; t < m->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint64_t from = m->indices[3 * t + k], to = m->indices[3 * t + (k + 1) % 3];
            edges[3 * t + k] = from << 32 | to;
            back[3 * t + k] = to << 32 | from;
        }
    qsort(edges, 3 * (size_t)m->triangle_count, sizeof *edges, by_value);
    qsort(back, 3 * (size_t)m->triangle_count, sizeof *back, by_value);
    assert_memory_equal(edges, back, 3 * (size_t)m->triangle_count * sizeof *edges);
    free(edges);
    free(back);
}

static void a_ball_is_round(void **state) {
    (void)state;
    rn_mac *mac = make(1);
    mac_ball round = {{6.0, 6.0, 6.0}, 3.0};
    const rn_vec3 low = {0, 0, 0}, high = {12, 12, 12}, speed = {1.0, -2.0, 3.0};
    assert_int_equal(rn_mac_add_liquid(mac, low, high, ball_distance, &round, speed), RN_OK);
    rn_mac_mesh *mesh = mesh_of(mac);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    assert_closed(&m);
    assert_near(volume_of(&m), rn_mac_volume(mac), 0.04 * rn_mac_volume(mac));
    double squares = 0.0, sum = 0.0;
    for (size_t v = 0; v < m.vertex_count; v++) {
        const float *p = m.positions + 3 * v, *n = m.normals + 3 * v;
        const double x = (double)p[0] - 7.0, y = (double)p[1] - 8.0, z = (double)p[2] - 9.0;
        const double radius = sqrt(x * x + y * y + z * z);
        squares += radius * radius / m.vertex_count;
        sum += radius / m.vertex_count;
        assert_true((x * (double)n[0] + y * (double)n[1] + z * (double)n[2]) / radius > 0.95);
        assert_near((double)m.opacity[v], 1.0, 1e-6);
        assert_near((double)m.velocities[3 * v + 2], 3.0, 1e-5);
    }
    assert_near(sum, 3.0, 0.1 * 0.5);                    /* a tenth of a cell */
    assert_true(sqrt(squares - sum * sum) < 0.05 * 0.5); /* a twentieth */
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
}

static void a_pool_is_flat_and_ends_at_the_walls(void **state) {
    (void)state;
    rn_mac *mac = make(1);
    const rn_vec3 low = {0, 0, 0}, high = {12, 12, 3.0};
    assert_int_equal(rn_mac_add_liquid(mac, low, high, NULL, NULL, low), RN_OK);
    rn_mac_mesh *mesh = mesh_of(mac);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    assert_closed(&m);
    assert_near(volume_of(&m), 12 * 12 * 3.0, 0.01 * 12 * 12 * 3.0);
    for (size_t v = 0; v < m.vertex_count; v++) {
        const float *p = m.positions + 3 * v;
        assert_true(p[0] > 0.999f && p[0] < 13.001f && p[2] > 2.999f && p[2] < 6.2f);
        if (m.normals[3 * v + 2] > 0.9f) assert_near((double)p[2], 6.0, 0.04);
    }
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
}

static void a_drop_is_a_sphere(void **state) {
    (void)state;
    rn_mac *mac = make(1);
    const rn_vec3 low = {2.0, 2.0, 2.0}, high = {2.24, 2.24, 2.24};
    assert_int_equal(rn_mac_add_liquid(mac, low, high, NULL, NULL, low), RN_OK);
    assert_int_equal(rn_mac_particle_count(mac), 1);
    rn_mac_mesh *mesh = mesh_of(mac);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    assert_closed(&m);
    assert_true(m.triangle_count >= 8);
    assert_near(volume_of(&m), rn_mac_volume(mac), 0.4 * rn_mac_volume(mac));
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
}

/* How high a lone particle at z (m) with this velocity is drawn, by how wide. */
static double height_of_drop(double z, rn_vec3 velocity) {
    rn_mac *mac = make(1);
    const rn_vec3 low = {2.0, 2.0, z}, high = {2.24, 2.24, z + 0.24};
    assert_int_equal(rn_mac_add_liquid(mac, low, high, NULL, NULL, velocity), RN_OK);
    assert_int_equal(rn_mac_particle_count(mac), 1);
    rn_mac_mesh *mesh = mesh_of(mac);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    float least[3] = {1e9f, 1e9f, 1e9f}, most[3] = {-1e9f, -1e9f, -1e9f};
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        least[i % 3] = fminf(least[i % 3], m.positions[i]);
        most[i % 3] = fmaxf(most[i % 3], m.positions[i]);
    }
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
    return (double)((most[2] - least[2]) / (most[0] - least[0]));
}

/* A drop is stretched by its motion, round at rest, and flat on the floor. */
static void drops_are_stretched_and_lie_flat(void **state) {
    (void)state;
    const rn_vec3 still = {0, 0, 0}, falls = {0, 0, -40.0};
    const double round = height_of_drop(2.0, still), falling = height_of_drop(2.0, falls),
                 lying = height_of_drop(0.0, still);
    print_message("height by width: at rest %.2f, falling %.2f, on the floor %.2f\n", round, falling, lying);
    assert_true(fabs(round - 1.0) < 0.1 && falling > 1.5 && lying < 0.5);
}

/* The volume of the mesh of liquid from `low` to `high` (m, without the origin), over that of its particles. */
static double drawn_part(rn_vec3 low, rn_vec3 high, uint32_t *triangles) {
    rn_mac *mac = make(1);
    assert_int_equal(rn_mac_add_liquid(mac, low, high, NULL, NULL, low), RN_OK);
    assert_true(rn_mac_particle_count(mac) > 0);
    rn_mac_mesh *mesh = mesh_of(mac);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    assert_closed(&m);
    const double part = volume_of(&m) / rn_mac_volume(mac);
    *triangles = m.triangle_count;
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
    return part;
}

/* A layer of particles on the floor, a thread along an edge and a lone particle in a corner are drawn. Walls leave them
   few neighbours, but if drops were told apart with regard to walls, as the surface is, threads and particles would be
   neither surface nor drops. */
static void thin_liquid_on_walls_is_drawn(void **state) {
    (void)state;
    uint32_t triangles;
    const double film = drawn_part((rn_vec3){0, 0, 0}, (rn_vec3){12, 12, 0.24}, &triangles);
    print_message("film: %.3f of its volume, %u triangles\n", film, triangles);
    const double thread = drawn_part((rn_vec3){0, 0, 0}, (rn_vec3){12, 0.24, 0.24}, &triangles);
    print_message("thread in an edge: %.3f, %u triangles\n", thread, triangles);
    const double one = drawn_part((rn_vec3){0, 0, 0}, (rn_vec3){0.24, 0.24, 0.24}, &triangles);
    print_message("particle in a corner: %.3f, %u triangles\n", one, triangles);
    assert_true(film > 0.6 && film < 1.5 && thread > 0.6 && thread < 1.5 && one > 0.6);
}

/* Below 0 at every third site of particles: (x + 2 y + 3 z) modulo 3 in half cells. */
static double every_third(void *user, rn_vec3 at) {
    (void)user;
    const int x = (int)floor(at.x / 0.25), y = (int)floor(at.y / 0.25), z = (int)floor(at.z / 0.25);
    return (x + 2 * y * (y % 3 + 1) + 3 * z) % 3 == 0 ? -1.0 : 1.0;
}

/* The area (m^2) of the triangles that face up, seen from above. */
static double area_from_above(const rn_mesh *m) {
    double sum = 0.0;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const float *a = m->positions + 3 * m->indices[3 * t], *b = m->positions + 3 * m->indices[3 * t + 1];
        const float *c = m->positions + 3 * m->indices[3 * t + 2];
        const double twice = (double)((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        sum += twice > 0.0 ? 0.5 * twice : 0.0;
    }
    return sum;
}

/* A sheet in the air with 1.3 particles on each square of a cell, as if 0.17 cells thick, is drawn as a sheet. Its rim
   ends within a cell; the mesh that had holes covered 0.26 of the area. */
static void a_thin_sheet_is_drawn_as_a_sheet(void **state) {
    (void)state;
    rn_mac *mac = make(1);
    const rn_vec3 low = {2, 2, 6}, high = {10, 10, 6.24}, still = {0, 0, 0};
    assert_int_equal(rn_mac_add_liquid(mac, low, high, every_third, NULL, still), RN_OK);
    rn_mac_mesh *mesh = mesh_of(mac);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    assert_closed(&m);
    const double area = area_from_above(&m), drawn = volume_of(&m) / rn_mac_volume(mac);
    print_message("%lld particles: %.2f of the area, %.2f of the volume\n", (long long)rn_mac_particle_count(mac),
                  area / 64.0, drawn);
    assert_true(area > 0.85 * 64.0 && area < 1.3 * 64.0 && drawn > 1.0 && drawn < 4.0);
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
}

static void *count_alloc(void *user, size_t bytes) {
    *(size_t *)user += bytes; /* what is freed meanwhile was small */
    return malloc(bytes);
}

static void count_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void memory_of_a_mesh_is_counted(void **state) {
    (void)state;
    rn_mac *mac = make(1);
    const rn_vec3 low = {0, 0, 0}, high = {12, 12, 12};
    for (int n = 0; n < 8; n++) assert_int_equal(rn_mac_add_liquid(mac, low, high, NULL, NULL, low), RN_OK);
    size_t counted = 0;
    const rn_hooks hooks = {.alloc = count_alloc, .free = count_free, .user = &counted};
    rn_mac_mesh *mesh = NULL;
    const rn_mac_mesh_def def = {.full_depth = 2.0, .fine = 1};
    assert_int_equal(rn_mac_mesh_create(&hooks, &mesh), RN_OK);
    assert_int_equal(rn_mac_mesh_build(mesh, mac, &def), RN_OK);
    const rn_mesh m = rn_mac_mesh_read(mesh);
    const size_t shape = 12 * ((size_t)m.vertex_count + (size_t)m.triangle_count), bytes = rn_mac_mesh_bytes(mesh);
    printf("%zu bytes, and %zu for triangles; said to be %zu\n", counted, shape, bytes);
    assert_true(bytes + 4096 >= counted + shape && bytes <= counted + 3 * shape);
    rn_mac_mesh_destroy(mesh);
    rn_mac_destroy(mac);
}

static void threads_make_the_same_mesh(void **state) {
    (void)state;
    rn_mac *macs[2];
    rn_mac_mesh *meshes[2];
    rn_mesh m[2];
    for (int i = 0; i < 2; i++) {
        const rn_vec3 low = {0, 0, 0}, high = {5, 12, 6};
        macs[i] = make(1 + 2 * i);
        assert_int_equal(rn_mac_add_liquid(macs[i], low, high, NULL, NULL, low), RN_OK);
        assert_int_equal(rn_mac_step(macs[i], 0.8, NULL), RN_OK);
        meshes[i] = mesh_of(macs[i]);
        m[i] = rn_mac_mesh_read(meshes[i]);
    }
    assert_closed(&m[0]);
    assert_int_equal(m[0].vertex_count, m[1].vertex_count);
    assert_int_equal(m[0].triangle_count, m[1].triangle_count);
    assert_memory_equal(m[0].positions, m[1].positions, 12 * (size_t)m[0].vertex_count);
    assert_memory_equal(m[0].normals, m[1].normals, 12 * (size_t)m[0].vertex_count);
    assert_memory_equal(m[0].opacity, m[1].opacity, 4 * (size_t)m[0].vertex_count);
    assert_memory_equal(m[0].velocities, m[1].velocities, 12 * (size_t)m[0].vertex_count);
    assert_memory_equal(m[0].indices, m[1].indices, 12 * (size_t)m[0].triangle_count);
    for (int i = 0; i < 2; i++) {
        rn_mac_mesh_destroy(meshes[i]);
        rn_mac_destroy(macs[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_round),
        cmocka_unit_test(a_pool_is_flat_and_ends_at_the_walls),
        cmocka_unit_test(a_drop_is_a_sphere),
        cmocka_unit_test(drops_are_stretched_and_lie_flat),
        cmocka_unit_test(thin_liquid_on_walls_is_drawn),
        cmocka_unit_test(a_thin_sheet_is_drawn_as_a_sheet),
        cmocka_unit_test(memory_of_a_mesh_is_counted),
        cmocka_unit_test(threads_make_the_same_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
