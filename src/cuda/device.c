/* The program that runs on the GPU, in C. Entry: rn_gpu_run (cuda/job.h).

   A block is a vector processor. Its lane 0 runs the solver's own C code; when that calls a sweep, all lanes of the
   block run the sweep together (base/lanes.h). Block 0 runs rn_pipes_go_on, the loop over the substeps of a call; when
   that calls rn_parallel_for, all blocks share the items. So the sources for the CPU are compiled unchanged, and give
   the same bits.

     block 0, lane 0         rn_pipes_go_on -> rn_parallel_for        blocks meet before and after
     every lane of block 0   rn_lanes_run, rn_short_for               lanes meet before and after
     every block, lane 0     task -> sweep                            lanes meet before and after
     every lane              loop over columns

   Plain worlds have a program of their own (cuda/plain_program.c). */
#include "base/memory.h"
#include "cuda/job.h"
#include "cuda/machine.h"
#include "solver/connection_sweeps.h"
#include "solver/contact_sweeps.h"
#include "solver/face_sweeps.h"
#include "solver/momentum.h"

/* ---- What lane 0 asks of all lanes ------------------------------------------------------------------------------- */

/* The sweeps that lane 0 can order, and other work. QUIT: there is no more. */
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
    IS_LEVEL,
    CONNECTIONS,
    HEADS,
    DIFFUSE,
    FILTER,
    FINISH,
    DRY,
    WORK
} order;

/* The fastest signal of a lane as one integer: the larger integer is the faster signal or, of equally fast ones, the
   deeper. Both floats must be 0 or more. */
typedef union signal_key {
    struct {
        float depth, speed; /* m; m/s, in the upper half, which is compared first */
    } part;
    uint64_t whole;
} signal_key;

/* The state of a block, at the start of its shared memory: the order of lane 0, its arguments, and what all lanes find
   together. */
typedef struct block_state {
    rn_gpu_job *job;
    uint32_t met; /* blocks that must have arrived when the barrier next opens */
    order what;
    substep step;
    rn_patch patch;
    rn_face_kind kind;
    bool in;                 /* argument of shares and limits */
    rn_filter_pair pair;     /* argument of the filter */
    rn_connection_pass pass; /* of CONNECTIONS, over items */
    int32_t begin, end;
    int found;    /* 1: the condition of the sweep holds for at least one lane */
    int item;     /* of rn_lanes_spread, that this block does next */
    float height; /* m, result of is_level */
    rn_swept swept;
    rn_face_maxima face;
    signal_key signal;
    rn_step_params params;             /* of `step` */
    void (*work)(const void *context); /* of WORK */
    _Alignas(8) char context[RN_LANES_CONTEXT];
} block_state;

/* What groups of lanes have found, in the memory of rn_lanes_memory: no sweep runs at the same time. */
typedef struct together {
    int greatest[RN_GPU_LANES * RN_GPU_RANKS];
    int64_t sums[RN_GPU_LANES * RN_GPU_RANKS];
} together;

/* The state of this lane's block, shared by its lanes. */
static block_state *own_block(void) { return machine_shared(0); }
const rn_step_params *rn_block_params(void) { return &own_block()->params; }
/* Whether this is lane 0 of the block. */
static bool is_first_lane(void) { return rn_lane() == 0 && rn_rank() == 0; }

void *rn_lanes_memory(size_t size) {
    (void)size;
    return machine_shared((sizeof(block_state) + 63) / 64 * 64);
}

int rn_lanes_own(void) { return rn_rank() * rn_lane_count() + rn_lane(); }
int rn_lanes_all(void) { return rn_rank_count() * rn_lane_count(); }

/* Sets a shared float to `value` if that is larger, atomically. Both must be 0 or more: such floats have the order of
   their bits. */
