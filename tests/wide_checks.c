/* Every operation of base/wide.h beside its definition on one float, for the body that this file is compiled with. It
   needs no libc, so that it runs wherever a body does. */
#include "base/wide.h"

#ifndef WIDE_CHECKS
#define WIDE_CHECKS RN_ISA(wide_checks)
#endif
#define TEXT_OF(name)  TEXT_OF_(name)
#define TEXT_OF_(name) #name

/* NULL, or the first operation that went wrong. */
const char *WIDE_CHECKS(int *lanes);

static uint32_t seed;

static uint32_t random_word(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static int is_number(float value) { return value == value; }
static int same(float a, float b) { return bits_of(a) == bits_of(b) || (!is_number(a) && !is_number(b)); }
static int same_but_zeros(float a, float b) { return same(a, b) || (a == 0.0f && b == 0.0f); }

enum { SPECIALS = 24, ROUNDS = 4000 };
static const uint32_t specials[SPECIALS] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
                                            0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0xbf7fffff,
                                            0x3effffff, 0x4b000000, 0x4affffff, 0xcaffffff, 0x4effffff, 0xceffffff,
                                            0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x35000000, 0x40490fdb};

/* Floats of every kind and size, many of them ordinary and some of them equal. */
static float random_float(void) {
    const uint32_t kind = random_word() % 8;
    if (kind == 0) return of_bits(specials[random_word() % SPECIALS]);
    if (kind == 1) return (float)((int32_t)random_word() % 4);
    if (kind == 2) return of_bits(random_word() & 0x807fffff);
    if (kind < 6) return (float)(int32_t)random_word() * 0x1p-24f;
    const float value = of_bits(random_word());
    return is_number(value) ? value : 1.0f;
}

static rn_wide random_wide(void) {
    rn_wide value;
    for (int lane = 0; lane < RN_LANES; lane++) value[lane] = random_float();
    return value;
}

static float size_of(float value) { return of_bits(bits_of(value) & 0x7fffffff); }

#define CHECK(condition)                                                                                               \
    if (!(condition)) return TEXT_OF(RN_ISA_NAME) ": " #condition
#define CHECK_LANES(operation, right)                                                                                  \
    {                                                                                                                  \
        const rn_wide found = operation;                                                                               \
        for (int k = 0; k < RN_LANES; k++)                                                                             \
            if (!(right)) return TEXT_OF(RN_ISA_NAME) ": " #operation;                                                 \
    }

static const char *check_arithmetic(rn_wide a, rn_wide b) {
    CHECK_LANES(a + b, same(found[k], a[k] + b[k]))
    CHECK_LANES(a - b, same(found[k], a[k] - b[k]))
    CHECK_LANES(a * b, same(found[k], a[k] * b[k]))
    CHECK_LANES(a / b, same(found[k], a[k] / b[k]))
    CHECK_LANES(rn_root(a), same(found[k], __builtin_sqrtf(a[k])))
    CHECK_LANES(rn_apart(a, b), same(found[k], size_of(a[k] - b[k])))
    CHECK_LANES(rn_size(a), same(found[k], size_of(a[k])))
    CHECK_LANES(rn_splat(a[0]), same(found[k], a[0]))
    CHECK_LANES(rn_signed(a, b), bits_of(found[k]) == (bits_of(size_of(a[k])) | (bits_of(b[k]) & 0x80000000)))
    CHECK_LANES(rn_flipped(a, b), bits_of(found[k]) == (bits_of(a[k]) ^ (bits_of(b[k]) & 0x80000000)))
    CHECK_LANES(rn_positive(a), same(found[k], a[k] > 0.0f ? a[k] : 0.0f))
    CHECK_LANES(rn_lesser(a, b), same_but_zeros(found[k], a[k] < b[k] ? a[k] : b[k]))
    CHECK_LANES(rn_greater(a, b), same_but_zeros(found[k], a[k] > b[k] ? a[k] : b[k]))
    for (int lane = 0; lane < RN_LANES; lane++)
        if (size_of(a[lane]) >= 0x1p31f) a[lane] = -0.75f;
    CHECK_LANES(rn_trunc(a), same_but_zeros(found[k], (float)(int32_t)a[k]))
    return (const char *)0;
}

