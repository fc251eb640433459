/* Exports frames of a run to files for other tools (export.h). export_understand() checks the options; export_open()
   starts the thread that writes; export_frame() copies a frame into the queue; export_finish() and export_close() end
   it. */
#include "output/export.h"

#include "common/progress.h"

#include <string.h>

/* ---- Options --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double metres;
} units[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}};

/* Lists the kinds of files that --export-unit and --export-up apply to, such as "ply, obj, usda", cut off if too long.
   Returns `text`. */
static const char *list_turning_kinds(char text[64]) {
    const rn_export_kind *kind;
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; (kind = rn_export_kind_at(i)) && length < 64; i++)
        if (kind->turns) length += (size_t)snprintf(text + length, 64 - length, "%s%s", length ? ", " : "", kind->name);
    return text;
}

void export_help(FILE *file) {
    char kinds[64];
    fputs("  --export KINDS    also write files for other tools; separate several kinds by commas:\n", file);
    const rn_export_kind *kind;
    for (int i = 0; (kind = rn_export_kind_at(i)); i++)
        fprintf(file, "                      %-5s %s%s\n", kind->name, kind->about,
                kind->without ? " (not in this build)" : "");
    fprintf(file,
            "  --export-every N  every Nth frame only (default: as --every)\n"
            "  --export-at-end   the last frame only\n"
            "  --export-unit U   m (default), cm or mm, for %s\n"
            "  --export-up AXIS  y or z, for the same (default: y for obj, z for the others)\n"
            "  --export-wet D    liquid counts as arrived once it is more than D metres deep (default: 0), for tif\n",
            list_turning_kinds(kinds));
}

/* Returns true if option `name`, --export-unit or --export-up, applies to at least one of the chosen kinds; else prints
   an error. */
static bool applies_to_chosen(const export_options *o, const char *name) {
    const rn_export_kind *kind;
    char kinds[64];
    for (int i = 0; (kind = rn_export_kind_at(i)); i++)
        if ((o->chosen >> i & 1) && kind->turns) return true;
    complain("runnel run: %s changes none of these files, which have a unit and axes of their own; it is for %s", name,
             list_turning_kinds(kinds));
    return false;
}

/* Sets o->unit_in_metre from --export-unit, 1 if it was not given. Needs o->chosen. Returns false after printing an
   error if the unit is unknown or changes none of the chosen kinds. */
static bool understand_unit(export_options *o) {
    o->unit_in_metre = 1;
    if (!o->unit) return true;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(o->unit, units[i].name) != 0) continue;
        o->unit_in_metre = units[i].metres;
        return applies_to_chosen(o, "--export-unit");
    }
    complain("runnel run: --export-unit is \"%.60s\"; it must be m, cm or mm", o->unit);
    return false;
}

/* Checks --export-up, which may be missing. Needs o->chosen. Returns false after printing an error if the axis is
   unknown or changes none of the chosen kinds. */
static bool understand_up(const export_options *o) {
    if (!o->up) return true;
    if (strcmp(o->up, "y") == 0 || strcmp(o->up, "z") == 0) return applies_to_chosen(o, "--export-up");
    complain("runnel run: --export-up is \"%.60s\"; it must be y or z", o->up);
    return false;
}

bool export_understand(export_options *o) {
    for (int i = 0; i < o->kinds.count; i++)
        if (rn_export_choose(o->kinds.texts[i], &o->chosen) != RN_OK) {
            complain("runnel run: --export: %s", rn_last_error());
            return false;
        }
    const char *given = o->unit        ? "--export-unit"
                        : o->up        ? "--export-up"
                        : o->every > 0 ? "--export-every"
                        : o->at_end    ? "--export-at-end"
                        : o->wet > 0   ? "--export-wet"
                                       : NULL;
    if (given && !o->chosen) {
        complain("runnel run: %s has no effect without --export", given);
        return false;
    }
    if (o->every > 0 && o->at_end) {
        complain("runnel run: give --export-every or --export-at-end, not both");
        return false;
    }
    return understand_unit(o) && understand_up(o);
}

