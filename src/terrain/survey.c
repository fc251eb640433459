/* rn_terrain_survey: measures columns: overhangs, walls too thin for the cells, and space that no liquid can reach. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/terrain.h"

/* In cells: thinner solid than this may leak, or is drawn with gaps. */
static const double thin = 1.5;

typedef struct surveying {
    const rn_terrain *terrain;
    int32_t *cell_of; /* of each column */
    uint8_t *reached;
    int32_t *stack; /* columns whose neighbours have not been examined */
    int64_t waiting;
} surveying;

typedef struct cell {
    const rn_column *columns;
    int32_t first, count;
} cell;

/* Cell number i, x fastest, with its columns. */
static cell cell_at(const rn_terrain *terrain, int32_t i) {
    const int32_t first = terrain->first[i];
    return (cell){terrain->columns + first, first, terrain->first[i + 1] - first};
}

/* Writes the numbers of the four cells that share a face with cell i, in the order west, east, south, north; -1 beyond
   an edge. */
static void find_neighbours(const rn_terrain *terrain, int32_t i, int32_t to[4]) {
    const int nx = terrain->info.cells_x, ny = terrain->info.cells_y;
    const int x = i % nx, y = i / nx;
    to[0] = x > 0 ? i - 1 : -1;
    to[1] = x + 1 < nx ? i + 1 : -1;
    to[2] = y > 0 ? i - nx : -1;
    to[3] = y + 1 < ny ? i + nx : -1;
}

/* The height (m) up to which a cell is open below its lowest solid: -INFINITY if its solid goes down without end,
   INFINITY if it has no columns. */
static double under_all(const cell *c) { return c->count > 0 ? c->columns[0].under : INFINITY; }

/* Finds the open range (m) of a cell with this number, counted from the lowest up: number 0, which may be endless, lies
   under all of its columns. Returns false past the last. */
static bool open_range(const cell *c, int number, double *low, double *high) {
    if (number > c->count) return false;
    *low = number == 0 ? -INFINITY : c->columns[number - 1].base;
    *high = number == 0 ? under_all(c) : c->columns[number - 1].ceil;
    return true;
}

/* The height (m) in all, within low..high, that is open in both cells. */
static double open_in_both(const cell *a, const cell *b, double low, double high) {
    double sum = 0, a_low, a_high, b_low, b_high;
    int i = 0, j = 0;
    while (open_range(a, i, &a_low, &a_high) && open_range(b, j, &b_low, &b_high)) {
        sum += rn_max(0, rn_min(high, rn_min(a_high, b_high)) - rn_max(low, rn_max(a_low, b_low)));
        if (a_high < b_high) i++;
        else j++;
    }
    return sum;
}

/* Whether the solid from `low` to `high` (m) is upright and one cell thick, along x or y: open on both sides, in the
   cells of `around` (find_neighbours), over more than 1.5 cells of height. Never at the edge of the grid. */
static bool is_thin_wall(const rn_terrain *terrain, const int32_t around[4], double low, double high) {
    const double least = thin * terrain->info.cell_size;
    for (int along = 0; along < 4; along += 2) {
        if (around[along] < 0 || around[along + 1] < 0) continue;
        const cell a = cell_at(terrain, around[along]), b = cell_at(terrain, around[along + 1]);
        if (open_in_both(&a, &b, low, high) > least) return true;
    }
    return false;
}

/* Adds to the survey what concerns solid: its volume (m^3), the cells that have some, the cells with overhangs, the
   runs of solid, and the thin ones among them. These values of *survey must be 0 before. */
static void survey_solid(const rn_terrain *terrain, rn_survey *survey) {
    const rn_terrain_info *info = &terrain->info;
    const double area = info->cell_size * info->cell_size, grain = 1e-6 * info->cell_size;
    double thinnest = INFINITY, highest = -INFINITY; /* m, of thin runs: the least width, and the top of that one */
    const int32_t cells = (int32_t)((int64_t)info->cells_x * info->cells_y);
    for (int32_t i = 0; i < cells; i++) {
        const cell c = cell_at(terrain, i);
        int32_t around[4];
        find_neighbours(terrain, i, around);
        const int64_t before = survey->stretches;
        survey->overhangs += c.count > 1 || (c.count == 1 && isfinite(c.columns[0].under));
        for (int32_t k = 0; k < c.count; k++) {
            const double low = rn_max(c.columns[k].under, info->lowest), high = c.columns[k].base;
            const bool hangs = isfinite(c.columns[k].under);
            const double thickness = high - (hangs ? c.columns[k].under : low);
            if (!hangs && !(thickness > grain)) continue;
            survey->solid += thickness * area;
            survey->stretches++;
            const bool slab = hangs && thickness < thin * info->cell_size;
            if (!slab && !is_thin_wall(terrain, around, low, high)) continue;
            survey->thin++;
            const double width = slab ? thickness : info->cell_size; /* a wall is at most that thick */
            if (!(width < thinnest || (width == thinnest && high > highest))) continue;
            thinnest = width;
            highest = high;
            survey->thin_at = (rn_vec3){info->origin_x + (i % info->cells_x + 0.5) * info->cell_size,
                                        info->origin_y + (i / info->cells_x + 0.5) * info->cell_size,
                                        high - 0.5 * (slab ? thickness : rn_min(thickness, info->cell_size))};
        }
        survey->covered += survey->stretches > before;
    }
}

