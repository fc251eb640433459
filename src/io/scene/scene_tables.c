/* Tables of all keys of a scene except those of shapes and bodies. */
#include "io/scene/body_values.h"
#include "io/scene/scene_values.h"
#include "world/limits.h"

#include <string.h>

/* Sides of a grid; their product is checked against LARGEST_GRID when the scene is built. */
#define SIDE RN_WITHIN(1, 65536)

#define AT(type, member) offsetof(type, member)

static const rn_key grid_keys[] = {
    {"cells", RN_KEY_COUNT, AT(rn_grid_values, cells), SIDE, .length = 2, .required = true,
     .meaning = "number of cells along x and y"},
    {"cell", RN_KEY_NUMBER, AT(rn_grid_values, cell), RN_WITHIN(1e-6, 1e5), .required = true, .unit = "m",
     .meaning = "side of a square cell"},
    {"origin", RN_KEY_NUMBER, AT(rn_grid_values, origin), RN_ANY, .length = 2, .otherwise = "[0, 0]", .unit = "m",
     .meaning = "corner of the domain with the least x and y"},
    {"bottom", RN_KEY_NUMBER, AT(rn_grid_values, bottom), RN_ANY, .otherwise = "0", .unit = "m",
     .meaning =
         "height below which everything counts as solid. Default: below the lowest surface of the solid, at most 0"},
    {"lid", RN_KEY_NUMBER, AT(rn_grid_values, lid), RN_ANY, .otherwise = "0", .unit = "m",
     .meaning = "height above which no liquid rises; with bottom 0 or not given: chosen from the solid"},
};
const rn_table rn_grid_table = {RN_TABLE("grid", "Cells and the box they fill", grid_keys, NULL),
                                .example = "{\"cells\": [100, 100], \"cell\": 0.001}"};

static const rn_key georeference_keys[] = {
    {"crs", RN_KEY_TEXT, AT(rn_georeference_values, crs),
     .meaning = "the coordinate system: a code such as EPSG:32613, or WKT. Default: that of the ground's file"},
    {"origin", RN_KEY_NUMBER, AT(rn_georeference_values, origin), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]",
     .meaning = "coordinates of the point 0, 0, 0 of the scene, in units of the coordinate system; the height in m. "
                "Default: those in the ground's file; required if it has none"},
    {"scale", RN_KEY_NUMBER, AT(rn_georeference_values, scale), RN_ABOVE(0), .length = 2, .otherwise = "[1, 1]",
     .meaning = "units of the coordinate system in a metre of the scene, along x and y. Default: as in the ground's "
                "file; required for longitudes and latitudes if it has none"},
};
const rn_table rn_georeference_table = {
    RN_TABLE("georeference", "Where the scene lies on a map, for exports", georeference_keys, NULL),
    .example = "{\"crs\": \"EPSG:32613\", \"origin\": [476000, 4425000, 0]}"};

/* Returns the name of a built-in liquid, or NULL past the last. */
static const char *liquid_name(int index) {
    const rn_liquid *liquid = rn_liquid_at(index);
    return liquid ? liquid->name : NULL;
}

/* Returns the name of a built-in ground, or NULL past the last. */
static const char *ground_name(int index) { return rn_liquid_ground_at(index); }

static const rn_key liquid_keys[] = {
    {"name", RN_KEY_TEXT, AT(rn_liquid_values, name), .otherwise = "water", .names = liquid_name,
     .meaning = "a shipped liquid, from which the other values are taken"},
    {"on", RN_KEY_TEXT, AT(rn_liquid_values, on), .names = ground_name,
     .meaning = "the ground under it: contact_angle and receding_angle are then those of this pair, docs/contact.md"},
    {"viscosity", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.viscosity), RN_LIMITS(RN_LIMIT_VISCOSITY), .unit = "m²/s",
     .meaning = "kinematic viscosity"},
    {"density", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.density), RN_ABOVE(0), .unit = "kg/m³",
     .meaning = "mass of a cubic metre"},
    {"surface_tension", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.surface_tension), RN_FROM(0), .unit = "N/m",
     .meaning = "surface tension against air"},
    {"contact_angle", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.contact_angle), RN_WITHIN(0, 180), .unit = "degrees",
     .meaning = "angle between surface and ground where the liquid ends; with \"contact\": \"dynamic\" that of an edge "
                "that advances"},
    {"receding_angle", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.receding_angle), RN_WITHIN(0, 180), .unit = "degrees",
     .meaning = "the same for an edge that recedes, at most contact_angle; for \"contact\": \"dynamic\". Default: that "
                "of the named liquid, or contact_angle if that is less"},
    {"drying_time", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.drying_time), RN_FROM(0), .unit = "s",
     .meaning = "after which ground that the liquid has left counts as dry; 0: at once. For \"contact\": \"dynamic\""},
    {"refraction", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.refraction), RN_WITHIN(0, 5),
     .meaning = "index of refraction; 0 for a metal"},
    {"colour", RN_KEY_NUMBER, AT(rn_liquid_values, colour), RN_WITHIN(0, 1), .length = 3,
     .meaning =
         "instead of absorption and scattering: linear red, green and blue of the deep liquid; it hides the ground "
         "from full_depth on, 2 mm unless that is given"},
    {"absorption", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.absorption), RN_FROM(0), .length = 3, .unit = "1/m",
     .meaning = "absorption of red, green and blue light"},
    {"scattering", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.scattering), RN_FROM(0), .length = 3, .unit = "1/m",
     .meaning = "reduced scattering of red, green and blue light"},
    {"full_depth", RN_KEY_NUMBER, AT(rn_liquid_values, liquid.full_depth), RN_FROM(0), .unit = "m",
     .meaning = "depth at which the ground can no longer be seen through it; 0: computed from its optics"},
};
const rn_table rn_liquid_table = {
    RN_TABLE("liquid", "What flows; values left out are those of the named liquid", liquid_keys, NULL),
    .example = "{\"name\": \"blood\", \"viscosity\": 4e-6}"};

