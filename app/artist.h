/* Draws while the simulation goes on: a thread that owns the renderer, fed with copies of what there is to see. */
#ifndef ARTIST_H
#define ARTIST_H

#include "writer.h"

#include <runnel/runnel.h>

/* What is to be drawn, as it was. */
typedef struct sketch {
    rn_mesh ground, surface;
    size_t ground_room, surface_room; /* bytes of the memory that they lie in */
    void *ground_memory, *surface_memory;
    bool has_ground; /* it is another than in the sketch before */
    rn_surface_columns columns;
    float *values; /* of the columns */
    size_t value_room;
    rn_camera camera;
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

/* Copies into a sketch; false if there is no memory. */
bool sketch_meshes(sketch *s, const rn_mesh *ground, const rn_mesh *surface);
bool sketch_columns(sketch *s, const rn_surface_columns *columns);

#endif