/* Marks a column as reached, and puts it on the stack; does nothing if it was reached before. */
static void reach_column(surveying *s, int32_t column) {
    if (s->reached[column]) return;
    s->reached[column] = 1;
    s->stack[s->waiting++] = column;
}

/* Whether liquid can get into a column directly: from above, over an edge of the grid, or from the open space under
   hanging solid beside it. */
static bool is_outside(const surveying *s, int32_t column) {
    const rn_column *c = &s->terrain->columns[column];
    if (c->ceil >= s->terrain->info.lid) return true;
    int32_t around[4];
    find_neighbours(s->terrain, s->cell_of[column], around);
    for (int k = 0; k < 4; k++) {
        if (around[k] < 0) return true;
        const cell beside = cell_at(s->terrain, around[k]);
        if (under_all(&beside) > c->base) return true;
    }
    return false;
}

/* Reaches all columns connected to those on the stack, and empties it. Returns the volume (m^3) of all that were on
   it. */
static double spread_from_stack(surveying *s) {
    const rn_terrain *terrain = s->terrain;
    double height = 0;
    while (s->waiting > 0) {
        const int32_t column = s->stack[--s->waiting];
        const rn_column *c = &terrain->columns[column];
        height += c->ceil - c->base;
        int32_t around[4];
        find_neighbours(terrain, s->cell_of[column], around);
        for (int k = 0; k < 4; k++) {
            if (around[k] < 0) continue;
            const cell beside = cell_at(terrain, around[k]);
            for (int32_t j = 0; j < beside.count; j++)
                if (rn_min(c->ceil, beside.columns[j].ceil) > rn_max(c->base, beside.columns[j].base))
                    reach_column(s, beside.first + j);
        }
    }
    return height * terrain->info.cell_size * terrain->info.cell_size;
}

/* Adds to the survey the number, the total and the largest volume (m^3) of the spaces that no liquid can reach from
   outside. Fills s->cell_of; s->reached must be 0. */
static void survey_cavities(surveying *s, rn_survey *survey) {
    const rn_terrain *terrain = s->terrain;
    const int32_t columns = (int32_t)terrain->info.columns;
    for (int32_t i = 0, column = 0; column < columns; i++)
        for (; column < terrain->first[i + 1]; column++) s->cell_of[column] = i;
    for (int32_t column = 0; column < columns; column++)
        if (is_outside(s, column)) reach_column(s, column);
    spread_from_stack(s);
    for (int32_t column = 0; column < columns; column++) {
        if (s->reached[column]) continue;
        reach_column(s, column);
        const double volume = spread_from_stack(s);
        survey->cavities++;
        survey->sealed += volume;
        survey->largest = rn_max(survey->largest, volume);
    }
}

rn_result rn_terrain_survey(const rn_terrain *terrain, rn_survey *survey) {
    if (!RN_REQUIRE(NULL, terrain != NULL) || !RN_REQUIRE(&terrain->hooks, survey != NULL)) return RN_INVALID;
    *survey = (rn_survey){0};
    const size_t columns = (size_t)terrain->info.columns;
    surveying s = {.terrain = terrain,
                   .cell_of = rn_alloc(&terrain->hooks, columns, sizeof *s.cell_of),
                   .reached = rn_alloc(&terrain->hooks, columns, sizeof *s.reached),
                   .stack = rn_alloc(&terrain->hooks, columns, sizeof *s.stack)};
    const bool room = s.cell_of && s.reached && s.stack;
    if (room) {
        survey_solid(terrain, survey);
        survey_cavities(&s, survey);
    }
    rn_free(&terrain->hooks, s.cell_of);
    rn_free(&terrain->hooks, s.reached);
    rn_free(&terrain->hooks, s.stack);
    return room ? RN_OK : RN_MEMORY;
}
