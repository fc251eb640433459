/* Behind everything outdoors: the sky. */
in vec2 square;
uniform vec3 across, upwards, ahead; /* from the eye to the middle of the picture, and from there to its edges */
out vec4 colour;

void main() {
    colour = vec4(sky(normalize(ahead + square.x * across + square.y * upwards), 0.02), 1e4);
}
