/* What a renderer holds. renderer.c makes and fills it, bodies.c fills in bodies, targets.c is what it draws into,
   draw.c draws. */
#ifndef RN_RENDER_RENDERER_H
#define RN_RENDER_RENDERER_H

#include "render/gl/batch.h"
#include "render/gl/context.h"
#include "render/gl/programs.h"
#include "render/gl/targets.h"
#include "render/occlusion.h"
#include "render/wetness.h"

#include <math.h>

enum { RN_BATCHES = 6 };
enum { RN_FLOOR_SIDE = 64, RN_TABLE_STEPS = 256 };

/* As floats, since that is how GL gets them. */
typedef struct rn_liquid_vertex {
    float position[3], normal[3], inside[4], meniscus[4], depth, flow[3];
} rn_liquid_vertex;

struct rn_renderer {
    rn_gl gl;
    rn_context *context;
    bool hosted;
    int width, height; /* pixels */
    char device[160];
    rn_programs programs;
    rn_targets targets;
    rn_batch square, ground, liquid, links, flooded, bodies;
    GLuint floor_open; /* texture: how open the sky is on the floor around the ground */
    GLuint solid;      /* texture: `occlusion`, level by level */
    float floor_patch[4];
    rn_matrix lamp_was; /* of the shadows there are; all 0: none yet */
    GLuint ripples;     /* texture: render/ripples.h */
    GLuint table;       /* texture: layers of the liquid by depth */
    double table_depth;

    rn_vec3 low, high;    /* m, of the ground */
    float *positions;     /* m, of its vertices */
    uint8_t (*shades)[4]; /* of its vertices: how open, how wet, how much they face up, how light */
    size_t vertex_count;
    GLsizei above; /* of the indices of the ground, how many are not of its underside, which stands on the floor */
    rn_occlusion occlusion;
    rn_wetness wetness;
    rn_liquid liquid_is;
    GLsizei lying;                /* of the indices of the liquid, how many are of triangles that lie; others stand */
    bool closed;                  /* the liquid: only its outside is seen */
    double cell;                  /* m, that detail outdoors is finer than */
    double thin;                  /* m: thinner than this, liquid is drawn for being there, and reflects less */
    float most_depth, most_speed; /* m and m/s, of the liquid's vertices, for overlays */
    uint8_t *row;                 /* of the picture, as GL gives it */
};

/* Makes this renderer's GL current. */
rn_result rn_renderer_use(rn_renderer *renderer);
static inline uint8_t rn_byte_of(float x) { return (uint8_t)(255 * fminf(fmaxf(x, 0), 1) + 0.5f); }

#endif
