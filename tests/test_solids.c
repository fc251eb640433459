/* Solid that comes, moves and goes: the liquid it meets, the graph it leaves, the ledger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/platform.h"
#include "physics/physics.h"
#include "pipe_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_world *tray(int nx, int ny, double cell, double lid) {
    return make_world(&(setup){.nx = nx, .ny = ny, .cell = cell, .lid = lid, .viscosity = 1e-6, .friction = 0.3});
}

static void run(rn_world *world, int frames) {
    for (int i = 0; i < frames; i++) assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
}

static void fill_to(rn_world *world, double level) {
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}), RN_OK);
}

static int add_box(rn_world *world, rn_vec3 size, rn_vec3 at) {
    rn_solid_def def = {.shape = rn_sdf_box(size), .at = at};
    int number = rn_world_add_solid(world, &def);
    assert_true(number >= 0);
    return number;
}

static void sculpt(rn_world *world, rn_sdf *shape, bool carve) {
    assert_int_equal(rn_world_sculpt(world, shape, carve), RN_OK);
    rn_sdf_destroy(shape);
}

/* Every depth a whole number of quanta within its column, and every quantum in the ledger. */
static void check_liquid(const rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            c = rn_world_view(world, RN_FIELD_CEIL);
    const float q = (float)rn_world_describe(world).quantum;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++) {
                ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                if (b.data[i] >= RN_NO_COLUMN) {
                    assert_true(d.data[i] == 0.0f);
                    continue;
                }
                assert_true(d.data[i] >= 0.0f && d.data[i] <= c.data[i] - b.data[i]);
                assert_true(d.data[i] / q == floorf(d.data[i] / q));
                if (l > 0) assert_true(b.data[i] >= c.data[i - d.layer_stride]);
            }
    assert_true(rn_world_audit(world).drift == 0.0);
}

/* ---- The graph ------------------------------------------------------------------------------------------- */

/* What is kept from change to change is what would be counted anew. */
static void check_counts(const rn_world *world) {
    const rn_state *s = state_of(world);
    const rn_grid *g = &s->columns.grid;
    int64_t ordinary = 0, falls = 0;
    for (int l = 0; l < g->layers; l++)
        for (int y = 0; y < g->ny; y++) {
            int32_t roofed = 0;
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, l, y, x);
                roofed += rn_column_is_roofed(&s->columns, c);
                ordinary += (s->graph.pipe_x[c] != 0) + (s->graph.pipe_y[c] != 0);
                falls += (s->graph.pipe_x[c] == RN_PIPE_FALL) + (s->graph.pipe_y[c] == RN_PIPE_FALL);
            }
            assert_int_equal(rn_row_at(s, l, y)->roofed, roofed);
        }
    assert_true(s->graph.ordinary == ordinary && s->graph.falls[0] == falls);
    for (int32_t i = 0; i < s->graph.irregular_inner; i++) {
        const rn_spot at = rn_slot_place(g, s->graph.irregular_a[i]);
        assert_int_equal(s->graph.irregular_owner[i], 2 * (at.y * g->nx + at.x) + s->graph.irregular_axis[i]);
        if (i > 0) assert_true(s->graph.irregular_owner[i - 1] <= s->graph.irregular_owner[i]);
    }
}

typedef struct stacks {
    int cells;
    rn_column columns[40 * 40 * 4];
    int32_t counts[40 * 40];
} stacks;

static void copy_stacks(stacks *to, const rn_terrain *from, int cells) {
    to->cells = cells;
    rn_column *next = to->columns;
    for (int i = 0; i < cells * cells; i++) {
        int count;
        const rn_column *list = rn_terrain_cell(from, i % cells, i / cells, &count);
        to->counts[i] = count;
        for (int k = 0; k < count; k++) *next++ = list[k];
    }
}

/* The cells of a rectangle taken from `from`, the others from `to`; cell 0 stays, for the datum's sake. */
static void splice(stacks *to, const stacks *from, int x0, int y0, int x1, int y1) {
    static stacks made;
    made.cells = to->cells;
    const rn_column *a = to->columns, *b = from->columns;
    rn_column *next = made.columns;
    for (int i = 0; i < to->cells * to->cells; i++) {
        int x = i % to->cells, y = i / to->cells;
        bool inside = i > 0 && x >= x0 && x < x1 && y >= y0 && y < y1;
        made.counts[i] = inside ? from->counts[i] : to->counts[i];
        for (int k = 0; k < made.counts[i]; k++) *next++ = inside ? b[k] : a[k];
        a += to->counts[i];
        b += from->counts[i];
    }
    *to = made;
}

