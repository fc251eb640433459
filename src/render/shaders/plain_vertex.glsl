in vec3 position;
in vec4 tint;
uniform mat4 to_clip;
out vec4 tinted;

void main() {
    tinted = tint;
    gl_Position = to_clip * vec4(position, 1.0);
}
