/* Coloured shadows: light of the lamp that has passed falling liquid has some of its colour. */
in vec2 square;
uniform sampler2D picture; /* what is drawn so far; alpha: distance from the eye (m) */
uniform float floor_height; /* m; the floor has no distance */
out vec4 colour;

void main() {
    vec4 seen = texelFetch(picture, ivec2(gl_FragCoord.xy), 0);
    vec3 p = point_seen(square, seen.a);
    vec3 from = point_seen(square, 0.0);
    if (seen.a > 9e3) p = from + (p - from) * ((from.z - floor_height) / max(from.z - p.z, 1e-6));
    vec3 tint = tint_at(p);
    if (tint.r + tint.g + tint.b > 2.99) discard;
    float lit = near((to_shadow * vec4(p, 1.0)).xyz - vec3(0.0, 0.0, 0.004));
    /* The lamp gives about three quarters of the light on ground that faces up. */
    colour = vec4(seen.rgb * (1.0 - 0.74 * lit * (1.0 - tint)), seen.a);
}
