/* A scene that runs live in a window of GLFW:  live-glfw scenes/spill.json [FRAMES] */
#include "live.h"

#include <GLFW/glfw3.h>
#include <stdlib.h>

static int fail(const char *text) { return fprintf(stderr, "%s\n", text), 1; }

static void on_key(GLFWwindow *window, int key, int code, int action, int mods) {
    (void)code, (void)mods;
    if (action == GLFW_PRESS && key < 128) show_key(glfwGetWindowUserPointer(window), (char)key);
    if (key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(window, GLFW_TRUE);
}

static void on_scroll(GLFWwindow *window, double x, double y) { show_zoom(glfwGetWindowUserPointer(window), x + y); }

static void on_move(GLFWwindow *window, double x, double y) {
    static double last_x, last_y;
    if (glfwGetMouseButton(window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS)
        show_turn(glfwGetWindowUserPointer(window), x - last_x, y - last_y);
    last_x = x, last_y = y;
}

static int run(GLFWwindow *window, const char *path, long frames) {
    show s = {0};
    glfwSetWindowUserPointer(window, &s);
    if (show_open(&s, path) != RN_OK) return show_close(&s, 1);
    glfwSetKeyCallback(window, on_key);
    glfwSetScrollCallback(window, on_scroll);
    glfwSetCursorPosCallback(window, on_move);
    for (long frame = 0; !glfwWindowShouldClose(window) && (frames == 0 || frame < frames); frame++) {
        char title[128];
        int width, height;
        glfwGetFramebufferSize(window, &width, &height);
        if (show_draw(&s, width > 1 ? width : 1, height > 1 ? height : 1, title) != RN_OK) return show_close(&s, 1);
        glfwSetWindowTitle(window, title);
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
    return show_close(&s, 0);
}

int main(int argc, char **argv) {
    if (argc < 2) return fail("live-glfw SCENE [FRAMES]: runs a scene; space pauses, P pours, the mouse turns");
    if (!glfwInit()) return fail("there is no display");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    GLFWwindow *window = glfwCreateWindow(960, 540, "runnel", NULL, NULL);
    if (!window) return fail("no window with OpenGL 3.3 could be opened");
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    const int status = run(window, argv[1], argc > 2 ? strtol(argv[2], NULL, 10) : 0);
    glfwTerminate();
    return status;
}