static void same_view(const rn_world *a, const rn_world *b, rn_field field) {
    rn_view u = rn_world_view(a, field), v = rn_world_view(b, field);
    for (int l = 0; l < u.layers || l < v.layers; l++)
        for (int y = 0; y < u.cells_y; y++)
            for (int x = 0; x < u.cells_x; x++) {
                float none = field == RN_FIELD_BASE || field == RN_FIELD_CEIL ? RN_NO_COLUMN : 0.0f;
                float p = l < u.layers ? u.data[l * u.layer_stride + y * u.row_stride + x] : none;
                float q = l < v.layers ? v.data[l * v.layer_stride + y * v.row_stride + x] : none;
                assert_true(p == q);
            }
}

static rn_world *world_of(const stacks *s, int kind) {
    setup how = {.nx = s->cells, .ny = s->cells, .cell = 0.005, .viscosity = 1e-6, .friction = 0.5};
    how.periodic_x = how.periodic_y = kind == 1;
    how.open_west = how.open_east = kind == 2;
    return make_world_on(make_terrain(s->cells, s->cells, 0.005, 0.06, s->columns, s->counts), &how);
}

/* After any edits the world is the one that would have been made on that ground: the same pipes, the same bits. */
static void an_edited_world_is_a_new_one(void **state) {
    (void)state;
    enum { CELLS = 24 };
    static stacks now, other, patch;
    for (uint32_t seed = 1; seed <= (getenv("RUNNEL_LONG") ? 12 : 3); seed++) {
        uint32_t random = seed;
        rn_terrain *first = random_stacks(CELLS, 3, 0.005, seed, STACKS_RAGGED);
        copy_stacks(&now, first, CELLS);
        rn_terrain_destroy(first);
        now.columns[0].base = 0.0; /* both worlds count heights from here */
        rn_world *world = world_of(&now, (int)seed % 3);
        for (int edit = 0; edit < 6; edit++) {
            first = random_stacks(CELLS, 3, 0.005, seed * 100 + (uint32_t)edit, STACKS_RAGGED);
            copy_stacks(&other, first, CELLS);
            rn_terrain_destroy(first);
            int x0 = (int)(random_unit(&random) * CELLS), y0 = (int)(random_unit(&random) * CELLS);
            int x1 = x0 + 1 + (int)(random_unit(&random) * (CELLS - x0)),
                y1 = y0 + 1 + (int)(random_unit(&random) * (CELLS - y0));
            splice(&now, &other, x0, y0, x1, y1);
            rn_column *next = patch.columns;
            const rn_column *from = now.columns;
            int cells = 0;
            for (int i = 0; i < CELLS * CELLS; i++) {
                bool inside = i % CELLS >= x0 && i % CELLS < x1 && i / CELLS >= y0 && i / CELLS < y1;
                if (inside) patch.counts[cells++] = now.counts[i];
                for (int k = 0; k < now.counts[i]; k++, from++)
                    if (inside) *next++ = *from;
            }
            rn_ground_def def = {x0, y0, x1 - x0, y1 - y0, patch.columns, patch.counts};
            assert_int_equal(rn_world_set_ground(world, &def), RN_OK);
            assert_int_equal(rn_world_commit(world), RN_OK);
            check_counts(world);
        }
        rn_world *fresh = world_of(&now, (int)seed % 3);
        assert_true(rn_world_describe(world).quantum == rn_world_describe(fresh).quantum);
        assert_true(rn_world_describe(world).pipes == rn_world_describe(fresh).pipes);
        assert_true(rn_world_describe(world).falls == rn_world_describe(fresh).falls);
        for (int i = 0; i < 60; i++) {
            if (i % 20 == 0) fill_to(world, 0.01 + 5e-4 * i);
            if (i % 20 == 0) fill_to(fresh, 0.01 + 5e-4 * i);
            run(world, 1);
            run(fresh, 1);
        }
        same_view(world, fresh, RN_FIELD_BASE);
        same_view(world, fresh, RN_FIELD_DEPTH);
        same_view(world, fresh, RN_FIELD_FLUX_X);
        same_view(world, fresh, RN_FIELD_FLUX_Y);
        check_liquid(world);
        rn_world_destroy(world);
        rn_world_destroy(fresh);
    }
}

