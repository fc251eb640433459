/* The kinds of export files, and writing a run in any of them (include/runnel/io.h, writer.h). Failures leave the
   reason in rn_last_error(). */
#include "io/write/writer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "io/file/whole_file.h"
#include "io/write/compact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are listed to users. */
static const rn_export_writer *const writers[] = {
    &rn_writer_ply, &rn_writer_obj, &rn_writer_glb, &rn_writer_gltf, &rn_writer_usda,
    &rn_writer_vtp, &rn_writer_vti, &rn_writer_npy, &rn_writer_nc,   &rn_writer_tif,
};
enum { KINDS = sizeof writers / sizeof writers[0] };

struct rn_export {
    rn_export_job job;
    rn_export_grid grid;
    rn_mesh_copy copies[3]; /* of surface, ground and bodies, where they have vertices that no triangle uses */
    void *states[KINDS];
    bool open[KINDS];
};

/* ---- Kinds ----------------------------------------------------------------------------------------------------- */

const rn_export_kind *rn_export_kind_at(int index) {
    return index >= 0 && index < KINDS ? &writers[index]->kind : NULL;
}

/* Whether the bit of a kind (its index in `writers`) is set in `kinds`. */
static bool has_kind(uint32_t kinds, int kind) { return (kinds >> kind & 1) != 0; }

unsigned rn_export_needed(uint32_t kinds) {
    unsigned needs = 0;
    for (int i = 0; i < KINDS; i++)
        if (has_kind(kinds, i)) needs |= writers[i]->kind.needs;
    return needs;
}

/* Returns RN_INVALID, with a message that lists all kinds; `name`, of `length` bytes, is the unknown one. */
static rn_result fail_unknown_kind(const char *name, size_t length) {
    char known[256] = "";
    for (int i = 0; i < KINDS; i++) {
        strncat(known, i == 0 ? "" : i + 1 < KINDS ? ", " : " and ", sizeof known - strlen(known) - 1);
        strncat(known, writers[i]->kind.name, sizeof known - strlen(known) - 1);
    }
    return rn_fail(RN_INVALID, "\"%.*s\" is not a kind of file that can be written; the kinds are %s",
                   (int)(length < 60 ? length : 60), name, known);
}

/* Sets the bit of the kind with this name, of `length` bytes, in *kinds. Returns RN_INVALID if there is none, or this
   build lacks its library. */
static rn_result choose_kind(const char *name, size_t length, uint32_t *kinds) {
    for (int i = 0; i < KINDS; i++) {
        const rn_export_kind *kind = &writers[i]->kind;
        if (strlen(kind->name) != length || strncmp(kind->name, name, length) != 0) continue;
        if (kind->without)
            return rn_fail(RN_INVALID, "%s: this runnel was built without %s; install it and build again", kind->name,
                           kind->without);
        *kinds |= (uint32_t)1 << i;
        return RN_OK;
    }
    return fail_unknown_kind(name, length);
}

rn_result rn_export_choose(const char *names, uint32_t *kinds) {
    if (!RN_REQUIRE(NULL, names != NULL && kinds != NULL)) return RN_INVALID;
    for (;;) {
        const size_t length = strcspn(names, ",");
        const rn_result result = choose_kind(names, length, kinds);
        if (result != RN_OK || !names[length]) return result;
        names += length + 1;
    }
}

/* Returns the number (4 to 9 digits) in a file's name if the name matches a pattern of rn_export_kind.files, of
   `length` bytes, in which # stands for the number; 0 if it matches a pattern without #; -1 if it does not match. */
static int match_pattern(const char *pattern, size_t length, const char *name) {
    const char *mark = memchr(pattern, '#', length);
    const size_t before = mark ? (size_t)(mark - pattern) : length;
    if (strncmp(name, pattern, before) != 0) return -1;
    if (!mark) return name[before] ? -1 : 0;
    const char *digits = name + before;
    const size_t count = strspn(digits, "0123456789"), after = length - before - 1;
    if (count < 4 || count > 9 || strlen(digits + count) != after || memcmp(digits + count, mark + 1, after) != 0)
        return -1;
    return atoi(digits);
}

int rn_export_file_frame(const char *name) {
    for (int i = 0; i < KINDS; i++) {
        const char *pattern = writers[i]->kind.files;
        while (*pattern) {
            const size_t length = strcspn(pattern, " ");
            const int frame = match_pattern(pattern, length, name);
            if (frame >= 0) return frame;
            pattern += length + (pattern[length] == ' ');
        }
    }
    return -1;
}

