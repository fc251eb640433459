/* Triangle meshes as solids: sound ones, and what is wrong with others. */
#include "mesh_makers.h"
#include "purse.h"
#include "sanitized.h"
#include "terrain/crossings.h"
#include "terrain/sdf.h"
#include "timed.h"

#include <time.h>

#include <stdlib.h>

static rn_sdf *must_solid(const rn_mesh_solid_def *def, rn_mesh_report *report) {
    rn_sdf *solid = rn_sdf_mesh(def, report);
    if (!solid) fail_msg("%s", rn_last_error());
    return solid;
}

static rn_terrain *cast_box(rn_sdf *solid, int cells, double low, double high) {
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = cells;
    def.cell_size = (high - low) / cells;
    def.origin_x = def.origin_y = low;
    def.bottom = low;
    def.lid = high;
    def.solid = solid;
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    return terrain;
}

static double column_volume(const rn_terrain *terrain) {
    const rn_terrain_info info = rn_terrain_describe(terrain);
    double sum = 0;
    for (int i = 0; i < info.cells_x * info.cells_y; i++) {
        int count;
        const rn_column *c = rn_terrain_cell(terrain, i % info.cells_x, i / info.cells_x, &count);
        for (int k = 0; k < count; k++) sum += c[k].base - c[k].under;
    }
    return sum * info.cell_size * info.cell_size;
}

static rn_placement turn_randomly(rn_mesh_solid_def *def) {
    const rn_placement pose = rn_pose_turned(rn_quat_from_degrees(random_point(180)));
    for (int i = 0; i < 9; i++) def->transform[i / 3][i % 3] = pose.turn[i / 3][i % 3];
    return pose;
}

/* Shapes fit into a ball of radius 1.05. */
static const rn_vec3 brick = {1.4, 0.9, 0.6};
static double brick_distance(rn_vec3 p) {
    const double x = fabs(p.x) - brick.x / 2, y = fabs(p.y) - brick.y / 2, z = fabs(p.z) - brick.z / 2;
    return rn_length3(rn_max(x, 0), rn_max(y, 0), rn_max(z, 0)) + rn_min(rn_max(x, rn_max(y, z)), 0);
}
static double ball_distance(rn_vec3 p) { return rn_length3(p.x, p.y, p.z) - 1; }
static double ring_distance(rn_vec3 p) { return rn_length2(rn_length2(p.x, p.y) - 0.7, p.z) - 0.3; }

static void check_shape(made_mesh m, double (*exact)(rn_vec3), double volume) {
    const double cell = 0.022;
    rn_mesh_solid_def def = mesh_def(&m);
    for (int n = 0; n < (getenv("RUNNEL_LONG") ? 20 : 4); n++) {
        rn_mesh_report report;
        const rn_placement pose = turn_randomly(&def);
        rn_sdf *solid = must_solid(&def, &report);
        assert_near(report.volume, volume, 0.002 * volume);
        assert_int_equal(report.open_edges + report.flipped + report.inside_out + report.branching_edges, 0);
        for (int i = 0; i < 3000; i++) {
            const rn_vec3 p = random_point(1.1);
            const double expected = exact(rn_rotate_back(pose.turn, p));
            if (fabs(expected) < 5 * cell) assert_near(rn_sdf_distance(solid, p), expected, 0.01 * cell);
        }
        rn_terrain *terrain = cast_box(solid, 100, -1.1, 1.1);
        assert_near(column_volume(terrain), volume, 0.01 * volume);
        rn_terrain_destroy(terrain);
    }
    mesh_free(&m);
}

static void volumes_and_distances_are_those_of_the_shape(void **state) {
    (void)state;
    check_shape(box_mesh(brick), brick_distance, brick.x * brick.y * brick.z);
    check_shape(sphere_mesh(1, 120, 240), ball_distance, 4 * pi / 3);
    check_shape(torus_mesh(0.7, 0.3, 240, 120), ring_distance, 2 * pi * pi * 0.7 * 0.3 * 0.3);
}

/* The share of cells in which two terrains have the same columns, to half a cell. */
static double agreement(const rn_terrain *a, const rn_terrain *b) {
    const rn_terrain_info info = rn_terrain_describe(a);
    int same = 0, all = 0;
    for (int i = 0; i < info.cells_x * info.cells_y; i++) {
        int n, m;
        const rn_column *c = rn_terrain_cell(a, i % info.cells_x, i / info.cells_x, &n);
        const rn_column *d = rn_terrain_cell(b, i % info.cells_x, i / info.cells_x, &m);
        if (n == 0 && m == 0) continue;
        bool good = n == m;
        for (int k = 0; good && k < n; k++)
            good =
                fabs(c[k].base - d[k].base) <= info.cell_size / 2 && fabs(c[k].ceil - d[k].ceil) <= info.cell_size / 2;
        all++;
        same += good;
    }
    return (double)same / all;
}

