/* The drawn edge of liquid that contact angles hold together (surface/contact_line.c): it is round, smooth and meets
   the ground at its angle; skirts are not drawn, films are, and without dynamic contact nothing changes. */
#include "tray_worlds.h"

#include "base/threads.h"
#include "surface_meshes.h"

#include <math.h>

#define DEGREE   0.017453292519943295
#define RECEDING 0.66 /* of the contact angle */

/* The rim of a mesh, in order, and what was measured along it. */
typedef struct rim {
    double least, most; /* m, radii around its middle */
    double turn;        /* degrees, the largest change of direction from edge to edge */
    double slope;       /* degrees, mean inclination of the triangles along it */
    int edges;
} rim;

/* Returns the edge that begins at vertex `from` of those that have a triangle on one side only; NULL: none. */
static const mesh_edge *rim_edge(const mesh_edge *edges, size_t count, uint32_t from) {
    for (size_t i = 0; i < count; i++) {
        const mesh_edge *e = &edges[i];
        if (e->forth + e->back == 1 && (e->forth ? e->low : e->high) == from) return e;
    }
    return NULL;
}

static double direction_of(const rn_mesh *m, uint32_t from, uint32_t to) {
    const float *a = &m->positions[3 * from], *b = &m->positions[3 * to];
    return atan2((double)b[1] - (double)a[1], (double)b[0] - (double)a[0]);
}

/* The mean inclination of triangles with an edge on the rim, degrees. */
static double slope_at_rim(const rn_mesh *m, const bool *on_rim) {
    double sum = 0.0;
    int count = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *i = &m->indices[3 * t];
        if (on_rim[i[0]] + on_rim[i[1]] + on_rim[i[2]] != 2) continue;
        double n[3];
        triangle_normal(m, t, n);
        sum += atan2(hypot(n[0], n[1]), n[2]) / DEGREE;
        count++;
    }
    return sum / count;
}

/* Follows the rim of a mesh that is one drop. middle: x and y (m); NULL: the mean of the rim. */
static rim follow_rim(const rn_mesh *m, const double middle[2]) {
    size_t count;
    mesh_edge *edges = mesh_edges(m, &count);
    bool *on_rim = calloc(m->vertex_count, sizeof *on_rim);
    assert_non_null(on_rim);
    rim r = {.least = INFINITY};
    double x = 0.0, y = 0.0;
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        if (edges[i].forth + edges[i].back == 1) {
            first = edges[i].forth ? edges[i].low : edges[i].high;
            on_rim[first] = true;
            x += (double)m->positions[3 * first], y += (double)m->positions[3 * first + 1];
            r.edges++;
        }
    x = middle ? middle[0] : x / r.edges, y = middle ? middle[1] : y / r.edges;
    uint32_t at = first;
    double before = NAN;
    for (int k = 0; k <= r.edges; k++) {
        const mesh_edge *e = rim_edge(edges, count, at);
        assert_non_null(e);
        const uint32_t next = e->forth ? e->high : e->low;
        const double towards = direction_of(m, at, next), turn = remainder(towards - before, 360.0 * DEGREE);
        const double radius = hypot((double)m->positions[3 * at] - x, (double)m->positions[3 * at + 1] - y);
        r.least = fmin(r.least, radius), r.most = fmax(r.most, radius);
        if (k > 0) r.turn = fmax(r.turn, fabs(turn) / DEGREE);
        before = towards;
        at = next;
    }
    r.slope = slope_at_rim(m, on_rim);
    free(on_rim);
    free(edges);
    return r;
}

/* The volume (m^3) between a mesh and the ground at height 0. */
static double volume_under(const rn_mesh *m) {
    double sum = 0.0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        double n[3], z = 0.0;
        triangle_normal(m, t, n);
        for (int k = 0; k < 3; k++) z += (double)m->positions[3 * m->indices[3 * t + (size_t)k] + 2] / 3.0;
        sum += 0.5 * n[2] * z;
    }
    return sum;
}

/* A drop of radius (cells) and depth (m) that has come to rest. Its middle is off the middle of a cell. own: the
   contact angle of the ground if it is not that of the liquid, `angle`; otherwise 0. */
