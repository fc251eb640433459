/* Prints what is read of a volume, for test_volumes.py.  usage: measure_volume FILE ISO|labels [LABEL...] */
#include "volume_files.h"

int main(int count, char **arguments) {
    if (count < 3) return fprintf(stderr, "usage: measure_volume FILE ISO|labels [LABEL...]\n"), 2;
    rn_volume_def def = rn_volume_default();
    int32_t labels[16];
    for (int i = 3; i < count && i < 19; i++) labels[def.label_count++] = (int32_t)atoi(arguments[i]);
    def.labels = labels;
    if (def.label_count == 0) def.iso = atof(arguments[2]);
    rn_mesh_file mesh;
    rn_volume_info info;
    rn_result result = rn_volume_read(arguments[1], &def, &mesh, &info);
    if (result != RN_OK) return fprintf(stderr, "%s\n", rn_last_error()), result == RN_UNSUPPORTED ? 77 : 1;
    const measures m = measure(&mesh);
    printf("{\"format\": \"%s\", \"unit\": %g, \"oriented\": %s, \"volumes\": %lld, \"volume\": %.9g, ", info.format,
           info.unit, info.oriented ? "true" : "false", (long long)info.volumes, m.volume);
    printf("\"centre\": [%.9g, %.9g, %.9g]}\n", m.centre[0], m.centre[1], m.centre[2]);
    rn_mesh_file_free(&mesh);
    return 0;
}
