/* The meniscus: distances against exact fields, tilts against angles, rise against the equation of Young and Laplace,
   and normals that never look away from the camera. */
#include "kernels/meniscus.h"
#include "surface/meniscus.h"
#include "terrain_shapes.h"

/* ---- A table of links made by hand: one layer of wet and dry columns ------------------------------------------- */

enum { SIDE = 96 };

typedef struct pond {
    rn_links t;
    rn_meniscus m;
    void *memory;
} pond;

static const float cell = 0.0005f; /* m */

static pond make_pond(void) {
    pond p = {.t = {.nx = SIDE, .ny = SIDE, .layers = 1, .stride = SIDE + 2, .cell = cell}};
    rn_links *t = &p.t;
    t->layer_stride = (SIDE + 2) * (SIDE + 2);
    t->words = (SIDE + 2 + 63) / 64;
    const size_t slots = (size_t)t->layer_stride, words = (size_t)(t->words * (SIDE + 2));
    t->links = calloc(slots, sizeof *t->links);
    t->kind = calloc(slots, sizeof *t->kind);
    t->base = calloc(slots, sizeof *t->base);
    t->wet = calloc(words, sizeof *t->wet);
    t->interior = calloc(words, sizeof *t->interior);
    t->wet_layers = calloc(SIDE + 2, sizeof *t->wet_layers);
    for (int y = 0; y < SIDE; y++) t->wet_layers[y + 1] = 1;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) t->kind[rn_links_slot(t, 0, y, x)] = RN_SURFACE_DRY;
    p.memory = calloc(1, rn_meniscus_bytes(t));
    rn_meniscus_place(&p.m, t, p.memory);
    return p;
}

static void drop_pond(pond *p) {
    free(p->t.links);
    free(p->t.kind);
    free(p->t.base);
    free(p->t.wet);
    free(p->t.interior);
    free(p->t.wet_layers);
    free(p->memory);
}

static bool is_wet(const pond *p, int y, int x) {
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE && p->t.kind[rn_links_slot(&p->t, 0, y, x)] == RN_SURFACE_WET;
}

static void wet(pond *p, int y, int x) { p->t.kind[rn_links_slot(&p->t, 0, y, x)] = RN_SURFACE_WET; }

/* Joins all neighbours of which one is wet; the domain's edge is a wall. */
static void link_pond(pond *p) {
    rn_links *t = &p->t;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int32_t slot = rn_links_slot(t, 0, y, x);
            const uint64_t bit = UINT64_C(1) << ((x + 1) & 63);
            uint64_t *in_wet = &t->wet[(y + 1) * t->words + ((x + 1) >> 6)];
            uint64_t *in_interior = &t->interior[(y + 1) * t->words + ((x + 1) >> 6)];
            bool all = is_wet(p, y, x);
            t->links[slot] = 0;
            for (int d = 0; d < RN_AROUND; d++) {
                const int nx = x + rn_around_x[d], ny = y + rn_around_y[d];
                const bool out = nx < 0 || ny < 0 || nx >= SIDE || ny >= SIDE;
                uint64_t link = RN_LINK_NONE;
                if (is_wet(p, y, x)) link = out ? RN_LINK_WALL | RN_LINK_NOWHERE : RN_LINK_JOIN;
                else if (!out && is_wet(p, ny, nx)) link = RN_LINK_JOIN;
                t->links[slot] |= link << (8 * d);
                all = all && is_wet(p, ny, nx);
            }
            *in_wet = is_wet(p, y, x) ? *in_wet | bit : *in_wet & ~bit;
            *in_interior = all ? *in_interior | bit : *in_interior & ~bit;
        }
}

static const rn_meniscus_def blood = {.length = 0.0028f, .contact_angle = 60, .capillary = 0.0023f};

/* ---- Distances ------------------------------------------------------------------------------------------------- */

