/* Creates, resizes and destroys a renderer, and uploads the ground. liquid.c uploads liquid, bodies.c bodies, draw.c
   draws. */
#include "render/gl/renderer.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/gl/land.h"
#include "render/mottle.h"
#include "render/ripples.h"
#include "surface/creases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

rn_renderer_def rn_renderer_default(void) { return (rn_renderer_def){.width = 1280, .height = 720, .samples = 1}; }

const char *rn_renderer_device(const rn_renderer *renderer) { return renderer->device; }

/* Uploads the square from -1 to 1, for programs that fill a picture or place it, as a strip of two triangles. */
static void make_square(rn_renderer *r) {
    static const float corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    r->gl.BindVertexArray(r->square.array);
    rn_batch_fill(&r->gl, GL_ARRAY_BUFFER, r->square.vertices, sizeof corners, corners);
    rn_batch_attribute(&r->gl, RN_AT_POSITION, 2, GL_FLOAT, 2 * sizeof(float), 0);
    r->square.count = 4;
}

/* Creates and uploads the texture of random detail, r->ripples. Returns RN_MEMORY, with a message,
   if memory runs out. */
static rn_result make_ripples(rn_renderer *r) {
    const rn_gl *gl = &r->gl;
    uint8_t(*texels)[4] = rn_alloc(NULL, RN_RIPPLES_SIDE * RN_RIPPLES_SIDE, sizeof *texels);
    if (!texels) return RN_MEMORY;
    rn_ripples_make(texels);
    gl->GenTextures(1, &r->ripples);
    gl->BindTexture(GL_TEXTURE_2D, r->ripples);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, RN_RIPPLES_SIDE, RN_RIPPLES_SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    rn_free(NULL, texels);
    return RN_OK;
}

/* Writes the addresses of all batches of a renderer to `all`, and returns it. */
static rn_batch *const *batches_of(rn_renderer *r, rn_batch *all[RN_BATCHES]) {
    rn_batch *const list[RN_BATCHES] = {&r->square, &r->ground, &r->liquid, &r->links,    &r->flooded,
                                        &r->bodies, &r->wetted, &r->around, &r->continued};
    memcpy(all, list, sizeof list);
    return all;
}

/* Makes everything that a renderer needs of OpenGL, and the room for reading back; the framebuffer that a host has
   bound stays bound. On failure returns a code, with a message; rn_renderer_destroy frees what was made. */
static rn_result make_gl_objects(rn_renderer *r, const rn_renderer_def *def, int samples) {
    const rn_gl *gl = &r->gl;
    snprintf(r->device, sizeof r->device, "%.70s, %.80s", (const char *)gl->GetString(GL_RENDERER),
             (const char *)gl->GetString(GL_VERSION));
    GLint bound = 0; /* bound by a host, which continues to draw there */
    r->programs.samples = samples;
    gl->GetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    const rn_result result = rn_targets_make(gl, r->width, r->height, samples, def->hosted, &r->targets);
    gl->BindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    if (result != RN_OK) return result;
    rn_batch *all[RN_BATCHES];
    for (int i = 0; i < RN_BATCHES; i++) rn_batch_make(gl, batches_of(r, all)[i]);
    gl->GenTextures(1, &r->floor_open);
    gl->GenTextures(1, &r->table);
    gl->GenTextures(1, &r->solid);
    gl->GenTextures(1, &r->levels);
    gl->GenTextures(1, &r->drape);
    gl->GenTextures(1, &r->contents_texture);
    gl->GenTextures(1, &r->walls_texture);
    r->contents_new = r->walls_new = true;
    make_square(r);
    r->read = rn_alloc(NULL, (size_t)r->width * (size_t)r->height, 4);
    return r->read ? make_ripples(r) : RN_MEMORY;
}

/* Returns RN_INVALID, with a message, unless both sides (pixels) are from 1 to 16384. */
static rn_result check_size(int width, int height) {
    if (width >= 1 && height >= 1 && width <= 16384 && height <= 16384) return RN_OK;
    return rn_fail(RN_INVALID, "a picture of %d by %d pixels was requested; each side must be from 1 to 16384", width,
                   height);
}

rn_result rn_renderer_create(const rn_renderer_def *def, rn_renderer **renderer) {
    const int width = def->width ? def->width : 1280, height = def->height ? def->height : 720;
    const int samples = def->samples ? def->samples : 1;
    *renderer = NULL;
    if (check_size(width, height) != RN_OK) return RN_INVALID;
    if (samples < 1 || samples > 8)
        return rn_fail(RN_INVALID, "samples is %d; it must be from 1 to 8 (along a pixel's side)", samples);
    rn_renderer *r = rn_alloc(NULL, 1, sizeof *r);
    if (!r) return RN_MEMORY;
    r->width = width;
    r->height = height;
    r->hosted = def->hosted;
    rn_result result = rn_context_open(def->es, def->hosted, &r->context, &r->gl);
    if (result == RN_OK) result = make_gl_objects(r, def, samples);
    if (result != RN_OK) {
        rn_renderer_destroy(r);
        return result;
    }
    *renderer = r;
    return RN_OK;
}

