/* Opens files to be read. */
#ifndef RN_IO_INPUT_H
#define RN_IO_INPUT_H

#include <runnel/base.h>
#include <stdio.h>

/* Opens a file for reading, as bytes. RN_FILE, with *file NULL: there is none, it may not be read, or it is a folder, a
   pipe or a device: reading from those could wait forever. The caller closes it with fclose. */
rn_result rn_input_open(const char *path, FILE **file);

#endif
