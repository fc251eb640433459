/* From a file to a scene that pours liquid over it. */
#include "inspect/inspect.h"

#include "common/folders.h"
#include "common/options.h"
#include "io/file/whole_file.h"
#include "output/output.h"

#include <errno.h>
#include <string.h>

inspection inspect_start(const inspect_options *options) {
    inspection i = {.options = options, .is_mesh = options->path && !inspect_is_terrain(options->path)};
    i.is_volume = i.is_mesh && inspect_is_volume(options->path);
    return i;
}

/* Replaces `path`, of INSPECT_PATH bytes, by the path that leads there from `folder`. Both are absolute and real. A
   path that would share nothing but the root stays as it is, and so does one that would be too long. */
static void make_relative(const char *folder, char *path) {
    char relative[INSPECT_PATH];
    size_t shared = 0, up = 0;
    for (size_t k = 0; path[k] && (folder[k] == path[k] || (!folder[k] && rn_is_separator(path[k]))); k++) {
        if (rn_is_separator(path[k])) shared = k + 1;
        if (!folder[k]) break;
    }
    if (shared <= 1) return;
    const size_t length = strlen(folder);
    for (size_t k = shared; k < length; k++) up += k == shared || rn_is_separator(folder[k]);
    if (3 * up + strlen(path + shared) >= sizeof relative) return;
    for (size_t k = 0; k < up; k++) memcpy(relative + 3 * k, "../", 3);
    strcpy(relative + 3 * up, path + shared);
    strcpy(path, relative);
}

/* Makes the folder --out (default: out/inspect), and sets i->name, the files i->scene and i->picture in it, and
   i->path, from that folder if both share more than the root, else absolute. Returns false after printing an error. */
static bool name_files(inspection *i) {
    const inspect_options *o = i->options;
    char whole[INSPECT_PATH];
    const char *name = rn_path_name(o->path), *dot = strrchr(name, '.');
    const int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    const char *folder = o->out ? o->out : "out/inspect";
    if (!rn_path_from_root(o->path, i->path, sizeof i->path)) {
        complain("%s: cannot be read: %s", o->path, strerror(errno));
        return false;
    }
    const bool fits = snprintf(i->name, sizeof i->name, "%.*s", length, name) < (int)sizeof i->name &&
                      snprintf(i->scene, sizeof i->scene, "%s/%s.json", folder, i->name) < (int)sizeof i->scene &&
                      snprintf(i->picture, sizeof i->picture, "%s/%s.png", folder, i->name) < (int)sizeof i->picture;
    if (!fits) complain("runnel inspect: the name of the file or of --out is too long");
    if (!fits || !make_folders(folder)) return false;
    if (rn_path_from_root(folder, whole, sizeof whole)) make_relative(whole, i->path);
    return true;
}

/* Returns whether both files can be read and hold the same bytes. */
static bool files_are_equal(const char *one, const char *other) {
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    bool equal = a && b;
    for (int c = 0; equal && c != EOF;) equal = (c = getc(a)) == getc(b);
    if (a) fclose(a);
    if (b) fclose(b);
    return equal;
}

/* Renames an older scene at i->scene, which may have been edited, to the first free name NAME-1.json, NAME-2.json ...,
   and warns of that. Nothing happens if there is none, or if it is equal to the new one, in the file `next`. Returns
   false after printing an error. */
static bool keep_older(inspection *i, const char *next) {
    char kept[INSPECT_PATH];
    int64_t size;
    if (!rn_file_size(i->scene, &size) || files_are_equal(i->scene, next)) return true;
    const int stem = (int)(strlen(i->scene) - strlen(".json"));
    for (int k = 1; k < 1000; k++) {
        if (snprintf(kept, sizeof kept, "%.*s-%d.json", stem, i->scene, k) >= (int)sizeof kept) break;
        if (rn_file_size(kept, &size)) continue;
        if (!rn_rename_over(i->scene, kept)) break;
        inspect_warn(i, "%s was a different scene; it is now %s", i->scene, kept);
        return true;
    }
    complain("%s: is a different scene, and no other name could be given to it; move it, or choose another --out",
             i->scene);
    return false;
}

/* Writes the scene to the file i->scene, which it replaces only when complete. A different scene there is kept under
   another name unless i->options->replace. Returns false after printing an error. */
static bool write_scene(inspection *i) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, i->scene);
    if (result == RN_OK) {
        inspect_print_scene(file.stream, i, "");
        fputc('\n', file.stream);
        fflush(file.stream);
        if (!i->options->replace && !keep_older(i, file.temporary)) {
            rn_whole_file_drop(&file);
            return false;
        }
        result = rn_whole_file_keep(&file);
    }
    if (result != RN_OK) complain("%s", rn_last_error());
    return result == RN_OK;
}

bool inspect_make_scene(inspection *i) {
    if (!(i->is_volume ? inspect_volume(i) : i->is_mesh ? inspect_mesh(i) : inspect_terrain(i))) return false;
    return name_files(i) && write_scene(i);
}
