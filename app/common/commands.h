/* The sub-commands of `runnel`, as main.c calls them. Each gets the arguments that follow its name, prints its own
   errors, and returns the exit status of the program. */
#ifndef COMMANDS_H
#define COMMANDS_H

enum {
    EXIT_FINE = 0,
    EXIT_FAILED_CHECK = 1, /* a check failed: a row of `runnel validate`, an expectation of a script, a replay */
    EXIT_BAD_INPUT = 2,    /* also: a file or folder that cannot be used */
    EXIT_INTERRUPTED = 130,
};

/* `argv`: the `argc` arguments after the name of the command; they must outlive the call. */
int command_bench(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_figures(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_render(int argc, char **argv);
int command_run(int argc, char **argv);
int command_scenes(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_view(int argc, char **argv);

#endif