/* Blobs of all kinds: the nearest dry cell by looking at all of them. */
static void distances_are_those_of_all_cells(void **state) {
    (void)state;
    double worst = 0;
    for (int round = 0; round < 20; round++) {
        pond p = make_pond();
        for (int blob = 0; blob < 6; blob++) {
            const double bx = random_in(15, SIDE - 15), by = random_in(15, SIDE - 15), r = random_in(3, 14);
            for (int y = 1; y < SIDE - 1; y++)
                for (int x = 1; x < SIDE - 1; x++)
                    if ((x - bx) * (x - bx) + (y - by) * (y - by) < r * r) wet(&p, y, x);
        }
        link_pond(&p);
        assert_true(rn_meniscus_find(&p.m, &p.t, NULL, &blood, NULL));
        int seen = 0;
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                if (!is_wet(&p, y, x)) continue;
                int least = 1 << 30;
                for (int v = -12; v <= 12; v++)
                    for (int u = -12; u <= 12; u++)
                        if (x + u >= 0 && x + u < SIDE && y + v >= 0 && y + v < SIDE && !is_wet(&p, y + v, x + u) &&
                            u * u + v * v < least)
                            least = u * u + v * v;
                const double exact = sqrt(least) * cell;
                if (exact > blood.length + cell) continue;
                assert_true(rn_meniscus_has(&p.m, &p.t, 0, y, x));
                const double found = p.m.distance[rn_links_slot(&p.t, 0, y, x)];
                worst = rn_max(worst, fabs(found - exact) / cell);
                seen++;
            }
        assert_true(seen > 300);
        drop_pond(&p);
    }
    printf("distances differ from those to all dry cells by at most %.3f cells\n", worst);
    assert_true(worst <= 0.1);
}

/* Straight walls at any angle, and round ones, wet inside or outside: the contact line is half a cell before the middle
   of the boundary cell, and that is the wall within half a cell. Directions are those to the wall. */
static void distances_are_those_of_walls(void **state) {
    (void)state;
    double worst = 0, turned = 0, turned_sum = 0;
    int turned_count = 0;
    for (int round = 0; round < 60; round++) {
        pond p = make_pond();
        const double angle = random_in(0, 2 * pi), nx = cos(angle), ny = sin(angle), offset = random_in(-10, 10);
        const double radius = random_in(8, 40), cx = SIDE / 2.0 + random_in(-1, 1), cy = SIDE / 2.0 + random_in(-1, 1);
        const int kind = round % 3; /* straight, round with liquid inside, outside */
        double *exact = malloc(sizeof(double) * SIDE * SIDE);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const double r = sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy));
                double *d = &exact[y * SIDE + x]; /* cells to the wall */
                *d = kind == 0 ? offset - ((x - cx) * nx + (y - cy) * ny) : kind == 1 ? radius - r : r - radius;
                if (*d > 0) wet(&p, y, x);
            }
        link_pond(&p);
        rn_meniscus_find(&p.m, &p.t, NULL, &blood, NULL);
        for (int y = 8; y < SIDE - 8; y++)
            for (int x = 8; x < SIDE - 8; x++) {
                const double d = exact[y * SIDE + x];
                if (!(d > 0 && d * cell < blood.length)) continue;
                const int32_t slot = rn_links_slot(&p.t, 0, y, x);
                assert_true(rn_meniscus_has(&p.m, &p.t, 0, y, x));
                worst = rn_max(worst, fabs(rn_max(0, p.m.distance[slot] / cell - 0.5) - d));
                if (!(d > 1 && d * cell < 0.8 * blood.length)) continue;
                const double r = sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy)), sign = kind == 1 ? 1 : -1;
                const double ex = kind == 0 ? nx : sign * (x - cx) / r, ey = kind == 0 ? ny : sign * (y - cy) / r;
                const double facing = p.m.direction[2 * slot] * ex + p.m.direction[2 * slot + 1] * ey;
                const double off = acos(rn_clamp(facing, -1, 1)) * 180 / pi;
                turned = rn_max(turned, off);
                turned_sum += off;
                turned_count++;
            }
        free(exact);
        drop_pond(&p);
    }
    printf("contact lines are walls within %.6f cells; directions are off by %.2f degrees, at most %.1f\n", worst,
           turned_sum / turned_count, turned);
    assert_true(worst <= 0.501);
    assert_true(turned_sum / turned_count < 6 && turned < 35);
}

