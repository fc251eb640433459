/* Bodies as cells and faces see them: volumes, coverage, sections and sweeps against what they must be. */
#include "base/hash.h"
#include "base/quat.h"
#include "bodies/raster.h"
#include "bodies/shape.h"
#include "body_shapes.h"
#include "purse.h"

enum { SHAPES = 8, POSES = 20, MOST_VERTICES = 2000, MOST_STEPS = 40000 };

static const rn_raster_grid grid = {.origin_x = -3, .origin_y = -2.75, .cell = 0.25, .nx = 24, .ny = 22};

static double placed[3 * MOST_VERTICES];
static rn_share_change scratch[MOST_STEPS];

static rn_shape *make_shape(int which) {
    switch (which) {
    case 0: return rn_shape_box((rn_vec3){1.3, 0.9, 0.7});
    case 1: return rn_shape_sphere(0.8);
    case 2: return rn_shape_cylinder(0.6, 1.9);
    case 3: return rn_shape_capsule(0.5, 1.1);
    case 4: return make_rock();
    case 5: return make_torus(1, 0.4);
    case 6: return make_truck();
    default: return make_arch();
    }
}

static void place(const rn_shape *shape, rn_vec3 at, rn_quat turn) {
    assert_true(shape->info.vertex_count <= MOST_VERTICES);
    rn_raster_place(shape, at, turn, placed);
}

static rn_vec3 place_somewhere(const rn_shape *shape) {
    const rn_vec3 at = {random_in(-0.4, 0.4), random_in(-0.4, 0.4), random_in(-2, 2)};
    place(shape, at, random_turn());
    return at;
}

static void sort(rn_share_changes *steps) {
    assert_true(steps->count <= MOST_STEPS);
    rn_share_changes_sort(steps, scratch);
}

/* Where the steps of a cell end that begin at `i`; adds up what they make solid (m of a whole cell or face). */
static size_t add_up(const rn_share_changes *steps, size_t i, double *solid, double *left) {
    const int32_t cell = steps->list[i].cell;
    *solid = *left = 0;
    for (; i < steps->count && steps->list[i].cell == cell; i++) {
        *solid -= (double)steps->list[i].share * (double)steps->list[i].height;
        *left += (double)steps->list[i].share;
    }
    return i;
}

static void test_volume(void **state) {
    (void)state;
    rn_share_changes steps = {0};
    double worst = 0, worst_stretches = 0;
    for (int s = 0; s < SHAPES; s++) {
        rn_shape *shape = make_shape(s);
        for (int pose = 0; pose < POSES; pose++) {
            place_somewhere(shape);
            steps.count = 0;
            assert_true(rn_raster_cells(&grid, shape, placed, NULL, &steps));
            sort(&steps);
            double volume = 0, in_stretches = 0;
            for (size_t i = 0, end; i < steps.count; i = end) {
                double solid, left;
                end = add_up(&steps, i, &solid, &left);
                assert_near(left, 0, 1e-5);
                volume += solid * 0.0625;
                static rn_solid_range ranges[MOST_STEPS];
                const int count = rn_share_changes_ranges(steps.list + i, end - i, 0, 0, ranges, MOST_STEPS);
                for (int k = 0; k < count; k++) {
                    in_stretches += 0.0625 * (double)ranges[k].share * ((double)ranges[k].high - (double)ranges[k].low);
                }
            }
            worst = rn_max(worst, fabs(volume / shape->info.volume - 1));
            worst_stretches = rn_max(worst_stretches, fabs(in_stretches / shape->info.volume - 1));
        }
        rn_shape_destroy(shape);
    }
    rn_free(NULL, steps.list);
    print_message("worst volume: %.2g in steps, %.2g in ranges\n", worst, worst_stretches);
    assert_true(worst < 1e-5);
    assert_true(worst_stretches < 2e-3);
}