static rn_world *drop_on(double own, double angle, double cell, double radius, float depth) {
    rn_world_def def = rn_world_default();
    def.contact = RN_CONTACT_DYNAMIC;
    def.liquid.contact_angle = angle, def.liquid.receding_angle = RECEDING * angle;
    def.liquid.viscosity = 2e-5;
    enum { N = 40 };
    rn_world *world = world_on(level_ground(N, N, cell, 0.0, 0.05), &def);
    rn_wetting_def wetting = rn_wetting_default();
    rn_sdf *all = rn_sdf_box((rn_vec3){1.0, 1.0, 1.0});
    wetting.region = all;
    wetting.contact_angle = own, wetting.receding_angle = RECEDING * own;
    if (own > 0.0) assert_int_equal(rn_world_set_wetting(world, &wetting), RN_OK);
    rn_sdf_destroy(all);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) d.data[y * d.row_stride + x] = hypot(x - 19.7, y - 19.4) < radius ? depth : 0.0f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    run(world, 120);
    return world;
}

static rn_world *drop_of(double angle, double cell, double radius, float depth) {
    return drop_on(0.0, angle, cell, radius, depth);
}

static buffers mesh_of(const rn_surface_columns *columns, rn_pool *pool) {
    rn_surface_def def = rn_surface_default();
    def.least_depth = -1.0f;
    def.threads = pool;
    buffers b = buffers_make(columns, &def);
    assert_int_equal(rn_surface_build(columns, &def, b.scratch, b.bytes, &b.mesh), RN_OK);
    assert_true(buffers_whole(&b));
    assert_null(mesh_fault(&b.mesh, columns->cell_size));
    return b;
}

/* Drops that the solver has brought to rest, between their receding and their advancing angle. */
static void drops_of_the_solver_are_round(void **unused) {
    (void)unused;
    const struct {
        double angle, cell, radius;
        float depth;
    } drops[] = {{30, 0.5e-3, 8, 0.8e-3f}, {60, 0.5e-3, 8, 1.8e-3f}, {60, 1e-3, 8, 2.6e-3f}};
    for (size_t i = 0; i < sizeof drops / sizeof drops[0]; i++) {
        rn_world *world = drop_of(drops[i].angle, drops[i].cell, drops[i].radius, drops[i].depth);
        const rn_surface_columns columns = rn_surface_columns_of(world);
        assert_true(columns.contact_foot > 0.0f);
        buffers b = mesh_of(&columns, NULL);
        const rim r = follow_rim(&b.mesh, NULL);
        const double volume = volume_under(&b.mesh) / rn_world_volume(world);
        print_message("%2.0f degrees, cells of %.2f mm: rim of %d edges, radii %.2f to %.2f cells, largest turn %.0f "
                      "degrees, slope %.1f degrees, volume x %.3f\n",
                      drops[i].angle, drops[i].cell * 1e3, r.edges, r.least / drops[i].cell, r.most / drops[i].cell,
                      r.turn, r.slope, volume);
        assert_true(r.least / r.most >= 0.94);
        assert_true(r.turn <= 25.0);
        assert_true(r.slope >= RECEDING * drops[i].angle && r.slope <= drops[i].angle);
        assert_true(volume > 0.97 && volume < 1.01);
        buffers_free(&b);
        rn_world_destroy(world);
    }
}

/* On ground with a contact angle of its own, the edge is drawn at that angle: flatter than the liquid's own edge may
   be. */
static void edges_have_the_angle_of_their_ground(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const double own = i ? 40.0 : 50.0;
        rn_world *world = drop_on(own, 60.0, 0.5e-3, 8, i ? 1.2e-3f : 1.5e-3f);
        const rn_surface_columns columns = rn_surface_columns_of(world);
        buffers b = mesh_of(&columns, NULL);
        const rim r = follow_rim(&b.mesh, NULL);
        print_message("liquid of 60 degrees on ground of %.0f: radii %.2f to %.2f cells, slope %.1f degrees\n", own,
                      r.least / 0.5e-3, r.most / 0.5e-3, r.slope);
        assert_true(r.slope >= RECEDING * own && r.slope <= own && r.slope < RECEDING * 60.0);
        buffers_free(&b);
        rn_world_destroy(world);
    }
}

enum { CELLS = 32 };
static const float cell = 0.5e-3f;

/* Level ground at height 0 under the open sky. */
static stack plate_of(double angle) {
    stack s = stack_make(CELLS, CELLS, 1, cell, 0.05f);
    for (size_t i = 0; i < CELLS * CELLS; i++) s.base[i] = 0.0f, s.ceil[i] = 0.05f;
    s.columns.contact_foot = 2.0f * cell * (float)tan(0.5 * angle * DEGREE);
    return s;
}

