/* Writes USD as text: one file with time samples of the liquid, the ground and bodies. A time code is the number of a
   frame.

   USD requires all samples of an attribute together, but frames come one by one: arrays are collected in a spool.
   Errors of a stream stay with it; other failures leave the reason in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/spool.h"
#include "io/file/whole_file.h"
#include "io/write/writer.h"

#include <math.h>
#include <string.h>

typedef enum attribute { POINTS, COUNTS, INDICES, EXTENT, NORMALS, VELOCITIES, OPACITY, COLOURS, ATTRIBUTES } attribute;

static const struct {
    const char *name, *metadata;
} attributes[ATTRIBUTES] = {
    [POINTS] = {"point3f[] points", ""},
    [COUNTS] = {"int[] faceVertexCounts", ""},
    [INDICES] = {"int[] faceVertexIndices", ""},
    [EXTENT] = {"float3[] extent", ""},
    [NORMALS] = {"normal3f[] normals", " (\n            interpolation = \"vertex\"\n        )"},
    [VELOCITIES] = {"vector3f[] velocities", ""},
    [OPACITY] = {"float[] primvars:displayOpacity", " (\n            interpolation = \"vertex\"\n        )"},
    [COLOURS] = {"color3f[] primvars:displayColor", " (\n            interpolation = \"vertex\"\n        )"},
};

static const rn_axes as_they_are = {.per_metre = 1.0f}; /* colours are not converted */

/* A value of an attribute at one time code: where its text lies in the spool (bytes). */
typedef struct sample {
    int code;
    uint64_t from, length;
} sample;

/* All samples of an attribute of a mesh, in order of time. */
typedef struct track {
    sample *samples;
    size_t count, capacity;
} track;

enum { LIQUID, GROUND, BODIES, MESHES };

typedef struct usda {
    track tracks[MESHES][ATTRIBUTES];
    rn_spool spool;
    char path[RN_EXPORT_PATH];
    int frames, written; /* in total; in the file as written */
    int first, last;     /* numbers of frames */
} usda;

/* ---- Arrays as text -------------------------------------------------------------------------------------------- */

/* Prints a list of vectors, converted to the axes of the file and multiplied by `scale`. */
static void print_vectors(FILE *stream, const rn_axes *axes, float scale, const float *vectors, size_t count) {
    fputs("[", stream);
    for (size_t i = 0; i < count; i++) {
        float v[3];
        rn_axes_turn(axes, scale, vectors + 3 * i, v);
        rn_print_floats(stream, i ? ",(" : "(", v, 3, ",", ")");
    }
    fputs("]", stream);
}

/* Prints one attribute of a mesh, which must have it, as a list, in the unit and axes of the export. */
static void print_array(FILE *stream, const rn_export_job *job, attribute which, const rn_mesh *m) {
    const rn_axes *axes = &job->axes;
    float box[6] = {0};
    switch (which) {
    case POINTS: print_vectors(stream, axes, axes->per_metre, m->positions, m->vertex_count); break;
    case NORMALS: print_vectors(stream, axes, 1.0f, m->normals, m->vertex_count); break;
    case VELOCITIES: print_vectors(stream, axes, axes->per_metre, m->velocities, m->vertex_count); break;
    case COLOURS: print_vectors(stream, &as_they_are, 1.0f, m->colours, m->vertex_count); break;
    case OPACITY:
        fputs("[", stream);
        for (size_t i = 0; i < m->vertex_count; i++) rn_print_floats(stream, i ? "," : "", m->opacity + i, 1, "", "");
        fputs("]", stream);
        break;
    case COUNTS:
        fputs("[", stream);
        for (size_t i = 0; i < m->triangle_count; i++) fputs(i ? ",3" : "3", stream);
        fputs("]", stream);
        break;
    case INDICES:
        fputs("[", stream);
        for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++)
            fprintf(stream, i ? ",%u" : "%u", (unsigned)m->indices[i]);
        fputs("]", stream);
        break;
    case EXTENT:
        rn_mesh_box(m, axes, box, box + 3);
        rn_print_floats(stream, "[(", box, 3, ",", "),");
        rn_print_floats(stream, "(", box + 3, 3, ",", ")]");
        break;
    case ATTRIBUTES: break;
    }
}

