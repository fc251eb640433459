/* Files that are often given by mistake in place of the one that they belong to. */
#ifndef RN_IO_COMPANION_H
#define RN_IO_COMPANION_H

#include <runnel/base.h>

/* Returns RN_FORMAT, with a message that says what to give instead, if the name of a file is that of a list of
   materials, a coordinate system, a world file, packed data or the like. The file is not opened. */
rn_result rn_companion_check(const char *path);
/* Fails with RN_FORMAT if a file that begins with these bytes is a web page, as failed downloads are. */
rn_result rn_companion_check_start(const char *path, const char *bytes, size_t count);

#endif
