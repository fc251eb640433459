/* rn_renderer_set_liquid: uploads the vertices and triangles of the liquid, and updates all that follows it: foam, wet
   ground, heights for bodies and glass. */
#include "base/error.h"
#include "base/memory.h"
#include "render/gl/continued.h"
#include "render/gl/explain.h"
#include "render/gl/renderer.h"
#include "render/optics.h"
#include "render/rims.h"
#include "render/ripples.h"
#include "render/splash.h"
#include "render/spray.h"
#include "render/thickness.h"

#include <math.h>
#include <string.h>

#define SHEER 1.6 /* cells, thickness of a 3D liquid below which the liquid behind it shows through */

/* How white a jet is with the air that it carries, from 0 to 1: a rough, turbulent one takes air in. Rough means a
   large Weber number, turbulent a large Reynolds number. thick: m, how deep one can see into the jet, at most its
   thickness, so jets of murky liquids stay coloured; speed: m/s. */
static float air_of(const rn_liquid *liquid, float thick, float speed) {
    const double tension = fmax(liquid->surface_tension / fmax(liquid->density, 1), 1e-9);
    const float weber = (float)((double)(speed * speed * thick) / tension);
    const float reynolds = (float)((double)(speed * thick) / fmax(liquid->viscosity, 1e-9));
    return rn_smooth_step(3.5f, 5.0f, log10f(fmaxf(weber, 1.0f))) *
           rn_smooth_step(4.3f, 5.3f, log10f(fmaxf(reynolds, 1.0f)));
}

/* Sets layer (inside[2]) and depth (m) of vertices from the columns, and the time that they have fallen, by the ids of
   the surface (flow[3], only with velocities; in jets and drops -1 less air_of). A vertex that belongs to no column
   gets layer and depth of one that is at most two triangles away, or above it in a sheet; otherwise the layer is -1 and
   the depth stays. */
static void set_from_columns(const rn_mesh *surface, const rn_surface_columns *columns, const rn_liquid *liquid,
                             rn_liquid_vertex *vertices) {
    const size_t slots = rn_surface_slots(columns), cells = slots / (size_t)columns->layers;
    for (size_t v = 0; v < surface->vertex_count; v++) {
        const uint32_t id = surface->ids[v];
        vertices[v].inside[2] = -1;
        if (rn_surface_sheet_row(columns, id) > 0 && surface->velocities)
            vertices[v].flow[3] = -surface->velocities[3 * v + 2] / (columns->gravity > 0 ? columns->gravity : 9.81f);
        if (id >= rn_surface_first_jet(columns) && id != RN_CLOSED_ID)
            vertices[v].flow[3] = -1 - air_of(liquid, vertices[v].depth, vertices[v].inside[1]);
        if (id >= slots) continue;
        const int layer = (int)(id / cells), cell = (int)(id % cells);
        vertices[v].inside[2] = (float)layer;
        vertices[v].depth =
            columns->depth.data[layer * columns->depth.layer_stride +
                                cell / columns->cells_x * columns->depth.row_stride + cell % columns->cells_x];
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) {
            rn_liquid_vertex *to = &vertices[surface->indices[i]];
            const rn_liquid_vertex *from = &vertices[surface->indices[i % 3 == 2 ? i - 2 : i + 1]];
            if (to->inside[2] >= 0 || from->inside[2] < 0) continue;
            to->inside[2] = from->inside[2];
            to->depth = from->depth;
        }
}

/* Writes everything that the surface itself has of its vertices, with defaults for arrays that it lacks (opaque, still,
   no menisci), and the openness to the sky from r->occlusion. r->full_depth must be set, and `vertices` be all 0. */
static void put_vertices(rn_renderer *r, const rn_mesh *surface, rn_liquid_vertex *vertices) {
    static const float still[3] = {0, 0, 0};
    for (size_t v = 0; v < surface->vertex_count; v++) {
        rn_liquid_vertex *to = &vertices[v];
        const float *u = surface->velocities ? surface->velocities + 3 * v : still;
        memcpy(to->position, surface->positions + 3 * v, sizeof to->position);
        memcpy(to->normal, surface->normals + 3 * v, sizeof to->normal);
        to->inside[0] = surface->opacity ? surface->opacity[v] : 1;
        to->inside[1] = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        to->inside[3] = rn_occlusion_ahead(&r->occlusion, to->position, to->normal);
        if (surface->menisci) memcpy(to->meniscus, surface->menisci + 4 * v, sizeof to->meniscus);
        to->depth = to->inside[0] * (float)r->full_depth;
        memcpy(to->flow, u, 2 * sizeof *u);
    }
}