/* ---- Tilts ----------------------------------------------------------------------------------------------------- */

/* Upright walls: the whole of 90 degrees less the contact angle at the wall, nothing at the meniscus length, and a line
   in between. */
static void tilts_of_a_straight_wall(void **state) {
    (void)state;
    for (int angle = 0; angle <= 180; angle += 20) {
        const rn_meniscus_def def = {.length = 0.0028f, .contact_angle = (float)angle};
        pond p = make_pond();
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                if (x < 60) wet(&p, y, x);
                else p.t.base[rn_links_slot(&p.t, 0, y, x)] = 0.01f;
            }
        link_pond(&p);
        rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL);
        for (int x = 30; x < 60; x++) {
            const int32_t slot = rn_links_slot(&p.t, 0, SIDE / 2, x);
            const double away = (60 - x - 0.5) * cell; /* the wall is the face between cells 59 and 60 */
            const double whole = rn_clamp((90 - angle) * pi / 180, -1.5, 1.5);
            const double expected = whole * rn_max(0, 1 - away / def.length);
            const bool in = rn_meniscus_has(&p.m, &p.t, 0, SIDE / 2, x);
            const double found = in ? p.m.psi[slot] * p.m.share[slot] : 0;
            assert_near(found, expected, 2e-5);
            if (expected == 0) continue;
            /* A normal that looked up now makes that angle with it, away from the wall where liquid climbs. */
            const rn_normal n = rn_meniscus_tilt(rn_normal_of(0, 0, 1), p.m.direction[2 * slot],
                                                 p.m.direction[2 * slot + 1], (float)found);
            assert_near(n.x, -sin(expected), 2e-5);
            assert_near(n.y, 0, 2e-5);
            assert_near(n.z, cos(expected), 2e-5);
        }
        drop_pond(&p);
    }
}

static void tilts_of_a_round_wall(void **state) {
    (void)state;
    const rn_meniscus_def def = {.length = 0.0028f, .contact_angle = 30};
    double worst = 0;
    for (int round = 0; round < 20; round++) {
        pond p = make_pond();
        const double radius = random_in(15, 40), cx = SIDE / 2.0 + random_in(-1, 1), cy = SIDE / 2.0 + random_in(-1, 1);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < radius * radius) wet(&p, y, x);
                else p.t.base[rn_links_slot(&p.t, 0, y, x)] = 0.01f;
            }
        link_pond(&p);
        rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                if (!is_wet(&p, y, x)) continue;
                const int32_t slot = rn_links_slot(&p.t, 0, y, x);
                const double away = (radius - sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy))) * cell;
                const double expected = pi / 3 * rn_max(0, 1 - away / def.length);
                const bool in = rn_meniscus_has(&p.m, &p.t, 0, y, x);
                const double found = in ? p.m.psi[slot] * p.m.share[slot] : 0;
                worst = rn_max(worst, fabs(found - expected) / (pi / 3));
            }
        drop_pond(&p);
    }
    printf("tilts at a round wall are off by at most %.3f of the whole\n", worst);
    assert_true(worst <= 0.5 * cell / def.length + 1e-3); /* half a cell's worth */
}

/* Ground that rises out of the liquid, and ground that falls away from where it has come to: psi = beta - alpha. */
static void tilts_of_inclines(void **state) {
    (void)state;
    int concave = 0, convex = 0;
    for (int s = -8; s <= 8; s++)
        for (int angle = 0; angle <= 150; angle += 30)
            for (int direction = 0; direction < 4; direction++) {
                const double slope = 0.25 * s;
                const rn_meniscus_def def = {.length = 0.0028f, .contact_angle = (float)angle};
                pond p = make_pond();
                for (int y = 0; y < SIDE; y++)
                    for (int x = 0; x < SIDE; x++) {
                        const int along[4] = {x, SIDE - 1 - x, y, SIDE - 1 - y};
                        const int a = along[direction];
                        p.t.base[rn_links_slot(&p.t, 0, y, x)] = (float)(slope * a * cell);
                        if (a < 50) wet(&p, y, x);
                    }
                link_pond(&p);
                rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL);
                const int at[4][2] = {{49, 48}, {SIDE - 50, 48}, {48, 49}, {48, SIDE - 50}};
                const int32_t slot = rn_links_slot(&p.t, 0, at[direction][1], at[direction][0]);
                const double expected = rn_clamp(atan(slope) - angle * pi / 180, -1.5, 1.5);
                assert_near(p.m.psi[slot], expected, 3e-5);
                concave += expected > 0;
                convex += expected < 0;
                const double way[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
                assert_near(p.m.direction[2 * slot], way[direction][0], 1e-5);
                assert_near(p.m.direction[2 * slot + 1], way[direction][1], 1e-5);
                drop_pond(&p);
            }
    assert_true(concave > 50 && convex > 50);
}

