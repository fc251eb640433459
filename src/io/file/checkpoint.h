/* A run on disk: the scene with its changes, the number of frames done, and the state of its world. Failures leave the
   reason in rn_last_error(). */
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

/* Writes the file completely or not at all: after a failure (RN_FILE) an older file under this name is unchanged.
   `checkpoint` must have a scene path, a scene and a state; a path or scene that is too long to be read back is not
   refused. */
rn_result rn_checkpoint_write(const char *path, const rn_checkpoint *checkpoint);
/* Reads a file into `checkpoint`, whose old content is not freed. Returns RN_FILE if it cannot be read; RN_FORMAT if it
   is truncated, damaged or of another version; or RN_MEMORY if memory runs out. Scene and state are not interpreted.
   Free the checkpoint with rn_checkpoint_free, also after a failure. */
rn_result rn_checkpoint_read(const char *path, rn_checkpoint *checkpoint);
/* Frees the parts and empties the checkpoint; not the struct itself. */
void rn_checkpoint_free(rn_checkpoint *checkpoint);

#endif
