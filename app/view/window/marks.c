/* Finds arrows along the flow and tiles at rest. Interface: view/window/marks.h. */
#include "view/window/marks.h"

#include <math.h>
#include <stdlib.h>

/* Returns room for one more element of `size` bytes in a list, which is made longer if it is full; NULL, with the list
   unchanged, if memory runs out. */
static void *one_more(void **list, size_t *room, size_t count, size_t size) {
    if (count == *room) {
        const size_t longer = 2 * *room + 64;
        void *moved = realloc(*list, longer * size);
        if (!moved) return NULL;
        *list = moved;
        *room = longer;
    }
    return (char *)*list + count * size;
}

/* Sets pixel[] to where a point (m) appears. Returns false if it is behind the camera. */
static bool pixel_of(const marks_source *of, rn_vec3 at, double pixel[2]) {
    return pick_pixel(of->camera, at, of->width, of->height, pixel);
}

/* Returns the value of a field in a column; layer 0 is the lowest. */
static double value_at(const rn_surface_field *f, int layer, int y, int x) {
    return (double)f->data[layer * f->layer_stride + y * f->row_stride + x];
}

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

/* Returns the box of a body, which is made if there is none; NULL if memory runs out. */
static marks_box *box_of(marks_list *m, uint32_t body) {
    while (m->box_count <= body) {
        void *list = m->boxes;
        marks_box *box = one_more(&list, &m->box_room, m->box_count, sizeof *box);
        m->boxes = list;
        if (!box) return NULL;
        *box = (marks_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
        m->box_count++;
    }
    return &m->boxes[body];
}

/* Finds the boxes of all bodies. */
static void find_bodies(marks_list *m, const marks_source *of) {
    const rn_mesh *mesh = of->bodies;
    m->box_count = 0;
    for (uint32_t i = 0; mesh->ids && i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * (size_t)i;
        double pixel[2];
        if (!pixel_of(of, (rn_vec3){(double)p[0], (double)p[1], (double)p[2]}, pixel)) continue;
        marks_box *box = box_of(m, mesh->ids[i]);
        for (int k = 0; box && k < 2; k++) {
            box->low[k] = fminf(box->low[k], (float)pixel[k]);
            box->high[k] = fmaxf(box->high[k], (float)pixel[k]);
        }
    }
}

/* Returns whether a pixel is in the box of a body. */
static bool may_show_body(const marks_list *m, const double pixel[2]) {
    const float x = (float)pixel[0], y = (float)pixel[1];
    for (size_t i = 0; i < m->box_count; i++) {
        const marks_box *b = &m->boxes[i];
        if (x >= b->low[0] && x <= b->high[0] && y >= b->low[1] && y <= b->high[1]) return true;
    }
    return false;
}

/* Returns the distance of two points (m). */
static double distance_of(rn_vec3 a, rn_vec3 b) { return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z); }

/* Returns whether a body, or ground or liquid that is more than three cells nearer, hides a point (m) that appears at
   this pixel. Needs the boxes of the bodies. */
static bool is_hidden(const marks_list *m, const marks_source *of, rn_vec3 place, const double pixel[2]) {
    const pick_ray ray = pick_ray_at(of->camera, pixel[0], pixel[1], of->width, of->height);
    const double far = distance_of(place, ray.from);
    double distance;
    if (may_show_body(m, pixel) && pick_body(of->bodies, &ray, &distance) >= 0 && distance < far) return true;
    rn_vec3 hit;
    return pick_surface(of->columns, &ray, &hit) &&
           distance_of(hit, ray.from) < far - 3 * (double)of->columns->cell_size;
}

/* Returns how many cells there are from one arrow to the next: at most about 40 arrows along a side, and of->apart
   pixels between them in the middle of the scene. */
