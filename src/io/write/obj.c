/* Writes OBJ, Wavefront's text format, with a library of materials beside it. */
#include "base/error.h"
#include "io/file/whole_file.h"
#include "io/write/writer.h"

#include <math.h>

static const char materials[] = "materials.mtl";

/* Prints a line for each position: x y z, then its colour, sRGB from 0 to 1, as most programs read it; no colour if
   there is neither one of the mesh nor of a material. */
static void print_positions(FILE *stream, const rn_mesh *mesh, const rn_mesh_style *style) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float *colour = mesh->colours ? mesh->colours + 3 * v : style->material ? style->material->colour : NULL;
        float line[3];
        rn_axes_turn(&style->axes, style->axes.per_metre, mesh->positions + 3 * v, line);
        rn_print_floats(stream, "v ", line, 3, " ", colour ? "" : "\n");
        if (!colour) continue;
        for (int i = 0; i < 3; i++) fprintf(stream, " %.3f", rn_srgb_byte(colour[i]) / 255.0);
        fputc('\n', stream);
    }
}

/* Prints a line for each vector: the word, then x y z, converted to the axes of the file and multiplied by `scale`. */
static void print_vectors(FILE *stream, const char *word, const rn_axes *axes, float scale, const float *vectors,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        float v[3];
        rn_axes_turn(axes, scale, vectors + 3 * i, v);
        rn_print_floats(stream, word, v, 3, " ", "\n");
    }
}

/* Writes one mesh: positions with colours, normals and triangles, whose indices begin at 1. Opacity and velocities are
   left out. */
static void write_obj(FILE *stream, const rn_mesh *mesh, const rn_mesh_style *style) {
    const rn_axes *axes = &style->axes;
    char unit[RN_FLOAT_TEXT];
    fprintf(stream, "# runnel %s; %s to a metre, %c up; %u vertices, %u triangles\n", rn_version(),
            rn_float_text(axes->per_metre, unit), axes->y_up ? 'y' : 'z', (unsigned)mesh->vertex_count,
            (unsigned)mesh->triangle_count);
    rn_print_origin(stream, "#", style);
    if (style->material) fprintf(stream, "mtllib %s\no %s\n", materials, style->material->name);
    print_positions(stream, mesh, style);
    if (mesh->normals) print_vectors(stream, "vn ", axes, 1.0f, mesh->normals, mesh->vertex_count);
    if (style->material) fprintf(stream, "usemtl %s\n", style->material->name);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const unsigned a = mesh->indices[3 * t] + 1, b = mesh->indices[3 * t + 1] + 1, c = mesh->indices[3 * t + 2] + 1;
        if (mesh->normals) fprintf(stream, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
        else fprintf(stream, "f %u %u %u\n", a, b, c);
    }
}

/* Prints a material, opaque. Phong's exponent follows from the roughness r as usual, 2/r^4 - 2, at most 1000. */
static void print_material(FILE *stream, const rn_material *m) {
    const float mirror = (m->refraction - 1) / (m->refraction + 1), shine = mirror * mirror;
    const float specular[3] = {shine, shine, shine};
    fprintf(stream, "newmtl %s\n", m->name);
    rn_print_floats(stream, "Kd ", m->colour, 3, " ", "\n");
    rn_print_floats(stream, "Ks ", m->metal > 0 ? m->colour : specular, 3, " ", "\n");
    rn_print_floats(stream, "Ns ", (float[]){fminf(2 / powf(m->roughness, 4) - 2, 1000)}, 1, "", "\n");
    rn_print_floats(stream, "Ni ", &m->refraction, 1, "", "\nd 1\nillum 2\n");
}

/* Writes the library of materials to the folder of the export, as rn_export_writer.open; there is no state. On failure
   returns RN_FILE, with a reason in rn_last_error(). */
static rn_result write_materials(const rn_export_job *job, void **state) {
    (void)state;
    char path[RN_EXPORT_PATH];
    if (snprintf(path, sizeof path, "%s/%s", job->def.folder, materials) >= (int)sizeof path)
        return rn_fail(RN_FILE, "%.60s...: the name is longer than %zu bytes", job->def.folder, sizeof path);
    rn_whole_file file;
    const rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    print_material(file.stream, &job->liquid);
    print_material(file.stream, &job->ground);
    print_material(file.stream, &job->bodies);
    return rn_whole_file_keep(&file);
}

const rn_export_writer rn_writer_obj = {
    .kind = {.name = "obj",
             .about = "meshes: normals, colours, materials; text",
             .files = "surface-#.obj terrain-#.obj bodies-#.obj materials.mtl",
             .needs = RN_EXPORT_MESHES,
             .turns = true},
    .y_up = true,
    .mesh_ending = "obj",
    .write_mesh = write_obj,
    .open = write_materials,
};