/* ---- Meshes in separate files ---------------------------------------------------------------------------------- */

/* Checks a mesh and writes it to a file of its own, completely or not at all. On failure returns RN_FILE, RN_INVALID if
   the mesh is invalid, or RN_LIMIT if it is too large for this kind. */
static rn_result write_mesh_file(const rn_export_writer *writer, const char *path, const rn_mesh *mesh,
                                 const rn_mesh_style *style) {
    rn_result result = rn_mesh_check(path, mesh);
    if (result != RN_OK) return result;
    if (writer->fits && !writer->fits(mesh))
        return rn_fail(RN_LIMIT, "%s: a file of this kind can hold 4 GiB at most, and this mesh needs more; write .ply",
                       path);
    rn_whole_file file;
    result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    writer->write_mesh(file.stream, mesh, style);
    return rn_whole_file_keep(&file);
}

rn_result rn_mesh_write(const char *path, const rn_mesh *mesh) {
    if (!RN_REQUIRE(NULL, path != NULL && mesh != NULL)) return RN_INVALID;
    const char *point = strrchr(rn_path_name(path), '.');
    for (int i = 0; i < KINDS; i++)
        if (writers[i]->mesh_ending && point && strcmp(point + 1, writers[i]->mesh_ending) == 0)
            return write_mesh_file(writers[i], path, mesh, &(rn_mesh_style){.axes.per_metre = 1.0f, .time = -1});
    return rn_fail(RN_INVALID,
                   "%s: meshes are written as .ply or .obj, or as .glb or .vtp; give the file a name that ends so",
                   path);
}

/* Writes the ground, surface and bodies of a frame, as far as there are any, each to a separate file. Only kinds with
   `turns` get the axes and unit of the export, the others m and z up. If the export does not say what is up, the kind
   decides. Stops at the first failure. */
static rn_result write_meshes(const rn_export_job *job, const rn_export_writer *writer, const rn_export_frame *frame) {
    const struct {
        const char *name;
        const rn_mesh *mesh;
        const rn_material *material;
    } parts[] = {{"terrain", frame->ground, &job->ground},
                 {"surface", frame->surface, &job->liquid},
                 {"bodies", frame->bodies, &job->bodies}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i].mesh) continue;
        char path[RN_EXPORT_PATH];
        rn_result result = rn_export_path(job, parts[i].name, frame->number, writer->mesh_ending, path);
        rn_axes axes = writer->kind.turns ? job->axes : (rn_axes){.per_metre = 1.0f};
        if (job->def.up == RN_UP_UNKNOWN) axes.y_up = writer->y_up;
        const rn_mesh_style style = {
            .material = parts[i].material, .axes = axes, .time = frame->time, .georeference = job->def.georeference};
        if (result == RN_OK) result = write_mesh_file(writer, path, parts[i].mesh, &style);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* ---- A run ----------------------------------------------------------------------------------------------------- */

/* Returns RN_INVALID if the unit, the up axis, or the scale or origin of the georeference is invalid. */
static rn_result check_def(const rn_export_def *def) {
    const rn_georeference *g = &def->georeference;
    if (def->unit < 0 || !isfinite(def->unit))
        return rn_fail(RN_INVALID, "the unit of an export is %g m; it must be more than 0", def->unit);
    if (def->up != RN_UP_UNKNOWN && def->up != RN_UP_Y && def->up != RN_UP_Z)
        return rn_fail(RN_INVALID, "up of an export is %d; it must be RN_UP_Y, RN_UP_Z or RN_UP_UNKNOWN", (int)def->up);
    if (g->scale[0] == 0 && g->scale[1] == 0) return RN_OK;
    if (!(g->scale[0] > 0 && g->scale[1] > 0 && isfinite(g->scale[0]) && isfinite(g->scale[1])))
        return rn_fail(RN_INVALID,
                       "the scale of an export's georeference is %g, %g; both must be above 0, or both 0 for none",
                       g->scale[0], g->scale[1]);
    for (int i = 0; i < 3; i++)
        if (!isfinite(g->origin[i]))
            return rn_fail(RN_INVALID, "the origin of an export's georeference is %g, %g, %g; it must be finite",
                           g->origin[0], g->origin[1], g->origin[2]);
    return RN_OK;
}

/* Sets job->crs, and the coordinate system of job->def, to a copy as rn_export_wkt makes it. Clears the whole
   georeference of a run that has no place on a map. Returns RN_MEMORY if memory runs out. */
