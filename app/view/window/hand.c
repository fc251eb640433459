/* What the tools do with the mouse. Interface: view/window/hand.h. hand_press begins and ends the use of a tool,
   hand_move continues it; both find the point of ground or liquid under the mouse first. */
#include "view/window/hand.h"

#include "render/camera.h"
#include "view/window/camera.h"
#include "view/window/pick.h"
#include "view/window/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double hand_radius(const viewer *v) { return v->settings.radius * v->default_radius; }

double hand_rate(const viewer *v) { return v->settings.rate * v->default_rate; }

/* Ends the use of the tool, if it is in use, and lets go of the body. A drop needs no release, so none is sent for
   it. */
static void release_tool(viewer *v) {
    const action what = {.kind = ACTION_RELEASE};
    if (v->working && v->tool != TOOL_DROP) simulation_act(v, &what);
    v->working = false;
    v->body = -1;
}

void hand_release(viewer *v) {
    release_tool(v);
    for (int i = 0; i < BUTTONS; i++) v->down[i] = false;
}

const char *hand_why_not(const viewer *v, viewer_tool tool) {
    const bool columns_only = tool == TOOL_PUSH || tool == TOOL_DIG || tool == TOOL_RAISE;
    return columns_only && strcmp(v->solver, "mac") == 0
               ? "the solver \"mac\" has no pushes, and its ground cannot change"
               : NULL;
}

void hand_choose_tool(viewer *v, viewer_tool tool) {
    const char *why = v->live ? hand_why_not(v, tool) : NULL;
    release_tool(v);
    if (why) viewer_tell(v, true, "%s", why);
    else v->tool = tool;
}

/* Tells the simulation to drag the held body towards the point of the ray that is as far from the camera as the body
   was when it was taken hold of. */
static void send_drag(viewer *v, const pick_ray *ray) {
    const rn_vec3 to = rn_sum(ray->from, rn_times(ray->along, v->grip));
    const action what = {.kind = ACTION_DRAG, .numbers = {v->body, to.x, to.y, to.z}};
    simulation_act(v, &what);
}

/* Performs an action at the point under the mouse, raised by `lift` (m). fourth, fifth: its further numbers
   (action.h). */
static void act_at(viewer *v, action_kind kind, double lift, double fourth, double fifth) {
    const action what = {.kind = kind, .numbers = {v->hit.x, v->hit.y, v->hit.z + lift, fourth, fifth}};
    simulation_act(v, &what);
}

/* Pushes the liquid in the direction that the mouse has moved since v->pushed, once that is a fifth of the brush
   radius, with half of gravity. Sets v->pushed. */
static void push_liquid(viewer *v) {
    const double dx = v->hit.x - v->pushed.x, dy = v->hit.y - v->pushed.y, way = hypot(dx, dy);
    if (way < 0.2 * hand_radius(v)) return;
    const double strength = -0.5 * v->gravity[2];
    const action what = {.kind = ACTION_PUSH,
                         .numbers = {v->hit.x, v->hit.y, 2 * hand_radius(v), strength * dx / way, strength * dy / way}};
    simulation_act(v, &what);
    v->pushed = v->hit;
}

/* Digs or raises the ground at the point under the mouse, unless the last such point, v->pushed, is near; sets
   v->pushed. first: the button was just pressed, so it acts in any case. A notice tells when digging reaches the lowest
   ground. */
static void dig_or_raise(viewer *v, bool first) {
    const double far = hypot(hypot(v->hit.x - v->pushed.x, v->hit.y - v->pushed.y), v->hit.z - v->pushed.z);
    if (!first && far < 0.3 * hand_radius(v)) return;
    act_at(v, v->tool == TOOL_DIG ? ACTION_DIG : ACTION_RAISE, 0, hand_radius(v), 0);
    const double lowest = (double)v->frame->columns.datum;
    if (v->tool == TOOL_DIG && v->hit.z - hand_radius(v) < lowest)
        viewer_tell(v, false, "Digging stops at %.3g m, the height of the lowest ground at the start", lowest);
    v->pushed = v->hit;
}

/* Drops the chosen body from one body length above the point under the mouse. */
static void drop_body(viewer *v) {
    const double size = v->default_size * v->settings.radius;
    action what = {.kind = ACTION_DROP, .numbers = {v->hit.x, v->hit.y, v->hit.z + size, size}};
    snprintf(what.text, sizeof what.text, "%s", prop_list[v->prop].name);
    simulation_act(v, &what);
}

