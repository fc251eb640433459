/* The lamps, the sky, and the light that solid and liquid receive from them. A renderer may run both sides of
   an `if`, so the preprocessor makes the choices that are known before a frame. */

uniform vec3 eye;        /* m */
uniform vec3 view_along; /* unit vector into the picture, for parallel rays; all 0: perspective */
uniform vec3 right;      /* level unit vector to the right of the picture; the lamps of the studio turn with the camera */
uniform vec3 away;       /* level unit vector away from the camera */
uniform vec3 key;        /* unit vector to the lamp that casts shadows */
uniform vec3 key_light, sky_above, sky_beside, sky_below;
uniform float occlusion; /* 1: with ambient occlusion and shadows; 0: without */
uniform mat4 to_shadow;
uniform float shadow_texel; /* size of a texel of the shadow map */
uniform float shadow_lift;  /* m, see lamp_seen */
uniform highp sampler2DShadow shadow_map;
uniform sampler2D lamp_map; /* what the liquid does to the light of the lamp: lamp_fragment.glsl */
uniform vec3 across, upwards, ahead; /* see point_seen */
uniform float clear_near; /* m, outdoors: no haze as far as this */
uniform float clear_air;  /* m, beyond that, until haze hides most of what is behind it */

/* Noise of 0 to 1 that differs from pixel to pixel: it hides the steps of samples. */
float grain_here() {
    return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
}

/* Where the table `layers` has the colours of this share of its deepest layer. */
float layer_at(float share) {
    return clamp(sqrt(share), 0.0, 1.0) * 255.0 / 256.0 + 0.5 / 256.0;
}

/* The unit vector towards the eye; the same everywhere for parallel rays. */
vec3 view_from(vec3 to_eye) {
    return dot(view_along, view_along) > 0.0 ? -view_along : to_eye;
}

const float LAMP = 0.16; /* radius of the studio's lamp at distance 1 */

/* Share of the lamp's light that walls and floor throw into its shadows. */
#ifdef GLASS
const float shade_floor = 0.4; /* glass and the liquid in it scatter light into shadows */
#else
const float shade_floor = 0.07;
#endif

/* Turns a vector by the golden angle (137.5 degrees), for samples on a spiral: faster than sines. */
const mat2 golden_turn = mat2(-0.7373689, 0.6754903, -0.6754903, -0.7373689);

/* Share of the lamp that reaches point s of the shadow map: all of it beside the map. */
float near(vec3 s) {
    vec2 aside = abs(s.xy - 0.5);
    return max(textureLod(shadow_map, s, 0.0), step(0.5, max(aside.x, aside.y)));
}

/* lamp_share: the share of the key lamp that reaches point s of the shadow map. With several samples per pixel, each looks up
   different places. */
#if SAMPLES > 1 && !defined(OUTDOORS)
/* The lamp of the studio is large: a shadow is softer if the object that casts it is farther away. The first loop finds how
   far: the map, looked up from a point moved by `far` towards the lamp, has only objects that are farther away than `far`.
   The second loop averages over as wide a disc as follows. Lengths are in radii of the scene; the map is 2 across, 3 deep. */
float lamp_share(vec3 s) {
    const int LOOKS = 8;
    vec2 odd = mod(floor(gl_FragCoord.xy), 2.0);
    float part = 0.25 * (odd.x + 2.0 * odd.y) + 0.125, far = 0.02, shaded = 0.0, lit = near(s), sum = 0.0;
    vec2 towards = vec2(cos(1.5707963 * part), sin(1.5707963 * part));
    for (int i = 0; i < 6; i++) {
        vec3 aside = vec3(0.5 * LAMP * far * towards, far / 3.0);
        float both = near(s + vec3(aside.xy, -aside.z)) + near(s - aside);
        shaded = both < 1.9 ? far : shaded;
        lit += both;
        towards = vec2(-towards.y, towards.x);
        far *= 1.75;
    }
    bool penumbra = lit < 12.99;
    for (int i = penumbra ? 0 : LOOKS; i < LOOKS; i++) {
        float aside = max(0.5 * LAMP * shaded, shadow_texel) * sqrt((float(i) + part) / float(LOOKS));
        sum += near(s + vec3(aside * towards, -0.2 * shaded));
        towards = golden_turn * towards;
    }
    return penumbra ? sum / float(LOOKS) : 1.0;
}
#else
float lamp_share(vec3 s) {
    float r = 1.1 * shadow_texel, q = 0.45 * shadow_texel;
#if SAMPLES > 1
    vec2 odd = mod(floor(gl_FragCoord.xy), 2.0);
    float nearer = odd.x == odd.y ? 0.5 : 1.0;
    vec2 aside = nearer * (odd.x > 0.5 ? vec2(r, q) : vec2(-q, r));
    return 0.5 * (near(s + vec3(aside, 0.0)) + near(s - vec3(aside, 0.0)));
#else
    return 0.25 * (near(s + vec3(r, q, 0.0)) + near(s + vec3(-q, r, 0.0)) + near(s + vec3(-r, -q, 0.0)) +
                   near(s + vec3(q, -r, 0.0)));
#endif
}
#endif

