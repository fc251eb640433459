/* Sorts the faces of a shell into a grid, and finds where vertical lines cross them (crossings.h). */
#include "terrain/crossings.h"

#include "base/maths.h"
#include "base/memory.h"

#include <float.h>
#include <string.h>

/* Average number of grid entries per face: limits the memory if faces are large. */
enum { MOST_ENTRIES = 8 };

typedef struct span {
    int low_x, high_x, low_y, high_y;
} span;

/* The number of the cell at `off` (m) from the low end of an axis with `per` cells per metre, clamped to the `count`
   there are. */
static int cell_along(double off, double per, int count) { return (int)rn_clamp(floor(off * per), 0, count - 1); }

/* The cells of the grid, both ends included, that the box of a face covers, seen from above. */
static span face_span(const rn_crossings *c, size_t face) {
    rn_vec3 at[3];
    rn_face_corners_at(c->shell, face, at);
    const rn_vec3 low = c->shell->box.low;
    const double from_x = rn_min(rn_min(at[0].x, at[1].x), at[2].x) - low.x;
    const double to_x = rn_max(rn_max(at[0].x, at[1].x), at[2].x) - low.x;
    const double from_y = rn_min(rn_min(at[0].y, at[1].y), at[2].y) - low.y;
    const double to_y = rn_max(rn_max(at[0].y, at[1].y), at[2].y) - low.y;
    return (span){cell_along(from_x, c->per_x, c->nx), cell_along(to_x, c->per_x, c->nx),
                  cell_along(from_y, c->per_y, c->ny), cell_along(to_y, c->per_y, c->ny)};
}

/* Sets numbers and sizes of cells over the shell's box, for cells of about this size (m), 1 to 8192 along each axis. */
static void set_cells(rn_crossings *c, double cell_size) {
    const rn_box *box = &c->shell->box;
    const double x = box->high.x - box->low.x, y = box->high.y - box->low.y;
    c->nx = (int)rn_clamp(ceil(x / cell_size), 1, 8192);
    c->ny = (int)rn_clamp(ceil(y / cell_size), 1, 8192);
    c->per_x = c->nx > 1 ? c->nx / x : 0;
    c->per_y = c->ny > 1 ? c->ny / y : 0;
}

/* The number of entries that all faces have in the cells of the grid, by their boxes. */
static size_t count_entries(const rn_crossings *c) {
    size_t count = 0;
    for (size_t f = 0; f < c->shell->face_count; f++) {
        const span s = face_span(c, f);
        count += (size_t)(s.high_x - s.low_x + 1) * (size_t)(s.high_y - s.low_y + 1);
    }
    return count;
}

/* Sets the cells of the grid: about one for every two faces, or fewer if faces are large, so that there are at most 8
   entries per face. Returns the number of entries. */
static size_t choose_cells(rn_crossings *c) {
    const size_t faces = c->shell->face_count;
    const rn_box *box = &c->shell->box;
    const double area = (box->high.x - box->low.x) * (box->high.y - box->low.y);
    double cell_size = rn_max(rn_max(sqrt(2 * area / (double)faces), 1e-4 * c->shell->size), RN_SDF_LEAST);
    for (;; cell_size *= 1.5) {
        set_cells(c, cell_size);
        const size_t entries = count_entries(c);
        if (entries <= MOST_ENTRIES * faces || (c->nx == 1 && c->ny == 1)) return entries;
    }
}

/* Counts the faces of each cell in c->first, which must be 0. With `write`, after these were summed up, writes the
   faces and leaves in c->first where each cell begins. */
static void visit_cells(rn_crossings *c, bool write) {
    for (size_t f = 0; f < c->shell->face_count; f++) {
        const span s = face_span(c, f);
        for (int y = s.low_y; y <= s.high_y; y++)
            for (int x = s.low_x; x <= s.high_x; x++) {
                uint32_t *at = &c->first[(size_t)y * (size_t)c->nx + (size_t)x];
                if (write) c->faces[--*at] = (uint32_t)f;
                else ++*at;
            }
    }
}

/* The list itself if it has room for `count` entries, otherwise a new empty one (NULL, with a message, if memory runs
   out), with a quarter to spare if it replaces a list: moving meshes need a little more or less every time. Sets *room;
   does not free the old list. */
static uint32_t *ensure_room(const rn_hooks *hooks, uint32_t *list, size_t *room, size_t count) {
    if (list && *room >= count) return list;
    *room = list ? count + count / 4 : count;
    return rn_alloc(hooks, *room, sizeof *list);
}

/* Frees the lists of `was` that `now` does not share. */
static void free_replaced(const rn_hooks *hooks, const rn_crossings *was, const rn_crossings *now) {
    if (was->first != now->first) rn_free(hooks, was->first);
    if (was->faces != now->faces) rn_free(hooks, was->faces);
}

