/* Creates, resizes and destroys a renderer, and uploads ground and liquid. bodies.c uploads bodies, draw.c draws. */
#include "render/gl/renderer.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/gl/explain.h"
#include "render/mottle.h"
#include "render/optics.h"
#include "render/rims.h"
#include "render/ripples.h"
#include "render/splash.h"
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

/* Creates and uploads the texture of random detail for outdoor scenes, r->ripples. Returns RN_MEMORY, with a message,
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
    rn_batch *const list[RN_BATCHES] = {&r->square,  &r->ground, &r->liquid, &r->links,
                                        &r->flooded, &r->bodies, &r->wetted};
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
    rn_still_free(&r->still);
    rn_contents_free(&r->contents);
    rn_contents_free(&r->walls);
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

/* Updates the wetness in r->shades, less where the ground does not face up, and uploads all shades. */
static void upload_shades(rn_renderer *r) {
    for (size_t v = 0; v < r->vertex_count; v++) {
        const float facing_up = (float)r->shades[v][2] / 255;
        r->shades[v][1] = rn_byte_of(facing_up * rn_wetness_of(&r->wetness, v));
    }
    rn_batch_fill(&r->gl, GL_ARRAY_BUFFER, r->ground.extras, r->vertex_count * sizeof *r->shades, r->shades);
}

/* Uploads the triangles of a mesh as indices of a batch, whose array must be bound, those for which `ask` (renderer,
   mesh, three indices) is true last and in reverse order. Sets the batch's count, and *others to the number of indices
   before the last ones. Those of the ground are also copied to r->still. Returns RN_MEMORY, with a message, if memory
   runs out; then nothing is set. */
