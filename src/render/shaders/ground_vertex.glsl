in vec3 position;
in vec3 normal;
in vec4 shade; /* openness to the sky, wetness, how much it faces up, brightness */
in vec3 tint;
#ifdef MATERIAL
in vec4 coated; /* share of each coat */
out vec4 coat;
#endif
uniform mat4 to_clip;
#ifdef GLASS
uniform float solid_top; /* m: solid above this height is glass, and the ground is cut off there */
uniform float cell;      /* m */
#endif
out vec3 at;
out vec3 facing;
out vec3 shaded;
out vec3 tinted;

void main() {
    at = position;
    facing = normal;
    shaded = shade.xyw;
    tinted = tint;
#ifdef MATERIAL
    coat = coated;
#endif
#ifdef GLASS
    if (at.z > solid_top - 0.3 * cell) { /* floors at this height have no shade of their own either */
        at.z = solid_top;
        facing = vec3(0.0, 0.0, 1.0);
        shaded.xy = vec2(1.0, 0.0);
    }
#endif
    gl_Position = to_clip * vec4(at, 1.0);
}