static void raise_shared(float *to, float value) { machine_max((int *)to, rn_float_bits(value)); }
/* Sets a shared float to `value` if that is smaller, atomically. Both must be 0 or more. */
static void lower_shared(float *to, float value) { machine_min((int *)to, rn_float_bits(value)); }
/* Sets bits of a shared integer, atomically; those that are set already stay. */
static void set_shared(uint32_t *to, uint32_t bits) {
    if (bits) machine_or((int *)to, (int)bits);
}

/* Merges the results of this lane into those of the block: maxima, minima and sets of bits. All lanes may call it at
   once. */
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

/* Merges the maxima of this lane into those of the block, b->face and b->signal. Of the fastest signals the deepest
   counts, then the one with the fastest flow, as in raise_signal. All lanes must call this. */
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

/* Sets *piece to the piece of a patch from row `y` and column `x` on: RN_PIECE_X by RN_PIECE_Y columns, or what is left
   of the patch. stride: slots from one row to the next. */
static void cut_piece(const rn_patch *patch, int32_t stride, int y, int x, rn_patch *piece) {
    *piece = *patch;
    piece->first += y * stride + x;
    piece->columns = patch->columns - x < RN_PIECE_X ? patch->columns - x : RN_PIECE_X;
    piece->rows = patch->rows - y < RN_PIECE_Y ? patch->rows - y : RN_PIECE_Y;
}

/* This lane's part of a sweep over faces, kick or cross, piece by piece. *found: what this lane found in all pieces;
   all 0 after a kick. */
static void sweep_faces(const block_state *b, rn_face_maxima *found) {
    rn_patch piece;
    rn_face_maxima one;
    *found = (rn_face_maxima){0};
    for (int y = 0; y < b->patch.rows; y += RN_PIECE_Y)
        for (int x = 0; x < b->patch.columns; x += RN_PIECE_X) {
            cut_piece(&b->patch, b->step.s->columns.grid.stride, y, x, &piece);
            if (b->what == KICK) {
                RN_ISA(rn_face_sweeps).kick(&b->step, &piece, b->kind);
                continue;
            }
            RN_ISA(rn_face_sweeps).cross(&b->step, &piece, b->kind, &one);
            rn_raise_maxima(found, &one);
            raise(&found->transfer, one.transfer);
            found->flows = found->flows || one.flows;
        }
}

/* This lane's part of a pass over connections: one item at a time. *found: what it found in RN_CROSSINGS, otherwise
   0. */
static void sweep_connections(const block_state *b, rn_face_maxima *found) {
    const int32_t *busy = rn_is_over_junctions(b->pass) ? b->step.s->schedule.busy : NULL;
    rn_extremes most = {0};
    for (int32_t i = b->begin + rn_lanes_own(); i < b->end; i += rn_lanes_all())
        rn_connection_item(&RN_ISA(rn_connection_sweeps), &b->step, b->pass, busy ? busy[i] : i, &most);
    *found = (rn_face_maxima){.speed = most.speed,
                              .signal = most.signal_speed,
                              .signal_depth = most.signal_depth,
                              .signal_speed = most.signal_flow};
}

/* This lane's part of a sweep over contact heads of a row: one column at a time. */
static void sweep_contact(const block_state *b) {
    const rn_contact_sweeps *sweeps = &RN_ISA(rn_contact_sweeps);
    for (int32_t c = b->patch.first + rn_lanes_own(); c < b->patch.first + b->patch.columns; c += rn_lanes_all()) {
        if (b->what == HEADS) sweeps->heads(&b->step, c, 1, 1);
        if (b->what == DIFFUSE) sweeps->diffuse(&b->step, c, 1);
        if (b->what == FILTER) sweeps->filter(&b->step, c, 1, &b->pair);
        if (b->what == FINISH) sweeps->finish(&b->step, c, 1);
        if (b->what == DRY) sweeps->dry(&b->step, c, 1);
    }
}

/* Runs this lane's part of the sweep that b->what orders, and merges its results into `b`. All lanes of the block must
   call it. */
