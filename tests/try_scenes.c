/* For test_schema.py, which has thousands of scenes: opens each file that a line of its input names, and prints "0", or
   "2" and the sentence. */
#include <runnel/runnel.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char path[4096];
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w"); /* libraries print warnings to stdout */
    if (!answers || !freopen("/dev/null", "w", stdout)) return 1;
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        rn_scene *scene = NULL;
        const rn_result result = rn_scene_open(&(rn_scene_def){.path = path, .threads = 1}, &scene);
        if (result == RN_OK) fprintf(answers, "0\n");
        else fprintf(answers, "2 %s\n", rn_last_error());
        fflush(answers);
        rn_scene_close(scene);
    }
    return fclose(answers) != 0;
}
