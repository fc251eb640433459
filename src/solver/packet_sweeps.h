/* The loops over rows of cells of the packets solver, where its substeps spend their time. Private to the solver's own
   files. */
#ifndef RN_SOLVER_PACKET_SWEEPS_H
#define RN_SOLVER_PACKET_SWEEPS_H

#include "base/dispatch.h"
#include "kernels/packet.h"
#include "solver/columns.h"

enum { RN_PACKET_FIELDS = 3, RN_PACKET_ROWS = 3 }; /* sums of a cell; rows of them that a pass keeps */

/* What a substep reads and writes: arrays over slots. A pass moves packets from (h, u, v) to (h1, u1, v1), and another
   goes back with pressure and drag. */
typedef struct rn_packet_pass {
    const rn_packet_params *params;
    const rn_columns *columns;
    const float *z; /* m, ground, as it continues past edges */
    float *h, *u, *v;
    float *h1, *u1, *v1;
    float *transfer_x, *transfer_y; /* m, moved over the sides at +x and +y; NULL: not needed */
    const uint8_t *plain;           /* the ground around is level, and there is some */
    uint8_t *far;                   /* packets of the cell land further away */
    float kappa, manning, chezy;    /* of all ground, where the columns have none of their own */
    bool near;                      /* nothing travels further than half a cell */
    int count;                      /* packets along a side of a cell */
    int32_t stride;                 /* slots of a row */
    int nx, margin;                 /* cells of a row, and how many past each end are written too */
} rn_packet_pass;

/* The most that some cells have. */
typedef struct rn_packet_peaks {
    float deepest, fastest, highest; /* m, m/s, and m above the datum, of surfaces */
} rn_packet_peaks;

typedef struct rn_packet_sweeps {
    /* Sends off the packets of a row, known by its slot of x = 0; `sums` takes RN_AROUND * RN_PACKET_FIELDS rows of
       `stride` floats. `own`: notes in `far` what it finds; other threads may send off the same row without. */
    void (*send)(const rn_packet_pass *p, int32_t row, bool own, float *sums);
    /* Puts together what has come to a row from the rows before, here and after. */
    void (*gather)(const rn_packet_pass *p, int32_t row, const float *before, const float *here, const float *after);
    /* What has gone over the sides of a row at +x and +y. */
    void (*count)(const rn_packet_pass *p, int32_t row, const float *here, const float *after);
    /* Pressure and drag of a row, whose extremes are added. */
    void (*kick)(const rn_packet_pass *p, int32_t row, rn_packet_peaks *extremes);
} rn_packet_sweeps;

RN_ISA_TABLES(const rn_packet_sweeps, rn_packet_sweeps);

#endif
