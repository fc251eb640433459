/* PNG pictures as heights. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_AREA = 1 << 22 };

/* The area that a PNG's header promises; reading a large one is slow, and not what is looked for. */
static uint64_t promised_area(const uint8_t *bytes, size_t size) {
    if (size < 24) return 0;
    uint32_t side[2] = {0};
    for (int i = 0; i < 8; i++) side[i / 4] = side[i / 4] << 8 | bytes[16 + i];
    return (uint64_t)side[0] * side[1];
}

static uint32_t checksum(const uint8_t *bytes, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* Gives every chunk (length, type, data, checksum) its right checksum: hardly any change would pass it by chance. */
static void mend_checksums(uint8_t *bytes, size_t size) {
    for (size_t at = 8; at + 12 <= size;) {
        uint32_t length = 0;
        for (int i = 0; i < 4; i++) length = length << 8 | bytes[at + (size_t)i];
        if (length > size - at - 12) return;
        uint32_t crc = checksum(bytes + at + 4, length + 4);
        for (int i = 0; i < 4; i++) bytes[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += 12 + (size_t)length;
    }
}

/* Every second input, by its length, keeps the checksums it has. */
void fuzz(const uint8_t *bytes, size_t size) {
    rn_heightmap map;
    if (promised_area(bytes, size) > LARGEST_AREA) return;
    uint8_t *mended = malloc(size + 1);
    fuzz_require(mended != NULL, "memory for a copy");
    if (size) memcpy(mended, bytes, size);
    if (size % 2 == 0) mend_checksums(mended, size);
    rn_result result = rn_heightmap_load(fuzz_file(mended, size), -1, 2, &map);
    free(mended);
    if (result != RN_OK) {
        fuzz_require(map.heights == NULL, "a refused picture leaves nothing");
        fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        return;
    }
    for (int64_t i = 0; i < (int64_t)map.width * map.height; i++)
        fuzz_require(map.heights[i] >= -1 && map.heights[i] <= 2, "heights lie between black and white");
    rn_heightmap_free(&map);
}
