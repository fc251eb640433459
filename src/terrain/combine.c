/* Union, subtraction and intersection of shapes: a fold, one list of shapes that is evaluated from left to right. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"

/* The quadratic smooth minimum (Quilez): equal to the smaller value where they differ by k (m) or more, at most k/4
   below it; k = 0: the plain minimum. Its partial derivatives are not negative and sum to 1, so the field stays
   1-Lipschitz. */
static double smooth_min(double a, double b, double k) {
    double least = rn_min(a, b), gap = fabs(a - b);
    return gap < k ? least - (k - gap) * (k - gap) / (4 * k) : least;
}

/* The smooth maximum, at most k/4 above the larger value; k = 0: the plain maximum. */
static double smooth_max(double a, double b, double k) { return -smooth_min(-a, -b, k); }

/* The squared distance (m^2) to a box, 0 inside. For an empty box it is still the square of a 1-Lipschitz bound. */
static double square_to_box(const rn_box *box, rn_vec3 at) {
    double x = rn_max(rn_max(box->low.x - at.x, at.x - box->high.x), 0);
    double y = rn_max(rn_max(box->low.y - at.y, at.y - box->high.y), 0);
    double z = rn_max(rn_max(box->low.z - at.z, at.z - box->high.z), 0);
    return x * x + y * y + z * z;
}

/* The distance (m) from a shape beyond which its entry does not change `value`, the value of the entries before it. 0
   or less: the entry changes nothing outside the box of its shape. INFINITY for an intersection. */
static double influence_range(const rn_fold_entry *entry, double value) {
    switch (entry->operation) {
    case RN_FOLD_UNION: return entry->blend + value;
    case RN_FOLD_SUBTRACT: return entry->blend - value;
    case RN_FOLD_INTERSECT: break;
    }
    return INFINITY;
}

/* The field of a fold (m), or with `upright` its rise; INFINITY if it is empty. A shape is at least as far away as its
   box, so most are never evaluated. Evaluated ones are raised to the same bound, which keeps the field continuous where
   skipping begins. */
static double fold_value(const rn_fold *fold, rn_vec3 at, bool upright) {
    double value = INFINITY;
    for (size_t i = 0; i < fold->count; i++) {
        const rn_fold_entry *entry = &fold->entries[i];
        const rn_sdf *shape = entry->shape;
        double square = square_to_box(&entry->bounds, at), range = influence_range(entry, value);
        if (square > 0 && (range <= 0 || square >= range * range)) continue;
        double other = upright && i >= fold->plain ? shape->type->rise(shape, at) : shape->type->distance(shape, at);
        if (square > 0) other = rn_max(other, sqrt(square));
        switch (entry->operation) {
        case RN_FOLD_UNION: value = smooth_min(value, other, entry->blend); break;
        case RN_FOLD_SUBTRACT: value = smooth_max(value, -other, entry->blend); break;
        case RN_FOLD_INTERSECT: value = smooth_max(value, other, entry->blend); break;
        }
    }
    return value;
}

/* The distance (m) for fold_class. */
static double fold_distance(const rn_sdf *self, rn_vec3 at) { return fold_value((const rn_fold *)self, at, false); }

/* The rise (m) for fold_class: that of the shapes whose sign alone matters, the distance of the others. */
static double fold_rise(const rn_sdf *self, rn_vec3 at) { return fold_value((const rn_fold *)self, at, true); }

/* How far (m) all blends of a fold together can move the surface. One moves it by k/4; where many meet, the sum stays
   below the largest k, because values that differ by k or more do not blend. */
static double blend_reach(const rn_fold *fold) { return rn_min(fold->blend_sum / 4, fold->blend_most); }

/* Bounds of the heights (m) of the combined solid, for fold_class, allowing for blends. Subtraction counts as removing
   nothing. */
