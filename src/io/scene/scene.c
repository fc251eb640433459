/* Opens a scene: reads its file, builds its world, and steps it frame by frame; describes and saves it. Interface:
   include/runnel/io.h. Failures leave the reason in rn_last_error(), with the place in the file where there is one. */
#include "io/scene/scene.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/file/checkpoint.h"
#include "io/scene/blame.h"
#include "io/scene/bodies.h"
#include "io/scene/change.h"
#include "io/scene/expression.h"
#include "io/scene/flows.h"
#include "io/scene/geometry.h"
#include "io/scene/georeference.h"
#include "io/scene/roughness.h"
#include "io/scene/views.h"
#include "terrain/terrain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 8192 by 8192: about what a large machine can hold and step. */
enum { LARGEST_GRID = 1 << 26, MOST_PROBES = 1000 };

/* What rn_scene_open is building. */
typedef struct build {
    rn_scene *scene;
    const rn_scene_def *def;
    rn_checkpoint checkpoint; /* that the scene resumes from, if any */
    rn_json_path root;
    rn_shape_context shapes;
    rn_flows flows;
} build;

/* Sets scene->values.liquid.liquid to the liquid that "name" names (water if none), with its angles on the ground that
   "on" names, before the table is read, which then replaces only values that are given. Returns RN_INVALID if a name is
   unknown, or if "colour" is given together with the keys that it replaces. */
static rn_result start_liquid(rn_scene *scene, const rn_json_path *root) {
    rn_liquid_values *values = &scene->values.liquid;
    const json_t *given = json_object_get(scene->document.root, "liquid");
    const json_t *name = json_object_get(given, "name"), *on = json_object_get(given, "on");
    rn_document *document = &scene->document;
    rn_json_path liquid = {document, root, "liquid", 0}, name_at = {document, &liquid, "name", 0},
                 on_at = {document, &liquid, "on", 0};
    values->liquid = rn_liquid_water();
    if (json_is_string(name) && !rn_liquid_find(json_string_value(name), &values->liquid))
        return rn_document_pass(&name_at, RN_INVALID);
    if (json_is_string(on) && !rn_liquid_on(json_string_value(on), &values->liquid))
        return rn_document_pass(&on_at, RN_INVALID);
    const rn_json_path colour_at = {document, &liquid, "colour", 0};
    if (json_object_get(given, "colour") &&
        (json_object_get(given, "absorption") || json_object_get(given, "scattering")))
        return rn_document_fail(&colour_at, RN_INVALID, "replaces \"absorption\" and \"scattering\"; leave out either");
    return RN_OK;
}

rn_result rn_scene_read_document(rn_scene *scene) {
    const rn_json_path root = {.document = &scene->document};
    scene->values.view.glass_above = INFINITY;
    const rn_result result = start_liquid(scene, &root);
    return result == RN_OK ? rn_table_read(&rn_scene_table, scene->document.root, &root, &scene->values) : result;
}

rn_liquid rn_scene_liquid(const rn_scene *scene) {
    const double opaque = 2e-3; /* m, the default depth at which a coloured liquid hides the ground */
    const json_t *given = json_object_get(scene->document.root, "liquid");
    rn_liquid liquid = scene->values.liquid.liquid;
    if (!json_object_get(given, "receding_angle"))
        liquid.receding_angle = fmin(liquid.receding_angle, liquid.contact_angle);
    if (json_object_get(given, "colour")) {
        const bool deep = json_object_get(given, "full_depth") && liquid.full_depth > 0;
        rn_liquid_set_colour(&liquid, scene->values.liquid.colour, deep ? liquid.full_depth : opaque);
    }
    return liquid;
}

/* Replaces the values of the scene's parameters in the document by those of the caller. Returns RN_INVALID if the scene
   has no parameter of that name, or the value is not finite; or RN_MEMORY if memory runs out. */
static rn_result set_parameters(build *b) {
    rn_document *document = &b->scene->document;
    json_t *own = json_object_get(document->root, "parameters");
    rn_json_path at = {document, &b->root, "parameters", 0};
    for (int i = 0; i < b->def->parameter_count; i++) {
        const rn_parameter *given = &b->def->parameters[i];
        if (!memchr(given->name, 0, sizeof given->name) || !json_object_get(own, given->name)) {
            char name[RN_LONGEST_PARAMETER], names[160];
            snprintf(name, sizeof name, "%.*s", RN_LONGEST_PARAMETER - 1, given->name);
            const char *nearest = rn_parameters_nearest(document, name);
            rn_parameters_list(document, names, sizeof names);
            if (nearest) return rn_document_fail(&at, RN_INVALID, "has no \"%s\"; did you mean \"%s\"?", name, nearest);
            return rn_document_fail(&at, RN_INVALID, "has no \"%s\"; it has %s", name,
                                    names[0] ? names : "none at all");
        }
        if (!isfinite(given->value))
            return rn_document_fail(&at, RN_INVALID, "cannot have %g for \"%s\"; it must be a number", given->value,
                                    given->name);
        if (json_object_set_new(own, given->name, json_real(given->value)))
            return rn_fail(RN_MEMORY, "there is not enough memory");
    }
    return RN_OK;
}

