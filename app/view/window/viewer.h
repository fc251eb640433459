/* The viewer: the state of the window, and everything that keys, mouse, panel and scripts do to it. It uses neither
   GLFW nor Dear ImGui.

   Order of calls: viewer_start; set `renderer`; viewer_open...; then in each frame input, viewer_update and
   viewer_draw; viewer_end. The viewer runs on the window's thread. The simulation runs on its own (rn_live) and gets
   actions as commands; the viewer shows its newest frame. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include "base/platform.h"
#include "view/session.h"
#include "view/window/film.h"
#include "view/window/history.h"
#include "view/window/loader.h"

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum viewer_tool {
    TOOL_LOOK, /* the mouse turns the view */
    TOOL_POUR,
    TOOL_SUCK,
    TOOL_PUSH,
    TOOL_DROP,
    TOOL_DRAG,
    TOOL_DIG,
    TOOL_RAISE,
    TOOLS,
} viewer_tool;

extern const char *const viewer_tool_names[TOOLS];
enum { VIEWER_PROPS = 4 };
extern const char *const viewer_prop_names[VIEWER_PROPS];

/* Marks drawn over the scene, in addition to the colours of rn_overlay; bits that can be combined. */
typedef enum viewer_marks { MARKS_NONE, MARKS_ARROWS = 1, MARKS_REST = 2, MARKS_PROBES = 4 } viewer_marks;

typedef enum viewer_button { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE, BUTTONS } viewer_button;

/* Choices of the user that are kept between runs (view/window/store.h). */
typedef struct viewer_settings {
    int width, height, x, y; /* size and place of the window; x or y below -30000: place not known */
    bool panel;              /* it is shown */
    double speed;            /* simulated seconds per second */
    double rate;             /* of pouring, relative to viewer.suits_rate */
    double radius;           /* of brushes, relative to viewer.suits_radius */
} viewer_settings;

enum { VIEWER_TEXT = LOADER_TEXT, VIEWER_SAVES = 4 };

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
    char solver[16], model[16], passages[16], contact[16];
    bool playing;
    double suits_radius, suits_rate, suits_size; /* m, m^3/s and m that suit this scene */
    loader loading;

    /* The picture. */
    rn_renderer *renderer;
    uint64_t drawn, ground; /* numbers of the frame and of the ground that the renderer has */
    int width, height;      /* pixels of the part of the window that shows the scene */
    rn_orbit orbit;
    rn_camera camera;
    rn_overlay overlay;
    unsigned marks; /* bits of viewer_marks */
    int view;       /* which of the scene's views is shown; -1: the camera was moved since */

    /* Tools and mouse. */
    viewer_tool tool;
    int prop;              /* the body to drop, in viewer_prop_names */
    double rain;           /* mm/h */
    double tilt[2];        /* degrees that gravity is tilted along x and y */
    double x, y;           /* pixels, position of the mouse */
    double last_x, last_y; /* the same at its previous move */
    bool down[BUTTONS];
    bool working;   /* the tool is in use */
    bool over;      /* the mouse is over ground or liquid */
    rn_vec3 hit;    /* m, the place under the mouse */
    rn_vec3 pushed; /* m, where the tool "push", "dig" or "raise" last acted */
    double grip;    /* m, distance of the dragged body from the camera, along the ray */
    int body;       /* the dragged body; -1: none */

    /* Pages, messages, commands and files. */
    bool choosing, helping; /* the choice of scenes or the page of keys is open */
    char notice[VIEWER_TEXT];
    bool notice_is_bad;           /* it is an error */
    double notice_time;           /* s, clock when it was set */
    uint64_t errors;              /* failures of the simulation that have been shown */
    uint64_t sent;                /* commands sent to the simulation so far */
    action waiting[ACTION_KINDS]; /* the latest action of each kind that is held back while the simulation is slow */
    bool waits[ACTION_KINDS];     /* there is one */
    struct {
        char path[INPUT_PATH]; /* "": unused */
        uint64_t after;        /* written once the simulation has run this many commands */
        uint64_t errors;       /* failures before it was sent */
    } saves[VIEWER_SAVES];     /* files that the simulation is writing */
    history plots;
    double spent; /* s, real time of the last step in the plots */
    film record;
    double next_picture;           /* s, simulated time of the film's next picture */
    char record_input[INPUT_PATH]; /* where to write the input log at the end; "": nowhere */
    bool quit;
} viewer;

