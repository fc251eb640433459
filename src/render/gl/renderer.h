/* The data of a renderer. renderer.c makes it and fills in the ground, liquid.c the liquid, bodies.c bodies; targets.c
   has its framebuffers, draw.c draws. */
#ifndef RN_RENDER_RENDERER_H
#define RN_RENDER_RENDERER_H

#include "render/contents.h"
#include "render/foam.h"
#include "render/gl/batch.h"
#include "render/gl/context.h"
#include "render/gl/patches.h"
#include "render/gl/programs.h"
#include "render/gl/still.h"
#include "render/gl/targets.h"
#include "render/land.h"
#include "render/occlusion.h"
#include "render/splash.h"
#include "render/wetness.h"

#include <math.h>

enum { RN_BATCHES = 9 };
enum { RN_FLOOR_SIDE = 64, RN_TABLE_STEPS = 256 };

/* A vertex of the liquid, as the shaders get it. inside: opacity, speed (m/s), layer, openness to the sky; flow:
   velocity along x and y (m/s), foam (0 to 1; in 3D liquids how white they are, as rn_spray_white finds it), time since
   it left the lip of a fall (s; 0: it does not fall); ring: render/splash.h. */
typedef struct rn_liquid_vertex {
    float position[3], normal[3], inside[4], meniscus[4], depth, flow[4], ring[RN_RING_NUMBERS];
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
    rn_batch wetted;    /* indices of the ground's triangles whose wetness has changed */
    rn_batch around;    /* the land around the ground */
    rn_batch continued; /* liquid on it */
    rn_land land;
    rn_still still;
    GLuint floor_open; /* texture: how open the sky is on the floor around the ground */
    GLuint solid;      /* texture: `occlusion`, level by level */
    float floor_patch[4];
    rn_matrix lamp_was;  /* for which the shadows were drawn; all 0: none yet */
    double opaque_was;   /* m, up to which the solid cast them (rn_glass_height) */
    GLuint ripples;      /* texture: render/ripples.h */
    GLuint drape;        /* texture: over the ground */
    rn_texture drape_is; /* that it was made from; all 0: none yet */
    GLuint table;        /* texture: layers of the liquid by depth */
    double table_depth;

    rn_vec3 low, high;    /* m, of the ground */
    float *positions;     /* m, of its vertices */
    uint8_t (*shades)[4]; /* of its vertices: openness, wetness, how much they face up, lightness */
    size_t vertex_count;
    GLsizei above; /* number of indices of the ground before those of its underside, which stands on the floor */
    rn_occlusion occlusion;
    rn_wetness wetness;
    rn_foam foam;
    double time, elapsed; /* s: of the last look, and since wetness and foam were last updated */
    bool timed;           /* looks have times */
    double ring_pace;     /* rad/s, of rings of waves around feet of falls */
    rn_liquid liquid_is;
    uint64_t liquid_hash;   /* of its vertices */
    rn_extent lies, *falls; /* around lying liquid; around parts of falling liquid, a few cells long */
    size_t fall_count;
    rn_patches changed,
        changed_was;     /* patches of the picture that differ from one of ground and floor, now and before */
    bool finished;       /* targets.picture shows the kept ground and floor, and changed_was */
    double exposure_was; /* of that picture */
    rn_matrix map_lamp;  /* lamp and liquid for which targets.lamp was drawn; all 0: none yet */
    uint64_t map_liquid;
    GLuint levels;          /* texture: heights of the liquid (m above low.z) times coverage, coverage (0 or 1) */
    float (*level_of)[2];   /* the same, by cell; NULL without columns */
    int levels_x, levels_y; /* cells */
    float level_patch[4];   /* corner of the cells (m), 1/size (1/m) */
    bool levels_new;        /* they must be uploaded */
    rn_span *spans;         /* of the columns, by slot: for glass; NULL without columns */
    size_t span_count;
    int span_layers;
    rn_boxes contents, walls;               /* of the liquid and the solid, made when glass is drawn */
    GLuint contents_texture, walls_texture; /* the same */
    bool contents_new, walls_new;           /* they must be made and uploaded */
    double sea_flow[2];                     /* m/s, mean velocity of the liquid along the edge of the domain, now */
    double sea; /* m, lowest level along the edge of the domain in the frames with this ground; INFINITY: there were
                   none yet, -INFINITY: the edge was not all wet */
    uint64_t bodies_hash;
    GLsizei lying;                /* number of indices of the liquid's level triangles; the others are steep */
    GLsizei falling;              /* number of indices of falling sheets, right after the level ones */
    bool closed;                  /* for the liquid: only its outside is visible */
    double full_depth;            /* m, thickness of liquid whose opacity is 1 */
    float sheer;                  /* opacity of a closed liquid below which liquid behind it shows through */
    double cell;                  /* m: detail outdoors is finer than this */
    double thin;                  /* m: thinner liquid is drawn only to be visible, and reflects less */
    bool beads;                   /* contact angles shape the edge of the liquid */
    float most_depth, most_speed; /* m and m/s, of the liquid's vertices, for overlays */
    uint8_t *read;                /* the picture in GL's format */
};

/* Makes this renderer's GL context current. Returns RN_DRIVER, with a message, if the context was lost. */
rn_result rn_renderer_use(rn_renderer *renderer);
/* Updates the wetness in r->shades, less where the ground does not face up, and uploads all shades. */
void rn_renderer_upload_shades(rn_renderer *r);
/* Uploads the triangles of a mesh as indices of a batch, whose array must be bound, those for which `ask` (renderer,
   mesh, three indices) is true last and in reverse order. Sets the batch's count, and *others to the number of indices
   before the last ones. Those of the ground are also copied to r->still. Returns RN_MEMORY, with a message, if memory
   runs out; then nothing is set. */
rn_result rn_renderer_upload_triangles(rn_renderer *r, const rn_mesh *mesh, rn_batch *batch,
                                       bool (*ask)(const rn_renderer *, const rn_mesh *, const uint32_t *),
                                       GLsizei *others);
/* A hash of `bytes` bytes, a multiple of 4; never 0. */
uint64_t rn_renderer_hash(const void *data, size_t bytes);
#endif
