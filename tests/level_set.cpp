// A level set written by NanoVDB's own hand.
#define NANOVDB_USE_ZIP
#include <nanovdb/util/IO.h>
#include <nanovdb/util/Primitives.h>

#include "level_set.h"

int write_level_set(const char *path, float radius, const float centre[3], double spacing, int zipped, int fog) {
    try {
        const nanovdb::Vec3f at(centre[0], centre[1], centre[2]);
        const auto codec = zipped ? nanovdb::io::Codec::ZIP : nanovdb::io::Codec::NONE;
        auto grid = fog ? nanovdb::createFogVolumeSphere<float>(radius, at, spacing)
                        : nanovdb::createLevelSetSphere<float>(radius, at, spacing);
        nanovdb::io::writeGrid(path, grid, codec);
        return 0;
    } catch (...) {
        return 1;
    }
}
