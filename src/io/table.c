#include "io/table.h"

#include "base/error.h"
#include "base/words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 256 };

static const rn_key *find_key(const rn_table *table, const char *name) {
    for (; table; table = table->shared)
        for (int i = 0; i < table->count; i++)
            if (strcmp(table->keys[i].name, name) == 0) return &table->keys[i];
    return NULL;
}

void rn_range_describe(const rn_range *range, double value, char *text, size_t size) {
    bool low = range->low > -1e6 || value < range->low, high = range->high < 1e6 || value > range->high;
    if (low && high && !range->above) {
        snprintf(text, size, "from %.10g to %.10g", range->low, range->high);
    } else {
        char least[64] = "", most[64] = "";
        if (low) snprintf(least, sizeof least, range->above ? "more than %.10g" : "%.10g or more", range->low);
        if (high) snprintf(most, sizeof most, "at most %.10g", range->high);
        snprintf(text, size, "%s%s%s", least, low && high ? " and " : "", most);
    }
}

/* "0 or more (m²/s)" */
static void write_range(const rn_key *key, double value, char *text) {
    rn_range_describe(&key->range, value, text, SENTENCE);
    if (key->unit) {
        size_t used = strlen(text);
        snprintf(text + used, SENTENCE - used, "%s(%s)", used ? " " : "", key->unit);
    }
}

static void write_choices(const rn_key *key, char *text) {
    size_t used = 0;
    for (int i = 0; key->choices[i] && used < SENTENCE; i++) {
        const char *joint = i == 0 ? "" : key->choices[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, SENTENCE - used, "%s\"%s\"", joint, key->choices[i]);
    }
}

/* What would be right, for a value of the wrong type. */
static void write_kind(const rn_key *key, bool element, char *text) {
    char range[SENTENCE];
    bool whole = key->kind == RN_KEY_COUNT;
    switch (key->kind) {
    case RN_KEY_NUMBER:
    case RN_KEY_COUNT:
        if (key->length && !element) {
            snprintf(text, SENTENCE, "a list of %d %snumbers", key->length, whole ? "whole " : "");
        } else {
            write_range(key, 0.5 * (key->range.low + key->range.high), range);
            snprintf(text, SENTENCE, "a %snumber%s%.200s", whole ? "whole " : "",
                     *range == 0     ? ""
                     : *range == '(' ? " "
                                     : ", ",
                     range);
        }
        break;
    case RN_KEY_FLAG: snprintf(text, SENTENCE, "true or false"); break;
    case RN_KEY_TEXT: snprintf(text, SENTENCE, "text"); break;
    case RN_KEY_CHOICE: write_choices(key, text); break;
    case RN_KEY_OBJECT: snprintf(text, SENTENCE, "an object%s", key->word ? " or a name" : ""); break;
    case RN_KEY_LIST: snprintf(text, SENTENCE, "a list of objects"); break;
    case RN_KEY_SHAPE: snprintf(text, SENTENCE, "a shape, such as {\"type\": \"sphere\", \"radius\": 0.01}"); break;
    case RN_KEY_SHAPES: snprintf(text, SENTENCE, "a list of shapes"); break;
    case RN_KEY_ROWS: snprintf(text, SENTENCE, "a list of numbers, or a list of such lists"); break;
    }
}

static rn_result wrong_kind(const rn_key *key, bool element, const json_t *value, const rn_place *place) {
    char shown[64], right[SENTENCE];
    write_kind(key, element, right);
    return rn_document_fail(place, RN_INVALID, "is %s; it must be %s", rn_document_show(value, shown, sizeof shown),
                            right);
}

static rn_result read_number(const rn_key *key, const json_t *value, const rn_place *place, size_t index, void *out) {
    if (!json_is_number(value)) return wrong_kind(key, true, value, place);
    double number = json_number_value(value);
    const rn_range *range = &key->range;
    bool inside = (range->above ? number > range->low : number >= range->low) && number <= range->high;
    if (!inside) {
        char shown[64], right[SENTENCE];
        write_range(key, number, right);
        return rn_document_fail(place, RN_INVALID, "is %s; it must be %s", rn_document_show(value, shown, sizeof shown),
                                right);
    }
    if (key->kind == RN_KEY_COUNT) {
        if (number != floor(number) || fabs(number) > INT_MAX) return wrong_kind(key, true, value, place);
        ((int *)out)[index] = (int)number;
    } else {
        ((double *)out)[index] = number;
    }
    return RN_OK;
}

static rn_result read_numbers(const rn_key *key, const json_t *value, const rn_place *place, void *out) {
    if (!key->length) return read_number(key, value, place, 0, out);
    if (!json_is_array(value) || json_array_size(value) != (size_t)key->length)
        return wrong_kind(key, false, value, place);
    for (size_t i = 0; i < (size_t)key->length; i++) {
        rn_place element = {place->document, place, NULL, i};
        rn_result result = read_number(key, json_array_get(value, i), &element, i, out);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result read_choice(const rn_key *key, const char *word, const json_t *value, const rn_place *place,
                             void *out) {
    for (int i = 0; word && key->choices[i]; i++) {
        if (strcmp(word, key->choices[i]) == 0) {
            *(int *)out = i;
            return RN_OK;
        }
    }
    return wrong_kind(key, false, value, place);
}

static rn_result read_value(const rn_key *key, const json_t *value, const rn_place *place, void *out) {
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
        if (!json_is_object(value)) break;
        *(const json_t **)out = value;
        return RN_OK;
    case RN_KEY_LIST:
    case RN_KEY_SHAPES:
    case RN_KEY_ROWS:
        if (!json_is_array(value)) break;
        *(const json_t **)out = value;
        return RN_OK;
    }
    return wrong_kind(key, false, value, place);
}

static rn_result read_default(const rn_key *key, const rn_place *place, void *out) {
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

static rn_result unknown_key(const rn_table *table, const char *name, const rn_place *place) {
    const char *nearest = NULL;
    char names[400] = "";
    size_t used = 0;
    for (const rn_table *part = table; part; part = part->shared) {
        for (int i = 0; i < part->count; i++) {
            rn_word_nearer(name, part->keys[i].name, &nearest);
            if (used < sizeof names)
                used +=
                    (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", part->keys[i].name);
        }
    }
    if (nearest) return rn_document_fail(place, RN_INVALID, "is not a known key; did you mean \"%s\"?", nearest);
    return rn_document_fail(place, RN_INVALID, "is not a known key; the keys here are %s", names);
}

rn_result rn_table_read(const rn_table *table, const json_t *object, const rn_place *place, void *values) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        rn_place at = {place->document, place, name, 0};
        if (!find_key(table, name)) return unknown_key(table, name, &at);
    }
    for (const rn_table *part = table; part; part = part->shared) {
        for (int i = 0; i < part->count; i++) {
            const rn_key *key = &part->keys[i];
            rn_place at = {place->document, place, key->name, 0};
            void *out = (char *)values + key->offset;
            const json_t *given = json_object_get(object, key->name);
            rn_result result;
            if (given) result = read_value(key, given, &at, out);
            else if (key->required)
                result = rn_document_fail(place, RN_INVALID, "has no \"%s\" (%s)", key->name, key->meaning);
            else result = read_default(key, &at, out);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
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