static const char *const edge_names[] = {"wall", "open", "periodic", NULL};

#define EDGE(name, side) name, RN_KEY_CHOICE, (size_t)(side) * sizeof(int), .otherwise = "wall", .choices = edge_names

static const rn_key edge_keys[] = {
    {EDGE("west", RN_SIDE_WEST), .meaning = "the -x side; wall: nothing passes, open: liquid falls over the edge"},
    {EDGE("east", RN_SIDE_EAST), .meaning = "the +x side; periodic: the opposite side continues here"},
    {EDGE("south", RN_SIDE_SOUTH), .meaning = "the -y side"},
    {EDGE("north", RN_SIDE_NORTH), .meaning = "the +y side"},
};
const rn_table rn_edges_table = {RN_TABLE("edges", "The four sides of the domain", edge_keys, NULL),
                                 .example = "{\"west\": \"periodic\", \"east\": \"periodic\", \"south\": \"open\"}"};

static const char *const trace_names[] = {"euler", "midpoint", NULL}; /* as rn_trace */

static const rn_key packets_keys[] = {
    {"count", RN_KEY_COUNT, AT(rn_packets_values, count), RN_WITHIN(1, 4), .otherwise = "2",
     .meaning = "N: a cell sends N x N packets, 2 to 4 along each side"},
    {"smoothing", RN_KEY_NUMBER, AT(rn_packets_values, smoothing), RN_WITHIN(1, 2), .otherwise = "1.05",
     .meaning = "s: packets are s times as wide, above 1; more smooths more"},
    {"courant", RN_KEY_NUMBER, AT(rn_packets_values, courant), RN_ABOVE_TO(0, 100), .otherwise = "0.5", .unit = "cells",
     .meaning = "how many cells waves travel in a substep: the pressure step is stable up to 1. Packets themselves may "
                "travel further"},
    {"trace", RN_KEY_CHOICE, AT(rn_packets_values, trace), .otherwise = "euler", .choices = trace_names,
     .meaning = "how packets are traced: by the velocity where they start, or by the velocity half way"},
    {"levels", RN_KEY_COUNT, AT(rn_packets_values, levels), RN_WITHIN(0, RN_PACKETS_LEVELS), .otherwise = "0",
     .meaning = "adaptive: how often cells may double their side, tile by tile of 16 x 16, where surface and flow are "
                "smooth; 0: all cells are of one size"},
    {"tolerance", RN_KEY_NUMBER, AT(rn_packets_values, tolerance), RN_WITHIN(0, 1000), .otherwise = "0", .unit = "m",
     .meaning = "adaptive: tiles become finer where surface or flow bend by more than this from cell to cell; 0: a "
                "thousandth of a cell"},
    {"fine", RN_KEY_NUMBER, AT(rn_packets_values, fine), RN_WITHIN(-1e9, 1e9), .length = 4, .otherwise = "[0, 0, 0, 0]",
     .unit = "m", .meaning = "adaptive: x, y and x, y of the region whose tiles are always fine"},
};
const rn_table rn_packets_table = {
    RN_TABLE("packets", "How the packets solver moves liquid, docs/packets.md", packets_keys, NULL),
    .example = "{\"count\": 3, \"smoothing\": 1.05, \"levels\": 2}"};

/* In the order of rn_solid_material. */
static const char *const material_names[] = {"plain", "bone", "ceramic", "metal", "plaster", "stone", "wood", NULL};

static const rn_key coat_keys[] = {
    {"in", RN_KEY_SHAPE, AT(rn_coat_values, in),
     .meaning = "the region whose solid has this coat; absent: the solids of \"solids\""},
    {"material", RN_KEY_CHOICE, AT(rn_coat_values, material), .otherwise = "plain", .choices = material_names,
     .meaning = "what it is made of"},
    {"colour", RN_KEY_NUMBER, AT(rn_coat_values, colour), RN_WITHIN(0, 1), .length = 3, .otherwise = "[0, 0, 0]",
     .meaning = "linear red, green, blue; all 0: the colour of the material"},
};
const rn_table rn_coat_table = {
    RN_TABLE("coat", "A part of the ground with its own material, shown in pictures in perspective", coat_keys, NULL),
    .example = "{\"in\": {\"type\": \"sphere\", \"radius\": 0.02}, \"material\": \"bone\"}"};

