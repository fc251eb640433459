/* What the files of `runnel inspect` share. Everything found is collected in one `inspection`, in this order:
   inspect_mesh(), inspect_volume() or inspect_terrain() reads the file; inspect_print_scene() makes a scene of it;
   command.c builds the scene and surveys its columns; inspect_print_text() or inspect_print_json() reports. */
#ifndef INSPECT_H
#define INSPECT_H

#include "base/platform.h"

#include <runnel/runnel.h>
#include <stdio.h>

typedef struct inspect_options {
    const char *path, *out; /* out: a folder */
    const char *unit, *up, *as;
    int cells;              /* along the longer side; 0: 200 for a mesh, one for each pixel of a terrain */
    double cell, thickness; /* m; 0: not given */
    double iso;             /* of a volume; NaN: not given */
    int threads;
    bool json, no_render;
    bool replace; /* an older scene in `out` is replaced without a word */
} inspect_options;

enum { INSPECT_PATH = 4096, INSPECT_WARNINGS = 32, INSPECT_TEXT = 512 };
enum { INSPECT_CELLS = 2000 }; /* along a side, at most */

typedef struct inspection {
    const inspect_options *options;
    char name[256], path[INSPECT_PATH]; /* of the inspected file: without folder and extension; from the scene's folder,
                                           or absolute */
    bool is_mesh;                       /* a mesh, or a volume, whose surface is a mesh */
    bool is_volume;                     /* implies is_mesh */
    char format[64];

    /* Of a volume. */
    rn_volume_info volume;
    double iso; /* the value at the surface; NaN: labels 1 to the greatest are solid */
    char iso_why[160];

    /* Of a mesh, or of the surface of a volume. */
    rn_mesh_report mesh;
    uint32_t file_parts;
    const char *unit, *up; /* named as in a scene */
    double unit_size;      /* m, length of 1 in the file */
    char unit_why[160], up_why[160];
    double thickness; /* m, of a sheet */

    /* Of a terrain. */
    rn_heightmap map;       /* without its heights */
    double lowest, highest; /* m, of its heights */
    double spacing[2];      /* m, between heights */
    double grey;            /* m, height of one grey level; 0: the file is not a picture */
    double azimuth;         /* degrees, where the camera stands: on the side to which it falls */
    int pixels;             /* along a side of a cell; 0: --cell or --cells decides */
    char spacing_why[160], heights_why[160];

    rn_vec3 size;     /* m, as placed in the scene */
    double top;       /* m, height of the highest point of a mesh in the scene */
    rn_vec3 pours[2]; /* m, where liquid is poured over a mesh; z is not used */
    int cells[2];
    double cell; /* m */

    /* Of the scene. */
    char scene[INSPECT_PATH], picture[INSPECT_PATH]; /* files; "": none */
    rn_terrain_info terrain;
    rn_survey survey;
    rn_world_info world;
    double seconds; /* wall time to open the scene */

    char warnings[INSPECT_WARNINGS][INSPECT_TEXT];
    int warning_count;
} inspection;

/* Starts the inspection of a file. Its name or, if the extension is not known, its first bytes tell whether it is a
   terrain, a volume or a mesh. `options` must outlive the inspection; options->path may be NULL. */
inspection inspect_start(const inspect_options *options);
/* Reads the file, makes the output folder, and writes a scene that pours liquid over it, to i->scene. A different scene
   there is renamed, with a warning, or replaced if i->options->replace. Returns false after printing an error. */
bool inspect_make_scene(inspection *i);

/* Adds a warning to the report, cut off after INSPECT_TEXT - 1 bytes. Warnings beyond INSPECT_WARNINGS are dropped.
   Prints nothing. */
RN_PRINTF(2, 3) void inspect_warn(inspection *i, const char *format, ...);

/* Returns true if the file extension is `ending`, which is given in lower case without a dot. Case is ignored. */
bool inspect_has_ending(const char *path, const char *ending);

