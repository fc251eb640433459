/* The program of plain worlds (cuda/plain_step.h). Entry: rn_plain_run (cuda/job.h).

   In every block one thread, the clock, runs the time loop, with a copy of the solver in memory of the block: all find
   the same. The others are lanes, and work on columns. While lanes make the transfers of a substep, the clock decides
   the length of the next:

     lanes    find        | move        | find ...
     clock                | next length |            a bar: all threads of the block meet

   If the world has sources or gauges, the clock of block 0 lets them act after the transfers, with the job's own
   solver, which all blocks can read. Lanes run the tasks of rn_parallel_for: those of block 0 alone if there are few
   items, those of all blocks otherwise. Then all lanes slow the faces beside what was poured, and wake its tiles.
   Clocks of other blocks wait, and read what was added:

     lanes     find | move | help, dilute, wake | find ...
     clock 0        |      | sources act        | next length
     others         |                           | next length */
#include "cuda/job.h"
#include "cuda/linked_step.h"
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
    rn_forcing calls;      /* of the job's world */
    double time;           /* s, simulated so far; as the next, only if the world has no sources and gauges */
    uint64_t done;         /* substeps of this job */
    rn_step_params params; /* of the substep that lanes take: the clock sets those of the next one early */
    rn_pipe_solver solver; /* of this block */
} plain_state;

_Static_assert(sizeof(plain_state) <= RN_BLOCK_BYTES, "the memory of a block is too small");

/* Whether sources or gauges act after substeps. A program of its own, without them (RN_SILENT), runs worlds that have
   none: with their code the passes themselves are a fifth slower. */
#if defined(RN_SILENT)
static bool acts(const rn_gpu_job *job) { return (void)job, false; }
#else
static bool acts(const rn_gpu_job *job) { return job->acts; }
#endif

/* The state of this thread's block. */
static plain_state *own_state(void) { return machine_shared(0); }
/* Whether this is the first lane of the block. */
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

/* The clock: lanes take a substep. Returns when its transfers are known, and before they are made. */
bool rn_gpu_step(const substep *step, bool retimed, rn_extremes *extremes) {
    plain_state *own = own_state();
    if (!own->job->is_plain) return false;
    own->block.retimed = retimed;
    machine_meet_clock();
    machine_meet_clock();
    const rn_face_maxima *found = &own->block.all;
    *extremes = (rn_extremes){.height = found->deepest,
                              .speed = found->speed,
                              .signal_speed = found->signal,
                              .signal_depth = found->signal_depth,
                              .signal_flow = found->signal_speed};
    step->s->graph.step++;
    return true;
}

/* Copies `size` bytes, a multiple of 4, of floats, pointers or anything else; all lanes of the block share the work. */
static void copy_words(void *to, const void *from, size_t size) {
    typedef uint32_t __attribute__((may_alias)) word;
    const int first = rn_rank() * rn_lane_count() + rn_lane(), count = rn_rank_count() * rn_lane_count();
    for (size_t i = (size_t)first; i < size / sizeof(word); i += (size_t)count)
        ((word *)to)[i] = ((const word *)from)[i];
}

_Static_assert(sizeof(rn_pipe_solver) % 4 == 0 && sizeof(rn_step_params) % 4 == 0, "these are copied in words");

enum { ALONE = 4 }; /* items of a task for each lane of block 0, up to which that block runs them alone */

/* ---- Sources and gauges ------------------------------------------------------------------------------------------ */

void rn_plain_share(void) {
    machine_meet_clock(); /* lanes begin, */
    machine_meet_clock(); /* and have ended */
}

/* Lanes: run this thread's items of the crew's task, whose items are shared by `blocks` blocks. */
static void run_items(const rn_gpu_crew *crew, int blocks) {
    const int threads = rn_rank_count() * rn_lane_count();
    const int first = machine_block() * threads + rn_rank() * rn_lane_count() + rn_lane();
    for (int i = first; i < crew->count; i += blocks * threads) crew->task((void *)crew->context, i, i + 1, 0);
}

