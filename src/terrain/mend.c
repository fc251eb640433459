/* rn_shell_mend: turns triangles as given into a shell: transforms and merges their vertices, and drops unusable
   triangles, all in linear time. */
#include "base/hash.h"
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/shell.h"

#include <string.h>

static const uint32_t most_triangles = UINT32_C(1) << 26;
static const uint32_t nothing = UINT32_MAX;

/* Vertices closer than this share of the longest side are merged: only rounding errors of floats. */
static const double join_part = 1e-7;

/* Returns RN_INVALID or RN_LIMIT (too many triangles), with a message, unless the definition has triangles and all its
   numbers are in range. Does not look at the vertices and indices. */
static rn_result check_def(const rn_mesh_solid_def *def) {
    if (!def->positions || !def->indices || def->triangle_count == 0)
        return rn_fail(RN_INVALID, "the mesh has no triangles; it must have at least one");
    if (def->triangle_count > most_triangles)
        return rn_fail(RN_LIMIT, "the mesh has %lld triangles; at most 2^26 are allowed",
                       (long long)def->triangle_count);
    for (int i = 0; i < 12; i++)
        if (!isfinite(def->transform[i / 4][i % 4]))
            return rn_fail(RN_INVALID, "a number of the mesh's transform is %g; all must be finite",
                           def->transform[i / 4][i % 4]);
    if (!(def->join >= 0 && def->join <= RN_SDF_REACH))
        return rn_fail(RN_INVALID, "join is %g m; it must be 0 or more, and at most %g m", def->join, RN_SDF_REACH);
    if (!(def->spacing >= 0 && def->spacing <= RN_SDF_REACH))
        return rn_fail(RN_INVALID, "spacing is %g m; it must be 0 or more, and at most %g m", def->spacing,
                       RN_SDF_REACH);
    if (def->threads < 0) return rn_fail(RN_INVALID, "threads is %d; it must be 0 or more", def->threads);
    if (def->meaning == RN_MESH_SHEET && !(def->thickness >= RN_SDF_LEAST && def->thickness <= RN_SDF_REACH))
        return rn_fail(RN_INVALID, "the thickness of the sheet is %g m; it must lie between %g and %g m",
                       def->thickness, RN_SDF_LEAST, RN_SDF_REACH);
    return RN_OK;
}

/* Memory that is needed only until the shell is made. */
typedef struct mending {
    const rn_mesh_solid_def *def;
    rn_shell *shell;
    rn_mesh_report *report;
    rn_vec3 *placed;  /* of each vertex (m); x is NAN if a coordinate is not usable; later of each point */
    uint32_t *points; /* for each vertex its point; `nothing` if no usable triangle has it */
    uint32_t *heads;  /* first entry of each hash bucket: points, or faces */
    uint32_t *next;   /* next entry of the bucket */
    uint32_t mask;
    bool mirrored; /* the transform reverses triangles */
} mending;

rn_rows rn_mesh_transform(const rn_mesh_solid_def *def) {
    bool given = false;
    rn_rows rows;
    for (int i = 0; i < 12; i++) given = given || def->transform[i / 4][i % 4] != 0;
    for (int i = 0; i < 12; i++) rows.m[i / 4][i % 4] = given ? def->transform[i / 4][i % 4] : i % 4 == i / 4;
    return rows;
}

/* Sets m->placed to all vertices after the transform (m); x becomes NAN if a coordinate is not finite or too far. */
static void place_vertices(const mending *m) {
    const rn_rows rows = rn_mesh_transform(m->def);
    for (size_t v = 0; v < m->def->vertex_count; v++) {
        const rn_vec3 at = rn_vertex_place(&rows, m->def->positions + 3 * v);
        const bool good = fabs(at.x) <= RN_SDF_REACH && fabs(at.y) <= RN_SDF_REACH && fabs(at.z) <= RN_SDF_REACH;
        m->placed[v] = (rn_vec3){good ? at.x : (double)NAN, at.y, at.z};
    }
}

/* Extends a box to contain three points. */
static void extend_box(rn_box *box, const rn_vec3 at[3]) {
    for (int k = 0; k < 3; k++) {
        const rn_vec3 p = at[k];
        box->low = (rn_vec3){rn_min(box->low.x, p.x), rn_min(box->low.y, p.y), rn_min(box->low.z, p.z)};
        box->high = (rn_vec3){rn_max(box->high.x, p.x), rn_max(box->high.y, p.y), rn_max(box->high.z, p.z)};
    }
}

/* Marks the vertices of usable triangles in m->points (0; others `nothing`), counts unusable ones in the report, and
   sets box and size of the shell. Triangles without area may lie far away, and must not enlarge that box so that all
   vertices are merged. Returns RN_INVALID, with a message, if no triangle can be used, or the mesh is too small. */
