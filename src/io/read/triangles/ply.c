/* PLY files: a text header that lists elements and their properties, then their values as text or binary, in either
   byte order. Used are x, y and z of "vertex", the list "vertex_indices" or "vertex_index" of "face", and that of
   "tristrips", in which -1 begins another strip. Everything else is skipped. Failures leave the reason, with the path
   and perhaps the line, in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/lines.h"
#include "io/read/triangles/soup.h"

typedef enum format { TEXT, LITTLE_ENDIAN_BYTES, BIG_ENDIAN_BYTES } format;

typedef enum kind { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, KINDS } kind;
static const size_t kind_sizes[KINDS] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char *const kind_names[KINDS][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                 {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                 {"float", "float32"}, {"double", "float64"}};

/* What a property is used for. */
typedef enum role { IGNORED, X, Y, Z, FACE, STRIP } role;

typedef struct property {
    kind kind, length_kind; /* of its values; of the number before a list */
    bool list;
    role role;
} property;

enum { MOST_ELEMENTS = 32, MOST_PROPERTIES = 128 };

typedef struct element {
    char name[24];
    long long count;
    int line; /* of the header that names it */
    property properties[MOST_PROPERTIES];
    int property_count;
} element;

typedef struct reader {
    rn_soup *soup;
    rn_lines in;
    format format;
    const char *at; /* binary: the next byte */
    element *elements;
    int element_count;
} reader;

/* ---- The header ---- */

/* Sets *kind_of to the type that a word names. Returns false if it names none. */
static bool read_kind(rn_token word, kind *kind_of) {
    for (int i = 0; i < KINDS; i++)
        if (rn_token_is(word, kind_names[i][0]) || rn_token_is(word, kind_names[i][1])) {
            *kind_of = (kind)i;
            return true;
        }
    return false;
}

/* Returns what the property `name` of an element is used for. Returns IGNORED for other names, and for a list in place
   of a number or the reverse. */
static role find_role(const element *e, rn_token name, bool list) {
    if (strcmp(e->name, "vertex") == 0 && !list)
        return rn_token_is(name, "x") ? X : rn_token_is(name, "y") ? Y : rn_token_is(name, "z") ? Z : IGNORED;
    if (!list || !(rn_token_is(name, "vertex_indices") || rn_token_is(name, "vertex_index"))) return IGNORED;
    return strcmp(e->name, "face") == 0 ? FACE : strcmp(e->name, "tristrips") == 0 ? STRIP : IGNORED;
}

/* Reads the rest of `format ascii 1.0` into r->format. Returns RN_FORMAT if it is no known format. */
static rn_result read_format(reader *r) {
    const rn_token word = rn_lines_word(&r->in);
    if (rn_token_is(word, "ascii")) r->format = TEXT;
    else if (rn_token_is(word, "binary_little_endian")) r->format = LITTLE_ENDIAN_BYTES;
    else if (rn_token_is(word, "binary_big_endian")) r->format = BIG_ENDIAN_BYTES;
    else
        return rn_soup_refuse(r->soup, r->in.number,
                              "the format must be ascii, binary_little_endian or binary_big_endian");
    r->soup->format = r->format == TEXT ? "PLY (text)" : "PLY (binary)";
    return RN_OK;
}

/* Reads the rest of `element NAME COUNT` and appends the element, with its name cut off at 23 bytes. On failure returns
   RN_FORMAT. */
static rn_result read_element(reader *r) {
    if (r->element_count == MOST_ELEMENTS)
        return rn_soup_refuse(r->soup, r->in.number, "has more than %d elements", MOST_ELEMENTS);
    element *e = &r->elements[r->element_count];
    const rn_token name = rn_lines_word(&r->in);
    const size_t length = name.length < sizeof e->name ? name.length : sizeof e->name - 1;
    memcpy(e->name, name.text, length);
    e->line = r->in.number;
    if (length == 0 || !rn_token_whole(rn_lines_word(&r->in), 0, 4e9, &e->count))
        return rn_soup_refuse(r->soup, r->in.number,
                              "an element needs a name and a count, such as \"element vertex 8\"");
    r->element_count++;
    return RN_OK;
}

/* Reads the rest of `property TYPE NAME` or `property list TYPE TYPE NAME` and appends it to the last element. On
   failure returns RN_FORMAT. */