static int arrow_stride(const marks_source *of) {
    const rn_surface_columns *c = of->columns;
    const double cell = (double)c->cell_size;
    const rn_vec3 from = {(of->low.x + of->high.x) / 2, (of->low.y + of->high.y) / 2, (of->low.z + of->high.z) / 2};
    double a[2], b[2], along = 0;
    for (int i = 0; i < 2; i++) {
        const rn_vec3 to = {from.x + (i == 0 ? cell : 0), from.y + (i == 1 ? cell : 0), from.z};
        if (pixel_of(of, from, a) && pixel_of(of, to, b)) along = fmax(along, hypot(b[0] - a[0], b[1] - a[1]));
    }
    const int apart = along > 0 ? (int)fmin(ceil(of->apart / along), 1e6) : 1;
    const int few = (c->cells_x > c->cells_y ? c->cells_x : c->cells_y) / 40, least = apart > 1 ? apart : 1;
    return few > least ? few : least;
}

/* Returns the topmost layer of a cell that holds liquid, or -1. */
static int topmost(const rn_surface_columns *c, int y, int x) {
    int layer = c->layers - 1;
    while (layer >= 0 && !(value_at(&c->base, layer, y, x) < (double)RN_NO_COLUMN &&
                           value_at(&c->depth, layer, y, x) >= 10 * (double)c->quantum))
        layer--;
    return layer;
}

/* Adds the arrow of a cell, at most `longest` m long, if its liquid moves and is not hidden. */
static void add_arrow(marks_list *m, const marks_source *of, int y, int x, double longest) {
    const rn_surface_columns *c = of->columns;
    const int layer = topmost(c, y, x);
    if (layer < 0) return;
    const double cell = (double)c->cell_size, fastest = fmax(of->fastest, 1e-9),
                 depth = value_at(&c->depth, layer, y, x);
    const double u = value_at(&c->flux_x, layer, y, x) / (cell * depth);
    const double w = value_at(&c->flux_y, layer, y, x) / (cell * depth);
    const double speed = hypot(u, w), share = longest * fmin(1, sqrt(speed / fastest)) / speed;
    if (speed < 0.01 * fastest) return;
    const rn_vec3 from = {(double)c->origin_x + (x + 0.5) * cell, (double)c->origin_y + (y + 0.5) * cell,
                          (double)c->datum + value_at(&c->base, layer, y, x) + depth};
    const rn_vec3 to = {from.x + u * share, from.y + w * share, from.z};
    double a[2], b[2];
    if (!pixel_of(of, from, a) || !pixel_of(of, to, b) || is_hidden(m, of, from, a)) return;
    void *list = m->arrows;
    marks_arrow *arrow = one_more(&list, &m->arrow_room, m->arrow_count, sizeof *arrow);
    m->arrows = list;
    if (!arrow) return;
    *arrow = (marks_arrow){{(float)a[0], (float)a[1]}, {(float)b[0], (float)b[1]}};
    m->arrow_count++;
}

void marks_find_arrows(marks_list *m, const marks_source *of) {
    const rn_surface_columns *c = of->columns;
    m->arrow_count = 0;
    if (!c->base.data || !c->flux_x.data) return;
    find_bodies(m, of);
    const int stride = arrow_stride(of);
    for (int y = stride / 2; y < c->cells_y; y += stride)
        for (int x = stride / 2; x < c->cells_x; x += stride)
            add_arrow(m, of, y, x, 1.6 * stride * (double)c->cell_size);
}

/* ---- Tiles at rest ----------------------------------------------------------------------------------------------- */

/* A rectangle of columns of a layer whose liquid has one level (m): cells low_x to high_x - 1 and low_y to high_y - 1.
 */
typedef struct rectangle {
    int low_x, low_y, high_x, high_y;
    double level;
} rectangle;

enum { MOST_RUNS = 256 }; /* in a row of a tile: more than its columns */

/* The runs of one level in a row of a tile. */
typedef struct runs {
    rectangle run[MOST_RUNS];
    int count;
} runs;

/* Returns the level (m) of the liquid of a column, or NAN if it is dry or there is none. */
static double level_of(const rn_surface_columns *c, int layer, int y, int x) {
    const double base = value_at(&c->base, layer, y, x), depth = value_at(&c->depth, layer, y, x);
    const bool wet = base >= 0 && base < (double)RN_NO_COLUMN && depth > 0;
    return wet ? (double)c->datum + base + depth : (double)NAN;
}

/* Returns whether two levels (m) are drawn as one. */
static bool is_level(const rn_surface_columns *c, double a, double b) {
    return fabs(a - b) < 0.01 * (double)c->cell_size;
}

