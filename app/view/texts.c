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

void texts_free(texts *t) {
    for (int i = 0; i < t->count; i++) free(t->list[i]);
    free(t->list);
    *t = (texts){0};
}