/* Checks i->cell, for a plan i->size. Returns false after printing an error: cells are from 1e-6 to 1e5 m. */
bool inspect_check_cell(const inspection *i);
/* Chooses i->cell, from --cell or --cells (default: 200 along the longer side, rounded up to three digits), and
   i->cells, at least 4, to cover the plan i->size and a margin around it. `margin`: total, as a share of the longer
   side; 0: cells that would reach beyond the plan are left out. Returns false after printing an error: no width, or
   more than INSPECT_CELLS. */
bool inspect_choose_cells(inspection *i, double margin);

/* Checks --unit, --up, --as and --thickness. Returns false after printing an error. */
bool inspect_check_mesh_options(const inspect_options *o);
/* Returns the name of a meaning in a scene: "solid", "sheet", "ground". */
const char *inspect_meaning(rn_mesh_meaning meaning);
/* Reads and inspects a mesh file, i->options->path, and chooses unit, up, size and cells. Returns false after printing
   an error. */
bool inspect_mesh(inspection *i);
/* Inspects the triangles of a mesh or of the surface of a volume: chooses unit, up, size and cells, sets what
   `inspection` has of a mesh, with i->top and i->pours, and adds warnings. i->mesh is complete only once the solid is
   made. `file` stays the caller's. Returns false after printing an error. */
bool inspect_triangles(inspection *i, const rn_mesh_file *file);

/* Writes a vertex of the file, transformed by the 3 x 4 matrix `rows`, to `to`. Returns false if the vertex does not
   exist, or if its coordinates are not finite or 1e12 or more; rn_sdf_mesh() ignores such vertices too. */
bool inspect_vertex(const rn_mesh_file *file, size_t vertex, double rows[3][4], double to[3]);
/* Writes the corners of a triangle, as inspect_vertex() does. Returns false if one of them is unusable. */
bool inspect_triangle(const rn_mesh_file *file, size_t triangle, double rows[3][4], rn_vec3 at[3]);
/* Sets i->pours: [0] over the highest point that is well within the domain, [1] over the middle or, if a ground has
   nothing there, over its largest triangle. `rows`: the transform that places the mesh in the scene. Needs i->cell,
   i->cells and i->mesh.meaning. */
void inspect_choose_pours(inspection *i, const rn_mesh_file *file, double rows[3][4]);

/* Returns true if the file name is that of a volume; the file is not opened. */
bool inspect_is_volume(const char *path);
/* Reads and inspects a volume file: sets i->volume, chooses i->iso, extracts the surface and inspects it as a mesh
   (inspect_triangles()). Returns false after printing an error. */
bool inspect_volume(inspection *i);
/* Prints the lines of the report that only volumes have, on stdout. */
void inspect_print_volume(const inspection *i);
/* Prints the "volume" member of the JSON report, followed by a comma and a line break. */
void inspect_json_volume(FILE *file, const inspection *i);
/* Prints a volume as a shape of a scene, on one line. */
void inspect_print_volume_shape(FILE *file, const inspection *i);

/* Returns true if the file extension or, if that is not known, the first bytes are those of a terrain. */
bool inspect_is_terrain(const char *path);
/* Reads and inspects a terrain file: sets what `inspection` has of a terrain, size and cells, and adds warnings. The
   heights and the `crs` of i->map are freed again. Returns false after printing an error. */
bool inspect_terrain(inspection *i);
/* Prints a terrain as a shape of a scene, on one line; its scale only if that was guessed. */
void inspect_print_heightmap(FILE *file, const inspection *i);

/* Prints the scene as JSON, ready to run, without a line break at the end. `indent` begins every line but the first. */
void inspect_print_scene(FILE *file, const inspection *i, const char *indent);

/* Prints the whole report for people on stdout, with the scene. */
void inspect_print_text(const inspection *i);
/* Prints the whole report as one JSON object, with the scene. */
void inspect_print_json(FILE *file, const inspection *i);

#endif
