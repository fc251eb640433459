/* Packs the state of blocking bodies into bytes for snapshots, checks such bytes, and restores the state from them.

   Interface (world/blocking.h): rn_blocking_pack, rn_blocking_check and rn_blocking_unpack.

   Order of calls: world/bodies_archive.c calls one of them in each pass of an archive (measure and write: pack;
   check; read: unpack), after the poses of the bodies themselves. Unpacking needs bytes that have passed the check,
   and the same bodies as when the state was saved.

   The bytes hold the pose at which each body was last rasterised, the covered cells with their ranges, and the shut
   faces. The rasters themselves are not saved: unpacking makes them again at the saved poses. Covered cells and shut
   faces cannot be made again, because they depend on how bodies moved in the step before, so they are copied. The
   bytes may come from a damaged or hostile file: counts are compared with the size before any pointer is formed, and
   numbers are copied out with memcpy because they need not be aligned. */
#include "base/error.h"
#include "base/memory.h"
#include "world/blocking.h"
#include "world/pose.h"

#include <math.h>
#include <string.h>

/* Bodies, covered cells, their ranges, and shut faces follow in this order; all 0: no body has blocked yet. */
typedef struct packed {
    int32_t bodies, cells, ranges, shuts;
    int32_t squeezed, advanced;
} packed;

typedef struct packed_body {
    rn_pose pose;
    int32_t flags; /* 1 blocked, 2 moving, 4 swept */
    int32_t unused;
} packed_body;

/* The size (bytes) of a packed state with this header, the header included. */
static size_t packed_size(const packed *p) {
    return sizeof *p + (size_t)p->bodies * sizeof(packed_body) + (size_t)p->cells * sizeof(rn_covered) +
           (size_t)p->ranges * sizeof(rn_solid_range) + (size_t)p->shuts * sizeof(rn_face_blockage);
}

/* Copies `size` bytes to `to` and returns the end of the copy; `from` may be NULL if there are none. */
static char *append_bytes(char *to, const void *from, size_t size) {
    if (size > 0) memcpy(to, from, size);
    return to + size;
}

size_t rn_blocking_pack(const rn_world *world, void *to) {
    const struct rn_blocking_state *b = world->bodies.blocking;
    const packed head = b ? (packed){(int32_t)b->count,       (int32_t)b->now.count,  (int32_t)b->now.range_count,
                                     (int32_t)b->shuts.count, world->bodies.squeezed, world->bodies.advanced}
                          : (packed){0};
    if (!to || !b) return to ? (append_bytes(to, &head, sizeof head), packed_size(&head)) : packed_size(&head);
    char *at = append_bytes(to, &head, sizeof head);
    for (size_t i = 0; i < b->count; i++) {
        const rn_body_raster *g = &b->rasters[i];
        const packed_body body = {g->pose, g->blocked | g->moving << 1 | g->swept << 2, 0};
        at = append_bytes(at, &body, sizeof body);
    }
    at = append_bytes(at, b->now.cells, b->now.count * sizeof(rn_covered));
    at = append_bytes(at, b->now.ranges, b->now.range_count * sizeof(rn_solid_range));
    append_bytes(at, b->shuts.list, b->shuts.count * sizeof(rn_face_blockage));
    return packed_size(&head);
}

/* Whether heights (m) and share are finite and within the limits of a range; low may be above high. */
static bool is_range(float low, float high, float share) {
    return fabsf(low) <= 1e9f && fabsf(high) <= 1e9f && share >= 0.0f && share <= 1.0f;
}

/* The pieces that follow the header. */
typedef struct unpacked {
    packed head;
    const char *bodies, *cells, *ranges, *shuts;
} unpacked;

/* Copies the header and finds the pieces of packed bytes, which need not be aligned. Returns false, without a message,
   if the counts do not match `size`. The content of the pieces is not checked. */
static bool split_packed(const void *bytes, size_t size, unpacked *u) {
    if (size < sizeof u->head) return false;
    memcpy(&u->head, bytes, sizeof u->head);
    const packed *p = &u->head;
    if (p->bodies < 0 || p->cells < 0 || p->ranges < 0 || p->shuts < 0 || packed_size(p) != size) return false;
    u->bodies = (const char *)bytes + sizeof *p;
    u->cells = u->bodies + (size_t)p->bodies * sizeof(packed_body);
    u->ranges = u->cells + (size_t)p->cells * sizeof(rn_covered);
    u->shuts = u->ranges + (size_t)p->ranges * sizeof(rn_solid_range);
    return true;
}

/* Whether covered cells are in ascending order and below `cells`, and have 1 to RN_MOST_RANGES ranges each, which
   follow each other and are all ranges there are. */
static bool check_cells(const unpacked *u, int32_t cells) {
    int32_t last = -1, next = 0;
    for (int32_t i = 0; i < u->head.cells; i++) {
        rn_covered c;
        memcpy(&c, u->cells + (size_t)i * sizeof c, sizeof c);
        if (c.cell <= last || c.cell >= cells || c.first != next || c.count < 1 || c.count > RN_MOST_RANGES)
            return false;
        last = c.cell;
        next += c.count;
    }
    return next == u->head.ranges;
}

