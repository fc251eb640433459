/* Small pieces of text that commands print (text.h): print_json_text() and print_json_number() print JSON values,
   volume_unit_for() chooses a unit in which a volume is easy to read. */
#include "common/text.h"

#include <math.h>

/* Returns the number of bytes of the UTF-8 character at `c`, or 0 if there is no valid one. JSON must be UTF-8, but
   file names need not be. Overlong forms, surrogates and codes above U+10FFFF are invalid (RFC 3629). */
static int utf8_length(const unsigned char *c) {
    if (c[0] < 0x80) return 1;
    int length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0)) return 0;
    if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90)) return 0;
    return length;
}

void print_json_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (length == 0) fputs("\\ufffd", file);
        else if (*c == '"' || *c == '\\') fprintf(file, "\\%c", *c);
        else if (*c < 0x20) fprintf(file, "\\u%04x", *c);
        else fwrite(c, 1, (size_t)length, file);
        c += length ? length : 1;
    }
    fputc('"', file);
}

void print_json_number(FILE *file, double number) {
    if (isfinite(number)) fprintf(file, "%.17g", number);
    else fputs("null", file);
}

volume_unit volume_unit_for(double volume) {
    if (volume >= 1) return (volume_unit){"m³", 1};
    if (volume >= 1e-3) return (volume_unit){"l", 1e3};
    return (volume_unit){"ml", 1e6};
}
