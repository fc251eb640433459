/* A scene that runs live in a window of SDL2:  live-sdl scenes/spill.json [FRAMES] */
#include "live.h"

#include <SDL.h>
#include <stdlib.h>

enum { WIDTH = 960, HEIGHT = 540 };

static int fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    return 1;
}

static void turn(show *s, const SDL_MouseMotionEvent *motion) {
    if (!(motion->state & SDL_BUTTON_LMASK)) return;
    s->orbit.azimuth -= 180.0 * motion->xrel / WIDTH;
    const double up = s->orbit.elevation + 90.0 * motion->yrel / HEIGHT;
    s->orbit.elevation = up < 5 ? 5 : up > 90 ? 90 : up;
}

/* False: the window is to close. */
static bool listen(show *s) {
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT) return false;
        if (event.type == SDL_MOUSEMOTION) turn(s, &event.motion);
        if (event.type != SDL_KEYDOWN || event.key.repeat) continue;
        if (event.key.keysym.sym == SDLK_ESCAPE) return false;
        if (event.key.keysym.sym == SDLK_SPACE) show_pause(s);
        if (event.key.keysym.sym == SDLK_p) show_pour(s);
    }
    return true;
}

static int run(SDL_Window *window, show *s, long frames) {
    for (long frame = 0; (frames == 0 || frame < frames) && listen(s); frame++) {
        char title[128];
        show_title(s, title, sizeof title);
        SDL_SetWindowTitle(window, title);
        if (show_draw(s, (double)WIDTH / HEIGHT) != RN_OK) return fail(rn_last_error());
        SDL_GL_SwapWindow(window);
    }
    return 0;
}

static int run_window(SDL_Window *window, const char *path, long frames) {
    SDL_GLContext context = SDL_GL_CreateContext(window);
    if (!context) return fail(SDL_GetError());
    show s = {0};
    const int status = show_open(&s, path, WIDTH, HEIGHT) == RN_OK ? run(window, &s, frames) : fail(rn_last_error());
    show_close(&s);
    SDL_GL_DeleteContext(context);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return fail("live-sdl SCENE [FRAMES]: runs a scene in a window; space pauses, P pours, the mouse turns");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return fail(SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_Window *window =
        SDL_CreateWindow("runnel", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, SDL_WINDOW_OPENGL);
    const int status = window ? run_window(window, argv[1], argc > 2 ? strtol(argv[2], NULL, 10) : 0)
                              : fail("no window with OpenGL could be opened");
    if (window) SDL_DestroyWindow(window);
    SDL_Quit();
    return status;
}