/* Share of the key lamp that is visible, from a little above the surface so that the surface does not shade itself. */
float lamp_seen(vec3 at, vec3 normal) {
    vec3 s = (to_shadow * vec4(at + shadow_lift * normal, 1.0)).xyz;
    s.z -= 0.0008;
    return mix(1.0, shade_floor + (1.0 - shade_floor) * lamp_share(s), occlusion);
}

/* The share of the lamp's light on ground of this wetness where it reaches the share `seen`: liquid scatters some light into
   shadows on the ground below it. */
float on_wet(float seen, float wet) {
    return mix(seen, 1.0, 0.14 * wet);
}

/* The point at this distance from the eye (m) that is seen at `place` (-1 to 1 across the picture). Parallel rays begin
   beside the eye, others spread from it. */
vec3 point_seen(vec2 place, float far) {
    vec3 aside = place.x * across + place.y * upwards;
    return dot(view_along, view_along) > 0.0 ? eye + aside + ahead * sqrt(max(far * far - dot(aside, aside), 0.0))
                                             : eye + normalize(ahead + aside) * far;
}

/* The share of the lamp's light that falling liquid lets through to point p. */
vec3 tint_at(vec3 p) {
    vec2 s = (to_shadow * vec4(p, 1.0)).xy;
    return all(lessThan(abs(s - 0.5), vec2(0.5))) ? texture(lamp_map, s).rgb : vec3(1.0);
}

/* Ambient light on a surface with this unit normal, as if nothing hid the sky. */
vec3 sky_on(vec3 normal) {
    vec3 level = mix(sky_below, sky_above, 0.5 + 0.5 * normal.z);
    float side = 1.0 - normal.z * normal.z;
    return level + sky_beside * side * (0.5 - 0.5 * dot(normal, away));
}

/* How bright a rectangular lamp with a level edge is in direction d: 1 on its panel, 1 + core in the middle, 0 beside it.
   middle: unit vector to its centre; half_size, blur: at distance 1. */
float lamp(vec3 d, vec3 middle, vec2 half_size, float core, float blur) {
    float ahead = dot(d, middle);
    vec3 side = normalize(vec3(-middle.y, middle.x, 0.0)), up = cross(middle, side);
    vec2 at = abs(vec2(dot(d, side), dot(d, up))) / max(ahead, 1e-3);
    vec2 panel = 1.0 - smoothstep(half_size - blur, half_size + blur, at);
    vec2 bulb = 1.0 - smoothstep(0.1 * half_size, 0.8 * half_size + blur, at);
    return ahead > 0.0 ? panel.x * panel.y * (1.0 + core * bulb.x * bulb.y) : 0.0;
}

/* The light of the walls and the floor of the studio; up: z of the direction, -1 to 1. */
vec3 studio_walls(float up) {
    vec3 walls = mix(vec3(0.06, 0.058, 0.055), vec3(0.24, 0.24, 0.25), smoothstep(0.0, 1.0, up));
    return mix(vec3(0.40, 0.38, 0.35), walls, smoothstep(-0.35, 0.0, up));
}

/* The light of the studio's back wall in direction d, a unit vector away from the eye: a lamp lights the middle of the
   picture, seen behind the scene. lit: the wall's mean light, which parallel rays see everywhere. */
vec3 back_wall(vec3 lit, vec3 d) {
    if (dot(view_along, view_along) > 0.0) return lit;
    float aside = 1.0 - dot(d, normalize(ahead)); /* about 0.13 in the corners of a usual picture */
    return lit * mix(vec3(0.40, 0.43, 0.47), vec3(1.95, 1.86, 1.74), exp(-20.0 * aside));
}

/* The light of the studio that arrives from direction d, a unit vector; blur: of the edges of lamps, at distance 1. */
vec3 studio(vec3 d, float blur) {
    vec3 in_room = vec3(dot(d, right), dot(d, away), d.z);
    vec3 light = vec3(5.4, 5.2, 4.9) * lamp(in_room, vec3(-0.749, 0.288, 0.596), vec2(0.28, 0.36), 2.0, 0.05 + blur);
    /* A panel at the back, which level liquid mirrors. */
    light += vec3(2.6, 2.55, 2.48) * lamp(in_room, vec3(0.203, 0.760, 0.618), vec2(0.23, 0.09), 0.8, 0.048 + blur);
    light += vec3(1.6, 1.7, 1.85) * lamp(in_room, vec3(0.91, -0.10, 0.40), vec2(0.1, 0.5), 3.0, 0.05 + blur);
    return studio_walls(d.z) + light;
}

