/* A growing text buffer (text.h). */
#include "io/file/text.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes room for `more` bytes after the text. Returns false, without an error text, if memory runs out, now or before
   (text->failed). */
static bool make_room(rn_text *text, size_t more) {
    if (text->failed) return false;
    if (text->length + more <= text->capacity) return true;
    size_t capacity = 2 * text->capacity + more;
    char *longer = realloc(text->bytes, capacity);
    text->failed = !longer;
    if (!longer) return false;
    text->bytes = longer;
    text->capacity = capacity;
    return true;
}

void rn_text_add(rn_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length + 1)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void rn_text_quote(rn_text *text, const char *string) {
    rn_text_add(text, "\"");
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\') rn_text_add(text, "\\%c", *c);
        else if ((unsigned char)*c < 0x20) rn_text_add(text, "\\u%04x", (unsigned)*c);
        else rn_text_add(text, "%c", *c);
    }
    rn_text_add(text, "\"");
}

rn_result rn_text_finish(rn_text *text, char **bytes) {
    if (text->failed) {
        free(text->bytes);
        *text = (rn_text){0};
        *bytes = NULL;
        return rn_fail(RN_MEMORY, "there is not enough memory");
    }
    *bytes = text->bytes;
    return RN_OK;
}
