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

/* Writes how much liquid churns at each vertex, one number per vertex, to `churn`: the gradient of the horizontal
   velocity (1/s), averaged over the triangles up to three edges away, so that it does not flicker as bodies cross
   cells. All are 0 if the mesh has no velocities. room: scratch for two numbers per vertex. */
void rn_churn_find(const rn_mesh *surface, float *churn, float *room);

#endif
