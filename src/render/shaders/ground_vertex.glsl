in vec3 position;
in vec3 normal;
in vec4 shade; /* openness to the sky, wetness, how much it faces up, brightness */
in vec3 tint;
uniform mat4 to_clip;
uniform float solid_top; /* m: solid above this height is glass, and the ground is cut off there */
out vec3 at;
out vec3 facing;
out vec3 shaded;
out vec3 tinted;

void main() {
    bool cut = position.z > solid_top;
    at = vec3(position.xy, min(position.z, solid_top));
    facing = cut ? vec3(0.0, 0.0, 1.0) : normal;
    shaded = cut ? vec3(1.0, 0.0, shade.w) : shade.xyw;
    tinted = tint;
    gl_Position = to_clip * vec4(at, 1.0);
}