/* Returns RN_INVALID if a parameter has the name of a key of the scene, because --set could not distinguish them.
   Otherwise copies all parameters to scene->parameters. */
static rn_result copy_parameters(build *b) {
    rn_json_path list = {&b->scene->document, &b->root, "parameters", 0};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)b->scene->values.parameters, name, value) {
        rn_json_path at = {&b->scene->document, &list, name, 0};
        for (int i = 0; i < rn_scene_table.count; i++)
            if (strcmp(rn_scene_table.keys[i].name, name) == 0)
                return rn_document_fail(&at, RN_INVALID, "has the name of a key of the scene; give it another");
    }
    b->scene->parameter_count = rn_parameters_copy(&b->scene->document, b->scene->parameters);
    return RN_OK;
}

/* Reads the document, from the checkpoint if there is one, applies the caller's changes, fills in scene->values, and
   sets the context for shapes, b->shapes. Returns RN_LIMIT if the grid has too many cells. */
static rn_result read_values(build *b) {
    rn_scene *scene = b->scene;
    const rn_checkpoint *saved = &b->checkpoint;
    rn_result result = saved->scene
                           ? rn_document_take(saved->scene_path, saved->scene, saved->scene_size, &scene->document)
                           : rn_document_open(b->def->path, &scene->document);
    if (result == RN_OK) result = rn_table_spell_out(&rn_scene_table, scene->document.root);
    for (int i = 0; i < b->def->set_count && result == RN_OK; i++) {
        result = rn_document_change(&scene->document, b->def->set, i);
        if (result == RN_OK) result = rn_table_spell_out(&rn_scene_table, scene->document.root);
    }
    if (result == RN_OK && b->def->geometry)
        result = rn_geometry_replace(&scene->document, b->def->geometry, &b->shapes.geometry, b->shapes.replaced,
                                     sizeof b->shapes.replaced);
    if (result == RN_OK) result = set_parameters(b);
    if (result == RN_OK) result = rn_scene_read_document(scene);
    if (result == RN_OK) result = copy_parameters(b);
    if (result != RN_OK) return result;

    const rn_grid_values *grid = &scene->values.grid;
    rn_json_path grid_at = {&scene->document, &b->root, "grid", 0}, cells_at = {&scene->document, &grid_at, "cells", 0};
    if ((int64_t)grid->cells[0] * grid->cells[1] > LARGEST_GRID)
        return rn_document_fail(&cells_at, RN_LIMIT, "asks for %d times %d cells; at most %d are allowed",
                                grid->cells[0], grid->cells[1], LARGEST_GRID);
    for (int axis = 0; axis < 2; axis++) {
        b->shapes.origin[axis] = grid->origin[axis];
        b->shapes.size[axis] = grid->cells[axis] * grid->cell;
    }
    b->shapes.hooks = &b->def->hooks;
    b->shapes.threads = b->def->threads;
    return RN_OK;
}

/* Reads "solid" and makes *terrain of it; also sets mesh, georeference and crs of the scene. The caller destroys the
   terrain, which owns the solid; *terrain is not set on failure. A failure names the place in the scene. */
