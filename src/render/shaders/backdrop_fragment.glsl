/* Behind everything outdoors: the sky. */
in vec2 square;
uniform vec3 across, upwards, ahead; /* from the eye to the middle of the picture, and from there to its edges */
out vec4 colour;

void main() {
    vec3 d = ahead + square.x * across + square.y * upwards;
    colour = vec4(sky(normalize(vec3(d.xy, max(d.z, 0.02))), 0.02), 1e4); /* the floor ends in the haze of the horizon */
}
