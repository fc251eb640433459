/* Compiles and links the shaders of all programs, and sets their uniforms (programs.h). */
#include "render/gl/programs.h"

#include "base/error.h"
#include "render/gl/shaders.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 1024, MOST_PARTS = 4 };

typedef struct recipe {
    const char *name;
    const char *const *vertex;
    const char *const *fragment[MOST_PARTS]; /* concatenated */
    const char *define;
} recipe;

static const recipe recipes[RN_PROGRAMS] = {
    [RN_PROGRAM_SHADOW] = {"shadow", rn_shader_shadow_vertex, {rn_shader_shadow_fragment}, NULL},
    [RN_PROGRAM_BACKDROP] = {"backdrop", rn_shader_finish_vertex, {rn_shader_light, rn_shader_backdrop_fragment}, NULL},
    [RN_PROGRAM_FLOOR] = {"floor",
                          rn_shader_floor_vertex,
                          {rn_shader_light, rn_shader_material, rn_shader_floor_fragment},
                          NULL},
    [RN_PROGRAM_SEA] = {"sea",
                        rn_shader_floor_vertex,
                        {rn_shader_light, rn_shader_material, rn_shader_floor_fragment},
                        "#define SEA\n"},
    [RN_PROGRAM_FLOOR_LIGHT] = {"floor light",
                                rn_shader_finish_vertex,
                                {rn_shader_light, rn_shader_floor_light_fragment},
                                NULL},
    [RN_PROGRAM_GROUND] = {"ground",
                           rn_shader_ground_vertex,
                           {rn_shader_light, rn_shader_material, rn_shader_contents, rn_shader_ground_fragment},
                           NULL},
    [RN_PROGRAM_DRAPED] = {"textured ground",
                           rn_shader_ground_vertex,
                           {rn_shader_light, rn_shader_material, rn_shader_contents, rn_shader_ground_fragment},
                           "#define DRAPED\n"},
    [RN_PROGRAM_LIQUID] = {"liquid",
                           rn_shader_liquid_vertex,
                           {rn_shader_meniscus, rn_shader_light, rn_shader_contents, rn_shader_liquid_fragment},
                           NULL},
    [RN_PROGRAM_UNCAPPED] = {"liquid without caps",
                             rn_shader_liquid_vertex,
                             {rn_shader_meniscus, rn_shader_light, rn_shader_contents, rn_shader_liquid_fragment},
                             "#define UNCAPPED\n"},
    [RN_PROGRAM_AMONG_BODIES] = {"liquid among bodies",
                                 rn_shader_liquid_vertex,
                                 {rn_shader_meniscus, rn_shader_light, rn_shader_contents, rn_shader_liquid_fragment},
                                 "#define BODIES\n"},
    [RN_PROGRAM_FALLS] = {"falling sheets",
                          rn_shader_liquid_vertex,
                          {rn_shader_meniscus, rn_shader_light, rn_shader_contents, rn_shader_liquid_fragment},
                          "#define FALLS\n"},
    [RN_PROGRAM_FOCUS] = {"focused light",
                          rn_shader_lamp_vertex,
                          {rn_shader_light, rn_shader_lamp_fragment},
                          "#define FOCUS\n"},
    [RN_PROGRAM_TINT] = {"tinted light", rn_shader_lamp_vertex, {rn_shader_light, rn_shader_lamp_fragment}, NULL},
    [RN_PROGRAM_CAST] = {"coloured shadows", rn_shader_cast_vertex, {rn_shader_light, rn_shader_cast_fragment}, NULL},
    [RN_PROGRAM_BODY] = {"bodies",
                         rn_shader_ground_vertex,
                         {rn_shader_light, rn_shader_ground_fragment},
                         "#define BODY\n"},
    [RN_PROGRAM_INSIDE] = {"liquid in glass",
                           rn_shader_glass_vertex,
                           {rn_shader_light, rn_shader_contents, rn_shader_glass_fragment},
                           "#define GLASS\n#define INSIDE\n"},
    [RN_PROGRAM_BEHIND] = {"walls behind liquid",
                           rn_shader_glass_vertex,
                           {rn_shader_light, rn_shader_contents, rn_shader_glass_fragment},
                           "#define GLASS\n#define INSIDE\n#define BEHIND\n"},
    [RN_PROGRAM_GLASS] = {"glass",
                          rn_shader_glass_vertex,
                          {rn_shader_light, rn_shader_contents, rn_shader_glass_fragment},
                          "#define GLASS\n"},
    [RN_PROGRAM_OVERLAY] = {"overlay", rn_shader_liquid_vertex, {rn_shader_light, rn_shader_overlay_fragment}, NULL},
    [RN_PROGRAM_PLAIN] = {"plain", rn_shader_plain_vertex, {rn_shader_plain_fragment}, NULL},
    [RN_PROGRAM_DRAFT] = {"draft", rn_shader_draft_vertex, {rn_shader_plain_fragment}, NULL},
    [RN_PROGRAM_FINISH] = {"finish", rn_shader_cast_vertex, {rn_shader_finish_fragment}, NULL},
};

