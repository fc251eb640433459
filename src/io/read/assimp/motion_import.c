/* Reads the first animation of a mesh file with assimp (motion_data.h): a first round over the nodes counts, a second
   one copies. Failures leave the reason in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "io/read/assimp/gltf_steps.h"
#include "io/read/assimp/nodes.h"
#include "io/read/mesh_import.h"

#include <assimp/cimport.h>
#include <string.h>

/* Totals of a round, and where the second round copies to. */
typedef struct gather {
    const char *path;
    const struct aiScene *scene;
    const struct aiAnimation *animation;
    json_t *gltf; /* NULL: another kind of file, whose keys are all linear */
    rn_import_nodes nodes;
    uint64_t vertices, parts, keys;
    rn_motion_node *to_nodes; /* NULL: count only */
    rn_motion_key *to_keys;
    rn_motion_part *to_parts;
    float *positions;
} gather;

/* Returns the first channel that moves a node, found by its name, or NULL if there is none. */
static const struct aiNodeAnim *channel_of(const gather *g, const struct aiNode *node) {
    for (unsigned i = 0; i < g->animation->mNumChannels; i++)
        if (strcmp(g->animation->mChannels[i]->mNodeName.data, node->mName.data) == 0)
            return g->animation->mChannels[i];
    return NULL;
}

/* Converts ticks of the animation to seconds; 25 ticks are one second if the file does not say. */
static double ticks_to_seconds(const gather *g, double ticks) {
    return ticks / (g->animation->mTicksPerSecond > 0 ? g->animation->mTicksPerSecond : 25);
}

/* Counts keys of moves or scales in g->keys. In the second round, when `track` is not NULL, also copies them to
   g->to_keys and sets the track to their range. */
static void add_vectors(gather *g, const struct aiVectorKey *keys, unsigned count, rn_track *track) {
    if (track) *track = (rn_track){(uint32_t)g->keys, count, 0};
    for (unsigned i = 0; i < count; i++, g->keys++) {
        const struct aiVector3D v = keys[i].mValue;
        if (track) g->to_keys[g->keys] = (rn_motion_key){ticks_to_seconds(g, keys[i].mTime), {v.x, v.y, v.z, 0}};
    }
}

/* Counts keys of rotations in g->keys. In the second round, when `track` is not NULL, also copies them to g->to_keys
   and sets the track to their range. */
static void add_rotations(gather *g, const struct aiQuatKey *keys, unsigned count, rn_track *track) {
    if (track) *track = (rn_track){(uint32_t)g->keys, count, 0};
    for (unsigned i = 0; i < count; i++, g->keys++) {
        const struct aiQuaternion q = keys[i].mValue;
        if (track) g->to_keys[g->keys] = (rn_motion_key){ticks_to_seconds(g, keys[i].mTime), {q.x, q.y, q.z, q.w}};
    }
}

/* Counts the keys of node n; in the second round also copies them and the node, with its steps if the file is glTF. A
   node without a channel has no keys. Returns RN_UNSUPPORTED as rn_gltf_steps does. */
static rn_result add_node(gather *g, size_t n) {
    const rn_import_node *from = &g->nodes.list[n];
    rn_motion_node *to = g->to_nodes ? &g->to_nodes[n] : NULL;
    const struct aiNodeAnim *channel = channel_of(g, from->node);
    if (to) {
        to->parent = from->parent;
        to->moving = channel != NULL;
        memcpy(to->rest, from->own.m, sizeof to->rest);
    }
    if (!channel) return RN_OK;
    add_vectors(g, channel->mPositionKeys, channel->mNumPositionKeys, to ? &to->tracks[RN_TRACK_MOVE] : NULL);
    add_rotations(g, channel->mRotationKeys, channel->mNumRotationKeys, to ? &to->tracks[RN_TRACK_TURN] : NULL);
    add_vectors(g, channel->mScalingKeys, channel->mNumScalingKeys, to ? &to->tracks[RN_TRACK_SCALE] : NULL);
    return to && g->gltf ? rn_gltf_steps(g->path, g->gltf, from->node->mName.data, to->tracks) : RN_OK;
}

/* Counts the vertices of a mesh of a node (index `node`), and in the second round, if g->to_parts is set, copies them
   in the coordinates of that node. They are the vertices of rn_mesh_import, in the same order. Skips a mesh without
   triangles. Returns RN_UNSUPPORTED if it has bones, or RN_LIMIT if there are too many vertices. */
