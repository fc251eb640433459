/* Uses programs for a picture with everything that they share (shot.h). */
#include "render/gl/shot.h"

#include "render/materials.h"

#include <math.h>

double rn_shot_refraction(const rn_shot *f) {
    const double n = f->r->liquid_is.refraction;
    return n > 1 ? n : 1.33;
}

/* Turns a matrix that leads to clip space (-1 to 1) into one that leads to positions and depths in a map (0 to 1). */
static rn_matrix to_map_range(rn_matrix m) {
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 3; row++)
            m.m[4 * column + row] = 0.5f * m.m[4 * column + row] + 0.5f * m.m[4 * column + 3];
    return m;
}

/* The distance (m) from the eye to the near half of the ground, where the air is still clear. */
static double clear_distance(const rn_shot *f) {
    return rn_length(rn_difference(f->camera->eye, f->middle)) - 0.5 * f->radius;
}

/* Whether any part of the ground has a material or a colour of its own. */
static bool is_coated(const rn_look *look) {
    bool any = look->material != RN_MATERIAL_PLAIN;
    for (int i = 0; i < RN_MOST_COATS; i++) {
        const rn_coat *coat = &look->coats[i];
        any |= coat->material != RN_MATERIAL_PLAIN || coat->colour.x + coat->colour.y + coat->colour.z > 0;
    }
    return any;
}

/* RN_SOIL and RN_GREEN, if ground of this look has them. */
static unsigned soil_variant(const rn_look *look) {
    if (!look->outdoors || look->material != RN_MATERIAL_PLAIN) return 0;
    const rn_vec3 ground = rn_material_colour(look->material, look->ground);
    return RN_SOIL | (ground.x < 0.97 * ground.y ? RN_GREEN : 0u);
}

unsigned rn_shot_variant(const rn_shot *f) {
    const rn_liquid *liquid = &f->r->liquid_is;
    const bool murky = liquid->scattering[0] + liquid->scattering[1] + liquid->scattering[2] > 0;
    return (f->look->outdoors ? RN_OUTDOORS : 0u) | (murky ? RN_MURKY : 0u) | (f->look->glass ? RN_GLASS : 0u) |
           (f->r->closed ? RN_CLOSED : 0u) | soil_variant(f->look) | (is_coated(f->look) ? RN_GROUND_MATERIAL : 0u) |
           (f->look->floor && !f->look->outdoors ? RN_FLOOR_MATERIAL : 0u);
}

/* Gives the middle and the edges of the picture to program p: the function point_seen of the shaders uses them. */
static void give_rays(const rn_shot *f, GLuint p) {
    const rn_gl *gl = &f->r->gl;
    const double aspect = (double)f->r->width / f->r->height, span = f->camera->span > 0 ? f->camera->span : 1;
    const double half = f->camera->angle > 0 ? tan(f->camera->angle * 0.5 * 3.14159265358979323846 / 180) : 0.5 * span;
    rn_give_vector(gl, p, "ahead", f->axes.forward);
    rn_give_vector(gl, p, "across", rn_times(f->axes.right, half * aspect));
    rn_give_vector(gl, p, "upwards", rn_times(f->axes.up, half));
}

float rn_shot_margin(const rn_shot *f) {
    return 4.0f / (float)(f->r->width < f->r->height ? f->r->width : f->r->height);
}

GLuint rn_shot_use(const rn_shot *f, int which) {
    const rn_gl *gl = &f->r->gl;
    const GLuint p = rn_programs_use(gl, &f->r->programs, rn_shot_variant(f), which);
    const rn_lights *l = &f->light;
    const rn_matrix to_shadow = to_map_range(l->shadow);
    rn_give_matrix(gl, p, "to_clip", &f->to_clip);
    rn_give_vector(gl, p, "eye", f->camera->eye);
    rn_give_vector(gl, p, "view_along", f->camera->angle > 0 ? (rn_vec3){0, 0, 0} : f->axes.forward);
    rn_give_vector(gl, p, "right", l->right);
    rn_give_vector(gl, p, "away", l->away);
    rn_give_vector(gl, p, "key", l->key);
    rn_give_vector(gl, p, "key_light", l->key_light);
    rn_give_vector(gl, p, "sky_above", l->sky_above);
    rn_give_vector(gl, p, "sky_beside", l->sky_beside);
    rn_give_vector(gl, p, "sky_below", l->sky_below);
    rn_give_number(gl, p, "clear_air", (l->land ? 18 : 14) * f->radius);
    rn_give_number(gl, p, "clear_near", clear_distance(f));
    rn_give_vector(gl, p, "paper", l->paper);
    rn_give_vector(gl, p, "paper_lit", l->paper_lit);
    rn_give_number(gl, p, "land", l->land ? 1 : 0);
    rn_give_number(gl, p, "occlusion", f->look->no_shadows ? 0 : 1);
    rn_give_matrix(gl, p, "to_shadow", &to_shadow);
    rn_give_number(gl, p, "shadow_texel", 1.0 / RN_SHADOW_SIDE);
    rn_give_number(gl, p, "shadow_lift", 3 * f->radius / RN_SHADOW_SIDE);
    rn_give_texture(gl, p, "shadow_map", RN_UNIT_SHADOW, f->r->targets.shadow_texture);
    rn_give_texture(gl, p, "lamp_map", RN_UNIT_LAMP, f->r->targets.lamp_texture);
    give_rays(f, p);
    rn_give_texture(gl, p, "ripples", RN_UNIT_RIPPLES, f->r->ripples);
    rn_give_number(gl, p, "cell", f->r->cell > 0 ? f->r->cell : f->radius / 100);
    return p;
}

void rn_shot_square(const rn_shot *f) {
    f->r->gl.BindVertexArray(f->r->square.array);
    f->r->gl.DrawArrays(GL_TRIANGLE_STRIP, 0, f->r->square.count);
}

void rn_shot_patches(const rn_shot *f, GLuint p, const rn_patches *patches) {
    float rect[4];
    for (int at = 0; rn_patches_next(patches, &at, rect);) {
        rn_give_four(&f->r->gl, p, "rectangle", rect);
        rn_shot_square(f);
    }
}
