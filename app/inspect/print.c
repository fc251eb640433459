/* Prints the report of an inspection: inspect_print_text() for people, inspect_print_json() for programs. Both end with
   the scene, which scene.c prints. */
#include "common/text.h"
#include "inspect/inspect.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A unit of length. */
typedef struct length_unit {
    const char *name;
    double size; /* m */
} length_unit;

/* Returns the unit in which lengths up to this one (m) are easy to read: mm below 1 m, m below 10 km, else km. */
static length_unit length_unit_for(double length) {
    if (length < 1) return (length_unit){"mm", 0.001};
    if (length < 10000) return (length_unit){"m", 1};
    return (length_unit){"km", 1000};
}

/* Prints a size (m) in a unit that suits the longest side, such as "66.2 x 81 x 45.3 mm", on stdout. */
static void print_size(const rn_vec3 *size) {
    const length_unit unit = length_unit_for(fmax(size->x, fmax(size->y, size->z)));
    printf("%.4g x %.4g x %.4g %s", size->x / unit.size, size->y / unit.size, size->z / unit.size, unit.name);
}

/* Returns part / of, 0 to 1, or 0 if `of` is 0. */
static double share(int64_t part, int64_t of) { return of > 0 ? (double)part / (double)of : 0; }

/* Prints a volume (m³) in a suitable unit, such as "1.2 l", on stdout. */
static void print_volume(double volume) {
    const volume_unit unit = volume_unit_for(volume);
    printf("%.4g %s", volume * unit.per_m3, unit.name);
}

/* Prints the lines about a mesh or the surface of a volume: format, size, unit, up, and the state of its surface. */
static void print_mesh(const inspection *i) {
    const rn_mesh_report *m = &i->mesh;
    printf("%s: %s, %" PRId64 " triangle%s, %" PRId64 " %s\n", i->options->path, i->format, m->triangles,
           plural(m->triangles), m->vertices, m->vertices == 1 ? "vertex" : "vertices");
    printf("size     ");
    print_size(&i->size);
    printf("\n");
    if (i->is_volume) inspect_print_volume(i);
    printf("unit     %s (%s)\nup       %s (%s)\n", i->unit, i->unit_why, i->up, i->up_why);
    printf("surface  ");
    if (m->open_edges == 0 && m->branching_edges == 0) printf("closed");
    else
        printf("%" PRId64 " hole%s, %" PRId64 " open and %" PRId64 " branching edges", m->holes, plural(m->holes),
               m->open_edges, m->branching_edges);
    printf(", in %" PRId64 " part%s; taken as %s", m->parts, plural(m->parts), inspect_meaning(m->meaning));
    const length_unit unit = length_unit_for(i->thickness);
    if (m->meaning == RN_MESH_SHEET) printf(" %.3g %s thick", i->thickness / unit.size, unit.name);
    printf("\n");
}

/* Prints the lines about a terrain: format, size, spacing, heights, and location. */
static void print_terrain(const inspection *i) {
    const rn_heightmap *map = &i->map;
    printf("%s: %s, %d x %d heights\n", i->options->path, i->format, map->width, map->height);
    printf("size     ");
    print_size(&i->size);
    printf("\npixels   %.6g x %.6g m (%s)\n", i->spacing[0], i->spacing[1], i->spacing_why);
    printf("heights  %.6g to %.6g m (%s)\n", i->lowest, i->highest, i->heights_why);
    if (map->missing > 0)
        printf("no data  %.2g %% of it\n", 100 * share(map->missing, (int64_t)map->width * map->height));
    if (*map->reference)
        printf("place    %s, south-west corner at %.10g, %.10g\n", map->reference, map->west, map->south);
}

/* Prints a line with how many cavities liquid cannot reach, and their volume, or that there are none. */
static void print_cavities(const rn_survey *s) {
    if (s->cavities == 0) {
        printf("sealed   nothing: liquid can reach everything\n");
        return;
    }
    printf("sealed   %" PRId64 " cavit%s, ", s->cavities, s->cavities == 1 ? "y" : "ies");
    print_volume(s->sealed);
    printf(", which no liquid can reach\n");
}