static void assert_agrees(const rn_terrain *expected, const made_mesh *m, rn_mesh_report *report) {
    rn_mesh_solid_def def = mesh_def(m);
    def.meaning = RN_MESH_SOLID;
    rn_terrain *terrain = cast_box(must_solid(&def, report), 100, -1.1, 1.1);
    const double share = agreement(expected, terrain);
    if (!(share >= 0.99)) fail_msg("only %g %% of the cells agree", 100 * share);
    rn_terrain_destroy(terrain);
}

static void spoil(const made_mesh *whole, const rn_terrain *expected) {
    rn_mesh_report report;
    made_mesh m = mesh_soup(whole);
    for (uint32_t i = 0; i < 3 * m.vertices; i++) /* as if written and read again */
        if (random_unit() < 0.5) m.positions[i] = nextafterf(m.positions[i], 2.0f);
    for (uint32_t t = 0; t < m.triangles; t++)
        if (random_unit() < 0.4) mesh_flip(&m, t);
    assert_agrees(expected, &m, &report);
    assert_true(report.joined > whole->vertices && report.flipped > 0 && report.open_edges == 0);
    mesh_free(&m);

    m = mesh_copy(whole, 1);
    for (uint32_t t = 0; t < m.triangles; t++) mesh_flip(&m, t);
    assert_agrees(expected, &m, &report);
    assert_int_equal(report.inside_out, 1);
    assert_true(report.volume > 0);
    for (uint32_t t = 0; t < m.triangles; t++)
        if (random_unit() < 0.03) {
            memcpy(m.indices + 3 * (size_t)t, m.indices + 3 * (size_t)(m.triangles - 1), 3 * sizeof *m.indices);
            m.triangles--;
        }
    assert_agrees(expected, &m, &report);
    assert_true(report.holes > 10 && report.open_edges > 3 * report.holes - 1);
    mesh_free(&m);

    m = mesh_copy(whole, 2);
    mesh_append(&m, whole, (rn_vec3){0, 0, 0});
    for (uint32_t t = whole->triangles; t < m.triangles; t++) mesh_flip(&m, t);
    assert_agrees(expected, &m, &report);
    assert_int_equal(report.doubles, whole->triangles);
    mesh_free(&m);

    m = mesh_copy(whole, 2);
    mesh_append(&m, whole, (rn_vec3){0.0003, 0.0002, 0.0001});
    assert_agrees(expected, &m, &report);
    assert_int_equal(report.parts, 2);
    mesh_free(&m);
}

static void spoilt_meshes_make_the_same_columns(void **state) {
    (void)state;
    made_mesh meshes[] = {sphere_mesh(1, 40, 80), torus_mesh(0.7, 0.3, 80, 40), mesh_room(16, 24)};
    mesh_add_box(&meshes[2], brick, (rn_vec3){0.1, 0, 0}, 0);
    mesh_add_box(&meshes[2], brick, (rn_vec3){-0.1, 0.3, 0.2}, 0);
    for (int i = 0; i < 3; i++) {
        rn_mesh_solid_def def = mesh_def(&meshes[i]);
        rn_terrain *expected = cast_box(must_solid(&def, NULL), 100, -1.1, 1.1);
        if (i < 2) spoil(&meshes[i], expected);
        rn_terrain_destroy(expected);
        mesh_free(&meshes[i]);
    }
}

/* The sum of the solid angles of all triangles (Van Oosterom & Strackee 1983), over 4 pi. */
static double winding_number(const made_mesh *m, rn_vec3 at) {
    double sum = 0;
    for (uint32_t t = 0; t < m->triangles; t++) {
        rn_vec3 r[3];
        double length[3];
        for (int k = 0; k < 3; k++) {
            const float *p = m->positions + 3 * (size_t)m->indices[3 * (size_t)t + (size_t)k];
            r[k] = (rn_vec3){(double)p[0] - at.x, (double)p[1] - at.y, (double)p[2] - at.z};
            length[k] = rn_length(r[k]);
        }
        const double volume = rn_dot(r[0], rn_cross(r[1], r[2]));
        const double rest = length[0] * length[1] * length[2] + rn_dot(r[0], r[1]) * length[2] +
                            rn_dot(r[1], r[2]) * length[0] + rn_dot(r[2], r[0]) * length[1];
        sum += 2 * atan2(volume, rest);
    }
    return sum / (4 * pi);
}

