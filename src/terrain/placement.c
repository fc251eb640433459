/* Creates and composes placements of solids (placement.h). */
#include "terrain/placement.h"

#include "base/quat.h"

#include <math.h>

rn_placement rn_pose_identity(void) {
    rn_placement pose = {.scale = 1};
    for (int i = 0; i < 3; i++) pose.turn[i][i] = 1;
    return pose;
}

rn_placement rn_pose_compose(const rn_placement *outer, const rn_placement *inner) {
    rn_placement both = {.scale = outer->scale * inner->scale};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            both.turn[i][j] = outer->turn[i][0] * inner->turn[0][j] + outer->turn[i][1] * inner->turn[1][j] +
                              outer->turn[i][2] * inner->turn[2][j];
    rn_vec3 by = rn_rotate(outer->turn, inner->by);
    both.by = (rn_vec3){outer->scale * by.x + outer->by.x, outer->scale * by.y + outer->by.y,
                        outer->scale * by.z + outer->by.z};
    return both;
}

/* An element of a rotation, rounded to -1, 0 or 1 if it is nearly that: quarter turns miss these by a few units in the
   last place, and vertical sides would not stay vertical. */
static double snap_element(double element) {
    const double whole = rint(element);
    return fabs(element - whole) < 1e-15 ? whole : element;
}

rn_placement rn_pose_turned(rn_quat turn) {
    rn_placement pose = {.scale = 1};
    rn_quat_rows(turn, pose.turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) pose.turn[i][j] = snap_element(pose.turn[i][j]);
    return pose;
}
