/* The sub-commands of `runnel`. Each gets the arguments after its name and returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

enum {
    EXIT_FINE = 0,
    EXIT_FAILED_CHECK = 1,
    EXIT_BAD_INPUT = 2, /* also: a file or folder that cannot be used */
    EXIT_INTERRUPTED = 130,
};

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
