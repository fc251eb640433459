/* Checks grids of heights in text files (text_grid.h). */
#include "io/read/text_grid.h"

#include "base/error.h"
#include "io/file/lines.h"

static const int64_t largest_file = (int64_t)1 << 30; /* bytes */

/* The keys that such files begin with, in lower case. GRASS writes a colon after each. */
static const char *const first_keys[] = {"ncols", "nrows", "xllcorner", "xllcenter", "north:", "south:",
                                         "east:", "west:", "rows:",     "cols:",     "proj:",  "zone:"};

typedef struct grid {
    const rn_file_bytes *file;
    rn_lines in;
    long long columns, rows; /* 0: not given yet */
    bool grass;
} grid;

/* Whether a file begins with one of the keys. */
static bool has_key(const rn_file_bytes *file) {
    rn_lines in = rn_lines_of(file);
    const rn_token word = rn_lines_word_across(&in, 0);
    for (size_t i = 0; i < sizeof first_keys / sizeof *first_keys; i++)
        if (rn_token_is(word, first_keys[i])) return true;
    return false;
}

/* Whether a word begins like a number, or is one of the words for a missing height. */
static bool starts_heights(rn_token word) {
    const char c = word.text[0];
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == '*' || rn_token_is(word, "nan");
}

/* Reads the number of columns or rows. */
static rn_result read_count(grid *g, const char *name, long long *count) {
    const rn_token word = rn_lines_word(&g->in);
    if (rn_token_whole(word, 1, 1 << 20, count)) return RN_OK;
    return rn_fail(RN_FORMAT, "%s:%d: \"%s\" is \"%.*s\"; it must be a whole number from 1 to %d", g->file->path,
                   g->in.number, name, word.length < 40 ? (int)word.length : 40, word.text, 1 << 20);
}

/* Reads the header; on return g->in is before the first height. */
static rn_result read_header(grid *g) {
    rn_lines before = g->in;
    rn_result result = RN_OK;
    while (result == RN_OK && rn_lines_next(&g->in)) {
        const rn_token word = rn_lines_word(&g->in);
        if (word.length > 0 && starts_heights(word)) break;
        if (rn_token_is(word, "ncols") || rn_token_is(word, "cols:")) result = read_count(g, "ncols", &g->columns);
        else if (rn_token_is(word, "nrows") || rn_token_is(word, "rows:")) result = read_count(g, "nrows", &g->rows);
        before = g->in;
    }
    if (result == RN_OK && (g->columns == 0 || g->rows == 0))
        result = rn_fail(RN_FORMAT, "%s: its header has no \"%s\"", g->file->path, g->columns == 0 ? "ncols" : "nrows");
    g->in = before;
    g->in.at = g->in.end;
    return result;
}

/* Whether a word is a height: a number, also with a decimal comma, or a mark for a missing one. */
static bool is_height(const grid *g, rn_token word) {
    char text[64];
    double height;
    if (rn_token_number(word, &height)) return true;
    if (word.length == 1 && word.text[0] == '*') return g->grass;
    const char *comma = word.length < sizeof text ? memchr(word.text, ',', word.length) : NULL;
    if (!comma) return false;
    memcpy(text, word.text, word.length);
    text[comma - word.text] = '.';
    return rn_token_number((rn_token){text, word.length}, &height);
}

/* Checks and counts the heights. */
static rn_result check_heights(grid *g) {
    const long long promised = g->columns * g->rows;
    long long count = 0;
    for (;; count++) {
        const rn_token word = rn_lines_word_across(&g->in, 0);
        if (word.length == 0) break;
        if (count < promised && !is_height(g, word))
            return rn_fail(RN_FORMAT, "%s:%d: \"%.*s\" is not a height", g->file->path, g->in.number,
                           word.length < 40 ? (int)word.length : 40, word.text);
    }
    if (count < promised)
        return rn_fail(RN_FORMAT,
                       "%s: is cut short: it has %lld of the %lld heights that its header promises (%lld x %lld)",
                       g->file->path, count, promised, g->columns, g->rows);
    if (count > promised)
        return rn_fail(RN_FORMAT, "%s: has %lld heights, but its header promises %lld (%lld x %lld)", g->file->path,
                       count, promised, g->columns, g->rows);
    return RN_OK;
}

rn_result rn_text_grid_check(const char *path, bool *is) {
    rn_file_bytes file;
    rn_result result = rn_input_load(path, largest_file, "a terrain in a text file", &file);
    *is = false;
    if (result == RN_LIMIT) result = RN_OK; /* a large file of another kind; text of this size is read unchecked */
    else if (result == RN_OK && has_key(&file)) {
        grid g = {.file = &file, .in = rn_lines_of(&file)};
        const rn_token word = rn_lines_word_across(&(rn_lines){.next = g.in.next, .last = g.in.last}, 0);
        g.grass = word.text[word.length - 1] == ':';
        *is = true;
        result = read_header(&g);
        if (result == RN_OK) result = check_heights(&g);
    }
    rn_input_free(&file);
    return result;
}
