/* OFF files (Geomview): the word OFF, perhaps with letters before it for what vertices have besides their position,
   then the numbers of vertices, faces and edges, the vertices, and a line for each face: its number of corners, the
   corners from 0, and perhaps a colour. # begins a comment. Failures leave the reason, with path and line, in
   rn_last_error(). */
#include "io/file/lines.h"
#include "io/read/triangles/soup.h"

#include "base/error.h"

/* What the header says. */
typedef struct header {
    long long vertices, faces;
    int numbers;      /* of a vertex before its colour */
    bool coloured;    /* vertices end with a colour of any length */
    bool lines;       /* each vertex and each face has a line of its own: what else is in it is skipped */
    bool any;         /* the number of coordinates follows */
    bool homogeneous; /* vertices have a fourth coordinate, which the others are divided by */
} header;

/* Reads a whole number, 0 or more, into *count. Returns RN_FORMAT if the word is not a count; `what`: the things
   counted, for the message. */
static rn_result read_count(rn_lines *in, rn_soup *soup, const char *what, long long *count) {
    const rn_token word = rn_lines_word_across(in, '#');
    if (rn_token_whole(word, 0, 4e9, count)) return RN_OK;
    return rn_soup_refuse(soup, in->number, "the number of %s is expected here, not \"%.*s\"", what,
                          rn_token_shown(word), word.text);
}

/* Reads the letters before "OFF", ST, C, N, 4 and n in this order, into `h`. Returns their length with that of "OFF";
   0: this is another word. The first number may follow without a space. */
static size_t read_letters(rn_token word, header *h) {
    size_t i = 0;
    const char *t = word.text;
    if (word.length > i + 1 && t[i] == 'S' && t[i + 1] == 'T') i += 2, h->numbers += 2;
    if (word.length > i && t[i] == 'C') i++, h->coloured = true;
    if (word.length > i && t[i] == 'N') i++, h->numbers += 3;
    if (word.length > i && t[i] == '4') i++, h->homogeneous = true, h->numbers++;
    if (word.length > i && t[i] == 'n') i++, h->any = true;
    const bool named = word.length >= i + 3 && memcmp(t + i, "OFF", 3) == 0;
    return named && (word.length == i + 3 || (t[i + 3] >= '0' && t[i + 3] <= '9')) ? i + 3 : 0;
}

/* Reads everything before the first vertex into `h`, but not h->lines. Returns RN_FORMAT if the header is invalid, or
   RN_UNSUPPORTED if the file is binary or has other coordinates than x, y and z. */
static rn_result read_header(rn_lines *in, rn_soup *soup, header *h) {
    const rn_lines start = *in;
    const rn_token word = rn_lines_word_across(in, '#');
    *h = (header){.numbers = 3};
    const size_t letters = read_letters(word, h);
    if (letters > 0) in->at = word.text + letters;
    else {
        if (word.length == 0 || word.text[0] < '0' || word.text[0] > '9')
            return rn_soup_refuse(soup, in->number, "an OFF file begins with the word OFF");
        *h = (header){.numbers = 3};
        *in = start; /* the word may be missing */
    }
    rn_lines next = *in;
    if (rn_token_is(rn_lines_word(&next), "binary"))
        return rn_fail(RN_UNSUPPORTED, "%s: is a binary OFF; save it as text, or as PLY", soup->path);
    long long edges, axes = 3;
    rn_result result = h->any ? read_count(in, soup, "coordinates", &axes) : RN_OK;
    if (result == RN_OK && (axes < 3 || axes > 8 || (h->any && h->homogeneous)))
        return rn_fail(RN_UNSUPPORTED, "%s: its vertices have other coordinates than x, y and z", soup->path);
    h->numbers += (int)axes - 3;
    if (result == RN_OK) result = read_count(in, soup, "vertices", &h->vertices);
    const int line = in->number;
    if (result == RN_OK) result = read_count(in, soup, "faces", &h->faces);
    next = *in;
    const rn_token more = rn_lines_word(&next);
    const bool last = in->number == line && (more.length == 0 || more.text[0] == '#'); /* some leave out the edges */
    if (result == RN_OK && !last) result = read_count(in, soup, "edges", &edges);
    return result;
}

/* Whether at least `count` lines follow that are not empty or comments. */
static bool has_lines(rn_lines in, long long count) {
    while (count > 0 && rn_lines_next(&in)) {
        const rn_token word = rn_lines_word(&in);
        count -= word.length > 0 && word.text[0] != '#';
    }
    return count == 0;
}

/* Reads a vertex and adds it, divided by its fourth coordinate if it is homogeneous; skips a colour, and with h->lines
   the rest of the line. On failure returns RN_FORMAT or the result of rn_soup_vertex. */
static rn_result read_vertex(rn_lines *in, rn_soup *soup, const header *h) {
    double at[16] = {0};
    for (int i = 0; i < h->numbers; i++) {
        const rn_token word = rn_lines_word_across(in, '#');
        if (word.length == 0)
            return rn_soup_refuse(soup, in->number, "is cut short: it has %zu of the %lld vertices that it promises",
                                  soup->vertex_count, h->vertices);
        if (!rn_token_number(word, &at[i]))
            return rn_soup_refuse(soup, in->number, "a vertex needs %d numbers; \"%.*s\" is none", h->numbers,
                                  rn_token_shown(word), word.text);
    }
    if (h->coloured || h->lines) in->at = in->end;
    for (int axis = 0; axis < 3 && h->homogeneous; axis++) at[axis] /= at[3];
    return rn_soup_vertex(soup, at);
}

/* Reads face number `face`, from 0, and adds its triangles; what follows its corners in the line, a colour, is skipped.
   On failure returns RN_FORMAT or the result of rn_soup_polygon. */
static rn_result read_face(rn_lines *in, rn_soup *soup, const header *h, long long face) {
    const rn_token first = rn_lines_word_across(in, '#');
    long long count, vertex;
    if (first.length == 0)
        return rn_soup_refuse(soup, in->number, "is cut short: it has %lld of the %lld faces that it promises", face,
                              h->faces);
    if (!rn_token_whole(first, 0, 1e6, &count))
        return rn_soup_refuse(soup, in->number, "a face begins with its number of corners, not with \"%.*s\"",
                              rn_token_shown(first), first.text);
    soup->corner_count = 0;
    for (long long i = 0; i < count; i++) {
        const rn_token word = rn_lines_word_across(in, '#');
        if (word.length == 0) return rn_soup_refuse(soup, in->number, "is cut short: the file ends within a face");
        if (!rn_token_whole(word, 0, (double)h->vertices - 1, &vertex))
            return rn_soup_refuse(soup, in->number, "a face names vertex \"%.*s\"; there are %lld, counted from 0",
                                  rn_token_shown(word), word.text, h->vertices);
        const rn_result result = rn_soup_corner(soup, (uint32_t)vertex);
        if (result != RN_OK) return result;
    }
    in->at = in->end;
    return rn_soup_polygon(soup);
}

rn_result rn_off_read(const rn_file_bytes *file, rn_soup *soup) {
    rn_lines in = rn_lines_of(file);
    header h;
    soup->format = "OFF";
    soup->parts = 1;
    rn_result result = read_header(&in, soup, &h);
    if (result == RN_OK) h.lines = has_lines(in, h.vertices + h.faces);
    if (result == RN_OK && h.lines) in.at = in.end;
    for (long long i = 0; result == RN_OK && i < h.vertices; i++) result = read_vertex(&in, soup, &h);
    for (long long i = 0; result == RN_OK && i < h.faces; i++) result = read_face(&in, soup, &h, i);
    return result;
}