static const rn_key view_keys[] = {
    {"width", RN_KEY_COUNT, AT(rn_view_values, width), RN_WITHIN(16, 8192), .otherwise = "800", .unit = "pixels",
     .meaning = "width of the picture from above, \"map\"; its height follows from the domain"},
    {"ground", RN_KEY_NUMBER, AT(rn_view_values, ground), RN_WITHIN(0, 1), .length = 3, .otherwise = "[0, 0, 0]",
     .meaning = "colour of dry ground, linear red, green, blue; all 0: warm grey, or the colour of \"material\""},
    {"material", RN_KEY_CHOICE, AT(rn_view_values, material), .otherwise = "plain", .choices = material_names,
     .meaning = "what the ground is made of: its pattern and how it reflects. Its colour is that of the material, or "
                "\"ground\"; \"gloss\" counts for plain ground only"},
    {"floor", RN_KEY_CHOICE, AT(rn_view_values, floor), .otherwise = "plain", .choices = material_names,
     .meaning = "what the floor is made of on which the ground stands in the studio; plain: it has the colour of "
                "\"backdrop\""},
    {"coats", RN_KEY_LIST, AT(rn_view_values, coats), .table = &rn_coat_table,
     .meaning = "parts of the ground of other materials, at most 3; where regions overlap the last counts"},
    {"texture", RN_KEY_TEXT, AT(rn_view_values, texture),
     .meaning =
         "a PNG picture that is stretched over the domain, north up, and replaces the colour of the ground, such as "
         "an orthophoto; where it is transparent, and on steep sides, the ground keeps its own"},
    {"backdrop", RN_KEY_NUMBER, AT(rn_view_values, backdrop), RN_WITHIN(0, 1), .length = 3, .otherwise = "[0, 0, 0]",
     .meaning = "colour of the floor and the background (linear red, green, blue); outdoors, colour of the land or sea "
                "around the scene; all 0: light grey, or outdoors land that continues the ground"},
    {"gloss", RN_KEY_NUMBER, AT(rn_view_values, gloss), RN_WITHIN(0, 1), .otherwise = "0",
     .meaning = "of dry ground: 0 for chalk, 1 for a glaze"},
    {"tight", RN_KEY_FLAG, AT(rn_view_values, tight), .otherwise = "false",
     .meaning = "true: the ground soaks nothing up, as glass or varnish; otherwise it is darker where it is wet"},
    {"glass_above", RN_KEY_NUMBER, AT(rn_view_values, glass_above), RN_ANY, .unit = "m",
     .meaning =
         "solid above this height is drawn as clear glass, so that the liquid in pipes and between walls is seen; "
         "absent: none is"},
    {"full_depth", RN_KEY_NUMBER, AT(rn_view_values, full_depth), RN_FROM(0), .otherwise = "0", .unit = "m",
     .meaning = "depth at which the colour is deepest; 0: the liquid as it is, in a map chosen from what there is"},
    {"choppiness", RN_KEY_NUMBER, AT(rn_view_values, choppiness), RN_WITHIN(0, 1e6), .otherwise = "0", .unit = "m",
     .meaning = "waves are drawn with sharp crests: the surface moves up its slope by this times the slope. A wave of "
                "length L looks as on deep water at L / 6.3; docs/surface.md. Maps and the flow itself do not change"},
    {"exposure", RN_KEY_NUMBER, AT(rn_view_values, exposure), RN_WITHIN(-10, 10), .otherwise = "0", .unit = "stops",
     .meaning = "how much brighter the picture is; each stop is twice the light"},
    {"outdoors", RN_KEY_FLAG, AT(rn_view_values, outdoors), .otherwise = "false",
     .meaning = "true: under a sky with a sun; otherwise in a studio with soft lamps"},
    {"plain", RN_KEY_FLAG, AT(rn_view_values, plain), .otherwise = "false",
     .meaning = "true leaves out a map's scale bar and time"},
    {"tiles", RN_KEY_FLAG, AT(rn_view_values, tiles), .otherwise = "false",
     .meaning = "true draws the tiles of the adaptive packets solver into a map, as squares of 2 x 2 of their cells"},
};
const rn_table rn_view_table = {RN_TABLE("view", "How ground and liquid look in pictures", view_keys, NULL),
                                .example = "{\"ground\": [0.62, 0.56, 0.48], \"gloss\": 0.2}"};

static const rn_key eye_keys[] = {
    {"name", RN_KEY_TEXT, AT(rn_eye_values, name), .otherwise = "",
     .meaning = "its name for --view; empty: v and its number, counted from 1, or the next free one"},
    {"azimuth", RN_KEY_NUMBER, AT(rn_eye_values, azimuth), RN_WITHIN(-360, 360), .otherwise = "30", .unit = "degrees",
     .meaning = "0 looks north (+y) from the south, 90 looks west from the east"},
    {"elevation", RN_KEY_NUMBER, AT(rn_eye_values, elevation), RN_WITHIN(-90, 90), .otherwise = "35", .unit = "degrees",
     .meaning = "above the horizon; 90: straight down"},
    {"zoom", RN_KEY_NUMBER, AT(rn_eye_values, zoom), RN_WITHIN(0.01, 1000), .otherwise = "1",
     .meaning = "1: all of the domain, 2: half of it"},
    {"angle", RN_KEY_NUMBER, AT(rn_eye_values, angle), RN_WITHIN(0, 120), .otherwise = "32", .unit = "degrees",
     .meaning = "from the lower to the upper edge of the picture; 0: parallel rays"},
    {"target", RN_KEY_NUMBER, AT(rn_eye_values, target), RN_ANY, .length = 3, .unit = "m",
     .meaning = "what is in the middle of the picture; absent: the middle of the domain"},
    {"turn", RN_KEY_NUMBER, AT(rn_eye_values, turn), RN_WITHIN(-3600, 3600), .otherwise = "0", .unit = "degrees/s",
     .meaning = "change of the azimuth per second of a film, for a turntable"},
};
const rn_table rn_eye_table = {
    RN_TABLE("views", "A camera on a circle around the domain", eye_keys, NULL),
    .example = "{\"name\": \"front\", \"azimuth\": 20, \"elevation\": 30, \"zoom\": 1.2, \"turn\": 10}"};

static const rn_key fill_keys[] = {
    {"level", RN_KEY_NUMBER, AT(rn_fill_values, level), RN_LIMITS(RN_LIMIT_LEVEL), .unit = "m",
     .meaning = "fill up to this height"},
    {"depth", RN_KEY_NUMBER, AT(rn_fill_values, depth), RN_FROM(0), .unit = "m",
     .meaning = "fill to this depth above the highest ground of each cell"},
    {"shape", RN_KEY_SHAPE, AT(rn_fill_values, shape), .meaning = "fill what this shape holds"},
    {"in", RN_KEY_SHAPE, AT(rn_fill_values, in), .meaning = "only within this region"},
};
static const char *const fill_ways[] = {"level", "depth", "shape", NULL};
const rn_table rn_fill_table = {
    RN_TABLE("fill", "Liquid that is there from the start: a level, a depth or a shape", fill_keys, NULL),
    .one_of = fill_ways, .example = "{\"level\": 0.01, \"in\": {\"type\": \"box\", \"size\": [0.1, 0.1, 1]}}"};

