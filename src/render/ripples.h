/* A square of random detail that tiles without seams, for everything finer than a cell outdoors; and how much liquid
   churns. */
#ifndef RN_RENDER_RIPPLES_H
#define RN_RENDER_RIPPLES_H

#include <runnel/mesh.h>

#include <stdint.h>

enum { RN_RIPPLES_SIDE = 256 };

/* Writes RN_RIPPLES_SIDE squared texels, always the same: slope of small waves along x and along y, 127.5 for none; the
   web of foam; spots of soil and grass. */
void rn_ripples_make(uint8_t (*texels)[4]);

/* Finds how much liquid churns at each vertex: the variation of its velocity around it (1/s), as a mean over the
   triangles up to three edges away, so that it does not flicker as bodies cross cells. 0 if the mesh has no velocities.
   churn: one number per vertex; room: scratch for twice as many. */
void rn_churn_find(const rn_mesh *surface, float *churn, float *room);

#endif