/* Sets the state at the start: no scene. The caller then sets `renderer`. */
void viewer_start(viewer *v, const viewer_settings *settings);
/* Ends the simulation, writes the input log if that was asked for, and frees everything. */
void viewer_end(viewer *v);

/* ---- Scenes ---- */

/* Opens a scene by its name, or a file, in the background; the current scene pauses and stays on screen until then.
   Refused with a notice while another scene is being opened. */
void viewer_open(viewer *v, const char *what);
/* Opens a scene or file as viewer_open does, with changes "KEY=VALUE". Ignored while another scene is being opened. */
void viewer_open_with(viewer *v, const char *what, const char *const *set, int count);
/* Opens the scene of a log and replays the log, which must stay valid until the scene is open. */
void viewer_open_replay(viewer *v, inputs *log);
/* Opens the current scene again, from its start. */
void viewer_reset(viewer *v);
/* Opens the current scene again, from its start, with a changed value "KEY=VALUE". change NULL: without one. */
void viewer_restart_with(viewer *v, const char *change);
/* Whether a scene is being opened, or waits for that. */
bool viewer_is_loading(const viewer *v);

/* ---- Time ---- */

void viewer_play(viewer *v, bool playing);      /* plays or pauses */
void viewer_step(viewer *v);                    /* pauses, then takes one step */
void viewer_set_speed(viewer *v, double speed); /* simulated seconds per second, limited to 1/64 to 64 */

/* ---- Tools and settings of the scene ---- */

/* Sends an action to the simulation; while that is slow, may hold it back until there is room. */
void viewer_act(viewer *v, const action *what);
/* Changes a value of the running scene: "KEY=VALUE". */
void viewer_set(viewer *v, const char *change);
/* Starts, changes or, with 0, ends rain on the whole scene. */
void viewer_set_rain(viewer *v, double mm_per_hour);
/* Tilts gravity along x and y, by at most 45 degrees; its strength stays. */
void viewer_set_tilt(viewer *v, double x_degrees, double y_degrees);
/* Chooses a tool; the one in use ends. */
void viewer_choose_tool(viewer *v, viewer_tool tool);
double viewer_radius(const viewer *v); /* of the brush (m) */
double viewer_rate(const viewer *v);   /* of pouring (m^3/s) */

/* ---- Files ---- */

typedef enum viewer_file { FILE_CHECKPOINT, FILE_INPUTS, FILE_SCENE } viewer_file;
/* Has the simulation write a file of this kind. path NULL: into the current folder, named after the scene and the
   time. */
void viewer_save(viewer *v, viewer_file kind, const char *path);
/* Ends the film that is being made or, if there is none, starts one. path NULL: named as by viewer_save. */
void viewer_film(viewer *v, const char *path);
/* Saves a PNG of the scene without the panel. path NULL: named as by viewer_save. False after a notice. */
bool viewer_screenshot(viewer *v, const char *path);

/* ---- The view ---- */

void viewer_look(viewer *v, int view);              /* shows the scene's view of this number, modulo their count */
void viewer_orbit(viewer *v, double dx, double dy); /* turns the camera, for a mouse move of dx, dy pixels */
void viewer_pan(viewer *v, double dx, double dy);   /* moves the scene by dx, dy pixels */
void viewer_zoom(viewer *v, double clicks);         /* of the wheel; above 0: closer */

/* ---- Mouse input, from a window or a script: only what is not for the panel. Positions are in pixels ---- */

void viewer_move(viewer *v, double x, double y);  /* the mouse is here now: moves the camera, or the tool works on */
void viewer_leave(viewer *v, double x, double y); /* the mouse is over the panel */
void viewer_press(viewer *v, viewer_button button, bool down);

/* ---- Frames ---- */

/* Takes the simulation's newest frame, shows a scene that has been opened, and sends what was held back. Call it before
   drawing. */
void viewer_update(viewer *v);
/* Draws the scene into the current OpenGL context and, if one is due, a picture of the film. */
rn_result viewer_draw(viewer *v);
/* Shows a notice for a while; bad: as an error. */
RN_PRINTF(3, 4) void viewer_tell(viewer *v, bool bad, const char *format, ...);
/* Writes one line: simulated time, speed, and the substep with what bounds it. */
void viewer_status(const viewer *v, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
