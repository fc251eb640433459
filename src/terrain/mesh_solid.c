/* Triangle meshes as solids: what they are taken for, and their field.

   Signs come from the crossings of a vertical line, which need a shell without a boundary; sizes from the distance to
   the triangles that bound the solid. Both are exact. */
#include "base/maths.h"
#include "base/memory.h"
#include "base/threads.h"
#include "terrain/crossings.h"
#include "terrain/tree.h"

typedef struct mesh_solid {
    rn_sdf node;
    rn_shell shell; /* of a sheet: empty */
    rn_crossings crossings;
    rn_tree tree;
    double half;  /* m, of a sheet: half its thickness */
    double floor; /* m, of ground: below this all is as it is here; else -infinity */
} mesh_solid;

rn_mesh_solid_def rn_mesh_solid_default(void) { return (rn_mesh_solid_def){.threads = 1}; }

static double solid_distance(const rn_sdf *self, rn_vec3 at) {
    const mesh_solid *mesh = (const mesh_solid *)self;
    at.z = rn_max(at.z, mesh->floor);
    const double distance = rn_tree_distance(&mesh->tree, at);
    return rn_crossings_solid(&mesh->crossings, at) ? -distance : distance;
}

static double solid_rise(const rn_sdf *self, rn_vec3 at) {
    return rn_crossings_rise(&((const mesh_solid *)self)->crossings, at);
}

static double sheet_distance(const rn_sdf *self, rn_vec3 at) {
    const mesh_solid *mesh = (const mesh_solid *)self;
    return rn_tree_distance(&mesh->tree, at) - mesh->half;
}

static void release(rn_sdf *self) {
    mesh_solid *mesh = (mesh_solid *)self;
    rn_crossings_free(&mesh->crossings);
    rn_shell_free(&mesh->shell);
    rn_tree_free(&mesh->tree);
}

/* A quarter of the area left over when all normals are summed, upright within 60 degrees: open, and a surface to stand
   on. */
static rn_mesh_meaning guess_meaning(const rn_shell *shell, const rn_mesh_report *report) {
    if (report->open_edges == 0) return RN_MESH_SOLID;
    rn_vec3 sum = {0, 0, 0};
    for (size_t f = 0; f < shell->face_count; f++) {
        const rn_vec3 normal = rn_face_normal(shell, f);
        sum = (rn_vec3){sum.x + normal.x / 2, sum.y + normal.y / 2, sum.z + normal.z / 2};
    }
    const double length = rn_length(sum);
    return length > 0.25 * report->area && fabs(sum.z) >= 0.5 * length ? RN_MESH_GROUND : RN_MESH_SOLID;
}

/* Triangles that may bound the solid, and which of them do. */
typedef struct sifter {
    const mesh_solid *mesh;
    rn_vec3 (*triangles)[3];
    bool *kept;
} sifter;

/* True if solid and open meet at a place on a triangle, given by its weights. */
static bool parts_solid(const rn_crossings *c, const rn_vec3 t[3], const double weights[3], rn_vec3 off) {
    rn_vec3 at = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        at = (rn_vec3){at.x + weights[k] * t[k].x, at.y + weights[k] * t[k].y, at.z + weights[k] * t[k].z};
    const rn_vec3 before = {at.x + off.x, at.y + off.y, at.z + off.z};
    return rn_crossings_solid(c, before) != rn_crossings_solid(c, rn_minus(at, off));
}

/* Looks at both sides of a triangle, at more and more places a hundredth of the mesh apart: what is buried in another
   part of the mesh, or covered by its own double, is no surface. */
static bool bounds_solid(const mesh_solid *mesh, const rn_vec3 t[3]) {
    enum { FINEST = 64 };
    const double size = mesh->shell.size, off = 1e-7 * size;
    const rn_vec3 normal = rn_corners_normal(t);
    const double length = rn_length(normal);
    const rn_vec3 step = {off * normal.x / length, off * normal.y / length, off * normal.z / length};
    double longest = 0;
    for (int k = 0; k < 3; k++) longest = rn_max(longest, rn_length(rn_minus(t[(k + 1) % 3], t[k])));
    const int pieces = (int)rn_clamp(ceil(100 * longest / size), 2, FINEST);
    for (int n = 1; n < 2 * pieces; n *= 2) {
        const int cells = n < pieces ? n : pieces;
        for (int i = 0; i < cells; i++)
            for (int k = 0; i + k < cells; k++) {
                const double u = (i + 1.0 / 3) / cells, v = (k + 1.0 / 3) / cells;
                if (parts_solid(&mesh->crossings, t, (const double[3]){1 - u - v, u, v}, step)) return true;
            }
    }
    return false;
}

static void sift(void *context, int begin, int end, int worker) {
    (void)worker;
    const sifter *s = context;
    for (int i = begin; i < end; i++)
        s->kept[i] =
            !rn_is_flat(s->triangles[i]) && (!s->mesh->crossings.shell || bounds_solid(s->mesh, s->triangles[i]));
}

/* The two triangles between an edge of the rim and the floor. */
static void hang_skirt(const mesh_solid *mesh, const uint32_t arc[2], rn_vec3 to[2][3]) {
    const rn_vec3 a = mesh->shell.points[arc[0]], b = mesh->shell.points[arc[1]];
    const rn_vec3 low_a = {a.x, a.y, mesh->floor}, low_b = {b.x, b.y, mesh->floor};
    const rn_vec3 corners[2][3] = {{b, a, low_a}, {b, low_a, low_b}};
    for (int i = 0; i < 6; i++) to[i / 3][i % 3] = corners[i / 3][i % 3];
}

