/* A scene that runs live in a window of GLFW:  live-glfw scenes/spill.json [FRAMES] */
#include "live.h"

#include <GLFW/glfw3.h>
#include <stdlib.h>

enum { WIDTH = 960, HEIGHT = 540 };

static int fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    return 1;
}

static void on_key(GLFWwindow *window, int key, int code, int action, int mods) {
    (void)code, (void)mods;
    show *s = glfwGetWindowUserPointer(window);
    if (action != GLFW_PRESS) return;
    if (key == GLFW_KEY_SPACE) show_pause(s);
    if (key == GLFW_KEY_P) show_pour(s);
    if (key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(window, GLFW_TRUE);
}

static void on_scroll(GLFWwindow *window, double x, double y) {
    (void)x;
    show *s = glfwGetWindowUserPointer(window);
    const double zoom = (s->orbit.zoom > 0 ? s->orbit.zoom : 1) * (1 + 0.1 * y);
    s->orbit.zoom = zoom < 0.5 ? 0.5 : zoom > 20 ? 20 : zoom;
}

/* Half a turn for the width of the window. */
static void on_move(GLFWwindow *window, double x, double y) {
    static double last_x, last_y;
    show *s = glfwGetWindowUserPointer(window);
    if (glfwGetMouseButton(window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS) {
        s->orbit.azimuth -= 180 * (x - last_x) / WIDTH;
        const double up = s->orbit.elevation + 90 * (y - last_y) / HEIGHT;
        s->orbit.elevation = up < 5 ? 5 : up > 90 ? 90 : up;
    }
    last_x = x, last_y = y;
}

static int run(GLFWwindow *window, show *s, long frames) {
    for (long frame = 0; !glfwWindowShouldClose(window) && (frames == 0 || frame < frames); frame++) {
        char title[128];
        show_title(s, title, sizeof title);
        glfwSetWindowTitle(window, title);
        if (show_draw(s, (double)WIDTH / HEIGHT) != RN_OK) return fail(rn_last_error());
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
    return 0;
}

static int run_window(const char *path, long frames) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_RESIZABLE, GLFW_FALSE);
    GLFWwindow *window = glfwCreateWindow(WIDTH, HEIGHT, "runnel", NULL, NULL);
    if (!window) return fail("no window with OpenGL 3.3 could be opened");
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    show s = {0};
    glfwSetWindowUserPointer(window, &s);
    glfwSetKeyCallback(window, on_key);
    glfwSetScrollCallback(window, on_scroll);
    glfwSetCursorPosCallback(window, on_move);
    const int status = show_open(&s, path, WIDTH, HEIGHT) == RN_OK ? run(window, &s, frames) : fail(rn_last_error());
    show_close(&s);
    glfwDestroyWindow(window);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return fail("live-glfw SCENE [FRAMES]: runs a scene in a window; space pauses, P pours, the mouse turns");
    if (!glfwInit()) return fail("there is no display");
    const int status = run_window(argv[1], argc > 2 ? strtol(argv[2], NULL, 10) : 0);
    glfwTerminate();
    return status;
}