static void signs_are_those_of_winding_numbers(void **state) {
    (void)state;
    made_mesh torus = torus_mesh(0.7, 0.3, 30, 20), meshes[3] = {torus, mesh_copy(&torus, 2), mesh_copy(&torus, 1)};
    mesh_append(&meshes[1], &torus, (rn_vec3){0.2, 0.3, 0.1});
    /* Without a tenth of its triangles the film through the holes is where solid begins. */
    meshes[2].triangles -= meshes[2].triangles / 10;
    int near = 0;
    for (int i = 0; i < 3; i++) {
        rn_mesh_solid_def def = mesh_def(&meshes[i]);
        def.meaning = RN_MESH_SOLID;
        rn_sdf *solid = must_solid(&def, NULL);
        for (int n = 0; n < 3000; n++) {
            const rn_vec3 p = random_point(1.1);
            const double w = winding_number(&meshes[i], p);
            if (i == 2 && fabs(w - 0.5) < 0.1) near++;
            else assert_int_equal(rn_sdf_distance(solid, p) <= 0, w > 0.5);
        }
        rn_sdf_destroy(solid);
    }
    assert_true(near < 60);
    for (int i = 0; i < 3; i++) mesh_free(&meshes[i]);
}

/* Through places that only roundings keep off an edge, which both faces there must take for the same side. */
static void lines_through_edges_pass_one_face(void **state) {
    (void)state;
    made_mesh m = torus_mesh(0.7, 0.3, 60, 40);
    rn_mesh_solid_def def = mesh_def(&m);
    turn_randomly(&def);
    rn_shell shell = {0};
    rn_crossings crossings;
    rn_mesh_report report = {0};
    assert_int_equal(rn_shell_mend(&shell, &def, &report), RN_OK);
    assert_int_equal(rn_crossings_make(&shell, true, &crossings), RN_OK);
    for (int n = 0; n < (getenv("RUNNEL_LONG") ? 20000 : 4000); n++) {
        const uint32_t *face = shell.faces[(size_t)(random_unit() * (double)shell.face_count)];
        const rn_vec3 a = shell.points[face[0]], b = shell.points[face[1]];
        const double t = random_in(0.1, 0.9);
        rn_line line = rn_line_at(&crossings, a.x + t * (b.x - a.x), a.y + t * (b.y - a.y));
        rn_crossing found;
        int sum = 0;
        while (rn_line_next(&crossings, &line, &found)) sum += found.sign;
        assert_int_equal(sum, 0);
    }
    rn_crossings_free(&crossings);
    rn_shell_free(&shell);
    mesh_free(&m);
}

/* Cells of a cubical complex: a voxel and all its faces, edges and corners. */
static int euler_number(const rn_sdf *solid, rn_box box, double voxel) {
    const int nx = (int)ceil((box.high.x - box.low.x) / voxel), ny = (int)ceil((box.high.y - box.low.y) / voxel);
    const int nz = (int)ceil((box.high.z - box.low.z) / voxel);
    const int sx = 2 * nx + 1, sy = 2 * ny + 1, sz = 2 * nz + 1;
    unsigned char *cells = calloc((size_t)sx * (size_t)sy * (size_t)sz, 1);
    assert_non_null(cells);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            rn_interval all[32];
            const int count = rn_sdf_intervals(solid, box.low.x + (x + 0.5) * voxel, box.low.y + (y + 0.5) * voxel,
                                               box.low.z, box.high.z, 0.02 * voxel, all, 32);
            for (int i = 0; i < count; i++)
                for (int z = 0; z < nz; z++) {
                    const double at = box.low.z + (z + 0.5) * voxel;
                    if (at < all[i].low || at > all[i].high) continue;
                    for (int d = 0; d < 27; d++)
                        cells[((size_t)(2 * z + d / 9) * (size_t)sy + (size_t)(2 * y + d / 3 % 3)) * (size_t)sx +
                              (size_t)(2 * x + d % 3)] = 1;
                }
        }
    int euler = 0;
    for (int z = 0; z < sz; z++)
        for (int y = 0; y < sy; y++)
            for (int x = 0; x < sx; x++)
                if (cells[((size_t)z * (size_t)sy + (size_t)y) * (size_t)sx + (size_t)x])
                    euler += (x % 2 + y % 2 + z % 2) % 2 ? -1 : 1;
    free(cells);
    return euler;
}

