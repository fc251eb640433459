/* Files that the user saves: checkpoints, input logs, scenes, films and pictures.

   Other threads write them: the simulation the state of its session, an encoder the films. Each file is an entry of
   viewer.unwritten until it is complete. The program must not end before files_unwritten is 0. */
#ifndef VIEW_FILES_H
#define VIEW_FILES_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum viewer_file { FILE_CHECKPOINT, FILE_INPUTS, FILE_SCENE } viewer_file;

/* Has the simulation write a file of this kind. path NULL: into the current folder, named after the scene and the time.
   Returns the path, valid until the next files_update, or NULL if nothing is written, because no scene is open or, with
   a notice, because memory or the queue ran out. A later failure appears as a notice. A checkpoint ends rain and tools
   first, so v->rain becomes 0. */
const char *files_save(viewer *v, viewer_file kind, const char *path);
/* Starts a film; none may be in progress. Does nothing without a scene, shows a notice on failure. path NULL: named as
   by files_save. While the film runs, the simulation waits for each of its pictures (files_next_picture). */
void files_start_film(viewer *v, const char *path);
/* Ends the film, if there is one: a thread completes the file, and a notice says when it is saved. If memory runs out,
   shows a notice, and the film goes on. */
void files_end_film(viewer *v);
/* Returns whether a film is being made that is due to take a picture of the newest frame, and that has room for it;
   with a script, room does not matter. */
bool files_is_picture_due(const viewer *v);
/* Lets the simulation take the steps until the next picture of the film, and sets v->picture_step to the number of
   steps at that picture. Call it after a picture. */
void files_next_picture(viewer *v);
/* Has the next frame saved as a PNG: the scene with its marks, without the panel. path NULL: named as by files_save.
   Does nothing without a scene. */
void files_save_picture(viewer *v, const char *path);
/* Saves the picture that was asked for, if one was, and shows a notice of success or failure. Call it when the scene
   has been drawn. */
void files_take_picture(viewer *v);
/* Shows a notice for each file that has been completed or has failed since the last call, and frees its entry. Call it
   in every frame. */
void files_update(viewer *v);
/* Counts the input log of --record-input among the files that are not complete. To be called once, if v->record_input
   is set, before the first scene is opened. */
void files_expect_record(void);
/* Writes the input log of a session (NULL: none is written) to v->record_input, once; does nothing if that is "".
   Prints an error on failure. */
void files_write_record(viewer *v, session *s);
/* Waits until all files are complete. The simulations must have ended. Prints what failed, and a picture that was asked
   for and never taken. */
void files_finish(viewer *v);
/* Returns how many files are not complete yet, including a film that is being made and a picture that is to be taken.
   For any thread. */
int files_unwritten(void);

#ifdef __cplusplus
}
#endif

#endif