rn_result rn_renderer_resize(rn_renderer *renderer, int width, int height) {
    rn_renderer *r = renderer;
    rn_result result = check_size(width, height);
    if (result == RN_OK) result = rn_renderer_use(r);
    if (result != RN_OK || (width == r->width && height == r->height)) return result;
    const int samples = r->targets.scale;
    const bool bare = r->targets.bare != 0;
    GLint bound = 0;
    r->gl.GetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    rn_targets_free(&r->gl, &r->targets);
    r->targets = (rn_targets){0};
    r->width = width, r->height = height;
    r->lamp_was = (rn_matrix){0}; /* the shadows went with the targets */
    rn_still_forget(&r->still);
    r->map_liquid = 0;
    result = rn_targets_make(&r->gl, width, height, samples, r->hosted, &r->targets);
    r->gl.BindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    if (result == RN_OK && bare) result = rn_targets_make_bare(&r->gl, &r->targets);
    rn_free(NULL, r->read);
    r->read = rn_alloc(NULL, (size_t)width * (size_t)height, 4);
    return result == RN_OK && !r->read ? RN_MEMORY : result;
}

void rn_renderer_destroy(rn_renderer *renderer) {
    rn_renderer *r = renderer;
    if (!r) return;
    if (r->context && rn_context_use(r->context)) {
        rn_batch *all[RN_BATCHES];
        for (int i = 0; i < RN_BATCHES; i++) rn_batch_free(&r->gl, batches_of(r, all)[i]);
        const GLuint textures[] = {r->floor_open,       r->table,        r->solid, r->ripples, r->levels, r->drape,
                                   r->contents_texture, r->walls_texture};
        r->gl.DeleteTextures(sizeof textures / sizeof *textures, textures);
        rn_targets_free(&r->gl, &r->targets);
        rn_programs_free(&r->gl, &r->programs);
    }
    rn_context_close(r->context);
    rn_occlusion_free(&r->occlusion);
    rn_wetness_free(&r->wetness);
    rn_foam_free(&r->foam);
    rn_land_free(&r->land);
    rn_still_free(&r->still);
    rn_free(NULL, r->falls);
    rn_boxes_free(&r->contents);
    rn_boxes_free(&r->walls);
    rn_free(NULL, r->positions);
    rn_free(NULL, r->shades);
    rn_free(NULL, r->level_of);
    rn_free(NULL, r->spans);
    rn_free(NULL, r->read);
    rn_free(NULL, r);
}

rn_result rn_renderer_use(rn_renderer *renderer) {
    if (rn_context_use(renderer->context)) return RN_OK;
    return rn_fail(RN_DRIVER, "the OpenGL context was lost: make another renderer");
}

uint64_t rn_renderer_hash(const void *data, size_t bytes) {
    const uint8_t *from = data;
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, from + i, sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash | 1;
}

/* ---- The ground ------------------------------------------------------------------------------------------------- */

/* Sets the box (m) around the ground from r->positions: r->low and r->high; all 0 without vertices. */
static void measure_ground(rn_renderer *r) {
    float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (size_t v = 0; v < r->vertex_count; v++)
        for (int i = 0; i < 3; i++) {
            const float p = r->positions[3 * v + (size_t)i];
            if (v == 0 || p < low[i]) low[i] = p;
            if (v == 0 || p > high[i]) high[i] = p;
        }
    r->low = (rn_vec3){(double)low[0], (double)low[1], (double)low[2]};
    r->high = (rn_vec3){(double)high[0], (double)high[1], (double)high[2]};
}

/* Creates and uploads a map of how open the sky is over the floor on which the ground stands, a square 3.2 times as
   wide as the ground; r->floor_patch is its corner (m) and 1/size. Needs r->occlusion and the ground's box. */
static void shade_floor(rn_renderer *r) {
    uint8_t map[RN_FLOOR_SIDE][RN_FLOOR_SIDE];
    const double wide = fmax(r->high.x - r->low.x, r->high.y - r->low.y), size = fmax(3.2 * wide, 1e-6);
    const double left = 0.5 * (r->low.x + r->high.x) - 0.5 * size, below = 0.5 * (r->low.y + r->high.y) - 0.5 * size;
    const float up[3] = {0, 0, 1};
    for (int y = 0; y < RN_FLOOR_SIDE; y++)
        for (int x = 0; x < RN_FLOOR_SIDE; x++) {
            const float at[3] = {(float)(left + (x + 0.5) * size / RN_FLOOR_SIDE),
                                 (float)(below + (y + 0.5) * size / RN_FLOOR_SIDE), (float)r->low.z};
            map[y][x] = rn_byte_of(rn_occlusion_open(&r->occlusion, at, up));
        }
    const rn_gl *gl = &r->gl;
    gl->BindTexture(GL_TEXTURE_2D, r->floor_open);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_R8, RN_FLOOR_SIDE, RN_FLOOR_SIDE, 0, GL_RED, GL_UNSIGNED_BYTE, map);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    const float patch[4] = {(float)left, (float)below, (float)(1 / size), (float)(1 / size)};
    memcpy(r->floor_patch, patch, sizeof patch);
}

