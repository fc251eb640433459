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

/* Marks the patches that a box touches on its way to the floor along the light of the lamp. */
static void mark_shadow(const rn_shot *f, const rn_extent *box, rn_patches *patches) {
    enum { STEPS = 6 };
    const double along = -fmax((double)box->high[2] - f->r->low.z, 0) / fmax(f->light.key.z, 0.1);
    float was[4], rect[4], both[4];
    for (int step = 0; step <= STEPS; step++) {
        memcpy(rect, rn_rect_none, sizeof rect);
        rn_rect_include_extent(&f->to_clip, box, rn_times(f->light.key, along * step / STEPS), rect);
        for (int k = 0; k < 4 && step > 0; k++) both[k] = k < 2 ? fminf(was[k], rect[k]) : fmaxf(was[k], rect[k]);
        if (step > 0) rn_patches_mark(patches, both, rn_shot_margin(f));
        memcpy(was, rect, sizeof was);
    }
}

void rn_lamplight_mark(const rn_shot *f, rn_patches *patches) {
    for (size_t i = 0; i < f->r->fall_count; i++) mark_shadow(f, &f->r->falls[i], patches);
}

void rn_lamplight_cast(const rn_shot *f, GLuint picture, const rn_patches *patches) {
    const rn_gl *gl = &f->r->gl;
    if (!rn_lamplight_tints(f)) return;
    const GLuint p = rn_shot_use(f, RN_PROGRAM_CAST);
    rn_give_number(gl, p, "floor_height", f->r->low.z);
    rn_give_texture(gl, p, "picture", RN_UNIT_SEEN, picture);
    gl->Disable(GL_DEPTH_TEST);
    rn_shot_patches(f, p, patches);
    gl->Enable(GL_DEPTH_TEST);
}
