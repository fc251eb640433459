/* Objects of a scene file, described by tables: one row per key, with its kind, range, unit, default and meaning.
   The reader below, the schema and the documentation all use these rows. */
#ifndef RN_IO_TABLE_H
#define RN_IO_TABLE_H

#include "io/scene/document.h"

#include <math.h>

typedef enum rn_key_kind {
    RN_KEY_NUMBER, /* double */
    RN_KEY_COUNT,  /* int */
    RN_KEY_FLAG,   /* bool */
    RN_KEY_TEXT,   /* const char *, valid as long as the document */
    RN_KEY_CHOICE, /* int, an index into `choices` */
    RN_KEY_OBJECT, /* a struct that `table` describes */
    /* The others are kept as const json_t *, NULL if absent, for code that knows more. */
    RN_KEY_LIST,    /* of objects that `table` describes */
    RN_KEY_SHAPE,   /* an object of rn_shape_family */
    RN_KEY_SHAPES,  /* a list of them */
    RN_KEY_FORM,    /* a shape of a body, one of rn_form_family */
    RN_KEY_FORMS,   /* a list of them */
    RN_KEY_NAMED,   /* an object of names and numbers in range */
    RN_KEY_ROWS,    /* a list of lists of numbers in range */
    RN_KEY_SAMPLES, /* a list of numbers in range, or of lists of them */
    RN_KEY_MAP,     /* rows, or the name of a picture */
    RN_KEY_SERIES,  /* a list of [time, values …], times ascending, `length` values each; with one value (0) also a
                       number */
} rn_key_kind;

typedef struct rn_bounds {
    double low, high;
    bool above; /* `low` itself is not allowed */
} rn_bounds;

#define RN_WITHIN(least, most) .range.low = (least), .range.high = (most)
/* With the pair of bounds of a name in world/limits.h. */
#define RN_LIMITS(...)           RN_WITHIN(__VA_ARGS__)
#define RN_ABOVE_LIMITS(...)     RN_ABOVE_TO(__VA_ARGS__)
#define RN_ANY                   RN_WITHIN(-1e9, 1e9)
#define RN_FROM(least)           RN_WITHIN(least, 1e9)
#define RN_ABOVE_TO(limit, most) RN_WITHIN(limit, most), .range.above = true
#define RN_ABOVE(limit)          RN_ABOVE_TO(limit, 1e9)

typedef struct rn_table rn_table;

typedef struct rn_key {
    const char *name;
    rn_key_kind kind;
    size_t offset;   /* in the struct that the table fills */
    rn_bounds range; /* of numbers and counts, and of each element of a vector */
    int length;      /* numbers and counts: 0 for one, otherwise a list of this length; rows: 0 for any length */
    int least;       /* lists: fewest elements */
    bool required;
    const char *needs;     /* another key that must then be given too, or NULL */
    const char *otherwise; /* the default as JSON (text and choices unquoted); NULL: nothing is stored */
    const char *unit;      /* NULL: none */
    const char *meaning;
    const char *const *choices;       /* ends with NULL */
    const char *(*names)(int number); /* texts: the valid ones, NULL past the last; whoever uses the text checks it */
    const rn_table *table;
    const char *word; /* objects: plain text stands for an object with this key set to it, or with every key if "*" */
} rn_key;

struct rn_table {
    const char *name, *meaning;
    const rn_key *keys;
    int count;
    const rn_table *shared;    /* keys that several tables have in common, or NULL; filled into the same struct */
    const char *const *one_of; /* keys of which exactly one must be given; ends with NULL; NULL: no such rule */
    const char *example;       /* in JSON, or NULL */
};

#define RN_TABLE(title, text, rows, more)                                                                              \
    .name = (title), .meaning = (text), .keys = (rows), .count = (int)(sizeof(rows) / sizeof(rows)[0]), .shared = (more)

/* The times of a series, as a key. */
extern const rn_key rn_time_key;

/* Checks every key of `object`, fills `values` (a struct with the offsets of the table) with given values and defaults,
   and replaces expressions in lists and series by their values. Unknown and missing keys fail. On failure returns
   RN_INVALID, RN_LIMIT or RN_MEMORY, with a message that names the place; then `values` is partly filled. Texts and
   lists point into the document. */
rn_result rn_table_read(const rn_table *table, const json_t *object, const rn_json_path *place, void *values);

/* Writes "0 or more", "from 0 to 1" or "more than 0 and at most 1" to `text`: the bounds asked for by `low` and `high`,
   "" if none. */
void rn_bounds_describe(const rn_bounds *range, bool low, bool high, char *text, size_t size);

/* Returns text number `index`, from 0, of those to which a key is restricted, or NULL past the last, or if any text is
   valid. */
const char *rn_key_choice(const rn_key *key, int index);

/* Writes the default of a key as JSON to `text`. Returns false, without writing, if there is none. */
bool rn_key_default(const rn_key *key, char *text, size_t size);

/* For an object that plain text may stand for: returns the key that gets this text, the first if all do. Returns NULL
   for other keys. */
const rn_key *rn_key_word(const rn_key *key);

/* Replaces text in `object` by the object that it stands for, so that a change can reach inside: "blood" by {"name":
   "blood"}. Other values, also wrong ones, stay. Objects within the values are not searched. Returns RN_MEMORY, with an
   error text, if memory runs out. */
rn_result rn_table_spell_out(const rn_table *table, json_t *object);

#endif
