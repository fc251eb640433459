/* rn_sdf_mesh: triangle meshes as solids: their meaning, and their field.

   Signs come from the crossings of a vertical line, which require a shell without boundary; absolute values from the
   distance to the triangles that bound the solid. Both are exact. */
#include "terrain/mesh_solid.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/threads.h"
#include "terrain/winding.h"

#include <string.h>

rn_mesh_solid_def rn_mesh_solid_default(void) { return (rn_mesh_solid_def){.threads = 1}; }

/* The signed distance (m) to the surface, negative in solid; below the floor of ground, the value at the floor. */
static double solid_distance(const rn_sdf *self, rn_vec3 at) {
    const rn_mesh_solid *mesh = (const rn_mesh_solid *)self;
    at.z = rn_max(at.z, mesh->floor);
    const double distance = rn_tree_distance(&mesh->tree, at);
    return rn_crossings_solid(&mesh->crossings, at) ? -distance : distance;
}

/* The vertical distance (m) to where solid begins or ends, negative in solid. */
static double solid_rise(const rn_sdf *self, rn_vec3 at) {
    return rn_crossings_rise(&((const rn_mesh_solid *)self)->crossings, at);
}

/* The distance to the nearest triangle minus half the thickness (m). */
static double sheet_distance(const rn_sdf *self, rn_vec3 at) {
    const rn_mesh_solid *mesh = (const rn_mesh_solid *)self;
    return rn_tree_distance(&mesh->tree, at) - mesh->half;
}

/* Frees everything that the mesh owns; rn_sdf_destroy frees the mesh itself. */
static void release_mesh(rn_sdf *self) {
    rn_mesh_solid *mesh = (rn_mesh_solid *)self;
    const rn_hooks *hooks = &mesh->shell.hooks;
    rn_crossings_free(&mesh->crossings);
    rn_tree_free(&mesh->tree);
    rn_free(hooks, mesh->rim.arcs);
    rn_free(hooks, mesh->rest);
    rn_free(hooks, mesh->spare);
    rn_shell_free(&mesh->shell);
}

/* The meaning of a wound mesh: if it is open, ground if the sum of all normals is more than a quarter of the area
   and within 60 degrees of upright, otherwise a solid. A closed mesh is a solid. Needs open_edges and area of the
   report. */
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
typedef struct sifting {
    const rn_mesh_solid *mesh;
    rn_vec3 (*triangles)[3];
    bool *kept;
    double finest; /* most rows of sample points on one triangle */
} sifting;

/* Whether solid and open meet at a point of a triangle, given by the weights of its corners (sum 1); `off` (m) leads a
   little to one side of it. */
static bool is_boundary_at(const rn_crossings *c, const rn_vec3 t[3], const double weights[3], rn_vec3 off) {
    rn_vec3 at = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        at = (rn_vec3){at.x + weights[k] * t[k].x, at.y + weights[k] * t[k].y, at.z + weights[k] * t[k].z};
    const rn_vec3 before = {at.x + off.x, at.y + off.y, at.z + off.z};
    return rn_crossings_solid(c, before) != rn_crossings_solid(c, rn_minus(at, off));
}

/* Whether a triangle, which must have an area, bounds the solid: tests both sides at more and more points, in at most
   `finest` rows. Triangles buried in another part of the mesh, or covered by a duplicate, are not surface. */
static bool bounds_solid(const rn_mesh_solid *mesh, const rn_vec3 t[3], double finest) {
    const double size = mesh->shell.size, off = 1e-7 * size;
    const rn_vec3 normal = rn_corners_normal(t);
    const double length = rn_length(normal);
    const rn_vec3 step = {off * normal.x / length, off * normal.y / length, off * normal.z / length};
    double longest = 0;
    for (int k = 0; k < 3; k++) longest = rn_max(longest, rn_length(rn_minus(t[(k + 1) % 3], t[k])));
    const int pieces = (int)rn_clamp(ceil(100 * longest / size), 1, finest);
    for (int n = 1; n < 2 * pieces; n *= 2) {
        const int cells = n < pieces ? n : pieces;
        for (int i = 0; i < cells; i++)
            for (int k = 0; i + k < cells; k++) {
                const double u = (i + 1.0 / 3) / cells, v = (k + 1.0 / 3) / cells;
                if (is_boundary_at(&mesh->crossings, t, (const double[3]){1 - u - v, u, v}, step)) return true;
            }
    }
    return false;
}

