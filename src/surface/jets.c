/* Jets: liquid that falls as round strands and drops instead of a sheet: from a ledge that is at most two cells wide,
   from a wider one if it flows slowly (sheets.c decides), from the lower end of a tall sheet, or from a spout in the
   air (rn_surface_jets). This is one long file on purpose: jets, the drops that they become and drops that hang are
   made of the same rings.

   Interface: rn_jets_room, the room that pours need in a mesh; rn_jets_fill, which writes all jets and drops after the
   sheets, as the last vertices and triangles.

   1. A jet falls freely from where it starts: x = u t, z = w t - g t^2/2. It carries the same flow at every height, so
      its cross-section is A = Q/v. Off a ledge it starts as flat as the liquid is there, and soon becomes round.
   2. Surface tension swells it into beads. A disturbance grows by e in about the time sqrt(r^3/T) + 3 nu r/T, with the
      radius r, the surface tension over the density T and the viscosity nu; after BREAKS such times the jet breaks up
      (Rayleigh; Eggers & Villermaux 2008). Beads are LENGTH radii apart and fall with the liquid.
   3. Below that, there is one drop for each bead, with the volume that flows in the time between two of them.

   Beads and drops depend on the state of the columns and the time alone. The time between two drops is a power of two,
   so that drops do not jump when the flow changes a little. The volume of jets and drops is drawn in addition: it has
   left the ledge, and the columns below have it already. All of it is done by one thread: there are few jets.

   Where contact angles hold a narrow stream or a drop back at a brink (rn_extra_vertex.held), a drop hangs there too:
   the deeper the liquid behind it, the larger. Once the brink gives way, the drops of step 3 fall. */
#include "kernels/streak.h"
#include "surface/vertex.h"

#define BREAKS   12.0f  /* times that a disturbance grows by e before a jet breaks up */
#define LENGTH   9.0f   /* radii from bead to bead: those that grow fastest */
#define LEAN     1.0f   /* cells that a jet flies off a ledge at most, as sheets do */
#define THIN     0.012f /* cells, radius at the start below which a jet is not drawn */
#define MIST     0.1f   /* cells, radius of the smallest drops of a sheet that are drawn */
#define LEAVING  8.0f   /* cells, the same beyond an open edge of the domain */
#define FLAT     1.5f   /* how much wider than a round one a jet is that clings to a wall */
#define OVERHANG 0.5f   /* m that a wall recedes per m of height, beyond which a jet falls off it */
#define HANGS    0.75f  /* capillary lengths, radius of a drop that falls off */
#define DRIPS    0.3f   /* flow below which there are only drops, by sqrt(T l^3) with the capillary length l */
#define RUNS     4.0f   /* times that flow, below which rivulets down the edge of the domain differ in length */
#define STILL    0.1f   /* speed by that of waves, below which a brink counts as holding liquid back */
#define RARELY                                                                                                         \
    0.5f             /* s, longest time between drops from a brink that can hold liquid back; rarer ones are not drawn \
                      */
#define GATHERS 4.0f /* capillary lengths, widest stretch of a brink on which liquid that is held hangs as one drop */
#define TURN    6.2831853f

enum { SIDES = 8, MOST_RINGS = 28, MOST_DROPS = 12, BELTS = 5 }; /* of a ring; of a jet; of a jet; of a drop */
enum { TUBE_VERTICES = SIDES * MOST_RINGS + 2, TUBE_TRIANGLES = 2 * SIDES * MOST_RINGS };
enum { DROP_VERTICES = SIDES * BELTS + 2, DROP_TRIANGLES = 2 * SIDES * BELTS };

enum { MOST_STEPS = 96, MOST_DRIPPING = 512 }; /* down a wall; places of a mesh */

/* Where a jet starts, and what becomes of it. */
typedef struct jet {
    float at[3];                 /* m from the grid's corner and the datum */
    float velocity[3];           /* m/s */
    float speed;                 /* m/s, by which the flow is divided at the start: at least that of `velocity` */
    float flow;                  /* m^3/s */
    float half;                  /* m, half of its width where it starts; 0: it is round */
    float out[2];                /* level unit vector: away from the ledge */
    float cling;                 /* s during which it runs down a wall at a constant speed, before it falls */
    int steps;                   /* of half a cell or more that it goes down the wall */
    float inset[MOST_STEPS + 1]; /* m, how far the wall has receded after each step */
    float most;                  /* m that it flies at most */
    float gravity;               /* m/s^2 */
    float drop;                  /* m that it falls freely */
    float end;                   /* s until it is below the surface it falls on */
    float broken;                /* s until it breaks up; INFINITY: it does not */
    float period;                /* s from bead to bead; 0: it has none */
    float phase;                 /* s, age of the youngest bead */
    bool fades;                  /* begins clear, because it comes out of nothing */
    bool edge;                   /* leaves the domain at an open edge */
    bool holds;                  /* contact angles can hold liquid back at its brink */
} jet;

/* A place along a jet. */
typedef struct ring {
    float at[3], along[3], side[3], over[3]; /* m; unit vectors: with the flow, and two across it */
    float velocity[3];                       /* m/s */
    float wide, high;                        /* m, half-axes along `side` and `over` */
} ring;

/* Where the next vertices and triangles of jets go. */
typedef struct writer {
    const rn_surface_state *w;
    uint32_t vertex, triangle, id;
} writer;

