/* Binary glTF 2.0: a file for every mesh, or one file that plays a run.

   The frames of a run are nodes, each with its own mesh, whose scales step between 0 and 1: the specification (3.5)
   defines a scale of 0 as "not drawn" and recommends it to animate visibility. y is up, metres. Errors of a stream stay
   with it; other failures leave the reason in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/spool.h"
#include "io/file/whole_file.h"
#include "io/write/writer.h"

#include <sys/types.h>

static const rn_axes upright = {.per_metre = 1.0f, .y_up = true};

/* A mesh in the binary chunk of a file. */
typedef struct piece {
    uint32_t vertices, triangles;
    bool normals, colours, velocities; /* colours: or opacity */
    float low[3], high[3];             /* m, box around its vertices, y up */
    int material;                      /* -1: none */
    int frame;                         /* in which it first appears */
    float appears, vanishes;           /* s, in the animation; it stays to the end if `vanishes` is before `appears` */
} piece;

typedef struct gltf {
    const rn_material *materials[3];
    int material_count;
    piece *pieces;
    size_t count, capacity;
    bool animated;
} gltf;

/* Returns the piece of a mesh: its sizes and attributes, without its box, material and times. */
static piece layout_of(const rn_mesh *mesh) {
    return (piece){.vertices = mesh->vertex_count,
                   .triangles = mesh->triangle_count,
                   .normals = mesh->normals != NULL,
                   .colours = mesh->opacity || mesh->colours,
                   .velocities = mesh->velocities != NULL,
                   .vanishes = -1.0f};
}

/* Returns the piece of a mesh, with its box in the file's axes, without material and times. */
static piece piece_of(const rn_mesh *mesh) {
    piece p = layout_of(mesh);
    rn_mesh_box(mesh, &upright, p.low, p.high);
    return p;
}

/* Returns the number of bytes of a piece's arrays in the binary chunk. */
static uint64_t piece_bytes(const piece *p) {
    const uint64_t each = 12u + (p->normals ? 12u : 0u) + (p->colours ? 16u : 0u) + (p->velocities ? 12u : 0u);
    return p->vertices * each + 12 * (uint64_t)p->triangles;
}

/* Whether a file with this many bytes of data and pieces stays below 4 GiB: lengths in a GLB have 32 bits. A piece
   has less than 2000 bytes of JSON and keys. */
static bool fits_below_4_gib(uint64_t bytes, size_t pieces) {
    return bytes + 2000 * (uint64_t)(pieces + 1) < UINT32_MAX;
}

/* Writes the arrays of a mesh, in the order of write_views. Colour and opacity share an array; the one that is missing
   is white or opaque. */
