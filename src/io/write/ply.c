/* Writes PLY, Stanford's polygons: binary, little-endian. */
#include "io/write/writer.h"

/* Writes one mesh: the header, then all attributes of each vertex, then the triangles. Positions and velocities are in
   the unit and axes of the style; colours, those of the material if the mesh has none, become sRGB bytes. */
static void write_ply(FILE *stream, const rn_mesh *mesh, const rn_mesh_style *style) {
    const rn_axes *axes = &style->axes;
    char unit[RN_FLOAT_TEXT];
    fprintf(stream, "ply\nformat binary_little_endian 1.0\ncomment runnel %s; ", rn_version());
    if (axes->per_metre == 1.0f) fputs("metres", stream);
    else fprintf(stream, "%s to a metre", rn_float_text(axes->per_metre, unit));
    fprintf(stream, ", %c up\n", axes->y_up ? 'y' : 'z');
    rn_print_origin(stream, "comment", style);
    fprintf(stream, "element vertex %u\nproperty float x\nproperty float y\nproperty float z\n",
            (unsigned)mesh->vertex_count);
    if (mesh->normals) fputs("property float nx\nproperty float ny\nproperty float nz\n", stream);
    if (mesh->opacity) fputs("property float opacity\n", stream);
    if (mesh->velocities) fputs("property float vx\nproperty float vy\nproperty float vz\n", stream);
    if (mesh->ids) fputs("property uint id\n", stream);
    const bool coloured = mesh->colours || style->material;
    if (coloured) fputs("property uchar red\nproperty uchar green\nproperty uchar blue\n", stream);
    fprintf(stream, "element face %u\nproperty list uchar int vertex_indices\nend_header\n",
            (unsigned)mesh->triangle_count);
    rn_out out = {.stream = stream};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        rn_out_vectors(&out, axes, axes->per_metre, mesh->positions + 3 * v, 1);
        if (mesh->normals) rn_out_vectors(&out, axes, 1.0f, mesh->normals + 3 * v, 1);
        if (mesh->opacity) rn_out_words(&out, mesh->opacity + v, 1);
        if (mesh->velocities) rn_out_vectors(&out, axes, axes->per_metre, mesh->velocities + 3 * v, 1);
        if (mesh->ids) rn_out_word(&out, mesh->ids[v]);
        const float *colour = mesh->colours ? mesh->colours + 3 * v : coloured ? style->material->colour : NULL;
        for (int c = 0; coloured && c < 3; c++) rn_out_byte(&out, rn_srgb_byte(colour[c])); /* as viewers expect */
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rn_out_byte(&out, 3);
        rn_out_words(&out, mesh->indices + 3 * t, 3);
    }
    rn_out_flush(&out);
}

const rn_export_writer rn_writer_ply = {
    .kind = {.name = "ply",
             .about = "meshes: normals, colours, opacity, velocities, ids; binary",
             .files = "surface-#.ply terrain-#.ply bodies-#.ply",
             .needs = RN_EXPORT_MESHES,
             .turns = true},
    .mesh_ending = "ply",
    .write_mesh = write_ply,
};