static rn_result read_property(reader *r) {
    if (r->element_count == 0) return rn_soup_refuse(r->soup, r->in.number, "a property must follow an element");
    element *e = &r->elements[r->element_count - 1];
    if (e->property_count == MOST_PROPERTIES)
        return rn_soup_refuse(r->soup, r->in.number, "has more than %d properties", MOST_PROPERTIES);
    property p = {0};
    rn_token word = rn_lines_word(&r->in);
    p.list = rn_token_is(word, "list");
    bool known = true;
    if (p.list) {
        known = read_kind(rn_lines_word(&r->in), &p.length_kind) && p.length_kind < FLOAT32;
        word = rn_lines_word(&r->in);
    }
    if (!known || !read_kind(word, &p.kind))
        return rn_soup_refuse(r->soup, r->in.number,
                              known ? "the type of a property is one of char, uchar, short, ushort, int, uint, float "
                                      "and double"
                                    : "the length of a list is one of char, uchar, short, ushort, int and uint");
    p.role = find_role(e, rn_lines_word(&r->in), p.list);
    e->properties[e->property_count++] = p;
    return RN_OK;
}

/* Reads the header, up to and including the line "end_header". On failure returns RN_FORMAT. */
static rn_result read_header(reader *r) {
    rn_result result = RN_OK;
    while (result == RN_OK && rn_lines_next(&r->in)) {
        const rn_token word = rn_lines_word(&r->in);
        if (rn_token_is(word, "end_header")) return RN_OK;
        if (rn_token_is(word, "format")) result = read_format(r);
        else if (rn_token_is(word, "element")) result = read_element(r);
        else if (rn_token_is(word, "property")) result = read_property(r);
    }
    return result != RN_OK ? result : rn_fail(RN_FORMAT, "%s: its header does not end", r->soup->path);
}

/* Whether an element has a property with this role. */
static bool has_role(const element *e, role wanted) {
    for (int i = 0; i < e->property_count; i++)
        if (e->properties[i].role == wanted) return true;
    return false;
}

/* Returns RN_FORMAT unless the header announces vertices with three coordinates, and after them triangles, or if it
   announces elements without properties. */
static rn_result check_header(const reader *r) {
    bool placed = false, faces = false;
    for (int i = 0; i < r->element_count; i++) {
        const element *e = &r->elements[i];
        if (e->count > 0 && e->property_count == 0)
            return rn_soup_refuse(r->soup, e->line, "the element \"%s\" has no properties", e->name);
        if (has_role(e, FACE) || has_role(e, STRIP)) {
            if (!placed) return rn_soup_refuse(r->soup, e->line, "faces must come after the vertices");
            faces = true;
        }
        placed = placed || (has_role(e, X) && has_role(e, Y) && has_role(e, Z));
    }
    if (!placed) return rn_fail(RN_FORMAT, "%s: has no element \"vertex\" with x, y and z", r->soup->path);
    return faces ? RN_OK : rn_fail(RN_FORMAT, "%s: holds points, but no triangles", r->soup->path);
}

/* ---- Values ---- */

/* Returns RN_FORMAT, with a message: the file ends after `done` of the elements `e`. */
static rn_result fail_cut_short(const reader *r, const element *e, long long done) {
    return rn_fail(RN_FORMAT, "%s: is cut short: it ends after %lld of %lld elements \"%s\"", r->soup->path, done,
                   e->count, e->name);
}

/* Returns the bits of the binary number at r->at, `size` bytes in the order of the file; does not move on. */
static uint64_t read_bits(const reader *r, size_t size) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | (uint8_t)r->at[r->format == BIG_ENDIAN_BYTES ? i : size - 1 - i];
    return bits;
}

/* Returns the number that these bits are, as a value of the type `of`. */
static double number_of(uint64_t bits, kind of) {
    const uint32_t half = (uint32_t)bits;
    float single;
    double twofold;
    switch (of) {
    case INT8: return (int8_t)bits;
    case INT16: return (int16_t)bits;
    case INT32: return (int32_t)bits;
    case FLOAT32: memcpy(&single, &half, sizeof single); return (double)single;
    case FLOAT64: memcpy(&twofold, &bits, sizeof twofold); return twofold;
    default: return (double)bits;
    }
}

/* Reads the next value, of the type `of`, into *value. Returns false, without an error text, if the file ends, or what
   comes is no number. */
static bool read_value(reader *r, kind of, double *value) {
    if (r->format == TEXT) return rn_token_number(rn_lines_word_across(&r->in, 0), value);
    const size_t size = kind_sizes[of];
    if ((size_t)(r->in.last - r->at) < size) return false;
    *value = number_of(read_bits(r, size), of);
    r->at += size;
    return true;
}