static const char *const law_names[] = {"friction", "manning", "chezy", NULL}; /* as rn_friction_law */

/* Where the numbers of a raster lie; type: the values that it is a part of. */
#define RASTER_KEYS(type)                                                                                              \
    {"low", RN_KEY_NUMBER, AT(type, raster.low), RN_ANY, .otherwise = "0", .meaning = "PNG: number of black"},         \
        {"high", RN_KEY_NUMBER, AT(type, raster.high), RN_ANY, .otherwise = "1", .meaning = "PNG: number of white"},   \
        {"spacing",                                                                                                    \
         RN_KEY_NUMBER,                                                                                                \
         AT(type, raster.spacing),                                                                                     \
         RN_FROM(0),                                                                                                   \
         .otherwise = "0",                                                                                             \
         .unit = "m",                                                                                                  \
         .meaning = "raster: distance between its numbers; 0: as the file says, or else stretched over the domain"},   \
        {"origin",                                                                                                     \
         RN_KEY_NUMBER,                                                                                                \
         AT(type, raster.origin),                                                                                      \
         RN_ANY,                                                                                                       \
         .length = 2,                                                                                                  \
         .otherwise = "[0, 0]",                                                                                        \
         .unit = "m",                                                                                                  \
         .meaning = "raster, unless stretched: position of the south-west number, as for a heightmap"},                \
        {"fit", RN_KEY_FLAG, AT(type, raster.fit), .otherwise = "false",                                               \
         .meaning = "raster: true stretches it over the domain"},                                                      \
        {"crop",                                                                                                       \
         RN_KEY_NUMBER,                                                                                                \
         AT(type, raster.crop),                                                                                        \
         RN_ANY,                                                                                                       \
         .length = 4,                                                                                                  \
         .otherwise = "[0, 0, 0, 0]",                                                                                  \
         .unit = "m",                                                                                                  \
         .meaning = "raster: west, south, east and north end of what is taken from the file, from its south-west "     \
                    "corner; all "                                                                                     \
                    "0: everything"},                                                                                  \
    {                                                                                                                  \
        "nodata", RN_KEY_NUMBER, AT(type, raster.nodata), RN_ANY,                                                      \
            .meaning = "raster: number that marks missing data, besides the file's own"                                \
    }

static const rn_key rough_keys[] = {
    {"in", RN_KEY_SHAPE, AT(rn_rough_values, in),
     .meaning = "the region; ground that it reaches has this friction; absent: all ground"},
    {"friction", RN_KEY_NUMBER, AT(rn_rough_values, friction), RN_ABOVE_LIMITS(RN_LIMIT_FRICTION),
     .meaning = "share of its speed that deep liquid keeps there in a second"},
    {"manning", RN_KEY_NUMBER, AT(rn_rough_values, manning), RN_LIMITS(RN_LIMIT_MANNING), .unit = "s/m^(1/3)",
     .meaning = "Manning's n there, docs/model.md"},
    {"chezy", RN_KEY_NUMBER, AT(rn_rough_values, chezy), RN_LIMITS(RN_LIMIT_CHEZY), .unit = "m^(1/2)/s",
     .meaning = "Chezy's C there, docs/model.md"},
    {"raster", RN_KEY_TEXT, AT(rn_rough_values, raster.file), .needs = "values",
     .meaning = "a file of such numbers, of the kinds that terrains have, docs/terrains.md, relative to the scene "
                "file; where it has no data or ends, friction stays as it is"},
    {"values", RN_KEY_CHOICE, AT(rn_rough_values, values), .choices = law_names, .needs = "raster",
     .meaning = "what the numbers of the raster are"},
    RASTER_KEYS(rn_rough_values),
};
static const char *const rough_ways[] = {"friction", "manning", "chezy", "raster", NULL};
const rn_table rn_rough_table = {
    RN_TABLE("roughness", "Ground with a friction of its own: a region, or a raster of numbers", rough_keys, NULL),
    .one_of = rough_ways, .example = "{\"in\": {\"type\": \"box\", \"size\": [0.1, 0.1, 1]}, \"manning\": 0.035}"};

static const rn_key wetting_keys[] = {
    {"in", RN_KEY_SHAPE, AT(rn_wetting_values, in),
     .meaning = "the region; ground that it reaches has these angles; absent: all ground"},
    {"contact_angle", RN_KEY_NUMBER, AT(rn_wetting_values, contact_angle), RN_LIMITS(RN_LIMIT_ANGLE), .unit = "degrees",
     .meaning = "of an edge that advances over it"},
    {"receding_angle", RN_KEY_NUMBER, AT(rn_wetting_values, receding_angle), RN_LIMITS(RN_LIMIT_ANGLE),
     .unit = "degrees",
     .meaning = "of an edge that recedes, at most contact_angle. Default: as much less as that of the liquid"},
    {"raster", RN_KEY_TEXT, AT(rn_wetting_values, raster.file),
     .meaning = "a file of contact angles, as for roughness; where it has none or ends, angles stay as they are"},
    RASTER_KEYS(rn_wetting_values),
};
static const char *const wetting_ways[] = {"contact_angle", "raster", NULL};
const rn_table rn_wetting_table = {
    RN_TABLE("wetting", "Ground with contact angles of its own: a region, or a raster of angles", wetting_keys, NULL),
    .one_of = wetting_ways,
    .example = "{\"in\": {\"type\": \"box\", \"size\": [0.01, 0.1, 1]}, \"contact_angle\": 20}"};

