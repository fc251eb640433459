/* Another program, fed through its standard input: call child_start(), then child_write() as often as needed, then
   child_finish(), which waits for the program to end. child_stop() before that ends it at once. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct child child;

/* Starts argv[0], searched for as a shell does; argv ends with NULL and may be freed afterwards. Its output is not
   shown. Ctrl-C does not reach the program, so that it can finish its input. On Windows no argument may contain a
   quote. Returns NULL with errno set on failure; ENOENT: there is no such program. child_finish() frees the result. */
child *child_start(const char *const *argv);

/* Writes `count` bytes to the program, waiting while it is busy. Returns false if the program has ended or closed its
   input. Threads that call this must block SIGPIPE. */
bool child_write(child *c, const void *bytes, size_t count);

/* Closes the input, waits for the program to end, and frees `c`. Returns its exit status, or -1 if it was killed or the
   status is unknown (on Windows, 1 after child_stop()). `said`: receives the last non-empty line that it wrote, at most
   `size` - 1 bytes, or "" if unknown, as on Windows; it may be NULL if `size` is 0. */
int child_finish(child *c, char *said, size_t size);

/* Returns true if the program has ended; child_finish() does not wait then. */
bool child_has_ended(child *c);

/* Ends the program at once; child_finish() is still needed. */
void child_stop(child *c);

#endif
