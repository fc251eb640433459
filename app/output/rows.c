/* CSV tables that contain only whole rows at any time (rows.h): rows_print() collects a row in memory, and rows_end()
   writes it at once. */
#include "output/rows.h"

#include "common/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of bytes of the header and of all whole rows before the first row whose first number is above
   `kept`, or 0 if there is no whole line. */
static int64_t find_end(FILE *file, int kept) {
    int64_t end = 0, at = 0;
    bool header = true;
    char start[32];
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF;) {
        at++;
        if (c != '\n') {
            if (length + 1 < sizeof start) start[length++] = (char)c;
            continue;
        }
        start[length] = 0;
        if (!header && strtol(start, NULL, 10) > kept) break;
        header = false;
        length = 0;
        end = at;
    }
    return end;
}

bool rows_open(rows *r, const char *path, int kept) {
    *r = (rows){.file = NULL};
    FILE *earlier = kept > 0 ? fopen(path, "rb") : NULL;
    bool fine = snprintf(r->path, sizeof r->path, "%s", path) < (int)sizeof r->path;
    if (earlier) {
        r->bytes = find_end(earlier, kept);
        r->resumed = r->bytes > 0;
        fclose(earlier);
        fine = fine && rn_truncate(path, r->bytes);
    }
    if (fine) r->file = fopen(path, earlier ? "ab" : "wb");
    if (r->file) setvbuf(r->file, NULL, _IONBF, 0); /* each row is a single write */
    else complain("%s: cannot be written: %s", path, strerror(errno));
    return r->file != NULL;
}

void rows_close(rows *r) {
    if (r->file) fclose(r->file);
    free(r->text);
    *r = (rows){.file = NULL};
}

void rows_print(rows *r, const char *format, ...) {
    for (int attempt = 0; attempt < 2; attempt++) {
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(r->text ? r->text + r->used : NULL, r->room - r->used, format, arguments);
        va_end(arguments);
        if (length >= 0 && r->used + (size_t)length < r->room) {
            r->used += (size_t)length;
            return;
        }
        size_t room = 2 * (r->used + (size_t)(length < 0 ? 0 : length)) + 256;
        char *text = attempt == 0 ? realloc(r->text, room) : NULL;
        if (!text) break;
        r->text = text;
        r->room = room;
    }
    r->failed = true;
}

bool rows_end(rows *r) {
    rows_print(r, "\n");
    errno = r->failed ? ENOMEM : 0;
    if (!r->failed && fputs(r->text, r->file) >= 0 && fflush(r->file) == 0) {
        r->bytes += (int64_t)r->used;
        r->used = 0;
        return true;
    }
    complain("%s: cannot be written: %s", r->path, strerror(errno));
    fclose(r->file);
    r->file = NULL;
    rn_truncate(r->path, r->bytes);
    return false;
}
