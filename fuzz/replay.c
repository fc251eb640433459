/* Runs a target on files and folders of files, without a fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { LARGEST_INPUT = 1 << 22 };

static int replay_file(const char *path) {
    static uint8_t bytes[LARGEST_INPUT];
    FILE *file = fopen(path, "rb");
    if (!file) return 0; /* git keeps no empty folders: nothing has been found yet */
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    printf("%s\n", path); /* the last one printed is the one that crashed */
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, size);
    return 1;
}

static int replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return replay_file(path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.' || snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= 4096) continue;
        count += replay(inner);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) count += replay(argv[i]);
    printf("%d inputs replayed\n", count);
    return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
