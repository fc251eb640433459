/* Changes of a scene while it runs: settings (rn_scene_set), new bodies and pushes on them. Interface:
   include/runnel/io.h. Each change of a setting or body is also made in the scene's document, so that checkpoints and
   saved scenes contain it. Also returns text and path of a scene. Failures leave the reason in rn_last_error(). */
#include "base/error.h"
#include "io/scene/change.h"
#include "io/scene/roughness.h"
#include "io/scene/scene.h"

#include <string.h>

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

/* Keys that may change while a scene runs. */
static const char *const live_keys[] = {"gravity", "liquid", "friction", "courant", "packets.courant", "max_substeps"};
enum { LIVE_KEYS = sizeof live_keys / sizeof live_keys[0] };

/* Whether "KEY=VALUE" (or "KEY.INNER=VALUE") changes one of live_keys, or a value inside one. */
static bool may_change(const char *change) {
    for (int i = 0; i < LIVE_KEYS; i++) {
        const size_t length = strlen(live_keys[i]);
        if (strncmp(change, live_keys[i], length) == 0 && (change[length] == '=' || change[length] == '.')) return true;
    }
    return false;
}

/* Passes the settings in scene->values that differ from `before` to the world, and gravity also to the bodies. `ground`
   has the friction before the change, of which only `friction` itself may differ now. Returns RN_INVALID, with nothing
   changed, if Manning's or Chezy's number would change. After any other failure, settings that were passed on before it
   stay changed in the world. */
static rn_result apply_settings(rn_scene *scene, const rn_scene_values *before, const rn_world_def *ground) {
    const rn_scene_values *now = &scene->values;
    rn_world *world = scene->world;
    const rn_vec3 gravity = {now->gravity[0], now->gravity[1], now->gravity[2]};
    const rn_liquid liquid = rn_scene_liquid(scene);
    rn_world_def friction = rn_world_default();
    rn_scene_friction(scene->document.root, now, &friction);
    if (friction.manning != ground->manning || friction.chezy != ground->chezy)
        return rn_fail(RN_INVALID, "friction cannot change while this scene runs: its ground has a Manning or Chezy "
                                   "number, which a given friction replaces; set it before the run");
    rn_result result = RN_OK;
    if (memcmp(now->gravity, before->gravity, sizeof now->gravity) != 0) {
        result = rn_world_set_gravity(world, gravity);
        if (result == RN_OK) result = rn_scene_bodies_set_gravity(scene->bodies, gravity);
    }
    if (result == RN_OK && memcmp(&now->liquid, &before->liquid, sizeof now->liquid) != 0)
        result = rn_world_set_liquid(world, &liquid);
    if (result == RN_OK && friction.friction != ground->friction)
        result = rn_world_set_default_friction(world, friction.friction);
    const bool packets = strcmp(now->solver, "packets") == 0;
    if (result == RN_OK && now->courant != before->courant && !packets)
        result = rn_world_set_courant(world, now->courant);
    if (result == RN_OK && now->packets.courant != before->packets.courant && packets)
        result = rn_world_set_courant(world, now->packets.courant);
    if (result == RN_OK && now->max_substeps != before->max_substeps)
        result = rn_world_set_max_substeps(world, now->max_substeps);
    return result;
}

rn_result rn_scene_set(rn_scene *scene, const char *change) {
    if (!may_change(change))
        return rn_fail(RN_INVALID,
                       "%.200s: this cannot change while a scene runs; gravity, liquid, friction, courant, "
                       "packets.courant and max_substeps can",
                       change);
    json_t *const before = scene->document.root;
    const rn_scene_values old = scene->values;
    rn_world_def ground = rn_world_default();
    rn_scene_friction(before, &old, &ground);
    scene->document.root = json_deep_copy(before);
    rn_result result = scene->document.root ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory");
    if (result == RN_OK) result = rn_document_change(&scene->document, &change, 0);
    if (result == RN_OK) result = rn_table_spell_out(&rn_scene_table, scene->document.root);
    if (result == RN_OK) result = rn_scene_read_document(scene);
    if (result == RN_OK) result = apply_settings(scene, &old, &ground);
    scene->document.set = NULL;
    scene->document.set_count = 0;
    if (result == RN_OK) {
        json_decref(before);
        return RN_OK;
    }
    json_decref(scene->document.root);
    scene->document.root = before;
    scene->values = old;
    return result;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* Returns the context for reading the shapes of bodies: the domain (m), hooks and threads; no shapes counted yet. */
static rn_shape_context shape_context(const rn_scene *scene) {
    const rn_grid_values *grid = &scene->values.grid;
    rn_shape_context shapes = {.hooks = &scene->hooks, .threads = scene->threads};
    for (int axis = 0; axis < 2; axis++) {
        shapes.origin[axis] = grid->origin[axis];
        shapes.size[axis] = grid->cells[axis] * grid->cell;
    }
    return shapes;
}

/* Returns the list "bodies", owned by the document. If the document has none, adds an empty one and sets
   scene->values.bodies to it. Returns NULL, without an error text, if memory runs out. */
static json_t *body_list(rn_scene *scene) {
    json_t *list = json_object_get(scene->document.root, "bodies");
    if (list) return list;
    json_object_set_new(scene->document.root, "bodies", json_array());
    list = json_object_get(scene->document.root, "bodies");
    scene->values.bodies = list;
    return list;
}

rn_result rn_scene_add_body(rn_scene *scene, const char *json) {
    if (!scene->terrain)
        return rn_fail(RN_INVALID, "bodies can be added only to a scene that was opened with keep_solid");
    json_error_t why;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
    if (!object) return rn_fail(RN_FORMAT, "the body is not a JSON object: %s", why.text);
    if (!json_is_object(object)) {
        json_decref(object);
        return rn_fail(RN_FORMAT, "the body is not a JSON object; write it as in the \"bodies\" of a scene");
    }
    json_t *list = body_list(scene);
    if (!list || json_object_set_new(object, "start", json_real(scene->frame * scene->values.frame_time)) ||
        json_array_append(list, object)) {
        json_decref(object);
        return rn_fail(RN_MEMORY, "there is not enough memory");
    }
    json_decref(object); /* the list has it now */
    rn_shape_context shapes = shape_context(scene);
    const size_t entry = json_array_size(list) - 1;
    const rn_result result = rn_scene_bodies_add(scene->bodies, &shapes, object, entry, scene->frame);
    if (result != RN_OK) json_array_remove(list, entry);
    return result;
}

rn_result rn_scene_push_body(rn_scene *scene, int body, rn_vec3 force, rn_vec3 torque) {
    return rn_scene_bodies_push(scene->bodies, body, force, torque);
}

/* ---- Writing out ------------------------------------------------------------------------------------------------- */

rn_result rn_scene_text(const rn_scene *scene, char **text) {
    *text = json_dumps(scene->document.root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    return *text ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory");
}

const char *rn_scene_path(const rn_scene *scene) { return scene->document.path; }
