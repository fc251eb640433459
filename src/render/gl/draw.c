/* rn_renderer_draw: shadows, then backdrop, ground, floor and bodies, then the liquid over a copy of these (or in false
   colours), then the lines and squares of overlays, then the conversion to a picture, and the scale of colours. */
#include "base/error.h"
#include "render/draft.h"
#include "render/gl/drape.h"
#include "render/gl/glass.h"
#include "render/gl/lamplight.h"
#include "render/gl/renderer.h"
#include "render/gl/shot.h"
#include "render/labels.h"
#include "render/materials.h"
#include "render/optics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From dark violet through teal to yellow, evenly lighter; linear. */
enum { RAMP = 5 };
static const float ramp[RAMP][3] = {{0.056f, 0.002f, 0.088f},
                                    {0.042f, 0.090f, 0.255f},
                                    {0.014f, 0.273f, 0.263f},
                                    {0.120f, 0.565f, 0.125f},
                                    {0.980f, 0.800f, 0.018f}};

/* A unit vector along the horizontal part of a; up if a is vertical. */
static rn_vec3 level_unit(rn_vec3 a) { return rn_unit((rn_vec3){a.x, a.y, 0}); }
/* The product of two colours, component by component. */
static rn_vec3 colour_product(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x * b.x, a.y * b.y, a.z * b.z}; }

/* Whether a colour was chosen; all 0: none. */
static bool has_colour(rn_vec3 a) { return a.x + a.y + a.z > 0; }

/* The lights of a look, in linear colours, and the projection of the shadow map. Lamps are placed around the camera, so
   that every side is well lit; the sun outdoors has a fixed direction. The frame must have axes, middle and radius. */
static rn_lights lights_of(const rn_shot *f) {
    rn_lights l = {.right = level_unit(f->axes.right)};
    l.away = (rn_vec3){-l.right.y, l.right.x, 0};
    if (f->look->outdoors) {
        l.key = rn_unit((rn_vec3){-0.55, -0.35, 0.76});
        l.key_light = (rn_vec3){1.62, 1.45, 1.18};
        l.sky_above = (rn_vec3){0.22, 0.30, 0.44};
        l.sky_beside = (rn_vec3){0.06, 0.075, 0.10};
        l.sky_below = (rn_vec3){0.13, 0.12, 0.10};
        const rn_vec3 land = rn_times(rn_material_colour(f->look->material, f->look->ground), 0.75),
                      hazy = {0.03, 0.04, 0.045};
        l.land = !has_colour(f->look->backdrop);
        l.paper = l.land ? rn_sum(land, hazy) : f->look->backdrop;
        l.paper_lit = (rn_vec3){0.79, 0.86, 0.97}; /* the sky at the horizon */
    } else {
        const rn_vec3 across = rn_sum(rn_times(l.right, -0.60), rn_times(l.away, 0.26));
        l.key = rn_unit(rn_sum(across, (rn_vec3){0, 0, 0.76}));
        l.key_light = (rn_vec3){1.16, 1.05, 0.90};
        l.sky_above = (rn_vec3){0.25, 0.285, 0.335};
        l.sky_beside = (rn_vec3){0.13, 0.13, 0.13};
        l.sky_below = (rn_vec3){0.26, 0.235, 0.205};
        l.paper = has_colour(f->look->backdrop) ? f->look->backdrop : (rn_vec3){0.51, 0.51, 0.505};
        l.paper_lit = colour_product(l.paper, rn_sum(rn_times(l.key_light, l.key.z), l.sky_above));
        l.paper_lit = rn_times(l.paper_lit, 0.72);
    }
    l.shadow = rn_light_matrix(l.key, f->middle, f->radius);
    return l;
}

/* Binds the array of a batch and draws its first `count` indices as triangles; nothing if that is 0. */
static void draw_triangles(const rn_shot *f, const rn_batch *batch, GLsizei count) {
    f->r->gl.BindVertexArray(batch->array);
    if (count) f->r->gl.DrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL);
}

/* Draws the map of light on the floor, targets.floor: from the lamp, much softer than on the ground, and from the sky.
   The shadow map must be drawn. */
static void light_floor(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, f->r->targets.floor);
    gl->Viewport(0, 0, RN_FLOOR_MAP, RN_FLOOR_MAP);
    const GLuint p = rn_shot_use(f, RN_PROGRAM_FLOOR_LIGHT);
    rn_give_number(gl, p, "height", f->r->low.z);
    rn_give_four(gl, p, "patch_of", f->r->floor_patch);
    rn_give_texture(gl, p, "openness", RN_UNIT_FLOOR, f->r->floor_open);
    gl->Disable(GL_DEPTH_TEST);
    rn_shot_square(f);
    gl->Enable(GL_DEPTH_TEST);
}