/* Whether shut faces are in ascending order, belong to cells below `cells`, and have valid numbers. */
static bool check_shuts(const unpacked *u, int32_t cells) {
    int32_t last = -1;
    for (int32_t i = 0; i < u->head.shuts; i++) {
        rn_face_blockage s;
        memcpy(&s, u->shuts + (size_t)i * sizeof s, sizeof s);
        if (!is_range(s.low, s.high, s.share) || !(fabsf(s.speed) <= 1e9f) || s.owner <= last || s.owner / 2 >= cells)
            return false;
        last = s.owner;
    }
    return true;
}

bool rn_blocking_check(const rn_world *world, const void *bytes, size_t size) {
    unpacked u;
    const int32_t cells = world->ground.cells_x * world->ground.cells_y;
    if (!split_packed(bytes, size, &u) || (size_t)u.head.bodies > world->bodies.count) return false;
    for (int32_t i = 0; i < u.head.bodies; i++) {
        packed_body body;
        memcpy(&body, u.bodies + (size_t)i * sizeof body, sizeof body);
        if (!rn_pose_kept(&body.pose) || body.flags < 0 || body.flags > 7) return false;
        if ((body.flags & 1) && !rn_body_at(&world->bodies, (size_t)i)->shape) return false;
    }
    for (int32_t i = 0; i < u.head.ranges; i++) {
        rn_solid_range s;
        memcpy(&s, u.ranges + (size_t)i * sizeof s, sizeof s);
        if (!is_range(s.low, s.high, s.share)) return false;
    }
    return check_cells(&u, cells) && check_shuts(&u, cells);
}

/* Makes room for `wanted` elements of `each` bytes in the array whose pointer is at address `array`, fills it from
   `from` and sets *count. Returns false, with a message, if memory runs out; then *count is 0. */
static bool replace_array(const rn_hooks *hooks, void *array, size_t *capacity, size_t *count, const char *from,
                          int32_t wanted, size_t each) {
    const bool fine = rn_renew(hooks, array, capacity, (size_t)wanted, each);
    void *list;
    memcpy(&list, array, sizeof list);
    *count = fine ? (size_t)wanted : 0;
    if (*count > 0) memcpy(list, from, *count * each);
    return fine;
}

/* Rasterises body i at the pose that it had when the state was packed, without a sweep, and clears its marks `moved`
   and `placed`. A body added since counts as not blocking. Returns false, with a message, if memory runs out;
   rn_blocking_look tries it again. */
static bool rasterise_again(const rn_world *world, const unpacked *u, size_t i) {
    packed_body was = {0};
    rn_body_raster *g = &world->bodies.blocking->rasters[i];
    rn_body *body = rn_body_at(&world->bodies, i), then = *body;
    if (i < (size_t)u->head.bodies) memcpy(&was, u->bodies + i * sizeof was, sizeof was);
    then.now = g->pose = was.pose;
    then.blocks = was.flags & 1;
    then.moved = g->blocked = false;
    const bool fine = rn_blocking_rasterise(world, &then, g);
    g->moving = was.flags & 2;
    g->failed = !fine;
    body->moved = body->placed = false;
    return fine;
}

rn_result rn_blocking_unpack(rn_world *world, const void *bytes, size_t size) {
    unpacked u;
    if (!split_packed(bytes, size, &u)) return RN_INVALID;
    if (u.head.bodies == 0) {
        world->bodies.squeezed = world->solids.reshaping.squeezed = false;
        rn_blocking_free(world);
        return RN_OK;
    }
    const rn_result result = rn_blocking_make(world);
    if (result != RN_OK) return result;
    struct rn_blocking_state *b = world->bodies.blocking;
    const rn_hooks *hooks = &world->hooks;
    rn_cover *now = &b->now;
    bool fine = true;
    b->moving = false;
    world->bodies.advanced = u.head.advanced != 0; /* traces stay until time advances */
    world->bodies.squeezed = world->solids.reshaping.squeezed = u.head.squeezed != 0;
    for (size_t i = 0; i < b->count; i++) {
        fine = rasterise_again(world, &u, i) && fine;
        b->moving |= b->rasters[i].moving;
    }
    fine = replace_array(hooks, &now->cells, &now->capacity, &now->count, u.cells, u.head.cells, sizeof(rn_covered)) &&
           fine;
    fine = replace_array(hooks, &now->ranges, &now->range_capacity, &now->range_count, u.ranges, u.head.ranges,
                         sizeof(rn_solid_range)) &&
           fine;
    fine = replace_array(hooks, &b->shuts.list, &b->shuts.capacity, &b->shuts.count, u.shuts, u.head.shuts,
                         sizeof(rn_face_blockage)) &&
           fine;
    return fine ? RN_OK : rn_fail(RN_MEMORY, "out of memory for the cells that bodies cover");
}
