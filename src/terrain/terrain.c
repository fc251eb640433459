/* Creates the columns of every cell from a solid, or from columns of the host. */
#include "terrain/terrain.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/threads.h"
#include "terrain/lattice.h"

#include <stdatomic.h>
#include <string.h>

static const int64_t most_cells = INT64_C(1) << 28;
static const int64_t most_columns = INT64_C(1) << 29;

/* Thinner solid and narrower gaps than this share of a cell are not resolved. */
static const double finest = 0.02;

rn_terrain_def rn_terrain_default(void) {
    return (rn_terrain_def){.cells_x = 100, .cells_y = 100, .cell_size = 0.01, .threads = 1};
}

/* Returns RN_INVALID or RN_LIMIT (too many cells), with a message, unless the definition is complete and in range.
   Without solid and columns, keeps the message of the constructor that failed. Does not look at the columns
   themselves. */
static rn_result check_def(const rn_terrain_def *def) {
    if (!def->solid && !def->columns) {
        /* the constructor that returned NULL has already set the message */
        if (rn_error_held()) return RN_INVALID;
        return rn_fail(RN_INVALID, "the terrain has neither a solid nor columns; give one of them");
    }
    if (def->solid && def->columns)
        return rn_fail(RN_INVALID, "the terrain has both a solid and columns; give only one of them");
    if (def->columns && !def->columns_per_cell)
        return rn_fail(RN_INVALID, "columns are given without columns_per_cell; give a count for every cell");
    if (def->cells_x < 1 || def->cells_y < 1)
        return rn_fail(RN_INVALID, "the terrain has %d x %d cells; it must have at least 1 x 1", def->cells_x,
                       def->cells_y);
    if ((int64_t)def->cells_x * def->cells_y > most_cells)
        return rn_fail(RN_LIMIT, "the terrain has %d x %d cells; at most 2^28 are allowed", def->cells_x, def->cells_y);
    if (!(def->cell_size >= RN_SDF_LEAST && def->cell_size <= RN_SDF_REACH))
        return rn_fail(RN_INVALID, "cell_size is %g m; it must lie between %g and %g m", def->cell_size, RN_SDF_LEAST,
                       RN_SDF_REACH);
    rn_vec3 first = {def->origin_x, def->origin_y, 0};
    rn_vec3 last = {def->origin_x + def->cells_x * def->cell_size, def->origin_y + def->cells_y * def->cell_size, 0};
    if (!rn_sdf_check_place(first, "origin of the terrain") || !rn_sdf_check_place(last, "far corner of the terrain"))
        return RN_INVALID;
    if (!((fabs(def->bottom) <= RN_SDF_REACH || def->bottom == -INFINITY) && fabs(def->lid) <= RN_SDF_REACH))
        return rn_fail(RN_INVALID, "bottom is %g m and lid is %g m; both must lie between %g and %g m", def->bottom,
                       def->lid, -RN_SDF_REACH, RN_SDF_REACH);
    if (def->threads < 0) return rn_fail(RN_INVALID, "threads is %d; it must be 0 or more", def->threads);
    return RN_OK;
}

/* The rectangle (m) of all cells, infinite along z. */
static rn_box domain_of(const rn_terrain_def *def) {
    return (rn_box){
        {def->origin_x, def->origin_y, -INFINITY},
        {def->origin_x + def->cells_x * def->cell_size, def->origin_y + def->cells_y * def->cell_size, INFINITY}};
}

/* Returns RN_INVALID, with a message that says where the solid lies and where rays are cast; bottom and lid in m. */
static rn_result report_no_overlap(const rn_terrain_def *def, double bottom, double lid) {
    rn_box domain = domain_of(def), solid = rn_sdf_bounds(def->solid);
    return rn_fail(RN_INVALID,
                   "the solid does not meet the domain: it lies within x %g..%g, y %g..%g, z %g..%g m, but rays are "
                   "cast in x %g..%g, y %g..%g, z %g..%g m; move one of them",
                   solid.low.x, solid.high.x, solid.low.y, solid.high.y, solid.low.z, solid.high.z, domain.low.x,
                   domain.high.x, domain.low.y, domain.high.y, bottom, lid);
}