static float length_of(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void cross(const float a[3], const float b[3], float to[3]) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static float smooth(float x) {
    const float t = x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
    return t * t * (3.0f - 2.0f * t);
}

/* ---- The fall ------------------------------------------------------------------------------------------------- */

/* The level speed (m/s) at the start. */
static float level_speed(const jet *j) {
    return sqrtf(j->velocity[0] * j->velocity[0] + j->velocity[1] * j->velocity[1]);
}

/* The speed (m/s) at an age (s), for the flow. */
static float speed_at(const jet *j, float age) {
    const float down = j->gravity * rn_larger(age - j->cling, 0.0f) - j->velocity[2];
    return sqrtf(j->speed * j->speed + rn_larger(down * down - j->velocity[2] * j->velocity[2], 0.0f));
}

/* The radius (m) at an age (s) of a round jet without beads. */
static float radius_at(const jet *j, float age) { return sqrtf(2.0f * j->flow / (TURN * speed_at(j, age))); }

/* How far beads have grown at an age (s): 0 at first, 1 where the jet breaks up. Beads closer together than the jet is
   round do not grow (Rayleigh), as those of a fall that is faster farther down are at first. */
static float growth_at(const jet *j, float age) {
    const float share = rn_larger(age - j->cling, 0.0f) / (j->broken - j->cling);
    const float apart = j->period * speed_at(j, age) / radius_at(j, age);
    return share < 1.0f ? share * share * share * smooth((apart - TURN) / (LENGTH - TURN)) : 1.0f;
}

/* How far (m) the wall has receded that a jet runs down, at an age (s). */
static float inset_at(const jet *j, float age) {
    if (!(j->cling > 0.0f)) return 0.0f;
    const float step = rn_smaller(age / j->cling, 1.0f) * (float)j->steps;
    const int at = step < (float)j->steps ? (int)step : j->steps - 1;
    return j->inset[at] + (step - (float)at) * (j->inset[at + 1] - j->inset[at]);
}

/* Sets place, directions and velocity of a ring at an age (s), not its half-axes. */
static void place_ring(const jet *j, float age, ring *r) {
    const float level = level_speed(j), fallen = rn_larger(age - j->cling, 0.0f);
    const float slowed = 1.0f / (1.0f + level * fallen / j->most), inset = inset_at(j, age);
    for (int k = 0; k < 2; k++) {
        r->at[k] = j->at[k] + j->velocity[k] * fallen * slowed - inset * j->out[k];
        r->velocity[k] = j->velocity[k] * slowed * slowed;
    }
    r->velocity[2] = j->velocity[2] - j->gravity * fallen;
    r->at[2] = j->at[2] + j->velocity[2] * age - 0.5f * j->gravity * fallen * fallen;
    const float size = length_of(r->velocity);
    for (int k = 0; k < 3; k++) r->along[k] = size > 0.0f ? r->velocity[k] / size : k == 2 ? -1.0f : 0.0f;
    r->side[0] = -j->out[1];
    r->side[1] = j->out[0];
    r->side[2] = 0.0f;
    cross(r->along, r->side, r->over);
}

/* The radius (m) at an age (s), with beads, and tapered towards the `last` age (s), where a jet ends that breaks up. */
static float beaded_at(const jet *j, float age, float last) {
    const float radius = radius_at(j, age);
    if (!(j->period > 0.0f)) return radius;
    const float swell =
        rn_larger(0.55f * growth_at(j, age), age < j->cling ? 0.1f : 0.0f) * cosf(TURN * (age - j->phase) / j->period);
    const float left = (last - age) / (0.3f * j->period);
    const float rest = 1.0f - left;
    const float taper = j->broken <= j->end && left < 1.0f ? sqrtf(rn_larger(1.0f - rest * rest, 0.01f)) : 1.0f;
    return radius * (1.0f + swell) * taper;
}

/* A ring at an age (s) of a jet that ends at the age `last`. */
static ring ring_at(const jet *j, float age, float last) {
    ring r;
    place_ring(j, age, &r);
    const float round = beaded_at(j, age, last);
    r.wide = r.high = round;
    if (j->half > 0.0f) {
        const float flat = FLAT * round * (1.0f - smooth((age - j->cling) * sqrtf(j->gravity / (6.0f * round))));
        const float rest = rn_larger(round, j->cling > 0.0f ? flat : 0.0f);
        const float share = smooth(age * speed_at(j, age) / ((j->cling > 0.0f ? 9.0f : 5.0f) * round));
        r.wide = j->half + share * (rest - j->half);
        if (r.wide > 0.0f && round > 0.0f) r.high = round * round / r.wide;
    }
    return r;
}

/* A time (s) between drops: a power of two times one that fits badly with frames, or drops would seem to stand still.
 */
static float round_period(float period) { return 0.0273f * exp2f(roundf(log2f(period / 0.0273f))); }

/* Finds when a jet ends at the height `foot` (m above the datum), when it breaks up, and how far apart its beads are.
 */
static void foresee(const rn_surface_jets *jets, float foot, jet *j) {
    enum { STEPS = 48 };
    const float down = -j->velocity[2];
    const float drop = rn_larger(j->at[2] - down * j->cling - foot, 0.0f);
    j->drop = drop;
    j->end = j->cling + (sqrtf(down * down + 2.0f * j->gravity * drop) - down) / j->gravity;
    j->end += 0.5f * radius_at(j, j->end) / rn_larger(speed_at(j, j->end), 1e-6f); /* a little below the surface */
    j->broken = INFINITY;
    j->period = j->phase = 0.0f;
    if (!(jets->tension > 0.0f)) return;
    float grown = 0.0f;
    const float step = (j->end - j->cling) / STEPS;
    for (int i = 0; i < 4 * STEPS && grown < BREAKS && step > 0.0f; i++) {
        const float r = radius_at(j, j->cling + ((float)i + 0.5f) * step);
        grown += step / (sqrtf(r * r * r / jets->tension) + 3.0f * jets->viscosity * r / jets->tension);
        if (grown >= BREAKS) j->broken = j->cling + ((float)i + 1.0f) * step;
    }
    if (!(j->broken < INFINITY)) return;
    const float apart = LENGTH * radius_at(j, j->broken) / speed_at(j, j->broken);
    const float least = rn_larger(apart, (j->end - j->broken) / MOST_DROPS);
    j->period = round_period(rn_larger(least, 1e-4f));
    while ((j->end - j->broken) / j->period > MOST_DROPS) j->period *= 2.0f;
    j->phase = (float)(jets->time - floor(jets->time / (double)j->period) * (double)j->period);
}

/* The age (s) at which a jet ends: at its foot, or at the last neck between beads before it breaks up. Below 0 if it
   breaks up before there is a neck. */
static float last_age(const jet *j) {
    if (j->broken > j->end) return j->end;
    const float neck = j->phase + 0.5f * j->period;
    const float necks = floorf((j->broken - neck) / j->period);
    return neck + necks * j->period;
}

/* ---- Vertices and triangles ------------------------------------------------------------------------------------- */

/* Whether the mesh has room for so many more vertices and triangles. */
static bool has_room(const writer *o, uint32_t vertices, uint32_t triangles) {
    const rn_mesh *m = o->w->mesh;
    return m->vertex_capacity - o->vertex >= vertices && m->triangle_capacity - o->triangle >= triangles &&
           RN_CLOSED_ID - o->id > vertices;
}

/* Writes a vertex at a place with a normal of any length, for a layer of this thickness (m). */
static void put(writer *o, const ring *r, const float at[3], const float normal[3], float thick) {
    const float size = length_of(normal);
    rn_vertex v = {.opacity = rn_smaller(thick * o->w->per_full_depth, 1.0f), .id = o->id++};
    for (int k = 0; k < 3; k++) {
        v.at[k] = at[k];
        v.normal[k] = size > 0.0f ? normal[k] / size : k == 2 ? 1.0f : 0.0f;
        v.velocity[k] = r->velocity[k];
    }
    rn_vertex_put(o->w, o->vertex++, &v);
}

/* Cosines of the directions from a ring's centre to its vertices; a quarter turn back they are sines. */
static const float circle[SIDES] = {1.0f, 0.70710678f, 0.0f, -0.70710678f, -1.0f, -0.70710678f, 0.0f, 0.70710678f};

/* Writes the vertices of a ring; slope: how fast it gets wider with the flow. */
static void put_ring(writer *o, const ring *r, float slope) {
    for (int i = 0; i < SIDES; i++) {
        const float c = circle[i], s = circle[(i + 6) % SIDES];
        float at[3], normal[3];
        for (int k = 0; k < 3; k++) {
            at[k] = r->at[k] + c * r->wide * r->side[k] + s * r->high * r->over[k];
            normal[k] = c * r->high * r->side[k] + s * r->wide * r->over[k];
        }
        const float size = length_of(normal);
        for (int k = 0; k < 3 && size > 0.0f; k++) normal[k] = normal[k] / size - slope * r->along[k];
        put(o, r, at, normal, 2.0f * rn_smaller(r->wide, r->high));
    }
}

static void put_triangle(writer *o, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t corners[3] = {a, b, c};
    memcpy(o->w->mesh->indices + 3 * (size_t)o->triangle++, corners, sizeof corners);
}

/* Joins `rings` rings, whose vertices follow the first tip, with each other and with the tips at both ends: the first
   is vertex `first`, the last one follows the last ring. */
static void join_rings(writer *o, uint32_t first, int rings) {
    const uint32_t last = first + 1 + SIDES * (uint32_t)rings;
    for (uint32_t i = 0; i < SIDES; i++) {
        const uint32_t next = (i + 1) % SIDES;
        uint32_t at = first + 1;
        put_triangle(o, first, at + next, at + i);
        for (int k = 1; k < rings; k++, at += SIDES) {
            put_triangle(o, at + i, at + next, at + SIDES + i);
            put_triangle(o, at + next, at + SIDES + next, at + SIDES + i);
        }
        put_triangle(o, at + i, at + next, last);
    }
}

/* Writes the jet itself, down to the age `last` (s). */
static void put_tube(writer *o, const jet *j, float last) {
    const ring top = ring_at(j, 0.0f, last), foot = ring_at(j, last, last);
    const float fall = rn_larger(top.at[2] - foot.at[2], level_speed(j) * last);
    const float beads = j->period > 0.0f ? 6.0f * last / j->period : 0.0f;
    const int wanted = (int)rn_smaller(rn_larger(fall / rn_larger(radius_at(j, 0.5f * last), 1e-6f), beads), 99.0f);
    const int rings = wanted < 6 ? 6 : wanted > MOST_RINGS ? MOST_RINGS : wanted;
    const uint32_t first = o->vertex;
    if (!has_room(o, SIDES * (uint32_t)rings + 2, 2 * SIDES * (uint32_t)rings)) return;
    const float back[3] = {-top.along[0], -top.along[1], -top.along[2]};
    put(o, &top, top.at, back, 2.0f * top.high);
    for (int i = 0; i < rings; i++) {
        const float age = last * (float)i / (float)(rings - 1), after = age + 0.02f * last;
        const ring r = ring_at(j, age, last);
        const float way = 0.02f * last * rn_larger(length_of(r.velocity), 1e-6f);
        const bool tip = i == rings - 1 && j->broken <= j->end; /* else it ends in the liquid below */
        const float slope = i == 0 ? 0.0f : tip ? -2.0f : (beaded_at(j, after, last) - beaded_at(j, age, last)) / way;
        put_ring(o, &r, rn_smaller(rn_larger(slope, -2.0f), 2.0f));
    }
    /* A pour fades in from nothing, and a rivulet from the flatter liquid on the ledge. */
    const float comes = j->fades ? 3.0f * top.wide : j->cling > 0.0f ? 0.35f * top.wide : 0.0f;
    if (comes > 0.0f && o->w->mesh->opacity)
        for (uint32_t v = first; v < o->vertex; v++) {
            const float age = last * (float)(v > first ? (v - first - 1) / SIDES : 0) / (float)(rings - 1);
            const ring r = ring_at(j, age, last);
            o->w->mesh->opacity[v] *= smooth((top.at[2] - r.at[2]) / comes);
        }
    put(o, &foot, foot.at, foot.along, 2.0f * foot.high);
    join_rings(o, first, rings);
    o->id++; /* a gap between jets: splash.c takes the last vertex of each for its foot */
}

/* Writes a drop of this radius (m) around the centre of a ring, `longer` times as long along the ring's axis as a ball
   of the same volume. */
static void put_drop(writer *o, const ring *r, float radius, float longer) {
    const float across = radius / sqrtf(longer), along = radius * longer;
    const uint32_t first = o->vertex;
    if (!has_room(o, DROP_VERTICES, DROP_TRIANGLES)) return;
    for (int i = 0; i <= BELTS + 1; i++) {
        const float c = -cosf(0.5f * TURN * (float)i / (BELTS + 1)), s = sinf(0.5f * TURN * (float)i / (BELTS + 1));
        ring belt = *r;
        for (int k = 0; k < 3; k++) belt.at[k] += along * c * r->along[k];
        belt.wide = belt.high = across * rn_larger(s, 1e-3f);
        const float normal[3] = {c * r->along[0], c * r->along[1], c * r->along[2]};
        if (i == 0 || i == BELTS + 1) put(o, r, belt.at, normal, 2.0f * radius);
        else put_ring(o, &belt, -c / rn_larger(s, 0.1f) * across / along);
    }
    for (uint32_t v = first; o->w->mesh->opacity && v < o->vertex; v++)
        o->w->mesh->opacity[v] = rn_smaller(2.0f * radius * o->w->per_full_depth, 1.0f);
    join_rings(o, first, BELTS);
    o->id++;
}

/* A number from 0 to 1 for the drop with this number, always the same. */
static float chance_of(double number) {
    uint32_t n = (uint32_t)(int64_t)number * 2654435761u;
    n = (n ^ n >> 15) * 0x2c1b3c6du;
    return (float)((n ^ n >> 13) >> 8) / 16777216.0f;
}

/* The radius of a drop by that of the mean volume. Neighbours differ, and a few in a row have the mean volume. */
static float size_of(double number) {
    const double part = 0.6180339887 * number;
    return cbrtf(0.4f + 1.2f * (float)(part - floor(part)));
}

/* Writes the drops below a jet that ends at the age `last` (s), at most as large as a radius (m); first: the number of
   the youngest. They leave the jet evenly, and come to fall at uneven distances. */
static void put_drops(writer *o, const jet *j, float last, float most, double first) {
    const float mean = rn_smaller(cbrtf(1.5f * j->flow * j->period / TURN), most);
    for (int i = 0; i < 2 * MOST_DROPS; i++) {
        const double number = first - (double)i;
        const float even = last + ((float)i + 0.5f) * j->period, radius = mean * size_of(number);
        const float apart = smooth((even - j->broken) / j->period - 0.5f);
        const float age = even + 0.5f * apart * (chance_of(number) - 0.5f) * j->period;
        if (even >= j->end) return;
        if (age < 0.0f || age >= j->end) continue;
        ring r;
        place_ring(j, age, &r);
        const float shakes = 0.3f * expf(-0.7f * (float)i) * cosf(2.6f * TURN * (even - last) / j->period);
        put_drop(o, &r, radius, 1.0f + shakes + rn_drop_streak(length_of(r.velocity), radius));
    }
}

/* The time (s) from one of the largest drops that can hang to the next. *full: their radius (m). */
static float drip_period(const rn_surface_jets *jets, const jet *j, float *full) {
    *full = HANGS * sqrtf(jets->tension / j->gravity);
    const float volume = 2.0f / 3.0f * TURN * *full * *full * *full;
    return round_period(rn_larger(volume / j->flow, 1e-4f));
}

/* Writes drops that hang where a jet would leave its wall or spout, swell, fall off, and fall; none if a brink holds
   liquid back for so long that drops are rare. Turns: of the first drop since time 0, so that drops do not fall off
   everywhere at once. */
static void put_drip(writer *o, const jet *j, float turns) {
    const rn_surface_jets *jets = o->w->def->jets;
    float full, period = drip_period(jets, j, &full);
    if (j->holds && period > RARELY) return;
    while (sqrtf(2.0f * j->drop / j->gravity) / period > MOST_DROPS) period *= 2.0f;
    const double phase = jets->time / (double)period + (double)turns, number = floor(phase);
    const float young = (float)(phase - number), mean = rn_smaller(cbrtf(1.5f * j->flow * period / TURN), full);
    ring top;
    place_ring(j, j->cling, &top);
    top.along[0] = top.along[1] = 0.0f, top.along[2] = -1.0f;
    cross(top.along, top.side, top.over);
    const float hangs = mean * size_of(number + 1) * cbrtf(young), neck = 1.0f + 0.45f * smooth(5.0f * young - 4.0f);
    ring r = top;
    r.at[2] -= (0.25f + 0.6f * smooth(3.0f * young - 2.0f)) * hangs;
    if (hangs > 0.0f) put_drop(o, &r, hangs, neck);
    for (int i = 0; i < MOST_DROPS; i++) {
        const float even = ((float)i + young) * period, radius = mean * size_of(number - i);
        const float age = even + 0.5f * (chance_of(number - i) - 0.5f) * rn_smaller(even, period);
        const float shakes = 0.35f * expf(-25.0f * age) * cosf(90.0f * age);
        r.at[2] = top.at[2] - 0.85f * radius - 0.5f * j->gravity * age * age;
        r.velocity[0] = r.velocity[1] = 0.0f, r.velocity[2] = -j->gravity * age;
        if (top.at[2] - r.at[2] > j->drop) continue;
        put_drop(o, &r, radius, 1.0f + shakes + rn_drop_streak(j->gravity * age, radius));
    }
}

/* The flow (m^3/s) below which a jet only drips: surface tension holds it back, unless the liquid is viscous. */
static float dripping_flow(const writer *o, const jet *j) {
    const rn_surface_jets *jets = o->w->def->jets;
    const float length = sqrtf(jets->tension / j->gravity);
    const float viscous = jets->viscosity / sqrtf(rn_larger(jets->tension * length, 1e-20f));
    return DRIPS * sqrtf(jets->tension * length * length * length) / (1.0f + 10.0f * viscous);
}

/* Whether a jet has so little flow that it only drips. */
static bool is_dripping(const writer *o, const jet *j) { return j->flow < dripping_flow(o, j); }

/* The share of a wall that a rivulet runs down, 0.3 to 1: little liquid that leaves the domain at an open edge makes
   rivulets that differ in length, the less the more it is. turns: a random number from 0 to 1. */
static float run_of(const writer *o, const jet *j, float turns) {
    if (!j->edge || !(j->cling > 0.0f)) return 1.0f;
    const float by = 2.0f * j->flow / (RUNS * dripping_flow(o, j)) - 1.0f;
    const float much = rn_smaller(rn_larger(by, 0.0f), 1.0f); /* 1: the rivulet reaches the end */
    const float least = 0.3f + 0.9f * turns;
    return rn_smaller(least + much * (1.0f - least), 1.0f);
}

/* Writes a jet and its drops, or a rivulet that ends in a bead on the wall; turns as in put_drip. drip: the flow
   (m^3/s) of its drops if it drips; 0: none. */
static void put_jet(writer *o, jet *j, float drip, float turns) {
    const float run = run_of(o, j, turns);
    if (run < 1.0f || is_dripping(o, j)) {
        jet drops = *j;
        drops.flow = drip;
        if (run == 1.0f && drip > 0.0f && j->drop > 0.8f * o->w->t.cell) put_drip(o, &drops, turns);
        if (!(j->cling > 0.0f)) return;
        j->end = run * j->cling;
        j->broken = INFINITY;
    }
    if (run < 1.0f) { /* a bead at its lower end */
        const ring end = ring_at(j, j->end, INFINITY);
        put_drop(o, &end, 1.25f * rn_larger(end.wide, end.high), 1.3f);
    }
    const float last = last_age(j);
    if (last > 0.2f * rn_smaller(j->end, j->broken)) put_tube(o, j, last);
    if (j->broken < j->end)
        put_drops(o, j, last, INFINITY, round((o->w->def->jets->time - (double)last) / (double)j->period - 0.5));
}

/* ---- Where jets start ------------------------------------------------------------------------------------------- */

static float gravity_of(const rn_surface_state *w) { return w->columns->gravity > 0.0f ? w->columns->gravity : 9.81f; }

/* The height (m above the datum) of the liquid or the ground below a point; 0 if there is no column. */
static float height_under(const rn_surface_columns *c, const float at[3]) {
    const int x = (int)floorf(at[0] / c->cell_size), y = (int)floorf(at[1] / c->cell_size);
    float found = 0.0f;
    if (x < 0 || y < 0 || x >= c->cells_x || y >= c->cells_y) return found;
    for (int l = 0; l < c->layers; l++) {
        const float base = rn_field_at(&c->base, l, y, x);
        if (!(base >= 0.0f && base < RN_NO_COLUMN && base <= at[2])) break;
        found = base + rn_field_at(&c->depth, l, y, x);
    }
    return found;
}

/* Sets the direction away from the ledge; along x if liquid comes from all sides. */
static void face_ledge(const rn_extra_vertex *e, jet *j) {
    float x = 0.0f, y = 0.0f;
    for (int d = 0; d < RN_AROUND; d += 2) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        x -= (float)rn_around_x[d];
        y -= (float)rn_around_y[d];
    }
    const float size = sqrtf(x * x + y * y);
    j->out[0] = size > 0.0f ? x / size : 1.0f;
    j->out[1] = size > 0.0f ? y / size : 0.0f;
}

