in vec3 position;
uniform mat4 to_clip;
uniform float solid_top; /* as for the ground */

void main() {
    gl_Position = to_clip * vec4(position.xy, min(position.z, solid_top), 1.0);
}
