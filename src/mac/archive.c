/* Saving and restoring the 3D liquid: its particles, its clock and, with markers, the velocity of its faces are the
   whole state. */
#include "base/error.h"
#include "mac/particles.h"
#include "mac/state.h"

#include <math.h>
#include <string.h>

/* What must be the same in both liquids, then what differs. */
typedef struct saved_head {
    uint32_t mark, version;
    int32_t cells[3], transfer, count, fresh;
    double cell_size, time, last_dt;
} saved_head;

enum { MARK = 0x434d4e52, VERSION = 1 }; /* "RNMC" */

static saved_head head_of(const rn_mac *mac) {
    return (saved_head){.mark = MARK,
                        .version = VERSION,
                        .cells = {mac->grid.n[0], mac->grid.n[1], mac->grid.n[2]},
                        .transfer = (int32_t)mac->def.transfer,
                        .count = mac->particles.count,
                        .fresh = mac->fresh,
                        .cell_size = mac->def.cell_size,
                        .time = mac->time,
                        .last_dt = mac->last_dt};
}

/* Bytes of the faces of one component. */
static size_t face_bytes(const rn_mac *mac) {
    return mac->def.transfer == RN_MAC_MARKERS ? (size_t)mac->grid.cells * sizeof(float) : 0;
}

static size_t size_of(const rn_mac *mac, const saved_head *head) {
    const size_t particles = (size_t)mac->particles.values * (size_t)head->count * sizeof(float);
    return sizeof *head + particles + 3 * face_bytes(mac);
}

size_t rn_mac_saved_size(const rn_mac *mac) {
    const saved_head head = head_of(mac);
    return size_of(mac, &head);
}

void rn_mac_save(const rn_mac *mac, void *bytes) {
    const saved_head head = head_of(mac);
    const size_t length = (size_t)head.count * sizeof(float);
    unsigned char *to = bytes;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int v = 0; v < mac->particles.values; v++, to += length) memcpy(to, mac->particles.value[v], length);
    for (int a = 0; a < 3 && face_bytes(mac); a++, to += face_bytes(mac)) memcpy(to, mac->before[a], face_bytes(mac));
}

/* Whether so many numbers lie between two others. */
static bool are_within(const unsigned char *from, size_t count, float low, float high) {
    for (size_t n = 0; n < count; n++) {
        float value;
        memcpy(&value, from + n * sizeof value, sizeof value);
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
    if (head->transfer != own.transfer)
        return rn_fail(RN_FORMAT, "the saved 3D liquid has another transfer (APIC, FLIP or markers)");
    if (head->count < 0 || size != size_of(mac, head))
        return rn_fail(RN_FORMAT, "the saved 3D liquid is cut short or too long: %zu bytes", size);
    if (!(head->time >= 0.0 && head->time < 1e30 && head->last_dt >= 0.0 && head->last_dt < 1e30))
        return rn_fail(RN_FORMAT, "the saved 3D liquid has no valid time");
    return RN_OK;
}

static rn_result check_values(const rn_mac *mac, const saved_head *head, const unsigned char *from) {
    const size_t length = (size_t)head->count * sizeof(float);
    for (int v = 0; v < mac->particles.values; v++, from += length) {
        const bool place = v < RN_MAC_SPEED;
        const float high = place ? (float)mac->grid.n[v - RN_MAC_AT] : 1e30f;
        if (!are_within(from, (size_t)head->count, place ? 0.0f : -1e30f, high))
            return rn_fail(RN_FORMAT, "a particle of the saved 3D liquid is outside its box, or is no number");
    }
    if (!are_within(from, 3 * face_bytes(mac) / sizeof(float), -1e30f, 1e30f))
        return rn_fail(RN_FORMAT, "a velocity of the saved 3D liquid is no number");
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
    for (int v = 0; v < mac->particles.values; v++, from += length) memcpy(mac->particles.value[v], from, length);
    for (int a = 0; a < 3 && face_bytes(mac); a++, from += face_bytes(mac))
        memcpy(mac->before[a], from, face_bytes(mac));
    mac->fresh = head.fresh != 0;
    mac->particles.count = head.count;
    mac->time = head.time;
    mac->last_dt = head.last_dt;
    rn_mac_particles_sort(mac);
    return RN_OK;
}