/* Whether there is solid at the height z (m above the datum) in the cell of a point (m from the grid's corner); false
   outside the domain. Below the lowest column there is solid. */
static bool is_solid(const rn_surface_columns *c, float at_x, float at_y, float z) {
    const int x = (int)floorf(at_x / c->cell_size), y = (int)floorf(at_y / c->cell_size);
    if (x < 0 || y < 0 || x >= c->cells_x || y >= c->cells_y) return false;
    for (int l = 0; l < c->layers; l++) {
        const float base = rn_field_at(&c->base, l, y, x);
        if (!(base >= 0.0f && base < RN_NO_COLUMN)) return false;
        if (z < base) return true;
        if (z < rn_field_at(&c->ceil, l, y, x)) return false;
    }
    return false;
}

/* Follows the wall below a lip, as long as there is solid at most two cells behind the last place and the wall does not
   overhang too much (OVERHANG, after the first cell): sets j->steps and j->inset. `foot`: m above the datum, of what
   lies below. Steps of half a cell, or more if the wall is tall. */
static void follow_wall(const rn_surface_state *w, float step, float foot, jet *j) {
    const rn_surface_columns *c = w->columns;
    int back = 0; /* cells that the wall has receded */
    for (j->steps = 0; j->steps < MOST_STEPS; j->steps++) {
        const float z = j->at[2] - ((float)j->steps + 0.5f) * step;
        int at = back > 0 ? back - 1 : 0;
        bool found = false;
        for (; at <= back + 2 && !found; at++) {
            const float far = ((float)at + 0.6f) * c->cell_size;
            found = is_solid(c, j->at[0] - far * j->out[0], j->at[1] - far * j->out[1], z);
        }
        back = at - 1;
        const float hung = (float)(back - 1) * c->cell_size, down = ((float)j->steps + 1.0f) * step;
        if (!found || z < foot || hung > OVERHANG * down) break;
        j->inset[j->steps + 1] = (float)back * c->cell_size;
    }
    j->inset[0] = 0.0f;
    for (int pass = 0; pass < 6; pass++)
        for (int i = 1; i < j->steps; i++)
            j->inset[i] += 0.5f * (0.5f * (j->inset[i - 1] + j->inset[i + 1]) - j->inset[i]);
}

