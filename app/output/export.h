/* Exports frames of a run to files for other tools, written by a separate thread. Order of calls: export_understand(),
   export_open(), export_frame() after every frame, export_finish(), export_close(). */
#ifndef EXPORT_H
#define EXPORT_H

#include "common/options.h"
#include "output/queue.h"
#include "surface/copies.h"

#include <runnel/runnel.h>

#include <stdio.h>

/* The command-line options. */
typedef struct export_options {
    option_texts kinds;   /* each has one kind, or several separated by commas */
    const char *unit;     /* "mm"; NULL: not given */
    const char *up;       /* "y"; NULL: not given */
    int every;            /* 0: not given */
    bool at_end;          /* only the last frame */
    double wet;           /* m, --export-wet */
    uint32_t chosen;      /* from `kinds`, a bit for each; see rn_export_choose() */
    double unit_in_metre; /* m, length of `unit` */
} export_options;

#define EXPORT_OPTIONS(o)                                                                                              \
    {"--export", OPTION_EXPORTS, &(o)->kinds, 0, 0}, {"--export-every", OPTION_COUNT, &(o)->every, 1, 1e9},            \
        {"--export-at-end", OPTION_FLAG, &(o)->at_end, 0, 0}, {"--export-unit", OPTION_TEXT, &(o)->unit, 0, 0},        \
        {"--export-up", OPTION_TEXT, &(o)->up, 0, 0}, {                                                                \
        "--export-wet", OPTION_NUMBER, &(o)->wet, 0, 1e6                                                               \
    }

/* Prints the lines of the help text about these options, with all kinds of files. */
void export_help(FILE *file);
/* Checks the options and sets `chosen` and `unit_in_metre`. Returns false after printing an error. */
bool export_understand(export_options *options);
/* Prints the options that were given, as on a command line, each after a space, on stdout. Texts are not quoted. */
void export_print_options(const export_options *options);

/* What was exported, and how long it took. */
typedef struct export_report {
    uint32_t kinds; /* 0: none */
    int frames;
    double making, waiting; /* s, in the simulation thread: making meshes and copies; waiting for a free slot */
    double writing;         /* s, in the thread that writes */
} export_report;

/* A frame in the queue. */
typedef struct export_slot {
    rn_mesh_copy ground, surface, bodies;
    rn_columns_copy columns;
    rn_export_frame frame;
} export_slot;

enum { EXPORT_DEEP = 3 }; /* frames in the queue, at most */

typedef struct exporter {
    const export_options *options; /* NULL: nothing is exported */
    rn_scene *scene;
    rn_export *files;
    unsigned needs; /* RN_EXPORT_MESHES, RN_EXPORT_COLUMNS */
    rn_skin *skin;  /* NULL: no meshes are needed */
    queue queue;
    export_slot slots[EXPORT_DEEP];
    int every;
    export_report report;
} exporter;

/* Starts exporting to the folder, which exists, and queues the current state as the first frame (unless only the last
   is exported). Does nothing if no kind was chosen. `options` and `scene` must outlive `e`; `every`: used unless
   --export-every was given; `threads`: the number of threads for meshes. Returns false after printing an error; call
   export_close() also then. */
bool export_open(exporter *e, const export_options *options, rn_scene *scene, const char *folder, int every,
                 int threads);
/* Passes the current state to files that need every frame, and queues it if it is due: the first frame, and frame
   numbers divisible by `every`, but none if only the last frame is exported. Call after every frame. Returns false
   after printing an error, or true if nothing is exported. */
bool export_frame(exporter *e, int frame);
/* Waits until everything queued is written. Returns false after printing an error, or true if nothing is exported. */
bool export_settle(exporter *e);
/* Writes the last frame if only that is exported, waits for everything queued, and writes the data that is only known
   at the end. `frame`: its number. Does nothing if nothing is exported. Returns false after printing an error. */
bool export_finish(exporter *e, int frame);
/* Frees everything. Without export_finish() before, keeps the files written so far and prints nothing. Also for an
   exporter that was never opened, if zeroed. */
void export_close(exporter *e);

#endif