/* A task over triangles `begin` to `end` - 1: sets s->kept for those that have an area and bound the solid; for a
   sheet, for all that have an area. */
static void sift_range(void *context, int begin, int end, int worker) {
    (void)worker;
    const sifting *s = context;
    for (int i = begin; i < end; i++)
        s->kept[i] = !rn_is_flat(s->triangles[i]) &&
                     (!s->mesh->crossings.shell || bounds_solid(s->mesh, s->triangles[i], s->finest));
}

/* The largest number of rows of points for bounds_solid() to test on each of `count` triangles, 1 to 64: fewer for many
   triangles and where lines cross many faces, so that all tests take no more than some seconds. 1 without a shell. */
static double choose_finest(const rn_mesh_solid *mesh, size_t count) {
    const double most_looks = 2e9;
    if (!mesh->crossings.shell) return 1;
    return rn_clamp(floor(sqrt(most_looks / ((double)count * rn_crossings_load(&mesh->crossings)))), 1, 64);
}

/* Writes the corners of the first or the second of two triangles between an edge of the rim and the floor of ground. */
static void hang_skirt(const rn_mesh_solid *mesh, const uint32_t arc[2], bool second, rn_vec3 to[3]) {
    const rn_vec3 a = mesh->shell.points[arc[0]], b = mesh->shell.points[arc[1]];
    const rn_vec3 low_a = {a.x, a.y, mesh->floor}, low_b = {b.x, b.y, mesh->floor};
    to[0] = b;
    to[1] = second ? low_a : a;
    to[2] = second ? low_b : low_a;
}

/* Turns a triangle, which the caller has found to have no area, into its longest side, with the second end twice. */
static void straighten_triangle(rn_vec3 t[3]) {
    int longest = 0;
    double square = -1;
    for (int k = 0; k < 3; k++) {
        const rn_vec3 edge = rn_minus(t[(k + 1) % 3], t[k]);
        if (rn_dot(edge, edge) <= square) continue;
        square = rn_dot(edge, edge);
        longest = k;
    }
    const rn_vec3 from = t[longest], to = t[(longest + 1) % 3];
    t[0] = from;
    t[1] = t[2] = to;
}

void rn_mesh_corners(const rn_mesh_solid *mesh, uint32_t source, rn_vec3 to[3]) {
    const size_t faces = mesh->shell.face_count, skirt = source - faces;
    if (source < faces) rn_face_corners_at(&mesh->shell, source, to);
    else hang_skirt(mesh, mesh->rim.arcs[skirt / 2], skirt % 2 == 1, to);
    if (rn_is_flat(to)) straighten_triangle(to);
}

/* Sets s->kept for `count` triangles, in a pool of this many threads (0: one per core) unless that is 1. Returns
   RN_MEMORY, with a message and nothing set, if memory for the pool runs out. */
static rn_result sift_all(sifting *s, size_t count, int threads) {
    const rn_hooks *hooks = &s->mesh->shell.hooks;
    if (threads == 1) {
        sift_range(s, 0, (int)count, 0);
        return RN_OK;
    }
    rn_pool *pool = rn_pool_create(hooks, threads);
    if (!pool) return rn_pool_refusal(hooks);
    rn_parallel_for(pool, (int)count, sift_range, s);
    rn_pool_destroy(pool);
    return RN_OK;
}

/* Moves the kept of `count` triangles to the front and lists their old numbers in `sources`. Returns how many are
   kept. */
static size_t drop_others(const sifting *s, uint32_t *sources, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!s->kept[i]) continue;
        for (int k = 0; k < 3; k++) s->triangles[kept][k] = s->triangles[i][k];
        sources[kept++] = (uint32_t)i;
    }
    return kept;
}

