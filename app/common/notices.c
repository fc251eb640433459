/* Prints the warnings that arise while a scene is opened, each only once. Pass notices_hooks() to rn_scene_open(), then
   call notices_close(): warnings after that are not printed. */
#include "common/notices.h"

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints a warning on stderr, as the log callback of the notices `user`, unless the same text was printed before, the
   notices are closed, or the warning lacks the text that notices_keep() set. If memory is lacking, a warning may be
   printed twice. */
static void print_once(void *user, rn_log_level level, const char *text) {
    notices *n = user;
    if (n->closed || level != RN_LOG_WARNING || (n->only && !strstr(text, n->only))) return;
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->told[i], text) == 0) return;
    fprintf(stderr, "%s\n", text);
    char *copy = rn_text_copy(text, strlen(text)), **told = realloc(n->told, (n->count + 1) * sizeof *told);
    if (told) n->told = told;
    if (told && copy) n->told[n->count++] = copy;
    else free(copy);
}

rn_hooks notices_hooks(notices *n) { return (rn_hooks){.user = n, .log = print_once}; }

void notices_keep(notices *n, const char *text) { n->only = text; }

void notices_close(notices *n) {
    for (size_t i = 0; i < n->count; i++) free(n->told[i]);
    free(n->told);
    *n = (notices){.closed = true};
}