/* ---- Liquid ------------------------------------------------------------------------------------------------ */

static rn_vec3 somewhere(uint32_t *random, double size, double height) {
    double x = random_unit(random) * size, y = random_unit(random) * size;
    return (rn_vec3){x, y, random_unit(random) * height};
}

/* Shapes of all kinds come, move, turn and go at random, over ragged ground and every kind of edge: nothing is lost,
   nothing is ever above a ceiling. */
static void nothing_is_lost_in_a_tumble(void **state) {
    (void)state;
    enum { CELLS = 32 };
    static stacks ground;
    const double size = CELLS * 0.005;
    for (uint32_t seed = 1; seed <= (getenv("RUNNEL_LONG") ? 9 : 3); seed++) {
        uint32_t random = seed;
        rn_terrain *first = random_stacks(CELLS, 3, 0.005, seed, STACKS_RAGGED);
        copy_stacks(&ground, first, CELLS);
        rn_terrain_destroy(first);
        rn_world *world = world_of(&ground, (int)seed % 3);
        fill_to(world, 0.02);
        rn_world_pour(world, (rn_vec3){size / 2, size / 2, 0.06}, 0.02, 2e-5);
        int solids[8];
        for (int i = 0; i < 8; i++) {
            double thick = 0.002 + 0.03 * random_unit(&random);
            rn_sdf *shapes[4] = {rn_sdf_sphere(thick), rn_sdf_box((rn_vec3){0.05, 0.03, thick}),
                                 rn_sdf_torus(0.03, 0.3 * thick + 0.002), rn_sdf_cylinder(0.02, thick)};
            rn_solid_def def = {.carve = i % 3 == 2, .at = somewhere(&random, size, 0.05)};
            for (int k = 0; k < 4; k++)
                if (k == i % 4) def.shape = shapes[k];
                else rn_sdf_destroy(shapes[k]);
            assert_int_equal(solids[i] = rn_world_add_solid(world, &def), i);
        }
        for (int frame = 0; frame < 120; frame++) {
            int which = (int)(random_unit(&random) * 8);
            rn_vec3 turn = {360 * random_unit(&random), 90 * random_unit(&random), 0};
            if (frame < 100)
                rn_world_move_solid(world, solids[which], somewhere(&random, size, 0.05), rn_quat_from_degrees(turn));
            else if (frame < 108) assert_int_equal(rn_world_remove_solid(world, frame - 100), RN_OK);
            if (frame % 10 == 5)
                sculpt(world, rn_sdf_move(rn_sdf_sphere(0.012), somewhere(&random, size, 0.05)), frame % 20 == 5);
            assert_int_equal(rn_world_commit(world), RN_OK);
            check_counts(world);
            check_liquid(world);
            run(world, 1);
            check_liquid(world);
        }
        rn_world_destroy(world);
    }
}

/* A gate holds water back; lifted, it lets it through underneath, and both sides come to the same level. */
static void a_gate_opens(void **state) {
    (void)state;
    rn_world *world = tray(60, 10, 0.005, 0.3);
    int gate = add_box(world, (rn_vec3){0.01, 1.0, 0.2}, (rn_vec3){0.15, 0.025, 0.1});
    assert_int_equal(rn_world_commit(world), RN_OK);
    rn_sdf *left = rn_sdf_move(rn_sdf_box((rn_vec3){0.145, 1.0, 1.0}), (rn_vec3){0.0725, 0.025, 0.0});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.06, .shape = left});
    rn_sdf_destroy(left);
    const double start = rn_world_volume(world);
    run(world, 60);
    assert_true(rn_world_sample(world, (rn_vec3){0.25, 0.025, 0.01}).depth == 0.0);
    for (int i = 1; i <= 60; i++) {
        assert_int_equal(rn_world_move_solid(world, gate, (rn_vec3){0.15, 0.025, 0.1 + 0.0012 * i}, (rn_quat){0}),
                         RN_OK);
        run(world, 1);
        check_liquid(world);
    }
    assert_true(rn_world_sample(world, (rn_vec3){0.25, 0.025, 0.01}).depth > 0.005);
    run(world, 600);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.present == start && audit.displaced == 0.0);
    double west = rn_world_sample(world, (rn_vec3){0.05, 0.025, 0.1}).level,
           east = rn_world_sample(world, (rn_vec3){0.25, 0.025, 0.1}).level;
    assert_true(fabs(west - east) < 1e-4);
    rn_world_destroy(world);
}

