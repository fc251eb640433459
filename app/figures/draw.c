/* Draws the panels of a figure: scenes that run to given frames, are drawn, and are put side by side in a PNG. On
   failure rn_last_error() says why. Entry point: figure_draw(). make_panels() handles each panel in turn: open_scene(),
   run_until(), draw_panel() and put_panel(). */
#include "base/error.h"
#include "common/library.h"
#include "figures/figures.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 6 /* pixels, between panels */, QUICK = 6 /* --quick runs 1/6 of the frames */ };

/* The state while the panels of a figure are drawn. */
typedef struct stage {
    const figure_row *row;
    int width, height;        /* pixels, of a panel */
    int full_width;           /* of the whole picture */
    rn_scene *scene;          /* of the previous panel, or NULL */
    int frame;                /* that the scene has reached */
    rn_skin *skin;            /* of that scene, or NULL */
    bool has_ground;          /* the renderer has the ground of the scene */
    uint8_t *panel, *picture; /* RGB, of one panel and of the whole picture */
} stage;

/* Collects in `set` the changes that the figure and then the panel make to the scene; the texts are not copied. Returns
   their number. */
static int join_changes(const figure *f, const figure_panel *p, const char *set[2 * MOST_CHANGES]) {
    int count = 0;
    for (int i = 0; i < MOST_CHANGES && f->set[i]; i++) set[count++] = f->set[i];
    for (int i = 0; i < MOST_CHANGES && p->set[i]; i++) set[count++] = p->set[i];
    return count;
}

/* Closes the scene and its skin, if any, and resets the stage to frame 0. */
static void close_scene(stage *s) {
    rn_skin_destroy(s->skin);
    rn_scene_close(s->scene);
    s->skin = NULL;
    s->scene = NULL;
    s->has_ground = false;
    s->frame = 0;
}

/* Opens the scene of the panel. A panel without changes continues with the scene of the previous panel, if there is
   one. Returns RN_FILE if there is no such scene, which is also printed; otherwise the result of rn_scene_open(). */
static rn_result open_scene(stage *s, const figure_panel *p) {
    char path[4096];
    const char *set[2 * MOST_CHANGES];
    if (s->scene && !p->set[0]) return RN_OK;
    close_scene(s);
    if (!library_find("figures", s->row->of->scene, path, sizeof path))
        return rn_fail(RN_FILE, "the figure \"%s\" needs the scene \"%s\"", s->row->of->name, s->row->of->scene);
    const rn_scene_def def = {.path = path,
                              .set = set,
                              .set_count = join_changes(s->row->of, p, set),
                              .threads = s->row->threads,
                              .keep_solid = true};
    return rn_scene_open(&def, &s->scene);
}

/* Steps the scene up to this frame, or with --quick up to a sixth of it, rounded up; does nothing if it is there
   already. Returns RN_INTERRUPTED after Ctrl-C. */