void export_print_options(const export_options *o) {
    for (int i = 0; i < o->kinds.count; i++) printf(" --export %s", o->kinds.texts[i]);
    if (o->every) printf(" --export-every %d", o->every);
    if (o->at_end) fputs(" --export-at-end", stdout);
    if (o->unit) printf(" --export-unit %s", o->unit);
    if (o->up) printf(" --export-up %s", o->up);
    if (o->wet > 0) printf(" --export-wet %.9g", o->wet);
}

/* ---- The thread that writes ------------------------------------------------------------------------------------ */

/* Writes each queued frame until the queue ends, as the function of the thread of exporter `argument`; a failure makes
   the queue fail. */
static void *write_frames(void *argument) {
    exporter *e = argument;
    for (int slot; (slot = queue_next(&e->queue)) >= 0;) {
        const double before = clock_now();
        const bool fine = rn_export_add(e->files, &e->slots[slot].frame) == RN_OK;
        e->report.writing += clock_now() - before;
        queue_done(&e->queue, fine ? NULL : rn_last_error());
    }
    return NULL;
}

/* ---- The thread of the simulation ------------------------------------------------------------------------------ */

/* Prints an error on stderr. Always returns false, for use in a return statement. */
static bool print_failure(const char *sentence) {
    complain("%s", sentence);
    return false;
}

/* Creates e->skin, which builds meshes, with `threads` threads (0: one per core). Returns false after printing an
   error. */
static bool make_skin(exporter *e, int threads) {
    rn_skin_def def = rn_scene_skin(e->scene);
    def.threads = threads;
    def.paint_count = 0; /* files have one material of the ground */
    return rn_skin_create(&def, &e->skin) == RN_OK || print_failure(rn_last_error());
}

bool export_open(exporter *e, const export_options *options, rn_scene *scene, const char *folder, int every,
                 int threads) {
    *e = (exporter){.scene = scene};
    if (!options->chosen) return true;
    const rn_scene_info info = rn_scene_describe(scene);
    const rn_world_info grid = rn_world_describe(rn_scene_world(scene));
    const double shown = info.view.full_depth; /* m, as in the pictures; 0: that of the liquid */
    e->options = options;
    e->every = options->every ? options->every : every;
    e->needs = rn_export_needed(options->chosen);
    e->report.kinds = options->chosen;
    if ((e->needs & RN_EXPORT_MESHES) && !make_skin(e, threads)) return false;
    const rn_export_def def = {.folder = folder,
                               .kinds = options->chosen,
                               .title = info.title,
                               .first_frame = info.frame,
                               .frame_time = info.frame_time,
                               .liquid = rn_world_liquid(rn_scene_world(scene)),
                               .full_depth = shown,
                               .ground = info.look.ground,
                               .gloss = info.look.gloss,
                               .unit = options->unit_in_metre,
                               .up = !options->up                    ? RN_UP_UNKNOWN
                                     : strcmp(options->up, "y") == 0 ? RN_UP_Y
                                                                     : RN_UP_Z,
                               .cell_size = grid.cell_size,
                               .origin_x = grid.origin_x,
                               .origin_y = grid.origin_y,
                               .wet_depth = options->wet,
                               .georeference = info.georeference};
    if (rn_export_open(&def, &e->files) != RN_OK) return print_failure(rn_last_error());
    if (!queue_open(&e->queue, EXPORT_DEEP, write_frames, e))
        return print_failure("no thread could be started for exports");
    return export_frame(e, info.frame);
}

/* Updates the meshes of the skin, copies them into the slot and sets the meshes of slot->frame: `ground` is NULL unless
   the ground has changed, `bodies` is NULL if the world has none. Returns false after printing an error. */
