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

/* Lists how far faces are shut, from the coverage of cells and the solid that bodies swept over the faces along each
   axis. faces NULL: not known, and faces are as shut as the cells beside them. The grid has nx * ny cells. False
   without memory. */
bool rn_blocking_faces(const rn_cover *cells, const rn_cover faces[2], int32_t nx, int32_t ny, const rn_hooks *hooks,
                       rn_face_blockages *shuts);

#endif
