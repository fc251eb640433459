/* Thin streams: jets from narrow ledges and from spouts, the drops that they break up into, and falls over the open
   edges of the domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_meshes.h"

#include <math.h>
#include <runnel/runnel.h>

enum { NX = 12, NY = 9 };
static const float cell = 0.002f;

static const rn_surface_jets water = {.tension = 7.3e-5f, .viscosity = 1e-6f, .time = 0.31};

static void build(const rn_surface_columns *columns, const rn_surface_def *def, buffers *b) {
    if (rn_surface_build(columns, def, b->scratch, b->bytes, &b->mesh) != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(buffers_whole(b));
}

/* A floor, and above it a ledge over the western half, `high` cells up and `thick` cells thick, wet from row `from` to
   row `to`. */
static stack ledge(float high, float thick, int from, int to) {
    stack s = stack_make(NX, NY, 2, cell, 10.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t low = stack_slot(&s, 0, y, x), top = stack_slot(&s, 1, y, x);
            s.base[low] = 0.0f;
            s.ceil[low] = x < 6 ? (high - thick) * cell : 10.0f;
            s.depth[low] = x < 6 ? 0.0f : 0.5f * cell;
            if (x >= 6) continue;
            s.base[top] = high * cell;
            s.ceil[top] = 10.0f;
            if (y < from || y > to) s.base[top] += 2.0f * cell; /* a bank */
            else s.depth[top] = 0.5f * cell;
        }
    return s;
}

static bool is_jet(const stack *s, const rn_mesh *m, uint32_t v) {
    return m->ids[v] >= rn_surface_first_jet(&s->columns);
}

static uint32_t jet_vertices(const stack *s, const rn_mesh *m) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < m->vertex_count; v++) count += is_jet(s, m, v);
    return count;
}

/* The volume (m^3) that the triangles of jets and drops between two heights (m) enclose, by their level slices. */
static double volume_of_jets(const stack *s, const rn_mesh *m) {
    double volume = 0.0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *i = m->indices + 3 * t;
        if (!is_jet(s, m, i[0])) continue;
        double n[3];
        triangle_normal(m, t, n);
        volume +=
            n[2] * ((double)m->positions[3 * i[0] + 2] + m->positions[3 * i[1] + 2] + m->positions[3 * i[2] + 2]) / 6;
    }
    return volume;
}

/* Every edge of a jet lies between two triangles, which pass it in opposite directions; all normals have unit length,
   and face to the side that their triangles do; all ids are different. */
static void jets_are_sound(const stack *s, const rn_mesh *m) {
    size_t count;
    mesh_edge *edges = mesh_edges(m, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true(edges[i].forth <= 1 && edges[i].back <= 1);
        if (is_jet(s, m, edges[i].low)) assert_true(edges[i].forth == 1 && edges[i].back == 1);
    }
    free(edges);
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *i = m->indices + 3 * t;
        double n[3];
        if (!is_jet(s, m, i[0])) continue;
        triangle_normal(m, t, n);
        double towards = 0.0;
        for (int k = 0; k < 9; k++) towards += n[k % 3] * (double)m->normals[3 * i[k / 3] + (uint32_t)(k % 3)];
        assert_true(towards > 0.0);
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        const float *n = m->normals + 3 * v;
        assert_float_equal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0f, 1e-4f);
        for (uint32_t u = 0; u < v; u++) assert_true(m->ids[u] != m->ids[v]);
    }
}

/* Liquid that falls from one cell is a jet or drips. A wide film is a sheet if surface tension does not gather it.
   Without rn_surface_def.jets there are only sheets. */
