/* The rigid bodies of a scene (bodies.h): reads them, adds them to the world when they start, moves them frame by frame
   by a script, an engine or a replay, and adds bodies while the scene runs. Failures leave the reason in
   rn_last_error(); those of the scene file name the place in it. */
#include "io/scene/bodies.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "io/file/poses.h"
#include "io/scene/body_shape.h"
#include "io/scene/script.h"
#include "terrain/sdf.h"
#include "world/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 2000, LONGEST_NAME = 64 };

/* An element of "bodies", which may have copies. Owns shapes, path and turns. */
typedef struct entry {
    rn_shape *shape, *drawn; /* drawn: NULL if the shape is */
    rn_body_def def;
    rn_rigid_body how;
    rn_waypoint *path, *turns;
    int path_count, turn_count;
} entry;

/* One body: an entry, or one of its copies. */
typedef struct actor {
    size_t entry;  /* index in the list */
    size_t order;  /* index among all actors */
    rn_vec3 shift; /* m, relative to the entry */
    double start;  /* s */
    char name[LONGEST_NAME];
    int number;     /* of the body in the world */
    rn_quat last;   /* for a scripted actor: its rotation at the end of the last frame */
    rn_vec3 centre; /* m, its centre of mass then */
} actor;

/* An element of "joints". */
typedef struct link {
    rn_joint_def def; /* its bodies are actors */
    size_t entry;
} link;

struct rn_scene_bodies {
    rn_hooks hooks;
    rn_stage stage;
    rn_json_path root;
    entry *entries;
    size_t entry_count, entry_room;
    actor *actors; /* sorted by start: the first `present` of them are in the world */
    size_t count, capacity, present;
    link *links;
    size_t link_count;
    rn_rigid *rigid; /* NULL: not needed */
    rn_poses *replay;
    rn_pose_log *record;
};

static rn_vec3 vector(const double *v) { return (rn_vec3){v[0], v[1], v[2]}; }
static rn_vec3 plus(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }

/* ---- Reading ---- */

/* Appends copy number `copy` (from 0) of `copies` of the entry being read, moved by `shift` (m), with its start and
   name. Returns RN_LIMIT if there are too many bodies, RN_INVALID if the name is too long or taken (an empty one need
   not be unique), or RN_MEMORY if memory runs out. `place`: that of the entry. */
static rn_result add_actor(rn_scene_bodies *b, const rn_body_values *values, rn_vec3 shift, size_t copy, size_t copies,
                           const rn_json_path *place) {
    if (b->count == MOST_BODIES)
        return rn_document_fail(place, RN_LIMIT, "makes more than the %d bodies that a scene may have", MOST_BODIES);
    if (!rn_grow(&b->hooks, &b->actors, &b->capacity, b->count, sizeof *b->actors)) return RN_MEMORY;
    actor *next = &b->actors[b->count];
    *next = (actor){.entry = b->entry_count,
                    .order = b->count,
                    .shift = shift,
                    .start = values->start + (double)copy * values->copies.interval};
    const rn_json_path name_at = {place->document, place, "name", 0};
    const int length = copies > 1 && values->name[0]
                           ? snprintf(next->name, sizeof next->name, "%s-%zu", values->name, copy + 1)
                           : snprintf(next->name, sizeof next->name, "%s", values->name);
    if (length >= LONGEST_NAME)
        return rn_document_fail(&name_at, RN_INVALID, "%sis longer than the %d bytes that a name may have",
                                copies > 1 ? "with the number of its copy " : "", LONGEST_NAME - 1);
    for (size_t i = 0; i < b->count && next->name[0]; i++)
        if (strcmp(b->actors[i].name, next->name) == 0)
            return rn_document_fail(&name_at, RN_INVALID, "is \"%s\", which another body has; give it one of its own",
                                    next->name);
    b->count++;
    return RN_OK;
}

/* Adds an actor for each position (m, relative to the entry) listed in "copies.at" of the entry being read. */
static rn_result add_listed(rn_scene_bodies *b, const rn_body_values *values, const rn_json_path *place) {
    const size_t count = json_array_size(values->copies.at);
    rn_result result = RN_OK;
    for (size_t i = 0; i < count && result == RN_OK; i++) {
        double shift[3];
        for (size_t k = 0; k < 3; k++)
            shift[k] = json_number_value(json_array_get(json_array_get(values->copies.at, i), k));
        result = add_actor(b, values, vector(shift), i, count, place);
    }
    return result;
}

