/* Whether a sanitizer watches the test. It makes everything several times slower, so loops of which a part is enough
   for what it looks for are shorter. */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