/* Draws the shadow map and the light on the floor, and stores the lamp in lamp_was, and up to where solid is opaque in
   opaque_was; nothing if they were drawn for these already. lamp_was is 0 when ground or bodies have changed. Forgets
   the kept picture, binds the framebuffers of the maps and changes the viewport. */
static void draw_shadows(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    const double opaque = rn_glass_height(f);
    if (memcmp(&f->r->lamp_was, &f->light.shadow, sizeof f->r->lamp_was) == 0 && f->r->opaque_was == opaque) return;
    f->r->lamp_was = f->light.shadow;
    f->r->opaque_was = opaque;
    rn_still_forget(&f->r->still);
    gl->BindFramebuffer(GL_FRAMEBUFFER, f->r->targets.shadow);
    gl->Viewport(0, 0, RN_SHADOW_SIDE, RN_SHADOW_SIDE);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    const GLuint p = rn_programs_use(gl, &f->r->programs, rn_shot_variant(f), RN_PROGRAM_SHADOW);
    rn_give_matrix(gl, p, "to_clip", &f->light.shadow);
    rn_give_number(gl, p, "solid_top", opaque);
    gl->Enable(GL_POLYGON_OFFSET_FILL);
    gl->PolygonOffset(1.5f, 2.0f);
    draw_triangles(f, &f->r->ground, f->r->above);
    rn_give_number(gl, p, "solid_top", 1e30);
    draw_triangles(f, &f->r->bodies, f->r->bodies.count);
    gl->Disable(GL_POLYGON_OFFSET_FILL);
    light_floor(f);
}

/* Draws the sky or the back wall of the studio where nothing else is yet; alpha, the distance, becomes 10^4 m. */
static void draw_backdrop(const rn_shot *f) {
    rn_shot_use(f, RN_PROGRAM_BACKDROP);
    rn_shot_square(f);
}

/* Whether a sea surrounds the domain. */
static bool has_sea(const rn_shot *f) { return f->look->outdoors && !f->light.land && isfinite(f->r->sea); }

/* Gives coat `i` of the ground, 0 for what has none of its own, to program p. Plain coats have the gloss of the look.
 */
static void give_coat(const rn_shot *f, GLuint p, int i, const rn_coat *coat) {
    const rn_gl *gl = &f->r->gl;
    rn_finish finish = *rn_finish_of(coat->material);
    if (!coat->material) finish.polish[0] = 0.04f * (float)f->look->gloss;
    const rn_vec3 vectors[] = {rn_material_colour(coat->material, coat->colour), finish.pale, finish.dark};
    const float *const fours[] = {finish.figure, finish.grain, finish.polish};
    static const char *const vector_names[] = {"colours", "pales", "darks"};
    static const char *const four_names[] = {"figures", "grains", "polishes"};
    char name[32];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s[%d]", vector_names[k], i);
        rn_give_vector(gl, p, name, vectors[k]);
        snprintf(name, sizeof name, "%s[%d]", four_names[k], i);
        rn_give_four(gl, p, name, fours[k]);
    }
}

/* Gives the first coat to program p, and the size of its pattern (m). */
static void give_material(const rn_shot *f, GLuint p, const rn_coat *coat, double size) {
    give_coat(f, p, 0, coat);
    rn_give_number(&f->r->gl, p, "pattern", size);
    rn_give_texture(&f->r->gl, p, "random_detail", RN_UNIT_RIPPLES, f->r->ripples);
}

/* Whether land surrounds the domain: it continues the ground, instead of a floor on which the ground stands. */
static bool has_land(const rn_shot *f) {
    return f->look->outdoors && f->light.land && !f->look->glass && f->r->around.count > 0;
}

/* Draws the floor, a square far larger than the ground and a little below it, unless it is seen from below. A sea, if
   the whole edge of the domain is wet, lies at the lowest level that the liquid has had there, and surrounds the
   domain: higher, it would show gaps. */
static void draw_floor(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    const bool sea = has_sea(f);
    const double height = sea ? f->r->sea : f->r->low.z - 0.001 * f->radius;
    if (f->camera->eye.z <= fmax(height, f->r->low.z)) return;
    const GLuint p = rn_shot_use(f, sea ? RN_PROGRAM_SEA : RN_PROGRAM_FLOOR);
    rn_give_vector(gl, p, "middle", (rn_vec3){f->middle.x, f->middle.y, height});
    rn_give_number(gl, p, "time", f->look->time);
    rn_give_two(gl, p, "flow", f->r->sea_flow[0], f->r->sea_flow[1]);
    rn_give_four(gl, p, "level_patch", f->r->level_patch);
    rn_give_number(gl, p, "reach", 14 * f->radius);
    rn_give_four(gl, p, "patch_of", f->r->floor_patch);
    rn_give_texture(gl, p, "floor_light", RN_UNIT_FLOOR, f->r->targets.floor_texture);
    const rn_coat coat = {.material = f->look->floor};
    if (coat.material && !f->look->outdoors) give_material(f, p, &coat, 1.6 * f->radius);
    rn_shot_square(f);
}

