/* The mesh of a terrain, of a shape, or of the current ground of a world, for renderers and for collisions.

   Interface (include/runnel/mesh.h): rn_ground_mesh_default, create, update, read, bytes, made (the number of blocks
   that the last update remade) and destroy.

   Order of calls: world/skin.c and adapters/ode/geoms.c create a mesh once and update it once per frame, after the
   step; what rn_ground_mesh_read returns is valid until the next update.

   The mesh is made on a lattice over signed distances, or over columns if the host gave columns or the ground was
   sculpted: only columns know of such changes, so the first change rebuilds the mesh over columns. An update finds
   changed cells by a hash of their columns, and changed solids by their poses, and remakes only those blocks of the
   lattice (terrain/mesher.h). Solids of the world are united with the ground, or carved out of it down to the datum;
   bodies are not ground, and are left out. When memory runs out, blocks stay marked, and the next update tries them
   again. */
#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/quat.h"
#include "terrain/mesher.h"
#include "terrain/terrain.h"
#include "world/solids.h"
#include "world/world.h"

#include <string.h>

/* The solid of a terrain together with the current solids of a world. */
typedef struct present {
    rn_sdf node;
    const rn_sdf *shape;
    const rn_world *world;
} present;

/* The state of a solid in the mesh. */
typedef struct drawn {
    const rn_sdf *shape; /* NULL: absent */
    rn_vec3 at;
    rn_quat turn;
    uint64_t bends;
    rn_box bounds;
} drawn;

struct rn_ground_mesh {
    rn_hooks hooks;
    rn_ground_mesh_def def;
    present present;
    drawn *drawn; /* one for each of the world's solids */
    size_t drawn_count, drawn_capacity;
    union {
        rn_sdf_lattice sdf;
        rn_column_lattice columns;
    } lattice;
    bool of_columns;
    bool built;     /* the mesher exists with everything that it needs */
    bool whole;     /* the mesh matches its blocks; false after memory ran out */
    uint64_t *seen; /* per cell: hash of its columns as they are in the mesh */
    rn_mesher mesher;
};

rn_ground_mesh_def rn_ground_mesh_default(void) { return (rn_ground_mesh_def){.threads = 1}; }

/* Writes the open ranges (m) of a cell of a world, bottom to top, without bodies, which are not ground; returns their
   number, at most RN_MOST_OPEN. A hole begins at -INFINITY, and a range up to the lid ends at INFINITY. */
static int world_open_ranges(const void *source, int x, int y, rn_interval *open) {
    const rn_world *world = source;
    rn_column_range gaps[RN_MOST_LAYERS];
    const int found =
        world->bodies.blocking ? rn_solids_gaps(world, x, y, gaps) : rn_columns_ranges(world->columns, x, y, gaps);
    int count = 0;
    for (int i = 0; i < found && count < RN_MOST_OPEN; i++) {
        if (gaps[i].ceil <= gaps[i].base) continue;
        open[count].low = gaps[i].base < 0.0f ? -INFINITY : world->datum + gaps[i].base;
        open[count++].high = gaps[i].ceil >= world->columns->lid ? INFINITY : world->datum + gaps[i].ceil;
    }
    return count;
}

/* Solid i of the world, below its count; removed ones have no shape. */
static const rn_solid *solid_at(const rn_world *world, size_t i) { return (const rn_solid *)world->solids.list + i; }

/* The signed distance (m) to the ground with the world's solids that are not hidden, below 0 inside. Solids that carve
   remove ground down to the datum. */
static double present_distance(const rn_sdf *self, rn_vec3 at) {
    const present *p = (const present *)self;
    double distance = p->shape->type->distance(p->shape, at);
    for (size_t i = 0; i < p->world->solids.count; i++) {
        const rn_solid *solid = solid_at(p->world, i);
        if (!solid->shape || solid->hidden) continue;
        const double to = solid->shape->type->distance(solid->shape, at);
        /* Nothing is removed below the datum. */
        distance = solid->carve ? rn_max(distance, -rn_max(to, p->world->datum - at.z)) : rn_min(distance, to);
    }
    return distance;
}