/* Whether a point turned back into a box lies under or over it. */
static bool over_box(rn_vec3 half, double rows[3][3], rn_vec3 at, double x, double y) {
    double low = -INFINITY, high = INFINITY;
    const double size[3] = {half.x, half.y, half.z};
    for (int k = 0; k < 3; k++) {
        const double from = rows[0][k] * (x - at.x) + rows[1][k] * (y - at.y), rise = rows[2][k];
        const double a = (-size[k] - from) / rise, b = (size[k] - from) / rise;
        low = rn_max(low, rn_min(a, b));
        high = rn_min(high, rn_max(a, b));
    }
    return low < high;
}

/* What looks down covers what it covers: 16384 rays through each cell. */
static void test_coverage(void **state) {
    (void)state;
    enum { RAYS = 16384 };
    rn_shape *box = make_shape(0);
    rn_share_changes steps = {0};
    for (int pose = 0; pose < POSES; pose++) {
        const rn_vec3 at = {random_in(-0.4, 0.4), random_in(-0.4, 0.4), 0};
        const rn_quat turn = random_turn();
        static double covered[24 * 22];
        memset(covered, 0, sizeof covered);
        double rows[3][3];
        rn_quat_rows(turn, rows);
        place(box, at, turn);
        steps.count = 0;
        assert_true(rn_raster_cells(&grid, box, placed, NULL, &steps));
        for (size_t i = 0; i < steps.count; i++) {
            covered[steps.list[i].cell] += rn_max((double)steps.list[i].share, 0);
        }
        for (int cell = 0; cell < grid.nx * grid.ny; cell++) {
            int hits = 0;
            for (int ray = 0; ray < RAYS; ray++) {
                /* In no rows that an edge could follow. */
                const double turns = ray * 0.6180339887498949;
                const double x = cell % grid.nx + (ray + 0.5) / RAYS, y = cell / grid.nx + turns - floor(turns);
                hits += over_box((rn_vec3){0.65, 0.45, 0.35}, rows, at, grid.origin_x + x * grid.cell,
                                 grid.origin_y + y * grid.cell);
            }
            assert_near(covered[cell], (double)hits / RAYS, 2e-3);
        }
    }
    rn_free(NULL, steps.list);
    rn_shape_destroy(box);
}

/* Under an arch there is room, and its feet stand on the ground. */
static void test_arch(void **state) {
    (void)state;
    rn_shape *arch = make_arch();
    rn_share_changes steps = {0};
    rn_raster_place(arch, (rn_vec3){0.0625, 0, 10}, (rn_quat){0, 0, 0, 0}, placed);
    assert_true(rn_raster_cells(&grid, arch, placed, NULL, &steps));
    sort(&steps);
    int seen = 0;
    for (size_t i = 0, end; i < steps.count; i = end) {
        double solid, left;
        end = add_up(&steps, i, &solid, &left);
        rn_solid_range found[8];
        const int count = rn_share_changes_ranges(steps.list + i, end - i, 1e-3f, 0.05f, found, 8);
        const int x = steps.list[i].cell % grid.nx, y = steps.list[i].cell / grid.nx;
        if (y != 10) continue;
        seen++;
        const double from = -3 + 0.25 * x - 0.0625, to = from + 0.25; /* as the arch has it */
        const double over = (rn_min(to, 1) - rn_max(from, -1)) * 4;
        const double gap = rn_max(rn_min(to, 0.5) - rn_max(from, -0.5), 0) * 4;
        const bool foot = over - gap > 1e-9, both = foot && gap > 0;
        assert_int_equal(count, both ? 2 : 1);
        assert_near((double)found[0].share, both ? over - gap : over, 1e-6);
        assert_near((double)found[0].low, foot ? 10 : 11, 1e-6);
        assert_near((double)found[count - 1].high, 12, 1e-6);
        if (both) assert_near((double)found[0].high, 11, 1e-6);
    }
    assert_int_equal(seen, 9);
    rn_free(NULL, steps.list);
    rn_shape_destroy(arch);
}

