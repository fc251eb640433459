/* runnel inspect: checks a mesh, a volume or a terrain, and writes a picture and a scene that pours liquid over it.
   Entry point: command_inspect(). inspect() does the work: read the file, write the scene, build it as `runnel run`
   would, survey its columns, draw it, and collect warnings. inspect_with() prints the report. */
#include "inspect/inspect.h"

#include "common/commands.h"
#include "common/console.h"
#include "common/countdown.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/text.h"
#include "io/scene/scene.h"
#include "output/pictures.h"

#include <math.h>
#include <string.h>

static const char help[] =
    "runnel inspect FILE [options]: checks a mesh, a scan or a terrain, and shows how liquid would flow over it.\n"
    "\n"
    "FILE is a mesh (OBJ, STL, PLY, glTF ...), a volume (NIfTI, NRRD, NanoVDB) or a terrain (PNG, GeoTIFF, ESRI "
    "ASCII,\n"
    "SRTM ...). The file is read, repaired as a scene would repair it, and cut into columns. The report says what was\n"
    "found and assumed: size, unit and faults; the number of layers, overhangs, and cavities that no liquid can "
    "reach;\n"
    "memory and time. DIR then holds a picture and a scene that is ready to run:\n"
    "\n"
    "  runnel inspect part.stl                     see whether the guesses are right\n"
    "  runnel inspect part.stl --unit in --up y    if they are not\n"
    "  runnel inspect cup.obj --as sheet --thickness 0.003\n"
    "                                              for a surface without an inner wall\n"
    "  runnel run out/inspect/part.json            pour liquid over it\n"
    "\n"
    "  --unit NAME       unit of the numbers in the file: m, cm, mm, um, km, in or ft (default: as the file says; else "
    "mm\n"
    "                      if it is more than 10 across, m otherwise)\n"
    "  --up AXIS         which way is up: x, -x, y, -y, z or -z (default: as the format says; else the axis\n"
    "                      of a plate, y for OBJ, z for others)\n"
    "  --as MEANING      solid: what the triangles enclose; sheet: a skin around them; ground: all below them\n"
    "                      (default: ground if it is open and looks up, else solid)\n"
    "  --thickness M     thickness of a sheet in metres (default: two cells)\n"
    "  --iso VALUE       for volumes: samples with this value or more are solid (default: bone in CT, all labels, the\n"
    "                      surface of a level set; else the middle of its values)\n"
    "  --cells N         number of cells along the longer side (default: 200; one for each pixel of a terrain)\n"
    "  --cell M          size of a cell in metres, instead of --cells\n"
    "  --out DIR         folder for results (default: out/inspect); a different scene of that name there is kept as\n"
    "                      NAME-1.json, NAME-2.json ...\n"
    "  --no-render       draw no picture\n"
    "  --threads N       number of threads (default: 0, one per core)\n"
    "  --json            print everything as JSON on stdout\n"
    "\n"
    "Warnings go to stderr. Exit status: 0 if it can be used, 2 and one sentence if not.\n";

/* Returns the thickness (m) of the solid at a point: twice the largest depth below its surface that is found up to 3/4
   of a cell away along each axis. Returns 0 if no solid is found. */
static double thickness_at(const rn_sdf *solid, rn_vec3 at, double cell) {
    enum { ALONG = 9 };
    double deepest = 0;
    for (int k = 0; k < ALONG * ALONG * ALONG; k++) {
        const double x = (k % ALONG) / (ALONG - 1.0) - 0.5, y = (k / ALONG % ALONG) / (ALONG - 1.0) - 0.5,
                     z = (k / (ALONG * ALONG)) / (ALONG - 1.0) - 0.5;
        const rn_vec3 near = {at.x + 1.5 * cell * x, at.y + 1.5 * cell * y, at.z + 1.5 * cell * z};
        deepest = fmin(deepest, rn_sdf_distance(solid, near));
    }
    return -2 * deepest;
}

/* Warns of walls and slabs thinner than 1.5 cells if they are more than 5 % of those in i->survey: how many, where, and
   which cells would hold them. `solid`: to measure their thickness; NULL: unknown. */