static rn_result find_usable(const mending *m) {
    const rn_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    rn_box box = empty, flat = empty;
    for (size_t v = 0; v < m->def->vertex_count; v++) m->points[v] = nothing;
    for (size_t t = 0; t < m->def->triangle_count; t++) {
        const uint32_t *corner = m->def->indices + 3 * t;
        bool there = true, finite = true;
        for (int k = 0; k < 3; k++) there = there && corner[k] < m->def->vertex_count;
        for (int k = 0; there && k < 3; k++) finite = finite && !isnan(m->placed[corner[k]].x);
        m->report->bad_indices += !there;
        m->report->non_finite += !finite;
        if (!there || !finite) continue;
        const rn_vec3 at[3] = {m->placed[corner[0]], m->placed[corner[1]], m->placed[corner[2]]};
        const bool is_flat = rn_is_flat(at);
        extend_box(is_flat ? &flat : &box, at);
        for (int k = 0; !is_flat && k < 3; k++) m->points[corner[k]] = 0;
    }
    if (!(box.low.x <= box.high.x)) box = flat;
    m->shell->box = box;
    m->shell->size = rn_max(rn_max(box.high.x - box.low.x, box.high.y - box.low.y), box.high.z - box.low.z);
    if (!(box.low.x <= box.high.x))
        return rn_fail(
            RN_INVALID,
            "none of the mesh's %lld triangles can be used: %lld name vertices that are not there, %lld have "
            "coordinates that are not finite or beyond %g m",
            (long long)m->report->triangles, (long long)m->report->bad_indices, (long long)m->report->non_finite,
            RN_SDF_REACH);
    if (m->shell->size < RN_SDF_LEAST)
        return rn_fail(RN_INVALID, "the mesh is %g m across; it must be at least %g m: check its unit", m->shell->size,
                       RN_SDF_LEAST);
    return RN_OK;
}

/* Creates empty hash buckets for `count` points or faces, in place of the old ones. Returns false, with a message, if
   memory runs out. */
static bool make_buckets(mending *m, size_t count) {
    size_t buckets = 64;
    while (buckets < 2 * count) buckets *= 2;
    rn_free(&m->shell->hooks, m->heads);
    rn_free(&m->shell->hooks, m->next);
    m->heads = rn_alloc(&m->shell->hooks, buckets, sizeof *m->heads);
    m->next = rn_alloc(&m->shell->hooks, count, sizeof *m->next);
    if (!m->heads || !m->next) return false;
    for (size_t i = 0; i < buckets; i++) m->heads[i] = nothing;
    m->mask = (uint32_t)(buckets - 1);
    return true;
}

/* The hash bucket for a cell of space, or for the three corners of a face. */
static uint32_t bucket_of(const mending *m, const int64_t cell[3]) {
    uint64_t hash = RN_HASH_START;
    for (int a = 0; a < 3; a++) hash = rn_hash_long(hash, (uint64_t)cell[a]);
    return (uint32_t)(hash ^ hash >> 32) & m->mask;
}

/* A point found so far within `reach` (m) of p, or `nothing`. Points are farther apart than that, so a cell of the
   hash, `cell_size` (m) wide, a few times `reach`, contains only a few. */
static uint32_t find_point(const mending *m, rn_vec3 p, double reach, double cell_size) {
    const double at[3] = {p.x - m->shell->box.low.x, p.y - m->shell->box.low.y, p.z - m->shell->box.low.z};
    int64_t low[3], high[3], cell[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int64_t)floor((at[a] - reach) / cell_size);
        high[a] = (int64_t)floor((at[a] + reach) / cell_size);
    }
    for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
                for (uint32_t i = m->heads[bucket_of(m, cell)]; i != nothing; i = m->next[i]) {
                    const rn_vec3 off = rn_minus(m->placed[i], p);
                    if (rn_dot(off, off) <= reach * reach) return i;
                }
    return nothing;
}

/* Creates the points of the shell, one for all marked vertices within the merging distance of it, and sets m->points to
   the point of each vertex. m->placed then has the points. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result join_vertices(mending *m) {
    rn_shell *shell = m->shell;
    /* the number of cells must fit in 64 bits */
    const double reach = rn_max(m->def->join > 0 ? m->def->join : join_part * shell->size, 1e-15 * shell->size);
    const double cell_size = 4 * reach;
    if (!make_buckets(m, m->def->vertex_count)) return RN_MEMORY;
    for (size_t v = 0; v < m->def->vertex_count; v++) {
        if (m->points[v] == nothing) continue;
        const rn_vec3 p = m->placed[v];
        m->points[v] = find_point(m, p, reach, cell_size);
        m->report->joined += m->points[v] != nothing;
        if (m->points[v] != nothing) continue;
        const uint32_t point = (uint32_t)shell->point_count++;
        const int64_t cell[3] = {(int64_t)floor((p.x - shell->box.low.x) / cell_size),
                                 (int64_t)floor((p.y - shell->box.low.y) / cell_size),
                                 (int64_t)floor((p.z - shell->box.low.z) / cell_size)};
        uint32_t *head = &m->heads[bucket_of(m, cell)];
        m->points[v] = point;
        m->placed[point] = p; /* there are no more points than vertices so far */
        m->next[point] = *head;
        *head = point;
    }
    shell->points = rn_alloc(&shell->hooks, shell->point_count, sizeof *shell->points);
    shell->vertices = rn_alloc(&shell->hooks, shell->point_count, sizeof *shell->vertices);
    if (!shell->points || !shell->vertices) return RN_MEMORY;
    memcpy(shell->points, m->placed, shell->point_count * sizeof *shell->points);
    for (size_t v = 0, next = 0; next < shell->point_count; v++) /* points are numbered in the order of vertices */
        if (m->points[v] == next) shell->vertices[next++] = (uint32_t)v;
    return RN_OK;
}

