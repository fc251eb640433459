/* The program that runs on the GPU.

   A block is a vector processor with RN_GPU_LANES lanes. Its lane 0 runs the solver's own C code; where that calls a
   sweep, all lanes of the block run the sweep together (base/lanes.h). Block 0 runs the program of a stretch of time,
   rn_pipes_go_on; where that calls rn_parallel_for, all blocks share the items. So the sources of the CPU are compiled
   unchanged, and give the same bits.

     block 0, lane 0     rn_pipes_go_on -> rn_parallel_for          blocks meet before and after
     every block, lane 0     task -> sweep                            lanes meet before and after
     every lane                      loop over columns */
#include "base/memory.h"
#include "cuda/job.h"
#include "cuda/machine.h"
#include "solver/connection_sweeps.h"
#include "solver/contact_sweeps.h"
#include "solver/face_sweeps.h"

/* ---- What lane 0 asks of all lanes --------------------------------------------------------------------------------
 */

typedef enum order {
    QUIT,
    KICK,
    CROSS,
    WIDTHS,
    FLUXES,
    DEPTHS,
    CHECK,
    UNDO,
    SHARES,
    FREE_SHARES,
    LIMITS,
    IS_LEVEL
} order;

/* The signal of a column, to be compared as a whole: its speed first, then the depth. */
typedef union signal_key {
    struct {
        float depth, speed; /* the upper half counts first */
    } part;
    uint64_t whole;
} signal_key;

/* In the shared memory of a block. */
typedef struct block_state {
    rn_gpu_job *job;
    order what;
    substep step;
    rn_patch patch;
    rn_face_kind kind;
    bool in;
    int found;    /* whether some lane answers yes */
    float height; /* m, of is_level */
    rn_swept swept;
    rn_face_maxima face;
    signal_key signal;
} block_state;

static block_state *block(void) { return machine_shared(0); }

void *rn_lanes_memory(size_t size) {
    (void)size;
    return machine_shared((sizeof(block_state) + 63) / 64 * 64);
}

/* Raises a float of 0 or more that lanes share. Such floats are in the order of their bits. */
static void raise_shared(float *to, float value) { machine_max((int *)to, rn_float_bits(value)); }
static void lower_shared(float *to, float value) { machine_min((int *)to, rn_float_bits(value)); }
static void set_shared(uint32_t *to, uint32_t bits) {
    if (bits) machine_or((int *)to, (int)bits);
}

/* Adds what this lane has found to what all have. */
static void merge_swept(const rn_swept *own, rn_swept *all) {
    raise_shared(&all->speed, own->speed);
    if (own->flows) all->flows = true;
    for (int i = 0; i < RN_RUN; i++) {
        set_shared(&all->under[i], own->under[i]);
        set_shared(&all->over[i], own->over[i]);
        set_shared(&all->wet[i].lines, own->wet[i].lines);
        set_shared(&all->wet[i].blocks, own->wet[i].blocks);
        raise_shared(&all->deepest[i], own->deepest[i]);
        lower_shared(&all->shallowest[i], own->shallowest[i]);
    }
}

/* The same; of the fastest signals the deepest counts, then the one with the fastest flow, as in raise_signal. */
static void merge_face(const rn_face_maxima *own, block_state *b) {
    const signal_key key = {.part = {own->signal_depth, own->signal}};
    raise_shared(&b->face.speed, own->speed);
    raise_shared(&b->face.deepest, own->deepest);
    raise_shared(&b->face.transfer, own->transfer);
    if (own->flows) b->face.flows = true;
    machine_max_64(&b->signal.whole, key.whole);
    rn_lanes_meet();
    if (key.whole == b->signal.whole) raise_shared(&b->face.signal_speed, own->signal_speed);
}

/* One sweep, by all lanes. */
static void sweep(block_state *b) {
    const rn_sweeps *sweeps = &RN_ISA(rn_sweeps);
    rn_swept swept = {0};
    rn_face_maxima face;
    float height = 0.0f;
    switch (b->what) {
    case QUIT: break;
    case KICK: RN_ISA(rn_face_sweeps).kick(&b->step, &b->patch, b->kind); break;
    case WIDTHS: RN_ISA(rn_face_sweeps).widths(&b->step, &b->patch); break;
    case CROSS:
        RN_ISA(rn_face_sweeps).cross(&b->step, &b->patch, b->kind, &face);
        merge_face(&face, b);
        break;
    case FLUXES: sweeps->fluxes(&b->step, &b->patch, &swept), merge_swept(&swept, &b->swept); break;
    case DEPTHS: sweeps->depths(&b->step, &b->patch, &swept), merge_swept(&swept, &b->swept); break;
    case CHECK: sweeps->check(&b->step, &b->patch, &swept), merge_swept(&swept, &b->swept); break;
    case UNDO: sweeps->undo(&b->step, &b->patch); break;
    case SHARES:
        if (sweeps->shares(&b->step, &b->patch, b->in)) b->found = true;
        break;
    case FREE_SHARES: sweeps->free_shares(&b->step, &b->patch); break;
    case LIMITS: sweeps->limits(&b->step, &b->patch, b->in); break;
    case IS_LEVEL:
        if (!sweeps->is_level(&b->step, &b->patch, &height)) b->found = true;
        raise_shared(&b->height, height);
        break;
    }
}

