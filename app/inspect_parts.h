/* What the parts of `runnel inspect` share among themselves. */
#ifndef INSPECT_PARTS_H
#define INSPECT_PARTS_H

#include "inspect.h"

/* "tif" of "a/b.TIF", whatever its case. */
bool inspect_has_ending(const char *path, const char *ending);

/* As many cells as asked for over something of this plan (m) with a margin around it, a share of its longer side. False
   after a sentence. */
bool inspect_choose_cells(inspection *i, double size_x, double size_y, double margin);

/* Whether --unit, --up, --as and --thickness make sense; false after a sentence. */
bool inspect_check_mesh_options(const inspect_options *o);
const char *inspect_meaning(rn_mesh_meaning meaning);
bool inspect_mesh(inspection *i);

bool inspect_is_terrain(const char *path);
bool inspect_terrain(inspection *i);

#endif
