/* Recognises files that are often given by mistake (companion.h). */
#include "io/read/companion.h"

#include "base/error.h"
#include "base/words.h"

#include <ctype.h>
#include <string.h>

/* A kind of file, and what to say about it; NULL: it is not a mistake. */
typedef struct companion {
    const char *ending, *what;
} companion;

/* The first ending that fits counts. */
static const companion companions[] = {
    {".nii.gz", NULL}, /* volumes are read as they are */
    {".json", "is a scene, by its name; \"runnel run\" runs it and \"runnel view\" shows it"},
    {".mtl", "is a list of materials; give the .obj that uses it"},
    {".bin", "may hold the data of a .gltf; give that file"},
    {".prj", "is a coordinate system; give the .asc, .tif or other file that it belongs to"},
    {".aux.xml", "describes another file; give that one, whose name is the same without .aux.xml"},
    {".tfw", "says where a picture lies; give the .tif that it belongs to"},
    {".pgw", "says where a picture lies; give the .png that it belongs to"},
    {".gz", "is packed; unpack it with gunzip, and give what comes out"},
    {".bz2", "is packed; unpack it with bunzip2, and give what comes out"},
    {".xz", "is packed; unpack it with unxz, and give what comes out"},
    {".zip", "is an archive; unpack it, and give a file that was in it"},
    {".tar", "is an archive; unpack it, and give a file that was in it"},
    {".7z", "is an archive; unpack it, and give a file that was in it"},
    {".blend", "is a file of Blender; export it as glTF, OBJ, STL or PLY"},
    {".shp", "holds outlines, not heights; give a grid of heights, such as a GeoTIFF"},
    {".las", "is a cloud of points; make a grid of heights from it, for example with pdal or lasgrid"},
    {".laz", "is a cloud of points; make a grid of heights from it, for example with pdal or lasgrid"},
    {".dcm", "is one slice in DICOM; convert the series to NIfTI, for example with dcm2niix"},
    {".jpg", "is a JPEG, whose losses would be steps in the ground; save heights as a PNG of 16 bits"},
    {".jpeg", "is a JPEG, whose losses would be steps in the ground; save heights as a PNG of 16 bits"},
};

rn_result rn_companion_check_start(const char *path, const char *bytes, size_t count) {
    static const char *const tags[] = {"<html", "<!doctype html"};
    while (count > 0 && strchr(" \t\r\n", *bytes)) bytes++, count--;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        size_t same = 0;
        while (same < count && tags[i][same] && tolower((unsigned char)bytes[same]) == tags[i][same]) same++;
        if (!tags[i][same])
            return rn_fail(RN_FORMAT, "%s: is a web page, perhaps in place of a file that could not be downloaded",
                           path);
    }
    return RN_OK;
}

rn_result rn_companion_check(const char *path) {
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        if (!rn_ends_with(path, companions[i].ending)) continue;
        return companions[i].what ? rn_fail(RN_FORMAT, "%s: %s", path, companions[i].what) : RN_OK;
    }
    return RN_OK;
}