/* Makes a jet run down the wall behind it, if it is slow enough to cling, that is, if surface tension can hold it. It
   runs as fast as a film FLAT^2 times as wide as thick does (Nusselt). Moves *foot (m above the datum) to what lies
   below its end. */
static void cling(const rn_surface_state *w, float *foot, jet *j) {
    const rn_surface_jets *jets = w->def->jets;
    const float depth = j->flow / (j->speed * 2.0f * j->half), down = j->at[2] - *foot;
    const float step = rn_larger(0.5f * w->t.cell, 1.02f * down / MOST_STEPS);
    if (!(j->speed * j->speed * depth < 2.0f * jets->tension)) return;
    follow_wall(w, step, *foot, j);
    const float tall = (float)j->steps * step;
    if (tall < 0.7f * w->t.cell) return;
    const float thick = sqrtf(sqrtf(rn_larger(jets->viscosity, 1e-7f) * j->flow / j->gravity));
    const float fall = sqrtf(2.0f * j->gravity * tall), speed = j->flow / (FLAT * FLAT * thick * thick);
    const float inset = j->inset[j->steps];
    for (int k = 0; k < 2; k++) {
        j->at[k] += 0.1f * w->t.cell * j->out[k]; /* half a cell from the centre of the ledge's last one */
        j->velocity[k] = 0.0f;
    }
    j->speed = rn_smaller(speed, fall);
    j->velocity[2] = -j->speed;
    j->cling = tall / j->speed;
    const float end[3] = {j->at[0] - inset * j->out[0], j->at[1] - inset * j->out[1], j->at[2] - tall};
    if (inset > 0.0f) *foot = rn_smaller(height_under(w->columns, end), end[2]);
}