static rn_result build_terrain(build *b, rn_terrain **terrain) {
    const rn_scene_values *values = &b->scene->values;
    rn_json_path at = {&b->scene->document, &b->root, "solid", 0};
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = values->grid.cells[0];
    def.cells_y = values->grid.cells[1];
    def.cell_size = values->grid.cell;
    def.origin_x = values->grid.origin[0];
    def.origin_y = values->grid.origin[1];
    const bool has_bottom = json_object_get(json_object_get(b->scene->document.root, "grid"), "bottom") != NULL;
    def.bottom = has_bottom || values->grid.lid == 0 ? values->grid.bottom : -INFINITY;
    def.lid = values->grid.lid;
    def.threads = b->def->threads;
    def.hooks = b->def->hooks;
    b->shapes.is_ground = true;
    rn_result result = rn_shape_read(&b->shapes, values->solid, &at, &def.solid);
    b->shapes.is_ground = false;
    b->scene->mesh = b->shapes.mesh;
    const rn_json_path place_at = {&b->scene->document, &b->root, "georeference", 0};
    if (result == RN_OK)
        result = rn_georeference_read(&values->georeference, json_object_get(b->scene->document.root, "georeference"),
                                      &place_at, &b->shapes, &b->scene->georeference);
    b->scene->crs = b->shapes.crs;
    if (result != RN_OK) {
        rn_sdf_destroy(def.solid);
        return result;
    }
    result = rn_terrain_create(&def, terrain);
    const rn_json_path grid_at = {&b->scene->document, &b->root, "grid", 0},
                       lid_at = {&b->scene->document, &grid_at, "lid", 0};
    const bool low = values->grid.lid != 0 && values->grid.lid <= fmax(def.bottom, 0);
    return result == RN_OK ? RN_OK : rn_document_pass(low ? &lid_at : &at, result);
}

/* Returns RN_INVALID for keys that the solver "mac" would silently ignore, unless they are empty lists. */
static rn_result check_mac_keys(const build *b) {
    static const char *const keys[] = {
        "passages", "packets", "courant", "solver_iterations", "max_substeps", "give_back", "stir", "drop", "roughness",
        "rain",     "losses",  "forces",  "manning",           "chezy",        "wetting"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *given = json_object_get(b->scene->document.root, keys[i]);
        const rn_json_path at = {&b->scene->document, &b->root, keys[i], 0};
        if (!given || (json_is_array(given) && json_array_size(given) == 0)) continue;
        return rn_document_fail(&at, RN_INVALID,
                                "is not for the solver \"mac\"; leave it out, or choose another solver");
    }
    return RN_OK;
}

/* Returns how far (m) the scene's moving solids carve below its lowest ground, 0 or more, at most the height of the
   world: heights are counted from there. */
static double deepest_dig(const rn_scene *scene, const rn_terrain *terrain) {
    const rn_terrain_info info = rn_terrain_describe(terrain);
    double dig = 0.0;
    for (size_t i = 0; i < scene->script_count; i++) {
        const double depth = info.lowest - rn_script_depth(&scene->scripts[i]);
        if (depth > dig) dig = depth;
    }
    return fmin(dig, info.lid - info.lowest);
}

/* Logs a hint if the viscosity is that of no liquid which flows: perhaps it was given in Pa s. */
static void hint_at_viscosity(const build *b, const rn_liquid *liquid) {
    const double thickest = 0.5; /* m²/s: hundred times that of honey */
    if (!(liquid->viscosity > thickest)) return;
    rn_log(&b->def->hooks, RN_LOG_WARNING,
           "%s: \"liquid.viscosity\" is %g m²/s, %.0f times that of honey; if these are Pa s, divide by the density: "
           "%.3g m²/s",
           b->scene->document.path, liquid->viscosity, liquid->viscosity / 4e-3, liquid->viscosity / liquid->density);
}

/* Creates scene->world from the values of the scene, still without liquid, solids and bodies. Solids must have been
   read. Logs hints about values that look wrong. A failure names the key that is to blame, if there is one. */
