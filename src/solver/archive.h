/* How the parts of a world save, check, restore and hash their state.

   Each part walks over its values once, in one order, and the pass decides what happens to them: measured, written
   to bytes, checked against bounds, read back, or hashed. Numbers are little-endian, as on every machine that runnel
   runs on. The bytes refer to cells and layers, never to slots, so that the layout in memory may change.

   Invalid bytes are refused while checking: reading itself fails only if memory runs out. A solver begins its section
   with something that no other solver has, or with the columns; a solver that does not call rn_columns_archive sets
   `layers` in every pass, and `present` while checking.

   A hash covers less than a state, in an order that may never change: if a->pass is RN_HASH, a part adds to a->hash
   and does nothing else. */
#ifndef RN_SOLVER_ARCHIVE_H
#define RN_SOLVER_ARCHIVE_H

#include "solver/columns.h"

typedef enum rn_pass { RN_MEASURE, RN_WRITE, RN_CHECK, RN_READ, RN_HASH } rn_pass;

/* The sections of a solver; each is archived at its own place. */
typedef enum rn_archive_section { RN_ARCHIVE_LIQUID, RN_ARCHIVE_TIMING } rn_archive_section;

/* Versions of the format. */
enum {
    RN_ARCHIVE_OLDEST = 1,
    RN_ARCHIVE_HEADS = 2,    /* from here on flooded columns have heads */
    RN_ARCHIVE_BODIES = 3,   /* from here on there are bodies; worlds without bodies are still saved as version 2 */
    RN_ARCHIVE_MOMENTUM = 4, /* from here on faces have speeds; only worlds that carry momentum have this version */
    RN_ARCHIVE_NEWEST = RN_ARCHIVE_MOMENTUM,
};

typedef struct rn_archive {
    rn_pass pass;
    uint8_t *bytes;
    size_t size, at;
    uint32_t version;
    uint64_t hash;
    struct rn_reshaping *batch; /* memory to remake columns while reading */
    int layers;                 /* of the state */
    bool slowed;                /* of the world: solvers save it with RN_ARCHIVE_TIMING */
    bool trusted;               /* values need no check */
    bool broken;                /* truncated or invalid */
    int64_t present;            /* quanta in all columns, found while checking */
    int64_t body_offset;        /* the part of those that bodies have added */
} rn_archive;

/* Whether bytes are read, from a file or from memory. */
static inline bool rn_archive_is_reading(const rn_archive *a) { return a->pass == RN_CHECK || a->pass == RN_READ; }

/* Whether a value (m) is a whole number of quanta (m). */
static inline bool rn_is_whole(double value, double quantum) { return value / quantum == rint(value / quantum); }

/* Archives a block of memory: counts its size, writes or reads it, by the pass. Checking only skips it. Sets a->broken
   if too few bytes are left. */
void rn_archive_data(rn_archive *a, void *data, size_t size);
/* Archives a value that decides what follows: RN_CHECK reads it, too, and overwrites *value, so pass a copy. Sets
   a->broken if too few bytes are left. */
void rn_archive_value(rn_archive *a, void *value, size_t size);
#define RN_ARCHIVE_DATA(a, value)  rn_archive_data(a, &(value), sizeof(value))
#define RN_ARCHIVE_VALUE(a, value) rn_archive_value(a, &(value), sizeof(value))

/* Archives a number that must lie within low..high, NAN excluded: otherwise sets a->broken, also for trusted bytes and
   while writing. Only RN_READ changes *value. */
void rn_archive_within(rn_archive *a, double *value, double low, double high);
void rn_archive_double(rn_archive *a, double *value); /* the same within -1e30..1e30 */
void rn_archive_size(rn_archive *a, float *value);    /* the same within 0..1e30 */
/* Archives three coordinates, each of which must lie within +-1e30; otherwise sets a->broken. */
void rn_archive_point(rn_archive *a, rn_vec3 *value);

/* Archives an integer that must be equal in the saved world and in the one that is read into; otherwise sets
   a->broken. */
void rn_archive_same(rn_archive *a, int64_t is);
/* Archives a double that must be equal in the saved world and in the one that is read into; otherwise sets
   a->broken. */
void rn_archive_same_double(rn_archive *a, double is);

/* Archives a block of memory that RN_CHECK and RN_READ only skip; returns its offset in the bytes, for
   rn_archive_float_at. Sets a->broken if too few bytes are left. */
size_t rn_archive_stretch(rn_archive *a, void *data, size_t size);
/* The value at an index of an array of floats that begins at byte `array`. The caller ensures that the bytes reach so
   far. */
float rn_archive_float_at(const rn_archive *a, size_t array, size_t index);
/* The value at an index of an array of ints that begins at byte `array`. The caller ensures that the bytes reach so
   far. */
int32_t rn_archive_int_at(const rn_archive *a, size_t array, size_t index);
/* Checks that `count` saved floats from byte `array` on lie within +-most, or are NAN if `nan` allows it; otherwise
   sets a->broken. The caller ensures that the bytes reach so far. */
void rn_archive_check_floats(rn_archive *a, size_t array, size_t count, float most, bool nan);

/* Archives the rows of an array over slots, without the rim, in a->layers layers. Checking skips them. Sets a->broken
   if too few bytes are left. */
void rn_archive_rows(rn_archive *a, const rn_grid *g, float *values);
/* Archives the rows of an array over slots, without the rim, in a->layers layers, whose values must lie from least to
   most, NAN excluded: otherwise RN_CHECK sets a->broken, unless the archive is trusted. */
void rn_archive_bounded_rows(rn_archive *a, const rn_grid *g, float *values, float least, float most);
/* Archives a slot, stored as cell and layer; only RN_READ changes *slot. Sets a->broken for a cell outside the grid or
   a layer from RN_MOST_LAYERS on; a layer that the world does not have becomes its highest. */
void rn_archive_slot(rn_archive *a, const rn_grid *g, int32_t *slot);

/* ---- Columns (solver/columns_archive.c) ---------------------------------------------------------------------- */

/* Called by rn_columns_archive while reading, once the saved columns are known: gives the world a->layers layers, and
   the columns of a->batch if that has any; partial: with arrays for partial solids. A failure is returned by
   rn_columns_archive. */
typedef rn_result (*rn_archive_shape)(void *self, rn_archive *a, bool partial);
/* Archives the arrays of columns, and sets a->layers. Checking adds their liquid (quanta) to a->present, unless
   trusted; reading first calls `shape` with `self`. Invalid bytes set a->broken and return RN_OK; reading fails with
   the code of `shape`, or with RN_MEMORY, with a message. */
rn_result rn_columns_archive(rn_columns *c, rn_archive *a, rn_archive_shape shape, void *self);
/* Archives friction and contact angles of columns that have their own, as far as the world has those arrays; call it
   after the values of solvers. Reading also fills the rim. RN_CHECK sets a->broken if a value is out of range, unless
   trusted. */
void rn_columns_archive_friction(rn_columns *c, rn_archive *a);
/* Hashes columns and liquid of one row of a layer and returns its name, a number for rn_columns_hash_parts; 0 if it has
   no columns and is skipped. */
uint64_t rn_columns_hash_row(const rn_columns *c, rn_archive *a, int layer, int y);
/* Hashes the partial solids of that row; `name`: what rn_columns_hash_row returned. Columns without any are skipped. */
void rn_columns_hash_parts(const rn_columns *c, rn_archive *a, int layer, int y, uint64_t name);

#endif