static const char *check_masks(rn_wide a, rn_wide b) {
    const rn_mask less = a < b, equal = a == b;
    for (int k = 0; k < RN_LANES; k++) {
        CHECK(less[k] == (a[k] < b[k] ? -1 : 0));
        CHECK(equal[k] == (a[k] == b[k] ? -1 : 0));
    }
    CHECK_LANES(rn_select(less, a, b), same(found[k], a[k] < b[k] ? a[k] : b[k]))
    CHECK_LANES(rn_keep(less, a), same(found[k], a[k] < b[k] ? a[k] : 0.0f))
    int any = 0, all = 1, any_bit = 0;
    for (int k = 0; k < RN_LANES; k++) {
        any |= less[k];
        all &= less[k];
        any_bit |= bits_of(a[k]) != 0;
    }
    CHECK(!rn_any(less) == !any);
    CHECK(!rn_all(less) == !all);
    CHECK(!rn_any((rn_mask)a) == !any_bit);
    for (int lane = 0; lane < RN_LANES; lane++) { /* each lane counts, each bit of it */
        rn_mask one = {0}, others = ~one;
        CHECK(!rn_any(one) && rn_all(others));
        one[lane] = (int32_t)(1u << random_word() % 32);
        others[lane] = 0;
        CHECK(rn_any(one) && !rn_all(others));
        CHECK(rn_any(others) == (RN_LANES > 1));
    }
    return (const char *)0;
}

static const char *check_lanes(rn_wide a, rn_wide b) {
    float most = a[0], least = a[0], line[2 * RN_LANES + 1];
    for (int k = 1; k < RN_LANES; k++) {
        most = a[k] > most ? a[k] : most;
        least = a[k] < least ? a[k] : least;
    }
    CHECK(same_but_zeros(rn_greatest(a), most));
    CHECK(same_but_zeros(rn_least(a), least));
    rn_store(line + 1, a);
    rn_store(line + 1 + RN_LANES, b);
    line[0] = 0.0f;
    for (int from = 0; from <= RN_LANES; from++)
        CHECK_LANES(rn_load(line + 1 + from), same(found[k], line[1 + from + k]))
    CHECK_LANES(rn_behind(a, b), same(found[k], line[RN_LANES + k]))
    for (int k = 0; k < RN_LANES; k++) CHECK(rn_lane_numbers()[k] == k);
    uint8_t flags[3 * RN_LANES];
    for (int k = 0; k < 3 * RN_LANES; k++) flags[k] = (uint8_t)(random_word() >> 7);
    for (int from = 0; from < RN_LANES; from++) {
        const rn_mask numbers = rn_load_bytes(flags + from);
        for (int k = 0; k < RN_LANES; k++) CHECK(numbers[k] == flags[from + k]);
    }
    return (const char *)0;
}

/* What is not a number stays in its lane, and the lesser and the greater of it and a number are the number. */
static const char *check_lost(rn_wide b) {
    rn_wide a = random_wide();
    const int lost = (int)(random_word() % RN_LANES);
    a[lost] = of_bits(0x7fc00000);
    CHECK_LANES(rn_lesser(a, b), same_but_zeros(found[k], a[k] < b[k] ? a[k] : b[k]))
    CHECK_LANES(rn_greater(a, b), same_but_zeros(found[k], a[k] > b[k] ? a[k] : b[k]))
    CHECK_LANES(rn_positive(a), same(found[k], a[k] > 0.0f ? a[k] : 0.0f))
    const rn_mask self = a == a;
    for (int k = 0; k < RN_LANES; k++) CHECK(self[k] == (k == lost ? 0 : -1));
    return (const char *)0;
}

const char *WIDE_CHECKS(int *lanes) {
    *lanes = RN_LANES;
    seed = 2463534242u;
    for (int round = 0; round < ROUNDS; round++) {
        rn_wide a = random_wide(), b = random_wide();
        if (round < SPECIALS * SPECIALS) {
            a[round % RN_LANES] = of_bits(specials[round % SPECIALS]);
            b[round % RN_LANES] = of_bits(specials[round / SPECIALS]);
        }
        const char *wrong = check_arithmetic(a, b);
        if (!wrong) wrong = check_masks(a, b);
        if (!wrong) wrong = check_lanes(a, b);
        if (!wrong) wrong = check_lost(b);
        if (wrong) return wrong;
    }
    return (const char *)0;
}