#define WHEN(type, text)                                                                                               \
    {"start",                                                                                                          \
     RN_KEY_NUMBER,                                                                                                    \
     AT(type, start),                                                                                                  \
     RN_FROM(0),                                                                                                       \
     .otherwise = "0",                                                                                                 \
     .unit = "s",                                                                                                      \
     .meaning = "time at which " text " begins"},                                                                      \
    {                                                                                                                  \
        "stop", RN_KEY_NUMBER, AT(type, stop), RN_FROM(0), .otherwise = "0", .unit = "s",                              \
                                                           .meaning = "time at which " text " ends; 0: never"          \
    }

static const rn_key solid_keys[] = {
    {"shape", RN_KEY_SHAPE, AT(rn_solid_values, shape), .required = true,
     .meaning = "its shape, around its own origin"},
    {"carve", RN_KEY_FLAG, AT(rn_solid_values, carve), .otherwise = "false",
     .meaning = "true: carves out what it covers instead of filling it"},
    {"lasting", RN_KEY_FLAG, AT(rn_solid_values, lasting), .otherwise = "false",
     .meaning = "true: a brush; what it has covered stays filled or carved out"},
    {"path", RN_KEY_SERIES, AT(rn_solid_values, path), RN_ANY, .length = 3, .unit = "s, m",
     .meaning = "path of its origin: waypoints joined by straight lines; it waits at the first and stays at the last"},
    {"turns", RN_KEY_SERIES, AT(rn_solid_values, turns), RN_WITHIN(-1e6, 1e6), .length = 3, .unit = "s, degrees",
     .meaning = "rotations over time about its own x, then y, then z axis, before it is moved"},
    {"animation", RN_KEY_FLAG, AT(rn_solid_values, animation), .otherwise = "false",
     .meaning = "true: a mesh moves as the first animation in its own file says, from \"start\" on"},
    {"cache", RN_KEY_TEXT, AT(rn_solid_values, cache), .otherwise = "",
     .meaning = "a point cache (.pc2) that deforms a mesh, from \"start\" on; relative to the scene file"},
    {"fps", RN_KEY_NUMBER, AT(rn_solid_values, fps), RN_ABOVE_TO(0, 1e6), .otherwise = "24", .unit = "1/s",
     .meaning = "frames of the point cache per second"},
    {"speed", RN_KEY_NUMBER, AT(rn_solid_values, speed), RN_WITHIN(0, 1000), .otherwise = "1",
     .meaning = "speed factor of the animation or the cache"},
    {"loop", RN_KEY_FLAG, AT(rn_solid_values, loop), .otherwise = "false",
     .meaning = "true: the animation or the cache repeats; its end should match its beginning"},
    WHEN(rn_solid_values, "it"),
};
const rn_table rn_solid_table = {
    RN_TABLE("solid", "Solid that appears, moves or disappears while the scene runs", solid_keys, NULL),
    .example = "{\"shape\": {\"type\": \"box\", \"size\": [0.01, 0.1, 0.04]}, \"path\": [[1, 0.05, 0.05, 0.02], [2, "
               "0.05, 0.05, 0.06]]}"};

static const char *const side_names[] = {"west", "east", "south", "north", NULL}; /* as rn_side */

static const rn_key place_keys[] = {
    {"at", RN_KEY_NUMBER, AT(rn_source_values, at), RN_ANY, .length = 3, .unit = "m",
     .meaning = "centre; liquid lands on the highest ground at or below this height"},
    {"path", RN_KEY_SERIES, AT(rn_source_values, path), RN_ANY, .length = 3, .unit = "s, m",
     .meaning = "a centre that moves: waypoints joined by straight lines; it waits at the first and stays at the last"},
    {"radius", RN_KEY_NUMBER, AT(rn_source_values, radius), RN_LIMITS(RN_LIMIT_RADIUS), .otherwise = "0", .unit = "m",
     .meaning = "radius of the disk around the centre; 0: the one cell there"},
    {"shape", RN_KEY_SHAPE, AT(rn_source_values, shape),
     .meaning = "instead of the disk: the cells that meet this shape"},
    {"edge", RN_KEY_CHOICE, AT(rn_source_values, edge), .choices = side_names,
     .meaning = "instead of the disk: the highest ground of every cell along this side of the domain"},
    WHEN(rn_source_values, "it"),
};
static const char *const place_ways[] = {"at", "path", "shape", "edge", NULL};
static const rn_table place_table = {RN_TABLE("place", "Where and when", place_keys, NULL), .one_of = place_ways};

static const rn_key source_keys[] = {
    {"velocity", RN_KEY_NUMBER, AT(rn_source_values, velocity), RN_WITHIN(-1e5, 1e5), .length = 3,
     .otherwise = "[0, 0, 0]", .unit = "m/s",
     .meaning = "velocity of a jet into a 3D liquid; 0: straight down, at the speed that follows from rate and radius. "
                "Other solvers ignore it"},
    {"rate", RN_KEY_SERIES, AT(rn_source_values, rate), RN_LIMITS(RN_LIMIT_RATE), .unit = "m³/s",
     .meaning = "volume poured in a second"},
    {"level", RN_KEY_SERIES, AT(rn_source_values, level), RN_LIMITS(RN_LIMIT_LEVEL), .unit = "m",
     .meaning = "height at which the surface is held, by pouring and by taking away"},
    {"head", RN_KEY_SERIES, AT(rn_source_values, head), RN_LIMITS(RN_LIMIT_LEVEL), .unit = "m", .needs = "resistance",
     .meaning = "pressure as a height: pours (head - surface) / resistance, and never drains"},
    {"resistance", RN_KEY_NUMBER, AT(rn_source_values, resistance), RN_LIMITS(RN_LIMIT_RESISTANCE), .unit = "s/m²",
     .needs = "head", .meaning = "metres of head for each m³/s"},
};
static const char *const source_ways[] = {"rate", "level", "head", NULL};
const rn_table rn_source_table = {
    RN_TABLE("source", "A place where liquid comes in", source_keys, &place_table), .one_of = source_ways,
    .example = "{\"at\": [0.03, 0.05, 0.05], \"radius\": 0.004, \"rate\": [[0, 0], [1, 1e-5], [3, 0]]}"};

