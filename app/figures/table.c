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
     .look = "What the viscosity of a liquid leaves of a flux in one step (Eq. 5), as the step itself works it out: "
             "all of it in deep or thin liquids, nothing in films of thick ones, and never less than nothing, which is "
             "why it is stable.",
     .seconds = 0.1,
     .chart = chart_coefficient},
    {.name = "seams",
     .number = "Figs. 5 and 21",
     .title = "Seams of the older method, and none",
     .look = "A platform with a hole lies just below the surface. Where the ground's own mesh is lifted (Borgeat et "
             "al. 2011) its two levels are not joined, and the surface tears along the edge of the platform, around "
             "its hole and at the walls. A surface of linked columns knows nothing of the platform: the window that it "
             "mirrors is whole.",
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
     .title = "Boundaries, as they are and adjusted",
     .look = "Dry vertices around the liquid stand on the wall of the bowl: left there, the surface climbs it in "
             "teeth, a whole cell at a time. Adjusted to the level of their wet neighbours, its edge is a smooth line. "
             "Cells of 2 mm.",
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
     .title = "Least heights, without and with them",
     .look = "A film on ground that is rougher than the film is thick. Drawn as thin as it is, the ground sticks out "
             "of it; with a least height for every column the film covers what it wets.",
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
     .look = "Where liquid meets solid it bends, and mirrors what lies elsewhere: bright rims around all that stands "
             "in it, and a window that bends beside them. Without menisci the liquid looks cut off.",
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
     .look = "A liquid that does not wet (contact angle 140°) bends down at its edge, and normals there turn away from "
             "the eye: what faces away is black. Capped at the outline, they do not.",
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
     .title = "The largest stable step against cells",
     .look =
         "On the same domain the largest stable step of the physical model is inversely proportional to the number of "
         "cells "
         "along a side, as the paper's chart has it; with the paper's own equations it goes with the root, since their "
         "waves run at √(gΔx). Diamonds are the steps that its Table 1 names.",
     .seconds = 0.1,
     .chart = chart_stable_step},
    {.name = "viscosity",
     .number = "Fig. 17",
     .title = "Four viscosities",
     .look = "A cubic centimetre on an incline, 0.6 s after it began to be poured. The thicker, the slower; at 0.4 "
             "m²/s, a hundred times honey, it still is stable.",
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
     .look = "From the shelf over its edge onto the platform, through the hole in that, and into the basin: surfaces "
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
     .look =
         "Blood wells up in the basin and leaves it through four passages under its wall. Once they are full to their "
         "ceilings, pipes through them carry on, and the parts of the container go on filling.",
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
     .title = "The time of a frame against cells",
     .look = "A step takes time in proportion to the number of cells, quadratic in those along a side; a frame needs "
             "more steps with finer cells besides. The paper's line is its Table 1 (0.61 ms a frame of 200 × 200 "
             "cells), drawn on quadratically as its Fig. 22 says. On the machine that made this page.",
     .seconds = 2.5,
     .chart = chart_frame_time},
    {.name = "ways",
     .number = "Kellomäki Fig. 8",
     .title = "Bodies that let water through, and bodies that block it",
     .look = "Water from the top of a hill meets heavy cubes. In the older way (Thürey et al. 2007) it flows on as if "
             "they were not there; blocked, it piles up before them, parts, and leaves a dry wake.",
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
     .look = "Bodies block where they are solid: water passes between the wheels and under the chassis, and is held up "
             "by the wheels alone.",
     .seconds = 7,
     .scene = "hill",
     .aspect = 1.7,
     .orbit = {.azimuth = 14, .elevation = 12, .zoom = 5.5, .aimed = true, .target = {59, 24, 18}},
     .panel_count = 2,
     .panels = {{.label = "9 s", .frame = 450}, {.label = "20 s", .frame = 1000}}},
    {.name = "dam",
     .number = "Kellomäki Figs. 11-13",
     .title = "A dam of crates",
     .look = "A free river; the same 37 s after crates began to fall into it, when it has risen behind them and found "
             "another way; and the same in the older way, which lets it pass.",
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
     .look = "Logs float and are carried along, turn where the river does and are pushed away by the car, which blocks "
             "the water that it drives through.",
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
         "What goes with the current should leave it alone. Where a body covers whole cells or none, each cell that "
         "it comes upon or leaves sends a wave. With shares of cells and swept faces the water stays flat.",
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
     .look = "A force turns the water of a basin for six seconds, and the packets solver goes on with it alone. Depth "
             "and speed are coloured from dark to bright.",
     .seconds = 3,
     .scene = "whirlpool",
     .aspect = 1.1,
     .orbit = {.azimuth = 60, .elevation = 36, .zoom = 1.15},
     .panel_count = 3,
     .panels = {{.label = "6 s, the force has just gone", .frame = 180},
                {.label = "depth", .frame = 180, .overlay = RN_OVERLAY_DEPTH, .orbit = FROM_ABOVE},
                {.label = "speed", .frame = 180, .overlay = RN_OVERLAY_SPEED, .orbit = FROM_ABOVE}}},
    {.name = "checkerboard",
     .number = "Lee sect. 3.4",
     .title = "The checkerboard of central differences",
     .look = "Where depth and velocity stand in the same places, central differences do not see what alternates from "
             "cell to cell: a ridge leaves a zigzag behind, which stays. Widened packets smooth it away, and so does "
             "the interpolation of Rhie and Chow. The listing's waves are faster, as docs/packets.md says.",
     .seconds = 0.1,
     .chart = chart_checkerboard},
    {.name = "adaptive",
     .number = "Lee Fig. 4",
     .title = "A wave crosses a jump of resolution",
     .look = "Each mark is a cell. The height changes smoothly over the boundary between cells of different size, with "
             "gradients from the depths on the sides of cells.",
     .seconds = 0.1,
     .chart = chart_adaptive},
    {.name = "reflections",
     .number = "Lee sect. 4",
     .title = "What a jump of resolution sends back",
     .look = "The same canal when all waves are past the jump. What is left before it has come back: a percent of the "
             "waves where gradients are those of a parabola, next to nothing where they come from the sides, and "
             "several where they are those of Losasso et al. 2004, "
             "which the paper found to send small, spurious waves.",
     .seconds = 0.2,
     .chart = chart_reflections},
    {.name = "choppy",
     .number = "Lee Fig. 5",
     .title = "Waves as they are, and choppy",
     .look = "Vertices move up the slope of the surface: crests become sharp and troughs wide. Heights and flow are "
             "the same.",
     .seconds = 5,
     .scene = "choppy",
     .aspect = 2.0,
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
     .title = "Updates a second of the packets solver",
     .look = "The paper's table beside the best of several runs on one core of the machine that made this page.",
     .seconds = 6,
     .chart = chart_updates},
};

const int figure_count = sizeof figures / sizeof figures[0];
