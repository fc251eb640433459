/* Logs of poses: read whole, and handed out line by line. */
#include "io/file/poses.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

/* Bodies in turn, frame after frame, as a scene asks that has them all from the start; to the first that is not there.
 */
static int play(rn_poses *poses) {
    int taken = 0;
    rn_pose pose;
    for (int frame = 0; frame < 1000; frame++) {
        for (int body = 0; body < rn_poses_bodies(poses); body++, taken++) {
            if (rn_poses_next(poses, frame, body, &pose) != RN_OK) {
                fuzz_require(rn_last_error()[0] && !strchr(rn_last_error(), '\n'), "what is missing is told in a line");
                return taken;
            }
            fuzz_require(isfinite(pose.at.x + pose.turn.w + pose.velocity.y + pose.spin.z), "poses are numbers");
        }
    }
    return taken;
}

void fuzz(const uint8_t *bytes, size_t size) {
    rn_poses *poses = NULL;
    const rn_hooks hooks = fuzz_hooks();
    if (rn_poses_read(fuzz_file(bytes, size), &hooks, &poses) != RN_OK) {
        fuzz_require(poses == NULL, "a refused log leaves nothing");
        fuzz_require(rn_last_error()[0] && !strchr(rn_last_error(), '\n'), "a refusal is a line");
        return;
    }
    fuzz_require(rn_poses_frame_time(poses) > 0, "frames take time");
    play(poses);
    rn_poses_skip(poses, size % 3 ? 1 : 1 << 30);
    play(poses);
    rn_poses_free(poses);
}
