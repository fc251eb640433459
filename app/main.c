#include "base/words.h"
#include "common/commands.h"
#include "common/console.h"
#include "common/options.h"

#include <errno.h>
#include <runnel/runnel.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "runnel: real-time liquids over any geometry.\n"
    "\n"
    "  runnel run                             spill a cup of coffee: pictures and numbers in out/spill\n"
    "  runnel run bowl --seconds 2            another scene, the first two seconds of it\n"
    "  runnel run incline --set liquid.viscosity=4e-5\n"
    "                                         the same scene with one value changed\n"
    "  runnel run u-tube --set length=0.1     a parameter that the scene has, as \"runnel scenes\" lists them\n"
    "  runnel run my-scene.json --out result  your own scene (docs/scenes.md says how to write one)\n"
    "  runnel run spill --video spill.mp4     a film besides (or .webm, .gif)\n"
    "  runnel render out/x/checkpoint.rnl     a picture, or a film once around, of what a checkpoint has\n"
    "  runnel inspect part.stl                what is in a mesh or a terrain, and a scene that pours over it\n"
    "  runnel figures                         the comparisons that the papers show, side by side, and a page\n"
    "  runnel compare splash                  the same scene over columns and as a 3D liquid, film and page\n"
    "  runnel scenes                          what else there is to run\n"
    "  runnel schema                          the scene format, for an editor that completes and checks\n"
    "  runnel validate                        holds the physics against theory, row by row\n"
    "  runnel bench                           measures how fast this machine is\n"
    "\n"
    "\"runnel run --help\" and so on tell more. All units are SI: metres, seconds, m²/s.\n"
    "Exit status: 0 fine, 1 a check failed, 2 bad input, 130 interrupted (what was done is kept).\n";

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"bench", command_bench},     {"compare", command_compare}, {"figures", command_figures},
    {"inspect", command_inspect}, {"render", command_render},   {"run", command_run},
    {"scenes", command_scenes},   {"schema", command_schema},   {"validate", command_validate},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int unknown_command(const char *name) {
    const char *nearest = NULL;
    for (int i = 0; i < COMMANDS; i++) rn_word_nearer(name, commands[i].name, &nearest);
    if (nearest) return complain("runnel: there is no command \"%.60s\"; did you mean \"%s\"?", name, nearest);
    return complain("runnel: there is no command \"%.60s\"; \"runnel --help\" lists them", name);
}

static int run(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--version") == 0) {
        printf("runnel %s\n", rn_version());
        return EXIT_FINE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        if (argc <= 2) {
            fputs(help, stdout);
            return EXIT_FINE;
        }
        char *ask[] = {"--help"};
        for (int i = 0; i < COMMANDS; i++)
            if (strcmp(argv[2], commands[i].name) == 0) return commands[i].run(1, ask);
        return unknown_command(argv[2]);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    return unknown_command(name);
}

int main(int argc, char **argv) {
    console_start();
    int status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    return complain("runnel: the output cannot be written: %s", strerror(errno));
}