static const rn_key drain_keys[] = {
    {"rate", RN_KEY_SERIES, AT(rn_source_values, rate), RN_LIMITS(RN_LIMIT_RATE), .unit = "m³/s",
     .meaning = "volume taken in a second; absent: all there is"},
};
const rn_table rn_drain_table = {RN_TABLE("drain", "A place where liquid is taken away", drain_keys, &place_table),
                                 .example =
                                     "{\"path\": [[0, 0.02, 0.05, 0.05], [2, 0.07, 0.05, 0.05]], \"radius\": 0.005}"};

static const rn_key rain_keys[] = {
    {"rate", RN_KEY_SERIES, AT(rn_area_values, rate), RN_LIMITS(RN_LIMIT_RATE), .required = true, .unit = "m/s",
     .meaning = "depth that falls in a second on whatever lies open to the sky; 10 mm an hour are 2.8e-6"},
    {"map", RN_KEY_MAP, AT(rn_area_values, map), RN_WITHIN(0, 1), .least = 1,
     .meaning = "shares of the rate, stretched over the domain: a grey PNG, white for all of it, or rows from north to "
                "south of numbers from 0 to 1"},
    {"in", RN_KEY_SHAPE, AT(rn_area_values, in), .meaning = "only within this region"},
    WHEN(rn_area_values, "it"),
};
const rn_table rn_rain_table = {RN_TABLE("rain", "Liquid that falls everywhere, or in a region", rain_keys, NULL),
                                .example = "{\"rate\": [[0, 0], [60, 2e-5], [600, 0]], \"map\": [[0, 1], [0.5, 1]]}"};

static const rn_key force_keys[] = {
    {"at", RN_KEY_NUMBER, AT(rn_force_values, at), RN_ANY, .length = 2, .otherwise = "[0, 0]", .unit = "m",
     .meaning = "its middle"},
    {"radius", RN_KEY_NUMBER, AT(rn_force_values, radius), RN_LIMITS(RN_LIMIT_RADIUS), .otherwise = "0", .unit = "m",
     .meaning = "radius within which it acts, weaker towards the rim; 0: equally everywhere"},
    {"push", RN_KEY_NUMBER, AT(rn_force_values, push), RN_LIMITS(RN_LIMIT_FORCE), .length = 2, .otherwise = "[0, 0]",
     .unit = "m/s²", .meaning = "acceleration along x and y"},
    {"swirl", RN_KEY_NUMBER, AT(rn_force_values, swirl), RN_LIMITS(RN_LIMIT_FORCE), .otherwise = "0", .unit = "m/s²",
     .needs = "radius", .meaning = "acceleration around the middle, anticlockwise"},
    {"stress", RN_KEY_NUMBER, AT(rn_force_values, stress), RN_LIMITS(RN_LIMIT_FORCE), .length = 2,
     .otherwise = "[0, 0]", .unit = "m²/s²", .meaning = "wind: stress divided by the liquid's density"},
    WHEN(rn_force_values, "it"),
};
const rn_table rn_force_table = {RN_TABLE("force", "Wind over the liquid, or a force by hand", force_keys, NULL),
                                 .example = "{\"at\": [0.5, 0.5], \"radius\": 0.2, \"swirl\": 1, \"stop\": 3}"};

static const char *const loss_kinds[] = {"evaporation", "infiltration", NULL}; /* as the last rn_source_kinds */

static const rn_key loss_keys[] = {
    {"kind", RN_KEY_CHOICE, AT(rn_area_values, kind), .required = true, .choices = loss_kinds,
     .meaning = "evaporation takes from what lies open to the sky, infiltration from all liquid"},
    {"rate", RN_KEY_SERIES, AT(rn_area_values, rate), RN_LIMITS(RN_LIMIT_RATE), .required = true, .unit = "m/s",
     .meaning = "depth lost in a second"},
    {"in", RN_KEY_SHAPE, AT(rn_area_values, in), .meaning = "only within this region"},
    WHEN(rn_area_values, "it"),
};
const rn_table rn_loss_table = {RN_TABLE("loss", "Liquid that is lost everywhere, or in a region", loss_keys, NULL),
                                .example = "{\"kind\": \"infiltration\", \"rate\": 1e-6}"};

static const rn_key probe_keys[] = {
    {"name", RN_KEY_TEXT, AT(rn_probe_values, name), .otherwise = "",
     .meaning = "prefix of its columns in probes.csv; empty: p and its number, counted from 1"},
    {"at", RN_KEY_NUMBER, AT(rn_probe_values, at), RN_ANY, .length = 3, .unit = "m",
     .meaning = "a point: level, depth and velocity of the liquid that contains it, or else lies below it"},
    {"from", RN_KEY_NUMBER, AT(rn_probe_values, from), RN_ANY, .length = 2, .unit = "m", .needs = "to",
     .meaning = "a cross-section from here: discharge, volume and wetted area"},
    {"to", RN_KEY_NUMBER, AT(rn_probe_values, to), RN_ANY, .length = 2, .unit = "m", .needs = "from",
     .meaning = "to here; what passes to the left counts as positive: look downstream and draw from left to right"},
};
static const char *const probe_ways[] = {"at", "from", NULL};
const rn_table rn_probe_table = {RN_TABLE("probe", "A place to measure at, frame by frame", probe_keys, NULL),
                                 .one_of = probe_ways,
                                 .example = "{\"name\": \"gauge\", \"from\": [0.05, 0.08], \"to\": [0.05, 0.02]}"};

