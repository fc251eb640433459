/* The data of rn_motion: frames of a point cache, or the nodes of a mesh file with the keys that move them; and the
   functions of its two kinds. Failures leave the reason, with the path, in rn_last_error(). */
#ifndef RN_IO_MOTION_DATA_H
#define RN_IO_MOTION_DATA_H

#include "io/file/apart.h"

#include <runnel/io.h>

/* The kinds of movement of a node. */
typedef enum rn_track_kind { RN_TRACK_MOVE, RN_TRACK_TURN, RN_TRACK_SCALE, RN_TRACK_KINDS } rn_track_kind;

typedef struct rn_motion_key {
    double time;     /* s */
    double value[4]; /* x y z of a move or a scale, x y z w of a rotation */
} rn_motion_key;

typedef struct rn_track {
    uint32_t first, count; /* range of its keys */
    uint32_t step;         /* 1: each key holds until the next; 0: values are interpolated */
} rn_track;

typedef struct rn_motion_node {
    int32_t parent;    /* comes before it; -1: none */
    uint32_t moving;   /* 1: moved by its tracks, 0: fixed */
    double rest[3][4]; /* rows of its transform to its parent, if it is fixed */
    rn_track tracks[RN_TRACK_KINDS];
} rn_motion_node;

/* The vertices attached to a node. */
typedef struct rn_motion_part {
    uint32_t node, first, count;
} rn_motion_part;

/* A reply of rn_motion_import: this header, then nodes, keys, parts, and x y z of the vertices in coordinates of
   their node. */
typedef struct rn_motion_header {
    uint32_t node_count, key_count, part_count, vertex_count;
} rn_motion_header;

struct rn_motion {
    uint32_t vertex_count;
    double duration; /* s */

    float *frames; /* of a point cache, one after the other; NULL: nodes */
    uint32_t frame_count;
    double frame_time; /* s from one frame to the next */

    void *memory; /* of the reply */
    const rn_motion_node *nodes;
    const rn_motion_key *keys;
    const rn_motion_part *parts;
    const float *positions;
    uint32_t node_count, key_count, part_count;
    double (*placed)[3][4]; /* transform of each node to the root, as last computed */
};

/* Fills `reply` from the first animation of a mesh file, in this process; motion.c runs it in a separate one. On
   failure returns RN_LIMIT, RN_MEMORY, RN_FORMAT if there is no animation or the file is damaged, or RN_UNSUPPORTED if
   the animation has bones, morph targets or splines or there is no assimp. The caller frees reply->bytes, also after a
   failure. */
rn_result rn_motion_import(const char *path, rn_reply *reply);

/* Whether the file begins like a point cache; false also if it cannot be read, with an error text that may be
   ignored. */
bool rn_point_cache_is(const char *path);
/* Reads and checks all frames of a cache into `motion`, which must be 0 and which the caller frees with rn_motion_free,
   also after a failure. On failure returns RN_FILE, RN_FORMAT, RN_LIMIT or RN_MEMORY. frames_per_second: more than 0,
   turns the frames of the file into s; the start in its header is ignored. */
rn_result rn_point_cache_read(const char *path, double frames_per_second, rn_motion *motion);
/* Writes x y z of all vertices at a time (s), from 0 to the duration, interpolated linearly between frames. */
void rn_point_cache_at(const rn_motion *motion, double time, float *positions);

/* Makes `motion`, which must be 0, from a reply of rn_motion_import, whose bytes the motion takes over, also after a
   failure: they are freed with it. Sets the duration to the time of the last key. Returns RN_FORMAT if parents, keys or
   parts are invalid, or RN_MEMORY if memory runs out; positions and the transforms of fixed nodes are not checked. */
rn_result rn_nodes_take(const char *path, rn_reply *reply, rn_motion *motion);
/* Writes x y z of all vertices at a time (s), from 0 to the duration, in the axes of the file. Overwrites
   motion->placed: not for two threads at once. */
void rn_nodes_at(const rn_motion *motion, double time, float *positions);

#endif