/* Whether a mesh has an attribute; positions, triangles and extent it always has. */
static bool has_attribute(const rn_mesh *mesh, attribute which) {
    return which == NORMALS      ? mesh->normals != NULL
           : which == VELOCITIES ? mesh->velocities != NULL
           : which == OPACITY    ? mesh->opacity != NULL
           : which == COLOURS    ? mesh->colours != NULL
                                 : true;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

/* Opens a run, as rn_export_writer.open: arrays are collected in a spool. The file itself is first written with the
   first frame. On failure returns RN_FILE or RN_MEMORY. */
static rn_result open_usda(const rn_export_job *job, void **state) {
    usda *u = rn_alloc(&job->def.hooks, 1, sizeof *u);
    if (!u) return RN_MEMORY;
    rn_result result = rn_export_path(job, "run", job->def.first_frame, "usda", u->path);
    if (result == RN_OK) result = rn_spool_open(&u->spool, u->path);
    if (result == RN_OK) *state = u;
    else rn_free(&job->def.hooks, u);
    return result;
}

/* Makes room for one more sample of a track. Returns false, with an error text, if memory runs out. */
static bool make_room(const rn_export_job *job, track *t) {
    return rn_grow(&job->def.hooks, &t->samples, &t->capacity, t->count, sizeof *t->samples);
}

/* Repeats the last sample of each attribute of a mesh (LIQUID, ...) at the last frame, if it is older, so that it holds
   until then: readers interpolate between samples with equally many values. Returns RN_MEMORY if memory runs out. */
static rn_result hold_last_sample(const rn_export_job *job, usda *u, int mesh) {
    for (int a = 0; a < ATTRIBUTES; a++) {
        track *t = &u->tracks[mesh][a];
        if (t->count == 0 || t->samples[t->count - 1].code >= u->last) continue;
        if (!make_room(job, t)) return RN_MEMORY;
        t->samples[t->count] = t->samples[t->count - 1];
        t->samples[t->count++].code = u->last;
    }
    return RN_OK;
}

/* Spools all attributes of a mesh (which: LIQUID, ...), as samples at the time code `code`. On failure returns RN_FILE,
   RN_MEMORY, RN_INVALID if the mesh is invalid, or RN_LIMIT if it is too large. After a failure nothing is added,
   except that older samples may have been repeated. */
static rn_result add_mesh(const rn_export_job *job, usda *u, int which, const rn_mesh *mesh, int code) {
    rn_result result = rn_mesh_check(u->path, mesh);
    if (result == RN_OK) result = hold_last_sample(job, u, which);
    if (result == RN_OK) result = rn_spool_begin(&u->spool);
    if (result != RN_OK) return result;
    sample added[ATTRIBUTES] = {{0}};
    for (int a = 0; a < ATTRIBUTES; a++) {
        if (!has_attribute(mesh, (attribute)a)) continue;
        if (!make_room(job, &u->tracks[which][a])) return RN_MEMORY;
        added[a] = (sample){.code = code, .from = rn_spool_place(&u->spool)};
        print_array(u->spool.stream, job, (attribute)a, mesh);
        added[a].length = rn_spool_place(&u->spool) - added[a].from;
    }
    result = rn_spool_end(&u->spool);
    if (result != RN_OK) return result;
    for (int a = 0; a < ATTRIBUTES; a++)
        if (added[a].length > 0) u->tracks[which][a].samples[u->tracks[which][a].count++] = added[a];
    return RN_OK;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

/* Prints text between three quotes, without its own quotes and backslashes, which would end it. */
static void print_text(FILE *stream, const char *text) {
    fputs("\"\"\"", stream);
    for (; *text; text++)
        if (*text != '"' && *text != '\\') fputc(*text, stream);
    fputs("\"\"\"", stream);
}

/* Prints the head of the file: title, times, unit, axes; and opens the prim that holds everything. */
static void print_head(FILE *stream, const rn_export_job *job, const usda *u) {
    char rate[RN_FLOAT_TEXT], unit[RN_FLOAT_TEXT];
    rn_double_text(1 / job->def.frame_time, rate);
    fputs("#usda 1.0\n(\n    defaultPrim = \"run\"\n", stream);
    if (job->def.title) {
        fputs("    doc = ", stream);
        print_text(stream, job->def.title);
        fputs("\n", stream);
    }
    fprintf(stream, "    startTimeCode = %d\n    endTimeCode = %d\n", u->first, u->last);
    fprintf(stream, "    timeCodesPerSecond = %s\n    framesPerSecond = %s\n    metersPerUnit = %s\n", rate, rate,
            rn_double_text(job->def.unit, unit));
    fprintf(stream, "    upAxis = \"%c\"\n)\n\ndef Xform \"run\"\n{\n", job->axes.y_up ? 'Y' : 'Z');
}

/* Prints all time samples of attribute a from the spool; nothing if there are none. Returns RN_FILE if the spool cannot
   be read. */
static rn_result print_track(FILE *stream, usda *u, const track *t, int a) {
    if (t->count == 0) return RN_OK;
    fprintf(stream, "        %s.timeSamples = {\n", attributes[a].name);
    for (size_t i = 0; i < t->count; i++) {
        fprintf(stream, "            %d: ", t->samples[i].code);
        const rn_result result = rn_spool_copy(&u->spool, t->samples[i].from, t->samples[i].length, stream);
        if (result != RN_OK) return result;
        fputs(",\n", stream);
    }
    fputs("        }\n", stream);
    return RN_OK;
}

/* Prints a mesh (which: LIQUID, ...) with its material and all its attributes, also if it has no samples. Returns
   RN_FILE as print_track does. */
static rn_result print_mesh(FILE *stream, usda *u, int which, const rn_material *material) {
    fprintf(stream,
            "    def Mesh \"%s\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n"
            "        uniform token subdivisionScheme = \"none\"\n        uniform token orientation = \"rightHanded\"\n"
            "        uniform bool doubleSided = %d\n        rel material:binding = </run/materials/%s>\n",
            material->name, material->clear, material->name);
    if (!material->tinted)
        rn_print_floats(stream, "        color3f[] primvars:displayColor = [(", material->colour, 3, ", ", ")]\n");
    rn_result result = RN_OK;
    for (int a = 0; a < ATTRIBUTES && result == RN_OK; a++) {
        const track *t = &u->tracks[which][a];
        if (t->count > 0 && *attributes[a].metadata)
            fprintf(stream, "        %s%s\n", attributes[a].name, attributes[a].metadata);
        result = print_track(stream, u, t, a);
    }
    fputs("    }\n\n", stream);
    return result;
}

/* Prints a material with its UsdPreviewSurface shader; tinted and clear ones also read colours or opacity of
   vertices. */
static void print_material(FILE *stream, const rn_material *m) {
    fprintf(stream,
            "        def Material \"%s\"\n        {\n"
            "            token outputs:surface.connect = </run/materials/%s/surface.outputs:surface>\n\n"
            "            def Shader \"surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n",
            m->name, m->name);
    if (m->tinted)
        fprintf(stream,
                "                color3f inputs:diffuseColor.connect = </run/materials/%s/colour.outputs:result>\n",
                m->name);
    else rn_print_floats(stream, "                color3f inputs:diffuseColor = (", m->colour, 3, ", ", ")\n");
    rn_print_floats(stream, "                float inputs:roughness = ", &m->roughness, 1, "", "\n");
    rn_print_floats(stream, "                float inputs:metallic = ", &m->metal, 1, "", "\n");
    rn_print_floats(stream, "                float inputs:ior = ", &m->refraction, 1, "", "\n");
    if (m->clear)
        fprintf(stream, "                float inputs:opacity.connect = </run/materials/%s/opacity.outputs:result>\n",
                m->name);
    fputs("                token outputs:surface\n            }\n", stream);
    if (m->tinted)
        fputs("\n            def Shader \"colour\"\n            {\n"
              "                uniform token info:id = \"UsdPrimvarReader_float3\"\n"
              "                string inputs:varname = \"displayColor\"\n"
              "                float3 outputs:result\n            }\n",
              stream);
    if (m->clear)
        fputs("\n            def Shader \"opacity\"\n            {\n"
              "                uniform token info:id = \"UsdPrimvarReader_float\"\n"
              "                float inputs:fallback = 1\n"
              "                string inputs:varname = \"displayOpacity\"\n"
              "                float outputs:result\n            }\n",
              stream);
    fputs("        }\n", stream);
}

/* Writes the file with all frames so far, in place of the one before, and sets u->written. Returns RN_FILE on failure;
   then the previous file stays. */
static rn_result write_usda(const rn_export_job *job, usda *u) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, u->path);
    if (result != RN_OK) return result;
    print_head(file.stream, job, u);
    result = print_mesh(file.stream, u, LIQUID, &job->liquid);
    if (result == RN_OK) result = print_mesh(file.stream, u, GROUND, &job->ground);
    const bool bodies = u->tracks[BODIES][POINTS].count > 0;
    if (result == RN_OK && bodies) result = print_mesh(file.stream, u, BODIES, &job->bodies);
    fputs("    def Scope \"materials\"\n    {\n", file.stream);
    print_material(file.stream, &job->liquid);
    fputs("\n", file.stream);
    print_material(file.stream, &job->ground);
    if (bodies) {
        fputs("\n", file.stream);
        print_material(file.stream, &job->bodies);
    }
    fputs("    }\n}\n", file.stream);
    if (result != RN_OK) rn_whole_file_drop(&file);
    else result = rn_whole_file_keep(&file);
    if (result == RN_OK) u->written = u->frames;
    return result;
}