/* Adds the actors of the entry being read: those listed in "copies.at", or a lattice of "copies.count", x fastest; one
   if neither is given. Returns RN_INVALID if both are. */
static rn_result add_copies(rn_scene_bodies *b, const rn_body_values *values, const rn_json_path *place) {
    const rn_copy_values *c = &values->copies;
    const rn_json_path at = {place->document, place, "copies", 0};
    const size_t count = (size_t)c->count[0] * (size_t)c->count[1] * (size_t)c->count[2];
    if (c->at && count > 1)
        return rn_document_fail(&at, RN_INVALID, "has both \"at\" and \"count\"; leave out one of them");
    if (c->at) return add_listed(b, values, place);
    rn_result result = RN_OK;
    for (size_t i = 0; i < count && result == RN_OK; i++) {
        const size_t nx = (size_t)c->count[0], ny = (size_t)c->count[1];
        const double x = (double)(i % nx), y = (double)(i / nx % ny), z = (double)(i / nx / ny);
        const rn_vec3 shift = {x * c->step[0], y * c->step[1], z * c->step[2]};
        result = add_actor(b, values, shift, i, count, place);
    }
    return result;
}

/* Returns RN_INVALID for combinations of keys of a body that its table allows: mass with density, a path or turns of a
   body that is not scripted, a velocity or spin of one that is. */
static rn_result check_keys(const rn_body_values *values, const json_t *object, const rn_json_path *place) {
    const bool scripted = values->motion == RN_MOTION_SCRIPTED;
    const char *const paths[] = {"path", "turns"}, *const speeds[] = {"velocity", "spin"};
    if (json_object_get(object, "mass") && json_object_get(object, "density"))
        return rn_document_fail(place, RN_INVALID, "has both \"mass\" and \"density\"; leave out one of them");
    for (int i = 0; i < 2; i++) {
        const rn_json_path path = {place->document, place, paths[i], 0}, speed = {place->document, place, speeds[i], 0};
        if (json_object_get(object, paths[i]) && !scripted)
            return rn_document_fail(&path, RN_INVALID,
                                    "needs \"motion\": \"scripted\"; a dynamic body follows no path");
        if (json_object_get(object, speeds[i]) && scripted)
            return rn_document_fail(&speed, RN_INVALID, "is for dynamic bodies; a scripted one has a \"path\"");
    }
    return RN_OK;
}

/* Returns the definition of a body at its start, without shape and name, and without the shift of a copy. */
static rn_body_def body_def(const rn_body_values *values) {
    rn_body_def def = rn_body_default();
    def.density = values->density;
    def.mass = values->mass;
    def.mode = (rn_body_mode)values->way;
    def.blocking = (rn_blocking)values->blocking;
    def.drag = values->drag;
    def.damping = values->damping;
    def.colour = vector(values->colour);
    def.pose = (rn_pose){.at = vector(values->at),
                         .turn = rn_quat_from_degrees(vector(values->turn)),
                         .velocity = vector(values->velocity),
                         .spin = vector(values->spin)};
    return def;
}

/* Reads one element of "bodies" into the next entry, for which there is room and which must be 0, and adds its copies.
   After a failure b->entry_count includes the entry only if its keys were valid; what it owns is then freed with the
   others. */
static rn_result read_body(rn_scene_bodies *b, rn_shape_context *shapes, const json_t *object,
                           const rn_json_path *place) {
    rn_body_values values = {0};
    const rn_json_path shape_at = {place->document, place, "shape", 0}, drawn_at = {place->document, place, "drawn", 0};
    rn_result result = rn_table_read(&rn_body_table, object, place, &values);
    if (result == RN_OK) result = check_keys(&values, object, place);
    if (result != RN_OK) return result;
    entry *next = &b->entries[b->entry_count];
    next->def = body_def(&values);
    next->how = (rn_rigid_body){
        .driven = values.motion == RN_MOTION_SCRIPTED, .friction = values.friction, .bounce = values.bounce};
    result = rn_body_shape_read(shapes, values.shape, &shape_at, &next->shape);
    if (result == RN_OK && values.drawn) result = rn_body_shape_read(shapes, values.drawn, &drawn_at, &next->drawn);
    if (result == RN_OK) result = rn_waypoints_read(values.path, &next->path, &next->path_count);
    if (result == RN_OK) result = rn_waypoints_read(values.turns, &next->turns, &next->turn_count);
    if (result == RN_OK) result = add_copies(b, &values, place);
    b->entry_count++;
    return result;
}

