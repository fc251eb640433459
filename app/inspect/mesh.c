/* Inspects a mesh file: its unit, which way is up, its size, and the faults of its surface. Entry points:
   inspect_mesh() for a mesh file; inspect_triangles() also for the surface of a volume. The latter measures the file,
   chooses unit and up, chooses the cells, and then places the mesh as a scene would. */
#include "inspect/inspect.h"

#include "common/options.h"
#include "io/scene/shape_mesh.h"
#include "terrain/mesh_solid.h"

#include <math.h>
#include <string.h>

const char *inspect_meaning(rn_mesh_meaning meaning) { return rn_mesh_meanings[meaning]; }

/* Returns the index of `name` in a list that ends with NULL, or -1. */
static int index_of(const char *name, const char *const names[]) {
    for (int k = 0; names[k]; k++)
        if (strcmp(names[k], name) == 0) return k;
    return -1;
}

/* Returns true if `name` is NULL or in the list; otherwise prints an error that lists the names allowed for option
   `key`. */
static bool is_known(const char *key, const char *name, const char *const names[]) {
    if (!name || index_of(name, names) >= 0) return true;
    char list[128] = "";
    size_t used = 0;
    for (int k = 0; names[k] && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 k == 0         ? ""
                                 : names[k + 1] ? ", "
                                                : " or ",
                                 names[k]);
    complain("runnel inspect: %s is \"%.60s\"; it must be %s", key, name, list);
    return false;
}

bool inspect_check_mesh_options(const inspect_options *o) {
    if (!is_known("--unit", o->unit, rn_mesh_units) || !is_known("--up", o->up, rn_mesh_ups) ||
        !is_known("--as", o->as, rn_mesh_meanings))
        return false;
    if (!(o->thickness > 0) || (o->as && strcmp(o->as, "sheet") == 0)) return true;
    complain("runnel inspect: --thickness is for sheets; give --as sheet too");
    return false;
}

/* A bounding box. */
typedef struct box {
    double low[3], high[3];
} box;

/* Finds the bounds and the highest point of all usable vertices of triangles, transformed by `rows`; other vertices may
   lie anywhere. Returns false if no vertex is usable; `peak` is unchanged then. */
static bool measure(const rn_mesh_file *file, double rows[3][4], box *around, double peak[3]) {
    for (int axis = 0; axis < 3; axis++) {
        around->low[axis] = INFINITY;
        around->high[axis] = -INFINITY;
    }
    for (size_t k = 0; k < 3 * (size_t)file->triangle_count; k++) {
        const uint32_t v = file->indices[k];
        double at[3];
        if (!inspect_vertex(file, v, rows, at)) continue;
        if (at[2] > around->high[2]) memcpy(peak, at, sizeof at);
        for (int axis = 0; axis < 3; axis++) {
            around->low[axis] = fmin(around->low[axis], at[axis]);
            around->high[axis] = fmax(around->high[axis], at[axis]);
        }
    }
    return around->low[0] <= around->high[0];
}

/* Returns the name, as in a scene, of a unit of this length (m), or "auto" if it has none. */
static const char *unit_name(double metres) {
    for (int k = 1; rn_mesh_units[k]; k++)
        if (fabs(rn_mesh_unit(&(rn_mesh_values){.unit = k}) - metres) < 1e-6 * metres) return rn_mesh_units[k];
    return rn_mesh_units[0];
}

/* Returns true if a mesh lies where the coordinates of a map do: tens of kilometres or more from 0, as those of a
   survey in metres with z up. */
static bool is_surveyed(const rn_mesh_file *file) {
    return fabs(file->origin[0]) >= 1e4 && fabs(file->origin[1]) >= 1e4 && fabs(file->origin[2]) < 1e4;
}

/* Sets i->unit, i->unit_why and values->unit: --unit, else the file's own ("auto" if it has no name), else a guess,
   with a warning: m if the coordinates look like those of a map, otherwise by size, mm above 10 across, else m. `raw`:
   bounds in the file's unit. */
