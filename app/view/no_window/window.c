/* In place of app/view/window, where GLFW or Dear ImGui was not there. */
#include "view/view.h"

int window_run(const view_options *options) {
    (void)options;
    return complain("runnel view: this build has no window; install GLFW and Dear ImGui (apt-get install libglfw3-dev "
                    "libimgui-dev g++) and build again");
}