/* Finds where rays start and end (m): as defined, or, if both are 0, from a cell below the lowest surface to a quarter
   of the longer side above the highest. A bottom of -INFINITY becomes 0, or a cell below the lowest surface if that is
   lower. On failure returns RN_INVALID (these are unknown or out of order, or the solid does not meet the domain) or
   RN_LIMIT (too far apart), with a message. */
static rn_result choose_range(const rn_terrain_def *def, double *bottom, double *lid) {
    *bottom = def->bottom;
    *lid = def->lid;
    const rn_box domain = domain_of(def);
    if (*bottom == -INFINITY) {
        const double lowest = rn_sdf_heights(def->solid, &domain).surface_low - def->cell_size;
        *bottom = lowest < 0 && -lowest <= RN_SDF_REACH ? lowest : 0;
    } else if (*bottom == 0 && *lid == 0) {
        rn_heights heights = rn_sdf_heights(def->solid, &domain);
        if (!(heights.solid_low <= heights.solid_high)) return report_no_overlap(def, -INFINITY, INFINITY);
        if (!(fabs(heights.surface_low) <= RN_SDF_REACH && fabs(heights.surface_high) <= RN_SDF_REACH))
            return rn_fail(RN_INVALID,
                           "no lowest or highest point of the solid could be found; give bottom and lid (m)");
        *bottom = heights.surface_low - def->cell_size;
        *lid = heights.surface_high + 0.25 * rn_max(def->cells_x, def->cells_y) * def->cell_size;
    }
    /* a ray along an upright face goes up in steps of `finest`: this limits its time */
    if (*lid - *bottom > 1e5 * def->cell_size)
        return rn_fail(
            RN_LIMIT,
            "the terrain reaches from %g to %g m, more than 100000 cells of %g m: give a bottom and a lid that "
            "are closer",
            *bottom, *lid, def->cell_size);
    if (*bottom < *lid) return RN_OK;
    return rn_fail(RN_INVALID, "bottom is %g m and lid is %g m; the lid must be above the bottom", *bottom, *lid);
}

/* The columns of one row of cells, from libc because several threads fill rows. */
typedef struct row {
    rn_column *columns;
    size_t count, capacity;
} row;

typedef struct ray_cast_task {
    const rn_terrain_def *def;
    double bottom, lid;
    int32_t *counts; /* of every cell */
    row *rows;
    atomic_bool failed; /* out of memory */
} ray_cast_task;

/* Appends a column to a row. Returns false, with a message, if memory runs out. */
static bool add_column(row *to, rn_column column) {
    if (!rn_grow(NULL, &to->columns, &to->capacity, to->count, sizeof column)) return false;
    to->columns[to->count++] = column;
    return true;
}

/* Appends a column for each of `count` solid runs (bottom to top) with open space above it; none for a cell without
   solid. Open space below the lowest run holds no liquid. A cell that is solid up to the lid is a wall: a column
   without room. Returns false, with a message, if memory runs out. */
static bool add_columns(const ray_cast_task *job, row *to, const rn_interval *solid, int count) {
    for (int i = 0; i < count; i++) {
        bool wall = solid[i].high >= job->lid;
        if (wall && i > 0) break;
        rn_column column = {.under = solid[i].low > job->bottom ? solid[i].low : -INFINITY,
                            .base = wall ? job->lid : solid[i].high,
                            .ceil = i + 1 == count ? job->lid : solid[i + 1].low};
        if (!add_column(to, column)) return false;
    }
    return true;
}

/* A task over rows of cells: casts a ray up through the centre of each cell, appends its columns to its row and stores
   their number. Sets job->failed if memory runs out. */