/* A block that slides into a basin raises its level as Archimedes has it, and never lifts water on its back. */
static void a_piston_raises_the_level(void **state) {
    (void)state;
    rn_world *world = tray(60, 20, 0.005, 0.3);
    fill_to(world, 0.05);
    const double start = rn_world_volume(world);
    int piston = add_box(world, (rn_vec3){0.1, 1.0, 0.2}, (rn_vec3){-0.051, 0.05, 0.1});
    for (int i = 0; i <= 100; i++) {
        rn_world_move_solid(world, piston, (rn_vec3){-0.051 + 0.001 * i, 0.05, 0.1}, (rn_quat){0});
        run(world, 1);
        check_liquid(world);
        assert_true(rn_world_sample(world, (rn_vec3){0.002, 0.05, 0.25}).depth == 0.0 || i < 10);
    }
    run(world, 600);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.present == start && audit.displaced == 0.0);
    double level = start / (0.1 * (0.3 - 0.1)); /* 20 of 60 columns of cells are taken */
    assert_true(fabs(rn_world_sample(world, (rn_vec3){0.25, 0.05, 0.1}).level / level - 1.0) < 2e-3);
    rn_world_destroy(world);
}

/* A shelf pushed into deep water parts it in two; drawn out, the two are one again. */
static void a_shelf_parts_and_joins(void **state) {
    (void)state;
    rn_world *world = tray(24, 24, 0.005, 0.2);
    fill_to(world, 0.1);
    const double start = rn_world_volume(world);
    int shelf = add_box(world, (rn_vec3){0.04, 0.04, 0.02}, (rn_vec3){0.06, 0.06, 0.05});
    assert_int_equal(rn_world_commit(world), RN_OK);
    check_liquid(world);
    rn_world_info info = rn_world_describe(world);
    assert_int_equal(info.layers, 2);
    assert_true(info.columns == 24 * 24 + 64);
    rn_sample under = rn_world_sample(world, (rn_vec3){0.06, 0.06, 0.01}),
              over = rn_world_sample(world, (rn_vec3){0.06, 0.06, 0.09});
    assert_true(fabs(under.depth - 0.04) < 1e-6 && fabs(under.ceil - 0.04) < 1e-6);
    assert_true(fabs(over.base - 0.06) < 1e-6 && over.level > 0.1 && over.level < 0.13);
    run(world, 300);
    check_liquid(world);
    assert_int_equal(rn_world_remove_solid(world, shelf), RN_OK);
    run(world, 600);
    check_liquid(world);
    assert_true(rn_world_describe(world).columns == 24 * 24);
    assert_true(rn_world_volume(world) == start && rn_world_audit(world).displaced == 0.0);
    assert_true(fabs(rn_world_sample(world, (rn_vec3){0.06, 0.06, 0.01}).depth - 0.1) < 1e-4);
    rn_world_destroy(world);
}

/* A block set into a flooded room pushes its water out through the one strip that is open, however far that is. */
static void a_flooded_room_passes_it_on(void **state) {
    (void)state;
    enum { CELLS = 64 };
    rn_column *columns = calloc((size_t)CELLS * CELLS, sizeof *columns);
    int32_t *counts = calloc((size_t)CELLS * CELLS, sizeof *counts);
    assert_non_null(columns);
    assert_non_null(counts);
    for (int i = 0; i < CELLS * CELLS; i++) {
        counts[i] = 1;
        columns[i] = (rn_column){-INFINITY, 0.0, i % CELLS < 3 ? 40.0 : 6.0};
    }
    setup how = {.nx = CELLS, .ny = CELLS, .cell = 1.0, .friction = 0.5};
    rn_world *world = make_world_on(make_terrain(CELLS, CELLS, 1.0, 40.0, columns, counts), &how);
    free(columns);
    free(counts);
    fill_to(world, 6.0);
    const double start = rn_world_volume(world);
    add_box(world, (rn_vec3){16, 16, 6}, (rn_vec3){44, 32, 3});
    assert_int_equal(rn_world_commit(world), RN_OK);
    check_liquid(world);
    assert_true(rn_world_audit(world).displaced == 0.0 && rn_world_volume(world) == start);
    rn_world_destroy(world);
}