static const char *const contact_names[] = {"static", "dynamic", NULL}; /* as rn_contact */
static const char *const model_names[] = {"physical", "paper", NULL};   /* as rn_model */

static const char *const backend_names[] = {"cpu", "cuda", "auto", NULL};

/* As rn_passages; the last one is how older scenes chose the implicit solver. */
static const char *const passages_names[] = {"default", "unified-long", "unified", "axis", "none", "implicit", NULL};

/* Returns the name of solver number `index` in a list without repetitions for backends, with "mac" as the last, or NULL
   past it. */
static const char *solver_name(int index) {
    for (int i = 0; i < rn_solver_count(); i++) {
        const char *name = rn_solver_describe(i).name;
        bool again = false;
        for (int k = 0; k < i; k++) again = again || strcmp(rn_solver_describe(k).name, name) == 0;
        if (!again && index-- == 0) return name;
    }
    return index == 0 ? "mac" : NULL; /* it is not in the list of column solvers */
}

static const rn_key scene_keys[] = {
    {"$schema", RN_KEY_TEXT, AT(rn_scene_values, schema), .otherwise = "",
     .meaning = "where an editor finds the schema"},
    {"title", RN_KEY_TEXT, AT(rn_scene_values, title), .otherwise = "", .meaning = "one line"},
    {"about", RN_KEY_TEXT, AT(rn_scene_values, about), .otherwise = "", .meaning = "a paragraph"},
    {"parameters", RN_KEY_NAMED, AT(rn_scene_values, parameters), RN_ANY,
     .meaning = "numbers by name, for expressions such as \"=2 * length\" in place of any number, and for --set"},
    {"grid", RN_KEY_OBJECT, AT(rn_scene_values, grid), .table = &rn_grid_table, .required = true,
     .meaning = "cells and the box they fill"},
    {"solid", RN_KEY_SHAPE, AT(rn_scene_values, solid), .required = true,
     .meaning = "the ground and all that stands on it"},
    {"liquid", RN_KEY_OBJECT, AT(rn_scene_values, liquid), .table = &rn_liquid_table, .word = "name",
     .meaning = "what flows: a name, or an object that starts from a name"},
    {"gravity", RN_KEY_NUMBER, AT(rn_scene_values, gravity), RN_LIMITS(RN_LIMIT_GRAVITY), .length = 3,
     .otherwise = "[0, 0, -9.81]", .unit = "m/s²", .meaning = "acceleration; z is negative, x and y tilt the table"},
    {"friction", RN_KEY_NUMBER, AT(rn_scene_values, friction), RN_ABOVE_LIMITS(RN_LIMIT_FRICTION), .otherwise = "0.5",
     .meaning = "share of its speed that deep liquid keeps in a second; with manning or chezy, or their default on "
                "terrain: 1, unless it is given too"},
    {"manning", RN_KEY_NUMBER, AT(rn_scene_values, manning), RN_LIMITS(RN_LIMIT_MANNING), .unit = "s/m^(1/3)",
     .meaning = "Manning's n of the ground, docs/model.md; physical model only. Default: 0.03 where the solid has a "
                "heightmap or noise, cells are 0.5 m or more, and neither friction nor chezy is given; else none"},
    {"chezy", RN_KEY_NUMBER, AT(rn_scene_values, chezy), RN_LIMITS(RN_LIMIT_CHEZY), .unit = "m^(1/2)/s",
     .meaning = "Chezy's C of the ground, docs/model.md; physical model only"},
    {"model", RN_KEY_CHOICE, AT(rn_scene_values, model), .otherwise = "physical", .choices = model_names,
     .meaning = "equations of motion: those of docs/model.md, or the paper's own, docs/paper.md"},
    {"contact", RN_KEY_CHOICE, AT(rn_scene_values, contact), .otherwise = "static", .choices = contact_names,
     .meaning =
         "static: surface tension and contact angles shape menisci only; dynamic: they move the liquid, in cells "
         "smaller than 20 mm; physical model and explicit solver, docs/contact.md; with the solver mac: surface "
         "tension, "
         "docs/mac.md"},
    {"advection", RN_KEY_FLAG, AT(rn_scene_values, advection), .otherwise = "false",
     .meaning = "no longer needed: the physical model always carries momentum along"},
    {"backend", RN_KEY_CHOICE, AT(rn_scene_values, backend), .otherwise = "cpu", .choices = backend_names,
     .meaning =
         "what the solver runs on, docs/gpu.md: cuda is an NVIDIA GPU; auto is one for grids of 512 x 512 cells and "
         "more, if there is one and the solver can use it, otherwise the CPU. Results are the same"},
    {"solver", RN_KEY_TEXT, AT(rn_scene_values, solver), .otherwise = "explicit", .names = solver_name,
     .meaning = "what moves the liquid: explicit steps, or one implicit solve for all columns, which is stable at any "
                "substep, docs/passages.md compares them; or packets, on ground without overhangs, docs/packets.md; or "
                "mac, a 3D liquid, docs/mac.md"},
    {"passages", RN_KEY_CHOICE, AT(rn_scene_values, passages), .otherwise = "default", .choices = passages_names,
     .meaning =
         "how the explicit solver lets liquid flow through what is full to its ceiling, docs/passages.md; "
         "default: unified-long, with the paper's model unified; implicit: the same as \"solver\": \"implicit\""},
    {"courant", RN_KEY_NUMBER, AT(rn_scene_values, courant), RN_LIMITS(RN_LIMIT_COURANT), .otherwise = "3",
     .meaning = "implicit solver: the substep in multiples of the explicit one's limit"},
    {"solver_iterations", RN_KEY_COUNT, AT(rn_scene_values, solver_iterations), RN_LIMITS(RN_LIMIT_ITERATIONS),
     .otherwise = "100", .meaning = "most iterations of one linear solve, after which a substep is done explicitly"},
    {"packets", RN_KEY_OBJECT, AT(rn_scene_values, packets), .table = &rn_packets_table,
     .meaning = "how the packets solver moves liquid"},
    {"give_back", RN_KEY_NUMBER, AT(rn_scene_values, give_back), RN_LIMITS(RN_LIMIT_GIVE_BACK), .otherwise = "0",
     .unit = "s",
     .meaning = "time in which bodies give back most of the liquid that they push away, beside them; 0: at once"},
    {"stir", RN_KEY_NUMBER, AT(rn_scene_values, stir), RN_LIMITS(RN_LIMIT_STIR), .otherwise = "0.5",
     .meaning = "share of the liquid displaced by a floating body that appears around it"},
    {"edges", RN_KEY_OBJECT, AT(rn_scene_values, edges), .table = &rn_edges_table, .word = "*",
     .meaning = "the four sides of the domain, or one word for all of them"},
    {"drop", RN_KEY_NUMBER, AT(rn_scene_values, drop), RN_LIMITS(RN_LIMIT_DROP), .length = 2, .otherwise = "[0, 0]",
     .unit = "m", .meaning = "periodic edges: how much lower the world continues past +x and +y"},
    {"max_substeps", RN_KEY_COUNT, AT(rn_scene_values, max_substeps), RN_LIMITS(RN_LIMIT_SUBSTEPS), .otherwise = "0",
     .meaning = "most substeps in a frame, after which time runs slower; 0: as many as stability needs"},
    {"memory", RN_KEY_NUMBER, AT(rn_scene_values, memory), RN_ABOVE_TO(0, 1e6), .otherwise = "8", .unit = "GB",
     .meaning = "most memory that a 3D liquid may take; a scene that needs more is refused, and the message says how "
                "much it needs"},
    {"roughness", RN_KEY_LIST, AT(rn_scene_values, roughness), .table = &rn_rough_table,
     .meaning = "ground with a friction of its own, by region or raster; later ones win; physical model only"},
    {"wetting", RN_KEY_LIST, AT(rn_scene_values, wetting), .table = &rn_wetting_table,
     .meaning = "ground with contact angles of its own, by region or raster; later ones win; they act with "
                "\"contact\": \"dynamic\", docs/contact.md"},
    {"solids", RN_KEY_LIST, AT(rn_scene_values, solids), .table = &rn_solid_table,
     .meaning = "solid that appears, moves or disappears"},
    {"bodies", RN_KEY_LIST, AT(rn_scene_values, bodies), .table = &rn_body_table,
     .meaning = "rigid bodies, that block liquid, float on it and are carried away"},
    {"joints", RN_KEY_LIST, AT(rn_scene_values, joints), .table = &rn_joint_table,
     .meaning = "what holds dynamic bodies to each other, or to the ground"},
    {"fills", RN_KEY_LIST, AT(rn_scene_values, fills), .table = &rn_fill_table, .meaning = "liquid at the start"},
    {"sources", RN_KEY_LIST, AT(rn_scene_values, sources), .table = &rn_source_table,
     .meaning = "where liquid comes in"},
    {"drains", RN_KEY_LIST, AT(rn_scene_values, drains), .table = &rn_drain_table,
     .meaning = "where liquid is taken away"},
    {"rain", RN_KEY_LIST, AT(rn_scene_values, rain), .table = &rn_rain_table, .meaning = "what falls from the sky"},
    {"losses", RN_KEY_LIST, AT(rn_scene_values, losses), .table = &rn_loss_table,
     .meaning = "liquid lost to the air and the ground"},
    {"forces", RN_KEY_LIST, AT(rn_scene_values, forces), .table = &rn_force_table,
     .meaning = "wind, and forces by hand"},
    {"probes", RN_KEY_LIST, AT(rn_scene_values, probes), .table = &rn_probe_table,
     .meaning = "what is measured in every frame, into probes.csv"},
    {"georeference", RN_KEY_OBJECT, AT(rn_scene_values, georeference), .table = &rn_georeference_table,
     .meaning = "where the scene lies on a map; what it leaves out is as in the file of the ground, docs/terrains.md"},
    {"frames", RN_KEY_COUNT, AT(rn_scene_values, frames), RN_WITHIN(1, 1000000), .otherwise = "300",
     .meaning = "how many frames to run"},
    {"frame_time", RN_KEY_NUMBER, AT(rn_scene_values, frame_time), RN_ABOVE_TO(0, 3600),
     .otherwise = "0.016666666666666666", .unit = "s", .meaning = "simulated time of a frame"},
    {"poster", RN_KEY_NUMBER, AT(rn_scene_values, poster), RN_FROM(0), .otherwise = "0", .unit = "s",
     .meaning = "time at which one picture shows the scene best, for \"runnel run --poster\"; 0: its end"},
    {"view", RN_KEY_OBJECT, AT(rn_scene_values, view), .table = &rn_view_table, .meaning = "how pictures look"},
    {"views", RN_KEY_LIST, AT(rn_scene_values, views), .table = &rn_eye_table,
     .meaning = "named cameras; frames are drawn from the first"},
};
const rn_table rn_scene_table = {
    RN_TABLE("scene", "A liquid, the solid it flows over, and what happens", scene_keys, NULL),
    .example = "{\"grid\": {\"cells\": [100, 100], \"cell\": 0.001}, \"solid\": {\"type\": \"plane\"}, "
               "\"fills\": [{\"depth\": 0.002}]}"};