/* Depths (m) of a cone of this angle that ends in a foot; its edge is a circle of this radius (m). */
static void put_cone(stack *s, double angle, double radius, const double middle[2]) {
    const double foot = (double)s->columns.contact_foot;
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) {
            const double inside =
                radius - hypot((x + 0.5) * (double)cell - middle[0], (y + 0.5) * (double)cell - middle[1]);
            const double rise = inside * tan(angle * DEGREE) / foot;
            const double share = rise >= 1.0 ? rise : rise > 1.0 - 90.0 * DEGREE ? 1.0 - sin(1.0 - rise) : 0.0;
            s->depth[stack_slot(s, 0, y, x)] = (float)(share * foot);
        }
}

/* The contact line of a foot of the exact shape is found, wherever it lies between cells. */
static void exact_edges_are_found(void **unused) {
    (void)unused;
    for (int i = 0; i < 24; i++) {
        const double angle = 20.0 + 15.0 * (i % 3), radius = (double)cell * (6.0 + 0.31 * i);
        stack s = plate_of(angle);
        const double middle[2] = {(double)cell * (16.0 + 0.17 * (i % 5)), (double)cell * (16.0 + 0.23 * (i % 4))};
        put_cone(&s, angle, radius, middle);
        buffers b = mesh_of(&s.columns, NULL);
        const rim r = follow_rim(&b.mesh, middle);
        assert_true(fabs(r.least - radius) < 0.1 * (double)cell && fabs(r.most - radius) < 0.1 * (double)cell);
        assert_true(r.turn < 20.0);
        assert_true(fabs(r.slope - angle) < 3.0);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* The uneven edge of running liquid is drawn smoother than the same edge at rest. */
static void edges_that_run_are_eased(void **unused) {
    (void)unused;
    static float flux[CELLS * CELLS], still[CELLS * CELLS];
    const double middle[2] = {16.3 * (double)cell, 15.8 * (double)cell};
    for (int i = 0; i < CELLS * CELLS; i++) flux[i] = 0.05f * cell * 1e-3f; /* 0.05 m/s at a depth of 1 mm */
    double turn[2] = {0.0, 0.0};
    uint64_t random = 3;
    for (int i = 0; i < 12; i++) {
        stack s = plate_of(45.0);
        put_cone(&s, 45.0, 8.4 * (double)cell, middle);
        for (size_t k = 0; k < CELLS * CELLS; k++) s.depth[k] *= 0.8f + 0.4f * next_unit(&random);
        for (int runs = 0; runs < 2; runs++) {
            s.columns.flux_x = (rn_surface_field){runs ? flux : still, CELLS, CELLS * CELLS};
            s.columns.flux_y = (rn_surface_field){still, CELLS, CELLS * CELLS};
            buffers b = mesh_of(&s.columns, NULL);
            turn[runs] += follow_rim(&b.mesh, middle).turn / 12.0;
            buffers_free(&b);
        }
        stack_free(&s);
    }
    print_message("largest turn of an uneven rim: %.0f degrees at rest, %.0f degrees where it runs\n", turn[0],
                  turn[1]);
    assert_true(turn[1] < 0.75 * turn[0]);
}

/* A film is drawn as thin as it is; what is thinner than any film that clings is not drawn. */
static void films_are_thin(void **unused) {
    (void)unused;
    for (int thin = 0; thin < 2; thin++) {
        stack s = plate_of(60.0);
        const float depth = (thin ? 0.03f : 0.1f) * s.columns.contact_foot;
        for (int y = 8; y < 20; y++)
            for (int x = 8; x < 20; x++) s.depth[stack_slot(&s, 0, y, x)] = depth;
        buffers b = mesh_of(&s.columns, NULL);
        float highest = 0.0f;
        for (uint32_t v = 0; v < b.mesh.vertex_count; v++) highest = fmaxf(highest, b.mesh.positions[3 * v + 2]);
        if (thin) assert_int_equal(b.mesh.triangle_count, 0);
        else assert_true(b.mesh.triangle_count >= 2 * 11 * 11 && fabsf(highest - depth) < 1e-3f * depth);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* Where deep liquid thins to a film, in a few columns at first, its surface has no hole. */
static void films_begin_without_holes(void **unused) {
    (void)unused;
    for (int many = 1; many < 5; many++) {
        stack s = plate_of(60.0);
        for (int i = 0; i < CELLS * CELLS; i++) s.depth[i] = 0.25f * s.columns.contact_foot;
        for (int k = 0; k < many; k++)
            s.depth[stack_slot(&s, 0, 12 + k / 2, 14 + k % 2)] = 0.15f * s.columns.contact_foot;
        buffers b = mesh_of(&s.columns, NULL);
        assert_int_equal(b.mesh.triangle_count, 2 * (CELLS + 1) * (CELLS + 1));
        buffers_free(&b);
        stack_free(&s);
    }
}

/* The columns of a drop that slides along layers, walls and holes. */
static void meshes_are_sound_on_any_ground(void **unused) {
    (void)unused;
    uint64_t random = 7;
    for (int i = 0; i < 40; i++) {
        stack s = stack_make(CELLS, CELLS, 2, cell, 0.05f);
        s.columns.contact_foot = 0.3e-3f + 0.1e-3f * (float)(i % 5);
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
                const bool roofed = next_unit(&random) < 0.3f;
                s.base[low] = 1e-3f * next_unit(&random);
                s.ceil[low] = roofed ? s.base[low] + 2e-3f : 0.05f;
                s.depth[low] = next_unit(&random) < 0.6f ? 1.5e-3f * next_unit(&random) * next_unit(&random) : 0.0f;
                if (!roofed) continue;
                s.base[high] = s.ceil[low] + 1e-3f;
                s.ceil[high] = 0.05f;
                s.depth[high] = next_unit(&random) < 0.4f ? 1e-3f * next_unit(&random) : 0.0f;
            }
        buffers b = mesh_of(&s.columns, NULL);
        assert_true(b.mesh.triangle_count > 0);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* The lowest height (m) of all triangles. */
static float lowest_of(const rn_mesh *m) {
    float lowest = INFINITY;
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++)
        lowest = fminf(lowest, m->positions[3 * m->indices[i] + 2]);
    return lowest;
}

/* Liquid on a ledge, with or without room below it, ends at the brink while the ground below is dry; otherwise a sheet
   falls. */
static void nothing_falls_from_a_brink_that_holds(void **unused) {
    (void)unused;
    for (int kind = 0; kind < 6; kind++) {
        const bool hollow = kind % 2, contact = kind < 4, arrived = kind == 2 || kind == 3;
        const float top = 6e-3f;
        stack s = stack_make(CELLS, CELLS, 2, cell, 0.05f);
        s.columns.contact_foot = contact ? 0.4e-3f : 0.0f;
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const bool ledge = x < CELLS / 2;
                const size_t low = stack_slot(&s, 0, y, x), high = stack_slot(&s, 1, y, x);
                const size_t shelf = ledge && hollow ? high : low;
                s.base[low] = ledge && !hollow ? top : 0.0f;
                s.ceil[low] = ledge && hollow ? 5e-3f : 0.05f;
                if (ledge && hollow) s.base[high] = top, s.ceil[high] = 0.05f;
                if (ledge && x > 6 && y > 6 && y < 24) s.depth[shelf] = 2e-3f;
                if (!ledge && x < CELLS / 2 + 6 && arrived) s.depth[low] = 1e-3f;
            }
        buffers b = mesh_of(&s.columns, NULL);
        if (contact && !arrived) assert_true(lowest_of(&b.mesh) > top - 1e-4f);
        else assert_true(lowest_of(&b.mesh) < 2e-3f);
        buffers_free(&b);
        stack_free(&s);
    }
}

static void threads_make_no_difference(void **unused) {
    (void)unused;
    rn_world *world = drop_of(60.0, 0.5e-3, 8, 1.8e-3f);
    const rn_surface_columns columns = rn_surface_columns_of(world);
    rn_pool *pool = rn_pool_create(NULL, 3);
    assert_non_null(pool);
    buffers one = mesh_of(&columns, NULL), many = mesh_of(&columns, pool);
    assert_int_equal(one.mesh.vertex_count, many.mesh.vertex_count);
    assert_int_equal(one.mesh.triangle_count, many.mesh.triangle_count);
    assert_memory_equal(one.mesh.positions, many.mesh.positions, 12 * (size_t)one.mesh.vertex_count);
    assert_memory_equal(one.mesh.normals, many.mesh.normals, 12 * (size_t)one.mesh.vertex_count);
    assert_memory_equal(one.mesh.indices, many.mesh.indices, 12 * (size_t)one.mesh.triangle_count);
    buffers_free(&one);
    buffers_free(&many);
    rn_pool_destroy(pool);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_of_the_solver_are_round),
        cmocka_unit_test(edges_have_the_angle_of_their_ground),
        cmocka_unit_test(exact_edges_are_found),
        cmocka_unit_test(edges_that_run_are_eased),
        cmocka_unit_test(films_are_thin),
        cmocka_unit_test(films_begin_without_holes),
        cmocka_unit_test(meshes_are_sound_on_any_ground),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(nothing_falls_from_a_brink_that_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