static void narrow_falls_are_jets(void **state) {
    (void)state;
    static const rn_surface_jets limp = {.time = 0.31};
    for (int wide = 1; wide <= 5; wide += 2)
        for (int with = 0; with < 3; with++) {
            stack s = ledge(8.0f, 0.4f, 4 - wide / 2, 4 + wide / 2);
            const rn_surface_def def = {.jets = with == 2 ? &water : with ? &limp : NULL};
            buffers b = buffers_make(&s.columns, &def);
            build(&s.columns, &def, &b);
            const uint32_t jet = jet_vertices(&s, &b.mesh);
            uint32_t sheet = 0;
            for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
                const float *at = b.mesh.positions + 3 * v;
                const int row = rn_surface_sheet_row(&s.columns, b.mesh.ids[v]);
                sheet += row > 0 && !is_jet(&s, &b.mesh, v);
                if (!is_jet(&s, &b.mesh, v)) continue;
                assert_int_equal(row, RN_SHEET_ROWS);
                assert_true(at[0] > 4.5f * cell && at[0] < 8.0f * cell &&
                            fabsf(at[1] - 4.5f * cell) < (1.0f + 0.5f * (float)wide) * cell);
            }
            if (with == 2 || (with == 1 && wide == 1)) assert_true(jet > 40 && sheet == 0);
            else assert_true(jet == 0 && sheet > 0);
            if (with) jets_are_sound(&s, &b.mesh);
            buffers_free(&b);
            stack_free(&s);
        }
}

/* The highest and the lowest point (m) of jets and drops. */
static void reach_of_jets(const stack *s, const rn_mesh *m, float *low, float *high) {
    *low = 1e9f, *high = -1e9f;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        if (!is_jet(s, m, v)) continue;
        *low = fminf(*low, m->positions[3 * v + 2]);
        *high = fmaxf(*high, m->positions[3 * v + 2]);
    }
}

/* Where the solid goes on below the brink, a thin stream runs down along it, within a cell of the wall, and does not
   fly off; the sheet of a fast one does. */
static void thin_streams_cling_to_walls(void **state) {
    (void)state;
    stack s = ledge(20.0f, 19.0f, 4, 4);
    const rn_surface_def def = {.jets = &water};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    jets_are_sound(&s, &b.mesh);
    float low, high, farthest = 0.0f;
    reach_of_jets(&s, &b.mesh, &low, &high);
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++)
        if (is_jet(&s, &b.mesh, v)) farthest = fmaxf(farthest, b.mesh.positions[3 * v] - 6.0f * cell);
    assert_true(low < 1.2f * cell && high > 19.0f * cell && farthest < cell);
    buffers_free(&b);
    stack_free(&s);
}

/* Under a spout that slopes by 45 degrees, a thin stream falls off soon and does not run back along it. */
static void streams_fall_off_overhangs(void **state) {
    (void)state;
    stack s = ledge(20.0f, 0.4f, 4, 4);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < 6; x++) s.ceil[stack_slot(&s, 0, y, x)] = (float)(14 + x) * cell;
    const rn_surface_def def = {.jets = &water};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    float nearest = 1e9f;
    assert_true(jet_vertices(&s, &b.mesh) > 0);
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++)
        if (is_jet(&s, &b.mesh, v)) nearest = fminf(nearest, b.mesh.positions[3 * v] - 6.0f * cell);
    assert_true(nearest > -3.2f * cell);
    buffers_free(&b);
    stack_free(&s);
}

/* A drop hangs from the brink, swells, and falls off: over a time, jets and drops are at times longer and at times
   shorter, never far above the brink, and their volume does not exceed that of the flow by much more than a drop. */
static void drops_hang_and_fall(void **state) {
    (void)state;
    stack s = ledge(20.0f, 0.4f, 4, 4);
    double least = 1.0, most = 0.0;
    int falling = 0;
    enum { TIMES = 60 };
    for (int i = 0; i < TIMES; i++) {
        rn_surface_jets jets = water;
        jets.time = 3.0 + 0.01 * i;
        const rn_surface_def def = {.jets = &jets};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        jets_are_sound(&s, &b.mesh);
        float low, high;
        reach_of_jets(&s, &b.mesh, &low, &high);
        assert_true(high < 20.0f * cell + 2.0f * cell && low > -2.0f * cell);
        falling += low < 15.0f * cell;
        const double volume = volume_of_jets(&s, &b.mesh);
        least = fmin(least, volume);
        most = fmax(most, volume);
        buffers_free(&b);
    }
    assert_true(falling > 3 && falling < TIMES - 3);
    assert_true(least > 0.0 && least < 0.5 * most && most < 150e-9);
    stack_free(&s);
}

