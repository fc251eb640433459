/* A status line on the terminal with the estimated remaining time. countdown_start() starts a thread that redraws the
   line every second; countdown_show() sets the text and estimate; countdown_hide() removes the line; countdown_stop()
   ends the thread. All state is in `line`, under its lock. Nothing happens if stderr is not a terminal. */
#include "common/countdown.h"

#include "common/console.h"
#include "common/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool running, quit, shown;
    char text[128];
    double start, now, later; /* s: clock when shown; estimates for this part and for all later parts */
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* Redraws the line with its text and the remaining time, which stays at that of all later parts once this part takes
   longer than expected. The caller holds the lock. */
static void draw_line(void) {
    double left = line.now - (clock_now() - line.start);
    char duration[32];
    write_duration((left > 0 ? left : 0) + line.later, duration, sizeof duration);
    fprintf(stderr, "\r\033[K%s  ETA %s", line.text, duration);
    fflush(stderr);
}

/* Redraws the line every second until line.quit, as the function of the thread. Returns NULL. */
static void *keep_drawing(void *unused) {
    (void)unused;
    pthread_mutex_lock(&line.lock);
    while (!line.quit) {
        if (line.shown) draw_line();
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&line.wake, &line.lock, &until);
    }
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

void countdown_start(void) {
    line.quit = line.shown = false;
    line.running = console_is_terminal() && pthread_create(&line.thread, NULL, keep_drawing, NULL) == 0;
}

void countdown_show(const char *text, double now, double later) {
    if (!line.running) return;
    pthread_mutex_lock(&line.lock);
    snprintf(line.text, sizeof line.text, "%s", text);
    line.start = clock_now();
    line.now = now;
    line.later = later;
    line.shown = true;
    draw_line();
    pthread_mutex_unlock(&line.lock);
}

void countdown_hide(void) {
    if (!line.running) return;
    pthread_mutex_lock(&line.lock);
    line.shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    pthread_mutex_unlock(&line.lock);
}

void countdown_stop(void) {
    if (!line.running) return;
    countdown_hide();
    pthread_mutex_lock(&line.lock);
    line.quit = true;
    pthread_cond_signal(&line.wake);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    line.running = false;
}