static void holes_through_solids_stay(void **state) {
    (void)state;
    made_mesh m = torus_mesh(0.02, 0.006, 120, 60);
    rn_mesh_solid_def def = mesh_def(&m);
    for (int upright = 0; upright < 2; upright++) {
        if (upright) def.transform[0][0] = def.transform[1][2] = def.transform[2][1] = 1;
        rn_sdf *solid = must_solid(&def, NULL);
        assert_int_equal(euler_number(solid, rn_box_grow(rn_sdf_bounds(solid), 0.001), 0.0005), 0);
        assert_true(distance_at(solid, 0, 0, 0) > 0.0139);
        rn_interval all[8];
        const int count = rn_sdf_intervals(solid, 0, 0, -0.1, 0.1, 1e-5, all, 8);
        assert_int_equal(count, upright ? 2 : 0);
        rn_sdf_destroy(solid);
    }
    mesh_free(&m);
    if (!mesh_read_stl("vertebra_lumbar_L3.stl", &m)) return;
    def = mesh_def(&m);
    def.transform[0][0] = def.transform[1][1] = def.transform[2][2] = 0.001;
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.euler, 0);
    assert_int_equal(euler_number(solid, rn_box_grow(rn_sdf_bounds(solid), 0.001), 0.0005), 0);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

/* An arch whose legs reach down from y = 56 to y = 0, 24 mm apart at x = 24. */
static void arches_stay_open(void **state) {
    (void)state;
    made_mesh m = {0};
    if (!mesh_read_obj("u_arch.obj", 12365, 24726, &m)) skip();
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    rn_interval all[8];
    def.transform[0][0] = def.transform[2][1] = 0.001;
    def.transform[1][2] = -0.001;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.triangles, 24726);
    assert_int_equal(report.open_edges, 0);
    assert_int_equal(rn_sdf_intervals(solid, 0.024, -0.02, -0.01, 0.1, 1e-5, all, 8), 1);
    assert_true(all[0].low > 0.035 && all[0].high > 0.045);
    assert_int_equal(rn_sdf_intervals(solid, 0.003, -0.02, -0.01, 0.1, 1e-5, all, 8), 1);
    assert_true(all[0].low < 0.001);
    rn_sdf_destroy(solid);

    memset(def.transform, 0, sizeof def.transform);
    def.transform[0][1] = def.transform[1][2] = def.transform[2][0] = 0.001;
    solid = must_solid(&def, NULL);
    assert_int_equal(rn_sdf_intervals(solid, 0.02, 0.02, -0.01, 0.1, 1e-5, all, 8), 2);
    assert_true(all[1].low - all[0].high > 0.02);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

static void cavities_stay_and_buried_parts_do_not_count(void **state) {
    (void)state;
    for (int n = 0; n < 8; n++) {
        const bool cavity = n & 1, inverted = n & 2, deeper = n & 4;
        made_mesh m = mesh_room(24, 36);
        mesh_add_box(&m, (rn_vec3){2, 2, 2}, (rn_vec3){0, 0, 0}, 0);
        mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0.1, 0, 0}, 0);
        if (deeper) mesh_add_box(&m, (rn_vec3){0.2, 0.2, 0.2}, (rn_vec3){0.1, 0, 0}, 0);
        for (uint32_t t = 0; t < m.triangles; t++)
            if (inverted != (cavity && t >= 12 && t < 24)) mesh_flip(&m, t);
        rn_mesh_solid_def def = mesh_def(&m);
        rn_mesh_report report;
        rn_sdf *solid = must_solid(&def, &report);
        assert_int_equal(report.inside_out, inverted ? report.parts : 0);
        assert_near(distance_at(solid, 0.1, 0, 0.8), -0.2, 1e-7);
        assert_near(distance_at(solid, 0.1, 0, 0.3), cavity ? 0.2 : -0.7, 1e-7);
        assert_near(distance_at(solid, 0.1, 0, 0), !cavity ? -0.9 : deeper ? -0.1 : 0.5, 1e-7);
        rn_sdf_destroy(solid);
        mesh_free(&m);
    }
}

