/* Draws the vertices of a liquid surface from above, without and with choppiness, and the depths that move them (Lee &
   O'Sullivan 2007, Fig. 5). Entry point: chart_choppy(), which runs the scene twice and draws three panels. */
#include "base/error.h"
#include "common/library.h"
#include "figures/chart.h"
#include "figures/figures.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST = 70, SIDE = 40 }; /* the first cell that is drawn, and the number of cells, along x and y */

/* The vertices of these cells (m, from the corner of the scene). */
typedef struct patch {
    double at[SIDE][SIDE][3];
    double cell; /* m */
} patch;

/* Runs the scene "choppy" for `frames` frames, with one option `set` unless NULL, and copies the vertices of the patch
   and the cell size; vertices of dry cells stay as they are. On failure `p` stays unchanged, and rn_last_error() says
   why; a missing scene is also printed. */
static rn_result take_patch(const char *set, int frames, patch *p) {
    char path[4096];
    rn_scene *scene = NULL;
    rn_skin *skin = NULL;
    if (!library_find("figures", "choppy", path, sizeof path))
        return rn_fail(RN_FILE, "the figure needs the scene \"choppy\"");
    const rn_scene_def def = {.path = path, .set = &set, .set_count = set ? 1 : 0};
    rn_result result = rn_scene_open(&def, &scene);
    for (int i = 0; i < frames && result == RN_OK; i++) result = rn_scene_step(scene);
    if (result == RN_OK) {
        const rn_skin_def drawn = rn_scene_skin(scene);
        result = rn_skin_create(&drawn, &skin);
    }
    if (result == RN_OK) result = rn_skin_update(skin, NULL);
    if (result == RN_OK) {
        const rn_world_info info = rn_world_describe(rn_scene_world(scene));
        const rn_mesh m = rn_skin_surface(skin);
        p->cell = info.cell_size;
        for (uint32_t v = 0; v < m.vertex_count; v++) {
            const int x = (int)(m.ids[v] % (uint32_t)info.cells_x) - FIRST;
            const int y = (int)(m.ids[v] / (uint32_t)info.cells_x) - FIRST;
            if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) continue;
            for (int k = 0; k < 3; k++) p->at[y][x][k] = (double)m.positions[3 * (size_t)v + (size_t)k];
        }
    }
    rn_skin_destroy(skin);
    rn_scene_close(scene);
    return result;
}

enum { LEFT = 14, TOP = 96, WIDTH = 196, GAP = 12 }; /* pixels */

/* Sets `to` to the pixel position of the vertex of cell (x, y) of the patch in a panel, 0 (left) to 2. North is up. */
static void pixel_of_vertex(const patch *p, int panel, int y, int x, double to[2]) {
    const double scale = WIDTH / (SIDE * p->cell);
    to[0] = LEFT + panel * (WIDTH + GAP) + (p->at[y][x][0] - FIRST * p->cell) * scale;
    to[1] = TOP + WIDTH - (p->at[y][x][1] - FIRST * p->cell) * scale;
}

/* Draws the vertices of a patch as a grid of lines along x and along y, in panel 0 to 2. */
static void draw_lines(FILE *file, const patch *p, int panel) {
    fprintf(file, "<g fill=\"none\" stroke=\"%s\" stroke-width=\"0.7\">\n", CHART_BLUE);
    for (int line = 0; line < 2 * SIDE; line++) {
        fputs("<path d=\"", file);
        for (int i = 0; i < SIDE; i++) {
            double at[2];
            pixel_of_vertex(p, panel, line < SIDE ? line : i, line < SIDE ? i : line - SIDE, at);
            fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', at[0], at[1]);
        }
        fputs("\"/>\n", file);
    }
    fputs("</g>\n", file);
}

/* Draws each cell of the patch as a grey square, from dark (its lowest surface) to bright (its highest), in panel 0 to
   2. */
static void draw_depths(FILE *file, const patch *p, int panel) {
    double low = INFINITY, high = -INFINITY;
    const double size = (double)WIDTH / SIDE;
    for (int i = 0; i < SIDE * SIDE; i++) {
        low = fmin(low, p->at[i / SIDE][i % SIDE][2]);
        high = fmax(high, p->at[i / SIDE][i % SIDE][2]);
    }
    fputs("<g shape-rendering=\"crispEdges\">\n", file);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double share = (p->at[i / SIDE][i % SIDE][2] - low) / fmax(high - low, 1e-12);
        const int grey = (int)(30 + 220 * share);
        fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%02x%02x%02x\"/>\n",
                LEFT + panel * (WIDTH + GAP) + size * (i % SIDE), TOP + WIDTH - size * (i / SIDE + 1), size + 0.3,
                size + 0.3, grey, grey, grey);
    }
    fputs("</g>\n", file);
}

/* Draws the three panels. `quick`: after 14 frames instead of 80. On failure nothing is drawn, and rn_last_error() says
   why. */
rn_result chart_choppy(FILE *file, bool quick) {
    static const char *const titles[] = {"as they stand", "moved", "the depth of the liquid"};
    patch *patches = calloc(2, sizeof *patches);
    if (!patches) return rn_fail(RN_MEMORY, "there is not enough memory");
    rn_result result = take_patch("view.choppiness=0", quick ? 14 : 80, &patches[0]);
    if (result == RN_OK) result = take_patch(NULL, quick ? 14 : 80, &patches[1]);
    if (result == RN_OK) {
        chart_begin(file);
        chart_say(file, &(chart_text){.x = LEFT, .y = 28, .size = 16, .anchor = "start", .bold = true},
                  "Vertices of choppy waves, from above");
        draw_lines(file, &patches[0], 0);
        draw_lines(file, &patches[1], 1);
        draw_depths(file, &patches[0], 2);
        for (int i = 0; i < 3; i++)
            chart_say(file,
                      &(chart_text){.x = LEFT + i * (WIDTH + GAP) + 0.5 * WIDTH, .y = TOP + WIDTH + 26, .size = 13},
                      titles[i]);
        chart_end(file);
    }
    free(patches);
    return result;
}
