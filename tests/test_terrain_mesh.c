/* Meshes of solid against geometry: areas, volumes, Euler numbers, closed manifolds, edges that stay sharp. */
#include "purse.h"
#include "terrain/cubes.h"
#include "terrain/sdf.h"
#include "terrain_shapes.h"

#include <runnel/io.h>
#include <runnel/mesh.h>

/* ---- What a mesh is -------------------------------------------------------------------------------------------- */

typedef struct point {
    double x, y, z;
} point;

static point vertex(const rn_mesh *mesh, uint32_t i) {
    const float *p = mesh->positions + 3 * (size_t)i;
    return (point){p[0], p[1], p[2]};
}

static point minus(point a, point b) { return (point){a.x - b.x, a.y - b.y, a.z - b.z}; }
static point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double dot(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static double length(point a) { return sqrt(dot(a, a)); }

typedef struct edge {
    uint32_t low, high;
    int forward; /* 1: from low to high */
} edge;

static int by_ends(const void *left, const void *right) {
    const edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->forward - b->forward;
}

typedef struct facts {
    double area, volume;
    int64_t euler;
    int64_t open, crowded, twisted; /* edges of one triangle, of more than two, of two that turn against each other */
    int64_t degenerate, backwards;  /* triangles without area; whose side is not the one that their normals tell */
    int64_t lonely;                 /* vertices of no triangle */
} facts;

static facts look_at(const rn_mesh *mesh) {
    facts found = {0};
    const size_t count = 3 * (size_t)mesh->triangle_count;
    edge *edges = malloc((count + 1) * sizeof *edges);
    uint8_t *used = calloc((size_t)mesh->vertex_count + 1, 1);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->indices + 3 * t;
        for (int k = 0; k < 3; k++) {
            assert_true(corner[k] < mesh->vertex_count);
            used[corner[k]] = 1;
            const uint32_t a = corner[k], b = corner[(k + 1) % 3];
            edges[3 * t + (size_t)k] = a < b ? (edge){a, b, 1} : (edge){b, a, 0};
        }
        const point a = vertex(mesh, corner[0]), b = vertex(mesh, corner[1]), c = vertex(mesh, corner[2]);
        const point n = cross(minus(b, a), minus(c, a));
        found.area += 0.5 * length(n);
        found.volume += dot(a, cross(b, c)) / 6;
        found.degenerate +=
            corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0] || !(length(n) > 0);
        double facing = 0;
        for (int k = 0; k < 3; k++) {
            const float *m = mesh->normals + 3 * (size_t)corner[k];
            assert_near(m[0] * m[0] + m[1] * m[1] + m[2] * m[2], 1, 1e-5);
            facing += n.x * m[0] + n.y * m[1] + n.z * m[2];
        }
        found.backwards += facing < 0;
    }
    qsort(edges, count, sizeof *edges, by_ends);
    int64_t distinct = 0;
    for (size_t i = 0; i < count;) {
        size_t j = i;
        while (j < count && edges[j].low == edges[i].low && edges[j].high == edges[i].high) j++;
        distinct++;
        found.open += j - i == 1;
        found.crowded += j - i > 2;
        found.twisted += j - i == 2 && edges[i].forward == edges[i + 1].forward;
        i = j;
    }
    int64_t vertices = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) vertices += used[i];
    found.lonely = mesh->vertex_count - vertices;
    found.euler = vertices - distinct + mesh->triangle_count;
    free(edges);
    free(used);
    return found;
}

static void assert_closed(const facts *f) {
    assert_int_equal(f->open, 0);
    assert_int_equal(f->crowded, 0);
    assert_int_equal(f->twisted, 0);
    assert_int_equal(f->degenerate, 0);
    assert_int_equal(f->lonely, 0);
}

static rn_ground_mesh *make(const rn_ground_mesh_def *def) {
    rn_ground_mesh *mesh = NULL;
    if (rn_ground_mesh_create(def, &mesh) != RN_OK) fail_msg("%s", rn_last_error());
    return mesh;
}

