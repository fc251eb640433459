/* Draws the sky behind everything, outdoors. */
in vec2 square;
uniform vec3 across, upwards, ahead; /* ahead: eye to middle of the picture; the others: from there to its edges */
out vec4 colour;

void main() {
    vec3 d = ahead + square.x * across + square.y * upwards;
    colour = vec4(sky(normalize(vec3(d.xy, max(d.z, 0.02))), 0.02), 1e4); /* never below the horizon */
}
