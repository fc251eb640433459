/* Lamps, the sky, and what solid and liquid see of them. A processor runs both sides of an `if`, so what is known before a
   frame is decided by the preprocessor. */

uniform vec3 eye;        /* m */
uniform vec3 view_along; /* unit vector into the picture, for parallel rays; all 0: rays meet in the eye */
uniform vec3 right;      /* of the picture, level; lamps of a studio stand where the camera looks from */
uniform vec3 away;       /* from the camera, level */
uniform vec3 key;        /* unit vector to the lamp that casts shadows */
uniform vec3 key_light, sky_above, sky_beside, sky_below;
uniform float occlusion; /* 0: neither that nor shadows */
uniform mat4 to_shadow;
uniform float shadow_texel; /* of the map */
uniform float shadow_lift;  /* m */
uniform highp sampler2DShadow shadow_map;

/* The unit vector to the eye; of parallel rays it is the same everywhere. */
vec3 view_from(vec3 to_eye) {
    return dot(view_along, view_along) > 0.0 ? -view_along : to_eye;
}

float near(vec3 s) {
    return texture(shadow_map, s);
}

/* Share of the key lamp that is seen, from a little above the surface so that it does not shade itself. */
float lamp_seen(vec3 at, vec3 normal) {
    vec3 s = (to_shadow * vec4(at + shadow_lift * normal, 1.0)).xyz;
    s.z -= 0.0008;
    float r = 1.1 * shadow_texel, q = 0.45 * shadow_texel;
#if SAMPLES > 1 /* those of a pixel look at different places, and are averaged */
    vec2 odd = mod(floor(gl_FragCoord.xy), 2.0);
    float nearer = odd.x == odd.y ? 0.5 : 1.0;
    vec2 aside = nearer * (odd.x > 0.5 ? vec2(r, q) : vec2(-q, r));
    float seen = 0.5 * (near(s + vec3(aside, 0.0)) + near(s - vec3(aside, 0.0)));
#else
    float seen = 0.25 * (near(s + vec3(r, q, 0.0)) + near(s + vec3(-q, r, 0.0)) + near(s + vec3(-r, -q, 0.0)) +
                         near(s + vec3(q, -r, 0.0)));
#endif
    return mix(1.0, seen, occlusion);
}

/* Light from all around that falls on a surface. */
vec3 sky_on(vec3 normal) {
    vec3 level = mix(sky_below, sky_above, 0.5 + 0.5 * normal.z);
    float side = 1.0 - normal.z * normal.z;
    return level + sky_beside * side * (0.5 - 0.5 * dot(normal, away));
}

/* A rectangle of light seen in a direction: its middle (unit), its half sides across. */
float softbox(vec3 direction, vec3 middle, vec3 across, vec2 half_size, float blur) {
    float ahead = dot(direction, middle);
    vec3 up = cross(middle, across);
    vec2 at = abs(vec2(dot(direction, across), dot(direction, up))) / max(ahead, 1e-3);
    vec2 inside = 1.0 - smoothstep(half_size - blur, half_size + blur, at);
    return ahead > 0.0 ? inside.x * inside.y : 0.0;
}

float lamp(vec3 d, vec3 middle, vec2 half_size, float blur) {
    return softbox(d, middle, normalize(vec3(-middle.y, middle.x, 0.0)), half_size, 0.008 + blur);
}

vec3 studio_walls(float up) {
    vec3 walls = mix(vec3(0.06, 0.058, 0.055), vec3(0.24, 0.24, 0.25), smoothstep(0.0, 1.0, up));
    return mix(vec3(0.40, 0.38, 0.35), walls, smoothstep(-0.35, 0.0, up));
}

vec3 studio(vec3 d, float blur) {
    vec3 in_room = vec3(dot(d, right), dot(d, away), d.z);
    vec3 light = vec3(5.4, 5.2, 4.9) * lamp(in_room, vec3(-0.749, 0.288, 0.596), vec2(0.30, 0.40), blur);
    /* A window behind, with a cross in it: level liquid mirrors some of it. */
    vec2 cross_bars = abs(vec2(dot(in_room, vec3(-0.966, 0.257, 0.0)), dot(in_room, vec3(-0.159, -0.596, 0.787))));
    light += vec3(3.3, 3.2, 3.05) * lamp(in_room, vec3(0.203, 0.760, 0.618), vec2(0.115, 0.09), blur) *
             smoothstep(0.002, 0.007 + blur, min(cross_bars.x, cross_bars.y));
    light += vec3(1.6, 1.7, 1.85) * lamp(in_room, vec3(0.91, -0.10, 0.40), vec2(0.12, 0.5), blur);
    return studio_walls(d.z) + light;
}

vec3 sky(vec3 d, float blur) {
    float up = max(d.z, 0.0);
    vec3 colour = mix(vec3(0.86, 0.92, 1.0), vec3(0.17, 0.34, 0.72), pow(up, 0.55));
    colour = mix(colour, vec3(0.26, 0.24, 0.21), 1.0 - smoothstep(-0.06 - blur, 0.02, d.z));
    float towards = max(dot(d, key), 0.0);
    float sharp = 1.0 / (0.0006 + blur * blur);
    float sun = min(18.0, 0.35 + 0.18 * sharp); /* the wider it is spread, the dimmer */
    return colour + vec3(1.0, 0.93, 0.8) * (0.25 * pow(towards, 8.0) + sun * pow(towards, sharp));
}

/* What is seen in a direction, mirrored by liquid, and by solid of some shine (0 to 1), so blurred that only the large lamp
   is left. */
#ifdef OUTDOORS
vec3 surroundings(vec3 direction, float blur) {
    return sky(direction, 0.2 * blur);
}
vec3 glow(vec3 direction, float shine) {
    return sky(direction, mix(0.6, 0.2, shine));
}
#else
vec3 surroundings(vec3 direction, float blur) {
    return studio(direction, blur);
}
vec3 glow(vec3 direction, float shine) {
    float towards = max(dot(direction, key), 0.0), t4 = towards * towards * towards * towards, t16 = t4 * t4 * t4 * t4;
    return vec3(0.2 - 0.1 * direction.z) + vec3(2.2, 2.1, 2.0) * mix(t4, t16 * t16, shine);
}
#endif

/* Schlick. */
float reflected(float straight, float facing) {
    float f = 1.0 - clamp(facing, 0.0, 1.0);
    float f2 = f * f;
    return straight + (1.0 - straight) * f2 * f2 * f;
}
