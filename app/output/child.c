/* Runs another program and writes to its standard input (child.h), for Windows and for POSIX: child_start(),
   child_write() as often as needed, child_finish(). video.c runs ffmpeg this way. */
#include "output/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#ifdef _WIN32

struct child {
    HANDLE process, input;
};

/* Joins the arguments, in quotes, into a command line that CommandLineToArgvW splits again. No argument may contain a
   quote. Returns false, without setting errno, if the line is too long. */
static bool join_arguments(const char *const *argv, char *line, size_t size) {
    size_t used = 0;
    for (int i = 0; argv[i]; i++) {
        const int length = snprintf(line + used, size - used, "%s\"%s\"", i ? " " : "", argv[i]);
        if (length < 0 || (size_t)length >= size - used) return false;
        used += (size_t)length;
    }
    return true;
}

/* Starts the process, with the pipe as its input and its output discarded, and sets c->process. Returns false on
   failure, with errno set. */
static bool spawn(child *c, char *line, HANDLE read_end) {
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE nowhere = CreateFileA("NUL", GENERIC_WRITE, FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    start.hStdInput = read_end;
    start.hStdOutput = start.hStdError = nowhere;
    PROCESS_INFORMATION made;
    const bool fine = CreateProcessA(NULL, line, NULL, NULL, TRUE, CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW, NULL,
                                     NULL, &start, &made);
    errno = GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EACCES;
    CloseHandle(nowhere);
    if (!fine) return false;
    CloseHandle(made.hThread);
    c->process = made.hProcess;
    return true;
}

child *child_start(const char *const *argv) {
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    char line[16384];
    HANDLE read_end;
    child *c = calloc(1, sizeof *c);
    if (!c || !join_arguments(argv, line, sizeof line) || !CreatePipe(&read_end, &c->input, &inherited, 0)) {
        free(c);
        errno = ENOMEM;
        return NULL;
    }
    SetHandleInformation(c->input, HANDLE_FLAG_INHERIT, 0);
    const bool fine = spawn(c, line, read_end);
    CloseHandle(read_end);
    if (fine) return c;
    CloseHandle(c->input);
    free(c);
    return NULL;
}

bool child_write(child *c, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        DWORD written;
        if (!WriteFile(c->input, at, count < 1 << 20 ? (DWORD)count : 1 << 20, &written, NULL)) return false;
        at += written;
        count -= written;
    }
    return true;
}

int child_finish(child *c, char *said, size_t size) {
    DWORD status = 1;
    if (size) *said = 0;
    CloseHandle(c->input);
    WaitForSingleObject(c->process, INFINITE);
    GetExitCodeProcess(c->process, &status);
    CloseHandle(c->process);
    free(c);
    return (int)status;
}

bool child_has_ended(child *c) { return WaitForSingleObject(c->process, 0) == WAIT_OBJECT_0; }

void child_stop(child *c) { TerminateProcess(c->process, 1); }

#else

extern char **environ;

struct child {
    pid_t process;
    int input;
    FILE *said; /* its stdout and stderr */
};

/* Starts argv[0], found along PATH, with `read_end` as its input and the file c->said as its output, in a process group
   of its own, which the terminal's Ctrl-C does not reach, and with no signal blocked. Sets c->process. Returns 0 or an
   errno; read_end stays open. */
static int spawn(child *c, const char *const *argv, int read_end) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &none);
        error = posix_spawn_file_actions_adddup2(&files, read_end, STDIN_FILENO);
        if (!error) error = posix_spawn_file_actions_adddup2(&files, fileno(c->said), STDERR_FILENO);
        if (!error) error = posix_spawn_file_actions_adddup2(&files, fileno(c->said), STDOUT_FILENO);
        if (!error) error = posix_spawnp(&c->process, argv[0], &files, &attributes, (char *const *)argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Keeps child processes from inheriting a file descriptor. */
static void close_on_exec(int file) { fcntl(file, F_SETFD, FD_CLOEXEC); }

/* Creates the pipe and starts the process. Returns 0, or an errno with nothing left open but c->said. */
static int start_process(child *c, const char *const *argv) {
    int ends[2];
    if (pipe(ends) != 0) return errno;
    for (int i = 0; i < 2; i++) close_on_exec(ends[i]);
    close_on_exec(fileno(c->said));
    c->input = ends[1];
    const int error = spawn(c, argv, ends[0]);
    close(ends[0]);
    if (error) close(ends[1]);
    return error;
}

child *child_start(const char *const *argv) {
    child *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->said = tmpfile();
    if (!c->said) c->said = fopen("/dev/null", "w+b"); /* only its messages are lost then */
    const int error = c->said ? start_process(c, argv) : EMFILE;
    if (!error) return c;
    if (c->said) fclose(c->said);
    free(c);
    errno = error;
    return NULL;
}

bool child_write(child *c, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        const ssize_t written = write(c->input, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

/* Copies the last line of the file that is not empty, with control characters replaced by spaces; of a line longer than
   511 bytes, the last piece that fgets() reads. `line` must hold a text, which stays if there is no such line; `size`
   is not 0. */
static void last_line(FILE *file, char *line, size_t size) {
    char next[512];
    rewind(file);
    while (fgets(next, sizeof next, file))
        if (strcspn(next, "\r\n") > 0) snprintf(line, size, "%s", next);
    line[strcspn(line, "\r\n")] = 0;
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
}

int child_finish(child *c, char *said, size_t size) {
    int status = 0;
    if (size) *said = 0;
    close(c->input);
    pid_t ended;
    do ended = waitpid(c->process, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (size) last_line(c->said, said, size);
    fclose(c->said);
    free(c);
    return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool child_has_ended(child *c) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)c->process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

void child_stop(child *c) { kill(c->process, SIGKILL); }

#endif
