/* Lines and words of a text file in memory. Lines end with \n, \r\n or \r; a byte-order mark at the start is
   skipped. */
#ifndef RN_IO_LINES_H
#define RN_IO_LINES_H

#include "io/file/input.h"
#include "io/file/number.h"

#include <string.h>

/* A position in a text, which must outlive it. */
typedef struct rn_lines {
    const char *at, *end; /* the rest of this line */
    const char *next;     /* the start of the next line */
    const char *last;     /* the end of the text */
    int number;           /* of this line, from 1; 0 before the first */
} rn_lines;

/* A word within a line; not followed by a 0. */
typedef struct rn_token {
    const char *text;
    size_t length;
} rn_token;

/* Returns the start of a file's text, before its first line: call rn_lines_next, or rn_lines_word_across, to read. The
   file must stay loaded. */
static inline rn_lines rn_lines_of(const rn_file_bytes *file) {
    const size_t mark = file->size >= 3 && memcmp(file->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (rn_lines){.next = file->bytes + mark, .last = file->bytes + file->size};
}

/* Goes on to the next line. Returns false if there is none. */
static inline bool rn_lines_next(rn_lines *in) {
    if (in->next >= in->last) {
        in->at = in->end = in->last;
        return false;
    }
    in->at = in->end = in->next;
    while (in->end < in->last && *in->end != '\n' && *in->end != '\r') in->end++;
    in->next = in->end + (in->end < in->last);
    if (in->end + 1 < in->last && in->end[0] == '\r' && in->end[1] == '\n') in->next++;
    in->number++;
    return true;
}

/* Whether a byte separates words; 0x1a ends a text in DOS. */
static inline bool rn_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == 0 || c == 0x1a;
}

/* Reads the next word of this line; its length is 0 at the end of the line. */
static inline rn_token rn_lines_word(rn_lines *in) {
    while (in->at < in->end && rn_is_space(*in->at)) in->at++;
    rn_token word = {in->at, 0};
    while (in->at < in->end && !rn_is_space(*in->at)) in->at++;
    word.length = (size_t)(in->at - word.text);
    return word;
}

/* Reads the next word of the text, on this line or a later one; its length is 0 at the end of the text. `comment`: a
   byte that makes the rest of its line a comment; 0: none. */
static inline rn_token rn_lines_word_across(rn_lines *in, char comment) {
    for (;;) {
        rn_token word = rn_lines_word(in);
        const char *mark = comment && word.length > 0 ? memchr(word.text, comment, word.length) : NULL;
        if (mark) {
            in->at = in->end;
            word.length = (size_t)(mark - word.text);
        }
        if (word.length > 0 || !rn_lines_next(in)) return word;
    }
}

/* Returns how many bytes of a word a message quotes: all, at most 40. */
static inline int rn_token_shown(rn_token word) { return word.length < 40 ? (int)word.length : 40; }

/* Whether a word equals `name`, which must be in lower case; upper case in the word counts the same. */
static inline bool rn_token_is(rn_token word, const char *name) {
    for (size_t i = 0; i < word.length; i++) {
        const char c = word.text[i] >= 'A' && word.text[i] <= 'Z' ? (char)(word.text[i] + 32) : word.text[i];
        if (c != name[i]) return false; /* also where the name has ended */
    }
    return name[word.length] == 0;
}

/* Reads a word as a decimal number (rn_number_parse), which may be NaN or infinite. Returns false, with *number
   unchanged, if it is not a number. */
static inline bool rn_token_number(rn_token word, double *number) {
    return rn_number_parse(word.text, word.length, number);
}

/* Reads a word as a whole number from `least` to `most`. Returns false if it is not one; *number may then have
   changed. */
static inline bool rn_token_whole(rn_token word, double least, double most, long long *number) {
    double value;
    if (!rn_token_number(word, &value) || !(value >= least && value <= most)) return false;
    *number = (long long)value;
    return (double)*number == value;
}

#endif
