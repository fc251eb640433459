/* Saving and restoring the 3D liquid: its particles and its clock are the whole state. */
#include "base/error.h"
#include "mac/particles.h"
#include "mac/state.h"

#include <math.h>
#include <string.h>

/* What must be the same in both liquids, then what differs. */
typedef struct saved_head {
    uint32_t mark, version;
    int32_t cells[3], values, count, reserved;
    double cell_size, time, last_dt;
} saved_head;

enum { MARK = 0x434d4e52, VERSION = 1 }; /* "RNMC" */

static saved_head head_of(const rn_mac *mac) {
    const rn_mac_particles *p = &mac->particles;
    return (saved_head){.mark = MARK,
                        .version = VERSION,
                        .cells = {mac->grid.n[0], mac->grid.n[1], mac->grid.n[2]},
                        .values = p->values,
                        .count = p->count,
                        .cell_size = mac->def.cell_size,
                        .time = mac->time,
                        .last_dt = mac->last_dt};
}

static size_t size_of(const saved_head *head) {
    return sizeof *head + (size_t)head->values * (size_t)head->count * sizeof(float);
}

size_t rn_mac_saved_size(const rn_mac *mac) {
    const saved_head head = head_of(mac);
    return size_of(&head);
}

void rn_mac_save(const rn_mac *mac, void *bytes) {
    const saved_head head = head_of(mac);
    const size_t length = (size_t)head.count * sizeof(float);
    unsigned char *to = bytes;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int v = 0; v < head.values; v++, to += length) memcpy(to, mac->particles.value[v], length);
}

/* Whether so many numbers lie between two others. */
static bool are_within(const unsigned char *from, int32_t count, float low, float high) {
    for (int32_t n = 0; n < count; n++) {
        float value;
        memcpy(&value, from + (size_t)n * sizeof value, sizeof value);
        if (!(value >= low && value < high)) return false;
    }
    return true;
}

static rn_result check_head(const rn_mac *mac, const saved_head *head, size_t size) {
    const saved_head own = head_of(mac);
    if (head->mark != MARK || head->version != VERSION)
        return rn_fail(RN_FORMAT, "this is no saved 3D liquid of version %d", VERSION);
    if (memcmp(head->cells, own.cells, sizeof own.cells) != 0 || head->cell_size != own.cell_size)
        return rn_fail(RN_FORMAT, "the saved 3D liquid has %d x %d x %d cells of %g m, this one %d x %d x %d of %g m",
                       head->cells[0], head->cells[1], head->cells[2], head->cell_size, own.cells[0], own.cells[1],
                       own.cells[2], own.cell_size);
    if (head->values != own.values)
        return rn_fail(RN_FORMAT, "the saved 3D liquid has particles of another transfer (APIC or FLIP)");
    if (head->count < 0 || size != size_of(head))
        return rn_fail(RN_FORMAT, "the saved 3D liquid is cut short or too long: %zu bytes", size);
    if (!(head->time >= 0.0 && head->time < 1e30 && head->last_dt >= 0.0 && head->last_dt < 1e30))
        return rn_fail(RN_FORMAT, "the saved 3D liquid has no valid time");
    return RN_OK;
}

static rn_result check_values(const rn_mac *mac, const saved_head *head, const unsigned char *from) {
    const size_t length = (size_t)head->count * sizeof(float);
    for (int v = 0; v < head->values; v++, from += length) {
        const bool place = v < RN_MAC_SPEED;
        const float high = place ? (float)mac->grid.n[v - RN_MAC_AT] : 1e30f;
        if (!are_within(from, head->count, place ? 0.0f : -1e30f, high))
            return rn_fail(RN_FORMAT, "a particle of the saved 3D liquid is outside its box, or is no number");
    }
    return RN_OK;
}

rn_result rn_mac_restore(rn_mac *mac, const void *bytes, size_t size) {
    saved_head head;
    if (size < sizeof head) return rn_fail(RN_FORMAT, "the saved 3D liquid is cut short: %zu bytes", size);
    memcpy(&head, bytes, sizeof head);
    const unsigned char *from = (const unsigned char *)bytes + sizeof head;
    rn_result result = check_head(mac, &head, size);
    if (result == RN_OK) result = check_values(mac, &head, from);
    if (result == RN_OK && head.count > mac->particles.count)
        result = rn_mac_particles_reserve(mac, head.count - mac->particles.count);
    if (result != RN_OK) return result;
    const size_t length = (size_t)head.count * sizeof(float);
    for (int v = 0; v < head.values; v++, from += length) memcpy(mac->particles.value[v], from, length);
    mac->particles.count = head.count;
    mac->time = head.time;
    mac->last_dt = head.last_dt;
    rn_mac_particles_sort(mac);
    return RN_OK;
}
