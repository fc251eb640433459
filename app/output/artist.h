/* Draws while the simulation goes on: a thread that owns the renderer, fed with copies of what there is to see. */
#ifndef ARTIST_H
#define ARTIST_H

#include "output/writer.h"
#include "surface/copies.h"

#include <runnel/runnel.h>

/* What is to be drawn, as it was. */
typedef struct sketch {
    rn_mesh_copy ground, surface, bodies;
    bool has_ground; /* it is another than in the sketch before */
    rn_columns_copy columns;
    rn_camera camera;
    double time;     /* s */
    char path[4096]; /* of a PNG; empty: none */
    bool in_film;
    bool again; /* the picture before, as another PNG; nothing else is set */
} sketch;

enum { ARTIST_DEEP = 2 };

typedef struct artist_def {
    int width, height;
    rn_look look;
    rn_liquid liquid;
    writer *writer;
} artist_def;

typedef struct artist {
    artist_def def;
    sketch sketches[ARTIST_DEEP];
    queue queue;
    bool no_gl; /* that is why it could not be opened */
    char device[256];
    double busy; /* s */
} artist;

/* False: the queue's error says why there is none; nothing needs to be closed then. */
bool artist_open(artist *a, const artist_def *def);
/* Finishes what it was given. False: the queue's error says what went wrong. */
bool artist_close(artist *a);

/* The next sketch to fill in, once there is one; NULL: drawing or writing has failed. */
sketch *artist_room(artist *a);
void artist_give(artist *a);

#endif
