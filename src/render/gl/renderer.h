/* What a renderer holds. renderer.c makes and fills it, bodies.c fills in bodies, targets.c is what it draws into,
   draw.c draws. */
#ifndef RN_RENDER_RENDERER_H
#define RN_RENDER_RENDERER_H

#include "render/gl/context.h"
#include "render/gl/programs.h"
#include "render/occlusion.h"
#include "render/wetness.h"

#include <math.h>

enum { RN_BATCHES = 6 };
enum { RN_SHADOW_SIDE = 1024, RN_FLOOR_MAP = 256, RN_FLOOR_SIDE = 64, RN_TABLE_STEPS = 256 };

/* Vertices and triangles that GL has. */
typedef struct rn_batch {
    GLuint array, vertices, extras, indices;
    GLsizei count; /* of indices, or of vertices where there are none */
} rn_batch;

typedef struct rn_targets {
    int width, height;                       /* texels */
    int scale;                               /* texels of a pixel, along a side */
    GLuint scene, scene_colour, scene_depth; /* light, and distance (m) */
    GLuint seen, seen_texture;               /* a copy of it without liquid */
    GLuint bare, bare_texture;               /* and one without bodies either; 0: there have been none */
    GLuint picture, picture_colour;          /* 8 bits, for reading back */
    GLuint shadow, shadow_texture;
    GLuint floor, floor_texture; /* light on the floor: of the lamp, of the sky */
} rn_targets;

/* As floats, since that is how GL gets them. */
typedef struct rn_liquid_vertex {
    float position[3], normal[3], inside[4], meniscus[4], depth, flow[3];
} rn_liquid_vertex;

typedef struct rn_plain_vertex {
    float position[3], tint[4];
} rn_plain_vertex;

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
    double cell;                  /* m, that detail outdoors is finer than */
    double thin;                  /* m: thinner than this, liquid is drawn for being there, and reflects less */
    float most_depth, most_speed; /* m and m/s, of the liquid's vertices, for overlays */
    uint8_t *row;                 /* of the picture, as GL gives it */
};

rn_result rn_targets_make(const rn_gl *gl, int width, int height, int samples, bool hosted, rn_targets *targets);
rn_result rn_targets_make_bare(const rn_gl *gl, rn_targets *targets);
void rn_targets_free(const rn_gl *gl, rn_targets *targets);

void rn_batch_make(const rn_gl *gl, rn_batch *batch);
void rn_batch_free(const rn_gl *gl, rn_batch *batch);
/* A place in the buffer that is bound, as GL wants to be told of it: dressed up as a pointer. */
const void *rn_batch_place(size_t bytes);
/* One attribute of so many numbers, at an offset into vertices of so many bytes, of the buffer bound last. */
void rn_batch_attribute(const rn_gl *gl, GLuint index, GLint numbers, GLenum type, size_t bytes, size_t offset);
void rn_batch_fill(const rn_gl *gl, GLenum target, GLuint buffer, size_t bytes, const void *data);

/* Makes this renderer's GL current. */
rn_result rn_renderer_use(rn_renderer *renderer);
static inline uint8_t rn_byte_of(float x) { return (uint8_t)(255 * fminf(fmaxf(x, 0), 1) + 0.5f); }

/* What explains: the edges of the liquid's triangles, and columns that are full to their ceilings. */
rn_result rn_links_fill(rn_renderer *renderer, const rn_mesh *surface, const rn_surface_columns *columns);
rn_result rn_flooded_fill(rn_renderer *renderer, const rn_surface_columns *columns);

#endif
