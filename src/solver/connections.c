/* The passes over connections in a momentum-carrying substep, and their division among threads. The loops themselves
   are in solver/connection_sweeps.c.

   Interface, in the order of a substep (solver/connections.h): rn_connections_list, rn_connections_look,
   rn_connections_kick, rn_connections_sum, rn_connections_cross. solver/momentum.c calls them: in an explicit
   substep look runs together with the kick of tiles, and sum together with their transfers, which saves two waits
   for all threads. kick needs the half speeds of tiles, and cross their next speeds. rn_momentum_predict of implicit
   substeps leaves sum out.

   Algorithm: most connections of a large world are dry. rn_connections_list walks over chunks of RN_CHUNK
   connections and skips those that were dry and whose tiles are dry where the connections end. The first listing
   after columns have changed examines all chunks, and only the second finds which tiles a chunk depends on: where
   columns change in every substep, that would be wasted. The connections with liquid at an end are listed in order,
   and so are the junctions that have such connections. The other passes work on batches of that list: batches are
   independent of each other, so any number of threads gives the same bits. Connections that have dried are stopped,
   so that no old speed returns with the liquid. */
#include "solver/connections.h"

#include "base/lanes.h"
#include "base/threads.h"
#include "solver/connection_links.h"
#include "solver/connection_sweeps.h"

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

/* The number of chunks, the last one perhaps shorter. */
static int chunk_count(const rn_connections *j) { return (j->count + RN_CHUNK - 1) / RN_CHUNK; }

/* One past the last connection of a chunk. */
static int chunk_end(const rn_connections *j, int chunk) {
    return (chunk + 1) * RN_CHUNK < j->count ? (chunk + 1) * RN_CHUNK : j->count;
}

/* Adds a part of a tile to those that the chunk watches. The chunk's list must be the last in chunk_tiles, which must
   have room for one more. Tile numbers below 0 or beyond the last are ignored. */
static void watch_tile(rn_state *s, rn_connection_chunk *chunk, int32_t tile, rn_tile_mask where) {
    if (tile < 0 || tile >= rn_tile_count(&s->columns.grid)) return;
    rn_watched_tile *watched = s->connections.chunk_tiles + chunk->begin,
                    *end = s->connections.chunk_tiles + chunk->end;
    while (watched < end && watched->tile != tile) watched++;
    if (watched == end) *watched = (rn_watched_tile){tile, {0}}, chunk->end++;
    watched->where.lines |= where.lines, watched->where.blocks |= where.blocks;
}

/* The bits that are set, and those next to them on either side. */
static uint32_t with_neighbours(uint32_t bits) { return bits | bits << 1 | bits >> 1; }

/* Makes a chunk watch the place of a junction, given by its slot; for an ordinary pipe also the places around it,
   because its other column may be beside it or in the next tile. Columns that are not junctions are ignored. At a sink
   the chunk is always examined. */
static void watch_column(rn_state *s, rn_connection_chunk *chunk, int32_t slot, bool irregular) {
    const int32_t index = s->graph.junction_of[slot] - 1, across = rn_tiles_x(&s->columns.grid);
    if (index < 0) return;
    const rn_junction *junction = &s->graph.junctions[index];
    const uint32_t lines = junction->spot.lines, blocks = junction->spot.blocks;
    const uint32_t last_line = 1u << (RN_TILE_Y - 1), last_block = 1u << (RN_TILE_BLOCKS - 1);
    chunk->watched = chunk->watched || junction->sink;
    if (irregular) {
        watch_tile(s, chunk, junction->tile, junction->spot);
        return;
    }
    watch_tile(s, chunk, junction->tile, (rn_tile_mask){with_neighbours(lines), with_neighbours(blocks)});
    if (lines & 1u) watch_tile(s, chunk, junction->tile - across, (rn_tile_mask){last_line, blocks});
    if (lines & last_line) watch_tile(s, chunk, junction->tile + across, (rn_tile_mask){1u, blocks});
    if (blocks & 1u) watch_tile(s, chunk, junction->tile - 1, (rn_tile_mask){lines, last_block});
    if (blocks & last_block) watch_tile(s, chunk, junction->tile + 1, (rn_tile_mask){lines, 1u});
}

/* Finds the tiles that each chunk watches. Chunks with sinks are always examined; so are all chunks if edges are
   periodic or columns may be partly solid. */
static void find_tiles(rn_state *s) {
    rn_connections *j = &s->connections;
    int32_t end = 0;
    for (int c = 0; c < chunk_count(j); c++) {
        rn_connection_chunk *chunk = &j->chunks[c];
        chunk->begin = chunk->end = end;
        chunk->watched = s->columns.periodic_x || s->columns.periodic_y || s->columns.partial;
        for (int32_t i = c * RN_CHUNK; i < chunk_end(j, c); i++) {
            watch_column(s, chunk, j->ends[2 * i], j->faces[i].irregular);
            watch_column(s, chunk, j->ends[2 * i + 1], j->faces[i].irregular);
        }
        end = chunk->end;
    }
}

/* Whether the watched parts of a chunk's tiles have no liquid. Returns false also for a chunk that is always
   examined. */
