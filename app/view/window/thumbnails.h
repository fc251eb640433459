/* Thumbnails: the scenes of the chooser, with a small picture of each. The scenes that come with runnel have a poster
   beside them (posters/NAME.png). "runnel run" makes those of other scenes in the background, one after the other; they
   are kept in the user's cache, and made again when the scene's file has changed.

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
    bool looked;      /* it was looked for beside the scene and in the cache */
    bool tried;       /* making it was tried */
} thumbnail;

typedef struct thumbnails {
    thumbnail *list;
    int count;
    int making; /* whose picture is made, in `list`, while a program makes one */
} thumbnails;

enum { THUMBNAIL_WIDTH = 320, THUMBNAIL_HEIGHT = 180 }; /* pixels */

/* Lists the scenes of the library, without those whose files are not valid. The list is empty if memory runs out. */
void thumbnails_open(thumbnails *p);
/* Loads pictures, a few per call, and those that were just made. make: once all of them were looked for and none is
   being made, starts making the next missing one that was not tried yet. The window's
   OpenGL context must be current. */
void thumbnails_update(thumbnails *p, bool make);
/* Forgets all textures, because the OpenGL context is another; thumbnails_update loads them again. */
void thumbnails_forget(thumbnails *p);
/* Ends the program that makes a picture, and frees the list; textures stay until the OpenGL context ends. */
void thumbnails_close(thumbnails *p);
/* Kills that program, if there is one, when there is no time to close. Any thread may call it. */
void thumbnails_stop(void);

#ifdef __cplusplus
}
#endif

#endif