static void run_order(block_state *b) {
    const rn_sweeps *sweeps = &RN_ISA(rn_sweeps);
    rn_swept swept = {0};
    rn_face_maxima face;
    float height = 0.0f;
    switch (b->what) {
    case QUIT: break;
    case KICK: sweep_faces(b, &face); break;
    case WIDTHS: RN_ISA(rn_face_sweeps).widths(&b->step, &b->patch); break;
    case CROSS:
        sweep_faces(b, &face);
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
    case CONNECTIONS: sweep_connections(b, &face), merge_face(&face, b); break;
    case HEADS:
    case DIFFUSE:
    case FILTER:
    case FINISH:
    case DRY: sweep_contact(b); break;
    case WORK: b->work(b->context); break;
    }
}

/* The loop of lanes other than 0: waits for an order and runs it, until QUIT. */
static void serve_lanes(void) {
    for (;;) {
        rn_lanes_meet();
        if (own_block()->what == QUIT) return;
        run_order(own_block());
        rn_lanes_meet();
    }
}

/* Lane 0: has all lanes do what b->what orders. */
static void give_order(order what) {
    own_block()->what = what;
    rn_lanes_meet();
    run_order(own_block());
    rn_lanes_meet();
}

/* Lane 0: orders a sweep of a patch and takes part in it; step, its parameters and patch are copied to the block. The
   results are in the block's state when it returns. Clears `found`; the caller sets further arguments and initial
   values before. */
static void ask_lanes(order what, const substep *step, const rn_patch *patch) {
    block_state *b = own_block();
    b->step = *step;
    b->params = *step->params;
    if (patch) b->patch = *patch;
    b->found = false;
    give_order(what);
}

void rn_lanes_order(void (*work)(const void *context), const void *context, size_t size) {
    block_state *b = own_block();
    rn_copy_words(b->context, context, size);
    b->work = work;
    give_order(WORK);
}

bool rn_lanes_any(bool value) { return machine_meet_any(value); }

/* The number of this lane's group in the block, and of groups. */
static int own_group(void) { return rn_lanes_own() / machine_group_size(); }
static int group_count(void) { return (rn_lanes_all() + machine_group_size() - 1) / machine_group_size(); }

float rn_lanes_greatest(float value) {
    together *found = rn_lanes_memory(sizeof *found);
    int greatest = machine_group_max(rn_float_bits(value));
    float result;
    rn_lanes_meet(); /* all have read the last result */
    if (machine_group_lane() == 0) found->greatest[own_group()] = greatest;
    rn_lanes_meet();
    for (int i = 0; i < group_count(); i++) greatest = found->greatest[i] > greatest ? found->greatest[i] : greatest;
    memcpy(&result, &greatest, sizeof result);
    return result;
}

int64_t rn_lanes_before(int64_t value, int64_t *all) {
    together *found = rn_lanes_memory(sizeof *found);
    int64_t group;
    uint64_t before = (uint64_t)machine_group_before(value, &group), sum = 0;
    rn_lanes_meet(); /* all have read the last result */
    if (machine_group_lane() == 0) found->sums[own_group()] = group;
    rn_lanes_meet();
    for (int i = 0; i < group_count(); i++) {
        if (i == own_group()) before += sum;
        sum += (uint64_t)found->sums[i];
    }
    *all = (int64_t)sum;
    return (int64_t)before;
}

/* Lane 0: ends the loops of the other lanes of its block. */
static void dismiss_lanes(void) {
    own_block()->what = QUIT;
    rn_lanes_meet();
}

/* ---- Sweeps as tasks see them ------------------------------------------------------------------------------------ */

/* Forces and transport on the faces of a patch, by all lanes. Lane 0 calls this and the following functions through the
   tables of sweeps. */
static void kick(const substep *step, const rn_patch *patch, rn_face_kind kind) {
    own_block()->kind = kind;
    ask_lanes(KICK, step, patch);
}