static const rn_sdf_class present_class = {present_distance, present_distance, NULL, NULL};

/* Returns RN_INVALID, with a message that the box of the definition is empty or not finite. */
static rn_result fail_box(const rn_ground_mesh_def *def) {
    return rn_fail(
        RN_INVALID,
        "the box to mesh reaches from (%g, %g, %g) to (%g, %g, %g) m; `high` must be above `low` on all axes",
        def->low.x, def->low.y, def->low.z, def->high.x, def->high.y, def->high.z);
}

/* Whether coordinates are finite and within the range of signed distances. */
static bool is_point(rn_vec3 p) {
    return fabs(p.x) <= RN_SDF_REACH && fabs(p.y) <= RN_SDF_REACH && fabs(p.z) <= RN_SDF_REACH;
}

/* Returns RN_INVALID, with a message, unless the definition names one thing to mesh (a world may have the shape of its
   ground), with a valid box, spacing, rotation and number of threads. A shape alone needs both box and spacing; low ==
   high: no box. */
static rn_result check_definition(const rn_ground_mesh_def *def) {
    if ((def->terrain != NULL) + (def->world != NULL || def->shape != NULL) != 1)
        return rn_fail(RN_INVALID, "a mesh is made from a terrain, a world or a shape; give exactly one of them, or a "
                                   "world with the shape of its ground");
    if (def->threads < 0) return rn_fail(RN_INVALID, "threads is %d; it must be 0 or more", def->threads);
    if (!(def->spacing == 0 || (def->spacing >= RN_SDF_LEAST && def->spacing <= RN_SDF_REACH)))
        return rn_fail(RN_INVALID, "spacing is %g m; it must lie between %g and %g m", def->spacing, RN_SDF_LEAST,
                       RN_SDF_REACH);
    if (def->shape && !def->world && def->spacing == 0)
        return rn_fail(RN_INVALID, "a mesh of a shape needs a spacing (m)");
    if (!isfinite(rn_quat_square(def->turn)))
        return rn_fail(RN_INVALID, "the lattice is turned by the quaternion (%g, %g, %g, %g); all four must be finite",
                       def->turn.x, def->turn.y, def->turn.z, def->turn.w);
    const bool given = def->low.x != def->high.x || def->low.y != def->high.y || def->low.z != def->high.z;
    if (given && !(is_point(def->low) && is_point(def->high) && def->low.x < def->high.x && def->low.y < def->high.y &&
                   def->low.z < def->high.z))
        return fail_box(def);
    if (!given && def->shape && !def->world)
        return rn_fail(RN_INVALID, "a mesh of a shape needs a box: `low` and `high` (m)");
    return RN_OK;
}

/* The height (m) at which meshed ground ends below `least` (m), its lowest visible point: leaves a base thick enough to
   see, two cells of size `cell` (m) or 3 % of the longer side. */
static double floor_below(double least, int cells_x, int cells_y, double cell) {
    return least - rn_max(2 * cell, 0.03 * rn_max(cells_x, cells_y) * cell);
}

/* The box (m) of a terrain to mesh, from below its lowest ground, or the lowest underside of a column, to the lid. */
static rn_box terrain_box(const rn_terrain *terrain) {
    const rn_terrain_info *info = &terrain->info;
    double least = info->lowest;
    for (int64_t i = 0; i < info->columns; i++)
        if (isfinite(terrain->columns[i].under)) least = rn_min(least, terrain->columns[i].under);
    rn_box box = {{info->origin_x, info->origin_y, floor_below(least, info->cells_x, info->cells_y, info->cell_size)},
                  {info->origin_x + info->cells_x * info->cell_size, info->origin_y + info->cells_y * info->cell_size,
                   info->lid}};
    return box;
}

