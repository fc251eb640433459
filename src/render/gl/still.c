/* Finds where the picture of the ground has changed since it was kept (still.h). */
#include "render/gl/still.h"

#include "base/memory.h"

#include <string.h>

void rn_still_forget(rn_still *still) {
    still->kept = false;
    memset(&still->key, 0, sizeof still->key);
}

void rn_still_free(rn_still *still) {
    rn_free(NULL, still->triangles);
    rn_free(NULL, still->changed);
    rn_free(NULL, still->wet);
    rn_free(NULL, still->differs);
    memset(still, 0, sizeof *still);
}

rn_result rn_still_set_ground(rn_still *still, const uint32_t *triangles, size_t count, size_t vertex_count) {
    rn_still_free(still);
    still->triangles = rn_alloc(NULL, count, sizeof *still->triangles);
    still->changed = rn_alloc(NULL, count, sizeof *still->changed);
    still->wet = rn_alloc(NULL, vertex_count, 1);
    still->differs = rn_alloc(NULL, vertex_count, 1);
    if (!still->triangles || !still->changed || !still->wet || !still->differs) {
        rn_still_free(still);
        return RN_MEMORY;
    }
    memcpy(still->triangles, triangles, count * sizeof *triangles);
    still->vertex_count = vertex_count;
    return RN_OK;
}

void rn_still_keep(rn_still *still, uint8_t (*shades)[4]) {
    for (size_t v = 0; v < still->vertex_count; v++) still->wet[v] = shades[v][1];
    still->kept = true;
}

size_t rn_still_find_changes(rn_still *still, uint8_t (*shades)[4], size_t count) {
    size_t found = 0;
    bool any = false;
    for (size_t v = 0; v < still->vertex_count; v++) {
        still->differs[v] = still->wet[v] != shades[v][1];
        any |= still->differs[v];
        still->wet[v] = shades[v][1];
    }
    for (size_t i = 0; i + 2 < count && any; i += 3) {
        const uint32_t *t = still->triangles + i;
        if (!(still->differs[t[0]] | still->differs[t[1]] | still->differs[t[2]])) continue;
        memcpy(still->changed + found, t, 3 * sizeof *t);
        found += 3;
    }
    return found;
}