/* Where contact angles hold a narrow stream back at a brink, a drop hangs from it, whether liquid has arrived below or
   not; the deeper the liquid, the larger. None hangs from a wide brink, from one close to the ground, or without
   surface tension. */
static void drops_hang_where_a_brink_holds(void **state) {
    (void)state;
    static const rn_surface_jets limp = {.time = 0.31};
    double last = 0.0;
    for (int i = 0; i < 7; i++) {
        const bool wide = i == 4, close = i == 5;
        stack s = ledge(close ? 0.6f : 8.0f, 0.4f, wide ? 0 : 4, wide ? NY - 1 : 4);
        s.columns.contact_foot = 0.2f * cell;
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                if (i % 2 == 0) s.depth[stack_slot(&s, 0, y, x)] = 0.0f; /* nothing has arrived yet */
                if (s.depth[stack_slot(&s, 1, y, x)] > 0.0f)
                    s.depth[stack_slot(&s, 1, y, x)] = (0.4f + 0.3f * (float)(i % 4)) * cell;
            }
        const rn_surface_def def = {.jets = i == 6 ? &limp : &water, .least_depth = -1.0f};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        if (i < 4) {
            jets_are_sound(&s, &b.mesh);
            float low, high;
            reach_of_jets(&s, &b.mesh, &low, &high);
            const double volume = volume_of_jets(&s, &b.mesh);
            assert_true(volume > 1.5 * last && volume < 60e-9);
            assert_true(low < 8.0f * cell && low > 6.0f * cell && high < 8.0f * cell + 1.2f * cell);
            last = volume;
        } else assert_int_equal(jet_vertices(&s, &b.mesh), 0);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* A jet that does not break up carries the same flow at every height: its radius is sqrt(Q/(pi v)). */
static void a_jet_keeps_its_flow(void **state) {
    (void)state;
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f, s.depth[i] = cell;
    s.columns.origin_x = 3.0f;
    s.columns.datum = -1.0f;
    const rn_surface_pour pour = {
        .at = {3.0f + 5.0f * cell, 4.0f * cell, -1.0f + 0.06f}, .radius = 0.003f, .rate = 4e-6f};
    const rn_surface_jets jets = {.pours = &pour, .pour_count = 1};
    const rn_surface_def def = {.jets = &jets, .full_depth = 1.0f};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    jets_are_sound(&s, &b.mesh);
    const float start = 4e-6f / (3.14159265f * 9e-6f);
    float lowest = 1.0f, highest = -9.0f;
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        if (!is_jet(&s, &b.mesh, v)) continue;
        const float *at = b.mesh.positions + 3 * v, *u = b.mesh.velocities + 3 * v;
        const float far = hypotf(at[0] - pour.at[0], at[1] - pour.at[1]), fall = pour.at[2] - at[2];
        lowest = fminf(lowest, at[2]);
        highest = fmaxf(highest, at[2]);
        const float speed = sqrtf(start * start + 2.0f * 9.81f * fall);
        assert_float_equal(u[2], -speed, 1e-3f * speed);
        if (far > 1e-6f) assert_float_equal(far, sqrtf(4e-6f / (3.14159265f * speed)), 2e-6f);
    }
    assert_float_equal(highest, pour.at[2], 1e-6f);
    assert_true(lowest < -1.0f + cell && lowest > -1.0f); /* in the liquid, not through the floor */
    buffers_free(&b);
    stack_free(&s);
}

/* A thin jet breaks up into drops with the volume that flows; they fall with the time, and the same time gives the same
   mesh. Honey does not break up. */