/* How far the share that is solid at some height is off that of a ramp, from all of it at 0 to nothing at `rise`. */
static double ramp_error(const rn_share_changes *steps, double scale, double rise) {
    double worst = 0;
    for (int i = 0; i <= 100; i++) {
        double solid = 0;
        for (size_t k = 0; k < steps->count; k++) {
            if ((double)steps->list[k].height < rise * i / 100) solid += (double)steps->list[k].share * scale;
        }
        worst = rn_max(worst, fabs(solid - (1 - i / 100.0)));
    }
    return worst;
}

/* A steep ramp in one cell is cut into slices, so that its profile is right to half of one. */
static void test_ramp(void **state) {
    (void)state;
    const double rises[3] = {0.2, 0.75, 12};
    for (int i = 0; i < 3; i++) {
        const float r = (float)rises[i], at[8 * 3] = {0, 0, -1, 0.25f, 0, -1, 0, 0.25f, -1, 0.25f, 0.25f, -1,
                                                      0, 0, 0,  0.25f, 0, r,  0, 0.25f, 0,  0.25f, 0.25f, r};
        rn_shape *ramp = rn_shape_hull(at, 8);
        rn_share_changes steps = {0};
        place(ramp, (rn_vec3){0, 0, 0}, (rn_quat){0, 0, 0, 1});
        assert_true(rn_raster_cells(&grid, ramp, placed, NULL, &steps));
        const double cells = ramp_error(&steps, 1, rises[i]);
        steps.count = 0;
        /* Through the middle of the ramp, which then lies in two cells along y. */
        place(ramp, (rn_vec3){0, 0.125, 0}, (rn_quat){0, 0, 0, 1});
        assert_true(rn_raster_cells(&grid, ramp, placed, NULL, &steps));
        const double halves = ramp_error(&steps, 1, rises[i]);
        steps.count = 0;
        assert_true(rn_raster_faces(&grid, ramp, placed, 1, 1, NULL, &steps));
        const double faces = ramp_error(&steps, 1, rises[i]);
        print_message("ramp of %g m: off by %.3g in a cell, %.3g in two, %.3g in a face\n", rises[i], cells, halves,
                      faces);
        const double most = 0.5 / (floor(rises[i] / 0.125) + 1) + 0.011; /* heights are looked at 0.01 apart */
        assert_true(cells < most && halves < most && faces < most);
        rn_free(NULL, steps.list);
        rn_shape_destroy(ramp);
    }
}

/* The area in which a plane cuts a surface, by the lines in which it cuts the triangles. */
static double section(const rn_shape *shape, int axis, double plane) {
    double area = 0;
    for (uint32_t t = 0; t < shape->info.triangle_count; t++) {
        double end[2][2];
        for (uint32_t c = 0; c < 3; c++) {
            const double *p = placed + 3 * shape->indices[3 * t + c],
                         *q = placed + 3 * shape->indices[3 * t + (c + 1) % 3];
            if ((p[axis] < plane) == (q[axis] < plane)) continue;
            const double share = (plane - p[axis]) / (q[axis] - p[axis]);
            double *to = end[p[axis] < plane];
            to[0] = p[1 - axis] + share * (q[1 - axis] - p[1 - axis]);
            to[1] = p[2] + share * (q[2] - p[2]);
        }
        double low = INFINITY, high = -INFINITY;
        for (uint32_t c = 0; c < 3; c++) {
            low = rn_min(low, placed[3 * shape->indices[3 * t + c] + (uint32_t)axis]);
            high = rn_max(high, placed[3 * shape->indices[3 * t + c] + (uint32_t)axis]);
        }
        if (low < plane && high >= plane) area += (end[0][0] * end[1][1] - end[1][0] * end[0][1]) / 2;
    }
    return fabs(area);
}

