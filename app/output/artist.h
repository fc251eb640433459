/* Draws pictures while the simulation continues: a thread owns the renderer and draws copies of the meshes. Usage:
   artist_open(); for every picture fill the sketch from artist_room() and call artist_give(); artist_close(). */
#ifndef ARTIST_H
#define ARTIST_H

#include "output/writer.h"
#include "surface/copies.h"

#include <runnel/runnel.h>

/* Everything needed to draw one picture, copied from the scene. */
typedef struct sketch {
    rn_mesh_copy ground, surface, bodies;
    bool has_ground; /* the ground has changed since the previous sketch */
    rn_columns_copy columns;
    rn_camera camera;
    double time;     /* s, simulated */
    char path[4096]; /* of a PNG; empty: none */
    bool in_film;    /* the picture also goes into the film */
    bool again;      /* write the previous picture to another PNG; only `path` is used */
} sketch;

enum { ARTIST_DEEP = 2 }; /* sketches in the queue, at most */

typedef struct artist_def {
    int width, height;
    int samples; /* per pixel, along a side; 0: 1 */
    rn_look look;
    rn_liquid liquid;
    writer *writer;
} artist_def;

typedef struct artist {
    artist_def def;
    sketch sketches[ARTIST_DEEP];
    queue queue;
    bool no_gl;       /* artist_open() failed because there is no OpenGL */
    char device[256]; /* name of the OpenGL device */
    double busy;      /* s, spent drawing */
} artist;

/* Starts the thread and waits until it has a renderer. `def` is copied; its writer must stay open until artist_close().
   Returns false if drawing is not possible: queue.error says why, no_gl whether OpenGL is missing, and nothing needs to
   be closed. */
bool artist_open(artist *a, const artist_def *def);
/* Draws all queued sketches, ends the thread and frees the sketches. Returns false if anything failed; queue.error says
   what. */
bool artist_close(artist *a);

/* Returns the next sketch to fill in, waiting for a free one; `again` and `has_ground` are cleared, other fields are
   old. Returns NULL if drawing has failed. For one thread only. */
sketch *artist_room(artist *a);
/* Queues the sketch that artist_room() returned. */
void artist_give(artist *a);

#endif
