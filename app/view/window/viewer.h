/* The state of the window, and all that keys, mouse, panel and scripts do to it. Knows nothing of GLFW's windows or of
   Dear ImGui. */
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

/* What is drawn over the scene, besides rn_overlay. */
typedef enum viewer_marks { MARKS_NONE, MARKS_ARROWS = 1, MARKS_REST = 2, MARKS_PROBES = 4 } viewer_marks;

typedef enum viewer_button { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE, BUTTONS } viewer_button;

/* What the user has chosen, and is kept from one time to the next. */
typedef struct viewer_settings {
    int width, height, x, y; /* of the window; x, y below -30000: not known */
    bool panel;              /* shown */
    double speed;            /* x real time */
    double rate;             /* of what is poured, in shares of what suits the scene */
    double radius;           /* of brushes, likewise */
} viewer_settings;

enum { VIEWER_TEXT = LOADER_TEXT, VIEWER_SAVES = 4 };

typedef struct viewer {
    viewer_settings settings;
    bool scripted; /* a script says when steps are taken */

    /* The scene. NULL: none is open. */
    session *current;
    rn_live *live;
    const rn_live_frame *frame; /* the newest */
    rn_scene_info info;         /* as it was before the simulation began */
    char title[VIEWER_TEXT];
    rn_liquid liquid; /* as it is drawn */
    double viscosity, contact_angle, friction, gravity[3], courant;
    char solver[16], model[16], passages[16], contact[16];
    bool playing;
    double suits_radius, suits_rate, suits_size; /* m, m^3/s and m that suit this scene */
    loader loading;

    /* The picture. */
    rn_renderer *renderer;
    uint64_t drawn, ground;
    int width, height; /* pixels of the part of the window that shows the scene */
    rn_orbit orbit;
    rn_vec3 middle; /* m, what the camera turns around */
    rn_camera camera;
    rn_overlay overlay;
    unsigned marks;
    int view; /* of the scene's; -1: moved since */

    /* The hand. */
    viewer_tool tool;
    int prop;
    double rain;           /* mm/h */
    double tilt[2];        /* degrees, of gravity along x and y */
    double x, y;           /* pixels, of the mouse */
    double last_x, last_y; /* where it was when it last moved */
    bool down[BUTTONS];
    bool working;   /* the tool is at work */
    bool over;      /* the mouse is over something */
    rn_vec3 hit;    /* m, what it is over */
    rn_vec3 pushed; /* m, where it was when it last pushed */
    double grip;    /* m, depth of the body that is dragged, along the view */
    int body;       /* that is dragged */

    /* What is shown. */
    bool choosing, helping;
    char notice[VIEWER_TEXT];
    bool notice_is_bad;
    double notice_time;           /* s, of the clock */
    uint64_t errors;              /* of the simulation that have been shown */
    uint64_t sent;                /* commands to the simulation */
    action waiting[ACTION_KINDS]; /* the latest of each kind that a slow simulation is to get later */
    bool waits[ACTION_KINDS];
    struct {
        char path[INPUT_PATH]; /* "": none */
        uint64_t after;        /* commands, when it has been written */
        uint64_t errors;       /* that there were before */
    } saves[VIEWER_SAVES];
    history plots;
    double spent; /* s, in the last step of them */
    film record;
    double next_picture;           /* s of simulated time, of the film */
    char record_input[INPUT_PATH]; /* "": none */
    bool quit;
} viewer;

void viewer_start(viewer *v, const viewer_settings *settings);
/* Ends the simulation and frees what there is. */
void viewer_end(viewer *v);

/* ---- Scenes ---- */

/* Opens a scene or a file, in the background. What is shown goes on until it is there. */
void viewer_open(viewer *v, const char *what);
/* The same with changes ("solver=implicit"). */
void viewer_open_with(viewer *v, const char *what, const char *const *set, int count);
void viewer_open_replay(viewer *v, inputs *log);
/* The scene from its beginning. */
void viewer_reset(viewer *v);
/* The scene from its beginning with another value. */
void viewer_restart_with(viewer *v, const char *change);
bool viewer_is_loading(const viewer *v);

/* ---- Time ---- */

void viewer_play(viewer *v, bool playing);
void viewer_step(viewer *v);
void viewer_set_speed(viewer *v, double speed);

/* ---- What is done by hand ---- */

void viewer_act(viewer *v, const action *what);
void viewer_set(viewer *v, const char *change);
void viewer_set_rain(viewer *v, double mm_per_hour);
void viewer_set_tilt(viewer *v, double x_degrees, double y_degrees);
void viewer_choose_tool(viewer *v, viewer_tool tool);
double viewer_radius(const viewer *v); /* m */
double viewer_rate(const viewer *v);   /* m^3/s */

/* ---- Files ---- */

typedef enum viewer_file { FILE_CHECKPOINT, FILE_INPUTS, FILE_SCENE } viewer_file;
/* Writes a file of this kind; path NULL: into the current folder, under the scene's name and the time. */
void viewer_save(viewer *v, viewer_file kind, const char *path);
void viewer_film(viewer *v, const char *path); /* starts or, with NULL, ends a film */
bool viewer_screenshot(viewer *v, const char *path);

/* ---- The view ---- */

void viewer_look(viewer *v, int view); /* as the scene's view of this number */
void viewer_orbit(viewer *v, double dx, double dy);
void viewer_pan(viewer *v, double dx, double dy);
void viewer_zoom(viewer *v, double clicks);

/* ---- Input, from a window or a script: only what the panel leaves ---- */

void viewer_move(viewer *v, double x, double y);
void viewer_leave(viewer *v, double x, double y); /* the mouse is over the panel */
void viewer_press(viewer *v, viewer_button button, bool down);

/* ---- Frames ---- */

/* Takes the newest frame and what has been opened. Before the picture is drawn. */
void viewer_update(viewer *v);
/* Draws the scene into the GL that is current. */
rn_result viewer_draw(viewer *v);
RN_PRINTF(3, 4) void viewer_tell(viewer *v, bool bad, const char *format, ...);
/* One line: how fast it runs, and what bounds the step. */
void viewer_status(const viewer *v, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