static const char *const desktop = "#version 330 core\n#define RN_SHADER\n";
static const char *const embedded =
    "#version 300 es\n#define RN_SHADER\nprecision highp float;\nprecision highp int;\n"
    "precision highp sampler2D;\nprecision highp sampler3D;\nprecision highp sampler2DShadow;\n";

/* Appends the lines of a text, which ends with NULL, to a list of `count`; text NULL: none. Returns the new count;
   lines beyond MOST_LINES are dropped. */
static int append_lines(const char **lines, int count, const char *const *text) {
    for (; text && *text && count < MOST_LINES; text++) lines[count++] = *text;
    return count;
}

/* Compiles a vertex or fragment shader from `count` lines and returns its GL name. Errors are found when it is linked.
 */
static GLuint compile_shader(const rn_gl *gl, GLenum kind, const char **lines, int count) {
    const GLuint shader = gl->CreateShader(kind);
    gl->ShaderSource(shader, count, lines, NULL);
    gl->CompileShader(shader);
    return shader;
}

/* Sets the error text to the first line of OpenGL's message about the shader that does not compile, or else about the
   program. Returns RN_DRIVER. */
static rn_result report_shader_error(const rn_gl *gl, const char *name, const rn_program *p) {
    char log[400] = "";
    GLint good;
    for (int i = 0; i < 2 && !log[0]; i++) {
        gl->GetShaderiv(p->shaders[i], GL_COMPILE_STATUS, &good);
        if (!good) gl->GetShaderInfoLog(p->shaders[i], sizeof log, NULL, log);
    }
    if (!log[0]) gl->GetProgramInfoLog(p->id, sizeof log, NULL, log);
    log[strcspn(log, "\n")] = '\0';
    return rn_fail(RN_DRIVER, "this OpenGL (%.60s) does not accept the shader \"%s\": %s",
                   (const char *)gl->GetString(GL_VERSION), name, log);
}

/* Begins to compile and link a program that does not exist, without waiting. samples: per pixel, along a side. */
static void begin_program(const rn_gl *gl, const recipe *r, int samples, unsigned variant, rn_program *p) {
    static const char *const names[] = {"position", "normal", "shade", "tint", "inside",
                                        "meniscus", "depth",  "flow",  "ring", "coated"};
    const char *lines[MOST_LINES];
    char define[32];
    int begun = 0;
    snprintf(define, sizeof define, "#define SAMPLES %d\n", samples);
    lines[begun++] = gl->es ? embedded : desktop;
    lines[begun++] = define;
    if (variant & RN_OUTDOORS) lines[begun++] = "#define OUTDOORS\n";
    if (variant & RN_MURKY) lines[begun++] = "#define MURKY\n";
    if (variant & RN_GLASS) lines[begun++] = "#define GLASS\n";
    if (variant & (RN_GROUND_MATERIAL | RN_FLOOR_MATERIAL)) lines[begun++] = "#define MATERIAL\n";
    if (variant & RN_SOIL) lines[begun++] = "#define SOIL\n";
    if (variant & RN_GREEN) lines[begun++] = "#define GREEN\n";
    if (variant & RN_CLOSED) lines[begun++] = "#define CLOSED\n";
    if (r->define) lines[begun++] = r->define;
    p->shaders[0] = compile_shader(gl, GL_VERTEX_SHADER, lines, append_lines(lines, begun, r->vertex));
    int count = begun;
    for (int i = 0; i < MOST_PARTS; i++) count = append_lines(lines, count, r->fragment[i]);
    p->shaders[1] = compile_shader(gl, GL_FRAGMENT_SHADER, lines, count);
    p->id = gl->CreateProgram();
    for (int i = 0; i < 2; i++) gl->AttachShader(p->id, p->shaders[i]);
    for (GLuint i = 0; i < sizeof names / sizeof names[0]; i++) gl->BindAttribLocation(p->id, i, names[i]);
    gl->LinkProgram(p->id);
}