/* Prints the lines about the grid, the columns and the world; overhangs, solid and cavities only of a mesh. */
static void print_columns(const inspection *i) {
    const rn_survey *s = &i->survey;
    const length_unit unit = length_unit_for(i->cell);
    printf("cells    %d x %d of %.4g %s\n", i->cells[0], i->cells[1], i->cell / unit.size, unit.name);
    printf("columns  %" PRId64, i->terrain.columns);
    if (i->is_mesh) {
        printf(", up to %d in a cell; %.0f %% of the cells that it covers have solid above open space\n",
               i->terrain.layers, 100 * share(s->overhangs, s->covered));
        printf("solid    ");
        print_volume(s->solid);
        printf("; %.1f %% of its walls and slabs are thinner than 1.5 cells\n", 100 * share(s->thin, s->stretches));
        print_cavities(s);
    } else printf(", one in a cell\n");
    printf("world    %.1f MB, ready in %.2f s\n", (double)i->world.bytes / 1e6, i->seconds);
}

void inspect_print_text(const inspection *i) {
    if (i->is_mesh) print_mesh(i);
    else print_terrain(i);
    print_columns(i);
    if (*i->picture) printf("picture  %s\n", i->picture);
    printf("scene    %s, which \"runnel run %s\" runs:\n\n", i->scene, i->scene);
    inspect_print_scene(stdout, i, "");
    printf("\n");
}

/* ---- JSON ---- */

/* Prints "key": "value", with the value escaped. */
static void print_text(FILE *file, const char *key, const char *value) {
    fprintf(file, "\"%s\": ", key);
    print_json_text(file, value);
}

/* Prints "key": value; null for a number that is not finite. */
static void print_number(FILE *file, const char *key, double value) {
    fprintf(file, "\"%s\": ", key);
    print_json_number(file, value);
}

typedef struct field {
    const char *name;
    double value;
} field;

/* Prints `count` pairs "key": value, separated by commas. */
static void print_numbers(FILE *file, const field *fields, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (k) fputs(", ", file);
        print_number(file, fields[k].name, fields[k].value);
    }
}
#define NUMBERS(file, fields) print_numbers(file, fields, sizeof fields / sizeof fields[0])

/* Prints the "mesh" member of the JSON report, followed by a comma and a line break. */
static void json_mesh(FILE *file, const inspection *i) {
    const rn_mesh_report *m = &i->mesh;
    const field fields[] = {{"file_parts", i->file_parts},
                            {"vertices", (double)m->vertices},
                            {"triangles", (double)m->triangles},
                            {"used", (double)m->used},
                            {"joined", (double)m->joined},
                            {"bad_indices", (double)m->bad_indices},
                            {"non_finite", (double)m->non_finite},
                            {"degenerate", (double)m->degenerate},
                            {"doubles", (double)m->doubles},
                            {"flipped", (double)m->flipped},
                            {"open_edges", (double)m->open_edges},
                            {"holes", (double)m->holes},
                            {"non_manifold_edges", (double)m->branching_edges},
                            {"parts", (double)m->parts},
                            {"inside_out", (double)m->inside_out},
                            {"euler", (double)m->euler},
                            {"area_m2", m->area},
                            {"volume_m3", m->volume},
                            {"unit_m", i->unit_size},
                            {"thickness_m", i->thickness}};
    fputs("  \"mesh\": {", file);
    print_text(file, "as", inspect_meaning(m->meaning));
    fputs(", ", file);
    print_text(file, "unit", i->unit);
    fputs(", ", file);
    print_text(file, "unit_why", i->unit_why);
    fputs(", ", file);
    print_text(file, "up", i->up);
    fputs(", ", file);
    print_text(file, "up_why", i->up_why);
    fputs(", ", file);
    NUMBERS(file, fields);
    fputs("},\n", file);
}