static rn_result build_world(build *b, const rn_terrain *terrain) {
    const rn_scene_values *values = &b->scene->values;
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.liquid = rn_scene_liquid(b->scene);
    def.gravity = (rn_vec3){values->gravity[0], values->gravity[1], values->gravity[2]};
    rn_scene_friction(b->scene->document.root, values, &def);
    def.model = (rn_model)values->model;
    def.contact = (rn_contact)values->contact;
    if (json_object_get(b->scene->document.root, "advection"))
        rn_log(&b->def->hooks, RN_LOG_INFO,
               "%s: \"advection\" is no longer needed: the physical model always carries momentum along",
               b->scene->document.path);
    hint_at_viscosity(b, &def.liquid);
    const bool old = values->passages == RN_OLD_IMPLICIT;
    if (strcmp(values->solver, "mac") == 0) {
        const rn_result fits = check_mac_keys(b);
        if (fits != RN_OK) return fits;
    }
    if (old && json_object_get(b->scene->document.root, "solver") && strcmp(values->solver, "implicit") != 0) {
        const rn_json_path at = {&b->scene->document, &b->root, "passages", 0};
        return rn_document_fail(&at, RN_INVALID, "is \"implicit\", but \"solver\" is \"%s\"; leave out \"passages\"",
                                values->solver);
    }
    def.solver = old ? "implicit" : values->solver;
    def.passages = old ? RN_PASSAGES_DEFAULT : (rn_passages)values->passages;
    def.courant = values->courant;
    def.packets = (rn_packets_def){.count = values->packets.count,
                                   .smoothing = values->packets.smoothing,
                                   .courant = values->packets.courant,
                                   .trace = (rn_trace)values->packets.trace,
                                   .levels = values->packets.levels,
                                   .tolerance = values->packets.tolerance};
    memcpy(def.packets.fine, values->packets.fine, sizeof def.packets.fine);
    def.give_back = values->give_back;
    def.stir = values->stir;
    def.backend = b->def->backend                    ? b->def->backend
                  : values->backend == RN_SCENE_AUTO ? "auto"
                  : values->backend == RN_SCENE_CUDA ? "cuda"
                                                     : "cpu";
    def.solver_iterations = values->solver_iterations;
    for (int side = 0; side < 4; side++) def.edges[side] = (rn_edge)values->edges[side];
    def.drop_x = values->drop[0];
    def.drop_y = values->drop[1];
    def.max_substeps = values->max_substeps;
    def.memory = 1e9 * values->memory;
    def.threads = b->def->threads;
    def.hooks = b->def->hooks;
    def.dig = deepest_dig(b->scene, terrain);
    rn_result result = rn_world_create(&def, &b->scene->world);
    if (result == RN_OK) return RN_OK;
    const char *key = result == RN_INVALID ? rn_scene_blame(values, &def, b->def->backend != NULL) : NULL;
    const rn_json_path at = {&b->scene->document, &b->root, key, 0};
    return rn_document_pass(key ? &at : &b->root, result);
}

/* Reads one element of "wetting" and sets the contact angles of the ground. */
static rn_result add_wetting(build *b, const json_t *object, const rn_json_path *place) {
    return rn_scene_wet(b->scene->world, &b->shapes, object, place);
}

/* Reads one element of "roughness" and sets the friction of the ground. */
static rn_result add_roughness(build *b, const json_t *object, const rn_json_path *place) {
    return rn_scene_roughen(b->scene->world, &b->shapes, object, place);
}

/* Reads one element of "fills" and fills liquid into the world: with "in", only within that shape. */
static rn_result add_fill(build *b, const json_t *object, const rn_json_path *place) {
    rn_fill_values values = {0};
    rn_result result = rn_table_read(&rn_fill_table, object, place, &values);
    if (result != RN_OK) return result;
    bool level = json_object_get(object, "level") != NULL, depth = json_object_get(object, "depth") != NULL;
    rn_sdf *shape = NULL, *region = NULL;
    rn_json_path shape_at = {place->document, place, "shape", 0}, in_at = {place->document, place, "in", 0};
    if (values.shape) result = rn_shape_read(&b->shapes, values.shape, &shape_at, &shape);
    if (result == RN_OK && values.in) {
        result = rn_shape_read(&b->shapes, values.in, &in_at, &region);
        if (result == RN_OK) {
            shape = shape ? rn_sdf_intersect(shape, region, 0) : region;
            if (!shape) result = rn_document_pass(place, RN_MEMORY);
        }
    }
    if (result == RN_OK) {
        rn_fill_kind kind = level ? RN_FILL_LEVEL : depth ? RN_FILL_DEPTH : RN_FILL_SHAPE;
        rn_fill_def fill = {.kind = kind, .value = level ? values.level : values.depth, .shape = shape};
        result = rn_world_fill(b->scene->world, &fill);
        if (result != RN_OK) rn_document_pass(place, result);
    }
    rn_sdf_destroy(shape);
    return result;
}

/* Reads one element of "sources" and adds it to the world. */
static rn_result add_source(build *b, const json_t *object, const rn_json_path *place) {
    return rn_flows_source(&b->flows, object, place);
}

/* Reads one element of "drains" and adds it to the world. */
static rn_result add_drain(build *b, const json_t *object, const rn_json_path *place) {
    return rn_flows_drain(&b->flows, object, place);
}

/* Reads one element of "rain" and adds it to the world. */
static rn_result add_rain(build *b, const json_t *object, const rn_json_path *place) {
    return rn_flows_rain(&b->flows, object, place);
}

/* Reads one element of "losses" and adds it to the world. */
static rn_result add_loss(build *b, const json_t *object, const rn_json_path *place) {
    return rn_flows_loss(&b->flows, object, place);
}