/* Lanes of block 0: run small tasks of its clock alone, which is faster than waiting for other blocks, until there is a
   large one or no more. */
static void help_alone(const rn_gpu_crew *crew) {
    for (;;) {
        machine_meet_clock();
        if (!crew->task || crew->count > ALONE * rn_rank_count() * rn_lane_count()) return;
        run_items(crew, 1);
        machine_meet_clock();
    }
}

/* Lanes: run items of tasks of block 0's clock, until there are no more. All lanes of all blocks call it, after the
   transfers of a substep. */
static void help(const plain_state *own) {
    const rn_gpu_crew *crew = &own->job->crew;
    if (machine_block() == 0) machine_meet_clock(); /* transfers are made: sources may act */
    for (;;) {
        if (machine_block() == 0) help_alone(crew);
        rn_all_meet();
        if (!crew->task) return;
        run_items(crew, machine_blocks());
        rn_all_meet();
        if (machine_block() == 0) machine_meet_clock();
    }
}

/* The clock of block 0: lets sources and gauges act after a substep of dt (s), on the job's solver. */
static void act(plain_state *own, double dt) {
    rn_gpu_job *job = own->job;
    rn_pipe_solver *solver = job->solver;
    rn_state *s = &solver->state;
    machine_meet_clock(); /* transfers are made */
    solver->top = own->solver.top;
    solver->extremes.deepest = 0.0f;
    solver->poured = false;
    s->columns.gained = s->graph.gained;
    job->added = own->calls.substep(own->calls.context, dt, job->plain.left);
    job->plain.left = 0;
    s->columns.gained = NULL;
    job->crew.task = NULL;
    machine_meet_clock(); /* lanes need not help any more */
}

/* Takes no more substeps if a passage is full: the job's results are void. */
static void end_if_full(plain_state *own) {
    if (rn_is_linked(&own->job->plain) && own->block.full) own->course.report.substeps = own->course.most;
}

/* rn_forcing.substep of a world with sources or gauges; context: the state of the block. */
static float end_acting_substep(void *context, double dt, int64_t left) {
    plain_state *own = context;
    (void)left; /* lanes empty sinks */
    if (machine_block() == 0) act(own, dt);
    machine_meet_clock();
    end_if_full(own);
    own->solver.top = own->job->solver->top;
    own->solver.extremes.deepest = own->job->solver->extremes.deepest;
    return own->job->added;
}

/* The other callbacks of such a world: those of its copy, which nobody changes while clocks call them. */
static double acting_rise(const void *context, double height, double seconds) {
    const plain_state *own = context;
    return own->calls.rise(own->calls.context, height, seconds);
}
static double acting_longest(const void *context) {
    const plain_state *own = context;
    return own->calls.longest(own->calls.context);
}
static double acting_time(const void *context) {
    const plain_state *own = context;
    return own->calls.time(own->calls.context);
}

/* The callbacks of a world without sources and gauges. None raises a level, and any substep may be taken. */
static double no_rise(const void *context, double height, double seconds) {
    (void)context, (void)height, (void)seconds;
    return 0.0;
}
static double any_length(const void *context) {
    (void)context;
    return 1e9;
}
static float end_substep(void *context, double dt, int64_t left) {
    plain_state *own = context;
    (void)left;
    own->time += dt;
    own->done++;
    end_if_full(own);
    return 0.0f;
}
static double time_of(const void *context) { return ((const plain_state *)context)->time; }

