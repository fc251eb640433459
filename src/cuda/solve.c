/* The time loop of a job on the GPU, and what it asks of its world: sources, gauges and the clock, by the CPU's own
   code (world/forcing.c). Interface: cuda/job.h. */
#include "cuda/job.h"
#include "solver/pipes_flow.h"
#include "world/mac.h"

/* What sources and gauges need of a solver. */
static const rn_solver_class calls = {.changed = rn_pipes_poured, .face_flow = rn_pipes_face_flow};

rn_forcing rn_gpu_forcing(rn_gpu_job *job) {
    job->world->columns = &job->solver->state.columns;
    job->world->solver = &calls;
    job->world->self = job->solver;
    job->world->pool = NULL;
    return rn_forcing_calls(job->world);
}

void rn_short_add(int64_t *to, int64_t value) {
    if (value != 0) machine_add_64(to, value);
}
void rn_short_raise(float *to, float value) { /* floats of 0 or more have the order of their bits; others are less */
    if (value > *to) machine_max((int *)to, rn_float_bits(value));
}
void rn_short_set(uint32_t *to, uint32_t bits) {
    if (bits & ~*to) machine_or((int *)to, (int)bits);
}
void rn_short_raise_64(uint64_t *to, uint64_t value) {
    if (value > *to) machine_max_64(to, value);
}
int64_t rn_short_lower_64(int64_t *to, int64_t value) { return machine_min_64(to, value); }
int32_t rn_short_count(int32_t *count) { return machine_add(count, 1); }
bool rn_short_claim(int32_t *mark) { return machine_swap(mark, 1) == 0; }

/* What this chunk is of. */
static const rn_kept *kept_of(const rn_gpu_job *job, int64_t chunk) {
    int first = 0, last = job->kept_count - 1;
    while (first < last) {
        const int middle = (first + last + 1) / 2;
        if (job->kept[middle].before <= chunk) first = middle;
        else last = middle - 1;
    }
    return &job->kept[first];
}

void rn_gpu_keep(const rn_gpu_job *job) {
    typedef uint64_t __attribute__((may_alias)) word;
    const size_t threads = (size_t)(rn_rank_count() * rn_lane_count());
    const size_t own = (size_t)(rn_rank() * rn_lane_count() + rn_lane());
    for (int64_t chunk = machine_block(); chunk < job->kept_chunks; chunk += machine_blocks()) {
        const rn_kept *kept = kept_of(job, chunk);
        const size_t begin = (size_t)(chunk - kept->before) * RN_KEPT_CHUNK;
        const size_t words = (kept->size + 7) / 8; /* its memory is a multiple of 8 bytes */
        const size_t end = words - begin < RN_KEPT_CHUNK ? words : begin + RN_KEPT_CHUNK;
        for (size_t i = begin + own; i < end; i += threads) ((word *)kept->copy)[i] = ((const word *)kept->memory)[i];
    }
}

void rn_gpu_solve(rn_gpu_course *course, rn_pipe_solver *solver, const rn_forcing *forcing) {
    course->result = rn_pipes_go_on(solver, &course->stretch, course->most, forcing, &course->report);
}

/* Never called: sources that move are disks, and only sources of a shape look for its ranges. */
int rn_sdf_intervals(const rn_sdf *sdf, double x, double y, double z0, double z1, double precision, rn_interval *out,
                     int capacity) {
    (void)sdf, (void)x, (void)y, (void)z0, (void)z1, (void)precision, (void)out, (void)capacity;
    return 0;
}

/* Never called: the world has no 3D liquid. */
double rn_world_mac_face_height(const rn_world *world, const rn_gauge_face *face) {
    (void)world, (void)face;
    return 0.0;
}
