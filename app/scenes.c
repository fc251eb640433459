/* runnel scenes: lists the scenes that `runnel run` finds by name, with their titles and parameters, as text or as
   JSON. Entry point: command_scenes(). The folders searched are those of common/library.h. */
#include "common/commands.h"
#include "common/library.h"
#include "common/options.h"
#include "common/text.h"

#include <runnel/runnel.h>
#include <stdio.h>

static const char help[] =
    "runnel scenes [--json]: lists the scenes that \"runnel run\" knows by name.\n"
    "\n"
    "They are looked for in $RUNNEL_SCENES, in ./scenes, and where runnel itself has them.\n"
    "Numbers after a title are the scene's parameters: \"runnel run NAME --set PARAMETER=VALUE\".\n"
    "  --json   {\"scenes\": [{\"name\", \"title\", \"about\", \"file\", \"parameters\"}]}\n";

/* What the list shows of one scene file. */
typedef struct entry {
    char title[256], about[4096];
    rn_parameter parameters[RN_MOST_PARAMETERS];
    int parameter_count;
} entry;

/* Reads the title, description and parameters from a scene file. Returns false if the file cannot be read or is not
   valid; rn_last_error() says why. */
static bool read_entry(const char *path, entry *e) {
    return rn_scene_preview(path, e->title, sizeof e->title, e->about, sizeof e->about) == RN_OK &&
           rn_scene_preview_parameters(path, e->parameters, &e->parameter_count) == RN_OK;
}

/* Prints a line of the list: name, title and, if any, parameters with their default values. */
static void print_scene_line(const library_scene *scene, const entry *e) {
    printf("  %-16s %s", scene->name, e->title);
    for (int i = 0; i < e->parameter_count; i++)
        printf("%s%s=%.10g", i ? ", " : " (", e->parameters[i].name, e->parameters[i].value);
    puts(e->parameter_count ? ")" : "");
}

/* Prints a scene, with its file and parameters, as a JSON object without a line break after it. `first`: no comma
   before it. */
static void print_scene_json(const library_scene *scene, const entry *e, bool first) {
    printf("%s\n  {\"name\": ", first ? "" : ",");
    print_json_text(stdout, scene->name);
    printf(", \"title\": ");
    print_json_text(stdout, e->title);
    printf(", \"about\": ");
    print_json_text(stdout, e->about);
    printf(", \"file\": ");
    print_json_text(stdout, scene->path);
    printf(", \"parameters\": {");
    for (int i = 0; i < e->parameter_count; i++) {
        if (i) printf(", ");
        print_json_text(stdout, e->parameters[i].name);
        printf(": ");
        print_json_number(stdout, e->parameters[i].value);
    }
    printf("}}");
}

/* Runs `runnel scenes`: prints all scenes found, as text or JSON, and returns the exit status. A scene file that is not
   valid is reported on stderr and left out; that is not a failure. */
int command_scenes(int argc, char **argv) {
    bool json = false;
    const option options[] = {{"--json", OPTION_FLAG, &json, 0, 0}};
    switch (options_read("scenes", argc, argv, options, 1)) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    library scenes = library_open();
    int shown = 0;
    if (json) printf("{\"scenes\": [");
    for (int i = 0; i < scenes.count; i++) {
        entry e;
        if (!read_entry(scenes.scenes[i].path, &e)) {
            complain("%s", rn_last_error());
            continue;
        }
        if (json) print_scene_json(&scenes.scenes[i], &e, shown == 0);
        else print_scene_line(&scenes.scenes[i], &e);
        shown++;
    }
    if (json) printf("\n]}\n");
    else if (shown) printf("\nRun one with \"runnel run %s\".\n", scenes.scenes[0].name);
    else printf("No scenes were found; set RUNNEL_SCENES to a folder of JSON files.\n");
    library_close(&scenes);
    return EXIT_FINE;
}
