/* Prints a scene for the inspected file: complete, so that it runs unchanged and can serve as a starting point. Entry
   point: inspect_print_scene(). */
#include "common/text.h"
#include "inspect/inspect.h"

#include <math.h>

/* Prints the mesh or volume as a shape of a scene, on one line. */
static void print_mesh(FILE *file, const inspection *i) {
    if (i->is_volume) {
        inspect_print_volume_shape(file, i);
        return;
    }
    fputs("{\"type\": \"mesh\", \"file\": ", file);
    print_json_text(file, i->path);
    fprintf(file, ", \"unit\": \"%s\", \"up\": \"%s\", \"centred\": true, \"as\": \"%s\"", i->unit, i->up,
            inspect_meaning(i->mesh.meaning));
    if (i->mesh.meaning == RN_MESH_SHEET) fprintf(file, ", \"thickness\": %.4g", i->thickness);
    fputc('}', file);
}

/* Prints the "solid" key: the terrain, or the mesh, which stands on a plane unless it is ground itself. `indent` begins
   every line. */
static void print_solid(FILE *file, const inspection *i, const char *indent) {
    fprintf(file, "%s  \"solid\": ", indent);
    if (!i->is_mesh) inspect_print_heightmap(file, i);
    else if (i->mesh.meaning == RN_MESH_GROUND) print_mesh(file, i);
    else {
        fprintf(file, "{\"type\": \"union\", \"of\": [\n%s    {\"type\": \"plane\"},\n%s    ", indent, indent);
        print_mesh(file, i);
        fprintf(file, "\n%s  ]}", indent);
    }
    fputs(",\n", file);
}

/* Prints two sources. In the 4 s of a small scene they pour about 1/50 of the bounding box. */
static void print_pours(FILE *file, const inspection *i, const char *indent) {
    const double length = fmax(i->size.x, i->size.y), height = fmax(i->size.z, 0.2 * length);
    const double rate = 0.0025 * i->size.x * fmax(i->size.y, 0.2 * length) * height, above = i->top + 0.1 * length;
    fprintf(file, "%s  \"sources\": [\n", indent);
    for (int k = 0; k < 2; k++)
        fprintf(file, "%s    {\"at\": [%.6g, %.6g, %.4g], \"radius\": %.3g, \"rate\": %.3g}%s\n", indent, i->pours[k].x,
                i->pours[k].y, above, 4 * i->cell, rate, k == 0 ? "," : "");
    fprintf(file, "%s  ],\n", indent);
}

/* Returns the duration of a frame (s): 1/60 for grids up to 0.2 m long. By Froude's law, times grow with the square
   root of the size. */
static double frame_time(const inspection *i) {
    const double length = i->cell * fmax(i->cells[0], i->cells[1]);
    return fmax(1, sqrt(length / 0.2)) / 60;
}

void inspect_print_scene(FILE *file, const inspection *i, const char *indent) {
    const double length = i->cell * fmax(i->cells[0], i->cells[1]), pace = frame_time(i);
    const bool small = length < 0.5;
    fprintf(file, "{\n%s  \"title\": ", indent);
    print_json_text(file, i->name);
    fprintf(file, ",\n%s  \"grid\": {\"cells\": [%d, %d], \"cell\": %.6g},\n", indent, i->cells[0], i->cells[1],
            i->cell);
    print_solid(file, i, indent);
    fprintf(file, "%s  \"liquid\": \"%s\",\n%s  \"edges\": \"open\",\n", indent,
            i->is_mesh && small ? "blood" : "water", indent);
    if (i->is_mesh) print_pours(file, i, indent);
    else
        fprintf(file, "%s  \"rain\": [{\"rate\": %.3g}],\n", indent,
                fmax(i->size.z, 0.01 * length) / (400 * 60 * pace));
    fprintf(file, "%s  \"frames\": 240,\n%s  \"frame_time\": %.4g,\n", indent, indent, pace);
    if (i->is_mesh) fprintf(file, "%s  \"view\": {\"ground\": [0.74, 0.68, 0.56]", indent);
    else fprintf(file, "%s  \"view\": {\"ground\": [0.42, 0.44, 0.3]", indent);
    fprintf(file, "%s},\n", small ? "" : ", \"outdoors\": true");
    fprintf(file, "%s  \"views\": [{\"name\": \"front\", \"azimuth\": 25, \"elevation\": 30}]\n%s}", indent, indent);
}