static rn_ground_mesh_def around(const rn_sdf *shape, double reach, double spacing, bool sharp) {
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.shape = shape;
    def.low = (rn_vec3){-reach, -reach, -reach};
    def.high = (rn_vec3){reach, reach, reach};
    def.spacing = spacing;
    def.sharp = sharp;
    return def;
}

static rn_vec3 random_turn(void) { return (rn_vec3){random_in(-180, 180), random_in(-180, 180), random_in(-180, 180)}; }

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
    if (turn_lattice) def.turn = random_turn();
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
        check_solid(rn_sdf_move(rn_sdf_turn(rn_sdf_torus(0.8, 0.35), turn), by), &torus, 0.06, false, turn_lattice);
        /* Marching cubes cut corners off: as many as edges are long, by a share of a cell. */
        const closed_form box = {"box", 2 * (1.2 * 0.9 + 0.9 * 0.7 + 0.7 * 1.2), 1.2 * 0.9 * 0.7, 2, 4e-2, 2e-2, 3e-3};
        const rn_vec3 size = {1.2, 0.9, 0.7};
        check_solid(rn_sdf_move(rn_sdf_turn(rn_sdf_box(size, 0), turn), by), &box, 0.05, false, turn_lattice);
        const closed_form sharp_box = {"box", box.area, box.volume, 2, 6e-3, 2e-3, 3e-3};
        check_solid(rn_sdf_move(rn_sdf_turn(rn_sdf_box(size, 0), turn), by), &sharp_box, 0.05, true, turn_lattice);
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
    rn_sdf *box = rn_sdf_turn(rn_sdf_box((rn_vec3){1.2, 0.9, 0.7}, 0), turn);
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

/* ---- Columns --------------------------------------------------------------------------------------------------- */

enum { CELLS = 40 };

static void assert_same(const rn_mesh *a, const rn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->normals, b->normals, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->indices, b->indices, 12 * (size_t)a->triangle_count);
}

static rn_world *make_world(rn_sdf *solid) {
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = CELLS;
    terrain.cells_y = CELLS;
    terrain.cell_size = 0.05;
    terrain.solid = solid;
    terrain.lid = 2;
    terrain.bottom = -1;
    rn_terrain *ground = NULL;
    if (rn_terrain_create(&terrain, &ground) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def def = rn_world_default();
    def.terrain = ground;
    def.liquid = rn_liquid_water();
    rn_world *world = NULL;
    if (rn_world_create(&def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(ground);
    return world;
}

/* A slope is met exactly; its bases are vertices. */
static void columns_of_a_slope(void **state) {
    (void)state;
    rn_world *world = make_world(rn_sdf_plane((rn_vec3){0, 0, 0.2}, (rn_vec3){-0.4, -0.2, 1}));
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.world = world;
    rn_ground_mesh *made = make(&def);
    const rn_mesh mesh = rn_ground_mesh_read(made);
    const facts f = look_at(&mesh);
    assert_int_equal(f.crowded + f.twisted + f.degenerate + f.backwards, 0);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        const point p = vertex(&mesh, i);
        const double half = 0.025, x = rn_clamp(p.x, half, 2 - half), y = rn_clamp(p.y, half, 2 - half);
        assert_near(p.z, 0.2 + 0.4 * x + 0.2 * y, 1e-4); /* level between the rim and the middles of the last cells */
        const float *n = mesh.normals + 3 * (size_t)i;
        if (p.x > 0.1 && p.x < 1.9 && p.y > 0.1 && p.y < 1.9) assert_near(n[2], 1 / sqrt(1.2), 1e-3);
    }
    assert_near(f.area, 4 * sqrt(1.2), 0.06);
    rn_ground_mesh_destroy(made);
    rn_world_destroy(world);
}

/* A slab over a floor: a block with a slot, closed. */
static void columns_with_overhangs(void **state) {
    (void)state;
    rn_sdf *floor = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
    rn_sdf *slab = rn_sdf_move(rn_sdf_box((rn_vec3){1, 0.8, 0.21}, 0), (rn_vec3){1, 1, 0.63});
    rn_world *world = make_world(rn_sdf_union(floor, slab, 0));
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.closed = true;
        def.sharp = sharp;
        rn_ground_mesh *made = make(&def);
        const rn_mesh mesh = rn_ground_mesh_read(made);
        const facts f = look_at(&mesh);
        assert_closed(&f);
        assert_int_equal(f.euler, 4); /* two closed pieces */
        double low = 1e9;
        for (uint32_t i = 0; i < mesh.vertex_count; i++) low = rn_min(low, vertex(&mesh, i).z);
        assert_near(f.volume, 4 * (0.1 - low) + 1 * 0.8 * 0.21, 0.03 * f.volume);
        rn_ground_mesh_destroy(made);
    }
    rn_world_destroy(world);
}

/* ---- Partial updates and threads ------------------------------------------------------------------------------- */

static void updates_equal_a_new_mesh(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_world *world = make_world(rn_sdf_noise(0.15, 0.7, 3, 5));
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.sharp = sharp;
        def.closed = true;
        rn_ground_mesh *kept = make(&def);
        const int64_t all = rn_ground_mesh_made(kept);
        bool changed = true;
        assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
        assert_false(changed);
        int64_t least = all;
        for (int round = 0; round < 20; round++) {
            /* Anything anywhere, then single cells across the edge between two blocks. */
            rn_vec3 at = {random_in(0, 2), random_in(0, 2), random_in(-0.1, 0.4)};
            if (round >= 8) at = (rn_vec3){0.05 * (round + 0.5), 0.525, 0.2};
            rn_sdf *ball = rn_sdf_move(rn_sdf_sphere(round < 8 ? random_in(0.05, 0.3) : 0.02), at);
            assert_int_equal(rn_world_sculpt(world, ball, round & 1), RN_OK);
            assert_int_equal(rn_world_commit(world), RN_OK);
            rn_sdf_destroy(ball);
            assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
            if (changed) least = rn_ground_mesh_made(kept) < least ? rn_ground_mesh_made(kept) : least;
            rn_ground_mesh *fresh = make(&def);
            const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
            assert_same(&a, &b);
            rn_ground_mesh_destroy(fresh);
        }
        assert_true(least < all);
        rn_ground_mesh_destroy(kept);
        rn_world_destroy(world);
    }
}

