/* Parameters of a scene, and arithmetic expressions of them (expression.h). Failures leave the reason and the place in
   rn_last_error(). */
#include "io/scene/expression.h"

#include "base/error.h"
#include "base/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Expressions are read by recursion, and a file may have many of them. */
enum { LONGEST_EXPRESSION = 200, DEEPEST_EXPRESSION = 32 };

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"

/* Returns the object "parameters" of a document, or NULL if it has none. */
static const json_t *parameters_of(const rn_document *document) {
    return json_object_get(document->root, "parameters");
}

/* ---- Parameters ---- */

rn_result rn_parameters_check(const json_t *parameters, const rn_json_path *place) {
    const char *name;
    json_t *value;
    if (json_object_size(parameters) > RN_MOST_PARAMETERS)
        return rn_document_fail(place, RN_LIMIT, "has %zu names; at most %d are allowed", json_object_size(parameters),
                                RN_MOST_PARAMETERS);
    json_object_foreach((json_t *)parameters, name, value) {
        rn_json_path at = {place->document, place, name, 0};
        if (strlen(name) >= RN_LONGEST_PARAMETER)
            return rn_document_fail(&at, RN_LIMIT, "is longer than the %d bytes that a name may have",
                                    RN_LONGEST_PARAMETER - 1);
        if (!*name || !strchr(LETTERS, *name) || name[strspn(name, LETTERS DIGITS "_")])
            return rn_document_fail(
                &at, RN_INVALID,
                "is not a valid parameter name; begin with a letter from a to z, then letters, digits and _");
    }
    return RN_OK;
}

const char *rn_parameters_nearest(const rn_document *document, const char *name) {
    const char *candidate, *nearest = NULL;
    json_t *value;
    json_object_foreach((json_t *)parameters_of(document), candidate, value) rn_word_nearer(name, candidate, &nearest);
    return nearest;
}

