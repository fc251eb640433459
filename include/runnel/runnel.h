/* runnel: real-time liquids over any geometry. SI units throughout, z up. */
#ifndef RUNNEL_RUNNEL_H
#define RUNNEL_RUNNEL_H

#include <runnel/base.h>
#include <runnel/bodies.h>
#include <runnel/liquid.h>
#include <runnel/live.h>
#include <runnel/mesh.h>
#include <runnel/skin.h>
#include <runnel/surface.h>
#include <runnel/terrain.h>
#include <runnel/world.h>

#ifndef RUNNEL_CORE_ONLY /* define it to use a build of the core alone, docs/building.md */
#include <runnel/io.h>
#include <runnel/render.h>
#include <runnel/rigid.h>
#endif

#endif