rn_result rn_mesh_plant(rn_mesh_solid *mesh, bool sifted, int threads) {
    const rn_shell *shell = &mesh->shell;
    const size_t count = shell->face_count + (mesh->meaning == RN_MESH_GROUND ? 2 * mesh->rim.count : 0);
    rn_tree made = {0};
    sifting s = {mesh, rn_alloc(&shell->hooks, count, sizeof *s.triangles), rn_alloc(&shell->hooks, count, 1),
                 choose_finest(mesh, count)};
    uint32_t *sources = rn_alloc(&shell->hooks, count, sizeof *sources);
    rn_result result = s.triangles && s.kept && sources ? RN_OK : RN_MEMORY;
    for (size_t i = 0; result == RN_OK && i < count; i++) {
        rn_mesh_corners(mesh, (uint32_t)i, s.triangles[i]);
        s.kept[i] = true;
    }
    if (result == RN_OK && sifted) result = sift_all(&s, count, threads);
    const size_t kept = result == RN_OK ? drop_others(&s, sources, count) : 0;
    rn_free(&shell->hooks, s.kept);
    if (result == RN_OK && kept == 0)
        result = rn_fail(RN_INVALID,
                         "the mesh encloses no solid: its %lld triangles lie flat against each other once holes "
                         "are closed; make it a sheet with a thickness",
                         (long long)shell->own);
    if (result != RN_OK) {
        rn_free(&shell->hooks, s.triangles);
        rn_free(&shell->hooks, sources);
        return result;
    }
    result = rn_tree_make(&shell->hooks, s.triangles, sources, kept, &made);
    rn_tree_free(result == RN_OK ? &mesh->tree : &made);
    if (result != RN_OK) return result;
    mesh->tree = made;
    mesh->sifted = kept < count;
    return RN_OK;
}

void rn_mesh_bound(rn_mesh_solid *mesh) {
    const rn_shell *shell = &mesh->shell;
    rn_box *bounds = &mesh->node.bounds;
    *bounds = rn_box_grow(shell->box, mesh->half);
    mesh->floor = mesh->meaning == RN_MESH_GROUND ? shell->box.low.z - shell->size : -INFINITY;
    if (mesh->meaning != RN_MESH_GROUND) return;
    rn_sdf_set_slab(&mesh->node, (rn_vec3){0, 0, 1}, bounds->low.z, bounds->high.z, 1);
    bounds->low.z = -INFINITY;
}

/* The spacing (m) of the skin around scattered triangles: 1/64 of the longest side, or up to 1/40 if they are few: few
   triangles have few details, and each of them must be looked at from almost everywhere. */
static double skin_spacing(const rn_shell *shell) {
    return shell->size / rn_clamp(4 * sqrt((double)shell->own), 40, 64);
}

/* Wraps the triangles in a new shell, with new crossings, if the filled loops enclose much less than the winding
   numbers say is solid; otherwise changes nothing. On failure returns RN_MEMORY or RN_LIMIT, with a message; then there
   are no crossings, and the shell may be empty. */
static rn_result wrap_scattered(rn_mesh_solid *mesh, const rn_winding *w, const rn_mesh_solid_def *def,
                                rn_mesh_report *report) {
    rn_shell *shell = &mesh->shell;
    if (!rn_winding_misses(w, &mesh->crossings, &shell->box)) return RN_OK;
    rn_crossings_free(&mesh->crossings);
    rn_result result =
        rn_shell_wrap(shell, w, def->spacing > 0 ? def->spacing : skin_spacing(shell), def->threads, report);
    return result == RN_OK ? rn_crossings_make(shell, true, &mesh->crossings) : result;
}

/* Closes all holes of a solid, turns its parts outwards and makes its crossings; wraps it instead if that misses much
   of it. On failure returns a code, with a message. */
static rn_result close_solid(rn_mesh_solid *mesh, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    rn_shell *shell = &mesh->shell;
    rn_winding winding = {0};
    const bool open = report->open_edges > 0;
    rn_result result = open ? rn_winding_make(shell, &winding) : RN_OK;
    if (result == RN_OK) result = rn_shell_close(shell, RN_CLOSE_ALL, report, &mesh->rim);
    if (result == RN_OK) result = rn_shell_turn_out(shell, report);
    if (result == RN_OK) result = rn_crossings_make(shell, true, &mesh->crossings);
    if (result == RN_OK && open) result = wrap_scattered(mesh, &winding, def, report);
    if (open) rn_winding_free(&winding);
    return result;
}

/* Closes the inner holes of ground, turns it up and makes its crossings; the longest loop of each part stays open, as
   its rim. On failure returns a code, with a message. */
