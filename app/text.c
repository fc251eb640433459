#include "text.h"

#include <math.h>

void print_json_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') fprintf(file, "\\%c", *c);
        else if (*c < 0x20) fprintf(file, "\\u%04x", *c);
        else fputc(*c, file);
    }
    fputc('"', file);
}

void print_json_number(FILE *file, double number) {
    if (isfinite(number)) fprintf(file, "%.17g", number);
    else fputs("null", file);
}
