/* A picture of a scene, to be looked at:
   draw_scene SCENE FRAMES PICTURE.png [key=value...], in degrees, m and pixels; other keys change the scene. With
   times=N the last picture is drawn N times more, and with stepping=1 the scene steps before each of them. Prints how
   long that takes, and how much these pictures flicker; tools/measure-pictures makes tables of it. */
#include "scene_pictures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct wish {
    const char *name;
    double *number;
} wish;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* s that the processor has worked, on all threads: the same whatever else runs. */
static double worked(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Brightness of a pixel, 0 to 255. */
static double grey(const uint8_t *p) { return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]; }

/* The mean square difference of two pictures of `count` pixels, in levels of 255 squared. */
static double change_of(const uint8_t *a, const uint8_t *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += pow(grey(a + 3 * i) - grey(b + 3 * i), 2);
    return sum / (double)count;
}

/* The mean square difference of neighbours in a picture: blurred pictures have less. */
static double detail_of(const uint8_t *a, int width, int height) {
    double sum = 0;
    for (int y = 1; y < height; y++)
        for (int x = 1; x < width; x++) {
            const uint8_t *p = a + 3 * (y * width + x);
            sum += pow(grey(p) - grey(p - 3), 2) + pow(grey(p) - grey(p - 3 * width), 2);
        }
    return sum / ((width - 1.0) * (height - 1.0));
}

/* The brightness that 0.1 % of the pixels exceed: highlights. */
static double peak_of(const uint8_t *a, size_t count) {
    size_t levels[256] = {0}, above = 0;
    for (size_t i = 0; i < count; i++) levels[(int)grey(a + 3 * i)]++;
    int level = 255;
    while (level > 0 && (above += levels[level]) * 1000 < count) level--;
    return level;
}

static int complain(const char *what) {
    fprintf(stderr, "draw_scene: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 4) return complain("SCENE FRAMES PICTURE.png [azimuth=30 elevation=35 ...]");
    rn_orbit orbit = {.azimuth = 25, .elevation = 38};
    rn_look look = {0};
    double width = 1280, height = 720, samples = 2, es = 0, overlay = 0, outdoors = 0, no_cap = 0, no_shadows = 0;
    double times = 1, no_wetness = 0, stepping = 0;
    const wish wishes[] = {{"azimuth", &orbit.azimuth},
                           {"elevation", &orbit.elevation},
                           {"angle", &orbit.angle},
                           {"zoom", &orbit.zoom},
                           {"turn", &orbit.turn},
                           {"x", &orbit.target.x},
                           {"y", &orbit.target.y},
                           {"z", &orbit.target.z},
                           {"red", &look.ground.x},
                           {"green", &look.ground.y},
                           {"blue", &look.ground.z},
                           {"gloss", &look.gloss},
                           {"full", &look.full_depth},
                           {"exposure", &look.exposure},
                           {"overlay", &overlay},
                           {"outdoors", &outdoors},
                           {"no_cap", &no_cap},
                           {"no_shadows", &no_shadows},
                           {"no_wetness", &no_wetness},
                           {"width", &width},
                           {"height", &height},
                           {"samples", &samples},
                           {"es", &es},
                           {"times", &times},
                           {"stepping", &stepping}};
    const char *set[64];
    int set_count = 0;
    for (int i = 4; i < argc && i < 64; i++) {
        const char *equals = strchr(argv[i], '=');
        bool known = false;
        for (size_t k = 0; equals && k < sizeof wishes / sizeof wishes[0]; k++)
            if (strlen(wishes[k].name) == (size_t)(equals - argv[i]) &&
                strncmp(wishes[k].name, argv[i], (size_t)(equals - argv[i])) == 0) {
                *wishes[k].number = atof(equals + 1);
                known = true;
            }
        if (!known) set[set_count++] = argv[i];
    }
    orbit.aimed = orbit.target.x != 0 || orbit.target.y != 0 || orbit.target.z != 0;
    look.overlay = (rn_overlay)overlay;
    look.outdoors = outdoors > 0;
    look.no_cap = no_cap > 0;
    look.no_shadows = no_shadows > 0;
    look.no_wetness = no_wetness > 0;
    drawn d;
    rn_renderer *renderer = NULL;
    rn_renderer_def def = {.width = (int)width, .height = (int)height, .samples = (int)samples, .es = es > 0};
    if (!drawn_open(&d, argv[1], set, set_count, look.full_depth)) return complain(rn_last_error());
    if (rn_renderer_create(&def, &renderer) != RN_OK) return complain(rn_last_error());
    const int frames = atoi(argv[2]);
    double start = now();
    for (int i = 0; i < frames; i++) {
        if (i % 15 == 0 && !drawn_give(&d, renderer, false)) return complain(rn_last_error());
        if (rn_scene_step(d.scene) != RN_OK) return complain(rn_last_error());
    }
    const double stepped = now() - start;
    start = now();
    if (!drawn_give(&d, renderer, true)) return complain(rn_last_error());
    const double given = now() - start;
    start = now();
    if (!drawn_give(&d, renderer, false)) return complain(rn_last_error());
    const double liquid = now() - start;
    rn_vec3 low, high;
    drawn_box(&d, &low, &high);
    rn_camera camera = rn_camera_orbit(&orbit, low, high, width / height, 0);
    uint8_t *pixels = malloc((size_t)def.width * (size_t)def.height * 3);
    if (!pixels || rn_renderer_draw(renderer, &camera, &look, pixels) != RN_OK) return complain(rn_last_error());
    const size_t count = (size_t)def.width * (size_t)def.height;
    double took = 0, work = 0, changed = 0;
    uint8_t *former = calloc(count, 3);
    if (!former) return complain("no memory");
    for (int i = 0; i < times; i++) {
        camera = rn_camera_orbit(&orbit, low, high, width / height, i);
        if (stepping > 0 && (rn_scene_step(d.scene) != RN_OK || !drawn_give(&d, renderer, false)))
            return complain(rn_last_error());
        look.time = stepping > 0 ? (frames + i) / 60.0 : 0;
        memcpy(former, pixels, 3 * count);
        start = now();
        const double before = worked();
        if (rn_renderer_draw(renderer, &camera, &look, pixels) != RN_OK) return complain(rn_last_error());
        took += now() - start;
        work += worked() - before;
        if (i > 0) changed += change_of(former, pixels, count) / fmax(times - 1, 1);
    }
    printf("%s\n%u triangles of ground, %u of liquid, %d frames in %.1f s\n", rn_renderer_device(renderer),
           rn_ground_mesh_read(d.ground).triangle_count, d.mesh.triangle_count, frames, stepped);
    printf("%.0f ms to build and give both, %.0f ms the liquid, %.0f ms to draw, %.0f ms of work\n", 1e3 * given,
           1e3 * liquid, 1e3 * took / times, 1e3 * work / times);
    printf("flicker %.3f, detail %.2f, peak %.0f\n", changed, detail_of(pixels, def.width, def.height),
           peak_of(pixels, count));
    free(former);
    if (rn_png_write(argv[3], pixels, def.width, def.height) != RN_OK) return complain(rn_last_error());
    free(pixels);
    rn_renderer_destroy(renderer);
    drawn_close(&d);
    return 0;
}