/* Water that rises in a round bowl: the tilts follow the contact line smoothly, not cell by cell. */
static void contact_lines_move_within_cells(void **state) {
    (void)state;
    const rn_meniscus_def def = {.length = 0.0028f, .contact_angle = 80};
    pond p = make_pond();
    p.t.level = calloc((size_t)p.t.layer_stride, sizeof *p.t.level);
    const double bowl = 0.06; /* m, radius of curvature */
    double before[SIDE], most = 0, sum = 0;
    int steps = 0, found_anew = 0;
    for (int frame = 0; frame < 200; frame++) {
        const double radius = (20 + 0.05 * frame) * cell, level = bowl - sqrt(bowl * bowl - radius * radius);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const double r2 = ((x - 47.3) * (x - 47.3) + (y - 47.6) * (y - 47.6)) * cell * cell;
                const int32_t slot = rn_links_slot(&p.t, 0, y, x);
                p.t.base[slot] = (float)(bowl - sqrt(bowl * bowl - r2));
                p.t.kind[slot] = p.t.base[slot] < level ? RN_SURFACE_WET : RN_SURFACE_DRY;
                p.t.level[slot] = (float)(p.t.base[slot] < level ? level : p.t.base[slot]);
            }
        link_pond(&p);
        found_anew += rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL);
        /* Along a ray, and one across the grid's axes: the tilt there and what it should be. */
        for (int x = 48; x < SIDE; x++) {
            const int32_t slot = rn_links_slot(&p.t, 0, 40, x);
            const double share = is_wet(&p, 40, x) && rn_meniscus_has(&p.m, &p.t, 0, 40, x) ? p.m.share[slot] : 0;
            const double r = sqrt((x - 47.3) * (x - 47.3) + (40 - 47.6) * (40 - 47.6)) * cell;
            if (radius - r > cell && radius - r < 0.9 * def.length) {
                assert_near(share, 1 - (radius - r) / def.length, 0.6 * cell / def.length);
                if (frame > 0) {
                    most = rn_max(most, fabs(share - before[x]));
                    sum += fabs(share - before[x]);
                    steps++;
                }
            }
            before[x] = share;
        }
    }
    const double step = 0.05 * cell / def.length;
    printf("tilts follow a contact line by %.2f of its steps on average, at most %.2f\n", sum / steps / step,
           most / step);
    assert_true(found_anew > 50 && steps > 500);
    assert_true(most < 8 * step && sum / steps < 1.5 * step); /* without: a whole cell, 20 steps */
    free(p.t.level);
    drop_pond(&p);
}

/* ---- On a surface ---------------------------------------------------------------------------------------------- */

typedef struct built {
    rn_mesh mesh;
    void *scratch, *kept;
} built;

static built build_surface(const rn_surface_columns *columns, rn_surface_def *def, bool keep) {
    built b = {.mesh = {0}};
    rn_surface_room room;
    def->kept = NULL;
    assert_int_equal(rn_surface_bound(columns, def, &room), RN_OK);
    b.mesh.positions = calloc(room.vertices, 12);
    b.mesh.normals = calloc(room.vertices, 12);
    b.mesh.ids = calloc(room.vertices, 4);
    b.mesh.indices = calloc(room.triangles, 12);
    b.mesh.vertex_capacity = (uint32_t)room.vertices;
    b.mesh.triangle_capacity = (uint32_t)room.triangles;
    b.scratch = malloc(room.scratch);
    memset(b.scratch, 0xa5, room.scratch);
    if (keep) def->kept = b.kept = calloc(room.kept, 1);
    for (int frame = 0; frame <= (int)keep; frame++) /* the second time the field is there */
        if (rn_surface_build(columns, def, b.scratch, room.scratch, &b.mesh) != RN_OK) fail_msg("%s", rn_last_error());
    return b;
}

