in vec3 position;
in vec3 normal;
uniform mat4 to_clip;
uniform vec3 eye;
uniform vec3 view_along;
uniform float closer; /* m: counts as that much nearer to the eye than it is */
out vec3 at;
out vec3 facing;

void main() {
    at = position;
    facing = normal;
    gl_Position = to_clip * vec4(position, 1.0);
    vec3 view = dot(view_along, view_along) > 0.0 ? -view_along : normalize(eye - position);
    vec4 nearer = to_clip * vec4(position + closer * view, 1.0);
    gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}