/* A source over a hole that opens pours into it; what falls is booked, and the hole holds nothing. */
static void a_source_over_a_hole(void **state) {
    (void)state;
    enum { CELLS = 8 };
    rn_column columns[CELLS * CELLS];
    int32_t counts[CELLS * CELLS];
    int found = 0;
    for (int i = 0; i < CELLS * CELLS; i++) {
        const bool hole = i % CELLS > 2 && i % CELLS < 6 && i / CELLS > 2 && i / CELLS < 6;
        counts[i] = !hole;
        if (!hole) columns[found++] = (rn_column){-INFINITY, 0.0, 0.1};
    }
    rn_world *world = make_world_on(make_terrain(CELLS, CELLS, 0.01, 0.1, columns, counts),
                                    &(setup){.nx = CELLS, .ny = CELLS, .cell = 0.01, .friction = 0.5});
    const int64_t before = rn_world_describe(world).columns;
    int plug = add_box(world, (rn_vec3){0.04, 0.04, 0.02}, (rn_vec3){0.045, 0.045, 0.0});
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_true(rn_world_pour(world, (rn_vec3){0.045, 0.045, 0.05}, 0.0, 1e-6) >= 0);
    run(world, 30);
    rn_world_move_solid(world, plug, (rn_vec3){0.045, 0.045, -0.012}, (rn_quat){0}); /* its top below the datum */
    run(world, 30);
    check_liquid(world);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.left > 0.4e-6 && fabs(audit.poured - 1e-6) < 1e-9);
    assert_true(rn_world_describe(world).columns == before);
    rn_snapshot *snapshot = NULL, *copy = NULL;
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    size_t bytes;
    const void *data = rn_snapshot_bytes(snapshot, &bytes);
    assert_int_equal(rn_snapshot_create(NULL, data, bytes, &copy), RN_OK);
    assert_int_equal(rn_world_restore(world, copy), RN_OK); /* a world takes its own bytes, checked */
    rn_snapshot_destroy(copy);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

/* Liquid shut into a pit whose lid comes down is the only liquid that is taken away, and it is booked. */
static void what_is_shut_in_is_booked(void **state) {
    (void)state;
    rn_world *world = tray(12, 12, 0.005, 0.1);
    int walls = rn_world_add_solid(
        world,
        &(rn_solid_def){.shape = rn_sdf_subtract(
                            rn_sdf_move(rn_sdf_box((rn_vec3){0.2, 0.2, 0.04}), (rn_vec3){0.03, 0.03, 0.02}),
                            rn_sdf_move(rn_sdf_box((rn_vec3){0.01, 0.01, 1.0}), (rn_vec3){0.03, 0.03, 0}), 0.0)});
    assert_true(walls >= 0);
    assert_int_equal(rn_world_commit(world), RN_OK);
    rn_sdf *pit = rn_sdf_move(rn_sdf_box((rn_vec3){0.01, 0.01, 1.0}), (rn_vec3){0.03, 0.03, 0.0});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02, .shape = pit});
    rn_sdf_destroy(pit);
    const double start = rn_world_volume(world);
    assert_true(fabs(start - 0.01 * 0.01 * 0.02) < 1e-9);
    int lid = add_box(world, (rn_vec3){0.2, 0.2, 0.05}, (rn_vec3){0.03, 0.03, 0.04}); /* down to 0.015 */
    run(world, 2);
    check_liquid(world);
    rn_audit audit = rn_world_audit(world);
    assert_true(fabs(audit.displaced - 0.01 * 0.01 * 0.005) < 1e-9);
    assert_true(fabs(audit.present + audit.displaced - start) < 1e-12 * start);
    rn_world_move_solid(world, lid, (rn_vec3){0.03, 0.03, 0.025}, (rn_quat){0}); /* down to the ground */
    run(world, 2);
    audit = rn_world_audit(world);
    assert_true(audit.present == 0.0 && audit.displaced == start);
    rn_world_destroy(world);
}

