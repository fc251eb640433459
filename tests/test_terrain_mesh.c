/* Meshes of solid against geometry: areas, volumes, Euler numbers, closed manifolds, edges that stay sharp. */
#include "mesh_facts.h"
#include "terrain/cubes.h"
#include "terrain/sdf.h"

/* ---- The table ------------------------------------------------------------------------------------------------- */

/* Each edge between solid and open is in exactly one loop, and triangles fill the loops. */
static void every_cube_is_whole(void **state) {
    (void)state;
    static rn_cubes cubes;
    rn_cubes_make(&cubes);
    for (int signs = 0; signs < 256; signs++) {
        const int end = signs < 255 ? cubes.first[signs + 1] : cubes.count;
        for (int i = cubes.first[signs]; i < end; i++) {
            const rn_cube *cube = &cubes.all[i];
            int seen[12] = {0}, triangles = 0;
            for (int l = 0, e = 0; l < cube->loops; l++) {
                const int count = cube->ends[l] - e;
                assert_true(count >= 3);
                triangles += l + 1 == cube->centred ? count : count - 2;
                for (; e < cube->ends[l]; e++) seen[cube->edges[e]]++;
            }
            assert_int_equal(cube->triangles, triangles);
            for (int e = 0; e < 12; e++) {
                const int from = rn_edge_corner(e), to = from | 1 << rn_edge_axis(e);
                assert_int_equal(seen[e], (signs >> from & 1) != (signs >> to & 1));
            }
        }
    }
}

/* Values without any order, in which all ambiguous cases occur: still no crack, no edge of four triangles. */
static void noise_has_no_cracks(void **state) {
    (void)state;
    enum { N = 24 };
    static float values[N * N * N];
    for (int round = 0; round < 3; round++) {
        /* Distances must not change faster than the way: the least step between neighbours is 1. */
        for (int i = 0; i < N * N * N; i++) values[i] = (float)random_in(-0.28, 0.28);
        for (int z = 0; z < N; z++)
            for (int y = 0; y < N; y++)
                for (int x = 0; x < N; x++)
                    if (x == 0 || y == 0 || z == 0 || x == N - 1 || y == N - 1 || z == N - 1)
                        values[(z * N + y) * N + x] = 0.1f;
        rn_sdf *grid = rn_sdf_grid(values, N, N, N, 1, (rn_vec3){0, 0, 0});
        assert_non_null(grid);
        for (int sharp = 0; sharp < 2; sharp++) {
            rn_ground_mesh_def def = rn_ground_mesh_default();
            def.shape = grid;
            def.high = (rn_vec3){N - 1, N - 1, N - 1};
            def.spacing = 1;
            def.sharp = sharp;
            rn_ground_mesh *made = make(&def);
            const rn_mesh mesh = rn_ground_mesh_read(made);
            const facts f = look_at(&mesh);
            assert_true(mesh.triangle_count > 10000);
            assert_int_equal(f.open, 0);
            assert_int_equal(f.twisted, 0);
            if (!sharp) assert_closed(&f);
            /* Two dual vertices can be neighbours twice, across an ambiguous face; there edges meet in fours. */
            else assert_true((double)f.crowded < 0.02 * mesh.triangle_count);
            assert_true(f.volume > 0);
            rn_ground_mesh_destroy(made);
        }
        rn_sdf_destroy(grid);
    }
}

/* ---- Shapes in random orientations ----------------------------------------------------------------------------- */

typedef struct closed_form {
    const char *name;
    double area, volume;
    int64_t euler;
    double area_error, volume_error; /* relative */
    double leaning;                  /* share of the triangles */
} closed_form;

static void check_solid(rn_sdf *shape, const closed_form *expected, double spacing, bool sharp, bool turn_lattice) {
    assert_non_null(shape);
    rn_ground_mesh_def def = around(shape, 1.6, spacing, sharp);
    if (turn_lattice) def.turn = rn_quat_from_degrees(random_turn());
    rn_ground_mesh *made = make(&def);
    const rn_mesh mesh = rn_ground_mesh_read(made);
    const facts f = look_at(&mesh);
    assert_closed(&f);
    /* The very tip of a corner may be a piece of its own, if no node between has met it. */
    const int64_t tips = (f.euler - expected->euler) / 2;
    assert_true(f.euler == expected->euler + 2 * tips && tips >= 0 && tips <= (expected->leaning > 0 ? 2 : 0));
    /* Slivers across the edges of a box may lean over, none of a smooth shape does. */
    assert_true((double)f.backwards <= expected->leaning * mesh.triangle_count);
    assert_near(f.area / expected->area, 1, expected->area_error);
    assert_near(f.volume / expected->volume, 1, expected->volume_error);
    rn_ground_mesh_destroy(made);
    rn_sdf_destroy(shape);
}