/* Smooths normals and menisci of vertices along the rim of the liquid, except of falling liquid. r->falling must be
   set. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result smooth_rims(const rn_renderer *r, const rn_mesh *surface, rn_liquid_vertex *vertices) {
    const size_t count = surface->vertex_count;
    float *normals = rn_alloc(NULL, count, 7 * sizeof *normals);
    if (!normals) return RN_MEMORY;
    float *menisci = normals + 3 * count;
    for (size_t v = 0; v < count; v++) {
        memcpy(normals + 3 * v, vertices[v].normal, sizeof vertices[v].normal);
        memcpy(menisci + 4 * v, vertices[v].meniscus, sizeof vertices[v].meniscus);
    }
    const uint32_t triangles = surface->triangle_count - (uint32_t)r->falling / 3;
    const rn_result result = rn_rims_smooth(surface, triangles, normals, surface->menisci ? menisci : NULL);
    for (size_t v = 0; v < count; v++) {
        memcpy(vertices[v].normal, normals + 3 * v, sizeof vertices[v].normal);
        memcpy(vertices[v].meniscus, menisci + 4 * v, sizeof vertices[v].meniscus);
    }
    rn_free(NULL, normals);
    return result;
}

/* How much air a 3D liquid takes in at most, 0 to 1: none if it is viscous (by the Reynolds number of waves as long as
   a cell) or if one sees less than a few cells deep into it, as into blood. */
static float most_air(const rn_renderer *r, const rn_liquid *liquid) {
    const float reynolds = (float)(sqrt(9.81 * r->cell) * r->cell / fmax(liquid->viscosity, 1e-9));
    return rn_smooth_step(10, 200, reynolds) * rn_smooth_step(3, 10, (float)(r->full_depth / r->cell));
}

/* Sets what vertices of a closed surface have besides: smoothed opacity, the liquid above them (ring[RN_RING_ABOVE])
   and how white they are (flow[2]). Needs set_sizes. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result finish_closed(const rn_renderer *r, const rn_mesh *surface, const rn_liquid *liquid,
                               rn_liquid_vertex *vertices) {
    const size_t count = surface->vertex_count;
    float *opacity = rn_alloc(NULL, count, 3 * sizeof *opacity);
    if (!opacity) return RN_MEMORY;
    float *above = opacity + count, *white = above + count;
    const float most = most_air(r, liquid);
    for (size_t v = 0; v < count; v++) opacity[v] = vertices[v].inside[0];
    rn_result result = rn_thickness_smooth(surface, opacity);
    if (result == RN_OK) result = rn_spray_above(surface, (float)r->cell, r->sheer, above);
    if (result == RN_OK && most > 0) result = rn_spray_white(surface, (float)r->cell, r->sheer, white);
    for (size_t v = 0; v < count && result == RN_OK; v++) {
        vertices[v].inside[0] = opacity[v];
        const float thick = opacity[v] * (float)r->full_depth, wide = rn_smooth_step(6, 10, thick / (float)r->cell);
        /* Light enters thin parts from the side, too. */
        vertices[v].ring[RN_RING_ABOVE] = fminf(above[v], 0.4f * thick / fmaxf(1 - wide, 1e-3f));
        vertices[v].flow[2] = most * white[v];
    }
    rn_free(NULL, opacity);
    return result;
}

/* The distance (m) across a ring of a jet, whose vertices begin with v. */
static float width_of_ring(const rn_mesh *surface, size_t v) {
    const float *one = surface->positions + 3 * (v + 2), *other = surface->positions + 3 * (v + 6);
    const float x = one[0] - other[0], y = one[1] - other[1], z = one[2] - other[2];
    return sqrtf(x * x + y * y + z * z);
}

/* Sets ring[RN_RING_IS_CLEAR] of the vertices of jets that begin in the air, where the surface is clear: 1 at the top,
   0 where they are as opaque by their width as at their foot. A jet is a vertex at its top, rings of SIDES, and one at
   its foot, with ids in a row. */
