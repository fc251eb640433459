/* Objects of several types, told by their "type", each with a table of its own. */
#ifndef RN_IO_FAMILY_H
#define RN_IO_FAMILY_H

#include "io/scene/table.h"

typedef struct rn_family {
    const char *name;                   /* "shape": of its definition in the schema */
    const char *about;                  /* what they are, in a few words */
    const char *prefix;                 /* of the definitions of its types there */
    const char *examples;               /* two of its types, for a sentence */
    const rn_table *(*table)(int type); /* its name is that of the type; NULL past the last */
} rn_family;

/* The number of an object's type; -1, with an error text: it has none, or one that is not known. */
int rn_family_find(const rn_family *family, const json_t *object, const rn_json_path *place);

#endif