static rn_heights fold_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow) {
    const rn_fold *fold = (const rn_fold *)self;
    grow += blend_reach(fold) * pose->scale;
    rn_heights all = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < fold->count; i++) {
        const rn_sdf *shape = fold->entries[i].shape;
        rn_heights one = shape->type->heights(shape, pose, over, grow);
        all.surface_low = rn_min(all.surface_low, one.surface_low);
        all.surface_high = rn_max(all.surface_high, one.surface_high);
        switch (fold->entries[i].operation) {
        case RN_FOLD_UNION:
            all.solid_low = rn_min(all.solid_low, one.solid_low);
            all.solid_high = rn_max(all.solid_high, one.solid_high);
            break;
        case RN_FOLD_SUBTRACT: break;
        case RN_FOLD_INTERSECT:
            all.solid_low = rn_max(all.solid_low, one.solid_low);
            all.solid_high = rn_min(all.solid_high, one.solid_high);
            break;
        }
        all.surface_low = rn_max(all.surface_low, all.solid_low);
        all.surface_high = rn_min(all.surface_high, all.solid_high);
    }
    return all;
}

/* Destroys the shapes of all entries, and frees the list; rn_sdf_destroy frees the fold itself. */
static void fold_release(rn_sdf *self) {
    rn_fold *fold = (rn_fold *)self;
    for (size_t i = 0; i < fold->count; i++) rn_sdf_destroy(fold->entries[i].shape);
    rn_free(NULL, fold->entries);
}

static const rn_sdf_class fold_class = {fold_distance, fold_rise, fold_heights, fold_release};

/* Whether a shape is a list of this file (rn_fold), so that it may be cast to one. */
static bool is_fold(const rn_sdf *shape) { return shape->type == &fold_class; }

/* Whether a shape is a fold of unions without blends, whose entries can be moved to another such union. */
static bool is_plain_union(const rn_sdf *shape) {
    return is_fold(shape) && ((const rn_fold *)shape)->only_plain_unions;
}

/* The smallest box around two boxes. */
static rn_box box_hull(rn_box a, rn_box b) {
    return (rn_box){{rn_min(a.low.x, b.low.x), rn_min(a.low.y, b.low.y), rn_min(a.low.z, b.low.z)},
                    {rn_max(a.high.x, b.high.x), rn_max(a.high.y, b.high.y), rn_max(a.high.z, b.high.z)}};
}

/* The intersection of two boxes; empty if they do not overlap. */
static rn_box box_overlap(rn_box a, rn_box b) {
    return (rn_box){{rn_max(a.low.x, b.low.x), rn_max(a.low.y, b.low.y), rn_max(a.low.z, b.low.z)},
                    {rn_min(a.high.x, b.high.x), rn_min(a.high.y, b.high.y), rn_min(a.high.z, b.high.z)}};
}

/* Appends an entry to a fold, which takes over its shape, and updates bounds and depth. Returns false, with an error
   text and nothing appended, if the fold would be too deep or memory runs out. */
static bool append_entry(rn_fold *fold, rn_fold_entry entry) {
    if (entry.shape->depth + 1 > RN_SDF_DEPTH) {
        rn_shape_fail(
            RN_LIMIT,
            "the solid is nested more than %d levels deep; build it as one chain of unions, or move and turn the "
            "parts before they are joined",
            RN_SDF_DEPTH);
        return false;
    }
    if (!rn_grow(NULL, &fold->entries, &fold->capacity, fold->count, sizeof entry)) return false;
    switch (entry.operation) {
    case RN_FOLD_UNION: fold->sharp = fold->count ? box_hull(fold->sharp, entry.bounds) : entry.bounds; break;
    case RN_FOLD_SUBTRACT: break;
    case RN_FOLD_INTERSECT: fold->sharp = box_overlap(fold->sharp, entry.bounds); break;
    }
    fold->entries[fold->count++] = entry;
    if (entry.blend > 0) fold->plain = fold->count;
    if (entry.blend > 0 || entry.operation != RN_FOLD_UNION) fold->only_plain_unions = false;
    fold->blend_sum += entry.blend;
    fold->blend_most = rn_max(fold->blend_most, entry.blend);
    fold->node.bounds = rn_box_grow(fold->sharp, blend_reach(fold));
    if (fold->node.depth <= entry.shape->depth) fold->node.depth = entry.shape->depth + 1;
    return true;
}

/* The shape itself if it is a fold, otherwise a new fold that owns it. On failure returns NULL, with an error text; the
   shape is then destroyed. */
