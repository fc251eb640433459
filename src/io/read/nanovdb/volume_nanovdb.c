/* Reads level sets of NanoVDB (volume_import.h). The file has the layout of io::Segment: a header, then a description
   and the name of each grid, then the grids themselves; little-endian. PNanoVDB reads the content of a grid. Failures
   leave the reason, with the path, in rn_last_error(). */
#include "io/read/volume_import.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#define PNANOVDB_C
#define PNANOVDB_BUF_BOUNDS_CHECK
#include <nanovdb/PNanoVDB.h>

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { PLAIN, ZIPPED };                                          /* codecs */
enum { FILE_HEADER = 16, GRID_HEADER = 176, MOST_GRIDS = 1024 }; /* bytes; grids */
static const uint64_t largest_grid = UINT64_C(1) << 30;          /* bytes */
static const double most_samples = 1 << 28;                      /* most samples in the box around a grid */

typedef struct grid_entry {
    uint64_t size, stored; /* bytes of the grid, and of its stored form */
    uint32_t type, class, name;
    uint16_t codec;
} grid_entry;

/* Returns the little-endian number in the first `count` bytes, up to 8. */
static uint64_t little_endian(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

/* Returns RN_FORMAT, with a message: the file is shorter than it says. */
static rn_result fail_short(const char *path) {
    return rn_fail(RN_FORMAT, "%s: is cut short: it holds less than its header says", path);
}

/* Reads the description of one grid at the position of the file, and moves past its name. Returns RN_FORMAT if the file
   ends too early. Of the content only the length of the name is checked. */
static rn_result read_entry(const char *path, FILE *file, grid_entry *entry) {
    uint8_t bytes[GRID_HEADER];
    if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) return fail_short(path);
    *entry = (grid_entry){.size = little_endian(bytes, 8),
                          .stored = little_endian(bytes + 8, 8),
                          .type = (uint32_t)little_endian(bytes + 32, 4),
                          .class = (uint32_t)little_endian(bytes + 36, 4),
                          .name = (uint32_t)little_endian(bytes + 136, 4),
                          .codec = (uint16_t)little_endian(bytes + 168, 2)};
    if (entry->name > 1 << 16 || fseek(file, (long)entry->name, SEEK_CUR) != 0) return fail_short(path);
    return RN_OK;
}

/* Finds the first level set of floats among the first 1024 grids, and positions the file where its bytes begin. Returns
   RN_FORMAT if the file is cut short, of another version, or has none. */
static rn_result find_grid(const char *path, FILE *file, grid_entry *chosen) {
    uint8_t bytes[FILE_HEADER];
    if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) return fail_short(path);
    if (memcmp(bytes, "NanoVDB", 7) != 0 || (bytes[7] != '0' && bytes[7] != '2'))
        return rn_fail(RN_FORMAT, "%s: does not begin like a NanoVDB file", path);
    const unsigned major = (unsigned)(little_endian(bytes + 8, 4) >> 21),
                   count = (unsigned)little_endian(bytes + 12, 2);
    if (major != PNANOVDB_MAJOR_VERSION_NUMBER)
        return rn_fail(RN_FORMAT, "%s: has version %u of NanoVDB; version %d can be read", path, major,
                       PNANOVDB_MAJOR_VERSION_NUMBER);
    uint64_t before = 0;
    bool found = false;
    for (unsigned i = 0; i < count && i < MOST_GRIDS; i++) {
        grid_entry entry;
        rn_result result = read_entry(path, file, &entry);
        if (result != RN_OK) return result;
        const bool fits = entry.type == PNANOVDB_GRID_TYPE_FLOAT && entry.class == PNANOVDB_GRID_CLASS_LEVEL_SET;
        if (fits && !found) *chosen = entry;
        found = found || fits;
        if (!found) before += entry.stored;
        if (before > INT32_MAX) return fail_short(path);
    }
    if (!found) return rn_fail(RN_FORMAT, "%s: holds no level set of floats, but %u other grids", path, count);
    return fseek(file, (long)before, SEEK_CUR) == 0 ? RN_OK : fail_short(path);
}

/* Reads the zipped grid at the position of the file into `grid`, which has room for its `size` bytes. Returns RN_FORMAT
   if it does not have exactly as many, or RN_MEMORY if memory runs out. */
static rn_result unzip(const char *path, FILE *file, uint8_t *grid, uint64_t size) {
    uint8_t bytes[8];
    if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) return fail_short(path);
    const uint64_t stored = little_endian(bytes, 8);
    if (stored > largest_grid) return fail_short(path);
    uint8_t *packed = rn_alloc(NULL, (size_t)stored, 1);
    if (!packed) return RN_MEMORY;
    uLongf length = (uLongf)size;
    const bool whole = fread(packed, 1, (size_t)stored, file) == stored &&
                       uncompress(grid, &length, packed, (uLong)stored) == Z_OK && length == size;
    rn_free(NULL, packed);
    return whole ? RN_OK : fail_short(path);
}

/* Reads the bytes of the first level set into *grid, which must be NULL (*size: their number). On failure returns
   RN_FILE; RN_MEMORY; RN_FORMAT if the file is damaged, or compressed by Blosc; or RN_LIMIT if there are more than 2^30
   bytes, or not a multiple of 32. The caller frees *grid, also after a failure. */
