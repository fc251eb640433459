/* Slight variations of lightness, so that ground does not look like plastic. */
#ifndef RN_RENDER_MOTTLE_H
#define RN_RENDER_MOTTLE_H

/* The lightness at a position (m): 0 to 1, around a half, always the same there; per_metre: spots per metre, with finer
   ones on top. */
float rn_mottle(const float position[3], float per_metre);

#endif