static bool copy_meshes(exporter *e, export_slot *slot) {
    bool changed;
    if (rn_skin_update(e->skin, &changed) != RN_OK) return print_failure(rn_last_error());
    const rn_mesh ground = rn_skin_ground(e->skin), surface = rn_skin_surface(e->skin);
    const rn_mesh bodies = rn_skin_bodies(e->skin);
    slot->frame.surface = &slot->surface.mesh;
    slot->frame.ground = changed ? &slot->ground.mesh : NULL;
    slot->frame.bodies = rn_bodies_count(rn_scene_world(e->scene)) > 0 ? &slot->bodies.mesh : NULL;
    if ((!changed || rn_mesh_copy_take(&slot->ground, NULL, &ground)) &&
        rn_mesh_copy_take(&slot->surface, NULL, &surface) && rn_mesh_copy_take(&slot->bodies, NULL, &bodies))
        return true;
    return print_failure("there is not enough memory to export meshes");
}

/* Copies the current state of the scene into the queue as frame number `frame`, waiting for a free slot. `columns`: the
   columns of the world, current at this frame. Prints an error and returns false if this or an earlier frame failed. */
static bool queue_frame(exporter *e, int frame, const rn_surface_columns *columns) {
    const double before = clock_now();
    const int room = queue_room(&e->queue);
    const double after = clock_now();
    e->report.waiting += after - before;
    if (room < 0) return print_failure(e->queue.error);
    export_slot *slot = &e->slots[room];
    slot->frame = (rn_export_frame){
        .number = frame, .time = rn_world_get_stats(rn_scene_world(e->scene)).time, .columns = &slot->columns.columns};
    if ((e->needs & RN_EXPORT_MESHES) && !copy_meshes(e, slot)) return false;
    if ((e->needs & RN_EXPORT_COLUMNS) && !rn_columns_copy_take(&slot->columns, NULL, columns))
        return print_failure("there is not enough memory to export columns");
    e->report.making += clock_now() - after;
    e->report.frames++;
    queue_give(&e->queue);
    return true;
}

bool export_frame(exporter *e, int frame) {
    if (!e->options) return true;
    rn_world *world = rn_scene_world(e->scene);
    const rn_surface_columns columns = rn_surface_columns_of(world);
    const double before = clock_now();
    if (rn_export_add_columns(e->files, rn_world_get_stats(world).time, &columns) != RN_OK)
        return print_failure(rn_last_error());
    e->report.making += clock_now() - before;
    const bool first = e->report.frames == 0;
    const bool due = !e->options->at_end && (first || frame % e->every == 0);
    return !due || queue_frame(e, frame, &columns);
}

bool export_settle(exporter *e) {
    if (!e->queue.running) return true;
    return queue_settle(&e->queue) || print_failure(e->queue.error);
}

bool export_finish(exporter *e, int frame) {
    if (!e->options) return true;
    const rn_surface_columns columns = rn_surface_columns_of(rn_scene_world(e->scene));
    if (e->options->at_end && !queue_frame(e, frame, &columns)) return false;
    queue_close(&e->queue);
    if (e->queue.failed) return print_failure(e->queue.error);
    const double before = clock_now();
    const rn_result closed = rn_export_close(e->files);
    e->files = NULL;
    e->report.writing += clock_now() - before;
    return closed == RN_OK || print_failure(rn_last_error());
}

void export_close(exporter *e) {
    queue_close(&e->queue);
    rn_export_close(e->files);
    rn_skin_destroy(e->skin);
    for (int i = 0; i < EXPORT_DEEP; i++) {
        rn_mesh_copy_free(&e->slots[i].ground, NULL);
        rn_mesh_copy_free(&e->slots[i].surface, NULL);
        rn_mesh_copy_free(&e->slots[i].bodies, NULL);
        rn_columns_copy_free(&e->slots[i].columns, NULL);
    }
    *e = (exporter){.options = NULL};
}