/* Adds the meshes of a frame (ground and bodies only if given), as rn_export_writer.add, and writes the file if that is
   due. After a failure the frame does not count, but some of its meshes may have been added. */
static rn_result add_frame(const rn_export_job *job, void *state, const rn_export_moment *moment) {
    usda *u = state;
    const rn_export_frame *f = &moment->frame;
    rn_result result = f->ground ? add_mesh(job, u, GROUND, f->ground, f->number) : RN_OK;
    if (result == RN_OK) result = add_mesh(job, u, LIQUID, f->surface, f->number);
    if (result == RN_OK && f->bodies) result = add_mesh(job, u, BODIES, f->bodies, f->number);
    if (result != RN_OK) return result;
    if (u->frames++ == 0) u->first = f->number;
    u->last = f->number;
    return rn_export_is_due(u->frames, u->written, 1) ? write_usda(job, u) : RN_OK;
}

/* Closes a run, as rn_export_writer.close: writes the file if it lacks frames, and frees the state, also if writing
   fails (RN_FILE). */
static rn_result close_usda(const rn_export_job *job, void *state) {
    usda *u = state;
    const rn_result result = u->frames > u->written ? write_usda(job, u) : RN_OK;
    rn_spool_close(&u->spool);
    for (int m = 0; m < MESHES; m++)
        for (int a = 0; a < ATTRIBUTES; a++) rn_free(&job->def.hooks, u->tracks[m][a].samples);
    rn_free(&job->def.hooks, u);
    return result;
}

const rn_export_writer rn_writer_usda = {
    .kind = {.name = "usda",
             .about = "USD, one text file with time samples: normals, materials, opacity, velocities",
             .files = "run-#.usda",
             .needs = RN_EXPORT_MESHES,
             .turns = true},
    .open = open_usda,
    .add = add_frame,
    .close = close_usda,
};