static void test_sections(void **state) {
    (void)state;
    rn_share_changes steps = {0};
    for (int s = 0; s < SHAPES; s++) {
        rn_shape *shape = make_shape(s);
        for (int pose = 0; pose < POSES; pose++) {
            const int axis = pose % 2;
            /* Half of them stand on the lattice, corners on planes. */
            if (pose < POSES / 2) place_somewhere(shape);
            else place(shape, (rn_vec3){0.25 * pose - 3.5, 0, 0}, (rn_quat){0, 0, 0, 1});
            steps.count = 0;
            assert_true(rn_raster_faces(&grid, shape, placed, axis, 0.5, NULL, &steps));
            sort(&steps);
            double found[24] = {0};
            for (size_t i = 0, end; i < steps.count; i = end) {
                const int cell = steps.list[i].cell;
                double solid, left;
                end = add_up(&steps, i, &solid, &left);
                assert_near(left, 0, 1e-5);
                found[axis == 0 ? cell % grid.nx : cell / grid.nx] += solid * grid.cell / 0.5;
            }
            const double origin = axis == 0 ? grid.origin_x : grid.origin_y;
            for (int p = 0; p < (axis == 0 ? grid.nx : grid.ny); p++) {
                assert_near(found[p], section(shape, axis, origin + (p + 1) * grid.cell), 1e-5);
            }
        }
        rn_shape_destroy(shape);
    }
    rn_free(NULL, steps.list);
}

/* The solid volume of each cell, and what passes the faces of an area that moves with `shift` (m): of `poses` on the
   way. */
typedef struct sweep {
    double before[24 * 22], after[24 * 22], in[24 * 22];
} sweep;

static void add_cells(const rn_share_changes *steps, double *to, double scale) {
    for (size_t i = 0; i < steps->count; i++) {
        to[steps->list[i].cell] -= (double)steps->list[i].share * (double)steps->list[i].height * scale;
    }
}

static void sweep_over(const rn_shape *shape, rn_vec3 at, rn_quat turn, rn_vec3 shift, int poses, sweep *s) {
    rn_share_changes steps = {0};
    memset(s, 0, sizeof *s);
    place(shape, at, turn);
    assert_true(rn_raster_cells(&grid, shape, placed, NULL, &steps));
    add_cells(&steps, s->before, 0.0625);
    steps.count = 0;
    place(shape, (rn_vec3){at.x + shift.x, at.y + shift.y, at.z + shift.z}, turn);
    assert_true(rn_raster_cells(&grid, shape, placed, NULL, &steps));
    add_cells(&steps, s->after, 0.0625);
    for (int axis = 0; axis < 2; axis++) {
        double through[24 * 22] = {0};
        steps.count = 0;
        for (int i = 0; i < poses; i++) {
            const double share = (i + 0.5) / poses;
            place(shape, (rn_vec3){at.x + share * shift.x, at.y + share * shift.y, at.z + share * shift.z}, turn);
            assert_true(rn_raster_faces(&grid, shape, placed, axis, 1.0 / poses, NULL, &steps));
        }
        add_cells(&steps, through, grid.cell * (axis == 0 ? shift.x : shift.y));
        for (int cell = 0; cell < grid.nx * grid.ny; cell++) {
            const int next = cell + (axis == 0 ? 1 : grid.nx);
            s->in[cell] -= through[cell];
            if (next < grid.nx * grid.ny) s->in[next] += through[cell];
        }
    }
    rn_free(NULL, steps.list);
}

/* What a moving body takes from one cell it has brought to the next: that is why it throws no waves. */
static void test_sweep(void **state) {
    (void)state;
    double worst = 0;
    for (int s = 0; s < SHAPES; s++) {
        rn_shape *shape = make_shape(s);
        for (int pose = 0; pose < POSES; pose++) {
            const rn_vec3 at = {random_in(-0.4, 0.4), random_in(-0.4, 0.4), random_in(-2, 2)};
            const rn_vec3 shift = {random_in(-0.06, 0.06), random_in(-0.06, 0.06), random_in(-0.06, 0.06)};
            static sweep sw;
            sweep_over(shape, at, random_turn(), shift, 4, &sw);
            double moved = 0, off = 0;
            for (int cell = 0; cell < grid.nx * grid.ny; cell++) {
                const double change = sw.after[cell] - sw.before[cell];
                moved += rn_max(change, 0);
                off = rn_max(off, fabs(change - sw.in[cell]));
            }
            worst = rn_max(worst, off / moved);
        }
        rn_shape_destroy(shape);
    }
    print_message("worst cell of a sweep: %.2g of the moved volume\n", worst);
    assert_true(worst < 0.01);
}

