/* Draws the lamp's map of the liquid, and the coloured shadows of falling liquid (lamplight.h). */
#include "render/gl/lamplight.h"

#include <math.h>
#include <string.h>

bool rn_lamplight_focuses(const rn_shot *f) {
    const rn_liquid *liquid = &f->r->liquid_is;
    const bool clear = !(liquid->scattering[0] + liquid->scattering[1] + liquid->scattering[2] > 0);
    return clear && liquid->refraction > 0 && f->r->lying > 0 && !f->r->closed && !f->look->no_shadows;
}

bool rn_lamplight_tints(const rn_shot *f) {
    return f->r->liquid.count > 0 && f->r->falling > 0 && !f->look->no_shadows;
}

/* Draws `count` indices of the liquid from `first` on into the lamp's map, with one of the two programs for it. */
static void draw_from_lamp(const rn_shot *f, int program, GLsizei first, GLsizei count) {
    const rn_gl *gl = &f->r->gl;
    const GLuint p = rn_shot_use(f, program);
    rn_give_matrix(gl, p, "to_clip", &f->light.shadow);
    rn_give_number(gl, p, "refraction", rn_shot_refraction(f));
    rn_give_number(gl, p, "half_side", 0.5 * RN_LAMP_SIDE);
    rn_give_texture(gl, p, "layers", RN_UNIT_TABLE, f->r->table);
    gl->BindVertexArray(f->r->liquid.array);
    gl->DrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, rn_batch_place(sizeof(uint32_t) * (size_t)first));
}

void rn_lamplight_draw(const rn_shot *f) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    const bool focuses = rn_lamplight_focuses(f), tints = rn_lamplight_tints(f);
    if (!focuses && !tints) return;
    if (memcmp(&r->map_lamp, &f->light.shadow, sizeof r->map_lamp) == 0 && r->map_liquid == r->liquid_hash) return;
    r->map_lamp = f->light.shadow;
    r->map_liquid = r->liquid_hash;
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->targets.lamp);
    gl->Viewport(0, 0, RN_LAMP_SIDE, RN_LAMP_SIDE);
    gl->ClearColor(1, 1, 1, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    gl->Disable(GL_CULL_FACE);
    gl->Disable(GL_DEPTH_TEST);
    gl->Enable(GL_BLEND);
    gl->BlendFuncSeparate(GL_DST_COLOR, GL_ZERO, GL_ONE, GL_ONE); /* tints multiply */
    gl->BlendEquationSeparate(GL_FUNC_ADD, GL_MAX); /* of two pools above each other one counts, not both */
    if (focuses) draw_from_lamp(f, RN_PROGRAM_FOCUS, 0, r->lying);
    if (tints) draw_from_lamp(f, RN_PROGRAM_TINT, r->lying, r->falling);
    gl->BlendEquationSeparate(GL_FUNC_ADD, GL_FUNC_ADD);
    gl->Disable(GL_BLEND);
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_CULL_FACE);
}

/* Widens a rectangle of the picture (left, bottom, right, top, from -1 to 1) to contain point p (m), or everything if
   the point is not in front of the camera. */
static void include_point(const rn_matrix *to_clip, rn_vec3 p, float rect[4]) {
    const float *m = to_clip->m, at[3] = {(float)p.x, (float)p.y, (float)p.z};
    float clip[4];
    for (int i = 0; i < 4; i++) clip[i] = m[i] * at[0] + m[4 + i] * at[1] + m[8 + i] * at[2] + m[12 + i];
    for (int i = 0; i < 2; i++) {
        rect[i] = fminf(rect[i], clip[3] > 1e-6f ? fmaxf(clip[i] / clip[3], -1) : -1);
        rect[i + 2] = fmaxf(rect[i + 2], clip[3] > 1e-6f ? fminf(clip[i] / clip[3], 1) : 1);
    }
}

/* The rectangle of the picture that contains falling liquid and the light behind it, down to the floor. */
static void shaded_rectangle(const rn_shot *f, float rect[4]) {
    const float nothing[4] = {1, 1, -1, -1};
    const rn_vec3 low = f->r->fall_low, high = f->r->fall_high, key = f->light.key;
    memcpy(rect, nothing, sizeof nothing);
    for (int i = 0; i < 8; i++) {
        const rn_vec3 p = {i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
        const double down = fmax(p.z - f->r->low.z, 0) / fmax(key.z, 0.1);
        include_point(&f->to_clip, p, rect);
        include_point(&f->to_clip, rn_difference(p, rn_times(key, down)), rect);
    }
}

void rn_lamplight_cast(const rn_shot *f, GLuint picture) {
    const rn_gl *gl = &f->r->gl;
    float rect[4];
    if (!rn_lamplight_tints(f)) return;
    shaded_rectangle(f, rect);
    if (rect[0] >= rect[2] || rect[1] >= rect[3]) return;
    const GLuint p = rn_shot_use(f, RN_PROGRAM_CAST);
    rn_give_four(gl, p, "rectangle", rect);
    rn_give_number(gl, p, "floor_height", f->r->low.z);
    rn_give_texture(gl, p, "picture", RN_UNIT_SEEN, picture);
    gl->Disable(GL_DEPTH_TEST);
    rn_shot_square(f);
    gl->Enable(GL_DEPTH_TEST);
}