/* A shape whose place changes: the boxes that it leaves and that it enters are told. */
static void moving_shapes_are_followed(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_sdf *shape = rn_sdf_mount(rn_sdf_box((rn_vec3){0.5, 0.3, 0.4}, 0.02));
        rn_ground_mesh_def def = around(shape, 2, 0.04, sharp);
        def.turn = (rn_vec3){10, 20, 30};
        assert_true(rn_sdf_place(shape, (rn_vec3){0.2, 0.1, 0}, (rn_vec3){0, 0, 0}));
        rn_ground_mesh *kept = make(&def);
        const int64_t all = rn_ground_mesh_made(kept);
        assert_int_not_equal(rn_ground_mesh_update(kept, NULL, NULL, NULL), RN_OK); /* shapes cannot be asked */
        for (int round = 0; round < 5; round++) {
            const rn_box left = rn_sdf_bounds(shape);
            assert_true(rn_sdf_place(shape, random_point(1), random_turn()));
            const rn_box entered = rn_sdf_bounds(shape);
            bool changed = false;
            assert_int_equal(rn_ground_mesh_update(kept, &left.low, &left.high, &changed), RN_OK);
            assert_true(changed && rn_ground_mesh_made(kept) < all / 2);
            assert_int_equal(rn_ground_mesh_update(kept, &entered.low, &entered.high, NULL), RN_OK);
            rn_ground_mesh *fresh = make(&def);
            const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
            assert_true(a.triangle_count > 100);
            assert_same(&a, &b);
            rn_ground_mesh_destroy(fresh);
        }
        rn_ground_mesh_destroy(kept);
        rn_sdf_destroy(shape);
    }
}

