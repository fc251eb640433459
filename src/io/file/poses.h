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

/* Reads a whole log. RN_FORMAT: it is damaged. */
rn_result rn_poses_read(const char *path, const rn_hooks *hooks, rn_poses **poses);
void rn_poses_free(rn_poses *poses);
int rn_poses_bodies(const rn_poses *poses);        /* number of bodies */
double rn_poses_frame_time(const rn_poses *poses); /* s per frame */
const char *rn_poses_path(const rn_poses *poses);
/* Skips to the first line after a frame. */
void rn_poses_skip(rn_poses *poses, int frame);
/* The next line, which must be that of this frame and body. */
rn_result rn_poses_next(rn_poses *poses, int frame, int body, rn_pose *pose);

typedef struct rn_pose_log rn_pose_log; /* a log that is written */

/* Begins a log under a temporary name, until it is kept. */
rn_result rn_pose_log_create(const char *path, const rn_hooks *hooks, int bodies, double frame_time, rn_pose_log **log);
/* Adds a line. rn_pose_log_keep reports failures. */
void rn_pose_log_add(rn_pose_log *log, int frame, int body, const rn_pose *pose);
/* Finishes the file, and frees the log, also on failure. */
rn_result rn_pose_log_keep(rn_pose_log *log);
void rn_pose_log_drop(rn_pose_log *log); /* NULL is allowed */

#endif
