/* How far bodies shut the faces between cells. */
#ifndef RN_WORLD_BLOCKING_FACES_H
#define RN_WORLD_BLOCKING_FACES_H

#include "solver/reshaping.h"
#include "world/cover.h"

/* Faces that are shut, in order of cells. */
typedef struct rn_face_blockages {
    rn_face_blockage *list;
    size_t count, capacity;
} rn_face_blockages;

/* Replaces the list in `shuts` by all faces that are shut by more than a negligible share, from the coverage of cells,
   with speeds, and the solid that bodies swept over the faces along x and y. faces NULL: not known, and a face is as
   shut as the more covered cell beside it. Faces at the edges of the grid of nx * ny cells are not listed. Returns
   false, with a message, if memory runs out; then the list is empty. */
bool rn_blocking_faces(const rn_cover *cells, const rn_cover faces[2], int32_t nx, int32_t ny, const rn_hooks *hooks,
                       rn_face_blockages *shuts);

#endif