bool rn_crossings_refill(rn_crossings *c) {
    const rn_hooks *hooks = &c->shell->hooks;
    rn_crossings now = *c;
    const size_t entries = choose_cells(&now), cells = (size_t)now.nx * (size_t)now.ny;
    now.first = ensure_room(hooks, c->first, &now.cell_room, cells + 1);
    now.faces = ensure_room(hooks, c->faces, &now.entry_room, entries);
    if (!now.first || !now.faces) {
        free_replaced(hooks, &now, c);
        return false;
    }
    free_replaced(hooks, c, &now);
    *c = now;
    memset(c->first, 0, (cells + 1) * sizeof *c->first);
    visit_cells(c, false);
    for (size_t i = 0; i < cells; i++) c->first[i + 1] += c->first[i];
    visit_cells(c, true);
    return true;
}

rn_result rn_crossings_make(const rn_shell *shell, bool closed, rn_crossings *c) {
    *c = (rn_crossings){.shell = shell, .closed = closed};
    return rn_crossings_refill(c) ? RN_OK : RN_MEMORY;
}

double rn_crossings_load(const rn_crossings *c) {
    const size_t cells = (size_t)c->nx * (size_t)c->ny;
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        const double faces = (double)(c->first[i + 1] - c->first[i]);
        sum += faces * faces;
    }
    return sum / (double)c->first[cells];
}

void rn_crossings_free(rn_crossings *c) {
    if (!c->shell) return;
    rn_free(&c->shell->hooks, c->first);
    rn_free(&c->shell->hooks, c->faces);
    *c = (rn_crossings){0};
}

rn_line rn_line_at(const rn_crossings *c, double x, double y) {
    const rn_box *box = &c->shell->box;
    rn_line line = {x, y, NULL, NULL};
    if (!(x >= box->low.x && x <= box->high.x && y >= box->low.y && y <= box->high.y)) return line;
    const size_t cell = (size_t)cell_along(y - box->low.y, c->per_y, c->ny) * (size_t)c->nx +
                        (size_t)cell_along(x - box->low.x, c->per_x, c->nx);
    line.next = c->faces + c->first[cell];
    line.end = c->faces + c->first[cell + 1];
    return line;
}

/* Twice the area (m^2) of the triangle of points a, b and the line, seen from above: positive if the line is on the
   left of a -> b. *left: whether the line is on the left, decided also where the area is 0. */
static double twice_area(const rn_shell *shell, uint32_t a, uint32_t b, const rn_line *line, bool *left) {
    const bool swapped = a > b;
    const rn_vec3 p = shell->points[swapped ? b : a], q = shell->points[swapped ? a : b];
    const double along_x = q.x - p.x, along_y = q.y - p.y;
    const double side = along_x * (line->y - p.y) - along_y * (line->x - p.x);
    bool positive = side > 0;
    if (side == 0) positive = along_y != 0 ? along_y < 0 : along_x > 0;
    *left = positive != swapped;
    return swapped ? -side : side;
}

/* Whether a line crosses a face; *found: where, set only then. Upright faces are never crossed. */
static bool crosses_face(const rn_shell *shell, uint32_t face, const rn_line *line, rn_crossing *found) {
    const uint32_t *v = shell->faces[face];
    const rn_vec3 a = shell->points[v[0]], b = shell->points[v[1]], c = shell->points[v[2]];
    const double x = line->x, y = line->y;
    if ((a.x < x && b.x < x && c.x < x) || (a.x > x && b.x > x && c.x > x) || (a.y < y && b.y < y && c.y < y) ||
        (a.y > y && b.y > y && c.y > y))
        return false;
    bool left[3];
    const double at_c = twice_area(shell, v[0], v[1], line, &left[0]);
    const double at_a = twice_area(shell, v[1], v[2], line, &left[1]);
    if (left[0] != left[1]) return false;
    const double at_b = twice_area(shell, v[2], v[0], line, &left[2]);
    const double sum = at_a + at_b + at_c;
    if (left[0] != left[2] || sum == 0) return false;
    const double z = (at_a * a.z + at_b * b.z + at_c * c.z) / sum;
    found->z = rn_clamp(z, rn_min(rn_min(a.z, b.z), c.z), rn_max(rn_max(a.z, b.z), c.z));
    found->sign = left[0] ? 1 : -1;
    found->face = face;
    return true;
}

bool rn_line_next(const rn_crossings *c, rn_line *line, rn_crossing *found) {
    while (line->next < line->end)
        if (crosses_face(c->shell, *line->next++, line, found)) return true;
    return false;
}

