/* Finds or makes the scene file that a word stands for. Interface: view/open.h.

   The file extension decides: .rnl is a checkpoint; for meshes, terrains and volumes a scene is written; everything
   else is the name of a scene or a scene file, which app/common/library.c finds. */
#include "view/open.h"

#include "base/platform.h"
#include "common/library.h"
#include "common/options.h"
#include "inspect/inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool opening_user_folder(const char *variable, const char *otherwise, char *folder, size_t size) {
    const char *own = getenv(variable), *home = getenv("HOME");
    int length = -1;
    if (own && *own) length = snprintf(folder, size, "%s/runnel", own);
    else if (home && *home) length = snprintf(folder, size, "%s/%s/runnel", home, otherwise);
    if (length < 0 || (size_t)length >= size) return false;
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        rn_make_folder(folder);
        *slash = '/';
    }
    return rn_make_folder(folder);
}

/* Returns whether a path has the extension of a mesh, a terrain or a volume, or names a file whose first bytes are
   those of a terrain. */
static bool is_geometry(const char *path) {
    static const char *const meshes[] = {"obj", "stl", "ply", "gltf", "glb", "3ds", "dae", "fbx", "off", "x3d"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        if (inspect_has_ending(path, meshes[i])) return true;
    return inspect_is_terrain(path) || inspect_is_volume(path);
}

void opening_cache_folder(const char *kind, const char *path, char *folder, size_t size) {
    char own[INPUT_PATH - 64], whole[INPUT_PATH];
    if (!rn_path_from_root(path, whole, sizeof whole)) snprintf(whole, sizeof whole, "%s", path);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = whole; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    if (!opening_user_folder("XDG_CACHE_HOME", ".cache", own, sizeof own)) snprintf(own, sizeof own, ".");
    snprintf(folder, size, "%s/%s", own, kind);
    rn_make_folder(folder);
    snprintf(folder, size, "%s/%s/%016" PRIx64, own, kind, hash);
    rn_make_folder(folder);
}

/* Writes a scene that contains the mesh, terrain or volume of the file `path`, into the user's cache or else the
   current folder, and sets found->path to it. Returns false after printing an error. */
static bool make_scene(const char *path, opening *found) {
    char folder[INPUT_PATH];
    opening_cache_folder("scenes", path, folder, sizeof folder);
    const inspect_options options = {.path = path, .out = folder, .iso = NAN, .replace = true};
    inspection *i = malloc(sizeof *i);
    if (!i) {
        complain("there is not enough memory");
        return false;
    }
    *i = inspect_start(&options);
    const bool made = inspect_make_scene(i);
    if (made) snprintf(found->path, sizeof found->path, "%s", i->scene);
    free(i);
    return made;
}

bool opening_find(const char *word, opening *found) {
    struct stat file;
    *found = (opening){.is_checkpoint = inspect_has_ending(word, "rnl")};
    if (!found->is_checkpoint && !is_geometry(word)) return library_find("view", word, found->path, sizeof found->path);
    if (stat(word, &file) != 0) {
        complain("%s: cannot be read: %s", word, strerror(errno));
        return false;
    }
    if (!found->is_checkpoint) return make_scene(word, found);
    snprintf(found->path, sizeof found->path, "%s", word);
    return true;
}