/* The box (m) of a world to mesh: the whole domain, from below its datum to the lid. */
static rn_box world_box(const rn_world *world) {
    const rn_terrain_info *g = &world->ground;
    return (rn_box){{g->origin_x, g->origin_y, floor_below(world->datum, g->cells_x, g->cells_y, g->cell_size)},
                    {g->origin_x + g->cells_x * g->cell_size, g->origin_y + g->cells_y * g->cell_size, g->lid}};
}

/* Sets up mesh->lattice: over columns if there is no shape, or the world's ground was altered, and then over the whole
   domain; otherwise over signed distances within the box of the definition, or the domain if it has none. */
static void choose_lattice(rn_ground_mesh *mesh) {
    const rn_ground_mesh_def *def = &mesh->def;
    const int margin = def->closed || def->sharp;
    const rn_sdf *shape = def->shape ? def->shape : def->terrain ? def->terrain->solid : NULL;
    if (def->world && def->world->solids.altered) shape = NULL;
    rn_box box = {def->low, def->high};
    if (!(box.low.x < box.high.x) || !shape) {
        if (def->world) box = world_box(def->world);
        else if (def->terrain) box = terrain_box(def->terrain);
    }
    const rn_terrain_info *g = def->world ? &def->world->ground : def->terrain ? &def->terrain->info : NULL;
    mesh->of_columns = shape == NULL;
    if (!shape) {
        mesh->lattice.columns =
            rn_column_lattice_make(def->world ? (const void *)def->world : (const void *)def->terrain,
                                   def->world ? world_open_ranges : rn_terrain_open_ranges, g->cells_x, g->cells_y,
                                   g->cell_size, g->origin_x, g->origin_y, box.low.z, g->lid, def->closed, margin);
        return;
    }
    mesh->present = (present){.node = {.type = &present_class}, .shape = shape, .world = def->world};
    if (def->world) shape = &mesh->present.node;
    mesh->lattice.sdf = rn_sdf_lattice_make(shape, &box, def->spacing > 0 ? def->spacing : g->cell_size, def->turn,
                                            def->closed, margin);
}

/* A hash of the open ranges of a cell, as the lattice sees them. */
static uint64_t hash_cell(const rn_column_lattice *l, int x, int y) {
    rn_interval open[RN_MOST_OPEN];
    const int count = l->open(l->source, x, y, open);
    uint64_t hash = rn_hash_long(RN_HASH_START, (uint64_t)count);
    for (int i = 0; i < count; i++) hash = rn_hash_double(rn_hash_double(hash, open[i].low), open[i].high);
    return hash;
}

/* Marks the nodes above and below cells whose columns differ from those in the mesh, and stores their new hashes. */
static void mark_changed_cells(rn_ground_mesh *mesh) {
    const rn_column_lattice *l = &mesh->lattice.columns;
    for (int y = 0; y < l->cells_y; y++)
        for (int x = 0; x < l->cells_x; x++) {
            uint64_t *seen = &mesh->seen[(size_t)y * (size_t)l->cells_x + (size_t)x];
            const uint64_t now = hash_cell(l, x, y);
            if (now == *seen) continue;
            *seen = now;
            const int node_x = x + 1 + l->margin, node_y = y + 1 + l->margin;
            rn_mesher_mark(&mesh->mesher, (int[3]){node_x, node_y, 0}, (int[3]){node_x, node_y, l->head.nodes[2] - 1});
        }
}

/* Marks the nodes of the lattice of signed distances within a box (m): its corners are rotated into the lattice, and
   the nodes between them, rounded outwards, are marked. The box may reach beyond the lattice. */
