/* Makes the meshes that move in scenes: a tray, and a heart with a point cache of its beat.
   usage: make-moving-meshes FOLDER */
#include <math.h>
#include <runnel/runnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static int fail(void) {
    fprintf(stderr, "make-moving-meshes: %s\n", rn_last_error());
    return 1;
}

static int write_mesh(const char *folder, const char *name, const rn_mesh *mesh) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.ply", folder, name);
    if (rn_mesh_write(path, mesh) != RN_OK) return fail();
    printf("%s: %u vertices, %u triangles\n", path, mesh->vertex_count, mesh->triangle_count);
    return 0;
}

/* ---- A tray of 0.27 by 0.2 m, 8 mm thick, with a rim that leans out -------------------------------------------- */

/* All between four walls that lean out by 25 degrees, from the height `floor` up; sizes are half ones, at z = 0 (m). */
static rn_sdf *hopper(double x, double y, double floor, double blend) {
    const double cosine = cos(pi / 7.2), sine = sin(pi / 7.2);
    rn_sdf *inside = rn_sdf_plane((rn_vec3){0, 0, floor}, (rn_vec3){0, 0, -1}), *walls = NULL;
    for (int side = -1; side <= 1; side += 2) {
        rn_sdf *across = rn_sdf_plane((rn_vec3){side * x, 0, 0}, (rn_vec3){side * cosine, 0, -sine});
        rn_sdf *along = rn_sdf_plane((rn_vec3){0, side * y, 0}, (rn_vec3){0, side * cosine, -sine});
        rn_sdf *corner = rn_sdf_intersect(across, along, 2 * blend);
        walls = walls ? rn_sdf_intersect(walls, corner, 2 * blend) : corner;
    }
    return rn_sdf_intersect(inside, walls, blend);
}

static rn_sdf *tray(void) {
    rn_sdf *dish = rn_sdf_subtract(hopper(0.112, 0.077, 0, 0.016), hopper(0.102, 0.067, 0.008, 0.012), 0);
    dish = rn_sdf_intersect(dish, rn_sdf_plane((rn_vec3){0, 0, 0.036}, (rn_vec3){0, 0, 1}), 0.003);
    for (int side = -1; side <= 1; side += 2) {
        const rn_vec3 from = {0.136 * side, -0.035, 0.028}, to = {0.136 * side, 0.035, 0.028};
        dish = rn_sdf_union(dish, rn_sdf_capsule_between(from, to, 0.0065), 0.006);
    }
    return dish;
}

static int make_tray(const char *folder) {
    rn_sdf *shape = tray();
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.shape = shape;
    def.low = (rn_vec3){-0.155, -0.105, -0.01};
    def.high = (rn_vec3){0.155, 0.105, 0.045};
    def.spacing = 0.004;
    def.sharp = true;
    rn_ground_mesh *mesh = NULL;
    int status = !shape || rn_ground_mesh_create(&def, &mesh) != RN_OK ? fail() : 0;
    if (status == 0) {
        rn_mesh triangles = rn_ground_mesh_read(mesh);
        triangles.normals = NULL; /* readers need none */
        status = write_mesh(folder, "tray", &triangles);
    }
    rn_ground_mesh_destroy(mesh);
    rn_sdf_destroy(shape);
    return status;
}

/* ---- A heart of 64 mm, lying on its back, its apex towards +x --------------------------------------------------- */

enum { SIDE = 22, FACE = (SIDE + 1) * (SIDE + 1), CORNERS = 6 * FACE, TRIANGLES = 12 * SIDE * SIDE };
enum { BEAT = 16 }; /* frames; one more ends as the first began */

typedef struct heart {
    int count;            /* of points: those on the edges of the cube are shared */
    rn_vec3 way[CORNERS]; /* unit vectors: the faces of a cube, blown up to a ball */
    uint32_t indices[3 * TRIANGLES];
} heart;

static rn_vec3 unit(double x, double y, double z) {
    const double length = sqrt(x * x + y * y + z * z);
    return (rn_vec3){x / length, y / length, z / length};
}

static uint32_t point_of(heart *h, rn_vec3 way) {
    for (int i = 0; i < h->count; i++)
        if (fabs(h->way[i].x - way.x) + fabs(h->way[i].y - way.y) + fabs(h->way[i].z - way.z) < 1e-9)
            return (uint32_t)i;
    h->way[h->count] = way;
    return (uint32_t)h->count++;
}

/* More points above, where it is looked at, than below. */
static rn_vec3 raise(rn_vec3 way) {
    const double polar = acos(way.z), now = polar * (0.7 + 0.3 * polar / pi), flat = hypot(way.x, way.y);
    if (flat < 1e-12) return way;
    return (rn_vec3){way.x / flat * sin(now), way.y / flat * sin(now), cos(now)};
}