static void drop_built(built *b) {
    free(b->mesh.positions);
    free(b->mesh.normals);
    free(b->mesh.ids);
    free(b->mesh.indices);
    free(b->scratch);
    free(b->kept);
}

/* Water in a basin with upright walls: normals and heights of columns in the middle of a wall are those of a meniscus
   there, whether the field is kept or not. */
static void surfaces_are_bent(void **state) {
    (void)state;
    enum { N = 40 };
    const double side = 0.0005;
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = terrain.cells_y = N;
    terrain.cell_size = side;
    terrain.lid = 0.02;
    terrain.bottom = -0.001;
    terrain.solid = rn_sdf_subtract(
        rn_sdf_plane((rn_vec3){0, 0, 0.01}, (rn_vec3){0, 0, 1}),
        rn_sdf_move(rn_sdf_box((rn_vec3){30 * side, 30 * side, 0.02}), (rn_vec3){20 * side, 20 * side, 0.011}), 0);
    rn_terrain *ground = NULL;
    if (rn_terrain_create(&terrain, &ground) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def world_def = rn_world_default();
    world_def.terrain = ground;
    world_def.liquid = rn_liquid_water();
    rn_world *world = NULL;
    if (rn_world_create(&world_def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(ground);
    const rn_fill_def fill = {.kind = RN_FILL_LEVEL, .value = 0.005};
    assert_int_equal(rn_world_fill(world, &fill), RN_OK);
    const rn_surface_columns columns = rn_surface_columns_of(world);

    for (int rise = 0; rise < 2; rise++) {
        rn_surface_def def = rn_surface_default();
        def.meniscus_length = 0.00273f;
        def.contact_angle = 30;
        def.meniscus_rise = rise;
        built fresh = build_surface(&columns, &def, false), kept = build_surface(&columns, &def, true);
        assert_int_equal(fresh.mesh.vertex_count, kept.mesh.vertex_count);
        assert_memory_equal(fresh.mesh.positions, kept.mesh.positions, 12 * (size_t)fresh.mesh.vertex_count);
        assert_memory_equal(fresh.mesh.normals, kept.mesh.normals, 12 * (size_t)fresh.mesh.vertex_count);
        int seen = 0;
        for (uint32_t v = 0; v < fresh.mesh.vertex_count; v++) {
            const uint32_t id = fresh.mesh.ids[v];
            if (id >= N * N || id / N != 20 || id % N < 5 || id % N > 18) continue;
            /* The wall is the face before cell 5. */
            const double away = (id % N - 5 + 0.5) * side, psi = 60 * pi / 180;
            const double angle = psi * rn_max(0, 1 - away / def.meniscus_length);
            assert_near(fresh.mesh.normals[3 * v], sin(angle), 2e-3); /* away from the wall, which is at -x */
            assert_near(fresh.mesh.normals[3 * v + 2], cos(angle), 2e-3);
            const double lift = rise ? rn_meniscus_rise((float)psi, (float)away, def.meniscus_length) : 0;
            assert_near(fresh.mesh.positions[3 * v + 2], 0.005 + lift,
                        1e-5 + (away > 2 * def.meniscus_length ? 2e-4 : 0));
            seen++;
        }
        assert_int_equal(seen, 14);
        drop_built(&fresh);
        drop_built(&kept);
    }
    rn_world_destroy(world);
}

/* ---- Not found again ------------------------------------------------------------------------------------------- */

static void fields_are_kept_while_nothing_changes(void **state) {
    (void)state;
    pond p = make_pond();
    for (int y = 20; y < 70; y++)
        for (int x = 20; x < 70; x++) wet(&p, y, x);
    link_pond(&p);
    rn_meniscus_def def = blood;
    assert_true(rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL));
    assert_false(rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL));
    p.t.base[rn_links_slot(&p.t, 0, 45, 45)] = 0.001f; /* far from the outline */
    assert_false(rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL));
    p.t.base[rn_links_slot(&p.t, 0, 70, 45)] = 0.001f; /* a dry column along it */
    assert_true(rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL));
    def.contact_angle = 61;
    assert_true(rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL));
    wet(&p, 70, 45);
    link_pond(&p);
    assert_true(rn_meniscus_find(&p.m, &p.t, NULL, &def, NULL));

    /* What was kept is what a new field would be. */
    pond q = p;
    q.memory = malloc(rn_meniscus_bytes(&p.t));
    memset(q.memory, 0x5a, rn_meniscus_bytes(&p.t));
    rn_meniscus_place(&q.m, &q.t, q.memory);
    assert_true(rn_meniscus_find(&q.m, &q.t, NULL, &def, NULL));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int32_t slot = rn_links_slot(&p.t, 0, y, x);
            const bool in = rn_meniscus_has(&p.m, &p.t, 0, y, x);
            assert_int_equal(in, rn_meniscus_has(&q.m, &q.t, 0, y, x));
            if (!in) continue;
            assert_memory_equal(&p.m.share[slot], &q.m.share[slot], sizeof(float));
            assert_memory_equal(&p.m.rise[slot], &q.m.rise[slot], sizeof(float));
        }
    free(q.memory);
    drop_pond(&p);
}

