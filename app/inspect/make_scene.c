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

/* Sets i->name, the absolute i->path, and the files i->scene and i->picture in --out (default: out/inspect), and makes
   that folder. Returns false after printing an error. */
static bool name_files(inspection *i) {
    const inspect_options *o = i->options;
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
    return fits && make_folders(folder);
}

/* Writes the scene to the file i->scene, which it replaces only when complete. Returns false after printing an
   error. */
static bool write_scene(const inspection *i) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, i->scene);
    if (result == RN_OK) {
        inspect_print_scene(file.stream, i, "");
        fputc('\n', file.stream);
        result = rn_whole_file_keep(&file);
    }
    if (result != RN_OK) complain("%s", rn_last_error());
    return result == RN_OK;
}

bool inspect_make_scene(inspection *i) {
    if (!(i->is_volume ? inspect_volume(i) : i->is_mesh ? inspect_mesh(i) : inspect_terrain(i))) return false;
    return name_files(i) && write_scene(i);
}
