in vec3 position;
in vec3 normal;
in vec4 inside;   /* opacity, speed, layer, how open the sky is */
in vec4 meniscus; /* direction to the boundary, psi, share */
uniform mat4 to_clip;
out vec3 at;
out vec3 facing;
out vec4 within;
out vec4 bend;

void main() {
    at = position;
    facing = normal;
    within = inside;
    bend = meniscus;
    gl_Position = to_clip * vec4(position, 1.0);
}