static void jets_break_up_into_drops(void **state) {
    (void)state;
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f, s.depth[i] = cell;
    const rn_surface_pour pour = {.at = {6.0f * cell, 4.0f * cell, 0.4f}, .radius = 0.001f, .rate = 1e-6f};
    double volumes[2] = {0}, sum[2] = {0};
    enum { TIMES = 40 };
    for (int honey = 0; honey < 2; honey++)
        for (int i = 0; i < TIMES; i++) {
            rn_surface_jets jets = water;
            jets.pours = &pour;
            jets.pour_count = 1;
            jets.time = 7.0 + 0.004 * i;
            if (honey) jets.viscosity = 5e-3f;
            const rn_surface_def def = {.jets = &jets};
            buffers b = buffers_make(&s.columns, &def), again = buffers_make(&s.columns, &def);
            build(&s.columns, &def, &b);
            build(&s.columns, &def, &again);
            jets_are_sound(&s, &b.mesh);
            assert_memory_equal(b.mesh.positions, again.mesh.positions, 12 * b.mesh.vertex_count);
            sum[honey] += (double)jet_vertices(&s, &b.mesh) / TIMES;
            volumes[honey] += volume_of_jets(&s, &b.mesh) / TIMES;
            buffers_free(&b);
            buffers_free(&again);
        }
    assert_true(sum[0] > 150.0 && sum[1] < 28 * 8 + 3);
    /* The flow times the time that it falls. An octagon is a tenth smaller than its circle. */
    const double start = 1e-6 / (3.14159265 * 1e-6), time = (sqrt(start * start + 2 * 9.81 * 0.4) - start) / 9.81;
    for (int honey = 0; honey < 2; honey++) assert_true(fabs(volumes[honey] / (1e-6 * time) - 0.9) < 0.09);
    stack_free(&s);
}

/* The drops of a jet differ in size, and fall at uneven distances. */
static void drops_are_not_alike(void **state) {
    (void)state;
    enum { DROPS = 5, EACH = 42 };
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f, s.depth[i] = cell;
    const rn_surface_pour pour = {.at = {6.0f * cell, 4.0f * cell, 0.6f}, .radius = 0.001f, .rate = 1e-6f};
    rn_surface_jets jets = water;
    jets.pours = &pour;
    jets.pour_count = 1;
    jets.time = 7.0;
    const rn_surface_def def = {.jets = &jets};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    assert_true(jet_vertices(&s, &b.mesh) > EACH * DROPS);
    double ages[DROPS], wide[2] = {1e9, 0}, apart[2] = {1e9, 0};
    for (uint32_t i = 0; i < DROPS; i++) { /* from the lowest up: they are the last of the mesh */
        const float *of = b.mesh.positions + 3 * (size_t)(b.mesh.vertex_count - EACH * (i + 1));
        double z = 0, low = 1e9, high = -1e9;
        for (int v = 0; v < EACH; v++) {
            z += (double)of[3 * v + 2] / EACH;
            low = fmin(low, (double)of[3 * v]), high = fmax(high, (double)of[3 * v]);
        }
        ages[i] = sqrt(2 * fmax(0.6 - z, 0) / 9.81);
        wide[0] = fmin(wide[0], high - low), wide[1] = fmax(wide[1], high - low);
        if (i == 0) continue;
        apart[0] = fmin(apart[0], ages[i - 1] - ages[i]), apart[1] = fmax(apart[1], ages[i - 1] - ages[i]);
    }
    print_message("drops: %.2f to %.2f mm wide, %.1f to %.1f ms apart\n", 1e3 * wide[0], 1e3 * wide[1], 1e3 * apart[0],
                  1e3 * apart[1]);
    assert_true(wide[1] > 1.15 * wide[0] && apart[1] > 1.15 * apart[0]);
    buffers_free(&b);
    stack_free(&s);
}

/* A pour that would break up far below the liquid it falls on has no beads: those that will grow once it is thin are
   too close together where it is wide. */