/* The crossings of a line, seen from one height. */
typedef struct view_along {
    int above, total;   /* number of faces that face up minus those that face down */
    double up, down;    /* m to the nearest crossings; infinite if there is none */
    int at_up, at_down; /* sums of their signs */
} view_along;

/* Counts all crossings of a line above and below the height z (m), and finds the nearest ones. A crossing at z counts
   as below. */
static view_along count_from(const rn_crossings *c, rn_line line, double z) {
    view_along v = {.up = INFINITY, .down = -INFINITY};
    rn_crossing found;
    while (rn_line_next(c, &line, &found)) {
        v.total += found.sign;
        if (found.z > z) {
            v.above += found.sign;
            if (found.z < v.up) v.at_up = 0;
            v.up = rn_min(v.up, found.z);
            if (found.z == v.up) v.at_up += found.sign;
        } else {
            if (found.z > v.down) v.at_down = 0;
            v.down = rn_max(v.down, found.z);
            if (found.z == v.down) v.at_down += found.sign;
        }
    }
    return v;
}

/* Near a corner rounding errors may contradict each other, which the sum over the line reveals: the line is then
   moved a little. The move does not depend on the height. */
enum { TRIES = 8 };

/* The line through x, y (m) moved by about a rounding error; farther with every `try`, from 1. */
static rn_line nearby_line(const rn_crossings *c, double x, double y, int try) {
    /* far from the origin a smaller step would be lost to rounding */
    const double step = rn_max(1e-11 * c->shell->size, 4 * DBL_EPSILON * rn_max(fabs(x), fabs(y)));
    return rn_line_at(c, x + step * try * try, y - step * try);
}

/* The line through a point, moved a little, up to 7 times, if rounding errors contradict each other on it; *v: its
   crossings seen from there. A shell that is not closed is taken as it is. */
static rn_line consistent_line(const rn_crossings *c, rn_vec3 at, view_along *v) {
    rn_line line = rn_line_at(c, at.x, at.y);
    *v = count_from(c, line, at.z);
    for (int i = 1; c->closed && v->total != 0 && i < TRIES; i++) {
        line = nearby_line(c, at.x, at.y, i);
        *v = count_from(c, line, at.z);
    }
    return line;
}

/* Lists all crossings of a line by height, lowest first. Returns their number, or -1 if there are more than
   `max`. *total: sum of their signs, incomplete if -1. */
static int sort_crossings(const rn_crossings *c, rn_line line, rn_crossing *list, int max, int *total) {
    int count = 0;
    *total = 0;
    rn_crossing found;
    while (rn_line_next(c, &line, &found)) {
        if (count == max) return -1;
        *total += found.sign;
        int i = count++;
        for (; i > 0 && list[i - 1].z > found.z; i--) list[i] = list[i - 1];
        list[i] = found;
    }
    return count;
}

int rn_crossings_spans(const rn_crossings *c, double x, double y, rn_interval *out, int max) {
    enum { MOST = 64 };
    rn_crossing list[MOST];
    rn_line line = rn_line_at(c, x, y);
    int total, spans = 0, count = sort_crossings(c, line, list, MOST, &total);
    for (int i = 1; c->closed && count >= 0 && total != 0 && i < TRIES; i++) {
        line = nearby_line(c, x, y, i);
        count = sort_crossings(c, line, list, MOST, &total);
    }
    double low = -INFINITY;
    for (int i = 0, above = total; i <= count; i++) {
        const bool was_solid = above >= 1;
        if (i < count) above -= list[i].sign;
        const bool solid = i < count && above >= 1;
        if (solid && !was_solid) low = list[i].z;
        if (!was_solid || solid || i == count) continue;
        if (spans == max) return -1;
        out[spans++] = (rn_interval){low, list[i].z};
    }
    return count < 0 ? -1 : spans;
}

bool rn_crossings_solid(const rn_crossings *c, rn_vec3 at) {
    view_along v;
    consistent_line(c, at, &v);
    return v.above >= 1;
}

double rn_crossings_rise(const rn_crossings *c, rn_vec3 at) {
    view_along here;
    const rn_line line = consistent_line(c, at, &here);
    const bool solid = here.above >= 1;
    double up = INFINITY, down = INFINITY;
    view_along v = here;
    for (int above = here.above; v.up < INFINITY && up == INFINITY;) {
        above -= v.at_up;
        if ((above >= 1) != solid) up = v.up - at.z;
        else v = count_from(c, line, v.up);
    }
    v = here;
    for (int above = here.above; v.down > -INFINITY && down == INFINITY;) {
        above += v.at_down;
        if ((above >= 1) != solid) down = at.z - v.down;
        else v = count_from(c, line, nextafter(v.down, -INFINITY));
    }
    const double way = rn_min(rn_min(up, down), 2 * RN_SDF_REACH);
    return solid ? -way : way;
}
