/* The program of plain worlds (cuda/plain_step.h). Entry: rn_plain_run (cuda/job.h).

   Every block runs the time loop for itself, on its first thread, with a copy of the solver in its own memory: all
   blocks find the same. Where the loop takes a substep, all threads of all blocks take it together. */
#include "cuda/job.h"
#include "cuda/machine.h"
#include "cuda/plain_piece.h"
#include "solver/momentum.h"

/* The state of a block, at the start of its shared memory. */
typedef struct plain_state {
    rn_gpu_job *job; /* first, as in the other program */
    uint32_t met;    /* blocks that must have arrived when the barrier next opens */
    bool ends;       /* there are no more substeps */
    rn_plain_block block;
    rn_gpu_course course;  /* of this block */
    rn_pipe_solver solver; /* of this block */
} plain_state;

_Static_assert(sizeof(plain_state) <= RN_BLOCK_BYTES, "the memory of a block is too small");

/* The state of this thread's block. */
static plain_state *own_state(void) { return machine_shared(0); }
/* Whether this is the first thread of the block. */
static bool is_first(void) { return rn_lane() == 0 && rn_rank() == 0; }

void rn_all_meet(void) {
    rn_lanes_meet();
    if (is_first()) {
        plain_state *own = own_state();
        rn_gpu_crew *crew = &own->job->crew;
        machine_arrive(&crew->arrived);
        own->met += (uint32_t)machine_blocks();
        while ((int32_t)(machine_count(&crew->arrived) - own->met) < 0) machine_pause();
        machine_arrived(&crew->arrived);
    }
    rn_lanes_meet();
}

/* The substep of a block, for the passes. */
static substep own_substep(plain_state *own) { return (substep){&own->solver.state, &own->solver.params, NULL}; }

/* Takes a substep, whose parameters and own->block.retimed are set. All threads of all blocks call it. */
static void step_together(plain_state *own) {
    const substep step = own_substep(own);
    rn_plain_step(&own->job->plain, &own->block, &step);
}

bool rn_gpu_step(const substep *step, bool retimed, rn_extremes *extremes) {
    plain_state *own = own_state();
    if (!own->job->is_plain) return false;
    own->block.retimed = retimed;
    rn_lanes_meet();
    step_together(own);
    const rn_face_maxima *found = &own->block.all;
    *extremes = (rn_extremes){.height = found->deepest,
                              .speed = found->speed,
                              .signal_speed = found->signal,
                              .signal_depth = found->signal_depth,
                              .signal_flow = found->signal_speed};
    step->s->graph.step++;
    return true;
}

/* Copies the solver; all threads of the block share the work. */
static void copy_solver(rn_pipe_solver *to, const rn_pipe_solver *from) {
    typedef uint64_t __attribute__((may_alias)) word;
    const int first = rn_rank() * rn_lane_count() + rn_lane(), count = rn_rank_count() * rn_lane_count();
    _Static_assert(sizeof *to % sizeof(word) == 0, "a solver is copied in words");
    for (size_t i = (size_t)first; i < sizeof *to / sizeof(word); i += (size_t)count)
        ((word *)to)[i] = ((const word *)from)[i];
}

/* The first thread: takes all substeps of the job, with the block's own solver and course, and then ends the loops of
   the other threads. There are no passages, so none are looked for. */
static void solve(plain_state *own) {
    own->solver.flood.method = RN_PASSAGES_NONE;
    own->solver.state.schedule.stale = false;
    rn_gpu_solve(&own->course, &own->solver);
    own->ends = true;
    rn_lanes_meet();
}

/* The other threads: take part in substeps until there are no more. */
static void serve(plain_state *own) {
    for (;;) {
        rn_lanes_meet();
        if (own->ends) return;
        step_together(own);
    }
}

/* The first thread of block 0: copies its solver and course to the job, with the greatest depth if there was a substep,
   and with the job's own method for passages. */
static void leave_result(rn_gpu_job *job, plain_state *own) {
    if (own->course.done > 0) own->solver.extremes.deepest = own->block.deepest;
    own->solver.flood.method = job->solver->flood.method;
    *job->solver = own->solver;
    job->course = own->course;
}

void rn_plain_run(rn_gpu_job *job) {
    plain_state *own = own_state();
    copy_solver(&own->solver, job->solver);
    if (is_first()) {
        own->job = job;
        own->met = 0;
        own->ends = false;
        own->course = job->course;
    }
    rn_lanes_meet();
    const substep step = own_substep(own);
    rn_plain_begin(&job->plain, &own->block, &step);
    if (is_first()) solve(own);
    else serve(own);
    rn_plain_end(&job->plain, &own->block, &step);
    rn_all_meet();
    if (machine_block() == 0 && is_first()) leave_result(job, own);
}