static bool is_dry(const rn_state *s, const rn_connection_chunk *chunk) {
    if (chunk->watched) return false;
    for (int32_t i = chunk->begin; i < chunk->end; i++) {
        const rn_watched_tile *watched = &s->connections.chunk_tiles[i];
        const rn_tile *tile = &s->schedule.tiles[watched->tile];
        const bool wet = (tile->wet.lines & watched->where.lines) && (tile->wet.blocks & watched->where.blocks);
        if (wet && tile->deepest > 0.0f) return false;
    }
    return true;
}

/* The connections of chunk `c` with liquid at an end, as bits. */
static uint64_t find_wet(const rn_connections *j, const float *depth, int c) {
    const int32_t *ends = j->ends + 2 * c * RN_CHUNK;
    const int count = chunk_end(j, c) - c * RN_CHUNK;
    uint64_t wet = 0;
    for (int i = 0; i < count; i++)
        wet |= (uint64_t)((depth[ends[2 * i]] > 0.0f) | (depth[ends[2 * i + 1]] > 0.0f)) << i;
    return wet;
}

/* Stops connection i, which is not wet: sets its speeds and transfer to 0; for an ordinary pipe, whose others the loops
   over rows keep, only the half speed. */
static void stop_connection(rn_state *s, int32_t i) {
    rn_graph *g = &s->graph;
    const rn_connection *connection = &s->connections.faces[i];
    if (connection->irregular)
        g->irregular_speed[i] = g->irregular_next[i] = g->irregular_transfer[i] = g->irregular_half[i] = 0.0f;
    else (connection->axis == 0 ? g->half_x : g->half_y)[connection->pipe] = 0.0f;
}

/* All connections of chunk `c`, as bits: fewer than RN_CHUNK in the last chunk. */
static uint64_t chunk_bits(const rn_connections *j, int c) {
    return UINT64_MAX >> (RN_CHUNK - (chunk_end(j, c) - c * RN_CHUNK));
}

/* Finds the wet connections of chunk `c`, and stops those that no longer are; all dry ones if there are partial solids,
   or if `first` says that nothing is known of the chunk yet. Skips a chunk asleep while its tiles are dry. Returns true
   if the set has changed. */
