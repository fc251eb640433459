/* Lines of the summary that `runnel run` prints for people (printed.h). */
#include "output/printed.h"

#include "common/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void print_volume(const rn_world *world) {
    rn_audit audit = rn_world_audit(world);
    volume_unit unit = volume_unit_for(fmax(audit.poured, audit.refused));
    printf("volume   %.4g %s poured = %.4g present + %.4g drained + %.4g left", audit.poured * unit.per_m3, unit.name,
           audit.present * unit.per_m3, audit.drained * unit.per_m3, audit.left * unit.per_m3);
    if (audit.body_offset != 0)
        printf(audit.body_offset > 0 ? " - %.4g added by bodies" : " + %.4g held back by bodies",
               fabs(audit.body_offset) * unit.per_m3);
    if (audit.displaced > 0) printf(" + %.4g displaced", audit.displaced * unit.per_m3);
    printf("; drift %g", audit.drift * unit.per_m3);
    if (audit.refused > 0) printf("; %.4g refused", audit.refused * unit.per_m3);
    putchar('\n');
}

/* Prints a line break and the film's path, without a line break after it. Adds how many times faster or slower than
   real time the film plays, if by more than 1 %. `pace`: simulated seconds in a second of the film. */
static void print_film(const char *film, double pace) {
    printf("\nvideo    %s", film);
    if (pace > 1.01) printf(", which plays %.3g times faster than real time; --fps real changes that", pace);
    else if (pace < 0.99) printf(", which plays %.3g times slower than real time; --fps real changes that", 1 / pace);
}

void print_pictures(const picture_report *r, const output *out, double pace) {
    if (!r->view) return;
    printf("picture  %s/last.png", out->folder);
    if (out->frames) printf(" (and %d frame%s)", out->frames, plural(out->frames));
    printf(", %d x %d, view %s", r->width, r->height, r->view);
    if (r->device) printf(", drawn by %s", r->device);
    if (r->film) print_film(r->film, pace);
    putchar('\n');
}

void print_exports(const export_report *r, const output *out) {
    if (!r->kinds) return;
    printf("exports  %s:", out->folder);
    for (int i = 0, told = 0; rn_export_kind_at(i); i++)
        if (r->kinds >> i & 1) printf("%s%s", told++ ? ", " : " ", rn_export_kind_at(i)->name);
    printf(" (%d frame%s)\n", r->frames, r->frames == 1 ? "" : "s");
}

/* Prints `word` on stdout, quoted if necessary so that a shell reads it as one word. */
static void print_word(const char *word) {
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%") == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", stdout);
        else putchar(*word);
    }
    putchar('\'');
}

void print_option(const char *name, const char *value) {
    if (!value) return;
    printf(" %s ", name);
    print_word(value);
}
