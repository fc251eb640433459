/* Measures row meshes of `runnel bench`: blood is poured over meshes made by others, in the scene vertebra-mesh with
   its own mesh replaced. Entry point: bench_meshes(). The meshes are not part of the repository; they are looked for in
   $RUNNEL_DATA, or in shared/data beside the repository. */
#include "bench/bench.h"
#include "common/library.h"
#include "common/progress.h"
#include "physics/shared_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECONDS 5.0 /* simulated */

enum { MOST_MESHES = MOST_ROUNDS };

/* Settings, and sums over the meshes done so far. */
typedef struct pours {
    char scene[1024];
    int threads;
    timing times;             /* one for each mesh: s of wall time for a simulated second */
    double substeps, columns; /* sums over all meshes; substeps in a simulated second */
} pours;

/* Sets *name to the file name in `path`, without its folder. Returns the length of that name up to its first dot. */
static int find_name(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    return (int)strcspn(*name, ".");
}

/* Runs the scene with this mesh for SECONDS, and adds its time, substeps and columns to `p` and a phrase to the note,
   which is cut off where full. Exits if the scene cannot be opened. Opening it is not timed. */
static void pour_over(pours *p, const char *mesh, bench_result *b) {
    const rn_scene_def def = {.path = p->scene, .geometry = mesh, .threads = p->threads};
    rn_scene *scene = NULL;
    bench_must(rn_scene_open(&def, &scene));
    const rn_world *world = rn_scene_world(scene);
    const int frames = (int)(SECONDS / rn_scene_describe(scene).frame_time + 0.5);
    const double start = clock_now();
    for (int i = 0; i < frames; i++) bench_must(rn_scene_step(scene));
    const double taken = (clock_now() - start) / SECONDS, substeps = (double)rn_world_get_stats(world).steps / SECONDS;
    p->times.seconds[p->times.rounds++] = taken;
    p->substeps += substeps;
    p->columns += (double)rn_world_describe(world).columns;
    const size_t used = strlen(b->note);
    const char *name;
    const int length = find_name(mesh, &name);
    snprintf(b->note + used, sizeof b->note - used, "%s%.*s %.2f x real time at %.0f substeps/s", used ? "; " : "",
             length, name, 1.0 / taken, substeps);
    rn_scene_close(scene);
}

/* Pours over the files in meshes/ that a list names in its first column (tab-separated), at most MOST_MESHES; files
   that cannot be found are skipped. Times and sums go into `p`, and only the note of `b` is written. */
static void pour_all(pours *p, FILE *list, bench_result *b) {
    char line[4096], name[512];
    while (p->times.rounds < MOST_MESHES && fgets(line, sizeof line, list)) {
        const int length = (int)strcspn(line, "\t\r\n");
        if (strncmp(line, "meshes/", 7) != 0 || length >= (int)sizeof name) continue;
        snprintf(name, sizeof name, "%.*s", length, line);
        const char *path = shared_file(name);
        if (path) pour_over(p, path, b);
    }
}

/* Measures row meshes: speed relative to real time; the median and the best of all meshes, with the last crew's
   threads. If there are no meshes, or the scene is not found, which is also printed, the result is NAN with a note.
   Returns 1. */
int bench_meshes(const bench_crews *crews, bench_result *results) {
    static pours p;
    bench_result *b = &results[0];
    p = (pours){.threads = crews->threads[crews->count - 1]};
    *b =
        (bench_result){.median = NAN, .best = NAN, .seconds = NAN, .substeps = NAN, .bytes = NAN, .threads = p.threads};
    const bool found = library_find("bench", "vertebra-mesh", p.scene, sizeof p.scene);
    const char *path = shared_file("MANIFEST.tsv");
    FILE *list = path && found ? fopen(path, "rb") : NULL;
    if (list) pour_all(&p, list, b), fclose(list);
    if (p.times.rounds == 0) {
        snprintf(b->note, sizeof b->note,
                 "left out: no meshes were found; set RUNNEL_DATA to a folder with MANIFEST.tsv");
        return 1;
    }
    b->seconds = timing_median(&p.times);
    b->median = 1.0 / b->seconds;
    b->best = 1.0 / timing_best(&p.times);
    b->substeps = p.substeps / p.times.rounds;
    b->columns = (int64_t)(p.columns / p.times.rounds);
    b->bytes = ROOFED_SUBSTEP_BYTES;
    return 1;
}
