/* runnel validate: compares the physics with theory. Entry point: command_validate(). Each entry of `rows` names a case
   from physics/physics.h, which of its measured values to check, and the bar. run() calls each case once and prints one
   row per value. Rows of the same case must stand together in the table. */
#include "base/words.h"
#include "common/commands.h"
#include "common/console.h"
#include "common/countdown.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/text.h"
#include "physics/physics.h"

#include <stdio.h>
#include <string.h>

typedef struct row {
    const char *name;
    physics_case run;
    int measure;   /* index into the case's measured[] */
    double bar;    /* the limit that the value must meet */
    bool at_least; /* the bar is a lower limit, not an upper one */
    const char *unit;
    const char *what; /* what is measured, for --list */
} row;

static const row rows[] = {
    {"wave-speed", case_wave_speed, 0, 0.05, false, "%", "small waves travel at sqrt(gH)"},
    {"slosh-period", case_slosh, 0, 0.05, false, "%", "a canal sloshes with the period 2L/sqrt(gH)"},
    {"slosh-amplitude", case_slosh, 1, 0.97, true, "", "share of its height that the slosh keeps after 4 periods"},
    {"nusselt", case_nusselt, 0, 0.1, false, "%", "flux of a viscous film down a plane, gSd^3/3nu"},
    {"friction-speed", case_friction, 0, 0.1, false, "%", "speed of a flow slowed by friction alone, gS/kappa"},
    {"huppert-planar-front", case_huppert_planar, 0, 1.5, false, "%", "front of a viscous ridge, t^1/5"},
    {"huppert-planar-l1", case_huppert_planar, 1, 1.0, false, "%", "its profile"},
    {"huppert-radial-front", case_huppert_radial, 0, 1.5, false, "%", "front of a viscous drop, t^1/8"},
    {"huppert-radial-l1", case_huppert_radial, 1, 1.0, false, "%", "its profile"},
    {"film-front", case_film_front, 0, 1.0, false, "cells",
     "front of a film down slopes of 0.05 to 10 against the exact wave"},
    {"film-front-speed", case_film_front, 1, 0.5, false, "%", "its speed"},
    {"film-overshoot", case_film_front, 2, 0.5, false, "%", "how far it rises above the film's depth"},
    {"film-steep", case_film_steep, 0, 1.0, false, "%", "flux on slopes of 0.05 to 10 in any direction"},
    {"film-calm", case_film_steep, 1, 0.05, false, "x",
     "share of small disturbances of those films that is left, beyond what theory leaves"},
    {"drop-height", case_drop_height, 0, 8.0, false, "%",
     "drops and puddles of 0.05 to 5 ml: how far their height is outside the heights of Young and Laplace with the "
     "receding "
     "and the advancing angle"},
    {"drop-round", case_drop_height, 1, 4.0, false, "%", "their radius along the axes against that along diagonals"},
    {"drop-radius", case_drop_height, 2, 6.0, false, "%", "how far their smallest radius is below the largest"},
    {"drop-rest", case_drop_water, 0, 15.0, false, "s",
     "longest time that drops of water take to come to rest exactly"},
    {"drop-rest-puddles", case_drop_puddles, 0, 0.0, false, "drops",
     "how many of six larger or steeper drops of water still move after 10 s"},
    {"drop-sweep-height", case_drop_sweep, 0, 0.0, false, "drops",
     "drops of water that start anywhere in a cell, round or elongated, with and without hysteresis: how many are more "
     "than 8 % outside the heights of Young and Laplace"},
    {"drop-sweep-round", case_drop_sweep, 1, 0.0, false, "drops",
     "how many of those at up to 90 degrees are not round, or have moved by more than a cell"},
    {"drop-sweep-rest", case_drop_sweep, 2, 0.0, false, "drops", "how many of them still move after 12 s"},
    {"drop-sweep-steep", case_drop_sweep, 3, 0.0, false, "drops", "how many of those at 110 degrees are not round"},
    {"drop-retention", case_drop_retention, 0, 0.2, false, "",
     "|k - 1| for the steepest slope that holds a drop: its weight along the slope is k w gamma (cos receding - cos "
     "advancing)"},
    {"drop-azimuth", case_drop_retention, 1, 10.0, false, "%",
     "how far that slope differs between directions of 0, 15, 30 and 45 degrees"},
    {"rivulet-width", case_rivulet, 0, 15.0, false, "%",
     "rivulets down slopes of 15 to 40 degrees in three directions against their profile: width"},
    {"rivulet-depth", case_rivulet, 1, 15.0, false, "%", "and depth"},
    {"rivulet-small-width", case_rivulet, 2, 15.0, false, "%",
     "those with 15 degrees against the profile for small slopes: width"},
    {"rivulet-small-depth", case_rivulet, 3, 15.0, false, "%", "and depth"},
    {"drop-trail", case_drop_trail, 0, 0.9, false, "x",
     "time of a drop down a wet trail, divided by that on dry ground"},
    {"film-breakup", case_film_breakup, 0, 0.5, false, "",
     "share of a non-wetting plate that a thin film still covers"},
    {"film-breakup-volume", case_film_breakup, 1, 0.0, false, "m3", "volume that this film has lost"},
    {"contact-gravity", case_contact_off, 0, 1.0, false, "%", "what dynamic contact changes where gravity dominates"},
    {"contact-shore", case_contact_off, 1, 0.0, false, "", "and in cells of 1 m: worlds that differ in any bit"},
    {"slide", case_slide, 0, 1.0, false, "%", "a block without friction slides with g sin cos on slopes of 1 to 10"},
    {"thin-film", case_thin_film, 0, 1.0, false, "%",
     "flux of a film 20 um thick down 1 degree, with the short steps of water 0.1 m deep"},
    {"film-start", case_film_start, 0, 5.0, false, "%",
     "films from rest, u (1 - exp(-t/tau)), 5 to 84 degrees, 0.5 mm cells"},
    {"film-acceleration", case_film_start, 1, 1.05, false, "x",
     "largest acceleration of films and ridges, divided by what gravity and pressure can give, 0.5 mm cells"},
    {"ridge-30-front", case_ridge_30, 0, 10.0, false, "%",
     "front of a 4 mm ridge of blood at 30 degrees against a fine reference, 0.5 mm cells"},
    {"ridge-30-peak", case_ridge_30, 1, 10.0, false, "%", "its height"},
    {"ridge-60-front", case_ridge_60, 0, 10.0, false, "%", "its front at 60 degrees"},
    {"ridge-60-peak", case_ridge_60, 1, 20.0, false, "%", "its height there"},
    {"roll-decay", case_roll_decay, 0, 0.5, false, "x",
     "what is left of waves on films below Froude 1/2, in theory 0.05; 64 cells of 0.5 mm"},
    {"roll-growth", case_roll_growth, 0, 1.05, false, "x",
     "how fast waves of 8 to 64 cells grow above it, in theory 1"},
    {"roll-short", case_roll_growth, 1, 0.5, false, "x", "what is left of waves of 2 and 4 cells there"},
    {"settle-basins", case_settle_basins, 0, 0.0, false, "faces",
     "faces that still flow and columns that still change in eight uneven basins of 24 x 24 cells"},
    {"settle-stacks", case_settle_stacks, 0, 0.0, false, "faces",
     "the same in eight random stacks of five layers, 12 x 12 cells"},
    {"climb", case_climb, 0, 0.0, false, "m3",
     "volume that streams bring onto cliffs that are higher than they can reach, 200 cells"},
    {"climb-ramp", case_climb, 1, 1.1, false, "x",
     "how high they run up ramps of 27 to 63 degrees, in energy heads of their tips, 20 mm cells"},
    {"shell", case_shell, 0, 0.1, false, "%",
     "share of films that leaks through steep shells thinner than their rise per cell, 0.5 mm cells"},
    {"shell-film", case_shell, 1, 1.0, false, "%", "speed of the films on them"},
    {"turned-blood-30", case_turned_blood, 0, 10.0, false, "%",
     "a drop of blood on an incline turned by 30 degrees, 160 x 160 cells of 1 mm"},
    {"turned-blood-45", case_turned_blood, 1, 10.0, false, "%", "by 45 degrees"},
    {"turned-honey-30", case_turned_honey, 0, 5.0, false, "%", "the same with honey"},
    {"turned-honey-45", case_turned_honey, 1, 5.0, false, "%", "by 45 degrees"},
    {"body-drag-cells", case_body_drag_cells, 0, 15.0, false, "%",
     "drag on a submerged ball of 1 m at 1 m/s, rho C A v^2 / 2, cells of 1 to 0.125 m"},
    {"body-reaction", case_body_reaction, 0, 2.0, false, "%",
     "share of the water's change of momentum that the impulse on bodies does not explain, 0.5 m cells"},
    {"body-swept", case_body_swept, 0, 10.0, false, "%",
     "when a box that a dam break sweeps away arrives, against the front that carries it, 0.25 m cells"},
    {"lake-at-rest", case_lake, 0, 0.0, false, "columns", "columns of a rough, partly flooded lake that ever move"},
    {"settle", case_settle, 0, 128.0, false, "quanta", "level spread of a stirred basin after 30 s"},
    {"settle-flux", case_settle, 1, 0.0, false, "pipes", "pipes that still flow then"},
    {"thacker-period", case_thacker, 0, 1.0, false, "%", "period in a parabolic bowl"},
    {"thacker-amplitude", case_thacker, 1, 0.95, true, "", "share of the swing kept after 3 periods"},
    {"overfall", case_overfall, 0, 2.0, false, "%", "discharge over a brink, 8/27 sqrt(g) h^1.5"},
    {"bore-ringing", case_bore, 0, 3.0, false, "%", "zigzag behind a dam break's bore"},
    {"stoker-10-1", case_stoker, 0, 0.4, false, "%",
     "L1 error of the depth of a dam break, 10 m onto 1 m, 200 cells of 10 m"},
    {"stoker-1-0.1", case_stoker, 1, 0.4, false, "%", "1 m onto 0.1 m, 200 cells of 1 m"},
    {"stoker-1-0.01", case_stoker, 2, 0.4, false, "%", "1 m onto 0.01 m, 200 cells of 1 m"},
    {"stoker-order", case_stoker, 3, 0.9, true, "",
     "lowest order of convergence of these three, from 200 to 1000 cells"},
    {"stoker-shock", case_stoker_shock, 0, 1.0, false, "%", "speed of the bore of a dam break, 400 cells of 10 mm"},
    {"ritter-l1-200", case_ritter, 0, 0.4, false, "%",
     "L1 error of the depth of a dam break of 1 m onto dry ground, 200 cells of 1 m"},
    {"ritter-front", case_ritter, 1, 8.0, false, "%",
     "distance travelled by its front, where it is 1 mm deep, 200 cells of 1 m"},
    {"radial-dry", case_radial, 0, 1.5, false, "%",
     "L1 error of the depth of a round dam of 10 m onto dry ground, 200 x 200 cells of 1 m"},
    {"radial-wet", case_radial, 1, 1.5, false, "%", "onto 1 m of water, 200 x 200 cells of 1 m"},
    {"bump-subcritical", case_bump, 0, 0.3, false, "%",
     "L1 error of the depth of a steady flow over a bump, q = 4.42, 250 cells of 0.1 m"},
    {"bump-transcritical", case_bump, 1, 0.3, false, "%", "q = 1.53, out over an open edge, 250 cells of 0.1 m"},
    {"bump-shock", case_bump, 2, 0.3, false, "%", "q = 0.18, with a jump behind the crest, 250 cells of 0.1 m"},
    {"bump-level", case_bump, 3, 0.1, false, "%",
     "depth before the east edge against the level held there, both with a held level, 250 cells of 0.1 m"},
    {"manning-uniform", case_manning, 0, 0.1, false, "%",
     "depth of uniform flow with n of 0.015 to 0.1 down slopes of 0.0005 to 0.02, 400 cells of 5 m"},
    {"manning-chezy", case_manning, 1, 0.1, false, "%", "the same with C of 10 to 67 in place of n, 400 cells of 5 m"},
    {"manning-region", case_manning, 2, 0.1, false, "%",
     "where n is given by regions, 0.03 and 0.05, and the slope follows, 400 cells of 5 m"},
    {"manning-raster", case_manning, 3, 0.1, false, "%",
     "where n is given by a map, 0.02 to 0.05, and the slope follows, 400 cells of 5 m"},
    {"manning-subcritical", case_macdonald, 0, 0.3, false, "%",
     "L1 error of the depth in MacDonald's channel of 1 km, q = 2, n = 0.033, 500 cells of 2 m"},
    {"manning-supercritical", case_macdonald, 1, 0.3, false, "%", "q = 2.5, n = 0.04, 500 cells of 2 m"},
    {"manning-transcritical", case_macdonald, 2, 0.3, false, "%",
     "from slow to fast, q = 2, n = 0.0218, 500 cells of 2 m"},
    {"manning-shock", case_macdonald, 3, 0.3, false, "%",
     "from fast to slow by a jump, q = 2, n = 0.0218, 500 cells of 2 m"},
    {"manning-short", case_macdonald_short, 0, 0.3, false, "%",
     "from slow to fast and back by a jump within 100 m, q = 2, n = 0.0328, 400 cells of 0.25 m"},
    {"manning-rain", case_macdonald_short, 1, 0.3, false, "%",
     "the subcritical channel with rain, q = 1 to 2, n = 0.033, 500 cells of 2 m"},
    {"thacker-planar-period", case_thacker_planar, 0, 0.5, false, "%",
     "period of large oscillations in a parabolic canal, 400 cells of 80 mm"},
    {"thacker-planar-centre", case_thacker_planar, 1, 2.0, false, "%",
     "mean error of the level in its middle over 5 periods, divided by its range, 400 cells of 80 mm"},
    {"thacker-radial-period", case_thacker_radial, 0, 0.5, false, "%",
     "period of large oscillations in a round bowl, 170 x 170 cells of 40 m"},
    {"thacker-radial-centre", case_thacker_radial, 1, 2.0, false, "%",
     "mean error of the level in its middle over 5 periods, divided by its range, 170 x 170 cells of 40 m"},
    {"rotation", case_rotation, 0, 0.78, true, "",
     "share of its angular momentum that water in a round basin keeps for 180 s, 64 x 64 cells of 1 m"},
    {"drain-speed", case_drain_speed, 0, 1.0, false, "%",
     "a stream keeps its speed as half of it drains, evaporates, seeps away or sinks with a held level, 50 cells of 1 "
     "m"},
    {"energy", case_energy, 0, 0.01, false, "%",
     "growth of energy over an uneven bed without friction, divided by its loss, 32 x 32 cells of 50 mm, 2e4 substeps; "
     "1e6 with RUNNEL_LONG set"},
    {"bp01", case_bp01, 0, 1.0, false, "%",
     "gauges of a solitary wave on a beach of 1:19.85, rms error divided by their range, 1600 cells of 50 mm; needs "
     "data"},
    {"monai", case_monai, 0, 10.0, false, "%",
     "gauges in the valley of Monai, rms error divided by their range, 196 x 122 cells of 28 mm; needs data"},
    {"film-carried", case_film_carried, 0, 0.1, false, "%",
     "speed of films and friction flows of Froude numbers up to 10"},
    {"film-carried-calm", case_film_carried, 1, 0.05, false, "x",
     "share of small disturbances of those that is left, beyond what theory leaves"},
    {"chute", case_chute, 0, 1.0, false, "%", "speed gained down a chute without drag"},
    {"volume-drift", case_volume, 0, 0.0, false, "m3",
     "volume lost or gained in 3e4 rough steps; 1e5 with RUNNEL_LONG set"},
    {"column-bounds", case_volume, 1, 0.0, false, "columns", "columns that left base <= level <= ceiling on the way"},
    {"symmetry", case_symmetry, 0, 0.0, false, "columns", "columns that differ from their mirror image"},
    {"utube-period-5", case_utube, 0, 0.5, false, "%",
     "period of two basins that oscillate through a full tunnel of 5 cells"},
    {"utube-period-20", case_utube, 1, 0.5, false, "%", "of 20 cells"},
    {"utube-period-80", case_utube, 2, 0.5, false, "%", "of 80 cells"},
    {"utube-level", case_utube_level, 0, 0.2, false, "%", "difference of levels once they have settled"},
    {"bend-vs-implicit", case_bend, 0, 3.0, false, "%",
     "levels equalise through a bent tunnel, against the implicit step"},
    {"cross-vs-implicit", case_cross, 0, 3.0, false, "%", "the same for four basins around a crossing"},
    {"chamber-vs-implicit", case_chamber, 0, 5.0, false, "%", "through a flooded chamber with a blind arm"},
    {"vault-curvature", case_vault, 0, 1e-4, false, "m", "ripples outside a vault that floods and drains, implicit"},
    {"culvert-poiseuille", case_culvert, 0, 2.0, false, "%", "viscous flow through a full slot, gH^3 dh/12nuL"},
    {"passage-height", case_passage_height, 0, 3.0, false, "%", "it grows with the cube of the slot's height"},
    {"passage-length", case_passage_length, 0, 3.0, false, "%", "each cell adds the same resistance"},
    {"culvert-jet", case_culvert_jet, 0, 3.0, false, "%", "a culvert that runs full into the air, u^2/2g"},
    {"passage-drift", case_passage_volume, 0, 0.0, false, "m3", "volume lost or gained as passages flood and drain"},
    {"passage-bounds", case_passage_volume, 1, 0.0, false, "columns", "columns that left base <= level <= ceiling"},
    {"body-draught", case_body_draught, 0, 1.0, false, "%",
     "draught of rafts with 0.1 to 0.95 of the liquid's density"},
    {"body-displacement", case_body_displacement, 0, 0.5, false, "%",
     "a submerged body raises the level by its volume, implicit"},
    {"body-displaced-cells", case_body_displacement, 1, 2.0, false, "%", "the same in explicit steps"},
    {"body-heave", case_body_heave, 0, 10.0, false, "%", "a raft heaves with the period 2 pi sqrt(m / rho g A)"},
    {"body-roll", case_body_roll, 0, 10.0, false, "%", "and rolls with the period 2 pi sqrt(I / m g GM)"},
    {"body-drag", case_body_drag, 0, 5.0, false, "%", "a log reaches the speed of the river that it floats on"},
    {"body-lake-at-rest", case_body_lake, 0, 0.0, false, "columns",
     "columns and pipes of a lake among bodies that move once it has settled"},
    {"body-lake-level", case_body_lake, 1, 128.0, false, "quanta", "how far its levels differ"},
    {"body-volume-drift", case_body_volume, 0, 0.0, false, "m3", "volume lost or gained as 200 bodies splash about"},
    {"body-bounds", case_body_volume, 1, 0.0, false, "columns", "columns that left base <= level <= ceiling"},
    {"alias-0.05", case_alias_slow, 0, 0.02, false, "m",
     "waves made by a pillar that moves at 0.05 m/s through still water"},
    {"alias-0.2", case_alias_fast, 0, 0.02, false, "m", "at 0.2 m/s"},
    {"alias-drift", case_alias_drift, 0, 0.02, false, "m", "with the current"},
    {"packets-wave", case_packets_wave, 0, 1.0, false, "%", "packets: small waves of 64 cells at sqrt(gH)"},
    {"packets-wave-paper", case_packets_wave, 1, 2.0, false, "%", "in the paper's model, at sqrt(2gH/s)"},
    {"packets-volume-drift", case_packets_volume, 0, 0.0, false, "m3",
     "packets: volume lost or gained in 1e5 rough steps of each model"},
    {"packets-bounds", case_packets_volume, 1, 0.0, false, "columns",
     "columns that left base <= level <= lid on the way"},
    {"packets-momentum", case_packets_momentum, 0, 0.01, false, "%",
     "packets: momentum of a choppy current lost or gained in 2000 steps, 64 x 64 cells of 1 m"},
    {"packets-whirlpool", case_packets_whirlpool, 0, 0.9, true, "",
     "packets: share of its angular momentum that a whirlpool keeps for 225 s, 100 x 100 cells of 1 m"},
    {"packets-whirlpool-collocated", case_packets_whirlpool, 1, 0.0, true, "",
     "how much more that is than with semi-Lagrangian transport, collocated and smoothed as much"},
    {"packets-whirlpool-staggered", case_packets_whirlpool, 2, 0.0, true, "",
     "how much more than with semi-Lagrangian transport on a staggered grid"},
    {"packets-lake", case_packets_lake, 0, 0.0, false, "columns",
     "packets: columns of a lake among islands that ever move"},
    {"packets-checkerboard", case_packets_checkerboard, 0, 0.01, false, "x",
     "packets: what is left of a checkerboard after 200 substeps"},
    {"adaptive-8", case_adaptive_1d, 0, 1.0, false, "%",
     "share of waves of 8 to 32 coarse cells that is reflected where cells of 1 m meet cells of 2 m, gradients from "
     "values on the sides"},
    {"adaptive-16", case_adaptive_1d, 1, 1.0, false, "%", "of waves of 16 coarse cells"},
    {"adaptive-losasso", case_adaptive_1d, 2, 4.0, true, "x",
     "how many times as much the gradients of Losasso et al. 2004 reflect"},
    {"adaptive-parabola", case_adaptive_1d, 3, 1.0, true, "x", "how many times as much the paper's parabola reflects"},
    {"adaptive-tiles-error", case_tiles_error, 0, 2.0, false, "%",
     "adaptive packets: the largest difference of a ring wave from that on fine cells alone"},
    {"adaptive-tiles-fine", case_tiles_error, 1, 15.0, true, "%", "tiles that are fine then"},
    {"adaptive-tiles-reflection", case_tiles_reflection, 0, 1.0, false, "%",
     "share of waves of 8 to 32 coarse cells that a boundary between tiles reflects, coming from fine cells"},
    {"adaptive-tiles-reflection-back", case_tiles_reflection, 1, 1.0, false, "%", "coming from coarse cells"},
    {"adaptive-tiles-mass", case_tiles_mass, 0, 0.0, false, "m3",
     "adaptive packets: volume lost or gained in 10,000 substeps; 20,000 with RUNNEL_LONG set"},
    {"adaptive-tiles-bounds", case_tiles_mass, 1, 0.0, false, "columns",
     "columns that were ever out of bounds in those"},
    {"dam-leak", case_dam_leak, 0, 0.0, false, "m3", "volume that a dam of crates lets through below its crest"},
    {"dam-weir", case_dam_weir, 0, 10.0, false, "%", "discharge over that dam, 1.705 h^1.5"},
    {"mac-nusselt", case_mac_nusselt, 0, 0.5, false, "%", "3D: mean speed of a film eight cells deep, gSd^2/3nu"},
    {"mac-huppert-early", case_mac_huppert, 0, 3.0, false, "%", "3D: front of a viscous ridge, t^1/5, after 3 s"},
    {"mac-huppert-late", case_mac_huppert, 1, 3.0, false, "%", "3D: the same after 6 s"},
    {"mac-slosh-period", case_mac_slosh, 0, 1.0, false, "%", "3D: a basin swings with the period of linear waves"},
    {"mac-fig18-front", case_mac_fig18, 0, 10.0, false, "%",
     "columns against 3D: front of 1 cm3 on an incline after 2 s, nu = 0.01 m2/s"},
    {"mac-fig18-width", case_mac_fig18, 1, 10.0, false, "%", "and its width"},
    {"mac-rest-speed", case_mac_rest, 0, 0.02, false, "m/s", "3D: largest speed in a pool at rest after 2 s"},
    {"mac-rest-volume", case_mac_rest, 1, 1.0, false, "%", "3D: error of its volume within the surface"},
    {"mac-gates", case_mac_gates, 0, 4e-7, false, "",
     "Gates 2001: three rules against the listed cases, relative to the largest term"},
    {"mac-gates-unequal", case_mac_gates, 1, 4e-7, false, "", "the same with unequal sides of cells"},
    {"mac-gates-divergence", case_mac_gates, 2, 62.0, true, "cases",
     "how many of the 63 cases with an empty neighbour leave no divergence"},
    {"mac-free-fall", case_mac_free_fall, 0, 2e-3, false, "%", "3D: a ball falls g t^2 / 2"},
    {"mac-divergence", case_mac_divergence, 0, 1e-5, false, "",
     "3D: largest divergence after the pressure solve, divided by that before, in a dam break"},
    {"mac-poiseuille", case_mac_poiseuille, 0, 1.0, false, "%", "3D: mean speed between two plates, gH^2/12nu"},
    {"mac-spin", case_mac_spin, 0, 0.9, true, "", "3D: share of its angular momentum that a viscous ball keeps"},
    {"mac-front", case_mac_front, 0, 4.0, false, "%",
     "3D: front of a collapsing column against Martin & Moyce 1952, after one time offset, root mean square"},
    {"mac-front-offset", case_mac_front, 1, 0.35, false, "", "that offset, without its sign, in T = t sqrt(2g/a)"},
    {"mac-front-raw", case_mac_front, 2, 15.0, false, "%", "the same without an offset"},
    {"mac-splash-volume", case_mac_splash, 0, 1.0, false, "%",
     "3D: largest drift of the volume of a splash in 2 s; in 10 s with RUNNEL_LONG set"},
    {"mac-splash-end", case_mac_splash, 1, 1.0, false, "%", "3D: its mean over the last fifth of that time"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Rows known not to meet their bar, and the cause. They are printed as missed and do not count as failed. */
static const struct {
    const char *row, *cause;
} known_misses[] = {
    {"settle-basins", "without any drag, levels still swing by some 1,000 quanta after 300 s"},
    {"settle-stacks", "without any drag, liquid still goes round in loops of flooded passages after 300 s"},
    {"climb", "a bore that forms at a wall overshoots by 13 %, and the cliff is 1.1 times as high"},
    {"body-drag", "the log drifts along with the water that it has slowed, which hardly mixes with the river, because "
                  "there is no turbulence"},
    {"body-reaction", "a towed body that blocks receives 12 % less momentum than the liquid gains"},
    {NULL, NULL}, /* the end */
};

/* Returns the cause if the row is known not to meet its bar, otherwise NULL. The measured value does not matter. */
static const char *known_cause(const row *r) {
    for (int i = 0; known_misses[i].row; i++)
        if (strcmp(known_misses[i].row, r->name) == 0) return known_misses[i].cause;
    return NULL;
}

static const char help[] =
    "runnel validate [--only NAME ...] [--json] [--list]: compares the physics with theory.\n"
    "\n"
    "Each row prints its name, what was measured, the bar, and pass or FAIL. A bar known not to be\n"
    "met is printed as missed, with the cause; a row whose data files are not in the folder that\n"
    "RUNNEL_DATA names is skipped. The exit status is 0 unless a row fails, 1 if any does.\n"
    "\n"
    "  --only NAME   run this row (may be given more than once)\n"
    "  --list        print the names of all rows and what each means\n"
    "  --json        {\"results\": [{\"name\", \"measured\", \"bar\", \"pass\", \"unit\", \"at_least\"}]},\n"
    "                with \"missed\": the cause or \"skipped\": true in a row where that holds, and with\n"
    "                \"interrupted\": true at the end after Ctrl-C\n"
    "\n"
    "  runnel validate --only nusselt --only lake-at-rest\n";

typedef enum verdict { PASSED, FAILED, MISSED, SKIPPED, VERDICTS } verdict;

/* Compares a measured value with the bar of its row: SKIPPED if there were no data, MISSED if it fails but is known to.
   NAN fails. */
static verdict judge(const row *r, double measured) {
    if (was_skipped(measured)) return SKIPPED;
    if (r->at_least ? measured >= r->bar : measured <= r->bar) return PASSED;
    return known_cause(r) ? MISSED : FAILED;
}

/* Prints a row as a line of the table: name, measured value, bar, unit, verdict and, for a known miss, its cause. */
static void print_row(const row *r, double measured) {
    static const char *const words[] = {"pass", "FAIL", "missed", "skipped: no data"};
    const verdict v = judge(r, measured);
    if (v == SKIPPED) printf("%-22s %12s", r->name, "-");
    else printf("%-22s %12.6g", r->name, measured);
    printf("  %s %-8.6g %-8s %s%s%s\n", r->at_least ? ">=" : "<=", r->bar, r->unit, words[v], v == MISSED ? ": " : "",
           v == MISSED ? known_cause(r) : "");
}

/* Prints a row with its verdict as a JSON object without a line break after it; a value that was skipped or is not
   finite is null. `first`: no comma before it. */
static void print_json_row(const row *r, double measured, bool first) {
    const verdict v = judge(r, measured);
    printf("%s\n  {\"name\": \"%s\", \"measured\": ", first ? "" : ",", r->name);
    if (v == SKIPPED) printf("null");
    else print_json_number(stdout, measured);
    printf(", \"bar\": %.9g, \"pass\": %s, \"unit\": \"%s\", \"at_least\": %s", r->bar, v == PASSED ? "true" : "false",
           r->unit, r->at_least ? "true" : "false");
    if (v == MISSED) printf(", \"missed\": \"%s\"", known_cause(r)); /* causes need no escapes */
    if (v == SKIPPED) printf(", \"skipped\": true");
    printf("}");
}

/* Prints a line with how many rows passed, failed and, if any, were missed and were skipped. */
static void print_sum(const int count[VERDICTS]) {
    printf("%d passed, %d failed", count[PASSED], count[FAILED]);
    if (count[MISSED]) printf(", %d missed", count[MISSED]);
    if (count[SKIPPED]) printf(", %d skipped", count[SKIPPED]);
    printf("\n");
}

/* Durations of cases on a small machine, for the ETA. Cases not listed take less than a second. */
static const struct {
    physics_case run;
    double seconds;
} durations[] = {{case_drop_height, 12}, {case_drop_water, 6},     {case_drop_puddles, 12},   {case_drop_retention, 30},
                 {case_rivulet, 10},     {case_drop_sweep, 40},    {case_huppert_planar, 2},  {case_huppert_radial, 5},
                 {case_film_front, 20},  {case_film_steep, 70},    {case_thin_film, 10},      {case_lake, 40},
                 {case_settle, 1},       {case_volume, 33},        {case_symmetry, 21},       {case_bend, 1},
                 {case_cross, 2},        {case_chamber, 2},        {case_passage_volume, 45}, {case_alias_slow, 7},
                 {case_alias_fast, 8},   {case_alias_drift, 5},    {case_dam_leak, 13},       {case_dam_weir, 9},
                 {case_body_draught, 3}, {case_body_lake, 3},      {case_body_volume, 45},    {case_radial, 1},
                 {case_bump, 1},         {case_thacker_radial, 3}, {case_energy, 1},          {case_monai, 2},
                 {case_manning, 4},      {case_macdonald, 4},      {case_macdonald_short, 2}, {case_mac_huppert, 12},
                 {case_mac_slosh, 8},    {case_mac_fig18, 15},     {case_mac_splash, 25}};

/* Returns how long the wanted rows from `first` to `end` - 1 would take on that machine (s). A case counts only at its
   first wanted row, so not at all if that row is before `first`. */
static double expected_seconds(const bool *wanted, int first, int end) {
    double seconds = 0;
    physics_case last = NULL;
    for (int i = 0; i < end; i++) {
        if (!wanted[i] || rows[i].run == last) continue;
        last = rows[i].run;
        for (size_t k = 0; i >= first && k < sizeof durations / sizeof durations[0]; k++)
            if (durations[k].run == last) seconds += durations[k].seconds;
    }
    return seconds;
}

/* Shows on the terminal the name of row `i` and the remaining time, scaled by how long the cases so far took compared
   with what they were expected to. `done` of `count` rows are finished; `start`: clock before the first (s). */
static void announce(const bool *wanted, int i, int done, int count, double start) {
    double before = expected_seconds(wanted, 0, i), slowness = before > 1 ? (clock_now() - start) / before : 1;
    char text[96];
    snprintf(text, sizeof text, "[%d of %d] %s", done + 1, count, rows[i].name);
    countdown_show(text, slowness * expected_seconds(wanted, i, i + 1),
                   slowness * expected_seconds(wanted, i + 1, ROWS));
}

/* Runs and prints all wanted rows, as a table or as JSON. Makes Ctrl-C end the program at once. Returns
   EXIT_FAILED_CHECK if any row failed, else EXIT_FINE. Rows of one case stand together, so that each case runs once. */
static int run(const bool *wanted, bool json) {
    int verdicts[VERDICTS] = {0}, done = 0, count = 0;
    for (int i = 0; i < ROWS; i++) count += wanted[i];
    double measured[MOST_MEASURES], start = clock_now();
    physics_case last = NULL;
    /* A case may take a minute, so Ctrl-C ends at once: the rows so far have been printed, and the JSON is closed. */
    console_end_on_interrupt(json ? "\n], \"interrupted\": true}\n" : "interrupted\n");
    countdown_start();

    if (json) printf("{\"results\": [");
    else printf("%-22s %12s  %s\n", "name", "measured", "bar");
    fflush(stdout);
    for (int i = 0; i < ROWS; i++) {
        if (!wanted[i]) continue;
        announce(wanted, i, done, count, start);
        if (rows[i].run != last) rows[i].run(measured);
        last = rows[i].run;
        countdown_hide();
        if (json) print_json_row(&rows[i], measured[rows[i].measure], done == 0);
        else print_row(&rows[i], measured[rows[i].measure]);
        fflush(stdout);
        verdicts[judge(&rows[i], measured[rows[i].measure])]++;
        done++;
    }
    countdown_stop();
    if (json) printf("\n]}\n");
    else print_sum(verdicts);

    return verdicts[FAILED] ? EXIT_FAILED_CHECK : EXIT_FINE;
}

/* Marks the rows named by --only as wanted, or all rows if none is named. Returns EXIT_FINE, or EXIT_BAD_INPUT after an
   error. */
static int choose_rows(const option_texts *only, bool *wanted) {
    for (int i = 0; i < ROWS; i++) wanted[i] = only->count == 0;
    for (int k = 0; k < only->count; k++) {
        const char *nearest = NULL;
        bool found = false;
        for (int i = 0; i < ROWS; i++) {
            if (strcmp(rows[i].name, only->texts[k]) == 0) wanted[i] = found = true;
            rn_word_nearer(only->texts[k], rows[i].name, &nearest);
        }
        if (found) continue;
        if (nearest)
            return complain("runnel validate: there is no row \"%.60s\"; did you mean \"%s\"?", only->texts[k],
                            nearest);
        return complain("runnel validate: there is no row \"%.60s\"; \"runnel validate --list\" lists them",
                        only->texts[k]);
    }
    return EXIT_FINE;
}

/* `runnel validate`: reads the options, chooses the rows and runs them, or lists all with --list. Returns
   EXIT_FAILED_CHECK if a row failed. */
int command_validate(int argc, char **argv) {
    bool wanted[ROWS], json = false, list = false;
    const char *names[256];
    option_texts only = {names, 0};
    const option options[] = {{"--only", OPTION_TEXTS, &only, 0, 0},
                              {"--json", OPTION_FLAG, &json, 0, 0},
                              {"--list", OPTION_FLAG, &list, 0, 0}};
    if (argc > 256) return complain("runnel validate: too many arguments; at most 256 are allowed");
    switch (options_read("validate", argc, argv, options, 3)) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    for (int i = 0; list && i < ROWS; i++) printf("%-22s %s\n", rows[i].name, rows[i].what);
    if (list) return EXIT_FINE;
    int chosen = choose_rows(&only, wanted);
    return chosen == EXIT_FINE ? run(wanted, json) : chosen;
}
