/* Reads and writes the settings of the window. Interface: view/window/store.h. Numbers out of range and unknown names
   in the file are ignored. */
#include "view/window/store.h"

#include "io/file/whole_file.h"
#include "view/open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

viewer_settings store_default(void) {
    return (viewer_settings){
        .width = 1440, .height = 900, .x = -32000, .y = -32000, .panel = true, .speed = 1, .rate = 1, .radius = 1};
}

/* Writes the path of the settings file to `path`, and makes its folder. Returns false, without a message, if there is
   no folder for it, or the path is too long. */
static bool settings_path(char *path, size_t size) {
    char folder[INPUT_PATH - 16];
    if (!opening_user_folder("XDG_CONFIG_HOME", ".config", folder, sizeof folder)) return false;
    return snprintf(path, size, "%s/view.conf", folder) < (int)size;
}

/* Stores a value in the setting of this name; does nothing if the name is unknown or the value out of range. */
static void set_setting(viewer_settings *s, const char *name, double value) {
    if (!isfinite(value)) return;
    if (strcmp(name, "width") == 0 && value >= 320 && value <= 16384) s->width = (int)value;
    if (strcmp(name, "height") == 0 && value >= 220 && value <= 16384) s->height = (int)value;
    if (strcmp(name, "x") == 0 && fabs(value) < 30000) s->x = (int)value;
    if (strcmp(name, "y") == 0 && fabs(value) < 30000) s->y = (int)value;
    if (strcmp(name, "panel") == 0) s->panel = value != 0;
    if (strcmp(name, "speed") == 0 && value >= 1.0 / 64 && value <= 64) s->speed = value;
    if (strcmp(name, "rate") == 0 && value >= 0.01 && value <= 100) s->rate = value;
    if (strcmp(name, "radius") == 0 && value >= 0.1 && value <= 10) s->radius = value;
}

viewer_settings store_read(void) {
    viewer_settings s = store_default();
    char path[INPUT_PATH], line[128], name[32];
    FILE *file = settings_path(path, sizeof path) ? fopen(path, "r") : NULL;
    double value;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%31s %lf", name, &value) == 2) set_setting(&s, name, value);
    if (file) fclose(file);
    return s;
}

void store_write(const viewer_settings *s) {
    char path[INPUT_PATH];
    rn_whole_file file;
    if (!settings_path(path, sizeof path) || rn_whole_file_open(&file, path) != RN_OK) return;
    fprintf(file.stream, "width %d\nheight %d\nx %d\ny %d\npanel %d\nspeed %.9g\nrate %.9g\nradius %.9g\n", s->width,
            s->height, s->x, s->y, s->panel, s->speed, s->rate, s->radius);
    rn_whole_file_keep(&file);
}
