/* Lists the files that the window can open again. Interface: view/window/recents.h. */
#include "view/window/recents.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Returns what kind of file has this name, or NULL if it is none that is listed. */
static const char *kind_of(const char *name) {
    static const char *const endings[][2] = {{".rnl", "checkpoint"}, {".input.txt", "input log"}, {".json", "scene"}};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(name), ending = strlen(endings[i][0]);
        if (length > ending && strcmp(name + length - ending, endings[i][0]) == 0) return endings[i][1];
    }
    return NULL;
}

/* Inserts a file before all older ones; the oldest one is dropped if the list is full. */
static void insert_file(recents *r, const recent *file) {
    int at = 0;
    while (at < r->count && r->list[at].time >= file->time) at++;
    if (at == RECENTS_MOST) return;
    if (r->count < RECENTS_MOST) r->count++;
    memmove(&r->list[at + 1], &r->list[at], (size_t)(r->count - 1 - at) * sizeof *r->list);
    r->list[at] = *file;
}

void recents_list(recents *r) {
    DIR *entries = opendir(".");
    r->count = 0;
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat about;
        recent file = {.kind = kind_of(entry->d_name)};
        if (!file.kind || entry->d_name[0] == '.' || stat(entry->d_name, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        if (snprintf(file.name, sizeof file.name, "%s", entry->d_name) >= (int)sizeof file.name) continue;
        file.time = 1000000000LL * about.st_mtim.tv_sec + about.st_mtim.tv_nsec;
        insert_file(r, &file);
    }
    closedir(entries);
}
