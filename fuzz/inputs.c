/* Input logs of the window: read whole, or refused in a line. */
#include "view/inputs.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

/* What holds for every log that was read. */
static void check(const inputs *log) {
    fuzz_require(log->scene[0] && strlen(log->scene) < INPUT_PATH, "a log has a scene");
    for (size_t i = 0; i < log->count; i++) {
        const action *what = &log->list[i].what;
        fuzz_require(what->kind < ACTION_KINDS && strlen(what->text) < ACTION_TEXT, "actions are known");
        fuzz_require(i == 0 || log->list[i].step >= log->list[i - 1].step, "steps rise");
        for (int k = 0; k < ACTION_NUMBERS; k++) fuzz_require(isfinite(what->numbers[k]), "numbers are finite");
    }
}

void fuzz(const uint8_t *bytes, size_t size) {
    inputs log;
    char error[512] = "";
    const bool read = inputs_read(fuzz_file(bytes, size), &log, error, sizeof error);
    if (read) check(&log);
    else fuzz_require(error[0] && !strchr(error, '\n') && !log.list, "a refusal is a line, and leaves nothing");
    inputs_free(&log);
}