/* The number of indices of the ground to be drawn: its underside only for a camera below the floor. */
static GLsizei ground_indices(const rn_shot *f) {
    return f->camera->eye.z > f->r->low.z ? f->r->above : f->r->ground.count;
}

/* Uses a program for the ground in the colour of the look, times the colours of its vertices. */
static void use_ground(const rn_shot *f, int program) {
    const rn_gl *gl = &f->r->gl;
    const GLuint p = rn_shot_use(f, program);
    if (program == RN_PROGRAM_DRAPED) rn_drape_give(f, p);
    rn_give_vector(gl, p, "ground", rn_material_colour(f->look->material, f->look->ground));
    rn_give_number(gl, p, "gloss", f->look->gloss);
    rn_give_number(gl, p, "wetness", f->look->no_wetness ? 0 : 1);
    if (rn_shot_variant(f) & RN_GROUND_MATERIAL) {
        const rn_coat coat = {f->look->material, f->look->ground};
        give_material(f, p, &coat, f->radius);
        for (int i = 0; i < RN_MOST_COATS; i++) give_coat(f, p, 1 + i, &f->look->coats[i]);
        gl->VertexAttrib4f(RN_AT_COATED, 1, 0, 0, 0);
    }
    if (f->look->glass) rn_glass_give(f, p);
    gl->VertexAttrib4f(RN_AT_TINT, 1, 1, 1, 1);
}

/* Draws `count` indices of this buffer as triangles of the ground. */
static void draw_ground(const rn_shot *f, GLuint indices, GLsizei count) {
    const rn_gl *gl = &f->r->gl;
    use_ground(f, f->look->texture ? RN_PROGRAM_DRAPED : RN_PROGRAM_GROUND);
    gl->BindVertexArray(f->r->ground.array);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
    draw_triangles(f, &f->r->ground, count);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, f->r->ground.indices);
}

/* Draws the land around the ground, like the ground. */
static void draw_land(const rn_shot *f) {
    if (f->camera->eye.z <= f->r->low.z) return;
    use_ground(f, RN_PROGRAM_GROUND);
    draw_triangles(f, &f->r->around, f->r->around.count);
}

/* ---- The kept picture of ground and floor (still.h) ------------------------------------------------------------- */

/* Copies light and depth from one framebuffer to another of the same size; the scene is bound afterwards. */
static void copy_deep(const rn_shot *f, GLuint from, GLuint into) {
    const rn_targets *t = &f->r->targets;
    f->r->gl.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    f->r->gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, into);
    f->r->gl.BlitFramebuffer(0, 0, t->width, t->height, 0, 0, t->width, t->height,
                             GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    f->r->gl.BindFramebuffer(GL_FRAMEBUFFER, t->scene);
}

/* What the picture of ground and floor depends on in this frame. */
static rn_still_key still_key(const rn_shot *f) {
    rn_still_key key;
    memset(&key, 0, sizeof key);
    key.camera = *f->camera;
    key.ground = f->look->ground;
    key.backdrop = f->look->backdrop;
    key.texture = f->look->texture;
    key.material = (int)f->look->material;
    key.floor = (int)f->look->floor;
    for (int i = 0; i < RN_MOST_COATS; i++) { /* without their padding */
        key.coats[i].material = f->look->coats[i].material;
        key.coats[i].colour = f->look->coats[i].colour;
    }
    key.gloss = f->look->gloss;
    key.cell = f->r->cell;
    key.sea = f->r->sea;
    key.outdoors = f->look->outdoors;
    key.no_shadows = f->look->no_shadows;
    key.no_wetness = f->look->no_wetness;
    return key;
}

/* Marks the patches around the first `count` of the triangles that have changed. */
static void mark_wetted(const rn_shot *f, size_t count) {
    float rect[4];
    rn_extent box = rn_extent_empty;
    memcpy(rect, rn_rect_none, sizeof rect);
    for (size_t i = 0; i < count; i++) rn_extent_include(&box, f->r->positions + 3 * (size_t)f->r->still.changed[i]);
    rn_rect_include_extent(&f->to_clip, &box, (rn_vec3){0, 0, 0}, rect);
    rn_patches_mark(&f->r->changed, rect, rn_shot_margin(f));
}

