/* Compiled and linked shaders, and their parameters. */
#ifndef RN_RENDER_PROGRAMS_H
#define RN_RENDER_PROGRAMS_H

#include "render/camera.h"
#include "render/gl/gl.h"

enum {
    RN_PROGRAM_SHADOW,
    RN_PROGRAM_BACKDROP,
    RN_PROGRAM_FLOOR,
    RN_PROGRAM_FLOOR_LIGHT,
    RN_PROGRAM_GROUND,
    RN_PROGRAM_LIQUID,
    RN_PROGRAM_UNCAPPED,     /* like RN_PROGRAM_LIQUID, with menisci without cap */
    RN_PROGRAM_AMONG_BODIES, /* like RN_PROGRAM_LIQUID, with bodies seen through it and mirrored */
    RN_PROGRAM_FALLS,        /* like RN_PROGRAM_LIQUID, for falling sheets, which have strands */
    RN_PROGRAM_OVERLAY,
    RN_PROGRAM_PLAIN,
    RN_PROGRAM_FINISH,
    RN_PROGRAMS,
};

/* Attributes of vertices, in the order of their names in shaders. */
enum { RN_AT_POSITION, RN_AT_NORMAL, RN_AT_SHADE, RN_AT_TINT, RN_AT_INSIDE, RN_AT_MENISCUS, RN_AT_DEPTH, RN_AT_FLOW };

/* GL names of the programs: ids[0] for the studio, ids[1] for outdoors. 0: not made. */
typedef struct rn_programs {
    GLuint ids[2][RN_PROGRAMS];
} rn_programs;

/* Compiles and links all programs, for this many samples per pixel along a side. Returns RN_DRIVER, with a message, at
   the first that GL does not accept; rn_programs_free then deletes those made. `programs` begins as all 0. */
rn_result rn_programs_make(const rn_gl *gl, int samples, rn_programs *programs);
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
