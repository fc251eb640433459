/* The program that builds a surface on the GPU. Entry: rn_surface_run (cuda/surface_job.h).

   It runs the passes of surface/passes.c, from the same sources as on the CPU. All lanes of all blocks run them
   together: a pass shares words of rows among ranks, and bits of a word among the lanes of a rank (surface/each.h), and
   ends with a barrier. Places in the mesh follow from the counts of all words before, so the order of vertices and
   triangles is that of the CPU. */
#include "cuda/machine.h"
#include "cuda/surface_job.h"

enum { ALONE_ITEMS = 2048 }; /* so few that one block is faster than a barrier of all */

/* What the lanes of a block share besides the job. */
typedef struct shared_state {
    uint32_t met;                         /* blocks that must have arrived when the barrier next opens */
    bool alone;                           /* the block works without the others */
    uint32_t sums[RN_SURFACE_RANKS_MOST]; /* of counts, by rank */
} shared_state;

_Static_assert(sizeof(shared_state) <= 512, "the memory of a block is too small");

static rn_surface_job *own_job(void) { return machine_shared(0); }
static shared_state *own_state(void) { return machine_shared(8 * RN_SURFACE_JOB_WORDS); }
static bool is_first(void) { return rn_lane() == 0 && rn_rank() == 0; }

uint32_t rn_surface_own(void) {
    if (own_state()->alone) return (uint32_t)(rn_rank() * rn_lane_count() + rn_lane());
    const int rank = rn_rank() * machine_blocks() + machine_block(); /* few items keep all multiprocessors busy */
    return (uint32_t)(rank * rn_lane_count() + rn_lane());
}

uint32_t rn_surface_all(void) {
    return (uint32_t)(rn_lane_count() * rn_rank_count() * (own_state()->alone ? 1 : machine_blocks()));
}

/* A barrier of all blocks. */
static void meet_all(void) {
    rn_lanes_meet();
    if (is_first()) {
        rn_surface_meeting *all = own_job()->meeting;
        shared_state *own = own_state();
        machine_arrive(&all->arrived);
        own->met += (uint32_t)machine_blocks();
        while ((int32_t)(machine_count(&all->arrived) - own->met) < 0) machine_pause();
        machine_arrived(&all->arrived);
    }
    rn_lanes_meet();
}

void rn_surface_meet(void) {
    if (own_state()->alone) rn_lanes_meet();
    else meet_all();
}

void rn_surface_pass(const rn_surface_state *w, int rows, rn_task task) {
    const int words = w->t.words, step = rn_rank_count() * machine_blocks();
    for (int i = rn_rank() * machine_blocks() + machine_block(); i < rows * words; i += step)
        task((void *)w, i / words, i / words + 1, i % words);
    rn_surface_meet();
}

bool rn_surface_begin_alone(uint32_t items) {
    if (items > ALONE_ITEMS) return true;
    rn_lanes_meet();
    if (is_first()) own_state()->alone = true;
    rn_lanes_meet();
    return machine_block() == 0;
}

void rn_surface_end_alone(void) {
    rn_lanes_meet();
    if (is_first()) own_state()->alone = false;
    meet_all();
}

/* The lanes of the first block do it, each for a part of the counts. */
uint64_t rn_surface_sum(const rn_surface_state *w, uint32_t *counts, int count) {
    (void)w;
    if (machine_block() == 0) {
        const int lanes = rn_lane_count() * rn_rank_count(), own = rn_rank() * rn_lane_count() + rn_lane();
        const int part = (count + lanes - 1) / lanes, from = own * part < count ? own * part : count,
                  to = from + part < count ? from + part : count;
        uint32_t sum = 0, all, before;
        for (int i = from; i < to; i++) sum += counts[i];
        before = rn_count_before(sum, &all);
        if (rn_lane() == 0) own_state()->sums[rn_rank()] = all;
        rn_lanes_meet();
        for (int r = 0; r < rn_rank(); r++) before += own_state()->sums[r];
        for (int i = from; i < to; i++) {
            const uint32_t here = counts[i];
            counts[i] = before;
            before += here;
        }
        if (own == lanes - 1) counts[count] = before;
    }
    rn_surface_meet();
    return counts[count];
}

void rn_surface_note(int round) { own_job()->meeting->noted[round % 3] = 1; }

/* Notes of the round before the last have been read by all: others may use their place again. */
bool rn_surface_next_round(rn_surface_state *w) {
    rn_surface_meeting *all = own_job()->meeting;
    const int round = w->round;
    const bool found = *(volatile int *)&all->noted[round % 3];
    if (machine_block() == 0 && is_first()) all->noted[(round + 2) % 3] = 0;
    rn_lanes_meet(); /* all lanes have read the round */
    if (is_first()) w->round = round + 1;
    rn_lanes_meet();
    return found;
}

void rn_surface_swap(rn_surface_state *w) {
    if (is_first()) {
        rn_nearest *const other = w->meniscus->other;
        w->meniscus->other = w->meniscus->nearest;
        w->meniscus->nearest = other;
    }
    rn_lanes_meet();
}

/* One block leaves last: it clears the meeting for the next job. */
static void leave(rn_surface_meeting *all) {
    rn_lanes_meet();
    if (!is_first() || machine_add(&all->left, 1) < machine_blocks() - 1) return;
    *all = (rn_surface_meeting){0};
}

void rn_surface_run(void) {
    rn_surface_job *job = own_job();
    rn_surface_counts counts;
    rn_lanes_meet();
    if (is_first()) {
        own_state()->met = 0;
        own_state()->alone = false;
        job->state.columns = &job->columns;
        job->state.def = &job->def;
        job->state.mesh = &job->mesh;
        job->state.meniscus = job->state.meniscus ? &job->meniscus : NULL;
    }
    rn_lanes_meet();
    const rn_surface_end end = rn_surface_passes(&job->state, &counts);
    if (machine_block() == 0 && is_first()) *job->result = (rn_surface_result){end, counts};
    leave(job->meeting);
}
