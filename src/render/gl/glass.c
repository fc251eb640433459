/* Draws glass and the liquid in it (glass.h). Solid that is glass is no part of the ground that draw.c draws: that ends
   where the glass begins. A ray that enters the glass meets the ground's triangles from behind where it enters a
   cavity, and from the front where it leaves the cavity. */
#include "render/gl/glass.h"

#include <math.h>

/* Uploads boxes of bytes as a 3D texture that is interpolated. */
static void upload_boxes(const rn_gl *gl, GLuint texture, int nx, int ny, int nz, const uint8_t *bytes) {
    gl->BindTexture(GL_TEXTURE_3D, texture);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage3D(GL_TEXTURE_3D, 0, GL_R8, nx, ny, nz, 0, GL_RED, GL_UNSIGNED_BYTE, bytes);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
}

/* A cell (m), or as much detail as the ground may need if there has been no liquid. */
static double cell_of(const rn_shot *f) { return f->r->cell > 0 ? f->r->cell : f->radius / 100; }

/* The most boxes that a 3D texture may have along a side. */
static int most_boxes(const rn_shot *f) {
    GLint most = 256;
    f->r->gl.GetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &most);
    return most;
}

/* Makes the boxes of the liquid; one that is empty without columns, or if the mesh of the liquid has sides of its own.
 */
static rn_result make_contents(const rn_shot *f) {
    rn_renderer *r = f->r;
    static const rn_span none = {0, 0, 0};
    static const int one[2] = {1, 1};
    const bool filled = r->spans && !r->closed;
    const float low[3] = {filled ? r->level_patch[0] : (float)r->low.x, filled ? r->level_patch[1] : (float)r->low.y,
                          (float)r->low.z};
    const int cells[2] = {r->levels_x, r->levels_y};
    const rn_result made =
        rn_contents_make(filled ? r->spans : &none, filled ? cells : one, filled ? r->span_layers : 1, low,
                         (float)r->high.z, (float)cell_of(f), most_boxes(f), &r->contents);
    if (made != RN_OK) return made;
    upload_boxes(&r->gl, r->contents_texture, r->contents.nx, r->contents.ny, r->contents.nz, r->contents.of);
    r->contents_new = false;
    return RN_OK;
}

/* Makes the boxes of the walls. */
static rn_result make_walls(const rn_shot *f) {
    rn_renderer *r = f->r;
    const float low[3] = {(float)r->low.x, (float)r->low.y, (float)r->low.z};
    const float high[3] = {(float)r->high.x, (float)r->high.y, (float)r->high.z};
    const rn_result made = rn_walls_make(r->positions, r->still.triangles, (size_t)r->ground.count, low, high,
                                         0.5f * (float)cell_of(f), most_boxes(f), &r->walls);
    if (made != RN_OK) return made;
    upload_boxes(&r->gl, r->walls_texture, r->walls.nx, r->walls.ny, r->walls.nz, r->walls.of);
    r->walls_new = false;
    return RN_OK;
}

rn_result rn_glass_prepare(const rn_shot *f) {
    rn_result result = f->r->contents_new ? make_contents(f) : RN_OK;
    if (result == RN_OK && f->r->walls_new) result = make_walls(f);
    return result;
}

/* A little higher than asked for, so that a floor at that height lies within what is opaque, and looks dry. */
double rn_glass_height(const rn_shot *f) { return f->look->glass ? f->look->glass_above + 0.1 * cell_of(f) : 1e30; }

/* Binds a texture of boxes and gives it to program p, with the box (m) that it fills. */
static void give_boxes(const rn_shot *f, GLuint p, int unit, GLuint texture, const rn_boxes *c, const char *names[3]) {
    const rn_gl *gl = &f->r->gl;
    const double wide = (double)c->wide, tall = (double)c->tall;
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    gl->BindTexture(GL_TEXTURE_3D, texture);
    rn_give_whole(gl, p, names[0], unit);
    rn_give_vector(gl, p, names[1], (rn_vec3){(double)c->low[0], (double)c->low[1], (double)c->low[2]});
    rn_give_vector(gl, p, names[2], (rn_vec3){wide * c->nx, wide * c->ny, tall * c->nz});
}

void rn_glass_give(const rn_shot *f, GLuint p) {
    const rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    static const char *contents[3] = {"contents", "contents_low", "contents_size"};
    static const char *walls[3] = {"walls", "walls_low", "walls_size"};
    give_boxes(f, p, RN_UNIT_CONTENTS, r->contents_texture, &r->contents, contents);
    give_boxes(f, p, RN_UNIT_WALLS, r->walls_texture, &r->walls, walls);
    rn_give_number(gl, p, "solid_top", rn_glass_height(f));
    rn_give_number(gl, p, "full_depth", f->deepest);
    rn_give_texture(gl, p, "layers", RN_UNIT_TABLE, r->table);
}

/* Uses a program for glass and returns its name; closer: m, see glass_vertex.glsl. */
static GLuint use_glass(const rn_shot *f, int program, double closer) {
    const rn_gl *gl = &f->r->gl;
    const GLuint p = rn_shot_use(f, program);
    rn_glass_give(f, p);
    rn_give_number(gl, p, "closer", closer);
    rn_give_texture(gl, p, "ground_seen", RN_UNIT_SEEN, f->r->targets.seen_texture);
    return p;
}

/* Draws the triangles of the ground, without those that face the eye (`left_out` GL_FRONT) or face away from it
   (GL_BACK). */
static void draw_without(const rn_shot *f, GLenum left_out) {
    const rn_gl *gl = &f->r->gl;
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(left_out);
    gl->BindVertexArray(f->r->ground.array);
    gl->DrawElements(GL_TRIANGLES, f->r->ground.count, GL_UNSIGNED_INT, NULL);
    gl->CullFace(GL_BACK);
}

/* Draws walls of cavities that face the eye, up to where the liquid before them stands; reach: see glass_fragment.glsl.
 */
static void draw_walls_behind(const rn_shot *f, double reach) {
    const GLuint p = use_glass(f, RN_PROGRAM_BEHIND, 0);
    rn_give_number(&f->r->gl, p, "reach", reach);
    draw_without(f, GL_BACK);
}

void rn_glass_draw_contents(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    if (f->r->closed) return; /* a 3D liquid has sides of its own */
    /* Liquid that fills a pipe lies at its ceiling: its side hides its surface. */
    use_glass(f, RN_PROGRAM_INSIDE, 0.6 * cell_of(f));
    draw_without(f, GL_FRONT);
    /* The walls behind the liquid, as deep as they are and without colour, hide the edge of its mesh in the glass. */
    gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    draw_walls_behind(f, 0.05);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void rn_glass_draw_surfaces(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    if (!f->r->closed) draw_walls_behind(f, 0.5);
    use_glass(f, RN_PROGRAM_GLASS, 0);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->DepthMask(GL_FALSE);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE); /* alpha is a distance */
    draw_without(f, GL_FRONT);
    draw_without(f, GL_BACK);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
}