static void warn_of_thin(inspection *i, const rn_sdf *solid) {
    const rn_survey *s = &i->survey;
    if (!(20 * s->thin > s->stretches)) return;
    const double thickness = solid ? fmin(thickness_at(solid, s->thin_at, i->cell), 1.5 * i->cell) : 0;
    const double cell = thickness > 0 ? fmin(thickness / 1.5, 0.75 * i->cell) : 0.5 * i->cell;
    inspect_warn(
        i,
        "%.0f %% of its walls and slabs are thinner than 1.5 cells of %.3g mm and may leak or have gaps, as at "
        "x %.4g, y %.4g, z %.4g m, where it is %.2g mm thick; --cell %.2g would hold it",
        100.0 * (double)s->thin / (double)s->stretches, i->cell * 1000, s->thin_at.x, s->thin_at.y, s->thin_at.z,
        1000 * (thickness > 0 ? thickness : i->cell), cell);
}

/* Warns if the columns hold a volume of solid that differs by more than 5 % from that of a solid mesh, and if nothing
   rises above the ground. Needs i->survey. */
static void warn_of_columns(inspection *i) {
    const rn_survey *s = &i->survey;
    if (i->is_mesh && i->mesh.meaning == RN_MESH_SOLID && fabs(s->solid - i->mesh.volume) > 0.05 * i->mesh.volume) {
        const volume_unit unit = volume_unit_for(i->mesh.volume);
        inspect_warn(i,
                     "its triangles enclose %.4g %s, but its columns %.4g %s: unless parts of it overlap, give a "
                     "--cell smaller than %.3g",
                     i->mesh.volume * unit.per_m3, unit.name, s->solid * unit.per_m3, unit.name, i->cell);
    }
    if (s->covered == 0) inspect_warn(i, "no part of it rises above the ground");
}

/* Draws the first view of the scene into the file i->picture. Returns false after printing an error. */
static bool draw_picture(inspection *i, rn_scene *scene) {
    const picture_options none = {0};
    const rn_scene_info info = rn_scene_describe(scene);
    const pictures_def def = {.command = "inspect",
                              .scene = scene,
                              .options = &none,
                              .view = &info.views[0],
                              .rate = 1,
                              .pace = 1,
                              .frames = 1,
                              .threads = i->options->threads};
    pictures p;
    bool fine = pictures_open(&p, &def);
    if (fine) fine = pictures_frame(&p, 0, i->picture, false);
    return pictures_close(&p, false) && fine;
}

/* Prints why the scene could not be opened. What is wrong with the mesh is said of its file, not of a scene that nobody
   wrote. */
static void complain_of_scene(const inspection *i) {
    const char *error = rn_last_error(), *file = strstr(error, i->path),
               *reason = file ? file + strlen(i->path) : error;
    if (file && strncmp(reason, ": ", 2) == 0) complain("%s%s", i->options->path, reason);
    else complain("%s", error);
}

/* Copies the report on the mesh, which is complete once its solid is made, to i->mesh, and adds its faults to the
   warnings. Does nothing for a terrain. */
static void warn_of_mesh(inspection *i, const rn_mesh_report *report) {
    char line[INSPECT_TEXT];
    if (!i->is_mesh) return;
    i->mesh = *report;
    for (int k = 0; rn_mesh_report_line(&i->mesh, k, line, sizeof line); k++) inspect_warn(i, "%s", line);
}

/* Opens the scene file as `runnel run` would, which i->seconds times, surveys its columns, and draws it unless
   --no-render, which empties i->picture. Sets i->terrain, i->world, i->survey and, of a mesh, i->mesh, and adds
   warnings. Returns false after printing an error. */
