/* The values of rigid bodies and joints in a scene file, filled in by the tables of body_tables.c. */
#ifndef RN_IO_BODY_VALUES_H
#define RN_IO_BODY_VALUES_H

#include "io/scene/family.h"
#include "io/scene/shape_mesh.h"

typedef struct rn_form_values {
    const char *type;
    double size[3], radius, length;
    const json_t *points;
    rn_mesh_values mesh;
    double scale;
    const json_t *of;
    double at[3], turn[3], colour[3];
} rn_form_values;

typedef struct rn_copy_values {
    int count[3];
    double step[3];
    const json_t *at;
    double interval;
} rn_copy_values;

typedef enum rn_body_motion { RN_MOTION_DYNAMIC, RN_MOTION_SCRIPTED } rn_body_motion;

typedef struct rn_body_values {
    const char *name;
    const json_t *shape, *drawn;
    double density, mass;
    double at[3], turn[3], velocity[3], spin[3];
    int motion; /* rn_body_motion */
    const json_t *path, *turns;
    double start;
    int way, blocking; /* rn_body_mode, rn_blocking */
    double drag, damping, friction, bounce;
    double colour[3];
    rn_copy_values copies;
} rn_body_values;

typedef struct rn_joint_values {
    int type; /* rn_joint_kind */
    const char *body, *to;
    double at[3], axis[3], limits[2];
} rn_joint_values;

extern const rn_table rn_body_table, rn_joint_table;

/* Shapes of bodies (body_shape.c). */
extern const rn_family rn_form_family;

#endif
