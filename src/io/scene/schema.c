/* Writes the tables of a scene as a JSON Schema (rn_scene_schema). One line per key, so that a change of a key changes
   one line. All static functions append to `text`; rn_text records running out of memory. */
#include "base/error.h"
#include "io/file/text.h"
#include "io/scene/body_values.h"
#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Begins a line that is indented `depth` times. */
static void begin_line(rn_text *text, int depth) { rn_text_add(text, "\n%*s", 2 * depth, ""); }

/* Writes the type of one number of a key, or of an expression in its place. Bounds apply only to numbers and the
   pattern only to text. */
static void write_number(rn_text *text, const rn_key *key) {
    rn_text_add(text, "\"type\": [\"%s\", \"string\"], \"%s\": %.10g, \"maximum\": %.10g, \"pattern\": \"^=\"",
                key->kind == RN_KEY_COUNT ? "integer" : "number", key->range.above ? "exclusiveMinimum" : "minimum",
                key->range.low, key->range.high);
}

/* Writes the type of a number, or of a list of key->length of them. */
static void write_numbers(rn_text *text, const rn_key *key) {
    if (!key->length) {
        write_number(text, key);
        return;
    }
    rn_text_add(text, "\"type\": \"array\", \"items\": {");
    write_number(text, key);
    rn_text_add(text, "}, \"minItems\": %d, \"maxItems\": %d", key->length, key->length);
}

/* Writes the type of a list up to the opening brace of its elements, which the caller closes. */
static void begin_list(rn_text *text, const rn_key *key) {
    rn_text_add(text, "\"type\": \"array\", ");
    if (key->least) rn_text_add(text, "\"minItems\": %d, ", key->least);
    rn_text_add(text, "\"items\": {");
}

/* Writes the type of a list of lists of numbers; for samples, plain numbers too. */
static void write_rows(rn_text *text, const rn_key *key) {
    begin_list(text, key);
    if (key->kind == RN_KEY_SAMPLES) {
        rn_text_add(text, "\"anyOf\": [{");
        write_number(text, key);
        rn_text_add(text, "}, {");
    }
    rn_text_add(text, "\"type\": \"array\", \"items\": {");
    write_number(text, key);
    rn_text_add(text, "}");
    if (key->length) rn_text_add(text, ", \"minItems\": %d, \"maxItems\": %d", key->length, key->length);
    rn_text_add(text, "%s}", key->kind == RN_KEY_SAMPLES ? "}]" : "");
}

/* Writes the type of a map: the name of a picture, or rows of numbers. */
static void write_map(rn_text *text, const rn_key *key) {
    rn_text_add(text, "\"anyOf\": [{\"type\": \"string\"}, {");
    write_rows(text, key);
    rn_text_add(text, "}]");
}

/* Writes the type of a list of [time, values …]; with one value, also a plain number. */
static void write_series(rn_text *text, const rn_key *key) {
    const int size = 1 + (key->length ? key->length : 1);
    if (!key->length) {
        rn_text_add(text, "\"anyOf\": [{");
        write_number(text, key);
        rn_text_add(text, "}, {");
    }
    rn_text_add(text, "\"type\": \"array\", \"minItems\": 1, \"maxItems\": %d, \"items\": {\"type\": \"array\", ",
                RN_MOST_POINTS);
    for (int i = 0; i < size; i++) {
        rn_text_add(text, i ? ", {" : "\"prefixItems\": [{");
        write_number(text, i ? key : &rn_time_key);
        rn_text_add(text, "}");
    }
    rn_text_add(text, "], \"minItems\": %d, \"maxItems\": %d}%s", size, size, key->length ? "" : "}]");
}

/* Appends the JSON Schema type of a key whose value maps names to numbers, such as "parameters". */
static void write_named(rn_text *text, const rn_key *key) {
    rn_text_add(text,
                "\"type\": \"object\", \"maxProperties\": %d, \"patternProperties\": {\"^[a-z][a-z0-9_]{0,%d}$\": "
                "{\"type\": \"number\", \"minimum\": %.10g, \"maximum\": %.10g}}, \"additionalProperties\": false",
                RN_MOST_PARAMETERS, RN_LONGEST_PARAMETER - 2, key->range.low, key->range.high);
}

/* Writes the texts that a key may have, at least one, as an enum. */
static void write_choices(rn_text *text, const rn_key *key) {
    const char *word;
    for (int i = 0; (word = rn_key_choice(key, i)); i++) {
        rn_text_add(text, i ? ", " : "\"enum\": [");
        rn_text_quote(text, word);
    }
    rn_text_add(text, "]");
}

static void write_object(rn_text *text, const rn_table *table, const char *type, int depth);

