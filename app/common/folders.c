/* Makes folders (folders.h). */
#include "common/folders.h"

#include "base/platform.h"
#include "common/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4096 };

bool make_folders(const char *folder) {
    char path[LONGEST];
    snprintf(path, sizeof path, "%s", folder);
    for (char *c = path + 1;; c++) {
        if ((!rn_is_separator(*c) && *c != 0) || c[-1] == ':') continue; /* "C:" is a drive, not a folder */
        char end = *c;
        *c = 0;
        if (!rn_make_folder(path)) {
            complain("%s: this folder cannot be created: %s", folder, strerror(errno));
            return false;
        }
        if (end == 0) return true;
        *c = end;
    }
}
