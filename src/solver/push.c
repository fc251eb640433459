/* Impulses from bodies and forces on the liquid of a column.

   Interface: rn_pipes_push (solver/push.h), the member `push` of both classes of pipe solvers. The world calls it
   between substeps, for forces (world/forces.c) and for the reaction of bodies (world/settle.c, world/stir.c).

   Algorithm: the faces of a column along an axis share an impulse: all gain the same speed, impulse / mass, where
   half of the liquid on both sides of each face counts as its mass. Where no face is open, no speed changes. Faces
   of all pipes count, ordinary and irregular. Without momentum a face stores a flux, and gains speed times
   cross-section. The tiles around are woken, changed rows are copied across periodic edges, and the extremes are
   raised, so that the next substep is short enough. */
#include "solver/push.h"

#include "solver/graph.h"
#include "solver/pipe_self.h"
#include "solver/rows.h"
#include "solver/tiles.h"

enum { MOST_FACES = 2 * RN_MOST_LAYERS + 2 };

/* The faces of a column along one axis, each listed once. */
typedef struct faces {
    float *value[MOST_FACES]; /* m/s or m^3/s */
    float height[MOST_FACES]; /* m, of their cross-sections */
    int count;
    double mass; /* m^3, liquid that moves with them: half of both columns */
} faces;

/* Adds the face between slots a and b, which counts `drop` (m) lower, with half the mass of both columns; does nothing
   if it is closed. `value`: where its speed or flux is stored. */
static void add_face(const rn_state *s, int32_t a, int32_t b, float drop, float *value, faces *to) {
    const float height = rn_state_height(s, a, b, drop);
    if (height < RN_CLOSED || to->count == MOST_FACES) return;
    to->value[to->count] = value;
    to->height[to->count++] = height;
    const double area = (double)s->columns.width * s->columns.width;
    to->mass += 0.5 * ((double)s->columns.depth[a] + (double)s->columns.depth[b]) * area;
}

/* All open faces of a column along an axis, ordinary and irregular, with pointers to their speeds or fluxes. */
static faces find_faces(const rn_state *s, int32_t slot, int axis) {
    const rn_graph *g = &s->graph;
    float drop_before, drop_after;
    const int32_t before = rn_column_beside(&s->columns, slot, (rn_side)(2 * axis), &drop_before),
                  after = rn_column_beside(&s->columns, slot, (rn_side)(2 * axis + 1), &drop_after);
    float *const values =
        g->momentum ? (axis == 0 ? g->speed_x : g->speed_y) : (axis == 0 ? s->columns.flux_x : s->columns.flux_y);
    float *const irregular = g->momentum ? g->irregular_speed : g->irregular_flux;
    const uint8_t *const pipes = axis == 0 ? g->pipe_x : g->pipe_y;
    faces found = {.count = 0};
    if (before >= 0 && pipes[before]) add_face(s, slot, before, drop_before, values + before, &found);
    if (after >= 0 && pipes[slot]) add_face(s, slot, after, drop_after, values + slot, &found);
    const rn_junction *junction = rn_junction_of(s, slot);
    for (int32_t n = junction ? junction->begin : 0; junction && n < junction->end; n++) {
        const int32_t p = g->links[n] / 2;
        if (g->irregular_axis[p] == axis)
            add_face(s, g->irregular_a[p], g->irregular_b[p], g->irregular_drop[p], irregular + p, &found);
    }
    return found;
}

/* Wakes the tile of a column whose faces were changed, and copies its row's values across periodic edges. A slot of -1
   is a wall: does nothing. */
static void update_row(rn_state *s, int32_t slot) {
    if (slot < 0) return; /* a wall */
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    rn_pipes_changed(s, slot, 1, s->columns.depth[slot]);
    rn_row_at(s, at.layer, at.y)->zero_flux = false;
    mirror_row(s, s->graph.momentum ? s->graph.speed_x : s->columns.flux_x, at.layer, at.y);
    mirror_row(s, s->graph.momentum ? s->graph.speed_y : s->columns.flux_y, at.layer, at.y);
}

/* Raises the extremes to speeds along both axes (m/s, at least 0) of liquid of this height (m). */
static void raise_extremes(rn_pipe_solver *solver, const float speed[2], float height) {
    rn_extremes *extremes = &solver->extremes;
    const float both = speed[0] + speed[1];
    raise(&extremes->speed, fmaxf(speed[0], speed[1]));
    if (solver->params.momentum)
        raise_signal(extremes, sqrtf(solver->params.wave_factor * height) + 2.0f * both, height, both);
}

void rn_pipes_push(void *self, int32_t slot, const double impulse[2]) {
    rn_pipe_solver *solver = self;
    rn_state *s = &solver->state;
    const bool momentum = s->graph.momentum;
    float speed[2] = {0}, highest = 0.0f;
    for (int axis = 0; axis < 2; axis++) {
        const faces found = find_faces(s, slot, axis);
        const double gain = found.mass > 0.0 ? impulse[axis] / found.mass : 0.0; /* m/s */
        for (int i = 0; i < found.count; i++) {
            const double area = solver->cell * (double)found.height[i];
            *found.value[i] += (float)(momentum ? gain : gain * area);
            raise(&speed[axis], fabsf(momentum ? *found.value[i] : (float)(*found.value[i] / area)));
            raise(&highest, found.height[i]);
        }
    }
    update_row(s, slot);
    float drop;
    for (int axis = 0; axis < 2; axis++) update_row(s, rn_column_beside(&s->columns, slot, (rn_side)(2 * axis), &drop));
    raise_extremes(solver, speed, highest);
    solver->shown = false;
}