static rn_fold *as_fold(rn_sdf *shape) {
    if (is_fold(shape)) return (rn_fold *)shape;
    rn_fold *fold = rn_sdf_new(&fold_class, sizeof *fold);
    if (fold) {
        fold->only_plain_unions = true;
        if (append_entry(fold, (rn_fold_entry){shape, 0, RN_FOLD_UNION, shape->bounds})) return fold;
        rn_sdf_destroy(&fold->node);
    }
    rn_sdf_destroy(shape);
    return NULL;
}

/* Moves the entries of a plain union to the end of another fold. Returns false, with an error text, if memory runs out
   or the fold would be too deep; the remaining entries then stay in `from`, which the caller destroys in any case. */
static bool move_entries(rn_fold *into, rn_fold *from) {
    while (from->count > 0) {
        if (!append_entry(into, from->entries[from->count - 1])) return false;
        from->count--;
    }
    return true;
}

/* Applies `operation` to a and b with a blend (m; below RN_SDF_LEAST: none), and consumes both, also on failure. `name`
   is for messages. Returns NULL, with an error text, on failure; NULL for a or b fails, too, with the text of their
   constructor. */
static rn_sdf *combine_shapes(rn_sdf *a, rn_sdf *b, double blend, rn_fold_operation operation, const char *name) {
    bool good = a && b && RN_REQUIRE(NULL, a != b);
    if (good && !(blend >= 0 && blend <= RN_SDF_REACH)) {
        rn_shape_fail(RN_INVALID, "the blend of the %s is %g m; it must lie between 0 and %g m", name, blend,
                      RN_SDF_REACH);
        good = false;
    }
    if (!good) {
        rn_sdf_destroy(a);
        if (a != b) rn_sdf_destroy(b);
        return NULL;
    }
    /* a narrower blend counts as none; dividing by it could overflow */
    if (blend < RN_SDF_LEAST) blend = 0;
    bool commutes = operation == RN_FOLD_UNION && blend == 0;
    if (commutes && is_plain_union(b) && !is_fold(a)) {
        rn_sdf *swap = a;
        a = b;
        b = swap;
    }
    rn_fold *fold = as_fold(a);
    if (!fold) {
        rn_sdf_destroy(b);
        return NULL;
    }
    bool spliced = commutes && is_plain_union(b);
    bool joined = spliced ? move_entries(fold, (rn_fold *)b)
                          : append_entry(fold, (rn_fold_entry){b, blend, operation, b->bounds});
    if (spliced || !joined) rn_sdf_destroy(b);
    if (joined) return &fold->node;
    rn_sdf_destroy(&fold->node);
    return NULL;
}

rn_sdf *rn_sdf_union(rn_sdf *a, rn_sdf *b, double blend) { return combine_shapes(a, b, blend, RN_FOLD_UNION, "union"); }

rn_sdf *rn_sdf_subtract(rn_sdf *from, rn_sdf *what, double blend) {
    return combine_shapes(from, what, blend, RN_FOLD_SUBTRACT, "subtraction");
}

rn_sdf *rn_sdf_intersect(rn_sdf *a, rn_sdf *b, double blend) {
    return combine_shapes(a, b, blend, RN_FOLD_INTERSECT, "intersection");
}

bool rn_fold_on_line(const rn_sdf *shape, double x, double y, rn_fold_entry *room, rn_fold *part) {
    if (!is_fold(shape)) return false;
    const rn_fold *fold = (const rn_fold *)shape;
    *part = *fold;
    part->entries = room;
    part->count = 0;
    part->plain = 0;
    for (size_t i = 0; i < fold->count; i++) {
        const rn_fold_entry *entry = &fold->entries[i];
        const rn_box *box = &entry->bounds;
        bool missed = x < box->low.x || x > box->high.x || y < box->low.y || y > box->high.y;
        if (missed && i >= fold->plain && entry->operation != RN_FOLD_INTERSECT) continue;
        if (part->count == RN_FOLD_ROOM) return false;
        room[part->count++] = *entry;
        if (entry->blend > 0) part->plain = part->count;
    }
    return true;
}
