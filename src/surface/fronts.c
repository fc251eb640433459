#include "surface/surface.h"

void rn_fronts_place(const rn_work *w, int32_t slot, int layer, float at[3]) {
    const rn_links *t = &w->t;
    float sum = 0.0f;
    int count = 0;
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = rn_links_joined(t, slot, layer, d);
        if (other < 0) continue;
        sum += w->z[other];
        count++;
    }
    at[0] = at[1] = 0.0f;
    at[2] = w->def->raw_boundaries ? t->base[slot] : sum / (float)count;
}