static void fields_change_no_faster_than_the_way(void **state) {
    (void)state;
    made_mesh torus = torus_mesh(0.7, 0.3, 30, 20), ground = ground_mesh(20, 2, 0.2);
    for (uint32_t t = 100; t < 130; t++) mesh_flip(&torus, t);
    torus.triangles -= 200;
    made_mesh meshes[4] = {torus, torus, ground, mesh_room(16, 24)};
    const rn_mesh_meaning meanings[4] = {RN_MESH_SOLID, RN_MESH_SHEET, RN_MESH_GROUND, RN_MESH_SOLID};
    mesh_add_box(&meshes[3], brick, (rn_vec3){0.1, 0, 0}, 0);
    mesh_add_box(&meshes[3], brick, (rn_vec3){-0.1, 0.3, 0.2}, 0);
    for (int i = 0; i < 4; i++) {
        rn_mesh_solid_def def = mesh_def(&meshes[i]);
        def.meaning = meanings[i];
        def.thickness = 0.05;
        rn_sdf *solid = must_solid(&def, NULL);
        for (int n = 0; n < (getenv("RUNNEL_LONG") ? 20000 : 4000); n++) {
            const rn_vec3 p = random_point(n % 4 ? 1.2 : 8), off = random_point(n % 3 ? 0.01 : 0.5);
            const rn_vec3 q = {p.x + off.x, p.y + off.y, p.z + off.z}, above = {p.x, p.y, q.z};
            const double f = rn_sdf_distance(solid, p), way = rn_length(off);
            if (!(fabs(f - rn_sdf_distance(solid, q)) <= way * (1 + 1e-9) + 1e-9))
                fail_msg("mesh %d: %g at (%g, %g, %g), %g at (%g, %g, %g)", i, f, p.x, p.y, p.z,
                         rn_sdf_distance(solid, q), q.x, q.y, q.z);
            const double rise = solid->type->rise(solid, p);
            assert_true((rise <= 0) == (f <= 0) || fabs(f) < 1e-9);
            assert_true(fabs(rise) >= fabs(f) - 1e-9);
            assert_true(fabs(rise - solid->type->rise(solid, above)) <= fabs(off.z) * (1 + 1e-9) + 1e-9);
        }
        rn_sdf_destroy(solid);
    }
    mesh_free(&torus);
    mesh_free(&ground);
    mesh_free(&meshes[3]);
}

static void ground_goes_down_from_its_rim(void **state) {
    (void)state;
    made_mesh m = ground_mesh(40, 2, 0.1);
    for (uint32_t t = 0; t < m.triangles; t++) mesh_flip(&m, t);
    /* A hole in the middle is closed. */
    for (uint32_t t = 1640; t < 1648; t++) memset(m.indices + 3 * (size_t)t, 0, 3 * sizeof *m.indices);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.meaning, RN_MESH_GROUND);
    assert_int_equal(report.inside_out, 1);
    assert_int_equal(report.degenerate, 8);
    assert_int_equal(report.holes, 2);
    assert_true(distance_at(solid, 0.1, 0, -1) < 0 && distance_at(solid, 0.1, 0, 0.3) > 0);
    assert_near(distance_at(solid, 1.5, 0, -50), 0.5, 1e-6);
    assert_near(distance_at(solid, 0.9, 0, -50), -0.1, 1e-6);
    rn_terrain_def terrain_def = rn_terrain_default();
    terrain_def.cells_x = terrain_def.cells_y = 44;
    terrain_def.cell_size = 0.05;
    terrain_def.origin_x = terrain_def.origin_y = -1.1;
    terrain_def.solid = solid;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&terrain_def, &terrain), RN_OK);
    const rn_terrain_info info = rn_terrain_describe(terrain);
    assert_int_equal(info.columns, 40 * 40);
    assert_int_equal(info.holes, 44 * 44 - 40 * 40);
    for (int y = 2; y < 42; y++)
        for (int x = 2; x < 42; x++) {
            const rn_column *c = rn_terrain_cell(terrain, x, y, NULL);
            const double u = (x - 1.5) / 40, v = (y - 1.5) / 40;
            assert_true(c->under == -INFINITY);
            assert_near(c->base, 0.1 * sin(7 * u) * cos(5 * v), 0.01);
        }
    rn_terrain_destroy(terrain);
    mesh_free(&m);
}

