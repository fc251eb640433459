in vec3 at;
in vec3 facing;
in vec3 shaded;
in vec3 tinted;
uniform vec3 ground;
uniform float gloss;
uniform float wetness; /* 0: none is shown */
out vec4 colour;

void main() {
    vec3 n = normalize(facing), v = view_from(at);
    float open = mix(1.0, shaded.x * (0.35 + 0.65 * shaded.x), occlusion), wet = wetness * shaded.y;
    /* Light that enters a wet surface comes out later, and has lost more of its colour's opposite. */
    vec3 base = ground * tinted * (1.0 + (shaded.z - 0.5) * vec3(0.14, 0.18, 0.24));
    base *= mix(vec3(1.0), 0.82 * sqrt(base), wet);
    float towards = dot(n, key);
    float direct = towards > 0.0 ? towards * lamp_seen(at, n) : 0.0;
    /* What a hollow hides of the sky it gives back in part, after its own colour. */
    vec3 hollow = open / (1.0 - 0.75 * base * (1.0 - open));
    vec3 sum = base * (key_light * direct + sky_on(n) * hollow);
    float shine = max(gloss, 0.85 * wet);
    if (shine > 0.003) {
        float f = reflected(0.04, dot(n, v)) * shine * open;
        sum = sum * (1.0 - f) + f * glow(reflect(-v, n), mix(0.6, 0.2, shine));
    }
    colour = vec4(min(sum, vec3(4.0)), distance(at, eye));
}
