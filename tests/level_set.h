/* Files of NanoVDB for test_volumes, where NanoVDB is installed. */
#ifndef LEVEL_SET_H
#define LEVEL_SET_H

#ifdef __cplusplus
extern "C"
#endif
    /* A sphere; as a level set, or as a fog. 0 if it could be written. */
    int
    write_level_set(const char *path, float radius, const float centre[3], double spacing, int zipped, int fog);

#endif