/* Sorts three numbers in ascending order. */
static void sort_three(uint32_t v[3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (v[k] > v[k + 1]) {
                const uint32_t kept = v[k];
                v[k] = v[k + 1];
                v[k + 1] = kept;
            }
}

/* Whether a face with the same three corners, in any order, exists already. If not, stores this one in its bucket as
   number `newest`. */
static bool is_double(const mending *m, const uint32_t corners[3], uint32_t newest) {
    uint32_t sorted[3] = {corners[0], corners[1], corners[2]};
    sort_three(sorted);
    uint32_t *head = &m->heads[bucket_of(m, (const int64_t[3]){sorted[0], sorted[1], sorted[2]})];
    for (uint32_t f = *head; f != nothing; f = m->next[f]) {
        uint32_t other[3] = {m->shell->faces[f][0], m->shell->faces[f][1], m->shell->faces[f][2]};
        sort_three(other);
        if (other[0] == sorted[0] && other[1] == sorted[1] && other[2] == sorted[2]) return true;
    }
    m->next[newest] = *head;
    *head = newest;
    return false;
}

/* Creates the faces of the shell from triangles that have an area and are not duplicates, reversed if the transform
   mirrors. Counts the others in the report. On failure returns RN_INVALID (none is left) or RN_MEMORY, with a
   message. */
static rn_result gather_faces(mending *m) {
    rn_shell *shell = m->shell;
    shell->faces = rn_alloc(&shell->hooks, m->def->triangle_count, sizeof *shell->faces);
    if (!shell->faces || !make_buckets(m, m->def->triangle_count)) return RN_MEMORY;
    for (size_t t = 0; t < m->def->triangle_count; t++) {
        const uint32_t *corner = m->def->indices + 3 * t;
        uint32_t face[3] = {nothing, nothing, nothing};
        for (int k = 0; k < 3; k++)
            if (corner[k] < m->def->vertex_count) face[k] = m->points[corner[k]];
        if (face[0] == nothing || face[1] == nothing || face[2] == nothing) continue;
        const rn_vec3 at[3] = {shell->points[face[0]], shell->points[face[1]], shell->points[face[2]]};
        if (rn_is_flat(at)) continue;
        if (is_double(m, face, (uint32_t)shell->face_count)) {
            m->report->doubles++;
        } else {
            for (int k = 0; k < 3; k++) shell->faces[shell->face_count][k] = face[k];
            if (m->mirrored) rn_face_turn(shell->faces[shell->face_count]);
            shell->face_count++;
        }
    }
    shell->own = shell->face_count;
    rn_mesh_report *report = m->report;
    report->used = (int64_t)shell->face_count;
    report->degenerate = report->triangles - report->bad_indices - report->non_finite - report->doubles - report->used;
    if (shell->face_count > 0) return RN_OK;
    return rn_fail(RN_INVALID,
                   "none of the mesh's %lld triangles can be used: %lld have no area, %lld name vertices that are not "
                   "there, %lld have coordinates that are not finite or beyond %g m",
                   (long long)report->triangles, (long long)report->degenerate, (long long)report->bad_indices,
                   (long long)report->non_finite, RN_SDF_REACH);
}

rn_result rn_shell_mend(rn_shell *shell, const rn_mesh_solid_def *def, rn_mesh_report *report) {
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    mending m = {.def = def, .shell = shell, .report = report, .mirrored = rn_determinant(def->transform) < 0};
    m.placed = rn_alloc(&shell->hooks, def->vertex_count, sizeof *m.placed);
    m.points = rn_alloc(&shell->hooks, def->vertex_count, sizeof *m.points);
    if (m.placed && m.points) {
        place_vertices(&m);
        result = find_usable(&m);
        if (result == RN_OK) result = join_vertices(&m);
        if (result == RN_OK) result = gather_faces(&m);
    } else {
        result = RN_MEMORY;
    }
    report->low = shell->box.low;
    report->high = shell->box.high;
    void *const scratch[] = {m.placed, m.points, m.heads, m.next};
    for (int i = 0; i < 4; i++) rn_free(&shell->hooks, scratch[i]);
    return result;
}

void rn_shell_free(rn_shell *shell) {
    void *const all[] = {shell->points, shell->vertices, shell->faces, shell->parts};
    for (int i = 0; i < 4; i++) rn_free(&shell->hooks, all[i]);
    *shell = (rn_shell){.hooks = shell->hooks};
}
