/* The inside of an rn_scene, for the two files that share it: scene.c makes, steps and saves it, scene_live.c changes
   it while it runs. */
#ifndef RN_IO_SCENE_SCENE_H
#define RN_IO_SCENE_SCENE_H

#include "io/scene/bodies.h"
#include "io/scene/coats.h"
#include "io/scene/script.h"

#include <runnel/io.h>

struct rn_scene {
    rn_hooks hooks;
    rn_document document; /* owns the texts that `values` points to */
    rn_scene_values values;
    char name[128];
    rn_world *world;
    rn_terrain *terrain; /* NULL unless its solid is kept */
    int threads;
    rn_probe *probes;
    int probe_count;
    rn_scene_view *views;
    int view_count;
    rn_vec3 low, high;  /* m */
    rn_texture texture; /* all 0: none */
    rn_coats coats;
    rn_georeference georeference;
    rn_mesh_report mesh; /* on the last mesh of the ground; all 0: there is none */
    char *crs;           /* its text; NULL: none */
    rn_parameter parameters[RN_MOST_PARAMETERS];
    int parameter_count;
    rn_script *scripts;
    size_t script_count;
    rn_scene_bodies *bodies;
    int frame;
};

/* Fills in scene->values from the document as it is now: the named liquid first, then the table. After a failure
   rn_last_error() names the place, and values are partly changed. */
rn_result rn_scene_read_document(rn_scene *scene);
/* Returns the liquid of scene->values with what depends on the keys in the document: a receding angle that is not given
   is at most the contact angle, and a given "colour" sets its optics. */
rn_liquid rn_scene_liquid(const rn_scene *scene);

#endif
