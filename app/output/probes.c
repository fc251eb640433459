/* Writes probes.csv (probes.h): probes_header() once, then probes_row() after every frame. Rows go through rows.h,
   which keeps the file complete at any time. */
#include "output/probes.h"

#include <string.h>

/* Prints a comma and the title of a column, NAME_WHAT. The scene's author chooses names: they are quoted if CSV
   requires it, and control characters become spaces. */
static void print_title(rows *to, const char *name, const char *what) {
    bool quoted = strpbrk(name, ",\"") != NULL;
    rows_print(to, quoted ? ",\"" : ",");
    for (const char *c = name; *c; c++) rows_print(to, *c == '"' ? "\"%c" : "%c", (unsigned char)*c < ' ' ? ' ' : *c);
    rows_print(to, "_%s%s", what, quoted ? "\"" : "");
}

bool probes_header(rows *to, const rn_probe *list, int count) {
    rows_print(to, "frame,time_s");
    for (int i = 0; i < count; i++) {
        static const char *const point[] = {"level_m", "depth_m", "velocity_x_m_s", "velocity_y_m_s", NULL};
        static const char *const section[] = {"discharge_m3_s", "volume_m3", "area_m2", NULL};
        const char *const *what = list[i].is_section ? section : point;
        for (; *what; what++) print_title(to, list[i].name, *what);
    }
    return rows_end(to);
}

/* Prints the four values of a point probe, or empty fields if there is no column at that point. */
static void print_point(rows *to, const rn_sample *s) {
    if (!s->found) rows_print(to, ",,,,");
    else rows_print(to, ",%.9g,%.9g,%.9g,%.9g", s->level, s->depth, s->velocity_x, s->velocity_y);
}

bool probes_row(rows *to, const rn_probe *list, int count, int frame, const rn_world *world) {
    rows_print(to, "%d,%.9g", frame, rn_world_get_stats(world).time);
    for (int i = 0; i < count; i++) {
        if (list[i].is_section) {
            rn_section section = rn_world_read_section(world, list[i].section);
            rows_print(to, ",%.9g,%.17g,%.9g", section.discharge, section.volume, section.area);
        } else {
            rn_sample sample = rn_world_sample(world, list[i].at);
            print_point(to, &sample);
        }
    }
    return rows_end(to);
}