/* Draws the triangles whose wetness has changed over the kept picture: they are as far away as they were. Leaves
   targets.still bound if there are any. Does nothing if the look has no wetness. */
static void draw_wetted(const rn_shot *f) {
    rn_renderer *r = f->r;
    if (f->look->no_wetness) return;
    const size_t count = rn_still_find_changes(&r->still, r->shades, (size_t)ground_indices(f));
    if (!count) return;
    mark_wetted(f, count);
    r->gl.BindFramebuffer(GL_FRAMEBUFFER, r->targets.still);
    r->gl.BindVertexArray(r->ground.array);
    rn_batch_fill(&r->gl, GL_ELEMENT_ARRAY_BUFFER, r->wetted.indices, count * sizeof(uint32_t), r->still.changed);
    draw_ground(f, r->wetted.indices, (GLsizei)count);
}

/* Draws backdrop, ground and floor, or copies them from the kept picture. The picture is kept from the second frame
   with the same camera and look on, unless GL has no memory for it. A sea moves: it is drawn in each frame. */
static void draw_surroundings(const rn_shot *f) {
    rn_renderer *r = f->r;
    const rn_still_key key = still_key(f);
    const bool rests = !f->look->glass && memcmp(&key, &r->still.key, sizeof key) == 0 && r->still.triangles;
    if (!rests) r->still.kept = r->finished = false;
    r->still.key = key;
    if (r->still.kept) {
        draw_wetted(f);
        copy_deep(f, r->targets.still, r->targets.scene);
        if (has_sea(f)) draw_floor(f);
        return;
    }
    r->gl.Clear(GL_DEPTH_BUFFER_BIT);
    draw_ground(f, r->ground.indices, ground_indices(f));
    if (has_land(f)) draw_land(f);
    else draw_floor(f);
    draw_backdrop(f);
    if (!rests) return;
    const bool made = rn_targets_make_still(&r->gl, &r->targets);
    r->gl.BindFramebuffer(GL_FRAMEBUFFER, r->targets.scene);
    if (!made) return;
    copy_deep(f, r->targets.scene, r->targets.still);
    rn_still_keep(&r->still, r->shades);
}

/* Copies the picture so far into a framebuffer of the same size, so that liquid can show it behind itself; the scene is
   bound afterwards. */
static void copy_scene(const rn_shot *f, GLuint into) {
    const rn_targets *t = &f->r->targets;
    f->r->gl.BindFramebuffer(GL_READ_FRAMEBUFFER, t->scene);
    f->r->gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, into);
    f->r->gl.BlitFramebuffer(0, 0, t->width, t->height, 0, 0, t->width, t->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    f->r->gl.BindFramebuffer(GL_FRAMEBUFFER, t->scene);
}

/* Gives the heights of the liquid to program p, and uploads them if they are new. A grid that is too large for a
   texture has none. */
static void give_levels(const rn_shot *f, GLuint p) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    rn_give_number(gl, p, "low", r->low.z);
    rn_give_four(gl, p, "level_patch", r->level_patch);
    rn_give_texture(gl, p, "levels", RN_UNIT_LEVELS, r->levels);
    GLint most_texels = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most_texels);
    const bool fits = r->level_of && r->levels_x <= most_texels && r->levels_y <= most_texels;
    rn_give_number(gl, p, "touched", fits ? 1 : 0);
    if (!r->levels_new || !fits) return;
    r->levels_new = false;
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RG16F, r->levels_x, r->levels_y, 0, GL_RG, GL_FLOAT, r->level_of);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

/* Draws bodies like painted objects: lit like the ground, but glossier, and wet where they touch liquid. Before that,
   copies the picture without them to targets.bare. Does nothing without bodies. */
static void draw_bodies(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    if (!f->r->bodies.count) return;
    copy_scene(f, f->r->targets.bare);
    const GLuint p = rn_shot_use(f, RN_PROGRAM_BODY);
    give_levels(f, p);
    rn_give_vector(gl, p, "ground", (rn_vec3){1, 1, 1});
    rn_give_number(gl, p, "gloss", 0.55);
    rn_give_number(gl, p, "wetness", 0);
    draw_triangles(f, &f->r->bodies, f->r->bodies.count);
}

/* Uploads the table of layers of the liquid, up to `deepest` (m), if the full depth of the look, or without one
   `deepest`, has changed, or r->table_depth is 0 because the liquid has. */