void rn_renderer_upload_shades(rn_renderer *r) {
    for (size_t v = 0; v < r->vertex_count; v++) {
        const float facing_up = (float)r->shades[v][2] / 255;
        r->shades[v][1] = rn_byte_of(facing_up * rn_wetness_of(&r->wetness, v));
    }
    rn_batch_fill(&r->gl, GL_ARRAY_BUFFER, r->ground.extras, r->vertex_count * sizeof *r->shades, r->shades);
}

rn_result rn_renderer_upload_triangles(rn_renderer *r, const rn_mesh *mesh, rn_batch *batch,
                                       bool (*ask)(const rn_renderer *, const rn_mesh *, const uint32_t *),
                                       GLsizei *others) {
    const size_t count = mesh->triangle_count;
    uint32_t *sorted = rn_alloc(NULL, 3 * count, sizeof *sorted);
    size_t first = 0, last = count;
    if (!sorted) return RN_MEMORY;
    for (size_t t = 0; t < count; t++) {
        const uint32_t *from = mesh->indices + 3 * t;
        memcpy(sorted + 3 * (ask(r, mesh, from) ? --last : first++), from, 3 * sizeof *sorted);
    }
    rn_batch_fill(&r->gl, GL_ELEMENT_ARRAY_BUFFER, batch->indices, 12 * count, sorted);
    const rn_result kept =
        batch == &r->ground ? rn_still_set_ground(&r->still, sorted, 3 * count, r->vertex_count) : RN_OK;
    rn_free(NULL, sorted);
    if (kept != RN_OK) return kept;
    batch->count = (GLsizei)(3 * count);
    *others = (GLsizei)(3 * first);
    return RN_OK;
}

/* Whether all corners of a triangle lie at the bottom of the ground, where only a camera below the floor sees it. */
static bool is_underside(const rn_renderer *r, const rn_mesh *ground, const uint32_t *corners) {
    const double floor_height = r->low.z + 1e-4 * (r->high.z - r->low.z);
    for (int i = 0; i < 3; i++)
        if ((double)ground->positions[3 * (size_t)corners[i] + 2] > floor_height) return false;
    return true;
}