static rn_result run_until(stage *s, int frame) {
    if (s->row->quick) frame = (frame + QUICK - 1) / QUICK;
    for (; s->frame < frame; s->frame++) {
        if (s->row->stopped()) return rn_fail(RN_INTERRUPTED, "interrupted");
        const rn_result result = rn_scene_step(s->scene);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Returns true if two panels can share a skin, because they differ only in time, view or overlay. */
static bool same_skin(const figure_panel *a, const figure_panel *b) {
    return a->raw_boundaries == b->raw_boundaries && a->no_least_heights == b->no_least_heights &&
           a->no_meniscus == b->no_meniscus;
}

/* Creates the skin for the panel, or keeps that of the previous panel in the array if the scene is the same and it
   fits. */
static rn_result open_skin(stage *s, const figure_panel *p) {
    if (s->skin && same_skin(p - 1, p)) return RN_OK;
    rn_skin_def def = rn_scene_skin(s->scene);
    def.threads = s->row->threads;
    def.spacing = s->row->of->spacing;
    def.menisci = !p->no_meniscus;
    if (p->no_meniscus) def.surface.meniscus_length = 0;
    def.surface.raw_boundaries = def.surface.whole_cells = p->raw_boundaries;
    def.no_least_heights = p->no_least_heights;
    rn_skin_destroy(s->skin);
    return rn_skin_create(&def, &s->skin);
}

/* Updates the meshes and passes liquid, bodies and, once for a scene, the ground to the renderer. A displaced panel
   gets the lifted ground as its liquid. */
static rn_result pass_to_renderer(stage *s, const figure_panel *p, const rn_look *look, rn_renderer *renderer) {
    rn_result result = rn_skin_update(s->skin, NULL);
    if (result != RN_OK) return result;
    const rn_world *world = rn_scene_world(s->scene);
    const rn_liquid liquid = rn_world_liquid(world);
    const rn_surface_columns columns = rn_skin_columns(s->skin);
    const rn_mesh ground = rn_skin_ground(s->skin), bodies = rn_skin_bodies(s->skin);
    rn_mesh surface = rn_skin_surface(s->skin), lifted = {0};
    const double full_depth = look->full_depth > 0 ? look->full_depth : rn_liquid_full_depth(&liquid);
    if (p->displaced) {
        result = displaced_build(&ground, &columns, full_depth, &lifted);
        surface = lifted;
    }
    if (result == RN_OK && !s->has_ground) result = rn_renderer_set_ground(renderer, &ground);
    if (result == RN_OK) result = rn_renderer_set_liquid(renderer, &surface, &liquid, &columns);
    if (result == RN_OK) result = rn_renderer_set_bodies(renderer, &bodies);
    s->has_ground = result == RN_OK; /* no solid moves in these scenes */
    displaced_free(&lifted);
    return result;
}

/* Creates or keeps the skin, and draws the scene as the panel asks, as RGB into s->panel. */
static rn_result draw_panel(stage *s, const figure_panel *p, rn_renderer *renderer) {
    const rn_scene_info info = rn_scene_describe(s->scene);
    const rn_orbit *orbit = p->orbit.zoom > 0 ? &p->orbit : &s->row->of->orbit;
    const rn_camera camera = rn_camera_orbit(orbit, info.low, info.high, (double)s->width / s->height, 0);
    rn_look look = info.look;
    look.no_wetness = true; /* single frames are drawn, so there is no drying ground to show */
    look.no_cap = p->no_cap;
    look.overlay = p->overlay;
    rn_result result = open_skin(s, p);
    if (result == RN_OK) result = pass_to_renderer(s, p, &look, renderer);
    return result == RN_OK ? rn_renderer_draw(renderer, &camera, &look, s->panel) : result;
}

/* Copies s->panel into the whole picture, as panel number `panel`, from 0 at the left. */
static void put_panel(const stage *s, int panel) {
    const size_t left = (size_t)panel * (size_t)(s->width + GAP);
    for (int y = 0; y < s->height; y++)
        memcpy(s->picture + 3 * ((size_t)y * (size_t)s->full_width + left), s->panel + 3 * (size_t)y * (size_t)s->width,
               3 * (size_t)s->width);
}

/* Runs the panels and draws them into the picture, stopping at the first that fails, and closes the scene in any case.
 * Returns that failure, or RN_OK. */
static rn_result make_panels(stage *s, rn_renderer *renderer) {
    rn_result result = RN_OK;
    for (int i = 0; i < s->row->of->panel_count && result == RN_OK; i++) {
        const figure_panel *p = &s->row->of->panels[i];
        result = open_scene(s, p);
        if (result == RN_OK) result = run_until(s, p->frame);
        if (result == RN_OK) result = draw_panel(s, p, renderer);
        if (result == RN_OK) put_panel(s, i);
    }
    close_scene(s);
    return result;
}

rn_result figure_draw(const figure_row *row, const char *path) {
    const int count = row->of->panel_count;
    stage s = {.row = row, .width = (row->width - GAP * (count - 1)) / count};
    s.height = (int)(s.width / row->of->aspect + 0.5);
    s.full_width = count * s.width + (count - 1) * GAP;
    const size_t bytes = 3 * (size_t)s.full_width * (size_t)s.height;
    s.panel = malloc(bytes);
    s.picture = malloc(bytes);
    rn_result result = s.panel && s.picture ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory for a picture");
    rn_renderer_def def = rn_renderer_default();
    def.samples = 2; /* quality matters more than speed */
    rn_renderer *renderer = NULL;
    def.width = s.width;
    def.height = s.height;
    if (result == RN_OK) result = rn_renderer_create(&def, &renderer);
    if (result == RN_OK) memset(s.picture, 255, bytes);
    if (result == RN_OK) result = make_panels(&s, renderer);
    if (result == RN_OK) result = rn_png_write_small(path, s.picture, s.full_width, s.height);
    rn_renderer_destroy(renderer);
    free(s.panel);
    free(s.picture);
    return result;
}
