/* VTK's XML files with raw binary data after the text: meshes (.vtp), columns (.vti), and lists of them with times
   (.pvd). */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/text.h"
#include "io/file/whole_file.h"
#include "io/write/writer.h"

#include <stdlib.h>
#include <string.h>

/* Arrays follow the text one after the other, each after its length in bytes; the text has their offsets. */
typedef struct array {
    const char *type, *name;
    int layer;      /* appended to the name; -1: none */
    int components; /* of a tuple */
    size_t tuples;
    size_t size; /* bytes of a component */
} array;

/* The bytes of an array's data, without the length before them. */
static uint64_t bytes_of(const array *a) { return a->tuples * (uint64_t)a->components * a->size; }

/* Prints the element of an array, and moves *offset (bytes from the first array) past its data and the length before
   it. */
static void print_array(FILE *stream, const array *a, uint64_t *offset) {
    fprintf(stream, "<DataArray type=\"%s\" Name=\"%s", a->type, a->name);
    if (a->layer >= 0) fprintf(stream, "_%d", a->layer);
    fprintf(stream, "\" NumberOfComponents=\"%d\" NumberOfTuples=\"%zu\" format=\"appended\" offset=\"%llu\"/>\n",
            a->components, a->tuples, (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + bytes_of(a);
}

/* The description of an array of floats; layer -1: none in its name. */
static array float_array(const char *name, int layer, int components, size_t tuples) {
    return (array){"Float32", name, layer, components, tuples, sizeof(float)};
}

/* Whether files of a run are in the coordinates of a map. Longitudes and latitudes would not fit heights in metres. */
static bool is_mapped(const rn_georeference *g) { return g->scale[0] > 0 && !rn_export_is_globe(g); }

/* Prints the text up to the first element of a file of this type ("PolyData" or "ImageData"), with the unit of x and y.
 */
static void print_head(FILE *stream, const char *type, const rn_georeference *g) {
    char unit[32];
    rn_export_unit(g->crs, unit, sizeof unit);
    fprintf(stream, "<?xml version=\"1.0\"?>\n<!-- runnel %s; ", rn_version());
    if (is_mapped(g)) fprintf(stream, "x and y of the map in %s, heights in metres, seconds, z up", unit);
    else fputs("metres, seconds, z up", stream);
    fprintf(stream, " -->\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
            type);
}

/* The time is the first array of a file that has one. */
static const array time_value = {"Float64", "TimeValue", -1, 1, 1, sizeof(double)};

/* Prints the element of the time, which is the first array of a file that has one. */
static void print_time(FILE *stream, uint64_t *offset) {
    fputs("<FieldData>\n", stream);
    print_array(stream, &time_value, offset);
    fputs("</FieldData>\n", stream);
}

/* Writes the data of the time (s), after its length. */
static void put_time(rn_out *out, double time) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    rn_out_long(out, sizeof bits);
    rn_out_long(out, bits);
}

/* Writes the data of an array of `count` 32-bit numbers, after its length in bytes. */
static void put_words(rn_out *out, const void *words, size_t count) {
    rn_out_long(out, 4 * (uint64_t)count);
    rn_out_words(out, words, count);
}

/* Prints the text after the data. */
static void print_tail(FILE *stream) { fputs("\n</AppendedData>\n</VTKFile>\n", stream); }

/* ---- Meshes ---------------------------------------------------------------------------------------------------- */

/* Prints the elements of all arrays of vertices that the mesh has, in the order in which write_vtp writes their data.
   mapped: positions are doubles. */
static void print_vertices(FILE *stream, const rn_mesh *m, bool mapped, uint64_t *offset) {
    const size_t count = m->vertex_count;
    const struct {
        const void *there;
        array array;
    } arrays[] = {{m->normals, float_array("normals", -1, 3, count)},
                  {m->colours, float_array("colour", -1, 3, count)},
                  {m->opacity, float_array("opacity", -1, 1, count)},
                  {m->velocities, float_array("velocity", -1, 3, count)},
                  {m->ids, {"UInt32", "id", -1, 1, count, sizeof(uint32_t)}}};
    fprintf(stream, "<PointData%s%s>\n", m->normals ? " Normals=\"normals\"" : "",
            m->velocities ? " Vectors=\"velocity\"" : "");
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (arrays[i].there) print_array(stream, &arrays[i].array, offset);
    fputs("</PointData>\n<Points>\n", stream);
    const array single = {"Float32", "Points", -1, 3, count, sizeof(float)},
                exact = {"Float64", "Points", -1, 3, count, sizeof(double)};
    print_array(stream, mapped ? &exact : &single, offset);
    fputs("</Points>\n", stream);
}

/* Writes the data of the positions in the coordinates of a map, as doubles, after their length in bytes. */
static void put_mapped(rn_out *out, const rn_mesh *m, const rn_georeference *g) {
    const double scale[3] = {g->scale[0], g->scale[1], 1};
    rn_out_long(out, 3 * sizeof(double) * (uint64_t)m->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        const double at = g->origin[i % 3] + scale[i % 3] * (double)m->positions[i];
        uint64_t bits;
        memcpy(&bits, &at, sizeof bits);
        rn_out_long(out, bits);
    }
}

/* Writes a file with one mesh, in m with z up whatever the style's axes, or in the coordinates of a map; style->time
   (s) below 0: without a time. The material is ignored. */
static void write_vtp(FILE *stream, const rn_mesh *m, const rn_mesh_style *style) {
    uint64_t offset = 0;
    const size_t triangles = m->triangle_count, vertices = m->vertex_count;
    const bool mapped = is_mapped(&style->georeference);
    print_head(stream, "PolyData", &style->georeference);
    fputs("<PolyData>\n", stream);
    if (style->time >= 0) print_time(stream, &offset);
    fprintf(stream,
            "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"%zu\">\n",
            vertices, triangles);
    print_vertices(stream, m, mapped, &offset);
    fputs("<Polys>\n", stream);
    print_array(stream, &(array){"Int32", "connectivity", -1, 1, 3 * triangles, sizeof(int32_t)}, &offset);
    print_array(stream, &(array){"Int64", "offsets", -1, 1, triangles, sizeof(int64_t)}, &offset);
    fputs("</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", stream);
    rn_out out = {.stream = stream};
    if (style->time >= 0) put_time(&out, style->time);
    if (m->normals) put_words(&out, m->normals, 3 * vertices);
    if (m->colours) put_words(&out, m->colours, 3 * vertices);
    if (m->opacity) put_words(&out, m->opacity, vertices);
    if (m->velocities) put_words(&out, m->velocities, 3 * vertices);
    if (m->ids) put_words(&out, m->ids, vertices);
    if (mapped) put_mapped(&out, m, &style->georeference);
    else put_words(&out, m->positions, 3 * vertices);
    put_words(&out, m->indices, 3 * triangles);
    rn_out_long(&out, sizeof(int64_t) * (uint64_t)triangles);
    for (size_t t = 1; t <= triangles; t++) rn_out_long(&out, 3 * (uint64_t)t);
    rn_out_flush(&out);
    print_tail(stream);
}

/* ---- Columns --------------------------------------------------------------------------------------------------- */

/* Prints a file of columns up to the bytes of its arrays, which must follow: depth, level, base and velocity of each
   layer, as cells of one ImageData. Values must be NAN where a layer has no column; ParaView does not draw these.
   Coordinates are those of the map, or m from the world's origin if the map has longitudes and latitudes. */
static void print_grid(FILE *stream, const rn_export_def *def, const rn_export_grid *g) {
    uint64_t offset = 0;
    char numbers[5][RN_FLOAT_TEXT];
    rn_export_place at = g->place;
    const rn_georeference *map = &def->georeference;
    if (map->scale[0] > 0 && !is_mapped(map)) {
        at.origin_x = (at.origin_x - map->origin[0]) / map->scale[0];
        at.origin_y = (at.origin_y - map->origin[1]) / map->scale[1];
        at.step_x /= map->scale[0];
        at.step_y /= map->scale[1];
    }
    const size_t layer = (size_t)g->place.cells_x * (size_t)g->place.cells_y;
    print_head(stream, "ImageData", map);
    rn_double_text(at.origin_x, numbers[0]);
    rn_double_text(at.origin_y, numbers[1]);
    rn_double_text(is_mapped(map) ? map->origin[2] : 0, numbers[2]);
    rn_double_text(at.step_x, numbers[3]);
    rn_double_text(at.step_y, numbers[4]);
    fprintf(stream, "<ImageData WholeExtent=\"0 %d 0 %d 0 0\" Origin=\"%s %s %s\" Spacing=\"%s %s %s\">\n",
            g->place.cells_x, g->place.cells_y, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[3]);
    print_time(stream, &offset);
    fprintf(stream, "<Piece Extent=\"0 %d 0 %d 0 0\">\n<CellData Scalars=\"depth_0\">\n", g->place.cells_x,
            g->place.cells_y);
    for (int l = 0; l < g->place.layers; l++) {
        const array arrays[] = {float_array("depth", l, 1, layer), float_array("level", l, 1, layer),
                                float_array("base", l, 1, layer), float_array("velocity", l, 3, layer)};
        for (int i = 0; i < 4; i++) print_array(stream, &arrays[i], &offset);
    }
    fputs("</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_", stream);
}

/* Writes the data of a file of columns at a time (s), in the order of print_grid. */
static void put_grid(FILE *stream, const rn_export_grid *g, double time) {
    const size_t layer = (size_t)g->place.cells_x * (size_t)g->place.cells_y;
    rn_out out = {.stream = stream};
    put_time(&out, time);
    for (size_t l = 0; l < (size_t)g->place.layers; l++) {
        put_words(&out, g->depth + l * layer, layer);
        put_words(&out, g->level + l * layer, layer);
        put_words(&out, g->base + l * layer, layer);
        rn_out_long(&out, 3 * sizeof(float) * (uint64_t)layer);
        const float *x = g->velocity + l * layer, *y = x + g->slots;
        for (size_t i = 0; i < layer; i++) rn_out_words(&out, (float[]){x[i], y[i], 0.0f}, 3);
    }
    rn_out_flush(&out);
}

/* Writes a file of columns at a time (s), completely or not at all. */
static rn_result write_vti(const char *path, const rn_export_def *def, const rn_export_grid *grid, double time) {
    rn_whole_file file;
    const rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    print_grid(file.stream, def, grid);
    put_grid(file.stream, grid, time);
    print_tail(file.stream);
    return rn_whole_file_keep(&file);
}

/* ---- Lists ----------------------------------------------------------------------------------------------------- */

typedef struct list {
    char path[RN_EXPORT_PATH];
    rn_text entries;
    int frames, written; /* in total; in the file as written */
    int ground;          /* number of the current ground */
} list;

/* Begins a list of files with times, NAME-#.pvd, as the state; writes nothing yet. */
static rn_result open_list(const rn_export_job *job, const char *name, void **state) {
    list *l = rn_alloc(&job->def.hooks, 1, sizeof *l);
    if (!l) return RN_MEMORY;
    const rn_result result = rn_export_path(job, name, job->def.first_frame, "pvd", l->path);
    if (result == RN_OK) *state = l;
    else rn_free(&job->def.hooks, l);
    return result;
}

/* The `open` of meshes: begins the list surface-#.pvd. */
static rn_result open_meshes(const rn_export_job *job, void **state) { return open_list(job, "surface", state); }
/* The `open` of columns: begins the list columns-#.pvd. */
static rn_result open_columns(const rn_export_job *job, void **state) { return open_list(job, "columns", state); }

/* Writes the list so far, in place of the file before, and sets l->written. Returns RN_FILE on failure; then the
   previous file stays. */
static rn_result write_list(list *l) {
    rn_whole_file file;
    const rn_result result = rn_whole_file_open(&file, l->path);
    if (result != RN_OK) return result;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
          "<Collection>\n",
          file.stream);
    fwrite(l->entries.bytes, 1, l->entries.length, file.stream);
    fputs("</Collection>\n</VTKFile>\n", file.stream);
    const rn_result kept = rn_whole_file_keep(&file);
    if (kept == RN_OK) l->written = l->frames;
    return kept;
}