static void write_data(FILE *stream, const rn_mesh *mesh) {
    rn_out out = {.stream = stream};
    rn_out_vectors(&out, &upright, 1.0f, mesh->positions, mesh->vertex_count);
    if (mesh->normals) rn_out_vectors(&out, &upright, 1.0f, mesh->normals, mesh->vertex_count);
    for (size_t v = 0; (mesh->opacity || mesh->colours) && v < mesh->vertex_count; v++) {
        static const float white[3] = {1.0f, 1.0f, 1.0f};
        rn_out_words(&out, mesh->colours ? mesh->colours + 3 * v : white, 3);
        rn_out_words(&out, mesh->opacity ? mesh->opacity + v : white, 1);
    }
    if (mesh->velocities) rn_out_vectors(&out, &upright, 1.0f, mesh->velocities, mesh->vertex_count);
    rn_out_words(&out, mesh->indices, 3 * (size_t)mesh->triangle_count);
    rn_out_flush(&out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* Returns the number of accessors of a piece, each with its own view: indices are the last. */
static int count_accessors(const piece *p) { return 2 + p->normals + p->colours + p->velocities; }

/* Returns the number of accessors of all pieces; those of the animation follow them. */
static int count_all_accessors(const gltf *g) {
    int count = 0;
    for (size_t i = 0; i < g->count; i++) count += count_accessors(&g->pieces[i]);
    return count;
}

/* Fills in times (s) and scales of a piece's animation: 0 at the start unless it appears then, 1 when it appears, 0
   when it vanishes. Returns the number of keys, 1 to 3. */
static int make_keys(const piece *p, float times[3], float shown[3]) {
    int keys = 0;
    if (p->appears > 0) times[keys] = shown[keys] = 0, keys++;
    times[keys] = p->appears, shown[keys] = 1, keys++;
    if (p->vanishes > p->appears) times[keys] = p->vanishes, shown[keys] = 0, keys++;
    return keys;
}

/* Writes a node for each piece (one empty node if there are none), and the scene of all of them. Without animation the
   last frame is shown: pieces that it lacks have scale 0. */
static void write_nodes(FILE *stream, const gltf *g) {
    fputs("\"nodes\":[", stream);
    for (size_t i = 0; i < g->count; i++) {
        const piece *p = &g->pieces[i];
        const char *name = p->material >= 0 ? g->materials[p->material]->name : "mesh";
        fprintf(stream, "%s{\"name\":\"%s", i ? "," : "", name);
        if (g->animated) fprintf(stream, "-%04d", p->frame);
        fprintf(stream, "\",\"mesh\":%zu", i);
        if (p->vanishes > p->appears) fputs(",\"scale\":[0,0,0]", stream); /* not in the last frame */
        fputs("}", stream);
    }
    if (g->count == 0) fputs("{\"name\":\"empty\"}", stream);
    fputs("],\"scenes\":[{\"nodes\":[", stream);
    for (size_t i = 0; i < g->count || i == 0; i++) fprintf(stream, "%s%zu", i ? "," : "", i);
    fputs("]}],\"scene\":0", stream);
}

/* Writes a mesh for each piece, with its accessors in the order of write_views. */
static void write_meshes(FILE *stream, const gltf *g) {
    int accessor = 0;
    fputs(",\"meshes\":[", stream);
    for (size_t i = 0; i < g->count; i++) {
        const piece *p = &g->pieces[i];
        fprintf(stream, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d", i ? "," : "", accessor++);
        if (p->normals) fprintf(stream, ",\"NORMAL\":%d", accessor++);
        if (p->colours) fprintf(stream, ",\"COLOR_0\":%d", accessor++);
        if (p->velocities) fprintf(stream, ",\"_VELOCITY\":%d", accessor++);
        fprintf(stream, "},\"indices\":%d", accessor++);
        if (p->material >= 0) fprintf(stream, ",\"material\":%d", p->material);
        fputs("}]}", stream);
    }
    fputs("]", stream);
}

/* Writes the materials; nothing if there are none. */
static void write_materials(FILE *stream, const gltf *g) {
    if (g->material_count == 0) return;
    fputs(",\"extensionsUsed\":[\"KHR_materials_ior\"],\"materials\":[", stream);
    for (int i = 0; i < g->material_count; i++) {
        const rn_material *m = g->materials[i];
        fprintf(stream, "%s{\"name\":\"%s\",\"pbrMetallicRoughness\":{\"baseColorFactor\":", i ? "," : "", m->name);
        rn_print_floats(stream, "[", m->colour, 3, ",", ",1],");
        rn_print_floats(stream, "\"metallicFactor\":", &m->metal, 1, "", ",");
        rn_print_floats(stream, "\"roughnessFactor\":", &m->roughness, 1, "", "},");
        rn_print_floats(stream, "\"extensions\":{\"KHR_materials_ior\":{\"ior\":", &m->refraction, 1, "", "}}");
        if (m->clear) fputs(",\"alphaMode\":\"BLEND\",\"doubleSided\":true", stream);
        fputs("}", stream);
    }
    fputs("]", stream);
}

/* An accessor and its view of the buffer: `count` elements of a type in `bytes` bytes. */
typedef struct view {
    const char *type;
    int component, target; /* target 0: none */
    uint64_t count, bytes;
    const float *low, *high; /* NULL: not written */
    int sizes;               /* numbers in low and high */
} view;

/* Writes one accessor, or with as_view its view, which has the same number. Moves *offset (bytes) and *number on past
   it. */
static void write_view(FILE *stream, bool as_view, uint64_t *offset, int *number, const view *v) {
    if (*number > 0) fputs(",", stream);
    if (as_view) {
        fprintf(stream, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", (unsigned long long)*offset,
                (unsigned long long)v->bytes);
        if (v->target) fprintf(stream, ",\"target\":%d", v->target);
    } else {
        fprintf(stream, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%llu,\"type\":\"%s\"", *number, v->component,
                (unsigned long long)v->count, v->type);
        if (v->low) rn_print_floats(stream, ",\"min\":[", v->low, v->sizes, ",", "]");
        if (v->low) rn_print_floats(stream, ",\"max\":[", v->high, v->sizes, ",", "]");
    }
    fputs("}", stream);
    *offset += v->bytes;
    (*number)++;
}

enum { FLOATS = 5126, UNSIGNED = 5125, VERTICES = 34962, INDICES = 34963 };

/* Writes all accessors, or with as_views all their views and the buffer: of each piece, then of the animation. */
static void write_views(FILE *stream, const gltf *g, bool as_views) {
    uint64_t offset = 0;
    int number = 0;
    fputs(as_views ? ",\"bufferViews\":[" : ",\"accessors\":[", stream);
    for (size_t i = 0; i < g->count; i++) {
        const piece *p = &g->pieces[i];
        const view vectors = {"VEC3", FLOATS, VERTICES, p->vertices, 12 * (uint64_t)p->vertices, NULL, NULL, 0};
        view places = vectors, colours = vectors, indices = {"SCALAR", UNSIGNED, INDICES, 0, 0, NULL, NULL, 0};
        places.low = p->low, places.high = p->high, places.sizes = 3;
        colours.type = "VEC4", colours.bytes = 16 * (uint64_t)p->vertices;
        indices.count = 3 * (uint64_t)p->triangles, indices.bytes = 12 * (uint64_t)p->triangles;
        write_view(stream, as_views, &offset, &number, &places);
        if (p->normals) write_view(stream, as_views, &offset, &number, &vectors);
        if (p->colours) write_view(stream, as_views, &offset, &number, &colours);
        if (p->velocities) write_view(stream, as_views, &offset, &number, &vectors);
        write_view(stream, as_views, &offset, &number, &indices);
    }
    for (size_t i = 0; g->animated && i < g->count; i++) {
        float times[3], shown[3];
        const uint64_t keys = (uint64_t)make_keys(&g->pieces[i], times, shown);
        const view input = {"SCALAR", FLOATS, 0, keys, 4 * keys, times, times + keys - 1, 1};
        const view output = {"VEC3", FLOATS, 0, keys, 12 * keys, NULL, NULL, 0};
        write_view(stream, as_views, &offset, &number, &input);
        write_view(stream, as_views, &offset, &number, &output);
    }
    fputs("]", stream);
    if (as_views) fprintf(stream, ",\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)offset);
}

/* Writes the animation that shows each piece at its time. */
static void write_animation(FILE *stream, const gltf *g) {
    const int first = count_all_accessors(g);
    fputs(",\"animations\":[{\"name\":\"run\",\"samplers\":[", stream);
    for (size_t i = 0; i < g->count; i++)
        fprintf(stream, "%s{\"input\":%d,\"interpolation\":\"STEP\",\"output\":%d}", i ? "," : "", first + 2 * (int)i,
                first + 2 * (int)i + 1);
    fputs("],\"channels\":[", stream);
    for (size_t i = 0; i < g->count; i++)
        fprintf(stream, "%s{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"scale\"}}", i ? "," : "", i, i);
    fputs("]}]", stream);
}

/* Writes the whole JSON chunk, without its head and padding. */
static void write_json(FILE *stream, const gltf *g) {
    fprintf(stream, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"runnel %s\"},", rn_version());
    write_nodes(stream, g);
    if (g->count > 0) {
        write_meshes(stream, g);
        write_materials(stream, g);
        write_views(stream, g, false);
        write_views(stream, g, true);
        if (g->animated) write_animation(stream, g);
    }
    fputs("}", stream);
}

/* Writes the keys of the animation, after all pieces in the binary chunk; nothing if it is not animated. */
static void write_keys(FILE *stream, const gltf *g) {
    rn_out out = {.stream = stream};
    for (size_t i = 0; g->animated && i < g->count; i++) {
        float times[3], shown[3];
        const int keys = make_keys(&g->pieces[i], times, shown);
        rn_out_words(&out, times, (size_t)keys);
        for (int k = 0; k < keys; k++) rn_out_words(&out, (float[]){shown[k], shown[k], shown[k]}, 3);
    }
    rn_out_flush(&out);
}

/* ---- GLB: a header and two chunks, whose lengths are filled in when they are known ------------------------------- */

enum { HEADER = 12, CHUNK = 8 };

/* Writes `count` 32-bit words to a stream, little-endian. */
static void put_words(FILE *stream, const uint32_t *words, size_t count) {
    rn_out out = {.stream = stream};
    rn_out_words(&out, words, count);
    rn_out_flush(&out);
}

/* Returns the position of the stream (bytes). No file is longer than a header can express, see fits_below_4_gib. */
static uint32_t position_of(FILE *stream) { return (uint32_t)ftello(stream); }

/* Writes the header, the JSON and the head of the binary chunk (none without pieces), so that data can follow. The
   lengths of chunk and file are still 0. */
static void begin_glb(FILE *stream, const gltf *g) {
    put_words(stream, (uint32_t[]){0x46546C67, 2, 0, 0, 0x4E4F534A}, 5);
    write_json(stream, g);
    while (position_of(stream) % 4 != 0) fputc(' ', stream);
    const uint32_t end = position_of(stream);
    fseeko(stream, HEADER, SEEK_SET);
    put_words(stream, (uint32_t[]){end - HEADER - CHUNK}, 1);
    fseeko(stream, 0, SEEK_END);
    if (g->count > 0) put_words(stream, (uint32_t[]){0, 0x004E4942}, 2);
}

/* Fills in the lengths of the binary chunk and the file once all data is written; `data` is where it begins (bytes).
   Leaves the stream in the header. */
static void end_glb(FILE *stream, const gltf *g, uint32_t data) {
    const uint32_t end = position_of(stream);
    if (g->count > 0) {
        fseeko(stream, (off_t)data - CHUNK, SEEK_SET);
        put_words(stream, (uint32_t[]){end - data}, 1);
    }
    fseeko(stream, 8, SEEK_SET);
    put_words(stream, (uint32_t[]){end}, 1);
}

/* Whether a mesh alone fits into one file of less than 4 GiB. */
static bool fits_glb(const rn_mesh *mesh) {
    const piece only = layout_of(mesh);
    return fits_below_4_gib(piece_bytes(&only), 1);
}

/* Writes a file with one mesh, in m with y up whatever the axes of the style; an empty mesh has no pieces. */
static void write_glb(FILE *stream, const rn_mesh *mesh, const rn_mesh_style *style) {
    piece only = piece_of(mesh);
    only.material = style->material ? 0 : -1;
    const gltf g = {.pieces = &only,
                    .count = mesh->triangle_count > 0,
                    .materials = {style->material},
                    .material_count = style->material != NULL};
    begin_glb(stream, &g);
    const uint32_t data = position_of(stream);
    if (g.count > 0) write_data(stream, mesh);
    end_glb(stream, &g, data);
}

/* ---- A run ----------------------------------------------------------------------------------------------------- */

enum { LIQUID, GROUND, BODIES, LOOKS };

typedef struct run {
    gltf gltf;
    rn_spool spool;
    char path[RN_EXPORT_PATH];
    int frames, written;   /* in total; in the file as written */
    double start;          /* s */
    ptrdiff_t last[LOOKS]; /* the liquid, ground and bodies shown now; -1: none */
} run;

/* Opens a run, as rn_export_writer.open: its data is collected in a spool. The file itself is first written with the
   first frame. On failure returns RN_FILE or RN_MEMORY. */
static rn_result open_run(const rn_export_job *job, void **state) {
    run *r = rn_alloc(&job->def.hooks, 1, sizeof *r);
    if (!r) return RN_MEMORY;
    r->gltf.materials[LIQUID] = &job->liquid;
    r->gltf.materials[GROUND] = &job->ground;
    r->gltf.materials[BODIES] = &job->bodies;
    r->gltf.material_count = BODIES; /* unless there are some */
    r->gltf.animated = true;
    for (int i = 0; i < LOOKS; i++) r->last[i] = -1;
    rn_result result = rn_export_path(job, "run", job->def.first_frame, "glb", r->path);
    if (result == RN_OK) result = rn_spool_open(&r->spool, r->path);
    if (result == RN_OK) *state = r;
    else rn_free(&job->def.hooks, r);
    return result;
}

/* Writes the file with all frames so far, in place of the one before, and sets r->written. Returns RN_FILE on failure;
   then the previous file stays. */
static rn_result write_run(run *r) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, r->path);
    if (result != RN_OK) return result;
    begin_glb(file.stream, &r->gltf);
    const uint32_t data = position_of(file.stream);
    result = rn_spool_copy(&r->spool, 0, r->spool.bytes, file.stream);
    write_keys(file.stream, &r->gltf);
    end_glb(file.stream, &r->gltf, data);
    if (result != RN_OK) rn_whole_file_drop(&file);
    else result = rn_whole_file_keep(&file);
    if (result == RN_OK) r->written = r->frames;
    return result;
}

/* Returns RN_LIMIT if the file would have 4 GiB or more with this piece. */
static rn_result check_room(const run *r, const piece *p) {
    if (fits_below_4_gib(r->spool.bytes + piece_bytes(p), r->gltf.count + 1)) return RN_OK;
    return rn_fail(RN_LIMIT,
                   "%s: a file of this kind can hold 4 GiB at most, and these are used up; export fewer frames, or glb",
                   r->path);
}

/* Adds a mesh that is shown from `time` (s, from the first frame) on, in place of the last one of this material; an
   empty mesh only hides that. frame: number for its name. On failure returns RN_LIMIT, RN_FILE, RN_MEMORY, or
   RN_INVALID if the mesh is invalid. After a failure the last one stays shown. */
static rn_result add_mesh(const rn_export_job *job, run *r, const rn_mesh *mesh, int material, int frame, float time) {
    gltf *g = &r->gltf;
    rn_result result = rn_mesh_check(r->path, mesh);
    if (result != RN_OK) return result;
    piece p = piece_of(mesh);
    p.material = material;
    p.frame = frame;
    p.appears = time;
    if (mesh->triangle_count > 0) {
        result = check_room(r, &p);
        if (result == RN_OK) result = rn_spool_begin(&r->spool);
        if (result != RN_OK) return result;
        if (!rn_grow(&job->def.hooks, &g->pieces, &g->capacity, g->count, sizeof *g->pieces)) return RN_MEMORY;
        write_data(r->spool.stream, mesh);
        result = rn_spool_end(&r->spool);
        if (result != RN_OK) return result;
    }
    if (r->last[material] >= 0) g->pieces[r->last[material]].vanishes = time;
    r->last[material] = -1;
    if (mesh->triangle_count == 0) return RN_OK;
    r->last[material] = (ptrdiff_t)g->count;
    g->pieces[g->count++] = p;
    return RN_OK;
}

/* Adds the meshes of a frame (ground and bodies only if given), as rn_export_writer.add, and writes the file if that is
   due. After a failure the frame does not count, but some of its meshes may have been added. */
static rn_result add_frame(const rn_export_job *job, void *state, const rn_export_moment *moment) {
    run *r = state;
    const rn_export_frame *f = &moment->frame;
    if (r->frames == 0) r->start = f->time;
    const float time = (float)(f->time - r->start);
    rn_result result = f->ground ? add_mesh(job, r, f->ground, GROUND, f->number, time) : RN_OK;
    if (result == RN_OK) result = add_mesh(job, r, f->surface, LIQUID, f->number, time);
    if (f->bodies) r->gltf.material_count = LOOKS;
    if (result == RN_OK && f->bodies) result = add_mesh(job, r, f->bodies, BODIES, f->number, time);
    if (result != RN_OK) return result;
    r->frames++;
    return rn_export_is_due(r->frames, r->written, 1) ? write_run(r) : RN_OK;
}

/* Closes a run, as rn_export_writer.close: writes the file if it lacks frames, and frees the run, also if writing fails
   (RN_FILE). */
static rn_result close_run(const rn_export_job *job, void *state) {
    run *r = state;
    const rn_result result = r->frames > r->written ? write_run(r) : RN_OK;
    rn_spool_close(&r->spool);
    rn_free(&job->def.hooks, r->gltf.pieces);
    rn_free(&job->def.hooks, r);
    return result;
}

const rn_export_writer rn_writer_glb = {
    .kind = {.name = "glb",
             .about = "binary glTF, a file for each mesh: normals, materials, colours, opacity, velocities; y up",
             .files = "surface-#.glb terrain-#.glb bodies-#.glb",
             .needs = RN_EXPORT_MESHES},
    .mesh_ending = "glb",
    .fits = fits_glb,
    .write_mesh = write_glb,
};

const rn_export_writer rn_writer_gltf = {
    .kind = {.name = "gltf",
             .about = "binary glTF, one file that plays the run",
             .files = "run-#.glb",
             .needs = RN_EXPORT_MESHES},
    .open = open_run,
    .add = add_frame,
    .close = close_run,
};
