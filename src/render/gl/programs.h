/* Compiled and linked shaders, and their parameters. */
#ifndef RN_RENDER_PROGRAMS_H
#define RN_RENDER_PROGRAMS_H

#include "render/camera.h"
#include "render/gl/gl.h"

#include <runnel/base.h>

enum {
    RN_PROGRAM_SHADOW,
    RN_PROGRAM_BACKDROP,
    RN_PROGRAM_FLOOR,
    RN_PROGRAM_SEA, /* like RN_PROGRAM_FLOOR, of liquid */
    RN_PROGRAM_FLOOR_LIGHT,
    RN_PROGRAM_GROUND,
    RN_PROGRAM_DRAPED, /* like RN_PROGRAM_GROUND, with a texture over it */
    RN_PROGRAM_LIQUID,
    RN_PROGRAM_UNCAPPED,     /* like RN_PROGRAM_LIQUID, with menisci without cap */
    RN_PROGRAM_AMONG_BODIES, /* like RN_PROGRAM_LIQUID, with bodies seen through it and mirrored */
    RN_PROGRAM_FALLS,        /* like RN_PROGRAM_LIQUID, for falling sheets, which have strands */
    RN_PROGRAM_FOCUS,        /* lying liquid, as the lamp sees it: lamplight.h */
    RN_PROGRAM_TINT,         /* falling liquid, likewise */
    RN_PROGRAM_CAST,         /* coloured shadows of falling liquid */
    RN_PROGRAM_BODY,         /* like RN_PROGRAM_GROUND, for bodies, which are wet where they touch liquid */
    RN_PROGRAM_INSIDE,       /* liquid that is seen through glass */
    RN_PROGRAM_BEHIND,       /* the walls behind it */
    RN_PROGRAM_GLASS,        /* surfaces of glass */
    RN_PROGRAM_OVERLAY,
    RN_PROGRAM_PLAIN,
    RN_PROGRAM_FINISH,
    RN_PROGRAM_DRAFT, /* for rn_renderer_draw_draft */
    RN_PROGRAMS,
};

/* Attributes of vertices, in the order of their names in shaders. */
enum {
    RN_AT_POSITION,
    RN_AT_NORMAL,
    RN_AT_SHADE,
    RN_AT_TINT,
    RN_AT_INSIDE,
    RN_AT_MENISCUS,
    RN_AT_DEPTH,
    RN_AT_FLOW,
    RN_AT_RING,
    RN_AT_COATED
};

/* A program. id 0: not made. Its shaders are kept until it is checked. */
typedef struct rn_program {
    GLuint id, shaders[2];
    bool checked; /* GL has accepted it */
} rn_program;

/* Variants of programs, to be added up. RN_MURKY: for a liquid that scatters light; only programs for liquid differ.
   RN_GLASS: solid above a height is glass; those for liquid, ground and shadows differ. RN_..._MATERIAL: ground or
   floor have a pattern. RN_SOIL: ground outdoors without a material; RN_GREEN: and it is green. RN_CLOSED: for a 3D
   liquid. */
enum {
    RN_OUTDOORS = 1,
    RN_MURKY = 2,
    RN_GLASS = 4,
    RN_GROUND_MATERIAL = 8,
    RN_FLOOR_MATERIAL = 16,
    RN_SOIL = 32,
    RN_GREEN = 64,
    RN_CLOSED = 128,
    RN_VARIANTS = 256
};

/* The programs by variant. Each is made when a picture first needs it: a browser takes
   seconds for all of them. Begins as all 0, but for `samples`. */
typedef struct rn_programs {
    rn_program all[RN_VARIANTS][RN_PROGRAMS];
    int samples;      /* per pixel, along a side */
    rn_result result; /* RN_DRIVER once GL has not accepted a program; whoever begins a picture sets RN_OK */
} rn_programs;

/* Begins to compile and link the programs that most pictures need, and waits for none of them: drivers compile several
   at once. Does nothing for those that were begun already. */
void rn_programs_begin(const rn_gl *gl, rn_programs *programs, unsigned variant);
/* Uses a program (RN_PROGRAM_...), which is made first if it does not exist, and waits for it. Returns its GL name. If
   GL does not accept the program, returns 0 and sets programs->result to RN_DRIVER, with a message. */
GLuint rn_programs_use(const rn_gl *gl, rn_programs *programs, unsigned variant, int which);
/* Deletes the programs that exist. */
void rn_programs_free(const rn_gl *gl, rn_programs *programs);

/* rn_give_*: set a uniform of a program, which must be in use; nothing happens if the program has none of this name. A
   number, a whole number, a vector, two numbers, four numbers, a matrix, a texture. */
void rn_give_number(const rn_gl *gl, GLuint program, const char *name, double value);
void rn_give_whole(const rn_gl *gl, GLuint program, const char *name, int value);
void rn_give_vector(const rn_gl *gl, GLuint program, const char *name, rn_vec3 value);
void rn_give_two(const rn_gl *gl, GLuint program, const char *name, double x, double y);
void rn_give_four(const rn_gl *gl, GLuint program, const char *name, const float value[4]);
void rn_give_matrix(const rn_gl *gl, GLuint program, const char *name, const rn_matrix *value);
/* Binds a 2D texture to a texture unit, and sets the sampler of this name to that unit. */
void rn_give_texture(const rn_gl *gl, GLuint program, const char *name, int unit, GLuint texture);

#endif