static void put_tops(const rn_mesh *surface, const rn_surface_columns *columns, rn_liquid_vertex *vertices) {
    enum { SIDES = 8 };
    const size_t jets = rn_surface_first_jet(columns), count = surface->vertex_count;
    const uint32_t *ids = surface->ids;
    const float *opacity = surface->opacity;
    for (size_t top = 0; top + SIDES + 1 < count; top++) {
        const bool begins = ids[top] >= jets && ids[top] != RN_CLOSED_ID && (top == 0 || ids[top - 1] + 1 != ids[top]);
        if (!begins || opacity[top] > 0 || opacity[top + 1] > 0) continue;
        size_t last = top + 1; /* where the last ring begins */
        while (last + 2 * SIDES < count && ids[last + 2 * SIDES] == ids[last] + 2 * SIDES) last += SIDES;
        const float width = width_of_ring(surface, last);
        const float per_width = opacity[last] < 1 && width > 0 ? opacity[last] / width : INFINITY;
        vertices[top].ring[RN_RING_IS_CLEAR] = 1;
        for (size_t v = top + 1; v < last + SIDES; v++) {
            const float wide = width_of_ring(surface, v - (v - top - 1) % SIDES);
            vertices[v].ring[RN_RING_IS_CLEAR] = fmaxf(1 - opacity[v] / fminf(wide * per_width, 1), 0);
        }
    }
}

/* Writes the foam (0 to 1) into flow[2] of each vertex: it is born where liquid churns and at the feet of falling
   sheets, and `seconds` older than in the last call; in what falls, the air that it takes in. Writes the rings of waves
   around these feet, and the clear tops of jets. All are 0 without velocities and columns. r->falling must be set.
   Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result put_foam(rn_renderer *r, const rn_mesh *surface, const rn_liquid *liquid,
                          const rn_surface_columns *columns, float seconds, rn_liquid_vertex *vertices) {
    if (!surface->velocities || !surface->ids || !columns || r->closed) return RN_OK;
    const size_t count = surface->vertex_count;
    float(*rings)[RN_RING_NUMBERS] =
        rn_alloc(NULL, count, 2 * sizeof *rings); /* and as much room to find what churns */
    if (!rings) return RN_MEMORY;
    float *const churn = rings[count];
    rn_churn_find(surface, churn, churn + count);
    for (size_t v = 0; v < count; v++) churn[v] *= rn_foam_air(vertices[v].inside[1]);
    r->ring_pace = (double)rn_splash_pace(liquid, columns);
    rn_result result = r->falling ? rn_splash_add(surface, columns, liquid, churn, rings) : RN_OK;
    if (result == RN_OK) result = rn_foam_follow(&r->foam, surface, columns, seconds, churn);
    for (size_t v = 0; v < count; v++) {
        vertices[v].flow[2] = vertices[v].flow[3] != 0 ? rn_foam_air(vertices[v].inside[1]) : churn[v];
        memcpy(vertices[v].ring, rings[v], sizeof rings[v]);
    }
    rn_free(NULL, rings);
    if (r->falling && surface->opacity) put_tops(surface, columns, vertices);
    return result;
}

/* Sets r->falling, the number of indices of falling sheets, which are the last triangles of a surface; 0 without
   columns or ids. */
static void count_falling(rn_renderer *r, const rn_mesh *surface, const rn_surface_columns *columns) {
    size_t first = surface->triangle_count;
    while (columns && surface->ids && first > 0 &&
           rn_surface_sheet_row(columns, surface->ids[surface->indices[3 * (first - 1) + 2]]) > 0)
        first--;
    r->falling = (GLsizei)(3 * (surface->triangle_count - first));
}

/* Whether a triangle belongs to a falling sheet, or is steeper than about 76 degrees. Such triangles are drawn over
   level liquid. Of a 3D liquid, where they begin would be a ragged line on its sides: its drops and thin sheets are
   instead, because the liquid behind them shows through. `corners` points into m->indices; r->falling and r->sheer must
   be set. */
static bool is_steep(const rn_renderer *r, const rn_mesh *m, const uint32_t *corners) {
    if (r->closed) {
        float most = 0;
        for (int i = 0; i < 3 && m->opacity; i++) most = fmaxf(most, m->opacity[corners[i]]);
        return m->opacity && most < r->sheer;
    }
    if (corners - m->indices >= (ptrdiff_t)(3 * m->triangle_count) - r->falling) return true;
    const float *a = m->positions + 3 * (size_t)corners[0], *b = m->positions + 3 * (size_t)corners[1];
    const float *c = m->positions + 3 * (size_t)corners[2];
    float u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    const float x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return z * z < 0.06f * (x * x + y * y);
}