static void cast_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    ray_cast_task *job = context;
    const rn_terrain_def *def = job->def;
    rn_interval *solid = NULL;
    size_t capacity = 0;
    bool good = rn_grow(NULL, &solid, &capacity, 0, sizeof *solid);
    for (int y = begin; good && y < end; y++)
        for (int x = 0; good && x < def->cells_x; x++) {
            double at_x = def->origin_x + (x + 0.5) * def->cell_size;
            double at_y = def->origin_y + (y + 0.5) * def->cell_size;
            int count;
            do
                count = rn_sdf_intervals(def->solid, at_x, at_y, job->bottom, job->lid, finest * def->cell_size, solid,
                                         (int)capacity);
            while (count > (int)capacity && (good = rn_grow(NULL, &solid, &capacity, capacity, sizeof *solid)));
            size_t before = job->rows[y].count;
            good = good && add_columns(job, &job->rows[y], solid, count);
            job->counts[(size_t)y * (size_t)def->cells_x + (size_t)x] = (int32_t)(job->rows[y].count - before);
        }
    if (!good) atomic_store(&job->failed, true);
    rn_free(NULL, solid);
}

/* Turns the number of columns of each cell into first indices, allocates the columns, which are not filled, and sets
   their totals in the information. On failure returns RN_LIMIT (there are too many) or RN_MEMORY, with a message. */
static rn_result index_columns(rn_terrain *terrain, const int32_t *counts) {
    rn_terrain_info *info = &terrain->info;
    size_t cells = (size_t)info->cells_x * (size_t)info->cells_y;
    for (size_t i = 0; i < cells; i++) {
        info->columns += counts[i];
        info->holes += counts[i] == 0;
        if (counts[i] > info->layers) info->layers = counts[i];
    }
    if (info->columns > most_columns)
        return rn_fail(RN_LIMIT, "the terrain has %lld columns; at most 2^29 are allowed", (long long)info->columns);
    terrain->first = rn_alloc(&terrain->hooks, cells + 1, sizeof *terrain->first);
    terrain->columns = rn_alloc(&terrain->hooks, (size_t)info->columns, sizeof *terrain->columns);
    if (!terrain->first || !terrain->columns) return RN_MEMORY;
    for (size_t i = 0; i < cells; i++) terrain->first[i + 1] = terrain->first[i] + counts[i];
    return RN_OK;
}

/* Sets the lowest and the highest base (m) of all columns, walls included, in the information. */
static void measure_bases(rn_terrain *terrain) {
    rn_terrain_info *info = &terrain->info;
    info->lowest = INFINITY;
    info->highest = -INFINITY;
    for (int64_t i = 0; i < info->columns; i++) {
        info->lowest = rn_min(info->lowest, terrain->columns[i].base);
        info->highest = rn_max(info->highest, terrain->columns[i].base);
    }
}

/* Casts all rays and gathers the columns of all rows. On failure returns a code, with a message; RN_INVALID if there
   are no columns, or no cell has room below the lid. */
static rn_result cast_all(rn_terrain *terrain, ray_cast_task *job) {
    const rn_terrain_def *def = job->def;
    if (def->threads != 1) {
        rn_pool *pool = rn_pool_create(&def->hooks, def->threads);
        if (!pool) return rn_pool_refusal(&def->hooks);
        rn_parallel_for(pool, def->cells_y, cast_rows, job);
        rn_pool_destroy(pool);
    } else {
        cast_rows(job, 0, def->cells_y, 0);
    }
    if (atomic_load(&job->failed)) return rn_fail(RN_MEMORY, "out of memory for the columns of the terrain");

    rn_result result = index_columns(terrain, job->counts);
    if (result != RN_OK) return result;
    rn_column *to = terrain->columns;
    for (int y = 0; y < def->cells_y; y++) {
        if (job->rows[y].count) memcpy(to, job->rows[y].columns, job->rows[y].count * sizeof *to);
        to += job->rows[y].count;
    }
    if (terrain->info.columns == 0) return report_no_overlap(def, job->bottom, job->lid);
    measure_bases(terrain);
    if (terrain->info.lowest >= job->lid)
        return rn_fail(RN_INVALID, "the solid fills the whole domain up to the lid, %g m; raise the lid", job->lid);
    return RN_OK;
}