/* Writes the description of a table, then its object; `type` as in write_key. */
static void write_described(rn_text *text, const rn_table *table, const char *type, int depth) {
    rn_text_add(text, "\"description\": ");
    rn_text_quote(text, table->meaning);
    rn_text_add(text, ", ");
    write_object(text, table, type, depth);
}

/* Writes the type of a key's value, without the braces around it; depth: its indentation. */
static void write_value(rn_text *text, const rn_key *key, int depth) {
    switch (key->kind) {
    case RN_KEY_NUMBER:
    case RN_KEY_COUNT: write_numbers(text, key); break;
    case RN_KEY_FLAG: rn_text_add(text, "\"type\": \"boolean\""); break;
    case RN_KEY_TEXT:
        if (key->names) write_choices(text, key);
        else rn_text_add(text, "\"type\": \"string\"");
        break;
    case RN_KEY_CHOICE: write_choices(text, key); break;
    case RN_KEY_OBJECT:
        if (!key->word) {
            write_object(text, key->table, NULL, depth);
            break;
        }
        rn_text_add(text, "\"anyOf\": [{");
        write_value(text, rn_key_word(key), depth);
        rn_text_add(text, "}, {");
        write_described(text, key->table, NULL, depth);
        rn_text_add(text, "}]");
        break;
    case RN_KEY_LIST:
        begin_list(text, key);
        write_described(text, key->table, NULL, depth);
        rn_text_add(text, "}");
        break;
    case RN_KEY_SHAPE: rn_text_add(text, "\"$ref\": \"#/$defs/shape\""); break;
    case RN_KEY_SHAPES:
        begin_list(text, key);
        rn_text_add(text, "\"$ref\": \"#/$defs/shape\"}");
        break;
    case RN_KEY_FORM: rn_text_add(text, "\"$ref\": \"#/$defs/form\""); break;
    case RN_KEY_FORMS:
        begin_list(text, key);
        rn_text_add(text, "\"$ref\": \"#/$defs/form\"}");
        break;
    case RN_KEY_NAMED: write_named(text, key); break;
    case RN_KEY_ROWS:
    case RN_KEY_SAMPLES: write_rows(text, key); break;
    case RN_KEY_MAP: write_map(text, key); break;
    case RN_KEY_SERIES: write_series(text, key); break;
    }
}

/* Writes a key with its description, default and type. `type` is the only type that a shape of this table may have;
   NULL: the object is not a shape. */
static void write_key(rn_text *text, const rn_key *key, const char *type, int depth) {
    char meaning[256], otherwise[256];
    snprintf(meaning, sizeof meaning, key->unit ? "%s (%s)" : "%s", key->meaning, key->unit);
    rn_text_quote(text, key->name);
    rn_text_add(text, ": {\"description\": ");
    rn_text_quote(text, meaning);
    if (rn_key_default(key, otherwise, sizeof otherwise)) rn_text_add(text, ", \"default\": %s", otherwise);
    rn_text_add(text, ", ");
    if (type && strcmp(key->name, "type") == 0) rn_text_add(text, "\"const\": \"%s\"", type);
    else write_value(text, key, depth);
    rn_text_add(text, "}");
}

/* Writes the line of keys that must be given, also shared ones; nothing if there are none. */
static void write_required(rn_text *text, const rn_table *table, int depth) {
    int count = 0;
    for (; table; table = table->shared) {
        for (int i = 0; i < table->count; i++) {
            if (!table->keys[i].required) continue;
            if (count == 0) begin_line(text, depth);
            rn_text_add(text, "%s\"%s\"", count++ ? ", " : "\"required\": [", table->keys[i].name);
        }
    }
    if (count) rn_text_add(text, "],");
}

/* Writes the rule that exactly one of these keys must be given, without line break or comma: "oneOf": […]. `names` has
   at least one name, then NULL. */
static void write_one_of(rn_text *text, const char *const *names) {
    for (int i = 0; names[i]; i++) rn_text_add(text, "%s{\"required\": [\"%s\"]}", i ? ", " : "\"oneOf\": [", names[i]);
    rn_text_add(text, "]");
}

/* Writes the line of rules for keys of which exactly one must be given, also shared ones; nothing if there are none. An
   object can have one oneOf; several go into an allOf. */
static void write_exclusive_keys(rn_text *text, const rn_table *table, int depth) {
    int groups = 0, written = 0;
    for (const rn_table *part = table; part; part = part->shared) groups += part->one_of != NULL;
    if (groups == 0) return;
    begin_line(text, depth);
    if (groups > 1) rn_text_add(text, "\"allOf\": [");
    for (const rn_table *part = table; part; part = part->shared) {
        if (!part->one_of) continue;
        if (groups > 1) rn_text_add(text, written++ ? "}, {" : "{");
        write_one_of(text, part->one_of);
    }
    rn_text_add(text, groups > 1 ? "}]," : ",");
}

