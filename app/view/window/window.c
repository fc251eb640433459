/* The window of "runnel view": GLFW, the loop of frames, and the distribution of input to the panel and the viewer.
   Interface: window_run in view/view.h.

   window_run opens the window, the panel and the renderer, opens the first scene (open_first), runs the loop or a
   script (run_script_or_loop), and closes everything (close_all). In each frame: input, viewer_update, panel_frame, and
   drawing. */
#include "base/platform.h"
#include "common/commands.h"
#include "common/console.h"
#include "view/view.h"
#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/keys.h"
#include "view/window/panel.h"
#include "view/window/scenes.h"
#include "view/window/script.h"
#include "view/window/store.h"
#include "view/window/viewer.h"

#include <ctype.h>
#include <GLFW/glfw3.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_DRAWN = 60 }; /* frames that a new context must draw before it may be replaced again */
static const double longest_close =
    0.8; /* s, from the request to close until the program ends, even if threads still run */

typedef struct window {
    GLFWwindow *glfw;
    viewer v;
    thumbnails thumbnails;
    panel_input in;
    double last;          /* s, clock at the previous frame */
    bool thumbnails_read; /* thumbnails_open was called */
    bool panel_is_open;
    bool key_again, key_shift; /* of the key that was pressed last: it repeats; Shift was held down */
    bool key_taken;            /* it has acted, or does nothing, whatever character follows */
    bool renewed;              /* whether a lost context was replaced */
    int drawn_since;           /* frames drawn since then */
    atomic_int status;         /* exit status; the guard reads it too */
} window;

/* The latest error of GLFW. */
static char glfw_error[256];
/* The program is to close: set by signals, by keys, by the window's close button and by close_all; read by the guard
   too. */
static atomic_bool stop_asked;

/* Stores GLFW's error text in glfw_error. */
static void keep_error(int code, const char *text) {
    (void)code;
    snprintf(glfw_error, sizeof glfw_error, "%s", text);
}

/* Handles interrupts: makes the loop end. */
static void ask_stop(int signal_number) {
    (void)signal_number;
    stop_asked = true;
}

/* ---- Input: from GLFW and from scripts alike --------------------------------------------------------------------- */

/* The functions input_... take input in units of the window; context: the window. Input over the panel is the panel's,
   the rest goes to the viewer. */

/* Passes on that the mouse has moved to (x, y). The viewer gets the position in pixels; while a button is held, also
   over the panel. */
static void input_move(void *context, double x, double y) {
    window *w = context;
    w->in.x = x, w->in.y = y;
    const bool held = w->v.down[BUTTON_LEFT] || w->v.down[BUTTON_RIGHT] || w->v.down[BUTTON_MIDDLE];
    if (!panel_wants_mouse() || held) hand_move(&w->v, x * w->in.pixels, y * w->in.pixels);
    else hand_leave(&w->v, x * w->in.pixels, y * w->in.pixels);
}

/* Passes on that a mouse button went down or up. The viewer always gets releases, so that no tool stays in use. */
static void input_press(void *context, viewer_button button, bool down) {
    window *w = context;
    w->in.down[button] = down;
    if (!panel_wants_mouse() || !down) hand_press(&w->v, button, down);
}

/* Passes on that the wheel has turned: zooms, unless the mouse is over the panel. */
static void input_scroll(void *context, double clicks) {
    window *w = context;
    w->in.wheel += clicks;
    if (!panel_wants_mouse()) camera_zoom(&w->v, clicks);
}

/* Opens a file that was dropped on the window. */
static void input_drop(void *context, const char *path) {
    window *w = context;
    scenes_open(&w->v, path);
}

/* Returns the window that belongs to a window of GLFW. */
static window *window_of(GLFWwindow *glfw) { return glfwGetWindowUserPointer(glfw); }

/* Passes a move of the mouse on, as a callback of GLFW. */
static void on_move(GLFWwindow *glfw, double x, double y) { input_move(window_of(glfw), x, y); }

/* Passes a press or release of a mouse button on, as a callback of GLFW. */
static void on_button(GLFWwindow *glfw, int button, int action_is, int mods) {
    (void)mods;
    const int buttons[] = {GLFW_MOUSE_BUTTON_LEFT, GLFW_MOUSE_BUTTON_RIGHT, GLFW_MOUSE_BUTTON_MIDDLE};
    for (int i = 0; i < BUTTONS; i++)
        if (buttons[i] == button) input_press(window_of(glfw), (viewer_button)i, action_is == GLFW_PRESS);
}

