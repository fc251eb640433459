in vec3 position;
in vec3 normal;
in vec4 shade; /* openness to the sky, wetness, how much it faces up, brightness */
in vec3 tint;
uniform mat4 to_clip;
out vec3 at;
out vec3 facing;
out vec3 shaded;
out vec3 tinted;

void main() {
    at = position;
    facing = normal;
    shaded = shade.xyw;
    tinted = tint;
    gl_Position = to_clip * vec4(position, 1.0);
}