static void threads_find_the_same(void **state) {
    (void)state;
    pond p = make_pond();
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            p.t.base[rn_links_slot(&p.t, 0, y, x)] = (float)random_in(0, 0.001);
            if (sin(x * 0.2) + sin(y * 0.13) > -0.5) wet(&p, y, x);
        }
    link_pond(&p);
    const size_t bytes = rn_meniscus_bytes(&p.t);
    rn_meniscus_find(&p.m, &p.t, NULL, &blood, NULL);
    void *alone = malloc(bytes);
    memcpy(alone, p.memory, bytes);
    const rn_hooks hooks = {0};
    for (int threads = 2; threads < 5; threads++) {
        rn_pool *pool = rn_pool_create(&hooks, threads);
        memset(p.memory, 0, bytes);
        rn_meniscus_place(&p.m, &p.t, p.memory);
        assert_true(rn_meniscus_find(&p.m, &p.t, NULL, &blood, pool));
        assert_memory_equal(alone, p.memory, bytes);
        rn_pool_destroy(pool);
    }
    free(alone);
    drop_pond(&p);
}

/* ---- The cap --------------------------------------------------------------------------------------------------- */

static rn_normal random_direction(double least_z) {
    for (;;) {
        const rn_vec3 p = random_point(1);
        const double length = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
        if (length > 1 || length < 0.1 || p.z < least_z * length) continue;
        return rn_normal_of((float)(p.x / length), (float)(p.y / length), (float)(p.z / length));
    }
}

static void no_normal_looks_away(void **state) {
    (void)state;
    int away_before = 0, capped_count = 0, untouched = 0;
    for (int i = 0; i < 1000; i++) {
        const rn_normal view = random_direction(0.02);
        rn_normal n = random_direction(0.3);
        if (i % 2) n = rn_normal_of(0, 0, 1);
        if (rn_facing(n, view) <= 0) n = rn_normal_of(0, 0, 1); /* what looks away itself is not drawn */
        const double angle = random_in(0, 2 * pi);
        const float x = (float)cos(angle), y = (float)sin(angle), psi = (float)random_in(-1.5, 1.5);
        const float capped = rn_meniscus_cap(n, x, y, psi, view);
        assert_true(fabsf(capped) <= fabsf(psi) && capped * psi >= 0);
        const float facing = rn_facing(rn_meniscus_tilt(n, x, y, psi), view);
        away_before += facing < 0;
        if (facing < 0) { /* the silhouette: orthogonal to the view */
            capped_count++;
            assert_near(rn_facing(rn_meniscus_tilt(n, x, y, capped), view), 0, 3e-5);
        }
        for (int s = 0; s <= 10; s++) {
            const float share = 0.1f * (float)s;
            const rn_normal t = rn_meniscus_shade(n, x, y, psi, share, view);
            assert_near(t.x * t.x + t.y * t.y + t.z * t.z, 1, 1e-5);
            assert_true(rn_facing(t, view) >= 0);
            const rn_normal plain = rn_meniscus_tilt(n, x, y, share * psi);
            if (facing < 1e-4) continue;
            untouched++;
            assert_near(fabs(t.x - plain.x) + fabs(t.y - plain.y) + fabs(t.z - plain.z), 0, 1e-6);
        }
    }
    printf("of 1000 views %d saw normals that look away before the cap, and none after it\n", away_before);
    assert_true(away_before > 100 && capped_count == away_before && untouched > 3000);
}

