/* Writes actions as text and reads them. Interface: view/action.h.

   A line is the name of an action, its numbers and perhaps a text, separated by spaces. The table `kinds` says how many
   numbers each kind has; the reader and the writer follow it. */
#include "view/action.h"

#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What ACTIONS says of each kind. */
static const struct {
    const char *name, *help;
    int numbers;
    bool text;
} kinds[] = {
#define ACTION_ENTRY(kind, name, numbers, text, help) [kind] = {name, help, numbers, text},
    ACTIONS(ACTION_ENTRY)
#undef ACTION_ENTRY
};

void action_print(FILE *file, const action *a) {
    fputs(kinds[a->kind].name, file);
    for (int i = 0; i < kinds[a->kind].numbers; i++) fprintf(file, " %.17g", a->numbers[i]);
    if (kinds[a->kind].text) fprintf(file, " %s", a->text);
}

/* Writes to `error` (of `size` bytes) that there is no action of this name, with the nearest name if one is similar.
   Returns false. */
static bool fail_unknown_action(const char *name, char *error, size_t size) {
    const char *nearest = NULL;
    for (int i = 0; i < ACTION_KINDS; i++) rn_word_nearer(name, kinds[i].name, &nearest);
    snprintf(error, size,
             nearest ? "there is no action \"%.40s\"; did you mean \"%s\"?" : "there is no action \"%.40s\"", name,
             nearest);
    return false;
}

bool action_read(const char *text, action *a, char *error, size_t size) {
    char name[32] = "";
    int used = 0;
    if (sscanf(text, " %31s%n", name, &used) != 1) return fail_unknown_action("", error, size);
    int kind = 0;
    while (kind < ACTION_KINDS && strcmp(kinds[kind].name, name) != 0) kind++;
    if (kind == ACTION_KINDS) return fail_unknown_action(name, error, size);
    *a = (action){.kind = (action_kind)kind};
    const char *at = text + used;
    bool fine = true;
    for (int i = 0; i < kinds[kind].numbers && fine; i++) {
        char *end;
        a->numbers[i] = strtod(at, &end);
        fine = end != at && isfinite(a->numbers[i]);
        at = end;
    }
    while (*at == ' ') at++;
    const size_t length = strlen(at);
    fine = fine && (kinds[kind].text ? length > 0 && length < ACTION_TEXT : length == 0);
    if (fine) memcpy(a->text, at, length + 1);
    else snprintf(error, size, "\"%.60s\" is not understood; write \"%s %s\"", text, name, kinds[kind].help);
    return fine;
}