static void make_ball(heart *h) {
    size_t corner = 0;
    for (int face = 0; face < 6; face++) {
        uint32_t points[SIDE + 1][SIDE + 1];
        for (int i = 0; i <= SIDE; i++)
            for (int k = 0; k <= SIDE; k++) {
                const double u = tan(pi / 4 * (2.0 * i / SIDE - 1)), v = tan(pi / 4 * (2.0 * k / SIDE - 1));
                const double out = face < 3 ? 1 : -1, p[3] = {out, u * out, v};
                points[i][k] = point_of(h, raise(unit(p[face % 3], p[(face + 1) % 3], p[(face + 2) % 3])));
            }
        for (int i = 0; i < SIDE; i++)
            for (int k = 0; k < SIDE; k++) {
                const uint32_t a = points[i][k], b = points[i + 1][k], c = points[i + 1][k + 1], d = points[i][k + 1];
                const uint32_t quad[6] = {a, b, c, a, c, d};
                memcpy(h->indices + corner, quad, sizeof quad);
                corner += 6;
            }
    }
}

/* A bump of height 1 around a direction, narrower the larger `sharp`. */
static double bump(rn_vec3 way, rn_vec3 around, double sharp) {
    return exp(sharp * (way.x * around.x + way.y * around.y + way.z * around.z - 1));
}

/* 0 at rest, 1 where the muscle is drawn together most: quick to contract, slower to let go. */
static double tension(double beat) {
    beat -= floor(beat);
    if (beat < 0.22) return 0.5 - 0.5 * cos(pi * beat / 0.22);
    if (beat < 0.62) return 0.5 + 0.5 * cos(pi * (beat - 0.22) / 0.4);
    return 0;
}

/* Two ventricles with a furrow between them in front, and behind another furrow two atria that beat before them. */
static rn_vec3 heart_point(rn_vec3 way, double beat) {
    const double behind = 0.5 - 0.5 * tanh(5 * (way.x + 0.4)); /* 1: atria, 0: ventricles */
    const double pull = tension(beat - 0.08 * way.x) * (1 - behind) + 0.7 * tension(beat + 0.22) * behind;
    const double across = (way.x + 0.4) / 0.13, along = (way.y - 0.1 + 0.22 * way.x) / 0.16;
    double radius = 1 + 0.24 * bump(way, unit(-0.75, 0.6, 0.5), 8) + 0.24 * bump(way, unit(-0.75, -0.6, 0.45), 8);
    radius += 0.12 * bump(way, unit(0.35, -0.6, 0.75), 5) + 0.07 * bump(way, unit(0.3, 0.7, 0.6), 5);
    radius -= 0.13 * exp(-across * across) + 0.1 * exp(-along * along) * (1 - behind) * (way.z > 0 ? way.z : 0);
    radius *= 1 - 0.17 * pull;
    const double twist = 0.26 * pull * (way.x + 0.2);
    const double y = 0.8 * radius * way.y * (1 - 0.12 * way.x), z = 0.66 * radius * way.z * (1 + 0.08 * pull);
    const double x = radius * (way.x > 0 ? 1.12 * way.x : 0.92 * way.x);
    return (rn_vec3){0.03 * x, 0.03 * (y * cos(twist) - z * sin(twist)), 0.03 * (y * sin(twist) + z * cos(twist))};
}

static void heart_at(const heart *h, double beat, float *positions) {
    for (int i = 0; i < h->count; i++) {
        const rn_vec3 p = heart_point(h->way[i], beat);
        positions[3 * i] = (float)p.x;
        positions[3 * i + 1] = (float)p.y;
        positions[3 * i + 2] = (float)p.z;
    }
}

/* The format's header: see docs/solids.md. */
static int write_cache(const char *path, const heart *h, float *positions) {
    FILE *file = fopen(path, "wb");
    if (!file) return perror(path), 1;
    const int32_t counts[2] = {1, h->count}, samples = BEAT + 1;
    const float times[2] = {0, 1};
    bool good = fwrite("POINTCACHE2", 1, 12, file) == 12 && fwrite(counts, sizeof counts, 1, file) == 1 &&
                fwrite(times, sizeof times, 1, file) == 1 && fwrite(&samples, sizeof samples, 1, file) == 1;
    for (int frame = 0; frame <= BEAT && good; frame++) {
        heart_at(h, frame % BEAT / (double)BEAT, positions);
        good = fwrite(positions, 3 * sizeof *positions, (size_t)h->count, file) == (size_t)h->count;
    }
    good = fclose(file) == 0 && good;
    if (!good) perror(path);
    else printf("%s: %d frames\n", path, BEAT + 1);
    return !good;
}

static int make_heart(const char *folder) {
    heart *h = calloc(1, sizeof *h);
    float *positions = calloc(CORNERS, 3 * sizeof *positions);
    if (!h || !positions) {
        free(h);
        free(positions);
        return fprintf(stderr, "make-moving-meshes: there is not enough memory\n"), 1;
    }
    make_ball(h);
    heart_at(h, 0, positions);
    const rn_mesh mesh = {.positions = positions,
                          .indices = h->indices,
                          .vertex_count = (uint32_t)h->count,
                          .triangle_count = TRIANGLES,
                          .vertex_capacity = (uint32_t)h->count,
                          .triangle_capacity = TRIANGLES};
    char path[4096];
    snprintf(path, sizeof path, "%s/heart.pc2", folder);
    const int status = write_mesh(folder, "heart", &mesh) || write_cache(path, h, positions);
    free(positions);
    free(h);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make-moving-meshes FOLDER\n");
        return 2;
    }
    return make_tray(argv[1]) || make_heart(argv[1]);
}
