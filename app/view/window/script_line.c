/* Splits a script's line into words, reads numbers among them, and ends scripts. Interface:
   view/window/script_line.h. */
#include "view/window/script_line.h"

#include "common/commands.h"
#include "common/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool script_stop(script *s, int status, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    complain("%s:%d: %s", s->path, s->line, text);
    s->status = status;
    s->over = true;
    return false;
}

double script_number(script *s, int index) {
    char *end = NULL;
    const char *word = index < s->count ? s->words[index] : "";
    const double value = strtod(word, &end);
    if (*word && *end == 0 && isfinite(value)) return value;
    script_stop(s, EXIT_BAD_INPUT, "\"%.60s\" is not a number; \"%s\" needs one here", word, s->words[0]);
    return NAN;
}

double script_number_in(script *s, int index, double low, double high) {
    const double value = script_number(s, index);
    if (!s->over && !(value >= low && value <= high))
        script_stop(s, EXIT_BAD_INPUT, "%s is %.9g; it must be from %.9g to %.9g", s->words[index - 1], value, low,
                    high);
    return s->over ? low : value;
}

bool script_split(script *s, char *line) {
    line[strcspn(line, "#\r\n")] = 0;
    s->count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (s->count == SCRIPT_WORDS)
            return script_stop(s, EXIT_BAD_INPUT, "the line has more than %d words", SCRIPT_WORDS);
        s->words[s->count++] = word;
    }
    s->words[s->count] = NULL;
    return true;
}
