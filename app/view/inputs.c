/* Input logs in memory and in files. Interface: view/inputs.h.

   A file begins with the line HEAD. The scene or checkpoint, the changes that it was opened with, the actions in the
   order of their steps, and the final steps and hash follow, one per line. */
#include "view/inputs.h"

#include "base/platform.h"
#include "io/file/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <runnel/runnel.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "runnel input 1"

enum { LONGEST_LINE = INPUT_PATH + 64 };

bool inputs_add(inputs *log, uint64_t step, const action *what) {
    if (log->count == log->room) {
        const size_t room = log->room ? 2 * log->room : 256;
        input *longer = realloc(log->list, room * sizeof *longer);
        if (!longer) return false;
        log->list = longer;
        log->room = room;
    }
    log->list[log->count++] = (input){step, *what};
    return true;
}

bool inputs_add_set(inputs *log, const char *change) {
    char **longer = realloc(log->set, (size_t)(log->set_count + 1) * sizeof *longer);
    if (!longer) return false;
    log->set = longer;
    log->set[log->set_count] = rn_text_copy(change, strlen(change));
    return log->set[log->set_count] && ++log->set_count;
}

void inputs_free(inputs *log) {
    for (int i = 0; i < log->set_count; i++) free(log->set[i]);
    free(log->set);
    free(log->list);
    *log = (inputs){0};
}

bool inputs_write(const inputs *log, const char *path, char *error, size_t size) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result == RN_OK) {
        fprintf(file.stream, HEAD "\n%s %s\n", log->from_checkpoint ? "checkpoint" : "scene", log->scene);
        for (int i = 0; i < log->set_count; i++) fprintf(file.stream, "set %s\n", log->set[i]);
        for (size_t i = 0; i < log->count; i++) {
            fprintf(file.stream, "%" PRIu64 " ", log->list[i].step);
            action_print(file.stream, &log->list[i].what);
            fputc('\n', file.stream);
        }
        fprintf(file.stream, "end %" PRIu64 " %016" PRIx64 "\n", log->steps, log->hash);
        result = rn_whole_file_keep(&file);
    }
    if (result != RN_OK) snprintf(error, size, "%s", rn_last_error());
    return result == RN_OK;
}

/* Reads one line after the first into the log; sets *ended after a line "end". False: `error` says what is wrong with
   the line, or is unchanged if memory ran out. */
static bool read_line(const char *line, inputs *log, bool *ended, char *error, size_t size) {
    const char *word = strchr(line, ' ');
    char *end;
    if (strncmp(line, "scene ", 6) == 0 || strncmp(line, "checkpoint ", 11) == 0) {
        log->from_checkpoint = line[0] == 'c';
        snprintf(log->scene, sizeof log->scene, "%s", word + 1);
        return true;
    }
    if (strncmp(line, "set ", 4) == 0) return inputs_add_set(log, word + 1);
    if (strncmp(line, "end ", 4) == 0) {
        *ended = sscanf(word, "%" SCNu64 " %" SCNx64, &log->steps, &log->hash) == 2;
        if (!*ended) snprintf(error, size, "write \"end STEPS HASH\"");
        return *ended;
    }
    const unsigned long long step = strtoull(line, &end, 10);
    if (end == line || *end != ' ' || line[0] == '-') {
        snprintf(error, size, "\"%.60s\" is not understood; a line begins with scene, set, end or the number of a step",
                 line);
        return false;
    }
    if (log->count && step < log->list[log->count - 1].step) {
        snprintf(error, size, "step %llu comes after step %" PRIu64, step, log->list[log->count - 1].step);
        return false;
    }
    action what;
    return action_read(end, &what, error, size) && inputs_add(log, step, &what);
}

/* Reads all lines into the log. *number: the number of the last line read, from 1. False: `error` has a message, or is
   unchanged if memory ran out. */
static bool read_lines(FILE *file, inputs *log, int *number, char *error, size_t size) {
    char line[LONGEST_LINE];
    bool ended = false;
    for (*number = 1; fgets(line, sizeof line, file); ++*number) {
        line[strcspn(line, "\r\n")] = 0;
        if (*number == 1 && strcmp(line, HEAD) != 0) {
            snprintf(error, size, "is no input log: it does not begin with \"" HEAD "\"");
            return false;
        }
        if (*number > 1 && *line && !read_line(line, log, &ended, error, size)) return false;
    }
    if (!ended || !*log->scene) snprintf(error, size, "has no \"%s\" line", ended ? "scene" : "end");
    return ended && *log->scene;
}

bool inputs_read(const char *path, inputs *log, char *error, size_t size) {
    *log = (inputs){0};
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(error, size, "%s: cannot be read: %s", path, strerror(errno));
        return false;
    }
    char why[256] = "there is not enough memory";
    int number = 1;
    const bool fine = read_lines(file, log, &number, why, sizeof why);
    fclose(file);
    if (!fine) {
        snprintf(error, size, "%s:%d: %s", path, number, why);
        inputs_free(log);
    }
    return fine;
}
