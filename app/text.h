/* JSON text, written by hand: what the command prints is small. */
#ifndef TEXT_H
#define TEXT_H

#include <stdio.h>

/* A string with quotes. What is not UTF-8 becomes U+FFFD, a byte at a time. */
void print_json_text(FILE *file, const char *text);
/* A number, null if it is not finite. */
void print_json_number(FILE *file, double number);

#endif
