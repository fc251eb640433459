/* Shapes of a scene (shapes.h): tables of their keys, functions that build them, the list of types, and the reader. */
#include "io/scene/shapes.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/words.h"
#include "io/scene/georeference.h"
#include "io/scene/map.h"
#include "io/scene/shape_map.h"
#include "io/scene/shape_mesh.h"
#include "io/scene/shape_volume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every ray visits every shape, and nested shapes are read by recursion. */
enum { MOST_SHAPES = 4096, DEEPEST_NEST = 32 };

/* The values of any shape; those of other types are 0. */
typedef struct values {
    const char *type;
    rn_shape_pose pose;
    double normal[3], size[3], rounding, radius, height, from[3], to[3], radius_from, radius_to, radius_low,
        radius_high, tube, depth;
    double amplitude, wavelength;
    int octaves, seed;
    int cells[3];
    double spacing, origin[3];
    const json_t *values;
    rn_map_values map;
    rn_mesh_values mesh; /* also for volumes: placement of their surface */
    rn_volume_values volume;
    const json_t *of;
    double blend;
} values;

static const char *type_name(int index);

#define LENGTH              RN_ABOVE_TO(0, 1e6)
#define AT(member)          offsetof(values, member)
#define METRES(name, text)  #name, RN_KEY_NUMBER, AT(name), LENGTH, .required = true, .unit = "m", .meaning = text
#define OR_ZERO(name, text) #name, RN_KEY_NUMBER, AT(name), RN_FROM(0), .otherwise = "0", .unit = "m", .meaning = text

static const rn_key common_keys[] = {
    {"type", RN_KEY_TEXT, AT(type), .required = true, .names = type_name, .meaning = "kind of shape"},
    {"at", RN_KEY_NUMBER, AT(pose.at), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "position of its middle, applied after the rotation"},
    {"turn", RN_KEY_NUMBER, AT(pose.turn), RN_WITHIN(-3600, 3600), .length = 3, .otherwise = "[0, 0, 0]",
     .unit = "degrees", .meaning = "rotation about the x, then the y, then the z axis"},
    {"scale", RN_KEY_NUMBER, AT(pose.scale), RN_ABOVE_TO(0, 1e6), .otherwise = "1",
     .meaning = "factor on all sizes, before the rotation"},
    {"stretch", RN_KEY_NUMBER, AT(pose.stretch), RN_WITHIN(0.001, 1000), .length = 3, .otherwise = "[1, 1, 1]",
     .meaning = "factors along x, y and z, before the rotation; only for shapes of finite size"},
};
static const rn_table common_table = {RN_TABLE("shape", "What every shape has", common_keys, NULL)};

