/* Finds, makes and loads the small pictures of scenes. Interface: view/window/thumbnails.h.

   The scenes of runnel have their pictures beside them, posters/NAME.png (web/make-posters draws those). A picture of
   another scene is made by "runnel run" as a child process, and lies in the cache as last.png, in a folder of its
   scene; it is made again once the scene's file is newer. */
#include "view/window/thumbnails.h"

#include "base/platform.h"
#include "common/library.h"
#include "output/child.h"
#include "view/open.h"

#include <GLFW/glfw3.h>
#include <jansson.h>
#include <runnel/runnel.h>
#include <spng.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The program that makes a picture; NULL: none is being made. Whoever exchanges it for NULL finishes or kills it. */
static _Atomic(child *) maker;

void thumbnails_open(thumbnails *t) {
    library scenes = library_open();
    *t = (thumbnails){.list = calloc((size_t)scenes.count + 1, sizeof *t->list)};
    for (int i = 0; i < scenes.count && t->list; i++) {
        thumbnail *next = &t->list[t->count];
        char about[16];
        snprintf(next->name, sizeof next->name, "%s", scenes.scenes[i].name);
        snprintf(next->path, sizeof next->path, "%s", scenes.scenes[i].path);
        const rn_result known =
            rn_scene_preview(scenes.scenes[i].path, next->title, sizeof next->title, about, sizeof about);
        if (known == RN_OK) t->count++;
    }
    library_close(&scenes);
}

/* ---- From a file to a texture ---- */

/* Reads a PNG of at most 4096 x 4096 pixels. Returns its RGB pixels, which the caller frees, and sets its size. Returns
   NULL, without a message, if it cannot be read. */
static unsigned char *decode_png(FILE *file, uint32_t *width, uint32_t *height) {
    spng_ctx *png = spng_ctx_new(0);
    struct spng_ihdr head;
    size_t size = 0;
    unsigned char *pixels = NULL;
    bool fine = png && !spng_set_png_file(png, file) && !spng_get_ihdr(png, &head) && head.width <= 4096 &&
                head.height <= 4096 && !spng_decoded_image_size(png, SPNG_FMT_RGB8, &size);
    if (fine) pixels = malloc(size);
    if (pixels && spng_decode_image(png, pixels, size, SPNG_FMT_RGB8, 0)) {
        free(pixels);
        pixels = NULL;
    }
    if (pixels) *width = head.width, *height = head.height;
    if (png) spng_ctx_free(png);
    return pixels;
}

typedef void (*gen_textures)(int, unsigned *);
typedef void (*bind_texture)(unsigned, unsigned);
typedef void (*tex_image)(unsigned, int, int, int, int, int, unsigned, unsigned, const void *);
typedef void (*tex_parameter)(unsigned, unsigned, int);
typedef void (*pixel_store)(unsigned, int);

/* Creates an OpenGL texture of RGB pixels, rows from the top. Returns its name, or 0 if a function of OpenGL is
   missing. */
