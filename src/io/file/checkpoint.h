/* A run on disk: the scene with its changes, the number of frames done, and the state of its world. */
#ifndef RN_IO_CHECKPOINT_H
#define RN_IO_CHECKPOINT_H

#include <runnel/base.h>

typedef struct rn_checkpoint {
    char *scene_path; /* where the scene was read from: files that it names are relative to it */
    char *scene;      /* JSON */
    size_t scene_size;
    void *state; /* the bytes of an rn_snapshot, then of rn_scene_bodies_save */
    size_t state_size;
    int frame; /* frames done */
} rn_checkpoint;

/* Writes the file completely or not at all. */
rn_result rn_checkpoint_write(const char *path, const rn_checkpoint *checkpoint);
/* Refuses files that are truncated, damaged or of an unknown version. Free the checkpoint in any case. */
rn_result rn_checkpoint_read(const char *path, rn_checkpoint *checkpoint);
void rn_checkpoint_free(rn_checkpoint *checkpoint);

#endif
