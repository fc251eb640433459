/* A world that runs on its own thread.

   Interface: include/runnel/live.h. Two threads exchange data here, the host's and that of the simulation, and
   neither waits for the other:

   - Commands go through a ring with one writer and one reader. `sent` counts those that the host has written, `done`
   those that the simulation has run; each thread writes only one of the two counters.
   - There are three frames: one that the simulation fills, one that the host reads, and one between them. `between`
   holds the number of that one, with a bit that says whether it is newer than the host's. A thread that is done swaps
   its own frame for the one between by an atomic exchange, so a frame always has one owner.

   The loop of the simulation: run commands; if it plays, a step is due and the limit allows it, step; make the meshes;
   publish the frame; sleep until the next step is due. Steps are due every frame_time / speed seconds. If the machine
   is too slow and a step is late by more than `late`, the delay is dropped: the simulation runs slower. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/platform.h"
#include "surface/copies.h"
#include <runnel/live.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { COMMANDS = 256, FRAMES = 3, NEWER = 4 };

static const double late = 0.1;      /* s */
static const double nap = 0.002;     /* s, longest pause between two checks for commands */
static const double smoothing = 0.1; /* of the measured time between steps: weight of the newest */
static const double least_speed = 1e-3, most_speed = 1000.0;

typedef struct command {
    rn_live_command run;
    unsigned char data[RN_LIVE_DATA];
} command;

/* A frame, and the copies that it shows. */
typedef struct slot {
    rn_live_frame frame;
    rn_mesh_copy ground, surface, bodies;
    rn_columns_copy columns;
    void *rests; /* of frame.resting */
    size_t room; /* bytes of `rests` */
} slot;

struct rn_live {
    rn_live_def def;
    rn_skin *skin;
    pthread_t thread;
    atomic_bool quit, paused, advance;
    _Atomic double speed;
    _Atomic uint64_t limit; /* of `steps`, while it plays */

    command ring[COMMANDS];
    atomic_uint sent, done;

    slot slots[FRAMES];
    atomic_int between;
    int reading, writing; /* the host's frame; the simulation's */

    /* Used only by the simulation. */
    uint64_t number, ground_number, steps, commands, errors;
    double last;        /* s, when the last step was due */
    double began, took; /* s, when the last step began; from one beginning to the next, smoothed */
    double measured;    /* simulated seconds per second */
    double spent;       /* s, of the last step */
    rn_liquid liquid;   /* of the last frame */
    bool shown_paused;  /* in the last frame */
    rn_result result;
    char error[sizeof((rn_live_frame *)0)->error];
};

