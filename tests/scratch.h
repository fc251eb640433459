/* A folder for a test's files, on any system. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/platform.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];

static inline const char *in_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline int make_folder(const char *test) {
    const char *place = getenv("TMPDIR");
    if (!place) place = getenv("TEMP"); /* Windows */
    if (!place) place = "/tmp";
    snprintf(folder, sizeof folder, "%s/runnel-test-%s-%ld", place, test, rn_process_number());
    return rn_make_folder(folder) ? 0 : -1;
}

/* How many files have `text` in their names; takes all of them away if asked to. */
static inline int count_files(const char *text, bool take_away) {
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, text)) continue;
        if (take_away) remove(in_folder(entry->d_name));
        count++;
    }
    if (entries) closedir(entries);
    return count;
}

static inline int take_folder_away(void) {
    count_files("", true);
    return rmdir(folder);
}

#endif