/* Reads one element of "forces" and adds it to the world. */
static rn_result add_force(build *b, const json_t *object, const rn_json_path *place) {
    rn_force_values v = {.radius = 0.0};
    const rn_result result = rn_table_read(&rn_force_table, object, place, &v);
    if (result != RN_OK) return result;
    const rn_force_def def = {.at = {v.at[0], v.at[1], 0.0},
                              .radius = v.radius,
                              .push = {v.push[0], v.push[1]},
                              .swirl = v.swirl,
                              .stress = {v.stress[0], v.stress[1]},
                              .start = v.start,
                              .stop = v.stop};
    return rn_world_add_force(b->scene->world, &def) >= 0 ? RN_OK : rn_document_pass(place, RN_INVALID);
}

/* Reads one element of "probes" and appends it to scene->probes. Returns RN_LIMIT if there are 1000 already. */
static rn_result add_probe(build *b, const json_t *object, const rn_json_path *place) {
    rn_scene *scene = b->scene;
    if (scene->probe_count == MOST_PROBES)
        return rn_document_fail(place, RN_LIMIT, "is one probe too many; at most %d are allowed", MOST_PROBES);
    if (!scene->probes) {
        scene->probes = rn_alloc(&scene->hooks, json_array_size(scene->values.probes), sizeof *scene->probes);
        if (!scene->probes) return RN_MEMORY;
    }
    rn_probe *next = &scene->probes[scene->probe_count];
    rn_result result = rn_flows_probe(&b->flows, object, place, scene->probes, scene->probe_count, next);
    if (result == RN_OK) scene->probe_count++;
    return result;
}

/* Calls `add` for each element of `list`, the scene's list under `key`, until one fails, and returns that result.
   Returns RN_INVALID if an element is not an object. NULL is an empty list. */