static rn_result close_ground(rn_mesh_solid *mesh, rn_mesh_report *report) {
    rn_result result = rn_shell_close(&mesh->shell, RN_CLOSE_INNER, report, &mesh->rim);
    if (result == RN_OK) result = rn_shell_turn_up(&mesh->shell, report);
    return result == RN_OK ? rn_crossings_make(&mesh->shell, false, &mesh->crossings) : result;
}

/* From a wound shell to the field: closes it according to report->meaning, which must be decided, sets the bounds, and
   makes the tree. On failure returns a code, with a message. */
static rn_result close_and_plant(rn_mesh_solid *mesh, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    const bool sheet = report->meaning == RN_MESH_SHEET, ground = report->meaning == RN_MESH_GROUND;
    rn_result result = sheet    ? rn_shell_close(&mesh->shell, RN_CLOSE_NONE, report, &mesh->rim)
                       : ground ? close_ground(mesh, report)
                                : close_solid(mesh, def, report);
    mesh->meaning = report->meaning;
    mesh->half = sheet ? def->thickness / 2 : 0;
    rn_mesh_bound(mesh);
    const bool wrapped = report->wrapped > 0; /* all faces of the skin bound the solid */
    return result == RN_OK ? rn_mesh_plant(mesh, !wrapped, def->threads) : result;
}

/* Turns a shell, which is empty but for its hooks, into a wound one, and fills the report so far, with the meaning. On
   failure returns the code and message of rn_shell_mend or rn_shell_wind; the caller frees the shell in any case. */
static rn_result make_shell(rn_shell *shell, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    *report =
        (rn_mesh_report){.meaning = def->meaning, .vertices = def->vertex_count, .triangles = def->triangle_count};
    rn_result result = rn_shell_mend(shell, def, report);
    if (result == RN_OK) result = rn_shell_wind(shell, report);
    if (result == RN_OK && def->meaning == RN_MESH_AUTO) report->meaning = guess_meaning(shell, report);
    return result;
}

rn_result rn_mesh_examine(const rn_mesh_solid_def *def, rn_mesh_report *report) {
    rn_shell shell = {.hooks = def->hooks};
    const rn_result result = make_shell(&shell, def, report);
    rn_shell_free(&shell);
    return result;
}

/* Builds the field of a mesh, which is empty but for hooks, transform and pose, from its definition, and fills the
   report. On failure returns a code, with a message; the caller then destroys the mesh. */
static rn_result build_field(rn_mesh_solid *mesh, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    const rn_result result = make_shell(&mesh->shell, def, report);
    return result == RN_OK ? close_and_plant(mesh, def, report) : result;
}

static const rn_sdf_class solid_class = {solid_distance, solid_rise, rn_sdf_leaf_heights, release_mesh};
static const rn_sdf_class sheet_class = {sheet_distance, sheet_distance, rn_sdf_leaf_heights, release_mesh};

const rn_mesh_solid *rn_mesh_solid_in(const rn_sdf *shape) {
    const bool is_mesh = shape->type == &solid_class || shape->type == &sheet_class;
    return is_mesh ? (const rn_mesh_solid *)shape : NULL;
}

rn_mesh_solid *rn_mesh_solid_of(rn_sdf *shape) { return (rn_mesh_solid *)rn_mesh_solid_in(shape); }

rn_sdf *rn_sdf_mesh(const rn_mesh_solid_def *def, rn_mesh_report *report) {
    if (!RN_REQUIRE(NULL, def != NULL)) return NULL;
    if (!RN_REQUIRE(&def->hooks, (def->hooks.alloc == NULL) == (def->hooks.free == NULL))) return NULL;
    rn_mesh_report unread;
    if (!report) report = &unread;
    *report = (rn_mesh_report){.meaning = def->meaning};
    rn_mesh_solid *mesh = rn_sdf_new(&solid_class, sizeof *mesh);
    if (!mesh) {
        rn_error_hold();
        return NULL;
    }
    mesh->shell.hooks = mesh->tree.hooks = def->hooks;
    mesh->vertex_count = def->vertex_count;
    mesh->pose = rn_pose_identity();
    mesh->transform = rn_mesh_transform(def);
    if (build_field(mesh, def, report) != RN_OK) {
        rn_sdf_destroy(&mesh->node);
        rn_error_hold();
        return NULL;
    }
    if (report->meaning == RN_MESH_SHEET) mesh->node.type = &sheet_class;
    return &mesh->node;
}
