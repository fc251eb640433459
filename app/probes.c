#include "probes.h"

#include <stdlib.h>
#include <string.h>

/* A column's title. Names are the scene author's: quotes where CSV asks for them, no line breaks. */
static void print_title(FILE *file, const char *name, const char *what) {
    bool quoted = strpbrk(name, ",\"") != NULL;
    fputs(quoted ? ",\"" : ",", file);
    for (const char *c = name; *c; c++) {
        if (*c == '"') fputc('"', file);
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
    fprintf(file, "_%s%s", what, quoted ? "\"" : "");
}

static void print_header(probes *p) {
    fputs("frame,time_s", p->file);
    for (int i = 0; i < p->count; i++) {
        static const char *const point[] = {"level_m", "depth_m", "velocity_x_m_s", "velocity_y_m_s", NULL};
        static const char *const section[] = {"discharge_m3_s", "volume_m3", "area_m2", NULL};
        const char *const *what = p->list[i].is_section ? section : point;
        for (; *what; what++) print_title(p->file, p->list[i].name, *what);
    }
    fputc('\n', p->file);
}

bool probes_open(probes *p, const char *path, const rn_probe *list, int count) {
    *p = (probes){.list = list, .count = count, .file = fopen(path, "w")};
    if (!p->file) return false;
    size_t size = 4096 + (size_t)count * 512;
    p->buffer = malloc(size);
    if (!p->buffer) return false;
    setvbuf(p->file, p->buffer, _IOFBF, size);
    print_header(p);
    return fflush(p->file) == 0;
}

static void print_point(FILE *file, const rn_sample *sample) {
    if (!sample->found) fputs(",,,,", file); /* there is no ground */
    else fprintf(file, ",%.9g,%.9g,%.9g,%.9g", sample->level, sample->depth, sample->velocity_x, sample->velocity_y);
}

bool probes_row(probes *p, int frame, const rn_world *world) {
    fprintf(p->file, "%d,%.9g", frame, rn_world_progress(world).time);
    for (int i = 0; i < p->count; i++) {
        if (p->list[i].is_section) {
            rn_section section = rn_world_section_read(world, p->list[i].section);
            fprintf(p->file, ",%.9g,%.17g,%.9g", section.discharge, section.volume, section.area);
        } else {
            rn_sample sample = rn_world_at(world, p->list[i].at);
            print_point(p->file, &sample);
        }
    }
    fputc('\n', p->file);
    return fflush(p->file) == 0;
}

void probes_close(probes *p) {
    if (p->file) fclose(p->file);
    free(p->buffer);
    *p = (probes){0};
}
