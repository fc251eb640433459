/* Finds the word of a list that a misspelt one most likely meant. */
#ifndef RN_BASE_WORDS_H
#define RN_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { RN_WORD_LONGEST = 32 };

/* The smallest cost of turning a into b: `change` for a changed letter, `other` for one added, missing or swapped with
   its neighbour. Words of more than RN_WORD_LONGEST bytes cost other * RN_WORD_LONGEST. */
static inline int rn_word_cost(const char *a, const char *b, int change, int other) {
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > RN_WORD_LONGEST || columns > RN_WORD_LONGEST) return other * RN_WORD_LONGEST;
    int cost[RN_WORD_LONGEST + 1][RN_WORD_LONGEST + 1];
    for (size_t i = 0; i <= rows; i++) cost[i][0] = other * (int)i;
    for (size_t j = 0; j <= columns; j++) cost[0][j] = other * (int)j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            int least = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? change : 0);
            if (cost[i - 1][j] + other < least) least = cost[i - 1][j] + other;
            if (cost[i][j - 1] + other < least) least = cost[i][j - 1] + other;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && cost[i - 2][j - 2] + other < least)
                least = cost[i - 2][j - 2] + other;
            cost[i][j] = least;
        }
    }
    return cost[rows][columns];
}

/* The number of letters changed, added, missing or swapped between two words. */
static inline int rn_word_distance(const char *a, const char *b) { return rn_word_cost(a, b, 1, 1); }

/* A finer measure of how unlike two words are, to choose between suggestions: a changed letter is rarer than an added,
   missing or swapped one. */
static inline int rn_word_rank(const char *a, const char *b) {
    return 2 * rn_word_cost(a, b, 3, 2) + (strlen(a) != strlen(b));
}

/* Keeps in *best the candidate nearest to `word`, the earlier of equals, if it is near enough to be suggested: one
   letter in four may be wrong, one in words of 3 to 6 letters, none in shorter ones. Start with *best = NULL. */
static inline void rn_word_nearer(const char *word, const char *candidate, const char **best) {
    size_t here = strlen(word), there = strlen(candidate), longer = here > there ? here : there;
    int most = longer < 3 ? 0 : longer < 7 ? 1 : (int)(longer + 1) / 4;
    if (rn_word_distance(word, candidate) > most) return;
    if (!*best || rn_word_rank(word, candidate) < rn_word_rank(word, *best)) *best = candidate;
}

/* Whether a name ends with `ending` (in lower case), ignoring case, and is longer than it. */
static inline bool rn_ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), end = strlen(ending);
    if (length <= end) return false;
    for (size_t i = 0; i < end; i++) {
        const char c = name[length - end + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i]) return false;
    }
    return true;
}

#endif
