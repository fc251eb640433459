in vec3 position;
uniform mat4 to_clip;
#ifdef GLASS
uniform float solid_top; /* as for the ground */
#endif

void main() {
    vec3 at = position;
#ifdef GLASS
    at.z = min(at.z, solid_top);
#endif
    gl_Position = to_clip * vec4(at, 1.0);
}
