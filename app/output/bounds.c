/* Reports what limited the substeps of a run (bounds.h): bounds_note() after every frame, then bounds_print() or
   bounds_print_json() at the end. */
#include "output/bounds.h"

#include "common/text.h"

#include <inttypes.h>

static const char *const keys[RN_BOUNDS] = {"call", "waves", "speed", "drag", "sources"};
static const char *const phrases[RN_BOUNDS] = {"the length of a call", "waves", "the speed of the liquid",
                                               "drag on films", "sources"};

void bounds_note(bound_report *report, const rn_world_stats *stats) {
    const rn_bound k = stats->bound;
    if (!(stats->bound_depth > 0)) return;
    report->frames[k]++;
    report->depth[k] += stats->bound_depth;
    report->speed[k] += stats->bound_speed;
}

/* Returns the number of all substeps of the world, whatever limited them. */
static double count_substeps(const rn_world_stats *stats) {
    double sum = 0;
    for (int k = 0; k < RN_BOUNDS; k++) sum += (double)stats->bounded[k];
    return sum;
}

/* Prints the mean depth and speed in the column that limited the substeps, for bound `k`. Prints nothing if there was
   none, or if the length of a call was the limit. */
static void print_column(const bound_report *report, int k) {
    if (report->frames[k] == 0 || k == RN_BOUND_CALL) return;
    const double depth = report->depth[k] / report->frames[k], speed = report->speed[k] / report->frames[k];
    if (depth < 0.1) printf(" (%.3g mm deep, %.3g m/s)", 1e3 * depth, speed);
    else printf(" (%.3g m deep, %.3g m/s)", depth, speed);
}

/* The most frequent bounds come first; those below 0.5 % are left out, except the first. */
void bounds_print(const bound_report *report, const rn_world_stats *stats, double seconds) {
    const double sum = count_substeps(stats);
    bool printed[RN_BOUNDS] = {false};
    if (!(sum > 0 && seconds > 0)) return;
    printf("step     %.4g substeps per simulated second, limited by", sum / seconds);
    for (int rank = 0; rank < RN_BOUNDS; rank++) {
        int most = -1;
        for (int k = 0; k < RN_BOUNDS; k++)
            if (!printed[k] && (most < 0 || stats->bounded[k] > stats->bounded[most])) most = k;
        printed[most] = true;
        const double share = 100 * (double)stats->bounded[most] / sum;
        if (!(share >= 0.5) && rank > 0) break;
        printf("%s %s %.0f %%", rank ? "," : "", phrases[most], share);
        print_column(report, most);
    }
    putchar('\n');
}

/* Returns the bound that limited the largest number of substeps. */
static int most_frequent(const rn_world_stats *stats) {
    int most = 0;
    for (int k = 1; k < RN_BOUNDS; k++)
        if (stats->bounded[k] > stats->bounded[most]) most = k;
    return most;
}

/* Prints why substeps are short, for bound `k`, which is not RN_BOUND_CALL and for which at least one frame counted.
   `cell` (m). */
static void print_reason(const bound_report *report, int k, double cell) {
    const double millimetres = 1e3 * cell, frames = report->frames[k];
    const double deep = 1e3 * report->depth[k] / frames, speed = report->speed[k] / frames;
    switch (k) {
    case RN_BOUND_WAVES:
        printf(
            "in one of them, waves on liquid %.3g mm deep that flows at %.3g m/s may cross at most a cell of %.3g mm",
            deep, speed, millimetres);
        break;
    case RN_BOUND_SPEED:
        printf("in one of them, liquid of %.3g m/s may cross at most a cell of %.3g mm", speed, millimetres);
        break;
    case RN_BOUND_DRAG: printf("drag stops films of %.3g mm quickly", deep); break;
    default: fputs("in one of them, sources may fill a cell only so far", stdout);
    }
}

void bounds_print_slow(const bound_report *report, const rn_world_stats *stats, double seconds, double factor,
                       double cell) {
    const double sum = count_substeps(stats);
    if (!(factor > 0 && factor < 1 && sum > 0 && seconds > 0)) return;
    const int most = most_frequent(stats);
    printf("slow     %.2g x real time: substeps of %.3g ms are ", factor, 1e3 * seconds / sum);
    if (most == RN_BOUND_CALL) {
        fputs("as long as a frame, so it is the number of columns that costs", stdout);
    } else if (report->frames[most] == 0) {
        printf("short, because of %s", phrases[most]);
    } else {
        fputs("short, because ", stdout);
        print_reason(report, most, cell);
    }
    fputs("; larger cells would be faster\n", stdout);
}

void bounds_print_json(FILE *file, const bound_report *report, const rn_world_stats *stats, double seconds) {
    fprintf(file, "  \"substeps_per_s\": ");
    print_json_number(file, seconds > 0 ? count_substeps(stats) / seconds : 0);
    fprintf(file, ",\n  \"bounded_by\": {");
    for (int k = 0; k < RN_BOUNDS; k++) {
        fprintf(file, "%s\"%s\": {\"substeps\": %" PRIu64, k ? ", " : "", keys[k], stats->bounded[k]);
        if (report->frames[k] > 0) {
            fprintf(file, ", \"depth_m\": ");
            print_json_number(file, report->depth[k] / report->frames[k]);
            fprintf(file, ", \"speed_m_s\": ");
            print_json_number(file, report->speed[k] / report->frames[k]);
        }
        fputs("}", file);
    }
    fprintf(file, "},\n");
}
