/* Lamps, the sky, and what solid and liquid see of them. */

uniform vec3 eye;        /* m */
uniform vec3 view_along; /* unit vector into the picture, for parallel rays; all 0: rays meet in the eye */
uniform vec3 right;      /* of the picture, level; lamps of a studio stand where the camera looks from */
uniform vec3 away;       /* from the camera, level */
uniform vec3 key;        /* unit vector to the lamp that casts shadows */
uniform vec3 key_light, sky_above, sky_beside, sky_below;
uniform float outdoors;
uniform float shadows; /* 0: none */
uniform mat4 to_shadow;
uniform float shadow_texel; /* of the map */
uniform highp sampler2DShadow shadow_map;

vec3 view_from(vec3 at) {
    return dot(view_along, view_along) > 0.0 ? -view_along : normalize(eye - at);
}

float near(vec3 s) {
    return texture(shadow_map, s);
}

/* Share of the key lamp that is seen. Taps on a ring of odd count leave no pattern along straight edges. */
float lamp_seen(vec3 at, vec3 normal) {
    if (shadows == 0.0) return 1.0;
    vec3 s = (to_shadow * vec4(at, 1.0)).xyz;
    s.z -= 0.0012 + 0.002 * (1.0 - abs(dot(normal, key)));
    float r = 2.2 * shadow_texel;
    float sum = near(s) + near(s + vec3(r, 0.3 * r, 0.0)) + near(s + vec3(0.02 * r, 1.04 * r, 0.0)) +
                near(s + vec3(-r, 0.34 * r, 0.0)) + near(s + vec3(-0.6 * r, -0.84 * r, 0.0)) +
                near(s + vec3(0.64 * r, -0.78 * r, 0.0));
    return mix(1.0, sum / 6.0, shadows);
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

vec3 studio(vec3 d, float blur) {
    float up = d.z;
    vec3 walls = mix(vec3(0.13, 0.125, 0.12), vec3(0.34, 0.34, 0.35), smoothstep(-0.1, 0.9, up));
    walls = mix(walls, vec3(0.42, 0.40, 0.37), smoothstep(0.05, -0.5 - blur, up));
    vec3 left_lamp = normalize(-0.78 * right + 0.30 * away + vec3(0.0, 0.0, 0.62));
    vec3 back_lamp = normalize(0.28 * right + 0.86 * away + vec3(0.0, 0.0, 0.60));
    vec3 side_lamp = normalize(0.95 * right - 0.10 * away + vec3(0.0, 0.0, 0.42));
    vec3 light = vec3(5.2, 5.0, 4.7) *
                 softbox(d, left_lamp, normalize(cross(vec3(0.0, 0.0, 1.0), left_lamp)), vec2(0.34, 0.42), 0.03 + blur);
    light += vec3(3.4, 3.5, 3.7) *
             softbox(d, back_lamp, normalize(cross(vec3(0.0, 0.0, 1.0), back_lamp)), vec2(0.62, 0.16), 0.03 + blur);
    light += vec3(1.5, 1.6, 1.75) *
             softbox(d, side_lamp, normalize(cross(vec3(0.0, 0.0, 1.0), side_lamp)), vec2(0.12, 0.5), 0.03 + blur);
    return walls + light;
}

vec3 sky(vec3 d, float blur) {
    float up = max(d.z, 0.0);
    vec3 colour = mix(vec3(0.86, 0.92, 1.0), vec3(0.17, 0.34, 0.72), pow(up, 0.55));
    colour = mix(colour, vec3(0.26, 0.24, 0.21), smoothstep(0.02, -0.06 - blur, d.z));
    float towards = max(dot(d, key), 0.0);
    float sharp = 1.0 / (0.0006 + blur * blur);
    return colour + vec3(1.0, 0.93, 0.8) * (0.25 * pow(towards, 8.0) + 18.0 * pow(towards, sharp));
}

/* What is seen in a direction, blurred by the roughness of what reflects it. */
vec3 surroundings(vec3 direction, float blur) {
    return outdoors > 0.5 ? sky(direction, blur) : studio(direction, blur);
}

/* Schlick. */
float reflected(float straight, float facing) {
    float f = 1.0 - clamp(facing, 0.0, 1.0);
    float f2 = f * f;
    return straight + (1.0 - straight) * f2 * f2 * f;
}
