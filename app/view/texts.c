/* A list of copied texts. Interface: view/texts.h. */
#include "view/texts.h"

#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

bool texts_add(texts *t, const char *text) {
    char **longer = realloc(t->list, (size_t)(t->count + 1) * sizeof *longer);
    if (!longer) return false;
    t->list = longer;
    t->list[t->count] = rn_text_copy(text, strlen(text));
    return t->list[t->count] && ++t->count;
}

bool texts_set(texts *t, const char *change) {
    const size_t key = strcspn(change, "=") + 1;
    const bool liquid = strncmp(change, "liquid=", 7) == 0;
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        const bool replaced =
            strncmp(t->list[i], change, key) == 0 || (liquid && strncmp(t->list[i], "liquid.", 7) == 0);
        if (replaced) free(t->list[i]);
        else t->list[kept++] = t->list[i];
    }
    t->count = kept;
    return texts_add(t, change);
}

void texts_free(texts *t) {
    for (int i = 0; i < t->count; i++) free(t->list[i]);
    free(t->list);
    *t = (texts){0};
}
