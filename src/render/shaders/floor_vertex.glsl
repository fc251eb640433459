in vec2 position; /* corner of a square, -1 to 1 */
uniform mat4 to_clip;
uniform vec3 middle;
uniform float reach; /* m, from the middle to the edge */
out vec3 at;
out vec2 square;

void main() {
    at = middle + vec3(position * reach, 0.0);
    square = position;
    gl_Position = to_clip * vec4(at, 1.0);
}
