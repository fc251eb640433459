/* What a fuzz target needs. A target is one file of this folder with one function:

       #include "fuzz.h"
       void fuzz(const uint8_t *bytes, size_t size) { ... fuzz_file(bytes, size) is a path that holds the bytes ... }

   CMake makes fuzz_NAME of NAME.c for libFuzzer (make fuzz) and replay_NAME for the ordinary tests, which run it on
   its seeds (from make-seeds) and on everything in found/NAME. */
#ifndef FUZZ_H
#define FUZZ_H

#include <runnel/runnel.h>
#include <stdint.h>

void fuzz(const uint8_t *bytes, size_t size);

/* A file that holds the bytes until the next call; no disk is written. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

/* The same under a name that ends so, for readers that go by that. A link: unlink it after use. */
const char *fuzz_named_file(const uint8_t *bytes, size_t size, const char *ending);

/* Memory for worlds, with a bound: inputs may ask for more than a fuzzer has time for, and a failing allocation is
   worth testing as well. */
rn_hooks fuzz_hooks(void);

/* Ends the program with the sentence if something that must hold does not. */
void fuzz_require(bool holds, const char *what);

#endif
