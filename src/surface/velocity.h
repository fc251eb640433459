/* The velocity of the liquid in a column. */
#ifndef RN_SURFACE_VELOCITY_H
#define RN_SURFACE_VELOCITY_H

#include "surface/links.h"

/* The velocity (m/s): along x and y the mean flux through the sides of a column in its own layer, divided by the
   largest depth of the columns that they join, because liquid fills a front from behind; along z the rise of the level.
   All are 0 if the columns have no flux fields. The column must be wet. half_per_cell: 1/2 divided by the cell size;
   per_area: 1 divided by the cell's area. */
static inline void rn_column_velocity(const rn_surface_columns *c, float half_per_cell, float per_area, int l, int y,
                                      int x, float velocity[3]) {
    velocity[0] = velocity[1] = velocity[2] = 0.0f;
    if (!c->flux_x.data || !c->flux_y.data) return;
    const float *fx = &c->flux_x.data[l * c->flux_x.layer_stride + y * c->flux_x.row_stride + x];
    const float *fy = &c->flux_y.data[l * c->flux_y.layer_stride + y * c->flux_y.row_stride + x];
    const float *d = &c->depth.data[l * c->depth.layer_stride + y * c->depth.row_stride + x];
    const ptrdiff_t row = c->depth.row_stride, flux_row = c->flux_y.row_stride;
    const bool has_west = x > 0, has_east = x + 1 < c->cells_x, has_south = y > 0, has_north = y + 1 < c->cells_y;
    const float west = has_west ? fx[-1] : 0.0f, east = has_east ? fx[0] : 0.0f;
    const float south = has_south ? fy[-flux_row] : 0.0f, north = has_north ? fy[0] : 0.0f;
    if (west == 0.0f && east == 0.0f && south == 0.0f && north == 0.0f) return; /* the usual case at rest */
    const float here = d[0], across = rn_larger(rn_larger(here, has_west ? d[-1] : 0.0f), has_east ? d[1] : 0.0f);
    const float along = rn_larger(rn_larger(here, has_south ? d[-row] : 0.0f), has_north ? d[row] : 0.0f);
    velocity[0] = half_per_cell * (west + east) / across;
    velocity[1] = half_per_cell * (south + north) / along;
    velocity[2] = (west - east + (south - north)) * per_area;
}

#endif