static const rn_key plane_keys[] = {
    {"normal", RN_KEY_NUMBER, AT(normal), RN_ANY, .length = 3, .otherwise = "[0, 0, 1]",
     .meaning = "direction out of the ground, of any length"},
};
static const rn_key box_keys[] = {
    {"size", RN_KEY_NUMBER, AT(size), LENGTH, .length = 3, .required = true, .unit = "m", .meaning = "full sizes"},
    {OR_ZERO(rounding, "radius of the rounded edges")},
};
static const rn_key sphere_keys[] = {
    {METRES(radius, "radius")},
};
static const rn_key cylinder_keys[] = {
    {METRES(radius, "radius")},
    {METRES(height, "full height, upright")},
};
static const rn_key capsule_keys[] = {
    {"from", RN_KEY_NUMBER, AT(from), RN_ANY, .length = 3, .required = true, .unit = "m",
     .meaning = "one end of its axis"},
    {"to", RN_KEY_NUMBER, AT(to), RN_ANY, .length = 3, .required = true, .unit = "m", .meaning = "the other end"},
    {METRES(radius, "distance of its surface from the axis")},
};
static const rn_key taper_keys[] = {
    {"from", RN_KEY_NUMBER, AT(from), RN_ANY, .length = 3, .required = true, .unit = "m",
     .meaning = "one end of its axis"},
    {"to", RN_KEY_NUMBER, AT(to), RN_ANY, .length = 3, .required = true, .unit = "m", .meaning = "the other end"},
    {METRES(radius_from, "radius of the ball around the first end")},
    {METRES(radius_to, "radius of the ball around the other end")},
};
static const rn_key cone_keys[] = {
    {OR_ZERO(radius_low, "radius of the lower face")},
    {OR_ZERO(radius_high, "radius of the upper face")},
    {METRES(height, "full height, upright")},
};
static const rn_key torus_keys[] = {
    {METRES(radius, "radius of the ring")},
    {METRES(tube, "radius of the tube")},
};
static const rn_key bowl_keys[] = {
    {METRES(radius, "radius of the rim")},
    {METRES(depth, "depth, at most the radius")},
};
static const rn_key noise_keys[] = {
    {METRES(amplitude, "greatest height above and below the middle")},
    {METRES(wavelength, "size of the largest features")},
    {"octaves", RN_KEY_COUNT, AT(octaves), RN_WITHIN(1, 8), .otherwise = "3",
     .meaning = "number of octaves, each half the size of the one before"},
    {"seed", RN_KEY_COUNT, AT(seed), RN_WITHIN(0, 2147483647), .otherwise = "1",
     .meaning = "another seed, another ground"},
};
static const rn_key grid_keys[] = {
    {"cells", RN_KEY_COUNT, AT(cells), RN_WITHIN(2, 1024), .length = 3, .required = true,
     .meaning = "points along x, y and z"},
    {"values", RN_KEY_SAMPLES, AT(values), RN_ANY, .least = 1, .required = true, .unit = "m",
     .meaning = "signed distances, x fastest, negative in the solid"},
    {METRES(spacing, "distance between points")},
    {"origin", RN_KEY_NUMBER, AT(origin), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "position of the first point"},
};
static const char *const missing_names[] = {"around", "lowest", "highest", NULL}; /* as rn_missing */
static const char *const datum_names[] = {"file", "lowest", NULL};                /* as rn_map_datum */

static const rn_key heightmap_keys[] = {
    {"file", RN_KEY_TEXT, AT(map.file),
     .meaning = "a grey PNG, a GeoTIFF, an ESRI ASCII grid or another terrain, docs/terrains.md, relative to the scene "
                "file"},
    {"heights", RN_KEY_ROWS, AT(map.heights), RN_ANY, .least = 1, .unit = "m",
     .meaning = "instead of a file: rows of heights from north to south"},
    {"low", RN_KEY_NUMBER, AT(map.low), RN_ANY, .otherwise = "0", .unit = "m", .meaning = "PNG: height of black"},
    {"high", RN_KEY_NUMBER, AT(map.high), RN_ANY, .otherwise = "1", .unit = "m", .meaning = "PNG: height of white"},
    {"grey_level", RN_KEY_NUMBER, AT(map.grey_level), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning =
         "PNG: height of one grey level above low, instead of high; 1 for pictures that hold metres; 0: not used"},
    {"spacing", RN_KEY_NUMBER, AT(map.spacing), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "distance between samples; 0: as the file says, or else stretched over the domain"},
    {"origin", RN_KEY_NUMBER, AT(map.origin), RN_ANY, .length = 2, .otherwise = "[0, 0]", .unit = "m",
     .meaning = "unless stretched: position of the south-west sample"},
    {"fit", RN_KEY_FLAG, AT(map.fit), .otherwise = "false",
     .meaning = "true: stretched over the domain; heights above the lowest are scaled like the x axis"},
    {"crop", RN_KEY_NUMBER, AT(map.crop), RN_ANY, .length = 4, .otherwise = "[0, 0, 0, 0]", .unit = "m",
     .meaning = "west, south, east and north end of what is taken from the file, from its south-west corner; all 0: "
                "everything"},
    {"resample", RN_KEY_NUMBER, AT(map.resample), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "new distance between samples, by averaging or linear interpolation; 0: as in the file"},
    {"nodata", RN_KEY_NUMBER, AT(map.nodata), RN_ANY, .unit = "m",
     .meaning = "height that marks missing data, besides the file's own"},
    {"nodata_fill", RN_KEY_CHOICE, AT(map.missing), .otherwise = "around", .choices = missing_names,
     .meaning = "what replaces missing data: heights from around it, the lowest or the highest height"},
    {"datum", RN_KEY_CHOICE, AT(map.datum), .otherwise = "file", .choices = datum_names,
     .meaning = "lowest: the lowest height becomes 0; file: as they are"},
    {"exaggerate", RN_KEY_NUMBER, AT(map.exaggerate), RN_ABOVE_TO(0, 1000), .otherwise = "1",
     .meaning = "factor on heights above the lowest"},
};
static const char *const heightmap_ways[] = {"file", "heights", NULL};
/* Keys for the placement of a file's content. */
static const rn_key placed_keys[] = {
    {"unit", RN_KEY_CHOICE, AT(mesh.unit), .otherwise = "auto", .choices = rn_mesh_units,
     .meaning = "unit of the numbers in the file; auto: as its format says, else m"},
    {"up", RN_KEY_CHOICE, AT(mesh.up), .otherwise = "auto", .choices = rn_mesh_ups,
     .meaning = "the direction in the file that becomes z; auto: as its format says, else z"},
    {"fit", RN_KEY_NUMBER, AT(mesh.fit), RN_WITHIN(0, 100), .otherwise = "0",
     .meaning = "scaled so that its plan fills this share of the domain, and centred; 0: as large as it is"},
    {"centred", RN_KEY_FLAG, AT(mesh.centred), .otherwise = "false",
     .meaning = "true: its plan in the middle of the domain, its lowest point at z = 0, before \"at\" moves it"},
};
static const rn_table placed_table = {RN_TABLE("shape", "Keys of shapes from files", placed_keys, &common_table)};

