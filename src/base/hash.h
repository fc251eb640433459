/* A 64-bit hash of bytes; for 32-bit words it is the same on machines of either byte order. */
#ifndef RN_BASE_HASH_H
#define RN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RN_HASH_START 0xcbf29ce484222325u

/* Adds a word to a hash: FNV-1a over 32-bit words, with a shift that carries high bits down. */
static inline uint64_t rn_hash_word(uint64_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x100000001b3u;
    return hash ^ (hash >> 29);
}

/* Adds 64 bits to a hash, the lower half first. */
static inline uint64_t rn_hash_long(uint64_t hash, uint64_t value) {
    return rn_hash_word(rn_hash_word(hash, (uint32_t)value), (uint32_t)(value >> 32));
}

/* Adds the bits of a double to a hash: -0 and 0 differ. */
static inline uint64_t rn_hash_double(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return rn_hash_long(hash, bits);
}

/* Adds the bits of `count` values to a hash, in order: -0 and 0 differ. */
static inline uint64_t rn_hash_floats(uint64_t hash, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = rn_hash_word(hash, bits);
    }
    return hash;
}

#endif
