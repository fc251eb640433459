/* One set of bits: states of shipped scenes frame by frame, beside golden ones, with other numbers of threads, or of
   other builds; and where they differ, the first frame and column that do.

     bits golden FILE SCENE[:N]...      N frames as FILE has them, for all numbers of threads
     bits trace SCENE                   prints the hash of every frame
     bits dump SCENE FILE               writes the last frame's state
     bits differ FILE FILE              compares two of those

   --frames N (default 10), --threads 1,2,3,8 (the first for trace and dump), --scenes FOLDER, --poses FOLDER (bodies
   of a scene move as NAME.poses there says, if there is one: engines have bits of their own), --write (golden: writes
   FILE), --backend NAME (cuda: the GPU, of librunnel-cuda.so), --break FRAME,LAYER,Y,X (changes the last bit of a
   depth, to see that it is found; with golden and several numbers of threads only for the last of them). */
#include "base/hash.h"
#include "base/platform.h"
#include "pipe_worlds.h"

#include <inttypes.h>
#include <runnel/runnel.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 16, FIELDS = 6 };
static const char *const field_names[FIELDS] = {"base", "ceil", "depth", "flux_x", "flux_y", "head"};

static struct {
    int frames, threads[MOST_RUNS], thread_count;
    const char *scenes, *poses, *backend;
    bool write, breaks;
    int at[4]; /* frame, layer, y, x */
} options = {.frames = 10, .threads = {1, 2, 3, 8}, .thread_count = 4, .scenes = "scenes"};

