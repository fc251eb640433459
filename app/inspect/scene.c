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

enum { FRAMES = 240 };

static double domain_length(const inspection *i) { return i->cell * fmax(i->cells[0], i->cells[1]); }

/* Returns the duration of a frame (s) of a mesh: 1/60 for grids up to 0.2 m long. By Froude's law, times grow with the
   square root of the size. */
static double frame_time(const inspection *i) { return fmax(1, sqrt(domain_length(i) / 0.2)) / 60; }

/* Prints the rain over a terrain: a cloudburst, as many places have once in some decades. It lasts until water has run
   through the domain at half a metre a second: a minute at least, an hour at most. The ground is rough: meadows and
   brush, or the floor of a laboratory. */
static void print_rain(FILE *file, const inspection *i, const char *indent) {
    const double rain = 60, to_si = 1e-3 / 3600; /* mm/h; m/s */
    const double length = domain_length(i), seconds = fmin(fmax(60, length / 0.5), 3600);
    const bool indoors = length < 50;
    fprintf(
        file,
        "%s  \"about\": \"A cloudburst of %g mm/h for %.3g minutes, on ground with Manning's n of %g, as of %s.\",\n",
        indent, rain, seconds / 60, indoors ? 0.015 : 0.05, indoors ? "smooth concrete" : "meadows with brush");
    fprintf(file, "%s  \"rain\": [{\"rate\": %.4g}],\n%s  \"manning\": %g,\n", indent, rain * to_si, indent,
            indoors ? 0.015 : 0.05);
    fprintf(file, "%s  \"frames\": %d,\n%s  \"frame_time\": %.4g,\n", indent, FRAMES, indent, seconds / FRAMES);
}

/* Prints sources over a mesh, and how long they run. */
static void print_pouring(FILE *file, const inspection *i, const char *indent) {
    print_pours(file, i, indent);
    fprintf(file, "%s  \"frames\": %d,\n%s  \"frame_time\": %.4g,\n", indent, FRAMES, indent, frame_time(i));
}

/* Prints the liquid. Rain on a terrain is shallow: it is drawn as if 0.4 m hid the ground. */
static void print_liquid(FILE *file, const inspection *i, const char *indent) {
    fprintf(file, "%s  \"liquid\": ", indent);
    if (i->is_mesh) fprintf(file, "\"%s\"", domain_length(i) < 0.5 ? "blood" : "water");
    else fputs("{\"name\": \"water\", \"colour\": [0.02, 0.1, 0.22], \"full_depth\": 0.4}", file);
    fputs(",\n", file);
}

/* Prints how the pictures look. A terrain is seen from the side to which it falls. */
static void print_view(FILE *file, const inspection *i, const char *indent) {
    fprintf(file, "%s  \"view\": {\"ground\": %s%s},\n", indent,
            i->is_mesh ? "[0.74, 0.68, 0.56]" : "[0.5, 0.46, 0.34]",
            domain_length(i) < 0.5 ? "" : ", \"outdoors\": true");
    fprintf(file, "%s  \"views\": [{\"name\": \"front\", \"azimuth\": %.0f, \"elevation\": %d}]\n%s}", indent,
            i->is_mesh ? 25 : i->azimuth, i->is_mesh ? 30 : 40, indent);
}

void inspect_print_scene(FILE *file, const inspection *i, const char *indent) {
    fprintf(file, "{\n%s  \"title\": ", indent);
    print_json_text(file, i->name);
    fprintf(file, ",\n%s  \"grid\": {\"cells\": [%d, %d], \"cell\": %.12g},\n", indent, i->cells[0], i->cells[1],
            i->cell);
    print_solid(file, i, indent);
    print_liquid(file, i, indent);
    fprintf(file, "%s  \"edges\": \"open\",\n", indent);
    if (i->is_mesh) print_pouring(file, i, indent);
    else print_rain(file, i, indent);
    print_view(file, i, indent);
}
