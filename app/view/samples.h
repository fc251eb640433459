/* Samples: what was measured after each step, passed from the simulation's thread to that of the window without locks.
   One thread calls samples_write, one other samples_read. */
#ifndef VIEW_SAMPLES_H
#define VIEW_SAMPLES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SAMPLE_PROBES = 4 };

typedef struct sample {
    double time;                  /* s, simulated */
    double volume;                /* m^3 */
    double step, surface;         /* s, real time of the step and of its meshes */
    double substeps;              /* of the step */
    double levels[SAMPLE_PROBES]; /* m, at the first probes that are points, not sections */
} sample;

typedef struct samples samples;

/* Returns room for samples, or NULL if memory runs out. Free it with samples_free. */
samples *samples_create(void);
/* Frees the samples. NULL is allowed. */
void samples_free(samples *s);
/* Adds a sample. It is lost if 4096 samples have not been read. */
void samples_write(samples *s, const sample *next);
/* Takes the oldest sample that has not been read. Returns false if there is none. */
bool samples_read(samples *s, sample *next);

#ifdef __cplusplus
}
#endif

#endif