static RN_PRINTF(1, 2) _Noreturn void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static void *need(void *memory) {
    if (!memory) give_up("there is not enough memory");
    return memory;
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* A state as plain numbers: every column of every layer, then irregular pipes. */
typedef struct picture {
    int nx, ny, layers, irregular_count;
    uint64_t hash, step;
    float *columns;        /* FIELDS for each, x fastest, then y, then layers */
    int32_t *ends;         /* of irregular pipes: their first column */
    float *irregular_flux; /* m^3/s */
} picture;

static size_t column_at(const picture *p, int layer, int y, int x) {
    return (((size_t)layer * (size_t)p->ny + (size_t)y) * (size_t)p->nx + (size_t)x) * FIELDS;
}

static size_t column_count(const picture *p) { return (size_t)p->layers * (size_t)p->ny * (size_t)p->nx; }

static void make_room(picture *p) {
    p->columns = need(realloc(p->columns, column_count(p) * FIELDS * sizeof(float) + 1));
    p->ends = need(realloc(p->ends, (size_t)p->irregular_count * sizeof(int32_t) + 1));
    p->irregular_flux = need(realloc(p->irregular_flux, (size_t)p->irregular_count * sizeof(float) + 1));
}

static void forget(picture *p) {
    free(p->columns);
    free(p->ends);
    free(p->irregular_flux);
}

/* The pipes of a world, NULL where another solver moves its liquid. */
static const rn_state *pipes_of(const rn_world *world) {
    return strcmp(rn_world_describe(world).solver, "packets") == 0 ? NULL : state_of(world);
}

static void take_picture(const rn_world *world, picture *p) {
    const rn_state *s = pipes_of(world);
    const rn_columns *c = world->columns;
    p->nx = c->grid.nx, p->ny = c->grid.ny, p->layers = c->grid.layers,
    p->irregular_count = s ? s->graph.irregular_count : 0;
    p->hash = rn_world_hash(world), p->step = s ? s->graph.step : rn_world_get_stats(world).steps;
    make_room(p);
    for (int layer = 0; layer < p->layers; layer++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                const int32_t i = rn_slot(&c->grid, layer, y, x);
                const float fields[FIELDS] = {c->base[i],   c->ceil[i],
                                              c->depth[i],  c->flux_x[i],
                                              c->flux_y[i], s && s->graph.headed ? s->graph.head[i] : 0.0f};
                memcpy(p->columns + column_at(p, layer, y, x), fields, sizeof fields);
            }
    for (int i = 0; i < p->irregular_count; i++) {
        const rn_spot spot = rn_slot_place(&c->grid, s->graph.irregular_a[i]);
        p->ends[i] = (spot.layer * (p->ny + 2) + spot.y + 1) * (p->nx + 2) + spot.x + 1;
        p->irregular_flux[i] = s->graph.irregular_flux[i];
    }
}

static bool same_bits(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Says where the first difference is. */
static void tell_difference(const picture *a, const picture *b) {
    if (a->nx != b->nx || a->ny != b->ny || a->layers != b->layers) {
        printf("  a grid of %d x %d x %d and one of %d x %d x %d\n", a->nx, a->ny, a->layers, b->nx, b->ny, b->layers);
        return;
    }
    size_t columns = 0;
    for (int layer = 0; layer < a->layers; layer++)
        for (int y = 0; y < a->ny; y++)
            for (int x = 0; x < a->nx; x++) {
                const float *one = a->columns + column_at(a, layer, y, x),
                            *two = b->columns + column_at(b, layer, y, x);
                if (memcmp(one, two, FIELDS * sizeof *one) == 0) continue;
                if (columns++) continue;
                for (int f = 0; f < FIELDS; f++)
                    if (!same_bits(one[f], two[f]))
                        printf("  layer %d, y %d, x %d: %s is %.9g (%a) and %.9g (%a)\n", layer, y, x, field_names[f],
                               (double)one[f], (double)one[f], (double)two[f], (double)two[f]);
            }
    if (columns) printf("  %zu of %zu columns differ\n", columns, column_count(a));
    for (int i = 0; i < a->irregular_count && i < b->irregular_count; i++) {
        if (same_bits(a->irregular_flux[i], b->irregular_flux[i])) continue;
        const int end = a->ends[i], row = end / (a->nx + 2);
        printf("  irregular pipe %d from layer %d, y %d, x %d: flux is %.9g (%a) and %.9g (%a)\n", i, row / (a->ny + 2),
               row % (a->ny + 2) - 1, end % (a->nx + 2) - 1, (double)a->irregular_flux[i], (double)a->irregular_flux[i],
               (double)b->irregular_flux[i], (double)b->irregular_flux[i]);
        return;
    }
    if (a->irregular_count != b->irregular_count)
        printf("  %d irregular pipes and %d\n", a->irregular_count, b->irregular_count);
    else if (!columns && a->step != b->step)
        printf("  columns are the same, but not the substeps: %" PRIu64 " and %" PRIu64 "\n", a->step, b->step);
    else if (!columns) printf("  columns and pipes are the same: it is the time, a source or the ledger\n");
}

/* ---- Fingerprints: two letters for every row of the grid and for every line across them ------------------------- */

static const char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void mix(uint64_t *hash, uint64_t place, const float *values, size_t count) {
    *hash = rn_hash_floats(rn_hash_long(*hash, place), values, count);
}

static char *fingerprints(const picture *p) {
    const size_t all = (size_t)p->ny + (size_t)p->nx;
    uint64_t *rows = need(calloc(all, sizeof *rows)), *lines = rows + p->ny;
    for (int layer = 0; layer < p->layers; layer++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                const float *column = p->columns + column_at(p, layer, y, x);
                if (column[0] >= RN_NO_COLUMN) continue;
                mix(&rows[y], (uint64_t)layer << 32 | (uint64_t)x, column, FIELDS);
                mix(&lines[x], (uint64_t)layer << 32 | (uint64_t)y, column, FIELDS);
            }
    for (int i = 0; i < p->irregular_count; i++) {
        const int end = p->ends[i], x = end % (p->nx + 2) - 1, y = end / (p->nx + 2) % (p->ny + 2) - 1;
        if (y >= 0 && y < p->ny) mix(&rows[y], (uint64_t)end, p->irregular_flux + i, 1);
        if (x >= 0 && x < p->nx) mix(&lines[x], (uint64_t)end, p->irregular_flux + i, 1);
    }
    char *text = need(malloc(2 * all + 1));
    for (size_t i = 0; i < all; i++) {
        text[2 * i] = letters[rows[i] >> 26 & 63];
        text[2 * i + 1] = letters[rows[i] >> 32 & 63];
    }
    text[2 * all] = '\0';
    free(rows);
    return text;
}

/* Prints the first row and line that have another one. */
static void tell_place(const picture *p, const char *wanted, const char *found) {
    if (strlen(wanted) != strlen(found)) {
        printf("  the grid has another size\n");
        return;
    }
    int first[2] = {-1, -1}, count[2] = {0, 0}; /* y, x */
    for (int i = 0; i < p->ny + p->nx; i++) {
        const int axis = i >= p->ny;
        if (memcmp(wanted + 2 * i, found + 2 * i, 2) == 0) continue;
        if (count[axis]++ == 0) first[axis] = axis ? i - p->ny : i;
    }
    if (first[0] < 0 || first[1] < 0) {
        printf("  all columns are as they should be: it is the time, a source, the ledger or a pipe to the outside\n");
        return;
    }
    printf("  first column that differs: y %d, x %d (columns differ in %d rows, at %d places along them); it has now\n",
           first[0], first[1], count[0], count[1]);
    for (int layer = 0; layer < p->layers; layer++) {
        const float *column = p->columns + column_at(p, layer, first[0], first[1]);
        if (column[0] >= RN_NO_COLUMN) continue;
        printf("    layer %d:", layer);
        for (int f = 0; f < FIELDS; f++) printf(" %s %.9g (%a)", field_names[f], (double)column[f], (double)column[f]);
        putchar('\n');
    }
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

static rn_result try_scene(const char *name, int threads, rn_scene **scene) {
    char path[1024], poses[1024];
    snprintf(path, sizeof path, "%s/%s.json", options.scenes, name);
    rn_scene_def def = {.path = path, .threads = threads, .backend = options.backend};
    snprintf(poses, sizeof poses, "%s/%s.poses", options.poses ? options.poses : "", name);
    FILE *log = options.poses ? fopen(poses, "r") : NULL;
    if (log) {
        fclose(log);
        def.replay_poses = poses;
    }
    const rn_result result = rn_scene_open(&def, scene);
    if (result != RN_OK && result != RN_UNSUPPORTED) give_up("%s", rn_last_error());
    return result;
}

static rn_scene *open_scene(const char *name, int threads) {
    rn_scene *scene = NULL;
    if (try_scene(name, threads, &scene) != RN_OK) give_up("%s", rn_last_error());
    return scene;
}

static void step(rn_scene *scene, int frame, bool breaks) {
    if (rn_scene_step(scene) != RN_OK) give_up("frame %d: %s", frame, rn_last_error());
    if (!breaks || !options.breaks || frame != options.at[0]) return;
    const rn_columns *c = rn_scene_world(scene)->columns;
    float *depth = &c->depth[rn_slot(&c->grid, options.at[1], options.at[2], options.at[3])];
    uint32_t bits;
    memcpy(&bits, depth, sizeof bits);
    bits ^= 1;
    memcpy(depth, &bits, sizeof bits);
}

/* Golden lines are "scene frame hash fingerprints". */
static bool read_golden(FILE *file, const char *scene, int frame, uint64_t *hash, char *text, size_t size) {
    static char line[1 << 14];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        const char *name = strtok(line, " "), *number = strtok(NULL, " "), *mark = strtok(NULL, " ");
        const char *rest = strtok(NULL, "\r\n");
        if (!rest || strcmp(name, scene) != 0 || atoi(number) != frame) continue;
        *hash = strtoull(mark, NULL, 16);
        snprintf(text, size, "%s", rest);
        return true;
    }
    return false;
}

/* Of long runs only every tenth frame is golden, once they are under way. */
static bool is_golden(int frame) { return frame <= 10 || frame % 10 == 0; }

/* Writes a state down, or sees whether it is as it was written down. */
static bool check_golden(const char *name, int frame, const picture *p, FILE *golden) {
    static char wanted[1 << 14];
    uint64_t hash = 0;
    bool fine = true;
    char *found = fingerprints(p);
    if (options.write) fprintf(golden, "%s %d %016" PRIx64 " %s\n", name, frame, p->hash, found);
    else if (!read_golden(golden, name, frame, &hash, wanted, sizeof wanted)) {
        printf("%s: there is no golden frame %d\n", name, frame);
        fine = false;
    } else if (hash != p->hash) {
        printf("%s, frame %d: the hash is %016" PRIx64 ", it should be %016" PRIx64 "\n", name, frame, p->hash, hash);
        tell_place(p, wanted, found);
        fine = false;
    }
    free(found);
    return fine;
}

/* All runs side by side: the first with the golden state, the others with the first. False at the first frame that
   differs. */
static bool check_scene(const char *name, int frames, FILE *golden) {
    rn_scene *scenes[MOST_RUNS];
    picture first = {0}, other = {0};
    bool fine = true;
    if (!options.write && try_scene(name, 1, scenes) == RN_UNSUPPORTED) {
        printf("%s: left out: %s\n", name, rn_last_error());
        return true;
    }
    if (!options.write) rn_scene_close(scenes[0]);
    for (int i = 0; i < options.thread_count; i++) scenes[i] = open_scene(name, options.threads[i]);
    for (int frame = 1; frame <= frames && fine; frame++) {
        const int last = options.thread_count - 1;
        for (int i = 0; i <= last; i++) step(scenes[i], frame, i == last);
        take_picture(rn_scene_world(scenes[0]), &first);
        if (is_golden(frame)) fine = check_golden(name, frame, &first, golden);
        for (int i = 1; i <= last && fine; i++) {
            take_picture(rn_scene_world(scenes[i]), &other);
            if (other.hash == first.hash) continue;
            printf("%s, frame %d: %d threads give %016" PRIx64 " and %d give %016" PRIx64 "\n", name, frame,
                   options.threads[0], first.hash, options.threads[i], other.hash);
            tell_difference(&first, &other);
            fine = false;
        }
    }
    for (int i = 0; i < options.thread_count; i++) rn_scene_close(scenes[i]);
    forget(&first);
    forget(&other);
    return fine;
}

static int golden(char **arguments, int count) {
    if (count < 2) give_up("bits golden FILE SCENE[:N]...");
    FILE *file = fopen(arguments[0], options.write ? "w" : "r");
    if (!file) give_up("%s cannot be %s", arguments[0], options.write ? "written" : "read");
    bool fine = true;
    for (int i = 1; i < count; i++) {
        char *frames = strchr(arguments[i], ':');
        if (frames) *frames++ = '\0';
        fine = check_scene(arguments[i], frames ? atoi(frames) : options.frames, file) && fine;
    }
    if (fclose(file) != 0) give_up("%s cannot be written", arguments[0]);
    if (fine && !options.write) printf("%d scenes give their golden hashes\n", count - 1);
    return fine ? 0 : 1;
}

static int trace(const char *name) {
    rn_scene *scene = open_scene(name, options.threads[0]);
    for (int frame = 1; frame <= options.frames; frame++) {
        step(scene, frame, true);
        printf("%d %016" PRIx64 "\n", frame, rn_world_hash(rn_scene_world(scene)));
        fflush(stdout); /* a trace may be cut short */
    }
    rn_scene_close(scene);
    return 0;
}

/* ---- Files of states, for one machine ---------------------------------------------------------------------------- */

static int dump(const char *name, const char *path) {
    rn_scene *scene = open_scene(name, options.threads[0]);
    for (int frame = 1; frame <= options.frames; frame++) step(scene, frame, true);
    picture p = {0};
    take_picture(rn_scene_world(scene), &p);
    FILE *file = fopen(path, "wb");
    if (!file) give_up("%s cannot be written", path);
    const size_t columns = column_count(&p) * FIELDS, irregular = (size_t)p.irregular_count;
    const bool fine = fwrite(&p, sizeof p, 1, file) == 1 &&
                      fwrite(p.columns, sizeof(float), columns, file) == columns &&
                      fwrite(p.ends, sizeof(int32_t), irregular, file) == irregular &&
                      fwrite(p.irregular_flux, sizeof(float), irregular, file) == irregular;
    if (fclose(file) != 0 || !fine) give_up("%s cannot be written", path);
    forget(&p);
    rn_scene_close(scene);
    return 0;
}

static picture read_picture(const char *path) {
    picture p;
    FILE *file = fopen(path, "rb");
    if (!file || fread(&p, sizeof p, 1, file) != 1) give_up("%s cannot be read", path);
    p.columns = p.irregular_flux = NULL, p.ends = NULL;
    make_room(&p);
    const size_t columns = column_count(&p) * FIELDS, irregular = (size_t)p.irregular_count;
    if (fread(p.columns, sizeof(float), columns, file) != columns || fread(p.ends, 4, irregular, file) != irregular ||
        fread(p.irregular_flux, sizeof(float), irregular, file) != irregular)
        give_up("%s is too short", path);
    fclose(file);
    return p;
}

static int differ(const char *one, const char *two) {
    picture a = read_picture(one), b = read_picture(two);
    const bool same = a.hash == b.hash;
    if (!same) tell_difference(&a, &b);
    forget(&a);
    forget(&b);
    return same ? 0 : 1;
}

static void read_threads(char *text) {
    options.thread_count = 0;
    for (char *part = strtok(text, ","); part && options.thread_count < MOST_RUNS; part = strtok(NULL, ","))
        options.threads[options.thread_count++] = atoi(part);
    if (options.thread_count == 0) give_up("--threads needs numbers");
}

int main(int argc, char **argv) {
    char *plain[1024];
    int count = 0;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--write") == 0) options.write = true;
        else if (strcmp(argv[i], "--frames") == 0 && more) options.frames = atoi(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && more) read_threads(argv[++i]);
        else if (strcmp(argv[i], "--scenes") == 0 && more) options.scenes = argv[++i];
        else if (strcmp(argv[i], "--poses") == 0 && more) options.poses = argv[++i];
        else if (strcmp(argv[i], "--backend") == 0 && more) options.backend = argv[++i];
        else if (strcmp(argv[i], "--break") == 0 && more)
            options.breaks =
                sscanf(argv[++i], "%d,%d,%d,%d", &options.at[0], &options.at[1], &options.at[2], &options.at[3]) == 4;
        else if (count < 1024) plain[count++] = argv[i];
    }
    if (count >= 2 && strcmp(plain[0], "golden") == 0) return golden(plain + 1, count - 1);
    if (count == 2 && strcmp(plain[0], "trace") == 0) return trace(plain[1]);
    if (count == 3 && strcmp(plain[0], "dump") == 0) return dump(plain[1], plain[2]);
    if (count == 3 && strcmp(plain[0], "differ") == 0) return differ(plain[1], plain[2]);
    give_up("bits golden FILE SCENE[:N]..., bits trace SCENE, bits dump SCENE FILE, bits differ FILE FILE");
}