static const rn_key mesh_keys[] = {
    {"file", RN_KEY_TEXT, AT(mesh.file), .required = true,
     .meaning = "OBJ, STL, PLY, glTF or another kind that assimp reads, relative to the scene file"},
    {"as", RN_KEY_CHOICE, AT(mesh.as), .otherwise = "auto", .choices = rn_mesh_meanings,
     .meaning = "what is solid; auto: ground if it is open and looks up, else solid"},
    {"thickness", RN_KEY_NUMBER, AT(mesh.thickness), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "thickness of a sheet, half on either side of its triangles"},
    {"join", RN_KEY_NUMBER, AT(mesh.join), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "vertices closer than this are merged; 0: a ten-millionth of its longest side"},
    {"spacing", RN_KEY_NUMBER, AT(mesh.spacing), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "of the skin around triangles that do not join; 0: 1/64 of its longest side, up to 1/40 for fewer than "
                "256 triangles"},
};
static const rn_key volume_keys[] = {
    {"file", RN_KEY_TEXT, AT(mesh.file), .required = true,
     .meaning = "NIfTI (.nii, .nii.gz, .hdr), NRRD (.nrrd, .nhdr) or NanoVDB (.nvdb), relative to the scene file"},
    {"iso", RN_KEY_NUMBER, AT(volume.iso), RN_ANY,
     .meaning = "solid is where values are this or more; of level sets, this or less: 0 is their surface"},
    {"below", RN_KEY_FLAG, AT(volume.below), .otherwise = "false",
     .meaning = "true: solid is where values are \"iso\" or less, as in level sets"},
    {"labels", RN_KEY_SAMPLES, AT(volume.labels), RN_WITHIN(-16777216, 16777216), .least = 1,
     .meaning = "of a label map: the values that are solid"},
    {"smoothing", RN_KEY_NUMBER, AT(volume.smoothing), RN_WITHIN(0, 1), .otherwise = "0.8",
     .meaning = "width, in samples, of the Gaussian that smooths the steps of labels; 0: none"},
    {"spacing", RN_KEY_NUMBER, AT(volume.spacing), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "distance to which samples are averaged, before \"scale\" and \"fit\"; 0: all, up to 64 million"},
    {"least_part", RN_KEY_NUMBER, AT(volume.least_part), RN_FROM(0), .otherwise = "0", .unit = "m³",
     .meaning = "smaller islands, and cavities in the solid, are removed; before \"scale\" and \"fit\""},
};
static const char *const volume_ways[] = {"iso", "labels", NULL};
static const rn_key group_keys[] = {
    {"of", RN_KEY_SHAPES, AT(of), .least = 1, .required = true, .meaning = "the shapes to combine"},
    {OR_ZERO(blend, "length over which seams are rounded")},
};
static const rn_key mirror_keys[] = {
    {"of", RN_KEY_SHAPES, AT(of), .least = 1, .required = true, .meaning = "the shapes to join and to mirror"},
    {OR_ZERO(blend, "length over which seams are rounded")},
};
static const rn_key roughen_keys[] = {
    {"of", RN_KEY_SHAPES, AT(of), .least = 1, .required = true, .meaning = "the shapes to join and to roughen"},
    {OR_ZERO(blend, "length over which seams are rounded")},
    {METRES(amplitude, "greatest height of a bump, and depth of a dent")},
    {METRES(wavelength, "size of the largest bumps")},
    {"octaves", RN_KEY_COUNT, AT(octaves), RN_WITHIN(1, 8), .otherwise = "3",
     .meaning = "number of octaves, each half the size of the one before"},
    {"seed", RN_KEY_COUNT, AT(seed), RN_WITHIN(0, 2147483647), .otherwise = "1",
     .meaning = "another seed, other bumps"},
};
static const rn_key subtract_keys[] = {
    {"of", RN_KEY_SHAPES, AT(of), .least = 2, .required = true, .meaning = "the shape to cut, and those to cut away"},
    {OR_ZERO(blend, "length over which seams are rounded")},
};

