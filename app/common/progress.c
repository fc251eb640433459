/* Shows on stderr how far a run has come: progress_start() before the first frame, progress_show() after every frame,
   progress_clear() before anything else is printed. On a terminal a bar is redrawn at most 20 times a second; otherwise
   a line is printed after every tenth of the frames, or after 2 s. */
#include "common/progress.h"

#include "base/platform.h"
#include "common/console.h"

#include <stdio.h>

enum { BAR = 28 };

double clock_now(void) { return rn_clock(); }

progress progress_start(const char *name, int first, int frames) {
    double now = clock_now();
    return (progress){
        .name = name, .first = first, .frames = frames, .terminal = console_is_terminal(), .start = now, .last = now};
}

void write_duration(double seconds, char *text, size_t size) {
    if (seconds < 90) snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 5400) snprintf(text, size, "%.0f min", seconds / 60);
    else snprintf(text, size, "%.1f h", seconds / 3600);
}

void progress_show(progress *p, int frame, double simulated) {
    if (p->quiet) return;
    double now = clock_now();
    bool last = frame == p->frames;
    int percent = (int)(100.0 * frame / p->frames), tenths = percent / 10;
    char left[32];
    write_duration((now - p->start) * (p->frames - frame) / (frame - p->first), left, sizeof left);
    if (p->terminal) {
        if (now - p->last < 0.05 && !last) return;
        char bar[BAR + 1] = "";
        for (int i = 0; i < BAR; i++) bar[i] = i < BAR * frame / p->frames ? '#' : '.';
        fprintf(stderr, "\r\033[K%s [%s] %3d %%  frame %d of %d  %.2f s  ETA %s", p->name, bar, percent, frame,
                p->frames, simulated, left);
        fflush(stderr);
    } else {
        if (tenths == p->tenths && now - p->last < 2 && !last) return;
        fprintf(stderr, "%s: frame %d of %d (%d %%), %.2f s simulated, about %s left\n", p->name, frame, p->frames,
                percent, simulated, left);
    }
    p->tenths = tenths;
    p->last = now;
}

void progress_clear(const progress *p) {
    if (!p->terminal || p->quiet) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
