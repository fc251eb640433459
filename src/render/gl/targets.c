/* Creates the framebuffers and textures that a renderer draws into (targets.h). */
#include "render/gl/targets.h"

#include "base/error.h"

/* A new 2D texture without content, of this size (texels), clamped at its edges, which stays bound. format: as stored;
   layout, type: those of the data, as GL requires for the format; filter: the filter for both magnification and
   minification. */
static GLuint new_texture(const rn_gl *gl, GLint format, int width, int height, GLenum layout, GLenum type,
                          GLint filter) {
    GLuint texture;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, layout, type, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

/* Creates a new framebuffer and binds it. */
static void begin_framebuffer(const rn_gl *gl, GLuint *framebuffer) {
    gl->GenFramebuffers(1, framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
}

/* Whether GL can draw into the bound framebuffer. */
static bool is_complete(const rn_gl *gl) {
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

/* Attaches a texture to the bound framebuffer, as its colours. */
static void attach_colour(const rn_gl *gl, GLuint texture) {
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

/* Creates a framebuffer with a texture as large as the scene, to copy it into. Returns false, without a message, if
   OpenGL fails; rn_targets_free frees what was made. */
static bool make_copy(const rn_gl *gl, const rn_targets *t, GLuint *framebuffer, GLuint *texture) {
    begin_framebuffer(gl, framebuffer);
    *texture = new_texture(gl, GL_RGBA16F, t->width, t->height, GL_RGBA, GL_HALF_FLOAT, GL_LINEAR);
    attach_colour(gl, *texture);
    return is_complete(gl);
}

/* Creates a framebuffer for light and distance, which need more than 8 bits, and for depth. Samples are texels: on a
   CPU that is faster than GL's multisampling, and also smooths highlights. Returns false, without a message, if OpenGL
   fails; rn_targets_free frees what was made. */
static bool make_deep(const rn_gl *gl, const rn_targets *t, GLuint *framebuffer, GLuint *colour, GLuint *depth) {
    begin_framebuffer(gl, framebuffer);
    *colour = new_texture(gl, GL_RGBA16F, t->width, t->height, GL_RGBA, GL_HALF_FLOAT, GL_LINEAR);
    attach_colour(gl, *colour);
    gl->GenRenderbuffers(1, depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, *depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, t->width, t->height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, *depth);
    return is_complete(gl);
}

/* Creates the framebuffer of the scene, and a copy of it. Returns false, without a message, if OpenGL fails;
   rn_targets_free frees what was made. */
static bool make_scene(const rn_gl *gl, rn_targets *t) {
    return make_deep(gl, t, &t->scene, &t->scene_colour, &t->scene_depth) &&
           make_copy(gl, t, &t->seen, &t->seen_texture);
}

bool rn_targets_make_still(const rn_gl *gl, rn_targets *targets) {
    rn_targets *t = targets;
    if (t->still_depth) return t->still != 0; /* made before, or tried in vain */
    if (make_deep(gl, t, &t->still, &t->still_colour, &t->still_depth)) return true;
    gl->GetError(); /* no memory: ground and floor are drawn in each frame instead */
    gl->DeleteFramebuffers(1, &t->still);
    gl->DeleteTextures(1, &t->still_colour);
    t->still = t->still_colour = 0;
    return false;
}

/* Creates the shadow map, the map of light on the floor and the map of the liquid that the lamp sees. Returns false,
   without a message, if OpenGL fails; rn_targets_free frees what was made. */
static bool make_shadow(const rn_gl *gl, rn_targets *t) {
    begin_framebuffer(gl, &t->shadow);
    t->shadow_texture = new_texture(gl, GL_DEPTH_COMPONENT24, RN_SHADOW_SIDE, RN_SHADOW_SIDE, GL_DEPTH_COMPONENT,
                                    GL_UNSIGNED_INT, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->shadow_texture, 0);
    if (!is_complete(gl)) return false;
    begin_framebuffer(gl, &t->floor);
    t->floor_texture = new_texture(gl, GL_RGBA8, RN_FLOOR_MAP, RN_FLOOR_MAP, GL_RGBA, GL_UNSIGNED_BYTE, GL_LINEAR);
    attach_colour(gl, t->floor_texture);
    if (!is_complete(gl)) return false;
    begin_framebuffer(gl, &t->lamp);
    t->lamp_texture = new_texture(gl, GL_RGBA8, RN_LAMP_SIDE, RN_LAMP_SIDE, GL_RGBA, GL_UNSIGNED_BYTE, GL_LINEAR);
    attach_colour(gl, t->lamp_texture);
    return is_complete(gl);
}

/* Creates the framebuffer of a finished picture of this size (pixels), to be read back. Returns false, without a
   message, if OpenGL fails; rn_targets_free frees what was made. */
static bool make_picture(const rn_gl *gl, rn_targets *t, int width, int height) {
    begin_framebuffer(gl, &t->picture);
    t->picture_colour = new_texture(gl, GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, GL_NEAREST);
    attach_colour(gl, t->picture_colour);
    return is_complete(gl);
}

#define TOO_MANY "%d by %d pixels of %d by %d samples are more than this OpenGL draws; "

/* A number of texels that every GL supports. */
#define ALWAYS_FINE (4096.0 * 4096.0)

rn_result rn_targets_make(const rn_gl *gl, int width, int height, int samples, bool hosted, rn_targets *targets) {
    rn_targets *t = targets;
    GLint most_texels = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most_texels);
    t->scale = samples;
    t->width = t->scale * width;
    t->height = t->scale * height;
    if (t->width > most_texels || t->height > most_texels)
        return rn_fail(RN_LIMIT, TOO_MANY "%d by %d at most", width, height, samples, samples, most_texels / samples,
                       most_texels / samples);
    if (make_scene(gl, t) && make_shadow(gl, t) && (hosted || make_picture(gl, t, width, height))) return RN_OK;
    if ((double)t->width * t->height > ALWAYS_FINE)
        return rn_fail(RN_LIMIT, TOO_MANY "try %d by %d", width, height, samples, samples, width / 2, height / 2);
    return rn_fail(RN_DRIVER, "this OpenGL cannot draw into %d by %d texels of 16 bit floats", t->width, t->height);
}

rn_result rn_targets_make_bare(const rn_gl *gl, rn_targets *targets) {
    GLint bound = 0; /* bound by a host, which continues to draw there */
    if (targets->bare) return RN_OK;
    gl->GetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    const bool made = make_copy(gl, targets, &targets->bare, &targets->bare_texture);
    gl->BindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    if (made) return RN_OK;
    gl->DeleteFramebuffers(1, &targets->bare);
    gl->DeleteTextures(1, &targets->bare_texture);
    targets->bare = targets->bare_texture = 0; /* tried again by the next call */
    return rn_fail(RN_DRIVER, "this OpenGL has no memory for another %d by %d texels, which bodies need",
                   targets->width, targets->height);
}

void rn_targets_free(const rn_gl *gl, rn_targets *targets) {
    const GLuint framebuffers[] = {targets->scene, targets->seen, targets->picture, targets->shadow,
                                   targets->floor, targets->bare, targets->still,   targets->lamp};
    const GLuint textures[] = {targets->scene_colour,   targets->seen_texture,  targets->picture_colour,
                               targets->shadow_texture, targets->floor_texture, targets->bare_texture,
                               targets->still_colour,   targets->lamp_texture};
    const GLuint depths[] = {targets->scene_depth, targets->still_depth};
    gl->DeleteFramebuffers(sizeof framebuffers / sizeof framebuffers[0], framebuffers);
    gl->DeleteTextures(sizeof textures / sizeof textures[0], textures);
    gl->DeleteRenderbuffers(2, depths);
}
