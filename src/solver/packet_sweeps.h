/* The loops of the packets solver over rows of cells, which take most of its time. Private to the solver's own
   files. */
#ifndef RN_SOLVER_PACKET_SWEEPS_H
#define RN_SOLVER_PACKET_SWEEPS_H

#include "base/dispatch.h"
#include "kernels/packet.h"
#include "solver/columns.h"

enum { RN_PACKET_FIELDS = 3, RN_PACKET_ROWS = 3 }; /* sums per cell; rows of sums that a pass keeps */

/* The arrays over slots that a substep reads and writes. One pass moves packets from (h, u, v) to (h1, u1, v1); the
   next goes back with pressure and drag. */
typedef struct rn_packet_pass {
    const rn_packet_params *params;
    const rn_columns *columns;
    const float *z; /* m, ground, continued beyond edges */
    float *h, *u, *v;
    float *h1, *u1, *v1;
    float *transfer_x, *transfer_y; /* m, moved through the sides at +x and +y; NULL: not needed */
    const uint8_t *plain;           /* there is ground, and it is level all around */
    uint8_t *far;                   /* packets of the cell land beyond the next cell */
    float kappa, manning, chezy;    /* of all ground, where columns do not have their own */
    bool near;                      /* no packet travels more than half a cell */
    int count;                      /* packets along a side of a cell */
    int32_t stride;                 /* slots of a row */
    int nx, margin;                 /* cells of a row, and how many beyond each end are written too */
} rn_packet_pass;

/* Maxima over some cells. */
typedef struct rn_packet_peaks {
    float deepest, fastest, highest; /* m, m/s, and m above the datum (surface) */
} rn_packet_peaks;

typedef struct rn_packet_sweeps {
    /* Sends the packets of a row, given by its slot of x = 0, into `sums`: RN_AROUND * RN_PACKET_FIELDS rows of
       `stride` floats. `own`: marks far packets in `far`; other threads may send the same row without `own`. */
    void (*send)(const rn_packet_pass *p, int32_t row, bool own, float *sums);
    /* Adds up the arrivals in a row, from the sums of the rows before, here and after, and writes h1, u1 and v1. */
    void (*gather)(const rn_packet_pass *p, int32_t row, const float *before, const float *here, const float *after);
    /* Writes the liquid that passed the sides of a row at +x and +y to the transfers. */
    void (*count)(const rn_packet_pass *p, int32_t row, const float *here, const float *after);
    /* Applies pressure and drag to a row, from h1, u1 and v1 to h, u and v, and raises the extremes. */
    void (*kick)(const rn_packet_pass *p, int32_t row, rn_packet_peaks *extremes);
} rn_packet_sweeps;

RN_ISA_TABLES(const rn_packet_sweeps, rn_packet_sweeps);

#endif
