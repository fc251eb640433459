/* How the parts of a world save, check, restore and hash what they hold.

   Each part walks over its values once, in one order, and the pass decides what happens to them: measured, written to
   bytes, checked against bounds, read back, or hashed. Numbers are little-endian, as on every machine that runnel runs
   on. The bytes speak of cells and layers, never of slots, so that the layout in memory may change.

   What cannot be read is refused while checking: reading itself fails only for want of memory. A solver begins its
   section with something that no other has, or with the columns; one that does not call rn_columns_archive sets
   `layers` in every pass, and `present` while checking.

   A hash covers less than what is saved, and in an order that may never change: where a->pass is RN_HASH a part adds to
   a->hash and does nothing else. */
#ifndef RN_SOLVER_ARCHIVE_H
#define RN_SOLVER_ARCHIVE_H

#include "solver/columns.h"

typedef enum rn_pass { RN_MEASURE, RN_WRITE, RN_CHECK, RN_READ, RN_HASH } rn_pass;

/* A solver is asked for each of these at its own place. */
typedef enum rn_archive_section { RN_ARCHIVE_LIQUID, RN_ARCHIVE_TIMING } rn_archive_section;

/* Versions of the format. */
enum {
    RN_ARCHIVE_OLDEST = 1,
    RN_ARCHIVE_HEADS = 2,    /* from here on flooded columns have heads, */
    RN_ARCHIVE_BODIES = 3,   /* and from here on there are bodies: worlds without any are still saved as version 2 */
    RN_ARCHIVE_MOMENTUM = 4, /* from here on faces have speeds: only worlds that carry momentum are saved as this */
    RN_ARCHIVE_NEWEST = RN_ARCHIVE_MOMENTUM,
};

typedef struct rn_archive {
    rn_pass pass;
    uint8_t *bytes;
    size_t size, at;
    uint32_t version;
    uint64_t hash;
    struct rn_reshaping *batch; /* room to make columns again while reading */
    int layers;                 /* of the state */
    bool slowed;                /* the world's: solvers save it with RN_ARCHIVE_TIMING */
    bool trusted;               /* values need no check */
    bool broken;                /* cut short, or says what cannot be */
    int64_t present;            /* quanta in all columns, found while checking, */
    int64_t body_offset;        /* and those of them that bodies have added */
} rn_archive;

/* Bytes from now on are read, from files or from memory, rather than made. */
static inline bool rn_archive_is_reading(const rn_archive *a) { return a->pass == RN_CHECK || a->pass == RN_READ; }

static inline bool rn_is_whole(double value, double quantum) { return value / quantum == rint(value / quantum); }

/* A block of memory. While checking it is passed over. */
void rn_archive_data(rn_archive *a, void *data, size_t size);
/* A value that decides what follows: read also while checking. Hand over a copy. */
void rn_archive_value(rn_archive *a, void *value, size_t size);
#define RN_ARCHIVE_DATA(a, value)  rn_archive_data(a, &(value), sizeof(value))
#define RN_ARCHIVE_VALUE(a, value) rn_archive_value(a, &(value), sizeof(value))

/* Numbers that must lie within bounds, whoever wrote them. */
void rn_archive_within(rn_archive *a, double *value, double low, double high);
void rn_archive_double(rn_archive *a, double *value); /* within 1e30 */
void rn_archive_size(rn_archive *a, float *value);    /* from 0 to 1e30 */
void rn_archive_point(rn_archive *a, rn_vec3 *value);

/* A value that must be the same in the world that is saved and in the one that is read into. */
void rn_archive_same(rn_archive *a, int64_t is);
void rn_archive_same_double(rn_archive *a, double is);

/* A block of memory that reading only passes over: returns where it begins. */
size_t rn_archive_stretch(rn_archive *a, void *data, size_t size);
/* The value at an index of an array of floats that begins at `array`. */
float rn_archive_float_at(const rn_archive *a, size_t array, size_t index);
/* The same of an array of ints. */
int32_t rn_archive_int_at(const rn_archive *a, size_t array, size_t index);
/* Checks that `count` floats lie within `most` of 0, or are NAN where `nan` allows it; else the archive is broken. */
void rn_archive_check_floats(rn_archive *a, size_t array, size_t count, float most, bool nan);

/* The rows of an array over slots, without the rim. */
void rn_archive_rows(rn_archive *a, const rn_grid *g, float *values);
/* The same for values that must lie within bounds. */
void rn_archive_bounded_rows(rn_archive *a, const rn_grid *g, float *values, float least, float most);
/* A column as cell and layer. */
void rn_archive_slot(rn_archive *a, const rn_grid *g, int32_t *slot);

/* ---- Columns (solver/columns_archive.c) ---------------------------------------------------------------------- */

/* The arrays of columns. While reading, `shape` is called once it is known which columns there are to be: it gives the
   world a->layers layers and the columns of a->batch, if that has any. */
typedef rn_result (*rn_archive_shape)(void *self, rn_archive *a, bool partial);
rn_result rn_columns_archive(rn_columns *c, rn_archive *a, rn_archive_shape shape, void *self);
/* Friction of columns, which comes after what solvers add. */
void rn_columns_archive_friction(rn_columns *c, rn_archive *a);
/* Hashes one row of a layer and returns its name, or 0 if it has no columns and is left out. */
uint64_t rn_columns_hash_row(const rn_columns *c, rn_archive *a, int layer, int y);
/* What bodies take of the columns of that row. */
void rn_columns_hash_parts(const rn_columns *c, rn_archive *a, int layer, int y, uint64_t name);

#endif
