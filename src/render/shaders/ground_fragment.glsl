in vec3 at;
in vec3 facing;
in vec3 shaded;
in vec3 tinted;
uniform vec3 ground;
uniform float gloss;
uniform float wetness; /* 0: none is shown */
out vec4 colour;

void main() {
    vec3 n = normalize(facing), to_eye = eye - at;
    float closer = inversesqrt(dot(to_eye, to_eye));
    vec3 v = view_from(to_eye * closer);
    float open = mix(1.0, 0.1 + shaded.x * (0.25 + 0.65 * shaded.x), occlusion), wet = wetness * shaded.y;
    vec3 base = ground * tinted * (1.0 + (shaded.z - 0.5) * vec3(0.14, 0.18, 0.24));
    /* Light that enters a wet surface comes out later, and has lost more of its colour's opposite. */
    base *= mix(vec3(1.0), 0.46 + 0.46 * base, wet);
    float towards = max(dot(n, key), 0.0);
    /* What a hollow hides of the sky it gives back in part, after its own colour. */
    vec3 hollow = open * (1.0 + 0.75 * base * (1.0 - open));
    vec3 sum = base * (key_light * (towards * lamp_seen(at, n)) + sky_on(n) * hollow);
    float shine = max(gloss, 0.85 * wet);
    float f = reflected(0.04, dot(n, v)) * shine * open;
    sum += f * (glow(reflect(-v, n), shine) - sum);
    colour = vec4(min(sum, vec3(4.0)), 1.0 / closer);
}
