/* Computes the table of marching cubes, and looks up cubes in it (cubes.h). */
#include "terrain/cubes.h"

#include <string.h>

void rn_face_corners(int axis, int side, int corners[4]) {
    const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, at = side << axis;
    const int round[4] = {at, at | u, at | u | v, at | v};
    for (int i = 0; i < 4; i++) corners[i] = side ? round[i] : round[3 - i];
}

/* The number of the edge between two corners, which must be neighbours. */
static int edge_between(int a, int b) {
    const int axis = (a ^ b) >> 1, low = a < b ? a : b; /* 1, 2, 4 -> 0, 1, 2 */
    return 4 * axis + (low >> (axis + 1) % 3 & 1) + 2 * (low >> (axis + 2) % 3 & 1);
}

/* Whether a corner is solid; `signs` has a bit for each corner, 1 is solid. */
static bool is_solid(int signs, int corner) { return signs >> corner & 1; }

/* Whether, of the four corners of a face in order around it, two opposite ones are solid and the others open. */
static bool is_ambiguous(int signs, const int corners[4]) {
    const bool s = is_solid(signs, corners[0]);
    return is_solid(signs, corners[2]) == s && is_solid(signs, corners[1]) != s && is_solid(signs, corners[3]) != s;
}

/* Links the edges of one face that the surface crosses. A walk around the face leaves the solid at some of them and
   enters it at others. A segment of the surface leads from each edge where the walk leaves to one where it enters,
   which becomes its next[]: the one just before, which cuts off this solid alone, or with `joined` the one just after,
   which cuts off the open part. The next[] of other edges stays. */
static void link_face(int signs, int axis, int side, bool joined, int8_t next[12]) {
    int corners[4];
    rn_face_corners(axis, side, corners);
    for (int i = 0; i < 4; i++) {
        const int here = corners[i], after = corners[(i + 1) % 4];
        if (!is_solid(signs, here) || is_solid(signs, after)) continue;
        int step = 0; /* from `after` on, or back from `here`, to the pair that enters solid */
        if (joined) {
            for (step = 1; !is_solid(signs, corners[(i + 1 + step) % 4]); step++) continue;
            next[edge_between(here, after)] =
                (int8_t)edge_between(corners[(i + step) % 4], corners[(i + 1 + step) % 4]);
        } else {
            for (step = 0; is_solid(signs, corners[(i + 3 - step) % 4]); step++) continue;
            next[edge_between(here, after)] =
                (int8_t)edge_between(corners[(i + 3 - step) % 4], corners[(i + 4 - step) % 4]);
        }
    }
}

/* Whether two edges lie in a common face of the cube. */
static bool share_face(int a, int b) {
    for (int axis = 0; axis < 3; axis++) {
        if (rn_edge_axis(a) == axis || rn_edge_axis(b) == axis) continue;
        if ((rn_edge_corner(a) >> axis & 1) == (rn_edge_corner(b) >> axis & 1)) return true;
    }
    return false;
}

/* Appends a triangle with these corners, indices into `edges` or RN_CUBE_CENTRE, given in the order of their loop.
   Swaps two of them, because loops are counter-clockwise seen from the solid and triangles seen from the open side.
   There is room for all triangles of a cube. */
static void add_triangle(rn_cube *cube, int a, int b, int c) {
    uint8_t *triangle = cube->corners[cube->triangles++];
    triangle[0] = (uint8_t)a;
    triangle[1] = (uint8_t)c;
    triangle[2] = (uint8_t)b;
}

/* Adds the triangles of the loop of edges from `begin` to `end` - 1, the next loop of the cube. No diagonal may lie in
   a face of the cube: the neighbour may have the same one, and four triangles would meet there. A loop that returns to
   a face that it has left cannot be cut so, and gets a point at its centre. */
