/* Lines of the summary that `runnel run` prints for people, on stdout. */
#ifndef RUNNEL_APP_PRINTED_H
#define RUNNEL_APP_PRINTED_H

#include "output/output.h"

/* Prints the volume balance in a readable unit: poured = present + drained + left, corrected for bodies, and the
   drift. */
void print_volume(const rn_world *world);
/* Prints where the pictures and the film are; `pace`: simulated seconds in a second of the film. Prints nothing if none
   were drawn. */
void print_pictures(const picture_report *r, const output *out, double pace);
/* Prints which kinds of files were exported for how many frames. Prints nothing if there were none. */
void print_exports(const export_report *r, const output *out);
/* Prints " NAME VALUE", with the value quoted for a shell. Prints nothing if `value` is NULL. */
void print_option(const char *name, const char *value);

#endif
