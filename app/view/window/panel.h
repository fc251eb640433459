/* The panel: Dear ImGui behind a C interface. It calls the functions of viewer.h, and nothing calls it but the window.
 */
#ifndef VIEW_PANEL_H
#define VIEW_PANEL_H

#include "view/window/posters.h"
#include "view/window/viewer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the window tells it in every frame. */
typedef struct panel_input {
    double x, y; /* of the mouse, in units of the window */
    bool down[BUTTONS];
    double wheel;      /* clicks since the last frame */
    double seconds;    /* since the last frame */
    int width, height; /* of the window, in its units */
    double pixels;     /* in a unit of the window */
    bool hurried;      /* nothing fades */
} panel_input;

/* The GL of the window is current. False: it cannot draw. */
bool panel_open(double scale);
void panel_close(void);
/* How wide the panel is (units of the window); 0: hidden. */
int panel_width(const viewer *v);
/* Lays out one frame, and does what is clicked on. */
void panel_frame(viewer *v, posters *p, const panel_input *in);
/* Draws it over what there is. */
void panel_draw(void);
/* Whether the mouse is the panel's: over it, or dragging something in it. */
bool panel_wants_mouse(void);

#ifdef __cplusplus
}
#endif

#endif
