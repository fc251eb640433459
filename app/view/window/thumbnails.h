/* Thumbnails: the scenes of the chooser, with a small picture of each. "runnel run" makes missing pictures in the
   background, one after the other; they are kept in the user's cache.

   Order of calls: thumbnails_open; thumbnails_update in every frame that shows the chooser; thumbnails_close. */
#ifndef VIEW_THUMBNAILS_H
#define VIEW_THUMBNAILS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thumbnail {
    char name[128], title[256], path[1024];
    unsigned texture; /* of OpenGL; 0: no picture yet */
    bool looked;      /* the cache was searched for it */
    bool tried;       /* making it was tried */
} thumbnail;

typedef struct thumbnails {
    thumbnail *list;
    int count;
    struct child *maker; /* the program that makes a picture; NULL: none is being made */
    int making;          /* whose picture it makes, in `list` */
} thumbnails;

enum { THUMBNAIL_WIDTH = 320, THUMBNAIL_HEIGHT = 200 }; /* pixels */

/* Lists the scenes of the library. The list is empty if memory runs out. */
void thumbnails_open(thumbnails *p);
/* Loads pictures from the cache, a few per call, and those that were just made. make: then also starts making the next
   missing one. The window's OpenGL context must be current. */
void thumbnails_update(thumbnails *p, bool make);
/* Ends the program that makes a picture, and frees the list. */
void thumbnails_close(thumbnails *p);
/* Kills the program that makes a picture, from any thread, when there is no time to close. */
void thumbnails_stop(const thumbnails *t);

#ifdef __cplusplus
}
#endif

#endif