/* Returns the index of the actor called `name`, which stands in the key `key` of `place`, or -1, with an error text, if
   there is none or the name is empty. */
static int find_actor(const rn_scene_bodies *b, const char *name, const char *key, const rn_json_path *place) {
    const rn_json_path at = {place->document, place, key, 0};
    for (size_t i = 0; i < b->count && name[0]; i++)
        if (strcmp(b->actors[i].name, name) == 0) return (int)i;
    rn_document_fail(&at, RN_INVALID, "is \"%s\"; there is no body of that name", name);
    return -1;
}

/* Whether the actor with this index is scripted. */
static bool is_scripted(const rn_scene_bodies *b, int number) { return b->entries[b->actors[number].entry].how.driven; }

/* Appends one element of "joints" to b->links, for which there is room. Actors must be in their final order. Also
   returns RN_INVALID for unknown bodies, a scripted body as the one held, and bodies that start at different times. */
static rn_result read_joint(rn_scene_bodies *b, const json_t *object, const rn_json_path *place) {
    rn_joint_values values = {0};
    rn_result result = rn_table_read(&rn_joint_table, object, place, &values);
    if (result != RN_OK) return result;
    const int body = find_actor(b, values.body, "body", place);
    const int to = body >= 0 && values.to[0] ? find_actor(b, values.to, "to", place) : -1;
    if (body < 0 || (values.to[0] && to < 0)) return RN_INVALID;
    if (is_scripted(b, body))
        return rn_document_fail(place, RN_INVALID, "holds \"%s\", which is scripted; name the dynamic body first",
                                values.body);
    if (to >= 0 && b->actors[to].start != b->actors[body].start)
        return rn_document_fail(place, RN_INVALID, "holds bodies that appear at %g and %g s; they must appear together",
                                b->actors[body].start, b->actors[to].start);
    const bool turns = values.type == RN_JOINT_HINGE;
    const double unit = turns ? 0.017453292519943295769 : 1;
    b->links[b->link_count++] = (link){.def = {.kind = (rn_joint_kind)values.type,
                                               .body = body,
                                               .to = to,
                                               .at = vector(values.at),
                                               .axis = vector(values.axis),
                                               .limited = json_object_get(object, "limits") != NULL,
                                               .low = unit * values.limits[0],
                                               .high = unit * values.limits[1]},
                                       .entry = place->index};
    return RN_OK;
}

