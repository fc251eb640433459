/* Runs a reader in a forked process with limits on time and memory, and receives its reply through a pipe (apart.h).
   Failures leave the reason in rn_last_error(), unless said otherwise. */
#include "io/file/apart.h"

#include "base/error.h"
#include "base/memory.h"

#if defined(_WIN32) || defined(__EMSCRIPTEN__)

rn_result rn_apart(rn_apart_work work, void *context, const rn_apart_limits *limits, rn_reply *reply) {
    (void)limits;
    *reply = (rn_reply){0};
    rn_result result = work(context, reply);
    if (result == RN_OK) return RN_OK;
    rn_free(NULL, reply->bytes);
    *reply = (rn_reply){0};
    return result;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0 /* sanitizers reserve more addresses than any limit allows */
#endif

#define ONE(name, text) +1
enum { RESULTS = 0 RN_RESULTS(ONE) };
enum { LONGEST_SENTENCE = 1024, OUT_OF_MEMORY = 99 /* exit status */, SLICE = 100 /* ms */ };
static const uint32_t reply_mark = 0x6c6e7265;

/* The header of a reply, before the message and the bytes. */
typedef struct header {
    uint32_t mark;
    int32_t result;
    uint32_t sentence; /* bytes */
    uint64_t size;     /* bytes */
} header;

/* ---- In the child ---- */

/* Writes all `size` bytes to the pipe `to`, in as many writes as needed. Returns false, without an error text, if the
   host has closed it, or a write failed. */
static bool send_all(int to, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t sent = write(to, at, size);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Handles crash signals: exits with OUT_OF_MEMORY if the last allocation failed, because libraries that do not
   expect this abort or follow a null pointer. Otherwise lets the signal take its course. */
static void on_crash(int number) {
    if (errno == ENOMEM) _exit(OUT_OF_MEMORY);
    signal(number, SIG_DFL);
    raise(number);
}

/* Sets a limit of this process (RLIMIT_...) to `most`, or to the hard limit if that is lower. Also lowers the hard
   limit: to the same, or for RLIMIT_CPU (s) to one second more. Failures are ignored. */
static void set_limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
    /* a process that reaches the hard limit of processor time is killed without a signal that would say why */
    const rlim_t hard = resource == RLIMIT_CPU && most < now.rlim_max ? most + 1 : most;
    setrlimit(resource, &(struct rlimit){most, hard});
}

/* Limits the addresses of this process to those in use now plus `more` bytes. Does nothing where there is no
   /proc/self/statm (outside Linux). */
static void limit_memory(size_t more) {
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    unsigned long long pages = length > 0 ? strtoull(text, NULL, 10) : 0;
    if (pages > 0) set_limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more);
}

/* Limits this process, the child, and sets its handling of signals. Ctrl-C and the like end it, whatever the host does
   about them; so does the end of the host (on Linux). Crashes go to on_crash. With sanitizers there is neither on_crash
   nor a limit on memory. */
static void limit_child(const rn_apart_limits *limits) {
    static const int plain[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGXCPU};
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) signal(plain[i], SIG_DFL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SANITIZED ? SIG_DFL : on_crash);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    /* The limit is on processor time, so that a busy machine refuses no file. The host ends the child by wall time;
       the alarm, a second later, is for hosts that are gone. */
    set_limit(RLIMIT_CPU, (rlim_t)fmin(ceil(limits->seconds), 1e6));
    alarm((unsigned)fmin(ceil(limits->wall_seconds), 1e8) + 1);
    set_limit(RLIMIT_CORE, 0);
    if (!SANITIZED) limit_memory(limits->memory);
}

/* Redirects the standard streams to /dev/null, if that can be opened. Returns a second descriptor of the pipe, -1 on
   failure: in a host without standard streams the pipe itself may have the number of one of them. */
