/* Dual contouring (Ju et al. 2002): each cell through which the surface passes has a vertex where the planes at its
   crossings meet, so that sharp edges stay sharp; each edge of the lattice that crosses the surface has a
   quadrilateral. A cell has a vertex for every loop of its cube (Nielson 2004), so that separate surfaces in the same
   cell stay apart. */
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/blocks.h"

#include <float.h>
#include <string.h>

typedef struct rn_dual_point {
    rn_vec3 position, normal;
} dual_point;

/* The sum of squared distances to planes, in coordinates of the cell: u . A . u - 2 b . u + c. */
typedef struct squares {
    double a[3][3], b[3], c;
} squares;

/* The sum of squared distances at u (coordinates of the cell, 0 to 1). */
static double squares_at(const squares *q, const double u[3]) {
    double sum = q->c;
    for (int i = 0; i < 3; i++) {
        sum -= 2 * q->b[i] * u[i];
        for (int j = 0; j < 3; j++) sum += u[i] * q->a[i][j] * u[j];
    }
    return sum;
}

/* Sets the coordinates of u that are not marked in `held` so that the error is smallest, while the others keep their
   values: Gaussian elimination, with a matrix that must be positive definite. The result may lie outside of the
   cell. */
static void solve_unheld(const squares *q, const bool held[3], double u[3]) {
    int free[3], n = 0;
    double m[3][4];
    for (int i = 0; i < 3; i++)
        if (!held[i]) free[n++] = i;
    for (int r = 0; r < n; r++) {
        m[r][n] = q->b[free[r]];
        for (int j = 0; j < 3; j++)
            if (held[j]) m[r][n] -= q->a[free[r]][j] * u[j];
        for (int k = 0; k < n; k++) m[r][k] = q->a[free[r]][free[k]];
    }
    for (int r = 0; r < n; r++)
        for (int below = r + 1; below < n; below++) {
            const double factor = m[below][r] / m[r][r];
            for (int k = r; k <= n; k++) m[below][k] -= factor * m[r][k];
        }
    for (int r = n - 1; r >= 0; r--) {
        double sum = m[r][n];
        for (int k = r + 1; k < n; k++) sum -= m[r][k] * u[free[k]];
        u[free[r]] = sum / m[r][r];
    }
}

/* Whether u lies from low to high along each axis; not if it is NAN. */
static bool is_within(const double u[3], const double low[3], const double high[3]) {
    for (int a = 0; a < 3; a++)
        if (!(u[a] >= low[a] && u[a] <= high[a])) return false;
    return true;
}

/* Finds the u with the smallest error from `low` to `high`: inside, or else the best on all faces, edges and corners of
   that range. */
static void solve_within(const squares *q, const double low[3], const double high[3], double best[3]) {
    solve_unheld(q, (bool[3]){false, false, false}, best);
    if (is_within(best, low, high)) return;
    double least = DBL_MAX;
    for (int side = 1; side < 27; side++) {
        const int choice[3] = {side % 3, side / 3 % 3, side / 9};
        bool held[3];
        double u[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++) {
            held[a] = choice[a] != 0;
            if (held[a]) u[a] = choice[a] == 1 ? low[a] : high[a];
        }
        solve_unheld(q, held, u);
        if (!is_within(u, low, high)) continue;
        const double error = squares_at(q, u);
        if (error < least) {
            least = error;
            memcpy(best, u, sizeof u);
        }
    }
    for (int a = 0; a < 3; a++) best[a] = rn_clamp(best[a], low[a], high[a]);
}

typedef struct contour {
    const rn_blocks *blocks;
    const int *at;
    int origin[3];
    rn_block_scratch *scratch;
    rn_block *block;
} contour;

/* Where an edge crosses the surface; used by four cells and a quadrilateral. */
typedef struct rn_edge_crossing {
    double along;   /* share of the edge, from its first node */
    rn_vec3 normal; /* of the surface, a unit vector to the open side */
} crossing;

/* Where the surface crosses the edge that begins at node `local` of the block and runs along `axis`. Computed on the
   first call for this edge and kept in scratch. `from` and `to` are the values of the field at its ends, just one of
   which is solid. Returns NULL, with a message, if memory runs out. Valid until the next call, which may move all
   crossings. */
static const crossing *find_crossing(const contour *d, const int local[3], int axis, float from, float to) {
    rn_block_scratch *s = d->scratch;
    int32_t *place = &s->crossings[axis][rn_block_index(local[0], local[1], local[2])];
    if (*place == 0) {
        if (!rn_grow(NULL, &s->found, &s->found_capacity, s->found_count, sizeof(crossing))) return NULL;
        const rn_lattice *lattice = d->blocks->lattice;
        const int node[3] = {d->origin[0] + local[0], d->origin[1] + local[1], d->origin[2] + local[2]};
        const double along = lattice->type->crossing(lattice, node, axis, from, to);
        s->found[s->found_count++] = (crossing){along, lattice->type->normal(lattice, node, axis, along)};
        *place = (int32_t)s->found_count;
    }
    return s->found + (*place - 1);
}