static rn_result keep_crs(rn_export_job *job) {
    rn_georeference *g = &job->def.georeference;
    if (!(g->scale[0] > 0)) *g = (rn_georeference){0};
    const rn_result result = rn_export_wkt(g->crs, &job->def.hooks, &job->crs);
    g->crs = job->crs;
    return result;
}

rn_result rn_export_open(const rn_export_def *def, rn_export **export_) {
    if (!RN_REQUIRE(def ? &def->hooks : NULL, def && export_ && def->folder)) return RN_INVALID;
    *export_ = NULL;
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    rn_export *e = rn_alloc(&def->hooks, 1, sizeof *e);
    if (!e) return RN_MEMORY;
    e->job.def = *def;
    if (!(e->job.def.frame_time > 0)) e->job.def.frame_time = 1.0 / 24;
    if (!(e->job.def.unit > 0)) e->job.def.unit = 1;
    e->job.axes = (rn_axes){(float)(1 / e->job.def.unit), def->up == RN_UP_Y};
    e->job.liquid = rn_material_liquid(&def->liquid, def->full_depth);
    e->job.ground = rn_material_ground(def->ground, def->gloss);
    e->job.bodies = rn_material_bodies();
    result = keep_crs(&e->job);
    for (int i = 0; i < KINDS && result == RN_OK; i++) {
        if (!has_kind(def->kinds, i)) continue;
        if (writers[i]->open) result = writers[i]->open(&e->job, &e->states[i]);
        e->open[i] = result == RN_OK;
    }
    if (result == RN_OK) *export_ = e;
    else rn_export_close(e);
    return result;
}

/* Replaces the meshes of a frame by copies without vertices that no triangle uses, where there are any; the copies last
   until the next frame. Returns RN_MEMORY if memory runs out. */
static rn_result compact_meshes(rn_export *e, rn_export_frame *frame) {
    const rn_mesh **const meshes[] = {&frame->surface, &frame->ground, &frame->bodies};
    rn_result result = RN_OK;
    for (int i = 0; i < 3 && result == RN_OK; i++)
        if (*meshes[i]) result = rn_mesh_compact(*meshes[i], &e->job.def.hooks, &e->copies[i], meshes[i]);
    return result;
}

rn_result rn_export_add(rn_export *e, const rn_export_frame *frame) {
    if (!RN_REQUIRE(e ? &e->job.def.hooks : NULL, e && frame)) return RN_INVALID;
    const unsigned needs = rn_export_needed(e->job.def.kinds);
    rn_result result = RN_OK;
    rn_export_moment moment = {.frame = *frame};
    if (needs & RN_EXPORT_MESHES) result = compact_meshes(e, &moment.frame);
    if (result == RN_OK && (needs & RN_EXPORT_COLUMNS)) {
        result = rn_export_grid_fill(&e->grid, &e->job.def, frame->columns);
        moment.grid = &e->grid;
    }
    for (int i = 0; i < KINDS && result == RN_OK; i++) {
        if (!e->open[i]) continue;
        if (writers[i]->mesh_ending) result = write_meshes(&e->job, writers[i], &moment.frame);
        if (result == RN_OK && writers[i]->add) result = writers[i]->add(&e->job, e->states[i], &moment);
    }
    return result;
}

rn_result rn_export_add_columns(rn_export *e, double time, const rn_surface_columns *columns) {
    if (!RN_REQUIRE(e ? &e->job.def.hooks : NULL, e && columns)) return RN_INVALID;
    if (!(rn_export_needed(e->job.def.kinds) & RN_EXPORT_WATCH)) return RN_OK;
    return rn_export_maxima_add(&e->job.maxima, &e->job.def, time, columns);
}

rn_result rn_export_close(rn_export *e) {
    if (!e) return RN_OK;
    rn_result result = RN_OK;
    for (int i = 0; i < KINDS; i++) {
        if (!e->open[i] || !writers[i]->close) continue;
        const rn_result closed = writers[i]->close(&e->job, e->states[i]);
        if (result == RN_OK) result = closed;
    }
    const rn_hooks hooks = e->job.def.hooks;
    rn_export_grid_free(&e->grid, &hooks);
    for (int i = 0; i < 3; i++) rn_mesh_copy_free(&e->copies[i], &hooks);
    rn_export_maxima_free(&e->job.maxima, &hooks);
    rn_free(&hooks, e->job.crs);
    rn_free(&hooks, e);
    return result;
}