static rn_result upload_triangles(rn_renderer *r, const rn_mesh *mesh, rn_batch *batch,
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

/* Uploads the ground: positions, normals and colours (white without any) one after the other in one buffer, shades in
   another, and triangles, those of its underside last. Sets r->above. r->vertex_count, r->shades and the ground's box
   must be set. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result upload_ground(rn_renderer *r, const rn_mesh *ground) {
    const rn_gl *gl = &r->gl;
    const size_t bytes = 3 * sizeof(float) * r->vertex_count;
    gl->BindVertexArray(r->ground.array);
    upload_shades(r);
    rn_batch_attribute(gl, RN_AT_SHADE, 4, GL_UNSIGNED_BYTE, sizeof *r->shades, 0);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, r->ground.vertices, 3 * bytes, NULL);
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
    return upload_triangles(r, ground, &r->ground, is_underside, &r->above);
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
    r->ground.count = r->above = 0;
    r->lamp_was = r->map_lamp = (rn_matrix){0};
    r->contents_new = r->walls_new = true;
    r->drape_is = (rn_texture){0};
    r->sea = INFINITY;
    if (rn_creases_part(ground, NULL, &parted) != RN_OK) return RN_MEMORY;
    const rn_result result = take_ground(r, &parted);
    rn_creases_free(&parted, NULL);
    return result;
}

/* ---- The liquid ------------------------------------------------------------------------------------------------- */

/* How white a jet is with the air that it carries, from 0 to 1: a rough, turbulent one takes air in. Rough means a
   large Weber number, turbulent a large Reynolds number. thick: m, how deep one can see into the jet, at most its
   thickness, so jets of murky liquids stay coloured; speed: m/s. */
static float air_of(const rn_liquid *liquid, float thick, float speed) {
    const double tension = fmax(liquid->surface_tension / fmax(liquid->density, 1), 1e-9);
    const float weber = (float)((double)(speed * speed * thick) / tension);
    const float reynolds = (float)((double)(speed * thick) / fmax(liquid->viscosity, 1e-9));
    return rn_smooth_step(3.5f, 5.0f, log10f(fmaxf(weber, 1.0f))) *
           rn_smooth_step(4.3f, 5.3f, log10f(fmaxf(reynolds, 1.0f)));
}

/* Sets layer (inside[2]) and depth (m) of vertices from the columns, and the time that they have fallen, by the ids of
   the surface (flow[3], only with velocities; in jets and drops -1 less air_of). A vertex that belongs to no column
   gets layer and depth of one that is at most two triangles away, or above it in a sheet; otherwise the layer is -1 and
   the depth stays. */
static void set_from_columns(const rn_mesh *surface, const rn_surface_columns *columns, const rn_liquid *liquid,
                             rn_liquid_vertex *vertices) {
    const size_t slots = rn_surface_slots(columns), cells = slots / (size_t)columns->layers;
    for (size_t v = 0; v < surface->vertex_count; v++) {
        const uint32_t id = surface->ids[v];
        vertices[v].inside[2] = -1;
        if (rn_surface_sheet_row(columns, id) > 0 && surface->velocities)
            vertices[v].flow[3] = -surface->velocities[3 * v + 2] / (columns->gravity > 0 ? columns->gravity : 9.81f);
        if (id >= rn_surface_first_jet(columns) && id != RN_CLOSED_ID)
            vertices[v].flow[3] = -1 - air_of(liquid, vertices[v].depth, vertices[v].inside[1]);
        if (id >= slots) continue;
        const int layer = (int)(id / cells), cell = (int)(id % cells);
        vertices[v].inside[2] = (float)layer;
        vertices[v].depth =
            columns->depth.data[layer * columns->depth.layer_stride +
                                cell / columns->cells_x * columns->depth.row_stride + cell % columns->cells_x];
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) {
            rn_liquid_vertex *to = &vertices[surface->indices[i]];
            const rn_liquid_vertex *from = &vertices[surface->indices[i % 3 == 2 ? i - 2 : i + 1]];
            if (to->inside[2] >= 0 || from->inside[2] < 0) continue;
            to->inside[2] = from->inside[2];
            to->depth = from->depth;
        }
}

/* Writes everything that the surface itself has of its vertices, with defaults for arrays that it lacks (opaque, still,
   no menisci), and the openness to the sky from r->occlusion. full_depth (m) turns opacity into depth. `vertices` must
   be all 0. */
static void put_vertices(rn_renderer *r, const rn_mesh *surface, double full_depth, rn_liquid_vertex *vertices) {
    static const float still[3] = {0, 0, 0};
    for (size_t v = 0; v < surface->vertex_count; v++) {
        rn_liquid_vertex *to = &vertices[v];
        const float *u = surface->velocities ? surface->velocities + 3 * v : still;
        memcpy(to->position, surface->positions + 3 * v, sizeof to->position);
        memcpy(to->normal, surface->normals + 3 * v, sizeof to->normal);
        to->inside[0] = surface->opacity ? surface->opacity[v] : 1;
        to->inside[1] = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        to->inside[3] = rn_occlusion_ahead(&r->occlusion, to->position, to->normal);
        if (surface->menisci) memcpy(to->meniscus, surface->menisci + 4 * v, sizeof to->meniscus);
        to->depth = to->inside[0] * (float)full_depth;
        memcpy(to->flow, u, 2 * sizeof *u);
    }
}

/* Smooths normals and menisci of vertices along the rim of the liquid, except of falling liquid. r->falling must be
   set. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result smooth_rims(const rn_renderer *r, const rn_mesh *surface, rn_liquid_vertex *vertices) {
    const size_t count = surface->vertex_count;
    float *normals = rn_alloc(NULL, count, 7 * sizeof *normals);
    if (!normals) return RN_MEMORY;
    float *menisci = normals + 3 * count;
    for (size_t v = 0; v < count; v++) {
        memcpy(normals + 3 * v, vertices[v].normal, sizeof vertices[v].normal);
        memcpy(menisci + 4 * v, vertices[v].meniscus, sizeof vertices[v].meniscus);
    }
    const uint32_t triangles = surface->triangle_count - (uint32_t)r->falling / 3;
    const rn_result result = rn_rims_smooth(surface, triangles, normals, surface->menisci ? menisci : NULL);
    for (size_t v = 0; v < count; v++) {
        memcpy(vertices[v].normal, normals + 3 * v, sizeof vertices[v].normal);
        memcpy(vertices[v].meniscus, menisci + 4 * v, sizeof vertices[v].meniscus);
    }
    rn_free(NULL, normals);
    return result;
}

/* Smooths the opacity of the vertices of a closed surface. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result smooth_opacity(const rn_mesh *surface, rn_liquid_vertex *vertices) {
    const size_t count = surface->vertex_count;
    float *opacity = rn_alloc(NULL, count, sizeof *opacity);
    if (!opacity) return RN_MEMORY;
    for (size_t v = 0; v < count; v++) opacity[v] = vertices[v].inside[0];
    const rn_result result = rn_thickness_even(surface, opacity);
    for (size_t v = 0; v < count; v++) vertices[v].inside[0] = opacity[v];
    rn_free(NULL, opacity);
    return result;
}

/* Writes the foam (0 to 1) into flow[2] of each vertex: it is born where liquid churns and at the feet of falling
   sheets, and `seconds` older than in the last call; and the rings of waves around these feet. Both are 0 without
   velocities and columns. r->falling must be set. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result put_foam(rn_renderer *r, const rn_mesh *surface, const rn_liquid *liquid,
                          const rn_surface_columns *columns, float seconds, rn_liquid_vertex *vertices) {
    if (!surface->velocities || !surface->ids || !columns || r->closed) return RN_OK;
    const size_t count = surface->vertex_count;
    float(*rings)[3] = rn_alloc(NULL, count, 2 * sizeof *rings); /* and as much room to find what churns */
    if (!rings) return RN_MEMORY;
    float *const churn = rings[count];
    rn_churn_find(surface, churn, churn + count);
    r->ring_pace = (double)rn_splash_pace(liquid, columns);
    rn_result result = r->falling ? rn_splash_add(surface, columns, liquid, churn, rings) : RN_OK;
    if (result == RN_OK) result = rn_foam_follow(&r->foam, surface, columns, seconds, churn);
    for (size_t v = 0; v < count; v++) {
        vertices[v].flow[2] = churn[v];
        memcpy(vertices[v].ring, rings[v], sizeof rings[v]);
    }
    rn_free(NULL, rings);
    return result;
}