static rn_result add_each(build *b, const json_t *list, const char *key,
                          rn_result (*add)(build *, const json_t *, const rn_json_path *)) {
    rn_json_path list_at = {&b->scene->document, &b->root, key, 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        rn_json_path at = {&b->scene->document, &list_at, NULL, i};
        rn_result result = rn_document_object(object, &at);
        if (result == RN_OK) result = add(b, object, &at);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Reads one element of "solids" and appends it to scene->scripts, before the world is made: how deep heights reach
   depends on it. */
static rn_result read_script(build *b, const json_t *object, const rn_json_path *place) {
    rn_scene *scene = b->scene;
    if (!scene->scripts) {
        scene->scripts = rn_alloc(&scene->hooks, json_array_size(scene->values.solids), sizeof *scene->scripts);
        if (!scene->scripts) return RN_MEMORY;
    }
    rn_result result = rn_script_read(&b->shapes, object, place, &scene->scripts[scene->script_count]);
    if (result == RN_OK) scene->script_count++;
    return result;
}

/* Adds the solids in scene->scripts to the world, as they are at the start, and commits them. */
static rn_result begin_scripts(build *b) {
    rn_json_path list_at = {&b->scene->document, &b->root, "solids", 0};
    rn_result result = RN_OK;
    for (size_t i = 0; i < b->scene->script_count && result == RN_OK; i++) {
        rn_json_path at = {&b->scene->document, &list_at, NULL, i};
        result = rn_script_begin(&b->scene->scripts[i], b->scene->world);
        if (result != RN_OK) return rn_document_pass(&at, result);
    }
    if (b->scene->script_count == 0) return RN_OK;
    result = rn_world_commit(b->scene->world);
    return result == RN_OK ? RN_OK : rn_document_pass(&list_at, result);
}

/* Reads one element of "views" and appends it to scene->views, which has room. */
static rn_result add_view(build *b, const json_t *object, const rn_json_path *place) {
    return rn_views_read(object, place, b->scene->views, &b->scene->view_count);
}

/* Creates scene->views: the scene's own views, then the built-in ones whose names are not taken. */
static rn_result add_views(build *b) {
    rn_scene *scene = b->scene;
    scene->views = rn_alloc(&scene->hooks, RN_MOST_VIEWS + RN_BUILT_IN_VIEWS, sizeof *scene->views);
    if (!scene->views) return RN_MEMORY;
    rn_result result = add_each(b, scene->values.views, "views", add_view);
    if (result == RN_OK) scene->view_count = rn_views_complete(scene->views, scene->view_count);
    return result;
}

/* Opens the files of poses, starts an engine if bodies need one, and adds the bodies that are present at the start, or
   at the frame of the checkpoint. The solid of the terrain must live as long as the bodies do. */
static rn_result begin_bodies(build *b, const rn_terrain *terrain) {
    const rn_stage stage = {.world = b->scene->world,
                            .solid = terrain->solid,
                            .values = &b->scene->values,
                            .replay = b->def->replay_poses,
                            .record = b->def->record_poses,
                            .frame = b->checkpoint.frame};
    return rn_scene_bodies_begin(b->scene->bodies, &stage);
}

/* Adds solids, fills, bodies, roughness, wetting, sources, drains, forces, rain, losses, views and probes, in this
   order, in which they take effect. Bodies come after fills, because liquid makes way for them; with the solver "mac"
   before. Stops at the first failure. */
static rn_result add_lists(build *b, const rn_terrain *terrain) {
    const rn_scene_values *values = &b->scene->values;
    b->flows = (rn_flows){b->scene->world, &b->shapes};
    const bool deep = strcmp(values->solver, "mac") == 0; /* its liquid is filled in around bodies */
    rn_result result = begin_scripts(b);
    if (result == RN_OK && deep) result = begin_bodies(b, terrain);
    if (result == RN_OK) result = add_each(b, values->fills, "fills", add_fill);
    if (result == RN_OK && !deep) result = begin_bodies(b, terrain);
    if (result == RN_OK) result = add_each(b, values->roughness, "roughness", add_roughness);
    if (result == RN_OK) result = add_each(b, values->wetting, "wetting", add_wetting);
    if (result == RN_OK) result = add_each(b, values->sources, "sources", add_source);
    if (result == RN_OK) result = add_each(b, values->drains, "drains", add_drain);
    if (result == RN_OK) result = add_each(b, values->forces, "forces", add_force);
    if (result == RN_OK) result = add_each(b, values->rain, "rain", add_rain);
    if (result == RN_OK) result = add_each(b, values->losses, "losses", add_loss);
    if (result == RN_OK) result = add_views(b);
    if (result == RN_OK) result = add_each(b, values->probes, "probes", add_probe);
    return result;
}

/* Restores the state of the checkpoint: world, solids, bodies and frame. Returns RN_FORMAT or another result, with the
   checkpoint's name in the message, if the checkpoint does not fit the scene. */
static rn_result restore_checkpoint(build *b) {
    const rn_checkpoint *saved = &b->checkpoint;
    rn_snapshot *snapshot = NULL;
    const size_t bodies = rn_scene_bodies_bytes(b->scene->bodies), size = saved->state_size - bodies;
    rn_result result = saved->state_size < bodies
                           ? rn_fail(RN_FORMAT, "is damaged: it has no room for the state of its bodies")
                           : rn_snapshot_create(&b->scene->hooks, saved->state, size, &snapshot);
    if (result == RN_OK) result = rn_world_restore(b->scene->world, snapshot);
    rn_snapshot_destroy(snapshot);
    const double time = rn_world_get_stats(b->scene->world).time;
    for (size_t i = 0; i < b->scene->script_count && result == RN_OK; i++)
        result = rn_script_resume(&b->scene->scripts[i], b->scene->world, time);
    if (result == RN_OK) result = rn_scene_bodies_resume(b->scene->bodies, (char *)saved->state + size);
    b->scene->frame = saved->frame;
    if (result == RN_OK) return RN_OK;
    char reason[512];
    snprintf(reason, sizeof reason, "%s", rn_last_error());
    return rn_fail(result, "%s: %s", b->def->checkpoint, reason);
}

/* Sets scene->low and scene->high (m), the box that views show: the domain, from a little below the lowest ground to
   the highest. Called once, at the start, so that views stay still while solid moves. */
static void measure_box(rn_scene *scene, const rn_terrain *terrain) {
    const rn_terrain_info info = rn_terrain_describe(terrain);
    const double length = info.cells_x * info.cell_size, width = info.cells_y * info.cell_size;
    scene->low = (rn_vec3){info.origin_x, info.origin_y, info.lowest - 0.03 * fmax(length, width)}; /* some thickness */
    scene->high = (rn_vec3){info.origin_x + length, info.origin_y + width, info.highest};
}

/* Loads the file of "view.texture", if there is one, into scene->texture, which covers the domain. A failure names the
   place in the scene and the file. */
static rn_result read_texture(build *b) {
    rn_scene *scene = b->scene;
    const rn_json_path view_at = {&scene->document, &b->root, "view", 0},
                       at = {&scene->document, &view_at, "texture", 0};
    char path[4096];
    if (!scene->values.view.texture) return RN_OK;
    rn_result result = rn_document_beside(&at, scene->values.view.texture, path, sizeof path);
    if (result != RN_OK) return result;
    result = rn_texture_load(path, &scene->texture);
    scene->texture.low = scene->low;
    scene->texture.high = scene->high;
    return result == RN_OK ? RN_OK : rn_document_pass(&at, result);
}

/* Sets the scene's name: that of its file, without folder and extension, cut off at 127 bytes. */
static void name_scene(rn_scene *scene, const char *path) {
    const char *name = rn_path_name(path), *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(scene->name, sizeof scene->name, "%.*s", length, name);
}

/* Reads the coats of the view. */
static rn_result read_coats(build *b) {
    rn_scene *scene = b->scene;
    const rn_json_path view_at = {&scene->document, &b->root, "view", 0};
    return rn_coats_read(&b->shapes, scene->values.view.coats, &view_at, &scene->coats);
}

rn_result rn_scene_open(const rn_scene_def *def, rn_scene **out) {
    if (!RN_REQUIRE(def ? &def->hooks : NULL, def && (def->path || def->checkpoint) && out)) return RN_INVALID;
    *out = NULL;
    if (def->checkpoint && def->parameter_count)
        return rn_fail(RN_INVALID, "%s: continues with the parameters it was made with; give none", def->checkpoint);
    if (def->checkpoint && def->geometry)
        return rn_fail(RN_INVALID, "%s: continues with the geometry it was made with; give none", def->checkpoint);
    rn_scene *scene = rn_alloc(&def->hooks, 1, sizeof *scene);
    if (!scene) return RN_MEMORY;
    scene->hooks = def->hooks;
    scene->threads = def->threads;
    build b = {.scene = scene, .def = def, .root = {.document = &scene->document}};
    rn_terrain *terrain = NULL;
    rn_result result = def->checkpoint ? rn_checkpoint_read(def->checkpoint, &b.checkpoint) : RN_OK;
    if (result == RN_OK) name_scene(scene, def->checkpoint ? b.checkpoint.scene_path : def->path);
    if (result == RN_OK) result = read_values(&b);
    if (result == RN_OK) result = build_terrain(&b, &terrain);
    if (result == RN_OK) result = add_each(&b, scene->values.solids, "solids", read_script);
    if (result == RN_OK) result = rn_scene_bodies_read(&b.shapes, &scene->values, &b.root, &scene->bodies);
    if (result == RN_OK) result = build_world(&b, terrain);
    if (result == RN_OK) measure_box(scene, terrain);
    if (result == RN_OK) result = read_texture(&b);
    if (result == RN_OK) result = read_coats(&b);
    if (result == RN_OK) result = add_lists(&b, terrain);
    if (result == RN_OK && def->checkpoint) result = restore_checkpoint(&b);
    rn_checkpoint_free(&b.checkpoint);
    if (def->keep_solid || (scene->bodies && rn_scene_bodies_move(scene->bodies))) scene->terrain = terrain;
    else rn_terrain_destroy(terrain);
    if (result != RN_OK) {
        rn_scene_close(scene);
        return result;
    }
    scene->document.set = NULL; /* the caller's strings need not outlive this call */
    scene->document.set_count = 0;
    *out = scene;
    return RN_OK;
}

void rn_scene_close(rn_scene *scene) {
    if (!scene) return;
    rn_scene_bodies_free(scene->bodies);
    rn_world_destroy(scene->world);
    rn_terrain_destroy(scene->terrain);
    for (size_t i = 0; i < scene->script_count; i++) rn_script_free(&scene->scripts[i]);
    rn_free(&scene->hooks, scene->scripts);
    rn_coats_free(&scene->coats);
    rn_document_close(&scene->document);
    rn_hooks hooks = scene->hooks;
    rn_texture_free(&scene->texture);
    rn_free(NULL, scene->crs);
    rn_free(&hooks, scene->probes);
    rn_free(&hooks, scene->views);
    rn_free(&hooks, scene);
}

rn_result rn_scene_step(rn_scene *scene) {
    const double from = rn_world_get_stats(scene->world).time, to = from + scene->values.frame_time;
    for (size_t i = 0; i < scene->script_count; i++) {
        rn_result result = rn_script_step(&scene->scripts[i], scene->world, from, to);
        if (result != RN_OK) return result;
    }
    rn_result result = rn_scene_bodies_step(scene->bodies, scene->frame + 1, from, to);
    if (result == RN_OK) result = rn_world_step(scene->world, scene->values.frame_time);
    if (result == RN_OK) result = rn_scene_bodies_arrive(scene->bodies, ++scene->frame);
    return result;
}

rn_result rn_scene_keep_poses(rn_scene *scene) {
    return RN_REQUIRE(NULL, scene != NULL) ? rn_scene_bodies_keep(scene->bodies) : RN_INVALID;
}

/* Copies the state of the world, followed by that of its bodies, to saved->state and sets saved->state_size. The caller
   frees saved->state with free(), also after a failure. */
static rn_result save_state(rn_scene *scene, rn_checkpoint *saved) {
    rn_snapshot *snapshot = NULL;
    rn_result result = rn_world_save(scene->world, &snapshot);
    if (result == RN_OK) {
        const size_t bodies = rn_scene_bodies_bytes(scene->bodies);
        size_t size;
        const void *bytes = rn_snapshot_bytes(snapshot, &size);
        saved->state_size = size + bodies;
        saved->state = malloc(saved->state_size);
        if (saved->state) {
            memcpy(saved->state, bytes, size);
            rn_scene_bodies_save(scene->bodies, (char *)saved->state + size);
        } else result = rn_fail(RN_MEMORY, "there is not enough memory");
    }
    rn_snapshot_destroy(snapshot);
    return result;
}

rn_result rn_scene_save(rn_scene *scene, const char *path) {
    rn_checkpoint saved = {.scene_path = scene->document.path, .frame = scene->frame};
    rn_result result = save_state(scene, &saved);
    saved.scene = json_dumps(scene->document.root, JSON_COMPACT);
    if (result == RN_OK && !saved.scene) result = rn_fail(RN_MEMORY, "there is not enough memory");
    if (result == RN_OK) {
        saved.scene_size = strlen(saved.scene);
        result = rn_checkpoint_write(path, &saved);
    }
    free(saved.scene);
    free(saved.state);
    return result;
}

rn_scene_info rn_scene_describe(const rn_scene *scene) {
    const rn_scene_values *values = &scene->values;
    const rn_texture *texture = scene->texture.pixels ? &scene->texture : NULL;
    const rn_coat *coats = scene->coats.coats;
    return (rn_scene_info){
        .name = scene->name,
        .title = values->title,
        .about = values->about,
        .ground_moves = scene->script_count > 0,
        .frames = values->frames,
        .frame = scene->frame,
        .frame_time = values->frame_time,
        .poster = values->poster,
        .view = {.width = values->view.width,
                 .ground = {values->view.ground[0], values->view.ground[1], values->view.ground[2]},
                 .material = (rn_solid_material)values->view.material,
                 .texture = texture,
                 .full_depth = values->view.full_depth,
                 .plain = values->view.plain,
                 .tiles = values->view.tiles,
                 .threads = scene->threads},
        .look = {.ground = {values->view.ground[0], values->view.ground[1], values->view.ground[2]},
                 .backdrop = {values->view.backdrop[0], values->view.backdrop[1], values->view.backdrop[2]},
                 .material = (rn_solid_material)values->view.material,
                 .coats = {coats[0], coats[1], coats[2]},
                 .floor = (rn_solid_material)values->view.floor,
                 .gloss = values->view.gloss,
                 .full_depth = values->view.full_depth,
                 .exposure = values->view.exposure,
                 .outdoors = values->view.outdoors,
                 .glass = isfinite(values->view.glass_above),
                 .glass_above = isfinite(values->view.glass_above) ? values->view.glass_above : 0,
                 .no_wetness = values->view.tight,
                 .texture = texture},
        .views = scene->views,
        .view_count = scene->view_count,
        .low = scene->low,
        .high = scene->high,
        .probes = scene->probes,
        .probe_count = scene->probe_count,
        .parameters = scene->parameters,
        .parameter_count = scene->parameter_count,
        .lost_bodies = rn_scene_bodies_lost(scene->bodies),
        .georeference = scene->georeference,
    };
}

const rn_terrain *rn_scene_terrain(const rn_scene *scene) {
    return RN_REQUIRE(NULL, scene != NULL) ? scene->terrain : NULL;
}

const rn_sdf *rn_scene_solid(const rn_scene *scene) {
    return RN_REQUIRE(NULL, scene != NULL) && scene->terrain ? scene->terrain->solid : NULL;
}

rn_world *rn_scene_world(rn_scene *scene) { return scene->world; }

rn_skin_def rn_scene_skin(rn_scene *scene) {
    if (!RN_REQUIRE(NULL, scene != NULL)) return (rn_skin_def){0};
    const rn_view_values *view = &scene->values.view;
    rn_skin_def def = rn_skin_default(scene->world);
    def.shape = rn_scene_solid(scene);
    if (view->full_depth > 0) def.surface.full_depth = (float)view->full_depth;
    def.paints = scene->coats.paints;
    def.paint_count = scene->coats.count;
    def.surface.choppiness = (float)view->choppiness;
    return def;
}
