/* The pictures of a scene: which view, how large, drawn by whom, written where. */
#ifndef PICTURES_H
#define PICTURES_H

#include "common/options.h"
#include "output/artist.h"

/* What the command line says. */
typedef struct picture_options {
    const char *view, *size, *overlay, *video; /* NULL: not given */
    int width, height;                         /* of `size`; 0: not given */
    rn_overlay colours;                        /* of `overlay` */
} picture_options;

#define PICTURE_OPTIONS(o)                                                                                             \
    {"--view", OPTION_TEXT, &(o)->view, 0, 0}, {"--size", OPTION_SIZE, &(o)->size, 0, 0},                              \
        {"--overlay", OPTION_TEXT, &(o)->overlay, 0, 0}, {                                                             \
        "--video", OPTION_FILE, &(o)->video, 0, 0                                                                      \
    }

/* Whether what was given can be understood; a sentence if not. */
bool pictures_understand(const char *command, picture_options *options);

/* What pictures cost. */
typedef struct picture_report {
    const char *view;   /* NULL: none are drawn */
    const char *device; /* what GL calls itself; NULL: drawn without */
    const char *film;   /* NULL: none */
    int width, height;
    int frames;                       /* drawn */
    double drawing, writing, waiting; /* s; waiting: of the simulation for the other two */
} picture_report;

typedef struct pictures_def {
    const char *command;
    rn_scene *scene;
    const picture_options *options;
    const rn_scene_view *view; /* from pictures_find_view */
    bool around;               /* it will be turned, which a map cannot */
    double rate;               /* of a film, frames a second */
    double pace;               /* s of a film that a frame takes, which views turn by */
    int frames;                /* that will be drawn, about */
    int threads;
} pictures_def;

typedef struct pictures {
    rn_scene *scene;
    rn_scene_info info;
    bool open, map;
    rn_scene_view view;
    rn_top_view_def map_def;
    int width, height;
    rn_skin *skin;
    writer writer;
    artist artist;
    int drawn, frame; /* pictures so far, and the frame of the last of them */
    bool news_told;
    double drawing, waiting; /* s, in the thread of the simulation */
    double pace;             /* s */
    char film[4096];
    char error[1024]; /* why something here failed, to be told when all is closed */
} pictures;

/* Whether the scene has such a view; a sentence with those that it has if not. No --view: its first. */
bool pictures_find_view(const char *command, const rn_scene_info *scene, const picture_options *options,
                        rn_scene_view *view);
bool pictures_is_map(const rn_scene_view *view);

/* Without a GL everything is drawn from above, and stderr says so, unless the options ask for what a map has not. False
   after a sentence. */
bool pictures_open(pictures *p, const pictures_def *def);
/* Finishes all that is queued. False if anything has failed, after a sentence about it. Where the run `has_failed`, and
   has told why, nothing more is said. The film is kept if all is well. */
bool pictures_close(pictures *p, bool has_failed);

/* Draws the scene as it is now, after so many frames. path: of a PNG, NULL for none. False, here and below: closing
   tells why. */
bool pictures_frame(pictures *p, int frame, const char *path, bool in_film);
/* The same, turned by `turn` degrees. */
bool pictures_turned(pictures *p, int frame, double turn, const char *path, bool in_film);
/* A picture of this frame once more, or at last. */
bool pictures_last(pictures *p, int frame, const char *path);

/* Waits until every picture so far is a file: before a checkpoint, from which none of them would be drawn again. False:
   one is not. */
bool pictures_settle(pictures *p);

/* Whether a film was asked for and can, so far, be made. */
bool pictures_are_filmed(pictures *p);
/* A sentence that the user should see now, once: the film cannot be made. NULL: there is none. */
const char *pictures_news(pictures *p);
picture_report pictures_report(const pictures *p);

#endif
