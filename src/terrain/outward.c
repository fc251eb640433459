/* rn_shell_turn_out and rn_shell_turn_up: find which way the parts of a shell face, and flip those that face the wrong
   way. */
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/crossings.h"

typedef struct part {
    double volume;   /* m^3, negative if it is inside out */
    double looks_up; /* m^2, twice the area seen from above minus that seen from below */
    rn_box box;
    uint32_t face; /* its first face */
    bool turn;
} part;

/* Finds volume, direction (looks_up), box and first face of each part, which rn_shell_wind has numbered; the caller
   frees the list with the shell's hooks. Returns NULL, with a message, if memory runs out. */
static part *measure_parts(const rn_shell *shell) {
    part *parts = rn_alloc(&shell->hooks, shell->part_count, sizeof *parts);
    if (!parts) return NULL;
    for (size_t i = 0; i < shell->part_count; i++) {
        parts[i].face = RN_NO_FACE;
        parts[i].box = (rn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    for (size_t f = 0; f < shell->face_count; f++) {
        part *p = &parts[shell->parts[shell->faces[f][0]]];
        if (p->face == RN_NO_FACE) p->face = (uint32_t)f;
        rn_vec3 at[3];
        rn_face_corners_at(shell, f, at);
        /* relative to a point of the part: far from the origin products would swamp the volume */
        const rn_vec3 origin = shell->points[shell->faces[p->face][0]], normal = rn_corners_normal(at);
        p->volume += rn_dot(rn_minus(at[0], origin), normal) / 6;
        p->looks_up += normal.z;
        rn_vec3 *low = &p->box.low, *high = &p->box.high;
        for (int k = 0; k < 3; k++) {
            *low = (rn_vec3){rn_min(low->x, at[k].x), rn_min(low->y, at[k].y), rn_min(low->z, at[k].z)};
            *high = (rn_vec3){rn_max(high->x, at[k].x), rn_max(high->y, at[k].y), rn_max(high->z, at[k].z)};
        }
    }
    return parts;
}

/* Whether the box `inner` lies within `outer`; equal boxes do. */
static bool box_holds(const rn_box *outer, const rn_box *inner) {
    return outer->low.x <= inner->low.x && outer->low.y <= inner->low.y && outer->low.z <= inner->low.z &&
           outer->high.x >= inner->high.x && outer->high.y >= inner->high.y && outer->high.z >= inner->high.z;
}

/* The number of the part with the largest volume that surrounds part i, or i itself if none does. *within: how often
   other parts wind around it; 0 in a cavity. Tested on a line up from the middle of its first face, for at most 64
   parts. *tests: how many more faces may be tested, over all parts, because many thousands of parts above each other
   would take the square of their number; once it is used up, no part counts as surrounded. */
static size_t outermost_around(const rn_crossings *c, const part *parts, size_t i, int *within, int64_t *tests) {
    enum { MOST = 64 }; /* most nested parts that are distinguished */
    const rn_shell *shell = c->shell;
    size_t above[MOST];
    int windings[MOST] = {0}, count = 0;
    rn_vec3 at[3];
    rn_face_corners_at(shell, parts[i].face, at);
    const rn_vec3 middle = {(at[0].x + at[1].x + at[2].x) / 3, (at[0].y + at[1].y + at[2].y) / 3,
                            (at[0].z + at[1].z + at[2].z) / 3};
    rn_line line = rn_line_at(c, middle.x, middle.y);
    *within = 0;
    *tests -= line.end - line.next;
    if (*tests < 0) return i;
    rn_crossing found;
    while (rn_line_next(c, &line, &found)) {
        const size_t other = shell->parts[shell->faces[found.face][0]];
        if (found.z <= middle.z || other == i || !box_holds(&parts[other].box, &parts[i].box)) continue;
        int k = 0;
        while (k < count && above[k] != other) k++;
        if (k == MOST) continue;
        if (k == count) above[count++] = other;
        windings[k] += found.sign;
    }
    size_t best = i;
    for (int k = 0; k < count; k++) *within += windings[k];
    for (int k = 0; k < count; k++)
        if (windings[k] != 0 && fabs(parts[above[k]].volume) > fabs(parts[best].volume)) best = above[k];
    return best;
}

/* Flips all faces of the parts with `turn` set, counts these parts in the report, and adds all volumes, as they are
   then, to it. */
static void turn_parts(rn_shell *shell, const part *parts, rn_mesh_report *report) {
    for (size_t f = 0; f < shell->face_count; f++)
        if (parts[shell->parts[shell->faces[f][0]]].turn) rn_face_turn(shell->faces[f]);
    for (size_t i = 0; i < shell->part_count; i++) {
        report->inside_out += parts[i].turn;
        report->volume += parts[i].turn ? -parts[i].volume : parts[i].volume;
    }
}

/* A part that nothing surrounds must have its solid inside. The parts that it surrounds are flipped along with it:
   wound the other way they are cavities, wound the same way they are buried. */
rn_result rn_shell_turn_out(rn_shell *shell, rn_mesh_report *report) {
    part *parts = measure_parts(shell);
    rn_crossings c = {0};
    rn_result result = parts ? RN_OK : RN_MEMORY;
    int64_t tests = INT64_C(1) << 29;
    if (result == RN_OK && shell->part_count > 1) result = rn_crossings_make(shell, true, &c);
    for (size_t i = 0; result == RN_OK && i < shell->part_count; i++) {
        int within = 0;
        const size_t root = shell->part_count > 1 ? outermost_around(&c, parts, i, &within, &tests) : i;
        parts[i].turn = parts[root].volume < 0;
        report->buried += within != 0 && (parts[i].volume < 0) == (parts[root].volume < 0);
    }
    if (result == RN_OK) turn_parts(shell, parts, report);
    rn_crossings_free(&c);
    rn_free(&shell->hooks, parts);
    return result;
}

rn_result rn_shell_turn_up(rn_shell *shell, rn_mesh_report *report) {
    part *parts = measure_parts(shell);
    if (!parts) return RN_MEMORY;
    for (size_t i = 0; i < shell->part_count; i++) parts[i].turn = parts[i].looks_up < 0;
    turn_parts(shell, parts, report);
    report->volume = 0; /* infinite */
    rn_free(&shell->hooks, parts);
    return RN_OK;
}
