/* Reads command-line options from a table of `option`. options_read() matches every argument against the table, stores
   its value and refuses anything unknown or out of range with an error message; complain() prints such messages. */
#include "common/options.h"

#include "base/words.h"
#include "common/commands.h"

#include <errno.h>
#include <math.h>
#include <runnel/io.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char *complaint; /* NULL: stderr */
static _Thread_local size_t complaint_size;

void complain_into(char *text, size_t size) {
    complaint = text;
    complaint_size = size;
}

int complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (complaint) vsnprintf(complaint, complaint_size, format, arguments);
    else vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (!complaint) fputc('\n', stderr);
    return EXIT_BAD_INPUT;
}

/* Reads a finite decimal number; `whole`: digits and signs only. Returns false, and prints nothing, if the text is
   anything else; `number` may have changed then. */
static bool read_number(const char *text, bool whole, double *number) {
    /* strtod takes more than people mean: "nan", "inf", "0x10", leading spaces. */
    if (!*text || strspn(text, whole ? "+-0123456789" : "+-0123456789.eE") != strlen(text)) return false;
    char *end;
    *number = strtod(text, &end);
    return *end == 0 && isfinite(*number);
}

/* Returns true if `value` names a backend; otherwise prints an error. `command`, `name`: the command and the option,
   for the message. */
static bool check_backend(const char *command, const char *name, const char *value) {
    static const char *const backends[] = {"cpu", "cuda", "auto"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, backends[i]) == 0) return true;
    complain("runnel %s: %s is \"%.60s\"; it must be cpu, cuda or auto", command, name, value);
    return false;
}

/* Converts `value` (ignored for a flag) and stores it where the option points; a list grows by one. Returns false after
   printing an error if a number is none or out of range, or if a backend is unknown; other texts are not checked.
   `command`: for the message. */
static bool store_value(const char *command, const option *to, const char *value) {
    double number;
    switch (to->kind) {
    case OPTION_FLAG: *(bool *)to->to = true; return true;
    case OPTION_BARE:
    case OPTION_FILE:
    case OPTION_TEXT:
    case OPTION_SIZE:
    case OPTION_FOLDER: *(const char **)to->to = value; return true;
    case OPTION_BACKEND: *(const char **)to->to = value; return check_backend(command, to->name, value);
    case OPTION_NAMES:
    case OPTION_EXPORTS:
    case OPTION_TEXTS: {
        option_texts *list = to->to;
        list->texts[list->count++] = value;
        return true;
    }
    case OPTION_COUNT:
    case OPTION_NUMBER:
        if (!read_number(value, to->kind == OPTION_COUNT, &number) || number < to->low || number > to->high) {
            complain("runnel %s: %s is \"%.60s\"; it must be a %snumber from %.10g to %.10g", command, to->name, value,
                     to->kind == OPTION_COUNT ? "whole " : "", to->low, to->high);
            return false;
        }
        if (to->kind == OPTION_COUNT) *(int *)to->to = (int)number;
        else *(double *)to->to = number;
        return true;
    }
    return false;
}

/* Returns the option, other than OPTION_BARE, whose name equals the first `length` characters of the argument, or
   NULL. */
static const option *find_option(const option *options, int count, const char *argument, size_t length) {
    for (int i = 0; i < count; i++)
        if (options[i].kind != OPTION_BARE && strlen(options[i].name) == length &&
            strncmp(options[i].name, argument, length) == 0)
            return &options[i];
    return NULL;
}

/* Prints an error that suggests the most similar option, if one is similar. Always returns OPTIONS_BAD. */
static options_result complain_unknown(const char *command, const char *argument, const option *options, int count) {
    const char *nearest = NULL;
    for (int i = 0; i < count; i++)
        if (options[i].kind != OPTION_BARE) rn_word_nearer(argument, options[i].name, &nearest);
    if (nearest) complain("runnel %s: there is no option %.60s; did you mean %s?", command, argument, nearest);
    else complain("runnel %s: there is no option %.60s; \"runnel %s --help\" lists them", command, argument, command);
    return OPTIONS_BAD;
}

/* Stores an argument without dashes in the first OPTION_BARE. Returns OPTIONS_READ, or OPTIONS_BAD after printing an
   error if there is no such option or it has a value already. */
static options_result read_bare(const char *command, const char *argument, const option *options, int count) {
    for (int i = 0; i < count; i++) {
        if (options[i].kind != OPTION_BARE) continue;
        if (*(const char **)options[i].to) {
            complain("runnel %s: \"%.60s\" is one argument too many", command, argument);
            return OPTIONS_BAD;
        }
        store_value(command, &options[i], argument);
        return OPTIONS_READ;
    }
    complain("runnel %s: unexpected argument \"%.60s\"", command, argument);
    return OPTIONS_BAD;
}

/* Returns the words for an option that takes kinds of files to export, with a list of all kinds, cut off if too long.
   The text is valid until the next call in the same thread. */
static const char *list_exports(void) {
    static _Thread_local char text[256];
    const rn_export_kind *kind;
    size_t length = (size_t)snprintf(text, sizeof text, "kinds of files, separated by commas:");
    for (int i = 0; (kind = rn_export_kind_at(i)) && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s", i ? "," : "", kind->name);
    return text;
}

/* Returns the words for the value that an option of this kind takes, for an error message: "a folder". */
static const char *what_it_needs(option_kind kind) {
    switch (kind) {
    case OPTION_EXPORTS: return list_exports();
    case OPTION_FOLDER: return "a folder";
    case OPTION_FILE: return "a file";
    case OPTION_TEXT:
    case OPTION_NAMES: return "a name";
    case OPTION_SIZE: return "WIDTHxHEIGHT";
    case OPTION_BACKEND: return "cpu, cuda or auto";
    case OPTION_COUNT: return "a whole number";
    case OPTION_NUMBER: return "a number";
    case OPTION_TEXTS: return "KEY=VALUE";
    case OPTION_FLAG:
    case OPTION_BARE: break;
    }
    return "a value";
}

options_result options_read(const char *command, int argc, char **argv, const option *options, int count) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return OPTIONS_HELP;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (argument[0] != '-' || argument[1] == 0) {
            if (read_bare(command, argument, options, count) != OPTIONS_READ) return OPTIONS_BAD;
            continue;
        }
        size_t length = strcspn(argument, "=");
        const option *found = find_option(options, count, argument, length);
        if (!found) return complain_unknown(command, argument, options, count);
        const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
        if (found->kind == OPTION_FLAG) {
            if (value) {
                complain("runnel %s: %s takes no value", command, found->name);
                return OPTIONS_BAD;
            }
        } else if (!value) {
            if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) { /* another option is not a value */
                complain("runnel %s: %s needs %s", command, found->name, what_it_needs(found->kind));
                return OPTIONS_BAD;
            }
            value = argv[++i];
        }
        if (!store_value(command, found, value)) return OPTIONS_BAD;
    }
    return OPTIONS_READ;
}
