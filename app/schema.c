/* runnel schema: prints the JSON Schema of scene files or, with --docs, the same information as a Markdown page. Entry
   point: command_schema(). The text itself comes from rn_scene_schema() and rn_scene_reference(). */
#include "common/commands.h"
#include "common/options.h"

#include <runnel/runnel.h>
#include <stdio.h>

static const char help[] =
    "runnel schema [--docs]: prints the JSON Schema of scene files, for editors that complete and check keys.\n"
    "\n"
    "  runnel schema >schema.json    then begin a scene beside it with \"$schema\": \"./schema.json\"\n"
    "\n"
    "  --docs   prints the same as a Markdown page: every key, its unit, range, default and meaning\n";

/* Runs `runnel schema`: prints the schema or, with --docs, the page, and returns the exit status. */
int command_schema(int argc, char **argv) {
    bool docs = false;
    const option options[] = {{"--docs", OPTION_FLAG, &docs, 0, 0}};
    switch (options_read("schema", argc, argv, options, 1)) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    char *text;
    if ((docs ? rn_scene_reference(&text) : rn_scene_schema(&text)) != RN_OK) return complain("%s", rn_last_error());
    fputs(text, stdout);
    rn_scene_text_free(text);
    return EXIT_FINE;
}
