/* The table of all figures: which scene is run, from where it is seen, and what to look for. Some scenes are built from
   the macros below, as values of options such as "solid={...}". command.c and draw.c read the table. */
#include "figures/figures.h"

#define MILLIMETRES(x, y, z)                                                                                           \
    { 1e-3 * (x), 1e-3 * (y), 1e-3 * (z) }

/* A tub with a low rim. In it, just below the surface of the liquid, is a platform with a hole. */
#define TUB                                                                                                            \
    "solid={\"type\": \"union\", \"of\": ["                                                                            \
    "{\"type\": \"subtract\", \"blend\": 0.003, \"of\": ["                                                             \
    "{\"type\": \"box\", \"size\": [0.094, 0.094, 0.03], \"rounding\": 0.003, \"at\": [0.05, 0.05, 0.012]},"           \
    "{\"type\": \"box\", \"size\": [0.08, 0.08, 0.05], \"rounding\": 0.008, \"at\": [0.05, 0.05, 0.028]}]},"           \
    "{\"type\": \"subtract\", \"blend\": 0.001, \"of\": ["                                                             \
    "{\"type\": \"box\", \"size\": [0.05, 0.042, 0.004], \"rounding\": 0.001, \"turn\": [0, 0, 20], \"at\": [0.048, "  \
    "0.05, 0.018]},"                                                                                                   \
    "{\"type\": \"cylinder\", \"radius\": 0.009, \"height\": 0.02, \"at\": [0.056, 0.047, 0.018]}]},"                  \
    "{\"type\": \"cylinder\", \"radius\": 0.005, \"height\": 0.02, \"at\": [0.036, 0.052, 0.01]}]}"

/* A small dish with objects in it, so that menisci look large. */
#define DISH                                                                                                           \
    "solid={\"type\": \"union\", \"blend\": 0.0004, \"of\": ["                                                         \
    "{\"type\": \"subtract\", \"blend\": 0.001, \"of\": ["                                                             \
    "{\"type\": \"cylinder\", \"radius\": 0.0195, \"height\": 0.008, \"at\": [0.02, 0.02, 0.002]},"                    \
    "{\"type\": \"cone\", \"radius_low\": 0.0145, \"radius_high\": 0.0195, \"height\": 0.01, \"at\": [0.02, 0.02, "    \
    "0.0055]}]},"                                                                                                      \
    "{\"type\": \"sphere\", \"radius\": 0.0035, \"at\": [0.0145, 0.0185, 0.003]},"                                     \
    "{\"type\": \"cylinder\", \"radius\": 0.002, \"height\": 0.01, \"at\": [0.0245, 0.0235, 0.002]},"                  \
    "{\"type\": \"capsule\", \"from\": [0.0215, 0.0125, 0.0022], \"to\": [0.027, 0.0155, 0.0022], \"radius\": "        \
    "0.0016}]}"
#define DISH_GRID "grid={\"cells\": [200, 200], \"cell\": 0.0002}"

/* A knob with roughness as small as a cell. */
#define KNOB                                                                                                           \
    "solid={\"type\": \"roughen\", \"amplitude\": 0.0011, \"wavelength\": 0.0026, \"octaves\": 2, \"seed\": 5, "       \
    "\"of\": ["                                                                                                        \
    "{\"type\": \"union\", \"blend\": 0.012, \"of\": [{\"type\": \"plane\"}, "                                         \
    "{\"type\": \"sphere\", \"radius\": 0.03, \"at\": [0.03, 0.03, -0.014]}]}]}"

#define FROM_ABOVE                                                                                                     \
    { .elevation = 90, .angle = -1, .zoom = 1 }

/* Every body of the scene hill lets water through, as in Thürey et al. 2007. */
#define THROUGH "bodies.0.way=floats", "bodies.1.way=floats", "bodies.2.way=floats"