/* Compares actors for qsort: by start, then by order in the file. */
static int compare_starts(const void *a, const void *b) {
    const actor *p = a, *q = b;
    if (p->start != q->start) return p->start < q->start ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* Reads "bodies" into entries and actors, sorts the actors by start, and then reads "joints" into links. There must be
   room for all entries and links. What was read before a failure stays. */
static rn_result read_lists(rn_scene_bodies *b, rn_shape_context *shapes, const rn_scene_values *values) {
    const rn_document *document = b->root.document;
    const rn_json_path bodies = {document, &b->root, "bodies", 0}, joints = {document, &b->root, "joints", 0};
    rn_result result = RN_OK;
    for (size_t i = 0; i < json_array_size(values->bodies) && result == RN_OK; i++) {
        const rn_json_path at = {document, &bodies, NULL, i};
        const json_t *object = json_array_get(values->bodies, i);
        result = rn_document_object(object, &at);
        if (result == RN_OK) result = read_body(b, shapes, object, &at);
    }
    if (b->count) qsort(b->actors, b->count, sizeof *b->actors, compare_starts);
    for (size_t i = 0; i < json_array_size(values->joints) && result == RN_OK; i++) {
        const rn_json_path at = {document, &joints, NULL, i};
        const json_t *object = json_array_get(values->joints, i);
        result = rn_document_object(object, &at);
        if (result == RN_OK) result = read_joint(b, object, &at);
    }
    return result;
}

rn_result rn_scene_bodies_read(rn_shape_context *shapes, const rn_scene_values *values, const rn_json_path *scene,
                               rn_scene_bodies **out) {
    *out = NULL;
    rn_scene_bodies *b = rn_alloc(shapes->hooks, 1, sizeof *b);
    if (!b) return RN_MEMORY;
    if (shapes->hooks) b->hooks = *shapes->hooks;
    b->root = *scene;
    b->entry_room = json_array_size(values->bodies);
    b->entries = rn_alloc(&b->hooks, b->entry_room, sizeof *b->entries);
    b->links = rn_alloc(&b->hooks, json_array_size(values->joints), sizeof *b->links);
    const rn_result result = b->entries && b->links ? read_lists(b, shapes, values) : RN_MEMORY;
    if (result == RN_OK) *out = b;
    else rn_scene_bodies_free(b);
    return result;
}

void rn_scene_bodies_free(rn_scene_bodies *b) {
    if (!b) return;
    const rn_hooks hooks = b->hooks;
    rn_rigid_destroy(b->rigid);
    rn_poses_free(b->replay);
    rn_pose_log_drop(b->record);
    for (size_t i = 0; i < b->entry_count; i++) {
        rn_shape_destroy(b->entries[i].shape);
        rn_shape_destroy(b->entries[i].drawn);
        rn_free(NULL, b->entries[i].path);
        rn_free(NULL, b->entries[i].turns);
    }
    rn_free(&hooks, b->entries);
    rn_free(&hooks, b->actors);
    rn_free(&hooks, b->links);
    rn_free(&hooks, b);
}

bool rn_scene_bodies_move(const rn_scene_bodies *b) {
    for (size_t i = 0; i < b->count; i++)
        if (!is_scripted(b, (int)i)) return true;
    return false;
}

/* ---- Scripts ---- */

/* Returns the pose of a scripted actor at a time (s), without velocities: path and turns, where it has them, in place
   of the position and rotation of its entry, plus its shift. */
static rn_pose script_pose(const rn_scene_bodies *b, const actor *a, double time) {
    const entry *of = &b->entries[a->entry];
    rn_pose pose = {.at = of->def.pose.at, .turn = of->def.pose.turn};
    if (of->path) pose.at = rn_path_at(of->path, of->path_count, time);
    if (of->turns) pose.turn = rn_quat_from_degrees(rn_path_at(of->turns, of->turn_count, time));
    pose.at = plus(pose.at, a->shift);
    return pose;
}

/* Returns the centre of mass (m, in the world) of an entry's body in a pose. */
static rn_vec3 centre_of(const entry *of, const rn_pose *pose) {
    double rows[3][3];
    rn_quat_rows(pose->turn, rows);
    return plus(pose->at, rn_rows_rotate(rows, rn_shape_describe(of->shape).centre));
}

/* Returns the spin (rad/s) that takes one rotation to another the shorter way in this many seconds (not 0). The angle
   comes from a series, not from libm, so that its bits are the same everywhere; from about 90 degrees on the spin is
   too large. */
static rn_vec3 spin_between(rn_quat from, rn_quat to, double seconds) {
    const rn_quat back = {-from.x, -from.y, -from.z, from.w};
    const rn_quat d = rn_quat_multiply(rn_quat_unit(to), rn_quat_unit(back));
    const double sine2 = d.x * d.x + d.y * d.y + d.z * d.z, w = d.w < 0 ? fmin(d.w, -0.1) : fmax(d.w, 0.1);
    const double t2 = fmin(sine2 / (w * w), 1), atan = 1 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7 - t2 / 9)));
    const double rate = 2 * atan / (w * seconds);
    return (rn_vec3){rate * d.x, rate * d.y, rate * d.z};
}

/* Returns the pose of a scripted actor at time `to` (s), with the mean velocity (m/s) and spin (rad/s) that take it
   there from its last pose, which was at time `from` (s, before `to`). Stores the new pose as the last one. */
static rn_pose advance_script(rn_scene_bodies *b, actor *a, double from, double to) {
    const entry *of = &b->entries[a->entry];
    rn_pose pose = script_pose(b, a, to);
    const rn_vec3 centre = centre_of(of, &pose), way = rn_minus(centre, a->centre);
    const double seconds = to - from;
    pose.velocity = (rn_vec3){way.x / seconds, way.y / seconds, way.z / seconds};
    pose.spin = spin_between(a->last, pose.turn, seconds);
    a->last = pose.turn;
    a->centre = centre;
    return pose;
}

/* Stores rotation and centre of mass of a pose as the actor's last ones, for advance_script. */
static void remember_pose(rn_scene_bodies *b, actor *a, const rn_pose *pose) {
    a->last = pose->turn;
    a->centre = centre_of(&b->entries[a->entry], pose);
}

/* ---- In the world ------------------------------------ */