static void shapes_in_any_orientation(void **state) {
    (void)state;
    for (int round = 0; round < 12; round++) {
        const bool turn_lattice = round & 1;
        const rn_vec3 turn = turn_lattice ? (rn_vec3){0, 0, 0} : random_turn(), by = random_point(0.2);
        const closed_form sphere = {"sphere", 4 * pi, 4 * pi / 3, 2, 2e-3, 4e-3, 0};
        check_solid(rn_sdf_move(rn_sdf_sphere(1), by), &sphere, 0.07, false, turn_lattice);
        const closed_form torus = {"torus", 4 * pi * pi * 0.8 * 0.35, 2 * pi * pi * 0.8 * 0.35 * 0.35, 0, 4e-3, 1e-2,
                                   0};
        check_solid(rn_sdf_move(rn_sdf_turn(rn_sdf_torus(0.8, 0.35), rn_quat_from_degrees(turn)), by), &torus, 0.06,
                    false, turn_lattice);
        /* Marching cubes cut corners off: as many as edges are long, by a share of a cell. */
        const closed_form box = {"box", 2 * (1.2 * 0.9 + 0.9 * 0.7 + 0.7 * 1.2), 1.2 * 0.9 * 0.7, 2, 4e-2, 2e-2, 3e-3};
        const rn_vec3 size = {1.2, 0.9, 0.7};
        check_solid(rn_sdf_move(rn_sdf_turn(rn_sdf_box(size), rn_quat_from_degrees(turn)), by), &box, 0.05, false,
                    turn_lattice);
        const closed_form sharp_box = {"box", box.area, box.volume, 2, 6e-3, 2e-3, 3e-3};
        check_solid(rn_sdf_move(rn_sdf_turn(rn_sdf_box(size), rn_quat_from_degrees(turn)), by), &sharp_box, 0.05, true,
                    turn_lattice);
    }
}

static void marched_vertices_lie_on_the_solid(void **state) {
    (void)state;
    rn_sdf *shape =
        rn_sdf_union(rn_sdf_torus(0.8, 0.3), rn_sdf_move(rn_sdf_sphere(0.5), (rn_vec3){0.7, 0.2, 0.3}), 0.1);
    rn_ground_mesh_def def = around(shape, 1.5, 0.08, false);
    rn_ground_mesh *made = make(&def);
    const rn_mesh mesh = rn_ground_mesh_read(made);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        const point p = vertex(&mesh, i);
        /* But for those that are kept a thousandth of an edge away from a node. */
        assert_true(fabs(rn_sdf_distance(shape, (rn_vec3){p.x, p.y, p.z})) < 1.01e-3 * 0.08);
    }
    rn_ground_mesh_destroy(made);
    rn_sdf_destroy(shape);
}

/* From a point to the nearest point of a triangle (Ericson 2005, 5.1.5). */
static double distance_to_triangle(point p, point a, point b, point c) {
    const point ab = minus(b, a), ac = minus(c, a), ap = minus(p, a);
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return length(ap);
    const point bp = minus(p, b);
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return length(bp);
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double v = d1 / (d1 - d3);
        return length(minus(ap, (point){v * ab.x, v * ab.y, v * ab.z}));
    }
    const point cp = minus(p, c);
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return length(cp);
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const double w = d2 / (d2 - d6);
        return length(minus(ap, (point){w * ac.x, w * ac.y, w * ac.z}));
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double w = (d4 - d3) / (d4 - d3 + (d5 - d6));
        return length(minus(bp, (point){w * (c.x - b.x), w * (c.y - b.y), w * (c.z - b.z)}));
    }
    const point n = cross(ab, ac);
    return fabs(dot(ap, n)) / length(n);
}

static double distance_to_mesh(const rn_mesh *mesh, point p) {
    double least = 1e9;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->indices + 3 * t;
        least = rn_min(least, distance_to_triangle(p, vertex(mesh, c[0]), vertex(mesh, c[1]), vertex(mesh, c[2])));
    }
    return least;
}

typedef struct losses {
    double worst, sum; /* cells */
    int count;
} losses;

