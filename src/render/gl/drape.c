/* Uploads the texture over the ground, and gives it to programs (drape.h). */
#include "render/gl/drape.h"

#include "base/error.h"

rn_result rn_drape_update(rn_renderer *renderer, const rn_texture *texture) {
    rn_renderer *r = renderer;
    const rn_gl *gl = &r->gl;
    const rn_texture *was = &r->drape_is;
    if (!texture || !texture->pixels) return RN_OK;
    if (texture->pixels == was->pixels && texture->width == was->width && texture->height == was->height) return RN_OK;
    GLint most = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (texture->width > most || texture->height > most)
        return rn_fail(RN_LIMIT, "a texture of %d by %d pixels is too large for this OpenGL; %d on a side are allowed",
                       texture->width, texture->height, most);
    gl->BindTexture(GL_TEXTURE_2D, r->drape);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, texture->width, texture->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   texture->pixels);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    r->drape_is = *texture;
    rn_still_forget(&r->still);
    return RN_OK;
}

void rn_drape_give(const rn_shot *f, GLuint p) {
    const rn_texture *t = f->look->texture;
    const float patch[4] = {(float)t->low.x, (float)t->high.y, (float)(1 / (t->high.x - t->low.x)),
                            (float)(1 / (t->low.y - t->high.y))};
    rn_give_four(&f->r->gl, p, "drape_patch", patch);
    rn_give_texture(&f->r->gl, p, "drape", RN_UNIT_DRAPE, f->r->drape);
}
