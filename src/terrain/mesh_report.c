/* rn_mesh_report_line: the report about a mesh as text, one sentence for each kind of finding. */
#include "base/error.h"

#include <runnel/terrain.h>

#include <stdio.h>

/* A text buffer; text that does not fit is cut off. */
typedef struct sentence {
    char *text;
    size_t size;
} sentence;

/* Writes the count, its noun and verb (`one`, "triangle has", for 1, else `many`, "triangles have"), then `rest`. */
static void tell_count(const sentence *s, int64_t count, const char *one, const char *many, const char *rest) {
    snprintf(s->text, s->size, "%lld %s%s", (long long)count, count == 1 ? one : many, rest);
}

/* tell_*: each writes the sentence about one kind of finding, of which there is at least one, to the text of `s`. */
static void tell_bad_indices(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->bad_indices, "triangle names a vertex that is", "triangles name vertices that are",
               " not there: left out");
}

static void tell_non_finite(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->non_finite, "triangle has", "triangles have",
               " coordinates that are not finite, or beyond 10^12 m: left out");
}

static void tell_degenerate(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->degenerate, "triangle has", "triangles have", " no area: left out");
}

static void tell_doubles(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->doubles, "triangle repeats", "triangles repeat", " another: left out");
}

static void tell_flipped(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->flipped, "triangle was wound against its", "triangles were wound against their",
               " neighbours: turned");
}

static void tell_branching(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->branching_edges, "edge has", "edges have",
               " three triangles or more: the solid is what they enclose");
}

/* Writes how many open edges and holes there were, and how they were handled. */
static void tell_holes(const rn_mesh_report *r, const sentence *s) {
    static const char *const what[] = {
        [RN_MESH_AUTO] = "",
        [RN_MESH_SOLID] = ": closed by triangles across",
        [RN_MESH_SHEET] = ": left open, as in any sheet",
        [RN_MESH_GROUND] = ": the longest is the rim of the ground, others are closed",
    };
    if (r->open_edges == 0)
        snprintf(s->text, s->size, "%lld loop%s of edges whose triangles do not agree on which side is out%s",
                 (long long)r->holes, r->holes == 1 ? "" : "s", what[r->meaning]);
    else
        snprintf(s->text, s->size, "%lld open edge%s around %lld hole%s%s", (long long)r->open_edges,
                 r->open_edges == 1 ? "" : "s", (long long)r->holes, r->holes == 1 ? "" : "s", what[r->meaning]);
}

/* Writes how many parts were turned, or that the whole mesh was. */
static void tell_inside_out(const rn_mesh_report *r, const sentence *s) {
    const char *how = r->meaning == RN_MESH_GROUND ? " upside down: turned" : " inside out: turned";
    if (r->inside_out == r->parts) snprintf(s->text, s->size, "the mesh was%s", how);
    else
        snprintf(s->text, s->size, "%lld of its %lld parts %s%s", (long long)r->inside_out, (long long)r->parts,
                 r->inside_out == 1 ? "was" : "were", how);
}

static void tell_buried(const rn_mesh_report *r, const sentence *s) {
    tell_count(s, r->buried, "part lies inside another and is", "parts lie inside others and are",
               " wound the same way: solid there; reverse the winding of parts that are meant as cavities");
}

static void tell_ground(const rn_mesh_report *r, const sentence *s) {
    (void)r;
    snprintf(s->text, s->size, "taken for ground: all below it is solid");
}

/* Writes that the mesh was wrapped in a skin, with its spacing (m). */
static void tell_wrapped(const rn_mesh_report *r, const sentence *s) {
    snprintf(s->text, s->size, "its triangles do not join: wrapped in a skin with a spacing of %g m", r->wrapped);
}

typedef struct finding {
    int64_t count; /* 0: nothing to report */
    void (*tell)(const rn_mesh_report *report, const sentence *s);
} finding;

bool rn_mesh_report_line(const rn_mesh_report *report, int index, char *text, size_t size) {
    if (!RN_REQUIRE(NULL, report && (text || size == 0))) return false;
    const finding all[] = {
        {report->bad_indices, tell_bad_indices},
        {report->non_finite, tell_non_finite},
        {report->degenerate, tell_degenerate},
        {report->doubles, tell_doubles},
        {report->flipped, tell_flipped},
        {report->inside_out, tell_inside_out},
        {report->buried, tell_buried},
        {report->branching_edges, tell_branching},
        {report->wrapped > 0 ? 0 : report->holes, tell_holes},
        {report->wrapped > 0, tell_wrapped},
        {report->meaning == RN_MESH_GROUND, tell_ground},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].count == 0 || index-- > 0) continue;
        if (index < -1) return false; /* a negative index */
        all[i].tell(report, &(sentence){text, size});
        return true;
    }
    return false;
}
