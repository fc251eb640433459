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
/* Frees all texts and empties the list. */
void texts_free(texts *t);

#ifdef __cplusplus
}
#endif

#endif