/* Pours or sucks at v->hit with the radius and rate of now, half a cell above the surface. A drain of a 3D liquid takes
   only what is within a ball, so it is below the surface. */
static void send_stream(viewer *v) {
    const double half = v->frame ? 0.5 * (double)v->frame->columns.cell_size : 0;
    const bool ball = v->tool == TOOL_SUCK && strcmp(v->solver, "mac") == 0;
    const double lift = ball ? -fmax(half, 0.5 * hand_radius(v)) : half;
    v->sent_radius = hand_radius(v), v->sent_rate = hand_rate(v);
    if (v->tool == TOOL_POUR) act_at(v, ACTION_POUR, lift, v->sent_radius, v->sent_rate);
    else act_at(v, ACTION_SUCK, lift, v->sent_radius, 2 * v->sent_rate);
}

/* Uses the tool at the point under the mouse; does nothing if there is none. first: the button was just pressed;
   otherwise the mouse has moved. "drop" acts only on the press, "push" only on moves; "drag" and "look" do nothing
   here. */
static void use_tool(viewer *v, bool first) {
    if (!v->over && v->tool != TOOL_DRAG) return;
    switch (v->tool) {
    case TOOL_POUR:
    case TOOL_SUCK: send_stream(v); break;
    case TOOL_PUSH:
        if (first) v->pushed = v->hit;
        else push_liquid(v);
        break;
    case TOOL_DIG:
    case TOOL_RAISE: dig_or_raise(v, first); break;
    case TOOL_DROP:
        if (first) drop_body(v);
        break;
    case TOOL_DRAG:
    case TOOL_LOOK:
    case TOOLS: break;
    }
}

/* Finds the point of ground or liquid under the mouse: sets v->over and v->hit. */
static void find_hit(viewer *v, const pick_ray *ray) {
    v->over = v->frame && v->frame->columns.base.data && pick_surface(&v->frame->columns, ray, &v->hit);
}

/* Returns the ray from the camera through the mouse. */
static pick_ray mouse_ray(const viewer *v) { return pick_ray_at(&v->camera, v->x, v->y, v->width, v->height); }

void hand_move(viewer *v, double x, double y) {
    const double dx = x - v->last_x, dy = y - v->last_y;
    v->x = v->last_x = x, v->y = v->last_y = y;
    if (!v->live) return;
    if (v->down[BUTTON_RIGHT] || (v->down[BUTTON_LEFT] && !v->working)) camera_turn(v, dx, dy);
    if (v->down[BUTTON_MIDDLE]) camera_pan(v, dx, dy);
    const pick_ray ray = mouse_ray(v);
    find_hit(v, &ray);
    if (v->working && v->tool == TOOL_DRAG) send_drag(v, &ray);
    else if (v->working) use_tool(v, false);
}

void hand_update(viewer *v) {
    const bool flows = v->working && (v->tool == TOOL_POUR || v->tool == TOOL_SUCK);
    if (flows && (v->sent_radius != hand_radius(v) || v->sent_rate != hand_rate(v))) send_stream(v);
}

void hand_leave(viewer *v, double x, double y) {
    v->x = v->last_x = x, v->y = v->last_y = y;
    v->over = false;
}

/* Takes hold of the body under the mouse and starts to drag it: sets v->body and v->grip. Returns false, with v->body
   -1, if there is none; returns false and changes nothing before the first frame. */
static bool take_body(viewer *v, const pick_ray *ray) {
    if (!v->frame) return false;
    v->body = pick_body(&v->frame->bodies, ray, &v->grip);
    if (v->body >= 0) send_drag(v, ray);
    return v->body >= 0;
}

void hand_press(viewer *v, viewer_button button, bool down) {
    v->down[button] = down;
    if (button != BUTTON_LEFT || !v->live) return;
    if (!down) {
        release_tool(v);
        return;
    }
    const pick_ray ray = mouse_ray(v);
    find_hit(v, &ray);
    if (v->tool == TOOL_LOOK) return;
    v->working = v->tool == TOOL_DRAG ? take_body(v, &ray) : v->over;
    if (v->working) use_tool(v, true);
}