/* Finds the vertex of one loop of a cell, within the cell and the bounds of the lattice: where the planes through the
   loop's crossings meet. A weak pull towards the mean of the crossings decides where planes are parallel. The vertex
   has the mean of the normals at the crossings. Returns false, with a message, if memory runs out. */
static bool find_point(const contour *d, const int local[3], const float values[8], const rn_cube *cube, int loop,
                       dual_point *point) {
    const rn_lattice *lattice = d->blocks->lattice;
    const int begin = loop ? cube->ends[loop - 1] : 0, count = cube->ends[loop] - begin;
    int cell[3];
    double low[3], high[3], corner[3];
    for (int a = 0; a < 3; a++) {
        cell[a] = d->origin[a] + local[a];
        corner[a] = cell[a];
        low[a] = rn_clamp(lattice->low[a] - cell[a], 0, 1);
        high[a] = rn_clamp(lattice->high[a] - cell[a], 0, 1);
    }
    const rn_vec3 zero = lattice->type->place(lattice, corner);
    rn_vec3 axes[3];
    for (int a = 0; a < 3; a++) {
        corner[a] += 1;
        axes[a] = rn_minus(lattice->type->place(lattice, corner), zero);
        corner[a] -= 1;
    }
    squares q = {.c = 0};
    double middle[3] = {0, 0, 0};
    rn_vec3 mean = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        const int edge = cube->edges[begin + i], axis = rn_edge_axis(edge), first = rn_edge_corner(edge);
        const int at[3] = {local[0] + (first & 1), local[1] + (first >> 1 & 1), local[2] + (first >> 2)};
        const crossing *c = find_crossing(d, at, axis, values[first], values[first | 1 << axis]);
        if (!c) return false;
        const rn_vec3 n = c->normal;
        double p[3] = {first & 1, first >> 1 & 1, first >> 2};
        p[axis] += c->along;
        double row[3], off = 0;
        for (int a = 0; a < 3; a++) {
            row[a] = rn_dot(n, axes[a]) / lattice->spacing;
            off += row[a] * p[a];
            middle[a] += p[a] / count;
        }
        for (int a = 0; a < 3; a++) {
            q.b[a] += row[a] * off;
            for (int b = 0; b < 3; b++) q.a[a][b] += row[a] * row[b];
        }
        q.c += off * off;
        mean = (rn_vec3){mean.x + n.x, mean.y + n.y, mean.z + n.z};
    }
    const double pull = 1e-3;
    for (int a = 0; a < 3; a++) {
        q.a[a][a] += pull;
        q.b[a] += pull * middle[a];
        q.c += pull * middle[a] * middle[a];
    }
    double u[3];
    solve_within(&q, low, high, u);
    point->position = lattice->type->place(lattice, (double[3]){corner[0] + u[0], corner[1] + u[1], corner[2] + u[2]});
    const double length = rn_length3(mean.x, mean.y, mean.z);
    point->normal = length > 0 ? (rn_vec3){mean.x / length, mean.y / length, mean.z / length} : (rn_vec3){0, 0, 1};
    return true;
}

/* Finds the vertices of a cell, one per loop, and appends them to scratch->points; those of the block's own cells,
   which are not before its first node, are also added to the block. A cell with a corner whose value is not known has
   none. Returns false, with a message, if memory runs out. */
static bool add_points(contour *d, const int local[3]) {
    rn_block_scratch *s = d->scratch;
    const int index = rn_block_index(local[0], local[1], local[2]);
    float values[8];
    s->cubes[index] = NULL;
    if (!rn_block_corners(s, local, values)) return true;
    const rn_cube *cube = rn_cubes_find(&d->blocks->cubes, values);
    if (cube->loops == 0) return true;
    s->cubes[index] = cube;
    s->first[index] = (int32_t)s->point_count;
    const bool own = local[0] >= 0 && local[1] >= 0 && local[2] >= 0;
    for (int loop = 0; loop < cube->loops; loop++) {
        if (!rn_grow(NULL, &s->points, &s->point_capacity, s->point_count, sizeof(dual_point))) return false;
        dual_point point;
        if (!find_point(d, local, values, cube, loop, &point)) return false;
        s->points[s->point_count++] = point;
        if (!own) continue;
        const int key = 4 * rn_block_local(local) + loop;
        s->places[key] = (uint16_t)d->block->vertex_count;
        if (!rn_block_add_vertex(d->block, key, point.position, point.normal)) return false;
    }
    return true;
}

