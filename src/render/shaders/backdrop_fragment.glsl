/* Draws what is behind everything: the back wall of the studio, or the sky with clouds, and hills at the horizon. */
in vec2 square;
uniform vec3 paper;        /* colour of the land around */
uniform float land;        /* 1: land as far as the horizon; 0: a sea */
uniform sampler2D ripples; /* render/ripples.h */
uniform vec3 paper_lit;
out vec4 colour;

#ifdef OUTDOORS
/* Puts a range of hills before `light`. turn: of the direction, 0 to 1; up: sine of its elevation; height: of the hills, the
   same; peaks: around the horizon; clear: share of their own colour that haze leaves. */
vec3 before_hills(vec3 light, vec3 haze, float turn, float up, float height, float peaks, float clear) {
    float top = height * (0.35 + texture(ripples, vec2(peaks * turn, 0.13 * peaks)).a +
                          0.18 * texture(ripples, vec2(7.0 * peaks * turn, 0.4)).a);
    vec3 slope = paper * (0.4 * key_light + sky_above);
    float mist = clear * smoothstep(-0.7 * height, 0.8 * height, up);
    return mix(light, mix(haze, slope, mist), land * (1.0 - smoothstep(top - 0.0015, top + 0.0015, up)));
}

/* The sky, clouds and hills in direction d. */
vec3 behind_all(vec3 d) {
    vec3 high = normalize(vec3(d.xy, max(d.z, 0.02))), haze = haze_towards(high); /* never below the horizon */
    vec3 light = sky(high, 0.02);
    vec2 over = 0.05 * high.xy / (high.z + 0.06);
    float cloud = 0.6 * texture(ripples, over).a + 0.4 * texture(ripples, 3.1 * over + 0.37).a;
    light = mix(light, 0.55 * haze + 0.45, 0.6 * smoothstep(0.42, 0.8, cloud) * smoothstep(0.04, 0.2, high.z));
    float turn = atan(d.y, d.x) / 6.2831853;
    light = before_hills(light, haze, turn, d.z, 0.06, 2.0, 0.3);
    light = before_hills(light, haze, turn + 0.3, d.z, 0.032, 3.0, 0.45);
    return light;
}
#else
vec3 behind_all(vec3 d) {
    return back_wall(paper_lit, d);
}
#endif

void main() {
    vec3 d = point_seen(square, 1.0) - eye;
    if (dot(view_along, view_along) > 0.0) d = view_along;
    colour = vec4(behind_all(normalize(d)), 1e4);
}
