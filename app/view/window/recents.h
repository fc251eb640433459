/* The files in the current folder that the window can open again: checkpoints, input logs and scenes. recents_list
   lists them when the page of files opens. */
#ifndef VIEW_RECENTS_H
#define VIEW_RECENTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { RECENTS_MOST = 60 };

typedef struct recent {
    char name[256];
    const char *kind; /* "checkpoint", "input log" or "scene" */
    long long time;   /* ns since 1970, when it was last changed */
} recent;

typedef struct recents {
    recent list[RECENTS_MOST]; /* the newest first */
    int count;
} recents;

/* Lists the files of the current folder that end in .rnl, .input.txt or .json; of more than RECENTS_MOST, only the
   newest. The list is empty if the folder cannot be read. */
void recents_list(recents *r);

#ifdef __cplusplus
}
#endif

#endif