static void wide_pours_have_no_bands(void **state) {
    (void)state;
    stack s = ledge(60.0f, 2.0f, 0, NY - 1);
    const rn_surface_pour pour = {.at = {9.0f * cell, 4.5f * cell, 9.0f * cell}, .radius = 0.004f, .rate = 3e-6f};
    rn_surface_jets jets = {.tension = 5.3e-5f, .viscosity = 4e-6f, .pours = &pour, .pour_count = 1};
    const rn_surface_def def = {.jets = &jets, .no_sheets = true};
    for (int i = 0; i < 5; i++) {
        jets.time = 0.013 * i;
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        float before = INFINITY;
        int rings = 0;
        for (uint32_t v = b.mesh.vertex_count - jet_vertices(&s, &b.mesh) + 1; v + 8 < b.mesh.vertex_count; v += 8) {
            const float *at = b.mesh.positions + 3 * v;
            const float radius = hypotf(at[0] - pour.at[0], at[1] - pour.at[1]);
            assert_true(radius < before);
            before = radius;
            rings++;
        }
        assert_true(rings >= 6);
        buffers_free(&b);
    }
    stack_free(&s);
}

/* Liquid falls over the open edges of the domain, and over no others, down to the floor. */
static void falls_over_open_edges(void **state) {
    (void)state;
    for (uint32_t open = 0; open < 16; open++) {
        stack s = stack_make(NX, NY, 1, cell, 10.0f);
        for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.02f, s.ceil[i] = 10.0f, s.depth[i] = cell;
        s.columns.open_sides = open;
        const rn_surface_def def = {0};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        assert_null(mesh_fault(&b.mesh, cell));
        uint32_t found = 0;
        for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
            const float *at = b.mesh.positions + 3 * v, *n = b.mesh.normals + 3 * v;
            const int row = rn_surface_sheet_row(&s.columns, b.mesh.ids[v]);
            if (row == 0 && at[2] < 0.019f) fail_msg("a surface below the ground");
            const bool beyond[4] = {at[0]<-1e-6f, at[0]> NX * cell + 1e-6f, at[1]<-1e-6f, at[1]> NY * cell + 1e-6f};
            for (uint32_t side = 0; side < 4 && row == 0; side++)
                if (beyond[side] && !(open >> side & 1)) fail_msg("a lip beyond the closed edge %u", side);
            if (row == 0) continue;
            if (fabsf(n[0]) > 0.9f) found |= n[0] < 0.0f ? 1u << RN_SIDE_WEST : 1u << RN_SIDE_EAST;
            if (fabsf(n[1]) > 0.9f) found |= n[1] < 0.0f ? 1u << RN_SIDE_SOUTH : 1u << RN_SIDE_NORTH;
            if (row == RN_SHEET_ROWS) assert_float_equal(at[2], -2.0f * cell, 1e-6f);
        }
        assert_int_equal(found, open);
        buffers_free(&b);
        stack_free(&s);
    }
}

/* Rivulets of little liquid down the edge of the domain end at different heights. */
static void rivulets_at_an_edge_differ_in_length(void **state) {
    (void)state;
    float lowest[NY], most = -1.0f, least = 1.0f;
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t i = stack_slot(&s, 0, y, x);
            s.base[i] = (y % 2 ? 10.0f : 12.0f) * cell, s.ceil[i] = 10.0f, s.depth[i] = y % 2 ? 0.2f * cell : 0.0f;
        }
    s.columns.open_sides = 1u << RN_SIDE_EAST;
    const rn_surface_def def = {.jets = &water};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    for (int y = 0; y < NY; y++) lowest[y] = 1.0f;
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        const float *at = b.mesh.positions + 3 * v;
        const int y = (int)(at[1] / cell);
        if (is_jet(&s, &b.mesh, v) && y >= 0 && y < NY) lowest[y] = fminf(lowest[y], at[2]);
    }
    for (int y = 3; y < NY; y += 2) { /* not at the corner */
        print_message("row %d: the rivulet ends %.1f cells above the floor\n", y, (double)(lowest[y] / cell));
        most = fmaxf(most, lowest[y]), least = fminf(least, lowest[y]);
    }
    assert_true(most < 10.0f * cell && most - least > 2.0f * cell);
    jets_are_sound(&s, &b.mesh);
    buffers_free(&b);
    stack_free(&s);
}

