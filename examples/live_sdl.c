/* A scene that runs live in a window of SDL2:  live-sdl scenes/spill.json [FRAMES] */
#include "live.h"

#include <SDL.h>
#include <stdlib.h>

static int fail(const char *text) { return fprintf(stderr, "%s\n", text), 1; }

/* False: the window is to close. */
static bool listen(show *s) {
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT) return false;
        if (event.type == SDL_MOUSEWHEEL) show_zoom(s, event.wheel.y);
        if (event.type == SDL_MOUSEMOTION && (event.motion.state & SDL_BUTTON_LMASK))
            show_turn(s, event.motion.xrel, event.motion.yrel);
        if (event.type != SDL_KEYDOWN || event.key.repeat) continue;
        if (event.key.keysym.sym == SDLK_ESCAPE) return false;
        if (event.key.keysym.sym == SDLK_SPACE) show_key(s, ' ');
        if (event.key.keysym.sym == SDLK_p) show_key(s, 'P');
    }
    return true;
}

static int run(SDL_Window *window, const char *path, long frames) {
    show s = {0};
    if (show_open(&s, path) != RN_OK) return show_close(&s, 1);
    for (long frame = 0; (frames == 0 || frame < frames) && listen(&s); frame++) {
        char title[128];
        int width, height;
        SDL_GL_GetDrawableSize(window, &width, &height);
        if (show_draw(&s, width > 1 ? width : 1, height > 1 ? height : 1, title) != RN_OK) return show_close(&s, 1);
        SDL_SetWindowTitle(window, title);
        SDL_GL_SwapWindow(window);
    }
    return show_close(&s, 0);
}

int main(int argc, char **argv) {
    if (argc < 2) return fail("live-sdl SCENE [FRAMES]: runs a scene; space pauses, P pours, the mouse turns");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return fail(SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_Window *window = SDL_CreateWindow("runnel", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 960, 540,
                                          SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
    SDL_GLContext context = window ? SDL_GL_CreateContext(window) : NULL;
    if (!context) return fail("no window with OpenGL 3.3 could be opened");
    const int status = run(window, argv[1], argc > 2 ? strtol(argv[2], NULL, 10) : 0);
    SDL_GL_DeleteContext(context);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return status;
}
