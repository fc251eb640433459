/* Meshes of a scene for JavaScript (core.h): the skin of its world, and files of it. */
#include "scene.h"

#include "base/error.h"

#include <string.h>

/* web/package/scene.js reads these structs by their layout. */
_Static_assert(sizeof(rn_surface_columns) == 120 && sizeof(rn_liquid) == 136 && sizeof(rn_look) == 208 &&
                   sizeof(rn_texture) == 64 && offsetof(rn_mesh, vertex_count) == 32,
               "the sizes in web/package/scene.js");

/* Makes s->skin, with menisci, as the renderer wants, and sets s->drawn. Returns false on failure. */
static bool make_skin(web_scene *s) {
    rn_skin_def def = rn_scene_skin(s->session.scene);
    def.menisci = true;
    def.hooks = web_hooks();
    def.threads = 0; /* the ground is meshed by all threads */
    s->drawn = rn_world_liquid(s->session.world);
    return rn_skin_create(&def, &s->skin) == RN_OK;
}

int runnel_update(web_scene *s) {
    if (!s->skin && !make_skin(s)) return 0;
    const rn_liquid liquid = rn_world_liquid(s->session.world);
    if (memcmp(&liquid, &s->drawn, sizeof liquid) != 0) rn_skin_follow_liquid(s->skin);
    s->drawn = liquid;
    bool ground = false;
    if (rn_skin_update(s->skin, &ground) != RN_OK) return 0;
    s->meshes[RUNNEL_GROUND] = rn_skin_ground(s->skin);
    s->meshes[RUNNEL_SURFACE] = rn_skin_surface(s->skin);
    s->meshes[RUNNEL_BODIES] = rn_skin_bodies(s->skin);
    return ground ? 2 : 1;
}

const rn_mesh *runnel_mesh(web_scene *s, int which) { return &s->meshes[which]; }

const rn_surface_columns *runnel_columns(web_scene *s) {
    const rn_surface_columns columns = rn_skin_columns(s->skin);
    return rn_columns_copy_take(&s->columns, NULL, &columns) ? &s->columns.columns : NULL;
}

const float *runnel_columns_values(web_scene *s, size_t *count) {
    *count = s->columns.room;
    return s->columns.values;
}

bool runnel_save(web_scene *s, const char *path) { return session_save_checkpoint(&s->session, path) == RN_OK; }

bool runnel_export(web_scene *s, const char *kind, const char *folder) {
    const rn_scene_info info = rn_scene_describe(s->session.scene);
    rn_export_def def = {.folder = folder, .title = info.title, .liquid = rn_world_liquid(s->session.world)};
    def.ground = info.look.ground;
    def.gloss = info.look.gloss;
    rn_export *files = NULL;
    if (rn_export_choose(kind, &def.kinds) != RN_OK || runnel_update(s) == 0) return false;
    rn_mesh ground = s->meshes[RUNNEL_GROUND];
    ground.ids = NULL; /* coats: files have one material of the ground */
    if (rn_export_open(&def, &files) != RN_OK) return false;
    const bool bodies = s->meshes[RUNNEL_BODIES].vertex_count > 0;
    const rn_export_frame frame = {
        .surface = &s->meshes[RUNNEL_SURFACE], .ground = &ground, .bodies = bodies ? &s->meshes[RUNNEL_BODIES] : NULL};
    const rn_result added = rn_export_add(files, &frame);
    return rn_export_close(files) == RN_OK && added == RN_OK;
}