static void angles_are_those_of_libm(void **state) {
    (void)state;
    for (int i = -1000; i <= 1000; i++) {
        const double a = pi * i / 1000;
        assert_near(rn_sine_of((float)a), sin(a), 4e-6);
        assert_near(rn_cosine_of((float)a), cos(a), 4e-6);
        const double x = 3 * cos(a), y = 3 * sin(a), off = rn_angle_of((float)y, (float)x) - atan2((float)y, (float)x);
        assert_near(off - 2 * pi * rint(off / (2 * pi)), 0, 2e-5);
    }
}

/* ---- Rise ------------------------------------------------------------------------------------------------------ */

/* Surface tension holds up what is lifted: h = l^2 h''/(1 + h'^2)^(3/2), with the slope tan(psi) at the wall. */
static void rise_is_that_of_young_and_laplace(void **state) {
    (void)state;
    const double l = 0.0027;
    for (int degrees = -85; degrees <= 85; degrees += 10) {
        const float psi = (float)(degrees * pi / 180);
        const double top = rn_meniscus_rise(psi, 0, (float)l);
        assert_near(top, 2 * l * sin(degrees * pi / 360), 1e-6 * l);
        const double h = 0.02 * l; /* of the differences */
        for (int i = 4; i < 200; i++) {
            const double x = i * 0.02 * l;
            const double a = rn_meniscus_rise(psi, (float)(x - h), (float)l),
                         b = rn_meniscus_rise(psi, (float)x, (float)l),
                         c = rn_meniscus_rise(psi, (float)(x + h), (float)l);
            const double slope = (c - a) / (2 * h), bend = (c - 2 * b + a) / (h * h);
            const double held = l * l * bend / pow(1 + slope * slope, 1.5);
            assert_near(held, b, 0.02 * fabs(top));
            assert_true(fabs(c) < fabs(b) && b * degrees > 0);
        }
        /* Far away an exponential. */
        const double one = rn_meniscus_rise(psi, (float)(5 * l), (float)l),
                     two = rn_meniscus_rise(psi, (float)(6 * l), (float)l);
        assert_near(two / one, exp(-1), 1e-3);
    }
    assert_near(rn_meniscus_rise(0, 0, (float)l), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(distances_are_those_of_all_cells, start_random),
        cmocka_unit_test_setup(distances_are_those_of_walls, start_random),
        cmocka_unit_test_setup(tilts_of_a_straight_wall, start_random),
        cmocka_unit_test_setup(tilts_of_a_round_wall, start_random),
        cmocka_unit_test_setup(tilts_of_inclines, start_random),
        cmocka_unit_test_setup(contact_lines_move_within_cells, start_random),
        cmocka_unit_test_setup(surfaces_are_bent, start_random),
        cmocka_unit_test_setup(fields_are_kept_while_nothing_changes, start_random),
        cmocka_unit_test_setup(threads_find_the_same, start_random),
        cmocka_unit_test_setup(no_normal_looks_away, start_random),
        cmocka_unit_test_setup(angles_are_those_of_libm, start_random),
        cmocka_unit_test_setup(rise_is_that_of_young_and_laplace, start_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
