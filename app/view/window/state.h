/* The state of the window, shared by the files that act on it: scenes, simulation, hand, camera, files and viewer. It
   uses neither GLFW nor Dear ImGui, and belongs to the window's thread. */
#ifndef VIEW_STATE_H
#define VIEW_STATE_H

#include "base/platform.h"
#include "view/props.h"
#include "view/session.h"
#include "view/window/film.h"
#include "view/window/history.h"
#include "view/window/loader.h"
#include "view/window/recents.h"

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All tools, in one list: X(tool, name in scripts, name on the panel, digit of its key, help). */
#define TOOL_LIST(X)                                                                                                   \
    X(TOOL_LOOK, "look", "Look", 1, "look around")                                                                     \
    X(TOOL_POUR, "pour", "Pour", 2, "pour")                                                                            \
    X(TOOL_SUCK, "suck", "Suck", 3, "suck")                                                                            \
    X(TOOL_PUSH, "push", "Push", 4, "push the liquid")                                                                 \
    X(TOOL_DROP, "drop", "Drop", 5, "drop a body")                                                                     \
    X(TOOL_DRAG, "drag", "Drag", 6, "drag a body")                                                                     \
    X(TOOL_DIG, "dig", "Dig", 7, "dig")                                                                                \
    X(TOOL_RAISE, "raise", "Raise", 8, "raise the ground")

typedef enum viewer_tool {
#define TOOL_ENUM(tool, name, title, digit, help) tool,
    TOOL_LIST(TOOL_ENUM)
#undef TOOL_ENUM
        TOOLS
} viewer_tool;

extern const char *const viewer_tool_names[TOOLS]; /* in scripts */

/* Marks drawn over the scene, in addition to the colours of rn_overlay; bits that can be combined. */
typedef enum viewer_marks {
    MARKS_NONE,
    MARKS_ARROWS = 1,
    MARKS_REST = 2,
    MARKS_PROBES = 4,
    MARKS_ALL = 7,
} viewer_marks;

/* A page that covers the scene. While one is open, keys act on the page, not on the scene behind it. */
typedef enum viewer_page { PAGE_NONE, PAGE_SCENES, PAGE_KEYS, PAGE_FILES } viewer_page;

typedef enum viewer_button { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE, BUTTONS } viewer_button;

/* Choices of the user that are kept between runs (view/window/store.h). */
typedef struct viewer_settings {
    int width, height, x, y; /* size and place of the window; x or y below -30000: place not known */
    bool panel;              /* it is shown */
    double speed;            /* simulated seconds per second */
    double rate;             /* of pouring, relative to viewer.default_rate */
    double radius;           /* of brushes, relative to viewer.default_radius */
} viewer_settings;

enum { VIEWER_TEXT = LOADER_TEXT };

typedef struct viewer {
    viewer_settings settings;
    bool scripted; /* a script decides when steps are taken */

    /* The scene. current, live and frame are NULL if none is open. */
    session *current; /* used by the simulation thread while `live` runs */
    rn_live *live;
    const rn_live_frame *frame; /* the newest */
    int steps_asked;            /* single steps that a script is to take */
    rn_scene_info info;         /* of the scene, before the simulation started */
    char title[VIEWER_TEXT];
    rn_liquid liquid;                                               /* as it is drawn */
    double viscosity, contact_angle, friction, gravity[3], courant; /* as the panel shows them; SI units, degrees */
    double opened_friction, opened_courant;                         /* of the scene as it was opened */
    bool from_checkpoint;                                           /* it continues a checkpoint */
    texts restart;      /* the change "KEY=VALUE" to restart the scene with; empty: none */
    texts accepted;     /* changes that the simulation has accepted; complete once `answered` commands have run */
    bool accepted_lost; /* there was not enough memory for them; known then too */
    uint64_t answered;
    texts aside;       /* changes that do not suit the solver, kept for one that they suit */
    double later_rain; /* mm/h, to begin when the scene that is being opened is there */
    double aside_rain; /* mm/h, kept while the solver has no rain */
    char solver[16], model[16], passages[16], contact[16];
    bool playing;
    double default_radius, default_rate, default_size; /* m, m^3/s and m, from the size of the scene */
    loader loading;
    inputs opened_log; /* a log that is being opened to be replayed; otherwise empty */

    /* The picture. */
    rn_renderer *renderer;
    bool (*grab)(void *window, uint8_t *pixels); /* draws the marks over the scene and reads both back, width * height *
                                                    3 bytes RGB; returns false if that is not possible */
    void *window;                                /* for `grab` */
    bool picture_wanted;                         /* the next frame is to be saved as picture_path */
    char picture_path[INPUT_PATH];
    uint64_t drawn, ground; /* numbers of the frame and of the ground that the renderer has */
    int width, height;      /* pixels of the part of the window that shows the scene */
    double pixels;          /* per unit of the window, in which the mouse is given */
    rn_orbit orbit;
    rn_camera camera;
    rn_overlay overlay;
    unsigned marks; /* bits of viewer_marks */
    int view;       /* which of the scene's views is shown; -1: the camera was moved since */

    /* Tools and mouse. */
    viewer_tool tool;
    int prop;              /* the body to drop, in prop_list */
    double rain;           /* mm/h */
    double tilt[2];        /* degrees that gravity is tilted along x and y */
    double x, y;           /* pixels, position of the mouse */
    double last_x, last_y; /* pixels, its position at the previous move */
    bool down[BUTTONS];
    bool working;                  /* the tool is in use */
    bool over;                     /* the mouse is over ground or liquid */
    rn_vec3 hit;                   /* m, the place under the mouse */
    rn_vec3 pushed;                /* m, where the tool "push", "dig" or "raise" last acted */
    double grip;                   /* m, distance of the dragged body from the camera, along the ray */
    int body;                      /* the dragged body; -1: none */
    double sent_radius, sent_rate; /* m and m^3/s, of the pour or suck in use as it was sent last */

    /* Pages, messages, commands and files. */
    viewer_page page;
    int entry, entries, entry_columns; /* of a page: the selected entry, how many there are, and in how many columns */
    bool entry_moved,
        entry_entered; /* the selection is to be scrolled to; it is to be opened; until the page does it */
    double page_scroll, panel_scroll; /* lines that the page of keys and the panel are still to scroll down */
    recents files;                    /* the entries of PAGE_FILES */
    char notice[VIEWER_TEXT];
    bool notice_is_bad;           /* it is an error */
    double notice_time;           /* s, clock when it was set */
    uint64_t errors;              /* failures of the simulation that have been shown */
    uint64_t sent;                /* commands sent to the simulation so far */
    action waiting[ACTION_KINDS]; /* the latest action of each kind that is held back while the simulation is slow */
    bool waits[ACTION_KINDS];     /* there is one */
    struct unwritten *unwritten;  /* files that other threads are writing (view/window/files.h) */
    history plots;
    double drawing;     /* s, real time of the last drawn frame */
    double waited;      /* s, real time of all exchanges with the simulation since the scene was opened */
    uint64_t blocked;   /* how often the window's thread was put to sleep in them */
    uint64_t exchanges; /* their number, one per frame */
    film record;
    int film_format;               /* of new films, in film_formats */
    uint64_t picture_step;         /* the film's next picture shows the scene after this many steps */
    char record_input[INPUT_PATH]; /* where to write the input log at the end; "": nowhere */
    bool quit;
} viewer;

/* Shows a notice for a while, in place of the last one; bad: it is shown as an error. */
RN_PRINTF(3, 4) void viewer_tell(viewer *v, bool bad, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