/* Sets r->falling, the number of indices of falling sheets, which are the last triangles of a surface; 0 without
   columns or ids. */
static void count_falling(rn_renderer *r, const rn_mesh *surface, const rn_surface_columns *columns) {
    size_t first = surface->triangle_count;
    while (columns && surface->ids && first > 0 &&
           rn_surface_sheet_row(columns, surface->ids[surface->indices[3 * (first - 1) + 2]]) > 0)
        first--;
    r->falling = (GLsizei)(3 * (surface->triangle_count - first));
}

/* Whether a triangle belongs to a falling sheet, or is steeper than about 76 degrees. Such triangles are drawn over
   level liquid. None of a 3D liquid are: where they begin would be a ragged line on its sides. `corners` points into
   m->indices; r->falling must be set. */
static bool is_steep(const rn_renderer *r, const rn_mesh *m, const uint32_t *corners) {
    if (r->closed) return false;
    if (corners - m->indices >= (ptrdiff_t)(3 * m->triangle_count) - r->falling) return true;
    const float *a = m->positions + 3 * (size_t)corners[0], *b = m->positions + 3 * (size_t)corners[1];
    const float *c = m->positions + 3 * (size_t)corners[2];
    float u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    const float x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return z * z < 0.06f * (x * x + y * y);
}

/* Sets r->most_depth (m) and r->most_speed (m/s) to the largest of all vertices, for overlays; at least 1e-12. */
static void find_largest(rn_renderer *r, const rn_liquid_vertex *vertices, size_t count) {
    r->most_depth = r->most_speed = 1e-12f;
    for (size_t v = 0; v < count; v++) {
        if (vertices[v].depth > r->most_depth) r->most_depth = vertices[v].depth;
        if (vertices[v].inside[1] > r->most_speed) r->most_speed = vertices[v].inside[1];
    }
}

/* Uploads the vertices and triangles of the liquid, steep triangles last, and sets r->lying. Returns RN_MEMORY, with a
   message, if memory runs out. */
static rn_result upload_liquid(rn_renderer *r, const rn_mesh *surface, const rn_liquid_vertex *vertices) {
    const rn_gl *gl = &r->gl;
    const size_t bytes = sizeof *vertices;
    gl->BindVertexArray(r->liquid.array);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, r->liquid.vertices, surface->vertex_count * bytes, vertices);
    rn_batch_attribute(gl, RN_AT_POSITION, 3, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, position));
    rn_batch_attribute(gl, RN_AT_NORMAL, 3, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, normal));
    rn_batch_attribute(gl, RN_AT_INSIDE, 4, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, inside));
    rn_batch_attribute(gl, RN_AT_MENISCUS, 4, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, meniscus));
    rn_batch_attribute(gl, RN_AT_DEPTH, 1, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, depth));
    rn_batch_attribute(gl, RN_AT_FLOW, 4, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, flow));
    rn_batch_attribute(gl, RN_AT_RING, 3, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, ring));
    return upload_triangles(r, surface, &r->liquid, is_steep, &r->lying);
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

