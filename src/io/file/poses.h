/* Logs of the poses of bodies, frame by frame: text, with exact numbers.

       runnel poses 1
       bodies 2 frame_time 0.016666666666666666
       0 0 x y z qx qy qz qw vx vy vz wx wy wz
       ...
       end 602

   A line has a frame, a body and its pose: the first line of a body says where it appears, after that frame; the
   others where it is at the end of their frame. The last line has the number of lines between. */
#ifndef RN_IO_POSES_H
#define RN_IO_POSES_H

#include <runnel/bodies.h>

typedef struct rn_poses rn_poses; /* a log that is read */

/* Reads a whole log. Returns RN_FILE if it cannot be read, RN_FORMAT if it is damaged, or RN_MEMORY if memory runs out.
   *poses is then NULL and rn_last_error() names file and line. `hooks` are copied (NULL: defaults). Which frames and
   bodies have lines is checked only by rn_poses_next. */
rn_result rn_poses_read(const char *path, const rn_hooks *hooks, rn_poses **poses);
/* Frees a log; NULL is allowed. */
void rn_poses_free(rn_poses *poses);
int rn_poses_bodies(const rn_poses *poses);        /* number of bodies */
double rn_poses_frame_time(const rn_poses *poses); /* s per frame */
/* Returns the path given to rn_poses_read; it lives as long as the log. */
const char *rn_poses_path(const rn_poses *poses);
/* Moves on past all lines of this frame and of earlier ones; never back. */
void rn_poses_skip(rn_poses *poses, int frame);
/* Reads the pose in the next line, which must be that of this frame and body, and moves past it. Returns RN_INVALID,
   with a message and without moving, if the log has ended, or if the line is that of another frame or body. */
rn_result rn_poses_next(rn_poses *poses, int frame, int body, rn_pose *pose);

typedef struct rn_pose_log rn_pose_log; /* a log that is written */

/* Begins a log for `bodies` bodies under a temporary name, until it is kept. frame_time: s per frame. `hooks` are
   copied (NULL: defaults). On failure returns RN_FILE or RN_MEMORY, with a message; then *log is NULL and there is
   nothing to free. */
rn_result rn_pose_log_create(const char *path, const rn_hooks *hooks, int bodies, double frame_time, rn_pose_log **log);
/* Adds a line. Frames must not decrease (not checked). rn_pose_log_keep reports failures. */
void rn_pose_log_add(rn_pose_log *log, int frame, int body, const rn_pose *pose);
/* Writes the last line, gives the file its own name, and frees the log, also on failure. Returns RN_FILE, with a reason
   in rn_last_error(), if a write failed; the unfinished file is removed, and an older one stays. */
rn_result rn_pose_log_keep(rn_pose_log *log);
/* Removes the unfinished file and frees the log; NULL is allowed. */
void rn_pose_log_drop(rn_pose_log *log);

#endif
