in vec2 position; /* corner of a square, -1 to 1 */
uniform vec4 rectangle; /* left, bottom, right, top: of the picture, from -1 to 1 */
out vec2 square;

void main() {
    square = mix(rectangle.xy, rectangle.zw, 0.5 * position + 0.5);
    gl_Position = vec4(square, 0.0, 1.0);
}