static void mark_box(rn_ground_mesh *mesh, rn_vec3 low, rn_vec3 high) {
    const rn_sdf_lattice *l = &mesh->lattice.sdf;
    double first[3] = {INFINITY, INFINITY, INFINITY}, last[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        const rn_vec3 at = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z};
        const rn_vec3 p = rn_rotate_back(l->turn, rn_minus(at, l->origin));
        const double node[3] = {p.x / l->head.spacing, p.y / l->head.spacing, p.z / l->head.spacing};
        for (int a = 0; a < 3; a++) {
            first[a] = rn_min(first[a], node[a]);
            last[a] = rn_max(last[a], node[a]);
        }
    }
    int from[3], to[3];
    for (int a = 0; a < 3; a++) {
        from[a] = (int)rn_clamp(floor(first[a]), -1e9, 1e9);
        to[a] = (int)rn_clamp(ceil(last[a]), -1e9, 1e9);
    }
    rn_mesher_mark(&mesh->mesher, from, to);
}

/* Whether two states of a solid have the same shape, number of deformations and pose, bit for bit. */
static bool is_same(const drawn *a, const drawn *b) {
    return a->shape == b->shape && a->bends == b->bends && memcmp(&a->at, &b->at, sizeof a->at) == 0 &&
           memcmp(&a->turn, &b->turn, sizeof a->turn) == 0;
}

/* Marks the boxes that solids of the world have left and entered since the mesh was made, by moving, bending, or being
   added, removed, hidden or shown. Returns RN_MEMORY, with a message, if memory runs out; then the remaining solids are
   found the next time. */
static rn_result mark_moved_solids(rn_ground_mesh *mesh) {
    const rn_world *world = mesh->def.world;
    size_t count = world->solids.count > mesh->drawn_count ? world->solids.count : mesh->drawn_count;
    for (size_t i = 0; i < count; i++) {
        drawn now = {.shape = NULL};
        const rn_solid *solid = i < world->solids.count ? solid_at(world, i) : NULL;
        if (solid && solid->shape && !solid->hidden)
            now = (drawn){solid->shape, solid->at, solid->turn, solid->bends, rn_sdf_bounds(solid->shape)};
        if (i == mesh->drawn_count) { /* a new solid */
            if (!rn_grow(&mesh->hooks, &mesh->drawn, &mesh->drawn_capacity, i, sizeof now)) return RN_MEMORY;
            mesh->drawn[mesh->drawn_count++] = (drawn){.shape = NULL};
        }
        drawn *was = &mesh->drawn[i];
        if (is_same(was, &now)) continue;
        if (was->shape) mark_box(mesh, was->bounds.low, was->bounds.high);
        if (now.shape) mark_box(mesh, now.bounds.low, now.bounds.high);
        *was = now;
    }
    return RN_OK;
}

/* Marks all that has changed in the columns or solids of the world since the mesh was made; nothing for a shape.
   Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result mark_changes(rn_ground_mesh *mesh) {
    if (mesh->of_columns) mark_changed_cells(mesh);
    return mesh->of_columns ? RN_OK : mesh->def.world ? mark_moved_solids(mesh) : RN_OK;
}

/* Makes all marked blocks, and the mesh from all blocks. Returns RN_MEMORY, with a message, if memory runs out; then
   the mesh does not match its blocks until the next success. */
static rn_result make_marked_blocks(rn_ground_mesh *mesh) {
    const rn_result result = rn_mesher_make(&mesh->mesher);
    mesh->whole = result == RN_OK;
    return result;
}

/* Creates the whole mesh from scratch, in place of any former one. On failure returns a code, with a message; then
   there may be no mesh, and the next update tries again. */
static rn_result build_mesh(rn_ground_mesh *mesh) {
    const rn_ground_mesh_def *def = &mesh->def;
    rn_mesher_free(&mesh->mesher);
    rn_free(&mesh->hooks, mesh->seen);
    mesh->seen = NULL;
    mesh->built = mesh->whole = false;
    choose_lattice(mesh);
    const rn_lattice *lattice = mesh->of_columns ? &mesh->lattice.columns.head : &mesh->lattice.sdf.head;
    rn_result result = rn_mesher_open(&mesh->mesher, lattice, def->sharp, def->threads, &def->hooks);
    if (result == RN_OK && mesh->of_columns) {
        const rn_column_lattice *l = &mesh->lattice.columns;
        mesh->seen = rn_alloc(&def->hooks, (size_t)l->cells_x * (size_t)l->cells_y, sizeof *mesh->seen);
        if (!mesh->seen) return RN_MEMORY;
    }
    mesh->built = result == RN_OK;
    if (result == RN_OK) result = mark_changes(mesh);
    return result == RN_OK ? make_marked_blocks(mesh) : result;
}

