/* A list of texts of any number and length. {0} is the empty list. */
#ifndef VIEW_TEXTS_H
#define VIEW_TEXTS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct texts {
    char **list;
    int count;
} texts;

/* Appends a copy of a text. Returns false, without a message, if memory runs out. */
bool texts_add(texts *t, const char *text);
/* Appends a copy of a change "KEY=VALUE" in place of an earlier one of the same key; a new liquid, "liquid=NAME", also
   replaces changes of its properties. Returns false, without a message, if memory runs out. */
bool texts_set(texts *t, const char *change);
/* Frees all texts and empties the list. */
void texts_free(texts *t);

#ifdef __cplusplus
}
#endif

#endif
