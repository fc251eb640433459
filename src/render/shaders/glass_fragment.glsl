/* Surfaces of solid that is clear glass. Seen from inside the solid, with liquid behind them (INSIDE), they are the
   side of the liquid; otherwise they are films that mirror the lamps. */
in vec3 at;
in vec3 facing;
uniform float cell; /* m */
uniform sampler2D ground_seen; /* the picture so far; alpha: distance from the eye (m) */
#ifdef INSIDE
uniform sampler2D layers;      /* as for the liquid */
uniform float full_depth;      /* m */
#endif
#ifdef BEHIND
uniform float reach; /* 0.5: as high as the liquid; less: higher */
#endif
out vec4 colour;

/* How far below the surface of a liquid the space in front of this surface is. Farther aside than up, because boxes are
   as wide as cells; a little lower, so that liquid at a ceiling reaches into its corners. n: its normal. */
float liquid_before(vec3 n) {
    return liquid_at(at + cell * vec3(0.7 * n.xy, n.z > 0.5 ? 0.12 : -0.15));
}

#ifndef INSIDE
/* A row of windows behind the eye, in direction d. Upright panes mirror them; on curved glass they would be narrow stripes. */
vec3 windows(vec3 d) {
    vec2 place = vec2(dot(d, right), d.z) / max(-dot(d, away), 0.05);
    vec2 inside = 1.0 - smoothstep(vec2(0.6), vec2(1.6, 1.2), abs(place));
    return vec3(1.3, 1.5, 1.7) * inside.x * inside.y * smoothstep(0.2, 0.6, sin(9.0 * place.x - 2.0 * place.y));
}

/* How far the line of sight runs through glass behind this surface, in cells, until it leaves it. */
float thickness(vec3 v) {
    const int steps = 8;
    const float step_taken = 2.5;
    float grain = grain_here();
    float sum = 0.0, within = 1.0;
    for (int i = 0; i < steps; i++) {
        vec3 q = at - (step_taken * (float(i) + grain) + 0.4) * cell * v;
        within *= step(solid_top, q.z) * smoothstep(0.2, 0.6, wall_at(q));
        sum += within;
    }
    return step_taken * sum;
}
#endif

#ifdef INSIDE
/* A row of `layers` for liquid of this thickness (m). */
vec3 layer(float thick, float row) {
    return texture(layers, vec2(layer_at(thick / full_depth), row)).rgb;
}

void main() {
    vec3 n = normalize(facing), to_eye = eye - at;
    float far = length(to_eye), wet = liquid_before(n);
    vec3 v = view_from(to_eye / far);
    vec4 seen = texelFetch(ground_seen, ivec2(gl_FragCoord.xy), 0);
    if (at.z < solid_top) discard;
#ifdef BEHIND
    if (wet < reach || abs(n.z) > 0.5) discard;
#else
    if (wet < 0.5) discard;
    n = -n;
#endif
    float grain = grain_here();
    vec3 start = at - 0.4 * cell * v;
    float path = path_through(start, -v, 2.0 * full_depth, grain);
    /* A pipe is no paler along its far side: it is a lens, which shows its middle there. */
    path = max(path, path_through(start, vec3(0.0, 0.0, -1.0), 0.5 * full_depth, grain));
    vec3 self = layer(path, 0.25), through = layer(path, 0.75);
    /* Light comes into it from all sides; the liquid above takes some of it. */
    float above = path_through(start, normalize(key + vec3(0.0, 0.0, 0.5)), full_depth, grain);
    vec3 arrives = 0.25 + 1.1 * sqrt(max(layer(above, 0.75), 0.0));
    vec3 light = (key_light * (0.35 + 0.65 * max(dot(n, key), 0.0)) * lamp_seen(at, n) + sky_on(n)) * arrives;
    colour = vec4(min(self * light + through * seen.rgb, vec3(4.0)), far);
}
#else
void main() {
    vec3 n = normalize(facing), to_eye = eye - at;
    float far = length(to_eye);
    vec3 v = view_from(to_eye / far);
    if (at.z < solid_top) discard;
    float wet = smoothstep(0.45, 0.55, liquid_before(n)); /* where the liquid has nearly the index of glass */
    if (!gl_FrontFacing) n = -n;
    float facing_eye = clamp(dot(n, v), 0.0, 1.0), aside = 1.0 - facing_eye;
    float dry = 1.0 - wet, a2 = aside * aside, a4 = a2 * a2;
    /* Silhouettes are narrower than a pixel: brighter ones would be dashed lines. */
    float f = min(reflected(0.04, facing_eye), 0.6) * (1.0 - 0.9 * wet);
    float spread = min(2.0 * (length(dFdx(n)) + length(dFdy(n))), 0.5);
    vec3 image = surroundings(reflect(-v, n), 0.06 + spread);
#ifndef OUTDOORS
    image += windows(reflect(-v, n)) * (1.0 - max(smoothstep(0.001, 0.004, spread), smoothstep(0.01, 0.05, abs(n.z))));
#endif
    /* Narrow lamps behind the scene at both sides light round rims. */
    float beside = dot(n, normalize(across));
    image += vec3(1.3, 1.4, 1.5) * beside * beside * smoothstep(0.6, 0.95, aside) * smoothstep(0.008, 0.03, spread);
    /* A wall seen at a slant shows what is beside it, and takes some of its light. */
    vec3 bent = n - v * dot(n, v);
    vec2 to_side = vec2(dot(bent, normalize(across)), dot(bent, normalize(upwards)));
    float scale = length(upwards) * (dot(view_along, view_along) > 0.0 ? 1.0 : far);
    vec2 size = vec2(textureSize(ground_seen, 0));
    vec2 place = gl_FragCoord.xy - 1.5 * cell * a2 * to_side * size.y / scale;
    vec3 beyond = texelFetch(ground_seen, ivec2(clamp(place, vec2(0.0), size - 1.0)), 0).rgb;
    float shift = dry * smoothstep(0.15, 0.5, aside), keep = 1.0 - dry * (0.01 + 0.55 * a4);
    float rest = (1.0 - f) * keep;
    /* Thick glass takes on the light around it, and a tint. Walls behind mirror some of that light. Round glass does neither:
       what it shows is bent. */
    float thick = gl_FrontFacing ? thickness(v) : 0.0, flat_share = 1.0 - smoothstep(0.002, 0.012, spread);
    float clear = gl_FrontFacing ? exp(-0.0003 * flat_share * thick * thick) : 1.0 - 0.13 * flat_share * dry * (1.0 - abs(n.z));
    vec3 glow = vec3(1.1, 1.7, 1.35) * sky_on(n) * (0.4 + 0.6 * n.z * n.z);
    vec3 tinted = beyond * mix(vec3(1.0), vec3(0.9, 1.0, 0.97), aside);
    colour = vec4(min(f * image, vec3(mix(0.4, 0.8, flat_share))) + rest * mix(glow, shift * tinted, clear), 1.0 - clear * (1.0 - shift) * rest);
}
#endif
