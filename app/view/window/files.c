/* Saves files in other threads. Interface: view/window/files.h.

   The window's thread makes and frees the entries of the list `unwritten`. Another thread writes the file, the
   simulation's in run_save or a new one in complete_film, and sets `done` when it no longer needs the entry. */
#include "view/window/files.h"

#include "view/saved_scene.h"
#include "view/window/simulation.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double film_rate = 30; /* pictures per second of simulated time, about */

/* A file that is being written. */
typedef struct unwritten {
    session *session; /* whose state is saved; NULL: this is a film */
    viewer_file kind;
    char path[INPUT_PATH];
    film film;
    pthread_t thread; /* of a film */
    char error[1024]; /* "": it is complete */
    atomic_bool done;
    struct unwritten *next;
} unwritten;

static atomic_int count; /* files that are not complete: see files_unwritten */

int files_unwritten(void) { return atomic_load(&count); }

/* Marks an entry as done, with a message if it failed. */
static void set_done(unwritten *u, const char *error) {
    if (error) snprintf(u->error, sizeof u->error, "%s", error);
    atomic_store(&u->done, true);
    atomic_fetch_sub(&count, 1);
}

/* Adds a zeroed entry at the front of v->unwritten and returns it; files_update or files_finish frees it once it is
   done. Returns NULL, after a notice, if memory ran out. */
static unwritten *add_entry(viewer *v) {
    unwritten *u = calloc(1, sizeof *u);
    if (!u) viewer_tell(v, true, "there is not enough memory");
    else u->next = v->unwritten, v->unwritten = u;
    return u;
}