static void cut_loop(rn_cube *cube, int begin, int end) {
    const int n = end - begin;
    const uint8_t *edges = cube->edges + begin;
    int cost[12][12] = {{0}}, apex[12][12] = {{0}};
    for (int length = 2; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            const int j = i + length;
            cost[i][j] = 1000;
            for (int k = i + 1; k < j; k++)
                if (cost[i][k] + cost[k][j] < cost[i][j]) {
                    cost[i][j] = cost[i][k] + cost[k][j];
                    apex[i][j] = k;
                }
            if (length < n - 1 && share_face(edges[i], edges[j])) cost[i][j]++;
        }
    if (cost[0][n - 1] > 0) {
        cube->centred = (uint8_t)(cube->loops + 1);
        for (int i = 0; i < n; i++) add_triangle(cube, begin + i, begin + (i + 1) % n, RN_CUBE_CENTRE);
        return;
    }
    int stack[12][2] = {{0, n - 1}};
    for (int depth = 1; depth > 0;) {
        const int i = stack[--depth][0], j = stack[depth][1], k = apex[i][j];
        if (j - i < 2) continue;
        add_triangle(cube, begin + i, begin + k, begin + j);
        stack[depth][0] = k;
        stack[depth++][1] = j;
        stack[depth][0] = i;
        stack[depth++][1] = k;
    }
}

/* The loops and triangles for these signs (a bit per corner, 1 is solid). Bit 2 * axis + side of `joined` says whether
   the solid is joined across that face; it matters only for ambiguous faces. */
static rn_cube make_cube(int signs, int joined) {
    int8_t next[12];
    memset(next, -1, sizeof next);
    for (int face = 0; face < 6; face++) link_face(signs, face >> 1, face & 1, joined >> face & 1, next);
    rn_cube cube = {.loops = 0};
    int count = 0;
    for (int start = 0; start < 12; start++) {
        if (next[start] < 0) continue;
        const int begin = count;
        for (int edge = start; next[edge] >= 0;) {
            cube.edges[count++] = (uint8_t)edge;
            const int to = next[edge];
            next[edge] = -1;
            edge = to;
        }
        cut_loop(&cube, begin, count);
        cube.ends[cube.loops++] = (uint8_t)count;
    }
    return cube;
}

void rn_cubes_make(rn_cubes *cubes) {
    memset(cubes, 0, sizeof *cubes);
    for (int signs = 0; signs < 256; signs++) {
        int faces[6], count = 0;
        for (int face = 0; face < 6; face++) {
            int corners[4];
            rn_face_corners(face >> 1, face & 1, corners);
            if (!is_ambiguous(signs, corners)) continue;
            cubes->ambiguous[signs] |= (uint8_t)(1 << face);
            faces[count++] = face;
        }
        cubes->first[signs] = (uint16_t)cubes->count;
        for (int choice = 0; choice < 1 << count; choice++) {
            int joined = 0;
            for (int i = 0; i < count; i++) joined |= (choice >> i & 1) << faces[i];
            cubes->all[cubes->count++] = make_cube(signs, joined);
        }
    }
}

/* Whether the solid is joined across an ambiguous face of a cube with these values: it is if the saddle point of their
   bilinear interpolant is solid (the asymptotic decider of Nielson & Hamann 1991). Products of floats are exact in
   double, so both cubes that share the face decide the same. */
static bool is_joined(const float values[8], int axis, int side) {
    int corners[4];
    rn_face_corners(axis, side, corners);
    const double even = (double)values[corners[0]] * values[corners[2]];
    const double odd = (double)values[corners[1]] * values[corners[3]];
    return values[corners[0]] <= 0.0f ? even >= odd : odd >= even;
}

const rn_cube *rn_cubes_find(const rn_cubes *cubes, const float values[8]) {
    int signs = 0;
    for (int corner = 0; corner < 8; corner++) signs |= (values[corner] <= 0.0f) << corner;
    int choice = 0, bit = 0;
    for (int face = 0; face < 6; face++)
        if (cubes->ambiguous[signs] >> face & 1) choice |= (int)is_joined(values, face >> 1, face & 1) << bit++;
    return &cubes->all[cubes->first[signs] + choice];
}