/* A world with the shape of its ground: solids are followed as shapes; once the ground is dug, columns take over. */
static void worlds_with_shapes(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_world *world = make_world(rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1}));
        rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.shape = ground;
        def.sharp = sharp;
        def.closed = true;
        const rn_solid_def ball = {.shape = rn_sdf_sphere(0.3), .at = {0.7, 0.8, 0.9}};
        const int solid = rn_world_solid(world, &ball);
        assert_true(solid >= 0);
        rn_ground_mesh *kept = make(&def);
        const int64_t all = rn_ground_mesh_made(kept);
        for (int round = 0; round < 6; round++) {
            const rn_vec3 at = {random_in(0.4, 1.6), random_in(0.4, 1.6), 0.9}, turn = {0, 0, 0};
            if (round == 3) assert_int_equal(rn_world_show_solid(world, solid, false), RN_OK);
            else assert_int_equal(rn_world_move_solid(world, solid, at, turn), RN_OK);
            if (round == 4) assert_int_equal(rn_world_show_solid(world, solid, true), RN_OK);
            assert_int_equal(rn_world_commit(world), RN_OK);
            bool changed = false;
            assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
            assert_true(changed && rn_ground_mesh_made(kept) < all);
            assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
            assert_false(changed);
            rn_ground_mesh *fresh = make(&def);
            const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
            assert_same(&a, &b);
            const facts f = look_at(&a);
            assert_closed(&f);
            assert_int_equal(f.euler, round == 3 ? 2 : 4);
            /* As round as a sphere, which columns would not be. */
            for (uint32_t i = 0; round != 3 && i < a.vertex_count; i++) {
                const point p = vertex(&a, i);
                const double r = length(minus(p, (point){at.x, at.y, at.z}));
                if (p.z > 0.3) assert_near(r, 0.3, 0.01);
            }
            rn_ground_mesh_destroy(fresh);
        }
        rn_sdf *pit = rn_sdf_move(rn_sdf_sphere(0.2), (rn_vec3){1, 1, 0.1});
        assert_int_equal(rn_world_sculpt(world, pit, false), RN_OK);
        assert_int_equal(rn_world_commit(world), RN_OK);
        bool changed = false;
        assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
        assert_true(changed);
        def.shape = NULL;
        rn_ground_mesh *columns = make(&def);
        const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(columns);
        assert_same(&a, &b);
        rn_ground_mesh_destroy(columns);
        rn_ground_mesh_destroy(kept);
        rn_sdf_destroy(pit);
        rn_sdf_destroy(ground);
        rn_world_destroy(world);
    }
}

/* ---- Files that cannot be -------------------------------------------------------------------------------------- */

static void bad_meshes_are_not_written(void **state) {
    (void)state;
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[3] = {0, 1, 2};
    rn_mesh mesh = {.positions = positions, .indices = indices, .vertex_count = 3, .triangle_count = 1};
    assert_int_equal(rn_mesh_write("mesh.stl", &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), ".ply or .obj"));
    assert_int_equal(rn_mesh_write("no/such/folder/mesh.ply", &mesh), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "no/such/folder/mesh.ply"));
    indices[2] = 3;
    assert_int_equal(rn_mesh_write("mesh.ply", &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "triangle 0 has a corner 3"));
    mesh.indices = NULL;
    assert_int_equal(rn_mesh_write("mesh.ply", &mesh), RN_INVALID);
}

/* Memory that runs out: a sentence, and nothing left behind. */
static void memory_may_run_out(void **state) {
    (void)state;
    rn_sdf *shape = rn_sdf_sphere(0.5);
    bool done = false;
    for (int allowed = 0; allowed < 40 && !done; allowed++) {
        purse p = {.left = allowed};
        rn_ground_mesh_def def = around(shape, 1, 0.1, false);
        def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_ground_mesh *mesh = NULL;
        const rn_result result = rn_ground_mesh_create(&def, &mesh);
        done = result == RN_OK;
        assert_true(done || (result == RN_MEMORY && !mesh));
        rn_ground_mesh_destroy(mesh);
        assert_int_equal(p.held, 0);
    }
    assert_true(done);
    rn_sdf_destroy(shape);
}

