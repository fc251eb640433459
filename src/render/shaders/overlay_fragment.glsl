/* The surface in false colours that show a value. */
in vec3 at;
in vec3 facing;
in vec4 within;
in vec4 bend;
in float deep; /* m */
uniform int overlay;
uniform vec3 ramp_colours[5];
uniform vec2 scales; /* 1 over the largest depth, 1 over the largest speed */
out vec4 colour;

/* The colour of a value from 0 to 1: dark violet, teal, yellow, with brightness rising evenly. */
vec3 ramp(float t) {
    float s = clamp(t, 0.0, 1.0) * 4.0;
    vec3 c = mix(ramp_colours[0], ramp_colours[1], clamp(s, 0.0, 1.0));
    for (int i = 2; i < 5; i++) c = mix(c, ramp_colours[i], clamp(s - float(i - 1), 0.0, 1.0));
    return c;
}

/* A different colour for each layer. */
vec3 layer_colour(float layer) {
    float k = floor(layer + 0.5);
    vec3 around = 0.5 + 0.5 * cos(6.2831853 * (k * 0.381966 + vec3(0.58, 0.25, 0.92)));
    return 0.06 + 0.62 * around * around;
}

void main() {
    vec3 v = view_from(normalize(eye - at)), n = normalize(facing);
    if (dot(n, v) < 0.0) n = -n;
    vec3 c;
    if (overlay == 1) c = ramp(deep * scales.x);
    else if (overlay == 2) c = ramp(within.y * scales.y);
    else if (overlay == 3) c = layer_colour(within.z);
    else if (overlay == 6) {
        float lines = abs(fract(bend.w * 8.0 - 0.5) - 0.5) / max(fwidth(bend.w * 8.0), 1e-4);
        c = mix(vec3(0.02), ramp(bend.w), clamp(lines, 0.25, 1.0));
    } else c = vec3(0.10, 0.16, 0.22);
    float shade = 0.72 + 0.28 * dot(n, normalize(vec3(0.0, 0.0, 1.0) - 0.6 * right));
    float f = reflected(0.02, dot(n, v));
    colour = vec4(c * shade + 0.12 * f, distance(at, eye));
}
