/* A film of what the window shows of the scene. */
#ifndef VIEW_FILM_H
#define VIEW_FILM_H

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct film {
    struct writer *writer; /* NULL: none is being made */
    int width, height;
    char path[4096];
    char error[1024];
    int frames;
} film;

/* False: `error` says why. Ends in .mp4, .webm or .gif. */
bool film_start(film *f, const char *path, int width, int height, double rate);
/* Room for a picture, width*height*3 bytes; NULL: it has failed. */
uint8_t *film_room(film *f);
void film_give(film *f);
/* False: `error` says why. */
bool film_end(film *f);

#ifdef __cplusplus
}
#endif

#endif