/* Prints the "terrain" member of the JSON report, followed by a comma and a line break. */
static void json_terrain(FILE *file, const inspection *i) {
    const rn_heightmap *map = &i->map;
    const field fields[] = {{"width", map->width},
                            {"height", map->height},
                            {"pixel_x_m", i->spacing[0]},
                            {"pixel_y_m", i->spacing[1]},
                            {"lowest_m", i->lowest},
                            {"highest_m", i->highest},
                            {"missing", (double)map->missing},
                            {"missing_share", share(map->missing, (int64_t)map->width * map->height)},
                            {"west", map->west},
                            {"south", map->south}};
    fputs("  \"terrain\": {", file);
    print_text(file, "reference", map->reference);
    fputs(", ", file);
    print_text(file, "pixel_why", i->spacing_why);
    fputs(", ", file);
    print_text(file, "heights_why", i->heights_why);
    fputs(", ", file);
    NUMBERS(file, fields);
    fputs("},\n", file);
}

/* Prints the "grid", "columns" and "world" members of the JSON report, each followed by a comma and a line break. */
static void json_columns(FILE *file, const inspection *i) {
    const rn_survey *s = &i->survey;
    const field grid[] = {{"cells_x", i->cells[0]}, {"cells_y", i->cells[1]}, {"cell_m", i->cell}};
    const field columns[] = {{"columns", (double)i->terrain.columns},
                             {"layers", i->terrain.layers},
                             {"holes", (double)i->terrain.holes},
                             {"covered", (double)s->covered},
                             {"overhangs", (double)s->overhangs},
                             {"overhang_share", share(s->overhangs, s->covered)},
                             {"solid_m3", s->solid},
                             {"thin_share", share(s->thin, s->stretches)},
                             {"cavities", (double)s->cavities},
                             {"sealed_m3", s->sealed},
                             {"largest_cavity_m3", s->largest}};
    const field world[] = {{"bytes", (double)i->world.bytes}, {"seconds", i->seconds}};
    fputs("  \"grid\": {", file);
    NUMBERS(file, grid);
    fputs("},\n  \"columns\": {", file);
    NUMBERS(file, columns);
    fputs("},\n  \"world\": {", file);
    NUMBERS(file, world);
    fputs("},\n", file);
}

/* Prints the "warnings", "files" and "scene" members, which end the report. */
static void json_files(FILE *file, const inspection *i) {
    fputs("  \"warnings\": [", file);
    for (int k = 0; k < i->warning_count; k++) {
        if (k) fputs(", ", file);
        print_json_text(file, i->warnings[k]);
    }
    fputs("],\n  \"files\": {", file);
    print_text(file, "scene", i->scene);
    fputs(", \"picture\": ", file);
    if (*i->picture) print_json_text(file, i->picture);
    else fputs("null", file);
    fputs("},\n  \"scene\": ", file);
    inspect_print_scene(file, i, "  ");
    fputs("\n", file);
}

void inspect_print_json(FILE *file, const inspection *i) {
    const field size[] = {{"x", i->size.x}, {"y", i->size.y}, {"z", i->size.z}};
    fputs("{\n  ", file);
    print_text(file, "runnel", rn_version());
    fputs(",\n  ", file);
    print_text(file, "file", i->options->path);
    fputs(",\n  ", file);
    print_text(file, "kind", i->is_volume ? "volume" : i->is_mesh ? "mesh" : "terrain");
    fputs(",\n  ", file);
    print_text(file, "format", i->format);
    fputs(",\n  \"size_m\": {", file);
    NUMBERS(file, size);
    fputs("},\n", file);
    if (i->is_volume) inspect_json_volume(file, i);
    if (i->is_mesh) json_mesh(file, i);
    else json_terrain(file, i);
    json_columns(file, i);
    json_files(file, i);
    fputs("}\n", file);
}
