/* Finds scene files by name. library_open() lists all JSON files in the scene folders; library_find() turns a name or a
   path given by the user into the path of a file; library_close() frees the list. */
#include "common/library.h"

#include "base/platform.h"
#include "base/words.h"
#include "common/options.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST = 4096 };

/* Returns true if a file name is that of a scene: *.json, but not hidden and not schema.json. `stem`: receives the
   length of the name without ".json" if true. */
static bool is_scene(const char *name, size_t *stem) {
    size_t length = strlen(name);
    if (length < 6 || name[0] == '.' || strcmp(name + length - 5, ".json") != 0) return false;
    *stem = length - 5;
    return strcmp(name, "schema.json") != 0;
}

/* Adds folder/file under the name that is the first `stem` bytes of `file`. Does nothing if the name is taken or memory
   is lacking. */
static void add_scene(library *scenes, const char *folder, const char *file, size_t stem) {
    for (int i = 0; i < scenes->count; i++)
        if (strlen(scenes->scenes[i].name) == stem && strncmp(scenes->scenes[i].name, file, stem) == 0) return;
    library_scene *longer = realloc(scenes->scenes, (size_t)(scenes->count + 1) * sizeof *longer);
    if (!longer) return;
    scenes->scenes = longer;
    size_t size = strlen(folder) + strlen(file) + 2;
    library_scene scene = {rn_text_copy(file, stem), malloc(size)};
    if (!scene.name || !scene.path) {
        free(scene.name);
        free(scene.path);
        return;
    }
    snprintf(scene.path, size, "%s/%s", folder, file);
    scenes->scenes[scenes->count++] = scene;
}

/* Adds all scenes of a folder. A folder that does not exist is ignored. */
static void add_folder(library *scenes, const char *folder) {
    DIR *entries = opendir(folder);
    if (!entries) return;
    size_t stem;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (is_scene(entry->d_name, &stem)) add_scene(scenes, folder, entry->d_name, stem);
    closedir(entries);
}

/* Writes the path `where`, relative to the folder of the running program. Returns false, and prints nothing, if that
   folder is unknown or the path too long. */
static bool beside_program(const char *where, char *folder, size_t size) {
    char program[LONGEST];
    if (!rn_program_path(program, sizeof program)) return false;
    int length = (int)(rn_path_name(program) - program);
    return snprintf(folder, size, "%.*s%s", length, program, where) < (int)size;
}

/* Orders library_scene entries by name, for qsort(). */
static int compare_names(const void *a, const void *b) {
    return strcmp(((const library_scene *)a)->name, ((const library_scene *)b)->name);
}

library library_open(void) {
    library scenes = {0};
    char folder[LONGEST + 32];
    const char *own = getenv("RUNNEL_SCENES");
    if (own && *own) add_folder(&scenes, own);
    add_folder(&scenes, "scenes");
    const char *const places[] = {"../scenes", "../share/runnel/scenes"}; /* a build folder, an installation */
    for (int i = 0; i < 2; i++)
        if (beside_program(places[i], folder, sizeof folder)) add_folder(&scenes, folder);
    if (scenes.count) qsort(scenes.scenes, (size_t)scenes.count, sizeof *scenes.scenes, compare_names);
    return scenes;
}

void library_close(library *scenes) {
    for (int i = 0; i < scenes->count; i++) {
        free(scenes->scenes[i].name);
        free(scenes->scenes[i].path);
    }
    free(scenes->scenes);
    *scenes = (library){0};
}

/* Returns the name of the scene that is most similar to the name of a file without its folder and extension, or NULL if
   none is similar. The text belongs to `scenes`. */
static const char *nearest_scene(const library *scenes, const char *word) {
    char name[LONGEST];
    const char *nearest = NULL, *file = rn_path_name(word), *dot = strrchr(file, '.');
    snprintf(name, sizeof name, "%.*s", dot && dot != file ? (int)(dot - file) : (int)strlen(file), file);
    for (int i = 0; i < scenes->count; i++) {
        if (strcmp(scenes->scenes[i].name, name) == 0) return scenes->scenes[i].name;
        rn_word_nearer(name, scenes->scenes[i].name, &nearest);
    }
    return nearest;
}

bool library_find(const char *command, const char *word, char *path, size_t size) {
    size_t length = strlen(word);
    bool is_path = rn_path_name(word) != word || (length > 5 && strcmp(word + length - 5, ".json") == 0);
    library scenes = library_open();
    const char *found = NULL, *nearest = nearest_scene(&scenes, word);
    for (int i = 0; i < scenes.count && !found && !is_path; i++)
        if (strcmp(scenes.scenes[i].name, word) == 0) found = scenes.scenes[i].path;
    struct stat file;
    const bool exists = stat(word, &file) == 0;
    if (!found && exists && !S_ISDIR(file.st_mode)) found = word;
    if (is_path && (exists || !nearest)) found = word; /* whoever reads it says what is wrong */
    bool fits = found && snprintf(path, size, "%s", found) < (int)size;
    if (!found && nearest)
        complain("runnel %s: there is no %s \"%.60s\"; did you mean %s\"%s\"? (\"runnel scenes\" lists them)", command,
                 is_path ? "file" : "scene", word, is_path ? "the scene " : "", nearest);
    else if (!found)
        complain("runnel %s: there is no scene \"%.60s\"; \"runnel scenes\" lists them, and a path to a JSON file "
                 "works too",
                 command, word);
    else if (!fits) complain("runnel %s: the name of the scene file is too long", command);
    library_close(&scenes);
    return fits;
}
