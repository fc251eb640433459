/* Keeps input logs in memory, and writes and reads them. Interface: view/inputs.h.

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
    if (!texts_add(&log->set, change)) return false;
    for (char *c = log->set.list[log->set.count - 1]; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    return true;
}

void inputs_free(inputs *log) {
    texts_free(&log->set);
    free(log->list);
    *log = (inputs){0};
}

bool inputs_write(const inputs *log, const char *path, char *error, size_t size) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result == RN_OK) {
        fprintf(file.stream, HEAD "\n%s %s\n", log->from_checkpoint ? "checkpoint" : "scene", log->scene);
        for (int i = 0; i < log->set.count; i++) fprintf(file.stream, "set %s\n", log->set.list[i]);
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

/* Reads a line, not the first, into the log; sets *ended after a line "end". On failure returns false, and `error` says
   what is wrong with the line, or is unchanged if memory ran out. */
static bool read_line(const char *line, inputs *log, bool *ended, char *error, size_t size) {
    const char *word = strchr(line, ' ');
    char *end;
    if (strncmp(line, "scene ", 6) == 0 || strncmp(line, "checkpoint ", 11) == 0) {
        log->from_checkpoint = line[0] == 'c';
        if (snprintf(log->scene, sizeof log->scene, "%s", word + 1) < (int)sizeof log->scene) return true;
        snprintf(error, size, "the path has more than %d bytes", INPUT_PATH - 1);
        return false;
    }
    if (strncmp(line, "set ", 4) == 0) return inputs_add_set(log, word + 1);
    if (strncmp(line, "end ", 4) == 0) {
        *ended = sscanf(word, "%" SCNu64 " %" SCNx64, &log->steps, &log->hash) == 2;
        if (!*ended) snprintf(error, size, "write \"end STEPS HASH\"");
        return *ended;
    }
    const unsigned long long step = strtoull(line, &end, 10);
    if (end == line || *end != ' ' || line[0] == '-') {
        snprintf(error, size,
                 "\"%.60s\" is not understood; a line begins with scene, checkpoint, set, end or the number of a step",
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

/* Reads a line of any length, without its end, into *line, which has room for *room bytes, grows, and is freed by the
   caller. Returns false, without a message, if there are no more lines or memory runs out (then *line is NULL and *room
   is not 0). */
static bool next_line(FILE *file, char **line, size_t *room) {
    size_t used = 0;
    for (int c; (c = fgetc(file)) != EOF || used;) {
        if (used + 1 >= *room) {
            char *longer = realloc(*line, *room = 2 * *room + 256);
            if (!longer) free(*line);
            *line = longer;
            if (!longer) return false;
        }
        (*line)[used] = 0;
        if (c == EOF || c == '\n') return true;
        if (c != '\r') (*line)[used++] = (char)c;
    }
    return false;
}

/* Reads all lines into the log; "end" and "scene" or "checkpoint" must be among them. Sets *number to the line, from 1,
   that is wrong, or to the number after the last line. On failure returns false, and `error` has a message, or is
   unchanged if memory ran out. */
static bool read_lines(FILE *file, inputs *log, int *number, char *error, size_t size) {
    char *line = NULL;
    size_t room = 0;
    bool ended = false, fine = true;
    for (*number = 1; fine && next_line(file, &line, &room); ++*number) {
        const bool head = *number == 1;
        if (head) fine = strcmp(line, HEAD) == 0;
        if (!fine) snprintf(error, size, "is not an input log: it does not begin with \"" HEAD "\"");
        else if (!head && *line) fine = read_line(line, log, &ended, error, size);
    }
    if (!fine) --*number;
    if (!line && room) return false; /* memory ran out */
    free(line);
    if (!fine || (ended && *log->scene)) return fine;
    snprintf(error, size, "has no \"%s\" line", ended ? "scene" : "end");
    return false;
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