/* Lanes other than 0: sweep after sweep. */
static void serve_lanes(void) {
    for (;;) {
        rn_lanes_meet();
        if (block()->what == QUIT) return;
        sweep(block());
        rn_lanes_meet();
    }
}

/* Lane 0: lets all lanes do a sweep of a patch. What they find is in the block's state. */
static void ask_lanes(order what, const substep *step, const rn_patch *patch) {
    block_state *b = block();
    b->what = what;
    b->step = *step;
    b->patch = *patch;
    b->found = false;
    rn_lanes_meet();
    sweep(b);
    rn_lanes_meet();
}

static void dismiss_lanes(void) {
    block()->what = QUIT;
    rn_lanes_meet();
}

/* ---- Sweeps as tasks see them -------------------------------------------------------------------------------------
 */

static void kick(const substep *step, const rn_patch *patch, rn_face_kind kind) {
    block()->kind = kind;
    ask_lanes(KICK, step, patch);
}

static void cross(const substep *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *found) {
    block_state *b = block();
    b->kind = kind;
    b->face = (rn_face_maxima){0};
    b->signal.whole = 0;
    ask_lanes(CROSS, step, patch);
    *found = b->face;
    found->signal = b->signal.part.speed;
    found->signal_depth = b->signal.part.depth;
}

static void widths(const substep *step, const rn_patch *patch) { ask_lanes(WIDTHS, step, patch); }

/* A sweep that tells what it has found tile by tile. */
static void ask_swept(order what, const substep *step, const rn_patch *patch, rn_swept *found) {
    block_state *b = block();
    b->swept = (rn_swept){0};
    for (int i = 0; i < RN_RUN; i++) b->swept.shallowest[i] = INFINITY;
    ask_lanes(what, step, patch);
    *found = b->swept;
}

static void fluxes(const substep *step, const rn_patch *patch, rn_swept *found) {
    ask_swept(FLUXES, step, patch, found);
}
static void depths(const substep *step, const rn_patch *patch, rn_swept *found) {
    ask_swept(DEPTHS, step, patch, found);
}
static void check(const substep *step, const rn_patch *patch, rn_swept *found) { ask_swept(CHECK, step, patch, found); }
static void undo(const substep *step, const rn_patch *patch) { ask_lanes(UNDO, step, patch); }
static void free_shares(const substep *step, const rn_patch *patch) { ask_lanes(FREE_SHARES, step, patch); }

static bool shares(const substep *step, const rn_patch *patch, bool in) {
    block()->in = in;
    ask_lanes(SHARES, step, patch);
    return block()->found;
}

static void limits(const substep *step, const rn_patch *patch, bool in) {
    block()->in = in;
    ask_lanes(LIMITS, step, patch);
}

static bool is_level(const substep *step, const rn_patch *patch, float *height) {
    block()->height = 0.0f;
    ask_lanes(IS_LEVEL, step, patch);
    *height = block()->height;
    return !block()->found;
}

const rn_face_sweeps rn_face_sweeps_gpu = {.kick = kick, .cross = cross, .widths = widths};

/* Connections and contact: lane 0 does them alone. */

static void look(const substep *step, int32_t junction) { RN_ISA(rn_connection_sweeps).look(step, junction); }
static void sum(const substep *step, int32_t junction) { RN_ISA(rn_connection_sweeps).sum(step, junction); }
static void forces(const substep *step, int batch) { RN_ISA(rn_connection_sweeps).forces(step, batch); }
static void carries(const substep *step, int batch) { RN_ISA(rn_connection_sweeps).carries(step, batch); }
static void crossings(const substep *step, int batch, rn_extremes *extremes) {
    RN_ISA(rn_connection_sweeps).crossings(step, batch, extremes);
}
static void heads(const substep *step, int32_t row) { RN_ISA(rn_contact_sweeps).heads(step, row); }
static void filter(const substep *step, int32_t row, float part) { RN_ISA(rn_contact_sweeps).filter(step, row, part); }
static void finish(const substep *step, int32_t row) { RN_ISA(rn_contact_sweeps).finish(step, row); }
static void dry(const substep *step, int32_t row) { RN_ISA(rn_contact_sweeps).dry(step, row); }