static void choose_unit(inspection *i, const rn_mesh_file *file, rn_mesh_values *values, const box *raw) {
    const double across =
        fmax(raw->high[0] - raw->low[0], fmax(raw->high[1] - raw->low[1], raw->high[2] - raw->low[2]));
    const char *asked = i->options->unit;
    if (asked && strcmp(asked, "auto") != 0) {
        i->unit = asked;
        snprintf(i->unit_why, sizeof i->unit_why, "as --unit says");
    } else if (file->unit > 0) {
        i->unit = unit_name(file->unit);
        snprintf(i->unit_why, sizeof i->unit_why, "as %s has it", i->format);
    } else if (is_surveyed(file)) {
        i->unit = "m";
        snprintf(i->unit_why, sizeof i->unit_why, "a guess: its coordinates look like those of a map");
        inspect_warn(i, "its unit was taken to be m, %s; --unit changes it", i->unit_why);
    } else {
        i->unit = across > 10 ? "mm" : "m";
        snprintf(i->unit_why, sizeof i->unit_why, "a guess: the file names none, and is %.4g across", across);
        inspect_warn(i, "its unit was taken to be %s, %s; --unit changes it", i->unit, i->unit_why);
    }
    values->unit = index_of(i->unit, rn_mesh_units);
}

/* Returns the axis, 0 to 2, along which the mesh is less than a tenth as long as along both others, or -1. A plate is
   assumed to lie flat, with this axis up. */
static int thin_axis(const box *raw) {
    for (int axis = 0; axis < 3; axis++) {
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        const double others = fmin(raw->high[b] - raw->low[b], raw->high[c] - raw->low[c]);
        if (raw->high[axis] - raw->low[axis] < 0.1 * others) return axis;
    }
    return -1;
}

/* What the winding of a mesh says of its shape. */
typedef struct facing {
    double area;   /* of all triangles */
    rn_vec3 whole; /* sum of the area vectors of all triangles, which look outwards: minus that of its openings */
} facing;

/* Returns half the cross product of two sides of a triangle: a vector as long as its area, at right angles to it. */
static rn_vec3 area_of(const rn_vec3 at[3]) {
    const rn_vec3 u = {at[1].x - at[0].x, at[1].y - at[0].y, at[1].z - at[0].z};
    const rn_vec3 v = {at[2].x - at[0].x, at[2].y - at[0].y, at[2].z - at[0].z};
    return (rn_vec3){0.5 * (u.y * v.z - u.z * v.y), 0.5 * (u.z * v.x - u.x * v.z), 0.5 * (u.x * v.y - u.y * v.x)};
}