static rn_result read_grid(const char *path, uint32_t **grid, uint64_t *size) {
    grid_entry entry = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return rn_fail(RN_FILE, "%s: cannot be read", path);
    rn_result result = find_grid(path, file, &entry);
    if (result == RN_OK && entry.codec > ZIPPED)
        result = rn_fail(RN_FORMAT, "%s: is compressed with Blosc; write it uncompressed, or with ZIP", path);
    if (result == RN_OK && (entry.size > largest_grid || entry.size % 32 != 0))
        result = rn_fail(RN_LIMIT, "%s: its grid has %llu bytes; a multiple of 32 up to 2^30 can be read", path,
                         (unsigned long long)entry.size);
    if (result == RN_OK) {
        *size = entry.size;
        *grid = rn_alloc(NULL, (size_t)entry.size, 1);
        if (!*grid) result = RN_MEMORY;
    }
    if (result == RN_OK && entry.codec == ZIPPED) result = unzip(path, file, (uint8_t *)*grid, entry.size);
    else if (result == RN_OK && fread(*grid, 1, (size_t)entry.size, file) != entry.size) result = fail_short(path);
    fclose(file);
    return result;
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

/* Fills in the information of the grid in the buffer, without unit and up axis; first: indices of the first sample.
   Includes one more sample around those of the grid, for the open side. Returns RN_FORMAT if the grid is empty, or its
   transform invalid; or RN_LIMIT if it is too large. */
static rn_result describe_grid(const char *path, pnanovdb_buf_t buffer, rn_volume_info *info, int32_t first[3]) {
    const pnanovdb_grid_handle_t grid = {{0}};
    const pnanovdb_map_handle_t map = pnanovdb_grid_get_map(buffer, grid);
    const pnanovdb_root_handle_t root = pnanovdb_tree_get_root(buffer, pnanovdb_grid_get_tree(buffer, grid));
    const pnanovdb_coord_t low = pnanovdb_root_get_bbox_min(buffer, root),
                           high = pnanovdb_root_get_bbox_max(buffer, root);
    const int64_t ends[3][2] = {{low.x, high.x}, {low.y, high.y}, {low.z, high.z}};
    int64_t cells[3];
    double rows[3][4];
    for (unsigned i = 0; i < 3; i++) {
        if (ends[i][0] > ends[i][1]) return rn_fail(RN_FORMAT, "%s: its grid is empty", path);
        if (ends[i][0] <= INT32_MIN / 2 || ends[i][1] >= INT32_MAX / 2)
            return rn_fail(RN_LIMIT, "%s: has sample coordinates beyond 2^30", path);
        cells[i] = ends[i][1] - ends[i][0] + 3;
        first[i] = (int32_t)(ends[i][0] - 1);
    }
    if ((double)cells[0] * (double)cells[1] * (double)cells[2] > most_samples)
        return rn_fail(RN_LIMIT, "%s: the box around it has %lld x %lld x %lld samples; at most 2^28 can be read", path,
                       (long long)cells[0], (long long)cells[1], (long long)cells[2]);
    for (unsigned i = 0; i < 3; i++) {
        rows[i][3] = pnanovdb_map_get_vecd(buffer, map, i);
        for (unsigned j = 0; j < 3; j++) {
            rows[i][j] = pnanovdb_map_get_matd(buffer, map, 3 * i + j);
            rows[i][3] += rows[i][j] * first[j];
        }
    }
    snprintf(info->format, sizeof info->format, "NanoVDB");
    info->level_set = info->oriented = true;
    info->volumes = 1;
    rn_result result = rn_volume_set_cells(path, cells, (int)sizeof(float), info);
    return result == RN_OK ? rn_volume_set_transform(path, rows, info) : result;
}

/* Writes the values of all samples of the box to `out`, x fastest. Blocks without their own samples have one value, and
   are crossed in one step along x. */
static void copy_samples(pnanovdb_buf_t buffer, const int cells[3], const int32_t first[3], float *out) {
    const pnanovdb_grid_handle_t grid = {{0}};
    const pnanovdb_grid_type_t type = PNANOVDB_GRID_TYPE_FLOAT;
    pnanovdb_readaccessor_t reader;
    pnanovdb_readaccessor_init(&reader, pnanovdb_tree_get_root(buffer, pnanovdb_grid_get_tree(buffer, grid)));
    for (int z = 0; z < cells[2]; z++)
        for (int y = 0; y < cells[1]; y++)
            for (int x = 0; x < cells[0];) {
                const pnanovdb_coord_t at = {first[0] + x, first[1] + y, first[2] + z};
                const float value =
                    pnanovdb_read_float(buffer, pnanovdb_readaccessor_get_value_address(type, buffer, &reader, &at));
                const int side = (int)pnanovdb_readaccessor_get_dim(type, buffer, &reader, &at);
                const int end = x + side - (at.x & (side - 1));
                for (; x < end && x < cells[0]; x++) *out++ = value;
            }
}

rn_result rn_nanovdb_import(const rn_volume_ask *ask, rn_reply *reply) {
    uint32_t *bytes = NULL;
    uint64_t size = 0;
    int32_t first[3];
    float *samples = NULL;
    rn_raw_volume raw = {.kind = RN_SAMPLE_FLOAT, .slope = 1};
    rn_result result = read_grid(ask->path, &bytes, &size);
    const pnanovdb_buf_t buffer = pnanovdb_make_buf(bytes, size / sizeof *bytes);
    if (result == RN_OK) result = describe_grid(ask->path, buffer, &raw.info, first);
    const int *cells = raw.info.cells;
    if (result == RN_OK) {
        samples = rn_alloc(NULL, (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2], sizeof *samples);
        if (!samples) result = RN_MEMORY;
    }
    if (result == RN_OK) {
        copy_samples(buffer, cells, first, samples);
        raw.samples = samples;
        raw.strides[0] = 1;
        raw.strides[1] = cells[0];
        raw.strides[2] = (int64_t)cells[0] * cells[1];
        result = rn_volume_reduce(ask, &raw, reply);
    }
    rn_free(NULL, samples);
    rn_free(NULL, bytes);
    return result;
}
