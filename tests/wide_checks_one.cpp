/* The body of base/wide.h for C++. */
extern "C" const char *wide_checks_one(int *lanes);
#define WIDE_CHECKS wide_checks_one
#include "wide_checks.c"
