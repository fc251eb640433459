/* Point caches as motions. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[12] = "POINTCACHE2"; /* with the zero behind it */

/* Without the mark a file would be given to the readers of meshes, which are not what is looked for: it is put there.
 */
static rn_result read_marked(const uint8_t *bytes, size_t size, rn_motion **motion) {
    uint8_t *marked = malloc(size);
    fuzz_require(marked != NULL, "memory for a copy");
    memcpy(marked, bytes, size);
    memcpy(marked, mark, sizeof mark);
    const rn_result result = rn_motion_read(fuzz_file(marked, size), 0, motion);
    free(marked);
    return result;
}

void fuzz(const uint8_t *bytes, size_t size) {
    rn_motion *motion;
    if (size < sizeof mark) return;
    if (read_marked(bytes, size, &motion) != RN_OK) {
        fuzz_require(motion == NULL, "a refused cache leaves nothing");
        fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        return;
    }
    const size_t count = 3 * (size_t)rn_motion_vertex_count(motion);
    float *positions = malloc(count * sizeof *positions);
    fuzz_require(positions != NULL, "memory for a frame");
    const double length = rn_motion_duration(motion), times[] = {-1, 0, 0.3 * length, length, 2 * length + 1, 1e300};
    for (int i = 0; i < 12; i++) {
        rn_motion_sample(motion, times[i / 2], i % 2 == 1, positions);
        for (size_t k = 0; k < count; k++) fuzz_require(!isnan(positions[k]), "every place is a number");
    }
    free(positions);
    rn_motion_free(motion);
}
