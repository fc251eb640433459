/* The folder that a run writes: frame-0001.png …, last.png, ledger.csv, probes.csv, summary.json. */
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
    int frames; /* pictures of frames that were asked for so far */
} output;

/* A folder and those that it lies in. False after a sentence. */
bool make_folders(const char *folder);

/* Makes the folder, the ledger and the probes' table, and takes away what an earlier run left, but for its first `kept`
   frames. False after a sentence. */
bool output_open(output *output, const char *folder, const rn_scene_info *scene, int kept);
void output_close(output *output);

bool output_row(output *output, int frame, const rn_world *world);

enum { OUTPUT_LONGEST = 4096 };
/* The name of frame-0012.png; frame 0: last.png. */
void output_picture_path(const output *output, int frame, char path[OUTPUT_LONGEST]);

/* checkpoint.rnl, to go on from. */
bool output_checkpoint(const output *output, rn_scene *scene);

/* What a run was, for summary.json and --json. */
typedef struct run_summary {
    const char *scene, *file, *title;
    const char *const *set;
    int set_count;
    int frames, frames_asked; /* counted from the scene's beginning */
    int frames_before;        /* of the run that this one goes on with */
    double from;              /* s simulated before */
    bool interrupted;
    double wall;  /* s, all of it */
    double steps; /* s, in rn_world_step alone */
    bound_report bounds;
    picture_report pictures;
    export_report exports;
} run_summary;

void print_summary(FILE *file, const run_summary *run, const output *output, const rn_world *world);
/* Under a temporary name, then renamed. */
bool output_summary(const output *output, const run_summary *run, const rn_world *world);

#endif
