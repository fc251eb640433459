/* STL files. Text: facets of `vertex x y z`, three each. Binary: 80 bytes, the number of triangles, then 50 bytes for
   each of them (normal, three corners, two bytes more), little endian. Normals are not used. Failures leave the reason,
   with the path and perhaps the line, in rn_last_error(). */
#include "base/error.h"
#include "io/file/lines.h"
#include "io/read/triangles/soup.h"

#include <stdio.h>

enum { HEADER = 84, TRIANGLE = 50, CORNERS = 12 }; /* bytes: of the header, of a triangle, before its corners */

/* Reads a little-endian number of 4 bytes. */
static uint32_t read_u32(const char *bytes) {
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) value = value << 8 | (uint8_t)bytes[i];
    return value;
}

/* Reads a little-endian float of 4 bytes. */
static double read_float(const char *bytes) {
    const uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

bool rn_stl_is(const char *bytes, size_t count, int64_t size, bool *binary) {
    *binary = count >= HEADER && size == HEADER + (int64_t)read_u32(bytes + HEADER - 4) * TRIANGLE;
    if (*binary) return true;
    rn_lines in = rn_lines_of(&(rn_file_bytes){.bytes = bytes, .size = strlen(bytes)}); /* a text has no 0 */
    if (!rn_token_is(rn_lines_word_across(&in, 0), "solid")) return false;
    for (rn_token word; (word = rn_lines_word_across(&in, 0)).length > 0;)
        if (rn_token_is(word, "facet") || rn_token_is(word, "endsolid")) return true;
    return false;
}

/* Adds one triangle with vertices of its own. On failure returns the result of rn_soup_vertex or rn_soup_triangle. */
static rn_result add_triangle(rn_soup *soup, double at[3][3]) {
    const uint32_t first = (uint32_t)soup->vertex_count;
    rn_result result = RN_OK;
    for (int i = 0; i < 3 && result == RN_OK; i++) result = rn_soup_vertex(soup, at[i]);
    return result == RN_OK ? rn_soup_triangle(soup, first, first + 1, first + 2) : result;
}

/* Reads all triangles of a binary file; ignores bytes after them, with a remark in soup->warning. Returns RN_FORMAT if
   the file is cut short; otherwise, on failure, the result of add_triangle. */
static rn_result read_binary(const rn_file_bytes *file, rn_soup *soup) {
    if (file->size < HEADER)
        return rn_fail(RN_FORMAT, "%s: is cut short: it has %zu bytes, and the header of a binary STL has %d",
                       file->path, file->size, HEADER);
    const int64_t promised = read_u32(file->bytes + HEADER - 4), held = (int64_t)(file->size - HEADER) / TRIANGLE;
    if (held < promised)
        return rn_fail(RN_FORMAT, "%s: is cut short: it holds %lld of the %lld triangles that its header promises",
                       file->path, (long long)held, (long long)promised);
    if ((int64_t)file->size > HEADER + promised * TRIANGLE)
        rn_soup_warn(soup, "%lld bytes after its last triangle were ignored",
                     (long long)((int64_t)file->size - HEADER - promised * TRIANGLE));
    rn_result result = RN_OK;
    for (int64_t i = 0; i < promised && result == RN_OK; i++) {
        const char *from = file->bytes + HEADER + i * TRIANGLE + CORNERS;
        double at[3][3];
        for (int k = 0; k < 9; k++) at[k / 3][k % 3] = read_float(from + 4 * k);
        result = add_triangle(soup, at);
    }
    soup->parts = 1;
    return result;
}

/* Reads the three numbers after "vertex", and adds the vertex and a corner there. On failure returns RN_FORMAT or the
   result of rn_soup_vertex. */
static rn_result read_vertex(rn_lines *in, rn_soup *soup) {
    double at[3];
    for (int axis = 0; axis < 3; axis++) {
        const rn_token word = rn_lines_word_across(in, 0);
        if (word.length == 0) return rn_soup_refuse(soup, in->number, "is cut short: the file ends within a vertex");
        if (!rn_token_number(word, &at[axis]))
            return rn_soup_refuse(soup, in->number, "\"vertex\" needs three numbers; \"%.*s\" is none",
                                  rn_token_shown(word), word.text);
    }
    const rn_result result = rn_soup_vertex(soup, at);
    return result == RN_OK ? rn_soup_corner(soup, (uint32_t)soup->vertex_count - 1) : result;
}

/* Skips the name of a solid: the rest of the line, or what comes before "facet normal" or "endsolid" in it. */
static void skip_name(rn_lines *in) {
    rn_token word = rn_lines_word(in), next = rn_lines_word(in);
    while (word.length > 0 && !(rn_token_is(word, "facet") && rn_token_is(next, "normal"))) {
        word = next;
        next = rn_lines_word(in);
    }
    in->at = word.text; /* the end of the line if that is empty */
}

/* What surrounds the word that is read. */
typedef struct nesting {
    bool solid, facet;
} nesting;

/* Acts on one word of a text, with what follows it, and updates `within`; words that mean nothing here, such as
   "outer", "loop" and normals, are skipped. On failure returns RN_FORMAT or the result of rn_soup_polygon. */
static rn_result take_word(rn_lines *in, rn_token word, rn_soup *soup, nesting *within) {
    if (rn_token_is(word, "vertex")) {
        if (!within->facet) return rn_soup_refuse(soup, in->number, "\"vertex\" must be within a \"facet\"");
        return read_vertex(in, soup);
    }
    if (rn_token_is(word, "facet")) {
        if (within->facet) return rn_soup_refuse(soup, in->number, "the \"facet\" before this one has no \"endfacet\"");
        within->facet = true;
    } else if (rn_token_is(word, "endfacet")) {
        if (soup->corner_count < 3)
            return rn_soup_refuse(soup, in->number, "a facet needs 3 vertices; this one has %zu", soup->corner_count);
        within->facet = false;
        return rn_soup_polygon(soup);
    } else if (rn_token_is(word, "solid") || rn_token_is(word, "endsolid")) {
        within->solid = word.length == 5;
        soup->parts += within->solid;
        skip_name(in);
    }
    return RN_OK;
}

/* Reads all facets of a text file. On failure returns the result of take_word, or RN_FORMAT if the file ends within a
   facet. */
static rn_result read_text(const rn_file_bytes *file, rn_soup *soup) {
    rn_lines in = rn_lines_of(file);
    nesting within = {0};
    for (;;) {
        const rn_token word = rn_lines_word_across(&in, 0);
        if (word.length == 0) break;
        const rn_result result = take_word(&in, word, soup, &within);
        if (result != RN_OK) return result;
    }
    if (within.facet) return rn_soup_refuse(soup, in.number, "is cut short: the file ends within a facet");
    if (within.solid) rn_soup_warn(soup, "ends without \"endsolid\": perhaps it was cut short");
    return RN_OK;
}

rn_result rn_stl_read(const rn_file_bytes *file, rn_soup *soup) {
    bool binary;
    const bool sure = rn_stl_is(file->bytes, file->size, (int64_t)file->size, &binary);
    soup->format = sure && !binary ? "STL (text)" : "STL (binary)";
    return sure && !binary ? read_text(file, soup) : read_binary(file, soup);
}
