/* A mesh file: what is in it, which unit and which way up it is likely to have, and what its surface is like. */
#include "inspect.h"

#include "options.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double size; /* m */
} units[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"um", 1e-6}, {"km", 1000}, {"in", 0.0254}, {"ft", 0.3048}};
enum { UNITS = sizeof units / sizeof units[0] };

/* Which row of a file's coordinates becomes x, y and z, and with which sign: turns that take `up` to z. */
static const struct {
    const char *name;
    rn_up up;
    int axis[3], sign[3];
} ups[] = {{"z", RN_UP_Z, {0, 1, 2}, {1, 1, 1}},  {"-z", RN_UP_MINUS_Z, {0, 1, 2}, {1, -1, -1}},
           {"y", RN_UP_Y, {0, 2, 1}, {1, -1, 1}}, {"-y", RN_UP_MINUS_Y, {0, 2, 1}, {1, 1, -1}},
           {"x", RN_UP_X, {2, 1, 0}, {-1, 1, 1}}, {"-x", RN_UP_MINUS_X, {2, 1, 0}, {1, 1, -1}}};
enum { UPS = sizeof ups / sizeof ups[0] };

static const char *const meanings[] = {"auto", "solid", "sheet", "ground"}; /* as rn_mesh_meaning */
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

const char *inspect_meaning(rn_mesh_meaning meaning) { return meanings[meaning]; }

/* "a, b or c", for complaints. */
static const char *const unit_names = "m, cm, mm, um, km, in or ft", *const up_names = "x, -x, y, -y, z or -z",
                         *const meaning_names = "solid, sheet or ground";

static int find_unit(const char *name) {
    for (int i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0) return i;
    return -1;
}

static int find_up(const char *name) {
    for (int i = 0; i < UPS; i++)
        if (strcmp(ups[i].name, name) == 0) return i;
    return -1;
}

static int find_meaning(const char *name) {
    for (int i = 1; i < MEANINGS; i++)
        if (strcmp(meanings[i], name) == 0) return i;
    return -1;
}

bool inspect_check_mesh_options(const inspect_options *o) {
    if (o->unit && find_unit(o->unit) < 0)
        complain("runnel inspect: --unit is \"%.60s\"; it must be %s", o->unit, unit_names);
    else if (o->up && find_up(o->up) < 0) complain("runnel inspect: --up is \"%.60s\"; it must be %s", o->up, up_names);
    else if (o->as && find_meaning(o->as) < 0)
        complain("runnel inspect: --as is \"%.60s\"; it must be %s", o->as, meaning_names);
    else if (o->thickness > 0 && (!o->as || strcmp(o->as, "sheet") != 0))
        complain("runnel inspect: --thickness is of a sheet; give --as sheet too");
    else return true;
    return false;
}

/* The corners of a box around all vertices, in the file's unit; coordinates that rn_sdf_mesh would leave out are none.
 */
static void measure_file(const rn_mesh_file *file, double low[3], double high[3]) {
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
    }
    for (size_t v = 0; v < file->vertex_count; v++) {
        const float *at = file->positions + 3 * v;
        if (!(fabs((double)at[0]) < 1e12 && fabs((double)at[1]) < 1e12 && fabs((double)at[2]) < 1e12)) continue;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], (double)at[axis]);
            high[axis] = fmax(high[axis], (double)at[axis]);
        }
    }
}

static void choose_unit(inspection *i, const rn_mesh_file *file, double across) {
    const char *asked = i->options->unit;
    int unit = asked ? find_unit(asked) : 0;
    if (asked) snprintf(i->unit_why, sizeof i->unit_why, "as --unit says");
    else if (file->unit > 0) {
        while (unit < UNITS - 1 && fabs(units[unit].size - file->unit) > 1e-6 * file->unit) unit++;
        snprintf(i->unit_why, sizeof i->unit_why, "as %s files have it", i->format);
    } else {
        unit = find_unit(across > 10 ? "mm" : "m");
        snprintf(i->unit_why, sizeof i->unit_why, "a guess: the file names none, and is %.4g across", across);
        inspect_warn(i, "its unit was taken for %s, %s; --unit gives another", units[unit].name, i->unit_why);
    }
    i->unit = units[unit].name;
    i->unit_size = units[unit].size;
}

