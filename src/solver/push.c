/* What bodies do to the liquid of a column: an impulse, which its faces share. */
#include "solver/push.h"

#include "solver/graph.h"
#include "solver/pipe_self.h"
#include "solver/rows.h"
#include "solver/tiles.h"

enum { MOST_FACES = 2 * RN_MOST_LAYERS + 2 };

/* The faces of a column along one axis, each once. */
typedef struct faces {
    float *value[MOST_FACES]; /* m/s or m^3/s */
    float height[MOST_FACES]; /* m, of their cross-sections */
    int count;
    double mass; /* m^3, of the liquid that moves with them: half of both columns */
} faces;

static void add_face(const rn_state *s, int32_t a, int32_t b, float drop, float *value, faces *to) {
    const float height = rn_state_height(s, a, b, drop);
    if (height < RN_CLOSED || to->count == MOST_FACES) return;
    to->value[to->count] = value;
    to->height[to->count++] = height;
    to->mass += 0.5 * ((double)s->columns.depth[a] + (double)s->columns.depth[b]) * s->columns.cell * s->columns.cell;
}

/* The column whose pipe along an axis leads to this one: past periodic edges that at the other end, not its copy. */
static int32_t column_before(const rn_state *s, int32_t slot, int axis) {
    const rn_grid *g = &s->columns.grid;
    const rn_spot at = rn_slot_place(g, slot);
    if (axis == 0 && at.x == 0 && s->columns.periodic_x) return slot + g->nx - 1;
    if (axis == 1 && at.y == 0 && s->columns.periodic_y) return slot + (g->ny - 1) * g->stride;
    return slot - (axis == 0 ? 1 : g->stride);
}

static faces faces_of(const rn_state *s, int32_t slot, int axis) {
    const rn_graph *g = &s->graph;
    const int32_t before = column_before(s, slot, axis), step = axis == 0 ? 1 : s->columns.grid.stride;
    float *const values =
        g->momentum ? (axis == 0 ? g->speed_x : g->speed_y) : (axis == 0 ? s->columns.flux_x : s->columns.flux_y);
    float *const loose = g->momentum ? g->loose_speed : g->loose_flux;
    const uint8_t *const pipes = axis == 0 ? g->pipe_x : g->pipe_y;
    faces found = {.count = 0};
    if (pipes[slot - step]) add_face(s, slot, slot - step, 0.0f, values + before, &found);
    if (pipes[slot]) add_face(s, slot, slot + step, 0.0f, values + slot, &found);
    const rn_special *special = rn_special_of(s, slot);
    for (int32_t n = special ? special->begin : 0; special && n < special->end; n++) {
        const int32_t p = g->links[n] / 2;
        if (g->loose_axis[p] == axis) add_face(s, g->loose_a[p], g->loose_b[p], g->loose_drop[p], loose + p, &found);
    }
    return found;
}

/* Keeps what the solver knows of tiles, rows and speeds true. */
static void tell(rn_pipe_solver *solver, int32_t slot, float faster) {
    rn_state *s = &solver->state;
    for (int axis = 0; axis < 2; axis++) {
        const rn_spot at = rn_slot_place(&s->columns.grid, column_before(s, slot, axis));
        if (at.x >= 0 && at.y >= 0) rn_pipes_changed(s, column_before(s, slot, axis));
    }
    rn_pipes_changed(s, slot);
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    rn_row_at(s, at.layer, at.y)->still = rn_row_at(s, at.layer, at.y - 1)->still = false;
    if (s->graph.momentum) mirror_pipes(s, s->graph.speed_x, s->graph.speed_y);
    else mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    solver->peak.speed += faster;
    if (solver->peak.pace > 0.0f) solver->peak.pace += 2.0f * faster;
    solver->shown = false;
}

void rn_pipes_push(void *self, int32_t slot, const double impulse[2]) {
    rn_pipe_solver *solver = self;
    rn_state *s = &solver->state;
    double faster = 0.0;
    for (int axis = 0; axis < 2; axis++) {
        const faces found = faces_of(s, slot, axis);
        if (!(found.mass > 0.0)) continue;
        const double gain = impulse[axis] / found.mass; /* m/s */
        for (int i = 0; i < found.count; i++)
            *found.value[i] += (float)(s->graph.momentum ? gain : gain * solver->cell * (double)found.height[i]);
        faster += fabs(gain);
    }
    if (faster > 0.0) tell(solver, slot, (float)faster);
}