/* Transfers over the faces of a patch, by all lanes. *found: the maxima of all lanes. */
static void cross(const substep *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *found) {
    block_state *b = own_block();
    b->kind = kind;
    b->face = (rn_face_maxima){0};
    b->signal.whole = 0;
    ask_lanes(CROSS, step, patch);
    *found = b->face;
    found->signal = b->signal.part.speed;
    found->signal_depth = b->signal.part.depth;
}

/* The depths of liquid that crosses faces, by all lanes; for implicit substeps. */
static void widths(const substep *step, const rn_patch *patch) { ask_lanes(WIDTHS, step, patch); }

/* Lane 0: orders a sweep that has results for each tile, and sets *found to those of all lanes together. */
static void ask_swept(order what, const substep *step, const rn_patch *patch, rn_swept *found) {
    block_state *b = own_block();
    b->swept = (rn_swept){0};
    for (int i = 0; i < RN_RUN; i++) b->swept.shallowest[i] = INFINITY;
    ask_lanes(what, step, patch);
    *found = b->swept;
}

/* Fluxes and transfers of a patch by the paper's equations, by all lanes. *found: their results together. */
static void fluxes(const substep *step, const rn_patch *patch, rn_swept *found) {
    ask_swept(FLUXES, step, patch, found);
}
/* Makes the transfers of a patch and finds where they are too large, by all lanes. *found: their results together. */
static void depths(const substep *step, const rn_patch *patch, rn_swept *found) {
    ask_swept(DEPTHS, step, patch, found);
}
/* Finds where the transfers of a patch are too large, by all lanes. *found: their results together. */
static void check(const substep *step, const rn_patch *patch, rn_swept *found) { ask_swept(CHECK, step, patch, found); }
/* Undoes the transfers of a patch, by all lanes. */
static void undo(const substep *step, const rn_patch *patch) { ask_lanes(UNDO, step, patch); }
/* Sets all shares of a patch to 1, by all lanes. */
static void free_shares(const substep *step, const rn_patch *patch) { ask_lanes(FREE_SHARES, step, patch); }

/* Each column's share of its inflow (`in`) or outflow, by all lanes. Returns true if some share is below 1. */
static bool shares(const substep *step, const rn_patch *patch, bool in) {
    own_block()->in = in;
    ask_lanes(SHARES, step, patch);
    return own_block()->found;
}

/* Multiplies transfers and fluxes by these shares of inflow (`in`) or outflow, by all lanes. */
static void limits(const substep *step, const rn_patch *patch, bool in) {
    own_block()->in = in;
    ask_lanes(LIMITS, step, patch);
}

/* Returns whether a patch at rest would stay at rest for any substep, by all lanes. *height: its highest cross-section
   (m). */
static bool is_level(const substep *step, const rn_patch *patch, float *height) {
    own_block()->height = 0.0f;
    ask_lanes(IS_LEVEL, step, patch);
    *height = own_block()->height;
    return !own_block()->found;
}

const rn_face_sweeps rn_face_sweeps_gpu = {.kick = kick, .cross = cross, .widths = widths};

void rn_connections_pass(const substep *step, rn_connection_pass pass, int32_t begin, int32_t end,
                         rn_extremes *extremes) {
    block_state *b = own_block();
    b->pass = pass;
    b->begin = begin, b->end = end;
    b->face = (rn_face_maxima){0};
    b->signal.whole = 0;
    ask_lanes(CONNECTIONS, step, NULL);
    if (pass != RN_CROSSINGS) return;
    raise(&extremes->speed, b->face.speed);
    raise_signal(extremes, b->signal.part.speed, b->signal.part.depth, b->face.signal_speed);
}

/* Orders a sweep over `columns` columns of a row from slot `first` on. */
static void ask_row(order what, const substep *step, int32_t first, int columns) {
    const rn_patch patch = {.first = first, .columns = columns, .rows = 1};
    ask_lanes(what, step, &patch);
}

/* Heads and holds of columns of some rows, by all lanes, like those below; also advances their wet ground by a substep.
 */