/* Passes a turn of the wheel on, as a callback of GLFW. */
static void on_scroll(GLFWwindow *glfw, double x, double y) {
    (void)x;
    input_scroll(window_of(glfw), y);
}

/* Lets the guard count from now if a key has asked to quit. */
static void note_quit(const window *w) {
    if (w->v.quit) stop_asked = true;
}

/* Runs what a key does, as a callback of GLFW, unless it writes a character of a Latin keyboard: then on_character
   follows. Letters of other alphabets count as those of a US keyboard at the same place. With Ctrl no character
   follows, so letters are found by what their key writes. code: the scan code of the keyboard. */
static void on_key(GLFWwindow *glfw, int key, int code, int action_is, int mods) {
    window *w = window_of(glfw);
    if (action_is == GLFW_RELEASE) return;
    const bool control = mods & GLFW_MOD_CONTROL;
    const char *writes = glfwGetKeyName(key, code);
    const unsigned char first = writes ? (unsigned char)writes[0] : 0;
    const bool latin = first > ' ' && first < 0xcd; /* in UTF-8: before U+0340 */
    w->key_again = action_is == GLFW_REPEAT;
    w->key_shift = mods & GLFW_MOD_SHIFT;
    w->key_taken = !latin || control;
    if (!w->key_taken) return;
    if (latin && first < 0x7f) key = toupper(first); /* as GLFW_KEY_A to Z */
    if (key == GLFW_KEY_KP_ENTER) key = GLFW_KEY_ENTER;
    keys_press(&w->v, key, control ? KEY_CONTROL : w->key_shift ? KEY_SHIFT : KEY_ALONE, w->key_again);
    note_quit(w);
}

/* Runs what the key does that has written a character, as a callback of GLFW; on_key was called just before. */
static void on_character(GLFWwindow *glfw, unsigned character) {
    window *w = window_of(glfw);
    if (!w->key_taken) keys_type(&w->v, character, w->key_shift, w->key_again);
    note_quit(w);
}

/* Notes that the window is to close, as a callback of GLFW, so that the guard counts from now. */
static void on_close(GLFWwindow *glfw) {
    window_of(glfw)->v.quit = true;
    stop_asked = true;
}

/* Opens the first of the dropped files, as a callback of GLFW. */
static void on_drop(GLFWwindow *glfw, int count, const char **paths) {
    if (count > 0) input_drop(window_of(glfw), paths[0]);
}

