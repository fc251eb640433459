/* A scene and its description as JSON, for JavaScript (core.h). */
#include "scene.h"

#include "io/scene/scene.h"

/* Returns a vector as a list of three numbers. */
static json_t *json_of_vector(rn_vec3 v) { return json_pack("[f, f, f]", v.x, v.y, v.z); }

/* Returns the views of a scene as a list of objects, each with the name and the values of its rn_orbit. */
static json_t *json_of_views(const rn_scene_info *info) {
    json_t *views = json_array();
    for (int i = 0; i < info->view_count; i++) {
        const rn_orbit *o = &info->views[i].orbit;
        json_array_append_new(views, json_pack("{s:s, s:f, s:f, s:f, s:f, s:b, s:o, s:f}", "name", info->views[i].name,
                                               "azimuth", o->azimuth, "elevation", o->elevation, "angle", o->angle,
                                               "zoom", o->zoom, "aimed", o->aimed, "target", json_of_vector(o->target),
                                               "turn", o->turn));
    }
    return views;
}

/* Returns the probes of a scene as a list of objects: the name, and whether it is a cross-section. */
static json_t *json_of_probes(const rn_scene_info *info) {
    json_t *probes = json_array();
    for (int i = 0; i < info->probe_count; i++)
        json_array_append_new(
            probes, json_pack("{s:s, s:b}", "name", info->probes[i].name, "section", info->probes[i].is_section));
    return probes;
}

/* Returns the grid of a world as an object: cells, layers, cell size, origin and datum (m). */
static json_t *json_of_grid(const rn_world *world) {
    const rn_world_info w = rn_world_describe(world);
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f}", "cells_x", w.cells_x, "cells_y", w.cells_y, "layers",
                     w.layers, "cell_size", w.cell_size, "origin_x", w.origin_x, "origin_y", w.origin_y, "datum",
                     w.datum);
}

const char *runnel_describe(web_scene *s) {
    const rn_scene_info info = rn_scene_describe(s->session.scene);
    const rn_liquid liquid = rn_world_liquid(s->session.world);
    json_t *all =
        json_pack("{s:s, s:s, s:s, s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:s, s:f, s:f, s:f}}", "name",
                  info.name ? info.name : "", "title", info.title ? info.title : "", "about",
                  info.about ? info.about : "", "frames", info.frames, "frame_time", info.frame_time, "gravity",
                  json_of_vector(rn_world_gravity(s->session.world)), "low", json_of_vector(info.low), "high",
                  json_of_vector(info.high), "views", json_of_views(&info), "probes", json_of_probes(&info), "grid",
                  json_of_grid(s->session.world), "liquid", "name", liquid.name, "viscosity", liquid.viscosity,
                  "density", liquid.density, "contact_angle", liquid.contact_angle);
    rn_scene_text_free(s->text);
    s->text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return s->text;
}

/* Numbers keep all their digits, so that a scene that is opened from the text runs as this one does, to the bit. */
const char *runnel_text(web_scene *s) {
    rn_scene_text_free(s->text);
    s->text = json_dumps(s->session.scene->document.root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    return s->text;
}
