/* The pictures of a scene: chooses the view and the size, draws, and writes PNG files and a film. Order of calls:
   pictures_understand(), pictures_find_view(), pictures_open(), pictures_frame() for every picture, pictures_last(),
   pictures_close(). */
#ifndef PICTURES_H
#define PICTURES_H

#include "common/options.h"
#include "output/artist.h"

/* The command-line options. */
typedef struct picture_options {
    const char *view, *size, *overlay, *video; /* NULL: not given */
    int width, height;                         /* read from `size`; 0: not given */
    rn_overlay colours;                        /* read from `overlay` */
} picture_options;

#define PICTURE_OPTIONS(o)                                                                                             \
    {"--view", OPTION_TEXT, &(o)->view, 0, 0}, {"--size", OPTION_SIZE, &(o)->size, 0, 0},                              \
        {"--overlay", OPTION_TEXT, &(o)->overlay, 0, 0}, {                                                             \
        "--video", OPTION_FILE, &(o)->video, 0, 0                                                                      \
    }

/* Checks --size, --overlay and --video, and sets width, height and colours. `command`: for messages. Returns false
   after printing an error. */
bool pictures_understand(const char *command, picture_options *options);

/* What was drawn, and how long it took. */
typedef struct picture_report {
    const char *view;   /* NULL: none are drawn */
    const char *device; /* name of the OpenGL device; NULL: drawn without OpenGL */
    const char *film;   /* NULL: none */
    int width, height;
    int frames;                       /* drawn */
    bool fine;                        /* with two samples per pixel along each side */
    double drawing, writing, waiting; /* s; waiting: the simulation waited for the other two */
} picture_report;

typedef struct pictures_def {
    const char *command;
    rn_scene *scene;
    const picture_options *options;
    const rn_scene_view *view; /* from pictures_find_view */
    bool around;               /* pictures_turned() will be called; a map cannot be turned */
    double rate;               /* frames per second of the film */
    double pace;               /* s of film for each simulated frame; moves turning views */
    int frames;                /* approximate number of pictures; few are drawn finely: docs/frames.md */
    int threads;               /* for the mesh of the ground; 0: one per core */
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
    int drawn, frame; /* number of pictures so far, and the frame that the last one shows */
    bool news_told;
    double drawing, waiting; /* s, in the simulation thread */
    double pace;             /* s */
    char film[4096];
    char error[1024]; /* why something here failed; pictures_close() prints it */
} pictures;

/* Copies to `view` the view that --view names, or the first of the scene; "map" is always there, but not with an
   overlay. `command`: for messages. Returns false after printing an error that suggests a view or lists all. */
bool pictures_find_view(const char *command, const rn_scene_info *scene, const picture_options *options,
                        rn_scene_view *view);
/* Returns true if the view is the map, which is drawn without OpenGL. */
bool pictures_is_map(const rn_scene_view *view);

/* Starts drawing. `def` may be freed afterwards, but not its scene. Without OpenGL, pictures are maps from above, and a
   message says so, unless the options ask for what a map cannot show. Returns false after an error, printed here or by
   pictures_close(), which must be called all the same. A film that cannot be made is no error. */
bool pictures_open(pictures *p, const pictures_def *def);
/* Finishes everything that is queued, and keeps the film if all went well. Returns false if anything but the film
   failed, after printing the error. `has_failed`: the run failed and has printed why, so nothing more is printed and no
   film kept. A second call does nothing; a zeroed `p` is fine. */
bool pictures_close(pictures *p, bool has_failed);

/* Draws the current state as frame number `frame`, while the caller goes on. `path`: the path of a PNG; NULL: none;
   `in_film`: into the film, if there is one. Returns false on failure, and prints nothing: pictures_close() prints the
   reason. */
bool pictures_frame(pictures *p, int frame, const char *path, bool in_film);
/* Like pictures_frame(), with the camera turned by `turn` degrees; a map does not turn. Returns false on failure, which
   pictures_close() prints. */
bool pictures_turned(pictures *p, int frame, double turn, const char *path, bool in_film);
/* Writes a picture of this frame to `path`, not into the film. If the frame was the last one drawn, its picture is
   reused. Returns false on failure, which pictures_close() prints. */
bool pictures_last(pictures *p, int frame, const char *path);

/* Waits until all pictures so far are files. Called before a checkpoint, because a resumed run does not draw them
   again. Returns false if one could not be written; pictures_close() prints the reason. */
bool pictures_settle(pictures *p);

/* Returns true if a film was requested and has not failed so far. */
bool pictures_are_filmed(pictures *p);
/* Returns why the film cannot be made, the first time that this is known; otherwise NULL. */
const char *pictures_news(pictures *p);
/* Returns what was drawn so far; complete after pictures_close(). Its texts belong to `p`. Of a zeroed `p` the view is
   "". */
picture_report pictures_report(const pictures *p);

#endif