/* Adds the file NAME-FRAME.ENDING to the list at a time (s); `part` distinguishes files of the same time. If memory
   runs out, entries.failed is set. */
static void add_entry(list *l, double time, int part, const char *name, int frame, const char *ending) {
    char number[RN_FLOAT_TEXT];
    rn_text_add(&l->entries, "<DataSet timestep=\"%s\" group=\"\" part=\"%d\" file=\"%s-%04d.%s\"/>\n",
                rn_double_text(time, number), part, name, frame, ending);
}

/* Counts a frame, whose entries have been added, and writes the list if that is due. It is short, so it is written long
   before its frames have doubled. Returns RN_MEMORY if memory ran out when an entry was added. */
static rn_result add_to_list(list *l) {
    if (l->entries.failed) return rn_fail(RN_MEMORY, "%s: there is not enough memory", l->path);
    l->frames++;
    return rn_export_is_due(l->frames, l->written, 32) ? write_list(l) : RN_OK;
}

/* The `add` of meshes: lists the surface of a frame, the ground last written and the bodies, if there are any. The
   files themselves are written by export.c. */
static rn_result add_meshes(const rn_export_job *job, void *state, const rn_export_moment *moment) {
    (void)job;
    list *l = state;
    const rn_export_frame *f = &moment->frame;
    if (f->ground) l->ground = f->number;
    add_entry(l, f->time, 0, "surface", f->number, "vtp");
    add_entry(l, f->time, 1, "terrain", l->ground, "vtp");
    if (f->bodies) add_entry(l, f->time, 2, "bodies", f->number, "vtp");
    return add_to_list(l);
}