/* Sets the box (m) around falling liquid, r->fall_low and r->fall_high: vertices with a time since the lip, and jets.
 */
static void measure_falls(rn_renderer *r, const rn_liquid_vertex *vertices, size_t count) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < count; v++)
        for (int i = 0; i < 3 && vertices[v].flow[3] != 0; i++) {
            low[i] = fminf(low[i], vertices[v].position[i]);
            high[i] = fmaxf(high[i], vertices[v].position[i]);
        }
    r->fall_low = (rn_vec3){(double)low[0], (double)low[1], (double)low[2]};
    r->fall_high = (rn_vec3){(double)high[0], (double)high[1], (double)high[2]};
}

/* The lowest level (m) of the cells along the edge of the domain; -INFINITY if one of them has no liquid. Needs
   r->level_of. */
static double level_along_edge(const rn_renderer *r) {
    float lowest = INFINITY;
    for (int y = 0; y < r->levels_y; y++)
        for (int x = 0; x < r->levels_x; x++) {
            if (x > 0 && y > 0 && x + 1 < r->levels_x && y + 1 < r->levels_y) continue;
            const float *of = r->level_of[(size_t)y * (size_t)r->levels_x + (size_t)x];
            if (of[1] <= 0) return -INFINITY;
            lowest = fminf(lowest, of[0]);
        }
    return r->low.z + (double)lowest;
}

/* Adds to flow[0] and flow[1] the flux (m^3/s) through a cell's highest column that is at least a tenth of a cell deep,
   and to flow[2] the cross-section (m^2) of the column. */
static void add_edge_flow(const rn_surface_columns *c, int x, int y, double flow[3]) {
    for (int layer = c->layers - 1; layer >= 0; layer--) {
        const float depth = c->depth.data[layer * c->depth.layer_stride + y * c->depth.row_stride + x];
        if (depth < 0.1f * c->cell_size) continue;
        const int west = x > 0 && x > c->cells_x - 2 ? x - 1 : x, south = y > 0 && y > c->cells_y - 2 ? y - 1 : y;
        flow[0] += (double)c->flux_x.data[layer * c->flux_x.layer_stride + y * c->flux_x.row_stride + west];
        flow[1] += (double)c->flux_y.data[layer * c->flux_y.layer_stride + south * c->flux_y.row_stride + x];
        flow[2] += (double)(depth * c->cell_size);
        return;
    }
}

/* Sets r->sea_flow to the mean velocity (m/s) of liquid along the edge of the domain; 0 without fluxes. */
static void find_flow_along_edge(rn_renderer *r, const rn_surface_columns *c) {
    double flow[3] = {0, 0, 0};
    for (int y = 0; y < c->cells_y && c->flux_x.data && c->flux_y.data; y++) {
        const bool whole = y == 0 || y == c->cells_y - 1 || c->cells_x == 1;
        for (int x = 0; x < c->cells_x; x += whole ? 1 : c->cells_x - 1) add_edge_flow(c, x, y, flow);
    }
    for (int k = 0; k < 2; k++) r->sea_flow[k] = flow[2] > 0 ? flow[k] / flow[2] : 0;
}

