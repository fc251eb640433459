/* The entry point of the `runnel` command. main() sets up the console, passes the arguments after the name of a
   sub-command to that sub-command (common/commands.h lists them), and returns its exit status. It also answers --help
   and --version, and reports an error if stdout could not be written. */
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
    "  runnel run bowl --seconds 2            the first two seconds of another scene\n"
    "  runnel run incline --set liquid.viscosity=4e-5\n"
    "                                         the same scene with one value changed\n"
    "  runnel run u-tube --set length=0.1     a parameter of the scene; \"runnel scenes\" lists them\n"
    "  runnel run my-scene.json --out result  your own scene (docs/scenes.md explains how to write one)\n"
    "  runnel run spill --video spill.mp4     also make a film (or .webm, .webp, .gif)\n"
    "  runnel view spill                      play with a scene in a window: pour, dig, drop bodies, record\n"
    "  runnel render out/x/checkpoint.rnl     draw a checkpoint: one picture, or a film around it\n"
    "  runnel inspect part.stl                check a mesh or a terrain, and write a scene that pours liquid over it\n"
    "  runnel figures                         make the figures of the papers side by side, and a page about them\n"
    "  runnel compare splash                  run a scene with columns and as a 3D liquid: a film and a page\n"
    "  runnel scenes                          list all scenes\n"
    "  runnel schema                          print the JSON Schema of scene files, for editors\n"
    "  runnel validate                        compare the physics with theory\n"
    "  runnel bench                           measure the speed on this machine\n"
    "\n"
    "\"runnel run --help\" and so on explain more. All units are SI: metres, seconds, m²/s.\n"
    "Exit status: 0 success, 1 a check failed, 2 bad input, 130 interrupted (results so far are kept).\n";

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"bench", command_bench},     {"compare", command_compare}, {"figures", command_figures},
    {"inspect", command_inspect}, {"render", command_render},   {"run", command_run},
    {"scenes", command_scenes},   {"schema", command_schema},   {"validate", command_validate},
    {"view", command_view},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Prints an error that suggests the most similar command, if one is similar, and returns the exit status for bad
   input. */
static int complain_unknown(const char *name) {
    const char *nearest = NULL;
    for (int i = 0; i < COMMANDS; i++) rn_word_nearer(name, commands[i].name, &nearest);
    if (nearest) return complain("runnel: there is no command \"%.60s\"; did you mean \"%s\"?", name, nearest);
    return complain("runnel: there is no command \"%.60s\"; \"runnel --help\" lists them", name);
}

/* Finds the sub-command named by argv[1] and runs it. "help NAME" and "--help NAME" run command NAME with --help;
   without arguments the overview is printed; --version or -V prints the version. Returns the exit status. */
static int run_command(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
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
        return complain_unknown(argv[2]);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    return complain_unknown(name);
}

/* Sets up the console, runs the sub-command and returns its exit status; that of bad input if stdout could not be
   written. */
int main(int argc, char **argv) {
    console_start();
    int status = run_command(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    return complain("runnel: the output cannot be written: %s", strerror(errno));
}
