/* Coloured shadows: light of the lamp that has passed falling liquid has some of its colour. */
in vec2 square;
uniform sampler2D picture; /* what is drawn so far; alpha: distance from the eye (m) */
uniform float floor_height; /* m; the floor has no distance */
out vec4 colour;

/* How p (m) changes along one axis of the picture, `step` texels to the side where the distance changes less. The
   distances have 11 bits only, so a step is long. */
vec3 change_along(vec3 p, ivec2 step) {
    ivec2 here = ivec2(gl_FragCoord.xy), last = textureSize(picture, 0) - 1;
    vec2 aside = 2.0 * vec2(step) / vec2(last + 1);
    vec3 after = point_seen(square + aside, texelFetch(picture, min(here + step, last), 0).a) - p;
    vec3 before = p - point_seen(square - aside, texelFetch(picture, max(here - step, ivec2(0)), 0).a);
    return dot(after, after) < dot(before, before) ? after : before;
}

/* 1 on ground that faces the lamp, 0 on ground that its rays only graze: there p is as near to the lamp as the falling
   liquid behind it, which a map cannot tell apart. */
float faces_lamp(vec3 p) {
    vec3 n = normalize(cross(change_along(p, ivec2(16, 0)), change_along(p, ivec2(0, 16))));
    return smoothstep(0.05, 0.3, dot(n, key));
}

void main() {
    vec4 seen = texelFetch(picture, ivec2(gl_FragCoord.xy), 0);
    vec3 p = point_seen(square, seen.a);
    vec3 from = point_seen(square, 0.0);
    if (seen.a > 9e3) p = from + (p - from) * ((from.z - floor_height) / max(from.z - p.z, 1e-6));
    vec3 tint = tint_at(p);
    if (tint.r + tint.g + tint.b > 2.99) discard;
    float lit = seen.a > 9e3 ? 1.0 : faces_lamp(p);
    lit *= near((to_shadow * vec4(p, 1.0)).xyz - vec3(0.0, 0.0, 0.004));
    /* The lamp gives about three quarters of the light on ground that faces up. */
    colour = vec4(seen.rgb * (1.0 - 0.74 * lit * (1.0 - tint)), seen.a);
}