static double length_of(rn_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

/* Finds the facing of a mesh transformed by `rows`. If its triangles look towards its middle on the whole, they are
   taken as wound inside out: the volume that they enclose about that middle is then below 0. */
static facing find_facing(const rn_mesh_file *file, double rows[3][4]) {
    facing f = {0};
    double volume = 0;    /* three times that about the origin */
    rn_vec3 moment = {0}; /* of the area, about the origin */
    for (size_t t = 0; t < file->triangle_count; t++) {
        rn_vec3 at[3];
        if (!inspect_triangle(file, t, rows, at)) continue;
        const rn_vec3 a = area_of(at),
                      sum = {at[0].x + at[1].x + at[2].x, at[0].y + at[1].y + at[2].y, at[0].z + at[1].z + at[2].z};
        const double size = length_of(a);
        f.area += size;
        f.whole = (rn_vec3){f.whole.x + a.x, f.whole.y + a.y, f.whole.z + a.z};
        moment = (rn_vec3){moment.x + size * sum.x / 3, moment.y + size * sum.y / 3, moment.z + size * sum.z / 3};
        volume += (a.x * sum.x + a.y * sum.y + a.z * sum.z) / 3;
    }
    volume -= (f.whole.x * moment.x + f.whole.y * moment.y + f.whole.z * moment.z) / f.area; /* about the middle */
    if (volume < 0) f.whole = (rn_vec3){-f.whole.x, -f.whole.y, -f.whole.z};
    return f;
}

/* Returns the axis that an open patch, all of whose triangles look about the same way, looks along, or -1. */
static int patch_axis(const rn_mesh_file *file) {
    double as_is[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    const facing f = find_facing(file, as_is);
    if (!(length_of(f.whole) > 0.8 * f.area)) return -1;
    const double x = fabs(f.whole.x), y = fabs(f.whole.y), z = fabs(f.whole.z);
    return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

/* Returns what an open mesh transformed by `rows` is. guess: what rn_sdf_mesh took it for. Ground is only what was
   guessed to be ground and whose area vectors add up to at least half of its area, so that it is not mostly walls.
   Otherwise a mesh with a large opening that does not look down is a thin wall: a cup, a room without a ceiling, a
   single wall. Any other is solid once its holes are closed, such as a car without a floor. */
static rn_mesh_meaning meaning_of_open(const rn_mesh_file *file, double rows[3][4], rn_mesh_meaning guess) {
    const facing f = find_facing(file, rows);
    const double opening = length_of(f.whole);
    if (guess == RN_MESH_GROUND && opening >= 0.5 * f.area) return RN_MESH_GROUND;
    return opening > 0.05 * f.area && -f.whole.z > -0.5 * opening ? RN_MESH_SHEET : RN_MESH_SOLID;
}

/* Sets i->up, i->up_why and values->up, the upward axis: --up, else the file's own, else z if the coordinates look like
   those of a map, else the thin axis or that of an open patch, else y for OBJ files and z for others. */
static void choose_up(inspection *i, const rn_mesh_file *file, rn_mesh_values *values, const box *raw) {
    static const rn_up along[] = {RN_UP_X, RN_UP_Y, RN_UP_Z};
    const char *asked = i->options->up;
    if (asked && strcmp(asked, "auto") != 0) {
        values->up = index_of(asked, rn_mesh_ups);
        snprintf(i->up_why, sizeof i->up_why, "as --up says");
    } else if (file->up != RN_UP_UNKNOWN) {
        values->up = (int)file->up;
        snprintf(i->up_why, sizeof i->up_why, "as %s has it", i->format);
    } else if (is_surveyed(file)) {
        values->up = RN_UP_Z;
        snprintf(i->up_why, sizeof i->up_why, "a guess: its coordinates look like those of a map");
    } else if (thin_axis(raw) >= 0) {
        values->up = (int)along[thin_axis(raw)];
        snprintf(i->up_why, sizeof i->up_why, "a guess: the file does not say, and plates lie flat");
    } else if (patch_axis(file) >= 0) {
        values->up = (int)along[patch_axis(file)];
        snprintf(i->up_why, sizeof i->up_why, "a guess: the file does not say, and this way most of it looks up");
    } else {
        const bool obj = inspect_has_ending(i->options->path, "obj");
        values->up = obj ? RN_UP_Y : RN_UP_Z;
        snprintf(i->up_why, sizeof i->up_why, "a guess: the file does not say%s",
                 obj ? ", but it is usual in OBJ files" : "");
    }
    i->up = rn_mesh_ups[values->up];
}

/* Fills i->mesh, the report on the mesh transformed by `rows`, as far as it is known before the solid is made. Returns
   false after printing an error. */
static bool examine(inspection *i, const rn_mesh_file *file, const rn_mesh_values *values, double rows[3][4]) {
    rn_mesh_solid_def def = rn_mesh_solid_default();
    def.positions = file->positions;
    def.indices = file->indices;
    def.vertex_count = file->vertex_count;
    def.triangle_count = file->triangle_count;
    memcpy(def.transform, rows, sizeof def.transform);
    def.meaning = (rn_mesh_meaning)values->as;
    def.thickness = values->thickness;
    def.threads = i->options->threads;
    if (rn_mesh_examine(&def, &i->mesh) == RN_OK) return true;
    complain("%s: %s", i->options->path, rn_last_error());
    return false;
}

/* Places the mesh as "centred" does in a scene, with its plan in the middle of the grid and its lowest point at z = 0.
   Fills i->mesh, i->top and i->pours, and sets values->centred and `rows`, the transform. Returns false after printing
   an error. */
static bool place_centred(inspection *i, const rn_mesh_file *file, rn_mesh_values *values, double rows[3][4]) {
    const rn_shape_pose pose = {.scale = 1, .stretch = {1, 1, 1}};
    const rn_shape_context domain = {.size = {i->cells[0] * i->cell, i->cells[1] * i->cell}};
    double peak[3];
    box around;
    values->centred = true;
    if (rn_mesh_place(file, values, &pose, &domain, rows) != RN_OK) {
        complain("%s: %s", i->options->path, rn_last_error());
        return false;
    }
    if (!examine(i, file, values, rows)) return false;
    measure(file, rows, &around, peak);
    i->top = peak[2];
    inspect_choose_pours(i, file, rows);
    return true;
}

/* Returns whether most corners of triangles have coordinates that cannot be used, so that the rest says little of the
   mesh. */
static bool is_mostly_unusable(const rn_mesh_file *file, double rows[3][4]) {
    const size_t corners = 3 * (size_t)file->triangle_count;
    size_t usable = 0;
    double at[3];
    for (size_t k = 0; k < corners; k++) usable += inspect_vertex(file, file->indices[k], rows, at);
    return 2 * usable < corners;
}

/* Makes the mesh a sheet, two cells thick unless --thickness says otherwise: sets values->as and both thicknesses, that
   of `values` and i->thickness. Needs i->cell. */
static void make_sheet(inspection *i, rn_mesh_values *values) {
    values->as = RN_MESH_SHEET;
    values->thickness = i->thickness = i->options->thickness > 0 ? i->options->thickness : 2 * i->cell;
}

bool inspect_triangles(inspection *i, const rn_mesh_file *file) {
    const inspect_options *o = i->options;
    const rn_shape_pose pose = {.scale = 1, .stretch = {1, 1, 1}};
    const rn_shape_context nowhere = {.size = {1, 1}};
    double as_is[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, rows[3][4], peak[3];
    rn_mesh_values values = {.as = i->is_volume ? RN_MESH_SOLID
                                   : o->as      ? index_of(o->as, rn_mesh_meanings)
                                                : RN_MESH_AUTO};
    box around;
    snprintf(i->format, sizeof i->format, "%s", file->format);
    i->file_parts = file->parts;
    if (!measure(file, as_is, &around, peak)) {
        complain("%s: none of its %u vertices has usable coordinates", o->path, file->vertex_count);
        return false;
    }
    if (is_mostly_unusable(file, as_is)) {
        complain("%s: most of its vertices have coordinates that are not numbers below 1e12; perhaps it is damaged",
                 o->path);
        return false;
    }
    if (file->warning[0]) inspect_warn(i, "%s", file->warning);
    choose_unit(i, file, &values, &around);
    choose_up(i, file, &values, &around);
    if (rn_mesh_place(file, &values, &pose, &nowhere, rows) != RN_OK || !measure(file, rows, &around, peak)) {
        complain("%s: in %s it is too large to be placed; give a smaller --unit", o->path, i->unit);
        return false;
    }
    i->unit_size = sqrt(rows[2][0] * rows[2][0] + rows[2][1] * rows[2][1] + rows[2][2] * rows[2][2]);
    i->size = (rn_vec3){around.high[0] - around.low[0], around.high[1] - around.low[1], around.high[2] - around.low[2]};
    if (!inspect_choose_cells(i, values.as == RN_MESH_GROUND ? 0 : 0.25)) return false;
    if (values.as == RN_MESH_SHEET) make_sheet(i, &values);
    if (!place_centred(i, file, &values, rows)) return false;
    if (values.as == RN_MESH_AUTO && i->mesh.open_edges > 0) {
        const rn_mesh_meaning meaning = meaning_of_open(file, rows, i->mesh.meaning);
        if (meaning == RN_MESH_SHEET) {
            make_sheet(i, &values);
            inspect_warn(i, "it is open and was taken as a sheet %.3g mm thick; --as solid closes its holes instead",
                         1000 * values.thickness);
        }
        values.as = (int)meaning;
        const bool grows = meaning == RN_MESH_GROUND; /* ground fills the grid and needs no margin */
        if (grows && !inspect_choose_cells(i, 0)) return false;
        if ((grows || meaning != i->mesh.meaning) && !place_centred(i, file, &values, rows)) return false;
    }
    return true;
}

bool inspect_mesh(inspection *i) {
    rn_mesh_file file;
    if (rn_mesh_read(i->options->path, &file) != RN_OK) {
        complain("%s", rn_last_error());
        return false;
    }
    const bool fine = inspect_triangles(i, &file);
    rn_mesh_file_free(&file);
    return fine;
}
