/* Draws glass and the liquid in it (glass.h). Solid that is glass is no part of the ground that draw.c draws: that ends
   at the glass. A ray that enters the glass meets the ground's triangles from behind where it enters a cavity, and from
   the front where it leaves it. */
#include "render/gl/glass.h"

#include "base/memory.h"

#include <string.h>

/* Uploads where the liquid stands, unless it was uploaded already. Returns RN_MEMORY, with a message, if memory runs
   out. */
static rn_result upload_contents(rn_renderer *r) {
    const rn_gl *gl = &r->gl;
    if (!r->contents_new) return RN_OK;
    const float low[3] = {r->level_patch[0], r->level_patch[1], (float)r->low.z};
    const int cells[2] = {r->levels_x, r->levels_y};
    const rn_result made =
        rn_contents_make(r->spans, cells, r->span_layers, low, (float)r->high.z, (float)r->cell, &r->contents);
    if (made != RN_OK) return made;
    gl->BindTexture(GL_TEXTURE_3D, r->contents_texture);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage3D(GL_TEXTURE_3D, 0, GL_R8, r->contents.nx, r->contents.ny, r->contents.nz, 0, GL_RED, GL_UNSIGNED_BYTE,
                   r->contents.of);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    r->contents_new = false;
    return RN_OK;
}

double rn_glass_height(const rn_shot *f) { return f->look->glass ? f->look->glass_above : 1e30; }

/* Whether there is glass, and columns whose liquid it shows. */
static bool has_contents(const rn_shot *f) { return f->look->glass && f->r->spans; }

/* Uses a program for glass, with the boxes of the liquid; closer: m, see glass_vertex.glsl. */
static GLuint use_glass(const rn_shot *f, int program, double closer) {
    const rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    const rn_contents *c = &r->contents;
    const GLuint p = rn_shot_use(f, program);
    const double wide = (double)c->wide;
    gl->ActiveTexture(GL_TEXTURE0 + RN_UNIT_CONTENTS);
    gl->BindTexture(GL_TEXTURE_3D, r->contents_texture);
    rn_give_whole(gl, p, "contents", RN_UNIT_CONTENTS);
    rn_give_vector(gl, p, "contents_low", (rn_vec3){(double)c->low[0], (double)c->low[1], (double)c->low[2]});
    rn_give_vector(gl, p, "contents_size", (rn_vec3){wide * c->nx, wide * c->ny, (double)c->tall * c->nz});
    rn_give_number(gl, p, "solid_top", rn_glass_height(f));
    rn_give_number(gl, p, "closer", closer);
    rn_give_number(gl, p, "full_depth", f->deepest);
    rn_give_texture(gl, p, "layers", RN_UNIT_TABLE, r->table);
    rn_give_texture(gl, p, "ground_seen", RN_UNIT_SEEN, r->targets.seen_texture);
    return p;
}

/* Draws all triangles of the ground that face away from the eye (`side` GL_FRONT) or towards it (GL_BACK). */
static void draw_but(const rn_shot *f, GLenum side) {
    const rn_gl *gl = &f->r->gl;
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(side);
    gl->BindVertexArray(f->r->ground.array);
    gl->DrawElements(GL_TRIANGLES, f->r->ground.count, GL_UNSIGNED_INT, NULL);
    gl->CullFace(GL_BACK);
}

rn_result rn_glass_draw_contents(const rn_shot *f) {
    if (!has_contents(f)) return RN_OK;
    const rn_result result = upload_contents(f->r);
    if (result != RN_OK) return result;
    /* Liquid that fills a pipe lies at its ceiling: the side hides the surface. */
    use_glass(f, RN_PROGRAM_INSIDE, 0.6 * f->r->cell);
    draw_but(f, GL_FRONT);
    use_glass(f, RN_PROGRAM_BEHIND, 0);
    draw_but(f, GL_BACK);
    return RN_OK;
}

void rn_glass_draw_surfaces(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    if (!f->look->glass) return;
    use_glass(f, RN_PROGRAM_GLASS, 0);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->DepthMask(GL_FALSE);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE); /* alpha is a distance */
    draw_but(f, GL_FRONT);
    draw_but(f, GL_BACK);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
}
