/* Files of a run for other tools, written by a thread of their own. */
#ifndef EXPORT_H
#define EXPORT_H

#include "common/options.h"
#include "output/queue.h"
#include "surface/copies.h"

#include <runnel/runnel.h>

#include <stdio.h>

/* What the command line says. */
typedef struct export_options {
    option_texts kinds;   /* each one, or several with commas between them */
    const char *unit;     /* "mm"; NULL: not given */
    const char *up;       /* "y"; NULL: not given */
    int every;            /* 0: not given */
    bool at_end;          /* only the last frame */
    double wet;           /* m */
    uint32_t chosen;      /* of `kinds`, as of rn_export_choose */
    double unit_in_metre; /* of `unit` */
} export_options;

#define EXPORT_OPTIONS(o)                                                                                              \
    {"--export", OPTION_NAMES, &(o)->kinds, 0, 0}, {"--export-every", OPTION_COUNT, &(o)->every, 1, 1e9},              \
        {"--export-at-end", OPTION_FLAG, &(o)->at_end, 0, 0}, {"--export-unit", OPTION_TEXT, &(o)->unit, 0, 0},        \
        {"--export-up", OPTION_TEXT, &(o)->up, 0, 0}, {                                                                \
        "--export-wet", OPTION_NUMBER, &(o)->wet, 0, 1e6                                                               \
    }

/* The lines of a help text about them. */
void export_help(FILE *file);
/* Whether what was given can be understood; a sentence if not. */
bool export_understand(export_options *options);
/* Those that were given, to be typed again. */
void export_print_options(const export_options *options);

/* What exporting costs. */
typedef struct export_report {
    uint32_t kinds; /* 0: none */
    int frames;
    double making, waiting; /* s, in the thread of the simulation: making meshes and copies; waiting for room */
    double writing;         /* s, in its own */
} export_report;

/* A frame on its way. */
typedef struct export_slot {
    rn_mesh_copy ground, surface, bodies;
    rn_columns_copy columns;
    rn_export_frame frame;
} export_slot;

enum { EXPORT_DEEP = 3 };

typedef struct exporter {
    const export_options *options; /* NULL: nothing is exported */
    rn_scene *scene;
    rn_export *files;
    unsigned needs;
    rn_skin *skin; /* NULL: no meshes are needed */
    queue queue;
    export_slot slots[EXPORT_DEEP];
    int every;
    export_report report;
} exporter;

/* every: unless the options have their own. False after a sentence, here and below. */
bool export_open(exporter *e, const export_options *options, rn_scene *scene, const char *folder, int every,
                 int threads);
/* The scene as it is now, after so many frames, if that frame is to be exported. */
bool export_frame(exporter *e, int frame);
/* Waits until all is written. */
bool export_settle(exporter *e);
/* Writes the last frame, if that is the one to export, and what only the end of a run tells. */
bool export_finish(exporter *e, int frame);
/* Without export_finish: keeps what there is, and says nothing. */
void export_close(exporter *e);

#endif