static void heads(const substep *step, int32_t first, int columns, int rows) {
    for (int y = 0; y < rows; y++) ask_row(HEADS, step, first + y * step->s->columns.grid.stride, columns);
}
/* How fast the totals of columns of a row even out. */
static void diffuse(const substep *step, int32_t first, int columns) { ask_row(DIFFUSE, step, first, columns); }
/* Two roots of the filter over columns of a row. */
static void filter(const substep *step, int32_t first, int columns, const rn_filter_pair *pair) {
    own_block()->pair = *pair;
    ask_row(FILTER, step, first, columns);
}
/* Contact heads of columns of a row from the filtered totals, damped. */
static void finish(const substep *step, int32_t first, int columns) { ask_row(FINISH, step, first, columns); }
/* Only dries the ground of columns of a row, which has no liquid. */
static void dry(const substep *step, int32_t first, int columns) { ask_row(DRY, step, first, columns); }

const rn_contact_sweeps rn_contact_sweeps_gpu = {
    .heads = heads, .diffuse = diffuse, .filter = filter, .finish = finish, .dry = dry};

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

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Lane 0: waits until `count` blocks have arrived at the barrier, all in all. */
static void await_arrivals(const rn_gpu_crew *crew, uint32_t count) {
    while ((int32_t)(machine_arrived(&crew->arrived) - count) < 0) machine_pause();
}

/* A barrier for lane 0 of all blocks, which must all call it: returns when the last has. */
static void blocks_meet(rn_gpu_crew *crew) {
    machine_arrive(&crew->arrived);
    await_arrivals(crew, own_block()->met += (uint32_t)machine_blocks());
}

/* Runs items of the crew's task, one at a time, until all have been taken; others may still be running then. */
static void take_items(rn_gpu_crew *crew) {
    for (;;) {
        const int item = machine_add(&crew->next, 1);
        if (item >= crew->count) return;
        crew->task((void *)crew->context, item, item + 1, machine_block());
    }
}

/* The loop of lane 0 in blocks other than 0: waits for a task and helps with it, until there are no more. */
static void serve_blocks(rn_gpu_crew *crew) {
    for (;;) {
        blocks_meet(crew);
        if (!crew->task) return;
        take_items(crew);
    }
}

/* The number of workers that rn_parallel_for has here: one per block. `pool` is not used. */
int rn_pool_size(const rn_pool *pool) {
    (void)pool;
    return machine_blocks();
}

/* rn_parallel_for on the GPU, called by lane 0 of block 0, or by its clock in plain worlds; returns when all items are
   done. `size`: bytes of the context (rn_crew_take). The caller runs all items alone if there is only one, or if the
   context cannot be copied. */
void rn_gpu_for(int count, rn_task task, const void *context, size_t size) {
    rn_gpu_crew *crew = &own_block()->job->crew;
    if (count <= 0) return;
    if (count == 1 || !rn_crew_take(crew, count, task, context, size)) {
        task((void *)context, 0, count, 0);
        return;
    }
    if (own_block()->job->is_plain) {
        rn_plain_share();
        return;
    }
    blocks_meet(crew);
    take_items(crew);
    await_arrivals(crew, own_block()->met + (uint32_t)machine_blocks() - 1); /* the others wait for the next task */
}

/* A work that blocks share, and its context. */
typedef struct spread {
    void (*work)(const void *context, int item);
    int item;
    _Alignas(8) char context[64];
} spread;

/* By lanes: an item of a spread. */
static void run_spread(const void *context) {
    const spread *job = context;
    job->work(job->context, job->item);
}

/* A task over items of a spread, for lane 0 of blocks other than 0. */
static void help_spread(void *context, int begin, int end, int worker) {
    spread job;
    (void)worker;
    rn_copy_words(&job, context, sizeof job);
    for (job.item = begin; job.item < end; job.item++) rn_lanes_run(run_spread, &job);
}

