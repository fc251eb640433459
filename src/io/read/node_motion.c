/* The vertices of animated nodes (motion_data.h): moves, rotations and scales are interpolated between keys. */
#include "base/error.h"
#include "base/memory.h"
#include "io/read/motion_data.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 1 << 20, MOST_KEYS = 1 << 23, MOST_VERTICES = 3 << 23 };

/* Whether the keys of a track exist, have values below 1e12 and times below 1e9 s, and are in order of time. A track
   without keys is valid. */
static bool is_valid_track(const rn_motion *m, const rn_track *track) {
    if (track->first > m->key_count || track->count > m->key_count - track->first) return false;
    for (uint32_t k = 0; k < track->count; k++) {
        const rn_motion_key *key = &m->keys[track->first + k];
        for (int i = 0; i < 4; i++)
            if (!(fabs(key->value[i]) < 1e12)) return false;
        if (!(fabs(key->time) < 1e9) || (k > 0 && key->time < key[-1].time)) return false;
    }
    return true;
}

/* Whether the nodes, their keys and the parts of a motion are valid; a damaged file may have misled the process that
   read it. Parents must come before their children, keys must be finite and in order of time, and the parts must hold
   all vertices in order, without gaps. */
static bool is_valid_motion(const rn_motion *m) {
    uint32_t vertices = 0;
    for (uint32_t n = 0; n < m->node_count; n++) {
        const rn_motion_node *node = &m->nodes[n];
        if (node->parent < -1 || node->parent >= (int32_t)n) return false;
        for (int kind = 0; kind < RN_TRACK_KINDS; kind++)
            if (!is_valid_track(m, &node->tracks[kind])) return false;
    }
    for (uint32_t p = 0; p < m->part_count; p++) {
        const rn_motion_part *part = &m->parts[p];
        if (part->node >= m->node_count || part->first != vertices || part->count > m->vertex_count - vertices)
            return false;
        vertices += part->count;
    }
    return vertices == m->vertex_count;
}

/* Sets the counts and arrays of the motion, which point into the reply. Returns false if the reply is shorter or longer
   than its header says, or the counts exceed the limits. */
static bool find_arrays(const rn_reply *reply, rn_motion *m) {
    rn_motion_header head = {0};
    if (reply->size < sizeof head) return false;
    memcpy(&head, reply->bytes, sizeof head);
    if (head.node_count > MOST_NODES || head.key_count > MOST_KEYS || head.part_count > MOST_NODES ||
        head.vertex_count > MOST_VERTICES)
        return false;
    const size_t whole = sizeof head + head.node_count * sizeof *m->nodes + head.key_count * sizeof *m->keys +
                         head.part_count * sizeof *m->parts + 3 * head.vertex_count * sizeof *m->positions;
    if (whole != reply->size) return false;
    m->node_count = head.node_count;
    m->key_count = head.key_count;
    m->part_count = head.part_count;
    m->vertex_count = head.vertex_count;
    m->nodes = (const rn_motion_node *)((const char *)reply->bytes + sizeof head);
    m->keys = (const rn_motion_key *)(m->nodes + m->node_count);
    m->parts = (const rn_motion_part *)(m->keys + m->key_count);
    m->positions = (const float *)(m->parts + m->part_count);
    return true;
}

/* Returns the time (s) of the last key of all, or 0 if there are none, or none after 0. */
static double last_key_time(const rn_motion *m) {
    double last = 0;
    for (uint32_t k = 0; k < m->key_count; k++) last = fmax(last, m->keys[k].time);
    return last;
}

rn_result rn_nodes_take(const char *path, rn_reply *reply, rn_motion *motion) {
    motion->memory = reply->bytes;
    if (!find_arrays(reply, motion) || !is_valid_motion(motion))
        return rn_fail(RN_FORMAT, "%s: its animation has keys that are out of order or not finite", path);
    motion->duration = last_key_time(motion);
    motion->placed = rn_alloc(NULL, motion->node_count, sizeof *motion->placed);
    return motion->placed ? RN_OK : RN_MEMORY;
}

/* Returns the last key of a track at or before a time (s), or the first key if the time is earlier; the track must have
   keys. Sets *part to how far the time is towards the next key, 0 to 1; 0 for steps, before the first key and after the
   last. */