static void open_boxes_are_filled_or_are_cups(void **state) {
    (void)state;
    made_mesh m = mesh_room(8, 12);
    mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0, 0, 0}, 1 << 5);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    def.meaning = RN_MESH_SOLID;
    rn_sdf *filled = must_solid(&def, &report);
    assert_int_equal(report.holes, 1);
    assert_int_equal(report.open_edges, 4);
    assert_near(report.volume, 1, 1e-7);
    assert_near(distance_at(filled, 0.1, 0, 0.45), -0.05, 1e-7);
    assert_near(distance_at(filled, 0.1, 0, 0.75), 0.25, 1e-7);
    rn_sdf_destroy(filled);

    def.meaning = RN_MESH_SHEET;
    def.thickness = 0.1;
    rn_terrain *cup = cast_box(must_solid(&def, &report), 40, -1, 1);
    int count;
    const rn_column *inside = rn_terrain_cell(cup, 20, 20, &count);
    assert_int_equal(count, 1);
    assert_near(inside->base, -0.45, 1e-6);
    assert_near(inside->under, -0.55, 1e-6);
    assert_near(rn_terrain_cell(cup, 10, 20, NULL)->base, 0.5 + 0.5 * sqrt(0.1 * 0.1 - 0.05 * 0.05), 1e-3);
    rn_terrain_destroy(cup);
    mesh_free(&m);

    m = sphere_mesh(1, 32, 64);
    /* The lower half of a sphere goes; each of its 64 meridians has 31 quads and two triangles at the poles. */
    uint32_t kept = 0;
    for (uint32_t t = 0; t < m.triangles; t++) {
        const uint32_t *i = m.indices + 3 * (size_t)t;
        bool low = false;
        for (int k = 0; k < 3; k++) low = low || m.positions[3 * (size_t)i[k] + 2] < -1e-6f;
        if (!low) memmove(m.indices + 3 * (size_t)kept++, i, 3 * sizeof *i);
    }
    m.triangles = kept;
    def = mesh_def(&m);
    def.meaning = RN_MESH_SOLID;
    rn_sdf *dome = must_solid(&def, &report);
    assert_near(report.volume, 2 * pi / 3, 0.01);
    assert_near(distance_at(dome, 0.2, 0.1, 0.05), -0.05, 1e-6);
    assert_near(distance_at(dome, 0.2, 0.1, -0.3), 0.3, 1e-6);
    rn_sdf_destroy(dome);
    mesh_free(&m);
}

/* A prism over a star, without its top or with one of triangles around the middle. */
static made_mesh star_mesh(int corners, const double *radii, bool topped) {
    made_mesh m = mesh_room(2 * (size_t)corners + 2, 4 * (size_t)corners);
    const uint32_t n = (uint32_t)corners;
    for (uint32_t i = 0; i < 2 * n; i++) {
        const double turn = 2 * pi * (i / 2) / n;
        mesh_point(&m, radii[i / 2] * cos(turn), radii[i / 2] * sin(turn), i % 2);
    }
    const uint32_t low = mesh_point(&m, 0, 0, 0), high = mesh_point(&m, 0, 0, 1);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = (i + 1) % n;
        mesh_quad(&m, 2 * i, 2 * k, 2 * k + 1, 2 * i + 1);
        mesh_triangle(&m, low, 2 * k, 2 * i);
        if (topped) mesh_triangle(&m, high, 2 * i + 1, 2 * k + 1);
    }
    return m;
}

static void lids_of_level_holes_are_level_and_end_at_the_rim(void **state) {
    (void)state;
    for (int n = 0; n < 40; n++) {
        double radii[46];
        for (int i = 0; i < 6 + n; i++) radii[i] = random_in(0.2, 1);
        made_mesh open = star_mesh(6 + n, radii, false), whole = star_mesh(6 + n, radii, true);
        rn_mesh_solid_def def = mesh_def(&open), whole_def = mesh_def(&whole);
        def.meaning = RN_MESH_SOLID;
        rn_sdf *solid = must_solid(&def, NULL), *expected = must_solid(&whole_def, NULL);
        for (int i = 0; i < 500; i++) {
            const rn_vec3 p = {random_in(-1.2, 1.2), random_in(-1.2, 1.2), random_in(0.5, 1.7)};
            assert_near(rn_sdf_distance(solid, p), rn_sdf_distance(expected, p), 1e-7);
        }
        rn_sdf_destroy(solid);
        rn_sdf_destroy(expected);
        mesh_free(&open);
        mesh_free(&whole);
    }
}