/* How far points of a box's edges are from the mesh, in cells. */
static losses edges_lost(bool sharp, rn_vec3 turn) {
    const double spacing = 0.1;
    const rn_vec3 half = {0.6, 0.45, 0.35};
    rn_sdf *box = rn_sdf_turn(rn_sdf_box((rn_vec3){1.2, 0.9, 0.7}), rn_quat_from_degrees(turn));
    rn_ground_mesh_def def = around(box, 1, spacing, sharp);
    rn_ground_mesh *made = make(&def);
    const rn_mesh mesh = rn_ground_mesh_read(made);
    /* Where the corners have gone to: turned by hand about x, then y, then z. */
    losses lost = {0};
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 4; side++)
            for (int i = 0; i <= 20; i++) {
                double c[3], h[3] = {half.x, half.y, half.z};
                c[axis] = h[axis] * (i / 10.0 - 1);
                c[(axis + 1) % 3] = side & 1 ? h[(axis + 1) % 3] : -h[(axis + 1) % 3];
                c[(axis + 2) % 3] = side & 2 ? h[(axis + 2) % 3] : -h[(axis + 2) % 3];
                const double angle[3] = {turn.x * pi / 180, turn.y * pi / 180, turn.z * pi / 180};
                for (int a = 0; a < 3; a++) {
                    const int u = (a + 1) % 3, v = (a + 2) % 3;
                    const double cu = c[u], cv = c[v];
                    c[u] = cos(angle[a]) * cu - sin(angle[a]) * cv;
                    c[v] = sin(angle[a]) * cu + cos(angle[a]) * cv;
                }
                const double away = distance_to_mesh(&mesh, (point){c[0], c[1], c[2]}) / spacing;
                lost.worst = rn_max(lost.worst, away);
                lost.sum += away;
                lost.count++;
            }
    rn_ground_mesh_destroy(made);
    rn_sdf_destroy(box);
    return lost;
}

static void dual_contouring_keeps_edges_sharp(void **state) {
    (void)state;
    losses all[2] = {{0}};
    for (int round = 0; round < 10; round++) {
        const rn_vec3 turn = random_turn();
        for (int sharp = 0; sharp < 2; sharp++) {
            const losses lost = edges_lost(sharp, turn);
            all[sharp].worst = rn_max(all[sharp].worst, lost.worst);
            all[sharp].sum += lost.sum;
            all[sharp].count += lost.count;
        }
    }
    printf("edges of turned boxes are %.4f cells from the sharp mesh, at most %.3f; %.3f from the marched one, at most "
           "%.3f\n",
           all[1].sum / all[1].count, all[1].worst, all[0].sum / all[0].count, all[0].worst);
    /* Where an edge barely enters a cell none of whose own edges it passes, it is cut short there. */
    assert_true(all[1].sum / all[1].count < 0.03 && all[1].worst < 0.4);
    assert_true(all[0].sum / all[0].count > 0.15);
}

/* ---- Boxes with walls ------------------------------------------------------------------------------------------ */

static void a_closed_box_is_a_block(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0.13}, (rn_vec3){0, 0, 1});
        rn_ground_mesh_def def = around(ground, 1, 0.1, sharp);
        def.closed = true;
        rn_ground_mesh *made = make(&def);
        const rn_mesh mesh = rn_ground_mesh_read(made);
        const facts f = look_at(&mesh);
        assert_closed(&f);
        assert_int_equal(f.euler, 2);
        assert_near(f.volume, 4 * 1.13, sharp ? 1e-3 : 0.02 * 4 * 1.13);
        rn_ground_mesh_destroy(made);

        /* Without walls the ground ends where the box does. */
        def.closed = false;
        made = make(&def);
        const rn_mesh open = rn_ground_mesh_read(made);
        const facts g = look_at(&open);
        assert_true(g.open > 0);
        assert_int_equal(g.crowded + g.twisted + g.degenerate, 0);
        assert_near(g.area, 4, 1e-5);
        rn_ground_mesh_destroy(made);
        rn_sdf_destroy(ground);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_cube_is_whole, start_random),
        cmocka_unit_test_setup(noise_has_no_cracks, start_random),
        cmocka_unit_test_setup(shapes_in_any_orientation, start_random),
        cmocka_unit_test_setup(marched_vertices_lie_on_the_solid, start_random),
        cmocka_unit_test_setup(dual_contouring_keeps_edges_sharp, start_random),
        cmocka_unit_test_setup(a_closed_box_is_a_block, start_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
