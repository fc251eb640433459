/* Another program, fed through its standard input. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct child child;

/* Starts argv[0], looked for as a shell does; argv ends with NULL. Ctrl-C does not reach it, so that it can finish what
   it has been given. NULL: errno says why, ENOENT that there is no such program. */
child *child_start(const char *const *argv);

/* False: it has gone, or closed its ears. Threads that call this have SIGPIPE blocked. */
bool child_write(child *c, const void *bytes, size_t count);

/* Ends its input, waits for it, and frees. Its exit status, -1 if it was killed or nobody can tell; `said` gets the
   last line of what it wrote to its stderr, where that is known. */
int child_finish(child *c, char *said, size_t size);

#endif