/* Whether a point lies inside, by how often a slanted line from it meets the surface. */
static bool inside(const rn_shape *shape, rn_vec3 p) {
    const double d[3] = {0.612, -0.377, 0.231};
    bool in = false;
    for (uint32_t t = 0; t < shape->info.triangle_count; t++) {
        double v[3][3];
        for (uint32_t c = 0; c < 3; c++) {
            const double *q = placed + 3 * shape->indices[3 * t + c];
            v[c][0] = q[0] - p.x;
            v[c][1] = q[1] - p.y;
            v[c][2] = q[2] - p.z;
        }
        double side[3], det = 0;
        for (int c = 0; c < 3; c++) {
            const double *a = v[(c + 1) % 3], *b = v[(c + 2) % 3];
            side[c] = d[0] * (a[1] * b[2] - a[2] * b[1]) + d[1] * (a[2] * b[0] - a[0] * b[2]) +
                      d[2] * (a[0] * b[1] - a[1] * b[0]);
        }
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            det += v[0][k] * (v[1][i] * v[2][j] - v[1][j] * v[2][i]);
        }
        const double whole = side[0] + side[1] + side[2];
        if ((side[0] > 0) == (side[1] > 0) && (side[1] > 0) == (side[2] > 0) && det / whole > 0) in = !in;
    }
    return in;
}

static void test_middles(void **state) {
    (void)state;
    rn_share_changes steps = {0};
    int within = 0, tried = 0;
    for (int s = 0; s < SHAPES; s++) {
        rn_shape *shape = make_shape(s);
        for (int pose = 0; pose < POSES; pose++) {
            const rn_vec3 at = place_somewhere(shape);
            steps.count = 0;
            assert_true(rn_raster_middles(&grid, shape, placed, NULL, &steps));
            sort(&steps);
            for (int n = 0; n < 50; n++, tried++) {
                const int x = (int)random_in(4, 20), y = (int)random_in(4, 18);
                const rn_vec3 p = {grid.origin_x + (x + 0.5) * grid.cell, grid.origin_y + (y + 0.5) * grid.cell,
                                   at.z + random_in(-1, 1)};
                double solid = 0;
                for (size_t i = 0; i < steps.count; i++) {
                    const rn_share_change *step = &steps.list[i];
                    if (step->cell == y * grid.nx + x && (double)step->height < p.z) solid += (double)step->share;
                }
                const bool in = inside(shape, p);
                within += in;
                assert_near(solid, in, 0);
            }
        }
        rn_shape_destroy(shape);
    }
    assert_true(within > tried / 20);
    /* Corners and edges on middles: of each pair of opposite sides one counts. */
    rn_shape *box = rn_shape_box((rn_vec3){0.75, 0.5, 1});
    place(box, (rn_vec3){0.25, 0.125, 3}, (rn_quat){0, 0, 0, 1});
    steps.count = 0;
    assert_true(rn_raster_middles(&grid, box, placed, NULL, &steps));
    assert_int_equal(steps.count, 2 * 3 * 2);
    sort(&steps);
    for (size_t i = 0; i < steps.count; i++) {
        assert_near((double)steps.list[i].share, i % 2 ? -1 : 1, 0);
        assert_near((double)steps.list[i].height, i % 2 ? 3.5 : 2.5, 0);
    }
    rn_free(NULL, steps.list);
    rn_shape_destroy(box);
}