static int silence_streams(int pipe_end) {
    const int kept = fcntl(pipe_end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (null >= 0) dup2(null, stream);
    return kept;
}

/* Sets the limits, does the work, and sends the header, the error message (if it failed) and the bytes of the reply (if
   not) through the pipe. Exits without returning: status 0, or 1 if not all could be sent. */
static _Noreturn void be_child(rn_apart_work work, void *context, const rn_apart_limits *limits, int pipe_end) {
    const int to = silence_streams(pipe_end);
    limit_child(limits);
    rn_reply reply = {0};
    errno = 0;
    rn_result result = work(context, &reply);
    const char *sentence = result == RN_OK ? "" : rn_last_error();
    header head = {reply_mark, (int32_t)result, (uint32_t)strlen(sentence), result == RN_OK ? reply.size : 0};
    bool sent = send_all(to, &head, sizeof head) && send_all(to, sentence, head.sentence) &&
                send_all(to, reply.bytes, (size_t)head.size);
    _exit(sent ? 0 : 1); /* without flushing what the host has not yet written */
}

/* ---- In the host ---- */

typedef struct child {
    const rn_apart_limits *limits;
    pid_t process;
    int from;        /* read end of the pipe */
    double deadline; /* s */
    int status;
    bool gone, late; /* waited for; killed because it took too long */
} child;

/* Returns the time of a monotonic clock (s), from an arbitrary start. */
static double system_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Waits for the end of the child, with the options of waitpid (WNOHANG: returns at once), and sets c->gone and
   c->status if it has ended. Does nothing if it is gone already. If the host ignores its children there is no status,
   and 0 is assumed. */
static void wait_for(child *c, int options) {
    pid_t waited = 0;
    while (!c->gone && (waited = waitpid(c->process, &c->status, options)) < 0 && errno == EINTR) continue;
    if (waited != 0) c->gone = true;
    if (waited < 0) c->status = 0;
}

/* Reads exactly `size` bytes from the child. Returns false, without an error text, if it has ended before, the pipe
   failed, or the deadline has passed (c->late). Waits in slices of 0.1 s, because a process forked by another thread
   may hold the end of the pipe open. */
static bool receive(child *c, void *bytes, size_t size) {
    for (char *at = bytes; size > 0;) {
        double left = c->deadline - c->limits->now();
        c->late = left <= 0;
        if (c->late) return false;
        struct pollfd ready = {.fd = c->from, .events = POLLIN};
        int count = poll(&ready, 1, (int)fmin(1000 * left + 1, SLICE));
        if (count < 0 && errno != EINTR) return false;
        if (count == 0 && c->gone) return false;
        if (count == 0) wait_for(c, WNOHANG);
        if (count <= 0) continue;
        ssize_t got = read(c->from, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Fails with the reason why a child, which is gone, sent no complete reply: RN_LIMIT (time), RN_MEMORY, RN_INTERRUPTED
   (signal from outside), or RN_FORMAT (everything else, such as a crash). */
static rn_result fail_with_end(const child *c) {
    const rn_apart_limits *limits = c->limits;
    const int signal_number = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
    if (c->late || signal_number == SIGXCPU || signal_number == SIGALRM)
        return rn_fail(RN_LIMIT, "%s: takes more than %g s to read", limits->path,
                       c->late || signal_number == SIGALRM ? limits->wall_seconds : limits->seconds);
    if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == OUT_OF_MEMORY)
        return rn_fail(RN_MEMORY, "%s: takes more than %g MiB of memory to read", limits->path,
                       (double)limits->memory / (1 << 20));
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP)
        return rn_fail(RN_INTERRUPTED, "%s: reading was interrupted", limits->path);
    return rn_fail(RN_FORMAT, "%s: the reader of %s crashed on it; the file is probably damaged", limits->path,
                   limits->kind);
}

/* Receives the reply. Returns RN_FORMAT, without an error text, if no reply came or the reply is incomplete. Returns
   RN_OK even if the work failed: then *told is the result of the work, with the message in rn_last_error(), or RN_LIMIT
   or RN_MEMORY if the reply is too large. The caller frees reply->bytes, also after a failure. */
static rn_result receive_reply(child *c, rn_reply *reply, rn_result *told) {
    header head = {0};
    char sentence[LONGEST_SENTENCE] = "";
    bool whole = receive(c, &head, sizeof head) && head.mark == reply_mark && head.sentence < sizeof sentence &&
                 head.result >= RN_OK && head.result < RESULTS && receive(c, sentence, head.sentence);
    if (!whole) return RN_FORMAT;
    *told = (rn_result)head.result;
    if (*told != RN_OK) rn_fail(*told, "%s", sentence);
    if (*told == RN_OK && head.size > c->limits->reply_size)
        *told =
            rn_fail(RN_LIMIT, "%s: holds more than the %zu MiB allowed", c->limits->path, c->limits->reply_size >> 20);
    if (*told != RN_OK) return RN_OK;
    reply->size = (size_t)head.size;
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (!reply->bytes) *told = RN_MEMORY;
    return !reply->bytes || receive(c, reply->bytes, reply->size) ? RN_OK : RN_FORMAT;
}

/* Receives the reply, ends the child (killed if it still runs), and closes the pipe. Returns the result of the work, or
   the reason why there is none; then the reply is empty. */
static rn_result be_host(child *c, rn_reply *reply) {
    rn_result told = RN_OK, result = receive_reply(c, reply, &told);
    close(c->from);
    wait_for(c, WNOHANG);
    if (!c->gone) kill(c->process, SIGKILL); /* its reply is complete, or its time is over */
    wait_for(c, 0);
    if (result != RN_OK) told = fail_with_end(c);
    if (told != RN_OK) {
        rn_free(NULL, reply->bytes);
        *reply = (rn_reply){0};
    }
    return told;
}

/* Opens a pipe that other programs do not inherit: ends[0] is read, ends[1] written. Returns false on failure, with the
   reason in errno. */
static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Returns a copy of the limits in which every member that is 0 or NULL has its default (apart.h); `path` and `kind`
   have none. */
static rn_apart_limits with_defaults(const rn_apart_limits *limits) {
    rn_apart_limits all = *limits;
    if (all.seconds == 0) all.seconds = 10;
    if (all.wall_seconds == 0) all.wall_seconds = 60 * all.seconds;
    if (!all.now) all.now = system_clock;
    if (all.memory == 0) all.memory = (size_t)1 << 30;
    if (all.reply_size == 0) all.reply_size = (size_t)1 << 30;
    return all;
}

rn_result rn_apart(rn_apart_work work, void *context, const rn_apart_limits *limits, rn_reply *reply) {
    *reply = (rn_reply){0};
    const rn_apart_limits all = with_defaults(limits);
    int ends[2];
    if (!open_pipe(ends))
        return rn_fail(RN_FILE, "%s: cannot be read: no pipe could be created: %s", all.path, strerror(errno));
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        be_child(work, context, &all, ends[1]);
    }
    const int reason = errno;
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return rn_fail(reason == ENOMEM ? RN_MEMORY : RN_FILE, "%s: cannot be read: no process could be started: %s",
                       all.path, strerror(reason));
    }
    child c = {.limits = &all, .process = process, .from = ends[0], .deadline = all.now() + all.wall_seconds};
    return be_host(&c, reply);
}

#endif