static void fill_table(rn_renderer *r, const rn_look *look, double deepest) {
    const double asked = look->full_depth > 0 ? look->full_depth : -deepest; /* below 0: the liquid as it is */
    if (r->table_depth == asked) return;
    r->table_depth = asked;
    r->map_liquid = 0; /* its tints depend on the table */
    rn_optics optics;
    rn_optics_prepare(&r->liquid_is, fmax(look->full_depth, 0), deepest, &optics);
    float texels[2][RN_TABLE_STEPS][4];
    for (int i = 0; i < RN_TABLE_STEPS; i++) {
        const rn_layer *layer = &optics.layers[i * (RN_OPTICS_STEPS - 1) / (RN_TABLE_STEPS - 1)];
        memcpy(texels[0][i], layer->self, sizeof layer->self);
        memcpy(texels[1][i], layer->through, sizeof layer->through);
        texels[0][i][3] = layer->inside;
        texels[1][i][3] = 1;
    }
    const rn_gl *gl = &r->gl;
    gl->ActiveTexture(GL_TEXTURE0 + RN_UNIT_TABLE);
    gl->BindTexture(GL_TEXTURE_2D, r->table);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, RN_TABLE_STEPS, 2, 0, GL_RGBA, GL_FLOAT, texels);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

/* Passes the coarse grid of solid (render/occlusion.h) to program p, one of those that draw liquid, already in use: it
   finds how much of what the liquid mirrors is hidden by solid. Without a grid, sets `occlusion` of the program to 0,
   which also turns off its shadows and the dimming of the sky. */
static void give_solid_grid(const rn_shot *f, GLuint p) {
    const rn_gl *gl = &f->r->gl;
    const rn_occlusion *o = &f->r->occlusion;
    const double step = (double)o->step;
    gl->ActiveTexture(GL_TEXTURE0 + RN_UNIT_SOLID);
    gl->BindTexture(GL_TEXTURE_3D, f->r->solid);
    rn_give_whole(gl, p, "solid", RN_UNIT_SOLID);
    rn_give_vector(gl, p, "solid_low", (rn_vec3){(double)o->low[0], (double)o->low[1], (double)o->low[2]});
    rn_give_vector(gl, p, "solid_size", (rn_vec3){step * o->nx[0], step * o->ny[0], step * o->nz[0]});
    rn_give_number(gl, p, "solid_step", step);
    if (!o->solid[0]) rn_give_number(gl, p, "occlusion", 0);
}

/* Draws triangles of the liquid in its natural look, with one of the programs for it: `count` indices of a batch from
   `first` on. behind: the texture with what is seen through the liquid; bare: it shows the scene without liquid and
   without coloured shadows. */
static void draw_liquid_with(const rn_shot *f, int program, const rn_batch *batch, GLuint behind, bool bare,
                             GLsizei first, GLsizei count) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    const rn_liquid *liquid = &r->liquid_is;
    const double n = rn_shot_refraction(f), mirror = (n - 1) / (n + 1);
    if (!count) return;
    const GLuint p = rn_shot_use(f, program);
    rn_give_number(gl, p, "full_depth", f->deepest);
    rn_give_number(gl, p, "thin", r->thin);
    rn_give_number(gl, p, "wetness", r->wetness.wet && !f->look->no_wetness ? 1 : 0);
    rn_give_number(gl, p, "soaks", batch == &r->continued && !f->look->no_wetness ? 1 : 0);
    rn_give_number(gl, p, "beads", r->beads ? 1 : 0);
    rn_give_number(gl, p, "time", f->look->time);
    rn_give_number(gl, p, "ring_moved", fmod(r->ring_pace * f->look->time, 2 * 3.14159265358979323846));
    rn_give_vector(gl, p, "ground", rn_material_colour(f->look->material, f->look->ground));
    give_solid_grid(f, p);
    rn_give_number(gl, p, "refraction", n);
    rn_give_number(gl, p, "focusing", bare && rn_lamplight_focuses(f) ? 1 : 0);
    rn_give_number(gl, p, "bare", bare ? 1 : 0);
    rn_give_number(gl, p, "tinting", rn_lamplight_tints(f) ? 1 : 0);
    rn_give_number(gl, p, "metal", liquid->refraction <= 0);
    rn_give_number(gl, p, "murky", liquid->scattering[0] + liquid->scattering[1] + liquid->scattering[2] > 0);
    rn_give_number(gl, p, "straight", liquid->refraction <= 0 ? 0.78 : mirror * mirror);
    rn_give_texture(gl, p, "ground_seen", RN_UNIT_SEEN, behind);
    rn_give_texture(gl, p, "layers", RN_UNIT_TABLE, r->table);
    if (f->look->glass) rn_glass_give(f, p);
    if (r->bodies.count) rn_give_texture(gl, p, "ground_bare", RN_UNIT_BARE, r->targets.bare_texture);
    gl->BindVertexArray(batch->array);
    gl->DrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, rn_batch_place(sizeof(uint32_t) * (size_t)first));
}

