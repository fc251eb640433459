/* A scene that JavaScript holds, shared by core.c, describe.c and meshes.c. */
#ifndef RUNNEL_WEB_SCENE_H
#define RUNNEL_WEB_SCENE_H

#include "core.h"
#include "surface/copies.h"
#include "view/session.h"

typedef struct web_numbers {
#define WEB_NUMBER(name) double name;
    RUNNEL_NUMBERS(WEB_NUMBER)
#undef WEB_NUMBER
} web_numbers;

/* The session, and what the last call of each function returned. */
struct web_scene {
    session session;
    rn_skin *skin; /* NULL until the first runnel_update */
    rn_mesh meshes[3];
    rn_columns_copy columns;
    rn_liquid liquid; /* of runnel_liquid */
    rn_liquid drawn;  /* that the skin was made for */
    rn_look look;
    rn_view view;
    web_numbers numbers;
    double *probes;
    rn_resting resting;
    uint8_t *rests;    /* of resting */
    size_t rests_room; /* bytes */
    char *text;
    char hash[17];
};

/* Returns hooks that let the pool, which runnel_start must have made, do all parallel work. */
rn_hooks web_hooks(void);

#endif
