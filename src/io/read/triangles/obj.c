/* Wavefront OBJ files: `v x y z` and `f a b c …`, whose corners may be a/b/c (vertex, texture, normal) and count from
   1, or back from the last vertex if they are negative. A backslash at the end of a line joins it with the next. All
   other statements are skipped: normals, texture coordinates, materials, lines, points, curves. Failures leave the
   reason, with path and line, in rn_last_error(). */
#include "io/file/lines.h"
#include "io/read/triangles/soup.h"

/* A file that is being read. */
typedef struct reader {
    rn_lines in;
    rn_soup *soup;
    long long given; /* vertices before this line; negative numbers count back from there */
    bool grouped;    /* a group has begun, and no face has followed yet */
} reader;

/* Whether only white space is left of this line. */
static bool is_at_end(const rn_lines *in) {
    rn_lines rest = *in;
    return rn_lines_word(&rest).length == 0;
}

/* Reads the next word of a statement, which may go on in the next line; its length is 0 at the end of the statement or
   at a comment. */
static rn_token next_word(reader *r) {
    for (;;) {
        const rn_token word = rn_lines_word(&r->in);
        if (word.length == 0 || word.text[0] == '#') return (rn_token){word.text, 0};
        if (word.text[word.length - 1] != '\\' || !is_at_end(&r->in)) return word;
        if (word.length > 1) { /* what stands before the backslash; the end of the line is read next */
            r->in.at--;
            return (rn_token){word.text, word.length - 1};
        }
        if (!rn_lines_next(&r->in)) return (rn_token){word.text, 0};
    }
}

/* Reads the rest of `v x y z` and adds the vertex; more numbers (weight, colour) are skipped. On failure returns
   RN_FORMAT or the result of rn_soup_vertex. */
static rn_result read_vertex(reader *r) {
    double at[3];
    for (int axis = 0; axis < 3; axis++) {
        const rn_token word = next_word(r);
        if (!rn_token_number(word, &at[axis]))
            return rn_soup_refuse(r->soup, r->in.number, "\"v\" needs three numbers; \"%.*s\" is none",
                                  rn_token_shown(word), word.text);
    }
    return rn_soup_vertex(r->soup, at);
}

/* Sets *vertex to the index, from 0, of the vertex that the corner of a face names: "7", "7/1/3" or "-2". Returns
   RN_FORMAT if it names no vertex. */
static rn_result find_vertex(const reader *r, rn_token corner, uint32_t *vertex) {
    const char *slash = memchr(corner.text, '/', corner.length);
    const rn_token number = {corner.text, slash ? (size_t)(slash - corner.text) : corner.length};
    const long long count = (long long)r->soup->vertex_count;
    long long index;
    if (!rn_token_whole(number, -4e9, 4e9, &index))
        return rn_soup_refuse(r->soup, r->in.number, "\"%.*s\" is not the number of a vertex", rn_token_shown(corner),
                              corner.text);
    if (index == 0) return rn_soup_refuse(r->soup, r->in.number, "a face names vertex 0; they count from 1");
    if (index < -r->given)
        return rn_soup_refuse(r->soup, r->in.number, "a face names vertex %lld; %lld %s been given so far", index,
                              r->given, r->given == 1 ? "has" : "have");
    if (index > count)
        return rn_soup_refuse(r->soup, r->in.number, "a face names vertex %lld; there %s %lld", index,
                              count == 1 ? "is" : "are", count);
    *vertex = (uint32_t)(index > 0 ? index - 1 : r->given + index);
    return RN_OK;
}

/* Reads the rest of `f a b c …` and adds its triangles; the first face after a group begins a part. On failure returns
   RN_FORMAT or the result of rn_soup_polygon. */
static rn_result read_face(reader *r) {
    rn_result result = RN_OK;
    r->soup->corner_count = 0;
    for (rn_token word = next_word(r); word.length > 0 && result == RN_OK; word = next_word(r)) {
        uint32_t vertex = 0;
        result = find_vertex(r, word, &vertex);
        if (result == RN_OK) result = rn_soup_corner(r->soup, vertex);
    }
    if (result != RN_OK) return result;
    r->soup->parts += r->grouped;
    r->grouped = false;
    return rn_soup_polygon(r->soup);
}

/* Reads all vertices, or, if `faces`, all faces, in a second round because they may name vertices that come later. */
static rn_result read_statements(const rn_file_bytes *file, rn_soup *soup, bool faces) {
    reader r = {.in = rn_lines_of(file), .soup = soup, .grouped = true};
    rn_result result = RN_OK;
    while (result == RN_OK && rn_lines_next(&r.in)) {
        const rn_token word = next_word(&r);
        const bool vertex = rn_token_is(word, "v"), face = rn_token_is(word, "f") || rn_token_is(word, "fo");
        r.given += vertex;
        if (vertex && !faces) result = read_vertex(&r);
        else if (face && faces) result = read_face(&r);
        else if (rn_token_is(word, "o") || rn_token_is(word, "g")) r.grouped = true;
        else if (word.length > 0)                      /* a comment does not go on in the next line */
            while (next_word(&r).length > 0) continue; /* its continuation lines */
    }
    return result;
}

rn_result rn_obj_read(const rn_file_bytes *file, rn_soup *soup) {
    soup->format = "Wavefront OBJ";
    const rn_result result = read_statements(file, soup, false);
    return result == RN_OK ? read_statements(file, soup, true) : result;
}