/* The texture with the scene without liquid. Then falling liquid casts its coloured shadows on the scene, but not on
   that texture: lying liquid tints what it shows of it. */
static GLuint scene_below(const rn_shot *f) {
    rn_renderer *r = f->r;
    const bool kept = r->still.kept && !r->bodies.count && !has_sea(f) &&
                      !f->look->glass; /* nothing has been drawn over the kept picture */
    if (!kept) copy_scene(f, r->targets.seen);
    const GLuint bare = kept ? r->targets.still_colour : r->targets.seen_texture;
    rn_patches falls = {0};
    rn_lamplight_mark(f, &falls);
    rn_patches_add(&r->changed, &falls);
    rn_lamplight_cast(f, bare, &falls);
    return bare;
}

/* Draws the liquid in its natural look: first level triangles, over a copy of the scene, then steep ones and falling
   sheets, over a copy with the former. */
static void draw_liquid(const rn_shot *f) {
    rn_renderer *r = f->r;
    const int program = f->look->no_cap   ? RN_PROGRAM_UNCAPPED
                        : r->bodies.count ? RN_PROGRAM_AMONG_BODIES
                                          : RN_PROGRAM_LIQUID;
    const GLsizei steep = r->lying + r->falling;
    const GLuint seen = r->targets.seen_texture;
    const GLuint below = scene_below(f);
    draw_liquid_with(f, program, &r->liquid, below, true, 0, r->lying);
    if (has_land(f)) draw_liquid_with(f, program, &r->continued, below, true, 0, r->continued.count);
    if (r->lying == r->liquid.count) return;
    copy_scene(f, r->targets.seen);
    draw_liquid_with(f, program, &r->liquid, seen, false, steep, r->liquid.count - steep);
    draw_liquid_with(f, RN_PROGRAM_FALLS, &r->liquid, seen, false, r->lying, r->falling);
}

/* Draws the liquid in the false colours of the look's overlay, scaled to the largest depth and speed present. */
static void draw_overlay(const rn_shot *f) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    const GLuint p = rn_shot_use(f, RN_PROGRAM_OVERLAY);
    rn_give_whole(gl, p, "overlay", (int)f->look->overlay);
    rn_give_two(gl, p, "scales", 1 / (double)r->most_depth, 1 / (double)r->most_speed);
    for (int i = 0; i < RAMP; i++) {
        char name[] = "ramp_colours[0]";
        name[sizeof name - 3] = (char)('0' + i);
        rn_give_vector(gl, p, name, (rn_vec3){(double)ramp[i][0], (double)ramp[i][1], (double)ramp[i][2]});
    }
    give_solid_grid(f, p);
    draw_triangles(f, &r->liquid, r->liquid.count);
}

/* Draws links, slightly in front of their triangles, or flooded columns, which show through everything; nothing with
   other overlays. Leaves depth test and culling off after the latter. */
static void draw_lines_and_squares(const rn_shot *f) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    if (f->look->overlay != RN_OVERLAY_LINKS && f->look->overlay != RN_OVERLAY_FLOODED) return;
    const GLuint p = rn_programs_use(gl, &r->programs, rn_shot_variant(f), RN_PROGRAM_PLAIN);
    rn_matrix nearer = f->to_clip;
    for (int column = 0; column < 4; column++) nearer.m[4 * column + 2] -= 2e-4f * nearer.m[4 * column + 3];
    rn_give_matrix(gl, p, "to_clip", &nearer);
    if (f->look->overlay == RN_OVERLAY_LINKS && r->links.count) {
        gl->BindVertexArray(r->links.array);
        gl->DrawArrays(GL_LINES, 0, r->links.count);
    }
    if (f->look->overlay == RN_OVERLAY_FLOODED && r->flooded.count) {
        gl->Disable(GL_DEPTH_TEST);
        gl->Disable(GL_CULL_FACE);
        gl->Enable(GL_BLEND);
        gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        gl->BindVertexArray(r->flooded.array);
        gl->DrawArrays(GL_TRIANGLES, 0, r->flooded.count);
        gl->Disable(GL_BLEND);
    }
}

/* The patches of the picture that must be finished: where this one or the one before differs from the kept ground and
   floor. All patches, unless both are of the same kept ground and floor with nothing but liquid in natural colours. */