/* Writes the line of keys that require another key, also shared ones; nothing if there are none. */
static void write_needs(rn_text *text, const rn_table *table, int depth) {
    int count = 0;
    for (; table; table = table->shared) {
        for (int i = 0; i < table->count; i++) {
            const rn_key *key = &table->keys[i];
            if (!key->needs) continue;
            if (count == 0) begin_line(text, depth);
            rn_text_add(text, "%s\"%s\": [\"%s\"]", count++ ? ", " : "\"dependentRequired\": {", key->name, key->needs);
        }
    }
    if (count) rn_text_add(text, "},");
}

/* Writes the keys of a table, with shared ones, and their rules, without the braces around them; `type` as in
   write_key, depth: indentation. */
static void write_object(rn_text *text, const rn_table *table, const char *type, int depth) {
    const char *example = table->example;
    int count = 0;
    rn_text_add(text, "\"type\": \"object\",");
    begin_line(text, depth + 1);
    rn_text_add(text, "\"properties\": {");
    for (const rn_table *part = table; part; part = part->shared) {
        for (int i = 0; i < part->count; i++) {
            rn_text_add(text, count++ ? "," : "");
            begin_line(text, depth + 2);
            write_key(text, &part->keys[i], type, depth + 2);
        }
    }
    begin_line(text, depth + 1);
    rn_text_add(text, "},");
    write_required(text, table, depth + 1);
    write_exclusive_keys(text, table, depth + 1);
    write_needs(text, table, depth + 1);
    if (example) {
        begin_line(text, depth + 1);
        rn_text_add(text, "\"examples\": [%s],", example);
    }
    begin_line(text, depth + 1);
    rn_text_add(text, "\"additionalProperties\": false");
    begin_line(text, depth);
}

/* Writes the definition of a family and those of all its types. Only the type decides which keys a shape has: an
   editor can then say which key is wrong. A oneOf would only say that no type fits, after trying all of them at
   every level. */
static void write_family(rn_text *text, const rn_family *family) {
    const rn_table *table;
    begin_line(text, 2);
    rn_text_add(text, "\"%s\": {\"description\": \"%s\", \"type\": \"object\",", family->name, family->about);
    begin_line(text, 3);
    rn_text_add(text, "\"properties\": {\"type\": {\"description\": \"kind of shape\", ");
    for (int i = 0; (table = family->table(i)); i++)
        rn_text_add(text, "%s\"%s\"", i ? ", " : "\"enum\": [", table->name);
    rn_text_add(text, "]}},");
    begin_line(text, 3);
    rn_text_add(text, "\"required\": [\"type\"],");
    begin_line(text, 3);
    rn_text_add(text, "\"allOf\": [");
    for (int i = 0; (table = family->table(i)); i++) {
        rn_text_add(text, i ? "," : "");
        begin_line(text, 4);
        rn_text_add(text,
                    "{\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}, \"required\": [\"type\"]}, "
                    "\"then\": {\"$ref\": \"#/$defs/%s%s\"}}",
                    table->name, family->prefix, table->name);
    }
    begin_line(text, 3);
    rn_text_add(text, "]");
    begin_line(text, 2);
    rn_text_add(text, "}");
    for (int i = 0; (table = family->table(i)); i++) {
        rn_text_add(text, ",");
        begin_line(text, 2);
        rn_text_add(text, "\"%s%s\": {", family->prefix, table->name);
        write_described(text, table, table->name, 2);
        rn_text_add(text, "}");
    }
}

/* Writes "$defs": the definitions of both families. */
static void write_families(rn_text *text) {
    begin_line(text, 1);
    rn_text_add(text, "\"$defs\": {");
    write_family(text, &rn_shape_family);
    rn_text_add(text, ",");
    write_family(text, &rn_form_family);
    begin_line(text, 1);
    rn_text_add(text, "},");
}

rn_result rn_scene_schema(char **out) {
    if (!RN_REQUIRE(NULL, out)) return RN_INVALID;
    rn_text text = {0};
    rn_text_add(&text, "{");
    begin_line(&text, 1);
    rn_text_add(&text, "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",");
    begin_line(&text, 1);
    rn_text_add(&text, "\"title\": \"runnel scene\",");
    write_families(&text);
    begin_line(&text, 1);
    write_described(&text, &rn_scene_table, NULL, 0);
    rn_text_add(&text, "}\n");
    return rn_text_finish(&text, out);
}

void rn_scene_text_free(char *text) { free(text); }