/* Uploads how much of each coat the vertices of the ground have, at this byte of the buffer that is bound: the plain
   ground's, then those of rn_look.coats. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result upload_coats(rn_renderer *r, const rn_mesh *ground, size_t from) {
    if (!ground->ids) {
        r->gl.DisableVertexAttribArray(RN_AT_COATED);
        return RN_OK;
    }
    uint8_t(*shares)[4] = rn_alloc(NULL, r->vertex_count, sizeof *shares);
    if (!shares) return RN_MEMORY;
    for (size_t v = 0; v < r->vertex_count; v++) shares[v][ground->ids[v] <= RN_MOST_COATS ? ground->ids[v] : 0] = 255;
    r->gl.BufferSubData(GL_ARRAY_BUFFER, (GLintptr)from, (GLsizeiptr)(4 * r->vertex_count), shares);
    rn_batch_attribute(&r->gl, RN_AT_COATED, 4, GL_UNSIGNED_BYTE, 4, from);
    rn_free(NULL, shares);
    return RN_OK;
}

/* Uploads the ground: positions, normals, colours (white without any) and coats one after the other in one buffer,
   shades in another, and triangles, those of its underside last. Sets r->above. r->vertex_count, r->shades and the
   ground's box must be set. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result upload_ground(rn_renderer *r, const rn_mesh *ground) {
    const rn_gl *gl = &r->gl;
    const size_t bytes = 3 * sizeof(float) * r->vertex_count;
    gl->BindVertexArray(r->ground.array);
    rn_renderer_upload_shades(r);
    rn_batch_attribute(gl, RN_AT_SHADE, 4, GL_UNSIGNED_BYTE, sizeof *r->shades, 0);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, r->ground.vertices, 3 * bytes + 4 * r->vertex_count, NULL);
    gl->BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, ground->positions);
    rn_batch_attribute(gl, RN_AT_POSITION, 3, GL_FLOAT, 0, 0);
    gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)bytes, (GLsizeiptr)bytes, ground->normals);
    rn_batch_attribute(gl, RN_AT_NORMAL, 3, GL_FLOAT, 0, bytes);
    if (ground->colours) {
        gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)(2 * bytes), (GLsizeiptr)bytes, ground->colours);
        rn_batch_attribute(gl, RN_AT_TINT, 3, GL_FLOAT, 0, 2 * bytes);
    } else {
        gl->DisableVertexAttribArray(RN_AT_TINT);
    }
    if (upload_coats(r, ground, 3 * bytes) != RN_OK) return RN_MEMORY;
    return rn_renderer_upload_triangles(r, ground, &r->ground, is_underside, &r->above);
}

/* Uploads the solid shares of r->occlusion, all levels, as the mipmaps of a 3D texture, r->solid; does nothing without
   ground. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result upload_solid(rn_renderer *r) {
    const rn_gl *gl = &r->gl;
    const rn_occlusion *o = &r->occlusion;
    if (!o->solid[0]) return RN_OK;
    uint8_t *bytes = rn_alloc(NULL, (size_t)o->nx[0] * (size_t)o->ny[0] * (size_t)o->nz[0], 1);
    if (!bytes) return RN_MEMORY;
    gl->BindTexture(GL_TEXTURE_3D, r->solid);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (int level = 0; level < RN_OCCLUSION_LEVELS; level++) {
        const size_t count = (size_t)o->nx[level] * (size_t)o->ny[level] * (size_t)o->nz[level];
        for (size_t i = 0; i < count; i++) bytes[i] = rn_byte_of(o->solid[level][i]);
        gl->TexImage3D(GL_TEXTURE_3D, level, GL_R8, o->nx[level], o->ny[level], o->nz[level], 0, GL_RED,
                       GL_UNSIGNED_BYTE, bytes);
    }
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAX_LEVEL, RN_OCCLUSION_LEVELS - 1);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    rn_free(NULL, bytes);
    return RN_OK;
}

/* Copies the positions of the ground, finds its box, occlusion and shades, and uploads everything. r->positions and
   r->shades must be NULL. Returns RN_MEMORY, with a message, if memory runs out; then the ground may be incomplete. */
static rn_result take_ground(rn_renderer *r, const rn_mesh *ground) {
    r->positions = rn_alloc(NULL, ground->vertex_count, 3 * sizeof *r->positions);
    r->shades = rn_alloc(NULL, ground->vertex_count, sizeof *r->shades);
    if (!r->positions || !r->shades) return RN_MEMORY;
    r->vertex_count = ground->vertex_count;
    memcpy(r->positions, ground->positions, r->vertex_count * 3 * sizeof *r->positions);
    measure_ground(r);
    if (rn_occlusion_make(ground, &r->occlusion) != RN_OK) return RN_MEMORY;
    const float mottle_scale = (float)(22 / fmax(rn_length(rn_difference(r->high, r->low)), 1e-6));
    for (size_t v = 0; v < r->vertex_count; v++) {
        const float *p = ground->positions + 3 * v, *n = ground->normals + 3 * v;
        r->shades[v][0] = rn_byte_of(rn_occlusion_open(&r->occlusion, p, n));
        r->shades[v][2] = rn_byte_of(4 * n[2]); /* only ground that faces up stays wet */
        r->shades[v][3] = rn_byte_of(rn_mottle(p, mottle_scale));
    }
    if (upload_ground(r, ground) != RN_OK) return RN_MEMORY;
    if (rn_land_upload(&r->gl, ground, r->low, r->high, &r->occlusion, &r->land, &r->around) != RN_OK) return RN_MEMORY;
    shade_floor(r);
    return upload_solid(r);
}

rn_result rn_renderer_set_ground(rn_renderer *renderer, const rn_mesh *ground) {
    rn_renderer *r = renderer;
    rn_mesh parted;
    if (!ground->normals) return rn_fail(RN_INVALID, "the ground to be drawn has no normals");
    if (rn_renderer_use(r) != RN_OK) return RN_DRIVER;
    rn_free(NULL, r->positions);
    rn_free(NULL, r->shades);
    r->positions = NULL;
    r->shades = NULL;
    rn_still_free(&r->still);
    rn_wetness_forget_ground(&r->wetness);
    rn_foam_free(&r->foam);
    r->vertex_count = 0;
    r->ground.count = r->around.count = r->continued.count = r->above = 0;
    r->lamp_was = r->map_lamp = (rn_matrix){0};
    r->contents_new = r->walls_new = true;
    r->drape_is = (rn_texture){0};
    r->sea = INFINITY;
    if (rn_creases_part(ground, NULL, &parted) != RN_OK) return RN_MEMORY;
    const rn_result result = take_ground(r, &parted);
    rn_creases_free(&parted, NULL);
    return result;
}
