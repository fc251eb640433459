/* Draws the sky behind everything, outdoors. */
in vec2 square;
out vec4 colour;

void main() {
    vec3 d = point_seen(square, 1.0) - eye;
    if (dot(view_along, view_along) > 0.0) d = view_along;
    colour = vec4(sky(normalize(vec3(d.xy, max(d.z, 0.02))), 0.02), 1e4); /* never below the horizon */
}
