/* The surface in colours that stand for numbers. */
in vec3 at;
in vec3 facing;
in vec4 within;
in vec4 bend;
uniform int overlay;
uniform vec4 scales; /* 1 over the largest opacity, 1 over the largest speed */
out vec4 colour;

/* From dark violet through teal to yellow, evenly lighter. */
vec3 ramp(float t) {
    vec3 a = vec3(0.056, 0.002, 0.088), b = vec3(0.042, 0.090, 0.255), c = vec3(0.014, 0.273, 0.263);
    vec3 d = vec3(0.120, 0.565, 0.125), e = vec3(0.980, 0.800, 0.018);
    float s = clamp(t, 0.0, 1.0) * 4.0;
    vec3 low = mix(mix(a, b, clamp(s, 0.0, 1.0)), c, clamp(s - 1.0, 0.0, 1.0));
    return mix(mix(low, d, clamp(s - 2.0, 0.0, 1.0)), e, clamp(s - 3.0, 0.0, 1.0));
}

vec3 layer_colour(float layer) {
    float k = floor(layer + 0.5);
    vec3 around = 0.5 + 0.5 * cos(6.2831853 * (k * 0.381966 + vec3(0.58, 0.25, 0.92)));
    return 0.06 + 0.62 * around * around;
}

void main() {
    vec3 v = view_from(at), n = normalize(facing);
    if (dot(n, v) < 0.0) n = -n;
    vec3 c;
    if (overlay == 1) c = ramp(within.x * scales.x);
    else if (overlay == 2) c = ramp(within.y * scales.y);
    else if (overlay == 3) c = layer_colour(within.z);
    else if (overlay == 6) {
        float lines = abs(fract(bend.w * 8.0 - 0.5) - 0.5) / max(fwidth(bend.w * 8.0), 1e-4);
        c = mix(vec3(0.02), ramp(bend.w), clamp(lines, 0.25, 1.0));
    } else c = vec3(0.10, 0.16, 0.22);
    float shade = 0.72 + 0.28 * dot(n, normalize(vec3(0.0, 0.0, 1.0) - 0.6 * right));
    float f = reflected(0.02, dot(n, v));
    colour = vec4(c * shade + 0.35 * f, distance(at, eye));
}
