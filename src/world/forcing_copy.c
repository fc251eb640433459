/* Copies of sources, gauges and the clock of a world, for solvers that take substeps on another device.

   Interface: rn_forcing_of (world/forcing_copy.h). A solver asks for the size of a copy, makes it before its substeps,
   moves it to its device, runs the callbacks of world/forcing.c on it there, and gives it back after them.

   A copy begins with an rn_world; then come the lists and arrays that it points to, each aligned to 64 bytes. Its
   pointers are addresses on the device, which sets the columns: they belong to the solver. Solids, bodies and forces
   are not copied: no callback needs them. Shares of rain do not change during substeps, like series and paths, and are
   not taken back. */
#include "world/forcing_copy.h"

#include "world/sources.h"

#include <string.h>

/* Where the next array of a copy comes to lie. */
typedef struct cursor {
    char *base;  /* of the copy; NULL: only its size is wanted */
    char *place; /* where it will lie on the device */
    size_t used;
} cursor;

/* Copies an array to the cursor and moves it on. Returns where the copy will lie on the device; NULL if the array is
   NULL or if only the size is wanted. */
static void *copy_array(cursor *at, const void *array, size_t count, size_t size) {
    if (!array) return NULL;
    const size_t used = at->used;
    at->used += (count * size + 63) / 64 * 64;
    if (!at->base) return NULL;
    memcpy(at->base + used, array, count * size);
    return at->place + used;
}

/* Where an array of a copy is here; NULL for NULL. */
static const void *here(const cursor *copy, const void *on_device) {
    return on_device ? copy->base + ((const char *)on_device - copy->place) : NULL;
}

#define COPY(at, array, count) copy_array(at, array, (size_t)(count), sizeof *(array))

/* Sets the arrays of *to, which is a copy of the source, to copies. slots: of all shares. */
static void copy_source(cursor *at, const rn_source *source, size_t slots, rn_source *to) {
    to->value.knots = COPY(at, source->value.knots, source->value.count);
    to->slots = COPY(at, source->slots, source->room);
    to->weights = COPY(at, source->weights, source->room);
    to->pending = COPY(at, source->pending, source->room);
    to->done = COPY(at, source->done, source->room);
    to->path = COPY(at, source->path, source->path_count);
    to->shares = COPY(at, source->shares, slots);
}

/* Copies a world's sources and gauges to the cursor, and sets the lists of *to, which is a copy of the world. With a
   cursor without memory only moves that on; *to is then any world. */
static void copy_lists(const rn_world *world, cursor *at, rn_world *to) {
    const rn_sources *sources = &world->sources;
    const rn_grid *g = &world->columns->grid;
    const size_t slots = (size_t)rn_slots_of(g->nx, g->ny, sources->layers, g->rim);
    rn_source unused_source;
    rn_gauge unused_gauge;
    rn_source *const list = at->base ? (rn_source *)(at->base + at->used) : NULL;
    to->sources.list = COPY(at, sources->list, sources->count);
    to->sources.parts = COPY(at, sources->parts, sources->layers * g->ny * rn_area_parts(g->nx));
    for (size_t i = 0; i < sources->count; i++)
        copy_source(at, &sources->list[i], slots, list ? &list[i] : &unused_source);
    rn_gauge *const gauges = at->base ? (rn_gauge *)(at->base + at->used) : NULL;
    to->gauges.list = COPY(at, world->gauges.list, world->gauges.count);
    for (size_t i = 0; i < world->gauges.count; i++) {
        rn_gauge *gauge = gauges ? &gauges[i] : &unused_gauge;
        gauge->faces = COPY(at, world->gauges.list[i].faces, world->gauges.list[i].count);
    }
}

/* rn_forcing.copy_bytes: the size of a copy now. */
static size_t copy_bytes(const void *context) {
    const rn_world *world = context;
    rn_world unused;
    cursor at = {0};
    COPY(&at, world, 1);
    copy_lists(world, &at, &unused);
    return at.used;
}

/* rn_forcing.copy: makes a copy. */
static void copy(const void *context, void *to, void *place) {
    const rn_world *world = context;
    cursor at = {.base = to, .place = place};
    COPY(&at, world, 1);
    copy_lists(world, &at, to);
}

/* Takes over what substeps have changed in the copy of a source: what it owes, and place and columns if it moved. */
static void take_source(const cursor *copy, const rn_source *from, rn_source *to) {
    const rn_source old = *to;
    *to = *from;
    to->value.knots = old.value.knots, to->path = old.path, to->shares = old.shares;
    to->slots = old.slots, to->weights = old.weights, to->pending = old.pending, to->done = old.done;
    if (to->count == 0) return;
    const size_t count = (size_t)to->count;
    memcpy(to->slots, here(copy, from->slots), count * sizeof *to->slots);
    memcpy(to->weights, here(copy, from->weights), count * sizeof *to->weights);
    memcpy(to->pending, here(copy, from->pending), count * sizeof *to->pending);
}

/* rn_forcing.take_back: takes over clock, ledger, sources and gauges. */
static void take_back(void *context, void *from, void *place) {
    rn_world *world = context;
    const rn_world *done = from;
    const cursor copy = {.base = from, .place = place};
    world->stats.time = done->stats.time;
    world->stats.steps = done->stats.steps;
    world->ledger = done->ledger;
    const rn_source *sources = here(&copy, done->sources.list);
    const rn_gauge *gauges = here(&copy, done->gauges.list);
    for (size_t i = 0; i < world->sources.count; i++) take_source(&copy, &sources[i], &world->sources.list[i]);
    for (size_t i = 0; i < world->gauges.count; i++) world->gauges.list[i].passed = gauges[i].passed;
}

rn_forcing rn_forcing_of(rn_world *world) {
    rn_forcing forcing = rn_forcing_calls(world);
    forcing.copy_bytes = copy_bytes;
    forcing.copy = copy;
    forcing.take_back = take_back;
    return forcing;
}
