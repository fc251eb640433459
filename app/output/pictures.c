/* Draws and writes the pictures of a scene (pictures.h). pictures_open() starts two threads, the artist, which renders,
   and the writer, which compresses; for a map, which needs no OpenGL, the simulation thread draws itself.
   pictures_frame() queues a picture; pictures_close() waits for all and reports the first error. */
#include "output/pictures.h"

#include "base/error.h"
#include "base/words.h"
#include "common/folders.h"
#include "common/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SIDE = 16, MOST_SIDE = 8192, DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 720 };

static const char *const overlay_names[] = {"none",    "depth", "speed",   "layers",
                                            "flooded", "links", "distance"}; /* in the order of rn_overlay */
enum { OVERLAYS = sizeof overlay_names / sizeof overlay_names[0] };

/* Writes the list "a, b and c" of `count` names into `text`, cut off after `size` - 1 bytes. `name(from, i)` returns
   the name with index i. */
static void list_names(char *text, size_t size, const char *(*name)(const void *, int), const void *from, int count) {
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < count && used < size; i++) {
        const char *joint = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        const int length = snprintf(text + used, size - used, "%s%s", joint, name(from, i));
        used += length > 0 ? (size_t)length : 0;
    }
}

/* Returns the name of overlay `i`, for list_names(). `from`: overlay_names. */
static const char *overlay_name(const void *from, int i) { return ((const char *const *)from)[i]; }

/* Reads o->size, which is not NULL, into o->width and o->height (pixels). Returns false after printing an error. */
static bool read_size(const char *command, picture_options *o) {
    char rest = 0;
    const bool two = strspn(o->size, "0123456789x") == strlen(o->size) && strlen(o->size) < 16 &&
                     sscanf(o->size, "%5dx%5d%c", &o->width, &o->height, &rest) == 2;
    if (two && o->width >= LEAST_SIDE && o->height >= LEAST_SIDE && o->width <= MOST_SIDE && o->height <= MOST_SIDE)
        return true;
    complain("runnel %s: --size is \"%.60s\"; it must be WIDTHxHEIGHT, each from %d to %d pixels, such as 1280x720",
             command, o->size, LEAST_SIDE, MOST_SIDE);
    return false;
}

/* Reads o->overlay, which is not NULL, into o->colours. Returns false after printing an error that suggests a similar
   name. */
static bool read_overlay(const char *command, picture_options *o) {
    const char *nearest = NULL;
    for (int i = 0; i < OVERLAYS; i++) {
        if (strcmp(o->overlay, overlay_names[i]) == 0) {
            o->colours = (rn_overlay)i;
            return true;
        }
        rn_word_nearer(o->overlay, overlay_names[i], &nearest);
    }
    char names[256];
    list_names(names, sizeof names, overlay_name, overlay_names, OVERLAYS);
    if (nearest)
        complain("runnel %s: there is no overlay \"%.60s\"; did you mean \"%s\"?", command, o->overlay, nearest);
    else complain("runnel %s: there is no overlay \"%.60s\"; the overlays are %s", command, o->overlay, names);
    return false;
}

bool pictures_understand(const char *command, picture_options *o) {
    if (o->size && !read_size(command, o)) return false;
    if (o->overlay && !read_overlay(command, o)) return false;
    return !o->video || video_knows(command, o->video);
}

static const rn_scene_view map_view = {.name = "map"};

bool pictures_is_map(const rn_scene_view *view) { return strcmp(view->name, map_view.name) == 0; }

/* Returns the name of view `i` of the rn_scene_info `from`, for list_names(); "map" comes after the last. */
static const char *view_name(const void *from, int i) {
    const rn_scene_info *scene = from;
    return i < scene->view_count ? scene->views[i].name : "map";
}

bool pictures_find_view(const char *command, const rn_scene_info *scene, const picture_options *o,
                        rn_scene_view *view) {
    const char *wanted = o->view ? o->view : scene->views[0].name, *nearest = NULL;
    for (int i = 0; i <= scene->view_count; i++) {
        const char *name = view_name(scene, i);
        rn_word_nearer(wanted, name, &nearest);
        if (strcmp(name, wanted) != 0) continue;
        *view = i < scene->view_count ? scene->views[i] : map_view;
        if (i < scene->view_count || o->colours == RN_OVERLAY_NONE) return true;
        complain("runnel %s: --overlay %s: maps have no overlays; choose another --view", command, o->overlay);
        return false;
    }
    char names[1024];
    list_names(names, sizeof names, view_name, scene, scene->view_count + 1);
    if (nearest)
        complain("runnel %s: %s has no view \"%.60s\"; did you mean \"%s\"?", command, scene->name, wanted, nearest);
    else complain("runnel %s: %s has no view \"%.60s\"; it has %s", command, scene->name, wanted, names);
    return false;
}

/* Sets the size of a map, in p->map_def and p->width and p->height (pixels): as wide as --size or the scene says, but
   narrower, down to LEAST_SIDE, if it would be higher than --size allows. The map may still be higher then. */