/* A wall whose triangles have a corner amid a longer side of their neighbours. */
static void cracks_are_sewn_up(void **state) {
    (void)state;
    made_mesh m = mesh_room(9, 16);
    mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0, 0, 0}, 1 << 5);
    const uint32_t amid = mesh_point(&m, 0.5 + 1e-4, 0, 0.5);
    mesh_triangle(&m, 4, 5, amid);
    mesh_triangle(&m, 4, amid, 6);
    mesh_triangle(&m, amid, 7, 6);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.meaning, RN_MESH_SOLID);
    assert_int_equal(report.holes, 1);
    assert_int_equal(report.open_edges, 3);
    assert_near(distance_at(solid, 0, 0, 0), -0.5, 1e-6);
    assert_near(distance_at(solid, 0.4, 0, 0.2), -0.1, 1e-6);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

static void assert_refused(const rn_mesh_solid_def *def, rn_mesh_report *report, const char *words) {
    assert_null(rn_sdf_mesh(def, report));
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), words);
    /* A terrain of it tells the same. */
    rn_terrain_def terrain = rn_terrain_default();
    rn_terrain *made = NULL;
    assert_int_equal(rn_terrain_create(&terrain, &made), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), words));
}

static void rubbish_is_left_out_or_refused(void **state) {
    (void)state;
    made_mesh m = mesh_room(16, 24);
    mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0, 0, 0}, 0);
    const uint32_t bad = mesh_point(&m, NAN, 0, 0), far = mesh_point(&m, 0, INFINITY, 0),
                   beyond = mesh_point(&m, 0, 0, 3e12);
    mesh_triangle(&m, 0, 1, bad);
    mesh_triangle(&m, 0, far, 2);
    mesh_triangle(&m, beyond, 1, 2);
    mesh_triangle(&m, 0, 1, 4000000000u);
    mesh_triangle(&m, 3, 3, 5);
    mesh_triangle(&m, 4, 0, 6);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.non_finite, 3);
    assert_int_equal(report.bad_indices, 1);
    assert_int_equal(report.degenerate, 1);
    assert_int_equal(report.doubles, 1);
    assert_int_equal(report.used, 12);
    assert_int_equal(report.euler, 2);
    assert_near(report.area, 6, 1e-6);
    assert_near(distance_at(solid, 0, 0, 0), -0.5, 1e-9);
    char line[200];
    int lines = 0;
    for (; rn_mesh_report_line(&report, lines, line, sizeof line); lines++) assert_true(strlen(line) > 10);
    assert_int_equal(lines, 4);
    assert_true(rn_mesh_report_line(&report, 1, line, sizeof line));
    assert_string_equal(line, "3 triangles have coordinates that are not finite, or beyond 10^12 m: left out");
    rn_sdf_destroy(solid);

    def.triangle_count = 0;
    assert_refused(&def, &report, "no triangles");
    def.indices += 36;
    def.triangle_count = 5;
    assert_refused(&def, &report, "none of the mesh's 5 triangles");
    def.indices = m.indices;
    def.triangle_count = 1;
    def.meaning = RN_MESH_SOLID;
    assert_refused(&def, &report, "make it a sheet");
    assert_int_equal(report.holes, 1);
    def.meaning = RN_MESH_SHEET;
    assert_refused(&def, &report, "thickness of the sheet is 0 m");
    def.meaning = RN_MESH_SOLID;
    def.transform[1][1] = INFINITY;
    assert_refused(&def, &report, "transform");
    def.transform[1][1] = 1e-300;
    assert_refused(&def, &report, "check its unit");
    def.transform[1][1] = 0;
    def.join = -1;
    assert_refused(&def, &report, "join is -1 m");
    def.join = 0;
    def.triangle_count = (1u << 26) + 1;
    assert_refused(&def, &report, "at most 2^26");
    forget_errors();
    mesh_free(&m);
}

static void soups_of_anything_end(void **state) {
    (void)state;
    for (int n = 0; n < 60; n++) {
        made_mesh m = mesh_room(40, 300);
        for (int i = 0; i < 40; i++) {
            /* On a coarse lattice all kinds of touching happen. */
            const rn_vec3 p = random_point(2.5);
            mesh_point(&m, rint(p.x), rint(p.y), rint(p.z));
        }
        for (int i = 0; i < 5 * n; i++)
            mesh_triangle(&m, (uint32_t)random_in(0, 40), (uint32_t)random_in(0, 40), (uint32_t)random_in(0, 40));
        rn_mesh_solid_def def = mesh_def(&m);
        def.meaning = (rn_mesh_meaning)(n % 4);
        def.thickness = 0.1;
        def.spacing = 0.25;
        rn_sdf *solid = rn_sdf_mesh(&def, NULL);
        for (int i = 0; solid && i < 200; i++) {
            const rn_vec3 p = random_point(3), q = {rint(2 * p.x) / 2, rint(2 * p.y) / 2, p.z};
            const double f = rn_sdf_distance(solid, p), off = rn_length(rn_minus(p, q));
            assert_true(isfinite(f) && isfinite(solid->type->rise(solid, q)));
            assert_true(fabs(f - rn_sdf_distance(solid, q)) <= off + 1e-6);
        }
        rn_sdf_destroy(solid);
        mesh_free(&m);
    }
    forget_errors();
}

