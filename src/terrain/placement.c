#include "terrain/placement.h"

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

/* Quarter turns are split off first, so that multiples of 90 degrees are exact. */
static void sine_and_cosine(double degrees, double *sine, double *cosine) {
    double turn = degrees - 360 * floor(degrees / 360);
    int quarters = (int)floor(turn / 90 + 0.5);
    double rest = (turn - 90 * quarters) * 0.017453292519943295769;
    double s = sin(rest), c = cos(rest);
    switch (quarters & 3) {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}

rn_placement rn_pose_turned(rn_vec3 degrees) {
    const double angle[3] = {degrees.x, degrees.y, degrees.z};
    rn_placement turn = rn_pose_identity();
    for (int axis = 0; axis < 3; axis++) {
        double s, c;
        sine_and_cosine(angle[axis], &s, &c);
        int a = (axis + 1) % 3, b = (axis + 2) % 3; /* the axes that turn, a towards b */
        rn_placement about = rn_pose_identity();
        about.turn[a][a] = about.turn[b][b] = c;
        about.turn[b][a] = s;
        about.turn[a][b] = -s;
        turn = rn_pose_compose(&about, &turn);
    }
    return turn;
}