/* A film rides on ground that rises gently; it is not thrown to the sides. */
static void a_film_rides_on_rising_ground(void **state) {
    (void)state;
    rn_world *world = make_world(&(setup){.nx = 30, .ny = 30, .cell = 1e-3, .lid = 0.05, .viscosity = 1e-3});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 1e-4});
    int floor = add_box(world, (rn_vec3){1, 1, 0.02}, (rn_vec3){0, 0, -0.011});
    for (int i = 0; i < 40; i++) {
        rn_world_move_solid(world, floor, (rn_vec3){0, 0, -0.011 + 0.0004 * i}, (rn_quat){0});
        run(world, 1);
    }
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE);
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 30; x++) {
            assert_true(d.data[y * d.row_stride + x] == d.data[0]);
            assert_true(fabsf(b.data[y * b.row_stride + x] - 0.0146f) < 1e-6f);
        }
    check_liquid(world);
    rn_world_destroy(world);
}

/* Pipes that stay keep their fluxes to the bit, also where a layer comes in below them. */
static void fluxes_stay_with_their_pipes(void **state) {
    (void)state;
    setup how = {.nx = 30, .ny = 6, .cell = 0.01, .lid = 0.3, .friction = 1.0, .periodic_x = true, .periodic_y = true};
    rn_world *world = make_world(&how);
    sculpt(world, rn_sdf_move(rn_sdf_box((rn_vec3){5, 5, 0.02}), (rn_vec3){0, 0, 0.1}), false); /* a second storey */
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_int_equal(rn_world_describe(world).layers, 2);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 30; x++) {
            d.data[d.layer_stride + y * d.row_stride + x] = 0.05f;
            f.data[f.layer_stride + y * f.row_stride + x] = 1e-4f + 1e-6f * (float)x;
        }
    assert_int_equal(rn_world_commit(world), RN_OK);
    add_box(world, (rn_vec3){0.05, 5, 0.02}, (rn_vec3){0.15, 0, 0.04}); /* a shelf on the ground floor */
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_int_equal(rn_world_describe(world).layers, 3);
    f = rn_world_view(world, RN_FIELD_FLUX_X);
    rn_view b = rn_world_view(world, RN_FIELD_BASE);
    int shifted = 0;
    for (int x = 0; x < 30; x++)
        for (int l = 0; l < 3; l++) {
            ptrdiff_t i = l * f.layer_stride + 3 * f.row_stride + x;
            bool storey = fabsf(b.data[i] - 0.11f) < 1e-3f, next = fabsf(b.data[i + 1] - 0.11f) < 1e-3f;
            if (storey && next && x < 29) assert_true(f.data[i] == 1e-4f + 1e-6f * (float)x);
            shifted += storey && l == 2;
        }
    assert_int_equal(shifted, 5);
    check_liquid(world);
    rn_world_destroy(world);
}

/* What pours onto a place goes on pouring onto what is there now. */
static void sources_follow_their_columns(void **state) {
    (void)state;
    rn_world *world = tray(20, 20, 0.005, 0.2);
    rn_world_pour(world, (rn_vec3){0.05, 0.05, 0.2}, 0.0, 1e-6);
    add_box(world, (rn_vec3){0.05, 0.05, 0.01}, (rn_vec3){0.05, 0.05, 0.05});
    run(world, 30);
    check_liquid(world);
    assert_true(rn_world_audit(world).refused == 0.0);
    assert_true(fabs(rn_world_audit(world).poured - 0.5e-6) < 1e-9);
    rn_world_destroy(world);
}

/* ---- Bad input, bad luck ------------------------------------------------------------------------------------- */

static void bad_solids_are_refused(void **state) {
    (void)state;
    rn_world *world = tray(8, 8, 0.005, 0.1);
    assert_int_equal(rn_world_add_solid(world, &(rn_solid_def){0}), -1);
    assert_non_null(strstr(rn_last_error(), "no shape"));
    assert_int_equal(rn_world_add_solid(world, &(rn_solid_def){.shape = rn_sdf_sphere(1), .at = {NAN, 0, 0}}), -1);
    assert_int_equal(rn_world_add_solid(world, &(rn_solid_def){.shape = rn_sdf_sphere(-1)}), -1);
    assert_non_null(strstr(rn_last_error(), "radius"));
    assert_int_equal(rn_world_move_solid(world, 0, (rn_vec3){0, 0, 0}, (rn_quat){0}), RN_INVALID);
    assert_int_equal(rn_world_sculpt(world, NULL, true), RN_INVALID);
    int ball = rn_world_add_solid(world, &(rn_solid_def){.shape = rn_sdf_sphere(0.01), .at = {0.02, 0.02, 0.0}});
    assert_int_equal(ball, 0);
    assert_int_equal(
        rn_world_move_solid(world, ball, (rn_vec3){0, 0, 0}, rn_quat_from_degrees((rn_vec3){INFINITY, 0, 0})),
        RN_INVALID);
    assert_int_equal(rn_world_remove_solid(world, ball), RN_OK);
    assert_int_equal(rn_world_remove_solid(world, ball), RN_INVALID);
    rn_column low = {-INFINITY, -1.0, 0.1};
    int32_t one = 1;
    assert_int_equal(rn_world_set_ground(world, &(rn_ground_def){0, 0, 1, 1, &low, &one}), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "dig"));
    assert_int_equal(rn_world_set_ground(world, &(rn_ground_def){7, 7, 2, 1, &low, &one}), RN_INVALID);
    run(world, 2);
    rn_world_destroy(world);
}