/* Finds the runs of one level in row y of a tile. */
static void find_runs(const rn_surface_columns *c, int layer, int y, const rectangle *tile, runs *row) {
    row->count = 0;
    for (int x = tile->low_x; x < tile->high_x && row->count < MOST_RUNS; x++) {
        const double level = level_of(c, layer, y, x);
        rectangle *last = row->count > 0 ? &row->run[row->count - 1] : NULL;
        if (isnan(level)) continue;
        if (last && last->high_x == x && is_level(c, last->level, level)) last->high_x++;
        else row->run[row->count++] = (rectangle){x, y, x + 1, y + 1, level};
    }
}

/* Adds a patch of a tile; none if a corner is behind the camera. */
static void add_patch(marks_list *m, const marks_source *of, const rectangle *p, const rectangle *tile) {
    const rn_surface_columns *c = of->columns;
    const int x[4] = {p->low_x, p->high_x, p->high_x, p->low_x}, y[4] = {p->low_y, p->low_y, p->high_y, p->high_y};
    marks_patch patch = {.sides = (p->low_y == tile->low_y ? 1u : 0) | (p->high_x == tile->high_x ? 2u : 0) |
                                  (p->high_y == tile->high_y ? 4u : 0) | (p->low_x == tile->low_x ? 8u : 0)};
    for (int i = 0; i < 4; i++) {
        const rn_vec3 place = {(double)c->origin_x + x[i] * (double)c->cell_size,
                               (double)c->origin_y + y[i] * (double)c->cell_size, p->level};
        double pixel[2];
        if (!pixel_of(of, place, pixel)) return;
        patch.corner[i][0] = (float)pixel[0], patch.corner[i][1] = (float)pixel[1];
    }
    void *list = m->patches;
    marks_patch *to = one_more(&list, &m->patch_room, m->patch_count, sizeof *to);
    m->patches = list;
    if (!to) return;
    *to = patch;
    m->patch_count++;
}

/* Returns the run of a row that continues a run of the row before: the same columns and level; NULL: none does. */
static rectangle *continuation(const rn_surface_columns *c, runs *row, const rectangle *of) {
    for (int i = 0; i < row->count; i++) {
        rectangle *r = &row->run[i];
        if (r->low_x == of->low_x && r->high_x == of->high_x && is_level(c, r->level, of->level)) return r;
    }
    return NULL;
}

/* Adds the liquid of a tile: the runs of its rows, joined to rectangles where rows are alike. */
static void add_tile(marks_list *m, const marks_source *of, int layer, const rectangle *tile) {
    runs two[2];
    two[1].count = 0;
    for (int y = tile->low_y; y <= tile->high_y; y++) {
        runs *row = &two[(y - tile->low_y) % 2], *open = &two[(y - tile->low_y + 1) % 2];
        row->count = 0;
        if (y < tile->high_y) find_runs(of->columns, layer, y, tile, row);
        for (int i = 0; i < open->count; i++) {
            rectangle *found = continuation(of->columns, row, &open->run[i]);
            if (found) found->low_y = open->run[i].low_y;
            else add_patch(m, of, &open->run[i], tile);
        }
    }
}

/* Returns the smaller of two numbers. */
static int smaller(int a, int b) { return a < b ? a : b; }

void marks_find_resting(marks_list *m, const marks_source *of) {
    const rn_resting *r = of->resting;
    const rn_surface_columns *c = of->columns;
    m->patch_count = 0;
    if (!c->base.data || !r->rests) return;
    for (int layer = 0; layer < smaller(r->layers, c->layers); layer++)
        for (int y = 0; y < r->tiles_y; y++)
            for (int x = 0; x < r->tiles_x; x++) {
                const rectangle tile = {x * r->tile_x, y * r->tile_y, smaller((x + 1) * r->tile_x, c->cells_x),
                                        smaller((y + 1) * r->tile_y, c->cells_y), 0};
                if (r->rests[(layer * r->tiles_y + y) * r->tiles_x + x]) add_tile(m, of, layer, &tile);
            }
}

void marks_free(marks_list *m) {
    free(m->arrows);
    free(m->patches);
    free(m->boxes);
    *m = (marks_list){0};
}