/* The jet that falls from a lip e->strand cells wide; false if it is too thin to be drawn, or falls less than a quarter
   of a cell. The speed at the brink is at least half of the wave speed, as in sheets. */
static bool jet_of_lip(const rn_surface_state *w, const rn_extra_vertex *e, jet *j, float *foot) {
    const float depth = rn_extra_depth(w, e), wide = (float)e->strand * w->t.cell;
    float along = 0.0f;
    *foot = e->foot;
    *j = (jet){.gravity = gravity_of(w), .most = (e->leaves ? LEAVING : LEAN) * w->t.cell, .flow = e->flow};
    j->edge = e->leaves;
    j->holds = w->per_foot > 0.0f && !e->leaves;
    face_ledge(e, j);
    if (!(depth > 0.0f) || !(e->at[2] - e->foot > 0.25f * w->t.cell)) return false;
    if (w->mesh->velocities) {
        const float *u = w->mesh->velocities + 3 * (size_t)e->vertex;
        along = u[0] * j->out[0] + u[1] * j->out[1];
    }
    j->speed = rn_larger(along, 0.5f * sqrtf(j->gravity * depth));
    j->half = rn_smaller(0.5f * wide, 3.0f * radius_at(j, 0.0f));
    /* Liquid clings to the brink: the jet starts so steeply that its path curves no more than its own thickness. */
    const float bend = cbrtf(1.3f * j->gravity * j->speed * depth), *lip = w->mesh->positions + 3 * (size_t)e->vertex;
    const float back = 0.35f * w->t.cell; /* begins in the liquid on the ledge */
    j->at[0] = lip[0] - w->columns->origin_x - back * j->out[0];
    j->at[1] = lip[1] - w->columns->origin_y - back * j->out[1];
    j->at[2] = e->at[2] - 0.6f * depth;
    for (int k = 0; k < 2; k++) j->velocity[k] = j->speed * j->out[k];
    j->velocity[2] = -sqrtf(rn_larger(bend * bend - j->speed * j->speed, 0.0f));
    cling(w, foot, j);
    return radius_at(j, 0.0f) > THIN * w->t.cell;
}

