/* Makes films through the writer of output/writer.h, which encodes in a thread. Interface: view/window/film.h. Messages
   that the writer would print are stored in film.error instead. */
#include "view/window/film.h"

#include "common/options.h"
#include "output/writer.h"

#include <stdio.h>
#include <stdlib.h>

const char *const film_formats[FILM_FORMATS] = {"mp4", "gif", "webm"};

bool film_start(film *f, const char *path, int width, int height, double rate) {
    *f = (film){.width = width, .height = height};
    snprintf(f->path, sizeof f->path, "%s", path);
    complain_into(f->error, sizeof f->error);
    bool fine = video_knows("view", path);
    f->writer = fine ? calloc(1, sizeof *f->writer) : NULL;
    if (fine && !f->writer) complain("there is not enough memory for a film");
    const video_def def = {.path = f->path, .width = width, .height = height, .rate = rate, .frames = 600};
    if (f->writer && !writer_open(f->writer, &def)) {
        free(f->writer);
        f->writer = NULL;
    }
    complain_into(NULL, 0);
    const char *error = f->writer ? writer_film_error(f->writer) : NULL;
    if (error) snprintf(f->error, sizeof f->error, "%s", error);
    if (error) film_end(f);
    return f->writer != NULL;
}

double film_pictures_per_second(double pace) { return video_rate(pace); }

bool film_has_room(const film *f) { return !queue_is_full(&f->writer->queue); }

uint8_t *film_room(film *f) { return f->writer ? writer_room(f->writer) : NULL; }

void film_give(film *f) {
    writer_give(f->writer, NULL, true);
    f->frames++;
}

bool film_end(film *f) {
    if (!f->writer) return *f->error == 0;
    const bool closed = writer_close(f->writer, true);
    const char *error = writer_film_error(f->writer);
    if (!closed) snprintf(f->error, sizeof f->error, "%s", f->writer->queue.error);
    if (error) snprintf(f->error, sizeof f->error, "%s", error);
    free(f->writer);
    f->writer = NULL;
    return closed && !error;
}
