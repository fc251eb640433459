/* All light of a draft is found at the vertices: a program for the processor is compiled in a few milliseconds. */
in vec3 position;
in vec3 normal;
in vec4 shade; /* of the ground: openness to the sky, wetness, how much it faces up, brightness */
in vec3 tint;
in vec4 inside; /* of the liquid: opacity, speed, layer, openness to the sky */
uniform mat4 to_clip;
uniform vec3 eye;
uniform vec3 view_along;
uniform vec3 key, key_light, sky_above, sky_below;
uniform vec3 ground;
uniform float liquid;     /* 1: liquid; 0: ground or bodies */
uniform sampler2D layers; /* as for the liquid */
uniform float exposure;
#ifdef GLASS
uniform float solid_top; /* as for the ground */
#endif
out vec4 tinted;

/* The colour of liquid over ground (render/optics.h). */
vec3 liquid_colour() {
    float along = sqrt(clamp(inside.x, 0.0, 1.0));
    vec3 self = textureLod(layers, vec2(along, 0.25), 0.0).rgb, through = textureLod(layers, vec2(along, 0.75), 0.0).rgb;
    return (self + through * ground) / (1.0 - self * ground);
}

void main() {
    vec3 view = dot(view_along, view_along) > 0.0 ? -view_along : normalize(eye - position);
    vec3 at = position, out_of = normal;
#ifdef GLASS
    out_of = at.z > solid_top ? vec3(0.0, 0.0, 1.0) : normal;
    at.z = min(at.z, solid_top);
#endif
    vec3 n = dot(out_of, view) < 0.0 ? -out_of : out_of;
    vec3 base = liquid > 0.5 ? liquid_colour() : ground * tint;
    float open = liquid > 0.5 ? 1.0 : 0.16 + 0.84 * shade.x;
    vec3 sum = base * (key_light * max(dot(n, key), 0.0) + open * mix(sky_below, sky_above, 0.5 + 0.5 * n.z));
    float edge = 1.0 - max(dot(n, view), 0.0), shine = max(dot(reflect(-view, n), key), 0.0);
    sum += liquid * (0.02 + 0.5 * edge * edge * edge * edge) * sky_above + liquid * 0.8 * pow(shine, 60.0);
    tinted = vec4(sqrt(clamp(exposure * sum, 0.0, 1.0)), 1.0); /* near enough to sRGB */
    gl_Position = to_clip * vec4(at, 1.0);
}