static bool update_wet_connections(rn_state *s, int c, bool first) {
    rn_connections *j = &s->connections;
    rn_connection_chunk *chunk = &j->chunks[c];
    const bool dry = !first && is_dry(s, chunk);
    if (dry && chunk->asleep) return false;
    const uint64_t was = first ? UINT64_MAX : chunk->wet, is = find_wet(j, s->columns.depth, c);
    chunk->wet = is;
    chunk->asleep = dry && is == 0;
    /* bodies that release irregular pipes may have set liquid in motion that was about to arrive */
    const uint64_t dried = (first || s->columns.partial ? UINT64_MAX : was) & ~is;
    for (uint64_t left = dried & chunk_bits(j, c); left; left &= left - 1)
        stop_connection(s, c * RN_CHUNK + __builtin_ctzll(left));
    return was != is;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Adds a column to the busy junctions, if it is a junction and not yet listed. */
static void list_column(rn_state *s, int32_t slot) {
    const int32_t i = s->graph.junction_of[slot] - 1;
    if (i >= 0 && rn_short_claim(&s->graph.junctions[i].listed))
        s->schedule.busy[rn_short_count(&s->schedule.busy_count)] = i;
}

/* Empties the list of busy junctions, and sets transfers and speeds of their split sides to 0. By lanes, which wait for
   each other. */
static void forget_columns(rn_state *s) {
    RN_FOR_ITEMS (i, 0, s->schedule.busy_count) {
        rn_junction *junction = &s->graph.junctions[s->schedule.busy[i]];
        junction->listed = 0;
        for (int32_t split = junction->split_sides; split < junction->split_end; split++)
            s->connections.split_transfer[split] = s->connections.split_speed[split] =
                s->connections.split_next[split] = s->connections.split_half[split] = 0.0f;
    }
    rn_lanes_meet();
    if (rn_lanes_own() == 0) s->schedule.busy_count = 0;
    rn_lanes_meet();
}

/* Lists wet connections, in order, and busy junctions. Entries past the last, for whole vectors, repeat it. By lanes.
 */
static void make_list(rn_state *s) {
    rn_connections *j = &s->connections;
    int32_t count = 0;
    forget_columns(s);
    RN_FOR_ROUNDS (c, 0, chunk_count(j)) {
        uint64_t wet = c < chunk_count(j) ? j->chunks[c].wet : 0;
        int64_t all;
        int32_t place = count + (int32_t)rn_lanes_before(__builtin_popcountll(wet), &all);
        count += (int32_t)all;
        for (; wet; wet &= wet - 1) {
            const int32_t i = c * RN_CHUNK + __builtin_ctzll(wet);
            j->wet[place++] = i;
            list_column(s, j->ends[2 * i]);
            list_column(s, j->ends[2 * i + 1]);
        }
    }
    rn_lanes_meet();
    if (rn_lanes_own() > 0) return;
    j->wet_count = count;
    for (int lane = 0; lane < RN_LANES_MOST && count > 0; lane++) j->wet[count + lane] = j->wet[count - 1];
}

#if defined(RN_GPU)
enum { GROUP = 512, BATCHES = 512 }; /* as many as a block has lanes */
#else
enum {
    GROUP = 64,
    BATCHES = 1
}; /* busy junctions, about as much work as a tile; batches that a thread takes at once */
#endif

/* The number of groups of busy junctions. */
static int group_count(const rn_state *s) { return (s->schedule.busy_count + GROUP - 1) / GROUP; }

/* The work of rn_connections_list, by lanes; context: the address of the state. */
static void list_by_lanes(const void *context) {
    rn_state *s = *(rn_state *const *)context;
    rn_connections *j = &s->connections;
    const bool first = j->listings == 0, second = j->listings == 1;
    bool changed = first;
    rn_lanes_meet();
    if (rn_lanes_own() == 0) {
        if (second) find_tiles(s); /* the columns have not changed */
        if (j->listings < 2) j->listings++;
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (c, 0, chunk_count(j)) {
        if (first) j->chunks[c] = (rn_connection_chunk){.watched = true};
        changed |= update_wet_connections(s, c, first);
    }
    RN_FOR_ITEMS (n, 0, first ? j->split_count : 0) /* junctions may have been busy that are not listed */
        j->split_transfer[n] = j->split_speed[n] = j->split_next[n] = j->split_half[n] = 0.0f;
    if (rn_lanes_any(changed)) make_list(s);
}

int rn_connections_list(rn_state *s) {
    rn_lanes_run(list_by_lanes, &s);
    return group_count(s);
}

/* One past the last busy junction of group `end` - 1, the last group being shorter. */
static int32_t group_end(const rn_state *s, int end) {
    return end * GROUP < s->schedule.busy_count ? end * GROUP : s->schedule.busy_count;
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

#if !defined(RN_GPU)
void rn_connections_pass(const substep *step, rn_connection_pass pass, int32_t begin, int32_t end,
                         rn_extremes *extremes) {
    const rn_connection_sweeps *sweeps = RN_ISA_CHOSEN(rn_connection_sweeps);
    const int32_t *busy = rn_is_over_junctions(pass) ? step->s->schedule.busy : NULL;
    for (int32_t i = begin; i < end; i++) rn_connection_item(sweeps, step, pass, busy ? busy[i] : i, extremes);
}
#endif

void rn_connections_look(const substep *step, int begin, int end) {
    rn_connections_pass(step, RN_LOOK, begin * GROUP, group_end(step->s, end), NULL);
}

void rn_connections_sum(const substep *step, int begin, int end) {
    rn_connections_pass(step, RN_SUM, begin * GROUP, group_end(step->s, end), NULL);
}

/* The number of batches of wet connections, the last one perhaps shorter; and of groups of these. */
static int batch_count(const rn_state *s) { return (s->connections.wet_count + RN_BATCH - 1) / RN_BATCH; }
static int batch_groups(const rn_state *s) { return (batch_count(s) + BATCHES - 1) / BATCHES; }
/* One past the last batch of group `end` - 1. */
static int batch_end(const rn_state *s, int end) {
    return end * BATCHES < batch_count(s) ? end * BATCHES : batch_count(s);
}

/* A task over groups `begin` to `end` - 1 of busy junctions: half speeds of their split sides. `context`: the
   substep. */
static void average_halves(void *context, int begin, int end, int worker) {
    const substep *step = context;
    (void)worker;
    rn_connections_pass(step, RN_HALVES, begin * GROUP, group_end(step->s, end), NULL);
}

/* A task over groups `begin` to `end` - 1 of batches of wet connections: finds the forces on them. `context`: the
   substep. */
static void find_forces(void *context, int begin, int end, int worker) {
    const substep *step = context;
    (void)worker;
    rn_connections_pass(step, RN_FORCES, begin * BATCHES, batch_end(step->s, end), NULL);
}

/* A task over groups of batches: transport, which gives their next speeds. `context`: the substep. */
static void carry_momentum(void *context, int begin, int end, int worker) {
    const substep *step = context;
    (void)worker;
    rn_connections_pass(step, RN_CARRIES, begin * BATCHES, batch_end(step->s, end), NULL);
}

/* A task over groups of batches: finds their transfers; raises the extremes of `worker`. `context`: the substep. */
static void find_crossings(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_connections_pass(step, RN_CROSSINGS, begin * BATCHES, batch_end(step->s, end),
                        &step->s->schedule.extremes[worker]);
}

void rn_connections_kick(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    rn_parallel_for(pool, batch_groups(s), find_forces, step);
    if (s->graph.half_x) mirror_faces(s, s->graph.half_x, s->graph.half_y);
    if (s->connections.split_count > 1) rn_parallel_for(pool, group_count(s), average_halves, step);
    rn_parallel_for(pool, batch_groups(s), carry_momentum, step);
}

void rn_connections_cross(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, batch_groups(step->s), find_crossings, step);
}
