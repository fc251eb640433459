/* Rings of values for plots: the newest value replaces the oldest once a ring is full. Interface:
   view/window/history.h. */
#include "view/window/history.h"

void history_clear(history *h) { h->first = h->count = 0; }

void history_add(history *h, double time, const double values[HISTORY_LINES]) {
    const int at = (h->first + h->count) % HISTORY_LENGTH;
    h->times[at] = time;
    for (int i = 0; i < HISTORY_LINES; i++) h->values[i][at] = (float)values[i];
    if (h->count < HISTORY_LENGTH) h->count++;
    else h->first = (h->first + 1) % HISTORY_LENGTH;
}

double history_time(const history *h, int number) { return h->times[(h->first + number) % HISTORY_LENGTH]; }

float history_value(const history *h, history_line line, int number) {
    return h->values[line][(h->first + number) % HISTORY_LENGTH];
}

float history_last(const history *h, history_line line) {
    return h->count ? h->values[line][(h->first + h->count - 1) % HISTORY_LENGTH] : 0.0f;
}