static void size_map(pictures *p, const picture_options *o) {
    const rn_world *world = rn_scene_world(p->scene);
    p->map_def = p->info.view;
    if (o->width) p->map_def.width = o->width;
    while (o->height && p->map_def.width > LEAST_SIDE && rn_top_view_height(world, &p->map_def) > o->height)
        p->map_def.width--;
    p->width = p->map_def.width;
    p->height = rn_top_view_height(world, &p->map_def);
}

/* Copies rn_last_error() to p->error, for pictures_close() to print. Always returns false. */
static bool store_error(pictures *p) {
    snprintf(p->error, sizeof p->error, "%s", rn_last_error());
    return false;
}

/* Opens the writer and, if --video was given, makes the film's folder and starts the film. Returns false after printing
   an error; a film that cannot be started is no error. */
static bool open_writer(pictures *p, const pictures_def *def) {
    const char *path = def->options->video;
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", path ? (int)(rn_path_name(path) - path) : 0, path ? path : "");
    if (*folder && !make_folders(folder)) return false;
    const video_def film = {
        .path = path, .width = p->width, .height = p->height, .rate = def->rate, .frames = def->frames};
    return writer_open(&p->writer, &film);
}

/* Whether pictures are drawn finely: so few are likely looked at one by one. */
static bool are_fine(const pictures_def *def) { return def->frames <= 30; }

/* Starts the artist with the look of the scene and the overlay asked for. Returns false, and prints nothing, on
   failure: p->artist.queue.error says why, p->artist.no_gl whether only OpenGL is missing. fall_back() decides what to
   do then. */
static bool open_artist(pictures *p, const pictures_def *def) {
    artist_def with = {.width = p->width,
                       .height = p->height,
                       .samples = are_fine(def) ? 2 : 0,
                       .look = p->info.look,
                       .liquid = rn_world_liquid(rn_scene_world(p->scene)),
                       .writer = &p->writer};
    with.look.overlay = def->options->colours;
    return artist_open(&p->artist, &with);
}

/* The spacing (m) of the ground's mesh. With half a cell, rims and thin walls are smooth; that takes four times the
   memory, and ground that moves four times as long to mesh, so it is only done for `fine` pictures there, and never for
   large grids. */
static double ground_spacing(const pictures *p, bool fine) {
    const double most_cells = 400 * 400;
    const rn_world_info grid = rn_world_describe(rn_scene_world(p->scene));
    const bool small = (double)grid.cells_x * grid.cells_y <= most_cells;
    return small && (fine || !p->info.ground_moves) ? 0.5 * grid.cell_size : grid.cell_size;
}

/* Creates p->skin, which builds the meshes, with menisci. The surface uses the threads of the world. Returns false with
   p->error set. */
static bool open_skin(pictures *p, const pictures_def *def) {
    rn_skin_def skin = rn_scene_skin(p->scene);
    skin.menisci = true;
    skin.threads = def->threads;
    skin.spacing = ground_spacing(p, are_fine(def));
    return rn_skin_create(&skin, &p->skin) == RN_OK || store_error(p);
}

/* Decides what to do after the renderer could not be opened: if only OpenGL is missing and a map can serve, says so on
   stderr, sets p->map and p->view, and returns true. Otherwise prints an error and returns false. */
static bool fall_back(pictures *p, const pictures_def *def) {
    const picture_options *o = def->options;
    if (!p->artist.no_gl) complain("runnel %s: %s", def->command, p->artist.queue.error);
    else if (o->colours != RN_OVERLAY_NONE)
        complain("runnel %s: --overlay %s needs OpenGL: %s", def->command, o->overlay, p->artist.queue.error);
    else if (def->around) complain("runnel %s: a turntable needs OpenGL: %s", def->command, p->artist.queue.error);
    else {
        fprintf(stderr, "OpenGL is not available: %s; drawing maps instead\n", p->artist.queue.error);
        p->map = true;
        p->view = map_view;
    }
    return p->map;
}

bool pictures_open(pictures *p, const pictures_def *def) {
    const picture_options *o = def->options;
    *p = (pictures){.scene = def->scene,
                    .info = rn_scene_describe(def->scene),
                    .view = *def->view,
                    .map = pictures_is_map(def->view),
                    .pace = def->pace};
    p->width = o->width ? o->width : DEFAULT_WIDTH;
    p->height = o->height ? o->height : DEFAULT_HEIGHT;
    if (!p->map && !open_artist(p, def) && !fall_back(p, def)) return false;
    if (p->map) size_map(p, o);
    p->open = true;
    if (o->video) snprintf(p->film, sizeof p->film, "%s", o->video);
    return open_writer(p, def) && (p->map || open_skin(p, def));
}

/* Prints one error: that of pictures.c if there is one, else the writer's, else the artist's. */
static void print_error(const pictures *p) {
    if (*p->error) complain("%s", p->error);
    else if (p->writer.queue.failed) complain("%s", p->writer.queue.error);
    else complain("%s", p->artist.queue.error);
}