static int choose_up(inspection *i, const rn_mesh_file *file) {
    const char *asked = i->options->up;
    int up = asked ? find_up(asked) : 0;
    if (asked) snprintf(i->up_why, sizeof i->up_why, "as --up says");
    else if (file->up != RN_UP_UNKNOWN) {
        while (up < UPS - 1 && ups[up].up != file->up) up++;
        snprintf(i->up_why, sizeof i->up_why, "as %s files have it", i->format);
    } else if (inspect_has_ending(i->path, "obj")) {
        up = find_up("y");
        snprintf(i->up_why, sizeof i->up_why, "a guess: the file does not say, most OBJ files have it so");
    } else snprintf(i->up_why, sizeof i->up_why, "a guess: the file does not say");
    i->up = ups[up].name;
    return up;
}

/* Where the highest vertex comes to stand: the plan's middle is the domain's, the lowest point at z = 0. */
static void find_peak(inspection *i, const rn_mesh_file *file, const rn_mesh_solid_def *def) {
    const rn_vec3 low = i->mesh.low, high = i->mesh.high;
    rn_vec3 peak = low;
    for (size_t v = 0; v < file->vertex_count; v++) {
        const float *from = file->positions + 3 * v;
        double to[3];
        for (int row = 0; row < 3; row++) {
            const double *t = def->transform[row];
            to[row] = t[0] * (double)from[0] + t[1] * (double)from[1] + t[2] * (double)from[2];
        }
        if (to[2] > peak.z && to[2] <= high.z) peak = (rn_vec3){to[0], to[1], to[2]};
    }
    i->peak = (rn_vec3){peak.x - 0.5 * (low.x + high.x) + 0.5 * i->cells[0] * i->cell,
                        peak.y - 0.5 * (low.y + high.y) + 0.5 * i->cells[1] * i->cell, peak.z - low.z};
}

static bool make_solid(inspection *i, const rn_mesh_solid_def *def) {
    rn_sdf *solid = rn_sdf_mesh(def, &i->mesh);
    if (!solid) {
        complain("%s: %s", i->options->path, rn_last_error());
        return false;
    }
    rn_sdf_destroy(solid);
    char line[INSPECT_TEXT];
    for (int k = 0; rn_mesh_report_line(&i->mesh, k, line, sizeof line); k++) inspect_warn(i, "%s", line);
    return true;
}

static bool understand(inspection *i, const rn_mesh_file *file) {
    snprintf(i->format, sizeof i->format, "%s", file->format);
    i->file_parts = file->parts;
    double low[3], high[3], size[3];
    measure_file(file, low, high);
    if (!(low[0] <= high[0])) {
        complain("%s: none of its %u vertices has coordinates that make sense", i->options->path, file->vertex_count);
        return false;
    }
    const double across = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    choose_unit(i, file, across);
    const int up = choose_up(i, file);
    rn_mesh_solid_def def = rn_mesh_solid_default();
    for (int row = 0; row < 3; row++) {
        const int axis = ups[up].axis[row];
        def.transform[row][axis] = ups[up].sign[row] * i->unit_size;
        size[row] = (high[axis] - low[axis]) * i->unit_size;
    }
    def.positions = file->positions;
    def.indices = file->indices;
    def.vertex_count = file->vertex_count;
    def.triangle_count = file->triangle_count;
    def.meaning = i->options->as ? (rn_mesh_meaning)find_meaning(i->options->as) : RN_MESH_AUTO;
    def.threads = i->options->threads;
    if (!inspect_choose_cells(i, size[0], size[1], def.meaning == RN_MESH_GROUND ? 0 : 0.25)) return false;
    if (def.meaning == RN_MESH_SHEET)
        def.thickness = i->thickness = i->options->thickness > 0 ? i->options->thickness : 2 * i->cell;
    if (!make_solid(i, &def)) return false;
    i->size = (rn_vec3){i->mesh.high.x - i->mesh.low.x, i->mesh.high.y - i->mesh.low.y, i->mesh.high.z - i->mesh.low.z};
    const double margin = i->mesh.meaning == RN_MESH_GROUND ? 0 : 0.25;
    if (!inspect_choose_cells(i, i->size.x, i->size.y, margin)) return false;
    find_peak(i, file, &def);
    return true;
}

bool inspect_mesh(inspection *i) {
    rn_mesh_file file;
    if (rn_mesh_read(i->options->path, &file) != RN_OK) {
        complain("%s", rn_last_error());
        return false;
    }
    const bool fine = understand(i, &file);
    rn_mesh_file_free(&file);
    return fine;
}