/* Returns the present pose of actor i, which must be in the world. */
static rn_pose pose_of(const rn_scene_bodies *b, size_t i) {
    return rn_bodies_describe(b->stage.world, b->actors[i].number).pose;
}

/* Writes the present pose of actor i, which must be in the world, to the log of poses, as that of this frame; does
   nothing if poses are not recorded. */
static void log_pose(rn_scene_bodies *b, int frame, size_t i) {
    const rn_pose pose = pose_of(b, i);
    if (b->record) rn_pose_log_add(b->record, frame, (int)i, &pose);
}

/* Adds to the engine the joints between actor `last`, which has just been added, and earlier actors or the ground. Does
   nothing without an engine. A failure names the joint. */
static rn_result add_joints(rn_scene_bodies *b, int last) {
    const rn_json_path list = {b->root.document, &b->root, "joints", 0};
    for (size_t i = 0; i < b->link_count && b->rigid; i++) {
        const link *l = &b->links[i];
        const rn_json_path at = {b->root.document, &list, NULL, l->entry};
        if ((l->def.body > l->def.to ? l->def.body : l->def.to) != last) continue; /* the later one adds it */
        rn_joint_def def = l->def;
        def.body = b->actors[def.body].number;
        if (def.to >= 0) def.to = b->actors[def.to].number;
        const rn_result result = rn_rigid_add_joint(b->rigid, &def);
        if (result != RN_OK) return rn_document_pass(&at, result);
    }
    return RN_OK;
}

/* Adds actor `a`, which must be the first that is not yet present, to the world, and with its joints to the engine if
   there is one. With a replay the actor begins at the logged pose. Logs the pose and increments b->present. After a
   failure the actor may be in the world already; b->present then counts it. */
static rn_result add_to_world(rn_scene_bodies *b, actor *a, int frame) {
    const entry *of = &b->entries[a->entry];
    const rn_json_path list = {b->root.document, &b->root, "bodies", 0}, at = {b->root.document, &list, NULL, a->entry};
    const int i = (int)b->present;
    rn_body_def def = of->def;
    def.shape = of->shape;
    def.drawn = of->drawn;
    def.name = a->name;
    def.pose.at = plus(def.pose.at, a->shift);
    if (of->how.driven) def.pose = script_pose(b, a, a->start);
    rn_result result = b->replay ? rn_poses_next(b->replay, frame, i, &def.pose) : RN_OK;
    if (result != RN_OK) return result;
    remember_pose(b, a, &def.pose);
    a->number = rn_bodies_add(b->stage.world, &def);
    if (a->number < 0) return rn_document_pass(&at, RN_INVALID);
    b->present++;
    if (b->rigid) result = rn_rigid_add_body(b->rigid, a->number, &of->how);
    if (result != RN_OK) return rn_document_pass(&at, result);
    log_pose(b, frame, (size_t)i);
    return add_joints(b, i);
}

/* Uses frames instead of the world's time, so that a resumed scene knows which bodies are present: with "max_substeps"
   time may fall behind. */
rn_result rn_scene_bodies_arrive(rn_scene_bodies *b, int frame) {
    const double time = frame * b->stage.values->frame_time * (1 + 1e-12);
    rn_result result = RN_OK;
    while (result == RN_OK && b->present < b->count && b->actors[b->present].start <= time)
        result = add_to_world(b, &b->actors[b->present], frame);
    return result;
}

/* Starts the engine that moves dynamic bodies, b->rigid, still without bodies; edges of the domain that are walls stop
   them. */
static rn_result start_engine(rn_scene_bodies *b) {
    const rn_json_path list = {b->root.document, &b->root, "bodies", 0};
    const rn_scene_values *values = b->stage.values;
    rn_rigid_def def = rn_rigid_default();
    def.gravity = vector(values->gravity);
    def.solid = b->stage.solid;
    for (int side = 0; side < 4; side++) def.open[side] = values->edges[side] != RN_EDGE_WALL;
    def.hooks = b->hooks;
    const rn_result result = rn_rigid_create(b->stage.world, &def, &b->rigid);
    return result == RN_OK ? RN_OK : rn_document_pass(&list, result);
}

/* Reads the poses to replay into b->replay. Returns RN_INVALID if they are of another number of bodies, or of frames of
   another length. */