/* The number of the loop of a cube that contains an edge; 0 if none does. */
static int loop_of(const rn_cube *cube, int edge) {
    for (int loop = 0, i = 0; loop < cube->loops; loop++)
        for (; i < cube->ends[loop]; i++)
            if (cube->edges[i] == edge) return loop;
    return 0;
}

/* The cosine of the angle between the normal of a triangle, counter-clockwise, and the unit vector n; -1 if the
   triangle has no area. */
static double cosine_to_normal(const dual_point *a, const dual_point *b, const dual_point *c, rn_vec3 n) {
    const rn_vec3 u = rn_minus(b->position, a->position), v = rn_minus(c->position, a->position);
    const rn_vec3 x = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    const double length = rn_length3(x.x, x.y, x.z);
    return length > 0 ? rn_dot(x, n) / length : -1;
}

/* Adds two triangles between the vertices of the four cells around an edge that crosses the surface. Of the two
   diagonals it takes the one whose triangles face more like the surface does at the edge. Adds nothing at the end of
   the lattice, or where a cell has no vertices. Returns false, with a message, if memory runs out. */
static bool add_quad(contour *d, const int local[3], int axis, float from, float to) {
    const rn_lattice *lattice = d->blocks->lattice;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const int8_t round[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
    int cells[4][3], loops[4];
    const dual_point *points[4];
    for (int i = 0; i < 4; i++) {
        const int turn = from <= 0.0f ? i : 3 - i; /* counter-clockwise around the direction out of the solid */
        memcpy(cells[i], local, sizeof cells[i]);
        cells[i][u] += round[turn][0];
        cells[i][v] += round[turn][1];
        const int global_u = d->origin[u] + cells[i][u], global_v = d->origin[v] + cells[i][v];
        if (global_u < 0 || global_v < 0 || global_u >= lattice->nodes[u] - 1 || global_v >= lattice->nodes[v] - 1)
            return true; /* the surface ends at the end of the lattice */
        const int index = rn_block_index(cells[i][0], cells[i][1], cells[i][2]);
        const rn_cube *cube = d->scratch->cubes[index];
        if (!cube) return true;
        loops[i] = loop_of(cube, 4 * axis - round[turn][0] - 2 * round[turn][1]);
        points[i] = d->scratch->points + d->scratch->first[index] + loops[i];
    }
    const crossing *c = find_crossing(d, local, axis, from, to);
    if (!c) return false;
    const rn_vec3 normal = c->normal;
    const double even = rn_min(cosine_to_normal(points[0], points[1], points[2], normal),
                               cosine_to_normal(points[0], points[2], points[3], normal));
    const double odd = rn_min(cosine_to_normal(points[1], points[2], points[3], normal),
                              cosine_to_normal(points[1], points[3], points[0], normal));
    static const int8_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
    for (int i = 0; i < 6; i++) {
        const int corner = cuts[odd > even][i];
        if (!rn_block_add_corner(d->blocks, d->at, d->scratch, cells[corner], loops[corner], d->block)) return false;
    }
    return true;
}

/* Of the three edges that begin at a node, adds the quadrilaterals of those that cross the surface. Returns false, with
   a message, if memory runs out. */
static bool add_quads(contour *d, const int local[3]) {
    const float *values = d->scratch->values;
    const float from = values[rn_block_index(local[0], local[1], local[2])];
    if (isnan(from)) return true;
    for (int axis = 0; axis < 3; axis++) {
        const float to = values[rn_block_index(local[0] + (axis == 0), local[1] + (axis == 1), local[2] + (axis == 2))];
        if (isnan(to) || (from <= 0.0f) == (to <= 0.0f)) continue;
        if (!add_quad(d, local, axis, from, to)) return false;
    }
    return true;
}

void rn_block_contour(const rn_blocks *blocks, const int at[3], rn_block_scratch *scratch, rn_block *block) {
    block->vertex_count = block->corner_count = block->foreign_count = 0;
    block->failed = false;
    scratch->point_count = scratch->found_count = 0;
    if (!rn_block_sample(blocks, at, true, scratch)) return;
    memset(scratch->crossings, 0, sizeof scratch->crossings);
    contour d = {blocks, at, {RN_BLOCK * at[0], RN_BLOCK * at[1], RN_BLOCK * at[2]}, scratch, block};
    bool fine = true;
    int local[3];
    for (local[2] = -1; local[2] < RN_BLOCK; local[2]++)
        for (local[1] = -1; local[1] < RN_BLOCK; local[1]++)
            for (local[0] = -1; local[0] < RN_BLOCK; local[0]++) fine = fine && add_points(&d, local);
    for (local[2] = 0; local[2] < RN_BLOCK; local[2]++)
        for (local[1] = 0; local[1] < RN_BLOCK; local[1]++)
            for (local[0] = 0; local[0] < RN_BLOCK; local[0]++) fine = fine && add_quads(&d, local);
    block->failed = !fine;
}