/* 20,000 triangles, or a million if RUNNEL_LONG is set, take at most 30 us each. */
static void many_triangles_take_a_moment(void **state) {
    (void)state;
    const int cells = SANITIZED || !getenv("RUNNEL_LONG") ? 100 : 707;
    made_mesh m = ground_mesh(cells, 100, 3);
    rn_mesh_solid_def def = mesh_def(&m);
    const clock_t start = clock();
    rn_sdf *solid = must_solid(&def, NULL);
    ASSERT_QUICK((double)(clock() - start) / CLOCKS_PER_SEC, 30e-6 * 2 * cells * cells);
    assert_near(distance_at(solid, 0, 0, 50), 50 - 3 * sin(3.5) * cos(2.5), 1);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

static void no_memory_is_told_and_nothing_is_lost(void **state) {
    (void)state;
    made_mesh m = mesh_room(32, 40);
    mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0, 0, 0}, 1 << 5);
    mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0.3, 0.3, 3}, 1);
    rn_mesh_solid_def def = mesh_def(&m);
    for (int meaning = RN_MESH_SOLID; meaning <= RN_MESH_GROUND; meaning++)
        for (int blocks = 0;; blocks++) {
            purse p = {.left = blocks};
            def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
            def.meaning = (rn_mesh_meaning)meaning;
            def.thickness = 0.1;
            def.threads = 2;
            rn_sdf *solid = rn_sdf_mesh(&def, NULL);
            if (!solid) assert_non_null(strstr(rn_last_error(), "memory"));
            rn_sdf_destroy(solid);
            assert_int_equal(p.held, 0);
            assert_true(blocks < 200);
            if (solid) break;
        }
    forget_errors();
    mesh_free(&m);
}

static void threads_change_nothing(void **state) {
    (void)state;
    made_mesh torus = torus_mesh(0.7, 0.3, 40, 30), m = mesh_copy(&torus, 2);
    mesh_append(&m, &torus, (rn_vec3){0.3, 0, 0.2});
    m.triangles -= 77;
    rn_mesh_solid_def def = mesh_def(&m);
    rn_sdf *solids[3];
    for (int i = 0; i < 3; i++) {
        def.threads = i + 1;
        solids[i] = must_solid(&def, NULL);
    }
    for (int n = 0; n < 2000; n++) {
        const rn_vec3 p = random_point(1.3);
        const double f = rn_sdf_distance(solids[0], p);
        assert_true(f == rn_sdf_distance(solids[1], p) && f == rn_sdf_distance(solids[2], p));
    }
    for (int i = 0; i < 3; i++) rn_sdf_destroy(solids[i]);
    mesh_free(&torus);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(volumes_and_distances_are_those_of_the_shape, start_random),
        cmocka_unit_test_setup(spoilt_meshes_make_the_same_columns, start_random),
        cmocka_unit_test_setup(signs_are_those_of_winding_numbers, start_random),
        cmocka_unit_test_setup(lines_through_edges_pass_one_face, start_random),
        cmocka_unit_test_setup(holes_through_solids_stay, start_random),
        cmocka_unit_test_setup(arches_stay_open, start_random),
        cmocka_unit_test_setup(cavities_stay_and_buried_parts_do_not_count, start_random),
        cmocka_unit_test_setup(fields_change_no_faster_than_the_way, start_random),
        cmocka_unit_test_setup(ground_goes_down_from_its_rim, start_random),
        cmocka_unit_test_setup(open_boxes_are_filled_or_are_cups, start_random),
        cmocka_unit_test_setup(lids_of_level_holes_are_level_and_end_at_the_rim, start_random),
        cmocka_unit_test_setup(cracks_are_sewn_up, start_random),
        cmocka_unit_test_setup(rubbish_is_left_out_or_refused, start_random),
        cmocka_unit_test_setup(soups_of_anything_end, start_random),
        cmocka_unit_test_setup(many_triangles_take_a_moment, start_random),
        cmocka_unit_test_setup(no_memory_is_told_and_nothing_is_lost, start_random),
        cmocka_unit_test_setup(threads_change_nothing, start_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
