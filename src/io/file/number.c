/* Reads decimal numbers in text files (number.h). Short ones, which are nearly all, are converted here: up to 15 digits
   and a power of ten up to 10^22 are exact as doubles, so one multiplication or division rounds correctly. The others
   go through strtod. */
#include "io/file/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 255, EXACT_DIGITS = 15, EXACT_POWER = 22 };

/* A number as digits * 10^exponent. */
typedef struct decimal {
    bool negative;
    uint64_t digits;
    int count; /* of digits, without leading zeros */
    int exponent;
} decimal;

/* Moves *at past digits and appends them to d->digits. Returns how many there were, leading zeros included; those
   beyond EXACT_DIGITS are only counted. */
static int take_digits(const char **at, const char *end, decimal *d) {
    int taken = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at, taken++) {
        if (d->count > 0 || **at != '0') d->count++;
        if (d->count <= EXACT_DIGITS) d->digits = 10 * d->digits + (uint64_t)(**at - '0');
    }
    return taken;
}

/* Moves *at past an exponent such as e-3, if there is one, and adds it to `d`. Returns false if "e" is followed by no
   digits or by more than four. */
static bool take_exponent(const char **at, const char *end, decimal *d) {
    if (*at == end || (**at != 'e' && **at != 'E')) return true;
    ++*at;
    const bool negative = *at < end && **at == '-';
    if (*at < end && (**at == '-' || **at == '+')) ++*at;
    int exponent = 0, taken = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && taken < 5; ++*at, taken++) exponent = 10 * exponent + **at - '0';
    d->exponent += negative ? -exponent : exponent;
    return taken > 0 && taken < 5;
}

/* Splits a decimal number, which must reach from `at` to `end`, into its parts. Returns false if it is not a decimal
   number. */
static bool split_number(const char *at, const char *end, decimal *d) {
    *d = (decimal){.negative = at < end && *at == '-'};
    if (at < end && (*at == '-' || *at == '+')) at++;
    int taken = take_digits(&at, end, d);
    if (at < end && *at == '.') {
        at++;
        const int decimals = take_digits(&at, end, d);
        d->exponent -= decimals;
        taken += decimals;
    }
    return taken > 0 && take_exponent(&at, end, d) && at == end;
}

/* Converts a decimal number of at most LONGEST bytes with strtod, which expects the decimal point of the host's locale.
   Returns false, with *number unchanged, if strtod does not read all of it. */
static bool convert_slowly(const char *text, size_t length, double *number) {
    char word[LONGEST + 32], *end;
    const char *mark = localeconv()->decimal_point, *point = memchr(text, '.', length);
    const size_t before = point ? (size_t)(point - text) : length, wide = point ? strlen(mark) : 0;
    if (wide > 16) return false;
    memcpy(word, text, before);
    if (point) {
        memcpy(word + before, mark, wide); /* some locales have a point of several bytes */
        memcpy(word + before + wide, point + 1, length - before - 1);
        length += wide - 1;
    }
    word[length] = 0;
    const double value = strtod(word, &end);
    if (end != word + length) return false;
    *number = value;
    return true;
}

/* Reads a number that is not finite as Microsoft's library writes it: 1.#INF, or 1.#IND, 1.#QNAN and so on, which are
   NaN, with any sign and digits at the end. False, with *number unchanged: it is none of these. */
static bool read_microsoft(const char *text, size_t length, double *number) {
    const bool negative = length > 0 && *text == '-';
    if (length > 0 && (*text == '-' || *text == '+')) text++, length--;
    if (length <= 3 || memcmp(text, "1.#", 3) != 0) return false;
    const bool infinite = length >= 6 && memcmp(text + 3, "INF", 3) == 0;
    *number = !infinite ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
    return true;
}

/* Reads nan, nan(...), inf or infinity, with any sign and in any case. Returns false if it is none of these. */
static bool read_not_finite(const char *text, size_t length, double *number) {
    const bool negative = length > 0 && *text == '-';
    if (length > 0 && (*text == '-' || *text == '+')) text++, length--;
    static const char *const words[] = {"nan", "inf", "infinity"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t same = 0;
        while (same < length && words[i][same] && (text[same] | 0x20) == words[i][same]) same++;
        if (words[i][same]) continue;
        const bool marked = i == 0 && same < length && text[same] == '(' && text[length - 1] == ')'; /* -nan(ind) */
        if (same < length && !marked) continue;
        *number = i == 0 ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    return false;
}

bool rn_number_parse(const char *text, size_t length, double *number) {
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (length == 0 || length > LONGEST) return false;
    decimal d;
    if (read_microsoft(text, length, number)) return true;
    if (!split_number(text, text + length, &d)) return read_not_finite(text, length, number);
    if (d.count > EXACT_DIGITS || abs(d.exponent) > EXACT_POWER) return convert_slowly(text, length, number);
    const double value =
        d.exponent < 0 ? (double)d.digits / powers[-d.exponent] : (double)d.digits * powers[d.exponent];
    *number = d.negative ? -value : value;
    return true;
}
