/* Behind everything: the paper of a studio, or the sky. */
in vec2 square;
uniform vec3 across, upwards, ahead; /* from the eye to the middle of the picture, and from there to its edges */
uniform vec3 paper_lit;
out vec4 colour;

void main() {
    vec3 d = normalize(ahead + square.x * across + square.y * upwards);
    colour = vec4(outdoors > 0.5 ? sky(d, 0.02) : paper_lit, 1e4);
}