/* The jet of a pour; false if it pours nothing, or its spout is less than its radius above what it falls on. */
static bool jet_of_pour(const rn_surface_state *w, const rn_surface_pour *p, jet *j, float *foot) {
    const rn_surface_columns *c = w->columns;
    const float at[3] = {p->at[0] - c->origin_x, p->at[1] - c->origin_y, p->at[2] - c->datum};
    const float radius = p->radius > 0.0f ? p->radius : 0.3f * c->cell_size;
    *j = (jet){.gravity = gravity_of(w), .most = INFINITY, .flow = p->rate, .out = {1.0f, 0.0f}, .fades = true};
    memcpy(j->at, at, sizeof at);
    *foot = height_under(c, at);
    if (!(p->rate > 0.0f) || !(at[2] - *foot > radius)) return false;
    j->speed = 2.0f * p->rate / (TURN * radius * radius);
    j->velocity[2] = -j->speed;
    return true;
}

/* A number from 0 to 4 for a cell, which differs from those of all eight cells around it. It depends on nothing else,
   so that spray does not jump when the mesh changes elsewhere. */
static int fifth_of(const rn_surface_state *w, int32_t cell) {
    return (cell % w->t.stride + 2 * (cell / w->t.stride)) % 5;
}

/* A number from 0 to 1 for a cell, so that drops do not fall off everywhere at once. */
static float turns_of(int32_t cell) { return (float)(((uint32_t)cell * 2654435761u) >> 22) / 1024.0f; }

/* Adds the drops that a sheet becomes below the height where it breaks up, for the lip e of a sheet; two of five lips
   have the drops of all. */