/* A convex corner of a ledge, where a lip has liquid across the corner only, falls as deep as the lips beside it.
   Sheets that break up would otherwise end sooner there. */
static void sheets_have_no_notch_at_corners(void **state) {
    (void)state;
    stack s = stack_make(NX, NY, 2, cell, 10.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t low = stack_slot(&s, 0, y, x), top = stack_slot(&s, 1, y, x);
            const bool ledge_here = x < 6 && y < 5;
            s.base[low] = 0.0f;
            s.ceil[low] = ledge_here ? 158.0f * cell : 10.0f;
            s.depth[low] = ledge_here ? 0.0f : 0.5f * cell;
            if (!ledge_here) continue;
            s.base[top] = 160.0f * cell;
            s.ceil[top] = 10.0f;
            s.depth[top] = 4.0f * cell;
        }
    const rn_surface_def def = {.jets = &water, .full_depth = 100.0f * cell};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    float corner = 1.0f, beside = 1.0f; /* opacity halfway down */
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        const float *at = b.mesh.positions + 3 * v, x = at[0] / cell, y = at[1] / cell;
        if (is_jet(&s, &b.mesh, v) || rn_surface_sheet_row(&s.columns, b.mesh.ids[v]) != RN_SHEET_ROWS / 2) continue;
        if (x > 5.5f && fabsf(x - 6.0f - (y - 5.0f)) < 0.3f) corner = fminf(corner, b.mesh.opacity[v]);
        else if (x > 6.0f && y > 2.0f && y < 4.0f) beside = fminf(beside, b.mesh.opacity[v]);
    }
    print_message("opacity at the corner %.4f, beside it %.4f\n", (double)corner, (double)beside);
    assert_true(corner < 1.0f && beside < 1.0f && corner > 0.4f * beside);
    buffers_free(&b);
    stack_free(&s);
}

/* Where a mesh is small, sheets have fewer rows, so that a pour is drawn too. */
static void sheets_leave_room_for_pours(void **state) {
    (void)state;
    stack s = ledge(60.0f, 2.0f, 0, NY - 1);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < 6; x++) s.depth[stack_slot(&s, 1, y, x)] = 4.0f * cell;
    const rn_surface_pour pour = {.at = {9.0f * cell, 4.5f * cell, 80.0f * cell}, .radius = cell, .rate = 4e-6f};
    rn_surface_jets jets = water;
    rn_surface_def def = {.jets = &jets};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    const uint32_t without = b.mesh.vertex_count, drops = jet_vertices(&s, &b.mesh);
    jets.pours = &pour;
    jets.pour_count = 1;
    b.mesh.vertex_capacity = without + 20;
    if (rn_surface_build(&s.columns, &def, b.scratch, b.bytes, &b.mesh) != RN_OK) fail_msg("%s", rn_last_error());
    print_message("%u vertices, %u of drops; %u with the pour\n", without, drops, jet_vertices(&s, &b.mesh));
    assert_true(jet_vertices(&s, &b.mesh) > drops + 40);
    buffers_free(&b);
    stack_free(&s);
}

/* The width (cells) of a sheet of water in this row, 0 for its lips, that falls 40 cells from rows `from` to `to` of a
   ledge. */