rn_result rn_ground_mesh_create(const rn_ground_mesh_def *def, rn_ground_mesh **mesh) {
    if (!RN_REQUIRE(NULL, def != NULL) || !RN_REQUIRE(&def->hooks, mesh != NULL)) return RN_INVALID;
    *mesh = NULL;
    rn_result result = check_definition(def);
    if (result != RN_OK) return result;
    rn_ground_mesh *made = rn_alloc(&def->hooks, 1, sizeof *made);
    if (!made) return RN_MEMORY;
    made->hooks = def->hooks;
    made->def = *def;
    result = build_mesh(made);
    if (result == RN_OK) *mesh = made;
    else rn_ground_mesh_destroy(made);
    return result;
}

void rn_ground_mesh_destroy(rn_ground_mesh *mesh) {
    if (!mesh) return;
    rn_hooks hooks = mesh->hooks;
    rn_mesher_free(&mesh->mesher);
    rn_free(&hooks, mesh->seen);
    rn_free(&hooks, mesh->drawn);
    rn_free(&hooks, mesh);
}

rn_result rn_ground_mesh_update(rn_ground_mesh *mesh, const rn_vec3 *low, const rn_vec3 *high, bool *changed) {
    if (!RN_REQUIRE(NULL, mesh != NULL) || !RN_REQUIRE(&mesh->hooks, (low == NULL) == (high == NULL)))
        return RN_INVALID;
    if (low && !(is_point(*low) && is_point(*high) && low->x <= high->x && low->y <= high->y && low->z <= high->z))
        return rn_fail(RN_INVALID,
                       "the changed box reaches from (%g, %g, %g) to (%g, %g, %g) m; `high` must not be below `low`",
                       low->x, low->y, low->z, high->x, high->y, high->z);
    if (!mesh->of_columns && !mesh->def.world && !low)
        return rn_fail(RN_INVALID,
                       "a mesh of a shape must know what has changed: give the box from `low` to `high` (m)");
    const bool altered = !mesh->of_columns && mesh->def.world && mesh->def.world->solids.altered;
    if (altered || !mesh->built) { /* only columns know sculpted ground */
        if (changed) *changed = true;
        return build_mesh(mesh);
    }
    rn_result result = mark_changes(mesh);
    if (result != RN_OK) return result;
    if (low && !mesh->of_columns) mark_box(mesh, *low, *high);
    bool any = !mesh->whole;
    for (size_t i = 0; i < mesh->mesher.block_count && !any; i++) any = mesh->mesher.blocks.list[i].stale;
    if (changed) *changed = any;
    mesh->mesher.made = 0;
    return any ? make_marked_blocks(mesh) : RN_OK;
}

rn_mesh rn_ground_mesh_read(const rn_ground_mesh *mesh) {
    if (!RN_REQUIRE(NULL, mesh != NULL)) return (rn_mesh){0};
    return mesh->mesher.mesh;
}

size_t rn_ground_mesh_bytes(const rn_ground_mesh *mesh) {
    if (!RN_REQUIRE(NULL, mesh != NULL)) return 0;
    const rn_column_lattice *l = &mesh->lattice.columns;
    const size_t cells = mesh->of_columns ? (size_t)l->cells_x * (size_t)l->cells_y : 0;
    return sizeof *mesh + cells * sizeof *mesh->seen + mesh->drawn_capacity * sizeof(drawn) +
           rn_mesher_bytes(&mesh->mesher);
}

int64_t rn_ground_mesh_made(const rn_ground_mesh *mesh) {
    return RN_REQUIRE(NULL, mesh != NULL) ? mesh->mesher.made : 0;
}