/* Returns RN_FORMAT, with a message: a value is missing or, in a text, no number. `done`: elements before this one. */
static rn_result fail_at_value(const reader *r, const element *e, long long done) {
    if (r->format != TEXT || (r->in.at == r->in.last && r->in.next == r->in.last)) return fail_cut_short(r, e, done);
    return rn_soup_refuse(r->soup, r->in.number, "a number is expected here, for element %lld of \"%s\"", done,
                          e->name);
}

/* Adds the triangles of the strip in soup->corners, which UINT32_MAX divides, and empties it. Every second triangle is
   reversed, so that all face the same way. */
static rn_result add_strip(rn_soup *soup) {
    rn_result result = RN_OK;
    size_t start = 0;
    for (size_t i = 0; i < soup->corner_count && result == RN_OK; i++) {
        const uint32_t *c = soup->corners + i;
        if (c[0] == UINT32_MAX) start = i + 1;
        else if (i >= start + 2)
            result = (i - start) % 2 == 0 ? rn_soup_triangle(soup, c[-2], c[-1], c[0])
                                          : rn_soup_triangle(soup, c[-1], c[-2], c[0]);
    }
    soup->corner_count = 0;
    return result;
}

/* Reads a list of element number `done`; if it lists corners, adds their triangles. On failure returns RN_FORMAT or the
   result of rn_soup_triangle. */
static rn_result read_list(reader *r, const element *e, const property *p, long long done) {
    double length, value;
    if (!read_value(r, p->length_kind, &length)) return fail_at_value(r, e, done);
    if (!(length >= 0))
        return rn_fail(RN_FORMAT, "%s: a list in element %lld of \"%s\" has the length %g", r->soup->path, done,
                       e->name, length);
    r->soup->corner_count = 0;
    for (double i = 0; i < length; i++) {
        if (!read_value(r, p->kind, &value)) return fail_at_value(r, e, done);
        if (p->role == IGNORED) continue;
        const bool exists = value >= 0 && value < (double)r->soup->vertex_count;
        if (!exists && p->role == FACE)
            return rn_fail(RN_FORMAT, "%s: face %lld names vertex %g; there are %zu, counted from 0", r->soup->path,
                           done, value, r->soup->vertex_count);
        if (!exists && value >= 0)
            return rn_fail(RN_FORMAT, "%s: strip %lld names vertex %g; there are %zu, counted from 0", r->soup->path,
                           done, value, r->soup->vertex_count);
        const rn_result result = rn_soup_corner(r->soup, exists ? (uint32_t)value : UINT32_MAX);
        if (result != RN_OK) return result;
    }
    return p->role == FACE ? rn_soup_polygon(r->soup) : p->role == STRIP ? add_strip(r->soup) : RN_OK;
}

/* Reads element number `done`, a vertex, face or other, and adds it to the soup. On failure returns RN_FORMAT or the
   result of rn_soup_vertex or read_list. */
static rn_result read_instance(reader *r, const element *e, long long done) {
    double at[3] = {0}, value;
    rn_result result = RN_OK;
    for (int i = 0; i < e->property_count && result == RN_OK; i++) {
        const property *p = &e->properties[i];
        if (p->list) result = read_list(r, e, p, done);
        else if (!read_value(r, p->kind, &value)) result = fail_at_value(r, e, done);
        else if (p->role >= X && p->role <= Z) at[p->role - X] = value;
    }
    if (result != RN_OK || !has_role(e, X)) return result;
    return rn_soup_vertex(r->soup, at);
}

/* Reads the values of all elements, up to the last faces; later elements are not read. The header must have been read
   and checked. On failure returns the result of read_instance. */
static rn_result read_values(reader *r) {
    int last = 0;
    for (int i = 0; i < r->element_count; i++)
        if (has_role(&r->elements[i], FACE) || has_role(&r->elements[i], STRIP)) last = i;
    r->at = r->in.next;
    r->in.at = r->in.end;
    for (int i = 0; i <= last; i++)
        for (long long k = 0; k < r->elements[i].count; k++) {
            const rn_result result = read_instance(r, &r->elements[i], k);
            if (result != RN_OK) return result;
        }
    return RN_OK;
}

rn_result rn_ply_read(const rn_file_bytes *file, rn_soup *soup) {
    reader r = {.soup = soup, .in = rn_lines_of(file)};
    soup->format = "PLY";
    soup->parts = 1;
    r.elements = rn_alloc(NULL, MOST_ELEMENTS, sizeof *r.elements);
    if (!r.elements) return RN_MEMORY;
    rn_result result = read_header(&r);
    if (result == RN_OK) result = check_header(&r);
    if (result == RN_OK) result = read_values(&r);
    rn_free(NULL, r.elements);
    return result;
}
