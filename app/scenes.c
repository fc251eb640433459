#include "commands.h"
#include "library.h"
#include "options.h"
#include "text.h"

#include <runnel/runnel.h>
#include <stdio.h>

static const char help[] = "runnel scenes [--json]: lists the scenes that \"runnel run\" knows by name.\n"
                           "\n"
                           "They are looked for in $RUNNEL_SCENES, in ./scenes, and where runnel itself has them.\n"
                           "  --json   {\"scenes\": [{\"name\", \"title\", \"about\", \"file\"}]}\n";

static void print_json(const library_scene *scene, const char *title, const char *about, bool first) {
    printf("%s\n  {\"name\": ", first ? "" : ",");
    print_json_text(stdout, scene->name);
    printf(", \"title\": ");
    print_json_text(stdout, title);
    printf(", \"about\": ");
    print_json_text(stdout, about);
    printf(", \"file\": ");
    print_json_text(stdout, scene->path);
    printf("}");
}

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
        char title[256], about[4096];
        if (rn_scene_peek(scenes.scenes[i].path, title, sizeof title, about, sizeof about) != RN_OK) {
            complain("%s", rn_last_error());
            continue;
        }
        if (json) print_json(&scenes.scenes[i], title, about, shown == 0);
        else printf("  %-16s %s\n", scenes.scenes[i].name, title);
        shown++;
    }
    if (json) printf("\n]}\n");
    else if (shown) printf("\nRun one with \"runnel run %s\".\n", scenes.scenes[0].name);
    else printf("No scenes were found; set RUNNEL_SCENES to a folder of JSON files.\n");
    library_close(&scenes);
    return EXIT_FINE;
}