/* Deletes a program and its shaders; nothing if it does not exist. */
static void delete_program(const rn_gl *gl, rn_program *p) {
    if (!p->id) return;
    for (int i = 0; i < 2 && !p->checked; i++) gl->DeleteShader(p->shaders[i]);
    gl->DeleteProgram(p->id);
    *p = (rn_program){0};
}

/* Waits for a program that was begun, deletes its shaders and sets p->checked. If GL does not accept the program,
   deletes it and returns RN_DRIVER, with a message. */
static rn_result check_program(const rn_gl *gl, const char *name, rn_program *p) {
    GLint good = 0;
    gl->GetProgramiv(p->id, GL_LINK_STATUS, &good);
    if (!good) {
        const rn_result result = report_shader_error(gl, name, p);
        delete_program(gl, p);
        return result;
    }
    for (int i = 0; i < 2; i++) gl->DeleteShader(p->shaders[i]);
    p->checked = true;
    return RN_OK;
}

/* The program of a variant, and those of the variant's bits that it depends on. */
static rn_program *program_of(rn_programs *programs, unsigned *variant, int which) {
    const bool liquid = which >= RN_PROGRAM_LIQUID && which <= RN_PROGRAM_FALLS;
    const bool ground = which == RN_PROGRAM_GROUND || which == RN_PROGRAM_DRAPED;
    const bool cut = which == RN_PROGRAM_SHADOW || which == RN_PROGRAM_DRAFT;
    *variant &= RN_OUTDOORS | (liquid ? RN_MURKY | RN_GLASS | RN_CLOSED : 0u) | (ground || cut ? RN_GLASS : 0u) |
                (ground ? RN_GROUND_MATERIAL | RN_SOIL | RN_GREEN : 0u) |
                (which == RN_PROGRAM_FLOOR ? RN_FLOOR_MATERIAL : 0u);
    return &programs->all[*variant][which];
}

void rn_programs_begin(const rn_gl *gl, rn_programs *programs, unsigned variant) {
    static const int usual[] = {RN_PROGRAM_LIQUID,      RN_PROGRAM_GROUND,   RN_PROGRAM_FLOOR, RN_PROGRAM_SHADOW,
                                RN_PROGRAM_FLOOR_LIGHT, RN_PROGRAM_BACKDROP, RN_PROGRAM_FINISH};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        unsigned own = variant;
        rn_program *p = program_of(programs, &own, usual[i]);
        if (!p->id) begin_program(gl, &recipes[usual[i]], programs->samples, own, p);
    }
}

GLuint rn_programs_use(const rn_gl *gl, rn_programs *programs, unsigned variant, int which) {
    rn_program *p = program_of(programs, &variant, which);
    if (!p->id) begin_program(gl, &recipes[which], programs->samples, variant, p);
    if (!p->checked && check_program(gl, recipes[which].name, p) != RN_OK) programs->result = RN_DRIVER;
    gl->UseProgram(p->id);
    return p->id;
}

void rn_programs_free(const rn_gl *gl, rn_programs *programs) {
    for (int i = 0; i < RN_VARIANTS * RN_PROGRAMS; i++)
        delete_program(gl, &programs->all[i % RN_VARIANTS][i / RN_VARIANTS]);
}

void rn_give_number(const rn_gl *gl, GLuint program, const char *name, double value) {
    gl->Uniform1f(gl->GetUniformLocation(program, name), (float)value);
}

void rn_give_whole(const rn_gl *gl, GLuint program, const char *name, int value) {
    gl->Uniform1i(gl->GetUniformLocation(program, name), value);
}

void rn_give_vector(const rn_gl *gl, GLuint program, const char *name, rn_vec3 value) {
    gl->Uniform3f(gl->GetUniformLocation(program, name), (float)value.x, (float)value.y, (float)value.z);
}

void rn_give_two(const rn_gl *gl, GLuint program, const char *name, double x, double y) {
    gl->Uniform2f(gl->GetUniformLocation(program, name), (float)x, (float)y);
}

void rn_give_four(const rn_gl *gl, GLuint program, const char *name, const float value[4]) {
    gl->Uniform4f(gl->GetUniformLocation(program, name), value[0], value[1], value[2], value[3]);
}

void rn_give_matrix(const rn_gl *gl, GLuint program, const char *name, const rn_matrix *value) {
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, name), 1, GL_FALSE, value->m);
}

void rn_give_texture(const rn_gl *gl, GLuint program, const char *name, int unit, GLuint texture) {
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    rn_give_whole(gl, program, name, unit);
}