/* Returns whether there is a file of this name, or will be one soon. */
static bool is_taken(const viewer *v, const char *path) {
    if (v->record.writer && strcmp(v->record.path, path) == 0) return true;
    if (v->picture_wanted && strcmp(v->picture_path, path) == 0) return true;
    for (const unwritten *u = v->unwritten; u; u = u->next)
        if (strcmp(u->path, path) == 0) return true;
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* Writes the name of a new file, made of the scene's name, the time of day and this extension, to `path`, of INPUT_PATH
   bytes: "bowl-153012.rnl", and "bowl-153012-2.rnl" for the second within a second. */
static void name_file(const viewer *v, const char *ending, char *path) {
    char now[16], name[INPUT_PATH] = "";
    const time_t seconds = time(NULL);
    strftime(now, sizeof now, "%H%M%S", localtime(&seconds));
    for (int i = 1; i < 1000 && (i == 1 || is_taken(v, name)); i++)
        if (i == 1) snprintf(name, sizeof name, "%s-%s.%s", v->info.name, now, ending);
        else snprintf(name, sizeof name, "%s-%s-%d.%s", v->info.name, now, i, ending);
    snprintf(path, INPUT_PATH, "%s", name);
}

/* ---- The state of a session -------------------------------------------------------------------------------------- */

/* The data that rn_live passes to run_save. */
typedef struct sent_save {
    unwritten *file;
} sent_save;

/* Writes a file, as a command of rn_live on the simulation's thread. data: a sent_save. Always returns RN_OK: the entry
   gets the error. */
static rn_result run_save(rn_world *world, void *data) {
    (void)world;
    unwritten *u = ((const sent_save *)data)->file;
    rn_result result = RN_OK;
    switch (u->kind) {
    case FILE_CHECKPOINT: result = session_save_checkpoint(u->session, u->path); break;
    case FILE_INPUTS: result = session_save_inputs(u->session, u->path); break;
    case FILE_SCENE: result = saved_scene_write(u->session, u->path); break;
    }
    set_done(u, result == RN_OK ? NULL : rn_last_error());
    return RN_OK;
}

const char *files_save(viewer *v, viewer_file kind, const char *path) {
    static const char *const endings[] = {"rnl", "input.txt", "json"};
    unwritten *u = v->live ? add_entry(v) : NULL;
    if (!u) return NULL;
    u->session = v->current;
    u->kind = kind;
    if (path) snprintf(u->path, sizeof u->path, "%s", path);
    else name_file(v, endings[kind], u->path);
    atomic_fetch_add(&count, 1);
    const sent_save save = {u};
    const bool sent = simulation_send(v, run_save, &save, sizeof save);
    if (!sent) set_done(u, v->notice);
    else if (kind == FILE_CHECKPOINT) v->rain = 0; /* which a checkpoint ends */
    return sent ? u->path : NULL;
}

/* ---- Films ------------------------------------------------------------------------------------------------------- */

/* Returns how many steps there are from one picture to the next: 1, or as many as give about 30 pictures per second of
   simulated time if steps are shorter than that. */
static uint64_t steps_per_picture(const viewer *v) {
    return (uint64_t)fmax(1, round(1 / (film_rate * v->info.frame_time)));
}

void files_start_film(viewer *v, const char *path) {
    char name[INPUT_PATH];
    if (!v->live) return;
    if (!path) name_file(v, film_formats[v->film_format], name);
    const double pace = (double)steps_per_picture(v) * v->info.frame_time;
    if (!film_start(&v->record, path ? path : name, v->width, v->height, film_pictures_per_second(pace))) {
        viewer_tell(v, true, "%s", v->record.error);
        return;
    }
    atomic_fetch_add(&count, 1);
    v->picture_step = v->frame->steps;
    rn_live_set_limit(v->live, v->picture_step);
}

bool files_is_picture_due(const viewer *v) {
    return v->record.writer && v->frame->steps >= v->picture_step && (v->scripted || film_has_room(&v->record));
}

void files_next_picture(viewer *v) {
    v->picture_step = v->frame->steps + steps_per_picture(v);
    rn_live_set_limit(v->live, v->picture_step);
}

/* Completes a film and marks its entry as done, as the function of a thread; argument: the entry. Returns NULL. */
static void *complete_film(void *argument) {
    unwritten *u = argument;
    const bool fine = film_end(&u->film);
    set_done(u, fine ? NULL : u->film.error);
    return NULL;
}

void files_end_film(viewer *v) {
    if (!v->record.writer) return;
    if (v->live) rn_live_set_limit(v->live, UINT64_MAX);
    unwritten *u = add_entry(v);
    if (!u) return; /* it goes on until there is memory */
    u->film = v->record;
    snprintf(u->path, sizeof u->path, "%s", v->record.path);
    v->record = (film){0};
    if (pthread_create(&u->thread, NULL, complete_film, u) == 0) return;
    complete_film(u);
    u->thread = pthread_self(); /* nothing to join */
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

void files_save_picture(viewer *v, const char *path) {
    if (!v->live) return;
    if (path) snprintf(v->picture_path, sizeof v->picture_path, "%s", path);
    else name_file(v, "png", v->picture_path);
    if (!v->picture_wanted) atomic_fetch_add(&count, 1);
    v->picture_wanted = true;
}

void files_take_picture(viewer *v) {
    if (!v->picture_wanted) return;
    uint8_t *pixels = malloc(3 * (size_t)v->width * (size_t)v->height);
    const bool read = pixels && v->grab(v->window, pixels);
    if (!read) viewer_tell(v, true, "the picture cannot be read back: there is not enough memory");
    else if (rn_png_write(v->picture_path, pixels, v->width, v->height) != RN_OK)
        viewer_tell(v, true, "%s", rn_last_error());
    else viewer_tell(v, false, "Saved %s", v->picture_path);
    free(pixels);
    v->picture_wanted = false;
    atomic_fetch_sub(&count, 1);
}

/* ---- Completion -------------------------------------------------------------------------------------------------- */

/* Frees an entry that is done, after joining the thread of a film. */
static void free_entry(unwritten *u) {
    if (!u->session && !pthread_equal(u->thread, pthread_self())) pthread_join(u->thread, NULL);
    free(u);
}

void files_update(viewer *v) {
    for (unwritten **at = &v->unwritten; *at;) {
        unwritten *u = *at;
        if (!atomic_load(&u->done)) {
            at = &u->next;
            continue;
        }
        if (*u->error) viewer_tell(v, true, "%s", u->error);
        else viewer_tell(v, false, "Saved %s", u->path);
        *at = u->next;
        free_entry(u);
    }
}

void files_expect_record(void) { atomic_fetch_add(&count, 1); }

void files_write_record(viewer *v, session *s) {
    if (!*v->record_input) return;
    if (s && session_save_inputs(s, v->record_input) != RN_OK) fprintf(stderr, "%s\n", rn_last_error());
    *v->record_input = 0;
    atomic_fetch_sub(&count, 1);
}

void files_finish(viewer *v) {
    for (unwritten *u = v->unwritten, *next; u; u = next) {
        next = u->next;
        while (!atomic_load(&u->done)) rn_sleep(0.002);
        if (*u->error) fprintf(stderr, "%s\n", u->error);
        free_entry(u);
    }
    v->unwritten = NULL;
    if (!v->picture_wanted) return;
    fprintf(stderr, "%s is not saved: the window was never drawn again\n", v->picture_path);
    v->picture_wanted = false;
    atomic_fetch_sub(&count, 1);
}
