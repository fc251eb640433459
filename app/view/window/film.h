/* A film of the scene as the window shows it, written in a thread of its own (output/writer.h). Order of calls:
   film_start; for each picture film_room, fill the pixels, film_give; film_end, from any thread. */
#ifndef VIEW_FILM_H
#define VIEW_FILM_H

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct film {
    struct writer *writer; /* NULL: no film is being made */
    int width, height;     /* pixels */
    char path[4096];
    char error[1024]; /* message of the last failure; "": none */
    int frames;       /* given so far */
} film;

enum { FILM_FORMATS = 3 };
extern const char *const film_formats[FILM_FORMATS]; /* endings of file names: mp4 first */

/* Starts a film of width by height pixels; `rate` in pictures per second. The path must end in .mp4, .webm, .webp or
   .gif. On failure returns false, and f->error says why. */
bool film_start(film *f, const char *path, int width, int height, double rate);
/* Returns how many pictures a second of film has if they are `pace` seconds of simulated time apart: as many as there
   are in a second of simulated time, but 25 if they are more than 0.1 s apart, and 60 if they are less than 1/60 s
   apart. */
double film_pictures_per_second(double pace);
/* Returns whether film_room would return at once. There must be a film. */
bool film_has_room(const film *f);
/* Returns where to write the pixels of the next picture, width * height * 3 bytes RGB; waits until there is room.
   Returns NULL if no film is being made, or writing has failed. */
uint8_t *film_room(film *f);
/* Adds the picture that was written to film_room's pixels. */
void film_give(film *f);
/* Waits for the encoder and completes the file. Without a film it only returns whether f->error is empty. On failure
   returns false, and f->error says why it failed. */
bool film_end(film *f);

#ifdef __cplusplus
}
#endif

#endif
