#include "export.h"

#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[] = {"ply", "obj"};

bool export_knows(const char *ending) {
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(ending, endings[i]) == 0) return true;
    complain("runnel run: --export %.60s: meshes are written as ply or obj", ending);
    return false;
}

static bool fail(void) {
    complain("%s", rn_last_error());
    return false;
}

bool export_open(exporter *e, const char *ending, rn_scene *scene, int threads) {
    *e = (exporter){.ending = ending};
    if (!ending) return true;
    rn_skin_def def = rn_skin_default(rn_scene_world(scene));
    const double shown = rn_scene_describe(scene).view.full_depth; /* as in the pictures, or as it is */
    if (shown > 0) def.surface.full_depth = (float)shown;
    def.shape = rn_scene_solid(scene);
    def.threads = threads;
    return rn_skin_create(&def, &e->skin) == RN_OK || fail();
}

void export_close(exporter *e) {
    rn_skin_destroy(e->skin);
    *e = (exporter){0};
}

static bool write_mesh(const exporter *e, const char *folder, const char *name, int frame, const rn_mesh *mesh) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s-%04d.%s", folder, name, frame, e->ending);
    if (length < 0 || length >= (int)sizeof path) {
        complain("--out %.60s...: the name is longer than %zu characters", folder, sizeof path);
        return false;
    }
    return rn_mesh_write(path, mesh) == RN_OK || fail();
}

bool export_frame(exporter *e, const char *folder, int frame) {
    if (!e->ending) return true;
    bool changed;
    if (rn_skin_update(e->skin, &changed) != RN_OK) return fail();
    const rn_mesh ground = rn_skin_ground(e->skin), surface = rn_skin_surface(e->skin);
    if (changed && !write_mesh(e, folder, "terrain", frame, &ground)) return false;
    e->terrains += changed;
    e->surfaces++;
    return write_mesh(e, folder, "surface", frame, &surface);
}

int export_number(const char *name) {
    const char *digits = NULL;
    if (strncmp(name, "surface-", 8) == 0 || strncmp(name, "terrain-", 8) == 0) digits = name + 8;
    const size_t count = digits ? strspn(digits, "0123456789") : 0;
    if (count < 4 || count > 9 || digits[count] != '.') return -1;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(digits + count + 1, endings[i]) == 0) return atoi(digits);
    return -1;
}