/* Sets r->most_depth (m) and r->most_speed (m/s) to the largest of all vertices, for overlays; at least 1e-12. */
static void find_largest(rn_renderer *r, const rn_liquid_vertex *vertices, size_t count) {
    r->most_depth = r->most_speed = 1e-12f;
    for (size_t v = 0; v < count; v++) {
        if (vertices[v].depth > r->most_depth) r->most_depth = vertices[v].depth;
        if (vertices[v].inside[1] > r->most_speed) r->most_speed = vertices[v].inside[1];
    }
}

/* Uploads vertices of the liquid into a batch. */
static void upload_vertices(rn_renderer *r, const rn_batch *batch, const rn_liquid_vertex *vertices, size_t count) {
    const rn_gl *gl = &r->gl;
    const size_t bytes = sizeof *vertices;
    gl->BindVertexArray(batch->array);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, batch->vertices, count * bytes, vertices);
    rn_batch_attribute(gl, RN_AT_POSITION, 3, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, position));
    rn_batch_attribute(gl, RN_AT_NORMAL, 3, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, normal));
    rn_batch_attribute(gl, RN_AT_INSIDE, 4, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, inside));
    rn_batch_attribute(gl, RN_AT_MENISCUS, 4, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, meniscus));
    rn_batch_attribute(gl, RN_AT_DEPTH, 1, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, depth));
    rn_batch_attribute(gl, RN_AT_FLOW, 4, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, flow));
    rn_batch_attribute(gl, RN_AT_RING, 3, GL_FLOAT, bytes, offsetof(rn_liquid_vertex, ring));
}

/* Widens a box to contain the corners of a triangle. */
static void include_triangle(const rn_mesh *m, const uint32_t *corners, rn_extent *box) {
    for (int i = 0; i < 3; i++) rn_extent_include(box, m->positions + 3 * (size_t)corners[i]);
}

/* Whether a box is longer than this (m) along an axis. */
static bool is_longer(const rn_extent *box, float length) {
    bool longer = false;
    for (int k = 0; k < 3; k++) longer |= box->high[k] - box->low[k] > length;
    return longer;
}

/* Sets where the liquid is: small boxes around its falling triangles, r->falls, and one around all others, r->lies.
   Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result measure_liquid(rn_renderer *r, const rn_mesh *surface, const rn_surface_columns *columns) {
    const uint32_t *first = surface->indices, *last = first + 3 * (size_t)surface->triangle_count;
    const uint32_t *const falling = last - r->falling;
    rn_free(NULL, r->falls);
    r->fall_count = 0;
    r->falls = rn_alloc(NULL, (size_t)r->falling / 3, sizeof *r->falls);
    if (!r->falls) return RN_MEMORY;
    r->lies = rn_extent_empty;
    for (; first < falling; first += 3) include_triangle(surface, first, &r->lies);
    for (; first < last; first += 3) {
        rn_extent *box = &r->falls[r->fall_count ? r->fall_count - 1 : 0],
                  wider = r->fall_count ? *box : rn_extent_empty;
        include_triangle(surface, first, &wider);
        if (!r->fall_count || is_longer(&wider, 4 * columns->cell_size)) {
            box = &r->falls[r->fall_count++];
            wider = rn_extent_empty;
            include_triangle(surface, first, &wider);
        }
        *box = wider;
    }
    return RN_OK;
}

/* The lowest level (m) of the cells along the edge of the domain; -INFINITY if one of them has no liquid. Needs
   r->level_of. */
static double level_along_edge(const rn_renderer *r) {
    float lowest = INFINITY;
    for (int y = 0; y < r->levels_y; y++)
        for (int x = 0; x < r->levels_x; x++) {
            if (x > 0 && y > 0 && x + 1 < r->levels_x && y + 1 < r->levels_y) continue;
            const float *of = r->level_of[(size_t)y * (size_t)r->levels_x + (size_t)x];
            if (of[1] <= 0) return -INFINITY;
            lowest = fminf(lowest, of[0]);
        }
    return r->low.z + (double)lowest;
}

/* Adds to flow[0] and flow[1] the flux (m^3/s) through a cell's highest column that is at least a tenth of a cell deep,
   and to flow[2] the cross-section (m^2) of the column. */