/* Creates the columns from the solid of the definition, which it does not take over. On failure returns a code, with a
   message; the caller then frees the terrain. */
static rn_result cast_solid(rn_terrain *terrain, const rn_terrain_def *def) {
    ray_cast_task job = {.def = def};
    rn_result result = choose_range(def, &job.bottom, &job.lid);
    if (result != RN_OK) return result;
    terrain->bottom = job.bottom;
    terrain->info.lid = job.lid;
    job.counts = rn_alloc(&def->hooks, (size_t)def->cells_x * (size_t)def->cells_y, sizeof *job.counts);
    job.rows = rn_alloc(&def->hooks, (size_t)def->cells_y, sizeof *job.rows);
    result = job.counts && job.rows ? cast_all(terrain, &job) : RN_MEMORY;
    for (int y = 0; job.rows && y < def->cells_y; y++) rn_free(NULL, job.rows[y].columns);
    rn_free(&def->hooks, job.rows);
    rn_free(&def->hooks, job.counts);
    return result;
}

rn_result rn_column_check(const rn_column *list, int i, int x, int y, double lid) {
    const rn_column *column = &list[i];
    bool endless = i == 0 && column->under == -INFINITY;
    bool finite = (endless || isfinite(column->under)) && isfinite(column->base) && isfinite(column->ceil);
    const bool wall = i == 0 && column->base == lid && column->ceil == lid;
    if (!finite || !(column->under < column->base && (column->base < column->ceil || wall)))
        return rn_fail(RN_INVALID,
                       "column %d of cell (%d, %d) has under %g, base %g and ceil %g m; they must be finite and rise "
                       "in that order (only the lowest under may be -infinity; a wall has base = ceil = lid)",
                       i, x, y, column->under, column->base, column->ceil);
    if (i > 0 && column->under < list[i - 1].ceil)
        return rn_fail(RN_INVALID,
                       "column %d of cell (%d, %d) begins at %g m, below the ceil of the column under it, %g m; it "
                       "must begin there",
                       i, x, y, column->under, list[i - 1].ceil);
    if (column->ceil > lid)
        return rn_fail(RN_INVALID,
                       "column %d of cell (%d, %d) has its ceil at %g m, above the lid, %g m; raise the lid", i, x, y,
                       column->ceil, lid);
    return RN_OK;
}

/* Checks and copies the columns of the host. On failure returns a code, with a message; the caller then frees the
   terrain. */
static rn_result copy_columns(rn_terrain *terrain, const rn_terrain_def *def) {
    for (int y = 0; y < def->cells_y; y++)
        for (int x = 0; x < def->cells_x; x++) {
            int32_t count = def->columns_per_cell[(size_t)y * (size_t)def->cells_x + (size_t)x];
            if (count < 0)
                return rn_fail(RN_INVALID, "columns_per_cell is %d for cell (%d, %d); it must be 0 or more", (int)count,
                               x, y);
        }
    rn_result result = index_columns(terrain, def->columns_per_cell);
    if (result != RN_OK) return result;
    if (terrain->info.columns == 0)
        return rn_fail(RN_INVALID, "columns_per_cell is 0 for every cell; at least one cell must have a column");
    terrain->info.lid = def->lid;
    const int32_t *first = terrain->first;
    for (int y = 0; y < def->cells_y; y++)
        for (int x = 0; x < def->cells_x; x++, first++)
            for (int i = 0; i < first[1] - first[0]; i++) {
                result = rn_column_check(def->columns + first[0], i, x, y, def->lid);
                if (result != RN_OK) return result;
            }
    memcpy(terrain->columns, def->columns, (size_t)terrain->info.columns * sizeof *terrain->columns);
    measure_bases(terrain);
    terrain->bottom = terrain->info.lowest;
    for (int64_t i = 0; i < terrain->info.columns; i++)
        if (isfinite(terrain->columns[i].under)) terrain->bottom = rn_min(terrain->bottom, terrain->columns[i].under);
    return RN_OK;
}