/* ---- Builders: each returns the shape of its type, which the caller destroys; NULL, with an error text, on failure.
   Without its pose, unless the type is PLACED below ---- */

typedef struct builder {
    rn_shape_context *context;
    const values *values;
    const rn_json_path *place;
    int depth;
} builder;

static rn_vec3 vector(const double *v) { return (rn_vec3){v[0], v[1], v[2]}; }

/* Returns `shape`. If it is NULL, adds the place in the scene to the error text. */
static rn_sdf *name_failed_shape(const builder *b, rn_sdf *shape) {
    if (!shape) rn_document_pass(b->place, RN_INVALID);
    return shape;
}

/* Returns all below the plane through the origin with this normal. */
static rn_sdf *build_plane(const builder *b) {
    return name_failed_shape(b, rn_sdf_plane((rn_vec3){0, 0, 0}, vector(b->values->normal)));
}
/* Returns a box of "size" with edges rounded by "rounding". */
static rn_sdf *build_box(const builder *b) {
    return name_failed_shape(b, rn_sdf_rounded_box(vector(b->values->size), b->values->rounding));
}
/* Returns a ball of "radius". */
static rn_sdf *build_sphere(const builder *b) { return name_failed_shape(b, rn_sdf_sphere(b->values->radius)); }
/* Returns an upright cylinder of "radius" and "height". */
static rn_sdf *build_cylinder(const builder *b) {
    return name_failed_shape(b, rn_sdf_cylinder(b->values->radius, b->values->height));
}
/* Returns all within "radius" of the line from "from" to "to". */
static rn_sdf *build_capsule(const builder *b) {
    return name_failed_shape(b,
                             rn_sdf_capsule_between(vector(b->values->from), vector(b->values->to), b->values->radius));
}
/* Returns the hull of two balls, "radius_from" around "from" and "radius_to" around "to". */
static rn_sdf *build_taper(const builder *b) {
    const values *v = b->values;
    return name_failed_shape(b, rn_sdf_taper(vector(v->from), vector(v->to), v->radius_from, v->radius_to));
}
/* Returns an upright cone, or a part of one, with "radius_low" below and "radius_high" above. */
static rn_sdf *build_cone(const builder *b) {
    return name_failed_shape(b, rn_sdf_cone(b->values->radius_low, b->values->radius_high, b->values->height));
}
/* Returns a ring of "radius" around the z axis, whose tube has the radius "tube". */
static rn_sdf *build_torus(const builder *b) {
    return name_failed_shape(b, rn_sdf_torus(b->values->radius, b->values->tube));
}
/* Returns all below z = 0, without a spherical bowl of "radius" and "depth". */
static rn_sdf *build_bowl(const builder *b) {
    return name_failed_shape(b, rn_sdf_bowl(b->values->radius, b->values->depth));
}
/* Returns all below a rolling ground of random heights, which follow from "seed". */
static rn_sdf *build_noise(const builder *b) {
    const values *v = b->values;
    return name_failed_shape(b, rn_sdf_noise(v->amplitude, v->wavelength, v->octaves, (uint32_t)v->seed));
}