static void add_edge_flow(const rn_surface_columns *c, int x, int y, double flow[3]) {
    for (int layer = c->layers - 1; layer >= 0; layer--) {
        const float depth = c->depth.data[layer * c->depth.layer_stride + y * c->depth.row_stride + x];
        if (depth < 0.1f * c->cell_size) continue;
        const int west = x > 0 && x > c->cells_x - 2 ? x - 1 : x, south = y > 0 && y > c->cells_y - 2 ? y - 1 : y;
        flow[0] += (double)c->flux_x.data[layer * c->flux_x.layer_stride + y * c->flux_x.row_stride + west];
        flow[1] += (double)c->flux_y.data[layer * c->flux_y.layer_stride + south * c->flux_y.row_stride + x];
        flow[2] += (double)(depth * c->cell_size);
        return;
    }
}

/* Sets r->sea_flow to the mean velocity (m/s) of liquid along the edge of the domain; 0 without fluxes. */
static void find_flow_along_edge(rn_renderer *r, const rn_surface_columns *c) {
    double flow[3] = {0, 0, 0};
    for (int y = 0; y < c->cells_y && c->flux_x.data && c->flux_y.data; y++) {
        const bool whole = y == 0 || y == c->cells_y - 1 || c->cells_x == 1;
        for (int x = 0; x < c->cells_x; x += whole ? 1 : c->cells_x - 1) add_edge_flow(c, x, y, flow);
    }
    for (int k = 0; k < 2; k++) r->sea_flow[k] = flow[2] > 0 ? flow[k] / flow[2] : 0;
}

/* Stores the height of the highest liquid of each cell in r->level_of, for bodies that touch it; none without columns.
   Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result put_levels(rn_renderer *r, const rn_surface_columns *c) {
    if (!c || c->cells_x != r->levels_x || c->cells_y != r->levels_y) {
        rn_free(NULL, r->level_of);
        r->level_of = NULL;
        r->levels_x = r->levels_y = 0;
        if (!c) return RN_OK;
        r->level_of = rn_alloc(NULL, (size_t)c->cells_x * (size_t)c->cells_y, sizeof *r->level_of);
        if (!r->level_of) return RN_MEMORY;
        r->levels_x = c->cells_x;
        r->levels_y = c->cells_y;
    }
    for (int y = 0; y < c->cells_y; y++)
        for (int x = 0; x < c->cells_x; x++) {
            float *to = r->level_of[(size_t)y * (size_t)c->cells_x + (size_t)x];
            to[0] = to[1] = 0;
            for (int layer = 0; layer < c->layers; layer++) {
                const float depth = c->depth.data[layer * c->depth.layer_stride + y * c->depth.row_stride + x];
                const float base = c->base.data[layer * c->base.layer_stride + y * c->base.row_stride + x];
                if (depth < 0.1f * c->cell_size || base >= RN_NO_COLUMN) continue;
                to[0] = fmaxf(to[0], base + depth + c->datum - (float)r->low.z);
                to[1] = 1;
            }
        }
    const float patch[4] = {c->origin_x, c->origin_y, 1 / ((float)c->cells_x * c->cell_size),
                            1 / ((float)c->cells_y * c->cell_size)};
    memcpy(r->level_patch, patch, sizeof patch);
    r->sea = fmin(r->sea, level_along_edge(r));
    find_flow_along_edge(r, c);
    r->levels_new = true;
    return RN_OK;
}

/* Stores what glass needs of the columns: none without columns. Returns RN_MEMORY, with a message, if memory runs out.
 */
static rn_result put_spans(rn_renderer *r, const rn_surface_columns *c) {
    const size_t count = c ? rn_surface_slots(c) : 0;
    r->contents_new = true;
    if (count != r->span_count) {
        rn_free(NULL, r->spans);
        r->span_count = 0;
        r->spans = count ? rn_alloc(NULL, count, sizeof *r->spans) : NULL;
        if (count && !r->spans) return RN_MEMORY;
        r->span_count = count;
    }
    if (!c) return RN_OK;
    r->span_layers = c->layers;
    rn_spans_read(c, r->spans);
    return RN_OK;
}

/* The diagonal (m) of the box around a mesh; 1 if that is 0 or not finite. */
static double diagonal_of(const rn_mesh *m) {
    rn_extent box = rn_extent_empty;
    double sum = 0;
    for (size_t v = 0; v < m->vertex_count; v++) rn_extent_include(&box, m->positions + 3 * v);
    for (int k = 0; k < 3; k++) {
        const double side = (double)box.high[k] - (double)box.low[k];
        sum += side * side;
    }
    return sum > 0 && isfinite(sum) ? sqrt(sum) : 1;
}

