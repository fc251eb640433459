/* Reads JSON objects by tables of keys (table.h). Failures leave the reason and the place in rn_last_error(). */
#include "io/scene/table.h"

#include "base/error.h"
#include "base/words.h"
#include "io/scene/expression.h"

#include <limits.h>
#include <runnel/world.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 256 };

/* Returns the key with this name, in the table or in one that it shares, or NULL if there is none. */
static const rn_key *find_key(const rn_table *table, const char *name) {
    for (; table; table = table->shared)
        for (int i = 0; i < table->count; i++)
            if (strcmp(table->keys[i].name, name) == 0) return &table->keys[i];
    return NULL;
}

void rn_bounds_describe(const rn_bounds *range, bool low, bool high, char *text, size_t size) {
    if (low && high && !range->above) {
        snprintf(text, size, "from %.10g to %.10g", range->low, range->high);
    } else {
        char least[64] = "", most[64] = "";
        if (low) snprintf(least, sizeof least, range->above ? "more than %.10g" : "%.10g or more", range->low);
        if (high) snprintf(most, sizeof most, "at most %.10g", range->high);
        snprintf(text, size, "%s%s%s", least, low && high ? " and " : "", most);
    }
}

/* Writes the range of a key for messages, "0 or more (m²/s)", to `text` of SENTENCE bytes. A bound of a million or more
   is only for safety, and is named only if `value` exceeds it. */
static void write_range(const rn_key *key, double value, char *text) {
    const rn_bounds *range = &key->range;
    bool low = range->low > -1e6 || value < range->low, high = range->high < 1e6 || value > range->high;
    rn_bounds_describe(range, low, high, text, SENTENCE);
    if (key->unit) {
        size_t used = strlen(text);
        snprintf(text + used, SENTENCE - used, "%s(%s)", used ? " " : "", key->unit);
    }
}

/* Writes the choices of a key for messages, "a", "b" or "c", to `text` of SENTENCE bytes. */
static void write_choices(const rn_key *key, char *text) {
    size_t used = 0;
    for (int i = 0; key->choices[i] && used < SENTENCE; i++) {
        const char *joint = i == 0 ? "" : key->choices[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, SENTENCE - used, "%s\"%s\"", joint, key->choices[i]);
    }
}

/* Writes the expected kind of value to `text` of SENTENCE bytes, for a message about a wrong one; `element`: for one
   number of a list. */
static void write_kind(const rn_key *key, bool element, char *text) {
    char range[SENTENCE];
    bool whole = key->kind == RN_KEY_COUNT, number = whole || key->kind == RN_KEY_NUMBER;
    if (element || (number && !key->length)) {
        write_range(key, 0.5 * (key->range.low + key->range.high), range);
        snprintf(text, SENTENCE, "a %snumber%s%.200s", whole ? "whole " : "",
                 *range == 0     ? ""
                 : *range == '(' ? " "
                                 : ", ",
                 range);
        return;
    }
    switch (key->kind) {
    case RN_KEY_NUMBER:
    case RN_KEY_COUNT: snprintf(text, SENTENCE, "a list of %d %snumbers", key->length, whole ? "whole " : ""); break;
    case RN_KEY_FLAG: snprintf(text, SENTENCE, "true or false"); break;
    case RN_KEY_TEXT: snprintf(text, SENTENCE, "text"); break;
    case RN_KEY_CHOICE: write_choices(key, text); break;
    case RN_KEY_OBJECT: snprintf(text, SENTENCE, "an object%s", key->word ? " or a name" : ""); break;
    case RN_KEY_LIST: snprintf(text, SENTENCE, "a list of objects"); break;
    case RN_KEY_FORM:
        snprintf(text, SENTENCE, "the shape of a body, such as {\"type\": \"sphere\", \"radius\": 1}");
        break;
    case RN_KEY_FORMS: snprintf(text, SENTENCE, "a list of shapes of bodies"); break;
    case RN_KEY_SHAPE: snprintf(text, SENTENCE, "a shape, such as {\"type\": \"sphere\", \"radius\": 0.01}"); break;
    case RN_KEY_SHAPES: snprintf(text, SENTENCE, "a list of shapes"); break;
    case RN_KEY_NAMED: snprintf(text, SENTENCE, "an object of names and numbers, such as {\"length\": 0.1}"); break;
    case RN_KEY_ROWS: snprintf(text, SENTENCE, "a list of rows of numbers, such as [[0, 1], [2, 3]]"); break;
    case RN_KEY_SAMPLES: snprintf(text, SENTENCE, "a list of numbers, or a list of such lists"); break;
    case RN_KEY_MAP: snprintf(text, SENTENCE, "the name of a PNG, or a list of rows of numbers"); break;
    case RN_KEY_SERIES:
        if (key->length) snprintf(text, SENTENCE, "a list of [time, x, y, z] waypoints");
        else {
            write_kind(key, true, range);
            snprintf(text, SENTENCE, "%.200s, or a list of [time, value] pairs", range);
        }
    }
}