/* Stores the height of the highest liquid of each cell in r->level_of, for bodies that touch it; none without columns.
   Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result put_levels(rn_renderer *r, const rn_surface_columns *c) {
    if (!c || c->cells_x != r->levels_x || c->cells_y != r->levels_y) {
        rn_free(NULL, r->level_of);
        r->level_of = NULL;
        r->levels_x = r->levels_y = 0;
        if (!c) return RN_OK;
        r->level_of = rn_alloc(NULL, (size_t)c->cells_x * (size_t)c->cells_y, sizeof *r->level_of);
        if (!r->level_of) return RN_MEMORY;
        r->levels_x = c->cells_x;
        r->levels_y = c->cells_y;
    }
    for (int y = 0; y < c->cells_y; y++)
        for (int x = 0; x < c->cells_x; x++) {
            float *to = r->level_of[(size_t)y * (size_t)c->cells_x + (size_t)x];
            to[0] = to[1] = 0;
            for (int layer = 0; layer < c->layers; layer++) {
                const float depth = c->depth.data[layer * c->depth.layer_stride + y * c->depth.row_stride + x];
                const float base = c->base.data[layer * c->base.layer_stride + y * c->base.row_stride + x];
                if (depth < 0.1f * c->cell_size || base >= RN_NO_COLUMN) continue;
                to[0] = fmaxf(to[0], base + depth + c->datum - (float)r->low.z);
                to[1] = 1;
            }
        }
    const float patch[4] = {c->origin_x, c->origin_y, 1 / ((float)c->cells_x * c->cell_size),
                            1 / ((float)c->cells_y * c->cell_size)};
    memcpy(r->level_patch, patch, sizeof patch);
    r->sea = fmin(r->sea, level_along_edge(r));
    find_flow_along_edge(r, c);
    r->levels_new = true;
    return RN_OK;
}

/* Stores what glass needs of the columns: none without columns. Returns RN_MEMORY, with a message, if memory runs out.
 */
static rn_result put_spans(rn_renderer *r, const rn_surface_columns *c) {
    rn_free(NULL, r->spans);
    r->spans = NULL;
    r->contents_new = true;
    if (!c) return RN_OK;
    r->spans = rn_alloc(NULL, rn_surface_slots(c), sizeof *r->spans);
    if (!r->spans) return RN_MEMORY;
    r->span_layers = c->layers;
    rn_spans_read(c, r->spans);
    return RN_OK;
}

rn_result rn_renderer_set_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid,
                                 const rn_surface_columns *columns) {
    rn_renderer *r = renderer;
    if (surface->vertex_count > 0 && !surface->normals)
        return rn_fail(RN_INVALID, "the liquid to be drawn has no normals");
    if (rn_renderer_use(r) != RN_OK) return RN_DRIVER;
    r->liquid.count = r->lying = r->links.count = 0;
    count_falling(r, surface, columns);
    r->closed = surface->ids && surface->vertex_count > 0 && surface->ids[0] == RN_CLOSED_ID;
    rn_liquid_vertex *vertices = rn_alloc(NULL, surface->vertex_count, sizeof *vertices);
    if (!vertices) return RN_MEMORY;
    const double full_depth = rn_liquid_full_depth(liquid);
    put_vertices(r, surface, full_depth < 1e6 ? full_depth : 1, vertices);
    if (columns && surface->ids) set_from_columns(surface, columns, liquid, vertices);
    find_largest(r, vertices, surface->vertex_count);
    const float seconds = r->timed ? (float)r->elapsed : 1.0f / 60.0f;
    rn_result result = put_foam(r, surface, liquid, columns, seconds, vertices);
    if (result == RN_OK) result = r->closed ? smooth_opacity(surface, vertices) : smooth_rims(r, surface, vertices);
    if (result == RN_OK) result = put_levels(r, columns);
    if (result == RN_OK) result = put_spans(r, columns);
    measure_falls(r, vertices, surface->vertex_count);
    r->liquid_hash = rn_renderer_hash(vertices, surface->vertex_count * sizeof *vertices);
    if (result == RN_OK) result = upload_liquid(r, surface, vertices);
    rn_free(NULL, vertices);
    if (memcmp(&r->liquid_is, liquid, sizeof *liquid) != 0) r->table_depth = 0, r->map_liquid = 0;
    r->liquid_is = *liquid;
    const rn_vec3 size = rn_difference(r->high, r->low);
    r->cell = columns ? (double)columns->cell_size : rn_length(size) / 200;
    r->thin = 0.03 * r->cell;
    r->beads = columns && columns->contact_foot > 0;
    if (result == RN_OK) result = rn_links_fill(&r->gl, &r->links, surface, columns);
    r->flooded.count = 0;
    if (result == RN_OK && columns) result = rn_flooded_fill(&r->gl, &r->flooded, columns);
    r->elapsed = 0;
    if (result == RN_OK && columns)
        result = rn_wetness_follow(&r->wetness, columns, r->positions, r->vertex_count, seconds);
    if (result == RN_OK && r->vertex_count) upload_shades(r);
    return result;
}
