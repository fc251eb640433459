/* The scenes to choose from, with a small picture of each. Pictures are made by "runnel run" in the background, one
   after the other, and kept in the user's cache. */
#ifndef VIEW_POSTERS_H
#define VIEW_POSTERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poster {
    char name[128], title[256];
    unsigned texture; /* of GL; 0: none yet */
    bool looked;      /* for it in the cache */
    bool tried;       /* to make it */
} poster;

typedef struct posters {
    poster *list;
    int count;
    struct poster_maker *maker; /* NULL: no picture is being made */
} posters;

enum { POSTER_WIDTH = 320, POSTER_HEIGHT = 200 };

/* Finds the scenes. */
void posters_open(posters *p);
/* While the choice is shown: takes what has been made, and has the next made. The GL of the window is current. make:
   also those that the cache does not have. */
void posters_update(posters *p, bool make);
void posters_close(posters *p);

#ifdef __cplusplus
}
#endif

#endif
