/* Saving and restoring the 3D liquid. Its whole state is particles, clock, ledger, sources and, with markers, the
   velocity of its faces. */
#include "base/error.h"
#include "base/memory.h"
#include "mac/particles.h"
#include "mac/sources.h"
#include "mac/surface.h"
#include <string.h>

/* The header of a saved state. Mark, version, cells, transfer and cell_size must be those of the liquid that takes
   it. */
typedef struct saved_head {
    uint32_t mark, version;
    int32_t cells[3], transfer, count, fresh, sources, unused;
    double cell_size, time, last_dt;
    int64_t poured, drained, left;
} saved_head;

typedef struct saved_source {
    double position[3], velocity[3], radius, rate, owed;
    uint64_t serial, removed;
} saved_source;

enum { MARK = 0x434d4e52, VERSION = 2 }; /* "RNMC" */

/* The header of this liquid now. */
static saved_head head_of(const rn_mac *mac) {
    return (saved_head){.mark = MARK,
                        .version = VERSION,
                        .cells = {mac->grid.n[0], mac->grid.n[1], mac->grid.n[2]},
                        .transfer = (int32_t)mac->def.transfer,
                        .count = mac->particles.count,
                        .fresh = mac->fresh,
                        .sources = mac->sources.count,
                        .cell_size = mac->def.cell_size,
                        .time = mac->time,
                        .last_dt = mac->last_dt,
                        .poured = mac->tally.poured,
                        .drained = mac->tally.drained,
                        .left = mac->tally.left};
}

/* The saved bytes of the faces of one component; 0 unless the liquid has markers. */
static size_t face_bytes(const rn_mac *mac) {
    return mac->def.transfer == RN_MAC_MARKERS ? (size_t)mac->grid.cells * sizeof(float) : 0;
}

/* The bytes of a saved liquid with this header, whose counts must not be negative, and the transfer of `mac`. */
static uint64_t size_of(const rn_mac *mac, const saved_head *head) {
    const uint64_t particles = (uint64_t)mac->particles.values * (uint64_t)head->count * sizeof(float);
    return sizeof *head + (uint64_t)head->sources * sizeof(saved_source) + particles + 3 * (uint64_t)face_bytes(mac);
}

size_t rn_mac_saved_size(const rn_mac *mac) {
    const saved_head head = head_of(mac);
    return (size_t)size_of(mac, &head);
}

/* A source in the form in which it is saved. */
static saved_source source_to_save(const rn_mac_source *s) {
    const rn_mac_source_def *d = &s->def;
    return (saved_source){.position = {d->position.x, d->position.y, d->position.z},
                          .velocity = {d->velocity.x, d->velocity.y, d->velocity.z},
                          .radius = d->radius,
                          .rate = d->rate,
                          .owed = s->owed,
                          .serial = s->serial,
                          .removed = s->removed};
}

/* A source from its saved form: the reverse of source_to_save. A removed one has no definition, whatever was saved. */
static rn_mac_source saved_to_source(const saved_source *s) {
    if (s->removed) return (rn_mac_source){.removed = true};
    return (rn_mac_source){.def = {.position = {s->position[0], s->position[1], s->position[2]},
                                   .velocity = {s->velocity[0], s->velocity[1], s->velocity[2]},
                                   .radius = s->radius,
                                   .rate = s->rate},
                           .owed = s->owed,
                           .serial = s->serial};
}

/* The n-th saved source from `from` on. */
static saved_source source_at(const unsigned char *from, int n) {
    saved_source saved;
    memcpy(&saved, from + (size_t)n * sizeof saved, sizeof saved);
    return saved;
}

void rn_mac_save(const rn_mac *mac, void *bytes) {
    const saved_head head = head_of(mac);
    const size_t length = (size_t)head.count * sizeof(float);
    unsigned char *to = bytes;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int n = 0; n < head.sources; n++, to += sizeof(saved_source)) {
        const saved_source saved = source_to_save(&mac->sources.all[n]);
        memcpy(to, &saved, sizeof saved);
    }
    for (int v = 0; v < mac->particles.values; v++, to += length) memcpy(to, mac->particles.value[v], length);
    for (int a = 0; a < 3 && face_bytes(mac); a++, to += face_bytes(mac)) memcpy(to, mac->before[a], face_bytes(mac));
}

/* Whether `count` floats are all at least `low` and below `high`; false also for NaN. */
static bool are_within(const unsigned char *from, size_t count, float low, float high) {
    for (size_t n = 0; n < count; n++) {
        float value;
        memcpy(&value, from + n * sizeof value, sizeof value);
        if (!(value >= low && value < high)) return false;
    }
    return true;
}

