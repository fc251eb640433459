/* The free-surface conditions of Gates 2001: speeds on the faces between a liquid cell and its empty neighbours. His
   listing has 63 cases, one for each set of empty neighbours; three rules give all of them:

   1. An axis with two empty neighbours is pushed by the body force alone: both of its faces gain g dt.
   2. If some axes have exactly one empty neighbour, their free faces share the divergence of all other axes equally.
   3. If no axis has exactly one, the faces of the axes with two share the divergence of the cell equally, unless all
      six neighbours are empty.

   After them the cell is free of divergence, except with six empty neighbours. Section 2.2 of the paper says that a
   cell with two opposite empty neighbours moves by body forces only; the listing also removes its divergence. The
   listing is followed. */
#ifndef RN_KERNELS_GATES_H
#define RN_KERNELS_GATES_H

#include "base/inline.h"

#include <stdint.h>

/* Sets the speeds of faces to empty neighbours; all others stay. face: speeds (m/s) at -x, +x, -y, +y, -z, +z. empty: 1
   where the neighbour there is empty, else 0. spacing: the cell's sides (m). gain: body force times time step (m/s)
   along x, y, z; 0 if it was added before. */
RN_SCALAR void rn_gates(float face[6], const uint8_t empty[6], const float spacing[3], const float gain[3]) {
    int single = 0, pairs = 0;
    float rest = 0.0f, divergence = 0.0f; /* 1/s: of the axes without a single free face; of the cell */
    for (int a = 0; a < 3; a++) {
        float *low = &face[2 * a], *high = &face[2 * a + 1];
        const int open = empty[2 * a] + empty[2 * a + 1];
        if (open == 2) { /* rule 1 */
            *low += gain[a];
            *high += gain[a];
        }
        single += open == 1;
        pairs += open == 2;
        divergence += (*high - *low) / spacing[a];
        if (open != 1) rest += (*high - *low) / spacing[a];
    }
    const float each = single                     ? rest / (float)single
                       : pairs == 3 || pairs == 0 ? 0.0f
                                                  : divergence / (float)(2 * pairs);
    for (int a = 0; a < 3; a++) {
        float *low = &face[2 * a], *high = &face[2 * a + 1];
        const int open = empty[2 * a] + empty[2 * a + 1];
        if (open == 1) { /* rule 2 */
            if (empty[2 * a]) *low = *high + spacing[a] * each;
            else *high = *low - spacing[a] * each;
        } else if (open == 2 && !single) { /* rule 3 */
            *low += spacing[a] * each;
            *high -= spacing[a] * each;
        }
    }
}

#endif
