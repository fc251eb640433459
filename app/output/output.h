/* The folder that a run writes: frame-0001.png and so on, last.png, ledger.csv, probes.csv, checkpoint.rnl,
   summary.json. Order of calls: output_open(), output_row() after every frame, output_summary(), output_close().
   Functions that return bool return false after printing an error. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "output/bounds.h"
#include "output/export.h"
#include "output/pictures.h"
#include "output/probes.h"

#include <runnel/runnel.h>
#include <stdio.h>

typedef struct output {
    char folder[3072];
    rows ledger, probes;        /* probes: not open if the scene has none */
    const rn_probe *probe_list; /* the scene's */
    int probe_count;
    int frames;      /* pictures of frames requested so far */
    bool checkpoint; /* checkpoint.rnl has been written */
} output;

/* Creates the folder and opens its tables. If the folder has a ledger.csv, removes what an earlier run left, except its
   first `kept` frames (0: a new run). `scene`: its list of probes must outlive `output`. */
bool output_open(output *output, const char *folder, const rn_scene_info *scene, int kept);
/* Closes the tables and zeroes `output`. Also for one that failed to open. */
void output_close(output *output);

/* Adds a row for this frame, with the world's time, substeps and volumes, to ledger.csv and, if there are probes, to
   probes.csv. */
bool output_row(output *output, int frame, const rn_world *world);

enum { OUTPUT_LONGEST = 4096 };
/* Writes the path of a picture such as frame-0012.png in the folder; frame 0: last.png. */
void output_picture_path(const output *output, int frame, char path[OUTPUT_LONGEST]);

/* Writes checkpoint.rnl, from which the run can be resumed, and sets output->checkpoint to whether that succeeded. An
   earlier one is replaced. */
bool output_checkpoint(output *output, rn_scene *scene);

/* The facts about a run, for summary.json and --json. */
typedef struct run_summary {
    const char *scene, *file, *title;
    const char *const *set;
    int set_count;
    int frames, frames_asked; /* done and requested, counted from the start of the scene */
    int frames_before;        /* done before this run resumed */
    double from;              /* s, simulated before this run resumed */
    bool interrupted;
    double wall;  /* s, total wall time */
    double steps; /* s, wall time of the steps alone */
    bound_report bounds;
    picture_report pictures;
    export_report exports;
    rn_georeference georeference;
    double film_pace; /* simulated seconds in a second of the film */
} run_summary;

/* Prints the summary as one JSON object. `output`: the folder and the number of pictures; `world`: its volumes, times
   and hash. */
void print_summary(FILE *file, const run_summary *run, const output *output, const rn_world *world);
/* Writes summary.json, under a temporary name until it is complete. */
bool output_summary(const output *output, const run_summary *run, const rn_world *world);

#endif