/* Creates a terrain from a definition. It owns the solid only on success; on failure, with a code and a message, *made
   is unchanged and nothing is left. */
static rn_result build_terrain(const rn_terrain_def *def, rn_terrain **made) {
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    rn_terrain *terrain = rn_alloc(&def->hooks, 1, sizeof *terrain);
    if (!terrain) return RN_MEMORY;
    terrain->hooks = def->hooks;
    terrain->info = (rn_terrain_info){.cells_x = def->cells_x,
                                      .cells_y = def->cells_y,
                                      .cell_size = def->cell_size,
                                      .origin_x = def->origin_x,
                                      .origin_y = def->origin_y};
    result = def->solid ? cast_solid(terrain, def) : copy_columns(terrain, def);
    if (result != RN_OK) {
        rn_terrain_destroy(terrain);
        return result;
    }
    terrain->solid = def->solid;
    *made = terrain;
    return RN_OK;
}

rn_result rn_terrain_create(const rn_terrain_def *def, rn_terrain **terrain) {
    if (!RN_REQUIRE(NULL, def != NULL)) return RN_INVALID;
    rn_result result = RN_INVALID;
    if (RN_REQUIRE(&def->hooks, terrain != NULL) &&
        RN_REQUIRE(&def->hooks, (def->hooks.alloc == NULL) == (def->hooks.free == NULL))) {
        *terrain = NULL;
        result = build_terrain(def, terrain);
    }
    if (result != RN_OK) rn_sdf_destroy(def->solid);
    return result;
}

void rn_terrain_destroy(rn_terrain *terrain) {
    if (!terrain) return;
    rn_hooks hooks = terrain->hooks;
    rn_sdf_destroy(terrain->solid);
    rn_free(&hooks, terrain->first);
    rn_free(&hooks, terrain->columns);
    rn_free(&hooks, terrain);
}

rn_terrain_info rn_terrain_describe(const rn_terrain *terrain) {
    if (!RN_REQUIRE(NULL, terrain != NULL)) return (rn_terrain_info){0};
    return terrain->info;
}

const rn_column *rn_terrain_cell(const rn_terrain *terrain, int x, int y, int *count) {
    if (count) *count = 0;
    if (!RN_REQUIRE(NULL, terrain != NULL)) return NULL;
    const rn_terrain_info *info = &terrain->info;
    if (!RN_REQUIRE(&terrain->hooks, x >= 0 && x < info->cells_x && y >= 0 && y < info->cells_y)) return NULL;
    const int32_t *first = terrain->first + (size_t)y * (size_t)info->cells_x + (size_t)x;
    if (count) *count = first[1] - first[0];
    return first[1] > first[0] ? terrain->columns + first[0] : NULL;
}

int rn_terrain_open_ranges(const void *source, int x, int y, rn_interval *open) {
    const rn_terrain *terrain = source;
    int columns;
    const rn_column *list = rn_terrain_cell(terrain, x, y, &columns);
    if (columns == 0) {
        open[0] = (rn_interval){-INFINITY, INFINITY};
        return 1;
    }
    int count = 0;
    if (isfinite(list[0].under)) open[count++] = (rn_interval){-INFINITY, list[0].under};
    for (int i = 0; i < columns && count < RN_MOST_OPEN; i++) {
        const double high = list[i].ceil >= terrain->info.lid ? INFINITY : list[i].ceil;
        if (list[i].base < list[i].ceil) open[count++] = (rn_interval){list[i].base, high};
    }
    return count;
}
