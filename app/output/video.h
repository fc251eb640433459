/* A film of a run, made by ffmpeg as mp4, webm, webp or gif: video_open(), video_frame() for every frame,
   video_close(). Functions that return false leave the reason in `error`. */
#ifndef VIDEO_H
#define VIDEO_H

#include "output/child.h"

#include <stdint.h>

typedef struct video_def {
    const char *path; /* the extension determines the kind */
    int width, height;
    double rate; /* frames per second */
    int frames;  /* approximate number */
} video_def;

typedef struct video {
    child *ffmpeg; /* NULL: not running */
    char path[4096], temporary[4200];
    size_t bytes;    /* of a frame */
    int frames;      /* so far */
    char error[800]; /* a message; empty: no error */
} video;

/* Returns true if a film of this name can be made: its extension is known and it is not too long; otherwise prints an
   error. Files are not touched. */
bool video_knows(const char *command, const char *path);

/* Writes the name for the rest of a film that ended after `frame` frames: "a.mp4" and 12 give "a-from-12.mp4". The path
   must have an extension. */
void video_name_from(const char *path, int frame, char *name, size_t size);

/* Returns the frames per second for frames that are `step` simulated seconds apart: real time (1 / step) from 10 to 60,
   otherwise time-lapse (25) or slow motion (60). */
double video_rate(double step);

/* Checks --fps, "real" or a number, and sets *rate: -1 for "real", 0 if `text` is NULL. Returns false after printing an
   error. */
bool video_understand_rate(const char *command, const char *text, double *rate);
/* Returns the frames per second that --fps asks for, as video_understand_rate() has set it; without it video_rate(). */
double video_rate_asked(double asked, double step);
/* Returns true if a film can have this rate (frames per second); otherwise prints an error about --fps real, because
   other rates were checked before. `frame_time` (s) and `every` are for the message alone. */
bool video_can_play(const char *command, double rate, double frame_time, int every);

/* Removes unfinished films of this name and starts ffmpeg, which writes a temporary file beside def->path, a name that
   video_knows() accepts. Returns false if that fails; `error` says why, and what to do, and nothing needs to be
   closed. */
bool video_open(video *v, const video_def *def);
/* Adds a frame, width x height RGB bytes, top row first. Returns false if the film has failed, now or earlier; v->error
   says why, and the film is removed. */
bool video_frame(video *v, const uint8_t *rgb);
/* Ends the film, and gives it its final name if `keep`; otherwise removes it. A film without frames is not kept.
   Returns false if it failed, now or earlier; v->error says why. Returns true if it was never opened, or removed as
   asked. */
bool video_close(video *v, bool keep);

#endif
