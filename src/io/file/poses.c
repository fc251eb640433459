/* Reads and writes logs of poses (poses.h). Failures leave the reason, with file and line, in rn_last_error(). */
#include "io/file/poses.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/input.h"
#include "io/file/number.h"
#include "io/file/out.h"
#include "io/file/whole_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 13, LONGEST_LINE = 1024, MOST_LINES = 1 << 24, MOST_BODIES = 1 << 20 };

static const char title[] = "runnel poses 1";

typedef struct line {
    int frame, body;
    double numbers[NUMBERS];
} line;

struct rn_poses {
    rn_hooks hooks;
    char *path;
    int bodies;
    double frame_time;
    line *lines;
    size_t count, capacity, next;
};

struct rn_pose_log {
    rn_hooks hooks;
    rn_whole_file file;
    char *path;
    size_t count;
};

/* Copies a text; the caller frees the copy with these hooks. Returns NULL, with an error text, if memory runs out. */
static char *copy_text(const rn_hooks *hooks, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = rn_alloc(hooks, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* ---- Reading ---- */

/* A file being read. */
typedef struct reader {
    FILE *file;
    const char *path;
    int number; /* of the line, from 1 */
    char text[LONGEST_LINE];
} reader;

/* Fails with RN_FORMAT and a message "FILE:LINE: reason". */
RN_PRINTF(2, 3) static rn_result refuse(const reader *in, const char *format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return rn_fail(RN_FORMAT, "%s:%d: %s", in->path, in->number, reason);
}

/* Reads the next line into in->text, without its end, and counts it. Returns RN_FILE if it cannot be read; or RN_FORMAT
   if there is no line, or it is truncated or too long. */
static rn_result next_line(reader *in) {
    in->number++;
    if (!fgets(in->text, sizeof in->text, in->file)) {
        if (ferror(in->file)) return rn_fail(RN_FILE, "%s: cannot be read: %s", in->path, strerror(errno));
        return refuse(in, "the file ends here, before its \"end\"; it has been cut short");
    }
    const size_t length = strcspn(in->text, "\n");
    if (in->text[length] != '\n') {
        if (length + 1 < sizeof in->text) return refuse(in, "the file ends in this line; it has been cut short");
        return refuse(in, "is longer than the %d characters that a pose can take", LONGEST_LINE);
    }
    in->text[length] = 0;
    return RN_OK;
}

/* Reads the next number and moves *text past that word. Returns false, without an error text, if it is no number, or
   not finite. */
static bool read_number(const char **text, double *number) {
    *text += strspn(*text, " ");
    const size_t length = strcspn(*text, " ");
    const bool read = rn_number_parse(*text, length, number) && isfinite(*number);
    *text += length;
    return read;
}

/* Reads the next whole number, from 0 to `most`, and moves *text past that word. Returns false, without an error text,
   if the word is not such a number. */
static bool read_count(const char **text, int most, int *count) {
    double number;
    if (!read_number(text, &number) || !(number >= 0 && number <= most) || number != floor(number)) return false;
    *count = (int)number;
    return true;
}

/* Moves *text past spaces and this word, up to the space that must follow. Returns false, without an error text, if
   there is another word. */
static bool read_word(const char **text, const char *word) {
    const size_t length = strlen(word);
    *text += strspn(*text, " ");
    if (strncmp(*text, word, length) != 0 || (*text)[length] != ' ') return false;
    *text += length;
    return true;
}

/* Reads the first two lines, and sets poses->bodies and poses->frame_time. On failure returns RN_FILE or RN_FORMAT. */
static rn_result read_head(reader *in, rn_poses *poses) {
    rn_result result = next_line(in);
    if (result == RN_FILE) return result;
    if (result != RN_OK || strcmp(in->text, title) != 0)
        return refuse(in, "this is not a log of poses, which begins with \"%s\"", title);
    result = next_line(in);
    if (result != RN_OK) return result;
    const char *at = in->text;
    if (!read_word(&at, "bodies") || !read_count(&at, MOST_BODIES, &poses->bodies) || !read_word(&at, "frame_time") ||
        !read_number(&at, &poses->frame_time) || *at || !(poses->frame_time > 0))
        return refuse(in, "must be \"bodies COUNT frame_time SECONDS\"");
    return RN_OK;
}

/* Appends the pose in the line in->text to poses->lines. Returns RN_FORMAT if it is invalid, or its frame is before
   that of the line before; or RN_MEMORY if memory runs out. Does not check whether a frame has every body. */
static rn_result read_pose(reader *in, rn_poses *poses) {
    const char *at = in->text;
    if (poses->count == MOST_LINES) return refuse(in, "is one pose more than the %d that a log may have", MOST_LINES);
    if (!rn_grow(&poses->hooks, &poses->lines, &poses->capacity, poses->count, sizeof *poses->lines)) return RN_MEMORY;
    line *to = &poses->lines[poses->count];
    if (!read_count(&at, INT_MAX, &to->frame) || !read_count(&at, poses->bodies - 1, &to->body))
        return refuse(in, "must begin with a frame and a body, from 0 to %d", poses->bodies - 1);
    for (int i = 0; i < NUMBERS; i++)
        if (!read_number(&at, &to->numbers[i]))
            return refuse(in, "number %d of %d after frame and body is missing or not a number", i + 1, NUMBERS);
    if (*at) return refuse(in, "has more than the %d numbers of a pose", NUMBERS);
    if (poses->count && to->frame < poses->lines[poses->count - 1].frame)
        return refuse(in, "belongs to frame %d, but follows frame %d", to->frame, poses->lines[poses->count - 1].frame);
    poses->count++;
    return RN_OK;
}

/* Reads a whole log into `poses`, up to its "end", after which nothing may follow. On failure returns RN_FILE,
   RN_FORMAT or RN_MEMORY; `poses` is then partly filled. */
static rn_result read_all(reader *in, rn_poses *poses) {
    rn_result result = read_head(in, poses);
    while (result == RN_OK) {
        result = next_line(in);
        if (result != RN_OK) return result;
        const char *at = in->text;
        int count;
        if (read_word(&at, "end")) {
            if (!read_count(&at, INT_MAX, &count) || *at || (size_t)count != poses->count)
                return refuse(in, "must be \"end %zu\", the number of poses; some are missing or extra", poses->count);
            if (fgetc(in->file) != EOF) return refuse(in, "the file goes on after its end");
            return RN_OK;
        }
        result = read_pose(in, poses);
    }
    return result;
}

rn_result rn_poses_read(const char *path, const rn_hooks *hooks, rn_poses **out) {
    *out = NULL;
    reader in = {.path = path};
    rn_result result = rn_input_open(path, &in.file);
    if (result != RN_OK) return result;
    rn_poses *poses = rn_alloc(hooks, 1, sizeof *poses);
    result = poses ? RN_OK : RN_MEMORY;
    if (poses) {
        if (hooks) poses->hooks = *hooks;
        poses->path = copy_text(hooks, path);
        result = poses->path ? read_all(&in, poses) : RN_MEMORY;
    }
    fclose(in.file);
    if (result == RN_OK) *out = poses;
    else rn_poses_free(poses);
    return result;
}

void rn_poses_free(rn_poses *poses) {
    if (!poses) return;
    const rn_hooks hooks = poses->hooks;
    rn_free(&hooks, poses->path);
    rn_free(&hooks, poses->lines);
    rn_free(&hooks, poses);
}

int rn_poses_bodies(const rn_poses *poses) { return poses->bodies; }
double rn_poses_frame_time(const rn_poses *poses) { return poses->frame_time; }
const char *rn_poses_path(const rn_poses *poses) { return poses->path; }

void rn_poses_skip(rn_poses *poses, int frame) {
    while (poses->next < poses->count && poses->lines[poses->next].frame <= frame) poses->next++;
}

rn_result rn_poses_next(rn_poses *poses, int frame, int body, rn_pose *pose) {
    if (poses->next == poses->count)
        return rn_fail(RN_INVALID, "%s: has no pose of body %d in frame %d; it ends before", poses->path, body, frame);
    const line *from = &poses->lines[poses->next];
    if (from->frame != frame || from->body != body)
        return rn_fail(RN_INVALID, "%s:%zu: is for body %d in frame %d; the scene needs body %d in frame %d here",
                       poses->path, poses->next + 3, from->body, from->frame, body, frame);
    poses->next++;
    const double *n = from->numbers;
    *pose = (rn_pose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}, {n[10], n[11], n[12]}};
    return RN_OK;
}

/* ---- Writing ---- */

/* Writes a space and a number, with the 17 digits that make it exact. */
static void print_number(FILE *stream, double number) {
    char text[RN_FLOAT_TEXT];
    fprintf(stream, " %s", rn_exact_text(number, text));
}

rn_result rn_pose_log_create(const char *path, const rn_hooks *hooks, int bodies, double frame_time,
                             rn_pose_log **out) {
    *out = NULL;
    rn_pose_log *log = rn_alloc(hooks, 1, sizeof *log);
    if (!log) return RN_MEMORY;
    if (hooks) log->hooks = *hooks;
    log->path = copy_text(hooks, path);
    const rn_result result = log->path ? rn_whole_file_open(&log->file, log->path) : RN_MEMORY;
    if (result != RN_OK) {
        rn_free(hooks, log->path);
        rn_free(hooks, log);
        return result;
    }
    fprintf(log->file.stream, "%s\nbodies %d frame_time", title, bodies);
    print_number(log->file.stream, frame_time);
    fputc('\n', log->file.stream);
    *out = log;
    return RN_OK;
}

void rn_pose_log_add(rn_pose_log *log, int frame, int body, const rn_pose *pose) {
    const double numbers[NUMBERS] = {pose->at.x,   pose->at.y,   pose->at.z,       pose->turn.x,     pose->turn.y,
                                     pose->turn.z, pose->turn.w, pose->velocity.x, pose->velocity.y, pose->velocity.z,
                                     pose->spin.x, pose->spin.y, pose->spin.z};
    fprintf(log->file.stream, "%d %d", frame, body);
    for (int i = 0; i < NUMBERS; i++) print_number(log->file.stream, numbers[i]);
    fputc('\n', log->file.stream);
    log->count++;
}

/* Frees the log itself. Its file must have been kept or dropped. */
static void free_log(rn_pose_log *log) {
    const rn_hooks hooks = log->hooks;
    rn_free(&hooks, log->path);
    rn_free(&hooks, log);
}

rn_result rn_pose_log_keep(rn_pose_log *log) {
    fprintf(log->file.stream, "end %zu\n", log->count);
    const rn_result result = rn_whole_file_keep(&log->file);
    free_log(log);
    return result;
}

void rn_pose_log_drop(rn_pose_log *log) {
    if (!log) return;
    rn_whole_file_drop(&log->file);
    free_log(log);
}