typedef struct miser {
    int left; /* allocations until one fails; negative: none does */
} miser;

static void *miserly_alloc(void *user, size_t size) {
    miser *m = user;
    if (m->left >= 0 && m->left-- == 0) return NULL;
    return rn_aligned_alloc(64, size);
}

static void plain_free(void *user, void *memory) {
    (void)user;
    rn_aligned_free(memory);
}

/* Whichever allocation fails: the edit is refused as a whole, and works when tried again. */
static void failing_allocations_leave_the_world_whole(void **state) {
    (void)state;
    bool refused = true;
    for (int n = 0; refused; n++) {
        assert_true(n < 200);
        miser m = {-1};
        rn_terrain_def ground = rn_terrain_default();
        ground.cells_x = ground.cells_y = 16;
        ground.lid = 0.2;
        ground.bottom = -1;
        ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
        rn_terrain *terrain = NULL;
        assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        def.hooks = (rn_hooks){.user = &m, .alloc = miserly_alloc, .free = plain_free};
        rn_world *world = NULL;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        fill_to(world, 0.1);
        const double start = rn_world_volume(world);
        m.left = n;
        rn_solid_def box = {.at = {0.08, 0.08, 0.05}};
        box.shape = rn_sdf_box((rn_vec3){0.06, 0.06, 0.04});
        int number = rn_world_add_solid(world, &box);
        refused = number < 0 || rn_world_commit(world) != RN_OK;
        m.left = -1;
        check_liquid(world);
        if (number < 0) {
            box.shape = rn_sdf_box((rn_vec3){0.06, 0.06, 0.04});
            assert_true(rn_world_add_solid(world, &box) >= 0);
        }
        run(world, 5);
        check_liquid(world);
        assert_int_equal(rn_world_describe(world).layers, 2);
        /* pushed liquid that memory was too short to find a place for is booked, not lost */
        assert_true(fabs(rn_world_volume(world) + rn_world_audit(world).displaced - start) < 1e-12 * start);
        rn_world_destroy(world);
    }
}

static void the_same_for_any_threads(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        rn_terrain *terrain = random_stacks(32, 3, 0.005, 7, STACKS_RAGGED);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        def.threads = k ? 3 : 1;
        rn_world *world = NULL;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        fill_to(world, 0.02);
        int ball = rn_world_add_solid(world, &(rn_solid_def){.shape = rn_sdf_sphere(0.03), .at = {0, 0.08, 0.02}});
        for (int i = 0; i < 60; i++) {
            rn_world_move_solid(world, ball, (rn_vec3){0.003 * i, 0.08, 0.02}, (rn_quat){0});
            run(world, 1);
        }
        hash[k] = rn_world_hash(world);
        rn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_world_is_a_new_one),
        cmocka_unit_test(nothing_is_lost_in_a_tumble),
        cmocka_unit_test(a_gate_opens),
        cmocka_unit_test(a_piston_raises_the_level),
        cmocka_unit_test(a_shelf_parts_and_joins),
        cmocka_unit_test(a_flooded_room_passes_it_on),
        cmocka_unit_test(a_source_over_a_hole),
        cmocka_unit_test(what_is_shut_in_is_booked),
        cmocka_unit_test(a_film_rides_on_rising_ground),
        cmocka_unit_test(fluxes_stay_with_their_pipes),
        cmocka_unit_test(sources_follow_their_columns),
        cmocka_unit_test(bad_solids_are_refused),
        cmocka_unit_test(failing_allocations_leave_the_world_whole),
        cmocka_unit_test(the_same_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
