/* Memory for the lists of solver/flood.c: as much as all columns under ceilings could need, so that steps allocate
   nothing. */
#include "solver/flood_memory.h"

#include "base/memory.h"
#include "solver/graph.h"
#include "solver/rows.h"

#include <string.h>

bool rn_flood_reserve(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t kept, size_t size) {
    if (count <= *capacity) return true;
    void *data, *more = rn_alloc(hooks, count, size);
    if (!more) return false;
    memcpy(&data, array, sizeof data);
    if (kept) memcpy(more, data, kept * size);
    rn_free(hooks, data);
    memcpy(array, &more, sizeof more);
    *capacity = count;
    return true;
}

/* The number of columns that could be flooded, and roughly that of pipes that could be ducts. */
static void count_roofed(const rn_state *s, size_t *columns, size_t *pipes) {
    const int32_t up = s->columns.grid.stride;
    *columns = *pipes = 0;
    for (int r = 0; r < row_count(s); r++) {
        const row_ref p = row_at(s, r);
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t c = first; rn_row_at(s, p.layer, p.y)->roofed && c < first + s->columns.grid.nx; c++) {
            if (!rn_column_is_roofed(&s->columns, c)) continue;
            const rn_junction *junction = rn_junction_of(s, c);
            ++*columns;
            int32_t here = (s->graph.pipe_x[c] != 0) + (s->graph.pipe_y[c] != 0);
            here += (s->graph.pipe_x[c - 1] && !rn_column_is_roofed(&s->columns, c - 1)) +
                    (s->graph.pipe_y[c - up] && !rn_column_is_roofed(&s->columns, c - up));
            *pipes += (size_t)(here + (junction ? junction->end - junction->begin : 0));
        }
    }
}

/* Memory for everything that could be flooded is made in the first step, so that later steps allocate nothing.
   Worlds that would need more than this, or whose columns change, allocate whenever more is flooded than ever
   before. */
#define ROOMY ((size_t)32 << 20) /* bytes */

rn_result rn_flood_make_room(rn_flood *flood, rn_state *s) {
    if (flood->place_capacity >= (size_t)s->columns.grid.slots) return RN_OK;
    size_t columns, pipes;
    count_roofed(s, &columns, &pipes);
    if (flood->method == RN_PASSAGES_AXIS) columns *= 2, pipes = 2 * columns; /* runs along both axes */
    const rn_hooks *hooks = &s->columns.hooks;
    const size_t slots = (size_t)s->columns.grid.slots, many = columns + 1, ducts = pipes + 1;
    bool fine = rn_flood_reserve(hooks, &flood->place, &flood->place_capacity, slots, flood->place_capacity,
                                 sizeof *flood->place);
    const size_t lists =
        many * (sizeof(rn_node) + sizeof(rn_passage) + 5 * sizeof(int32_t) + sizeof *flood->net_inflow) +
        ducts * (sizeof(rn_duct) + sizeof(rn_portal) + 2 * sizeof(int32_t));
    const size_t solver = s->graph.headed ? slots * 13 * sizeof(float) : 0;
    if (fine && columns && lists + solver <= ROOMY) {
        fine =
            rn_flood_reserve(hooks, &flood->nodes, &flood->node_capacity, many, flood->node_count, sizeof(rn_node)) &&
            rn_flood_reserve(hooks, &flood->ducts, &flood->duct_capacity, ducts, flood->duct_count, sizeof(rn_duct)) &&
            rn_flood_reserve(hooks, &flood->portals, &flood->portal_capacity, ducts, flood->portal_count,
                             sizeof(rn_portal)) &&
            rn_flood_reserve(hooks, &flood->passages, &flood->passage_capacity, many, flood->passage_count,
                             sizeof(rn_passage)) &&
            rn_flood_reserve(hooks, &flood->flooded, &flood->flooded_capacity, many, flood->flooded_count,
                             sizeof(int32_t)) &&
            rn_flood_reserve(hooks, &flood->found, &flood->found_capacity, many, flood->found_count, sizeof(int32_t)) &&
            rn_flood_reserve(hooks, &flood->net_inflow, &flood->net_inflow_capacity, many, 0,
                             sizeof *flood->net_inflow) &&
            rn_flood_reserve(hooks, &flood->order, &flood->order_capacity, many, 0, sizeof(int32_t)) &&
            rn_flood_reserve(hooks, &flood->depth, &flood->depth_capacity, many, 0, sizeof(int32_t)) &&
            rn_flood_reserve(hooks, &flood->label, &flood->label_capacity, many, 0, sizeof(int32_t)) &&
            rn_flood_reserve(hooks, &flood->ends, &flood->end_capacity, 2 * ducts, flood->end_count, sizeof(int32_t));
        if (fine && s->graph.headed) return rn_multigrid_fit(&flood->grid, s);
    }
    return fine ? RN_OK : RN_MEMORY;
}

rn_result rn_flood_prepare(rn_flood *flood, rn_state *s, bool *enough) {
    size_t columns, pipes;
    *enough = true;
    if (flood->method == RN_PASSAGES_NONE) return RN_OK;
    const rn_result result = rn_flood_make_room(flood, s);
    count_roofed(s, &columns, &pipes);
    if (columns > 0)
        *enough = flood->node_capacity > columns && flood->duct_capacity > pipes &&
                  (!s->graph.headed || flood->grid.shape == s->columns.shape);
    return result;
}