/* Sets r->cell, r->full_depth, r->thin and r->sheer. Without columns and ground, the cell follows from the size of the
   surface. */
static void set_sizes(rn_renderer *r, const rn_mesh *surface, const rn_liquid *liquid,
                      const rn_surface_columns *columns) {
    const double was = r->cell, full_depth = rn_liquid_full_depth(liquid);
    r->cell = columns ? (double)columns->cell_size : rn_length(rn_difference(r->high, r->low)) / 200;
    if (!(r->cell > 0) && surface->vertex_count) r->cell = diagonal_of(surface) / 200;
    r->walls_new |= r->cell != was;
    r->full_depth = full_depth < 1e6 ? full_depth : 1;
    r->thin = (r->closed ? 0.3 : 0.03) * r->cell;
    r->sheer = (float)(SHEER * r->cell / r->full_depth);
}

/* Uploads the liquid outside the domain. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result continue_liquid(rn_renderer *r, const rn_mesh *surface, const rn_liquid_vertex *vertices) {
    rn_continuation liquid;
    const rn_result result = rn_land_continue(r, surface, vertices, &liquid);
    if (result == RN_OK && liquid.index_count) {
        upload_vertices(r, &r->continued, liquid.vertices, liquid.vertex_count);
        rn_batch_fill(&r->gl, GL_ELEMENT_ARRAY_BUFFER, r->continued.indices,
                      liquid.index_count * sizeof *liquid.indices, liquid.indices);
        r->continued.count = (GLsizei)liquid.index_count;
    }
    rn_free(NULL, liquid.vertices);
    rn_free(NULL, liquid.indices);
    return result;
}

rn_result rn_renderer_set_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid,
                                 const rn_surface_columns *columns) {
    rn_renderer *r = renderer;
    if (surface->vertex_count > 0 && !surface->normals)
        return rn_fail(RN_INVALID, "the liquid to be drawn has no normals");
    if (rn_renderer_use(r) != RN_OK) return RN_DRIVER;
    r->liquid.count = r->lying = r->links.count = r->continued.count = 0;
    r->fall_count = 0;
    r->lies = rn_extent_empty;
    count_falling(r, surface, columns);
    r->closed = surface->ids && surface->vertex_count > 0 && surface->ids[0] == RN_CLOSED_ID;
    rn_liquid_vertex *vertices = rn_alloc(NULL, surface->vertex_count, sizeof *vertices);
    if (!vertices) return RN_MEMORY;
    set_sizes(r, surface, liquid, columns);
    put_vertices(r, surface, vertices);
    if (columns && surface->ids) set_from_columns(surface, columns, liquid, vertices);
    find_largest(r, vertices, surface->vertex_count);
    const float seconds = r->timed ? (float)r->elapsed : 1.0f / 60.0f;
    rn_result result = put_foam(r, surface, liquid, columns, seconds, vertices);
    if (result == RN_OK)
        result = r->closed ? finish_closed(r, surface, liquid, vertices) : smooth_rims(r, surface, vertices);
    if (result == RN_OK) result = put_levels(r, columns);
    if (result == RN_OK) result = put_spans(r, columns);
    if (result == RN_OK) result = measure_liquid(r, surface, columns);
    r->liquid_hash = rn_renderer_hash(vertices, surface->vertex_count * sizeof *vertices);
    if (result == RN_OK) {
        upload_vertices(r, &r->liquid, vertices, surface->vertex_count);
        result = rn_renderer_upload_triangles(r, surface, &r->liquid, is_steep, &r->lying);
    }
    if (result == RN_OK) result = continue_liquid(r, surface, vertices);
    rn_free(NULL, vertices);
    if (memcmp(&r->liquid_is, liquid, sizeof *liquid) != 0) r->table_depth = 0, r->map_liquid = 0;
    r->liquid_is = *liquid;
    r->beads = columns && columns->contact_foot > 0;
    if (result == RN_OK) result = rn_links_fill(&r->gl, &r->links, surface, columns);
    r->flooded.count = 0;
    if (result == RN_OK && columns) result = rn_flooded_fill(&r->gl, &r->flooded, columns);
    r->elapsed = 0;
    if (result == RN_OK && columns)
        result = rn_wetness_follow(&r->wetness, columns, r->positions, r->vertex_count, seconds);
    if (result == RN_OK && r->vertex_count) rn_renderer_upload_shades(r);
    return result;
}