const rn_connection_sweeps rn_connection_sweeps_gpu = {
    .look = look, .sum = sum, .forces = forces, .carries = carries, .crossings = crossings};
const rn_contact_sweeps rn_contact_sweeps_gpu = {.heads = heads, .filter = filter, .finish = finish, .dry = dry};

const rn_sweeps rn_sweeps_gpu = {
    .fluxes = fluxes,
    .depths = depths,
    .check = check,
    .undo = undo,
    .shares = shares,
    .free_shares = free_shares,
    .limits = limits,
    .is_level = is_level,
};

/* ---- Blocks -------------------------------------------------------------------------------------------------------
 */

/* Lane 0 of every block waits for all others. What was written before can be read afterwards. */
static void blocks_meet(rn_gpu_crew *crew) {
    const uint32_t phase = crew->phase;
    machine_fence();
    if (machine_add((int *)&crew->arrived, 1) == machine_blocks() - 1) {
        crew->arrived = 0;
        machine_fence();
        crew->phase = phase + 1;
    } else {
        while (crew->phase == phase) machine_pause();
    }
    machine_fence();
}

/* Takes items of the task until there are none left. */
static void take_items(rn_gpu_crew *crew) {
    for (;;) {
        const int item = machine_add(&crew->next, 1);
        if (item >= crew->count) return;
        crew->task((void *)crew->context, item, item + 1, machine_block());
    }
}

/* Blocks other than 0: task after task. */
static void serve_blocks(rn_gpu_crew *crew) {
    for (;;) {
        blocks_meet(crew);
        if (!crew->task) return;
        take_items(crew);
        blocks_meet(crew);
    }
}

int rn_pool_size(const rn_pool *pool) {
    (void)pool;
    return machine_blocks();
}

void rn_gpu_for(int count, rn_task task, const void *context, size_t size) {
    rn_gpu_crew *crew = &block()->job->crew;
    if (count <= 0) return;
    const bool own = machine_is_own(context);
    if (count == 1 || (own && (size <= 1 || size > sizeof crew->copy))) {
        task((void *)context, 0, count, 0);
        return;
    }
    if (own) memcpy(crew->copy, context, size);
    crew->context = own ? crew->copy : context;
    crew->task = task;
    crew->count = count;
    crew->next = 0;
    blocks_meet(crew);
    take_items(crew);
    blocks_meet(crew);
}

/* ---- The program --------------------------------------------------------------------------------------------------
 */

/* A world without sources: nothing rises, and only the clock goes on. */
static double rise(const void *context, double height, double seconds) {
    (void)context, (void)height, (void)seconds;
    return 0.0;
}

static double longest(const void *context) {
    (void)context;
    return 1e9;
}

static float end_substep(void *context, double dt, int64_t left) {
    rn_gpu_job *job = context;
    job->left += left;
    job->time += dt;
    job->done++;
    return 0.0f;
}

static double time_of(const void *context) { return ((const rn_gpu_job *)context)->time; }

void rn_gpu_run(rn_gpu_job *job) {
    if (rn_lane() > 0) {
        serve_lanes();
        return;
    }
    block()->job = job;
    if (machine_block() > 0) {
        serve_blocks(&job->crew);
    } else {
        const rn_forcing forcing = {job, rise, longest, end_substep, time_of, NULL, false, false};
        job->result = rn_pipes_go_on(job->solver, &job->stretch, job->most, &forcing, &job->report);
        job->crew.task = NULL;
        blocks_meet(&job->crew);
    }
    dismiss_lanes();
}

/* ---- What the solver asks of its surroundings ----------------------------------------------------------------------
 */

/* There is no memory to be had here: the host makes room, and asks again. */
void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size) {
    (void)hooks, (void)count, (void)size;
    return NULL;
}

void rn_free(const rn_hooks *hooks, void *memory) { (void)hooks, (void)memory; }

bool rn_renew(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size) {
    void *data;
    (void)hooks, (void)size;
    memcpy(&data, array, sizeof data);
    return count == 0 || (data && count <= *capacity);
}

bool rn_reserve(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t kept, size_t size) {
    (void)hooks, (void)array, (void)kept, (void)size;
    return count <= *capacity;
}

bool rn_grow(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t size) {
    (void)hooks, (void)array, (void)size;
    return count < *capacity;
}

/* Implicit substeps are not done here. */
rn_result rn_implicit_fit(rn_implicit *solve, const rn_state *s) {
    (void)solve, (void)s;
    return RN_INVALID;
}

rn_result rn_implicit_step(rn_implicit *solve, rn_flood *flood, rn_state *s, const rn_step_params *params,
                           rn_pool *pool, rn_extremes *extremes, bool *converged) {
    (void)solve, (void)flood, (void)s, (void)params, (void)pool, (void)extremes, (void)converged;
    return RN_INVALID;
}