/* Returns RN_FORMAT, with a message, unless the header fits this liquid (version, number and size of cells, transfer)
   and `size`, the bytes of the whole state, and has a valid clock and ledger. */
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
    if (head->count < 0 || head->sources < 0 || (head->fresh != 0 && head->fresh != 1) || size != size_of(mac, head))
        return rn_fail(RN_FORMAT, "the saved 3D liquid is cut short or too long: %zu bytes", size);
    if (!(head->time >= 0.0 && head->time < 1e30 && head->last_dt >= 0.0 && head->last_dt < 1e30))
        return rn_fail(RN_FORMAT,
                       "the saved 3D liquid has a time of %g s and a substep of %g s; both must be 0 or more",
                       head->time, head->last_dt);
    const int64_t most = INT64_MAX / 4;
    if (head->poured < 0 || head->drained < 0 || head->left < 0 || head->drained > most || head->left > most ||
        head->poured - head->drained - head->left != head->count)
        return rn_fail(RN_FORMAT, "the ledger of the saved 3D liquid does not add up: %lld - %lld - %lld is not %d",
                       (long long)head->poured, (long long)head->drained, (long long)head->left, head->count);
    return RN_OK;
}

/* Returns RN_FORMAT, with a message, unless all saved sources, from `from` on, are valid in this box. The definition of
   a removed source is not checked, because it is not restored. */
static rn_result check_sources(const rn_mac *mac, const saved_head *head, const unsigned char *from) {
    for (int n = 0; n < head->sources; n++) {
        const saved_source saved = source_at(from, n);
        const rn_mac_source source = saved_to_source(&saved);
        if (saved.removed > 1)
            return rn_fail(RN_FORMAT,
                           "source %d of the saved 3D liquid is marked as removed by %llu; it must be 0 or 1", n,
                           (unsigned long long)saved.removed);
        if (!(saved.owed >= 0.0 && saved.owed <= RN_MAC_MOST_OWED))
            return rn_fail(RN_FORMAT, "source %d of the saved 3D liquid owes %g particles; it must be from 0 to %g", n,
                           saved.owed, RN_MAC_MOST_OWED);
        if (!source.removed && rn_mac_check_source(mac, &source.def) != RN_OK) return RN_FORMAT;
    }
    return RN_OK;
}

/* Returns RN_FORMAT, with a message, unless all particles lie in the box and all other numbers, with markers also the
   speeds of faces, are from -1e30 to 1e30. `from`: the particles, then the faces. */
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

/* Makes room for the saved sources and particles. Fails with RN_LIMIT or RN_MEMORY; the present state stays. */
static rn_result make_room(rn_mac *mac, const saved_head *head) {
    rn_mac_sources *s = &mac->sources;
    if (!rn_reserve(&mac->hooks, &s->all, &s->room, (size_t)head->sources, (size_t)s->count, sizeof *s->all))
        return RN_MEMORY;
    if (head->count <= mac->particles.count) return RN_OK;
    return rn_mac_particles_reserve(mac, head->count - mac->particles.count);
}

/* Replaces the state by a saved one, which must be valid; `from` is what follows its header. There must be room. The
   caller then sorts the particles, because `start` still belongs to the old ones. */
static void take_state(rn_mac *mac, const saved_head *head, const unsigned char *from) {
    const size_t length = (size_t)head->count * sizeof(float);
    for (int n = 0; n < head->sources; n++, from += sizeof(saved_source)) {
        const saved_source saved = source_at(from, 0);
        mac->sources.all[n] = saved_to_source(&saved);
    }
    for (int v = 0; v < mac->particles.values; v++, from += length) memcpy(mac->particles.value[v], from, length);
    for (int a = 0; a < 3 && face_bytes(mac); a++, from += face_bytes(mac))
        memcpy(mac->before[a], from, face_bytes(mac));
    mac->sources.count = head->sources;
    mac->tally = (rn_mac_tally){.poured = head->poured, .drained = head->drained, .left = head->left};
    mac->fresh = head->fresh != 0;
    mac->particles.count = head->count;
    mac->time = head->time;
    mac->last_dt = head->last_dt;
}

rn_result rn_mac_check_saved(const rn_mac *mac, const void *bytes, size_t size) {
    saved_head head;
    if (size < sizeof head) return rn_fail(RN_FORMAT, "the saved 3D liquid is cut short: %zu bytes", size);
    memcpy(&head, bytes, sizeof head);
    const unsigned char *sources = (const unsigned char *)bytes + sizeof head;
    rn_result result = check_head(mac, &head, size);
    if (result == RN_OK) result = check_sources(mac, &head, sources);
    if (result == RN_OK) result = check_values(mac, &head, sources + (size_t)head.sources * sizeof(saved_source));
    return result;
}

rn_result rn_mac_restore(rn_mac *mac, const void *bytes, size_t size) {
    rn_result result = rn_mac_check_saved(mac, bytes, size);
    if (result != RN_OK) return result;
    saved_head head;
    memcpy(&head, bytes, sizeof head);
    result = make_room(mac, &head);
    if (result != RN_OK) return result;
    take_state(mac, &head, (const unsigned char *)bytes + sizeof head);
    rn_mac_particles_sort(mac);
    rn_mac_find_rows(mac, 1);
    rn_mac_find_surface(mac); /* for rn_mac_filled_volume and rn_mac_density */
    return RN_OK;
}