/* Returns RN_INVALID, with a message of what the value (not NULL) is and what it must be; `element` as in
   write_kind. */
static rn_result fail_wrong_kind(const rn_key *key, bool element, const json_t *value, const rn_json_path *place) {
    char shown[64], right[SENTENCE];
    write_kind(key, element, right);
    return rn_document_fail(place, RN_INVALID, "is %s; it must be %s", rn_document_show(value, shown, sizeof shown),
                            right);
}

/* Writes a number as it stands in the file to `text`, with its value `number` if it is an expression, and returns
   `text`. */
static const char *show_number(const json_t *value, double number, char *text, size_t size) {
    rn_document_show(value, text, size);
    const size_t used = strlen(text);
    if (rn_expression_is(value)) snprintf(text + used, size - used, ", which is %.10g", number);
    return text;
}

/* Returns the nearest integer if the number is within 1e-9 of it (relative above 1), otherwise the number: quotients of
   decimal fractions, such as 0.07 / 0.001, miss it by rounding. */
static double snap_to_whole(double number) {
    const double whole = rint(number);
    return fabs(number - whole) <= 1e-9 * fmax(1.0, fabs(whole)) ? whole : number;
}

/* Reads a number or an expression, checks its range, and stores it as element `index` of `out`: an int if the key is a
   count, which must be whole, otherwise a double. On failure returns RN_INVALID or the result of rn_expression_read,
   and stores nothing. */
static rn_result read_number(const rn_key *key, const json_t *value, const rn_json_path *place, size_t index,
                             void *out) {
    double number = json_number_value(value);
    if (rn_expression_is(value)) {
        rn_result result = rn_expression_read(value, place, &number);
        if (result != RN_OK) return result;
        if (key->kind == RN_KEY_COUNT) number = snap_to_whole(number);
    } else if (!json_is_number(value)) return fail_wrong_kind(key, true, value, place);
    const rn_bounds *range = &key->range;
    bool inside = (range->above ? number > range->low : number >= range->low) && number <= range->high;
    if (!inside) {
        char shown[128], right[SENTENCE];
        write_range(key, number, right);
        return rn_document_fail(place, RN_INVALID, "is %s; it must be %s",
                                show_number(value, number, shown, sizeof shown), right);
    }
    if (key->kind == RN_KEY_COUNT) {
        if (number != floor(number) || fabs(number) > INT_MAX) {
            char shown[128], right[SENTENCE];
            write_kind(key, true, right);
            return rn_document_fail(place, RN_INVALID, "is %s; it must be %s",
                                    show_number(value, number, shown, sizeof shown), right);
        }
        ((int *)out)[index] = (int)number;
    } else {
        ((double *)out)[index] = number;
    }
    return RN_OK;
}

