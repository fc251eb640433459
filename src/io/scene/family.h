/* Objects of several types, distinguished by their "type", each with its own table. */
#ifndef RN_IO_FAMILY_H
#define RN_IO_FAMILY_H

#include "io/scene/table.h"

typedef struct rn_family {
    const char *name;                   /* "shape": its definition in the schema */
    const char *about;                  /* what they are, in a few words */
    const char *prefix;                 /* of the definitions of its types there */
    const char *examples;               /* two of its types, for messages */
    const rn_table *(*table)(int type); /* its name is that of the type; NULL past the last */
} rn_family;

/* Returns the number of an object's type, as for family->table, by its "type", or -1, with an error text that names the
   place, if that is missing, not text or unknown. Other keys are not checked. */
int rn_family_find(const rn_family *family, const json_t *object, const rn_json_path *place);

#endif