/* Consumes the triangles. */
static rn_result plant_tree(mesh_solid *mesh, rn_vec3 (*triangles)[3], size_t count, int threads) {
    const rn_hooks *hooks = &mesh->shell.hooks;
    sifter s = {mesh, triangles, rn_alloc(hooks, count, sizeof *s.kept)};
    rn_pool *pool = s.kept && threads != 1 ? rn_pool_create(hooks, threads) : NULL;
    rn_result result = s.kept && (pool || threads == 1) ? RN_OK : RN_MEMORY;
    if (pool) rn_parallel_for(pool, (int)count, sift, &s);
    else if (result == RN_OK) sift(&s, 0, (int)count, 0);
    rn_pool_destroy(pool);
    size_t kept = 0;
    for (size_t i = 0; result == RN_OK && i < count; i++) {
        for (int k = 0; k < 3; k++) triangles[kept][k] = triangles[i][k];
        kept += s.kept[i];
    }
    rn_free(hooks, s.kept);
    if (result == RN_OK && kept > 0) return rn_tree_make(hooks, triangles, kept, &mesh->tree);
    rn_free(hooks, triangles);
    if (result != RN_OK) return result;
    return rn_fail(RN_INVALID,
                   "the mesh encloses no solid: its %lld triangles lie flat against each other once holes "
                   "are closed; make it a sheet with a thickness",
                   (long long)mesh->shell.own);
}

static rn_result make_tree(mesh_solid *mesh, const rn_rim *rim, bool ground, int threads) {
    const rn_shell *shell = &mesh->shell;
    const size_t skirts = ground ? 2 * rim->count : 0;
    rn_vec3(*triangles)[3] = rn_alloc(&shell->hooks, shell->face_count + skirts, sizeof *triangles);
    if (!triangles) return RN_MEMORY;
    for (size_t f = 0; f < shell->face_count; f++) rn_face_corners_at(shell, f, triangles[f]);
    for (size_t i = 0; i < skirts / 2; i++) hang_skirt(mesh, rim->arcs[i], triangles + shell->face_count + 2 * i);
    return plant_tree(mesh, triangles, shell->face_count + skirts, threads);
}

static void set_bounds(mesh_solid *mesh, rn_mesh_meaning meaning) {
    rn_box *bounds = &mesh->node.bounds;
    *bounds = rn_box_grow(mesh->shell.box, mesh->half);
    if (meaning != RN_MESH_GROUND) return;
    rn_sdf_set_slab(&mesh->node, (rn_vec3){0, 0, 1}, bounds->low.z, bounds->high.z, 1);
    bounds->low.z = -INFINITY;
}

/* From a wound shell to the field. */
static rn_result finish(mesh_solid *mesh, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    const bool sheet = report->meaning == RN_MESH_SHEET, ground = report->meaning == RN_MESH_GROUND;
    rn_shell *shell = &mesh->shell;
    rn_rim rim = {0};
    rn_result result = rn_shell_close(shell,
                                      sheet    ? RN_CLOSE_NONE
                                      : ground ? RN_CLOSE_INNER
                                               : RN_CLOSE_ALL,
                                      report, &rim);
    if (result == RN_OK && !sheet) result = ground ? rn_shell_turn_up(shell, report) : rn_shell_turn_out(shell, report);
    if (result == RN_OK && !sheet) result = rn_crossings_make(shell, !ground, &mesh->crossings);
    mesh->half = sheet ? def->thickness / 2 : 0;
    mesh->floor = ground ? shell->box.low.z - shell->size : -INFINITY;
    if (result == RN_OK) result = make_tree(mesh, &rim, ground, def->threads);
    rn_free(&shell->hooks, rim.arcs);
    set_bounds(mesh, report->meaning);
    if (sheet) rn_shell_free(shell);
    return result;
}

static rn_result build(mesh_solid *mesh, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    rn_result result = rn_shell_mend(&mesh->shell, def, report);
    if (result == RN_OK) result = rn_shell_wind(&mesh->shell, report);
    if (result != RN_OK) return result;
    report->meaning = def->meaning == RN_MESH_AUTO ? guess_meaning(&mesh->shell, report) : def->meaning;
    return finish(mesh, def, report);
}

rn_sdf *rn_sdf_mesh(const rn_mesh_solid_def *def, rn_mesh_report *report) {
    static const rn_sdf_class solid = {solid_distance, solid_rise, rn_sdf_leaf_heights, release};
    static const rn_sdf_class sheet = {sheet_distance, sheet_distance, rn_sdf_leaf_heights, release};
    if (!RN_REQUIRE(NULL, def != NULL)) return NULL;
    if (!RN_REQUIRE(&def->hooks, (def->hooks.alloc == NULL) == (def->hooks.free == NULL))) return NULL;
    rn_mesh_report unread;
    if (!report) report = &unread;
    *report =
        (rn_mesh_report){.meaning = def->meaning, .vertices = def->vertex_count, .triangles = def->triangle_count};
    mesh_solid *mesh = rn_sdf_new(&solid, sizeof *mesh);
    if (!mesh) {
        rn_error_hold();
        return NULL;
    }
    mesh->shell.hooks = mesh->tree.hooks = def->hooks;
    if (build(mesh, def, report) != RN_OK) {
        rn_sdf_destroy(&mesh->node);
        rn_error_hold();
        return NULL;
    }
    if (report->meaning == RN_MESH_SHEET) mesh->node.type = &sheet;
    return &mesh->node;
}