static void put_spray(writer *o, const rn_extra_vertex *e) {
    const rn_surface_state *w = o->w;
    const int fifth = fifth_of(w, e->cell);
    const float depth = rn_extra_depth(w, e), whole = rn_sheets_whole(w, e), drop = e->at[2] - e->foot;
    const float largest = rn_smaller(0.3f * w->t.cell, depth);
    float at[3];
    if ((fifth != 0 && fifth != 2) || !(depth > 0.0f) || drop < whole || largest < MIST * w->t.cell) return;
    jet j = {.gravity = gravity_of(w), .most = (e->leaves ? LEAVING : LEAN) * w->t.cell, .drop = drop};
    rn_sheets_gather(w, e, sqrtf(2.0f * whole / j.gravity), at, j.out);
    j.speed = sqrtf(j.gravity * depth);
    j.flow = 2.5f * j.speed * depth * w->t.cell;
    j.velocity[0] = j.speed * j.out[0];
    j.velocity[1] = j.speed * j.out[1];
    for (int k = 0; k < 2; k++) j.at[k] = at[k];
    j.at[2] = e->at[2];
    j.end = sqrtf(2.0f * drop / j.gravity);
    j.broken = sqrtf(2.0f * whole / j.gravity);
    j.period = round_period(rn_larger(2.0f / 3.0f * TURN * largest * largest * largest / j.flow, 1e-4f));
    while ((j.end - j.broken) / j.period > MOST_DROPS) j.period *= 2.0f;
    const double phase = w->def->jets->time / (double)j.period + (double)turns_of(e->cell);
    put_drops(o, &j, j.broken + (float)(phase - floor(phase) - 0.5) * j.period, largest,
              floor(phase) + 1021.0 * (double)fifth + 17.0 * (double)(e->cell % 61));
}

/* A place where liquid drips. */
typedef struct dripping {
    uint32_t lip;
    float at[3]; /* m */
    float flow;  /* m^3/s */
} dripping;

/* Adds the drops of a lip's jet to a list of at most MOST_DRIPPING places: those that would touch are one. */
static void note_drip(const writer *o, const jet *j, uint32_t lip, dripping *places, int *count) {
    const float near = 2.2f * HANGS * sqrtf(o->w->def->jets->tension / j->gravity);
    ring end;
    place_ring(j, j->cling, &end);
    for (int i = 0; i < *count; i++) {
        const float apart[3] = {end.at[0] - places[i].at[0], end.at[1] - places[i].at[1], end.at[2] - places[i].at[2]};
        if (length_of(apart) >= near) continue;
        places[i].flow += j->flow;
        return;
    }
    if (*count == MOST_DRIPPING) return;
    places[*count] = (dripping){.lip = lip, .at = {end.at[0], end.at[1], end.at[2]}, .flow = j->flow};
    (*count)++;
}

/* Writes the jets and drops of all lips. */
static void put_falls(writer *o) {
    const rn_surface_state *w = o->w;
    const uint32_t extras = w->def->no_sheets ? 0 : rn_extras_before(w, w->t.ny + 1);
    dripping places[MOST_DRIPPING];
    int count = 0, next = 0;
    jet j;
    float foot;
    for (uint32_t i = 0; i < extras; i++) {
        const rn_extra_vertex *e = &w->extras[i];
        if (!e->strand || !jet_of_lip(w, e, &j, &foot)) continue;
        foresee(w->def->jets, foot, &j);
        if (is_dripping(o, &j) && j.drop > 0.8f * w->t.cell) note_drip(o, &j, i, places, &count);
    }
    for (uint32_t i = 0; i < extras; i++) {
        const rn_extra_vertex *e = &w->extras[i];
        if (e->ahead || e->behind) put_spray(o, e);
        if (!e->strand || !jet_of_lip(w, e, &j, &foot)) continue;
        foresee(w->def->jets, foot, &j);
        const bool drips = next < count && places[next].lip == i;
        put_jet(o, &j, drips ? places[next++].flow : 0.0f, turns_of(e->cell));
    }
}

/* ---- Drops that a brink holds ------------------------------------------------------------------------------------ */

/* A stretch of a brink that holds liquid back, or one of its lips. */
typedef struct hanging {
    float at[3], out[2]; /* m, the brink; level unit vector away from the ledge; in a sum times the depth */
    float depth, sum;    /* m, deepest, and of all lips */
    int cells, stretch;  /* cells: 0 if the lip has been added to stretch number `stretch` */
} hanging;

/* Whether liquid falls from a lip into a hole. */
static bool is_over_hole(const rn_surface_state *w, const rn_extra_vertex *e) {
    for (int d = 0; d < RN_AROUND; d++) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        const int32_t from = e->cell + rn_links_step(&w->t, d) + e->members[d] * w->t.layer_stride;
        if ((rn_link_of(w->t.links[from], (d + 4) & 7) & RN_LINK_LAYER) == RN_LINK_NOWHERE) return true;
    }
    return false;
}

/* Whether a brink holds back the liquid at a lip: nothing has arrived below, or the liquid hardly moves and no jet of
   it is drawn. Open edges and holes hold nothing. */
static bool holds_back(const rn_surface_state *w, const rn_extra_vertex *e, float depth) {
    jet j;
    float foot, full;
    if (!e->falls || e->leaves || is_over_hole(w, e)) return false;
    if (e->held) return true;
    if (e->strand && jet_of_lip(w, e, &j, &foot) && drip_period(w->def->jets, &j, &full) <= RARELY) return false;
    const float *u = w->mesh->velocities ? w->mesh->velocities + 3 * (size_t)e->vertex : NULL;
    return u && u[0] * u[0] + u[1] * u[1] < STILL * STILL * gravity_of(w) * depth;
}

/* The height (m above the datum) of the ground at a lip. */
static float brink_of(const rn_surface_state *w, const rn_extra_vertex *e) {
    float sum = 0.0f;
    int count = 0;
    for (int d = 0; d < RN_AROUND; d++) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        sum += w->t.base[e->cell + rn_links_step(&w->t, d) + e->members[d] * w->t.layer_stride];
        count++;
    }
    return sum / (float)count;
}

/* Lists the lips that hold liquid back, at most MOST_DRIPPING, each as a stretch of its own. Returns their number. */
static int find_held(const rn_surface_state *w, hanging *held) {
    int count = 0;
    for (uint32_t i = 0; i < rn_extras_before(w, w->t.ny + 1) && count < MOST_DRIPPING; i++) {
        const rn_extra_vertex *e = &w->extras[i];
        const float depth = rn_extra_depth(w, e);
        jet j;
        face_ledge(e, &j);
        if (!(depth > 0.0f) || !holds_back(w, e, depth)) continue;
        hanging *h = &held[count];
        *h = (hanging){.depth = depth, .sum = depth, .cells = 1, .stretch = count};
        for (int k = 0; k < 2; k++) h->at[k] = depth * e->at[k], h->out[k] = depth * j.out[k];
        h->at[2] = depth * brink_of(w, e);
        count++;
    }
    return count;
}

