/* Stands in for app/view/window in builds without GLFW or Dear ImGui. Interface: window_run in view/view.h, which here
   only prints what is missing. */
#include "view/view.h"

int window_run(const view_options *options) {
    (void)options;
    return complain("runnel view: this build has no window; install GLFW and Dear ImGui (apt-get install libglfw3-dev "
                    "libimgui-dev g++) and build again");
}