static float width_of_sheet(int from, int to, float tension, int row) {
    stack s = ledge(40.0f, 2.0f, from, to);
    for (int y = from; y <= to; y++)
        for (int x = 0; x < 6; x++) {
            s.depth[stack_slot(&s, 1, y, x)] = cell;
            s.flux_x[stack_slot(&s, 1, y, x)] = 0.6f * cell * cell;
        }
    const rn_surface_jets jets = {.tension = tension, .viscosity = 1e-6f};
    const rn_surface_def def = {.jets = &jets};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    assert_null(mesh_fault(&b.mesh, cell));
    float low = INFINITY, high = -INFINITY;
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        const float y = b.mesh.positions[3 * v + 1] / cell;
        if (is_jet(&s, &b.mesh, v) || rn_surface_sheet_row(&s.columns, b.mesh.ids[v]) != row) continue;
        if (row == 0 && b.mesh.positions[3 * v] < 6.01f * cell) continue;
        low = fminf(low, y);
        high = fmaxf(high, y);
    }
    buffers_free(&b);
    stack_free(&s);
    return high - low;
}

/* Surface tension draws in the free sides of a sheet while it falls, four times as much of it about twice as far. It
   draws in no sides at the edge of the domain. */
static void tension_draws_sheets_in(void **state) {
    (void)state;
    const float lip = width_of_sheet(1, NY - 2, 1e-9f, 1);
    float before = lip, in[2];
    for (int row = 1; row <= RN_SHEET_ROWS; row++) {
        const float wide = width_of_sheet(1, NY - 2, 7.3e-5f, row);
        assert_true(wide < before + 1e-4f);
        before = wide;
    }
    in[0] = lip - width_of_sheet(1, NY - 2, 2e-7f, RN_SHEET_ROWS);
    in[1] = lip - width_of_sheet(1, NY - 2, 8e-7f, RN_SHEET_ROWS);
    print_message("a sheet %.2f cells wide becomes %.2f; drawn in by %.3f and %.3f\n", (double)lip, (double)before,
                  (double)in[0], (double)in[1]);
    assert_true(lip > NY - 4 && before < 0.7f * lip && before > 0.25f * lip);
    assert_true(in[1] > 1.6f * in[0] && in[1] < 2.1f * in[0]);
    assert_float_equal(width_of_sheet(0, NY - 1, 7.3e-5f, RN_SHEET_ROWS), NY, 1e-4);
}

/* Smoothed lips stay between the heights that they and the lips beside them had: liquid over a step in its depth is not
   lifted far from the step. */
static void lips_stay_between_their_neighbours(void **state) {
    (void)state;
    stack s = ledge(8.0f, 0.4f, 0, NY - 1);
    float level[NY + 2], mean[NY];
    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < 6; x++) s.depth[stack_slot(&s, 1, y, x)] = (y < NY / 2 ? 0.3f : 2.3f) * cell;
        level[y + 1] = 8.0f * cell + s.depth[stack_slot(&s, 1, y, 5)];
    }
    for (int y = 1; y < NY - 1; y++) mean[y] = (level[y] + level[y + 1] + level[y + 2]) / 3.0f;
    const rn_surface_def def = {0};
    buffers b = buffers_make(&s.columns, &def);
    build(&s.columns, &def, &b);
    const size_t lips = rn_surface_slots(&s.columns);
    int found = 0;
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        const float *at = b.mesh.positions + 3 * v;
        const int y = (int)floorf(at[1] / cell);
        if (b.mesh.ids[v] < lips || rn_surface_sheet_row(&s.columns, b.mesh.ids[v]) > 0 || at[2] < 7.0f * cell)
            continue;
        if (y < 2 || y > NY - 3 || at[0] < 6.0f * cell) continue;
        const float low = fminf(mean[y], fminf(mean[y - 1], mean[y + 1])),
                    high = fmaxf(mean[y], fmaxf(mean[y - 1], mean[y + 1]));
        assert_true(at[2] > low - 1e-6f && at[2] < high + 1e-6f);
        found++;
    }
    assert_int_equal(found, NY - 4);
    buffers_free(&b);
    stack_free(&s);
}