/* Installs the callbacks on_... for input. */
static void install_callbacks(window *w) {
    glfwSetWindowUserPointer(w->glfw, w);
    glfwSetWindowSizeLimits(w->glfw, 320, 220, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetCursorPosCallback(w->glfw, on_move);
    glfwSetMouseButtonCallback(w->glfw, on_button);
    glfwSetScrollCallback(w->glfw, on_scroll);
    glfwSetKeyCallback(w->glfw, on_key);
    glfwSetCharCallback(w->glfw, on_character);
    glfwSetWindowCloseCallback(w->glfw, on_close);
    glfwSetDropCallback(w->glfw, on_drop);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Reads the size of the window into w->in, and sets w->v.width and w->v.height to the size (pixels) of the part left of
   the panel, which shows the scene, and `pixels` of both to the pixels per unit of the window. */
static void measure_window(window *w) {
    int width, height;
    glfwGetFramebufferSize(w->glfw, &width, &height);
    glfwGetWindowSize(w->glfw, &w->in.width, &w->in.height);
    w->v.pixels = w->in.pixels = w->in.width > 0 ? (double)width / w->in.width : 1;
    w->v.width = width - (int)ceil(panel_width(&w->v) * w->in.pixels);
    w->v.height = height;
}

/* Fills the framebuffer with the background colour. */
static void clear_framebuffer(void) {
    typedef void (*clear_colour)(float, float, float, float);
    typedef void (*clear_buffers)(unsigned);
    const clear_colour choose = (clear_colour)glfwGetProcAddress("glClearColor");
    const clear_buffers empty = (clear_buffers)glfwGetProcAddress("glClear");
    if (choose) choose(0.055f, 0.065f, 0.08f, 1);
    if (empty) empty(GL_COLOR_BUFFER_BIT);
}

/* Returns whether the graphics driver has lost everything that was drawn, by a reset of the graphics card for example;
   false if the driver cannot tell. */
static bool is_context_lost(void) {
    typedef unsigned (*reset_status)(void);
    static reset_status status;
    static bool asked;
    if (!asked && glfwExtensionSupported("GL_ARB_robustness"))
        status = (reset_status)glfwGetProcAddress("glGetGraphicsResetStatusARB");
    asked = true;
    return status && status() != 0;
}

/* Quits because nothing can be drawn any more: has a checkpoint saved, prints why, and sets the exit status. */
static void give_up(window *w, const char *why) {
    const char *saved = files_save(&w->v, FILE_CHECKPOINT, NULL);
    if (saved) complain("runnel view: %s; the scene is saved as %s", why, saved);
    else complain("runnel view: %s", why);
    w->status = EXIT_BAD_INPUT;
    w->v.quit = true;
}

static bool renew_window(window *w); /* below, with opening and closing */

/* Draws the scene, takes pictures of it, and draws the panel. A lost context is replaced (renew_window), and this frame
   is not drawn: the next one has its pictures. If that fails, or drawing does, gives up (give_up). */
static void draw_frame(window *w) {
    clear_framebuffer();
    const bool drawn = viewer_draw(&w->v) == RN_OK;
    if (is_context_lost()) {
        if (!renew_window(w)) give_up(w, "the graphics driver was reset");
    } else if (!drawn) give_up(w, rn_last_error());
    else {
        viewer_take_pictures(&w->v);
        panel_draw();
        if (w->drawn_since < LEAST_DRAWN) w->drawn_since++;
    }
}

/* Shows the title of the scene in the title bar. */
static void name_window(window *w) {
    char title[VIEWER_TEXT + 16];
    snprintf(title, sizeof title, "%s - runnel", w->v.live ? w->v.title : "scenes");
    glfwSetWindowTitle(w->glfw, title);
}

/* Runs one frame: updates the viewer, the thumbnails and the panel, and draws if `shown` or if a picture is wanted.
   context: the window. With a script a frame counts as 1/60 s. */
static void run_frame(void *context, bool shown) {
    window *w = context;
    const double now = rn_clock();
    w->in.seconds = w->v.scripted ? 1.0 / 60 : now - w->last;
    w->in.notices_stay = w->v.scripted;
    w->last = now;
    if (stop_asked) w->v.quit = true;
    measure_window(w);
    viewer_update(&w->v);
    if (w->v.page == PAGE_SCENES && !w->thumbnails_read) thumbnails_open(&w->thumbnails), w->thumbnails_read = true;
    if (w->v.page == PAGE_SCENES) thumbnails_update(&w->thumbnails, !w->v.scripted);
    panel_frame(&w->v, &w->thumbnails, &w->in);
    w->in.wheel = 0;
    if (!shown && !w->v.picture_wanted) return;
    const double before = rn_clock();
    draw_frame(w);
    w->v.drawing = rn_clock() - before;
}

/* Reads the left part of the framebuffer, width x height pixels from its bottom left corner, into `rgb`, rows from the
   top. Returns false if memory runs out or OpenGL cannot read pixels. */
static bool read_framebuffer(int width, int height, uint8_t *rgb) {
    typedef void (*read_pixels)(int, int, int, int, unsigned, unsigned, void *);
    const read_pixels read_back = (read_pixels)glfwGetProcAddress("glReadPixels");
    const size_t row = 4 * (size_t)width;
    uint8_t *all = calloc((size_t)height, row);
    const bool fine = all && read_back;
    if (fine) read_back(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, all);
    for (int y = 0; fine && y < height; y++)
        for (int x = 0; x < width; x++)
            memcpy(rgb + 3 * ((size_t)y * (size_t)width + (size_t)x),
                   all + (size_t)(height - 1 - y) * row + 4 * (size_t)x, 3);
    free(all);
    return fine;
}

/* Draws the marks over the scene, which must have been drawn, and reads both back, as viewer.grab. context: the
   window. */
static bool grab_scene(void *context, uint8_t *pixels) {
    const window *w = context;
    panel_draw_marks();
    return read_framebuffer(w->v.width, w->v.height, pixels);
}

/* Saves the whole window as it was drawn last as PNG; context: the window. On failure returns false, with a message in
   rn_last_error() unless memory ran out or OpenGL cannot read pixels. */
static bool save_picture(void *context, const char *path) {
    window *w = context;
    int width, height;
    glfwGetFramebufferSize(w->glfw, &width, &height);
    uint8_t *rgb = malloc(3 * (size_t)width * (size_t)height);
    const bool fine =
        rgb && read_framebuffer(width, height, rgb) && rn_png_write_small(path, rgb, width, height) == RN_OK;
    free(rgb);
    return fine;
}

/* Resizes the window, and waits up to 2 s until it has this size (pixels). context: the window. */
static void resize_window(void *context, int width, int height) {
    window *w = context;
    glfwSetWindowSize(w->glfw, width, height);
    for (int i = 0; i < 200; i++) { /* the window manager answers in its own time */
        int now_wide, now_high;
        glfwWaitEventsTimeout(0.01);
        glfwGetFramebufferSize(w->glfw, &now_wide, &now_high);
        if (now_wide == width && now_high == height) break;
    }
}

/* Runs frames until the window is closed, the user quits, or a signal asks to stop. Input that came before that still
   acts, and a picture that was asked for is taken. */
static void run_loop(window *w) {
    char title[VIEWER_TEXT] = "";
    while (!w->v.quit && !stop_asked && !glfwWindowShouldClose(w->glfw)) {
        glfwPollEvents();
        if (stop_asked) break; /* without drawing another frame */
        run_frame(w, true);
        if (!w->v.quit) glfwSwapBuffers(w->glfw);
        if (!w->v.quit && strcmp(title, w->v.title) != 0) name_window(w);
        snprintf(title, sizeof title, "%s", w->v.title);
    }
    glfwPollEvents(); /* keys that were pressed before a signal came */
    if (w->v.picture_wanted && w->status == EXIT_FINE) run_frame(w, true);
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

/* Returns the place of the window, moved so that it can be seen: at least a corner of 100 x 60 lies on a monitor. Sets
 *x and *y to -32000, place not known, if it would be on none. */
static void keep_on_screen(const viewer_settings *s, int *x, int *y) {
    int count;
    GLFWmonitor **monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; i++) {
        int left, top, width, height;
        glfwGetMonitorWorkarea(monitors[i], &left, &top, &width, &height);
        const bool seen = s->x + s->width >= left + 100 && s->x <= left + width - 100 && s->y >= top - 30 &&
                          s->y <= top + height - 60;
        if (seen) return;
    }
    *x = *y = -32000;
}

/* Creates the window with OpenGL 3.3 at the place and size of the settings, and makes its context current. On failure
   w->glfw is NULL, and glfw_error says why. */
static void create_window(window *w, const viewer_settings *settings) {
    int x = settings->x, y = settings->y;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET); /* is_context_lost */
    w->glfw = glfwCreateWindow(settings->width, settings->height, "runnel", NULL, NULL);
    if (!w->glfw) return;
    keep_on_screen(settings, &x, &y);
    if (x > -30000) glfwSetWindowPos(w->glfw, x, y);
    glfwMakeContextCurrent(w->glfw);
    glfwSwapInterval(1);
}

/* Opens a window with OpenGL 3.3 at the stored position and size. Returns false after printing an error. */
static bool open_glfw(window *w, const viewer_settings *settings) {
    glfwSetErrorCallback(keep_error);
    if (!glfwInit()) {
        complain("runnel view: there is no display to open a window on (%s); \"runnel run\" needs none", glfw_error);
        return false;
    }
    create_window(w, settings);
    if (!w->glfw)
        complain("runnel view: no window with OpenGL 3.3 can be opened (%s); \"runnel run\" needs none", glfw_error);
    return w->glfw != NULL;
}

/* Creates the renderer in the window's OpenGL context. Returns false, with a reason in rn_last_error(), if that
   fails. */
static bool open_renderer(window *w) {
    rn_renderer_def def = rn_renderer_default();
    def.hosted = true;
    return rn_renderer_create(&def, &w->v.renderer) == RN_OK;
}

/* Loads the panel's fonts at the scale of the window. Returns false if drawing is not possible. */
static bool open_panel(window *w) {
    float scale = 1, ignored;
    glfwGetWindowContentScale(w->glfw, &scale, &ignored);
    w->panel_is_open = panel_open((double)scale);
    return w->panel_is_open;
}

/* Replaces the window, its lost OpenGL context, the renderer and the panel by new ones; the scene goes on. Returns
   false if that fails, or if the context was replaced less than LEAST_DRAWN frames ago. */
static bool renew_window(window *w) {
    viewer *v = &w->v;
    viewer_settings place = v->settings;
    if (w->renewed && w->drawn_since < LEAST_DRAWN) return false;
    w->renewed = true;
    w->drawn_since = 0;
    glfwGetWindowSize(w->glfw, &place.width, &place.height);
    glfwGetWindowPos(w->glfw, &place.x, &place.y);
    rn_renderer_destroy(v->renderer);
    v->renderer = NULL;
    panel_close();
    w->panel_is_open = false;
    glfwDestroyWindow(w->glfw);
    create_window(w, &place);
    if (!w->glfw || !open_panel(w) || !open_renderer(w)) return false;
    install_callbacks(w);
    name_window(w);
    thumbnails_forget(&w->thumbnails);
    v->drawn = v->ground = 0;
    viewer_tell(v, false, "The graphics driver was reset; the scene goes on");
    return true;
}

/* Ends the program longest_close after a request to close, even if a step, a scene or a frame still runs, but not
   before all files are complete, as the function of a thread. argument: the window. */
static void *end_in_time(void *argument) {
    window *w = argument;
    while (!stop_asked) rn_sleep(0.02);
    rn_sleep(longest_close);
    while (files_unwritten() > 0) rn_sleep(0.01);
    thumbnails_stop();
    fflush(stdout);
    _exit(w->status);
}

/* Starts the thread end_in_time. */
static void start_guard(window *w) {
    pthread_t guard;
    if (pthread_create(&guard, NULL, end_in_time, w) == 0) pthread_detach(guard);
}

/* Writes the settings with the current size and position of the window. */
static void keep_settings(window *w) {
    viewer_settings *s = &w->v.settings;
    glfwGetWindowSize(w->glfw, &s->width, &s->height);
    glfwGetWindowPos(w->glfw, &s->x, &s->y);
    store_write(s);
}

/* Writes the settings, unless --no-settings or --script was given, hides the window at once, then completes all files
   and ends everything. Sets stop_asked, so that the guard ends the program if this takes too long. */
static void close_all(window *w, const view_options *o) {
    stop_asked = true;
    if (w->glfw && !o->no_settings && !o->script) keep_settings(w);
    if (w->glfw) glfwHideWindow(w->glfw);
    thumbnails_close(&w->thumbnails);
    viewer_end(&w->v);
    if (w->panel_is_open) panel_close();
    if (w->glfw) glfwDestroyWindow(w->glfw);
    glfwTerminate();
}

/* Passes --record-input, --threads and --backend to the viewer, and starts to open what the options name: a replay (of
   `log`), a scene or file, or else the chooser of scenes. */
static void open_first(window *w, const view_options *o, inputs *log) {
    viewer *v = &w->v;
    if (o->record) {
        snprintf(v->record_input, sizeof v->record_input, "%s", o->record);
        files_expect_record();
    }
    v->loading.threads = o->threads;
    v->loading.backend = o->backend;
    if (o->replay) scenes_open_replay(v, log);
    else if (o->what) scenes_open_with(v, o->what, o->set.texts, o->set.count);
    else v->page = PAGE_SCENES;
}

/* Runs the script, or the loop for a user. A script's exit status becomes that of the window. */
static void run_script_or_loop(window *w, const view_options *o) {
    const script_window hands = {w,          run_frame,     input_move,  input_press, input_scroll,
                                 input_drop, resize_window, save_picture};
    install_callbacks(w);
    const int status = o->script ? script_run(&w->v, &hands, o->script) : EXIT_FINE;
    if (status != EXIT_FINE) w->status = status;
    if (!o->script) run_loop(w);
}

int window_run(const view_options *o) {
    static window w; /* large */
    inputs log = {0};
    char error[512];
    if (o->replay && !inputs_read(o->replay, &log, error, sizeof error)) return complain("%s", error);
    viewer_settings settings = o->no_settings || o->script ? store_default() : store_read();
    if (o->width) settings.width = o->width, settings.height = o->height;
    viewer_start(&w.v, &settings);
    w.v.scripted = o->script != NULL;
    w.v.grab = grab_scene, w.v.window = &w;
    w.in.x = w.in.y = -1;
    if (!open_glfw(&w, &settings)) {
        glfwTerminate();
        return EXIT_BAD_INPUT;
    }
    console_catch_interrupt(ask_stop, true);
    signal(SIGTERM, ask_stop);
    start_guard(&w);
    if (!open_panel(&w)) w.status = complain("runnel view: the panel cannot be drawn");
    else if (!open_renderer(&w)) w.status = complain("runnel view: %s", rn_last_error());
    else {
        open_first(&w, o, &log);
        run_script_or_loop(&w, o);
    }
    const int status = w.status;
    close_all(&w, o);
    inputs_free(&log);
    return status;
}
