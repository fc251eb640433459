/* Materials of parts of the ground in a scene: the list "coats" of its "view". */
#ifndef RN_IO_COATS_H
#define RN_IO_COATS_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <runnel/skin.h>

typedef struct rn_coats {
    rn_coat coats[RN_MOST_COATS];
    rn_sdf *regions[RN_MOST_COATS]; /* NULL: the solids of the scene */
    int count;
    rn_paint paints[RN_MOST_COATS]; /* for rn_skin_def */
} rn_coats;

/* Reads a list of coats (NULL: none). place: of the view. Free *coats, which must be 0 before, with rn_coats_free, also
   after a failure. Returns RN_LIMIT if there are more than RN_MOST_COATS. */
rn_result rn_coats_read(rn_shape_context *shapes, const json_t *list, const rn_json_path *place, rn_coats *coats);
void rn_coats_free(rn_coats *coats);

#endif
