/* Commands of scripts that expect, keep and print values. Interface: view/window/script_values.h. */
#include "view/window/script_values.h"

#include "common/commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the depth (m) of liquid in the cell at (x, y) (m), summed over its layers; NAN outside the domain. */
static double depth_at(const viewer *v, double x, double y) {
    const rn_surface_columns *c = &v->frame->columns;
    const int i = (int)floor((x - (double)c->origin_x) / (double)c->cell_size),
              j = (int)floor((y - (double)c->origin_y) / (double)c->cell_size);
    double depth = 0;
    if (!c->base.data || i < 0 || j < 0 || i >= c->cells_x || j >= c->cells_y) return NAN;
    for (int layer = 0; layer < c->layers; layer++) {
        const ptrdiff_t at = layer * c->depth.layer_stride + j * c->depth.row_stride + i;
        if (c->base.data[at] < RN_NO_COLUMN) depth += (double)c->depth.data[at];
    }
    return depth;
}

/* Returns the height (m) of the highest point of a body, or of the lowest, or NAN if there is no body of this
   number. */
static double body_end(const viewer *v, int body, bool highest) {
    const rn_mesh *m = &v->frame->bodies;
    double end = NAN;
    for (uint32_t i = 0; i < m->vertex_count && m->ids; i++) {
        const double z = (double)m->positions[3 * (size_t)i + 2];
        if (m->ids[i] == (uint32_t)body) end = highest ? fmax(end, z) : fmin(end, z);
    }
    return end;
}

/* Returns how many tiles of the solver hold liquid and rest. */
static double count_resting(const rn_resting *r) {
    int count = 0;
    for (int i = 0; r->rests && i < r->tiles_x * r->tiles_y * r->layers; i++) count += r->rests[i];
    return count;
}

/* Returns the value that words[at] stands for: a measured number by its name ("volume", "depth X Y"), else a literal
   number. Sets *used to how many words were used. Returns NAN without a scene (for any word), for a depth outside the
   domain, for a body that does not exist, or after the script was stopped. */
static double value_of(script *s, int at, int *used) {
    const viewer *v = s->v;
    const char *name = at < s->count ? s->words[at] : "";
    *used = 1;
    if (!v->live) return NAN;
    const rn_live_frame *f = v->frame;
    const struct {
        const char *name;
        double value;
    } values[] = {{"volume", f->audit.present},
                  {"poured", f->audit.poured},
                  {"drained", f->audit.drained},
                  {"drift", f->audit.drift},
                  {"left", f->audit.left},
                  {"time", f->stats.time},
                  {"steps", (double)f->steps},
                  {"substeps", f->stats.substeps},
                  {"fastest", f->stats.fastest},
                  {"errors", (double)f->errors},
                  {"surface", f->surface.triangle_count},
                  {"bodies", f->bodies.vertex_count},
                  {"layers", f->columns.layers},
                  {"resting", count_resting(&f->resting)},
                  {"kept", s->kept},
                  {"zoom", v->orbit.zoom},
                  {"azimuth", v->orbit.azimuth},
                  {"tool", v->tool},
                  {"viscosity", v->viscosity},
                  {"contact_angle", v->contact_angle},
                  {"friction", v->friction},
                  {"courant", session_courant_key(v->solver) ? v->courant : NAN},
                  {"tilt_x", v->tilt[0]},
                  {"tilt_y", v->tilt[1]},
                  {"rain", v->rain},
                  {"speed", v->settings.speed},
                  {"target_x", v->orbit.target.x},
                  {"page", v->page},
                  {"entry", v->entry},
                  {"waited", v->exchanges ? v->waited / (double)v->exchanges : 0},
                  {"blocked", v->exchanges ? (double)v->blocked / (double)v->exchanges : 0},
                  {"samples", v->plots.count}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].name, name) == 0) return values[i].value;
    if (strcmp(name, "depth") == 0 && at + 2 < s->count) {
        *used = 3;
        return depth_at(v, script_number(s, at + 1), script_number(s, at + 2));
    }
    if ((strcmp(name, "bottom") == 0 || strcmp(name, "top") == 0) && at + 1 < s->count) {
        *used = 2;
        const int body = (int)script_number_in(s, at + 1, 0, 1e9);
        return body_end(v, body, name[0] == 't');
    }
    return script_number(s, at);
}

bool script_keep(script *s) {
    int used;
    s->kept = value_of(s, 1, &used);
    return true;
}

bool script_print(script *s) {
    int used;
    printf("%s %.9g\n", s->words[1], value_of(s, 1, &used));
    return true;
}

/* Stops the script with EXIT_BAD_INPUT, because "expect" was not understood. Returns false. */
static bool stop_bad_expectation(script *s) {
    return script_stop(
        s, EXIT_BAD_INPUT,
        "write \"expect NAME < VALUE\", \"> VALUE\", \"near VALUE TOLERANCE\" or \"expect notice WORD\"");
}

/* Finds the text of this name: the latest message, the line at the top left at the end of the latest "play", or a
   choice of the scene. Writes it to `text`. Returns false if there is none of this name. */
static bool text_of(const script *s, const char *name, char text[VIEWER_TEXT]) {
    const viewer *v = s->v;
    const struct {
        const char *name, *text;
    } known[] = {{"notice", v->notice},     {"title", v->title},     {"solver", v->solver},      {"model", v->model},
                 {"passages", v->passages}, {"contact", v->contact}, {"liquid", v->liquid.name}, {"status", s->played}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return snprintf(text, VIEWER_TEXT, "%s", known[i].text), true;
    return false;
}

bool script_expect(script *s) {
    int used, more;
    char text[VIEWER_TEXT];
    if (text_of(s, s->words[1], text)) {
        if (s->count != 3) return stop_bad_expectation(s);
        if (!strstr(text, s->words[2]))
            script_stop(s, EXIT_FAILED_CHECK, "expected a %s with \"%.60s\"; it is \"%s\"", s->words[1], s->words[2],
                        text);
        return true;
    }
    const double a = value_of(s, 1, &used);
    const char *how = used + 1 < s->count ? s->words[used + 1] : "";
    const bool near = strcmp(how, "near") == 0, less = strcmp(how, "<") == 0, more_than = strcmp(how, ">") == 0;
    if (s->over || !(near || less || more_than)) return s->over || stop_bad_expectation(s);
    const double b = value_of(s, used + 2, &more);
    if (!s->over && s->count != used + 2 + more + near) return stop_bad_expectation(s);
    const double tolerance = near && !s->over ? script_number(s, used + 2 + more) : 0;
    if (s->over) return true;
    const bool holds = near ? fabs(a - b) <= tolerance : less ? a < b : a > b;
    if (!holds) script_stop(s, EXIT_FAILED_CHECK, "expected %s %s %.9g; it is %.9g", s->words[1], how, b, a);
    return true;
}
