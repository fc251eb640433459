/* The terminal that the command runs in: character encoding, inherited streams, and Ctrl-C. main() calls
   console_start() first. A command then installs one of two Ctrl-C handlers: console_catch_interrupt() to finish in
   order, or console_end_on_interrupt() to end at once. */
#include "common/console.h"

#include "common/commands.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#endif

void console_start(void) {
#ifdef _WIN32
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdout), _O_BINARY);
    HANDLE errors = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;
    if (GetConsoleMode(errors, &mode)) SetConsoleMode(errors, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
#else
    /* Open closed standard streams, so that no file opened later becomes stderr. Read-only: writes still fail. */
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) _exit(EXIT_BAD_INPUT);
    signal(SIGCHLD, SIG_DFL); /* if the parent ignored it, the exit status of ffmpeg would be lost */
#endif
}

bool console_is_terminal(void) { return isatty(STDERR_FILENO) != 0; }

void console_catch_interrupt(void (*handler)(int), bool once) {
#ifdef _WIN32
    (void)once; /* Windows always resets the handler before calling it */
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
#else
    struct sigaction action = {.sa_handler = handler, .sa_flags = once ? (int)SA_RESETHAND : 0};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
#endif
}

/* Writes text to a file descriptor without buffering; safe in a signal handler. Failures are ignored. */
static void write_now(int stream, const char *text) {
    if (write(stream, text, (unsigned)strlen(text)) < 0) return; /* nothing can be done about it */
}

static const char *ending = ""; /* what end_now() writes to stdout */

/* Handles SIGINT and SIGTERM: clears the progress line if stderr is a terminal, writes `ending` to stdout and exits
   with EXIT_INTERRUPTED. Buffered output is lost. */
static void end_now(int signal_number) {
    (void)signal_number;
    if (console_is_terminal()) write_now(STDERR_FILENO, "\r\033[K");
    write_now(STDOUT_FILENO, ending);
    _exit(EXIT_INTERRUPTED);
}

void console_end_on_interrupt(const char *text) {
    ending = text;
    console_catch_interrupt(end_now, false);
}