/* Returns a grid of distances from the numbers in "values", which must be as many as "cells" says. */
static rn_sdf *build_grid(const builder *b) {
    const values *v = b->values;
    rn_json_path at = {b->place->document, b->place, "values", 0};
    size_t count = (size_t)v->cells[0] * (size_t)v->cells[1] * (size_t)v->cells[2], used = 0;
    if (count != rn_rows_count(v->values)) {
        rn_document_fail(&at, RN_INVALID, "holds %zu numbers; \"cells\" asks for %zu", rn_rows_count(v->values), count);
        return NULL;
    }
    float *distances = rn_alloc(NULL, count, sizeof *distances);
    if (!distances) return name_failed_shape(b, NULL);
    rn_rows_copy(v->values, distances, &used);
    rn_sdf *shape = name_failed_shape(
        b, rn_sdf_grid(distances, v->cells[0], v->cells[1], v->cells[2], v->spacing, vector(v->origin)));
    rn_free(NULL, distances);
    return shape;
}

/* Returns all below the heights of a file or list (rn_shape_map). */
static rn_sdf *build_heightmap(const builder *b) { return rn_shape_map(b->context, &b->values->map, b->place); }

/* Returns the solid of a mesh file in its final place (rn_shape_from_mesh). */
static rn_sdf *build_mesh(const builder *b) {
    return rn_shape_from_mesh(b->context, &b->values->mesh, &b->values->pose, b->place);
}

/* Returns the solid in a volume file in its final place (rn_shape_volume). */
static rn_sdf *build_volume(const builder *b) {
    return rn_shape_volume(b->context, &b->values->volume, &b->values->mesh, &b->values->pose, b->place);
}

static rn_sdf *read_shape(rn_shape_context *context, const json_t *object, const rn_json_path *place, int depth);

/* Reads the shapes `first` to `end` - 1 (at least one) of "of" and joins them by `join`, with the blend of the values.
   Halving keeps the tree of fields shallow, whatever the length of the list. Returns NULL, with an error text, on
   failure. */
static rn_sdf *combine(const builder *b, size_t first, size_t end, rn_sdf *(*join)(rn_sdf *, rn_sdf *, double)) {
    if (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        rn_sdf *left = combine(b, first, middle, join);
        if (!left) return NULL;
        rn_sdf *right = combine(b, middle, end, join);
        if (!right) {
            rn_sdf_destroy(left);
            return NULL;
        }
        return name_failed_shape(b, join(left, right, b->values->blend));
    }
    rn_json_path list = {b->place->document, b->place, "of", 0}, at = {b->place->document, &list, NULL, first};
    return read_shape(b->context, json_array_get(b->values->of, first), &at, b->depth + 1);
}

/* Returns what any shape of "of" contains. */
static rn_sdf *build_union(const builder *b) { return combine(b, 0, json_array_size(b->values->of), rn_sdf_union); }
/* Returns what all shapes of "of" contain. */
static rn_sdf *build_intersect(const builder *b) {
    return combine(b, 0, json_array_size(b->values->of), rn_sdf_intersect);
}
/* Returns what the union of "of" contains at x > 0, and its mirror image at x < 0. */
static rn_sdf *build_mirror(const builder *b) {
    rn_sdf *half = build_union(b);
    return half ? name_failed_shape(b, rn_sdf_mirror(half)) : NULL;
}
/* Returns the union of "of", with bumps and dents. */
static rn_sdf *build_roughen(const builder *b) {
    const values *v = b->values;
    rn_sdf *smooth = build_union(b);
    if (!smooth) return NULL;
    return name_failed_shape(b, rn_sdf_roughen(smooth, v->amplitude, v->wavelength, v->octaves, (uint32_t)v->seed));
}
/* Returns the first shape of "of" without the union of the others, of which there is at least one; all seams are
   rounded by "blend". Returns NULL, with an error text, on failure. */