static unsigned make_texture(const unsigned char *pixels, uint32_t width, uint32_t height) {
    const gen_textures gen = (gen_textures)glfwGetProcAddress("glGenTextures");
    const bind_texture bind = (bind_texture)glfwGetProcAddress("glBindTexture");
    const tex_image image = (tex_image)glfwGetProcAddress("glTexImage2D");
    const tex_parameter parameter = (tex_parameter)glfwGetProcAddress("glTexParameteri");
    const pixel_store store = (pixel_store)glfwGetProcAddress("glPixelStorei");
    unsigned texture = 0;
    if (!gen || !bind || !image || !parameter || !store) return 0;
    gen(1, &texture);
    bind(GL_TEXTURE_2D, texture);
    store(GL_UNPACK_ALIGNMENT, 1);
    image(GL_TEXTURE_2D, 0, GL_RGB, (int)width, (int)height, 0, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    parameter(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    parameter(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return texture;
}

/* Creates the texture of a thumbnail from a PNG file. Returns false, without a message, if there is none, or it cannot
   be read. */
static bool load_file(thumbnail *to, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint32_t width, height;
    unsigned char *pixels = decode_png(file, &width, &height);
    fclose(file);
    if (pixels) to->texture = make_texture(pixels, width, height);
    free(pixels);
    return to->texture != 0;
}

/* Returns whether both files exist and the first was changed before the second. */
static bool is_older(const char *path, const char *other) {
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_mtime < two.st_mtime;
}

/* Creates the texture of a thumbnail from the picture beside its scene or else from that in the cache, unless the
   latter is older than the scene. Returns false, without a message, if there is neither. */
static bool load_picture(thumbnail *to) {
    char folder[4096], path[4200];
    snprintf(path, sizeof path, "%.*sposters/%s.png", (int)(rn_path_name(to->path) - to->path), to->path, to->name);
    if (load_file(to, path)) return true;
    opening_cache_folder("thumbnails", to->path, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/last.png", folder);
    return !is_older(path, to->path) && load_file(to, path);
}

/* ---- Making them ---- */

/* Returns whether a scene file says at which time one picture shows it best. */
static bool has_poster_time(const char *path) {
    json_t *root = json_load_file(path, 0, NULL);
    const bool has = json_number_value(json_object_get(root, "poster")) > 0;
    json_decref(root);
    return has;
}

/* Starts the program that makes the picture of thumbnail `number`, at the poster time of its scene or, if it has none,
   after 20 frames, and marks the thumbnail as tried. If that fails, it stays without a picture. */
static void start_maker(thumbnails *t, int number) {
    char program[4096], folder[4096], size[32];
    t->list[number].tried = true;
    if (!rn_program_path(program, sizeof program)) return;
    opening_cache_folder("thumbnails", t->list[number].path, folder, sizeof folder);
    snprintf(size, sizeof size, "%dx%d", THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
    const bool timed = has_poster_time(t->list[number].path);
    const char *const run[] = {program,
                               "run",
                               t->list[number].path,
                               "--no-frames",
                               "--size",
                               size,
                               "--out",
                               folder,
                               "--threads",
                               "1",
                               "--json",
                               timed ? "--poster" : "--frames",
                               timed ? NULL : "20",
                               NULL};
    t->making = number;
    atomic_store(&maker, child_start(run));
}

/* Loads the picture that was being made, if the program that makes it has ended. */
static void finish_maker(thumbnails *t) {
    char said[256];
    child *running = atomic_load(&maker);
    if (!running || !child_has_ended(running) || !atomic_exchange(&maker, NULL)) return;
    child_finish(running, said, sizeof said);
    load_picture(&t->list[t->making]);
}

/* Loads up to twelve pictures that were not looked for yet. Returns false if all have been looked for. */
static bool load_some(thumbnails *t) {
    int looked = 0;
    for (int i = 0; i < t->count && looked < 12; i++) {
        if (t->list[i].looked) continue;
        t->list[i].looked = true;
        load_picture(&t->list[i]);
        looked++;
    }
    return looked > 0;
}

void thumbnails_update(thumbnails *t, bool also_make) {
    finish_maker(t);
    if (load_some(t) || atomic_load(&maker) || !also_make) return;
    int next = 0;
    while (next < t->count && (t->list[next].texture || t->list[next].tried)) next++;
    if (next < t->count) start_maker(t, next);
}

void thumbnails_forget(thumbnails *t) {
    for (int i = 0; i < t->count; i++) t->list[i].texture = 0, t->list[i].looked = false;
}

void thumbnails_stop(void) {
    child *running = atomic_exchange(&maker, NULL);
    if (running) child_stop(running);
}

void thumbnails_close(thumbnails *t) {
    child *running = atomic_exchange(&maker, NULL);
    if (running) {
        child_stop(running);
        child_finish(running, NULL, 0);
    }
    free(t->list);
    *t = (thumbnails){0};
}