rn_live_def rn_live_default(rn_world *world) {
    return (rn_live_def){.world = world, .skin = rn_skin_default(world), .frame_time = 1.0 / 60.0, .speed = 1.0};
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Stores a failure and its message (rn_last_error) for the following frames, and counts it. Does nothing for RN_OK. */
static void note_failure(rn_live *live, rn_result result) {
    if (result == RN_OK) return;
    live->result = result;
    live->errors++;
    snprintf(live->error, sizeof live->error, "%s", rn_last_error());
}

/* Copies the skin's meshes and columns into a frame; the ground only if it has changed since this frame had it. Returns
   RN_MEMORY, with a message, if memory runs out; then some copies are missing, and a ground that failed is copied again
   the next time. */
static rn_result copy_meshes(rn_live *live, slot *to) {
    const rn_mesh surface = rn_skin_surface(live->skin), bodies = rn_skin_bodies(live->skin);
    const rn_surface_columns columns = rn_skin_columns(live->skin);
    const rn_hooks *hooks = &live->def.hooks;
    bool fine = rn_mesh_copy_take(&to->surface, hooks, &surface) && rn_mesh_copy_take(&to->bodies, hooks, &bodies) &&
                rn_columns_copy_take(&to->columns, hooks, &columns);
    if (fine && to->frame.ground_number != live->ground_number) {
        const rn_mesh ground = rn_skin_ground(live->skin);
        fine = rn_mesh_copy_take(&to->ground, hooks, &ground);
        to->frame.ground_number = fine ? live->ground_number : 0;
    }
    to->frame.ground = to->ground.mesh;
    to->frame.surface = to->surface.mesh;
    to->frame.bodies = to->bodies.mesh;
    to->frame.columns = to->columns.columns;
    return fine ? RN_OK : RN_MEMORY;
}

/* Copies the tiles at rest into a frame; none if memory runs out. */
static void copy_resting(rn_live *live, slot *to) {
    const rn_world *world = live->def.world;
    const rn_resting all = rn_world_resting(world, NULL, 0);
    const size_t count = (size_t)all.tiles_x * (size_t)all.tiles_y * (size_t)all.layers;
    to->frame.resting = (rn_resting){0};
    if (count && rn_renew(&live->def.hooks, &to->rests, &to->room, count, 1))
        to->frame.resting = rn_world_resting(world, to->rests, count);
}

/* If the world's liquid has changed since the last frame, by a command, lets the skin follow it. */
static void update_skin_liquid(rn_live *live) {
    const rn_liquid liquid = rn_world_liquid(live->def.world);
    if (memcmp(&liquid, &live->liquid, sizeof liquid) == 0) return;
    rn_skin_follow_liquid(live->skin);
    live->liquid = liquid;
}

/* Updates the skin to the world as it is, fills a frame, passes it to the host by putting its slot into `between`, and
   takes the slot that was there for the next frame. After a failure, which is noted, the frame shows neither surface
   nor bodies nor columns. */
static void publish_frame(rn_live *live) {
    bool ground_changed = false;
    update_skin_liquid(live);
    rn_result result = rn_skin_update(live->skin, &ground_changed);
    live->ground_number += ground_changed;
    slot *to = &live->slots[live->writing];
    if (result == RN_OK) result = copy_meshes(live, to);
    copy_resting(live, to);
    note_failure(live, result);
    if (result != RN_OK) {
        to->frame.surface = to->frame.bodies = (rn_mesh){0};
        to->frame.columns = (rn_surface_columns){0};
    }
    rn_live_frame *frame = &to->frame;
    frame->number = ++live->number;
    frame->stats = rn_world_get_stats(live->def.world);
    frame->audit = rn_world_audit(live->def.world);
    frame->seconds = live->spent;
    frame->speed = live->measured;
    frame->paused = live->shown_paused = atomic_load(&live->paused);
    frame->result = live->result;
    memcpy(frame->error, live->error, sizeof frame->error);
    frame->errors = live->errors;
    frame->steps = live->steps;
    frame->commands = live->commands;
    if (live->def.measure) live->def.measure(live->def.user, live->def.world, frame->values);
    live->writing = atomic_exchange(&live->between, live->writing | NEWER) & ~NEWER;
}

const rn_live_frame *rn_live_latest(rn_live *live) {
    if (atomic_load(&live->between) & NEWER) live->reading = atomic_exchange(&live->between, live->reading) & ~NEWER;
    return &live->slots[live->reading].frame;
}

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

rn_result rn_live_send(rn_live *live, rn_live_command run, const void *data, size_t size) {
    if (!run || size > RN_LIVE_DATA || (size && !data))
        return rn_fail(RN_INVALID, "a command needs a function, and at most %d bytes of data; it has %zu", RN_LIVE_DATA,
                       size);
    const unsigned sent = atomic_load_explicit(&live->sent, memory_order_relaxed);
    if (sent - atomic_load_explicit(&live->done, memory_order_acquire) == COMMANDS)
        return rn_fail(RN_LIMIT, "%d commands wait for the simulation; try again in a later frame", COMMANDS);
    command *next = &live->ring[sent % COMMANDS];
    next->run = run;
    if (size) memcpy(next->data, data, size);
    atomic_store_explicit(&live->sent, sent + 1, memory_order_release);
    return RN_OK;
}

/* Runs all commands sent so far, in order; a failure is noted, and the next one runs. Returns false if there were none.
   Those sent meanwhile wait for the next round. */
static bool run_commands(rn_live *live) {
    const unsigned sent = atomic_load_explicit(&live->sent, memory_order_acquire);
    unsigned done = atomic_load_explicit(&live->done, memory_order_relaxed);
    if (done == sent) return false;
    live->commands += sent - done;
    for (; done != sent; atomic_store_explicit(&live->done, ++done, memory_order_release))
        note_failure(live, live->ring[done % COMMANDS].run(live->def.world, live->ring[done % COMMANDS].data));
    return true;
}

void rn_live_pause(rn_live *live, bool paused) { atomic_store(&live->paused, paused); }

void rn_live_advance(rn_live *live) { atomic_store(&live->advance, true); }

/* Returns RN_INVALID, with a message, unless the speed (simulated seconds per second) is within its limits; NAN is
   not. */
static rn_result check_speed(double speed) {
    if (speed >= least_speed && speed <= most_speed) return RN_OK;
    return rn_fail(RN_INVALID, "the speed is %g; it must be from %g to %g (simulated seconds per second)", speed,
                   least_speed, most_speed);
}

rn_result rn_live_set_speed(rn_live *live, double speed) {
    const rn_result result = check_speed(speed);
    if (result == RN_OK) atomic_store(&live->speed, speed);
    return result;
}

void rn_live_set_limit(rn_live *live, uint64_t steps) { atomic_store(&live->limit, steps); }

/* ---- The simulation ---------------------------------------------------------------------------------------------- */

/* The default of rn_live_def.step: rn_world_step. */
static rn_result step_world(void *user, rn_world *world, double seconds) {
    (void)user;
    return rn_world_step(world, seconds);
}

/* Advances the world by frame_time and publishes it, also if the step failed. began: when this started (s,
   rn_clock). */
static void step_and_publish(rn_live *live, double began) {
    note_failure(live, live->def.step(live->def.user, live->def.world, live->def.frame_time));
    live->steps++;
    publish_frame(live);
    live->spent = rn_clock() - began;
}

/* Real time (s) from one step to the next. */
static double step_interval(const rn_live *live) { return live->def.frame_time / atomic_load(&live->speed); }

/* Updates the measured speed with a step that begins `now`. */
static void measure_speed(rn_live *live, double now) {
    const double took = now - live->began;
    live->took = live->took > 0.0 ? live->took + smoothing * (took - live->took) : took;
    live->began = now;
    live->measured = rn_min(live->def.frame_time / live->took, atomic_load(&live->speed));
}

/* Takes a step that is due at `now` (s, rn_clock) and updates the measured speed. The time to the next step counts from
   when this one was due, not from when it is done; a delay of more than `late` is dropped. */
static void take_due_step(rn_live *live, double now) {
    live->last += step_interval(live);
    if (now > live->last + late) live->last = now;
    measure_speed(live, now);
    step_and_publish(live, now);
}

/* One round of the loop while paused, at `now` (s, rn_clock): takes a step if one was asked for (`advance`), else
   publishes a frame if commands have run (`changed`) or the last frame was not paused; then sleeps for `nap`. */
static void run_paused(rn_live *live, double now, bool advance, bool changed) {
    live->last = live->began = now;
    if (advance) step_and_publish(live, now);
    else if (changed || !live->shown_paused) publish_frame(live);
    rn_sleep(nap);
}

/* One round of the loop while playing, at `now` (s, rn_clock): takes a step if it is due and the limit allows it, else
   publishes a frame if commands have run (`changed`); then sleeps until the next step, at most for `nap`. */
static void run_playing(rn_live *live, double now, bool changed) {
    const double interval = step_interval(live);
    const bool held = live->steps >= atomic_load(&live->limit);
    if (held) live->last = rn_max(live->last, now - interval); /* waiting is not made up for */
    if (!held && now >= live->last + interval) take_due_step(live, now);
    else if (changed) publish_frame(live);
    const double left = held ? nap : live->last + step_interval(live) - rn_clock();
    if (left > 0.0) rn_sleep(rn_min(left, nap));
}

/* The main function of the simulation's thread: loops until `quit`. `context`: the rn_live. Returns NULL. */
static void *simulate(void *context) {
    rn_live *live = context;
    live->last = live->began = rn_clock();
    while (!atomic_load(&live->quit)) {
        const bool advance = atomic_exchange(&live->advance, false); /* first: commands sent before it run before it */
        const bool changed = run_commands(live);
        if (atomic_load(&live->paused)) run_paused(live, rn_clock(), advance, changed);
        else run_playing(live, rn_clock(), changed);
    }
    run_commands(live); /* nothing that was sent is lost */
    return NULL;
}

/* ---- Creation and destruction ------------------------------------------------------------------------------------ */

/* Returns RN_INVALID, with a message, unless the definition is valid. A speed or frame_time (s) of 0 means the
   default. */
static rn_result check_definition(const rn_live_def *def) {
    if (!def->world) return rn_fail(RN_INVALID, "a live world needs a world");
    if (!(def->frame_time >= 0.0 && def->frame_time <= 3600.0))
        return rn_fail(RN_INVALID, "frame_time is %g s; it must be above 0 and at most 3600 s", def->frame_time);
    return def->speed == 0.0 ? RN_OK : check_speed(def->speed);
}

/* Frees all frames, the skin and `live` itself, not the world; the thread must have ended or never begun. */
static void free_live(rn_live *live) {
    const rn_hooks hooks = live->def.hooks;
    for (int i = 0; i < FRAMES; i++) {
        rn_mesh_copy_free(&live->slots[i].ground, &hooks);
        rn_mesh_copy_free(&live->slots[i].surface, &hooks);
        rn_mesh_copy_free(&live->slots[i].bodies, &hooks);
        rn_columns_copy_free(&live->slots[i].columns, &hooks);
        rn_free(&hooks, live->slots[i].rests);
    }
    rn_skin_destroy(live->skin);
    rn_free(&hooks, live);
}

/* Creates the skin, publishes the first frame and starts the thread. On failure returns a code, with a message; the
   caller frees everything. */
static rn_result start_simulation(rn_live *live) {
    rn_skin_def skin = live->def.skin;
    skin.world = live->def.world;
    const rn_result result = rn_skin_create(&skin, &live->skin);
    if (result != RN_OK) return result;
    live->liquid = rn_world_liquid(live->def.world);
    publish_frame(live);
    if (live->result != RN_OK) return live->result;
    if (pthread_create(&live->thread, NULL, simulate, live) != 0)
        return rn_fail(RN_MEMORY, "the thread of the simulation could not be started");
    return RN_OK;
}

rn_result rn_live_create(const rn_live_def *def, rn_live **out) {
    *out = NULL;
    rn_result result = check_definition(def);
    if (result != RN_OK) return result;
    rn_live *live = rn_alloc(&def->hooks, 1, sizeof *live);
    if (!live) return RN_MEMORY;
    live->def = *def;
    if (live->def.frame_time == 0.0) live->def.frame_time = 1.0 / 60.0;
    if (!live->def.step) live->def.step = step_world;
    live->reading = 0, live->writing = 1;
    atomic_init(&live->between, 2);
    atomic_init(&live->paused, def->paused);
    atomic_init(&live->speed, def->speed == 0.0 ? 1.0 : def->speed);
    atomic_init(&live->limit, UINT64_MAX);
    result = start_simulation(live);
    if (result == RN_OK) *out = live;
    else free_live(live);
    return result;
}

void rn_live_destroy(rn_live *live) {
    if (!live) return;
    atomic_store(&live->quit, true);
    pthread_join(live->thread, NULL);
    free_live(live);
}