static rn_patches patches_to_finish(const rn_shot *f) {
    rn_renderer *r = f->r;
    rn_patches patches = r->changed_was;
    float rect[4];
    memcpy(rect, rn_rect_none, sizeof rect);
    rn_rect_include_extent(&f->to_clip, &r->lies, (rn_vec3){0, 0, 0}, rect);
    rn_patches_mark(&r->changed, rect, rn_shot_margin(f));
    rn_patches_add(&patches, &r->changed);
    const bool around = has_sea(f) || (has_land(f) && r->continued.count > 0); /* liquid outside the domain */
    const bool plain = r->still.kept && !r->hosted && !r->bodies.count && !around && !f->look->glass &&
                       f->look->overlay == RN_OVERLAY_NONE;
    const bool partly = plain && r->finished && r->exposure_was == f->look->exposure;
    r->finished = plain;
    r->exposure_was = f->look->exposure;
    r->changed_was = r->changed;
    if (!partly) memset(&patches, true, sizeof patches);
    return patches;
}

/* Averages the samples of targets.scene, applies the exposure (stops) and converts linear light to the sRGB bytes of a
   picture, into a framebuffer of the picture's size, which stays bound. Leaves depth test and culling off. */
static void convert_to_bytes(const rn_shot *f, GLuint into) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, into);
    gl->Viewport(0, 0, r->width, r->height);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
    const GLuint p = rn_programs_use(gl, &r->programs, rn_shot_variant(f), RN_PROGRAM_FINISH);
    rn_give_texture(gl, p, "picture", RN_UNIT_SEEN, r->targets.scene_colour);
    rn_give_number(gl, p, "exposure", exp2(f->look->exposure));
    const rn_patches now = patches_to_finish(f);
    rn_shot_patches(f, p, &now);
}

/* Copies the picture from the bound framebuffer to `pixels`, three bytes each, top line first. All lines are read at
   once: each read waits for GL. */
static void read_back(rn_renderer *r, uint8_t *pixels) {
    r->gl.ReadPixels(0, 0, r->width, r->height, GL_RGBA, GL_UNSIGNED_BYTE, r->read);
    for (int y = 0; y < r->height; y++) {
        uint8_t *to = pixels + (size_t)(r->height - 1 - y) * (size_t)r->width * 3;
        const uint8_t *from = r->read + (size_t)y * (size_t)r->width * 4;
        for (int x = 0; x < r->width; x++) memcpy(to + 3 * x, from + 4 * x, 3);
    }
}

/* Adds the scale of colours to a picture, if the overlay shows depth or speed. */
static void add_colour_scale(const rn_shot *f, uint8_t *pixels) {
    const rn_renderer *r = f->r;
    const rn_picture picture = {pixels, r->width, r->height};
    if (f->look->overlay == RN_OVERLAY_DEPTH) rn_label_ramp(&picture, ramp, RAMP, (double)r->most_depth, false);
    if (f->look->overlay == RN_OVERLAY_SPEED) rn_label_ramp(&picture, ramp, RAMP, (double)r->most_speed, true);
}

/* Whether a look shows the liquid as it is, not in false colours. */
static bool is_natural(const rn_look *look) {
    return look->overlay == RN_OVERLAY_NONE || look->overlay == RN_OVERLAY_FLOODED;
}

/* Draws the whole scene in linear light, into targets.scene; sets all GL state that it needs, so that a host may have
   left any. */
static void draw_scene(const rn_shot *f) {
    rn_renderer *r = f->r;
    const rn_gl *gl = &r->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->DepthMask(GL_TRUE);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_BACK);
    if (!f->look->no_shadows) draw_shadows(f);
    const bool natural = is_natural(f->look);
    if (natural) rn_lamplight_draw(f);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->targets.scene);
    gl->Viewport(0, 0, r->targets.width, r->targets.height);
    draw_surroundings(f);
    draw_bodies(f);
    if (f->look->glass) {
        copy_scene(f, r->targets.seen);
        rn_glass_draw_contents(f);
    }
    if (!r->closed) gl->Disable(GL_CULL_FACE); /* sheets are visible from both sides */
    if (natural) draw_liquid(f);
    else draw_overlay(f);
    if (f->look->glass) {
        copy_scene(f, r->targets.seen);
        rn_glass_draw_surfaces(f);
    }
    draw_lines_and_squares(f);
}

/* Adds the time (s) since the last look to r->elapsed, in which wet ground dries, unless the clock was set back, and
   stores `time` in r->time. Sets r->timed once a look has another time than the one before. */
static void count_time(rn_renderer *r, double time) {
    r->timed |= time != r->time;
    r->elapsed += fmax(time - r->time, 0);
    r->time = time;
}