static rn_result open_replay(rn_scene_bodies *b) {
    rn_result result = rn_poses_read(b->stage.replay, &b->hooks, &b->replay);
    if (result != RN_OK) return result;
    if ((size_t)rn_poses_bodies(b->replay) != b->count)
        return rn_fail(RN_INVALID, "%s: belongs to a scene with %d bodies; this one has %zu", b->stage.replay,
                       rn_poses_bodies(b->replay), b->count);
    if (rn_poses_frame_time(b->replay) != b->stage.values->frame_time)
        return rn_fail(RN_INVALID, "%s: belongs to a scene with frames of %.17g s; this one has frames of %.17g s",
                       b->stage.replay, rn_poses_frame_time(b->replay), b->stage.values->frame_time);
    return RN_OK;
}

/* Adds all bodies that are present at frame b->stage.frame, the first to be run. In a scene resumed from a checkpoint
   they begin where they first appeared, without replay or log, because joints are made there; their present poses come
   with the state. Moves the replay past that frame. */
static rn_result add_first_bodies(rn_scene_bodies *b) {
    const int frame = b->stage.frame;
    rn_poses *replay = b->replay;
    rn_pose_log *record = b->record;
    if (frame == 0) return rn_scene_bodies_arrive(b, 0);
    b->replay = NULL;
    b->record = NULL;
    const rn_result result = rn_scene_bodies_arrive(b, frame);
    b->replay = replay;
    b->record = record;
    if (replay) rn_poses_skip(replay, frame);
    return result;
}

rn_result rn_scene_bodies_begin(rn_scene_bodies *b, const rn_stage *stage) {
    rn_result result = RN_OK;
    b->stage = *stage;
    if (stage->replay) result = open_replay(b);
    else if (rn_scene_bodies_move(b)) result = start_engine(b);
    if (result == RN_OK && stage->record)
        result = rn_pose_log_create(stage->record, &b->hooks, (int)b->count, stage->values->frame_time, &b->record);
    return result == RN_OK ? add_first_bodies(b) : result;
}

size_t rn_scene_bodies_bytes(const rn_scene_bodies *b) {
    return rn_scene_bodies_move(b) ? b->present * RN_RIGID_STATE * sizeof(double) : 0;
}

void rn_scene_bodies_save(const rn_scene_bodies *b, void *bytes) {
    memset(bytes, 0, rn_scene_bodies_bytes(b));
    for (size_t i = 0; i < b->present && b->rigid; i++) {
        double state[RN_RIGID_STATE];
        rn_rigid_save(b->rigid, b->actors[i].number, state);
        memcpy((char *)bytes + i * sizeof state, state, sizeof state);
    }
}

rn_result rn_scene_bodies_resume(rn_scene_bodies *b, const void *bytes) {
    rn_result result = RN_OK;
    if (b->rigid) rn_rigid_follow(b->rigid);
    for (size_t i = 0; i < b->present && b->rigid && result == RN_OK; i++) {
        double state[RN_RIGID_STATE];
        memcpy(state, (const char *)bytes + i * sizeof state, sizeof state);
        result = rn_rigid_restore(b->rigid, b->actors[i].number, state);
    }
    for (size_t i = 0; i < b->present; i++) {
        const rn_pose pose = pose_of(b, i);
        remember_pose(b, &b->actors[i], &pose);
        log_pose(b, b->stage.frame, i);
    }
    return result;
}

rn_result rn_scene_bodies_step(rn_scene_bodies *b, int frame, double from, double to) {
    rn_result result = RN_OK;
    for (size_t i = 0; i < b->present && result == RN_OK; i++) {
        const int number = b->actors[i].number;
        rn_pose pose;
        if (b->replay) {
            result = rn_poses_next(b->replay, frame, (int)i, &pose);
            if (result == RN_OK) result = rn_bodies_move(b->stage.world, number, &pose);
        } else if (is_scripted(b, (int)i)) {
            pose = advance_script(b, &b->actors[i], from, to);
            result =
                b->rigid ? rn_rigid_move_body(b->rigid, number, &pose) : rn_bodies_move(b->stage.world, number, &pose);
        }
    }
    if (result == RN_OK && b->rigid) result = rn_rigid_step(b->rigid, to - from);
    for (size_t i = 0; i < b->present && result == RN_OK; i++) log_pose(b, frame, i);
    return result;
}

/* ---- While the scene runs ---- */