/* An update that has failed can be asked for again, and then makes up for it. */
static void an_update_may_be_tried_again(void **state) {
    (void)state;
    bool done = false;
    for (int allowed = 0; allowed < 40 && !done; allowed++) {
        rn_world *world = make_world(rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1}));
        rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
        purse p = {.left = 1000};
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.shape = ground;
        def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_ground_mesh *kept = make(&def);
        rn_sdf *hill = rn_sdf_move(rn_sdf_sphere(0.4), (rn_vec3){1, 1, 0.1});
        assert_int_equal(rn_world_sculpt(world, hill, false), RN_OK);
        assert_int_equal(rn_world_commit(world), RN_OK);
        bool changed = false;
        p.left = allowed;
        const rn_result result = rn_ground_mesh_update(kept, NULL, NULL, NULL);
        done = result == RN_OK;
        assert_true(done || result == RN_MEMORY);
        p.left = 1000;
        assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
        assert_true(changed != done);
        rn_ground_mesh *fresh = make(&def);
        const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
        assert_same(&a, &b);
        rn_ground_mesh_destroy(fresh);
        rn_ground_mesh_destroy(kept);
        assert_int_equal(p.held, 0);
        rn_sdf_destroy(hill);
        rn_sdf_destroy(ground);
        rn_world_destroy(world);
    }
    assert_true(done);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    rn_sdf *shape = rn_sdf_turn(rn_sdf_torus(0.8, 0.35), (rn_vec3){20, 30, 40});
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_ground_mesh_def def = around(shape, 1.3, 0.05, sharp);
        rn_ground_mesh *one = make(&def);
        const rn_mesh a = rn_ground_mesh_read(one);
        for (int threads = 2; threads < 6; threads++) {
            def.threads = threads;
            rn_ground_mesh *more = make(&def);
            const rn_mesh b = rn_ground_mesh_read(more);
            assert_same(&a, &b);
            rn_ground_mesh_destroy(more);
        }
        rn_ground_mesh_destroy(one);
    }
    rn_sdf_destroy(shape);
}

/* ---- Refused --------------------------------------------------------------------------------------------------- */

static void bad_wishes_are_refused(void **state) {
    (void)state;
    rn_sdf *shape = rn_sdf_sphere(1);
    rn_ground_mesh *mesh;
    rn_ground_mesh_def def = rn_ground_mesh_default();
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "exactly one"));
    def.shape = shape;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "spacing"));
    def.spacing = 0.1;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "box"));
    def.high = (rn_vec3){1, 1, -1};
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "high"));
    def.high.z = 1;
    def.spacing = 1e-6;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "spacing"));
    assert_null(mesh);
    def.low = (rn_vec3){-1, -1, -1};
    def.spacing = 0.2;
    mesh = make(&def);
    const rn_vec3 low = {0, NAN, 0}, high = {1, 1, 1}, below = {1, -1, 1};
    assert_int_equal(rn_ground_mesh_update(mesh, NULL, NULL, NULL), RN_INVALID);
    assert_int_equal(rn_ground_mesh_update(mesh, &low, &high, NULL), RN_INVALID);
    assert_int_equal(rn_ground_mesh_update(mesh, &high, &below, NULL), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "must not be below"));
    rn_ground_mesh_destroy(mesh);
    rn_sdf_destroy(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_cube_is_whole, start_random),
        cmocka_unit_test_setup(noise_has_no_cracks, start_random),
        cmocka_unit_test_setup(shapes_in_any_orientation, start_random),
        cmocka_unit_test_setup(marched_vertices_lie_on_the_solid, start_random),
        cmocka_unit_test_setup(dual_contouring_keeps_edges_sharp, start_random),
        cmocka_unit_test_setup(a_closed_box_is_a_block, start_random),
        cmocka_unit_test_setup(columns_of_a_slope, start_random),
        cmocka_unit_test_setup(columns_with_overhangs, start_random),
        cmocka_unit_test_setup(updates_equal_a_new_mesh, start_random),
        cmocka_unit_test_setup(moving_shapes_are_followed, start_random),
        cmocka_unit_test_setup(worlds_with_shapes, start_random),
        cmocka_unit_test_setup(bad_meshes_are_not_written, start_random),
        cmocka_unit_test_setup(memory_may_run_out, start_random),
        cmocka_unit_test_setup(an_update_may_be_tried_again, start_random),
        cmocka_unit_test_setup(same_bits_for_any_threads, start_random),
        cmocka_unit_test_setup(bad_wishes_are_refused, start_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