/* The light of haze near the horizon, which is warmer and brighter towards the sun. d: unit vector away from the eye. */
vec3 haze_towards(vec3 d) {
    float towards = 0.5 + 0.5 * dot(normalize(d.xy + 1e-6), normalize(key.xy));
    return mix(vec3(0.50, 0.62, 0.76), vec3(0.80, 0.78, 0.74), towards * towards * towards);
}

/* The share of light that haze lets through over this distance (m): hardly any at the horizon. */
float clearness(float far) {
    float through = max(far - clear_near, 0.0) / clear_air;
    return exp(-through - 0.15 * through * through * through);
}

/* Adds the haze between the eye and a point at this distance (m) in the direction d, outdoors. */
vec3 through_air(vec3 light, vec3 d, float far) {
#ifdef OUTDOORS
    return mix(haze_towards(d), light, clearness(far));
#else
    return light;
#endif
}

#ifdef OUTDOORS
/* Where to look up a pattern of `size` (m) that drifts with a flow (m/s), in copies. The flow would stretch it without
   end: there are two copies, and each fades out before it has moved far, then starts again. share: of the second. */
struct drift {
    vec2 one, other;
    float share;
};
drift drift_at(vec2 p, vec2 velocity, float size, float time) {
    float life = 2.0 * sqrt(size / 9.81), age = fract(time / life), later = fract(age + 0.5);
    return drift((p - velocity * life * (age - 0.5)) / size, (p - velocity * life * (later - 0.5)) / size,
                 abs(2.0 * age - 1.0));
}

/* Slopes (-1 to 1 along x and y) of ripples at p (m) on liquid that flows at this velocity (m/s): render/ripples.h, `size`
   (m) long. Two patterns run across each other as fast as waves an eighth as long as they are, in deep water, and drift
   with the flow. */
vec2 ripple_slopes(sampler2D ripples, vec2 p, vec2 velocity, float size, float time) {
    drift d = drift_at(p, velocity, size, time);
    vec2 along = sqrt(9.81 / (8.0 * 6.2831853 * size)) * vec2(0.8, 0.6); /* copies per second */
    vec2 from = fract(-along * time), across_it = fract(vec2(along.y, -along.x) * time) + 0.37;
    vec2 one = texture(ripples, from + d.one).xy;
    vec2 other = texture(ripples, across_it + d.other).xy;
    float rest = 1.0 - d.share;
    return (2.0 * mix(one, other, d.share) - 1.0) * inversesqrt(d.share * d.share + rest * rest); /* always as steep */
}
#endif

/* The light without that haze: undoes through_air. */
vec3 without_air(vec3 light, vec3 d, float far) {
#ifdef OUTDOORS
    float clear = clearness(far);
    return max(light - (1.0 - clear) * haze_towards(d), 0.0) / max(clear, 0.05);
#else
    return light;
#endif
}

/* The light of the sky, the sun and the ground below the horizon that arrives from direction d, a unit vector; blur:
   of horizon and sun, 0 for sharp. */
vec3 sky(vec3 d, float blur) {
    float up = max(d.z, 0.0);
    vec3 colour = mix(vec3(0.38, 0.56, 0.84), vec3(0.08, 0.22, 0.56), sqrt(up));
    colour = mix(colour, haze_towards(d), exp(-11.0 * up));
    colour = mix(colour, vec3(0.26, 0.24, 0.21), 1.0 - smoothstep(-0.06 - blur, 0.02, d.z));
    float towards = max(dot(d, key), 0.0);
    float sharp = 1.0 / (0.0006 + blur * blur);
    float sun = min(18.0, 0.35 + 0.18 * sharp); /* the more it is blurred, the dimmer */
    return colour + vec3(1.0, 0.93, 0.8) * (0.25 * pow(towards, 8.0) + sun * pow(towards, sharp));
}

/* surroundings: what liquid mirrors from a direction. glow: what solid of some shine (0 to 1) mirrors, so blurred that only
   the large lamp remains. */
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

/* Reflected share of light (Schlick). straight: at normal incidence; facing: cosine of the angle of incidence. */
float reflected(float straight, float facing) {
    float f = 1.0 - clamp(facing, 0.0, 1.0);
    float f2 = f * f;
    return straight + (1.0 - straight) * f2 * f2 * f;
}