/* The stretch that a lip belongs to now. */
static int stretch_of(const hanging *held, int i) {
    while (held[i].stretch != i) i = held[i].stretch;
    return i;
}

/* Joins lips in cells beside each other that face about the same way into stretches: the sums of each are in its first
   lip. */
static void join_held(const rn_surface_state *w, hanging *held, int count) {
    static const float near = 1.9f; /* cells; lips lie anywhere in their cells */
    float place[MOST_DRIPPING][3], out[MOST_DRIPPING][2];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            place[i][k] = held[i].at[k] / held[i].sum;
            if (k < 2) out[i][k] = held[i].out[k] / held[i].sum;
        }
    for (int i = 1; i < count; i++)
        for (int k = 0; k < i; k++) {
            const float apart[3] = {place[i][0] - place[k][0], place[i][1] - place[k][1], place[i][2] - place[k][2]};
            const int from = stretch_of(held, i), to = stretch_of(held, k);
            const bool alike = out[i][0] * out[k][0] + out[i][1] * out[k][1] > 0.6f;
            if (from == to || !alike || length_of(apart) > near * w->t.cell) continue;
            hanging *a = &held[from < to ? from : to], *b = &held[from < to ? to : from];
            for (int d = 0; d < 3; d++) a->at[d] += b->at[d];
            for (int d = 0; d < 2; d++) a->out[d] += b->out[d];
            a->depth = rn_larger(a->depth, b->depth);
            a->sum += b->sum, a->cells += b->cells;
            b->cells = 0, b->stretch = from < to ? from : to;
        }
}

/* Writes the drop that hangs from a stretch of a brink, if that is narrow and the drop has room below. A brink holds
   liquid up to twice the capillary length l deep, with a push that grows as the square of the depth; a drop is as large
   as that part of the largest one that can hang. */
static void put_hanging(writer *o, const hanging *h) {
    const rn_surface_state *w = o->w;
    const float l = sqrtf(w->def->jets->tension / gravity_of(w)), wide = (float)h->cells * w->t.cell;
    const float share = rn_smaller(0.25f * h->depth * h->depth / (l * l), 1.0f);
    const float radius = rn_smaller(HANGS * l * cbrtf(share), 0.75f * wide);
    const float out = sqrtf(h->out[0] * h->out[0] + h->out[1] * h->out[1]);
    if (wide > GATHERS * l || radius < 0.25f * w->t.cell || !(out > 0.0f)) return;
    ring r = {.along = {0.0f, 0.0f, -1.0f}};
    for (int k = 0; k < 3; k++) r.at[k] = h->at[k] / h->sum;
    for (int k = 0; k < 2; k++) r.at[k] += 0.4f * radius * h->out[k] / out;
    r.at[2] -= (0.1f + 0.5f * share) * radius;
    r.side[0] = -h->out[1] / out, r.side[1] = h->out[0] / out;
    cross(r.along, r.side, r.over);
    if (r.at[2] - height_under(w->columns, r.at) > 2.0f * radius) put_drop(o, &r, radius, 1.0f + 0.3f * share);
}

/* Whether there is a stretch nearby that is deeper on average: around a corner, liquid hangs as one drop, on the side
   where it is deepest. */
static bool is_beside_deeper(const writer *o, const hanging *held, int count, int i) {
    const float near = GATHERS * sqrtf(o->w->def->jets->tension / gravity_of(o->w));
    for (int k = 0; k < count; k++) {
        const float deep = held[i].sum / (float)held[i].cells;
        float apart[3];
        if (!held[k].cells || k == i || !(held[k].sum / (float)held[k].cells > deep)) continue;
        for (int d = 0; d < 3; d++) apart[d] = held[i].at[d] / held[i].sum - held[k].at[d] / held[k].sum;
        if (length_of(apart) < near) return true;
    }
    return false;
}

/* Writes the drops that hang from brinks which hold liquid back. */
static void put_held(writer *o) {
    const rn_surface_state *w = o->w;
    hanging held[MOST_DRIPPING];
    if (w->def->no_sheets || !(w->per_foot > 0.0f) || !(w->def->jets->tension > 0.0f)) return;
    const int count = find_held(w, held);
    join_held(w, held, count);
    for (int i = 0; i < count; i++)
        if (held[i].cells && !is_beside_deeper(o, held, count, i)) put_hanging(o, &held[i]);
}

void rn_jets_room(const rn_surface_def *def, size_t *vertices, size_t *triangles) {
    const size_t pours = def->jets && def->jets->pour_count > 0 ? (size_t)def->jets->pour_count : 0;
    *vertices = pours * (TUBE_VERTICES + (MOST_DROPS + 1) * DROP_VERTICES);
    *triangles = pours * (TUBE_TRIANGLES + (MOST_DROPS + 1) * DROP_TRIANGLES);
}

void rn_jets_fill(const rn_surface_state *w) {
    const rn_surface_jets *jets = w->def->jets;
    rn_mesh *mesh = w->mesh;
    writer o = {.w = w, .vertex = mesh->vertex_count, .triangle = mesh->triangle_count};
    jet j;
    float foot;
    if (!jets) return;
    o.id = (uint32_t)rn_surface_first_jet(w->columns);
    for (int i = 0; i < jets->pour_count; i++) {
        if (!jet_of_pour(w, &jets->pours[i], &j, &foot)) continue;
        foresee(jets, foot, &j);
        put_jet(&o, &j, j.flow, 0.0f);
    }
    put_falls(&o);
    put_held(&o);
    mesh->vertex_count = o.vertex;
    mesh->triangle_count = o.triangle;
}