/* Starts the engine, with the bodies that are in the world already but without joints; does nothing if it runs. */
static rn_result ensure_engine(rn_scene_bodies *b) {
    if (b->rigid) return RN_OK;
    rn_result result = start_engine(b);
    for (size_t i = 0; i < b->present && result == RN_OK; i++)
        result = rn_rigid_add_body(b->rigid, b->actors[i].number, &b->entries[b->actors[i].entry].how);
    return result;
}

/* Removes the last entry with its shape and paths, and the actors from index `count` on, none of which is in the
   world. */
static void remove_last_entry(rn_scene_bodies *b, size_t count) {
    entry *last = &b->entries[b->entry_count - 1];
    rn_shape_destroy(last->shape);
    rn_shape_destroy(last->drawn);
    rn_free(NULL, last->path);
    rn_free(NULL, last->turns);
    *last = (entry){0};
    b->entry_count--;
    b->count = count;
}

/* Moves the last actor before those that are not yet present, and adapts the indices in joints. */
static void make_next(rn_scene_bodies *b) {
    const actor last = b->actors[b->count - 1];
    memmove(b->actors + b->present + 1, b->actors + b->present, (b->count - 1 - b->present) * sizeof *b->actors);
    b->actors[b->present] = last;
    for (size_t i = 0; i < b->link_count; i++) {
        rn_joint_def *joint = &b->links[i].def;
        joint->body += joint->body >= (int)b->present;
        joint->to += joint->to >= (int)b->present;
    }
}

/* Undoes make_next: the first actor that is not yet present becomes the last, and indices in joints are adapted. */
static void undo_make_next(rn_scene_bodies *b) {
    const actor first = b->actors[b->present];
    memmove(b->actors + b->present, b->actors + b->present + 1, (b->count - 1 - b->present) * sizeof *b->actors);
    b->actors[b->count - 1] = first;
    for (size_t i = 0; i < b->link_count; i++) {
        rn_joint_def *joint = &b->links[i].def;
        joint->body -= joint->body > (int)b->present;
        joint->to -= joint->to > (int)b->present;
    }
}

rn_result rn_scene_bodies_add(rn_scene_bodies *b, rn_shape_context *shapes, const json_t *object, size_t entry_number,
                              int frame) {
    const rn_json_path list = {b->root.document, &b->root, "bodies", 0},
                       at = {b->root.document, &list, NULL, entry_number};
    if (b->replay || b->record)
        return rn_fail(RN_INVALID, "bodies cannot be added to a scene whose poses are recorded or replayed");
    if (!rn_grow(&b->hooks, &b->entries, &b->entry_room, b->entry_count, sizeof *b->entries)) return RN_MEMORY;
    b->entries[b->entry_count] = (entry){0};
    const size_t before = b->count, entries = b->entry_count;
    rn_result result = read_body(b, shapes, object, &at);
    if (result == RN_OK && b->count != before + 1)
        result = rn_document_fail(&at, RN_INVALID, "has copies; add them one by one");
    if (result == RN_OK && !b->entries[entries].how.driven) result = ensure_engine(b);
    if (result != RN_OK) {
        if (b->entry_count > entries) remove_last_entry(b, before);
        return result;
    }
    make_next(b);
    const size_t present = b->present;
    result = add_to_world(b, &b->actors[present], frame);
    if (result == RN_OK) return RN_OK;
    if (b->present > present) rn_bodies_remove(b->stage.world, b->actors[present].number);
    b->present = present;
    undo_make_next(b);
    remove_last_entry(b, before);
    return result;
}

rn_result rn_scene_bodies_push(rn_scene_bodies *b, int body, rn_vec3 force, rn_vec3 torque) {
    if (!b->rigid) return rn_fail(RN_INVALID, "there is no body to push");
    return rn_rigid_apply_force(b->rigid, body, force, torque);
}

rn_result rn_scene_bodies_set_gravity(rn_scene_bodies *b, rn_vec3 gravity) {
    return b->rigid ? rn_rigid_set_gravity(b->rigid, gravity) : RN_OK;
}

int rn_scene_bodies_lost(const rn_scene_bodies *b) {
    int lost = 0;
    for (size_t i = 0; i < b->present && b->rigid; i++) lost += rn_rigid_is_lost(b->rigid, b->actors[i].number);
    return lost;
}

rn_result rn_scene_bodies_keep(rn_scene_bodies *b) {
    rn_pose_log *record = b->record;
    b->record = NULL;
    return record ? rn_pose_log_keep(record) : RN_OK;
}