/* What lies outside of the grid counts as nothing, wherever it is. */
static void test_edges(void **state) {
    (void)state;
    rn_shape *ball = rn_shape_sphere(0.8);
    rn_share_changes steps = {0};
    const double half = ball->info.volume / 2;
    const rn_vec3 at[8] = {{-3, 0, 0},  {3, 0, 0},    {0, -2.75, 0},  {0, 2.75, 0},
                           {1e6, 0, 0}, {0, -1e9, 0}, {-1e300, 0, 0}, {1e300, 1e300, 0}};
    for (int i = 0; i < 8; i++) {
        steps.count = 0;
        place(ball, at[i], (rn_quat){0, 0, 0, 1});
        assert_true(rn_raster_cells(&grid, ball, placed, NULL, &steps));
        double volume = 0;
        for (size_t k = 0; k < steps.count; k++) {
            assert_in_range(steps.list[k].cell, 0, grid.nx * grid.ny - 1);
            volume -= (double)steps.list[k].share * (double)steps.list[k].height * 0.0625;
        }
        assert_near(volume, i < 4 ? half : 0, 1e-5);
        assert_true(rn_raster_faces(&grid, ball, placed, 0, 1, NULL, &steps));
        assert_true(rn_raster_faces(&grid, ball, placed, 1, 1, NULL, &steps));
        assert_true(rn_raster_middles(&grid, ball, placed, NULL, &steps));
        for (size_t k = 0; k < steps.count; k++) assert_in_range(steps.list[k].cell, 0, grid.nx * grid.ny - 1);
    }
    rn_free(NULL, steps.list);
    rn_shape_destroy(ball);
}

static void test_sort(void **state) {
    (void)state;
    static rn_share_change list[5000];
    for (int n = 0; n < 60; n++) {
        const size_t count = n < 30 ? (size_t)n * 3 : 5000;
        rn_share_changes steps = {list, count, 5000};
        for (size_t i = 0; i < count; i++) {
            list[i].cell = (int32_t)random_in(0, n % 3 == 0 ? 5 : 2e9);
            list[i].height = (float)(n % 2 ? random_in(-1e3, 1e3) : floor(random_in(-4, 4)));
            list[i].share = (float)i;
        }
        sort(&steps);
        for (size_t i = 1; i < count; i++) {
            const rn_share_change *a = &list[i - 1], *b = &list[i];
            assert_true(a->cell < b->cell || (a->cell == b->cell && (a->height < b->height ||
                                                                     (a->height == b->height && a->share < b->share))));
        }
    }
}

static double volume_of(const rn_solid_range *list, int count) {
    double volume = 0;
    for (int i = 0; i < count; i++) volume += ((double)list[i].high - (double)list[i].low) * (double)list[i].share;
    return volume;
}