/* Returns a frame of a renderer, seen by a camera. look NULL: the natural one. */
static rn_shot begin_frame(rn_renderer *r, const rn_camera *camera, const rn_look *look) {
    static const rn_look natural = {0};
    rn_shot f = {.r = r, .camera = camera, .look = look ? look : &natural, .axes = rn_camera_frame(camera)};
    f.middle = rn_times(rn_sum(r->low, r->high), 0.5);
    f.radius = fmax(0.5 * rn_length(rn_difference(r->high, r->low)), 1e-6);
    const double distance = rn_length(rn_difference(f.middle, camera->eye));
    const double ahead = fmin(distance, rn_length(rn_difference(camera->target, camera->eye)));
    f.to_clip = rn_camera_matrix(camera, (double)r->width / r->height, fmax(0.05 * ahead, 1e-4 * f.radius),
                                 distance + 50 * f.radius);
    f.light = lights_of(&f);
    f.deepest = f.look->full_depth > 0 ? f.look->full_depth : rn_liquid_full_depth(&r->liquid_is);
    if (!isfinite(f.deepest)) f.deepest = 1;
    fill_table(r, f.look, f.deepest);
    r->programs.result = RN_OK;
    return f;
}

/* Returns the result of a picture that was drawn, with a message unless it is RN_OK. */
static rn_result end_frame(const rn_renderer *r) {
    const GLenum error = r->gl.GetError();
    if (r->programs.result != RN_OK) return r->programs.result;
    if (error == GL_OUT_OF_MEMORY) return rn_fail(RN_MEMORY, "OpenGL has not enough memory for this picture");
    if (error != GL_NO_ERROR) return rn_fail(RN_DRIVER, "OpenGL failed to draw (error 0x%04x)", error);
    return RN_OK;
}

rn_result rn_renderer_draw(rn_renderer *renderer, const rn_camera *camera, const rn_look *look, uint8_t *pixels) {
    rn_renderer *r = renderer;
    if (!rn_context_use(r->context)) return rn_fail(RN_DRIVER, "the OpenGL context was lost: make another renderer");
    GLint bound = 0;
    r->gl.GetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    const rn_result draped = look ? rn_drape_update(r, look->texture) : RN_OK;
    if (draped != RN_OK) return draped;
    rn_look shown = look ? *look : (rn_look){0};
    if (!is_natural(&shown)) shown.glass = false; /* false colours are those of the surface alone */
    const rn_shot f = begin_frame(r, camera, &shown);
    if (f.look->glass && rn_glass_prepare(&f) != RN_OK) return RN_MEMORY;
    count_time(r, f.look->time);
    rn_programs_begin(&r->gl, &r->programs, rn_shot_variant(&f));
    r->changed = (rn_patches){0};
    draw_scene(&f);
    convert_to_bytes(&f, r->hosted ? (GLuint)bound : r->targets.picture);
    if (pixels) {
        read_back(r, pixels);
        add_colour_scale(&f, pixels);
    }
    return end_frame(r);
}

/* ---- The draft (render/draft.h) ---------------------------------------------------------------------------------- */

/* Clears the bound framebuffer to the backdrop, and sets the state that a draft needs. */
static void clear_draft(const rn_shot *f) {
    const rn_gl *gl = &f->r->gl;
    const rn_vec3 paper = f->light.paper_lit;
    gl->Viewport(0, 0, f->r->width, f->r->height);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->DepthMask(GL_TRUE);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->ClearColor((float)sqrt(fmin(paper.x, 1)), (float)sqrt(fmin(paper.y, 1)), (float)sqrt(fmin(paper.z, 1)), 1);
    gl->Clear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
}

rn_result rn_renderer_draw_draft(rn_renderer *renderer, const rn_camera *camera, const rn_look *look) {
    rn_renderer *r = renderer;
    const rn_gl *gl = &r->gl;
    if (!rn_context_use(r->context)) return rn_fail(RN_DRIVER, "the OpenGL context was lost: make another renderer");
    const rn_shot f = begin_frame(r, camera, look);
    clear_draft(&f);
    r->finished = false;
    const GLuint p = rn_shot_use(&f, RN_PROGRAM_DRAFT);
    rn_give_vector(gl, p, "ground", rn_material_colour(f.look->material, f.look->ground));
    rn_give_texture(gl, p, "layers", RN_UNIT_TABLE, r->table);
    rn_give_number(gl, p, "exposure", exp2(f.look->exposure));
    gl->VertexAttrib4f(RN_AT_TINT, 1, 1, 1, 1);
    rn_give_number(gl, p, "liquid", 0);
    rn_give_number(gl, p, "solid_top", rn_glass_height(&f));
    draw_triangles(&f, &r->ground, ground_indices(&f));
    rn_give_number(gl, p, "solid_top", 1e30);
    rn_give_number(gl, p, "liquid", 1);
    draw_triangles(&f, &r->liquid, r->liquid.count);
    rn_give_number(gl, p, "liquid", 0);
    rn_give_vector(gl, p, "ground", (rn_vec3){1, 1, 1});
    draw_triangles(&f, &r->bodies, r->bodies.count);
    return end_frame(r);
}