/* The callbacks for the time loop of a block. */
static rn_forcing forcing_of(plain_state *own) {
    if (acts(own->job))
        return (rn_forcing){.context = own,
                            .rise = acting_rise,
                            .longest = acting_longest,
                            .substep = end_acting_substep,
                            .time = acting_time};
    return (rn_forcing){
        .context = own, .rise = no_rise, .longest = any_length, .substep = end_substep, .time = time_of};
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

/* The clock, one thread of the block: takes all substeps of the job, with the block's own solver and course, and then
   ends the loops of the lanes. There are no passages, so none are looked for. */
static void solve(plain_state *own) {
    own->solver.flood.method = RN_PASSAGES_NONE;
    own->solver.state.schedule.stale = false;
    const rn_forcing forcing = forcing_of(own);
    rn_gpu_solve(&own->course, &own->solver, &forcing);
    own->ends = true;
    machine_meet_clock();
}

/* The lanes: take part in substeps until there are no more. */
static void serve(plain_state *own) {
    rn_plain *plain = &own->job->plain;
    RN_SHARED plain_state *const near = machine_near(0);
    const substep step = {&own->solver.state, &own->params, NULL};
    const rn_piece_step piece = {&near->solver.state, &near->params};
    for (;;) {
        machine_meet_clock();
        if (own->ends) return;
        copy_words(&own->params, &own->solver.params, sizeof own->params);
        copy_words(&own->solver.state.schedule.last_params, &own->solver.params, sizeof own->params);
        rn_lanes_meet();
        rn_plain_find(plain, &own->block, &step, &piece);
        machine_meet_clock();
        rn_plain_move(plain, &own->block, &step);
        if (!acts(own->job)) continue;
        help(own);
        const bool poured = own->job->solver->poured;
        if (poured) rn_plain_dilute(&step);
        rn_plain_wake(plain, &own->block, &step);
        rn_all_meet();
        if (poured) rn_plain_forget(&step);
        machine_meet_clock();
    }
}

/* The clock of block 0: copies its solver and course to the job, with the greatest depth if there was a substep, and
   with the job's own method for passages. */
static void leave_result(rn_gpu_job *job, plain_state *own) {
    if (own->block.count > 0) raise(&own->solver.extremes.deepest, own->block.deepest);
    if (!acts(job)) {
        job->world->stats.time = own->time;
        job->world->stats.steps += own->done;
        job->world->ledger.left += job->plain.left;
    }
    if (rn_is_linked(&job->plain)) { /* what the block's own state had otherwise; others must list connections again */
        own->solver.state.graph.sink_count = job->solver->state.graph.sink_count;
        own->solver.state.connections.wet_count = own->solver.state.connections.listings = 0;
    }
    own->solver.flood.method = job->solver->flood.method;
    rn_copy_words(job->solver, &own->solver, sizeof own->solver);
    job->course = own->course;
}

/* The clock of a block. */
static void run_clock(rn_gpu_job *job, plain_state *own) {
    own->job = job;
    own->met = 0;
    own->ends = false;
    own->course = job->course;
    own->time = job->world->stats.time;
    own->done = 0;
    if (acts(job)) {
        if (machine_block() == 0) rn_gpu_forcing(job); /* the other clocks need what it sets only after a substep */
        own->calls = rn_forcing_calls(job->world);
    }
    machine_meet_clock(); /* lanes begin, */
    machine_meet_clock(); /* and have begun */
    solve(own);
    machine_meet_clock(); /* lanes have ended */
    if (machine_block() == 0) leave_result(job, own);
}

/* A lane of a block. */
static void run_lane(rn_gpu_job *job, plain_state *own) {
    const substep step = {&own->solver.state, &own->solver.params, NULL};
    copy_words(&own->solver, job->solver, sizeof own->solver);
    rn_gpu_keep(job);
    machine_meet_clock();
    rn_all_meet();
    if (is_first() && machine_block() == 0) *job->has_begun = true;
    rn_all_meet(); /* before anything is changed */
    rn_plain_begin(&job->plain, &own->block, &step);
    machine_meet_clock();
    serve(own);
    rn_plain_end(&job->plain, &own->block, &step);
    rn_all_meet();
    machine_meet_clock();
}

void rn_plain_run(rn_gpu_job *job) {
    if (!machine_is_clock()) run_lane(job, own_state());
    else if (rn_lane() == 0) run_clock(job, own_state());
}