static rn_sdf *build_subtract(const builder *b) {
    rn_sdf *from = combine(b, 0, 1, rn_sdf_union);
    if (!from) return NULL;
    rn_sdf *what = combine(b, 1, json_array_size(b->values->of), rn_sdf_union);
    if (!what) {
        rn_sdf_destroy(from);
        return NULL;
    }
    return name_failed_shape(b, rn_sdf_subtract(from, what, b->values->blend));
}

/* ---- The types ---- */

typedef struct type {
    rn_table table;
    rn_sdf *(*build)(const builder *);
    bool applies_pose; /* applies its pose itself */
} type;

#define MADE(title, text, rows, more, sample)                                                                          \
    .table = {RN_TABLE(#title, text, rows, more), .example = "{\"type\": \"" #title "\", " sample "}"},                \
    .build = build_##title
#define TYPE(title, text, rows, sample)   MADE(title, text, rows, &common_table, sample)
#define PLACED(title, text, rows, sample) MADE(title, text, rows, &placed_table, sample), .applies_pose = true

static const type types[] = {
    {TYPE(plane, "all below a plane through the origin", plane_keys, "\"normal\": [0, 0.1, 1]")},
    {TYPE(box, "a box, its edges rounded if wanted", box_keys,
          "\"size\": [0.04, 0.03, 0.02], \"rounding\": 0.002, \"turn\": [0, 0, 30]")},
    {TYPE(sphere, "a ball", sphere_keys, "\"radius\": 0.01, \"at\": [0.05, 0.05, 0]")},
    {TYPE(cylinder, "an upright cylinder", cylinder_keys, "\"radius\": 0.01, \"height\": 0.03")},
    {TYPE(capsule, "a rod with round ends", capsule_keys,
          "\"from\": [0, 0, 0], \"to\": [0.05, 0.02, 0], \"radius\": 0.004")},
    {TYPE(taper, "the hull of two balls: a rod with round ends that tapers", taper_keys,
          "\"from\": [0, 0, 0], \"to\": [0.05, 0.02, 0], \"radius_from\": 0.008, \"radius_to\": 0.003")},
    {TYPE(cone, "an upright cone, cut off if both radii are given", cone_keys,
          "\"radius_low\": 0.03, \"radius_high\": 0.01, \"height\": 0.03")},
    {TYPE(torus, "a ring around the z axis", torus_keys, "\"radius\": 0.03, \"tube\": 0.005")},
    {TYPE(bowl, "all below z = 0, with a spherical bowl pressed into it", bowl_keys,
          "\"radius\": 0.04, \"depth\": 0.02, \"at\": [0.05, 0.05, 0]")},
    {TYPE(noise, "all below a gently rolling ground", noise_keys,
          "\"amplitude\": 0.003, \"wavelength\": 0.05, \"seed\": 12")},
    {TYPE(grid, "distances sampled on a 3D grid", grid_keys,
          "\"cells\": [2, 2, 2], \"values\": [-1, -1, -1, -1, 1, 1, 1, 1], \"spacing\": 2")},
    {TYPE(heightmap, "all below heights from a file or a list", heightmap_keys,
          "\"heights\": [[0, 0.01], [0.02, 0.03]]"),
     .table.one_of = heightmap_ways},
    {PLACED(mesh, "the triangles of a file", mesh_keys,
            "\"file\": \"part.stl\", \"unit\": \"mm\", \"up\": \"y\", \"fit\": 0.9")},
    {PLACED(volume, "what is dense or labelled in a scan, or inside a level set", volume_keys,
            "\"file\": \"ct.nii.gz\", \"iso\": 300, \"fit\": 0.9"),
     .table.one_of = volume_ways},
    {TYPE(union, "all that any of the shapes holds", group_keys,
          "\"of\": [{\"type\": \"plane\"}, {\"type\": \"sphere\", \"radius\": 0.01}], \"blend\": 0.004")},
    {TYPE(subtract, "the first shape without the others", subtract_keys,
          "\"of\": [{\"type\": \"plane\"}, {\"type\": \"sphere\", \"radius\": 0.01}]")},
    {TYPE(intersect, "what all of the shapes hold", group_keys,
          "\"of\": [{\"type\": \"plane\"}, {\"type\": \"sphere\", \"radius\": 0.01}]")},
    {TYPE(mirror, "what the shapes hold at x > 0, and its image beyond x = 0", mirror_keys,
          "\"of\": [{\"type\": \"sphere\", \"radius\": 0.01, \"at\": [0.02, 0, 0]}], \"at\": [0.05, 0.05, 0]")},
    {TYPE(roughen, "the shapes, with bumps and dents all over", roughen_keys,
          "\"of\": [{\"type\": \"sphere\", \"radius\": 0.01}], \"amplitude\": 0.0004, \"wavelength\": 0.004")},
};
enum { TYPES = sizeof types / sizeof types[0] };

/* Returns the table of a type, or NULL past the last. */
static const rn_table *table_at(int index) { return index >= 0 && index < TYPES ? &types[index].table : NULL; }
const rn_family rn_shape_family = {"shape", "a solid, by its type", "", "\"box\" or \"sphere\"", table_at};
/* Returns the name of a type, or NULL past the last. */
static const char *type_name(int index) { return index >= 0 && index < TYPES ? types[index].table.name : NULL; }

static bool nonzero(const double *v) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

/* Stretches, scales, rotates and moves a shape, in this order, by its values. Takes over the shape and returns the
   result, which the caller destroys. Returns NULL if the shape is NULL, or with an error text on failure. */
static rn_sdf *pose_shape(const builder *b, rn_sdf *shape) {
    const rn_shape_pose *pose = &b->values->pose;
    if (shape && (pose->stretch[0] != 1 || pose->stretch[1] != 1 || pose->stretch[2] != 1))
        shape = name_failed_shape(b, rn_sdf_stretch(shape, vector(pose->stretch)));
    if (shape && pose->scale != 1) shape = name_failed_shape(b, rn_sdf_scale(shape, pose->scale));
    if (shape && nonzero(pose->turn))
        shape = name_failed_shape(b, rn_sdf_turn(shape, rn_quat_from_degrees(vector(pose->turn))));
    if (shape && nonzero(pose->at)) shape = name_failed_shape(b, rn_sdf_move(shape, vector(pose->at)));
    return shape;
}

rn_result rn_shape_count(rn_shape_context *context, const rn_json_path *place) {
    if (++context->shapes <= MOST_SHAPES) return RN_OK;
    return rn_document_fail(place, RN_LIMIT, "is one shape more than the %d that a scene may have", MOST_SHAPES);
}

/* Reads a shape with its pose and counts it in context->shapes; depth: nesting level, 0 outermost. Returns NULL, with
   an error text that names the place, on failure. Sets context->failure only where a builder does. */
static rn_sdf *read_shape(rn_shape_context *context, const json_t *object, const rn_json_path *place, int depth) {
    char shown[64];
    if (!json_is_object(object)) {
        rn_document_fail(place, RN_INVALID,
                         "is %s; it must be a shape, such as {\"type\": \"sphere\", \"radius\": 0.01}",
                         rn_document_show(object, shown, sizeof shown));
        return NULL;
    }
    if (depth > DEEPEST_NEST) {
        rn_document_fail(place, RN_LIMIT, "is nested more than %d shapes deep", DEEPEST_NEST);
        return NULL;
    }
    if (rn_shape_count(context, place) != RN_OK) return NULL;
    const int found = rn_family_find(&rn_shape_family, object, place);
    const type *kind = found < 0 ? NULL : &types[found];
    values v = {.map.nodata = NAN, .volume.iso = NAN};
    if (!kind || rn_table_read(&kind->table, object, place, &v) != RN_OK) return NULL;
    builder b = {context, &v, place, depth};
    const bool known = rn_georeference_is_known(&context->georeference);
    rn_sdf *shape = kind->build(&b);
    if (kind->applies_pose) return shape;
    if (!known) rn_georeference_pose(context, &v.pose);
    return pose_shape(&b, shape);
}

rn_result rn_shape_read(rn_shape_context *context, const json_t *object, const rn_json_path *place, rn_sdf **shape) {
    context->failure = RN_INVALID;
    *shape = read_shape(context, object, place, 0);
    return *shape ? RN_OK : context->failure;
}
