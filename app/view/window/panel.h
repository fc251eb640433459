/* The interface that is drawn over the scene with Dear ImGui: panel, transport bar, pages, marks and notices, behind a
   C interface. It calls the functions that keys and scripts call; only the window calls it.

   Order of calls: panel_open; in each frame panel_frame and panel_draw; panel_close. Lengths are in units of the
   window, which may have several pixels. */
#ifndef VIEW_PANEL_H
#define VIEW_PANEL_H

#include "view/window/state.h"
#include "view/window/thumbnails.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Input of one frame, from the window. */
typedef struct panel_input {
    double x, y;        /* position of the mouse */
    bool down[BUTTONS]; /* mouse buttons */
    double wheel;       /* clicks since the last frame */
    double seconds;     /* since the last frame */
    int width, height;  /* of the window */
    double pixels;      /* per unit of the window */
    bool notices_stay;  /* notices do not fade, for scripts */
} panel_input;

/* Loads fonts and style; scale: units of the window per unit of the design. The window's OpenGL context must be
   current, here and in panel_draw. Returns false, without a message, if drawing is not possible. */
bool panel_open(double scale);
/* Frees fonts and style. Not without panel_open. */
void panel_close(void);
/* Returns the width of the panel (units of the window), or 0 if it is hidden, the window is too narrow for it, or no
   scene is open. */
int panel_width(const viewer *v);
/* Lays out one frame of the interface, and does what the user clicks on. */
void panel_frame(viewer *v, thumbnails *p, const panel_input *in);
/* Draws only the marks on the scene, of the frame that was laid out: arrows, tiles at rest, probes, and the legend of
   the colours. Does nothing if they are drawn already. */
void panel_draw_marks(void);
/* Draws the frame that was laid out over the scene; the marks only if panel_draw_marks has not. */
void panel_draw(void);
/* Returns whether mouse input is for the interface: the mouse is over it, or drags something in it. */
bool panel_wants_mouse(void);

#ifdef __cplusplus
}
#endif

#endif
