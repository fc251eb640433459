/* Finds, makes and loads the small pictures of scenes. Interface: view/window/posters.h.

   A picture is made by "runnel run" as a child process, in a thread that waits for it, and lies in the cache as
   posters/NAME/last.png. Textures are made on the window's thread. */
#include "view/window/posters.h"

#include "base/platform.h"
#include "common/library.h"
#include "output/child.h"
#include "view/open.h"

#include <GLFW/glfw3.h>
#include <pthread.h>
#include <runnel/runnel.h>
#include <signal.h>
#include <spng.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A "runnel run" in a thread, which makes the picture of one scene. */
typedef struct poster_maker {
    int number; /* in the list of posters */
    char program[4096], scene[128], folder[4096];
    atomic_bool done; /* set by the thread */
    pthread_t thread;
} poster_maker;

void posters_open(posters *p) {
    library scenes = library_open();
    *p = (posters){.list = calloc((size_t)scenes.count + 1, sizeof *p->list)};
    for (int i = 0; i < scenes.count && p->list; i++) {
        poster *next = &p->list[p->count];
        char about[16];
        snprintf(next->name, sizeof next->name, "%s", scenes.scenes[i].name);
        const rn_result known =
            rn_scene_preview(scenes.scenes[i].path, next->title, sizeof next->title, about, sizeof about);
        if (known == RN_OK) p->count++;
    }
    library_close(&scenes);
}

/* Writes the path of the folder in the user's cache that holds a scene's picture. False: there is no cache, or the path
   is too long. */
static bool folder_of(const poster *of, char *folder, size_t size) {
    char cache[3072];
    return opening_user_folder("XDG_CACHE_HOME", ".cache", cache, sizeof cache) &&
           snprintf(folder, size, "%s/posters/%s", cache, of->name) < (int)size;
}

/* ---- From a file to a texture ---- */

/* Reads a PNG of at most 4096 x 4096 pixels. Returns its RGB pixels, to be freed, and its size. NULL: it cannot be
   read. */
static unsigned char *decode(FILE *file, uint32_t *width, uint32_t *height) {
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

/* Makes an OpenGL texture of RGB pixels, rows from the top. Returns its name; 0: a function of OpenGL is missing. */
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

/* Makes the texture of a poster from its picture in the cache. False: there is none, or it cannot be read. */
static bool load(poster *to) {
    char folder[4096], path[4200];
    if (!folder_of(to, folder, sizeof folder)) return false;
    snprintf(path, sizeof path, "%s/last.png", folder);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint32_t width, height;
    unsigned char *pixels = decode(file, &width, &height);
    fclose(file);
    if (pixels) to->texture = make_texture(pixels, width, height);
    free(pixels);
    return to->texture != 0;
}

/* ---- Making them ---- */

/* The thread that makes a picture: runs 40 frames of a scene, and waits. argument: a poster_maker. Returns NULL. */
static void *make(void *argument) {
    poster_maker *m = argument;
    char size[32], said[256];
    snprintf(size, sizeof size, "%dx%d", POSTER_WIDTH, POSTER_HEIGHT);
    const char *const run[] = {m->program, "run",   m->scene,  "--frames",  "40", "--no-frames", "--size",
                               size,       "--out", m->folder, "--threads", "1",  "--json",      NULL};
    child *program = child_start(run);
    if (program) child_finish(program, said, sizeof said);
    atomic_store(&m->done, true);
    return NULL;
}

/* Starts the thread that makes the picture of poster `number`. If that fails, the poster stays without one. */
static void begin(posters *p, int number) {
    poster_maker *m = calloc(1, sizeof *m);
    p->list[number].tried = true;
    if (!m) return;
    m->number = number;
    snprintf(m->scene, sizeof m->scene, "%s", p->list[number].name);
    const bool known =
        rn_program_path(m->program, sizeof m->program) && folder_of(&p->list[number], m->folder, sizeof m->folder);
    if (known && pthread_create(&m->thread, NULL, make, m) == 0) p->maker = m;
    else free(m);
}

/* If the thread that makes a picture is done, joins it and loads the picture. */
static void follow(posters *p) {
    poster_maker *m = p->maker;
    if (!m || !atomic_load(&m->done)) return;
    pthread_join(m->thread, NULL);
    load(&p->list[m->number]);
    free(m);
    p->maker = NULL;
}

/* Loads up to four posters from the cache that were not looked for yet. False: all have been. */
static bool look(posters *p) {
    int looked = 0;
    for (int i = 0; i < p->count && looked < 4; i++) {
        if (p->list[i].looked) continue;
        p->list[i].looked = true;
        load(&p->list[i]);
        looked++;
    }
    return looked > 0;
}

void posters_update(posters *p, bool also_make) {
    follow(p);
    if (look(p) || p->maker || !also_make) return;
    int next = 0;
    while (next < p->count && (p->list[next].texture || p->list[next].tried)) next++;
    if (next < p->count) begin(p, next);
}

void posters_close(posters *p) {
    if (p->maker) pthread_join(p->maker->thread, NULL);
    free(p->maker);
    free(p->list);
    *p = (posters){0};
}