static bool build_scene(inspection *i) {
    const rn_scene_def def = {.path = i->scene, .threads = i->options->threads, .keep_solid = true};
    rn_scene *scene;
    const double before = clock_now();
    if (rn_scene_open(&def, &scene) != RN_OK) {
        complain_of_scene(i);
        return false;
    }
    warn_of_mesh(i, &scene->mesh);
    i->seconds = clock_now() - before;
    i->terrain = rn_terrain_describe(rn_scene_terrain(scene));
    i->world = rn_world_describe(rn_scene_world(scene));
    bool fine = rn_terrain_survey(rn_scene_terrain(scene), &i->survey) == RN_OK;
    if (!fine) complain("%s", rn_last_error());
    else warn_of_thin(i, rn_scene_solid(scene));
    if (i->options->no_render) *i->picture = 0;
    else if (fine) {
        countdown_show("drawing", 2, 0);
        fine = draw_picture(i, scene);
    }
    rn_scene_close(scene);
    return fine;
}

/* Runs all steps of the inspection: read, write the scene, build it, collect warnings. Prints no report. Returns false
   after printing an error. */
static bool inspect(inspection *i) {
    countdown_show("reading", 1, 3);
    if (!inspect_make_scene(i)) return false;
    countdown_show("making a world", 1, 2);
    if (!build_scene(i)) return false;
    warn_of_columns(i);
    return true;
}

/* Checks that a file was given and that the options fit its kind. `is_mesh` is also true for volumes. Returns false
   after printing an error. */
static bool check_options(const inspect_options *o, bool is_mesh, bool is_volume) {
    if (!o->path)
        complain("runnel inspect: give a mesh, a volume or a terrain, such as part.stl, ct.nii.gz or valley.tif");
    else if (o->cells && o->cell > 0) complain("runnel inspect: give --cells or --cell, not both");
    else if (!isnan(o->iso) && !is_volume)
        complain("runnel inspect: --iso is for volumes; %s was read as a %s", o->path, is_mesh ? "mesh" : "terrain");
    else if (is_volume && (o->as || o->thickness > 0))
        complain("runnel inspect: --as and --thickness are for meshes; %s is a volume, and solid", o->path);
    else if (!is_mesh && (o->unit || o->up || o->as || o->thickness > 0))
        complain("runnel inspect: --unit, --up, --as and --thickness are for meshes; %s was read as a terrain",
                 o->path);
    else return inspect_check_mesh_options(o);
    return false;
}

/* Runs the inspection, prints warnings on stderr and the report on stdout, and returns the exit status. */
static int inspect_with(inspection *i) {
    countdown_start();
    console_end_on_interrupt("");
    const bool fine = inspect(i);
    countdown_stop();
    if (!fine) return EXIT_BAD_INPUT;
    for (int k = 0; k < i->warning_count; k++) fprintf(stderr, "%s: %s\n", i->options->path, i->warnings[k]);
    if (i->options->json) inspect_print_json(stdout, i);
    else inspect_print_text(i);
    return EXIT_FINE;
}

/* `runnel inspect`: reads and checks the options, inspects the file, and returns the exit status. */
int command_inspect(int argc, char **argv) {
    inspect_options o = {.iso = NAN};
    const option options[] = {
        {"FILE", OPTION_BARE, &o.path, 0, 0},
        {"--out", OPTION_FOLDER, &o.out, 0, 0},
        {"--cells", OPTION_COUNT, &o.cells, 8, INSPECT_CELLS},
        {"--cell", OPTION_NUMBER, &o.cell, 1e-9, 1e6},
        {"--unit", OPTION_TEXT, &o.unit, 0, 0},
        {"--up", OPTION_TEXT, &o.up, 0, 0},
        {"--as", OPTION_TEXT, &o.as, 0, 0},
        {"--thickness", OPTION_NUMBER, &o.thickness, 1e-9, 1e6},
        {"--iso", OPTION_NUMBER, &o.iso, -1e30, 1e30},
        {"--threads", OPTION_COUNT, &o.threads, 0, 1024},
        {"--no-render", OPTION_FLAG, &o.no_render, 0, 0},
        {"--json", OPTION_FLAG, &o.json, 0, 0},
    };
    switch (options_read("inspect", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    inspection i = inspect_start(&o);
    return check_options(&o, i.is_mesh, i.is_volume) ? inspect_with(&i) : EXIT_BAD_INPUT;
}
