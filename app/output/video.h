/* A film of a run, made by ffmpeg: mp4, webm or gif. */
#ifndef VIDEO_H
#define VIDEO_H

#include "output/child.h"

#include <stdint.h>

typedef struct video_def {
    const char *path; /* its ending says which kind */
    int width, height;
    double rate; /* frames a second */
    int frames;  /* as many as there will be, about */
} video_def;

typedef struct video {
    child *ffmpeg; /* NULL: none is being made */
    char path[4096], temporary[4200];
    size_t bytes;    /* of a frame */
    int frames;      /* so far */
    char error[800]; /* a sentence; empty: all is well */
} video;

/* Whether films of this name can be made; a sentence if not. */
bool video_knows(const char *command, const char *path);

/* What to call the rest of a film that ended after so many frames. */
void video_name_from(const char *path, int frame, char *name, size_t size);

/* Frames a second that films show of steps of so many simulated seconds: as time runs where that can be watched,
   otherwise time-lapse or slow motion. */
double video_rate(double step);

/* False: `error` says why, and what to do. */
bool video_open(video *v, const video_def *def);
bool video_frame(video *v, const uint8_t *rgb);
/* Ends the film, and gives it its name if it is to be kept. */
bool video_close(video *v, bool keep);

#endif