static rn_result add_part(gather *g, const struct aiMesh *mesh, size_t node) {
    if (rn_import_triangles(mesh) == 0 || !mesh->mVertices) return RN_OK;
    if (mesh->mNumBones > 0)
        return rn_fail(RN_UNSUPPORTED,
                       "%s: is deformed by bones, which are not supported; bake it into a point cache (.pc2)", g->path);
    if (g->to_parts) {
        g->to_parts[g->parts] = (rn_motion_part){(uint32_t)node, (uint32_t)g->vertices, mesh->mNumVertices};
        float *to = g->positions + 3 * g->vertices;
        for (unsigned i = 0; i < mesh->mNumVertices; i++) {
            *to++ = mesh->mVertices[i].x;
            *to++ = mesh->mVertices[i].y;
            *to++ = mesh->mVertices[i].z;
        }
    }
    g->parts++;
    g->vertices += mesh->mNumVertices;
    if (g->vertices <= 3 * (uint64_t)RN_MOST_TRIANGLES) return RN_OK;
    return rn_fail(RN_LIMIT, "%s: holds more than the %d triangles allowed", g->path, RN_MOST_TRIANGLES);
}

/* Visits all nodes and their meshes. Sets the totals, and with g->to_nodes also copies. On failure returns the result
   of add_node or add_part. */
static rn_result visit_nodes(gather *g) {
    rn_result result = RN_OK;
    g->vertices = g->parts = g->keys = 0;
    for (size_t n = 0; n < g->nodes.count && result == RN_OK; n++) {
        const struct aiNode *node = g->nodes.list[n].node;
        result = add_node(g, n);
        for (unsigned i = 0; i < node->mNumMeshes && result == RN_OK; i++)
            if (node->mMeshes[i] < g->scene->mNumMeshes) result = add_part(g, g->scene->mMeshes[node->mMeshes[i]], n);
    }
    return result;
}

/* Counts everything, allocates the reply, and copies everything into it. On failure returns RN_MEMORY or the result of
   visit_nodes. The caller frees reply->bytes, also after a failure. */
static rn_result fill_reply(gather *g, rn_reply *reply) {
    rn_result result = visit_nodes(g);
    if (result != RN_OK) return result;
    const rn_motion_header head = {(uint32_t)g->nodes.count, (uint32_t)g->keys, (uint32_t)g->parts,
                                   (uint32_t)g->vertices};
    reply->size = sizeof head + g->nodes.count * sizeof *g->to_nodes + g->keys * sizeof *g->to_keys +
                  g->parts * sizeof *g->to_parts + 3 * g->vertices * sizeof *g->positions;
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (!reply->bytes) return RN_MEMORY;
    memcpy(reply->bytes, &head, sizeof head);
    g->to_nodes = (rn_motion_node *)((char *)reply->bytes + sizeof head);
    g->to_keys = (rn_motion_key *)(g->to_nodes + g->nodes.count);
    g->to_parts = (rn_motion_part *)(g->to_keys + g->keys);
    g->positions = (float *)(g->to_parts + g->parts);
    return visit_nodes(g);
}

/* Creates the reply from the first animation of a scene, which stays the caller's. Returns RN_FORMAT if there is none,
   or it moves nothing; or RN_UNSUPPORTED if it does more than move nodes (morph targets, bones); otherwise the result
   of fill_reply. */
static rn_result convert_scene(const char *path, const struct aiScene *scene, rn_reply *reply) {
    if (scene->mNumAnimations == 0) return rn_fail(RN_FORMAT, "%s: holds no animation", path);
    gather g = {.path = path, .scene = scene, .animation = scene->mAnimations[0]};
    if (g.animation->mNumMorphMeshChannels > 0 || g.animation->mNumMeshChannels > 0)
        return rn_fail(RN_UNSUPPORTED,
                       "%s: changes shape by morph targets, which are not supported; bake it into a point cache (.pc2)",
                       path);
    if (g.animation->mNumChannels == 0) return rn_fail(RN_FORMAT, "%s: has an animation that moves nothing", path);
    g.gltf = rn_gltf_text(path);
    rn_result result = rn_import_list(scene, &g.nodes);
    if (result == RN_OK) result = fill_reply(&g, reply);
    rn_import_free(&g.nodes);
    json_decref(g.gltf);
    return result;
}

rn_result rn_motion_import(const char *path, rn_reply *reply) {
    rn_import import;
    rn_result result = rn_import_open(path, &import);
    if (result != RN_OK) return result;
    result = convert_scene(path, import.scene, reply);
    import.release(import.scene);
    return result;
}