/* Reads one number, or a list of exactly key->length of them, into `out`: int or double. */
static rn_result read_numbers(const rn_key *key, const json_t *value, const rn_json_path *place, void *out) {
    if (!key->length) return read_number(key, value, place, 0, out);
    if (!json_is_array(value) || json_array_size(value) != (size_t)key->length)
        return fail_wrong_kind(key, false, value, place);
    for (size_t i = 0; i < (size_t)key->length; i++) {
        rn_json_path element = {place->document, place, NULL, i};
        rn_result result = read_number(key, json_array_get(value, i), &element, i, out);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Reads number at->index of a list that stays JSON into *number, and checks it. An expression is replaced in the list
   by its value. */
static rn_result evaluate_number(const rn_key *key, const json_t *list, const rn_json_path *at, double *number) {
    const json_t *value = json_array_get(list, at->index);
    rn_result result = read_number(key, value, at, 0, number);
    if (result != RN_OK || !rn_expression_is(value)) return result;
    return json_array_set_new((json_t *)list, at->index, json_real(*number))
               ? rn_fail(RN_MEMORY, "there is not enough memory")
               : RN_OK;
}

/* Checks all numbers of a list, or of lists in it, and the length of these, and replaces expressions by their values;
   `inner`: the list is itself a row, which holds no lists. Plain numbers beside rows are allowed only in samples. */
static rn_result check_rows(const rn_key *key, const json_t *list, const rn_json_path *place, bool inner) {
    double ignored;
    char shown[64];
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        rn_json_path element = {place->document, place, NULL, i};
        rn_result result;
        if (json_is_array(value) && !inner && key->length && json_array_size(value) != (size_t)key->length)
            result = rn_document_fail(&element, RN_INVALID, "is a list of %zu; it must have %d numbers",
                                      json_array_size(value), key->length);
        else if (json_is_array(value) && !inner) result = check_rows(key, value, &element, true);
        else if (key->kind != RN_KEY_SAMPLES && !inner)
            result = rn_document_fail(&element, RN_INVALID, "is %s; it must be a row of numbers, such as [0, 1]",
                                      rn_document_show(value, shown, sizeof shown));
        else result = evaluate_number(key, list, &element, &ignored);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Stores a list as JSON in *out after checking its length (key->least) and its numbers; whoever reads its objects
   checks those. */
static rn_result read_list(const rn_key *key, const json_t *list, const rn_json_path *place, const json_t **out) {
    if (json_array_size(list) < (size_t)key->least)
        return rn_document_fail(place, RN_INVALID, "is a list of %zu; it needs %d or more", json_array_size(list),
                                key->least);
    *out = list;
    bool numbers = key->kind == RN_KEY_ROWS || key->kind == RN_KEY_SAMPLES || key->kind == RN_KEY_MAP;
    return numbers ? check_rows(key, list, place, false) : RN_OK;
}

const rn_key rn_time_key = {"time", RN_KEY_NUMBER, 0, RN_ANY, .unit = "s"};

/* Checks one [time, values …], and replaces expressions in it by their values. *time is the time (s) of the previous
   point, which must be earlier, and becomes that of this one. */
static rn_result check_point(const rn_key *key, const json_t *point, const rn_json_path *place, double *time) {
    const size_t size = 1 + (size_t)(key->length ? key->length : 1);
    char shown[64];
    if (!json_is_array(point) || json_array_size(point) != size)
        return rn_document_fail(place, RN_INVALID, "is %s; it must be %s", rn_document_show(point, shown, sizeof shown),
                                key->length ? "a waypoint, [time, x, y, z]" : "a pair, [time, value]");
    double before = *time, ignored;
    for (size_t i = 0; i < size; i++) {
        rn_json_path at = {place->document, place, NULL, i};
        rn_result result = evaluate_number(i ? key : &rn_time_key, point, &at, i ? &ignored : time);
        if (result != RN_OK) return result;
    }
    if (*time > before) return RN_OK;
    return rn_document_fail(place, RN_INVALID,
                            "comes at %.10g s, not after the %.10g s of the one before; put them in "
                            "order of time",
                            *time, before);
}

/* Stores a series, or a single number, as JSON in *out after checking it; *out is set also on failure. A single
   expression is only checked here. */
static rn_result read_series(const rn_key *key, const json_t *value, const rn_json_path *place, const json_t **out) {
    double time = -INFINITY, ignored;
    *out = value;
    if ((json_is_number(value) || rn_expression_is(value)) && !key->length)
        return read_number(key, value, place, 0, &ignored);
    if (!json_is_array(value)) return fail_wrong_kind(key, false, value, place);
    const size_t count = json_array_size(value);
    if (count == 0) return rn_document_fail(place, RN_INVALID, "is a list of 0; it needs 1 or more");
    if (count > RN_MOST_POINTS)
        return rn_document_fail(place, RN_LIMIT, "is a list of %zu; it may have at most %d", count, RN_MOST_POINTS);
    for (size_t i = 0; i < count; i++) {
        rn_json_path at = {place->document, place, NULL, i};
        rn_result result = check_point(key, json_array_get(value, i), &at, &time);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* Stores an object that maps names to numbers as JSON in *out, after checking the numbers, which may not be
   expressions; then checks the names, as rn_parameters_check does. */
static rn_result read_named(const rn_key *key, const json_t *object, const rn_json_path *place, const json_t **out) {
    const char *name;
    json_t *value;
    double ignored;
    char shown[64];
    json_object_foreach((json_t *)object, name, value) {
        rn_json_path at = {place->document, place, name, 0};
        if (!json_is_number(value))
            return rn_document_fail(&at, RN_INVALID, "is %s; it must be a plain number",
                                    rn_document_show(value, shown, sizeof shown));
        rn_result result = read_number(key, value, &at, 0, &ignored);
        if (result != RN_OK) return result;
    }
    *out = object;
    return rn_parameters_check(object, place);
}

/* Stores the index of `word` among the choices as an int in `out`. Returns RN_INVALID, with a message that shows
   `value`, if it is none of them, or NULL. */
static rn_result read_choice(const rn_key *key, const char *word, const json_t *value, const rn_json_path *place,
                             void *out) {
    for (int i = 0; word && key->choices[i]; i++) {
        if (strcmp(word, key->choices[i]) == 0) {
            *(int *)out = i;
            return RN_OK;
        }
    }
    return fail_wrong_kind(key, false, value, place);
}

/* Checks a value (not NULL) by the kind of its key, and stores it in `out`, as the type that rn_key_kind says. On
   failure returns RN_INVALID, RN_LIMIT or RN_MEMORY; `out` may then be partly filled. */
static rn_result read_value(const rn_key *key, const json_t *value, const rn_json_path *place, void *out) {
    switch (key->kind) {
    case RN_KEY_NUMBER:
    case RN_KEY_COUNT: return read_numbers(key, value, place, out);
    case RN_KEY_FLAG:
        if (!json_is_boolean(value)) break;
        *(bool *)out = json_is_true(value);
        return RN_OK;
    case RN_KEY_TEXT:
        if (!json_is_string(value)) break;
        *(const char **)out = json_string_value(value);
        return RN_OK;
    case RN_KEY_CHOICE: return read_choice(key, json_string_value(value), value, place, out);
    case RN_KEY_OBJECT:
        if (!json_is_object(value)) break;
        return rn_table_read(key->table, value, place, out);
    case RN_KEY_SHAPE:
    case RN_KEY_FORM:
        if (!json_is_object(value)) break;
        *(const json_t **)out = value;
        return RN_OK;
    case RN_KEY_MAP:
        if (json_is_array(value)) return read_list(key, value, place, out);
        if (!json_is_string(value)) break;
        *(const json_t **)out = value;
        return RN_OK;
    case RN_KEY_SERIES: return read_series(key, value, place, out);
    case RN_KEY_NAMED:
        if (!json_is_object(value)) break;
        return read_named(key, value, place, out);
    case RN_KEY_LIST:
    case RN_KEY_SHAPES:
    case RN_KEY_FORMS:
    case RN_KEY_ROWS:
    case RN_KEY_SAMPLES:
        if (!json_is_array(value)) break;
        return read_list(key, value, place, out);
    }
    return fail_wrong_kind(key, false, value, place);
}

/* Stores the default of a key in `out`; nothing if it has none. An object gets the defaults of its keys. */
static rn_result read_default(const rn_key *key, const rn_json_path *place, void *out) {
    if (key->kind == RN_KEY_OBJECT) {
        json_t *empty = json_object();
        if (!empty) return rn_fail(RN_MEMORY, "there is not enough memory");
        rn_result result = rn_table_read(key->table, empty, place, out);
        json_decref(empty);
        return result;
    }
    if (!key->otherwise) return RN_OK;
    if (key->kind == RN_KEY_TEXT) {
        *(const char **)out = key->otherwise;
        return RN_OK;
    }
    if (key->kind == RN_KEY_CHOICE) return read_choice(key, key->otherwise, NULL, place, out);
    json_t *value = json_loads(key->otherwise, JSON_DECODE_ANY, NULL);
    if (!value) return rn_fail(RN_MEMORY, "there is not enough memory");
    rn_result result = read_value(key, value, place, out);
    json_decref(value);
    return result;
}

/* Returns RN_INVALID, with a message of the key most similar to `name` that is not yet given, or else of all keys. If
   --set gave it at the root, it may also mean a parameter. */
static rn_result fail_unknown_key(const rn_table *table, const json_t *object, const char *name,
                                  const rn_json_path *place) {
    /* --set reaches the scene's parameters by their names alone */
    const bool parameter = !place->parent->parent && rn_document_set(place);
    const char *nearest = parameter ? rn_parameters_nearest(place->document, name) : NULL;
    char names[400] = "", parameters[160] = "";
    if (parameter) rn_parameters_list(place->document, parameters, sizeof parameters);
    size_t used = 0;
    for (const rn_table *part = table; part; part = part->shared) {
        for (int i = 0; i < part->count; i++) {
            /* a key that a file has already is not what was meant there, but --set may change it */
            if (rn_document_set(place) || !json_object_get(object, part->keys[i].name))
                rn_word_nearer(name, part->keys[i].name, &nearest);
            if (used < sizeof names)
                used +=
                    (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", part->keys[i].name);
        }
    }
    if (nearest) return rn_document_fail(place, RN_INVALID, "is not a known key; did you mean \"%s\"?", nearest);
    if (*parameters)
        return rn_document_fail(place, RN_INVALID, "is neither a key nor one of the scene's parameters, %s",
                                parameters);
    return rn_document_fail(place, RN_INVALID, "is not a known key; the keys here are %s", names);
}

/* Returns RN_INVALID, with a message at `place` that lists the keys, unless exactly one of the keys `names` (ends with
   NULL) is given. The list reads 'either "at" or "shape"', or, for three keys or more, 'exactly one of "level", "depth"
   and "shape"'. */
static rn_result check_one_of(const char *const *names, const json_t *object, const rn_json_path *place) {
    int given = 0, count = 0;
    for (; names[count]; count++) given += json_object_get(object, names[count]) != NULL;
    if (given == 1) return RN_OK;
    char list[SENTENCE];
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++) {
        const char *joint = i == 0 ? "" : i < count - 1 ? ", " : count == 2 ? " or " : " and ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"", joint, names[i]);
    }
    return rn_document_fail(place, RN_INVALID, "needs %s %s", count == 2 ? "either" : "exactly one of", list);
}

/* Replaces a series that is a single expression, and has been checked, by its value: under at->key of the object, and
   in *out. On failure returns RN_MEMORY or the result of rn_expression_read. */
static rn_result evaluate_series(const json_t *object, const rn_json_path *at, const json_t **out) {
    double number;
    rn_result result = rn_expression_read(*out, at, &number);
    if (result != RN_OK) return result;
    if (json_object_set_new((json_t *)object, at->key, json_real(number)))
        return rn_fail(RN_MEMORY, "there is not enough memory");
    *out = json_object_get(object, at->key);
    return RN_OK;
}

rn_result rn_table_read(const rn_table *table, const json_t *object, const rn_json_path *place, void *values) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        rn_json_path at = {place->document, place, name, 0};
        if (!find_key(table, name)) return fail_unknown_key(table, object, name, &at);
    }
    for (const rn_table *part = table; part; part = part->shared) {
        for (int i = 0; i < part->count; i++) {
            const rn_key *key = &part->keys[i];
            rn_json_path at = {place->document, place, key->name, 0};
            void *out = (char *)values + key->offset;
            const json_t *given = json_object_get(object, key->name);
            rn_result result;
            if (given) result = read_value(key, given, &at, out);
            else if (key->required)
                result = rn_document_fail(place, RN_INVALID, "has no \"%s\" (%s)", key->name, key->meaning);
            else result = read_default(key, &at, out);
            if (result == RN_OK && key->kind == RN_KEY_SERIES && rn_expression_is(given))
                result = evaluate_series(object, &at, out);
            if (result != RN_OK) return result;
            if (given && key->needs && !json_object_get(object, key->needs))
                return rn_document_fail(place, RN_INVALID, "has \"%s\" but no \"%s\"; they go together", key->name,
                                        key->needs);
        }
        rn_result result = part->one_of ? check_one_of(part->one_of, object, place) : RN_OK;
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

const rn_key *rn_key_word(const rn_key *key) {
    if (!key->word) return NULL;
    return *key->word == '*' ? key->table->keys : find_key(key->table, key->word);
}

const char *rn_key_choice(const rn_key *key, int index) {
    if (key->choices) return key->choices[index];
    return key->names ? key->names(index) : NULL;
}

bool rn_key_default(const rn_key *key, char *text, size_t size) {
    const rn_key *word = rn_key_word(key);
    const char *quote = key->kind == RN_KEY_TEXT || key->kind == RN_KEY_CHOICE ? "\"" : "";
    if (key->required) return false;
    if (word) return rn_key_default(word, text, size);
    if (key->otherwise) snprintf(text, size, "%s%s%s", quote, key->otherwise, quote);
    else if (key->kind == RN_KEY_OBJECT || key->kind == RN_KEY_NAMED) snprintf(text, size, "{}");
    else if (key->kind == RN_KEY_LIST) snprintf(text, size, "[]");
    else return false;
    return true;
}

rn_result rn_table_spell_out(const rn_table *table, json_t *object) {
    for (int i = 0; i < table->count; i++) {
        const rn_key *key = &table->keys[i];
        json_t *text = json_object_get(object, key->name);
        if (!key->word || !json_is_string(text)) continue;
        json_t *spelt = json_object();
        int failed = spelt == NULL;
        for (int k = 0; k < key->table->count; k++) {
            const char *name = key->table->keys[k].name;
            if (*key->word == '*' || strcmp(key->word, name) == 0) failed |= json_object_set(spelt, name, text);
        }
        if (json_object_set_new(object, key->name, spelt) || failed)
            return rn_fail(RN_MEMORY, "there is not enough memory");
    }
    return RN_OK;
}