/* By lanes of block 0, which take items in turn with the other blocks. */
void rn_lanes_spread_items(int count, void (*work)(const void *context, int item), const void *context, size_t size) {
    block_state *b = own_block();
    rn_gpu_crew *crew = &b->job->crew;
    const bool alone = count <= 1 || machine_blocks() == 1;
    rn_lanes_meet(); /* what they have written is finished */
    if (is_first_lane() && !alone) {
        spread job = {.work = work};
        rn_copy_words(job.context, context, size);
        rn_crew_take(crew, count, help_spread, &job, sizeof job);
        blocks_meet(crew);
    }
    for (int item = 0; alone && item < count; item++) work(context, item);
    while (!alone) {
        if (is_first_lane()) b->item = machine_add(&crew->next, 1);
        rn_lanes_meet();
        const int item = b->item;
        rn_lanes_meet(); /* all have read it */
        if (item >= count) break;
        work(context, item);
    }
    if (is_first_lane() && !alone) await_arrivals(crew, b->met + (uint32_t)machine_blocks() - 1);
    rn_lanes_meet();
}

/* Items of a task that lanes of a block share, and its context; all of it is the context of a work. */
typedef struct short_task {
    rn_task task;
    const void *context; /* NULL: the copy that follows */
    int count;
    _Alignas(8) char copy[RN_LANES_CONTEXT - 24];
} short_task;

_Static_assert(sizeof(short_task) <= RN_LANES_CONTEXT, "a short task must fit");

/* The work of lanes: its items. */
static void run_short(const void *context) {
    const short_task *job = context;
    RN_FOR_ITEMS (item, 0, job->count) job->task((void *)(job->context ? job->context : job->copy), item, item + 1, 0);
}

/* rn_short_for on the GPU: lanes of this block share the items. `size`: bytes of the context; a context that is a local
   variable and cannot be copied, because it is too large or of unknown size (1), is of use to this lane alone, which
   then runs all items. */
void rn_gpu_short(int count, rn_task task, const void *context, size_t size) {
    block_state *b = own_block();
    short_task *job = (short_task *)b->context;
    const bool own = machine_is_own(context);
    if (b->job->is_plain) {
        rn_gpu_for(count, task, context, size);
        return;
    }
    if (count <= 0) return;
    if (count == 1 || (own && (size <= 1 || size > sizeof job->copy))) {
        task((void *)context, 0, count, 0);
        return;
    }
    if (own) rn_copy_words(job->copy, context, size);
    job->task = task;
    job->context = own ? NULL : context;
    job->count = count;
    b->work = run_short;
    give_order(WORK);
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

/* Lanes other than 0 serve sweeps; lane 0 of other blocks serves tasks; lane 0 of block 0 runs the solver and stores
   its result. All return when it is done. */
void rn_gpu_run(rn_gpu_job *job) {
    rn_gpu_keep(job);
    rn_lanes_meet();
    if (!is_first_lane()) {
        serve_lanes();
        return;
    }
    own_block()->job = job;
    own_block()->met = 0;
    blocks_meet(&job->crew);
    if (machine_block() > 0) {
        serve_blocks(&job->crew);
    } else {
        *job->has_begun = true;
        const rn_forcing forcing = rn_gpu_forcing(job);
        rn_gpu_solve(&job->course, job->solver, &forcing);
        job->crew.task = NULL;
        blocks_meet(&job->crew);
    }
    dismiss_lanes();
}

/* ---- What the solver asks of its surroundings -------------------------------------------------------------------- */

/* No memory can be allocated on the GPU. The host makes room before the job starts, so arrays are large enough; where
   one is not, the call fails. */
void *rn_alloc(const rn_hooks *hooks, size_t count, size_t size) {
    (void)hooks, (void)count, (void)size;
    return NULL;
}

/* Does nothing, because nothing is allocated here. */
void rn_free(const rn_hooks *hooks, void *memory) { (void)hooks, (void)memory; }

/* Whether the array already has room for `count` items; rn_grow: for one more. These three never allocate, unlike on
   the host. */
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
