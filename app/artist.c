#include "artist.h"

#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One after the other in the sketch's own memory, each at a multiple of four bytes. */
static bool copy_mesh(const rn_mesh *from, rn_mesh *to, void **memory, size_t *room) {
    const size_t vertices = from->vertex_count;
    const struct {
        const void *from;
        size_t bytes;
    } parts[] = {{from->positions, 12 * vertices},  {from->normals, 12 * vertices},
                 {from->colours, 12 * vertices},    {from->opacity, 4 * vertices},
                 {from->velocities, 12 * vertices}, {from->menisci, 16 * vertices},
                 {from->ids, 4 * vertices},         {from->indices, 12 * (size_t)from->triangle_count}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    size_t needed = 4;
    for (int i = 0; i < PARTS; i++) needed += parts[i].from ? parts[i].bytes : 0;
    if (needed > *room) {
        free(*memory);
        *room = needed + needed / 4;
        *memory = malloc(*room);
        if (!*memory) *room = 0;
        if (!*memory) return false;
    }
    void *copies[PARTS] = {NULL};
    char *at = *memory;
    for (int i = 0; i < PARTS; i++) {
        if (!parts[i].from) continue;
        copies[i] = memcpy(at, parts[i].from, parts[i].bytes);
        at += parts[i].bytes;
    }
    *to = (rn_mesh){.positions = copies[0],
                    .normals = copies[1],
                    .colours = copies[2],
                    .opacity = copies[3],
                    .velocities = copies[4],
                    .menisci = copies[5],
                    .ids = copies[6],
                    .indices = copies[7],
                    .vertex_count = from->vertex_count,
                    .triangle_count = from->triangle_count,
                    .vertex_capacity = from->vertex_count,
                    .triangle_capacity = from->triangle_count};
    return true;
}

bool sketch_meshes(sketch *s, const rn_mesh *ground, const rn_mesh *surface) {
    s->has_ground = ground != NULL;
    if (ground && !copy_mesh(ground, &s->ground, &s->ground_memory, &s->ground_room)) return false;
    return copy_mesh(surface, &s->surface, &s->surface_memory, &s->surface_room);
}

bool sketch_columns(sketch *s, const rn_surface_columns *columns) {
    const size_t slots = rn_surface_slots(columns), row = (size_t)columns->cells_x;
    s->columns = *columns;
    rn_surface_field *const fields[] = {&s->columns.base,   &s->columns.ceil,   &s->columns.depth,
                                        &s->columns.flux_x, &s->columns.flux_y, &s->columns.effective};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    if (slots * FIELDS > s->value_room) {
        free(s->values);
        s->values = malloc(slots * FIELDS * sizeof *s->values);
        s->value_room = s->values ? slots * FIELDS : 0;
        if (!s->values) return false;
    }
    float *to = s->values;
    for (int i = 0; i < FIELDS; i++) {
        const rn_surface_field from = *fields[i];
        if (!from.data) continue;
        *fields[i] = (rn_surface_field){to, (ptrdiff_t)row, (ptrdiff_t)row * columns->cells_y};
        for (int layer = 0; layer < columns->layers; layer++)
            for (int y = 0; y < columns->cells_y; y++, to += row)
                memcpy(to, from.data + layer * from.layer_stride + y * from.row_stride, row * sizeof *to);
    }
    return true;
}

static bool draw(artist *a, rn_renderer *renderer, const sketch *s) {
    writer *w = a->def.writer;
    if (s->again) {
        writer_again(w, s->path);
        return true;
    }
    uint8_t *pixels = writer_room(w);
    if (!pixels) return true; /* the writer has failed, and will tell */
    const double before = clock_now();
    rn_result result = s->has_ground ? rn_renderer_ground(renderer, &s->ground) : RN_OK;
    if (result == RN_OK) result = rn_renderer_liquid(renderer, &s->surface, &a->def.liquid, &s->columns);
    if (result == RN_OK) result = rn_renderer_draw(renderer, &s->camera, &a->def.look, pixels);
    a->busy += clock_now() - before;
    if (result == RN_OK) writer_give(w, *s->path ? s->path : NULL, s->in_film);
    return result == RN_OK;
}

/* The first thing in the queue is to make the renderer, in the thread that will use it. */
static rn_renderer *begin(artist *a) {
    rn_renderer_def def = rn_renderer_default();
    rn_renderer *renderer = NULL;
    if (queue_next(&a->queue) < 0) return NULL;
    def.width = a->def.width;
    def.height = a->def.height;
    const rn_result result = rn_renderer_create(&def, &renderer);
    a->no_gl = result == RN_DEVICE;
    if (renderer) snprintf(a->device, sizeof a->device, "%s", rn_renderer_device(renderer));
    queue_done(&a->queue, renderer ? NULL : rn_last_error());
    return renderer;
}

static void *draw_sketches(void *argument) {
    artist *a = argument;
    rn_renderer *renderer = begin(a);
    for (int slot; renderer && (slot = queue_next(&a->queue)) >= 0;)
        queue_done(&a->queue, draw(a, renderer, &a->sketches[slot]) ? NULL : rn_last_error());
    rn_renderer_destroy(renderer);
    return NULL;
}

bool artist_open(artist *a, const artist_def *def) {
    *a = (artist){.def = *def};
    if (!queue_open(&a->queue, ARTIST_DEEP, draw_sketches, a)) {
        snprintf(a->queue.error, sizeof a->queue.error, "there is no thread to be had that draws");
        return false;
    }
    queue_give(&a->queue);
    return queue_settle(&a->queue) || artist_close(a);
}

bool artist_close(artist *a) {
    queue_close(&a->queue);
    for (int i = 0; i < ARTIST_DEEP; i++) {
        sketch *s = &a->sketches[i];
        free(s->ground_memory);
        free(s->surface_memory);
        free(s->values);
        *s = (sketch){0};
    }
    return !a->queue.failed;
}

sketch *artist_room(artist *a) {
    const int slot = queue_room(&a->queue);
    if (slot < 0) return NULL;
    sketch *room = &a->sketches[slot];
    room->again = room->has_ground = false;
    return room;
}

void artist_give(artist *a) { queue_give(&a->queue); }