static void test_stretches(void **state) {
    (void)state;
    rn_solid_range found[64];
    /* Two bodies in one place are one; a sliver is nothing. */
    const rn_share_change twice[6] = {{0, 0, 0.75f},  {0, 1, 0.75f},  {0, 2, -0.75f},
                                      {0, 3, -0.75f}, {0, 4, 0.001f}, {0, 9, -0.001f}};
    assert_int_equal(rn_share_changes_ranges(twice, 6, 0.01f, 0, found, 64), 3);
    assert_near((double)found[1].share, 1, 0);
    assert_near((double)found[2].share, 0.75, 0);
    assert_near((double)found[2].high, 3, 0);
    assert_int_equal(rn_share_changes_ranges(twice, 0, 0.01f, 0, found, 64), 0);
    assert_int_equal(rn_share_changes_ranges(twice, 6, 0.01f, 0, found, 0), 0);
    /* A wedge: 50 small steps, then a gap, then a slab. */
    rn_share_change wedge[53];
    for (int i = 0; i < 50; i++) wedge[i] = (rn_share_change){0, 0.02f * (float)i, 0.02f};
    wedge[50] = (rn_share_change){0, 1, -1};
    wedge[51] = (rn_share_change){0, 2, 0.5f};
    wedge[52] = (rn_share_change){0, 3, -0.5f};
    const double volume = 0.02 * 0.02 * 50 * 51 / 2 + 0.5;
    const int fine = rn_share_changes_ranges(wedge, 53, 0, 0, found, 64);
    assert_int_equal(fine, 51);
    assert_near(volume_of(found, fine), volume, 1e-5);
    const int coarse = rn_share_changes_ranges(wedge, 53, 0, 0.1f, found, 64);
    assert_in_range(coarse, 4, 8);
    assert_near(volume_of(found, coarse), volume, 1e-5);
    for (int most = 1; most < 6; most++) {
        assert_int_equal(rn_share_changes_ranges(wedge, 53, 0, 0, found, most), most);
        assert_near(volume_of(found, most), volume, 1e-5);
        assert_near((double)found[most - 1].high, 3, 0);
        if (most > 1) assert_near((double)found[most - 1].low, 2, 0);
    }
    /* The upper side begins below the lower one: what is missing is taken from above. */
    const rn_share_change thin[4] = {{0, 0, -0.5f}, {0, 1, 1}, {0, 3, -0.5f}, {0, 4, 0}};
    const int count = rn_share_changes_ranges(thin, 4, 0, 0, found, 64);
    assert_near(volume_of(found, count), 0.5, 1e-6);
}

static uint64_t raster_hash(void) {
    uint64_t hash = RN_HASH_START;
    rn_share_changes steps = {0};
    for (int s = 0; s < SHAPES; s++) {
        rn_shape *shape = make_shape(s);
        place_somewhere(shape);
        assert_true(rn_raster_cells(&grid, shape, placed, NULL, &steps));
        assert_true(rn_raster_faces(&grid, shape, placed, 0, 0.25, NULL, &steps));
        assert_true(rn_raster_faces(&grid, shape, placed, 1, 0.25, NULL, &steps));
        assert_true(rn_raster_middles(&grid, shape, placed, NULL, &steps));
        rn_shape_destroy(shape);
    }
    sort(&steps);
    for (size_t i = 0; i < steps.count; i++) {
        hash = rn_hash_word(hash, (uint32_t)steps.list[i].cell);
        hash = rn_hash_floats(hash, &steps.list[i].height, 1);
        hash = rn_hash_floats(hash, &steps.list[i].share, 1);
    }
    rn_free(NULL, steps.list);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    start_random(NULL);
    const uint64_t first = raster_hash();
    start_random(NULL);
    const uint64_t second = raster_hash();
    assert_true(first == second);
    assert_true(second != raster_hash()); /* other places */
}

static void test_memory(void **state) {
    (void)state;
    rn_shape *torus = make_shape(5);
    place_somewhere(torus);
    for (int pieces = 0; pieces < 12; pieces++) {
        purse p = {pieces, 0};
        const rn_hooks hooks = {.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_share_changes steps = {0};
        const bool whole = rn_raster_cells(&grid, torus, placed, &hooks, &steps) &&
                           rn_raster_faces(&grid, torus, placed, 0, 1, &hooks, &steps) &&
                           rn_raster_middles(&grid, torus, placed, &hooks, &steps);
        assert_int_equal(whole, p.left >= 0);
        assert_true(pieces > 0 || !whole);
        assert_true(pieces < 11 || whole);
        rn_free(&hooks, steps.list);
        assert_int_equal(p.held, 0);
    }
    rn_shape_destroy(torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume),    cmocka_unit_test(test_coverage),  cmocka_unit_test(test_arch),
        cmocka_unit_test(test_ramp),      cmocka_unit_test(test_sections),  cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_middles),   cmocka_unit_test(test_edges),     cmocka_unit_test(test_sort),
        cmocka_unit_test(test_stretches), cmocka_unit_test(test_same_bits), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, start_random, NULL);
}