bool pictures_close(pictures *p, bool has_failed) {
    if (!p->open) return true;
    p->open = false;
    const bool drawn = (p->map || artist_close(&p->artist)) && !*p->error;
    const bool fine = writer_close(&p->writer, drawn && !has_failed) && drawn;
    rn_skin_destroy(p->skin);
    p->skin = NULL;
    if (!fine && !has_failed) print_error(p);
    return fine;
}

/* Draws a map of the current state in this thread and queues it for the writer. `path`: the path of a PNG; NULL: none.
   Returns false on failure, which pictures_close() prints. */
static bool draw_map(pictures *p, const char *path, bool in_film) {
    const double before = clock_now();
    uint8_t *pixels = writer_room(&p->writer);
    const double ready = clock_now();
    p->waiting += ready - before;
    if (!pixels) return false; /* pictures_close() prints the reason */
    if (rn_top_view(rn_scene_world(p->scene), &p->map_def, pixels) != RN_OK) return store_error(p);
    p->drawing += clock_now() - ready;
    writer_give(&p->writer, path, in_film);
    return true;
}

/* Updates the meshes and queues a copy of them for the artist. `frame`: its number times the pace is the time of the
   camera; `turn`: added to the azimuth of the view (degrees); `path`: the path of a PNG; NULL: none. Returns false on
   failure, which pictures_close() prints. */
static bool queue_sketch(pictures *p, int frame, double turn, const char *path, bool in_film) {
    bool changed;
    if (rn_skin_update(p->skin, &changed) != RN_OK) return store_error(p);
    const double before = clock_now();
    sketch *s = artist_room(&p->artist);
    p->waiting += clock_now() - before;
    if (!s) return false;
    const rn_mesh ground = rn_skin_ground(p->skin), surface = rn_skin_surface(p->skin);
    const rn_mesh bodies = rn_skin_bodies(p->skin);
    const rn_surface_columns columns = rn_skin_columns(p->skin);
    rn_orbit orbit = p->view.orbit;
    orbit.azimuth += turn;
    s->time = rn_world_get_stats(rn_scene_world(p->scene)).time;
    const double filmed = frame * p->pace; /* s */
    s->camera = rn_camera_orbit(&orbit, p->info.low, p->info.high, (double)p->width / p->height, filmed);
    snprintf(s->path, sizeof s->path, "%s", path ? path : "");
    s->in_film = in_film;
    s->has_ground = changed;
    if ((changed && !rn_mesh_copy_take(&s->ground, NULL, &ground)) || !rn_mesh_copy_take(&s->surface, NULL, &surface) ||
        !rn_mesh_copy_take(&s->bodies, NULL, &bodies) || !rn_columns_copy_take(&s->columns, NULL, &columns)) {
        rn_fail(RN_MEMORY, "there is not enough memory to draw %u triangles", surface.triangle_count);
        return store_error(p);
    }
    artist_give(&p->artist);
    return true;
}

bool pictures_turned(pictures *p, int frame, double turn, const char *path, bool in_film) {
    if (queue_has_failed(&p->writer.queue)) return false;
    if (p->map ? !draw_map(p, path, in_film) : !queue_sketch(p, frame, turn, path, in_film)) return false;
    p->drawn++;
    p->frame = frame;
    return true;
}

bool pictures_frame(pictures *p, int frame, const char *path, bool in_film) {
    return pictures_turned(p, frame, 0, path, in_film);
}

bool pictures_last(pictures *p, int frame, const char *path) {
    if (p->drawn == 0 || p->frame != frame) return pictures_frame(p, frame, path, false);
    if (p->map) {
        writer_again(&p->writer, path);
        return true;
    }
    sketch *s = artist_room(&p->artist);
    if (!s) return false;
    s->again = true;
    snprintf(s->path, sizeof s->path, "%s", path);
    artist_give(&p->artist);
    return true;
}

bool pictures_settle(pictures *p) {
    if (!p->open) return true;
    const double before = clock_now();
    const bool drawn = p->map || queue_settle(&p->artist.queue), written = queue_settle(&p->writer.queue);
    p->waiting += clock_now() - before;
    return drawn && written;
}

bool pictures_are_filmed(pictures *p) { return *p->film && !writer_film_error(&p->writer); }

const char *pictures_news(pictures *p) {
    const char *error = p->news_told ? NULL : writer_film_error(&p->writer);
    if (error) p->news_told = true;
    return error;
}

picture_report pictures_report(const pictures *p) {
    return (picture_report){.view = p->view.name,
                            .device = p->map ? NULL : p->artist.device,
                            .film = *p->film && !p->writer.film_failed ? p->film : NULL,
                            .width = p->width,
                            .height = p->height,
                            .frames = p->drawn,
                            .fine = p->artist.def.samples == 2,
                            .drawing = p->drawing + p->artist.busy,
                            .writing = p->writer.busy,
                            .waiting = p->waiting};
}
