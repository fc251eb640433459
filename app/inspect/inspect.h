/* What `runnel inspect` finds out about a mesh, a volume or a terrain, step by step: the file, the scene that is made
   of it, and the columns and the world that the scene becomes. */
#ifndef INSPECT_H
#define INSPECT_H

#include "base/platform.h"

#include <runnel/runnel.h>
#include <stdio.h>

typedef struct inspect_options {
    const char *path, *out; /* out: a folder */
    const char *unit, *up, *as;
    int cells;              /* along the longer side; 0: 200 */
    double cell, thickness; /* m; 0: not given */
    double iso;             /* of a volume; NaN: not given */
    int threads;
    bool json, no_render;
} inspect_options;

enum { INSPECT_PATH = 4096, INSPECT_WARNINGS = 32, INSPECT_TEXT = 512 };
enum { INSPECT_CELLS = 2000 }; /* along a side, at most */

typedef struct inspection {
    const inspect_options *options;
    char name[256], path[INSPECT_PATH]; /* of what is inspected: without folder and ending, and from the root */
    bool is_mesh;                       /* also the surface of a volume */
    bool is_volume;                     /* is_mesh then too */
    char format[64];

    /* Of a volume. */
    rn_volume_info volume;
    double iso; /* NaN: labels are solid, from 1 to the greatest */
    char iso_why[160];

    /* Of a mesh, or of the surface of a volume. */
    rn_mesh_report mesh;
    uint32_t file_parts;
    const char *unit, *up; /* as a scene names them */
    double unit_size;      /* m */
    char unit_why[160], up_why[160];
    double thickness; /* m, of a sheet */

    /* Of a terrain. */
    rn_heightmap map;       /* without its heights */
    double lowest, highest; /* m, of its heights */
    double spacing[2];      /* m, between heights */
    double grey;            /* m, of a grey level of a picture; 0: it is none */
    char spacing_why[160], heights_why[160];

    rn_vec3 size; /* m, as it stands in the scene */
    rn_vec3 peak; /* m, of a mesh: its highest point there */
    int cells[2];
    double cell; /* m */

    /* Of the scene. */
    char scene[INSPECT_PATH], picture[INSPECT_PATH]; /* files; "": none */
    rn_terrain_info terrain;
    rn_survey survey;
    rn_world_info world;
    double seconds; /* from the file to a world that is ready to be stepped */

    char warnings[INSPECT_WARNINGS][INSPECT_TEXT];
    int warning_count;
} inspection;

/* Of a file by its name: a terrain, a volume or else a mesh. */
inspection inspect_start(const inspect_options *options);
/* Reads the file, and writes a scene that pours liquid over it: i->scene. False after a sentence. */
bool inspect_make_scene(inspection *i);

RN_PRINTF(2, 3) void inspect_warn(inspection *i, const char *format, ...);

/* "tif" of "a/b.TIF", whatever its case. */
bool inspect_has_ending(const char *path, const char *ending);

/* As many cells as asked for over its plan and a margin around it, a share of its longer side. False after a sentence.
 */
bool inspect_choose_cells(inspection *i, double margin);

/* Whether --unit, --up, --as and --thickness make sense; false after a sentence. */
bool inspect_check_mesh_options(const inspect_options *o);
const char *inspect_meaning(rn_mesh_meaning meaning);
bool inspect_mesh(inspection *i);
/* What its triangles are like; false after a sentence. */
bool inspect_triangles(inspection *i, const rn_mesh_file *file);

bool inspect_is_volume(const char *path);
bool inspect_volume(inspection *i);
void inspect_print_volume(const inspection *i);
void inspect_json_volume(FILE *file, const inspection *i);
/* Its shape in a scene, up to what it shares with meshes. */
void inspect_print_volume_shape(FILE *file, const inspection *i);

bool inspect_is_terrain(const char *path);
bool inspect_terrain(inspection *i);
/* Its shape in a scene. */
void inspect_print_heightmap(FILE *file, const inspection *i);

/* The scene as JSON: one that runs as it is. */
void inspect_print_scene(FILE *file, const inspection *i, const char *indent);

void inspect_print_text(const inspection *i);
void inspect_print_json(FILE *file, const inspection *i);

#endif
