/* Posters: the scenes of the chooser, with a small picture of each. "runnel run" makes missing pictures in the
   background, one after the other; they are kept in the user's cache.

   Order of calls: posters_open; posters_update in every frame that shows the chooser; posters_close. */
#ifndef VIEW_POSTERS_H
#define VIEW_POSTERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poster {
    char name[128], title[256];
    unsigned texture; /* of OpenGL; 0: no picture yet */
    bool looked;      /* the cache was searched for it */
    bool tried;       /* making it was tried */
} poster;

typedef struct posters {
    poster *list;
    int count;
    struct poster_maker *maker; /* NULL: no picture is being made */
} posters;

enum { POSTER_WIDTH = 320, POSTER_HEIGHT = 200 }; /* pixels */

/* Lists the scenes of the library. The list is empty if memory runs out. */
void posters_open(posters *p);
/* Loads pictures from the cache, a few per call, and those that were just made. make: then also starts making the next
   missing one. The window's OpenGL context must be current. */
void posters_update(posters *p, bool make);
/* Waits for the picture that is being made, and frees the list. */
void posters_close(posters *p);

#ifdef __cplusplus
}
#endif

#endif
