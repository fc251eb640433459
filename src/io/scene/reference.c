/* Writes the tables of a scene as a page of documentation in Markdown (rn_scene_reference). All static functions append
   to `text`. */
#include "base/error.h"
#include "io/file/text.h"
#include "io/scene/body_values.h"
#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <ctype.h>

static const char opening[] =
    "<!-- Made by `runnel schema --docs` from the tables that scenes are read by; edit those. -->\n"
    "# Scene reference\n"
    "\n"
    "Every key of a scene file. [scenes.md](scenes.md) shows how to write one, and\n"
    "[schema.json](../scenes/schema.json) (`runnel schema`) tells an editor the same as this page.\n"
    "\n"
    "All units are SI and z is up. A bound that is not given is a thousand million (1e9) in size. Any number but a\n"
    "parameter's may be an [expression](scenes.md#parameters), `\"=2 * length + 0.03\"`.\n";

static const char shapes[] = "\n## Shapes\n\n"
                             "Every shape has these keys, besides those of its type. It sits at the origin, is scaled, "
                             "turned, and then moved.\n\n";

static const char forms[] =
    "\n## Shapes of bodies\n\n"
    "What rigid bodies and their parts have, besides the keys of their type. All are closed.\n\n";

static const char columns[] = "| key | unit | value | default | meaning |\n|---|---|---|---|---|\n";

/* Writes the texts that a key may have, separated by commas. */
static void write_choices(rn_text *text, const rn_key *key) {
    const char *word;
    for (int i = 0; (word = rn_key_choice(key, i)); i++) rn_text_add(text, "%s`\"%s\"`", i ? ", " : "", word);
}

/* Writes what numbers a key may have: "number, 0 or more", "3 whole numbers, each from 1 to 8". Bounds of 1e9 are left
   out. */
static void write_numbers(rn_text *text, const rn_key *key) {
    char range[128];
    const char *number = key->kind == RN_KEY_COUNT ? "whole number" : "number";
    rn_bounds_describe(&key->range, key->range.low > -1e9, key->range.high < 1e9, range, sizeof range);
    if (key->length) rn_text_add(text, "%d %ss%s%s", key->length, number, *range ? ", each " : "", range);
    else rn_text_add(text, "%s%s%s", number, *range ? ", " : "", range);
}

/* Writes what values a key may have, for its column of the table. */
static void write_value(rn_text *text, const rn_key *key) {
    switch (key->kind) {
    case RN_KEY_NUMBER:
    case RN_KEY_COUNT: write_numbers(text, key); break;
    case RN_KEY_FLAG: rn_text_add(text, "`true` or `false`"); break;
    case RN_KEY_TEXT:
        if (key->names) write_choices(text, key);
        else rn_text_add(text, "text");
        break;
    case RN_KEY_CHOICE: write_choices(text, key); break;
    case RN_KEY_OBJECT:
        rn_text_add(text, "an object: [%s](#%s)", key->table->name, key->table->name);
        if (!key->word) break;
        if (*key->word == '*') rn_text_add(text, "; or one word for all of its keys");
        else rn_text_add(text, "; or its `%s` alone", key->word);
        break;
    case RN_KEY_LIST: rn_text_add(text, "a list of [%s](#%s) objects", key->table->name, key->table->name); break;
    case RN_KEY_SHAPE: rn_text_add(text, "a [shape](#shapes)"); break;
    case RN_KEY_SHAPES: rn_text_add(text, "a list of [shapes](#shapes), %d or more", key->least); break;
    case RN_KEY_FORM: rn_text_add(text, "a [shape of a body](#shapes-of-bodies)"); break;
    case RN_KEY_FORMS:
        rn_text_add(text, "a list of [shapes of bodies](#shapes-of-bodies), %d or more", key->least);
        break;
    case RN_KEY_NAMED: rn_text_add(text, "an object of names (a-z, 0-9, _) to numbers"); break;
    case RN_KEY_ROWS:
        if (key->length) rn_text_add(text, "a list of lists of %d numbers", key->length);
        else rn_text_add(text, "a list of lists of numbers");
        break;
    case RN_KEY_SAMPLES: rn_text_add(text, "a list of numbers, or a list of such lists"); break;
    case RN_KEY_MAP: rn_text_add(text, "name of a PNG; or a list of lists of numbers"); break;
    case RN_KEY_SERIES:
        if (!key->length) write_numbers(text, key);
        rn_text_add(text, key->length ? "a list of [time, x, y, z], times rising"
                                      : "; or a list of [time (s), value], times rising");
        break;
    }
}

/* Writes a row of the page's table for each key, without those of shared tables. */
static void write_rows(rn_text *text, const rn_table *table) {
    for (int i = 0; i < table->count; i++) {
        const rn_key *key = &table->keys[i];
        char otherwise[256];
        rn_text_add(text, "| `%s` | %s | ", key->name, key->unit ? key->unit : "");
        write_value(text, key);
        if (key->required) rn_text_add(text, " | required");
        else if (rn_key_default(key, otherwise, sizeof otherwise)) rn_text_add(text, " | `%s`", otherwise);
        else rn_text_add(text, " | ");
        rn_text_add(text, " | %s |\n", key->meaning);
    }
}

/* Writes a section: heading (`level`: "##" or deeper), keys, rules and example. `elsewhere`: a table whose keys, shared
   by this one, are described elsewhere; NULL: none. */
static void write_table(rn_text *text, const rn_table *table, const char *level, const rn_table *elsewhere) {
    rn_text_add(text, "\n%s %s\n\n%c%s.\n\n%s", level, table->name, toupper(*table->meaning), table->meaning + 1,
                columns);
    for (const rn_table *part = table; part && part != elsewhere; part = part->shared) write_rows(text, part);
    for (const rn_table *part = table; part; part = part->shared) {
        if (!part->one_of) continue;
        rn_text_add(text, "\nExactly one of ");
        for (int i = 0; part->one_of[i]; i++)
            rn_text_add(text, "%s`%s`", i == 0 ? "" : part->one_of[i + 1] ? ", " : " and ", part->one_of[i]);
        rn_text_add(text, " must be given.\n");
    }
    for (const rn_table *part = table; part; part = part->shared)
        for (int i = 0; i < part->count; i++)
            if (part->keys[i].needs) rn_text_add(text, "\n`%s` needs `%s`.\n", part->keys[i].name, part->keys[i].needs);
    if (table->example) rn_text_add(text, "\n```json\n%s\n```\n", table->example);
}

/* Writes the section of a table, then those of the objects in it, and so on. */
static void write_tables(rn_text *text, const rn_table *table) {
    write_table(text, table, "##", NULL);
    for (int i = 0; i < table->count; i++)
        if (table->keys[i].table) write_tables(text, table->keys[i].table);
}

/* Writes the heading, the keys common to all types, then a section for each type. All types must share one table. */
static void write_family(rn_text *text, const char *heading, const rn_family *family) {
    const rn_table *common = family->table(0)->shared;
    rn_text_add(text, "%s%s", heading, columns);
    write_rows(text, common);
    for (int i = 0; family->table(i); i++) write_table(text, family->table(i), "###", common);
}

rn_result rn_scene_reference(char **out) {
    if (!RN_REQUIRE(NULL, out)) return RN_INVALID;
    rn_text text = {0};
    rn_text_add(&text, "%s", opening);
    write_tables(&text, &rn_scene_table);
    write_family(&text, shapes, &rn_shape_family);
    write_family(&text, forms, &rn_form_family);
    return rn_text_finish(&text, out);
}