/* The `add` of columns: writes those of a frame and adds them to the list. */
static rn_result add_columns(const rn_export_job *job, void *state, const rn_export_moment *moment) {
    list *l = state;
    char path[RN_EXPORT_PATH];
    rn_result result = rn_export_path(job, "columns", moment->frame.number, "vti", path);
    if (result == RN_OK) result = write_vti(path, &job->def, moment->grid, moment->frame.time);
    if (result != RN_OK) return result;
    add_entry(l, moment->frame.time, 0, "columns", moment->frame.number, "vti");
    return add_to_list(l);
}

/* The `close` of both: writes the list if it lacks frames, and frees it. */
static rn_result close_list(const rn_export_job *job, void *state) {
    list *l = state;
    const rn_result result = l->frames > l->written ? write_list(l) : RN_OK;
    free(l->entries.bytes);
    rn_free(&job->def.hooks, l);
    return result;
}

const rn_export_writer rn_writer_vtp = {
    .kind = {.name = "vtp",
             .about = "VTK, meshes and a list of them with times: normals, opacity, velocities, ids",
             .files = "surface-#.vtp terrain-#.vtp bodies-#.vtp surface-#.pvd",
             .needs = RN_EXPORT_MESHES},
    .mesh_ending = "vtp",
    .write_mesh = write_vtp,
    .open = open_meshes,
    .add = add_meshes,
    .close = close_list,
};

const rn_export_writer rn_writer_vti = {
    .kind = {.name = "vti",
             .about = "VTK, columns as a grid and a list with times: depth, level, base, velocity of each layer",
             .files = "columns-#.vti columns-#.pvd",
             .needs = RN_EXPORT_COLUMNS},
    .open = open_columns,
    .add = add_columns,
    .close = close_list,
};