static const rn_motion_key *find_key(const rn_motion *m, const rn_track *track, double time, double *part) {
    const rn_motion_key *keys = m->keys + track->first;
    uint32_t low = 0, high = track->count; /* keys[low].time <= time < keys[high].time, except at the ends */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (keys[middle].time <= time) low = middle;
        else high = middle;
    }
    const bool between = high < track->count && time > keys[low].time;
    *part = between && !track->step ? (time - keys[low].time) / (keys[high].time - keys[low].time) : 0;
    return &keys[low];
}

/* Sets `out` to the rotation (quaternion x y z w) at `part`, 0 to 1, of the shorter way around from a to b, at constant
   speed (Shoemake 1985). Both must have about unit length. */
static void interpolate_rotation(const double a[4], const double b[4], double part, double out[4]) {
    double dot = 0, share_a = 1 - part, share_b = part;
    for (int i = 0; i < 4; i++) dot += a[i] * b[i];
    const double side = dot < 0 ? -1 : 1, cosine = fabs(dot);
    if (cosine < 1 - 1e-9) {
        const double angle = acos(cosine), sine = sin(angle);
        share_a = sin((1 - part) * angle) / sine;
        share_b = sin(part * angle) / sine;
    }
    for (int i = 0; i < 4; i++) out[i] = share_a * a[i] + side * share_b * b[i];
}

/* Sets `out` to the move (x y z), rotation (x y z w) or scale (x y z) of a node at a time (s); to the identity if it
   has no keys. */
static void track_at(const rn_motion *m, const rn_motion_node *node, rn_track_kind kind, double time, double out[4]) {
    static const double still[RN_TRACK_KINDS][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}};
    const rn_track *track = &node->tracks[kind];
    memcpy(out, still[kind], sizeof still[kind]);
    if (track->count == 0) return;
    double part;
    const rn_motion_key *key = find_key(m, track, time, &part);
    memcpy(out, key->value, sizeof key->value);
    if (part == 0) return;
    if (kind == RN_TRACK_TURN) interpolate_rotation(key[0].value, key[1].value, part, out);
    else
        for (int i = 0; i < 3; i++) out[i] += part * (key[1].value[i] - out[i]);
}

/* Writes the transform of a moving node to its parent at a time (s): scaled, then rotated, then moved. Rotations in
   files need not have unit length; one of length 0 counts as none. */
static void local_at(const rn_motion *m, const rn_motion_node *node, double time, double rows[3][4]) {
    double move[4], q[4], scale[4];
    track_at(m, node, RN_TRACK_MOVE, time, move);
    track_at(m, node, RN_TRACK_TURN, time, q);
    track_at(m, node, RN_TRACK_SCALE, time, scale);
    const double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = length > 0 ? 2 / length : 0;
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                               {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                               {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) rows[i][j] = turn[i][j] * scale[j];
        rows[i][3] = move[i];
    }
}

/* Sets m->placed[n], the transform of node n to the root at a time (s); that of its parent must be set already. */
static void place_node(const rn_motion *m, uint32_t n, double time) {
    const rn_motion_node *node = &m->nodes[n];
    double local[3][4], (*placed)[4] = m->placed[n];
    if (node->moving) local_at(m, node, time, local);
    else memcpy(local, node->rest, sizeof local);
    if (node->parent < 0) {
        memcpy(placed, local, sizeof local);
        return;
    }
    double(*above)[4] = m->placed[node->parent];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            placed[i][j] = above[i][0] * local[0][j] + above[i][1] * local[1][j] + above[i][2] * local[2][j];
            if (j == 3) placed[i][j] += above[i][3];
        }
}

void rn_nodes_at(const rn_motion *motion, double time, float *positions) {
    for (uint32_t n = 0; n < motion->node_count; n++) place_node(motion, n, time);
    for (uint32_t p = 0; p < motion->part_count; p++) {
        const rn_motion_part *part = &motion->parts[p];
        double(*row)[4] = motion->placed[part->node];
        for (uint32_t i = part->first; i < part->first + part->count; i++) {
            const float *v = motion->positions + 3 * (size_t)i;
            for (int axis = 0; axis < 3; axis++)
                positions[3 * (size_t)i + (size_t)axis] =
                    (float)(row[axis][0] * (double)v[0] + row[axis][1] * (double)v[1] + row[axis][2] * (double)v[2] +
                            row[axis][3]);
        }
    }
}
