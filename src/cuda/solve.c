/* The time loop of a job, on the GPU: what the solver asks of its world is answered here. Interface: cuda/job.h. */
#include "cuda/job.h"

/* How far (m) sources can raise a level within `seconds`: 0, as the GPU runs only worlds without sources. This and the
   next three are the members of rn_forcing; context: the course. */
static double rise(const void *context, double height, double seconds) {
    (void)context, (void)height, (void)seconds;
    return 0.0;
}

/* The longest substep (s) that moving sources allow: any, as there are none. */
static double longest(const void *context) {
    (void)context;
    return 1e9;
}

/* Counts a substep of dt (s), in which `left` quanta left the world, in the course. Returns the depth (m) that sources
   added: 0. */
static float end_substep(void *context, double dt, int64_t left) {
    rn_gpu_course *course = context;
    course->left += left;
    course->time += dt;
    course->done++;
    return 0.0f;
}

/* The simulated time (s) so far. */
static double time_of(const void *context) { return ((const rn_gpu_course *)context)->time; }

void rn_gpu_solve(rn_gpu_course *course, rn_pipe_solver *solver) {
    const rn_forcing forcing = {course, rise, longest, end_substep, time_of, NULL, false, false};
    course->result = rn_pipes_go_on(solver, &course->stretch, course->most, &forcing, &course->report);
}