void rn_parameters_list(const rn_document *document, char *names, size_t size) {
    const char *name;
    json_t *value;
    size_t used = 0;
    names[0] = 0;
    json_object_foreach((json_t *)parameters_of(document), name, value) {
        if (used < size) used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

int rn_parameters_copy(const rn_document *document, rn_parameter parameters[RN_MOST_PARAMETERS]) {
    const char *name;
    json_t *value;
    int count = 0;
    json_object_foreach((json_t *)parameters_of(document), name, value) {
        if (count == RN_MOST_PARAMETERS || strlen(name) >= RN_LONGEST_PARAMETER || !json_is_number(value)) return 0;
        snprintf(parameters[count].name, RN_LONGEST_PARAMETER, "%s", name);
        parameters[count++].value = json_number_value(value);
    }
    return count;
}

/* ---- Expressions ---- */

/* An expression being read. */
typedef struct reader {
    const char *at;
    int depth;
    rn_result result;
    const json_t *value;
    const rn_json_path *place;
} reader;

/* Records a mistake, with a message that shows the expression and then this text; only the first one counts. Always
   returns 0. */
RN_PRINTF(2, 3) static double record_mistake(reader *r, const char *format, ...) {
    if (r->result != RN_OK) return 0;
    char reason[256], shown[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    rn_document_fail(r->place, RN_INVALID, "is %s%s", rn_document_show(r->value, shown, sizeof shown), reason);
    r->result = RN_INVALID;
    return 0;
}

/* Skips blanks, and returns the next character without consuming it; 0 at the end. */
static char peek(reader *r) {
    r->at += strspn(r->at, " \t");
    return *r->at;
}

/* Returns the number if it is finite; otherwise records a mistake and returns 0. */
static double check_finite(reader *r, double number) {
    return isfinite(number) ? number : record_mistake(r, ", which is too large for a number");
}

/* Reads a number that begins with a digit here; 0, with a mistake recorded or RN_MEMORY in r->result, if it is none. */
static double read_literal(reader *r) {
    const char *end = r->at + strspn(r->at, DIGITS ".");
    if (*end == 'e' || *end == 'E') {
        end += end[1] == '-' || end[1] == '+' ? 2 : 1;
        end += strspn(end, DIGITS);
    }
    /* read as JSON, so that a number means the same here as elsewhere, in any locale */
    const size_t length = (size_t)(end - r->at);
    json_error_t error;
    json_t *number = json_loadb(r->at, length, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
    if (!number && !error.text[0]) { /* jansson has no message when memory runs out */
        r->result = rn_fail(RN_MEMORY, "there is not enough memory");
        return 0;
    }
    if (!number) return record_mistake(r, ", where %.*s is not a number", (int)length, r->at);
    const double value = json_number_value(number);
    json_decref(number);
    r->at = end;
    return value;
}

/* Reads the name of a parameter and returns its value; records a mistake and returns 0 if there is no such number. */
static double read_name(reader *r) {
    char name[LONGEST_EXPRESSION + 1], names[160];
    const size_t length = strspn(r->at, LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_");
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    const rn_document *document = r->place->document;
    const json_t *value = json_object_get(parameters_of(document), name);
    r->at += length;
    if (json_is_number(value)) return json_number_value(value);
    const char *nearest = rn_parameters_nearest(document, name);
    if (nearest) return record_mistake(r, ", but there is no parameter \"%.40s\"; did you mean \"%s\"?", name, nearest);
    rn_parameters_list(document, names, sizeof names);
    if (!names[0])
        return record_mistake(r, ", but there is no parameter \"%.40s\"; \"parameters\" would name it", name);
    return record_mistake(r, ", but there is no parameter \"%.40s\"; there are %s", name, names);
}

static double read_sum(reader *r);

/* Reads a number, a parameter, a sum in parentheses, or the negative of such a term, and returns its value; meaningless
   after a mistake. */
static double read_term(reader *r) {
    const char c = peek(r);
    if (r->result != RN_OK) return 0;
    if (c && strchr(DIGITS, c)) return read_literal(r);
    if (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return read_name(r);
    if (c != '(' && c != '-') {
        char shown[64];
        json_t *rest = json_string(r->at);
        if (rest) rn_document_show(rest, shown, sizeof shown);
        json_decref(rest);
        if (!c || !rest) return record_mistake(r, ", which ends where a number, a parameter or ( should stand");
        return record_mistake(r, ", where a number, a parameter or ( should stand instead of %s", shown);
    }
    if (++r->depth > DEEPEST_EXPRESSION)
        return record_mistake(r, ", which is nested more than %d deep", DEEPEST_EXPRESSION);
    r->at++;
    double value = c == '(' ? read_sum(r) : -read_term(r);
    if (c == '(' && r->result == RN_OK) {
        if (peek(r) != ')') return record_mistake(r, ", which has a ( without its )");
        r->at++;
    }
    r->depth--;
    return value;
}

/* Reads terms with * and / between them, from left to right, and returns the result. Dividing by 0 is a mistake. */
static double read_product(reader *r) {
    double value = read_term(r);
    for (char c = peek(r); (c == '*' || c == '/') && r->result == RN_OK; c = peek(r)) {
        r->at++;
        const double by = read_term(r);
        if (c == '/' && by == 0) return record_mistake(r, ", which divides by 0");
        value = check_finite(r, c == '*' ? value * by : value / by);
    }
    return value;
}

/* Reads products with + and - between them, from left to right, and returns the result. */
static double read_sum(reader *r) {
    double value = read_product(r);
    for (char c = peek(r); (c == '+' || c == '-') && r->result == RN_OK; c = peek(r)) {
        r->at++;
        const double more = read_product(r);
        value = check_finite(r, c == '+' ? value + more : value - more);
    }
    return value;
}

bool rn_expression_is(const json_t *value) { return json_is_string(value) && *json_string_value(value) == '='; }

rn_result rn_expression_read(const json_t *value, const rn_json_path *place, double *number) {
    reader r = {.at = json_string_value(value) + 1, .value = value, .place = place};
    if (json_string_length(value) > LONGEST_EXPRESSION)
        return rn_document_fail(place, RN_LIMIT, "is an expression of %zu bytes; at most %d are allowed",
                                json_string_length(value), LONGEST_EXPRESSION);
    *number = read_sum(&r);
    if (r.result == RN_OK && peek(&r)) {
        char shown[64];
        json_t *rest = json_string(r.at);
        record_mistake(&r, ", where + - * / or the end should stand instead of %s",
                       rest ? rn_document_show(rest, shown, sizeof shown) : "more");
        json_decref(rest);
    }
    return r.result;
}