/* The pours of a world: where its disks are, and how much they pour now. */
static void worlds_tell_their_pours(void **state) {
    (void)state;
    rn_terrain_def terrain = rn_terrain_default();
    rn_terrain *ground = NULL;
    rn_world *world = NULL;
    terrain.cells_x = terrain.cells_y = 16;
    terrain.cell_size = 0.01;
    terrain.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    terrain.bottom = -0.1;
    terrain.lid = 1.0;
    if (rn_terrain_create(&terrain, &ground) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def def = rn_world_default();
    def.terrain = ground;
    def.edges[RN_SIDE_EAST] = RN_EDGE_OPEN;
    if (rn_world_create(&def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(rn_world_open_sides(world), 1u << RN_SIDE_EAST);
    rn_surface_pour pours[4];
    assert_int_equal(rn_world_pours(world, NULL, 0), 0);
    const int first = rn_world_pour(world, (rn_vec3){0.05, 0.06, 0.5}, 0.01, 2e-6);
    rn_source_def late = rn_source_default();
    late.at = (rn_vec3){0.1, 0.1, 0.3};
    late.rate = 1e-6;
    late.start = 1.0;
    assert_true(first >= 0 && rn_world_add_source(world, &late) >= 0);
    assert_true(rn_world_drain(world, (rn_vec3){0.1, 0.05, 0.1}, 0.01, 1e-6) >= 0);
    assert_int_equal(rn_world_pours(world, pours, 4), 1);
    assert_true(pours[0].at[0] == 0.05f && pours[0].at[2] == 0.5f && pours[0].radius == 0.01f &&
                pours[0].rate == 2e-6f);
    assert_int_equal(rn_world_move_source(world, first, (rn_vec3){0.07, 0.06, 0.4}), RN_OK);
    assert_int_equal(rn_world_pours(world, pours, 4), 1);
    assert_true(pours[0].at[0] == 0.07f && pours[0].at[2] == 0.4f);
    assert_int_equal(rn_world_move_source(world, first, (rn_vec3){0, 0, 0}), RN_OK);
    assert_int_equal(rn_world_pours(world, pours, 4), 1);
    assert_true(pours[0].at[0] == 0.0f && pours[0].at[1] == 0.0f && pours[0].at[2] == 0.0f);
    assert_int_equal(rn_world_move_source(world, first, (rn_vec3){0.07, 0.06, 0.4}), RN_OK);
    rn_skin_def looks = rn_skin_default(world);
    rn_skin *skin = NULL;
    uint32_t jet = 0;
    assert_int_equal(rn_skin_create(&looks, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    const rn_mesh mesh = rn_skin_surface(skin);
    const rn_surface_columns columns = rn_skin_columns(skin);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) jet += mesh.ids[v] >= rn_surface_first_jet(&columns);
    assert_true(jet > 40);
    rn_skin_destroy(skin);
    while (rn_world_get_stats(world).time < 1.0) assert_int_equal(rn_world_step(world, 0.1), RN_OK);
    assert_int_equal(rn_world_remove_source(world, first), RN_OK);
    assert_int_equal(rn_world_pours(world, pours, 4), 1);
    assert_true(pours[0].rate == 1e-6f);
    rn_world_destroy(world);
    rn_terrain_destroy(ground);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_falls_are_jets),
        cmocka_unit_test(thin_streams_cling_to_walls),
        cmocka_unit_test(streams_fall_off_overhangs),
        cmocka_unit_test(drops_hang_and_fall),
        cmocka_unit_test(drops_hang_where_a_brink_holds),
        cmocka_unit_test(a_jet_keeps_its_flow),
        cmocka_unit_test(drops_are_not_alike),
        cmocka_unit_test(jets_break_up_into_drops),
        cmocka_unit_test(falls_over_open_edges),
        cmocka_unit_test(rivulets_at_an_edge_differ_in_length),
        cmocka_unit_test(sheets_have_no_notch_at_corners),
        cmocka_unit_test(sheets_leave_room_for_pours),
        cmocka_unit_test(worlds_tell_their_pours),
        cmocka_unit_test(lips_stay_between_their_neighbours),
        cmocka_unit_test(tension_draws_sheets_in),
        cmocka_unit_test(wide_pours_have_no_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
