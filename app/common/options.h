/* Command-line options. A command fills a table of `option` with pointers to its settings and calls options_read()
   once. Anything unknown, missing or out of range is refused with an error message on stderr. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/platform.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum option_kind {
    OPTION_FLAG,    /* bool: --json */
    OPTION_FOLDER,  /* const char *: --out DIR */
    OPTION_FILE,    /* const char *: --resume FILE */
    OPTION_TEXT,    /* const char *: --only NAME */
    OPTION_SIZE,    /* const char *: --size 1280x720 */
    OPTION_BACKEND, /* const char *: --backend cpu, cuda or auto */
    OPTION_COUNT,   /* int: --frames 100 */
    OPTION_NUMBER,  /* double: --seconds 2.5 */
    OPTION_TEXTS,   /* option_texts of KEY=VALUE: --set a=1 --set b=2 */
    OPTION_NAMES,   /* option_texts of names: --only a --only b */
    OPTION_EXPORTS, /* option_texts of kinds of files: --export ply,vtp */
    OPTION_BARE,    /* const char *: the argument without dashes; at most one */
} option_kind;

typedef struct option {
    const char *name; /* "--frames" */
    option_kind kind;
    void *to;         /* where the value is stored; its type follows from `kind` */
    double low, high; /* limits of counts and numbers */
} option;

typedef struct option_texts {
    const char **texts; /* has room for all arguments */
    int count;
} option_texts;

typedef enum options_result { OPTIONS_READ, OPTIONS_HELP, OPTIONS_BAD } options_result;

/* Reads argv, the arguments after the name of `command`, into the settings of the `count` options; values may follow
   after a space or "=", a value that starts with "--" only after "=". Settings not given stay unchanged; if an option
   that is not a list is given twice, the last value counts. Texts point into argv. OPTIONS_HELP: --help or -h is among
   the arguments; nothing has been stored. OPTIONS_BAD: an error has been printed, and some settings may be stored. */
options_result options_read(const char *command, int argc, char **argv, const option *options, int count);

/* Prints a message and a line break on stderr, or stores it where complain_into() says. Returns the exit status for bad
   input. */
RN_PRINTF(1, 2) int complain(const char *format, ...);

/* From now on complain() of this thread writes into `text`, of `size` bytes, without a line break, each message in
   place of the one before; NULL: to stderr again. The text must stay valid until then. */
void complain_into(char *text, size_t size);

#endif