const figure figures[] = {
    {.name = "surgery",
     .number = "Fig. 1",
     .title = "Surgery: blood runs down a vertebra",
     .look = "Five layers at once: blood wells up on the spinous process, runs down the laminae in rivulets, over the "
             "facets and under the overhangs, and gathers below.",
     .seconds = 13,
     .scene = "vertebra",
     .aspect = 1.0,
     .orbit = {.azimuth = 30, .elevation = 34, .zoom = 1.55, .aimed = true, .target = MILLIMETRES(50, 48, 30)},
     .panel_count = 3,
     .panels = {{.label = "0.7 s", .frame = 20}, {.label = "2 s", .frame = 60}, {.label = "6 s", .frame = 180}}},
    {.name = "coefficient",
     .number = "Fig. 3",
     .title = "The viscosity coefficient",
     .look = "The share of a flux that viscosity leaves after one step (Eq. 5), computed by the step itself: all of it "
             "in deep or thin liquids, nothing in films of viscous ones, and never less than zero, which is why the "
             "step is stable.",
     .seconds = 0.1,
     .chart = chart_coefficient},
    {.name = "seams",
     .number = "Figs. 5 and 21",
     .title = "Seams of the older method, and their absence",
     .look = "A platform with a hole lies just below the surface. Lifting the ground's own mesh (Borgeat et al. 2011) "
             "does not join its two levels, and the surface tears along the edge of the platform, around its hole and "
             "at the walls. A surface of linked columns has no such seams.",
     .seconds = 3,
     .scene = "three-layers",
     .set = {TUB, "sources=[]", "fills=[{\"level\": 0.0225}]"},
     .aspect = 1.3,
     .orbit = {.azimuth = 28, .elevation = 38, .zoom = 2.1, .aimed = true, .target = MILLIMETRES(45, 50, 17)},
     .panel_count = 2,
     .panels = {{.label = "the ground's mesh, lifted", .frame = 2, .displaced = true},
                {.label = "linked columns", .frame = 2}}},
    {.name = "boundary",
     .number = "Fig. 9",
     .title = "Boundaries, unadjusted and adjusted",
     .look = "Dry vertices around the liquid stand on the wall of the bowl. If they stay there, the surface climbs the "
             "wall in teeth of whole cells. Moved to the level of their wet neighbours, they make its edge a smooth "
             "line. Cells of 2 mm.",
     .seconds = 3,
     .scene = "bowl",
     .set = {"grid={\"cells\": [50, 50], \"cell\": 0.002}", "sources=[]", "fills=[{\"level\": -0.007}]"},
     .aspect = 1.3,
     .spacing = 0.0005,
     .orbit = {.azimuth = 20, .elevation = 36, .zoom = 1.75, .aimed = true, .target = MILLIMETRES(52, 50, -5)},
     .panel_count = 2,
     .panels = {{.label = "not adjusted", .frame = 1, .raw_boundaries = true, .no_meniscus = true},
                {.label = "adjusted", .frame = 1, .no_meniscus = true}}},
    {.name = "minimum",
     .number = "Fig. 10",
     .title = "Without minimum heights, and with them",
     .look = "A film on ground that is rougher than the film is thick. Drawn at its true thickness, the film lets the "
             "ground stick out; with a minimum height for every column it covers what it wets.",
     .seconds = 3,
     .scene = "incline",
     .set = {"grid={\"cells\": [100, 100], \"cell\": 0.0006}", KNOB, "view={\"full_depth\": 0.00025}", "sources=[]",
             "fills=[{\"depth\": 0.00006, \"in\": {\"type\": \"cylinder\", \"radius\": 0.02, \"height\": 1, "
             "\"at\": [0.03, 0.03, 0]}}]"},
     .aspect = 2.0,
     .spacing = 0.0003,
     .orbit = {.azimuth = 15, .elevation = 40, .zoom = 3, .aimed = true, .target = MILLIMETRES(30, 27, 11)},
     .panel_count = 2,
     .panels = {{.label = "without", .frame = 12, .no_least_heights = true}, {.label = "with", .frame = 12}}},
    {.name = "meniscus",
     .number = "Fig. 11",
     .title = "Without menisci, and with them",
     .look = "Where liquid meets solid, its surface bends and reflects other parts of the room: bright rims surround "
             "everything that stands in it. Without menisci the liquid looks cut off.",
     .seconds = 4,
     .scene = "bowl",
     .set = {DISH_GRID, DISH, "sources=[]", "liquid={\"name\": \"blood\", \"contact_angle\": 20}",
             "fills=[{\"level\": 0.0032}]"},
     .aspect = 1.3,
     .orbit = {.azimuth = 20, .elevation = 36, .zoom = 2.5, .aimed = true, .target = MILLIMETRES(19.5, 18.5, 3)},
     .panel_count = 2,
     .panels = {{.label = "without", .frame = 1, .no_meniscus = true}, {.label = "with", .frame = 1}}},
    {.name = "cap",
     .number = "Fig. 15",
     .title = "The black outline of convex menisci, and the cap",
     .look = "A non-wetting liquid (contact angle 140°) bends down at its edge. Normals there turn away from the eye, "
             "which makes the edge black. Normals that are capped at the outline do not turn away.",
     .seconds = 3,
     .scene = "bowl",
     .set = {DISH_GRID, DISH, "sources=[]", "liquid={\"name\": \"blood\", \"contact_angle\": 140}",
             "fills=[{\"level\": 0.0032}]"},
     .aspect = 1.3,
     .orbit = {.azimuth = 20, .elevation = 30, .zoom = 1.9, .aimed = true, .target = MILLIMETRES(20, 19.5, 3)},
     .panel_count = 2,
     .panels = {{.label = "without the cap", .frame = 1, .no_cap = true}, {.label = "with it", .frame = 1}}},
    {.name = "stable-step",
     .number = "Fig. 16",
     .title = "The largest stable step against the number of cells",
     .look = "On the same domain the largest stable step of the physical model is inversely proportional to the number "
             "of cells along a side, as in the paper's chart. With the paper's own equations it is inversely "
             "proportional to the root of that number, since their waves travel at √(gΔx). Diamonds mark the steps "
             "given in the paper's Table 1.",
     .seconds = 0.1,
     .chart = chart_stable_step},
    {.name = "viscosity",
     .number = "Fig. 17",
     .title = "Four viscosities",
     .look = "One cubic centimetre on an incline, 0.6 s after pouring began. More viscous liquids are slower; at 0.4 "
             "m²/s, a hundred times honey, the step is still stable.",
     .seconds = 6,
     .scene = "incline",
     .set = {"view.full_depth=0.001"},
     .aspect = 0.9,
     .orbit = {.azimuth = 0, .elevation = 44, .zoom = 1.4},
     .panel_count = 4,
     .panels = {{.label = "ν = 0", .frame = 36, .set = {"liquid.viscosity=0"}},
                {.label = "4e-6 m²/s (blood)", .frame = 36, .set = {"liquid.viscosity=4e-6"}},
                {.label = "4e-5 m²/s", .frame = 36, .set = {"liquid.viscosity=4e-5"}},
                {.label = "4e-1 m²/s", .frame = 36, .set = {"liquid.viscosity=4e-1"}}}},
    {.name = "layers",
     .number = "Fig. 19",
     .title = "Three layers over time",
     .look = "Liquid runs over the edge of the shelf onto the platform, through its hole, and into the basin. Surfaces "
             "part and join as levels rise past the edges of overhangs, and never crack.",
     .seconds = 5,
     .scene = "three-layers",
     .aspect = 1.0,
     .orbit = {.azimuth = 28, .elevation = 30, .zoom = 1.3},
     .panel_count = 3,
     .panels = {{.label = "0.5 s", .frame = 30}, {.label = "2 s", .frame = 120}, {.label = "8 s", .frame = 480}}},
    {.name = "passages",
     .number = "Fig. 20",
     .title = "Passages before and after they are flooded",
     .look = "Blood pours into the basin and leaves it through four passages under its wall. Once they are full to "
             "their ceilings, pipes through them still carry liquid, and all parts of the container keep filling.",
     .seconds = 3,
     .scene = "passages",
     .aspect = 1.2,
     .orbit = {.azimuth = 25, .elevation = 46, .zoom = 1.2},
     .panel_count = 3,
     .panels = {{.label = "0.6 s: the passages are open", .frame = 15},
                {.label = "4.4 s: flooded", .frame = 110},
                {.label = "4.4 s, the flooded columns coloured", .frame = 110, .overlay = RN_OVERLAY_FLOODED}}},
    {.name = "frame-time",
     .number = "Fig. 22",
     .title = "The time of a frame against the number of cells",
     .look = "The time of a step is proportional to the number of cells, that is, quadratic in the number along a "
             "side; finer cells also need more steps per frame. The paper's line extends the entry of its Table 1 "
             "(0.61 ms per frame of 200 × 200 cells) quadratically, as its Fig. 22 does. Times are from the machine "
             "that made this page.",
     .seconds = 2.5,
     .chart = chart_frame_time},
    {.name = "ways",
     .number = "Kellomäki Fig. 8",
     .title = "Bodies that let water through, and bodies that block it",
     .look =
         "Water from the top of a hill meets heavy cubes. With the older method (Thürey et al. 2007) it flows on as if "
         "they were not there. When the cubes block it, it piles up in front of them, parts, and leaves a dry wake.",
     .seconds = 12,
     .scene = "hill",
     .aspect = 2.05,
     .orbit = {.azimuth = 10, .elevation = 30, .zoom = 2.9, .aimed = true, .target = {66, 36, 14}},
     .panel_count = 2,
     .panels = {{.label = "the older way", .frame = 560, .set = {THROUGH}},
                {.label = "blocking", .frame = 560, .set = {"frames=560"}}}},
    {.name = "truck",
     .number = "Kellomäki Fig. 9",
     .title = "Water under a truck",
     .look = "Bodies block where they are solid: water passes between the wheels and under the chassis, and only the "
             "wheels hold it back.",
     .seconds = 7,
     .scene = "hill",
     .aspect = 1.7,
     .orbit = {.azimuth = 14, .elevation = 12, .zoom = 5.5, .aimed = true, .target = {59, 24, 18}},
     .panel_count = 2,
     .panels = {{.label = "9 s", .frame = 450}, {.label = "20 s", .frame = 1000}}},
    {.name = "dam",
     .number = "Kellomäki Figs. 11-13",
     .title = "A dam of crates",
     .look = "A free river; the same river 37 s after crates began to fall into it, when it has risen behind them and "
             "found another way; and the older method, with which more of the water passes through the crates.",
     .seconds = 18,
     .scene = "dam",
     .aspect = 1.1,
     .orbit = {.azimuth = 72, .elevation = 34, .zoom = 1.9, .aimed = true, .target = {68, 66, -4}},
     .panel_count = 3,
     .panels = {{.label = "free", .frame = 390},
                {.label = "dammed", .frame = 2250},
                {.label = "dammed, the older way", .frame = 2250, .set = {"bodies.0.way=floats"}}}},
    {.name = "logs",
     .number = "Kellomäki Figs. 1, 10 and 14",
     .title = "Logs float down a river that a car fords",
     .look = "Logs float down the river, turn where it turns and are pushed aside by the car, which blocks the water "
             "that it drives through.",
     .seconds = 14,
     .scene = "logs",
     .aspect = 1.1,
     .orbit = {.azimuth = 38, .elevation = 22, .zoom = 3, .aimed = true, .target = {66, 62, -3}},
     .panel_count = 3,
     .panels = {{.label = "12 s", .frame = 600}, {.label = "18 s", .frame = 900}, {.label = "25 s", .frame = 1250}}},
    {.name = "aliasing",
     .number = "Kellomäki Fig. 7",
     .title = "A buoy that drifts with the current",
     .look =
         "A body that drifts with the current should not disturb it. If bodies can only cover whole cells, every cell "
         "that one enters or leaves sends out a wave. With fractions of cells and swept faces, the water stays flat.",
     .seconds = 12,
     .scene = "drift",
     .aspect = 1.6,
     .orbit = {.azimuth = 20, .elevation = 36, .zoom = 3.6, .aimed = true, .target = {45, 25, 0}},
     .panel_count = 2,
     .panels = {{.label = "whole cells", .frame = 840, .set = {"bodies.0.blocking=cells"}},
                {.label = "swept", .frame = 840, .set = {"bodies.0.blocking=swept"}}}},
    {.name = "whirlpool",
     .number = "Lee Fig. 1",
     .title = "A whirlpool on 100 × 100 cells",
     .look = "A force turns the water of a basin for six seconds; after that the water keeps turning without a force, "
             "in the packets solver. Depth and speed are coloured from dark to bright.",
     .seconds = 3,
     .scene = "whirlpool",
     .aspect = 1.1,
     .orbit = {.azimuth = 60, .elevation = 36, .zoom = 1.15},
     .panel_count = 3,
     .panels = {{.label = "6 s, the force has just ended", .frame = 180},
                {.label = "depth", .frame = 180, .overlay = RN_OVERLAY_DEPTH, .orbit = FROM_ABOVE},
                {.label = "speed", .frame = 180, .overlay = RN_OVERLAY_SPEED, .orbit = FROM_ABOVE}}},
    {.name = "checkerboard",
     .number = "Lee sect. 3.4",
     .title = "The checkerboard of central differences",
     .look = "If depth and velocity are stored at the same points, central differences do not see values that "
             "alternate from cell to cell: a ridge leaves a zigzag behind, which stays. Widened packets smooth it "
             "away, and so does the interpolation of Rhie and Chow. The waves of the paper's listing are faster, as "
             "docs/packets.md explains.",
     .seconds = 0.1,
     .chart = chart_checkerboard},
    {.name = "adaptive",
     .number = "Lee Fig. 4",
     .title = "A wave crosses a jump in resolution",
     .look = "Each mark is a cell. The height changes smoothly over the boundary between cells of different size, with "
             "gradients from the depths on the sides of cells.",
     .seconds = 0.1,
     .chart = chart_adaptive},
    {.name = "reflections",
     .number = "Lee sect. 4",
     .title = "What a jump in resolution reflects",
     .look =
         "The same canal after all waves have passed the jump. What remains in front of it was reflected: a percent of "
         "the waves if gradients are those of a parabola, next to nothing if they come from values on the sides, and "
         "several percent with those of Losasso et al. 2004, which the paper found to cause small spurious waves.",
     .seconds = 0.2,
     .chart = chart_reflections},
    {.name = "choppy",
     .number = "Lee Fig. 5",
     .title = "Waves, plain and choppy",
     .look = "Vertices move up the slope of the surface: crests become sharp and troughs wide. Heights and flow are "
             "the same.",
     .seconds = 5,
     .scene = "choppy",
     .aspect = 2.15,
     .orbit = {.azimuth = 60, .elevation = 20, .zoom = 1.8, .aimed = true, .target = {6, 6, 0.6}},
     .panel_count = 2,
     .panels = {{.label = "as they are", .frame = 80, .set = {"view.choppiness=0"}},
                {.label = "choppy", .frame = 80, .set = {"view.choppiness=0.4"}}}},
    {.name = "vertices",
     .number = "Lee Fig. 5",
     .title = "Vertices that choppiness moves",
     .look = "The same waves from above: vertices gather along crests, and no triangle turns over.",
     .seconds = 2,
     .chart = chart_choppy},
    {.name = "updates",
     .number = "Lee sect. 5",
     .title = "Updates per second of the packets solver",
     .look = "The paper's table beside the best of several runs on one core of the machine that made this page.",
     .seconds = 6,
     .chart = chart_updates},
};

const int figure_count = sizeof figures / sizeof figures[0];
