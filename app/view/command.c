/* The command "runnel view": reads the options, then runs the window (window_run), or with --headless replays an input
   log without one. command_view is declared in common/commands.h. */
#include "common/commands.h"
#include "view/open.h"
#include "view/session.h"
#include "view/view.h"

#include <inttypes.h>
#include <runnel/runnel.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "runnel view [SCENE|FILE] [options]: shows a scene live in a window, with tools to change it.\n"
    "\n"
    "SCENE is a name that \"runnel scenes\" lists; without one the window starts with a list of all scenes. FILE is a\n"
    "scene of your own (.json), a checkpoint (.rnl), a mesh, a volume or a terrain. A file can also be dropped on the "
    "window.\n"
    "Press ? in the window for its keys. docs/view.md explains the rest.\n"
    "\n"
    "  --set KEY=VALUE   change a value of the scene, as for \"runnel run\"; may be given more than once\n"
    "  --size WxH        size of the window in pixels (default: as last time)\n"
    "  --threads N       number of threads (default: 0, one per core); the result is the same for any number\n"
    "  --backend NAME    cpu, cuda (an NVIDIA GPU) or auto, instead of the scene's; the result is the same\n"
    "  --record-input FILE  write your actions to an input log when the window closes\n"
    "  --replay FILE     repeat the actions of an input log; the final state is the same, to the bit\n"
    "  --headless        with --replay: without a window. Prints the hash of the final state and compares it with the "
    "log\n"
    "  --script FILE     take input from a file of commands instead of a user: docs/view.md lists them\n"
    "  --no-settings     do not read or write the window's settings\n"
    "\n"
    "Exit status: 0, 1 if a script or a replay did not end as expected, 2 bad input, no display or no OpenGL 3.3.\n";

/* Opens the scene of an input log and replays the log as fast as possible. Prints the steps and the hash of the final
   state, and the error of the first step that fails; as in the window, later steps follow it. Returns the exit status:
   EXIT_FAILED_CHECK if the hash differs from that in the log. */
static int replay_headless(const view_options *o) {
    inputs log;
    char error[512];
    if (!inputs_read(o->replay, &log, error, sizeof error)) return complain("%s", error);
    const session_def def = {.path = log.from_checkpoint ? NULL : log.scene,
                             .checkpoint = log.from_checkpoint ? log.scene : NULL,
                             .set = (const char *const *)log.set.list,
                             .set_count = log.set.count,
                             .threads = o->threads,
                             .backend = o->backend};
    const uint64_t steps = log.steps, expected = log.hash;
    session s;
    const rn_result result = session_open(&s, &def);
    if (result == RN_OK) session_replay(&s, &log);
    else complain("%s: %s", o->replay, rn_last_error());
    uint64_t failed = 0; /* steps; the window goes on after them, too */
    while (result == RN_OK && s.steps < steps)
        if (session_step(&s) != RN_OK && failed++ == 0)
            complain("%s: step %" PRIu64 ": %s", o->replay, s.steps, rn_last_error());
    const uint64_t hash = result == RN_OK ? rn_world_hash(s.world) : 0;
    session_close(&s);
    inputs_free(&log);
    if (result != RN_OK) return EXIT_BAD_INPUT;
    printf("%" PRIu64 " steps, hash %016" PRIx64 "\n", steps, hash);
    if (hash == expected || expected == 0) return EXIT_FINE; /* 0: the log does not say */
    complain("%s: the final state differs: the log ends with hash %016" PRIx64, o->replay, expected);
    return EXIT_FAILED_CHECK;
}

/* Checks the options against each other, and reads --size into width and height. Returns EXIT_FINE, or EXIT_BAD_INPUT
   after printing an error. */
static int check_options(view_options *o) {
    char rest = 0;
    if (o->size && (sscanf(o->size, "%5dx%5d%c", &o->width, &o->height, &rest) != 2 || o->width < 320 ||
                    o->height < 240 || o->width > 16384 || o->height > 16384))
        return complain("runnel view: --size is \"%.60s\"; it must be WIDTHxHEIGHT, from 320x240 to 16384x16384 pixels",
                        o->size);
    if (o->headless && !o->replay) return complain("runnel view: --headless needs --replay FILE");
    if (o->replay && (o->what || o->set.count))
        return complain("runnel view: --replay opens the scene of its log; leave out %s", o->what ? o->what : "--set");
    if (o->set.count && !o->what) return complain("runnel view: --set needs a scene");
    return EXIT_FINE;
}

/* Runs `runnel view`: reads and checks the options, then runs the window or replays a log. Returns the exit status. */
int command_view(int argc, char **argv) {
    const char **changes = calloc((size_t)argc + 1, sizeof *changes);
    if (!changes) return complain("there is not enough memory");
    view_options o = {.set.texts = changes};
    const option options[] = {
        {"SCENE", OPTION_BARE, &o.what, 0, 0},
        {"--set", OPTION_TEXTS, &o.set, 0, 0},
        {"--size", OPTION_SIZE, &o.size, 0, 0},
        {"--threads", OPTION_COUNT, &o.threads, 0, 1024},
        {"--backend", OPTION_BACKEND, &o.backend, 0, 0},
        {"--script", OPTION_FILE, &o.script, 0, 0},
        {"--record-input", OPTION_FILE, &o.record, 0, 0},
        {"--replay", OPTION_FILE, &o.replay, 0, 0},
        {"--headless", OPTION_FLAG, &o.headless, 0, 0},
        {"--no-settings", OPTION_FLAG, &o.no_settings, 0, 0},
    };
    int status = EXIT_BAD_INPUT;
    switch (options_read("view", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: break;
    case OPTIONS_HELP:
        fputs(help, stdout);
        status = EXIT_FINE;
        break;
    case OPTIONS_READ:
        status = check_options(&o);
        if (status == EXIT_FINE) status = o.headless ? replay_headless(&o) : window_run(&o);
        break;
    }
    free(changes);
    return status;
}
